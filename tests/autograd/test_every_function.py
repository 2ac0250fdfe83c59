# SPDX-License-Identifier: Apache-2.0
"""Every public function that has a gradient: PyTorch's, of the first and second order, and central differences.

Imperatively, within a compiled function, and within a compiled step. Each name stands once: in a table with what
PyTorch calls it, or the reason why it has no counterpart; or in `CONSTANT`, with the reason why it has no gradient.
"""

import inspect

import numpy
import pytest
import torch
import torch.nn.functional as F

from hybridize import autograd, hybridize, nd, np, npx
from hybridize.array import legacy, legacy_updates, ndarray, wrap
from hybridize.errors import HybridizeError
from tests.folding import folded, initial

I = numpy.array  # noqa: E741 - indices, which are constants
X = numpy.random.default_rng(3).uniform(0.5, 1.6, (3, 3))


def same(names, of=torch, before=lambda x: x):
    """Functions of one array that have one name here and there, of `before(x)`."""

    def pair(name):
        ours, theirs = getattr(np if hasattr(np, name) else npx, name), getattr(of, name)
        return lambda x: ours(before(x)), lambda x: theirs(before(x))

    return {name: pair(name) for name in names.split()}


def long(*values):
    return torch.tensor(values)


NP = {
    **same("abs absolute acosh arccosh", before=lambda x: x + 1), **same("acos arccos asin arcsin atanh arctanh", before=lambda x: x / 3),
    **same("arcsinh asinh arctan atan ceil cos cosh deg2rad exp exp2 expm1 fix floor log log10 log1p log2 negative positive rad2deg reciprocal "
           "round sign sin sinc sinh sqrt square tan tanh trunc", before=lambda x: x * 1.3 - 0.1),
    **same("atleast_1d atleast_2d atleast_3d diff fliplr flipud prod ravel rot90 squeeze sum trace tril triu diag diagflat"), **same("amax amin"), "max": (np.max, torch.amax), "min": (np.min, torch.amin),
    "fabs": (np.fabs, torch.abs), "cbrt": (np.cbrt, lambda x: x ** (1 / 3)), "degrees": (np.degrees, torch.rad2deg), "radians": (np.radians, torch.deg2rad),
    "around": (np.around, torch.round), "round_": (np.round_, torch.round), "rint": (np.rint, torch.round), "copy": (np.copy, torch.clone), "array": (np.array, torch.clone),
    "asarray": (np.asarray, lambda x: x * 1), "ascontiguousarray": (np.ascontiguousarray, torch.clone), "astype": (lambda x: np.astype(x * x, "float64"), lambda x: x * x),
    "mean": (np.mean, torch.mean), "median": (lambda x: np.median(x, 1), lambda x: torch.median(x, 1)[0]), "cumsum": (lambda x: np.cumsum(x, 1), lambda x: torch.cumsum(x, 1)),
    "cumprod": (lambda x: np.cumprod(x, 0), lambda x: torch.cumprod(x, 0)), "std": (lambda x: np.std(x, 0), lambda x: torch.std(x, 0, correction=0)),
    "var": (lambda x: np.var(x, 1, ddof=1), lambda x: torch.var(x, 1)), "ptp": (lambda x: np.ptp(x, 1), lambda x: x.amax(1) - x.amin(1)),
    "average": (lambda x: np.average(x, 0, x[:, 0]), lambda x: (x * x[:, :1]).sum(0) / x[:, 0].sum()), "trapezoid": (np.trapezoid, torch.trapezoid),
    "nanmax": (np.nanmax, torch.amax), "nanmin": (np.nanmin, torch.amin), "nanmean": (lambda x: np.nanmean(x, 0), lambda x: torch.nanmean(x, 0)), "nansum": (np.nansum, torch.nansum),
    "nanprod": (np.nanprod, torch.prod), "nanmedian": (lambda x: np.nanmedian(x, 0), lambda x: torch.nanmedian(x, 0)[0]),
    "nanstd": (lambda x: np.nanstd(x, 1), lambda x: torch.std(x, 1, correction=0)), "nanvar": (lambda x: np.nanvar(x, 1, ddof=1), lambda x: torch.var(x, 1)),
    "nan_to_num": (np.nan_to_num, torch.nan_to_num), "ediff1d": (np.ediff1d, lambda x: torch.diff(x.ravel())), "sort": (lambda x: np.sort(x, 0), lambda x: torch.sort(x, 0)[0]),
    "quantile": (lambda x: np.quantile(x, 0.3, 1), lambda x: torch.quantile(x, 0.3, 1)), "percentile": (lambda x: np.percentile(x, 30), lambda x: torch.quantile(x, 0.3)),
    "add": (lambda x: np.add(x, x[0] + 2), lambda x: x + x[0] + 2), "subtract": (lambda x: np.subtract(2, x) - x[:, :1], lambda x: 2 - x - x[:, :1]),
    "multiply": (lambda x: np.multiply(x, x[1] * 3), lambda x: x * x[1] * 3), "divide": (lambda x: np.divide(x, x[0]) + 1 / x, lambda x: x / x[0] + 1 / x),
    "true_divide": (lambda x: np.true_divide(x[:, :1], x), lambda x: x[:, :1] / x), "floor_divide": (lambda x: x + np.floor_divide(x, 0.4), lambda x: x + (x / 0.4).detach().floor()),
    "mod": (lambda x: np.mod(x, x[0] / 2 + 0.01), lambda x: torch.remainder(x, x[0] / 2 + 0.01)), "remainder": (lambda x: np.remainder(-x, 0.7), lambda x: torch.remainder(-x, 0.7)),
    "fmod": (lambda x: np.fmod(-x, x[0] / 2 + 0.01), lambda x: torch.fmod(-x, x[0] / 2 + 0.01)), "divmod": (lambda x: np.divmod(x, 0.7)[1], lambda x: torch.remainder(x, 0.7)),
    "power": (lambda x: np.power(x, x[0]) + x**3 + 2**x, lambda x: x ** x[0] + x**3 + 2**x), "pow": (lambda x: np.pow(x, 0.5), torch.sqrt),
    "maximum": (lambda x: np.maximum(x, x[:, ::-1]), lambda x: torch.maximum(x, x.flip(1))), "minimum": (lambda x: np.minimum(x, 1.1), lambda x: x.clamp(max=1.1)),
    "fmax": (lambda x: np.fmax(x, 1.0), lambda x: torch.fmax(x, torch.ones_like(x))), "fmin": (lambda x: np.fmin(x, x[::-1]), lambda x: torch.fmin(x, x.flip(0))),
    "hypot": (lambda x: np.hypot(x, x[0] * 2), lambda x: torch.hypot(x, x[0] * 2)), "arctan2": (lambda x: np.arctan2(x, x[0] - 1), lambda x: torch.atan2(x, x[0] - 1)),
    "atan2": (lambda x: np.atan2(x[0], x), lambda x: torch.atan2(x[0], x)), "copysign": (lambda x: np.copysign(x, x[0] - 1), lambda x: torch.copysign(x, x[0] - 1)),
    "logaddexp": (lambda x: np.logaddexp(x, x[:1]), lambda x: torch.logaddexp(x, x[:1])), "ldexp": (lambda x: np.ldexp(x * x, 2), lambda x: x * x * 4),
    "heaviside": (lambda x: x * np.heaviside(x - 1, 0.5), lambda x: x * (x > 1)), "clip": (lambda x: np.clip(x, 0.6, 1.4), lambda x: torch.clamp(x, 0.6, 1.4)),
    "where": (lambda x: np.where(x > 1, x, x * x), lambda x: torch.where(x > 1, x, x * x)),
    "matmul": (lambda x: np.matmul(x, x.T), lambda x: x @ x.T), "dot": (lambda x: np.dot(x, x[0]), lambda x: x @ x[0]), "vecdot": (lambda x: np.vecdot(x, x[0] * 2), lambda x: torch.linalg.vecdot(x, x[0] * 2)),
    "inner": (lambda x: np.inner(x, x), lambda x: torch.inner(x, x)), "outer": (lambda x: np.outer(x, x[0]), lambda x: torch.outer(x.ravel(), x[0])), "vdot": (lambda x: np.vdot(x, x), lambda x: (x * x).sum()),
    "tensordot": (lambda x: np.tensordot(x, x, 1), lambda x: torch.tensordot(x, x, 1)), "einsum": (lambda x: np.einsum("ij,kj,i->ik", x, x, x[0]), lambda x: torch.einsum("ij,kj,i->ik", x, x, x[0])),
    "kron": (lambda x: np.kron(x, x[0]), lambda x: torch.kron(x, x[0])), "cross": (lambda x: np.cross(x, x[::-1]), lambda x: torch.linalg.cross(x, x.flip(0))),
    "concatenate": (lambda x: np.concatenate([x, x * 2], 1), lambda x: torch.cat([x, x * 2], 1)), "concat": (lambda x: np.concat([x, x[:1]]), lambda x: torch.cat([x, x[:1]])),
    "stack": (lambda x: np.stack([x, x * x], 1), lambda x: torch.stack([x, x * x], 1)), "vstack": (lambda x: np.vstack([x, x[0]]), lambda x: torch.vstack([x, x[0]])),
    "row_stack": (lambda x: np.row_stack([x, x[0]]), lambda x: torch.vstack([x, x[0]])), "hstack": (lambda x: np.hstack([x, x]), lambda x: torch.hstack([x, x])),
    "dstack": (lambda x: np.dstack([x, x]), lambda x: torch.dstack([x, x])), "column_stack": (lambda x: np.column_stack([x, x[:, 0]]), lambda x: torch.column_stack([x, x[:, 0]])),
    "append": (lambda x: np.append(x, x[0]), lambda x: torch.cat([x.ravel(), x[0]])), "split": (lambda x: np.split(x, [1, 2], 1)[2], lambda x: x[:, 2:]), "array_split": (lambda x: np.array_split(x, 2)[0], lambda x: x[:2]),
    "hsplit": (lambda x: np.hsplit(x, 3)[1], lambda x: x[:, 1:2]), "vsplit": (lambda x: np.vsplit(x, 3)[1], lambda x: x[1:2]), "dsplit": (lambda x: np.dsplit(x[None], 3)[2], lambda x: x[None, :, 2:]),
    "broadcast_to": (lambda x: np.broadcast_to(x, (2, 3, 3)), lambda x: x.expand(2, 3, 3)), "broadcast_arrays": (lambda x: np.broadcast_arrays(x, x[:1])[1], lambda x: x[:1].expand(3, 3)),
    "expand_dims": (lambda x: np.expand_dims(x, 1), lambda x: x[:, None]), "swapaxes": (lambda x: np.swapaxes(x, 0, 1), lambda x: x.T), "transpose": (np.transpose, lambda x: x.T), "matrix_transpose": (np.matrix_transpose, lambda x: x.mT),
    "permute_dims": (lambda x: np.permute_dims(x, (1, 0)), lambda x: x.permute(1, 0)), "moveaxis": (lambda x: np.moveaxis(x, 0, 1), lambda x: x.moveaxis(0, 1)), "rollaxis": (lambda x: np.rollaxis(x, 1), lambda x: x.T),
    "roll": (lambda x: np.roll(x, 2), lambda x: torch.roll(x, 2)), "flip": (lambda x: np.flip(x, 0), lambda x: x.flip(0)), "repeat": (lambda x: np.repeat(x, 2, 1), lambda x: x.repeat_interleave(2, 1)),
    "tile": (lambda x: np.tile(x, (2, 2)), lambda x: torch.tile(x, (2, 2))), "pad": (lambda x: np.pad(x, ((1, 2), (0, 1))), lambda x: F.pad(x, (0, 1, 1, 2))),
    "resize": (lambda x: np.resize(x, (4, 4)), lambda x: torch.cat([x.ravel(), x.ravel()[:7]]).reshape(4, 4)), "reshape": (lambda x: np.reshape(x, (9,), order="F"), lambda x: x.T.reshape(9)),
    "diagonal": (lambda x: np.diagonal(x, 1), lambda x: torch.diagonal(x, 1)), "delete": (lambda x: np.delete(x, 1, 0), lambda x: x[[0, 2]]), "insert": (lambda x: np.insert(x, 1, x[0], 0), lambda x: x[[0, 0, 1, 2]]),
    "take": (lambda x: np.take(x, I([0, 2, 2]), 1), lambda x: x[:, [0, 2, 2]]), "take_along_axis": (lambda x: np.take_along_axis(x, I([[0, 0], [2, -1], [1, 2]]), 1), lambda x: torch.gather(x, 1, torch.tensor([[0, 0], [2, 2], [1, 2]]))),
    "interp": (lambda x: np.interp(x, x[0] * 0 + I([0.0, 1.0, 2.0]), np.cumsum(x[1])), lambda x: _interpolated(x, torch.cumsum(x[1], 0))), "meshgrid": (lambda x: np.meshgrid(x[0], x[1])[0], lambda x: x[0].expand(3, 3)),
    "full": (lambda x: np.full((2, 3), x[0]), lambda x: x[0].expand(2, 3)), "full_like": (lambda x: np.full_like(x, x[0, 1]), lambda x: x[0, 1].expand(3, 3)), "fill_diagonal": (lambda x: _filled(x), lambda x: x * 2 * (1 - torch.eye(3)) + torch.eye(3) * x[0, 0]),
    "polyval": (lambda x: np.polyval(x[0], x), lambda x: (x[0, 0] * x + x[0, 1]) * x + x[0, 2]), "vander": (lambda x: np.vander(x[0], 4), lambda x: torch.flip(torch.linalg.vander(x[0], N=4), (1,))), "unwrap": (lambda x: np.unwrap(x * 5), lambda x: _unwrapped(x * 5)),
    "linspace": (lambda x: np.linspace(x[0], x[1], 4), lambda x: x[0] + (x[1] - x[0]) * torch.linspace(0, 1, 4, dtype=x.dtype)[:, None]), "logspace": (lambda x: np.logspace(x[0], x[1], 4), lambda x: 10 ** (x[0] + (x[1] - x[0]) * torch.linspace(0, 1, 4, dtype=x.dtype)[:, None])),
    "unique": (np.unique, lambda x: torch.sort(x.ravel())[0]), "union1d": (lambda x: np.union1d(x, x + 2), lambda x: torch.cat([torch.sort(x.ravel())[0], torch.sort(x.ravel())[0] + 2])),
    "intersect1d": (lambda x: np.intersect1d(x[:2], x), lambda x: torch.sort(x[:2].ravel())[0]), "setdiff1d": (lambda x: np.setdiff1d(x, x[:1]), lambda x: torch.sort(x[1:].ravel())[0]),
    "bincount": (lambda x: np.bincount(I([0, 2, 2]), x[0]), lambda x: torch.stack([x[0, 0], 0 * x[0, 0], x[0, 1] + x[0, 2]])),
    # of slopes, sums and statistics
    "angle": (lambda x: x * np.angle(x), lambda x: x * 0), "apply_along_axis": (lambda x: np.apply_along_axis(lambda v: v * v.sum(), 1, x), lambda x: x * x.sum(1, keepdim=True)), "apply_over_axes": (lambda x: np.apply_over_axes(np.sum, x, (0, 1)), lambda x: x.sum().reshape(1, 1)),
    "asanyarray": (np.asanyarray, lambda x: x * 1), "asarray_chkfinite": (lambda x: np.asarray_chkfinite(x) * x, lambda x: x * x), "asfortranarray": (np.asfortranarray, torch.clone), "require": (lambda x: np.require(x, requirements="F"), torch.clone),
    "block": (lambda x: np.block([[x, x * 2], [x * x, x]]), lambda x: torch.cat([torch.cat([x, x * 2], 1), torch.cat([x * x, x], 1)])), "choose": (lambda x: np.choose(I([0, 1, 0]), [x, x * x]), lambda x: torch.stack([x[:, 0], x[:, 1] ** 2, x[:, 2]], 1)), "compress": (lambda x: np.compress([True, False, True], x, 0), lambda x: x[[0, 2]]),
    "conj": (np.conj, torch.clone), "conjugate": (np.conjugate, torch.clone), "real": (np.real, torch.clone), "real_if_close": (np.real_if_close, torch.clone), "convolve": (lambda x: np.convolve(x.ravel(), x[0]), lambda x: _slid(x.ravel(), x[0].flip(0))), "correlate": (lambda x: np.correlate(x.ravel(), x[0], "full"), lambda x: _slid(x.ravel(), x[0])),
    "copyto": (lambda x: _after(np.copyto, x, x[0] * x[1]), lambda x: (x[0] * x[1]).expand(3, 3)), "corrcoef": (lambda x: np.corrcoef(x[:2]), lambda x: torch.corrcoef(x[:2])), "cov": (np.cov, torch.cov), "cumulative_sum": (lambda x: np.cumulative_sum(x, axis=0), lambda x: x.cumsum(0)), "cumulative_prod": (lambda x: np.cumulative_prod(x, axis=1), lambda x: x.cumprod(1)),
    "extract": (lambda x: np.extract(X > 1, x), lambda x: x[torch.tensor(X > 1)]), "float_power": (lambda x: np.float_power(x, x[0]), lambda x: x ** x[0]), "frexp": (lambda x: np.frexp(x)[0], lambda x: torch.frexp(x)[0]), "geomspace": (lambda x: np.geomspace(x[0], x[1] + 1, 4), lambda x: torch.exp(torch.log(x[0]) + (torch.log(x[1] + 1) - torch.log(x[0])) * torch.linspace(0, 1, 4, dtype=x.dtype)[:, None])),
    "gradient": (lambda x: np.gradient(x, 2.0, axis=1, edge_order=2), lambda x: torch.gradient(x, spacing=2.0, dim=1, edge_order=2)[0]), "i0": (lambda x: np.i0(x * 6), lambda x: torch.i0(x * 6)), "logaddexp2": (lambda x: np.logaddexp2(x, x[:1]), lambda x: torch.logaddexp2(x, x[:1])), "matvec": (lambda x: np.matvec(x, x[0]), lambda x: x @ x[0]), "vecmat": (lambda x: np.vecmat(x[0], x), lambda x: x[0] @ x),
    "modf": (lambda x: x * np.modf(x)[0], lambda x: x * torch.frac(x)), "nancumsum": (lambda x: np.nancumsum(x, 0), lambda x: x.cumsum(0)), "nancumprod": (lambda x: np.nancumprod(x, 0), lambda x: x.cumprod(0)), "nanquantile": (lambda x: np.nanquantile(x, 0.3, 1), lambda x: torch.nanquantile(x, 0.3, 1)), "nanpercentile": (lambda x: np.nanpercentile(x, 30), lambda x: torch.nanquantile(x, 0.3)),
    "partition": (lambda x: np.partition(x, 1), lambda x: x.sort(1)[0]), "piecewise": (lambda x: np.piecewise(x, [X > 1], [lambda v: v * v, lambda v: 2 * v]), lambda x: torch.where(x > 1, x * x, 2 * x)), "place": (lambda x: _after(np.place, x, X > 1, x[0]), lambda x: _placed(x)), "put": (lambda x: _after(np.put, x, [0, 4], x[2, :2] * x[2, :2]), lambda x: torch.cat([x[2, :1] ** 2, x.ravel()[1:4] * 2, x[2, 1:2] ** 2, x.ravel()[5:] * 2]).reshape(3, 3)),
    "put_along_axis": (lambda x: _after(np.put_along_axis, x, I([[1], [0], [2]]), x[:, :1] * x[:, :1], 1), lambda x: (x * 2).scatter(1, torch.tensor([[1], [0], [2]]), x[:, :1] ** 2)), "putmask": (lambda x: _after(np.putmask, x, X > 1, x * x), lambda x: torch.where(x > 1, x * x, x * 2)), "select": (lambda x: np.select([np.array(X > 1)], [x * x], 0.0), lambda x: torch.where(x > 1, x * x, 0 * x)),
    "poly": (lambda x: np.poly(x[0]), lambda x: torch.stack([x[0, 0] * 0 + 1, -x[0].sum(), x[0, 0] * x[0, 1] + x[0, 0] * x[0, 2] + x[0, 1] * x[0, 2], -x[0].prod()])), "polyadd": (lambda x: np.polyadd(x[0], x[1, :2]), lambda x: x[0] + torch.cat([x[1, :1] * 0, x[1, :2]])), "polysub": (lambda x: np.polysub(x[0], x[1]), lambda x: x[0] - x[1]), "polymul": (lambda x: np.polymul(x[0], x[1]), lambda x: _slid(x[0], x[1].flip(0))),
    "polyder": (lambda x: np.polyder(x[0] * x[0]), lambda x: x[0, :2] ** 2 * torch.tensor([2.0, 1.0])), "polyint": (lambda x: np.polyint(x[0] * x[0]), lambda x: torch.cat([x[0] ** 2 / torch.tensor([3.0, 2.0, 1.0]), x[0, :1] * 0])), "polyfit": (lambda x: np.polyfit(x[0], x[1] * x[2], 1), lambda x: torch.linalg.lstsq(torch.stack([x[0], x[0] * 0 + 1], 1), (x[1] * x[2])[:, None])[0][:, 0]),
    "spacing": (lambda x: x * np.spacing(x.detach()), lambda x: x * torch.tensor(numpy.spacing(X))), "unstack": (lambda x: np.unstack(x, axis=1)[1], lambda x: x[:, 1]),
}  # fmt: skip


