"""hostile.py PROGRAM: tests small inputs that would need much time or memory, and machines with little
memory, few files, or a bad disk.

Each limit is about five times what was measured on two busy cores, so that only faster growth exceeds
it.
"""

import base64
import io
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

# Background jobs of a script ignore SIGINT, and so would the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

program = sys.argv[1]
EMBEDDING = {"kind": "embedding", "seed": 7, "heads": 1, "d_k": 4, "d_v": 4}


def scene(**parts):
    return {
        "maskscope": 1,
        "sequences": [{"queries": ["a", "b", "c"]}],
        "inputs": EMBEDDING,
        "variants": [{"name": "x"}],
        **parts,
    }


def errors_in(said):
    """Returns the lines on standard error without those about progress."""
    return [line for line in said.splitlines() if "(Ctrl+C cancels)" not in line]


def run(name, content, seconds, megabytes, *arguments, status=0, environment=None, limit=None,
        says="", stdin=None):  # fmt: skip
    """Runs the program on a scene. Fails if it takes more time or memory, ends with another status, or
    prints anything but one short line for an error."""
    with open(name + ".json", "w") as file:
        json.dump(content, file)
    command = [program, *[a.replace("SCENE", name + ".json") for a in arguments]]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    start = time.monotonic()
    process = subprocess.Popen(
        command, stdin=stdin and open(stdin), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
        preexec_fn=limit and (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))),
    )  # fmt: skip
    out, error = process.communicate()
    took = time.monotonic() - start
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # of all so far
    error = error.decode()
    lines = errors_in(error)
    print(f"{name}: {took:.1f} s, {spent:.1f} s of a core, {peak:.0f} MB at most so far, {lines}")
    assert process.returncode == status, (name, process.returncode, error)
    assert spent <= seconds, f"{name} took {spent} s"
    assert peak <= megabytes, f"{name} took {peak} MB"
    assert len(lines) == (status != 0) and says in error, error
    assert all(len(line.encode()) <= 300 and line.startswith("maskscope: ") for line in lines)
    return out


