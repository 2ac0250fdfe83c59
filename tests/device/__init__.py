# SPDX-License-Identifier: Apache-2.0
"""A GPU for tests: PTX run by NumPy, thousands of threads as the lanes of arrays, with every rule of the machine checked.

A program that breaks a rule gets a `Fault` with the line of PTX: reads of what was never written, addresses outside of a
buffer, misaligned vectors, races between threads of a block since its last barrier and between blocks, barriers that
some threads miss, shuffles with threads that do not come, writes over what `ld.global.nc` has read.

From the text up: `assembly` parses, `operations` is the table of opcodes over `floats`, `integers` and `conversions`,
`flow` divides a kernel into segments, `compiled` makes each one function of NumPy calls, `memory` and `shadow` hold bytes
and who touched them, `warps` exchanges between lanes, `grid` runs blocks, and `emulated.Emulated` has the face of a device.

It is a test tool: nothing in the package imports it.
"""
