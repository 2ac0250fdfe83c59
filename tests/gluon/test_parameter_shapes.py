"""Shapes of parameters and sizes of layers that are none."""

import numpy
import pytest

from hybridize.array import np
from hybridize.base.errors import ArgumentError
from hybridize.gluon import HybridBlock, Parameter, nn


@pytest.mark.parametrize("shape", ["a", (2, "b"), 1.5, (2.0,), ((1, 2), 3)])
def test_shapes_that_are_none(shape):
    with pytest.raises(ArgumentError, match="E309"):
        Parameter("weight", shape=shape)


@pytest.mark.parametrize("units", [0, -1, "a", 2.0, None, (3,)])
def test_units_that_are_none(units):
    with pytest.raises(ArgumentError, match="units of Dense must be a positive integer"):
        nn.Dense(units)


IMAGES = (2, 4, 6, 6)
DEFERRED = {
    "dense": ((2, 3, 4), {"weight": (5, 0)}, {"weight": (5, 12)}, lambda F, x, w: F.FullyConnected(x, w["weight"], no_bias=True, num_hidden=5)),
    "dense, not flat": ((2, 3, 4), {"weight": (5, 0), "bias": (0,)}, {"weight": (5, 4), "bias": (5,)}, lambda F, x, w: F.FullyConnected(x, w["weight"], w["bias"], num_hidden=5, flatten=False)),
    "convolution": (IMAGES, {"weight": (0, 0, 0, 0), "bias": (0,)}, {"weight": (6, 2, 3, 3), "bias": (6,)}, lambda F, x, w: F.Convolution(x, w["weight"], w["bias"], kernel=(3, 3), num_filter=6, num_group=2)),
    "convolution, one number": (IMAGES, {"weight": (6, 0, 3, 3)}, {"weight": (6, 4, 3, 3)}, lambda F, x, w: F.Convolution(x, w["weight"], no_bias=True, kernel=(3, 3), num_filter=6)),
    "convolution over one axis": ((2, 4, 9), {"weight": (6, 0, 3)}, {"weight": (6, 4, 3)}, lambda F, x, w: F.Convolution(x, w["weight"], no_bias=True, kernel=(3,), num_filter=6)),
    "deconvolution": (IMAGES, {"weight": (0, 3, 2, 2)}, {"weight": (4, 3, 2, 2)}, lambda F, x, w: F.Deconvolution(x, w["weight"], kernel=(2, 2), num_filter=3)),
    "layer norm": ((2, 3, 4), {"gamma": (0,), "beta": (0,)}, {"gamma": (4,), "beta": (4,)}, lambda F, x, w: F.LayerNorm(x, w["gamma"], w["beta"])),
    "layer norm, first axis": ((2, 3, 4), {"gamma": (0,), "beta": (0,)}, {"gamma": (3,), "beta": (3,)}, lambda F, x, w: F.LayerNorm(x, w["gamma"], w["beta"], axis=1)),
    "instance norm": (IMAGES, {"gamma": (0,), "beta": (0,)}, {"gamma": (4,), "beta": (4,)}, lambda F, x, w: F.InstanceNorm(x, w["gamma"], w["beta"])),
    "batch norm": (IMAGES, {"gamma": (0,), "beta": (0,), "mean": (0,), "var": (0,)}, {"gamma": (4,), "beta": (4,), "mean": (4,), "var": (4,)}, lambda F, x, w: F.BatchNorm(x, w["gamma"], w["beta"], w["mean"], w["var"])),
    "embedding": ((2, 3), {"weight": (0, 0)}, {"weight": (9, 5)}, lambda F, x, w: F.Embedding(x, w["weight"], input_dim=9, output_dim=5)),
    "prelu": (IMAGES, {"gamma": (0,)}, {"gamma": (4,)}, lambda F, x, w: F.LeakyReLU(x, w["gamma"], act_type="prelu")),
    "dot": ((2, 4), {"weight": (0, 3)}, {"weight": (4, 3)}, lambda F, x, w: F.dot(x, w["weight"])),
    "sum": ((2, 4), {"bias": (0,)}, {"bias": (4,)}, lambda F, x, w: F.broadcast_add(x, w["bias"])),
}  # fmt: skip


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("name", DEFERRED)
def test_hybrid_forward_tells_shapes_as_expressions_do(name, hybridized):
    """The rules of expressions without their weights complete the parameters of a block of MXNet 1.x."""
    shape, unknown, expected, function = DEFERRED[name]

    class Old(HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                for word, sizes in unknown.items():
                    setattr(self, word, self.params.get(word, shape=sizes, init="ones", allow_deferred_init=True))

        def hybrid_forward(self, F, x, **weights):
            return function(F, x, weights)

    net = Old()
    net.initialize()
    if hybridized:
        net.hybridize()
    result = net(np.array(numpy.ones(shape, "float32")))
    assert {word: getattr(net, word).shape for word in unknown} == expected
    assert numpy.isfinite(result.asnumpy()).all()
