#!/usr/bin/python3
"""Measures attention in PyTorch and in attention_bench, in turn on the same shapes, and prints ratios.

compare_torch.py [--quick] [--rounds N] [--bench build/tests/attention_bench]

PyTorch is Debian's python3-torch with libopenblas0-pthread. With the reference BLAS the comparison
would not be fair, and the script refuses to run. "Eager" is softmax(Q @ K.T / d**0.5 + M), what a
user writes; "out" is PyTorch at its best, baddbmm and softmax into existing tensors. "Floor" is
max(FLOPs of the allowed cells / measured peak, bytes written / measured bandwidth of writing).
Numbers are medians over rounds; ratios are taken within a round.
"""
import argparse
import ctypes
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SIZES = ["12x512x64", "12x1024x64", "12x2048x64", "1x4096x64"]
LATENCIES = {"1x16x64": 0.7, "12x64x64": 32, "12x128x64": 110}  # µs


def refuse(why):
    sys.exit(f"compare_torch.py: {why}")


def import_torch():
    """Returns the names of PyTorch and of the library that multiplies matrices for it."""
    try:
        import torch
    except ImportError:
        refuse("there is no PyTorch; apt-get install python3-torch libopenblas0-pthread, "
               "and run this with /usr/bin/python3")
    torch.ones(8, 8) @ torch.ones(8, 8)
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    names = {line.split()[-1] for line in maps.splitlines() if ".so" in line}
    blas = [name for name in names if "libopenblas" in name]
    if not blas and not any("mkl" in name or "libblis" in name for name in names):
        refuse("PyTorch has the reference BLAS here, which is no peer; "
               "apt-get install libopenblas0-pthread")
    return torch, ctypes.CDLL(blas[0]) if blas else None


