# SPDX-License-Identifier: Apache-2.0
"""Weights in few bits against float32: bfloat16, and int8 with a scale for each column, one thread.

    python benchmarks/weights.py [--rounds 15] [--cpu 0] [--markdown]

All are `x @ w` of a hybridized function from Python to Python, in one process, in turns of a few milliseconds; w is
known, and lies beyond the second-level cache. The ratio of a case is the median over rounds of its time over that of
the float32 product; what a call reads of weights are the bytes that the program keeps of them.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy
from paired import in_turns, median_ratio, microseconds, parser, run_on, table

from hybridize import hybridize, np, set_num_threads

SIZES = ((1024, 1024), (2048, 4096))
"""(k, n) of w."""
ROWS = (1, 8, 64)
FLOAT, SHORT, INTEGER = "float32", "bfloat16", "int8 with scales"
TOLERANCE = 1e-4
WORDS = ("m x n x k", "weights")
"""Columns that hold no figures."""


@dataclass(frozen=True)
class Timed:
    """A case: seconds of a call, the bytes of weights, the time over that of float32."""

    name: str
    kind: str
    seconds: float
    nbytes: int
    ratio: float


def layer(kind: str, k: int, n: int, rng: numpy.random.Generator) -> tuple[Callable[..., object], numpy.ndarray]:
    """A hybridized product with a weight of some kind, and the weight in float32."""
    if kind == INTEGER:
        w, s = rng.integers(-127, 128, (k, n)).astype(numpy.int8), rng.random(n, numpy.float32)
        whole, scales = np.array(w), np.array(s)
        return hybridize(lambda x: np.matmul(x, whole.astype("float32") * scales)), w * s
    w = rng.standard_normal((k, n), numpy.float32)
    if kind == SHORT:
        short = np.array(w.astype(ml_dtypes.bfloat16))
        return hybridize(lambda x: np.matmul(x, short.astype("float32"))), w.astype(ml_dtypes.bfloat16).astype("f4")
    full = np.array(w)
    return hybridize(lambda x: np.matmul(x, full)), w


def measure(m: int, k: int, n: int, rounds: int) -> list[Timed]:
    """Time a product with weights of all kinds; raises where a result is wrong."""
    rng = numpy.random.default_rng(0)
    x = rng.standard_normal((m, k), numpy.float32)
    row, calls, nbytes = np.array(x), {}, {}
    for kind in (FLOAT, SHORT, INTEGER):
        function, w = layer(kind, k, n, rng)
        error = numpy.abs(function(row).asnumpy() - x @ w).max() / numpy.abs(w).max()
        assert error < TOLERANCE * k, f"{kind}: off by {error}"
        calls[kind] = lambda function=function: function(row)
        nbytes[kind] = function.program(row)._runs.memory.packed_bytes
    samples = in_turns(calls, rounds)
    return [
        Timed(
            f"{m} x {n} x {k}", kind, statistics.median(samples[kind]), nbytes[kind], median_ratio(samples, kind, FLOAT)
        )
        for kind in calls
    ]


def main() -> None:
    """Measure and report."""
    options = parser(__doc__, rounds=15, cpu=0).parse_args()
    run_on(options.cpu)
    set_num_threads(1)
    timed = [one for k, n in SIZES for m in ROWS for one in measure(m, k, n, options.rounds)]
    rows = [
        (one.name, one.kind, microseconds(one.seconds), f"{one.nbytes / 1e6:.2f}", f"{one.ratio:.3f}") for one in timed
    ]
    table(("m x n x k", "weights", "µs", "MB", "÷ float32"), rows, options.markdown, WORDS)
    if options.figures is not None:
        figures = {f"{one.name}: {one.kind} ÷ float32": one.ratio for one in timed if one.kind != FLOAT}
        options.figures.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
