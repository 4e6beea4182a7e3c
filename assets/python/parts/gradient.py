def gradient():
    """Every gradient is finite, and no gradient flows through a blocked key."""
    inputs = [x.clone().requires_grad_() for x in (q, k, v)]
    output, worst = attention(*inputs, mask), Worst()
    seen = allowed.expand(b, h, n_q, n_k)
    # A row that attends to all has no blocked key.
    opened = seen.any(-1, keepdim=True).logical_not() & opens_empty_rows
    rounding = min(64 * torch.finfo(dtype).eps, 1e-6) * largest(q).max() * largest(v).max()
    for i in range(n_q):
        row = output[:, :, i]
        factors = (1 + torch.arange(row.shape[-1]) % 7).to(row.dtype)
        found = torch.autograd.grad((row * factors).sum(), inputs, retain_graph=True,
                                    allow_unused=True)
        found = [torch.zeros_like(x) if grad is None else grad for x, grad in zip(inputs, found)]
        blocked = found[1].abs().sum(-1).double().masked_fill(
            (seen | opened)[:, :, i], 0.0).sum(-1)
        for s in range(b):
            if opened[s, :, i].all():
                continue
            for grad in found:
                if not torch.isfinite(grad[s]).all():
                    wrong = grad[s][~torch.isfinite(grad[s])][0].item()
                    return f'{wrong} in {row_named(s, i)}'
            least = tolerance_of_gradient * largest(found[1][s]).max()
            if blocked[s].max() > max(least, rounding):
                worst.take(blocked[s].max().item(), s, i)
    if worst.place:
        return f'{worst.amount:.6g} on blocked keys in {row_named(*worst.place)}'
