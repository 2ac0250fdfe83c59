# SPDX-License-Identifier: Apache-2.0
"""Indexing: `x[key]` and `x[key] = value`, with all keys of NumPy.

Imperatively NumPy does it. While capturing, a key is taken apart: the basic part (integers, slices, newaxis, ellipsis)
becomes steps of the symbol, hence a view; index arrays become one gather. Out-of-bounds integers that are known while
capturing are an error; of indices that are data the program asserts that they are within bounds (`bounds`).
"""

from __future__ import annotations

import operator
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.array.device import AWAY, is_away
from hybridize.array.functions.bounds import check, from_front
from hybridize.array.functions.shapes import array_of_trace
from hybridize.array.layouts import span
from hybridize.array.ndarray import Taping, history, is_content, key_error, ndarray, store, taping, view, wrap, written
from hybridize.array.operands import (
    Handover,
    array,
    broadcast,
    cast,
    dtype_of,
    index_numbers,
    operand,
    result,
    shape_of,
    typed,
)
from hybridize.array.operands import number as constant_of
from hybridize.array.placing import check_key, copied_to, device_of, located, looks
from hybridize.array.staging import staging
from hybridize.array.symbol import At, Symbol
from hybridize.array.traced import Traced
from hybridize.base import dims, errors
from hybridize.base.access import ACCESS, WRITER, consistently, exclusively
from hybridize.base.dtypes import bool_, converted, int64, is_float, is_inexact, truncates
from hybridize.base.dtypes import index_numbers as index_numbers_of
from hybridize.base.frozen import frozen
from hybridize.base.nested import flatten
from hybridize.base.promotion import NUMBERS
from hybridize.base.types import Shape, TensorType, same_shape, surely_same
from hybridize.ops.op import ACTIVE, Op, Operand, bind1, capturing, constant, taped

_FULL = slice(None)
_BASIC = frozenset({int, slice, type(Ellipsis), type(None)})
"""Classes of keys that make a view."""


@frozen
class Parsed:
    """A key taken apart, for an array of a known shape."""

    slices: tuple[slice, ...]
    """One for each axis of the array; the axes of integers and index arrays are taken whole."""
    integers: dict[int, int]
    """Axis of the array -> the integer that it is indexed with, counted from the front."""
    new: tuple[int | None, ...]
    """Axes after the slices, in order: axes of the array, None where a new one of size 1 comes."""
    arrays: dict[int, Any]
    """Axis of the array -> index array (NumPy's while its values are known, else an operand)."""
    together: bool
    """True if nothing stands between the index arrays, so that their axes stay in place."""
    counters: frozenset[int] = frozenset()
    """The axes among `arrays` with one index, a number that only the program knows: alone they make a view."""


def getitem(x: Any, key: Any) -> Any:
    """`x[key]`: a view for basic keys, a copy where index arrays or masks take part."""
    if ACTIVE and looks():
        return _located_getitem(x, key)
    try:
        if isinstance(x, Symbol) or (ACTIVE and capturing()):
            return _symbolic_get(x if isinstance(x, Symbol) else array_of_trace(x), key)
        if ACTIVE:
            if is_away(x.device) and not _is_basic(plain := _plain_away(key)):
                return _get_away(x, plain)
            tape = taping()
            if tape is not None:
                return _taped_get(tape, x, key)
        return _get(x, key)
    except Handover as handed:
        return handed.receiver.__hybridize_function__("getitem", getitem, (x, key), {})


_located_getitem = located(getitem, "getitem")


def _get(x: ndarray, key: Any) -> ndarray:
    """`x[key]` of values that are there."""
    plain = _plain(key)
    writes = ACCESS.writes
    try:
        data = x._content[plain]
        if not _is_basic(plain) and (WRITER or ACCESS.writes is not writes):
            data = consistently(operator.getitem, x._data, plain)
    except IndexError as error:
        raise key_error(error, x.type, key) from None
    if is_content(data) and _is_basic(plain):
        return view(x, data)
    if _is_basic(plain):
        return view(x, x._data[(*plain, Ellipsis) if isinstance(plain, tuple) else (plain, Ellipsis)])
    return wrap(data if type(data) is numpy.ndarray else numpy.asarray(data))


