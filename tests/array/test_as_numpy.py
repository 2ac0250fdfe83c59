"""Functions whose results once were not NumPy's: each over its whole class of arguments, imperatively and compiled."""

import numpy
import pytest

import hybridize
from hybridize import autograd, np
from hybridize.base.errors import ArgumentError, CaptureError, HybridizeError, ShapeError, ValueArgumentError

RANDOM = numpy.random.default_rng(7)
X = RANDOM.normal(size=(4, 3, 5)).astype("f4")
WAYS = {"imperative": lambda f: f, "compiled": hybridize.hybridize}


@pytest.fixture(params=WAYS.values(), ids=WAYS.keys())
def way(request):
    return request.param


def same(found, wanted, rtol=1e-6):
    found = found.asnumpy() if hasattr(found, "asnumpy") else found
    assert numpy.shape(found) == numpy.shape(wanted)
    numpy.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("kind", [list, tuple, numpy.array, lambda counts: np.array(counts, dtype="int32"), np.array])
def test_repeat_takes_a_count_for_each_element(axis, kind):
    length = X.size if axis is None else X.shape[axis]
    for counts in ([2], [0], list(RANDOM.integers(0, 3, length))):
        same(np.repeat(np.array(X), kind(counts), axis), numpy.repeat(X, counts, axis))
        with autograd.record():
            same(np.array(X).repeat(kind(counts), axis), numpy.repeat(X, counts, axis))


def test_repeat_refuses_counts_that_do_not_fit():
    x = np.array(X)
    with pytest.raises(ShapeError, match="E134"):
        np.repeat(x, [1, 2], 0)
    with pytest.raises(ValueArgumentError, match="E345"):
        np.repeat(x, np.array([1, -1, 0, 2]), 0)
    with pytest.raises(TypeError, match="E208"):
        np.repeat(x, np.array([1.5, 1, 1, 1]), 0)
    with pytest.raises(CaptureError, match="E403"):
        hybridize.hybridize(lambda x, n: np.repeat(x, n, 0))(x, np.array([1, 1, 1, 1]))
    same(hybridize.hybridize(lambda x: np.repeat(x, [1, 0, 2, 1], 0))(x), numpy.repeat(X, [1, 0, 2, 1], 0))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "bool"])
def test_vecdot_is_of_vectors(way, dtype):
    x = (X * 3).astype(dtype)
    for y, axis in ((x, -1), (x, 0), (x[0], -1), (x[:, :1], 2), (x[0, 0], -1)):
        if axis == 0 and y is not x:
            continue
        found = way(lambda x, y, axis=axis: np.linalg.vecdot(x, y, axis=axis))(
            np.array(x, dtype=dtype), np.array(y, dtype=dtype)
        )
        wanted = numpy.vecdot(x, y, axis=axis)
        assert found.dtype == wanted.dtype
        same(found, wanted, 1e-5)
    with pytest.raises(ShapeError, match="E102"):
        np.vecdot(np.array(X), np.array(X[..., :1]))


METHODS = [
    "linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
    "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased",
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_quantiles(method):
    for n in (1, 2, 5, 8, 11):
        x = RANDOM.normal(size=(2, n)).astype("f8")
        for q in (0.0, 1.0, 0.5, 0.25, [0.1, 0.37, 0.9]):
            wanted = numpy.quantile(x, q, axis=1, method=method)
            same(np.quantile(np.array(x, dtype="f8"), q, axis=1, method=method), wanted)
            same(np.percentile(np.array(x, dtype="f8"), numpy.multiply(q, 100), axis=1, method=method), wanted)
    compiled = hybridize.hybridize(lambda x, q: np.quantile(x, q, axis=1, method=method))
    same(
        compiled(np.array(x, dtype="f8"), np.array([0.25, 0.5])), numpy.quantile(x, [0.25, 0.5], axis=1, method=method)
    )


@pytest.mark.parametrize("q", [-0.1, 1.1, numpy.nan, [0.5, 2.0]])
def test_shares_of_a_whole_are_from_0_to_1(q):
    with pytest.raises(ValueArgumentError, match="from 0 to 1"):
        np.quantile(np.array(X), q)
    with pytest.raises(ValueArgumentError, match="from 0 to 100"):
        np.percentile(np.array(X), numpy.multiply(q, 100))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[1, 2, 3], [3, 2, 1], [1, 1, 2], [2, 2, 1], [1, 1, 1], [5]])
def test_digitize(way, bins, right):
    x = numpy.array([0.5, 1.0, 1.5, 2.0, 3.0, 9.0, -1.0], "f4")
    found = way(lambda x, bins: np.digitize(x, bins, right=right))(np.array(x), np.array(bins))
    same(found, numpy.digitize(x, bins, right))


def test_digitize_refuses_bins_in_no_order():
    with pytest.raises(ValueArgumentError, match="ascend or descend"):
        np.digitize(np.array([1.0]), np.array([1, 3, 2]))
    with pytest.raises(ValueArgumentError, match="ascend or descend"):
        hybridize.hybridize(np.digitize)(np.array([1.0]), np.array([1, 3, 2]))


