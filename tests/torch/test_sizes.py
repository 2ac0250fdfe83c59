"""Modules whose calls come in many sizes: few programs, each equal to PyTorch."""

import collections
import random
import re
import threading

import pytest
import torch
from torch import nn
from torch.distributions import AffineTransform, StudentT, TransformedDistribution
from torch.nn import functional as F
from torch.utils import _pytree as pytree

from hybridize import hybridize, load
from hybridize.base.dims import text


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 5), nn.LayerNorm(5), nn.GELU(), nn.Linear(5, 3), nn.Softmax(-1)).eval()


def check(fast, module, *args, **kwargs):
    with torch.no_grad():
        got, want = fast(*args, **kwargs), module(*args, **kwargs)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def programs(fast):
    return fast.cache_info()["programs"]


def general(fast):
    """Types of the arguments of programs that hold for several sizes, and what those assume."""
    found = []
    for one in fast.programs():
        if one.captured.scope is not None:
            types = [",".join(map(text, kind.shape)) for kind in one.capture.call.kinds]
            found.append((" ".join(types), one.captured.scope.lines()))
    return found


class Attention(nn.Module):
    """Self-attention over sequences that are padded to `length`."""

    def __init__(self, width=8, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, lengths):
        batch, steps, width = x.shape
        q, k, v = self.qkv(x).view(batch, steps, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5
        mask = torch.arange(steps) < lengths[:, None]
        weights = scores.masked_fill(~mask[:, None, None, :], -1e9).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, steps, width))


