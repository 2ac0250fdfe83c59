# SPDX-License-Identifier: Apache-2.0
"""`Block.summary`: MXNet's table of layers, output shapes and parameter counts."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any

from hybridize.base.errors import AssertionFailed
from hybridize.base.frozen import mutable
from hybridize.base.nested import Structure, flatten

_WIDTHS = (20, 42, 15)
_LINE = "-" * 80


@mutable
class _Row:
    name: str
    shape: str
    count: int


@mutable
class _Totals:
    all: int = 0
    trainable: int = 0
    shared: int = 0
    seen: set[int] = field(default_factory=set)


def show(block: Any, inputs: tuple[Any, ...]) -> None:
    """Print the table of one imperative call.

    Raises:
        AssertionFailed E505: a block is hybridized, so that its children are not called one by one.
    """
    rows = [_Row("Input", _shapes(inputs if len(inputs) != 1 else inputs[0]), 0)]
    totals = _Totals()
    handles: list[Any] = []
    counters: dict[str, int] = {}

    def refuse(part: Any) -> None:
        if getattr(part, "active", False):
            raise AssertionFailed(
                "E505",
                f'"{type(part).__name__}" must not be hybridized to print summary',
                help="hybridize(active=False) on the net before, and hybridize() again afterwards",
            )
        for child in part._children.values():
            refuse(child)

    def watch(part: Any) -> None:
        handles.append(part.register_forward_hook(note))

    def note(part: Any, _: Any, outputs: Any) -> None:
        kind = type(part).__name__
        number = counters[kind] = counters.get(kind, 0) + 1
        rows.append(_Row(f"{kind}-{number}", _shapes(outputs), _count(part, totals)))

    refuse(block)  # the outermost first: that is the one that the user hybridized
    block.apply(watch)
    try:
        block(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    print(_table(rows, totals))


def _count(part: Any, totals: _Totals) -> int:
    count = 0
    for parameter in part._own_parameters().values():
        size = math.prod(parameter.shape)
        count += size
        if id(parameter) in totals.seen:
            totals.shared += size
            continue
        totals.seen.add(id(parameter))
        totals.all += size
        totals.trainable += size if parameter.grad_req != "null" else 0
    return count


def _shapes(value: Any) -> str:
    leaves, structure = flatten(value)
    shapes = iter([str(getattr(leaf, "shape", leaf)) for leaf in leaves])
    return _shown(structure, shapes)


def _shown(structure: Structure, shapes: Any) -> str:
    if structure.kind == "leaf":
        return str(next(shapes))
    if structure.kind == "none":
        return "None"
    return f"[{', '.join(_shown(child, shapes) for child in structure.children)}]"


def _table(rows: list[_Row], totals: _Totals) -> str:
    def line(*cells: object) -> str:
        return "".join(f"{cell!s:>{width}} " for cell, width in zip(cells, _WIDTHS, strict=True))

    return "\n".join(
        [
            _LINE,
            line("Layer (type)", "Output Shape", "Param #"),
            "=" * 80,
            *(line(row.name, row.shape, row.count) for row in rows),
            "=" * 80,
            "Parameters in forward computation graph, duplicate included",
            f"   Total params: {totals.all + totals.shared}",
            f"   Trainable params: {totals.trainable}",
            f"   Non-trainable params: {totals.all - totals.trainable}",
            f"Shared params in forward computation graph: {totals.shared}",
            f"Unique parameters in model: {totals.all}",
            _LINE,
        ]
    )
