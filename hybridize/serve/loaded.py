# SPDX-License-Identifier: Apache-2.0
"""`LoadedModel`: a file that `hybridize.load` gave, as named tensors in and out."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.array.ndarray import ndarray, wrap
from hybridize.base.dims import is_symbolic
from hybridize.base.errors import HybridizeError, LoadError
from hybridize.base.nested import Structure, flatten, unflatten
from hybridize.base.types import TensorType
from hybridize.capture import SavedFunction
from hybridize.formats.mxnet.symbol import read_symbol
from hybridize.formats.saved import SavedSignature
from hybridize.gluon import SymbolBlock
from hybridize.gluon.imported_block import ImportedBlock
from hybridize.serve.datatypes import DATATYPES
from hybridize.serve.refusals import refuse
from hybridize.serve.sources import SERVED, ModelSource
from hybridize.verb import load

_TIMED: Final = 3
"""Calls by which the first estimate of a call's seconds is made."""
_LARGEST: Final = 1 << 28
"""Elements of an input up to which a model is called before the first request."""


@dataclass(frozen=True)
class ServedTensor:
    """An input or output, as metadata describe it."""

    name: str
    dtype: numpy.dtype[Any] | None
    """None: the file does not say, and any is passed on."""
    shape: tuple[int, ...] | None
    """-1 stands for any size; None: the file does not say how many axes there are."""

    def described(self) -> dict[str, Any]:
        """Return the words of the protocol; of what the file does not say those that are most likely."""
        datatype = DATATYPES.get(self.dtype, "BYTES") if self.dtype is not None else "FP32"
        return {"name": self.name, "datatype": datatype, "shape": list(self.shape) if self.shape is not None else [-1]}

    def check(self, array: NDArray[Any], model: str) -> None:
        """Refuse an array of another dtype or shape."""
        if self.dtype is not None and array.dtype != self.dtype:
            wanted = DATATYPES.get(self.dtype, self.dtype.name)
            refuse(f"input {self.name!r} of {model} is {wanted}, got {DATATYPES[array.dtype]}")
        if self.shape is None:
            return
        shape = array.shape
        if len(shape) != len(self.shape) or any(
            [size not in (-1, own) for size, own in zip(self.shape, shape, strict=True)]  # noqa: C419 - faster
        ):
            refuse(f"input {self.name!r} of {model} has the shape {list(self.shape)}, got {list(shape)}")


# Arrays of requests are wrapped, not copied: nobody writes them, and an array of NumPy takes the long way of a call.
_Call = Callable[[Sequence[NDArray[Any]]], list[NDArray[Any]]]


