"""What users call one op: values against formulas written in NumPy, gradients, and machine code."""

import math

import numpy
import pytest

import hybridize
from hybridize import np, npx, ops
from hybridize.base.errors import ArgumentError, InternalError, ShapeError
from hybridize.base.types import TensorType
from hybridize.compiler import compile as compiled
from hybridize.ops import ReferenceInterpreter, composites, evaluate, interpreting, make_graph, pullback
from hybridize.ops.composite import composite

X = numpy.array([[0.5, -1.0, 2.0], [-3.0, 0.25, 1.0]])
EDGE = numpy.array([[0.0, -0.0, math.inf, -math.inf, math.nan, 300.0, -300.0]])


def typed(x) -> TensorType:
    return TensorType(x.shape, x.dtype)


def softmax(x, axis):
    y = numpy.exp(x - x.max(axis, keepdims=True))
    return y / y.sum(axis, keepdims=True)


erf = numpy.vectorize(math.erf)
CASES = {
    "relu": (composites.relu, lambda x: numpy.maximum(x, 0)),
    "sigmoid": (lambda x: composites.activation(x, "sigmoid"), lambda x: 1 / (1 + numpy.exp(-x))),
    "tanh": (lambda x: composites.activation(x, "tanh"), numpy.tanh),
    "softrelu": (lambda x: composites.activation(x, "softrelu"), lambda x: numpy.log1p(numpy.exp(x))),
    "softsign": (lambda x: composites.activation(x, "softsign"), lambda x: x / (1 + abs(x))),
    "log_sigmoid": (lambda x: composites.activation(x, "log_sigmoid"), lambda x: -numpy.log1p(numpy.exp(-x))),
    "mish": (lambda x: composites.activation(x, "mish"), lambda x: x * numpy.tanh(numpy.log1p(numpy.exp(x)))),
    "silu": (lambda x: composites.activation(x, "silu"), lambda x: x / (1 + numpy.exp(-x))),
    "gelu": (composites.gelu, lambda x: x / 2 * (1 + erf(x / math.sqrt(2)))),
    "gelu_tanh": (
        lambda x: composites.gelu(x, "tanh"),
        lambda x: x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    "leaky": (lambda x: composites.leaky_relu(x), lambda x: numpy.where(x > 0, x, x / 4)),
    "elu": (lambda x: composites.leaky_relu(x, None, "elu", 0.5), lambda x: numpy.where(x > 0, x, numpy.expm1(x) / 2)),
    "selu": (
        lambda x: composites.leaky_relu(x, None, "selu"),
        lambda x: 1.0507009873554805 * numpy.where(x > 0, x, 1.6732632423543772 * numpy.expm1(x)),
    ),
    "softmax0": (lambda x: composites.softmax(x, 0), lambda x: softmax(x, 0)),
    "softmax1": (lambda x: composites.softmax(x, 1), lambda x: softmax(x, 1)),
    "log_softmax": (lambda x: composites.log_softmax(x, 1), lambda x: numpy.log(softmax(x, 1))),
    "mean": (lambda x: composites.mean(x, (1,)), lambda x: x.mean(1)),
    "variance": (lambda x: composites.variance(x, (0, 1)), lambda x: x.var((0, 1))),
    "variance_half": (lambda x: composites.variance(x, (1,), 0.5), lambda x: x.var(1) * 3 / 2.5),
    "variance1": (lambda x: composites.variance(x, (1,), 1.0), lambda x: x.var(1, ddof=1)),
    "flatten": (composites.flatten, lambda x: x.reshape(2, -1)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_values_and_machine_code(name, dtype):
    function, formula = CASES[name]
    x = X.astype(dtype)
    graph = make_graph(lambda x: [function(x)], (typed(x),))
    (found,) = evaluate(graph, [x])
    tolerance = {"f8": 1e-13, "f4": 2e-6, "f2": 2e-3}[dtype]
    assert found.dtype == dtype
    numpy.testing.assert_allclose(found.astype("f8"), formula(x.astype("f8")), rtol=tolerance, atol=tolerance)
    (machine,) = compiled(graph).run([x])
    numpy.testing.assert_allclose(machine.astype("f8"), found.astype("f8"), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", CASES)
def test_no_overflow_and_nan_goes_through(name):
    function, _ = CASES[name]
    graph = make_graph(lambda x: [function(x)], (typed(EDGE.astype("f4")),))
    (found,) = evaluate(graph, [EDGE.astype("f4")])
    (machine,) = compiled(graph).run([EDGE.astype("f4")])
    numpy.testing.assert_allclose(machine, found, rtol=1e-5)
    if found.shape == EDGE.shape:
        assert numpy.isnan(found[0, 4])
        if "soft" not in name:
            assert not numpy.isnan(found[0, 5:]).any()


@pytest.mark.parametrize("name", CASES)
def test_gradients(name):
    function, _ = CASES[name]
    graph = make_graph(lambda x: [function(x)], (typed(X),))
    (y,) = evaluate(graph, [X])
    weights = numpy.random.default_rng(1).uniform(0.5, 1.5, y.shape)
    with interpreting(ReferenceInterpreter()):
        (found,) = pullback(graph, [X], [weights])
    for place in numpy.ndindex(X.shape):
        step = numpy.zeros_like(X)
        step[place] = 1e-6
        slope = ((evaluate(graph, [X + step])[0] - evaluate(graph, [X - step])[0]) * weights).sum() / 2e-6
        assert found[place] == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_the_slope_of_relu_at_zero_is_zero():
    graph = make_graph(lambda x: [composites.relu(x)], (TensorType((3,), numpy.dtype("f4")),))
    with interpreting(ReferenceInterpreter()):
        (found,) = pullback(graph, [numpy.array([0.0, -0.0, 1.0], "f4")], [numpy.ones(3, "f4")])
    numpy.testing.assert_array_equal(found, [0, 0, 1])


def test_fully_connected():
    x, w, b = (numpy.random.rand(*shape).astype("f4") for shape in ((2, 3, 5), (4, 15), (4,)))
    for flat, weight in ((True, w), (False, w[:, :5])):
        graph = make_graph(
            lambda x, w, b, flat=flat: [composites.fully_connected(x, w, b, flat)], [typed(x), typed(weight), typed(b)]
        )
        wanted = (x.reshape(2, 15) if flat else x) @ weight.T + b
        numpy.testing.assert_allclose(evaluate(graph, [x, weight, b])[0], wanted, rtol=1e-5)
        numpy.testing.assert_allclose(compiled(graph).run([x, weight, b])[0], wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ("x", "w", "b"),
    [
        ("f32[2,5]", "f32[4,3]", "f32[4]"),
        ("f32[2,5]", "f32[4,5]", "f32[3]"),
        ("f32[]", "f32[4,5]", None),
        ("f32[2,5]", "f32[5]", None),
    ],
)
def test_fully_connected_of_sizes_that_do_not_fit(x, w, b):
    kinds = [TensorType.parse(kind) for kind in (x, w, b) if kind]
    with pytest.raises(ShapeError, match="E102"):
        make_graph(lambda *xs: [composites.fully_connected(*xs)], kinds)


def test_layer_norm():
    x = numpy.random.rand(3, 7).astype("f4")
    gamma, beta = numpy.random.rand(2, 7).astype("f4")
    graph = make_graph(lambda *xs: [composites.layer_norm(*xs, 1, 1e-3)], [typed(x), typed(gamma), typed(beta)])
    wanted = (x - x.mean(1, keepdims=True)) / numpy.sqrt(x.var(1, keepdims=True) + 1e-3) * gamma + beta
    numpy.testing.assert_allclose(evaluate(graph, [x, gamma, beta])[0], wanted, rtol=1e-4, atol=1e-5)
    numpy.testing.assert_allclose(compiled(graph).run([x, gamma, beta])[0], wanted, rtol=1e-4, atol=1e-5)
    with pytest.raises(ShapeError, match="E164"):
        make_graph(lambda x, g: [composites.layer_norm(x, g, g, 0)], [typed(x), typed(gamma)])


def test_prelu():
    x, gamma = numpy.random.rand(2, 3, 4) - 0.5, numpy.array([0.1, 0.2, 0.3])
    graph = make_graph(lambda x, g: [composites.leaky_relu(x, g, "prelu")], [typed(x), typed(gamma)])
    wanted = numpy.where(x > 0, x, x * gamma[:, None])
    numpy.testing.assert_allclose(evaluate(graph, [x, gamma])[0], wanted)


def test_dropout_is_a_function_of_its_key():
    x = numpy.ones((100, 101), "f4")
    key = numpy.array([3, 9], "u8")
    graph = make_graph(lambda x, key: [composites.dropout(x, key, 0.25)], [typed(x), typed(key)])
    (y,) = evaluate(graph, [x, key])
    assert set(numpy.unique(y)) == {numpy.float32(0), numpy.float32(1 / 0.75)}
    assert abs((y == 0).mean() - 0.25) < 0.02
    (machine,) = compiled(graph).run([x, key])
    numpy.testing.assert_array_equal(machine, y)
    (other,) = evaluate(graph, [x, key + numpy.uint64(1)])
    assert (other != y).any()
    for p, wanted in ((0.0, x), (1.0, 0 * x)):
        graph = make_graph(lambda x, key, p=p: [composites.dropout(x, key, p)], [typed(x), typed(key)])
        numpy.testing.assert_array_equal(evaluate(graph, [x, key])[0], wanted)


def test_uniform_numbers_lie_in_their_range_evenly():
    key = numpy.array([5, 0], "u8")
    graph = make_graph(lambda key: [composites.uniform(key, (100_000,))], [typed(key)])
    (x,) = compiled(graph).run([key])
    assert x.min() >= 0
    assert x.max() < 1
    assert abs(x.mean() - 0.5) < 0.01
    numpy.testing.assert_array_equal(x, evaluate(graph, [key])[0])


def test_philox_gives_the_published_numbers():
    """Known answers of Random123: kat_vectors, philox4x32 10."""
    zeros = ops.RandomBits((4,)).reference(numpy.zeros(2, "u8"))[0]
    assert [f"{word:08x}" for word in zeros] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


def test_one_hot_and_embedding():
    rows = numpy.array([[2, 0], [1, 2]])
    table = numpy.random.rand(3, 4).astype("f4")
    graph = make_graph(
        lambda rows, table: [composites.one_hot(rows, 3), composites.embedding(rows, table)],
        [typed(rows), typed(table)],
    )
    for run in (lambda xs: evaluate(graph, xs), compiled(graph).run):
        hot, found = run([rows, table])
        numpy.testing.assert_array_equal(hot, numpy.eye(3)[rows])
        numpy.testing.assert_array_equal(found, table[rows])


def test_unknown_activations_are_named():
    with pytest.raises(ArgumentError, match=r"E342.*'rely'"):
        make_graph(lambda x: [composites.activation(x, "rely")], (typed(X),))
    with pytest.raises(ArgumentError, match=r"E343.*'rely'"):
        make_graph(lambda x: [composites.leaky_relu(x, None, "rely")], (typed(X),))


@pytest.mark.parametrize("word", ["softrelu", "log_sigmoid", "mish", "sigmoid", "tanh", "softsign"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_smooth_activations_have_one_slope_at_0(word, dtype):
    """In programs as imperatively, and as the differences on both sides say."""
    x = np.array([-1.0, -0.0, 0.0, 1e-3, 2.0], dtype=dtype)
    function = getattr(npx, word, None) or (lambda x: npx.activation(x, word))
    imperative = hybridize.grad(lambda x: function(x).sum())(x).asnumpy()
    program = hybridize.hybridize(hybridize.grad(lambda x: function(x).sum()))(x).asnumpy()
    numpy.testing.assert_allclose(program, imperative, rtol=1e-5)
    step = 1e-3
    near = (function(x + step) - function(x - step)).asnumpy() / (2 * step)
    numpy.testing.assert_allclose(imperative, near, atol=2e-3)


def test_a_composite_takes_the_arguments_of_its_function_and_no_others():
    x, w, b = X, numpy.ones((2, 3)), numpy.zeros(2)
    wanted = [
        (value.label, value.attributes)
        for value in _composites_of(lambda x, w, b: composites.fully_connected(x, w, b, True), x, w, b)
    ]
    for call in (
        lambda x, w, b: composites.fully_connected(x, w, b),
        lambda x, w, b: composites.fully_connected(flatten=True, bias=b, weight=w, x=x),
        lambda x, w, b: composites.fully_connected(x, w, flatten=True, bias=b),
    ):
        assert [(value.label, value.attributes) for value in _composites_of(call, x, w, b)] == wanted
    for wrong in (
        lambda x, w, b: composites.fully_connected(x),
        lambda x, w, b: composites.fully_connected(x, w, b, True, 1),
        lambda x, w, b: composites.fully_connected(x, w, x=x),
        lambda x, w, b: composites.fully_connected(x, w, b, True, x=x),
        lambda x, w, b: composites.fully_connected(x, w, bias=b, flattened=True),
        lambda x, w, b: composites.fully_connected(w, x=x),
    ):
        with pytest.raises(TypeError, match="argument"):
            _composites_of(wrong, x, w, b)


def _composites_of(function, *arrays):
    graph = make_graph(lambda *xs: [function(*xs)], tuple(map(typed, arrays)))
    return [node.op for node in graph.nodes]


def test_parameters_of_composites_go_by_position_and_by_name():
    def by_name_alone(x: "ops.Operand", *, axis: int = 0):
        return x

    with pytest.raises(InternalError, match="E912"):
        composite("alone")(by_name_alone)


def test_lines_of_operations_after_a_composite_that_failed_are_their_own():
    def function(x, w):
        try:
            npx.fully_connected(x, w, num_hidden=2)
        except ShapeError:
            y = npx.relu(x)
        return y + 1

    program = hybridize.hybridize(function).program(np.array(X), np.ones((2, 4)))
    first = function.__code__.co_firstlineno
    assert [
        node.loc.line - first
        for node in program.captured.nodes
        if node.op.name in ("relu", "add", "activation", "Activation")
    ] == [4, 5]
