# SPDX-License-Identifier: Apache-2.0
"""Questions about dtypes and about what arguments are, and arrays of a wanted kind."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array.functions.bounds import require as require_that
from hybridize.array.functions.elementwise import copy
from hybridize.array.functions.keywords import universal
from hybridize.array.functions.searching import data_dependent
from hybridize.array.ndarray import ndarray, taping, view
from hybridize.array.operands import array, floats, made_in_order, one_of, operand, public, result
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import DType, as_dtype, bfloat16, float16, is_complex, is_float, is_inexact
from hybridize.base.errors import ArgumentError, ValueArgumentError
from hybridize.base.promotion import result_dtype
from hybridize.ops.complexes import Conj, ImagPart, RealPart
from hybridize.ops.op import ACTIVE, Op, bind1, capturing

_REAL_IF_CLOSE = data_dependent("real_if_close", numpy.real_if_close)


def _numpys(x: Any) -> Any:
    """A dtype, or a class of NumPy's scalars, as NumPy's functions know it: bfloat16 is a float as float16 is."""
    try:
        return float16 if numpy.dtype(x) == bfloat16 else x
    except TypeError:
        return x


@public
def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Tell whether a dtype is of a class of NumPy's scalars: `issubdtype(x.dtype, np.floating)`."""
    for one in (arg1, arg2):
        if isinstance(one, (ndarray, numpy.ndarray, Symbol)):
            raise ArgumentError("E344", "issubdtype takes dtypes, got an array", help="pass x.dtype")
    scalar = _numpys(arg1)
    if scalar is float16 and arg1 != float16:
        return arg2 in (numpy.generic, numpy.number, numpy.inexact, numpy.floating) or _numpys(arg2) is float16 != arg2
    return _numpys(arg2) is arg2 and bool(numpy.issubdtype(scalar, arg2))


