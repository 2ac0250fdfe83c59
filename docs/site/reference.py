"""Pages of the reference: public names with their signatures, docstrings, versions and lines of source."""

from __future__ import annotations

import posixpath
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import public
import typer
from public import MODULES, ROOT, Name, names
from since import since

from hybridize.ops.analysis import ANALYSIS
from hybridize.tools.application import application
from hybridize.tools.migrating import command as migrating

FOLDER = "reference"
TOPICS: Mapping[str, tuple[str, str]] = {
    "creation": ("Create arrays", "creation grids constants"),
    "arithmetic": ("Arithmetic, comparison, logic", "elementwise bits divisors keywords ufuncs"),
    "analysis": ("Elementary functions", ""),
    "shapes": ("Shapes, joining, splitting", "shapes padding"),
    "placing": ("Choose and write elements", "placing indexing applying"),
    "reductions": ("Sums, means, extrema", "reductions numerics statistics"),
    "searching": ("Search, sort, count", "searching ordering sets data_sized"),
    "linear": ("Products of matrices and vectors", "linear"),
    "polynomials": ("Polynomials, signals, windows", "polynomials signals"),
    "kinds": ("Complex numbers and dtypes", "kinds"),
    "files": ("Files and printing", "files printing"),
    "values": ("Constants and dtypes", ""),
}
"""Pages of `np`: title, and modules of `array/functions` whose names they have."""
_PART = 40
"""Names on a page of a large module."""
_SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Examples?|Note|Since):$")
_ENTRY = re.compile(r"^(\*{0,2}[\w.`, *|]+?(?: \([^)]*\))?|[A-Z]\w+ E\d{3}(?:, E\d{3})*): (.*)$")
_CODE = re.compile(r"\bE\d{3,4}\b")
_ERRORS = ROOT / "hybridize" / "tools" / "errors"
_TICKED = re.compile(r"(`+)(.+?)\1")
_SPECIAL = re.compile(r"([*_<>\[\]\\])")


