"""Operands that are read as they lie, borders and all: parts of the result that see the same taps."""

import itertools

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float32, int64
from hybridize.base.precision import default_precision
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import runnable
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile as compiled
from hybridize.loops.contraction import Contraction, extent, plain, reference, subscript
from hybridize.machine.target import named_target
from hybridize.ops import evaluate, make_graph
from hybridize.schedule.contraction import thresholds as tiles
from hybridize.schedule.contraction.borders import borders
from hybridize.schedule.contraction.parts import whole
from hybridize.schedule.contraction.phases import phases
from hybridize.schedule.steps import ContractionStep, LoopStep

TARGETS = runnable()


# Arithmetic


@st.composite
def leaving(draw):
    """A contraction of one to three axes with windows that leave x, and shapes of its operands."""
    count = draw(st.integers(1, 3))
    factor = st.sampled_from((1, 1, 2, 3, -1, -2))
    sizes = [draw(st.integers(1, 2)), *(draw(st.integers(1, 9 - 2 * count)) for _ in range(count))]
    inner = [draw(st.integers(1, 2)), *(draw(st.integers(1, 4)) for _ in range(count))]
    rank = len(sizes)
    x, w, shape = [plain(rank)], [plain(0), plain(rank)], [inner[0]]
    for axis in range(count):
        terms = [(1 + axis, draw(factor)), (rank + 1 + axis, draw(factor))]
        kept = draw(st.sampled_from((terms, terms, terms, terms[:1], terms[1:], [terms[0], (rank + 1, 1)])))
        x.append(subscript(kept, draw(st.integers(-5, 5)), draw(st.sampled_from((1, 1, 1, 2)))))
        w.append(plain(rank + 1 + axis))
        shape.append(draw(st.integers(1, 7)))
        if kept[0] is not terms[0]:
            x.append(plain(1 + axis))
            shape.append(sizes[1 + axis])
    contraction = Contraction((*sizes, *inner), rank, tuple(x), tuple(w), default_precision(int64))
    return contraction, tuple(shape), (sizes[0], *inner)


@settings(max_examples=300, deadline=None)
@given(leaving(), st.integers(0, 99))
def test_parts_store_every_element_once_and_stay_within_x(case, seed):
    contraction, *shapes = case
    found = phases(contraction)
    cut = [] if found is None else [borders(part, shapes[0]) for part in found]
    if found is None or None in cut:
        return
    rng = numpy.random.default_rng(seed)
    x, w = (rng.integers(-9, 10, shape, dtype=numpy.int64) for shape in shapes)
    out, times = (numpy.zeros(contraction.shape, numpy.int64) for _ in range(2))
    for part in itertools.chain(*cut):
        sizes, rank = part.contraction.sizes, contraction.rank
        axes = zip(part.places[:rank], sizes, strict=False)
        at = tuple(slice(first, first + step * size, step) for (step, first), size in axes)
        assert out[at].shape == part.contraction.shape
        if not part.is_empty:
            for index, size in zip(part.contraction.x, shapes[0], strict=True):
                low, high = extent(index, sizes)
                assert 0 <= low <= high < size
        out[at] = reference(part.contraction, x, w)
        times[at] += 1
    numpy.testing.assert_array_equal(times, 1)
    numpy.testing.assert_array_equal(out, reference(contraction, x, w))


def test_the_nine_parts_of_an_image():
    def of(size, offset=-1, window=3):
        x = (subscript(((0, 1), (3, 1)), offset), subscript(((1, 1), (4, 1)), offset), plain(5))
        sizes = (size, size, 8, window, window, 4)
        return whole(Contraction(sizes, 3, x, (plain(2), plain(3), plain(4), plain(5)), default_precision(float32)))

    found = borders(of(9), (9, 9, 4))
    assert len(found) == 9
    boxes = {(part.places[0][1], part.places[1][1]): part.contraction.sizes for part in found}
    assert boxes[1, 1] == (7, 7, 8, 3, 3, 4)
    assert boxes[0, 1] == (1, 7, 8, 2, 3, 4)
    assert boxes[8, 8] == (1, 1, 8, 2, 2, 4)
    assert len(borders(of(9, 0), (11, 11, 4))) == 1
    assert len(borders(of(1), (1, 1, 4))) == 1  # one pixel, in the middle of its window
    assert len(borders(of(15, -7, 15), (15, 15, 4)) or ()) == 0  # every line of its own
    assert borders(of(200, -100, 1), (3, 3, 4)) is None  # far outside


