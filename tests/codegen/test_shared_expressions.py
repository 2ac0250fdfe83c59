# SPDX-License-Identifier: Apache-2.0
"""The work of compiling grows with the parts of an expression, and not with the paths that lead to them."""

import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import build
from hybridize.graph import Graph, Value
from hybridize.machine.target import named_target
from hybridize.ops import composites, make_graph
from hybridize.passes import PIPELINE

TARGET = named_target("avx512")


def chain(x: Value, depth: int) -> Value:
    """A value that has 2 ** depth paths to `x`."""
    for _ in range(depth):
        x = ops.sub(ops.mul(x, x), x)
    return x


def convolution(x: Value, w: Value, size: int) -> Value:
    return ops.contract("n[y+r-1][x+s-1]c,orsc->nyxo", x, w, {"y": size, "x": size})


# Each kind of kernel: the value that the chain begins with, what follows it, and the shapes of both operands.
KINDS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Sequence[tuple[int, ...]]]] = {
    "elements": (ops.mul, lambda y: y, ((64, 64), (64, 64))),
    "rows": (ops.mul, lambda y: ops.sum(y, (1,)), ((64, 64), (64, 64))),
    "columns": (ops.mul, lambda y: ops.sum(y, (0,)), ((64, 64), (64, 64))),
    "softmax": (ops.mul, lambda y: composites.softmax(y, 1), ((64, 64), (64, 64))),
    "routine": (ops.mul, lambda y: ops.sort(y, 1), ((64, 64), (64, 64))),
    "tiles": (ops.matmul, lambda y: y, ((16, 64), (64, 64))),
    "one row": (ops.matmul, lambda y: y, ((1, 64), (64, 64))),
    "batch": (ops.matmul, lambda y: y, ((3, 16, 64), (3, 64, 64))),
    "taps": (lambda x, w: convolution(x, w, 8), lambda y: y, ((1, 8, 8, 16), (32, 3, 3, 16))),
    "winograd": (lambda x, w: convolution(x, w, 32), lambda y: y, ((1, 32, 32, 64), (64, 3, 3, 64))),
    "lanes": (
        lambda x, w: ops.contract("nc[y+r-1][x+s-1],ocrs->noyx", x, w, {"y": 8, "x": 8}),
        lambda y: y,
        ((1, 1, 8, 8), (2, 1, 3, 3)),
    ),
}


def graph_of(kind: str, depth: int) -> Graph:
    begin, follow, shapes = KINDS[kind]
    types = [TensorType(shape, float32) for shape in shapes]
    return make_graph(lambda x, w: [follow(chain(begin(x, w), depth))], types)


def calls_of(function: Callable[[], object], most: int) -> int:
    """The calls of Python that a function makes; an error when they are more than `most`."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"
        if count > most:
            sys.setprofile(None)
            raise AssertionError(f"more than {most} calls")

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", KINDS)
def test_the_work_of_a_shared_expression_is_linear_in_its_depth(kind: str):
    def work(depth: int) -> int:
        graph = graph_of(kind, depth)
        return calls_of(lambda: build(PIPELINE.run(graph), TARGET, stable=(1,)), 1_000_000)

    work(20)  # fills the caches of this process
    assert work(40) < 2.5 * work(20)


PIECES: dict[str, Callable[[Value, int], Value]] = {
    "views": lambda x, k: ops.slice(x, (63 - k % 64, 0), (64 - k % 64, 8), (1, 1)),
    "light": lambda x, k: ops.mul(PIECES["views"](x, k), PIECES["views"](x, 0)),
    "computed": lambda x, k: ops.exp(PIECES["light"](x, k)),
}


@pytest.mark.parametrize("kind", PIECES)
def test_the_work_of_a_concatenation_is_linear_in_its_pieces(kind: str):
    def graph(count: int) -> Graph:
        types = [TensorType((64, 8), float32)]
        return make_graph(lambda x: [ops.concat(*(PIECES[kind](x, k) for k in range(count)), axis=0)], types)

    def work(count: int) -> int:
        made = graph(count)
        return calls_of(lambda: build(PIPELINE.run(made), TARGET), 10_000_000)

    work(50)
    assert work(200) < 5 * work(50)
