# SPDX-License-Identifier: Apache-2.0
"""WebAssembly: LLVM's relocatable objects made into one module that runs.

    link(object, ...) -> Linked  a module that any engine with SIMD instantiates, given the C functions it imports

In: objects that do not refer to each other, as `codegen.llvm.engine.emit_object` gives them for `wasm32`. LLVM's own
linker is not part of llvmlite, and they need little of one: memory laid out, indices and addresses written where the
objects say.
Nothing here knows LLVM, graphs or plans.
"""
