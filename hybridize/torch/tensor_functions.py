# SPDX-License-Identifier: Apache-2.0
"""Compiled functions that get tensors: those of the user's over tensors, and programs that were loaded from files."""

from __future__ import annotations

import dataclasses
from typing import Any

from hybridize.capture import Function, SavedFunction
from hybridize.programs import Program
from hybridize.torch.traced import CannotCapture, Followed, arrays_and_tensors, whole


def called(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a call with tensors among the arguments: tensors.

    A program that was loaded reads them where they are; a function is captured as one over tensors, and what it gives
    is part of torch's graph.

    Raises:
        CaptureError: the function does what no program can; at its own line.
    """
    if isinstance(function, SavedFunction):
        arguments, named, _ = arrays_and_tensors(args, kwargs)
        return whole(function(*arguments, **named))
    try:
        return followed(function).enter(*args, **kwargs)
    except CannotCapture as problem:
        raise (problem.__cause__ or problem) from None


def program(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
    """Return the program that such a call runs where nothing is differentiated; captured and compiled if need be.

    Raises:
        CaptureError: the function does what no program can; at its own line.
    """
    if isinstance(function, SavedFunction):
        arguments, named, _ = arrays_and_tensors(args, kwargs)
        return function.program(*arguments, **named)
    try:
        return followed(function).program_for(args, kwargs)
    except CannotCapture as problem:
        raise (problem.__cause__ or problem) from None


def followed(function: Function[Any, Any]) -> Followed:
    """Return a function of the user's as it is captured for tensors."""
    counterpart = function.counterpart
    if not isinstance(counterpart, Followed):
        options = {field.name: getattr(function.options, field.name) for field in dataclasses.fields(function.options)}
        counterpart = function.counterpart = Followed(function.python_function, options)
    return counterpart
