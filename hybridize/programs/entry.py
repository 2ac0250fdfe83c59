# SPDX-License-Identifier: Apache-2.0
"""Wrappers around the emitted entry of a program that writes state, trains, or is for arrays without gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import NoneType
from typing import Any, Final

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.storage import STATE
from hybridize.array.traced import LostHistory
from hybridize.base.access import ACCESS, MARK, READERS, WRITER, exclusively, give_way
from hybridize.base.frozen import frozen
from hybridize.base.nested import Structure
from hybridize.base.tracebacks import trim
from hybridize.contract.captured import Captured, Result
from hybridize.contract.feeds import Begun, Transaction
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


def notify_written(arrays: Sequence[ndarray]) -> None:
    """Tell whoever keeps copies of arrays that they were written."""
    for array in arrays:
        if array._storage is not None:
            array._storage.touch()


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
    overlaps: Callable[[Any], bool]
    """Tells whether an argument may be over the memory of what the program writes."""


def locked(
    entry: Entry,
    fallback: Entry,
    written: Sequence[ndarray],
    overlaps: Callable[[Any], bool],
    transaction: Transaction,
    committed: CommitFlag,
) -> Entry:
    """An entry under the lock of state, its fallback not: that one may run the user's Python.

    Arguments that overlap what is written are for the fallback.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            return fallback(*args, **kwargs)
        for arg in args:
            if overlaps(arg):
                return fallback(*args)
        if ACCESS.waiting:
            give_way()
        with STATE:
            try:
                result = entry(*args)
                if committed:
                    notify_written(written)
            except BaseException as error:
                notify_written(written)  # whoever has copies must know, whatever became of the call
                if isinstance(error, Exception):
                    trim(error)
                raise
            finally:
                if committed:
                    transaction.commit()
                    committed.clear()
        return fallback(*args) if result is NOT_TAKEN else result

    return call


def overlapping(weights: Sequence[ndarray]) -> Callable[[Any], bool]:
    """Make a function that tells whether an argument is an array over the memory of one of these."""
    owners: dict[int, Any] = {}
    for array in weights:
        owner: Any = array._memory
        while owner is not None:
            owners[id(owner)] = owner
            owner = getattr(owner, "base", None)

    def overlaps(arg: Any) -> bool:
        if type(arg) is not ndarray:
            return False
        data = arg._data
        owner = data if data.base is None else data.base
        if type(owner) is numpy.ndarray and owner.base is None:  # two arrays that own their elements share none
            return id(owner) in owners and any(numpy.may_share_memory(data, array._data) for array in weights)
        return any(numpy.may_share_memory(data, array._data) for array in weights)

    return overlaps


def alone(entry: Entry) -> Entry:
    """An entry that writes arrays which others may read: called while nobody does (`base.access`).

    The lock of state is held. Where there are neither readers nor writers, this is `exclusively` without its calls.
    """
    access = ACCESS

    def call(*args: Any) -> Any:
        if WRITER or READERS or access.queued:
            if access.queue is not None:
                return NOT_TAKEN  # calls are asynchronous, which is Python's business
            return exclusively(entry, *args)
        WRITER.value = 1  # nothing is called between the look at the numbers and this line
        access.writes += 1
        access.told += MARK
        try:
            return entry(*args)
        finally:
            WRITER.value = 0
            del access.told[-1:]

    return call


def with_feeds(entry: Entry, transaction: Transaction, committed: CommitFlag) -> Entry:
    """An entry that is called once numbers are ready, which count a call that takes place."""

    def call(*args: Any) -> Any:
        begun: Begun = []
        result: Any = NOT_TAKEN
        try:
            if transaction.begin(begun):
                result = entry(*args)
            if result is NOT_TAKEN and not committed:
                transaction.rollback(begun)
            return result
        except BaseException:
            if result is NOT_TAKEN and not committed:  # where it has written, it took place, even if interrupted then
                transaction.rollback(begun)
            raise

    return call


def same_objects(leaves: Iterable[Any], outside: Iterable[ndarray]) -> tuple[int, ...]:
    """For each array among arguments, give the number of the first one that is the same object, or one from outside."""
    known = {id(array): -number for number, array in enumerate(outside, 1)}
    arrays = [leaf for leaf in leaves if isinstance(leaf, (ndarray, numpy.ndarray))]
    return tuple([known.setdefault(id(array), number) for number, array in enumerate(arrays)])


def for_objects(entry: Entry, fallback: Entry, outside: Sequence[ndarray], objects: tuple[int, ...]) -> Entry:
    """An entry for arguments of which those are one object that were so before."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or same_objects(args, outside) != objects:
            return fallback(*args, **kwargs)
        return entry(*args)

    return call


def assembling(structure: Structure, results: Sequence[Result]) -> Callable[[tuple[Any, ...]], Any] | None:
    """Make a function of the outputs that gives the result; None where that is more than outputs in containers."""
    given: list[Any] = []
    left = iter(results)

    def constant(value: Any) -> str:
        given.append(value)
        return f"k{len(given) - 1}"

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
    names = ", ".join(f"k{number}" for number in range(len(given)))
    made: dict[str, Any] = {}
    exec(compile(f"def factory({names}):\n return lambda y: {body}", "<result>", "exec"), made)
    result: Callable[[tuple[Any, ...]], Any] = made["factory"](*given)
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


def without_gradients(entry: Entry, fallback: Entry) -> Entry:
    """An entry for arguments without gradients attached."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            return fallback(*args, **kwargs)
        for arg in args:
            if type(arg) is ndarray and getattr(arg, "_traced", None) is not None and variable_of(arg) is not None:
                return fallback(*args)
        try:
            return entry(*args)
        except Exception as error:
            trim(error)
            raise

    return call
