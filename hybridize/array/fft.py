# SPDX-License-Identifier: Apache-2.0
"""`np.fft`: discrete Fourier transforms, by NumPy's pocketfft imperatively and in programs; with gradients.

float32 gives complex64 and complex64 float32, as in NumPy 2; integers and half floats count as float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy

from hybridize import ops
from hybridize.array.functions.creation import arange
from hybridize.array.functions.elementwise import divide
from hybridize.array.functions.kinds import conj
from hybridize.array.functions.shapes import concatenate, roll
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array, axis_of, cast, cut, described, finished, one_of, operand, public, result
from hybridize.base.dtypes import complex_of, is_complex, part_of
from hybridize.base.errors import DTypeError, ShapeError, ValueArgumentError
from hybridize.base.missing import by_numpy
from hybridize.base.names import refuses
from hybridize.ops.fourier import NORMS, Fourier, InverseRealFourier, RealFourier
from hybridize.ops.op import Op, bind1

Transform = Callable[..., ndarray]


def _norm(norm: Any, name: str) -> str:
    """The word for a scaling; None is that of NumPy's default."""
    one_of(norm, (None, *NORMS), name, "norm")
    return "backward" if norm is None else str(norm)


def _complex(x: Any) -> Any:
    """An array of complex numbers."""
    return result(cast(operand(x), complex_of(x.dtype)))


def _floats(x: Any, name: str) -> Any:
    """An array of float32 or float64.

    Raises:
        DTypeError E244: it is of complex numbers.
    """
    if is_complex(x.dtype):
        raise DTypeError(
            "E244",
            f"{name} takes real numbers, got {x.type}",
            help="use fft for complex numbers, or take the real part: x.real",
        )
    return result(cast(operand(x), part_of(x.dtype)))


def _resized(x: Any, n: int, axis: int) -> Any:
    """The first `n` elements along an axis, with zeros behind where there are fewer."""
    length = int(x.shape[axis])
    if n <= length:
        return x if n == length else cut(x, axis, n)
    shape = tuple(n - length if k == axis else size for k, size in enumerate(x.shape))
    return concatenate([x, result(bind1(ops.Broadcast(shape), cast(0, x.dtype)))], axis)


def _points(own: Any, n: Any, name: str) -> int:
    """The number of points along an axis: its own unless said."""
    count = int(own if n is None else n.__index__())
    if count < 1:
        raise ValueArgumentError("E345", f"{name}: the number of points must be positive, got {count}")
    return count


def _applied(op: Op, x: Any) -> Any:
    return result(bind1(op, operand(x)))


def _along(x: Any, n: Any, axis: Any, norm: str, name: str, inverse: bool) -> Any:
    """The transform along one axis, or its inverse; of floats they are not made complex before."""
    x = x if is_complex(x.dtype) else _floats(x, name)
    along = axis_of(axis, x.ndim, name)
    return _applied(Fourier(along, inverse, norm), _resized(x, _points(x.shape[along], n, name), along))


def _real_along(x: Any, n: Any, axis: Any, norm: str, name: str) -> Any:
    x = _floats(x, name)
    along = axis_of(axis, x.ndim, name)
    return _applied(RealFourier(along, norm), _resized(x, _points(x.shape[along], n, name), along))


