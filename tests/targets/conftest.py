"""What the tests of several targets share: the samples of the catalogue, in blocks, and the programs that run elsewhere."""

import importlib.util
import sys
from pathlib import Path

import numpy
import pytest

from hybridize.ops import Effect, effect_of, evaluate
from hybridize.ops.hosted import hosted_nodes
from hybridize.passes import PIPELINE

HERE = Path(__file__).parent


def module_of(name, path):
    """A module of the tests: their folders are no packages."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


class Catalogue:
    """Samples that need no host to call back."""

    def __init__(self):
        self.tests = module_of("catalogue_of_ops", HERE.parent / "catalog" / "test_catalog.py")
        cases = [
            case
            for case in self.tests.compiled_cases()
            if effect_of(case.values[0].op) is Effect.PURE
            and not any(hosted_nodes(self.tests.graph_of(case.values[0])))
        ]
        self.cases = [(case.id, case.values[0]) for case in cases]

    def jobs(self, cases):
        """Graphs with their inputs."""
        return [(PIPELINE.run(self.tests.graph_of(sample)), sample.inputs) for _, sample in cases]

    def check(self, cases, found):
        """What was found must be what the references say; all that differs is told at once."""
        wrong = []
        for (name, sample), outputs in zip(cases, found, strict=True):
            try:
                with numpy.errstate(all="ignore"):
                    self.tests.close(outputs, evaluate(self.tests.graph_of(sample), sample.inputs), sample)
            except AssertionError as difference:
                wrong.append(f"{name}: {difference}")
        assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="session")
def catalogue():
    return Catalogue()


@pytest.fixture
def programs(tmp_path):
    """`programs(jobs, target)`: see programs.py."""
    made = module_of("programs_for_targets", HERE / "programs.py").Programs
    return lambda jobs, target: made(jobs, target, tmp_path)


@pytest.fixture(scope="session")
def models():
    return module_of("models_for_targets", HERE / "models.py")


class RandomGraphs:
    """The graphs of the fuzz test."""

    def __init__(self):
        self.tests = module_of("random_graphs", HERE.parent / "fuzz" / "test_random_graphs.py")

    def check(self, seed, level):
        """Run the graph of a seed on a level of this machine."""
        self.tests.check(seed, self.tests.directly(level))

    def given(self, seeds):
        """Seeds, graphs ready to be built, and inputs."""
        drawn = [(seed, *self.tests.random_graph(seed)[:2]) for seed in seeds]
        return [(seed, self.tests.inline(graph), inputs) for seed, graph, inputs in drawn]

    def compare(self, made, found):
        """Check what was found elsewhere."""
        for (seed, _, _), outputs in zip(made, found, strict=True):
            self.tests.check(seed, lambda graph, inputs, outputs=outputs: outputs)


@pytest.fixture(scope="session")
def random_graphs():
    return RandomGraphs()
