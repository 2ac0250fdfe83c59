import numpy
import pytest

from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError, ShapeError
from tests.refusals import refusal

X = numpy.arange(24, dtype="float32").reshape(2, 3, 4)
CASES = {
    "reshape": lambda np, x: (np.reshape(x, (4, 6)), np.reshape(x, -1), x.reshape(2, -1), x.reshape((3, 8))),
    "transpose": lambda np, x: (np.transpose(x), np.transpose(x, (1, 0, 2)), x.transpose(2, 0, 1), x.T),
    "axes": lambda np, x: (
        np.swapaxes(x, 0, 2),
        np.moveaxis(x, 0, -1),
        np.moveaxis(x, (0, 1), (1, 2)),
        np.rollaxis(x, 2),
    ),
    "ones": lambda np, x: (np.expand_dims(x, 1), np.expand_dims(x, (0, -1)), np.squeeze(x[:1]), np.squeeze(x[:1], 0)),
    "flat": lambda np, x: (np.ravel(x), x.flatten(), np.ravel(x, order="F"), np.reshape(x, (4, 6), order="F")),
    "broadcast": lambda np, x: (np.broadcast_to(x[0, 0], (2, 4)), np.broadcast_arrays(x, x[0])[1]),
    "flip": lambda np, x: (
        np.flip(x),
        np.flip(x, 1),
        np.flip(x, (0, 2)),
        np.fliplr(x),
        np.flipud(x),
        np.rot90(x),
        np.rot90(x, 3),
    ),
    "roll": lambda np, x: (np.roll(x, 5), np.roll(x, 1, 0), np.roll(x, (1, -1), (1, 2)), np.roll(x, -1, axis=-1)),
    "tile": lambda np, x: (np.tile(x, 2), np.tile(x, (2, 1, 1, 3)), np.tile(x[0, 0], (2, 2))),
    "repeat": lambda np, x: (
        np.repeat(x, 2),
        np.repeat(x, 2, 1),
        np.repeat(x, [1, 0, 2], axis=1),
        x.repeat(3, axis=-1),
    ),
    "pad": lambda np, x: (
        np.pad(x, 1),
        np.pad(x, ((0, 1), (2, 0), (1, 1)), constant_values=5),
        np.pad(x, 1, mode="edge"),
        np.pad(x, ((0, 0), (1, 1), (2, 1)), mode="reflect"),
    ),
    "join": lambda np, x: (
        np.concatenate([x, x], 1),
        np.concatenate((x, x[:1])),
        np.concatenate([x, x], axis=None),
        np.stack([x, x], -1),
        np.vstack([x[0], x[1]]),
        np.hstack([x, x]),
        np.dstack([x[0], x[1]]),
        np.column_stack([x[0, 0], x[1, 0]]),
        np.append(x, x),
        np.hstack([x[0, 0], x[0, 1]]),
    ),
    "split": lambda np, x: (
        *np.split(x, 2),
        *np.split(x, [1, 2], axis=1),
        *np.array_split(x, 3, axis=2),
        *np.hsplit(x, 3),
        *np.dsplit(x, 2),
        *np.vsplit(x, 2),
    ),
    "atleast": lambda np, x: (
        np.atleast_1d(x[0, 0, 0]),
        np.atleast_2d(x[0, 0]),
        np.atleast_3d(x[0, 0]),
        np.atleast_3d(x[0]),
    ),
    "resize": lambda np, x: (np.resize(x, (5, 7)), np.resize(x, 3)),
    "triangles": lambda np, x: (
        np.tril(x),
        np.triu(x, 1),
        np.diag(x[0]),
        np.diag(x[0, 0], -1),
        np.diagonal(x, 1),
        np.trace(x),
        np.diagflat(x[0, 0]),
    ),
    "grids": lambda np, x: (*np.meshgrid(x[0, 0], x[0, 1, :2]), *np.meshgrid(x[0, 0], x[0, 1], indexing="ij")),
}


@pytest.mark.parametrize("name", CASES)
def test_shape_functions_are_numpys(both, name):
    for got, want in zip(both(lambda x: CASES[name](np, x), X), CASES[name](numpy, X), strict=True):
        numpy.testing.assert_array_equal(got, want)
        assert got.shape == want.shape


def test_mxnets_reshape_codes():
    x = np.zeros((2, 3, 8))
    for codes, shape in (
        ((-2, -1), (2, 24)),
        ((-2, -2, -1), (2, 3, 8)),
        ((-5, -4), (6, 8)),
        ((-4,), (2, 3, 8)),
        ((-6, 1, -1, -4), (1, 2, 3, 8)),
        ((-2, -2, -6, 2, -1), (2, 3, 2, 4)),
    ):
        assert npx.reshape(x, codes).shape == shape
    assert npx.reshape(np.zeros((8, 3, 3, 3, 4, 4)), (-6, 2, -1, -4)).shape == (2, 4, 3, 3, 3, 4, 4)
    assert npx.reshape(np.zeros((1, 2, 1)), (-3, -2, -3)).shape == (2,)
    with pytest.raises(ShapeError):
        npx.reshape(x, (-6, 2, 2, -4))
    with pytest.raises(ArgumentError):
        npx.reshape(x, (-7,))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: x.reshape(5, 5), r"f32\[2,3,4\] to \[5, 5\]"),
        (lambda x: x.reshape(-1, -1), "24 elements"),
        (lambda x: np.squeeze(x, 0), "not of size 1"),
        (lambda x: np.transpose(x, (0, 1)), "each axis exactly once"),
        (lambda x: np.concatenate([x, x[:, :1]], 0), r"f32\[2,3,4\], f32\[2,1,4\]"),
        (lambda x: np.stack([x, x[0]]), "one shape"),
        (lambda x: np.split(x, 2, axis=1), "3 is not a multiple of 2"),
        (lambda x: np.broadcast_to(x, (2, 3)), "broadcast"),
        (lambda x: np.concatenate([]), "at least one"),
    ],
)
def test_what_does_not_fit_is_named(call, message):
    with refusal(ShapeError, message):
        call(np.array(X))


def test_joined_dtypes_are_promoted():
    assert np.concatenate([np.ones(2, dtype="int32"), np.ones(2)]).dtype == "float32"
    assert np.stack([np.ones(2, dtype="int8"), np.ones(2, dtype="uint8")]).dtype == "int16"
