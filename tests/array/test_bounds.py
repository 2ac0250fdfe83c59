"""Indices out of bounds: an IndexError in every function that takes indices, imperatively, recorded and compiled."""

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, nd, np, npx
from hybridize.base.errors import OutOfBoundsError, ValueArgumentError

X = np.arange(12.0).reshape(4, 3)


def _set(x, i):
    y = x * 1.0
    y[i] = 5.0
    return y


def _put(x, i):
    y = x[:, 0] * 1.0
    np.put(y, i, 5.0)
    return y


def _put_along(x, i):
    y = x * 1.0
    np.put_along_axis(y, i.reshape(-1, 1), 5.0, 0)
    return y


def _taught(x, i, **settings):
    """The gradient of MXNet's output layer, which alone depends on its labels."""
    return hybridize.grad(lambda scores: nd.SoftmaxOutput(scores, i, **settings).sum())(x.T[:2])


FUNCTIONS = {
    "x[i]": (lambda x, i: x[i], -4, 3),
    "x[:, i]": (lambda x, i: x.T[:, i], -4, 3),
    "x[i, j]": (lambda x, i: x[i, i * 0], -4, 3),
    "x[i] = v": (_set, -4, 3),
    "take": (lambda x, i: np.take(x, i, 0), -4, 3),
    "take of all": (lambda x, i: np.take(x[:, 0], i), -4, 3),
    "x.take": (lambda x, i: x.take(i, 0), -4, 3),
    "take_along_axis": (lambda x, i: np.take_along_axis(x, i.reshape(-1, 1), 0), -4, 3),
    "gather_nd": (lambda x, i: npx.gather_nd(x, i.reshape(1, -1)), -4, 3),
    "index_add": (lambda x, i: npx.index_add(x, i.reshape(1, -1), 1.0), -4, 3),
    "index_update": (lambda x, i: npx.index_update(x, i.reshape(1, -1), 1.0), -4, 3),
    "scatter_nd": (lambda x, i: npx.scatter_nd(i * 1.0, i.reshape(1, -1), (4,)), -4, 3),
    "embedding": (lambda x, i: npx.embedding(i, x), 0, 3),
    "unravel_index": (lambda x, i: np.unravel_index(i, (2, 2))[0], 0, 3),
    "ravel_multi_index": (lambda x, i: np.ravel_multi_index((i, i * 0), (4, 3)), 0, 3),
    "sequence_last": (lambda x, i: npx.sequence_last(x[:, :2], i), 1, 4),
    "softmax_cross_entropy": (lambda x, i: nd.softmax_cross_entropy(x.T[:2], i), 0, 3),
    "SoftmaxCrossEntropyLoss": (lambda x, i: gluon.loss.SoftmaxCrossEntropyLoss()(x.T[:2], i), 0, 3),
    "SoftmaxOutput": (_taught, 0, 3),
    "SoftmaxOutput but for 9": (lambda x, i: _taught(x, i, use_ignore=True, ignore_label=9), 0, 3),
    "nd.take": (lambda x, i: nd.take(x, i, mode="raise"), -4, 3),
    "choose": (lambda x, i: np.choose(i, [x[0, :2], x[1, :2], x[2, :2], x[3, :2]]), 0, 3),
    "put_along_axis": (_put_along, -4, 3),
    "put": (_put, -4, 3),
}


def _recorded(function):
    def run(x, i):
        x = x.copy()
        x.attach_grad()
        with autograd.record():
            return function(x, i)

    return run


