"""Every form of product against NumPy in float64, on the three targets, with canaries around every buffer."""

import ctypes
import itertools
import random
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from hybridize.base.dtypes import bfloat16, bool_, float16, float32, float64, int8, int32, int64, uint8
from hybridize.codegen.llvm.contraction.product import emit_product
from hybridize.codegen.llvm.engine import compile_module, named_target
from hybridize.codegen.llvm.nests.kernels import emit_kernel
from hybridize.codegen.llvm.objects import assembly
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.arithmetic import Arithmetic
from hybridize.schedule.contraction import Product, gates_fit, make_packing, make_plan, packing_kernel, packing_pays
from tests.codegen.endings import ending, plain

TARGETS = ["avx512", "avx2", "baseline"]
SIZES = [0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 100, 257]
CANARY = 0xA5


class Guarded:
    """An array with bytes around it that must not change, at an address that is aligned to its items only."""

    def __init__(self, values, margin=256):
        values = np.ascontiguousarray(values).reshape(np.shape(values))
        offset = margin + values.itemsize
        self.bytes = np.full(values.nbytes + 2 * offset + 64, CANARY, np.uint8)
        start = offset + (-self.bytes.ctypes.data) % 64
        self.span = slice(start, start + values.nbytes)
        self.values = self.bytes[self.span].view(values.dtype).reshape(values.shape)
        self.values[...] = values
        self.address = self.bytes.ctypes.data + start

    def intact(self):
        around = np.concatenate([self.bytes[: self.span.start], self.bytes[self.span.stop :]])
        return bool((around == CANARY).all())


class Case:
    """One product, its operands, and what must come out."""

    def __init__(self, spec, seed=0, bias=False):
        self.spec, self.bias = spec, bias
        rng = np.random.default_rng(seed)
        b = spec.batch
        x = self.draw(rng, (1 if spec.shared_x else b, spec.m, spec.k))
        w = self.draw(rng, (1 if spec.shared_w else b, spec.k, spec.n))
        self.x = Guarded(x.swapaxes(1, 2) if spec.transpose_x else x)
        self.w = Guarded(w.swapaxes(1, 2) if spec.transpose_w else w)
        self.b = Guarded(self.draw(rng, (spec.n,)))
        kept = spec.dtype if spec.gates == 1 else Arithmetic(spec.dtype, named_target("avx512")).accumulate
        self.out = Guarded(np.zeros((b, spec.m, spec.columns), kept))
        exact = np.float64 if spec.dtype.kind not in "iub" else spec.dtype
        self.true = self.gated(x.astype(exact) @ w.astype(exact))
        self.bound = 0.0
        if exact is np.float64:
            self.true = np.broadcast_to(self.true, self.out.values.shape)
            eps = float(ml_dtypes.finfo(np.float32 if spec.dtype.itemsize == 2 else spec.dtype).eps)
            terms = self.gated(np.abs(x.astype(exact)) @ np.abs(w.astype(exact)))
            self.bound = (spec.k + 5) * eps * terms + float(ml_dtypes.finfo(kept).eps) * np.abs(self.true)
            if bias:
                self.true = self.true + self.b.values.astype(exact)
                self.bound = self.bound + 2 * eps * np.abs(self.true)
                self.true = np.maximum(self.true, 0)

    def gated(self, sums):
        """What `ending` makes of the sums of the gates."""
        if self.spec.gates == 1:
            return sums
        apart = sums.reshape(*sums.shape[:-1], self.spec.gates, self.spec.columns)
        factors = np.arange(1, self.spec.gates + 1).astype(sums.dtype)
        return (apart * factors[:, None]).sum(-2, dtype=sums.dtype)

    def draw(self, rng, shape):
        dtype = self.spec.dtype
        if dtype == bool_:
            return rng.random(shape) < 0.2
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        return rng.standard_normal(shape).astype(dtype)

    def check(self):
        assert all(guarded.intact() for guarded in (self.x, self.w, self.b, self.out)), self.spec
        found = self.out.values
        if self.spec.dtype.kind in "iub":
            np.testing.assert_array_equal(found, np.broadcast_to(self.true, found.shape), err_msg=str(self.spec))
        else:
            error = np.abs(found.astype(np.float64) - self.true)
            assert (error <= self.bound).all(), f"{self.spec}: {(error - self.bound).max()}"


def bias_relu(spec):
    """max(sum + bias[column], 0)."""
    return ending(spec, bias=lambda space: space.axis(2), cut=True)


