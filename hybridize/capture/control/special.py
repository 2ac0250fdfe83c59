# SPDX-License-Identifier: Apache-2.0
"""Special methods of the user's classes, which operators and statements call: `__add__`, `__bool__`, `__iter__`.

Python looks them up in the class and calls them itself, past what capture has converted. Converted code therefore asks
here first, in the order in which Python tries (reflected operands, `NotImplemented`, a subclass before its base), and
calls what the user wrote as all other functions of the user's are called: converted, and guarded.
"""

from __future__ import annotations

import numbers
import operator
from collections import UserList, deque
from collections.abc import Callable, Iterator, Sequence
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    EllipsisType,
    FunctionType,
    GetSetDescriptorType,
    MethodDescriptorType,
    NoneType,
    NotImplementedType,
    WrapperDescriptorType,
)
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Symbol, described
from hybridize.base.dims import Dim, is_symbolic
from hybridize.base.dtypes import CODES
from hybridize.base.faces import Face
from hybridize.base.members import class_member, has_class_member
from hybridize.base.tracebacks import as_python
from hybridize.capture.control.rolled_lists import unroll
from hybridize.capture.outside.trust import is_iterator, is_library, is_trusted_class, is_trusted_file
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.places import Attribute, Member, Unbound, static
from hybridize.contract.snapshots import CONTAINERS, MISSING, VIEWS
from hybridize.ops import size_of

KNOWN = frozenset({
    Symbol, ndarray, int, float, bool, complex, str, bytes, NoneType, slice, range, type, FunctionType, EllipsisType,
    NotImplementedType, *CONTAINERS,
})  # fmt: skip
"""Classes whose special methods nobody has written in Python."""
_OF_C = (
    BuiltinFunctionType, WrapperDescriptorType, MethodDescriptorType, ClassMethodDescriptorType, GetSetDescriptorType,
)  # fmt: skip
GENERATED = "<string>"
"""The file of functions that modules of Python's make of text."""
_TABLES = (set, frozenset, dict)
_OF_ATTRIBUTES = ("__getattribute__", "__setattr__", "__delattr__")
_OF_ITEMS = (list, tuple, dict, set, frozenset, deque, UserList)
"""Classes of containers that capture goes through by itself."""
_VIEWS = "collections.abc"
"""The module of views of mappings, which call the methods of these."""
_JOINED_LAST = (list, tuple, str, bytes, bytearray)
"""Classes that are asked for `+` and `*` only when the other operand has been."""
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "** or pow()",
    "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "divmod": "divmod()",
}  # fmt: skip
_PYTHONS: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, f"__{name}__") for name in _SIGNS if name != "divmod"},
    "divmod": divmod,
}
_UNARY: dict[str, Callable[[Any], Any]] = {"neg": operator.neg, "pos": operator.pos, "invert": operator.invert}
IN_PLACE = {name: getattr(operator, f"__i{name}__") for name in _SIGNS if name != "divmod"}


def is_users_object(value: Any) -> bool:
    """Tell whether a value is an instance of a class whose special methods the user may have written."""
    kind = type(value)
    return kind not in KNOWN and not _is_trusted(kind)


def _is_trusted(kind: type) -> bool:
    return is_trusted_class(kind) and kind.__module__ != _VIEWS


def dataclass_of(kind: type, name: str) -> Any:
    """Return the dataclass for which `dataclasses` generated a method of a class, of no source; None for any other."""
    for base in kind.__mro__:
        member = base.__dict__.get(name)
        if member is not None:
            code = getattr(getattr(member, "__wrapped__", member), "__code__", None)
            is_generated = code is not None and code.co_filename == GENERATED and "__dataclass_fields__" in vars(base)
            return base if is_generated else None
    return None


def method(trace: Recording | None, owner: Any, name: str) -> Callable[..., Any] | None:
    """Return a special method of an object as capture calls it, and depend on it; None where Python's own is called."""
    kind: Any = type(owner)
    if trace is None or kind in KNOWN or _is_trusted(kind):
        return None
    member = static(kind, name)
    if member is MISSING and name != "__getattribute__":
        trace.root.world.read_special(owner, name)  # the class may get one
    if member is MISSING or member is None or isinstance(member, _OF_C):
        if isinstance(member, _OF_C) and name not in _OF_ATTRIBUTES:
            trace.root.world.depend_on(Attribute(kind, name))  # the class may get its own
        return None
    if isinstance(member, FunctionType):
        if is_trusted_file(member.__code__.co_filename) and not is_library(member):
            return None
        bound: Any = None
    else:
        bound = member.__get__(owner, kind) if hasattr(type(member), "__get__") else member
    world = trace.root.world
    own = world.is_own(owner)
    if bound is not None:
        world.depend_on(Unbound(kind if own or isinstance(owner, type) else owner, name))
    else:
        world.depend_on(Attribute(kind, name) if own else Member(owner, name))
    converter = trace.root.converter
    if bound is not None:
        return converter(bound)
    called = converter(member)
    return lambda *args, **kwargs: called(owner, *args, **kwargs)