def _slid(x, taps):
    """The sums of products with every part, zeros around."""
    return F.conv1d(x[None, None], taps[None, None], padding=len(taps) - 1)[0, 0]


def _after(function, x, *args):
    """`x * 2` after a function has written it."""
    y = x * 2
    function(y, *args)
    return y


def _placed(x):
    mask = torch.tensor(X > 1)
    y = (x * 2).clone()
    y[mask] = x[0][torch.arange(int(mask.sum())) % 3]
    return y


def _filled(x):
    y = x * 2
    np.fill_diagonal(y, x[0, 0])
    return y


def _interpolated(x, values):
    low = x.detach().floor().clamp(0, 1).long()
    return values[low] + (x - low) * (values[low + 1] - values[low])


def _recurrent(x, packed):
    parameters = [packed[:3].reshape(1, 3), packed[3:4].reshape(1, 1), packed[4:5], packed[5:6]]
    return torch._VF.rnn_tanh(x, torch.zeros(1, 1, 1, dtype=x.dtype), parameters, True, 1, 0.0, False, False, False)[0]


def _unwrapped(x):
    turns = torch.tensor(numpy.unwrap(x.detach().numpy())) - x.detach()
    return x + turns


CREATION = "makes a new array of no array's elements"
INTEGERS = "its result is of integers"
BOOLS = "its result is of bools"
NO_ARRAY = "its result is no array"
OF_DATA = "NumPy computes it; what it gives besides counts depends on two elements only"
REASONS = (CREATION, INTEGERS, BOOLS, NO_ARRAY, OF_DATA)
CONSTANT = {
    CREATION: "arange bartlett blackman diag_indices fromiter fromfunction frombuffer fromfile fromstring imag kaiser load loadtxt empty empty_like eye from_dlpack genfromtxt hamming hanning identity indices ones ones_like tri tril_indices triu_indices zeros zeros_like",
    INTEGERS: "argpartition bitwise_count diag_indices_from ix_ lexsort mask_indices nanargmax nanargmin nextafter packbits tril_indices_from triu_indices_from unpackbits argmax argmin argsort argwhere bitwise_and bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor count_nonzero digitize "
    "flatnonzero gcd invert lcm left_shift nonzero ravel_multi_index right_shift searchsorted unravel_index",
    BOOLS: "all allclose any array_equal array_equiv iscomplex isreal equal greater greater_equal isclose isfinite isin isinf isnan isneginf isposinf less less_equal logical_and logical_not logical_or logical_xor not_equal signbit",
    NO_ARRAY: "array2string array_repr array_str base_repr binary_repr broadcast_shapes common_type einsum_path format_float_positional format_float_scientific frompyfunc get_printoptions geterr geterrcall printoptions "
    "iscomplexobj isdtype isfortran isrealobj isscalar issubdtype iterable may_share_memory min_scalar_type mintypecode save savetxt savez savez_compressed seterr seterrcall shares_memory typename can_cast ndim promote_types result_type set_printoptions shape size",
    OF_DATA: "histogram histogram2d histogramdd histogram_bin_edges polydiv roots setxor1d sort_complex trim_zeros unique_all unique_counts unique_inverse unique_values",
}  # fmt: skip

