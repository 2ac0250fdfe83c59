# SPDX-License-Identifier: Apache-2.0
"""Functions of torch.linalg: factors of matrices, and what is computed by them."""

from __future__ import annotations

import math
from typing import Any

import torch

from hybridize import ops
from hybridize.array import linalg as of_arrays
from hybridize.array.functions import factors, norms
from hybridize.array.operands import operand as of_symbol
from hybridize.array.operands import result
from hybridize.base.dtypes import int64
from hybridize.base.errors import CaptureError, LinAlgError
from hybridize.ops import Operand, type_of
from hybridize.ops.elimination import solve_triangular
from hybridize.runtime.effects import RAISES
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.reductions import vector_norm
from hybridize.torch.functions.rules import axis_of, common, expect, fitting, is_tensor, kind, reduced, torch_dtype
from hybridize.torch.functions.sorting import by
from hybridize.torch.functions.table import computes

_RETURNS: Any = torch.return_types


class SingularError(LinAlgError, torch.linalg.LinAlgError):  # type: ignore[misc, name-defined]
    """A matrix that has no such factors, solution or inverse, as NumPy's users and torch's catch it (code E525)."""


SingularError.__name__ = "LinAlgError"
RAISES["solvable"] = SingularError, "E525"


def _square(x: Operand) -> None:
    """Raise torch's error for what holds no square matrices of floats."""
    shape = type_of(x).shape
    expect(len(shape) >= 2)
    expect(shape[-1] == shape[-2])
    _of_floats(x)


def _of_floats(x: Operand) -> None:
    dtype = torch_dtype(type_of(x).dtype)
    expect(dtype in (torch.float32, torch.float64))


def _parts(parts: Any) -> tuple[Operand, ...]:
    return tuple(of_symbol(one) for one in parts)


@computes("linalg.inv", "inverse", also="input=A")
def _inv(A: Operand) -> Operand:
    _square(A)
    return by(factors.inv, A)


@computes("linalg.inv_ex")
def _inv_ex(A: Operand, *, check_errors: bool = False) -> Any:
    _square(A)
    no_errors = operand(0, kind(torch.int32, ()).dtype, type_of(A).shape[:-2])
    return _RETURNS.linalg_inv_ex((by(factors.inv, A), no_errors))


@computes("linalg.det", "det", also="input=A")
def _det(A: Operand) -> Operand:
    _square(A)
    return by(factors.det, A)


@computes("linalg.slogdet", "slogdet", also="input=A")
def _slogdet(A: Operand) -> Any:
    _square(A)
    return _RETURNS.linalg_slogdet(_parts(factors.slogdet(result(A))))


@computes("logdet")
def _logdet(input: Operand) -> Operand:
    _square(input)
    sign, log = _parts(factors.slogdet(result(input)))
    nan = operand(float("nan"), type_of(log).dtype, type_of(log).shape)
    return ops.where(ops.lt(sign, ops.like(0, sign)), nan, log)


@computes("linalg.solve")
def _solve(A: Operand, B: Operand, *, left: bool = True) -> Operand:
    _square(A)
    expect(type_of(A).dtype == type_of(B).dtype)
    first, second = type_of(A).shape, type_of(B).shape
    vectors = len(second) == 1 or (len(first) - 1 == len(second) and second == first[:-1])
    if vectors:
        B = ops.reshape(B, (*second, 1))
    elif not left:
        A, B = _turned(A), _turned(B)
    solution = by(factors.solve, A, B)
    if vectors:
        return ops.reshape(solution, type_of(solution).shape[:-1])
    return solution if left else _turned(solution)


