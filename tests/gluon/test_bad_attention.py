"""Masks, lengths and positions of layers over sequences, wrong or at their edges: the same in both modes, at one's own
line."""

import numpy
import pytest

from hybridize import np
from hybridize.gluon import nn
from tests.gluon.both_ways import agreed, refused

X = np.array(numpy.random.default_rng(0).normal(size=(2, 3, 8)).astype("f4"))


LAYERS = {
    "attention": lambda layer: lambda x, **given: layer(x, x, **given),
    "products": lambda layer: lambda x, **given: layer(x, x, x, **given),
    "encoder": lambda layer: lambda x, **given: layer(x, **given),
    "decoder": lambda layer: lambda x, **given: layer(x, x, **given),
}


@pytest.fixture(scope="module", params=[*list(LAYERS)[:3], pytest.param("decoder", marks=pytest.mark.long)])
def layer(request):
    kinds = {
        "attention": lambda: nn.MultiHeadAttention(8, 2), "products": nn.DotProductAttention,
        "encoder": lambda: nn.TransformerEncoderLayer(8, 2, 16), "decoder": lambda: nn.TransformerDecoderLayer(8, 2, 16),
    }  # fmt: skip
    block = kinds[request.param]()
    block.initialize()
    return LAYERS[request.param](block)


def test_lengths(layer):
    for lengths, code in (
        ([-1, 3], "E110"), ([1, 4], "E110"), ([numpy.nan, 1], "E110"), ([1], "E193"), (2, "E193"),
        ([[1, 2], [1, 2]], "E193"),
    ):  # fmt: skip
        refused(__file__, code, "", lambda x, n: layer(x, valid_length=n), X, np.array(lengths))
    for lengths in ([0, 3], [0, 0], [[0, 1, 2], [3, 0, 0]]):
        (found,) = agreed(lambda x, n: layer(x, valid_length=n), X, np.array(lengths))
        assert numpy.isfinite(found).all()


def test_masks(layer):
    refused(__file__, "E241", "a mask i32[3,3]", lambda x: layer(x, mask=np.ones((3, 3), dtype="int32")), X)
    for shape in ((3, 4), (5, 2, 2, 3, 3)):
        refused(__file__, "E191", "a mask", lambda x, shape=shape: layer(x, mask=np.ones(shape, dtype=bool)), X)
    hidden = agreed(lambda x: layer(x, mask=np.zeros((3, 3), dtype=bool)), X)
    added = agreed(lambda x: layer(x, mask=np.full((3, 3), -numpy.inf)), X)
    nothing = agreed(lambda x: layer(x, valid_length=np.array([0, 0])), X)
    for found in (hidden, added):
        numpy.testing.assert_allclose(found[0], nothing[0], rtol=1e-5, atol=1e-6)


def test_no_rows_and_no_places(layer):
    for x in (X[:0], X[:, :0]):
        (found,) = agreed(layer, x)
        assert found.shape == x.shape
    refused(__file__, "E190", "", layer, X[0, 0])


ENCODINGS = {
    "sines": lambda: nn.PositionalEncoding(8, max_length=4),
    "sines without end": lambda: nn.PositionalEncoding(8, max_length=None),
    "learned": lambda: nn.LearnedPositionalEncoding(4, 8),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_positions_of_vectors(name):
    encode = ENCODINGS[name]()
    encode.initialize()
    for positions in ([0, 1], [0, 1, 2, 3], [[0, 1, 2]] * 3, numpy.zeros((3, 2, 3)), numpy.zeros((2, 3, 8))):
        refused(__file__, "E197", "at positions", lambda x, p: encode(x, p), X, np.array(positions))
    good = [[2, 0, 1], [[2, 0, 1]] * 2, [[1], [2]], [3], 1]
    for positions in good:
        (found,) = agreed(lambda x, p: encode(x, p), X, np.array(positions))
        every = numpy.broadcast_to(positions, (2, 3))
        (expected,) = agreed(lambda x, p: encode(x, p), X, np.array(every.copy()))
        numpy.testing.assert_allclose(found, expected, rtol=1e-6)
    for wrong in ([0, 1, 4], [0, 1, -1], [0, 1, numpy.nan]):
        if name == "learned":
            refused(__file__, "E110", "embedding of f32[4,8]", lambda x, p: encode(x, p), X, np.array(wrong))
        elif numpy.isfinite(wrong).all():
            (found,) = agreed(lambda x, p: encode(x, p), X, np.array(wrong), tolerance=1e-4)
            angles = numpy.array(wrong)[:, None] / 10000 ** (numpy.arange(0, 8, 2) / 8)
            table = numpy.stack([numpy.sin(angles), numpy.cos(angles)], -1).reshape(3, 8)
            numpy.testing.assert_allclose(found - X.asnumpy(), numpy.broadcast_to(table, X.shape), atol=1e-4)
    for x in (X[..., :5], X[0, 0]):
        refused(__file__, "E197", "", lambda x: encode(x), x)
    long = np.concatenate([X, X], axis=1)
    if name == "sines without end":
        agreed(lambda x: encode(x), long, tolerance=1e-4)
    else:
        refused(__file__, "E197", "there are 4 positions", lambda x: encode(x), long)
    whole = np.ones((2, 3, 8), dtype="int32")
    (found,) = agreed(lambda x: encode(x), whole, tolerance=1e-4)
    (expected,) = agreed(lambda x: encode(x), whole.astype("float32"), tolerance=1e-4)
    numpy.testing.assert_allclose(found, expected, rtol=1e-6)


def test_positions_that_turn():
    turn = nn.RotaryEmbedding(layout="BHTD")
    x = np.ones((2, 2, 3, 4))
    for positions in (numpy.arange(2), numpy.zeros((3, 3)), numpy.zeros((2, 2, 3)), numpy.array(1), numpy.array([1])):
        given = np.array(positions.astype("i2"), dtype="int16")
        what = f"f32[2,2,3,4] at places {given.type}"
        refused(__file__, "E197", what, lambda x, p: turn(x, p), x, given)
