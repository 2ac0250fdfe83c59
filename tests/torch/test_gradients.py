"""The compiled backward pass behaves as any node of PyTorch's graph: kept, freed, hooked, frozen, differentiated."""

import copy
import gc
import threading
import weakref

import pytest
import torch
from torch import nn
from torch.autograd import forward_ad

from hybridize import hybridize
from hybridize.errors import CaptureError, StateError
from hybridize.torch import island
from tests.refusals import refusal


class Lambda(nn.Module):
    def __init__(self, function, **parameters):
        super().__init__()
        self.function = function
        for name, value in parameters.items():
            setattr(self, name, nn.Parameter(value))

    def forward(self, *args):
        return self.function(self, *args)


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3)).double()


def pair(module=None):
    """A module that is compiled, and its twin that is not."""
    module = net() if module is None else module
    twin = copy.deepcopy(module)
    return hybridize(module), module, twin


def same(module, twin):
    for (name, p), q in zip(module.named_parameters(), twin.parameters(), strict=True):
        assert (p.grad is None) == (q.grad is None), name
        if p.grad is not None:
            torch.testing.assert_close(p.grad, q.grad, rtol=1e-10, atol=1e-12, msg=name)


@pytest.fixture
def x():
    return torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(6, 4)


def test_no_pytorch_runs_backward(x, monkeypatch):
    fast, module, twin = pair()
    y = fast(x)
    monkeypatch.setattr(nn.Linear, "forward", None)  # running the module once more would fail
    y.square().sum().backward()
    monkeypatch.undo()
    twin(x).square().sum().backward()
    same(module, twin)


def test_retain_graph_and_a_second_backward(x):
    fast, module, twin = pair()
    for run, owner in ((fast, module), (twin, twin)):
        loss = run(x).square().sum()
        loss.backward(retain_graph=True)
        loss.backward()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()
        assert owner[0].weight.grad is not None
    same(module, twin)


def test_gradients_of_some_outputs_and_of_arguments(x):
    module = Lambda(lambda m, a, b: (a * m.w, (a * b).sum(0), b.argmax(-1)), w=torch.rand(4, dtype=torch.float64))
    fast, module, twin = pair(module)
    a, b = x.clone().requires_grad_(), x.flip(0).clone()
    got, want = fast(a, b), twin(a, b)
    assert [y.requires_grad for y in got] == [y.requires_grad for y in want] == [True, True, False]
    found = torch.autograd.grad(got[1].sum(), [a, module.w], allow_unused=True)
    expected = torch.autograd.grad(want[1].sum(), [a, twin.w], allow_unused=True)
    torch.testing.assert_close(found[0], expected[0])
    assert expected[1] is None
    assert found[1] is None
    b.requires_grad_()
    (fast(a, b)[1] * 2).sum().backward()
    torch.testing.assert_close(b.grad, a.detach() * 2)


def test_what_has_no_gradient_says_so(x):
    module = Lambda(lambda m, a: (a.round() * 1.0, a.detach() * 2, (a > 0), a * m.w), w=torch.rand(4).double())
    fast, module, twin = pair(module)
    a = x.clone().requires_grad_()
    got, want = fast(a), twin(a)
    assert [y.requires_grad for y in got] == [y.requires_grad for y in want] == [True, False, False, True]
    (gradient,) = torch.autograd.grad(fast(a)[0].sum(), [a])
    assert not gradient.any()
    module.w.requires_grad_(False)
    assert [y.requires_grad for y in fast(x)] == [False] * 4


def test_frozen_parameters_have_no_gradient_and_may_thaw(x):
    fast, module, twin = pair()
    for frozen in ((0,), (), (0, 2), (2,)):
        for owner, run in ((module, fast), (twin, twin)):
            owner.zero_grad()
            for number in (0, 2):
                owner[number].requires_grad_(number not in frozen)
            y = run(x)
            assert y.requires_grad == (len(frozen) < 2)
            if y.requires_grad:
                y.square().sum().backward()
        same(module, twin)


def test_a_parameter_that_changes_in_between_is_an_error(x):
    fast, module, _ = pair()
    loss = fast(x.requires_grad_()).square().sum()
    with torch.no_grad():
        module[2].weight.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    loss = fast(x).square().sum()
    with torch.no_grad():
        module[2].bias.mul_(2)  # which no gradient reads
    loss.backward()


