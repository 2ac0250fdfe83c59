# SPDX-License-Identifier: Apache-2.0
"""Convolution over one, two or three axes, and transposed: the contraction that it is, the shape of its result."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from hybridize.base import dims
from hybridize.base.dtypes import DType
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.precision import default_precision
from hybridize.base.types import Shape, TensorType
from hybridize.loops.contraction import Contraction, Subscript, plain, subscript
from hybridize.ops.contract import check_operands, check_ranges, contracted
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import reshape

Padding = Sequence[int | tuple[int, int]]
"""Zeros before and after each axis, as many on both sides where it is one number; below 0, elements are left out."""


def convolution(
    x: Operand,
    w: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Padding = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    x_dilation: int | Sequence[int] = 1,
    channels_last: bool = False,
    result: DType | None = None,
) -> Operand:
    """Return the convolution, as networks call the correlation: [n, o, y...].

    out[n, o, y...] = sum over c, r... of x[n, c, (strides * y + dilation * r - padding) / x_dilation...] w[o, c, r...]

    Args:
        x: [n, c, i...], with one to three axes i.
        w: [o, c / groups, r...].
        strides: the distance of windows, for each axis or all.
        padding: see `Padding`.
        dilation: the distance of elements of a window.
        groups: the parts of c and o; each part of o sees one of c.
        x_dilation: the distance at which the elements of x stand, zeros between them: by this, a convolution is
            transposed.
        channels_last: x is [n, i..., c], w is [o, r..., c / groups], and the result [n, y..., o].
        result: the dtype of the result; None: that of the operands.

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be.
        DTypeError E221, E222: the operands are not numbers of one dtype.
        ShapeError E173: the result, or where it reaches, is beyond 64 bits.
        ShapeError E174: the operands have other axes.
        ShapeError E175: a window does not fit into x with its padding.
    """
    of, by = type_of(x), type_of(w)
    rank = _axes_of_windows("convolution", of, by, channels_last, ("o", "c"))
    numbers = _numbers("convolution", rank, strides, padding, dilation, groups)
    spread = each_axis("convolution", "x_dilation", x_dilation, rank)
    plan = _convolved_once if dims.known((*of.shape, *by.shape)) else _convolved
    return plan(of, by, *numbers, spread, channels_last).applied(x, w, result)


def _numbers(
    name: str,
    rank: int,
    strides: int | Sequence[int],
    padding: int | Padding,
    dilation: int | Sequence[int],
    groups: int,
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...], int]:
    """Return the strides, the padding on both sides and the dilation along each axis, and the number of groups."""
    (parts,) = each_axis(name, "groups", groups, 1)
    return (
        each_axis(name, "strides", strides, rank),
        tuple(_sides(padding, rank)),
        each_axis(name, "dilation", dilation, rank),
        parts,
    )


def _convolved(
    of: TensorType,
    by: TensorType,
    steps: tuple[int, ...],
    sides: tuple[tuple[int, ...], ...],
    spaces: tuple[int, ...],
    groups: int,
    spread: tuple[int, ...],
    channels_last: bool,
) -> _Planned:
    """Return the contraction that a convolution is."""
    channels, _ = _parted(of.shape, channels_last)
    part, window = _parted(by.shape, channels_last)
    if channels != part * groups or by.shape[0] % groups != 0:
        parts = f" in {groups} groups" if groups != 1 else ""
        other = 1 if channels_last else of.ndim - 1
        turned = f"; axis {other} has so many: is the layout another one?" if of.shape[other] == part * groups else ""
        raise ShapeError(
            "E174",
            f"convolution{parts} of {of} with weight {by}",
            help=f"the channels of x, {dims.text(channels)}, must be groups * "
            f"{dims.text(part)}, and the groups divide {dims.text(by.shape[0])}{turned}",
        )
    sizes = tuple(
        _length(of, by, channels_last, axis, steps[axis], sides[axis], spaces[axis], spread[axis])
        for axis in range(len(steps))
    )
    map_ = _Map(channels_last, groups, sizes, window)
    return map_.planned(
        "convolution",
        (of, by),
        (by.shape[0], part),
        tuple(
            subscript(
                ((map_[f"y{axis}"], steps[axis]), (map_[f"r{axis}"], spaces[axis])), -sides[axis][0], spread[axis]
            )
            for axis in range(len(steps))
        ),
        ("o", "c"),
    )


def transposed_convolution(
    x: Operand,
    w: Operand,
    strides: int | Sequence[int] = 1,
    padding: int | Padding = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    output_padding: int | Sequence[int] = 0,
    channels_last: bool = False,
    result: DType | None = None,
) -> Operand:
    """Return the transposed convolution, the gradient of a convolution by its input as a layer: [n, o, y...].

    out[n, o, y...] = sum over c, r... of x[n, c, (y + padding - dilation * r) / strides...] w[c, o, r...]

    Args:
        x: [n, c, i...], with one to three axes i.
        w: [c, o / groups, r...].
        strides: the distance, in the result, of what neighbours in x give.
        padding: elements of the result that are left out before and after each axis; see `Padding`.
        dilation: the distance of elements of a window.
        groups: the parts of c and o; each part of o sees one of c.
        output_padding: elements more at the end of each axis.
        channels_last: x is [n, i..., c], w is [c, r..., o / groups], and the result [n, y..., o].
        result: the dtype of the result; None: that of the operands.

    Raises:
        ArgumentError E398: a number is missing, or not one that it may be.
        DTypeError E221, E222: the operands are not numbers of one dtype.
        ShapeError E173: the result, or where it reaches, is beyond 64 bits.
        ShapeError E174: the operands have other axes.
        ShapeError E175: the result would have no element along an axis.
    """
    of, by = type_of(x), type_of(w)
    rank = _axes_of_windows("transposed convolution", of, by, channels_last, ("c", "o"))
    numbers = _numbers("transposed convolution", rank, strides, padding, dilation, groups)
    more = each_axis("transposed convolution", "output_padding", output_padding, rank, 0, 0)
    plan = _transposed_once if dims.known((*of.shape, *by.shape)) else _transposed
    return plan(of, by, *numbers, more, channels_last).applied(x, w, result)


def _transposed(
    of: TensorType,
    by: TensorType,
    steps: tuple[int, ...],
    sides: tuple[tuple[int, ...], ...],
    spaces: tuple[int, ...],
    groups: int,
    more: tuple[int, ...],
    channels_last: bool,
) -> _Planned:
    """Return the contraction that a transposed convolution is."""
    channels, pixels = _parted(of.shape, channels_last)
    part, window = _parted(by.shape, channels_last)
    if channels != by.shape[0] or channels % groups != 0:
        parts = f" in {groups} groups" if groups != 1 else ""
        raise ShapeError(
            "E174",
            f"transposed convolution{parts} of {of} with weight {by}",
            help=f"the channels of x, {dims.text(channels)}, must be the weight's {dims.text(by.shape[0])}, "
            f"and the groups divide them",
        )
    sizes = []
    for axis in range(len(steps)):
        size = (pixels[axis] - 1) * steps[axis] + (window[axis] - 1) * spaces[axis] + 1 + more[axis]
        size = size - sides[axis][0] - sides[axis][1]
        if window[axis] < 1 or size < 1:
            raise ShapeError(
                "E175",
                f"transposed convolution of {of} with weight {by}: along axis {axis + 1 + (not channels_last)}, the "
                f"result has no element",
                help="the result has (size - 1) * strides + (window - 1) * dilation + 1 + output_padding elements, "
                "minus the padding",
            )
        sizes.append(size)
    map_ = _Map(channels_last, groups, tuple(sizes), window)
    return map_.planned(
        "transposed convolution",
        (of, by),
        (part * groups, channels // groups),
        tuple(
            subscript(((map_[f"y{axis}"], 1), (map_[f"r{axis}"], -spaces[axis])), sides[axis][0], steps[axis])
            for axis in range(len(steps))
        ),
        ("c", "o"),
    )


class _Map:
    """The axes of the contraction that a convolution is, by letters: n, [g,] o, y... | c, r..., in order of the layout.

    An axis of one group is none.
    """

    def __init__(self, channels_last: bool, groups: int, sizes: Sequence[int], window: Sequence[int]) -> None:
        self._last, self._groups = channels_last, groups
        self._group = ("g",) if groups != 1 else ()
        pixels = tuple(f"y{axis}" for axis in range(len(sizes)))
        self._taps = tuple(f"r{axis}" for axis in range(len(sizes)))
        self._sizes = {
            "g": groups,
            **dict(zip(pixels, sizes, strict=True)),
            **dict(zip(self._taps, window, strict=True)),
        }
        self._result = self._ordered(("n",), (*self._group, "o"), pixels)
        self._axes = (*self._result, *self._ordered((), ("c",), self._taps))

    def _ordered(self, front: Sequence[Any], channels: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
        return (*front, *others, *channels) if self._last else (*front, *channels, *others)

    def __getitem__(self, letter: str) -> int:
        return self._axes.index(letter)

    def planned(
        self,
        name: str,
        operands: tuple[TensorType, TensorType],
        channels: tuple[int, int],
        windows: Sequence[Subscript],
        of_weight: tuple[str, str],
    ) -> _Planned:
        """Return the contraction.

        Args:
            name: what was called, for errors.
            operands: types of x and w.
            channels: all of the result, and of x in one group.
            windows: the indices of x along its axes of pixels.
            of_weight: the axes of channels of the weight, in order.
        """
        of, by = operands
        o, c = channels
        n, groups = of.shape[0], self._groups
        sizes = {**self._sizes, "n": n, "o": o // groups, "c": c}
        index = {letter: plain(self[letter]) for letter in self._axes}
        group = [index[letter] for letter in self._group]
        first, second = of_weight
        taps = [index[letter] for letter in self._taps]
        contraction = Contraction(
            tuple(sizes[letter] for letter in self._axes),
            len(self._result),
            self._ordered([index["n"]], [*group, index["c"]], windows),
            self._ordered([*group, index[first]], [index[second]], taps),
            default_precision(of.dtype),
        )
        check_ranges(f"{name} of {of} with weight {by}", contraction)
        x, w = of.shape, by.shape
        if groups != 1:
            x = self._ordered((n,), (groups, c), _parted(of.shape, self._last)[1])
            w = (groups, by.shape[0] // groups, *by.shape[1:])
        pixels = tuple(sizes[letter] for letter in self._axes if letter.startswith("y"))
        return _Planned(contraction, x, w, self._ordered((n,), (o,), pixels))


@frozen
class _Planned:
    """A contraction, the shapes in which it takes its operands, and that of the result."""

    contraction: Contraction
    x: Shape
    w: Shape
    result: Shape

    def applied(self, x: Operand, w: Operand, result: DType | None) -> Operand:
        """Compute it, as numbers of a dtype."""
        return reshape(contracted(self.contraction, reshape(x, self.x), reshape(w, self.w), result), self.result)


_convolved_once, _transposed_once = lru_cache(1024)(_convolved), lru_cache(1024)(_transposed)
"""The same, remembered for sizes that are known: imperative code asks again and again."""


def _parted(shape: Shape, channels_last: bool) -> tuple[int, Shape]:
    """Part a shape into channels and what is neither channels nor first."""
    return (shape[-1], shape[1:-1]) if channels_last else (shape[1], shape[2:])


def _axes_of_windows(name: str, x: TensorType, w: TensorType, channels_last: bool, channels: tuple[str, str]) -> int:
    """Return the number of axes of windows of operands that fit as far as the number of axes and the dtype go."""
    rank = x.ndim - 2
    if not 1 <= rank <= 3 or w.ndim != x.ndim:
        first, second = channels
        of, by = (
            ("[n, i..., c]", f"[{first}, r..., {second}]")
            if channels_last
            else ("[n, c, i...]", f"[{first}, {second}, r...]")
        )
        raise ShapeError(
            "E174",
            f"{name} needs {of} and weight {by} with one to three axes i and as many r, got {x} and {w}",
            help="np.expand_dims(x, 0) makes a batch of one input" if 3 <= w.ndim == x.ndim + 1 <= 5 else "",
        )
    check_operands(name, x, w)
    return rank


def each_axis(
    name: str, keyword: str, value: int | Sequence[int] | None, rank: int, default: int = 1, least: int = 1
) -> tuple[int, ...]:
    """Return a number for each axis of windows, of an argument that is one for all, one for each, or none.

    Args:
        name: what was called, for errors.
        keyword: of the argument.
        value: the argument; None or nothing in it: `default` everywhere.
        rank: the number of axes.
        default: where nothing is given.
        least: of the numbers.

    Raises:
        ArgumentError E398: they are not as many, not whole, or below `least`.
    """
    if value is None or (isinstance(value, Sequence) and not value):
        return (default,) * rank
    numbers = _whole(value if isinstance(value, Sequence) else (value,) * rank)
    if numbers is None or len(numbers) != rank or any(number < least for number in numbers):
        each = f", or {rank}, one for each axis" if rank > 1 else ""
        raise ArgumentError("E398", f"{name} with {keyword}={value!r}", help=f"use an integer of {least} or more{each}")
    return numbers


def _sides(padding: int | Padding, rank: int) -> list[tuple[int, ...]]:
    """Two numbers for each axis."""
    parts = padding if isinstance(padding, Sequence) else (padding,) * rank
    sides = [_whole(part if isinstance(part, Sequence) else (part, part)) for part in parts]
    whole: list[tuple[int, ...]] = [side for side in sides if side is not None and len(side) == 2]
    if not len(whole) == len(sides) == rank:
        raise ArgumentError(
            "E398",
            f"convolution over {rank} axes with padding={padding!r}",
            help="give one number for each axis, or two: before and after",
        )
    return whole


def _whole(numbers: Sequence[Any]) -> tuple[int, ...] | None:
    """Whole numbers, as Python's; None where one of them is none. The program holds for sizes among them only."""
    try:
        return tuple(map(operator.index, numbers))
    except TypeError:
        return None


