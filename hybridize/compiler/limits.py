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
from hybridize.machine.target import Target

CHAINS = 12
"""Independent accumulators: more than latency times throughput of a multiply-add on any x86-64."""
STREAMS = 4
"""Vectors that one turn of the loop that moves memory handles."""
STEPS = 200_000
"""Multiply-adds of each chain in one call: long against what calling costs."""
PASSED_BYTES = 16 << 20
"""A call goes over small arrays as often as makes so many bytes."""
MULTIPLY_ADDS, READING, MOVING = "multiply-adds", "reading", "moving"
"""The kinds of probe."""


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
    """LLVM IR of the three loops, for vectors of `lanes` float32.

    `read(data, bytes, passes)` adds up all vectors; `move(x, y, out, bytes, passes)` writes x + y to `out`;
    `multiply_add(x, y, count)` runs `CHAINS` chains of `count` steps.
    """
    return _read(lanes) + _move(lanes) + _multiply_add(lanes)


def _lines(lanes: int, template: str, count: int = CHAINS) -> str:
    """A line for each of so many vectors: {i} is its number, {v} its type, {at} its place in bytes."""
    return "\n".join("  " + template.format(i=i, v=f"<{lanes} x float>", at=4 * lanes * i) for i in range(count))


def _total(lanes: int) -> str:
    """Return the first element of the sum of all chains."""
    vector = f"<{lanes} x float>"
    lines = [f"%t0 = fadd {vector} %s0, zeroinitializer"]
    lines += [f"%t{i} = fadd {vector} %t{i - 1}, %s{i}" for i in range(1, CHAINS)]
    lines += [f"%r = extractelement {vector} %t{CHAINS - 1}, i32 0", "ret float %r"]
    return "\n".join(f"  {line}" for line in lines)


def _passes(signature: str, before: str, body: str, step: int, end: str) -> str:
    """A function that goes over `%bytes` bytes `%passes` times.

    Args:
        signature: of the function.
        before: lines at the beginning of a pass.
        body: lines of a turn, `%o` being the bytes before it.
        step: bytes of a turn.
        end: lines at the end of the function.
    """
    return f"""
define {signature} {{
entry:
  br label %pass
pass:
  %p = phi i64 [0, %entry], [%p1, %again]
{before}
  br label %inner
inner:
  %o = phi i64 [0, %pass], [%o1, %inner]
{body}
  %o1 = add i64 %o, {step}
  %more = icmp ult i64 %o1, %bytes
  br i1 %more, label %inner, label %again
again:
  %p1 = add i64 %p, 1
  %rest = icmp ult i64 %p1, %passes
  br i1 %rest, label %pass, label %done
done:
{end}
}}
"""


def _read(lanes: int) -> str:
    lines = [
        _lines(lanes, "%a{i} = phi {v} [%q{i}, %pass], [%s{i}, %inner]"),
        "  %here = getelementptr i8, ptr %data, i64 %o",
        _lines(lanes, "%g{i} = getelementptr i8, ptr %here, i64 {at}"),
        _lines(lanes, "%x{i} = load {v}, ptr %g{i}, align 64"),
        _lines(lanes, "%s{i} = fadd {v} %a{i}, %x{i}"),
    ]
    begun = _lines(lanes, "%q{i} = phi {v} [zeroinitializer, %entry], [%s{i}, %again]")
    signature = "float @read(ptr %data, i64 %bytes, i64 %passes)"
    return _passes(signature, begun, "\n".join(lines), CHAINS * 4 * lanes, _total(lanes))


def _move(lanes: int) -> str:
    lines = [
        f"  %{name}o = getelementptr i8, ptr %{of}, i64 %o" for name, of in zip("xyt", ("x", "y", "out"), strict=True)
    ]
    lines += [_lines(lanes, f"%{name}g{{i}} = getelementptr i8, ptr %{name}o, i64 {{at}}", STREAMS) for name in "xyt"]
    lines += [
        _lines(lanes, "%a{i} = load {v}, ptr %xg{i}, align 64", STREAMS),
        _lines(lanes, "%b{i} = load {v}, ptr %yg{i}, align 64", STREAMS),
        _lines(lanes, "%s{i} = fadd {v} %a{i}, %b{i}", STREAMS),
        _lines(lanes, "store {v} %s{i}, ptr %tg{i}, align 64", STREAMS),
    ]
    signature = "void @move(ptr noalias %x, ptr noalias %y, ptr noalias %out, i64 %bytes, i64 %passes)"
    return _passes(signature, "", "\n".join(lines), STREAMS * 4 * lanes, "  ret void")


