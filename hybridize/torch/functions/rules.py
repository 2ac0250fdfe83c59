# SPDX-License-Identifier: Apache-2.0
"""Torch's rules for types: which dtype an operation has, and which sizes; and words that entries are written with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base.dims import broadcast, is_symbolic, product, same
from hybridize.base.dtypes import DType, bool_, float32, float64, int32, int64, is_float, uint32
from hybridize.base.types import Shape, TensorType, same_shape
from hybridize.capture.control import raising
from hybridize.capture.trace.recording import active_trace, current_trace
from hybridize.contract.places import CallResult
from hybridize.graph import Value
from hybridize.ops import Operand, type_of
from hybridize.ops.views import wide
from hybridize.torch.functions.operands import SizeNumber
from hybridize.torch.functions.table import CLASSES, Entry
from hybridize.torch.memory import dtype_of

_KINDS = {bool: torch.bool, int: torch.int64, complex: torch.complex64}


class Misfit(RuntimeError):
    """Arguments that PyTorch does not take: what it says of them, it is asked (`calling`)."""


def expect(fine: Any) -> None:
    """Check what PyTorch demands of arguments.

    Raises:
        Misfit: it is not so; the user meets PyTorch's own error.
    """
    if not fine:
        raise Misfit


def default_dtype() -> torch.dtype:
    """Return the dtype of floats that nobody has said more of, on which the program then depends."""
    dtype, trace = torch.get_default_dtype(), current_trace()
    if trace is not None:
        trace.root.world.read(CallResult(torch.get_default_dtype, (), {}), dtype, "the default dtype", whole=False)
    return dtype


def is_tensor(x: Any) -> bool:
    """Tell whether an argument of an entry is a tensor."""
    return isinstance(x, Value)


def torch_dtype(dtype: DType) -> torch.dtype:
    """Return torch's name of a dtype."""
    counterpart: torch.dtype = getattr(torch, "bool" if dtype.kind == "b" else dtype.name)
    return counterpart


def check_numbers(entry: Entry, args: Sequence[Any], kwargs: dict[str, Any], result: Any) -> None:
    """Check that the numbers that an entry puts into tensors of the dtype of its result are held by it.

    Raises:
        RuntimeError: one is beyond the ends of the dtype; in torch's words.
    """
    bound = {**dict(zip(entry.places, args, strict=False)), **kwargs}
    dtype = type_of(result[0] if isinstance(result, (tuple, list)) else result).dtype
    for policy in ("held", "scales", "fills", "whole"):
        for name in getattr(entry, policy):
            one = policy == "whole" and same(product(type_of(result).shape), 1)
            check_fits(bound.get(name), dtype, "fills" if one else policy)


_NARROW = {"held": None, "scales": float32, "fills": float64, "whole": None, "data": float64}
"""Policies for numbers that entries put into tensors, and what stands for floats of 16 bits; None: they themselves."""


def check_fits(x: Any, dtype: DType, policy: str = "held") -> None:
    """Check that a number can be put into tensors of a dtype.

    Raises:
        RuntimeError: it is beyond the ends of the dtype; in torch's words.
    """
    kind = x.kind if isinstance(x, SizeNumber) else x.weak if type(x) is Symbol else type(x)
    if is_float(dtype) and dtype.itemsize < 4:
        dtype = _NARROW[policy] or dtype
    if kind not in (int, float) or dtype.kind == "b" or dtype == float64 or (policy == "data" and is_float(dtype)):
        return
    limits = (torch.finfo if is_float(dtype) else torch.iinfo)(torch_dtype(dtype))
    low = limits.min or (-limits.max if kind is int else 0)  # negative integers go around where there are none
    number, name = number_of(x), dtype.name if policy == "data" else _IN_C.get(dtype.name, f"{dtype.name}_t")
    error = RuntimeError(f"value cannot be converted to type {name} without overflow")
    for test in (number >= low, number <= limits.max):
        if is_float(dtype) and kind is float:
            if truth(test) is not True:
                check((number - number != 0) | test, error)  # infinities are held, and NaN
        else:
            check(test, error)


def number_of(x: Any) -> Any:
    """Return a number among the arguments of an entry as one that Python computes with."""
    trace = current_trace()
    if not isinstance(x, SizeNumber) or trace is None:
        return x
    return Symbol.of(trace, x.operand, weak=x.kind)


def python_number(x: Any) -> Any:
    """Return a number among the arguments of an entry as Python knows it, on which the program then depends.

    Raises:
        TypeError: data decides it.
    """
    number, trace = number_of(x), current_trace()
    if type(number) is not Symbol or trace is None:
        return x
    known = trace.number_of(number)
    if known is None:
        raise TypeError("a number that data decides")
    return known


