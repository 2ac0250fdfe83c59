"""Modules taken apart: levels of their functions, texts for LLVM, outlines that are equal where code is."""

import ctypes
import re

import numpy as np
import pytest

from hybridize import compiler, ops
from hybridize.base.dtypes import float32, float64, int64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_program, host_target
from hybridize.codegen.llvm.parts import Parts
from hybridize.codegen.llvm.program import build
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module
from hybridize.machine.target import named_target
from hybridize.ops import make_graph
from hybridize.passes import PIPELINE
from hybridize.runtime.image import Loaded
from hybridize.schedule import thresholds
from tests.codegen.test_text import module


def f32(*shape):
    return TensorType(shape, np.dtype("f4"))


def callers(count):
    """`main(x)` goes through functions that only call the next, to one that adds a constant and calls back."""
    made = module(4)
    back = Function(made, "back", [("i64", "x")], returns="i64", attributes=UNOPTIMISED)
    back.do(f"ret i64 {back.op('call i64 @helper(i64 %x)')}")
    through = "back"
    for number in range(count):
        f = Function(made, f"through.{number}", [("i64 noundef", "x")], returns="i64", works=number == 2)
        f.do(f"ret i64 {f.op(f'call i64 @{through}(i64 %x)')}")
        through = f.name
    top = Function(made, "top", [("i64", "x")], returns="i64", linkage="")
    cell = top.alloca("i64")
    top.do(f"store i64 7, ptr {cell}")
    top.do(f"ret i64 {top.op(f'call i64 @{through}(i64 %x)')}")
    return made


def test_functions_that_only_call_others_are_compiled_at_level_0():
    made = callers(3)
    parts = Parts(made)
    assert parts.plain == {"back", "through.0", "through.1"}
    working, calling = (
        parts.text([name for name in made.functions if (name in parts.plain) == only]) for only in (False, True)
    )
    assert "define hidden i64 @through.2(" in working
    assert "@helper.cell" in working
    assert "@helper.cell" not in calling
    assert "define i64 @main(" in working
    assert "define i64 @top(" in working
    image = compile_program(made, host_target())
    assert sorted(name for name, _ in image.exports) == ["main", "top"]
    loaded = Loaded(image)
    for name in ("main", "top"):
        function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.address(name))
        assert (function(5), function(2000)) == (9, 1000)


def emitted(function, *types, target="avx2", **options):
    graph = PIPELINE.run(make_graph(function, [TensorType(*of) for of in types]))
    return build(graph, named_target(target), **options).module


def test_elementary_functions_are_work():
    """They touch no memory, and are most of what a program does."""
    made = emitted(lambda x: [ops.add(ops.sin(x), ops.mul(ops.cos(x), ops.arctan(x)))], ((1000,), float32))
    functions = {name for name in made.functions if name.startswith("hy.")}
    assert len(functions) >= 3
    assert not functions & Parts(made).plain


def test_kernels_that_only_copy_call_others():
    made = emitted(lambda x: [ops.neg(x), ops.concat(x, x, axis=0)], ((30, 40), float32))
    works = {name: made.functions[name].works for name in made.functions if ".loops" in name}
    assert sorted(works.values()) == [False, True]
    assert not made.functions["program"].works
    made = emitted(lambda x, k: [ops.gather(x, k, 0)], ((30, 40), float32), ((5,), int64))
    works = {name: made.functions[name].works for name in made.functions if ".loops" in name}
    assert all(works.values()), "a kernel that computes where its runs lie"


def test_what_only_calls_others_computes_nothing():
    """No elements are read, written or computed there."""
    graphs = (
        (lambda x, w: [ops.matmul(x, w)], ((9, 70), float32), ((70, 33), float32)),
        (lambda x: [ops.transpose(x, (1, 0)), ops.exp(x), ops.sum(x, (0,))], ((64, 64), float32)),
        (lambda x: [ops.sort(ops.sin(x), 0), ops.concat(x, x, axis=0)], ((50,), float64)),
    )
    for function, *types in graphs:
        made = emitted(function, *types)
        for name in Parts(made).plain:
            text = made.functions[name].text()
            assert not re.search(r" = f(add|sub|mul|div|cmp) | x (float|double|half)>|@llvm\.(fma|masked)", text), text


