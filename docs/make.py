"""Write the parts of the documentation that the source knows best.

    python docs/make.py

errors/catalogue.md: the index of the pages of errors, which lie in the package (`tools/errors`).
errors/mistakes.md: mistakes of users, from the table of their tests.
guide/pytorch.md: the functions of torch that the PyTorch door knows, between its two marks.
demo.md: the figures in benchmarks/web.json, between its two marks.
charts: of the tables in benchmarks.md.
one-road.svg, one-road-narrow.svg: the picture of what goes in and comes out.
internals/device-road.svg, device-call.svg: a program on a device, and the memory of its call.

And the stubs of modules whose names are loaded late (`base/names.py`), for type checkers and editors.
"""

import ast
import importlib.util
import inspect
import json
import os
import re
import sys
import textwrap
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy

from hybridize import nd, np
from hybridize.array.functions.keywords import TAKES
from hybridize.array.methods import Methods
from hybridize.base import errors
from hybridize.base.elsewhere import Elsewhere
from hybridize.base.progress import showing
from hybridize.tools import error_pages
from hybridize.torch.functions import FUNCTIONS

sys.path.append(str(Path(__file__).parent))
import charts
import device_pictures
import road

from results import CLASSES, OF_ND, OVERLOADS, RESULTS

DOCS = Path(__file__).parent
ROOT = DOCS.parent
METHODS = ROOT / "hybridize" / "array" / "methods.pyi"
GENERATORS = ROOT / "hybridize" / "array" / "generators.pyi"
PLAIN = {"Any", "int", "float", "bool", "str", "bytes", "None", "tuple", "list"}
FACES = {ROOT / "hybridize" / "array" / f"{name}.py" for name in ("np", "npx", "random", "linalg")}
RESULT_OF = {name: result for result, names in RESULTS.items() for name in names.split()}
RESULT_OF_ND = {name: result for result, names in OF_ND.items() for name in names.split()}
ND = ROOT / "hybridize" / "ndarray" / "__init__.pyi"
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
CODE = re.compile(r"E\d{3,4}")
KINDS = {*errors.__all__, "Lacking"}
"""Classes of errors."""
FAMILIES = {
    "1": "shapes and axes", "2": "dtypes", "3": "arguments", "4": "lines that cannot be compiled",
    "5": "not there yet, or not any more", "6": "files", "7": "devices", "8": "results that differ",
    "9": "defects of hybridize, and machine code",
}  # fmt: skip
"""What errors are about, by the first digit of their codes."""


