# SPDX-License-Identifier: Apache-2.0
"""Wrappers around the emitted entry of a program that writes state, trains, or is for arrays without gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.array.ndarray import ndarray
from hybridize.array.storage import STATE
from hybridize.contract.feeds import Step
from hybridize.contract.places import variable_of

Entry = Callable[..., Any]


_MISSED: Final = object()


def missed(*args: Any, **kwargs: Any) -> Any:
    """Stand as the fallback of an entry that runs under the lock: give a mark, as the lock is to go first."""
    return _MISSED


def tell(arrays: Sequence[ndarray]) -> None:
    """Tell whoever keeps copies of arrays that they were written."""
    for array in arrays:
        if array._storage is not None:
            array._storage.touch()


class Marks(list[None]):
    """The flag by which an entry says that it has written its arrays: `put`, which no interruption can keep from it.

    For Python runs no handler of a signal inside of what is not Python. What has to be done after the writing is done
    by whoever called the entry, also where it was interrupted as soon as it had come back.
    """

    def __init__(self) -> None:
        super().__init__()
        self.put: Callable[[], None] = partial(self.append, None)


def alone(
    entry: Entry, fallback: Entry, written: Sequence[ndarray], weights: Sequence[ndarray], step: Step, marks: Marks
) -> Entry:
    """An entry under the lock of state, its fallback not: that one may run the user's Python.

    Arrays that are `written` must not be among the arguments, as far as they are `weights`, that is not our own.
    """
    owners: dict[int, Any] = {}
    for array in weights:
        owner: Any = array._data
        while owner is not None:
            owners[id(owner)] = owner
            owner = getattr(owner, "base", None)

    def overlaps(data: NDArray[Any]) -> bool:
        owner = data if data.base is None else data.base
        if type(owner) is numpy.ndarray and owner.base is None:  # two arrays that own their elements share none
            return id(owner) in owners and any(numpy.may_share_memory(data, array._data) for array in weights)
        return any(numpy.may_share_memory(data, array._data) for array in weights)

    def call(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if type(arg) is ndarray and overlaps(arg._data):
                return fallback(*args, **kwargs)
        with STATE:
            try:
                result = entry(*args, **kwargs)
                if marks:
                    tell(written)
            except BaseException:
                tell(written)  # whoever has copies must know, whatever became of the call
                raise
            finally:
                if marks:
                    step.done()
                    marks.clear()
        return fallback(*args, **kwargs) if result is _MISSED else result

    return call


def prepared(entry: Entry, step: Step, marks: Marks) -> Entry:
    """An entry that is called once numbers are ready, which count a call that takes place."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not step.prepare():
            return _MISSED
        result: Any = _MISSED
        try:
            result = entry(*args, **kwargs)
        finally:
            if result is _MISSED and not marks:  # where it has written, it took place, even if interrupted then
                step.failed()
        return result

    return call


def unmarked(entry: Entry, fallback: Entry) -> Entry:
    """An entry for arguments without gradients attached."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for arg in args:
            if type(arg) is ndarray and getattr(arg, "_traced", None) is not None and variable_of(arg) is not None:
                return fallback(*args, **kwargs)
        return entry(*args, **kwargs)

    return call
