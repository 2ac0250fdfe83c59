# SPDX-License-Identifier: Apache-2.0
"""Dropout, of elements and of whole channels; the random numbers are ours (see `torch.draws`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import bool_, float32
from hybridize.base.types import Shape
from hybridize.ops import Operand, composites, type_of
from hybridize.torch import draws
from hybridize.torch.functions.conversions import tensor_of_operand
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.rules import expect
from hybridize.torch.functions.table import computes, views


def _check(p: Any) -> None:
    expect(p >= 0 and p <= 1)


def _drops(name: str) -> Callable[[Callable[..., Operand]], Callable[..., Operand]]:
    """Register a kind of dropout, and what writes it; where nothing is dropped it gives the tensor itself."""

    def register(function: Callable[..., Operand]) -> Callable[..., Operand]:
        @views(name)
        def entry(input: Symbol, p: Any, train: bool) -> Symbol:
            _check(p)
            return tensor_of_operand(function(input.operand(), p, train)) if train and p != 0 else input

        @computes(f"{name}_")
        def written(input: Operand, p: Any, train: bool) -> Operand:
            return function(input, p, train)

        return function

    return register


@_drops("dropout")
def _dropout(input: Operand, p: Any, train: bool) -> Operand:
    _check(p)
    if not train or p == 0:
        return input
    return ops.mul(input, ops.like(0, input)) if p == 1 else composites.dropout(input, draws.key(), p)


@computes("native_dropout")
def _native_dropout(input: Operand, p: Any, train: bool | None) -> tuple[Operand, Operand]:
    _check(p)
    if train is False or p == 0:
        return input, ops.cast(ops.like(1, input), bool_)
    if p == 1:
        return ops.like(0, input), ops.cast(ops.like(0, input), bool_)
    key, shape = draws.key(), type_of(input).shape
    mask = ops.ge(composites.uniform(key, shape), operand(p, float32, shape))
    return composites.dropout(input, key, p), mask


def _channels(input: Operand) -> Shape:
    """Return the sizes of what is dropped as a whole: a number for each image and channel."""
    of = type_of(input)
    expect(of.ndim >= 2)
    return (*of.shape[:2], *(1,) * (of.ndim - 2))


@_drops("feature_dropout")
def _feature_dropout(input: Operand, p: Any, train: bool) -> Operand:
    _check(p)
    if not train or p == 0:
        return input
    of = type_of(input)
    chance = composites.uniform(draws.key(), _channels(input))
    return composites.dropped(input, operand(chance, float32, of.shape), p)


_ALPHA = 1.7580993408473766
"""Minus the value to which SELU goes at minus infinity."""


def _alpha(input: Operand, p: Any, train: bool, sizes: Callable[[Operand], Shape]) -> Operand:
    """Give what is dropped the value that SELU has at minus infinity; all are scaled so that mean and variance stay."""
    _check(p)
    if not train or p == 0:
        return input
    of = type_of(input)
    if p == 1:
        return ops.mul(input, ops.like(0, input))
    chance = operand(composites.uniform(draws.key(), sizes(input)), float32, of.shape)
    mask = ops.ge(chance, operand(p, float32, of.shape))
    scale = 1 / ((_ALPHA**2 * p + 1) * (1 - p)) ** 0.5
    moved = ops.where(mask, input, ops.like(-_ALPHA, input))
    return ops.add(ops.mul(moved, ops.like(scale, input)), ops.like(_ALPHA * scale * p, input))


@_drops("alpha_dropout")
def _alpha_dropout(input: Operand, p: Any, train: bool) -> Operand:
    return _alpha(input, p, train, lambda x: type_of(x).shape)


@_drops("feature_alpha_dropout")
def _feature_alpha_dropout(input: Operand, p: Any, train: bool) -> Operand:
    return _alpha(input, p, train, _channels)
