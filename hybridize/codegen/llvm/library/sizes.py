# SPDX-License-Identifier: Apache-2.0
"""Choose the program for a call by the sizes of its inputs, and compute the sizes of its outputs.

    i32 fits.V(ptr input_sizes)                 0, or the code of the first size that is wrong for variant V
    i32 which(ptr input_sizes, ptr number)      0 and the number of the first variant that is for these sizes
    i32 NAME_sizes(ptr input_sizes, ptr output_sizes)

These are the same whatever the processor.
"""

from __future__ import annotations

from hybridize.base.dims import FAR, is_symbolic
from hybridize.codegen.llvm.library import codes
from hybridize.codegen.llvm.library.model import LibraryModel, LibraryVariant
from hybridize.codegen.llvm.library.writer import Writer
from hybridize.codegen.llvm.text import Module
from hybridize.runtime.plan import FRAME, PREPARE
from hybridize.runtime.sizes import symbol_of

LARGE: int = 1 << 47
"""No size is larger: there are no more addresses. It keeps sums of products from wrapping around."""


def bindings(variant: LibraryVariant) -> dict[int, int]:
    """Return, for each size symbol, the first position among all inputs' sizes at which it stands alone."""
    positions: dict[int, int] = {}
    position = 0
    for type_ in variant.inputs:
        for size in type_.shape:
            symbol = symbol_of(size)
            if symbol is not None:
                positions.setdefault(symbol.number, position)
            position += 1
    return positions


def chosen(model: LibraryModel) -> bool:
    """Tell whether calls choose sizes."""
    return len(model.variants) > 1 or model.variants[0].scope is not None


def renamed(name: str, variant: int, level: int) -> str:
    """Return the name of a version's function in the module of all versions."""
    return f"{name}.v{variant}.l{level}"


def emit_sizes(module: Module, model: LibraryModel) -> None:
    """Write the functions."""
    for number, variant in enumerate(model.variants):
        _emit_fits(module, model, number, variant)
    if chosen(model):
        _emit_which(module, model)
    _emit_public(module, model)


def _emit_fits(module: Module, model: LibraryModel, number: int, variant: LibraryVariant) -> None:
    f = Writer(module, f"fits.{number}", [("ptr", "sizes")])
    bound = bindings(variant)
    f.bind(bound)
    flat = [(array, axis, size) for array, type_ in enumerate(variant.inputs) for axis, size in enumerate(type_.shape)]
    # What never changes first: where several programs are for some size, its code names an axis that is wrong for all.
    # Ranges next: what is computed of the sizes then stays within 64 bits.
    for position, (array, axis, size) in enumerate(flat):
        if not is_symbolic(size):
            value = f.load(f.element("%sizes", position))
            f.fail(f.test("ne", value, f.size(size)), codes.code(codes.SIZE, array + 1, axis))
    for position, (array, axis, size) in enumerate(flat):
        symbol = symbol_of(size)
        if symbol is not None and bound[symbol.number] == position:
            value = f.symbol(symbol)
            wrong = f.test("slt", value, symbol.low)
            over = f.test("sgt", value, symbol.high if symbol.high < FAR else LARGE)
            f.fail(f.op(f"or i1 {wrong}, {over}"), codes.code(codes.SIZE, array + 1, axis))
    for position, (array, axis, size) in enumerate(flat):
        symbol = symbol_of(size)
        if is_symbolic(size) and (symbol is None or bound[symbol.number] != position):
            value = f.load(f.element("%sizes", position))
            wrong = f.test("ne", value, f.size(size))
            f.fail(wrong, codes.code(codes.SIZE, array + 1, axis))
    f.finish()


def variant_of_call(f: Writer, model: LibraryModel) -> str:
    """The number of the variant for %sizes; "" where there is but one, of known sizes. Other sizes end the function."""
    if not chosen(model):
        with f.when(f.op("icmp ne ptr %sizes, null")):
            f.return_failure(f.op("call i32 @fits.0(ptr %sizes)"))
        return ""
    if any(one.type.ndim for one in model.inputs):
        f.fail(f.is_null("%sizes"), codes.code(codes.NULL, 0, 4))
    cell = f.alloca("i64", 1, 8)
    f.return_failure(f.op(f"call i32 @which(ptr %sizes, ptr {cell})"))
    return f.load(cell)


