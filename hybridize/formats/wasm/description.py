# SPDX-License-Identifier: Apache-2.0
"""Describe a module: for people and other programs, and, under `program`, for its loader.

    {"name", "hybridize": version, "inputs": [tensor], "outputs": [tensor], "sizes": [text], "random": bool,
     "program": {"format": 1, "constants", "states", "variants"}}

A tensor is {"name", "dtype", "shape": [2, "n0"], "smallest", "largest"}; a size without limit is null in `largest`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hybridize.base import dims
from hybridize.base.dims import FAR, SizeScope, parse_scope
from hybridize.base.dtypes import BY_CODE
from hybridize.formats.deployable import Deployable, Tensor
from hybridize.formats.wasm.container import FORMAT
from hybridize.formats.wasm.module import CompiledModule, ModuleConstant, ModuleVariant
from hybridize.runtime.plan import Buffer, sized

RANDOM: Final = "random.state"
"""The name of the state that random numbers are drawn from: the seed, and how many draws there were."""


def description(deployable: Deployable, compiled: CompiledModule, version: str) -> dict[str, Any]:
    """The description of a module."""
    inputs, outputs = len(deployable.inputs), len(deployable.outputs)
    programs = compiled.programs
    names = [state.name for state in deployable.states]
    return {
        "name": deployable.name,
        "hybridize": version,
        "inputs": _tensors(deployable.inputs, [_ranges(one, one.plan.inputs[:inputs]) for one in programs]),
        "outputs": _tensors(deployable.outputs, [_ranges(one, one.plan.outputs[:outputs]) for one in programs]),
        "sizes": list(programs[-1].plan.sizes),
        "random": RANDOM in names,
        "program": {
            "format": FORMAT,
            "constants": [_constant(one) for one in compiled.constants],
            "states": [_constant(one) for one in compiled.states],
            "random": names.index(RANDOM) if RANDOM in names else -1,
            "variants": [_variant(one, inputs) for one in programs],
        },
    }


_Range = tuple[int, int]


def _ranges(program: ModuleVariant, buffers: Sequence[Buffer]) -> list[list[_Range]]:
    """The smallest and largest size of each axis."""
    _, symbols = parse_scope(program.plan.sizes)
    return [[dims.bounds(sized(size, symbols)) for size in buffer.shape] for buffer in buffers]


def _tensors(tensors: Sequence[Tensor], ranges: Sequence[Sequence[Sequence[_Range]]]) -> list[dict[str, Any]]:
    """The tensors as the most general variant has them, with the sizes that any variant takes."""
    entries = []
    for number, tensor in enumerate(tensors):
        axes = list(zip(*(one[number] for one in ranges), strict=True))
        largest = [max(high for _, high in axis) for axis in axes]
        entries.append(
            {
                "name": tensor.name,
                "dtype": tensor.type.dtype.name,
                "shape": [dims.text(size) if dims.is_symbolic(size) else size for size in tensor.type.shape],
                "smallest": [max(0, min(low for low, _ in axis)) for axis in axes],
                "largest": [None if high >= FAR else high for high in largest],
            }
        )
    return entries


def _constant(constant: ModuleConstant) -> dict[str, Any]:
    if not constant.make:
        return {"at": constant.at, "bytes": constant.nbytes}
    sources = [{"at": at, "bytes": nbytes} for at, nbytes in constant.sources]
    return {
        "make": constant.make,
        "bytes": constant.nbytes,
        "sources": sources,
        "scratchBytes": constant.scratch_bytes,
    }


def _variant(program: ModuleVariant, inputs: int) -> dict[str, Any]:
    plan = program.plan
    entry: dict[str, Any] = {
        "run": program.name,
        "constants": program.constants,
        "states": program.states,
        "newStates": program.new_states,
        "inputs": [one.shape for one in plan.inputs[:inputs]],
        "outputs": [one.shape for one in plan.outputs],
        "outputTypes": [BY_CODE[one.dtype].name for one in plan.outputs],
    }
    if not plan.sizes:
        return entry | {"scratchBytes": plan.scratch_bytes}
    scope, _ = parse_scope(plan.sizes)
    return entry | {
        "sizes": program.sizes,
        "symbols": _symbols(scope, plan.inputs[:inputs]),
        "holds": [line.partition(" like ")[0] for line in plan.sizes],
    }


def _symbols(scope: SizeScope, inputs: Sequence[Buffer]) -> list[dict[str, int]]:
    """Return for each symbol an input and an axis where it stands alone; one in no input is as it was captured."""
    first: dict[object, dict[str, int]] = {}
    for number, buffer in enumerate(inputs):
        for axis, size in enumerate(buffer.shape):
            first.setdefault(size, {"input": number, "axis": axis})
    return [first.get(one.name, {"size": one.hint}) for one in scope.symbols]
