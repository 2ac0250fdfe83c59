# SPDX-License-Identifier: Apache-2.0
"""Long sums: the error is a few units in the last place of the terms' sum, whatever their number.

All terms are positive, so that a sum in order would be off by about half the square root of the number of terms.
"""

import math
import random

import numpy as np
import pytest

from hybridize import ops
from hybridize.base.dtypes import float32, float64
from hybridize.base.types import TensorType
from hybridize.compiler.compile import compile as compiled
from hybridize.graph import Value
from hybridize.machine.target import named_target
from hybridize.ops import make_graph

TARGETS = ["avx512", "avx2", "baseline"]
MOST = 16
"""Units in the last place of float32 that a sum may be off."""


def long(rng: random.Random, most: int) -> int:
    """A length, small ones as likely as large ones."""
    return int(math.exp(rng.uniform(math.log(most // 32), math.log(most))))


def product(
    rng: random.Random, rows: int, columns: int, form: str
) -> tuple[str, list[tuple[int, ...]], dict[str, int]]:
    k = long(rng, 400_000 // max(1, rows * columns // 64))
    x = (k, rows) if "x" in form else (rows, k)
    w = (columns, k) if "w" in form else (k, columns)
    return f"{'km' if 'x' in form else 'mk'},{'nk' if 'w' in form else 'kn'}->mn", [x, w], {}


def convolution(rng: random.Random) -> tuple[str, list[tuple[int, ...]], dict[str, int]]:
    channels = long(rng, 20_000)
    return "n[y+r][x+s]c,orsc->nyxo", [(1, 6, 6, channels), (20, 3, 3, channels)], {"y": 4, "x": 4}


def gradient(rng: random.Random, channels: int, filters: int) -> tuple[str, list[tuple[int, ...]], dict[str, int]]:
    n, size = rng.randint(1, 4), rng.randint(60, 200)
    shapes = [(n, channels, size + 2, size + 2), (n, filters, size, size)]
    return "nc[r+y][s+x],noyx->ocrs", shapes, {"r": 3, "s": 3}


def depthwise(rng: random.Random) -> tuple[str, list[tuple[int, ...]], dict[str, int]]:
    n, size = rng.randint(1, 2), rng.randint(60, 300)
    return "nc[r+y][s+x],ncyx->crs", [(n, 8, size + 2, size + 2), (n, 8, size, size)], {"r": 3, "s": 3}


KINDS = {
    **{
        f"{rows} x {columns} {form}": lambda rng, rows=rows, columns=columns, form=form: product(
            rng, rows, columns, form
        )
        for rows, columns in ((1, 16), (1, 1), (3, 3), (4, 64), (40, 70), (64, 2))
        for form in ("", "x", "w", "xw")
    },
    "convolution": convolution,
    "gradient by few filters": lambda rng: gradient(rng, 3, 4),
    "gradient by many filters": lambda rng: gradient(rng, 32, 32),
    "gradient by depthwise filters": depthwise,
}


def off(name: str, kind: str, seed: int, stable: bool = False) -> float:
    """How far a contraction of float32 is off, in units of its terms' sum."""
    spec, shapes, sizes = KINDS[kind](random.Random(f"{kind} {seed}"))
    draw = np.random.default_rng(seed)
    x, w = (draw.random(shape).astype(float32) for shape in shapes)

    def contracted(x: Value, w: Value) -> list[Value]:
        return [ops.contract(spec, x, w, sizes)]

    graph = make_graph(contracted, [TensorType(shape, float32) for shape in shapes])
    (result,) = compiled(graph, named_target(name), stable=(1,) if stable else ()).run([x, w])
    exact = make_graph(contracted, [TensorType(shape, float64) for shape in shapes])
    (truth,) = compiled(exact, named_target("avx2")).run([x.astype(np.float64), w.astype(np.float64)])
    result, truth = np.asarray(result, np.float64), np.asarray(truth)
    return float(np.max(np.abs(result - truth) / truth) / np.finfo(np.float32).eps)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TARGETS)
def test_the_error_does_not_grow_with_the_number_of_terms(name: str, kind: str):
    assert off(name, kind, seed=0) < MOST


@pytest.mark.parametrize("kind", ["1 x 16 w", "4 x 64 ", "40 x 70 ", "convolution"])
def test_packed_and_narrow_operands_are_as_near(kind: str):
    assert off("avx512", kind, seed=1, stable=True) < MOST


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("kind", KINDS)
def test_random_lengths(kind: str, seed: int):
    assert off(TARGETS[seed % 3], kind, seed) < MOST
