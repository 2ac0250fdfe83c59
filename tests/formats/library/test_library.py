"""Functions as libraries: what they give is what Python gives, at every level of processor."""

import json

import numpy
import pytest

from hybridize import np
from hybridize.codegen.llvm.engine import runnable
from hybridize.gluon import nn

LEVELS = runnable()


def close(found, wanted):
    assert not isinstance(found, str), found
    wanted = [x.asnumpy() if isinstance(x, np.ndarray) else numpy.asarray(x) for x in wanted]
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        numpy.testing.assert_allclose(x, y, rtol=2e-5, atol=2e-6)


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    net.initialize()
    return net


def normal(*shape):
    return np.array(numpy.random.default_rng(shape).standard_normal(shape).astype("f4"))


@pytest.mark.parametrize("weights", ["inside", "beside"])
def test_the_net_of_the_chapter_at_every_level(library, weights):
    net, x = mlp(), normal(1, 512)
    wanted = net(x)
    made = library(lambda data: net(data), (x,), weights=weights)
    beside = {"weights": str(made.files[-1])} if weights == "beside" else {}
    for level in (None, *LEVELS):
        model = made.create(**beside, **({} if level is None else {"processor": level}))
        close(model(x.asnumpy()), [wanted])
        model.destroy()


def test_sizes_are_the_calls(library):
    net = mlp()
    made = library(lambda data: net(data), (normal(1, 512),), (normal(4, 512),))
    model = made.create()
    for batch in (1, 2, 3, 4, 17, 64):
        x = normal(batch, 512)
        assert made.sizes([(batch, 512)]) == [(batch, 2)]
        close(model(x.asnumpy()), [net(x)])
    assert model(normal(0, 512).asnumpy()) == "SIZE: input 0 `data`: axis 0 must be 2 or more, or 1"
    assert model(normal(3, 511).asnumpy()) == "SIZE: input 0 `data`: axis 1 must be 512"
    one = made.description.inputs[0]
    assert (one.shape, one.smallest[0], one.largest[0], one.largest[1]) == (b"[n0,512]", 1, (1 << 63) - 1, 512)
    said = json.loads(made.description.json)
    assert said["inputs"] == [
        {
            "name": "data",
            "dtype": "float32",
            "shape": ["n0", 512],
            "smallest": [1, 512],
            "largest": [(1 << 63) - 1, 512],
        }
    ]
    model.destroy()
