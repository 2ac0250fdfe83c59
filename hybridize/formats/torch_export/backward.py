# SPDX-License-Identifier: Apache-2.0
"""Operators of backward passes over images, as graphs have them that PyTorch differentiated before they came here.

Each is the pullback of the translation of what it belongs to, by the ops' own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import int64
from hybridize.formats.torch_export.registry import Types, aten, operand
from hybridize.formats.torch_export.windows import TRANSLATIONS
from hybridize.ops import Operand, type_of


def _pulled(function: Callable[..., Operand], inputs: Sequence[Operand], g: Operand) -> tuple[Operand, ...]:
    """Return the gradients of `function` by its inputs; zeros where there is no path."""
    kinds = [type_of(x) for x in inputs]
    found = ops.pullback(ops.make_graph(lambda *xs: [function(*xs)], kinds), inputs, [g])
    return tuple(
        operand(0, kind.dtype, kind.shape) if slope is None else slope for slope, kind in zip(found, kinds, strict=True)
    )


def _first(y: Operand | tuple[Operand, ...]) -> Operand:
    return y[0] if isinstance(y, tuple) else y


@aten("convolution_backward.default")
def _convolution(
    types: Types, g: Operand, x: Operand, weight: Operand, bias: Sequence[int] | None, *how: Any
) -> tuple[Operand | None, ...]:
    *rest, mask = how
    forward = TRANSLATIONS["aten.convolution.default"]
    slopes = _pulled(lambda x, w: forward((type_of(g),), x, w, None, *rest), (x, weight), g)
    axes = tuple(k for k in range(type_of(g).ndim) if k != 1)
    found = (*slopes, ops.sum(g, axes))
    return tuple(slope if wanted else None for slope, wanted in zip(found, mask, strict=True))


def _of_image(name: str, count: int) -> Callable[..., Operand]:
    """Return the gradient by an image of an operator with so many other arguments; what follows those is left out."""
    forward = TRANSLATIONS[name]

    def translate(types: Types, g: Operand, x: Operand, *how: Any) -> Operand:
        kinds = (type_of(g), type_of(g).with_dtype(int64))
        counts = [type_of(g).shape] if count == 0 else []
        return _pulled(lambda x: _first(forward(kinds, x, *counts, *how[:count])), (x,), g)[0]

    return translate


for _rank in (2, 3):
    for _name, _count in (
        (f"max_pool{_rank}d_with_indices", 5),
        (f"avg_pool{_rank}d", 6),
        (f"_adaptive_avg_pool{_rank}d", 0),
        (f"adaptive_max_pool{_rank}d", 0),
    ):
        aten(f"{_name}_backward.default")(_of_image(f"aten.{_name}.default", _count))
for _rank in (1, 2, 3):
    for _name in (f"reflection_pad{_rank}d", f"replication_pad{_rank}d"):
        aten(f"{_name}_backward.default")(_of_image(f"aten.{_name}.default", 1))


def _of_sizes(name: str) -> Callable[..., Operand]:
    """Return the gradient of an interpolation, which is told the sizes of its image and not given it."""
    forward = TRANSLATIONS[name]

    def translate(types: Types, g: Operand, wanted: Any, sizes: Sequence[int], *how: Any) -> Operand:
        x = operand(0, type_of(g).dtype, sizes)
        return _pulled(lambda x: forward((type_of(g),), x, wanted, *how), (x,), g)[0]

    return translate


for _name in [name for name in TRANSLATIONS if "upsample_" in name and name.endswith(".default")]:
    aten(_name.removeprefix("aten.").replace(".default", "_backward.default"))(_of_sizes(_name))


@aten("grid_sampler_2d_backward.default", "grid_sampler_3d_backward.default")
def _grid_sampler(types: Types, g: Operand, x: Operand, grid: Operand, *how: Any) -> tuple[Operand | None, ...]:
    *rest, mask = how
    forward = TRANSLATIONS["aten.grid_sampler_2d.default"]
    found = _pulled(lambda x, grid: forward((type_of(g),), x, grid, *rest), (x, grid), g)
    return tuple(slope if wanted else None for slope, wanted in zip(found, mask, strict=True))
