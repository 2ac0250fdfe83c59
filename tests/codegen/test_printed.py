"""What a schedule prints is all that code generation reads: equal text of two steps means equal functions."""

import functools
import importlib.util
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from hybridize import errors
from hybridize.base.digests import digest
from hybridize.codegen.llvm import program
from hybridize.codegen.llvm.text import Module
from hybridize.graph import Graph
from hybridize.machine.target import Target
from hybridize.ops import OPS
from hybridize.passes import PIPELINE
from hybridize.runtime.plan import PlanStep
from hybridize.schedule.parallel import ranges_of
from hybridize.schedule.steps import BaseStep

ADDRESS = re.compile(r"\b(?:input|output)\d+\+[^\s,;]+|\bscratch\+[^\s,;]+|\bnowhere\b")
NUMBERED = re.compile(r"\b(band|loop) \d+")
CALLED = re.compile(r"@([\w.$-]+)")


def replay():
    spec = importlib.util.spec_from_file_location("replay", Path(__file__).with_name("replay.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(step: BaseStep) -> str:
    """A step as text, but for its origin and where its operands lie."""
    _, _, rest = str(step).partition("\n")
    return NUMBERED.sub(r"\1", ADDRESS.sub("there", f"{type(step).__name__} {step.kind}\n{rest}"))


def functions_of(steps: Sequence[BaseStep], planned: Sequence[PlanStep]) -> Iterator[tuple[BaseStep, list[str]]]:
    """The functions that steps call, in bodies too, and the ranges that threads are given of their turns."""
    for step, other in zip(steps, planned, strict=True):
        names = [launch.function for launch in other.launches]
        for launch in other.launches if other.share is not None else ():
            if isinstance(launch.turns, int) and isinstance(other.share.bytes, int):
                ranges = ranges_of(launch.turns, other.share.bytes, other.share.flops, wakes=other.share.wakes)
                names.append(f"# {launch.turns} in {ranges}")
        yield step, names
        for body, plan in zip(step.programs, () if other.region is None else other.region.bodies, strict=True):
            yield from functions_of(body.steps, plan.steps)


def noted(graph: Graph, target: Target, options: dict) -> tuple[Module, list[tuple[BaseStep, list[str]]]]:
    """A program, and the functions of its steps and of those that make its constants."""
    schedules = []

    def scheduled(*args, schedule=program.scheduled):
        schedules.append(schedule(*args))
        return schedules[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "scheduled", scheduled)
        built = program.build(graph, target, **options)
    (made,) = schedules
    functions = [*functions_of(made.steps, built.plan.steps)]
    makers = {maker.function: maker for maker in built.plan.makers}
    for one in built.plan.derivations:
        functions += functions_of(made.constants[one.slot].steps, makers[one.function].steps)
    return built.module, functions


def written(module, names: list[str]) -> str:
    """The text of functions and of all that they call, without the names that a program gives them."""

    @functools.cache
    def text(name: str) -> str:
        own = module.functions[name].text() if name in module.functions else module.globals[name]

        def word(found: re.Match[str]) -> str:
            other = found.group(1)
            if other == name:
                return "@itself"
            is_own = other in module.functions or other in module.globals
            return f"@{digest(text(other).encode()).hex()}" if is_own else found.group(0)

        return CALLED.sub(word, own)

    return "\n".join(name if name.startswith("#") else text(name) for name in names)


def programs(targets: Sequence[str]) -> Iterator[tuple[str, Graph, Target, dict]]:
    """(word, graph, target, options) of the corpus that is replayed, nets for these targets."""
    corpus = replay()
    for word in sorted(OPS):
        for graph in corpus.op_graphs(word):
            yield word, graph, corpus.TARGETS["avx512"], {}
    for part in (corpus.nets, corpus.gates, corpus.recurrent, corpus.banded, corpus.depthwise):
        for word, graph, options in part():
            for target in targets:
                yield word, graph, corpus.TARGETS[target], options


def compared(targets: Sequence[str], words: Callable[[BaseStep], str] = printed) -> tuple[list[str], int]:
    """What has equal text and other functions, and how many steps were compared with one of another program."""
    functions: dict[tuple[str, ...], tuple[str, str]] = {}
    differ, again = [], 0
    for word, graph, target, options in programs(targets):
        graph = PIPELINE.run(graph)
        try:
            module, functions_of_steps = noted(graph, target, options)
        except errors.HybridizeError:
            continue  # no program holds it
        scope = "" if graph.scope is None else "\n".join(graph.scope.lines())
        for step, names in functions_of_steps:
            key = str(target), scope, words(step)
            text = written(module, names)
            before = functions.setdefault(key, (word, text))
            again += before[0] != word
            if before[1] != text:
                differ.append(f"{before[0]} and {word}, {target.name}:\n{key[-1]}\n{text[:300]}\n--\n{before[1][:300]}")
    return differ, again


def test_equal_text_of_steps_means_equal_functions():
    differ, again = compared(["avx2"])
    assert not differ, "\n\n".join(differ[:3])
    assert again > 400, "hardly any step stands in several programs: nothing was compared"


@pytest.mark.long
def test_equal_text_means_equal_functions_on_all_targets():
    differ, _ = compared(["avx512", "intel", "avx2", "wasm32"])
    assert not differ, "\n\n".join(differ[:3])


def test_text_that_hides_a_size_is_found_out():
    differ, _ = compared([], lambda step: re.sub(r"\d+", "", printed(step)))
    assert differ
