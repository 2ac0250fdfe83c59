# SPDX-License-Identifier: Apache-2.0
"""Logging and warnings: `logger.info("loss %s", loss)`, `warnings.warn(f"{loss}")`.

Each call logs when the program has run, in the order of the lines, with the values as they were there: of values that
only calls have, and, as `print` does, whatever a function over arrays of another library says.
"""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Any

from hybridize.array.symbol import Symbol
from hybridize.base.faces import Face
from hybridize.base.locations import is_users
from hybridize.capture.control import texts
from hybridize.capture.control.truth import plain
from hybridize.capture.python import writes
from hybridize.capture.python.contexts import has_own_filters
from hybridize.capture.trace.recording import Recording
from hybridize.contract.captured import SideEffect
from hybridize.contract.places import CallResult

_MODULES = frozenset({"logging", "warnings", "_warnings"})
_LEVELS = {
    "debug": 10, "info": 20, "warning": 30, "warn": 30, "error": 40, "exception": 40, "critical": 50, "fatal": 50,
}  # fmt: skip
"""Methods of loggers that log, and their levels."""


def is_log(trace: Recording, function: Any, args: tuple[Any, ...]) -> bool:
    """Tell whether a call logs what each call of the program is to log."""
    owner = getattr(function, "__self__", None)
    if _MODULES.isdisjoint((type(owner).__module__, getattr(function, "__module__", None))):
        return False
    if any(texts.of_data(arg) or texts.speaks(arg) for arg in args):
        return True
    if trace.root.library is None:
        return False
    return not has_own_filters() if function is warnings.warn else _level(function, args) is not None


def logged(trace: Recording, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Let each call of the program log."""
    level = _level(function, args)
    if level is not None and trace.root.library is not None:
        logger = getattr(function, "__self__", None) or sys.modules["logging"].getLogger()
        place = CallResult(type(logger).isEnabledFor, (logger, level), {})
        if not trace.root.world.read(place, place.read(), "the level of a logger"):
            return
    if trace.depth:
        raise writes.refused(trace, f"{function.__name__}()", help="print works inside; or log after the branch")
    args = tuple(texts.string(arg) if texts.speaks(arg) and not isinstance(arg, BaseException) else arg for arg in args)
    arguments = tuple(_now(trace, plain(arg)) for arg in args)
    target = _Warning(*arguments[2:3], **kwargs) if function is warnings.warn else function
    trace.root.world.effects.append(SideEffect(target, arguments, dict(kwargs)))


def _level(function: Any, args: tuple[Any, ...]) -> int | None:
    """Return the level at which a method of a logger, or a function of `logging`, logs; None where it does not."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    module = sys.modules.get("logging")  # which no program needs that does not log
    if module is None:
        return None
    if not (isinstance(owner, (module.Logger, module.LoggerAdapter)) or function is getattr(module, name, None)):
        return None
    if name == "log":
        return args[0] if args and type(args[0]) is int else None
    return _LEVELS.get(name)


def _now(trace: Recording, value: Any) -> Any:
    """A value as it is now, whatever is written to arrays later."""
    if isinstance(value, Face):
        return type(value).made(_now(trace, value.array))
    return Symbol.of(trace, value.operand(), weak=value.weak) if type(value) is Symbol else value


class _Warning:
    """Warns as `warnings.warn` does at the user's line, which is remembered, as Python's filters count by lines.

    Args:
        stacklevel: how many of the user's functions are to be gone out of, counted from 1.
    """

    def __init__(self, stacklevel: int = 1, **_: Any) -> None:
        frame: FrameType | None = sys._getframe(1)
        level = max(stacklevel, 1)
        self._file, self._line, self._module = "<unknown>", 0, "<unknown>"
        while frame is not None and level > 0:
            if is_users(frame.f_code.co_filename):
                level -= 1
                self._file, self._line = frame.f_code.co_filename, frame.f_lineno
                self._module = frame.f_globals.get("__name__", "<unknown>")
            frame = frame.f_back

    def __call__(self, message: Any, category: type[Warning] | None = None, *_: Any, **__: Any) -> None:
        """Warn."""
        names = vars(sys.modules[self._module]) if self._module in sys.modules else {}
        kind = type(message) if isinstance(message, Warning) else category or UserWarning
        warnings.warn_explicit(
            message, kind, self._file, self._line, self._module, names.setdefault("__warningregistry__", {})
        )