def test_windows_of_sizes_that_only_calls_know_are_not_cut():
    size = SizeScope().symbol(9)
    x = (subscript(((0, 1), (2, 1)), -1),)
    made = whole(Contraction((size, 8, 3), 2, x, (plain(2), plain(1)), default_precision(float32)))
    assert borders(made, (size,)) is None


# Programs


def numbers(shape, seed=0):
    return numpy.random.default_rng((seed, *shape)).uniform(-1, 1, shape).astype("f4")


def graph_of(function, *arrays):
    return make_graph(function, [TensorType(each.shape, each.dtype) for each in arrays])


def steps_of(graph, target, **options):
    """The contractions of a program, and the words of its copies."""
    steps = scheduled(graph, named_target(target), **options).steps
    copies = [step.provenance.ops[0] for step in steps if isinstance(step, LoopStep)]
    return [step for step in steps if isinstance(step, ContractionStep)], copies


@st.composite
def images(draw):
    """A convolution of images that lie channels last, of few channels in the order of axes, or its gradient by w."""
    kind = draw(st.sampled_from(("last", "last", "few", "gradient")))
    rank = draw(st.sampled_from((1, 2, 2, 2, 3)))
    channels = draw(st.sampled_from((1, 2, 3) if kind == "few" else (4, 8, 17)))
    sizes = [draw(st.integers(3, 17 if rank < 3 else 6)) for _ in range(rank)]
    taps = [draw(st.sampled_from((1, 2, 3, 3, 5))) for _ in range(rank)]
    steps = [draw(st.sampled_from((1, 1, 2, 3))) for _ in range(rank)]
    spaces = [draw(st.sampled_from((1, 1, 2))) for _ in range(rank)]
    sides = [draw(st.sampled_from(((1, 1), (1, 1), (0, 2), (2, 0), (0, 0), (3, -1)))) for _ in range(rank)]
    after = [
        (size + sum(side) - (tap - 1) * space - 1) // step + 1
        for size, tap, step, space, side in zip(sizes, taps, steps, spaces, sides, strict=True)
    ]
    after = [max(1, size) for size in after]
    outputs = draw(st.sampled_from((4, 16, 19, 48)))
    pixels, windows = "yzt"[:rank], "rsu"[:rank]
    index = "".join(
        f"[{step}{p}+{space}{w}-{side[0]}]"
        for p, w, step, space, side in zip(pixels, windows, steps, spaces, sides, strict=True)
    )
    batch = draw(st.integers(1, 3))
    if kind == "gradient":
        x, w = (batch, *sizes, channels), (batch, *after, outputs)
        return f"n{index}c,n{pixels}o->o{windows}c", x, w, dict(zip(windows, taps, strict=True))
    x = (batch, channels, *sizes) if kind == "few" else (batch, *sizes, channels)
    w = (outputs, channels, *taps)
    spec = f"{f'nc{index}' if kind == 'few' else f'n{index}c'},oc{windows}->n{pixels}o"
    return spec, x, w, dict(zip(pixels, after, strict=True))


@settings(max_examples=30, deadline=None)
@given(images(), st.sampled_from(TARGETS), st.booleans())
def test_bits_do_not_depend_on_copies_or_threads(case, target, turned):
    """Read as it lies wherever that can be, and from a copy with a halo: the same sums in the same order."""
    spec, x, w, sizes = case
    graph = graph_of(lambda x, w: [ops.neg(ops.contract(spec, x, w, sizes))], x := numbers(x), w := numbers(w, 1))
    (wanted,) = evaluate(graph, [x.astype("f8").astype("f4"), w])
    results = []
    for parts, copied in ((0, 8), (64, 1e-9)):
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(tiles, "TAP_PARTS", parts)
            changed.setattr(tiles, "COPIED_BYTES", copied)
            results.append(compiled(graph, named_target(target)).run([x, w])[0])
    scale = max(1.0, float(abs(wanted).max(initial=0)))
    for found in results:
        numpy.testing.assert_allclose(found, wanted, rtol=0, atol=1e-4 * scale)
    if "few" not in spec and spec[1] != "c":  # those of few channels are summed in the order in which they lie
        assert results[0].tobytes() == results[1].tobytes()


CHANNELS_LAST = "n[y+r-1][x+s-1]c,orsc->nyxo"


