# SPDX-License-Identifier: Apache-2.0
"""Dependences of a capture on blocks and parameters, and the conversion of what they call of the user's.

Layers are not converted as the user's functions are: nobody watches what their `forward` reads. So blocks and
parameters each have a `watch`, a `Storage` without a buffer, that is touched when a setting, a child or the array
itself is replaced; a capture that meets them asks to be told (`Trace.depend`). And what they call of the user's
(`forward`, hooks, functions in a Lambda) is converted by the capture (`Trace.convert`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hybridize.array.storage import Storage
from hybridize.ops.op import ACTIVE, capturing, current


class Watched(Protocol):
    """Something whose replacement invalidates programs."""

    watch: Storage


def depend(owner: Watched) -> None:
    """While capturing: the program is valid only until `owner.watch` is touched."""
    if ACTIVE and capturing():
        register = getattr(current(), "depend", None)
        if register is not None:
            register(owner.watch)


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the user's as it must be called here: converted while capturing, else itself."""
    if ACTIVE and capturing():
        converter = getattr(current(), "convert", None)
        if converter is not None:
            converted: Callable[..., Any] = converter(function)
            return converted
    return function
