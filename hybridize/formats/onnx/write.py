# SPDX-License-Identifier: Apache-2.0
"""Programs as ONNX models, each checked before it is in its place.

    model = written(deployable(program))     the one program of the file, see `Deployable`
    write(model, "net.onnx", opset=21)       the file, and `net.onnx.data` where weights are larger than 1 GiB
    check(model, files)                      what was read back, checked and run

An operator set of ONNX is a version of its operators. 21 is what ONNX Runtime from 1.18 on takes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import CaptureError, LoadError
from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING
from hybridize.base.types import TensorType
from hybridize.base.version import VERSION
from hybridize.formats import checking
from hybridize.formats.atomic import write_atomically
from hybridize.formats.checking import Answer, Trial
from hybridize.formats.deployable import Deployable, Variant
from hybridize.formats.onnx.layers import LAYERS
from hybridize.formats.onnx.messages import NUMBERS, SCHEMAS
from hybridize.formats.onnx.windows import WINDOWS
from hybridize.formats.onnx.words import BY_OPS
from hybridize.formats.onnx.write_control import CONTROL
from hybridize.formats.onnx.writer import Entry, FileState, GraphWriter, MainRoot, info, tensor
from hybridize.formats.wire import Message, serialized
from hybridize.graph import sizes_of
from hybridize.ops.evaluate import evaluate
from hybridize.ops.tracing import make_graph

OPSETS: Final = range(13, 26)
DEFAULT: Final = 21
_IR: Final = {20: 9, 21: 10, 22: 10, 23: 11, 24: 12, 25: 13}
"""The version of the file format that came with an operator set; 8, the first with functions, before."""
LARGEST: Final = 1 << 30
"""Bytes of weights that are in the file itself: protocol buffers end at twice as many."""
_ALIGNED: Final = 4096
Array = NDArray[Any]


def written(model: Deployable) -> Deployable:
    """The program with its widest variant alone: what a file of ONNX holds.

    Raises:
        CaptureError E450: its calls change what it keeps.
    """
    *others, widest = model.variants
    if widest.states:
        names = ", ".join(model.states[position].name for position in widest.states)
        text = f"a program whose calls change {names} has no counterpart in ONNX"
        raise CaptureError("E450", text, help='format="archive" and "library" hold it; ONNX has no state')
    samples = list(widest.samples)
    left_out = list(model.left_out)
    for other in others:
        fitting = [
            one for one in other.samples
            if sizes_of(widest.graph, [array.shape for array in one.inputs]) is not None
        ]  # fmt: skip
        samples += fitting
        if not fitting:
            left_out.append(checking.described(other))
    return changed(model, variants=(changed(widest, samples=tuple(samples)),), left_out=tuple(left_out))


def write(model: Deployable, path: str, opset: int = DEFAULT, limit: int = LARGEST) -> list[str]:
    """Write a program; return the files.

    Args:
        model: of one variant, see `written`.
        path: of the file.
        opset: the operator set, one of `OPSETS`.
        limit: bytes of weights that may be in the file itself.

    Raises:
        CaptureError E450: an operation has no counterpart in ONNX; it names it and the user's line.
    """
    (variant,) = model.variants
    whole = FileState(opset, {**BY_OPS, **WINDOWS, **CONTROL}, LAYERS)
    root = MainRoot(whole)
    graph = variant.graph
    writer = GraphWriter(root, root.nodes)
    names = [root.taken(one.name) for one in model.inputs]
    for value, name in zip(graph.inputs, names, strict=True):
        writer.entries[value] = Entry(name, value.type.shape)
        root.sources[name] = value.type
    read = {value for node in graph.nodes for value in node.inputs} | set(graph.outputs)
    for value, name in variant.weights.items():
        if value in read:
            writer.entries[value] = Entry(root.constant(graph.constants[value], name), value.type.shape)
    writer.walk(graph)
    outputs = writer.results(graph.outputs[: len(model.outputs)], [one.name for one in model.outputs])
    beside = sum(array.nbytes for array in root.arrays.values()) > limit
    tensors, data = _tensors(root.arrays, f"{os.path.basename(path)}.data" if beside else None)
    message = {
        "ir": _IR.get(opset, 8), "producer": "hybridize", "producer_version": VERSION, "opsets": whole.opsets(),
        "functions": whole.messages, "metadata": _notes(variant),
        "graph": {
            "name": model.name, "node": _tidy(root.nodes, outputs), "initializer": tensors,
            "input": [info(name, value.type) for name, value in zip(names, graph.inputs, strict=True)],
            "output": [info(name, value.type) for name, value in zip(outputs, graph.outputs, strict=False)],
        },
    }  # fmt: skip
    write_atomically(path, [serialized(message, "Model", SCHEMAS)])
    if not beside:
        return [path]
    write_atomically(f"{path}.data", data)
    return [path, f"{path}.data"]


def _tensors(arrays: Mapping[str, Array], file: str | None) -> tuple[list[Message], list[Any]]:
    """The messages of all constants, and the parts of the file beside that holds their elements."""
    if file is None:
        return [tensor(name, array) for name, array in arrays.items()], []
    messages, parts, at = [], [], 0
    for name, array in arrays.items():
        if array.nbytes < _ALIGNED:
            messages.append(tensor(name, array))
            continue
        where = {"location": file, "offset": str(at), "length": str(array.nbytes)}
        pairs = [{"key": key, "value": value} for key, value in where.items()]
        kind = {"name": name, "dims": array.shape, "dtype": NUMBERS[array.dtype]}
        messages.append({**kind, "external": pairs, "location": 1})
        over = -array.nbytes % _ALIGNED
        parts += [numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8), bytes(over)]
        at += array.nbytes + over
    return messages, parts


def _notes(variant: Variant) -> list[Message]:
    """The sizes that the program holds for, where these are not all."""
    return [{"key": "hybridize_sizes", "value": str(variant.scope)}] if variant.scope is not None else []


def _tidy(nodes: list[Message], outputs: Sequence[str]) -> list[Message]:
    """The nodes without the Identity of each output whose value is a node's and nothing else's."""
    makers = {name: (node, k) for node in nodes for k, name in enumerate(node["output"])}
    uses: dict[str, int] = {}
    for node in _every(nodes):
        for name in node["input"]:
            uses[name] = uses.get(name, 0) + 1
    kept = list(nodes)
    for output in outputs:
        identity, _ = makers[output]
        (name,) = identity["input"]
        if name in makers and uses[name] == 1 and identity["op"] == "Identity":
            node, k = makers[name]
            node["output"] = [*node["output"][:k], output, *node["output"][k + 1 :]]
            kept.remove(identity)
    return kept


def _every(nodes: Sequence[Message]) -> list[Message]:
    """The nodes, and those of the graphs inside; of these, the outputs count as read."""
    result = []
    for node in nodes:
        result.append(node)
        for attr in node.get("attr", ()):
            if "g" in attr:
                result += _every(attr["g"]["node"])
    return result


# --------------------------------------------------------------------------------------------------------------- checks


def check(model: Deployable, files: Sequence[str]) -> list[str]:
    """Read a file back, check and run it; return what was compared.

    Raises:
        VerificationError E810, E812: it gives something else.
    """
    with LOADING:
        from hybridize.formats.onnx import checking as packages  # late: onnx and ONNX Runtime, where they are

    path = files[0]
    title = os.path.basename(path)
    calls, missing = checking.trials(model)
    lines = [f"not run: no call was found that {one} takes; give one with samples=[...]" for one in missing]
    lines.append(_read_back(model, path, title, calls))
    lines.append(packages.checked(path))
    lines.append(packages.run(model, path, title, calls))
    return lines


def _read_back(model: Deployable, path: str, title: str, calls: Sequence[Trial]) -> str:
    """Run a file by our own reader and the meaning of our ops."""
    with LOADING:
        from hybridize.formats.foreign.known import operand_of  # late: rows
        from hybridize.formats.foreign.walk import Walk
        from hybridize.formats.onnx.read import read

    try:
        program = read(path)
    except LoadError as error:
        if error.code != "E606":
            raise
        return f"{title}: not read back: {error.help or error}"
    names = [port.name for port in program.graph.inputs]

    def answer(call: Trial) -> Answer:
        def walked(*operands: Any) -> list[Any]:
            inputs = dict(zip(names, operands[: len(names)], strict=True))
            weights = dict(zip(program.weights, operands[len(names) :], strict=True))
            return [operand_of(value) for value in Walk(program)(inputs, weights)]

        arrays = [*call.inputs, *program.weights.values()]
        graph = make_graph(walked, [TensorType(array.shape, array.dtype) for array in arrays])
        return Answer(0, "", tuple(evaluate(graph, arrays)))

    return checking.compared(calls, [answer(call) for call in calls], model, f"{title} read back")
