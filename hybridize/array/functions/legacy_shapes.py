# SPDX-License-Identifier: Apache-2.0
"""MXNet's own shape functions: reshape with codes, slices by axis, and broadcasting by the shape of another array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array.functions.elementwise import copy
from hybridize.array.functions.shapes import broadcast_to
from hybridize.array.functions.shapes import reshape as plain_reshape
from hybridize.array.operands import array, axes_of, axis_of, one_of, operand, public, result, several, shape_from
from hybridize.base import dims
from hybridize.base.errors import ArgumentError, OutOfBoundsError, ShapeError
from hybridize.ops.convolution import each_axis
from hybridize.ops.library.padding import pad_flat

_builtin_slice = slice


def _coded(sizes: tuple[int, ...], codes: Sequence[int], names: dict[int, str], of: Any) -> tuple[int, ...]:
    """The shape that codes ask for. `names` says what each negative code means."""
    shape: list[int] = []
    at, i = 0, 0
    while i < len(codes):
        code = codes[i]
        match names.get(code, "size" if code >= 0 else "unknown"):
            case "copy":
                shape.append(_axis(sizes, at, of))
                at += 1
            case "rest":
                shape.extend(sizes[at:])
                at = len(sizes)
            case "drop":
                if _axis(sizes, at, of) != 1:
                    raise ShapeError("E106", f"reshape of {of}: axis {at} is not of size 1")
                at += 1
            case "merge":
                shape.append(_axis(sizes, at, of) * _axis(sizes, at + 1, of))
                at += 2
            case "split":
                shape.extend(_split(_axis(sizes, at, of), codes[i + 1 : i + 3], of))
                at += 1
                i += 2
            case "infer" | "size":
                shape.append(code)
                at += 1
            case _:
                raise ArgumentError("E318", f"reshape has no code {code}")
        i += 1
    return tuple(shape)


def _axis(sizes: tuple[int, ...], at: int, of: Any) -> int:
    if at >= len(sizes):
        raise ShapeError("E104", f"reshape of {of}: the codes need more axes than the array has")
    return sizes[at]


def _split(length: int, parts: Sequence[int], of: Any) -> tuple[int, ...]:
    """Two sizes whose product is `length`; one of them may be -1."""
    if len(parts) == 2:
        first, second = parts
        if first == -1 and second > 0:
            first = length // second
        elif second == -1 and first > 0:
            second = length // first
        if first * second == length:
            return first, second
    raise ShapeError("E104", f"reshape of {of}: an axis of size {length} does not split into {list(parts)}")


_CODES_1 = {0: "copy", -1: "infer", -2: "rest", -3: "merge", -4: "split"}
_CODES_2 = {-1: "infer", -2: "copy", -3: "drop", -4: "rest", -5: "merge", -6: "split"}


def _reshape(x: Any, codes: Any, names: dict[int, str], reverse: bool) -> Any:
    """An array under the shape of codes; read from the right, the two sizes of a split stand before it."""
    way = -1 if reverse else 1
    return plain_reshape(x, _coded(x.shape[::way], shape_from(codes)[::way], names, x.type)[::way])


@public
def reshape(a: Any, newshape: Any, reverse: bool = False, order: str = "C") -> Any:
    """Return the same elements under another shape, with MXNet 2's codes.

    -1 what the others leave, -2 copy this size, -3 drop this axis of size 1, -4 copy all the rest,
    -5 the product of two sizes, -6 split a size into the two that follow. `reverse` reads from the right.

    >>> npx.reshape(np.ones((2, 3, 4)), (-2, -5)).shape
    (2, 12)
    """
    one_of(order, ("C",), "npx.reshape", "order", "np.reshape takes 'F', too")
    return _reshape(array(a), newshape, _CODES_2, reverse)


@public
def reshape_legacy(
    data: Any, shape: Any = None, reverse: bool = False, target_shape: Any = None, keep_highest: bool = False
) -> Any:
    """The same elements under another shape, with MXNet 1's codes.

    0 copy this size, -1 what the others leave, -2 copy all the rest, -3 the product of two sizes, -4 split a size into
    the two that follow. `reverse` reads from the right, so that the two sizes of a split stand before it.

    Args:
        data: any array.
        shape: sizes and codes.
        reverse: read them from the right.
        target_shape: MXNet's older words for a shape, where 0 is what the others leave.
        keep_highest: the first size of `target_shape` is that of `data`.
    """
    x = array(data)
    if not shape and target_shape:
        first, *rest = shape_from(target_shape)
        head = x.shape[0] if keep_highest else first or -1
        return plain_reshape(x, (head, *(size or -1 for size in rest)))
    return _reshape(x, () if shape is None else shape, _CODES_1, bool(reverse))


@public
def reshape_like(
    lhs: Any,
    rhs: Any,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
) -> Any:
    """Return the elements of `lhs` under the shape of `rhs`, or a range of its axes under a range of the other's.

    Args:
        lhs: the array.
        rhs: the other one.
        lhs_begin: the first axis of the range of `lhs`.
        lhs_end: the axis behind it.
        rhs_begin: the first axis of the range of `rhs`.
        rhs_end: the axis behind it.

    >>> npx.reshape_like(np.arange(6), np.ones((2, 3)))
    array([[0., 1., 2.],
           [3., 4., 5.]])
    """
    x, y = array(lhs), array(rhs)
    left, right = _builtin_slice(lhs_begin, lhs_end), _builtin_slice(rhs_begin, rhs_end)
    start, stop, _step = left.indices(x.ndim)
    return plain_reshape(x, x.shape[:start] + y.shape[right] + x.shape[stop:])


@public
def slice(data: Any, begin: Any, end: Any, step: Any = None) -> Any:
    """Return the elements from `begin` to `end` by `step`, one number an axis; None means the edge.

    >>> npx.slice(np.arange(6).reshape(2, 3), begin=(0, 1), end=(2, None))
    array([[1., 2.],
           [4., 5.]])
    """
    x = array(data)
    begins, ends = (several(part) for part in (begin, end))
    steps = step if isinstance(step, (tuple, list)) else (step,) * len(begins)
    steps = tuple(steps) + (None,) * (len(begins) - len(steps))
    return x[tuple(_builtin_slice(*part) for part in zip(begins, ends, steps, strict=True))]


@public
def slice_axis(data: Any, axis: int, begin: int, end: int | None) -> Any:
    """Return the elements from `begin` to `end` along one axis; negative numbers count from the end, None is the end.

    Raises:
        OutOfBoundsError E110: they are not within the axis, in this order.

    >>> npx.slice_axis(np.array([1, 2, 3, 4]), axis=0, begin=1, end=-1)
    array([2., 3.])
    """
    x = array(data)
    axis = axis_of(axis, x.ndim, "slice_axis")
    size = x.shape[axis]
    first, last = begin if begin >= 0 else begin + size, size if end is None else end if end >= 0 else end + size
    if size > 0 and not 0 <= first < last <= size:
        what = f"slice_axis of {x.type}: axis {axis} has nothing from {begin} to {end}"
        raise OutOfBoundsError("E110", what, help=f"begin must be less than end, both within {dims.text(size)}")
    return x[(_builtin_slice(None),) * axis + (_builtin_slice(begin, end),)]


@public
def crop_like(
    *data: Any, num_args: int | None = None, offset: Any = (0, 0), h_w: Any = (0, 0), center_crop: bool = False
) -> Any:
    """Rows and columns of images [n, c, h, w]: as many as a second array has, or `h_w`.

    Args:
        data: the images, and the second array, if there is one.
        num_args: how many arrays these are.
        offset: the row and the column of the first pixel.
        h_w: how many rows and columns, where there is no second array.
        center_crop: the middle ones; `offset` does not count.

    Raises:
        OutOfBoundsError E110: the images have not so many from there on.

    >>> nd.Crop(nd.ones((1, 1, 4, 4)), h_w=(2, 3)).shape
    (1, 1, 2, 3)
    """
    x, *rest = (array(one) for one in data)
    sizes = tuple(rest[0].shape[2:4]) if rest else tuple(several(h_w))
    starts = [(old - new) // 2 for old, new in zip(x.shape[2:], sizes, strict=True)] if center_crop else several(offset)
    for start, size, old in zip(starts, sizes, x.shape[2:], strict=True):
        if start < 0 or start + size > old:
            what = f"Crop of {x.type}: {dims.text(size)} rows or columns from {start} on"
            raise OutOfBoundsError("E110", what, help=f"there are {dims.text(old)}")
    ranges = [_builtin_slice(start, start + size) for start, size in zip(starts, sizes, strict=True)]
    return x[(_builtin_slice(None), _builtin_slice(None), *ranges)]


@public
def slice_like(data: Any, shape_like: Any, axes: Any = None) -> Any:
    """Return an array cut to the sizes of another one, along `axes` or along all.

    >>> npx.slice_like(np.ones((3, 4)), np.ones((2, 2))).shape
    (2, 2)
    """
    x, like = array(data), array(shape_like)
    chosen = axes_of(tuple(axes) if axes else None, x.ndim, "slice_like")
    return x[tuple(_builtin_slice(like.shape[i] if i in chosen else None) for i in range(x.ndim))]


@public
def broadcast_like(lhs: Any, rhs: Any, lhs_axes: Any = None, rhs_axes: Any = None) -> Any:
    """Return an array stretched to the shape of another one, or along some axes to sizes of it.

    Args:
        lhs: the array.
        rhs: the other one.
        lhs_axes: axes of `lhs`.
        rhs_axes: axes of `rhs`, in the same order.

    >>> npx.broadcast_like(np.array([1, 2]), np.ones((2, 2)))
    array([[1., 2.],
           [1., 2.]])
    """
    x, y = array(lhs), array(rhs)
    if lhs_axes is None or rhs_axes is None:
        return broadcast_to(x, y.shape)
    shape = list(x.shape)
    pairs = [several(axes) for axes in (lhs_axes, rhs_axes)]
    for i, j in zip(*pairs, strict=True):
        shape[axis_of(i, x.ndim, "broadcast_like")] = y.shape[j]
    return broadcast_to(x, tuple(shape))


@public
def broadcast_axis(data: Any, axis: Any = (), size: Any = ()) -> Any:
    """Stretch axes of size 1 to given sizes.

    Args:
        data: an array.
        axis: one axis or several.
        size: as many sizes.

    >>> nd.broadcast_axis(nd.array([[1], [2]]), axis=1, size=3).asnumpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """
    x = array(data)
    shape = list(x.shape)
    for i, length in zip(several(axis), several(size), strict=True):
        shape[axis_of(i, x.ndim, "broadcast_axis")] = int(length)
    return broadcast_to(x, tuple(shape))


@public
def broadcast_to_legacy(data: Any, shape: Any) -> Any:
    """Stretch an array to a shape, in which 0 means the size that is there.

    >>> nd.broadcast_to(nd.array([[1], [2]]), (0, 2)).asnumpy()
    array([[1., 1.],
           [2., 2.]], dtype=float32)
    """
    x = array(data)
    wanted = shape_from(shape)
    return broadcast_to(x, tuple(n if n else x.shape[i] for i, n in enumerate(wanted)))


@public
def pad(data: Any, mode: str = "constant", pad_width: Any = (), constant_value: float = 0.0) -> Any:
    """Return an array that is wider at both ends of each axis; `pad_width` has two numbers for each axis, in one list.

    Args:
        data: any array.
        mode: `constant`, `edge` (the outermost elements), or `reflect` (mirrored at them).
        pad_width: before and after each axis, one number after the other.
        constant_value: the number that `constant` fills in.

    Raises:
        ArgumentError E310: no such mode.
        ArgumentError E398: not two whole numbers for each axis.

    >>> npx.pad(np.ones((1, 1, 1, 2)), mode="constant", pad_width=(0, 0, 0, 0, 0, 0, 1, 1), constant_value=9)
    array([[[[9., 1., 1., 9.]]]])
    """
    x = array(data)
    numbers = each_axis("pad", "pad_width", pad_width, 2 * x.ndim, 0, 0)
    y = result(pad_flat(operand(x), mode, numbers, float(constant_value)))
    return copy(x) if not any(numbers) else y
