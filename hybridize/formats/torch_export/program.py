# SPDX-License-Identifier: Apache-2.0
"""The neutral form of an exported program, and its translation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hybridize.base.errors import CaptureError, HybridizeError
from hybridize.base.locations import SourceLoc
from hybridize.base.types import TensorType
from hybridize.formats.torch_export.draws import CURRENT, Draws
from hybridize.formats.torch_export.registry import TABLE
from hybridize.formats.torch_export.size_numbers import NUMBERS
from hybridize.graph import Graph
from hybridize.ops import Operand, interpreting
from hybridize.ops.tracing import GraphTracer


@dataclass(frozen=True, slots=True)
class ResultName:
    """The result of an earlier instruction, or an input, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Instruction:
    """One ATen call: `arguments` and `keywords` hold numbers, sizes, lists, None and `ResultName`s."""

    operator: str
    """As in `aten.addmm.default`, or `getitem`, or `size.truediv` for a number that is computed from sizes."""
    name: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    types: tuple[TensorType, ...]
    """Types of the results, as PyTorch found them."""
    loc: SourceLoc | None = None


@dataclass(frozen=True, slots=True)
class TensorProgram:
    """A whole exported program. Sizes of its inputs may be symbols, in which all other sizes are expressed."""

    inputs: tuple[tuple[str, TensorType], ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[ResultName, ...]


def to_graph(program: TensorProgram) -> tuple[Graph, int]:
    """Translate `program`.

    Returns:
        The graph, and how many times it draws random numbers. One that does has one more input, the key.

    Raises:
        CaptureError E420: an operator that is not in the table; the message names it and the user's line.
    """
    recorder = GraphTracer()
    values: dict[str, Any] = {name: recorder.builder.input(kind, name) for name, kind in program.inputs}
    scope = next((kind.scope for _, kind in program.inputs if kind.scope is not None), None)
    draws = Draws(recorder.builder)
    before = CURRENT.set(draws)
    try:
        with interpreting(recorder):
            for step in program.instructions:
                recorder.loc = step.loc
                with placed(step.loc):
                    values[step.name] = _translated(step, values)
    finally:
        CURRENT.reset(before)
        if scope is not None:
            scope.capturing = False
    return recorder.builder.finish([values[output.name] for output in program.outputs]), draws.count


@contextmanager
def placed(loc: SourceLoc | None) -> Iterator[None]:
    """Give errors of the block the line in the user's `forward`; by themselves they know who called the module."""
    try:
        yield
    except HybridizeError as error:
        error.loc = loc if loc is not None else error.loc
        raise


def _translated(step: Instruction, values: dict[str, Any]) -> Any:
    arguments = tuple(_resolve(argument, values) for argument in step.arguments)
    keywords = {key: _resolve(argument, values) for key, argument in step.keywords.items()}
    if step.operator == "getitem":
        return arguments[0][arguments[1]]
    if step.operator in NUMBERS:
        return NUMBERS[step.operator](*arguments)
    translate = TABLE.get(step.operator)
    if translate is None:
        raise CaptureError(
            "E420",
            f"{step.operator} cannot be compiled yet",
            loc=step.loc,
            help="write this part with the operators of docs/guide/pytorch.md, or keep it outside",
        )
    return _checked(step, translate(step.types, *arguments, **keywords))


def _resolve(argument: Any, values: dict[str, Any]) -> Any:
    if isinstance(argument, ResultName):
        return values[argument.name]
    if isinstance(argument, (list, tuple)):
        return [_resolve(item, values) for item in argument]
    return argument


def _checked(step: Instruction, result: Operand | tuple[Operand, ...]) -> Operand | tuple[Operand, ...]:
    """PyTorch's own type rule must agree with ours, value by value: a wrong translation is found here."""
    results = result if isinstance(result, tuple) else (result,)
    given = tuple(ours for ours in results if ours is not None)
    if len(given) == len(step.types):
        results = given  # PyTorch leaves out the same ones
    for ours, theirs in zip(results, step.types, strict=False):
        if ours is not None and ours.type != theirs:
            raise CaptureError(
                "E421",
                f"{step.operator} gives {theirs} in PyTorch, {ours.type} here",
                loc=step.loc,
                help="this is a defect of hybridize; please report it with the line above",
            )
    return result
