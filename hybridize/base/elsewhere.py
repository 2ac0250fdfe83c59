# SPDX-License-Identifier: Apache-2.0
"""Names of other libraries' classes that a class of ours lacks, with what stands for them here."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
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


def lacks(of: type, remedies: Mapping[str, str]) -> None:
    """Let a class tell what stands for names of other libraries that it lacks; own names of its subclasses stand.

    `dir` of its instances leaves them out.

    Args:
        of: the class.
        remedies: by name what to write instead.
    """
    for name, remedy in remedies.items():
        assert name not in vars(of), f"{of.__name__} has {name}"
        setattr(of, name, Elsewhere(name, remedy))
    of.__dir__ = _own_names  # type: ignore[method-assign,assignment]


def _own_names(instance: object) -> list[str]:
    """Return the names that editors complete: without those of other libraries."""
    members = ChainMap(*[dict(vars(base)) for base in type(instance).__mro__])
    return [name for name in object.__dir__(instance) if type(members.get(name)) is not Elsewhere]
