"""Random kernels of branches, loops, breaks and early ends: each thread's result is the one it has when it runs alone."""

import operator
import random

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.device import grid
from tests.device.assembly import Constant, Kernel, Register, parse
from tests.device.written import module, tried

THREADS, BLOCKS = 40, 3
STORE = "mul.wide.u32 %rd1, %r93, 4; add.s64 %rd1, %rd1, %rd60; st.global.u32 [%rd1], %r1;"


class Drawn:
    """A kernel over %r1 to %r6, written as it is drawn."""

    def __init__(self, seed: int) -> None:
        self.random, self.labels, self.lines = random.Random(seed), 0, []
        for k in range(1, 7):  # some are the same for all threads
            self.lines.append(f"mov.u32 %r{k}, {'%r93' if self.random.random() < 0.4 else self.random.randrange(9)};")
        self.body(3, "")
        self.text = "\n".join([*self.lines, STORE])

    def register(self) -> str:
        return f"%r{self.random.randrange(1, 7)}"

    def source(self) -> str:
        return self.random.choice([self.register(), "%r93", "%r90", str(self.random.randrange(1, 50))])

    def label(self) -> str:
        self.labels += 1
        return f"$L{self.labels}"

    def condition(self) -> str:
        """Compare into %p1, mostly so that threads differ."""
        self.lines.append(f"and.b32 %r20, {self.source()}, {self.random.choice([1, 2, 7, 12])};")
        self.lines.append(f"setp.{self.random.choice(['lt', 'eq', 'ne'])}.u32 %p1, %r20, {self.random.randrange(4)};")
        return self.random.choice(["@%p1", "@!%p1"])

    def simple(self, guard: str = "") -> None:
        word = self.random.choice(["add.u32", "mul.lo.u32", "xor.b32", "sub.u32"])
        if self.random.random() < 0.2:
            self.lines.append(f"{guard} mov.u32 {self.register()}, {self.source()};")
        else:
            self.lines.append(f"{guard} {word} {self.register()}, {self.register()}, {self.source()};")

    def body(self, depth: int, end: str) -> None:
        """Write some statements; `end` is where a loop around them ends."""
        for _ in range(self.random.randrange(1, 5)):
            kind = self.random.choice(["simple", "simple", "guarded", "if", "loop", "break", "return"])
            if kind == "simple" or (depth == 0 and kind in ("if", "loop")):
                self.simple()
            elif kind == "guarded":
                self.simple(self.condition())
            elif kind == "if":
                other, join = self.label(), self.label()
                self.lines.append(f"{self.condition()} bra {other};")
                self.body(depth - 1, end)
                self.lines += [f"bra {join};", f"{other}:"]
                self.body(depth - 1, end)
                self.lines.append(f"{join}:")
            elif kind == "loop":
                begin, after, counter = self.label(), self.label(), f"%r{30 + depth}"
                self.lines += [f"mov.u32 {counter}, 0;", f"{begin}:"]
                self.body(depth - 1, after)
                self.lines += [f"add.u32 {counter}, {counter}, 1;", f"and.b32 %r21, {self.source()}, 3;"]
                self.lines += [f"setp.lt.u32 %p2, {counter}, %r21;", f"@%p2 bra {begin};", f"{after}:"]
            elif kind == "break" and end:
                self.lines.append(f"{self.condition()} bra {end};")
            elif kind == "return" and self.random.random() < 0.3:
                on = self.label()
                self.lines += [f"{self.condition()} bra {on};", STORE, "ret;", f"{on}:"]


COMPUTED = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "xor": operator.xor, "and": operator.and_}
COMPARED = {"lt": operator.lt, "eq": operator.eq, "ne": operator.ne}


def alone(kernel: Kernel, thread: int, block: int) -> int:
    """Run one thread by itself, an instruction after the other; the number that it stores."""
    first = next(k for k, one in enumerate(kernel.code) if one.name == "mad") + 1  # the thread's number is there
    numbers = {"%r90": thread, "%r93": thread + THREADS * block}

    def value(operand) -> int:
        return operand.value if isinstance(operand, Constant) else numbers[operand.name]

    at = first
    while True:
        one = kernel.code[at]
        at += 1
        if one.guard is not None and numbers[one.guard.name] == one.guard.negated:
            continue
        match one.name:
            case "bra":
                at = kernel.labels[one.operands[0].name]
            case "mov":
                numbers[one.operands[0].name] = value(one.operands[1])
            case "setp":
                numbers[one.operands[0].name] = COMPARED[one.modifiers[0]](*map(value, one.operands[1:]))
            case "st":
                assert isinstance(one.operands[1], Register)
                return value(one.operands[1])
            case word if word in COMPUTED and one.types[0].nbytes == 4 and "wide" not in one.modifiers:
                numbers[one.operands[0].name] = COMPUTED[word](*map(value, one.operands[1:])) & 0xFFFFFFFF


def check(seed: int) -> None:
    text = module(Drawn(seed).text)
    (out,) = tried(text, BLOCKS, THREADS, outputs=[np.empty(BLOCKS * THREADS, np.uint32)])
    kernel = parse(text).kernels["k"]
    assert out.tolist() == [alone(kernel, k % THREADS, k // THREADS) for k in range(BLOCKS * THREADS)], seed


@pytest.mark.parametrize("lanes", [64, 1 << 14])
def test_each_thread_goes_its_own_way(lanes, monkeypatch):
    monkeypatch.setattr(grid, "LANES", lanes)
    settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])(
        given(st.integers(0, 2**32))(check)
    )()


@pytest.mark.long
def test_each_of_many_threads_goes_its_own_way():
    for seed in range(300):
        check(seed)
