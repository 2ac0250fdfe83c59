# SPDX-License-Identifier: Apache-2.0
"""Variables inside of TFLite models: state that calls write, that `save` keeps and `reset` begins again."""

from __future__ import annotations

import numpy
import pytest

import hybridize
from hybridize import load
from hybridize.errors import LoadError
from tests.formats.tflite.cases import asked, ints, numbers
from tests.formats.tflite.writer import Builder

FIRST = numpy.array([[1, 2, 3]], "f4")
INPUTS = [numpy.array([[k, -k]], "f4") for k in range(1, 6)]


def streaming() -> bytes:
    """A window of three numbers that two new ones move through; the result is the window."""
    b = Builder()
    x = b.input((1, 2))
    handle, window = b.tensor((), "resource"), b.tensor((1, 3))
    joined, moved, y = b.tensor((1, 5)), b.tensor((1, 3)), b.tensor((1, 3))
    variable = ("handle", {"container": "", "name": "window"})
    b.operator("CALL_ONCE", [], [], ("once", {"init": 1}))
    b.operator("VAR_HANDLE", [], [handle], variable)
    b.operator("READ_VARIABLE", [handle], [window])
    b.operator("CONCATENATION", [window, x], [joined], ("concatenation", {"axis": 1}))
    limits = [b.constant(ints(*one)) for one in ((0, 2), (1, 5), (1, 1))]
    b.operator("STRIDED_SLICE", [joined, *limits], [moved], ("strided", {}))
    b.operator("ASSIGN_VARIABLE", [handle, moved], [])
    b.operator("MUL", [moved, moved], [y], ("mul", {}))
    b.outputs(y)
    b.new_graph()
    handle = b.tensor((), "resource")
    b.operator("VAR_HANDLE", [], [handle], variable)
    b.operator("ASSIGN_VARIABLE", [handle, b.constant(FIRST)], [])
    return b.bytes()


def two_signatures() -> bytes:
    """`push` adds numbers to a variable and gives it, `shifted` gives the sum of it and a number."""
    b = Builder()
    variable = ("handle", {"container": "", "name": "window"})
    x, handle, window, y = (
        b.input((1, 1), signature=[-1, 1]),
        b.tensor((), "resource"),
        b.tensor((1, 3)),
        b.tensor((1, 3)),
    )
    b.operator("CALL_ONCE", [], [], ("once", {"init": 2}))
    b.operator("VAR_HANDLE", [], [handle], variable)
    b.operator("READ_VARIABLE", [handle], [window])
    b.operator("ADD", [window, x], [y], ("add", {}))
    b.outputs(y)
    b.new_graph()
    x, handle, window, y = b.input((1, 3)), b.tensor((), "resource"), b.tensor((1, 3)), b.tensor((1, 3))
    b.operator("CALL_ONCE", [], [], ("once", {"init": 2}))
    b.operator("VAR_HANDLE", [], [handle], variable)
    b.operator("READ_VARIABLE", [handle], [window])
    b.operator("ADD", [window, x], [y], ("add", {}))
    b.operator("ASSIGN_VARIABLE", [handle, y], [])
    b.outputs(y)
    b.new_graph()
    handle = b.tensor((), "resource")
    b.operator("VAR_HANDLE", [], [handle], variable)
    b.operator("ASSIGN_VARIABLE", [handle, b.constant(FIRST)], [])
    sides = [{"inputs": [{"name": "x", "tensor": 0}], "outputs": [{"name": "y", "tensor": 3}], "key": key, "graph": graph}
             for graph, key in enumerate(("shifted", "push"))]  # fmt: skip
    return b.bytes(signatures=sides)


def test_a_signature_is_loaded_by_its_name(tmp_path):
    (tmp_path / "m.tflite").write_bytes(two_signatures())
    push = load(tmp_path / "m.tflite", signature="push")
    numpy.testing.assert_array_equal(push(hybridize.np.array(FIRST)).asnumpy(), 2 * FIRST)
    numpy.testing.assert_array_equal(push(hybridize.np.array(FIRST)).asnumpy(), 3 * FIRST)
    shifted = load(tmp_path / "m.tflite")
    numpy.testing.assert_array_equal(shifted(hybridize.np.array(FIRST[:, :1])).asnumpy(), FIRST + 1)
    with pytest.raises(LoadError, match=r"(?s)E605.*no signature 'pull'.*shifted, push"):
        load(tmp_path / "m.tflite", signature="pull")


def expected() -> list:
    window, results = FIRST, []
    for x in INPUTS:
        window = numpy.concatenate([window, x], 1)[:, 2:]
        results.append(window * window)
    return results


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "streaming.tflite"
    file.write_bytes(streaming())
    return file


@pytest.mark.parametrize("compiled", [False, True])
def test_each_call_sees_what_the_last_one_left(path, compiled):
    net = load(path)
    net.hybridize(compiled)
    for _ in range(2):
        for x, y in zip(INPUTS, expected(), strict=True):
            numpy.testing.assert_array_equal(net(hybridize.np.array(x)).asnumpy(), y)
        net.reset()


