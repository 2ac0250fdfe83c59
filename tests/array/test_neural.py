import math

import numpy
import pytest

from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError, ShapeError
from tests.refusals import refusal

RANDOM = numpy.random.default_rng(1)
X = RANDOM.normal(size=(4, 6)).astype("float32")


def test_fully_connected(both):
    x, w, b = (RANDOM.normal(size=shape).astype("float32") for shape in ((2, 3, 4), (5, 12), (5,)))
    want = x.reshape(2, 12) @ w.T + b
    numpy.testing.assert_allclose(both(npx.fully_connected, x, w, b, rtol=1e-4, atol=1e-5), want, rtol=1e-4, atol=1e-5)
    found = both(lambda x, w: npx.fully_connected(x, w, flatten=False), x, w[:, :4].copy(), rtol=1e-4, atol=1e-5)
    numpy.testing.assert_allclose(found, x @ w[:, :4].T, rtol=1e-4, atol=1e-5)
    assert npx.fully_connected(np.array(x), np.array(w), np.array(b), no_bias=True).shape == (2, 5)
    assert npx.fully_connected(np.zeros((0, 12)), np.array(w)).shape == (0, 5)
    assert npx.fully_connected(np.array(x).astype("float16"), np.array(w).astype("float16")).dtype == "float16"