@pytest.mark.parametrize("side", ["left", "right"])
def test_nan_is_searched_behind_all_numbers(way, side):
    for a in ([1.0, 2.0, 3.0], [1.0, numpy.nan, numpy.nan], [numpy.nan], []):
        v = numpy.array([numpy.nan, 2.0, 0.0, numpy.inf], "f4")
        found = way(lambda a, v: np.searchsorted(a, v, side=side))(np.array(a), np.array(v))
        same(found, numpy.searchsorted(numpy.array(a, "f4"), v, side))


@pytest.mark.parametrize("ord", [2, 0, 2.5, numpy.inf])
@pytest.mark.parametrize("axis", [None, -1, (2, 0), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_vector_norm_takes_axes_together(way, ord, axis, keepdims):
    found = way(lambda x: np.linalg.vector_norm(x, axis=axis, ord=ord, keepdims=keepdims))(np.array(X))
    same(found, numpy.linalg.vector_norm(X, axis=axis, ord=ord, keepdims=keepdims), 1e-5)


@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_traces_of_stacks(way, offset):
    same(way(lambda x: np.linalg.trace(x, offset=offset))(np.array(X)), numpy.linalg.trace(X, offset=offset), 1e-5)
    same(way(lambda x: np.trace(x, offset))(np.array(X)), numpy.trace(X, offset), 1e-5)


DTYPES = ["bool", "int8", "int64", "uint8", "uint32", "float16", "float32", "float64"]


@pytest.mark.parametrize("from_", DTYPES)
def test_casts_by_names_classes_and_arrays(from_):
    xp = np.ones(2).__array_namespace__()
    for to in DTYPES:
        for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
            wanted = numpy.can_cast(from_, to, casting)
            for spelled in (from_, numpy.dtype(from_), numpy.dtype(from_).type, np.ones(2, dtype=from_)):
                assert np.can_cast(spelled, numpy.dtype(to).type, casting) == wanted
            x = np.ones(2, dtype=from_)
            if wanted:
                assert x.astype(to, casting=casting).dtype == to
            else:
                with pytest.raises(TypeError, match="E207"):
                    x.astype(to, casting=casting)
        kinds = [numpy.dtype(name).type for name in (from_, to)]
        assert xp.result_type(*kinds) == np.promote_types(from_, to) == np.result_type(*kinds)
        assert xp.can_cast(*kinds) == (np.promote_types(from_, to) == to)
    with pytest.raises(ArgumentError, match="E344"):
        np.can_cast(3, "int8")


def test_strides_are_numpys_in_programs_too():
    seen = []

    def look(x):
        views = (
            x,
            x.T,
            x[::2],
            x[:, 1],
            x[::-1, :, 1:],
            x.transpose(1, 0, 2),
            np.broadcast_to(x[0], x.shape),
            x * 2,
        )
        for view in views:
            seen.append(view.strides)  # noqa: PERF401 - what a program may do to a list outside
        return x.reshape(-1) if x.strides[0] == 60 else x

    wanted = look(np.array(X)).shape
    imperatively, seen[:] = list(seen), []
    assert hybridize.hybridize(look)(np.array(X)).shape == wanted
    assert seen == imperatively


REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "cumsum", "cumprod", "squeeze", "ptp"]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [0, -1])
def test_one_element_is_reduced_along_an_axis_that_it_has_not(way, name, axis):
    x = np.array(3.0)
    wanted = getattr(numpy, name)(x.asnumpy(), axis=axis)
    same(way(lambda x: getattr(np, name)(x, axis=axis))(x), wanted)
    x.attach_grad()
    with autograd.record():
        same(getattr(np, name)(x, axis=axis), wanted)


@pytest.mark.parametrize("name", [*REDUCTIONS, "mean", "std", "var", "median"])
def test_but_along_no_other_axis(way, name):
    for axis in (1, -2) if name in REDUCTIONS else (0, 1):
        with pytest.raises(IndexError, match="E111"):
            way(lambda x, axis=axis: getattr(np, name)(x, axis=axis))(np.array(3.0))


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u1", "f4"])
def test_numbers_at_even_distance_are_rounded_down(way, dtype):
    low = 0 if dtype == "u1" else -2
    for num in (0, 1, 2, 5, 14):
        for end in (False, True):
            found = way(lambda x, num=num, end=end: np.linspace(low, 4, num, endpoint=end, dtype=dtype) + x)(
                np.array(0, dtype=dtype)
            )
            same(found, numpy.linspace(low, 4, num, endpoint=end, dtype=dtype))
    x, y = numpy.array([-2.0, 1.0], "f4"), numpy.array([4.0, -7.5], "f4")
    if dtype != "u1":
        same(
            way(lambda x, y: np.linspace(x, y, 7, dtype=dtype))(np.array(x), np.array(y)),
            numpy.linspace(x, y, 7, dtype=dtype),
        )


