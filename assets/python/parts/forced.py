# Teacher-forced: the decoder reads the target, and each row predicts the next word.
longest = max(map(len, targets))
read = [["<bos>"] + target + ["<pad>"] * (longest - len(target)) for target in targets]
said = []
for target, logits in zip(targets, decode(read, encode())):
    rows = logits[:len(target) + 1]
    said.append(None if rows.isnan().any() else [target_words[i] for i in rows.argmax(-1)])
