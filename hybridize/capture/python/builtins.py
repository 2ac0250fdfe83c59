# SPDX-License-Identifier: Apache-2.0
"""Builtins that mean something else while capturing: those that ask what a value is, and those that reach outside."""

from __future__ import annotations

import builtins
import contextlib
import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Symbol
from hybridize.base.faces import Face
from hybridize.base.members import class_member
from hybridize.base.tracebacks import as_python
from hybridize.capture.control import texts
from hybridize.capture.control.identity import is_different, is_same, number_of
from hybridize.capture.control.operators import contains
from hybridize.capture.control.raising import Trying, leaving
from hybridize.capture.control.rolled import is_rolled
from hybridize.capture.control.rolled_lists import length as length_of_rolled
from hybridize.capture.control.rounds import made_range, of_builtin
from hybridize.capture.control.selected import Selected
from hybridize.capture.control.selected import length as length_of_selected
from hybridize.capture.control.signals import SymbolicRange
from hybridize.capture.control.special import index
from hybridize.capture.control.truth import Sized, bool_, not_, plain
from hybridize.capture.outside.objects import is_users
from hybridize.capture.python import elements, masks, mathematics, mutators
from hybridize.capture.python.classes import class_of, is_instance, is_subclass
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.recording import current_trace
from hybridize.contract.captured import SideEffect
from hybridize.contract.snapshots import CONTAINERS
from hybridize.ops import Print
from hybridize.ops.op import bind


def _type(router: Semantics, *args: Any, **kwargs: Any) -> Any:
    if len(args) == 1:
        return class_of(args[0])
    if len(args) == 3 and type(args[2]) is dict:  # Python takes the module of who calls
        args = (*args[:2], {"__module__": router.names.get("__name__"), **args[2]})
    return type(*args, **kwargs)


def _getattr(router: Semantics, owner: Any, name: str, /, *default: Any) -> Any:
    try:
        return router.read_attribute(owner, plain(name))
    except AttributeError:
        if not default:
            raise
        return default[0]


def _hasattr(router: Semantics, owner: Any, name: str, /) -> bool:
    try:
        router.read_attribute(owner, name)
    except AttributeError:
        return False
    return True


def _may_be(name: str, value: Any) -> bool:
    """Tell whether a keyword of `print` may have a value."""
    if name in ("sep", "end"):
        return value is None or isinstance(value, (str, texts.Text))
    return name in ("file", "flush")


@as_python
def _print(router: Semantics, *args: Any, **kwargs: Any) -> None:
    """`print`: of values of the program, or where data decides whether it happens, a step of the program.

    In a function over arrays of another library every `print` is one.
    """
    trace = current_trace()
    args = tuple(texts.string(arg) if texts.speaks(arg) else arg for arg in args)
    shown = router.name == "hybrid_forward"  # of 1.x: once, with symbols
    each = trace is not None and (trace.depth or trace.root.library is not None)
    if trace is None or (not each and (shown or not any(map(texts.of_data, args)))):
        print(*args, **kwargs)
        return
    wrong = {name: value for name, value in kwargs.items() if not _may_be(name, value)}
    if wrong:
        print(**wrong)  # Python's own error
    strings = [texts.string(arg) for arg in args]
    sep = " " if kwargs.get("sep") is None else kwargs["sep"]
    end = "\n" if kwargs.get("end") is None else kwargs["end"]
    stream = kwargs.get("file")
    streams = {id(None): "stdout", id(sys.stdout): "stdout", id(sys.stderr): "stderr"}
    if id(stream) not in streams and not trace.depth and trace.root.library is not None:
        trace.root.world.effects.append(SideEffect(print, tuple(strings), kwargs, trace.root.location()))
        return
    if id(stream) not in streams:
        what = f"print to a {type(stream).__name__}, of values that only a call has or in a branch on data,"
        raise trace.refusal(
            "E430", f"{what} cannot be part of a program",
            help="print to sys.stdout or sys.stderr, or return the values",
        )  # fmt: skip
    between = [part for string in strings for part in (sep, string)][1:]
    recipe, operands = texts.literal(texts.recipe_of(texts.joined(*between, end)))
    literal = repr((recipe, streams[id(stream)], bool(kwargs.get("flush", False))))
    bind(Print(" ".join(["{}"] * len(operands)), literal), *operands)


def _range(router: Semantics, *args: Any) -> Any:
    numbers = [index(plain(arg)) for arg in args]
    if not any(isinstance(number, Symbol) for number in numbers):
        return made_range(numbers)
    for number in numbers:
        if isinstance(number, Symbol) and (number.shape != () or number.dtype.kind not in "iu"):
            number.__index__()  # refused
    start, stop, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    return SymbolicRange(start, stop, step)


