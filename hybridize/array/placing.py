# SPDX-License-Identifier: Apache-2.0
"""Devices of arguments and results, once a process uses another one than `cpu(0)`.

Until then nothing of this runs. From then on a function of arrays (`located`) refuses arguments on different devices,
and its results are where its arguments are; without arrays among them, on the present device, or on the one that is
asked for by `ctx=` or `device=`. An array's device is its storage's, a symbol's its cell's, so views have it, too.

All CPUs are one memory, so a result on one of them is only known by its name. The memory of a GPU is another: arrays
are copied there and back (`place`, `copied_to`), and a function that does more than copy refuses them (E705).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

import numpy

from hybridize.array.buffer import share_elements
from hybridize.array.device import AWAY, OTHERS, Device, accelerator, as_device, cpu, current_device, is_away, use
from hybridize.array.methods import functions
from hybridize.array.nd_array import like
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.array.traced import Traced
from hybridize.base.access import consistently
from hybridize.base.errors import DeviceError
from hybridize.base.loading import load_module
from hybridize.base.types import TensorType
from hybridize.ops.op import capturing, current, taping

_HOME = cpu()
_Array = TypeVar("_Array")


class _Inside(threading.local):
    """The function of arrays that runs in a thread and looks after devices itself: those that it calls need not."""

    value = False
    """True meanwhile."""
    away: Device | None = None
    """The device of its results, if that has a memory of its own."""
    name = ""
    """The function's, for errors."""


_INSIDE = _Inside()


def short_tape() -> Any:
    """Return the tape in charge in this thread, for a short way; None where devices are still to be looked at."""
    return None if OTHERS and (_INSIDE.away or not _INSIDE.value) else taping()


def unwatched() -> bool:
    """Tell whether a function may compute at once, by a short way: nobody captures or records in this thread, and it
    need not look where its arguments are.

    A short way has roundings of its own. So it is open, too, where other devices are used, and other threads record.
    """
    return (not OTHERS or (_INSIDE.value and not _INSIDE.away)) and not capturing() and taping() is None


def looks() -> bool:
    """Tell whether a function of arrays that is called now has to look where they are."""
    return bool(OTHERS) and not _INSIDE.value


def device_of(x: Any) -> Device | None:
    """Return the device of an array; None of a symbol that has none, as Python's numbers."""
    if isinstance(x, Symbol):
        device: Device | None = x._cell.device
        return device
    if not isinstance(x, ndarray):
        return None
    return x.device


def place(x: _Array, device: Device) -> _Array:
    """Let a new array be known to be on a device, and all views of it; return it.

    One that nobody has views of moves to the memory of a GPU, or from there to the host.
    """
    use(device)
    if isinstance(x, Symbol):
        x._cell.device = device
    elif isinstance(x, ndarray) and (device != _HOME or x.device != _HOME):
        if AWAY and device != x.device and (is_away(device) or is_away(x.device)):
            x._memory = _carried(x, device)
        x.storage.device = device
    return x


def _carried(x: ndarray, device: Device) -> Any:
    """A copy of the elements of an array in the memory of a device, whichever has it now."""
    buffer = x._away()
    if not is_away(device):
        return buffer.to_host()
    to, number = accelerator(device), device.device_id
    if buffer is not None:
        return buffer.copied_to(to, number)
    return consistently(lambda: _buffers().sent(x._data, to, number))


def on_device(buffer: Any) -> ndarray:
    """Return an array of a buffer of a device, or of NumPy's."""
    array = wrap(buffer)
    if type(buffer) is not numpy.ndarray:
        array.storage.device = Device("gpu", buffer.number)
    return array


def _buffers() -> Any:
    return load_module("hybridize.runtime.device_buffers")


def unsupported(what: str, type: TensorType, device: Device) -> DeviceError:
    """Return the error for an operation on an array of a device that has no code there."""
    error: DeviceError = _buffers().unsupported(what, type, device)
    return error


def beside(value: Any, x: Any) -> Any:
    """Let a new array be known to be where another one is; return it."""
    device = device_of(x) if OTHERS else None
    return value if device is None or device_of(value) == device else place(value, device)


def copied_to(x: Any, device: Device) -> Any:
    """Copy an array to a device."""
    if AWAY or is_away(device):
        use(device)
        inside = isinstance(x, Symbol) or capturing()
        if inside and x.device != device and is_away(x.device):
            if is_away(device):
                raise _across(x.type, x.device, device)
            copied = within(functions.copy, x)
            (out,) = current().composite(COPIED_OUT, (("ctx", str(device)),), lambda one: [one], [copied.operand()])
            return place(like(x, Symbol.of(staging(), out)), device)
        if not inside and (is_away(device) or is_away(x.device)):
            return _copied_across(x, device)
        # Within a compiled function what is at the host comes with each call, and is on its device then.
    return place(like(x, within(functions.copy, x)), device)


COPIED_OUT: Final = "as_in_ctx"
"""The label of the node of a program that copies from a GPU to the host; it means no operation."""


