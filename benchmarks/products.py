# SPDX-License-Identifier: Apache-2.0
"""Products of matrices against oneDNN and MKL through PyTorch, over sizes from 1 to 2048, one thread.

    python benchmarks/products.py [--rounds 7] [--cpu 0] [--only known] [--markdown]

Both sides run in one process, in turns of a few milliseconds, each through its fastest entry point for the case: ours
is a hybridized function from Python to Python; PyTorch's is the best of `mm`, `mm(out=)`, `linear` (MKL) and oneDNN's
product, of weights as they are and, where they are known beforehand, of weights that it has packed. The ratio of a
case is the median over rounds of ours over theirs; what is reported of a table is the geometric mean.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import numpy
import torch
from paired import geometric_mean, in_turns, median_ratio, microseconds, parser, run_on, table

from hybridize import hybridize, np, set_num_threads

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
ODD = (3, 7, 10, 33, 100, 300, 1000)
FIXED = (
    (1, 512, 256), (1, 2048, 2048), (2, 1024, 1024), (8, 1024, 1024), (12, 512, 512), (32, 1024, 1024),
    (64, 512, 256), (128, 128, 128), (128, 1024, 256), (256, 256, 256), (512, 512, 512), (1024, 256, 512),
    (1024, 1024, 1024), (1000, 100, 300), (33, 7, 1000), (2048, 2048, 2048),
)  # fmt: skip
"""(m, n, k) that are always measured: matrix times vector, layers, squares."""
TOLERANCE = 1e-4
KNOWN = {"weights known": True, "weights not known": False}
WORDS = ("m x n x k", "entry")
"""Columns that hold no figures."""


@dataclass(frozen=True)
class Case:
    """One product `x[m, k] @ w`."""

    m: int
    n: int
    k: int
    transposed: bool
    """w is stored [n, k] and the product is `x @ w.T`, as in a layer."""
    known: bool
    """w is the same at each call, so both sides may pack it beforehand."""

    def __str__(self) -> str:
        return f"{self.m} x {self.n} x {self.k} {'x @ w.T' if self.transposed else 'x @ w'}"


@dataclass(frozen=True)
class Timed:
    """What a case took, in seconds of the best entry point of each side."""

    case: Case
    ours: float
    theirs: float
    entry: str
    """Which of PyTorch's was the fastest."""
    ratio: float
    one_dnn: float
    """Ours over the best of oneDNN's own entry points."""


def triples(count: int, seed: int = 0) -> list[tuple[int, int, int]]:
    """The fixed sizes and random ones, each drawn as often small as large."""
    draw = random.Random(seed)
    found = list(FIXED)
    while len(found) < count:
        m, n, k = (draw.choice(ODD) if draw.random() < 0.25 else draw.choice(SIZES) for _ in range(3))
        if (m, n, k) not in found and m * n * k <= 1 << 31:
            found.append((m, n, k))
    return found


def ours(case: Case, x: numpy.ndarray, w: numpy.ndarray) -> tuple[Callable[[], object], Callable[[], numpy.ndarray]]:
    """A call of ours, and its result."""
    a, b = np.array(x), np.array(w)
    if case.known:
        function = hybridize((lambda a: a @ b.T) if case.transposed else (lambda a: a @ b))
        return (lambda: function(a)), lambda: function(a).asnumpy()
    function = hybridize((lambda a, b: a @ b.T) if case.transposed else (lambda a, b: a @ b))
    return (lambda: function(a, b)), lambda: function(a, b).asnumpy()


def theirs(case: Case, x: numpy.ndarray, w: numpy.ndarray) -> dict[str, Callable[[], torch.Tensor]]:
    """PyTorch's entry points that compute the case."""
    a, b = torch.from_numpy(x), torch.from_numpy(w)
    factor, weight = (b.t(), b) if case.transposed else (b, b.t())
    out = torch.empty(case.m, case.n)
    entries: dict[str, Callable[[], torch.Tensor]] = {
        "mm": lambda: torch.mm(a, factor),
        "mm(out=)": lambda: torch.mm(a, factor, out=out),
        "linear": lambda: torch.nn.functional.linear(a, weight),
    }
    linear = torch.ops.mkldnn._linear_pointwise
    entries["oneDNN"] = lambda: linear(a, weight, None, "none", [], "")
    if case.known:
        packed = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), case.m)
        entries["oneDNN packed"] = lambda: linear(a, packed, None, "none", [], "")
    return entries


