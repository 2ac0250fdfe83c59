# SPDX-License-Identifier: Apache-2.0
"""Plans of programs whose calls bring sizes along: plain data, filled in for one call."""

import pytest

from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.compiler import compile
from hybridize.graph.sizes import with_sizes
from hybridize.ops import composites
from hybridize.ops.tracing import make_graph
from hybridize.runtime.plan import PLAN_CLASSES, Buffer
from hybridize.runtime.serialization import dump, load


@pytest.fixture(scope="module")
def graph():
    scope = SizeScope()
    n, m = scope.symbol(7), scope.symbol(5, high=400)
    scope.capturing = False
    return make_graph(lambda x: (composites.softmax(x, 1),), [TensorType((n, m), float32)])


def test_is_plain_data(graph):
    plan = compile(graph).plan
    assert plan.sizes == ("n0 in 2.. like 7", "n1 in 2..400 like 5")
    assert plan.inputs == (Buffer("f32", ("n0", "n1"), "4*n0*n1"),)
    assert load(dump(plan), PLAN_CLASSES) == plan


def test_filled_in_for_a_call(graph):
    """As the plan of the exact program, where that takes the same steps."""
    plan = compile(graph).plan.at({"n0": 20, "n1": 30})
    exact = compile(with_sizes(graph, dict(zip(graph.scope.symbols, (20, 30), strict=True)))).plan
    assert (plan.inputs, plan.outputs, plan.scratch_bytes) == (exact.inputs, exact.outputs, exact.scratch_bytes)
    assert plan.peak_bytes == exact.peak_bytes
    assert not plan.sizes
    for ours, theirs in zip(plan.steps, exact.steps, strict=True):
        assert (ours.reads, ours.writes, ours.bytes) == (theirs.reads, theirs.writes, theirs.bytes)


def test_seen(graph):
    program = compile(graph)
    assert program.plan.as_compiled() == program.plan.at({"n0": 7, "n1": 5})
    assert program.peak_bytes == program.peak_bytes_of([(7, 5)]) == 4 * 7 * 5 + 64
    assert program.scratch_bytes == 64
    assert str(program.plan).startswith("size n0 in 2.. like 7\nsize n1 in 2..400 like 5\ninput f32[n0,n1] 4*n0*n1\n")


def test_types_of_a_program_are_of_one_scope(graph):
    program, other = compile(graph), compile(graph, name="other")
    ((n, m),) = [type_.shape for type_ in program.parameters]
    assert [type_.shape for type_ in program.results] == [(n, m)]
    assert n.scope is m.scope is program.sizes.scope
    assert str(other.plan.types(other.plan.inputs)[0]) == "f32[n0,n1]"
