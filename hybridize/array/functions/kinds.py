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
    """Tell whether a dtype belongs to a class of NumPy's scalars.

    >>> np.issubdtype(np.ones(2).dtype, np.floating)
    True
    """
    for one in (arg1, arg2):
        if isinstance(one, (ndarray, numpy.ndarray, Symbol)):
            raise ArgumentError("E344", "issubdtype takes dtypes, got an array", help="pass x.dtype")
    scalar = _numpys(arg1)
    if scalar is float16 and arg1 != float16:
        return arg2 in (numpy.generic, numpy.number, numpy.inexact, numpy.floating) or _numpys(arg2) is float16 != arg2
    return _numpys(arg2) is arg2 and bool(numpy.issubdtype(scalar, arg2))


@public
def isdtype(dtype: Any, kind: Any) -> bool:
    """Tell whether a dtype is of a kind, of one of several kinds in a tuple, or is the dtype that is named.

    Kinds: bool, signed integer, unsigned integer, integral, real floating, complex floating, numeric.

    >>> np.isdtype(np.float32, "real floating"), np.isdtype(np.int8, ("bool", "real floating"))
    (True, False)
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
    """Tell whether an object is a number or a string; arrays without axes are not.

    >>> np.isscalar(3.1), np.isscalar(np.array(3.1))
    (True, False)
    """
    if isinstance(element, Symbol):
        return element.weak is not None
    return bool(numpy.isscalar(element))


@public
def iterable(y: Any) -> bool:
    """Tell whether a loop can go through an object.

    >>> np.iterable([1, 2]), np.iterable(2)
    (True, False)
    """
    if isinstance(y, (ndarray, Symbol)):
        return bool(y.ndim)
    return bool(numpy.iterable(y))


@public
def common_type(*arrays: Any) -> Any:
    """Return the class of floats that arrays compute in together; of integers float64, as in NumPy.

    Raises:
        ArgumentError E344: bools among them.

    >>> np.common_type(np.ones(2), np.ones(2, dtype="float16"))
    <class 'numpy.float32'>
    """
    dtypes = [x.dtype for x in map(array, arrays)]
    if any(dtype.kind == "b" for dtype in dtypes):
        raise ArgumentError("E344", "common_type: bools are not supported", help="cast first: x.astype(...)")
    floats = [dtype if is_inexact(dtype) else numpy.dtype("f8") for dtype in dtypes]
    return result_dtype(floats or [numpy.dtype("f2")]).type


@public
def min_scalar_type(a: Any) -> DType:
    """Return the smallest dtype that holds a number; the dtype of an array that has axes.

    >>> np.min_scalar_type(300)
    dtype('uint16')
    """
    return numpy.min_scalar_type(a.asnumpy() if isinstance(a, ndarray) else a)


@public
def asfortranarray(a: Any, dtype: Any = None) -> Any:
    """Return an array with its elements column by column in memory; a copy, unless they lie so already.

    >>> np.isfortran(np.asfortranarray(np.ones((2, 3))))
    True
    """
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
    """Tell whether the elements lie column by column in memory, and not also row by row.

    >>> np.isfortran(np.ones((2, 3))), np.isfortran(np.ones((2, 3)).T)
    (False, True)
    """
    x = array(a)
    return x.ndim > 1 and _is_columns(x) and not _is_columns(np.transpose(x))


@public
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """Return `a` as an array, and refuse NaN and infinities.

    Raises:
        ValueArgumentError E345: there is one.

    >>> np.asarray_chkfinite([1, 2])
    array([1., 2.])
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
    """Return an array of a dtype that lies in memory as you require; a copy only where it does not.

    Args:
        a: any array.
        dtype: as it is unless said.
        requirements: words: `C` (row by row), `F` (column by column), `A` (aligned, which all are), `W` (may be
            written), `O` (no view), `E` (an array, which all are).

    Raises:
        ValueArgumentError E345: an unknown word, or both orders.

    >>> np.require([[1, 2], [3, 4]], "float64", "C")
    array([[1., 2.],
           [3., 4.]], dtype=float64)
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
    return tape.view(z, (op,)) if tape is not None else view(z, *op.reference(z._content))


@public
def real(val: Any) -> Any:
    """Return the real part of each element, as a view; of real numbers the array itself.

    >>> np.real(np.array([1 + 2j, 3], dtype="complex64"))
    array([1., 3.])
    """
    x = array(val)
    return _part(x, RealPart()) if is_complex(x.dtype) else x


@public
def imag(val: Any) -> Any:
    """Return the imaginary part of each element, as a view; of real numbers zeros.

    >>> np.imag(np.array([1 + 2j, 3], dtype="complex64"))
    array([2., 0.])
    """
    x = array(val)
    return _part(x, ImagPart()) if is_complex(x.dtype) else np.zeros_like(x)


@universal(1)
def conj(x: Any) -> Any:
    """Return the complex conjugate of each element; of real numbers a copy.

    >>> np.conj(np.array([1 + 2j], dtype="complex64"))
    array([1.-2.j], dtype=complex64)
    """
    z = array(x)
    return result(bind1(Conj(), operand(z))) if is_complex(z.dtype) else copy(z)


@public
def angle(z: Any, deg: bool = False) -> Any:
    """Return the angle of complex numbers in the plane: 0 of positive real numbers, pi of negative ones.

    Args:
        z: an array.
        deg: give degrees instead of radians.

    >>> np.angle(np.array([1j, -1], dtype="complex64"), deg=True)
    array([ 90., 180.])
    """
    x = floats(z)
    angles = np.arctan2(imag(x), real(x)) if is_complex(x.dtype) else np.arctan2(0.0, x)
    return np.degrees(angles) if deg else angles


@public
def isreal(x: Any) -> Any:
    """Return whether the imaginary part of each element is 0.

    >>> np.isreal(np.array([1 + 2j, 3], dtype="complex64"))
    array([False,  True])
    """
    return np.equal(imag(x), 0)


@public
def iscomplex(x: Any) -> Any:
    """Return whether the imaginary part of each element is not 0.

    >>> np.iscomplex(np.array([1 + 2j, 3], dtype="complex64"))
    array([ True, False])
    """
    return np.not_equal(imag(x), 0)


@public
def isrealobj(x: Any) -> bool:
    """Tell whether the dtype of an array is not one of complex numbers.

    >>> np.isrealobj(np.zeros(2, dtype="complex64")), np.isrealobj(np.zeros(2))
    (False, True)
    """
    return not iscomplexobj(x)


@public
def iscomplexobj(x: Any) -> bool:
    """Tell whether the dtype of an array is one of complex numbers.

    >>> np.iscomplexobj(np.zeros(2, dtype="complex64")), np.iscomplexobj(np.zeros(2))
    (True, False)
    """
    dtype = getattr(x, "dtype", None)
    return bool(numpy.iscomplexobj(x)) if dtype is None else bool(dtype.kind == "c")


@public
def real_if_close(a: Any, tol: float = 100) -> Any:
    """Return the real parts where all imaginary parts are nearly 0; otherwise the array itself.

    Args:
        a: an array.
        tol: in machine epsilons of the dtype where it is above 1, else itself what may be left.

    >>> np.real_if_close(np.array([1 + 1e-9j, 2], dtype="complex64"))
    array([1., 2.])
    """
    z = array(a)
    return _REAL_IF_CLOSE(z, tol) if is_complex(z.dtype) else z