def run(cases, target):
    """Compile all cases as one module and run each with scratch of exactly the size asked for."""
    module = Module(target.halves)
    for number, case in enumerate(cases):
        gates = case.spec.gates > 1
        following = ("heavy" if number % 2 else "light") if case.bias or gates else "nothing"
        case.plan = make_plan(case.spec, target, following)
        epilogue = ending(case.spec) if gates else bias_relu(case.spec) if case.bias else None
        emit_product(module, f"case{number}", case.plan, epilogue or plain(case.spec), target)
        params = "ptr %out, ptr %x, ptr %w, ptr %bias, ptr %scratch"
        entry = Function(
            module, f"run{number}", [(p.split()[0], p.split("%")[1]) for p in params.split(", ")], linkage=""
        )
        extra = ", ptr %bias" if epilogue else ""
        entry.do(f"call void @case{number}(ptr %x, ptr %w, ptr %out{extra}, ptr %scratch)")
        entry.do("ret void")
        if case.spec.packed:
            case.packing = make_packing(case.spec, Arithmetic(case.spec.dtype, target))
            emit_kernel(module, f"packing{number}", packing_kernel(case.packing, target), target)
            entry = Function(module, f"pack{number}", [("ptr", "packed"), ("ptr", "w")], linkage="")
            entry.do(f"call void @packing{number}(ptr %packed, ptr %w)")
            entry.do("ret void")
    loaded = compile_module(module.text(), target)
    for number, case in enumerate(cases):
        scratch = Guarded(np.full(case.plan.scratch.nbytes, CANARY, np.uint8))
        w = case.w
        if case.spec.packed:
            w = Guarded(np.zeros(case.packing.nbytes, np.uint8))
            pack = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(loaded.address(f"pack{number}"))
            pack(w.address, case.w.address)
            assert w.intact(), case.spec
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(loaded.address(f"run{number}"))
        call(case.out.address, case.x.address, w.address, case.b.address, scratch.address)
        case.check()
        assert scratch.intact() and w.intact(), case.spec
    return loaded


def mixes(count, seed):
    """Sizes so that each value of m, n and k comes with many of the others."""
    draw = random.Random(seed)
    return [tuple(draw.choice(SIZES) for _ in range(3)) for _ in range(count)]


@pytest.mark.parametrize("transpose_w", [False, True])
@pytest.mark.parametrize("transpose_x", [False, True])
@pytest.mark.parametrize("name", TARGETS)
def test_float32_of_all_sizes(name, transpose_x, transpose_w):
    cases = [
        Case(Product(float32, m, n, k, transpose_x=transpose_x, transpose_w=transpose_w), seed)
        for seed, (m, n, k) in enumerate(mixes(30, 2 * transpose_x + transpose_w))
    ]
    run(cases, named_target(name))


@pytest.mark.parametrize("name", TARGETS)
def test_few_rows(name):
    """Matrix times vector and small batches, weights as FullyConnected stores them and the other way."""
    cases = [
        Case(Product(float32, m, n, k, transpose_w=w), bias=True)
        for m, (n, k), w in itertools.product(
            (1, 2, 5, 6), ((2, 128), (10, 84), (17, 33), (256, 64), (300, 20)), (False, True)
        )
    ]
    run(cases, named_target(name))


@pytest.mark.parametrize("name", TARGETS)
def test_no_terms_give_zeros_through_the_epilogue(name):
    cases = [
        Case(Product(float32, m, 20, 0, transpose_w=w), bias=True)
        for m, w in itertools.product((1, 3, 40), (False, True))
    ]
    for case in cases:
        case.out.values[...] = 7
    run(cases, named_target(name))


@pytest.mark.parametrize("dtype", [float64, float16, bfloat16, int8, uint8, int32, int64, bool_], ids=str)
@pytest.mark.parametrize("name", TARGETS)
def test_other_dtypes(name, dtype):
    sizes = [(1, 17, 33), (3, 31, 15), (16, 5, 64), (33, 40, 7), (50, 70, 20)]
    cases = [
        Case(Product(dtype, m, n, k, transpose_x=x, transpose_w=w), m)
        for (m, n, k), (x, w) in zip(
            sizes + sizes, itertools.cycle([(False, False), (False, True), (True, False)]), strict=False
        )
    ]
    run(cases, named_target(name))


@pytest.mark.parametrize("name", TARGETS)
def test_batches_and_shared_operands(name):
    cases = [
        Case(Product(float32, m, n, k, batch, tx, tw, sx, sw), bias=True)
        for (m, n, k, batch), (tx, tw), (sx, sw) in itertools.product(
            [(7, 33, 16, 3), (1, 20, 17, 4), (17, 16, 5, 1)],
            [(False, False), (False, True), (True, False)],
            [(False, False), (True, False), (False, True)],
        )
    ]
    run([*cases, Case(Product(float32, 3, 3, 3, 0))], named_target(name))


