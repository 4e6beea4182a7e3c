# Greedy decoding: each word recomputes the whole prefix. Finished sentences are padded.
z = encode()
read = [["<bos>"] for _ in sources]
said, ended = [[] for _ in sources], [False] * len(sources)
while True:
    logits = decode(read, z)[:, -1]
    for sentence, row in enumerate(logits):
        if ended[sentence]:
            continue
        if row.isnan().any():
            said[sentence], ended[sentence] = None, True
            continue
        word = target_words[int(row.argmax())]
        ended[sentence] = word == "<eos>"
        if word != "<eos>":
            said[sentence].append(word)
    if all(ended) or len(read[0]) == max_target:
        break
    for sentence, words in enumerate(read):
        words.append("<pad>" if ended[sentence] else said[sentence][-1])
