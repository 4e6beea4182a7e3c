def read_model(name):  # safetensors: a length, a header in JSON, numbers
    folder = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else "."
    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    metadata = header.pop("__metadata__")
    kinds = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32,
             "F64": torch.float64}
    tensors = {}
    for name, entry in header.items():
        begin, end = (start + offset for offset in entry["data_offsets"])
        numbers = torch.frombuffer(bytearray(data[begin:end]), dtype=kinds[entry["dtype"]])
        tensors[name] = numbers.reshape(entry["shape"]).to(wide)
    return tensors, metadata


t, metadata = read_model(model_file)
source_words, target_words = json.loads(metadata["source"]), json.loads(metadata["target"])
heads, max_target = int(metadata["heads"]), int(metadata["max_target"])
encoder_layers, decoder_layers = (
    1 + max(int(name.split(".")[1]) for name in t if name.startswith(side))
    for side in ("enc.", "dec."))


def linear(x, name):
    return torch.nn.functional.linear(x, t[name + ".weight"], t[name + ".bias"])


def norm(x, name):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], t[name + ".weight"], t[name + ".bias"])


def feed_forward(x, name):
    return linear(torch.relu(linear(x, name + ".0")), name + ".2")


def embed(sentences, words, table):  # [b, n, d]
    ids = torch.tensor([[words.index(word) for word in sentence] for sentence in sentences])
    d, n = table.shape[1], ids.shape[1]
    angle = torch.arange(n).double()[:, None] * 10000.0 ** (-torch.arange(0, d, 2).double() / d)
    positions = torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(n, d)
    return math.sqrt(d) * table[ids] + positions.to(wide)
