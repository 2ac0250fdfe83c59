"""Kernels as text, and a device to try them on."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np

from tests.device.emulated import Emulated
from tests.device.fault import Fault
from tests.refusals import refusal

REGISTERS = """
    .reg .pred %p<16>;
    .reg .b16 %h<64>;
    .reg .b32 %r<96>;
    .reg .b64 %rd<80>;
    .reg .f32 %f<64>;
    .reg .f64 %d<32>;
"""
THREAD = """
    mov.u32 %r90, %tid.x;
    mov.u32 %r91, %ctaid.x;
    mov.u32 %r92, %ntid.x;
    mad.lo.s32 %r93, %r91, %r92, %r90;    // %r93: the thread of the grid; %r90: of the block
"""


def module(body: str, params: Sequence[str] = ("u64 out",), head: str = "", threads: int = 1024) -> str:
    """Return a module with one kernel, `k`: each pointer is in %rd60, %rd61, ... before the body."""
    names = [param.split()[-1] for param in params]
    kinds = [param.split()[0] for param in params]
    listed = ",\n".join(f"    .param .{kind} {name}" for kind, name in zip(kinds, names, strict=True))
    loads = "\n".join(
        f"    ld.param.u64 %rd{60 + k}, [{name}];\n    cvta.to.global.u64 %rd{60 + k}, %rd{60 + k};"
        for k, (kind, name) in enumerate(zip(kinds, names, strict=True))
        if kind == "u64"
    )
    return f""".version 7.8
.target sm_80
.address_size 64
{head}
.visible .entry k(
{listed}
)
.maxntid {threads}, 1, 1
{{
{REGISTERS}
{loads}
{THREAD}
{body}
    ret;
}}
"""


def tried(
    text: str,
    blocks: int,
    threads: int,
    inputs: Sequence[np.ndarray] = (),
    outputs: Sequence[np.ndarray] = (),
    numbers: Sequence[float] = (),
    device: Emulated | None = None,
    shared_bytes: int = 0,
) -> list[np.ndarray]:
    """Run the kernel `k` on fresh buffers, which outputs, then inputs have, and return the outputs."""
    device = device or Emulated()
    function = device.load(text)["k"]
    places = [device.alloc(array.nbytes, f"output {n}") for n, array in enumerate(outputs)]
    for n, array in enumerate(inputs):
        places.append(device.alloc(array.nbytes, f"input {n}"))
        device.copy_in(places[-1], array)
    device.launch(function, (blocks, 1, 1), threads, shared_bytes, [*places, *numbers])
    return [device.copy_out(at, np.empty_like(array)) for at, array in zip(places, outputs, strict=False)]


def faulty(words: str) -> AbstractContextManager:
    """Check that a block ends in a fault that says some words."""
    return refusal(Fault, re.escape(words))
