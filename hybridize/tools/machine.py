# SPDX-License-Identifier: Apache-2.0
"""What this machine is, and what one core of it can do at best, measured."""

from __future__ import annotations

import ctypes
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hybridize.codegen.llvm.engine import compile_module, host_target

CHAINS = 12
"""Independent accumulators: more than latency times throughput of a multiply-add on any x86-64."""


@dataclass(frozen=True)
class Limits:
    """What one core can do at best, measured with code that does nothing else."""

    l1_gb_per_s: float
    """Reading half of the first-level cache over and over: 1e9 bytes a second."""
    l2_gb_per_s: float
    """The same with half of the second-level cache."""
    memory_gb_per_s: float
    """The same with 128 MiB."""
    gflops: float
    """1e9 float32 operations a second in independent fused multiply-adds, two operations each."""


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
    target = host_target()
    lanes = target.lanes(4)
    code = compile_module(source(lanes), target)
    i64, f32 = ctypes.c_int64, ctypes.c_float
    read = ctypes.CFUNCTYPE(f32, ctypes.c_void_p, i64, i64)(code.address("read"))
    multiply_add = ctypes.CFUNCTYPE(f32, f32, f32, i64)(code.address("multiply_add"))

    def gb_per_s(size_bytes: int) -> float:
        turn = CHAINS * 4 * lanes  # what one turn of the loop reads: the size becomes a multiple of it
        size_bytes = size_bytes // turn * turn
        memory = np.zeros(size_bytes + 64, np.uint8)
        memory.fill(0)  # touched, so that it is more than the one page of zeros
        address = (memory.ctypes.data + 63) // 64 * 64
        passes = max(1, (16 << 20) // size_bytes)
        return size_bytes * passes / best_seconds(lambda: read(address, size_bytes, passes), seconds) / 1e9

    count = 100_000
    return Limits(
        l1_gb_per_s=gb_per_s(target.l1_bytes // 2),
        l2_gb_per_s=gb_per_s(target.l2_bytes // 2),
        memory_gb_per_s=gb_per_s(128 << 20),
        gflops=2 * lanes * CHAINS * count / best_seconds(lambda: multiply_add(0.5, 0.5, count), seconds) / 1e9,
    )


def describe() -> str:
    """Processor, cores, caches, system, Python, in one line."""
    facts: dict[str, str] = {}
    for line in _text("/proc/cpuinfo").split("\n\n")[0].splitlines():
        key, _, value = line.partition(":")
        facts[key.strip()] = value.strip()
    name = facts.get("model name", platform.processor() or platform.machine())
    version = f" (family {facts['cpu family']} model {facts.get('model', '?')})" if "cpu family" in facts else ""
    flags = facts.get("flags", "").split()
    widest = next((word for word in ("avx512f", "avx2", "sse4_2") if word in flags), "")
    caches = [
        f"L{_text(folder / 'level')}{'d' if _text(folder / 'type') == 'Data' else ''} {_text(folder / 'size')}"
        for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
        if _text(folder / "type") != "Instruction"
    ]
    system = (platform.system(), f"Python {platform.python_version()}")
    parts = [name + version, f"{os.cpu_count()} CPUs", widest, *caches, *system]
    return ", ".join(part for part in parts if part)


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:  # another system, or a container that hides it
        return ""
