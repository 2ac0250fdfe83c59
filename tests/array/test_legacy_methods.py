"""MXNet 1's methods of arrays: those that NumPy has not, and those where a keyword or a code is MXNet's alone."""

import numpy
import pytest

from hybridize import hybridize, nd, np
from hybridize.errors import ArgumentError, ShapeError

ELEMENTWISE = """
    arcsin arcsinh arccos arctan arctanh cosh sinh degrees radians cbrt fix trunc
""".split()  # noqa: SIM905
X = numpy.arange(24, dtype="float32").reshape(2, 3, 4) / 24
IMAGE = X.reshape(1, 4, 2, 3)
METHODS = {
    "slice": (lambda x: x.slice(begin=(0, 1), end=(1, 3)), X[0:1, 1:3]),
    "slice step": (lambda x: x.slice((None, None), (None, None), (1, 2)), X[:, ::2]),
    "slice_axis": (lambda x: x.slice_axis(axis=2, begin=1, end=None), X[:, :, 1:]),
    "slice_like": (lambda x: x.slice_like(nd.ones((1, 2, 2)), axes=(1, 2)), X[:, :2, :2]),
    "split_v2": (lambda x: x.split_v2((1,), axis=1)[1], X[:, 1:]),
    "split": (lambda x: x.split(num_outputs=3)[2], X[:, 2:]),
    "split squeezed": (lambda x: x.split(3, axis=1, squeeze_axis=True)[2], X[:, 2]),
    "flip": (lambda x: x.flip(axis=1), X[:, ::-1]),
    "pad": (
        lambda x: x.expand_dims(0).pad(mode="constant", pad_width=(0, 0, 0, 0, 1, 0, 0, 2), constant_value=7),
        numpy.pad(X[None], ((0, 0), (0, 0), (1, 0), (0, 2)), constant_values=7),
    ),
    "diag": (lambda x: x[0].diag(k=1), numpy.diag(X[0], 1)),
    "broadcast_axes": (lambda x: x[:1].broadcast_axes(axis=0, size=3), numpy.repeat(X[:1], 3, 0)),
    "depth_to_space": (
        lambda x: x.reshape(1, 4, 2, 3).depth_to_space(2),
        IMAGE.reshape(1, 2, 2, 1, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 1, 4, 6),
    ),
    "space_to_depth": (
        lambda x: x.reshape(1, 1, 4, 6).space_to_depth(2),
        X.reshape(1, 1, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 4, 2, 3),
    ),
    "softmin": (lambda x: x.softmin(axis=1), numpy.exp(-X) / numpy.exp(-X).sum(1, keepdims=True)),
    "argmax_channel": (lambda x: x[0].argmax_channel(), numpy.array([3, 3, 3], "float32")),
    "nansum": (lambda x: np.where(x > 0.5, np.nan, x).nansum(), X[X <= 0.5].sum()),
    "nanprod": (lambda x: np.where(x > 0, x, np.nan).nanprod(), X[X > 0].prod()),
    "shape_array": (lambda x: x.shape_array(), numpy.array([2, 3, 4])),
    "size_array": (lambda x: x.size_array(), numpy.array([24])),
    "rsqrt": (lambda x: (x + 1).rsqrt(), 1 / numpy.sqrt(X + 1)),
    "rcbrt": (lambda x: (x + 1).rcbrt(), 1 / numpy.cbrt(X + 1)),
    "sum": (lambda x: x.sum(axis=1, exclude=True), X.sum((0, 2))),
    "mean": (lambda x: x.mean(axis=(0, 1), exclude=True, keepdims=True), X.mean(2, keepdims=True)),
    "prod": (lambda x: x.prod(axis=0, exclude=True), X.prod((1, 2))),
    "max": (lambda x: x.max(axis=-1, exclude=True), X.max((0, 1))),
    "min": (lambda x: x.min(axis=-1, exclude=True), X.min((0, 1))),
    "clip": (lambda x: x.clip(a_min=0.2, a_max=0.5), X.clip(0.2, 0.5)),
    "sort": (lambda x: x.sort(axis=1, is_ascend=False), X[:, ::-1]),
    "argsort": (lambda x: x[0, 0].argsort(is_ascend=False), numpy.array([3, 2, 1, 0], "float32")),
    "argsort dtype": (lambda x: x[0, 0].argsort(dtype="int32"), numpy.arange(4, dtype="int32")),
    "transpose": (lambda x: x.transpose(axes=(1, 0, 2)), X.transpose(1, 0, 2)),
    "swapaxes": (lambda x: x.swapaxes(dim1=0, dim2=2), X.swapaxes(0, 2)),
    "pick": (
        lambda x: x.pick(np.array([[0, 9, 5], [3, 1, 4]]), mode="wrap"),
        X[[[0], [1]], [[0, 1, 2]], [[0, 1, 1], [3, 1, 0]]],
    ),
    "topk": (lambda x: x.topk(k=2, dtype="int32"), numpy.broadcast_to(numpy.array([3, 2], "int32"), (2, 3, 2))),
    "norm": (lambda x: x[0].norm(), numpy.sqrt((X[0] ** 2).sum())),
    "norm ord": (lambda x: x[0].norm(ord=1), X[0].sum()),  # of a matrix, np.linalg.norm is the largest column
    "norm of rows": (lambda x: x.norm(ord=2, axis=1, keepdims=True), numpy.sqrt((X**2).sum(1, keepdims=True))),
    "reshape 0": (lambda x: x.reshape((0, -1)), X.reshape(2, 12)),
    "reshape 0, as arguments": (lambda x: x.reshape(0, -1, 2), X.reshape(2, 6, 2)),
    "reshape -2": (lambda x: x.reshape((2, -2)), X),
    "reshape -3": (lambda x: x.reshape((-3, -2)), X.reshape(6, 4)),
    "reshape -4": (lambda x: x.reshape((0, 0, -4, 2, -1)), X.reshape(2, 3, 2, 2)),
    "reshape shape": (lambda x: x.reshape(shape=(-3, 0)), X.reshape(6, 4)),
    "reshape -4 reverse": (lambda x: x.reshape((-2, 2, 2, -4), reverse=1), X.reshape(2, 3, 2, 2)),
    "reshape target_shape": (lambda x: x.reshape(target_shape=(0, 2, 6), keep_highest=True), X.reshape(2, 2, 6)),
    "reshape_like": (lambda x: x.reshape_like(nd.ones((6, 4))), X.reshape(6, 4)),
    "reshape_like axes": (
        lambda x: x.reshape_like(nd.ones((3, 2)), lhs_begin=0, lhs_end=2, rhs_begin=0, rhs_end=2),
        X.reshape(3, 2, 4),
    ),
    "broadcast_like axes": (
        lambda x: x[:1].broadcast_like(nd.ones((5, 7)), lhs_axes=(0,), rhs_axes=(1,)),
        numpy.repeat(X[:1], 7, 0),
    ),
    "expand_dims inplace": (lambda x: x.expand_dims(axis=1, inplace=True), X[:, None]),
    "squeeze inplace": (lambda x: x.expand_dims(axis=1).squeeze(axis=1, inplace=True), X),
    "flatten inplace": (lambda x: x.flatten(inplace=True), X.reshape(2, 12)),
    "softmax length": (
        lambda x: x.softmax(length=nd.array([[1, 1, 1, 1]] * 2), axis=1, use_length=True),
        numpy.broadcast_to(numpy.array([[1.0], [0], [0]], "float32"), (2, 3, 4)),
    ),
    "reshape reverse": (lambda x: x.reshape((-1, 0), reverse=True), X.reshape(6, 4)),
    **{name: (lambda x, name=name: getattr(x, name)(), getattr(numpy, name)(X)) for name in ELEMENTWISE},
    "arccosh": (lambda x: (x + 1).arccosh(), numpy.arccosh(X + 1)),
}


