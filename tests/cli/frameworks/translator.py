"""Compares scenes of translators with an independent implementation in PyTorch.

translator.py MASKSCOPE MODELS [COUNT]: COUNT (40) made scenes, of all four models, with masks of
every apply mode, caps, normalizers, dtypes, heads off, batches of unlike lengths, with and without
targets; and files of every type that is read. What `maskscope compute` writes must be what this
file computes from the model's file, and the script of `maskscope pytorch` must agree (of every
fourth scene).
Status 77 where torch is not installed.
"""
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    from torch.nn import functional
except ImportError:
    sys.exit(77)

maskscope, models = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 40
torch.set_num_threads(1)
PAD, BOS, EOS = "<pad>", "<bos>", "<eos>"
# float32: sums are taken in another order here. The 16-bit types: two steps at 1, because a result
# halfway between two numbers may be rounded either way.
TOLERANCE = {"float64": 1e-9, "float32": 1e-5, "float16": 2 ** -10, "bfloat16": 2 ** -7}
FILE_TYPES = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32,
              "F64": torch.float64}


class Model:
    def __init__(self, path):
        data = path.read_bytes()
        size, = struct.unpack("<Q", data[:8])
        header = json.loads(data[8:8 + size])
        meta = header.pop("__metadata__")
        self.source, self.target, self.masks = (json.loads(meta[k])
                                                for k in ("source", "target", "masks"))
        self.heads, self.max_target = int(meta["heads"]), int(meta["max_target"])
        self.tensors = {}
        for name, entry in header.items():
            begin, end = (8 + size + at for at in entry["data_offsets"])
            numbers = torch.frombuffer(bytearray(data[begin:end]),
                                       dtype=FILE_TYPES[entry["dtype"]])
            self.tensors[name] = numbers.reshape(entry["shape"])
        self.layers = {side: 1 + max(int(name.split(".")[1]) for name in self.tensors
                                     if name.startswith(side)) for side in ("enc", "dec")}


def write_as(path, file_type, source):
    """Returns the model's file, its numbers rounded to another type."""
    data = source.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header, blob = {"__metadata__": json.loads(data[8:8 + size])["__metadata__"]}, b""
    for name, tensor in Model(source).tensors.items():
        numbers = tensor.to(FILE_TYPES[file_type])
        if file_type == "BF16":
            numbers = numbers.view(torch.int16)  # NumPy has no bfloat16
        data = numbers.numpy().tobytes()
        header[name] = {"dtype": file_type, "shape": list(tensor.shape),
                        "data_offsets": [len(blob), len(blob) + len(data)]}
        blob += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + blob)


# --- one attention, as the scene format says

def allowed_by(layer, n_q, n_k, h, rows, keys, start):
    """Returns the mask [n_q, n_k]; rows, keys: their tokens."""
    i, j = torch.arange(n_q)[:, None], torch.arange(n_k)[None, :]
    p = i + start
    kind = layer["kind"]
    if kind == "causal":
        align = layer.get("align", "top_left")
        here = j <= i + {"top_left": 0, "bottom_right": n_k - n_q, "positions": start}[align]
    elif kind == "padding":
        here = torch.tensor([[key != PAD for key in keys]]).expand(n_q, n_k)
    elif kind == "padding_queries":
        here = torch.tensor([[row != PAD] for row in rows]).expand(n_q, n_k)
    elif kind == "window":
        here = (-layer["left"] <= j - p) & (j - p <= layer["right"])
    elif kind == "sinks":
        here = (j < layer["count"]).expand(n_q, n_k)
    elif kind == "blocked":
        here = torch.ones(n_q, n_k, dtype=torch.bool)
        for a, b in layer["cells"]:
            if a < n_q and b < n_k:
                here[a, b] = False
    else:
        raise ValueError(kind)
    return ~here if layer.get("invert") else here.clone()


def mask_of(mask, n_q, n_k, heads, rows, keys, start):
    allowed = torch.ones(heads, n_q, n_k, dtype=torch.bool)
    for layer in mask.get("layers", []):
        if layer["kind"] == "alibi":
            continue
        here = allowed_by(layer, n_q, n_k, heads, rows, keys, start)
        for h in layer.get("heads", range(heads)):
            allowed[h] &= here
    bias = torch.zeros(heads, n_q, n_k, dtype=torch.float64)
    for layer in mask.get("layers", []):
        if layer["kind"] == "alibi":
            distance = (torch.arange(n_q)[:, None] + start - torch.arange(n_k)).abs().double()
            for h in layer.get("heads", range(heads)):
                bias[h] -= 2 ** (-8 * (h + 1) / heads) * distance
    return allowed, bias


