# SPDX-License-Identifier: Apache-2.0
"""The call of one program, and `NAME_run`, which finds the program.

    i32 call(ptr model, ptr inputs, ptr sizes, ptr outputs, ptr output_sizes)        in the module of each version
    i32 NAME_run(the same)

`call` is written beside the program, as it knows where the constants are that its processor's code reads. The sizes of
the inputs have been looked at before. What a call computes goes to the caller's arrays and to scratch of its own;
states are written where they lie, as far as that is proven (`Plan.updates`), or copied when all is done. A call which
fails has changed none: a program that asserts computes the old values then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hybridize.base.dims import bounds, is_symbolic
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.library import codes
from hybridize.codegen.llvm.library.layout import LINE, MODEL, Layout, aligned, scratch_offsets
from hybridize.codegen.llvm.library.model import LibraryModel, LibraryVariant, Version
from hybridize.codegen.llvm.library.sizes import emit_frame, frame_offsets, variant_of_call
from hybridize.codegen.llvm.library.writer import Writer
from hybridize.codegen.llvm.text import Module
from hybridize.runtime.plan import PREPARE

CALL = "call"
STACK_BYTES = 16 << 10
"""Scratch of at most so many bytes lies on the stack."""
_PARAMS = [("ptr", name) for name in ("model", "inputs", "sizes", "outputs", "output_sizes")]


def emit_call(model: LibraryModel, layout: Layout, number: int, level: int) -> None:
    """Write `call` into the module of a version."""
    _Call(model, layout, number, level).write()


class _Call:
    def __init__(self, model: LibraryModel, layout: Layout, number: int, level: int) -> None:
        self.model, self.layout, self.number, self.level = model, layout, number, level
        self.variant: LibraryVariant = model.variants[number]
        self.version = self.variant.versions[level]
        self.plan = self.version.built.plan
        self.f = Writer(self.version.built.module, CALL, _PARAMS)
        self.frame = ""
        self.values = ""

    def write(self) -> None:
        """The whole function."""
        f, variant = self.f, self.variant
        if variant.scope is not None:
            holds, (self.values, self.frame) = emit_frame(f, self.model, self.number, variant, PREPARE)
            f.fail(f.op(f"xor i1 {holds}, true"), codes.code(codes.SIZE))
        self.check_sizes()
        inputs = self.read_inputs()
        outputs = self.read_outputs()
        apart = _states_apart(variant, self.version)
        offsets, extra = _state_offsets(self.model, variant, self.version)
        scratch, own, has_block = self.take_scratch(extra)
        if self.model.states and variant.states:
            f.do(f"call void @lock(ptr {f.at('%model', MODEL['lock'])})")
        new = {k: f.at(scratch, offset) for k, offset in zip(apart, offsets, strict=True)}
        first = len(variant.outputs)
        for k, state in enumerate(variant.new_states):
            pointer = new[k] if k in new else f.at("%model", self.layout.states[state])
            f.store(pointer, f.element(outputs, first + k, "ptr"), type="ptr")
        failed = ""
        if variant.asserts:
            failed = f.alloca("i32", 1, 4)
            f.store(failed, f.element(outputs, first + len(variant.new_states), "ptr"), type="ptr")
        f.do(f"call void @program(ptr {inputs}, ptr {outputs}, ptr {f.at(scratch, extra)})")
        self.end(new, failed, scratch, own, has_block)

    def check_sizes(self) -> None:
        """The sizes of the outputs as the caller has them are those that there will be."""
        f = self.f
        flat = [(array, axis) for array, type_ in enumerate(self.variant.outputs) for axis in range(type_.ndim)]
        if not flat:
            return
        offsets = frame_offsets(self.variant)
        first = len(self.variant.inputs) + 1
        with f.when(f.op("icmp ne ptr %output_sizes, null")):
            for position, (array, axis) in enumerate(flat):
                size: int | str = self.variant.outputs[array].shape[axis]
                if self.frame:
                    size = f.load(f.element(self.frame, offsets[array] + axis))
                value = f.load(f.element("%output_sizes", position))
                f.fail(f.test("ne", value, size), codes.code(codes.SIZE, first + array, axis))

    def pointer(self, array: str, position: int, number: int, type_: TensorType) -> str:
        """A pointer of the caller's, looked at; `number` is the array's in codes."""
        f = self.f
        address = f.load(f.element(array, position, "ptr"), type="ptr")
        some = self.some(number, type_)
        if some != "false":
            null = f.is_null(address)
            f.fail(null if some == "true" else f.op(f"and i1 {null}, {some}"), codes.code(codes.NULL, number))
        itemsize = type_.dtype.itemsize
        if itemsize > 1:
            low = f.op(f"and i64 {f.op(f'ptrtoint ptr {address} to i64')}, {itemsize - 1}")
            f.fail(f.test("ne", low, 0), codes.code(codes.UNALIGNED, number))
        return address

    def some(self, number: int, type_: TensorType) -> str:
        """Tell whether an array has elements: true, false or a register."""
        if not is_symbolic(type_.size):
            return "true" if type_.size else "false"
        if all(bounds(size)[0] > 0 for size in type_.shape):
            return "true"
        f = self.f
        first = sum(one.ndim for one in self.variant.inputs[: number - 1])
        base = "%sizes"
        if number > len(self.variant.inputs):
            base, first = self.frame, frame_offsets(self.variant)[number - 1 - len(self.variant.inputs)]
        nonempty = "true"
        for axis in range(type_.ndim):
            nonempty = f.op(f"and i1 {nonempty}, {f.test('ne', f.load(f.element(base, first + axis)), 0)}")
        return nonempty

    def read_inputs(self) -> str:
        """The program's array of inputs: arguments, states, constants, sizes."""
        f, variant = self.f, self.variant
        pointers = [self.pointer("%inputs", k, k + 1, type_) for k, type_ in enumerate(variant.inputs)]
        pointers += [f.at("%model", self.layout.states[state]) for state in variant.states]
        derivations = {one.slot: one for one in self.plan.derivations}
        weights = f.load("%model", MODEL["weights"], "ptr") if any(array >= 0 for array in self.version.arrays) else ""
        for slot, array in enumerate(self.version.arrays):
            if slot in derivations:
                place = self.layout.place(self.level, self.version, derivations[slot])
                pointers.append(f.at("%model", place))
            elif slot in self.plan.teams:
                pointers.append(f.at("%model", MODEL["parallel"]))
            else:
                pointers.append(f.at(weights, self.model.offsets[array]))
        if variant.scope is not None:
            pointers.append(self.values)
        table = self.f.alloca("ptr", max(1, len(pointers)), 8)
        for position, pointer in enumerate(pointers):
            f.store(pointer, f.element(table, position, "ptr"), type="ptr")
        return table

    def read_outputs(self) -> str:
        """The program's array of outputs, with room for new states and what failed."""
        variant = self.variant
        first = len(variant.inputs) + 1
        pointers = [self.pointer("%outputs", k, first + k, type_) for k, type_ in enumerate(variant.outputs)]
        count = len(pointers) + len(variant.new_states) + variant.asserts
        table = self.f.alloca("ptr", max(1, count), 8)
        for position, pointer in enumerate(pointers):
            self.f.store(pointer, self.f.element(table, position, "ptr"), type="ptr")
        return table

    def take_scratch(self, extra: int) -> tuple[str, str, bool]:
        """Memory of the call: after `extra` bytes the program's; the block it is in, and whether there may be one."""
        f = self.f
        nbytes = self.plan.scratch_bytes
        if isinstance(nbytes, int):
            total = aligned(extra + nbytes)
            if total <= STACK_BYTES:
                return f.alloca("i8", max(1, total), LINE), "", False
            own = f.op(f"call ptr @take(ptr %model, i64 {total})")
            f.fail(f.is_null(own), codes.code(codes.MEMORY))
            return f.at(own, LINE), own, True
        stack = f.alloca("i8", STACK_BYTES, LINE)
        total_ = f.op(f"add i64 {f.load(self.frame)}, {extra}")
        more, ready, start = f.fresh("more"), f.fresh("ready"), f.label
        f.branch(f.test("sgt", total_, STACK_BYTES), more, ready, begin=more)
        own = f.op(f"call ptr @take(ptr %model, i64 {total_})")
        f.fail(f.is_null(own), codes.code(codes.MEMORY))
        inner, end = f.at(own, LINE), f.label
        f.enter(ready)
        scratch = f.op(f"phi ptr [ {stack}, %{start} ], [ {inner}, %{end} ]")
        return scratch, f.op(f"phi ptr [ null, %{start} ], [ {own}, %{end} ]"), True

    def end(self, new: Mapping[int, str], failed: str, scratch: str, own: str, has_block: bool) -> None:
        """Keep new states, unless an assertion failed; give everything back."""
        f, variant = self.f, self.variant
        number = f.load(failed, 0, "i32") if failed else ""
        if new:
            good = f.test("eq", number, 0, "i32") if failed else "true"
            with f.when(good):
                for k, pointer in new.items():
                    state = variant.new_states[k]
                    f.copy(f.at("%model", self.layout.states[state]), pointer, self.model.states[state][1])
        if self.model.states and variant.states:
            f.do(f"store atomic i32 0, ptr {f.at('%model', MODEL['lock'])} release, align 4")
        if has_block:
            f.do(f"call void @give(ptr %model, ptr {own})")
        if not failed:
            f.finish()
            return
        shifted = f.op(f"shl i32 {f.op(f'sub i32 {number}, 1')}, 8")
        some = f.op(f"or i32 {shifted}, {codes.ASSERTION}")
        none = f.test("eq", number, 0, "i32")
        f.finish(f.op(f"select i1 {none}, i32 0, i32 {some}"))


