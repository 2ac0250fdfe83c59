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

from hybridize.base import dims
from hybridize.base.comparison import difference
from hybridize.base.errors import ArgumentError, CaptureError, HybridizeError, LoadError
from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING
from hybridize.base.types import TensorType
from hybridize.base.version import VERSION
from hybridize.formats import checking, sampling
from hybridize.formats.atomic import write_atomically
from hybridize.formats.checking import Answer, Trial
from hybridize.formats.deployable import Deployable, Tensor, Variant
from hybridize.formats.onnx.layers import LAYERS
from hybridize.formats.onnx.messages import NUMBERS, SCHEMAS
from hybridize.formats.onnx.windows import WINDOWS
from hybridize.formats.onnx.words import BY_OPS
from hybridize.formats.onnx.write_control import CONTROL
from hybridize.formats.onnx.writer import FileValue, MainRoot, ModelState, NodeWriter, every, info, live, tensor
from hybridize.formats.saved import CheckedCall
from hybridize.formats.wire import Message, serialized_parts
from hybridize.graph import Node, nodes_inside, sizes_of
from hybridize.graph.sizes import bound, with_sizes
from hybridize.ops.evaluate import evaluate
from hybridize.ops.randomness import RandomBits, StandardGamma
from hybridize.ops.tracing import make_graph

OPSETS: Final = range(13, 26)
DEFAULT: Final = 21
_IR: Final = {20: 9, 21: 10, 22: 10, 23: 11, 24: 12, 25: 13}
"""The version of the file format that came with an operator set; 8, the first with functions, before."""
LARGEST: Final = 1 << 30
"""Bytes of weights that are in the file itself: protocol buffers end at twice as many."""
_ALIGNED: Final = 4096
Array = NDArray[Any]


def written(
    model: Deployable, input_names: Sequence[str] | None = None, output_names: Sequence[str] | None = None
) -> Deployable:
    """The program with its widest variant alone: what a file of ONNX holds.

    Args:
        model: with all its variants.
        input_names: of all inputs; None: those of the function's parameters.
        output_names: of all outputs; None: those of the results.

    Raises:
        ArgumentError E337: there are more or fewer names than inputs or outputs.
        CaptureError E466: its calls change what it keeps.
    """
    *others, widest = model.variants
    drawing = next((node for node in widest.graph.nodes if _draws(node)), None)
    if drawing is not None:
        help = 'pass them as an argument; format="archive" and "library" draw their own'
        raise CaptureError("E466", "random numbers have no counterpart in ONNX", loc=drawing.loc, help=help)
    if widest.states:
        names = ", ".join(model.states[position].name for position in widest.states)
        text = f"a program whose calls change {names} has no counterpart in ONNX"
        raise CaptureError("E466", text, help='format="archive" and "library" hold it; ONNX has no state')
    samples = list(widest.samples)
    left_out = list(model.left_out)
    for other in others:
        tried = other.samples or (sampling.invented(other.graph, len(other.graph.inputs), ()),)
        fitting = [one for one in tried if one is not None and _takes(widest, one)]
        samples += fitting
        if not fitting:
            left_out.append(checking.described(other))
    widest = changed(widest, samples=tuple(samples))
    fixed = [f"sizes: {text}" for _, text in _limits(widest)]
    return changed(
        model, variants=(widest,), left_out=tuple(left_out), fixed=(*model.fixed, *fixed),
        inputs=_named("input", model.inputs, input_names), outputs=_named("output", model.outputs, output_names),
    )  # fmt: skip


def _named(side: str, tensors: Sequence[Tensor], names: Sequence[str] | None) -> tuple[Tensor, ...]:
    """The inputs or outputs by other names."""
    if names is None:
        return tuple(tensors)
    if len(names) != len(tensors):
        own = ", ".join(one.name for one in tensors)
        raise ArgumentError("E337", f"{side}_names are {len(names)} names, the {side}s are {len(tensors)}: {own}")
    return tuple(changed(one, name=name) for one, name in zip(tensors, names, strict=True))


def _draws(node: Node) -> bool:
    """Tell whether a node draws random numbers, or a part of it does."""
    return any(isinstance(one.op, RandomBits | StandardGamma) for one in (node, *nodes_inside(node.op)))


def _takes(variant: Variant, sample: CheckedCall) -> bool:
    """Tell whether a variant gives what a sample of another one says, which may be smaller than it was captured for."""
    graph = variant.graph
    shapes = [array.shape for array in sample.inputs]
    sizes = bound(graph, shapes)
    if sizes is None or graph.scope is None or not all(one.holds(sizes) for one in graph.scope.conditions):
        return False
    if sizes_of(graph, shapes) is not None:
        return True
    try:
        results = evaluate(with_sizes(graph, sizes), list(sample.inputs))
    except HybridizeError:
        return False
    return not any(map(difference, results, sample.outputs))


