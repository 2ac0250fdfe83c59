# SPDX-License-Identifier: Apache-2.0
"""The benchmark's figures as tables: for the terminal, and as Markdown for docs/benchmarks.md."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any

from hybridize.compiler.explanation import duration
from hybridize.tools.tables import WIDTH, Grid
from hybridize_bench.bench import LIMIT, Amount, Figure, Measured, Measurement
from hybridize_bench.goals import BOUNDS, CEILINGS, GOALS, MOSTS, Goal, Outcome, reached
from hybridize_bench.goals import verdict as verdict_of
from hybridize_bench.peers import HYBRIDIZED, KERNEL
from hybridize_bench.workloads import DEPLOYED

Table = partial(Grid, emphasized=HYBRIDIZED)
"""A table of figures, in which our own rows stand out."""


def calls(title: str, results: Sequence[Measurement]) -> Grid:
    """Median, tenth percentile, ratio to our first row, share of the core's limit, first call."""
    measured = [result for result in results if result.rounds and not result.error]
    ours = results[0] if results and results[0] in measured else None
    limit = next((result for result in measured if result.name == LIMIT), None)
    rows: list[tuple[str, ...]] = []
    for result in results:
        if result not in measured:
            rows.append((result.name, "failed", "", "", "", ""))
            continue
        ratio = f"{result.ratio(ours):.2f} ×" if ours else ""
        first = duration(result.first_s[0]) if result.first_s else ""
        share = f"{limit.ratio(result):.1%}" if limit else ""
        rows.append((result.name, duration(result.median), duration(result.p10), ratio, share, first))
    mode = results[0].name.partition(", ")[2] if results else ""
    columns = ("runtime", "median", "p10", f"time ÷ {mode or 'first'}", "of the limit", "first call")
    return Table(title, columns, rows, (*remarks(measured), *failures(results)))


def remarks(results: Sequence[Measurement]) -> tuple[str, ...]:
    """One line for each fact of this run, with the rows that it is one of."""
    names: dict[str, list[str]] = {}
    for result in results:
        if result.note:
            names.setdefault(result.note, []).append(result.name)
    timed = sum(result.name != LIMIT for result in results)
    return tuple(f"{'; '.join(rows) if len(rows) < max(timed, 2) else 'all'}: {note}" for note, rows in names.items())


def deployed(workload: str, found: Sequence[Measured], notes: Sequence[str]) -> Grid:
    """Lay out the findings of a workload of `tools.deployment`."""
    title = f"{workload}: {DEPLOYED[workload]}"
    results = [one for one in found if isinstance(one, Measurement)]
    if workload == "deploy-starts":
        return starts(title, results)
    return exported(title, results) if workload == "deploy-calls" else amounts(title, found, notes)


def exported(title: str, results: Sequence[Measurement]) -> Grid:
    """Median and tenth percentile of calls, and the ratio to the machine code alone of the same case."""
    known = {result.name: result for result in results if result.rounds and not result.error}
    rows: list[tuple[str, ...]] = []
    for result in results:
        if result.name not in known:
            rows.append((result.name, "failed", "", ""))
            continue
        kernel = known.get(f"{result.name.partition(': ')[0]}: {KERNEL}")
        ratio = f"{result.ratio(kernel):.2f} ×" if kernel else ""
        rows.append((result.name, duration(result.median), duration(result.p10), ratio))
    return Table(title, ("", "median", "p10", "time ÷ kernel"), rows, failures(results))


def amounts(title: str, found: Sequence[Measured], notes: Sequence[str]) -> Grid:
    """Bytes, and how many of them would not be there anyway."""
    rows = [
        (one.name, "failed", "") if one.error else (one.name, size(one.nbytes), size(one.beyond))
        for one in found
        if isinstance(one, Amount)
    ]
    return Table(title, ("", "in all", "beyond"), rows, (*notes, *failures(found)))


def size(nbytes: int) -> str:
    """Bytes for reading.

    >>> size(250 << 10), size(60_000_000)
    ('250.0 KiB', '57.2 MiB')
    """
    return f"{nbytes / 1024:,.1f} KiB" if abs(nbytes) < 1 << 20 else f"{nbytes / (1 << 20):,.1f} MiB"


def failures(results: Sequence[Measured]) -> tuple[str, ...]:
    """One line for each reason why rows have no figures."""
    names: dict[str, list[str]] = {}
    for result in results:
        if result.error:
            names.setdefault(result.error, []).append(result.name)
    return tuple(
        f"{first}{f' and {len(others)} more' if others else ''}: {error}" for error, (first, *others) in names.items()
    )


def starts(title: str, results: Sequence[Measurement]) -> Grid:
    """Median and least of what happens once in a process."""
    rows = [
        (result.name, "failed", "", "")
        if result.error or not result.rounds
        else (result.name, duration(result.median), duration(min(result.medians)), str(len(result.rounds)))
        for result in results
    ]
    busy = [f"{result.name} {duration(statistics.median(result.cpu_s))}" for result in results if result.cpu_s]
    notes = (f"time of the processor, which others were using too: {', '.join(busy)}",) if busy else ()
    return Table(title, ("", "median", "least", "processes"), rows, (*notes, *failures(results)))


