# SPDX-License-Identifier: Apache-2.0
"""NumPy's keywords, imperatively and in programs; files, printing, walks; and arguments that make no sense."""

import io
import warnings

import numpy
import pytest

import hybridize
from hybridize import errors, np
from tests.array import numpy_census

CALLS = """
np.add(A, B, where=M, out=A.copy())
np.add(A, B, where=M) * M
np.exp(A, where=M, out=np.zeros((3, 4), dtype='float64'))
np.divide(I, J, where=M, out=np.zeros((3, 4), dtype='float64')) * M
np.logical_and(I, J, where=M, out=np.zeros((3, 4), dtype='bool'))
np.power(P, 2, where=M, out=P.copy())
np.square(A, where=M[0], out=A.copy())
np.multiply(U, 3, dtype='int32')
np.add(I.astype('int8'), I.astype('int8') * 20, dtype='int64')
np.subtract(I, J, dtype='float32')
np.sqrt(J, dtype='float64')
np.sum(A, where=M)
np.sum(A, axis=1, where=M[0], initial=2.0)
np.prod(A, axis=0, where=M, keepdims=True)
np.max(A, where=M, initial=-9.0)
np.min(A, axis=1, where=M, initial=9.0)
np.mean(A, where=M)
np.mean(A, axis=1, where=M, keepdims=True)
np.mean(X, axis=(0, 2), where=X > 0)
np.std(A, where=M)
np.var(A, axis=0, where=A < 9, ddof=1)
np.var(A, axis=1, correction=1)
np.std(A, correction=1.5)
np.var(A, axis=1, mean=np.mean(A, axis=1, keepdims=True))
np.any(I, axis=0, where=M)
np.all(I, where=M)
A.sum(where=M)
A.max(initial=-5.0, where=M)
A.mean(1, where=M)
A.any(where=M)
np.average(X, axis=(0, 1), weights=X[:, :, 0] ** 2)
np.average(A, axis=1, weights=P[0], keepdims=True, returned=True)
np.diff(I, n=2, prepend=0, append=I[:, :2])
np.diff(A, axis=0, append=1.5)
np.array_equal(N, N, equal_nan=True)
np.searchsorted(D, V, 'right', np.argsort(D))
np.isin(I, J, assume_unique=True, invert=True, kind='sort')
np.concatenate([A, I], dtype='float32', casting='same_kind')
np.stack([I, J], dtype='float64')
np.vstack([V, W], dtype='float32')
np.hstack([V, W], dtype='float32')
np.pad(A, ((0, 2), (1, 0)), constant_values=(1.5, 2.5))
np.pad(A, ((0, 2), (1, 0)), mode='linear_ramp', end_values=((1, 2), (3, 4)))
np.pad(V, (2, 3), mode='mean', stat_length=(2, 3))
np.pad(A, 1, mode='empty')[1:-1, 1:-1]
np.sum(A, axis=0, dtype='float32')
np.sum(A, dtype='float64', initial=1.0)
np.cov(A, B, ddof=0)
np.cov(V, W, rowvar=False)
np.polyfit(R, V, 1, full=True)[0]
np.polyfit(R, V, 2, cov='unscaled', w=D)
np.gradient(X, axis=(2, 0))
np.gradient(X, 2.0, R[:3], R[:4])
np.nanquantile(N, [0.1, 0.5], axis=1, keepdims=True, method='hazen')
np.nanquantile(X, 0.5, axis=(0, 2))
np.quantile(X, 0.3, 0, None, False, 'lower')
np.percentile(X, 30, 1, None, False, 'higher', True)
np.median(X, 0, None, True)
np.median(X, 1, overwrite_input=True, keepdims=True)
np.lexsort((K, K, V))
np.mgrid[0:3, 1:2:4j]
np.ogrid[0:3, 5:9:2]
np.mgrid[1:6:2]
np.r_[V, 0, 1.5, W]
np.r_[0:5, 2, np.arange(3)]
np.r_['1', A, B]
np.r_['0,2', V, W]
np.r_['0,2,0', V, W]
np.r_['-1', A, B]
np.c_[V, W]
np.c_[V, A[:1].T @ np.ones((1, 2)) if False else np.stack([V, W], 1)]
A[np.s_[1:, ::2]]
X[np.index_exp[..., 1]]
[list(i) for i in np.ndindex(2, 2)]
[list(i) for i in np.ndindex((2,))]
[[list(i), float(v)] for i, v in np.ndenumerate(A[:2, :2])]
np.vectorize(lambda x, y: x * y + 1)(A, B[0])
np.vectorize(lambda v: v.sum(), signature='(n)->()')(A)
np.vectorize(lambda x: (x, x * x))(V)
np.vectorize(lambda x, k: x * k, excluded=['k'])(V, k=3.0)
np.apply_along_axis(lambda v: v[:2] * v[2:4], 1, A)
np.choose(M.astype('int64'), [A, 0.0], mode='wrap')
np.select([A > 0, B > 0], [1.0, B])
np.where(M)[1]
np.frexp(A)
np.frexp(A * 1e-310)
np.frexp(np.array([0.0, np.inf, -np.inf, -8.0, 0.5]))
np.nextafter(np.array([0.0, 0.0, 1.0, -1.0, np.inf, np.nan], dtype='float64'), np.array([1.0, -1.0, 2.0, -2.0, 0.0, 1.0], dtype='float64'))
np.nextafter(np.array([0.0, 0.0, 1.0, -1.0, np.inf, 3e38], dtype='float32'), np.array([1.0, -1.0, 2.0, -2.0, 0.0, 1.0], dtype='float32'))
np.nextafter(np.array([0.0, 1.0, -1.0], dtype='float16'), np.array([1.0, 2.0, -2.0], dtype='float16'))
np.spacing(np.array([1.0, -1.0, 0.0, 1e300, np.inf], dtype='float64'))
np.modf(np.array([1.5, -1.5, np.inf, -0.0]))
np.i0(np.array([0.0, -3.0, 7.99, 8.01, 50.0, -700.0], dtype='float64'))
np.angle(A, deg=True)
done(lambda a: a.partition(2), V.copy())[2]
done(lambda a: a.flat.__setitem__(slice(1, 3), 7.0), A.copy())
done(lambda a: setattr(a, 'flat', [1.0, 2.0]), A.copy())
[float(v) for v in A.flat][5]
len(A.flat)
A.flat[[0, 5]]
np.broadcast_shapes((2, 1, 3), (4, 1))
np.min_scalar_type(np.float64(1.0)).kind
np.bitwise_count(np.array([-128, 127, -1, 0], dtype='int8'))
np.packbits(M, axis=0)
np.unpackbits(U, count=-3)
np.unpackbits(U, axis=1, count=40)
np.histogram_bin_edges(V, 'sturges')
np.testing if False else np.fromfunction(lambda i: i * 2.0, (4,), dtype='int64')
"""
TEXTS = [text for text in CALLS.strip().splitlines() if text]


