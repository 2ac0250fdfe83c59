# SPDX-License-Identifier: Apache-2.0
"""Measure the limits of one core of this machine: reading from each level of memory, multiplying and adding."""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy

from hybridize import system
from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING
from hybridize.machine.target import Target

if TYPE_CHECKING:
    from hybridize.codegen.llvm.text import Function, Module

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
    with LOADING:
        from hybridize.codegen.llvm.text import Module  # late: see the package

    module = Module()
    _read(module, lanes)
    _move(module, lanes)
    _multiply_add(module, lanes)
    return module.text()


def _function(module: Module, name: str, returns: str, **params: str) -> Function:
    with LOADING:
        from hybridize.codegen.llvm.text import Function  # late: see the package

    named = [(kind, param) for param, kind in params.items()]
    return Function(module, name, named, returns=returns, linkage="")


def _places(f: Function, pointer: str, offset: str, lanes: int, count: int) -> list[str]:
    """Addresses of so many vectors, one after the other, some bytes after a pointer."""
    first = f.op(f"getelementptr i8, ptr {pointer}, i64 {offset}")
    return [f.op(f"getelementptr i8, ptr {first}, i64 {4 * lanes * number}") for number in range(count)]


def _return_total(f: Function, kind: str, chains: Sequence[str]) -> None:
    """Return the first element of the sum of all chains."""
    total = functools.reduce(lambda x, y: f.op(f"fadd {kind} {x}, {y}"), chains)
    f.do(f"ret float {f.op(f'extractelement {kind} {total}, i32 0')}")


def _read(module: Module, lanes: int) -> None:
    kind = f"<{lanes} x float>"
    f = _function(module, "read", "float", data="ptr", bytes="i64", passes="i64")
    with f.loop(0, "%passes", 1, [(kind, "zeroinitializer")] * CHAINS) as turn:
        with f.loop(0, "%bytes", CHAINS * 4 * lanes, [(kind, sum_) for sum_ in turn.values]) as inner:
            places = _places(f, "%data", inner.index, lanes, CHAINS)
            vectors = [f.op(f"load {kind}, ptr {place}, align 64") for place in places]
            pairs = zip(inner.values, vectors, strict=True)
            inner.following = [f.op(f"fadd {kind} {sum_}, {vector}") for sum_, vector in pairs]
        turn.following = inner.results
    _return_total(f, kind, turn.results)


def _move(module: Module, lanes: int) -> None:
    kind = f"<{lanes} x float>"
    f = _function(
        module, "move", "void", x="ptr noalias", y="ptr noalias", out="ptr noalias", bytes="i64", passes="i64"
    )
    with f.loop(0, "%passes"), f.loop(0, "%bytes", STREAMS * 4 * lanes) as inner:
        x, y, out = (_places(f, pointer, inner.index, lanes, STREAMS) for pointer in ("%x", "%y", "%out"))
        left, right = ([f.op(f"load {kind}, ptr {place}, align 64") for place in places] for places in (x, y))
        for one, other, place in zip(left, right, out, strict=True):
            f.do(f"store {kind} {f.op(f'fadd {kind} {one}, {other}')}, ptr {place}, align 64")


def _multiply_add(module: Module, lanes: int) -> None:
    with LOADING:
        from hybridize.codegen.llvm.text import broadcast  # late: see the package

    kind = f"<{lanes} x float>"
    f = _function(module, "multiply_add", "float", x="float", y="float", count="i64")
    x, y = (broadcast(f, number, "float", lanes) for number in ("%x", "%y"))
    function = module.declare(f"llvm.fmuladd.v{lanes}f32", kind, [kind] * 3)
    with f.loop(0, "%count", 1, [(kind, "zeroinitializer")] * CHAINS) as turn:
        terms = f"{kind} {x}, {kind} {y}"
        turn.following = [f.op(f"call {kind} {function}({kind} {sum_}, {terms})") for sum_ in turn.values]
    _return_total(f, kind, turn.results)


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

        self.lanes: int = target.lanes(4)
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

    l3_bytes = system.cache_bytes(3)
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


@functools.cache
def limits() -> Limits:
    """Measured once in a process, in about a quarter of a second."""
    return measure(0.04)
