# SPDX-License-Identifier: Apache-2.0
"""Tables of an archive: its parts and whether they are whole, its programs, its machine code. Nothing is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hybridize.base import platforms
from hybridize.base.locations import SourceLoc
from hybridize.compiler.archived import Code
from hybridize.formats.archive.container import PROGRAM, VERSION, Container, opened, type_text
from hybridize.formats.archive.reading import read_archive
from hybridize.formats.saved import SavedProgram, SavedSignature
from hybridize.graph import Graph
from hybridize.runtime import abi
from hybridize.tools.tables import Grid

SHOWN = 200
"""Rows of a table; the rest is counted."""


def tables(path: Path, *, full: bool = False) -> list[Grid]:
    """The tables of an archive of any version; of a damaged one, which of its parts are whole.

    Args:
        path: the archive.
        full: each part and each input of each program, instead of a line for each kind and each program.

    Raises:
        LoadError E600, E604, E605, E614: it cannot be read, or is damaged where it says what its parts are.
    """
    container = opened(str(path))
    if container is None:
        return [*_programs(read_archive(path))]
    writer = container.program().get("writer")
    parts, whole = _parts(path.name, container, f"written by hybridize {writer}")
    if not whole:
        return [parts]
    program = read_archive(path)
    if full:
        return [parts, *_programs(program), *_codes(program)]
    return [_kinds(container, parts), _signatures(program), *_codes(program)]


_KINDS = {
    "weight": "weights", "sample": "samples", "hybridize:graph": "graphs", "hybridize:lines": "lines of the source",
    "hybridize:code": "machine code",
}  # fmt: skip


def _kinds(container: Container, parts: Grid) -> Grid:
    """The parts of a whole file, by what they are."""
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for part, entry in container.entries.items():
        kind = next((name for start, name in _KINDS.items() if part.startswith(f"{start}:")), "description")
        counts[kind] += 1
        sizes[kind] += entry.nbytes
    rows = [(kind, str(count), f"{sizes[kind]:,}") for kind, count in counts.items()]
    return Grid(parts.title, ("parts", "count", "bytes"), rows, (parts.notes[0], "all are whole; each one: --full"))


def _signatures(program: SavedProgram) -> Grid:
    """The types that each program takes and gives, a line each."""
    rows = []
    for number, signature in enumerate(program.signatures, 1):
        inputs = signature.graph.inputs[: len(signature.graph.inputs) - len(signature.state)]
        arguments = ", ".join(f"{value.name}: {value.type}" if value.name else str(value.type) for value in inputs)
        results = ", ".join(str(value.type) for value in signature.graph.outputs)
        scope = signature.graph.scope
        sizes = ", ".join(scope.lines()) if scope is not None else "as they stand"
        rows.append((str(number) + (" (training)" if signature.training else ""), arguments, results, sizes))
    return Grid(f"{program.name}: signatures", ("", "takes", "gives", "sizes"), rows, words=4)


def _parts(name: str, container: Container, writer: str) -> tuple[Grid, bool]:
    """All tensors of the file, and whether all of them are whole."""
    rows = []
    for part, entry in container.entries.items():
        state = "whole" if part == PROGRAM or container.holds(part) else "damaged"
        rows.append((part, type_text(entry), state, f"{entry.nbytes:,}"))
    broken = [row[0] for row in rows if row[2] != "whole"]
    rows.sort(key=lambda row: row[2] == "whole")  # what is damaged is seen first
    total = sum(entry.nbytes for entry in container.entries.values())
    notes = [f"{writer}; {len(rows)} parts, {total:,} bytes"]
    if len(rows) > SHOWN:
        notes.append(f"{len(rows) - SHOWN} more are not shown")
    if broken:
        notes.append(f"damaged: {', '.join(broken[:SHOWN])}; copy the file again from where it came")
    title = f"{name}: archive of version {VERSION}"
    return Grid(title, ("part", "type", "checksum", "bytes"), rows[:SHOWN], tuple(notes), words=3), not broken


def _programs(program: SavedProgram) -> Iterator[Grid]:
    for number, signature in enumerate(program.signatures, 1):
        yield _program(f"{program.name}, signature {number} of {len(program.signatures)}", signature)


def _program(title: str, signature: SavedSignature) -> Grid:
    graph = signature.graph
    states = ("",) * (len(graph.inputs) - len(signature.state)) + signature.state
    rows = [("input", state or value.name, str(value.type)) for value, state in zip(graph.inputs, states, strict=True)]
    rows += [("output", value.name, str(value.type)) for value in graph.outputs]
    counts = Counter(graph.op_names())
    notes = [", ".join(f"{count} {op}" for op, count in counts.most_common()) or "no operation"]
    if graph.scope is not None:
        notes.append(f"sizes: {', '.join(graph.scope.lines())}")
    if signature.samples:
        count = len(signature.samples)
        notes.append(f"{count} sample{'' if count == 1 else 's'}: calls with their results")
    notes += _lines(graph)
    title += ", training" if signature.training else ""
    return Grid(title, ("", "name", "type"), rows[:SHOWN], tuple(notes), words=3)


def _lines(graph: Graph) -> Iterator[str]:
    """The user's lines that a graph comes from, file by file."""
    by_file: dict[str, set[int]] = {}
    for loc in _locs(graph):
        by_file.setdefault(loc.file, set()).add(loc.line)
    for file, lines in sorted(by_file.items()):
        yield f"written in {file}: {', '.join(_ranges(sorted(lines)))}"


def _locs(graph: Graph) -> Iterator[SourceLoc]:
    return (node.loc for one in graph.nested() for node in one.nodes if node.loc is not None)


def _ranges(lines: list[int]) -> Iterator[str]:
    """`3-5, 9` for 3, 4, 5, 9."""
    start = last = lines[0]
    for line in [*lines[1:], -1]:
        if line != last + 1:
            yield str(start) if start == last else f"{start}-{last}"
            start = line
        last = line


def _codes(program: SavedProgram) -> Iterator[Grid]:
    """The machine code of the programs, and what a process needs once."""
    named = [(f"signature {k}", code) for k, one in enumerate(program.signatures, 1) for code in one.codes]
    named += [(code.kind, code) for code in program.process]
    rows = [(what, code.target, _fits(code), f"{code.nbytes:,}") for what, code in named]
    if rows:
        notes = ("run by load(path, images=True), which is to trust the file; compiled anew without",)
        yield Grid("machine code", ("of", "target", "here", "bytes"), rows[:SHOWN], notes, words=3)


def _fits(code: Code) -> str:
    if code.abi != abi.NUMBER:
        return f"no: runtime {code.abi}, this is {abi.NUMBER}"
    machine = code.facts.get("machine")
    if isinstance(machine, str) and machine != platforms.here():
        return f"no: for {platforms.machine_title(machine)}"
    return "runs" if code.fits else "no: another machine"
