"""The public names: which modules are public, what each has, and what the source says of every name.

A module's names are its `__all__`, else its table of places, else what it defines itself. A name that stands for what
an earlier module of the table has is another name of that: the reference points there.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import types
from collections import namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy

import hybridize
from hybridize.array.functions.keywords import TAKES
from hybridize.base.elsewhere import Elsewhere

ROOT = Path(__file__).parents[2]
MODULES: Mapping[str, str] = {
    "np": "NumPy's functions, compiled",
    "np.linalg": "linear algebra",
    "np.fft": "Fourier transforms",
    "np.random": "random numbers",
    "npx": "what neural networks need beside NumPy's functions",
    "npx.image": "images as arrays",
    "nd.linalg": "MXNet 1's BLAS and LAPACK",
    "nd.random": "MXNet 1's random numbers",
    "nd": "arrays under MXNet 1's names and rules",
    "nd.contrib": "what MXNet 1 keeps under contrib",
    "nd.image": "images under MXNet 1's names",
    "sparse": "sparse arrays, `nd.sparse`",
    "sym": "expressions, and the functions of `nd` on them",
    "hybridize": "capture, programs, devices",
    "autograd": "gradients",
    "gluon": "blocks, parameters, trainers",
    "gluon.nn": "layers",
    "gluon.rnn": "recurrent layers and cells",
    "gluon.loss": "losses",
    "gluon.data": "data sets and loaders",
    "gluon.data.vision": "data sets of images",
    "gluon.data.vision.transforms": "transforms of images",
    "gluon.probability": "distributions",
    "gluon.utils": "parts of batches, norms of gradients",
    "gluon.model_zoo": "ready-made networks",
    "gluon.model_zoo.vision": "networks for images",
    "gluon.model_zoo.text": "decoders of tokens",
    "gluon.contrib.nn": "layers that MXNet 1 keeps under contrib",
    "gluon.contrib.rnn": "cells that MXNet 1 keeps under contrib",
    "gluon.contrib.estimator": "training loops with events",
    "init": "initial values of parameters",
    "optimizer": "optimizers",
    "lr_scheduler": "learning rates by the step",
    "metric": "metrics",
    "gluon.metric": "metrics, under gluon",
    "random": "random numbers, at the top",
    "kvstore": "sums over devices and machines",
    "image": "images: files, sizes, random changes, batches",
    "io": "MXNet's iterators over batches",
    "recordio": "files of records",
    "amp": "scaled losses",
    "profiler": "what ran, and how long",
    "callback": "callbacks of training loops",
    "monitor": "statistics of layers",
    "torch": "the PyTorch door",
    "tensorflow": "the TensorFlow door",
    "jax": "the JAX door",
    "onnx": "ONNX",
    "tflite": "TFLite",
    "d2l": "helpers of Dive into Deep Learning",
    "errors": "classes of errors",
    "array_api": "the Python array API standard",
    "operator": "operations of one's own under MXNet's names",
    "attribute": "attributes of expressions",
    "name": "names of expressions",
    "context": "devices under MXNet 1's names",
    "device": "devices",
    "engine": "asynchronous calls",
    "model": "checkpoints",
    "registry": "registries of classes",
    "test_utils": "comparisons for tests",
    "util": "switches of NumPy's semantics",
    "visualization": "tables and drawings of expressions",
    "contrib.io": "a loader as an iterator",
    "contrib.text": "vocabularies and embeddings of tokens",
}
"""The public modules, from `hybridize` on, with what each has. The first that has a name documents it."""
CHOSEN: Mapping[str, str] = {
    "gluon.model_zoo": "get_model",
    "torch": "TorchFunction island",
    "tensorflow": "TensorFlowFunction",
    "jax": "JaxFunction",
    "hybridize.Program": "backend captured current explain fallbacks kernels memory optimized schedule types",
}
"""Names of modules, and of classes, that define more than is public."""
BY_SOURCE = ("tensorflow", "jax")
"""Modules that are read, not imported, where the library is not installed."""
MAIN = {
    "np.ndarray", "nd.NDArray", "sym.Expression", "sparse.CSRNDArray", "sparse.RowSparseNDArray", "hybridize.Program",
    "gluon.Block", "gluon.HybridBlock", "gluon.SymbolBlock", "gluon.Parameter", "gluon.Trainer", "autograd.Function",
    "np.random.Generator", "np.random.RandomState",
}  # fmt: skip
"""Classes of which each method needs an example; methods of others need a text."""
FACES: Mapping[str, tuple[str, ...]] = {
    "np.ndarray": ("np", "npx", "nd"),
    "nd.NDArray": ("nd", "np.ndarray", "np"),
    "sym.Expression": ("sym", "nd", "np.ndarray", "np"),
    "sparse.BaseSparseNDArray": ("np.ndarray",),
    "sparse.CSRNDArray": ("np.ndarray", "sparse"),
    "sparse.RowSparseNDArray": ("np.ndarray", "sparse"),
    "np.random.Generator": ("np.random",),
    "np.random.RandomState": ("np.random",),
}
"""Classes whose methods are functions, or those of another class, and where these are documented."""
VALUES: Mapping[str, str] = {
    "bfloat16": "The dtype of numbers with 8 bits of exponent and 7 of fraction, from the package ml_dtypes.",
    "boolean_dtypes": "A list of the dtypes of bools that hybridize computes with.",
    "e": "Euler's number, 2.718..., as a Python number.",
    "euler_gamma": "Euler's constant, 0.5772..., as a Python number.",
    "float32": "NumPy's dtype of floats of 32 bits.",
    "floating_dtypes": "A list of the dtypes of floats that hybridize computes with.",
    "inf": "Infinity, as a Python number.",
    "int32": "NumPy's dtype of integers of 32 bits.",
    "int64": "NumPy's dtype of integers of 64 bits.",
    "integer_dtypes": "A list of the dtypes of integers that hybridize computes with.",
    "nan": "Not a number, as a Python number.",
    "newaxis": "None: an index that makes an axis of size 1, `x[np.newaxis]`.",
    "numeric_dtypes": "A list of the dtypes of numbers that hybridize computes with.",
    "pi": "The circumference of a circle by its diameter, 3.1415..., as a Python number.",
    "state": "The state of the generator: an array of two words, the seed and the number of draws so far.",
}
"""Texts of values, which have no docstrings, by the name that they have in each module."""
_WORD = re.compile(r"\w+")
_FIELD = type(namedtuple("_Pair", "one").one)
"""A field of a named tuple."""


@dataclass(frozen=True)
class Name:
    """A public name, or a method of a public class.

    Attributes:
        module: the module, as `np.linalg`.
        word: the name in it; of methods with the class before: `ndarray.sum`.
        value: what it stands for; None where the source alone is read.
        text: its docstring, without indents.
        signature: as `(x, axis=None)`; empty where it is not called.
        kind: `function`, `class`, `method`, `property` or `value`.
        path, line: where the source has it.
        same: the full name that documents it, where that is another one.
        members: a class's.
        bases: full names of public classes that it inherits from.
    """

    module: str
    word: str
    value: Any
    text: str
    signature: str
    kind: str
    path: str
    line: int
    same: str | None = None
    members: tuple[Name, ...] = ()
    bases: tuple[str, ...] = field(default=())

    @property
    def full(self) -> str:
        """Its full name, as users write it: `np.linalg.inv`."""
        return f"{self.module}.{self.word}"

    @property
    def example(self) -> bool:
        """Whether the docstring has an example that uses the name."""
        lines = "\n".join(line for line in self.text.splitlines() if line.lstrip().startswith((">>>", "...")))
        return self.word.rpartition(".")[2] in _WORD.findall(lines)

    def lacks(self) -> list[str]:
        """Return what its docstring lacks: `text` or `example`."""
        if self.same is not None or self.module == "errors" or _is_numpys(self.value):
            return []
        owner = self.word.rpartition(".")[0]
        needs_example = self.kind not in ("value", "property") and (not owner or f"{self.module}.{owner}" in MAIN)
        return ["text"] * (not self.text) + ["example"] * (needs_example and not self.example)


def module_at(path: str) -> Any:
    """Return a public module, or a group of functions, by its path; None where it cannot be imported."""
    value: Any = hybridize
    for word in path.split(".") if path != "hybridize" else ():
        try:
            value = getattr(value, word)
        except (AttributeError, ImportError):
            try:
                value = __import__(f"hybridize.{path}", fromlist=["*"])
            except ImportError:
                return None
            break
    return value


def words_of(path: str, module: Any) -> list[str]:
    """Return the public names of a module, modules left out."""
    own = vars(module)
    if path in CHOSEN:
        words = CHOSEN[path].split()
    elif path in ("nd", "sym"):
        words = dir(module)
    elif path == "hybridize":
        words = [*own["__all__"], *own["PLACES"]]
    elif not isinstance(module, types.ModuleType):
        words = [*own]
    elif "__all__" in own or "PLACES" in own:
        words = [*own.get("__all__", own.get("PLACES", ()))]
    else:
        words = [*getattr(module, "__all__", [*_exported(_file_of(module.__name__))])]
    words = sorted({word for word in words if not word.startswith("_")}, key=lambda word: (word.casefold(), word))
    return [word for word in words if _is_a_name(module, word)]


def _is_a_name(module: Any, word: str) -> bool:
    value = getattr(module, word)
    return not isinstance(value, types.ModuleType) and type(value).__name__ != "_Group"


def _exported(path: Path | None) -> Iterator[str]:
    """Yield the names that a file defines as functions and classes, or imports for others: `from x import y as y`."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body if path else ():
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.ImportFrom(names=listed):
                yield from (one.asname for one in listed if one.asname == one.name)


