"""The parts of a library's IR: modules put together, codes, the memory of a model."""

import ctypes
import re

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, runnable
from hybridize.codegen.llvm.library import codes
from hybridize.codegen.llvm.library.emit import emit_library
from hybridize.codegen.llvm.library.layout import WORD, Layout, aligned
from hybridize.codegen.llvm.library.merged import MergedModule, merged
from hybridize.codegen.llvm.library.model import LibraryModel, LibraryTensor, LibraryVariant, Version
from hybridize.codegen.llvm.library.processor import PROCESSOR, emit_processor
from hybridize.codegen.llvm.library.weights_file import CHECKSUM, checksum, emit_weights_file
from hybridize.codegen.llvm.program import build
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE

LEVELS = tuple(named_target(name) for name in ("avx512", "avx2", "baseline"))
F4 = numpy.dtype("f4")


def returning(module, name, value, linkage="internal", calls=()):
    f = Function(module, name, [], returns="i64", linkage=linkage)
    for callee in calls:
        f.do(f"call i64 @{callee}()")
    f.do(f"ret i64 {value}")


def test_modules_are_put_together():
    face, parts = Module(), []
    returning(face, "helper", 1)
    for number, target in enumerate(LEVELS):
        module = Module()
        module.constant("table", "[2 x i64]", "[ i64 1, i64 2 ]")
        f = Function(module, "same", [], returns="i64")
        f.do(f"ret i64 {f.op('load i64, ptr @table')}")
        returning(module, "unused", 3)
        returning(module, "program", number, "", ["same", "helper"])
        parts.append(MergedModule(module, f".l{number}", target))
    returning(face, "public", 7, "", [f"program.l{number}" for number in range(3)])
    text = merged(face, parts, LEVELS[-1], hidden="internal", exported="")
    assert "unused" not in text
    assert text.count("= private unnamed_addr constant") == 1  # equal tables are one
    for number in range(3):
        assert f"call i64 @same.l{number}()" in text and "call i64 @helper()" in text
    assert [line for line in text.splitlines() if line.startswith("define i64")] == [
        "define i64 @public() nounwind #0 {"
    ]
    for cpu in ("x86-64-v4", "x86-64-v3", '"x86-64"'):
        assert cpu in text
    if "x86_64" in LEVELS[0].triple and "baseline" in runnable():
        loaded = compile_module(text.replace("x86-64-v4", "x86-64").replace("x86-64-v3", "x86-64"), LEVELS[-1])
        assert ctypes.CFUNCTYPE(ctypes.c_int64)(loaded.address("public"))() == 7
        assert loaded.names == ("public",)


def of(graph, slots=1, **changes):
    """A model of one program."""
    built = [build(PIPELINE.run(graph), target, slots=slots) for target in LEVELS]
    inputs = tuple(LibraryTensor(f"x{k}", value.type) for k, value in enumerate(graph.inputs))
    outputs = tuple(LibraryTensor(f"y{k}", value.type) for k, value in enumerate(graph.outputs))
    # Sources follow the constants in the weights.
    versions = tuple(
        Version(
            one,
            tuple(range(len(one.constants))),
            tuple(range(len(one.constants), len(one.constants) + len(one.sources))),
        )
        for one in built
    )
    variant = LibraryVariant(
        tuple(one.type for one in inputs), tuple(one.type for one in outputs), (), (), False, graph.scope, versions
    )
    fields = {
        "name": "f",
        "inputs": inputs,
        "outputs": outputs,
        "variants": (variant,),
        "levels": LEVELS,
        "system": "linux",
        "offsets": (),
        "nbytes": 0,
        "states": (),
        "random": -1,
        "slots": slots,
        "assertions": (),
        "json": "",
        "version": "1",
    }
    return LibraryModel(**{**fields, **changes})


