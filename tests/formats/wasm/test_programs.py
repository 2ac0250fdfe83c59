"""Programs of every kind, each for sizes that it was called with and for others, give in Node what Python gives."""

import numpy
import pytest

from hybridize import np, npx
from hybridize.gluon import nn


def normal(*shape, seed=0):
    return numpy.random.default_rng((seed, *shape)).normal(size=shape).astype("f4")


def block(net):
    net.initialize()
    return lambda x: net(x)


def layers():
    net = nn.HybridSequential()
    net.add(nn.Dense(20), nn.Activation("tanh"), nn.Dropout(0.5), nn.Dense(5))
    return block(net), [(1, 12), (2, 12), (5, 12)]


def recurrent():
    w, u = np.array(normal(3, 6)), np.array(normal(6, 6) / 3)

    def f(x):
        h = np.zeros((x.shape[0], 6))
        for k in range(5):
            h = np.tanh(np.dot(x[:, k], w) + np.dot(h, u))
        return h

    return f, [(2, 5, 3), (3, 5, 3), (4, 5, 3)]


def attention():
    w = [np.array(normal(8, 8, seed=k)) for k in range(3)]

    def f(x):
        q, k, v = (np.matmul(x, one) for one in w)
        return np.matmul(npx.softmax(np.matmul(q, k.transpose(0, 2, 1)) / 8**0.5), v)

    return f, [(2, 3, 8), (3, 5, 8), (4, 9, 8)]


def rows():
    net = nn.HybridSequential()
    net.add(nn.LayerNorm(), nn.GELU(), nn.Dense(7, flatten=False))
    return block(net), [(2, 3, 8), (4, 3, 8), (5, 6, 8)]


def sorting():
    return (lambda x: (np.sort(x, axis=1), np.argsort(x, axis=1), np.cumsum(x, axis=0), np.argmax(x, axis=1))), [
        (3, 7),
        (4, 9),
        (5, 12),
    ]


def gathering():
    table = np.array(normal(10, 4))

    def f(x):
        index = np.clip(np.floor(np.abs(x[:, 0]) * 4), 0, 9).astype("int64")
        return np.take(table, index, axis=0), np.flip(x, axis=0), np.pad(x, ((1, 2), (0, 0)))

    return f, [(3, 2), (6, 2), (8, 2)]


def branching():
    def f(x):
        if x.sum() > 0:
            y = np.exp(x)
        else:
            y = x * 2
        total = np.zeros_like(x)
        for k in range(3):
            total = total + y * (k + 1)
        while np.abs(total).max() > 1:
            total = total / 2
        return total

    return f, [(3, 4), (5, 4), (6, 4)]


def halves():
    return (lambda x: (npx.softmax(x.astype("float16")), (x.astype("bfloat16") * 3).sum(axis=1))), [
        (2, 9),
        (3, 11),
        (4, 6),
    ]


def reshaping():
    return (lambda x: x.reshape(-1, 6).sum(axis=1) if x.shape[0] % 3 == 0 else x.sum(axis=1)), [(3, 4), (6, 4), (9, 4)]


MAKERS = [layers, recurrent, attention, rows, sorting, gathering, branching, halves, reshaping]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_programs(wasm, make):
    f, shapes = make()
    inputs = [normal(*shape, seed=seed) for seed in range(2) for shape in shapes]
    # One more size that nobody has called it with.
    first, *rest = shapes[-1]
    inputs.append(normal(first + 6, *rest))
    expected = [f(np.array(x)) for x in inputs]
    model = wasm(lambda x: f(x), *((np.array(x),) for x in inputs[: len(shapes)]))
    assert len(model.deployable.variants) >= 2
    for want, got in zip(expected, model.calls(*({"x": x} for x in inputs)).outcomes, strict=True):
        assert isinstance(got, dict), got
        results = want if isinstance(want, (tuple, list)) else [want]
        for found, one in zip(got.values(), results, strict=True):
            one = one.asnumpy()
            assert found.dtype == one.dtype and found.shape == one.shape
            tolerance = {"float16": 2e-3, "bfloat16": 2e-2}.get(one.dtype.name, 1e-4)
            numpy.testing.assert_allclose(found.astype("f8"), one.astype("f8"), rtol=tolerance, atol=tolerance)
