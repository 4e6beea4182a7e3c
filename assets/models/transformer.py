"""An encoder-decoder Transformer, pre-norm, and the safetensors file it is kept in."""

import json
import math
import struct

import torch
from torch import nn
from torch.nn import functional

D, HEADS, FFN = 64, 4, 128
PAD, BOS, EOS = 0, 1, 2
MAX_SOURCE, MAX_TARGET = 12, 16


def positions(n):
    """PE [n, D]: sine and cosine by turns."""
    angle = torch.arange(n)[:, None] * 10000 ** (-torch.arange(0, D, 2) / D)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(n, D)


class Attention(nn.Module):
    """`rule` turns the scores q·k of all heads into weights: scale, mask and softmax are its."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(D, D) for _ in range(4))

    def forward(self, x, y, rule):
        def heads(t):  # [b, n, D] -> [b, h, n, D / h]
            return t.reshape(*t.shape[:2], HEADS, D // HEADS).transpose(1, 2)
        q, k, v = heads(self.q(x)), heads(self.k(y)), heads(self.v(y))
        self.weights = rule(q @ k.transpose(-1, -2))
        return self.o((self.weights @ v).transpose(1, 2).flatten(2))


def feed_forward():
    return nn.Sequential(nn.Linear(D, FFN), nn.ReLU(), nn.Linear(FFN, D))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.sa, self.ff = Attention(), feed_forward()

    def forward(self, x, rule):
        y = self.n1(x)
        x = x + self.sa(y, y, rule)
        return x + self.ff(self.n2(x))


class DecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2, self.n3 = (nn.LayerNorm(D) for _ in range(3))
        self.sa, self.ca, self.ff = Attention(), Attention(), feed_forward()

    def forward(self, x, z, rule, cross):
        y = self.n1(x)
        x = x + self.sa(y, y, rule)
        x = x + self.ca(self.n2(x), z, cross)
        return x + self.ff(self.n3(x))


class Translator(nn.Module):
    def __init__(self, layers, source_words, target_words):
        super().__init__()
        self.es, self.et = nn.Embedding(source_words, D), nn.Embedding(target_words, D)
        self.b = nn.Parameter(torch.zeros(target_words))
        self.enc = nn.ModuleList(EncoderLayer() for _ in range(layers))
        self.dec = nn.ModuleList(DecoderLayer() for _ in range(layers))
        self.ne, self.nd = nn.LayerNorm(D), nn.LayerNorm(D)
        self.register_buffer("pe", positions(64), persistent=False)
        for matrix in [p for p in self.parameters() if p.dim() == 2]:
            nn.init.xavier_uniform_(matrix)
        for embedding in (self.es, self.et):
            nn.init.normal_(embedding.weight, std=D ** -.5)

    def embedded(self, embedding, ids):
        return math.sqrt(D) * embedding(ids) + self.pe[:ids.shape[1]]

    def encode(self, source, rule):
        x = self.embedded(self.es, source)
        for layer in self.enc:
            x = layer(x, rule)
        return self.ne(x)

    def decode(self, target, z, rule, cross):
        """Logits [b, n, words]: row t predicts word t."""
        x = self.embedded(self.et, target)
        for layer in self.dec:
            x = layer(x, z, rule, cross)
        return functional.linear(self.nd(x), self.et.weight, self.b)


def scaled(scores):
    return scores / math.sqrt(D // HEADS)


def added(allowed):
    """The mask is added as -inf, before the softmax."""
    return lambda scores: scaled(scores).masked_fill(~allowed, -math.inf).softmax(-1)


def multiplied(allowed, there):
    """The mask is multiplied after the softmax; `there`: keys that exist (no pads of a batch)."""
    return lambda scores: scaled(scores).masked_fill(~there, -math.inf).softmax(-1) * allowed


def no_pads(ids):
    return (ids != PAD)[:, None, None, :]


def causal(n_q, n_k):
    return torch.ones(n_q, n_k, dtype=torch.bool).tril()


def layer_list(*kinds, apply="additive"):
    mask = {"layers": [{"kind": kind} for kind in kinds]}
    return mask if apply == "additive" else mask | {"apply": apply}


# What each attention of a model is masked with: as the file says it, and the rules of a pass.
MASKS = {
    "italian-english": {
        "encoder": layer_list("padding"), "decoder": layer_list("causal"),
        "cross": layer_list("padding")},
    "italian-english-no-causal": {
        "encoder": layer_list("padding"), "decoder": layer_list("padding"),
        "cross": layer_list("padding")},
    "italian-english-multiplied": {
        "encoder": layer_list("padding"),
        "decoder": layer_list("causal", apply="multiply_weights"), "cross": layer_list("padding")},
    "italian-english-both-causal": {
        "encoder": layer_list("padding", "causal"), "decoder": layer_list("causal"),
        "cross": layer_list("padding", "causal")},
}


def rule_of(mask, n_q, keys):
    """The rule of one attention; keys [b, n_k]: their ids, and pads of a batch never count."""
    allowed = no_pads(keys)
    if {"kind": "causal"} in mask["layers"]:
        allowed = allowed & causal(n_q, keys.shape[1])
    return multiplied(allowed, no_pads(keys)) if "apply" in mask else added(allowed)


def teacher_forced(model, masks, source, target):
    """Logits for `target` [b, n], which starts with <bos>, of a batch padded at the end."""
    z = model.encode(source, rule_of(masks["encoder"], source.shape[1], source))
    n = target.shape[1]
    return model.decode(target, z, rule_of(masks["decoder"], n, target),
                        rule_of(masks["cross"], n, source))


def generate(model, masks, source):
    """Greedy, the whole prefix again for each word: a list of ids for each sentence."""
    z = model.encode(source, rule_of(masks["encoder"], source.shape[1], source))
    target = torch.full((len(source), 1), BOS)
    for n in range(1, MAX_TARGET + 1):
        logits = model.decode(target, z, rule_of(masks["decoder"], n, target.clamp(min=1)),
                              rule_of(masks["cross"], n, source))
        target = torch.cat([target, logits[:, -1:].argmax(-1)], dim=1)
        if (target == EOS).any(1).all():
            break
    sentences = [row[1:MAX_TARGET + 1] for row in target.tolist()]
    return [row[:row.index(EOS)] if EOS in row else row for row in sentences]


def padded(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def write_safetensors(path, tensors, metadata):
    """float16, tensors in the order of their names."""
    header, blob = {"__metadata__": metadata}, b""
    for name, tensor in sorted(tensors.items()):
        data = tensor.detach().numpy().astype("<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": list(tensor.shape),
                        "data_offsets": [len(blob), len(blob) + len(data)]}
        blob += data
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + blob)


def read_safetensors(path):
    """(model, metadata), the numbers as float32."""
    data = path.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    metadata, tensors = header.pop("__metadata__"), {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        half = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.float16)
        tensors[name] = half.reshape(entry["shape"]).float()
    layers = len({name.split(".")[1] for name in tensors if name.startswith("enc.")})
    model = Translator(layers, len(tensors["es.weight"]), len(tensors["et.weight"]))
    model.load_state_dict(tensors)
    return model.eval(), metadata