def _get_away(x: ndarray, key: Any) -> ndarray:
    """`x[key]` by index arrays in the memory of a device: what a program would do, at once."""
    picked = _symbolic_get(Symbol.of(staging(), operand(x)), key)
    part: ndarray = result(picked.operand()) if isinstance(picked, Symbol) else picked
    return part


def _set_away(x: ndarray, key: Any, value: Any) -> None:
    """`x[key] = value` by index arrays in the memory of a device: what a program would do, written to all of `x`."""
    mask = _mask(key)
    if mask is None or len(shape_of(operand(value, x.dtype))) > x.ndim - mask.ndim:
        key = _plain_away(key)  # a value of its own for each element that a mask selects
    symbol = Symbol.of(staging(), operand(x))
    _symbolic_set(symbol, key, value)
    tape, changed = taping(), symbol.operand()
    if tape is not None and type(changed) is Traced:
        if is_inexact(x.dtype) and tape.concerns(x, changed):
            tape.write(x, (), changed)
            return
        changed = changed.data
    store(x, ..., changed)


def _plain_away(key: Any) -> Any:
    """A key with arrays on devices as they are; the host decides how many elements a mask selects."""
    if isinstance(key, tuple):
        return tuple(map(_plain_away, key))
    if isinstance(key, list) and any(is_away(device_of(leaf)) for leaf in flatten(key)[0]):
        key = _listed(key)
    if isinstance(key, ndarray) and is_away(key.device):
        return key.asnumpy() if key.dtype == bool_ else key
    return _plain(key)


def _crossing(x: ndarray, value: Any) -> Any:
    """A value that is written to an array, from its memory, where that is another one."""
    if not isinstance(value, ndarray) or value.device == x.device or not AWAY:
        return value
    return copied_to(value, x.device) if is_away(value.device) or is_away(x.device) else value


def _copied_out(x: Symbol, value: Any) -> Any:
    """A value that a program writes to an array, at the host where that is."""
    to = device_of(x)
    return value if to is None or is_away(to) or not is_away(device_of(value)) else copied_to(value, to)


def setitem(x: Any, key: Any, value: Any) -> None:
    """`x[key] = value`: the value is cast to the dtype of `x` and broadcast."""
    if ACTIVE and looks():
        check_key(x, key)
    try:
        if isinstance(x, Symbol) or (ACTIVE and capturing()):
            symbol = x if isinstance(x, Symbol) else array_of_trace(x)
            _symbolic_set(symbol, key, _copied_out(symbol, value) if AWAY else value)
            return
        if AWAY:
            value = _crossing(x, value)
            if is_away(x.device) and (_mask(key) is not None or not _is_basic(_plain_away(key))):
                _set_away(x, key, value)
                return
        tape = taping() if ACTIVE else None
        if tape is not None:
            _taped_set(tape, x, key, value)
            return
        _set(x, key, operand(value, x.dtype))
    except Handover as handed:
        raise errors.CaptureError(
            "E452",
            f"{handed.receiver!r} is written to {x.type}, but expressions have no values before they are compiled",
            help="create a new array from both with np.where or np.concatenate",
        ) from None