@pytest.mark.parametrize("text", TEXTS)
def test_keywords_mean_what_they_mean_to_numpy(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = numpy_census.plain(numpy_census.run(text, numpy))
        found = numpy_census.plain(numpy_census.run(text, np))
    assert numpy_census.differ(found, wanted) is None


DIFFERS = ("ndindex", "ndenumerate", "flat]", "array_equal(N")
"""Python lists, and what asks for values."""


@pytest.mark.parametrize("text", [text for text in TEXTS if not any(word in text for word in DIFFERS)])
@pytest.mark.filterwarnings("ignore")
def test_and_in_programs(text):
    from tests.array.conftest import run_traced

    names = [name for name in numpy_census.DATA if name in text]
    arrays = [np.array(numpy_census.DATA[name], dtype=numpy_census.DATA[name].dtype) for name in names]

    def function(*xs):
        return eval(text, {"np": np, "done": numpy_census.done, **dict(zip(names, xs, strict=True))})

    wanted = function(*arrays)
    try:
        found = run_traced(function, arrays)
    except errors.CaptureError:
        return  # refused, and not something else
    assert numpy_census.differ(numpy_census.plain(found), numpy_census.plain(wanted)) is None


NONSENSE = {
    "convolve of nothing": lambda: np.convolve([], [1.0]), "convolve of matrices": lambda: np.convolve(np.ones((2, 2)), [1.0]), "gradient, too few": lambda: np.gradient(np.ones(1)), "gradient, places": lambda: np.gradient(np.ones(4), np.ones(3)), "gradient, distances": lambda: np.gradient(np.ones((3, 3)), 1.0, 2.0, 3.0), "gradient, order": lambda: np.gradient(np.ones(4), edge_order=3),
    "put outside": lambda: np.put(np.zeros(3), [3], 1.0), "put to NumPy's": lambda: np.put(numpy.zeros(3), [0], 1.0), "put_along_axis outside": lambda: np.put_along_axis(np.zeros((2, 2)), np.array([[2]], dtype="int64"), 1.0, 1), "putmask of another size": lambda: np.putmask(np.zeros(3), np.array([True]), 1.0), "place without values": lambda: np.place(np.zeros(2), np.array([True, False]), []),
    "copyto unsafely": lambda: np.copyto(np.zeros(3, dtype="int32"), np.ones(3)), "copyto of another shape": lambda: np.copyto(np.zeros(3), np.ones(2)), "choose outside": lambda: np.choose([0, 2], [[1, 2], [3, 4]]), "choose of nothing": lambda: np.choose([0], []), "select, lengths": lambda: np.select([np.array([True])], []), "select of numbers": lambda: np.select([np.array([1.0])], [1.0]), "piecewise, lengths": lambda: np.piecewise(np.ones(2), [np.array([True, False])], [1, 2, 3]),
    "partition outside": lambda: np.partition(np.ones(3), 3), "partition at half": lambda: np.partition(np.ones(3), 1.5), "lexsort of nothing": lambda: np.lexsort([]), "lexsort of shapes": lambda: np.lexsort([np.ones(2), np.ones(3)]), "ix_ of matrices": lambda: np.ix_(np.ones((2, 2))), "ix_ of floats": lambda: np.ix_([0.5]), "broadcast_shapes": lambda: np.broadcast_shapes((2,), (3,)), "diag_indices_from": lambda: np.diag_indices_from(np.ones((2, 3))), "r_ of words": lambda: np.r_["x", 1], "mgrid without an end": lambda: np.mgrid[1:],
    "cov of three axes": lambda: np.cov(np.ones((2, 2, 2))), "cov, weights": lambda: np.cov(np.ones((2, 3)), aweights=[1.0]), "cov, negative weights": lambda: np.cov(np.ones((2, 3)), aweights=[1.0, -1.0, 1.0]), "cov, broken counts": lambda: np.cov(np.ones((2, 3)), fweights=np.array([1.0, 0.5, 1.0])), "nanargmax of NaN": lambda: np.nanargmax(np.array([numpy.nan])), "nanquantile, share": lambda: np.nanquantile(np.ones(3), 2.0),
    "polyfit, degree": lambda: np.polyfit(np.ones(3), np.ones(3), -1), "polyfit, lengths": lambda: np.polyfit(np.ones(3), np.ones(4), 1), "polyder, order": lambda: np.polyder(np.ones(3), -1), "polyint, constants": lambda: np.polyint(np.ones(3), 3, [1.0, 2.0]), "poly of a box": lambda: np.poly(np.ones((2, 3))), "block of nothing": lambda: np.block([]), "block of depths": lambda: np.block([np.ones(1), [np.ones(1)]]), "unstack a number": lambda: np.unstack(np.array(1.0)),
    "sum where, numbers": lambda: np.sum(np.ones(3), where=np.ones(3)), "max where, nothing": lambda: np.max(np.ones(3), where=np.array([True, False, True])), "var, both": lambda: np.var(np.ones(3), ddof=1, correction=1), "geomspace through 0": lambda: np.geomspace(-1, 1), "multi_dot of one": lambda: np.linalg.multi_dot([np.ones((2, 2))]), "multi_dot, sizes": lambda: np.linalg.multi_dot([np.ones((2, 3)), np.ones((2, 2))]), "matvec, sizes": lambda: np.matvec(np.ones((2, 3)), np.ones(2)), "vecmat, sizes": lambda: np.vecmat(np.ones(3), np.ones((2, 3))),
    "packbits of floats": lambda: np.packbits(np.ones(3)), "unpackbits of int32": lambda: np.unpackbits(np.ones(3, dtype="int32")), "bitwise_count of floats": lambda: np.bitwise_count(np.ones(2)), "view of widths": lambda: np.ones((2, 3)).view("float64"), "pad, negative": lambda: np.pad(np.ones(3), -1), "pad, pairs": lambda: np.pad(np.ones((2, 2)), 1, constant_values=((1, 2), (3, 4), (5, 6))), "where with x alone": lambda: np.where(np.array([True]), 1.0), "add in an integer": lambda: np.add(np.ones(2), np.ones(2), dtype="int32"),
    "vectorize of nothing": lambda: np.vectorize(lambda x: x)(np.ones(0)), "vectorize, signature": lambda: np.vectorize(lambda x: x, signature="n"), "apply_along_axis of nothing": lambda: np.apply_along_axis(lambda v: v, 0, np.ones((3, 0))), "require, word": lambda: np.require(np.ones(2), requirements="Z"), "isdtype, word": lambda: np.isdtype("int8", "number"), "ediff": lambda: np.interp(np.ones(2), np.ones(3), np.ones(2)), "asarray_chkfinite": lambda: np.asarray_chkfinite([numpy.nan]), "load objects": lambda: np.load(io.BytesIO(), allow_pickle=True),
}  # fmt: skip


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused(name):
    with pytest.raises(errors.HybridizeError, match=r"E\d\d\d"):
        NONSENSE[name]()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint16", "bool"])
def test_files_are_numpys(tmp_path, dtype):
    x = (numpy.arange(12).reshape(3, 4) % 5).astype(dtype)
    np.save(tmp_path / "ours", np.array(x, dtype=dtype))
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "ours.npy"), x)
    assert numpy.load(tmp_path / "ours.npy").dtype == dtype
    numpy.save(tmp_path / "theirs.npy", x[:, ::2])
    found = np.load(tmp_path / "theirs.npy")
    assert found.dtype == dtype
    assert found.tolist() == x[:, ::2].tolist()
    np.savez(tmp_path / "ours.npz", np.array(x, dtype=dtype), second=x[0])
    with numpy.load(tmp_path / "ours.npz") as theirs, np.load(tmp_path / "ours.npz") as ours:
        assert ours.files == theirs.files == ["second", "arr_0"]
        assert {name: ours[name].tolist() for name in ours} == {name: theirs[name].tolist() for name in theirs}
    assert np.load(tmp_path / "theirs.npy", mmap_mode="r").tolist() == x[:, ::2].tolist()