def normalized(x, kind):
    if kind == "sigmoid":
        return 1 / (1 + torch.exp(-x))
    sink = None if kind == "softmax" else 0. if kind == "softmax_plus_one" else kind["sink"]
    top = x.max(-1, keepdim=True).values
    if sink is not None:
        top = top.clamp(min=sink)
    e = torch.exp(x - top)
    total = e.sum(-1, keepdim=True) + (0 if sink is None else torch.exp(sink - top))
    return torch.where(torch.isfinite(top), e / total, torch.tensor(math.nan, dtype=x.dtype))


def attend(q, k, v, variant, allowed, bias):
    """Returns the stages by name. q: [h, n_q, d]; k, v: [h, n_k, d]; float64."""
    dtype = getattr(torch, variant.get("dtype", "float32"))
    rounded = lambda x: x.to(dtype).double()
    q, k, v = map(rounded, (q, k, v))
    mask = variant.get("mask", {})
    scale = variant.get("scale", "sqrt_d_k")
    factor = {"sqrt_d_k": 1 / math.sqrt(q.shape[-1]), "sqrt_n_k": 1 / math.sqrt(k.shape[1]),
              "none": 1.}.get(scale, scale)
    value = mask.get("value", "-inf")
    value = {"-inf": -math.inf, "lowest": torch.finfo(dtype).min}.get(value, value)
    value = rounded(torch.tensor(float(value), dtype=torch.float64))
    apply = mask.get("apply", "additive")
    scores = rounded(q @ k.transpose(-1, -2))
    scaled = rounded(scores * factor)
    x = scaled
    cap = variant.get("softcap")
    if cap:
        x = cap["cap"] * torch.tanh(x / cap["cap"])
    x = x + bias
    if apply == "additive":
        x = x + torch.where(allowed, torch.zeros((), dtype=torch.float64), value)
    elif apply == "replace":
        x = torch.where(allowed, x, value)
    elif apply == "multiply_scores":
        x = x * allowed
    logits = rounded(x)
    softmax = rounded(normalized(logits, variant.get("normalizer", "softmax")))
    weights = softmax
    if apply.startswith("multiply_weights"):
        weights = weights * allowed
        if apply.endswith("renormalized"):
            weights = weights / weights.sum(-1, keepdim=True)
        weights = rounded(weights)
    if variant.get("empty_rows", "nan") != "nan" and apply != "none":
        weights = torch.where(allowed.any(-1, keepdim=True), weights,
                              torch.zeros((), dtype=torch.float64))
    return {"allowed": allowed, "scores": scores, "scaled": scaled, "logits": logits,
            "softmax": softmax, "weights": weights, "output": rounded(weights @ v)}


# --- one pass of one sequence

