"""Runs assets/python/dump_attention.py on tiny random models, and opens what it writes.

dump_attention.py MASKSCOPE SCRIPT: transformers and safetensors are stand-ins made here, with the
interfaces of the real ones: a registry of attention functions, one of mask functions, and
save_file. What `maskscope compute` makes of each file must be the weights of the model itself.
Status 77 where torch is not installed.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import types

try:
    import torch
except ImportError:
    sys.exit(77)

maskscope, script = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])


# --- stand-ins

class Registry:
    @classmethod
    def register(cls, name, function):
        cls.functions[name] = function


class AttentionInterface(Registry):
    functions = {}


class AttentionMaskInterface(Registry):
    functions = {}


def eager_mask(allowed, dtype):
    """0 where a key is allowed, else the lowest number."""
    return torch.zeros(allowed.shape, dtype=dtype).masked_fill(~allowed, torch.finfo(dtype).min)


def save_file(tensors, path, metadata):
    kinds = {torch.float32: "F32", torch.bfloat16: "BF16", torch.bool: "BOOL"}
    header, data = {"__metadata__": metadata}, b""
    assert all(isinstance(text, str) for text in metadata.values())
    for name, tensor in tensors.items():
        assert tensor.is_contiguous()
        raw = bytes(tensor.view(torch.int16).flatten().numpy().tobytes()
                    if tensor.dtype == torch.bfloat16 else tensor.numpy().tobytes())
        header[name] = {"dtype": kinds[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


def install(has_masks):
    masks = {"AttentionMaskInterface": AttentionMaskInterface} if has_masks else {}
    stand_in("transformers", AttentionInterface=AttentionInterface, **masks)
    sys.modules.pop("transformers.masking_utils", None)
    if has_masks:
        stand_in("transformers.masking_utils", eager_mask=eager_mask)
    stand_in("safetensors")
    stand_in("safetensors.torch", save_file=save_file)


# --- models

def rotated(x, positions):
    half = x.shape[-1] // 2
    angle = positions[:, None] / 10 ** (torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


def eager_attention_forward(module, query, key, value, attention_mask, scaling=None, cap=None,
                            softcap=None, **options):
    repeats = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(repeats, dim=1) for x in (key, value))
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    scores = query @ key.transpose(-1, -2) * scale
    cap = cap or softcap
    if cap:
        scores = torch.tanh(scores / cap) * cap
    if hasattr(module, "bias"):
        scores = scores.masked_fill(~module.bias[..., :scores.shape[-2], :scores.shape[-1]],
                                    torch.finfo(scores.dtype).min)
    if attention_mask is not None:
        scores = scores + attention_mask
    if hasattr(module, "sinks"):
        column = module.sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)
        scores = torch.cat([scores, column], -1)
    weights = torch.softmax(scores.float(), -1).to(query.dtype)[..., :key.shape[-2]]
    return (weights @ value).transpose(1, 2), weights


class Attention(torch.nn.Module):
    def __init__(self, config, layer):
        super().__init__()
        self.config, self.layer_idx = config, layer
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (
            torch.nn.Linear(config.width, config.width * count // config.heads)
            for count in (config.heads, config.key_heads, config.key_heads, config.heads))
        if config.sinks:
            self.sinks = torch.nn.Parameter(torch.randn(config.heads))
        if config.own_mask:
            self.register_buffer("bias", torch.ones(1, 1, 16, 16, dtype=torch.bool).tril())

    def forward(self, x, mask):
        b, n, _ = x.shape
        size = self.config.width // self.config.heads
        q, k, v = (project(x).view(b, n, -1, size).transpose(1, 2)
                   for project in (self.q_proj, self.k_proj, self.v_proj))
        q, k = (rotated(t, torch.arange(n)) for t in (q, k))
        function = AttentionInterface.functions.get(self.config._attn_implementation,
                                                    eager_attention_forward)
        output, weights = function(self, q, k, v, mask, dropout=0.0, **self.config.options)
        self.weights = weights
        return self.o_proj(output.reshape(b, n, -1))


class Model(torch.nn.Module):
    device = "cpu"

    def __init__(self, **settings):
        super().__init__()
        self.config = types.SimpleNamespace(
            _attn_implementation="eager", width=24, heads=3, key_heads=3, own_mask=False, sinks=False, window=0,
            options={})
        self.config.__dict__.update(settings)
        self.embed = torch.nn.Embedding(32, self.config.width)
        self.layers = torch.nn.ModuleList(Attention(self.config, k) for k in range(3))

    def forward(self, input_ids, attention_mask):
        n = input_ids.shape[1]
        makes = AttentionMaskInterface.functions.get(self.config._attn_implementation)
        causal = torch.ones(n, n, dtype=torch.bool).tril()
        if self.config.window:
            causal = causal.triu(1 - self.config.window)
        allowed = causal & attention_mask[:, None, None, :].bool()
        mask = makes(allowed, torch.float32) if makes and not self.config.own_mask else None
        x = self.embed(input_ids)
        for layer in self.layers:
            x = x + layer(x, mask)
        return x


class RelativeAttention(torch.nn.Module):
    """As T5's: no function to replace, no scale, and a bias that holds the mask."""
    has_relative_attention_bias = True

    def __init__(self, width, heads):
        super().__init__()
        self.n_heads = heads
        self.q, self.k, self.v, self.o = (torch.nn.Linear(width, width, bias=False)
                                          for _ in range(4))
        self.bias = torch.nn.Parameter(torch.randn(heads, 32))

    def forward(self, x, keys, is_causal):
        q, k, v = (part(of).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
                   for part, of in ((self.q, x), (self.k, keys), (self.v, keys)))
        n_q, n_k = q.shape[-2], k.shape[-2]
        distance = (torch.arange(n_q)[:, None] - torch.arange(n_k)).clamp(-8, 8) + 8
        bias = self.bias[:, distance][None]
        if is_causal:
            blocked = torch.ones(n_q, n_k, dtype=torch.bool).triu(1)
            bias = bias.masked_fill(blocked, torch.finfo(torch.float32).min)
        self.weights = torch.softmax(q @ k.transpose(-1, -2) + bias, -1)
        return self.o((self.weights @ v).transpose(1, 2).flatten(2)), bias


