"""Writes what the attention of a model computes with, for Maskscope to open.

    python3 dump_attention.py gpt2 "The cat sat on the mat" cat.safetensors

or, with a model that is loaded already, dump_attention(model, tokenizer, text, file); text may be
a list. Of every layer: queries and keys after the rotation, values, the mask, the scale, and where
the model has them sinks, the cap of its scores and a bias of positions; and the tokens. An
encoder-decoder model reads the text and writes target, a text too (by default its first token).
Needs torch and transformers 4.48 or later; not for models that have attention kernels of their own
(Longformer): dump the weights of those.
"""
import json
import sys

import torch
from safetensors.torch import save_file
from torch.overrides import TorchFunctionMode

EAGER = "eager_attention_forward"


def first_of(*values):
    return next((value for value in values if value is not None), None)


def blocked_by(module, query, key, mask):
    """The mask, with the causal one that GPT-2 and its kin keep in the module."""
    n_q, n_k, own = query.shape[-2], key.shape[-2], getattr(module, "bias", None)
    if not (torch.is_tensor(own) and own.dtype == torch.bool and own.dim() == 4 and n_q <= n_k):
        return mask
    mask = query.new_zeros(1) if mask is None else mask
    lowest = torch.finfo(query.dtype).min
    return mask[..., :n_k].masked_fill(~own[:, :, n_k - n_q:n_k, :n_k], lowest)


def weights_of(query, key, scale, mask, cap, sinks):
    """What Maskscope will compute."""
    key = key.repeat_interleave(query.shape[1] // key.shape[1], dim=1)
    scores = query.float() @ key.float().transpose(-1, -2) * scale
    if cap is not None:
        scores = cap * torch.tanh(scores / cap)
    if mask is not None:
        scores = scores + mask[..., :key.shape[-2]].float()
    if sinks is not None:
        column = sinks.float().reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)
        scores = torch.cat([scores, column], dim=-1)
    return torch.softmax(scores, -1)[..., :key.shape[-2]]


def blocks_alone(bias):
    """Is it nothing but 0 and a number so low that it blocks?"""
    return bool(((bias == 0) | (bias <= -9984)).all())


def largest_score(query, key, scale):
    """No score is larger."""
    return (query.float().norm(dim=-1).max() * key.float().norm(dim=-1).max() * abs(scale)).item()


class Notes:
    def __init__(self, model):
        self.tensors, self.metadata = {}, {}
        self.names = {module: name for name, module in model.named_modules()}
        self.is_in_function = False

    def take(self, layer, scale, cap, **parts):
        self.tensors.update({f"{layer}.{part}": tensor.detach().cpu().clone().contiguous()
                             for part, tensor in parts.items() if tensor is not None})
        self.metadata[f"{layer}.scale"] = repr(float(scale))
        if cap is not None:
            self.metadata[f"{layer}.softcap"] = repr(float(cap))

    def attention(self, eager, module, query, key, value, attention_mask, scaling=None, **options):
        """Notes what it gets, and does what the model itself would do."""
        if scaling is not None:
            options["scaling"] = scaling
        self.is_in_function = True
        result = eager(module, query, key, value, attention_mask, **options)
        self.is_in_function = False
        config = getattr(module, "config", None)
        scale = first_of(scaling, getattr(module, "scaling", None), query.shape[-1] ** -0.5)
        cap = first_of(options.get("softcap"), getattr(module, "attn_logit_softcapping", None),
                       getattr(config, "attn_logit_softcapping", None))
        sinks = first_of(options.get("s_aux"), getattr(module, "sinks", None))
        mask, bias = attention_mask, options.get("position_bias")
        if mask is not None and not blocks_alone(mask):  # T5's bias holds the mask
            mask, bias = None, mask if bias is None else mask + bias
        mask, layer = blocked_by(module, query, key, mask), self.names[module]
        self.take(layer, scale, cap, q=query, k=key, v=value, mask=mask, sinks=sinks,
                  position_bias=bias)
        if result[1] is not None:  # is that all there is to the weights?
            added = bias if mask is None else mask if bias is None else mask + bias
            weights = weights_of(query, key, scale, added, cap, sinks)
            rounding = torch.finfo(query.dtype).eps * largest_score(query, key, scale)
            if (weights - result[1].float()).abs().max() > 0.02 + 4 * rounding:
                print(f"{layer}: the model does more to its scores: Maskscope will show other "
                      "weights", file=sys.stderr)
        return result

    def replace_functions(self):
        """Most models call a function of the file they are written in. Returns what undoes it."""
        files = {sys.modules[kind.__module__] for module in self.names
                 for kind in type(module).__mro__ if kind.__module__ in sys.modules}
        before = [(file, name, function) for file in files
                  for name, function in vars(file).items() if name.endswith(EAGER)]
        for file, name, eager in before:
            def noting(*arguments, eager=eager, **options):
                return self.attention(eager, *arguments, **options)
            setattr(file, name, noting)
        return lambda: [setattr(*one) for one in before]


