# SPDX-License-Identifier: Apache-2.0
"""Writers of graphs, node by node: that of the file, and those of the bodies of loops and branches."""

from __future__ import annotations

import functools
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.dtypes import NO_INDEX, DType, bool_, float32, float64, is_float
from hybridize.base.errors import CaptureError
from hybridize.base.locations import SourceLoc
from hybridize.base.types import Shape, TensorType
from hybridize.formats.mxnet.params import CODES
from hybridize.formats.mxnet.symbol import AUXILIARY, VARIABLE, VERSION, laid_out, tree_of
from hybridize.formats.mxnet.words import (
    BINARY,
    COMPOSITES,
    LOGIC,
    MADE_OF,
    PLAIN,
    REDUCTIONS,
    TRUTHS,
    UNARY,
    Words,
    floor_quotient,
)
from hybridize.graph import Graph, Node, Value, needed
from hybridize.ops import Effect, effect_of
from hybridize.ops.contract import read as read_spec
from hybridize.ops.tracing import make_graph

Entry = tuple[int, int]
_NUMBERS = re.compile(r"\[\n[\d,\s]*\]")
"""Lists of numbers, which are to stand on one line; no string holds a line end."""
_COUNTING = (float32, float64)
"""Dtypes of which MXNet makes indices that are exact."""
_OUTPUTS = {
    "BatchNorm": 3, "Dropout": 2, "InstanceNorm": 3, "LayerNorm": 3, "_contrib_MultiBoxTarget": 3,
    "_contrib_bipartite_matching": 2, "_contrib_box_encode": 2, "_contrib_box_nms": 2,
}  # fmt: skip
"""The numbers of outputs, hidden ones among them, of operators that have several."""


@dataclass(frozen=True)
class SymbolFile:
    """The contents of the two files."""

    text: str
    """JSON."""
    constants: dict[str, NDArray[Any]]
    """Arrays of the graph that became parameters, by name."""
    np_shape: bool
    """True if some value has no elements, which MXNet knows under NumPy's shapes only."""
    auxiliary: frozenset[str]
    """Parameters that MXNet calls auxiliary states."""


