# SPDX-License-Identifier: Apache-2.0
"""Constants that are derived of others, as the plan has them: what they are made of, and what equal ones share."""

from __future__ import annotations

import numpy

from hybridize.base.digests import digest
from hybridize.graph.ir import Array
from hybridize.machine.target import Target
from hybridize.runtime.plan import Derivation, PlanSource
from hybridize.schedule.steps import Constant, Derived, Stable


def derivation(slot: int, derived: Derived, function: str, arrays: list[Array], target: Target) -> Derivation:
    """Return what the plan says of a derived constant.

    Args:
        slot: its position among the constants.
        derived: the constant.
        function: makes it.
        arrays: those that derivations read, to which its own are added.
        target: the machine that it lies so for.
    """
    key = f"{target.name} {derived.key}"
    sources = []
    for source in derived.sources:
        if isinstance(source, Stable):
            sources.append(PlanSource("input", source.input, source.offset * source.itemsize))
            continue
        assert isinstance(source, numpy.ndarray), "what is the same in all turns of a loop is made before the loop"
        number = next((number for number, array in enumerate(arrays) if array is source), len(arrays))
        if number == len(arrays):
            arrays.append(source)
        sources.append(PlanSource("constant", number, 0))
        if any(isinstance(one, Stable) for one in derived.sources):  # others may make it of other arrays
            key += digest(numpy.ascontiguousarray(source).reshape(-1).view(numpy.uint8).data).hex()
    return Derivation(
        slot=slot,
        function=function,
        nbytes=derived.type.nbytes,
        layout=digest(key.encode()).hex(),
        sources=tuple(sources),
        scratch_bytes=derived.scratch_bytes,
        ops=derived.ops,
    )


def array_of(constant: Constant) -> Array:
    """Return a constant as it is given; nothing, where it is made."""
    return constant if isinstance(constant, numpy.ndarray) else numpy.empty(0, numpy.uint8)