# ---------------------------------------------------------------------------------------------------- operators


@as_python
def binary(name: str, left: Any, right: Any) -> Any:
    """`left + right`, or another operator of two operands."""
    if type(left) in KNOWN and type(right) in KNOWN:
        trace = current_trace()
        if trace is not None and isinstance(left, _TABLES) and isinstance(right, _TABLES):
            trace.root.keyed(left, right)
            trace.root.keyed(right, left)
        return _PYTHONS[name](left, right)
    if name == "mul" and (isinstance(left, _JOINED_LAST) or isinstance(right, _JOINED_LAST)):
        left, right = index(left), index(right)  # how many times
    answer = _arithmetic(name, left, right)
    if answer is MISSING:
        return _PYTHONS[name](*known_beside(left, right))
    if answer is NotImplemented:
        raise TypeError(
            f"unsupported operand type(s) for {_SIGNS[name]}: {type(left).__name__!r} and {type(right).__name__!r}"
        )
    return answer


def known_beside(left: Any, right: Any) -> tuple[Any, Any]:
    """Return two operands, for a Python number beside one of another class, a `Fraction` say, the number of the call.

    A size beside a number that is another one at each call is a number of the program, too.

    Raises:
        CaptureError E427: data decides it.
    """
    trace = current_trace()
    if trace is not None and trace.root.library is not None and Symbol in (type(left), type(right)):
        left, right = trace.lifted(left), trace.lifted(right)  # who goes through parameters finds them as they are
    left, right = _counted_beside(left, right), _counted_beside(right, left)
    return _known_beside(left, right), _known_beside(right, left)


def _counted_beside(value: Any, other: Any) -> Any:
    trace = current_trace()
    if trace is None or not is_symbolic(value) or type(other) is not Symbol or other.weak not in (int, float, bool):
        return value
    if not trace.root.numbers.varies(other, trace):
        return value
    return Symbol.of(trace, size_of(value), weak=int)


def _known_beside(value: Any, other: Any) -> Any:
    trace = current_trace()
    if trace is None or type(value) is not Symbol or value.weak is None or type(other) in KNOWN:
        return value
    if not isinstance(other, numbers.Number) or isinstance(other, numpy.generic):
        return value
    number = trace.number_of(value)
    if number is None:
        raise trace.refusal(
            "E427", f"an operator between {described(value)} and a {type(other).__name__}: Python needs the value",
            help=f"compute with a float: float() of the {type(other).__name__}",
        )  # fmt: skip
    return number


@as_python
def in_place(name: str, left: Any, right: Any) -> Any:
    """`left += right`, or another augmented assignment: what is assigned."""
    if type(left) in KNOWN and type(right) in KNOWN:
        return IN_PLACE[name](left, right)
    if current_trace() is None or not (is_users_object(left) or is_users_object(right)):
        return IN_PLACE[name](*known_beside(left, right))
    change = method(current_trace(), left, f"__i{name}__")
    if change is None and (native := class_member(type(left), f"__i{name}__")) is not None:
        change = lambda other: native(left, other)  # noqa: E731
    answer = NotImplemented if change is None else change(right)
    if answer is not NotImplemented:
        return answer
    answer = _arithmetic(name, left, right)
    if answer is MISSING:
        return _PYTHONS[name](left, right)
    if answer is NotImplemented:
        sign = "**" if name == "pow" else _SIGNS[name]
        raise TypeError(
            f"unsupported operand type(s) for {sign}=: {type(left).__name__!r} and {type(right).__name__!r}"
        )
    return answer


