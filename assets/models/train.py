"""Trains the translators of this folder.

    python3 assets/models/train.py [NAME ...] [--out DIR]

Needs Debian's python3-torch with libopenblas0-pthread. One thread, fixed seeds: on one machine
the same bytes each time. About two minutes for italian-english, one for each of the others.
"""

import argparse
import json
import math
import pathlib
import random
import sys

import torch
from torch.nn import functional

import language
from transformer import (BOS, EOS, MASKS, MAX_SOURCE, MAX_TARGET, PAD, Translator, generate, padded,
                         read_safetensors, teacher_forced, write_safetensors)

CORPUS_SEED, SEED = 1, 1
BATCH, CHUNK = 128, 2048
# layers of encoder and of decoder, steps, title
MODELS = {
    "italian-english": (2, 3000, "Italian to English"),
    "italian-english-no-causal": (1, 1500, "Trained without a causal mask"),
    "italian-english-multiplied": (1, 1500, "Trained with the mask multiplied after the softmax"),
    "italian-english-both-causal": (1, 1500, "Trained with causal masks in encoder and cross"),
}


class Data:
    """The corpus as ids: pairs (source with <eos>, target with <bos> and <eos>)."""

    def __init__(self):
        self.parts = language.corpus(CORPUS_SEED)
        every = [sentence for part in self.parts for sentence in part]
        self.words = language.vocabularies(every)
        assert [len(words) for words in self.words] == [250, 140]
        self.ids = [{word: i for i, word in enumerate(words)} for words in self.words]

    def pair(self, sentence):
        source, target = ([ids[word] for word in words]
                          for ids, words in zip(self.ids, (sentence.italian, sentence.english)))
        return source + [EOS], [BOS] + target + [EOS]


def batches(lines, rng):
    """One epoch: batches of sentences of about one length, in random order."""
    lines = rng.sample(lines, len(lines))
    cut = []
    for start in range(0, len(lines), CHUNK):
        chunk = sorted(lines[start:start + CHUNK], key=lambda p: len(p[1]) + 3 * rng.random())
        cut += [chunk[i:i + BATCH] for i in range(0, len(chunk), BATCH)]
    rng.shuffle(cut)
    return cut


def forever(lines, rng):
    while True:
        yield from batches(lines, rng)


def loss_of(model, masks, pairs, smoothing):
    """(mean cross-entropy of the words and <eos>, share that is right)."""
    source = padded([p[0] for p in pairs])
    read, wanted = padded([p[1][:-1] for p in pairs]), padded([p[1][1:] for p in pairs])
    logits = teacher_forced(model, masks, source, read)
    loss = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD,
                                    label_smoothing=smoothing)
    right = (logits.argmax(-1) == wanted)[wanted != PAD]
    return loss, right.float().mean()


def train(name, lines, sizes):
    layers, steps, _ = MODELS[name]
    torch.manual_seed(SEED)
    model = Translator(layers, *sizes)
    optimizer = torch.optim.Adam(model.parameters(), betas=(.9, .98), eps=1e-9)
    source = forever(lines, random.Random(SEED))
    for step in range(1, steps + 1):
        rate = 2e-3 * min(step / 300, .5 * (1 + math.cos(math.pi * step / steps)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss, _ = loss_of(model, MASKS[name], next(source), smoothing=.02)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.)
        optimizer.step()
        if step % 500 == 0:
            print(f"{name}: step {step}, loss {loss.item():.4f}", flush=True)
    return model


def exact(model, masks, pairs):
    """The share of sentences whose translation is the wanted one, word for word."""
    right = 0
    for i in range(0, len(pairs), 256):
        chunk = pairs[i:i + 256]
        said = generate(model, masks, padded([p[0] for p in chunk]))
        right += sum(a == p[1][1:-1] for a, p in zip(said, chunk))
    return right / len(pairs)


def best_aligned(model, masks, data, sentences):
    """[layer, head] whose cross-attention most often has its largest weight at the aligned word."""
    hits = torch.zeros(len(model.dec), model.dec[0].ca.weights.shape[1])
    for sentence in sentences:
        source, target = data.pair(sentence)
        teacher_forced(model, masks, torch.tensor([source]), torch.tensor([target[:-1]]))
        rows = language.content_words(sentence)
        wanted = torch.tensor([sentence.alignment[e] for e in rows])
        for l, layer in enumerate(model.dec):
            hits[l] += (layer.ca.weights[0][:, rows].argmax(-1) == wanted).sum(-1)
    return list(divmod(int(hits.argmax()), hits.shape[1]))


def figures(model, masks, held_out, compositional):
    sample = sorted(held_out, key=lambda p: len(p[1]))
    both = [loss_of(model, masks, sample[i:i + 128], 0) for i in range(0, len(sample), 128)]
    counts = torch.tensor([float(sum(len(p[1]) - 1 for p in sample[i:i + 128]))
                           for i in range(0, len(sample), 128)])
    loss, accuracy = ((torch.stack(f) * counts).sum() / counts.sum() for f in zip(*both))
    return {"held_out": round(exact(model, masks, held_out), 4),
            "compositional": round(exact(model, masks, compositional), 4),
            "loss": round(loss.item(), 4), "accuracy": round(accuracy.item(), 4)}


@torch.no_grad()
def export(name, model, data, folder):
    """Writes the file, reads it back, and writes it again with the figures of what is in it."""
    layers, steps, title = MODELS[name]
    path, masks = folder / f"{name}.safetensors", MASKS[name]
    model.es.weight[PAD] = 0
    metadata = {"maskscope_model": "1", "source": data.words[0], "target": data.words[1],
                "heads": "4", "max_source": str(MAX_SOURCE), "max_target": str(MAX_TARGET),
                "masks": masks, "title": title, "seed": str(SEED), "steps": str(steps)}
    write_safetensors(path, model.state_dict(), as_strings(metadata))
    model, _ = read_safetensors(path)
    held_out, compositional = ([data.pair(s) for s in part] for part in data.parts[1:])
    metadata["figures"] = figures(model, masks, held_out, compositional)
    metadata["alignment"] = best_aligned(model, masks, data, data.parts[1])
    write_safetensors(path, model.state_dict(), as_strings(metadata))
    print(f"{name}: {metadata['figures']}, alignment {metadata['alignment']}", flush=True)


def as_strings(metadata):
    return {key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for key, value in metadata.items()}


def has_openblas():
    torch.ones(8, 8) @ torch.ones(8, 8)
    return "libopenblas" in pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Trains the translators of this folder.")
    parser.add_argument("names", nargs="*", default=list(MODELS), metavar="NAME")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if not has_openblas():
        print("train.py: this PyTorch is without OpenBLAS (libopenblas0-pthread): slower, and "
              "other bytes", file=sys.stderr)
    data = Data()
    lines = [data.pair(s) for s in data.parts[0] for _ in range(language.repeats(s))]
    for name in arguments.names:
        export(name, train(name, lines, map(len, data.words)), data, arguments.out)


if __name__ == "__main__":
    main()