@pytest.mark.parametrize("name", TARGETS)
def test_packed_second_operand(name):
    cases = [
        Case(Product(float32, m, n, k, 1 + (m == 7), transpose_w=w, packed=True), bias=True)
        for (m, n, k), w in itertools.product(
            [(1, 256, 64), (1, 100, 33), (6, 17, 20), (7, 130, 31), (64, 64, 16), (33, 2, 40)], (False, True)
        )
    ]
    run(cases, named_target(name))


@pytest.mark.parametrize("name", TARGETS)
def test_panels_that_are_fetched_ahead(name):
    """Of a packed w that the second-level cache does not hold; what is fetched behind its end need not exist."""
    target = replace(named_target(name), l2_bytes=64 << 10)
    cases = [
        Case(Product(float32, m, n, k, transpose_w=True, packed=True, gates=gates), bias=gates == 1)
        for m, n, k, gates in ((1, 300, 100, 1), (2, 170, 64, 1), (2, 97, 100, 1), (1, 256, 60, 4), (1, 320, 33, 1))
    ]
    run(cases, target)
    assert all(case.plan.tiling.panel_ahead for case in cases)


@pytest.mark.parametrize(("transpose_x", "transpose_w"), [(False, True), (False, False), (True, False)])
def test_blocks_of_k_and_groups_of_panels(transpose_x, transpose_w):
    """Sizes at which panels no longer fit the cache: of a target whose cache is small."""
    target = replace(named_target("avx512"), l2_bytes=64 << 10)
    sizes = [(20, 70, 300), (40, 130, 1000), (3, 200, 700), (50, 300, 100), (70, 129, 64), (512, 60, 70), (40, 512, 70)]
    specs = [Product(float32, m, n, k, 1, transpose_x, transpose_w) for m, n, k in sizes]
    tilings = [make_plan(spec, target).tiling for spec in specs]
    assert any(tiling.order == "blocks" for tiling in tilings)
    assert any(tiling.group > 1 for tiling in tilings)
    run([Case(spec, bias=True) for spec in specs], target)


GATED = [
    (m, h, g, k)
    for m in (1, 2, 7, 33)
    for h, g, k in ((64, 4, 33), (37, 4, 20), (100, 2, 17), (50, 3, 64), (16, 8, 9), (90, 6, 10))
]
"""Rows, columns of the result, gates and terms."""


@pytest.mark.parametrize("how", ["k n", "n k", "packed", "packed of n k", "k m"])
@pytest.mark.parametrize("name", TARGETS)
def test_gates(name, how):
    target = named_target(name)
    specs = [
        Product(
            float32,
            m,
            g * h,
            k,
            1 + (m == 7),
            transpose_x=how == "k m",
            transpose_w="n k" in how,
            packed="packed" in how,
            gates=g,
        )
        for m, h, g, k in GATED
    ]
    assert all(gates_fit(spec, Arithmetic(float32, target)) for spec in specs)
    run([Case(spec, n) for n, spec in enumerate(specs)], target)


@pytest.mark.parametrize("dtype", [float64, float16, int8, int32, int64], ids=str)
@pytest.mark.parametrize("name", TARGETS)
def test_gates_of_other_dtypes(name, dtype):
    ways = itertools.cycle([(False, False), (False, True), (True, False)])
    cases = [
        Case(Product(dtype, m, g * h, k, transpose_x=x, transpose_w=w, gates=g))
        for m, (h, g, k), (x, w) in zip(
            (1, 3, 16, 33, 50, 1, 3), ((32, 4, 20), (33, 3, 7), (40, 6, 31)) * 3, ways, strict=False
        )
    ]
    run(cases, named_target(name))


@pytest.mark.parametrize(("transpose_x", "transpose_w"), [(False, True), (False, False), (True, False)])
@pytest.mark.parametrize("name", ["avx512", "avx2"])
def test_gates_in_every_form_and_order(name, transpose_x, transpose_w):
    """Panels that do not fit the cache, rows of w that lie far away, blocks that are flipped."""
    target = replace(named_target(name), l2_bytes=64 << 10)
    sizes = [(1, 70, 300), (2, 96, 200), (20, 70, 300), (40, 64, 1000), (3, 200, 700), (70, 129, 64), (32, 128, 70)]
    specs = [
        Product(float32, m, g * h, k, 1, transpose_x, transpose_w, gates=g) for m, h, k in sizes for g in (2, 3, 4)
    ]
    tilings = [make_plan(spec, target).tiling for spec in specs]
    forms = {tiling.form if tiling.form == "dots" else f"{tiling.form} {tiling.order}" for tiling in tilings}
    wanted = {"dots", "columns once", "rows blocks"} if transpose_w else {"rows once", "rows blocks"}
    wanted |= set() if transpose_w else {"rows streams"}
    assert wanted <= forms
    run([Case(spec) for spec in specs], target)


