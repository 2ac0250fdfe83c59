"""Vectors of loops over sizes that are known and that are not, and how what they leave ends."""

import pytest

from hybridize import ops
from hybridize.base.dtypes import float32, int8
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.loops.kernel import Param
from hybridize.machine.target import named_target
from hybridize.schedule.kernel import Few, Lanes, LoopAxis
from hybridize.schedule.vectors import Widths
from tests.schedule.goldens import unknown


def vectors(target="avx512", *dtypes):
    return Widths(named_target(target), [Param(dtype, 100, True) for dtype in dtypes or (float32,)])


@pytest.mark.parametrize(
    ("size", "lanes"),
    [
        (0, Lanes(())),
        (1, Lanes((), 1)),
        (5, Lanes((), 8)),
        (15, Lanes((), 16)),
        (16, Lanes((16,))),
        (17, Lanes((16,), 1)),
        (31, Lanes((16,), 16)),
        (64, Lanes((16,))),
    ],
)
def test_what_is_left_of_a_known_size_is_the_smallest_vector_that_holds_it(size, lanes):
    assert vectors().over(0, size, (16, 16)) == lanes


@pytest.mark.parametrize(
    ("low", "target", "dtypes", "always"),
    [
        (2, "avx512", [float32], True),
        (0, "avx512", [float32], False),
        (2, "baseline", [float32], False),
        (2, "avx2", [float32], True),
        (2, "avx2", [float32, int8], False),
        (2, "avx512", [float32, int8], True),
    ],
)
def test_when_the_last_turn_always_runs(low, target, dtypes, always):
    """Where rows are never empty and every array is read and stored under a mask."""
    size = unknown(low)
    found = vectors(target, *dtypes).over(0, size, (32, 8))
    assert (found.whole, found.rest, found.always) == ((32, 8), 8, always)


def test_nothing_is_left_of_a_multiple():
    assert vectors().over(0, 16 * unknown(), (32, 16)) == Lanes((32, 16))
    assert vectors().over(0, 16 * unknown(), (64, 32)) == Lanes((64, 32), 32, always=True)


def test_rows_of_one_vector_have_code_of_their_own():
    size = unknown()
    found = vectors().axis(size, (64, 16), Few(size, 16))
    assert found == LoopAxis(size, Lanes((32,), 32, always=True), Lanes((), 16, always=True))
    assert vectors().axis(size + 1, (64, 16), Few(size, 16)).few is None
    assert vectors("baseline").axis(size, (16, 4), Few(size, 4)).few is None


@pytest.mark.parametrize("values", [[], [1]])
def test_no_code_apart_where_sizes_are_known_or_differ(values):
    size = unknown()
    assert vectors().few([size] * 2, []) is not None
    assert vectors().few([size, *values, size + 1], []) is None
    assert vectors().few([], []) is None


@pytest.mark.parametrize(
    ("channels", "threads", "lanes"),
    [(64, 1, 64), (96, 1, 128), (256, 1, 128), (256, 2, 128), (256, 4, 64), (24, 1, 32)],
)
def test_rows_beside_each_other_are_read_as_wide_as_they_lie(channels, threads, lanes):
    """Statistics of a batch that lies channels last: each line of memory is read once, not in one loop after another."""

    def statistics(x):
        mean = ops.mul(ops.sum(x, (0,)), ops.full(0.5, TensorType((channels,), float32)))
        centred = ops.sub(x, ops.broadcast(mean, (3000, channels)))
        return [mean, ops.sum(ops.mul(centred, centred), (0,))]

    graph = ops.make_graph(statistics, [TensorType((3000, channels), float32)])
    (step,) = scheduled(graph, named_target("avx512"), slots=threads).steps
    (row,) = step.kernel.nests[0].rows
    assert max((*row.kind.whole, row.kind.rest)) == lanes
