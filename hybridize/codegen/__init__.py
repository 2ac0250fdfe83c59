# SPDX-License-Identifier: Apache-2.0
"""Plan -> machine code for one `Target`. `codegen.llvm` is the only package that imports llvmlite."""