def _set(x: ndarray, key: Any, value: Any) -> None:
    """`x[key] = value` of values that are there."""
    dtype = x.dtype
    if type(value) is numpy.ndarray and value.base is not None and numpy.may_share_memory(value, x._content):
        value = value.copy()  # NumPy reads what it has just written: y[0:8:2] = y[:4] of strides of one direction
    if type(value) is numpy.ndarray and value.dtype.kind == "c" and dtype.kind != "c":
        value = cast(value, dtype)
    if type(value) is numpy.ndarray and truncates(value.dtype, dtype):
        value = converted(value, dtype)
    if AWAY and is_content(value) and value.dtype != dtype:
        value = cast(value, dtype)
    plain = _plain(key)
    basic = _is_basic(plain)
    if basic and not isinstance(plain, slice):
        # The ellipsis makes NumPy write to a view without axes, to which an array of one element goes as to any view.
        if type(plain) is not tuple:
            plain = plain if plain is Ellipsis else (plain, Ellipsis)
        elif Ellipsis not in plain:
            plain = (*plain, Ellipsis)
    try:
        if basic:
            store(x, plain, value)
        else:  # NumPy may release the GIL, however few elements there are
            exclusively(operator.setitem, x._data, plain, value)
            written(x)
    except IndexError as error:
        raise key_error(error, x.type, key) from None
    except (ValueError, OverflowError, TypeError) as error:
        if not x._content.flags.writeable:
            raise errors.ArgumentError(
                "E306", f"{x.type} is a read-only view", help="copy it first: x.copy()"
            ) from None
        raise _misfit(x, key, value, error) from None


def _misfit(x: ndarray, key: Any, value: Any, error: Exception) -> errors.ShapeError:
    """The error for a value that does not fit the part of an array that it is written to."""
    if isinstance(value, NUMBERS):
        constant_of(value, x.dtype)  # raises, where it is the number that does not fit
    return errors.ShapeError(
        "E132",
        f"x[{key!r}] = value: {error}; x is {x.type}, value {typed(value)}",
        help="give the value the shape of the part, or sizes of 1, which are repeated",
    )


def _taped_get(tape: Taping, x: ndarray, key: Any) -> ndarray:
    """`x[key]` while a tape records: NumPy says what it is, view ops or one gather say where it comes from."""
    with taped(None):
        part = _get(x, key)
    if not is_inexact(x.dtype) and history(x) is None:
        return part
    if part._storage is not None and part._storage is x._storage:
        return tape.view(x, _steps(_parse(key, x.type), x.shape), part)
    numbers = numpy.arange(x.size).reshape(x.shape)[_plain(key)]
    flat = bind1(ops.Reshape((x.size,)), operand(x))
    picked: ndarray = result(bind1(ops.Gather(0), flat, numpy.asarray(numbers)))
    return picked


def _taped_set(tape: Taping, x: ndarray, key: Any, value: Any) -> None:
    """`x[key] = value` while a tape records: where either has a history, `x` has one from now on."""
    update = operand(value, x.dtype)
    if not is_inexact(x.dtype) or not tape.concerns(x, update):
        if type(update) is Traced:
            update = update.data
        with taped(None):
            _set(x, key, update)
        return
    if not x._content.flags.writeable:
        raise errors.ArgumentError("E306", f"{x.type} is a read-only view", help="copy it first: x.copy()")
    try:
        numbers = numpy.arange(x.size).reshape(x.shape)[_plain(key)]
    except IndexError as error:
        raise key_error(error, x.type, key) from None
    if numbers is not None and _is_basic(_plain(key)):
        steps = _steps(_parse(key, x.type), x.shape)
        shape = x.shape
        for step in steps:
            shape = step.infer(TensorType(shape, x.dtype))[0].shape
        tape.write(x, steps, _fitted(update, shape, x))
        return
    fitted = bind1(ops.Reshape((numbers.size,)), _fitted(update, numbers.shape, x))
    flat = bind1(ops.Reshape((x.size,)), operand(x))
    changed = bind1(ops.ScatterND("set"), flat, numbers.reshape(-1, 1), fitted)
    tape.write(x, (), bind1(ops.Reshape(x.shape), changed))


def _plain(key: Any) -> Any:
    """A key for NumPy: our arrays as NumPy's, lists as arrays."""
    if type(key) is int:
        return key
    if isinstance(key, tuple):
        return tuple(_plain(part) for part in key)
    if isinstance(key, ndarray):
        data = key._data
        return index_numbers_of(data) if is_float(data.dtype) else data
    if isinstance(key, list):
        data = numpy.asarray([_plain(part) for part in key])
        return data.astype(int64) if data.size == 0 else data
    if hasattr(key, "__hybridize_function__"):
        raise Handover(key)
    if isinstance(key, slice) and (key.start, key.stop, key.step) != (None, None, None):
        return slice(*(part if part is None else operator.index(part) for part in (key.start, key.stop, key.step)))
    return key


