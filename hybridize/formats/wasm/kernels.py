# SPDX-License-Identifier: Apache-2.0
"""The variants of a program as kernels of WebGPU: what a loader launches, as JSON beside WebAssembly's description.

    {"largest", "kernels": {name: {"text", "writes": "rw"}}, "buffers": {kind: [bytes, ...]},
     "states": [place], "constants": [constant], "variants": [variant]}
    {"refused": why there are none}

A place is [number of a buffer of its kind, offset]. A call is {"inputs": [place], "outputs": [place], "buffers": those
of its own, "work"}. Work is a launch, [kernel, [[kind, number], ...], words], whose last word but one is the number of
blocks; or a copy, [null, [[kind, number] to, and from], [offset to, and from, bytes]]. A variant is a call with
"holds", lines on its sizes, and "notes", see `WgslNote`. A constant is {"place", "at", "bytes"}, a range of weights;
or a call with "sources", such ranges, whose work makes it. Sizes that only a call knows are text: `2*n0`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridize.base.errors import CodegenError, DeviceError
from hybridize.codegen.llvm.device.program import build_kernels
from hybridize.codegen.wgsl.binding import WgslBinder, WgslCall, WgslConstant, WgslLaunch, WgslPlace, WgslWork
from hybridize.formats.deployable import Deployable
from hybridize.formats.wasm.weights import ModuleWeights
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE


def kernels_of(deployable: Deployable, weights: ModuleWeights) -> dict[str, Any]:
    """Write the kernels of all variants; their constants are added to the weights.

    Variants are compiled for a processor first: what they assume of sizes then holds for both.
    """
    binder = WgslBinder(weights.range_of)
    states = [binder.state(one.initial.nbytes) for one in deployable.states]
    variants = []
    try:
        for variant in deployable.variants:
            program = build_kernels(PIPELINE.run(variant.graph), named_target("webgpu"))
            before, after = ([states[k] for k in numbers] for numbers in (variant.states, variant.new_states))
            call = binder.bind(program, before, after)
            variants.append({**_call(call), "holds": program.plan.sizes, "notes": call.notes})
    except (DeviceError, CodegenError) as error:  # also what WGSL has no word for
        return {"refused": error.what}
    buffers = [binder.buffers, *(one["buffers"] for one in variants)]
    sizes = [nbytes for kinds in buffers for numbers in kinds.values() for nbytes in numbers]
    return {
        "largest": max((one for one in sizes if isinstance(one, int)), default=0),
        "kernels": {
            name: {"text": one.text, "writes": "".join("w" if each else "r" for each in one.writes)}
            for name, one in binder.modules.items()
        },
        "buffers": binder.buffers,
        "states": list(map(_place, states)),
        "constants": [_constant(one, weights) for one in binder.constants],
        "variants": variants,
    }  # fmt: skip


def _place(place: WgslPlace) -> tuple[int, Any]:
    return place.buffer[1], place.offset


def _call(call: WgslCall) -> dict[str, Any]:
    return {
        "inputs": list(map(_place, call.inputs)),
        "outputs": list(map(_place, call.outputs)),
        "buffers": dict(call.buffers),
        "work": list(map(_work, call.work)),
    }


def _constant(constant: WgslConstant, weights: ModuleWeights) -> Mapping[str, Any]:
    ranges = [weights.range_of(one) for one in constant.sources]
    if constant.make is not None:
        return {"sources": ranges, **_call(constant.make)}
    at, nbytes = ranges[0]
    return {"place": _place(constant.place), "at": at, "bytes": nbytes}


def _work(work: WgslWork) -> list[Any]:
    if isinstance(work, WgslLaunch):
        return [work.kernel, work.buffers, work.words]
    return [None, [work.to.buffer, work.source.buffer], [work.to.offset, work.source.offset, work.nbytes]]
