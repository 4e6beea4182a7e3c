"""Writes what the attention of a model computes with, for Maskscope to open.

    python3 dump_attention.py gpt2 "The cat sat on the mat" cat.safetensors

or, with a model that is loaded already, dump_attention(model, tokenizer, text, file); text may be
a list. Of every layer: queries and keys after the rotation, values, the mask, the scale; and the
tokens. Needs torch and transformers 4.48 or later; not for models whose positions enter the scores
(T5) or that have attention kernels of their own (Longformer): dump the weights of those.
"""
import json
import sys

import torch
from safetensors.torch import save_file
from transformers import AttentionInterface

NAME = "maskscope"


def dump_attention(model, tokenizer, text, file):
    tensors, metadata, names = {}, {}, {module: name for name, module in model.named_modules()}

    def attention(module, query, key, value, attention_mask, scaling=None, **options):
        """Notes what it gets, and does what the model itself would do."""
        if scaling is not None:
            options["scaling"] = scaling
        eager = sys.modules[type(module).__module__].eager_attention_forward
        result = eager(module, query, key, value, attention_mask, **options)
        scale = query.shape[-1] ** -0.5 if scaling is None else scaling
        n_q, n_k, mask = query.shape[-2], key.shape[-2], attention_mask
        own = getattr(module, "bias", None)  # GPT-2 and its kin: a causal mask that eager applies
        if torch.is_tensor(own) and own.dtype == torch.bool and own.dim() == 4 and n_q <= n_k:
            lowest, mask = torch.finfo(query.dtype).min, query.new_zeros(1) if mask is None else mask
            mask = mask[..., :n_k].masked_fill(~own[:, :, n_k - n_q:n_k, :n_k], lowest)
        layer = names[module]
        noted = {"q": query, "k": key, "v": value, "mask": mask}
        tensors.update({f"{layer}.{part}": tensor.detach().cpu().clone().contiguous()
                        for part, tensor in noted.items() if tensor is not None})
        metadata[f"{layer}.scale"] = repr(float(scale))
        if result[1] is not None:  # is that all there is to the weights?
            key = key.repeat_interleave(query.shape[1] // key.shape[1], dim=1)
            scores = query.float() @ key.float().transpose(-1, -2) * scale
            scores = scores if mask is None else scores + mask[..., :n_k].float()
            if (torch.softmax(scores, -1) - result[1].float()).abs().max() > 0.02:
                print(f"{layer}: the model does more to its scores (a cap, sinks, a bias): "
                      "Maskscope will show other weights", file=sys.stderr)
        return result

    AttentionInterface.register(NAME, attention)
    try:  # without this every layer would get no mask
        from transformers import AttentionMaskInterface
        from transformers.masking_utils import eager_mask
        AttentionMaskInterface.register(NAME, eager_mask)
    except ImportError:  # before 4.53 a name that is not known gets the mask of eager
        pass
    before = model.config._attn_implementation
    use = getattr(model, "set_attn_implementation",
                  lambda name: setattr(model.config, "_attn_implementation", name))
    inputs = tokenizer(text, return_tensors="pt", padding=not isinstance(text, str))
    use(NAME)
    try:
        with torch.no_grad():
            model.eval()(**inputs.to(model.device))
    finally:
        use(before)
    tokens = [tokenizer.convert_ids_to_tokens(ids) for ids in inputs["input_ids"].tolist()]
    metadata["tokens"] = json.dumps(tokens)
    if getattr(tokenizer, "pad_token", None):
        metadata["pad_token"] = tokenizer.pad_token
    save_file(tensors, file, metadata=metadata)


if __name__ == "__main__":
    from transformers import AutoModelForCausalLM, AutoTokenizer
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    dump_attention(AutoModelForCausalLM.from_pretrained(sys.argv[1]),
                   AutoTokenizer.from_pretrained(sys.argv[1]), *sys.argv[2:])
