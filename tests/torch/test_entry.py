# SPDX-License-Identifier: Apache-2.0
"""Calls that an emitted entry takes: all that it has to see, at each call, and what it hands over."""

import collections
import ctypes
import gc
import threading
import weakref

import pytest
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from hybridize import hybridize
from hybridize.base.config import CONFIG
from hybridize.base.errors import CaptureError
from hybridize.runtime import cpython
from hybridize.runtime.entry import EntryTable
from hybridize.torch.exchange import exchange
from hybridize.torch.function import TorchFunction
from tests.refusals import refusal

Pair = collections.namedtuple("Pair", "first second")


class Affine(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.scale = 2.0

    def forward(self, x):
        return torch.tanh(self.layer(x)) * self.scale


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, given, rest=(), *, factor=None):
        y = self.layer(given["x"])
        for one in rest:
            y = y + one
        if factor is not None:
            y = y * factor
        return {"y": y, "pair": Pair(y + 1, [y - 1, None]), "kind": "affine", "again": y}


@pytest.fixture
def slow(monkeypatch):
    """The number of calls that no entry took."""
    calls = []
    called = TorchFunction._called

    def counted(self, *args, **kwargs):
        calls.append(1)
        return called(self, *args, **kwargs)

    monkeypatch.setattr(TorchFunction, "_called", counted)
    return calls


def ready(module, *args, grad=False, **kwargs):
    """A compiled module whose calls like this one an entry takes."""
    fast = hybridize(module)
    with torch.set_grad_enabled(grad):
        for _ in range(3):
            fast(*args, **kwargs)
    return fast


def taken(slow, call):
    """The result of a call, and whether an entry took it."""
    before = len(slow)
    return call(), len(slow) == before


def same(found, expected):
    pairs = zip(tree_leaves(found), tree_leaves(expected), strict=True)
    for one, other in pairs:
        if isinstance(other, torch.Tensor):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)
        else:
            assert one == other


def test_this_torch_has_an_exchange():
    assert exchange() is not None


@pytest.mark.parametrize("grad", [False, True])
def test_an_entry_takes_the_third_call(slow, grad):
    module, x = Affine(), torch.randn(2, 4)
    fast = ready(module, x, grad=grad)
    assert type(vars(TorchFunction)["__call__"].__get__(fast).__self__) is EntryTable
    with torch.set_grad_enabled(grad):
        y, fits = taken(slow, lambda: fast(x))
        expected = module(x)
    assert fits
    same(y, expected)
    assert y.requires_grad == grad
    assert (y.grad_fn is not None) == grad
    assert type(y) is torch.Tensor


def test_results_own_their_memory():
    x = torch.randn(2, 4)
    fast = ready(Affine(), x)
    with torch.no_grad():
        y, z = fast(x), fast(x)
        before = z.clone()
        y.zero_()
        same(z, before)
        gone = weakref.ref(y)
        del y
        gc.collect()
        assert gone() is None
        assert z.is_contiguous()
        assert z.numpy().flags.writeable
        assert z.data_ptr() % 64 == 0


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool]
)
def test_dtypes_in_and_out(slow, dtype):
    class Kept(nn.Module):
        def forward(self, x):
            return torch.stack([x, x])

    x = torch.arange(6).reshape(2, 3).to(dtype)
    fast = ready(Kept(), x)
    with torch.no_grad():
        y, fits = taken(slow, lambda: fast(x))
    assert fits
    assert y.dtype is dtype
    assert torch.equal(y, torch.stack([x, x]))


def test_scalars_and_large_results(slow):
    class Both(nn.Module):
        def forward(self, x):
            return x.sum(), x.reshape(-1, 1) * torch.ones(1, 1024)

    module, x = Both(), torch.randn(2048)
    fast = ready(module, x)
    with torch.no_grad():
        found, fits = taken(slow, lambda: fast(x))
        same(found[1], module(x)[1])
        torch.testing.assert_close(found[0], x.sum(), rtol=1e-4, atol=1e-3)
    assert fits
    assert found[0].shape == ()