def measure(case: Case, rounds: int, sample_s: float = 0.002) -> Timed:
    """Check the case, then time both sides in turns."""
    rng = numpy.random.default_rng(0)
    x = rng.standard_normal((case.m, case.k), dtype=numpy.float32)
    w = rng.standard_normal((case.n, case.k) if case.transposed else (case.k, case.n), dtype=numpy.float32)
    mine, result = ours(case, x, w)
    entries = theirs(case, x, w)
    true = x.astype(numpy.float64) @ (w.T if case.transposed else w)
    bound = TOLERANCE * max(1.0, float(numpy.abs(true).max()))
    for name, found in (("ours", result()), *((name, entry().numpy()) for name, entry in entries.items())):
        if not float(numpy.abs(found - true).max()) <= bound:
            raise SystemExit(f"{case}: {name} is wrong by {numpy.abs(found - true).max()}")
    functions: dict[str, Callable[[], object]] = {"ours": mine, **entries}
    samples = in_turns(functions, rounds, sample_s)
    medians = {name: statistics.median(found) for name, found in samples.items()}
    best = min(entries, key=medians.__getitem__)
    packed = min((name for name in entries if name.startswith("oneDNN")), key=medians.__getitem__)
    ratio, one_dnn = (median_ratio(samples, "ours", name) for name in (best, packed))
    return Timed(case, medians["ours"], medians[best], best, ratio, one_dnn)


def report(timed: list[Timed], markdown: bool) -> None:
    """Print all cases, the worst first, a table for each kind of weights, then the means."""
    for known in (True, False):
        cases = sorted((one for one in timed if one.case.known is known), key=lambda one: -one.ratio)
        if not cases:
            continue
        word = "known" if known else "not known"
        rows = [
            (
                str(one.case),
                microseconds(one.ours),
                f"{2e-9 * one.case.m * one.case.n * one.case.k / one.ours:.1f}",
                microseconds(one.theirs),
                one.entry,
                f"{one.ratio:.3f}",
            )
            for one in cases
        ]
        print(f"Weights {word}:\n")
        table(("m x n x k", "ours µs", "GFLOP/s", "PyTorch µs", "entry", "ratio"), rows, markdown, WORDS)
        best, one_dnn = mean_of(cases), mean_against_one_dnn(cases)
        print(f"\nweights {word}: geometric mean of {len(cases)} ratios {best:.3f}, to oneDNN alone {one_dnn:.3f}\n")


def mean_of(timed: list[Timed]) -> float:
    """The geometric mean of the cases' ratios."""
    return geometric_mean([one.ratio for one in timed])


def mean_against_one_dnn(timed: list[Timed]) -> float:
    """The geometric mean of the cases' ratios to the best of oneDNN's own entry points."""
    return geometric_mean([one.one_dnn for one in timed])


def main() -> None:
    """Measure and report."""
    arguments = parser(__doc__, rounds=7, cpu=0)
    arguments.add_argument("--count", type=int, default=44, help="sizes, the fixed ones included")
    arguments.add_argument("--only", default="", help="known or unknown")
    options = arguments.parse_args()
    run_on(options.cpu)
    torch.set_num_threads(1)
    set_num_threads(1)
    kinds = {"known": (True,), "unknown": (False,)}.get(options.only, (True, False))
    timed = []
    with torch.inference_mode():
        for m, n, k in triples(options.count):
            for known in kinds:
                timed += [measure(Case(m, n, k, transposed, known), options.rounds) for transposed in (False, True)]
    report(timed, options.markdown)
    if options.figures is not None:
        parts = {word: [one for one in timed if one.case.known is known] for word, known in KNOWN.items()}
        means = {f"{word} ÷ oneDNN": mean_against_one_dnn(part) for word, part in parts.items() if part}
        options.figures.write_text(json.dumps(means))


if __name__ == "__main__":
    main()
