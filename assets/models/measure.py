"""What breaks, measured on the files of this folder: the table of README.md.

    python3 assets/models/measure.py build/maskscope [COUNT]

COUNT (500) held-out sentences are translated under each broken mask, and read teacher-forced.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import language

MASKSCOPE = sys.argv[1]
BARE = "bare.safetensors"  # italian-english, whose own cross-attention has no mask
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 500


def mask(*kinds, **settings):
    return {"mask": {"layers": [{"kind": kind} for kind in kinds]} | settings}


# what it is called, attention, settings of the variant, pads behind the sentence
BROKEN = [
    ("as trained", "cross", mask("padding"), 0),
    ("causal mask on cross-attention", "cross", mask("causal"), 0),
    ("no padding mask on cross-attention, four pads", "cross", mask(), 4),
    ("no padding mask in the encoder, four pads", "encoder", mask(), 4),
    ("no padding mask in both, four pads", "encoder", mask() | {"model": BARE}, 4),
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
CORRECTED = {"italian-english-no-causal": {"decoder": mask("causal")},
             "italian-english-multiplied": {"decoder": mask("causal")},
             "italian-english-both-causal": {"encoder": mask("padding"), "cross": mask("padding")}}


def header_and_numbers(model):
    data = (pathlib.Path(__file__).parent / f"{model}.safetensors").read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:end]), data[end:]


def own_masks(model):
    return json.loads(header_and_numbers(model)[0]["__metadata__"]["masks"])


def write_bare(path):
    header, numbers = header_and_numbers("italian-english")
    masks = json.loads(header["__metadata__"]["masks"]) | {"cross": {"layers": []}}
    header["__metadata__"]["masks"] = json.dumps(masks)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + numbers)


def scene(model, attention, variant, sequences):
    variant = {"name": "measured"} | variant
    inputs = {"kind": "model", "model": variant.pop("model", model), "attention": attention,
              "layer": variant.pop("layer", 0)}
    return json.dumps({"maskscope": 1, "sequences": sequences, "inputs": inputs,
                       "variants": [variant]})


def right(folder, model, attention, variant, pads, sentences):
    """The share that is translated right, word for word."""
    (folder / "scene.json").write_text(scene(model, attention, variant, [{"source": ["la"]}]))
    lines = "".join(" ".join(s.italian) + " <pad>" * pads + "\n" for s in sentences)
    said = subprocess.run([MASKSCOPE, "translate", "--scene", folder / "scene.json"], check=True,
                          input=lines, capture_output=True, text=True).stdout.splitlines()
    return sum(a == " ".join(s.english) for a, s in zip(said, sentences)) / len(sentences)


def forced(folder, model, attention, variant, pads, sentences):
    """(loss, accuracy) over the words of all sentences, read teacher-forced."""
    alike = {}  # in a batch of one length, nothing is padded
    for s in sentences:
        alike.setdefault((len(s.italian), len(s.english)), []).append(s)
    loss = accuracy = words = 0
    for (_, length), some in alike.items():
        sequences = [{"source": list(s.italian) + ["<pad>"] * pads, "target": list(s.english)}
                     for s in some]
        (folder / "scene.json").write_text(scene(model, attention, variant, sequences))
        subprocess.run([MASKSCOPE, "compute", folder / "scene.json", "--out", folder / "out",
                        "--stages", "weights"], check=True)
        summary = json.loads((folder / "out/variant-0/summary.json").read_text())
        if None in summary["loss"]:
            return None, None
        loss += sum(summary["loss"]) * (length + 1)
        accuracy += sum(summary["accuracy"]) * (length + 1)
        words += len(some) * (length + 1)
    return loss / words, accuracy / words


def shown(x):
    return "NaN" if x is None else f"{x:.4f}"


def main():
    held_out = language.corpus(1)[1][:COUNT]
    ahead = [s for s in held_out if "look-ahead" in s.tags]
    plain = [s for s in held_out if "look-ahead" not in s.tags]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_bare(folder / BARE)
        print("| broken at inference | generating | loss | accuracy |\n| --- | --- | --- | --- |")
        for name, *case in BROKEN:
            share = right(folder, "italian-english", *case, held_out)
            loss, accuracy = forced(folder, "italian-english", *case, held_out)
            print(f"| {name} | {share:.3f} | {shown(loss)} | {shown(accuracy)} |", flush=True)
        for name, some in (("without look-ahead", plain), ("with look-ahead", ahead)):
            share = right(folder, "italian-english", "cross", mask("causal"), 0, some)
            print(f"| causal mask on cross-attention, sentences {name} | {share:.3f} | | |")
        print("\n| trained with a wrong mask | generating | loss | accuracy |")
        print("| --- | --- | --- | --- |")
        for model in CORRECTED:
            case = ("cross", {"mask": own_masks(model)["cross"]}, 0)
            share = right(folder, model, *case, held_out)
            loss, accuracy = forced(folder, model, *case, held_out)
            print(f"| `{model}` | {share:.3f} | {shown(loss)} | {shown(accuracy)} |", flush=True)
            if model.endswith("both-causal"):
                for name, some in (("without look-ahead", plain), ("with look-ahead", ahead)):
                    share = right(folder, model, *case, some)
                    print(f"| the same, sentences {name} | {share:.3f} | | |")
            for attention, corrected in CORRECTED[model].items():
                share = right(folder, model, attention, corrected, 0, held_out)
                print(f"| the same, the mask of its {attention} corrected | {share:.3f} | | |",
                      flush=True)


if __name__ == "__main__":
    main()
