# SPDX-License-Identifier: Apache-2.0
"""Texts of a package that differ between models: the module, its types for editors, the metadata."""

from __future__ import annotations

import json
import keyword
from collections.abc import Mapping, Sequence
from typing import Final

from hybridize.base.frozen import frozen
from hybridize.base.version import VERSION


@frozen
class PackagePort:
    """An array that goes in or out of a package's model."""

    name: str
    dtype: str
    shape: str
    """As in `[n0,16]`."""

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}{self.shape}"


@frozen(eq=False)
class Package:
    """Facts about a model that its package tells."""

    name: str
    """As pip knows it."""
    module: str
    """As Python imports it; the name of the functions of C, too."""
    version: str
    summary: str
    inputs: tuple[PackagePort, ...]
    outputs: tuple[PackagePort, ...]
    sizes: tuple[str, ...]
    """A line for each size that the call chooses, with its range."""
    random: bool
    """True if the model draws random numbers."""
    libraries: Mapping[str, tuple[str, int]]
    """By machine the path of the library in the package, and its bytes."""
    weights: str
    """The file of weights in the package; empty where they are inside of the libraries."""


_INIT: Final = '''\
"""%(head)s"""

import os

from %(module)s._binding import PackagedModel
%(import)s
__version__ = "%(version)s"
%(outputs)s

class Model(PackagedModel):
    """A model in memory: threads may call it at once%(state)s."""

    name = "%(module)s"
    folder = os.path.dirname(os.path.abspath(__file__))
    libraries = %(libraries)s
    weights = %(weights)s
    inputs = %(input_table)s
    outputs = %(output_table)s

    def __call__(self, %(parameters)s):
        """Run the model; see the module."""
        return %(result)s
%(seed)s

_models = []


def run(%(parameters)s):
    """Run a model that all callers share; see the module."""
    if not _models:
        _models.append(Model())
    return _models[0](%(arguments)s)
'''
_STUB: Final = '''\
from typing import Any, NamedTuple

Array = Any
"""A NumPy array, a tensor of PyTorch, another object with a buffer, a number, or nested lists of numbers."""

__version__: str
%(outputs)s
class Model:
    inputs: tuple[tuple[str, str, str], ...]
    outputs: tuple[tuple[str, str, str], ...]
    def __init__(self, processor: str | None = None) -> None: ...
    def __call__(self, %(parameters)s) -> %(result)s: ...
%(seed)s
def run(%(parameters)s) -> %(result)s: ...
'''
_SEED: Final = '''
    def seed(self, number):
        """Begin the model's random numbers anew."""
        self._seed(number)
'''


def module_text(package: Package) -> str:
    """Return the text of the package's module."""
    parameters = _words(package.inputs)
    call = f"self._call({', '.join(parameters)})"
    several = len(package.outputs) != 1
    fields = _words(package.outputs)
    parts = {
        "head": _head(package),
        "module": package.module,
        "version": package.version,
        "import": "\nfrom collections import namedtuple\n" if several else "",
        "outputs": f'\nOutputs = namedtuple("Outputs", {fields!r})\n' if several else "",
        "state": ", and each has random numbers of its own" if package.random else "",
        "libraries": repr(dict(package.libraries)),
        "weights": repr(package.weights),
        "input_table": repr(tuple((one.name, one.dtype, one.shape) for one in package.inputs)),
        "output_table": repr(tuple((one.name, one.dtype, one.shape) for one in package.outputs)),
        "parameters": ", ".join(parameters),
        "arguments": ", ".join(parameters),
        "result": f"Outputs(*{call})" if several else f"{call}[0]",
        "seed": _SEED if package.random else "",
    }
    return (_INIT % parts).replace("import os\n\nfrom collections", "import os\nfrom collections")


def stub_text(package: Package) -> str:
    """Return the types of the module, as editors and type checkers read them."""
    several = len(package.outputs) != 1
    fields = "".join(f"\n    {name}: Array" for name in _words(package.outputs)) or "\n    pass"
    parts = {
        "parameters": ", ".join(f"{name}: Array" for name in _words(package.inputs)),
        "outputs": f"\nclass Outputs(NamedTuple):{fields}\n" if several else "",
        "result": "Outputs" if several else "Array",
        "seed": "    def seed(self, number: int) -> None: ...\n" if package.random else "",
    }
    return _STUB % parts


def metadata_text(package: Package) -> str:
    """Return the core metadata, version 2.1."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {package.name}",
        f"Version: {package.version}",
        f"Summary: {' '.join(package.summary.split())}",
        "Requires-Python: >=3.10",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Description-Content-Type: text/plain; charset=UTF-8",
        "",
        _head(package),
    ]
    return "\n".join(lines)


def wheel_text(tags: Sequence[str]) -> str:
    """Return the file WHEEL: a line for each tag."""
    lines = ["Wheel-Version: 1.0", f"Generator: hybridize {VERSION}", "Root-Is-Purelib: false"]
    return "".join(f"{line}\n" for line in [*lines, *(f"Tag: {tag}" for tag in tags)])


def project_text(package: Package) -> str:
    """Return the file pyproject.toml of the sources."""
    return (
        "[build-system]\n"
        "requires = []\n"
        'build-backend = "backend"\n'
        'backend-path = ["."]\n\n'
        "[project]\n"
        f"name = {json.dumps(package.name)}\n"
        f"version = {json.dumps(package.version)}\n"
        f"description = {json.dumps(' '.join(package.summary.split()))}\n"
        'requires-python = ">=3.10"\n'
    )


def _head(package: Package) -> str:
    """Say what the model is, and how it is called."""
    arrays = [("takes", package.inputs), ("gives", package.outputs)]
    table = [f"    {word} {one}" for word, ports in arrays for one in ports]
    lines = [
        package.summary,
        "",
        *table,
        *(f"    where {line}" for line in package.sizes),
        "",
        f"    import {package.module}",
        "",
        f"    {package.module}.run({', '.join(_words(package.inputs))})",
        "",
        "Arguments are NumPy arrays, tensors of PyTorch, other objects with a buffer, numbers or nested lists. Results",
        "are arrays of NumPy or tensors of PyTorch where an argument is one, else memoryviews. Nothing else has to be",
        f"installed. `python -m {package.module}` tests the package. Made by hybridize {VERSION}.",
        "",
    ]
    return "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")


def _words(ports: Sequence[PackagePort]) -> list[str]:
    """Return the names of arrays as Python takes them, each once."""
    words: list[str] = []
    for port in ports:
        word = port.name.lstrip("_") or "array"
        word = f"array_{word}" if word[0].isdigit() else word
        while keyword.iskeyword(word) or word in (*words, "self", "run", "count", "index"):
            word += "_"
        words.append(word)
    return words
