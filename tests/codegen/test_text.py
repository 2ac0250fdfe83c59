"""Modules as text: several of them joined into one."""

import ctypes

from hybridize.codegen.llvm.engine import compile_module, compile_program, host_target
from hybridize.codegen.llvm.text import UNOPTIMISED, Function, Module, joined
from hybridize.runtime.image import Loaded
from tests.refusals import refusal


def module(number):
    """`main(x)` is `helper(x)`, which adds a constant; names that begin alike, and a function that nobody calls."""
    made = Module()
    cell = made.constant("helper.cell", "i64", str(number))
    smallest = made.declare("llvm.smin.i64", "i64", ["i64", "i64"])
    helper = Function(made, "helper", [("i64", "x")], returns="i64")
    added = helper.op(f"add i64 %x, {helper.op(f'load i64, ptr {cell}')}")
    helper.do(f"ret i64 {helper.op(f'call i64 {smallest}(i64 {added}, i64 1000)')}")
    unused = Function(made, "helper.unused", [("i64", "x")], returns="i64")
    unused.do("ret i64 %x")
    main = Function(made, "main", [("i64", "x")], returns="i64", linkage="")
    main.do(f"ret i64 {main.op('call i64 @helper(i64 %x)')}")
    return made


def test_modules_joined_keep_their_own():
    text = joined({f"m{number}": module(number) for number in (1, 20, 300)}, "main")
    loaded = compile_module(text, host_target())
    for number in (1, 20, 300):
        function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.address(f"m{number}.main"))
        assert (function(5), function(2000)) == (5 + number, 1000)
    assert "unused" not in text
    assert text.count("declare") == 1


def test_one_function_that_is_not_there():
    with refusal(KeyError, "nobody"):
        joined({"m": module(1)}, "nobody")


def callers(count):
    """`main(x)` goes through functions that only call the next, to one that adds a constant and calls back."""
    made = module(4)
    back = Function(made, "back", [("i64", "x")], returns="i64", attributes=UNOPTIMISED)
    back.do(f"ret i64 {back.op('call i64 @helper(i64 %x)')}")
    through = "back"
    for number in range(count):
        f = Function(made, f"through.{number}", [("i64 noundef", "x")], returns="i64", busy=number == 2)
        f.do(f"ret i64 {f.op(f'call i64 @{through}(i64 %x)')}")
        through = f.name
    top = Function(made, "top", [("i64", "x")], returns="i64", linkage="")
    cell = top.alloca("i64")
    top.do(f"store i64 7, ptr {cell}")
    top.do(f"ret i64 {top.op(f'call i64 @{through}(i64 %x)')}")
    return made


def test_functions_that_only_call_others_are_compiled_at_level_0():
    made = callers(3)
    levels = made.levels()
    assert {name for name, level in levels.items() if level == 0} == {
        "back",
        "through.0",
        "through.1",
        "helper.unused",
        "main",
    }
    working, calling = (made.part([name for name in levels if levels[name] == level]) for level in (2, 0))
    assert "define hidden i64 @through.2(" in working
    assert "@helper.cell" in working
    assert "@helper.cell" not in calling
    assert "define i64 @main(" in calling
    assert "define i64 @top(" in working
    image = compile_program(made, host_target())
    assert sorted(name for name, _ in image.exports) == ["main", "top"]
    loaded = Loaded(image)
    for name in ("main", "top"):
        function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.address(name))
        assert (function(5), function(2000)) == (9, 1000)


def test_few_functions_stay_together_and_variables_are_zeros():
    few = module(4)
    del few.functions["helper.unused"]
    assert set(few.levels().values()) == {2}
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
    assert one.outline("f")[0] == other.outline("f")[0] != third.outline("f")[0]
    assert [made.outline("f")[1] for made in (one, other)] == [("f", "times", "plus"), ("f", "plus", "times")]
    assert len({one.outline(name)[0] for name in one.functions}) == 3
