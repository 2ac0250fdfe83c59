# SPDX-License-Identifier: Apache-2.0
"""Tables of a saved file of any format that is written. Nothing is executed."""

from __future__ import annotations

import glob
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from hybridize.base.dtypes import CODES
from hybridize.base.errors import ContentError, LoadError
from hybridize.formats.archive import read_archive
from hybridize.formats.cursor import open_for_reading
from hybridize.formats.detection import detect
from hybridize.formats.foreign.checks import every_graph
from hybridize.formats.models import MODELS, read_model
from hybridize.formats.mxnet.params import read_params
from hybridize.tools import archives, exported_files
from hybridize.tools.tables import Grid

SHOWN = 200
"""Rows of a table; the rest is counted."""


def weights(title: str, arrays: Mapping[str, NDArray[Any] | None]) -> Grid:
    """Name, type and bytes of each array."""
    rows = [(name, *_facts(array)) for name, array in arrays.items()]
    total = sum(array.nbytes for array in arrays.values() if array is not None)
    notes: tuple[str, ...] = (f"{len(arrays)} arrays, {total:,} bytes",)
    if len(rows) > SHOWN:
        notes += (f"{len(rows) - SHOWN} more are not shown",)
    return Grid(title, ("array", "type", "bytes"), rows[:SHOWN], notes, words=2)


def _facts(array: NDArray[Any] | None) -> tuple[str, str]:
    if array is None:
        return "none", "0"
    code = CODES.get(array.dtype, array.dtype.name)
    return f"{code}[{','.join(map(str, array.shape))}]", f"{array.nbytes:,}"


def symbol(path: Path) -> list[Grid]:
    """Inputs and operators of an MXNet symbol file.

    Raises:
        LoadError E641: the file is not JSON with a list of nodes.
    """
    try:
        graph = json.loads(path.read_text(encoding="utf-8"))
        nodes = [
            (str(node["op"]), str(node["name"]), node.get("attrs", node.get("attr", {}))) for node in graph["nodes"]
        ]
        version = graph.get("attrs", {}).get("mxnet_version", ["", "unknown"])[1]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        what = f"{path} is not a symbol file: {type(error).__name__}: {error}"
        raise LoadError("E641", what, help="save it again with net.export") from None
    inputs = [(name, str(attributes.get("__shape__", ""))) for op, name, attributes in nodes if op == "null"]
    operators = [
        (name, op, ", ".join(f"{key}={value}" for key, value in attributes.items() if not key.startswith("__")))
        for op, name, attributes in nodes
        if op != "null"
    ]
    counts = Counter(op for _, op, _ in operators)
    notes = (", ".join(f"{count} {op}" for op, count in counts.most_common()), f"mxnet_version {version}")
    return [
        Grid(f"{path.name}: inputs and parameters", ("name", "shape"), inputs[:SHOWN], words=2),
        Grid(f"{path.name}: operators", ("name", "operator", "attributes"), operators[:SHOWN], notes, words=3),
    ]


def archive(path: Path, *, full: bool = False) -> list[Grid]:
    """Parts, signatures, machine code and weights of our own archive.

    Raises:
        LoadError E600, E604, E605, E614: the file cannot be read, is no archive, or damaged.
    """
    shown = archives.tables(path, full=full)
    if len(shown) == 1 and any("damaged" in row for row in shown[0].rows):
        return shown
    arrays = read_archive(path).weights
    return [*shown, weights("weights", arrays)] if arrays else shown


def model(path: Path, kind: str) -> list[Grid]:
    """Inputs, outputs, operators and weights of a model of another framework.

    Raises:
        LoadError: it is malformed, or has operators that are not supported: all of them are named.
    """
    program = read_model(path, kind)
    sides = ("in", program.graph.inputs), ("out", program.graph.outputs)
    ports = [(side, *str(port).rsplit(": ", 1)) for side, some in sides for port in some]
    counts = Counter(node.op for graph in every_graph(program) for node in graph.nodes)
    notes = tuple(f"{key}: {' '.join(text.split())}" for key, text in program.metadata.items())
    operators = [(op, str(count)) for op, count in counts.most_common()]
    title = f"{path.name}: model of {MODELS[kind]}"
    return [
        Grid(title, ("", "name", "type"), ports[:SHOWN], notes, words=3),
        Grid("operators", ("operator", "count"), operators[:SHOWN], (f"{counts.total()} nodes",)),
        *([weights("weights", program.weights)] if program.weights else []),
        *([weights("variables", program.state)] if program.state else []),
    ]


def exported(path: Path) -> Path | None:
    """The symbol file that `export` wrote for this name, where the name itself is not a file."""
    file = path.with_name(f"{path.name}-symbol.json")
    return file if path.name and not path.exists() and file.is_file() else None


PAGE = 8
"""Rows of a table where not all are asked for."""


def tables(path: Path, *, full: bool = False) -> list[Grid]:
    """The tables of a file, or of the pair that `export` wrote for this name: a page, or all that is known.

    Raises:
        LoadError E600, E601, E604, E608, E611, E641, E642: the file cannot be read, is malformed, or unknown.
    """
    grids = _tables(path, full)
    return grids if full else [grid.cut(PAGE) for grid in grids]


def _tables(path: Path, full: bool) -> list[Grid]:
    pair = exported(path)
    if pair is not None:
        return symbol(pair) + [grid for file in _parameter_files(path) for grid in _tables(file, full)]
    if path.suffix in (".params", ".npz"):
        return [_parameters(path)]
    if path.is_dir():
        return model(path, detect(path))
    with open_for_reading(path) as file:
        if file.read(16).lstrip().startswith(b"{"):
            return symbol(path)
    match detect(path):
        case "params":
            return [_parameters(path)]
        case "archive":
            return archive(path, full=full)
        case "library":
            return exported_files.library(path)
        case "wasm":
            return exported_files.module(path)
        case kind if kind in MODELS:
            return model(path, kind)
        case kind:
            raise ContentError("E611", f"{path} is a file of {kind}, which inspect cannot show")


def _parameter_files(name: Path) -> list[Path]:
    """The parameters of the latest epoch, if there are any."""
    return sorted(name.parent.glob(f"{glob.escape(name.name)}-[0-9][0-9][0-9][0-9].params"))[-1:]


def _parameters(path: Path) -> Grid:
    arrays = read_params(path, mapped=True)
    return weights(path.name, arrays if isinstance(arrays, dict) else {str(i): a for i, a in enumerate(arrays)})
