# SPDX-License-Identifier: Apache-2.0
"""Checks of the arguments of `np.linalg`: the same errors imperatively, where LAPACK would raise, and in programs.

Each check takes the arrays among a call's arguments, made into arrays of ours, and its other arguments by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from hybridize.array.operands import array, one_of
from hybridize.base.dims import broadcast
from hybridize.base.dtypes import float32, float64, is_float
from hybridize.base.errors import DTypeError, MatrixShapeError, ValueArgumentError

Check = Callable[[str, Sequence[Any], dict[str, Any]], None]


def _matrices(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    """Check what takes stacks of matrices of any sizes."""
    for x in arrays:
        if x.ndim < 2:
            raise MatrixShapeError("E169", f"{name} takes arrays of at least two axes, got {x.type}")


def _squares(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    """Check what takes stacks of square matrices."""
    _matrices(name, arrays, options)
    for x in arrays:
        if x.shape[-1] != x.shape[-2]:
            raise MatrixShapeError(
                "E169",
                f"{name} takes square matrices, got {x.type}",
                help="np.linalg.pinv and np.linalg.lstsq take other matrices",
            )


def _symmetric(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    """Check what reads one triangle of square matrices."""
    triangle = options.get("UPLO", "L")
    one_of(triangle.upper() if isinstance(triangle, str) else triangle, ("L", "U"), name, "UPLO")
    _squares(name, arrays, options)


def _qr(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    one_of(options.get("mode", "reduced"), ("reduced", "complete", "r", "raw"), name, "mode")
    _matrices(name, arrays, options)


def _singular(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    """Check what takes singular values, which are found otherwise of symmetric matrices."""
    (_squares if options.get("hermitian", False) else _matrices)(name, arrays, options)


def _pinv(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    _one_limit(name, options, "rcond")
    _singular(name, arrays, options)


def _matrix_rank(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    _one_limit(name, options, "tol")
    if arrays[0].ndim >= 2:
        _singular(name, arrays, options)


def _one_limit(name: str, options: dict[str, Any], keyword: str) -> None:
    """Refuse two limits below which singular values count as 0, and what is no number."""
    for limit in (options.get(keyword), options.get("rtol")):
        if limit is not None:
            array(limit)
    if options.get(keyword) is not None and options.get("rtol") is not None:
        raise ValueArgumentError("E345", f"{name}: {keyword} and rtol cannot both be passed: they mean the same")


def _solve(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    a, b = arrays
    _squares(name, [a], options)
    rows = b.shape[0] if b.ndim == 1 else b.shape[-2] if b.ndim > 1 else None
    if rows is None or rows != a.shape[-1]:
        raise _unequal(name, a, b)
    if b.ndim > 1 and broadcast(a.shape[:-2], b.shape[:-2]) is None:
        raise MatrixShapeError("E169", f"{name} takes stacks that broadcast together, got {a.type} and {b.type}")


def _lstsq(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    a, b = arrays
    _one_limit(name, options, "rcond")
    if a.ndim != 2 or b.ndim not in (1, 2):
        what = f"{name} takes a matrix, and a vector or a matrix, got {a.type} and {b.type}"
        raise MatrixShapeError("E169", what)
    if a.shape[0] != b.shape[0]:
        raise _unequal(name, a, b)


def _tensorinv(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    x, ind = arrays[0], options.get("ind", 2)
    if ind <= 0:
        raise ValueArgumentError("E345", f"{name}: ind must be positive, got {ind!r}")
    if not x.ndim or not x.size or math.prod(x.shape[:ind]) != math.prod(x.shape[ind:]):
        what = f"{name} takes an array with as many elements along its first {ind} axes as along the others"
        raise MatrixShapeError("E169", f"{what}, got {x.type}")


def _tensorsolve(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    a, b = arrays
    axes = options.get("axes")
    sizes = list(a.shape)
    if axes is not None:
        moved = [axis for axis in axes if 0 <= axis < a.ndim]
        if len(moved) != len(axes) or len(set(moved)) != len(moved):
            what = f"{name}: axes must be different axes of {a.type}, counted from the front, got {axes!r}"
            raise ValueArgumentError("E345", what)
        sizes = [size for axis, size in enumerate(a.shape) if axis not in moved] + [a.shape[axis] for axis in moved]
    unknowns = math.prod(sizes[b.ndim - a.ndim :])
    if a.size != unknowns * unknowns or b.size != unknowns:
        raise _unequal(name, a, b)


def _cond(name: str, arrays: Sequence[Any], options: dict[str, Any]) -> None:
    p = options.get("p")
    (x,) = arrays
    if isinstance(p, str) or p is None:
        one_of(p, (None, "fro", "nuc"), name, "p")
    elif p not in (1, -1, 2, -2, math.inf, -math.inf):
        raise ValueArgumentError("E345", f"{name}: p must be None, 'fro', 'nuc', or ±1, ±2, ±inf, got {p!r}")
    (_matrices if p in (None, 2, -2) else _squares)(name, arrays, options)
    if not x.shape[-1] or not x.shape[-2]:
        raise MatrixShapeError("E169", f"{name} takes matrices with elements, got {x.type}")


def _unequal(name: str, a: Any, b: Any) -> MatrixShapeError:
    return MatrixShapeError("E169", f"{name} needs as many equations as unknowns, got {a.type} and {b.type}")


_CHECKS: dict[str, tuple[Check, tuple[str, ...]]] = {
    **dict.fromkeys(("cholesky", "inv", "det", "slogdet", "eig", "eigvals"), (_squares, ("a",))),
    **dict.fromkeys(("eigh", "eigvalsh"), (_symmetric, ("a", "UPLO"))),
    "svd": (_singular, ("a", "full_matrices", "compute_uv", "hermitian")),
    "svdvals": (_matrices, ("x",)),
    "qr": (_qr, ("a", "mode")),
    "pinv": (_pinv, ("a", "rcond", "hermitian")),
    "matrix_rank": (_matrix_rank, ("A", "tol", "hermitian")),
    "solve": (_solve, ("a", "b")),
    "lstsq": (_lstsq, ("a", "b", "rcond")),
    "tensorinv": (_tensorinv, ("a", "ind")),
    "tensorsolve": (_tensorsolve, ("a", "b", "axes")),
    "cond": (_cond, ("x", "p")),
}
"""For each function its check, and its parameters in order."""
_PAIRS = ("solve", "lstsq", "tensorsolve")
"""Functions of two arrays."""


def check(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Check the arguments of a function; a call that lacks some is left to the function.

    Raises:
        MatrixShapeError E169: there are no such matrices, or they do not fit together.
        DTypeError E221: they are neither float32 nor float64, nor integers.
        ValueArgumentError E345: another argument has a value that the function does not take.
    """
    checked, names = _CHECKS[name]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    wanted = names[: 2 if name in _PAIRS else 1]
    if len(args) > len(names) or any(one not in arguments for one in wanted):
        return
    arrays = [array(arguments[one]) for one in wanted]
    for x in arrays:
        check_floats(name, x)
    checked(name, arrays, arguments)


def check_floats(name: str, x: Any) -> None:
    """Refuse an array of floats that LAPACK does not know.

    Raises:
        DTypeError E221: it is one.
    """
    if is_float(x.dtype) and x.dtype not in (float32, float64):
        raise DTypeError("E221", f"{name} takes float32 or float64, got {x.type}", help="cast first")
