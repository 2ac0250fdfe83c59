"""MXNet 1's words for arguments, their order, and functions of `nd` that have no counterpart in NumPy."""

import inspect
import json
from functools import wraps
from pathlib import Path

import numpy
import pytest

import hybridize as mx
from hybridize import autograd, hybridize, nd, npx
from hybridize.array import legacy
from hybridize.errors import ArgumentError
from tests.refusals import refusal

SIGNATURES = Path(__file__).parents[1] / "formats/mxnet_files/op_signatures_1_9_1.json"
MXNETS = {
    name: [argument[0] for argument in sorted(op["args"], key=lambda one: not one[1].startswith("NDArray"))]
    for op in json.loads(SIGNATURES.read_text())["ops"]
    for name in [op["name"], *op["aliases"]]
}
"""Names of the arguments of MXNet 1's operators as of its functions, arrays first."""

X = numpy.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]], "float32")
SQUARE = numpy.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], "float32")
LOWER, UPPER = numpy.tril(SQUARE), numpy.triu(SQUARE)
SIZES = numpy.arange(6, dtype="float32")
HALVED = numpy.exp(X / 2)
WORDS = {
    "broadcast_add": (lambda x: nd.broadcast_add(lhs=x, rhs=x[:1]), X + X[:1]),
    "elemwise_mul": (lambda x: nd.elemwise_mul(x, rhs=x), X * X),
    "maximum": (lambda x: nd.maximum(lhs=x, rhs=0), numpy.maximum(X, 0)),
    "softmax, lengths": (
        lambda x: nd.softmax(x, nd.array([1, 1]), 1, use_length=True),
        numpy.array([[1.0, 0, 0]] * 2, "float32"),
    ),
    "softmax, an axis": (lambda x: nd.softmax(x * 0, 0), numpy.full((2, 3), 0.5, "float32")),
    "log_softmax, a temperature": (
        lambda x: nd.log_softmax(x, 1, 2.0),
        numpy.log(HALVED / HALVED.sum(1, keepdims=True)),
    ),
    "norm": (lambda x: nd.norm(x, 1, 1, None, True), abs(X).sum(1, keepdims=True)),
    "expand_dims": (lambda x: nd.expand_dims(x, axis=0, inplace=True), X[None]),
    "reshape": (lambda x: nd.reshape(x, target_shape=(3, 0), name="r"), X.reshape(3, 2)),
    "split_v2": (lambda x: nd.split_v2(ary=x, indices_or_sections=3, axis=1)[1], X[:, 1:2]),
    "index_copy": (
        lambda x: nd.contrib.index_copy(old_tensor=x, index_vector=nd.array([1]), new_tensor=x[:1]),
        X[[0, 0]],
    ),
    "arange_like": (lambda x: nd.contrib.arange_like(x, 1, 2, 1, None, 1), numpy.array([1.0, 3, 5])),
    "linspace": (lambda x: nd.linspace(0, 1, 3, True, None, "float64"), numpy.array([0, 0.5, 1])),
    "power": (lambda x: nd.power(base=x, exp=2), X**2),
    "lesser": (lambda x: nd.broadcast_lesser(lhs=x, rhs=x * 0), (X < 0).astype("float32")),
    "abs": (lambda x: nd.abs(data=x), abs(X)),
    "square, a name": (lambda x: nd.square(data=x, name="squared"), X**2),
    "zeros_like": (lambda x: nd.zeros_like(data=x), X * 0),
    "relu": (lambda x: nd.relu(data=x), X * (X > 0)),
    "one_hot": (lambda x: nd.one_hot(indices=nd.array([1, 0]), depth=2), numpy.eye(2, dtype="float32")[::-1]),
    "moveaxis": (lambda x: nd.moveaxis(tensor=x, source=0, destination=1), X.T),
    "concatenate": (lambda x: nd.concatenate([x, x], axis=1), numpy.concatenate([X, X], 1)),
    "moments": (lambda x: nd.moments(x, axes=(0,))[1], X.var(0)),
    "choose_element_0index": (lambda x: nd.choose_element_0index(x, nd.array([2, 0])), X[[0, 1], [2, 0]]),
    "unravel_index": (lambda x: nd.unravel_index(nd.array([5, 3]), shape=(2, 3)), numpy.array([[1.0, 1], [2, 0]])),
    "ravel_multi_index": (
        lambda x: nd.ravel_multi_index(nd.array([[1, 1], [2, 0]]), shape=(2, 3)),
        numpy.array([5.0, 3]),
    ),
}
OF_LINALG = {
    "trmm": (lambda a, b: nd.linalg.trmm(a, b, alpha=2.0), 2 * LOWER @ X.T),
    "trmm right, upper": (lambda a, b: nd.linalg.trmm(a, b.T, rightside=True, lower=False), X @ UPPER),
    "trmm transposed": (lambda a, b: nd.linalg.trmm(a, b, transpose=True), LOWER.T @ X.T),
    "trsm": (lambda a, b: nd.linalg.trsm(a, b, alpha=2.0), numpy.linalg.solve(LOWER, 2 * X.T)),
    "trsm upper": (lambda a, b: nd.linalg.trsm(a, b, lower=False), numpy.linalg.solve(UPPER, X.T)),
    "trsm transposed": (lambda a, b: nd.linalg.trsm(a, b, transpose=True), numpy.linalg.solve(LOWER.T, X.T)),
    "trsm right": (lambda a, b: nd.linalg.trsm(a, b.T, rightside=True), X @ numpy.linalg.inv(LOWER)),
    "potri": (lambda a, b: nd.linalg.potri(nd.linalg.potrf(A=a)), numpy.linalg.inv(SQUARE)),
    "sumlogdiag": (lambda a, b: nd.linalg.sumlogdiag(a), numpy.log(numpy.diag(SQUARE)).sum()),
    "extractdiag": (lambda a, b: nd.linalg.extractdiag(a, offset=-1), numpy.diag(SQUARE, -1)),
    "makediag": (lambda a, b: nd.linalg.makediag(b, offset=1), numpy.stack([numpy.diag(row, 1) for row in X.T])),
    "extracttrian": (lambda a, b: nd.linalg.extracttrian(a), SQUARE[numpy.tril_indices(3)]),
    "extracttrian above": (lambda a, b: nd.linalg.extracttrian(a, offset=1), SQUARE[numpy.triu_indices(3, 1)]),
    "maketrian": (lambda a, b: nd.linalg.maketrian(nd.linalg.extracttrian(a)), LOWER),
    "maketrian upper": (lambda a, b: nd.linalg.maketrian(nd.linalg.extracttrian(a, lower=False), lower=False), UPPER),
    "maketrian below": (
        lambda a, b: nd.linalg.maketrian(nd.linalg.extracttrian(a, offset=-1), offset=-1), numpy.tril(SQUARE, -1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_words(name):
    function, expected = WORDS[name]
    for one in (function, hybridize(function)):
        numpy.testing.assert_allclose(one(nd.array(X)).asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("name", OF_LINALG)
def test_linear_algebra(name):
    function, expected = OF_LINALG[name]
    for one in (function, hybridize(function)):
        numpy.testing.assert_allclose(one(nd.array(SQUARE), nd.array(X.T)).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_word_that_mxnet_does_not_read_is_a_warning():
    x = nd.array(X)
    function = lambda x: nd.broadcast_mul(x, x[:1], axis=1)  # noqa: E731
    for one in (function, hybridize(function)):
        with pytest.warns(UserWarning, match="broadcast_mul: axis=1 is not read"):
            numpy.testing.assert_array_equal(one(x).asnumpy(), X * X[:1])


def test_words_that_nobody_has():
    with refusal(ArgumentError, "datum"):
        nd.abs(datum=nd.array(X))
    with pytest.raises(ArgumentError):
        nd.broadcast_add(nd.array(X), lhs=nd.array(X))


def test_arrays_are_made_as_in_mxnet_1():
    made = nd.array([1, 2], mx.cpu())
    assert (made.dtype, made.context) == ("float32", mx.cpu())
    for numbers in (numpy.arange(3), numpy.arange(3, dtype="uint8"), numpy.ones(2), [True, False]):
        assert nd.array(numbers).dtype == "float32"
    assert nd.array([1, 2], mx.cpu(0), "int32").dtype == "int32"
    assert nd.array([1, 2], "int32").dtype == "int32"
    assert nd.array(source_array=numpy.arange(2), dtype="int64").dtype == "int64"
    assert nd.array(nd.array([1], dtype="int8")).dtype == "int8"
    assert hybridize(lambda x: nd.array(x) * 2)(nd.array([1], dtype="int8")).dtype == "int8"


def test_random_numbers_take_their_shape_in_its_place_and_by_its_name():
    for drawn in (
        nd.random.uniform(2, 3, (2, 3), "float32", mx.cpu()),
        nd.random.uniform(low=2, high=3, shape=(2, 3)),
        nd.random_uniform(2, 3, (2, 3), mx.cpu(), "float32"),
        mx.random.uniform(2, 3, shape=(2, 3)),
        mx.random.uniform(2, 3, (2, 3)),
        mx.random.uniform(2, 3, size=(2, 3)),
        mx.rnd.normal(2.5, 0.001, shape=(2, 3)),
        hybridize(lambda: mx.random.uniform(2, 3, shape=(2, 3)))(),
    ):
        assert drawn.shape == (2, 3)
        assert (drawn >= 2).all()
        assert (drawn <= 3).all()
    assert nd.random.normal(0, 1, (2,), "float64").dtype == "float64"
    assert mx.random.randint(0, 5, shape=(4,)).shape == (4,)
    assert mx.random.multinomial(nd.array([0.0, 1.0]), shape=3).tolist() == [1, 1, 1]
    assert mx.random.multinomial(5, [0.0, 1.0]).tolist() == [0, 5]


@pytest.mark.parametrize("rate", ["random_exponential", "sample_exponential"])
def test_exponential_numbers_by_their_rate(rate):
    draw = getattr(nd, rate)
    rates = nd.array([4.0, 0.25]) if rate.startswith("sample") else 4.0
    for one in (draw, hybridize(draw)):
        drawn = one(lam=rates, shape=(20000,))
        numpy.testing.assert_allclose(drawn.asnumpy().mean(-1), [0.25, 4.0][: drawn.ndim], rtol=0.1)


def test_normal_numbers_of_arrays():
    means, widths = nd.array([[1.0, 2.0, 3.0]]), nd.array([[1e-3, 1e-3, 1e-3]])
    for draw in (
        lambda mu, sigma: nd.sample_normal(mu=mu, sigma=sigma, shape=(2,), dtype="float32"),
        lambda mu, sigma: nd.sample_normal(mu, sigma, 2),
    ):
        for one in (draw, hybridize(draw)):
            drawn = one(means, widths)
            assert drawn.shape == (1, 3, 2)
            numpy.testing.assert_allclose(drawn.asnumpy(), [[[1, 1], [2, 2], [3, 3]]], atol=0.01)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


@pytest.mark.parametrize(
    ("function", "value", "slope"),
    [
        (nd.LinearRegressionOutput, lambda x: x, lambda y: y),
        (nd.LogisticRegressionOutput, sigmoid, lambda y: y),
        (nd.MAERegressionOutput, lambda x: x, numpy.sign),
    ],
)
@pytest.mark.parametrize("label", [X[::-1] / 4, X[::-1, None] / 4])
def test_outputs_of_regression(function, value, slope, label):
    for one in (function, hybridize(lambda *given: function(*given, grad_scale=2.0))):
        x = nd.array(X)
        x.attach_grad()
        numpy.testing.assert_allclose(one(x, nd.array(label)).asnumpy(), value(X), rtol=1e-5)
        with autograd.record():
            y = function(x, nd.array(label), grad_scale=2.0)
        y.backward()
        numpy.testing.assert_allclose(y.asnumpy(), value(X), rtol=1e-5)
        expected = 2.0 / X.shape[1] * slope(value(X) - label.reshape(X.shape))
        numpy.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-5)


def test_outputs_of_regression_have_labels():
    with pytest.raises((ArgumentError, TypeError), match="label"):
        nd.LinearRegressionOutput(nd.array(X))


def test_group_norm_has_mxnets_epsilons():
    image = numpy.arange(12, dtype="float32").reshape(1, 2, 2, 3) / 40  # whose variance is as small
    ones, zeros = nd.ones(2), nd.zeros(2)
    for function, eps in ((nd.GroupNorm, 1e-5), (npx.group_norm, 1e-3)):
        expected = (image - image.mean()) / numpy.sqrt(image.var() + eps)
        for one in (function, hybridize(function)):
            numpy.testing.assert_allclose(one(nd.array(image), ones, zeros).asnumpy(), expected, rtol=1e-4, atol=1e-5)


ROWS = {
    f"{group}{name}": row
    for group, table in (("", legacy._ROWS), ("_linalg_", legacy._LINALG), ("_contrib_", legacy._CONTRIB))
    for name, row in legacy._rows(table).items()
    if row[1]
}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_takes_mxnets_words_in_mxnets_order(name):
    """By position and by name a value reaches the parameter of the word, or the one at its place."""
    function, text = ROWS[name]
    words = [word.partition("=")[0] for word in text.split()]
    own = list(inspect.signature(function).parameters)

    @wraps(function)
    def received(*args, **kwargs):
        return inspect.signature(function).bind_partial(*args, **kwargs).arguments

    face = legacy._face(name, (received, text), lambda arguments, args: arguments)
    values = [object() for _ in words]
    by_position, by_name = face(*values), face(**dict(zip(words, values, strict=True)))
    assert by_position == by_name
    targets = [word if word in own else own[place] for place, word in enumerate(words)]
    assert by_position == dict(zip(targets, values, strict=True))
    assert list(inspect.signature(face).parameters)[: len(words)] == words
    with pytest.raises(TypeError):
        face(*values, **{words[0]: values[0]})
    if name in MXNETS:
        assert words == MXNETS[name][: len(words)]


def test_most_rows_are_of_operators_of_mxnet():
    assert len(ROWS.keys() & MXNETS.keys()) > 60


FACES = {
    f"{group}{name}": function
    for group, functions in (
        ("", legacy.table()), ("_linalg_", vars(nd.linalg)), ("_contrib_", vars(nd.contrib)),
        ("_random_", {name: nd.random.__dict__[name] for name in vars(nd.random) if name.endswith("_like")}),
    )
    for name, function in functions.items()
    if callable(function)
}  # fmt: skip
OPERATORS = sorted(FACES.keys() & MXNETS.keys())
OTHERWISE = {
    "output_mean_var": {"GroupNorm"},  # an error says that there is no such keyword
    "use_length": {"softmin"},  # which takes no lengths
    "ctx": {name for name in OPERATORS if name.startswith(("random_", "normal", "uniform"))},  # or after the dtype
    "dtype": {name for name in OPERATORS if name.startswith(("random_", "normal", "uniform"))},
    "data": {name for name in OPERATORS if name.endswith("_like")},  # MXNet's Python has it first
}
"""Keywords of operators that are not there, or not at MXNet's place."""


@pytest.mark.parametrize("name", OPERATORS)
def test_a_function_takes_each_of_mxnets_keywords_at_its_place(name):
    """By the functions' own signatures, whose calls the test of rows holds to them."""
    parameters = list(inspect.signature(FACES[name]).parameters.values())
    words = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    several = [one.name for one in parameters if one.kind is one.VAR_POSITIONAL]
    wanted = [word for word in MXNETS[name] if name not in OTHERWISE.get(word, ()) and word not in several]
    if several:  # the others by name alone
        assert {one.name for one in parameters} >= set(wanted)
    else:
        assert [word for word in words if word in wanted] == wanted


def test_nearly_all_functions_are_operators_of_mxnet():
    assert len(OPERATORS) > 250
