"""Tables of taps: constants of the code where they are short, written by the call where they are not."""

import dataclasses
import re

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope, is_symbolic
from hybridize.base.dtypes import DType, float32, float64, int8, int16, int32, int64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import runnable
from hybridize.codegen.llvm.objects import assembly
from hybridize.codegen.llvm.program import build, scheduled
from hybridize.compiler import compile as compiled
from hybridize.machine.target import named_target
from hybridize.ops import evaluate, make_graph
from hybridize.schedule import thresholds
from hybridize.schedule.contraction import taps
from hybridize.schedule.contraction import thresholds as tiles
from hybridize.schedule.steps import ContractionStep
from tests.schedule.tiles import inner_loops, plans_of

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
    assert any(plans_of(scheduled(graph, named_target("avx2"))))


@pytest.mark.parametrize("machine", [("avx512", 1), ("avx512", 2), ("avx2", 1), ("avx2", 4)])
@pytest.mark.parametrize(("channels", "size"), [(64, 56), (128, 28), (256, 14), (512, 7), (3, 30)])
def test_inner_loops_keep_their_sums_in_registers(channels, size, machine):
    """By counting instructions: no register is spilled, fewer loads than multiplications, and next to nothing else."""
    name, unroll = machine
    target = dataclasses.replace(named_target(name), unroll=unroll)
    types = [TensorType((1, size, size, channels), float32), TensorType((64, 3, 3, channels), float32)]
    spec, sizes = "n[y+r-1][x+s-1]c,orsc->nyxo", {"y": size, "x": size}
    graph = make_graph(lambda x, w: [ops.contract(spec, x, w, sizes)], types)
    loops = inner_loops(assembly(build(graph, target, stable=(1,)).module.text(), target))
    assert len(loops) >= 1
    for body in loops:
        products = sum("vfmadd" in line for line in body)
        vectors = sum("mm" in line and "prefetch" not in line for line in body)
        scalars = [line for line in body if "mm" not in line and "prefetch" not in line]
        assert not [line for line in body if "(%rsp)" in line]
        assert len(scalars) <= 4
        if products >= 10:  # tiles of a corner have a row or two
            assert vectors - products <= 1.1 * products
    assert max(sum("vfmadd" in line for line in body) for body in loops) >= (20 if name == "avx512" else 10)


@pytest.mark.parametrize("columns", [64, 48, 16])
@pytest.mark.parametrize("dtype", [float32, float64, int8, int16, int32, int64])
@pytest.mark.parametrize("name", ["avx512", "avx2", "baseline", "aarch64"])
def test_no_inner_loop_spills(name: str, dtype: DType, columns: int):
    """Products of integers take several registers more; so do those of floats on machines without multiply-adds."""
    target = named_target(name)
    types = [TensorType((1, 28, 28, 64), dtype), TensorType((columns, 3, 3, 64), dtype)]
    graph = make_graph(lambda x, w: [ops.contract("n[y+r-1][x+s-1]c,orsc->nyxo", x, w, {"y": 28, "x": 28})], types)
    loops = inner_loops(
        assembly(build(graph, target, stable=(1,)).module.text(), target), ("mul", "fma", "fmla", "mla", "madd")
    )
    spilled = r"mm.*\(%rsp\)|\(%rsp\).*mm" if target.processor == "x86_64" else r"\[sp"
    if target.processor != "x86_64":  # loops over tiles and lines use the same registers there
        loops = [body for body in loops if sum("mul" in line or "ml" in line for line in body) > 4]
    assert loops
    assert not [line for body in loops for line in body if re.search(spilled, line)]


