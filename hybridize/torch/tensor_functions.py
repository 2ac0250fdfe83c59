# SPDX-License-Identifier: Apache-2.0
"""Compiled functions that get tensors: those of the user's over tensors, and programs that were loaded from files."""

from __future__ import annotations

import dataclasses
import weakref
from typing import Any

from hybridize.capture import Function
from hybridize.torch.traced import CannotCapture, Followed, taken, whole

_OF_TENSORS: weakref.WeakKeyDictionary[Function[Any, Any], Followed] = weakref.WeakKeyDictionary()
"""Functions that were called with tensors, as they are captured for those."""


def called(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a call with tensors among the arguments: tensors.

    A program that was loaded reads them where they are; a function is captured as one over tensors, and what it gives
    is part of torch's graph.

    Raises:
        CaptureError: the function does what no program can; at its own line.
    """
    if function.saved_program is not None:
        given, named, _ = taken(args, kwargs)
        return whole(function(*given, **named))
    traced = _OF_TENSORS.get(function)
    if traced is None:
        options = {field.name: getattr(function.options, field.name) for field in dataclasses.fields(function.options)}
        traced = _OF_TENSORS.setdefault(function, Followed(function.python_function, options))
    try:
        return traced.call(args, kwargs)
    except CannotCapture as problem:
        raise (problem.__cause__ or problem) from None
