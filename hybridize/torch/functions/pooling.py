# SPDX-License-Identifier: Apache-2.0
"""Pooling: maxima and means of windows, of as many parts as asked, and maxima put back to where they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import product
from hybridize.base.dtypes import int64
from hybridize.base.types import Shape, TensorType
from hybridize.formats.torch_export.indexing import within
from hybridize.formats.torch_export.registry import operand
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.convolution import Numbers, batched, each, unbatched
from hybridize.torch.functions.rules import aten
from hybridize.torch.functions.table import computes


def _flat(x: Operand, rank: int) -> Operand:
    """Give windows of one axis another one, of size 1, in front: ATen's are of two or three."""
    shape = type_of(x).shape
    return ops.reshape(x, (*shape[:-1], 1, shape[-1])) if rank == 1 else x


def _line(x: Operand, rank: int) -> Operand:
    shape = type_of(x).shape
    return ops.reshape(x, (*shape[:-2], shape[-1])) if rank == 1 else x


def _numbers(given: Any, rank: int, name: str, front: int) -> Numbers:
    numbers = each(given, rank, name)
    return (front, *numbers) if rank == 1 else numbers


def _count(size: Any, window: Any, step: Any, side: Any, apart: Any, beyond: bool) -> Any:
    """Return how many windows an axis has; one more where it begins in the image or before it, and `beyond`."""
    room = size + 2 * side - apart * (window - 1) - 1
    count = (room + (step - 1 if beyond else 0)) // step + 1
    if beyond and (count - 1) * step >= size + side:
        count = count - 1
    return count


def _windows(
    name: str, x: Operand, rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any, beyond: bool
) -> tuple[Shape, Numbers, Numbers, Numbers, Numbers]:
    """Return the sizes of the result, and of windows their size, distance, padding and the distance of their elements.

    Raises:
        RuntimeError: a window does not fit; in torch's words.
    """
    window = each(kernel, rank, "kernel_size")
    steps = window if stride is None or stride in ((), []) else each(stride, rank, "stride")
    sides, apart = each(padding, rank, "padding"), each(dilation, rank, "dilation")
    shape = type_of(x).shape
    counts = []
    for size, count, step, side, space in zip(shape[2:], window, steps, sides, apart, strict=True):
        if count <= 0:
            raise RuntimeError(f"{name}: kernel size should be greater than zero, but got {count}")
        if step <= 0:
            raise RuntimeError(f"{name}: stride should be greater than zero, but got {step}")
        if side < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {side}")
        if side * 2 > space * (count - 1) + 1:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={side}, kernel_size={count} and "
                f"dilation={space}"
            )
        found = _count(size, count, step, side, space, beyond)
        if found < 1:
            raise RuntimeError(f"{name}: Given input size: {list(shape[1:])}. Output size is too small")
        counts.append(found)
    return (*shape[:2], *counts), window, steps, sides, apart