def _multiply_add(lanes: int) -> str:
    vector = f"<{lanes} x float>"
    sums = f"%s{{i}} = call {{v}} @llvm.fmuladd.v{lanes}f32({{v}} %a{{i}}, {{v}} %xs, {{v}} %ys)"
    return f"""
declare {vector} @llvm.fmuladd.v{lanes}f32({vector}, {vector}, {vector})
define float @multiply_add(float %x, float %y, i64 %count) {{
entry:
  %x0 = insertelement {vector} poison, float %x, i32 0
  %xs = shufflevector {vector} %x0, {vector} poison, <{lanes} x i32> zeroinitializer
  %y0 = insertelement {vector} poison, float %y, i32 0
  %ys = shufflevector {vector} %y0, {vector} poison, <{lanes} x i32> zeroinitializer
  br label %step
step:
  %n = phi i64 [0, %entry], [%n1, %step]
{_lines(lanes, "%a{i} = phi {v} [zeroinitializer, %entry], [%s{i}, %step]")}
{_lines(lanes, sums)}
  %n1 = add i64 %n, 1
  %more = icmp ult i64 %n1, %count
  br i1 %more, label %step, label %done
done:
{_total(lanes)}
}}
"""


@frozen
class Probe:
    """A loop that does nothing but what limits a core, ready to be timed."""

    call: Callable[[], object]
    amount: float
    """Operations, or bytes, of one call."""
    memory: object = None
    """Keeps the arrays that the loop goes over."""


class Probes:
    """The loops, compiled for vectors as wide as a target's programs use.

    Args:
        target: what the programs are compiled for that are set against the limits.
    """

    def __init__(self, target: Target) -> None:
        with LOADING:
            from hybridize.codegen.llvm.engine import compile_module  # late: see the package

        self.lanes = target.lanes(4)
        self._code = compile_module(source(self.lanes), target)  # the functions live as long as this does
        i64, f32, address = ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
        at = self._code.address
        self._read = ctypes.CFUNCTYPE(f32, address, i64, i64)(at("read"))
        self._move = ctypes.CFUNCTYPE(None, address, address, address, i64, i64)(at("move"))
        self._multiply_add = ctypes.CFUNCTYPE(f32, f32, f32, i64)(at("multiply_add"))

    def probe(self, kind: str, nbytes: int = 0, inputs: int = 1) -> Probe:
        """Make a probe of a kind.

        Args:
            kind: `MULTIPLY_ADDS`: float32 multiply-adds, two operations each. `READING`: reads of one array, again and
                again. `MOVING`: reads of arrays and writes of another, as long as each of them.
            nbytes: size of each array.
            inputs: of `MOVING`, arrays that are read: one or two.
        """
        if kind == MULTIPLY_ADDS:
            return Probe(lambda: self._multiply_add(0.5, 0.5, STEPS), 2.0 * self.lanes * CHAINS * STEPS)
        turn = 4 * self.lanes * (CHAINS if kind == READING else STREAMS)  # the size becomes a multiple of it
        nbytes = max(nbytes // turn, 1) * turn
        passes = max(1, PASSED_BYTES // nbytes)
        if kind == READING:
            (x,), memory = _arrays(1, nbytes)
            return Probe(lambda: self._read(x, nbytes, passes), float(nbytes * passes), memory)
        if kind != MOVING or inputs not in (1, 2):
            raise ValueError(f"no probe of {inputs} inputs that is called {kind!r}")
        (*sources, out), memory = _arrays(inputs + 1, nbytes)
        x, y = sources[0], sources[-1]
        moved = float((inputs + 1) * nbytes * passes)
        return Probe(lambda: self._move(x, y, out, nbytes, passes), moved, memory)


def _arrays(count: int, nbytes: int) -> tuple[list[int], object]:
    """Addresses of `count` arrays, aligned to cache lines, and what holds them."""
    # 1 KiB more between two: streams that lie a multiple of 4 KiB apart wait for each other's stores.
    stride = nbytes + 1024
    memory = numpy.empty(count * stride + 64, numpy.uint8)
    memory.fill(0)  # touched, so that it is more than the one page of zeros
    begin = (memory.ctypes.data + 63) // 64 * 64
    return [begin + i * stride for i in range(count)], memory


def measure(seconds: float) -> Limits:
    """Measure each limit for about `seconds`, on the CPU that this process may use."""
    with LOADING:
        from hybridize.codegen.llvm.engine import host_target  # late: see the package

    target = host_target()
    probes = Probes(target)

    def gigas(kind: str, nbytes: int = 0) -> float:
        probe = probes.probe(kind, nbytes)
        return probe.amount / best_seconds(probe.call, seconds) / 1e9

    l3_bytes = _third_level()
    from_memory = gigas(READING, 128 << 20)
    return Limits(
        l1_gb_per_s=gigas(READING, target.l1_bytes // 2),
        l2_gb_per_s=gigas(READING, target.l2_bytes // 2),
        l3_gb_per_s=gigas(READING, l3_bytes // 4) if l3_bytes else from_memory,
        memory_gb_per_s=from_memory,
        gflops=gigas(MULTIPLY_ADDS),
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