def test_scratch_is_for_the_panels_that_lie_there_at_once():
    """Of the chapter's first layer at batch 64, w in place: x is packed, one panel of 128 KB, not room for all of w."""
    target = replace(named_target("avx512"), l2_bytes=1 << 20)
    spec = Product(float32, 64, 256, 512, 1, False, True)
    tiling = make_plan(spec, target).tiling
    assert (tiling.form, [section.count for section in tiling.sections]) == ("columns", [1])
    assert tiling.group > 1
    assert 128 << 10 <= make_plan(spec, target).scratch.nbytes < 200 << 10
    run([Case(spec, bias=True)], target)


def test_weights_of_other_values_do_not_leak_across_tails():
    """NaN and infinity stay in their own row and column, whatever stands beside them in a register."""
    target = named_target("avx512")
    for m, tw in itertools.product((1, 40), (False, True)):
        case = Case(Product(float32, m, 19, 21, transpose_w=tw))
        w = case.w.values[0].T if tw else case.w.values[0]
        w[3, 18] = np.inf
        case.x.values[0, 0, 5] = np.nan
        case.true = None
        case.check = lambda: None
        run([case], target)
        out = case.out.values[0]
        assert np.isnan(out[0]).all()
        assert np.isinf(out[1:, 18]).all()
        assert np.isfinite(out[1:, :18]).all()


def test_layers_share_their_tiles():
    module = Module()
    target = named_target("avx512")
    first, second = Product(float32, 64, 256, 512), Product(float32, 64, 128, 256)
    emit_product(module, "first", make_plan(first, target), plain(first), target)
    before = set(module.functions)
    emit_product(module, "second", make_plan(second, target), plain(second), target)
    assert set(module.functions) - before == {"second"}


@pytest.mark.parametrize("unroll", [2, 3, 4])
@pytest.mark.parametrize("name", TARGETS)
def test_terms_in_one_turn_of_a_tile(name, unroll):
    """Every number of terms is left over by some k; tiles of few sums, which are taken in turns, keep their own."""
    cases = [
        Case(Product(dtype, m, n, k, transpose_x=tx, transpose_w=tw), bias=dtype is float32)
        for (m, n, k), (tx, tw), dtype in itertools.product(
            [(7, 33, 1), (13, 70, 2), (6, 64, 3), (1, 64, 7), (40, 20, 16), (25, 130, 33)],
            [(False, False), (False, True), (True, False)],
            [float32, int32],
        )
    ]
    run(cases, replace(named_target(name), unroll=unroll))


@pytest.mark.parametrize(("packs_from", "packed"), [(1, True), (2, False)])
def test_a_target_says_from_how_many_rows_on_packing_pays(packs_from, packed):
    target = replace(named_target("avx512"), packs_from=packs_from)
    spec = Product(float32, 1, 256, 784, transpose_w=True)
    assert packing_pays(spec, Arithmetic(float32, target)) is packed
    assert packing_pays(replace(spec, m=2), Arithmetic(float32, target))
    run([Case(replace(spec, packed=packed))], target)


@pytest.mark.parametrize("unroll", [1, 2])
@pytest.mark.parametrize("epilogue", [False, True], ids=["plain", "epilogue"])
def test_sums_stay_in_registers(epilogue, unroll):
    """The tile of 6 x 64 must not touch the stack: a spill in its loop costs a third of the speed."""
    module = Module()
    target = replace(named_target("avx512"), unroll=unroll)
    spec = Product(float32, 60, 64, 64)
    plan = make_plan(spec, target, "light" if epilogue else "nothing")
    emit_product(module, "net", plan, bias_relu(spec) if epilogue else plain(spec), target)
    Function(module, "keep", [("ptr", "p")], linkage="").do(
        f"call void @net(ptr %p, ptr %p, ptr %p{', ptr %p' if epilogue else ''}, ptr %p)\n  ret void"
    )
    text = assembly(module.text(), target)
    body = text[text.index("tile.float32.6x4.k.once:\n") :]
    body = body[: body.index(".cfi_endproc") if ".cfi_endproc" in body else body.index("retq")]
    assert not [line for line in body.splitlines() if "zmm" in line and "(%rsp)" in line]


