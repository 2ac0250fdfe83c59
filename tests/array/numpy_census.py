# SPDX-License-Identifier: Apache-2.0
"""How much of NumPy is there: its public names, and calls of them, here and there.

    python -m tests.array.numpy_census

prints the counts of `docs/compatibility.md`, and what is missing or differs. A name counts when all of its calls give
what NumPy gives: in values, shapes, and kinds of dtype, but that floats made of lists and integers are float32.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile

import numpy

import hybridize

RANDOM = numpy.random.default_rng(5)
DATA = {
    "A": RANDOM.normal(size=(3, 4)), "B": RANDOM.normal(size=(3, 4)) * 2, "P": RANDOM.uniform(0.2, 0.9, (3, 4)),
    "V": RANDOM.normal(size=5), "W": RANDOM.normal(size=5), "X": RANDOM.normal(size=(2, 3, 4)),
    "S": RANDOM.normal(size=(3, 3)) + 3 * numpy.eye(3), "I": RANDOM.integers(-9, 9, (3, 4)),
    "J": RANDOM.integers(1, 7, (3, 4)), "K": RANDOM.integers(0, 3, 5), "M": RANDOM.random((3, 4)) > 0.5,
    "Q": RANDOM.random(5) > 0.4, "N": numpy.where(RANDOM.random((3, 4)) > 0.7, numpy.nan, RANDOM.normal(size=(3, 4))),
    "U": RANDOM.integers(0, 255, (3, 4)).astype("u1"), "R": numpy.array([0.5, 1.0, 2.5, 4.0, 4.5]),
    "D": numpy.array([3.0, 1.0, 2.0, 1.0, 3.0]),
}  # fmt: skip
"""Arguments of the calls."""
DATA["H"] = DATA["S"] @ DATA["S"].T

UNARY = (
    "abs absolute arcsinh arctan asinh atan cbrt ceil cos cosh deg2rad degrees exp exp2 expm1 fabs fix floor isfinite "
    "isinf isnan isneginf isposinf negative positive rad2deg radians reciprocal rint sign signbit sin sinc sinh spacing "
    "square tan tanh trunc conj conjugate real imag angle isreal iscomplex i0 modf frexp iscomplexobj isrealobj real_if_close"
)
SHARES = "acos arccos arcsin asin arctanh atanh log log10 log1p log2 sqrt"
BINARY = (
    "add subtract multiply divide true_divide arctan2 atan2 copysign equal not_equal less less_equal greater "
    "greater_equal floor_divide fmax fmin maximum minimum fmod hypot logaddexp logaddexp2 mod remainder nextafter "
    "heaviside divmod logical_and logical_or logical_xor"
)
INTEGERS = "bitwise_and bitwise_or bitwise_xor gcd lcm"
REDUCTIONS = "sum prod mean max min amax amin any all std var ptp count_nonzero"
NAN = "nansum nanprod nanmean nanmax nanmin nanstd nanvar nanmedian"

CALLS = {
    **{name: f"np.{name}(A); np.{name}(A[0])" for name in UNARY.split()},
    **{name: f"np.{name}(P)" for name in SHARES.split()},
    **{name: f"np.{name}(A, B); np.{name}(A, 2.5); np.{name}(I, J); np.{name}(1.5, A)" for name in BINARY.split()},
    **{name: f"np.{name}(I, J); np.{name}(J, 3)" for name in INTEGERS.split()},
    **{name: f"np.{name}(A); np.{name}(A, axis=1); np.{name}(X, axis=(0, 2)); np.{name}(I, axis=0, keepdims=True)" for name in REDUCTIONS.split()},
    **{name: f"np.{name}(N); np.{name}(N, axis=1); np.{name}(N, axis=0, keepdims=True)" for name in NAN.split()},
    "acosh": "np.acosh(P + 1)", "arccosh": "np.arccosh(P + 1)", "bitwise_count": "np.bitwise_count(I); np.bitwise_count(U)",
    "bitwise_invert": "np.bitwise_invert(I)", "bitwise_not": "np.bitwise_not(M)", "invert": "np.invert(U)",
    "bitwise_left_shift": "np.bitwise_left_shift(I, 2)", "left_shift": "np.left_shift(J, J)", "bitwise_right_shift": "np.bitwise_right_shift(I, 1)", "right_shift": "np.right_shift(I, J)",
    "logical_not": "np.logical_not(I); np.logical_not(M)", "power": "np.power(P, B); np.power(I, 2); np.power(A, 3)", "pow": "np.pow(P, 0.5)", "float_power": "np.float_power(J, 2); np.float_power(P, A)",
    "ldexp": "np.ldexp(A, 3); np.ldexp(A, I); np.ldexp(A, 200); np.ldexp(A, -30); np.ldexp(*np.frexp(A))", "clip": "np.clip(A, -0.5, 0.5); np.clip(I, 0, None); np.clip(A, B - 1, B + 1)", "where": "np.where(M, A, B); np.where(M); np.where(I > 0, I, 0)",
    "nan_to_num": "np.nan_to_num(N); np.nan_to_num(N, nan=2.0); done(lambda a: np.nan_to_num(a, copy=False), N.copy())", "around": "np.around(A, 2)", "round": "np.round(A * 100, -1); np.round(I, -1)", "astype": "np.astype(A, 'int32'); np.astype(I, 'float64')",
    "sort": "np.sort(A); np.sort(A, axis=0); np.sort(A, None)", "argsort": "np.argsort(A); np.argsort(I, axis=0, kind='stable')", "partition": "np.sort(np.partition(V, 2)[:2]); np.partition(A, 1, axis=0)[1]", "argpartition": "V[np.argpartition(V, 2)[2]]",
    "lexsort": "np.lexsort((V, K)); np.lexsort(I); np.lexsort((I, J), axis=0)", "argmax": "np.argmax(A); np.argmax(A, axis=0)", "argmin": "np.argmin(A, axis=1, keepdims=True)", "nanargmax": "np.nanargmax(N); np.nanargmax(N, axis=0)", "nanargmin": "np.nanargmin(N, axis=1)",
    "cumsum": "np.cumsum(A); np.cumsum(I, axis=0)", "cumprod": "np.cumprod(A, axis=1)", "nancumsum": "np.nancumsum(N); np.nancumsum(N, axis=0)", "nancumprod": "np.nancumprod(N, axis=1)",
    "cumulative_sum": "np.cumulative_sum(V); np.cumulative_sum(A, axis=1, include_initial=True)", "cumulative_prod": "np.cumulative_prod(V, include_initial=True); np.cumulative_prod(A, axis=0)",
    "diff": "np.diff(A); np.diff(A, 2, axis=0); np.diff(V, prepend=0, append=W)", "ediff1d": "np.ediff1d(A); np.ediff1d(V, to_begin=W, to_end=9.0)", "gradient": "np.gradient(V); np.gradient(A); np.gradient(A, 2.0, axis=1); np.gradient(V, R, edge_order=2); np.gradient(A, 2.0, 3.0, edge_order=2); np.gradient(V, R)",
    "trapezoid": "np.trapezoid(A); np.trapezoid(V, R); np.trapezoid(A, B, axis=0); np.trapezoid(X, X, axis=1); np.trapezoid(A, P[0], axis=1)", "average": "np.average(A); np.average(A, axis=0, weights=P); np.average(V, weights=R); np.average(A, axis=1, keepdims=True)",
    "median": "np.median(A); np.median(A, axis=1)", "quantile": "np.quantile(A, 0.3); np.quantile(A, [0.1, 0.7], axis=0)", "percentile": "np.percentile(A, 30, axis=1, keepdims=True)", "nanquantile": "np.nanquantile(N, 0.3); np.nanquantile(N, [0.2, 0.9], axis=1); np.nanquantile(N, 0.4, axis=0, method='lower')", "nanpercentile": "np.nanpercentile(N, 30, axis=0, keepdims=True)",
    "cov": "np.cov(A); np.cov(V, W); np.cov(A, rowvar=False); np.cov(A, bias=True); np.cov(A, aweights=P[0]); np.cov(A, fweights=J[0]); np.cov(A, fweights=J[0], aweights=P[0]); np.cov(V)", "corrcoef": "np.corrcoef(A); np.corrcoef(V, W); np.corrcoef(A, rowvar=False)",
    "convolve": "np.convolve(V, W); np.convolve(V, W[:3], 'same'); np.convolve(V[:2], W, 'same'); np.convolve(V, W[:3], 'valid'); np.convolve(K, K); np.convolve(Q, Q)", "correlate": "np.correlate(V, W); np.correlate(V, W[:3], 'full'); np.correlate(V[:2], W, 'same'); np.correlate(V, W[:2], 'same'); np.correlate(V[:2], W, 'full')",
    "histogram": "np.histogram(V, 3); np.histogram(V, R)", "histogram_bin_edges": "np.histogram_bin_edges(V, 4)", "histogram2d": "np.histogram2d(V, W, 3)", "histogramdd": "np.histogramdd(A, 2)", "bincount": "np.bincount(K); np.bincount(K, V, 6)", "digitize": "np.digitize(V, R)",
    "searchsorted": "np.searchsorted(R, V); np.searchsorted(D, V, sorter=np.argsort(D))", "interp": "np.interp(V, R, W); np.interp(V, D, W, period=4.0)", "unwrap": "np.unwrap(V * 5)", "isin": "np.isin(K, [0, 2]); np.isin(K, [1], invert=True)",
    "unique": "np.unique(K); np.unique(I, return_inverse=True)", "unique_all": "np.unique_all(K)", "unique_counts": "np.unique_counts(K)", "unique_inverse": "np.unique_inverse(I)", "unique_values": "np.sort(np.unique_values(K))", "union1d": "np.union1d(K, [5, 1])", "intersect1d": "np.intersect1d(K, I)", "setdiff1d": "np.setdiff1d(I, K)", "setxor1d": "np.setxor1d(I, K)",
    "nonzero": "np.nonzero(M)", "flatnonzero": "np.flatnonzero(I)", "argwhere": "np.argwhere(M)", "take": "np.take(A, [0, 5, -1]); np.take(A, K, axis=0, mode='clip')", "take_along_axis": "np.take_along_axis(A, np.argsort(A, 1), 1)",
    "choose": "np.choose(K, [V, W, R]); np.choose([0, 1, 2, 9, -1], [V, W, R], mode='clip'); np.choose(K, [0.5, W, 2.0])", "select": "np.select([A > 0.5, A < -0.5], [A, B], 7.0); np.select([M], [I])", "compress": "np.compress([True, False, True], A, axis=0); np.compress(Q, V)", "extract": "np.extract(M, A)",
    "piecewise": "np.piecewise(V, [V < 0, V >= 1], [-1.0, lambda v: v * v]); np.piecewise(A, [A > 0], [lambda v: v, 5.0])",
    "ravel_multi_index": "np.ravel_multi_index((K, K), (3, 4))", "unravel_index": "np.unravel_index(K, (2, 2))", "delete": "np.delete(A, 1, axis=0)", "insert": "np.insert(V, 1, 9.0)", "append": "np.append(A, B, axis=0)", "resize": "np.resize(A, (5, 2))", "trim_zeros": "np.trim_zeros(np.array([0, 0, 1, 2, 0]))",
    "concatenate": "np.concatenate([A, B]); np.concatenate([A, I], axis=1, dtype='float32')", "concat": "np.concat([A, B], axis=None)", "stack": "np.stack([A, B], -1)", "unstack": "np.unstack(A, axis=1)", "vstack": "np.vstack([V, W])", "row_stack": "np.row_stack([V, W])", "hstack": "np.hstack([A, B])", "dstack": "np.dstack([A, B])", "column_stack": "np.column_stack([V, W])", "block": "np.block([[A, B], [B, A]]); np.block([V, 1.0]); np.block([[S, np.zeros((3, 1))], [np.ones((1, 4))]])",
    "split": "np.split(A, 2, axis=1)", "array_split": "np.array_split(V, 3)", "hsplit": "np.hsplit(A, 2)", "vsplit": "np.vsplit(A, 3)", "dsplit": "np.dsplit(X, 2)", "reshape": "np.reshape(A, (4, 3)); np.reshape(A, -1, order='F')", "ravel": "np.ravel(A)", "transpose": "np.transpose(X, (1, 0, 2))", "permute_dims": "np.permute_dims(X, (2, 0, 1))", "matrix_transpose": "np.matrix_transpose(X)",
    "swapaxes": "np.swapaxes(X, 0, 2)", "moveaxis": "np.moveaxis(X, 0, -1)", "rollaxis": "np.rollaxis(X, 2)", "expand_dims": "np.expand_dims(A, (0, 2))", "squeeze": "np.squeeze(A[None])", "broadcast_to": "np.broadcast_to(V, (2, 5))", "broadcast_arrays": "np.broadcast_arrays(A, A[:1])", "broadcast_shapes": "np.broadcast_shapes((3, 1), (4,), 1)", "atleast_1d": "np.atleast_1d(2.0)", "atleast_2d": "np.atleast_2d(V)", "atleast_3d": "np.atleast_3d(V, A)",
    "flip": "np.flip(A)", "fliplr": "np.fliplr(A)", "flipud": "np.flipud(A)", "roll": "np.roll(A, 2, axis=1)", "rot90": "np.rot90(A)", "tile": "np.tile(A, (2, 1))", "repeat": "np.repeat(A, 2, axis=0)",
    "pad": "np.pad(A, 1); np.pad(V, (2, 1), 'reflect'); np.pad(A, ((1, 2), (0, 1)), constant_values=((1, 2), (3, 4))); np.pad(A, 2, 'maximum'); np.pad(I, (1, 2), 'mean'); np.pad(A, 1, 'median', stat_length=2); np.pad(V, 3, 'linear_ramp', end_values=(5, -4)); np.pad(I, 2, 'linear_ramp', end_values=3); np.pad(A, {1: (0, 2)}, 'minimum'); np.pad(A, 1, 'edge')",
    "dot": "np.dot(A, B.T)", "vdot": "np.vdot(A, B)", "vecdot": "np.vecdot(A, B)", "inner": "np.inner(A, B)", "outer": "np.outer(V, W)", "matmul": "np.matmul(A, B.T)", "matvec": "np.matvec(A, P[0]); np.matvec(X, A[:2])", "vecmat": "np.vecmat(V[:3], A); np.vecmat(A[:2, :3], X)", "tensordot": "np.tensordot(A, B, ((0,), (0,)))", "einsum": "np.einsum('ij,kj->ik', A, B)", "einsum_path": "np.einsum_path('ij,kj->ik', A, B)[0]", "kron": "np.kron(A, V)", "cross": "np.cross(S, S[::-1]); np.cross(A[:, :3].T, A[:, 1:], axisa=0, axisc=0)", "trace": "np.trace(S)",
    "array": "np.array(A)", "asarray": "np.asarray(A)", "asanyarray": "np.asanyarray(A)", "ascontiguousarray": "np.ascontiguousarray(A.T)", "asfortranarray": "np.asfortranarray(A); np.asfortranarray(A).strides", "asarray_chkfinite": "np.asarray_chkfinite(A)", "require": "np.require(A.T, requirements='C').strides; np.require(A, 'float32', ['F', 'W'])", "copy": "np.copy(A)", "arange": "np.arange(5); np.arange(2, 9, 3)", "linspace": "np.linspace(0, 1, 5)", "logspace": "np.logspace(0, 2, 4)", "geomspace": "np.geomspace(1, 1000, 4); np.geomspace(-2, -32, 5); np.geomspace(P[0], P[1], 3); np.geomspace(1, 9, 3, endpoint=False)",
    "zeros": "np.zeros((2, 3))", "ones": "np.ones(3)", "full": "np.full((2, 2), 7.0)", "zeros_like": "np.zeros_like(A)", "ones_like": "np.ones_like(I)", "full_like": "np.full_like(A, 3)", "empty": "np.empty((2, 3)).shape", "empty_like": "np.empty_like(A).shape", "eye": "np.eye(3, 4, 1)", "identity": "np.identity(3)", "tri": "np.tri(3)", "tril": "np.tril(S)", "triu": "np.triu(S, 1)", "diag": "np.diag(V)", "diagflat": "np.diagflat(A)", "diagonal": "np.diagonal(S)", "vander": "np.vander(V, 3)", "meshgrid": "np.meshgrid(V, W)", "indices": "np.indices((2, 3))", "fromfunction": "np.fromfunction(lambda i, j: i * 2 + j, (2, 3))", "fromiter": "np.fromiter((k * k for k in range(4)), 'int64')",
    "frombuffer": "np.frombuffer(b'abcd', 'uint8')", "fromstring": "np.fromstring('1 2 3', sep=' ')", "from_dlpack": "np.from_dlpack(A)", "bartlett": "np.bartlett(5); np.bartlett(1)", "blackman": "np.blackman(6)", "hamming": "np.hamming(4)", "hanning": "np.hanning(5)", "kaiser": "np.kaiser(6, 4.0); np.kaiser(1, 2.0)",
    "poly": "np.poly([1.0, 2.0, -1.0]); np.poly(S)", "polyadd": "np.polyadd([1, 2], [3, 4, 5])", "polysub": "np.polysub(V, [1.0])", "polymul": "np.polymul([1, 2], [3, 4])", "polydiv": "np.polydiv([2.0, 5.0, 3.0], [1.0, 1.0])", "polyder": "np.polyder(V); np.polyder(V, 2)", "polyint": "np.polyint(V, 2, [1, 2])", "polyval": "np.polyval(V, A)", "polyfit": "np.polyfit(R, V, 2); np.polyfit(R, V, 1, w=D); np.polyfit(R, V, 1, cov=True); np.polyfit(R, np.stack([V, W], 1), 1)", "roots": "np.sort(np.roots([2.0, -4.0, -6.0]))",
    "apply_along_axis": "np.apply_along_axis(lambda v: v * v.sum(), 0, A); np.apply_along_axis(lambda v: v.max(), 1, A)", "apply_over_axes": "np.apply_over_axes(np.sum, X, [0, 2])", "frompyfunc": "np.frompyfunc(lambda x, y: x + y, 2, 1)(K, 1).astype('int64')",
    "packbits": "np.packbits(M); np.packbits(M, axis=1, bitorder='little')", "unpackbits": "np.unpackbits(U); np.unpackbits(U, axis=1, count=6)", "ix_": "A[np.ix_([0, 2], [1, 3])]; np.ix_(K, [True, False, True])", "diag_indices": "np.diag_indices(3)", "diag_indices_from": "np.diag_indices_from(S)", "tril_indices": "np.tril_indices(3)", "triu_indices": "np.triu_indices(3, 1)", "tril_indices_from": "np.tril_indices_from(A)", "triu_indices_from": "np.triu_indices_from(S, 1)", "mask_indices": "np.mask_indices(3, np.triu)",
    "allclose": "np.allclose(A, A + 1e-9)", "isclose": "np.isclose(A, A + 1e-9)", "array_equal": "np.array_equal(A, A); np.array_equal(N, N, equal_nan=True)", "array_equiv": "np.array_equiv(V, V[None]); np.array_equiv(V, A)", "shape": "np.shape(A)", "size": "np.size(A, 1)", "ndim": "np.ndim(A)", "isscalar": "np.isscalar(2.0); np.isscalar(A)", "iterable": "np.iterable(A); np.iterable(3)", "isfortran": "np.isfortran(A); np.isfortran(A.T)", "may_share_memory": "np.may_share_memory(A, A[1:]); np.may_share_memory(A, A + 1)", "shares_memory": "np.shares_memory(A[::2], A[1::2])",
    "issubdtype": "np.issubdtype(A.dtype, np.floating); np.issubdtype(np.int32, np.integer); np.issubdtype('float32', np.float64)", "isdtype": "np.isdtype(A.dtype, 'real floating'); np.isdtype(I.dtype, ('bool', 'integral'))", "can_cast": "np.can_cast('int8', 'int16')", "promote_types": "np.promote_types('int8', 'int16')", "result_type": "np.result_type(A, I)", "common_type": "np.common_type(A, I)", "min_scalar_type": "np.min_scalar_type(300)", "mintypecode": "np.mintypecode('fd')", "typename": "np.typename('d')",
    "array2string": "np.array2string(I)", "array_str": "np.array_str(I)", "array_repr": "np.array_repr(I)", "base_repr": "np.base_repr(10, 3)", "binary_repr": "np.binary_repr(5, 8)", "format_float_positional": "np.format_float_positional(1.5e-3)", "format_float_scientific": "np.format_float_scientific(1.5e-3)", "get_printoptions": "np.get_printoptions()['precision']", "set_printoptions": "np.set_printoptions(precision=8)", "geterr": "np.geterr()['under']", "seterr": "np.seterr(under='ignore')['under']", "geterrcall": "np.geterrcall()", "seterrcall": "np.seterrcall(None)", "printoptions": "str(np.printoptions(precision=3) is None)",
    "sort_complex": "np.sort_complex(K).real", "fill_diagonal": "done(np.fill_diagonal, S.copy(), 7.0)", "put": "done(np.put, A.copy(), [0, 5, -1], [1.0, 2.0]); done(np.put, A.copy(), [99], 3.0, mode='wrap')", "put_along_axis": "done(np.put_along_axis, A.copy(), np.argmax(A, 1, keepdims=True), 9.0, 1); done(np.put_along_axis, A.copy(), np.array([[0, 1, 2, 0]]), B[:1], 0)", "putmask": "done(np.putmask, A.copy(), M, B); done(np.putmask, A.copy(), M, [1.0, 2.0])", "place": "done(np.place, A.copy(), M, [1.0, 2.0, 3.0])", "copyto": "done(np.copyto, A.copy(), B[0]); done(np.copyto, A.copy(), 3.0, where=M)",
    "save": "stored(np.save, np.load, A)", "load": "stored(np.save, np.load, I)", "savetxt": "stored(np.savetxt, np.loadtxt, A)", "loadtxt": "stored(np.savetxt, np.loadtxt, V)", "savez": "stored(np.savez, lambda f: np.load(f)['arr_0'], A)", "savez_compressed": "stored(np.savez_compressed, lambda f: np.load(f)['arr_0'], A)", "fromfile": "raw(np.fromfile, A)", "genfromtxt": "stored(np.savetxt, np.genfromtxt, A)",
}  # fmt: skip
"""Each name of the main namespace with its calls, between semicolons."""

LINALG = {
    "cholesky": "np.linalg.cholesky(H)", "cond": "np.linalg.cond(S)", "cross": "np.linalg.cross(S, S[::-1])", "det": "np.linalg.det(S)", "diagonal": "np.linalg.diagonal(X, offset=1)", "eig": "np.sort(np.linalg.eig(H)[0])", "eigh": "np.linalg.eigh(H)[0]", "eigvals": "np.sort(np.linalg.eigvals(H))", "eigvalsh": "np.linalg.eigvalsh(H)", "inv": "np.linalg.inv(S)", "lstsq": "np.linalg.lstsq(A[:, :2], V[:3])[0]", "matmul": "np.linalg.matmul(A, B.T)", "matrix_norm": "np.linalg.matrix_norm(S)", "matrix_power": "np.linalg.matrix_power(S, 3)", "matrix_rank": "np.linalg.matrix_rank(S)", "matrix_transpose": "np.linalg.matrix_transpose(X)", "multi_dot": "np.linalg.multi_dot([A, B.T, S]); np.linalg.multi_dot([V[:3], A, B.T, V[2:]]); np.linalg.multi_dot([A.T, V[:3]])", "norm": "np.linalg.norm(A)", "outer": "np.linalg.outer(V, W)", "pinv": "np.linalg.pinv(A)", "qr": "np.abs(np.linalg.qr(S)[1])", "slogdet": "np.linalg.slogdet(S)", "solve": "np.linalg.solve(S, A)", "svd": "np.linalg.svd(S)[1]", "svdvals": "np.linalg.svdvals(A)", "tensordot": "np.linalg.tensordot(A, B, axes=((0,), (0,)))", "tensorinv": "np.linalg.tensorinv(S[:, :, None], 1)", "tensorsolve": "np.linalg.tensorsolve(S, V[:3])", "trace": "np.linalg.trace(S)", "vecdot": "np.linalg.vecdot(A, B)", "vector_norm": "np.linalg.vector_norm(A)",
}  # fmt: skip

FFT = {
    **{name: f"np.fft.{name}(A); np.fft.{name}(X, 3, axis=1, norm='ortho')" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{name: f"np.fft.{name}(A); np.fft.{name}(X, s=(3, 5), axes=(0, 2), norm='forward')" for name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")},
    "fftfreq": "np.fft.fftfreq(7, 0.1); np.fft.fftfreq(8)", "rfftfreq": "np.fft.rfftfreq(7, 0.1); np.fft.rfftfreq(8)", "fftshift": "np.fft.fftshift(A); np.fft.fftshift(X, axes=(0, 2))", "ifftshift": "np.fft.ifftshift(A); np.fft.ifftshift(V)",
}  # fmt: skip

METHODS = {
    "all": "M.all()", "any": "M.any(0)", "argmax": "A.argmax()", "argmin": "A.argmin(1)", "argpartition": "V[V.argpartition(2)[2]]", "argsort": "A.argsort()", "astype": "A.astype('int32')", "choose": "K.choose([V, W, R])", "clip": "A.clip(-1, 1)", "compress": "V.compress(Q)", "conj": "A.conj()", "conjugate": "A.conjugate()", "copy": "A.copy()", "cumprod": "A.cumprod()", "cumsum": "A.cumsum(0)", "data": "len(A.data)", "diagonal": "S.diagonal()", "dot": "A.dot(B.T)", "dtype": "A.dtype", "fill": "done(lambda a: a.fill(3), A.copy())", "flags": "A.flags.c_contiguous; A.T.flags.f_contiguous; A.flags['C_CONTIGUOUS']; A.flags.writeable", "flat": "A.flat[3]; list(A.flat)[2]", "flatten": "A.flatten()", "imag": "A.imag", "item": "A.item(3)", "itemsize": "A.itemsize", "mT": "X.mT", "max": "A.max()", "mean": "A.mean(0)", "min": "A.min()", "nbytes": "A.nbytes", "ndim": "A.ndim", "nonzero": "M.nonzero()", "partition": "done(lambda a: a.partition(2), V.copy())[2]", "prod": "A.prod()", "put": "done(lambda a: a.put([0, 1], 5.0), A.copy())", "ravel": "A.ravel()", "real": "A.real", "repeat": "A.repeat(2)", "reshape": "A.reshape(4, 3)", "resize": "done(lambda a: a.resize((2, 2)), V.copy()); done(lambda a: a.resize(7), V.copy())", "round": "A.round(1)", "searchsorted": "R.searchsorted(V)", "shape": "A.shape", "size": "A.size", "sort": "done(lambda a: a.sort(), A.copy())", "squeeze": "A[None].squeeze()", "std": "A.std()", "strides": "A.strides", "sum": "A.sum()", "swapaxes": "X.swapaxes(0, 1)", "T": "A.T", "take": "A.take([0, 1])", "tobytes": "A.tobytes(); A.T.tobytes(); A.tobytes('F')", "tofile": "raw(lambda f: None, A, by=lambda a, f: a.tofile(f)) or 0", "tolist": "A.tolist()", "trace": "S.trace()", "transpose": "X.transpose(2, 0, 1)", "var": "A.var()", "view": "A.view('int64'); A.astype('float32').view('int32')", "base": "A[1:].base is not None", "byteswap": "A.byteswap()", "to_device": "A.to_device('cpu')", "device": "str(A.device)[:3]", "ctypes": "len(A.ctypes.shape)", "dump": "None", "dumps": "None", "getfield": "None", "setfield": "None", "setflags": "None",
}  # fmt: skip
NO_METHODS = ("dump", "dumps", "getfield", "setfield", "setflags")
"""Attributes of NumPy's arrays that ours do not have."""