def test_files_that_are_refused(tmp_path):
    with pytest.raises(errors.DTypeError, match="E202"):
        np.save(tmp_path / "x", np.ones(2, dtype="bfloat16"))
    with pytest.raises(errors.DTypeError, match="E202"):
        np.save(tmp_path / "x", [object()])
    numpy.save(tmp_path / "words.npy", numpy.array(["a", "b"]))
    with pytest.raises(errors.DTypeError, match="E202"):
        np.load(tmp_path / "words.npy")
    numpy.save(tmp_path / "objects.npy", numpy.array([{}], dtype=object))
    with pytest.raises(errors.HybridizeError, match="E345"):
        np.load(tmp_path / "objects.npy")
    with pytest.raises(FileNotFoundError):
        np.load(tmp_path / "nothing.npy")
    with pytest.raises(errors.CaptureError, match="E407"):
        hybridize.hybridize(lambda x: np.save(tmp_path / "x", x))(np.ones(2))


def test_text_and_bytes(tmp_path):
    x = np.arange(6.0).reshape(2, 3)
    np.savetxt(tmp_path / "x.txt", x, delimiter=",")
    assert np.loadtxt(tmp_path / "x.txt", delimiter=",").tolist() == x.tolist()
    assert np.loadtxt(io.StringIO("1 2\n3 4"), dtype="int64", unpack=True)[1].tolist() == [2, 4]
    assert np.frombuffer(x.tobytes(), "float32").tolist() == x.ravel().tolist()
    assert x.T.tobytes() == x.asnumpy().T.tobytes()
    assert x.view("int32").dtype == "int32"
    whole = x.view("uint8")
    whole[:] = 0
    assert x.tolist() == [[0.0] * 3] * 2  # it is the same memory