def test_short_arguments(way):
    x = numpy.arange(1.0, 4.0, dtype="f4")
    for k in (-1, 0, 1):
        same(way(lambda x, k=k: np.tril(x, k))(np.array(x)), numpy.tril(x, k))
        same(way(lambda x, k=k: np.triu(x, k))(np.array(x)), numpy.triu(x, k))
    same(way(lambda x: np.transpose(x, 0))(np.array(x)), x)
    same(way(lambda x: np.arange(1, 5, None) + x[0])(np.array(x)), numpy.arange(1, 5, None) + 1.0)
    for name in ("hanning", "hamming", "blackman"):
        for n in (-1, 0, 1, 2, 5):
            same(way(lambda x, n=n, name=name: getattr(np, name)(n) + x[0])(np.array(x)), getattr(numpy, name)(n) + 1.0)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 1, 1)])
def test_one_element_goes_where_one_is(way, shape):
    def write(x, v):
        x = x * 1.0
        x[3] = v
        x[-1] = v
        return x

    def write_within(x, v):
        x = x.reshape(2, 5) * 1.0
        x[1, 2] = v
        x[0, 3:4] = v
        return x

    for function in (write, write_within):
        found = way(function)(np.arange(10.0), np.full(shape, 7.0))
        same(found, function(np.arange(10.0), 7.0).asnumpy())
        x = np.arange(10.0)
        x.attach_grad()
        with autograd.record():
            same(function(x, np.full(shape, 7.0)), found.asnumpy())


@pytest.mark.parametrize("key", [[True], [True, False, True, False, True], [[True] * 4]])
def test_masks_of_another_shape_are_index_errors(key):
    for x in (np.array(X),):
        with pytest.raises(IndexError, match="E133"):
            x[np.array(key, dtype="bool")]
        with pytest.raises(IndexError, match="E133"):
            x[np.array(key, dtype="bool")] = 0.0
        with pytest.raises(IndexError, match="E133"):
            hybridize.hybridize(lambda x: x[numpy.array(key)])(x)


def test_only_an_array_without_axes_is_an_index():
    assert [10, 20, 30][np.array(1, dtype="int32")] == 20
    for wrong in (np.array([1], dtype="int32"), np.array([1, 2], dtype="int32"), np.array(1.0)):
        with pytest.raises(TypeError, match="E304"):
            wrong.__index__()


PARAMETERS = [
    ("normal", (0.0, -1.0)), ("lognormal", (0.0, -1.0)), ("exponential", (-1.0,)), ("gumbel", (0.0, -1.0)),
    ("logistic", (0.0, -1.0)), ("laplace", (0.0, -1.0)), ("rayleigh", (-1.0,)), ("weibull", (-1.0,)), ("pareto", (0.0,)),
    ("power", (0.0,)), ("gamma", (-1.0,)), ("gamma", (1.0, -1.0)), ("chisquare", (0.0,)), ("beta", (0.0, 1.0)),
    ("beta", (1.0, 0.0)), ("f", (0.0, 1.0)), ("f", (1.0, 0.0)), ("bernoulli", (1.5,)), ("bernoulli", (-0.5,)),
    ("multinomial", (3, [0.5, 0.6])), ("multinomial", (3, [1.5, -0.5])), ("multinomial", (-1, [0.5, 0.5])),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters"), PARAMETERS)
def test_parameters_that_are_no_distribution(name, parameters):
    function = getattr(np.random, name)
    forms = [parameters]
    if all(isinstance(p, float) for p in parameters):
        forms.append([np.full((3,), p) for p in parameters])
    for given in forms:
        with pytest.raises(ValueArgumentError, match="E345"):
            function(*given)
    with pytest.raises(HybridizeError, match="E345"):
        hybridize.hybridize(lambda *given: function(*given))(*forms[-1])


def test_probabilities_of_choices():
    for p in ([0.5, 0.6], [1.2, -0.2], [0.1, 0.1]):
        with pytest.raises(ValueArgumentError, match="sum to 1"):
            np.random.choice(2, p=p)
    with pytest.raises(ShapeError, match="one for each"):
        np.random.choice(3, p=[0.5, 0.5])
    with pytest.raises(ValueArgumentError, match="have a probability"):
        np.random.choice(3, 2, replace=False, p=[1.0, 0.0, 0.0])
    with pytest.raises(ValueArgumentError, match="population is empty"):
        np.random.choice(0, 2)
    assert sorted(np.random.choice(3, 2, replace=False, p=[0.5, 0.5, 0.0]).tolist()) == [0, 1]


def test_a_copy_to_a_device():
    x = np.array(X)
    for device in (hybridize.cpu(), hybridize.cpu(1)):
        y = x.copyto(device)
        y[...] = 0
        same(x, X)
    y = np.zeros(X.shape)
    assert x.copyto(y) is y
    same(y, X)
    with pytest.raises(HybridizeError, match="E701"):
        x.copyto("gpu")
