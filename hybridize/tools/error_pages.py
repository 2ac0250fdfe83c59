# SPDX-License-Identifier: Apache-2.0
"""The pages of error codes: one Markdown file for each code, in the package, so that they are there offline.

A page is its title (code, class, one sentence), and four sections: what happened, an example that raises the code, why,
and what to write instead. The examples run in the tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).with_name("errors")
SECTIONS: Final = ("What happened", "Example", "Why", "Instead")
_TITLE = re.compile(r"# (E\d{3,4}) (\w+): (.+)\n")
_MARK = re.compile(r"<!-- (files|long|gpus|no example): ?(.*?) ?-->\n")
_BLOCK = re.compile(r"```python\n(.*?)```\n", re.DOTALL)


@dataclass(frozen=True)
class Page:
    """The page of one code.

    Attributes:
        code: the code.
        kind: the class of the error.
        title: what happened, in some words.
        marks: what the tests have to know: `files` names what has to be there, `long` says that it takes seconds,
            `gpus` that its programs need a GPU, `no example` why there is none.
        sections: the text of each section, by its title.
        text: the whole page.
    """

    code: str
    kind: str
    title: str
    marks: dict[str, str]
    sections: dict[str, str]
    text: str

    @property
    def example(self) -> str:
        """The program that raises the error; empty where there is none."""
        return _program(self.sections.get("Example", ""))

    @property
    def remedy(self) -> str:
        """The program to write instead; it goes on from the names of the example. Empty where there is none."""
        return _program(self.sections.get("Instead", ""))


def codes() -> list[str]:
    """Return the codes that have a page, in the order of the classes."""
    return sorted((path.stem for path in FOLDER.glob("E*.md")), key=lambda code: (code[1], len(code), code))


def page(code: str) -> Page | None:
    """Read the page of a code, in capitals or not, with its E or without; None where there is none."""
    path = FOLDER / f"E{code.upper().removeprefix('E')}.md"
    return read(path.read_text(encoding="utf-8")) if re.fullmatch(r"E\d+", path.stem) and path.is_file() else None


def read(text: str) -> Page:
    """Take a page apart.

    Raises:
        ValueError: it has no title.
    """
    title = _TITLE.match(text)
    if title is None:
        raise ValueError(f"a page begins with '# CODE Class: title', got {text[:60]!r}")
    _, *parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    sections = {name: content.strip("\n") + "\n" for name, content in zip(parts[::2], parts[1::2], strict=True)}
    code, kind, sentence = title.groups()
    return Page(code, kind, sentence, dict(_MARK.findall(text)), sections, text)


def _program(section: str) -> str:
    block = _BLOCK.search(section)
    return block.group(1) if block else ""