def raised() -> Iterator[tuple[str, str]]:
    """(code, class) of every error that the package raises, by calls of classes and by tables."""
    for path in sorted((ROOT / "hybridize").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and _is_code(node.args[0]):
                name = ast.unparse(node.func).rsplit(".", 1)[-1]
                name = "CaptureError" if name == "refusal" else name
                if name in KINDS:
                    yield node.args[0].value, name  # type: ignore[attr-defined]
            elif isinstance(node, ast.Tuple) and len(node.elts) == 2 and _is_code(node.elts[1]):
                name = ast.unparse(node.elts[0])
                if name in KINDS:
                    yield node.elts[1].value, name  # type: ignore[attr-defined]


def _is_code(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(CODE.fullmatch(node.value))


def catalogue() -> str:
    """The index of the pages of errors, by classes."""
    families: dict[str, list[error_pages.Page]] = {}
    for code in error_pages.codes():
        page = error_pages.page(code)
        if page is not None:
            families.setdefault(code[1], []).append(page)
    lines = [
        "# Catalogue of errors", "",
        "Each code has a page with an example and what to write instead. `hybridize explain-error E450` prints it.", "",
    ]  # fmt: skip
    for digit, pages in families.items():
        lines += [f"## E{digit}: {FAMILIES[digit]}", "", "| code | class | what happened |", "| --- | --- | --- |"]
        for page in pages:
            title = page.title.replace("|", "\\|")
            lines.append(f"| [{page.code}](../../hybridize/tools/errors/{page.code}.md) | `{page.kind}` | {title} |")
        lines.append("")
    return "\n".join(lines)


def mistakes() -> str:
    """The page of mistakes of users, from the table of their tests."""
    spec = importlib.util.spec_from_file_location("table", ROOT / "tests" / "mistakes" / "table.py")
    assert spec is not None
    assert spec.loader is not None
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    lines = [
        "# Mistakes and what is said", "",
        "What people type, and what hybridize says: words of the error, and of the remedy in its last line. "
        "Each row is a test (`tests/mistakes`).", "",
    ]  # fmt: skip
    for title, rows in table.MISTAKES.items():
        lines += [f"## {title}", "", "| you type | hybridize says | remedy |", "| --- | --- | --- |"]
        for row in rows:
            typed = "<br>".join(f"`{line}`" for line in row.typed.strip().split("\n") if line)
            where = " (hybridized)" if row.ways == table.HYBRIDIZED else ""
            code = f"[{row.code}](../../hybridize/tools/errors/{row.code}.md)"
            cells = typed + where, f"{code}: {row.says}", row.remedy
            lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("<module>", "") for cell in cells) + " |")
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
        f"{stored['load']} before the first round; {versions}. `{stored['command']}`. Each page loads its runtime, and "
        "the same weights of 86 KB. The times are for a call with one image, from and to JavaScript's arrays.",
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
                case ast.AnnAssign(target=target):
                    text = ast.unparse(target)
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
    name: str,
    function: Any,
    *,
    method: bool = False,
    own: str = "Any",
    hidden: Collection[str] = (),
    overloads: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> list[str]:
    """A function as a stub has it: its name, its arguments, and the first sentence of its text.

    Args:
        name: what it is called there.
        function: it.
        method: it is a class's.
        own: the type of a result of which it says nothing.
        hidden: names of types that stand for something else there.
        overloads: the signatures of functions that have several.
    """
    indent, plain = " " * 4 * method, PLAIN - {*hidden}
    signature = inspect.signature(function)
    parameters = [
        one.replace(
            annotation=one.annotation if {*re.findall(r"\w+", str(one.annotation))} <= plain else "Any",
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
    written = re.sub(r"(: )'([^']*)'", r"\1\2", written).replace("Ellipsis", "...")
    result = str(signature.return_annotation)
    if "Any" in result or result == "ndarray" or signature.return_annotation is signature.empty:
        result = result if result == "ndarray" and not method else own
    summary = " ".join((inspect.getdoc(function) or "See `nd`.").partition("\n\n")[0].split())
    text = textwrap.wrap(f'"""{summary}"""', 112, initial_indent=f"{indent}    ", subsequent_indent=f"{indent}    ")
    if name in overloads:
        first, *rest = overloads[name]
        others = [line for one in rest for line in ("@overload", f"def {name}{one}: ...")]
        return ["@overload", f"def {name}{first}:", *text, *others]
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
        if hasattr(value, "__signature__") or inspect.unwrap(value) in TAKES.values() or says_any(path, value):
            own = RESULT_OF.get(f"{path.stem}.{name}", RESULT_OF.get(name, "ndarray")) if path in FACES else "Any"
            own, overloads = qualified(own, module.PLACES), OVERLOADS if path in FACES else {}
            functions += ["", *definition(name, value, hidden=module.PLACES, own=own, overloads=overloads)]
        else:
            lines.append(f"from {home if attribute else package} import {attribute or last} as {name}")
    if functions:
        text = "\n".join(functions)
        used = [name for name in CLASSES if re.search(rf"\b{name}\b", text)]
        words = ["Any", "Literal", *(["NamedTuple"] if used else []), "overload"]
        typing = ", ".join(word for word in words if word == "NamedTuple" or re.search(rf"\b{word}\b", text))
        array = [] if "ndarray" in module.PLACES else ["from hybridize.array.ndarray import ndarray as ndarray"]
        lines[1:2] = [
            "",
            *(["import builtins"] if "builtins." in text else []),
            f"from typing import {typing}",
            "",
            *(["import numpy", ""] if "numpy." in text else []),
            *array,
        ]
        for name in used:
            functions += ["", f"class {name}(NamedTuple):", *(f"    {field}: ndarray" for field in CLASSES[name])]
    names = textwrap.wrap(", ".join(f'"{name}"' for name in sorted(module.PLACES)), 114, break_on_hyphens=False)
    lines += ["", "PLACES: dict[str, str]", "__all__ = [", *(f"    {line}" for line in names), "]"]
    lines += ["__version__: str"] if hasattr(module, "__version__") else []
    return "\n".join(lines + functions) + "\n"


def says_any(path: Path, value: Any) -> bool:
    """Tell whether a module that users import has a function there whose result its own source leaves open."""
    return path in FACES and inspect.isfunction(value) and "Any" in str(inspect.signature(value).return_annotation)


def qualified(result: str, hidden: Collection[str]) -> str:
    """The type of a result in a module where other things have the names of Python's types."""
    return re.sub(r"(?<!\.)\b(int|bool|str)\b", lambda m: f"builtins.{m[0]}" if m[0] in hidden else m[0], result)


def of_nd() -> str:
    """What type checkers and editors read of `nd`, whose functions stand in one table."""
    lines = [
        "# Written by `docs/make.py` from the table of MXNet 1's names.",
        "",
        "from collections.abc import Iterable",
        "from typing import Any",
        "",
        "from hybridize import sparse as sparse",
        "from hybridize.array import np as np",
        "from hybridize.array import npx as npx",
        "from hybridize.array.nd_array import NDArray as NDArray",
        "from hybridize.sparse import cast_storage as cast_storage",
        "from hybridize.sparse.files import load as load",
        "from hybridize.sparse.files import load_frombuffer as load_frombuffer",
        "from hybridize.sparse.files import save as save",
        "",
        "OF_FILES: tuple[str, ...]",
        "newaxis: None",
        "_internal: Any",
        "",
        "def absent(module: str, name: str, own: Iterable[str] = ()) -> AttributeError: ...",
    ]
    for name, value in sorted(nd._table().items()):
        if name.startswith("_") or name in nd.OF_FILES:
            continue
        if callable(value):
            lines += ["", *definition(name, value, own=RESULT_OF_ND.get(name, "NDArray"), hidden=("slice",))]
        else:
            lines += ["", f"class {name}:"]
            for part, function in sorted(vars(value).items()):
                if not part.startswith("_"):
                    own = RESULT_OF_ND.get(f"{name}.{part}", "NDArray")
                    written = definition(part, function, own=own)
                    lines += ["    @staticmethod", *(f"    {line}" for line in written)]
    return "\n".join(lines) + "\n"


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
        elif not name.startswith("_") and not isinstance(value, Elsewhere):
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
        elif not name.startswith("_") and not isinstance(value, Elsewhere):
            lines += [*definition(name, value, hidden=vars(module)), ""]
    return "\n".join(lines)


def stubs() -> dict[Path, str]:
    """The stubs by path: of every module with a table of names that defines nothing itself, and of methods."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "hybridize").rglob("*.py"))}
    own = re.compile(r"\n(def|class) [^_]")
    tables = [path for path, text in texts.items() if "\nPLACES = " in text and not own.search(text)]
    for name in np.PLACES:
        getattr(np, name)  # a function has its text from the first time on that its name is looked up
    written = {path.with_suffix(".pyi"): stub(path) for path in tables}
    return written | {
        METHODS: methods(),
        ND: of_nd(),
        GENERATORS: classes(GENERATORS),
        NAMES: names(ROOT / "hybridize"),
    }


if __name__ == "__main__":
    if NAMES.read_text(encoding="utf-8") != names(ROOT / "hybridize"):
        NAMES.write_text(names(ROOT / "hybridize"), encoding="utf-8")
        os.execv(sys.executable, [sys.executable, *sys.argv])  # the stubs have the new names
    with showing("writing the stubs"):
        for path, text in stubs().items():
            path.write_text(text, encoding="utf-8")
    (DOCS / "errors" / "catalogue.md").write_text(catalogue(), encoding="utf-8")
    (DOCS / "errors" / "mistakes.md").write_text(mistakes(), encoding="utf-8")
    guide = DOCS / "guide" / "pytorch.md"
    guide.write_text(with_part(guide.read_text(encoding="utf-8"), OPERATORS, operators()), encoding="utf-8")
    demo = DOCS / "demo.md"
    demo.write_text(with_part(demo.read_text(encoding="utf-8"), WEB, web()), encoding="utf-8")
    for name, text in charts.charts().items():
        (DOCS / "charts" / name).write_text(text, encoding="utf-8")
    for name, text in {**road.pictures(), **device_pictures.pictures()}.items():
        (DOCS / name).write_text(text, encoding="utf-8")
