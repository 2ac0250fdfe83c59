# SPDX-License-Identifier: Apache-2.0
"""Participation: how the objects of a class take part in a captured call, as the class itself declares it.

A capture meets objects of classes that it must not know by name: parameters, trainers, metrics, loaders of data. It
asks their class, by declarations that it looks up on the class and that classes derived of it inherit:

| declaration | of | says |
| --- | --- | --- |
| `__hybridize_read__` | a class | a `ReadPolicy`: what a program depends on whose methods are called as they are |
| `__hybridize_write__` | a class | a `WritePolicy`: when a call sets the attributes that the program sets |
| `__hybridize_captured__` | a class | arrays of a program are instances of it, to functions that are captured |
| `__hybridize_fed__` | a class | attributes that a call reads when their turn comes, and the kind of number of each |
| `__hybridize_watch__` | a class, as a method | what tells when an attribute is replaced, so that nobody has to look |
| `__hybridize_slots__` | a class of arrays | the slots of its buffer and of its storage, which entries read and fill |
| `@outside_only(...)` | a function, method | not inside of a captured call; and the reason |

A class that declares nothing is read by its content and written as an effect of the program, as the user's classes
are. Classes of this package are read by identity where they declare nothing. Users' classes may declare the same.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, Protocol, TypeVar

from hybridize.base.frozen import frozen
from hybridize.base.members import class_member, module_of

_PACKAGE = __name__.partition(".")[0]
_NOTHING: Mapping[str, type | None] = {}
F = TypeVar("F", bound=Callable[..., Any])


class ReadPolicy(Enum):
    """The part of an object that a program depends on, once a method of it was called that is not converted."""

    CONTENT = "content"
    """All that it holds, compared before each call: nobody saw what the method read."""
    IDENTITY = "identity"
    """Only which object it is: it watches itself, or feeds its numbers to each call."""
    OUTSIDE = "outside"
    """It gives other data at each call, or runs the training itself: its methods are refused."""


class WritePolicy(Enum):
    """The time at which a call sets an attribute that the program sets."""

    EFFECT = "effect"
    """With the results, after the program has run."""
    IN_TURN = "in turn"
    """Before the program runs, in the order of its lines: what comes later goes by it in Python (a learning rate)."""


class Everything(Enum):
    """Stands for the names of all attributes, where one may be asked for."""

    EVERYTHING = "all that the object and its parts consist of"


class Watching(Protocol):
    """An object that tells when what a program has read of it is replaced."""

    def __hybridize_watch__(self, name: str | Everything) -> tuple[Any, ...]:
        """Return the storages that are touched when an attribute is replaced; empty where it tells nothing of it.

        Args:
            name: of the attribute; `Everything.EVERYTHING`: a part of the object, or of its parts.
        """


@frozen
class OutsideOnly:
    """The declaration of a function that cannot be part of a captured call."""

    does: str
    """The reason, as the end of "it ...": `writes a file`."""
    when: str | None
    """The argument that makes it so; None: always."""
    help: str

    def holds(self, function: Callable[..., Any], args: Any, kwargs: Any) -> bool:
        """Tell whether a call with these arguments is one of those that are refused."""
        if self.when is None:
            return True
        try:
            arguments = inspect.signature(function).bind(*args, **kwargs).arguments
        except TypeError:  # the call itself will say so
            return False
        return bool(arguments.get(self.when))


SYMBOLIC: Final[set[type]] = set()
"""Classes of arguments without values that blocks compose instead of computing; empty until there are such."""
_MARK: Final = "__hybridize_outside__"


def outside_only(
    does: str, *, when: str | None = None, help: str = "call it before or after the compiled function"
) -> Callable[[F], F]:
    """Declare that a function cannot be part of a captured call, which is refused at the user's line (E407).

    So are methods of this package that override it; the user's that do are captured for what they do themselves. The
    function itself stays as it is and costs nothing more.

    Args:
        does: the reason, as the end of "it ...": `writes a file`.
        when: the argument that makes it so, `force_reinit`; None: always.
        help: the remedy.
    """
    declared = OutsideOnly(does, when, help)

    def mark(function: F) -> F:
        setattr(function, _MARK, declared)
        return function

    return mark


def outside_of(function: Any) -> OutsideOnly | None:
    """Return the declaration of a function, or of the method that it overrides; None where there is none."""
    declared = getattr(function, _MARK, None)
    owner = getattr(function, "__self__", None)
    if declared is None and owner is not None:
        name = getattr(function, "__name__", "")
        for base in type(owner).__mro__:
            if name in vars(base) and (declared := getattr(vars(base)[name], _MARK, None)) is not None:
                break
    return declared if isinstance(declared, OutsideOnly) else None


def is_of_package(kind: type) -> bool:
    """Tell whether a class is of this package, or derived of one that is."""
    return any(module_of(base).partition(".")[0] == _PACKAGE for base in kind.__mro__)


def read_of(kind: type) -> ReadPolicy:
    """Return the part of the instances of a class that a program depends on."""
    declared: ReadPolicy | None = class_member(kind, "__hybridize_read__")
    if declared is not None:
        return declared
    return ReadPolicy.IDENTITY if is_of_package(kind) else ReadPolicy.CONTENT


def write_of(kind: type) -> WritePolicy:
    """Return the time at which a call sets attributes of instances of a class."""
    declared: WritePolicy = class_member(kind, "__hybridize_write__", WritePolicy.EFFECT)
    return declared


def fed_of(kind: type) -> Mapping[str, type | None]:
    """Return the attributes that a call reads when their turn comes, and the kind of number of each.

    None as a kind: it is no number, and reading it inside of a captured call is refused.
    """
    declared: Mapping[str, type | None] = class_member(kind, "__hybridize_fed__", _NOTHING)
    return declared


def slots_of(kind: type) -> tuple[str, str]:
    """Return the names of the slots in which arrays of a class keep their buffer and their storage."""
    declared: tuple[str, str] = class_member(kind, "__hybridize_slots__")
    return declared


def watches_of(owner: Any, name: str | Everything) -> tuple[Any, ...]:
    """Return the storages that are touched when an attribute is replaced; empty where nobody tells (see `Watching`)."""
    declared = class_member(type(owner), "__hybridize_watch__")
    storages: tuple[Any, ...] = () if declared is None else declared(owner, name)
    return storages
