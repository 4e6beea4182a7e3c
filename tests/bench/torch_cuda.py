#!/usr/bin/env python3
"""Measures PyTorch's times on the graphics card: torch_cuda.py SIZE... with sizes as 12x1024.

Prints two lines for each size, "12x1024/weights EAGER OUT COPY" and "12x1024/output EAGER". Times are
medians in milliseconds, until the card has finished. EAGER is softmax(Q @ K.T / d**0.5 + M), as a
user writes it (float32, TF32 off). OUT is the same into existing tensors, and COPY is a copy of the
weights. The status is 1 without CUDA.
"""
import statistics
import sys
import time

WIDTH, WARM_UPS, ROUNDS = 64, 5, 20


def milliseconds(torch, work):
    """Returns the median time of some rounds, after some warm-up rounds."""
    times = []
    for _ in range(WARM_UPS + ROUNDS):
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times[WARM_UPS:])


def measure(torch, heads, tokens):
    """Measures one size, and prints a line for the weights and one for the output."""
    torch.manual_seed(7)
    q, k, v = (torch.randn(heads, tokens, WIDTH, device="cuda") for _ in range(3))
    mask = torch.full((tokens, tokens), float("-inf"), device="cuda").triu(1)
    scores = torch.empty(heads, tokens, tokens, device="cuda")
    weights = torch.empty_like(scores)

    def eager():
        return torch.softmax(q @ k.transpose(1, 2) / WIDTH**0.5 + mask, -1)

    def into_tensors():
        torch.baddbmm(mask, q, k.transpose(1, 2), alpha=WIDTH**-0.5, out=scores)
        torch.softmax(scores, -1, out=weights)

    times = [milliseconds(torch, work)
             for work in (eager, into_tensors, lambda: weights.copy_(scores))]
    with_output = milliseconds(torch, lambda: eager() @ v)
    size = f"{heads}x{tokens}"
    print(f"{size}/weights", *(f"{t:.4f}" for t in times))
    print(f"{size}/output {with_output:.4f}", flush=True)


def main():
    """Measures the given sizes."""
    try:
        import torch
    except ImportError:
        sys.exit("torch_cuda.py: there is no PyTorch")
    if not torch.cuda.is_available():
        sys.exit("torch_cuda.py: PyTorch has no CUDA here")
    torch.backends.cuda.matmul.allow_tf32 = False
    print(f"# PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
    for size in sys.argv[1:]:
        heads, tokens = map(int, size.split("x"))
        try:
            measure(torch, heads, tokens)
        except RuntimeError as error:  # out of memory
            print(f"# {size}: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
