"""Answers that were once wrong without a word: ends of ranges, NaN, integers, layouts."""

import numpy
import pytest

from hybridize.array import np, npx
from hybridize.capture import Function
from hybridize.gluon import HybridBlock, nn


@pytest.fixture(params=["imperative", "numpy", "llvm"])
def run(request):
    """Call a function as Python does, or compiled."""

    def call(function, *args):
        return (function if request.param == "imperative" else Function(function, backend=request.param))(*args)

    return call


VALUES = [numpy.nan, numpy.inf, -numpy.inf, -1.5, 1.5, 300.0, -300.0, 3e9, -3e9, 1e20, -1e20]


@pytest.mark.parametrize("to", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_outside_the_range_of_integers_become_its_ends(run, dtype, to):
    ends = numpy.iinfo(to)
    x = np.array(VALUES, dtype=dtype)
    expected = [0 if v != v else int(min(max(v, ends.min), ends.max)) for v in VALUES]
    for array in (x, x.reshape(1, -1).T, np.array([*VALUES, *VALUES], dtype=dtype)[::-1][::-1][: len(VALUES)]):
        assert run(lambda x: x.astype(to), array).asnumpy().reshape(-1).tolist() == expected


def test_nan_in_medians_and_quantiles(run):
    x = np.array([[1.0, numpy.nan, 3.0], [1.0, 2.0, 4.0]])
    for function in (
        lambda x: np.median(x, axis=1),
        lambda x: np.quantile(x, 0.5, axis=1),
        lambda x: np.percentile(x, 50, axis=1),
    ):
        numpy.testing.assert_array_equal(run(function, x).asnumpy(), [numpy.nan, 2.0])
    assert numpy.isnan(run(lambda x: np.median(x), x).asnumpy())


def test_shares_of_float64_are_float64(run):
    x = np.array(numpy.linspace(0, 1, 8) ** 2, dtype="float64")
    assert run(lambda x: np.quantile(x, 0.3), x).item() == pytest.approx(numpy.quantile(x.asnumpy(), 0.3), rel=1e-14)


def test_small_integers_do_not_overflow_in_norms_and_means(run):
    x = np.array([200, 100, 255], dtype="uint8")
    weights = np.array([3, 2, 255], dtype="uint8")
    plain, w = x.asnumpy().astype(float), weights.asnumpy().astype(float)
    found = run(
        lambda x, w: [np.linalg.norm(x), npx.norm(x), np.average(x, weights=w), np.trapezoid(x), npx.softsign(x)],
        x,
        weights,
    )
    norm = numpy.linalg.norm(plain)
    expected = [norm, norm, numpy.average(plain, weights=w), numpy.trapezoid(plain), plain / (1 + plain)]
    for one, other in zip(found, expected, strict=True):
        numpy.testing.assert_allclose(one.asnumpy(), other, rtol=1e-6)
    assert run(lambda x: np.isclose(x, x), np.array([-(2**31)], dtype="int32")).item()


def test_integers_round_to_integers(run):
    x = np.array([2147483647, 15, 25, -15, 5, 4], dtype="int32")
    found = run(lambda x: [np.around(x, 1), np.around(x[1:], -1), np.around(x, -12)], x)
    expected = [x.asnumpy(), numpy.around(x.asnumpy()[1:], -1), numpy.zeros(6, "int32")]
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert one.asnumpy().tolist() == other.tolist()


def test_dtypes_of_results(run):
    half, bools = np.array([1.0, -1.0], dtype="float16"), np.array([True, False], dtype=bool)
    found = run(
        lambda h, b: [np.heaviside(h, 0.5), b**2, npx.activation(b, "relu"), np.mean(h, dtype="int32")], half, bools
    )
    assert [str(x.dtype) for x in found] == ["float16", "int64", "float32", "int32"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x, axis=()),
        lambda x: np.max(x, axis=()),
        lambda x: np.floor(x),
        lambda x: np.around(x),
        lambda x: np.resize(x, (2,)),
        lambda x: np.nan_to_num(x),
        lambda x: np.abs(x),
        lambda x: np.clip(x, None, None),
        lambda x: x[0].sum().reshape(1),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_results_that_are_copies(run, function, dtype):
    def written(x):
        y = function(x)
        y[...] = 77
        return x + 0

    x = np.array([3, 4, 5], dtype=dtype)
    assert run(written, x).asnumpy().tolist() == [3, 4, 5]
    assert x.asnumpy().tolist() == [3, 4, 5]


def test_sums_of_one_number_are_copies(run):
    def written(x):
        y = x.sum()
        y += 1
        z = x.max()
        z += 1
        return y, z

    x = np.array(3.0)
    assert [one.item() for one in run(written, x)] == [4.0, 4.0]
    assert x.item() == 3.0


def test_reshapes_of_new_arrays_are_views(run):
    def written(x):
        y = x.T + 1
        z = y.reshape(-1)
        z[:3] = 9
        return y

    x = np.array(numpy.arange(6.0).reshape(2, 3))
    assert run(written, x).asnumpy().tolist() == [[9, 9], [9, 5], [3, 6]]


def test_shifts_take_integers(run):
    for x in (np.array([True, False], dtype=bool), np.array([1.0, 2.0])):
        with pytest.raises(TypeError, match="E2"):
            run(lambda x: x << x, x)


class Shared(HybridBlock):
    def __init__(self):
        super().__init__()
        self.one = nn.Dense(4, in_units=4)
        self.two = nn.Dense(4, in_units=4, params=self.one.params)

    def forward(self, x):
        return self.two(np.tanh(self.one(x)))


def test_parameters_changed_in_every_way():
    net = Shared()
    net.initialize()
    net.hybridize()
    x = np.array(numpy.random.normal(size=(3, 4)))
    weight = net.one.weight
    outside = numpy.asarray(weight.data())

    def doubled_in_numpy():
        outside[...] *= 2

    def through_a_view():
        view = weight.data().reshape(-1)[2:7]
        view += 1

    changes = (
        lambda: weight.set_data(weight.data() * 2),
        through_a_view,
        doubled_in_numpy,
        doubled_in_numpy,
        lambda: weight.data().__setitem__(0, 0.5),
        lambda: net.initialize(force_reinit=True),
        lambda: setattr(net, "two", nn.Dense(4, in_units=4)) or net.two.initialize(),
        lambda: net.cast("float64"),
        lambda: net.cast("float32"),
        lambda: setattr(net, "one", nn.Dense(4, in_units=4)) or net.one.initialize(),
    )
    for number, change in enumerate(changes):
        change()
        given = x.astype(net.one.weight.dtype)
        found = [net(given).asnumpy() for _ in range(2)]
        net.hybridize(False)
        expected = net(given).asnumpy()
        net.hybridize()
        for one in found:
            numpy.testing.assert_allclose(one, expected, rtol=1e-5, atol=1e-6, err_msg=f"change {number}")


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_powers_and_rounding_of_python_numbers(backend):
    def function(x, n, k):
        return n**k, x * n**k, round(n / 3, 1), round(n * 1.3), 2**n

    compiled = Function(function, backend=backend)
    x = np.array([2.0])
    for n, k in ((2, 3), (2, -1), (-3, -2), (5, 0), (2, 3), (2.0, -1), (2, 0.5), (2, -1)):
        found, expected = compiled(x, n, k), function(x, n, k)
        assert [type(one) for one in found] == [type(one) for one in expected]
        for one, other in zip(found, expected, strict=True):
            assert float(one) == pytest.approx(float(other), rel=1e-6)
