# SPDX-License-Identifier: Apache-2.0
"""A writer of LLVM IR: functions as text, with loops that carry values. Names are unique by construction."""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field

from hybridize.base import dims
from hybridize.base.dtypes import CODES, DType, bfloat16, float16
from hybridize.base.errors import CodegenError
from hybridize.base.frozen import mutable
from hybridize.codegen.llvm.sizes import size_register

SCALARS: dict[str, str] = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "i8", "uint16": "i16", "uint32": "i32", "uint64": "i64",
    "float16": "half", "bfloat16": "bfloat", "float32": "float", "float64": "double",
}  # fmt: skip


UNOPTIMISED = "nounwind noinline optnone"
"""Attributes of functions that only call others, or rarely run: optimising them takes longer than it ever saves."""

NAMED = re.compile(r"@([\w.$-]+)")
"""The names that a text has from its module."""
_ENDS = ("  ret ", "  br ", "  switch ", "  unreachable")
"""Instructions that end a block."""


def llvm_type(dtype: DType, lanes: int = 1) -> str:
    """The register type of `lanes` elements: `float`, `<16 x float>`; bool is i1 in registers, i8 in memory."""
    return vector(scalar_type(dtype), lanes)


def scalar_type(dtype: DType) -> str:
    """The register type of one element."""
    return _BY_NUMBER.get(dtype.num) or SCALARS[dtype.name]


_BY_NUMBER = {dtype.num: SCALARS[dtype.name] for dtype in CODES if dtype.name in SCALARS}
"""By the numbers of the types: NumPy takes longer for a name than all that is written with it."""


def vector(scalar: str, lanes: int) -> str:
    """`<lanes x scalar>`, or the scalar itself for one lane."""
    return scalar if lanes == 1 else f"<{lanes} x {scalar}>"


def literal(value: float | int | bool, dtype: DType) -> str:
    """A scalar constant in LLVM's notation; floats as the bits of the double they widen to."""
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        return str(int(value))
    rounded = float(dtype.type(value))
    if dtype == float16:
        return "0xH" + struct.pack(">e", rounded).hex().upper()
    if dtype == bfloat16:
        return "0xR" + struct.pack(">f", rounded).hex().upper()[:4]
    return f"0x{struct.unpack('<Q', struct.pack('<d', rounded))[0]:016X}"


def splat(value: float | int | bool, dtype: DType, lanes: int) -> str:
    """A constant in every lane, without its type."""
    text = literal(value, dtype)
    return text if lanes == 1 else f"splat ({scalar_type(dtype)} {text})"


def broadcast(f: Function, value: str, scalar: str, lanes: int) -> str:
    """Return a register with the same value in every lane."""
    if lanes == 1:
        return value
    wide = vector(scalar, lanes)
    one = f.op(f"insertelement {wide} poison, {scalar} {value}, i64 0")
    return f.op(f"shufflevector {wide} {one}, {wide} poison, <{lanes} x i32> zeroinitializer")


def shuffled(f: Function, type: str, x: str, picks: Iterable[int], y: str = "poison") -> str:
    """Return the elements of `x`, and of `y` after them, that `picks` names; `type` is that of both."""
    return f.op(f"shufflevector {type} {x}, {type} {y}, {_mask(tuple(picks))}")


@functools.lru_cache(256)
def _mask(picks: tuple[int, ...]) -> str:
    """A constant vector of numbers, with its type."""
    return f"<{len(picks)} x i32> <{', '.join([f'i32 {pick}' for pick in picks])}>"


def in_names(scalar: str, lanes: int) -> str:
    """A type in the names of intrinsics: `f32`, `v16f32`, `v8i64`."""
    short = {"float": "f32", "double": "f64"}.get(scalar, scalar)
    return short if lanes == 1 else f"v{lanes}{short}"