def memory(answer: dict[str, Any], call_count: int, shape_count: int) -> Grid:
    """Resident memory before and after, and its growth."""
    if "error" in answer:
        return Table("Memory", ("", "figure"), [("failed", answer["error"])])
    rows = []
    for name, key in ((f"{call_count:,} calls", "calls"), (f"{shape_count:,} shapes, the second half", "shapes")):
        before, after = answer[f"before_{key}"], answer[f"after_{key}"]
        rows.append((name, f"{before / 1e6:.1f} MB", f"{after / 1e6:.1f} MB", f"{(after / before - 1) * 100:+.2f} %"))
    return Table("Memory after warm-up", ("", "before", "after", "growth"), rows)


def sizes(answer: dict[str, Any], count: int) -> Grid:
    """Lay out how many programs many sizes took, and what it costs a program not to know its size."""
    title = f"sizes: the chapter's net, {count:,} random batch sizes"
    if "error" in answer:
        return Table(title, ("", "figure"), [("failed", answer["error"])])
    rows = [
        ("programs compiled", str(answer["programs"])),
        ("all calls", duration(answer["seconds"])),
        ("the slowest call", duration(answer["slowest_s"])),
    ]
    rows += [(f"batch {size}: any size ÷ exact", f"{ratio:.2f}") for size, ratio in answer["ratios"].items()]
    return Table(title, ("", "figure"), rows)


def goals(by_workload: dict[str, Sequence[Measured]]) -> Grid | None:
    """Lay out the goals and what was reached; None if no goal's rows were run."""
    rows = []
    for goal in GOALS:
        found = reached(goal, by_workload.get(goal.workload, ()))
        if found is not None:
            rows.append(
                (_named(goal, found), _found(found), str(goal.must), str(goal.aim or ""), verdict_of(goal, found))
            )
    for bound in BOUNDS:
        for result in by_workload.get(bound.workload, ()):
            if isinstance(result, Measurement) and result.name == bound.row and result.rounds and not result.error:
                figures = (duration(result.median), duration(bound.must_s), duration(bound.aim_s))
                name = f"{bound.workload}: {bound.row}"
                rows.append((name, *figures, verdict(result.median, bound.must_s, bound.aim_s)))
    for ceiling in CEILINGS:
        for one in by_workload.get(ceiling.workload, ()):
            if isinstance(one, Amount) and ceiling.row in (one.name, one.name.partition(": ")[0]) and not one.error:
                figures = (size(one.beyond), size(ceiling.must_bytes), size(ceiling.aim_bytes))
                words = f"{ceiling.workload}: {ceiling.row}, {ceiling.beyond}"
                rows.append((words, *figures, verdict(one.beyond, ceiling.must_bytes, ceiling.aim_bytes)))
    for most in MOSTS:
        for one in by_workload.get(most.workload, ()):
            if isinstance(one, Figure) and one.name == most.row and not one.error:
                figures = (f"{one.value:.3f}", f"{most.must:.2f}", f"{most.aim:.2f}")
                rows.append((f"{most.workload}: {most.row}", *figures, verdict(one.value, most.must, most.aim)))
    return Table("Goals", ("", "found", "must", "aim", "reached"), rows) if rows else None


def _named(goal: Goal, found: Outcome) -> str:
    """The goal's row in words; that it is ours, and a case that both names begin with, go without saying."""
    case, _, rest = goal.ours.rpartition(": ")
    peer = found.peer.removeprefix(f"{case}: ")
    words = [goal.workload, case, "" if rest == HYBRIDIZED else rest.removeprefix("hybridize, ")]
    return ": ".join(word for word in words if word) + (f" ÷ {peer}" if peer else " of the limit")


def _found(found: Outcome) -> str:
    """The figures of a goal."""
    ratio = "" if found.ratio is None else f"{found.ratio:.2f}"
    share = "" if found.share is None else f"{found.share:.1%}"
    return ", ".join(part for part in (ratio, share) if part)


def verdict(found: float, must: float, aim: float) -> str:
    """Tell which of two upper limits a figure keeps.

    >>> verdict(0.6, 0.75, 0.65), verdict(0.7, 0.75, 0.65), verdict(0.8, 0.75, 0.65)
    ('aim', 'must', 'no')
    """
    return "aim" if found <= aim else "must" if found <= must else "no"


def head(machine: str, packages: str, command: str, day: str) -> str:
    """The machine, what runs on it, when, and the command, each wrapped to a page's width."""
    lines = [day, machine, packages, f"`{command}`"]
    return "\n\n".join(textwrap.fill(line, WIDTH, break_on_hyphens=False) for line in lines if line) + "\n"
