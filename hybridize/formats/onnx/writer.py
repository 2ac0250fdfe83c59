# SPDX-License-Identifier: Apache-2.0
"""Writers of ONNX graphs, node by node: that of the file, those of functions, and of the bodies of loops and branches.

A value of ours is a `FileValue`: a name in the file and the shape that it has there, which may be smaller than ours:
ONNX stretches the operands of elementwise operators itself, so what is broadcast is repeated where all of it is needed.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, NoReturn

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dims import Dim, Division, Larger, Remainder, SizeSymbol
from hybridize.base.dtypes import DType, bfloat16, bool_, float16, float32, int64
from hybridize.base.errors import CaptureError
from hybridize.base.locations import SourceLoc
from hybridize.base.types import Shape, TensorType, surely_same
from hybridize.formats.onnx.kernels import CARRIERS
from hybridize.formats.onnx.messages import NUMBERS
from hybridize.formats.wire import Message
from hybridize.graph import Graph, Node, Value, needed, readers_of
from hybridize.ops import Effect, effect_of
from hybridize.ops.tracing import make_graph

DOMAIN: Final = "hybridize"
"""Of the functions of a model."""
_SHARED: Final = 64
"""Constants of up to so many elements are in the file once, however often they are used."""
_WORD: Final = re.compile(r"\W+", re.ASCII)
Array = NDArray[Any]


class FileValue(NamedTuple):
    """A value in the file."""

    name: str
    shape: Shape
    """Its shape there, which stretches to that of the value."""


class ModelFunction(NamedTuple):
    """A function of the model."""

    name: str
    symbols: tuple[SizeSymbol, ...]
    """Sizes that it takes behind its inputs, each as i64[1]."""


Write = Callable[["NodeWriter", Node, Any], None]
"""Writes a node whose op is given, too; it may say that it cannot by `writer.refuse`."""
Layer = Callable[["NodeWriter", Node, Mapping[str, Any]], bool]
"""Writes a composite as an operator of ONNX; tells whether it could."""


@dataclass
class ModelState:
    """The state that all graphs of one file share."""

    opset: int
    by_ops: Mapping[type, Write]
    by_labels: Mapping[str, Layer]
    functions: dict[Any, ModelFunction] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    """The functions of the model."""

    def opsets(self) -> list[Message]:
        own = [{"domain": DOMAIN, "version": 1}] if self.functions else []
        return [{"domain": "", "version": self.opset}, *own]


class Root(ABC):
    """The outermost graph of some nodes, whose values all graphs inside may read: of the model, or of a function."""

    def __init__(self, whole: ModelState) -> None:
        self.whole = whole
        self.nodes: list[Message] = []
        self.used: set[str] = set()
        self.counters: dict[str, int] = {}
        self.arrays: dict[str, Array] = {}
        """The constants, by name."""
        self.shared: dict[Any, str] = {}
        self.sources: dict[str, TensorType] = {}
        """The inputs, by name: where sizes are looked up."""
        self.sizes: dict[Any, str] = {}

    def fresh(self, word: str) -> str:
        """Return a name that nothing here has."""
        count = self.counters.get(word, 0)
        while f"{word}_{count}" in self.used:
            count += 1
        self.counters[word] = count + 1
        return self.unique(f"{word}_{count}")

    def unique(self, name: str) -> str:
        """Take a name, or one like it."""
        if name in self.used:
            return self.fresh(name)
        self.used.add(name)
        return name

    def constant(self, array: Array, word: str = "constant") -> str:
        """Return the name of a constant."""
        array = numpy.asarray(array)
        key = (array.dtype.str, array.dtype.name, array.shape, array.tobytes()) if array.size <= _SHARED else None
        if key is not None and key in self.shared and word == "constant":
            return self.shared[key]
        name = self.fresh(word) if word == "constant" else self.unique(word)
        self.arrays[name] = array
        self.add_constant(name, array)
        if key is not None:
            self.shared.setdefault(key, name)
        return name

    @abstractmethod
    def add_constant(self, name: str, array: Array) -> None:
        """Put a constant into the file."""

    def symbol(self, symbol: SizeSymbol) -> str:
        """Return the name of a size that calls bring, as i64[1]."""
        if symbol not in self.sizes:
            self.sizes[symbol] = self.looked_up(symbol)
        return self.sizes[symbol]

    def looked_up(self, symbol: SizeSymbol) -> str:
        """The size where an input has it."""
        singles: list[tuple[str, int, Any]] = [
            (name, axis, getattr(size, "single", None))
            for name, kind in self.sources.items()
            for axis, size in enumerate(kind.shape)
        ]
        places = [(name, axis, one[1:]) for name, axis, one in singles if one is not None and one[0] is symbol]
        if not places:
            return self.missing(symbol)
        name, axis, (factor, constant) = min(places, key=lambda place: place[2] != (1, 0))
        writer = NodeWriter(self, self.nodes)
        size = writer.size_of_axis(name, axis)
        if constant:
            size = writer.add("Sub", [size, self.constant(numpy.array([constant]))])
        return writer.add("Div", [size, self.constant(numpy.array([factor]))]) if factor != 1 else size

    @abstractmethod
    def missing(self, symbol: SizeSymbol) -> str:
        """The size where no input has it."""


class MainRoot(Root):
    """The graph of the model; constants are its initializers."""

    def add_constant(self, name: str, array: Array) -> None:
        """They are written with the file."""

    def missing(self, symbol: SizeSymbol) -> str:
        raise CaptureError("E466", f"the size {symbol.name} stands in no input, so that ONNX cannot know it")


class FunctionRoot(Root):
    """The graph of a function of the model."""

    def __init__(self, whole: ModelState) -> None:
        super().__init__(whole)
        self.more: dict[SizeSymbol, str] = {}
        """Sizes that it takes besides."""

    def add_constant(self, name: str, array: Array) -> None:
        value = {"name": "value", "type": 4, "t": tensor("", array)}
        self.nodes.append({"op": "Constant", "input": [], "output": [name], "attr": [value]})

    def missing(self, symbol: SizeSymbol) -> str:
        self.more[symbol] = self.fresh("size")
        return self.more[symbol]


class NodeWriter:
    """Writes graphs of ours as nodes of one graph of the file."""

    nodes: list[Message]
    root: Root
    whole: ModelState

    def __init__(self, root: Root, nodes: list[Message]) -> None:
        self.root, self.nodes, self.whole = root, nodes, root.whole
        self.entries: dict[Value, FileValue] = {}
        self.checks: list[str] = []
        """Truths without which the graph has no results."""
        self.makers: dict[Value, Node] = {}
        self.readers: dict[Value, list[Node]] = {}
        self.constants: Mapping[Value, Array] = {}
        self.outputs: set[Value] = set()
        self.done: set[Node] = set()
        """Nodes that another one's operator stands for, too."""

    @property
    def opset(self) -> int:
        """The operator set that is written."""
        return self.whole.opset

    def refuse(self, what: str, loc: SourceLoc | None, help: str = "") -> NoReturn:
        """Raise the error that ONNX has no counterpart."""
        text = f"{what} has no counterpart in ONNX" + ("" if help else f" (operator set {self.opset})")
        more = 'format="archive" and "library" hold it'
        raise CaptureError("E466", text, loc=loc, help=f"{help}; {more}" if help else more)

    # ---------------------------------------------------------------------------------------------------------- graphs

    def inside(self, graph: Graph, entries: Sequence[FileValue]) -> list[FileValue]:
        """Write a graph in its place, for these inputs; return its outputs."""
        inner = self.within(graph, entries)
        return [inner.entry(value) for value in graph.outputs]

    def within(self, graph: Graph, entries: Sequence[FileValue]) -> NodeWriter:
        """Write a graph in its place; return the writer, which knows its values."""
        inner = NodeWriter(self.root, self.nodes)
        inner.checks = self.checks
        inner.entries.update(zip(graph.inputs, entries, strict=True))
        inner.walk(graph)
        return inner

    def walk(self, graph: Graph) -> None:
        """Write the nodes of a graph that its outputs need."""
        self.constants = graph.constants
        for value, array in graph.constants.items():
            if value not in self.entries:
                self.entries[value] = FileValue(self.root.constant(numpy.asarray(array)), value.type.shape)
        nodes = needed(graph.nodes, set(graph.outputs), lambda node: effect_of(node.op) is Effect.WORLD)
        self.makers = {value: node for node in nodes for value in node.outputs}
        self.readers = readers_of(nodes)
        self.outputs = set(graph.outputs)
        for node in nodes:
            if node not in self.done:
                self.node(node)

    def quotient(self, value: Value, count: Any) -> Node | None:
        """The node that alone reads a value, and divides it by a number; None: there is none."""
        (reader, *others) = self.readers.get(value, [None])
        if reader is None or others or value in self.outputs or not isinstance(reader.op, ops.Div):
            return None
        divisor = reader.inputs[1]
        while divisor in self.makers and isinstance(self.makers[divisor].op, ops.Broadcast | ops.Reshape):
            (divisor,) = self.makers[divisor].inputs
        array = self.constants.get(divisor)
        return reader if array is not None and array.size and (array == count).all() else None

    def node(self, node: Node) -> None:
        """Write one node."""
        op: Any = node.op
        short = any(value.type.dtype == bfloat16 for value in (*node.inputs, *node.outputs))
        if isinstance(op, ops.Composite):
            layer = None if short else self.whole.by_labels.get(op.label)
            if layer is None or not layer(self, node, dict(op.attributes)):
                self.call(node, op.label, op.body)
            return
        write = self.whole.by_ops.get(type(op))
        if write is None:
            self.refuse(f"the operation {op.name}", node.loc)
        if short and node.inputs and not op.graphs and not isinstance(op, ops.Cast) and not op.view:
            self.widened(node)
        else:
            write(self, node, op)

    def widened(self, node: Node) -> None:
        """Write a node of short floats as float32 that is rounded: few operators take bfloat16."""
        op: Any = node.op

        def wide(value: Value) -> TensorType:
            return value.type.with_dtype(float32) if value.type.dtype in (bfloat16, float16) else value.type

        graph = make_graph(lambda *xs: ops.bind(op, *xs), [wide(value) for value in node.inputs])
        entries = [
            entry if wide(value) is value.type else FileValue(self.cast(entry.name, float32), entry.shape)
            for value, entry in zip(node.inputs, map(self.entry, node.inputs), strict=True)
        ]
        for value, entry in zip(node.outputs, self.inside(graph, entries), strict=True):
            short = wide(value) is not value.type
            self.entries[value] = FileValue(self.cast(entry.name, value.type.dtype), entry.shape) if short else entry

    def call(self, node: Node, label: str, body: Graph) -> None:
        """Write a node as a call of a function of the model, which is what it is made of."""
        names = [self.full(value) for value in node.inputs]
        function = self.function(label, body)
        outputs = [self.root.fresh(_word(label)) for _ in node.outputs]
        inputs = [*names, *map(self.root.symbol, function.symbols)]
        self.nodes.append(
            {"op": function.name, "name": outputs[0], "input": inputs, "output": outputs, "domain": DOMAIN}
        )
        for value, name in zip(node.outputs, outputs, strict=True):
            self.entries[value] = FileValue(name, value.type.shape)

    def function(self, label: str, body: Graph) -> ModelFunction:
        """The function of the model for a body; equal ones are one."""
        whole = self.whole
        key = (label, body.fingerprint)
        if key not in whole.functions:
            root = FunctionRoot(whole)
            inputs = [root.unique(_word(value.name or f"x{k}")) for k, value in enumerate(body.inputs)]
            root.sources.update(zip(inputs, (value.type for value in body.inputs), strict=True))
            writer = NodeWriter(root, root.nodes)
            entries = [FileValue(name, value.type.shape) for name, value in zip(inputs, body.inputs, strict=True)]
            writer.entries.update(zip(body.inputs, entries, strict=True))
            writer.walk(body)
            outputs = writer.results(body.outputs, [f"y{k}" for k in range(len(body.outputs))])
            word = _word(label)
            count = sum(one.name == word or one.name.startswith(f"{word}_") for one in whole.functions.values())
            name = f"{word}_{count + 1}" if count else word
            whole.functions[key] = ModelFunction(name, tuple(root.more))
            whole.messages.append({
                "name": name, "domain": DOMAIN, "input": [*inputs, *root.more.values()], "output": outputs,
                "node": live(root.nodes, outputs), "opsets": whole.opsets(),
            })  # fmt: skip
        return whole.functions[key]

    def results(self, values: Sequence[Value], names: Sequence[str]) -> list[str]:
        """Give outputs names that nothing else has: each is a value that its graph makes."""
        outputs = [self.root.unique(name) for name in names]
        for value, name in zip(values, outputs, strict=True):
            source = self.checked(self.full(value), value.type.dtype)
            self.append("Identity", [source], [name])
        return outputs

    def require(self, failed: str, message: str) -> None:
        """Let the model fail where a truth holds, as by an index that leaves an array of one element.

        ONNX has no operator that does. The results of the graph depend on it, so that it is not left out; runtimes put
        the name of the node into their message, which is what the error would say.
        """
        number = self.add("Where", [failed, self.constant(1), self.constant(0)])
        nothing = self.root.fresh("check")
        self.append("Gather", [self.constant([0]), number], [nothing], axis=0)
        self.nodes[-1]["name"] = self.root.unique(message)
        self.checks.append(self.add("Equal", [nothing, self.constant(0)]))

    def checked(self, name: str, dtype: DType) -> str:
        """A result, which is there only if all checks hold."""
        while len(self.checks) > 1:
            self.checks[:2] = [self.add("And", self.checks[:2])]
        return self.choice(self.checks[0], name, name, dtype) if self.checks else name

    def body(self, inputs: Sequence[Message], name: str) -> InnerWriter:
        """Begin a graph that is an attribute of a node: it may read all that is written so far."""
        return InnerWriter(self.root, inputs, name)

    # ---------------------------------------------------------------------------------------------------------- values

    def entry(self, value: Value) -> FileValue:
        """A value as it is in the file."""
        return self.entries[value]

    def full(self, value: Value) -> str:
        """The name of a value of all elements; it is stretched now if it has not been so far."""
        entry, shape = self.entries[value], value.type.shape
        if len(entry.shape) != len(shape) or not surely_same(entry.shape, shape):
            entry = FileValue(self.add("Expand", [entry.name, self.shape(shape)]), shape)
            self.entries[value] = entry
        return entry.name

    def known(self, value: Value) -> Array | None:
        """The elements of a value that is a constant, as it is in the file; None where it is computed."""
        return self.root.arrays.get(self.entries[value].name)

    def put(self, node: Node, *names: str) -> None:
        """Say what the results of a node are, of all elements."""
        for value, name in zip(node.outputs, names, strict=True):
            self.entries[value] = FileValue(name, value.type.shape)

    def alias(self, value: Value, other: Value) -> None:
        """Say that `other` is the same as `value`."""
        self.entries[other] = self.entries[value]

    def constant(self, number: Any, dtype: DType = int64) -> str:
        """The name of a constant."""
        return self.root.constant(numpy.asarray(number, dtype))

    def add(self, op: str, inputs: Sequence[str], count: int = 1, **attributes: Any) -> Any:
        """Add a node; return the name of its result, or the names of several."""
        outputs = [self.root.fresh(op.lower()) for _ in range(count)]
        self.append(op, inputs, outputs, **attributes)
        return outputs[0] if count == 1 else outputs

    def append(self, op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> None:
        """Add a node whose outputs have names."""
        attr = [attribute(name, value) for name, value in attributes.items() if value is not None]
        self.nodes.append({"op": op, "name": outputs[0], "input": list(inputs), "output": list(outputs), "attr": attr})

    def cast(self, name: str, dtype: DType) -> str:
        """A value as another dtype."""
        cast: str = self.add("Cast", [name], to=NUMBERS[dtype])
        return cast

    def transposed(self, name: str, order: Sequence[int]) -> str:
        """A value with its axes in another order."""
        if tuple(order) == tuple(range(len(order))):
            return name
        turned: str = self.add("Transpose", [name], perm=tuple(order))
        return turned

    def carried(self, op: str, names: Sequence[str], dtype: DType, **attributes: Any) -> str:
        """Add a node whose operands and result are of a dtype; in another one where there is no code for it."""
        carrier = CARRIERS.get(op, {}).get(dtype.name)
        if carrier is None:
            result: str = self.add(op, names, **attributes)
            return result
        return self.cast(self.add(op, [self.cast(name, carrier) for name in names], **attributes), dtype)

    def choice(self, condition: str, x: str, y: str, dtype: DType) -> str:
        """`x` where a condition holds, else `y`."""
        carrier = CARRIERS["Where"].get(dtype.name)
        if carrier is None:
            result: str = self.add("Where", [condition, x, y])
            return result
        return self.cast(self.add("Where", [condition, self.cast(x, carrier), self.cast(y, carrier)]), dtype)

    # ----------------------------------------------------------------------------------------------------------- sizes

    def size_of_axis(self, name: str, axis: int) -> str:
        """The size of an axis of a value, as i64[1]."""
        if self.opset >= 15:
            size: str = self.add("Shape", [name], start=axis, end=axis + 1)
            return size
        part: str = self.add("Gather", [self.add("Shape", [name]), self.constant([axis])], axis=0)
        return part

    def size(self, size: Any) -> str:
        """The name of a size, as i64[1]."""
        if not dims.is_symbolic(size):
            return self.constant([size])
        sizes = self.root.sizes
        if size.key not in sizes:
            sizes[size.key] = NodeWriter(self.root, self.root.nodes)._sum(size)
        return sizes[size.key]

    def _sum(self, size: Dim) -> str:
        total = self.constant([size.constant]) if size.constant else None
        for monomial, coefficient in size.terms.items():
            term = self.constant([coefficient]) if coefficient != 1 or not monomial else None
            for atom in monomial:
                factor = self._atom(atom)
                term = factor if term is None else self.add("Mul", [term, factor])
            assert term is not None
            total = term if total is None else self.add("Add", [total, term])
        assert total is not None
        return total

    def _atom(self, atom: Any) -> str:
        if isinstance(atom, SizeSymbol):
            return self.root.symbol(atom)
        x, y = self.size(atom.x), self.size(atom.divisor)
        if isinstance(atom, Larger):
            larger: str = self.add("Max", [x, y])
            return larger
        if isinstance(atom, Remainder):
            rest: str = self.add("Mod", [x, y])
            return rest
        assert isinstance(atom, Division)
        if dims.bounds(atom.x)[0] < 0 or dims.bounds(atom.divisor)[0] < 0:  # ONNX cuts off towards 0
            x = self.add("Sub", [x, self.add("Mod", [x, y])])
        quotient: str = self.add("Div", [x, y])
        return quotient

    def shape(self, sizes: Sequence[Any]) -> str:
        """The name of a vector of sizes."""
        if dims.known(sizes):
            return self.constant(list(sizes))
        parts: list[str] = []
        numbers: list[int] = []
        for size in [*sizes, None]:
            if size is not None and not dims.is_symbolic(size):
                numbers.append(size)
                continue
            if numbers:
                parts.append(self.constant(numbers))
                numbers = []
            if size is not None:
                parts.append(self.size(size))
        return parts[0] if len(parts) == 1 else self.add("Concat", parts, axis=0)

    def reshaped(self, name: str, old: Sequence[int], new: Sequence[int]) -> str:
        """The elements of a value under another shape."""
        codes = _codes(old, new)
        if codes is not None:
            result: str = self.add("Reshape", [name, self.constant(codes)])
            return result
        zero = any(not dims.is_symbolic(size) and size == 0 for size in new)
        result = self.add("Reshape", [name, self.shape(new)], allowzero=1 if zero else None)
        return result


class InnerWriter(NodeWriter):
    """Writes a graph that is an attribute of a node."""

    name: str
    inputs: list[Message]

    def __init__(self, root: Root, inputs: Sequence[Message], name: str) -> None:
        super().__init__(root, [])
        self.inputs, self.name = list(inputs), name

    def graph(self, graph: Graph, entries: Sequence[FileValue], stay: Sequence[bool] = ()) -> list[FileValue]:
        """Write a graph for these inputs; return its outputs, of all elements but for those that stay what they are."""
        inner = self.within(graph, entries)
        return [
            inner.entry(value) if k < len(stay) and stay[k] else FileValue(inner.full(value), value.type.shape)
            for k, value in enumerate(graph.outputs)
        ]

    def closed(self, entries: Sequence[tuple[str, TensorType]]) -> Message:
        """Return the graph, whose outputs are these values; each passes an Identity, since it must be made inside."""
        outputs = []
        for name, kind in entries:
            output = self.add("Identity", [self.checked(name, kind.dtype)])
            outputs.append(info(output, kind, named=False))
        return {"name": self.name, "node": self.nodes, "input": self.inputs, "output": outputs}


# ------------------------------------------------------------------------------------------------------------ messages


def attribute(name: str, value: Any) -> Message:
    """An attribute of a node."""
    if isinstance(value, bool):
        value = int(value)
    match value:
        case float():
            return {"name": name, "type": 1, "f": value}
        case int():
            return {"name": name, "type": 2, "i": value}
        case str():
            return {"name": name, "type": 3, "s": value.encode()}
        case numpy.ndarray():
            return {"name": name, "type": 4, "t": tensor("", value)}
        case dict():
            return {"name": name, "type": 5, "g": value}
    if any(isinstance(one, str) for one in value):
        return {"name": name, "type": 8, "strings": [one.encode() for one in value]}
    if any(isinstance(one, float) for one in value):
        return {"name": name, "type": 6, "floats": list(value)}
    return {"name": name, "type": 7, "ints": list(value)}


def tensor(name: str, array: Array) -> Message:
    """An array with its elements."""
    flat = numpy.ascontiguousarray(array).reshape(-1)
    return {"name": name, "dims": array.shape, "dtype": NUMBERS[array.dtype], "raw": flat.view(numpy.uint8)}


def info(name: str, kind: TensorType, named: bool = True) -> Message:
    """Name, dtype and sizes of a value; sizes that calls bring have names in a model's inputs and outputs."""
    sizes = [
        {"size": size} if not dims.is_symbolic(size) else {"name": dims.text(size)} if named else {}
        for size in kind.shape
    ]
    return {"name": name, "type": {"tensor": {"dtype": NUMBERS[kind.dtype], "shape": {"dim": sizes}}}}


def live(nodes: Sequence[Message], outputs: Iterable[str]) -> list[Message]:
    """The nodes that outputs depend on, in their order."""
    names = set(outputs)
    result = []
    for node in reversed(nodes):
        if not names.isdisjoint(node["output"]):
            names.update(*(one["input"] for one in every((node,))))
            result.append(node)
    return result[::-1]


def every(nodes: Iterable[Message]) -> Iterator[Message]:
    """Yield nodes, and those of the graphs inside of them."""
    for node in nodes:
        yield node
        for attr in node.get("attr", ()):
            if "g" in attr:
                yield from every(attr["g"]["node"])


def _word(text: str) -> str:
    """A name for something that the text describes."""
    return _WORD.sub("_", text).strip("_") or "x"


def _codes(old: Sequence[int], new: Sequence[int]) -> list[int] | None:
    """`new` for Reshape: 0 where a size that calls bring stays, -1 for one that is what is left; None: not enough."""
    if dims.known(new):
        zero = any(size == 0 for size in new)
        return None if zero else [int(size) for size in new]
    codes = [
        0 if axis < len(old) and dims.is_symbolic(size) and dims.same(size, old[axis]) else
        -1 if dims.is_symbolic(size) else int(size)
        for axis, size in enumerate(new)
    ]  # fmt: skip
    if any(not dims.is_symbolic(size) and size == 0 for size in new) or math.prod(map(dims.hint, new)) == 0:
        return None
    return codes if codes.count(-1) <= 1 else None


def is_bool(value: Value) -> bool:
    """Tell whether a value is of truths."""
    return value.type.dtype == bool_