class Module:
    """The functions, declarations and globals of one program."""

    def __init__(self, halves: bool = True) -> None:
        self.halves = halves
        """True if the machine converts float16 by an instruction (`Target.halves`)."""
        self.functions: dict[str, Function] = {}
        self.declarations: dict[str, str] = {}
        self.globals: dict[str, str] = {}
        self.variables: dict[str, int] = {}
        """Bytes of variables, which begin as zeros."""
        self._written: dict[str, str] = {}

    def declare(self, name: str, returns: str, params: Sequence[str], attributes: str = "") -> str:
        """Declare an external function or intrinsic once; returns `@name`."""
        self.declarations[name] = f"declare {returns} @{name}({', '.join(params)}) {attributes}".rstrip()
        return f"@{name}"

    def constant(self, name: str, type: str, value: str) -> str:
        """Define a private constant once; returns `@name`."""
        self.globals[name] = f"@{name} = private unnamed_addr constant {type} {value}, align 64"
        return f"@{name}"

    def variable(self, name: str, nbytes: int) -> str:
        """Define a variable once, zeros whose address the engine can give; returns `@name`."""
        self.variables[name] = nbytes
        self.globals[name] = f"@{name} = global [{nbytes} x i8] zeroinitializer, align 64"
        return f"@{name}"

    def shared(self, function: Function) -> str:
        """The name of a function with the same text, if there is one, which then replaces `function`; else its own.

        Each function costs half a millisecond in LLVM before it holds an instruction.
        """
        text = function.text().replace(f"@{function.name}(", "@(", 1)
        name = self._written.setdefault(text, function.name)
        if name != function.name:
            del self.functions[function.name]
        return name

    def add(self, text: str, names: Mapping[str, str], public: Collection[str]) -> None:
        """Add what a text of `codegen.runtimes` defines and declares; its external constants are to be defined here.

        Args:
            text: the text.
            names: other names for what it names.
            public: functions whose linkage is not internal.
        """
        text = NAMED.sub(lambda match: f"@{names.get(match[1], match[1])}", text)
        for part in re.split(r"^(?=@|define |declare )", text, flags=re.M):
            part = part.rstrip()
            name = next(iter(NAMED.findall(part)), "")
            if part.startswith("define "):
                linkage = "" if name in public else "internal"
                WrittenFunction(self, name, re.sub(r"^define (internal )?", "define ", part), linkage)
                self.declarations.pop(name, None)
            elif part.startswith("declare ") and name not in self.functions:
                self.declarations[name] = part
            elif part.startswith("@") and " = external " not in part:
                self.globals[name] = part

    def text(self) -> str:
        """The whole module."""
        parts = [*self.globals.values(), *self.declarations.values()]
        parts += [function.text() for function in self.functions.values()]
        return "\n".join(parts) + "\n"


def joined(modules: Mapping[str, Module], root: str) -> str:
    """One function of each of several modules, and what it leads to, as one text, which LLVM takes in one go.

    What a module defines is called `<its key>.<name>`.
    """
    declarations: dict[str, str] = {}
    parts: list[str] = []
    for key, module in modules.items():
        texts = module.globals | {name: function.text() for name, function in module.functions.items()}
        own = re.compile(rf"@({'|'.join(map(re.escape, sorted(texts, key=len, reverse=True)))})(?![\w.$-])")
        reached = [root]
        for name in reached:
            reached += [other for other in dict.fromkeys(own.findall(texts[name])) if other not in reached]
        parts += [own.sub(rf"@{key}.\1", texts[name]) for name in reached]
        declarations |= module.declarations
    return "\n".join([*declarations.values(), *parts]) + "\n"


@mutable
class LoopBlock:
    """A loop being written. Set `following` to the carried values of the next turn before the block ends."""

    index: str
    values: list[str]
    following: list[str] = field(default_factory=list)
    more: str = ""
    """An i1 that must hold for another turn, where there is one."""
    results: list[str] = field(default_factory=list)
    """The carried values after the last turn; valid once the `with` block has ended."""


