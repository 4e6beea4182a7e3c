#!/usr/bin/env python3
"""Compares PyTorch's own attention with the variants of assets/frameworks: frameworks.py MASKSCOPE

Exits with 77 (skipped) without PyTorch. Debian's PyTorch 1.13 has MultiheadAttention and, under a
private name, scaled_dot_product_attention as it was before 2.5. Later versions have the public one.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
except ImportError:
    sys.exit(77)

program = sys.argv[1]
folder = pathlib.Path(__file__).resolve().parents[3] / "assets" / "frameworks"
tokens, width = 5, 4
generator = torch.Generator().manual_seed(3)
q, k, v = (torch.randn(1, 1, tokens, width, generator=generator) for _ in range(3))
allowed = torch.ones(tokens, tokens).tril().bool()
allowed[3] = False  # a row without a key


def ours(name):
    """Returns the weights and the output of a variant with the settings of assets/frameworks/NAME.json."""
    framework = json.loads((folder / f"{name}.json").read_text())
    variant = {"name": name, "mask": {"layers": [
        {"kind": "blocked", "cells": [[i, j] for i, j in (~allowed).nonzero().tolist()]}]}}
    for pointer, value in framework["sets"].items():
        at = variant
        *steps, last = pointer.strip("/").split("/")
        for step in steps:
            at = at[step]
        at[last] = value
    scene = {"maskscope": 1, "sequences": [{"queries": [str(i) for i in range(tokens)]}],
             "inputs": {"kind": "tensors", "queries": q.tolist(), "keys": k.tolist(),
                        "values": v.tolist()}, "variants": [variant]}
    with tempfile.TemporaryDirectory() as out:
        path = pathlib.Path(out, "scene.json")
        path.write_text(json.dumps(scene))
        subprocess.run([program, "compute", str(path), "--out", out], check=True)
        return (np.load(f"{out}/variant-0/weights.npy"), np.load(f"{out}/variant-0/output.npy"))


def expect(what, theirs, mine):
    if not np.allclose(theirs, mine, rtol=1e-5, atol=1e-6, equal_nan=True):
        sys.exit(f"{what}:\n{theirs}\nours:\n{mine}")
    print(what, "agrees")


def multihead_attention():
    """Returns weights of MultiheadAttention with identity projections; in its mask, True blocks."""
    layer = torch.nn.MultiheadAttention(width, 1, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(width).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(width))
        _, weights = layer(q[0], k[0], v[0], attn_mask=~allowed, need_weights=True)
    return weights[None].numpy()


expect("MultiheadAttention", multihead_attention(), ours("pytorch-multihead-attention")[0])

version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
functional = torch.nn.functional
if hasattr(functional, "scaled_dot_product_attention"):
    theirs = functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
    name = "pytorch-sdpa" if version >= (2, 5) else "pytorch-sdpa-before-2.5"
else:
    theirs, _ = functional._scaled_dot_product_attention(q, k, v, allowed, 0.0, True, False)
    name = "pytorch-sdpa-before-2.5"
expect(f"scaled_dot_product_attention of {torch.__version__}", theirs.numpy(), ours(name)[1])
