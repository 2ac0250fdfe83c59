# SPDX-License-Identifier: Apache-2.0
"""The report of a program, as data: why it was compiled, what the passes did, what runs, in what memory, how fast.

`str()` is the report as plain text, no wider than `WIDTH`; `tables` are the parts of it that other places lay out
their own way (`tools.explanation_tables` in colour, `explanation_page` for notebooks).
"""

from __future__ import annotations

import itertools
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hybridize.base.characters import printable
from hybridize.base.drawing import Drawing
from hybridize.base.frozen import frozen
from hybridize.base.html import Markup
from hybridize.base.loading import LOADING
from hybridize.compiler.limits import Limits
from hybridize.ops import OPS

WIDTH = 80
_LONGEST = 6
"""Lines of one fact that the text has; `facts` has them all."""
MOST_CONDITIONS = 12
"""Lines of what must hold that the text has."""
CONVERSIONS = ("copy in", "border", "pack", "copy out")
"""Steps that bring operands of contractions into the layout that tiles read, zeros around a value that another step
stores, a second operand into panels, and results into the layout that others expect.
"""


@frozen
class PassReport:
    """The report of one pass of the pipeline, sub-graphs included."""

    name: str
    before: int
    """Nodes that it was given."""
    after: int
    removed: tuple[tuple[str, int], ...]
    """Ops of which there are fewer, and how many fewer."""
    added: tuple[tuple[str, int], ...]
    """Ops of which there are more."""


@frozen
class KernelReport:
    """One step of a call."""

    kind: str
    """loops, contraction, winograd, routine or region; reference, on the NumPy backend."""
    ops: tuple[str, ...]
    lines: tuple[str, ...]
    """The user's, as `file.py:12`."""
    size: str
    """Of the first output."""
    layout: tuple[str, ...]
    """Special ways of reading and writing: `packed`, `in place`. On a device blocks and their threads, as `8×256`."""
    bytes: int
    """Read and written, each buffer once."""
    flops: int
    """Operations, an estimate for what is not a product."""
    threads: int = 1
    """Threads that may share it."""
    seconds: float | None = None
    """Measured, median of the calls; None where nothing was."""
    share: float = 0.0
    """Of all steps together."""
    bound: str = ""
    """The bottleneck at best: reading from L1, L2, L3, memory, or multiply-adds."""
    least_s: float = 0.0
    """Seconds that this core takes for it at best."""

    @property
    def name(self) -> str:
        """Its operations in order, views aside, equal neighbours once: `mul ×2, add`."""
        return _runs([op for op in self.ops if not _is_view(op)] or self.ops)

    @property
    def manner(self) -> str:
        """Its kind, and how it reads, writes and is shared: `contraction packed ≤2 threads`."""
        return " ".join(
            (self.kind, *self.layout, *[f"{printable('≤', '<=')}{self.threads} threads"] * (self.threads > 1))
        )


@frozen
class MemoryReport:
    """Bytes, by what for. A call needs the first two."""

    scratch: int
    outputs: int
    constants: int = 0
    """Kept by the program."""
    packed: int = 0
    """Copies of parameters as the kernels read them, shared by all programs over the same parameters."""
    code: int = 0


