def normal(seed, name, *shape):
    """Seeded normal numbers: sums of twelve uniform ones of SplitMix64, less 6."""
    def signed(x):
        return (x + 2**63) % 2**64 - 2**63

    def shifted(x, bits):
        return (x >> bits) & (2**(64 - bits) - 1)

    hashed = 0xcbf29ce484222325  # FNV-1a
    for byte in name.encode():
        hashed = (hashed ^ byte) * 0x100000001b3 % 2**64
    steps = torch.arange(1, 12 * math.prod(shape) + 1)
    z = steps * signed(0x9e3779b97f4a7c15) + signed(seed ^ hashed)
    z = (z ^ shifted(z, 30)) * signed(0xbf58476d1ce4e5b9)
    z = (z ^ shifted(z, 27)) * signed(0x94d049bb133111eb)
    uniform = shifted(z ^ shifted(z, 31), 11).double() * 2.0**-53
    total = torch.zeros(math.prod(shape), dtype=torch.float64)
    for twelfth in uniform.reshape(-1, 12).T:
        total = total + twelfth
    return (total - 6).reshape(shape)
