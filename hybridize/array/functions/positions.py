# SPDX-License-Identifier: Apache-2.0
"""Positions in sequences, gated linear units and root mean squares: what layers of language models call."""

from __future__ import annotations

from typing import Any

from hybridize.array import operands
from hybridize.base.dtypes import as_dtype, float32, is_float
from hybridize.base.errors import ArgumentError, DTypeError
from hybridize.base.promotion import floating, promote
from hybridize.ops.library import gates
from hybridize.ops.library import positions as library


@operands.public
def sinusoidal_positions(positions: Any, units: int, base: float = 10000.0, dtype: Any = None) -> Any:
    """Return vectors of sines and cosines of positions, in turns.

    Component 2 k is sin(position / base ** (2 k / units)), component 2 k + 1 the cosine of the same.

    Args:
        positions: of any shape.
        units: size of a vector.
        base: the longest wave is 2 pi times this.
        dtype: of the result, float32 unless given.

    Returns:
        [..., units].

    Raises:
        ArgumentError E308: the size is no integer from 0 on.
        DTypeError E221: the result is to be of another dtype than floats.

    >>> npx.sinusoidal_positions(np.array([0, 1]), 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    if isinstance(units, bool) or not hasattr(units, "__index__") or units < 0:
        raise ArgumentError("E308", f"sinusoidal_positions: units must be an integer from 0, got {units!r}")
    kind = float32 if dtype is None else as_dtype(dtype)
    if not is_float(kind):
        raise DTypeError("E221", f"sinusoidal_positions of dtype {kind}", help="use a float dtype: dtype='float32'")
    return operands.result(library.sinusoids(operands.strong(positions), int(units), float(base), kind))


@operands.public
def rotary_embedding(
    data: Any,
    positions: Any = None,
    base: float = 10000.0,
    pairing: str = "halves",
    rotary_size: int | None = None,
    layout: str = "BHTD",
) -> Any:
    """Rotate pairs of components of queries or keys by their position times a frequency, one for each pair.

    Products of rotated queries and keys depend on the distance of their positions alone.

    Args:
        data: [..., heads, time, size], or [..., time, size]; in the other layout [..., time, heads, size].
        positions: [time], or [n, time], n the first size; 0, 1, 2, ... unless given.
        base: pair k turns by base ** (-2 k / size) for each position.
        pairing: "halves": component k goes with k + size / 2; "neighbours": 2 k with 2 k + 1.
        rotary_size: how many components turn, from the first; all unless given.
        layout: "BHTD", or "BTHD": time before heads.

    Raises:
        ShapeError E197: an odd number of components, or more than there are; positions of another size.
        ValueArgumentError E345: no such pairing or layout.

    >>> npx.rotary_embedding(np.ones((1, 1, 2, 2))).round(4)
    array([[[[ 1.    ,  1.    ],
             [-0.3012,  1.3818]]]])
    """
    operands.one_of(pairing, library.PAIRINGS, "rotary_embedding", "pairing")
    operands.one_of(layout, ("BHTD", "BTHD"), "rotary_embedding", "layout")
    x = operands.array(data)
    places = None if positions is None else operands.strong(positions)
    axis = -2 if layout == "BHTD" else -3
    return operands.result(
        library.rotary_embedding(operands.float_operand(x), places, axis, float(base), pairing, rotary_size)
    )


@operands.public
def glu(data: Any, axis: int = -1, act_type: str = "sigmoid") -> Any:
    """Return the first half along an axis times a function of the second half.

    Args:
        data: any array.
        axis: that is halved.
        act_type: "sigmoid", "silu" (SwiGLU), "gelu" or "gelu_tanh" (GEGLU), "relu" (ReGLU), "linear" (no function), or
            another activation.

    Raises:
        ArgumentError E342: no activation is called so.
        ShapeError E198: the axis does not divide into halves.

    >>> npx.glu(np.array([1, 2, 0, 0]))
    array([0.5, 1. ])
    """
    x = operands.array(data)
    return operands.result(gates.glu(operands.float_operand(x), operands.axis_of(axis, x.ndim, "glu"), act_type))


@operands.public
def rms_norm(data: Any, gamma: Any = None, axis: Any = -1, eps: float = 1e-5) -> Any:
    """Return x / sqrt(mean(x x) + eps) * gamma over an axis.

    Args:
        data: any array.
        gamma: as large as the axis; nothing unless given.
        axis: over which the mean is taken; or several.
        eps: added to the mean.

    Raises:
        ShapeError E164: gamma is of another size.

    >>> npx.rms_norm(np.array([3.0, 4.0]), np.ones(2)).round(4)
    array([0.8485, 1.1314])
    """
    x = operands.array(data)
    axes = tuple(sorted(operands.axis_of(one, x.ndim, "rms_norm") for one in operands.several(axis)))
    dtype = floating(x.dtype if gamma is None else promote(x.dtype, operands.array(gamma).dtype))
    scale = None if gamma is None else operands.cast(operands.operand(operands.array(gamma)), dtype)
    return operands.result(gates.rms_norm(operands.cast(operands.operand(x), dtype), scale, axes, float(eps)))
