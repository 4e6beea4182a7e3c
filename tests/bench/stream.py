"""stream.py PROGRAM: compares writing the weights of 32,768 tokens with writing as many zeros."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

program = os.path.abspath(sys.argv[1])
tokens = 32768
with tempfile.TemporaryDirectory() as folder:
    if shutil.disk_usage(folder).free < 10e9:
        sys.exit("less than 10 GB are free")
    os.chdir(folder)
    with open("long.json", "w") as file:
        json.dump({
            "maskscope": 1,
            "sequences": [{"queries": [f"t{k}" for k in range(tokens)]}],
            "inputs": {"kind": "embedding", "seed": 3, "heads": 1, "d_k": 64, "d_v": 64},
            "variants": [{"name": "A", "mask": {"layers": [{"kind": "causal"}]}}],
        }, file)  # fmt: skip
    start = time.monotonic()
    with open("copy", "wb") as file:
        for _ in range(4 * tokens * tokens >> 24):
            file.write(bytes(1 << 24))
        os.fsync(file.fileno())
    copied = time.monotonic() - start
    os.remove("copy")
    start = time.monotonic()
    subprocess.run([program, "compute", "long.json", "--out", "out", "--stages", "weights"],
                   check=True, stderr=subprocess.DEVNULL)  # fmt: skip
    took = time.monotonic() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{took:.1f} s, {took / copied:.2f} x a copy of zeros as large; {peak:.0f} MB at most")
