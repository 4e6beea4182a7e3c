"""Writes logits of PyTorch for 500 held-out sentences under every mask of the tables "what breaks".

make_translator.py, with Debian's python3-torch, writes tests/data/translator.json, which has the
sentences and cases, and translator.npz, which has an array [rows, 2] for each case: for each row of
each sentence the logits of the wanted word and of another word, which changes from row to row.
make_translator.py --every GOLDEN_TESTS writes the logits of all words instead, in float64 too, to a
folder, and runs GOLDEN_TESTS to compare with them. The status is 77 if torch is not installed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[2]
MODELS = TESTS.parent / "assets/models"
GOLDEN_TESTS = sys.argv[2] if sys.argv[1:2] == ["--every"] else None
sys.argv = ["translator.py", "", str(MODELS)]
sys.path += [str(TESTS / "cli/frameworks"), str(MODELS)]
sys.dont_write_bytecode = True

import translator  # noqa: E402, status 77

import language  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

SENTENCES = 500
STEP = {torch.float32: 2 ** -14, torch.float64: 2 ** -33}  # logits are rounded, to pack well


def variant(*kinds, apply="additive", value="-inf", **settings):
    layers = [{"kind": kind} for kind in kinds]
    return {"name": "broken", "mask": {"layers": layers, "apply": apply, "value": value}} | settings


def case(attention, variant, pads=0, layer=0, model="italian-english", bare_cross=False):
    """Returns a case. bare_cross: removes the mask of the model's own cross-attention."""
    inputs = {"kind": "model", "model": model, "attention": attention, "layer": layer}
    return {"inputs": inputs, "variant": variant, "pads": pads, "bare_cross": bare_cross}


NO_CAUSAL, MULTIPLIED, BOTH_CAUSAL = (f"italian-english-{name}" for name in
                                      ("no-causal", "multiplied", "both-causal"))
CASES = [
    case("cross", variant("padding")),
    case("cross", variant("causal")),
    case("cross", variant(), pads=4),
    case("encoder", variant(), pads=4),
    case("encoder", variant(), pads=4, bare_cross=True),
    case("encoder", variant("padding_queries"), pads=1),
    *[case("cross", variant("padding", heads_off=[h]), layer=layer)
      for layer in range(2) for h in range(4)],
    *[case(attention, variant(kind, scale="none")) for attention, kind in
      (("encoder", "padding"), ("decoder", "causal"), ("cross", "padding"))],
    case("decoder", variant()),
    *[case("decoder", variant("causal", apply=apply)) for apply in
      ("multiply_weights", "multiply_scores", "multiply_weights_renormalized")],
    case("decoder", variant("causal", value=-1e9)),
    case("cross", variant("padding", value=-1e4), pads=2),
    case("cross", variant("padding", scale="sqrt_n_k"), pads=2),
    case("decoder", variant("padding"), model=NO_CAUSAL),
    case("decoder", variant("causal"), model=NO_CAUSAL),
    case("decoder", variant("causal", apply="multiply_weights"), model=MULTIPLIED),
    case("decoder", variant("causal"), model=MULTIPLIED),
    case("cross", variant("padding", "causal"), model=BOTH_CAUSAL),
    case("cross", variant("padding"), model=BOTH_CAUSAL),
    case("cross", variant("padding", dtype="float64")),
    case("decoder", variant(dtype="float64")),
]


def every_case():
    wide = [one | {"variant": one["variant"] | {"dtype": "float64"}} for one in CASES
            if "dtype" not in one["variant"]]
    return CASES + wide


def columns(rows, wanted, words):
    """Returns word ids [rows, 2]: that of the wanted word, and that of another word."""
    others = torch.arange(rows) * 37 % words  # 37 and 140 have no divisor in common
    return torch.stack([torch.tensor(wanted), others], dim=1)


def logits_of(one, sentences, every):
    """Returns logits: [rows of all sentences, 2 or words]."""
    model = translator.Model(MODELS / f"{one['inputs']['model']}.safetensors")
    if one["bare_cross"]:
        model.masks["cross"] = {}
    a_pass = translator.Pass(model, {"inputs": one["inputs"]}, one["variant"])
    found, wanted = [], []
    for sentence in sentences:
        source = sentence["source"] + [translator.PAD] * one["pads"]
        found.append(a_pass.logits(translator.with_eos(source, len(source) + 1),
                                   [translator.BOS] + sentence["target"], 0))
        wanted += [model.target.index(word) for word in sentence["target"] + [translator.EOS]]
    logits = torch.cat(found)
    if every:
        return logits.numpy()
    logits = logits.gather(1, columns(len(logits), wanted, logits.shape[1]))
    step = STEP[logits.dtype]
    return ((logits / step).round() * step).numpy()


def write(folder, cases, every):
    sentences = [{"source": list(s.italian), "target": list(s.english)}
                 for s in language.corpus(1)[1][:SENTENCES]]
    listed = ["[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in some) + "\n]"
              for some in (sentences, cases)]
    text = f'{{"sentences": {listed[0]},\n"cases": {listed[1]}}}\n'
    (folder / "translator.json").write_text(text, encoding="utf-8")
    with torch.no_grad():
        arrays = {str(k): logits_of(one, sentences, every) for k, one in enumerate(cases)}
    (np.savez if every else np.savez_compressed)(folder / "translator.npz", **arrays)


def main():
    if not GOLDEN_TESTS:
        write(TESTS / "data", CASES, every=False)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder), every_case(), every=True)
        return subprocess.run([GOLDEN_TESTS, "--gtest_filter=Translator.*"],
                              env=os.environ | {"MASKSCOPE_TRANSLATOR": folder}).returncode


if __name__ == "__main__":
    sys.exit(main())
