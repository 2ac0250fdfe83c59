# SPDX-License-Identifier: Apache-2.0
"""Branches and loops of TFLite models, and what is refused inside of them."""

from __future__ import annotations

import numpy
import pytest

import hybridize
from hybridize import load
from hybridize.errors import CaptureError, LoadError, OutOfBoundsError
from hybridize.formats.foreign.specialization import known_inputs
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.formats.tflite.read import program
from tests.formats.tflite.cases import asked
from tests.formats.tflite.writer import Builder
from tests.refusals import refusal

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


def a_list(at: int = 3, behind: int = 1) -> bytes:
    """Writes twice the i-th row of its input at `at` - i of a list, as converters write a loop over a TensorArray."""
    b = Builder()
    x, y, zero = b.input((4, 2)), b.tensor((4, 2)), b.constant(numpy.array(0, "i4"))
    begun = b.constant(numpy.zeros((4, 2), "f4"))
    b.operator(
        "WHILE", [zero, begun, x], [b.tensor((), "i4"), y, b.tensor((4, 2))], ("while", {"condition": 1, "body": 2})
    )
    b.outputs(y)
    b.new_graph()
    i, _, _ = b.input((), "i4"), b.input((4, 2)), b.input((4, 2))
    more = b.tensor((), "?")
    b.operator("LESS", [i, b.constant(numpy.array(4, "i4"))], [more])
    b.outputs(more)
    b.new_graph()
    i, rows, x = b.input((), "i4"), b.input((4, 2)), b.input((4, 2))
    one, last, length, none, rest = (b.constant(numpy.array(n, "i4")) for n in (1, at, [1], [0], [-1]))
    whole, both, step = (b.constant(numpy.array(n, "i4")) for n in ([0, 0], [-1, -1], [1]))
    place, end = b.tensor((), "i4"), b.tensor((), "i4")
    b.operator("SUB", [last, i], [place], ("sub", {}))
    b.operator("ADD", [place, b.constant(numpy.array(behind, "i4"))], [end], ("add", {}))
    vectors = []
    for number, other in ((i, None), (place, rest), (end, none)):
        single = b.tensor((1,), "i4")
        b.operator("RESHAPE", [number, length], [single])
        vectors.append(single)
        if other is not None:
            vectors[-1] = b.tensor((2,), "i4")
            b.operator("CONCATENATION", [single, other], [vectors[-1]], ("concatenation", {}))
    row, joined, doubled, element = (b.tensor(shape) for shape in ((2,), (4, 2), (2,), (1, 2)))
    before, after = (b.tensor((1, 2), signature=[-1, 2]) for _ in range(2))
    b.operator("STRIDED_SLICE", [x, vectors[0], none, step], [row], ("strided", {"shrink_mask": 1}))
    b.operator("ADD", [row, row], [doubled], ("add", {}))
    b.operator("RESHAPE", [doubled, b.constant(numpy.array([1, 2], "i4"))], [element])
    b.operator("SLICE", [rows, whole, vectors[1]], [before])
    b.operator("SLICE", [rows, vectors[2], both], [after])
    b.operator("CONCATENATION", [before, element, after], [joined], ("concatenation", {}))
    further = b.tensor((), "i4")
    b.operator("ADD", [i, one], [further], ("add", {}))
    b.outputs(further, joined, x)
    return b.bytes()


ROWS = numpy.arange(8, dtype="f4").reshape(4, 2)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_list_that_a_loop_writes(tmp_path, compiled):
    (tmp_path / "m.tflite").write_bytes(a_list())
    net = load(tmp_path / "m.tflite")
    net.hybridize(compiled)
    for x in (ROWS, -ROWS):
        numpy.testing.assert_array_equal(net(hybridize.np.array(x)).asnumpy(), 2 * x[::-1])


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("wrong", [{"at": 4}, {"at": 2}, {"behind": 2}])
def test_a_list_is_written_within_its_bounds(tmp_path, compiled, wrong):
    (tmp_path / "m.tflite").write_bytes(a_list(**wrong))
    net = load(tmp_path / "m.tflite")
    net.hybridize(compiled)
    with pytest.raises(OutOfBoundsError, match="CONCATENATION"):
        net(hybridize.np.array(ROWS)).asnumpy()


@pytest.mark.parametrize("compiled", [False, True])
def test_inputs_may_say_a_part(tmp_path, compiled):
    b = Builder()
    x, low, high, y = b.input((4, 2)), b.input((1,), "i4"), b.input((1,), "i4"), b.tensor((1, 2), signature=[-1, 2])
    b.operator("STRIDED_SLICE", [x, low, high, b.constant(numpy.array([1], "i4"))], [y], ("strided", {}))
    b.outputs(y)
    (tmp_path / "m.tflite").write_bytes(b.bytes())
    net = load(tmp_path / "m.tflite")
    net.hybridize(compiled)
    for k, end in ((1, 3), (0, 2), (1, 4)):
        y = net(hybridize.np.array(ROWS), *(hybridize.np.array([number], dtype="int32") for number in (k, end)))
        numpy.testing.assert_array_equal(y.asnumpy(), ROWS[k:end])


def test_a_part_whose_size_is_data_is_no_array(tmp_path):
    b = Builder()
    x, count, y = b.input((4,)), b.input((1,), "f4"), b.tensor((1,), signature=[-1])
    size, negative = b.tensor((1,), "i4"), b.tensor((1,))
    b.operator("CAST", [count], [size], ("cast", {}))
    b.operator("SLICE", [x, b.constant(numpy.array([0], "i4")), size], [y])
    b.operator("NEG", [y], [negative])
    b.outputs(negative)
    (tmp_path / "m.tflite").write_bytes(b.bytes())
    net = load(tmp_path / "m.tflite")
    with pytest.raises(CaptureError, match=r"E463.*SLICE.*an array whose size is data"):
        net(hybridize.np.array(ROWS[:, 0]), hybridize.np.array(ROWS[0, :1]))


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
    result, written = asked([(steps(), [(x,) for x in INPUTS]), (a_list(), [(ROWS,)])], "default")
    numpy.testing.assert_array_equal(written[0][0], 2 * ROWS[::-1])
    for x, ys in zip(INPUTS, result, strict=True):
        numpy.testing.assert_array_equal(ys[0], expected(x))


