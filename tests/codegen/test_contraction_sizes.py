"""Products whose sizes are known at the call only, and products in parts: one function, every size, every split."""

import ctypes
import random
from dataclasses import replace

import numpy as np
import pytest

from hybridize.base.dims import SizeScope, is_symbolic, value
from hybridize.base.dtypes import bfloat16, float32, float64, int32
from hybridize.codegen.llvm.contraction.product import emit_product
from hybridize.codegen.llvm.engine import compile_module, named_target
from hybridize.codegen.llvm.nests.kernels import emit_kernel
from hybridize.codegen.llvm.text import Function, Module
from hybridize.machine.arithmetic import Arithmetic
from hybridize.schedule.contraction import Product, make_packing, make_plan, packing_kernel, packing_pays
from tests.codegen.endings import ending, plain

TARGETS = ["avx512", "avx2", "baseline"]
SLACK = 256
"""Bytes after each buffer that must stay as they are."""
FIELDS = ("m", "n", "k", "batch")


def plus_bias(spec):
    """sum + bias[batch, column]; gate s counts s times more."""
    return ending(spec, bias=lambda space: space.affine([(space.axis(0), spec.columns), (space.axis(2), 1)]))


def buffer(nbytes):
    """Bytes at an address that is aligned to 64, with some after them; and that address."""
    array = np.full(nbytes + SLACK + 64, 0xA5, np.uint8)
    start = -array.ctypes.data % 64
    return array[start : start + nbytes + SLACK], array.ctypes.data + start