def _is_basic(key: Any) -> bool:
    if type(key) in _BASIC:
        return True
    parts = key if isinstance(key, tuple) else (key,)
    return not any(isinstance(part, (numpy.ndarray, ndarray, bool, numpy.bool_)) for part in parts)


def _integer(part: Any) -> int | None:
    """A part of a key that is one integer known now."""
    if isinstance(part, (bool, numpy.bool_)):
        return None
    if isinstance(part, int):
        return part  # which may be a size that only the program knows
    if isinstance(part, numpy.integer):
        return int(part)
    if isinstance(part, numpy.ndarray) and part.ndim == 0 and part.dtype.kind in "iu":
        return int(part)
    if isinstance(part, Symbol) and part.weak is int:
        return staging().index_of(part)
    if not isinstance(part, (Symbol, ndarray, numpy.ndarray, numpy.generic)) and hasattr(type(part), "__index__"):
        return operator.index(part)
    return None


def _index_array(part: Any, shape: Shape, of: TensorType) -> Any:
    """An index array for the first of these axes: NumPy's where its values are known while capturing, or an operand."""
    if isinstance(part, list):
        part = _listed(part)
    if isinstance(part, (Symbol, ndarray)):
        x = operand(array(part))
        if isinstance(part, Symbol) and part.weak is not None and dtype_of(x).kind == "f":
            raise _no_index(f"a number of class {part.weak.__name__}")  # floats are indices in arrays alone
        if dtype_of(x) == bool_:
            if not same_shape(shape_of(x), shape[: len(shape_of(x))]):
                raise _no_mask(typed(x), of)
            raise errors.CaptureError(
                "E402",
                f"x[mask] with a mask {typed(x)}: the number of elements of the result depends on the data",
                help="np.where(mask, x, other) keeps the shape; x[mask] = value works",
            )
        return index_numbers(x)
    if hasattr(part, "__hybridize_function__"):
        raise Handover(part)
    data = numpy.asarray(part)
    if data.size == 0 and data.dtype.kind == "f":
        data = data.astype(int64)
    if data.dtype.kind not in "iub":
        raise _no_index(repr(part))
    return data


def _listed(part: list[Any]) -> Any:
    """A list of indices as an array, where only the program knows some of them; others as they are."""
    leaves = flatten(part)[0]
    if not any(isinstance(leaf, (Symbol, ndarray)) or dims.is_symbolic(leaf) for leaf in leaves):
        return part
    types = [typed(operand(leaf)) for leaf in leaves]
    kinds = {one.dtype.kind for one in types}
    if not kinds <= set("iub"):
        raise _no_index(f"a list of {', '.join(map(str, types))}")
    return array(part, bool_ if kinds == {"b"} else int64)


def _no_mask(mask: TensorType, of: TensorType) -> errors.KeyShapeError:
    return errors.KeyShapeError(
        "E133", f"a mask {mask} does not fit {of}", help="a mask has one bool for each element, or one for each row"
    )


def _no_index(what: str) -> errors.KeyTypeError:
    return errors.KeyTypeError(
        "E204",
        f"an index is an integer, a slice or an array of integers or bools, got {what}",
        help="convert it: int(i), or x.astype(int) of an array",
    )


def _flag(part: Any) -> bool | None:
    """A part of a key that is one bool known now: it adds an axis, of one element or none; None for another part."""
    if isinstance(part, (bool, numpy.bool_)):
        return bool(part)
    if isinstance(part, numpy.ndarray) and part.shape == () and part.dtype == bool_:
        return bool(part)
    if isinstance(part, Symbol) and part.weak in (bool, numpy.bool_):
        known = staging().number_of(part)
        return None if known is None else bool(known)
    return None