@pytest.mark.parametrize(
    ("side", "taps", "terms"), [(10, 5, 5), (8, 3, 3), (6, 8, 8), (4, 9, 4), (14, 5, 1), (12, 3, 3)]
)
def test_rows_that_see_the_same_elements_load_them_once_in_a_turn(side, taps, terms):
    """A line of a window over neighbouring pixels is one turn, where its elements fit the registers; else a term is."""
    target = dataclasses.replace(named_target("avx512"), unroll=2)
    types = [TensorType((2, 3, taps, side + taps - 1), float32), TensorType((16, 3, taps, taps), float32)]
    graph = make_graph(lambda x, w: [ops.convolution(x, w)], types)
    made = build(graph, target, stable=(1,))
    (step,) = (step for step in scheduled(graph, target, (1,)).steps if isinstance(step, ContractionStep))
    assert [panels.unroll for panels in step.plan.panels] == [terms]
    bodies = inner_loops(assembly(made.module.text(), target))
    body = max(bodies, key=len)
    assert not [line for line in body if "(%rsp)" in line]
    assert sum("vfmadd" in line for line in body) == side * terms
    if terms > 1:
        assert sum("(" in line for line in body) <= side + 2 * terms + 2
    x, w = (numpy.random.default_rng(k).standard_normal(type.shape).astype("f4") for k, type in enumerate(types))
    found = compiled(graph, dataclasses.replace(named_target(runnable()[0]), unroll=2)).run([x, w])[0]
    wanted = evaluate(graph, [x, w])[0]
    numpy.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5 * numpy.abs(wanted).max())


@pytest.mark.parametrize("unknown", ["o", "oc", "nco"])
@pytest.mark.parametrize(("name", "unroll"), [("avx512", 2), ("avx2", 1), ("baseline", 1)])
def test_any_number_of_columns(unknown, name, unroll):
    """Columns, terms and images whose numbers only calls know: in tiles, whatever remains of the last panel."""
    scope = SizeScope()
    n, c, o = (scope.symbol(hint) if axis in unknown else hint for axis, hint in zip("nco", (3, 8, 40), strict=True))
    scope.capturing = False

    def run(x, w, b):
        y = ops.contract("nc[y+r-1][x+s-1],ocrs->noyx", x, w, {"y": 6, "x": 7})
        wide = ops.reshape(b, (1, ops.type_of(b).shape[0], 1, 1))
        return [ops.add(y, ops.broadcast(wide, ops.type_of(y).shape))]

    graph = make_graph(run, [TensorType(shape, float32) for shape in ((n, c, 6, 7), (o, c, 3, 3), (o,))])
    target = dataclasses.replace(named_target(name), unroll=unroll)
    assert any(plans_of(scheduled(graph, target)))
    program = compiled(graph, target)
    rng = numpy.random.default_rng(0)
    for sizes in ((3, 8, 40), (3, 8, 2), (3, 8, 16), (2, 5, 17), (4, 7, 130)):
        count, channels, columns = (
            size if axis in unknown else hint for axis, size, hint in zip("nco", sizes, (3, 8, 40), strict=True)
        )
        shapes = (count, channels, 6, 7), (columns, channels, 3, 3), (columns,)
        inputs = [rng.normal(size=shape).astype("f4") for shape in shapes]
        exact = make_graph(run, [TensorType(shape, float32) for shape in shapes])
        numpy.testing.assert_allclose(program.run(inputs)[0], evaluate(exact, inputs)[0], atol=1e-4)


def plan_of(graph, target):
    (plan,) = plans_of(scheduled(graph, target))
    return plan


BLOCKED = {
    # spec, shapes, sizes
    "gradient by a weight": ("n[y+r-1][x+s-1]c,nyxo->orsc", (3, 14, 14, 20), (3, 14, 14, 40), {"r": 3, "s": 3}),
    "of few channels": ("n[y+r-1][x+s-1]c,nyxo->orsc", (5, 9, 9, 2), (5, 9, 9, 144), {"r": 2, "s": 2}),
    "channels first": ("nc[y+r-1][x+s-1],noyx->ocrs", (4, 9, 12, 11), (4, 40, 12, 11), {"r": 3, "s": 3}),
    "a convolution": ("n[y+r-1][x+s-1]c,orsc->nyxo", (2, 8, 9, 48), (40, 3, 3, 48), {"y": 8, "x": 9}),
}