def _maxima(
    name: str, rank: int, x: Operand, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[Operand, Operand]:
    x, single = batched(x, rank, name)
    shape, window, steps, sides, apart = _windows(name, x, rank, kernel, stride, padding, dilation, ceil_mode)
    dtype = type_of(x).dtype
    if rank == 1:
        shape = (*shape[:2], 1, *shape[2:])
        window, steps, sides, apart = (1, *window), (1, *steps), (0, *sides), (1, *apart)
    types = TensorType(shape, dtype), TensorType(shape, int64)
    values, places = aten(
        f"max_pool{max(rank, 2)}d_with_indices.default",
        types,
        _flat(x, rank),
        window,
        steps,
        sides,
        apart,
        ceil_mode,
    )
    return unbatched(_line(values, rank), single), unbatched(_line(places, rank), single)


def _register_maxima(rank: int) -> None:
    name = f"max_pool{rank}d"

    @computes(name)
    def entry(
        input: Operand,
        kernel_size: Any,
        stride: Any = (),
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> Operand:
        return _maxima(name, rank, input, kernel_size, stride, padding, dilation, ceil_mode)[0]

    @computes(f"{'' if rank == 1 else 'nn.'}max_pool{rank}d_with_indices")
    def with_indices(
        input: Operand,
        kernel_size: Any,
        stride: Any = (),
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> tuple[Operand, Operand]:
        return _maxima(name, rank, input, kernel_size, stride, padding, dilation, ceil_mode)


def _means(
    name: str, rank: int, x: Operand, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, counted: bool, by: Any
) -> Operand:
    if by is not None and by == 0:
        raise RuntimeError("divisor must be not zero")
    x, single = batched(x, rank, name)
    shape, window, steps, sides, _ = _windows(name, x, rank, kernel, stride, padding, 1, ceil_mode)
    if rank == 1:
        shape = (*shape[:2], 1, *shape[2:])
        window, steps, sides = (1, *window), (1, *steps), (0, *sides)
    result = TensorType(shape, type_of(x).dtype)
    y = aten(f"avg_pool{max(rank, 2)}d.default", result, _flat(x, rank), window, steps, sides, ceil_mode, counted, by)
    return unbatched(_line(y, rank), single)


@computes("F.avg_pool1d")
def _avg_pool1d(
    input: Operand,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Operand:
    return _means("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def _register_means(rank: int) -> None:
    name = f"avg_pool{rank}d"

    @computes(f"F.{name}")
    def entry(
        input: Operand,
        kernel_size: Any,
        stride: Any = (),
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Operand:
        return _means(name, rank, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _parts(name: str, rank: int, x: Operand, counts: Any) -> tuple[Operand, bool, Shape]:
    """Return images in a batch, whether they were in none, and the sizes of results; one axis gets another before."""
    x, single = batched(x, rank, name)
    given = each(counts, rank, "output_size")
    sizes = [size if count is None else count for size, count in zip(type_of(x).shape[2:], given, strict=True)]
    if rank == 1:
        x, sizes = _flat(x, 1), [1, *sizes]
    return x, single, (*type_of(x).shape[:2], *sizes)


def _adaptive_means(rank: int, x: Operand, counts: Any) -> Operand:
    x, single, shape = _parts(f"adaptive_avg_pool{rank}d", rank, x, counts)
    y = aten(f"adaptive_avg_pool{max(rank, 2)}d.default", TensorType(shape, type_of(x).dtype), x, shape[2:])
    return unbatched(_line(y, rank), single)


def _adaptive_maxima(rank: int, x: Operand, counts: Any) -> tuple[Operand, Operand]:
    x, single, shape = _parts(f"adaptive_max_pool{rank}d", rank, x, counts)
    types = TensorType(shape, type_of(x).dtype), TensorType(shape, int64)
    found = aten(f"adaptive_max_pool{max(rank, 2)}d.default", types, x, shape[2:])
    values, places = (unbatched(_line(y, rank), single) for y in found)
    return values, places


def _register_parts(rank: int) -> None:
    space = "" if rank == 1 else "nn."

    @computes(f"{space}adaptive_avg_pool{rank}d")
    def means(input: Operand, output_size: Any) -> Operand:
        return _adaptive_means(rank, input, output_size)

    @computes(f"{space}adaptive_max_pool{rank}d")
    def maxima(input: Operand, output_size: Any) -> tuple[Operand, Operand]:
        return _adaptive_maxima(rank, input, output_size)


for _rank in (1, 2, 3):
    _register_maxima(_rank)
    _register_parts(_rank)
for _rank in (2, 3):
    _register_means(_rank)


def _register_fractional(rank: int) -> None:
    name = f"fractional_max_pool{rank}d"

    @computes(f"nn.{name}")
    def entry(input: Operand, kernel_size: Any, output_size: Any, _random_samples: Operand) -> tuple[Operand, Operand]:
        x, single = batched(input, rank, name)
        window, counts = each(kernel_size, rank), each(output_size, rank, "output_size")
        for size, count, taps in zip(type_of(x).shape[2:], counts, window, strict=True):
            if count + taps - 1 > size:
                raise RuntimeError(f"{name}: pool size {taps} too large relative to input size {size}")
        shape = (*type_of(x).shape[:2], *counts)
        types = TensorType(shape, type_of(x).dtype), TensorType(shape, int64)
        values, places = aten(f"{name}.default", types, x, window, counts, _random_samples)
        return unbatched(values, single), unbatched(places, single)


_register_fractional(2)
_register_fractional(3)


def _unpooled(name: str, rank: int, x: Operand, indices: Operand, sizes: Sequence[Any]) -> Operand:
    """Put elements to their places in an image, one for each channel; all others are 0.

    Raises:
        RuntimeError: the tensors do not fit; in torch's words.
    """
    if type_of(x).shape != type_of(indices).shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(type_of(x).shape)}) but got "
            f"indices tensor with shape: {list(type_of(indices).shape)}"
        )
    x, single = batched(x, rank, name)
    shape, of = type_of(x).shape, type_of(x)
    rows, count, room = product(shape[:2]), product(shape[2:]), product(sizes)
    flat = ops.reshape(x, (rows, count))
    at = within(ops.reshape(operand(indices, int64, type_of(indices).shape), (rows, count)), room)
    put = aten("scatter.src", of.with_shape((rows, room)), operand(0, of.dtype, (rows, room)), 1, at, flat)
    return unbatched(ops.reshape(put, (*shape[:2], *sizes)), single)


@computes("nn.max_unpool2d")
def _max_unpool2d(input: Operand, indices: Operand, output_size: Any) -> Operand:
    return _unpooled("max_unpool2d", 2, input, indices, each(output_size, 2, "output_size"))


@computes("nn.max_unpool3d")
def _max_unpool3d(input: Operand, indices: Operand, output_size: Any, stride: Any, padding: Any) -> Operand:
    return _unpooled("max_unpool3d", 3, input, indices, each(output_size, 3, "output_size"))
