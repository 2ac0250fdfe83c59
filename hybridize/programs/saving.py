# SPDX-License-Identifier: Apache-2.0
"""Captured programs as plain data, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array import random
from hybridize.array.buffer import host_copy
from hybridize.array.device import Device
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.placing import place
from hybridize.base.advice import warn
from hybridize.base.dtypes import REALS
from hybridize.base.errors import ArgumentError, CaptureError, StateError
from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING
from hybridize.base.nested import Structure, flatten, object_classes, unflatten
from hybridize.base.types import TensorType
from hybridize.contract.call import Call
from hybridize.contract.captured import Captured, GivenContainer, Result, Source
from hybridize.formats import ARRAY, OF_ND, Leaf, SavedProgram, SavedSignature
from hybridize.graph import Deferred, Graph, Value
from hybridize.ops.foreign import foreign_nodes
from hybridize.ops.hosted import hosted_nodes
from hybridize.programs import samples as sampled
from hybridize.programs.families import family_key
from hybridize.programs.origins import note_origin
from hybridize.programs.program import Program, described

RANDOM = "random.state"
"""The key of the random generator's words among the weights; no other array has it."""
_NUMBERS: dict[str, type] = {"int": int, "float": float, "bool": bool} | {
    dtype.type.__name__: dtype.type for dtype in REALS
}


def saved(
    name: str, programs: Sequence[Program], parameters: tuple[str, ...], options: Mapping[str, Any],
    names: Mapping[int, str], steps: bool = False,
) -> SavedProgram:  # fmt: skip
    """Programs of one function as plain data, without samples; they share the arrays that they read from outside.

    With `steps` trainers' steps are among them, whose learning rates and counts are arrays as well.
    """
    weights: dict[str, Any] = {}
    keys: dict[int, str] = {}
    signatures = []
    left_out: dict[str, None] = {}
    settable: dict[int, None] = {}
    for one in _computed(name, [program.capture for program in programs], steps):
        captured = one.captured
        left_out.update(dict.fromkeys(one.notes))
        names = {**one.names, **names}
        settable.update((id(array), None) for array in one.settable)
        for node in foreign_nodes(captured.graph):
            op: Any = node.op
            raise CaptureError(
                "E450", f"{op.title} is Python code called by {name}, which a file cannot hold", loc=node.loc,
                help="write this part with functions that can be compiled, or save the parts around it",
            )  # fmt: skip
        for node in hosted_nodes(captured.graph):
            raise CaptureError(
                "E450", f"{node.op.name} in {name} computes with complex numbers in NumPy, which a file cannot hold",
                loc=node.loc, help="save the other parts, which compute with real numbers",
            )  # fmt: skip
        if captured.raises is not None:
            raise CaptureError(
                "E450",
                f"{name} raises a {captured.raises.kinds[0].__name__} for these arguments, which a saved program "
                f"cannot do",
                help="call it only with other arguments before saving",
            )  # fmt: skip
        if captured.decided is not None:
            raise CaptureError(
                "E464",
                f"{name} is specialized on a value that depends on data, at {captured.decided.loc}, which a saved "
                f"program does not check",
                help="keep the sizes, where(mask, x, 0) in place of x[mask], and let branches on data give arrays of "
                "one type; what gradients alone need is not there in a program without them, of torch within no_grad()",
            )
        for structure in (captured.call.structure, captured.structure):
            kinds = object_classes(structure)
            if kinds:
                raise CaptureError(
                    "E464", f"{name} takes or returns a {kinds[0].__name__}, whose class a file does not hold",
                    help="use a named tuple, a tuple or a dict in its place",
                )  # fmt: skip
        if any(result.kind == "made" for result in captured.results):
            raise CaptureError(
                "E450",
                f"{name} returns text that Python formats from values, which a saved program cannot do",
                help="return the values",
            )
        if any(one.kind == "container" and not isinstance(one.value, GivenContainer) for one in captured.results):
            what = f"{name} returns a list or dict that outlives its calls, which a file does not hold"
            raise CaptureError("E464", what, help="return a copy: list(x), dict(x)")
        for number, source in enumerate(captured.sources):
            if source.array is not None and id(source.array) not in keys:
                wanted = names.get(id(source.array)) or captured.graph.inputs[number].name or "state"
                is_random = source.array is random.state
                key, count = RANDOM if is_random else wanted, 1
                while key in weights or (key == RANDOM and not is_random):
                    key, count = f"{wanted}_{count}", count + 1
                keys[id(source.array)] = key
                data = host_copy(source.array)
                weights[key] = data.copy() if is_random else data  # other threads may draw
        signatures.append(_signature(captured, keys))
    return SavedProgram(
        name, tuple(signatures), weights, parameters, dict(options), left_out=tuple(left_out),
        settable=tuple(keys[one] for one in settable if one in keys),
    )  # fmt: skip


class _Whole:
    """A captured function that notes nothing in Python."""

    notes: tuple[str, ...] = ()
    names: Mapping[int, str] = {}
    settable: tuple[ndarray, ...] = ()

    def __init__(self, captured: Captured) -> None:
        self.captured = captured


