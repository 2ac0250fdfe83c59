# SPDX-License-Identifier: Apache-2.0
"""Measure the limits of one core of this machine: reading from each level of memory, multiplying and adding."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy

from hybridize.base.frozen import frozen
from hybridize.base.interruptions import let_through
from hybridize.base.loading import LOADING

CHAINS = 12
"""Independent accumulators: more than latency times throughput of a multiply-add on any x86-64."""


@frozen
class Limits:
    """The limits of one core, measured with code that does nothing else."""

    l1_gb_per_s: float
    """Reading half of the first-level cache over and over: 1e9 bytes a second."""
    l2_gb_per_s: float
    """The same with half of the second-level cache."""
    l3_gb_per_s: float
    """The same with a quarter of the third level, which cores share; as from memory where there is none."""
    memory_gb_per_s: float
    """The same with 128 MiB."""
    gflops: float
    """1e9 float32 operations a second in independent fused multiply-adds, two operations each."""
    l1_bytes: int = 32 << 10
    l2_bytes: int = 1 << 20
    l3_bytes: int = 0

    def reading(self, nbytes: int) -> tuple[str, float]:
        """The fastest level that holds so many bytes, and its 1e9 bytes a second."""
        if nbytes <= self.l1_bytes:
            return "L1", self.l1_gb_per_s
        if nbytes <= self.l2_bytes:
            return "L2", self.l2_gb_per_s
        return ("L3", self.l3_gb_per_s) if nbytes <= self.l3_bytes else ("memory", self.memory_gb_per_s)

    def least(self, nbytes: int, flops: int) -> tuple[str, float]:
        """Return the bottleneck of work of so many bytes and operations, and the seconds that it takes at least."""
        level, gb_per_s = self.reading(nbytes)
        moving, computing = nbytes / gb_per_s / 1e9, flops / self.gflops / 1e9
        return (level, moving) if moving >= computing else ("multiply-adds", computing)


def best_seconds(function: Callable[[], object], seconds: float) -> float:
    """The least time that one call took, of as many as fit into `seconds`; at least one."""
    best, end = float("inf"), time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end or best == float("inf"):
        function()
        best = min(best, time.perf_counter() - begin)
    return best


def source(lanes: int) -> str:
    """LLVM IR of the two loops, for vectors of `lanes` float32.

    `read(data, bytes, passes)` adds up all vectors; `multiply_add(x, y, count)` runs `CHAINS` chains of `count` steps.
    """
    vector, size, chains = f"<{lanes} x float>", 4 * lanes, range(CHAINS)

    def lines(template: str) -> str:
        return "\n".join("  " + template.format(i=i, v=vector, at=i * size) for i in chains)

    total = "\n".join(f"  %t{i + 1} = fadd {vector} %t{i}, %s{i}" for i in chains)
    finish = f"{total}\n  %r = extractelement {vector} %t{CHAINS}, i32 0\n  ret float %r"
    first = f"  %t0 = fadd {vector} %s0, zeroinitializer"
    return f"""
declare {vector} @llvm.fmuladd.v{lanes}f32({vector}, {vector}, {vector})
define float @read(ptr %data, i64 %bytes, i64 %passes) {{
entry:
  br label %pass
pass:
  %p = phi i64 [0, %entry], [%p1, %again]
{lines("%q{i} = phi {v} [zeroinitializer, %entry], [%s{i}, %again]")}
  br label %inner
inner:
  %o = phi i64 [0, %pass], [%o1, %inner]
{lines("%a{i} = phi {v} [%q{i}, %pass], [%s{i}, %inner]")}
  %here = getelementptr i8, ptr %data, i64 %o
{lines("%g{i} = getelementptr i8, ptr %here, i64 {at}")}
{lines("%x{i} = load {v}, ptr %g{i}, align 64")}
{lines("%s{i} = fadd {v} %a{i}, %x{i}")}
  %o1 = add i64 %o, {CHAINS * size}
  %more = icmp ult i64 %o1, %bytes
  br i1 %more, label %inner, label %again
again:
  %p1 = add i64 %p, 1
  %rest = icmp ult i64 %p1, %passes
  br i1 %rest, label %pass, label %done
done:
{first}
{finish}
}}
define float @multiply_add(float %x, float %y, i64 %count) {{
entry:
  %x0 = insertelement {vector} poison, float %x, i32 0
  %xs = shufflevector {vector} %x0, {vector} poison, <{lanes} x i32> zeroinitializer
  %y0 = insertelement {vector} poison, float %y, i32 0
  %ys = shufflevector {vector} %y0, {vector} poison, <{lanes} x i32> zeroinitializer
  br label %step
step:
  %n = phi i64 [0, %entry], [%n1, %step]
{lines("%a{i} = phi {v} [zeroinitializer, %entry], [%s{i}, %step]")}
{lines(f"%s{{i}} = call {{v}} @llvm.fmuladd.v{lanes}f32({{v}} %a{{i}}, {{v}} %xs, {{v}} %ys)")}
  %n1 = add i64 %n, 1
  %more = icmp ult i64 %n1, %count
  br i1 %more, label %step, label %done
done:
{first}
{finish}
}}
"""


def measure(seconds: float) -> Limits:
    """Measure each limit for about `seconds`, on the CPU that this process may use."""
    with LOADING:
        from hybridize.codegen.llvm.engine import compile_module, host_target  # late: see the package

    target = host_target()
    lanes = target.lanes(4)
    code = compile_module(source(lanes), target)
    i64, f32 = ctypes.c_int64, ctypes.c_float
    read = ctypes.CFUNCTYPE(f32, ctypes.c_void_p, i64, i64)(code.address("read"))
    multiply_add = ctypes.CFUNCTYPE(f32, f32, f32, i64)(code.address("multiply_add"))

    def gb_per_s(size_bytes: int) -> float:
        turn = CHAINS * 4 * lanes  # what one turn of the loop reads: the size becomes a multiple of it
        size_bytes = size_bytes // turn * turn
        memory = numpy.zeros(size_bytes + 64, numpy.uint8)
        memory.fill(0)  # touched, so that it is more than the one page of zeros
        address = (memory.ctypes.data + 63) // 64 * 64
        passes = max(1, (16 << 20) // size_bytes)
        return size_bytes * passes / best_seconds(lambda: read(address, size_bytes, passes), seconds) / 1e9

    count = 100_000
    l3_bytes = _third_level()
    from_memory = gb_per_s(128 << 20)
    return Limits(
        l1_gb_per_s=gb_per_s(target.l1_bytes // 2),
        l2_gb_per_s=gb_per_s(target.l2_bytes // 2),
        l3_gb_per_s=gb_per_s(l3_bytes // 4) if l3_bytes else from_memory,
        memory_gb_per_s=from_memory,
        gflops=2 * lanes * CHAINS * count / best_seconds(lambda: multiply_add(0.5, 0.5, count), seconds) / 1e9,
        l1_bytes=target.l1_bytes,
        l2_bytes=target.l2_bytes,
        l3_bytes=l3_bytes,
    )


@cache
def limits() -> Limits:
    """Measured once in a process, in about a quarter of a second."""
    return measure(0.04)


def _third_level() -> int:
    """Bytes of the third-level cache as Linux tells them; 0 where there is none, or a container hides it."""
    for folder in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        try:
            level, size = ((folder / name).read_text().strip() for name in ("level", "size"))
        except OSError as error:
            let_through(error)
            continue
        if level == "3" and size.endswith("K") and size[:-1].isdigit():
            return int(size[:-1]) << 10
    return 0
