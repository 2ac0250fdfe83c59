# SPDX-License-Identifier: Apache-2.0
"""Functions of `npx` beside what MXNet 2.0.0 gave, imperatively and hybridized; those of the array API beside NumPy."""

import gzip
import json
from pathlib import Path

import numpy
import pytest

from hybridize import hybridize, np, npx
from hybridize.array import array_api
from tests.census import mxnet_calls
from tests.census.mxnet_exceptions import NPX_EXCEPTIONS
from tests.census.test_mxnet_census import check_imperatively, difference, excepted, hybridized, imperative

FILE = Path(__file__).with_name(mxnet_calls.SURFACES["2.0.0b1"][2])
RESULTS = dict(map(json.loads, gzip.decompress(FILE.read_bytes()).splitlines()))
CALLS = [call for call in mxnet_calls.npx_calls() if not isinstance(RESULTS[mxnet_calls.key(call)], str)]


@numpy.errstate(all="ignore")
def test_imperatively_each_call_gives_what_mxnet_gives():
    check_imperatively(CALLS, NPX_EXCEPTIONS, lambda call: difference(call, imperative(call, npx, np.array), RESULTS))


def check_hybridized(calls):
    calls = [call for call in calls if not excepted(call, NPX_EXCEPTIONS)]
    for start in range(0, len(calls), 40):
        part = calls[start : start + 40]
        for call, result in zip(part, hybridized(part, npx, np.array), strict=True):
            assert difference(call, result, RESULTS) is None, mxnet_calls.key(call)


@numpy.errstate(all="ignore")
def test_hybridized_some_calls_give_what_mxnet_gives():
    check_hybridized(CALLS[::9])


@pytest.mark.long
@numpy.errstate(all="ignore")
def test_hybridized_each_call_gives_what_mxnet_gives():
    check_hybridized(CALLS)


OWN = [
    name
    for name in array_api.__all__
    if callable(one := getattr(array_api, name)) and not isinstance(one, type) and one is not getattr(np, name, None)
]
"""Functions of the array API that are not `np`'s own, which its census calls."""
VALUES = [[3.5, -1.0, 2.0], [0.5, 4.0, -2.5]]
_COPY = {"copy": True} if numpy.lib.NumpyVersion(numpy.__version__) >= "2.1.0" else {}  # older ones do not take it
API_CALLS = {
    "arange": lambda xp, x: [xp.arange(5), xp.arange(1, 9, 2), xp.arange(0.5, 3.0, 0.5), xp.arange(3, dtype=x.dtype)],
    "argsort": lambda xp, x: [xp.argsort(x), xp.argsort(x, axis=0, descending=True)],
    "asarray": lambda xp, x: [xp.asarray([1, 2]), xp.asarray(x, dtype=xp.float64), xp.asarray(3)],
    "astype": lambda xp, x: [xp.astype(x, xp.float64), xp.astype(x, xp.bool)],
    "broadcast_arrays": lambda xp, x: [*xp.broadcast_arrays(x, xp.ones((2, 1)))],
    "floor_divide": lambda xp, x: [xp.floor_divide(x, x)],
    "full": lambda xp, x: [xp.full((2,), 3, dtype=x.dtype), xp.full((2,), True), xp.full((2,), 2)],
    "meshgrid": lambda xp, x: [*xp.meshgrid(x[0], x[:, 0]), *xp.meshgrid(x[0], x[:, 0], indexing="ij")],
    "nonzero": lambda xp, x: [*xp.nonzero(x)],
    "reshape": lambda xp, x: [xp.reshape(x, (3, 2)), xp.reshape(x, (-1,), **_COPY)],
    "sort": lambda xp, x: [xp.sort(x), xp.sort(x, axis=0, descending=True)],
    "std": lambda xp, x: [xp.std(x), xp.std(x, axis=1, correction=1, keepdims=True)],
    "take": lambda xp, x: [xp.take(x, xp.asarray([0, 2], dtype=xp.int64), axis=1)],
    "var": lambda xp, x: [xp.var(x), xp.var(x, axis=0, correction=1.0)],
    "vector_norm": lambda xp, x: [xp.linalg.vector_norm(x), xp.linalg.vector_norm(x, axis=1, ord=1)],
}


def test_every_function_of_the_array_api_is_called():
    of_dtypes = {"can_cast", "finfo", "result_type"}  # which the suite of the array API asks
    assert set(OWN) - API_CALLS.keys() - of_dtypes == set()


class _Reference:
    """NumPy, with the words that the standard has besides."""

    def __getattr__(self, name):
        return getattr(numpy, name)

    def sort(self, x, axis=-1, descending=False):
        return -numpy.sort(-x, axis=axis) if descending else numpy.sort(x, axis=axis)

    def argsort(self, x, axis=-1, descending=False):
        return numpy.argsort(-x if descending else x, axis=axis)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8"])
@pytest.mark.parametrize("name", API_CALLS)
def test_functions_of_the_array_api_give_what_numpy_gives(name, dtype):
    """Floats of Python's numbers, and of integers, are float32."""
    call, values = API_CALLS[name], numpy.array(VALUES).astype(dtype)
    with numpy.errstate(all="ignore"):
        wanted = call(_Reference(), values)
    x, ways = np.array(values, dtype=dtype), [lambda x: call(array_api, x)]
    if name != "nonzero":  # whose size is data
        ways.append(hybridize(lambda x: call(array_api, x)))
    for way in ways:
        found = way(x)
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert one.shape == other.shape
            assert one.dtype == other.dtype or (one.dtype, other.dtype) == (numpy.float32, numpy.float64)
            numpy.testing.assert_allclose(one.asnumpy(), other, rtol=1e-6)
