# SPDX-License-Identifier: Apache-2.0
"""Branches and loops of TFLite models, and what is refused inside of them."""

from __future__ import annotations

import numpy
import pytest

import hybridize
from hybridize import load
from hybridize.errors import LoadError
from tests.formats.tflite.cases import asked
from tests.formats.tflite.writer import Builder

INPUTS = [numpy.array([values], "f4") for values in ((1, 2, 3), (-1, -2, -3), (100, 0, 1))]


def steps(variable: bool = False) -> bytes:
    """Doubles its input while the sum is below 50, and turns the sign where the first number is negative."""
    b = Builder()
    x = b.input((1, 3))
    y, z = b.tensor((1, 3)), b.tensor((1, 3))
    first = [b.constant(numpy.array(one, "i4")) for one in ((0, 0), (1, 1), (1, 1))]
    number, zero, sign = b.tensor((1,)), b.constant(numpy.zeros(1, "f4")), b.tensor((1,), "?")
    b.operator("STRIDED_SLICE", [x, *first], [number], ("strided", {"shrink_mask": 1}))
    b.operator("LESS", [number, zero], [sign])
    b.operator("WHILE", [x], [y], ("while", {"condition": 1, "body": 2}))
    b.operator("IF", [sign, y], [z], ("if", {"then": 3, "else": 4}))
    b.outputs(z)
    b.new_graph()
    x, total, most = b.input((1, 3)), b.tensor((1,)), b.tensor((1,), "?")
    axes, limit = b.constant(numpy.array([1], "i4")), b.constant(numpy.array([50], "f4"))
    size = b.tensor((1, 3))
    b.operator("ABS", [x], [size])
    b.operator("SUM", [size, axes], [total], ("fold", {}))
    b.operator("LESS", [total, limit], [most])
    b.outputs(most)
    b.new_graph()
    x, y = b.input((1, 3)), b.tensor((1, 3))
    if variable:
        b.operator("VAR_HANDLE", [], [b.tensor((), "resource", name="handle")], ("handle", {"name": "v"}))
    b.operator("ADD", [x, x], [y], ("add", {}))
    b.outputs(y)
    for op in ("NEG", "ABS"):
        b.new_graph()
        x, y = b.input((1, 3)), b.tensor((1, 3))
        b.operator(op, [x], [y])
        b.outputs(y)
    return b.bytes()


def expected(x: numpy.ndarray) -> numpy.ndarray:
    negative = x[0, 0] < 0
    while abs(x).sum() < 50:
        x = x + x
    return -x if negative else abs(x)


@pytest.mark.parametrize("compiled", [False, True])
def test_branches_and_loops_on_data(tmp_path, compiled):
    (tmp_path / "m.tflite").write_bytes(steps())
    net = load(tmp_path / "m.tflite")
    net.hybridize(compiled)
    for x in INPUTS:
        numpy.testing.assert_array_equal(net(hybridize.np.array(x)).asnumpy(), expected(x))


def test_variables_inside_are_refused(tmp_path):
    (tmp_path / "m.tflite").write_bytes(steps(variable=True))
    with pytest.raises(LoadError, match=r"E603.*VAR_HANDLE, node 'handle'.*in a branch or a loop"):
        load(tmp_path / "m.tflite")


def test_a_graph_that_calls_itself_is_refused(tmp_path):
    b = Builder()
    x, y = b.input((1, 3)), b.tensor((1, 3))
    b.operator("WHILE", [x], [y], ("while", {"condition": 0, "body": 0}))
    b.outputs(y)
    (tmp_path / "m.tflite").write_bytes(b.bytes())
    with pytest.raises(LoadError, match=r"E601.*calls itself"):
        load(tmp_path / "m.tflite")


@pytest.mark.long
def test_litert_gives_the_same():
    (result,) = asked([(steps(), [(x,) for x in INPUTS])], "default")
    for x, ys in zip(INPUTS, result, strict=True):
        numpy.testing.assert_array_equal(ys[0], expected(x))