def _to_real_along(x: Any, n: Any, axis: Any, norm: str, name: str) -> Any:
    x = _complex(x)
    along = axis_of(axis, x.ndim, name)
    n = _points(2 * (x.shape[along] - 1), n, name)
    return _applied(InverseRealFourier(along, n, norm), _resized(x, n // 2 + 1, along))


@public
def fft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the discrete Fourier transform along an axis, as complex numbers.

    Args:
        a: an array; with a gradient.
        n: points along the axis: what is beyond is left out, what lacks is 0; None: those of the array.
        axis: the axis.
        norm: the direction that divides: `backward` (by n, the default), `ortho` (both, by its root), `forward`.
        out: where to write the result.

    Raises:
        ValueArgumentError E345: there are no points.

    >>> np.fft.fft(np.array([1, 0, 0, 0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return finished(_along(array(a), n, axis, _norm(norm, "fft"), "fft", False), out)


@public
def ifft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the inverse of `fft`, as complex numbers; arguments are those of `fft`.

    >>> np.fft.ifft(np.array([4, 0, 0, 0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return finished(_along(array(a), n, axis, _norm(norm, "ifft"), "ifft", True), out)


@public
def rfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the first n // 2 + 1 numbers of `fft` of real numbers; the others are conjugates. Arguments are those of
    `fft`.

    Raises:
        DTypeError E244: there are complex numbers.

    >>> np.fft.rfft(np.array([1, 0, 0, 0]))
    array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return finished(_real_along(array(a), n, axis, _norm(norm, "rfft"), "rfft"), out)


@public
def irfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the inverse of `rfft`: `n` real numbers, 2 (m - 1) of m numbers unless you pass `n`. Arguments are those
    of `fft`.

    Numbers of float16 give float32, where NumPy gives float16.

    >>> np.fft.irfft(np.array([4, 0, 0]))
    array([1., 1., 1., 1.])
    """
    return finished(_to_real_along(array(a), n, axis, _norm(norm, "irfft"), "irfft"), out)


@public
def hfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return `fft` of a signal that is its own conjugate mirrored, of which you pass the first half; real numbers.

    Arguments are those of `fft`.

    >>> np.fft.hfft(np.array([1, 2, 1]))
    array([ 6.,  0., -2.,  0.])
    """
    return finished(_to_real_along(conj(array(a)), n, axis, NORMS[_norm(norm, "hfft")], "hfft"), out)


@public
def ihfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the inverse of `hfft`: the first n // 2 + 1 numbers. Arguments are those of `fft`.

    Raises:
        DTypeError E244: there are complex numbers.

    >>> np.fft.ihfft(np.array([6, 0, -2, 0])).round(4)
    array([1.+0.j, 2.+0.j, 1.+0.j], dtype=complex64)
    """
    return finished(conj(_real_along(array(a), n, axis, NORMS[_norm(norm, "ihfft")], "ihfft")), out)


def _sizes(x: Any, s: Any, axes: Any, name: str, of_real: bool = False) -> tuple[list[Any], list[int]]:
    """The points along axes, and the axes: the last ones for sizes without axes, all without either.

    Raises:
        ShapeError E188: there are not as many sizes as axes.
    """
    if axes is None:
        count = x.ndim if s is None else len(s)
        chosen = list(range(-count, 0))
    else:
        chosen = [axes] if isinstance(axes, int) else list(axes)
    sizes = [None] * len(chosen) if s is None else [None if size in (None, -1) else size for size in s]
    if len(sizes) != len(chosen):
        raise ShapeError("E188", f"{name}: {len(sizes)} sizes for {len(chosen)} axes", help="give a size for each axis")
    indices = [axis_of(axis, x.ndim, name) for axis in chosen]
    if of_real and not indices:
        raise ShapeError("E188", f"{name} of {x.type}: it needs an axis")
    return sizes, indices


_forward, _backward = partial(_along, inverse=False), partial(_along, inverse=True)


def _over(
    name: str, last: Callable[..., Any], rest: Callable[..., Any], axes: Any, text: str, *, ends: bool = False
) -> Transform:
    """A transform along several axes: of one kind along the last of them, of another along the rest.

    Args:
        name: the function's.
        last: the transform along the last axis, which is the first one; or the last one where it `ends`.
        rest: the transform along the others.
        axes: those of a call that does not say any.
        text: the function's.
        ends: the transform along the last axis comes at the end.
    """

    def function(a: Any, s: Any = None, axes: Any = axes, norm: Any = None, out: Any = None) -> ndarray:
        x, scaling = array(a), _norm(norm, name)
        sizes, chosen = _sizes(x, s, axes, name, last is not rest)
        if ends or not chosen:
            x = _complex(x)
        steps = [*zip([rest] * (len(chosen) - 1) + [last], sizes, chosen, strict=False)]
        for step, n, axis in steps if ends else steps[::-1]:
            x = step(x, n, axis, scaling, name)
        return finished(x, out)

    return described(function, name, text)


_TWO = (-2, -1)
fftn: Transform = _over(
    "fftn", _forward, _forward, None,
    """Return `fft` along several axes; along all, where you pass neither `s` nor `axes`.

    Args:
        a: an array.
        s: points along each axis: elements beyond are left out, missing ones are 0.
        axes: the axes; the last ones, as many as `s` has, unless you pass them.
        norm: as in `fft`.
        out: an array that the result is written to.

    >>> np.fft.fftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """,
)  # fmt: skip
ifftn: Transform = _over(
    "ifftn",
    _backward,
    _backward,
    None,
    """Return the inverse of `fftn`; arguments are those of `fftn`.

    >>> np.fft.ifftn(np.ones((2, 2)))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """,
)
fft2: Transform = _over(
    "fft2",
    _forward,
    _forward,
    _TWO,
    """Return `fft` along two axes; arguments are those of `fftn`.

    >>> np.fft.fft2(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """,
)
ifft2: Transform = _over(
    "ifft2",
    _backward,
    _backward,
    _TWO,
    """Return the inverse of `fft2`; arguments are those of `fftn`.

    >>> np.fft.ifft2(np.ones((2, 2)))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """,
)
rfftn: Transform = _over(
    "rfftn",
    _real_along,
    _forward,
    None,
    """Return `rfft` along the last of `axes`, then `fft` along the others; arguments are those of `fftn`.

    >>> np.fft.rfftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """,
)
rfft2: Transform = _over(
    "rfft2",
    _real_along,
    _forward,
    _TWO,
    """Return `rfft` along the last of two axes, then `fft` along the other; arguments are those of `fftn`.

    >>> np.fft.rfft2(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], dtype=complex64)
    """,
)
irfftn: Transform = _over(
    "irfftn",
    _to_real_along,
    _backward,
    None,
    """Return the inverse of `rfftn`; `s` has the points of the result. Arguments are those of `fftn`.

    >>> np.fft.irfftn(np.array([[4, 0], [0, 0]]))
    array([[1., 1.],
           [1., 1.]])
    """,
    ends=True,
)
irfft2: Transform = _over(
    "irfft2",
    _to_real_along,
    _backward,
    _TWO,
    """Return the inverse of `rfft2`; `s` has the points of the result. Arguments are those of `fftn`.

    >>> np.fft.irfft2(np.array([[4, 0], [0, 0]]))
    array([[1., 1.],
           [1., 1.]])
    """,
    ends=True,
)


@public
def fftfreq(n: int, d: Any = 1.0, *, dtype: Any = None, device: Any = None) -> ndarray:
    """Return the frequencies of the points of `fft`, in cycles per unit of the sample spacing `d`; float32 by default.

    >>> np.fft.fftfreq(4, d=0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    count = _count(n, "fftfreq")
    positive = (count - 1) // 2 + 1
    counts = [arange(0, positive, dtype=dtype, device=device), arange(-(count // 2), 0, dtype=dtype)]
    return divide(concatenate(counts), count * d)


@public
def rfftfreq(n: int, d: Any = 1.0, *, dtype: Any = None, device: Any = None) -> ndarray:
    """Return the frequencies of the points of `rfft`, in cycles per unit of the sample spacing `d`; float32 by default.

    >>> np.fft.rfftfreq(4, d=0.5)
    array([0. , 0.5, 1. ])
    """
    count = _count(n, "rfftfreq")
    return divide(arange(0, count // 2 + 1, dtype=dtype, device=device), count * d)


def _count(n: Any, name: str) -> int:
    if not isinstance(n, (int, numpy.integer)) or n < 1:
        raise ValueArgumentError("E345", f"{name}: n must be a positive integer, got {n!r}")
    return int(n)


def _moved(x: Any, axes: Any, name: str, shift: Any) -> Any:
    """An array rolled along axes by a function of their sizes."""
    numbers: Sequence[Any] = range(x.ndim) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    chosen = tuple(axis_of(axis, x.ndim, name) for axis in numbers)
    return roll(x, tuple(shift(int(x.shape[axis])) for axis in chosen), chosen)


@public
def fftshift(x: Any, axes: Any = None) -> ndarray:
    """Return the points in the order of their frequencies, 0 in the middle, along all axes or those of `axes`.

    >>> np.fft.fftshift(np.fft.fftfreq(4))
    array([-0.5 , -0.25,  0.  ,  0.25])
    """
    return _moved(array(x), axes, "fftshift", lambda size: size // 2)


@public
def ifftshift(x: Any, axes: Any = None) -> ndarray:
    """Return the inverse of `fftshift`.

    >>> np.fft.ifftshift(np.array([-2, -1, 0, 1]))
    array([ 0.,  1., -2., -1.])
    """
    return _moved(array(x), axes, "ifftshift", lambda size: -(size // 2))


_NAMES = (
    "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn"
)
__all__ = _NAMES.split()


__getattr__: Callable[[str], Any] = refuses("hybridize.np.fft", globals(), by_numpy("numpy.fft"))