def test_an_argument_that_changes_in_between_is_an_error(x):
    fast, *_ = pair()
    loss = fast(x).square().sum()
    x.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_hooks_accumulation_clipping_and_zeroing(x):
    fast, module, twin = pair()
    seen = []
    for owner, run in ((module, fast), (twin, twin)):
        owner[0].weight.register_hook(lambda g: g * 2)
        owner[2].bias.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
        for part in x.split(3):
            run(part).square().sum().backward()
        nn.utils.clip_grad_norm_(owner.parameters(), 0.5)
    same(module, twin)
    torch.testing.assert_close(seen[:2], seen[2:])
    module.zero_grad(set_to_none=False)
    fast(x).sum().backward()
    assert module[0].weight.grad is not None
    module.zero_grad()
    assert module[0].weight.grad is None


def test_modes_without_gradients(x):
    fast, module, twin = pair()
    with torch.no_grad():
        assert not fast(x).requires_grad
    with torch.inference_mode():
        y = fast(x)
        assert y.is_inference()
    torch.testing.assert_close(y.clone(), twin(x).detach(), rtol=1e-10, atol=1e-12)
    with torch.no_grad(), torch.enable_grad():
        assert fast(x).requires_grad
    assert module[0].weight.grad is None


def test_tied_weights(x):
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(torch.tanh(self.a(x)))

    fast, module, twin = pair(Tied().double())
    fast(x).square().sum().backward()
    twin(x).square().sum().backward()
    same(module, twin)


def test_second_and_third_derivatives(x):
    def derivatives(run, owner):
        a = x.clone().requires_grad_()
        (first,) = torch.autograd.grad(run(a).square().sum(), [a], create_graph=True)
        (second,) = torch.autograd.grad(first.square().sum(), [a], create_graph=True)
        second.square().sum().backward()
        return first.detach(), second.detach(), a.grad, [p.grad for p in owner.parameters()]

    fast, module, twin = pair()
    found, expected = derivatives(fast, module), derivatives(twin, twin)
    assert found[3][-1] is None or expected[3][-1] is not None
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-11)


def test_a_second_derivative_after_the_graph_is_gone_or_changed(x):
    fast, module, _ = pair()
    loss = fast(x.requires_grad_()).square().sum()
    torch.autograd.grad(loss, [x], retain_graph=True)
    (first,) = torch.autograd.grad(loss, [x], create_graph=True)
    assert first.requires_grad
    loss = fast(x).square().sum()
    with torch.no_grad():
        module[0].bias.add_(1)
    with pytest.raises((StateError, RuntimeError), match=r"overwritten|inplace"):
        torch.autograd.grad(loss, [x], create_graph=True)


def test_gradcheck(x):
    fast, *_ = pair()
    a = x[:2].clone().requires_grad_()
    assert torch.autograd.gradcheck(fast, (a,))
    assert torch.autograd.gradgradcheck(fast, (a,))


def test_memory_is_given_back():
    fast, *_ = pair()
    a = torch.rand(6, 4, dtype=torch.float64, requires_grad=True)
    b = a * 2
    gone = weakref.ref(b)
    loss = fast(b).sum()
    del b
    assert gone() is None or loss.requires_grad
    del loss  # never run backward
    gc.collect()
    assert gone() is None
    loss = fast(a * 1).square().sum()
    node = loss.grad_fn.next_functions[0][0].next_functions[0][0]
    loss.backward()
    assert node.call.tensors == ()
    with pytest.raises(RuntimeError, match=r"freed|second time"):
        _ = node.saved_tensors


def test_saved_tensor_hooks_see_what_is_kept(x):
    fast, module, twin = pair()
    packed = []

    def pack(tensor):
        packed.append(tensor.shape)
        return tensor.clone()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = fast(x).square().sum()
    assert packed
    loss.backward()
    twin(x).square().sum().backward()
    same(module, twin)


def test_no_grad_inside_of_the_module(x):
    def function(m, a):
        with torch.no_grad():
            scale = (a * m.w).sum(0)
            with torch.enable_grad():
                inner = a * m.w
        return (a * scale).sum() + (m.w.detach() * a).sum() + inner.sum()

    fast, module, twin = pair(Lambda(function, w=torch.rand(4, dtype=torch.float64)))
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    fast(a).backward()
    twin(b).backward()
    torch.testing.assert_close(a.grad, b.grad)
    same(module, twin)


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("mode", [True, False])
def test_arguments_and_weights_that_are_returned_are_themselves(mode, flag, x):
    fast, module, _ = pair(Lambda(lambda m, a, b: (a, m.w, [a * m.w, b, {"again": a}]), w=torch.ones(4).double()))
    other = torch.arange(3)
    for _ in range(4):
        a = x.clone().requires_grad_(flag)
        with torch.set_grad_enabled(mode):
            first, second, (_, third, held) = fast(a, other)
        assert first is a
        assert held["again"] is a
        assert second is module.w
        assert third is other


