# SPDX-License-Identifier: Apache-2.0
"""Sizes that are not known before the call, as i64 registers: the arithmetic of `base.dims`, written once each."""

from __future__ import annotations

import struct
from typing import Protocol

from hybridize.base import dims
from hybridize.base.dims import Atom, Dim, Division, Larger, Size, SizeSymbol


class EntryBlock(Protocol):
    """Writes size arithmetic on entry of a function, so that all of the function may use the registers."""

    def on_entry(self, text: str, key: object) -> str:
        """The register of an instruction, written once for each `key`."""

    def symbol(self, symbol: SizeSymbol) -> str:
        """The register of a symbol's value."""


def size_register(entry: EntryBlock, x: Size) -> str:
    """A size as an i64: a number, or a register."""
    if not isinstance(x, Dim):
        return str(x)
    total = ""
    for monomial, coefficient in x.terms.items():
        part, key = _atom(entry, monomial[0]), _key(monomial[:1])
        for k, atom in enumerate(monomial[1:], 2):
            key = _key(monomial[:k])
            part = entry.on_entry(f"mul i64 {part}, {_atom(entry, atom)}", key)
        if coefficient != 1:
            key = (coefficient, key)
            part = entry.on_entry(f"mul i64 {part}, {coefficient}", key)
        total = part if not total else entry.on_entry(f"add i64 {total}, {part}", (total, part))
    return entry.on_entry(f"add i64 {total}, {x.constant}", (total, x.constant)) if x.constant else total


def _key(monomial: tuple[Atom, ...]) -> object:
    """Products of the same atoms; an atom exists once in its scope, which outlives the writing."""
    return tuple(map(id, monomial))


def _atom(entry: EntryBlock, atom: Atom) -> str:
    if isinstance(atom, SizeSymbol):
        return entry.symbol(atom)
    x, divisor = size_register(entry, atom.x), size_register(entry, atom.divisor)
    if isinstance(atom, Larger):
        more = entry.on_entry(f"icmp sgt i64 {x}, {divisor}", ("more", x, divisor))
        return entry.on_entry(f"select i1 {more}, i64 {x}, i64 {divisor}", ("max", x, divisor))
    if dims.is_symbolic(atom.divisor):
        # Sizes for which the program does not hold come here too, to be refused: they must not stop the process.
        none = entry.on_entry(f"icmp eq i64 {divisor}, 0", ("none", divisor))
        divisor = entry.on_entry(f"select i1 {none}, i64 1, i64 {divisor}", ("divisor", divisor))
    if dims.bounds(atom.x)[0] >= 0 and dims.bounds(atom.divisor)[0] > 0:
        word = "udiv" if isinstance(atom, Division) else "urem"
        return entry.on_entry(f"{word} i64 {x}, {divisor}", (word, x, divisor))
    return _floored(entry, atom, x, divisor)


def _floored(entry: EntryBlock, atom: Atom, x: str, divisor: str) -> str:
    """Division and remainder rounded down, as Python does and the machine does not; the divisor is not 0."""
    quotient = entry.on_entry(f"sdiv i64 {x}, {divisor}", ("sdiv", x, divisor))
    rest = entry.on_entry(f"srem i64 {x}, {divisor}", ("srem", x, divisor))
    signs = entry.on_entry(f"xor i64 {rest}, {divisor}", ("signs", x, divisor))
    differ = entry.on_entry(f"icmp slt i64 {signs}, 0", ("differ", x, divisor))
    some = entry.on_entry(f"icmp ne i64 {rest}, 0", ("some", x, divisor))
    down = entry.on_entry(f"and i1 {differ}, {some}", ("down", x, divisor))
    if isinstance(atom, Division):
        less = entry.on_entry(f"sext i1 {down} to i64", ("less", x, divisor))
        return entry.on_entry(f"add i64 {quotient}, {less}", ("div", x, divisor))
    more = entry.on_entry(f"select i1 {down}, i64 {divisor}, i64 0", ("lift", x, divisor))
    return entry.on_entry(f"add i64 {rest}, {more}", ("mod", x, divisor))


def double(x: float) -> str:
    """A double as LLVM reads it."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def as_double(entry: EntryBlock, x: Size) -> str:
    """About `x`, as a double: no product overflows."""
    if not isinstance(x, Dim):
        return double(x)
    total = double(x.constant)
    for monomial, coefficient in x.terms.items():
        part = double(coefficient)
        for atom in monomial:
            factor = _atom_as_double(entry, atom)
            part = entry.on_entry(f"fmul double {part}, {factor}", ("fmul", part, factor))
        total = entry.on_entry(f"fadd double {total}, {part}", ("fadd", total, part))
    return total


def _atom_as_double(entry: EntryBlock, atom: Atom) -> str:
    if isinstance(atom, SizeSymbol):
        value = entry.symbol(atom)
        return entry.on_entry(f"sitofp i64 {value} to double", ("double", value))
    x, divisor = as_double(entry, atom.x), as_double(entry, atom.divisor)
    if isinstance(atom, Larger):
        more = entry.on_entry(f"fcmp ogt double {x}, {divisor}", ("fmore", x, divisor))
        return entry.on_entry(f"select i1 {more}, double {x}, double {divisor}", ("fmax", x, divisor))
    if isinstance(atom, Division):
        return entry.on_entry(f"fdiv double {x}, {divisor}", ("fdiv", x, divisor))
    return divisor
