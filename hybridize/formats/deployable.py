# SPDX-License-Identifier: Apache-2.0
"""`Deployable`: a saved program as what runs without Python sees it: named arrays in, named arrays out, constants.

    deployable(program) -> Deployable          in: `SavedProgram`; out: what C libraries and WebAssembly are made from

Nested arguments and results are flat here, weights are constants of the graphs, and a number is an array without axes.
What Python alone can do (constants among the arguments, classes of containers) is settled once, or refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dims import SizeScope
from hybridize.base.errors import CaptureError, StateError
from hybridize.base.frozen import changed, frozen
from hybridize.base.loading import LOADING
from hybridize.base.nested import Structure
from hybridize.base.types import TensorType
from hybridize.formats.saved import CheckedCall, SavedProgram, SavedSignature
from hybridize.graph import Graph, Value, sizes_of
from hybridize.runtime.buffers import dense

_WORD = re.compile(r"\W+", re.ASCII)


@frozen
class Tensor:
    """An array that goes in or out."""

    name: str
    """Unique among the inputs, or the outputs: an identifier in C."""
    type: TensorType
    """Of the most general variant; sizes that are the call's are dims of its scope."""


@frozen(eq=False)
class State:
    """An array that a call reads and leaves changed: the random generator's words, running statistics."""

    name: str
    """Its key among the weights."""
    initial: NDArray[Any]


@frozen(eq=False)
class Variant:
    """One graph for calls of some sizes."""

    graph: Graph
    """Inputs: the arguments, then the states that this variant reads. Outputs: the results, then the arguments that are
    written, then the new states. Weights are among its constants."""
    states: tuple[int, ...]
    """For each of those inputs, its state: a position in `Deployable.states`."""
    new_states: tuple[int, ...]
    """The states that the last outputs are."""
    samples: tuple[CheckedCall, ...]
    """Inputs: of the arguments. Outputs: of all outputs of the graph."""
    weights: Mapping[Value, str] = field(default_factory=dict)
    """Names of the constants that are weights, by where the function read them."""

    @property
    def scope(self) -> SizeScope | None:
        """The scope of its sizes; None where they are all known."""
        return self.graph.scope


@frozen(eq=False)
class Deployable:
    """A program, ready to be written for another language."""

    name: str
    """An identifier in C."""
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    """The results, then arguments that are written: they come back as arrays of their own."""
    states: tuple[State, ...]
    variants: tuple[Variant, ...]
    """All take arrays of the same dtypes and numbers of axes. A call is for the first that holds for its sizes: those
    of known sizes come first."""
    left_out: tuple[str, ...] = ()
    """Descriptions of the signatures that no variant stands for: other dtypes, numbers of axes, or training."""
    fixed: tuple[str, ...] = ()
    """Values fixed as in the call that was captured, and no input or output: constants, training."""


def deployable(program: SavedProgram) -> Deployable:
    """Turn a saved program into what is exported: inputs, outputs, states and variants, without Python.

    The latest signature that was captured while predicting says what goes in and out, or the one that holds for other
    sizes besides; others that differ from it in sizes alone become further variants.

    Raises:
        StateError E532: there is no signature.
        CaptureError E454: nothing but Python can give the result: it has no arrays, or is a number that never changes.
    """
    if not program.signatures:
        raise StateError("E532", f"{program.name} has no program to export", help="call it once, or use compile(...)")
    chosen, family, left_out = _family(program.signatures)
    if not any(leaf.kind != "constant" for leaf in chosen.result_leaves) and not chosen.writes:
        raise CaptureError("E454", f"{program.name} returns no array to compile", help="return the computed arrays")
    written = {name: program.weights[name] for one in family for name in _written(one)}
    read = {name for one in family for name in one.state}
    written |= {name: program.weights[name] for name in program.settable if name in read}
    states = tuple(State(name, array) for name, array in written.items())
    positions = {state.name: position for position, state in enumerate(states)}
    variants = tuple(_variant(one, program, positions) for one in family)
    inputs, outputs = _inputs_and_outputs(family[-1], program.argument_names)
    fixed = tuple(_fixed(chosen, program.argument_names))
    return Deployable(identifier(program.name), inputs, outputs, states, variants, left_out, fixed)


def _family(
    signatures: Sequence[SavedSignature],
) -> tuple[SavedSignature, list[SavedSignature], tuple[str, ...]]:
    """The signature that says what goes in and out, its variants with the most general last, and what is left out."""
    predicting = [one for one in signatures if not one.training]
    candidates = predicting or list(signatures)
    general = [one for one in candidates if one.graph.scope is not None and _call(one) == _call(candidates[-1])]
    chosen = (general or candidates)[-1]
    alike = {id(one): _alike(one, chosen) for one in candidates}
    family = [one for one in alike.values() if _face(one) == _face(chosen)]
    others = [one for one in signatures if alike.get(id(one)) not in family]
    left_out = tuple(_described(one) for one in others if not any(_covers(member, one) for member in family))
    family.sort(key=lambda one: one.graph.scope is not None)  # stable: the latest exact ones do not move past others
    return chosen, family, left_out


