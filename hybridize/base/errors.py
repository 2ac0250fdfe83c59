# SPDX-License-Identifier: Apache-2.0
"""Every error hybridize raises: a code, what was found and expected, the user's own line, one remedy.

The text is derived from the fields:

    ShapeError E102: matmul needs [m, k] and [k, n], got f32[32,10] and f32[12,5]
      train.py:41 in forward:  y = h @ self.w
      help: the inner sizes 10 and 12 must be equal

Each class also derives from the built-in exception that Python programmers expect, so `except ValueError` works; where
MXNet raises another one, from that one too. All of them are RuntimeErrors, as MXNet's own error is.
"""

from __future__ import annotations

from typing import Any, Final

import numpy

from hybridize.base.loading import load_module
from hybridize.base.locations import SourceLoc, user_location
from hybridize.base.pickled import named

__all__ = [
    "ArgumentError", "AssertionFailed", "AxisError", "CaptureError", "CodegenError", "ContentError", "DTypeError",
    "DeferredInitializationError", "DeviceError", "GraphError", "HybridizeError", "InternalError", "KeyShapeError",
    "KeyTypeError", "LinAlgError", "LoadError", "MatrixShapeError", "MissingConstantError", "MissingNameError",
    "OutOfBoundsError", "PlacementError", "ReadError", "ScheduledError", "ShapeError",
    "StaleGradientError", "StateError", "UndefinedError", "UninitializedError", "UnsupportedError", "UntypedError",
    "UnusedError",
    "ValueArgumentError", "VerificationError", "WriteError",
]  # fmt: skip


class HybridizeError(RuntimeError):
    """Base of all errors of hybridize.

    Attributes:
        code: a stable identifier such as `"E102"`; `docs/errors` has a page for each.
        what: the rule, what was found, what was expected.
        loc: the user's line that led here, or None when none is known.
        help: one remedy.
        within: the layer that was computed and where it is in its net, or empty.
    """

    within = ""
    quoted = ""
    """The line as it was quoted by the process that the error comes from; empty: it is of this one."""
    home = (__name__, "HybridizeError")
    """The module and the name by which any process finds the class."""
    __module__ = "hybridize.errors"  # in tracebacks, the place where users find it

    def __init_subclass__(cls) -> None:
        cls.home = cls.__module__, cls.__qualname__
        cls.__module__ = HybridizeError.__module__

    def __init__(self, code: str, what: str, *, help: str = "", loc: SourceLoc | None = None) -> None:
        self.code = code
        self.what = what
        self.help = help
        self.loc = loc if loc is not None else user_location()
        super().__init__(code, what)

    def __str__(self) -> str:
        lines = [f"{type(self).__name__} {self.code}: {self.what}"]
        if self.loc is not None:
            lines.append(f"  {self.quoted or self.loc.described()}")
        if self.within:
            lines.append(f"  in {self.within}")
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process has the same error, which says the same, where the source is not at hand, too."""
        state = {name: getattr(self, name) for name in _SLOTS if getattr(self, name, None) is not None}
        state |= {name: value for name, value in self.__dict__.items() if name != TRAIL}
        if self.loc is not None:
            state["quoted"] = self.quoted or self.loc.described()
        known = next(
            kind for kind in type(self).__mro__ if issubclass(kind, HybridizeError) and named(*kind.home) is kind
        )
        return _restored, (known.home, self.args, state)


TRAIL: Final = "__left__"
"""The attribute of an error on its way out: what this process alone knows of the blocks that it has left. The
underscores say that it is none of its attributes: pickles, and programs that raise an error like it, do without."""
_SLOTS: Final = ("errno", "strerror", "filename", "filename2")
"""Attributes of OSErrors that are not in their `__dict__`."""


def _restored(home: tuple[str, str], args: tuple[Any, ...], state: dict[str, Any]) -> HybridizeError:
    """Make an error that `pickle` or a copy brings; `__init__` would ask where it was raised."""
    load_module(home[0])
    kind = named(*home)
    error: HybridizeError = (OSError if issubclass(kind, OSError) else kind).__new__(kind)
    error.args = args
    for name, value in state.items():
        setattr(error, name, value)
    return error


class ShapeError(HybridizeError, ValueError, AssertionError):
    """Sizes or numbers of axes do not fit (codes E1xx)."""


class KeyShapeError(ShapeError, IndexError):
    """A key of indices or bools that does not fit the axes of its array (code E133)."""


class MatrixShapeError(ShapeError, numpy.linalg.LinAlgError):
    """Sizes or numbers of axes that a function of linear algebra does not take (code E169)."""


class DTypeError(HybridizeError, TypeError):
    """An element type that the operation does not take (codes E2xx)."""


class KeyTypeError(DTypeError, IndexError):
    """A key or an index that is no integer (code E204)."""


class ArgumentError(HybridizeError, TypeError, AssertionError):
    """A call with an argument of the wrong kind, missing, or unknown (codes E3xx); MXNet asserts most of them."""


class ValueArgumentError(ArgumentError, ValueError):
    """An argument of the right kind with a value that the function does not take (code E345)."""


class UnsupportedError(ValueArgumentError, NotImplementedError):
    """A value that NumPy's function takes and that of hybridize does not (code E351)."""