DRAWS = {
    "beta": "(2.0, 3.0)", "binomial": "(9, 0.3)", "chisquare": "(3.0,)", "choice": "(9,)", "dirichlet": "([1.0, 2.0],)", "exponential": "(2.0,)", "f": "(3.0, 9.0)", "gamma": "(2.0, 3.0)", "geometric": "(0.3,)", "gumbel": "(1.0, 2.0)", "hypergeometric": "(9, 5, 7)", "integers": "(3, 9)", "laplace": "(1.0, 2.0)", "logistic": "(1.0, 2.0)", "lognormal": "(0.5, 0.4)", "logseries": "(0.6,)", "multinomial": "(7, [0.2, 0.8])", "multivariate_hypergeometric": "([4, 5], 3)", "multivariate_normal": "([0.0, 1.0], [[2.0, 0.3], [0.3, 1.0]])", "negative_binomial": "(5, 0.4)", "noncentral_chisquare": "(3.0, 2.0)", "noncentral_f": "(3.0, 9.0, 1.0)", "normal": "(1.0, 2.0)", "pareto": "(5.0,)", "poisson": "(4.0,)", "power": "(3.0,)", "random": "()", "rayleigh": "(2.0,)", "standard_cauchy": "()", "standard_exponential": "()", "standard_gamma": "(2.0,)", "standard_normal": "()", "standard_t": "(9.0,)", "triangular": "(-1.0, 0.5, 2.0)", "uniform": "(-1.0, 2.0)", "vonmises": "(0.5, 2.0)", "wald": "(2.0, 3.0)", "weibull": "(2.0,)", "zipf": "(4.0,)",
}  # fmt: skip
"""Distributions of a `Generator` with parameters."""
OTHERS = {"bytes": "len(g.bytes(5))", "permutation": "sorted(g.permutation(5).tolist())", "permuted": "sorted(g.permuted(R).tolist())", "shuffle": "sorted(done(g.shuffle, R.copy()).tolist())", "spawn": "len(g.spawn(3))", "bit_generator": "g.bit_generator.state is not None"}  # fmt: skip


