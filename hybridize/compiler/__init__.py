# SPDX-License-Identifier: Apache-2.0
"""From a graph to something that runs: passes, schedule, code generation, and the memory of what was compiled.

In: a graph, a target. Out: an `Executable`, and callables over it (`make_entry`). It must not know arrays, capture or
Python functions: it sees types and NumPy buffers only.
"""
