# SPDX-License-Identifier: Apache-2.0
"""A whole library as one module of LLVM IR."""

from __future__ import annotations

from typing import Final

from hybridize.codegen.llvm.library.call import emit_call, emit_run
from hybridize.codegen.llvm.library.describe import emit_describe
from hybridize.codegen.llvm.library.instructions import stack_probe
from hybridize.codegen.llvm.library.layout import Layout
from hybridize.codegen.llvm.library.merged import MergedModule, merged
from hybridize.codegen.llvm.library.model import MARKER_BYTES, LibraryModel
from hybridize.codegen.llvm.library.runtime import emit_runtime
from hybridize.codegen.llvm.library.sizes import emit_sizes, renamed
from hybridize.codegen.llvm.library.states import emit_states
from hybridize.codegen.llvm.text import Module

_SECTIONS: Final = {"linux": ".rodata.weights", "macos": "__TEXT,__weights", "windows": ".rdata"}


def emit_library(model: LibraryModel) -> str:
    """The text; `call` is added to the modules of the model's programs."""
    layout = Layout(model)
    face = Module(halves=False)
    if model.marker:
        _emit_weights(face, model)
    emit_describe(face, model)
    emit_sizes(face, model)
    emit_run(face, model)
    emit_runtime(face, model, layout)
    if model.state_tensors:
        emit_states(face, model, layout)
    parts = []
    for number, variant in enumerate(model.variants):
        for level, version in enumerate(variant.versions):
            emit_call(model, layout, number, level)
            parts.append(MergedModule(version.built.module, renamed("", number, level), model.levels[level]))
    # LLVM gives private symbols no name at all; on other systems a linker wants one to tell functions apart.
    hidden = "private" if model.system == "linux" else "internal"
    exported = "dllexport" if model.system == "windows" else ""
    text = merged(face, parts, model.levels[-1], hidden=hidden, exported=exported)
    return text + stack_probe() if model.system == "windows" else text


def _emit_weights(module: Module, model: LibraryModel) -> None:
    """Room for the weights: they are written into the object, as text they would be four times as long."""
    marker = "".join(f"\\{byte:02X}" for byte in model.marker)
    kind = f"{{ [{MARKER_BYTES} x i8], [{max(1, model.nbytes)} x i8] }}"
    module.globals["weights"] = (
        f'@weights = private constant {kind} {{ [{MARKER_BYTES} x i8] c"{marker}", [{max(1, model.nbytes)} x i8] '
        f'zeroinitializer }}, section "{_SECTIONS[model.system]}", align 64'
    )
