# SPDX-License-Identifier: Apache-2.0
"""Imperative operations beside NumPy's own: what a call costs more, and random numbers.

    python benchmarks/imperative.py [--rounds 15] [--only operations|random] [--markdown]

Operations are on ten float32 numbers, so that all of their time is that of the call: `over` is what ours takes more
than NumPy's of the same array, in microseconds. Random numbers are a million of each distribution, float32 where NumPy
can draw that: `ratio` is ours by that of `numpy.random.default_rng()`. Ours and NumPy's take turns.
"""

from __future__ import annotations

import operator
import statistics
from collections.abc import Callable, Mapping

import numpy
import paired

from hybridize import np

Pair = tuple[Callable[[], object], Callable[[], object]]

UNARY = (
    "negative abs sign floor ceil rint trunc sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos "
    "arctan sinh cosh tanh arcsinh arctanh isnan isinf isfinite square reciprocal positive degrees radians "
    "logical_not"
)
BINARY = (
    "add subtract multiply divide floor_divide mod fmod arctan2 hypot copysign logaddexp maximum minimum fmax fmin "
    "equal less greater_equal power logical_and"
)
OPERATORS = "add sub mul truediv floordiv mod pow lt eq"
IN_PLACE = "iadd isub imul itruediv ipow"
COUNT = 1_000_000


def operations() -> dict[str, Pair]:
    """Operations on ten elements."""
    a = numpy.arange(1, 11, dtype="f4") / 20
    b, c = a + numpy.float32(0.1), a < 0.3
    x, y, z = np.array(a), np.array(b), np.array(c)
    pairs: dict[str, Pair] = {}
    for name in UNARY.split():
        pairs[f"np.{name}(x)"] = _of(getattr(np, name), x), _of(getattr(numpy, name), a)
    for name in BINARY.split():
        pairs[f"np.{name}(x, y)"] = _of(getattr(np, name), x, y), _of(getattr(numpy, name), a, b)
    for name in OPERATORS.split():
        of = getattr(operator, name)
        for text, ours, theirs in (("x, y", (x, y), (a, b)), ("x, 2.0", (x, 2.0), (a, 2.0)), ("3, x", (3, x), (3, a))):
            pairs[f"{name}({text})"] = _of(of, *ours), _of(of, *theirs)
    for name in IN_PLACE.split():
        of = getattr(operator, name)
        pairs[f"{name}(x, 1.0)"] = _of(of, np.array(a), 1.0), _of(of, a.copy(), 1.0)
    pairs |= {
        "-x": (lambda: -x, lambda: -a),
        "abs(x)": (lambda: abs(x), lambda: abs(a)),
        "x**2": (lambda: x**2, lambda: a**2),
        "~z": (lambda: ~z, lambda: ~c),
        "z & z": (lambda: z & z, lambda: c & c),
        "np.where(z, x, y)": (lambda: np.where(z, x, y), lambda: numpy.where(c, a, b)),
        "np.clip(x, 0.1, 0.3)": (lambda: np.clip(x, 0.1, 0.3), lambda: numpy.clip(a, 0.1, 0.3)),
        "x.astype('float64')": (lambda: x.astype("float64"), lambda: a.astype("float64")),
    }
    return pairs


def random() -> dict[str, Pair]:
    """A million random numbers of each distribution."""
    ours, theirs, n = np.random.default_rng(0), numpy.random.default_rng(0), COUNT
    pairs: dict[str, Pair] = {
        "random": (lambda: ours.random(n), lambda: theirs.random(n, "f4")),
        "random, float64": (lambda: ours.random(n, "float64"), lambda: theirs.random(n)),
        "standard_normal": (lambda: ours.standard_normal(n), lambda: theirs.standard_normal(n, "f4")),
        "standard_normal, float64": (lambda: ours.standard_normal(n, "float64"), lambda: theirs.standard_normal(n)),
        "standard_exponential": (
            lambda: ours.standard_exponential(n), lambda: theirs.standard_exponential(n, "f4"),
        ),
        "standard_gamma(2)": (lambda: ours.standard_gamma(2.0, n), lambda: theirs.standard_gamma(2.0, n, "f4")),
        "choice of 100": (lambda: ours.choice(100, n), lambda: theirs.choice(100, n)),
    }  # fmt: skip
    for name, arguments in {
        "integers": (0, 100), "beta": (2.0, 1.0), "poisson": (3.0,), "binomial": (10, 0.3), "laplace": (0.0, 1.0),
        "gumbel": (0.0, 1.0), "logistic": (0.0, 1.0), "weibull": (2.0,), "lognormal": (0.0, 0.5), "chisquare": (3.0,),
        "geometric": (0.3,), "standard_t": (4.0,), "triangular": (0.0, 0.5, 1.0), "vonmises": (0.0, 1.0),
    }.items():  # fmt: skip
        pairs[name] = _of(getattr(ours, name), *arguments, n), _of(getattr(theirs, name), *arguments, n)
    pairs["permutation"] = lambda: ours.permutation(n), lambda: theirs.permutation(n)
    pairs["multinomial of 1,000"] = (
        lambda: ours.multinomial(1000, [0.25, 0.25, 0.5], n // 100),
        lambda: theirs.multinomial(1000, [0.25, 0.25, 0.5], n // 100),
    )
    return pairs


def _of(function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: function(*arguments)


def _timed(pairs: Mapping[str, Pair], rounds: int, sample_s: float) -> dict[str, tuple[float, float]]:
    """The medians of ours and of NumPy's, in seconds."""
    functions = {f"{k} {name}": pair[k] for name, pair in pairs.items() for k in (0, 1)}
    for function in functions.values():
        for _ in range(6):  # until it is compiled, where it is
            function()
    samples = paired.in_turns(functions, rounds, sample_s)
    ours, theirs = ([statistics.median(samples[f"{k} {name}"]) for name in pairs] for k in (0, 1))
    return dict(zip(pairs, zip(ours, theirs, strict=True), strict=True))


def main() -> None:
    """Time both and print tables."""
    parser = paired.parser(__doc__, 15)
    parser.add_argument("--only", choices=("operations", "random"))
    asked = parser.parse_args()
    paired.run_on(asked.cpu)
    if asked.only != "random":
        found = _timed(operations(), asked.rounds, 0.001)
        over = {name: 1e6 * (ours - theirs) for name, (ours, theirs) in found.items()}
        rows = [
            (name, f"{1e6 * ours:.2f} µs", f"{1e6 * theirs:.2f} µs", f"{over[name]:.2f} µs")
            for name, (ours, theirs) in found.items()
        ]
        paired.table(("operation", "ours", "NumPy", "over"), rows, asked.markdown, ("operation",))
        within = sum(value <= 0.4 for value in over.values())
        print(
            f"\nover NumPy's: median {statistics.median(over.values()):.2f} µs; {within} of {len(over)} within 0.4 µs\n"
        )
    if asked.only != "operations":
        found = _timed(random(), asked.rounds, 0.02)
        rows = [
            (name, f"{1e3 * ours:.2f} ms", f"{1e3 * theirs:.2f} ms", f"{ours / theirs:.2f}")
            for name, (ours, theirs) in found.items()
        ]
        paired.table(("1,000,000 numbers", "ours", "NumPy", "ratio"), rows, asked.markdown, ("1,000,000 numbers",))
        ratios = [ours / theirs for ours, theirs in found.values()]
        print(f"\nratio to NumPy's: geometric mean {paired.geometric_mean(ratios):.2f}, worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
