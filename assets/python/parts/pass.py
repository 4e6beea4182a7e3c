kept = {}  # weights and output of the layer that is shown


def attention(name, rule, x, y, queries, keys):
    def split(numbers):  # [b, n, d] -> [b, h, n, d / h]
        return numbers.reshape(*numbers.shape[:2], heads, -1).transpose(1, 2).double()
    weights, output = rule(split(linear(x, name + ".q")), split(linear(y, name + ".k")),
                           split(linear(y, name + ".v")), queries, keys)
    if name == shown:
        output[:, heads_off] = 0.0
        kept.update(weights=weights, output=output)
    return linear(output.transpose(1, 2).flatten(2).to(wide), name + ".o")


def encode():
    x = embed(sources, source_words, t["es.weight"])
    for layer in range(encoder_layers):
        name = f"enc.{layer}."
        y = norm(x, name + "n1")
        x = x + attention(name + "sa", encoder, y, y, sources, sources)
        x = x + feed_forward(norm(x, name + "n2"), name + "ff")
    return norm(x, "ne")


def decode(read, z):  # logits [b, n, words]
    x = embed(read, target_words, t["et.weight"])
    for layer in range(decoder_layers):
        name = f"dec.{layer}."
        y = norm(x, name + "n1")
        x = x + attention(name + "sa", decoder, y, y, read, read)
        x = x + attention(name + "ca", cross, norm(x, name + "n2"), z, read, sources)
        x = x + feed_forward(norm(x, name + "n3"), name + "ff")
    return norm(x, "nd") @ t["et.weight"].T + t["b"]