@pytest.mark.parametrize("case", BLOCKED)
@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize(("name", "unroll"), [("avx512", 2), ("avx2", 1), ("baseline", 1)])
def test_blocks_of_taps_change_no_bit(case, outside, name, unroll, monkeypatch):
    """Panels that the cache does not hold: sums wait from block to block, in all their bits."""
    spec, x, w, sizes = BLOCKED[case]
    monkeypatch.setattr(tiles, "BLOCK_TERMS", 40)
    choose = taps.tap_blocks
    monkeypatch.setattr(
        taps, "tap_blocks", lambda *of: taps.TapBlocks(count := choose(*of).count, outside and count > 1)
    )
    rng = numpy.random.default_rng(0)
    inputs = [rng.normal(size=shape).astype("f4") for shape in (x, w)]
    graph = make_graph(
        lambda x, w: [ops.neg(ops.contract(spec, x, w, sizes))], [TensorType(s, float32) for s in (x, w)]
    )
    small, large = (
        dataclasses.replace(named_target(name), unroll=unroll, l2_bytes=nbytes) for nbytes in (1 << 11, 1 << 24)
    )
    blocks = plan_of(graph, small).blocks
    assert blocks.count > 1
    assert blocks.outside == outside
    assert plan_of(graph, large).blocks.count == 1
    (wanted,) = evaluate(graph, inputs)
    found = [compiled(graph, target).run(inputs)[0] for target in (small, large)]
    numpy.testing.assert_allclose(found[0], wanted, atol=1e-3)
    assert found[0].tobytes() == found[1].tobytes()
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(thresholds, "WORTH_US", 0.0)
        changed.setattr(thresholds, "RANGE_US", 1e-9)
        together = compiled(graph, small, threads=3).run(inputs)[0]
    assert together.tobytes() == found[0].tobytes()


def test_blocks_of_any_number_of_images(monkeypatch):
    monkeypatch.setattr(tiles, "BLOCK_TERMS", 40)
    scope = SizeScope()
    n = scope.symbol(6)
    scope.capturing = False
    spec, sizes = "n[y+r-1][x+s-1]c,nyxo->orsc", {"r": 3, "s": 3}
    graph = make_graph(
        lambda x, g: [ops.contract(spec, x, g, sizes)],
        [TensorType((n, 9, 10, 20), float32), TensorType((n, 9, 10, 24), float32)],
    )
    target = dataclasses.replace(named_target("avx2"), l2_bytes=1 << 12)
    assert is_symbolic(plan_of(graph, target).blocks.count)
    program = compiled(graph, target)
    rng = numpy.random.default_rng(0)
    for count in (2, 6, 31):
        inputs = [rng.normal(size=(count, 9, 10, c)).astype("f4") for c in (20, 24)]
        exact = make_graph(
            lambda x, g: [ops.contract(spec, x, g, sizes)], [TensorType(x.shape, float32) for x in inputs]
        )
        numpy.testing.assert_allclose(program.run(inputs)[0], evaluate(exact, inputs)[0], atol=2e-3)


def test_all_panels_go_through_a_block_where_images_are_large():
    """Images of a batch are read once then, not for each panel; of few images, sums are less to move."""
    spec, sizes = "n[y+r-1][x+s-1]c,nyxo->orsc", {"r": 3, "s": 3}

    def blocks(images, l2_bytes):
        types = [TensorType((images, 56, 56, 64), float32), TensorType((images, 56, 56, 256), float32)]
        graph = make_graph(lambda x, g: [ops.contract(spec, x, g, sizes)], types)
        return plan_of(graph, dataclasses.replace(named_target("avx512"), l2_bytes=l2_bytes)).blocks

    assert blocks(32, 2 << 20).outside
    assert not blocks(32, 1 << 18).outside
    assert blocks(32, 1 << 20).count > 8
    assert blocks(1, 16 << 20).count == 1


