# SPDX-License-Identifier: Apache-2.0
"""Names of other libraries' classes that a class of ours lacks, with what stands for them here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from hybridize.base.errors import MissingNameError
from hybridize.base.tracebacks import leaves


class Elsewhere:
    """A name of other libraries' classes that a class of ours lacks: who asks for it is told what stands for it here.

    Not `__getattr__` of the class, by which Python would read every attribute more slowly.

    Args:
        name: the name.
        remedy: what to write instead.
    """

    def __init__(self, name: str, remedy: str) -> None:
        self._name, self._remedy = name, remedy

    @leaves
    def __get__(self, instance: object, owner: type) -> NoReturn:
        text = f"{owner.__name__!r} object has no attribute {self._name!r}"
        raise MissingNameError("E364", text, help=self._remedy)


def lacks(remedies: Mapping[str, str]) -> Callable[[type], type]:
    """Return a decorator of a class that lacks names of other libraries; own ones of its subclasses stand.

    Args:
        remedies: by name what to write instead.
    """

    def decorate(of: type) -> type:
        for name, remedy in remedies.items():
            assert name not in vars(of), f"{of.__name__} has {name}"
            setattr(of, name, Elsewhere(name, remedy))
        return of

    return decorate