@pytest.mark.parametrize("grad", [False, True])
def test_containers_and_keywords(slow, grad):
    module, x, f = Nested(), torch.randn(3, 4), torch.tensor(3.0)
    a, b = torch.randn(2, 3, 2)
    fast = ready(module, {"x": x, "n": None}, (a, b), grad=grad, factor=f)
    with torch.set_grad_enabled(grad):
        found, fits = taken(slow, lambda: fast({"x": x, "n": None}, (a, b), factor=f))
        assert fits
        same(found, module({"x": x, "n": None}, (a, b), factor=f))
        assert type(found["pair"]) is Pair
        assert found["again"] is found["y"]
        assert list(found) == ["y", "pair", "kind", "again"]
        for given in (
            lambda m: m({"n": None, "x": x}, (a, b), factor=f),
            lambda m: m({"x": x, "n": None, "z": x}, (a, b), factor=f),
            lambda m: m({"x": x, "n": None}, [a, b], factor=f),
            lambda m: m({"x": x, "n": None}, (a,), factor=f),
            lambda m: m({"x": x, "n": None}, (a, b)),
            lambda m: m({"x": x, "n": a}, (a, b), factor=f),
            lambda m: m({"x": x, "n": None}, rest=(a, b), factor=f),
            lambda m: m(collections.OrderedDict(x=x, n=None), (a, b), factor=f),
        ):
            result, fits = taken(slow, lambda given=given: given(fast))
            assert not fits
            same(result, given(module))


def test_what_is_no_plain_memory_is_not_taken(slow):
    module = Affine()
    fast = ready(module, torch.randn(2, 4))

    base = torch.randn(2, 4)
    odd = [
        torch.randn(4, 2).t(), torch.randn(2, 8)[:, ::2], torch.randn(1, 4).expand(2, 4), torch._neg_view(base),
        base.double().float()[:, torch.arange(4)].t().contiguous().t(), torch.randn(3, 4),
        torch.complex(base, base).conj().imag,
    ]  # fmt: skip
    with torch.no_grad():
        for x in odd:
            y, fits = taken(slow, lambda x=x: fast(x))
            assert not fits, x
            same(torch.as_tensor(y).as_subclass(torch.Tensor), module(x).as_subclass(torch.Tensor))
        y, fits = taken(slow, lambda: fast(torch.nn.Parameter(base)))
        assert fits
        same(y, module(base))
        with pytest.raises(RuntimeError):
            fast(torch.randn(2, 5))
        with torch.inference_mode():
            same(fast(torch.ones(2, 4)), module(torch.ones(2, 4)))


@pytest.mark.parametrize("grad", [False, True])
def test_what_changes_in_the_module_is_seen(slow, grad):
    module, x = Affine(), torch.randn(2, 4)
    fast = ready(module, x, grad=grad)

    def check(change):
        change()
        with torch.set_grad_enabled(grad):
            same(fast(x), module(x))
            same(fast(x), module(x))
            same(fast(x), module(x))

    def hooked():
        module.layer.register_forward_hook(lambda _module, _given, y: y + 1)

    def written():
        with torch.no_grad():
            module.layer.weight.mul_(2)

    def forward(x):
        return module.layer(x) - 5

    check(written)
    check(lambda: setattr(module.layer.weight, "data", torch.randn(3, 4)))
    check(lambda: setattr(module.layer, "bias", nn.Parameter(torch.randn(3))))
    check(lambda: setattr(module, "scale", 3.0))
    check(lambda: setattr(module, "layer", nn.Linear(4, 3, bias=False)))
    check(hooked)
    check(lambda: module.layer.weight.requires_grad_(False))
    check(lambda: module.layer.weight.requires_grad_(True))
    check(lambda: setattr(module, "forward", forward))


def test_training_is_seen():
    module, x = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)), torch.randn(8, 4)
    fast = ready(module.eval(), x)
    with torch.no_grad():
        module.train()
        before = module[1].running_mean.clone()
        same(fast(x).mean(0), torch.zeros(4))
        assert not torch.equal(module[1].running_mean, before)
        module.eval()
        same(fast(x), module(x))


def test_an_equal_object_in_another_place_is_asked_about_once_more(slow):
    module, x = Affine(), torch.randn(2, 4)
    fast = ready(module, x)
    with torch.no_grad():
        for scale in (float("2.0"), float("7.0"), float("2.0"), float("7.0")):
            module.scale = scale
            for _ in range(3):
                same(fast(x), module(x))