@pytest.mark.parametrize("name", FUNCTIONS)
def test_indices_out_of_bounds_are_errors_in_all_modes_alike(name):
    function, low, high = FUNCTIONS[name]
    compiled = hybridize.hybridize(function)
    inside = np.array([low, high], dtype="int32")
    wanted = function(X, inside)
    for way in (function, _recorded(function), compiled, compiled):
        numpy.testing.assert_allclose(way(X, inside).asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)
        for wrong in (low - 1, high + 1, high + 100):
            with pytest.raises(OutOfBoundsError, match="E110") as found:
                way(X, np.array([low, wrong], dtype="int32"))
            assert isinstance(found.value, IndexError)
    numpy.testing.assert_allclose(compiled(X, inside).asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def test_labels_that_are_ignored_may_be_any():
    x, labels = X.T[:2], np.array([1, -7])
    both = [_taught(X, labels, use_ignore=True, ignore_label=-7), _taught(X, np.array([1, 1]))]
    numpy.testing.assert_array_equal(both[0][0], both[1][0])
    assert not both[0][1].any()
    assert nd.SoftmaxOutput(x, labels).shape == x.shape  # nobody records: labels teach nothing


@pytest.mark.parametrize(("begin", "end"), [(0, 4), (-4, 2), (2, 2), (2, 1), (3, None), (0, -4)])
def test_parts_that_are_not_within_an_axis(begin, end):
    def way(x):
        return nd.slice_axis(x, 1, begin, end)

    for call in (way, hybridize.hybridize(way)):
        with pytest.raises(OutOfBoundsError, match="E110"):
            call(X)
    assert nd.slice_axis(X, 1, -3, None).shape == X.shape
    assert nd.slice_axis(X, 1, 1, -1).shape == (4, 1)


def test_a_counter_that_runs_out_of_its_array():
    def run(x, limit):
        total, i = 0.0 * x[0], 0
        while total < limit:
            total = total + x[i]
            i = i + 1
        return total

    x = np.array([1.0, 2.0, 3.0])
    for way in (run, hybridize.hybridize(run)):
        assert float(way(x, np.array(5.0))) == 6.0
        with pytest.raises(IndexError):
            way(x, np.array(7.0))


def test_an_index_is_checked_on_the_side_that_is_taken():
    def pick(x, i):
        return x[i] if i < 4 else x[0] * 0

    compiled = hybridize.hybridize(pick)
    for i in (0, 3, 9):
        assert float(compiled(X[:, 0], np.array(i, dtype="int32"))) == float(pick(X[:, 0], np.array(i, dtype="int32")))


@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_modes_of_take_and_ravel_multi_index(mode):
    index = numpy.array([[-5, -1, 0], [2, 4, 11]])
    for way in (lambda f: f, hybridize.hybridize):
        found = way(lambda x, i: np.take(x, i, 0, mode=mode))(X, np.array(index, dtype="int32"))
        numpy.testing.assert_array_equal(found.asnumpy(), numpy.take(X.asnumpy(), index, 0, mode=mode))
        found = way(lambda i: np.ravel_multi_index((i[0], i[1]), (3, 4), mode=mode))(np.array(index, dtype="int32"))
        numpy.testing.assert_array_equal(found.asnumpy(), numpy.ravel_multi_index(tuple(index), (3, 4), mode=mode))


@pytest.mark.parametrize("order", ["C", "F"])
def test_orders_of_flat_indices(order):
    flat = numpy.arange(24)
    wanted = numpy.unravel_index(flat, (2, 3, 4), order)
    found = np.unravel_index(np.array(flat), (2, 3, 4), order)
    for one, other in zip(found, wanted, strict=True):
        numpy.testing.assert_array_equal(one.asnumpy(), other)
    back = np.ravel_multi_index(found, (2, 3, 4), order=order, mode=("raise", "wrap", "clip"))
    numpy.testing.assert_array_equal(back.asnumpy(), flat)


def test_nothing_is_taken_of_nothing():
    for mode in ("raise", "clip", "wrap"):
        with pytest.raises(IndexError):
            np.take(np.zeros((0,)), np.array([0], dtype="int32"), mode=mode)
        assert np.take(np.zeros((0,)), np.zeros((0,), dtype="int32"), mode=mode).shape == (0,)


@pytest.mark.parametrize(
    "call",
    [
        lambda q: np.quantile(X, q),
        lambda q: np.percentile(X, q * 100),
        lambda q: np.random.bernoulli(q, size=(3,)),
        lambda q: np.random.normal(0.0, q - 2.0, (3,)),
    ],
)
def test_values_that_a_function_does_not_take_are_refused_by_programs_too(call):
    compiled = hybridize.hybridize(call)
    with pytest.raises(ValueArgumentError, match="E345"):
        call(np.array(1.5))
    with pytest.raises(ValueArgumentError, match="E345"):
        compiled(np.array(1.5))


def _by_branch(x, i):
    return npx.cond(x.sum() > 0, lambda: x[i % 4, 0], lambda: x[i.clip(0, 3), 1])


def _by_loop(x, i):
    def body(row, total):
        return row, total + x.T[row.argmax(), 0]

    return npx.foreach(body, x, np.zeros(()))[1]


WITHIN = {
    "argmax": lambda x, i: x[x[:, 0].argmax()],
    "argmin of all": lambda x, i: x.reshape(-1)[x.argmin()],
    "argsort": lambda x, i: x[np.argsort(x[:, 1])],
    "along": lambda x, i: np.take_along_axis(x, np.argsort(x, 0), 0),
    "arange": lambda x, i: x[np.arange(4)[::-1]],
    "clip": lambda x, i: x[i.clip(0, 3)],
    "clip to below": lambda x, i: x[np.clip(i, -4, -1)],
    "maximum and minimum": lambda x, i: x[np.minimum(np.maximum(i, 0), 2)],
    "mod": lambda x, i: x[i % 4],
    "mod and add": lambda x, i: x[i % 2 + 2],
    "mod and sub": lambda x, i: x[i % 4 - 4],
    "where": lambda x, i: x[np.where(i > 0, 3, -1)],
    "of a table": lambda x, i: x[np.array([3, 0, 2], dtype="int64")[i.clip(0, 2)]],
    "of bools": lambda x, i: x[(i > 2).astype("int64")],
    "by float32": lambda x, i: x[x[:, 0].argmax().astype("float32").astype("int32")],
    "embedding": lambda x, i: npx.embedding(i.clip(0, 3), x),
    "put": lambda x, i: _set(x, i % 4),
    "cross entropy": lambda x, i: nd.softmax_cross_entropy(x.T[:2], (i % 4)[:2]),
    "branch": _by_branch,
    "loop": _by_loop,
}
POSITIONS = ("argmax", "argmin of all", "argsort", "along", "loop")
NOT_WITHIN = {
    "clip beyond": lambda x, i: x[i.clip(0, 4)],
    "clip below": lambda x, i: x[i.clip(-5, 3)],
    "mod beyond": lambda x, i: x[i % 5],
    "mod and add": lambda x, i: x[i % 4 + 1],
    "argmax of another axis": lambda x, i: x[np.pad(x, ((0, 1), (0, 0)))[:, 0].argmin()],
    "arange": lambda x, i: x[np.arange(5)],
    "of a table": lambda x, i: x[np.array([3, 0, 4], dtype="int64")[i.clip(0, 2)]],
    "by float32": lambda x, i: x[(i * 0.5).astype("int64")],
    "where": lambda x, i: x[np.where(i > 0, i, 0)],
    "after an overflow": lambda x, i: x[np.minimum(i.astype("int8") * 2, 3)],
}


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("name", WITHIN)
def test_indices_that_are_within_by_what_made_them_are_not_checked(name, recording):
    """Of an axis of 4, or for positions of one that has any length; the results are those of imperative Python."""
    function = WITHIN[name]
    compiled = hybridize.hybridize(function)
    for more in (0, 1, 2):
        rows = 4 + more if name in POSITIONS else 4
        x = np.array(numpy.random.default_rng(more).standard_normal((rows, 3)))
        for numbers in ([0, 3, -9, 100], [2, 1, 7, -1]):
            i = np.array(numbers + [5] * more, dtype="int64")
            wanted = function(x, i).asnumpy()
            if recording:
                x.attach_grad()
                with autograd.record():
                    numpy.testing.assert_allclose(compiled(x, i).asnumpy(), wanted, rtol=1e-6)
            else:
                numpy.testing.assert_allclose(compiled(x, i).asnumpy(), wanted, rtol=1e-6)
    assert len(compiled.programs()) >= 2
    assert not any("bounds" in str(program.captured) for program in compiled.programs())


@pytest.mark.parametrize("name", NOT_WITHIN)
def test_indices_that_may_be_outside_are_checked(name):
    function = NOT_WITHIN[name]
    compiled = hybridize.hybridize(function)
    for numbers in ([0, 9, -9, 100], [-1, -2, -9, 4], [0, 1, 2, 3], [64, 65, 2, 3]):
        outcomes = []
        for way in (function, compiled):
            try:
                outcomes.append(way(X, np.array(numbers, dtype="int64")).tolist())
            except OutOfBoundsError:
                outcomes.append("out of bounds")
        assert outcomes[0] == outcomes[1]
    assert all("bounds" in str(program.captured) for program in compiled.programs())


def _written(x, key):
    y = x * 1.0
    y[key] = 7.0
    return y


FROM_THE_END = {
    "x[list]": lambda x: x[[0, -1]],
    "x[array]": lambda x: x[numpy.array([-1, 0])],
    "x[:, list]": lambda x: x[:, [-1, 0]],
    "x[list, list]": lambda x: x[[0, -1], [-2, 1]],
    "x[..., list]": lambda x: x[..., [-1]],
    "x[None, list]": lambda x: x[None, [-1, 0]],
    "x[list] = v": lambda x: _written(x, [0, -1]),
    "x[:, list] = v": lambda x: _written(x, (slice(None), [-1])),
    "x[list, list] = v": lambda x: _written(x, ([0, -1], [-2, 1])),
    "take": lambda x: np.take(x, [0, -1], axis=0),
    "take of all": lambda x: np.take(x, [0, -1]),
    "x.take": lambda x: x.take([-1, 0], axis=1),
    "gather_nd": lambda x: npx.gather_nd(x, np.array([[0, -1], [-2, 1]])),
    "index_update": lambda x: npx.index_update(x, np.array([[0, -1]]), 1.0),
}


@pytest.mark.parametrize("name", FROM_THE_END)
def test_numbers_counted_from_the_end_serve_all_sizes_also_where_data_decides(name):
    function = FROM_THE_END[name]

    def decided(x):
        if x.sum() > 1e6:
            raise ValueError("too large")
        return function(x)

    for one in (function, decided):
        compiled = hybridize.hybridize(one, dynamic=True)
        for rows in (4, 3, 7):
            x = np.arange(rows * 3.0).reshape(rows, 3)
            assert numpy.array_equal(compiled(x), function(x))
        assert compiled.cache_info().programs == 1
