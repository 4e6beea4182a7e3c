def cache():
    """Step by step with a KV cache, the outputs are the same as in a full pass."""
    at_once, worst = attention(q, k, v, mask), Worst()
    for t in range(n_q):
        step = attention(q[:, :, t:t + 1], k[:, :, :t + 1], v[:, :, :t + 1], mask_of_step(t))
        change = apart(at_once[:, :, t:t + 1], step).amax(-1).amax(1)
        for s in range(b):
            if not change[s, 0] <= tolerance * largest(v).max():
                worst.take(change[s, 0].item(), s, t)
    if worst.place:
        return (f'{row_named(*worst.place)} differs by {worst.amount:.6g} '
                'when it is computed step by step')
