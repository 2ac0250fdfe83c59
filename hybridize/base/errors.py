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

from typing import Any, ClassVar, Final

import numpy

from hybridize.base.loading import load_module
from hybridize.base.locations import SourceLoc, user_location
from hybridize.base.pickled import named

__all__ = [
    "ArgumentError", "AssertionFailed", "AxisError", "CaptureError", "CodegenError", "ContentError", "DTypeError",
    "DeferredInitializationError", "DeviceError", "DeviceMemoryError",
    "GraphError", "HybridizeError", "InternalError", "KeyShapeError",
    "KeyTypeError", "LinAlgError", "LoadError", "MatrixShapeError", "MissingConstantError", "MissingNameError",
    "OutOfBoundsError", "PlacementError", "ReadError", "ScheduledError", "ShapeError",
    "StaleGradientError", "StateError", "UndefinedError", "UninitializedError", "UnsupportedError", "UntypedError",
    "UnusedError",
    "ValueArgumentError", "VerificationError", "WriteError",
]  # fmt: skip


class HybridizeError(RuntimeError):
    """Report what was wrong in a call, what was expected, and a remedy. The base of all errors of hybridize.

    `MXNetError` is another name of it, so `except MXNetError` catches what it catches in MXNet.

    Attributes:
        code: a stable identifier such as `"E102"`; `hybridize explain-error E102` prints its page.
        what: the rule, what was found, what was expected.
        loc: the user's line that led here, or None when none is known.
        help: one remedy.
        within: the layer that was computed and where it is in its net, or empty.

    >>> from hybridize import np
    >>> import hybridize
    >>> try:
    ...     np.ones(2).reshape(3)
    ... except hybridize.MXNetError as error:
    ...     print(type(error).__name__, error.code, isinstance(error, ValueError))
    ShapeError E104 True
    """

    within = ""
    _quoted = ""
    """The line as it was quoted by the process that the error comes from; empty: it is of this one."""
    _home: ClassVar[tuple[str, str]] = (__name__, "HybridizeError")
    """The module and the name by which any process finds the class."""
    __module__ = "hybridize.errors"  # in tracebacks, the place where users find it

    def __init_subclass__(cls) -> None:
        cls._home = cls.__module__, cls.__qualname__
        cls.__module__ = HybridizeError.__module__

    def __init__(self, code: str, what: str, *, help: str = "", loc: SourceLoc | None = None) -> None:
        self.code = code
        self.what = what
        self.help = help
        self.loc: SourceLoc | None = loc if loc is not None else user_location()
        super().__init__(code, what)

    def __str__(self) -> str:
        lines = [f"{type(self).__name__} {self.code}: {self.what}"]
        if self.loc is not None:
            lines.append(f"  {self._quoted or self.loc.described()}")
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
            state["_quoted"] = self._quoted or self.loc.described()
        known = next(
            kind for kind in type(self).__mro__ if issubclass(kind, HybridizeError) and named(*kind._home) is kind
        )
        return _restored, (known._home, self.args, state)


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
    """Report sizes or numbers of axes that do not fit (codes E1xx).

    >>> from hybridize import np
    >>> import hybridize
    >>> try:
    ...     np.ones((2, 3)) @ np.ones((4, 5))
    ... except hybridize.errors.ShapeError as error:
    ...     print(error.code)
    E102
    """


class KeyShapeError(ShapeError, IndexError):
    """Report a key of indices or bools that does not fit the axes of its array (code E133)."""


class MatrixShapeError(ShapeError, numpy.linalg.LinAlgError):
    """Report sizes or numbers of axes that a function of linear algebra does not take (code E169)."""


class DTypeError(HybridizeError, TypeError):
    """Report an element type that an operation does not take (codes E2xx)."""


class KeyTypeError(DTypeError, IndexError):
    """Report a key or an index that is no integer (code E204)."""


class ArgumentError(HybridizeError, TypeError, AssertionError):
    """Report an argument of the wrong kind, a missing or an unknown argument (codes E3xx).

    MXNet asserts most of them.

    >>> import hybridize
    >>> try:
    ...     hybridize.hybridize(3)
    ... except hybridize.errors.ArgumentError as error:
    ...     print(error.code)
    E301
    """


class ValueArgumentError(ArgumentError, ValueError):
    """Report an argument of the right kind whose value the function does not take (code E345)."""


class UnsupportedError(ValueArgumentError, NotImplementedError):
    """Report a value that NumPy's function takes and hybridize's does not (code E351)."""


class MissingConstantError(ArgumentError, KeyError):
    """Report a constant that has no value and is not there (code E363)."""


