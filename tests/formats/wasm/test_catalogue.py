"""Samples of the ops through file and loader: what is tested here is arrays of every kind, not the code in between."""

import importlib.util
from pathlib import Path

import numpy
import pytest

from hybridize.formats.deployable import Deployable, Tensor, Variant
from hybridize.ops import Effect, effect_of, evaluate
from hybridize.ops.hosted import hosted_nodes

CATALOGUE = Path(__file__).parents[2] / "catalog" / "test_catalog.py"


@pytest.fixture(scope="module")
def catalogue():
    spec = importlib.util.spec_from_file_location("catalogue_for_wasm", CATALOGUE)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def check(catalogue, written, first, step):
    cases = [
        case
        for case in catalogue.compiled_cases()
        if effect_of(case.values[0].op) is not Effect.WORLD
        and not any(hosted_nodes(catalogue.graph_of(case.values[0])))
    ]  # those of complex numbers need a host to call back
    wrong = []
    for number, case in list(enumerate(cases))[first::step]:
        sample = case.values[0]
        graph = catalogue.graph_of(sample)
        inputs = tuple(Tensor(f"x{k}", value.type) for k, value in enumerate(graph.inputs))
        outputs = tuple(Tensor(f"y{k}", value.type) for k, value in enumerate(graph.outputs))
        model = written(Deployable(f"case{number}", inputs, outputs, (), (Variant(graph, (), (), ()),)))
        given = {
            one.name: numpy.ascontiguousarray(x).reshape(x.shape) for one, x in zip(inputs, sample.inputs, strict=True)
        }
        (found,) = model.calls(given).outcomes
        try:
            assert isinstance(found, dict), found
            with numpy.errstate(all="ignore"):
                catalogue.close(list(found.values()), evaluate(graph, sample.inputs), sample)
        except AssertionError as difference:
            wrong.append(f"{case.id}: {difference}")
    assert not wrong, "\n".join(wrong)


def test_some_samples(catalogue, written):
    check(catalogue, written, 17, 60)


@pytest.mark.long
@pytest.mark.parametrize("block", range(8))
def test_all_samples(catalogue, written, block):
    check(catalogue, written, block, 8)