class Ours:
    """Runs attention_bench, one case at a time."""

    def __init__(self, path, seconds):
        self.path, self.seconds = path, seconds
        if not pathlib.Path(path).exists():
            refuse(f"{path} is missing; build it, or name it with --bench")

    def run(self, case):
        size = case.split("/")[2:3] or ["1x16x64"]
        words = [self.path, "--sizes=" + (size[0] if "x" in size[0] else "1x16x64"),
                 f"--benchmark_filter=^{case}$", f"--benchmark_min_time={self.seconds}",
                 "--benchmark_format=json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        try:
            found = json.loads(done.stdout)["benchmarks"][0]
        except (ValueError, IndexError, KeyError):
            refuse(f"attention_bench does not measure {case}: {done.stderr.strip()[-200:]}")
        if found.get("error_occurred"):
            refuse(f"{case}: {found['error_message']}")
        return found

    def kernels(self, size):
        """Returns the names of the instruction sets that this machine supports, the best first."""
        words = [self.path, "--sizes=" + size, "--benchmark_list_tests",
                 "--benchmark_filter=^weights_[a-z0-9]+/causal/"]
        listed = subprocess.run(words, capture_output=True, text=True, check=False).stdout
        names = [line.split("/")[0].removeprefix("weights_") for line in listed.split()]
        return [name for name in names if "and" not in name]

    def seconds_of(self, case):
        return self.run(case)["real_time"] * 1e-9

    def rate(self, case, counter):
        found = self.run(case)
        return found[counter] / (found["real_time"] * 1e-9)


class Torch:
    """Runs the same shapes in PyTorch: seeded Q, K, V, and M with -inf above the diagonal."""

    def __init__(self, seconds):
        self.torch, self.blas = import_torch()
        self.seconds = seconds

    def set_threads(self, threads):
        self.torch.set_num_threads(threads)
        if self.blas:
            self.blas.openblas_set_num_threads(threads)

    def inputs(self, size):
        torch = self.torch
        h, n, d = (int(part) for part in size.split("x"))
        torch.manual_seed(1)
        q, k, v = (torch.randn(h, n, d) for _ in range(3))
        mask = torch.full((n, n), -math.inf).triu(1)
        return q, k, v, mask, d

    def time(self, work):
        work()
        times, begin = [], time.perf_counter()
        while len(times) < 3 or time.perf_counter() - begin < self.seconds:
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    def eager(self, what, size):
        q, k, v, mask, d = self.inputs(size)
        torch, kept = self.torch, {}

        def weights():
            return torch.softmax(q @ k.transpose(1, 2) / d**0.5 + mask, -1)

        def weights_and_output():
            kept["weights"] = weights()
            kept["output"] = kept["weights"] @ v

        def all_stages():
            kept["scores"] = q @ k.transpose(1, 2)
            kept["scaled"] = kept["scores"] / d**0.5
            kept["logits"] = kept["scaled"] + mask
            kept["weights"] = torch.softmax(kept["logits"], -1)
            kept["output"] = kept["weights"] @ v

        return self.time({"weights": weights, "weights_and_output": weights_and_output,
                          "all_stages": all_stages}[what])

    def out(self, what, size):
        q, k, v, mask, d = self.inputs(size)
        torch, h, n = self.torch, q.shape[0], q.shape[1]
        logits, kept = torch.empty(h, n, n), torch.empty(h, n, n)
        output, wide, turned = torch.empty(h, n, d), mask.expand(h, n, n), k.transpose(1, 2)

        def weights():
            torch.baddbmm(wide, q, turned, beta=1, alpha=d**-0.5, out=logits)
            torch.softmax(logits, -1, out=kept)

        def weights_and_output():
            weights()
            torch.bmm(kept, v, out=output)

        return self.time({"weights": weights, "weights_and_output": weights_and_output}[what])

    def softmax_gradient(self, size):
        q, k, _, mask, d = self.inputs(size)
        torch = self.torch
        kept = torch.softmax(q @ k.transpose(1, 2) / d**0.5 + mask, -1)
        incoming, result = torch.randn_like(kept), torch.empty_like(kept)
        builtin = torch.ops.aten._softmax_backward_data.out
        return self.time(lambda: builtin(incoming, kept, -1, torch.float32, grad_input=result))


class Table:
    def __init__(self):
        print(f"{'case':<52}{'ours':>12}{'peer':>12}{'figure':>10}{'goal':>8}")

    def line(self, case, ours, peer, figure, goal, at_least=False):
        reached = figure >= goal if at_least else figure <= goal
        print(f"{case:<52}{text(ours):>12}{text(peer):>12}{figure:>10.3g}{goal:>8}"
              f"  {'reached' if reached else 'missed by ' + format(figure / goal, '.2f') + ' x'}",
              flush=True)


def text(seconds):
    if seconds is None:
        return ""
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def median_of(rounds, measure):
    """Calls measure once a round, and returns the median of each number of the tuples."""
    return [statistics.median(column) for column in zip(*(measure() for _ in range(rounds)))]


def floor_of(ours, case, threads):
    found = ours.run(case)
    flops = found["flops"] / ours.rate(f"floor/flops/threads:{threads}", "flops")
    writes = found["bytes"] / ours.rate(f"floor/writes/threads:{threads}", "bytes")
    return max(flops, writes)


def against_peers(table, ours, peer, rounds, what, size, goals):
    """Prints the ratios to eager, out and floor that have a goal. goals: one each, or None."""
    case = f"{what}/causal/{size}/threads:1"
    eager_goal, out_goal, floor_goal = goals

    def measure():
        mine = ours.seconds_of(case)
        eager = peer.eager(what, size) if eager_goal else math.nan
        out = peer.out(what, size) if out_goal else math.nan
        floor = floor_of(ours, case, 1) if floor_goal else math.nan
        return mine, eager, mine / eager, out, mine / out, floor, mine / floor

    mine, eager, to_eager, out, to_out, floor, to_floor = median_of(rounds, measure)
    if eager_goal:
        table.line(case + "  x eager", mine, eager, to_eager, eager_goal)
    if out_goal:
        table.line(case + "  x out", mine, out, to_out, out_goal)
    if floor_goal:
        table.line(case + "  x floor", mine, floor, to_floor, floor_goal)


def against_gradient(table, ours, peer, rounds, size):
    """Compares the time that sensitivity adds with that of PyTorch's softmax gradient."""
    both = f"weights_and_sensitivity/causal/{size}/threads:1"

    def measure():
        mine = ours.seconds_of(both) - ours.seconds_of(f"weights/causal/{size}/threads:1")
        builtin = peer.softmax_gradient(size)
        return mine, builtin, mine / builtin

    mine, builtin, ratio = median_of(rounds, measure)
    table.line(both + "  - weights", mine, builtin, ratio, 0.3)


def against_itself(table, ours, rounds, size):
    case = f"weights/causal/{size}/threads:"

    def measure():
        one, two = ours.seconds_of(case + "1"), ours.seconds_of(case + "2")
        return one, two, one / two

    one, two, ratio = median_of(rounds, measure)
    table.line(case + "1 / :2", one, two, ratio, 1.9, at_least=True)


def against_instructions(table, ours, peer, rounds, size):
    """Compares AVX2 with AVX-512, and PyTorch with the narrowest vectors of this machine."""
    case = "weights_{}/causal/" + size + "/threads:1"
    names = ours.kernels(size)
    if "avx3" in names and "avx2" in names:
        def measure():
            wide, narrow = (ours.seconds_of(case.format(name)) for name in ("avx3", "avx2"))
            return narrow, wide, narrow / wide
        narrow, wide, ratio = median_of(rounds, measure)
        table.line(case.format("avx2") + "  x avx3", narrow, wide, ratio, 1.3)
    least = [name for name in names if name != "scalar"][-1:]
    for name in least:
        def measure_least():
            mine, out = ours.seconds_of(case.format(name)), peer.out("weights", size)
            return mine, out, mine / out
        mine, out, ratio = median_of(rounds, measure_least)
        table.line(case.format(name) + "  x out", mine, out, ratio, 1.0)


def alone(table, ours, rounds, case, goal, unit):
    (mine,) = median_of(rounds, lambda: (ours.seconds_of(case),))
    table.line(case, mine, None, mine / unit, goal)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a short run, of small sizes")
    parser.add_argument("--rounds", type=int, help="how often everything is measured in turn")
    parser.add_argument("--bench", default=str(HERE.parents[1] / "build/tests/attention_bench"))
    options = parser.parse_args()
    rounds = options.rounds or (1 if options.quick else 5)
    seconds = 0.05 if options.quick else 0.5
    sizes = ["12x128x64", "12x512x64"] if options.quick else SIZES
    peer, ours = Torch(seconds), Ours(options.bench, seconds)
    peer.set_threads(1)
    table = Table()
    for size in sizes:
        against_peers(table, ours, peer, rounds, "weights", size, (0.06, 0.20, 1.5))
    for size in sizes:
        against_peers(table, ours, peer, rounds, "weights_and_output", size, (0.1, 0.25, 1.4))
    for size in sizes[1:]:
        against_peers(table, ours, peer, rounds, "all_stages", size, (0.15, None, None))
    for size in sizes[1:]:
        against_gradient(table, ours, peer, rounds, size)
    for size in sizes:
        against_itself(table, ours, rounds, size)
    against_instructions(table, ours, peer, rounds, sizes[1])
    for size, goal in LATENCIES.items():
        alone(table, ours, rounds, f"weights/causal/{size}/threads:1", goal, 1e-6)
    alone(table, ours, rounds, f"edit_cell/causal/{sizes[1]}/threads:2", 1, 1e-3)


if __name__ == "__main__":
    main()
