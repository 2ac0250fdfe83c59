# SPDX-License-Identifier: Apache-2.0
"""Write `prepare`, which computes what a call of a program with size symbols must know before it begins.

    i64 prepare(ptr sizes, ptr frame)          1, or 0 where the program does not hold for these sizes

`sizes` are the symbols' values. `frame` gets, as int64, the words of `runtime.plan.FRAME`, then for each output its
bytes, or 0 where it may begin anywhere, and its sizes. The function only computes: it may be called without a lock.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import FAR, SizeCondition, SizeScope
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.sizes import as_double, double
from hybridize.codegen.llvm.text import Function, Module
from hybridize.runtime.buffers import LARGE
from hybridize.runtime.plan import BYTES_PER_US, FLOPS_PER_US, FRAME, LARGEST, LONG_US

_PREDICATES = {">": "sgt", "==": "eq", "!=": "ne"}


def emit_prepare(
    module: Module,
    name: str,
    scope: SizeScope,
    outputs: Sequence[TensorType],
    scratch_bytes: int,
    work: tuple[int, int],
) -> None:
    """Write `name`; `work` are the bytes and operations of a call."""
    f = Function(module, name, [("ptr", "sizes"), ("ptr", "frame")], returns="i64", linkage="")
    f.sizes = "%sizes"
    peak = scratch_bytes + sum(type_.nbytes for type_ in outputs)
    checks = _ranges(f, scope) + [_truth(f, condition) for condition in scope.conditions]
    checks.append(f.op(f"fcmp olt double {as_double(f, peak)}, {double(LARGEST)}"))
    everything = checks[0]
    for one in checks[1:]:
        everything = f.op(f"and i1 {everything}, {one}")
    moved, flops = (as_double(f, amount) for amount in work)
    moving = f.op(f"fdiv double {moved}, {double(BYTES_PER_US)}")
    computing = f.op(f"fdiv double {flops}, {double(FLOPS_PER_US)}")
    long = f.op(f"fcmp ogt double {f.op(f'fadd double {moving}, {computing}')}, {double(LONG_US)}")
    known = {"scratch_bytes": f.size(scratch_bytes), "release": f.op(f"zext i1 {long} to i64")}
    words = [known[word] for word in FRAME]
    for type_ in outputs:
        nbytes = f.size(type_.nbytes)
        large = f.test("uge", nbytes, LARGE)
        words += [f.op(f"select i1 {large}, i64 {nbytes}, i64 0"), *map(f.size, type_.shape)]
    for number, word in enumerate(words):
        f.store(word, f.element("%frame", number))
    f.do(f"ret i64 {f.op(f'zext i1 {everything} to i64')}")


def _ranges(f: Function, scope: SizeScope) -> list[str]:
    checks = []
    for symbol in scope.symbols:
        value = f.symbol(symbol)
        checks.append(f.test("sge", value, symbol.low))
        if symbol.high < FAR:
            checks.append(f.test("sle", value, symbol.high))
    return checks


def _truth(f: Function, condition: SizeCondition) -> str:
    """Tell whether a condition holds; where its value does not fit an i64, Python is asked."""
    value = as_double(f, condition.dim)
    fits = f.op(f"fcmp olt double {value}, {double(FAR)}")
    fits = f.op(f"and i1 {fits}, {f.op(f'fcmp ogt double {value}, {double(-FAR)}')}")
    return f.op(f"and i1 {fits}, {f.op(f'icmp {_PREDICATES[condition.relation]} i64 {f.size(condition.dim)}, 0')}")