def test_settings_of_numpys_computing():
    with np.errstate(divide="ignore"):
        assert np.geterr()["divide"] == "ignore"
    with np.printoptions(precision=2):
        assert "1.23" in np.array2string(np.array([1.23456]))
    quiet = hybridize.hybridize(lambda x: _quietly(x))
    assert quiet(np.ones(2)).tolist() == [numpy.inf] * 2
    with pytest.raises(errors.CaptureError, match="E404"):
        hybridize.hybridize(lambda x: _loudly(x))(np.ones(2))


def _quietly(x):
    with np.errstate(divide="ignore"):
        return x / 0.0


def _loudly(x):
    with np.errstate(divide="raise"):
        return x / 0.0


def test_dtypes():
    for one, of in (("bfloat16", np.floating), (np.bfloat16, np.inexact), ("float32", np.float32), (np.int8, np.signedinteger)):  # fmt: skip
        assert np.issubdtype(one, of)
    assert not np.issubdtype("bfloat16", np.float16)
    assert np.isdtype("bfloat16", "real floating")
    assert np.single is np.float32
    assert np.intp is numpy.intp


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (3, 2), (3, 3)])
def test_products_of_vectors_of_two_and_three_components(sizes):
    """As NumPy gave them before 2.0, and as MXNet does: a missing component is 0."""
    x, y = (numpy.random.default_rng(k).normal(size=(4, n)).astype("f4") for k, n in enumerate(sizes))
    whole = numpy.cross(*(numpy.pad(v, ((0, 0), (0, 3 - v.shape[1]))) for v in (x, y)))
    wanted = whole[:, 2] if sizes == (2, 2) else whole
    for call in (np.cross, hybridize.hybridize(lambda x, y: np.cross(x, y))):
        numpy.testing.assert_allclose(call(np.array(x), np.array(y)).asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    with pytest.raises(errors.ShapeError, match="E102"):
        np.cross(np.ones(4), np.ones(3))


def test_sums_are_rounded_once():
    x = np.full((5000,), 1.0)
    assert float(x.sum(dtype="float16")) == 5000.0
    assert x.sum(dtype="float16").dtype == "float16"
