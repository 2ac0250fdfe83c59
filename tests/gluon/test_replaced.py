# SPDX-License-Identifier: Apache-2.0
"""Methods of our own classes that are replaced after a capture: the new ones run, as imperatively."""

import sys

import numpy
import pytest

from hybridize import gluon, hybridize, np
from hybridize.gluon import nn, rnn


class Own(nn.Dense):
    """A class of the user's that inherits the method."""


class Old(gluon.HybridBlock):
    """A block whose forward is that of all blocks."""

    def hybrid_forward(self, F, x):
        return x * 2


def _x(*shape):
    return np.array(numpy.linspace(-1, 1, int(numpy.prod(shape)), dtype="float32").reshape(shape))


LAYERS = {
    "dense": (lambda: nn.Dense(3, in_units=3), nn.Dense, (2, 3)),
    "a class of the user's": (lambda: Own(3, in_units=3), Own, (2, 3)),
    "the base of one": (lambda: Own(3, in_units=3), nn.Dense, (2, 3)),
    "convolution": (lambda: nn.Conv2D(2, 3, in_channels=1), nn.Conv2D, (1, 1, 5, 5)),
    "the base of convolutions": (lambda: nn.Conv2D(2, 3, in_channels=1), nn.Conv2D.__mro__[1], (1, 1, 5, 5)),
    "batch norm": (lambda: nn.BatchNorm(in_channels=3), nn.BatchNorm, (2, 3)),
    "layer norm": (lambda: nn.LayerNorm(in_channels=3), nn.LayerNorm, (2, 3)),
    "activation": (lambda: nn.Activation("relu"), nn.Activation, (2, 3)),
    "leaky": (lambda: nn.LeakyReLU(0.1), nn.LeakyReLU, (2, 3)),
    "dropout": (lambda: nn.Dropout(0.5), nn.Dropout, (2, 3)),
    "flatten": (lambda: nn.Flatten(), nn.Flatten, (2, 3)),
    "pooling": (lambda: nn.MaxPool2D(2), nn.MaxPool2D, (1, 1, 4, 4)),
    "container": (lambda: _sequential(nn.Dense(3, in_units=3)), nn.HybridSequential, (2, 3)),
    "lambda": (lambda: nn.HybridLambda(lambda x: x * 2), nn.HybridLambda, (2, 3)),
    "recurrent": (lambda: rnn.LSTM(3, input_size=3), rnn.LSTM, (2, 1, 3)),
    "the root of all": (lambda: Old(), gluon.HybridBlock, (2, 3)),
}


def _sequential(*layers):
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def _run(net, x):
    result = net(x)
    return (result[0] if isinstance(result, (list, tuple)) else result).asnumpy()


@pytest.mark.parametrize("name", ["forward", "__call__"])
@pytest.mark.parametrize("case", LAYERS)
def test_a_layer_whose_method_is_replaced(case, name):
    """By another, and by the first one again; a net that is not hybridized says what comes."""
    make, kind, shape = LAYERS[case]
    layer, x = make(), _x(*shape)
    layer.initialize()
    plain, fast = (lambda x: layer(x)), hybridize(lambda x: layer(x))
    own, there = getattr(kind, name), name in vars(kind)

    def compare():
        expected = _run(plain, x)
        for _ in range(3):
            numpy.testing.assert_allclose(_run(fast, x), expected, rtol=1e-5, atol=1e-6)
        return expected

    before = compare()
    try:
        setattr(kind, name, lambda self, *args: own(self, *args) * 2 + 1)
        assert (compare() != before).any(), "the new one runs"
    finally:
        if there:
            setattr(kind, name, own)
        else:
            delattr(kind, name)
    numpy.testing.assert_array_equal(compare(), before)


def _more(results):
    return [_more(one) if isinstance(one, (list, tuple)) else one + 1 for one in results]


METHODS = {
    "state of a cell": (lambda: rnn.RNNCell(3, input_size=3), "begin_state", lambda c, x: c(x, c.begin_state(2))[0]),
    "a cell's own": (lambda: rnn.GRUCell(3, input_size=3), "forward", lambda c, x: c(x, c.begin_state(2))[0]),
    "a loss": (gluon.loss.L2Loss, "forward", lambda loss, x: loss(x, x * 0.5)),
    "a parameter": (lambda: nn.Dense(3, in_units=3), "data", lambda net, x: x + net.weight.data()[0]),
}


@pytest.mark.parametrize("case", METHODS)
def test_methods_that_converted_code_calls(case):
    make, name, use = METHODS[case]
    made, x = make(), _x(2, 3)
    made.initialize()
    kind = type(made.weight) if name == "data" else type(made)
    owner = next(base for base in kind.__mro__ if name in vars(base))
    fast, own = hybridize(lambda x: use(made, x)), vars(owner)[name]

    def doubled(self, *args, **kwargs):
        result = own(self, *args, **kwargs)
        return type(result)(_more(result)) if isinstance(result, (list, tuple)) else result * 2

    results = []
    for method in (own, doubled, own):
        setattr(owner, name, method)
        try:
            results.append(use(made, x).asnumpy())
            for _ in range(3):
                numpy.testing.assert_allclose(fast(x).asnumpy(), results[-1], rtol=1e-5, atol=1e-6)
        finally:
            setattr(owner, name, own)
    assert (results[1] != results[0]).any()


def test_it_costs_no_call_of_python():
    net, x = _sequential(*(nn.Dense(3, in_units=3) for _ in range(20))), _x(2, 3)
    net.initialize()
    net.hybridize()
    for _ in range(4):
        net(x)
    calls = []
    sys.setprofile(lambda frame, event, argument: calls.append(event))
    try:
        net(x)
    finally:
        sys.setprofile(None)
    assert calls.count("call") + calls.count("c_call") <= 2, "the net, and the end of the profile"