def _arithmetic(name: str, left: Any, right: Any) -> Any:
    """Return what the special methods give: NotImplemented if none has an answer, MISSING if none is the user's."""
    trace = current_trace()
    forward, backward = f"__{name}__", f"__r{name}__"
    x, y = type(left), type(right)
    first = method(trace, left, forward)
    second = method(trace, right, backward) if x is not y else None
    if first is None and second is None:
        return MISSING
    if first is None and (native := getattr(x, forward, None)) is not None:
        first = lambda other: native(left, other)  # noqa: E731
    if second is None and x is not y and (reflected := getattr(y, backward, None)) is not None:
        second = lambda other: reflected(right, other)  # noqa: E731
    overrides = x is not y and issubclass(y, x) and static(y, backward) is not static(x, backward)
    tries = [(second, left), (first, right)] if overrides or x in _JOINED_LAST else [(first, right), (second, left)]
    return answered(tries)


def answered(tries: Sequence[tuple[Callable[..., Any] | None, Any]]) -> Any:
    """The first answer that methods give to an operand each; NotImplemented if none has one."""
    for call, other in tries:
        answer = NotImplemented if call is None else call(other)
        if answer is not NotImplemented:
            return answer
    return NotImplemented


@as_python
def unary(name: str, value: Any) -> Any:
    """`-value`, `+value` or `~value`."""
    if type(value) not in KNOWN:
        member = method(current_trace(), value, f"__{name}__")
        if member is not None:
            return member()
    return _UNARY[name](value)


# ---------------------------------------------------------------------------------------------------- iteration


class _Steps:
    """An iterator of the user's class."""

    def __init__(self, step: Callable[..., Any]) -> None:
        self._step = step

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self._step()


def iterated(value: Any) -> Any:
    """Return what Python goes through when it goes through a value, with symbols for arrays in containers."""
    items, trace = steps(value), current_trace()
    return items if trace is None or items is not value else symbolic_items(trace, value)


def steps(value: Any) -> Any:
    """Return what the user's code yields where Python goes through a value; the value itself where that yields."""
    if not is_users_object(value):
        return value
    trace = current_trace()
    make = method(trace, value, "__iter__")
    if make is not None:
        iterator = make()
        step = method(trace, iterator, "__next__")
        if step is not None:
            return _Steps(step)
        return iterator if has_class_member(type(iterator), "__next__") else value
    step = method(trace, value, "__next__")
    if step is not None:
        return _Steps(step)
    get = method(trace, value, "__getitem__") if static(type(value), "__iter__") is MISSING else None
    return value if get is None else _items(get)


def symbolic_items(trace: Recording, iterable: Any) -> Any:
    """Return an iterable that yields symbols for arrays in a container, and in tuples in it.

    Code that goes through the container would find the arrays as they were before the call, and write to NumPy's.
    """
    kind: Any = type(iterable)
    if trace.root.rolls:
        unroll(trace, iterable, 0)
    if not (issubclass(kind, _OF_ITEMS) or kind in VIEWS):
        return iterable
    known, library = trace.root.inputs.foreign, trace.root.library
    if kind not in CONTAINERS and kind not in VIEWS and not trace.root.world.is_own(iterable):
        for item in iterable:  # of a named tuple, say, which nobody knows part by part
            if isinstance(item, numpy.ndarray) and item.dtype in CODES:
                trace.root.foreign_array(item)

    def is_known(item: Any) -> bool:
        if type(item) is tuple:
            return any(map(is_known, item))
        return isinstance(item, ndarray) or id(item) in known or (library is not None and library.holds(item))

    def lifted(item: Any) -> Any:
        return tuple(map(lifted, item)) if type(item) is tuple and is_known(item) else trace.lifted(item)

    return map(lifted, iterable) if any(map(is_known, iterable)) else iterable


def goes_on(trace: Recording, value: Any) -> None:
    """Hear that a value is gone through, or may be: an iterator of Python's that the program has made is another then.

    Raises:
        CaptureError E430: data decides whether it is.
    """
    if type(value) in KNOWN or not is_iterator(value) or is_users_object(value):
        return
    if trace.root.world.is_own(value) and not trace.root.aliases.goes_on(value, trace):
        raise trace.in_a_branch(f"an iterator ({type(value).__name__}) goes on", "make a list of its items before that")


def _items(get: Callable[..., Any]) -> Iterator[Any]:
    """The items of a sequence that has no iterator of its own."""
    number = 0
    while True:
        try:
            item = get(number)
        except IndexError:
            return
        yield item
        number += 1


def index(value: Any) -> Any:
    """Return the number that an index is."""
    if isinstance(value, Face):
        return value.array
    member = method(current_trace(), value, "__index__")
    if member is None:
        return value
    number = member()
    if type(number) is not Symbol and not isinstance(number, (int, Dim)):
        raise TypeError(f"__index__ returned non-int (type {type(number).__name__})")
    return number
