"""The parts of a library's IR: modules put together, codes, the memory of a model."""

import ctypes
import re

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.types import TensorType
from hybridize.codegen import runtimes
from hybridize.codegen.llvm.engine import compile_module, runnable
from hybridize.codegen.llvm.library import codes
from hybridize.codegen.llvm.library.emit import emit_library
from hybridize.codegen.llvm.library.layout import MODEL, Layout, aligned
from hybridize.codegen.llvm.library.merged import MergedModule, merged
from hybridize.codegen.llvm.library.model import LibraryModel, LibraryTensor, LibraryVariant, Version
from hybridize.codegen.llvm.library.runtime import emit_runtime
from hybridize.codegen.llvm.library.weights_file import checksum
from hybridize.codegen.llvm.program import build
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE

LEVELS = tuple(named_target(name) for name in ("avx512", "avx2", "baseline"))
F4 = numpy.dtype("f4")


def returning(module, name, value, linkage="internal", calls=(), parameters=()):
    f = Function(module, name, parameters, returns="i64", linkage=linkage)
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


def test_checksums_are_the_same_in_python_and_in_the_library(tmp_path):
    content = numpy.random.default_rng(0).integers(0, 256, 8 * 777, dtype=numpy.uint8)
    text = runtimes.text("weights_mapped", weights_bytes=content.size, weights_checksum=checksum(content), open_flags=0)
    loaded = compile_module(text, named_target(runnable()[-1]))
    attach = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)(loaded.address("attach_weights"))
    detach = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(loaded.address("detach_weights"))
    words = numpy.zeros(16, numpy.int64)
    path = tmp_path / "weights"
    path.write_bytes(content.tobytes())
    assert attach(words.ctypes.data, bytes(path)) == 0
    (mapped,) = {words[MODEL[name] // 8] for name in ("weights", "mapped")}
    assert ctypes.string_at(int(mapped), content.size) == content.tobytes()
    detach(words.ctypes.data)
    for byte in (0, 7, 4000, content.size - 1):
        path.write_bytes(bytes(one ^ (place == byte) for place, one in enumerate(content)))
        assert attach(words.ctypes.data, bytes(path)) == codes.code(codes.FILE, 0, 3)
    path.write_bytes(content.tobytes()[:-8])
    assert attach(words.ctypes.data, bytes(path)) == codes.code(codes.FILE, 0, 2)


def test_checksums_tell_contents_apart():
    content = numpy.random.default_rng(0).integers(0, 256, 8 * 777, dtype=numpy.uint8)
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
    model = of(graph, marker=bytes(64))
    module = Module()
    emit_runtime(module, model, Layout(model))
    module.globals["weights"] = "@weights = private constant i64 0"
    module.globals["__ehdr_start"] = (
        "@__ehdr_start = private constant [64 x i8] zeroinitializer"  # no linker defines it
    )
    for number in range(len(LEVELS)):
        del module.functions[f"setup.{number}"]
        returning(module, f"setup.{number}", 1000 + number, parameters=[("ptr", "model"), ("ptr", "weights")])
    loaded = compile_module(module.text(), named_target("baseline"))
    create = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(loaded.address("f_create"))
    place, best = ctypes.c_void_p(), len(LEVELS) - len(runnable())
    assert create(ctypes.addressof(place), None) == 1000 + best
    for number, target in enumerate(LEVELS):
        options = (ctypes.c_char_p * 5)(None, target.name.encode())
        assert create(ctypes.addressof(place), ctypes.addressof(options)) == 1000 + max(best, number)
    for name in (b"", b"avx", b"avx5123", b"baselin"):
        options = (ctypes.c_char_p * 5)(None, name)
        assert create(ctypes.addressof(place), ctypes.addressof(options)) == codes.code(codes.OPTION, 0, 0)
    assert place.value is None


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
    assert layout.head == aligned(MODEL["calls"] + 16)
    for derived, nbytes in zip(layout.derived, layout.nbytes, strict=True):
        assert nbytes >= layout.head + len(derived) * w.nbytes