def _limits(variant: Variant) -> list[tuple[Any, str]]:
    """List sizes that must be above 0 in calls, each with words for it; what a sample shows to be right is no limit."""
    scope = variant.scope
    if scope is None:
        return []
    called = [bound(variant.graph, [array.shape for array in one.inputs]) or {} for one in variant.samples]
    limits: list[tuple[Any, str]] = []
    for symbol in scope.symbols:
        size, low = scope.dim(symbol), min([symbol.low, *(sizes[symbol] for sizes in called if symbol in sizes)])
        if low > 1:
            limits.append((size - low + 1, f"{symbol.name} from {low}"))
        if symbol.high < dims.FAR:
            limits.append((-size + symbol.high + 1, f"{symbol.name} to {symbol.high}"))
    for condition in scope.conditions:
        square = condition.dim * condition.dim
        above = {">": condition.dim, "==": -square + 1, "!=": square}[condition.relation]
        limits.append((above, str(condition)))
    return limits


def write(model: Deployable, path: str, opset: int = DEFAULT) -> list[str]:
    """Write a program; return the files.

    Args:
        model: of one variant, see `written`.
        path: of the file.
        opset: the operator set, one of `OPSETS`.

    Raises:
        CaptureError E466: an operation has no counterpart in ONNX; it names it and the user's line.
    """
    (variant,) = model.variants
    whole = ModelState(opset, {**BY_OPS, **WINDOWS, **CONTROL}, LAYERS)
    root = MainRoot(whole)
    graph = variant.graph
    writer = NodeWriter(root, root.nodes)
    names = [root.unique(one.name) for one in model.inputs]
    for value, name in zip(graph.inputs, names, strict=True):
        writer.entries[value] = FileValue(name, value.type.shape)
        root.sources[name] = value.type
    for value, name in variant.weights.items():
        writer.entries[value] = FileValue(root.constant(graph.constants[value], name), value.type.shape)
    writer.walk(graph)
    for above, text in _limits(variant):
        failed = writer.add("LessOrEqual", [writer.size(above), writer.constant([0])])
        writer.require(writer.add("Reshape", [failed, writer.constant(numpy.zeros(0))]), f"the model is for {text}")
    outputs = writer.results(graph.outputs[: len(model.outputs)], [one.name for one in model.outputs])
    nodes = live(_tidy(root.nodes, outputs), outputs)
    read = {name for node in every(nodes) for name in node["input"]}
    arrays = {name: array for name, array in root.arrays.items() if name in read}
    beside = sum(array.nbytes for array in arrays.values()) > LARGEST
    tensors, data = _tensors(arrays, f"{os.path.basename(path)}.data" if beside else None)
    message = {
        "ir": _IR.get(opset, 8), "producer": "hybridize", "producer_version": VERSION, "opsets": whole.opsets(),
        "functions": whole.messages, "metadata": _notes(variant),
        "graph": {
            "name": model.name, "node": nodes, "initializer": tensors,
            "input": [info(name, value.type) for name, value in zip(names, graph.inputs, strict=True)],
            "output": [info(name, value.type) for name, value in zip(outputs, graph.outputs, strict=False)],
        },
    }  # fmt: skip
    write_atomically(path, serialized_parts(message, "Model", SCHEMAS))
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
    for node in every(nodes):
        for name in node["input"]:
            uses[name] = uses.get(name, 0) + 1
    rest = list(nodes)
    for output in outputs:
        identity, _ = makers[output]
        (name,) = identity["input"]
        if name in makers and uses[name] == 1 and identity["op"] == "Identity":
            node, k = makers[name]
            node["output"] = [*node["output"][:k], output, *node["output"][k + 1 :]]
            node["name"] = node["output"][0]
            rest.remove(identity)
    return rest


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
    lines.append(packages.checked(path, title))
    lines.append(packages.run(model, path, title, calls))
    return lines


def _read_back(model: Deployable, path: str, title: str, calls: Sequence[Trial]) -> str:
    try:
        answers = [Answer(0, "", outputs) for outputs in read_back(path, [call.inputs for call in calls])]
    except LoadError as error:
        if error.code != "E606":
            raise
        return f"{title}: not read back: {error.help or error}"
    return checking.compared(calls, answers, model, f"{title} read back")


def read_back(path: str, calls: Sequence[Sequence[Array]]) -> list[tuple[Array, ...]]:
    """Run a file by our own reader and the meaning of our ops; return the results of each call.

    Raises:
        LoadError E606: it has operators that the reader lacks.
    """
    with LOADING:
        from hybridize.formats.foreign.known import operand_of  # late: rows
        from hybridize.formats.foreign.walk import Walk
        from hybridize.formats.onnx.read import read

    program = read(path)
    names = [port.name for port in program.graph.inputs]
    weights = list(program.weights.values())

    def walked(*operands: Any) -> list[Any]:
        inputs = dict(zip(names, operands[: len(names)], strict=True))
        values = dict(zip(program.weights, operands[len(names) :], strict=True))
        return [operand_of(value) for value in Walk(program)(inputs, values)]

    results = []
    for inputs in calls:
        arrays = [*inputs, *weights]
        graph = make_graph(walked, [TensorType(array.shape, array.dtype) for array in arrays])
        results.append(tuple(evaluate(graph, arrays)))
    return results
