# SPDX-License-Identifier: Apache-2.0
"""Make derived constants: steps over sources, of which some may be derived themselves.

A derived source is no constant that somebody keeps: the steps that make it come first, and it lies in scratch. So what
is left are programs of constants and stable inputs alone, whatever was derived of what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy

from hybridize.base.frozen import changed
from hybridize.base.types import TensorType
from hybridize.graph.ir import Array
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.memory import rounded
from hybridize.schedule.steps import (
    Address,
    Derived,
    DerivedPart,
    Fixed,
    KnownSource,
    LoopStep,
    Provenance,
    ScheduleStep,
    Stable,
    loop_step,
)

PACK = Provenance(("pack",), ())


def packed(source: KnownSource, of: TensorType, kernel: Kernel) -> Derived:
    """Derive what a kernel, of (the constant, its source), makes of one source of a type."""

    def make() -> tuple[LoopStep, TensorType]:
        param = kernel.params[0]
        step = loop_step(PACK, kernel, Address("output", 0, 0), Address("input", 0, 0))
        return step, TensorType((param.size,), param.dtype)

    step, type = kernel.results.of(packed, make)
    if isinstance(source, DerivedPart):
        return derived([(source, of)], [step], 0, type, str(kernel))
    return Derived((source,), type, (step,), 0, f"{kernel} of [0]", ())


def derived(
    sources: Sequence[tuple[KnownSource, TensorType]],
    steps: Sequence[ScheduleStep],
    scratch_bytes: int,
    type: TensorType,
    key: str,
    ops: Sequence[str] = (),
) -> Derived:
    """Derive the constant of a type that steps make of sources, their inputs in this order.

    Args:
        sources: with the type of each.
        steps: `Address("input", k)` is the k-th source, `Address("output", 0)` the constant.
        scratch_bytes: of the steps.
        type: of the constant.
        key: as in `Derived`, of the steps.
        ops: as in `Derived`, of the steps.
    """
    used = set(_used(steps))
    origins: list[Array | Stable | Fixed] = []
    blocks: dict[int, tuple[Address, str]] = {}
    before: list[ScheduleStep] = []
    before_ops: list[str] = []
    places: dict[int, Address] = {}
    words: list[str] = []
    top = rounded(scratch_bytes)
    for number, (source, of) in enumerate(sources):
        if number not in used:
            continue
        if not isinstance(source, DerivedPart):
            slot = _slot(origins, source)
            places[number] = Address("input", slot, 0)
            words.append(str(slot))
            continue
        inner = source.of
        if id(inner) not in blocks:
            slots = [_slot(origins, one) for one in inner.sources]
            block, own = Address("scratch", 0, top), top + rounded(inner.type.nbytes)
            inputs = {k: Address("input", slot, 0) for k, slot in enumerate(slots)}
            bands = _bands(before)
            before += [_moved(step, inputs, block, own, bands) for step in inner.steps]
            before_ops += inner.ops
            blocks[id(inner)] = block, f"({inner.key} of {slots})"
            top = own + rounded(inner.scratch_bytes)
        block, word = blocks[id(inner)]
        places[number] = _after(block, source.offset * of.dtype.itemsize)
        words.append(f"{word} from {source.offset}")
    bands = _bands(before)
    moved = [_moved(step, places, Address("output", 0, 0), 0, bands) for step in steps]
    return Derived(tuple(origins), type, (*before, *moved), top, f"{key} of [{', '.join(words)}]", (*before_ops, *ops))


def part(source: KnownSource, start: int, type: TensorType) -> KnownSource:
    """The elements of `type` from `start` on."""
    match source:
        case Stable(offset=offset) | Fixed(offset=offset):
            return changed(source, offset=offset + start)
        case DerivedPart(of=of, offset=offset):
            return DerivedPart(of, offset + start)
    return source.reshape(-1)[start : start + type.size].reshape(type.shape)


def steps_of(
    derived: Derived, sources: Sequence[Address], to: Address, scratch: Address, bands: int
) -> tuple[ScheduleStep, ...]:
    """The steps that make a derived constant of sources at these addresses; bands have numbers from `bands` on."""
    inputs = dict(enumerate(sources))
    return tuple(_moved(step, inputs, to, scratch.offset, bands) for step in derived.steps)


def _slot(origins: list[Array | Stable | Fixed], source: Array | Stable | Fixed) -> int:
    """The position of a source among those that were found, to which it is added if it is not there."""
    for number, one in enumerate(origins):
        if one is source or (not isinstance(source, numpy.ndarray) and type(one) is type(source) and one == source):
            return number
    origins.append(source)
    return len(origins) - 1


def _used(steps: Sequence[ScheduleStep]) -> Iterator[int]:
    """The inputs that steps read."""
    for step in steps:
        yield from (address.slot for address, _ in step.operands() if address.kind == "input")


def _bands(steps: Sequence[ScheduleStep]) -> int:
    """A number that is above those of the bands of steps."""
    return 1 + max((step.band.number for step in steps if step.band is not None), default=-1)


def _moved(
    step: ScheduleStep, inputs: Mapping[int, Address], output: Address, scratch: int, bands: int
) -> ScheduleStep:
    """A step whose inputs, output and scratch are elsewhere; its band has a number from `bands` on."""

    def at(address: Address) -> Address:
        match address.kind:
            case "input":
                return _after(inputs[address.slot], address.offset)
            case "output":
                return _after(output, address.offset)
            case "nowhere":
                return address
        return _after(address, scratch)

    return step.elsewhere(at, bands)


def _after(address: Address, nbytes: int) -> Address:
    return Address(address.kind, address.slot, address.offset + nbytes)
