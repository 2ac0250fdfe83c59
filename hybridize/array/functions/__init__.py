# SPDX-License-Identifier: Apache-2.0
"""The functions of np and npx, by family: arrays in, arrays out.

Each takes arrays, numbers, NumPy arrays or lists, makes operands of them, applies ops by `bind` (or, where nobody
captures and NumPy's answer is ours, NumPy directly), and gives an array back. A function that others can write with
these is a composition of them, without a rule of its own.
"""
