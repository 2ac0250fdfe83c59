# SPDX-License-Identifier: Apache-2.0
"""Gated linear units: one half of an array times a function of the other half; and root mean squares."""

from __future__ import annotations

from hybridize.base import dims
from hybridize.base.errors import ShapeError
from hybridize.ops.analysis import rsqrt
from hybridize.ops.arithmetic import add, mul
from hybridize.ops.composite import composite
from hybridize.ops.composites import activation, gelu, mean
from hybridize.ops.op import Operand, type_of
from hybridize.ops.slicing import slice as sliced
from hybridize.ops.views import broadcast, cast, like, reshape, spread, wide


@composite("glu")
def glu(x: Operand, axis: int = -1, act_type: str = "sigmoid") -> Operand:
    """Return the first half along an axis times a function of the second one.

    Args:
        x: any float array.
        axis: that is halved, counted from 0.
        act_type: an activation, "gelu_tanh", or "linear" for the second half itself.

    Raises:
        ArgumentError E342: no activation is called so.
        ShapeError E198: the axis does not divide into halves.
    """
    kind = type_of(x)
    if kind.shape[axis] % 2:
        help = f"axis {axis} is of an even size"
        raise ShapeError("E198", f"glu of {kind} along axis {axis}", help=help)
    half = kind.shape[axis] // 2

    def part(first: int, last: int) -> Operand:
        starts = tuple(first if k == axis else 0 for k in range(kind.ndim))
        stops = tuple(last if k == axis else size for k, size in enumerate(kind.shape))
        return sliced(x, starts, stops, (1,) * kind.ndim)

    return gated(part(0, half), part(half, 2 * half), act_type)


def gated(x: Operand, gate: Operand, act_type: str) -> Operand:
    """`x` times a function of `gate`, of the same type."""
    dtype = type_of(x).dtype
    x, gate = (cast(part, wide(dtype)) for part in (x, gate))
    if act_type == "gelu_tanh":
        gate = gelu(gate, "tanh")
    elif act_type != "linear":
        gate = activation(gate, act_type)
    return cast(mul(x, gate), dtype)


@composite("rms_norm")
def rms_norm(x: Operand, gamma: Operand | None = None, axes: tuple[int, ...] = (-1,), eps: float = 1e-5) -> Operand:
    """Return x / sqrt(mean(x x) + eps) gamma over some axes, counted from 0; gamma is as large as they are.

    Raises:
        ShapeError E164: gamma is not.
    """
    kind = type_of(x)
    inner = tuple(kind.shape[axis] for axis in axes)
    if gamma is not None and type_of(gamma).shape != inner:
        wanted = ",".join(map(dims.text, inner))
        raise ShapeError("E164", f"rms_norm of {kind} over axes {axes} with {type_of(gamma)}", help=f"it is [{wanted}]")
    y = cast(x, wide(kind.dtype))
    square = mean(mul(y, y), axes)
    y = mul(y, spread(rsqrt(add(square, like(eps, square))), kind.shape, axes))
    if gamma is not None:
        ones = tuple(size if axis in axes else 1 for axis, size in enumerate(kind.shape))
        y = mul(y, broadcast(reshape(cast(gamma, type_of(y).dtype), ones), kind.shape))
    return cast(y, kind.dtype)
