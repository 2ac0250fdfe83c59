"""Charts of the tables in docs/benchmarks.md, as SVG: `docs/make.py` writes them into docs/charts.

Nothing is copied by hand: a chart names the headings whose tables it draws. Bars are the figures, strokes what was
required; a bar is orange where a requirement is missed, or where hybridize is slower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parent / "benchmarks.md"
UNITS = {"ns": 1e-3, "µs": 1.0, "ms": 1e3, "s": 1e6}
WIDTH, RIGHT, ROW, TOP = 480, 70, 40, 52
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328; } .title { font-weight: 600; font-size: 14px; }
.quiet { fill: #57606a; font-size: 12px; } .bar { fill: #7d8fb3; } .ours { fill: #3557c0; } .missed { fill: #c2571a; }
.must { stroke: #1f2328; stroke-width: 2; } .one { stroke: #8c959f; stroke-dasharray: 3 3; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e8ec; } .quiet { fill: #aab1bc; } .bar { fill: #7b88a5; } .ours { fill: #8ba6f0; }
  .missed { fill: #f0a35c; } .must { stroke: #e6e8ec; } .one { stroke: #7d8590; }
}
"""


class Bar(NamedTuple):
    """One row of a chart."""

    label: str
    value: float
    shown: str
    kind: str
    """ours, missed or bar: its colour."""
    must: float | None = None


def tables(heading: str) -> Iterator[list[dict[str, str]]]:
    """Yield the tables under a heading of the page, each a list of rows by the names of the columns."""
    text = PAGE.read_text(encoding="utf-8")
    match = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    if match is None:
        raise SystemExit(f"docs/benchmarks.md has no heading {heading!r}, which a chart draws")
    for block in re.findall(r"(?:^\|.*\n)+", match[1], re.MULTILINE):
        names, _, *rows = ([cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines())
        yield [dict(zip(names, row, strict=True)) for row in rows]


def number(text: str) -> float | None:
    """Return a figure that is one number, None of any other text."""
    return float(text) if re.fullmatch(r"\d+\.\d+", text) else None


def times(heading: str) -> list[Bar]:
    """Return the bars of a table of runtimes, the fastest first."""
    bars = []
    for row in next(tables(heading)):
        value, unit = row["median"].split()
        kind = "ours" if row["runtime"].startswith("hybridize") else "bar"
        bars.append(Bar(row["runtime"], float(value) * UNITS[unit], row["median"], kind))
    return sorted(bars, key=lambda bar: bar.value)


def ratios(heading: str, column: str) -> list[Bar]:
    """Return the bars of tables of ratios; below 1 hybridize is faster, or takes less."""
    bars = []
    for table in tables(heading):
        for row in table:
            value = number(row.get(column, ""))
            if value is None:
                continue
            must = number(row.get("must", "").split(":")[0])
            is_missed = value > 1 or (must is not None and value > must)
            label = label_of(row, bars[-1].label if bars else "")
            bars.append(Bar(label, value, f"{value:.2f}", "missed" if is_missed else "ours", must))
    return bars


def label_of(row: Mapping[str, str], above: str) -> str:
    """Return what a row of ratios compares; `the same` in a table is the row above it."""
    label = row.get("row", row.get("", ""))
    label = re.sub(r"hybridize, (hybridized|imperative) ÷ (?:[\w-]+: )?", r"\1, beside ", label)
    label = label.replace("the same", above.partition(",")[0]).replace(": hybridized", "")
    label = re.sub(r", after [\d,]+ steps(?: at least)?|, channels last|`", "", label).replace(": imp", ", imp")
    peer = next((row[name] for name in row if "peer" in name and " ÷ " not in name), "")
    peer = re.sub(r" [\d.,]+ [µnm]?s\b.*", "", peer)
    return f"{label}, beside {peer}" if peer and peer != "the same" else label


def drawn(title: str, note: str, bars: list[Bar], *, is_ratio: bool) -> str:
    """Return a chart of horizontal bars, with the same figures as text for those who do not see it."""
    largest = max(max(bar.value, bar.must or 0.0) for bar in bars)
    scale = (WIDTH - RIGHT) / max(largest, 1.0 if is_ratio else 0.0)
    height = TOP + ROW * len(bars) + 30
    words = "; ".join(f"{bar.label}: {bar.shown}" for bar in bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img">',
        f"<title>{escape(title)}</title><desc>{escape(words)}</desc><style>{STYLE}</style>",
        f'<text class="title" x="0" y="18">{escape(title)}</text>',
    ]
    if is_ratio:
        lines.append(f'<text class="quiet" x="{scale:.1f}" y="{TOP - 14}" text-anchor="middle">1: as the peer</text>')
        foot = TOP + ROW * len(bars) - 6
        lines.append(f'<line class="one" x1="{scale:.1f}" x2="{scale:.1f}" y1="{TOP - 8}" y2="{foot}"/>')
    for place, bar in enumerate(bars):
        y, width = TOP + ROW * place, bar.value * scale
        lines.append(f'<text x="0" y="{y + 8}">{escape(bar.label)}</text>')
        lines.append(f'<rect class="{bar.kind}" x="0" y="{y + 14}" width="{width:.1f}" height="15" rx="2"/>')
        end = max(width, (bar.must or 0.0) * scale) + 6
        lines.append(f'<text x="{end:.1f}" y="{y + 26}">{escape(bar.shown)}</text>')
        if bar.must is not None:
            x = bar.must * scale
            lines.append(f'<line class="must" x1="{x:.1f}" x2="{x:.1f}" y1="{y + 11}" y2="{y + 32}"/>')
    lines.append(f'<text class="quiet" x="0" y="{height - 8}">{escape(note)}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def charts() -> Mapping[str, str]:
    """Return the charts by the names of their files."""
    key = "Stroke: what was required. Orange: slower than the peer, or missed."
    training = ratios("Goals of the chapter's net", "found") + ratios("Goals of training", "found")
    return {
        "calls.svg": drawn(
            "One row through 512-256-128-2, time of one call",
            "AMD EPYC (Zen 5), 21 November 2026: hybridize bench mlp-1",
            times("mlp-1: 512-256-128-2, ReLU, float32, one thread"),
            is_ratio=False,
        ),
        "goals.svg": drawn("Time or memory ÷ the peer's: MLP and training", key, training, is_ratio=True),
        "networks.svg": drawn(
            "Time ÷ the best peer's: kernels, training, networks",
            key,
            ratios("The same rows after issue 12, and convolutional networks", "ours ÷ peer"),
            is_ratio=True,
        ),
        "sequences.svg": drawn(
            "Time ÷ the best peer's: sequences", key, ratios("Sequences on Zen 5", "ratio"), is_ratio=True
        ),
    }
