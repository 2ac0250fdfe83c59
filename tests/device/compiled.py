# SPDX-License-Identifier: Apache-2.0
"""Each segment of a kernel as one function of Python that calls NumPy, an instruction a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

import numpy as np

from tests.device import copies, floats, flow, warps
from tests.device.access import Site
from tests.device.assembly import (
    TYPES,
    Address,
    Constant,
    Instruction,
    Kernel,
    Name,
    Operand,
    Pack,
    Register,
    Special,
    Type,
    Variable,
)
from tests.device.fault import Fault
from tests.device.memory import LOCAL, SHARED
from tests.device.operations import meaning


@lru_cache(maxsize=4096)
def _coded(text: str, file: str) -> CodeType:
    """Compile the text of a function; modules that are alike but for a line share most of them."""
    return compile(text, file, "exec")


class Runner(NamedTuple):
    """A segment, its function, and the numbers of the registers that go in and come out."""

    segment: flow.Segment
    function: Callable
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    condition: bool | None
    """Whether its branch is taken where the last result is true, or false; None where it has no condition."""


@dataclass
class Program:
    """A kernel that can run."""

    kernel: Kernel
    runners: list[Runner]
    slots: dict[str, int]
    sites: list[Site]
    shared_bytes: int
    local_bytes: int
    lines: dict[str, list[Instruction]]
    """By the name of a function's file, the instruction of each of its lines."""