class EncoderDecoder(torch.nn.Module):
    device = "cpu"

    def __init__(self):
        super().__init__()
        self.config = types.SimpleNamespace(_attn_implementation="eager", is_encoder_decoder=True,
                                            decoder_start_token_id=0)
        self.embed = torch.nn.Embedding(32, 24)
        parts = {"encoder": ["SelfAttention"], "decoder": ["SelfAttention", "EncDecAttention"]}
        for stack, names in parts.items():
            layer = torch.nn.ModuleDict({name: RelativeAttention(24, 3) for name in names})
            self.add_module(stack, torch.nn.ModuleDict({"block": torch.nn.ModuleList([layer])}))

    def forward(self, input_ids, attention_mask, decoder_input_ids):
        x, y = self.embed(input_ids), self.embed(decoder_input_ids)
        encoder, decoder = self.encoder["block"][0], self.decoder["block"][0]
        x = x + encoder["SelfAttention"](x, x, False)[0]
        y = y + decoder["SelfAttention"](y, y, True)[0]
        return decoder["EncDecAttention"](y, x, False)[0]


class Batch(dict):
    def to(self, device):
        return self


class Tokenizer:
    pad_token = "<pad>"
    words = ["<pad>", "The", "Ġcat", "Ġsat", "Ċ", "Ã©", "Ġdown"]

    def __call__(self, text, return_tensors, padding):
        texts = [text] if isinstance(text, str) else text
        rows = [[int(word) for word in one.split()] for one in texts]
        longest = max(map(len, rows))
        ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        return Batch(input_ids=ids, attention_mask=(ids != 0).long())

    def convert_ids_to_tokens(self, ids):
        return [self.words[k] for k in ids]


# --- what is written opens without a question

def read_npy(path):
    content = path.read_bytes()
    end = 10 + int.from_bytes(content[8:10], "little")
    shape = eval(content[10:end].decode("latin1"))["shape"]
    return torch.frombuffer(bytearray(content[end:]), dtype=torch.float32).reshape(shape)