@torch.enable_grad()
def recorded(m, a):
    return a * m.w


def recorded_from_here(m, a):
    b = a * m.w
    torch.set_grad_enabled(True)
    return b, b * m.w


def recorded_within(m, a):
    with torch.no_grad():
        b = a * m.w
        with torch.enable_grad():
            c = b * m.w + a
    return b, c


def recorded_detached(m, a):
    with torch.enable_grad():
        return a.detach() * 2, a.round() * m.w


def recorded_forces(m, a):
    with torch.enable_grad():
        b = a.detach().requires_grad_()
        energy = (b * m.w).tanh().sum()
        return energy, *torch.autograd.grad(energy, b, create_graph=True)


def recorded_nothing(m, a):
    with torch.enable_grad():
        pass
    return a * m.w


def recorded_and_written(m, a):
    with torch.enable_grad():
        b = a * m.w
    m.total.add_(a.detach().sum(0))
    return b, b.detach() + m.total


RECORDED = [
    recorded, recorded_from_here, recorded_within, recorded_detached, recorded_forces, recorded_nothing,
    recorded_and_written,
]  # fmt: skip


@pytest.mark.parametrize("function", RECORDED)
def test_enable_grad_in_calls_with_gradients_and_without(function, x):
    module = Lambda(function, w=torch.linspace(0.5, 2, 4).double())
    module.register_buffer("total", torch.zeros(4).double())
    fast, module, twin = pair(module)
    for mode, flag in [(False, True), (False, True), (True, True), (False, False), (True, False)] * 2:
        outcomes = []
        for run, owner in ((fast, module), (twin, twin)):
            owner.zero_grad()
            a = x.clone().requires_grad_(flag)
            with torch.set_grad_enabled(mode):
                results = run(a)
            results = results if isinstance(results, tuple) else (results,)
            live = [one.square().sum() for one in results if one.requires_grad]
            sum(live, torch.zeros((), requires_grad=True)).backward()
            outcomes.append(([one.requires_grad for one in results], [one.detach() for one in results], a.grad))
        torch.testing.assert_close(*outcomes)
        same(module, twin)


def test_tensors_tell_whether_they_are_of_inference_or_it_is_refused(x):
    weight = Lambda(lambda m, a: a * (2 if m.w.is_inference() else 3), w=torch.ones(4).double())
    torch.testing.assert_close(hybridize(weight)(x), weight(x))
    with refusal(CaptureError, "is_inference"):
        hybridize(lambda a: (a * 2).is_inference())(x)
    with torch.inference_mode():
        assert hybridize(weight)(x).is_inference()


def test_a_moving_average_is_written_without_a_gradient(x):
    class Average(nn.Module):
        def __init__(self, silent):
            super().__init__()
            self.silent = silent
            self.scale = nn.Parameter(torch.ones(4, dtype=torch.float64))
            self.register_buffer("mean", torch.zeros(4, dtype=torch.float64))

        def forward(self, x):
            with torch.set_grad_enabled(not self.silent):
                self.mean.mul_(0.9).add_((x * self.scale).mean(0), alpha=0.1)
            return x * self.scale - self.mean

    fast, module, twin = pair(Average(True))
    for run in (fast, twin):
        for _ in range(3):
            run(x).square().sum().backward()
    same(module, twin)
    torch.testing.assert_close(module.mean, twin.mean)
    with pytest.raises(CaptureError, match=r"E459.*'mean'"):
        hybridize(Average(False))(x)


def test_the_old_value_of_a_buffer_that_is_written(x):
    class Steps(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(4, dtype=torch.float64))
            self.register_buffer("count", torch.ones((), dtype=torch.float64))

        def forward(self, x):
            y = x * self.scale * self.count
            self.count = self.count + 1
            return y

    fast, module, twin = pair(Steps())
    for run in (fast, twin):
        for _ in range(3):
            run(x).sum().backward()
    same(module, twin)
    assert module.count.item() == twin.count.item() == 4