class Pass:
    def __init__(self, model, scene, variant):
        self.model, self.variant, self.inputs = model, variant, scene["inputs"]
        self.dtype = torch.float64 if variant.get("dtype") == "float64" else torch.float32
        self.t = {name: tensor.to(self.dtype) for name, tensor in model.tensors.items()}
        self.kept = {}

    def linear(self, x, name):
        return functional.linear(x, self.t[name + ".weight"], self.t[name + ".bias"])

    def norm(self, x, name):
        return functional.layer_norm(x, x.shape[-1:], self.t[name + ".weight"],
                                     self.t[name + ".bias"], 1e-5)

    def embed(self, table, ids):
        e = self.t[table]
        d = e.shape[1]
        angle = torch.arange(len(ids), dtype=torch.float64)[:, None] * 10000. ** (
            -torch.arange(0, d, 2, dtype=torch.float64) / d)
        pe = torch.stack([angle.sin(), angle.cos()], -1).reshape(len(ids), d)
        return math.sqrt(d) * e[ids] + pe.to(self.dtype)

    def ff(self, x, name):
        return self.linear(torch.relu(self.linear(x, name + ".0")), name + ".2")

    def attention(self, kind, layer, name, x, y, rows, keys, start):
        shown = kind == self.inputs["attention"]
        rule = self.variant if shown else {
            "mask": self.model.masks[kind],
            "dtype": "float64" if self.dtype == torch.float64 else "float32"}
        heads = self.model.heads
        split = lambda t: t.reshape(len(t), heads, -1).transpose(0, 1).double()
        q, k, v = (split(self.linear(t, f"{name}.{part}"))
                   for part, t in (("q", x), ("k", y), ("v", y)))
        allowed, bias = mask_of(rule["mask"] if "mask" in rule else {}, len(x), len(y), heads, rows,
                                keys, start if shown else 0)
        stages = attend(q, k, v, rule, allowed, bias)
        if shown and layer == self.inputs.get("layer", 0):
            for h in self.variant.get("heads_off", []):
                stages["output"][h] = 0
            self.kept = stages
        joined = stages["output"].transpose(0, 1).flatten(1).to(self.dtype)
        return self.linear(joined, name + ".o")

    def logits(self, source, words, start):
        ids = [self.model.source.index(word) for word in source]
        x = self.embed("es.weight", ids)
        for l in range(self.model.layers["enc"]):
            y = self.norm(x, f"enc.{l}.n1")
            x = x + self.attention("encoder", l, f"enc.{l}.sa", y, y, source, source, 0)
            x = x + self.ff(self.norm(x, f"enc.{l}.n2"), f"enc.{l}.ff")
        z = self.norm(x, "ne")
        x = self.embed("et.weight", [self.model.target.index(word) for word in words])
        for l in range(self.model.layers["dec"]):
            y = self.norm(x, f"dec.{l}.n1")
            x = x + self.attention("decoder", l, f"dec.{l}.sa", y, y, words, words, 0)
            y = self.norm(x, f"dec.{l}.n2")
            x = x + self.attention("cross", l, f"dec.{l}.ca", y, z, words, source, start)
            x = x + self.ff(self.norm(x, f"dec.{l}.n3"), f"dec.{l}.ff")
        return functional.linear(self.norm(x, "nd"), self.t["et.weight"], self.t["b"])


def with_eos(source, length):
    words = [word for word in source if word != PAD]
    tokens = words + [EOS] + source[len(words):]
    return tokens + [PAD] * (length - len(tokens))


def run(model, scene, variant):
    """Returns labels, translations, stages by name [b, …], and the smallest lead of a chosen logit."""
    sequences = scene["sequences"]
    length = max(len(s["source"]) + 1 for s in sequences)
    sources = [with_eos(s["source"], length) for s in sequences]
    starts = [s.get("start", 0) for s in sequences]
    a_pass = Pass(model, scene, variant)
    said, lead = [], math.inf
    for b, s in enumerate(sequences):
        if "target" in s:
            said.append(s["target"] + [EOS])
            continue
        words = []
        while len(words) < model.max_target and (not words or words[-1] not in (EOS, "NaN")):
            last = a_pass.logits(sources[b], [BOS] + words, starts[b])[-1]
            if last.isnan().any():
                words.append("NaN")
            else:
                top = last.topk(2).values
                lead = min(lead, float(top[0] - top[1]))
                words.append(model.target[int(last.argmax())])
        said.append(words)
    rows = max(map(len, said))
    stages, translations, losses = {}, [], []
    for b, words in enumerate(said):
        read = ([BOS] + words[:-1] + [PAD] * rows)[:rows]
        logits = a_pass.logits(sources[b], read, starts[b])
        for name, numbers in a_pass.kept.items():
            stages.setdefault(name, []).append(numbers)
        if "target" in sequences[b]:
            mine = logits[:len(words)]
            best = mine.topk(2, dim=-1).values
            lead = min(lead, float((best[:, 0] - best[:, 1]).min()))
            nan = bool(mine.isnan().any())
            translations.append(None if nan else " ".join(model.target[i] for i in mine.argmax(-1)))
            ids = torch.tensor([model.target.index(word) for word in words])
            losses.append(None if nan else float(functional.cross_entropy(mine.double(), ids)))
        else:
            end = -1 if words[-1] == EOS else None
            translations.append(None if words[-1] == "NaN" else " ".join(words[:end]))
    labels = [(words + [PAD] * rows)[:rows] for words in said]
    if scene["inputs"]["attention"] == "encoder":
        labels = sources
    return labels, translations, losses, {n: torch.stack(s) for n, s in stages.items()}, lead


# --- made scenes

def made_sentence(rng, model):
    """Makes words. Real ones are not needed to compare numbers."""
    return [rng.choice(model.source[3:]) for _ in range(rng.randint(1, 8))]


