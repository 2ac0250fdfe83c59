# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions on vectors: the table of functions and their mathematics.

`table` says which code an elementwise function is. `float32`, `float64` and `gamma` hold the mathematics, and
`exponentials` what the first two have in common; `wide` is the arithmetic in two parts that they round once from;
`unaided` and `circular` are functions of float64 without the C library, by sums of two floats (`pairs`);
`vectors`, `rounding` and `halves` (float16, bfloat16) are tools.
"""