@frozen
class ReportTable:
    """Cells under headings; the columns in `wide` are wrapped, those in `words` hold words, the others figures."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    words: frozenset[str] = frozenset()
    wide: frozenset[str] = frozenset()


@frozen
class Explanation:
    """A program, explained."""

    name: str
    backend: str
    target: str
    """The machine that it was compiled for."""
    arguments: tuple[str, ...]
    """`x: f32[1,512]`."""
    outside: tuple[str, ...]
    """Types of the arrays that it reads from outside: parameters, globals."""
    outputs: tuple[str, ...]
    reason: str
    """The reason for capturing it: empty for the first program of a function."""
    valid: tuple[str, ...]
    """The guards, with the user's lines: what must be as it was."""
    sizes: tuple[str, ...]
    """Assumptions about the sizes that calls bring along: `n0 from 2`; empty where all are known."""
    passes: tuple[PassReport, ...]
    kernels: tuple[KernelReport, ...]
    memory: MemoryReport
    stages: tuple[tuple[str, float], ...] = ()
    """Milliseconds of each stage of its compilation; empty where it came from a cache."""
    fallbacks: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    """Operations that calls do without, in order: they are done once for each version of what they read."""
    limits: Limits | None = None
    """Of this machine's core, where kernels were timed."""
    notes: tuple[str, ...] = ()
    layouts: tuple[tuple[str, int], ...] = ()
    """Ways in which stored values lie other than in the order of their axes, and how many lie so."""
    bands: tuple[tuple[int, int, int, int, int], ...] = ()
    """Kernels that run some rows at a time, one after the other: the first and the last of them; the rows of a block,
    and of each member of a batch; its members."""
    groups: tuple[tuple[tuple[int, ...], ...], ...] = ()
    """Kernels that run beside each other: for each group what one thread runs, one after the other."""
    drawing: Drawing | None = None
    """The graph, as it was captured; None where it is too large to be looked at."""

    @property
    def seconds(self) -> float | None:
        """All steps of a call; None where nothing was timed."""
        times = [kernel.seconds for kernel in self.kernels]
        return sum(time for time in times if time is not None) if times and None not in times else None

    @property
    def conversions(self) -> tuple[tuple[str, int, int], ...]:
        """Steps that only bring values into other layouts: (word, how many, the bytes that they read and write)."""
        rows = []
        for word in CONVERSIONS:
            steps = [kernel for kernel in self.kernels if kernel.ops == (word,)]
            if steps:
                rows.append((word, len(steps), sum(kernel.bytes for kernel in steps)))
        return tuple(rows)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return the facts that take a line each: (word, text)."""
        why = f"captured because {self.reason}" if self.reason else "the first program of its function"
        facts = [("takes", ", ".join(self.arguments) or "nothing")]
        if self.outside:
            facts.append(("reads", f"{_runs(self.outside)} from outside"))
        facts += [("gives", ", ".join(self.outputs) or "nothing"), ("why", why)]
        if self.sizes:
            facts.append(("any size", ", ".join(self.sizes)))
        facts += [("valid while", text) for text in self._conditions()]
        facts.append(("backend", self.backend + (f", for {self.target}" if self.target else "")))
        if self.stages:
            facts.append(("compiled in", ", ".join(f"{name} {ms:.1f} ms" for name, ms in self.stages)))
        once = [op for op in self.once if not _is_view(op)]
        if once:
            count = f"{len(once)} operation{'s' if len(once) > 1 else ''}"
            facts.append(("once", f"{count} for each version of what they read: {_runs(once)}"))
        if self.layouts or self.conversions:
            facts.append(("layouts", "; ".join(self._layouts_described())))
        for first, last, block, rows, batch in self.bands:
            of = f"{rows:,} rows" if batch == 1 else f"{rows:,} rows of each of {batch:,}"
            facts.append(("band", f"kernels {first} to {last}: {block:,} of {of} at a time"))
        for tasks in self.groups:
            facts.append(("beside each other", "kernels " + " | ".join(", ".join(map(str, task)) for task in tasks)))
        memory = self.memory
        call = f"{memory.scratch + memory.outputs:,} bytes a call at most: {memory.scratch:,} of scratch, "
        facts.append(("memory", f"{call}{memory.outputs:,} of outputs"))
        parts = (("constants", memory.constants), ("packed copies", memory.packed), ("code", memory.code))
        facts.append(("kept", ", ".join(f"{count:,} bytes of {what}" for what, count in parts if count) or "nothing"))
        facts.append(("fallbacks", ", ".join(self.fallbacks) or "none: all of it is machine code"))
        if self.seconds is not None:
            facts.append(("kernels take", f"{duration(self.seconds)} together"))
        if self.limits is not None:
            facts.append(("this core", described(self.limits)))
        return (*facts, *(("note", note) for note in self.notes))

    def _conditions(self) -> Iterator[str]:
        """The first of what must hold, equal lines once, and how many there are besides."""
        counts = Counter(self.valid)
        for text in itertools.islice(counts, MOST_CONDITIONS):
            yield text if counts[text] == 1 else f"{text}, {counts[text]} times"
        if len(counts) > MOST_CONDITIONS:
            yield f"and {len(counts) - MOST_CONDITIONS:,} others: `valid` of the report has all of them"

    def _layouts_described(self) -> Iterator[str]:
        """Tell how values lie, then what converts them."""
        for word, count in self.layouts:
            yield f"{count} value{'' if count == 1 else 's'} {word}"
        if self.conversions:
            counts = ", ".join(f"{count} {word}" for word, count, _ in self.conversions)
            yield f"{counts}: {sum(nbytes for *_, nbytes in self.conversions):,} bytes a call"

    @property
    def tables(self) -> tuple[ReportTable, ...]:
        """Passes; kernels; where they were timed, how fast they are."""
        passes = [
            (one.name, str(one.before), str(one.after), _counted(one.removed), _counted(one.added))
            for one in self.passes
        ]
        words = frozenset(("pass", "gone", "new"))
        tables = [ReportTable("passes", ("pass", "nodes", "then", "gone", "new"), passes, words, words - {"pass"})]
        columns = ("#", "kernel", "ops, views aside", "lines", "size", "bytes", "flops")
        words = frozenset(columns[1:5])
        rows = [_row(number, kernel) for number, kernel in enumerate(self.kernels)]
        tables.append(ReportTable("kernels, in order", columns, rows, words, frozenset(columns[1:5])))
        if self.seconds is not None:
            columns = ("#", "time", "share", "GB/s", "GFLOP/s", "at least", "of the limit")
            rows = [_measured(number, kernel) for number, kernel in enumerate(self.kernels)]
            tables.append(ReportTable("kernels, measured", columns, rows, frozenset(("of the limit",))))
        return tuple(table for table in tables if table.rows)

    def __str__(self) -> str:
        lines = [self.name]
        for word, text in self.facts:
            folded = textwrap.wrap(text, WIDTH, initial_indent=f"  {word:12} ", subsequent_indent=" " * 15)
            if len(folded) > _LONGEST:
                folded[_LONGEST:] = [f"{'':15}... shortened; `.facts` has all"]
            lines += folded
        for table in self.tables:
            lines += ["", f"  {table.title}", *laid_out(table)]
        return "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the report, as IPython does without a browser."""
        printer.text(str(self))

    def _repr_html_(self) -> Markup:
        """Return the report as notebooks show it."""
        with LOADING:
            from hybridize.compiler.explanation_page import page  # late: few reports are seen in notebooks

        return page(self.name, self.facts, self.drawing, self.tables, [kernel.share for kernel in self.kernels])


