# SPDX-License-Identifier: Apache-2.0
"""Contractions that differ in integers alone have one function of their lines: the integers are its arguments."""

import itertools
import re

import numpy
import pytest

from hybridize import ops
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import runnable
from hybridize.codegen.llvm.objects import assembly
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile as compiled
from hybridize.loops.expr import Load
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param, Statement
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph
from hybridize.passes import PIPELINE
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.contraction.lines import ending_of_lines
from tests.schedule.tiles import inner_loops, plans_of

WIDEST = named_target(runnable()[0])


def layers(*channels, side=16, step=1, taps=3, tail=ops.exp):
    """A chain of convolutions with something after each, whose channels are these."""
    types = [TensorType((1, channels[0], side, side), float32)]
    pairs = itertools.pairwise(channels)
    types += [TensorType((outputs, inputs, taps, taps), float32) for inputs, outputs in pairs]

    def run(x, *weights):
        for w in weights:
            x = tail(ops.convolution(x, w, step, taps // 2))
        return [x]

    return PIPELINE.run(make_graph(run, types))


def lines_of(graph, target=WIDEST):
    """The functions of lines of a program, as text without their names."""
    module = build(graph, target, stable=range(1, len(graph.inputs))).module
    texts = {name: one.text() for name, one in module.functions.items() if re.search(r"\.line\d+\.\d+$", name)}
    return {text.replace(f"@{name}(", "@(", 1) for name, text in texts.items()}


def numbers_of(graph):
    rng = numpy.random.default_rng(0)
    return [(rng.normal(size=one.type.shape) / 8).astype("f4") for one in graph.inputs]


ALIKE = {
    "terms": ((64, 32, 32), (48, 32, 32)),
    "terms, homes, and as many tiles of a line": ((32, 32, 32, 32), (32, 32, 32)),
    "panels": ((32, 64, 64), (32, 128, 64)),
}
CASES = [
    pytest.param(pair, level, id=f"{name} {level}") for name, pair in ALIKE.items() for level in ("avx512", "avx2")
]


@pytest.mark.parametrize(("pair", "name"), [one for one in CASES if one.id != "panels avx2"])  # of other widths there
def test_layers_that_differ_in_integers_share_their_lines(pair, name):
    one, other = (lines_of(layers(*channels), named_target(name)) for channels in pair)
    assert one
    assert other
    assert other <= one or one <= other


def test_a_chain_of_layers_has_few_lines():
    """Six layers of 32 columns, all of them with other terms, or other homes for their results."""
    chain = layers(3, 32, 32, 32, 32, 32, 32)
    inner = lines_of(layers(32, 32, 32))
    assert inner <= lines_of(chain)
    assert len(lines_of(chain)) <= len(lines_of(layers(3, 32))) + len(inner)


@pytest.mark.parametrize("other", [{"side": 12}, {"tail": ops.tanh}], ids=["heights of tiles", "epilogue"])
def test_what_decides_the_code_is_not_shared(other):
    assert not lines_of(layers(32, 32, 32)) & lines_of(layers(32, 32, 32, **other))


@pytest.mark.parametrize("side", [1, 5, 16, 33])
@pytest.mark.parametrize(("channels", "step", "taps"), [((3, 24, 40), 1, 3), ((16, 16, 16), 2, 3), ((8, 33, 7), 1, 1)])
def test_chains_compute_what_they_should(channels, side, step, taps):
    graph = layers(*channels, side=side, step=step, taps=taps)
    inputs = numbers_of(graph)
    for threads in (1, 2):
        program = compiled(graph, WIDEST, stable=range(1, len(inputs)), threads=threads)
        for result, wanted in zip(program.run(inputs), evaluate(graph, inputs), strict=True):
            numpy.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("side", "place"), [(14, "in registers"), (16, "in registers"), (21, "in the code")])
def test_tall_tiles_keep_the_distance_of_rows_in_the_code(side, place):
    """There are general registers for the odd multiples of it up to 15."""
    graph, target = layers(16, 16, 16, side=side), named_target("avx512")
    (*_, plan) = plans_of(scheduled(graph, target, stable=(1, 2)))
    assert plan.tiles[0].heights == (side,)
    assert place in str(plan)
    assert plan.tiles[0].distances == (place,)


@pytest.mark.parametrize("name", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("channels", [(64, 16, 16), (64, 32, 32), (96, 48, 48), (64, 64, 64)])
def test_a_turn_takes_as_many_instructions_as_with_distances_in_the_code(channels, name, monkeypatch):
    target = named_target(name)

    def longest():
        graph = layers(*channels, side=14)
        text = build(graph, target, stable=(1, 2)).module.text()
        bodies = inner_loops(assembly(text, target), ("vfmadd", "mulps"))
        return max(map(len, bodies)), "%x.apart" in text

    count, in_registers = longest()
    monkeypatch.setattr(thresholds, "DISTANT_ROWS", 0)
    count_in_code, other = longest()
    assert in_registers
    assert not other
    assert count <= count_in_code


# Epilogues of lines


def ending(space, *stores, params=1):
    return Ending(tuple(Param(float32, 1000, True) for _ in range(params)), tuple(stores))


def sum_of(space):
    return space.interner.load(float32, -1, (space.flat(tuple(map(space.axis, range(3))), (2, 16, 8)),))


def test_what_a_line_does_not_change_is_in_its_pointers():
    space = Space(Interner(), {0: 2, 1: 16, 2: 8})
    place = space.affine([(space.axis(0), 200), (space.axis(1), 1), (space.axis(2), 16)], 40)
    made = ending_of_lines(ending(space, Statement(0, place, sum_of(space))), (2, 16, 8), column=1, row=2, step=3)
    (access,) = made.accesses
    assert (access.buffer, access.constant, access.terms) == (0, 40, ((0, 200), (2, 16)))
    assert (access.apart, access.is_argument) == (48, True)
    assert made.axes == ()
    assert str(made.ending) == str(
        ending_of_lines(
            ending(space, Statement(0, space.affine([(space.axis(1), 1), (space.axis(2), 7)]), sum_of(space))),
            (2, 16, 8), column=1, row=2,
        ).ending
    )  # fmt: skip


def test_an_axis_that_the_epilogue_computes_with_is_given():
    space = Space(Interner(), {0: 2, 1: 16, 2: 8})
    interner = space.interner
    place = space.affine([(space.axis(0), 200), (space.axis(1), 1), (space.axis(2), 16)])
    for axis, expected in ((0, (0,)), (2, (2,)), (1, ())):
        value = interner.call(float32, "add", (sum_of(space), interner.cast(space.axis(axis), float32)))
        made = ending_of_lines(ending(space, Statement(0, place, value)), (2, 16, 8), column=1, row=2)
        assert made.axes == expected
        assert made.has_row(2) == (axis == 2)
        (access,) = made.accesses
        assert access.is_argument == (axis != 2)
        assert (2 in dict(access.terms)) == (axis != 2)


def test_columns_that_are_apart_keep_the_distance_of_rows():
    """They are stored lane by lane, at indices."""
    space = Space(Interner(), {0: 2, 1: 16, 2: 8})
    place = space.affine([(space.axis(1), 8), (space.axis(2), 3)])
    made = ending_of_lines(ending(space, Statement(0, place, sum_of(space))), (2, 16, 8), column=1, row=2)
    (access,) = made.accesses
    assert (access.apart, access.is_argument) == (3, False)
    assert "3*i2" in str(made.ending)


def test_a_buffer_at_two_places_is_two_arguments():
    space = Space(Interner(), {0: 2, 1: 16, 2: 8})
    near = space.affine([(space.axis(1), 1), (space.axis(2), 16)])
    far = space.affine([(space.axis(1), 1), (space.axis(2), 16)], 400)
    value = space.interner.call(float32, "add", (sum_of(space), space.interner.load(float32, 0, (far,))))
    made = ending_of_lines(ending(space, Statement(0, near, value)), (2, 16, 8), column=1, row=2)
    assert [access.constant for access in made.accesses] == [400, 0]
    assert [access.buffer for access in made.accesses] == [0, 0]
    assert isinstance(made.ending.stores[0].value.args[1], Load)
    assert made.ending.stores[0].buffer == 1


@pytest.mark.parametrize("level", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("sizes", [(2, 4, 5), (3, 2, 7), (1, 6, 5)])
def test_one_column_alone_lies_where_its_row_does(sizes, dtype, level):
    """The address of a result of one column has no term of columns: rows lie apart in it all the same."""
    x, w = (numpy.random.default_rng(seed).normal(size=shape).astype(dtype) for seed, shape in enumerate(
        [(1, 3, *sizes), (3, 1, 1, 1, sizes[-1])]
    ))  # fmt: skip
    graph = make_graph(
        lambda x, w: [composites.relu(ops.convolution(x, w, (1, 1, 1), ((0, 0), (1, 1), (0, 0)), (1, 1, 1), 3))],
        [TensorType(one.shape, one.dtype) for one in (x, w)],
    )
    result = compiled(graph, named_target(level)).run([x, w])[0]
    padded = numpy.pad(x, ((0, 0), (0, 0), (0, 0), (1, 1), (0, 0)))
    expected = numpy.maximum((padded * w[:, 0][None]).sum(-1, keepdims=True), 0)
    numpy.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
