"""numpy_files.py PROGRAM [FILES]: tensor files that NumPy wrote are read bit for bit.

Arrays of random shapes, types, orders and values (with NaN, infinities, subnormal numbers and −0) are
written as .npy of every version, .npz stored and deflated, and .safetensors. A scene of float64 takes
them as its raw scores, and what compute writes must have exactly the same bits. Each file is
the input of a scene of its own.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    sys.exit(77)

program, wanted = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400
seed = int(os.environ.get("SEED", 20261123))
chance = random.Random(seed)
numbers = numpy.random.default_rng(seed)
SPECIAL = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 5e-324, 1e-45, 6e-8, 65504.0, 1e30, -1.5]
TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2"}


def random_array(shape, kind):
    if kind == "BF16":  # any bits
        return numbers.integers(0, 65536, shape, dtype=numpy.uint16)
    with numpy.errstate(over="ignore"):
        array = (numbers.standard_normal(shape) * 10.0 ** numbers.integers(-9, 9)).astype(TYPES[kind])
        some = numbers.random(shape) < 0.2
        array[some] = numbers.choice(SPECIAL, some.sum()).astype(TYPES[kind])
    return numpy.asfortranarray(array) if chance.random() < 0.4 else array


def read_as(array, kind):
    if kind == "BF16":
        return (array.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    return array.astype(numpy.float64)


def write(k, array, kind):
    """Returns the reference to the file, which holds other arrays too."""
    form = chance.choice(["npy", "npz", "safetensors"]) if kind != "BF16" else "safetensors"
    name = f"{k}.{form}"
    other = random_array((3, 2), "F32")
    if form == "npy":
        with open(name, "wb") as file:
            numpy.lib.format.write_array(file, array, chance.choice([(1, 0), (2, 0), (3, 0)]))
        return name
    if form == "npz":
        save = chance.choice([numpy.savez, numpy.savez_compressed])
        save(name, **{"other": other, "x": array})
        return name + ":x"
    tensors = [("x", kind, array), ("other", "F32", other)]
    chance.shuffle(tensors)
    header, data = {}, b""
    for key, dtype, values in tensors:
        piece = numpy.ascontiguousarray(values).tobytes()
        header[key] = {"dtype": dtype, "shape": values.shape,
                       "data_offsets": [len(data), len(data) + len(piece)]}  # fmt: skip
        data += piece
    head = json.dumps(header).encode()
    head += b" " * chance.randrange(9)
    with open(name, "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head + data)
    return name + ":x"


def check(k):
    b, h, n_q, n_k = (chance.randint(1, 4) for _ in range(4))
    kind = chance.choice(list(TYPES))
    shape = chance.choice([s for s in ((b, h, n_q, n_k), (h, n_q, n_k), (n_q, n_k))
                           if numpy.prod(s) == b * h * n_q * n_k])  # fmt: skip
    array = random_array(shape, kind)
    reference = write(k, array, kind)
    scene = {
        "maskscope": 1,
        "sequences": [{"queries": ["q"] * n_q, "keys": ["k"] * n_k}] * b,
        "inputs": {"kind": "scores", "scores": reference},
        "variants": [{"name": "x", "dtype": "float64"}],
    }
    with open("scene.json", "w") as file:
        json.dump(scene, file)
    done = subprocess.run([program, "compute", "scene.json", "--out", "out"], capture_output=True)
    assert done.returncode == 0, (seed, k, reference, done.stderr)
    ours = numpy.load("out/variant-0/scores.npy")
    expected = read_as(array, kind).reshape(b, h, n_q, n_k)
    same = (ours.view(numpy.uint64) == expected.view(numpy.uint64)) | (
        numpy.isnan(ours) & numpy.isnan(expected))  # fmt: skip
    assert ours.shape == expected.shape and same.all(), (seed, k, reference, kind, shape)
    os.remove(reference.split(":")[0])


# Files are in memory if that is possible: waiting for the disk is not tested here.
with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
    os.chdir(folder)
    for k in range(wanted):
        check(k)
    print(f"{wanted} files, seed {seed}: every number as NumPy wrote it")
