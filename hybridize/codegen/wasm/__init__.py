# SPDX-License-Identifier: Apache-2.0
"""WebAssembly: LLVM's relocatable object made into a module that runs.

    link(object) -> bytes        a module that any engine with SIMD instantiates, given the C functions it imports

In: the one object of a program, as `codegen.llvm.engine.emit_object` gives it for `wasm32`. LLVM's own linker is not
part of llvmlite, and a single object needs little of one: memory laid out, addresses written where the object says.
Nothing here knows LLVM, graphs or plans.
"""