def run(*arguments):
    done = subprocess.run([maskscope, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(name, model, text, folder, expects=""):
    file = folder / f"{name}.safetensors"
    code = types.ModuleType("dump_attention")
    exec(compile(script.read_text(), str(script), "exec"), code.__dict__)
    error = folder / "stderr"
    with open(error, "w") as sys.stderr:
        code.dump_attention(model, Tokenizer(), text, str(file))
    sys.stderr = sys.__stderr__
    assert (expects in error.read_text()) and (bool(expects) == bool(error.read_text())), name
    assert model.config._attn_implementation == "eager", "the model is left as it was"
    described = run("describe", file)
    assert "The  cat" in described and "⏎" in described and "é" in described, described
    if not expects:
        run("compute", file, "--out", folder / name)
        weights = read_npy(folder / name / "variant-0" / "weights.npy")
        theirs = model.layers[0].weights.float()
        seen = torch.isfinite(weights) & torch.isfinite(theirs)
        assert weights.shape == theirs.shape and seen.all()
        assert torch.allclose(weights, theirs, atol=1e-5), name
        assert "mask: " in described and ("causal" in described or "window" in described), described
    return described


def check_encoder_decoder(folder):
    model, file = EncoderDecoder(), folder / "t5.safetensors"
    code = types.ModuleType("dump_attention")
    exec(compile(script.read_text(), str(script), "exec"), code.__dict__)
    code.dump_attention(model, Tokenizer(), "1 2 3 4 5 6", str(file), target="4 5 6")
    layers = [model.encoder["block"][0]["SelfAttention"],
              model.decoder["block"][0]["EncDecAttention"],
              model.decoder["block"][0]["SelfAttention"]]
    found = []
    for number in range(3):
        out = folder / f"t5-{number}"
        run("compute", file, "--layer", number, "--out", out)
        weights = read_npy(out / "variant-0" / "weights.npy")
        found += [k for k, layer in enumerate(layers) if weights.shape == layer.weights.shape and
                  torch.allclose(weights, layer.weights, atol=1e-5)]
        described = run("describe", file, "--layer", number)
        assert "cat" in described or number > 0, described
    assert sorted(found) == [0, 1, 2], found
    # A model without any attention function is refused by name.
    class Other(Model):
        def forward(self, input_ids, attention_mask):
            return input_ids
    try:
        code.dump_attention(Other(), Tokenizer(), "1 2 3", str(folder / "none.safetensors"))
        raise AssertionError("nothing was written, and nothing said so")
    except SystemExit as error:
        assert "Other calls no attention function" in str(error), error
    assert not (folder / "none.safetensors").exists()


with tempfile.TemporaryDirectory() as path:
    torch.manual_seed(3)
    folder = pathlib.Path(path)
    sentence = "1 2 3 4 5 6"
    install(has_masks=True)
    assert "scale sqrt_d_k" in check("plain", Model(), sentence, folder)
    check("shared-keys", Model(key_heads=1), sentence, folder)
    assert "scale 0.3" in check("scaled", Model(options={"scaling": 0.3}), sentence, folder)
    assert "padding" in check("batch", Model(), [sentence, "1 2 5 4"], folder)
    check("capped", Model(options={"cap": 0.1, "scaling": 5.0}), sentence, folder,
          "the model does more to its scores")
    check("own-mask", Model(own_mask=True), sentence, folder)
    assert "sink" in check("sinks", Model(sinks=True), sentence, folder)
    check("softcap", Model(options={"softcap": 0.5}), sentence, folder)
    window = check("window", Model(window=3), [sentence, "1 2 5 4"], folder)
    assert "window" in window and "padding" in window, window
    check_encoder_decoder(folder)
    # Older versions have no registry of masks; GPT-2 has its own.
    AttentionMaskInterface.functions.clear()
    install(has_masks=False)
    check("older", Model(own_mask=True), sentence, folder)
print("what dump_attention.py writes opens without a question, and gives the model's weights")
