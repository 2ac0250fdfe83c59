# SPDX-License-Identifier: Apache-2.0
"""The text form of graphs: printed here, read back here.

    program = ["sizes(" text {"," text} ")"] graph          sizes("n0 in 2.. like 9", "n0*n1-40 > 0")
    graph   = "graph(" [param {"," param}] ") {" {line} "return " [values] "}"
    param   = value [name] ":" type                         %0 "data": f32[2,3]
    line    = [param {"," param} "="] right
    right   = "constant(" (number | [numbers] | "sha256:" digest) ")"
            | word "(" [values] {"," field "=" literal} ")"
            | "composite " label "(" [values] {"," key "=" literal} ", body=" graph ")"
    literal = a Python literal | dtype | graph | "<" size ">"    f32, (1, 2), "text", graph(...) {...}, <2*n0>

Values are numbered in order of definition. Constants of more than 64 elements stand by their digest, and `parse` is
given their arrays; complex ones list both parts of each number. Any op whose parameters are dataclass fields prints; an
op with `label`, `attributes` and `body` is a composite. Names of values are the users' and no part of what a graph is:
the fingerprint leaves them out.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy

from hybridize.base import dims
from hybridize.base.dims import Dim, parse_scope
from hybridize.base.dims import parse as parse_size
from hybridize.base.dtypes import BY_CODE, CODES
from hybridize.base.errors import GraphError, HybridizeError
from hybridize.base.types import TensorType
from hybridize.graph.ir import PRINTER, Array, Builder, Graph, Node, Value, hashed

INLINE = 64
"""Elements up to which constants stand in the text themselves."""


def print_graph(graph: Graph, *, names: bool = True) -> str:
    """The text of `graph`, with or without the users' names of its values."""
    text = _Printer(names).graph(graph, "")
    scope = graph.scope
    return text if scope is None else f"sizes({', '.join(map(json.dumps, scope.lines()))})\n{text}"


class _Printer:
    """Prints one graph and the graphs inside; types and ops that come again are not formatted again."""

    def __init__(self, names: bool) -> None:
        self._names = names
        self._types: dict[TensorType, str] = {}
        self._ops: dict[int, tuple[Any, str]] = {}

    def graph(self, graph: Graph, indent: str) -> str:
        numbers: dict[Value, str] = {}
        inner = indent + "  "
        head = ", ".join(self._defined(value, numbers) for value in graph.inputs)
        lines = [f"graph({head}) {{"]
        for value, array in graph.constants.items():
            lines.append(f"{inner}{self._defined(value, numbers)} = constant({_constant_text(array)})")
        for node in graph.nodes:
            operands = ", ".join([numbers[value] for value in node.inputs])
            left = ", ".join([self._defined(value, numbers) for value in node.outputs])
            lines.append(f"{inner}{left}{' = ' if left else ''}{self._right(node, operands, inner)}")
        lines.append(f"{inner}return {', '.join([numbers[value] for value in graph.outputs])}".rstrip())
        lines.append(indent + "}")
        return "\n".join(lines)

    def _defined(self, value: Value, numbers: dict[Value, str]) -> str:
        number = numbers[value] = f"%{len(numbers)}"
        text = self._types.get(value.type)
        if text is None:
            text = self._types[value.type] = str(value.type)
        if value.name and self._names:
            return f"{number} {json.dumps(value.name)}: {text}"
        return f"{number}: {text}"

    def _right(self, node: Node, operands: str, indent: str) -> str:
        known = self._ops.get(id(node.op))
        if known is None:
            # The op is kept with its text, so that its id cannot become another's.
            known = self._ops[id(node.op)] = (node.op, self._op(node.op, indent))
        template = known[1]
        if operands and template.find("(\0)") < 0:
            operands += ", "
        return template.replace("\0", operands, 1)

    def _op(self, op: Any, indent: str) -> str:
        """The op, with a NUL where the operands go."""
        if hasattr(op, "label"):
            parts = [f"{key}={self._literal(value, indent)}" for key, value in op.attributes]
            return f"composite {_word(op.label)}(\0{', '.join([*parts, f'body={self.graph(op.body, indent)}'])})"
        parts = [f"{name}={self._literal(getattr(op, name), indent)}" for name in field_names(type(op))]
        return f"{op.name}(\0{', '.join(parts)})"

    def _literal(self, value: Any, indent: str) -> str:
        if isinstance(value, Graph):
            return self.graph(value, indent)
        if isinstance(value, numpy.dtype):
            return CODES[value]
        if isinstance(value, tuple):
            return f"({', '.join(self._literal(part, indent) for part in value)}{',' if len(value) == 1 else ''})"
        if isinstance(value, str):
            return json.dumps(value)
        return f"<{dims.text(value)}>" if dims.is_symbolic(value) else repr(value)