def _across(type: TensorType, source: Device, to: Device) -> DeviceError:
    """Return the error for a copy from a GPU to another one within a compiled function, which runs on one."""
    what = f"a compiled function copies {type} from {source} to {to}, and it runs on one device"
    help = "copy it before the call, or what the call returns; over several GPUs, compile the net, not the step"
    return DeviceError("E705", what, help=help)


def _copied_across(x: ndarray, device: Device) -> Any:
    """Copy an array to or from the memory of a GPU; gradients go the other way."""
    copied = wrap(_carried(x, device))
    copied.storage.device = device
    tape = taping()
    if tape is not None and tape.concerns(x, None):
        (copied,) = tape.by_rule(_Moved(x.device), [tape.operand(x)], [copied])
    return like(x, copied)


class _Moved:
    """The rule by which the gradient of a copy goes back to the device that it is from."""

    name = "as_in_ctx"

    def __init__(self, device: Device) -> None:
        self._device = device

    def vjp(self, gradients: tuple[Any, ...], copies: tuple[Any, ...], x: Any) -> tuple[Any, ...]:
        """Copy a gradient."""
        (gradient,) = gradients
        tape = taping() if type(gradient) is Traced else None
        back = copied_to(wrap(gradient) if tape is None else tape.wrap(gradient), self._device)
        return (back._content if tape is None else tape.operand(back),)

    def release(self) -> None:
        """Let go of nothing."""