def done(function, x, *args, **kwargs):
    """An array after a function has written it."""
    function(x, *args, **kwargs)
    return x


def stored(save, load, x):
    """What comes back of a file."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "x.npz" if "savez" in save.__name__ else "x.npy")
        save(file, x)
        return load(file)


def raw(load, x, by=None):
    """What comes back of the bytes of an array."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "x")
        if by is not None:
            by(x, file)
            return os.path.getsize(file)
        x.tofile(file)
        return load(file)


def run(text, module, **more):
    """What a call gives."""
    make = (lambda x: x.copy()) if module is numpy else (lambda x: module.array(x, dtype=x.dtype))
    names = {"np": module, "done": done, "stored": stored, "raw": raw, **{name: make(x) for name, x in DATA.items()}}
    with numpy.errstate(all="ignore"):
        return eval(text, names | more)


def plain(x):
    """Nested results with NumPy's arrays."""
    if isinstance(x, (list, tuple)):
        return [plain(part) for part in x]
    return (
        x.asnumpy()
        if hasattr(x, "asnumpy")
        else numpy.asarray(x)
        if isinstance(x, (numpy.ndarray, numpy.generic))
        else x
    )


def differ(found, wanted, loose=1e-5):
    """Tell how two results differ; None where they do not."""
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return f"{found!r:.60} for {wanted!r:.60}"
        return next((d for d in map(differ, found, wanted) if d is not None), None)
    if not isinstance(wanted, (numpy.ndarray, float, int, bool)) or isinstance(wanted, type):
        return None if found == wanted else f"{found!r:.60} for {wanted!r:.60}"
    f, w = numpy.asarray(found), numpy.asarray(wanted)
    if f.shape != w.shape:
        return f"shape {f.shape} for {w.shape}"
    if (
        f.dtype.kind != w.dtype.kind
        and not (f.dtype.kind == "f" and w.dtype.kind in "iu")
        and {f.dtype.kind, w.dtype.kind} != set("iu")
    ):
        return f"dtype {f.dtype} for {w.dtype}"
    if w.dtype.kind in "OSU":
        return None if (f == w).all() else f"{f} for {w}"
    if not numpy.allclose(f, w, loose, loose, equal_nan=True):
        return f"{f.ravel()[:4]} for {w.ravel()[:4]}"
    return None


