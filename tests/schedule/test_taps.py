"""Tables of taps: constants of the code where they are short, written by the call where they are not."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import evaluate, make_graph
from hybridize.schedule.steps import TapStep

SPEC = "nc[y+r][x+s],noyx->ocrs"
"""The gradient of a convolution by its weight: a tap for each line of each image."""


def gradient(images):
    kinds = [TensorType((images, 3, 5, 6), float32), TensorType((images, 16, 3, 4), float32)]
    return make_graph(lambda x, g: [ops.contract(SPEC, x, g, {"r": 3, "s": 3})], kinds), kinds


@pytest.mark.parametrize(("images", "constant"), [(2, True), (1500, False)])
@pytest.mark.parametrize("threads", [1, 2])
def test_long_tables_are_no_text(images, constant, threads):
    graph, kinds = gradient(images)
    text = build(graph, named_target("avx2"), slots=threads).module.text()
    assert (".table" in text) == constant
    assert len(text) < 200_000
    rng = numpy.random.default_rng(0)
    inputs = [rng.normal(size=kind.shape).astype("f4") for kind in kinds]
    (found,), (wanted,) = compiled(graph, threads=threads).run(inputs), evaluate(graph, inputs)
    numpy.testing.assert_allclose(found, wanted, atol=1e-4 * float(abs(wanted).max()))


def test_the_gradient_by_a_weight_is_tiles():
    graph, _ = gradient(1500)
    assert any(isinstance(step, TapStep) for step in scheduled(graph, named_target("avx2")).steps)
