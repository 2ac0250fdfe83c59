# SPDX-License-Identifier: Apache-2.0
"""`Block.load_from`: weights of other libraries, under other names, into a net; and what became of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import REALS, bfloat16
from hybridize.base.errors import ContentError, LoadError, ValueArgumentError
from hybridize.base.frozen import frozen
from hybridize.base.participation import ReadPolicy
from hybridize.formats import detect, read_archive
from hybridize.formats.tensors import read_safetensors
from hybridize.gluon.parameter import Constant, Parameter
from hybridize.gluon.stored import named_arrays

Names = Mapping[str, str | None] | Callable[[str], str | None] | None
"""From names of arrays, or of what they belong to, to those of the net; None leaves an array out."""

_WIDTHS = (26, 26, 15, 10)
_RECURRENT = re.compile(r"(weight|bias)_(ih|hh|hr)(?:_l(\d+)(_reverse)?)?")
_BETWEEN = {"ih": "i2h", "hh": "h2h", "hr": "h2r"}
_AFFINE = {"weight": "gamma", "bias": "beta"}
_COUNTERS = ("num_batches_tracked",)
"""Last parts of names of what PyTorch counts, and nothing is computed with."""


@frozen
class LoadedArray:
    """One line of a `LoadReport`."""

    path: str
    """Of the parameter; empty where there is none."""
    name: str
    """Of the array; empty where there is none."""
    shape: tuple[int, ...]
    """Of the array; of the parameter, where there is no array."""
    result: str
    """`loaded`, `cast`; `missing`: no array is for the parameter; `extra`: no parameter; `left out` by the map."""


@frozen
class LoadReport:
    """The outcome of `Block.load_from`: a line for each parameter, then for each array that belongs to none.

    It prints as a table of 80 columns. A shared parameter has one line.
    """

    __hybridize_read__ = ReadPolicy.CONTENT

    source: str
    rows: tuple[LoadedArray, ...]

    def names(self, result: str) -> list[str]:
        """List the parameters, or the arrays where there is none, of which this is the result."""
        return [row.path or row.name for row in self.rows if row.result == result]

    def __str__(self) -> str:
        lines = ["-" * 80, _line("Parameter", "Array", "Shape", "Result"), "=" * 80]
        lines += [_line(row.path, row.name, str(row.shape), row.result) for row in self.rows]
        results = dict.fromkeys(row.result for row in self.rows)
        counts = ", ".join(f"{len(self.names(result))} {result}" for result in results)
        return "\n".join([*lines, "=" * 80, _cut(f"{counts or 'nothing'}: {self.source}", 80), "-" * 80])

    __repr__ = __str__


def load(
    parameters: Mapping[str, Parameter],
    source: Any,
    names: Names,
    *,
    allow_missing: bool,
    ignore_extra: bool,
    cast_dtype: bool,
) -> LoadReport:
    """Copy arrays into parameters, all or none; see `Block.load_from`."""
    title, arrays = _arrays_of(source)
    named = _map_of(names)
    origins: dict[str, str] = {}
    rest: list[LoadedArray] = []
    for name, array in arrays.items():
        wanted = named(name)
        paths = () if wanted is None else (wanted, *_words(wanted))
        path = next((path for path in paths if path in parameters), None)
        if path is None:
            left_out = wanted is None or name.rpartition(".")[2] in _COUNTERS
            rest.append(LoadedArray("", name, array.shape, "left out" if left_out else "extra"))
        elif path in origins:
            raise ValueArgumentError(
                "E324", f"{title}: {origins[path]!r} and {name!r} both go to the parameter {path!r}"
            )
        else:
            origins[path] = name
    values = {path: parameters[path]._fitted(arrays[name]) for path, name in origins.items()}
    ids = {id(parameters[path]) for path in values}
    rows = []
    for path, parameter in parameters.items():
        if path in values:
            result = "loaded" if values[path].dtype == parameter.dtype else "cast"
            rows.append(LoadedArray(path, origins[path], values[path].shape, result))
        elif id(parameter) not in ids and not isinstance(parameter, Constant):
            rows.append(LoadedArray(path, "", tuple(parameter.shape or ()), "missing"))
    missing = [row.path for row in rows if row.result == "missing"]
    extra = [row.name for row in rest if row.result == "extra"]
    if missing and not allow_missing:
        raise ContentError(
            "E610", f"parameter {missing[0]!r} is missing in {title}, {_others(extra)}",
            help="map the array with names={theirs: ours}, or pass allow_missing=True to leave such parameters "
            "unchanged",
        )  # fmt: skip
    if extra and not ignore_extra:
        raise ContentError(
            "E611", f"array {extra[0]!r} of {title} is not a parameter of the net",
            help="map the array with names={theirs: ours}, or leave it out with ignore_extra=True or "
            "names={theirs: None}",
        )  # fmt: skip
    for path, array in values.items():
        parameters[path]._check(array, path, cast_dtype)
    for path, array in values.items():
        parameters[path]._load(array)
    return LoadReport(title, (*rows, *rest))


def _others(extra: list[str]) -> str:
    shown = ", ".join(map(repr, extra[:5])) + (", ..." if len(extra) > 5 else "")
    return f"whose arrays for no parameter are {shown}" if extra else "of which all other arrays have a parameter"


def _arrays_of(source: Any) -> tuple[str, dict[str, NDArray[Any]]]:
    """Return what a source is called in messages, and its arrays by name."""
    if hasattr(source, "state_dict"):
        source = source.state_dict()
    if isinstance(source, Mapping):
        return "the dict", {str(name): _as_numpy(name, value) for name, value in source.items()}
    kind, title = detect(source), str(source)
    if kind == "params":
        return title, named_arrays(source)
    if kind == "safetensors":
        return title, read_safetensors(source, mapped=True)
    if kind == "archive":
        return title, dict(read_archive(source).weights)
    torch = kind == "torch"
    raise ContentError(
        "E611", f"{title} holds no weights that load_from reads: it is a file of {kind}",
        help="net.load_from(torch.load(path, weights_only=True))" if torch else "it reads .npz, .params, safetensors",
    )  # fmt: skip


def _as_numpy(name: str, value: Any) -> NDArray[Any]:
    """Return an array of ours, of NumPy or a tensor of PyTorch as one of NumPy.

    Raises:
        LoadError E612: it is none.
    """
    try:
        if hasattr(value, "asnumpy"):
            values = value.asnumpy()
        elif hasattr(value, "detach"):
            tensor = value.detach().cpu()
            wide = "bfloat16" in str(tensor.dtype)  # which NumPy does not know
            values = tensor.float().numpy().astype(bfloat16) if wide else tensor.numpy()
        else:
            values = numpy.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise LoadError("E612", f"{name!r} is {type(value).__name__}, which is not an array ({error})") from error
    if values.dtype not in REALS:
        help = "pass the dict that holds the arrays" if isinstance(value, Mapping) else ""
        raise LoadError("E612", f"{name!r} is {type(value).__name__} of {values.dtype}, and no array", help=help)
    array: NDArray[Any] = values
    return array


def _map_of(names: Names) -> Callable[[str], str | None]:
    if names is None:
        return lambda name: name
    if callable(names):
        return names
    argument: Any = names
    if not isinstance(argument, Mapping):
        text = f"names must be a dict or a function of names, got {type(argument).__name__}"
        raise ValueArgumentError("E324", text, help="names={'features.0': '0', 'fc': 'output'}")
    table = names

    def mapped(name: str) -> str | None:
        """Replace the longest part of a name, from its start, that the table has."""
        part = name
        while part and part not in table:
            part = part.rpartition(".")[0]
        if not part:
            return name
        other = table[part]
        return None if other is None else (other + name[len(part) :]).lstrip(".")

    return mapped


def _words(name: str) -> Iterator[str]:
    """Give the names that Gluon has for a parameter of PyTorch's."""
    folder, dot, last = name.rpartition(".")
    if last in _AFFINE:
        yield f"{folder}{dot}{_AFFINE[last]}"
    match = _RECURRENT.fullmatch(last)
    if match:
        kind, between, layer, reverse = match.groups()
        start = "" if layer is None else f"{'r' if reverse else 'l'}{layer}_"
        yield f"{folder}{dot}{start}{_BETWEEN[between]}_{kind}"


def _line(*cells: str) -> str:
    return " ".join(f"{_cut(cell, width):<{width}}" for cell, width in zip(cells, _WIDTHS, strict=True)).rstrip()


def _cut(text: str, width: int) -> str:
    """Return the end of a text that is too long, which tells more of a path than its start."""
    return text if len(text) <= width else f"...{text[3 - width :]}"
