# SPDX-License-Identifier: Apache-2.0
"""Registers that point to what steps read and write: addresses as pointers, each computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hybridize.codegen.llvm.text import Function
from hybridize.runtime.plan import PlanAddress

Base = tuple[str, int]
"""The kind and slot of addresses."""


class Pointers:
    """Registers of addresses within a function, each computed where it is asked for first."""

    def __init__(self, f: Function, bases: Mapping[Base, str], known: Mapping[PlanAddress, str] | None = None) -> None:
        """Of addresses in a function, whose `bases` are registers; some are `known`."""
        self._f = f
        self._bases = dict(bases)
        self._known = dict(known or {})

    def at(self, address: PlanAddress) -> str:
        """The register that points to `address`."""
        if address.kind == "nowhere":
            return "null"
        pointer = self._known.get(address)
        if pointer is None:
            pointer = self._known[address] = self._computed(address)
        return pointer

    def resolve(self, addresses: Iterable[PlanAddress]) -> None:
        """Compute those of some addresses that there is a base for."""
        for address in addresses:
            if (address.kind, address.slot) in self._bases:
                self.at(address)

    def within(self, bases: Mapping[Base, str]) -> Pointers:
        """The pointers of a block that these lead to, with further bases; what it computes is of no use outside."""
        return Pointers(self._f, {**self._bases, **bases}, self._known)

    def _computed(self, address: PlanAddress) -> str:
        return self._f.at(self._base((address.kind, address.slot)), address.offset)

    def _base(self, base: Base) -> str:
        return self._bases[base]


class ProgramPointers(Pointers):
    """Those of a program: `%inputs` and `%outputs` are arrays of pointers, `%scratch` is memory."""

    def __init__(self, f: Function) -> None:
        super().__init__(f, {("scratch", 0): "%scratch"})

    def _base(self, base: Base) -> str:
        pointer = self._bases.get(base)
        if pointer is None:
            kind, slot = base
            array = f"%{kind}s"
            pointer = self._bases[base] = self._f.load(self._f.element(array, slot, "ptr"), type="ptr")
        return pointer


class PassedPointers(Pointers):
    """Those of a function that is given an array of them, `%data`, one for each of some addresses."""

    def __init__(self, f: Function, addresses: Sequence[PlanAddress]) -> None:
        super().__init__(f, {})
        self._cells = {address: number for number, address in enumerate(addresses)}

    def _computed(self, address: PlanAddress) -> str:
        return self._f.load(self._f.element("%data", self._cells[address], "ptr"), type="ptr")
