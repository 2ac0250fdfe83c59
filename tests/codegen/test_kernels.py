"""Kernels touch their own memory only, and sum as well as NumPy does."""

import ctypes
import mmap

import ml_dtypes
import numpy
import pytest

from hybridize import compiler, ops
from hybridize.base.dims import SizeScope
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import compile_module, named_target, runnable
from hybridize.codegen.llvm.program import build
from hybridize.ops import composites
from hybridize.ops.evaluate import evaluate
from hybridize.passes.inline import Inline
from tests.platforms.pages import forbid
from tests.samples import sampled

PAGE = mmap.PAGESIZE


class Guarded:
    """Bytes that end (or begin) where the address space does: one step beyond is a crash."""

    def __init__(self, nbytes, at_end):
        pages = -(-max(nbytes, 1) // PAGE)
        self._map = mmap.mmap(-1, (pages + 2) * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        for page in (0, pages + 1):
            forbid(start + page * PAGE, PAGE)
        self.address = start + PAGE + (pages * PAGE - nbytes if at_end else 0)

    def array(self, shape, dtype):
        count = int(numpy.prod(shape)) * dtype.itemsize
        raw = (ctypes.c_ubyte * count).from_address(self.address)
        return numpy.frombuffer(raw, numpy.uint8).view(dtype).reshape(shape)


def run_guarded(graph, inputs, target, at_end):
    graph = Inline()(graph)
    built = build(graph, target)
    loaded = compile_module(built.module.text(), target)
    places = [Guarded(x.nbytes, at_end) for x in [*inputs, *built.constants]]
    for place, x in zip(places, [*inputs, *built.constants], strict=True):
        place.array(x.shape, x.dtype)[...] = x
    results = [Guarded(value.type.nbytes, at_end) for value in graph.outputs]
    scratch = Guarded(-(-built.plan.scratch_bytes // 64) * 64, at_end)
    pointers = [(ctypes.c_void_p * max(1, len(p)))(*(g.address for g in p)) for p in (places, results)]
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    kind(loaded.address("program"))(*map(ctypes.addressof, pointers), scratch.address)
    found = [g.array(v.type.shape, v.type.dtype).copy() for g, v in zip(results, graph.outputs, strict=True)]
    for x, y in zip(found, evaluate(graph, inputs), strict=True):
        numpy.testing.assert_allclose(x.astype("f8"), y.astype("f8"), rtol=1e-2, atol=1e-2)


def everything(x, b):
    """Elementwise, broadcast, views, transposes, folds of both kinds, rows, gathers."""
    m, n = ops.type_of(x).shape
    y = ops.add(x, ops.broadcast(b, (m, n)))
    return [
        ops.tanh(y),
        ops.transpose(y, (1, 0)),
        ops.flip(y, 1),
        ops.slice(x, (0, 0), (m, n), (1, 2)),
        ops.concat(x, y, axis=1),
        ops.sum(y, (0,)),
        ops.sum(y, (1,)),
        ops.reduce_max(x, (0, 1)),
        composites.softmax(x, 1),
        composites.softmax(x, 0),
        ops.add(ops.reshape(x, (n, m)), ops.transpose(x, (1, 0))),
    ]


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("dtype", sampled(["f4", "f8", "bfloat16", "f2"], 2))
def test_nothing_beyond_the_buffers_is_touched(target, dtype, at_end):
    kind = numpy.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    for shape in [(3, 5), (17, 19), (1, 33), (20, 1), (35, 67)]:
        types = [TensorType(shape, kind), TensorType(shape[1:], kind)]
        inputs = [numpy.random.standard_normal(t.shape).astype(kind) for t in types]
        run_guarded(ops.make_graph(everything, types), inputs, named_target(target), at_end)


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "?"])
def test_nothing_beyond_buffers_of_integers_is_touched(target, dtype, at_end):
    kind = numpy.dtype(dtype)

    def run(x, y):
        both = ops.bit_xor(x, y)
        return [both, ops.transpose(both, (1, 0)), ops.eq(x, y), ops.where(ops.eq(x, y), x, both), ops.flip(x, 0)]

    for shape in [(3, 5), (17, 19), (35, 67)]:
        types = [TensorType(shape, kind)] * 2
        inputs = [numpy.random.randint(0, 2, shape).astype(kind) for _ in types]
        run_guarded(ops.make_graph(run, types), inputs, named_target(target), at_end)


@pytest.mark.parametrize("target", ["avx512", "avx2"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "bfloat16", "i4"])
def test_copies_that_turn_tiles_call_one_function_whatever_their_sizes(target, dtype):
    kind = numpy.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)

    def run(x, y, z):
        rolled = ops.transpose(z, (0, 2, 1))
        return [ops.transpose(x, (1, 0)), ops.transpose(y, (1, 0)), rolled, ops.transpose(z, (2, 1, 0))]

    types = [TensorType(shape, kind) for shape in [(32, 48), (35, 67), (3, 64, 33)]]
    inputs = [numpy.random.randint(-99, 99, t.shape).astype(kind) for t in types]
    graph = ops.make_graph(run, types)
    functions = build(Inline()(graph), named_target(target)).module.functions
    assert len([name for name in functions if name.startswith("turn.")]) == 1
    for at_end in (True, False):
        run_guarded(graph, inputs, named_target(target), at_end)


@pytest.mark.parametrize("target", runnable())
@pytest.mark.parametrize("shape", [(32, 32, 3, 3), (48, 20, 3, 3), (16, 7, 5, 5)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "bfloat16"])
def test_rows_of_turned_tiles_that_lie_at_no_one_distance_are_put_there_one_by_one(shape, dtype, target):
    """Weights packed for windows, `(o, i * 9 + t)` to `[t][i][o]`: a loop over the rows of a tile, which is turned by
    the function that all copies share.
    """
    kind = numpy.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    types = [TensorType((1, shape[1], 9, 11), kind), TensorType(shape, kind)]
    spec = "nc[y+r-1][x+s-1],ocrs->nyxo"
    graph = ops.make_graph(lambda x, w: [ops.contract(spec, x, w, {"y": 9, "x": 11})], types)
    functions = build(Inline()(graph), named_target(target), stable=[1]).module.functions
    turning = [text for text in (f.text() for f in functions.values()) if "= alloca" in text and "@turn." in text]
    assert all(" shufflevector " not in text for text in turning)
    assert turning or (dtype, target) != ("f4", "avx512") or shape[0] == 16
    inputs = [numpy.random.default_rng(k).integers(-9, 9, t.shape).astype(kind) for k, t in enumerate(types)]
    program = compiler.compile(graph, named_target(target), stable=[1])
    (result,), (expected,) = program.run(inputs), evaluate(graph, inputs)
    numpy.testing.assert_array_equal(result.astype("f8"), expected.astype("f8"))


@pytest.mark.parametrize("target", ["avx512", "avx2"])
def test_the_rows_of_a_tile_are_a_step_apart(target):
    """Their addresses are not made anew, which LLVM would be at for longer than for the tile."""

    def run(x, y, z):
        return [ops.add(ops.transpose(x, (1, 0)), ops.mul(y, z))]

    types = [TensorType((64, 48), numpy.dtype("f4"))] + [TensorType((48, 64), numpy.dtype("f4"))] * 2
    graph = ops.make_graph(run, types)
    (kernel,) = [f.text() for name, f in build(graph, named_target(target)).module.functions.items() if "loops" in name]
    assert "shufflevector" in kernel
    assert kernel.count(" mul ") < 8
    inputs = [numpy.random.randint(-9, 9, t.shape).astype("f4") for t in types]
    run_guarded(graph, inputs, named_target(target), at_end=True)


def row_folds(x):
    """Folds of rows side by side and of panels, one after the other and within each other."""
    m, n = ops.type_of(x).shape
    results = []
    for axis, shape in ((0, (1, n)), (1, (m, 1))):
        mean = ops.reshape(composites.mean(x, (axis,)), shape)
        centred = ops.sub(x, ops.broadcast(mean, (m, n)))
        results += [ops.sum(ops.mul(centred, centred), (axis,)), ops.reduce_max(x, (axis,))]
    return results


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("shape", [(600, 1003), (1031, 520), (257, 2100)])
def test_rows_side_by_side_and_panels_touch_only_their_own(shape, target, at_end):
    x = numpy.random.standard_normal(shape).astype("f4")
    run_guarded(ops.make_graph(row_folds, [TensorType(shape, x.dtype)]), [x], named_target(target), at_end)


@pytest.mark.parametrize("shape", [(1_000_000,), (30, 30_000), (30_000, 30), (7, 999, 64), (9_000, 130)])
@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
def test_sums_are_as_good_as_those_of_numpy(shape, target):
    from hybridize.runtime.executable import Executable

    x = numpy.random.random(shape).astype("f4")
    graph = ops.make_graph(
        lambda x: [ops.sum(x, (k,)) for k in range(len(shape))] + [ops.sum(x, tuple(range(len(shape))))],
        [TensorType(shape, x.dtype)],
    )
    built = build(graph, named_target(target))
    loaded = compile_module(built.module.text(), named_target(target))
    found = Executable(loaded, loaded.address("program"), built.plan, built.constants, built.sources).run([x])
    for axis, y in zip([*range(len(shape)), None], found, strict=True):
        truth = numpy.sum(x.astype("f8"), axis=axis)
        ours, theirs = (numpy.sqrt(numpy.mean((z - truth) ** 2)) for z in (y, numpy.sum(x, axis=axis)))
        assert ours <= 2 * theirs + 4 * numpy.finfo("f4").eps * numpy.max(truth)


@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize(("n", "axes"), [(40, (0, 2)), (2, (0, 1)), (40, (0, 1))])
def test_a_fold_of_copies_of_a_fold(n, axes, target):
    """Copies are never made, so one fold stands directly within another of its kind."""
    x = numpy.random.standard_normal((16, n)).astype("f4")

    def program(x):
        return [ops.reduce_max(ops.broadcast(x, (5, 16, n)), axes)]

    run_guarded(ops.make_graph(program, [TensorType(x.shape, x.dtype)]), [x], named_target(target), True)


@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize(("shape", "axis"), [((9, 5), 1), ((64, 100), 1), ((2, 3, 4), 2), ((3000, 2000), 0)])
def test_a_fold_that_reads_what_another_stored(shape, axis, target):
    """The sum is an output, and what the second fold subtracts: rows side by side once folded all before storing any."""
    x = numpy.random.standard_normal(shape).astype("f4")
    rows = tuple(1 if k == axis else size for k, size in enumerate(shape))

    def program(x):
        total = ops.sum(x, (axis,))
        centred = ops.sub(x, ops.broadcast(ops.reshape(total, rows), shape))
        return [total, ops.reduce_max(ops.mul(centred, centred), (axis,))]

    run_guarded(ops.make_graph(program, [TensorType(shape, x.dtype)]), [x], named_target(target), True)


WINDOWS = {
    # spec, shape of x, shape of w, sizes
    "channels last": ("n[y+r-1][x+s-1]c,orsc->nyxo", (2, 11, 13, 16), (24, 3, 3, 16), {"y": 11, "x": 13}),
    "one pixel": ("n[y+r-1][x+s-1]c,orsc->nyxo", (1, 1, 1, 4), (16, 3, 3, 4), {"y": 1, "x": 1}),
    "short lines": ("n[y+r-2][x+s-2]c,orsc->nyxo", (1, 4, 3, 8), (16, 5, 5, 8), {"y": 4, "x": 3}),
    "stride and dilation": ("n[2y+2r-3][3x+s-1]c,orsc->nyxo", (2, 12, 14, 8), (16, 3, 4, 8), {"y": 7, "x": 5}),
    "few channels": ("nc[2y+r-3][2x+s-3],ocrs->nyxo", (1, 3, 20, 22), (19, 3, 7, 7), {"y": 10, "x": 11}),
    "backwards": ("n[-y-r+12]c,orc->nyo", (2, 11, 8), (16, 4, 8), {"y": 13}),
    "three axes": ("n[y+r-1][x+s-1][z+t-1]c,orstc->nyxzo", (1, 5, 6, 7, 4), (16, 3, 3, 3, 4), {"y": 5, "x": 6, "z": 7}),
    "gradient by w": ("n[y+r-1][x+s-1]c,nyxo->orsc", (2, 9, 12, 8), (2, 9, 12, 16), {"r": 3, "s": 3}),
    "transposed": ("n[(y-r+1)/2][(x-s+1)/2]c,ocrs->nyxo", (1, 9, 10, 16), (16, 16, 4, 4), {"y": 18, "x": 20}),
    "beyond": ("n[y-3]c,oc->nyo", (2, 9, 16), (16, 16), {"y": 15}),
}


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("case", WINDOWS)
def test_windows_read_nothing_beyond_their_operands(case, target, at_end, monkeypatch):
    """Whatever is read as it lies, a copy being cheaper or not: nothing before x, and nothing behind it."""
    from hybridize.schedule.contraction import thresholds

    monkeypatch.setattr(thresholds, "COPIED_BYTES", 1e-9)
    spec, x, w, sizes = WINDOWS[case]
    inputs = [numpy.random.default_rng(k).uniform(-1, 1, shape).astype("f4") for k, shape in enumerate((x, w))]
    graph = ops.make_graph(
        lambda x, w: [ops.contract(spec, x, w, sizes)], [TensorType(each.shape, each.dtype) for each in inputs]
    )
    words = [step.ops[0] for step in build(graph, named_target(target)).plan.steps]
    assert "copy in" not in words
    assert "contract" in words
    run_guarded(graph, inputs, named_target(target), at_end)


@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
@pytest.mark.parametrize("stride", [2, 3, 4])
def test_elements_that_stand_apart_are_loaded_with_those_between_and_nothing_after(stride, target):
    """Whole vectors, and rests of any number of lanes, in elements of all sizes."""
    for dtype, count in (("f4", 5), ("f4", 16), ("f4", 33), ("f4", 70), ("f8", 9), ("f2", 31), ("i1", 50), ("i8", 3)):
        shape = (2, (count - 1) * stride + 1)  # ends with the last one that is taken
        x = numpy.random.default_rng(count).uniform(-50, 50, shape).astype(dtype)

        def program(x, shape=shape):
            part = ops.slice(x, (0, 0), shape, (1, stride))
            return [ops.add(part, part)]

        run_guarded(ops.make_graph(program, [TensorType(shape, x.dtype)]), [x], named_target(target), at_end=True)


@pytest.mark.parametrize("target", ["avx512", "avx2", "baseline"])
def test_windows_that_step_by_two_are_loaded_in_vectors(target):
    """Also under masks that only the call knows; no element is gathered one by one."""
    scope = SizeScope()
    columns = scope.symbol(20, name="columns", low=2)
    for size in (56, columns):
        graph = ops.make_graph(
            lambda x: [ops.window_max(x, (1, 2), (1, 2), (0, 0), (0, 0))], [TensorType((4, size), numpy.dtype("f4"))]
        )
        assert "masked.gather" not in build(Inline()(graph), named_target(target)).module.text()
