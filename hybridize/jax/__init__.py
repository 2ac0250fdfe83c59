# SPDX-License-Identifier: Apache-2.0
"""The JAX door: `hybridize(f)` for a function of JAX's arrays, jitted or not; arrays in and out.

This package alone imports jax. In: a function and the arrays of a call. Out: a function whose calls run machine code.
JAX itself traces the function; `reading` makes plain data of the jaxpr, which the walk of all foreign programs applies,
by the rows of `formats.jaxpr`. `arrays` takes arrays over without copies; `function` keeps the programs. Where one of
JAX's own transformations calls, grad, vmap or jit, the function itself is used.
`internals` has the names of JAX that are not public, each with what happens without it.
"""

from hybridize.jax.function import JaxFunction as JaxFunction
from hybridize.jax.function import called as called
from hybridize.jax.function import program as program

TAKES_NUMPY = True
"""Functions of JAX's arrays take those of NumPy, too."""