def _computed(name: str, captures: Sequence[Captured], steps: bool) -> Sequence[Any]:
    """Captured programs as a file has them, without what they note in Python, and what that is."""
    if not any(one.effects or one.transaction.feeds for one in captures):
        return [_Whole(one) for one in captures]
    with LOADING:
        from hybridize.programs.notes import computed  # late: few programs note anything

    return computed(name, captures, steps)


def tell_notes(path: Any, program: SavedProgram) -> None:
    """Warn of what a file leaves out, where nothing reports it."""
    if program.left_out:
        warn(f"{path} leaves out of {program.name} {'; '.join(program.left_out)}")


def with_samples(
    program: SavedProgram, programs: Sequence[Program], function: Callable[..., Any] | None, samples: Sequence[Call],
    notes: list[str],
) -> SavedProgram:  # fmt: skip
    """The same with samples: a call of each program, and those of the user's that it is first to take.

    Args:
        program: of `programs`, one signature for each.
        programs: of one function.
        function: the user's Python; None where there is none.
        samples: calls of the user's.
        notes: hears where something else had to stand for the user's Python.

    Raises:
        ArgumentError E334: no program takes a given call.
    """
    groups: list[list[Call]] = [[] for _ in programs]
    for number, call in enumerate(samples):
        family = family_key(call)
        fit = [
            k for k, (one, signature) in enumerate(zip(programs, program.signatures, strict=True))
            if one.key in (call.key, family) and one.accepts(call) and _repeats(signature, call)
        ]  # fmt: skip
        if not fit:
            text = f"sample {number} is {described(call)}, which {program.name} has no program for"
            raise ArgumentError("E334", text, help="call it once with these arguments")
        groups[fit[0]].append(call)
    signatures = tuple(
        changed(signature, samples=sampled.samples(one, signature, program.weights, function, calls, notes))
        for signature, one, calls in zip(program.signatures, programs, groups, strict=True)
    )
    return changed(program, signatures=signatures)


def _repeats(signature: SavedSignature, call: Call) -> bool:
    """Tell whether a call has the numbers that are constants of a file."""
    pairs = zip(signature.leaves, range(len(call.leaves)), strict=True)
    return all(call.number(position, leaf.value) for leaf, position in pairs if leaf.kind == "constant")


def _signature(captured: Captured, keys: Mapping[int, str]) -> SavedSignature:
    # Files have no conditions: the numbers that they are about are constants there.
    pinned = {position for condition in captured.conditions for position in condition.positions}
    indices = [i for i, source in enumerate(captured.sources) if source.position not in pinned]
    order = sorted(indices, key=lambda i: (captured.sources[i].position < 0, captured.sources[i].position))
    inputs = tuple(captured.graph.inputs[i] for i in order)
    writes = tuple(number for number, i in enumerate(order) if captured.sources[i].written >= 0)
    written = [captured.graph.outputs[captured.sources[order[number]].written] for number in writes]
    numbers = {
        captured.graph.inputs[i]: _constant(captured.call.leaves[source.position], captured.graph.inputs[i].type)
        for i, source in enumerate(captured.sources)
        if source.position in pinned
    }
    structure, results, values = _results(captured)
    outputs = (*values, *written)
    graph = Graph(inputs, captured.graph.nodes, outputs, {**captured.graph.constants, **numbers})
    positions = {source.position for source in captured.sources} - pinned
    leaves = []
    for position, kind in enumerate(captured.call.kinds):
        if isinstance(kind, TensorType):
            leaves.append(OF_ND if position in captured.call.of_nd else ARRAY)
        elif position in positions:
            leaves.append(Leaf("scalar", kind.__name__))
        else:
            leaves.append(Leaf("constant", captured.numbers.get(position, captured.call.leaves[position])))
    state = tuple(keys[id(captured.sources[i].array)] for i in order if captured.sources[i].position < 0)
    return SavedSignature(
        graph, captured.call.structure, tuple(leaves), structure, tuple(results), state, writes,
        captured.call.training,
    )  # fmt: skip


def _results(captured: Captured) -> tuple[Structure, list[Leaf], list[Value]]:
    """The structure of the result, its leaves, and the values of those that are computed or handed on.

    A list or a dict of the call, which the result holds itself, is one with the same items in what a file gives.
    """
    call = captured.call
    inputs = {source.position: value for source, value in zip(captured.sources, captured.graph.inputs, strict=True)}
    leaves: list[Leaf] = []
    values: dict[int, Value] = {}

    def part(leaf: Leaf, value: Value | None = None) -> int:
        leaves.append(leaf)
        if value is not None:
            values[len(leaves) - 1] = value
        return len(leaves) - 1

    def of_call(position: int) -> int:
        kind = call.kinds[position]
        if position not in inputs:
            return part(Leaf("constant", captured.numbers.get(position, call.leaves[position])))
        if not isinstance(kind, TensorType):
            return part(Leaf("scalar", kind.__name__), inputs[position])
        return part(OF_ND if position in call.of_nd else ARRAY, inputs[position])

    computed = iter(captured.result_values)
    parts: list[Any] = []
    for result in captured.results:
        if isinstance(result.value, GivenContainer):
            numbers, structure = flatten(result.value.find(unflatten(call.structure, list(range(len(call.leaves))))))
            parts.append(unflatten(structure, [of_call(number) for number in numbers]))
        elif result.kind == "constant":
            parts.append(part(Leaf("constant", result.value)))
        else:
            array = OF_ND if result.of_nd else ARRAY
            leaf = Leaf("scalar", result.value.__name__) if result.kind == "number" else array
            parts.append(part(leaf, next(computed)))
    order, structure = flatten(unflatten(captured.structure, parts))
    return structure, [leaves[one] for one in order], [values[one] for one in order if one in values]


