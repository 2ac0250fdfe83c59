# SPDX-License-Identifier: Apache-2.0
"""From graphs to the programs of a library, at every level; what cannot leave Python is refused before that."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from hybridize.base.errors import CaptureError, CodegenError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.library.codes import NO_LIMIT, first_position, size_range
from hybridize.codegen.llvm.library.describe import shape_words
from hybridize.codegen.llvm.library.model import LibraryModel, LibraryTensor, LibraryVariant, Version
from hybridize.codegen.llvm.program import Built, build
from hybridize.formats import deployable as saved
from hybridize.formats.deployable import Deployable
from hybridize.formats.library.assertions import asserting, keeping, returning
from hybridize.formats.library.platforms import Platform
from hybridize.formats.library.weights import Arrays
from hybridize.graph import Graph
from hybridize.machine.target import Target
from hybridize.passes import PIPELINE

RANDOM: Final = "random.state"
"""The key of the random generator's state among the weights."""


def programs(
    deployable: Deployable, targets: Iterable[Target], slots: int, arrays: Arrays
) -> tuple[list[LibraryVariant], list[str]]:
    """The variants, built for every target, their arrays numbered; and what their assertions say.

    Raises:
        CaptureError E455: the program prints.
    """
    for variant in deployable.variants:
        _refuse(deployable.name, variant.graph)
        if variant.scope is not None:
            variant.scope.capturing = False
    messages: list[str] = []
    return [_variant(one, tuple(targets), slots, arrays, messages) for one in deployable.variants], messages


def _refuse(name: str, graph: Graph) -> None:
    for node in every_node(graph):
        if node.op.name == "print":
            raise CaptureError(
                "E455",
                f"{name} prints while it runs, which a library cannot do",
                loc=node.loc,
                help="remove the print, or return the values",
            )


def every_node(graph: Graph) -> Iterator[Any]:
    """The nodes of a graph and of the graphs that its ops hold."""
    for node in graph.nodes:
        yield node
        for value in vars(node.op).values():
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, Graph):
                    yield from every_node(item)


def _variant(
    variant: saved.Variant, targets: tuple[Target, ...], slots: int, arrays: Arrays, messages: list[str]
) -> LibraryVariant:
    graph = variant.graph
    asserts = asserting(graph)
    arguments = len(graph.inputs) - len(variant.states)
    results = len(graph.outputs) - len(variant.new_states)
    offers = dict(_offers(graph, variant, arguments, results))
    if asserts:
        graph = keeping(returning(graph, messages), offers)
    optimized = PIPELINE.run(graph)
    versions = []
    for target in targets:
        built = build(optimized, target, slots=slots, updates=offers, interruptible=False)
        sources = tuple(map(arrays.add, built.sources))
        versions.append(Version(built, tuple(_numbered(built, arrays)), sources))
    return LibraryVariant(
        _types(optimized, True)[:arguments],
        _types(optimized, False)[:results],
        variant.states,
        variant.new_states,
        asserts,
        optimized.scope,
        tuple(versions),
    )


def _offers(graph: Graph, variant: saved.Variant, arguments: int, results: int) -> Iterator[tuple[int, int]]:
    """Iterate over the outputs that are nothing but new states, and the inputs that are the old ones."""
    for number, state in enumerate(variant.new_states, results):
        if state in variant.states and graph.outputs.count(graph.outputs[number]) == 1:
            yield number, arguments + variant.states.index(state)


def _types(graph: Graph, inputs: bool) -> tuple[TensorType, ...]:
    return tuple(value.type for value in (graph.inputs if inputs else graph.outputs))


def _numbered(built: Built, arrays: Arrays) -> Iterator[int]:
    for slot, array in enumerate(built.constants):
        yield -1 if slot in built.plan.teams else arrays.add(array)


def described(model: LibraryModel) -> str:
    """Describe a library to other languages, as JSON."""

    def tensor(number: int, one: LibraryTensor) -> dict[str, Any]:
        axes = range(one.type.ndim)
        ranges = [size_range(model, number, axis) for axis in axes]
        return {
            "name": one.name,
            "dtype": one.type.dtype.name,
            "shape": [int(word) if word.isdecimal() else word for word in shape_words(model, number)],
            "smallest": [low for low, _ in ranges],
            "largest": [high for _, high in ranges],
        }

    count = len(model.inputs)
    description = {
        "name": model.name,
        "hybridize": model.version,
        "inputs": [tensor(number, one) for number, one in enumerate(model.inputs)],
        "outputs": [tensor(count + number, one) for number, one in enumerate(model.outputs)],
        "sizes": _sizes(model),
        "random": model.random >= 0,
    }
    if model.state_tensors:
        description["states"] = [
            {"name": one.name, "dtype": one.type.dtype.name, "shape": list(one.type.shape)}
            for one in model.state_tensors
        ]
    return json.dumps(description, separators=(",", ":"))


def _sizes(model: LibraryModel) -> list[str]:
    """The size symbols with their ranges over all variants, then what else must hold where only one has symbols."""
    last = model.variants[-1]
    if last.scope is None:
        return []
    lines = []
    for symbol in last.scope.symbols:
        position = first_position(last, symbol)
        if position is not None:
            low, high = size_range(model, *position)
            lines.append(f"{symbol.name} in {low}..{'' if high == NO_LIMIT else high}")
    several = sum(variant.scope is not None for variant in model.variants) > 1
    return lines if several else [*lines, *map(str, last.scope.conditions)]


def check_size(name: str, platform: Platform, nbytes: int) -> None:
    """Make sure that code reaches the weights.

    Raises:
        CodegenError E972: they are too many for a section.
    """
    if nbytes > 1 << 30:
        raise CodegenError(
            "E972",
            f"the weights of {name} are {nbytes} bytes: code for {platform.name} reaches 2^30 within a library",
            help='say weights="beside"',
        )
