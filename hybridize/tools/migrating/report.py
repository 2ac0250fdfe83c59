# SPDX-License-Identifier: Apache-2.0
"""The text that `hybridize migrate` prints: the places of a file, or the kinds of what was found in many files."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from hybridize.tools.migrating.files import MigratedFile
from hybridize.tools.migrating.findings import KINDS, Finding

_EXAMPLES = 3
"""Texts that are shown of each kind, in a summary."""


def places(file: MigratedFile, width: int) -> str:
    """Return the report on one file: every place, with what was found and what to do."""
    left = f"{file.left or 'nothing'} left for a human"
    lines = [f"{file.path}: {_count(file.altered, 'line')} rewritten; {left}"]
    for one in file.done.findings:
        lines += _wrapped(f"{file.place(one.line)}: {one.text}", "  ", width)
        lines += _wrapped(one.remedy, "      ", width)
    return "\n".join(lines)


def summary(files: Sequence[MigratedFile], width: int) -> str:
    """Return the report on many files: kinds, the worst first, each with counts, its first place, what is frequent."""
    altered = [file.altered for file in files if file.changed]
    left = sum(file.left for file in files)
    lines = [f"{_count(len(files), 'file')}: {_count(sum(altered), 'line')} rewritten in {len(altered)}"]
    for kind, title in KINDS.items():
        entries = [(file, one) for file in files for one in file.done.findings if one.kind == kind]
        if entries:
            lines += _kind(title, entries, width)
    lines.append(
        f"{_count(left, 'place') if left else 'nothing'} left for a human" + (": --full lists each" * bool(left))
    )
    return "\n".join(lines)


def _kind(title: str, entries: Sequence[tuple[MigratedFile, Finding]], width: int) -> list[str]:
    """Lines of a summary about one kind."""
    file, first = entries[0]
    texts = Counter(" ".join(one.text.split()) for _, one in entries)
    where = _short(f"{file.path}:{file.place(first.line)}", width - 9)
    lines = [f"{len(entries):5d}  {title}, in {_count(len({one.path for one, _ in entries}), 'file')}"]
    lines.append(f"       {where}")
    lines += _wrapped(first.remedy, "       ", width, most=2)
    frequent = ", ".join(f"{_short(text, 40)} ({count})" for text, count in texts.most_common(_EXAMPLES))
    lines += _wrapped(frequent, "       ", width, most=2)
    return lines


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _short(text: str, most: int) -> str:
    """Return a text that is cut in its middle, where it is too long for a line."""
    return text if len(text) <= most else f"{text[: most // 2 - 2]}...{text[len(text) - most // 2 + 1 :]}"


def _wrapped(text: str, indent: str, width: int, most: int | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        max_lines=most,
        placeholder=" ...",
        break_on_hyphens=False,
    )