NPX = {
    **same("relu sigmoid silu mish softsign", F, lambda x: x - 1), "log_sigmoid": (lambda x: npx.log_sigmoid(x - 1), lambda x: F.logsigmoid(x - 1)), "softrelu": (lambda x: npx.softrelu(x - 1), lambda x: F.softplus(x - 1)),
    "hard_sigmoid": (lambda x: npx.hard_sigmoid(x * 2 - 1), lambda x: torch.clamp((x * 2 - 1) * 0.2 + 0.5, 0, 1)), "gelu": (lambda x: npx.gelu(x - 1), lambda x: F.gelu(x - 1)),
    "activation": (lambda x: npx.activation(x, "tanh"), torch.tanh), "leaky_relu": (lambda x: npx.leaky_relu(x - 1, x[0, :1], act_type="prelu"), lambda x: F.prelu(x - 1, x[0, :1])),
    "erf": (npx.erf, torch.erf), "erfcx": (npx.erfcx, torch.special.erfcx), "log_ndtr": (npx.log_ndtr, torch.special.log_ndtr), "erfinv": (lambda x: npx.erfinv(x / 3), lambda x: torch.erfinv(x / 3)), "gamma": (npx.gamma, lambda x: torch.exp(torch.lgamma(x))), "gammaln": (npx.gammaln, torch.lgamma), "digamma": (lambda x: npx.digamma(x + 1), lambda x: torch.digamma(x + 1)), "constraint_check": (lambda x: x * npx.constraint_check(x > -9), lambda x: x * 1), "rsqrt": (npx.rsqrt, torch.rsqrt),
    "softmax": (lambda x: npx.softmax(x, 0, temperature=2.0), lambda x: F.softmax(x / 2, 0)), "log_softmax": (npx.log_softmax, lambda x: F.log_softmax(x, -1)), "softmin": (npx.softmin, lambda x: F.softmin(x, -1)),
    "masked_softmax": (lambda x: npx.masked_softmax(x, I([[1, 1, 0], [1, 0, 1], [1, 1, 1]])), lambda x: F.softmax(x.masked_fill(torch.tensor([[0, 0, 1], [0, 1, 0], [0, 0, 0]]).bool(), -1e30), -1)),
    "masked_log_softmax": (lambda x: npx.masked_log_softmax(x, I([[1, 1, 0], [1, 0, 1], [1, 1, 1]]))[2], lambda x: F.log_softmax(x, -1)[2]), "logsumexp": (lambda x: npx.logsumexp(x, 1), lambda x: torch.logsumexp(x, 1)),
    "layer_norm": (lambda x: npx.layer_norm(x, x[0], x[1]), lambda x: F.layer_norm(x, (3,), x[0], x[1])), "group_norm": (lambda x: npx.group_norm(x[None], x[0], x[1], 3), lambda x: F.group_norm(x[None], 3, x[0], x[1], 1e-3)),
    "instance_norm": (lambda x: npx.instance_norm(x[None], x[0], x[1], 1e-5), lambda x: F.instance_norm(x[None], weight=x[0], bias=x[1])), "rms_norm": (lambda x: npx.rms_norm(x, x[0]), lambda x: F.rms_norm(x, (3,), x[0], 1e-5)),
    "rnn": (lambda x: npx.rnn(x[:, None], x.reshape(-1)[:6], mode="rnn_tanh", state_size=1, num_layers=1), lambda x: _recurrent(x[:, None], x.reshape(-1)[:6])),
    "pooling": (lambda x: npx.pooling(x[None, None], kernel=2, pool_type="max"), lambda x: F.max_pool2d(x[None, None], 2, 1)),
    "pad": (lambda x: npx.pad(x, "reflect", (0, 0, 2, 1)), lambda x: F.pad(x, (2, 1), mode="reflect")), "upsampling": (lambda x: npx.upsampling(x[None, None], scale=2), lambda x: F.interpolate(x[None, None], scale_factor=2)),
    "l2_normalization": (npx.l2_normalization, lambda x: x / torch.sqrt((x * x).sum(1, keepdim=True) + 1e-10)), "batch_norm": (lambda x: _normed(x), lambda x: F.batch_norm(x, None, None, x[0], x[1], True, eps=1e-3)),
    "fully_connected": (lambda x: npx.fully_connected(x, x.T, x[0]), lambda x: F.linear(x, x.T, x[0])), "embedding": (lambda x: npx.embedding(I([2, 0, 2]), x), lambda x: F.embedding(long(2, 0, 2), x)),
    "convolution": (lambda x: npx.convolution(x[None, None], x[None, None, :2, :2], x[0, :1], pad=1), lambda x: F.conv2d(x[None, None], x[None, None, :2, :2], x[0, :1], padding=1)),
    "deformable_convolution": (lambda x: npx.deformable_convolution(x[None, None], np.zeros((1, 8, 2, 2), dtype=x.dtype), x[None, None, :2, :2], x[0, :1]), lambda x: F.conv2d(x[None, None], x[None, None, :2, :2], x[0, :1])),
    "modulated_deformable_convolution": (lambda x: npx.modulated_deformable_convolution(x[None, None], np.zeros((1, 2, 3, 3), dtype=x.dtype), x[None, None], x[None, None, :1, :1]), lambda x: (x * x * x[0, 0])[None, None]),
    "roi_pooling": (lambda x: npx.roi_pooling(x[None, None], np.array([[0, 0, 0, 1, 2]], dtype=x.dtype), (3, 1), 1.0), lambda x: x[None, None, :, :2].amax(-1, keepdim=True)),
    "deconvolution": (lambda x: npx.deconvolution(x[None], x[:, :2, None], x[0, :2], stride=2, adj=1), lambda x: F.conv_transpose1d(x[None], x[:, :2, None], x[0, :2], 2, 0, 1)),
    "batch_dot": (lambda x: npx.batch_dot(x[None], x[None], transpose_b=True), lambda x: torch.bmm(x[None], x.T[None])), "norm": (lambda x: npx.norm(x, axis=1), lambda x: torch.linalg.norm(x, dim=1)),
    "dropout": (lambda x: npx.dropout(x * x, 0.0), lambda x: x * x), "smooth_l1": (lambda x: npx.smooth_l1(x * 2 - 1), lambda x: F.smooth_l1_loss(x * 2 - 1, torch.zeros_like(x), reduction="none")),
    "pick": (lambda x: npx.pick(x, I([0, 2, 1])), lambda x: x[[0, 1, 2], [0, 2, 1]]), "gather_nd": (lambda x: npx.gather_nd(x, I([[0, 1, 1], [2, 0, 0]])), lambda x: x[[0, 1, 1], [2, 0, 0]]),
    "scatter_nd": (lambda x: npx.scatter_nd(x[0], I([[0, 2, 1]]), (4,)), lambda x: torch.cat([x[0][[0, 2, 1]], torch.zeros(1)])), "index_add": (lambda x: npx.index_add(x, I([[0, 1, 1]]), x * 2), lambda x: x.index_add(0, long(0, 1, 1), x * 2)),
    "index_update": (lambda x: npx.index_update(x, I([[0, 1]]), x[1:] * 3), lambda x: torch.cat([x[1:] * 3, x[2:]])), "topk": (lambda x: npx.topk(x, ret_typ="value", k=2), lambda x: torch.topk(x, 2)[0]),
    "sequence_mask": (lambda x: npx.sequence_mask(x, I([1, 3, 2]), True), lambda x: x * torch.tensor([[1, 1, 1], [0, 1, 1], [0, 1, 0]])), "sequence_last": (lambda x: npx.sequence_last(x[:, :, None], I([1, 3, 2]), True), lambda x: x[[0, 2, 1], [0, 1, 2]][:, None]),
    "sequence_reverse": (lambda x: npx.sequence_reverse(x[:, :, None], I([1, 3, 2]), True), lambda x: torch.stack([x[:, 0], x[:, 1].flip(0), x[[1, 0, 2], 2]], 1)[:, :, None]),
    "cached_attention": (lambda x: npx.cached_attention(x[None, None], 2 * x[None, None], (x * x)[None, None], 3), lambda x: F.scaled_dot_product_attention(x[None, None], 2 * x[None, None], (x * x)[None, None], is_causal=True)),
    "scaled_dot_product_attention": (lambda x: npx.scaled_dot_product_attention(x[None], 2 * x[None], x[None] * x, is_causal=True), lambda x: F.scaled_dot_product_attention(x[None], 2 * x[None], x[None] * x, is_causal=True)),
    "rotary_embedding": (lambda x: npx.rotary_embedding(x, rotary_size=2), lambda x: _rotated(x)), "glu": (lambda x: npx.glu(np.concatenate([x, x * x])[1:5], 0, "silu"), lambda x: torch.cat([x, x * x])[1:3] * F.silu(torch.cat([x, x * x])[3:5])),
    "interleaved_matmul_selfatt_qk": (lambda x: npx.interleaved_matmul_selfatt_qk(x[:, None], 1), lambda x: (x[:, :1] * x[:, 1])[None]), "interleaved_matmul_selfatt_valatt": (lambda x: npx.interleaved_matmul_selfatt_valatt(x[:, None], x[None], 1), lambda x: (x @ x[:, 2:])[:, None]),
    "interleaved_matmul_encdec_qk": (lambda x: npx.interleaved_matmul_encdec_qk(x[:, None, :1], x[:, None, :2], 1), lambda x: (x[:, :1] * x[:, 0])[None]), "interleaved_matmul_encdec_valatt": (lambda x: npx.interleaved_matmul_encdec_valatt(x[:, None, :2], x[None], 1), lambda x: (x @ x[:, 1:2])[:, None]),
    "sldwin_atten_score": (lambda x: npx.sldwin_atten_score(x[None, :, None], x[None, :, None], I([1]), 0), lambda x: (x * x).sum(-1)[None, :, None, None]), "sldwin_atten_context": (lambda x: npx.sldwin_atten_context(x[None, :, None, :1], x[None, :, None], I([1]), 0), lambda x: (x * x[:, :1])[None, :, None]),
    "add_n": (lambda x: npx.add_n(x, x * 2, x), lambda x: x * 4), "batch_flatten": (lambda x: npx.batch_flatten(x[None]), lambda x: x.reshape(1, 9)), "broadcast_like": (lambda x: npx.broadcast_like(x[:1], x), lambda x: x[:1].expand(3, 3)),
    "cast": (lambda x: npx.cast(x * x, "float64"), lambda x: x * x), "reshape": (lambda x: npx.reshape(x, (-1,)), torch.ravel), "reshape_like": (lambda x: npx.reshape_like(x, np.ones(9)), torch.ravel), "slice": (lambda x: npx.slice(x, (0, 1), (2, 3)), lambda x: x[:2, 1:]),
    "slice_axis": (lambda x: npx.slice_axis(x, 1, 0, 2), lambda x: x[:, :2]), "slice_like": (lambda x: npx.slice_like(x, np.ones((2, 2))), lambda x: x[:2, :2]), "stop_gradient": (lambda x: x * npx.stop_gradient(x), lambda x: x * x.detach()),
    "cond": (lambda x: npx.cond(x.sum() > 0, lambda: x * x, lambda: x), lambda x: x * x), "foreach": (lambda x: npx.foreach(lambda r, s: (r * s, s + r), x, x[0])[0], lambda x: torch.stack([x[0] * x[0], x[1] * 2 * x[0], x[2] * (2 * x[0] + x[1])])),
    "while_loop": (lambda x: npx.while_loop(lambda s: s.sum() < 30, lambda s: (s, s * s), x + 1, 2)[1], lambda x: ((x + 1) ** 2)),
    "ctc_loss": (lambda x: npx.ctc_loss(np.stack([x, x * 2, x * x]), I([[1, 2], [1, 1], [2, 0]])), lambda x: F.ctc_loss(F.log_softmax(torch.stack([x, x * 2, x * x]), -1), torch.tensor([[1, 2], [1, 1], [2, 0]]), long(3, 3, 3), long(2, 2, 1), reduction="none")),
}  # fmt: skip