def test_gradients_of_the_users_own(x):
    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a.round()

        @staticmethod
        def backward(ctx, g):
            return g * 3 * ctx.saved_tensors[0]

    module = Lambda(lambda m, a: Straight.apply(a * m.w), w=torch.rand(4, dtype=torch.float64))
    fast, module, twin = pair(module)
    for run in (fast, twin):
        run(x).square().sum().backward()
    same(module, twin)
    a = x.clone().requires_grad_()
    found = []
    for run in (fast, twin):
        (first,) = torch.autograd.grad(run(a).square().sum(), [a], create_graph=True)
        found.append((first.detach(), torch.autograd.grad(first.square().sum(), [a])[0]))
    torch.testing.assert_close(*found)


def test_backward_hooks_of_a_part_are_refused_and_run_in_an_island():
    module, twin = net(), net()
    x = torch.rand(2, 4, dtype=torch.float64)
    for owner in (module, twin):
        owner[2].register_full_backward_hook(lambda part, inputs, outputs: (inputs[0] * 2,))
    with pytest.raises(
        CaptureError,
        match="a Linear has hooks of the backward pass cannot be compiled",
    ):
        hybridize(module)(x)
    module[2] = island(module[2])
    for run in (hybridize(module), twin):
        run(x).sum().backward()
    same(module, twin)


def test_frozen_weights_still_have_gradients(x):
    fast = hybridize(net(), freeze=True)
    twin = net()
    fast(x).square().sum().backward()
    twin(x).square().sum().backward()
    same(fast.module, twin)
    for p in fast.module.parameters():
        p.requires_grad_(False)
    a = x.clone().requires_grad_()
    fast(a).sum().backward()
    torch.testing.assert_close(a.grad, torch.autograd.grad(twin(x.requires_grad_()).sum(), [x])[0])


def test_modes_that_programs_do_not_know_are_refused(x):
    fast, *_ = pair()
    with torch.autocast("cpu", dtype=torch.bfloat16), pytest.raises(CaptureError, match=r"E458.*autocast"):
        fast(x)
    with forward_ad.dual_level(), torch.no_grad():
        dual = forward_ad.make_dual(x, torch.ones_like(x))
        with pytest.raises(CaptureError, match=r"E458.*forward"):
            fast(dual)
        fast(x)
    with pytest.raises(RuntimeError):
        torch.func.grad(lambda a: fast(a).sum())(x)
    with pytest.raises(RuntimeError):
        torch.func.vmap(fast)(x)


def test_bfloat16_and_strided_tensors(x):
    torch.manual_seed(0)
    for dtype, tolerance in ((torch.bfloat16, 5e-2), (torch.float16, 5e-3), (torch.float32, 1e-5)):
        fast, module, twin = pair(net().to(dtype))
        a = x.to(dtype).t().contiguous().t()
        for run in (fast, twin):
            run(a).sum().backward()
        for p, q in zip(module.parameters(), twin.parameters(), strict=True):
            torch.testing.assert_close(p.grad, q.grad, rtol=tolerance, atol=tolerance)


def test_many_sizes_have_few_programs(x):
    fast, module, twin = pair()
    for rows in (4, 6, 5, 3, 2, 6):
        for run in (fast, twin):
            run(x[:rows]).square().sum().backward()
    same(module, twin)
    assert fast.cache_info()["programs"] == 2


@pytest.mark.parametrize("options", [{"backend": "numpy"}, {"verify": "outputs"}, {"verify": "ops"}])
def test_backends_and_verification(options, x):
    module, twin = net(), net()
    hybridize(module, **options)(x).square().sum().backward()
    twin(x).square().sum().backward()
    same(module, twin)


def _new_data(owner, value):
    owner[0].weight.data = value


def _new_parameter(owner, value):
    owner[0].weight = nn.Parameter(value)


def _new_buffer(owner, value):
    owner[2].bias = None
    owner[2].bias = nn.Parameter(value.sum(1)[:3].clone())


@pytest.mark.parametrize("replace", [_new_data, _new_parameter, _new_buffer])
def test_tensors_that_are_replaced_over_and_over(replace, x):
    fast, module, twin = pair()
    gone = []
    for number in range(12):
        value = torch.full((5, 4), 0.1 * number, dtype=torch.float64)
        gone.append(weakref.ref(value.untyped_storage()))
        for owner, run in ((module, fast), (twin, twin)):
            owner.zero_grad()
            replace(owner, value.clone())
            run(x).square().sum().backward()
            with torch.no_grad():
                y = run(x)
        torch.testing.assert_close(y, fast(x).detach())
        same(module, twin)
        assert fast.cache_info()["programs"] <= 4, "what reads the old tensors is forgotten"