@pytest.mark.parametrize(("channels", "size"), [(128, 28), (256, 14)])
def test_blocks_keep_pixels_near_that_lie_far_apart(channels, size):
    """A panel would stay in the cache by itself, but each tile reads a line of every pixel of every image beside it."""
    spec, sizes = "n[y+r-1][x+s-1]c,nyxo->orsc", {"r": 3, "s": 3}
    types = [TensorType((8, size, size, channels), float32) for _ in range(2)]
    graph = make_graph(lambda x, g: [ops.contract(spec, x, g, sizes)], types)
    target = dataclasses.replace(named_target("avx512"), l2_bytes=2 << 20)
    plan = plan_of(graph, target)
    panel_bytes = 8 * size * size * max(part.vectors for part in plan.panels) * plan.lanes * 4
    assert panel_bytes < 3 * target.l2_bytes // 4
    assert plan.blocks.count > 1
    assert plan_of(graph, dataclasses.replace(target, l2_bytes=16 << 20)).blocks.count == 1


FAR = "n[y+r][x+s]c,orsc->nyxo"


def far_plan(channels, size, l2_bytes, name="avx512", unroll=2):
    """The plan of a convolution of as many channels into as many, its halo there."""
    shapes = (1, size + 2, size + 2, channels), (channels, 3, 3, channels)
    types = [TensorType(shape, float32) for shape in shapes]
    graph = make_graph(lambda x, w: [ops.contract(FAR, x, w, {"y": size, "x": size})], types)
    return plan_of(graph, dataclasses.replace(named_target(name), l2_bytes=l2_bytes, unroll=unroll))


@pytest.mark.parametrize(("channels", "size"), [(64, 56), (128, 28), (256, 14), (512, 7)])
@pytest.mark.parametrize("l2_bytes", [256 << 10, 1 << 20, 2 << 20, 8 << 20])
def test_a_block_of_a_panel_and_the_next_one_stay_near(channels, size, l2_bytes):
    """While tiles go over a block the next one comes: the second-level cache holds both, and what of x it can."""
    plan = far_plan(channels, size, l2_bytes)
    count = plan.blocks.count
    widest = max(panels.vectors for panels in plan.panels) * plan.lanes * 4
    x_bytes = min((size + 2) ** 2 * channels * 4, l2_bytes // 4)
    per_tap = plan.term_count * widest
    held = 2 * -(-plan.tap_count // count) * per_tap + x_bytes
    least = count == plan.tap_count or plan.tap_count * plan.term_count < 2 * tiles.BLOCK_TERMS
    assert held <= l2_bytes // 2 or least or plan.packed_elements * 4 <= l2_bytes // 2
    assert count == 1 or 2 * plan.tap_count * per_tap + x_bytes > l2_bytes // 2


@pytest.mark.parametrize(("channels", "size"), [(64, 56), (128, 28), (256, 14), (512, 7), (512, 9), (320, 10)])
@pytest.mark.parametrize(("name", "unroll"), [("avx512", 1), ("avx512", 2), ("avx2", 1)])
def test_the_turns_of_a_tile_bring_its_share_of_the_next_panel(channels, size, name, unroll):
    """All of it, evenly: neither lines left out at the end, nor those of the next tile fetched twice.

    So it is where the second-level cache could hold all panels, too: in a network they come from afar.
    """
    plan = far_plan(channels, size, 1 << 20, name, unroll)
    (tiles,) = plan.tiles
    sums = plan.tap_count * plan.term_count // plan.blocks.count
    for panels, height in zip(plan.panels, tiles.heights, strict=True):
        turns, share = sums / panels.unroll, panels.share * height
        assert share > 0
        assert share <= turns * panels.step <= share + turns
        assert panels.step / panels.lines <= 1.5 * 64