class Watch(TorchFunctionMode):
    """T5, GPT-Neo and their kin have no function to replace: what their modules multiply before
    and after a softmax are queries, keys and values, and the softmax gets scores, bias and mask."""

    def __init__(self, notes):
        super().__init__()
        self.notes, self.running, self.product, self.weights = notes, [], None, None
        self.hooks = [hook for module, layer in notes.names.items() for hook in (
            module.register_forward_pre_hook(lambda *_, layer=layer: self.enter(layer)),
            module.register_forward_hook(lambda *_: self.leave()))]

    def enter(self, layer):
        self.running.append(layer)

    def leave(self):
        self.running.pop()

    def __exit__(self, *error):
        for hook in self.hooks:
            hook.remove()
        return super().__exit__(*error)

    def __torch_function__(self, function, types, arguments=(), options=None):
        result, name = function(*arguments, **(options or {})), getattr(function, "__name__", "")
        if self.notes.is_in_function:
            return result
        if name in ("matmul", "__matmul__") and result.dim() == 4:
            self.multiplied(*arguments, result)
        elif name == "softmax" and self.product is not None:
            if arguments[0].shape == self.product[2].shape:
                self.weights = arguments[0], result
        return result

    def multiplied(self, left, right, result):
        if self.weights is None or left.shape != self.weights[1].shape:
            self.product = left, right, result
            return
        layer, (query, key, _), (logits, _) = self.running[-1], self.product, self.weights
        self.product = self.weights = None
        scale, bias = what_is_added(query, key, logits)
        part = "mask" if blocks_alone(bias) else "position_bias"
        self.notes.take(layer, scale, None, q=query, k=key.transpose(-1, -2), v=right,
                        **{part: bias})


def what_is_added(query, key, logits):
    """The scale of the scores, and what the logits are more than scaled scores."""
    scores, error = query.float() @ key.float(), 16 * torch.finfo(logits.dtype).eps
    for scale in (1.0, query.shape[-1] ** -0.5):
        bias = logits.float() - scores * scale
        bias = bias.masked_fill(bias.abs() <= error * scores.abs().max(), 0)
        if blocks_alone(bias):
            return scale, bias
    return 1.0, logits.float() - scores


def tokens_in(tokenizer, ids):
    return json.dumps([tokenizer.convert_ids_to_tokens(row) for row in ids.tolist()])


def run(model, tokenizer, text, target):
    """Runs the model; returns the ids of its text and, of a decoder, of what it says."""
    inputs, ids = tokenizer(text, return_tensors="pt", padding=not isinstance(text, str)), None
    if getattr(model.config, "is_encoder_decoder", False):
        count = inputs["input_ids"].shape[0]
        start = first_of(getattr(model.config, "decoder_start_token_id", None),
                         getattr(model.config, "pad_token_id", None), 0)
        ids = torch.full((count, 1), start)
        if target is not None:
            targets = [target] * count if isinstance(target, str) else target
            said = tokenizer(targets, return_tensors="pt", padding=True)["input_ids"]
            ids = torch.cat([ids, said], dim=1)
        inputs["decoder_input_ids"] = ids
    with torch.no_grad():
        model.eval()(**inputs.to(model.device))
    return inputs["input_ids"], ids


def name_tokens(metadata, tokenizer, ids, decoder_ids):
    metadata["tokens"] = tokens_in(tokenizer, ids)
    for key in [key for key in metadata if key.endswith(".scale")]:
        layer = key[:-len(".scale")]
        if "decoder" in layer.split(".") and decoder_ids is not None:
            metadata[f"{layer}.tokens"] = tokens_in(tokenizer, decoder_ids)
            if any(word in layer.lower() for word in ("encdec", "encoder_attn", "cross")):
                metadata[f"{layer}.key_tokens"] = metadata["tokens"]


def dump_attention(model, tokenizer, text, file, target=None):
    notes, before = Notes(model), model.config._attn_implementation
    use = getattr(model, "set_attn_implementation",
                  lambda name: setattr(model.config, "_attn_implementation", name))
    restore = notes.replace_functions()
    try:
        use("eager")
        with Watch(notes):
            ids, decoder_ids = run(model, tokenizer, text, target)
    finally:
        restore()
        use(before)
    if not notes.tensors:
        raise SystemExit(f"{type(model).__name__} calls no attention function that can be watched "
                         "(Longformer, older models): dump its weights (output_attentions=True)")
    name_tokens(notes.metadata, tokenizer, ids, decoder_ids)
    notes.metadata["axes"] = "bhnd"
    if getattr(tokenizer, "pad_token", None):
        notes.metadata["pad_token"] = tokenizer.pad_token
    save_file(notes.tensors, file, metadata=notes.metadata)


if __name__ == "__main__":
    from transformers import (AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM,
                              AutoTokenizer)
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    kind = (AutoModelForSeq2SeqLM if AutoConfig.from_pretrained(sys.argv[1]).is_encoder_decoder
            else AutoModelForCausalLM)
    dump_attention(kind.from_pretrained(sys.argv[1]), AutoTokenizer.from_pretrained(sys.argv[1]),
                   *sys.argv[2:])