class UndefinedError(ArgumentError, NotImplementedError):
    """Report a method that a subclass must define and does not (code E328).

    >>> from hybridize import errors, gluon
    >>> try:
    ...     gluon.Block()(1)
    ... except errors.UndefinedError as error:
    ...     print(error.code)
    E328
    """


class MissingNameError(ArgumentError, AttributeError):
    """Report a name that a module of hybridize does not have (code E364).

    >>> from hybridize import errors, np
    >>> try:
    ...     np.no_such_function
    ... except errors.MissingNameError as error:
    ...     print(error.code)
    E364
    """


class WriteError(ArgumentError, OSError):
    """Report a file that cannot be written (code E335). `errno` and `strerror` say why."""


class CaptureError(HybridizeError):
    """Report a line of your program that cannot become part of a compiled program (codes E4xx).

    >>> from hybridize import errors, hybridize, np
    >>> try:
    ...     hybridize(lambda x: open(str(x)))(np.ones(2))
    ... except errors.CaptureError as error:
    ...     print(error.code[:2])
    E4
    """


class UntypedError(CaptureError, AttributeError, TypeError):
    """Report that an expression has no shape, length or value before it is compiled (code E453)."""


class UnusedError(CaptureError, AssertionError):
    """Report a slice or a state that the body of a loop of expressions does not use (code E461)."""


class StateError(HybridizeError):
    """Report that something is used before it exists, or after it has gone (codes E5xx)."""


class UninitializedError(StateError, ValueError, AssertionError):
    """Report a parameter that has no array yet (code E502). MXNet has several errors for this.

    >>> from hybridize import errors, gluon
    >>> try:
    ...     gluon.Parameter("w", shape=(2,)).data()
    ... except errors.UninitializedError as error:
    ...     print(error.code)
    E502
    """


class StaleGradientError(StateError, UserWarning):
    """Report a gradient that no backward pass has written since the last update (code E561).

    MXNet raises a UserWarning.
    """


class DeferredInitializationError(StateError):
    """Report that a parameter was read before its shape is known (code E501).

    >>> from hybridize import errors
    >>> from hybridize.gluon import nn
    >>> layer = nn.Dense(2)
    >>> layer.initialize()
    >>> try:
    ...     layer.weight.data()
    ... except errors.DeferredInitializationError as error:
    ...     print(error.code)
    E501
    """


class AssertionFailed(StateError, AssertionError):
    """Report that an `assert` of data, or `npx.assert_`, does not hold (code E520)."""


class ScheduledError(StateError, UserWarning):
    """Report that a learning rate is set although a scheduler chooses it (code E560). MXNet raises a UserWarning."""


class LinAlgError(StateError, numpy.linalg.LinAlgError):
    """Report a matrix that has no such factors, solution or inverse (code E525). A compiled program raises it."""


class LoadError(HybridizeError, ValueError):
    """Report a file that is not what it claims to be (codes E6xx). The message names the byte offset or the key."""


class ReadError(LoadError, OSError):
    """Report a file that cannot be read (code E600). `errno` and `strerror` say why.

    >>> import hybridize
    >>> try:
    ...     hybridize.load("no-such-file.hyb")
    ... except hybridize.errors.ReadError as error:
    ...     print(error.code)
    E600
    """


class ContentError(LoadError, AssertionError):
    """Report a file that lacks arrays of the net, or has others (codes E610, E611, E613). MXNet asserts it."""


class DeviceError(HybridizeError):
    """Report a device that is not there, or does not do what is asked of it (codes E7xx)."""


class DeviceMemoryError(DeviceError, MemoryError):
    """Report that a device has no memory left for an array or a program (code E706)."""


class PlacementError(DeviceError, AssertionError):
    """Report a parameter that is on other devices than those it is loaded on (code E704). MXNet asserts it."""


class VerificationError(HybridizeError, AssertionError):
    """Report that `verify=` found a compiled result that differs from the imperative result (codes E8xx)."""


class OutOfBoundsError(HybridizeError, IndexError):
    """Report an index outside its axis (codes E11x).

    >>> from hybridize import errors, np
    >>> try:
    ...     np.ones(2)[5]
    ... except errors.OutOfBoundsError as error:
    ...     print(error.code, isinstance(error, IndexError))
    E110 True
    """


class AxisError(OutOfBoundsError, numpy.exceptions.AxisError):
    """Report an axis that an array does not have (code E111).

    >>> from hybridize import errors, np
    >>> try:
    ...     np.ones(2).sum(axis=3)
    ... except errors.AxisError as error:
    ...     print(error.code)
    E111
    """


class InternalError(HybridizeError):
    """Report a defect of hybridize itself (codes E9xx). Please send us the text."""


class GraphError(InternalError):
    """Report a graph that breaks its own invariants, or text that is not a graph."""


class CodegenError(InternalError):
    """Report that machine code could not be made for a valid graph."""
