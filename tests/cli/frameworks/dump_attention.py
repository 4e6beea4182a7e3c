"""Runs assets/python/dump_attention.py on tiny random models, and opens what it writes.

dump_attention.py MASKSCOPE SCRIPT: safetensors is a stand-in made here, and the models call their
attention as those of transformers 4 and 5 do: through a function of their file, or by themselves.
The weights that `maskscope compute` computes from each file must be those of the model itself.
Status 77 where torch is not installed.
"""
import contextlib
import io
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

def eager_mask(allowed):
    """Returns 0 for an allowed key, else the lowest number."""
    return torch.zeros(allowed.shape).masked_fill(~allowed, torch.finfo(torch.float32).min)


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


def sdpa_attention_forward(module, query, key, value, attention_mask, **options):
    """Attention that takes a boolean mask and returns no weights."""
    added = torch.zeros(attention_mask.shape).masked_fill(~attention_mask, -torch.inf)
    return eager_attention_forward(module, query, key, value, added, **options)[0], None


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
        function = {"sdpa": sdpa_attention_forward}.get(self.config._attn_implementation,
                                                        eager_attention_forward)
        output, weights = function(self, q, k, v, mask, dropout=0.0, **self.config.options)
        self.weights = weights
        return self.o_proj(output.reshape(b, n, -1))


class Model(torch.nn.Module):
    device = "cpu"

    def __init__(self, **settings):
        super().__init__()
        self.config = types.SimpleNamespace(
            _attn_implementation="eager", width=24, heads=3, key_heads=3, own_mask=False,
            sinks=False, window=0, options={})
        self.config.__dict__.update(settings)
        self.embed = torch.nn.Embedding(32, self.config.width)
        self.layers = torch.nn.ModuleList(Attention(self.config, k) for k in range(3))

    def forward(self, input_ids, attention_mask):
        n = input_ids.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool).tril()
        if self.config.window:
            causal = causal.triu(1 - self.config.window)
        allowed = causal & attention_mask[:, None, None, :].bool()
        mask = allowed if self.config._attn_implementation == "sdpa" else eager_mask(allowed)
        mask = None if self.config.own_mask else mask
        x = self.embed(input_ids)
        for layer in self.layers:
            x = x + layer(x, mask)
        return x


class RelativeAttention(torch.nn.Module):
    """Attention like T5's: no function to replace, no scale, and a bias that holds the mask."""

    def __init__(self, width, heads):
        super().__init__()
        self.n_heads = heads
        self.q, self.k, self.v, self.o = (torch.nn.Linear(width, width, bias=False)
                                          for _ in range(4))
        self.table = torch.nn.Parameter(torch.randn(heads, 32))

    def forward(self, x, keys, is_causal):
        q, k, v = (part(of).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
                   for part, of in ((self.q, x), (self.k, keys), (self.v, keys)))
        n_q, n_k = q.shape[-2], k.shape[-2]
        distance = (torch.arange(n_q)[:, None] - torch.arange(n_k)).clamp(-8, 8) + 8
        bias = self.table[:, distance][None]
        if is_causal:
            blocked = torch.ones(n_q, n_k, dtype=torch.bool).triu(1)
            bias = bias.masked_fill(blocked, torch.finfo(torch.float32).min)
        return self.o(self.attend(q, k, v, bias).transpose(1, 2).flatten(2)), None

    def attend(self, q, k, v, bias):
        self.weights = torch.nn.functional.softmax(q @ k.transpose(-1, -2) + bias, dim=-1)
        return self.weights @ v


class RelativeAttentionOfToday(RelativeAttention):
    """Attention like T5's in later versions: the function gets the bias as its mask."""

    def attend(self, q, k, v, bias):
        output, self.weights = eager_attention_forward(self, q, k, v, bias, scaling=1.0)
        return output.transpose(1, 2)


class OwnMask(torch.nn.Module):
    """Attention like GPT-Neo's: no function to replace, and cells that are filled in."""

    def __init__(self, config, window):
        super().__init__()
        self.projections = torch.nn.ModuleList(torch.nn.Linear(24, 24) for _ in range(3))
        allowed = torch.ones(16, 16, dtype=torch.bool).tril()
        self.register_buffer("bias", allowed if window is None else allowed.triu(1 - window))

    def forward(self, x, mask):
        q, k, v = (part(x).unflatten(-1, (3, -1)).transpose(1, 2) for part in self.projections)
        n = x.shape[1]
        lowest = torch.finfo(torch.float32).min
        scores = torch.where(self.bias[:n, :n], torch.matmul(q, k.transpose(-1, -2)),
                             torch.tensor(lowest))
        self.weights = torch.nn.functional.softmax(scores + mask, dim=-1)
        return torch.matmul(self.weights, v).transpose(1, 2).flatten(2)