def _is_numpys(value: Any) -> bool:
    return value is not None and str(getattr(value, "__module__", "")).partition(".")[0] == "numpy"


@cache
def _lines(path: Path) -> dict[str, tuple[int, str]]:
    """Return the line and, of values, the text below of what a file defines: `name` and `Class.name`."""
    lines: dict[str, tuple[int, str]] = {}

    def read(body: list[ast.stmt], prefix: str) -> None:
        for node, after in zip(body, [*body[1:], None], strict=True):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    lines[prefix + name] = node.lineno, ""
                    if isinstance(node, ast.ClassDef):
                        read(node.body, f"{prefix}{name}.")
                case ast.Assign() | ast.AnnAssign():
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    text = ""
                    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                        text = inspect.cleandoc(str(after.value.value))
                    for name in _WORD.findall(" ".join(map(ast.unparse, targets))):
                        lines.setdefault(prefix + name, (node.lineno, text))
                case ast.If(body=inner, orelse=rest):
                    read(inner + rest, prefix)

    read(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return lines


@cache
def _file_of(module: str) -> Path | None:
    base = ROOT.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def _spots(module: Any, word: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield where a name may be defined, likeliest first: (module, attribute)."""
    place = vars(module).get("PLACES", {}).get(word, "")
    if ":" in place:
        home, _, attribute = place.partition(":")
        yield home, attribute
    home, name = getattr(value, "__module__", None), getattr(value, "__qualname__", word)
    if isinstance(home, str):
        yield home, name
        yield home, word
    inner = inspect.unwrap(value) if callable(value) else value
    if inner is not value and inner not in TAKES.values():
        yield getattr(inner, "__module__", ""), getattr(inner, "__qualname__", word)
    yield getattr(module, "__name__", "hybridize.array.legacy"), word


def _spot(module: Any, word: str, value: Any) -> tuple[str, int, str]:
    """Return the path and line of a name's source, and the text that stands below a value."""
    places = [(path, name) for home, name in _spots(module, word, value) if (path := _file_of(home)) is not None]
    for path, name in places:
        if name in _lines(path):
            line, text = _lines(path)[name]
            return path.relative_to(ROOT).as_posix(), line, text
    for path, _ in places:  # a name of a table
        for number, line_text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(rf"(?<![\w.]){re.escape(word)}(?![\w])", line_text):
                return path.relative_to(ROOT).as_posix(), number, ""
    path = places[0][0] if places else ROOT / "hybridize" / "__init__.py"
    return path.relative_to(ROOT).as_posix(), 1, ""


def signature_of(value: Any, *, method: bool = False) -> str:
    """Return the arguments of a call with their types; empty where Python does not know them."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parameters = []
    for place, one in enumerate(signature.parameters.values()):
        if method and place == 0 and one.kind is not one.VAR_POSITIONAL:
            continue
        annotation = (
            one.empty if one.annotation in (Any, "Any", one.empty, "inspect._empty") else _Written(one.annotation)
        )
        default = one.default if one.default is one.empty or _is_plain(one.default) else _Written("...")
        parameters.append(one.replace(annotation=annotation, default=default))
    result = signature.return_annotation
    plain = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    if isinstance(value, type) or result is signature.empty or result in (Any, "Any"):
        return plain
    return f"{plain} -> {_Written(result)!r}"


class _Written:
    """Prints a type as it is written."""

    def __init__(self, value: Any) -> None:
        self._text = value if isinstance(value, str) else inspect.formatannotation(value)

    def __repr__(self) -> str:
        return self._text


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain, value))
    return isinstance(value, (bool, int, float, complex, str, type(None)))


def _kind(value: Any) -> str:
    if isinstance(value, type):
        return "class"
    return "function" if callable(value) else "value"


def _text(value: Any, below: str) -> str:
    """Return a docstring: that of a value stands below it, or is its class's."""
    if isinstance(value, (bool, int, float, str, list, tuple, dict, types.NoneType, numpy.dtype)):
        return below
    return inspect.getdoc(value) or below if not _is_inherited(value) else below


def _is_inherited(value: Any) -> bool:
    """Tell whether a class's docstring is that of a class it inherits from."""
    return isinstance(value, type) and not vars(value).get("__doc__")


def key_of(value: Any, text: str) -> Any:
    """Return what two names share that stand for one function: its docstring, or itself and what it makes public."""
    if ">>>" in text:
        return text
    inner = inspect.unwrap(value) if inspect.isroutine(value) or hasattr(value, "__wrapped__") else value
    return (id(inner), text) if inner is not value else id(value)


@cache
def names() -> tuple[Name, ...]:
    """Return every public name, by module."""
    documented: dict[Any, str] = {}
    classes: dict[type, str] = {}
    output: list[Name] = []
    for path in MODULES:
        module = module_at(path)
        if module is None:
            output += _by_source(path)
            continue
        words = words_of(path, module)
        first = sorted(words, key=lambda word: _rank(word, getattr(module, word)))
        made = {}
        for word in first:
            made[word] = _name(path, module, word, documented, classes)
        output += [made[word] for word in words]
    by_full = {one.full: one for name in output for one in (name, *name.members)}
    return tuple(replace(one, members=tuple(_led(member, by_full) for member in one.members)) for one in output)


def _led(member: Name, by_full: Mapping[str, Name]) -> Name:
    """Return a method; one that is a function, and says nothing else than that, leads to it."""
    owner, _, word = member.word.rpartition(".")
    for face in FACES.get(f"{member.module}.{owner}", ()):
        other = by_full.get(f"{face}.{word}")
        if other is not None and other.full != member.full and member.text in ("", other.text):
            return replace(member, same=other.same or other.full, text=other.text)
    return member


def _rank(word: str, value: Any) -> tuple[int, bool, bool, int, bool]:
    """Tell what is looked at late: classes, after those they inherit from, and other names than a function's own."""
    depth = len(value.__mro__) if isinstance(value, type) else 0
    inner = inspect.unwrap(value) if callable(value) else value
    others = [getattr(one, "__name__", word) != word for one in (value, inner)]
    return depth, others[0], others[1], len(word), not word.islower()


def _name(path: str, module: Any, word: str, documented: dict[Any, str], classes: dict[type, str]) -> Name:
    value = getattr(module, word)
    file, line, below = _spot(module, word, value)
    full, same = f"{path}.{word}", None
    kind = _kind(value)
    text = VALUES.get(word) if kind == "value" else None
    text = text or _text(value, below)
    if kind != "value":
        same = documented.setdefault(key_of(value, text), full)
        same = None if same == full else same
    members: tuple[Name, ...] = ()
    bases: tuple[str, ...] = ()
    if kind == "class" and same is None and not _is_numpys(value):
        bases = tuple(classes[base] for base in value.__mro__[1:] if base in classes)
        members = tuple(_members(path, word, value, classes, documented))
        classes[value] = full
    signature = "" if kind == "value" else signature_of(value)
    return Name(path, word, value, text, signature, kind, file, line, same, members, bases)


def _members(
    path: str, word: str, cls: type, classes: Mapping[type, str], documented: Mapping[Any, str]
) -> Iterator[Name]:
    """Yield the public methods of a class: its own, and those of classes that are not public."""
    own: dict[Any, str] = {}
    names = CHOSEN[f"{path}.{word}"].split() if f"{path}.{word}" in CHOSEN else dir(cls)
    for name in sorted(names, key=lambda name: (_is_other(cls, name), name)):
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        if name.startswith("_") or owner is None or owner in classes or not owner.__module__.startswith("hybridize"):
            continue
        static, value = inspect.getattr_static(cls, name), getattr(cls, name, None)
        if isinstance(static, Elsewhere):
            continue  # of another library
        if inspect.ismemberdescriptor(static) or isinstance(static, _FIELD):
            continue  # a field, of which the class's docstring tells
        is_property = isinstance(static, property) or not callable(value)
        file, line, below = _spot_in(owner, name, static.fget if isinstance(static, property) else value)
        is_data = is_property and not hasattr(static, "__get__")  # whose class has a docstring, which is not its own
        own_text = below if is_data else vars(owner)[name].__doc__
        if not own_text and any(name in vars(base) for base in cls.__mro__ if base in classes):
            continue  # does what the public class that it inherits from says
        if is_data and not below and re.search(rf"\b{name}\b", inspect.getdoc(owner) or ""):
            continue  # of which the class's docstring tells, too
        if is_data:
            texts = (_spot_in(base, name, value)[2] for base in cls.__mro__ if name in vars(base))
            text = next(filter(None, texts), "")
        else:
            text = inspect.getdoc(static if is_property else value) or ""
        is_bound = isinstance(static, (staticmethod, classmethod))
        signature = "" if is_property else signature_of(value, method=not is_bound)
        key, full = key_of(value, text), f"{path}.{word}.{name}"
        same = None if is_property else documented.get(key) or own.setdefault(key, full)
        same = None if same == full else same
        yield Name(
            path, f"{word}.{name}", value, text, signature, "property" if is_property else "method", file, line, same
        )


def _spot_in(owner: type, name: str, value: Any) -> tuple[str, int, str]:
    """Return where a class has a member, and the text that stands below it."""
    return _spot(sys.modules.get(owner.__module__, owner), f"{owner.__qualname__}.{name}", value)


def _is_other(cls: type, name: str) -> bool:
    """Tell whether a method of a class is one of another name, too, which is its own."""
    static = inspect.getattr_static(cls, name, None)
    return inspect.isfunction(static) and static.__name__ != name


def _by_source(path: str) -> Iterator[Name]:
    """Yield the names of a module that cannot be imported here, from its source."""
    folder = ROOT / "hybridize" / path
    for word in CHOSEN[path].split():
        for file in sorted(folder.rglob("*.py")):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == word:
                    kind = "class" if isinstance(node, ast.ClassDef) else "function"
                    where = file.relative_to(ROOT).as_posix()
                    yield Name(path, word, None, ast.get_docstring(node) or "", "", kind, where, node.lineno)


def lacking() -> dict[str, list[str]]:
    """Return what the docstrings of names and methods lack, by their full names."""
    every = [one for name in names() for one in (name, *name.members)]
    return {one.full: lack for one in every if (lack := one.lacks())}


if __name__ == "__main__":
    for full, lack in lacking().items():
        print(full, *lack)
