# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that make tensors of numbers and sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import torch

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import DType, float64, int64
from hybridize.base.errors import CaptureError
from hybridize.base.types import Shape
from hybridize.capture.trace.recording import active_trace
from hybridize.graph import Value
from hybridize.ops import Broadcast, Operand, type_of
from hybridize.torch.functions import rules
from hybridize.torch.functions.conversions import check_device, converted, tensor_of_operand
from hybridize.torch.functions.operands import SizeNumber, operand
from hybridize.torch.functions.shapes import reshaped
from hybridize.torch.functions.table import Sizes, computes, views
from hybridize.torch.internals import as_torch
from hybridize.torch.memory import dtype_of


def checked(
    dtype: torch.dtype | None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool | None = None,
    names: Any = None,
    memory_format: Any = None,
    generator: Any = None,
) -> torch.dtype:
    """Return the dtype that is asked for, torch's default one if none is.

    Raises:
        CaptureError E422: what else is asked for, no program makes.
    """
    check_device(device)
    if layout not in (None, torch.strided) or pin_memory or names is not None:
        raise CaptureError("E422", "a program can only create plain tensors", help="omit layout, pin_memory and names")
    if generator is not None:
        raise CaptureError("E422", "a program draws only from torch's default generator", help="leave out generator=")
    return dtype or rules.default_dtype()


def _full(value: Any, shape: tuple[Any, ...], dtype: torch.dtype) -> Operand:
    for size in shape:
        rules.expect(is_symbolic(size) or size >= 0)
    of = rules.kind(dtype, shape)
    return operand(value, of.dtype, of.shape)


