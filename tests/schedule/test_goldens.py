"""What is decided of each kind of kernel is what was written down, and what is decided just beside it is not."""

import pytest

from hybridize import hybridize as compiled
from hybridize import np, ops
from hybridize.base.types import TensorType
from hybridize.ops import composites
from hybridize.schedule.kernel import Lanes, Memcpy, Panels, SideBySide, Tiles
from hybridize.schedule.steps import LoopStep
from tests.schedule import goldens
from tests.schedule.goldens import each, f32, schedule_of, unknown


@pytest.mark.parametrize("name", goldens.CASES)
def test_schedule(name):
    path = goldens.FOLDER / f"{name.replace(' ', '_')}.txt"
    found = f"{goldens.CASES[name]()}\n"
    assert found == path.read_text(), "if it is meant to: python tests/schedule/goldens.py --write"


def test_no_golden_is_left_over():
    assert set(goldens.written()) == {f"{name.replace(' ', '_')}.txt" for name in goldens.CASES}


def nest_of(function, *types, target="avx512"):
    """The only nest of a graph's first kernel."""
    (nest,) = next(
        s for s in schedule_of(function, *types, target=target).steps if isinstance(s, LoopStep)
    ).kernel.nests
    return nest


def kinds(function, *types, target="avx512"):
    nest = nest_of(function, *types, target=target)
    return {type(axis.kind) for axis in (*nest.rows, *(axis for body in nest.bodies for axis in body.axes))}


@pytest.mark.parametrize(
    ("shape", "target", "tiled"),
    [((8, 8), "avx2", True), ((7, 8), "avx2", False), ((8, 7), "avx2", False), ((16, 16), "avx512", True),
     ((15, 16), "avx512", False)],
)  # fmt: skip
def test_tiles_are_for_axes_that_hold_one(shape, target, tiled):
    assert (Tiles in kinds(goldens.turned, f32(*shape), f32(*reversed(shape)), target=target)) is tiled


@pytest.mark.parametrize(("dtype", "target"), [("f8", "baseline"), ("i1", "avx512")])
def test_no_tiles_of_too_few_or_too_many_lanes(dtype, target):
    import numpy

    types = [TensorType((256, 256), numpy.dtype(dtype))] * 2
    assert Tiles not in kinds(goldens.turned, *types, target=target)


def test_no_tiles_for_bodies_that_are_long():
    def heavy(x, y):
        return [ops.tanh(ops.add(ops.transpose(x, (1, 0)), y))]

    assert Tiles not in kinds(heavy, f32(64, 64), f32(64, 64))


@pytest.mark.parametrize(
    ("rows", "target", "apart"), [(4, "avx512", True), (3, "avx512", False), (2, "avx2", True), (3, "avx2", True)]
)
def test_rows_side_by_side_are_as_many_as_registers_hold(rows, target, apart):
    assert (SideBySide in kinds(each(lambda x: ops.sum(x, (1,))), f32(rows, 100), target=target)) is apart


def test_rows_that_wait_for_arithmetic_are_folded_one_by_one():
    assert SideBySide not in kinds(each(lambda x: ops.sum(ops.tanh(x), (1,))), f32(9, 100))
    assert SideBySide not in kinds(each(lambda x: ops.sum(x, (1,))), f32(9, unknown()))


@pytest.mark.parametrize(
    ("shape", "panels"), [((257, 512), True), ((256, 512), False), ((2000, 128), True), ((2000, 127), False)]
)
def test_panels_are_for_what_the_second_cache_does_not_hold(shape, panels):
    assert (Panels in kinds(each(lambda x: ops.sum(x, (0,))), f32(*shape))) is panels


@pytest.mark.parametrize(("columns", "fetched"), [(255, 0), (256, 1), (2048, 1), (2049, 0)])
def test_rows_are_fetched_ahead_if_long_and_still_near(columns, fetched):
    nest = nest_of(goldens.centred, f32(9, columns))
    assert len(nest.bodies[-1].fetches) == fetched


@pytest.mark.parametrize(("step", "copied"), [(1, True), (2, False)])
def test_only_runs_are_copied(step, copied):
    assert (Memcpy in kinds(each(lambda x: ops.slice(x, (0, 2), (5, 8), (1, step))), f32(5, 10))) is copied


def test_statements_that_read_other_turns_have_loops_of_their_own():
    def flipped(x):
        y = ops.neg(x)
        return [y, ops.flip(ops.add(y, ops.flip(y, 0)), 0)]

    assert all(len(body.statements) == 1 for step in schedule_of(flipped, f32(64)).steps for nest in step.kernel.nests
               for body in nest.bodies)  # fmt: skip


@pytest.mark.parametrize(("elements", "loops"), [(64, 0), (65, 1), (1 << 20, 1)])
def test_threads_share_loops_of_several_turns(elements, loops, monkeypatch):
    monkeypatch.setattr("hybridize.schedule.sharing.worth", lambda *_: True)
    (step,) = schedule_of(each(ops.tanh), f32(elements), slots=4).steps
    assert (step.split is not None) == bool(loops)
    if step.split is not None:
        (loop,) = step.split.loops
        assert (loop.axis, loop.step, loop.turns) == (0, 64, -(-elements // 64))


def test_rows_in_lanes_have_no_vectors_of_their_own_along_folds():
    nest = nest_of(each(lambda x: composites.softmax(x, 0)), f32(9, 40))
    assert isinstance(nest.rows[-1].kind, Lanes)
    assert nest.folds == ()
    assert all(not isinstance(axis.kind, Lanes) for body in nest.bodies for axis in body.axes)


def test_a_program_shows_its_schedule():
    f = compiled(lambda x: np.tanh(x) + 1.0)
    text = f.program(np.ones((3, 7))).schedule()
    assert text.startswith("1 step, 0 bytes of scratch\n0. loops: tanh, broadcast, add")
    assert "i0 < 21 in " in text
    other = compiled(lambda x: np.tanh(x) + 1.0, backend="numpy")
    assert other.program(np.ones((3, 7))).schedule().startswith("no schedule")


def test_a_schedule_of_sizes_that_are_not_known_names_them():
    """Printing assumes nothing, and two programs that differ in what is known have different texts."""
    size = unknown()
    shown = str(schedule_of(goldens.convolved(1, 1), f32(1, 64, 14, size), goldens.WEIGHT))
    assert not size.scope.conditions
    assert "a3<n0>*64" in shown
    assert shown != str(schedule_of(goldens.convolved(1, 1), f32(1, 64, 14, 9), goldens.WEIGHT))


def test_an_epilogue_is_text_with_each_expression_once():
    """A product's epilogue reads like a kernel: shared expressions have a name, and nothing is shown as Python has it."""

    def squared_often(x, w):
        y = ops.matmul(x, w)
        for _ in range(12):  # as a tree it has 2^12 leaves
            y = ops.mul(y, y)
        return [y]

    (step,) = schedule_of(squared_often, f32(6, 64), f32(64, 48)).steps
    shown = str(step)
    assert shown.count("mul(") == 12
    assert shown.count("sum[") == 1
    assert "b0[(48*i1 + i2)] = %" in shown
    for text in (shown, *goldens.written().values()):
        assert "Epilogue(" not in text
        assert "dtype" not in text
