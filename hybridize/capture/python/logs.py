# SPDX-License-Identifier: Apache-2.0
"""Logging of values that only calls have: `logger.info("loss %s", loss)`, `warnings.warn(f"{loss}")`.

Each call logs when the program has run, in the order of the lines, with the values as they were there.
"""

from __future__ import annotations

from typing import Any

from hybridize.array.symbol import Symbol
from hybridize.capture.control import texts
from hybridize.capture.control.truth import plain
from hybridize.capture.python import writes
from hybridize.capture.trace.recording import Recording
from hybridize.contract.captured import SideEffect

_MODULES = ("logging", "warnings", "_warnings")


def is_log(function: Any, args: tuple[Any, ...]) -> bool:
    """Tell whether a call logs what only a call of the program has."""
    owner = getattr(function, "__self__", None)
    modules = (type(owner).__module__, getattr(function, "__module__", None))
    return any(module in _MODULES for module in modules) and any(
        texts.of_data(arg) or texts.speaks(arg) for arg in args
    )


def logged(trace: Recording, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Let each call of the program log."""
    if trace.depth:
        raise writes.refused(trace, f"{function.__name__}()", help="print works inside; or log after the branch")
    args = tuple(texts.string(arg) if texts.speaks(arg) and not isinstance(arg, BaseException) else arg for arg in args)
    given = tuple(_now(trace, plain(arg)) for arg in args)
    trace.root.world.effects.append(SideEffect(function, given, dict(kwargs)))


def _now(trace: Recording, value: Any) -> Any:
    """A value as it is now, whatever is written to arrays later."""
    return Symbol.of(trace, value.operand(), weak=value.weak) if type(value) is Symbol else value