class Heard(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class Overheard(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("grad", [False, True])
def test_modes_are_seen(slow, grad, monkeypatch):
    module, x = Affine(), torch.randn(2, 4)
    fast = ready(module, x, grad=grad)
    with torch.set_grad_enabled(not grad):
        y = fast(x)
        assert y.requires_grad is not grad
    with torch.set_grad_enabled(grad):
        with torch.autocast("cpu", torch.bfloat16), refusal(CaptureError, "autocast"):
            fast(x)
        with refusal(CaptureError, r"torch\.func"):
            torch.func.vmap(fast)(torch.stack([x, x]))
        with torch.autograd.forward_ad.dual_level(), refusal(CaptureError, "tangents"):
            fast(torch.autograd.forward_ad.make_dual(x, x))
        for mode in (Heard, Overheard):
            with mode(), refusal(CaptureError, "E458: Affine is called within"):
                fast(x)
        monkeypatch.setattr(CONFIG, "disable", True)
        _, fits = taken(slow, lambda: fast(x))
        assert not fits
        monkeypatch.setattr(CONFIG, "disable", False)
        _, fits = taken(slow, lambda: fast(x))
        assert fits


def test_gradients_are_those_of_the_module(slow):
    module, x = Affine().double(), torch.randn(2, 4, dtype=torch.float64, requires_grad=True)
    fast = ready(module, x, grad=True)
    weights = [x, *module.parameters()]
    for weighed in (lambda y: y.sum(), lambda y: (y * torch.arange(6.0).reshape(2, 3)).sum(), lambda y: y[0, 1]):
        y, fits = taken(slow, lambda: fast(x))
        assert fits
        same(torch.autograd.grad(weighed(y), weights), torch.autograd.grad(weighed(module(x)), weights))
    assert torch.autograd.gradcheck(fast, (x,))
    assert torch.autograd.gradgradcheck(fast, (x,))


def test_flags_of_arguments_are_seen(slow):
    module, x = Affine(), torch.randn(2, 4)
    fast = ready(module, x, grad=True)
    flagged = x.clone().requires_grad_()
    for _ in range(4):
        (gradient,) = torch.autograd.grad(fast(flagged).sum(), [flagged])
        same(gradient, torch.autograd.grad(module(flagged).sum(), [flagged])[0])
        (gradient,) = torch.autograd.grad(fast(x).sum(), [module.layer.weight])
        same(gradient, torch.autograd.grad(module(x).sum(), [module.layer.weight])[0])


def test_several_outputs_and_those_without_gradients(slow):
    class Several(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(3))
            self.other = nn.Parameter(torch.randn(3))

        def forward(self, x):
            y = x * self.weight
            return y, y.argmax(), (x + self.other).exp()

    module, x = Several(), torch.randn(3)
    fast = ready(module, x, grad=True)
    weights = list(module.parameters())
    for _ in range(2):
        (found, expected), fits = (fast(x), module(x)), True
        same(found, expected)
        assert [one.requires_grad for one in found] == [one.requires_grad for one in expected]
        for loss in (lambda y: y[0].sum(), lambda y: y[2].sum(), lambda y: y[0].sum() + y[2].sum()):
            results = [
                torch.autograd.grad(loss(one), weights, allow_unused=True, retain_graph=True)
                for one in (found, expected)
            ]
            same(*[[torch.zeros(3) if g is None else g for g in one] for one in results])
            assert [g is None for g in results[0]] == [g is None for g in results[1]]
    assert fits


def test_a_graph_can_be_kept_and_is_freed():
    x = torch.randn(2, 4)
    fast = ready(Affine(), x, grad=True)
    y = fast(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_what_is_kept_may_not_be_overwritten():
    module, x = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)), torch.randn(2, 4)
    fast = ready(module, x, grad=True)
    y = fast(x).sum()
    with torch.no_grad():
        module[1].weight.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_threads_share_an_entry():
    module, x = Affine(), torch.randn(64, 4)
    fast = ready(module, x)
    wrong = []

    def work(seed):
        given = torch.randn(64, 4, generator=torch.Generator().manual_seed(seed))
        with torch.no_grad():
            expected = module(given)
            wrong.extend(seed for _ in range(200) if not torch.allclose(fast(given), expected, atol=1e-6))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_compiled_module_is_collected():
    x = torch.randn(2, 4)
    module = Affine()
    fast = ready(module, x, grad=True)
    with torch.no_grad():
        for _ in range(3):
            fast(x)
    gone = weakref.ref(module), weakref.ref(fast)
    del module, fast
    gc.collect()
    assert [one() for one in gone] == [None, None]


@pytest.mark.parametrize("page", [1 << 12, 1 << 14, 1 << 16])
def test_large_results_ask_for_large_pages_of_any_kernel(page):
    """Linux refuses advice about an address that is not on a page, and pages of ARM may have 64 KiB."""
    asked = []

    @ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32)
    def madvise(address, nbytes, advice):
        asked.append((address, nbytes, advice))
        return 0

    table = cpython.process_table()
    words = [cpython.WORD[name] for name in ("madvise", "page_bytes")]
    before = table[words]
    table[words] = ctypes.cast(madvise, ctypes.c_void_p).value, page
    try:
        fast = hybridize(lambda x: x + 1)
        x = torch.zeros(3 << 19)
        results = [fast(x) for _ in range(4)]
    finally:
        table[words] = before
    assert asked
    blocks = [(y.data_ptr(), y.data_ptr() + 4 * y.numel()) for y in results]
    for address, nbytes, advice in asked:
        assert (address % page, advice) == (0, 14)
        assert any(start - address <= 4096 and 0 <= end - address - nbytes <= page for start, end in blocks)
