# SPDX-License-Identifier: Apache-2.0
"""Lists and tuples that are indexed by what data decides (`TABLE[x.argmax()]`): their items stacked, and a gather."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy

from hybridize.array.functions.shapes import stack
from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base.dims import is_symbolic
from hybridize.base.nested import flatten, unflatten
from hybridize.capture.control import joining, raising
from hybridize.capture.control.signals import Unrollable
from hybridize.capture.control.truth import truth
from hybridize.capture.trace.recording import Recording
from hybridize.ops import Gather
from hybridize.ops.op import bind1, constant, in_charge


def is_index(key: Any) -> bool:
    """Tell whether a value of the graph is one that a list can be indexed by."""
    return type(key) is Symbol and key.shape == () and key.dtype.kind in "iu"


def refuse_a_round(key: Symbol) -> None:
    """Refuse to make one body for all rounds of a loop that reads items of a list by the number of its round.

    Where Python knows how many rounds there are, it reads these items alone, and each as what it is.
    """
    trace = in_charge(Recording)
    affine = trace.root.numbers.affine(key.operand(), trace)
    lines = () if affine is None else affine.lines.values()
    if any(not line.ends_early and not is_symbolic(line.count) for line in lines):
        raise Unrollable("an item of a list is read by the number of a round that Python knows")


def looked_up(table: Any, key: Symbol) -> Any:
    """`table[key]`; an index out of range is an `IndexError` of the call.

    Raises:
        CaptureError E422: the items have no type in common.
    """
    trace = in_charge(Recording)
    items = [_lifted(trace, item) for item in table]
    try:
        specs = [joining.spec_of(item) for item in items]
        spec = reduce(joining.joined, specs) if specs else None
    except joining.Mismatch as mismatch:
        raise trace.refusal(
            "E422", f"an item of a {type(table).__name__} is selected by data, but its items are {mismatch}",
            help="give all items the same shape and dtype, or select with if and elif or np.where",
        ) from None  # fmt: skip
    count = len(table)
    fits = functions.logical_and(key >= -count, key < count)
    raising.check(trace, truth(fits), IndexError(f"{type(table).__name__} index out of range"))
    if spec is None:
        return None  # an empty one, at which every call raises
    at = functions.astype(functions.where(key < 0, key + count, key), "int64").operand()
    columns = zip(*[joining.operands(item, spec) for item in items], strict=True)
    values = [bind1(Gather(0), _stacked(trace, list(column)), at) for column in columns]
    return joining.rebuilt(spec, values, trace)[0]


def _lifted(trace: Recording, item: Any) -> Any:
    leaves, structure = flatten(item)
    return unflatten(structure, [trace.lifted(leaf) for leaf in leaves])


def _stacked(trace: Recording, column: list[Any]) -> Any:
    constants = trace.builder.constants
    if all(value in constants and value.type.shape == () for value in column):
        return constant(numpy.stack([constants[value] for value in column]))
    return stack([Symbol.of(trace, value) for value in column]).operand()
