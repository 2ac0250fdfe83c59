# SPDX-License-Identifier: Apache-2.0
"""e^x and what is made of it, by the same steps in float32 and in float64; the numbers are those of the dtype."""

from __future__ import annotations

import math

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.functions.vectors import Vectors

LOG2E = 1.4426950408889634


@frozen
class Exponentials:
    """The functions of one dtype."""

    ln2: tuple[float, float]
    """ln 2 in two parts; the first has so few bits that its product with an exponent is exact."""
    minus_one: tuple[float, ...]
    """(e^r - 1 - r) / r^2 on [-ln 2 / 2, ln 2 / 2]."""
    tangent: tuple[float, ...]
    """(tanh x / x - 1) / x^2 as a function of x^2 below 5/8."""
    least: float
    """e to this power, and to any below, is 0."""
    most: float
    """e to this power, and to any above, is infinite."""
    ends_of_two: tuple[float, float]
    """The same for 2."""
    near: float
    """2^-k: |x| below which e^x - 1 is x."""
    lost: float
    """e to minus this power is nothing beside 1."""
    flat: float
    """tanh is 1 from here on."""
    full: float
    """The sigmoid is 1 from here on."""

    def reduced(self, v: Vectors, x: str) -> tuple[str, str, str]:
        """Write r, n and n as an integer, where x = n ln 2 + r and |r| <= ln 2 / 2."""
        high, low = v.factors(*(-part for part in self.ln2))
        n, k = v.rounded(x, LOG2E)
        return v.fma(n, low, v.fma(n, high, x)), n, k

    def pieces(self, v: Vectors, x: str) -> tuple[str, str, str]:
        """Write those of e^x: e^r - 1 of the remainder, and the power of two as a float and as an integer."""
        r, n, k = self.reduced(v, x)
        return self._minus_one(v, r), n, k

    def _minus_one(self, v: Vectors, r: str) -> str:
        """e^r - 1 for |r| <= ln 2 / 2."""
        return v.fma(v.poly(r, self.minus_one), v.mul(r, r), r)

    def exp(self, v: Vectors, x: str) -> str:
        """Write e^x."""
        x = v.at_least(v.at_most(x, v.number(self.most)), v.number(self.least))
        p, n, k = self.pieces(v, x)
        return v.scaled(v.add(p, v.number(1.0)), n, k)

    def exp2(self, v: Vectors, x: str) -> str:
        """Write 2^x."""
        least, most = self.ends_of_two
        x = v.at_least(v.at_most(x, v.number(most)), v.number(least))
        n, k = v.rounded(x, 1.0)
        p = self._minus_one(v, v.mul(v.sub(x, n), v.number(math.log(2))))
        return v.scaled(v.add(p, v.number(1.0)), n, k)

    def expm1(self, v: Vectors, x: str) -> str:
        """Write e^x - 1, exact to the last bits near 0."""
        inside = v.at_least(v.at_most(x, v.number(self.most)), v.number(-self.lost))
        p, _, k = self.pieces(v, inside)
        # With half of 2^n, which is finite even where e^x is about to overflow.
        half = v.power_of_two(v.iop("sub", k, v.integer(1)))
        y = v.fma(half, p, v.sub(half, v.number(0.5)))
        return v.select(v.compare("olt", v.abs(x), v.number(self.near)), x, v.add(y, y))

    def tanh(self, v: Vectors, x: str) -> str:
        """Write a polynomial near 0, 1 - 2 / (e^(2 |x|) + 1) elsewhere, with the sign of x."""
        a = v.at_most(v.abs(x), v.number(self.flat))
        p, n, k = self.pieces(v, v.add(a, a))
        e = v.scaled(v.add(p, v.number(1.0)), n, k)
        far = v.sub(v.number(1.0), v.div(v.number(2.0), v.add(e, v.number(1.0))))
        z = v.mul(x, x)
        near = v.fma(v.mul(v.poly(z, self.tangent), z), x, x)
        return v.copysign(v.select(v.compare("olt", a, v.number(0.625)), near, far), x)

    def sigmoid(self, v: Vectors, x: str) -> str:
        """Write 2^n / (2^n + e^-r) where x = n ln 2 + r: one quotient for both signs, and only e^-r is approximate.

        Both terms times 3/4: a sum just below 1 is rounded half as coarsely as one just above, where some results would
        miss 2 ulp by a hair. Beyond the limits it is 1 and 0.
        """
        r, n, k = self.reduced(v, v.at_least(v.at_most(x, v.number(self.full)), v.number(self.least)))
        r = v.neg(r)
        power = v.scaled(v.number(0.75), n, k)
        whole = v.add(power, v.number(0.75))
        return v.div(power, v.fma(v.poly(r, [0.75 * c for c in (*self.minus_one, 1.0)]), r, whole))
