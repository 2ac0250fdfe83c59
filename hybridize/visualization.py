# SPDX-License-Identifier: Apache-2.0
"""MXNet's `visualization`: an expression as a table of its layers, and as a drawing, without Graphviz."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridize.base.drawing import Box, Drawing
from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import frozen
from hybridize.base.names import refuses
from hybridize.base.participation import outside_only
from hybridize.formats.atomic import write_atomically
from hybridize.symbol.expression import Expression

_WEIGHTS = (
    "_weight", "_bias", "_beta", "_gamma", "_moving_var", "_moving_mean", "_running_var", "_running_mean",
)  # fmt: skip
Shape = tuple[int, ...]


@frozen
class DrawnLayer:
    """Hold a node of an expression, as `print_summary` and `plot_network` show it.

    Attributes:
        name: the node's name.
        op: MXNet's name of the operation; `null` for a variable.
        inputs: numbers of the nodes that it reads.
        attributes: its settings, as texts.
        shape: of its first result, where it is known.

    >>> from hybridize import visualization
    >>> visualization.DrawnLayer("fc", "FullyConnected", (0, 1), {"num_hidden": "2"}, (1, 2)).op
    'FullyConnected'
    """

    name: str
    op: str
    """MXNet's name of the operation; `null` is a variable."""
    inputs: tuple[int, ...]
    """Numbers of the nodes that it reads."""
    attributes: Mapping[str, str]
    shape: Shape | None
    """Of its first result, where it is known."""


def _layers(symbol: Any, shapes: Mapping[str, Shape] | None) -> list[DrawnLayer]:
    if not isinstance(symbol, Expression):
        what = f"an expression is shown, got {type(symbol).__name__}"
        raise ArgumentError("E3009", what, help="net.summary(x) shows a block")
    nodes = json.loads(symbol.tojson())["nodes"]
    known: dict[str, Shape] = {}
    if shapes is not None:
        internals = symbol.get_internals()
        outputs = internals.infer_shape(**dict(shapes))[1]
        known = dict(zip(internals.list_outputs(), map(tuple, outputs or ()), strict=False))
    layers = []
    for node in nodes:
        name = node["name"]
        shape = known.get(name, known.get(f"{name}_output", known.get(f"{name}_output0")))
        read = tuple(int(one[0]) for one in node["inputs"])
        layers.append(DrawnLayer(name, node["op"], read, node.get("attrs", {}), shape))
    return layers


def _is_weight(layer: DrawnLayer) -> bool:
    return layer.op == "null" and layer.name.endswith(_WEIGHTS)


def print_summary(
    symbol: Any,
    shape: Mapping[str, Shape] | None = None,
    line_length: int = 120,
    positions: Sequence[float] = (0.44, 0.64, 0.74, 1.0),
) -> None:
    """Print a table of the layers of an expression: their shapes, numbers of parameters, and what each reads.

    Args:
        symbol: the expression.
        shape: shapes of its variables by name; without them shapes and numbers are left out.
        line_length: letters of a line.
        positions: where columns end, as parts of a line.

    Raises:
        ArgumentError E3009: it is no expression.

    >>> from hybridize import sym, visualization
    >>> expression = sym.FullyConnected(sym.Variable("data"), num_hidden=2, name="fc")
    >>> visualization.print_summary(expression, {"data": (1, 3)}, line_length=80, positions=[0.4, 0.6, 0.75, 1])
    ________________________________________________________________________________
    Layer (type)                    Output Shape    Param #     Previous Layer
    ================================================================================
    data (null)                     (1, 3)          0
    fc (FullyConnected)             (1, 2)          8           data
    ================================================================================
    Total params: 8
    ________________________________________________________________________________
    """
    layers = _layers(symbol, shape)
    ends = [int(line_length * part) if part <= 1 else int(part) for part in positions]

    def row(fields: Sequence[str]) -> None:
        line = ""
        for field, end in zip(fields, ends, strict=True):
            line = f"{line}{field}"[: end - 1].ljust(end)
        print(line.rstrip())

    print("_" * line_length)
    row(["Layer (type)", "Output Shape", "Param #", "Previous Layer"])
    print("=" * line_length)
    total = 0
    for layer in layers:
        if _is_weight(layer):
            continue
        read = [layers[number] for number in layer.inputs]
        weights = [one for one in read if _is_weight(one)]
        count = sum(math.prod(one.shape) for one in weights if one.shape is not None)
        total += count
        before = [one.name for one in read if not _is_weight(one)] or [""]
        word = "" if layer.shape is None else str(layer.shape)
        row([f"{layer.name} ({layer.op})", word, str(count), before[0]])
        for one in before[1:]:
            row(["", "", "", one])
    print("=" * line_length)
    print(f"Total params: {total}")
    print("_" * line_length)


class Picture:
    """Show an expression as a picture in a notebook. `plot_network` returns it.

    Args:
        title: the name of its file.
        drawing: what it shows.

    >>> from hybridize import sym, visualization
    >>> picture = visualization.plot_network(sym.FullyConnected(sym.Variable("data"), num_hidden=2, name="fc"))
    >>> isinstance(picture, visualization.Picture), picture.svg()[:4]
    (True, '<svg')
    """

    def __init__(self, title: str, drawing: Drawing) -> None:
        self.title = title
        self._drawing = drawing

    def svg(self) -> str:
        """Return the picture as SVG."""
        return str(self._drawing.svg())

    _repr_svg_ = svg

    @outside_only("writes a file")
    def render(self, filename: str | None = None, directory: str | None = None) -> str:
        """Write the picture to a file, whose name ends with .svg.

        Args:
            filename: its name; None: the title.
            directory: its folder.

        Returns:
            The path.

        Raises:
            WriteError E335: it cannot be written.
        """
        name = str(self.title if filename is None else filename)
        path = os.path.join(directory or "", name if name.endswith(".svg") else f"{name}.svg")
        write_atomically(path, [self.svg().encode()])
        return path


def plot_network(
    symbol: Any,
    title: str = "plot",
    save_format: str = "svg",
    shape: Mapping[str, Shape] | None = None,
    dtype: Any = None,
    node_attrs: Any = None,
    hide_weights: bool = True,
) -> Picture:
    """Draw an expression, its layers from top to bottom.

    Args:
        symbol: the expression.
        title: the name of the file that `render` writes.
        save_format: accepted; pictures are SVG.
        shape: shapes of its variables by name; the boxes say what comes of them.
        dtype: accepted.
        node_attrs: accepted; boxes look alike.
        hide_weights: leave out variables that are weights by their names.

    Raises:
        ArgumentError E3009: it is no expression.

    >>> from hybridize import sym, visualization
    >>> picture = visualization.plot_network(sym.FullyConnected(sym.Variable("data"), num_hidden=2, name="fc"))
    >>> type(picture).__name__
    'Picture'
    """
    layers = _layers(symbol, shape)
    boxes: list[Box] = []
    positions: dict[int, int] = {}
    for number, layer in enumerate(layers):
        if hide_weights and _is_weight(layer):
            continue
        word = () if layer.op == "null" else (layer.op,)
        lines = (layer.name, *word, *(() if layer.shape is None else (str(layer.shape),)))
        reads = tuple(positions[one] for one in layer.inputs if one in positions)
        positions[number] = len(boxes)
        tip = ", ".join(f"{key}={value}" for key, value in layer.attributes.items())
        boxes.append(Box(lines, reads, "argument" if layer.op == "null" else "operation", tip))
    return Picture(title, Drawing(tuple(boxes)))


__getattr__: Callable[[str], Any] = refuses(__name__, globals())
