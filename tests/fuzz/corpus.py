"""corpus.py TOP FOLDER: writes small valid files for each fuzz target, from scenes and lessons."""

import base64
import io
import json
import os
import struct
import subprocess
import sys
import zipfile
import zlib

top, out = sys.argv[1:3]


def put(target, name, content):
    folder = os.path.join(out, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def read(*parts):
    with open(os.path.join(top, *parts), "rb") as file:
        return file.read()


golden = os.path.join(top, "tests", "data", "golden")
for name in sorted(os.listdir(golden)):
    if not os.path.isdir(os.path.join(golden, name)):
        continue
    scene = read(golden, name, "scene.json")
    put("scene", name, scene)
    put("json", name, scene)
for name in sorted(os.listdir(os.path.join(top, "assets", "lessons"))):
    lesson = json.loads(read("assets", "lessons", name))
    lesson["steps"] = lesson["steps"][:1]
    put("lesson", name, json.dumps(lesson, ensure_ascii=False))
for k, text in enumerate([
    "j <= i && i - j < 3", "(i // 2) % 3 == j", "-abs(i - j) / 2", "pad_i || !pad_j", "h / heads + b",
    "min(n_q, n_k) > max(1, exp(log(2.5e-3)))",
]):  # fmt: skip
    put("expression", str(k), text)
for k, text in enumerate([
    "a b c", "a\nb\n", '["a", "Ġb"]', '[["▁a"], ["<0x0A>"]]',
    '{"model": {"type": "BPE", "vocab": {"a": 0, "Ġb": 1}}, "added_tokens": [{"id": 2, "content": "c"}]}',
]):  # fmt: skip
    put("tokenizer", str(k), text)


def npy(dtype, shape, data, fortran=False, version=1):
    header = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape!r}, }}".encode()
    length = 2 if version == 1 else 4
    header += b" " * (-(len(header) + 9 + length) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(header).to_bytes(length, "little") + header + data


files = {
    "f4": npy("<f4", (2, 3), struct.pack("<6f", *range(6))),
    "f8": npy("<f8", (1, 1, 2, 2), struct.pack("<4d", *range(4)), True),
    "f2": npy("<f2", (2, 2), bytes(8), version=2),
    "bool": npy("|b1", (2, 2), bytes(4), version=3),
    "i8": npy("<i8", (2,), bytes(16)),
}
for name, content in files.items():
    put("npy", name, content)
for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
    bytes_of = io.BytesIO()
    with zipfile.ZipFile(bytes_of, "w", method) as archive:
        for entry in ("f4", "f8", "bool"):
            archive.writestr(entry + ".npy", files[entry])
    put("npz", name, bytes_of.getvalue())
scene = json.dumps({
    "maskscope": 1, "sequences": [{"queries": ["a"]}],
    "inputs": {"kind": "scores", "scores": "q.npy"}, "variants": [{"name": "x"}],
})  # fmt: skip
carried = io.BytesIO()
with zipfile.ZipFile(carried, "w") as archive:
    archive.writestr("scene.json", scene)
    archive.writestr("q.npy", files["f4"])
put("archive", "scene", carried.getvalue())
text = base64.b64encode(carried.getvalue()).decode()
put("figure", "svg", f'<svg xmlns="http://www.w3.org/2000/svg"><metadata><maskscope:scene '
    f'xmlns:maskscope="urn:maskscope">{text}</maskscope:scene></metadata></svg>')


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


put("figure", "png", b"\x89PNG\r\n\x1a\n" + b"".join([
    chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)),
    chunk(b"iTXt", b"maskscope\0\1\0\0\0" + zlib.compress(text.encode())),
    chunk(b"IDAT", zlib.compress(bytes(4))), chunk(b"IEND", b"")]))  # fmt: skip
head = b"<< /Type /EmbeddedFile /Subtype /application#2Fzip /MaskscopeScene true /Length "
put("figure", "pdf", b"%PDF-1.5\n1 0 obj\n" + head + str(len(carried.getvalue())).encode()
    + b" >>\nstream\n" + carried.getvalue() + b"\nendstream\nendobj\n%%EOF\n")  # fmt: skip

with open(os.path.join(golden, "alignment", "scene.json")) as file:
    whole = file.read()
lesson = read("assets", "lessons", sorted(os.listdir(os.path.join(top, "assets", "lessons")))[0])
for name, more in (
    ("scene", {}),
    ("lesson", {"lesson": lesson.decode(), "step": 0, "lesson_is_saved": False}),
    ("apart", {"numbers": "unsaved-1.safetensors"}),
    ("no-path", {"folder": "é", "path": ""}),
    ("far-step", {"lesson": lesson.decode(), "step": 1e308, "lesson_is_saved": True}),
):
    work = {"folder": "/tmp", "path": None, "scene": whole, **more}
    put("recovery", name, json.dumps(work, ensure_ascii=False))
frameworks = os.path.join(top, "assets", "frameworks")
for name in os.listdir(frameworks):
    if name.endswith(".json"):
        put("framework", name, read("assets", "frameworks", name))
put("recent", "two", "/tmp/scene.json\n/etc/hostname\n")
put("choices", "far", '{"dpi": 1e308}')
put("course", "one", json.dumps({"open": "lesson:causal", "step": 2, "seen": {"causal": [1, 2]}}))
put("choices", "all", json.dumps({
    "ending": ".svg", "dpi": 300, "transparent": True, "theme": "print", "width": 84.0, "aspect": 1.5,
    "title": False, "colours": "viridis",
}))  # fmt: skip
model = os.path.join(top, "assets", "models")
for name in os.listdir(model):
    if name.endswith(".safetensors"):
        # Keeps only the header; with the numbers the file would be too long to change.
        start = read("assets", "models", name)
        put("model", name, start[: 8 + int.from_bytes(start[:8], "little")][:65536])

header = json.dumps({
    "__metadata__": {"scale": "0.5"},
    "q": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
    "k": {"dtype": "BF16", "shape": [2], "data_offsets": [8, 12]},
}).encode()  # fmt: skip
put("safetensors", "two", len(header).to_bytes(8, "little") + header + bytes(12))
