# SPDX-License-Identifier: Apache-2.0
"""Gradients that somebody wrote (`tf.custom_gradient`): functions beside those of a graph, which TensorFlow traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import tensorflow as tf

from hybridize.tensorflow.internals import gradient_of

_MARK: Final = b"CustomGradient"
"""Names of such gradients begin so."""


def with_rules(definitions: dict[str, Any], graphs: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return functions whose nodes with a gradient of their own name, as `gradient`, the function that computes it.

    The function takes the gradients of the node's results, and values of the graph, which are more inputs of the node;
    `wrt` has the numbers of the inputs that its results are for.

    Args:
        definitions: messages `FunctionDef` by name.
        graphs: TensorFlow's graphs of these functions, those that it tells of.

    Returns:
        They, with those functions; and whether every such node has one.
    """
    results, complete = dict(definitions), True
    for name, definition in definitions.items():
        nodes = {node.name: node for node in definition.node_def if _is_marked(node)}
        if not nodes:
            continue
        changed = type(definition)()
        changed.CopyFrom(definition)
        results[name] = changed
        for node in changed.node_def:
            if node.name in nodes:
                rule = _rule(graphs.get(name), node, changed)
                complete = complete and rule is not None
                results.update(rule or {})
    return results, complete


def _is_marked(node: Any) -> bool:
    return "_gradient_op_type" in node.attr and bool(node.attr["_gradient_op_type"].s.startswith(_MARK))


def _rule(graph: Any, node: Any, definition: Any) -> dict[str, Any] | None:
    """Let a node name its gradient; return the functions of that, or None where they are not functions of tensors."""
    if graph is None:
        return None
    operation = graph.get_operation_by_name(node.name)
    rule = gradient_of(operation)
    if rule is None:
        return None
    wrt: list[int] = []

    def gradients(*cotangents: Any) -> list[Any]:
        pulled = rule(operation, *cotangents)
        wrt[:] = [k for k, one in enumerate(pulled) if one is not None]
        return [tf.convert_to_tensor(pulled[k]) for k in wrt]

    specs = [tf.TensorSpec(one.shape, one.dtype) for one in operation.outputs]
    try:
        with graph.as_default():
            concrete = tf.function(gradients, autograph=False).get_concrete_function(*specs)
    except Exception:  # of the user's: TensorFlow shows it to those who ask for the gradient
        return None
    names = {one.name: one for one in definition.node_def}
    inside = {id(outer): inner for outer, inner in graph.captures}
    arguments = {id(x): arg.name for x, arg in zip(graph.inputs, definition.signature.input_arg, strict=False)}
    for outer in concrete.captured_inputs:
        tensor = inside.get(id(outer), outer)
        if tensor.dtype in (tf.resource, tf.variant) or getattr(tensor, "graph", None) is not graph:
            return None
        if id(tensor) not in arguments and tensor.op.name not in names:
            return None
        node.input.append(arguments.get(id(tensor)) or f"{tensor.op.name}:{tensor.value_index}")
    node.attr["gradient"].func.name = concrete.function_def.signature.name
    node.attr["wrt"].list.i.extend(wrt)
    functions = (*concrete.graph.as_graph_def().library.function, concrete.function_def)
    return {one.signature.name: one for one in functions}
