"""Branches as constructs within each other: they run the blocks that the branches run, in the same order."""

import contextlib
import random
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hybridize.base.errors import CodegenError
from hybridize.codegen.wgsl.reading import BasicBlock, KernelReading
from hybridize.codegen.wgsl.shapes import Shape
from tests.refusals import refusal

STEPS = 60
"""Blocks that a run has, at most."""


class Enough(Exception):
    """A run has been long enough."""


class PythonPen:
    """Writes constructs as Python, which has the same ones."""

    def __init__(self) -> None:
        self.lines, self.depth = ["def run(at, decide):", "  way = 0"], 1

    def line(self, text: str) -> None:
        text = re.sub(r"\b(\d+)u\b", r"\1", text).replace("||", "or")
        self.lines.append("  " * self.depth + text.rstrip(";"))

    def block(self, block: BasicBlock) -> None:
        self.line(f"at({block.label!r})")

    def edge(self, source: str, target: str) -> None:
        self.line(f"at(({source!r}, {target!r}))")

    def open(self, head: str) -> None:
        self.line("while True:" if head == "loop" else f"{head}:")
        self.depth += 1
        self.line("pass")

    def orelse(self) -> None:
        self.depth -= 1
        self.line("else:")
        self.depth += 1
        self.line("pass")

    def close(self) -> None:
        self.depth -= 1

    def condition(self, block: BasicBlock) -> str:
        return f"decide({block.label!r})"

    def function(self):
        scope = {}
        exec("\n".join(self.lines), scope)
        return scope["run"]


def blocks_of(ways: dict[str, tuple[str, ...]]) -> KernelReading:
    made = {label: BasicBlock(label, condition="%c" if len(to) == 2 else "", ways=to) for label, to in ways.items()}
    return KernelReading("f", (), made)


def decisions(seed: int):
    """What each block decides, each time anew: often to go on, so that loops end."""
    return random.Random(seed)


def directly(ways: dict[str, tuple[str, ...]], seed: int) -> list[object]:
    """The blocks and the ways of a run, branch by branch."""
    trace, label, chance = [], next(iter(ways)), decisions(seed)
    while len(trace) < STEPS:
        trace.append(label)
        to = ways[label]
        if not to:
            break
        after = to[0] if len(to) == 1 or chance.random() < 0.5 else to[1]
        trace.append((label, after))
        label = after
    return trace[:STEPS]


def by_constructs(ways: dict[str, tuple[str, ...]], seed: int) -> list[object]:
    """The same by the constructs that they become."""
    pen = PythonPen()
    Shape(blocks_of(ways), pen).write()
    trace, chance = [], decisions(seed)

    def at(what: object) -> None:
        if len(trace) == STEPS:
            raise Enough
        trace.append(what)

    with contextlib.suppress(Enough):
        pen.function()(at, lambda label: chance.random() < 0.5)
    return trace


CASES = {
    "a line": {"a": ("b",), "b": ()},
    "a choice": {"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ()},
    "a guarded loop": {"a": ("b", "d"), "b": ("c",), "c": ("b", "d"), "d": ()},
    "a loop with two exits": {"a": ("b",), "b": ("c", "d"), "c": ("b", "e"), "d": ("f",), "e": ("f",), "f": ()},
    "a loop left from a loop": {"a": ("b",), "b": ("c",), "c": ("d", "f"), "d": ("c", "e"), "e": ("b", "f"), "f": ()},
    "a way around two blocks": {"a": ("b", "c"), "b": ("c", "d"), "c": ("d",), "d": ()},
    "ends on the way": {"a": ("b", "c"), "b": (), "c": ("d", "e"), "d": ("f",), "e": ("f",), "f": ()},
    "a turn that ends early": {"a": ("b",), "b": ("c", "d"), "c": ("d", "b"), "d": ("b", "e"), "e": ()},
}


@pytest.mark.parametrize("name", CASES)
def test_a_shape(name):
    for seed in range(20):
        assert by_constructs(CASES[name], seed) == directly(CASES[name], seed)


@st.composite
def graphs(draw) -> dict[str, tuple[str, ...]]:
    """Blocks in an order, each with ways to later ones, or back."""
    count = draw(st.integers(2, 9))
    ways: dict[str, tuple[str, ...]] = {}
    for number in range(count):
        later = st.integers(number + 1, count - 1) if number + 1 < count else st.nothing()
        earlier = st.integers(1, number) if number else st.nothing()
        to = draw(st.lists(later | earlier if number else later, min_size=0, max_size=2, unique=True))
        ways[f"b{number}"] = tuple(f"b{one}" for one in to) or ((f"b{number + 1}",) if number + 1 < count else ())
    reached, stack = {"b0"}, ["b0"]
    while stack:
        for one in ways[stack.pop()]:
            if one not in reached:
                reached.add(one)
                stack.append(one)
    return {label: to for label, to in ways.items() if label in reached}


@given(graphs(), st.integers(0, 1000))
def test_any_shape(ways, seed):
    try:
        found = by_constructs(ways, seed)
    except CodegenError as error:
        assume("two beginnings" not in str(error))
        raise
    assert found == directly(ways, seed)


def test_a_loop_that_ways_enter_at_two_blocks_is_refused():
    ways = {"a": ("b", "c"), "b": ("c",), "c": ("b", "d"), "d": ()}
    with refusal(CodegenError, "E980: .*a loop with two beginnings"):
        by_constructs(ways, 0)


def test_loops_that_are_left_once_need_no_number():
    pen = PythonPen()
    Shape(blocks_of(CASES["a guarded loop"]), pen).write()
    assert not any("way =" in line for line in pen.lines[2:])
