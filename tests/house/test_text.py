"""What may not stand in a file, and how docstrings begin; docs/internals/writing.md."""

import ast
import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.sources import syntax

ROOT = Path(__file__).parents[2]
FOLDERS = ("hybridize", "tests", "examples", "benchmarks", "docs", "README.md", "CHANGELOG.md")
# Spelled in pieces, so that this file does not hold the words it looks for.
FORBIDDEN = {
    "an open end": re.compile(r"raise NotImplemented" + r"Error|TO" + "DO|FIX" + "ME|XX" + "X:"),
    "a path of one machine": re.compile(r"/ro" + r"ot/|/ho" + r"me/\w|/wo" + r"rk/|/opt/py" + "pi"),
    "the host of a registry": re.compile(r"pypi\." + r"org|pythonhosted\." + "org"),
    "pickle": re.compile(r"^\s*(import|from) pick" + "le", re.MULTILINE),
    "a conflict that nobody settled": re.compile(r"^(<<<<" + r"<<<|>>>>>" + r">>) ", re.MULTILINE),
}


def committed_or_new() -> list[Path]:
    """Files of the project that hold text, tracked or about to be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True) if shutil.which("git") else None
    if done is None or done.returncode:  # an unpacked source archive has no git
        return [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


TEXT = [path for path in committed_or_new() if path.suffix in (".py", ".md", ".toml", ".txt", ".json", ".svg", ".c")]


@pytest.mark.parametrize("reason", FORBIDDEN)
def test_no_file_holds(reason):
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for path in TEXT
        if reason != "pickle"
        or ("hybridize" in path.relative_to(ROOT).parts and path.suffix == ".py")  # tests may pickle as users do
        for text in [path.read_text(encoding="utf-8", errors="replace")]
        for match in FORBIDDEN[reason].finditer(text)
    ]
    assert not found, "\n".join(found)


def test_every_module_says_what_it_is_for():
    silent = []
    for path in TEXT:
        if path.suffix == ".py" and path.is_relative_to(ROOT / "hybridize"):
            first = next((line for line in path.read_text().splitlines() if line and not line.startswith("#")), "")
            if not first.startswith(('"""', 'r"""')):
                silent.append(str(path.relative_to(ROOT)))
    assert not silent


def test_chapter_is_unchanged():
    """The acceptance tests are a copy; a change there would be a change of the promise."""
    sums = (ROOT / "tests/house/chapter.sha256").read_text().split()
    expected = dict(zip(sums[1::2], sums[::2], strict=True))
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (ROOT / "tests/chapter").iterdir()
        if path.is_file()
    }
    assert found == expected


CLAUSE = re.compile(r"(What|Whether|How|Where|Which|Who|Whose|Whom|Why|When)\b")


def strings_of(tree: ast.AST) -> Iterator[ast.Constant]:
    """Docstrings, and the strings that stand below a field or a constant."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ('"""What it does."""', True),
        ('def f():\n    """Whether it is so."""', True),
        ('class A:\n    x: int = 0\n    """How many."""', True),
        ('"""Whatever is given is taken."""', False),
        ('def f():\n    """Tell whether it is so."""', False),
    ],
)
def test_clauses_are_found(text, begins):
    assert any(CLAUSE.match(string.value) for string in strings_of(ast.parse(text))) is begins


def test_docstrings_say_first_what_a_thing_does():
    found = [
        f"{path.relative_to(ROOT)}:{string.lineno}: {string.value.strip().splitlines()[0]}"
        for path in TEXT
        if path.suffix == ".py" and path.is_relative_to(ROOT / "hybridize")
        for string in strings_of(syntax(path))
        if CLAUSE.match(string.value.strip())
    ]
    assert not found, "begin with the act, not with a clause (docs/internals/writing.md):\n" + "\n".join(found)


def test_terms_of_the_glossary_name_files_and_stand_once():
    text = (ROOT / "docs" / "internals" / "glossary.md").read_text()
    entries = re.findall(r"^- \*\*(.+?)\*\*: .+ `([\w/.]+)`$", text, re.MULTILINE)
    assert len(entries) == text.count("\n- "), "an entry is `- **term**: definition `file``"
    assert [file for _, file in entries if not (ROOT / file).is_file()] == []
    terms = [term for names, _ in entries for term in names.split(", ")]
    assert len(set(terms)) == len(terms)


ONE_NAME = {
    "Backend": "a way to run graphs, and a runtime as the onnx package has it",
    "BatchNorm": "the layer, and the gradient rule of what it calls",
    "Cast": "the op, its expression in a kernel, and MXNet's transform of images",
    "Classifier": "networks of the model zoo, and the book's class of nets that give scores",
    "Constant": "MXNet's parameter that is not learned, and its initializer",
    "DotProductAttention": "the layer, and the book's, of its own parts",
    "FashionMNIST": "MXNet's data set, and the book's, with both of its parts",
    "Function": "MXNet's autograd.Function, a hybridized function, and a function of LLVM",
    "GRU": "MXNet's layer, and the book's net of it",
    "Gamma": "the op, and MXNet's distribution",
    "Interpreter": "of ops, whoever is in charge of them, and LiteRT's, of a model",
    "Load": "a load of an element, and MXNet's initializer",
    "Loss": "MXNet's losses, and its metric of that name",
    "Module": "a module of LLVM's, and the book's class of nets",
    "MultiHeadAttention": "the layer, and the book's, of its own parts",
    "Node": "of a graph of ours, and of a model of another framework",
    "Normal": "MXNet's initializer, and its distribution",
    "Pad": "the op, and MXNet's way of making batches",
    "PositionalEncoding": "the layer, and the book's, with a table of its own",
    "RNN": "MXNet's layer, and the book's net of it",
    "SGD": "MXNet's optimizer, and the book's, for arrays",
    "Stack": "MXNet's way of making batches, and its constraint",
    "Trainer": "MXNet's, and the book's",
    "TransformerEncoder": "the net, and the book's, of its own parts",
    "Uniform": "MXNet's initializer, and its distribution",
    "Vocabulary": "the words of texts, and the operators of a framework",
}
"""Public names of two classes: most are MXNet's or the book's, or one is what the other becomes a level below."""


def test_a_name_is_of_one_class():
    """Drivers are copied out and run alone; a private class is its module's own matter; MXNet 1.9.1's face has its
    subclasses under the names that they take the place of.
    """
    files = {}
    for path in (ROOT / "hybridize").rglob("*.py"):
        parts = path.relative_to(ROOT / "hybridize").parts
        if "drivers" not in parts and parts[0] != "mxnet":
            for node in syntax(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    files.setdefault(node.name, []).append("/".join(parts))
    shared = {name: sorted(found) for name, found in files.items() if len(found) > 1}
    assert {name: found for name, found in shared.items() if name not in ONE_NAME} == {}, (
        "choose another name for the new class, or move the old one; ONE_NAME has the exceptions, with reasons"
    )
    assert ONE_NAME.keys() - shared.keys() == set(), "these have one class only"