def _emit_which(module: Module, model: LibraryModel) -> None:
    f = Writer(module, "which", [("ptr", "sizes"), ("ptr", "number")])
    last = len(model.variants) - 1
    for number, variant in enumerate(model.variants):
        f.store(str(number), "%number")
        answer = f.op(f"call i32 @fits.{number}(ptr %sizes)")
        if number == last:
            break
        right, other = f.fresh("right"), f.fresh("other")
        f.branch(f.test("eq", answer, 0, "i32"), right, other, begin=right)
        if variant.scope is not None:
            holds, _ = emit_frame(f, model, number, variant, renamed(PREPARE, number, len(model.levels) - 1))
            good = f.fresh("good")
            f.branch(holds, good, other, begin=good)
        f.do("ret i32 0")
        f.begin_block(other)
    f.finish(answer)


def emit_frame(
    f: Writer, model: LibraryModel, number: int, variant: LibraryVariant, prepare: str
) -> tuple[str, tuple[str, str]]:
    """Ask `prepare` about the sizes at %sizes; returns whether the program holds, and what is known: values, frame."""
    scope = variant.scope
    assert scope is not None
    values = f.alloca("i64", max(1, len(scope.symbols)), 8)
    outputs = variant.versions[0].built.plan.outputs
    frame = f.alloca("i64", len(FRAME) + sum(1 + len(value.shape) for value in outputs), 8)
    bound = bindings(variant)
    for symbol in scope.symbols:
        # One that stands nowhere alone has been settled while capturing; nothing is computed of it.
        value = f.load(f.element("%sizes", bound[symbol.number])) if symbol.number in bound else symbol.hint
        f.store(str(value), f.element(values, symbol.number))
    holds = f.op(f"call i64 @{prepare}(ptr {values}, ptr {frame})")
    return f.test("ne", holds, 0), (values, frame)


def frame_offsets(variant: LibraryVariant) -> list[int]:
    """Return the position in the frame at which the sizes of each output begin."""
    offsets, offset = [], len(FRAME)
    for type_ in variant.outputs:
        offsets.append(offset + 1)
        offset += 1 + type_.ndim
    return offsets


def _emit_public(module: Module, model: LibraryModel) -> None:
    f = Writer(module, f"{model.name}_sizes", [("ptr", "sizes"), ("ptr", "found")], linkage="")
    some = any(one.type.ndim for one in model.outputs)
    if some:
        f.fail(f.is_null("%found"), codes.code(codes.NULL, 0, 5))
    number = variant_of_call(f, model)
    labels = [f.fresh("variant") for _ in model.variants]
    if number:
        cases = " ".join(f"i64 {k}, label %{label}" for k, label in enumerate(labels[:-1]))
        f.do(f"switch i64 {number}, label %{labels[-1]} [ {cases} ]")
    else:
        f.jump(labels[0])
    end = f.fresh("end")
    for k, variant in enumerate(model.variants):
        f.begin_block(labels[k])
        sizes: list[str] = []
        if variant.scope is None:
            sizes = [str(size) for type_ in variant.outputs for size in type_.shape]
        else:
            holds, (_, frame) = emit_frame(f, model, k, variant, renamed(PREPARE, k, len(model.levels) - 1))
            f.fail(f.op(f"xor i1 {holds}, true"), codes.code(codes.SIZE))
            for position, type_ in zip(frame_offsets(variant), variant.outputs, strict=True):
                sizes += [f.load(f.element(frame, position + axis)) for axis in range(type_.ndim)]
        for position, size in enumerate(sizes):
            f.store(size, f.element("%found", position))
        f.jump(end)
    f.begin_block(end)
    f.finish()
