# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow's random numbers that have a state of their own: our generator draws them, so the numbers differ.

Whoever walks has the generator among the variables, two words under `GENERATOR`, of which each draw takes a stream of
its own; or gives keys.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy

from hybridize import ops
from hybridize.base.dtypes import float32, float64, int64, uint64
from hybridize.formats.foreign.checks import every_graph
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.program import ForeignProgram
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.shapes import dtype_of
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops.library.variates import choices, normal_numbers
from hybridize.ops.op import Operand, type_of

GENERATOR: Final = "random.state"
DRAWS: Final = frozenset({
    "RandomUniform", "RandomStandardNormal", "RandomUniformInt", "TruncatedNormal", "Multinomial", "RandomShuffle",
})  # fmt: skip
"""The operators that draw."""


def draws(program: ForeignProgram) -> bool:
    """Tell whether a program draws numbers of a generator."""
    return any(node.op in DRAWS for graph in every_graph(program) for node in graph.nodes)


def _key(n: Application) -> Operand:
    """The key of the next draw."""
    state = n.walk.state
    if GENERATOR not in state:
        return n.key()
    key = state[GENERATOR]
    state[GENERATOR] = ops.add(key, ops.constant(numpy.array([0, 1], uint64)))
    return key


def _sizes(n: Application, shape: Value) -> tuple[Any, ...]:
    return tuple(n.known(shape, 0).list())


@TENSORFLOW("RandomUniform", known=(0,), folds=False)
def uniform(n: Application, shape: Value) -> Operand:
    """Numbers in [0, 1)."""
    dtype = dtype_of(n, "dtype", float32)
    return ops.cast(ops.uniform_numbers(_key(n), _sizes(n, shape), float64 if dtype == float64 else float32), dtype)


@TENSORFLOW("RandomStandardNormal", known=(0,), folds=False)
def normal(n: Application, shape: Value) -> Operand:
    """Standard normal numbers."""
    return normal_numbers(_key(n), _sizes(n, shape), dtype_of(n, "dtype", float32))


@TENSORFLOW("RandomUniformInt", known=(0,), folds=False)
def uniform_integers(n: Application, shape: Value, low: Operand, high: Operand) -> Operand:
    """Integers from one on and below another."""
    dtype = type_of(low).dtype
    unit = ops.uniform_numbers(_key(n), _sizes(n, shape), float64)
    span = ops.cast(ops.sub(high, low), float64)
    steps = ops.floor(ops.mul(unit, ops.broadcast(span, type_of(unit).shape)))
    return ops.add(ops.cast(steps, dtype), ops.broadcast(low, type_of(unit).shape))


@TENSORFLOW("TruncatedNormal", known=(0,), folds=False)
def truncated_normal(n: Application, shape: Value) -> Operand:
    """Normal numbers from -2 to 2."""
    dtype = dtype_of(n, "dtype", float32)
    share = ops.uniform_numbers(_key(n), _sizes(n, shape), float64)
    ends = math.erf(math.sqrt(2))  # of what erfinv takes, from -ends to ends
    unit = ops.mul(ops.sub(ops.add(share, share), ops.like(1, share)), ops.like(ends, share))
    return ops.cast(ops.mul(ops.erfinv(unit), ops.like(math.sqrt(2), unit)), dtype)


@TENSORFLOW("Multinomial", known=(1,), folds=False)
def classes(n: Application, logits: Operand, count: Known) -> Operand:
    """Numbers of classes, by the logarithms of their chances."""
    return ops.cast(choices(_key(n), logits, count.item()), dtype_of(n, "output_dtype", int64))


@TENSORFLOW("RandomShuffle", folds=False)
def shuffled(n: Application, x: Operand) -> Operand:
    """The rows in a random order."""
    numbers = ops.uniform_numbers(_key(n), (type_of(x).shape[0],), float64)
    return ops.gather(x, ops.arg_sort(numbers, 0), 0)