def made_layer(rng, kind):
    layer = {"kind": kind}
    if kind == "window":
        layer |= {"left": rng.randint(0, 3), "right": rng.randint(0, 2)}
    if kind == "sinks":
        layer |= {"count": rng.randint(0, 2)}
    if kind == "blocked":
        layer |= {"cells": [[rng.randint(0, 1), rng.randint(0, 1)] for _ in range(2)]}
    if kind == "causal":
        layer |= {"align": rng.choice(["top_left", "bottom_right", "positions"])}
    if kind != "alibi" and rng.random() < .1:
        layer["invert"] = True
    if rng.random() < .2:
        layer["heads"] = [1, 3]
    return layer


def made_scene(rng, name, model):
    attention = rng.choice(["encoder", "decoder", "cross"])
    side = "enc" if attention == "encoder" else "dec"
    targets = rng.random() < .5
    sequences = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        sequence = {"source": made_sentence(rng, model) + [PAD] * rng.choice([0, 0, 4])}
        if targets:
            sequence["target"] = [rng.choice(model.target[3:]) for _ in range(rng.randint(1, 9))]
        if attention == "cross" and rng.random() < .3:
            sequence["start"] = rng.randint(0, 2)
        sequences.append(sequence)
    variants = []
    for k in range(3):
        kinds = rng.sample(["causal", "padding", "padding_queries", "window", "sinks", "blocked",
                            "alibi"], rng.choice([0, 1, 1, 2]))
        mask = {"layers": [made_layer(rng, kind) for kind in kinds],
                "apply": rng.choice(["additive", "additive", "replace", "multiply_scores",
                                     "multiply_weights", "multiply_weights_renormalized", "none"]),
                "value": rng.choice(["-inf", "-inf", "lowest", -1e4])}
        variant = {"name": str(k), "mask": mask, "scale": rng.choice(["sqrt_d_k", "none", .5,
                                                                       "sqrt_n_k"]),
                   "normalizer": rng.choice(["softmax"] * 3 + ["softmax_plus_one", "sigmoid",
                                            {"kind": "softmax_sink", "sink": .5}]),
                   "empty_rows": rng.choice(["nan", "zero"]),
                   "dtype": rng.choice(["float32", "float32", "float64", "float16", "bfloat16"])}
        if rng.random() < .2:
            variant["softcap"] = {"cap": 5}
        if rng.random() < .3:
            variant["heads_off"] = rng.sample(range(4), 2)
        variants.append(variant)
    return {"maskscope": 1, "sequences": sequences, "variants": variants,
            "inputs": {"kind": "model", "model": name, "attention": attention,
                       "layer": rng.randrange(model.layers[side])}}


def differences(ours, theirs, variant, lead):
    labels, translations, losses, stages, _ = theirs
    if lead < 1e-3 and variant["dtype"] in ("float32", "float64"):
        return []  # rounding decides which word is chosen
    summary = json.loads((ours / "summary.json").read_text())
    found = []
    narrow = variant["dtype"] in ("float16", "bfloat16")
    if narrow and summary["queries"] != labels:
        return []  # rounding decides here, too
    if summary["queries"] != labels:
        found.append(f"queries {summary['queries']} {labels}")
    if summary["translation"] != translations:
        found.append(f"translation {summary['translation']} {translations}")
    for mine, theirs_loss in zip(summary.get("loss", []), losses):
        if (mine is None) != (theirs_loss is None) or (
                mine is not None and abs(mine - theirs_loss) > (.3 if narrow else 1e-4)):
            found.append(f"loss {mine} {theirs_loss}")
    for stage in ("allowed", "weights", "output"):
        mine = torch.from_numpy(np.load(ours / f"{stage}.npy").astype(float))
        tolerance = TOLERANCE[variant["dtype"]] * (10 if stage == "output" else 1)
        if mine.shape != stages[stage].shape:
            found.append(f"{stage}: shape {mine.shape} {stages[stage].shape}")
        elif not torch.allclose(mine, stages[stage].double(), rtol=tolerance, atol=tolerance,
                                equal_nan=True):
            worst = (mine - stages[stage]).abs().nan_to_num().max()
            found.append(f"{stage}: differs by {worst}")
    return found


def wrong_in_script(scene_file, k, variant, summary):
    """Runs the script, which asserts our weights and translation itself, and compares its output."""
    script = subprocess.run([maskscope, "pytorch", scene_file, "--variant", str(k)], check=True,
                            capture_output=True, text=True).stdout
    if variant["dtype"] in ("float16", "bfloat16"):
        script = script.replace("assert ", "checked = ")  # a rounding error grows in the next layer
    left = {"__name__": "script", "__file__": str(models / "script.py")}
    try:
        exec(compile(script, "script", "exec"), left)
    except Exception as error:
        return [f"script: {type(error).__name__}: {error}"]
    if list(left["weights"].shape) != summary["shape"]:
        return [] if variant["dtype"] in ("float16", "bfloat16") else ["script: another shape"]
    return []


