# SPDX-License-Identifier: Apache-2.0
"""The scalar functions of the loop IR: each is described once, but for how a machine computes it (that is codegen's).

Arithmetic wraps for integers; division and remainder follow NumPy (floor), with 0 for an integer divided by 0.
"""

from __future__ import annotations

from enum import Enum

from hybridize.base.frozen import frozen


class Kind(Enum):
    """The dtypes that a scalar function takes and gives."""

    FLOATS = "floats"
    INTEGERS = "integers"
    """And bools, for the bit operations."""
    NUMBERS = "numbers"
    """Of any dtype."""
    TRUTH = "truth"
    """Gives a bool: comparisons of any dtype, tests of floats."""


@frozen
class ScalarFunction:
    """A function of scalars of one dtype."""

    name: str
    arity: int
    kind: Kind
    cost: int = 1
    """In additions, roughly."""
    exact: bool = False
    """True if the result of arguments of a narrow float is one too, in whatever wider one it is computed."""
    outcomes: tuple[bool, bool, bool] | None = None
    """Of a comparison, whether it holds where the first number is less, equal, greater."""

    @property
    def truth(self) -> bool:
        """Tell whether it gives a bool, whatever it takes."""
        return self.kind is Kind.TRUTH

    @property
    def smooth(self) -> bool:
        """Tell whether it gives floats that have digits beyond those of integers: no rounding, no test."""
        return self.kind is Kind.FLOATS and not self.exact

    @property
    def compares(self) -> bool:
        """Tell whether it compares two numbers."""
        return self.outcomes is not None

    @property
    def weight(self) -> int:
        """Instructions, roughly: one, or many."""
        return 16 if self.cost >= 8 else 1

    @property
    def dear(self) -> bool:
        """Tell whether a result that is needed twice is kept rather than computed again."""
        return self.cost >= 14


_ALL = (
    ScalarFunction("neg", 1, Kind.NUMBERS, exact=True),
    ScalarFunction("abs", 1, Kind.NUMBERS, exact=True),
    ScalarFunction("sign", 1, Kind.NUMBERS, exact=True),
    ScalarFunction("floor", 1, Kind.FLOATS, exact=True),
    ScalarFunction("ceil", 1, Kind.FLOATS, exact=True),
    ScalarFunction("round", 1, Kind.FLOATS, exact=True),
    ScalarFunction("trunc", 1, Kind.FLOATS, exact=True),
    ScalarFunction("sqrt", 1, Kind.FLOATS, 4),
    ScalarFunction("rsqrt", 1, Kind.FLOATS, 6),
    ScalarFunction("cbrt", 1, Kind.FLOATS, 30),
    ScalarFunction("exp", 1, Kind.FLOATS, 14),
    ScalarFunction("exp2", 1, Kind.FLOATS, 14),
    ScalarFunction("expm1", 1, Kind.FLOATS, 18),
    ScalarFunction("log", 1, Kind.FLOATS, 16),
    ScalarFunction("log2", 1, Kind.FLOATS, 16),
    ScalarFunction("log10", 1, Kind.FLOATS, 18),
    ScalarFunction("log1p", 1, Kind.FLOATS, 18),
    ScalarFunction("sin", 1, Kind.FLOATS, 20),
    ScalarFunction("cos", 1, Kind.FLOATS, 20),
    ScalarFunction("tan", 1, Kind.FLOATS, 30),
    ScalarFunction("arcsin", 1, Kind.FLOATS, 20),
    ScalarFunction("arccos", 1, Kind.FLOATS, 20),
    ScalarFunction("arctan", 1, Kind.FLOATS, 20),
    ScalarFunction("sinh", 1, Kind.FLOATS, 24),
    ScalarFunction("cosh", 1, Kind.FLOATS, 24),
    ScalarFunction("tanh", 1, Kind.FLOATS, 18),
    ScalarFunction("arcsinh", 1, Kind.FLOATS, 30),
    ScalarFunction("arccosh", 1, Kind.FLOATS, 30),
    ScalarFunction("arctanh", 1, Kind.FLOATS, 30),
    ScalarFunction("erf", 1, Kind.FLOATS, 24),
    ScalarFunction("erfinv", 1, Kind.FLOATS, 60),
    ScalarFunction("gammaln", 1, Kind.FLOATS, 80),
    ScalarFunction("gamma", 1, Kind.FLOATS, 80),
    ScalarFunction("sigmoid", 1, Kind.FLOATS, 16),
    ScalarFunction("isnan", 1, Kind.TRUTH),
    ScalarFunction("isinf", 1, Kind.TRUTH),
    ScalarFunction("isfinite", 1, Kind.TRUTH),
    ScalarFunction("signbit", 1, Kind.TRUTH),
    ScalarFunction("not", 1, Kind.INTEGERS),
    ScalarFunction("popcount", 1, Kind.INTEGERS),
    ScalarFunction("add", 2, Kind.NUMBERS),
    ScalarFunction("sub", 2, Kind.NUMBERS),
    ScalarFunction("mul", 2, Kind.NUMBERS),
    ScalarFunction("div", 2, Kind.FLOATS, 4),
    ScalarFunction("floordiv", 2, Kind.NUMBERS, 8),
    ScalarFunction("mod", 2, Kind.NUMBERS, 10),
    ScalarFunction("fmod", 2, Kind.NUMBERS, 12),
    ScalarFunction("pow", 2, Kind.NUMBERS, 40),
    ScalarFunction("max", 2, Kind.NUMBERS, exact=True),
    ScalarFunction("min", 2, Kind.NUMBERS, exact=True),
    ScalarFunction("fmax", 2, Kind.NUMBERS, exact=True),
    ScalarFunction("fmin", 2, Kind.NUMBERS, exact=True),
    ScalarFunction("arctan2", 2, Kind.FLOATS, 30),
    ScalarFunction("hypot", 2, Kind.FLOATS, 12),
    ScalarFunction("copysign", 2, Kind.FLOATS, exact=True),
    ScalarFunction("nextafter", 2, Kind.FLOATS),
    ScalarFunction("logaddexp", 2, Kind.FLOATS, 40),
    ScalarFunction("and", 2, Kind.INTEGERS),
    ScalarFunction("or", 2, Kind.INTEGERS),
    ScalarFunction("xor", 2, Kind.INTEGERS),
    ScalarFunction("shl", 2, Kind.INTEGERS),
    ScalarFunction("shr", 2, Kind.INTEGERS),
    ScalarFunction("umulh", 2, Kind.INTEGERS, 4),
    ScalarFunction("eq", 2, Kind.TRUTH, outcomes=(False, True, False)),
    ScalarFunction("ne", 2, Kind.TRUTH, outcomes=(True, False, True)),
    ScalarFunction("lt", 2, Kind.TRUTH, outcomes=(True, False, False)),
    ScalarFunction("le", 2, Kind.TRUTH, outcomes=(True, True, False)),
    ScalarFunction("gt", 2, Kind.TRUTH, outcomes=(False, False, True)),
    ScalarFunction("ge", 2, Kind.TRUTH, outcomes=(False, True, True)),
    ScalarFunction("bitcast", 1, Kind.NUMBERS),
)
FUNCTIONS: dict[str, ScalarFunction] = {function.name: function for function in _ALL}
"""Every scalar function by its name."""
