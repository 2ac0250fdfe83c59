# SPDX-License-Identifier: Apache-2.0
"""The chain around the emitted entry of a program that writes state, trains, or asks more of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import NoneType
from typing import Any, Final

import numpy

from hybridize.array.buffer import buffer_of, notify_written
from hybridize.array.ndarray import ndarray
from hybridize.array.storage import STATE
from hybridize.array.traced import LostHistory
from hybridize.base.access import ACCESS, MARK, READERS, WRITER, exclusively, give_way
from hybridize.base.frozen import frozen
from hybridize.base.nested import Structure
from hybridize.base.tracebacks import trim
from hybridize.contract.captured import Captured, Result
from hybridize.contract.feeds import FeedStates, Transaction
from hybridize.contract.places import variable_of

Entry = Callable[..., Any]


NOT_TAKEN: Final = object()
"""The answer of an entry that did not take a call: other arguments, or a program that is not right for it."""


UNASKED: Final[Mapping[str, Callable[[Captured], Any]]] = {
    "its calls end with an exception": lambda captured: captured.raises,
    "arguments are over one memory": lambda captured: captured.same_memory or captured.bound,
    "it depends on conditions on numbers": lambda captured: captured.conditions,
    "it is specialized on what data decides": lambda captured: captured.decided,
    "it changes containers among its arguments": lambda captured: captured.changed,
    "its arrays are on other devices than cpu(0)": lambda captured: captured.call.devices or captured.devices,
}
"""Reasons for which no kind of entry can be made: for each the test of a program."""


def unasked(captured: Captured) -> str:
    """Say what of a program no entry asks or does; empty where there is nothing."""
    return next((what for what, test in UNASKED.items() if test(captured)), "")


def not_taken(*args: Any, **kwargs: Any) -> Any:
    """Give `NOT_TAKEN`: the fallback of an entry under the lock of state, which is released before Python may run."""
    return NOT_TAKEN


class CommitFlag(list[None]):
    """The flag by which an entry says that it has written its arrays: `put`, which no interruption can keep from it.

    For Python runs no handler of a signal inside of what is not Python. What has to be done after the writing is done
    by whoever called the entry, also where it was interrupted as soon as it had come back.
    """

    def __init__(self) -> None:
        super().__init__()
        self.put: Callable[[], None] = partial(self.append, None)


@frozen
class Closed:
    """Holds what the entry of a program that does more than compute needs, where its arrays are another library's."""

    finish: Callable[[tuple[Any, ...]], Any]
    """Does what there is to do besides, and gives the result, of the outputs that are not state."""
    overlaps: Callable[[Sequence[Any]], bool]
    """Tells whether one of the arguments may be over the memory of what the program writes."""


@frozen
class Stages:
    """Holds what Python asks and does around the emitted entry of a program, in the order of these fields."""

    is_constant: bool
    """Arguments have no gradients attached."""
    objects: tuple[int, ...] | None
    """The arguments that are one object, see `same_objects`; None where that does not matter."""
    compared: Sequence[ndarray]
    """Arrays from outside that arguments may be, too."""
    overlaps: Callable[[Sequence[Any]], bool] | None
    """Tells whether one of the arguments may be over the memory of what is written; None where none can be."""
    transaction: Transaction
    """Begins before the entry is called: numbers are ready, which count a call that takes place."""
    excludes: bool
    """Others may read what is written: they are kept out meanwhile (`base.access`)."""
    written: Sequence[ndarray]
    """Arrays that a call writes, besides the state of random numbers."""
    committed: CommitFlag
    keeps_state: bool
    """The last five fields matter."""

    def around(self, entry: Entry, fallback: Entry) -> Entry:
        """An entry that does all of it; calls that it does not take are for the fallback.

        What keeps state is called under the lock of that, the fallback is not: it may run the user's Python.
        """
        is_constant, objects, compared, overlaps = self.is_constant, self.objects, self.compared, self.overlaps
        transaction, excludes, written, committed = self.transaction, self.excludes, self.written, self.committed
        access, feeds, keeps_state = ACCESS, bool(transaction.feeds), self.keeps_state

        def call(*args: Any, **kwargs: Any) -> Any:
            if kwargs:
                return fallback(*args, **kwargs)
            if is_constant:
                for arg in args:
                    if not isinstance(arg, ndarray) or getattr(arg, "_traced", None) is None:
                        continue
                    if variable_of(arg) is not None:
                        return fallback(*args)
            if objects is not None and same_objects(args, compared) != objects:
                return fallback(*args)
            if not keeps_state:
                try:
                    return entry(*args)
                except BaseException as error:
                    trim(error)
                    raise
            if overlaps is not None and overlaps(args):
                return fallback(*args)
            if access.waiting:
                give_way()
            progress: FeedStates = []
            result: Any = NOT_TAKEN
            with STATE:
                try:
                    if feeds and not transaction.begin(progress):
                        pass
                    elif not excludes:
                        result = entry(*args)
                    elif not (WRITER or READERS or access.queued):  # `exclusively` without its calls
                        WRITER.value = 1  # nothing is called between the look at the numbers and this line
                        access.writes += 1
                        access.marks += MARK
                        try:
                            result = entry(*args)
                        finally:
                            WRITER.value = 0
                            del access.marks[-1:]
                    elif access.queue is None:  # else calls are asynchronous, which is Python's business
                        result = exclusively(entry, *args)
                    if committed and written:
                        notify_written(written)
                except BaseException as error:
                    notify_written(written)  # whoever has copies must know, whatever became of the call
                    trim(error)
                    raise
                finally:
                    if committed:
                        transaction.commit()
                        committed.clear()
                    elif result is NOT_TAKEN and progress:  # what has written took place, even if interrupted then
                        transaction.rollback(progress)
            return fallback(*args) if result is NOT_TAKEN else result

        return call