def _rotated(x):
    angle = torch.arange(3, dtype=x.dtype)
    cos, sin = torch.cos(angle), torch.sin(angle)
    return torch.stack([x[:, 0] * cos - x[:, 1] * sin, x[:, 1] * cos + x[:, 0] * sin, x[:, 2]], 1)


def _normed(x):
    """Over the batch: in training mode, with moving statistics of nobody's."""
    with autograd.train_mode():
        return npx.batch_norm(x, x[0], x[1], np.zeros(3), np.ones(3), fix_gamma=False)


CONSTANT_X = {
    "what it computes is the user's own: tests/operator": "custom",
    CREATION: "arange_like bernoulli from_dlpack from_numpy multibox_prior normal_n uniform_n one_hot shape_array sinusoidal_positions sldwin_atten_mask_like", NO_ARRAY: "cpu cpu_pinned current_context current_device gpu is_np_array is_np_shape load num_gpus reset_np save savez seed set_np to_dlpack_for_read to_dlpack_for_write use_np waitall",
    "an effect": "assert_ print", "MXNet's has no gradient": "multibox_detection multibox_target",
}  # fmt: skip

METHODS = {
    **{name: (lambda x, name=name: getattr(x * 1.5, name)(), lambda x, name=name: getattr(torch, name)(x * 1.5)) for name in ["arcsinh", "arctan", "cosh", "fix", "rsqrt", "sinh", "trunc"]},
    **{name: (lambda x, name=name: getattr(x * 0.5, name)(), lambda x, name=name: getattr(torch, name)(x * 0.5)) for name in ["arccos", "arcsin", "arctanh"]},
    "arccosh": (lambda x: (x + 1).arccosh(), lambda x: torch.arccosh(x + 1)), "cbrt": (lambda x: x.cbrt(), lambda x: x ** (1 / 3)), "rcbrt": (lambda x: x.rcbrt(), lambda x: x ** (-1 / 3)), "degrees": (lambda x: x.degrees(), torch.rad2deg), "radians": (lambda x: x.radians(), torch.deg2rad),
    "slice": (lambda x: x.slice((0, 1), (2, 3)), lambda x: x[:2, 1:]), "slice_axis": (lambda x: x.slice_axis(1, 0, 2), lambda x: x[:, :2]), "slice_like": (lambda x: x.slice_like(np.ones((2, 2))), lambda x: x[:2, :2]), "split_v2": (lambda x: x.split_v2((1,))[1], lambda x: x[1:]),
    "flip": (lambda x: x.flip(1), lambda x: x.flip(1)), "pad": (lambda x: x.pad("constant", (1, 0, 0, 1)), lambda x: F.pad(x, (0, 1, 1, 0))), "diag": (lambda x: x.diag(), lambda x: x.diagonal()), "broadcast_axes": (lambda x: x[:1].broadcast_axes(0, 3), lambda x: x[:1].expand(3, 3)),
    "depth_to_space": (lambda x: x.reshape(1, 9, 1, 1).depth_to_space(3), lambda x: x.reshape(1, 1, 3, 3)), "space_to_depth": (lambda x: x.reshape(1, 1, 3, 3).space_to_depth(3), lambda x: x.reshape(1, 9, 1, 1)), "softmin": (lambda x: x.softmin(), lambda x: F.softmin(x, -1)),
    "nansum": (lambda x: x.nansum(), torch.sum), "nanprod": (lambda x: x.nanprod(), torch.prod), **dict.fromkeys(["argmax_channel", "shape_array", "size_array"], INTEGERS),
    "argpartition": INTEGERS, "searchsorted": INTEGERS, "imag": CREATION, **dict.fromkeys(["tobytes", "tofile", "view", "byteswap", "flags", "data", "base", "ctypes"], NO_ARRAY), "choose": (lambda x: np.array(I([0, 1, 0])).astype("int32").choose([x, x * x]), lambda x: torch.stack([x[:, 0], x[:, 1] ** 2, x[:, 2]], 1)),
    "compress": (lambda x: x.compress([True, False, True], 0), lambda x: x[[0, 2]]), "conj": (lambda x: x.conj(), torch.clone), "conjugate": (lambda x: x.conjugate(), torch.clone), "real": (lambda x: x.real, torch.clone), "partition": (lambda x: _partitioned(x * 1), lambda x: x.sort(1)[0]),
    "put": (lambda x: _after(lambda y: y.put([0, 4], x[2, :2] * x[2, :2]), x), lambda x: torch.cat([x[2, :1] ** 2, x.ravel()[1:4] * 2, x[2, 1:2] ** 2, x.ravel()[5:] * 2]).reshape(3, 3)),
    **{name: (lambda x, name=name: getattr(x * 1.5, name)(), lambda x, name=name: getattr(torch, name)(x * 1.5)) for name in ["abs", "ceil", "cos", "exp", "expm1", "floor", "log", "log10", "log1p", "log2", "reciprocal", "relu", "round", "sigmoid", "sign", "sin", "sqrt", "square", "tan", "tanh", "prod", "mean", "sum", "ravel"]},
    "T": (lambda x: x.T, lambda x: x.T), "mT": (lambda x: x.mT, lambda x: x.mT), "all": BOOLS, "any": BOOLS, "argmax": INTEGERS, "argmin": INTEGERS, "argsort": INTEGERS, "nonzero": INTEGERS, "one_hot": CREATION, "topk": INTEGERS, "zeros_like": CREATION, "ones_like": CREATION,
    "as_in_context": (lambda x: x.as_in_context(npx.cpu()) * x, lambda x: x * x), "as_in_ctx": (lambda x: x.as_in_ctx(npx.cpu()) * x, lambda x: x * x), "to_device": (lambda x: x.to_device(npx.cpu()) * x, lambda x: x * x), "to": (lambda x: x.to("cpu") * x, lambda x: x * x),
    "as_nd_ndarray": (lambda x: x.as_nd_ndarray() * x, lambda x: x * x), "tostype": (lambda x: x.tostype("default") * x, lambda x: x * x), "as_np_ndarray": (lambda x: x.as_np_ndarray() * x, lambda x: x * x), "astype": (lambda x: x.astype("float64") * x, lambda x: x * x), "copy": (lambda x: x.copy() * x, lambda x: x * x),
    "broadcast_like": (lambda x: x[:1].broadcast_like(x), lambda x: x[:1].expand(3, 3)), "broadcast_to": (lambda x: x[0].broadcast_to((2, 3)), lambda x: x[0].expand(2, 3)), "clip": (lambda x: x.clip(0.6, 1.4), lambda x: x.clamp(0.6, 1.4)),
    "cumsum": (lambda x: x.cumsum(1), lambda x: x.cumsum(1)), "cumprod": (lambda x: x.cumprod(1), lambda x: x.cumprod(1)), "detach": (lambda x: x * x.detach(), lambda x: x * x.detach()), "diagonal": (lambda x: x.diagonal(), lambda x: x.diagonal()),
    "dot": (lambda x: x.dot(x), lambda x: x @ x), "expand_dims": (lambda x: x.expand_dims(0), lambda x: x[None]), "fill": (lambda x: _written(x), lambda x: x[0, 0].expand(3, 3) * 1), "flat": NO_ARRAY, "flatten": (lambda x: x.flatten(), torch.ravel),
    "log_softmax": (lambda x: x.log_softmax(), lambda x: F.log_softmax(x, -1)), "softmax": (lambda x: x.softmax(), lambda x: F.softmax(x, -1)), "max": (lambda x: x.max(1), lambda x: x.amax(1)), "min": (lambda x: x.min(0), lambda x: x.amin(0)), "norm": (lambda x: x.norm(), lambda x: torch.linalg.norm(x)),
    "pick": (lambda x: x.pick(I([0, 2, 1])), lambda x: x[[0, 1, 2], [0, 2, 1]]), "repeat": (lambda x: x.repeat(2), lambda x: x.repeat_interleave(2)), "reshape": (lambda x: x.reshape(-1), torch.ravel), "reshape_like": (lambda x: x.reshape_like(np.ones(9)), torch.ravel),
    "rint": (lambda x: x.rint() * x, lambda x: x.round() * x), "sort": (lambda x: _sorted(x * 1), lambda x: x.sort()[0]), "split": (lambda x: x.split(3)[1], lambda x: x[1:2]), "squeeze": (lambda x: x[None].squeeze(), lambda x: x * 1), "std": (lambda x: x.std(0), lambda x: x.std(0, correction=0)),
    "swapaxes": (lambda x: x.swapaxes(0, 1), lambda x: x.T), "take": (lambda x: x.take(I([1, 5, 5])), lambda x: x.ravel()[[1, 5, 5]]), "tile": (lambda x: x.tile((2, 1)), lambda x: x.tile((2, 1))), "trace": (lambda x: x.trace(), lambda x: x.trace()), "transpose": (lambda x: x.transpose(), lambda x: x.T),
    "var": (lambda x: x.var(0), lambda x: x.var(0, correction=0)), **dict.fromkeys(["asnumpy", "asscalar", "backward", "attach_grad", "drop_grad", "context", "copyto", "ctx", "device", "dtype", "grad", "item", "itemsize", "nbytes", "ndim", "shape", "size", "storage", "strides", "stype", "tolist", "type", "wait_to_read"], NO_ARRAY),
}  # fmt: skip


