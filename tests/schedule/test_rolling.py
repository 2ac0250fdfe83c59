# SPDX-License-Identifier: Apache-2.0
"""Rolling bands: contractions over images that run a few lines at a time give the bits of those that run one by one."""

import re

import numpy
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hybridize import np, ops
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, runnable
from hybridize.codegen.llvm.program import build
from hybridize.compiler import compile
from hybridize.compiler.pool import have_pool
from hybridize.gluon import nn
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph
from hybridize.passes import PIPELINE
from hybridize.runtime.executable import Executable
from hybridize.runtime.pool import POOL
from hybridize.schedule import thresholds

LEVELS = runnable()
NEVER = {"FAR_SHARE": 0}
ALWAYS = {"FAR_SHARE": 1 << 40, "ROLLING_WORK": 1 << 40, "ROLLING_AGAIN": 0, "WEIGHT_SHARE": 0}
"""Bands of whatever can be in one."""


def chain(image, layers, skip, counts=False):
    """A graph of convolutions one after the other: of so many channels, or depthwise, by a window, with a stride.

    One that `counts` has a number for its last input, and twice that for its last output.
    """
    channels, shapes = image[1], [image]
    for count, window, _ in layers:
        shapes.append((count or channels, channels if count else 1, window, window))
        channels = count or channels

    def function(x, *weights):
        weights, further = (weights[:-1], weights[-1:]) if counts else (weights, ())
        y = first = ops.mul(x, ops.like(0.5, x))
        for w, (count, window, stride) in zip(weights, layers, strict=True):
            groups = 1 if count else ops.type_of(y).shape[1]
            y = ops.convolution(y, w, stride, window // 2, 1, groups)
            y = composites.relu(ops.add(y, ops.like(0.25, y)))
        if skip and ops.type_of(y).shape == ops.type_of(first).shape:
            y = ops.add(y, first)
        return [y, *(ops.add(number, number) for number in further)]

    return make_graph(function, [TensorType(shape, float32) for shape in [*shapes, *[(1,)] * counts]])


def numbers(graph):
    rng = numpy.random.default_rng(len(graph.inputs))
    return [rng.uniform(-1, 1, value.type.shape).astype(numpy.float32) for value in graph.inputs]


def run(graph, target, slots, limits):
    """The result of a graph whose bands have these limits, and how many of its steps are in one."""
    with pytest.MonkeyPatch.context() as changed:
        for name, number in limits.items():
            changed.setattr(thresholds, name, number)
        changed.setattr(thresholds, "WORTH_US", 0.0)
        changed.setattr(thresholds, "RANGE_US", 1e-9)
        stable = range(1, len(graph.inputs))
        built = build(PIPELINE.run(graph), named_target(target), stable=stable, slots=slots)
    loaded = compile_module(built.module.text(), named_target(target))
    team = POOL.team(slots) if slots > 1 else None
    given = (built.plan, built.constants, built.sources)
    program = Executable(loaded, loaded.address("program"), *given, **({} if team is None else {"team": team}))
    steps = sum(last - first + 1 for first, last, *_ in built.plan.bands)
    return program.run(numbers(graph))[0], steps, built.plan.scratch_bytes


LAYERS = st.lists(st.sampled_from([(32, 1, 1), (16, 1, 1), (0, 3, 1), (0, 5, 1), (16, 3, 1), (32, 3, 2)]), max_size=3)


@settings(max_examples=12, deadline=None)
@given(
    LAYERS,
    st.sampled_from([(0, 3, 1), (0, 5, 1), (16, 3, 1)]),
    st.integers(9, 22),
    st.integers(7, 12),
    st.booleans(),
    st.sampled_from(LEVELS),
    st.sampled_from([1, 4, 1 << 40]),
    st.integers(2, 4),
)
def test_random_chains_give_the_bits_of_single_steps(layers, window, height, width, skip, target, near, longest):
    graph = chain((1, 16, height, width), [(16, 1, 1), *layers, (32, 1, 1), window, (16, 1, 1), (16, 1, 1)], skip)
    wanted, none, _ = run(graph, target, 1, NEVER)
    found, some, _ = run(graph, target, 1, {**ALWAYS, "BLOCK_SHARE": near, "ROLLING_STEPS": longest})
    assert none == 0
    numpy.testing.assert_array_equal(found, wanted)
    numpy.testing.assert_allclose(found, evaluate(graph, numbers(graph))[0], rtol=1e-3, atol=1e-3)
    assume(some)


RESIDUAL = [(16, 1, 1), (96, 1, 1), (0, 3, 1), (16, 1, 1), (16, 1, 1)]
"""An inverted residual between others: the last result is an output of the program, and is turned to its order."""


@pytest.mark.parametrize("updated", ["another", "the image"])
def test_updates_leave_bands_and_the_bits_as_they_are(updated):
    graph = chain((1, 16, 47, 8), RESIDUAL, False, counts=True)
    values = numbers(graph)
    wanted, *_ = run(graph, "avx2", 1, NEVER)
    output, source = {"another": (1, len(values) - 1), "the image": (0, 0)}[updated]
    with pytest.MonkeyPatch.context() as changed:
        for name, number in {**ALWAYS, "BLOCK_SHARE": 1 << 40}.items():
            changed.setattr(thresholds, name, number)
        executable = compile(graph, named_target("avx2"), stable=range(1, 6), updates={output: source}, threads=1)
    assert executable.plan.bands
    assert updated != "another" or dict(executable.plan.updates) == {1: source}
    expected = wanted, values[-1] + values[-1]
    donated = {output: values[source]} if executable.plan.updates else {}
    for result, right in zip(executable.run(values, donated=donated), expected, strict=True):
        numpy.testing.assert_array_equal(result, right)


@pytest.mark.skipif(not POOL.possible(), reason="no pool on this system")
@pytest.mark.parametrize("slots", [2, 3])
@pytest.mark.parametrize("window", [(0, 3, 1), (0, 5, 1), (0, 3, 2)])
def test_threads_have_lines_of_their_own_and_give_the_same_bits(slots, window):
    assert have_pool()
    graph = chain((1, 16, 47, 8), [*RESIDUAL[:2], window, *RESIDUAL[3:]], True)
    wanted, _, _ = run(graph, "avx2", 1, NEVER)
    found, some, _ = run(graph, "avx2", slots, {**ALWAYS, "BLOCK_SHARE": 1 << 40})
    assert some >= 3
    numpy.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("height", [21, 40])
def test_what_lies_between_needs_memory_for_some_lines_only(height):
    graph = chain((1, 16, height, 40), RESIDUAL, True)
    _, none, whole = run(graph, "avx2", 1, NEVER)
    _, some, kept = run(graph, "avx2", 1, {**ALWAYS, "BLOCK_SHARE": 1 << 40})
    assert none == 0
    assert some >= 3
    # Two images of 96 channels at once, before; now three of 16, and a few lines.
    assert whole >= 2 * 96 * height * 40 * 4
    assert kept <= 3 * 16 * height * 40 * 4 + 2 * 96 * 8 * 42 * 4


def inverted(width, stride):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 1), nn.Conv2D(width, 1, activation="relu"))
    net.add(nn.Conv2D(width, 3, stride, 1, groups=width, activation="relu"), nn.Conv2D(24, 1), nn.GlobalAvgPool2D())
    net.initialize()
    return net


