"""What a schedule prints is all that code generation reads: equal text of two steps means equal functions."""

import functools
import importlib.util
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from hybridize import errors
from hybridize.base.digests import digest
from hybridize.codegen.llvm.program import Emitter, build
from hybridize.graph import Graph
from hybridize.machine.target import Target
from hybridize.ops import OPS
from hybridize.passes import PIPELINE
from hybridize.schedule.steps import BaseStep, RegionStep

ADDRESS = re.compile(r"\b(?:input|output)\d+\+[^\s,;]+|\bscratch\+[^\s,;]+|\bnowhere\b")
NUMBERED = re.compile(r"\b(band|loop) \d+")
RANGES = re.compile(r"i64 \d+, i64 \d+, i64 \d+, i64 [01]\)$")
"""Turns, turns of a range, threads, and whether they are woken, where these are known."""
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


class Noting(Emitter):
    """Writes programs, and notes the functions of each step."""

    def __init__(self, *args) -> None:
        super().__init__(*args)
        self.functions_of: list[tuple[BaseStep, list[str]]] = []
        self._open: list[list[str]] = []

    def noted(self, step: BaseStep, write):
        self._open.append([])
        name = write()
        names = self._open.pop()
        if name and not names and not isinstance(step, RegionStep):  # that has addresses of its bodies' steps
            names.append(name)
        self.functions_of.append((step, names))
        return name

    def _once(self, kind, key, write):
        name = super()._once(kind, key, write)
        if self._open and kind not in ("body", "numbers"):
            self._open[-1].append(name)
        return name

    def step(self, f, step, pointers):
        self._kernels.clear()  # a kernel that is known by identity is not asked for again
        return self.noted(step, lambda: super(Noting, self).step(f, step, pointers))

    def _in_parallel(self, f, name, args, turns, split, pointers):
        before = len(f._lines)
        super()._in_parallel(f, name, args, turns, split, pointers)
        ranges = [RANGES.search(line) for line in f._lines[before:]]
        if self._open:
            self._open[-1] += [f"# {found.group(0)}" for found in ranges if found is not None]

    def _of_rows(self, step):
        return self.noted(step, lambda: super(Noting, self)._of_rows(step))

    def _tap_function(self, step, *, ranged):
        if self._open:
            return super()._tap_function(step, ranged=ranged)
        return self.noted(step, lambda: super(Noting, self)._tap_function(step, ranged=ranged))


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
        emitters: list[Noting] = []

        def emitter(module, machine, name, emitters=emitters):
            emitters.append(Noting(module, machine, name))
            return emitters[-1]

        try:
            built = build(graph, target, emitter_of=emitter, **options)
        except errors.HybridizeError:
            continue  # no program holds it
        scope = "" if graph.scope is None else "\n".join(graph.scope.lines())
        for step, names in emitters[0].functions_of:
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
    differ, _ = compared([], lambda step: re.sub(r"\d+", "", printed(step)))
    assert differ