def failures(calls, **more):
    """Names whose calls do not give what NumPy's give, with the reason."""
    found = {}
    for name, texts in calls.items():
        for text in texts.split(";"):
            wanted = plain(run(text.strip(), numpy))
            try:
                reason = differ(plain(run(text.strip(), hybridize.np)), wanted)
            except Exception as error:
                reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
            if reason is not None:
                found[name] = f"{text.strip()}: {reason}"
    return found


def functions(module):
    """NumPy's public functions in a namespace."""
    return [
        name
        for name in module.__all__
        if callable(getattr(module, name)) and not isinstance(getattr(module, name), type)
    ]


def attributes():
    """The public attributes of NumPy's arrays."""
    return [name for name in dir(numpy.ndarray) if not name.startswith("__")]


def draws_that_fail():
    """Methods of a generator that are not there, or whose numbers have another mean or deviation than NumPy's."""
    import numpy.random

    ours, theirs, found = hybridize.np.random.default_rng(3), numpy.random.default_rng(3), {}
    for name, parameters in DRAWS.items():
        wanted = numpy.asarray(eval(f"g.{name}(*{parameters}, size=4000)", {"g": theirs}), "f8")
        try:
            x = eval(f"g.{name}(*{parameters}, size=4000)", {"g": ours}).asnumpy().astype("f8")
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
            continue
        discrete = bool((wanted == wanted.round()).all())
        for what in (
            (numpy.mean,) if discrete else (numpy.median,) if name == "standard_cauchy" else (numpy.median, numpy.mean)
        ):
            if x.shape != wanted.shape or abs(what(x) - what(wanted)) > 6 * wanted.std() / 4000**0.5 * 2 + 1e-9:
                found[name] = f"{what.__name__} {what(x)} for {what(wanted)}"
    for name, text in OTHERS.items():
        try:
            results = [
                eval(text, {"g": g, "done": done, "R": R})
                for g, R in ((ours, hybridize.np.array(DATA["R"])), (theirs, DATA["R"]))
            ]
            if results[0] != results[1]:
                found[name] = f"{results[0]} for {results[1]}"
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


