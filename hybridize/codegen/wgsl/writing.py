# SPDX-License-Identifier: Apache-2.0
"""Write a kernel's LLVM IR as WGSL: registers are `let`s, branches are structured, pointers are an array and an index.

    write_kernel(function, module) -> WgslKernel

Memory is words of 32 bits, whatever lies in it, so that every array has the bytes that it has on a processor. Parts of
words are stored by atomic operations: neighbours are other threads' elements.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen, mutable
from hybridize.codegen.llvm.text import Function, Module
from hybridize.codegen.wgsl.flattening import flattened
from hybridize.codegen.wgsl.instructions import (
    FLOAT_CALLS,
    OPERATORS,
    RegisterForm,
    form_of,
    literal,
    masked,
    real,
    signed,
    zero,
)
from hybridize.codegen.wgsl.library import functions_for
from hybridize.codegen.wgsl.ranges import MOST, Interval, widths_of
from hybridize.codegen.wgsl.reading import BasicBlock, Instruction, KernelReading, lanes_of, read_function
from hybridize.codegen.wgsl.shapes import GO, Shape
from hybridize.runtime.webgpu.kernels import ROW, WgslArray, WgslKernel
from hybridize.schedule.device import thresholds

THREAD: Final = "llvm.nvvm.read.ptx.sreg.tid.x"
BLOCK: Final = "llvm.nvvm.read.ptx.sreg.ctaid.x"
BARRIER: Final = "llvm.nvvm.barrier.cta.sync.aligned.all"
_SHARED: Final = re.compile(r"@\S+ = internal addrspace\(3\) global \[(\d+) x (\S+)\] undef")
_CONSTANT: Final = re.compile(r"@\S+ = private unnamed_addr constant \[(\d+) x (\S+)\] \[(.*)\], align \d+")
_ROOT: Final = re.compile(r"addrspacecast \(ptr addrspace\(3\) @(\S+) to ptr\)|@(\S+)")
_THREADS: Final = re.compile(r'"nvvm.maxntid"="(\d+)"')


@frozen
class Pointer:
    """An address: an array, and an index that counts units of some bytes."""

    array: str
    unit: int
    index: str


@frozen
class RegisterContent:
    """The content of a register, lane by lane."""

    form: RegisterForm
    lanes: tuple[str, ...]


@mutable
class _Line:
    """A line of text, and the register that it sets."""

    text: str
    depth: int
    name: str = ""
    form: RegisterForm = RegisterForm.INT


@mutable
class _Array:
    """The accesses to an array."""

    words: int = 0
    written: bool = False
    in_parts: bool = False
    """True if parts of its words are stored."""
    content: str = ""


def write_kernel(function: Function, module: Module, blocks: int) -> WgslKernel:
    """Write a kernel, of which no more than so many blocks are launched.

    Raises:
        CodegenError E980: it has an instruction that has no form in WGSL.
    """
    writer = _Writer(function, module, blocks)
    Shape(writer.reading, writer).write()
    return writer.kernel()


class _Writer:
    """Writes one kernel."""

    def __init__(self, function: Function, module: Module, blocks: int) -> None:
        self.reading = flattened(read_function(function))
        match = _THREADS.search(function.text())
        assert match is not None
        self.threads = int(match[1])
        self._module, self._blocks = module, blocks
        specials: dict[str, Interval] = {THREAD: (0, self.threads - 1), BLOCK: (0, min(blocks, MOST // self.threads))}
        self.widths = widths_of(self.reading, specials)
        self._values: dict[str, RegisterContent | Pointer | tuple[RegisterContent, RegisterContent]] = {}
        self._lines: list[_Line] = []
        self._path: list[int] = [0]
        self._paths: dict[str, tuple[int, ...]] = {}
        self._outside: set[str] = set()
        """Registers that are taken outside of the construct that sets them."""
        self._variables: dict[str, RegisterForm] = {}
        self._scopes = self._count = 0
        self._arrays: dict[str, _Array] = {}
        self._params: list[str] = []
        self._words = 0
        """Words of the call: offsets of the params, then sizes."""
        self._comparisons: dict[str, tuple[str, str, str, str]] = {}
        """Of floats: relation, operands and their type, by the result."""
        self._same: dict[tuple[RegisterForm, str], tuple[str, tuple[int, ...]]] = {}
        """Registers by what they are set to, and where."""
        self._once = _taken_once(self.reading)
        self._paths |= {"thread_": (0,), "block_": (0,)}
        self._starts: dict[tuple[str, int], str] = {}
        for type, name in self.reading.params:
            if type == "ptr":
                self._params.append(name)
                self._arrays[name] = _Array()
                self._values[f"%{name}"] = Pointer(name, 0, "")
        self._words = len(self._params)
        for type, name in self.reading.params:
            if type == "i64":
                self._values[f"%{name}"] = RegisterContent(RegisterForm.INT, (f"i32({_word(self._words)})",))
                self._words += 1
        self._set_by_ways()

    # The pen of a shape

    def block(self, block: BasicBlock) -> None:
        """Write the instructions of a block."""
        for one in block.instructions:
            self._write(one)

    def edge(self, source: str, target: str) -> None:
        """Set the registers of a block that depend on the way to it, all at the same time."""
        pairs = []
        for one in self.reading.blocks[target].instructions:
            if one.op != "phi":
                break
            operand = one.operands[one.places.index(source)]
            pairs += self._phi_pairs(one, operand)
        names = {name for name, _ in pairs}
        late = []
        for name, text in pairs:
            if text == name:
                continue
            if any(re.search(rf"\b{other}\b", text) for other in names if other != name):
                self._count += 1
                self._emit(f"let now{self._count} = {text};")
                late.append((name, f"now{self._count}"))
            else:
                late.append((name, text))
        for name, text in late:
            self._emit(f"{name} = {text};")

    def open(self, head: str) -> None:
        """Begin a construct."""
        self._emit(f"{head} {{")
        self._enter()

    def orelse(self) -> None:
        """End the first part of a condition, and begin the other one."""
        self._path.pop()
        self._emit("} else {")
        self._enter()

    def close(self) -> None:
        """End a construct."""
        self._path.pop()
        if self._lines[-1].text == "} else {":
            self._lines[-1].text = "}"
        else:
            self._emit("}")

    def line(self, text: str) -> None:
        """Write a statement."""
        self._emit(text)

    def condition(self, block: BasicBlock) -> str:
        """The condition of a block's branch."""
        text = self._scalar(block.condition, "i1")
        return text[1:-1] if block.condition in self._once and text.startswith("(") else text

    def _enter(self) -> None:
        self._scopes += 1
        self._path.append(self._scopes)

    def _emit(self, text: str, name: str = "", form: RegisterForm = RegisterForm.INT) -> None:
        self._lines.append(_Line(text, len(self._path), name, form))

    # Registers

    def _set(self, result: str, form: RegisterForm, *texts: str) -> None:
        """Give a register its value; lanes are registers of their own."""
        base, names = re.sub(r"\W", "_", result[1:]), []
        for lane, text in enumerate(texts):
            if text in self._paths:  # another name of the same register
                names.append(text)
            elif result in self._once and len(text) < thresholds.WGSL_INLINE and "_at(" not in text:
                names.append(f"({text})" if " " in text else text)
            else:
                names.append(self._name(base if len(texts) == 1 else f"{base}_{lane}", form, text))
        self._values[result] = RegisterContent(form, tuple(names))

    def _name(self, name: str, form: RegisterForm, text: str) -> str:
        known = self._same.get((form, text))
        if known is not None and tuple(self._path[: len(known[1])]) == known[1]:
            return known[0]
        self._paths[name] = tuple(self._path)
        if "_at(" not in text:
            self._same[form, text] = name, self._paths[name]
        self._emit(text, name, form)
        return name

    def _taken(self, name: str) -> str:
        """Note where a register is taken."""
        path = self._paths.get(name)
        if path is not None and tuple(self._path[: len(path)]) != path:
            self._outside.add(name)
        return name

    def _scalar(self, operand: str, type: str, form: RegisterForm | None = None, lane: int = 0) -> str:
        """An operand as text, in a form: the one of its type, or another one that integers of 64 bits have."""
        value = self._values.get(operand)
        if value is None:
            return literal(operand, type, form or form_of(type, narrow=type == "i64" and self._is_narrow(operand)))
        if isinstance(value, tuple | Pointer):
            raise CodegenError("E980", f"WGSL has no register for {operand} of {self.reading.name}")
        text = self._taken(value.lanes[lane])
        if form is None or form is value.form:
            return text
        return f"i32({text}.x)" if form is RegisterForm.INT else f"wide_({text})"

    def _is_narrow(self, operand: str) -> bool:
        if operand.startswith("%"):
            return operand in self.widths.narrow
        return self.widths.proves(operand)

    def _phi_pairs(self, one: Instruction, operand: str) -> list[tuple[str, str]]:
        """The names of a phi's lanes, each with what it is set to."""
        if one.type == "ptr":
            value = self._values[one.result]
            assert isinstance(value, Pointer)
            return [(value.index, self._scaled(self._pointer(operand), 1))]
        value = self._values[one.result]
        assert isinstance(value, RegisterContent)
        kind = lanes_of(one.type)[1]
        return [
            (name, self._lane(operand, kind, lane, value.form)) for lane, name in enumerate(value.lanes)
        ]  # fmt: skip

    def _lane(self, operand: str, kind: str, lane: int, form: RegisterForm | None = None) -> str:
        """One lane of an operand."""
        if operand.startswith("splat ("):
            operand = operand.rpartition(" ")[2].rstrip(")")
        elif operand.startswith("<"):
            operand = operand[1:-1].split(", ")[lane].rpartition(" ")[2]
        elif operand == "zeroinitializer":
            return zero(form or form_of(kind, narrow=True))
        return self._scalar(operand, kind, form, lane if operand.startswith("%") else 0)

    # Instructions

    def _write(self, one: Instruction) -> None:
        method: Callable[[Instruction], None] | None = getattr(self, f"_{one.op}", None)
        if method is not None:
            method(one)
            return
        if "i128" in (one.type, one.word):
            self._wide_product(one)
            return
        count, kind = lanes_of(one.type)
        form = self._form(one, kind)
        self._set(one.result, form, *(self._computed(one, kind, form, lane) for lane in range(count)))

    def _form(self, one: Instruction, kind: str) -> RegisterForm:
        """The form of a result."""
        result = lanes_of(one.type_of_result)[1]
        return form_of(result, narrow=one.result in self.widths.narrow)

    def _computed(self, one: Instruction, kind: str, form: RegisterForm, lane: int) -> str:
        """One lane of the result of an arithmetic instruction, a comparison or a conversion."""
        if one.op in ("icmp", "fcmp"):
            return self._compared(one, kind, lane)
        if kind.startswith("i") and one.op not in _CONVERSIONS:
            return self._integer(one, kind, form, lane)
        x, *others = (self._lane(operand, kind, lane) for operand in one.operands)
        match one.op:
            case "fadd" | "fsub" | "fmul" | "fdiv":
                y = others[0]
                if kind == "double":
                    return f"d_{one.op[1:]}_({x}, {y})"
                return f"{_once(x, y, 'float')} {OPERATORS[one.op]} {y}"
            case "fneg":
                return f"{'d_neg_' if kind == 'double' else 'neg_'}({x})"
            case "fptrunc" if kind == "double":
                return f"float_of_d_({x})"
            case "fpext" if kind == "float":
                return f"d_of_float_({x})"
            case "freeze":
                return x
        if len(one.operands) > 1:
            raise CodegenError("E980", f"WGSL has no {one.op} of {kind}")
        return self._converted(one, kind, form, lane)

    def _converted(self, one: Instruction, kind: str, form: RegisterForm, lane: int) -> str:
        """A conversion to or from integers."""
        (operand,), to = one.operands, lanes_of(one.word)[1]
        x = self._lane(operand, kind, lane)
        is_wide = kind == "i64" and not self._is_narrow(operand)
        real = "d" if "double" in (kind, to) else "float"
        match one.op:
            case "bitcast":
                return self._bits(x, kind, to, form, is_wide=is_wide)
            case "sitofp" | "uitofp":
                signs = "i" if one.op == "sitofp" else "u"
                if kind == "i1":
                    x = f"select(0, {1 if signs == 'u' else -1}, {x})"
                elif kind in ("i8", "i16") and signs == "i":
                    x = signed(x, kind)
                if real == "float" and not is_wide:
                    return f"float_of_i32_({x})" if signs == "i" else f"float_of_u32_(u32({x}))"
                wide = x if is_wide else f"wide_u_({x})" if signs == "u" and kind != "i64" else f"wide_({x})"
                return f"{real}_of_{signs}64_({wide})"
            case "fptosi" | "fptoui":
                signs = one.op[4]
                if real == "float" and form is RegisterForm.INT and to != "i64":
                    return masked(f"i32({x})" if signs == "s" else f"i32(u32({x}))", to)
                wide = f"{'i' if signs == 's' else 'u'}64_of_{real}_({x})"
                return wide if form is RegisterForm.WIDE else masked(f"i32({wide}.x)", to)
            case "trunc":
                low = f"i32({x}.x)" if is_wide else x
                return f"({low} & 1) != 0" if to == "i1" else masked(low, to)
            case "zext" | "sext":
                return self._extended(x, kind, to, form, signs=one.op == "sext", is_wide=is_wide)
        raise CodegenError("E980", f"WGSL has no {one.op} from {kind} to {to}")

    def _extended(self, x: str, kind: str, to: str, form: RegisterForm, *, signs: bool, is_wide: bool) -> str:
        if kind == "i1":
            x = f"select(0, {-1 if signs else 1}, {x})"
            x = masked(x, to) if signs else x
        elif signs and kind in ("i8", "i16"):
            x = masked(signed(x, kind), to)
        if form is not RegisterForm.WIDE:
            return x
        return x if is_wide else f"wide_({x})" if signs or kind != "i32" else f"wide_u_({x})"

    def _bits(self, x: str, kind: str, to: str, form: RegisterForm, *, is_wide: bool) -> str:
        """The bits of a number as those of another type."""
        if (kind, to) == ("float", "i32"):
            return f"bitcast<i32>({x})"
        if (kind, to) == ("i32", "float"):
            return f"bitcast<f32>({_once(x, x, 'i32')})"
        if {kind, to} == {"double", "i64"}:
            if to == "double":
                return x if is_wide else f"wide_({x})"
            return x if form is RegisterForm.WIDE else f"i32({x}.x)"
        if kind == to:
            return x
        raise CodegenError("E980", f"WGSL has no bitcast from {kind} to {to}")

    # Integers

    def _integer(self, one: Instruction, kind: str, form: RegisterForm, lane: int) -> str:
        x, y = one.operands
        if kind == "i1":
            return self._logic(one, lane)
        low = one.op in ("add", "sub", "mul", "and", "or", "xor", "shl")
        positive = one.op in ("udiv", "urem", "lshr")
        narrow = form is RegisterForm.INT and (
            kind != "i64" or low or all(self.widths.proves(v, positive=positive) for v in one.operands)
        )
        if kind == "i64" and one.op in ("shl", "lshr", "ashr"):  # of 32 bits, those of 32 and more are other shifts
            least, most = self.widths.range(y)
            if narrow and least >= 32:
                return f"{self._lane(x, kind, lane, RegisterForm.INT)} >> 31u" if one.op == "ashr" else "0"
            narrow = narrow and least >= 0 and most < 32
        if narrow:
            a, b = (self._lane(v, kind, lane, RegisterForm.INT) for v in one.operands)
            if kind == "i32" and positive and all(self.widths.proves(v, positive=True) for v in one.operands):
                kind = "i64"  # as of those, neither is negative
            return self._narrow(one.op, a, b, kind)
        a = self._lane(x, kind, lane, RegisterForm.WIDE)
        if one.op in ("shl", "lshr", "ashr"):
            b = _unsigned(self._lane(y, kind, lane, RegisterForm.INT))
        else:
            b = self._lane(y, kind, lane, RegisterForm.WIDE)
        text = f"{a} {OPERATORS[one.op]} {b}" if one.op in ("and", "or", "xor") else f"{one.op}64_({a}, {b})"
        return text if form is RegisterForm.WIDE else f"i32(({text}).x)"

    def _narrow(self, op: str, x: str, y: str, kind: str) -> str:
        """An instruction of integers of 32 bits or fewer."""
        x = _once(x, y, "i32")
        if op in ("add", "sub", "mul", "and", "or", "xor"):
            return masked(f"{x} {OPERATORS[op]} {y}", kind)
        if op == "shl":
            return masked(f"{x} << {_unsigned(y)}", kind)
        if op == "lshr":
            return f"{x} >> {_unsigned(y)}" if kind == "i64" else f"i32(u32({x}) >> {_unsigned(y)})"
        if op == "ashr":
            return masked(f"{signed(x, kind)} >> {_unsigned(y)}", kind)
        if op in ("udiv", "urem"):
            if kind == "i64":
                return f"{x} {OPERATORS[op]} {y}"  # neither is negative
            return f"i32({_unsigned(x)} {OPERATORS[op]} {_unsigned(y)})"
        if op in ("sdiv", "srem"):
            return masked(f"{signed(x, kind)} {OPERATORS[op]} {signed(y, kind)}", kind)
        raise CodegenError("E980", f"WGSL has no {op} of {kind}")

    def _logic(self, one: Instruction, lane: int) -> str:
        x, y = (self._lane(v, "i1", lane) for v in one.operands)
        if one.op in ("add", "sub"):
            return f"{x} != {y}"
        if one.op == "xor" and y == "true":
            compared = self._comparisons.get(one.operands[0])
            # The opposite as a comparison of its own: of `!(x < y)` drivers may make `x >= y`, and forget NaN.
            return f"!{x}" if compared is None else _floats(_OPPOSITE[compared[0]], *compared[1:])
        return f"{x} {({'and': '&', 'mul': '&', 'or': '|', 'xor': '!='})[one.op]} {y}"

    # Comparisons

    def _compared(self, one: Instruction, kind: str, lane: int) -> str:
        first, second = one.operands
        if kind == "ptr":
            places = [self._pointer(v) for v in (first, second)]
            if places[0].array != places[1].array:  # in place of itself a copy changes nothing
                return "true" if one.word == "ne" else "false"
            x, y = (self._scaled(place, 1) for place in places)
            return f"{x} {_RELATIONS[one.word[-2:]]} {y}"
        if one.op == "fcmp":
            x, y = (self._lane(v, kind, lane) for v in (first, second))
            if one.type == kind:
                self._comparisons[one.result] = one.word, x, y, kind
            return _floats(one.word, x, y, kind)
        relation = _RELATIONS[one.word[-2:]]
        if kind == "i64" and not all(map(self._is_narrow, (first, second))):
            x, y = (self._lane(v, kind, lane, RegisterForm.WIDE) for v in (first, second))
            return _wide_compared(one.word, x, y)
        x, y = (self._lane(v, kind, lane, None if kind == "i1" else RegisterForm.INT) for v in (first, second))
        if kind == "i1" and len(one.word) == 3:
            # Bools have no order in WGSL. Of signed ones true is -1.
            (low, high), equal = (x, y) if (one.word[0] == "u") == (one.word[1] == "l") else (y, x), one.word[2] == "e"
            return f"!{low} {'|' if equal else '&'} {high}"
        if one.word[0] == "u" and not all(self.widths.proves(v, positive=True) for v in (first, second)):
            return f"{_unsigned(x)} {relation} {_unsigned(y)}"
        if one.word[0] == "s":
            x, y = signed(x, kind), signed(y, kind)
        return f"{x} {relation} {y}"

    def _select(self, one: Instruction) -> None:
        condition, x, y = one.operands
        count, kind = lanes_of(one.type)
        if kind == "ptr":
            then, orelse = self._pointer(x), self._pointer(y)
            self._same_array(then, orelse)
            text = f"select({self._scaled(orelse, 1)}, {self._scaled(then, 1)}, {self._scalar(condition, 'i1')})"
            self._values[one.result] = Pointer(then.array, 1, self._name(_plain(one.result), RegisterForm.INT, text))
            return
        form, texts = self._form(one, kind), []
        for lane in range(count):
            flag = self._lane(condition, "i1", lane if one.types[0].startswith("<") else 0)
            a, b = (self._lane(v, kind, lane, form) for v in (x, y))
            texts.append(f"{flag} & true" if a == "true" and b == "false" else f"select({b}, {a}, {flag})")
        self._set(one.result, form, *texts)

    # Registers of several lanes, and those that ways set

    def _set_by_ways(self) -> None:
        """Make variables of what depends on the way to a block."""
        makers = {one.result: one for block in self.reading.blocks.values() for one in block.instructions}
        for one in makers.values():
            if one.op != "phi":
                continue
            base = _plain(one.result)
            if one.type == "ptr":
                self._variables[base] = RegisterForm.INT
                self._values[one.result] = Pointer(self._array_of(one.result, makers), 1, base)
                continue
            count, kind = lanes_of(one.type)
            form = self._form(one, kind)
            names = tuple(base if count == 1 else f"{base}_{lane}" for lane in range(count))
            self._variables |= dict.fromkeys(names, form)
            self._values[one.result] = RegisterContent(form, names)

    def _array_of(self, operand: str, makers: Mapping[str, Instruction]) -> str:
        """The array that a pointer points into, whatever the way."""
        stack, seen, arrays = [operand], {operand}, set[str]()
        while stack:
            one = stack.pop()
            value = self._values.get(one)
            pointer = value if isinstance(value, Pointer) else self._root(one)
            if pointer is not None:
                arrays.add(pointer.array)
                continue
            before = makers[one]
            if before.op == "alloca":
                arrays.add(f"{_plain(one)}_memory")
                continue
            parts = before.operands[:1] if before.op == "getelementptr" else before.operands
            stack += [x for x in parts if x not in seen]
            seen.update(parts)
        if len(arrays) == 1:
            return arrays.pop()
        text = f"the pointer {operand} of {self.reading.name}, which points into {len(arrays)} of them"
        raise CodegenError("E980", f"WGSL has no array for {text}")

    def _phi(self, one: Instruction) -> None:
        """Nothing: the ways set it."""

    def _extractelement(self, one: Instruction) -> None:
        lane = int(one.operands[1])
        kind = lanes_of(one.type)[1]
        self._set(one.result, self._form(one, kind), self._lane(one.operands[0], kind, lane))

    def _insertelement(self, one: Instruction) -> None:
        count, kind = lanes_of(one.type)
        whole, element, place = one.operands
        form, texts = self._form(one, kind), []
        for lane in range(count):
            if lane == int(place):
                texts.append(self._scalar(element, kind, form))
            else:
                texts.append(zero(form) if whole in ("poison", "undef") else self._lane(whole, kind, lane, form))
        self._set(one.result, form, *texts)

    # Memory

    def _root(self, operand: str) -> Pointer | None:
        """The array of the module that an operand names."""
        match = _ROOT.fullmatch(operand)
        if match is None:
            return None
        name = match[1] or match[2]
        array = _plain(f"%{name}")
        if array not in self._arrays:
            text = self._module.globals[name]
            if shared := _SHARED.match(text):
                self._arrays[array] = _Array(-(-int(shared[1]) * _bytes(shared[2]) // 4))
            elif constant := _CONSTANT.match(text):
                numbers = [one.rpartition(" ")[2] for one in constant[3].split(", ")]
                words = [word for one in numbers for word in _words(one, constant[2])]
                self._arrays[array] = _Array(len(words), content=", ".join(words))
            else:
                raise CodegenError("E980", f"WGSL has no array for {text!r}")
        return Pointer(array, 4, "0")

    def _pointer(self, operand: str) -> Pointer:
        value = self._values.get(operand)
        pointer = value if isinstance(value, Pointer) else self._root(operand)
        if pointer is None:
            raise CodegenError("E980", f"WGSL has no pointer {operand} of {self.reading.name}")
        if pointer.index:
            self._taken(pointer.index)
        return pointer

    def _same_array(self, x: Pointer, y: Pointer) -> None:
        if x.array != y.array:
            raise CodegenError("E980", f"WGSL has no pointer into {x.array} or {y.array} of {self.reading.name}")

    def _scaled(self, pointer: Pointer, unit: int) -> str:
        """The index of a pointer in other units."""
        if not pointer.unit:
            return self._start(pointer.array, unit)
        if pointer.unit == unit or pointer.index == "0":
            return pointer.index
        by, down = pointer.unit // unit, unit // pointer.unit
        if pointer.index.isdecimal():
            return str(int(pointer.index) * pointer.unit // unit)
        return f"({pointer.index} * {by})" if by else f"({pointer.index} >> {down.bit_length() - 1}u)"

    def _start(self, param: str, unit: int) -> str:
        """The place in its array at which the elements of a param begin, in units."""
        name = self._starts.get((param, unit))
        if name is None:
            name = self._starts[param, unit] = f"{param}_from{unit}"
        return name

    def _getelementptr(self, one: Instruction) -> None:
        pointer, size = self._pointer(one.operands[0]), _bytes(one.type)
        index = one.operands[1]
        step = 0 if index.startswith("%") else int(index)
        unit = pointer.unit or max(size, 4)
        if unit > size and (index.startswith("%") or step * size % unit):
            unit = size
        base = self._scaled(pointer, unit)
        if not index.startswith("%"):
            by = step * size // unit
            text = base if by == 0 else str(int(base) + by) if base.isdecimal() else f"{base} + {by}"
        else:
            by = size // unit
            moved = self._scalar(index, "i64", RegisterForm.INT)
            moved = moved if by == 1 else f"{moved} * {by}"
            text = moved if base == "0" else f"{base} + {moved}"
        if text.isdecimal() or text == base or text in self._paths:
            self._values[one.result] = Pointer(pointer.array, unit, text)
            return
        is_taken_once = one.result in self._once and len(text) < thresholds.WGSL_INLINE
        place = f"({text})" if is_taken_once else self._name(_plain(one.result), RegisterForm.INT, text)
        self._values[one.result] = Pointer(pointer.array, unit, place)

    def _alloca(self, one: Instruction) -> None:
        array = f"{_plain(one.result)}_memory"
        count = int(one.operands[0]) if one.operands else 1
        match = re.fullmatch(r"\[(\d+) x (\S+)\]", one.type)
        size = int(match[1]) * _bytes(match[2]) if match else _bytes(one.type)
        self._arrays[array] = _Array(-(-count * size // 4), content="private")
        self._values[one.result] = Pointer(array, 4, "0")

    def _load(self, one: Instruction) -> None:
        count, kind = lanes_of(one.type)
        pointer, size, form = self._pointer(one.operands[0]), _bytes(kind), self._form(one, kind)
        if kind == "ptr":
            raise CodegenError("E980", f"WGSL has no pointers in memory ({self.reading.name})")
        place = self._scaled(pointer, min(size, 4))
        texts = []
        for lane in range(count):
            at = _beyond(place, lane * (size // 4 if size >= 4 else 1))
            word = f"{pointer.array}_at({at})"
            if size == 8:
                wide = f"vec2<u32>({word}, {pointer.array}_at({_beyond(at, 1)}))"
                texts.append(f"i32({word})" if form is RegisterForm.INT else wide)
            elif size == 4:
                texts.append(f"bitcast<f32>({word})" if kind == "float" else f"i32({word})")
            else:
                word = f"{pointer.array}_at({_shifted(at, 2 // size)})"
                texts.append(f"{'byte_' if size == 1 else 'short_'}({word}, {at})")
        self._set(one.result, form, *texts)

    def _store(self, one: Instruction) -> None:
        count, kind = lanes_of(one.type)
        operand, to = one.operands
        pointer, size = self._pointer(to), _bytes(kind)
        array = self._arrays[pointer.array]
        array.written = True
        place = self._scaled(pointer, min(size, 4))
        for lane in range(count):
            at = _beyond(place, lane * (size // 4 if size >= 4 else 1))
            if size == 8:
                x = self._lane(operand, kind, lane, RegisterForm.WIDE if kind == "i64" else None)
                self._count += 1
                self._emit(f"let now{self._count} = {x};")
                self._emit(f"{pointer.array}_put({at}, now{self._count}.x);")
                self._emit(f"{pointer.array}_put({_beyond(at, 1)}, now{self._count}.y);")
                continue
            x = self._lane(operand, kind, lane)
            if size == 4:
                self._emit(f"{pointer.array}_put({at}, {f'bitcast<u32>({x})' if kind == 'float' else f'u32({x})'});")
            else:
                array.in_parts = True
                self._emit(f"{pointer.array}_{'byte' if size == 1 else 'short'}({at}, u32({x}));")

    # Calls

    def _call(self, one: Instruction) -> None:
        if one.word == BARRIER:
            self._emit("workgroupBarrier();")
            return
        if one.word in (THREAD, BLOCK):
            self._set(one.result, RegisterForm.INT, "thread_" if one.word == THREAD else "block_")
            return
        count, kind = lanes_of(one.type)
        form = self._form(one, kind)
        texts = [self._called(one, kind, form, lane) for lane in range(count)]
        self._set(one.result, form, *texts)

    def _called(self, one: Instruction, kind: str, form: RegisterForm, lane: int) -> str:
        name = one.word.removeprefix("llvm.").rpartition(".")[0]
        if one.word.startswith("llvm.") and kind in ("float", "double"):
            args = [self._lane(x, kind, lane) for x in one.operands]
            function = FLOAT_CALLS[kind].get(name)
            if function is not None:
                args[0] = _once(args[0], args[-1], "float") if kind == "float" else args[0]
                return f"{function}({', '.join(args)})"
        elif one.word.startswith("llvm."):
            text = self._integer_call(name, one, kind, form, lane)
            if text:
                return text
        raise CodegenError("E980", f"WGSL has no function {one.word}")

    def _integer_call(self, name: str, one: Instruction, kind: str, form: RegisterForm, lane: int) -> str:
        is_wide = kind == "i64" and not all(map(self._is_narrow, one.operands[: 1 if name.startswith("ct") else 2]))
        operands = [x for x, type in zip(one.operands, one.types, strict=True) if type != "i1"]
        args = [
            self._lane(x, kind, lane, RegisterForm.WIDE if is_wide or kind == "i64" else RegisterForm.INT)
            for x in operands
        ]
        bits = int(kind[1:])
        if name in ("smin", "smax", "umin", "umax"):
            if kind == "i64":
                if form is RegisterForm.INT and not is_wide:
                    x, y = (self._lane(v, kind, lane, RegisterForm.INT) for v in operands)
                    if name[0] == "s":
                        return f"{name[1:]}({_once(x, y, 'i32')}, {y})"
                    return f"i32({name[1:]}(u32({x}), u32({y})))"
                less = f"{name[0]}lt64_({args[0]}, {args[1]})"
                first, second = args if name.endswith("min") else args[::-1]
                text = f"select({second}, {first}, {less})"
                return text if form is RegisterForm.WIDE else f"i32({text}.x)"
            x, y = (signed(v, kind) if name[0] == "s" else f"u32({v})" for v in args)
            return masked(f"i32({name[1:]}({x}, {y}))", kind)
        if name == "abs":
            if kind == "i64":
                return f"size64_({args[0]})" if form is RegisterForm.WIDE else f"i32(size64_({args[0]}).x)"
            return masked(f"abs({signed(_once(args[0], args[0], 'i32'), kind)})", kind)
        if name in ("ctpop", "ctlz", "cttz"):
            word = {"ctpop": "ones64_", "ctlz": "zeros64_", "cttz": "ends64_"}[name]
            if kind == "i64":
                return f"{word}({args[0]})" if form is RegisterForm.INT else f"wide_({word}({args[0]}))"
            word = {"ctpop": "countOneBits", "ctlz": "countLeadingZeros", "cttz": "countTrailingZeros"}[name]
            text = f"i32({word}(u32({args[0]})))"
            return f"{text} - {32 - bits}" if name == "ctlz" and bits < 32 else f"min({text}, {bits})"
        if name == "fshl" and kind in ("i32", "i64"):
            if kind == "i32":
                return f"fshl32_({', '.join(args)})"
            text = f"fshl64_({args[0]}, {args[1]}, {args[2]}.x)"
            return text if form is RegisterForm.WIDE else f"i32({text}.x)"
        return ""

    # Products of 64-bit words, whose upper halves are taken: 128 bits are no registers

    def _wide_product(self, one: Instruction) -> None:
        values = [self._values.get(operand) for operand in one.operands]
        match one.op, values:
            case "zext", _:
                factor = self._scalar(one.operands[0], "i64", RegisterForm.WIDE)
                self._values[one.result] = RegisterContent(RegisterForm.WIDE, (factor,))
            case "mul", [RegisterContent() as x, RegisterContent() as y]:
                self._values[one.result] = x, y
            case "lshr", [(x, y), None] if one.operands[1] == "64":
                self._set(one.result, RegisterForm.WIDE, f"umulh64_({x.lanes[0]}, {y.lanes[0]})")
            case "trunc", [RegisterContent() as upper]:
                wide, form = self._taken(upper.lanes[0]), self._form(one, "i64")
                self._set(one.result, form, wide if form is RegisterForm.WIDE else f"i32({wide}.x)")
            case _:
                raise CodegenError("E980", f"WGSL has no {one.op} of i128")

    # The whole

    def kernel(self) -> WgslKernel:
        """The kernel, once everything is written."""
        lines = [self._rendered(one) for one in self._lines]
        known = dict(self._variables) | {one.name: one.form for one in self._lines if one.name in self._outside}
        head = [f"  var {name}: {form.value};" for name, form in known.items()]
        if any(f"{GO} = " in line for line in lines):
            head.insert(0, f"  var {GO}: u32 = 0u;")
        begin = []
        for (param, unit), name in self._starts.items():
            shift = f" >> {unit.bit_length() - 1}u" if unit > 1 else ""
            begin.append(f"  let {name} = i32({_word(self._params.index(param))}{shift});")
        count = self._words
        if self._blocks > ROW:
            begin.insert(0, f"  if (u32(block_) >= {_word(count)}) {{ return; }}")
        arrays = {
            name: WgslArray(one.words, one.written, one.in_parts, one.content) for name, one in self._arrays.items()
        }
        body = "\n".join([*begin, *head, *lines])
        return WgslKernel(
            self.reading.name,
            functions_for(body),
            body,
            threads=self.threads,
            params=tuple(self._params),
            arrays=arrays,
            sizes_end=count,
        )

    def _rendered(self, one: _Line) -> str:
        if not one.name:
            return f"{'  ' * one.depth}{one.text}"
        let = "" if one.name in self._outside else "let "
        return f"{'  ' * one.depth}{let}{one.name} = {one.text};"


_CONVERSIONS: Final = frozenset(("bitcast", "zext", "sext", "trunc", "sitofp", "uitofp", "freeze"))
_RELATIONS: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


_OPPOSITE: Final = {
    "oeq": "une", "une": "oeq", "olt": "uge", "uge": "olt", "ole": "ugt", "ugt": "ole", "ogt": "ule", "ule": "ogt",
    "oge": "ult", "ult": "oge", "one": "ueq", "ueq": "one", "ord": "uno", "uno": "ord",
}  # fmt: skip


def _floats(word: str, x: str, y: str, kind: str) -> str:
    """A comparison of floats, in which one is NaN or not: by the bits, as there need be no NaN for operators."""
    nan = "d_nan_" if kind == "double" else "nan_"
    some = " || ".join(dict.fromkeys(f"{nan}({v})" for v in (x, y) if not _is_literal(v)))
    if word in ("uno", "ord"):
        return (some or "false") if word == "uno" else f"!({some})"
    if x == y and word in ("oeq", "une"):
        return _floats("ord" if word == "oeq" else "uno", x, y, kind)
    relation = word[1:]
    if kind == "double":
        plain = {
            "eq": f"d_eq_({x}, {y})", "ne": f"!d_eq_({x}, {y})", "lt": f"d_lt_({x}, {y})", "gt": f"d_lt_({y}, {x})",
            "le": f"(d_lt_({x}, {y}) || d_eq_({x}, {y}))", "ge": f"(d_lt_({y}, {x}) || d_eq_({x}, {y}))",
        }[relation]  # fmt: skip
    else:
        plain = f"{_once(x, y, 'float')} {_RELATIONS[relation]} {y}"
    if word == "one":
        return f"{plain} && !({some})" if some else plain
    if word[0] == "u" and some:
        return f"{plain} || {some}"
    return plain


def _wide_compared(word: str, x: str, y: str) -> str:
    relation = word[-2:]
    if relation in ("eq", "ne"):
        return f"{'!' if relation == 'ne' else ''}eq64_({x}, {y})"
    less = f"{word[0]}lt64_"
    if relation in ("lt", "ge"):
        return f"{'!' if relation == 'ge' else ''}{less}({x}, {y})"
    return f"{'!' if relation == 'le' else ''}{less}({y}, {x})"


def _taken_once(reading: KernelReading) -> set[str]:
    """The registers that one instruction takes, in the block that sets them."""
    count: Counter[str] = Counter()
    here: set[str] = set()
    for block in reading.blocks.values():
        own = {one.result for one in block.instructions}
        for one in block.instructions:
            count.update(one.operands)
            if one.op != "phi":
                here.update(own.intersection(one.operands))
        count.update((block.condition,))
        here.update(own.intersection((block.condition,)))
    return {name for name in here if count[name] == 1}


def _unsigned(x: str) -> str:
    return f"{x}u" if x.isdecimal() else f"u32({x})"


def _plain(register: str) -> str:
    return re.sub(r"\W", "_", register[1:])


def _word(number: int) -> str:
    """A word of the call."""
    return f"words[{number // 4}][{number % 4}]"


def _bytes(type: str) -> int:
    return {"i1": 1, "i8": 1, "i16": 2, "half": 2, "i32": 4, "float": 4, "i64": 8, "double": 8, "ptr": 8}[type]


def _is_literal(text: str) -> bool:
    return not re.match(r"[A-Za-z_]", text) or text.startswith(("float_(", "vec2<u32>("))


def _once(x: str, y: str, kind: str) -> str:
    """The first of two operands, as no constant where both are constants: WGSL refuses some expressions of those."""
    if not re.match(r"-?\d", x) or not re.match(r"-?\d", y):
        return x
    return (
        f"i_({x})" if kind == "i32" else f"float_({struct.unpack('<I', struct.pack('<f', float(x.rstrip('f'))))[0]}u)"
    )


def _beyond(place: str, count: int) -> str:
    if not count:
        return place
    return str(int(place) + count) if place.isdecimal() else f"{place} + {count}"


def _shifted(place: str, by: int) -> str:
    """The word that a part of one is in: of bytes a quarter, of halves a half of the index."""
    return str(int(place) >> by) if place.isdecimal() else f"({place}) >> {by}u"


def _words(number: str, type: str) -> Sequence[str]:
    """A number of a table as words."""
    if type in ("float", "double"):
        raw = struct.pack("<f" if type == "float" else "<d", real(number))
    else:
        raw = (int(number) & ((1 << (8 * _bytes(type))) - 1)).to_bytes(_bytes(type), "little")
    if len(raw) % 4:
        raise CodegenError("E980", f"WGSL has no tables of {type}")
    return [f"{word}u" for word in struct.unpack(f"<{len(raw) // 4}I", raw)]
