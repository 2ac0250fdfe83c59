# SPDX-License-Identifier: Apache-2.0
"""One call of a function over memory that stays: what the arguments hold is read there, results are written there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import host_view, pending_view
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, StateError, ValueArgumentError
from hybridize.base.nested import flatten, flatten_call
from hybridize.base.types import TensorType
from hybridize.contract.call import Call
from hybridize.runtime.cpython import USABLE

if TYPE_CHECKING:
    from hybridize.programs.program import Program


class Bindable(Protocol):
    """A function whose calls may be bound to memory."""

    name: str

    def __call__(self, *args: Any) -> Any: ...

    def program(self, *args: Any) -> Program:
        """The program that a call with these arguments runs."""


class BoundCall:
    """A function of no arguments: computes one call of another function anew, from memory into memory.

    It is the program's entry itself, which neither makes an object nor asks for memory. Where something is odd (a
    weight was written, a thread records) Python sees to the call, and makes the entry anew.
    """

    __slots__ = ("__call__", "__weakref__", "_arguments", "_function", "_targets")

    if TYPE_CHECKING:

        def __call__(self) -> None: ...

    def __init__(self, function: Bindable, arguments: Sequence[Any], out: Any) -> None:
        self._function, self._arguments = function, tuple(arguments)
        for number, leaf in enumerate(flatten_call(self._arguments, {})[0]):
            if isinstance(leaf, (ndarray, numpy.ndarray)):
                _memory(leaf, f"argument {number}")
        self._targets = [_memory(leaf, f"out {number}", written=True) for number, leaf in enumerate(flatten(out)[0])]
        self._install()
        self()

    def _install(self) -> None:
        """Make the entry of the program that is right for the call now what a call reaches."""
        function = self._function
        program = function.program(*self._arguments)
        reason = program.why_not_bound()
        if reason:
            raise StateError(
                "E549", f"{function.name} cannot be bound to memory: {reason}",
                help="call it, or export it as a library",
            )  # fmt: skip
        call = Call.of(self._arguments, {})
        _check_targets(function.name, program, call, self._targets)
        object.__setattr__(self, "__call__", program.bound_entry(call, self._targets, self._again))

    def _again(self) -> None:
        """Compute the call as any other, and make the entry anew."""
        result = self._function(*self._arguments)
        self._install()
        for target, leaf in zip(self._targets, flatten(result)[0], strict=True):
            numpy.copyto(target, host_view(leaf))

    def __reduce__(self) -> NoReturn:
        raise ArgumentError(
            "E346", f"{self!r} cannot be pickled or copied: it is machine code over memory of this process",
            help="pickle the function, and call bound(..., out=...) there",
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<{self._function.name}, bound to {', '.join(map(_shown, self._targets))}>"


def _shown(array: NDArray[Any]) -> str:
    return str(TensorType(array.shape, array.dtype))


def _memory(leaf: Any, what: str, written: bool = False) -> NDArray[Any]:
    """Return the elements of an array where they lie.

    Raises:
        ValueArgumentError E345: it is no array, or not laid out as programs read and write.
    """
    if not isinstance(leaf, (ndarray, numpy.ndarray)):
        text = f"{what} of a bound call must be an array of np or of NumPy, got {type(leaf).__name__}"
        raise ValueArgumentError(
            "E345", text, help="numpy.asarray(x) makes one over the same memory, where that can be"
        )
    data = numpy.asarray(leaf)  # of ours: whoever keeps copies of the elements is told that others write them
    if data.flags.num & USABLE != USABLE or not data.dtype.isnative or (written and not data.flags.writeable):
        words = "row-major, aligned, and of this machine's byte order" + (", and writable" if written else "")
        raise ValueArgumentError("E345", f"{what} of a bound call must be {words}", help="bind a copy, and write there")
    return data


def _check_targets(name: str, program: Program, call: Call, targets: Sequence[NDArray[Any]]) -> None:
    """Check that arrays are of the types of results, and are no other names of what is read, or of each other.

    Raises:
        ValueArgumentError E345: they are not.
    """
    types = [value.type for value in program.captured.outputs]
    if len(types) != len(targets):
        text = f"{name} has {len(types)} results, and out has {len(targets)} arrays"
        raise ValueArgumentError("E345", text, help="pass one array for each result")
    inputs = [pending_view(one) if isinstance(one, ndarray) else one for one in program.arrays(call)]
    for number, (type_, target) in enumerate(zip(types, targets, strict=True)):
        if (target.shape, target.dtype) != (type_.shape, type_.dtype):
            text = f"out {number} of {name} must be {type_}, got {_shown(target)}"
            raise ValueArgumentError("E345", text, help="numpy.empty makes an array of that type")
        if any(numpy.may_share_memory(target, other) for other in (*inputs, *targets[:number])):
            text = f"out {number} of {name} shares memory with an argument, a weight, or another result"
            raise ValueArgumentError("E345", text, help="pass an array of its own")
