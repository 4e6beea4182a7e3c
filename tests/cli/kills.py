"""kills.py PROGRAM [KILLS]: export, extract and compute, each killed (SIGKILL) at random moments.

After each kill the file or folder is the complete old one or the complete new one; after the next run
that is not killed, nothing else is left. The moments are random, between 0 and somewhat more than a
whole run takes; their seed is printed.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

program, kills = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
seed = int(os.environ.get("SEED", time.time_ns() % 2**32))
chance = random.Random(seed)
print("seed", seed)

SCENES = [
    {
        "maskscope": 1,
        "title": title,
        "sequences": [{"queries": [f"{title}{i}" for i in range(48)]}],
        "inputs": {"kind": "embedding", "seed": 7, "heads": 4, "d_k": 16, "d_v": 16},
        "variants": [{"name": f"{title}{k}"} for k in range(variants)],
    }
    for title, variants in (("a", 3), ("b", 5))
]


def content(path):
    """Returns a hash of a file, or of all files below a folder and their names, or None."""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    if not os.path.isdir(path):
        return None
    found = hashlib.sha256()
    for folder, folders, files in sorted(os.walk(path)):
        folders.sort()
        for name in sorted(files):
            whole = os.path.join(folder, name)
            found.update(os.path.relpath(whole, path).encode() + b"\0" + content(whole).encode())
    return found.hexdigest()


def leftovers():
    return [name for name in os.listdir(".") if name.startswith(".maskscope-")]


class Work:
    """A command that writes `target`, in two versions: one for each of two inputs."""

    def __init__(self, name, target, commands):
        self.name, self.target, self.commands = name, target, commands
        self.whole, self.kills, self.old, self.new, self.left, self.took = [], 0, 0, 0, 0, 0
        for command in commands:
            start = time.monotonic()
            subprocess.run(command, check=True)
            self.took = max(self.took, time.monotonic() - start)
            self.whole.append(content(target))
        assert None not in self.whole and self.whole[0] != self.whole[1], name

    def kill_once(self):
        before = content(self.target)
        k = chance.randrange(2)
        process = subprocess.Popen(self.commands[k], stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 1.2 * self.took))
        process.send_signal(signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            return  # it finished first
        self.kills += 1
        after = content(self.target)
        assert after in (before, self.whole[k]), f"{self.name}: torn after {self.kills} kills"
        self.old += after == before
        self.new += after != before
        self.left += bool(leftovers())

    def finish(self):
        for command, whole in zip(self.commands, self.whole):
            subprocess.run(command, check=True)
            assert content(self.target) == whole, self.name
        assert not leftovers(), f"{self.name}: {leftovers()}"
        print(
            f"{self.name}: {self.kills} kills, {self.old} left the old, {self.new} the new, "
            f"0 anything else; {self.left} left a hidden file or folder, which the next run removed"
        )


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for k, scene in enumerate(SCENES):
        with open(f"{k}.json", "w") as file:
            json.dump(scene, file)
        subprocess.run([program, "export", f"{k}.json", "--out", f"{k}.png"], check=True)
    os.mkdir("others")  # a folder that also holds other files
    with open("others/notes", "w") as file:
        file.write("kept")
    both = range(2)
    works = [
        Work("compute", "out", [[program, "compute", f"{k}.json", "--out", "out"] for k in both]),
        Work("extract", "x.json",
             [[program, "extract", f"{k}.png", "--out", "x.json", "--force"] for k in both]),
        Work("export", "x.svg", [[program, "export", f"{k}.json", "--out", "x.svg"] for k in both]),
    ]
    while sum(work.kills for work in works) < kills:
        chance.choice(works).kill_once()
    for work in works:
        work.finish()
    subprocess.run([program, "compute", "0.json", "--out", "others"], check=True)
    subprocess.run([program, "compute", "1.json", "--out", "others"], check=True)
    assert sorted(os.listdir("others")) == ["notes"] + [f"variant-{k}" for k in range(5)]
    subprocess.run([program, "compute", "0.json", "--out", "others"], check=True)
    assert sorted(os.listdir("others")) == ["notes"] + [f"variant-{k}" for k in range(3)]