def _with_moving_parts(x: Symbol, key: Any) -> tuple[Symbol, Any]:
    """The view that slices make which begin where data says, `x[i : i + 3]`, and the key without them."""
    parts = key if isinstance(key, tuple) else (key,)
    if not any(isinstance(part, slice) and (_moves(part.start) or _moves(part.stop)) for part in parts):
        return x, key
    rest = _expanded(key, x.ndim, x.type)
    axis = 0
    for number, part in enumerate(rest):
        if isinstance(part, slice) and (_moves(part.start) or _moves(part.stop)):
            view, rest[number] = _moving(part, axis, x.type)
            x = x if view is None else x.view_by(view)
        axis += 0 if part is None or _flag(part) is not None else part.ndim if _is_mask(part) else 1
    return x, tuple(rest)


def _moves(end: Any) -> bool:
    """Tell whether an end of a slice is an integer that data decides, a number or an array of one."""
    if not isinstance(end, Symbol):
        return False
    if end.weak is None:
        return end.shape == () and end.dtype.kind in "iu"
    return end.weak is int and staging().index_of(end) is None


def _moving(part: slice, axis: int, of: TensorType) -> tuple[At | None, slice]:
    """A slice that begins where data says, of a length that is known: what it is within, and its part of that."""
    start, stop, step = part.start, part.stop, 1 if part.step is None else part.step
    size = of.shape[axis]
    length = None
    if start is not None and stop is not None and isinstance(step, int) and not dims.is_symbolic(step) and step:
        first, end = (start, stop) if step > 0 else (stop + 1, start + 1)
        length = staging().length_between(first, end, size)
    if length is None or (abs(step) != 1 and dims.is_symbolic(length)):
        raise errors.CaptureError(
            "E402",
            f"x[start:stop] along axis {axis} of {of}, whose length depends on the data",
            help="x[i : i + 3] has a known length; or keep all elements and mask some with np.where",
        )
    if not dims.is_symbolic(length) and length <= 0:
        return None, slice(0, 0)
    length -= (length - 1) % step if step > 1 else 0  # the last one that the step takes may be the last there is
    if length > size:
        raise errors.OutOfBoundsError(
            "E110",
            f"cannot take {length} elements along axis {axis} of {of}",
            help="take at most as many elements as the axis has",
        )
    index = index_numbers(operand(array(first)))
    least = 0 if step > 0 else 1  # a stop before the first element would count from the end
    check(index, least, size - length + 1, f"{length} elements from an index on, along axis {axis} of {of}")
    return At(axis, index, length), _FULL if step == 1 else slice(None, None, step)


def _flags_as_axes(x: Symbol, key: Any) -> tuple[Symbol, Any]:
    """An array and a key without bools that say the same: each bool is an index of a new axis of one element."""
    parts = key if isinstance(key, tuple) else (key,)
    if all(_flag(part) is None for part in parts):
        return x, key
    new: list[Any] = []
    indices: list[Any] = []
    for part in _expanded(key, x.ndim, x.type):
        flag = _flag(part)
        if flag is not None:
            new.append(None)
            indices.append(numpy.arange(int(flag)))
            continue
        indices.append(part)
        if part is not None:
            new += [_FULL] * (part.ndim if _is_mask(part) else 1)
    return _symbolic_get(x, tuple(new)), tuple(indices)


def _is_mask(part: Any) -> bool:
    return isinstance(part, (numpy.ndarray, ndarray, Symbol)) and part.dtype == bool_


