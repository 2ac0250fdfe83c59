# SPDX-License-Identifier: Apache-2.0
"""Graphs drawn as SVG, in layers from top to bottom (the method of Sugiyama), without any other program.

A box stands below all boxes that it reads. Lines that pass layers keep a place in each of them; in a layer, boxes and
places are put in the order of the average of their neighbours, and then as near to these as their widths allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import pairwise

from hybridize.base.frozen import frozen, mutable
from hybridize.base.html import Markup, escaped

CHARACTER, LINE, MARGIN = 7.3, 15.0, 9.0
"""Pixels: the width of a letter and the height of a line of 12 px, and the space around the text of a box."""
GAP, LAYER_GAP, PASSING = 22.0, 34.0, 6.0
"""Pixels between boxes, between layers, and for a line that passes a layer."""
FAR = 12
"""Layers that a line passes at most; where it would pass more, the box names what it reads."""
WIDEST = 1000.0
"""Pixels of the boxes of a layer; one that needs more is continued in the next."""
_SWEEPS = 8
_FILLS = {"argument": "rgba(66,160,94,0.22)", "result": "rgba(222,133,52,0.25)", "operation": "rgba(76,132,255,0.16)"}


@frozen
class Box:
    """One node of a drawing."""

    lines: tuple[str, ...]
    """Its text; the first line stands out."""
    reads: tuple[int, ...] = ()
    """Numbers of the boxes above it that it reads, in order."""
    kind: str = "operation"
    """operation, argument or result: its colour."""
    tip: str = ""
    """Shown while the pointer is on it."""


@frozen
class Drawing:
    """A graph to be drawn: its boxes, each after those that it reads."""

    boxes: tuple[Box, ...]

    def svg(self) -> Markup:
        """Return the picture."""
        return _Layout(self.boxes).svg()


@mutable
class _Spot:
    """A box in its layer, or the place where a line passes it."""

    layer: int
    width: float
    height: float
    above: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    x: float = 0.0
    """Of the middle."""
    y: float = 0.0
    """Of the upper edge."""


class _Layout:
    """Spots for boxes and lines."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._layer_of = _narrowed(_layers(boxes), [_width(box) for box in boxes])
        self._boxes = [self._with_far_reads(box, number, boxes) for number, box in enumerate(boxes)]
        self._spots = [self._spot(box, number) for number, box in enumerate(self._boxes)]
        self._lines: list[list[int]] = []
        """The spots that each line goes through, from where it begins."""
        for number, box in enumerate(self._boxes):
            for source in dict.fromkeys(box.reads):
                self._lines.append(self._through(source, number))
        count = 1 + max((spot.layer for spot in self._spots), default=0)
        self._layers: list[list[int]] = [[] for _ in range(count)]
        for number, spot in enumerate(self._spots):
            self._layers[spot.layer].append(number)
        self._put_in_order()
        self._width = 0.0
        self._put_across()
        self._put_down()

    def _with_far_reads(self, box: Box, number: int, boxes: Sequence[Box]) -> Box:
        """Name the boxes that are too far above for a line."""
        far = [source for source in box.reads if self._layer_of[number] - self._layer_of[source] > FAR]
        if not far:
            return box
        named = tuple(f"reads {boxes[source].lines[0]}" for source in dict.fromkeys(far))
        near = tuple(source for source in box.reads if source not in far)
        return Box((*box.lines, *named), near, box.kind, box.tip)

    def _spot(self, box: Box, number: int) -> _Spot:
        return _Spot(self._layer_of[number], _width(box), len(box.lines) * LINE + MARGIN)

    def _through(self, source: int, target: int) -> list[int]:
        """Make the spots of a line, and return it."""
        line = [source]
        for layer in range(self._layer_of[source] + 1, self._layer_of[target]):
            line.append(len(self._spots))
            self._spots.append(_Spot(layer, PASSING, 0.0))
        line.append(target)
        for upper, lower in pairwise(line):
            self._spots[upper].below.append(lower)
            self._spots[lower].above.append(upper)
        return line

    def _put_in_order(self) -> None:
        """Sort each layer by the average place of the neighbours, downwards and upwards in turn."""
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            place = {spot: number for layer in self._layers for number, spot in enumerate(layer)}
            for layer in self._layers if down else reversed(self._layers):

                def average(spot: int, down: bool = down, place: dict[int, int] = place) -> float:
                    near = self._spots[spot].above if down else self._spots[spot].below
                    return sum(place[one] for one in near) / len(near) if near else float(place[spot])

                layer.sort(key=average)
                place.update({spot: number for number, spot in enumerate(layer)})

    def _put_across(self) -> None:
        """Choose where each spot is from left to right, within the width of the widest layer."""
        for layer in filter(None, self._layers):
            ends = self._spots[layer[0]].width / 2 + self._spots[layer[-1]].width / 2
            self._width = max(self._width, self._offsets(layer)[-1] + ends)
        for layer in self._layers:
            self._settle(layer, [0.0] * len(layer))
        for sweep in range(2 * _SWEEPS):
            for layer in self._layers if sweep % 2 == 0 else reversed(self._layers):
                wanted = []
                for number in layer:
                    spot = self._spots[number]
                    near = [*spot.above, *spot.below]
                    wanted.append(sum(self._spots[one].x for one in near) / len(near) if near else spot.x)
                self._settle(layer, wanted)
        left = min((spot.x - spot.width / 2 for spot in self._spots), default=0.0)
        for spot in self._spots:
            spot.x += MARGIN - left

    def _settle(self, layer: list[int], wanted: Sequence[float]) -> None:
        """Put the spots of a layer as near to where they want to be as their widths allow, in least squares.

        With the widths taken off, places must only not decrease: neighbours that would are pooled to their mean.
        """
        if not layer:
            return
        offsets = self._offsets(layer)
        pools: list[tuple[float, int]] = []
        for place, own in zip(wanted, offsets, strict=True):
            total, count = place - own, 1
            while pools and pools[-1][0] / pools[-1][1] > total / count:
                before, members = pools.pop()
                total, count = total + before, count + members
            pools.append((total, count))
        means = (total / count for total, count in pools for _ in range(count))
        left = (self._spots[layer[0]].width - self._width) / 2
        right = (self._width - self._spots[layer[-1]].width) / 2 - offsets[-1]
        for number, own, mean in zip(layer, offsets, means, strict=True):
            self._spots[number].x = min(max(mean, left), right) + own

    def _offsets(self, layer: list[int]) -> list[float]:
        """Return the least distances of the spots of a layer from the first, middle from middle."""
        offsets = [0.0]
        for previous, number in pairwise(layer):
            gap = GAP if min(previous, number) < len(self._boxes) else PASSING
            offsets.append(offsets[-1] + (self._spots[previous].width + self._spots[number].width) / 2 + gap)
        return offsets

    def _put_down(self) -> None:
        top = MARGIN
        for layer in self._layers:
            height = max((self._spots[number].height for number in layer), default=0.0)
            for number in layer:
                spot = self._spots[number]
                spot.y = top
                if number >= len(self._boxes):
                    spot.height = height
            top += height + LAYER_GAP

    def svg(self) -> Markup:
        """Write the picture: lines first, so that boxes lie on them."""
        width = max((spot.x + spot.width / 2 for spot in self._spots), default=0.0) + MARGIN
        height = max((spot.y + spot.height for spot in self._spots), default=0.0) + MARGIN
        parts = [self._path(line) for line in self._lines]
        parts += [self._rectangle(box, self._spots[number]) for number, box in enumerate(self._boxes)]
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        font = 'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="12"'
        tip = (
            '<defs><marker id="hybridize-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" fill="currentColor" fill-opacity="0.6"/></marker></defs>'
        )
        body = "".join([tip, *parts])
        return Markup(f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} fill="currentColor">{body}</svg>')

    def _path(self, line: list[int]) -> str:
        """A line from below one box to above another: straight through a layer, bent between layers."""
        spots = [self._spots[number] for number in line]
        x, y = spots[0].x, spots[0].y + spots[0].height
        steps = [f"M{x:.1f},{y:.1f}"]
        for spot in spots[1:]:
            middle = (y + spot.y) / 2
            steps.append(f"C{x:.1f},{middle:.1f} {spot.x:.1f},{middle:.1f} {spot.x:.1f},{spot.y:.1f}")
            x, y = spot.x, spot.y + (spot.height if spot is not spots[-1] else 0.0)
            if spot is not spots[-1]:
                steps.append(f"L{x:.1f},{y:.1f}")
        style = 'fill="none" stroke="currentColor" stroke-opacity="0.5" marker-end="url(#hybridize-tip)"'
        return f'<path d="{" ".join(steps)}" {style}/>'

    def _rectangle(self, box: Box, spot: _Spot) -> str:
        left = spot.x - spot.width / 2
        shape = f'x="{left:.1f}" y="{spot.y:.1f}" width="{spot.width:.1f}" height="{spot.height:.1f}" rx="5"'
        text = "".join(
            f'<text x="{spot.x:.1f}" y="{spot.y + LINE * (number + 0.95):.1f}" text-anchor="middle"'
            + (' font-weight="600"' if number == 0 else ' fill-opacity="0.75"')
            + f">{escaped(line)}</text>"
            for number, line in enumerate(box.lines)
        )
        tip = f"<title>{escaped(box.tip)}</title>" if box.tip else ""
        style = f'fill="{_FILLS[box.kind]}" stroke="currentColor" stroke-opacity="0.45"'
        return f"<g>{tip}<rect {shape} {style}/>{text}</g>"


