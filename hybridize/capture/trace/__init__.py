# SPDX-License-Identifier: Apache-2.0
"""Recording: operations become nodes of a graph.

From the ground up: `scope` is what the program and its branches have in common; `inputs` are arguments and lifted
arrays, `aliases` refuse writes to what may be another array (`carried`: what becomes one in the first round of a
loop), `numbers` keep Python's numbers data as long as they can
be (`bounds`: how large they may get; `lines`: which count the rounds of a loop), `decisions` are what data decides and
a program is specialized on. `recording` puts them together:
`Trace`, the program, and `Branch`.
"""