class ModelWithoutFunction(torch.nn.Module):
    device = "cpu"

    def __init__(self, window):
        super().__init__()
        self.config = types.SimpleNamespace(_attn_implementation="eager")
        self.embed = torch.nn.Embedding(32, 24)
        self.layers = torch.nn.ModuleList([OwnMask(self.config, window)])

    def forward(self, input_ids, attention_mask):
        return self.layers[0](self.embed(input_ids),
                              eager_mask(attention_mask[:, None, None, :].bool()))


class EncoderDecoder(torch.nn.Module):
    device = "cpu"

    def __init__(self, kind):
        super().__init__()
        self.config = types.SimpleNamespace(_attn_implementation="eager", is_encoder_decoder=True,
                                            decoder_start_token_id=0)
        self.embed = torch.nn.Embedding(32, 24)
        parts = {"encoder": ["SelfAttention"], "decoder": ["SelfAttention", "EncDecAttention"]}
        for stack, names in parts.items():
            layer = torch.nn.ModuleDict({name: kind(24, 3) for name in names})
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


def dump(model, text, file, target=None):
    """Runs the script, which writes the file, and returns what it prints on standard error."""
    code = types.ModuleType("dump_attention")
    exec(compile(script.read_text(), str(script), "exec"), code.__dict__)
    before, said = model.config._attn_implementation, io.StringIO()
    with contextlib.redirect_stderr(said):
        code.dump_attention(model, Tokenizer(), text, str(file), target)
    assert model.config._attn_implementation == before, "the model is left as it was"
    return said.getvalue()


def expect_weights(file, theirs, *options):
    out = file.with_suffix("")
    run("compute", file, *options, "--out", out)
    weights = read_npy(out / "variant-0" / "weights.npy")
    seen = torch.isfinite(weights) & torch.isfinite(theirs)
    assert weights.shape == theirs.shape and seen.all(), (file, weights.shape)
    assert torch.allclose(weights, theirs, atol=1e-5), (file, (weights - theirs).abs().max())


def check(name, model, text, folder, expects=""):
    file = folder / f"{name}.safetensors"
    said = dump(model, text, file)
    assert (expects in said) and (bool(expects) == bool(said)), (name, said)
    described = run("describe", file)
    assert "The  cat" in described and "⏎" in described and "é" in described, described
    if not expects:
        if model.config._attn_implementation == "sdpa":  # now with weights
            model.config._attn_implementation = "eager"
            model(**Tokenizer()(text, None, True))
        expect_weights(file, model.layers[0].weights)
        assert "mask: " in described and ("causal" in described or "window" in described), described
    return described


def check_encoder_decoder(kind, folder):
    model, file = EncoderDecoder(kind), folder / f"{kind.__name__}.safetensors"
    dump(model, "1 2 3 4 5 6", file, target="4 5 6")
    encoder, decoder = model.encoder["block"][0], model.decoder["block"][0]
    # Layers are in the order of their names.
    for number, layer in enumerate([decoder["EncDecAttention"], decoder["SelfAttention"],
                                    encoder["SelfAttention"]]):
        expect_weights(file, layer.weights, "--layer", number)
    assert "cat" in run("describe", file, "--layer", 2)
    with tempfile.TemporaryDirectory() as other:  # each sequence's bias holds its padding
        batch = pathlib.Path(other) / "batch.safetensors"
        dump(model, ["1 2 3 4 5 6", "1 2 5 4"], batch, target=["4 5 6", "4 5 1"])
        for take in range(2):
            expect_weights(batch, encoder["SelfAttention"].weights[take:take + 1], "--layer", 2,
                           "--take", take)


def check_refusal(folder):
    """Checks that a model without any attention is refused by name."""
    class Other(Model):
        def forward(self, input_ids, attention_mask):
            return input_ids
    try:
        dump(Other(), "1 2 3", folder / "none.safetensors")
        raise AssertionError("nothing was written, and nothing was reported")
    except SystemExit as error:
        assert "Other calls no attention function" in str(error), error
    assert not (folder / "none.safetensors").exists()


stand_in("safetensors")
stand_in("safetensors.torch", save_file=save_file)
with tempfile.TemporaryDirectory() as path:
    torch.manual_seed(3)
    folder = pathlib.Path(path)
    sentence = "1 2 3 4 5 6"
    assert "scale sqrt_d_k" in check("plain", Model(), sentence, folder)
    check("sdpa", Model(_attn_implementation="sdpa"), sentence, folder)
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
    check("no-function", ModelWithoutFunction(None), [sentence, "1 2 5 4"], folder)
    check("no-function-window", ModelWithoutFunction(3), [sentence, "1 2 5 4"], folder)
    check_encoder_decoder(RelativeAttention, folder)
    check_encoder_decoder(RelativeAttentionOfToday, folder)
    check_refusal(folder)
print("what dump_attention.py writes opens without a question, and gives the model's weights")
