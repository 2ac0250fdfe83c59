# SPDX-License-Identifier: Apache-2.0
"""The profile as tables (`dumps`) and as a file of events in the format of Chrome's tracer (`dump`)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from hybridize.base.advice import warn
from hybridize.base.errors import ValueArgumentError
from hybridize.base.participation import outside_only
from hybridize.formats.atomic import write_atomically
from hybridize.profiler.recording import PROFILE, SpanSum, check_process

_ORDERS: Final[Mapping[str, Callable[[SpanSum], float]]] = {
    "total": lambda one: one.total,
    "avg": lambda one: one.total / one.count,
    "min": lambda one: one.least,
    "max": lambda one: one.most,
    "count": lambda one: one.count,
}
_OF_MEMORY: Final = ("Name", "Total Count", "Min Use (kB)", "Max Use (kB)", "Avg Use (kB)")
_OF_TIMES: Final = ("Name", "Total Count", "Time (ms)", "Min Time (ms)", "Max Time (ms)", "Avg Time (ms)")
_NAME, _FIGURE = 40, 16
"""Letters of the columns of names and figures."""


@outside_only("reports what has run")
def dumps(reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False) -> str:
    """Return a table of what ran: how often, and how long.

    Args:
        reset: forget the sums.
        format: `table`, or `json`: an object of `Time`, `Memory`, `Kernels` where they were measured, and `Unit`.
        sort_by: `total`, `avg`, `min`, `max` or `count`.
        ascending: the least first.

    Raises:
        ValueArgumentError E361: another format or order.

    >>> from hybridize import profiler
    >>> text = profiler.dumps(reset=True)
    """
    for name, value, allowed in (("format", format, ("table", "json")), ("sort_by", sort_by, tuple(_ORDERS))):
        if value not in allowed:
            raise ValueArgumentError("E361", f"{name} is one of {', '.join(allowed)}, got {value!r}")
    with PROFILE.lock:
        times = {kind: _sorted(sums, sort_by, ascending) for kind, sums in PROFILE.times.items()}
        memory = _sorted(PROFILE.memory, sort_by, ascending)
        kernels = {program: _kernels(sums) for program, sums in PROFILE.kernels.items()}
        if reset:
            PROFILE.reset()
    if format == "json":
        return json.dumps({
            "Time": {kind: {name: _figures(one) for name, one in sums.items()} for kind, sums in times.items()},
            "Memory": {"cpu/0": {name: _figures(one) for name, one in memory.items()}} if memory else {},
            **({"Kernels": kernels} if PROFILE.settings.profile_kernels else {}),
            "Unit": {"Time": "ms", "Memory": "kB"},
        })  # fmt: skip
    lines = ["", "Profile Statistics:"]
    if memory:
        lines += _table("memory of calls", _OF_MEMORY, ((name, one, ()) for name, one in memory.items()))
    for kind, sums in times.items():
        lines += _table(kind, _OF_TIMES, ((name, one, (one.total,)) for name, one in sums.items()))
    for program, steps in kernels.items():
        lines += ["", f"kernels of {program}", "=" * 17, _row(("Name", "Total Count", "Avg Time (ms)", "Share"))]
        lines += [_row((step["name"], str(step["count"]), f"{step['ms']:.4f}", f"{step['share']:.1%}"))
                  for step in steps]  # fmt: skip
    return "\n".join(lines) + "\n"


def _sorted(sums: Mapping[str, SpanSum], sort_by: str, ascending: bool) -> dict[str, SpanSum]:
    order = _ORDERS[sort_by]
    return dict(sorted(sums.items(), key=lambda pair: order(pair[1]), reverse=not ascending))


def _kernels(sums: Mapping[tuple[int, str], tuple[Mapping[str, Any], SpanSum]]) -> list[dict[str, Any]]:
    """Return the details of each kernel of a program, its average time, and its share of the time of all."""
    total = sum(one.total for _, one in sums.values()) or 1.0
    return [
        {"name": name, **details, "count": one.count, "ms": one.total / one.count, "share": one.total / total}
        for (_, name), (details, one) in sums.items()
    ]  # fmt: skip


def _figures(one: SpanSum) -> dict[str, float]:
    average = one.total / one.count
    return {"Count": one.count, "Total": one.total, "Min": one.least, "Max": one.most, "Avg": average}


def _table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, SpanSum, tuple[float, ...]]]) -> list[str]:
    lines = ["", title, "=" * 17, _row(columns), _row(tuple("-" * min(len(name), _FIGURE - 2) for name in columns))]
    for name, one, before in rows:
        figures = (*before, one.least, one.most, one.total / one.count)
        lines.append(_row((name, str(one.count), *(f"{figure:.4f}" for figure in figures))))
    return lines


def _row(cells: tuple[str, ...]) -> str:
    name, *figures = cells
    return f"{name:<{_NAME}}" + "".join(f"{figure:>{_FIGURE}}" for figure in figures)


@outside_only("writes a file")
def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write the events since the last dump to the file of `set_config`; chrome://tracing and ui.perfetto.dev show it.

    Args:
        finished: stop recording.
        profile_process: `worker`, which is this one.

    Raises:
        ValueArgumentError E361: another process.
        WriteError E335: the file cannot be written.

    >>> import json, os, tempfile
    >>> from hybridize import np, profiler
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "profile.json")
    ...     profiler.set_config(filename=path)
    ...     profiler.set_state("run")
    ...     y = np.ones(2) + 1
    ...     profiler.dump()
    ...     with open(path) as file:
    ...         len(json.load(file)["traceEvents"]) > 0
    True
    """
    check_process(profile_process)
    if finished:
        PROFILE.changed(state="stop")
    _write()
    PROFILE.events = []


def _write() -> None:
    """Write the events so far."""
    events = [
        {
            "name": one.name, "cat": one.kind, "ph": one.phase, "ts": one.begin, "pid": os.getpid(), "tid": one.thread,
            **({"dur": one.length} if one.phase == "X" else {}),
            **({"s": one.details["s"]} if one.phase == "i" else {}),
            **({"args": args} if (args := {name: x for name, x in one.details.items() if name != "s"}) else {}),
        }
        for one in list(PROFILE.events)
    ]  # fmt: skip
    threads = {one.thread for one in PROFILE.events}
    named = [
        {"name": "thread_name", "ph": "M", "pid": os.getpid(), "tid": thread, "args": {"name": name}}
        for thread, name in list(PROFILE.names.items()) if thread in threads
    ]  # fmt: skip
    content: dict[str, Any] = {"traceEvents": [*named, *events], "displayTimeUnit": "ms"}
    write_atomically(PROFILE.settings.filename, [json.dumps(content).encode()])


PROFILE.written = _write


def dump_profile() -> None:
    """Write the events and stop recording: MXNet's old name of `dump`. It warns that it is deprecated.

    Raises:
        WriteError E335: the file cannot be written.

    >>> import os, tempfile, warnings
    >>> from hybridize import profiler
    >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     profiler.set_config(filename=os.path.join(folder, "profile.json"))
    ...     profiler.dump_profile()
    ...     os.listdir(folder)
    ['profile.json']
    """
    warn("profiler.dump_profile is deprecated: use profiler.dump", DeprecationWarning)
    dump(True)