def census():
    """Counts by part: (names there and equal, names of NumPy, those that are missing or differ with a reason)."""
    np = hybridize.np
    main, linalg, fft = functions(numpy), functions(numpy.linalg), functions(numpy.fft)
    legacy = [name for name in numpy.random.__all__ if name[0].islower()]
    generator = [name for name in dir(numpy.random.Generator) if not name.startswith("_")]
    wrong = failures({name: CALLS[name] for name in main if name in CALLS and hasattr(np, name)})
    of_linalg = failures({name: LINALG[name] for name in linalg if hasattr(np.linalg, name)})
    of_fft = failures({name: FFT[name] for name in fft if hasattr(np.fft, name)})
    methods = [name for name in attributes() if hasattr(np.ndarray, name)]
    of_methods = failures({name: METHODS[name] for name in methods if name not in NO_METHODS})
    of_draws = draws_that_fail()
    parts = {
        "main namespace": (main, [n for n in main if hasattr(np, n) and n in CALLS], wrong),
        "numpy.linalg": (linalg, [n for n in linalg if hasattr(np.linalg, n)], of_linalg),
        "numpy.fft": (fft, [n for n in fft if hasattr(np.fft, n)], of_fft),
        "numpy.random": (legacy, [n for n in legacy if hasattr(np.random, n)], {}),
        "random.Generator": (generator, [n for n in generator if n in DRAWS or n in OTHERS], of_draws),
        "ndarray": (attributes(), methods, of_methods),
    }  # fmt: skip
    return {
        part: (len([n for n in there if n not in bad]), len(names), {n: bad.get(n, "missing") for n in names if n not in there or n in bad})
        for part, (names, there, bad) in parts.items()
    }  # fmt: skip


def main(out: io.TextIOBase = sys.stdout) -> None:
    """Print the table."""
    out.write(f"| NumPy {numpy.__version__} | there and equal | of |\n| --- | --- | --- |\n")
    found = census()
    for part, (good, names, _) in found.items():
        out.write(f"| {part} | {good} | {names} |\n")
    for part, (_, _, missing) in found.items():
        for name, reason in missing.items():
            out.write(f"{part}: {name}: {reason}\n")


if __name__ == "__main__":
    main()