class MissingConstantError(ArgumentError, KeyError):
    """A constant that is asked for without a value, and is not there (code E363)."""


class UndefinedError(ArgumentError, NotImplementedError):
    """A method that a subclass has to define, and does not (code E328)."""


class MissingNameError(ArgumentError, AttributeError):
    """A name that a module of hybridize has not, or not yet (code E364)."""


class WriteError(ArgumentError, OSError):
    """A file that cannot be written where it was asked for (code E335); `errno` and `strerror` say why."""


class CaptureError(HybridizeError):
    """A line of the user's program that cannot become part of a compiled program (codes E4xx)."""


class UntypedError(CaptureError, AttributeError, TypeError):
    """An expression is asked for what it has only when it is compiled: a shape, a length, a value (code E453)."""


class UnusedError(CaptureError, AssertionError):
    """A slice or a state that the body of a loop of expressions does not look at (code E461)."""


class StateError(HybridizeError):
    """Something is asked for before it is there, or after it is gone (codes E5xx)."""


class UninitializedError(StateError, ValueError, AssertionError):
    """A parameter has no array yet (code E502): MXNet has an error of its own for each thing that needs it."""


class StaleGradientError(StateError, UserWarning):
    """A gradient that no backward pass has written since the last update (code E561); MXNet raises a UserWarning."""


class DeferredInitializationError(StateError):
    """A parameter whose shape is not known yet was read (code E501)."""


class AssertionFailed(StateError, AssertionError):
    """An `assert` of data, or `npx.assert_`, does not hold (code E520)."""


class ScheduledError(StateError, UserWarning):
    """A learning rate is set that a scheduler says (code E560); MXNet raises a UserWarning."""


class LinAlgError(StateError, numpy.linalg.LinAlgError):
    """A matrix that has no such factors, solution or inverse, found by a compiled program (code E525)."""


class LoadError(HybridizeError, ValueError):
    """A file that is not what it claims to be (codes E6xx); the message names the byte offset or the key."""


class ReadError(LoadError, OSError):
    """A file that cannot be read (code E600); `errno` and `strerror` say why."""


class ContentError(LoadError, AssertionError):
    """A file that does not have the arrays of the net (codes E610, E611, E613); MXNet asserts it."""


class DeviceError(HybridizeError):
    """A device that is not there (codes E7xx)."""


class PlacementError(DeviceError, AssertionError):
    """A parameter is on other devices than it is loaded on (code E704); MXNet asserts it."""


class VerificationError(HybridizeError, AssertionError):
    """`verify=` found a compiled result that differs from the imperative one (codes E8xx)."""


class OutOfBoundsError(HybridizeError, IndexError):
    """An index outside its axis (codes E11x)."""


class AxisError(OutOfBoundsError, numpy.exceptions.AxisError):
    """An axis that an array has not (code E111)."""


class InternalError(HybridizeError):
    """A defect of hybridize itself; please report it with the text (codes E9xx)."""


class GraphError(InternalError):
    """A graph that breaks its own invariants, or text that is not a graph."""


class CodegenError(InternalError):
    """Machine code could not be made for a valid graph."""