def _is_view(word: str) -> bool:
    """Tell whether a word is that of an op that moves nothing where it is part of a kernel."""
    op = OPS.known(word)
    return op is not None and op.view


def _row(number: int, kernel: KernelReport) -> tuple[str, ...]:
    """A kernel's cells."""
    lines = " ".join(kernel.lines)
    return (
        str(number), kernel.manner, kernel.name, lines, kernel.size, scaled(kernel.bytes), scaled(kernel.flops)
    )  # fmt: skip


def _measured(number: int, kernel: KernelReport) -> tuple[str, ...]:
    """A timed kernel's figures; none where it took no time that the clock can tell."""
    seconds = kernel.seconds
    if not seconds:
        return (str(number), "0", "0%", "", "", duration(kernel.least_s), "")
    rates = (f"{kernel.bytes / seconds / 1e9:.1f}", f"{kernel.flops / seconds / 1e9:.1f}")
    limit = f"{kernel.least_s / seconds:.0%}, {kernel.bound}"
    return (str(number), duration(seconds), f"{kernel.share:.0%}", *rates, duration(kernel.least_s), limit)


def laid_out(table: ReportTable, width: int = WIDTH) -> list[str]:
    """The table as lines of text: figures to the right, wide columns wrapped to what room there is."""
    natural = [max(len(cell) for cell in column) for column in zip(table.columns, *table.rows, strict=True)]
    widths, gap = list(natural), 2
    wide = [i for i, column in enumerate(table.columns) if column in table.wide]
    room = width - gap - sum(natural[i] + gap for i in range(len(natural)) if i not in wide) - gap * len(wide)
    for rank, i in enumerate(sorted(wide, key=lambda i: natural[i])):  # narrow ones first: what they leave is shared
        widths[i] = min(natural[i], max(12, room // (len(wide) - rank)))
        room -= widths[i]
    lines = []
    for row in (table.columns, *table.rows):
        cells = [textwrap.wrap(cell, size, break_on_hyphens=False) for cell, size in zip(row, widths, strict=True)]
        for part in range(max(map(len, cells))):
            texts = [cell[part] if part < len(cell) else "" for cell in cells]
            lines.append(
                " " * gap
                + (" " * gap)
                .join(
                    text.ljust(width) if column in table.words else text.rjust(width)
                    for text, width, column in zip(texts, widths, table.columns, strict=True)
                )
                .rstrip()
            )
    return lines


def _counted(ops: Sequence[tuple[str, int]]) -> str:
    return ", ".join(op if count == 1 else f"{op} ×{count}" for op, count in ops)


def _runs(ops: Sequence[str]) -> str:
    """Words in order, equal neighbours once: `mul ×2, add`."""
    runs: list[tuple[str, int]] = []
    for op in ops:
        if runs and runs[-1][0] == op:
            runs[-1] = (op, runs[-1][1] + 1)
        else:
            runs.append((op, 1))
    return _counted(runs)


def described(limits: Limits) -> str:
    """A core's limits in a sentence."""
    third = f"{limits.l3_gb_per_s:.0f} GB/s from L3, " if limits.l3_bytes else ""
    return (
        f"reads {limits.l1_gb_per_s:.0f} GB/s from L1, {limits.l2_gb_per_s:.0f} GB/s from L2, {third}"
        f"{limits.memory_gb_per_s:.1f} GB/s from memory; {limits.gflops:.0f} GFLOP/s in float32 multiply-adds"
    )


def duration(seconds: float) -> str:
    """Seconds with a unit that suits them, three digits.

    >>> duration(1.234e-5), duration(2.5e-7), duration(0.0421), duration(3.0)
    ('12.3 µs', '250 ns', '42.1 ms', '3.00 s')
    """
    units = ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms"))
    scale, unit = next(((scale, unit) for limit, scale, unit in units if seconds < limit), (1.0, "s"))
    value = seconds * scale
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f} {unit}"


def scaled(count: int) -> str:
    """A count with a letter for its thousands.

    >>> scaled(0), scaled(999), scaled(1234), scaled(5_600_000), scaled(7_000_000_000)
    ('0', '999', '1.2 k', '5.6 M', '7.0 G')
    """
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.1f} {letter}"
    return str(count)