@dataclass
class FileState:
    """The state that the graphs of one file share."""

    names: list[str]
    by_means: bool
    by_ops: Mapping[type, Callable[[GraphWriter, Node, Any], None]]
    """Writers of operations that have graphs."""
    by_labels: Mapping[str, Callable[[GraphWriter, Node, Mapping[str, Any]], bool]]
    """Writers of composites that are more than an operator; they tell whether they could."""
    constants: dict[str, NDArray[Any]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    np_shape: bool = False

    def fresh(self, word: str) -> str:
        """Return a name that nothing in the file has."""
        count = self.counters.get(word, 0)
        while f"{word}{count}" in self.names:
            count += 1
        self.counters[word] = count + 1
        return f"{word}{count}"


@dataclass
class GraphWriter(ABC):
    """Makes the nodes of one graph: of the file, or of a body of control flow."""

    whole: FileState
    nodes: list[dict[str, Any]] = field(default_factory=list)
    entries: dict[Value, Entry] = field(default_factory=dict)
    numbers: dict[Value, float] = field(default_factory=dict)
    """Values that are one number everywhere."""
    stretched: dict[Value, Value] = field(default_factory=dict)
    """Broadcast values, and what they are stretched from."""
    waiting: dict[Value, Callable[[], Entry]] = field(default_factory=dict)
    """Inputs and constants that nothing has used so far, and what makes their variables."""
    auxiliary: set[str] = field(default_factory=set)
    indices: set[Node] = field(default_factory=set)
    """The nodes that make indices of numbers, NaN being out of bounds."""
    means: set[Node] = field(default_factory=set)
    """Sums that are divided by the number of their terms, and those divisions: `mean` takes any number."""

    # ------------------------------------------------------------------------------------------------------ variables

    @abstractmethod
    def constant(self, array: NDArray[Any]) -> Entry:
        """Return the entry of an array that becomes a parameter."""

    def variable(self, name: str, kind: TensorType | None = None) -> Entry:
        """Add a variable; `kind` is that of a parameter."""
        attributes: dict[str, Any] = {}
        if kind is not None:
            attributes = {"__dtype__": CODES[kind.dtype], "__shape__": kind.shape or (1,)}
            self.saw(kind)
        self.nodes.append(tree_of(VARIABLE, name, (), attributes))
        return len(self.nodes) - 1, 0

    def saw(self, kind: TensorType) -> None:
        self.whole.np_shape = self.whole.np_shape or 0 in kind.shape

    def refuse(self, what: str, loc: SourceLoc | None, remedy: str = "") -> NoReturn:
        raise CaptureError(
            "E467",
            f"{what} has no counterpart in MXNet's files",
            loc=loc,
            help=f"{remedy}net.save(path) writes an archive, which supports it",
        )

    # ---------------------------------------------------------------------------------------------------------- nodes

    def walk(self, graph: Graph) -> None:
        for value, array in graph.constants.items():
            if array.size and (array.reshape(-1) == array.reshape(-1)[0]).all():
                self.numbers[value] = array.reshape(-1)[0].item()
            else:
                self.waiting[value] = functools.partial(self.constant, numpy.asarray(array).reshape(_shape(value)))
        if self.whole.by_means:
            self.means |= _means(graph)
        self.indices |= _indices(graph)
        missing = {value for node in self.indices for value in node.inputs[:2]}
        # without checks of bounds, and what only those need: MXNet's operators take the nearest element
        nodes = [node for node in graph.nodes if not isinstance(node.op, ops.Bounds)]
        for node in needed(nodes, set(graph.outputs), lambda node: effect_of(node.op) is not Effect.PURE):
            if not (isinstance(node.op, ops.Isnan) and node.outputs[0] in missing):
                self.node(node)

    def node(self, node: Node) -> None:
        op: Any = node.op
        if hasattr(op, "label"):
            self.composite(node)
            return
        kind = type(op)
        if kind is ops.Not and node.inputs[0].type.dtype != bool_:
            self.emit("_rminus_scalar", node.outputs, [self.entry(node.inputs[0])], scalar=-1)  # of two's complement
        elif kind in UNARY:
            self.through(node, lambda x: self.add(UNARY[kind], [self.entry(x)]))
        elif kind is ops.Div and node in self.means:
            self.alias(node.inputs[0], node.outputs[0])
        elif kind in BINARY:
            self.binary(node, BINARY[kind])
        elif kind in LOGIC and node.inputs[0].type.dtype == bool_:
            self.binary(node, LOGIC[kind])
        elif kind in MADE_OF:
            types = [value.type for value in node.inputs]
            self.inline(node, make_graph(lambda *xs: [MADE_OF[kind](*xs)], types))
        elif kind in REDUCTIONS:
            word = "mean" if node in self.means else REDUCTIONS[kind]
            self.emit(word, node.outputs, [self.entry(node.inputs[0])], axis=tuple(op.axes), keepdims=False)
        elif kind in PLAIN:
            word, attributes = PLAIN[kind](op, node)
            self.emit(word, node.outputs, [self.entry(value) for value in node.inputs], **attributes)
        else:
            method = getattr(type(self), f"on_{kind.__name__.lower()}", self.whole.by_ops.get(kind))
            if method is None:
                self.refuse(f"the operation {op.name}", node.loc)
            method(self, node, op)

    def composite(self, node: Node) -> None:
        """By its own name where MXNet has it, else by what it is made of."""
        op: Any = node.op
        special = self.whole.by_labels.get(op.label)
        if special is not None and special(self, node, dict(op.attributes)):
            return
        word = COMPOSITES.get(op.label)
        spelled = None if word is None else word(dict(op.attributes), node)
        if spelled is not None and self.has_states(op.label, node):
            name, attributes = spelled
            self.emit(name, node.outputs, [self.entry(value) for value in node.inputs], **attributes)
            return
        self.inline(node, op.body)

    def inline(self, node: Node, body: Graph) -> None:
        """Write a node as what it is made of."""
        self.forget(body)
        for outer, inner in zip(node.inputs, body.inputs, strict=True):
            self.same(outer, inner)
        self.walk(body)
        for outer, inner in zip(node.outputs, body.outputs, strict=True):
            self.same(inner, outer)

    def forget(self, graph: Graph) -> None:
        """Drop what is known of a graph's values from where it was written before, for other inputs."""
        for value in [*graph.inputs, *graph.constants, *(value for node in graph.nodes for value in node.outputs)]:
            for known in (self.entries, self.numbers, self.stretched, self.waiting):
                known.pop(value, None)

    def has_states(self, label: str, node: Node) -> bool:
        """Mark the variables that are auxiliary states; False if one of these is not a variable of the file."""
        if label not in AUXILIARY:
            return True
        entries = [self.entry(value) for value in node.inputs]  # in MXNet's order
        variables = [self.nodes[entries[position][0]] for position in AUXILIARY[label]]
        if any(one["op"] != VARIABLE for one in variables):
            return False
        self.auxiliary |= {one["name"] for one in variables}
        return True

    def same(self, known: Value, value: Value) -> None:
        """`value` is another name of `known`."""
        if known in self.waiting and known not in self.numbers:
            self.entry(known)
        facts: list[dict[Value, Any]] = [self.entries, self.numbers, self.stretched]
        for one in facts:
            if known in one:
                one[value] = one[known]

    def add(self, op: str, inputs: Sequence[Entry], **attributes: Any) -> Entry:
        self.nodes.append(tree_of(op, self.whole.fresh(op.lower().strip("_")), inputs, attributes))
        return len(self.nodes) - 1, 0

    def emit(self, op: str, outputs: Sequence[Value], inputs: Sequence[Entry], **attributes: Any) -> None:
        number, _ = self.add(op, inputs, **attributes)
        for position, value in enumerate(outputs):
            self.entries[value] = (number, position)
            self.saw(value.type)

    def entry(self, value: Value) -> Entry:
        """The entry of a value in full: what was put off is made now."""
        if value not in self.entries:
            if value in self.waiting:
                self.entries[value] = self.waiting[value]()
                self.saw(value.type)
            elif value in self.numbers:
                number = numpy.full(_shape(value), self.numbers[value], value.type.dtype)
                self.entries[value] = self.constant(number)
            else:
                self.stretch(value)
        return self.entries[value]

    def stretch(self, value: Value) -> None:
        source = self.stretched[value]
        shape, target = _shape(source), value.type.shape
        entry = self.lifted(source, len(target))
        padded = (1,) * (len(target) - len(shape)) + shape
        sizes = tuple(0 if a == b else b for a, b in zip(padded, target, strict=True))
        self.emit("broadcast_to", [value], [entry], shape=sizes)

    def spread(self, value: Value, entry: Entry, shape: Shape) -> None:
        """Say that a value is an entry of a shape that is stretched, which is done where it is needed in full."""
        source = Value(value.type.with_shape(shape))
        self.entries[source] = entry
        self.stretched[value] = source

    def lifted(self, value: Value, axes: int) -> Entry:
        """A value with axes of size 1 in front."""
        entry = self.entry(value)
        for _ in range(axes - len(_shape(value))):
            entry = self.add("expand_dims", [entry], axis=0)
        return entry

    # ----------------------------------------------------------------------------------------------- elementwise pairs

    def binary(self, node: Node, word: Words) -> None:
        x, y = node.inputs
        (result,) = node.outputs
        if x.type.dtype == bool_ and type(node.op) not in TRUTHS:
            self.refuse(f"the operation {node.op.name} of {x.type}", node.loc)
        if y in self.numbers and x not in self.numbers:
            self.emit(word.scalar, node.outputs, [self.entry(x)], scalar=_number(self.numbers[y]))
        elif x in self.numbers and y not in self.numbers:
            self.emit(word.reverse, node.outputs, [self.entry(y)], scalar=_number(self.numbers[x]))
        elif x in self.stretched or y in self.stretched:
            sources = [self.stretched.get(value, value) for value in (x, y)]
            axes = max(len(_shape(source)) for source in sources)
            entry = self.add(word.broadcast, [self.lifted(source, axes) for source in sources])
            shape = numpy.broadcast_shapes(*(source.type.shape for source in sources))
            self.spread(result, self.as_truth(entry, x.type.dtype) if result.type.dtype == bool_ else entry, shape)
            if shape == result.type.shape:
                self.same(self.stretched.pop(result), result)
            return
        else:
            self.emit(word.equal, node.outputs, [self.entry(x), self.entry(y)])
        if result.type.dtype == bool_:
            self.entries[result] = self.as_truth(self.entries[result], x.type.dtype)

    def as_truth(self, entry: Entry, dtype: DType) -> Entry:
        """The 0 and 1 of an operator that compares arrays of a dtype, in that of all such."""
        return entry if dtype in (bool_, float32) else self.add("Cast", [entry], dtype="float32")

    def on_where(self, node: Node, op: Any) -> None:
        """`where` wants three arrays of a shape."""
        if node in self.indices:  # MXNet's operators take numbers of any dtype as indices
            self.alias(node.inputs[2], node.outputs[0])
            return
        full = next((value for value in node.inputs if value in self.entries or value in self.waiting), None)
        if full is None:
            self.emit("where", node.outputs, [self.entry(value) for value in node.inputs])
            return
        zeros: Entry | None = None
        entries = []
        for value in node.inputs:
            if value in self.stretched and value not in self.entries:
                small = self.lifted(self.stretched[value], len(_shape(full)))
                entries.append(self.add("broadcast_like", [small, self.entry(full)]))
                continue
            if value not in self.numbers:
                entries.append(self.entry(value))
                continue
            if zeros is None:
                zeros = self.add("zeros_like", [self.entry(full)])
                if _dtype(full) != _dtype(node.outputs[0]):
                    zeros = self.add("Cast", [zeros], dtype=_dtype(node.outputs[0]).name)
            entries.append(self.add("_plus_scalar", [zeros], scalar=_number(self.numbers[value])))
        self.emit("where", node.outputs, entries)

    # ------------------------------------------------------------------------------------------------- shapes and casts

    def on_broadcast(self, node: Node, op: Any) -> None:
        (x,), (y,) = node.inputs, node.outputs
        if x in self.numbers:
            self.numbers[y] = self.numbers[x]
        elif x.type.shape == y.type.shape:
            self.alias(x, y)
        else:
            self.stretched[y] = self.stretched.get(x, x)

    def alias(self, x: Value, y: Value) -> None:
        self.entries[y] = self.entry(x)

    def on_cast(self, node: Node, op: Any) -> None:
        (x,), (y,) = node.inputs, node.outputs
        if x in self.numbers:
            self.numbers[y] = numpy.asarray(self.numbers[x]).astype(y.type.dtype).item()
        else:
            self.through(node, lambda x: self.converted(x, y.type.dtype))

    def through(self, node: Node, make: Callable[[Value], Entry]) -> None:
        """Write an operation on one operand: where that is stretched, on what it is stretched from."""
        (x,), (y,) = node.inputs, node.outputs
        source = self.stretched.get(x)
        if source is None:
            self.entries[y] = make(x)
        else:
            self.spread(y, make(source), source.type.shape)

    def converted(self, x: Value, dtype: DType) -> Entry:
        """A value in another dtype."""
        if dtype == bool_:
            return self.as_truth(self.add("_not_equal_scalar", [self.entry(x)], scalar=0), x.type.dtype)
        return self.entry(x) if _dtype(x) == dtype else self.add("Cast", [self.entry(x)], dtype=dtype.name)

    def on_reshape(self, node: Node, op: Any) -> None:
        (x,), (y,) = node.inputs, node.outputs
        if x in self.numbers:
            self.numbers[y] = self.numbers[x]
        elif _shape(x) == _shape(y):
            self.alias(x, y)
        elif 0 in x.type.shape:
            self.emit("Reshape", node.outputs, [self.entry(x)], shape=y.type.shape)
        else:
            codes = _reshape_codes(_shape(x), _shape(y))
            inserted = _inserted(_shape(x), _shape(y)) if any(size > 1 for size in codes) else None
            if inserted is None:
                parted = _parted(_shape(x), _shape(y))
                if parted is not None and sum(size > 1 for size in parted) < sum(size > 1 for size in codes):
                    codes = parted
                self.emit("Reshape", node.outputs, [self.entry(x)], shape=codes)
                return
            entry = self.entry(x)
            for axis in inserted:
                entry = self.add("expand_dims", [entry], axis=axis)
            self.entries[y] = entry

    def on_slice(self, node: Node, op: Any) -> None:
        shape = node.inputs[0].type.shape
        bounds = [
            (None, None, None) if (start, stop, step) == (0, size, 1) else (start, None if stop < 0 else stop, step)
            for start, stop, step, size in zip(op.starts, op.stops, op.steps, shape, strict=True)
        ]
        begin, end, step = (tuple(column) for column in zip(*bounds, strict=True))
        self.emit("slice", node.outputs, [self.entry(node.inputs[0])], begin=begin, end=end, step=step)

    def on_floordiv(self, node: Node, op: Any) -> None:
        """MXNet's quotient of integers is one: that of what the rest leaves is exact."""
        (x, y), (result,) = node.inputs, node.outputs
        if is_float(x.type.dtype):
            self.inline(node, make_graph(lambda *xs: [floor_quotient(*xs)], [x.type, y.type]))
            return
        rest, whole = Value(result.type), Value(result.type)
        for kind, operands, value in (
            (ops.Mod, (x, y), rest),
            (ops.Sub, (x, rest), whole),
            (ops.Div, (whole, y), result),
        ):
            self.binary(Node(kind(), operands, (value,), node.loc), BINARY[kind])

    def on_gather(self, node: Node, op: Any) -> None:
        x, index = node.inputs
        self.emit("take", node.outputs, [self.entry(x), self.entry(index)], axis=op.axis, mode="clip")
        if not index.type.ndim:  # which has an axis there
            (y,) = node.outputs
            shape = x.type.shape
            codes = _reshape_codes((*shape[: op.axis], 1, *shape[op.axis + 1 :]), _shape(y))
            self.emit("Reshape", [y], [self.entries[y]], shape=codes)

    def on_contract(self, node: Node, op: Any) -> None:
        """A product of matrices whose axes lie elsewhere: they are transposed to it, and back."""
        spec = read_spec(op.spec)
        x, w = ([index.axis for index in subscripts] for subscripts in spec.operands)
        result = list(range(spec.rank))
        batch = [axis for axis in result if axis in x and axis in w]
        rows, columns = (
            [axis for axis in result if axis in one and axis not in other] for one, other in ((x, w), (w, x))
        )
        inner = [axis for axis in x if axis in w and axis not in result]
        plain = all(map(all, spec.bare)) and len(set(x)) == len(x) == len(w) == len(set(w)) == len(batch) + 2
        if not plain or not len(rows) == len(columns) == len(inner) == 1:
            self.refuse(f"the operation {op.name}", node.loc)
        entries = [
            self.turned(self.entry(value), axes, [*batch, *free, *inner])
            for value, axes, free in zip(node.inputs, (x, w), (rows, columns), strict=True)
        ]
        product = self.add("_linalg_gemm2", entries, transpose_a=False, transpose_b=True)
        self.entries[node.outputs[0]] = self.turned(product, [*batch, *rows, *columns], result)

    def turned(self, entry: Entry, axes: Sequence[Any], wanted: Sequence[Any]) -> Entry:
        """An entry whose axes stand in another order."""
        order = tuple(list(axes).index(axis) for axis in wanted)
        return entry if order == tuple(range(len(order))) else self.add("transpose", [entry], axes=order)

    def on_customgradient(self, node: Node, op: Any) -> None:
        """By what it computes."""
        self.inline(node, op.body)

    def on_argmax(self, node: Node, op: Any) -> None:
        """MXNet gives the position as a float."""
        position = self.add(type(op).__name__.lower(), [self.entry(node.inputs[0])], axis=op.axis)
        self.emit("Cast", node.outputs, [position], dtype="int64")

    on_argmin = on_argmax

    def on_gathernd(self, node: Node, op: Any) -> None:
        """MXNet has the indices of a point along the first axis."""
        x, points = node.inputs
        last = points.type.ndim - 1
        index = self.turned(self.entry(points), range(last + 1), [last, *range(last)])
        self.emit("gather_nd", node.outputs, [self.entry(x), index])

    def on_scatternd(self, node: Node, op: Any) -> None:
        """MXNet has the indices of a point along the first axis, and scatters into zeros."""
        base, points, updates = node.inputs
        last = points.type.ndim - 1
        index = self.turned(self.entry(points), range(last + 1), [last, *range(last)])
        word = "scatter_nd" if op.mode == "set" else "_backward_gather_nd"
        shape = {"shape": base.type.shape}
        values = self.add(word, [self.entry(updates), index], **shape)
        if self.numbers.get(base) == 0:
            self.entries[node.outputs[0]] = values
        elif op.mode == "add":
            self.emit("elemwise_add", node.outputs, [self.entry(base), values])
        else:
            marks = self.add(word, [self.add("ones_like", [self.entry(updates)]), index], **shape)
            self.emit("where", node.outputs, [marks, values, self.entry(base)])

    def on_updateslice(self, node: Node, op: Any) -> None:
        """As a concatenation of the parts around it: MXNet's assignment has no gradient."""
        base, update = node.inputs
        parts = zip(op.starts, op.stops, op.steps, base.type.shape, strict=True)
        cuts = [(axis, *part) for axis, part in enumerate(parts) if part != (0, part[-1], 1, part[-1])]
        if any(step != 1 for *_, step, _ in cuts):
            self.refuse(f"the operation {op.name} with a step", node.loc)
        self.entries[node.outputs[0]] = self.replaced(self.entry(base), self.entry(update), cuts)

    def replaced(self, entry: Entry, update: Entry, cuts: Sequence[tuple[int, ...]]) -> Entry:
        """An entry whose part within some axes is another one."""
        if not cuts:
            return update
        (axis, start, stop, _, size), *rest = cuts

        def part(begin: int, end: int | None) -> Entry:
            return self.add("slice_axis", [entry], axis=axis, begin=begin, end=end)

        parts = [part(0, start)] if start else []
        parts.append(self.replaced(part(start, stop), update, rest) if rest else update)
        parts += [part(stop, None)] if stop < size else []
        return self.add("Concat", parts, dim=axis, num_args=len(parts)) if len(parts) > 1 else parts[0]

    def on_takealongaxis(self, node: Node, op: Any) -> None:
        """As `pick`, which takes one element of each row, from rows that are repeated for all of their indices."""
        x, index = node.inputs
        axes = list(range(x.type.ndim))
        moved = [axis for axis in axes if axis != op.axis] + [op.axis]
        rows, places = (self.turned(self.entry(value), axes, moved) for value in node.inputs)
        wide = self.add("expand_dims", [rows], axis=len(axes) - 1)
        wide = self.add("broadcast_axis", [wide], axis=len(axes) - 1, size=index.type.shape[op.axis])
        elements = self.add("pick", [wide, places], axis=-1, mode="clip")
        self.entries[node.outputs[0]] = self.turned(elements, moved, axes)

    def on_iota(self, node: Node, op: Any) -> None:
        """Indices along an axis of an array that there is, so that they are as many as a call has."""
        (value,) = node.outputs
        known = [x for x in reversed(self.entries) if _dtype(x) in _COUNTING]
        size = op.shape[op.axis]
        source = next(((x, op.axis) for x in known if x.type.shape == op.shape), None) or next(
            ((x, x.type.shape.index(size)) for x in known if size > 1 and size in x.type.shape), None
        )
        if source is None:
            self.waiting[value] = functools.partial(self.constant, numpy.ascontiguousarray(op.reference()[0]))
            return
        like, axis = source
        entry = self.add("_contrib_arange_like", [self.entries[like]], axis=axis)
        if _dtype(like) != op.dtype:
            entry = self.add("Cast", [entry], dtype=op.dtype.name)
        rest = (1,) * (len(op.shape) - op.axis - 1)
        if rest:
            entry = self.add("Reshape", [entry], shape=(-1, *rest))
        self.spread(value, entry, (size, *rest))
        if op.shape == (size,):
            self.same(self.stretched.pop(value), value)

    # --------------------------------------------------------------------------------------------------- control flow

    def body(self, slots: list[Callable[[], Entry]]) -> BodyWriter:
        """Begin a graph in a node of this one, whose inputs are among the slots."""
        return BodyWriter(self.whole, outer=self, slots=slots)


@dataclass
class FileWriter(GraphWriter):
    """Writes the graph of the file."""

    def constant(self, array: NDArray[Any]) -> Entry:
        name = self.whole.fresh("constant")
        array = array.astype(float32) if array.dtype == bool_ else array
        self.whole.constants[name] = array
        return self.variable(name, TensorType(array.shape, array.dtype))

    def file(self, graph: Graph, arguments: int, metadata: Mapping[str, str]) -> SymbolFile:
        """Write a graph whose first inputs are arguments of a call."""
        variables: dict[Value, Entry] = {}
        for position, (value, name) in enumerate(zip(graph.inputs, self.whole.names, strict=True)):
            if position < arguments:
                variables[value] = self.variable(name)
                self.saw(value.type)
                if value.type.dtype == bool_:
                    self.waiting[value] = functools.partial(self.argument, value, variables[value])
                else:
                    self.entries[value] = variables[value]
            else:  # where they are first used, as MXNet orders them
                self.waiting[value] = functools.partial(self.parameter, value, name)
        self.walk(graph)
        heads = [variables.get(value) or self.entry(value) for value in graph.outputs]
        for value in graph.outputs:
            if value.type.dtype == bool_ and value not in variables:
                self.refuse("a result of dtype bool", None)
        attributes: dict[str, list[Any]] = {key: ["str", text] for key, text in metadata.items()}
        attributes["mxnet_version"] = ["int", VERSION]
        if self.whole.np_shape:
            attributes["is_np_shape"] = ["int", 1]
        tree = {**laid_out(self.nodes, map(_outputs_of, self.nodes), heads), "attrs": attributes}
        text = _NUMBERS.sub(lambda match: re.sub(r"\s+", "", match[0]).replace(",", ", "), json.dumps(tree, indent=2))
        return SymbolFile(text + "\n", self.whole.constants, self.whole.np_shape, frozenset(self.auxiliary))

    def argument(self, value: Value, variable: Entry) -> Entry:
        """The entry of an argument where it is computed with."""
        return self.add("Cast", [variable], dtype="float32") if value.type.dtype == bool_ else variable

    def parameter(self, value: Value, name: str) -> Entry:
        return self.argument(value, self.variable(name, value.type))


@dataclass
class BodyWriter(GraphWriter):
    """Makes a graph in a node of control flow, of which the inputs that it uses are variables.

    Inputs are numbered by slots, which all graphs of the node share: for each, what gives its entry outside. A constant
    is a parameter of the file and so an input from outside.
    """

    outer: GraphWriter = field(kw_only=True)
    slots: list[Callable[[], Entry]] = field(kw_only=True)
    variables: dict[int, Entry] = field(default_factory=dict)
    """By slot."""

    def slot(self, number: int) -> Entry:
        """The variable of a slot."""
        if number not in self.variables:
            self.variables[number] = self.variable(self.whole.fresh("outer"))
        return self.variables[number]

    def constant(self, array: NDArray[Any]) -> Entry:
        self.slots.append(functools.cache(lambda: self.outer.constant(array)))
        return self.slot(len(self.slots) - 1)

    def apply(self, graph: Graph, inputs: Sequence[float | Callable[[], Entry]]) -> list[Entry]:
        """Write a graph for inputs that are numbers, or are made when they are used; return its results."""
        self.forget(graph)
        for value, x in zip(graph.inputs, inputs, strict=True):
            if callable(x):
                self.waiting[value] = x
            else:
                self.numbers[value] = x
        self.walk(graph)
        return [self.entry(value) for value in graph.outputs]

    def closed(self, heads: Sequence[Entry]) -> tuple[dict[str, Any], list[int]]:
        """Return the graph of some results, and the slots of its inputs in MXNet's order: as the results need them.

        No result is an input or another result, which MXNet cannot tell apart.
        """
        seen: set[Entry] = set()
        own: list[Entry] = []
        for head in heads:
            again = head in seen or self.nodes[head[0]]["op"] == VARIABLE
            own.append(self.add("_copy", [head]) if again else head)
            seen.add(head)
        order: dict[int, int] = {}
        stack = [(number, False) for number, _ in reversed(own)]
        while stack:
            number, done = stack.pop()
            if done:
                order.setdefault(number, len(order))
            elif number not in order:
                stack.append((number, True))
                stack += [(source, False) for source, _, _ in reversed(self.nodes[number]["inputs"])]
        nodes = [
            {**node, "inputs": [[order[source], output, 0] for source, output, _ in node["inputs"]]}
            for node in (self.nodes[number] for number in order)
        ]
        places = {entry[0]: slot for slot, entry in self.variables.items()}
        inputs = [places[number] for number in order if number in places]
        return laid_out(nodes, map(_outputs_of, nodes), [(order[number], output) for number, output in own]), inputs


def _outputs_of(node: Mapping[str, Any]) -> int:
    """The number of a node's outputs, hidden ones included."""
    if node["op"] == "RNN":
        return 3 if node["attrs"]["mode"] == "lstm" else 2
    if "subgraphs" in node:
        return int(node["attrs"]["num_outputs"])
    return _OUTPUTS.get(node["op"], 1)


def _shape(value: Value) -> tuple[int, ...]:
    """The shape in the file."""
    return value.type.shape or (1,)


def _dtype(value: Value) -> DType:
    """The dtype in the file, of what is computed."""
    return float32 if value.type.dtype == bool_ else value.type.dtype


def _number(number: float) -> float:
    """A number as an attribute."""
    return int(number) if isinstance(number, bool) else number


def _reshape_codes(old: Sequence[int], new: Sequence[int]) -> tuple[int, ...]:
    """`new` for Reshape: leading axes that stay are 0 (copied), the first other that is not 1 is -1 (inferred).

    Where axes of 1 are all that goes, the last one takes them in: a flattened image of one pixel is one of any pixels.
    """
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    if 1 < len(new) == same < len(old):
        return (*(0,) * (same - 1), -1)
    rest = list(new[same:])
    for position, size in enumerate(rest):
        if size != 1:
            rest[position] = -1
            break
    return (0,) * same + tuple(rest)


def _parted(old: Sequence[int], new: Sequence[int]) -> tuple[int, ...] | None:
    """`new` for Reshape by codes that leave other axes open; None where there are none.

    An axis stays (0), is one with the next (-3), or is parted in two (-4, the first part inferred).
    """
    if not old or not new:
        return None if old or new else ()
    joined, split = math.prod(old[:2]), math.prod(new[:2])
    steps: list[tuple[bool, tuple[int, ...], int, int]] = [
        (old[0] == new[0], (0,), 1, 1),
        (len(old) > 1 and joined == new[0], (-3,), 2, 1),
        (len(new) > 1 and split == old[0], (-4, -1, *new[1:2]), 1, 2),
    ]
    for fits, codes, gone, count in steps:
        rest = _parted(old[gone:], new[count:]) if fits else None
        if rest is not None:
            return codes + rest
    return None


def _inserted(old: Sequence[int], new: Sequence[int]) -> list[int] | None:
    """The axes of `new` that `old` has not, all of size 1, in order; None where that is not all that is new."""
    inserted: list[int] = []
    for axis, size in enumerate(new):
        at = axis - len(inserted)
        if at < len(old) and old[at] == size:
            continue
        if size != 1:
            return None
        inserted.append(axis)
    return inserted if len(new) - len(inserted) == len(old) else None


def _indices(graph: Graph) -> set[Node]:
    """The nodes that make indices of numbers, `where(isnan(x), NO_INDEX, cast(x))`."""
    makers = {value: node for node in graph.nodes for value in node.outputs}
    uses = graph.uses()
    nodes: set[Node] = set()
    for node in graph.nodes:
        if not isinstance(node.op, ops.Where):
            continue
        missing, number, index = (makers.get(value) for value in node.inputs)
        known = graph.constants.get(node.inputs[1] if number is None else number.inputs[0])
        if (
            missing is not None
            and index is not None
            and isinstance(missing.op, ops.Isnan)
            and uses[node.inputs[0]] == 1
            and isinstance(index.op, ops.Cast)
            and index.inputs == missing.inputs
            and known is not None
            and (known == NO_INDEX).all()
        ):
            nodes.add(node)
    return nodes


def _means(graph: Graph) -> set[Node]:
    """The sums of a graph that are only divided by the number of their terms, and the divisions."""
    makers = {value: node for node in graph.nodes for value in node.outputs}
    uses = graph.uses()
    nodes: set[Node] = set()

    def maker(value: Value, kind: type) -> Node | None:
        node = makers.get(value)
        return node if node is not None and type(node.op) is kind else None

    for node in graph.nodes:
        if type(node.op) is not ops.Div or node.outputs[0].type.dtype not in (float32, float64):
            continue
        total, count = node.inputs
        while (stretched := maker(count, ops.Broadcast)) is not None:
            (count,) = stretched.inputs
        number = graph.constants.get(count)
        shaped = maker(total, ops.Reshape)
        if shaped is not None and uses[total] == 1:  # keepdims
            (total,) = shaped.inputs
        summed = maker(total, ops.Sum)
        if summed is None or uses[total] != 1 or number is None or number.size != 1:
            continue
        op: Any = summed.op
        if number.item() == math.prod(summed.inputs[0].type.shape[axis] for axis in op.axes):
            nodes |= {summed, node}
    return nodes
