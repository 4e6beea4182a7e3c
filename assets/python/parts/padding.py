def padding():
    """A sequence gives the same outputs alone as in a padded batch."""
    padded, worst = attention(q, k, v, mask), Worst()

    def own(tokens):
        return max((place + 1 for place, token in enumerate(tokens) if token != pad_token),
                   default=0)

    for s in range(b):
        rows, columns = own(queries[s]), own(keys[s])
        if rows == 0 or columns == 0:
            continue
        one = slice(s, s + 1)
        alone = attention(q[one, :, :rows], k[one, :, :columns], v[one, :, :columns],
                          mask[one, :, :rows, :columns])
        change = apart(padded[one, :, :rows], alone).amax(-1).amax(1)[0]
        for i in range(rows):
            if not change[i] <= tolerance * largest(alone).max():
                worst.take(change[i].item(), s, i)
    if worst.place:
        return (f'{row_named(*worst.place)} differs by {worst.amount:.6g} '
                'from the sequence alone')