def test_the_memory_of_replaced_tensors_is_given_back(x):
    fast, module, _ = pair()
    gone = []
    for number in range(8):
        value = nn.Parameter(torch.full((5, 4), 0.1 * number, dtype=torch.float64))
        gone.append(weakref.ref(value))
        module[0].weight = value
        del value
        fast(x).sum().backward()
        with torch.no_grad():
            fast(x)
    gc.collect()
    assert sum(one() is not None for one in gone) <= 2


def test_modules_that_are_dropped_leave_nothing(x):
    from hybridize.torch import memory

    gone = []
    before = None
    for number in range(8):
        fast, module, twin = pair()
        fast(x).square().sum().backward()
        with torch.no_grad():
            fast(x)
        gone += [weakref.ref(module), weakref.ref(module[0].weight), weakref.ref(fast)]
        del fast, module, twin
        gc.collect()
        if number == 2:
            before = len(memory._KNOWN)
    assert all(one() is None for one in gone)
    assert len(memory._KNOWN) <= before


CALLS = {
    "one tensor twice": (lambda m, x, y: x * y * m.w, lambda run, m, a: run(a, a)),
    "a parameter as argument": (lambda m, x: x * m.w, lambda run, m, a: run(m.w) + a),
    "a view": (lambda m, x: x.tanh() * m.w, lambda run, m, a: run(a[::2])),
    "a result written in place": (lambda m, x: x * m.w, lambda run, m, a: run(a).mul_(2)),
    "one result twice": (lambda m, x: (x * m.w,) * 2, lambda run, m, a: run(a)[0] * 2 + run(a)[1]),
    "the argument as a result": (lambda m, x: (x, x * m.w), lambda run, m, a: run(a)[0] * 3),
    "nothing": (lambda m, x: x * m.w, lambda run, m, a: run(a[:0])),
    "containers": (lambda m, d: {"l": [d["x"] * m.w]}, lambda run, m, a: run({"x": a})["l"][0]),
    "a hook on the result": (lambda m, x: x * m.w, lambda run, m, a: _hooked(run(a))),
}


def _hooked(y):
    y.register_hook(lambda g: g * 3)
    return y


@pytest.mark.parametrize("case", list(CALLS))
def test_ways_to_call(case, x):
    function, use = CALLS[case]
    fast, module, twin = pair(Lambda(function, w=torch.rand(4, dtype=torch.float64)))
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    got, want = use(fast, module, a), use(twin, twin, b)
    torch.testing.assert_close(got, want)
    got.sum().backward()
    want.sum().backward()
    torch.testing.assert_close(a.grad, b.grad)
    same(module, twin)


def test_a_result_that_is_kept_may_not_be_written(x):
    fast, *_ = pair(Lambda(lambda m, x: (x * m.w).exp(), w=torch.rand(4, dtype=torch.float64)))
    y = fast(x)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_hessian(x):
    fast, _, twin = pair(Lambda(lambda m, x: (x * m.w).tanh().sum(), w=torch.rand(4, dtype=torch.float64)))
    compute = torch.autograd.functional.hessian
    torch.testing.assert_close(compute(fast, x[:2]), compute(twin, x[:2]))


@pytest.mark.parametrize("vectorize", [True, False])
def test_jacobians_of_many_gradients_at_once(vectorize, x):
    fast, _, twin = pair()

    def of_a_jacobian(call, a):
        a = a.clone().requires_grad_()
        found = torch.autograd.functional.jacobian(call, a, vectorize=vectorize, create_graph=True)
        return found.detach(), torch.autograd.grad(found.square().sum(), [a])[0]

    def hessian(call, a):
        return torch.autograd.functional.hessian(lambda b: call(b).square().sum(), a, vectorize=vectorize)

    for _ in range(3):
        for a in (x[0], x):
            jacobians = [torch.autograd.functional.jacobian(one, a, vectorize=vectorize) for one in (fast, twin)]
            torch.testing.assert_close(*jacobians)
        torch.testing.assert_close(of_a_jacobian(fast, x), of_a_jacobian(twin, x))
        torch.testing.assert_close(hessian(fast, x[0]), hessian(twin, x[0]))