ACTIVATIONS = {
    "relu": lambda x: numpy.maximum(x, 0), "sigmoid": lambda x: 1 / (1 + numpy.exp(-x)), "tanh": numpy.tanh,
    "softrelu": lambda x: numpy.log1p(numpy.exp(x)), "softsign": lambda x: x / (1 + abs(x)),
    "log_sigmoid": lambda x: -numpy.log1p(numpy.exp(-x)), "silu": lambda x: x / (1 + numpy.exp(-x)),
    "mish": lambda x: x * numpy.tanh(numpy.log1p(numpy.exp(x))),
    "gelu": lambda x: x * (1 + numpy.vectorize(math.erf)(x / 2**0.5)) / 2,
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(both, name):
    want = ACTIVATIONS[name](X.astype("float64"))
    numpy.testing.assert_allclose(both(lambda x: npx.activation(x, name), X, rtol=1e-5), want, rtol=1e-4, atol=1e-6)


def test_nan_stays_nan(both):
    x = numpy.array([math.nan, -1.0, 2.0], "float32")
    numpy.testing.assert_array_equal(both(npx.relu, x), [math.nan, 0, 2])
    assert npx.relu(np.array(-1.0)).shape == ()
    assert npx.relu(np.array([-1, 2], dtype="int32")).tolist() == [0, 2]
    with pytest.raises(ArgumentError, match="no activation 'no'"):
        npx.activation(np.array(x), "no")


def test_large_arguments_do_not_overflow(both):
    x = numpy.array([[-1000.0, 0.0, 1000.0]], "float32")
    for function in (npx.softmax, npx.log_softmax, npx.sigmoid, npx.softrelu, npx.gelu, npx.silu):
        assert not numpy.isnan(both(function, x)).any()


def leaky(act_type, x):
    below = {
        "leaky": lambda: 0.25 * x,
        "elu": lambda: 0.25 * numpy.expm1(x),
        "selu": lambda: 1.7580993408473766 * numpy.expm1(x),
        "prelu": lambda: 0.1 * x,
        "rrelu": lambda: 0.2295 * x,
    }[act_type]()
    return numpy.where(x > 0, x * (1.0507009873554805 if act_type == "selu" else 1), below)


@pytest.mark.parametrize("act_type", ["leaky", "elu", "selu", "prelu", "rrelu"])
def test_leaky_relu(both, act_type):
    gamma = numpy.array([0.1], "float32")
    found = both(lambda x, g: npx.leaky_relu(x, g, act_type=act_type), X, gamma, rtol=1e-5)
    numpy.testing.assert_allclose(found, leaky(act_type, X), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax(both, axis):
    e = numpy.exp(X)
    want = e / e.sum(axis, keepdims=True)
    numpy.testing.assert_allclose(both(lambda x: npx.softmax(x, axis), X), want, rtol=1e-5)
    numpy.testing.assert_allclose(both(lambda x: npx.log_softmax(x, axis), X, rtol=1e-5), numpy.log(want), rtol=1e-4)
    hot = numpy.exp(X / 2.0)
    numpy.testing.assert_allclose(
        both(lambda x: npx.softmax(x, axis, temperature=2.0), X), hot / hot.sum(axis, keepdims=True), rtol=1e-5
    )


def test_softmax_of_rows_of_different_length(both):
    length = numpy.array([1, 6, 3, 2])
    found = both(lambda x, n: npx.softmax(x, length=n), X, length)
    for row, (n, x) in enumerate(zip(length, X, strict=True)):
        e = numpy.exp(x[:n])
        numpy.testing.assert_allclose(found[row, :n], e / e.sum(), rtol=1e-5)
        assert (found[row, n:] == 0).all()
    mask = X > 0
    numpy.testing.assert_allclose(both(npx.masked_softmax, X, mask).sum(1), numpy.where(mask.any(1), 1, 0), rtol=1e-5)


def test_normalisations(both):
    g, b = (RANDOM.normal(size=6).astype("float32") for _ in range(2))
    centred = X - X.mean(1, keepdims=True)
    want = centred / numpy.sqrt(X.var(1, keepdims=True) + 1e-5)
    numpy.testing.assert_allclose(
        both(npx.layer_norm, X, g, b, rtol=1e-4, atol=1e-5), want * g + b, rtol=1e-4, atol=1e-5
    )
    first = both(lambda x, g: npx.layer_norm(x, g, g, axis=0), X, g[:4], rtol=1e-4, atol=1e-5)
    numpy.testing.assert_allclose(
        first, ((X - X.mean(0)) / numpy.sqrt(X.var(0) + 1e-5)) * g[:4, None] + g[:4, None], rtol=1e-3, atol=1e-4
    )
    images = RANDOM.normal(size=(2, 6, 3, 3)).astype("float32")
    grouped = both(lambda x, g, b: npx.group_norm(x, g, b, num_groups=2), images, g, b, rtol=1e-4, atol=1e-4)
    parts = images.reshape(2, 2, -1)
    standard = (parts - parts.mean(-1, keepdims=True)) / numpy.sqrt(parts.var(-1, keepdims=True) + 1e-3)
    numpy.testing.assert_allclose(
        grouped, standard.reshape(images.shape) * g[:, None, None] + b[:, None, None], rtol=1e-3, atol=1e-4
    )
    instance = both(lambda x, g, b: npx.instance_norm(x, g, b, eps=1e-5), images, g, b, rtol=1e-4, atol=1e-4)
    assert abs(((instance - b[:, None, None]) / g[:, None, None]).mean((2, 3))).max() < 1e-4
    with refusal(ShapeError, "layer_norm"):
        npx.layer_norm(np.array(X), np.ones(5), np.ones(5))


def test_sequences(both):
    steps, length = numpy.arange(24, dtype="float32").reshape(4, 3, 2), numpy.array([1, 4, 2])
    masked = both(lambda x, n: npx.sequence_mask(x, n, True, -1.0), steps, length)
    last = both(lambda x, n: npx.sequence_last(x, n, True), steps, length)
    turned = both(lambda x, n: npx.sequence_reverse(x, n, True), steps, length)
    for batch, n in enumerate(length):
        numpy.testing.assert_array_equal(masked[:n, batch], steps[:n, batch])
        assert (masked[n:, batch] == -1).all()
        numpy.testing.assert_array_equal(last[batch], steps[n - 1, batch])
        numpy.testing.assert_array_equal(turned[:n, batch], steps[:n, batch][::-1])
        numpy.testing.assert_array_equal(turned[n:, batch], steps[n:, batch])
    across = both(lambda x, n: npx.sequence_mask(x, n, True, axis=1), steps.swapaxes(0, 1), length)
    numpy.testing.assert_array_equal(across, numpy.where(masked == -1, 0, masked).swapaxes(0, 1))


def test_looking_up_and_updating(both):
    table, index = RANDOM.normal(size=(5, 3)).astype("float32"), numpy.array([[0, 4], [2, 4]])
    numpy.testing.assert_array_equal(both(npx.embedding, index, table), table[index])
    numpy.testing.assert_array_equal(
        both(lambda i, t: npx.embedding(i, t), index.astype("float32"), table)[0, 1], table[4]
    )
    points, value = numpy.array([[0, 1, 0]]), numpy.ones((3, 3), "float32")
    want = table.copy()
    numpy.add.at(want, points[0], value)
    numpy.testing.assert_allclose(both(npx.index_add, table, points, value), want, rtol=1e-6)
    want = table.copy()
    want[[0, 1]] = 7
    numpy.testing.assert_array_equal(both(lambda t, p: npx.index_update(t, p, 7), table, points[:, :2]), want)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("points", [1, [2], [2, 0], [2, 0, 2]])
@pytest.mark.parametrize("shape", [(), (1,), (4,)])
def test_points_without_columns_are_positions_along_the_first_axis(both, dtype, points, shape):
    table, value = numpy.arange(12).reshape(3, 4).astype(dtype), numpy.full(shape, 5, dtype)
    points = numpy.array(points)
    want = table.copy()
    numpy.add.at(want, points, value)
    numpy.testing.assert_array_equal(both(npx.index_add, table, points, value), want)
    want = table.copy()
    want[points] = value
    numpy.testing.assert_array_equal(both(npx.index_update, table, points, value), want)
    one = npx.index_update(np.array(table[0]), np.array(points), np.array(numpy.full((1,), 9, dtype)))
    want = table[0].copy()
    want[points] = 9
    numpy.testing.assert_array_equal(one, want)


def test_small_functions(both):
    numpy.testing.assert_allclose(
        both(npx.smooth_l1, X), numpy.where(abs(X) < 1, X * X / 2, abs(X) - 0.5), rtol=1e-5, atol=1e-7
    )
    numpy.testing.assert_array_equal(both(npx.arange_like, X), numpy.arange(24).reshape(4, 6))
    numpy.testing.assert_array_equal(both(lambda x: npx.arange_like(x, axis=1), X), numpy.arange(6))
    assert both(npx.batch_flatten, numpy.zeros((2, 3, 4))).shape == (2, 12)
    numpy.testing.assert_allclose(both(npx.erf, X, rtol=1e-5), numpy.vectorize(math.erf)(X), rtol=1e-4, atol=1e-6)
    assert npx.shape_array(np.ones((2, 3))).tolist() == [2, 3]
    assert npx.num_gpus() == 0
    with pytest.raises(RuntimeError, match="CPU"):
        np.zeros(2, ctx=npx.gpu(0))
    npx.waitall()
    npx.set_np()
    npx.reset_np()


def test_control_flow_is_python_when_imperative(capsys):
    x = np.array([1.0, 2.0])
    assert npx.cond(x.sum() > 2, lambda: x * 2, lambda: x).tolist() == [2, 4]
    assert npx.cond(lambda a: a.sum() > 5, lambda a: a * 2, lambda a: a - 1, x).tolist() == [0, 1]
    rows, (i, total) = npx.while_loop(
        lambda i, s: i < 3, lambda i, s: (s, [i + 1, s + i]), [np.array(0.0), np.array(0.0)], max_iterations=5
    )
    assert (i.item(), total.item()) == (3, 3)
    assert rows.tolist() == [0, 0, 1, 0, 0], "rows that were not reached are zeros"
    out, state = npx.foreach(lambda a, s: (a + s, s + a), np.array([[1, 2], [3, 4]]), np.zeros(2))
    assert out.tolist() == [[1, 2], [4, 6]]
    assert state.tolist() == [4, 6]
    npx.print("x is", x)
    npx.print("x = {}", x)
    assert capsys.readouterr().out.splitlines() == ["x is [1. 2.]", "x = [1. 2.]"]
    npx.assert_(x > 0)  # noqa: PT009
    with refusal(RuntimeError, "too small"):
        npx.assert_(x > 1, "too small")  # noqa: PT009
