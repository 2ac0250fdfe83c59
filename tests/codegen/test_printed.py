"""What a schedule prints is all that code generation reads: equal text of two steps means equal functions."""

import functools
import importlib.util
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from hybridize import errors
from hybridize.base.digests import digest
from hybridize.codegen.llvm import program
from hybridize.codegen.llvm.kernels import StepFunctions
from hybridize.graph import Graph
from hybridize.machine.target import Target
from hybridize.ops import OPS
from hybridize.passes import PIPELINE
from hybridize.runtime.plan import PlanStep
from hybridize.schedule.steps import BaseStep, ScheduleStep

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


Noted = tuple[ScheduleStep, list[str]]


class Noting(StepFunctions):
    """Writes the functions of steps, and notes whose they are."""

    noted: ClassVar[list[Noted]] = []

    def step(self, step: ScheduleStep, planned: PlanStep) -> PlanStep:
        complete = super().step(step, planned)
        self.noted.append((step, [launch.function for launch in complete.launches]))
        return complete


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

    return "\n".join(map(text, names))


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


def compared(
    targets: Sequence[str], words: Callable[[BaseStep], str] = printed, most: int | None = None
) -> tuple[list[str], int]:
    """What has equal text and other functions, and how many steps were compared with one of another program."""
    functions: dict[tuple[str, ...], tuple[str, str]] = {}
    differ, again = [], 0
    for word, graph, target, options in itertools.islice(programs(targets), most):
        graph = PIPELINE.run(graph)
        Noting.noted = []
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(program, "StepFunctions", Noting)
                built = program.build(graph, target, **options)
        except errors.HybridizeError:
            continue  # no program holds it
        scope = "" if graph.scope is None else "\n".join(graph.scope.lines())
        for step, names in Noting.noted:
            key = str(target), scope, words(step)
            text = written(built.module, names)
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
    differ, _ = compared([], lambda step: re.sub(r"\d+", "", printed(step)), 60)
    assert differ