def overlapping(weights: Sequence[ndarray]) -> Callable[[Sequence[Any]], bool] | None:
    """Make a function that tells whether one of the arguments is an array over the memory of one of these, if any."""
    if not weights:
        return None
    owners: dict[int, Any] = {}
    for array in weights:
        owner: Any = buffer_of(array)
        while owner is not None:
            owners[id(owner)] = owner
            owner = getattr(owner, "base", None)

    def overlaps(args: Sequence[Any]) -> bool:
        for arg in args:
            if not isinstance(arg, ndarray):
                continue
            data = buffer_of(arg)
            owner = data if data.base is None else data.base
            if type(owner) is numpy.ndarray and owner.base is None and id(owner) not in owners:
                continue  # two arrays that own their elements share none
            if any(numpy.may_share_memory(data, buffer_of(array)) for array in weights):
                return True
        return False

    return overlaps


def same_objects(leaves: Iterable[Any], outside: Iterable[ndarray]) -> tuple[int, ...]:
    """For each array among arguments, give the number of the first one that is the same object, or one from outside."""
    known = {id(array): -number for number, array in enumerate(outside, 1)}
    arrays = [leaf for leaf in leaves if isinstance(leaf, (ndarray, numpy.ndarray))]
    return tuple([known.setdefault(id(array), number) for number, array in enumerate(arrays)])


def plain_structure(captured: Captured, count: int) -> str | None:
    """Return the kind of a result that is all outputs in their order, `count` of them; None of any other."""
    plain = all(
        result.kind == "array" and not result.steps and result.index == number
        for number, result in enumerate(captured.results)
    )
    if not plain or count != len(captured.results):
        return None
    kind, children = captured.structure.kind, captured.structure.children
    flat = children and all(child.kind == "leaf" for child in children)
    return kind if kind in ("leaf", "none") or (kind in ("tuple", "list") and flat) else None


def assembling(structure: Structure, results: Sequence[Result]) -> Callable[[tuple[Any, ...]], Any] | None:
    """Make a function of the outputs that gives the result; None where that is more than outputs in containers."""
    constants: list[Any] = []
    left = iter(results)

    def constant(value: Any) -> str:
        constants.append(value)
        return f"k{len(constants) - 1}"

    def source(of: Structure) -> str:
        if of.kind == "leaf":
            one = next(left)
            return f"y[{one.index}]" if one.kind == "array" else constant(one.value)
        parts = list(map(source, of.children))
        if of.kind == "none":
            return "None"
        if of.kind == "dict":
            pairs = "".join(f"{constant(key)}: {part}, " for key, part in zip(of.keys, parts, strict=True))
            return f"{{{pairs}}}" if of.cls is None else f"{constant(of.cls)}({{{pairs}}})"
        if of.kind == "namedtuple":
            return f"{constant(of.cls)}({', '.join(parts)})"
        items = "".join(f"{part}, " for part in parts)
        return f"[{items}]" if of.kind == "list" else f"({items})"

    fixed = (str, bytes, bool, int, float, complex, NoneType)
    plain = [
        (one.kind == "array" and not one.steps and one.lost is None)
        or (one.kind == "constant" and type(one.value) in fixed)
        for one in results
    ]
    if not all(plain) or not {"leaf", "none", "dict", "namedtuple", "list", "tuple"}.issuperset(_kinds(structure)):
        return None
    body = source(structure)
    names = ", ".join(f"k{number}" for number in range(len(constants)))
    namespace: dict[str, Any] = {}
    exec(compile(f"def factory({names}):\n return lambda y: {body}", "<result>", "exec"), namespace)
    result: Callable[[tuple[Any, ...]], Any] = namespace["factory"](*constants)
    return result


def _kinds(structure: Structure) -> set[str]:
    return {structure.kind}.union(*map(_kinds, structure.children))


def marking(kind: str, lost: Sequence[tuple[int, LostHistory]]) -> Callable[[tuple[Any, ...]], Any]:
    """Make the entry's way to a result of a kind, of whose arrays some have lost their history."""

    def finish(outputs: tuple[Any, ...]) -> Any:
        for number, one in lost:
            outputs[number]._traced = one
        return outputs[0] if kind == "leaf" else outputs if kind == "tuple" else list(outputs)

    return finish