def _partitioned(x):
    x.partition(1)
    return x


def _sorted(x):
    x.sort()
    return x


def _written(x):
    y = x * 2
    y.fill(0)
    y[...] = x[0, 0]
    return y


OPERATORS = {
    **{f"__{name}__": (lambda x, f=f: f(x, x[0]), lambda x, f=f: f(x, x[0])) for name, f in {
        "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "truediv": lambda x, y: x / y, "pow": lambda x, y: x**y, "mod": lambda x, y: x % (y / 2 + 0.01), "matmul": lambda x, y: x @ y,
        "radd": lambda x, y: 2 + x, "rsub": lambda x, y: 2 - x, "rmul": lambda x, y: 3 * x, "rtruediv": lambda x, y: 2 / x, "rpow": lambda x, y: 2**x,  "rmatmul": lambda x, y: y @ x, "neg": lambda x, y: -x, "pos": lambda x, y: +x, "abs": lambda x, y: abs(x - 1),
        "getitem": lambda x, y: x[1:, [0, 0, -1]], "iter": lambda x, y: sum(row * row for row in x), "round": lambda x, y: x * x.round()}.items()},
    **{f"__i{name}__": (lambda x, f=f: f(x * 1, x[0]), lambda x, f=f: f(x * 1, x[0])) for name, f in {
        "add": lambda x, y: _in_place(x, "+", y), "sub": lambda x, y: _in_place(x, "-", y), "mul": lambda x, y: _in_place(x, "*", y), "truediv": lambda x, y: _in_place(x, "/", y), "pow": lambda x, y: _in_place(x, "**", y), "mod": lambda x, y: _in_place(x, "%", y / 2 + 0.01)}.items()},
    "__imatmul__": (lambda x: _in_place(x * 1, "@", x), lambda x: x @ x), "__ifloordiv__": (lambda x: x + _in_place(x * 1, "//", 0.3), lambda x: x + (x / 0.3).detach().floor()), "__setitem__": (lambda x: _set(x), lambda x: torch.cat([x[1:2], x[1:2] * 2, x[2:] * 2])),
    "__divmod__": (lambda x: divmod(x, 0.7)[1], lambda x: x % 0.7), "__rdivmod__": (lambda x: divmod(2.2, x)[1], lambda x: 2.2 - x * (2.2 / x).detach().floor()), "__rmod__": (lambda x: 2.2 % x, lambda x: 2.2 - x * (2.2 / x).detach().floor()),
    "__floordiv__": (lambda x: x * (x // 0.3), lambda x: x * (x / 0.3).detach().floor()), "__rfloordiv__": (lambda x: x * (2 // x), lambda x: x * (2 / x).detach().floor()), "__copy__": NO_ARRAY, "__deepcopy__": NO_ARRAY, "__trunc__": NO_ARRAY,
}  # fmt: skip


def _in_place(x, sign, y):
    if sign == "+":
        x += y
    if sign == "-":
        x -= y
    if sign == "*":
        x *= y
    if sign == "/":
        x /= y
    if sign == "**":
        x **= y
    if sign == "%":
        x %= y
    if sign == "@":
        x @= y
    if sign == "//":
        x //= y
    return x


def _set(x):
    y = x * 2
    y[0] = x[1]
    return y


BITS = {f"__{i}{name}__" for name in ["and", "or", "xor", "lshift", "rshift"] for i in ("", "r", "i")} | {"__invert__"}
NOT_OPERATORS = {
    *BITS, *(f"__{name}__" for name in ["eq", "ne", "lt", "le", "gt", "ge", "bool", "int", "float", "complex", "index", "len", "contains", "hash", "repr", "str", "format", "sizeof", "dir", "class", "doc", "module", "slots", "annotations", "weakref", "new", "init", "init_subclass", "subclasshook", "reduce", "reduce_ex", "getattribute", "getstate", "setattr", "delattr", "array", "array_function", "array_namespace", "array_priority", "array_ufunc", "cuda_array_interface", "dlpack", "dlpack_device", "hybridize_slots"]),
}  # fmt: skip


def _failures(x, k, success, failure):
    return torch.exp(torch.lgamma(x + k) - torch.lgamma(k) - torch.lgamma(x + 1) + k * success + x * failure)


def _generalized(x, mu, alpha):
    whole = torch.log1p(mu * alpha)
    return _failures(x, 1 / alpha, -whole, torch.log(mu * alpha) - whole)


DENSITIES = {
    "uniform": (lambda x: nd.random_pdf_uniform(x, x[:, 0] - 2, x[:, 1] + 2), lambda x: (1 / (x[:, 1:2] - x[:, :1] + 4)).expand(3, 3)),
    "normal": (lambda x: nd.random_pdf_normal(x, x[:, 0], x[:, 1]), lambda x: torch.distributions.Normal(x[:, :1], x[:, 1:2]).log_prob(x).exp()),
    "gamma": (lambda x: nd.random_pdf_gamma(x, x[:, 0], x[:, 1]), lambda x: torch.distributions.Gamma(x[:, :1], x[:, 1:2]).log_prob(x).exp()),
    "exponential": (lambda x: nd.random_pdf_exponential(x, x[:, 0]), lambda x: torch.distributions.Exponential(x[:, :1]).log_prob(x).exp()),
    "poisson": (lambda x: nd.random_pdf_poisson(x, x[:, 0]), lambda x: torch.exp(x * torch.log(x[:, :1]) - x[:, :1] - torch.lgamma(x + 1))),
    "negative_binomial": (lambda x: nd.random_pdf_negative_binomial(x, x[:, 0], x[:, 1] / 2), lambda x: _failures(x, x[:, :1], torch.log(x[:, 1:2] / 2), torch.log1p(-x[:, 1:2] / 2))),
    "generalized_negative_binomial": (lambda x: nd.random_pdf_generalized_negative_binomial(x, x[:, 0], x[:, 1]), lambda x: _generalized(x, x[:, :1], x[:, 1:2])),
    "dirichlet": (lambda x: nd.random_pdf_dirichlet(x / 5, x), lambda x: torch.exp(((x - 1) * torch.log(x / 5)).sum(-1) + torch.lgamma(x.sum(-1)) - torch.lgamma(x).sum(-1))),
}  # fmt: skip

ND = {
    **{
        name: (lambda x, name=name: getattr(nd, name)(x, x + 3.0), lambda x: x / (x + 3.0))
        for name in (
            "broadcast_div", "broadcast_divide", "broadcast_true_divide", "div", "divide", "elemwise_div",
            "elemwise_divide", "elemwise_true_divide", "true_divide",
        )
    },
    **{
        name: (lambda x, name=name: getattr(nd, name)(x, axis=1), reduced)
        for names, reduced in (
            ("sum sum_axis nansum", lambda x: x.sum(1)), ("mean", lambda x: x.mean(1)),
            ("prod nanprod", lambda x: x.prod(1)), ("max max_axis", lambda x: x.amax(1)),
            ("min min_axis", lambda x: x.amin(1)),
        )
        for name in names.split()
    },
    **{f"random_pdf_{name}": row for name, row in DENSITIES.items()},
    "array": (lambda x: nd.array(x), torch.clone),
    "concatenate": (lambda x: nd.concatenate([x, x * x]), lambda x: torch.cat([x, x * x])), "moments": (lambda x: nd.moments(x, 0)[1], lambda x: x.var(0, correction=0)), "GroupNorm": (lambda x: nd.GroupNorm(x[None], x[0], x[1], 3), lambda x: F.group_norm(x[None], 3, x[0], x[1])),
    "linalg_trmm": (lambda x: nd.linalg_trmm(x, x), lambda x: torch.tril(x) @ x), "linalg_trsm": (lambda x: nd.linalg_trsm(x, x, lower=False), lambda x: torch.linalg.solve_triangular(torch.triu(x), x, upper=True)), "linalg_potri": (lambda x: nd.linalg_potri(x), lambda x: torch.linalg.inv(torch.tril(x) @ torch.tril(x).T)),
    "linalg_sumlogdiag": (lambda x: nd.linalg_sumlogdiag(x), lambda x: x.diagonal().log().sum()), "linalg_makediag": (lambda x: nd.linalg_makediag(x[0], 1), lambda x: torch.diag(x[0], 1)), "linalg_extracttrian": (lambda x: nd.linalg_extracttrian(x), lambda x: x[torch.tril_indices(3, 3).unbind()]),
    "linalg_maketrian": (lambda x: nd.linalg_maketrian(x.ravel()[:6]), lambda x: torch.zeros(3, 3, dtype=x.dtype).index_put(torch.tril_indices(3, 3).unbind(), x.ravel()[:6])),
    "box_iou": (lambda x: nd.contrib.box_iou(x.ravel()[:4] * I([0.1, 0.1, 1, 1]), I([0.1, 0.1, 1.0, 1.0]), format="center"), lambda x: _shared(x.ravel()[:4])), "box_nms": (lambda x: nd.contrib.box_nms(np.concatenate([x, x[:, :2]], 1), 1.0, coord_start=1, score_index=0), lambda x: torch.cat([x, x[:, :2]], 1)[torch.argsort(-x[:, 0])]),
    "boolean_mask": (lambda x: nd.contrib.boolean_mask(x, I([1, 0, 1])), lambda x: x[[0, 2]]),
    "SyncBatchNorm": (lambda x: nd.contrib.SyncBatchNorm(x, x[0], x[1], np.zeros(3), np.ones(3), fix_gamma=False), lambda x: x * x[0] / 1.001**0.5 + x[1]), "BatchNormWithReLU": (lambda x: nd.contrib.BatchNormWithReLU(x, x[0], x[1], np.zeros(3), np.ones(3), fix_gamma=False), lambda x: F.relu(x * x[0] / 1.001**0.5 + x[1])),
    "box_non_maximum_suppression": (lambda x: nd.contrib.box_nms(np.concatenate([x, x[:, :2]], 1), 1.0, coord_start=1, score_index=0), lambda x: torch.cat([x, x[:, :2]], 1)[torch.argsort(-x[:, 0])]),
    "BilinearSampler": (lambda x: nd.BilinearSampler(x[None, None], np.stack([x * 0.5, x * 0.3])[None]), lambda x: F.grid_sample(x[None, None], torch.stack([x * 0.5, x * 0.3], -1)[None], align_corners=True)),
    "GridGenerator": (lambda x: nd.GridGenerator(x[:2].reshape((1, 6)), "affine", (2, 4)), lambda x: F.affine_grid(x[:2][None], (1, 1, 2, 4), align_corners=True).permute(0, 3, 1, 2)),
    "SpatialTransformer": (lambda x: nd.SpatialTransformer(x[None, None], x[:2].reshape((1, 6)) * 0.2, (2, 4)), lambda x: F.grid_sample(x[None, None], F.affine_grid(x[:2][None] * 0.2, (1, 1, 2, 4), align_corners=True), align_corners=True)),
    "im2col": (lambda x: nd.im2col(x[None, None], (2, 2)), lambda x: F.unfold(x[None, None], 2)), "col2im": (lambda x: nd.col2im(x[None], (3, 3), (3, 1)), lambda x: F.fold(x[None], (3, 3), (3, 1))),
    "ROIPooling": (lambda x: nd.ROIPooling(x[None, None], np.array([[0, 0, 0, 1, 2]], dtype=x.dtype), (3, 1), 1.0), lambda x: x[None, None, :, :2].amax(-1, keepdim=True)), "ROIAlign": (lambda x: nd.contrib.ROIAlign(x[None, None], np.array([[0, -0.5, -0.5, 1.5, 1.5]], dtype=x.dtype), 2, 1.0), lambda x: x[None, None, :2, :2] * 1),
    "Correlation": (lambda x: nd.Correlation(x[None, None], x[None, None], max_displacement=0), lambda x: (x * x)[None, None]),
    "LRN": (lambda x: nd.LRN(x[None], alpha=0.5, nsize=3), lambda x: F.local_response_norm(x[None], 3, 0.5, 0.75, 2.0)),
    "Pooling": (lambda x: nd.Pooling(x[None, None], (2, 2)), lambda x: F.max_pool2d(x[None, None], 2, 1)), "AdaptiveAvgPooling2D": (lambda x: nd.contrib.AdaptiveAvgPooling2D(x[None, None], 2), lambda x: F.adaptive_avg_pool2d(x[None, None], 2)),
    "BilinearResize2D": (lambda x: nd.contrib.BilinearResize2D(x[None, None], height=5, width=2), lambda x: F.interpolate(x[None, None], (5, 2), mode="bilinear", align_corners=True)),
    "depth_to_space": (lambda x: nd.depth_to_space(x[None, :, :2, None] * np.ones((1, 3, 2, 4), dtype=x.dtype), 1), lambda x: x[None, :, :2, None].expand(1, 3, 2, 4)), "space_to_depth": (lambda x: nd.space_to_depth(x[None, None, :2, 1:], 2), lambda x: F.pixel_unshuffle(x[None, None, :2, 1:], 2)),
    "BatchNorm": (lambda x: _normed_1(x), lambda x: F.batch_norm(x, None, None, torch.ones(3, dtype=x.dtype), x[1], True, eps=1e-3)), "Cast": (lambda x: nd.Cast(x * x, "float64"), lambda x: x * x), "Concat": (lambda x: nd.Concat(x, x), lambda x: torch.cat([x, x], 1)),
    "Embedding": (lambda x: nd.Embedding(I([2, 2, 0]), x), lambda x: x[[2, 2, 0]]), "FullyConnected": (lambda x: nd.FullyConnected(x, x, x[0], 3), lambda x: F.linear(x, x, x[0])), "LeakyReLU": (lambda x: nd.LeakyReLU(x - 1, act_type="elu"), lambda x: F.elu(x - 1, 0.25)),
    "Pad": (lambda x: nd.Pad(x[None, None], "edge", (0, 0, 0, 0, 1, 1, 0, 2)), lambda x: F.pad(x[None, None], (0, 2, 1, 1), "replicate")),
    "pad": (lambda x: nd.pad(x, "constant", (1, 0, 0, 1)), lambda x: F.pad(x, (0, 1, 1, 0))), "Reshape": (lambda x: nd.Reshape(x, (-3,)), torch.ravel), "reshape": (lambda x: nd.reshape(x, (0, 1, 3)), lambda x: x[:, None]),
    "SliceChannel": (lambda x: nd.SliceChannel(x, 3)[1], lambda x: x[:, 1:2]), "split": (lambda x: nd.split(x, 3, squeeze_axis=True)[1], lambda x: x[:, 1]), "split_v2": (lambda x: nd.split_v2(x, (1,))[1], lambda x: x[1:]),
    "SoftmaxActivation": (lambda x: nd.SoftmaxActivation(x), lambda x: F.softmax(x, -1)), "Softmax": (lambda x: nd.Softmax(x), lambda x: F.softmax(x, -1)), "SoftmaxOutput": (lambda x: nd.SoftmaxOutput(x), lambda x: F.softmax(x, -1)),
    "SwapAxis": (lambda x: nd.SwapAxis(x, 0, 1), lambda x: x.T), "swapaxes": (lambda x: nd.swapaxes(x, 0, 1), lambda x: x.T), "batch_dot": (lambda x: nd.batch_dot(x[None], x[None], False, True), lambda x: (x @ x.T)[None]), "batch_take": (lambda x: nd.batch_take(x, I([0, 2, 1])), lambda x: x[[0, 1, 2], [0, 2, 1]]),
    **{name: (lambda x, name=name: getattr(nd, name)(x[:1], 0, 3), lambda x: x[:1].expand(3, 3)) for name in ("broadcast_axes", "broadcast_axis")}, "broadcast_to": (lambda x: nd.broadcast_to(x[:1], (3, 0)), lambda x: x[:1].expand(3, 3)), "cast": (lambda x: nd.cast(x * x, "float64"), lambda x: x * x),
    "clip": (lambda x: nd.clip(x, 0.6, 1.4), lambda x: x.clamp(0.6, 1.4)), "concat": (lambda x: nd.concat(x, x, dim=0), lambda x: torch.cat([x, x])), "cumsum": (lambda x: nd.cumsum(x, 0), lambda x: x.cumsum(0)), "diag": (lambda x: nd.diag(x), lambda x: x.diagonal()), "dot": (lambda x: nd.dot(x, x, True), lambda x: x.T @ x),
    "expand_dims": (lambda x: nd.expand_dims(x, 1), lambda x: x[:, None]), "flip": (lambda x: nd.flip(x, 1), lambda x: x.flip(1)), "reverse": (lambda x: nd.reverse(x, 0), lambda x: x.flip(0)), "hard_sigmoid": (lambda x: nd.hard_sigmoid(x * 4 - 4), lambda x: torch.clamp((x * 4 - 4) * 0.2 + 0.5, 0, 1)),
    "identity": (lambda x: nd.identity(x * x), lambda x: x * x), "linalg_extractdiag": (lambda x: nd.linalg_extractdiag(x), lambda x: x.diagonal()), "linalg_gemm": (lambda x: nd.linalg_gemm(x, x, x, False, True, 2.0, 3.0), lambda x: 2 * x @ x.T + 3 * x), "linalg_gemm2": (lambda x: nd.linalg_gemm2(x, x, True), lambda x: x.T @ x),
    "linalg_syrk": (lambda x: nd.linalg_syrk(x, alpha=2.0), lambda x: 2 * x @ x.T), "norm": (lambda x: nd.norm(x, axis=1), lambda x: torch.linalg.norm(x, dim=1)), "rcbrt": (lambda x: nd.rcbrt(x), lambda x: x ** (-1 / 3)), "repeat": (lambda x: nd.repeat(x, 2, 0), lambda x: x.repeat_interleave(2, 0)),
    "rint": (lambda x: x * nd.rint(x), lambda x: x * torch.ceil(x - 0.5)), "round": (lambda x: x * nd.round(x), lambda x: x * torch.floor(x + 0.5)), "softmax_cross_entropy": (lambda x: nd.softmax_cross_entropy(x, I([0, 2, 1])), lambda x: F.cross_entropy(x, long(0, 2, 1), reduction="sum")),
    "sort": (lambda x: nd.sort(x, 0, False), lambda x: torch.sort(x, 0, descending=True)[0]), "squeeze": (lambda x: nd.squeeze(x[None] * x), lambda x: x * x), "stack": (lambda x: nd.stack(x, x * x, axis=1), lambda x: torch.stack([x, x * x], 1)), "take": (lambda x: nd.take(x, I([0, 2, 2])), lambda x: x[[0, 2, 2]]),
    "tile": (lambda x: nd.tile(x, (2, 1)), lambda x: x.tile(2, 1)), "transpose": (lambda x: nd.transpose(x), lambda x: x.T), "where": (lambda x: nd.where(I([1, 0, 1]), x, x * x), lambda x: torch.stack([x[0], x[1] ** 2, x[2]])), "div_sqrt_dim": (lambda x: nd.contrib.div_sqrt_dim(x), lambda x: x / 3**0.5),
    **{name: (lambda x, name=name: getattr(nd, name)(x, x + 1.0), lambda x: x ** (x + 1.0)) for name in ("power", "broadcast_power", "elemwise_power")},
    "Crop": (lambda x: nd.Crop(x[None, None], h_w=(2, 2), offset=(1, 0)), lambda x: x[None, None, 1:, :2]), "SparseEmbedding": (lambda x: nd.contrib.SparseEmbedding(I([2, 2, 0]), x), lambda x: x[[2, 2, 0]]),
    "amp_multicast": (lambda x: nd.amp_multicast(x, x * x)[1], lambda x: x * x), "quadratic": (lambda x: nd.contrib.quadratic(x, 1, 2, 3), lambda x: x * x + 2 * x + 3), "softmax": (lambda x: nd.softmax(x, axis=0), lambda x: F.softmax(x, 0)),
    "fill_element_0index": (lambda x: nd.fill_element_0index(x, x[0] * 2, I([0, 2, 1])), lambda x: x.index_put((torch.arange(3), long(0, 2, 1)), x[0] * 2)),
    "khatri_rao": (lambda x: nd.khatri_rao(x, x), lambda x: torch.einsum("ik,jk->ijk", x, x).reshape(9, 3)), "linalg_gelqf": (lambda x: nd.linalg_gelqf(x), lambda x: [one.T for one in torch.linalg.qr(x.T)]),
    "linalg_syevd": (lambda x: nd.linalg_syevd(x + x.T), lambda x: _rows_of_eigenvectors(*torch.linalg.eigh(x + x.T))),
    "index_copy": (lambda x: nd.contrib.index_copy(x, np.array([0, 2]), x[:2] * 2), lambda x: torch.stack([x[0] * 2, x[1], x[1] * 2])),
}  # fmt: skip
CONSTANT_ND = {
    "its gradient is that of a loss: test_output_layers": "LinearRegressionOutput LogisticRegressionOutput MAERegressionOutput MakeLoss make_loss",
    "its gradient is another one: test_slopes_that_are_not_those_of_the_values": "SVMOutput gradientmultiplier round_ste sign_ste",
    "nothing goes back: test_output_layers": "BlockGrad stop_gradient",
    "it is of optimizers: test_legacy_updates": " ".join(name for name in (*legacy_updates.FUNCTIONS, *legacy_updates.CONTRIB)),
    "its results are numbers of classes, counts or bools": "allclose histogram onehot_encode rand_zipfian",
    "MXNet's has no gradient": "MultiBoxDetection MultiBoxTarget bipartite_matching box_decode box_encode",
    CREATION: "MultiBoxPrior arange eye full shuffle random_exponential random_gamma random_multinomial random_randint random_randn random_shuffle sample_multinomial "
    "exponential normal poisson randn random_binomial random_binomial_like random_categorical random_exponential_like random_gamma_like random_generalized_negative_binomial random_generalized_negative_binomial_like random_negative_binomial random_negative_binomial_like random_normal random_normal_like random_poisson random_poisson_like random_uniform random_uniform_like sample_binomial sample_binomial_like sample_categorical sample_exponential sample_exponential_like sample_gamma sample_gamma_like sample_generalized_negative_binomial sample_generalized_negative_binomial_like sample_negative_binomial sample_negative_binomial_like sample_normal sample_normal_like sample_poisson sample_poisson_like sample_randint sample_shuffle sample_uniform sample_uniform_like uniform", INTEGERS: "argmax_channel argsort index_array ravel_multi_index size_array unravel_index", BOOLS: "isfinite isinf isnan logical_not",
}  # fmt: skip


def _rows_of_eigenvectors(values, vectors):
    rows = vectors.T
    signs = torch.sign(rows.detach().gather(1, rows.detach().abs().argmax(1, keepdim=True)))
    return [rows * signs, values]


def _shared(box):
    """What a box has in common with one of size 1 that lies within 0.1 of it along both axes."""
    begin = torch.maximum(box[:2] * 0.1 - box[2:] / 2, torch.tensor(-0.4, dtype=box.dtype))
    end = torch.minimum(box[:2] * 0.1 + box[2:] / 2, torch.tensor(0.6, dtype=box.dtype))
    common = (end - begin).prod()
    return common / (box[2:].prod() + 1 - common)


def _normed_1(x):
    with autograd.train_mode():
        return nd.BatchNorm(x, x[0], x[1], np.zeros(3), np.ones(3))


TABLES = {
    "np": NP,
    "npx": NPX,
    "nd": ND,
    "array": {n: row for n, row in METHODS.items() if row not in REASONS},
    "operator": {n: row for n, row in OPERATORS.items() if row is not NO_ARRAY},
}
ROWS = {f"{space}.{name}": row for space, table in TABLES.items() for name, row in table.items()}
CASES = [pytest.param(name, id=name) for name in ROWS]
STEPS = {f"np.{name}" for name in ["around", "ceil", "fix", "floor", "rint", "round", "round_", "sign", "trunc"]} | {
    f"array.{name}" for name in ["ceil", "fix", "floor", "round", "sign", "trunc"]
}
"""Whose gradient is 0 everywhere: compiled, they give constants."""
BY_NUMPY = {
    "np.unique",
    "np.union1d",
    "np.intersect1d",
    "np.setdiff1d",
    "np.bincount",
    "np.compress",
    "np.extract",
    "array.compress",
    "nd.boolean_mask",
}
"""What is no part of a compiled function."""


# ------------------------------------------------------------------------------------------------ every name stands once


def functions(module):
    names = module.__all__ if hasattr(module, "__all__") else dir(module)
    return {name for name in names if callable(getattr(module, name)) and not inspect.isclass(getattr(module, name))}


def listed(constant):
    return {name for names in constant.values() for name in names.split()}


@pytest.mark.parametrize(
    ("module", "table", "constant"), [(np, NP, CONSTANT), (npx, NPX, CONSTANT_X)], ids=["np", "npx"]
)
def test_every_name_has_a_row_or_a_reason(module, table, constant):
    assert functions(module) - set(table) - listed(constant) == set(), "a public name without a row"
    assert (set(table) | listed(constant)) - functions(module) == set(), "a row without a public name"
    assert set(table) & listed(constant) == set()


def test_every_name_of_the_old_face_has_a_row_or_is_one_of_np():
    table = legacy.table()
    known = {id(getattr(m, name)) for m in (np, npx, np.linalg, np.random) for name in functions(m)}
    faces = table | vars(table["contrib"]) | {f"linalg_{name}": f for name, f in vars(table["linalg"]).items()}
    faces |= {f"random_{name}": f for name, f in vars(table["random"]).items()}
    own = set()
    for name, function in faces.items():
        while callable(function) and id(function) not in known and hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        if callable(function) and id(function) not in known:
            own.add(name)
    assert own - set(ND) - listed(CONSTANT_ND) == set()
    assert (set(ND) | listed(CONSTANT_ND)) - set(faces) == set()


def test_every_method_and_operator_has_a_row_or_a_reason():
    methods = {name for name in dir(ndarray) if not name.startswith("_") and hasattr(ndarray, name)}
    assert methods == set(METHODS)
    operators = {name for name in dir(ndarray) if name.startswith("__")} - NOT_OPERATORS
    assert operators == set(OPERATORS)


# ------------------------------------------------------------------------------------------------------------ gradients


def outputs(found):
    return list(found) if isinstance(found, (list, tuple)) else [found]


def weights_of(shapes):
    return [numpy.random.default_rng(5 + n).uniform(0.5, 1.5, shape) for n, shape in enumerate(shapes)]


def gradients(function, data, weights, direction):
    """The value, its gradient, and the gradient of that times a direction."""
    x = wrap(data.copy())
    x.attach_grad()
    with autograd.record(train_mode=False):
        ys = outputs(function(x))
        total = sum((y * y * wrap(w)).sum() for y, w in zip(ys, weights, strict=True))
        (first,) = autograd.grad(total, x, create_graph=True)
        along = (first * wrap(direction)).sum()
    if x.grad is not None and getattr(along, "_traced", None) is not None:
        along.backward()
    return [y.asnumpy() for y in ys], first.asnumpy(), x.grad.asnumpy(), float(along)


def pytorchs(function, data, weights, direction):
    t = torch.tensor(data, requires_grad=True)
    ys = outputs(function(t))
    total = sum((y * y * torch.tensor(w)).sum() for y, w in zip(ys, weights, strict=True))
    first = torch.autograd.grad(total, t, create_graph=True)[0]
    second = torch.zeros_like(t)
    if first.requires_grad:
        try:
            second = torch.autograd.grad(
                (first * torch.tensor(direction)).sum(), t, allow_unused=True, materialize_grads=True
            )[0]
        except RuntimeError as error:
            assert "is not implemented" in str(error)  # noqa: PT017 - PyTorch has no second gradient of it
            second = None
    return [y.detach().numpy() for y in ys], first.detach().numpy(), None if second is None else second.numpy()


def close(found, wanted, what, rtol=1e-8):
    scale = max(1.0, float(numpy.abs(wanted).max(initial=0)))
    numpy.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * scale, err_msg=what)


DIRECTION = numpy.random.default_rng(9).uniform(-1, 1, X.shape)


@folded("name", CASES, by=initial)
def test_gradients(name):
    ours, theirs = ROWS[name]
    weights = weights_of([y.shape for y in outputs(ours(wrap(X.copy())))])
    values, first, second, _ = gradients(ours, X, weights, DIRECTION)
    for y, plain in zip(values, outputs(ours(wrap(X.copy()))), strict=True):
        assert y.dtype == "float64"
        close(y, plain.asnumpy(), "recorded or not")
    wanted, slope, curvature = pytorchs(theirs, X, weights, DIRECTION)
    for y, t in zip(values, wanted, strict=True):
        close(y, t, "value")
    close(first, slope, "the first gradient is PyTorch's")
    if curvature is not None:
        close(second, curvature, "the second gradient is PyTorch's", 1e-7)

    moved = X.copy()

    def at(place, step):
        centre = moved[place]
        moved[place] = centre + step
        ys, _, _, along = gradients(ours, moved, weights, DIRECTION)
        moved[place] = centre
        return sum((y * y * w).sum() for y, w in zip(ys, weights, strict=True)), along

    for place in numpy.ndindex(X.shape):
        (above, right), (below, left) = at(place, 1e-6), at(place, -1e-6)
        if "stop_gradient" not in name and "detach" not in name:
            assert first[place] == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-5 * abs(slope).max() + 1e-7)
            assert second[place] == pytest.approx((right - left) / 2e-6, rel=1e-4, abs=1e-4 * abs(second).max() + 1e-5)