def test_codes_have_texts():
    scope = SizeScope()
    n = scope.symbol(9, high=64)
    scope.capturing = False
    graph = ops.make_graph(
        lambda x, y: [ops.concat(x, x, axis=0), ops.sum(y, (0,))], [TensorType((n, 3), F4), TensorType((n,), F4)]
    )
    found = codes.texts(of(graph, assertions=("one", "two")))
    assert found[codes.code(codes.SIZE, 1, 0)] == "input 0 `x0`: axis 0 must be from 2 to 64"
    assert found[codes.code(codes.SIZE, 1, 1)] == "input 0 `x0`: axis 1 must be 3"
    assert found[codes.code(codes.SIZE, 2, 0)] == "input 1 `x1`: axis 0 must be the same n0"
    assert found[codes.code(codes.SIZE, 3, 0)] == "output 0 `y0`: axis 0 must be 2*n0"
    assert found[codes.code(codes.ASSERTION, 1)].endswith("two")
    assert codes.code(codes.SIZE, 4, 0) not in found  # it has no axes
    assert len(set(found.values())) == len(found)
    assert [codes.size_range(of(graph), number, 0) for number in range(3)] == [(2, 64), (2, 64), (4, 128)]


@pytest.mark.parametrize("marker", [b"", bytes(range(64))])
def test_every_code_that_is_returned_has_a_text(marker):
    scope = SizeScope()
    n = scope.symbol(9)
    scope.capturing = False
    program = ops.make_graph(
        lambda x, y: [ops.concat(x, x, axis=0), ops.sum(y, (0,))], [TensorType((n, 3), F4), TensorType((n,), F4)]
    )
    model = of(program, marker=marker, assertions=("one",))
    text = emit_library(model)
    returned = {int(code) for code in re.findall(r"ret i32 (\d+)", text)}
    returned |= {int(code) for line in re.findall(r"phi i32 (.*)", text) for code in re.findall(r"\[ (\d+),", line)}
    known = codes.texts(model)
    assert len(returned) > 20 and returned <= known.keys()


def test_checksums_are_the_same_in_python_and_in_the_library():
    content = numpy.random.default_rng(0).integers(0, 256, 8 * 777, dtype=numpy.uint8)
    graph = ops.make_graph(lambda x: [ops.neg(x)], [TensorType((3,), F4)])
    module = Module()
    emit_weights_file(module, of(graph, nbytes=len(content)))
    (text,) = (f.text() for f in module.functions.values() if f.name == CHECKSUM)
    declared = "\n".join(line for line in module.declarations.values() if "fshl" in line)
    loaded = compile_module(f"{declared}\n{text.replace('define internal', 'define')}\n", named_target(runnable()[-1]))
    function = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(loaded.address(CHECKSUM))
    assert function(content.ctypes.data) == checksum(content)
    turned = content.reshape(-1, 8)[::-1].reshape(-1).copy()
    assert checksum(turned) != checksum(content)
    for first, second in ((0, 1), (5, 700)):  # the same bit of two words
        for bit in (0, 63):
            changed = content.copy().view(numpy.uint64)
            changed[[first, second]] ^= numpy.uint64(1 << bit)
            assert checksum(changed.view(numpy.uint8)) != checksum(content)


@pytest.mark.skipif("baseline" not in runnable(), reason="it asks a processor of x86-64")
def test_the_processor_says_what_it_is():
    graph = ops.make_graph(lambda x: [ops.neg(x)], [TensorType((3,), F4)])
    module = Module()
    emit_processor(module, of(graph))
    text = module.text().replace("define internal", "define")
    loaded = compile_module(text, named_target("baseline"))
    found = ctypes.CFUNCTYPE(ctypes.c_int64)(loaded.address(PROCESSOR))()
    assert LEVELS[found].name == runnable()[0]


def test_equal_copies_are_made_once():
    w = numpy.ones((256, 256), "f4")
    graph = ops.make_graph(
        lambda x: [ops.matmul(x, ops.constant(w), False, True), ops.matmul(ops.neg(x), ops.constant(w), False, True)],
        [TensorType((64, 256), F4)],
    )
    model = of(graph)
    shared = tuple(
        Version(version.built, (0,) * len(version.arrays), (0,) * len(version.sources))
        for version in model.variants[0].versions
    )
    variant = model.variants[0]
    alike = LibraryVariant(variant.inputs, variant.outputs, (), (), False, None, shared)
    layout = Layout(of(graph, variants=(alike, alike)))
    assert len(model.variants[0].versions[0].built.plan.derivations) >= 1
    assert len(layout.derived[0]) == 1 and all(len(derived) <= 1 for derived in layout.derived)
    assert layout.head == aligned(WORD["calls"] + 16)
    for derived, nbytes in zip(layout.derived, layout.nbytes, strict=True):
        assert nbytes >= layout.head + len(derived) * w.nbytes