class Compiled:
    """One product compiled for symbolic sizes."""

    def __init__(
        self,
        target,
        dtype=float32,
        bias=False,
        ranged=False,
        transpose_x=False,
        transpose_w=False,
        shared_x=False,
        shared_w=False,
        packed=False,
        gates=1,
        **sizes,
    ):
        """Sizes are numbers, or `like(hint)`; `batch` is 1 where it is not given."""
        self.scope = SizeScope()
        self.target = target
        self.dims = {
            name: self.scope.symbol(size[0], low=size[1]) if isinstance(size, tuple) else size
            for name, size in {"batch": 1, **sizes}.items()
        }
        self.scope.capturing = False
        self.spec = spec = Product(
            dtype, *(self.dims[name] for name in FIELDS), transpose_x, transpose_w, shared_x, shared_w, packed, gates
        )
        self.bias, self.ranged = bias, ranged
        module = Module()
        plan = make_plan(spec, target, "light" if bias else "nothing")
        emit_product(module, "product", plan, plus_bias(spec) if bias else plain(spec), target, ranged=ranged)
        names = ("out", "x", "w", "bias", "scratch", "sizes")
        entry = Function(
            module, "run", [*(("ptr", name) for name in names), ("i64", "first"), ("i64", "last")], linkage=""
        )
        entry.sizes = "%sizes"
        arguments = ["ptr %x", "ptr %w", "ptr %out", *(["ptr %bias"] if bias else []), "ptr %scratch"]
        entry.call("product", [*arguments, *(["i64 %first", "i64 %last"] if ranged else [])])
        entry.do("ret void")
        if packed:
            self.packing = make_packing(spec, Arithmetic(dtype, target))
            emit_kernel(module, "inner", packing_kernel(self.packing, target), target)
            entry = Function(module, "packing", [("ptr", "packed"), ("ptr", "w")], linkage="")
            entry.do("call void @inner(ptr %packed, ptr %w)")
            entry.do("ret void")
        self.loaded = compile_module(module.text(), target)
        self.scratch_bytes, self.units = plan.scratch.nbytes, plan.units
        assert all((one.low, one.high) == before for one, before in zip(self.scope.symbols, self.ranges(), strict=True))
        assert not self.scope.conditions, "one program holds for all sizes"

    def ranges(self):
        """What was given: nothing may be assumed beyond it."""
        return [(dim.symbol.low, 1 << 62) for dim in self.dims.values() if is_symbolic(dim)]

    def __call__(self, splits=None, seed=0, **given):
        """Compute with random operands and compare with NumPy; returns the result."""
        m, n, k, batch = (given.get(name, self.dims[name]) for name in FIELDS)
        sizes = {self.dims[name].symbol: size for name, size in given.items()}
        spec, rng = self.spec, np.random.default_rng(seed)
        x = self.draw(rng, (1 if spec.shared_x else batch, m, k))
        w = self.draw(rng, (1 if spec.shared_w else batch, k, n))
        b = rng.standard_normal((batch, n // spec.gates)).astype(np.float32)
        out_bytes = batch * m * (n // spec.gates) * spec.dtype.itemsize
        out, out_at = buffer(out_bytes)
        stored_x = np.ascontiguousarray(x.swapaxes(1, 2) if spec.transpose_x else x)
        stored_w = np.ascontiguousarray(w.swapaxes(1, 2) if spec.transpose_w else w)
        w_at = stored_w.ctypes.data
        if spec.packed:
            packed, w_at = buffer(self.packing.nbytes)
            ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(self.loaded.address("packing"))(w_at, stored_w.ctypes.data)
            assert (packed[-SLACK:] == 0xA5).all()
        values = np.array([sizes[symbol] for symbol in self.scope.symbols] or [0], np.int64)
        units = value(self.units, sizes)
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6, *[ctypes.c_int64] * 2)(self.loaded.address("run"))
        cuts = splits(units) if splits else [(0, units)]
        for first, last in cuts:
            scratch, scratch_at = buffer(value(self.scratch_bytes, sizes))
            call(out_at, stored_x.ctypes.data, w_at, b.ctypes.data, scratch_at, values.ctypes.data, first, last)
            assert (scratch[-SLACK:] == 0xA5).all(), (spec, given)
        assert (out[out_bytes:] == 0xA5).all(), (spec, given)
        found = out[:out_bytes].view(spec.dtype).reshape(batch, m, n // spec.gates)
        self.check(found, x, w, b, given)
        return found

    def draw(self, rng, shape):
        if self.spec.dtype.kind in "iu":
            return rng.integers(-1000, 1000, shape).astype(self.spec.dtype)
        return rng.standard_normal(shape).astype(self.spec.dtype)

    def check(self, found, x, w, b, given):
        if self.spec.dtype.kind in "iu":
            np.testing.assert_array_equal(found, np.broadcast_to(x @ w, found.shape), err_msg=str(given))
            return
        true = self.gated(x.astype(np.float64) @ w.astype(np.float64))
        if self.bias:
            true = true + b[:, None, :]
        eps = 2.0**-7 if self.spec.dtype.itemsize == 2 else np.finfo(self.spec.dtype).eps
        terms = self.gated(np.abs(x.astype(np.float64)) @ np.abs(w.astype(np.float64)))
        bound = (x.shape[-1] + 3 + self.spec.gates) * eps * (terms + np.abs(true))
        assert (np.abs(found.astype(np.float64) - true) <= bound + 1e-30).all(), (self.spec, given)

    def gated(self, sums):
        """What `plus_bias` makes of the sums of the gates."""
        apart = sums.reshape(*sums.shape[:-1], self.spec.gates, -1) if self.spec.gates > 1 else sums[..., None, :]
        return (apart * np.arange(1.0, self.spec.gates + 1)[:, None]).sum(-2)


def like(hint, low=2):
    """A size that is known at the call only."""
    return hint, low


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize(
    ("transpose_w", "packed"), [(False, False), (True, False), (True, True), (False, True)], ids=str
)
def test_every_number_of_rows(name, transpose_w, packed):
    product = Compiled(named_target(name), m=like(33), n=70, k=37, transpose_w=transpose_w, packed=packed, bias=True)
    for m in range(1, 71):
        product(m=m, seed=m)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("how", [{}, {"transpose_w": True}, {"packed": True}, {"transpose_x": True}], ids=str)
def test_gates_of_any_number_of_rows_and_terms(name, how):
    """In place, in either form, packed by the call and beforehand."""
    known = {"k": 20} if "packed" in how else {"k": like(30)}
    for gates, n in ((4, 144), (3, 102), (2, 200)):
        product = Compiled(named_target(name), m=like(33), n=n, gates=gates, bias=True, **known, **how)
        for m in (1, 2, 3, 5, 8, 12, 13, 31, 40):
            product(m=m, seed=m, **({} if "packed" in how else {"k": 3 * m}))


@pytest.mark.parametrize("name", TARGETS)
def test_few_columns_of_weights_in_place(name):
    """The last layer of a net: dot products, any number of rows."""
    product = Compiled(named_target(name), m=like(7), n=3, k=100, transpose_w=True, bias=True)
    for m in range(1, 40):
        product(m=m, seed=m)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize(
    ("transpose_x", "transpose_w"), [(False, False), (False, True), (True, False), (True, True)], ids=str
)
def test_all_sizes_at_once(name, transpose_x, transpose_w):
    draw = random.Random(0)
    product = Compiled(
        named_target(name),
        m=like(40),
        n=like(50),
        k=like(60),
        batch=like(2),
        transpose_x=transpose_x,
        transpose_w=transpose_w,
        bias=True,
    )
    sizes = [(1, 1, 1, 1), (2, 64, 64, 1), (16, 63, 3, 1), (15, 65, 17, 2), (17, 2, 5, 3), (48, 200, 129, 1)]
    sizes += [(*(draw.randint(1, 90) for _ in range(3)), draw.randint(1, 4)) for _ in range(40)]
    for m, n, k, batch in sizes:
        product(m=m, n=n, k=k, batch=batch)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("fixed", [{"m": 1}, {"m": 5}, {"m": 40}, {"n": 1}, {"n": 5}, {"n": 33}], ids=str)
@pytest.mark.parametrize("transpose_w", [False, True])
def test_one_size_known(name, fixed, transpose_w):
    draw = random.Random(1)
    sizes = {key: fixed.get(key, like(20)) for key in ("m", "n", "k")}
    product = Compiled(named_target(name), transpose_w=transpose_w, **sizes)
    for _ in range(12):
        product(**{key: draw.choice([1, 2, 3, 8, 15, 16, 17, 40, 64, 65, 100]) for key in sizes if key not in fixed})


@pytest.mark.parametrize("dtype", [float64, bfloat16, int32], ids=str)
def test_other_dtypes(dtype):
    for transpose_w in (False, True):
        product = Compiled(named_target("avx512"), dtype, m=like(20), n=like(20), k=like(20), transpose_w=transpose_w)
        for m, n, k in [(1, 1, 1), (2, 17, 33), (16, 9, 64), (33, 40, 7), (50, 70, 20)]:
            product(m=m, n=n, k=k)


def test_shared_operands_in_a_batch_of_any_size():
    for shared in ({"shared_x": True}, {"shared_w": True}):
        product = Compiled(
            named_target("avx512"), m=like(9), n=20, k=30, batch=like(5), bias=True, transpose_w=True, **shared
        )
        for m, batch in [(1, 1), (2, 3), (30, 2), (17, 7)]:
            product(m=m, batch=batch)


@pytest.mark.parametrize(("transpose_x", "transpose_w"), [(False, False), (False, True), (True, False)], ids=str)
def test_blocks_of_k_and_groups_of_panels(transpose_x, transpose_w):
    """Far from the sizes that were seen when the blocks were chosen, on a target whose cache is small."""
    target = replace(named_target("avx512"), l2_bytes=64 << 10)
    for hint in (64, 1000):
        product = Compiled(
            target, m=like(100), n=like(200), k=like(hint), transpose_x=transpose_x, transpose_w=transpose_w
        )
        for m, n, k in [(70, 130, 1000), (3, 300, 2), (100, 65, 64), (512, 512, 20)]:
            product(m=m, n=n, k=k)


@pytest.mark.parametrize(("transpose_x", "transpose_w"), [(False, False), (False, True)], ids=str)
@pytest.mark.parametrize("hint", [64, 1000])
def test_no_rows_no_columns_no_terms(hint, transpose_x, transpose_w):
    """What is derived from a size (n - 2) may be nothing."""
    target = replace(named_target("avx512"), l2_bytes=64 << 10)
    product = Compiled(
        target, m=like(100, 0), n=like(50, 0), k=like(hint, 0), transpose_x=transpose_x, transpose_w=transpose_w
    )
    for m, n, k in [(0, 5, 5), (5, 0, 5), (5, 5, 0), (40, 70, 0), (0, 0, 0), (3, 3, 3)]:
        product(m=m, n=n, k=k)


def test_packing_is_for_known_matrices():
    scope = SizeScope()
    m, n = scope.symbol(64), scope.symbol(512)
    scope.capturing = False
    arithmetic = Arithmetic(float32, named_target("avx512"))
    assert packing_pays(Product(float32, m, 512, 512, transpose_w=True), arithmetic)
    assert not packing_pays(Product(float32, m, n, 512, transpose_w=True), arithmetic)
    assert not scope.conditions


def alone(units):
    return [(unit, unit + 1) for unit in reversed(range(units))]


def thirds(units):
    return [(units * part // 3, units * (part + 1) // 3) for part in range(3)]


# m, n, k, batch, what else
CASES = [
    (300, 100, 40, 1, {}), (300, 100, 40, 1, {"packed": True, "transpose_w": True}), (30, 400, 50, 1, {}),
    (20, 300, 50, 1, {"transpose_w": True}), (100, 300, 50, 1, {"transpose_w": True}),
    (3, 250, 70, 1, {"transpose_w": True}), (200, 3, 70, 1, {"transpose_w": True}), (1, 500, 64, 1, {}),
    (7, 33, 20, 9, {}), (200, 70, 90, 1, {"transpose_x": True}), (1, 1, 1, 1, {}),
    (300, 70, 5000, 1, {}), (300, 70, 5000, 1, {"transpose_w": True}),
    (1, 400, 50, 1, {"gates": 4}), (1, 400, 50, 1, {"gates": 4, "transpose_w": True}),
    (2, 800, 400, 1, {"gates": 4}), (200, 120, 50, 1, {"gates": 3, "packed": True}),
    (20, 300, 900, 1, {"gates": 2, "transpose_w": True}),
]  # fmt: skip


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_any_split_gives_the_same_bits(case, symbolic):
    sizes, layout = dict(zip(FIELDS, case, strict=False)), case[-1]
    given = {key: size for key, size in sizes.items() if symbolic and not (layout.get("packed") and key != "m")}
    if "gates" in layout:
        given.pop("n", None)
    sizes |= {key: like(size) for key, size in given.items()}
    product = Compiled(named_target("avx512"), ranged=True, bias=True, **sizes, **layout)
    whole = product(**given)
    for splits in (alone, thirds):
        assert (product(splits, **given) == whole).all()


def test_products_worth_several_threads_have_units_for_them():
    target = named_target("avx512")
    for m, n, k, transpose_w, packed in [
        (1024, 512, 256, True, True),
        (64, 512, 256, True, True),
        (1, 512, 256, True, False),
        (512, 512, 512, False, False),
        (512, 512, 512, True, False),
        (16, 1024, 1024, True, False),
    ]:
        product = Product(float32, m, n, k, transpose_w=transpose_w, packed=packed)
        assert make_plan(product, target).units >= 8
