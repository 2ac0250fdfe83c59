# SPDX-License-Identifier: Apache-2.0
"""Curves drawn as SVG, a panel for each quantity, without any other program.

Text has the colour of the page around it, so that it is read in light and dark notebooks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from hybridize.base.html import Markup, escaped

Points = Sequence[tuple[float, float]]
WIDTH, HIGH, LEFT, BELOW, ABOVE, RIGHT = 440, 190, 62, 34, 26, 12
"""Pixels of a panel, and around what is drawn in it."""
_COLOURS: Final = ("#4c84ff", "#de8534", "#2f9e62", "#b45fc7", "#8a8f98")
_DASHES: Final = ("", "6 3", "2 3", "8 3 2 3", "1 2")
"""Lines differ in their dashes, too, for those who do not tell their colours."""


def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Return round numbers from `low` to `high`, about so many.

    >>> ticks(0.0, 1.0), ticks(3.0, 47.0)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [10.0, 20.0, 30.0, 40.0])
    """
    rough = (high - low) / count
    unit = 10.0 ** math.floor(math.log10(rough))
    step = unit * min((1, 2, 5, 10), key=lambda factor: abs(factor - rough / unit))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    margin = (high - low) * 0.05 or 1.0
    return low - margin, high + margin


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1e5 else f"{value:.0e}"


class _Panel:
    """The curves of one quantity."""

    def __init__(self, title: str, curves: Mapping[str, Points], top: int, xlabel: str) -> None:
        self._title, self._curves, self._top, self._xlabel = title, curves, top, xlabel
        known = [point for points in curves.values() for point in points if all(map(math.isfinite, point))]
        self._x, self._y = (_range([point[axis] for point in known] or [0.0, 1.0]) for axis in (0, 1))

    def _at(self, x: float, y: float) -> tuple[float, float]:
        across = (x - self._x[0]) / (self._x[1] - self._x[0])
        up = (y - self._y[0]) / (self._y[1] - self._y[0])
        height = HIGH - ABOVE - BELOW
        return LEFT + across * (WIDTH - LEFT - RIGHT), self._top + ABOVE + (1 - up) * height

    def parts(self) -> list[str]:
        """The panel's lines, texts and curves."""
        bottom = self._top + HIGH - BELOW
        parts = [f'<text x="0" y="{self._top + 14}" font-weight="600">{escaped(self._title)}</text>']
        for y in ticks(*self._y):
            _, at = self._at(self._x[0], y)
            parts.append(f'<path d="M{LEFT},{at:.1f}H{WIDTH - RIGHT}" stroke="currentColor" stroke-opacity="0.15"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_number(y)}</text>')
        for x in ticks(*self._x):
            at, _ = self._at(x, self._y[0])
            parts.append(f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{_number(x)}</text>')
        parts.append(f'<path d="M{LEFT},{bottom}H{WIDTH - RIGHT}" stroke="currentColor" stroke-opacity="0.6"/>')
        parts.append(
            f'<text x="{WIDTH - RIGHT}" y="{bottom + 30}" text-anchor="end" fill-opacity="0.75">'
            f"{escaped(self._xlabel)}</text>"
        )
        place = float(WIDTH - RIGHT)
        for number, (name, points) in reversed([*enumerate(self._curves.items())]):
            style = f'stroke="{_COLOURS[number % 5]}" stroke-width="2" stroke-dasharray="{_DASHES[number % 5]}"'
            parts.append(self._curve(points, style, _COLOURS[number % 5]))
            if name:
                parts.append(f'<text x="{place:.0f}" y="{self._top + 14}" text-anchor="end">{escaped(name)}</text>')
                place -= 7.2 * len(name) + 8
                parts.append(f'<path d="M{place - 22:.0f},{self._top + 10}h20" {style}/>')
                place -= 34
        return parts

    def _curve(self, points: Points, style: str, colour: str) -> str:
        """A line through the points that are numbers, broken where one is not; a lone point is a dot."""
        steps, dots = [], []
        known = [all(map(math.isfinite, point)) for point in points]
        for number, (point, is_known) in enumerate(zip(points, known, strict=True)):
            if is_known:
                before = number > 0 and known[number - 1]
                x, y = self._at(*point)
                steps.append(f"{'L' if before else 'M'}{x:.1f},{y:.1f}")
                if not before and not (number + 1 < len(points) and known[number + 1]):
                    dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        return f'<path d="{"".join(steps)}" fill="none" {style}/>{"".join(dots)}'


def drawn(panels: Mapping[str, Mapping[str, Points]], xlabel: str = "") -> Markup:
    """Draw panels one below the other: by their titles the curves by their names, points in order.

    Its title has the last value of each curve, for those who do not see it.
    """
    drawings = [_Panel(title, curves, number * HIGH, xlabel) for number, (title, curves) in enumerate(panels.items())]
    height = max(1, HIGH * len(drawings))
    body = "".join(part for drawing in drawings for part in drawing.parts())
    words = "; ".join(
        f"{' '.join(filter(None, (name, title)))}: {points[-1][1]:.4g}"
        for title, curves in panels.items() for name, points in curves.items() if points
    )  # fmt: skip
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'style="max-width:100%;height:auto" role="img" '
        f'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="12" fill="currentColor">'
        f"<title>{escaped(words)}</title>{body}</svg>"
    )