@pytest.mark.parametrize("dtype", [float32, float64, int32])
@pytest.mark.parametrize("name", TARGETS)
def test_sums_of_few_rows_stay_in_registers(name, dtype):
    """Tiles that are wider for fewer rows, too, and where a product takes a register of its own."""
    module, target = Module(), named_target(name)
    keep = Function(module, "keep", [("ptr", "p")], linkage="")
    for rows in range(1, 9):
        spec = Product(dtype, rows, 96, 64)
        emit_product(module, f"net{rows}", make_plan(spec, target), plain(spec), target)
        keep.do(f"call void @net{rows}(ptr %p, ptr %p, ptr %p, ptr %p)")
    keep.do("ret void")
    tiles = [part[: part.index("retq")] for part in assembly(module.text(), target).split("\ntile.")[1:]]
    assert len(tiles) >= 2
    assert not [line for body in tiles for line in body.splitlines() if "mm" in line and "(%rsp)" in line]


@pytest.mark.parametrize("gates", [2, 3, 4])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ["avx512", "avx2"])
def test_sums_of_gates_stay_in_registers(name, packed, gates):
    # Of Linux: on Windows functions put registers of their callers' on the stack.
    module, target = Module(), replace(named_target(f"{name}-linux"), unroll=2)
    spec = Product(float32, 40, 64 * gates, 64, packed=packed, gates=gates)
    emit_product(module, "net", make_plan(spec, target, "heavy"), ending(spec), target)
    Function(module, "keep", [("ptr", "p")], linkage="").do(
        "call void @net(ptr %p, ptr %p, ptr %p, ptr %p, ptr %p)\n  ret void"
    )
    text = assembly(module.text(), target)
    tiles = [part[: part.index("retq")] for part in text.split("\ntile.float32.")[1:]]
    assert tiles
    assert not [line for body in tiles for line in body.splitlines() if "mm" in line and "(%rsp)" in line]


@pytest.mark.parametrize("name", TARGETS)
def test_weights_that_are_far_away(name):
    """Few rows and a w larger than the cache: read in streams, fetched ahead."""
    target = replace(named_target(name), l2_bytes=16 << 10)
    specs = [
        Product(dtype, m, n, k, 1 + (m == 2), tx, tw)
        for (m, n, k), (tx, tw), dtype in itertools.product(
            [(1, 300, 50), (2, 257, 64), (2, 520, 33), (3, 128, 129)],
            [(False, False), (True, False), (False, True)],
            [float32, float64],
        )
    ]
    tilings = [make_plan(spec, target).tiling for spec in specs]
    assert sum(tiling.order == "streams" for tiling in tilings) >= 8
    run([Case(spec) for spec in specs], target)


@pytest.mark.parametrize("name", TARGETS)
def test_narrow_weights_are_flipped_first(name):
    """Few columns of a w [k, n]: dot products after flipping, with many rows; without, for few."""
    target = named_target(name)
    specs = [
        Product(dtype, m, n, k, 1 + (m == 5))
        for (m, n, k), dtype in itertools.product(
            [(3, 2, 40), (4, 2, 1000), (5, 3, 33), (100, 7, 17), (40, 5, 1), (9, 2, 0)], [float32, float64, int32]
        )
    ]
    tilings = [make_plan(spec, target).tiling for spec in specs]
    assert [tiling.flips for tiling in tilings] == [spec.m > 3 for spec in specs]
    run([Case(spec) for spec in specs], target)


@pytest.mark.parametrize("name", TARGETS)
def test_streams_give_each_column_its_own_sum(name):
    """Rows of w that lie a part of a block apart are read together; columns of the result stay in order."""
    target = named_target(name)
    shapes = [(1, 512, 64), (2, 300, 129), (3, 96, 512), (1, 1003, 77), (1, 64, 1000)]
    kinds = [(float32, shape) for shape in shapes] + [(float64, shapes[0]), (float16, shapes[3]), (int32, shapes[0])]
    specs = [Product(kind, m, n, k, transpose_w=True) for kind, (m, n, k) in kinds]
    assert not [str(spec) for spec in specs if " streams" not in str(make_plan(spec, target))]
    run(
        [
            Case(spec, seed, bias)
            for seed, spec in enumerate(specs)
            for bias in ((False, True) if spec.dtype == float32 else (False,))
        ],
        target,
    )
