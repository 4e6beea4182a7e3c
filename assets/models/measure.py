"""What breaks, measured on the files of this folder: the table of README.md.

    python3 assets/models/measure.py build/maskscope [COUNT]

COUNT (500) held-out sentences are translated under each broken mask; 40 are read teacher-forced.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import language

MASKSCOPE = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 500


def mask(*kinds, **settings):
    return {"mask": {"layers": [{"kind": kind} for kind in kinds]} | settings}


# what it is called, attention, settings of the variant, pads behind the sentence
BROKEN = [
    ("as trained", "cross", mask("padding"), 0),
    ("causal mask on cross-attention", "cross", mask("causal"), 0),
    ("no padding mask on cross-attention, four pads", "cross", mask(), 4),
    ("no padding mask in the encoder, four pads", "encoder", mask(), 4),
    ("row mask in the encoder (`padding_queries`), a pad", "encoder", mask("padding_queries"), 1),
    *[(f"head {h + 1} of cross-attention off, layer {layer}", "cross",
       mask("padding") | {"heads_off": [h], "layer": layer}, 0)
      for layer in range(2) for h in range(4)],
    ("1/√d_k left out, encoder", "encoder", mask("padding") | {"scale": "none"}, 0),
    ("1/√d_k left out, decoder", "decoder", mask("causal") | {"scale": "none"}, 0),
    ("1/√d_k left out, cross", "cross", mask("padding") | {"scale": "none"}, 0),
    ("decoder without causal mask", "decoder", mask(), 0),
    ("decoder's mask multiplied after the softmax", "decoder",
     mask("causal", apply="multiply_weights"), 0),
    ("decoder's mask multiplied before the softmax", "decoder",
     mask("causal", apply="multiply_scores"), 0),
    ("−1e9 for −∞, decoder", "decoder", mask("causal", value=-1e9), 0),
    ("−1e4 for −∞, decoder", "decoder", mask("causal", value=-1e4), 0),
    ("multiplied and renormalised, decoder", "decoder",
     mask("causal", apply="multiply_weights_renormalized"), 0),
    ("1/√n, cross", "cross", mask("padding") | {"scale": "sqrt_n_k"}, 0),
]
WRONGLY_TRAINED = ["italian-english-no-causal", "italian-english-multiplied",
                   "italian-english-both-causal"]


def own_masks(model):
    data = (pathlib.Path(__file__).parent / f"{model}.safetensors").read_bytes()
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
    return json.loads(header["__metadata__"]["masks"])


def scene(model, attention, variant, sequence):
    variant = {"name": "measured"} | variant
    inputs = {"kind": "model", "model": model, "attention": attention,
              "layer": variant.pop("layer", 0)}
    return json.dumps({"maskscope": 1, "sequences": [sequence], "inputs": inputs,
                       "variants": [variant]})


def right(folder, model, attention, variant, pads, sentences):
    """The share that is translated right, word for word."""
    (folder / "scene.json").write_text(scene(model, attention, variant, {"source": ["la"]}))
    lines = "".join(" ".join(s.italian) + " <pad>" * pads + "\n" for s in sentences)
    said = subprocess.run([MASKSCOPE, "translate", "--scene", folder / "scene.json"], check=True,
                          input=lines, capture_output=True, text=True).stdout.splitlines()
    return sum(a == " ".join(s.english) for a, s in zip(said, sentences)) / len(sentences)


def forced(folder, model, attention, variant, pads, sentences):
    """(loss, accuracy) over the words of all sentences, read teacher-forced."""
    loss = accuracy = words = 0
    for s in sentences:
        sequence = {"source": list(s.italian) + ["<pad>"] * pads, "target": list(s.english)}
        (folder / "scene.json").write_text(scene(model, attention, variant, sequence))
        subprocess.run([MASKSCOPE, "compute", folder / "scene.json", "--out", folder / "out"],
                       check=True)
        summary = json.loads((folder / "out/variant-0/summary.json").read_text())
        rows = len(s.english) + 1
        if summary["loss"][0] is None:
            return None, None
        loss, words = loss + summary["loss"][0] * rows, words + rows
        accuracy += summary["accuracy"][0] * rows
    return loss / words, accuracy / words


def shown(x):
    return "NaN" if x is None else f"{x:.4f}"


def main():
    held_out = language.corpus(1)[1][:COUNT]
    few = held_out[:40]
    ahead = [s for s in held_out if "look-ahead" in s.tags]
    plain = [s for s in held_out if "look-ahead" not in s.tags]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        print("| broken at inference | generating | loss | accuracy |\n| --- | --- | --- | --- |")
        for name, *case in BROKEN:
            share = right(folder, "italian-english", *case, held_out)
            loss, accuracy = forced(folder, "italian-english", *case, few)
            print(f"| {name} | {share:.3f} | {shown(loss)} | {shown(accuracy)} |", flush=True)
        for name, some in (("without look-ahead", plain), ("with look-ahead", ahead)):
            share = right(folder, "italian-english", "cross", mask("causal"), 0, some)
            print(f"| causal mask on cross-attention, sentences {name} | {share:.3f} | | |")
        print("\n| trained with a wrong mask | generating | loss | accuracy |")
        print("| --- | --- | --- | --- |")
        for model in WRONGLY_TRAINED:
            case = ("cross", {"mask": own_masks(model)["cross"]}, 0)
            share = right(folder, model, *case, held_out)
            loss, accuracy = forced(folder, model, *case, few)
            print(f"| `{model}` | {share:.3f} | {shown(loss)} | {shown(accuracy)} |", flush=True)
            mended = ("decoder", mask("causal"), 0)
            print(f"| the same, its decoder's mask corrected | "
                  f"{right(folder, model, *mended, held_out):.3f} | | |", flush=True)


if __name__ == "__main__":
    main()