def within(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function in which no function of arrays looks where they are: its caller does."""
    before = _INSIDE.value, _INSIDE.away
    device = common_device((*args, *kwargs.values())) if AWAY else None
    _INSIDE.value, _INSIDE.away = True, device if is_away(device) else None
    try:
        return function(*args, **kwargs)
    finally:
        _INSIDE.value, _INSIDE.away = before


def device_inside() -> Device | None:
    """Return the device with a memory of its own where the function that runs in this thread makes its results."""
    return _INSIDE.away


def name_inside() -> str:
    """Return the name of the function of arrays that runs in this thread, empty outside of all."""
    return _INSIDE.name


def moved(x: Any, device: Any) -> Any:
    """Return an array on a device: itself where it is there, else a copy, to which gradients pass.

    Raises:
        DeviceError E701: the device is not there.
    """
    wanted = as_device(device)
    return x if wanted == x.device else copied_to(x, wanted)


def _of_numpys(x: Symbol, device: Device) -> Any:
    """The array on a device that `asarray` makes of one of NumPy's: at the host another one over its memory."""
    if is_away(device):
        return place(functions.copy(x), device)
    ours = x.same()
    ours.of_numpy = False
    return place(ours, device)


def arrays_in(values: Iterable[Any]) -> Iterator[Any]:
    """List the arrays of ours among values, and in lists, tuples and dicts among them.

    Those of NumPy's in a program are none: what is computed of them alone is on the present device, and their views are
    views.
    """
    for value in values:
        if isinstance(value, (ndarray, Symbol)) and not _is_numpys(value):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from arrays_in(value)
        elif isinstance(value, dict):
            yield from arrays_in(value.values())


def _is_numpys(x: Any) -> bool:
    return isinstance(x, numpy.ndarray) or (isinstance(x, Symbol) and x.of_numpy)


def common_device(values: Iterable[Any]) -> Device | None:
    """Return the device of the first array among values that has one; None where there is none."""
    return next((device for x in arrays_in(values) if (device := device_of(x)) is not None), None)


def located(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Make of a function of arrays one that looks where its arguments are, and says where its results are."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if _INSIDE.value:
            return function(*args, **kwargs)
        values = (*args, *kwargs.values())
        if any(callable(x) and not isinstance(x, type) and not hasattr(x, "shape") for x in values):
            return _of_users(function(*args, **kwargs), values, name)
        explicit = _explicit_device(args, kwargs)
        arrays = list(arrays_in(values))
        if AWAY and args and name in ("array", "asarray") and isinstance(args[0], (list, tuple)):
            args = _brought(args[0], explicit or common_device(arrays) or current_device()), *args[1:]
        common = None if name in _ACROSS else one_device(name, arrays, kwargs.get("out"))
        if is_away(common) and name not in _ACROSS and name != "getitem":  # a key of NumPy's is as a list
            check_hosts(name, values, arrays)
        if common is None:
            common = common_device(arrays)
        wanted = explicit or common or (None if arrays else current_device())
        _INSIDE.value, _INSIDE.away, _INSIDE.name = True, wanted if is_away(wanted) else None, name
        try:
            output = function(*args, **kwargs)
            if wanted is None:
                return output
            if name == "asarray" and isinstance(output, Symbol) and output.of_numpy:
                return _of_numpys(output, wanted)
            return settled(output, wanted, [] if explicit is None else arrays)
        finally:
            _INSIDE.value, _INSIDE.away, _INSIDE.name = False, None, ""

    return call


def check_key(x: Any, key: Any) -> None:
    """Refuse arrays of other devices among the indices of a write to an array; its values may be from anywhere.

    Raises:
        DeviceError E703: there is one.
    """
    if not _INSIDE.value:
        one_device("setitem", list(arrays_in((x, key))))


def _of_users(value: Any, values: tuple[Any, ...], name: str) -> Any:
    """Place what a function has made that calls one of the user's, which may use arrays of any device."""
    device = None if name in _BODIES else common_device(values)
    if device is not None:
        for x in arrays_in([value]):
            if device_of(x) == _HOME:
                place(x, device)
    return value


_BODIES = frozenset({"cond", "foreach", "while_loop"})
"""Functions whose results are those of the user's function, on their devices."""
_ACROSS = frozenset({
    "array", "asarray", "copyto", "may_share_memory", "save", "savez", "savez_compressed", "shares_memory",
})  # fmt: skip
"""Functions that take arrays from where they are."""


def _brought(parts: Any, device: Device) -> Any:
    """A nested list of which one array is made, its arrays in the memory of a device."""
    if isinstance(parts, (list, tuple)):
        return [_brought(one, device) for one in parts]
    there = device_of(parts)
    is_near = there is None or there == device or not (is_away(there) or is_away(device))
    return parts if is_near else copied_to(parts, device)


def check_hosts(name: str, values: Iterable[Any], arrays: list[Any]) -> None:
    """Refuse arrays of NumPy's beside arrays in the memory of a GPU, those in lists and tuples included.

    Raises:
        DeviceError E703: there is one.
    """
    for value in values:
        if isinstance(value, (list, tuple)):
            check_hosts(name, value, arrays)
        elif _is_numpys(value) and value.ndim:
            here = next(x for x in arrays if is_away(device_of(x)))
            what = f"{name}: an array of NumPy's beside {here.type} on {here.device}"
            raise DeviceError("E703", what, help=f"np.array(x, ctx={here.device}) gives an array there")


def _explicit_device(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Device | None:
    """The device that a call asks for by name, or by a device among its arguments."""
    for name in ("ctx", "device"):
        value = kwargs.get(name)
        if value is not None:
            return as_device(value)
    device = next((x for x in args if isinstance(x, Device)), None)
    return None if device is None else as_device(device)


def one_device(name: str, arrays: list[Any], target: Any = None) -> Device | None:
    """Return the device of arrays, one for all; None where none has one.

    An array without axes at the host is as a number beside arrays in the memory of a GPU, unless a gradient goes to it.

    Args:
        name: of what computes with them, for errors.
        arrays: all of them.
        target: the one, or those, that the result is written to: no numbers.

    Raises:
        DeviceError E703: they are on different devices.
    """
    first: Any = None
    common: Device | None = None
    beside: Device | None = None
    for x in arrays:
        device = device_of(x)
        if device is None or device == common:
            continue
        if device.device_type.startswith("cpu_"):
            beside = device  # pinned and shared memory goes with any CPU, as in MXNet
            continue
        if common is not None:
            targets = target if isinstance(target, (list, tuple)) else (target,)
            others = [x for x in arrays if not _is_number(x) or any(x is one for one in targets)]
            if len(others) < len(arrays) and any(is_away(device_of(x)) for x in others):
                return one_device(name, others, target)
            what = f"{name}: arrays on different devices, {first.type} on {common} and {x.type} on {device}"
            before = " before the call" if capturing() and is_away(common) and is_away(device) else ""
            raise DeviceError("E703", what, help=f"x.as_in_ctx({common}){before} gives an array there")
        first, common = x, device
    return common or beside


def _is_number(x: Any) -> bool:
    if x.shape or is_away(device_of(x)):
        return False
    tape = taping()
    return tape is None or not tape.concerns(x, None)


def settled(value: Any, device: Device, arguments: list[Any]) -> Any:
    """Return what a function has made, on a device: what is new is there; a part of what was `arguments` elsewhere is
    copied.
    """
    if isinstance(value, (ndarray, Symbol)):
        if device_of(value) == device or (isinstance(value, Symbol) and value.weak is not None):
            return value
        if any(_is_part(value, x) for x in arguments):
            return place(functions.copy(value), device)
        if arguments and isinstance(value, ndarray) and is_away(value.device):
            return copied_to(value, device)
        elsewhere = device_of(value)
        if elsewhere is not None and (isinstance(value, Symbol) or elsewhere != _HOME):
            return value  # a view of an argument, or that itself
        return place(value, device)
    if type(value) in (list, tuple):
        return type(value)([settled(part, device, arguments) for part in value])
    if type(value) is dict:
        return {key: settled(part, device, arguments) for key, part in value.items()}
    if isinstance(value, tuple):  # a namedtuple
        return type(value)(*[settled(part, device, arguments) for part in value])
    return value


def _is_part(value: Any, x: Any) -> bool:
    if isinstance(value, Symbol) or isinstance(x, Symbol):
        return isinstance(value, Symbol) and isinstance(x, Symbol) and value._cell is x._cell
    if AWAY and (value._away() is not None or x._away() is not None):
        return share_elements(value, x)
    return numpy.may_share_memory(value._data, x._data)
