# SPDX-License-Identifier: Apache-2.0
"""Dependences of a capture on blocks and parameters, and the conversion of what they call of the user's.

Layers are not converted as the user's functions are: nobody watches what their `forward` reads. So blocks and
parameters each have a `watch`, a `Storage` without a buffer, that is touched when a setting, a child or the array
itself is replaced; a capture that meets them asks to be told (`Staging.depend`). And what they call of the user's
(`forward`, hooks, functions in a Lambda) is converted by the capture (`Staging.convert`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.array.staging import staging
from hybridize.ops.op import ACTIVE


def depend(owner: Any) -> None:
    """While capturing: the program is valid only until `owner.watch` is touched."""
    if ACTIVE:
        staging().depend(owner.watch)


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the user's as it must be called here: converted while capturing, else itself."""
    return staging().convert(function) if ACTIVE else function


def method(owner: Any, name: str) -> Callable[..., Any]:
    """A method of a block, which the user may have written or replaced, as it must be called here."""
    function: Callable[..., Any] = staging().method(owner, name) if ACTIVE else getattr(owner, name)
    return function