@public
def isdtype(dtype: Any, kind: Any) -> bool:
    """Tell whether a dtype is of a kind, of one of several in a tuple, or the dtype that is named.

    Kinds: bool, signed integer, unsigned integer, integral, real floating, complex floating, numeric.
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, part) for part in kind)
    element = as_dtype(dtype)
    if not isinstance(kind, str):
        return element == as_dtype(kind)
    one_of(kind, tuple(_KINDS), "isdtype", "kind")
    return ("f" if is_float(element) else element.kind) in _KINDS[kind]


_KINDS = {
    "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
    "complex floating": "c", "numeric": "iufc",
}  # fmt: skip


@public
def isscalar(element: Any) -> bool:
    """Tell whether it is a number (or a string), not an array, not even one without axes."""
    if isinstance(element, Symbol):
        return element.weak is not None
    return bool(numpy.isscalar(element))


@public
def iterable(y: Any) -> bool:
    """Tell whether one can go through it."""
    if isinstance(y, (ndarray, Symbol)):
        return bool(y.ndim)
    return bool(numpy.iterable(y))


@public
def common_type(*arrays: Any) -> Any:
    """The class of floats that arrays compute in together; of integers float64, as in NumPy.

    Raises:
        ArgumentError E344: bools among them.
    """
    dtypes = [x.dtype for x in map(array, arrays)]
    if any(dtype.kind == "b" for dtype in dtypes):
        raise ArgumentError("E344", "common_type: bools are not supported", help="cast first: x.astype(...)")
    floats = [dtype if is_inexact(dtype) else numpy.dtype("f8") for dtype in dtypes]
    return result_dtype(floats or [numpy.dtype("f2")]).type


@public
def min_scalar_type(a: Any) -> DType:
    """The smallest dtype that holds a number; the dtype of an array with axes."""
    return numpy.min_scalar_type(a.asnumpy() if isinstance(a, ndarray) else a)


@public
def asfortranarray(a: Any, dtype: Any = None) -> Any:
    """`a` with its elements column by column in memory; a copy, unless they are so."""
    x = array(a)
    x = x if dtype is None else x.astype(dtype, copy=False)
    return x if x.ndim < 2 or _is_columns(x) else np.transpose(copy(np.transpose(x)))


def _is_columns(x: Any) -> bool:
    step, wanted = x.itemsize, []
    for length in x.shape:
        wanted.append(step)
        step *= length
    return all(have == want or length < 2 for have, want, length in zip(x.strides, wanted, x.shape, strict=True))


@public
def isfortran(a: Any) -> bool:
    """Tell whether the elements lie column by column in memory, and not row by row as well."""
    x = array(a)
    return x.ndim > 1 and _is_columns(x) and not _is_columns(np.transpose(x))


@public
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """`a` as an array without NaN and infinities.

    Raises:
        ValueArgumentError E345: there is one.
    """
    made_in_order(order, "asarray_chkfinite")
    x = np.asarray(a, dtype)
    require_that(np.all(np.isfinite(x)), "asarray_chkfinite: no element is infinite or NaN")
    return x


_REQUIREMENTS = {
    "C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F", "A": "A",
    "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E",
}  # fmt: skip


@public
def require(a: Any, dtype: Any = None, requirements: Any = None) -> Any:
    """`a` as an array of a dtype that lies in memory as is required; a copy, unless it does.

    Args:
        a: any array.
        dtype: as it is unless said.
        requirements: words: `C` (row by row), `F` (column by column), `A` (aligned, which all are), `W` (may be
            written), `O` (no view), `E` (an array, which all are).

    Raises:
        ValueArgumentError E345: an unknown word, or both orders.
    """
    words = [requirements] if isinstance(requirements, str) else list(requirements or ())
    known = {str(word).upper() for word in words}
    for word in known:
        one_of(word, tuple(_REQUIREMENTS), "require", "requirements")
    wanted = {_REQUIREMENTS[word] for word in known}
    if {"C", "F"} <= wanted:
        raise ValueArgumentError("E345", "require: an array can be C-contiguous or Fortran-contiguous, not both")
    x = np.asarray(a, dtype)
    if "F" in wanted:
        x = asfortranarray(x)
    elif "C" in wanted and not _is_columns(np.transpose(x)):
        x = copy(x)
    base = getattr(x, "_data", None)
    if isinstance(base, numpy.ndarray):
        if ("W" in wanted and not base.flags.writeable) or ("O" in wanted and not base.flags.owndata):
            x = copy(x)
    elif wanted & {"W", "O"}:
        x = copy(x)
    return x


def _part(z: Any, op: Op) -> Any:
    """One part of complex numbers: imperatively a view; in a program read-only, since no write would reach the rest."""
    if isinstance(z, Symbol) or (ACTIVE and capturing()):
        part: Symbol = result(bind1(op, operand(z)))
        return part.view_by(ops.Broadcast(part.shape))
    tape = taping() if ACTIVE else None
    return tape.view(z, (op,)) if tape is not None else view(z, *op.reference(z._data))


@public
def real(val: Any) -> Any:
    """The real part, a view: of real numbers the array itself."""
    x = array(val)
    return _part(x, RealPart()) if is_complex(x.dtype) else x


@public
def imag(val: Any) -> Any:
    """The imaginary part, a view: of real numbers zeros."""
    x = array(val)
    return _part(x, ImagPart()) if is_complex(x.dtype) else np.zeros_like(x)


@universal(1)
def conj(x: Any) -> Any:
    """The complex conjugate: of real numbers a copy."""
    z = array(x)
    return result(bind1(Conj(), operand(z))) if is_complex(z.dtype) else copy(z)


@public
def angle(z: Any, deg: bool = False) -> Any:
    """The angle of numbers in the plane, in radians unless `deg`: 0, and pi of those below 0."""
    x = floats(z)
    angles = np.arctan2(imag(x), real(x)) if is_complex(x.dtype) else np.arctan2(0.0, x)
    return np.degrees(angles) if deg else angles


@public
def isreal(x: Any) -> Any:
    """True where the imaginary part is 0: of real numbers everywhere."""
    return np.equal(imag(x), 0)


@public
def iscomplex(x: Any) -> Any:
    """True where the imaginary part is not 0: of real numbers nowhere."""
    return np.not_equal(imag(x), 0)


@public
def isrealobj(x: Any) -> bool:
    """Tell whether it is of real numbers."""
    return not iscomplexobj(x)


@public
def iscomplexobj(x: Any) -> bool:
    """Tell whether it is of complex numbers."""
    dtype = getattr(x, "dtype", None)
    return bool(numpy.iscomplexobj(x)) if dtype is None else bool(dtype.kind == "c")


@public
def real_if_close(a: Any, tol: float = 100) -> Any:
    """The real part, where the imaginary one is nearly 0; else, and of real numbers, the array itself.

    Args:
        a: an array.
        tol: in machine epsilons of the dtype where it is above 1, else itself what may be left.
    """
    z = array(a)
    return _REAL_IF_CLOSE(z, tol) if is_complex(z.dtype) else z
