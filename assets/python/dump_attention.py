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
from transformers import AttentionInterface

NAME = "maskscope"


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


class Notes:
    def __init__(self, model):
        self.tensors, self.metadata = {}, {}
        self.names = {module: name for name, module in model.named_modules()}

    def take(self, layer, scale, cap, **parts):
        self.tensors.update({f"{layer}.{part}": tensor.detach().cpu().clone().contiguous()
                             for part, tensor in parts.items() if tensor is not None})
        self.metadata[f"{layer}.scale"] = repr(float(scale))
        if cap is not None:
            self.metadata[f"{layer}.softcap"] = repr(float(cap))

    def attention(self, module, query, key, value, attention_mask, scaling=None, **options):
        """Notes what it gets, and does what the model itself would do."""
        if scaling is not None:
            options["scaling"] = scaling
        eager = sys.modules[type(module).__module__].eager_attention_forward
        result = eager(module, query, key, value, attention_mask, **options)
        config = getattr(module, "config", None)
        scale = first_of(scaling, query.shape[-1] ** -0.5)
        cap = first_of(options.get("softcap"), getattr(module, "attn_logit_softcapping", None),
                       getattr(config, "attn_logit_softcapping", None))
        sinks = first_of(options.get("s_aux"), getattr(module, "sinks", None))
        bias = options.get("position_bias")
        mask, layer = blocked_by(module, query, key, attention_mask), self.names[module]
        self.take(layer, scale, cap, q=query, k=key, v=value, mask=mask, sinks=sinks,
                  position_bias=bias)
        if result[1] is not None:  # is that all there is to the weights?
            added = bias if mask is None else mask if bias is None else mask + bias
            weights = weights_of(query, key, scale, added, cap, sinks)
            if (weights - result[1].float()).abs().max() > 0.02:
                print(f"{layer}: the model does more to its scores: Maskscope will show other "
                      "weights", file=sys.stderr)
        return result

    def watch(self, model):
        """T5 and its kin have no function to replace: their softmax tells the weights, and a
        module's own projections what they are made from. Returns what ends the watching."""
        hooks = []
        for module, layer in self.names.items():
            if not all(hasattr(module, part) for part in ("q", "k", "v", "has_relative_attention_bias")):
                continue
            hooks += [
                part.register_forward_hook(
                    lambda _, __, result, layer=layer, part_name=name, module=module:
                    self.project(layer, part_name, module, result))
                for name, part in (("q", module.q), ("k", module.k), ("v", module.v))]
            hooks.append(module.register_forward_hook(
                lambda _, __, result, layer=layer: self.take_bias(layer, result)))
        return lambda: [hook.remove() for hook in hooks]

    def project(self, layer, part, module, result):
        heads = result.unflatten(-1, (module.n_heads, -1)).transpose(1, 2)
        self.take(layer, 1.0, None, **{part: heads})

    def take_bias(self, layer, result):
        """The bias is the third of what the layer returns (transformers 4) or the second; the mask
        is in it."""
        found = [part for part in result[1:] if torch.is_tensor(part) and part.dim() == 4]
        if not found:
            raise SystemExit(f"{layer}: its position bias is not returned; dump its weights instead")
        self.take(layer, 1.0, None, position_bias=found[0])


def tokens_in(tokenizer, ids):
    return json.dumps([tokenizer.convert_ids_to_tokens(row) for row in ids.tolist()])


def run(model, tokenizer, text, target):
    """Runs the model; returns the ids of its text and, of a decoder, of what it says."""
    inputs, ids = tokenizer(text, return_tensors="pt", padding=not isinstance(text, str)), None
    if getattr(model.config, "is_encoder_decoder", False):
        count = inputs["input_ids"].shape[0]
        ids = torch.full((count, 1), model.config.decoder_start_token_id)
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
    notes = Notes(model)
    AttentionInterface.register(NAME, notes.attention)
    try:  # without this every layer would get no mask
        from transformers import AttentionMaskInterface
        from transformers.masking_utils import eager_mask
        AttentionMaskInterface.register(NAME, eager_mask)
    except ImportError:  # before 4.53 a name that is not known gets the mask of eager
        pass
    stop, before = notes.watch(model), model.config._attn_implementation
    use = getattr(model, "set_attn_implementation",
                  lambda name: setattr(model.config, "_attn_implementation", name))
    watched = any(hasattr(module, "has_relative_attention_bias") for module in notes.names)
    if not watched:  # T5 has no attention function to replace
        use(NAME)
    try:
        ids, decoder_ids = run(model, tokenizer, text, target)
    finally:
        stop()
        if not watched:
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
