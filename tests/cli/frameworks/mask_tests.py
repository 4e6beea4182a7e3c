"""Runs the scripts that `maskscope test --pytorch` writes.

mask_tests.py MASKSCOPE DATA [--all]: with the function that they contain, the lines are those of
`maskscope test` (a third of the scenes, or --all). With a correct function in its place all tests
pass, and each of four wrong functions fails the test that is made for its mistake. The status is 77 if
torch is not installed.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import torch  # noqa: F401
except ImportError:
    sys.exit(77)

every = "--all" in sys.argv
maskscope, data = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])


def run(*arguments):
    done = subprocess.run([maskscope, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout


def verdicts(lines):
    """Returns {"future": "pass", …}, without the reasons of failures."""
    return {name: rest.split(":")[0] for name, rest in
            (line.split(": ", 1) for line in lines.splitlines())}


def execute(script, folder):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          cwd=folder)
    assert done.returncode in (0, 1) and not done.stderr, done.stderr
    found = verdicts(done.stdout)
    assert done.returncode == ("fail" in found.values()), done.stdout
    return found, done.stdout


def check_own(scene, folder):
    """Tests every variant of a scene; returns the number of scripts."""
    count = 0
    for variant in range(3 if not every else 18):
        status, script = run("test", scene, "--variant", variant, "--pytorch")
        if status == 2:
            continue  # no such variant, or no script
        _, lines = run("test", scene, "--variant", variant)
        found, said = execute(script, folder)
        assert found == verdicts(lines), f"{scene} {variant}:\n{said}---\n{lines}"
        count += 1
    return count


# --- functions that take the place of that in the script

right = """
def attention(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, -1) @ v
"""
wrong = {
    # Forgets the mask.
    "future": right.replace("~mask", "torch.zeros_like(mask)"),
    # Transposes the mask, which blocks the rows of padding instead of its columns.
    "padding": right.replace("~mask", "~mask.transpose(-2, -1)"),
    # Counts queries from the first key, whatever the cache holds.
    "cache": right.replace("~mask", "~(mask & torch.ones(mask.shape[-2:], dtype=torch.bool)"
                                    ".tril())"),
    # A row without a key becomes NaN and is set to 0 only afterwards, so its gradient is still NaN.
    "gradient": right.replace(
        "scores.masked_fill(~mask, torch.finfo(scores.dtype).min)",
        "scores + torch.zeros_like(scores).masked_fill(~mask, -inf)").replace(
        "return torch.softmax(scores, -1) @ v",
        "weights = torch.softmax(scores, -1)\n"
        "    return torch.where(weights.isnan(), torch.zeros_like(weights), weights) @ v"),
}
of_all = {"future": "pass", "padding": "pass", "cache": "pass", "gradient": "pass"}

batch = {
    "maskscope": 1,
    "sequences": [{"queries": ["The", "cat", "sat", "down"]},
                  {"queries": ["A", "dog", "<pad>", "<pad>"]}],
    "inputs": {"kind": "embedding", "seed": 7, "heads": 2, "d_k": 4, "d_v": 4},
    "variants": [{"name": "right", "mask": {
        "value": "lowest",
        "layers": [{"kind": "causal", "align": "bottom_right"}, {"kind": "padding"}]}}],
}


# A scene with a row that is empty in one head and attends to all keys there, a sigmoid of -inf, and
# gradients that are all zero except for rounding.
of_heads = {
    "maskscope": 1,
    "sequences": [{"queries": ["The", "cat", "sat", "down"]}],
    "inputs": {"kind": "embedding", "seed": 7, "heads": 2, "d_k": 4, "d_v": 4},
    "variants": [
        {"name": "opened", "empty_rows": "all",
         "mask": {"layers": [{"kind": "blocked", "rows": [2], "heads": [1]}]}},
        {"name": "sigmoid", "normalizer": "sigmoid",
         "mask": {"layers": [{"kind": "blocked", "cells": [[0, 1]], "rows": [2]}]}},
        {"name": "one key", "dtype": "float64",
         "mask": {"layers": [{"kind": "window", "left": 0, "right": 0}],
                  "apply": "multiply_weights_renormalized"}}],
}


def with_function(script, function):
    begin = script.index("def attention(")
    end = script.index("# --- The tests.")
    return script[:begin] + function.strip() + "\n\n\n" + script[end:]


def check_functions(folder):
    scene = folder / "batch.json"
    scene.write_text(json.dumps(batch))
    status, script = run("test", scene, "--pytorch")
    assert status == 0
    assert execute(script, folder)[0] == of_all
    assert execute(with_function(script, right), folder)[0] == of_all
    for name in ("future", "cache"):
        found, said = execute(with_function(script, wrong[name]), folder)
        assert found[name] == "fail", f"the function that is wrong in {name}:\n{said}"
        assert re.search(rf"^{name}: fail: row ", said, re.MULTILINE), said
    assert execute(with_function(script, wrong["gradient"]), folder)[0] == of_all
    # If only padding is blocked, the future is not.
    layers = batch["variants"][0]["mask"]["layers"]
    batch["variants"][0]["mask"]["layers"] = [{"kind": "padding"}]
    scene.write_text(json.dumps(batch))
    _, script = run("test", scene, "--pytorch", "--only", "padding")
    assert execute(with_function(script, right), folder)[0] == {"padding": "pass"}
    found, said = execute(with_function(script, wrong["padding"]), folder)
    assert re.match(r'padding: fail: row ".*" \([01]\) of sequence 1 differs by', said), said
    # A row without a key is NaN with -inf, for code that does not expect it.
    batch["variants"][0]["mask"]["layers"] = layers
    batch["variants"][0]["empty_rows"] = "zero"
    batch["sequences"][1]["queries"] = ["<pad>", "<pad>", "A", "dog"]
    scene.write_text(json.dumps(batch))
    _, script = run("test", scene, "--pytorch", "--only", "gradient,future")
    assert execute(script, folder)[0] == {"future": "pass", "gradient": "pass"}
    found, said = execute(with_function(script, wrong["gradient"]), folder)
    assert found == {"future": "pass", "gradient": "fail"}, said
    assert "gradient: fail: nan in row" in said, said


with tempfile.TemporaryDirectory() as path:
    folder = pathlib.Path(path)
    check_functions(folder)
    (folder / "heads.json").write_text(json.dumps(of_heads))
    assert check_own(folder / "heads.json", folder) == 3
    scenes = sorted(data.glob("golden/*/scene.json")) + sorted(data.glob("views/*.json"))
    scenes += [f"lesson:casebook/{k}" for k in range(1, 10)]
    scripts = sum(check_own(scene, scene.parent if isinstance(scene, pathlib.Path) else folder)
                  for scene in scenes[::1 if every else 3])
    assert scripts > 20, scripts
print(f"{scripts} scripts say what maskscope test says; of five functions the right one passes")