def test_large_images_are_read_as_they_lie_and_small_ones_are_copied():
    def copies(size, channels):
        graph = graph_of(
            lambda x, w: [ops.contract(CHANNELS_LAST, x, w, {"y": size, "x": size})],
            numbers((1, size, size, channels)),
            numbers((64, 3, 3, channels)),
        )
        steps, words = steps_of(graph, "avx512", stable=(1,))
        return [len(tiles.parts) for step in steps for tiles in step.plan.tiles], words

    parts, words = copies(56, 64)
    assert sum(parts) == 9
    assert words == []
    assert max(parts) >= 3  # the middle and its neighbours in a column share their code
    parts, words = copies(3, 64)
    assert parts == [1]
    assert words == ["copy in"]


@pytest.mark.parametrize("batch", ["known", "unknown"])
def test_any_batch(batch):
    scope = SizeScope()
    count = scope.symbol(4, low=1) if batch == "unknown" else 4
    scope.capturing = False
    kinds = [TensorType((count, 14, 14, 64), float32), TensorType((32, 3, 3, 64), float32)]
    graph = make_graph(lambda x, w: [ops.contract(CHANNELS_LAST, x, w, {"y": 14, "x": 14})], kinds)
    steps, words = steps_of(graph, "avx512")
    assert "copy in" not in words
    assert sum(len(tiles.parts) for tiles in steps[0].plan.tiles) == 9
    w = numbers((32, 3, 3, 64), 1)
    for target in TARGETS:
        program = compiled(graph, named_target(target))
        for n in (4,) if batch == "known" else (4, 1, 2, 33):
            x = numbers((n, 14, 14, 64))
            exact = graph_of(lambda x, w: [ops.contract(CHANNELS_LAST, x, w, {"y": 14, "x": 14})], x, w)
            numpy.testing.assert_allclose(program.run([x, w])[0], evaluate(exact, [x, w])[0], atol=2e-4)


def test_a_slice_is_read_within_its_base():
    """What lies beyond a slice are elements of others, not zeros, and they are not read."""

    def run(x, w):
        part = ops.slice(x, (0, 3, 2, 0), (1, 33, 34, 16), (1, 1, 1, 1))
        return [ops.contract(CHANNELS_LAST, part, w, {"y": 30, "x": 32})]

    x, w = numbers((1, 40, 40, 16)), numbers((16, 3, 3, 16), 1)
    x[:, :3], x[:, 33:], x[:, :, :2], x[:, :, 34:] = (numpy.nan,) * 4
    graph = graph_of(run, x, w)
    for target in TARGETS:
        numpy.testing.assert_allclose(
            compiled(graph, named_target(target)).run([x, w])[0], evaluate(graph, [x, w])[0], atol=1e-4
        )


def test_many_phases_are_lines_of_a_table():
    """A transposed convolution of stride 8: 64 phases, whose code is that of one and their borders."""
    x, w = numbers((1, 16, 6, 6)), numbers((16, 16, 16, 16), 1)

    def run(x, w):
        return [ops.convolution(x, w, padding=11, x_dilation=8)]

    graph = graph_of(run, x, w)
    steps, _ = steps_of(graph, "avx2")
    (plan,) = (step.plan for step in steps)
    assert sum(len(tiles.parts) for tiles in plan.tiles) >= 64
    assert len(plan.tiles) <= 6
    assert len(build(graph, named_target("avx2")).module.text()) < 400_000
    (wanted,) = evaluate(graph, [x, w])
    for target in TARGETS:
        (found,) = compiled(graph, named_target(target)).run([x, w])
        numpy.testing.assert_allclose(found, wanted, atol=1e-3)


@pytest.mark.parametrize(("size", "steps"), [(24, ["contract"]), (3, ["border", "transpose", "contract"])])
def test_views_of_inputs_are_read_where_these_lie(size, steps):
    """Channels last outside, first within: neither the turned image nor one with a halo is made, unless that pays."""

    def run(x, w):
        y = ops.convolution(ops.transpose(ops.transpose(x, (0, 2, 1, 3)), (0, 3, 2, 1)), w, 1, 1)
        return [ops.transpose(y, (0, 2, 3, 1)), ops.sum(x, (0, 1, 2))]

    x, w = numbers((1, size, size, 64)), numbers((64, 64, 3, 3), 1)
    graph = graph_of(run, x, w)
    made = [step.provenance.ops[0] for step in scheduled(graph, named_target("avx512"), stable=(1,)).steps]
    assert sorted(made) == sorted([*steps, "sum"])
    for target in TARGETS:
        found = compiled(graph, named_target(target)).run([x, w])
        for one, wanted in zip(found, evaluate(graph, [x, w]), strict=True):
            numpy.testing.assert_allclose(one, wanted, atol=1e-3)
