# SPDX-License-Identifier: Apache-2.0
"""PTX text as typed instructions: kernels with their parameters, variables and labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.device.fault import Fault


class Type(NamedTuple):
    """A type of instructions, and its dtype in NumPy."""

    name: str
    dtype: np.dtype

    @property
    def nbytes(self) -> int:
        return self.dtype.itemsize

    @property
    def kind(self) -> str:
        """The letters of its name: `s`, `u`, `b`, `f`, `bf`, `tf` or `pred`."""
        return "pred" if self.name == "pred" else self.name.rstrip("0123456789")


TYPES = {
    name: Type(name, np.dtype(dtype))
    for name, dtype in (
        ("pred", "?"),
        *((f"{kind}{8 * size}", f"{letter}{size}") for kind, letter in ("uu", "si", "bu") for size in (1, 2, 4, 8)),
        ("f16", "f2"),
        ("f32", "f4"),
        ("f64", "f8"),
        ("bf16", "u2"),
        ("tf32", "u4"),
    )
}


@dataclass(frozen=True)
class Register:
    name: str
    negated: bool = False
    """`!%p1`: the predicate's opposite."""


@dataclass(frozen=True)
class Special:
    """A register that the machine sets: `%tid.x`."""

    name: str


@dataclass(frozen=True)
class Constant:
    """A number as it is written: an integer, or the bits of a float."""

    value: int
    float_bytes: int = 0
    """4 or 8 where it is written as bits of a float."""

    def of(self, type: Type) -> np.generic:
        """Return it as a number of a type."""
        if self.float_bytes and self.float_bytes != type.nbytes:
            raise Fault(f"a constant of {self.float_bytes} bytes for {type.name}")
        if type.kind == "pred":
            return np.bool_(self.value)
        if type.kind == "f" and not self.float_bytes and type.nbytes > 2:
            raise Fault(f"an integer constant, {self.value}, for {type.name}")
        bits = self.value & ((1 << (8 * type.nbytes)) - 1)
        return np.array(bits, f"u{type.nbytes}").view(type.dtype)[()]


@dataclass(frozen=True)
class Name:
    """A label, a variable or a parameter."""

    name: str


@dataclass(frozen=True)
class Address:
    """`[base+offset]`."""

    base: Operand
    offset: int = 0


@dataclass(frozen=True)
class Pack:
    """`{a, b}`: registers that are one operand; `a|b`, a value and its predicate, as well."""

    parts: tuple[Operand, ...]


Operand = Register | Special | Constant | Name | Address | Pack
SINK = Register("_")


@dataclass(frozen=True)
class Instruction:
    """One instruction of PTX."""

    line: int
    text: str
    guard: Register | None
    name: str
    modifiers: tuple[str, ...]
    """What stands between its name and its types, in order: `rn`, `wide`, `global`."""
    types: tuple[Type, ...]
    operands: tuple[Operand, ...]

    def fault(self, words: str) -> Fault:
        """Return a fault at this line."""
        return Fault(f"line {self.line}: {self.text}: {words}")


class Variable(NamedTuple):
    """Named memory of a module or kernel, before it has an address."""

    name: str
    space: str
    align: int
    nbytes: int
    """0 for shared memory whose size the launch says."""
    content: bytes = b""


@dataclass
class Kernel:
    """One entry: code and what it declares."""

    name: str
    params: dict[str, Type] = field(default_factory=dict)
    registers: dict[str, Type] = field(default_factory=dict)
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    """The number of the instruction after each."""
    variables: dict[str, Variable] = field(default_factory=dict)
    threads: int = 0
    """The most threads of a block, as it declares them; 0 where it does not."""

    def named(self, space: str) -> list[Variable]:
        """List its variables of a space which its code names."""
        used = {name for one in self.code for operand in one.operands for name in _names(operand)}
        return [one for one in self.variables.values() if one.space == space and one.name in used]


def _names(operand: Operand) -> Iterator[str]:
    match operand:
        case Name(name):
            yield name
        case Address(base):
            yield from _names(base)
        case Pack(parts):
            for part in parts:
                yield from _names(part)


@dataclass
class Module:
    kernels: dict[str, Kernel] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)


