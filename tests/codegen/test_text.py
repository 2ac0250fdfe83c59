"""Modules as text: several of them joined into one."""

import ctypes

from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.codegen.llvm.text import Function, Module, joined
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
