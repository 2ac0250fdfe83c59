"""Functions called with several sizes: one program with symbols for most of NumPy, always what Python gives.

`GENERAL` holds what must not need another program when a size changes. What is in `EXACT` needs the very number (a
Python loop over an axis, a table made by NumPy): those functions get a program for each size.
"""

import numpy
import pytest

from hybridize.array import np, npx
from hybridize.base.nested import flatten
from hybridize.capture import Function

N = "n"


def floats(*shape):
    return lambda n: np.array(numpy.random.normal(size=_sizes(shape, n)))


def integers(high, *shape):
    return lambda n: np.array(numpy.random.randint(0, high, _sizes(shape, n)), dtype="int64")


def _sizes(shape, n):
    return tuple(n if size is N else size for size in shape)


def zeroed(x):
    y = x * 1
    y[1:, 0] = 0
    return y


def written(x, i):
    y = x * 1
    y[i] = 2.0
    return y


def by_rows(x):
    total = np.zeros(4)
    for row in x:
        total = total + row
    return total


def by_range(x):
    total = np.zeros(4)
    for i in range(x.shape[0]):
        total = total + x[i]
    return total


def doubled_if_long(x):
    return x * 2 if x.shape[0] > 4 else x * 3


GENERAL = {
    "1/shape": (lambda x: x.sum(axis=0)*(1.0/x.shape[0]), floats(N, 4)),
    "add": (lambda x, y: x+y, floats(N, 4), floats(N, 4)),
    "add bias": (lambda x, y: x+y, floats(N, 4), floats(4)),
    "outer add": (lambda x, y: x[:, None]+y[None, :], floats(N), floats(N)),
    "scalar": (lambda x: 2*x-1, floats(N, 3)),
    "exp": (lambda x: np.exp(x), floats(N, 3)),
    "where": (lambda x: np.where(x>0, x, 0.0), floats(N, 3)),
    "clip": (lambda x: np.clip(x, -1, 1), floats(N, 3)),
    "pad edge": (lambda x: np.pad(x, ((1, 2), (0, 1)), mode="edge"), floats(N, 4)),
    "maximum": (lambda x, y: np.maximum(x, y), floats(N, 3), floats(1, 3)),
    "argmax": (lambda x: np.argmax(x, axis=0), floats(N, 3)),
    "argmax flat": (lambda x: np.argmax(x), floats(N, 3)),
    "argmin1": (lambda x: np.argmin(x, axis=1), floats(N, 3)),
    "cumsum": (lambda x: np.cumsum(x, axis=0), floats(N, 3)),
    "cumsum flat": (lambda x: np.cumsum(x), floats(N, 3)),
    "matmul": (lambda x, w: x @ w, floats(N, 4), floats(4, 3)),
    "matmul nn": (lambda x, y: x @ y, floats(N, 4), floats(4, N)),
    "matmul batched": (lambda x, y: x @ y, floats(N, 2, 4), floats(N, 4, 3)),
    "matmul k": (lambda x, y: x @ y, floats(3, N), floats(N, 2)),
    "matvec": (lambda x, y: x @ y, floats(N, 4), floats(4)),
    "vecvec": (lambda x, y: x @ y, floats(N), floats(N)),
    "dot": (lambda x, y: np.dot(x, y), floats(N, 4), floats(4, 3)),
    "tensordot": (lambda x, y: np.tensordot(x, y, 1), floats(N, 4), floats(4, 3)),
    "einsum": (lambda x, y: np.einsum("bij, bjk->bik", x, y), floats(N, 2, 3), floats(N, 3, 2)),
    "einsum att": (lambda x, y: np.einsum("bqd, bkd->bqk", x, y), floats(2, N, 3), floats(2, N, 3)),
    "einsum sum": (lambda x: np.einsum("ij->j", x), floats(N, 3)),
    "outer": (lambda x, y: np.outer(x, y), floats(N), floats(3)),
    "reshape -1": (lambda x: x.reshape(-1), floats(N, 4)),
    "reshape n, -1": (lambda x: x.reshape(x.shape[0], -1), floats(N, 2, 3)),
    "reshape split": (lambda x: x.reshape((x.shape[0], 2, 2)), floats(N, 4)),
    "reshape merge": (lambda x: np.reshape(x, (x.shape[0]*2, 3)), floats(N, 2, 3)),
    "reshape transposed": (lambda x: x.T.reshape(-1), floats(N, 4)),
    "transpose": (lambda x: x.T, floats(N, 4)),
    "transpose3": (lambda x: np.transpose(x, (1, 0, 2)), floats(N, 4, 2)),
    "swap": (lambda x: np.swapaxes(x, 0, 1)*1, floats(N, 4)),
    "expand": (lambda x: np.expand_dims(x, 0)*1, floats(N, 4)),
    "squeeze": (lambda x: np.squeeze(x)*1, floats(N, 1)),
    "broadcast_to": (lambda x: np.broadcast_to(x, (x.shape[0], 5, 3))*1, floats(N, 1, 3)),
    "concat": (lambda x, y: np.concatenate([x, y], axis=0), floats(N, 4), floats(N, 4)),
    "concat1": (lambda x, y: np.concatenate([x, y], axis=1), floats(N, 4), floats(N, 2)),
    "concat mixed": (lambda x, y: np.concatenate([x, y], axis=0), floats(N, 4), floats(3, 4)),
    "stack": (lambda x, y: np.stack([x, y]), floats(N, 4), floats(N, 4)),
    "vstack": (lambda x, y: np.vstack([x, y]), floats(N, 4), floats(N, 4)),
    "split": (lambda x: np.split(x, 2, axis=1), floats(N, 4)),
    "split at": (lambda x: np.split(x, [2], axis=0), floats(N, 4)),
    "slice 1:": (lambda x: x[1:]*1, floats(N, 4)),
    "slice :-1": (lambda x: x[:-1]*1, floats(N, 4)),
    "slice diff": (lambda x: x[1:]-x[:-1], floats(N, 4)),
    "slice half": (lambda x: x[:x.shape[0]//2]*1, floats(N, 4)),
    "slice ::2": (lambda x: x[::2]*1, floats(N, 4)),
    "slice ::-1": (lambda x: x[::-1]*1, floats(N, 4)),
    "slice col": (lambda x: x[:, 1:3]*1, floats(N, 4)),
    "index 0": (lambda x: x[0]*1, floats(N, 4)),
    "index -1": (lambda x: x[-1]*1, floats(N, 4)),
    "index col": (lambda x: x[:, 1]*1, floats(N, 4)),
    "newaxis": (lambda x: x[:, None]*1, floats(N, 4)),
    "flip": (lambda x: np.flip(x, 0)*1, floats(N, 4)),
    "roll": (lambda x: np.roll(x, 1, axis=0), floats(N, 4)),
    "tile": (lambda x: np.tile(x, (2, 1)), floats(N, 4)),
    "repeat": (lambda x: np.repeat(x, 2, axis=0), floats(N, 4)),
    "pad": (lambda x: np.pad(x, ((1, 2), (0, 1))), floats(N, 4)),
    "take": (lambda x, i: np.take(x, i, axis=0), floats(6, 4), integers(6, N)),
    "take from": (lambda x, i: np.take(x, i, axis=0), floats(N, 4), integers(4, 3)),
    "gather idx": (lambda x, i: x[i], floats(6, 4), integers(6, N)),
    "gather from n": (lambda x, i: x[i], floats(N, 4), integers(4, N)),
    "pair idx": (lambda x, i: x[np.arange(x.shape[0]).astype("int64"), i], floats(N, 4), integers(4, N)),
    "pick": (lambda x, i: npx.pick(x, i), floats(N, 4), integers(4, N)),
    "set slice": (lambda x: zeroed(x), floats(N, 4)),
    "set idx": (lambda x, i: written(x, i), floats(6, 4), integers(6, N)),
    "onehot": (lambda i: npx.one_hot(i, 5), integers(5, N)),
    "embedding": (lambda i, w: npx.embedding(i, w), integers(5, N), floats(5, 3)),
    "softmax": (lambda x: npx.softmax(x), floats(N, 4)),
    "softmax n": (lambda x: npx.softmax(x), floats(3, N)),
    "softmax0": (lambda x: npx.softmax(x, axis=0), floats(N, 4)),
    "log_softmax": (lambda x: npx.log_softmax(x), floats(N, 4)),
    "masked_softmax": (lambda x, m: npx.masked_softmax(x, m), floats(N, 4), integers(2, N, 4)),
    "softmax len": (lambda x, m: npx.softmax(x, length=m, use_length=True), floats(N, 4), integers(4, N)),
    "layer_norm": (lambda x, g, b: npx.layer_norm(x, g, b), floats(N, 4), floats(4), floats(4)),
    "layer_norm n": (lambda x, g, b: npx.layer_norm(x, g, b), floats(2, N), floats(N), floats(N)),
    "fc": (lambda x, w, b: npx.fully_connected(x, w, b, num_hidden=3), floats(N, 4), floats(3, 4), floats(3)),
    "fc flat": (lambda x, w, b: npx.fully_connected(x, w, b, num_hidden=3), floats(N, 2, 2), floats(3, 4), floats(3)),
    "fc noflat": (lambda x, w, b: npx.fully_connected(x, w, b, num_hidden=3, flatten=False), floats(N, 2, 4),
        floats(3, 4), floats(3)),
    "conv": (lambda x, w: npx.convolution(x, w, pad=1), floats(N, 3, 5, 4), floats(2, 3, 3, 3)),
    "conv n": (lambda x, w: npx.convolution(x, w, stride=2, pad=2), floats(2, 3, N, N), floats(2, 3, 3, 3)),
    "conv back": (lambda x, w: npx.deconvolution(x, w, stride=2), floats(N, 3, N), floats(3, 2, 3)),
    "gelu": (lambda x: npx.gelu(x), floats(N, 4)),
    "relu": (lambda x: npx.relu(x), floats(N, 4)),
    "sigmoid": (lambda x: npx.sigmoid(x), floats(N, 4)),
    "batch_dot": (lambda x, y: npx.batch_dot(x, y, transpose_b=True), floats(N, 2, 4), floats(N, 3, 4)),
    "batch_norm": (lambda x, g: npx.batch_norm(x, g, g, g, g, fix_gamma=False), floats(N, 4, 3), floats(4)),
    "group_norm": (lambda x, g, b: npx.group_norm(x, g, b, num_groups=2), floats(N, 4, 3), floats(4), floats(4)),
    "norm": (lambda x: np.linalg.norm(x), floats(N, 4)),
    "sort": (lambda x: np.sort(x, axis=0), floats(N, 4)),
    "argsort": (lambda x: np.argsort(x, axis=1), floats(N, 4)),
    "topk": (lambda x: npx.topk(x, k=2), floats(N, 4)),
    "sum/shape": (lambda x: x.sum()/x.shape[0], floats(N, 4)),
    "arange n": (lambda x: x+np.arange(x.shape[0])[:, None], floats(N, 4)),
    "arange expr": (lambda x: x+np.arange(1, x.shape[0]+1)[:, None], floats(N, 4)),
    "zeros n": (lambda x: np.zeros((x.shape[0], 3))+1, floats(N, 4)),
    "zeros_like": (lambda x: np.zeros_like(x)+x, floats(N, 4)),
    "full": (lambda x: np.full((x.shape[0], 2), 3.0), floats(N, 4)),
    "eye": (lambda x: np.eye(x.shape[0])+x, floats(N, N)),
    "tril": (lambda x: np.tril(x), floats(N, N)),
    "causal": (lambda x: np.where(np.tril(np.ones((x.shape[0], x.shape[0])))>0, x, -1e9), floats(N, N)),
    "diag": (lambda x: np.diag(x), floats(N, N)),
    "trace": (lambda x: np.trace(x), floats(N, N)),
    "meshgrid": (lambda x, y: np.meshgrid(x, y), floats(N), floats(3)),
    "shape ret": (lambda x: (x*2, x.shape), floats(N, 4)),
    "len": (lambda x: x.sum()/len(x), floats(N, 4)),
    "size": (lambda x: x.sum()/x.size, floats(N, 4)),
    "if big": (lambda x: doubled_if_long(x), floats(N, 4)),
    "astype": (lambda x: x.astype("int32"), floats(N, 4)),
    "unused": (lambda x: np.ones(3), floats(N, 4)),
    "kron": (lambda x, y: np.kron(x, y), floats(N, 2), floats(2, 2)),
    "diff": (lambda x: np.diff(x, axis=0), floats(N, 4)),
    "average": (lambda x, w: np.average(x, axis=0, weights=w), floats(N, 4), floats(N)),
    "median": (lambda x: np.median(x, axis=0), floats(N, 4)),
    "searchsorted": (lambda x, v: np.searchsorted(x, v), floats(N), floats(3)),
    "unravel": (lambda x: np.ravel(x), floats(N, 4)),
    "squeeze view": (lambda x: (x[1:], x), floats(N, 4)),
    "attention": (lambda q, k, v: npx.softmax(q @ np.swapaxes(k, -1, -2)/np.sqrt(q.shape[-1])) @ v,
        floats(2, N, 4), floats(2, N, 4), floats(2, N, 4)),
    "sequence_mask": (lambda x, length: npx.sequence_mask(x, length, use_sequence_length=True, axis=1),
        floats(N, 4), integers(4, N)),
    "loop rows": (lambda x: by_rows(x), floats(N, 4)),
    "loop range": (lambda x: by_range(x), floats(N, 4)),
}  # fmt: skip
for _name in ("sum", "mean", "max", "min", "prod", "var", "std", "any", "all", "argmax", "argmin", "median"):
    for _axis in (None, 0, 1):
        GENERAL[f"{_name} over {_axis}"] = (
            lambda x, name=_name, axis=_axis: getattr(np, name)(x, axis=axis),
            floats(N, 3),
        )
EXACT = {
    "linspace": (lambda x: x+np.linspace(0, 1, x.shape[0]), floats(N)),
}  # fmt: skip


def check(function, arguments, sizes, backend):
    compiled = Function(function, backend=backend)
    for n in sizes:
        given = [make(n) for make in arguments]
        for found, expected in zip(flatten(compiled(*given))[0], flatten(function(*given))[0], strict=True):
            found, expected = (numpy.asarray(x.asnumpy() if hasattr(x, "asnumpy") else x) for x in (found, expected))
            assert found.dtype == expected.dtype
            numpy.testing.assert_allclose(found, expected, 1e-4, 1e-5)
    return compiled.cache_info().programs


@pytest.mark.parametrize("name", GENERAL)
def test_one_program_for_all_sizes(name):
    function, *arguments = GENERAL[name]
    assert check(function, arguments, (5, 7, 33, 9), "llvm") == 2, "the first call's, and the one with symbols"


@pytest.mark.parametrize("name", EXACT)
def test_programs_for_each_size(name):
    function, *arguments = EXACT[name]
    assert check(function, arguments, (5, 7, 12), "numpy") == 3


def scaled_thrice(x):
    total = 0.0
    for _ in range(3):
        x = np.mean(x, axis=0, keepdims=True) * x
        total = total + x.sum()
    return total


def test_columns_that_loops_inside_of_a_vector_store():
    """Of a product that one loop over rows stores, the next one reads each row, not the last."""
    check(scaled_thrice, [floats(N, 4)], (6, 40, 7), "llvm")
    compiled = Function(scaled_thrice, dynamic=True)
    for shape in ((6, 4), (5, 7), (40, 32), (6, 64)):
        x = np.array(numpy.random.uniform(0.5, 1.5, shape))
        numpy.testing.assert_allclose(compiled(x).asnumpy(), scaled_thrice(x).asnumpy(), 1e-4)
    assert compiled.cache_info().programs == 1


def by_halves(x):
    """What is left of a filter bank: every other element leaves, until one is left."""
    out = []
    while x.shape[0] > 1:
        out.append(x[::2])
        x = x[1::2]
    return np.concatenate([*out, x])


def haar(x):
    """Haar's wavelets, which needs as many even elements as odd ones at each level."""
    out = []
    while x.shape[0] > 1:
        even, odd = x[::2], x[1::2]
        out.append((even - odd) / 2)
        x = (even + odd) / 2
    return np.concatenate([x, *out[::-1]])


def butterflies(x, levels=3):
    """The sums of a fast Fourier transform."""
    if not levels:
        return x * 1
    even, odd = butterflies(x[::2], levels - 1), butterflies(x[1::2], levels - 1)
    return np.concatenate([even + odd, even - odd])


def in_parts(x, levels=4):
    """Sums so far, by the sums of both halves."""
    if not levels:
        return np.cumsum(x)
    half = x.shape[0] // 2
    first, second = in_parts(x[:half], levels - 1), in_parts(x[half:], levels - 1)
    return np.concatenate([first, second + first[-1]])


@pytest.mark.parametrize(
    ("function", "first", "second", "other", "work"),
    [
        (by_halves, 1000, 1024, 1500, 4_000),
        (haar, 512, 1024, 1024, 8_000),
        (butterflies, 512, 1024, 768, 8_000),
        (in_parts, 1000, 1024, 999, 16_000),
    ],
    ids=lambda part: getattr(part, "__name__", None),
)
def test_nested_slices_take_bounded_work(function, first, second, other, work):
    """Ten levels of `x = x[1::2]`: the sizes looked at are counted, which no machine is slow at."""
    compiled = Function(function)
    for size in (first, second):
        x = floats(size)(0)
        numpy.testing.assert_allclose(compiled(x).asnumpy(), function(x).asnumpy(), rtol=1e-4, atol=1e-5)
    scope = compiled.programs()[-1].optimized.scope
    assert scope is not None
    assert scope.ranges.work < work
    x = floats(other)(0)
    numpy.testing.assert_allclose(compiled(x).asnumpy(), function(x).asnumpy(), rtol=1e-4, atol=1e-5)
    assert len(compiled.programs()) == 2
