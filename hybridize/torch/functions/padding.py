# SPDX-License-Identifier: Apache-2.0
"""Padding, by a number or by what an image has at its borders."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dims import maximum
from hybridize.base.types import TensorType
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.rules import aten, not_implemented
from hybridize.torch.functions.table import computes


def _padded(input: Operand, pad: Sequence[Any]) -> TensorType:
    """Return the type of a tensor with so many more elements before and after its axes, from the last one on.

    Raises:
        RuntimeError: they do not fit; in torch's words.
    """
    of = type_of(input)
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * of.ndim:
        raise RuntimeError(
            f"Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)} while the input has {of.ndim} dimensions."
        )
    shape = list(of.shape)
    for k in range(len(pad) // 2):
        axis = of.ndim - 1 - k
        before, after = pad[2 * k], pad[2 * k + 1]
        shape[axis] = shape[axis] + before + after
        if shape[axis] < 0:
            raise RuntimeError(
                f"The input size {of.shape[axis]}, plus negative padding {before} and {after} resulted in a negative "
                f"output size, which is invalid. Check dimension {axis} of your input."
            )
    return of.with_shape(tuple(shape))


@computes("constant_pad_nd", held="value")
def _constant(input: Operand, pad: Sequence[Any], value: Any = 0) -> Operand:
    result = _padded(input, pad)
    return aten("constant_pad_nd.default", result, input, tuple(pad), value) if pad else input


@computes("nn.pad_sequence")
def _sequences(
    sequences: Sequence[Operand], batch_first: bool = False, padding_value: Any = 0.0, padding_side: str = "right"
) -> Operand:
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    types = [type_of(one) for one in sequences]
    if any(one.shape[1:] != types[0].shape[1:] for one in types):
        raise RuntimeError("The size of tensors in a list of sequences must match in all dimensions but the first")
    longest = functools.reduce(maximum, (one.shape[0] for one in types))
    rows = []
    for one, of in zip(sequences, types, strict=True):
        missing = longest - of.shape[0]
        ends = (missing, 0) if padding_side == "left" else (0, missing)
        row = _constant(one, (0, 0) * (of.ndim - 1) + ends, padding_value)
        rows.append(ops.reshape(row, (1, *type_of(row).shape)))
    found = ops.concat(*rows, axis=0)
    return found if batch_first else ops.transpose(found, (1, 0, *range(2, type_of(found).ndim)))


_MODES = {"reflect": "reflection_pad{}d", "replicate": "replication_pad{}d", "circular": "_pad_circular"}


@computes("nn.pad", held="value")
def _pad(input: Operand, pad: Sequence[Any], mode: str = "constant", value: Any = None) -> Operand:
    if mode == "constant":
        return _constant(input, pad, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in _MODES:
        raise not_implemented(f"Unrecognised padding mode {mode}")
    of, axes = type_of(input), len(pad) // 2
    result = _padded(input, pad)
    if axes not in (1, 2, 3) or of.ndim not in (axes + 1, axes + 2):
        raise not_implemented("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
    for k in range(axes):
        size, most = of.shape[of.ndim - 1 - k], max(pad[2 * k], pad[2 * k + 1])
        if mode == "reflect" and most >= size:
            raise RuntimeError(
                f"Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({pad[2 * k]}, {pad[2 * k + 1]}) at dimension {of.ndim - 1 - k} of input {list(of.shape)}"
            )
        if mode == "circular" and most > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
    return aten(f"{_MODES[mode].format(axes)}.default", result, input, tuple(pad))


def _register(kind: str, rank: int) -> None:
    @computes(f"nn.{kind}_pad{rank}d")
    def entry(input: Operand, padding: Sequence[Any]) -> Operand:
        return _pad(input, padding, {"reflection": "reflect", "replication": "replicate"}[kind])


for _rank in (1, 2, 3):
    _register("reflection", _rank)
    _register("replication", _rank)
