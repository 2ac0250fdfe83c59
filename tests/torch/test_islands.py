"""Islands: parts of captured modules that run in PyTorch, as everywhere else."""

import copy
import gc
import pickle
import weakref

import pytest
import torch
from torch import nn

import hybridize
from hybridize.errors import CaptureError, StateError
from hybridize.torch import island


class Hard(nn.Module):
    """Parameters, Python's own state, numbers from NumPy, and a mode."""

    def __init__(self, size=4):
        super().__init__()
        self.linear = nn.Linear(size, size).double()
        self.calls = 0

    def forward(self, x, scale=1.0):
        self.calls += 1
        shift = torch.from_numpy(x.detach().numpy().mean(axis=0))
        y = self.linear(x) ** 2 * scale + shift
        return y * 2 if self.training else y


class Net(nn.Module):
    def __init__(self, hard):
        super().__init__()
        self.first = nn.Linear(3, 4).double()
        self.hard = hard
        self.last = nn.Linear(4, 2).double()

    def forward(self, x):
        return self.last(torch.tanh(self.hard(torch.sin(self.first(x)))))


def net():
    torch.manual_seed(0)
    return Net(Hard())


def pair(module, options=None):
    """The module, and a copy of it whose part `hard` is an island, hybridized."""
    twin = copy.deepcopy(module)
    twin.hard = island(twin.hard)
    return module, hybridize.hybridize(twin, **(options or {}))


@pytest.mark.parametrize("options", [{}, {"verify": "outputs"}, {"verify": "ops"}, {"backend": "numpy"}])
def test_values_and_gradients_of_two_orders_are_pytorchs(options):
    module, fast = pair(net(), options)
    for size in (2, 5, 2):
        x = torch.randn(size, 3, dtype=torch.double, requires_grad=True)
        with torch.no_grad():
            torch.testing.assert_close(fast(x), module(x))
        found = []
        for one in (module, fast):
            sources = [x, *one.parameters()]
            first = torch.autograd.grad((one(x) ** 3).sum(), sources)
            again = torch.autograd.grad((one(x) ** 3).sum(), sources, create_graph=True)
            second = torch.autograd.grad(sum((each**2).sum() for each in again), sources)
            found.append([*first, *again, *second])
        for one, other in zip(*found, strict=True):
            torch.testing.assert_close(one, other)
    assert fast.module.hard.calls == module.hard.calls, "seeing the results, comparing and second gradients call a copy"


def test_a_training_is_pytorchs():
    losses = []
    for module in pair(net()):
        torch.manual_seed(3)
        optimizer = torch.optim.Adam(module.parameters(), 0.05)
        for step in range(6):
            module.train(step < 3)
            optimizer.zero_grad()
            loss = (module(torch.randn(4, 3, dtype=torch.double)) - 1).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert losses[:6] == pytest.approx(losses[6:], rel=1e-9)
    assert losses[0] > losses[5]


def test_fallbacks_and_explain_name_it_with_its_line():
    _, fast = pair(net())
    with torch.no_grad():
        fast(torch.ones(2, 3, dtype=torch.double))
    (program,) = fast.programs()
    (named,) = program.fallbacks
    assert named.startswith("the island Hard (test_islands.py:")
    assert named in str(program.explain())


def test_a_module_is_itself_imperatively():
    hard = Hard()
    assert island(hard) is hard
    assert list(hard.state_dict()) == ["linear.weight", "linear.bias"]
    twin = pickle.loads(pickle.dumps(hard))
    fast = hybridize.hybridize(twin)
    x = torch.ones(2, 4, dtype=torch.double)
    torch.testing.assert_close(fast(x), hard(x))
    assert fast.programs()[0].fallbacks, "copies of an island are islands"


def sorted_by_python(x, key=1.0):
    return torch.stack(sorted(x.unbind(0), key=lambda one: key * float(one.sum())))


class Functions(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([2.0, 3.0]))
        self.sort = island(sorted_by_python)

    def scaled(self, x):
        return x * self.scale + float(x.sum())

    @island
    def decorated(self, x):
        return {"double": x * self.scale * 2, "nothing": None, "count": torch.tensor(x.shape[0])}

    def forward(self, x):
        y = self.sort(x, key=-1.0)
        z = island(self.scaled)(y)
        found = self.decorated(z)
        assert found["nothing"] is None
        return found["double"] / found["count"], island(torch.flip)(z, [0])


def test_functions_methods_and_decorated_methods():
    module = Functions()
    fast = hybridize.hybridize(module)
    for rows in ([[1.0, 2], [3, 4], [-1, 0.5]], [[0.0, 0], [1, 1]]):
        x = torch.tensor(rows, requires_grad=True)
        for one, other in zip(fast(x), module(x), strict=True):
            torch.testing.assert_close(one, other)
            kept = [torch.autograd.grad(y.sin().sum(), [x, module.scale], retain_graph=True) for y in (one, other)]
            torch.testing.assert_close(*kept)
    assert [named.partition(" (")[0] for named in fast.programs()[0].fallbacks] == [
        "the island sorted_by_python", "the island Functions.scaled", "the island Functions.decorated", "the island flip",
    ]  # fmt: skip


class Dropping(nn.Module):
    def __init__(self):
        super().__init__()
        self.hard = nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(6), nn.Dropout(0.3))

    def forward(self, x):
        return self.hard(x * 2) * x


def test_what_an_island_draws_and_counts_is_the_same_in_its_backward_pass():
    module, fast = pair(Dropping().double())
    x = torch.randn(5, 6, dtype=torch.double, requires_grad=True)
    found = []
    for one in (module, fast):
        torch.manual_seed(5)
        y = one(x)
        (first,) = torch.autograd.grad(y.square().sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.square().sum(), x)
        found.append([y, first, second, *one.buffers()])
    torch.testing.assert_close(*found)