def _length(
    x: TensorType,
    w: TensorType,
    channels_last: bool,
    axis: int,
    stride: int,
    sides: tuple[int, ...],
    dilation: int,
    x_dilation: int,
) -> int:
    """Size of the result along an axis of the windows."""
    at = axis + 1 if channels_last else axis + 2
    size, taps = x.shape[at], w.shape[at]
    spread = size if x_dilation == 1 or size == 0 else (size - 1) * x_dilation + 1
    room = spread + sides[0] + sides[1]
    return windows_along(lambda: f"convolution of {x} with weight {w}", at, room, taps, stride, dilation)


def windows_along(what: Callable[[], str], axis: int, room: int, taps: int, stride: int, dilation: int) -> int:
    """Return the number of windows along an axis.

    Args:
        what: names what is computed, for errors.
        axis: of the image, for errors.
        room: the elements of the axis, those of the padding among them.
        taps: the elements of a window.
        stride: the distance of windows.
        dilation: the distance of elements of a window.

    Raises:
        ShapeError E175: a window has no element, or does not fit.
    """
    if taps < 1:
        raise ShapeError(
            "E175",
            f"{what()}: the window is empty along axis {axis}",
            help="a weight is [o, c / groups, r...], or [o, r..., c / groups], with each size r from 1",
        )
    reach = (taps - 1) * dilation + 1
    if room < reach:
        raise ShapeError(
            "E175",
            f"{what()}: along axis {axis}, a window over {dims.text(reach)} elements does not fit into "
            f"{dims.text(room)}",
            help="the size counts the image's elements at their dilation and the padding before and after; make the "
            "window smaller or the padding larger",
        )
    return (room - reach) // stride + 1