def test_inputs_whose_sizes_alone_are_used_are_data():
    b = Builder()
    words, table = b.input((2, 3), "i4", signature=[-1, 3]), b.constant(numpy.arange(10, dtype="f4").reshape(5, 2))
    vectors, sizes, rows = b.tensor((2, 3, 2), signature=[-1, 3, 2]), b.tensor((3,), "i4"), b.tensor((), "i4")
    limits = [b.constant(numpy.array([k], "i4")) for k in (0, 1, 1)]
    shape, y = b.tensor((2,), "i4"), b.tensor((2, 6), signature=[-1, 6])
    b.operator("GATHER", [table, words], [vectors], ("gather", {}))
    b.operator("SHAPE", [vectors], [sizes], ("shape", {"type": 2}))
    b.operator("STRIDED_SLICE", [sizes, *limits], [rows], ("strided", {"shrink_mask": 1}))
    b.operator("PACK", [rows, b.constant(numpy.array(6, "i4"))], [shape], ("pack", {"count": 2}))
    b.operator("RESHAPE", [vectors, shape], [y])
    b.outputs(y)
    assert known_inputs(program(b.bytes(), "m.tflite"), False) == ()  # else each sentence would be a program
    for op in ("Shape", "ShapeN", "Size", "Rank"):
        assert TENSORFLOW.find(op, 0).by_types


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("op", "options"), [("GATHER", ("gather", {})), ("GATHER_ND", None)])
def test_indices_that_are_out_of_bounds_are_refused(tmp_path, compiled, op, options):
    b = Builder()
    x, at, y = b.input((4, 2)), b.input((1, 2), "i4"), b.tensor((1,) if options is None else (1, 2, 2))
    b.operator(op, [x, at], [y], options)
    b.outputs(y)
    (tmp_path / "m.tflite").write_bytes(b.bytes())
    net = load(tmp_path / "m.tflite")
    net.hybridize(compiled)
    for wrong in ([0, 4], [0, -1], [5, 1], [-1, 0]):
        with refusal(OutOfBoundsError, op):
            net(hybridize.np.array(ROWS), hybridize.np.array([wrong], dtype="int32")).asnumpy()
    y = net(hybridize.np.array(ROWS), hybridize.np.array([[3, 1]], dtype="int32")).asnumpy()
    numpy.testing.assert_array_equal(y, [ROWS[3, 1]] if options is None else [ROWS[[3, 1]]])


def test_a_counted_loop_has_a_gradient(tmp_path):
    (tmp_path / "m.tflite").write_bytes(a_list())
    net = load(tmp_path / "m.tflite")
    x, factors = hybridize.np.array(ROWS), numpy.arange(8, dtype="f4").reshape(4, 2) - 3
    x.attach_grad()
    with hybridize.autograd.record():
        total = (net(x) * hybridize.np.array(factors)).sum()
    total.backward()
    numpy.testing.assert_array_equal(x.grad.asnumpy(), 2 * factors[::-1])


def doubled(begin: int, bound: int, step: int, other: int) -> bytes:
    """Doubles its input while a number that grows by `step` is below `bound`, and one that grows by 1 below `other`."""
    b = Builder()
    x, y, first = b.input((2,)), b.tensor((2,)), b.constant(numpy.array(begin, "i4"))
    counts = [b.tensor((), "i4") for _ in range(2)]
    b.operator(
        "WHILE", [first, b.constant(numpy.array(0, "i4")), x], [*counts, y], ("while", {"condition": 1, "body": 2})
    )
    b.outputs(y)
    b.new_graph()
    i, k, _ = b.input((), "i4"), b.input((), "i4"), b.input((2,))
    flags = [b.tensor((), "?") for _ in range(3)]
    b.operator("LESS", [i, b.constant(numpy.array(bound, "i4"))], [flags[0]])
    b.operator("LESS", [k, b.constant(numpy.array(other, "i4"))], [flags[1]])
    b.operator("LOGICAL_AND", flags[:2], flags[2:])
    b.outputs(flags[2])
    b.new_graph()
    i, k, x = b.input((), "i4"), b.input((), "i4"), b.input((2,))
    after, further, y = b.tensor((), "i4"), b.tensor((), "i4"), b.tensor((2,))
    b.operator("ADD", [b.constant(numpy.array(step, "i4")), i], [after], ("add", {}))
    b.operator("ADD", [k, b.constant(numpy.array(1, "i4"))], [further], ("add", {}))
    b.operator("ADD", [x, x], [y], ("add", {}))
    b.outputs(after, further, y)
    return b.bytes()


@pytest.mark.parametrize(("numbers", "rounds"), [((0, 5, 1, 9), 5), ((0, 5, 2, 9), 3), ((1, 9, 4, 9), 2), ((0, 5, 1, 2), 2),
                                                 ((5, 5, 1, 9), 0), ((9, 5, 1, 9), 0)])  # fmt: skip
def test_rounds_are_counted(tmp_path, numbers, rounds):
    (tmp_path / "m.tflite").write_bytes(doubled(*numbers))
    y = load(tmp_path / "m.tflite")(hybridize.np.array(ROWS[0])).asnumpy()
    numpy.testing.assert_array_equal(y, ROWS[0] * 2**rounds)
