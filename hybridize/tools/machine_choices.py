# SPDX-License-Identifier: Apache-2.0
"""This machine on the command line: the choices that code is made by, where each comes from, and how much it gains."""

from __future__ import annotations

from hybridize import system
from hybridize.base.config import CONFIG
from hybridize.compiler import default_target, disk, measured
from hybridize.compiler.host import this_host
from hybridize.compiler.measured import MeasuredChoices
from hybridize.machine.choices import CHOICES, SIZES, VARIABLE, settings
from hybridize.machine.target import Target, named_target
from hybridize.tools.tables import Grid

_LEVELS = {"l1_bytes": 1, "l2_bytes": 2}


def table(*, again: bool = False) -> Grid:
    """Lay out the choices that programs of this process are compiled by; `again` measures the machine first."""
    overrides = settings(CONFIG.machine)
    choices = measured.again() if again else None if overrides.complete or CONFIG.target else measured.measurement()
    used = None if overrides.complete or CONFIG.target else measured.measurement()
    target = default_target()
    table = named_target(CONFIG.target) if CONFIG.target else this_host().target
    rows = [
        (
            name,
            str(getattr(target, name)),
            VARIABLE if name in dict(overrides.fields) else _origin(name, table, used),
            str(getattr(table, name)),
            ", ".join(
                f"{value}: {speed:.2f} ×" for value, speed in (choices.speeds.get(name, {}) if choices else {}).items()
            ),
        )
        for name in [*CHOICES, *SIZES]
    ]
    columns = ("field", "value", "from", "table", "speed of others")
    title = f"machine: {target.name}, tuned for {target.cpu or 'any processor'}, LLVM {this_host().llvm}"
    notes = f"processor: {system.processor_name() or 'unknown'}", *_notes(choices, used)
    return Grid(title, columns, rows, notes, words=len(columns))


def _origin(name: str, table: Target, used: MeasuredChoices | None) -> str:
    """Say where the value of a field comes from that the user has not set."""
    if name in _LEVELS:
        return "the operating system" if not CONFIG.target and system.cache_bytes(_LEVELS[name]) else "default"
    if used is not None:
        return "measured"
    return "table" if getattr(table, name) != getattr(Target, name) else "default"


def _notes(choices: MeasuredChoices | None, used: MeasuredChoices | None) -> tuple[str, ...]:
    """Say what was measured, and why what was measured does not count."""
    notes = []
    if choices is not None:
        notes.append(f"measured in {1e3 * choices.seconds:.0f} ms; speeds are multiples of the table's value's")
    if CONFIG.target:
        notes.append(f"HYBRIDIZE_TARGET={CONFIG.target}: named targets go by the table")
    elif used is None and settings(CONFIG.machine).complete:
        notes.append(f"{VARIABLE}={CONFIG.machine}: nothing is measured")
    elif used is None:
        home = disk.folder()
        why = home.problem if home is not None else "there is no folder for it, or HYBRIDIZE_CACHE=0"
        notes.append(f"by the table, as nothing can be kept: {why or 'the processor has no name'}")
    return tuple(notes)