def _laid_out(variables: list[Variable]) -> tuple[dict[str, int], int]:
    """Place variables one after the other; those without a size come last, at one place."""
    offsets, end = {}, 0
    for one in sorted(variables, key=lambda one: one.nbytes == 0):
        at = -(-end // one.align) * one.align
        offsets[one.name] = at
        end = max(end, at + one.nbytes)
    return offsets, end


HINTS = frozenset(
    ["ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "weak", "L1::no_allocate", "L1::evict_last", "L2::128B"]
)
SPACES = {"global": "global", "const": "global", "shared": "shared", "shared::cta": "shared", "local": "local"}
WAITS = {
    "bar.sync",
    "barrier.sync",
    "barrier.sync.aligned",
    "barrier.cta.sync.aligned",
    "barrier.cta.sync",
    "bar.cta.sync",
}


SPECIAL = frozenset(["tid.x", "ntid.x", "ctaid.x", "nctaid.x"])


class Writer:
    """Writes the functions of a kernel."""

    def __init__(self, kernel: Kernel, addresses: dict[str, int]) -> None:
        self.kernel, self.addresses = kernel, addresses
        self.slots = {name: number for number, name in enumerate(kernel.registers)}
        self.roots = flow.roots(kernel)
        self.shared, self.shared_bytes = _laid_out(kernel.named("shared"))
        self.local, self.local_bytes = _laid_out(kernel.named("local"))
        self.sites: list[Site] = []
        self.names: dict[str, object] = {}
        self.lines: list[str] = []
        self.types: dict[str, Type] = {}
        """The type as which each register is in its local variable now."""
        self.doubles: dict[str, str] = {}
        """Variables with registers of float32 as float64, for fma, whose factors come many times."""

    def program(self) -> Program:
        """Write all segments."""
        runners, lines = [], {}
        for number, one in enumerate(flow.segments(self.kernel)):
            file = f"<{self.kernel.name}, segment {number}>"
            runners.append(self._segment(one, file, lines))
        return Program(
            kernel=self.kernel,
            runners=runners,
            slots=self.slots,
            sites=self.sites,
            shared_bytes=self.shared_bytes,
            local_bytes=self.local_bytes,
            lines=lines,
        )

    def _segment(self, one: flow.Segment, file: str, lines: dict[str, list[Instruction]]) -> Runner:
        self.names, self.lines, instructions = {"np": np}, [], []
        self.types, self.doubles = {name: self.kernel.registers[name] for name in one.inputs}, {}
        last_use = {name: k for k, x in enumerate(one.code) for name in (*flow.read(x), *flow.written(x))}
        ending: list[list[str]] = [[] for _ in one.code]
        for name, last in last_use.items():
            ending[last].append(name)
        condition = one.end.condition if isinstance(one.end, flow.Branch) else None
        remain = {*one.outputs, *([condition.name] if condition is not None else [])}
        for k, instruction in enumerate(one.code):
            before = len(self.lines)
            self._instruction(instruction)
            gone = [name for name in ending[k] if name not in remain]
            dead = [*map(self._var, gone), *(self.doubles.pop(name) for name in gone if name in self.doubles)]
            if dead:  # the next arrays take their memory
                self.lines.append(f"del {', '.join(dead)}")
            instructions += [instruction] * (len(self.lines) - before)
        results = [self.value(Register(name), self.kernel.registers[name]) for name in one.outputs]
        if condition is not None:
            results.append(self.value(Register(condition.name), TYPES["pred"]))
        body = [*self.lines, f"return ({', '.join(results)}{',' if results else ''})"]
        parameters = ", ".join(["grid", *(self._var(name) for name in one.inputs)])
        text = "\n    ".join([f"def segment({parameters}):", *body])
        exec(_coded(text, file), self.names)
        lines[file] = instructions
        return Runner(
            one,
            self.names["segment"],
            tuple(self.slots[name] for name in one.inputs),
            tuple(self.slots[name] for name in one.outputs),
            None if condition is None else not condition.negated,
        )

    # Values

    def _var(self, name: str) -> str:
        return f"v{self.slots[name]}"

    def bind(self, value: object) -> str:
        """Give an object a name in the function."""
        name = f"k{len(self.names)}"
        self.names[name] = value
        return name

    def value(self, operand: Operand, type: Type) -> str:
        """Return the text of an operand as an array of a type."""
        match operand:
            case Register(name, negated):
                if name not in self.types:
                    raise Fault(f"{name} is read before it is written, on every way")
                text = _seen(self._var(name), self.types[name], type, name)
                return f"~{text}" if negated else text
            case Constant():
                return self.bind(operand.of(type))
            case Special(name):
                if name not in SPECIAL:
                    raise Fault(f"%{name} is not known")
                return _seen(f"grid.special({name!r})", TYPES["u32"], type, name)
            case Name(name):
                return self.bind(self._address_of(name, type))
        raise Fault(f"{operand} where a number belongs")

    def _address_of(self, name: str, type: Type) -> np.generic:
        for table in (self.shared, self.local, self.addresses):
            if name in table:
                return Constant(table[name]).of(type)
        raise Fault(f"{name} is no variable of this kernel")

    def assign(self, operand: Operand, type: Type, text: str) -> None:
        """Write a result of a type to a register."""
        if not isinstance(operand, Register):
            raise Fault(f"{operand} where a register belongs")
        if operand.name == "_":
            self.lines.append(text)
            return
        declared = self.kernel.registers[operand.name]
        if (declared.kind == "pred") != (type.kind == "pred") or declared.nbytes < type.nbytes:
            raise Fault(f"{operand.name} is {declared.name}, too narrow for {type.name}")
        if declared.nbytes > type.nbytes:  # loads and conversions fill the rest
            text = f"{text}.astype(np.{'int' if type.kind == 's' else 'uint'}{8 * declared.nbytes})"
            type = TYPES[f"{'s' if type.kind == 's' else 'u'}{8 * declared.nbytes}"]
        self.lines.append(f"{self._var(operand.name)} = {text}")
        self.types[operand.name] = type
        self.doubles.pop(operand.name, None)

    def assign_all(self, operands: tuple[Operand, ...], type: Type, text: str) -> None:
        """Write several results, one for each register."""
        if len(operands) == 1:
            self.assign(operands[0], type, text)
            return
        self.lines.append(f"several = {text}")
        for k, operand in enumerate(operands):
            if operand != Register("_"):
                self.assign(operand, type, f"several[{k}]")

    def address(self, operand: Operand) -> str:
        """Return the text of an address as int64."""
        if not isinstance(operand, Address):
            raise Fault(f"{operand} where an address belongs")
        base = operand.base
        if isinstance(base, Register) and self.kernel.registers[base.name].nbytes == 4:
            text = f"{self.value(base, TYPES['u32'])}.astype(np.int64)"
        else:
            text = self.value(base, TYPES["s64"])
        return f"({text} + {self.bind(np.int64(operand.offset))})" if operand.offset else text

    def _roots(self, operand: Operand) -> frozenset[str]:
        base = operand.base
        if isinstance(base, Name):
            return frozenset([base.name])
        return self.roots[base.name] if isinstance(base, Register) else frozenset()

    # Instructions

    def _instruction(self, one: Instruction) -> None:
        writer = getattr(self, f"_{one.name}", None)
        try:
            if writer is not None:
                writer(one)
            else:
                self._computed(one)
        except Fault as fault:
            raise fault if str(fault).startswith("line ") else one.fault(str(fault)) from None

    def _fma(self, one: Instruction) -> None:
        if one.types != (TYPES["f32"],) or one.modifiers != ("rn",) or len(one.operands) != 4:
            self._computed(one)
            return
        target, *factors, added = one.operands
        texts = [*map(self._double, factors), self.value(added, TYPES["f32"])]
        self.assign(target, TYPES["f32"], f"{self.bind(floats.fma_of_doubles)}({', '.join(texts)})")

    def _double(self, operand: Operand) -> str:
        text = f"{self.value(operand, TYPES['f32'])}.astype(np.float64)"
        if not isinstance(operand, Register):
            return text
        if operand.name not in self.doubles:
            self.doubles[operand.name] = f"d{self.slots[operand.name]}"
            self.lines.append(f"{self.doubles[operand.name]} = {text}")
        return self.doubles[operand.name]

    def _computed(self, one: Instruction) -> None:
        sense = meaning(one)
        sources = one.operands[1:]
        if len(sources) != len(sense.operands):
            raise Fault(f"{len(sense.operands)} operands belong here")
        if "wide" in one.modifiers:  # factors are half as wide as the result
            factors = [f"{self.value(x, one.types[0])}.astype(np.{sense.result.dtype})" for x in sources[:2]]
            texts = [*factors, *(self.value(x, sense.result) for x in sources[2:])]
        else:
            texts = [self.value(x, type) for x, type in zip(sources, sense.operands, strict=True)]
        self.assign(one.operands[0], sense.result, f"{self.bind(sense.function)}({', '.join(texts)})")

    def _mov(self, one: Instruction) -> None:
        target, source = one.operands
        (type,) = one.types
        if isinstance(target, Pack):
            part = TYPES[f"b{8 * type.nbytes // len(target.parts)}"]
            self.lines.append(f"whole = {self.value(source, TYPES[f'b{8 * type.nbytes}'])}")
            for k, each in enumerate(target.parts):
                if each != Register("_"):
                    shift = self.bind(np.dtype(f"u{type.nbytes}").type(8 * part.nbytes * k))
                    self.assign(each, part, f"(whole >> {shift}).astype(np.{part.dtype})")
        elif isinstance(source, Pack):
            part, whole = TYPES[f"b{8 * type.nbytes // len(source.parts)}"], np.dtype(f"u{type.nbytes}")
            texts = [
                f"({self.value(each, part)}.astype(np.{whole}) << {self.bind(whole.type(8 * part.nbytes * k))})"
                for k, each in enumerate(source.parts)
            ]
            self.assign(target, TYPES[f"b{8 * type.nbytes}"], " | ".join(texts))
        else:
            self._computed(one)

    def _cvta(self, one: Instruction) -> None:
        (type,) = one.types
        text = self.value(one.operands[1], type)
        for space, base in (("shared", SHARED), ("local", LOCAL)):
            if space in one.modifiers:
                text = f"({text} {'-' if 'to' in one.modifiers else '+'} {self.bind(type.dtype.type(base))})"
        self.assign(one.operands[0], type, text)

    def _site(self, one: Instruction, operand: Operand) -> Site:
        spaces = [word for word in one.modifiers if word in SPACES]
        count = {"v2": 2, "v4": 4}.get(next((x for x in one.modifiers if x[0] == "v" and x[1:].isdigit()), ""), 1)
        unknown = set(one.modifiers) - SPACES.keys() - HINTS - {"v2", "v4"}
        if unknown or len(spaces) > 1 or len(one.types) != 1:
            raise Fault(f"its modifiers are not known: {', '.join(sorted(unknown)) or one.modifiers}")
        space = SPACES[spaces[0]] if spaces else ""
        site = Site(len(self.sites), one, space, one.types[0], count, self._roots(operand))
        self.sites.append(site)
        return site

    def _ld(self, one: Instruction) -> None:
        target, source = one.operands
        (type,) = one.types
        if "param" in one.modifiers:
            if not isinstance(source.base, Name) or source.base.name not in self.kernel.params or source.offset:
                raise Fault("no such parameter")
            if self.kernel.params[source.base.name].nbytes != type.nbytes:
                raise Fault(f"the parameter has {self.kernel.params[source.base.name].nbytes} bytes")
            self.assign(target, type, f"grid.arguments[{source.base.name!r}].view(np.{type.dtype})")
            return
        site = self._site(one, source)
        targets = target.parts if isinstance(target, Pack) else (target,)
        if len(targets) != site.count:
            raise Fault(f"{site.count} registers belong here")
        raw = TYPES[f"b{8 * type.nbytes}"]
        text = f"{self.bind(site.load)}(grid, {self.address(source)})"
        if site.count == 1 and type.kind == "s":
            self.assign(target, type, f"{text}.view(np.{type.dtype})")
        elif type.kind == "s":
            self.assign_all(targets, type, f"[part.view(np.{type.dtype}) for part in {text}]")
        else:
            self.assign_all(targets, raw, text)

    def _st(self, one: Instruction) -> None:
        target, source = one.operands
        site = self._site(one, target)
        sources = source.parts if isinstance(source, Pack) else (source,)
        if len(sources) != site.count:
            raise Fault(f"{site.count} registers belong here")
        raw = TYPES[f"b{8 * one.types[0].nbytes}"]
        values = ", ".join(self.value(x, raw) for x in sources)
        self.lines.append(f"{self.bind(site.store)}(grid, {self.address(target)}, {values})")

    def _bar(self, one: Instruction) -> None:
        word = ".".join((one.name, *one.modifiers))
        if word == "bar.warp.sync":
            flow.check_mask(one)
            self.lines.append("grid.meet()")
            return
        if word not in WAITS or one.operands != (Constant(0),):
            raise Fault("barriers are known of all threads of a block, by the number 0")

    _barrier = _bar

    def _trap(self, one: Instruction) -> None:
        self.lines.append(f"raise {self.bind(one.fault('the kernel traps'))}")

    # Warps

    def _shfl(self, one: Instruction) -> None:
        mode = one.modifiers[-1]
        if one.modifiers != ("sync", mode) or mode not in warps.SHUFFLES or one.types[0].name != "b32":
            raise Fault("its modifiers are not known")
        flow.check_mask(one)
        target, value, *rest, _ = one.operands
        texts = ", ".join([self.value(value, TYPES["b32"]), *(self.value(x, TYPES["u32"]) for x in rest)])
        targets = target.parts if isinstance(target, Pack) else (target, Register("_"))
        self.lines.append(f"several = {self.bind(warps.shuffle)}(grid, {mode!r}, {texts})")
        for k, (each, type) in enumerate(zip(targets, (TYPES["b32"], TYPES["pred"]), strict=True)):
            if each != Register("_"):
                self.assign(each, type, f"several[{k}]")

    def _ldmatrix(self, one: Instruction) -> None:
        words = set(one.modifiers)
        count = next((int(x[1:]) for x in one.modifiers if x in ("x1", "x2", "x4")), 0)
        if not {"sync", "aligned", "m8n8"} <= words or not count or one.types[0].name != "b16":
            raise Fault("its modifiers are not known")
        site = Site(len(self.sites), one, "shared", Type("b128", np.dtype("u4")), 4, self._roots(one.operands[1]))
        self.sites.append(site)
        targets = one.operands[0].parts if isinstance(one.operands[0], Pack) else one.operands[:1]
        call = f"{self.bind(warps.matrices)}(grid, {self.bind(site)}, {self.address(one.operands[1])}, {count}, {'trans' in words})"
        self.lines.append(f"several = {call}")
        for k, each in enumerate(targets):
            self.assign(each, TYPES["b32"], f"several[{k}]")

    def _mma(self, one: Instruction) -> None:
        product = warps.product_of(one)
        parts = [x.parts if isinstance(x, Pack) else (x,) for x in one.operands]
        sources = [[self.value(x, TYPES["b32"]) for x in part] for part in parts[1:]]
        texts = ", ".join(f"[{', '.join(part)}]" for part in sources)
        self.lines.append(f"several = {self.bind(product)}(grid, {texts})")
        for k, each in enumerate(parts[0]):
            self.assign(each, TYPES["b32"], f"several[{k}]")

    def _cp(self, one: Instruction) -> None:
        if one.modifiers[0] != "async":
            raise Fault("of copies only cp.async is known")
        match one.modifiers[1]:
            case "commit_group":
                self.lines.append(f"{self.bind(copies.commit)}(grid)")
            case "wait_group":
                self.lines.append(f"{self.bind(copies.wait)}(grid, {one.operands[0].value})")
            case "wait_all":
                self.lines.append(f"{self.bind(copies.wait)}(grid, 0, also_open=True)")
            case _:
                self._copy(one)

    def _copy(self, one: Instruction) -> None:
        target, source, size, *rest = one.operands
        if not {"shared", "global"} <= {x.removesuffix("::cta") for x in one.modifiers}:
            raise Fault("cp.async goes from global to shared memory")
        if size.value not in (4, 8, 16) or ("cg" in one.modifiers and size.value != 16):
            raise Fault("cp.async copies 4, 8 or 16 bytes; .cg 16")
        type = Type(f"b{8 * size.value}", np.dtype("u4"))
        sites = [
            Site(len(self.sites) + k, one, space, type, size.value // 4, self._roots(operand))
            for k, (space, operand) in enumerate((("shared", target), ("global", source)))
        ]
        sites[0].writes = True
        self.sites += sites
        count = self.value(rest[0], TYPES["u32"]) if rest else self.bind(np.uint32(size.value))
        addresses = f"{self.address(target)}, {self.address(source)}"
        self.lines.append(f"{self.bind(copies.Copy(*sites))}(grid, {addresses}, {count})")


def _seen(text: str, has: Type, wanted: Type, name: str) -> str:
    """Return the text of an array as one of another type: the same bits, or the lower ones."""
    if (has.kind == "pred") != (wanted.kind == "pred"):
        raise Fault(f"{name} is {has.name}, not {wanted.name}")
    width, needed = has.nbytes, wanted.nbytes
    if width < needed:
        raise Fault(f"{name} is {has.name}, narrower than {wanted.name}")
    if width > needed:
        whole = text if has.kind in ("u", "b") else f"{text}.view(np.uint{8 * width})"
        text, has = f"{whole}.astype(np.uint{8 * needed})", TYPES[f"u{8 * needed}"]
    return text if has.dtype == wanted.dtype else f"{text}.view(np.{wanted.dtype})"


def program(kernel: Kernel, addresses: dict[str, int]) -> Program:
    """Compile a kernel; variables of its module are at these addresses of global memory."""
    return Writer(kernel, addresses).program()