@folded("name", CASES[::3], by=initial)
def test_gradients_through_compiled_functions_and_in_compiled_steps(name):
    check_compiled(name)


@pytest.mark.long
@folded("name", [case for place, case in enumerate(CASES) if place % 3], by=initial)
def test_gradients_of_all_others_through_compiled_functions_and_in_compiled_steps(name):
    check_compiled(name)


def check_compiled(name):
    ours, _ = ROWS[name]
    if name in BY_NUMPY:
        with pytest.raises(HybridizeError, match="E403"):
            hybridize(lambda x: ours(x))(wrap(X.copy()))
        return
    weights = weights_of([y.shape for y in outputs(ours(wrap(X.copy())))])
    values, first, second, _ = gradients(ours, X, weights, DIRECTION)
    if name in STEPS:
        close(hybridize(lambda x: ours(x))(wrap(X.copy())), values[0], "value")
        assert not first.any()
        return
    found, slope, curvature, _ = gradients(hybridize(lambda x: ours(x)), X, weights, DIRECTION)
    for y, plain in zip(found, values, strict=True):
        close(y, plain, "value", 1e-11)
    close(slope, first, "the first gradient", 1e-10)
    close(curvature, second, "the second gradient", 1e-9)

    x = wrap(X.copy())
    x.attach_grad()
    constants = [wrap(w) for w in weights]

    @hybridize
    def step():
        with autograd.record(train_mode=False):
            ys = ours(x)
            ys = ys if isinstance(ys, (list, tuple)) else [ys]
            total = sum([(y * y * w).sum() for y, w in zip(ys, constants, strict=True)])
        total.backward()
        return total

    step()
    close(x.grad.asnumpy(), first, "in a step", 1e-10)
