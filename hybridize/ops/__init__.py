# SPDX-License-Identifier: Apache-2.0
"""The primitives, one class each, and the one way to apply them: `bind` under the current interpreter.

In: operands that only the current interpreter understands (NumPy buffers when eager, graph values while capturing).
Out: operands of the same kind. An op is one frozen dataclass in one place: its parameters are its fields, and it
holds its type rule (`infer`), meaning (`reference`), optional fast imperative rule (`eager`), gradient (`vjp`),
lowering (`lower`) and samples. Operands of elementwise ops have equal shapes and dtypes: promotion and
broadcasting are explicit `Cast` and `Broadcast` nodes which `array` inserts.
It must not know arrays, compilers, kernels or file formats.
"""
