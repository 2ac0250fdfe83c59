"""Programs of our own on a device of WebGPU, beside the CPU's results."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from hybridize.codegen.llvm.text import Function, Module
from hybridize.codegen.wgsl.writing import write_kernel
from hybridize.compiler.kernels import compile_kernels
from hybridize.graph import Graph
from hybridize.runtime import webgpu
from hybridize.runtime.device_buffers import sent
from hybridize.runtime.webgpu.kernels import written


@cache
def gpu():
    return webgpu.opened(0)


def on_gpu(graph: Graph, inputs: Sequence[np.ndarray], stable=()) -> list[np.ndarray]:
    code = compile_kernels(graph, "webgpu", stable=stable).on(gpu(), 0)
    buffers = [sent(np.ascontiguousarray(one).reshape(np.shape(one)), gpu(), 0) for one in inputs]
    results = [one.to_host() for one in code.run(buffers)]
    for one, buffer in zip(inputs, buffers, strict=True):
        assert buffer.to_host().tobytes() == np.ascontiguousarray(one).tobytes(), "an input was written"
    return results


def elementwise(line: str, result: str, dtype, *operands: np.ndarray) -> np.ndarray:
    """What an instruction makes of each element: `line` names its operands {0}, {1}."""
    types = {"f": {4: "float", 8: "double"}, "i": {4: "i32", 8: "i64"}, "u": {4: "i32", 8: "i64"}}
    module = Module(halves=False)
    params = [("ptr", f"a{k}") for k in range(len(operands))]
    f = Function(module, "k", [*params, ("ptr", "r")], attributes='"nvvm.maxntid"="64"')
    thread = module.declare("llvm.nvvm.read.ptx.sreg.tid.x", "i32", [])
    block = module.declare("llvm.nvvm.read.ptx.sreg.ctaid.x", "i32", [])
    index = f.plus(f.times(f.op(f"zext i32 {f.op(f'call i32 {block}()')} to i64"), 64), f.op(f"zext i32 {f.op(f'call i32 {thread}()')} to i64"))  # fmt: skip
    count = len(operands[0])
    with f.when(f.test("slt", index, count)):
        kinds = [types[one.dtype.kind][one.dtype.itemsize] for one in operands]
        loaded = [f.op(f"load {kind}, ptr {f.element(f'%a{k}', index, kind)}") for k, kind in enumerate(kinds)]
        value = f.op(line.format(*loaded))
        f.do(f"store {result} {value}, ptr {f.element('%r', index, result)}")
    blocks = -(-count // 64)
    code = gpu().load(written({"k": write_kernel(f, module, blocks)}))
    buffers = [sent(one, gpu(), 0) for one in operands]
    made = sent(np.zeros(count, dtype), gpu(), 0)
    gpu().launch(code["k"], (blocks, 1, 1), 64, 0, [*(one.address for one in buffers), made.address])
    return made.to_host()