@pytest.mark.parametrize("options", [{}, {"retain_graph": True}, {"create_graph": True}])
def test_many_gradients_at_once(options, x):
    parts = {"w": torch.rand(4).double(), "v": torch.rand(4).double()}
    fast, module, twin = pair(Lambda(lambda m, a: (a * m.w, (a * m.v).tanh().sum(0), a.argmax(0)), **parts))
    heads = torch.linspace(-1, 1, 72, dtype=torch.float64).reshape(3, 6, 4), torch.eye(3, 4, dtype=torch.float64)
    for count in (1, 2, 1, 2):
        found = []
        for run, owner in ((fast, module), (twin, twin)):
            a = x.clone().requires_grad_()
            results, asked = run(a)[:count], [a, owner.w, owner.v]
            gradients = torch.autograd.grad(
                results, asked, heads[:count], is_grads_batched=True, allow_unused=True, **options
            )
            found.append([None if one is None else one.detach() for one in gradients])
            if not options:
                with pytest.raises(RuntimeError, match="second time"):
                    torch.autograd.grad(results, asked, heads[:count], is_grads_batched=True, allow_unused=True)
        torch.testing.assert_close(*found)


def test_threads():
    fast, _, twin = pair()
    problems = []

    def work(seed):
        random = torch.Generator().manual_seed(seed)
        try:
            for number in range(20):
                a = torch.rand(1 + (number + seed) % 5, 4, dtype=torch.float64, generator=random, requires_grad=True)
                found = torch.autograd.grad(fast(a).square().sum(), [a])
                torch.testing.assert_close(found, torch.autograd.grad(twin(a).square().sum(), [a]))
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_a_hybridized_part_of_a_hybridized_module(x):
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = nn.Linear(4, 4)
            self.fast = hybridize(self.part)

        def forward(self, x):
            return self.fast(x).relu()

    module = Outer().double()
    y = hybridize(module)(x)
    torch.testing.assert_close(y, module.part(x).relu())
    y.sum().backward()
    assert module.part.weight.grad is not None
    torch.testing.assert_close(module(x), y)


class MarksItsInput(nn.Module):
    """Marks a view of its argument as a leaf, as models do whose first layers are checkpointed."""

    def __init__(self, later=None):
        super().__init__()
        self.layer = nn.Conv1d(1, 2, 3)
        self.later = later

    def forward(self, x):
        rows = x[:, None]
        if self.training:
            rows.requires_grad = True
        y = self.layer(rows)
        if self.later is not None:
            with torch.no_grad():
                (x if self.later == "argument" else rows).add_(1)
        return y, rows.requires_grad


def test_a_view_of_an_argument_is_made_a_leaf():
    module = MarksItsInput()
    twin = copy.deepcopy(module)
    fast = hybridize(module)
    for rows in (2, 2, 3):
        x = torch.randn(rows, 8)
        (found, marked), (wanted, _) = fast(x), twin(x)
        torch.testing.assert_close(found, wanted)
        assert marked is True
        assert not x.requires_grad
        found.sum().backward(), wanted.sum().backward()
        torch.testing.assert_close(module.layer.weight.grad, twin.layer.weight.grad)


@pytest.mark.parametrize("later", ["argument", "view"])
def test_a_view_that_is_made_a_leaf_and_written_is_refused_or_right(later):
    module = MarksItsInput(later)
    fast, x = hybridize(module), torch.randn(2, 8)
    wanted_x = x.clone()
    wanted, _ = module(wanted_x)
    try:
        found, _ = fast(x)
    except CaptureError as error:
        assert error.code == "E422"  # noqa: PT017
    else:
        torch.testing.assert_close(found, wanted)
        torch.testing.assert_close(x, wanted_x)


# ------------------------------------------------------------------------------ writes that torch does not record


def leaf_between(w, x):
    early = (w * x).sum()
    with torch.no_grad():
        w.mul_(2)
    return early + (w * x * x).sum()


def rows_by_data(w, x):
    w.data[0] = 5.0
    w.data.add_(x)
    return (w * w.detach()).sum()


def data_exchanged(w, x):
    before, seen = w.data, w.detach()
    w.data = w.data + x
    inside = (w * 3).sum()
    w.data = before
    return inside + (w * x).sum() + seen.sum()


def midway(w, x):
    y = w * x
    with torch.no_grad():
        y.clamp_(max=1.0)
    z = y * 3
    y.data.add_(1)
    return (z + y).sum()


def part_of_midway(w, x):
    y = w * x + 1
    with torch.no_grad():
        y[1:] = x[1:]
    return (y * 2 + 1).sum()