def npy(shape, dtype="<f4"):
    """Returns the header of an .npy file, and how many bytes of numbers it asks for."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode() + b"\n"
    count = 4
    for size in shape:
        count *= size
    return b"\x93NUMPY\x02\x00" + len(header).to_bytes(4, "little") + header, count


os.environ["LC_ALL"] = "C.UTF-8"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["XDG_CACHE_HOME"] = os.environ["XDG_STATE_HOME"] = folder
    compute = ("compute", "SCENE", "--out", "out")
    given = lambda reference: scene(inputs={"kind": "scores", "scores": reference})
    run("small", scene(), 5, 200, *compute)

    # --- refused before it is read: a sparse file of 4 GB, a long name, a header of one long word
    header, size = npy((32768, 32768))
    with open("large.npy", "wb") as file:
        file.write(header)
        file.truncate(len(header) + size)
    run("large-npy", given("large.npy"), 2, 200, *compute, status=2)
    with open("words.npy", "wb") as file:
        file.write(npy((3, 3), "x" * 60000)[0])
    run("long-dtype", given("words.npy"), 2, 200, *compute, status=2)
    run("long-path", given("n" * 100000 + ".npy"), 2, 200, *compute, status=2)
    run("long-key", {**scene(), "k" * 100000: 1}, 2, 200, *compute, status=2)
    run("many-axes", given([[[[[0] * 3] * 3]]] * 2), 2, 200, *compute, status=2)

    # --- packed a thousandfold: a long word in a figure that is twice packed, zeros in an archive
    translator = {"kind": "model", "model": "italian-english", "attention": "cross", "layer": 0}
    long_word = scene(inputs=translator, sequences=[{"source": ["la", "x" * (8 << 20)]}])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scene.json", json.dumps(long_word))
    carried = zlib.compress(base64.b64encode(packed.getvalue()))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)),
              (b"iTXt", b"maskscope\0\1\0\0\0" + carried),
              (b"IDAT", zlib.compress(bytes(4))), (b"IEND", b"")]  # fmt: skip
    with open("word.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, data in chunks:
            file.write(struct.pack(">I", len(data)) + kind + data)
            file.write(struct.pack(">I", zlib.crc32(kind + data)))
    assert os.path.getsize("word.png") < 1000
    run("long-word", {}, 5, 300, "describe", "word.png", status=2, says="with no similar word")
    with open("sentence", "w") as file:
        file.write("x" * (2 << 20) + "\n")
    run("long-word-said", {}, 5, 300, "translate", status=2, stdin="sentence",
        says="with no similar word")  # fmt: skip
    header, size = npy((16000, 16000))
    with zipfile.ZipFile("zeros.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("q.npy", "w") as entry:
            entry.write(header)
            for _ in range(16):
                entry.write(bytes(size // 16))
    words = [{"queries": [str(k) for k in range(16000)]}]
    run("zeros", {**given("zeros.npz:q"), "sequences": words}, 2, 300, "describe", "SCENE",
        status=2, says="/inputs/scores: zeros.npz:q: would grow from 0 to 976 MB")  # fmt: skip

    # --- shared numbers are not copied, and no cost grows with the square of what is requested
    pads = [{"queries": ["a"]}] * 99 + [{"queries": [str(k) for k in range(300)]}]
    run("long-pads", scene(pad_token="p" * 100000, sequences=pads,
                           variants=[{"name": "x"}] * 3), 10, 1000, *compute)  # fmt: skip
    run("long-pads-said", scene(pad_token="p" * 100000, sequences=pads), 10, 1000,
        "describe", "SCENE")  # fmt: skip
    patterns = {"kind": "patterns", "heads": [{"pattern": "same_token", "strength": 1}], "seed": 1,
                "d_v": 4}  # fmt: skip
    run("long-pads-compared", scene(pad_token="p" * 100000, sequences=pads, inputs=patterns), 10, 1000,
        *compute)  # fmt: skip
    run("sequences", scene(sequences=[{"queries": ["a"]}] * 20000), 10, 1000, *compute)
    words = [{"queries": [str(k) for k in range(512)]}]
    run("alibis", scene(sequences=words,
                        variants=[{"name": "x", "mask": {"layers": [{"kind": "alibi"}] * 20000}}]),
        10, 1000, *compute)  # fmt: skip

    for ending in "svg", "tex", "png":
        run("long-name", scene(variants=[{"name": "n" * 20000}]), 5, 1000,
            "export", "SCENE", "--out", f"x.{ending}")  # fmt: skip
    bilinear = scene(inputs={**EMBEDDING, "d_k": 65536},
                     variants=[{"name": "x", "score": {"kind": "bilinear"}}] * 26)  # fmt: skip
    run("bilinear", bilinear, 5, 1000, *compute, status=1)

    # --- progress is reported after 2 s; Ctrl+C ends the program and leaves nothing behind
    wide = scene(inputs={**EMBEDDING, "heads": 1024, "d_k": 4096, "d_v": 4096, "d_model": 4096})
    with open("wide.json", "w") as file:
        json.dump(wide, file)
    with open("dump.safetensors", "wb") as file:  # its heads are put first, in a copy
        tensor = {"dtype": "F32", "shape": [1, 4096, 16, 64], "data_offsets": [0, 2**24]}
        header = json.dumps({"__metadata__": {"scale": "1"}, "hook_q": tensor,
                             "hook_k": {**tensor, "data_offsets": [2**24, 2**25]}}).encode()  # fmt: skip
        file.write(len(header).to_bytes(8, "little") + header + bytes(2**25))
    os.mkdir("scratch")
    for asked in "wide.json", "dump.safetensors":
        process = subprocess.Popen([program, "compute", asked, "--out", "wide/and/deep"],
                                   stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": "scratch"})  # fmt: skip
        line = process.stderr.readline().decode()
        assert re.fullmatch(
            r"maskscope: compute: (\d+%|in progress) after \d+ s \(Ctrl\+C cancels\)\n", line
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == -signal.SIGINT
        assert not os.path.exists("wide") and not os.listdir("scratch"), os.listdir("scratch")
    process = subprocess.Popen([program, "export", "lesson:casebook", "--out", "pages/of/it/"])
    while not os.path.exists("pages") and process.poll() is None:
        pass
    process.terminate()
    assert process.wait(timeout=60) == -signal.SIGTERM
    assert not os.path.exists("pages") or os.listdir("pages/of/it")

    # --- a missing folder for copies is named
    run("no-folder", {}, 5, 1000, "describe", "dump.safetensors", status=1,
        environment={"TMPDIR": "/nowhere"}, says="dump.safetensors: /nowhere: ")  # fmt: skip

    # --- little memory, few files and threads, an unknown Pango, no configuration of fonts, no place for
    # a cache: the work is done, or one line says why not
    def limited(kind, most, arguments):
        with open("little.json", "w") as file:
            json.dump(scene(), file)
        done = subprocess.run(
            [program, *[a.replace("SCENE", "little.json") for a in arguments]],
            capture_output=True,
            timeout=60,
            preexec_fn=lambda: resource.setrlimit(kind, (most, most)),
        )
        lines = errors_in(done.stderr.decode(errors="replace"))
        dynamic = done.returncode == 127  # the loader itself had no memory
        assert dynamic or (done.returncode, len(lines)) in ((0, 0), (1, 1)), (most, arguments, done)
        return done

    for megabytes in (48, 64, 96, 128, 256, 512):
        for arguments in (compute, ("export", "SCENE", "--out", "x.png"),
                          (*compute, "--backend", "gpu")):  # fmt: skip
            done = limited(resource.RLIMIT_AS, megabytes << 20, arguments)
            assert done.returncode == 0 or megabytes < 512 or "gpu" in arguments, (megabytes, done)
    # Few open files: whichever file exceeds the limit, nothing is left behind.
    run("figure", given([[[[0] * 3] * 3]]), 5, 1000, "export", "SCENE", "--out", "few.png")
    left = lambda: [name for name in os.listdir(".") if name.startswith((".maskscope", "few-"))]
    for files in range(4, 20):
        for arguments in (compute, ("compute", "SCENE", "--out", "few-new"),
                          ("export", "SCENE", "--out", "few-x.png"),
                          ("extract", "few.png", "--out", "few-x.json")):  # fmt: skip
            done = limited(resource.RLIMIT_NOFILE, files, arguments)
            assert done.returncode == 0 or not left(), (files, arguments, left())
            shutil.rmtree("few-new", ignore_errors=True)
            for name in "few-x.png", "few-x.json":
                if os.path.exists(name):
                    os.remove(name)
    assert not left(), left()

    # While a limit is set, a signal may be due to the limit; the message mentions that.
    process = subprocess.Popen(
        [program, "translate"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )  # fmt: skip
    asleep = lambda: open(f"/proc/{process.pid}/syscall").read().startswith("0 0x0 ")  # in read()
    while not asleep():
        time.sleep(0.01)
    process.send_signal(signal.SIGABRT)
    said = process.communicate()[1].decode()
    assert process.returncode == 1, (process.returncode, said)
    line = "maskscope: ended by SIGABRT. A possible cause: memory is limited (see ulimit -v)\n"
    assert said == line, said
    limited(resource.RLIMIT_AS, 300 << 20, (*compute, "--threads", "64"))
    limited(resource.RLIMIT_AS, 600 << 20, (*compute, "--threads", "256"))
    figure = ("export", "SCENE", "--out", "x.png")
    run("pango", scene(), 5, 1000, *figure, environment={"PANGOCAIRO_BACKEND": "nothing"})
    run("fonts", scene(), 5, 1000, *figure,
        environment={"FONTCONFIG_PATH": "/nowhere", "FONTCONFIG_FILE": "/nowhere", "HOME": "/nowhere",
                     "XDG_CACHE_HOME": "/nowhere"})  # fmt: skip
    run("language", scene(), 5, 1000, *figure, environment={"LC_ALL": "x"})
    os.environ.pop("HOME", None)
    run("homeless", scene(), 5, 1000, *figure)

    # --- disks: full, read-only, gone
    os.symlink("/dev/full", "full.png")
    for target in ("full.png", "missing/x.png"):
        run("disk", scene(), 5, 1000, "export", "SCENE", "--out", target, status=1)
    assert not [name for name in os.listdir(".") if name.startswith(".maskscope")]

    # If this test may mount disks, it tries one of 128 KB that fills, one that is read-only, and a
    # folder that has disappeared. The program prints one line; the old files stay complete, with
    # nothing beside them.
    os.mkdir("disk")
    big = {**scene(), "sequences": [{"queries": [f"t{k}" for k in range(300)]}]}
    with open("big.json", "w") as file:
        json.dump(big, file)
    in_disk = """
        mount -t tmpfs -o size=128k tmpfs disk || exit 77
        printf old >disk/x.csv && mkdir disk/out && printf old >disk/out/summary.json
        [ "$1" != ro ] || mount -o remount,ro disk
        before=$(cd disk && find . | sort)
        shift
        "$@" 2>said
        echo "status $?"
        [ "$(cat disk/x.csv disk/out/summary.json)" = oldold ] || echo "an old file is lost"
        [ "$(cd disk && find . | sort)" = "$before" ] || { echo "left behind:"; ls -AR disk; }
    """
    for how in "full", "ro":
        for words in (["export", "big.json", "--out", "disk/x.csv"],
                      ["export", "big.json", "--out", "disk/y.svg"],
                      ["compute", "big.json", "--out", "disk/out"],
                      ["compute", "big.json", "--out", "disk/new"]):  # fmt: skip
            done = subprocess.run(["unshare", "-rm", "sh", "-c", in_disk, "sh", how, program, *words],
                                  capture_output=True, text=True)  # fmt: skip
            if done.returncode == 77 or done.stderr.startswith("unshare:"):
                print("no mounts here: disks are left out")
                break
            with open("said") as file:
                said = errors_in(file.read())
            print(f"{how} {words[0]} {words[-1]}: {said}")
            assert done.stdout == "status 1\n", (how, words, done.stdout, said)
            assert len(said) == 1 and len(said[0].encode()) <= 300, said
    gone = subprocess.run(
        ["sh", "-c", f'mkdir gone && cd gone && rmdir ../gone && "{program}" export ../big.json --out x.png'],
        capture_output=True, text=True)  # fmt: skip
    print("gone:", gone.returncode, gone.stderr)
    assert gone.returncode in (1, 2) and len(gone.stderr.splitlines()) == 1