class Token(NamedTuple):
    text: str
    line: int


_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<token>"[^"]*" | 0[fF][0-9a-fA-F]{8}\b | 0[dD][0-9a-fA-F]{16}\b | 0[xX][0-9a-fA-F]+U? | \d+U?
        | [.%$_A-Za-z][\w.$]* (?:::\w+[\w.$]*)* | [-{}()\[\],;:@!|<>+=])""",
    re.VERBOSE | re.DOTALL,
)
_IGNORED = {".version", ".target", ".address_size", ".minnctapersm", ".maxnctapersm", ".maxnreg", ".noreturn"}
_SPECIAL = re.compile(r"%(n?tid|n?ctaid)\.[xyz]$|%(laneid|warpid|nwarpid|clock|clock64|gridid|smid|lanemask_\w+)$")


def tokens(text: str) -> list[Token]:
    """Divide text into tokens; comments are none."""
    result, place, line = [], 0, 1
    for match in _TOKEN.finditer(text):
        if match.start() != place:
            break
        word = match["token"]
        if word:
            result.append(Token(word, line))
        else:
            line += match[0].count("\n")
        place = match.end()
    if place < len(text):
        raise Fault(f"line {line}: {text[place:].splitlines()[0]}: not PTX")
    return result


class Parser:
    """A module read from the left to the right."""

    def __init__(self, text: str) -> None:
        self.tokens = [*tokens(text), Token("", text.count("\n") + 1)]
        self.at = 0
        self.module = Module()
        self.kernel: Kernel | None = None
        self.scopes: list[dict[str, str]] = []
        """Names that a block in braces declares, and what each is called in the kernel."""

    # Tokens

    @property
    def next(self) -> str:
        return self.tokens[self.at].text

    @property
    def line(self) -> int:
        return self.tokens[self.at].line

    def take(self, *wanted: str) -> str:
        """Go past a token, which is one of those wanted."""
        token = self.tokens[self.at]
        if wanted and token.text not in wanted:
            raise Fault(f"line {token.line}: {token.text!r} where {' or '.join(wanted)} belongs")
        self.at += 1
        return token.text

    def skips(self, token: str) -> bool:
        """Go past a token if it is the next one."""
        if self.next != token:
            return False
        self.at += 1
        return True

    def number(self) -> int:
        sign = -1 if self.skips("-") else 1
        word = self.take()
        try:
            return sign * int(word.rstrip("U"), 0)
        except ValueError:
            raise Fault(f"line {self.line}: {word!r} where a number belongs") from None

    # Modules

    def parse(self) -> Module:
        while self.next:
            word = self.take()
            if word in _IGNORED:
                line = self.tokens[self.at - 1].line
                while self.next and self.line == line:
                    self.at += 1
            elif word in (".visible", ".extern", ".weak", ".common"):
                continue
            elif word == ".entry":
                self._entry()
            elif word in (".global", ".const", ".shared"):
                for one in self._variables(word[1:]):
                    self.module.variables[one.name] = one
            else:
                raise Fault(
                    f"line {self.tokens[self.at - 1].line}: {word}: only kernels and variables are known; inline functions"
                )
        for kernel in self.module.kernels.values():
            kernel.variables = self.module.variables | kernel.variables
        return self.module

    def _variables(self, space: str) -> Iterator[Variable]:
        align = self.number() if self.skips(".align") else 0
        scalar = TYPES[self.take()[1:]]
        while True:
            name, count = self.take(), 1
            while self.skips("["):
                count *= 0 if self.next == "]" else self.number()
                self.take("]")
            content = b""
            if self.skips("="):
                content = self._content(scalar)
            yield Variable(name, space, align or scalar.nbytes, count * scalar.nbytes, content)
            if self.take(",", ";") == ";":
                return

    def _content(self, scalar: Type) -> bytes:
        if not self.skips("{"):
            return self._constant().of(scalar).tobytes()
        parts = []
        while not self.skips("}"):
            parts.append(self._content(scalar))
            self.skips(",")
        return b"".join(parts)

    def _entry(self) -> None:
        kernel = self.kernel = Kernel(self.take())
        self.module.kernels[kernel.name] = kernel
        if self.skips("("):
            while not self.skips(")"):
                self.take(".param")
                kind = TYPES[self.take()[1:]]
                while self.next.startswith("."):
                    if self.take() == ".align":
                        self.number()
                kernel.params[self.take()] = kind
                if self.next == "[":
                    raise Fault(f"line {self.line}: a parameter that is an array")
                self.skips(",")
        while not self.skips("{"):
            word, sizes = self.take(), [1]
            while self.next not in ("{", "") and not self.next.startswith("."):
                if not self.skips(","):
                    sizes.append(self.number())
            if word in (".maxntid", ".reqntid"):
                kernel.threads = int(np.prod(sizes))
        self._body()
        self.kernel = None

    def _body(self) -> None:
        self.scopes = [{}]
        while self.scopes:
            if self.skips("{"):
                self.scopes.append({})
            elif self.skips("}"):
                self.scopes.pop()
            elif self.next == ".reg":
                self._registers()
            elif self.next in (".shared", ".local"):
                for one in self._variables(self.take()[1:]):
                    self.kernel.variables[one.name] = one
            elif self.next in (".pragma", ".loc", ".file"):
                line = self.line
                while self.line == line:
                    self.at += 1
            elif self.tokens[self.at + 1].text == ":":
                self.kernel.labels[self._renamed(self.take())] = len(self.kernel.code)
                self.take(":")
            else:
                self.kernel.code.append(self._instruction())

    def _registers(self) -> None:
        self.take(".reg")
        word = self.take()[1:]
        if word not in TYPES:
            raise Fault(f"line {self.line}: registers of {word}")
        while True:
            name = self.take()
            if self.skips("<"):
                count = self.number()
                self.take(">")
                self.kernel.registers |= {f"{name}{k}": TYPES[word] for k in range(count)}
            else:
                unique = name if len(self.scopes) == 1 else f"{name}@{self.line}"
                self.scopes[-1][name] = unique
                self.kernel.registers[unique] = TYPES[word]
            if self.take(",", ";") == ";":
                return

    def _renamed(self, name: str) -> str:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), name)

    # Instructions

    def _instruction(self) -> Instruction:
        first, line, guard = self.at, self.line, None
        if self.skips("@"):
            negated = self.skips("!")
            guard = Register(self._renamed(self.take()), negated)
        words = self.take().split(".")
        operands = []
        while not self.skips(";"):
            operands.append(self._operand())
            if self.next not in (",", ";"):
                raise Fault(f"line {self.line}: {self.next!r} after an operand")
            self.skips(",")
        text = " ".join(token.text for token in self.tokens[first : self.at - 1])
        types = tuple(TYPES[word] for word in words[1:] if word in TYPES)
        modifiers = tuple(word for word in words[1:] if word not in TYPES)
        return Instruction(line, text, guard, words[0], modifiers, types, tuple(operands))

    def _operand(self) -> Operand:
        if self.skips("{"):
            parts = [self._operand()]
            while self.skips(","):
                parts.append(self._operand())
            self.take("}")
            return Pack(tuple(parts))
        if self.skips("["):
            base, offset = self._operand(), 0
            if self.skips("+") or self.next == "-":
                offset = self.number()
            self.take("]")
            return Address(base, offset)
        if self.skips("!"):
            return Register(self._renamed(self.take()), negated=True)
        if self.next[:1] == "-" or self.next[:1].isdigit():
            return self._constant()
        if not re.match(r"[%$_.A-Za-z]", self.next):
            raise Fault(f"line {self.line}: {self.next!r} where an operand belongs")
        name = self._renamed(self.take())
        one: Operand = Name(name)
        if _SPECIAL.match(name):
            one = Special(name[1:])
        elif name in self.kernel.registers or name == "_":
            one = Register(name)
        return Pack((one, self._operand())) if self.skips("|") else one

    def _constant(self) -> Constant:
        word = self.next
        if word[:2].lower() in ("0f", "0d"):
            self.at += 1
            return Constant(int(word[2:], 16), 4 if word[1] in "fF" else 8)
        return Constant(self.number())


def parse(text: str) -> Module:
    """Read a module of PTX."""
    return Parser(text).parse()