def on_one_side(w, x):
    with torch.no_grad():
        if w.norm() > 2:
            w.div_(w.norm())
        else:
            w.mul_(1.5)
    return (w * x).sum()


@pytest.mark.parametrize("function", [leaf_between, rows_by_data, data_exchanged, midway, part_of_midway, on_one_side])
def test_what_is_written_without_a_gradient_keeps_the_one_it_had(function):
    left = []
    for wrap in (lambda f: f, hybridize):
        w, run = nn.Parameter(torch.tensor([1.0, 2.0, 0.5])), wrap(function)
        for number in range(4):
            w.grad = None
            result = run(w, torch.arange(3.0)) if number % 2 else run(w, torch.arange(3.0) + number)
            result.backward()
            left.append((result.detach().clone(), w.detach().clone(), w.grad.clone()))
    for one, other in zip(left[:4], left[4:], strict=True):
        torch.testing.assert_close(other, one)


def test_own_passes_see_what_was_written_without_a_gradient():
    def step(w, x):
        early = (w * x).sum()
        with torch.no_grad():
            w.mul_(3)
        (early + (w * x * x).sum()).backward()
        (whole,) = torch.autograd.grad((w**2).sum() + (w * x).sum(), w)
        return whole

    results = []
    for wrap in (lambda f: f, hybridize):
        w = nn.Parameter(torch.ones(3))
        run = wrap(lambda x, w=w: step(w, x))
        for _ in range(3):
            w.grad = None
            results.append((run(torch.arange(3.0)), w.grad.clone(), w.detach().clone()))
    for one, other in zip(results[:3], results[3:], strict=True):
        torch.testing.assert_close(other, one)