def test_few_functions_stay_together_and_variables_are_zeros():
    few = module(4)
    del few.functions["helper.unused"]
    assert not Parts(few).plain
    many = callers(3)
    many.variable("seen", 8)
    read = Function(many, "read", [], returns="ptr", linkage="")
    read.do("ret ptr @seen")
    loaded = Loaded(compile_program(many, host_target()))
    address = ctypes.CFUNCTYPE(ctypes.c_void_p)(loaded.address("read"))()
    assert address == loaded.address("seen")
    assert ctypes.c_int64.from_address(address).value == 0


def swapped(first, second, *, number=3):
    """`f(x)` is `first(second(x))`; `plus` adds a number, `times` multiplies by one."""
    made = Module()
    cell = made.constant(f"cell.{first}", "i64", str(number))
    for name, word in (("plus", "add"), ("times", "mul")):
        f = Function(made, name, [("i64", "x")], returns="i64")
        f.do(f"ret i64 {f.op(f'{word} i64 %x, {number}')}")
    f = Function(made, "f", [("i64", "x")], returns="i64", linkage="")
    inner = f.op(f"call i64 @{second}(i64 %x)")
    outer = f.op(f"call i64 @{first}(i64 {inner})")
    loaded = f.op(f"load i64, ptr {cell}")
    f.do(f"ret i64 {f.op(f'add i64 {outer}, {loaded}')}")
    return made


def test_outlines_are_equal_where_code_is():
    one, other, third = swapped("plus", "times"), swapped("times", "plus"), swapped("plus", "times", number=4)
    assert Parts(one).outline("f")[0] == Parts(other).outline("f")[0] != Parts(third).outline("f")[0]
    assert [Parts(made).outline("f")[1] for made in (one, other)] == [("f", "times", "plus"), ("f", "plus", "times")]
    assert len({Parts(one).outline(name)[0] for name in one.functions}) == 3


def weighed(x, w, v):
    """What is computed of `w` alone is made once for each version of it."""
    return [ops.matmul(x, ops.tanh(w)), ops.mul(ops.exp(ops.transpose(v, (1, 0))), x)]


def test_what_makes_small_constants_is_compiled_plainly_unless_calls_run_it_too():
    small, large = (f32(8, 40), f32(40, 40), f32(40, 8)), (f32(8, 300), f32(300, 300), f32(300, 8))
    for types, is_plain in ((small, True), (large, False)):
        module = build(PIPELINE.run(ops.make_graph(weighed, types)), host_target(), stable=[1]).module
        made = {
            one
            for name, function in module.functions.items()
            if ".derive" in name
            for one in re.findall(r"call void @([\w.]+)", function.text())
        }
        assert made
        assert {name for name in made if module.functions[name].seldom} == (made if is_plain else set())
        assert not module.functions["program"].seldom

    def both(x, w):
        return [ops.matmul(x, ops.mul(w, w)), ops.mul(x, x)]

    types = (f32(40, 40), f32(40, 40))
    module = build(PIPELINE.run(ops.make_graph(both, types)), host_target(), stable=[1]).module
    shared = set(re.findall(r"@(program.loops\d+)\(", module.functions["program"].text()))
    shared &= set(
        re.findall(
            r"@(program.loops\d+)\(",
            "".join(function.text() for name, function in module.functions.items() if ".derive" in name),
        )
    )
    assert shared
    assert not any(module.functions[name].seldom for name in shared)


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4"])
def test_plain_code_has_the_bits_of_better_code(dtype, monkeypatch):
    kind = np.dtype(dtype)

    def derived(x, w):
        made = [ops.mul(ops.tanh(ops.cast(w, f)), ops.cast(w, f)) for f in (np.dtype("f4"), np.dtype("f8"))]
        made.append(ops.sub(w, ops.transpose(ops.add(ops.mul(w, w), w), (1, 0))))
        return [ops.add(ops.cast(x, one.type.dtype), one) for one in made]

    types = [TensorType((24, 24), kind)] * 2
    inputs = [(np.random.default_rng(k).normal(size=(24, 24)) * 9).astype(kind) for k in range(2)]
    results = []
    for limit in (thresholds.PLAIN_BYTES, 0):
        monkeypatch.setattr(thresholds, "PLAIN_BYTES", limit)
        compiler.cache_clear()
        results.append(compiler.compile(ops.make_graph(derived, types), stable=[1]).run(inputs))
    compiler.cache_clear()
    assert [y.tobytes() for y in results[0]] == [y.tobytes() for y in results[1]]