def of_sizes(name: str, numbers: Callable[[Shape, torch.dtype], Operand]) -> None:
    """Register a function of torch that makes numbers of sizes and a dtype, and what it makes like a tensor."""

    @computes(f"torch.{name}")
    def entry(size: Sizes, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
        return numbers(tuple(size), checked(dtype, **options))

    @computes(f"torch.{name}_like")
    def like(input: Operand, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
        return numbers(type_of(input).shape, _checked_like(input, dtype, **options))

    if not hasattr(torch.Tensor, f"new_{name}"):
        return

    @computes(f"Tensor.new_{name}")
    def new(input: Operand, size: Sizes, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
        return numbers(tuple(size), _checked_like(input, dtype, **options))


def _checked_like(input: Operand, dtype: torch.dtype | None, **options: Any) -> torch.dtype:
    return checked(dtype or rules.torch_dtype(type_of(input).dtype), **options)


for _name, _value in {"zeros": 0, "ones": 1, "empty": 0}.items():  # what is in an empty one nobody promises
    of_sizes(_name, functools.partial(_full, _value))


def _dtype_of(value: Any) -> torch.dtype:
    """Return the dtype that a tensor of a number has: of Python's floats it is the default one, of NumPy's its own."""
    kind = value.kind if isinstance(value, SizeNumber) else type(value)
    return rules.torch_dtype(numpy.dtype(kind)) if issubclass(kind, numpy.generic) else rules.common(value)


_NUMBERS = {"b": False, "i": 0, "u": 0, "f": 0.0, "V": 0.0}
"""A number of the class that the elements of tensors have in Python, by the kind of their dtype."""


@computes("torch.full", whole="fill_value")
def _torch_full(size: Any, fill_value: Any, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    # A tensor is taken for the number in it: of floats the dtype is the default one.
    number = _NUMBERS[type_of(fill_value).dtype.kind] if rules.is_tensor(fill_value) else fill_value
    return _full(fill_value, rules.sizes_in((size,)), checked(dtype or _dtype_of(number), **options))


@computes("Tensor.new_full", whole="fill_value")
def _new_full(
    input: Operand, size: Any, fill_value: Any, *, dtype: torch.dtype | None = None, **options: Any
) -> Operand:
    return _full(fill_value, rules.sizes_in((size,)), _checked_like(input, dtype, **options))


@computes("full_like", whole="fill_value")
def _full_like(input: Operand, fill_value: Any, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    return _full(fill_value, type_of(input).shape, _checked_like(input, dtype, **options))


@computes("scalar_tensor", fills="s")
def _scalar_tensor(s: Any, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    return _full(s, (), checked(dtype, **options))


@computes("empty_strided", "empty_permuted", also="physical_layout=stride")
def _empty_strided(size: Any, stride: Any, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    return _full(0, rules.sizes_in((size,)), checked(dtype, **options))


@computes("Tensor.new_empty_strided")
def _new_empty_strided(
    input: Operand, size: Any, stride: Any, *, dtype: torch.dtype | None = None, **options: Any
) -> Operand:
    return _full(0, rules.sizes_in((size,)), _checked_like(input, dtype, **options))


# Of what Python has.


def _leaves(data: Any) -> list[Any]:
    return [leaf for part in data for leaf in _leaves(part)] if isinstance(data, (list, tuple)) else [data]


def _stacked(data: Any, dtype: torch.dtype) -> Operand:
    """Return numbers, and tensors of one element each, in lists as a tensor."""
    if not isinstance(data, (list, tuple)):
        x = operand(data, dtype_of(dtype), type_of(data).shape if rules.is_tensor(data) else ())
        return ops.stop_gradient(x) if dtype.is_floating_point else x
    if not data:
        return operand(0, dtype_of(dtype), (0,))
    rows = [_stacked(part, dtype) for part in data]
    rules.expect(all(type_of(row).shape == type_of(rows[0]).shape for row in rows))
    return ops.concat(*(ops.reshape(row, (1, *type_of(row).shape)) for row in rows), axis=0)


@computes("torch.tensor")
def _tensor(data: Any, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    default, leaves = checked(None, **options), _leaves(data)
    if all(isinstance(leaf, (bool, int, float, numpy.generic, numpy.ndarray)) for leaf in leaves):
        with as_torch():
            tensor = torch.tensor(data, dtype=dtype)
            return ops.constant(_numbers(tensor, tensor.dtype))
    if dtype is None and leaves:
        dtype = functools.reduce(torch.promote_types, map(_dtype_of, leaves))
    dtype = dtype or default
    for leaf in leaves:
        rules.check_fits(leaf, dtype_of(dtype), "data")
    return _stacked(data, dtype)


def _numbers(tensor: torch.Tensor, dtype: torch.dtype) -> Any:
    """Return a tensor that torch has made as an array."""
    of = dtype_of(dtype)
    wide = tensor.double() if dtype.is_floating_point else tensor
    return numpy.asarray(wide.numpy()).astype(of)


@computes("Tensor.new_tensor")
def _new_tensor(input: Operand, data: Any, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    return _tensor(data, dtype=dtype or rules.torch_dtype(type_of(input).dtype), **options)


@views("as_tensor", "asarray", "from_numpy")
def _as_tensor(data: Any, dtype: torch.dtype | None = None, device: Any = None, **options: Any) -> Symbol:
    """A tensor is itself where it has the dtype; an array of NumPy's that the program makes is written no more."""
    if type(data) is Symbol and data.weak is None:
        check_device(device)
        return converted(data, dtype)
    if isinstance(data, numpy.ndarray):
        data.flags.writeable = False
    return tensor_of_operand(_tensor(_as_operands(data), dtype=dtype, device=device))


def _as_operands(data: Any) -> Any:
    if isinstance(data, (list, tuple)):
        return [_as_operands(part) for part in data]
    if type(data) is Symbol:
        return data.operand() if data.weak is None else SizeNumber(data.operand(), data.weak)
    trace = active_trace()
    lifted = trace.lifted(data)
    return lifted if lifted is data else _as_operands(lifted)


def _register_class(name: str, dtype: torch.dtype | None) -> None:
    """Register one of the classes of tensors that torch had before dtypes: `torch.LongTensor([1, 2])`."""

    @views(f"torch.{name}")
    def entry(*args: Any, device: Any = None) -> Symbol:
        """Of sizes, one by one or as a `torch.Size`; of numbers in lists and tuples; of a tensor of this dtype."""
        of = checked(dtype, device)
        (data,) = args if len(args) == 1 else (None,)
        if type(data) is Symbol and data.weak is None:
            rules.expect(data.dtype == dtype_of(of))
            return data
        if type(data) in (list, tuple, numpy.ndarray):
            return tensor_of_operand(_tensor(_as_operands(data), dtype=of))
        return tensor_of_operand(_full(0, rules.sizes_in(args) if args else (0,), of))


for _name, _dtype in {
    "Tensor": None, "FloatTensor": torch.float32, "DoubleTensor": torch.float64, "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16, "LongTensor": torch.int64, "IntTensor": torch.int32,
    "ShortTensor": torch.int16, "CharTensor": torch.int8, "ByteTensor": torch.uint8, "BoolTensor": torch.bool,
}.items():  # fmt: skip
    _register_class(_name, _dtype)


# Ranges.


def overloaded(args: Sequence[Any], options: dict[str, Any], **parameters: Any) -> list[Any]:
    """Return arguments by place or name, of whose parameters the first may be left out, and those with defaults.

    Args:
        args: by places.
        options: by names, those of these parameters among them, which are taken out.
        parameters: with their defaults, None where there is none.
    """
    named = {name: options.pop(name) for name in parameters if name in options}
    places = [name for name in parameters if name not in named]
    others = [name for name in places if name != next(iter(parameters))]
    if len(args) <= sum(parameters[name] is None for name in others):
        places = others
    return list((parameters | dict(zip(places, args, strict=False)) | named).values())


def _integral(*xs: Any) -> bool:
    return not any(rules.common(x).is_floating_point for x in xs)


@computes("arange")
def _arange(*args: Any, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    start, end, step = overloaded(args, options, start=0, end=None, step=1)
    whole = checked(dtype or (torch.int64 if _integral(start, end, step) else None), **options)
    if whole == torch.int64:  # of which alone torch cuts off the ends first
        start, end, step = (int(x) if isinstance(x, float) else x for x in (start, end, step))
    if any(isinstance(x, (SizeNumber, Value)) for x in (start, end, step)):
        raise CaptureError(
            "E422",
            "the number of elements of arange cannot depend on data",
            help="use sizes of tensors, or a range of fixed length",
        )
    rules.expect(is_symbolic(step) or step != 0)
    rules.expect(not ((end < start) if step > 0 else (end > start)))
    if any(map(is_symbolic, (start, end, step))):
        if not all(is_symbolic(x) or isinstance(x, int) for x in (start, end, step)):
            start, end, step = (float(x) for x in (start, end, step))  # the size is fixed by that
            count = int(numpy.ceil((end - start) / step))
        else:
            count = -((start - end) // step)
    elif all(type(x) is int for x in (start, end, step)):
        count = -((start - end) // step)
    else:
        count = int(numpy.ceil((end - start) / step))
    of = rules.kind(whole, (count,))
    if whole.is_floating_point and not any(map(is_symbolic, (start, step))):
        wide = rules.kind(torch.float64, (count,))
        places_ = ops.cast(ops.iota((count,), 0, int64), float64)
        numbers = ops.add(operand(start, float64, wide.shape), ops.mul(places_, operand(step, float64, wide.shape)))
        return ops.cast(numbers, of.dtype)
    # Of fractions torch cuts off the ends and the step before it counts.
    first, by = (x if is_symbolic(x) else int(x) for x in (start, step))
    return count_from(first, count, by, of.dtype)


def count_from(first: Any, count: Any, step: Any, dtype: DType) -> Operand:
    """Return so many integers, or the floats that they are, from a first one on."""
    if all(type(x) is int for x in (first, count, step)):
        return ops.constant((first + step * numpy.arange(count)).astype(dtype))
    steps = ops.mul(ops.iota((count,), 0, int64), operand(step, int64, (count,)))
    return ops.cast(ops.add(steps, operand(first, int64, (count,))), dtype)


def _by_torch(name: str) -> None:
    """Register a function of numbers alone, that torch computes while the program is captured."""
    function: Callable[..., torch.Tensor] = getattr(torch, name)

    @computes(f"torch.{name}")
    def entry(*args: Any, **kwargs: Any) -> Operand:
        options = {key: value for key, value in kwargs.items() if value is not None}
        check_device(options.pop("device", None))
        if options.pop("requires_grad", False):
            checked(None, requires_grad=True)
        if any(isinstance(x, (SizeNumber, Value)) for x in (*args, *options.values())):
            raise CaptureError(
                "E422",
                f"torch.{name} of Python numbers whose values differ from call to call cannot be compiled",
                help="write it with arithmetic operators",
            )
        with as_torch():
            tensor = function(*map(_pinned, args), **{key: _pinned(value) for key, value in options.items()})
            return ops.constant(_numbers(tensor, tensor.dtype))


def _pinned(x: Any) -> Any:
    """Return a size as the number that it is: the program is then for that size."""
    return int(x) if is_symbolic(x) else x


for _name in ("tril_indices", "triu_indices", "hann_window", "hamming_window", "blackman_window", "bartlett_window",
              "kaiser_window", "range"):  # fmt: skip
    _by_torch(_name)


def _between(start: Any, end: Any, steps: Any, dtype: torch.dtype) -> Operand:
    """From both ends, so that either is exactly what was given; integers are cut off."""
    if isinstance(steps, (SizeNumber, Value)):
        raise CaptureError("E422", "steps cannot depend on data", help="use a size of a tensor, or a Python number")
    rules.expect(is_symbolic(steps) or steps >= 0)
    wide, shape = float64, (steps,)
    low, high = (ops.stop_gradient(operand(one, wide, shape)) for one in (start, end))
    if not dtype.is_floating_point:
        low, high = ops.trunc(low), ops.trunc(high)
    if steps == 1:
        return low
    count = operand(steps, wide, shape)
    one = ops.like(1, count)
    place = ops.cast(ops.iota(shape, 0, int64), wide)
    last = ops.sub(count, one)
    step = ops.div(ops.sub(high, low), last)
    near = ops.lt(place, ops.floor(ops.div(count, ops.like(2, count))))
    return ops.where(near, ops.add(low, ops.mul(step, place)), ops.sub(high, ops.mul(step, ops.sub(last, place))))


@computes("linspace", held="start end")
def _linspace(start: Any, end: Any, steps: Any, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    whole = checked(dtype, **options)
    return ops.cast(_between(start, end, steps, whole), dtype_of(whole))


@computes("logspace")
def _logspace(
    start: Any, end: Any, steps: Any, base: float = 10.0, *, dtype: torch.dtype | None = None, **options: Any
) -> Operand:
    whole = checked(dtype, **options)
    powers = _between(start, end, steps, whole)
    return ops.cast(ops.pow(ops.like(base, powers), powers), dtype_of(whole))


@computes("eye")
def _eye(n: Any, m: Any = None, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    shape = (n, n if m is None else m)
    of = checked(dtype, **options)
    rules.expect(all(is_symbolic(size) or size >= 0 for size in shape))
    return ops.cast(ops.eq(ops.iota(shape, 0, int64), ops.iota(shape, 1, int64)), dtype_of(of))


@views("meshgrid")
def _meshgrid(tensors: Sizes, *, indexing: str | None = None) -> tuple[Symbol, ...]:
    rules.expect(indexing in (None, "ij", "xy"))
    flat = [x if len(x.shape) else reshaped(x, (1,)) for x in tensors]
    rules.expect(all(x.dtype == flat[0].dtype for x in flat))
    for x in flat:
        rules.expect(len(x.shape) == 1)
    order = list(range(len(flat)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    shape = tuple(flat[k].shape[0] for k in order)
    grids = []
    for number, x in enumerate(flat):
        axis = order.index(number)
        grids.append(
            reshaped(x, tuple(shape[k] if k == axis else 1 for k in range(len(shape)))).view_by(Broadcast(shape))
        )
    return tuple(grids)
