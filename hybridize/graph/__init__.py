# SPDX-License-Identifier: Apache-2.0
"""The graph IR: immutable, typed, single static assignment.

In: ops (anything with `name`, `infer` and equality) applied through a `Builder`. Out: `Graph`.
Invariants: nodes stand in topological order; each value is defined once, before its use; the type of every
output is what the op infers from the types of its inputs; sub-graphs (fields of control-flow ops) are closed.
The text form is the contract: `str(graph)` prints it, `parse` reads it back, `fingerprint` hashes it.

    graph(%0: f32[2,3], %1: f32[3]) {
      %2: f32[2,3] = broadcast(%1, shape=(2, 3))
      %3: f32[2,3] = add(%0, %2)
      return %3
    }

Sizes that are not known before the call are polynomials of symbols (`f32[n0,784]`); a line before the graph says what
is assumed of them: `sizes("n0 in 2.. like 9")`. `sizes_of` finds them in a call, `with_sizes` makes the graph exact.

It must not know any op, array or pass.
"""

from hybridize.graph.deferred import Deferred as Deferred
from hybridize.graph.ir import Builder as Builder
from hybridize.graph.ir import Graph as Graph
from hybridize.graph.ir import Node as Node
from hybridize.graph.ir import OpLike as OpLike
from hybridize.graph.ir import Value as Value
from hybridize.graph.ir import needed as needed
from hybridize.graph.ir import nodes_inside as nodes_inside
from hybridize.graph.ir import readers_of as readers_of
from hybridize.graph.sizes import bound as bound
from hybridize.graph.sizes import exact as exact
from hybridize.graph.sizes import is_exact as is_exact
from hybridize.graph.sizes import sizes_of as sizes_of
from hybridize.graph.sizes import with_sizes as with_sizes
from hybridize.graph.text import parse as parse
from hybridize.graph.verify import verify as verify