def _width(box: Box) -> float:
    return max(map(len, box.lines), default=0) * CHARACTER + 2 * MARGIN


def _narrowed(layers: Sequence[int], widths: Sequence[float]) -> list[int]:
    """Continue layers that are too wide in further ones, so that a graph is read from top to bottom."""
    result, below, wide, last = [0] * len(layers), -1, 0.0, -1
    for number in sorted(range(len(layers)), key=layers.__getitem__):
        wide += widths[number] + GAP
        if layers[number] != last or wide > WIDEST:
            below, wide, last = below + 1, widths[number] + GAP, layers[number]
        result[number] = below
    return result


def _layers(boxes: Sequence[Box]) -> list[int]:
    """Give each box the layer below all that it reads; what depends on no argument stands just above its first use."""
    layers: list[int] = []
    depends: list[bool] = []
    for box in boxes:
        layers.append(1 + max((layers[source] for source in box.reads), default=-1))
        depends.append(any(depends[source] for source in box.reads) or (box.kind == "argument" and not box.reads))
    first: dict[int, int] = {}
    for number in reversed(range(len(boxes))):
        box = boxes[number]
        late = not depends[number] or box.kind == "argument"
        if late and number in first:
            layers[number] = max(layers[number], first[number] - 1)
        for source in box.reads:
            first[source] = min(first.get(source, layers[number]), layers[number])
    return layers
