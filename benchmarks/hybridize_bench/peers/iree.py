# SPDX-License-Identifier: Apache-2.0
"""IREE on this processor, from the StableHLO that JAX makes of a function; called through its own list of arguments."""

from __future__ import annotations

from collections.abc import Sequence

import iree.compiler
import iree.runtime
import jax
import numpy as np

from hybridize_bench.peers import F32, Prepared, Start
from hybridize_bench.peers.jax import function

FLAGS = ("--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", "--iree-opt-data-tiling")


def formula(name: str, arrays: Sequence[F32]) -> Start:
    """A formula, compiled for this processor and run on the calling thread."""
    text = str(jax.jit(function(name)).lower(*arrays).compiler_ir("stablehlo"))

    def start() -> Prepared:
        compiled = iree.compiler.compile_str(
            text, target_backends=["llvm-cpu"], input_type="stablehlo", extra_args=list(FLAGS)
        )
        config = iree.runtime.Config("local-sync")
        context = iree.runtime.SystemContext(config=config)
        module = iree.runtime.VmModule.copy_buffer(config.vm_instance, compiled)
        context.add_vm_module(module)
        entry = module.lookup_function("main")
        inputs = iree.runtime.VmVariantList(len(arrays))
        buffers = [iree.runtime.asdevicearray(config.device, array) for array in arrays]
        for buffer in buffers:
            inputs.push_ref(buffer._buffer_view)
        invoke = context.vm_context.invoke

        def call() -> iree.runtime.VmVariantList:
            results = iree.runtime.VmVariantList(1)
            invoke(entry, inputs, results)
            return results

        def read(results: iree.runtime.VmVariantList) -> F32:
            view = results.get_as_object(0, iree.runtime.HalBufferView)
            return np.asarray(iree.runtime.DeviceArray(config.device, view).to_host())

        return Prepared(call, (), read)

    return start


FORMULA = {"invoke": formula}