def _constant(number: Any, kind: TensorType) -> NDArray[Any]:
    array = numpy.asarray(number, dtype=kind.dtype)
    array.setflags(write=False)
    return array


def captured(
    program: SavedProgram,
    *,
    shared: bool = False,
    owned: bool = False,
    common: bool = False,
    gpu: Device | None = None,
) -> list[Captured]:
    """Plain data as captured programs; `shared` and `owned` as of `capture.SavedFunction`.

    With `common`, what is derived of the weights lies where other processes with the same file have it, too. With `gpu`
    the weights are copied there, and the programs are for that device.
    They draw from the random generator of this process, whatever state it had when they were saved.
    """
    arrays: dict[str, ndarray] = {}
    for signature in program.signatures:
        for name in signature.state:
            if name not in arrays:  # what is never asked for is never read from the file
                data = program.weights[name]
                if name == RANDOM and (data.shape, data.dtype) == (random.state.shape, random.state.dtype):
                    arrays[name] = random.state
                    continue
                if gpu is not None:
                    arrays[name] = place(wrap(data), gpu)
                    continue
                arrays[name] = array = wrap(data if shared or owned else data.copy())
                if shared:
                    array.storage.exposed = True
                if common:
                    note_origin(array, f"{program.identity} {name}")
    return [_captured(signature, arrays, gpu) for signature in program.signatures]


def _captured(signature: SavedSignature, arrays: Mapping[str, ndarray], gpu: Device | None) -> Captured:
    graph = signature.graph
    kinds: list[Any] = []
    values: list[Any] = []
    numbers: dict[int, Any] = {}
    sources: list[Source] = []
    for position, leaf in enumerate(signature.leaves):
        values.append(leaf.value if leaf.kind == "constant" else None)
        if leaf.kind == "constant":
            number = isinstance(leaf.value, (int, float)) and not isinstance(leaf.value, bool)
            kinds.append(type(leaf.value) if number else (type(leaf.value), leaf.value))
            if number:
                numbers[position] = leaf.value
            continue
        kind = graph.inputs[len(sources)].type
        sources.append(Source(position))
        kinds.append(kind if leaf.kind == "array" else _number_kind(leaf, kind))
    sources += [Source(-1, arrays[name]) for name in signature.state]
    count = sum(leaf.kind != "constant" for leaf in signature.result_leaves)
    for output, index in enumerate(signature.writes, count):
        sources[index] = changed(sources[index], written=output)
    results: list[Result] = []
    output = 0
    for leaf in signature.result_leaves:
        if leaf.kind == "constant":
            results.append(Result("constant", value=leaf.value))
            continue
        weak = _number_kind(leaf, graph.outputs[output].type) if leaf.kind == "scalar" else None
        results.append(Result("array" if weak is None else "number", output, value=weak, of_nd=leaf == OF_ND))
        output += 1
    of_nd = tuple(position for position, leaf in enumerate(signature.leaves) if leaf == OF_ND)
    devices = None if gpu is None else only_on(gpu, kinds)
    call = Call(signature.arguments, values, tuple(kinds), signature.training, False, of_nd=of_nd, devices=devices)
    away = {} if gpu is None else {one.index: gpu for one in results if one.kind == "array"}
    # Only who captures asks for them; a graph that is not read yet shall not be for their sake.
    values_of_results = () if isinstance(graph, Deferred) else graph.outputs[:count]
    return Captured(
        call, graph, tuple(sources), signature.result, tuple(results), values_of_results, (), (), (),
        numbers=numbers, conditions=(), layouts={}, same_memory={}, bound={}, devices=away,
    )  # fmt: skip


def only_on(device: Device, kinds: Sequence[Any]) -> tuple[Device, ...]:
    """Return the devices of a call whose arrays are all on one, as `Call.devices`."""
    return (device, *[device for kind in kinds if isinstance(kind, TensorType)])


def _number_kind(leaf: Leaf, kind: TensorType) -> type:
    named = _NUMBERS.get(str(leaf.value))
    return named if named is not None else {"f": float, "b": bool}.get(kind.dtype.kind, int)


def without_python(name: str) -> Callable[..., Any]:
    """Make the stand-in for the Python function of a loaded program, which raises E534 when it is called."""

    def loaded(*args: Any, **kwargs: Any) -> Any:
        text = f"{name} was loaded from a file: there is no Python to run in its place"
        raise StateError("E534", text, help="call it where hybridize is not disabled")

    loaded.__name__ = loaded.__qualname__ = name
    return loaded
