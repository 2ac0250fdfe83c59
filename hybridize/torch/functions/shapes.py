# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that move elements, and those that give views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base.dims import product
from hybridize.ops import Broadcast, Operand, StopGradient, Transpose, type_of
from hybridize.torch.functions.rules import aten, axis_of, common, kind, sizes_in
from hybridize.torch.functions.table import computes, views


def reshaped(x: Symbol, shape: Sequence[Any]) -> Symbol:
    """Return a tensor in other sizes, one of which may be -1: a view where that can be."""
    return functions.reshape(x, tuple(shape))  # type: ignore[no-any-return]


@views("view", "reshape")
def _reshape(input: Symbol, *shape: Any) -> Symbol:
    return reshaped(input, sizes_in(shape))


@views("flatten")
def _flatten(input: Symbol, start_dim: int = 0, end_dim: int = -1) -> Symbol:
    ndim = len(input.shape)
    if not ndim:
        return reshaped(input, (1,))
    first, last = axis_of(start_dim, ndim), axis_of(end_dim, ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    return reshaped(input, (*input.shape[:first], product(input.shape[first : last + 1]), *input.shape[last + 1 :]))


@views("permute")
def _permute(input: Symbol, *dims: Any) -> Symbol:
    axes = tuple(axis_of(int(axis), len(input.shape)) for axis in sizes_in(dims))
    return input.view_by(Transpose(axes))


@views("transpose", "swapaxes", "swapdims")
def _transpose(input: Symbol, dim0: int, dim1: int) -> Symbol:
    ndim = len(input.shape)
    axes = list(range(ndim))
    if ndim:
        first, second = axis_of(dim0, ndim), axis_of(dim1, ndim)
        axes[first], axes[second] = axes[second], axes[first]
    return input.view_by(Transpose(tuple(axes)))


@views("t")
def _t(input: Symbol) -> Symbol:
    return input.view_by(Transpose(tuple(reversed(range(len(input.shape))))))


@views("unsqueeze")
def _unsqueeze(input: Symbol, dim: int) -> Symbol:
    axis = axis_of(dim, len(input.shape) + 1)
    return reshaped(input, (*input.shape[:axis], 1, *input.shape[axis:]))


@views("detach")
def _detach(input: Symbol) -> Symbol:
    return input.view_by(StopGradient()) if input.dtype.kind not in "biu" else input.same()


@views("expand")
def _expand(input: Symbol, *sizes: Any, implicit: bool = False) -> Symbol:
    wanted = sizes_in(sizes)
    before = (1,) * (len(wanted) - len(input.shape)) + tuple(input.shape)
    shape = tuple(old if isinstance(new, int) and new == -1 else new for new, old in zip(wanted, before, strict=True))
    return input.view_by(Broadcast(shape))


@views("Tensor.__getitem__")
def _getitem(input: Symbol, key: Any) -> Symbol:
    return functions.getitem(input, key)  # type: ignore[no-any-return]


@views("Tensor.__setitem__")
def _setitem(input: Symbol, key: Any, value: Any) -> None:
    input[key] = value


@computes("cat", "concat", "concatenate")
def _cat(tensors: Sequence[Operand], dim: int = 0) -> Operand:
    kinds = [type_of(x) for x in tensors]
    wide = [one for one in kinds if one.ndim != 1 or one.shape[0] != 0 or all(other.ndim == 1 for other in kinds)]
    axis = axis_of(dim, wide[0].ndim)
    total = sum(one.shape[axis] for one in wide)
    shape = (*wide[0].shape[:axis], total, *wide[0].shape[axis + 1 :])
    return aten("cat.default", kind(common(*tensors), shape), list(tensors), axis)
