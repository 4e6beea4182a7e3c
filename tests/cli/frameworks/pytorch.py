"""Runs the scripts that `maskscope pytorch` writes and compares their output with `compute`.

pytorch.py MASKSCOPE DATA [--all]: golden scenes, steps of lessons, and made scenes for every apply
mode, mask rule, score, normalizer and policy (with --all: every combination of dtype too).
Status 77 where torch is not installed.
"""
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    sys.exit(77)

maskscope, data = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
every = "--all" in sys.argv

# Relative and absolute tolerances. Sums are taken in another order here, and a result halfway between
# two 16-bit numbers may be rounded either way, so those of 16-bit dtypes are about two steps.
tolerances = {"float64": 1e-9, "float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}
failures = []
checked = []


def run(*arguments):
    return subprocess.run([maskscope, *map(str, arguments)], check=True, capture_output=True,
                          text=True).stdout


def read_npy(path):
    content = path.read_bytes()
    end = 10 + int.from_bytes(content[8:10], "little")
    header = eval(content[10:end].decode("latin1"))
    kind = {"<f4": torch.float32, "<f8": torch.float64}[header["descr"]]
    return torch.frombuffer(bytearray(content[end:]), dtype=kind).double().reshape(header["shape"])


def execute(script, beside):
    """Runs the script as if it were in the folder `beside`, and returns its variables."""
    names = {"__name__": "script"}
    if beside:
        names["__file__"] = str(beside / "script.py")
    exec(compile(script, "script", "exec"), names)
    return names


def check(scene, label, beside=None):
    with tempfile.TemporaryDirectory() as folder:
        run("compute", scene, "--out", folder)
        for place in sorted(pathlib.Path(folder).glob("variant-*")):
            variant = int(place.name.split("-")[1])
            try:
                check_variant(scene, variant, place, beside)
            except Exception as error:  # an assertion of the script, or of ours
                failures.append(f"{label}, variant {variant}: {type(error).__name__}: {error}")


def check_variant(scene, variant, place, beside):
    checked.append(variant)
    left = execute(run("pytorch", scene, "--variant", variant), beside)
    # A translator's script has no dtype; those of the lessons are float32.
    tolerance = tolerances[str(left.get("dtype", torch.float32)).split(".")[1]]
    for stage in ("weights", "output"):
        ours = read_npy(place / f"{stage}.npy") if (place / f"{stage}.npy").exists() else None
        theirs = left[stage]
        assert (ours is None) == (theirs is None), f"{stage} is there on one side alone"
        if ours is None:
            continue
        assert ours.shape == theirs.shape, f"{stage}: {ours.shape} and {theirs.shape}"
        finite = ours[ours.isfinite()]
        extent = finite.abs().max().item() if finite.numel() else 0
        assert torch.allclose(ours, theirs, rtol=tolerance,
                              atol=tolerance * max(1, extent), equal_nan=True), f"{stage} differs"


# --- made scenes

layers = {
    "none": [], "causal": [{"kind": "causal"}],
    "bottom_right": [{"kind": "causal", "align": "bottom_right"}],
    "padding": [{"kind": "padding"}], "padding_queries": [{"kind": "padding_queries"}],
    "window": [{"kind": "window", "left": 1, "right": 0}],
    "prefix": [{"kind": "prefix", "length": 2}], "sinks": [{"kind": "sinks", "count": 2}],
    "documents": [{"kind": "documents", "lengths": [2, 2]}],
    "painted": [{"kind": "blocked", "cells": [[0, 1], [3, 3]], "rows": [2]},
                {"kind": "blocked", "columns": [0], "heads": [1]},
                {"kind": "allowed", "cells": [[2, 1]], "columns": [3], "heads": [0]}],
    "biases": [{"kind": "causal"}, {"kind": "alibi", "heads": [1]},
               {"kind": "bias", "cells": [[1, 0, -2.5], [1, 0, 0.5]]},
               {"kind": "bias", "cells": [[2, 1, 3]], "heads": [0]}],
}
masks = [{"apply": "none"}, {"apply": "multiply_scores"}, {"apply": "multiply_weights"},
         {"apply": "multiply_weights_renormalized"}]
masks += [{"apply": apply, "value": value, "times": times} for apply, value, times in
          itertools.product(["additive", "replace"], ["-inf", "lowest", -1e9, -1e4, -1], [1, 2])]
scores = [{"kind": kind} for kind in ("dot", "gaussian", "bilinear", "additive")]
policies = ["nan", "zero", "zero_after"]
dtypes = list(tolerances)


def variants():
    """Yields variants with all combinations of rules, masks and orders; the rest follows from a count."""
    count = 0
    for (layer, listed), mask, order in itertools.product(
            layers.items(), masks, ["scale_then_mask", "mask_then_scale"]):
        for dtype in dtypes if every else [dtypes[count % 4]]:
            score = scores[count % 4]
            output = ["values", "projected", "alternative"][count % 3]
            yield {"name": f"{layer} {json.dumps(mask)} {dtype}", "score": score,
                   "scale": ["sqrt_d_k", "sqrt_n_k", "none", 0.25][count // 4 % 4],
                   "mask": {"layers": listed, "order": order, **mask},
                   "normalizer": ["softmax", "softmax_plus_one"][count // 3 % 2],
                   "empty_rows": policies[count // 5 % 3], "dtype": dtype,
                   "output": {"kind": output}}
            count += 1


def made_scenes():
    sequences = [{"queries": ["a", "b", "a", "<pad>"]}, {"queries": ["c", "\"\\", "é"]}]
    embedding = {"kind": "embedding", "seed": 5, "heads": 2, "d_k": 3, "d_v": 2, "d_model": 8}
    all_variants = list(variants())
    for first in range(0, len(all_variants), 26):
        yield {"maskscope": 1, "sequences": sequences, "inputs": embedding,
               "variants": all_variants[first:first + 26]}
    patterns = [{"pattern": name, "strength": 3} for name in
                ("previous", "next", "self", "first", "local", "same_token", "induction",
                 "uniform", "random")]
    yield {"maskscope": 1, "sequences": sequences,
           "inputs": {"kind": "patterns", "heads": patterns, "seed": 2**53 - 1, "d_v": 2},
           "variants": [{"name": "patterns", "mask": {"layers": layers["causal"]},
                         "output": {"kind": "projected"}}]}
    layer = {"inputs": embedding, "variant": {"name": "first", "dtype": "bfloat16",
                                              "mask": {"layers": layers["padding"]}}}
    cross = [{"queries": ["a", "b"], "keys": ["x", "y", "<pad>"]}]
    yield {"maskscope": 1, "sequences": cross,
           "inputs": {"kind": "output", "of": layer, "keys": layer},
           "variants": [{"name": "second", "mask": {"layers": layers["padding"]}}]}
    placed = [{"queries": ["a", "b"], "keys": ["x", "y", "<pad>"], "positions": [1, 7],
               "key_positions": [0, 6, 7]}]
    yield {"maskscope": 1, "sequences": placed,
           "inputs": {"kind": "output", "of": layer, "keys": layer},
           "variants": [{"name": "below", "mask": {"layers": layers["padding"]}}]}
    by_position = [{"kind": "causal", "align": "positions"},
                   {"kind": "window", "left": 4, "right": 1}, {"kind": "prefix", "length": 1},
                   {"kind": "chunked", "size": 4}, {"kind": "block_causal", "size": 3},
                   {"kind": "global", "tokens": [1]}, {"kind": "alibi", "heads": [1]},
                   {"kind": "formula", "allowed": "pow(i - j, 2) < 40"}]
    yield {"maskscope": 1, "inputs": embedding,
           "sequences": placed + [{"queries": ["c", "d"], "keys": ["z"], "start": 3}],
           "variants": [{"name": f"placed {rule['kind']}", "mask": {"layers": [rule]},
                         "empty_rows": "all"} for rule in by_position]}
    ids = [{"kind": "groups", "ids": [[0, 0, 1, 1], [1, 0, 0, -1]]},
           {"kind": "documents", "lengths": [[1, 3], [2, 2]]}]
    tensors = [{"kind": "tensor", "allowed": [[True, False, True, True]] * 4},
               {"kind": "tensor", "allowed": "mask.safetensors:m", "heads": [1]},
               {"kind": "any", "layers": [{"kind": "tensor", "allowed": "mask.safetensors:f",
                                           "invert": True}, {"kind": "causal"}]},
               {"kind": "bias", "tensor": [[[x - h for x in range(4)]] * 4 for h in range(2)]}]
    yield {"maskscope": 1, "sequences": sequences, "inputs": embedding, "variants": [
        {"name": "lists and tensors", "mask": {"layers": [rule], "apply": apply},
         "empty_rows": "all"} for rule in ids + tensors
        for apply in ("additive", "multiply_weights_renormalized")]}
    yield {"maskscope": 1, "sequences": sequences, "inputs": dict(embedding, heads=3), "variants": [
        {"name": "scales", "dtype": dtype, "mask": {"layers": [{"kind": "alibi", **slopes}],
                                                    "order": order}, "scale": scale}
        for dtype, slopes, (order, scale) in itertools.product(
            dtypes, [{}, {"slopes": "geometric"}],
            [("scale_then_mask", {"formula": "0.5 + pad_i + pow(2, -h) * i"}),
             ("mask_then_scale", {"formula": "1 + b"}), ("queries_first", "sqrt_d_k")])]}


def write_mask(folder):
    """Writes two masks of four queries and keys: booleans of two heads, and floats."""
    header = json.dumps({"m": {"dtype": "BOOL", "shape": [2, 4, 4], "data_offsets": [0, 32]},
                         "f": {"dtype": "F32", "shape": [4, 4], "data_offsets": [32, 96]}})
    truths = bytes(k % 3 % 2 for k in range(32))
    floats = torch.tensor([0.0 if k % 3 else -math.inf for k in range(16)]).numpy().tobytes()
    (folder / "mask.safetensors").write_bytes(
        len(header).to_bytes(8, "little") + header.encode() + truths + floats)


with tempfile.TemporaryDirectory() as folder:
    write_mask(pathlib.Path(folder))
    for number, scene in enumerate(made_scenes()):
        path = pathlib.Path(folder) / f"{number}.json"
        path.write_text(json.dumps(scene))
        check(path, f"made scene {number}", path.parent)
for scene in sorted(data.glob("golden/**/scene.json")):
    check(scene, scene.parent.name, scene.parent)
models = data.parent.parent / "assets" / "models"
for line in run("lessons").splitlines():
    name, steps, _ = line.split("\t")
    for step in range(1, int(steps) + 1):
        check(f"lesson:{name}/{step}", f"lesson:{name}/{step}", models)
print("\n".join(failures) or f"{len(checked)} scripts give our weights and output")
sys.exit(1 if failures or len(checked) < 500 else 0)
