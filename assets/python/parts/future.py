def future():
    """No output changes with a later token: a model that generates cannot see the future."""
    before, worst = attention(q, k, v, mask), Worst()
    for t in range(1, n_q):
        replaced = [x.clone() for x in (q, k, v)]
        for s, tokens in enumerate(queries):
            others = [o % n_q for o in range(t + 1, t + n_q) if tokens[o % n_q] != tokens[t]]
            other = others[0] if others else (t + 1) % n_q
            for x, own in zip(replaced, (q, k, v)):
                x[s, :, t] = own[s, :, other]
        after = attention(*replaced, mask)
        change = apart(before, after)[:, :, :t].amax(-1)
        allowed_change = tolerance_of_output * largest(before)[:, :, :t].amax(-1)
        change = change.masked_fill(change <= allowed_change, 0.0).amax(1)
        for s in range(b):
            for i in range(t):
                worst.take(change[s, i].item(), s, i, t)
    if worst.place:
        s, i, t = worst.place
        return (f'{row_named(s, i)} changes by {worst.amount:.6g} '
                f'when "{queries[s][t]}" ({t}) is replaced')
