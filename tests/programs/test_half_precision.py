# SPDX-License-Identifier: Apache-2.0
"""Short floats: compiled code is as near to the truth as imperative code, though what it keeps in registers is rounded
less often.
"""

import ml_dtypes
import numpy
import pytest

from hybridize import hybridize, np, npx
from hybridize.gluon import nn

DTYPES = {"float16": numpy.float16, "bfloat16": ml_dtypes.bfloat16}


def layers(x, *weights):
    for w in weights[:-1]:
        x = npx.relu(np.dot(x, w))
    return np.dot(x, weights[-1])


FUNCTIONS = {
    "layers": layers,
    "elements": lambda x, w, *_: np.exp(np.sin(x) * x + np.sqrt(np.abs(x))) / (1 + x * x) - x,
    "softmax": lambda x, w, *_: npx.softmax(np.dot(x, w)) * 3 + 1,
    "statistics": lambda x, w, *_: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1),
    "sums": lambda x, w, *_: (np.abs(x) * x).sum(1) + np.exp(x).sum(1),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_results_are_as_near_as_imperative_ones(name: str, dtype: str):
    function, kind = FUNCTIONS[name], DTYPES[dtype]
    rng = numpy.random.default_rng(3)
    values = [rng.normal(size=(16, 64)), *(rng.normal(size=(64, 64)) / 8 for _ in range(4))]
    short = [value.astype(kind) for value in values]
    truth = function(*(np.array(value.astype(numpy.float64), dtype="float64") for value in short)).asnumpy()
    arrays = [np.array(value, dtype=dtype) for value in short]
    imperative, compiled = (one(*arrays).asnumpy().astype(numpy.float64) for one in (function, hybridize(function)))
    last = float(ml_dtypes.finfo(kind).eps) * numpy.max(numpy.abs(truth))
    assert numpy.max(numpy.abs(compiled - truth)) <= 2 * numpy.max(numpy.abs(imperative - truth)) + last
    assert numpy.mean(numpy.abs(compiled - truth)) <= 1.1 * numpy.mean(numpy.abs(imperative - truth))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_cast_net_is_as_near(dtype: str):
    kind = DTYPES[dtype]
    net = nn.HybridSequential()
    net.add(nn.Dense(256, in_units=128, activation="relu"), nn.Dense(64, in_units=256))
    net.initialize()
    net.cast(dtype)
    x = numpy.random.default_rng(4).normal(size=(8, 128)).astype(kind)
    imperative = net(np.array(x, dtype=dtype)).asnumpy().astype(numpy.float64)
    net.hybridize()
    compiled = net(np.array(x, dtype=dtype)).asnumpy().astype(numpy.float64)
    net.hybridize(active=False)
    net.cast("float64")
    truth = net(np.array(x.astype(numpy.float64), dtype="float64")).asnumpy()
    last = float(ml_dtypes.finfo(kind).eps) * numpy.max(numpy.abs(truth))
    assert numpy.max(numpy.abs(compiled - truth)) <= 2 * numpy.max(numpy.abs(imperative - truth)) + last
