# SPDX-License-Identifier: Apache-2.0
"""Jaxprs, JAX's programs, as plain data: the rows that say what each primitive computes.

Who knows JAX (`hybridize.jax`) makes a `ForeignProgram` of a jaxpr: attributes are numbers, sizes (that may be dims),
words, tuples of these, and graphs. Keys of random numbers are words, u32[..., 2].
It must not know JAX, nor arrays of ours.
"""
