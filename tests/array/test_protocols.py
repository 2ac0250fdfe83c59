import copy

import numpy
import pytest

from hybridize.array import array_api, np
from hybridize.base.errors import CaptureError
from tests.refusals import refusal

X = numpy.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]], "float32")
CALLS = {
    "ufunc": lambda x: numpy.exp(x), "two": lambda x: numpy.add(x, X), "reflected": lambda x: X - x,
    "scalar": lambda x: numpy.float64(2) * x, "max": lambda x: numpy.max(x, axis=-1, keepdims=True),
    "sum": lambda x: numpy.sum(x, axis=1), "mean": lambda x: numpy.mean(x), "reduce": lambda x: numpy.add.reduce(x),
    "maximum.reduce": lambda x: numpy.maximum.reduce(x, axis=1), "where": lambda x: numpy.where(x > 2, x, 0),
    "concatenate": lambda x: numpy.concatenate([x, x]), "dot": lambda x: numpy.dot(x, x.T),
    "matmul": lambda x: X @ x.T, "reshape": lambda x: numpy.reshape(x, (3, 2)),
    "transpose": lambda x: numpy.transpose(x), "einsum": lambda x: numpy.einsum("ij,kj->ik", x, x),
    "stack": lambda x: numpy.stack([x, x], axis=1), "clip": lambda x: numpy.clip(x, 2, 5),
    "norm": lambda x: numpy.linalg.norm(x, axis=1), "argmax": lambda x: numpy.argmax(x, axis=1),
    "broadcast_to": lambda x: numpy.broadcast_to(x, (2, 2, 3)), "zeros_like": lambda x: numpy.zeros_like(x),
    "abs": lambda x: numpy.abs(-x), "comparison": lambda x: x > X, "cumsum": lambda x: numpy.cumsum(x, axis=1),
    "outer": lambda x: numpy.multiply.outer(x[0], x[1]), "std": lambda x: numpy.std(x, axis=0),
    "sort": lambda x: numpy.sort(x, axis=0), "expand_dims": lambda x: numpy.expand_dims(x, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_numpys_functions_run_ours(both, name):
    call = CALLS[name]
    assert type(call(np.array(X))) is np.ndarray
    numpy.testing.assert_allclose(both(call, X, rtol=1e-5), call(X), rtol=1e-5)


def test_what_we_lack_is_numpys_and_is_named_while_capturing(trace):
    assert numpy.nanmedian(np.array(X)).item() == numpy.nanmedian(X)
    numpy.testing.assert_allclose(
        numpy.histogram2d(np.array(X[0]), X[0])[0].asnumpy(), numpy.histogram2d(X[0], X[0])[0]
    )
    with refusal(CaptureError, "histogram2d"):
        trace(lambda x: numpy.histogram2d(x[0], x[0]), X)


def test_numpy_arrays_take_our_values(trace):
    target = X.copy()
    target += np.ones(3)
    numpy.testing.assert_array_equal(target, X + 1)
    target[0] = np.zeros(3)
    assert target[0].tolist() == [0, 0, 0]
    with pytest.raises(CaptureError, match="NumPy array"):
        trace(lambda x: numpy.add(X, x, out=X.copy()), X)


def test_numpy_sees_the_memory_and_we_know():
    x = np.array(X)
    assert numpy.asarray(x) is x._data
    assert x.storage.exposed
    assert numpy.array(x) is not x._data
    assert x.asnumpy() is not x._data
    assert numpy.asarray(x, dtype="float64").dtype == "float64"


def test_dlpack_both_ways():
    x = np.array(X)
    theirs = numpy.from_dlpack(x)
    assert numpy.shares_memory(theirs, x._data)
    ours = np.from_dlpack(theirs)
    ours[0, 0] = 50
    assert x[0, 0].item() == 50
    assert ours.storage.exposed


def test_copies():
    x = np.array(X)
    for other in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0]):
        other[0] = 0
    numpy.testing.assert_array_equal(x.asnumpy(), X)


def test_array_api_namespace():
    x = np.array(X)
    assert x.__array_namespace__() is array_api
    assert array_api.asarray([1, 2]).dtype == "int64"
    assert array_api.asarray([1.0]).dtype == "float32"
    assert array_api.asarray([True]).dtype == bool
    assert array_api.arange(3).dtype == "int64"
    assert array_api.arange(3.0).dtype == "float32"
    assert array_api.full(2, 3).dtype == "int64"
    assert array_api.cumulative_sum(array_api.ones(3), include_initial=True).tolist() == [0, 1, 2, 3]
    assert array_api.std(x, correction=1).item() == pytest.approx(X.std(ddof=1), rel=1e-5)
    assert array_api.isdtype(array_api.float32, "real floating")
    assert array_api.result_type(x, 1.0) == "float32"
    assert array_api.astype(x, array_api.int32).dtype == "int32"
    assert array_api.take(x, array_api.asarray([-1]), axis=1)[0, 0].item() == 3
    assert [part.shape for part in array_api.unstack(x)] == [(3,), (3,)]
    assert set(array_api.__all__) >= {"matmul", "permute_dims", "concat", "pow", "bitwise_invert"}
    assert not hasattr(array_api, "float16")


def test_foreign_objects_take_a_call_over():
    class Expression:
        def __hybridize_function__(self, name, function, args, kwargs):
            return name, args, kwargs

        def __radd__(self, other):
            return "radd"

    e = Expression()
    assert np.exp(e)[0] == "exp"
    assert np.dot(np.ones(2), e)[0] == "dot"
    assert np.concatenate([np.ones(2), e], axis=0)[2] == {"axis": 0}
    assert np.sum(e, axis=1)[0] == "sum"
    assert np.ones(2) + e == "radd"