def _inputs_and_outputs(
    general: SavedSignature, argument_names: Sequence[str]
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Name the inputs and outputs, by the most general variant."""
    graph, count = general.graph, _arguments(general)
    inputs = _tensors(_leaf_names(general.arguments, argument_names), general.leaves, graph.inputs[:count])
    results = sum(leaf.kind != "constant" for leaf in general.result_leaves)
    outputs = list(_tensors(_result_names(general.result), general.result_leaves, graph.outputs[:results]))
    names = {one.name for one in outputs}
    for position, value in zip(general.writes, graph.outputs[results:], strict=True):
        if position < count:
            outputs.append(Tensor(_unique(f"{inputs[position].name}_after", names), value.type))
    return inputs, tuple(outputs)


def identifier(name: str) -> str:
    """The nearest name that C takes.

    >>> identifier("my-net.0")
    'my_net_0'
    >>> identifier("größe")
    'grosse'
    """
    if not name.isascii():
        with LOADING:
            import unicodedata  # late: few names have letters that C lacks

        parts = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
        name = "".join(part for part in parts if not unicodedata.combining(part))
    word = _WORD.sub("_", name).strip("_") or "program"
    return f"_{word}" if word[0].isdigit() else word


def _arguments(signature: SavedSignature) -> int:
    return len(signature.graph.inputs) - len(signature.state)


def _call(signature: SavedSignature) -> tuple[Any, ...]:
    """Return a key that calls share whose arguments differ in sizes alone."""
    types = [(value.type.dtype, value.type.ndim) for value in signature.graph.inputs[: _arguments(signature)]]
    constants = [
        (leaf.kind, type(leaf.value), leaf.value if leaf.kind == "constant" else None) for leaf in signature.leaves
    ]
    return str(signature.arguments), repr(constants), types


def _face(signature: SavedSignature) -> tuple[Any, ...]:
    """Return a key that the variants of one program share."""
    count = _arguments(signature)
    types = [(value.type.dtype, value.type.ndim) for value in signature.graph.outputs]
    written = [position if position < count else signature.state[position - count] for position in signature.writes]
    return _call(signature), types, str(signature.result), written


def _alike(signature: SavedSignature, general: SavedSignature) -> SavedSignature:
    """A program whose constant results are outputs, where another that is more general computes them from sizes."""
    if str(signature.result) != str(general.result):
        return signature
    graph = signature.graph
    constants = dict(graph.constants)
    outputs: list[Value] = []
    literals: dict[int, NDArray[Any]] = {}  # by their number among the outputs
    own, computed = iter(graph.outputs), iter(general.graph.outputs)
    for leaf, wanted in zip(signature.result_leaves, general.result_leaves, strict=True):
        if wanted.kind == "constant":
            if leaf != wanted:
                return signature
            continue
        kind = next(computed).type
        if leaf.kind != "constant":
            outputs.append(next(own))
        elif kind.ndim == 0 and isinstance(leaf.value, (bool, int, float)):
            value = Value(kind)
            constants[value] = literals[len(outputs)] = _constant(numpy.array(leaf.value, kind.dtype))
            outputs.append(value)
        else:
            return signature
    if not literals:
        return signature
    samples = []
    for one in signature.samples:
        arrays = iter(one.outputs)
        results = [literals[position] if position in literals else next(arrays) for position in range(len(outputs))]
        samples.append(CheckedCall(one.inputs, (*results, *arrays)))
    return changed(
        signature,
        graph=Graph(graph.inputs, graph.nodes, (*outputs, *own), constants),
        result_leaves=general.result_leaves,
        samples=tuple(samples),
    )


def _described(signature: SavedSignature) -> str:
    inputs = iter(signature.graph.inputs)
    parts = [repr(leaf.value) if leaf.kind == "constant" else str(next(inputs).type) for leaf in signature.leaves]
    return f"({', '.join(parts)}){' while training' if signature.training else ''}"


def _covers(general: SavedSignature, exact: SavedSignature) -> bool:
    """Tell whether a program takes the calls of another, which may only know more of its results."""
    graph, count = general.graph, _arguments(general)
    if graph.scope is None or exact.graph.scope is not None or general.training != exact.training:
        return False
    if str(general.arguments) != str(exact.arguments) or general.leaves != exact.leaves:
        return False
    types = [value.type for value in exact.graph.inputs[: _arguments(exact)]]
    shapes = [kind.shape for kind in types] + [value.type.shape for value in graph.inputs[count:]]
    dtypes = [value.type.dtype for value in graph.inputs[:count]]
    return dtypes == [kind.dtype for kind in types] and sizes_of(graph, shapes) is not None


def _fixed(signature: SavedSignature, parameters: Sequence[str]) -> Iterator[str]:
    """Iterate over the values that a call outside of Python cannot choose or see."""
    if signature.training:
        yield "it is a program of training: dropout is active, and the like"
    sides = (
        ("the argument", _leaf_names(signature.arguments, parameters), signature.leaves),
        ("the result", _result_names(signature.result), signature.result_leaves),
    )
    for side, names, leaves in sides:
        for name, leaf in zip(names, leaves, strict=True):
            if leaf.kind == "constant" and leaf.value is not None:
                yield f"{side} {name} is {leaf.value!r}"


def _written(signature: SavedSignature) -> list[str]:
    """Names of the weights that a call writes."""
    count = _arguments(signature)
    return [signature.state[position - count] for position in signature.writes if position >= count]


def _variant(signature: SavedSignature, program: SavedProgram, positions: dict[str, int]) -> Variant:
    """The graph with what no signature writes as constants, and states after the arguments."""
    graph, count = signature.graph, _arguments(signature)
    arrays: dict[Value, NDArray[Any]] = {}
    weights: dict[Value, str] = {}
    states: list[tuple[int, Value]] = []
    for name, value in zip(signature.state, graph.inputs[count:], strict=True):
        if name in positions:
            states.append((positions[name], value))
        else:
            arrays[value] = _constant(program.weights[name])
            weights[value] = name
    results = len(graph.outputs) - len(signature.writes)
    after = list(zip(signature.writes, graph.outputs[results:], strict=True))
    order = [k for k, (position, _) in enumerate(after) if position < count]
    order += [k for k, (position, _) in enumerate(after) if position >= count]
    outputs = (*graph.outputs[:results], *(after[k][1] for k in order))
    new_states = tuple(positions[signature.state[after[k][0] - count]] for k in order if after[k][0] >= count)
    samples = tuple(
        CheckedCall(one.inputs, (*one.outputs[:results], *(one.outputs[results + k] for k in order)))
        for one in signature.samples
    )
    inputs = (*graph.inputs[:count], *(value for _, value in states))
    bound = Graph(inputs, graph.nodes, outputs, {**graph.constants, **arrays})
    return Variant(bound, tuple(position for position, _ in states), new_states, samples, weights)


def _constant(weight: NDArray[Any]) -> NDArray[Any]:
    """A weight as graphs hold constants: dense, and nobody writes to it."""
    constant = dense(weight).view()
    constant.setflags(write=False)
    return constant


def _tensors(names: Iterable[str], leaves: Sequence[Any], values: Sequence[Value]) -> tuple[Tensor, ...]:
    """Names for the leaves that are arrays of the graph."""
    words: set[str] = set()
    labels = [name for name, leaf in zip(names, leaves, strict=True) if leaf.kind != "constant"]
    return tuple(Tensor(_unique(name, words), value.type) for name, value in zip(labels, values, strict=True))


def _unique(name: str, names: set[str]) -> str:
    word, count = identifier(name), 1
    while word in names:
        word, count = f"{identifier(name)}_{count}", count + 1
    names.add(word)
    return word


def _leaf_names(arguments: Structure, parameters: Sequence[str]) -> list[str]:
    """For each leaf of the arguments, a name."""
    positional, keywords = arguments.children
    named = [(parameters[i] if i < len(parameters) else f"arg{i}", part) for i, part in enumerate(positional.children)]
    named += [(str(key), part) for key, part in zip(keywords.keys, keywords.children, strict=True)]
    return [name for title, part in named for name in _within(title, part)]


def _result_names(result: Structure) -> list[str]:
    """`output` for one result; positions, keys or fields for several."""
    if result.kind in ("leaf", "none"):
        return ["output"] * result.leaves
    return [name for title, part in _parts("output", result) for name in _within(title, part)]


def _within(title: str, part: Structure) -> list[str]:
    if part.kind in ("leaf", "none"):
        return [title] * part.leaves
    return [name for inner, child in _parts(title, part) for name in _within(inner, child)]


def _parts(title: str, part: Structure) -> list[tuple[str, Structure]]:
    keys: Sequence[Any] = part.keys if part.kind == "dict" else range(len(part.children))
    if part.kind == "namedtuple" and part.cls is not None:
        keys = part.cls._fields  # type: ignore[attr-defined]
    if part.kind in ("dict", "namedtuple") and title == "output":
        return [(str(key), child) for key, child in zip(keys, part.children, strict=True)]
    return [(f"{title}_{key}", child) for key, child in zip(keys, part.children, strict=True)]