class Around(nn.Module):
    def __init__(self):
        super().__init__()
        self.hard = Hard(3)

    def forward(self, x, steps):
        if torch.is_grad_enabled():
            for number in range(12):
                x = torch.tanh(self.hard(x, 0.5)) + number
        else:
            for _ in range(int(steps)):
                x = torch.tanh(self.hard(x, 0.5))
        return x * 2 if x.sum() > 0 else self.hard(x)


def test_islands_within_loops_and_branches_on_data():
    module, fast = pair(Around())
    for steps in (1, 3):
        for sign in (1, -1):
            x = sign * torch.linspace(0.1, 1, 6, dtype=torch.double).reshape(2, 3).requires_grad_()
            with torch.no_grad():
                torch.testing.assert_close(fast(x, torch.tensor(steps)), module(x, torch.tensor(steps)))
            found = [
                torch.autograd.grad(one(x, torch.tensor(steps)).sum(), [*one.parameters()]) for one in (module, fast)
            ]
            torch.testing.assert_close(*found)


def calling(function, *names, **options):
    class Calling(nn.Module):
        def forward(self, x):
            return function(x + 1)

    return hybridize.hybridize(Calling(), **options)


def test_what_goes_wrong_says_what_to_do():
    x = torch.ones(3)

    def raising(x):
        if float(x.max()) > 1.5:
            raise KeyError("the user's own")
        return x

    fast = calling(island(raising))
    with pytest.raises(KeyError, match="the user's own"):
        fast(x)
    torch.testing.assert_close(fast(-x), torch.zeros(3))

    with pytest.raises(
        CaptureError,
        match=r"E460: the island .*lambda.* returns a float.*\n.*test_islands(.*\n)*.*help: return a tensor",
    ):
        calling(island(lambda x: float(x.sum())))(x)
    needs = island(lambda x: torch.linalg.cholesky(torch.ones(2, 2) * x[0] - 5))
    with pytest.raises(CaptureError, match=r"E460(.*\n)*.*like=f"):
        calling(needs)(x)
    with pytest.raises(StateError, match=r"E574: .* returned \(f32\[2\]\), but \(f32\[0\]\)"):
        calling(island(lambda x: x[x > 1.5]))(torch.tensor([1.0, 0.1, 1]))
    with pytest.raises(StateError, match=r"E576: .* writes to its argument"):
        calling(island(lambda x: x.mul_(2), like=lambda x: x))(x)


def test_tensors_with_gradients_that_are_no_arguments_are_refused():
    weight = torch.ones(3, requires_grad=True)
    with pytest.raises((CaptureError, StateError), match=r"E575: .* sizes \[3\] that has a gradient"):
        calling(island(lambda x: x * weight))(torch.ones(3))
    with torch.no_grad():
        torch.testing.assert_close(calling(island(lambda x: x * weight))(torch.ones(3)), torch.full((3,), 2.0))


def test_like_tells_the_results():
    seen = []

    def count(x):
        seen.append(x.shape)
        return torch.linalg.cholesky(x @ x.T + torch.eye(len(x)))

    fast = calling(island(count, like=lambda x: x.new_empty(len(x), len(x))))
    for size in (2, 3):
        x = torch.randn(size, 4)
        torch.testing.assert_close(fast(x), torch.linalg.cholesky((x + 1) @ (x + 1).T + torch.eye(size)))
    assert len(seen) == 2


def test_files_do_not_have_it(tmp_path):
    _, fast = pair(net())
    with torch.no_grad():
        fast(torch.ones(2, 3, dtype=torch.double))
    for form in ("archive", "library", "wasm"):
        with pytest.raises(
            CaptureError, match=r"E450: the island Hard is Python code called by Net(.*\n)*.*test_islands"
        ):
            fast.export(tmp_path / "net", format=form)
    with pytest.raises(CaptureError, match="E450"):
        fast.save(tmp_path / "net")
    assert not list(tmp_path.iterdir())


def test_parameters_that_are_replaced_and_frozen():
    module, fast = pair(net())
    x = torch.randn(2, 3, dtype=torch.double)
    for change in (
        lambda one: None,
        lambda one: setattr(one.hard.linear, "weight", nn.Parameter(torch.ones(4, 4, dtype=torch.double))),
        lambda one: one.hard.linear.bias.requires_grad_(False),
        lambda one: one.hard.linear.weight.data.mul_(2),
    ):
        for one in (module, fast):
            change(one)
            one.zero_grad()
            one(x).square().sum().backward()
        for one, other in zip(module.parameters(), fast.parameters(), strict=True):
            torch.testing.assert_close(one.grad, other.grad)


def test_what_a_call_keeps_goes_with_its_results():
    held = []

    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark = torch.ones(1)
            held.append(weakref.ref(ctx.mark))
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    fast = calling(island(lambda x: Kept.apply(x)))
    x = torch.ones(2, requires_grad=True)
    for _ in range(3):
        fast(x)  # never differentiated
        fast(x).sum().backward()
    gc.collect()
    assert not [one for one in held if one() is not None]


def test_a_whole_training_step_with_an_island_in_it():
    states = []
    for wrap in (lambda step: step, hybridize.hybridize):
        module = net()
        module.hard = island(module.hard)
        optimizer = torch.optim.SGD(module.parameters(), 0.05)

        def step(x, module=module, optimizer=optimizer):
            optimizer.zero_grad()
            loss = module(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        run = wrap(step)
        for seed in range(3):
            torch.manual_seed(seed)
            run(torch.randn(2, 3, dtype=torch.double))
        states.append([*module.parameters()])
    torch.testing.assert_close(*states)
