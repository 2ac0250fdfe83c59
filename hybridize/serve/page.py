# SPDX-License-Identifier: Apache-2.0
"""The page for eyes: what is loaded, how it fares."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy

from hybridize.base.version import VERSION

if TYPE_CHECKING:
    from hybridize.serve.registry import ModelRegistry, ServedModel

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1c1f23; background: #fafbfc; margin: 2.2rem auto;
  max-width: 76rem; padding: 0 1.2rem }
h1 { font-size: 1.3rem; font-weight: 600; margin: 0 } .state { color: #58606a; margin: .2rem 0 1.4rem }
table { border-collapse: collapse; width: 100%; background: #fff; box-shadow: 0 0 0 1px #e3e6ea; border-radius: 6px }
th, td { text-align: left; padding: .5rem .8rem; border-bottom: 1px solid #eef0f2; vertical-align: top }
th { font-weight: 500; color: #58606a; font-size: .86rem } tr:last-child td { border-bottom: 0 }
.number { text-align: right; font-variant-numeric: tabular-nums } code { font-size: .86rem } .down { color: #a33 }
@media (prefers-color-scheme: dark) { body { background: #14171a; color: #e4e7ea } table { background: #1b1f23;
  box-shadow: 0 0 0 1px #2b3036 } th, td { border-color: #262b30 } th, .state { color: #98a2ad } .down { color: #f88 } }
"""
_COLUMNS = ("model", "version", "format", "inputs", "outputs")
_NUMBERS = ("requests", "errors", "waiting", "median", "99 %", "programs")


def page(registry: ModelRegistry) -> str:
    """Return the page as HTML; it loads nothing else, and asks for itself again every five seconds."""
    served = {(one.model.name, one.model.version): one for one in registry.served()}
    rows = [_row(served[key]) for key in served]
    rows += [
        _absent(row["name"], row["version"], f"{row['state'].lower()}: {row['reason']}")
        for row in registry.index()
        if (row["name"], row["version"]) not in served
    ]
    state = "draining" if registry.draining else "ready" if registry.ready else "no model is loaded"
    heads = "".join(f"<th>{name}</th>" for name in _COLUMNS) + "".join(
        f'<th class="number">{name}</th>' for name in _NUMBERS
    )
    links = '<a href="/metrics">metrics</a>, <a href="/v2">metadata</a>'
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="5">'
        f"<title>hybridize serve</title><style>{_STYLE}</style></head><body><h1>hybridize serve</h1>"
        f'<p class="state">{state} &middot; version {escape(VERSION)} &middot; {links}</p>'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></body></html>"
    )


def _absent(name: str, version: str, state: str) -> str:
    span = len(_COLUMNS) + len(_NUMBERS) - 2
    cells = f"<td>{escape(name)}</td><td>{escape(version)}</td>"
    return f'<tr>{cells}<td class="down" colspan="{span}">{escape(state)}</td></tr>'


def _row(one: ServedModel) -> str:
    model, counts = one.model, one.counts
    ports = [
        "<br>".join(f"<code>{escape(_text(port.described()))}</code>" for port in side)
        for side in (model.inputs, model.outputs)
    ]
    recent = numpy.array(counts.recent)
    median, tail = numpy.quantile(recent, [0.5, 0.99]) if len(recent) else (None, None)
    words = [escape(model.name), escape(model.version), escape(model.platform), *ports]
    numbers = [
        f"{counts.success.count + counts.fail.count:,}",
        f"{counts.fail.count:,}",
        f"{len(one.queue):,}",
        _time(median),
        _time(tail),
        str(model.programs),
    ]
    cells = "".join(f"<td>{word}</td>" for word in words)
    ends = "".join(f'<td class="number">{number}</td>' for number in numbers)
    return f"<tr>{cells}{ends}</tr>"


def _text(port: dict[str, Any]) -> str:
    sizes = ", ".join("any" if size < 0 else str(size) for size in port["shape"])
    return f"{port['name']}: {port['datatype']}[{sizes}]"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "&ndash;"
    return f"{1e3 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
