# SPDX-License-Identifier: Apache-2.0
"""The variants of a program as kernels of WebGPU: what a loader launches, as JSON beside WebAssembly's description.

    {"largest", "kernels": {name: {"text", "writes": "rw"}}, "constants": [constant], "variants": [variant]}
    {"refused": why there are none}

A constant is {"at", "bytes"} among the weights, or {"bytes", "sources", "scratchBytes", "launches"}. A variant is
{"constants": numbers, "holds": lines on its sizes, "scratchBytes", "launches", "notes": [note]}. A launch is [kernel,
blocks, [[kind, slot], ...], words], a copy [null, bytes, [to, source], [their offsets]]. A note is what a failed
assertion says, [message, [[code, shape, bytes] of each operand]]: see `runtime.device_notes`. Sizes that only a call
knows are text: `2*n0`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridize.base.errors import CodegenError, DeviceError
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.codegen.wgsl.program import WgslCopy, WgslProgram, WgslWork, bound_to_plan
from hybridize.formats.deployable import Deployable, Variant
from hybridize.formats.wasm.weights import ModuleWeights
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from hybridize.runtime.plan import Derivation


def kernels_of(deployable: Deployable, weights: ModuleWeights) -> dict[str, Any]:
    """Write the kernels of all variants; their constants are added to the weights.

    Variants are compiled for a processor first: what they assume of sizes then holds for both.
    """
    writer = _Writer(weights)
    try:
        variants = [writer.variant(variant) for variant in deployable.variants]
    except (DeviceError, CodegenError) as error:  # also what WGSL has no word for
        return {"refused": error.what}
    return {
        "largest": writer.largest, "kernels": writer.kernels, "constants": writer.constants, "variants": variants
    }  # fmt: skip


class _Writer:
    """Collects the kernels and constants of variants, equal ones once."""

    def __init__(self, weights: ModuleWeights) -> None:
        self.kernels: dict[str, dict[str, str]] = {}
        self.constants: list[dict[str, Any]] = []
        self.largest = 0
        """Bytes of the largest array whose size is known."""
        self._weights = weights
        self._numbers: dict[str, int] = {}

    def variant(self, variant: Variant) -> dict[str, Any]:
        """Write a variant."""
        kernels = build_kernels(PIPELINE.run(variant.graph), named_target("webgpu"))
        program = bound_to_plan(kernels)
        plan = program.plan
        derivations = {one.slot: one for one in plan.derivations}
        names = {name: self._kernel(text, program.bindings[name]) for name, text in program.modules.items()}
        constants = []
        for slot, array in enumerate(program.constants):
            if slot in derivations:
                constants.append(self._constant(self._derived(derivations[slot], program, names)))
            else:
                at, nbytes = self._weights.range_of(array)
                constants.append(self._constant({"at": at, "bytes": nbytes}))
        for nbytes in (plan.scratch_bytes, *(one.nbytes for one in (*plan.inputs, *plan.outputs))):
            self.largest = max(self.largest, nbytes if isinstance(nbytes, int) else 0)
        entry: dict[str, Any] = {
            "constants": constants,
            "scratchBytes": plan.scratch_bytes,
            "launches": _launches(program.launches, names),
        }
        if plan.notes:
            entry["notes"] = [[one.message, [[x.dtype, x.shape, x.nbytes] for x in one.operands]] for one in plan.notes]
        return entry | ({"holds": list(plan.sizes)} if plan.sizes else {})

    def _kernel(self, text: str, writes: Sequence[bool]) -> str:
        """Return the name of a kernel, which is added if no equal one is there."""
        entry = {"text": text, "writes": "".join("w" if one else "r" for one in writes)}
        for name, other in self.kernels.items():
            if other == entry:
                return name
        name = f"k{len(self.kernels)}"
        self.kernels[name] = entry
        return name

    def _derived(self, derivation: Derivation, program: WgslProgram, names: Mapping[str, str]) -> dict[str, Any]:
        ranges = [self._weights.range_of(program.sources[source.number]) for source in derivation.sources]
        return {
            "bytes": derivation.nbytes,
            "sources": [{"at": at, "bytes": nbytes} for at, nbytes in ranges],
            "scratchBytes": derivation.scratch_bytes,
            "launches": _launches(program.derivations[derivation.slot], names),
        }

    def _constant(self, constant: dict[str, Any]) -> int:
        """Return the number of a constant, which is added if no equal one is there."""
        number = self._numbers.setdefault(repr(constant), len(self.constants))
        if number == len(self.constants):
            self.constants.append(constant)
            self.largest = max(self.largest, constant["bytes"])
        return number


def _launches(work: Sequence[WgslWork], names: Mapping[str, str]) -> list[list[Any]]:
    return [
        [None, one.nbytes, [one.to, one.source], [one.to_offset, one.source_offset]]
        if isinstance(one, WgslCopy)
        else [names[one.kernel], one.blocks, one.buffers, one.words]
        for one in work
    ]
