def number(x):
    return torch.as_tensor(x, dtype=torch.float64)