def _expanded(key: Any, ndim: int, of: TensorType) -> list[Any]:
    """The key as a list of parts that covers every axis: the ellipsis is written out."""
    parts = list(key) if isinstance(key, tuple) else [key]
    used = 0
    for part in parts:
        if part is None or part is Ellipsis or _flag(part) is not None:
            continue
        used += part.ndim if _is_mask(part) else 1
    if used > ndim:
        raise errors.KeyShapeError(
            "E133",
            f"too many indices: {used} for {of}",
            help="each index uses one axis, and a mask as many as it has axes",
        )
    dots = [i for i, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise errors.ArgumentError("E311", "an index can have only one ellipsis")
    at = dots[0] if dots else len(parts)
    return parts[:at] + [_FULL] * (ndim - used) + parts[at + 1 :]


def _parse(key: Any, of: TensorType) -> Parsed:
    shape = of.shape
    slices: list[slice] = []
    new: list[int | None] = []
    integers: dict[int, int] = {}
    arrays: dict[int, Any] = {}
    counters: set[int] = set()
    runs: list[int] = []
    """Places, in the key, of integers and index arrays: what NumPy calls advanced when an array is among them."""
    for axis_of_key, part in enumerate(_expanded(key, len(shape), of)):
        axis = len(slices)
        if part is None:
            new.append(None)
        elif isinstance(part, slice):
            slices.append(_resolved(part))
            new.append(axis)
        elif (number := _integer(part)) is not None:
            integers[axis] = _bounded(number, shape[axis], axis, of)
            slices.append(_FULL)
            new.append(axis)
            runs.append(axis_of_key)
        else:
            indices = _index_array(part, shape[axis:], of)
            known = (
                (indices,)
                if not isinstance(indices, numpy.ndarray) or indices.dtype != bool_
                else _true_positions(indices, shape[axis:], of)
            )
            for index in known:
                if isinstance(part, Symbol) and part.weak in (int, None) and part.ndim == 0:
                    counters.add(len(slices))
                arrays[len(slices)] = index
                new.append(len(slices))
                slices.append(_FULL)
            runs.append(axis_of_key)
    together = not runs or runs == list(range(runs[0], runs[0] + len(runs)))
    return Parsed(tuple(slices), integers, tuple(new), arrays, together, frozenset(counters))


def _resolved(part: slice) -> slice:
    """A slice of plain integers; symbols in it are asked for their values, which may be refused."""
    ends = (part.start, part.stop, part.step)
    return slice(*(end if end is None or dims.is_symbolic(end) else operator.index(end) for end in ends))


def _bounded(number: int, length: int, axis: int, of: TensorType) -> int:
    if not -length <= number < length:
        raise errors.OutOfBoundsError(
            "E110", f"index {number} is out of bounds for axis {axis} of {of}", help="indices run from -n to n - 1"
        )
    return number + length if number < 0 else number


def _true_positions(mask: NDArray[Any], shape: Shape, of: TensorType) -> tuple[NDArray[Any], ...]:
    if mask.shape != shape[: mask.ndim]:
        raise _no_mask(typed(mask), of)
    return mask.nonzero()


def _slice_op(slices: tuple[slice, ...], shape: Shape) -> ops.Slice | None:
    """The slice op for one slice per axis; None when it takes everything."""
    spans = [span(part, length) for part, length in zip(slices, shape, strict=True)]
    if all(step == 1 and dims.same(count, length) for (_, count, step), length in zip(spans, shape, strict=True)):
        return None
    # An empty range is written 0:0, whatever the key said.
    spans = [(first, count, step) if count else (0, 0, 1) for first, count, step in spans]
    starts, steps = tuple(first for first, _, _ in spans), tuple(step for _, _, step in spans)
    return ops.Slice(starts, tuple(map(_stop, spans)), steps)


def _stop(span: tuple[int, int, int]) -> int:
    """One past the last element in the direction of the step: -1 means down to the first."""
    first, count, step = span
    return first + (count - 1) * step + (1 if step > 0 else -1) if count else first


def _steps(parsed: Parsed, shape: Shape) -> list[Op]:
    """The basic part of a key, as view ops; the axes of index arrays stay whole."""
    slices = tuple(
        slice(parsed.integers[axis], parsed.integers[axis] + 1) if axis in parsed.integers else part
        for axis, part in enumerate(parsed.slices)
    )
    steps: list[Op] = []
    cut = _slice_op(slices, shape)
    if cut is not None:
        steps.append(cut)
        shape = cut.infer(TensorType(shape, int64))[0].shape
    wanted = tuple(
        1 if axis is None else shape[axis] for axis in parsed.new if axis is None or axis not in parsed.integers
    )
    if not surely_same(wanted, shape):
        steps.append(ops.Reshape(wanted))
    return steps


def _basic(x: Symbol, parsed: Parsed) -> Symbol:
    for step in _steps(parsed, x.shape):
        x = x.view_by(step)
    return x


def _at_counters(x: Symbol, parsed: Parsed) -> Symbol:
    """The view at integers that only the program knows."""
    view = _basic(x, parsed)
    axis_of = _arrays_as_axes(parsed)
    for axis in sorted(axis_of, key=lambda axis: axis_of[axis], reverse=True):
        index = _normalised(parsed.arrays[axis], view.shape[axis_of[axis]], axis, x.type)
        view = view.view_by(At(axis_of[axis], index))
    return view


def _arrays_as_axes(parsed: Parsed) -> dict[int, int]:
    """Axis of the array -> its axis after the basic part, for index arrays."""
    after = [axis for axis in parsed.new if axis is None or axis not in parsed.integers]
    return {axis: after.index(axis) for axis in parsed.arrays}


def _symbolic_get(x: Symbol, key: Any) -> Any:
    x, key = _flags_as_axes(*_with_moving_parts(x, key))
    parsed = _parse(key, x.type)
    if not parsed.arrays:
        same = _basic(x, parsed)
        return same if same is not x else x.same()
    if parsed.counters == parsed.arrays.keys():
        view = _at_counters(x, parsed)
        return view if _are_numbers(key) else result(view.operand())
    base, axes, numbers = _with_indices(x, parsed)
    if len(axes) == 1:
        return result(bind1(ops.Gather(axes[0]), base.operand(), _as_operand(numbers[0])))
    together, rest = _to_front(base.operand(), axes)
    picked = bind1(ops.GatherND(), together, _joined(numbers))
    return result(_from_front(picked, len(shape_of(picked)) - len(rest), axes[0] if parsed.together else 0))


def _with_indices(x: Symbol, parsed: Parsed) -> tuple[Symbol, list[int], list[Any]]:
    """The view of slices and new axes, the axes of it that are indexed by arrays, and the indices along these.

    Beside index arrays, integers are index arrays too: they take part in where the new axes stand.
    """
    arrays = dict(sorted((parsed.arrays | {axis: numpy.asarray(i) for axis, i in parsed.integers.items()}).items()))
    advanced = Parsed(parsed.slices, {}, parsed.new, arrays, parsed.together)
    base, axis_of = _basic(x, advanced), _arrays_as_axes(advanced)
    numbers = [_normalised(arrays[axis], base.shape[number], axis, x.type) for axis, number in axis_of.items()]
    return base, list(axis_of.values()), numbers


def _normalised(index: Any, length: int, axis: int, of: TensorType) -> Any:
    """Indices counted from the front and within bounds."""
    if isinstance(index, numpy.ndarray):
        index = numpy.asarray(index, int64)
    return from_front(index, length, f"axis {axis} of {of}")


def _as_operand(index: Any) -> Operand:
    return constant(index) if isinstance(index, numpy.ndarray) and capturing() else index


def _joined(numbers: list[Any]) -> Operand:
    """Index arrays, broadcast together, as one with a last axis."""
    shape = dims.broadcast(*(shape_of(index) for index in numbers))
    if shape is None:
        types = ", ".join(str(typed(index)) for index in numbers)
        raise errors.KeyShapeError("E133", f"index arrays do not broadcast: {types}")
    if all(isinstance(index, numpy.ndarray) for index in numbers):
        return _as_operand(numpy.stack([numpy.broadcast_to(index, shape) for index in numbers], axis=-1))
    columns = [bind1(ops.Reshape((*shape, 1)), broadcast(_as_operand(index), shape)) for index in numbers]
    return bind1(ops.Concat(len(shape)), *columns)


def _to_front(x: Operand, axes: list[int]) -> tuple[Operand, list[int]]:
    """The operand with `axes` first, and the axes that follow."""
    rest = [axis for axis in range(len(shape_of(x))) if axis not in axes]
    order = (*axes, *rest)
    return (x if order == tuple(range(len(order))) else bind1(ops.Transpose(order), x)), rest


def _from_front(x: Operand, count: int, first: int) -> Operand:
    """The first `count` axes of an operand moved behind `first` others."""
    if not first or not count:
        return x
    ndim = len(shape_of(x))
    order = (*range(count, count + first), *range(count), *range(count + first, ndim))
    return bind1(ops.Transpose(order), x)


def _symbolic_set(x: Symbol, key: Any, value: Any) -> None:
    mask = _mask(key)
    if mask is not None:
        _masked_set(x, mask, value)
        return
    x, key = _flags_as_axes(*_with_moving_parts(x, key))
    parsed = _parse(key, x.type)
    if parsed.counters == parsed.arrays.keys():  # of slices and integers alone both are empty
        part = _at_counters(x, parsed)
        part.write(_fitted(value, part.shape, x))
        return
    base, axes, numbers = _with_indices(x, parsed)
    where = _joined(numbers)
    together, rest = _to_front(base.operand(), axes)
    count = len(shape_of(where)) - 1
    front = shape_of(where)[:-1] + tuple(base.shape[axis] for axis in rest)
    first = axes[0] if parsed.together else 0
    visible = front if not first else (*front[count : count + first], *front[:count], *front[count + first :])
    update = _fitted(value, visible, x)
    if first and count:
        update = bind1(
            ops.Transpose((*range(first, first + count), *range(first), *range(first + count, len(visible)))), update
        )
    changed = bind1(ops.ScatterND("set"), together, where, update)
    order = (*axes, *rest)
    if order != tuple(range(len(order))):
        changed = bind1(ops.Transpose(tuple(int(i) for i in numpy.argsort(order))), changed)
    base.write(changed)


def _fitted(value: Any, shape: Shape, x: Symbol | ndarray) -> Operand:
    """A value to be written, in the dtype of `x` and broadcast to `shape`."""
    update = cast(value if type(value) is Traced else operand(value, x.dtype), x.dtype)
    sizes = shape_of(update)
    while len(sizes) > len(shape) and sizes[0] == 1:
        sizes = sizes[1:]
    if len(sizes) != len(shape_of(update)):
        update = bind1(ops.Reshape(sizes), update)
    common = dims.broadcast(sizes, shape)
    if common is None or not same_shape(common, shape):
        part = typed(update).with_shape(shape)
        raise errors.ShapeError(
            "E132",
            f"a value {typed(update)} does not fit the part {part} of {x.type}",
            help="give the value the shape of the part, or sizes of 1, which are repeated",
        )
    return broadcast(update, shape)


def _are_numbers(key: Any) -> bool:
    """Tell whether no part of a key is an array: then NumPy makes a view."""
    parts = key if isinstance(key, tuple) else (key,)
    return not any(isinstance(part, ndarray) or (isinstance(part, Symbol) and part.weak is None) for part in parts)


def _mask(key: Any) -> Any:
    """The mask, where a key is one mask whose values are not known."""
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    return key if isinstance(key, (Symbol, ndarray)) and key.dtype == bool_ else None


def _masked_set(x: Symbol, mask: Any, value: Any) -> None:
    """`x[mask] = value` keeps every shape: it is a choice between the value and what was there."""
    chosen = operand(mask)
    if shape_of(chosen) != x.shape[: len(shape_of(chosen))]:
        raise _no_mask(typed(chosen), x.type)
    rest = x.shape[len(shape_of(chosen)) :]
    update = cast(operand(value, x.dtype), x.dtype)
    sizes = shape_of(update)
    if len(sizes) == len(rest) + 1 and sizes[0] == 1:
        update = bind1(ops.Reshape(sizes[1:]), update)
    elif len(sizes) > len(rest):
        raise errors.CaptureError(
            "E402",
            f"x[mask] = value with a value {typed(update)}: the number of elements that the mask selects depends on "
            f"the data",
            help="write x[...] = np.where(mask, value, x), with a value for every element",
        )
    everywhere = bind1(ops.Reshape(shape_of(chosen) + (1,) * len(rest)), chosen) if rest else chosen
    x.write(bind1(ops.Where(), broadcast(everywhere, x.shape), broadcast(update, x.shape), x.operand()))
