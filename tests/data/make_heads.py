#!/usr/bin/env python3
"""Writes assets/scenes/transformer-heads.safetensors for the tokens of transformer-heads.json.

Queries, keys and values of twelve heads, 128 tokens, width 64, in bfloat16: the shapes of a layer
of a small Transformer, with synthetic numbers. Each head is built to attend by one rule, with noise
over it, so that the heads can be told apart. Standard library only; the same bytes every time.

    python3 tests/data/make_heads.py assets/scenes
"""
import json
import math
import pathlib
import random
import struct
import sys

HEADS, TOKENS, WIDTH = 12, 128, 64
NOISE = 0.25  # of each component, beside components of 1


def signs(stream):
    """Returns a random vector of 1 and −1; vectors of different streams are nearly at right angles."""
    source = random.Random("maskscope " + stream)
    return [1.0 if source.random() < 0.5 else -1.0 for _ in range(WIDTH)]


def position(i):
    return signs(f"position {i}")


def word(token):
    return signs(f"word {token}")


def waves(i, longest):
    """Returns a vector of position i. Products fall with distance, up to about `longest` tokens."""
    pairs = WIDTH // 2
    angles = [i * math.pi / longest * (k + 1) / pairs for k in range(pairs)]
    return [f(angle) * 1.4 for angle in angles for f in (math.cos, math.sin)]


def sentences(words):
    """Returns, for each token, the number of the sentence that it is in."""
    number, result = 0, []
    for token in words:
        result.append(number)
        number += token == "."
    return result


def scaled(vector, factor):
    return [factor * x for x in vector]


def head(number, words):
    """Returns the queries and keys of one head."""
    n, zero, mark = range(len(words)), [0.0] * WIDTH, signs("mark")
    sentence = sentences(words)
    rules = [
        lambda: ([position(i - 1) for i in n], [position(j) for j in n]),  # the token before
        lambda: ([position(i + 1) for i in n], [position(j) for j in n]),  # the token after
        lambda: ([position(i) for i in n], [position(j) for j in n]),  # itself
        lambda: ([mark for _ in n], [mark if j == 0 else zero for j in n]),  # the first
        lambda: ([word(w) for w in words], [word(w) for w in words]),  # the same word
        lambda: ([word(w) for w in words],  # what came after the same word
                 [word(words[j - 1]) if j > 0 else zero for j in n]),
        lambda: ([waves(i, 4) for i in n], [waves(j, 4) for j in n]),  # near
        lambda: ([waves(i, 24) for i in n], [waves(j, 24) for j in n]),  # less near
        lambda: ([mark for _ in n],  # commas and full stops
                 [scaled(mark, 0.7) if w in (".", ",") else zero for w in words]),
        lambda: ([signs(f"sentence {s}") for s in sentence],  # its sentence
                 [scaled(signs(f"sentence {s}"), 0.6) for s in sentence]),
        lambda: ([signs(f"any {i}") for i in n], [signs(f"other {j}") for j in n]),  # no rule
        lambda: ([zero for _ in n], [zero for _ in n]),  # everything alike
    ]
    return rules[number]()


def noisy(vectors, stream):
    source = random.Random("maskscope " + stream)
    return [[x + NOISE * (sum(source.random() for _ in range(12)) - 6) for x in vector]
            for vector in vectors]


def bfloat16(x):
    """Returns the upper half of the float32, rounded to nearest, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def tensor(heads):
    numbers = [bfloat16(x) for vectors in heads for vector in vectors for x in vector]
    return struct.pack(f"<{len(numbers)}H", *numbers)


def safetensors(tensors):
    header, data = {"__metadata__": {"numbers": "synthetic, made by tests/data/make_heads.py"}}, b""
    for name, numbers in tensors.items():
        header[name] = {"dtype": "BF16", "shape": [1, HEADS, TOKENS, WIDTH],
                        "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the numbers start at a multiple of 8 bytes
    return struct.pack("<Q", len(text)) + text + data


def main(folder):
    scene = json.loads((folder / "transformer-heads.json").read_text(encoding="utf-8"))
    words = scene["sequences"][0]["queries"]
    assert len(words) == TOKENS
    queries, keys, values = [], [], []
    for number in range(HEADS):
        q, k = head(number, words)
        queries.append(noisy(q, f"q {number}"))
        keys.append(noisy(k, f"k {number}"))
        values.append(noisy([word(w) for w in words], f"v {number}"))
    tensors = {"layer0.q": tensor(queries), "layer0.k": tensor(keys), "layer0.v": tensor(values)}
    (folder / "transformer-heads.safetensors").write_bytes(safetensors(tensors))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