def field_names(op: Any) -> tuple[str, ...]:
    """Names of the parameters of a class of ops."""
    known = _fields.get(op)
    if known is None:
        parts = dataclasses.fields(op) if dataclasses.is_dataclass(op) else ()
        known = _fields[op] = tuple(part.name for part in parts)
    return known


_fields: dict[Any, tuple[str, ...]] = {}


def _word(label: str) -> str:
    return label if label.isascii() and label.isidentifier() else json.dumps(label)


def _constant_text(array: Array) -> str:
    if array.size > INLINE:
        return f"sha256:{digest(array)}"
    if array.dtype.kind == "c":
        array = array.astype(numpy.complex128).reshape(-1).view(numpy.float64)
    values = array.astype(numpy.float64) if array.dtype.kind in "fV" else array
    return repr(values.tolist() if array.ndim == 0 else values.ravel().tolist())


def digest(array: Array) -> str:
    """Hash the type and the bytes of a large constant, in whose place it is printed (zeros of two shapes differ)."""
    kind = str(TensorType(array.shape, array.dtype))
    return hashed(kind.encode(), numpy.ascontiguousarray(array).view(numpy.uint8).data)


PRINTER.fill(print_graph)


def parse(
    text: str,
    ops: Mapping[str, Callable[..., Any]],
    constants: Mapping[str, Array] | None = None,
    inputs: Sequence[Value] = (),
    symbols: Mapping[str, Dim] | None = None,
) -> Graph:
    """Read a graph back.

    Args:
        text: as printed.
        ops: classes of ops by their words; `composite` makes composites from label, attributes and body.
        constants: arrays of the constants that stand by their digest.
        inputs: what the graph is to have as its inputs, where they are there already.
        symbols: the size symbols of those, by name.

    Raises:
        GraphError E903: the text is no graph; the message names the line.
    """
    parser = _Parser(text, ops, constants or {})
    try:
        graph = parser.program(inputs, symbols)
    except HybridizeError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        # Text comes from files: whatever an op makes of parameters and operands that are none, it is no graph.
        raise parser.error(f"{type(error).__name__}: {error}") from error
    return graph


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<value>%\d+)
    | (?P<type>[a-z]+\d*\[[^\]\n]*\])
    | <(?P<size>[^>\n]*)>
    | (?P<digest>sha256:[0-9a-f]{64})
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<number>[-+]?(?:inf\b|nan\b|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))
    | (?P<word>[A-Za-z_]\w*)
    | (?P<mark>[(){}\[\],:=])
    )""",
    re.VERBOSE,
)
RESERVED = frozenset({"constant", "return"})
"""Words at the begin of a line that are no ops."""
_WORDS = {"True": True, "False": False, "None": None}


class _Parser:
    """Recursive descent over tokens; every failure is a GraphError that names the line."""

    def __init__(self, text: str, ops: Mapping[str, Callable[..., Any]], constants: Mapping[str, Array]) -> None:
        self._text = text
        self._ops = ops
        self._constants = constants
        self._position = self._start = 0
        self._kind = self._token = ""
        self._symbols: Mapping[str, Dim] = {}
        self._advance()

    def _advance(self) -> str:
        """The current token; steps to the next one."""
        token = self._token
        match = _TOKEN.match(self._text, self._position)
        if match is None:
            rest = self._text[self._position :].strip()
            if rest:
                raise self.error(f"{rest[:20]!r} is not a word of a graph")
            self._kind, self._token = "end", ""
        else:
            self._kind = match.lastgroup or ""
            self._token, self._position = match[self._kind], match.end()
            self._start = match.start(self._kind)
        return token

    def error(self, what: str) -> GraphError:
        """The error that names the line of the token, or of the statement, that is being read."""
        line = self._text.count("\n", 0, self._start) + 1
        return GraphError("E903", f"line {line} of a graph's text: {what}", help="write it as str(graph) prints it")

    def _expect(self, token: str) -> None:
        if self._token != token:
            raise self.error(f"expected {token!r}, found {self._token!r}")
        self._advance()

    def _take(self, kind: str) -> str:
        if self._kind != kind:
            raise self.error(f"expected a {kind}, found {self._token!r}")
        return self._advance()

    def _accept(self, token: str) -> bool:
        matches = self._token == token and self._kind != "string"
        if matches:
            self._advance()
        return matches

    def _items(self, closing: str) -> Iterator[None]:
        """Stop at each item up to a closing mark, and go on behind it: commas stand between them."""
        while not self._accept(closing):
            yield
            if self._token != closing:
                self._expect(",")

    def program(self, inputs: Sequence[Value], symbols: Mapping[str, Dim] | None) -> Graph:
        """The graph, which may say of its sizes; nothing may follow."""
        if self._accept("sizes"):
            self._expect("(")
            lines = [json.loads(self._take("string")) for _ in self._items(")")]
            self._symbols = symbols if symbols is not None else parse_scope(lines)[1]
        graph = self.graph(inputs)
        if self._kind != "end":
            raise self.error(f"{self._token!r} after the end")
        return graph

    def graph(self, inputs: Sequence[Value] = ()) -> Graph:
        self._expect("graph")
        self._expect("(")
        builder = Builder()
        values: dict[str, Value] = {}
        for _ in self._items(")"):
            number, name, kind = self._param()
            if inputs:
                builder.inputs.append(self._input(inputs, len(builder.inputs), kind))
            else:
                builder.input(kind, name)
            self._define(values, number, builder.inputs[-1])
        self._expect("{")
        while not self._accept("return"):
            self._line(builder, values)
        outputs = self._values(values)
        self._expect("}")
        return builder.finish(outputs)

    def _input(self, inputs: Sequence[Value], number: int, kind: TensorType) -> Value:
        if number >= len(inputs) or str(inputs[number].type) != str(kind):
            raise self.error(f"input {number} is {kind}, which it is not by what else is known")
        return inputs[number]

    def _param(self) -> tuple[str, str, TensorType]:
        number = self._take("value")
        name = json.loads(self._advance()) if self._kind == "string" else ""
        self._expect(":")
        return number, name, TensorType.parse(self._take("type"), self._symbols)

    def _define(self, values: dict[str, Value], number: str, value: Value) -> None:
        if number in values:
            raise self.error(f"{number} is defined twice")
        values[number] = value

    def _values(self, values: dict[str, Value]) -> list[Value]:
        """Operands, and the comma after them if a field follows."""
        operands = []
        while self._kind == "value":
            number = self._advance()
            if number not in values:
                raise self.error(f"{number} is used before it is defined")
            operands.append(values[number])
            if not self._accept(","):
                break
        return operands

    def _line(self, builder: Builder, values: dict[str, Value]) -> None:
        start = self._start
        left = []
        if self._kind == "value":
            left.append(self._param())
            while self._accept(","):
                left.append(self._param())
            self._expect("=")
        word = self._take("word")
        if word == "constant" and len(left) == 1:
            self._constant(builder, values, left[0])
            return
        label = None
        if word == "composite":
            label = json.loads(self._advance()) if self._kind == "string" else self._take("word")
        self._expect("(")
        operands = self._values(values)
        fields = self._fields()
        self._start, following = start, self._start
        outputs = builder.add(self._op(word, label, fields), operands)
        if tuple(value.type for value in outputs) != tuple(kind for _, _, kind in left):
            kinds = ", ".join(str(value.type) for value in outputs)
            raise self.error(f"{word} gives {kinds}, not {', '.join(str(kind) for _, _, kind in left)}")
        for (number, name, _), value in zip(left, outputs, strict=True):
            value.name = name
            self._define(values, number, value)
        self._start = following

    def _op(self, word: str, label: str | None, fields: dict[str, Any]) -> Any:
        if word not in self._ops:
            raise self.error(f"no op is called {word}")
        if label is not None:
            body = fields.pop("body", None)
            fields = {"label": label, "attributes": tuple(fields.items()), "body": body}
        op = self._ops[word](**fields)
        for field in dataclasses.fields(op):
            if not PARAMETERS[str(field.type)](getattr(op, field.name)):
                raise self.error(f"{word}: {field.name}={getattr(op, field.name)!r} is not a {field.type}")
        return op

    def _constant(self, builder: Builder, values: dict[str, Value], left: tuple[str, str, TensorType]) -> None:
        number, name, kind = left
        self._expect("(")
        if self._kind == "digest":
            key = self._advance().removeprefix("sha256:")
            if key not in self._constants:
                raise self.error(f"the constant {key} is not among those given")
            array = self._constants[key]
            if array.shape != kind.shape or array.dtype != kind.dtype:
                raise self.error(f"the constant {key} is {TensorType(array.shape, array.dtype)}, not {kind}")
        else:
            try:
                literal = self._literal()
                if kind.dtype.kind == "c":
                    literal = numpy.array(literal, numpy.float64).view(numpy.complex128)
                array = numpy.array(literal, kind.dtype).reshape(kind.shape)
            except (ValueError, TypeError, OverflowError) as error:
                raise self.error(f"a constant: {error}") from None
        self._expect(")")
        self._define(values, number, builder.constant(array, name))

    def _fields(self) -> dict[str, Any]:
        """`name=literal` up to the closing parenthesis."""
        fields: dict[str, Any] = {}
        for _ in self._items(")"):
            name = self._take("word")
            self._expect("=")
            fields[name] = self._literal()
        return fields

    def _literal(self) -> Any:
        kind, token = self._kind, self._token
        if token == "graph" and kind == "word":
            return self.graph()
        if kind == "mark" and token in "([":
            return self._sequence(")" if token == "(" else "]")
        self._advance()
        match kind:
            case "string":
                return json.loads(token)
            case "size":
                return parse_size(token, self._symbols)
            case "number":
                return float(token) if re.search(r"[.enf]", token, re.IGNORECASE) else int(token)
            case "word" if token in _WORDS:
                return _WORDS[token]
            case "word" if token in BY_CODE:
                return BY_CODE[token]
            case "word" if token in ("inf", "nan"):
                return float(token)
        raise self.error(f"{token!r} is not a literal")

    def _sequence(self, closing: str) -> Sequence[Any]:
        self._advance()
        parts = [self._literal() for _ in self._items(closing)]
        return tuple(parts) if closing == ")" else parts


def _is_whole(value: Any) -> bool:
    return type(value) is int or dims.is_symbolic(value)


def _are_whole(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_is_whole, value))


PARAMETERS: Mapping[str, Callable[[Any], bool]] = {
    "int": _is_whole,
    "Shape": _are_whole,
    "Steps": _are_whole,
    "tuple[int, ...]": _are_whole,
    "bool": lambda value: type(value) is bool,
    "float": lambda value: type(value) is float,
    "str": lambda value: isinstance(value, str),
    "DType": lambda value: isinstance(value, numpy.dtype),
    "DType | None": lambda value: value is None or isinstance(value, numpy.dtype),
    "Graph": lambda value: isinstance(value, Graph),
    "Attributes": lambda value: isinstance(value, tuple),
}
"""Annotations of an op's parameters that text can hold, each with a test of a value that was read."""