def test_state_is_a_parameter_without_gradient(path):
    net = load(path)
    assert {name: one.grad_req for name, one in net.collect_params().items()} == {"window": "null"}
    net(hybridize.np.array(INPUTS[0]))
    numpy.testing.assert_array_equal(net.collect_params()["window"].data().asnumpy(), [[3, 1, -1]])


def test_a_saved_program_goes_on_where_it_was(path, tmp_path):
    net = load(path)
    for x in INPUTS[:2]:
        net(hybridize.np.array(x))
    net.save(tmp_path / "streaming.hyb")
    again = load(tmp_path / "streaming.hyb")
    for x, y in zip(INPUTS[2:], expected()[2:], strict=True):
        numpy.testing.assert_array_equal(again(hybridize.np.array(x)).asnumpy(), y)


def test_a_variable_without_a_first_value_is_refused(tmp_path):
    b = Builder()
    handle, y = b.tensor((), "resource"), b.tensor((1, 3))
    b.operator("VAR_HANDLE", [], [handle], ("handle", {"name": "window"}))
    b.operator("READ_VARIABLE", [handle], [y])
    b.outputs(y)
    (tmp_path / "m.tflite").write_bytes(b.bytes())
    with pytest.raises(LoadError, match=r"E603.*READ_VARIABLE.*'window' has no value"):
        load(tmp_path / "m.tflite")()


@pytest.mark.long
def test_litert_streams_the_same():
    (result,) = asked([(streaming(), [(x,) for x in INPUTS])], "default")
    numpy.testing.assert_array_equal([ys[0] for ys in result], expected())


def recurrent(peephole: bool = False) -> bytes:
    """An LSTM of four inputs and three numbers of state, which are variables: tensors that its operator writes."""
    b = Builder()
    x = b.input((1, 5, 4))
    weights = [b.constant(numbers(3, 4, seed=k)) for k in range(4)] + [
        b.constant(numbers(3, 3, seed=4 + k)) for k in range(4)
    ]
    cells = [b.constant(numbers(3, seed=20 + k)) if peephole else -1 for k in range(3)]
    biases = [b.constant(numbers(3, seed=10 + k)) for k in range(4)]
    states = [b.tensor((1, 3), name=name, variable=True) for name in ("out", "cell")]
    y = b.tensor((1, 5, 3))
    inputs = [x, *weights, *cells, *biases, -1, -1, *states, -1, -1, -1, -1]
    b.operator("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [y], ("lstm", {"activation": 4, "cell_clip": 10.0}))
    b.outputs(y)
    return b.bytes()


SEQUENCES = [numbers(1, 5, 4, seed=30 + k) for k in range(3)]


def steps_of_lstm(peephole: bool) -> list[numpy.ndarray]:
    """The same in NumPy, over all sequences."""
    w, u = ([numbers(3, size, seed=first + k) for k in range(4)] for size, first in ((4, 0), (3, 4)))
    bias, cells = [numbers(3, seed=10 + k) for k in range(4)], [numbers(3, seed=20 + k) * peephole for k in range(3)]
    h, c, results = numpy.zeros(3), numpy.zeros(3), []

    def sigmoid(z: numpy.ndarray) -> numpy.ndarray:
        return 1 / (1 + numpy.exp(-z))

    for sequence in SEQUENCES:
        ys = []
        for x in sequence[0]:
            i, f, g, o = (w[k] @ x + u[k] @ h + bias[k] for k in range(4))
            c = numpy.clip(sigmoid(f + cells[1] * c) * c + sigmoid(i + cells[0] * c) * numpy.tanh(g), -10, 10)
            h = sigmoid(o + cells[2] * c) * numpy.tanh(c)
            ys.append(h)
        results.append(numpy.array([ys]))
    return results


@pytest.mark.parametrize("peephole", [False, True])
def test_an_lstm_goes_on_from_call_to_call(tmp_path, peephole):
    (tmp_path / "m.tflite").write_bytes(recurrent(peephole))
    net = load(tmp_path / "m.tflite")
    for _ in range(2):
        for x, y in zip(SEQUENCES, steps_of_lstm(peephole), strict=True):
            numpy.testing.assert_allclose(net(hybridize.np.array(x)).asnumpy(), y, rtol=2e-5, atol=1e-6)
        net.reset()


@pytest.mark.long
@pytest.mark.parametrize("peephole", [False, True])
def test_litert_s_lstm_gives_the_same(peephole):
    (result,) = asked([(recurrent(peephole), [(x,) for x in SEQUENCES])], "default")
    for ys, y in zip(result, steps_of_lstm(peephole), strict=True):
        numpy.testing.assert_allclose(ys[0], y, rtol=2e-5, atol=1e-6)
