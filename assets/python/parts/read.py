def read(path, name=""):
    path = os.path.join(folder, path)
    if path.endswith(".npy"):
        with open(path, "rb") as file:
            return read_npy(file.read())
    if path.endswith(".npz"):
        with zipfile.ZipFile(path) as archive:
            return read_npy(archive.read(name if name in archive.namelist() else name + ".npy"))
    with open(path, "rb") as file:  # safetensors
        data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    tensor = json.loads(data[8:start])[name]
    kind = {"F16": torch.float16, "BF16": torch.bfloat16,
            "F32": torch.float32, "F64": torch.float64}[tensor["dtype"]]
    first, last = tensor["data_offsets"]
    numbers = torch.frombuffer(bytearray(data[start + first:start + last]), dtype=kind)
    return numbers.double().reshape(tensor["shape"])
