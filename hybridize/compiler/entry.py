# SPDX-License-Identifier: Apache-2.0
"""Callables over executables: the emitted entry where this interpreter allows it, else the same checks in Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from hybridize.base.modes import BUSY, IDLE
from hybridize.base.once import once
from hybridize.base.types import TensorType
from hybridize.compiler.host import process_module
from hybridize.runtime import effects, entry
from hybridize.runtime.cpython import supported
from hybridize.runtime.exchange import Exchange
from hybridize.runtime.executable import Executable

if TYPE_CHECKING:
    from hybridize.runtime.device_entry import StartableGraphs


@once
def _entry() -> tuple[int, object]:
    """Address and owner of the one entry of the process; kept for ever, as every callable refers to it."""
    return _loaded("entry")


@once
def _device_entry() -> tuple[int, object]:
    """The same of the one entry of programs on devices."""
    return _loaded("device_entry")


def _loaded(kind: str) -> tuple[int, object]:
    loaded = process_module(kind, entry.state_offset() or 0)
    (name,) = loaded.names
    return loaded.address(name), loaded


def entry_code() -> int:
    """Address of the emitted entry; 0 where this interpreter is not as it expects."""
    return _entry()[0] if supported() and entry.state_offset() is not None else 0


def make_entry(
    executable: Executable,
    *,
    array_type: type | None,
    arguments: Sequence[TensorType | entry.Argument],
    bound: Sequence[NDArray[Any]] = (),
    fallback: Callable[..., Any],
    structure: str | Callable[..., Any] = "tuple",
    writes: Sequence[NDArray[Any]] = (),
    committed: Callable[[], object] | None = None,
    derived: Sequence[NDArray[Any]] = (),
    watches: Sequence[entry.Watch] = (),
    doubt: Callable[[], bool] | None = None,
    outcome: Callable[[], BaseException | None] = effects.outcome,
    in_place: Collection[int] = (),
    exclusive: bool = False,
    modal: bool = True,
    exchange: Exchange | None = None,
    keywords: Sequence[str] = (),
    attaches: bool = False,
) -> Callable[..., Any]:
    """A callable that runs `executable` when the call is exactly as described, and else calls `fallback` with it.

    The executable's inputs are the arguments (without those of `Kind.SAME`), then `bound`; its outputs are the
    results, then one for each of `writes`. The callable's `__self__.dirty[0] = 1` sends calls to the fallback until
    it is 0 again; where the emitted entry cannot serve (another interpreter, bound arrays that are not contiguous) the
    result has the same face and calls `fallback` always. Where the program prints or asserts, what that raises comes
    out of the call, and nothing has been copied into `writes` then.

    Args:
        executable: the program.
        array_type: class of arguments and results, which declares `__hybridize_slots__`; None for plain NumPy arrays.
        arguments: what each positional argument must be; a `TensorType` means an array of that type.
        bound: buffers read at each call, C-contiguous; they are kept alive.
        fallback: gets every other call, with the same arguments.
        structure: `leaf`, `tuple`, `list`, `none`, or a callable that is given the tuple of results.
        writes: buffers that the last outputs are copied into after the program has run, C-contiguous.
        outcome: gives what printing or asserting has left behind to be raised.
        in_place: numbers of outputs that the program itself writes into the buffers for them: those whose input that
            buffer is, as the plan's `updates` allow, if nothing else that is bound overlaps it.
        committed: called after the copying.
        derived: constants derived of what is bound, one for each of the executable's derivers.
        watches: what else must be as it was for the program to be right.
        doubt: tells of all of it whether it is, where one of `watches` finds another object, which may be equal.
        exclusive: True if it is only called while nobody else reads or writes arrays, see `base.access`.
        modal: whether calls go to the fallback while a thread records or captures; False for programs that compute the
            same in any mode, whose caller sees to what is recorded.
        exchange: arguments and results are arrays of another library; `array_type` is None then.
        keywords: names of the last of the arguments, which are given by them.
        attaches: the callable `structure` is also given the arrays among the arguments, see `Returns.ATTACH`.
    """
    args = [entry.argument(one) for one in arguments]
    results = executable.results[: len(executable.results) - len(writes)]
    targets = [
        entry.Write(type_, target, number in in_place)
        for number, (type_, target) in enumerate(
            zip(executable.results[len(results) :], writes, strict=True), len(results)
        )
    ]
    if not entry.servable(args, bound, targets, array_type, exchange, results):
        return entry.PythonEntry(fallback)
    called = entry.Returns.ATTACH if attaches else entry.Returns.FINISH
    returns = entry.Returns[structure.upper()] if isinstance(structure, str) else called
    state = entry.EntryTable(
        executable.address,
        executable,
        args,
        [*bound, *executable.constants_with(derived)],
        results,
        fallback,
        array_type=array_type,
        writes=targets,
        committed=committed,
        returns=returns,
        finish=None if isinstance(structure, str) else structure,
        scratch_bytes=executable.scratch_bytes,
        release=executable.long,
        prepare=executable.prepare,
        watches=watches,
        doubt=doubt,
        outcome=outcome,
        acts=executable.effects,
        exclusive=exclusive,
        busy=BUSY if modal else IDLE,
        exchange=exchange,
        keywords=keywords,
    )
    return entry.new_entry(entry_code(), state)


def make_device_entry(
    instances: StartableGraphs,
    *,
    array_type: type,
    arguments: Sequence[entry.Argument],
    keywords: Sequence[str],
    results: Sequence[TensorType],
    fallback: Callable[..., Any],
    structure: str | Callable[..., Any],
    watches: Sequence[entry.Watch],
    doubt: Callable[[], bool] | None,
    committed: Callable[[], object] | None,
    exclusive: bool,
) -> Callable[..., Any]:
    """A callable that starts a graph of a device where the call is as described and one is for its addresses.

    Args:
        instances: the graphs.
        array_type: as `make_entry` has it, as everything that follows.
        arguments: what each must be.
        keywords: names of the last of them.
        results: types of the results.
        fallback: gets every other call.
        structure: what the results are put into.
        watches: what else must be as it was.
        doubt: asked where that is another object.
        committed: called when states have their new values.
        exclusive: as `make_entry` has it.
    """
    state = entry.EntryTable(
        instances.words.ctypes.data,
        instances,
        arguments,
        (),
        results,
        fallback,
        array_type=array_type,
        returns=entry.Returns[structure.upper()] if isinstance(structure, str) else entry.Returns.FINISH,
        finish=None if isinstance(structure, str) else structure,
        watches=watches,
        doubt=doubt,
        committed=committed,
        exclusive=exclusive,
        keywords=keywords,
    )
    return entry.new_entry(_device_entry()[0], state)