@pytest.mark.parametrize(
    ("shape", "width", "banded"),
    [
        ((1, 3, 112, 112), 96, True),  # 4.8 MB between
        ((1, 3, 14, 14), 96, False),  # stays in the second-level cache by itself
        ((2, 3, 112, 112), 96, False),  # several images
    ],
)
def test_a_block_is_a_band_where_its_image_is_larger_than_the_cache(shape, width, banded):
    net = inverted(width, 2)
    net.hybridize(threads=1)
    x = np.array(numpy.random.default_rng(0).standard_normal(shape).astype(numpy.float32))
    found = net(x)
    text = net.program(x).schedule()
    assert bool(re.search(r"band 0: rolling, \d+ of 56 units at a time, \d+ of 11[23] lines", text)) == banded
    net.hybridize(active=False)
    numpy.testing.assert_allclose(found.asnumpy(), net(x).asnumpy(), rtol=1e-4, atol=1e-5)


def test_a_report_times_the_steps_of_a_band_together():
    net = inverted(96, 2)
    net.hybridize(threads=1)
    x = np.array(numpy.ones((1, 3, 112, 112), numpy.float32))
    net(x)
    report = net.program(x).explain(x, profile=True)
    ((first, last, size, rows, batch),) = report.bands
    assert last - first == 3
    assert (rows, batch) == (56, 1)
    assert 0 < size < rows
    assert f"kernels {first} to {last}: {size} of 56 rows at a time" in str(report)
    assert report.seconds > 0


def test_sizes_that_only_calls_know_are_in_no_band():
    net = inverted(32, 1)
    images = [np.array(numpy.ones((1, 3, size, size), numpy.float32)) for size in (9, 16, 24)]
    wanted = [net(x).asnumpy() for x in images]
    net.hybridize()
    with pytest.MonkeyPatch.context() as changed:
        for name, number in ALWAYS.items():
            changed.setattr(thresholds, name, number)
        for x, expected in zip(images, wanted, strict=True):
            numpy.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)
