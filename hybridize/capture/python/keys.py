# SPDX-License-Identifier: Apache-2.0
"""Keys of dicts and members of sets that are objects of the user's: Python calls their `__hash__` and `__eq__` itself.

It does so past what capture has converted, when and as often as the table wants. So the program depends on all that
these methods reach, and is refused where they change any of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hybridize.capture.control.special import is_users_object
from hybridize.capture.outside.trust import is_trusted_class
from hybridize.capture.python.unconverted import Implicit
from hybridize.capture.trace.recording import Recording
from hybridize.contract.places import Attribute
from hybridize.system.interruptions import let_through

_METHODS = ("__hash__", "__eq__")


def keyed(trace: Recording, keys: Iterable[Any], among: Iterable[Any] = ()) -> None:
    """Depend on what tells keys apart, from each other and from those that are there already.

    Raises:
        CaptureError E431: a `__hash__` or `__eq__` changes something, which no call of a program would do.
    """
    objects = [one for key in keys for one in _objects_in(key)]
    if not objects:
        return
    objects += [one for key in among for one in _objects_in(key)]
    for kind in dict.fromkeys(map(type, objects)):
        for name in _METHODS:
            trace.root.world.depend_on(Attribute(kind, name))  # the class may get one
    speaking = [one for one in objects if _is_by_users(type(one))]
    if speaking:
        _ask(trace, speaking)


def _ask(trace: Recording, objects: list[Any]) -> None:
    """Ask objects as a table would, and depend on all that they reach."""
    root = trace.root
    refused, reached = root.refused, Implicit(trace, None, hash, objects)
    for one in objects:
        try:
            hash(one)
            bool(one == one)
        except Exception as error:  # where the table asks as well, it comes from there
            let_through(error)
        root.refused = refused
    reached.check()
    reached.finish(None)


def _objects_in(key: Any) -> Iterator[Any]:
    """List the objects of the user's classes in a key."""
    if isinstance(key, (tuple, frozenset)):
        for part in key:
            yield from _objects_in(part)
    if is_users_object(key):
        yield key


def _is_by_users(kind: Any) -> bool:
    """Tell whether a class has a `__hash__` or `__eq__` in Python, one that `dataclasses` has made included."""
    methods = [(base, vars(base).get(name)) for name in _METHODS for base in kind.__mro__]
    return any(hasattr(method, "__code__") and not is_trusted_class(base) for base, method in methods)