@computes("linalg.solve_triangular")
def _solve_triangular(
    input: Operand, B: Operand, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Operand:
    _square(input)
    expect(type_of(input).dtype == type_of(B).dtype)
    expect(type_of(B).ndim >= 2)
    t, b = (input, B) if left else (_turned(input), _turned(B))
    first, second = type_of(t).shape, type_of(b).shape
    batch = fitting(first[:-2], second[:-2])
    expect(first[-1] == second[-2])
    t, b = (ops.broadcast(x, (*batch, *type_of(x).shape[-2:])) for x in (t, b))
    solution = solve_triangular(t, b, lower=upper != left, unit=unitriangular)
    return solution if left else _turned(solution)


def _turned(x: Operand) -> Operand:
    ndim = type_of(x).ndim
    return ops.transpose(x, (*range(ndim - 2), ndim - 1, ndim - 2))


@computes("linalg.cholesky", also="input=A")
def _cholesky(A: Operand, *, upper: bool = False) -> Operand:
    _square(A)
    return by(factors.cholesky, A, upper=upper)


@computes("cholesky")
def _torch_cholesky(input: Operand, upper: bool = False) -> Operand:
    return _cholesky(input, upper=upper)


@computes("linalg.qr")
def _qr(A: Operand, mode: str = "reduced") -> Any:
    expect(mode in ("reduced", "complete", "r"))
    _of_floats(A)
    if mode == "r":
        return _RETURNS.linalg_qr((operand(0, type_of(A).dtype, (0,)), by(factors.qr, A, mode="r")))
    return _RETURNS.linalg_qr(_parts(factors.qr(result(A), mode=mode)))


@computes("qr")
def _torch_qr(input: Operand, some: bool = True) -> Any:
    return torch.return_types.qr(tuple(_qr(input, "reduced" if some else "complete")))


@computes("linalg.eigh")
def _eigh(A: Operand, UPLO: str = "L") -> Any:
    _square(A)
    return _RETURNS.linalg_eigh(_parts(factors.eigh(result(A), UPLO.upper())))


@computes("linalg.eigvalsh")
def _eigvalsh(A: Operand, UPLO: str = "L") -> Operand:
    _square(A)
    return by(factors.eigvalsh, A, UPLO=UPLO.upper())


@computes("linalg.svd")
def _svd(A: Operand, full_matrices: bool = True, *, driver: Any = None) -> Any:
    _of_floats(A)
    return _RETURNS.linalg_svd(_parts(factors.svd(result(A), full_matrices)))


@computes("linalg.svdvals")
def _svdvals(A: Operand, *, driver: Any = None) -> Operand:
    _of_floats(A)
    return by(factors.svdvals, A)


@computes("svd")
def _torch_svd(input: Operand, some: bool = True, compute_uv: bool = True) -> Any:
    u, s, vh = _parts(factors.svd(result(input), not some))
    if not compute_uv:
        u, vh = (operand(0, type_of(one).dtype, type_of(one).shape) for one in (u, vh))
    return torch.return_types.svd((u, s, _turned(vh)))


@computes("linalg.matrix_power", "matrix_power", also="input=A")
def _matrix_power(A: Operand, n: int) -> Operand:
    _square(A) if n < 0 else None
    if n == 0:
        shape = type_of(A).shape
        eye = ops.eq(ops.iota(shape, len(shape) - 2, int64), ops.iota(shape, len(shape) - 1, int64))
        return ops.bind(ops.After(), ops.cast(eye, type_of(A).dtype), A)[0]  # its gradient is 0, and not missing
    return by(of_arrays.matrix_power, A, n=n)


@computes("linalg.matrix_norm", kinds="f")
def _matrix_norm(
    A: Operand, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Operand:
    if dtype is not None:
        A = ops.cast(A, kind(dtype, ()).dtype)
    ndim = type_of(A).ndim
    expect(ndim >= 2)
    axes = tuple(axis_of(axis, ndim) for axis in dim)
    expect(axes[0] != axes[1])
    shape = type_of(A).shape
    if ord in (1, 2, math.inf) and any(shape[axis] == 0 for axis in axes):
        return operand(0, type_of(A).dtype, reduced(shape, axes, keepdim))
    if ord not in (2, -2, "nuc"):
        return by(norms.norm, A, ord=ord, axis=axes, keepdims=keepdim)
    _of_floats(A)
    rest = [axis for axis in range(ndim) if axis not in axes]
    values = by(factors.svdvals, ops.transpose(A, (*rest, *axes)))
    norm = {"nuc": ops.sum, 2: ops.shared_reduce_max, -2: ops.shared_reduce_min}[ord](values, (len(rest),))
    return ops.reshape(norm, reduced(shape, axes, keepdim))


@computes("linalg.norm")
def _norm(
    A: Operand, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Operand:
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    axes = tuple(range(type_of(A).ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if len(axes) == 2:
        return _matrix_norm(A, ord, axes, keepdim, dtype=dtype)
    expect(not isinstance(ord, str))
    return vector_norm(A, ord, axes, keepdim, dtype=dtype)


@computes("linalg.pinv")
def _pinv(A: Operand, rcond: Any = None, hermitian: bool = False, **named: Any) -> Operand:
    _of_floats(A)
    if any(map(is_tensor, (rcond, *named.values()))):
        raise CaptureError("E422", "linalg.pinv() with a tensor rtol or atol cannot be compiled", help="pass a number")
    return by(factors.pinv, A, hermitian=hermitian, rcond=rcond, **({"rtol": None} | named))


@computes("linalg.vander")
def _vander(x: Operand, *, N: Any = None) -> Operand:
    shape = type_of(x).shape or (1,)
    count = shape[-1] if N is None else N
    dtype = kind(common(x), ()).dtype
    wide = (*shape, count)
    base = ops.broadcast(ops.reshape(ops.cast(x, dtype), (*shape, 1)), wide)
    return ops.pow(operand(base, dtype, wide), ops.iota(wide, len(shape), dtype))