class Sign(torch.autograd.Function):
    """Its result is made by way of bools: only its own gradient leads back."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return (x > 0).to(x.dtype) * scale

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.scale, None


@pytest.mark.parametrize("count", [1, 2])
def test_gradients_that_only_a_functions_own_backward_gives(count):
    fast, module, twin = pair(
        Lambda(lambda one, x: (Sign.apply(x * one.w, 2.0), x * one.v)[:count], w=torch.ones(3), v=torch.ones(3))
    )
    for _ in range(3):
        for one in (fast, twin):
            one(torch.tensor([1.0, -2.0, 3.0]))[0].sum().backward()  # of one result only
    same(module, twin)


# ------------------------------------------------------------------------------------------ leaves that a call makes


def written_leaf(m, a):
    leaf = nn.Parameter(a * 2)
    with torch.no_grad():
        leaf.add_(1)
    return leaf


def twice(m, a):
    leaf = nn.Parameter(a * 2)
    return leaf, leaf


def told(m, a):
    leaf, plain = nn.Parameter(a * 2), a.detach() * 2
    asked = (leaf, m.w, m.w * 2, m.w.detach(), plain)
    return [isinstance(one, nn.Parameter) + 2 * one.is_leaf + 4 * one.requires_grad for one in asked], a * m.w


MADE_LEAVES = {
    "a parameter": lambda m, a: nn.Parameter(a * 2),
    "what has a gradient": lambda m, a: nn.Parameter(a * m.w),
    "without a gradient": lambda m, a: nn.Parameter(a * m.w, requires_grad=False),
    "of an argument": lambda m, a: nn.Parameter(a),
    "of a weight": lambda m, a: nn.Parameter(m.w),
    "beside others": lambda m, a: {"leaf": nn.Parameter(a * 2), "others": [a * m.w, 3]},
    "by requires_grad_": lambda m, a: ((a * 2).detach().requires_grad_(), a * m.w),
    "not returned": lambda m, a: nn.Parameter(a * 2) * m.w,
    "of an own pass": lambda m, a: (lambda leaf: torch.autograd.grad((leaf**2 * m.w).sum(), leaf)[0])(nn.Parameter(a)),
    "written": written_leaf,
    "twice": twice,
    "told": told,
}


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("kind", MADE_LEAVES)
def test_leaves_that_a_call_makes(kind, flag, x):
    fast, module, twin = pair(Lambda(MADE_LEAVES[kind], w=torch.linspace(0.5, 2, 4).double()))
    for mode in (True, False, True, False):
        if kind == "of an own pass" and not mode:
            continue
        outcomes = []
        for run, owner in ((fast, module), (twin, twin)):
            owner.zero_grad()
            a = x.clone().requires_grad_(flag)
            with torch.set_grad_enabled(mode):
                leaves = torch.utils._pytree.tree_leaves(run(a))
            tensors = [one for one in leaves if isinstance(one, torch.Tensor)]
            live = [one.square().sum() for one in tensors if one.requires_grad]
            sum(live, torch.zeros((), requires_grad=True)).backward()
            described = [(type(one), one.is_leaf, one.requires_grad, one is tensors[0]) for one in tensors]
            grads = [one.grad for one in tensors if one.is_leaf]
            others = [one for one in leaves if not isinstance(one, torch.Tensor)]
            outcomes.append((described, [one.detach() for one in tensors], grads, others, a.grad))
        assert outcomes[0][0] == outcomes[1][0]
        torch.testing.assert_close(outcomes[0][1:], outcomes[1][1:])
        same(module, twin)


def test_leaves_that_a_call_cannot_make_are_refused(x):
    def used(m, a):
        leaf = nn.Parameter(a * 2)
        return leaf, leaf * m.w

    def written(m, a):
        nn.Parameter(a * 2).add_(1)
        return a

    class Unknown:
        """An argument of a class that only our own capture follows."""

    weight = torch.ones(4).double()
    with pytest.raises(CaptureError, match="computed from another one, which is a leaf"):
        hybridize(Lambda(lambda m, a, _: used(m, a), w=weight))(x, Unknown())
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        hybridize(Lambda(lambda m, a, _: written(m, a), w=weight))(x, Unknown())


# ------------------------------------------------------------------------------------------ flags that a call sets


def frozen_between(m, a):
    y = m.a(a)
    m.a.requires_grad_(False)
    return m.b(m.a(y)), m.a.weight.requires_grad


def frozen_for_a_part(m, a):
    weight = m.a.weight
    m.a.weight.requires_grad = False
    y = (a @ weight).sum() + m.b(m.a(a))
    m.a.weight.requires_grad = True
    return m.b(m.a(y)), weight.requires_grad


def frozen_leaf(m, a):
    leaf = a.detach().clone().requires_grad_()
    y = leaf * 2
    leaf.requires_grad_(False)
    return m.a(a) * leaf, y.requires_grad, leaf.requires_grad


def own_passes(m, a):
    m.a.requires_grad_(False)
    m.b(m.a(a)).sum().backward()
    m.a.requires_grad_(True)
    m.a(a).square().sum().backward()
    y = m.a(a).sum()
    m.b.requires_grad_(False)
    m.a.bias.requires_grad_(False)
    y.backward()
    return (y.detach(),)


def asked(m, a):
    y = m.a(a)
    m.a.weight.requires_grad_(False)
    y = y + m.a(a)
    m.a.weight.requires_grad_(True)
    return torch.autograd.grad((y + m.a(a)).sum(), m.a.weight)


def argument(m, a):
    y = m.a(a)
    a.requires_grad_(False)
    return y * a, a.requires_grad


def no_leaf(m, a):
    m.a(a).requires_grad_(False)


class Two(nn.Module):
    def __init__(self, function):
        super().__init__()
        torch.manual_seed(0)
        self.function, self.a, self.b = function, nn.Linear(4, 4).double(), nn.Linear(4, 4).double()

    def forward(self, a):
        return self.function(self, a)


@pytest.mark.parametrize(
    "function",
    [frozen_between, frozen_for_a_part, frozen_leaf, own_passes, asked, argument],
    ids=lambda one: one.__name__,
)
def test_flags_that_a_call_sets(function, x):
    fast, module, twin = pair(Two(function))
    versions = [[p._version for p in one.parameters()] for one in (module, twin)]
    for mode in (True, True, True, False, True):
        if function in (own_passes, asked) and not mode:
            continue
        outcomes = []
        for run, owner in ((fast, module), (twin, twin)):
            a = x.clone().requires_grad_()
            with torch.set_grad_enabled(mode):
                y, *told = run(a)
            if y.requires_grad:
                y.square().sum().backward()
            outcomes.append((y.detach(), told, y.requires_grad, a.requires_grad, a.grad))
            outcomes[-1] += ([p.requires_grad for p in owner.parameters()],)
        torch.testing.assert_close(*outcomes)
        same(module, twin)
        for one in (module, twin):
            one.requires_grad_(True)
    assert versions == [[p._version for p in one.parameters()] for one in (module, twin)]


def test_flags_of_what_is_no_leaf(x):
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        hybridize(Two(no_leaf))(x)
