# SPDX-License-Identifier: Apache-2.0
"""The variants of a program compiled for WebAssembly and linked, with the arrays that they read."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any, Final

from hybridize.base.dims import parse_scope
from hybridize.base.errors import CaptureError, CodegenError
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.objects import emit_object
from hybridize.codegen.llvm.prepare import emit_prepare
from hybridize.codegen.llvm.program import Built, build
from hybridize.codegen.wasm.link import link
from hybridize.formats.deployable import Deployable, Variant
from hybridize.formats.wasm.kernels import kernels_of
from hybridize.formats.wasm.weights import ModuleWeights
from hybridize.graph import Graph
from hybridize.machine.target import Target, named_target
from hybridize.ops.world import Assert, Print
from hybridize.passes import PIPELINE
from hybridize.runtime import effects
from hybridize.runtime.plan import PREPARE, Plan, sized

LARGEST: Final = 1 << 32
"""Bytes that addresses of 32 bits reach."""


@frozen
class ModuleConstant:
    """An array in memory that programs read, as it is among the weights or made of them by a function of the module."""

    at: int
    """The byte at which it begins among the weights."""
    nbytes: int
    make: str = ""
    """The function that makes it of `sources`; then it is not among the weights."""
    sources: tuple[tuple[int, int], ...] = ()
    """The start of each among the weights, and its bytes."""
    scratch_bytes: int = 0


@frozen(eq=False)
class ModuleVariant:
    """One variant."""

    name: str
    """Of the exported function; `NAME.sizes` is exported too, where sizes are the call's."""
    plan: Plan
    constants: tuple[int, ...]
    """Positions in `CompiledModule.constants`."""
    states: tuple[int, ...]
    new_states: tuple[int, ...]

    @property
    def sizes(self) -> str:
        """The exported `i64 (ptr sizes, ptr frame)`: as `prepare`, but of arguments and outputs."""
        return f"{self.name}.sizes" if self.plan.sizes else ""


@frozen(eq=False)
class CompiledModule:
    """A module with its arrays."""

    module: bytes
    imports: tuple[str, ...]
    """Functions that the loader gives."""
    weights: tuple[memoryview, ...]
    """One after the other."""
    constants: tuple[ModuleConstant, ...]
    states: tuple[ModuleConstant, ...]
    """The states as they were when the program was written."""
    programs: tuple[ModuleVariant, ...]
    kernels: Mapping[str, Any] | None = None
    """The work of a GPU in their place, see `formats.wasm.kernels`; None where the file is for processors alone."""


def compiled(deployable: Deployable, gpu: bool = False) -> CompiledModule:
    """Compile and link what a program is; with `gpu`, write its kernels, too.

    Raises:
        CaptureError E457: it prints in a way that only Python knows.
        CodegenError E975: it needs more memory than addresses of 32 bits reach.
    """
    target = named_target("wasm32")
    weights, constants = ModuleWeights(), _Constants()
    states = tuple(ModuleConstant(*weights.range_of(state.initial)) for state in deployable.states)
    objects, programs = [], []
    for number, variant in enumerate(deployable.variants):
        built = _built(variant.graph, f"v{number}", target, len(deployable.inputs))
        objects.append(emit_object(built.module.text(), target))
        programs.append(_program(f"v{number}", variant, built, weights, constants))
    kernels = kernels_of(deployable, weights) if gpu else None
    linked = link(*objects)
    model = CompiledModule(
        linked.module, linked.imports, tuple(weights.parts), tuple(constants.all), states, tuple(programs), kernels
    )
    plans = [program.plan for program in programs if not program.plan.sizes]  # of others it depends on the sizes
    least = max((plan.peak_bytes + sum(int(one.nbytes) for one in plan.inputs) for plan in plans), default=0)
    if len(model.module) + weights.end + least > LARGEST:
        raise CodegenError(
            "E975",
            f"{deployable.name} needs more than 4 GiB of memory, which WebAssembly's addresses do not reach",
            help='export a library instead: format="library"',
        )
    return model


def _built(graph: Graph, name: str, target: Target, arguments: int) -> Built:
    """The program of a graph whose first inputs are arguments, with what the loader asks of it."""
    if graph.scope is not None:
        graph.scope.capturing = False
    optimized = PIPELINE.run(graph)
    for node in (node for one in optimized.nested() for node in one.nodes):
        if isinstance(node.op, Print):
            _check_format(node.op.format)
        elif isinstance(node.op, Assert) and len(node.inputs) > 1:
            _check_format(node.op.message)
    built = build(optimized, target, name, interruptible=False)
    module, plan = built.module, built.plan
    if effects.VARIABLE in module.globals:
        # The loader's function, by an import; nobody else sets the variable.
        effect = module.declare("effect", "void", ["ptr", "ptr"])
        module.globals[effects.VARIABLE] = f"@{effects.VARIABLE} = internal global ptr {effect}, align 64"
    if plan.sizes:
        del module.functions[PREPARE]  # it tells of the outputs only
        scope, symbols = parse_scope(plan.sizes)
        types = plan.types((*plan.inputs[:arguments], *plan.outputs), symbols)
        emit_prepare(module, f"{name}.sizes", scope, types, sized(plan.scratch_bytes, symbols), (0, 0))
    return built


def _check_format(text: str) -> None:
    """A text with {} alone can be filled in JavaScript."""
    for _, field, spec, conversion in string.Formatter().parse(text):
        if field or spec or conversion:
            raise CaptureError(
                "E457",
                f"{text!r} is formatted as only Python does it: {{{field}{':' if spec else ''}{spec}}}",
                help="write {} in it",
            )


def _program(name: str, variant: Variant, built: Built, weights: ModuleWeights, constants: _Constants) -> ModuleVariant:
    derivations = {one.slot: one for one in built.plan.derivations}
    numbers = []
    for slot, array in enumerate(built.constants):
        one = derivations.get(slot)
        if one is None:
            extent = weights.range_of(array)
            numbers.append(constants.number(((extent,), ""), ModuleConstant(*extent)))
        else:
            sources = tuple(weights.range_of(built.sources[source.number]) for source in one.sources)
            constant = ModuleConstant(0, one.nbytes, one.function, sources, one.scratch_bytes)
            numbers.append(constants.number((sources, one.layout), constant))
    return ModuleVariant(name, built.plan, tuple(numbers), variant.states, variant.new_states)


class _Constants:
    """Arrays as programs read them, equal ones once."""

    def __init__(self) -> None:
        self.all: list[ModuleConstant] = []
        self._numbers: dict[tuple[tuple[tuple[int, int], ...], str], int] = {}

    def number(self, key: tuple[tuple[tuple[int, int], ...], str], constant: ModuleConstant) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.all)
            self.all.append(constant)
        return self._numbers[key]