def truth(test: Any) -> bool | None:
    """Tell whether a test of numbers holds, on which the program then depends; None where data decides it."""
    if type(test) is not Symbol:
        return bool(test)
    trace = active_trace()
    holds: bool | None = trace.root.numbers.truth(test, trace)
    return holds


def check(test: Any, error: Exception) -> None:
    """Raise an exception unless a test of numbers holds; where data decides it, the program does."""
    holds, trace = truth(test), current_trace()
    if holds is False:
        raise error
    if holds is None and trace is not None:
        raising.check(trace, test, error)


_IN_C = {"int32": "int", "float32": "float", "float16": "c10::Half", "bfloat16": "c10::BFloat16"}
"""Names of dtypes in C++."""


_NAMES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long", "int32": "Int",
    "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
}  # fmt: skip


def dtype_name(dtype: DType) -> str:
    """Return the name of a dtype in torch's errors."""
    return _NAMES.get(dtype.name, dtype.name.capitalize())


_OF_TWO = ("input", "other")
"""Parameters that may be numbers, and have a say in the dtype."""


def check_operands(entry: Entry, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Check that an entry takes arguments, by the classes that its parameters are declared to be of and its dtypes.

    Raises:
        TypeError: one is of another class; in torch's words.
        Misfit: it is not for tensors of these dtypes, or dtypes differ that are to be one.
    """
    bound = {**dict(zip(entry.places, args, strict=False)), **kwargs}
    last = entry.name.rpartition(".")[2]
    for name, word in entry.classes.items():
        value = bound.get(name)
        if value is not None and not _is_of(word, value):
            raise TypeError(f"{last}(): argument '{name}' must be {CLASSES[word]}, not {type(value).__name__}")
    if entry.kinds:
        names = [name for name in entry.parameters if name in _OF_TWO or entry.classes.get(name) == "Operand"]
        dtype = dtype_of(common(*(bound[name] for name in names if bound.get(name) is not None)))
        expect(("f" if is_float(dtype) else dtype.kind) in entry.kinds)
    expect(len({type_of(bound[name]).dtype for name in entry.alike if is_tensor(bound.get(name))}) < 2)


def _is_of(word: str, value: Any) -> bool:
    """Tell whether a value is of a class of `CLASSES`; a number that only a call knows may be any."""
    if word in ("Operand", "Symbol"):
        return is_tensor(value) or (type(value) is Symbol and value.weak is None)
    if word == "bool":
        return not isinstance(value, (int, float, str, tuple, list)) or isinstance(value, bool)
    return not isinstance(value, (float, str, tuple, list))


def _rank(dtype: torch.dtype) -> int:
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else 1 if dtype is not torch.bool else 0


def cast(x: Operand, dtype: DType) -> Operand:
    """Return a tensor in another dtype; a float that an integer does not hold is what x86-64 makes of it, as in torch.

    There the smallest integer of 32 bits, or of 64, stands for what is beyond these and for NaN; what is narrower has
    its last bits.
    """
    if not is_float(type_of(x).dtype) or dtype.kind not in "iu":
        return ops.cast(x, dtype)
    whole = int64 if dtype.itemsize > 4 or dtype == uint32 else int32
    real = x if type_of(x).dtype == float64 else ops.cast(x, float32)
    limit = 2.0 ** (8 * whole.itemsize - 1)
    fits = ops.bit_and(ops.lt(real, ops.like(limit, real)), ops.ge(real, ops.like(-limit, real)))
    integers = ops.cast(ops.where(fits, real, ops.like(0, real)), whole)
    return ops.cast(ops.where(fits, integers, ops.like(-int(limit), integers)), dtype)


def fits(value: Operand, shape: Sequence[Any]) -> Operand:
    """Return a value broadcast to sizes, which it fits; axes of size 1 in front do not count."""
    sizes = type_of(value).shape
    while len(sizes) > len(shape) and sizes[0] == 1:
        sizes = sizes[1:]
    common = broadcast(sizes, tuple(shape))
    expect(common is not None and same_shape(common, tuple(shape)))
    return ops.broadcast(ops.reshape(value, sizes), tuple(shape))


def overwritten(x: Operand, value: Operand) -> Operand:
    """Return a value that is written over all of a tensor: a gradient goes through that, and is 0."""
    never = ops.broadcast(ops.scalar(False, bool_), type_of(x).shape)
    return ops.where(never, x, value)


def written_as(x: Operand, dtype: DType) -> Operand:
    """Return a tensor as one of another dtype, to which it is written.

    Raises:
        RuntimeError: a kind would be lost; in torch's words.
    """
    if _rank(torch_dtype(type_of(x).dtype)) > _rank(torch_dtype(dtype)):
        raise RuntimeError(
            f"result type {dtype_name(type_of(x).dtype)} can't be cast to the desired output type {dtype_name(dtype)}"
        )
    return ops.cast(x, dtype)


def common(*xs: Any) -> torch.dtype:
    """Return the dtype that tensors and numbers have in common (type promotion; torch.result_type).

    Tensors with axes decide; those without axes, and numbers after them, only lift the kind: bool, integer, float.
    """
    groups: list[torch.dtype | None] = [None, None, None]
    for x in xs:
        if is_tensor(x):
            group, dtype = (0 if type_of(x).shape else 1), torch_dtype(type_of(x).dtype)
        else:
            kind = x.kind if isinstance(x, SizeNumber) else int if is_symbolic(x) else type(x)
            group, dtype = 2, _KINDS[kind] if kind in _KINDS else default_dtype()
        before = groups[group]
        groups[group] = dtype if before is None else torch.promote_types(before, dtype)
    result, *lower = [one for one in groups if one is not None]
    for one in lower:
        if _rank(one) > _rank(result):
            result = torch.promote_types(result, one)
    return result


def as_float(dtype: torch.dtype) -> torch.dtype:
    """Return the dtype in which a function of real numbers gives its results: integers become the default one."""
    return dtype if dtype.is_floating_point or dtype.is_complex else default_dtype()


def shape_of(*xs: Any) -> Shape:
    """Return the sizes of tensors and numbers broadcast against each other, which fit."""
    return fitting(*(type_of(x).shape for x in xs if is_tensor(x)))


def fitting(*shapes: Shape) -> Shape:
    """Return sizes broadcast against each other, which fit."""
    shape = broadcast(*shapes)
    expect(shape is not None)
    return shape or ()


def at_least(shape: Shape, ndim: int) -> Shape:
    """Return sizes with axes of size 1 up to a number of axes: the first ones, and the last one of three."""
    if len(shape) >= ndim:
        return shape
    if ndim == 3 and shape:
        return (1, *shape, 1) if len(shape) == 1 else (*shape, 1)
    return (*(1,) * (ndim - len(shape)), *shape)


def kind(dtype: torch.dtype, shape: Sequence[Any]) -> TensorType:
    """Return the type of a result."""
    return TensorType(tuple(shape), dtype_of(dtype))


def axis_of(axis: int, ndim: int) -> int:
    """Return an axis, which is there, counted from the first one."""
    count = max(ndim, 1)
    expect(-count <= axis < count)
    return axis % count


def axes_of(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return axes, one or several, counted from the first one and in order; all of them for None or none given."""
    if axis_list_is_empty(axes):
        return tuple(range(ndim))
    numbers = [axes] if isinstance(axes, int) else list(axes)
    counted = sorted(axis_of(int(axis), ndim) for axis in numbers)
    expect(len(set(counted)) == len(counted))
    return tuple(counted) if ndim else ()


def axis_list_is_empty(axes: Any) -> bool:
    """Tell whether axes that were given mean all of them."""
    return axes is None or (isinstance(axes, (tuple, list)) and not axes)


def reduced(shape: Shape, axes: Sequence[int], keepdim: bool) -> Shape:
    """Return the sizes that are left when axes are reduced."""
    if keepdim:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def sizes_in(args: Sequence[Any]) -> tuple[Any, ...]:
    """Return sizes that were given one by one, or as one tuple or list."""
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], (tuple, list)) else tuple(args)


def float_operand(x: Operand) -> torch.dtype:
    """Return the dtype of a function of real numbers of an operand."""
    return as_float(torch_dtype(type_of(x).dtype))


def in_floats(function: Callable[[Operand], Operand], x: Operand) -> Operand:
    """Return a function of real numbers of an operand; short floats are computed in float32 and rounded once."""
    dtype = dtype_of(float_operand(x))
    return ops.cast(function(ops.cast(x, wide(dtype))), dtype)


def nothing_of(x: Operand, shape: tuple[int, ...]) -> Operand:
    """Return a tensor of a shape that has no elements, made of another one: it has a gradient where that has."""
    count = product(type_of(x).shape)
    return ops.reshape(ops.slice(ops.reshape(x, (count,)), (0,), (0,), (1,)), shape)