@pytest.mark.parametrize("name", METHODS)
def test_method(name):
    method, expected = METHODS[name]
    compiled = hybridize(method)
    for found in (method(np.array(X)), compiled(np.array(X)), compiled(np.array(X))):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        numpy.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_codes_hold_for_all_sizes():
    compiled = hybridize(lambda x: x.reshape((0, -1)))
    for rows in (2, 5, 7, 1):
        assert compiled(np.ones((rows, 3, 4))).shape == (rows, 12)
    assert compiled.cache_info().programs <= 3


def test_shapes_without_codes_are_numpys():
    for shape, wanted in (((2, 3, 4), (-1, 8)), ((0, 3), (3, 0)), ((0, 3), (0,)), ((0, 3), (-1, 3)), ((), (1, 1))):
        x = numpy.zeros(shape, "float32")
        assert np.array(x).reshape(wanted).shape == x.reshape(wanted).shape
        assert np.array(x).reshape(*wanted).shape == x.reshape(wanted).shape


@pytest.mark.parametrize("codes", [(0, 0, 0, 0), (-3, -3), (-4, 2, 2, -2), (-5,), (5, 0)])
def test_codes_that_do_not_fit(codes):
    function = lambda x: x.reshape(codes)  # noqa: E731
    for one in (function, hybridize(function)):
        with pytest.raises((ShapeError, ArgumentError)):
            one(np.array(X))


def test_numpys_methods_keep_their_meaning():
    x = np.array(X)
    assert x.split(2)[0].shape == (1, 3, 4)
    assert x.argsort().dtype == "int64"
    assert x.sort() is None
    with pytest.raises(TypeError):
        x.clip(lowest=1)
    with pytest.raises(TypeError):
        x.sum(excluded=True)
