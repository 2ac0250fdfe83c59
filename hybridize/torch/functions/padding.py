# SPDX-License-Identifier: Apache-2.0
"""Padding, by a number or by what an image has at its borders."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import maximum, same
from hybridize.ops import Operand, type_of
from hybridize.ops.library.padding import padded
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.rules import expect
from hybridize.torch.functions.table import computes


def _check_pad(input: Operand, pad: Sequence[Any]) -> None:
    """Check numbers of elements before and after axes, from the last one on, against a tensor."""
    shape = type_of(input).shape
    expect(not len(pad) % 2 and len(pad) <= 2 * len(shape))
    both = zip(pad[::2], pad[1::2], reversed(shape[len(shape) - len(pad) // 2 :]), strict=True)
    expect(all(size + before + after >= 0 for before, after, size in both))


@computes("constant_pad_nd", held="value")
def _constant(input: Operand, pad: Sequence[Any], value: Any = 0) -> Operand:
    _check_pad(input, pad)
    low, high = [0] * type_of(input).ndim, [0] * type_of(input).ndim
    for k, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True), 1):
        input = _less(input, len(low) - k, before, after)
        low[-k], high[-k] = maximum(0, before), maximum(0, after)
    return ops.pad(input, operand(value, type_of(input).dtype), tuple(low), tuple(high))


def _less(x: Operand, axis: int, before: Any, after: Any) -> Operand:
    """Return a tensor without the elements at the ends of an axis that padding below 0 leaves out."""
    return ops.part(x, axis, maximum(0, -before), type_of(x).shape[axis] - maximum(0, -after))


@computes("nn.pad_sequence")
def _sequences(
    sequences: Sequence[Operand], batch_first: bool = False, padding_value: Any = 0.0, padding_side: str = "right"
) -> Operand:
    expect(sequences)
    types = [type_of(one) for one in sequences]
    expect(all(one.shape[1:] == types[0].shape[1:] for one in types))
    longest = functools.reduce(maximum, (one.shape[0] for one in types))
    rows = []
    for one, of in zip(sequences, types, strict=True):
        missing = longest - of.shape[0]
        ends = (missing, 0) if padding_side == "left" else (0, missing)
        row = _constant(one, (0, 0) * (of.ndim - 1) + ends, padding_value)
        rows.append(ops.reshape(row, (1, *type_of(row).shape)))
    batch = ops.concat(*rows, axis=0)
    return batch if batch_first else ops.transpose(batch, (1, 0, *range(2, type_of(batch).ndim)))


_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""By torch's words for where elements come from, NumPy's."""


@computes("nn.pad", held="value")
def _pad(input: Operand, pad: Sequence[Any], mode: str = "constant", value: Any = None) -> Operand:
    if mode == "constant":
        return _constant(input, pad, 0 if value is None else value)
    expect(value is None or value == 0)
    expect(mode in _MODES)
    of, axes = type_of(input), len(pad) // 2
    _check_pad(input, pad)
    expect(axes in (1, 2, 3) and of.ndim in (axes + 1, axes + 2))
    for k in range(axes):
        size, most = of.shape[of.ndim - 1 - k], max(pad[2 * k], pad[2 * k + 1])
        expect(mode != "reflect" or most < size)
        expect(mode != "circular" or most <= size)
    for k in range(axes):
        input = _one_padded(input, of.ndim - 1 - k, pad[2 * k], pad[2 * k + 1], _MODES[mode])
    return input


def _one_padded(x: Operand, axis: int, before: Any, after: Any, mode: str) -> Operand:
    """Padding below 0 leaves elements out: before others are put around what is left where it wraps, else after it."""
    more = maximum(0, before), maximum(0, after)
    if mode == "wrap":
        x = _less(x, axis, before, after)
    if any(not same(one, 0) for one in more):
        x = padded(x, axis, *more, mode)
    return x if mode == "wrap" else _less(x, axis, before, after)


def _register(kind: str, rank: int) -> None:
    @computes(f"nn.{kind}_pad{rank}d")
    def entry(input: Operand, padding: Sequence[Any]) -> Operand:
        return _pad(input, padding, {"reflection": "reflect", "replication": "replicate"}[kind])


for _rank in (1, 2, 3):
    _register("reflection", _rank)
    _register("replication", _rank)
