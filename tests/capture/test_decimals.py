# SPDX-License-Identifier: Apache-2.0
"""`round(number, digits)` of numbers that data decides: Python's decimals, bit by bit."""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy
import pytest

from hybridize import hybridize, np
from hybridize.base.types import TensorType
from hybridize.compiler import compile
from hybridize.errors import CaptureError
from hybridize.ops.library.decimals import MOST_DIGITS, decimal
from hybridize.ops.tracing import make_graph

SPECIAL = [0.0, float("inf"), float("nan"), 0.5, 1.5, 2.5, 0.125, 2.675, 1.005, 5e-324, 2.0**52 + 0.5, 2.0**53 + 2]


def floats(count: int) -> list[float]:
    """Special values, any bits, decimals, ties, and numbers whose last digit is a half."""
    draw = random.Random(1)
    values = list(SPECIAL)
    for _ in range(count):
        values.append(round(draw.uniform(0, 100), 3))
        values.append(draw.randrange(10**6) / 2 ** draw.randrange(20))
        values += [x for x in struct.unpack("d", draw.randbytes(8)) if abs(x) < 1e300]
        values.append(draw.uniform(0, 1) * 2.0 ** draw.randrange(40, 70))
        values.append(draw.randrange(2**51, 2**53) / 4)
        values.append(draw.randrange(10**6) * 5.0)
    return values + [-x for x in values]


@pytest.mark.parametrize("digits", range(-MOST_DIGITS, MOST_DIGITS + 1))
def test_floats_are_rounded_as_python_rounds_them(digits: int) -> None:
    values = numpy.array(floats(60))
    graph = make_graph(lambda x: (decimal(x, digits),), [TensorType(values.shape, numpy.dtype("float64"))])
    expected = numpy.array([round(x, digits) for x in values.tolist()])
    for result in (compile(graph).run([values])[0], decimal(values, digits)):
        numpy.testing.assert_array_equal(numpy.asarray(result), expected)
        numpy.testing.assert_array_equal(numpy.signbit(result), numpy.signbit(expected))


@pytest.mark.parametrize("digits", [-18, -3, -1, 0, 2, None])
def test_numbers_of_every_class(digits: int | None) -> None:
    def function(x: Any) -> Any:
        number, whole = x[0].item(), int(x[0])
        return round(number, digits), round(ndigits=digits, number=whole), round(number > 3, digits)

    compiled = hybridize(function)
    for value in (0.0, 2.675, -2.5, 5.0, 15.0, 25.0, 1234.5, -1500.0, -2500.0, 5e17):
        x = np.array([value], dtype="float64")
        result, expected = compiled(x), function(x)
        assert result == expected and list(map(type, result)) == list(map(type, expected))
    assert repr(compiled(np.array([-0.25]))) == repr(function(np.array([-0.25])))


def test_numbers_that_are_ints_or_floats() -> None:
    def function(x: Any) -> Any:
        number = 25
        if x[0] > 1:
            number = 2.675
        return x * round(number, 2)

    compiled = hybridize(function)
    for value in (0.0, 2.0):
        x = np.array([value])
        assert compiled(x) == function(x)


def test_numbers_of_loops_and_branches() -> None:
    def function(x: Any) -> Any:
        total, i = 0.0, 0
        while round(float(x[i]), 1) < 2:
            total += round(float(x[i]), 1)
            i += 1
        return round(total, 1) if total > 1 else total

    compiled = hybridize(function)
    for values in ([0.14, 1.26, 1.94, 1.96, 0.0], [1.96, 0.0, 0.0, 0.0, 0.0]):
        x = np.array(values)
        assert compiled(x) == function(x)


@pytest.mark.parametrize(("kind", "digits"), [(float, 23), (float, -23), (int, -19), (int, 23)])
def test_powers_of_ten_that_64_bits_do_not_hold(kind: Any, digits: int) -> None:
    with pytest.raises(CaptureError, match=r"E427.*round\(\).*(\n.*)*round to 22 digits after the point at most"):
        hybridize(lambda x: round(kind(x), digits))(np.array(1.5))
