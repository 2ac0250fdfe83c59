# SPDX-License-Identifier: Apache-2.0
"""Writing a captured graph as `-symbol.json` that MXNet 1.9 and 2.0 load: 1.x's operators and attribute keys only.

Sizes are written so that the batch may change: `Reshape` copies leading axes, whole axes of `slice` are None, and a
stretched operand becomes a `broadcast_*` operator instead of a `broadcast_to` of fixed size. Numbers that stand
everywhere become `_*_scalar` operators. Constant arrays become parameters. What has no axes gets one of size 1, since
1.x knows no such arrays. What is true is 1 and what is false 0, of float32: 1.x has bools as inputs only, and what
compares gives the dtype of what it compares. The graphs of control flow are written as the whole is, into their nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridize import ops
from hybridize.base.errors import CaptureError
from hybridize.formats.mxnet.write_control import write_cond, write_scan, write_while
from hybridize.formats.mxnet.write_recurrent import write_recurrent
from hybridize.formats.mxnet.writer import FileState, FileWriter, GraphWriter, SymbolFile
from hybridize.graph import Graph, Node

_BY_OPS: dict[type, Callable[[GraphWriter, Node, Any], None]] = {
    ops.Cond: write_cond,
    ops.Scan: write_scan,
    ops.While: write_while,
}


def symbol_json(
    graph: Graph,
    names: Sequence[str],
    outputs: int,
    metadata: Mapping[str, str] | None = None,
    *,
    arguments: int = 1,
    means: bool = False,
) -> SymbolFile:
    """Write `graph` by MXNet's operators.

    Args:
        graph: as captured, with composites.
        names: one for each input, all different.
        outputs: how many of its outputs are results; further ones would be writes.
        metadata: graph attributes to add.
        arguments: how many of the inputs, from the first, are arguments of a call; the others are parameters.
        means: write a sum that is divided by the number of its terms as `mean`, which takes any number of them.

    Raises:
        CaptureError E467: an op, or a write, has no counterpart in MXNet; or two inputs have one name.
    """
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise CaptureError("E467", f"two inputs or parameters have the name {min(twice)!r}", help="rename one")
    if len(graph.outputs) != outputs:
        raise CaptureError(
            "E467",
            "the net writes to an argument or to state while it runs, which MXNet's files cannot express",
            help="net.save(path) writes an archive, which supports it",
        )
    whole = FileState(list(names), means, _BY_OPS, {"RNN": write_recurrent})
    return FileWriter(whole).file(graph, arguments, metadata or {})