class Shapes(nn.Module):
    """Arithmetic with sizes: in views, slices, masks, and as data."""

    def forward(self, x, y):
        n, m = x.shape
        half = x[: n // 2]
        both = torch.cat([x, half, torch.zeros(n + 1, m)], 0)
        scaled = both / n + torch.arange(2 * n + n // 2 + 1)[:, None] * m
        tail = x[-1] + x[1:, -2:].sum() + torch.full((m,), n)
        lower = torch.arange(n)[:, None] >= torch.arange(n)
        return scaled.view(-1).sum() / n**0.5 + 1 / n, tail, (lower.float() @ x).reshape(m, -1), y.mean(0) * x.shape[1]


def test_a_hundred_batch_sizes_are_two_programs():
    module = net()
    fast = hybridize(module)
    numbers = random.Random(0)
    for rows in [4, 9, *(numbers.randint(1, 700) for _ in range(100))]:
        check(fast, module, torch.randn(rows, 6))
    check(fast, module, torch.randn(1, 6))
    assert programs(fast) == 2
    assert general(fast) == [("n0,6", ["n0 in 1.. like 9"])]


def test_attention_over_any_batch_and_length():
    module = Attention().eval()
    fast = hybridize(module)
    for batch, steps in ((2, 5), (3, 7), (4, 4), (2, 9), (11, 2), (5, 33), (3, 7)):
        check(fast, module, torch.randn(batch, steps, 8), torch.randint(1, steps + 1, (batch,)))
    assert programs(fast) == 2
    ((types, lines),) = general(fast)
    assert types == "n0,n1,8 n0"
    assert len(lines) == 2  # the two symbols, and no conditions


def test_arithmetic_with_sizes():
    module = Shapes()
    fast = hybridize(module)
    for n, m, k in ((6, 4, 3), (9, 7, 5), (4, 3, 2), (50, 12, 8), (10, 30, 4), (9, 7, 6)):
        check(fast, module, torch.randn(n, m), torch.randn(k, 3))
    assert programs(fast) <= 3


def test_a_branch_on_a_size_is_one_program_for_each_side():
    class Branch(nn.Module):
        def forward(self, x):
            return x * 2 if x.shape[0] > 8 else x - 1

    module = Branch()
    fast = hybridize(module)
    for rows in (4, 9, 5, 30, 8, 6, 100, 12):
        check(fast, module, torch.randn(rows, 3))
    assert programs(fast) == 3
    assert sorted(line for _, lines in general(fast) for line in lines) == ["n0 in 1..8 like 5", "n0 in 9.. like 9"]


def test_a_loop_over_rows_is_one_program_for_all_numbers_of_them():
    class Steps(nn.Module):
        def forward(self, x, y):
            for i in range(x.shape[0]):
                y = y + x[i].sum()
            return y

    module = Steps()
    fast = hybridize(module)
    for rows, others in ((2, 4), (3, 4), (2, 7), (2, 8), (2, 9), (7, 3), (30, 5)):
        check(fast, module, torch.randn(rows, 3), torch.randn(others))
    assert programs(fast) == 3
    assert [types for types, _ in general(fast)] == ["n0,3 4", "n0,3 n1"]


def test_roots_and_parts_of_sizes():
    functions = (
        lambda x: x.sum() / x.shape[0] ** 0.5,
        lambda x: x.sum() + 1 / x.shape[0],
        lambda x: x * x.shape[1] ** -0.5,
        lambda x: x.sum() * (1.5 / (x.shape[0] * x.shape[1])),
        lambda x: x + (2.0 if x.shape[0] else 1.0),
    )

    class All(nn.Module):
        def forward(self, x):
            return [function(x) for function in functions]

    fast = hybridize(All())
    for n, m in ((6, 4), (9, 7), (4, 3), (50, 12)):
        check(fast, All(), torch.rand(n, m))
    ((types, lines),) = general(fast)
    assert types == "n0,n1"
    assert [re.sub(r"\.\.\d*", "..", line) for line in lines] == ["n0 in 1.. like 9", "n1 in 1.. like 7"]
    assert programs(fast) == 2


def test_a_size_that_the_module_needs_as_a_number_stays_exact():
    class Chosen(nn.Module):
        def forward(self, x, y):
            return y * float(f"{x.shape[0]}.5")

    module = Chosen()
    fast = hybridize(module)
    for rows, others in ((2, 4), (3, 4), (2, 7), (2, 8), (2, 9)):
        check(fast, module, torch.randn(rows, 3), torch.randn(others))
    assert "2,3 n0" in [types for types, _ in general(fast)]
    assert all(types.startswith(("2,3", "3,3")) for types, _ in general(fast))


def test_equal_sizes_are_one_symbol_and_others_are_not():
    class Pair(nn.Module):
        def forward(self, x, y):
            return x.sum(-1), y * 2

    fast = hybridize(Pair())
    for x, y in ((4, 4), (9, 9), (5, 5)):
        check(fast, Pair(), torch.randn(x, 2), torch.randn(y))
    assert [types for types, _ in general(fast)] == ["n0,2 n0"]
    for x, y in ((4, 7), (9, 8), (3, 30)):
        check(fast, Pair(), torch.randn(x, 2), torch.randn(y))
    assert [types for types, _ in general(fast)] == ["n0,2 n0", "n0,2 n1"]


def test_sizes_zero_and_one_have_programs_of_their_own():
    class Add(nn.Module):
        def forward(self, x, y):
            return (x + y).sum(0)

    fast = hybridize(Add())
    for x, y in ((4, 4), (9, 9), (1, 9), (9, 1), (1, 1), (0, 0), (0, 1), (5, 5)):
        check(fast, Add(), torch.randn(x, 3), torch.randn(y, 3))
    assert ("n0,3 n0,3", ["n0 in 1.. like 9"]) in general(fast)


def test_one_size_is_a_multiple_of_another():
    class Twice(nn.Module):
        def forward(self, x, y):
            return torch.cat([x, x]) + y

    fast = hybridize(Twice())
    for rows in (4, 9, 5, 30):
        check(fast, Twice(), torch.randn(rows, 3), torch.randn(2 * rows, 3))
    ((types, lines),) = general(fast)
    assert (types, lines[-1]) == ("n0,3 n1,3", "2*n0-n1 == 0")
    assert programs(fast) == 2
    with pytest.raises(RuntimeError, match="must match"):
        fast(torch.randn(6, 3), torch.randn(13, 3))


def test_strided_tensors_other_dtypes_and_modes():
    class Scaled(nn.Module):
        def forward(self, x):
            return x * 3 if self.training else x.transpose(0, 1) @ x

    module = Scaled().eval()
    fast = hybridize(module)
    for rows in (4, 9, 7):
        check(fast, module, torch.randn(3, rows).t())
        check(fast, module, torch.randn(2 * rows, 6)[::2, ::2])
        check(fast, module, torch.randn(rows, 3, dtype=torch.float64))
    module.train()
    for rows in (4, 9, 7):
        check(fast, module, torch.randn(rows, 3))
    module.eval()
    check(fast, module, torch.randn(8, 3))
    assert len(general(fast)) == 3


def test_replaced_parameters_are_read_by_programs_for_any_size():
    module = net()
    fast = hybridize(module)
    for rows in (4, 9):
        check(fast, module, torch.randn(rows, 6))
    module[0].weight.data.mul_(2)
    check(fast, module, torch.randn(5, 6))
    module[0].weight = nn.Parameter(torch.full((5, 6), 0.2))
    check(fast, module, torch.randn(6, 6))
    assert programs(fast) <= 3
    module[0].weight.data, module[0].bias = torch.rand(4, 6), nn.Parameter(torch.rand(4))
    module[1], module[3] = nn.LayerNorm(4), nn.Linear(4, 3)
    for rows in (4, 9, 5):
        check(fast, module, torch.randn(rows, 6))


def test_weights_that_are_no_longer_one():
    module = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    module[1].weight = module[0].weight
    fast = hybridize(module)
    x = torch.randn(3, 4)
    check(fast, module, x)
    module[1].weight = nn.Parameter(torch.randn(4, 4))
    check(fast, module, x)
    module[1].weight = module[0].weight
    check(fast, module, x)


def test_replaced_and_added_parts_and_their_modes_are_seen():
    class Part(nn.Module):
        def forward(self, x):
            return x * 3 if self.training else x

    module = nn.Sequential(nn.Linear(6, 5), Part()).eval()
    fast = hybridize(module)
    for rows in (4, 9):
        check(fast, module, torch.randn(rows, 6))
    for change in (
        lambda: module[1].train(),
        lambda: module[1].eval(),
        lambda: module.__setitem__(0, nn.Linear(6, 5)),
        lambda: module.append(nn.Tanh()),
    ):
        change()
        check(fast, module, torch.randn(5, 6))


def test_gradients_at_any_size():
    module, twin = net(), net()
    fast = hybridize(module)
    for rows in (4, 9, 6):
        x = torch.randn(rows, 6, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        (fast(x) ** 2).sum().backward()
        (twin(y) ** 2).sum().backward()
        torch.testing.assert_close(x.grad, y.grad)
    for ours, theirs in zip(module.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad)
    assert programs(fast) == 2


def test_one_tensor_given_twice_is_still_two_arguments():
    class Difference(nn.Module):
        def forward(self, x, y):
            return x - 2 * y

    fast = hybridize(Difference())
    for rows in (4, 9, 6):
        x = torch.randn(rows, 3)
        check(fast, Difference(), x, x)
        check(fast, Difference(), x, torch.randn(rows, 3))
    found = programs(fast)
    for rows in (5, 12, 30):
        x = torch.randn(rows, 3)
        check(fast, Difference(), x, x)
        check(fast, Difference(), x, torch.randn(rows, 3))
    assert programs(fast) == found <= 4


def test_structures_and_keywords():
    class Nested(nn.Module):
        def forward(self, pair, scale=2.0, *, mask=None):
            x, y = pair
            z = x * scale + y["bias"]
            return {"z": z if mask is None else torch.where(mask, z, 0), "n": [z.sum(0) / z.shape[0]]}

    fast = hybridize(Nested())
    for rows in (4, 9, 6):
        pair = (torch.randn(rows, 3), {"bias": torch.randn(3)})
        check(fast, Nested(), pair)
        check(fast, Nested(), pair, scale=3.0)
        check(fast, Nested(), pair, mask=torch.rand(rows, 3) > 0.5)
    assert programs(fast) == 6


def test_a_buffer_that_the_module_writes():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(3))

        def forward(self, x):
            self.total += x.sum(0)
            return x + self.total

    module, twin = Counter(), Counter()
    fast = hybridize(module)
    for rows in (4, 9, 6):
        check(fast, twin, torch.randn(rows, 3))
    torch.testing.assert_close(module.total, twin.total)
    assert programs(fast) == 2


def test_a_size_that_the_module_keeps_is_that_of_the_call():
    class Keeps(nn.Module):
        def forward(self, x):
            self.rows = x.shape[0]
            self.sizes = x.shape
            return x * self.rows

    module, twin = Keeps(), Keeps()
    fast = hybridize(module, dynamic=True)
    for rows in (4, 9, 6):
        check(fast, twin, torch.randn(rows, 3))
        assert (module.rows, type(module.rows)) == (rows, int)
        assert (module.sizes, type(module.sizes)) == (twin.sizes, torch.Size)
    assert programs(fast) == 1


Pair = collections.namedtuple("Pair", "whole rest")


class Holder(list):
    """A class of the user's with items."""


RESULTS = {
    "alone": lambda x: x.shape,
    "in a tuple": lambda x: (x.shape, x),
    "in a list of lists": lambda x: [[x.shape], x],
    "in a dict": lambda x: {"size": x.size(), "x": x},
    "in an ordered dict": lambda x: collections.OrderedDict(size=x.shape, x=x),
    "in a named tuple": lambda x: Pair(x.shape, [x, x.shape]),
    "in a class of the user's": lambda x: Holder([x.shape, x]),
}


def kinds(result):
    """The classes in a result, in order."""
    parts = result.values() if isinstance(result, dict) else result if isinstance(result, (tuple, list)) else ()
    return [type(result), *(kinds(part) for part in parts)]


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("learning", [True, False])
def test_sizes_in_a_result_are_what_pytorch_gives(name, dynamic, learning):
    function = RESULTS[name]
    fast = hybridize(function, dynamic=dynamic)
    for rows in (4, 9, 9, 6):
        x = torch.randn(rows, 3, requires_grad=learning)
        found, expected = fast(x), function(x)
        assert kinds(found) == kinds(expected)
        torch.testing.assert_close(list(pytree.tree_leaves(found)), list(pytree.tree_leaves(expected)))


@pytest.mark.parametrize("dynamic", [True, False])
def test_the_keyword(dynamic):
    module = net()
    fast = hybridize(module, dynamic=dynamic)
    for rows in (4, 9, 6):
        check(fast, module, torch.randn(rows, 6))
    assert programs(fast) == (1 if dynamic else 3)


def test_files_keep_programs_for_any_size(tmp_path):
    module = net()
    fast = hybridize(module)
    for rows in (4, 9):
        check(fast, module, torch.randn(rows, 6))
    fast.save(tmp_path / "net")
    x = torch.randn(31, 6)
    got = load(tmp_path / "net")(x.numpy()).asnumpy()
    torch.testing.assert_close(torch.from_numpy(got), module(x).detach(), rtol=1e-5, atol=1e-6)


def test_the_reason_is_said_once(monkeypatch, capsys):
    from hybridize.base.config import CONFIG

    monkeypatch.setattr(CONFIG, "explain", True)
    fast = hybridize(net())
    for rows in (4, 9, 6, 12):
        check(fast, net(), torch.randn(rows, 6))
    said = [line for line in capsys.readouterr().err.splitlines() if "again" in line]
    assert said == [
        "hybridize: Sequential is captured again because axis 0 of input was 4 and is 9: now any size from 1"
    ]
    with torch.no_grad():
        assert "any size" in fast.program(torch.randn(8, 6)).reason


class Normed(nn.Module):
    """One norm over features of several sizes, and variances by corrections that are no whole numbers."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x):
        y = self.norm(x) + self.norm(x[:, :, ::2])[:, :, :1]
        z = y * 2
        z /= y.var(0, correction=0.5) + y.var((0, 2), correction=1)[:, None] + 1
        return z


class Bags(nn.Module):
    """A layer of which torch computes the offsets in Python, of the batch size."""

    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(12, 4, mode="sum")

    def forward(self, x):
        return self.bag(x)


@pytest.mark.parametrize(
    ("make", "given"),
    [(Normed, lambda n: torch.randn(n, 3, 4, 4)), (Bags, lambda n: torch.randint(0, 12, (n, 5)))],
)
def test_sizes_inside_of_what_torch_has_in_python(make, given):
    """Functions of torch that are written in C take numbers of Python only; those of a program never get there."""
    torch.manual_seed(0)
    module = make().train()
    twin = make().train()
    twin.load_state_dict(module.state_dict())
    fast = hybridize(module)
    for batch in (2, 3, 4, 7):
        x = given(batch)
        found, wanted = fast(x), twin(x)
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
        found.square().sum().backward()
        wanted.square().sum().backward()
        for ours, theirs in zip(module.parameters(), twin.parameters(), strict=True):
            torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(module.state_dict(), twin.state_dict(), rtol=1e-4, atol=1e-4)
    assert programs(fast) == 2


class Shaped(nn.Module):
    """Arithmetic of shapes, as torch has it, and what torch's own Python makes of them."""

    def forward(self, x, y):
        self.kept = x.shape[:1] + (2,), (2,) + x.shape[:1], x.shape[:1] + torch.Size([4])  # noqa: RUF005  # torch's classes
        self.made = torch.Size([x.shape[0], 1])
        self.wide = torch.broadcast_shapes(x.shape, y.shape, (1, 3), 3)
        return x.expand(self.wide) + y.new_ones(x.shape[:1] + torch.Size([1])) + x.new_zeros(torch.Size((len(x), 3)))


class Scaled(TransformedDistribution):
    """As forecasting nets have it: a distribution of the data's own scale."""

    def __init__(self, base, loc, scale):
        super().__init__(base, [AffineTransform(loc=loc, scale=scale)])


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 2)

    def forward(self, x):
        scale = x.abs().mean(1, keepdim=True) + 1
        base = StudentT(F.softplus(self.last(x)) + 2, validate_args=False)
        return -Scaled(base, scale, scale).log_prob(x[:, :2]).mean()


def test_shapes_are_torchs():
    module, twin = Shaped(), Shaped()
    fast = hybridize(module)
    for rows in (2, 3, 4, 7):
        check(fast, twin, torch.randn(rows, 1), torch.randn(1, 3))
        for one, other in zip(
            (*module.kept, module.made, module.wide), (*twin.kept, twin.made, twin.wide), strict=True
        ):
            assert (one, type(one)) == (other, torch.Size)
    assert programs(fast) == 2
    with pytest.raises(RuntimeError):
        fast(torch.randn(5, 2), torch.randn(4, 3))


def test_distributions_of_all_batch_sizes_are_two_programs():
    module = Forecast()
    fast = hybridize(module)
    with torch.no_grad():
        for rows in (2, 3, 4, 7):
            x = torch.randn(rows, 3)
            torch.testing.assert_close(fast(x), module(x))
    assert programs(fast) == 2


class Normalized(nn.Module):
    """Sizes of one are broadcast in its gradient, and it is wrong to take the rows of one call for those of another."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 3)

    def forward(self, x):
        y = self.linear(x)
        return torch.softmax(y - y.mean(0, keepdim=True), -1) * x.shape[0]


def check_call(fast, module, rows, training):
    x = torch.randn(rows, 6, dtype=torch.float64)
    if not training:
        with torch.no_grad():
            torch.testing.assert_close(fast(x), module(x))
        return
    grads = []
    for function in (fast, module):
        y = function(x)
        grads.append((y, *torch.autograd.grad(y.square().sum(), tuple(module.parameters()))))
    torch.testing.assert_close(*grads)


def check_orders(seeds):
    for seed in seeds:
        numbers = random.Random(seed)
        module = numbers.choice([lambda: nn.Linear(6, 3), Normalized])().double()
        fast = hybridize(module)
        calls = [(numbers.choice([1, 2, 4, 9]), numbers.random() < 0.5) for _ in range(6)]
        for number, call in enumerate(calls):
            try:
                check_call(fast, module, *call)
            except Exception as error:
                raise AssertionError(f"seed {seed}: {calls[: number + 1]}") from error


def test_what_backward_passes_assume_of_sizes_is_not_asked_of_earlier_calls():
    """Forward for gradients that nobody asks for: what the backward half assumes comes to be known late."""
    module = nn.Linear(6, 3).double()
    fast = hybridize(module)
    for rows in (4, 9, 1):
        fast(torch.randn(rows, 6, dtype=torch.float64))
    for rows, training in ((1, False), (4, True), (1, True), (9, True), (1, False)):
        check_call(fast, module, rows, training)


def test_random_orders_of_sizes_and_modes():
    check_orders(range(40))


@pytest.mark.long
def test_more_random_orders_of_sizes_and_modes():
    check_orders(range(40, 540))


@pytest.mark.long
def test_random_orders_of_sizes_and_modes_in_threads():
    for seed in range(25):
        module = nn.Linear(6, 3).double()
        fast = hybridize(module)
        failures = []

        def calls(number, fast=fast, module=module, failures=failures):
            numbers = random.Random(number)
            for _ in range(30):
                try:
                    check_call(fast, module, numbers.choice([1, 2, 4, 9]), numbers.random() < 0.5)
                except Exception as error:
                    failures.append(error)

        threads = [threading.Thread(target=calls, args=(4 * seed + number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, f"seed {seed}: {failures[0]}"


KEPT_BY_TYPE = [
    lambda x, y: torch.xlogy(x.abs(), y.abs()), lambda x, y: F.kl_div(x.log_softmax(1), y.softmax(1), reduction="sum"),
    lambda x, y: F.gaussian_nll_loss(x, y, y.abs() + 0.1), lambda x, y: x.amax(1) + y.amin(1),
    lambda x, y: x.max(1)[0] + y.max(), lambda x, y: x.median(1)[0] + y.nanmedian(), lambda x, y: x.norm(dim=1) + y.sum(),
]  # fmt: skip


@pytest.mark.parametrize("function", KEPT_BY_TYPE)
def test_gradients_of_their_own_keep_sizes_open(function):
    """What computes one value with the gradient of another is remembered by type only where sizes are numbers."""
    fast = hybridize(lambda x, y: function(x, y))
    for rows in (2, 5, 33, 5):
        pair = [torch.randn(rows, 4, requires_grad=True) for _ in range(2)]
        twins = [one.detach().clone().requires_grad_() for one in pair]
        fast(*pair).sum().backward()
        function(*twins).sum().backward()
        torch.testing.assert_close([one.grad for one in pair], [one.grad for one in twins])
    assert fast.cache_info().programs == 2
