# SPDX-License-Identifier: Apache-2.0
"""Choices: fields of a `Target` that are a matter of speed alone. Any value of them gives right code on any machine.

Which is fastest is measured (`compiler.measuring`), or said by the user in the words that are read here:

    HYBRIDIZE_MACHINE=unroll=2,packs_from=1     these values; other choices are measured
    HYBRIDIZE_MACHINE=table                     nothing is measured: the table of families says it all
    HYBRIDIZE_MACHINE=table,l2_bytes=2097152    sizes of caches, too, where a container hides them
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import frozen
from hybridize.machine.target import Target

VARIABLE: Final = "HYBRIDIZE_MACHINE"
TABLE: Final = "table"
"""The word that asks for the choices of the table."""
CHOICES: Final[Mapping[str, Sequence[int]]] = {"unroll": (1, 2, 4), "packs_from": (1, 4)}
"""The values that each choice may have; all are measured."""
SIZES: Final[Mapping[str, Sequence[int]]] = {
    "l1_bytes": range(1 << 10, (1 << 24) + 1),
    "l2_bytes": range(1 << 12, (1 << 32) + 1),
}
"""Sizes of caches: the operating system tells them, and nothing is measured."""


@frozen
class ChoiceSettings:
    """The choices that the user makes for this machine."""

    measured: bool = True
    """False if choices that the user does not make are those of the table."""
    fields: tuple[tuple[str, int], ...] = ()

    def applied(self, target: Target) -> Target:
        """Return the target with the values that the user has set."""
        return with_fields(target, dict(self.fields))

    @property
    def complete(self) -> bool:
        """True if nothing is left to measure."""
        return not self.measured or CHOICES.keys() <= dict(self.fields).keys()


def with_fields(target: Target, fields: Mapping[str, int]) -> Target:
    """Return the target with other values of some fields."""
    return dataclasses.replace(target, **fields) if fields else target  # type: ignore[arg-type]


@cache
def settings(text: str) -> ChoiceSettings:
    """Read the words of `HYBRIDIZE_MACHINE`.

    Raises:
        ArgumentError E392: there is no such field, it may not have such a value, or it stands there twice.
    """
    measured, fields = True, dict[str, int]()
    for word in filter(None, map(str.strip, text.split(","))):
        if word == TABLE:
            measured = False
            continue
        name, equals, value = (part.strip() for part in word.partition("="))
        allowed = {**CHOICES, **SIZES}.get(name)
        if allowed is None or not equals:
            raise ArgumentError(
                "E392",
                f"{VARIABLE}: expected {TABLE!r} or FIELD=VALUE, got {word!r}",
                help=f"the fields are {', '.join([*CHOICES, *SIZES])}, as in {VARIABLE}=unroll=2,packs_from=1",
            )
        if not (value.isascii() and value.isdecimal()) or int(value) not in allowed:
            raise ArgumentError(
                "E392",
                f"{VARIABLE}: {name} must be {described(allowed)}, got {value!r}",
                help="without the variable the value is measured; `hybridize machine` shows it",
            )
        if fields.setdefault(name, int(value)) != int(value):
            raise ArgumentError("E392", f"{VARIABLE}: {name} is set to {fields[name]} and {value}", help="set it once")
    return ChoiceSettings(measured, tuple(sorted(fields.items())))


def described(values: Sequence[int]) -> str:
    """Some values in words."""
    if isinstance(values, range):
        return f"a number from {values[0]} to {values[-1]}"
    *few, last = map(str, values)
    return f"{', '.join(few)} or {last}"