# Lists are checked against 16 rows; a step ignores entries beyond its own rows, and so must the scripts.
LISTS = [
    [{"kind": "causal"}, {"kind": "groups", "ids": [0, 0, 1] + [0] * 13}],
    [{"kind": "tree", "parents": [-1, *range(15)]}],
    [{"kind": "documents", "lengths": [2, 3, 11]}, {"kind": "causal"}],
    [{"kind": "global", "tokens": [0, 15]}, {"kind": "causal"}],
    [{"kind": "formula", "allowed": "j <= i && (n_q - j < 5 || pad_j)"}],
    [{"kind": "any", "layers": [{"kind": "window", "left": 1, "right": 0},
                                {"kind": "blocked", "columns": [1, 15], "invert": True}]}],
    [{"kind": "all", "layers": [{"kind": "causal"},
                                {"kind": "allowed", "cells": [[15, 15], [1, 0]],
                                 "invert": True}]}],
    [{"kind": "causal"}, {"kind": "formula_bias", "adds": "-abs(i-j)/n_k"},
     {"kind": "bias", "cells": [[15, 15, 3], [1, 0, 2]]}],
    [{"kind": "causal"}, {"kind": "chunked", "size": 2},
     {"kind": "allowed", "rows": [15, 2], "heads": [1]}],
    [{"kind": "causal"}, {"kind": "blocked", "cells": [[2, 1]], "heads": [0, 2], "rows": [15],
                          "columns": [14]}],
    [{"kind": "formula_bias", "adds": "log(n_k - 4)"}, {"kind": "causal"}],
]


def failures_of_lists(folder):
    scene = {"maskscope": 1, "sequences": [{"source": ["la", "casa", "rossa"]},
                                           {"source": ["anna", "dorme", PAD]}],
             "inputs": {"kind": "model", "model": "italian-english", "attention": "decoder"},
             "variants": [{"name": str(k), "dtype": "float32", "mask": {"layers": layers}}
                          for k, layers in enumerate(LISTS)]}
    (folder / "lists.json").write_text(json.dumps(scene))
    subprocess.run([maskscope, "compute", folder / "lists.json", "--out", folder / "out"],
                   check=True)
    failures = 0
    for k, variant in enumerate(scene["variants"]):
        summary = json.loads((folder / f"out/variant-{k}/summary.json").read_text())
        for found in wrong_in_script(folder / "lists.json", k, variant, summary):
            failures += 1
            print(f"{LISTS[k]}: {found}")
    return failures


def failures_of(scene, model, folder, with_script):
    """Returns the number of variants compared, and the failures."""
    (folder / "scene.json").write_text(json.dumps(scene))
    done = subprocess.run([maskscope, "compute", folder / "scene.json", "--out", folder / "out"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr, json.dumps(scene))
        return 0, 1
    failures = 0
    for k, variant in enumerate(scene["variants"]):
        theirs = run(model, scene, variant)
        here = folder / "out" / f"variant-{k}"
        summary = json.loads((here / "summary.json").read_text())
        wrong = differences(here, theirs, variant, theirs[-1])
        if with_script and theirs[-1] >= 1e-3:
            wrong += wrong_in_script(folder / "scene.json", k, variant, summary)
        for found in wrong:
            failures += 1
            print(f"variant {k}: {found}\n{json.dumps(scene['inputs'])} "
                  f"{json.dumps(scene['sequences'])} {json.dumps(variant)}")
    return len(scene["variants"]), failures


def main():
    rng = random.Random(7)
    every = {path.stem: Model(path) for path in sorted(models.glob("italian-english*.safetensors"))}
    failures = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        failures += failures_of_lists(folder)
        for number in range(count):
            name = rng.choice(list(every))
            scene = made_scene(rng, name, every[name])
            more = failures_of(scene, every[name], folder, number % 4 == 0)
            compared, failures = compared + more[0], failures + more[1]
        for file_type in FILE_TYPES:
            path = folder / f"{file_type}.safetensors"
            write_as(path, file_type, models / "italian-english.safetensors")
            model = Model(path)
            for _ in range(2):
                more = failures_of(made_scene(rng, path.name, model), model, folder, False)
                compared, failures = compared + more[0], failures + more[1]
    print(f"{compared} variants compared, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