def _str(router: Semantics, *args: Any, **named: Any) -> Any:
    if not args and list(named) == ["object"]:
        args, named = (named["object"],), {}
    return NotImplemented if named else texts.string(*args)


def _rounds(function: Any, router: Semantics, /, *args: Any, **kwargs: Any) -> Any:
    return of_builtin(function, args, kwargs)


@as_python
def _len(router: Semantics, value: Any, /) -> Any:
    if type(value) is list and is_rolled(value):
        return length_of_rolled(value)
    if type(value) is Selected:
        return length_of_selected(value)
    if isinstance(value, masks.Masked):
        return value.count()
    method = class_member(type(value), "__len__")
    if isinstance(value, Face) and value.array.shape:
        value = value.array
    if type(value) is Symbol and value.shape:
        return value.shape[0]  # which may be a size that `len` itself could not give
    arrays = (Symbol, ndarray, numpy.ndarray)
    trace = current_trace()
    if trace is not None and type(value) in CONTAINERS and trace.root.world.is_outside(value):
        return trace.root.world.read_length(value, len(value))
    if type(value) in CONTAINERS or isinstance(value, arrays):
        return len(value)
    if is_users(method):
        if trace is not None:
            trace.root.world.read_class(value, "__len__", method)
        return len(Sized(plain(router.call(method, value))))
    length = len(value)
    return length if trace is None else trace.root.world.read_length(value, length)


def _bool(router: Semantics, *args: Any) -> Any:
    if len(args) > 1:
        return NotImplemented
    return bool_(args[0]) if args else False


class _Suppressing(contextlib.suppress):
    """`suppress(...)` while capturing."""

    def __enter__(self) -> None:
        self._trying = Trying()
        self._trying.__enter__()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        return leaving(self._trying, super().__exit__, (kind, error, traceback)) or False


def _suppress(router: Semantics, *exceptions: Any) -> Any:
    """`with suppress(...)` is an `except`: see `flow.caught`."""
    trace = current_trace()
    if trace is not None:
        trace.root.inputs.pin_sizes("whether `suppress` has an error to hide may depend on them")
    return _Suppressing(*exceptions)


class _Stack(contextlib.ExitStack):
    """`ExitStack()` while capturing: what it enters and calls is converted."""

    def __init__(self, router: Semantics) -> None:
        super().__init__()
        self._router = router

    def enter_context(self, cm: Any) -> Any:
        return super().enter_context(self._router.context(cm))

    def push(self, exit: Any) -> Any:
        super().push(self._router.context(exit) if hasattr(type(exit), "__exit__") else self._routed(exit))
        return exit

    def callback(self, callback: Any, /, *args: Any, **kwds: Any) -> Any:
        super().callback(self._routed(callback), *args, **kwds)
        return callback

    def _routed(self, function: Any) -> Any:
        return functools.partial(self._router.call, function)


REPLACED: dict[Any, Callable[..., Any]] = {
    builtins.isinstance: lambda _, value, kinds, /: is_instance(value, kinds),
    builtins.issubclass: lambda _, kind, kinds, /: is_subclass(kind, kinds),
    builtins.type: _type,
    builtins.getattr: _getattr,
    builtins.hasattr: _hasattr,
    builtins.setattr: lambda router, owner, name, value, /: router.set_attribute(value, owner, name),
    builtins.print: _print,
    builtins.range: _range,
    **{one: functools.partial(_rounds, one) for one in (builtins.enumerate, builtins.zip, builtins.reversed)},
    builtins.str: _str,
    builtins.repr: lambda _, value, /: texts.representation(value),
    builtins.format: lambda _, value, spec="", /: texts.formatted(value, spec),
    builtins.hash: as_python(lambda _, value, /: hash(plain(value))),
    builtins.id: lambda _, value: number_of(value),
    operator.truth: _bool,
    operator.not_: lambda _, value: not_(value),
    operator.contains: lambda _, container, value: contains(container, value),
    operator.is_: lambda _, left, right: is_same(left, right),
    operator.is_not: lambda _, left, right: is_different(left, right),
    builtins.len: _len,
    builtins.bool: _bool,
    contextlib.suppress: _suppress,
    contextlib.ExitStack: _Stack,
    **elements.REPLACED,
    **mathematics.REPLACED,
    **mutators.REPLACED,
}
"""Replacements of builtins, called with the router before the arguments; NotImplemented calls the builtin."""