class Reference:
    """The pages, and where each name stands."""

    def __init__(self, every: Iterable[Name]) -> None:
        self.names = tuple(every)
        self._pages: dict[str, tuple[str, list[Name]]] = {}
        for path in MODULES:
            self._divide(path, [one for one in self.names if one.module == path])
        self._page_of = {
            one.full: page
            for page, (_, listed) in self._pages.items()
            for name in listed
            for one in (name, *name.members)
        }

    def _divide(self, path: str, own: list[Name]) -> None:
        folder = f"{FOLDER}/{path.replace('.', '/')}"
        for one in own:
            if one.full in public.MAIN and one.same is None:
                self._pages[f"{folder}/{one.word}.md"] = f"Class {one.full}", [one]
        rest = [one for one in own if one.full not in public.MAIN or one.same is not None]
        if path == "np":
            for topic, (title, _) in TOPICS.items():
                self._pages[f"{folder}/{topic}.md"] = f"np: {title}", [one for one in rest if _topic(one) == topic]
            return
        written = [one for one in rest if one.same is None]
        if len(written) <= 1.7 * _PART:
            self._pages[f"{folder}/index.md"] = f"{path}: {MODULES[path]}", rest
            return
        count = -(-len(written) // _PART)
        size = -(-len(rest) // count)
        for place in range(count):
            part = rest[place * size : (place + 1) * size]
            self._pages[f"{folder}/names-{place + 1}.md"] = f"{path}: {part[0].word} to {part[-1].word}", part

    def pages(self) -> Iterator[tuple[str, str]]:
        """Yield (place in docs/, Markdown) of each page."""
        for page, (title, listed) in self._pages.items():
            yield page, "\n".join([f"# {title}", "", *self._body(page, listed)])
        yield f"{FOLDER}/names.md", self._alphabet()
        yield f"{FOLDER}/modules.md", self._modules()
        yield f"{FOLDER}/command-line.md", command_line()

    def nav(self) -> list[Any]:
        """Return the pages as mkdocs' navigation has them."""
        listed: list[Any] = [f"{FOLDER}/modules.md", f"{FOLDER}/names.md", f"{FOLDER}/command-line.md"]
        for path in MODULES:
            own = [page for page in self._pages if self._pages[page][1] and self._pages[page][1][0].module == path]
            if own:
                listed.append({path: own if len(own) > 1 else own[0]})
        return listed

    def complaints(self) -> list[str]:
        """Return what is wrong: names without a page, a text or an example."""
        every = [one for name in self.names for one in (name, *name.members)]
        lost = [f"{one.full} has no page" for one in every if one.full not in self._page_of]
        return lost + [
            f"{full} has no {' and no '.join(lack)} in its docstring" for full, lack in public.lacking().items()
        ]

    def _body(self, page: str, listed: list[Name]) -> Iterator[str]:
        others = [one for one in listed if one.same is not None]
        for one in listed:
            if one.same is None:
                yield from self._entry(page, one)
        if others:
            yield from ["## Other names", "", "| name | is |", "| --- | --- |"]
            for one in others:
                yield f'| <a id="{one.full}"></a>`{one.full}` | {self._link(page, str(one.same))} |'

    def _entry(self, page: str, one: Name, level: int = 2) -> Iterator[str]:
        title = one.full if level == 2 else one.word
        yield from [f"{'#' * level} {title.replace('_', chr(92) + '_')} {{ #{one.full} }}", ""]
        if one.signature:
            yield from ["```python", f"{title}{_wrapped(title, one.signature)}", "```", ""]
        if one.bases:
            yield from ["Inherits from " + ", ".join(self._link(page, base) for base in one.bases) + ".", ""]
        yield from self._text(page, one)
        source = posixpath.relpath(one.path, posixpath.join("docs", posixpath.dirname(page)))
        yield from ["", f"Since {since(one.full)} · [source]({source}#L-{one.line})", ""]
        pointed = [member for member in one.members if member.same is not None]
        for member in one.members:
            if member.same is None:
                yield from self._entry(page, member, level + 1)
        if pointed:
            yield from [
                f"{'#' * (level + 1)} Methods that are functions of {one.word}",
                "",
                "| method | is |",
                "| --- | --- |",
            ]
            for member in pointed:
                yield f'| <a id="{member.full}"></a>`{member.word}` | {self._link(page, str(member.same))} |'
            yield ""

    def _text(self, page: str, one: Name) -> Iterator[str]:
        if public._is_numpys(one.value):
            yield f"NumPy's own `numpy.{getattr(one.value, '__name__', one.word)}`."
        elif one.kind == "value":
            yield self._prose(page, one.text or f"The value `{one.value!r:.60}`.")
        else:
            yield from self._markdown(page, one.text)

    def _markdown(self, page: str, text: str) -> Iterator[str]:
        """Yield a docstring as Markdown: sections as lists, examples as code."""
        blocks = re.split(r"\n\s*\n", text)
        for block in blocks:
            lines = block.splitlines()
            if not lines:
                continue
            head = _SECTION.match(lines[0].strip())
            if head and not lines[0].startswith(" "):
                yield from ["", f"**{head[1]}**", ""]
                lines = textwrap.dedent("\n".join(lines[1:])).splitlines()
                if head[1] not in ("Note", "Example", "Examples"):
                    yield from self._items(page, lines)
                    continue
            block = "\n".join(lines)
            if block.lstrip().startswith(">>>"):
                yield from ["", "```pycon", textwrap.dedent(block), "```"]
            elif block.startswith("    "):
                yield from ["", "```text" if "=" not in block else "```python", textwrap.dedent(block), "```"]
            elif "\n    " in block and not block.startswith(("- ", "* ")):
                prose = [line for line in lines if not line.startswith("    ")]
                code = [line for line in lines if line.startswith("    ")]
                yield from [
                    "",
                    self._prose(page, "\n".join(prose)),
                    "",
                    "```text",
                    textwrap.dedent("\n".join(code)),
                    "```",
                ]
            else:
                yield from ["", self._prose(page, block)]

    def _items(self, page: str, lines: list[str]) -> Iterator[str]:
        for line in lines:
            entry = _ENTRY.match(line)
            if entry:
                name = entry[1] if _CODE.search(entry[1]) else f"`{entry[1].strip('`')}`"
                yield f"- {self._coded(page, name)}: {self._prose(page, entry[2])}"
            else:
                yield ("  " if line.startswith(" ") else "") + self._prose(page, line.strip())

    def _prose(self, page: str, text: str) -> str:
        """Text with what Markdown would read as its own marks escaped, and links at names and codes."""
        parts, last = [], 0
        for match in _TICKED.finditer(text):
            parts += [self._coded(page, _escaped(text[last : match.start()])), self._ticked(page, match)]
            last = match.end()
        return "".join([*parts, self._coded(page, _escaped(text[last:]))])

    def _ticked(self, page: str, match: re.Match[str]) -> str:
        word = match[2].removeprefix("hybridize.")
        return self._link(page, word) if word in self._page_of else match[0]

    def _coded(self, page: str, text: str) -> str:
        def led(match: re.Match[str]) -> str:
            if not (_ERRORS / f"{match[0]}.md").exists():
                return match[0]  # of a class, without a message of its own
            return f"[{match[0]}]({posixpath.relpath(f'errors/{match[0]}.md', posixpath.dirname(page))})"

        return _CODE.sub(led, text)

    def _link(self, page: str, full: str) -> str:
        other = self._page_of[full]
        target = "" if other == page else posixpath.relpath(other, posixpath.dirname(page))
        return f"[`{full}`]({target}#{full})"

    def _alphabet(self) -> str:
        page = f"{FOLDER}/names.md"
        lines = ["# All names", "", f"{len(self.names):,} names; methods stand with their classes.", ""]
        letter = ""
        for one in sorted(self.names, key=lambda one: (one.word.casefold(), one.module)):
            first = one.word[0].upper()
            if first != letter:
                letter = first
                lines += ["", f"## {letter}", ""]
            lines.append(f"- {self._link(page, one.full)}")
        return "\n".join(lines)

    def _modules(self) -> str:
        page = f"{FOLDER}/modules.md"
        lines = [
            "# Modules", "", "Examples begin with these lines, which they do not repeat:", "", "```python",
            "from hybridize import autograd, gluon, hybridize, nd, np, npx, sym", "```", "",
            "| module | names | what it has |", "| --- | --- | --- |",
        ]  # fmt: skip
        for path, text in MODULES.items():
            own = [one for one in self.names if one.module == path]
            assert own, f"the public module {path} has no public names"
            first = next(place for place, (_, listed) in self._pages.items() if listed and listed[0].module == path)
            label = path if path == "hybridize" else f"hybridize.{path}"
            lines.append(f"| [`{label}`]({posixpath.relpath(first, posixpath.dirname(page))}) | {len(own)} | {text} |")
        for path in MODULES:
            own = [one for one in self.names if one.module == path]
            lines += ["", f"## {path}", "", " · ".join(self._short(page, one) for one in own)]
        return "\n".join(lines)

    def _short(self, page: str, one: Name) -> str:
        return (
            f"[{_escaped(one.word)}]({posixpath.relpath(self._page_of[one.full], posixpath.dirname(page))}#{one.full})"
        )


def _topic(one: Name) -> str:
    if one.kind == "value" or public._is_numpys(one.value):
        return "values"
    stem = Path(one.path).stem
    if stem == "elementwise" and _is_elementary(one):
        return "analysis"
    return next((topic for topic, (_, stems) in TOPICS.items() if stem in stems.split()), "analysis")


def _is_elementary(one: Name) -> bool:
    return getattr(one.value, "__name__", "") in ANALYSIS


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _wrapped(title: str, signature: str) -> str:
    """A signature, one parameter a line where it is long."""
    if len(title) + len(signature) <= 76:
        return signature
    inner, depth, parts, begin = signature[1 : signature.rindex(")")], 0, [], 0
    for place, letter in enumerate(inner):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(inner[begin:place].strip())
            begin = place + 1
    parts.append(inner[begin:].strip())
    return "(\n" + "".join(f"    {part},\n" for part in parts) + signature[signature.rindex(")") :]


def command_line() -> str:
    """Return the page of the command `hybridize`: each command with its arguments and options."""
    group: Any = typer.main.get_command(application)
    lines = ["# Command line", ""]
    for name, command in sorted((name, one) for name, one in group.commands.items() if not one.hidden):
        lines += [f"## hybridize {name}", "", _escaped(" ".join((command.help or "").split())), ""]
        rows = list(_of_migrate() if name == "migrate" else _options(command))
        places = [words for words, *_ in rows if not words.startswith("-")]
        lines += [
            "```sh",
            " ".join(["hybridize", name, *["[OPTIONS]"] * (len(rows) > len(places)), *places]),
            "```",
            "",
        ]
        if rows:
            lines += ["| option | default | meaning |", "| --- | --- | --- |"]
            lines += [f"| `{words}` | {default} | {text} |" for words, default, text in rows]
            lines.append("")
    return "\n".join(lines)


def _options(command: Any) -> Iterator[tuple[str, str, str]]:
    """Yield (words, default, meaning) of each argument and option of a command."""
    for one in command.params:
        words = " ".join(one.opts) if one.param_type_name == "option" else one.metavar or str(one.name).upper()
        default = "" if one.default is None or callable(one.default) else f"`{one.default}`"
        yield words, default, _cell((getattr(one, "help", "") or "").replace("\\[", "["))


def _of_migrate() -> Iterator[tuple[str, str, str]]:
    """Yield the same of `hybridize migrate`, which parses its arguments itself."""
    for one in migrating.parser()._actions:
        yield " ".join(one.option_strings) or str(one.metavar), "", _cell(f"{one.help}.".capitalize())


def _cell(text: str) -> str:
    return _escaped(" ".join(text.split())).replace("|", "\\|")


def made() -> Reference:
    """Return the reference of the package as it is."""
    return Reference(names())