class LoadedModel:
    """A version of a model, ready to be called.

    Args:
        source: which one.
        path: the file or folder to read; it may go away afterwards.
        options: keywords of `hybridize.load`.
        max_batch: rows of one call that come from several requests.

    Raises:
        LoadError: the file is malformed, or is no program of arrays.
        LoadError E692: rows in a batch do not give what they give alone.
    """

    version: str
    outputs: tuple[ServedTensor, ...]
    name: str
    inputs: tuple[ServedTensor, ...]

    def __init__(self, source: ModelSource, path: Path, options: Mapping[str, Any], max_batch: int = 1) -> None:
        self.source = source
        self.name, self.version = source.model, source.version
        self.platform: str = SERVED[source.kind]
        self.label: str = f"{self.name} version {self.version}"
        images = options if source.kind == "archive" else {k: v for k, v in options.items() if k != "images"}
        self.thing: Any = load(path, **images)
        self.inputs, self.outputs, self._call = _ports(self.thing, path, self.label)
        self._by_name = {port.name: port for port in self.inputs}
        self.seconds: float = 0.0
        """The time of a call, about."""
        self.note: str = ""
        """The reason if it was not called before the first request."""
        self.max_batch = max_batch
        self.shapes: set[tuple[tuple[int, ...], ...]] = set()
        """Shapes of inputs that it was called with, whose programs are there."""
        self._warm()

    @property
    def programs(self) -> int:
        """The number of programs that it is compiled to."""
        return int(self.thing.cache_info().programs)

    @property
    def compiles(self) -> bool:
        """True if other sizes make new programs; an archive has those that it has."""
        return not isinstance(self.thing, SavedFunction)

    def arranged(self, arrays: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """Return the inputs in order; refuse missing, unknown or wrong ones."""
        for name in arrays:
            if name not in self._by_name:
                refuse(f"{self.label} has no input {name[:80]!r}; it takes {', '.join(self._by_name)}")
        ordered = []
        for port in self.inputs:
            array = arrays.get(port.name)
            if array is None:
                refuse(f"input {port.name!r} of {self.label} is missing")
            port.check(array, self.label)
            ordered.append(array)
        return ordered

    def run(self, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Call the model; inputs and outputs in their order."""
        return self._call(arrays)

    def examples(self, rows: int) -> list[NDArray[Any]] | None:
        """Return inputs with `rows` of the first axis where the file says all other sizes; None where it does not."""
        arrays = []
        for port in self.inputs:
            if port.shape is None or any(size < 0 for size in port.shape[1:]) or port.dtype is None:
                return None
            shape = (rows if port.shape[0] < 0 else port.shape[0], *port.shape[1:]) if port.shape else ()
            if math.prod(shape) > _LARGEST:
                return None
            arrays.append(numpy.zeros(shape, port.dtype))
        return arrays

    def _warm(self) -> None:
        """Call the model as requests will, so that the first one need not wait for a compiler; look at rows.

        Raises:
            LoadError E692: it is to have batches, and does not take all sizes.
        """
        if self.examples(1) is None:
            self.note = "not called before the first request: the file does not say all sizes"
        for rows in dict.fromkeys([1, 2, self.max_batch]):
            arrays = self.examples(rows)
            if arrays is None:
                break
            try:
                self.run(arrays)
                self.shapes.add(tuple(array.shape for array in arrays))
                self.seconds = min(self._timed(arrays) for _ in range(_TIMED))
            except (HybridizeError, IndexError, ValueError) as error:
                self._refuse_batches(_first_line(error))
                if not self.shapes:
                    self.note = f"not called before the first request: {_first_line(error)}"
        if self.shapes:
            self.note = ""
        if self.max_batch > 1 and not self.shapes:
            self._refuse_batches("the file does not say all sizes")
        if self.max_batch > 1:
            self._check_rows()

    def _timed(self, arrays: Sequence[NDArray[Any]]) -> float:
        begin = time.perf_counter()
        self.run(arrays)
        return time.perf_counter() - begin

    def _refuse_batches(self, why: str) -> None:
        if self.max_batch > 1:
            text = f"{self.label} takes no batches: {why}"
            raise LoadError("E692", text, help="serve it without --max-batch")

    def _check_rows(self) -> None:
        """Compare two rows in a batch with the same rows alone.

        Raises:
            LoadError E692: they differ, or an input or output has no rows of its own.
        """
        random = numpy.random.default_rng(0)
        both = [_drawn(array, random) for array in self.examples(2) or []]
        outputs = self.run(both)
        alone = [self.run([array[k : k + 1] for array in both]) for k in range(2)]
        for port, batch, *rows in zip(self.outputs, outputs, *alone, strict=True):
            whole = all(row.ndim and row.shape[0] == 1 for row in rows) and batch.shape[:1] == (2,)
            if not whole or any(port.shape is not None and port.shape[:1] != (-1,) for port in self.inputs):
                why = f"output {port.name!r} has the shape {list(batch.shape)} for two rows"
            elif not numpy.allclose(
                batch.astype(numpy.float64), numpy.concatenate(rows).astype(numpy.float64), 1e-2, 1e-3, equal_nan=True
            ):
                why = f"output {port.name!r} of a row depends on the other rows"
            else:
                continue
            self._refuse_batches(why)


def _drawn(array: NDArray[Any], random: numpy.random.Generator) -> NDArray[Any]:
    """Numbers that most models take: of integers 0 and 1, which index anything."""
    if array.dtype.kind in "biu":
        return random.integers(0, 2, array.shape).astype(array.dtype)
    return random.normal(size=array.shape).astype(array.dtype)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _arrays(result: Any) -> list[NDArray[Any]]:
    """The leaves of a result as NumPy's arrays."""
    if type(result) is ndarray:
        return [result.asnumpy()]
    leaves = [result] if hasattr(result, "asnumpy") else flatten(result)[0]
    return [leaf.asnumpy() if hasattr(leaf, "asnumpy") else numpy.asarray(leaf) for leaf in leaves]


def _ports(thing: Any, path: Path, label: str) -> tuple[tuple[ServedTensor, ...], tuple[ServedTensor, ...], _Call]:
    """The inputs and outputs of what was loaded, and how it is called."""
    if isinstance(thing, SavedFunction):
        return _of_archive(thing, label)
    if isinstance(thing, ImportedBlock):
        names = [port.name for port in thing.outputs]
        inputs, outputs = (
            tuple(ServedTensor(port.name, port.dtype, _sizes(port.shape)) for port in ports)
            for ports in (thing.inputs, thing.outputs)
        )

        def by_name(arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
            result = thing(*map(wrap, arrays))
            return _arrays([result[name] for name in names] if isinstance(result, dict) else result)

        return inputs, outputs, by_name
    if isinstance(thing, SymbolBlock):
        inputs, outputs = _of_symbol(thing, path)
        thing.hybridize()
        return inputs, outputs, lambda arrays: _arrays(thing(*map(wrap, arrays)))
    raise LoadError("E690", f"{label} is a {type(thing).__name__}, which is not served")


def _sizes(shape: Sequence[Any] | None) -> tuple[int, ...] | None:
    return None if shape is None else tuple(size if type(size) is int else -1 for size in shape)


def _of_symbol(block: SymbolBlock, path: Path) -> tuple[tuple[ServedTensor, ...], tuple[ServedTensor, ...]]:
    """The ports of a graph of MXNet's; our own exports say the types."""
    types: dict[str, TensorType] = {}
    texts = read_symbol(path).attributes
    if "hybridize_inputs" in texts:
        types = {name: TensorType.parse(text) for name, text in json.loads(texts["hybridize_inputs"]).items()}
    inputs = []
    for name in block._inputs:
        kind = types.get(name)
        bound = block._bound.get(name, {})
        shape = None if kind is None else tuple(bound.get(axis, -1) for axis in range(len(kind.shape)))
        inputs.append(ServedTensor(name, kind.dtype if kind is not None else None, shape))
    names = block._expression.list_outputs()
    return tuple(inputs), tuple(ServedTensor(name, None, None) for name in names)


def _of_archive(
    function: SavedFunction[..., Any], label: str
) -> tuple[tuple[ServedTensor, ...], tuple[ServedTensor, ...], _Call]:
    """The ports of an archive: of the signatures for prediction that take arguments as the first of them does."""
    signatures = function.saved_program.signatures
    predicting = [one for one in signatures if not one.training] or list(signatures)
    first = predicting[0]
    alike = [one for one in predicting if one.arguments == first.arguments and one.leaves == first.leaves
             and _dtypes(one) == _dtypes(first)]  # fmt: skip
    places = [k for k, leaf in enumerate(first.leaves) if leaf.kind != "constant"]
    if not places or not any(leaf.kind == "array" for leaf in first.result_leaves):
        raise LoadError("E690", f"{label} takes or gives no arrays", help="save a function of arrays")
    inputs = tuple(
        ServedTensor(
            alike[0].graph.inputs[k].name or f"input{k}",
            alike[0].graph.inputs[k].type.dtype,
            _joint([one.graph.inputs[k].type.shape for one in alike]),
        )
        for k in range(len(places))
    )
    names = _result_names(first.result, sum(leaf.kind != "constant" for leaf in first.result_leaves))
    outputs = tuple(
        ServedTensor(
            name, first.graph.outputs[k].type.dtype, _joint([one.graph.outputs[k].type.shape for one in alike])
        )
        for k, name in enumerate(names)
    )
    return inputs, outputs, _caller(function, first, places)


def _caller(function: SavedFunction[..., Any], first: SavedSignature, places: Sequence[int]) -> _Call:
    constants = [leaf.value for leaf in first.leaves]
    scalars = {k for k, leaf in enumerate(first.leaves) if leaf.kind == "scalar"}
    present = [k for k, leaf in enumerate(first.result_leaves) if leaf.kind != "constant"]
    plain = first.arguments == Structure(
        "tuple", (Structure("tuple", (Structure("leaf"),) * len(places)), Structure("dict"))
    )
    written = any(position < len(places) for position in first.writes)
    if plain and not scalars and not written and len(present) == len(first.result_leaves):
        return lambda arrays: _arrays(function(*map(wrap, arrays)))

    def call(arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        leaves = list(constants)
        for k, array in zip(places, arrays, strict=True):
            leaves[k] = array.item() if k in scalars else wrap(array.copy() if written else array)
        args, kwargs = unflatten(first.arguments, leaves)
        results = _arrays(function(*args, **kwargs))
        return [results[k] for k in present] if len(results) == len(first.result_leaves) else results

    return call


def _dtypes(signature: SavedSignature) -> list[Any]:
    count = len(signature.graph.inputs) - len(signature.state)
    return [(value.type.dtype, len(value.type.shape)) for value in signature.graph.inputs[:count]]


def _joint(shapes: Sequence[Sequence[Any]]) -> tuple[int, ...] | None:
    """The shape that stands for several: -1 where sizes differ, or are symbols."""
    if len({len(shape) for shape in shapes}) > 1:
        return None
    columns = zip(*shapes, strict=True)
    return tuple(column[0] if not any(map(is_symbolic, column)) and len({*column}) == 1 else -1 for column in columns)


def _result_names(result: Structure, count: int) -> list[str]:
    """Names of outputs: the keys of a dict; `output`; `output0` and so on."""
    if result.kind == "dict" and len(result.keys) == count and all(one.kind == "leaf" for one in result.children):
        return [str(key) for key in result.keys]
    return ["output"] if count == 1 else [f"output{k}" for k in range(count)]