def _states_apart(variant: LibraryVariant, version: Version) -> list[int]:
    """List the new states, by their numbers, that a call computes in its scratch; it writes the others in place."""
    written = {output for output, _ in version.built.plan.updates}
    return [k for k in range(len(variant.new_states)) if len(variant.outputs) + k not in written]


def _state_offsets(model: LibraryModel, variant: LibraryVariant, version: Version) -> tuple[list[int], int]:
    """The places of those in the scratch of a call, and where they end."""
    apart = _states_apart(variant, version)
    return scratch_offsets(0, [model.states[variant.new_states[k]][1] for k in apart])


def block_bytes(model: LibraryModel) -> Iterator[int]:
    """Yield for each version the bytes of the block that a call takes; 0: its scratch is on the stack, or depends on
    sizes.
    """
    for variant in model.variants:
        for version in variant.versions:
            extra = _state_offsets(model, variant, version)[1]
            nbytes = version.built.plan.scratch_bytes
            total = aligned(extra + nbytes) if isinstance(nbytes, int) else 0
            yield total if total > STACK_BYTES else 0


def emit_run(module: Module, model: LibraryModel) -> None:
    """Write `NAME_run`."""
    f = Writer(module, f"{model.name}_run", _PARAMS, linkage="")
    for case, (name, needed) in enumerate(
        (("model", True), ("inputs", bool(model.inputs)), ("outputs", bool(model.outputs))), start=1
    ):
        if needed:
            f.fail(f.is_null(f"%{name}"), codes.code(codes.NULL, 0, case))
    calls = f.at("%model", MODEL["calls"])
    number = variant_of_call(f, model)
    callee = f.load(f.element(calls, number) if number else calls, type="ptr")
    arguments = ", ".join(f"{type} %{name}" for type, name in _PARAMS)
    f.finish(f.op(f"call i32 {callee}({arguments})"))
