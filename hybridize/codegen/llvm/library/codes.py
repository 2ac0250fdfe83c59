# SPDX-License-Identifier: Apache-2.0
"""Return codes of a library: a kind in the low byte, above it the array and the axis, and a text for each.

    code = kind | array << 8 | axis << 24

Arrays count from 1, inputs first, then outputs; 0 is the call as a whole, where `axis` tells cases apart. Of assertions
`array` is the position in the program, from 0.
"""

from __future__ import annotations

from typing import Final

from hybridize.base.dims import FAR, SizeSymbol, bounds, is_symbolic, text
from hybridize.base.errors import CodegenError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.library.model import LibraryModel, LibraryVariant
from hybridize.runtime.sizes import symbol_of

OK, NULL, SIZE, UNALIGNED, MEMORY, FILE, ASSERTION, OPTION, STATE = range(9)
KINDS: Final = ("OK", "NULL", "SIZE", "UNALIGNED", "MEMORY", "FILE", "ASSERTION", "OPTION", "STATE")
"""Their names after NAME_; the last where a host reaches states."""

ARRAYS: Final = (1 << 16) - 2
"""The most arrays that codes can tell apart."""

NO_LIMIT: Final = (1 << 63) - 1
"""The largest size of an axis that has none."""

_GENERAL: Final = {
    (NULL, 0): "a null pointer where a place for the model belongs",
    (NULL, 1): "the model is a null pointer",
    (NULL, 2): "the array of inputs is a null pointer",
    (NULL, 3): "the array of outputs is a null pointer",
    (NULL, 4): "the sizes of the inputs are a null pointer, and the call chooses some",
    (NULL, 5): "the place for the sizes of the outputs is a null pointer",
    (MEMORY, 0): "there is not enough memory",
    (FILE, 0): "options.weights is not given: the path of the file of weights",
    (FILE, 1): "the file of weights cannot be opened",
    (FILE, 2): "the file of weights has another length: it is not the one that was written with this library",
    (FILE, 3): "the file of weights has another content: it is not the one that was written with this library",
    (FILE, 4): "the file of weights cannot be read",
    (OPTION, 0): "options.processor is none of those that this library has code for",
    (OPTION, 1): "options.threads is negative",
    (OPTION, 2): "options.threads is more than 1, and options.parallel_for is not given",
}

_OF_STATES: Final = {
    (NULL, 6): "the name of the state is a null pointer",
    (NULL, 7): "the data of the state are a null pointer",
    (NULL, 8): "the path is a null pointer",
    (FILE, 5): "the file of states cannot be opened",
    (FILE, 6): "the file of states is cut off",
    (FILE, 7): "the file of states is no safetensors file",
    (FILE, 8): "the file of states cannot be written, or the disk is full; a file that was there is as it was",
    (FILE, 9): "the file of states was written and cannot replace the one that is there, which is as it was",
    (STATE, 0): "the model has no state of that name",
}


def code(kind: int, array: int = 0, axis: int = 0) -> int:
    """The number.

    >>> code(SIZE, 1, 2) == SIZE + 256 + (2 << 24)
    True
    """
    return kind | array << 8 | axis << 24


def texts(model: LibraryModel) -> dict[int, str]:
    """Every code that the functions of a model may return, with its text.

    Raises:
        CodegenError E970: there are more arrays, axes or assertions than numbers.
    """
    arrays = (*model.inputs, *model.outputs)
    if max(len(arrays), len(model.assertions), len(model.state_tensors)) > ARRAYS or any(
        one.type.ndim > 100 for one in arrays
    ):
        raise CodegenError("E970", f"{model.name} has more arrays or axes than a library's codes can name")
    messages = {OK: "no error", **{code(kind, 0, case): line for (kind, case), line in _GENERAL.items()}}
    messages[code(SIZE)] = _conditions(model)
    if model.state_tensors:
        messages |= {code(kind, 0, case): line for (kind, case), line in _OF_STATES.items()}
    for number, one in enumerate(model.state_tensors):
        kind = f"{one.type.dtype.name}{list(one.type.shape)}"
        messages[code(STATE, number + 1)] = f"state `{one.name}` is {kind}, {one.type.nbytes} bytes"
        messages[code(STATE, number + 1, 1)] = f"the file of states has no tensor `{one.name}`"
        messages[code(STATE, number + 1, 2)] = f"tensor `{one.name}` of the file of states must be {kind}"
    for number, one in enumerate(arrays):
        inputs = len(model.inputs)
        named = f"{f'input {number}' if number < inputs else f'output {number - inputs}'} `{one.name}`"
        messages[code(NULL, number + 1)] = f"{named} is a null pointer"
        itemsize = one.type.dtype.itemsize
        if itemsize > 1:
            messages[code(UNALIGNED, number + 1)] = f"{named} must lie at a multiple of {itemsize} bytes"
        for axis in range(one.type.ndim):
            messages[code(SIZE, number + 1, axis)] = f"{named}: axis {axis} must be {_wanted(model, number, axis)}"
    for number, message in enumerate(model.assertions):
        messages[code(ASSERTION, number)] = f"an assertion of the program does not hold: {message}"
    return dict(sorted(messages.items()))


def size_range(model: LibraryModel, number: int, axis: int) -> tuple[int, int]:
    """Smallest and largest size of an axis of an array (inputs, then outputs), over all variants; or `NO_LIMIT`."""
    ranges = [bounds(types[number].shape[axis]) for types in _types(model)]
    largest = max(high for _, high in ranges)
    return max(0, min(low for low, _ in ranges)), NO_LIMIT if largest >= FAR else largest


def _types(model: LibraryModel) -> list[tuple[TensorType, ...]]:
    return [(*variant.inputs, *variant.outputs) for variant in model.variants]


def _wanted(model: LibraryModel, number: int, axis: int) -> str:
    """Describe the size that an axis must have, as far as one size can be told without the others."""
    last = _types(model)[-1][number].shape[axis]
    symbol = symbol_of(last)
    if number >= len(model.inputs) and is_symbolic(last):
        return text(last)
    if symbol is not None and first_position(model.variants[-1], symbol) != (number, axis):
        return f"the same {text(last)}"
    spans = _spans(model, number, axis)
    return ", or ".join(map(_span, spans)) if spans else text(last)


def _span(span: tuple[int, int]) -> str:
    low, high = span
    if low == high:
        return str(low)
    return f"{low} or more" if high >= FAR else f"from {low} to {high}"


def _spans(model: LibraryModel, number: int, axis: int) -> list[tuple[int, int]]:
    """The sizes that an axis may have in any of the variants, as ranges; none where one has it computed of others."""
    ranges: list[tuple[int, int]] = []
    for size in (types[number].shape[axis] for types in _types(model)):
        if is_symbolic(size) and symbol_of(size) is None:
            return []
        ranges.append(bounds(size))
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def first_position(variant: LibraryVariant, symbol: SizeSymbol) -> tuple[int, int] | None:
    """The input and axis where a size symbol stands alone first."""
    for number, type_ in enumerate(variant.inputs):
        for axis, size in enumerate(type_.shape):
            if symbol_of(size) is symbol:
                return number, axis
    return None


def _conditions(model: LibraryModel) -> str:
    scope = model.variants[-1].scope
    known = "; ".join(map(str, scope.conditions)) if scope is not None else ""
    return f"the program does not hold for these sizes{': it needs ' if known else ''}{known}"
