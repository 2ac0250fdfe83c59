"""Write the parts of the documentation that the source knows best.

    python docs/make.py

errors/catalogue.md: every error, from the places in the package that raise it. A code belongs to one class. Where it is
raised in several places, each message is listed; what is filled in at run time stands in braces.
guide/pytorch.md: the functions of torch that the PyTorch door knows, between its two marks.
demo.md: the figures in benchmarks/web.json, between its two marks.
charts: of the tables in benchmarks.md.

And the stubs of modules whose names are loaded late (`base/names.py`), for type checkers and editors.
"""

import ast
import importlib
import inspect
import json
import os
import re
import sys
import textwrap
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy

sys.path.insert(0, str(Path(__file__).parent))

import charts

from hybridize.array.functions.keywords import TAKES
from hybridize.array.methods import Methods
from hybridize.torch.functions import FUNCTIONS

DOCS = Path(__file__).parent
ROOT = DOCS.parent
METHODS = ROOT / "hybridize" / "array" / "methods.pyi"
GENERATORS = ROOT / "hybridize" / "array" / "generators.pyi"
PLAIN = ("Any", "int", "float", "bool", "str", "int | None", "float | None", "bool | None", "str | None")
PLAIN_VALUES = (bool, int, float, str, type(None))
NAMES = ROOT / "hybridize" / "array" / "names.py"
HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions by the modules of `array/functions` that define them; written by `docs/make.py` from these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NAMES: Final[Mapping[str, str]] = {
'''
OPERATORS, WEB = "operators", "web"
"""The marks between which pages have parts that are made."""
MEASURED = ROOT / "benchmarks" / "web.json"
CODE = re.compile(r"E\d{3}")


def text_of(node: ast.expr | None) -> str:
    """A literal or an f-string as text, its expressions in braces; anything else as source in braces."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) for part in parts)
        case ast.FormattedValue(value=value):
            return "{" + ast.unparse(value) + "}"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return text_of(left) + text_of(right)
        case None:
            return ""
        case _:
            return "{" + ast.unparse(node) + "}"


def raised() -> Iterator[tuple[str, str, str, str]]:
    """(code, class, message, help) of every error made with a literal code."""
    for path in sorted((ROOT / "hybridize").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
                continue
            code, name = node.args[0].value, ast.unparse(node.func).rsplit(".", 1)[-1]
            name = "CaptureError" if name == "refusal" else name
            if isinstance(code, str) and CODE.fullmatch(code) and name.endswith("Error"):
                remedy = next((keyword.value for keyword in node.keywords if keyword.arg == "help"), None)
                yield code, name, text_of(node.args[1] if len(node.args) > 1 else None), text_of(remedy)


def catalogue() -> str:
    """The page."""
    entries: dict[str, list[tuple[str, str, str]]] = {}
    for code, name, message, remedy in raised():
        entry = (name, " ".join(message.split()), " ".join(remedy.split()))
        if entry not in entries.setdefault(code, []):
            entries[code].append(entry)
    lines = ["# Catalogue of errors", "", "Written by `docs/make.py` from the source.", ""]
    for code in sorted(entries):
        lines += [f"## {code}", ""]
        for name, message, remedy in entries[code]:
            lines.append(f"- `{name}`: {message}" + (f"  \n  *help: {remedy}*" if remedy else ""))
        lines.append("")
    return "\n".join(lines)


def operators() -> str:
    """Torch's functions that have an entry, by name."""
    names = sorted({entry.name for entry in FUNCTIONS.values()}, key=lambda name: name.rpartition(".")[::-1])
    return "\n".join(textwrap.wrap(" · ".join(names), 160, break_long_words=False, break_on_hyphens=False))


def with_part(page: str, mark: str, part: str) -> str:
    """The page with what is between its marks replaced."""
    begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{part}\n{end}{after}"


def web() -> str:
    """The table of what benchmarks/web.py has stored: bytes and times in a browser."""
    stored = json.loads(MEASURED.read_text(encoding="utf-8"))
    ours, lines = (
        stored["runtimes"]["hybridize"],
        [
            "| runtime | bytes before the first result | compressed by gzip | one call |",
            "| --- | ---: | ---: | ---: |",
        ],
    )
    for name, row in stored["runtimes"].items():
        cells = [
            f"{row['bytes'] / 1e3:,.0f} KB",
            f"{row['compressed'] / 1e3:,.0f} KB",
            f"{row['microseconds']:,.1f} µs",
        ]
        if row is not ours:
            for place, key in enumerate(("bytes", "compressed", "microseconds")):
                cells[place] += f" ({row[key] / ours[key]:.1f} ×)"
        lines.append(f"| {name} | {' | '.join(cells)} |")
    versions = ", ".join(f"{name} {version}" for name, version in stored["versions"].items())
    return "\n".join([
        *lines,
        "",
        f"{stored['machine']}, {stored['system']}, {stored['browser']}, {stored['date']}, one thread, load average "
        f"{stored['load']} before the first round; {versions}. `{stored['command']}`. Each page loads its runtime and "
        "the same weights of 86 KB; times are of a call with one image, from and to JavaScript's arrays.",
    ])  # fmt: skip


def names(package: Path) -> str:
    """The module that says where NumPy's functions are: public names of theirs that one module of ours defines."""
    homes: dict[str, set[str]] = {}
    for path in sorted((package / "array" / "functions").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            match node:
                case ast.FunctionDef(name=text) | ast.ClassDef(name=text):
                    pass
                case ast.Assign(targets=targets):
                    text = " ".join(map(ast.unparse, targets))
                case _:
                    continue
            for name in re.findall(r"\w+", text):
                if not name.startswith("_") and hasattr(numpy, name):
                    homes.setdefault(name, set()).add(path.stem)
    rows: dict[str, list[str]] = {}
    for name, (home, *others) in homes.items():
        if not others:
            rows.setdefault(home, []).append(name)
    lines = []
    for home, listed in sorted(rows.items()):
        text = textwrap.wrap(" ".join(sorted(listed)), 108, break_on_hyphens=False)
        whole = f'    "{home}": "{text[0]}",'
        if len(text) == 1 and len(whole) <= 120:
            lines.append(whole)
        else:
            lines += [
                f'    "{home}": (',
                *(f'        "{one} "' for one in text[:-1]),
                f'        "{text[-1]}"',
                "    ),",
            ]
    return "\n".join([HEAD.rstrip(), *lines, "}"]) + "\n"


def definition(
    name: str, function: Any, *, method: bool = False, own: str = "Any", hidden: Collection[str] = ()
) -> list[str]:
    """A function as a stub has it: its name, its arguments, and the first sentence of its text.

    Args:
        name: what it is called there.
        function: it.
        method: it is a class's.
        own: the type of a result of which it says nothing.
        hidden: names of types that stand for something else there.
    """
    indent, plain = " " * 4 * method, [one for one in PLAIN if not {*one.split(" | ")} & {*hidden}]
    signature = inspect.signature(function)
    parameters = [
        one.replace(
            annotation=one.annotation if str(one.annotation) in plain else "Any",
            default=one.default if isinstance(one.default, PLAIN_VALUES) or one.default is one.empty else ...,
        )
        for one in signature.parameters.values()
    ]
    if method:
        first = parameters[0]
        if first.kind is first.VAR_POSITIONAL:
            parameters.insert(1, first)
            first = first.replace(kind=first.POSITIONAL_ONLY)
        parameters[0] = first.replace(name="self", annotation=first.empty)
    written = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    for word in plain:
        written = written.replace(f"'{word}'", word)
    written = written.replace("Ellipsis", "...")
    result = str(signature.return_annotation)
    if result in ("Any", "ndarray") or signature.return_annotation is signature.empty:
        result = result if result == "ndarray" and not method else own
    summary = " ".join((inspect.getdoc(function) or "See `nd`.").partition("\n\n")[0].split())
    text = textwrap.wrap(f'"""{summary}"""', 112, initial_indent=f"{indent}    ", subsequent_indent=f"{indent}    ")
    return [f"{indent}def {name}{written} -> {result}:", *text]


def stub(path: Path) -> str:
    """What type checkers and editors read of a module: where its names are, and what else it defines.

    Functions whose decorators give them arguments are written out: nobody reads those from the source.
    """
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    lines, functions = ["# Written by `docs/make.py` from the module's table of names.", ""], []
    for name, place in sorted(module.PLACES.items(), key=lambda one: (one[1], one[0])):
        home, _, attribute = place.partition(":")
        package, _, last = home.rpartition(".")
        value = getattr(module, name)
        if hasattr(value, "__signature__") or inspect.unwrap(value) in TAKES.values():
            functions += ["", *definition(name, value, hidden=module.PLACES)]
        else:
            lines.append(f"from {home if attribute else package} import {attribute or last} as {name}")
    if functions:
        lines[1:2] = ["", "from typing import Any", "", "from hybridize.array.ndarray import ndarray as ndarray"]
    names = textwrap.wrap(", ".join(f'"{name}"' for name in sorted(module.PLACES)), 114, break_on_hyphens=False)
    lines += ["", "PLACES: dict[str, str]", "__all__ = [", *(f"    {line}" for line in names), "]"]
    lines += ["__version__: str"] if hasattr(module, "__version__") else []
    return "\n".join(lines + functions) + "\n"


def methods() -> str:
    """What type checkers and editors read of the methods that arrays have from tables of names (`array/methods.py`)."""
    lines = [
        "# Written by `docs/make.py` from the functions that the methods are.",
        "",
        "from collections.abc import Callable",
        "from typing import Any, Self",
        "",
        "from hybridize.base.hooks import Hooks",
        "",
        "functions: Hooks",
        "",
        "def or_legacy(*keywords: str) -> Callable[[Any], Any]: ...",
        "",
        "class Methods:",
    ]
    return "\n".join(lines + members(Methods, "Self")) + "\n"


def members(kind: type, own: str) -> list[str]:
    """The public methods and properties of a class itself, as a stub has them; `own`: as of `definition`."""
    lines: list[str] = []
    for name, value in sorted(vars(kind).items()):
        if isinstance(value, property):
            lines += ["    @property", f"    def {name}(self) -> Any: ..."]
            lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."] if value.fset else []
        elif not name.startswith("_"):
            lines += definition(name, getattr(kind, name), method=True, own=own)
    return lines


def classes(path: Path) -> str:
    """What type checkers and editors read of a module whose classes have methods from tables of names."""
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    lines = ["# Written by `docs/make.py` from the module.", "", "import builtins", "from typing import Any", ""]
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(value, type):
            bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
            lines += [f"class {name}{f'({bases})' if bases else ''}:"]
            lines += ["    def __init__(self, seed: Any = None) -> None: ...", *members(value, "Any"), ""]
        elif not name.startswith("_"):
            lines += [*definition(name, value, hidden=vars(module)), ""]
    return "\n".join(lines)


def stubs() -> dict[Path, str]:
    """The stubs by path: of every module with a table of names that defines nothing itself, and of methods."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "hybridize").rglob("*.py"))}
    own = re.compile(r"\n(def|class) [^_]")
    tables = [path for path, text in texts.items() if "\nPLACES = " in text and not own.search(text)]
    written = {path.with_suffix(".pyi"): stub(path) for path in tables}
    return written | {METHODS: methods(), GENERATORS: classes(GENERATORS), NAMES: names(ROOT / "hybridize")}


if __name__ == "__main__":
    if NAMES.read_text(encoding="utf-8") != names(ROOT / "hybridize"):
        NAMES.write_text(names(ROOT / "hybridize"), encoding="utf-8")
        os.execv(sys.executable, [sys.executable, *sys.argv])  # the stubs have the new names
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
    (DOCS / "errors" / "catalogue.md").write_text(catalogue(), encoding="utf-8")
    guide = DOCS / "guide" / "pytorch.md"
    guide.write_text(with_part(guide.read_text(encoding="utf-8"), OPERATORS, operators()), encoding="utf-8")
    demo = DOCS / "demo.md"
    demo.write_text(with_part(demo.read_text(encoding="utf-8"), WEB, web()), encoding="utf-8")
    for name, text in charts.charts().items():
        (DOCS / "charts" / name).write_text(text, encoding="utf-8")
