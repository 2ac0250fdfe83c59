# SPDX-License-Identifier: Apache-2.0
"""Time functions of one process in turns, and report ratios; the options of the scripts that do so."""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path


def parser(doc: str | None, rounds: int, cpu: int | None = None) -> argparse.ArgumentParser:
    """Return a parser of the options that all have in common.

    Args:
        doc: of the script.
        rounds: without an option.
        cpu: the core that it runs on then; None for any.
    """
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--rounds", type=int, default=rounds)
    made.add_argument("--markdown", action="store_true")
    made.add_argument("--figures", type=Path, help="write the figures here, as JSON, for `hybridize bench`")
    made.add_argument("--cpu", type=int, default=cpu, help="run on this core")
    return made


def run_on(cpu: int | None) -> None:
    """Keep the process on a core; on any for None."""
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})


def in_turns(
    functions: Mapping[str, Callable[[], object]], rounds: int, sample_s: float = 0.002
) -> dict[str, list[float]]:
    """Seconds of a call of each function, a sample for each round: the functions take turns of some milliseconds."""
    calls = {}
    for name, function in functions.items():
        function()
        calls[name] = max(1, int(sample_s / max(1e-7, min(seconds(function, 1) for _ in range(3)))))
    samples: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            samples[name].append(min(seconds(function, calls[name]) for _ in range(2)))
    return samples


def seconds(function: Callable[[], object], calls: int) -> float:
    """Mean time of a call."""
    begin = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - begin) / calls


def median_ratio(samples: Mapping[str, list[float]], one: str, other: str) -> float:
    """The median over rounds of one function's time over another's."""
    return statistics.median(a / b for a, b in zip(samples[one], samples[other], strict=True))


def geometric_mean(ratios: list[float]) -> float:
    """The mean by which ratios are judged: twice as fast here and half as fast there is 1."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def microseconds(seconds: float) -> str:
    """Seconds as a figure of the table."""
    return f"{1e6 * seconds:.2f}" if seconds < 1e-3 else f"{1e6 * seconds:.0f}"


def table(columns: tuple[str, ...], rows: list[tuple[str, ...]], markdown: bool, words: Collection[str]) -> None:
    """Print a table: columns of words to the left, figures to the right."""
    if markdown:
        lines = [columns, tuple("---" if name in words else "---:" for name in columns), *rows]
        print("\n".join(f"| {' | '.join(line)} |" for line in lines))
        return
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    for line in (columns, *rows):
        cells = zip(columns, line, widths, strict=True)
        print("  ".join(cell.ljust(w) if name in words else cell.rjust(w) for name, cell, w in cells).rstrip())
