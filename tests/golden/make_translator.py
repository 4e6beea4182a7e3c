"""Writes tests/data/translator.json: logits of PyTorch for sentences under every mask that the
lesson breaks, and one for each model that was trained wrongly.

make_translator.py, with Debian's python3-torch; the models are those of assets/models.
"""
import json
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
MODELS = TESTS.parent / "assets/models"
sys.argv = ["translator.py", "", str(MODELS)]
sys.path.insert(0, str(TESTS / "cli"))

import torch  # noqa: E402
import translator  # noqa: E402

SENTENCES = [line.split(" | ") for line in """mi chiamo luke | my name is luke
la casa rossa | the red house
mangio una mela rossa | i eat a red apple
il libro nuovo di anna | anna 's new book
non lo vedo | i do not see him
anna legge una lettera italiana ? | does anna read an italian letter ?
sono stanche | they are tired
un vecchio amico dorme con il gatto nero | an old friend sleeps with the black cat
anna dorme | anna sleeps""".splitlines()]
PADS = [translator.PAD] * 4
IDS = [0, 2, 3, 17, 41, 66, 90, 139]  # of the words whose logits are kept


def lane(*kinds, **settings):
    mask = {"layers": [{"kind": kind} for kind in kinds]}
    mask |= {key: settings.pop(key) for key in ("apply", "value") if key in settings}
    return {"name": "broken", "mask": mask} | settings


# attention, its variant, whether pads stand behind the sentence
BROKEN = [
    ("cross", lane("padding"), True),
    ("cross", lane("causal"), False),
    ("cross", lane(), True),
    ("encoder", lane(), True),
    ("encoder", lane("padding_queries"), True),
    *[("cross", lane("padding", heads_off=[h]), False) for h in range(4)],
    *[(attention, lane(kind, scale="none"), False)
      for attention, kind in (("encoder", "padding"), ("decoder", "causal"), ("cross", "padding"))],
    ("decoder", lane(), False),
    ("decoder", lane("causal", apply="multiply_weights"), False),
    ("decoder", lane("causal", apply="multiply_scores"), False),
    ("decoder", lane("causal", apply="multiply_weights_renormalized"), False),
    ("decoder", lane("causal", value=-1e9), False),
    ("cross", lane("padding", value=-1e4), True),
    ("cross", lane("padding", scale="sqrt_n_k"), True),
    ("cross", lane("causal", dtype="float64"), False),
]


def case(model, attention, variant, source, target, pads):
    scene = {"maskscope": 1, "title": "", "pad_token": translator.PAD,
             "sequences": [{"source": source.split() + (PADS if pads else []),
                            "target": target.split()}],
             "inputs": {"kind": "model", "model": model, "attention": attention, "layer": 0},
             "variants": [variant]}
    words = [translator.BOS] + target.split()
    a_pass = translator.Pass(translator.Model(MODELS / f"{model}.safetensors"), scene, variant)
    padded = scene["sequences"][0]["source"]
    logits = a_pass.logits(translator.with_eos(padded, len(padded) + 1), words, 0)
    digits = 12 if variant.get("dtype") == "float64" else 6
    numbers = [[None if x != x else round(x, digits) for x in row]
               for row in logits[:, IDS].tolist()]
    return {"scene": scene, "logits": numbers}


def main():
    cases = []
    for k, (attention, variant, pads) in enumerate(BROKEN):
        for source, target in (SENTENCES[k % 9], SENTENCES[(k + 4) % 9]):
            cases.append(case("italian-english", attention, variant, source, target, pads))
    for k, name in enumerate(("no-causal", "multiplied", "both-causal")):
        cases.append(case(f"italian-english-{name}", "cross", lane("padding"), *SENTENCES[k], True))
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in cases)
    text = f'{{"ids": {IDS}, "cases": [\n{lines}\n]}}\n'
    (TESTS / "data/translator.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
