# SPDX-License-Identifier: Apache-2.0
"""The greatest common divisor and the least common multiple of integers, inside programs by Euclid's algorithm."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize import ops
from hybridize.array.device import AWAY, is_away
from hybridize.array.functions.keywords import universal
from hybridize.array.functions.searching import data_dependent
from hybridize.array.operands import aligned, common_dtype, operand, result, typed
from hybridize.array.placing import device_of
from hybridize.base.dtypes import is_integer
from hybridize.base.errors import DTypeError
from hybridize.ops.op import ACTIVE, Operand, bind, bind1, capturing, constant, type_of
from hybridize.ops.tracing import make_graph

_gcd_by_numpy = data_dependent("gcd", numpy.gcd)
_lcm_by_numpy = data_dependent("lcm", numpy.lcm)


def euclid(x: Operand, y: Operand) -> Operand:
    """Return the greatest common divisors of integers of one type, element by element.

    They are computed of unsigned integers: the least signed one has its absolute value only there.
    """
    return bind1(ops.Cast(type_of(x).dtype), _euclid_of_sizes(_size(x), _size(y)))


def _euclid_of_sizes(x: Operand, y: Operand) -> Operand:
    """Return the greatest common divisors of unsigned integers of one type."""
    kind = type_of(x)
    zero = numpy.zeros((), kind.dtype)

    def is_left(divisor: Operand) -> Operand:
        return bind1(ops.Ne(), divisor, bind1(ops.Broadcast(kind.shape), constant(zero)))

    def go_on(_: Operand, divisor: Operand) -> list[Operand]:
        return [bind1(ops.Any(tuple(range(kind.ndim))), is_left(divisor))]

    def step(number: Operand, divisor: Operand) -> list[Operand]:
        going = is_left(divisor)
        one = bind1(ops.Broadcast(kind.shape), constant(numpy.ones((), kind.dtype)))
        rest = bind1(ops.Mod(), number, bind1(ops.Where(), going, divisor, one))
        return [bind1(ops.Where(), going, divisor, number), bind1(ops.Where(), going, rest, divisor)]

    loop = ops.While(make_graph(go_on, [kind, kind]), make_graph(step, [kind, kind]))
    divisors, _ = bind(loop, x, y)
    return divisors


def _size(x: Operand) -> Operand:
    """Return absolute values as unsigned integers of the same width."""
    dtype = type_of(x).dtype
    return x if dtype.kind == "u" else bind1(ops.Cast(numpy.dtype(f"u{dtype.itemsize}")), bind1(ops.Abs(), x))


def _integers(name: str, x1: Any, x2: Any) -> tuple[Operand, Operand]:
    """Return two arguments as operands.

    Raises:
        DTypeError E205: they are no integers.
    """
    pair = operand(x1), operand(x2)
    if not is_integer(common_dtype(pair)):
        raise DTypeError("E205", f"{name} of {typed(pair[0])} and {typed(pair[1])}: expected integers")
    return pair


def _is_by_loops(*xs: Any) -> bool:
    """Tell whether Euclid's algorithm computes: inside programs, and where NumPy does not reach."""
    return (bool(ACTIVE) and capturing()) or (bool(AWAY) and any(is_away(device_of(x)) for x in xs))


@universal(2)
def gcd(x1: Any, x2: Any) -> Any:
    """Return the greatest common divisor of |x1| and |x2|, of integers.

    >>> np.gcd(np.array([12, 18], dtype="int64"), 8)
    array([4, 2], dtype=int64)
    """
    pair = _integers("gcd", x1, x2)
    if not _is_by_loops(x1, x2):
        return _gcd_by_numpy(x1, x2)
    return result(euclid(*aligned(*pair, name="gcd", dtype=common_dtype(pair))))


@universal(2)
def lcm(x1: Any, x2: Any) -> Any:
    """Return the least common multiple of |x1| and |x2|, of integers.

    >>> np.lcm(np.array([4, 6], dtype="int64"), 10)
    array([20, 30], dtype=int64)
    """
    pair = _integers("lcm", x1, x2)
    if not _is_by_loops(x1, x2):
        return _lcm_by_numpy(x1, x2)
    left, right = aligned(*pair, name="lcm", dtype=common_dtype(pair))
    dtype = type_of(left).dtype
    left, right = _size(left), _size(right)
    divisor = _euclid_of_sizes(left, right)
    kind = type_of(divisor)
    one = bind1(ops.Broadcast(kind.shape), constant(numpy.ones((), kind.dtype)))
    divisor = bind1(ops.Max(), divisor, one)  # of 0 and 0
    return result(bind1(ops.Cast(dtype), bind1(ops.Mul(), bind1(ops.FloorDiv(), left, divisor), right)))
