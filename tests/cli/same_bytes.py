"""same_bytes.py PROGRAM [--write]: tests that the same scene gives the same bytes.

They are the same on every run and with any number of threads. The hashes in tests/data/hashes.txt
show that they are the same in every build. --write writes intended changes there; see the diff.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[1])
top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
known = os.path.join(top, "tests", "data", "hashes.txt")
golden = lambda name: os.path.join(top, "tests", "data", "golden", name, "scene.json")
SCENES = {
    name: golden(name)
    for name in ("six-ways", "batch-padding", "cross-attention")
}


def run(*arguments):
    """Returns what the program prints."""
    done = subprocess.run([program, *arguments], capture_output=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def content(path):
    """Returns the names and bytes of a file, or of all files below a folder."""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            return file.read()
    every = []
    for folder, _, files in os.walk(path):
        every += [os.path.join(folder, name) for name in files]
    return b"".join(os.path.relpath(f, path).encode() + b"\n" + content(f) for f in sorted(every))


def made(what, *times):
    """Returns the hash of the file or folder `what`, which must be the same after each command of `times`."""
    first = None
    for arguments in times:
        run(*arguments, "--out", what)
        bytes_made = content(what)
        assert first in (None, bytes_made), f"{arguments}: other bytes"
        first = bytes_made
    return hashlib.sha256(first).hexdigest()


def said(*arguments):
    """Returns the hash of a command's output, which must be the same twice."""
    first = run(*arguments)
    assert run(*arguments) == first, f"{arguments}: other words"
    return hashlib.sha256(first).hexdigest()


def write_lesson(path):
    """Writes a lesson of two steps, one of which asks a question."""
    with open(SCENES["six-ways"]) as one, open(SCENES["batch-padding"]) as other:
        scenes = [json.load(one), json.load(other)]
    fact = {"lane": "A", "of": "sum", "at": [0, 0, 0], "is": "<", "than": 2,
            "fails_with": {"/variants/0/dtype": "float16"}}  # fmt: skip
    steps = [{"title": f"Step {k}", "caption": "The sum is {A.sum[0,0,0]}.", "scene": scenes[k],
              "facts": [fact]} for k in range(2)]  # fmt: skip
    steps[1]["ask"] = "What is the sum?"
    with open(path, "w") as file:
        json.dump({"maskscope_lesson": 1, "name": "two", "title": "Two", "steps": steps}, file)


hashes = {}
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["TZ"] = "Asia/Tokyo"  # clock and time zone must not matter
    for name, scene in SCENES.items():
        hashes[f"compute {name}"] = made(
            f"{name}-numbers", *([ "compute", scene, "--threads", str(n)] for n in (1, 2, 3, 16)))  # fmt: skip
        for ending in ("png", "svg", "pdf", "tex", "csv"):
            hashes[f"{ending} {name}"] = made(f"{name}.{ending}", *[["export", scene]] * 2)
    write_lesson("two.json")
    for ending in ("pdf", "png", "html"):
        hashes[f"lesson {ending}"] = made(f"lesson.{ending}", *[["export", "two.json"]] * 2)
    hashes["slides"] = made("slides/", *[["export", "two.json"]] * 2)
    hashes["worksheet"] = made("sheet.pdf", *[["worksheet", golden("given-scores"), "--blank", "weights"]] * 2)

    for ending in ("png", "svg", "pdf"):
        hashes[f"extract {ending}"] = made(f"{ending}.json", *[["extract", f"six-ways.{ending}"]] * 2)
    for variant in range(6):
        hashes[f"pytorch {variant}"] = said("pytorch", SCENES["six-ways"], "--variant", str(variant))
    for what in (["describe"], ["export", "--alt"]):
        hashes[what[-1]] = said(*what, SCENES["cross-attention"])

lines = [f"{value}  {key}\n" for key, value in hashes.items()]
if "--write" in sys.argv:
    with open(known, "w") as file:
        file.writelines(lines)
else:
    with open(known) as file:
        expected = file.readlines()
    other = sorted(line.split("  ", 1)[1].strip() for line in set(lines) ^ set(expected))
    assert not other, f"other bytes than in tests/data/hashes.txt: {', '.join(dict.fromkeys(other))}"