class Function:
    """Writes one function, top to bottom. `op` gives a fresh register, `do` a line without result.

    Sizes that are not known before the call are written by `size`: computed once on entry, from the values of their
    symbols. Those come as `i64` parameters after the function's own, one for each symbol that it asked for, in the
    order of their numbers; `call` passes them on.
    """

    def __init__(
        self,
        module: Module,
        name: str,
        params: Sequence[tuple[str, str]],
        *,
        returns: str = "void",
        linkage: str = "internal",
        attributes: str = "nounwind",
        works: bool | None = None,
    ) -> None:
        """Open a function; `params` are (type with attributes, name) pairs, `%name` in the body.

        One that `works` has instructions that count. Others only call functions that do, and are compiled at level 0;
        the `UNOPTIMISED` are such if nothing is said.
        """
        self.module = module
        self.name = name
        self.works: bool = UNOPTIMISED not in attributes if works is None else works
        self.unit = ""
        """The number of the unit of a routine that a thread computes; empty where one function computes all."""
        self.seldom = False
        """True if it runs so seldom that better code would not pay for itself."""
        self.symbols: dict[int, dims.SizeSymbol] = {}
        """The size symbols that are asked for, by number."""
        self.sizes: str = ""
        """Pointer to the values of all symbols, in functions that are given one: they take none as a parameter."""
        self.sizes_slot: int | None = None
        """The slot of that pointer in the function's array of inputs."""
        self._params = list(params)
        self._returns = returns
        self._linkage, self._attributes = linkage, attributes
        self._on_entry: dict[object, str] = {}
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._label = "start"
        if name in module.functions:
            raise CodegenError("E950", f"function {name} is written twice")
        module.functions[name] = self

    def fresh(self, hint: str = "t") -> str:
        """A new name without its sigil."""
        self._count += 1
        return f"{hint}.{self._count}"

    def op(self, text: str) -> str:
        """Write `%new = text`; returns `%new`."""
        self._count += 1
        name = f"%t.{self._count}"
        self._lines.append(f"  {name} = {text}")
        return name

    @property
    def count(self) -> int:
        """The fresh names up to now."""
        return self._count

    def registers(self, count: int) -> list[str]:
        """So many fresh registers, for `lines`."""
        first = self._count + 1
        self._count += count
        return [f"%t.{number}" for number in range(first, first + count)]

    def lines(self, text: str) -> None:
        """Write several lines, as they are."""
        self._lines.append(text)

    def body(self) -> str | None:
        """The lines up to now; None where there are several blocks, or something on entry."""
        is_plain = self._label == "start" and not self._entry and not self.symbols
        return "\n".join(self._lines) if is_plain else None

    def do(self, text: str) -> None:
        """Write a line that has no result."""
        self._lines.append(f"  {text}")

    def alloca(self, type: str, count: int = 1, align: int = 64) -> str:
        """Stack memory, allocated once on entry wherever this is called."""
        name = f"%{self.fresh('a')}"
        self._entry.append(f"  {name} = alloca {type}, i64 {count}, align {align}")
        return name

    def size(self, x: dims.Size) -> str:
        """A size as an i64: the number, or a register that is computed on entry."""
        return str(x) if type(x) is int else size_register(self, x)

    def symbol(self, symbol: dims.SizeSymbol) -> str:
        """The value of a size symbol."""
        self.symbols[symbol.number] = symbol
        if not self.sizes:
            return f"%symbol.{symbol.number}"
        cell = self.on_entry(f"getelementptr i64, ptr {self.sizes}, i64 {symbol.number}", ("cell", symbol.number))
        return self.on_entry(f"load i64, ptr {cell}, align 8", ("symbol", symbol.number))

    def use_sizes(self, pointers: str, slot: int) -> None:
        """Take the values of size symbols from the array that an array of pointers has in a slot."""
        self.sizes_slot = slot
        cell = self.on_entry(f"getelementptr ptr, ptr {pointers}, i64 {slot}", "cell of sizes")
        self.sizes = self.on_entry(f"load ptr, ptr {cell}, align 8", "sizes")

    def on_entry(self, text: str, key: object) -> str:
        """The register of an instruction at the beginning of the function, written once for each `key`."""
        register = self._on_entry.get(key)
        if register is None:
            register = self._on_entry[key] = f"%{self.fresh('size')}"
            self._entry.append(f"  {register} = {text}")
        return register

    def call(self, callee: str, args: Sequence[str]) -> None:
        """Call a function of the module that is written already; `args` have their types, sizes are added."""
        symbols = self.module.functions[callee].symbols
        sizes = [f"i64 {self.symbol(symbols[number])}" for number in sorted(symbols)]
        self.do(f"call void @{callee}({', '.join([*args, *sizes])})")

    # Numbers and addresses: an i64 is a register, a literal, or a size. What is known is computed here.

    def operand(self, x: str | dims.Size) -> str:
        """An i64 as text: a register or a literal as it is, a size of the call as a register."""
        return x if isinstance(x, str) else self.size(x)

    def times(self, x: str | dims.Size, factor: str | dims.Size) -> str:
        """The product of two numbers."""
        if isinstance(x, str) and is_number(x) and (not isinstance(factor, str) or is_number(factor)):
            return self.size(int(x) * (int(factor) if isinstance(factor, str) else factor))
        x, by = self.operand(x), self.operand(factor)
        if "0" in (x, by):
            return "0"
        return x if by == "1" else by if x == "1" else self.op(f"mul i64 {x}, {by}")

    def plus(self, x: str | dims.Size, *others: str | dims.Size) -> str:
        """The sum of numbers."""
        x = self.operand(x)
        for other in others:
            y = self.operand(other)
            if is_number(x) and is_number(y):
                x = str(int(x) + int(y))
            elif y != "0":
                x = y if x == "0" else self.op(f"add i64 {x}, {y}")
        return x

    def minus(self, x: str | dims.Size, y: str | dims.Size) -> str:
        """The difference of two numbers."""
        x, y = self.operand(x), self.operand(y)
        if is_number(x) and is_number(y):
            return str(int(x) - int(y))
        return x if y == "0" else self.op(f"sub i64 {x}, {y}")

    def test(self, relation: str, x: str, y: str | dims.Size, type: str = "i64") -> str:
        """An i1: the comparison of two words."""
        return self.op(f"icmp {relation} {type} {x}, {self.operand(y)}")

    def at(self, pointer: str, offset: str | dims.Size) -> str:
        """`pointer` moved by a number of bytes."""
        return self.element(pointer, offset, "i8")

    def multiple(self, pointer: str, count: str, distance: str) -> str:
        """`pointer` moved by so many times a distance in bytes, which nothing in the function changes.

        Processors add two, four or eight times a register where they load or store, so a register for each odd multiple
        serves all.
        """
        if is_number(distance) or not count.isdecimal() or count == "0":
            return self.at(pointer, self.times(count, distance))
        odd, doubled = int(count), 0
        while odd % 2 == 0 and doubled < 3:
            odd, doubled = odd // 2, doubled + 1
        if odd > 1:
            distance = self.on_entry(f"mul i64 {distance}, {odd}", ("multiple", distance, odd))
        return self.element(pointer, distance, f"i{8 << doubled}")

    def element(self, pointer: str, index: str | dims.Size, type: str = "i64") -> str:
        """The address of an element of an array."""
        index = self.operand(index)
        return pointer if index == "0" else self.op(f"getelementptr {type}, ptr {pointer}, i64 {index}")

    def load(self, pointer: str, offset: str | dims.Size = 0, type: str = "i64") -> str:
        """The word that is a number of bytes after an address."""
        return self.op(f"load {type}, ptr {self.at(pointer, offset)}{_aligned(type)}")

    def store(self, value: str | dims.Size, pointer: str, offset: str | dims.Size = 0, type: str = "i64") -> None:
        """Put a word to a number of bytes after an address."""
        self.do(f"store {type} {self.operand(value)}, ptr {self.at(pointer, offset)}{_aligned(type)}")

    def umin(self, x: str | dims.Size, y: str | dims.Size) -> str:
        """The smaller of two i64, neither of them negative."""
        return self._of_two("umin", x, y)

    def smin(self, x: str | dims.Size, y: str | dims.Size) -> str:
        """The smaller of two i64."""
        return self._of_two("smin", x, y)

    def smax(self, x: str | dims.Size, y: str | dims.Size) -> str:
        """The larger of two i64."""
        return self._of_two("smax", x, y)

    def between(self, x: str | dims.Size, low: str | dims.Size, high: str | dims.Size) -> str:
        """The i64 nearest to `x` from `low` to `high`."""
        return self.smin(self.smax(x, low), high)

    def _of_two(self, word: str, *numbers: str | dims.Size) -> str:
        function = self.module.declare(f"llvm.{word}.i64", "i64", ["i64", "i64"])
        x, y = (number if isinstance(number, str) else self.size(number) for number in numbers)
        return self.op(f"call i64 {function}(i64 {x}, i64 {y})")

    def copy(self, target: str, source: str, nbytes: str | dims.Size) -> None:
        """Copy memory that does not overlap."""
        function = self.module.declare("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
        count = nbytes if isinstance(nbytes, str) else self.size(nbytes)
        self.do(f"call void {function}(ptr {target}, ptr {source}, i64 {count}, i1 false)")

    def begin_block(self, label: str) -> None:
        """Begin the block `label` (without %); the block before must have ended with a branch."""
        self._lines.append(f"{label}:")
        self._label = label

    @property
    def label(self) -> str:
        """The block being written, without %."""
        return self._label

    def jump(self, label: str) -> None:
        """Branch to a block."""
        self.do(f"br label %{label}")

    def enter(self, label: str) -> None:
        """End the block that is written by a jump to the next one, and begin that."""
        self.jump(label)
        self.begin_block(label)

    def branch(self, condition: str, then: str, orelse: str, *, begin: str = "") -> None:
        """Branch on an i1, and begin the block `begin`, where there is a label."""
        self.do(f"br i1 {condition}, label %{then}, label %{orelse}")
        if begin:
            self.begin_block(begin)

    @contextmanager
    def loop(
        self,
        start: str | int,
        stop: str | int,
        step: str | int = 1,
        carry: Sequence[tuple[str, str]] = (),
        *,
        some: bool = False,
        walks: bool = False,
    ) -> Iterator[LoopBlock]:
        """Write `for index in range(start, stop, step)` (i64, step > 0) carrying (type, initial value) registers.

        The first turn is guarded unless both bounds are known numbers and the loop is not empty, or there are `some`
        turns for sure. One that is known to turn once is no loop. One that `walks` goes from pointer to pointer, by
        whole steps of so many bytes.
        """
        if dims.is_symbolic(start) or dims.is_symbolic(stop) or dims.is_symbolic(step):
            start, stop, step = (x if isinstance(x, str) else self.size(x) for x in (start, stop, step))
        if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and start < stop <= start + step:
            once = LoopBlock(str(start), [first for _, first in carry])
            yield once
            once.results = list(once.following)
            return
        head, body, after, before = self.fresh("head"), self.fresh("body"), self.fresh("after"), self.label
        index = f"%{self.fresh('i')}"
        carried = [f"%{self.fresh('c')}" for _ in carry]
        guard = not (some or (isinstance(start, int) and isinstance(stop, int) and start < stop))
        kind, before_end = ("ptr", "ne") if walks else ("i64", "slt")
        if guard:
            self.branch(self.op(f"icmp {before_end} {kind} {start}, {stop}"), head, after)
        else:
            self.jump(head)
        self.begin_block(head)
        slot = len(self._lines)
        self.enter(body)
        loop = LoopBlock(index, carried)
        yield loop
        if len(loop.following) != len(carried):
            raise CodegenError("E951", f"loop carries {len(carried)} values, the next turn gets {len(loop.following)}")
        following = self.at(index, step) if walks else self.op(f"add nuw nsw i64 {index}, {step}")
        more = self.op(f"icmp {before_end} {kind} {following}, {stop}")
        more = self.op(f"and i1 {more}, {loop.more}") if loop.more else more
        end = self.label
        self.branch(more, head, after)
        phis = [f"  {index} = phi {kind} [ {start}, %{before} ], [ {following}, %{end} ]"]
        phis += [
            f"  {name} = phi {type} [ {first}, %{before} ], [ {later}, %{end} ]"
            for name, (type, first), later in zip(carried, carry, loop.following, strict=True)
        ]
        self._lines[slot:slot] = phis
        self.begin_block(after)
        if guard:
            loop.results = [
                self.op(f"phi {type} [ {first}, %{before} ], [ {later}, %{end} ]")
                for (type, first), later in zip(carry, loop.following, strict=True)
            ]
        else:
            loop.results = list(loop.following)

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Write a block that runs only when the i1 holds; it defines no values for later."""
        then, after = self.fresh("then"), self.fresh("after")
        self.branch(condition, then, after, begin=then)
        yield
        self.enter(after)

    @contextmanager
    def otherwise(self, condition: str, label: str = "") -> Iterator[None]:
        """Go on where the i1 holds; elsewhere do what is written within, and go to `label`, if that does not return."""
        lost, following = self.fresh("lost"), self.fresh("on")
        self.branch(condition, following, lost, begin=lost)
        yield
        if label:
            self.jump(label)
        self.begin_block(following)

    @property
    def exported(self) -> bool:
        """True if others than its module know the function."""
        return self._linkage == ""

    def text(self) -> str:
        """The function, whole: one that returns nothing does so at its end."""
        params = ", ".join(f"{type} %{param}" for type, param in self._all_params())
        linkage = f"{self._linkage} " if self._linkage else ""
        head = f"define {linkage}{self._returns} @{self.name}({params}) {self._attributes} {{"
        is_open = not self._lines or not self._lines[-1].startswith(_ENDS)
        end = ["  ret void"] if self._returns == "void" and is_open else []
        return "\n".join([head, "entry:", *self._entry, "  br label %start", "start:", *self._lines, *end, "}"])

    def declaration(self) -> str:
        """The function's declaration for another module that is linked with this one."""
        return f"declare hidden {self._returns} @{self.name}({', '.join(type for type, _ in self._all_params())})"

    @property
    def params_count(self) -> int:
        """The number of the parameters, those of size symbols included."""
        return len(self._all_params())

    def _all_params(self) -> list[tuple[str, str]]:
        """The parameters, those of size symbols included."""
        numbers = [] if self.sizes else sorted(self.symbols)
        return [*self._params, *(("i64", f"symbol.{number}") for number in numbers)]


class WrittenFunction(Function):
    """A function whose text is there."""

    def __init__(self, module: Module, name: str, text: str, linkage: str) -> None:
        super().__init__(module, name, [], linkage=linkage)
        self._text = text

    def text(self) -> str:
        return self._text.replace("define ", f"define {self._linkage} " if self._linkage else "define ", 1)

    def declaration(self) -> str:
        return self._text.partition(" {\n")[0].replace("define ", "declare hidden ", 1)


def is_number(x: str) -> bool:
    """Tell whether an i64 is a literal."""
    return x.removeprefix("-").isdecimal()


def _aligned(type: str) -> str:
    """Of a word in memory; that of a pointer is the target's."""
    return f", align {int(type[1:]) // 8}" if type.startswith("i") else ""
