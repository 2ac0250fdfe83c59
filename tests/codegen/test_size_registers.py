# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of sizes, written as code, gives what it gives in Python."""

import ctypes
import random

import pytest

from hybridize.base import dims
from hybridize.base.dims import SizeScope
from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.codegen.llvm.sizes import as_double
from hybridize.codegen.llvm.text import Function, Module


def expression(draw: random.Random, symbols: list[int], depth: int) -> int:
    """A random size, of any sign."""
    if depth == 0:
        return draw.choice([*symbols, draw.randrange(1, 70)])
    x, y = (expression(draw, symbols, depth - 1) for _ in range(2))
    match draw.randrange(7):
        case 0 | 1:
            return x + y
        case 2:
            return x - y
        case 3:
            return x * y
        case 4:
            return x // draw.choice([2, 16, 7, draw.choice(symbols)])
        case 5:
            return x % draw.choice([2, 16, 7, draw.choice(symbols)])
    return dims.maximum(x, y)


@pytest.mark.parametrize("seed", range(6))
def test_registers(seed):
    draw = random.Random(seed)
    scope = SizeScope()
    scope.capturing = False
    symbols = [scope.symbol(draw.randrange(2, 90)) for _ in range(3)]
    wanted = [expression(draw, symbols, draw.randrange(1, 4)) for _ in range(40)]
    module = Module()
    inner = Function(module, "inner", [("ptr", "out")])
    for k, size in enumerate(wanted):
        cell = inner.op(f"getelementptr i64, ptr %out, i64 {k}")
        inner.do(f"store i64 {inner.size(size)}, ptr {cell}")
    inner.do("ret void")
    outer = Function(module, "outer", [("ptr", "sizes"), ("ptr", "out")], linkage="")
    outer.sizes = "%sizes"
    outer.call("inner", ["ptr %out"])
    outer.do("ret void")
    loaded = compile_module(module.text(), host_target())
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(loaded.address("outer"))
    for _ in range(20):
        values = [draw.choice([2, 3, 15, 16, 17, 100, 12345]) for _ in symbols]
        given, found = (ctypes.c_int64 * 3)(*values), (ctypes.c_int64 * len(wanted))()
        run(given, found)
        sizes = dict(zip(scope.symbols, values, strict=True))
        assert list(found) == [dims.value(size, sizes) for size in wanted]


def test_sizes_are_written_once():
    scope = SizeScope()
    scope.capturing = False
    n, m = scope.symbol(5), scope.symbol(6)
    f = Function(Module(), "f", [])
    assert f.size(4 * n * m + 3) == f.size(3 + m * n * 4)
    assert f.size(12) == "12"
    assert f.text().count("mul") == 2
    assert f.text().startswith("define internal void @f(i64 %symbol.0, i64 %symbol.1) nounwind {")


def test_doubles_do_not_overflow():
    scope = SizeScope()
    scope.capturing = False
    n = scope.symbol(5)
    module = Module()
    f = Function(module, "f", [("ptr", "sizes")], linkage="", returns="double")
    f.sizes = "%sizes"
    f.do(f"ret double {as_double(f, n * n * n * 4 + n // 2 + dims.maximum(n, 3) + 1)}")
    loaded = compile_module(module.text(), host_target())
    run = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)(loaded.address("f"))
    for value in (5, 1 << 40):
        assert run((ctypes.c_int64 * 1)(value)) == pytest.approx(4.0 * value**3 + value / 2 + max(value, 3) + 1)
