"""What data decides and Python has to know: programs are specialized on it, and asked at each call."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hybridize import hybridize
from hybridize.errors import CaptureError


class Lambda(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def steps(*values):
    return torch.tensor(values, dtype=torch.float64)


def same(found, wanted):
    if isinstance(wanted, torch.Tensor):
        torch.testing.assert_close(found, wanted)
        return
    assert type(found) is type(wanted)
    if isinstance(wanted, (tuple, list)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other)
    else:
        assert found == wanted


MASKED = {
    "x[mask]": lambda x: x[x > 0],
    "x[mask, :1]": lambda x: x.reshape(-1, 2)[x.reshape(-1, 2)[:, 0] > 0, :1],
    "x[:, mask]": lambda x: x.reshape(2, -1)[:, x.reshape(2, -1)[0] > 0],
    "x[mask of two axes]": lambda x: x.reshape(2, 2, 1)[x.reshape(2, 2) > 0] * 2,
    "x[mask, tensor]": lambda x: x.reshape(2, 2)[x.reshape(2, 2)[:, 0] > 0, torch.tensor([1])],
    "x[mask] = values": lambda x: x.clone().index_put((x > 0,), x[x > 0] * 2),
    "x[mask] *= 2": lambda x: [y := x.clone(), y[x > 0].mul_(2), y.__setitem__(x > 0, y[x > 0] * 3)][0],
    "masked_select": lambda x: torch.masked_select(x, x > 0),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, torch.arange(4.0, dtype=x.dtype)),
    "nonzero": lambda x: (torch.nonzero(x > 0), (x > 0).nonzero(as_tuple=True), torch.argwhere(x.reshape(2, 2) > 0)),
    "where": lambda x: torch.where(x.reshape(2, 2) > 0),
    "unique": lambda x: torch.unique(x.sign(), return_inverse=True, return_counts=True),
    "unique_consecutive": lambda x: torch.unique_consecutive(x.sign(), return_inverse=True, return_counts=True),
    "bincount": lambda x: (torch.bincount((x > 0).long()), torch.bincount((x > 0).long(), x, minlength=3)),
    "a size": lambda x: torch.zeros(int((x > 0).sum())) + 1,
    "a slice": lambda x: x[: (x > 0).sum()],
    "a list": lambda x: [float(one) for one in x if one > 0],
    "numbers of a list": lambda x: [k for k, one in enumerate((x > 0).tolist()) if one],
    "a string": lambda x: ["few", "some", "many", "more", "all"][int((x > 0).sum())],
    "a key": lambda x: {0: x, 1: x * 2, 2: x * 3, 3: x * 4, 4: x}[int((x > 0).sum())],
}
CALLS = (steps(1, -2, 3, -4), steps(-1, -2, -3, -4), steps(1, 2, 3, 4), steps(4, -3, 2, -1), steps(5, -2, 3, -4))


@pytest.mark.parametrize("what", MASKED)
def test_what_data_decides_is_asked_at_each_call(what):
    function = MASKED[what]
    fast = hybridize(Lambda(function))
    for x in CALLS:
        with torch.no_grad():
            same(fast(x), function(x))
    assert fast.cache_info()["programs"] <= 3  # the first, the fourth and the fifth call are alike


@pytest.mark.parametrize("what", [what for what in MASKED if what[:2] == "x["] + ["masked_select", "masked_scatter"])
def test_gradients_of_what_data_selects(what):
    fast = hybridize(Lambda(MASKED[what]))
    for x in CALLS:
        ours, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
        fast(ours).square().sum().backward()
        MASKED[what](theirs).square().sum().backward()
        torch.testing.assert_close(ours.grad, theirs.grad)


def test_weights_decide_too():
    layer = nn.Linear(3, 1, bias=False)
    module = Lambda(lambda x: layer(x) > 0)
    module.layer = layer
    module.function = lambda x: x[layer(x)[:, 0] > 0]
    fast = hybridize(module)
    x = torch.randn(6, 3)
    for _ in range(3):
        with torch.no_grad():
            torch.testing.assert_close(fast(x), module(x))
            layer.weight.mul_(-1.5)


def test_sizes_may_differ_as_well():
    fast = hybridize(Lambda(lambda x: x[x > 0].sum() + x[x > 0].shape[0]))
    for count in (4, 6, 9, 5):
        x = torch.randn(count, dtype=torch.float64)
        with torch.no_grad():
            torch.testing.assert_close(fast(x), x[x > 0].sum() + (x > 0).sum())


def test_random_numbers_decide_nothing_before_they_are_drawn():
    fast = hybridize(Lambda(lambda x: x[torch.rand(4) > 0.5]))
    with torch.no_grad(), pytest.raises(CaptureError, match="how many elements that gives depends on data"):
        fast(torch.ones(4))


def test_written_buffers_decide_as_they_are_before_the_call():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.tensor(0))

        def forward(self, x):
            self.count += 1
            return x[: int(self.count)]

    ours, theirs = Counter(), Counter()
    fast = hybridize(ours)
    for _ in range(4):
        same(fast(torch.arange(3.0)), theirs(torch.arange(3.0)))
        assert ours.count == theirs.count


def test_files_do_not_ask(tmp_path):
    fast = hybridize(Lambda(lambda x: x[x > 0]))
    with torch.no_grad():
        fast(torch.ones(3))
    with pytest.raises(CaptureError, match="specialized on a value that depends on data"):
        fast.save(tmp_path / "file")


class Sides(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other, self.both = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        y = self.both(x)
        if x.sum() > 0:
            y = y + self.one(x)
        elif x.sum() < -5:
            y = y * 2
        else:
            y = self.other(y)
        return y


def test_the_side_that_is_not_taken_gives_no_gradient():
    ours = Sides()
    fast = hybridize(ours)
    for values in ((1.0, 2.0), (-1.0, -2.0), (-9.0, 1.0), (2.0, 2.0)):
        gradients = []
        for module in (fast, ours):
            ours.zero_grad()
            module(torch.tensor([values])).square().sum().backward()
            gradients.append([parameter.grad for parameter in ours.parameters()])
        for one, other in zip(*gradients, strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                torch.testing.assert_close(one, other)
    assert fast.cache_info()["programs"] == 3


def test_what_only_a_condition_reads_has_no_gradient():
    class Halts(nn.Module):
        def __init__(self):
            super().__init__()
            self.step, self.halt = nn.Linear(2, 2), nn.Linear(2, 1)

        def forward(self, x):
            for _ in range(30):
                x = self.step(x).tanh()
                if self.halt(x).mean() > 0.2:
                    break
            return x

    module = Halts()
    hybridize(module)(torch.ones(3, 2)).sum().backward()
    assert module.halt.weight.grad is None
    assert module.step.weight.grad is not None


def test_a_list_of_numbers_is_one_index():
    def swapped(x):
        x = x.clone()
        place = int(x[:, 0].argmax())
        x[[1, place]] = x[[place, 1]]
        return x, x[[place, 0]]

    x = steps(0, 1, 2, 3, 6, 5).reshape(3, 2)
    with torch.no_grad():
        same(hybridize(Lambda(swapped))(x), swapped(x))


def test_sides_that_read_the_same_are_one_program():
    def clipped(x, weight):
        y = x * weight
        return y / y.norm() if y.norm() > 1 else y

    fast = hybridize(Lambda(clipped))
    for scale in (0.1, 5.0):
        fast(torch.ones(3) * scale, torch.ones(3, requires_grad=True)).sum().backward()
    assert fast.cache_info()["programs"] == 1


NUMBERS = {
    "topk": lambda x, k: x.topk(k)[0],
    "arange": lambda x, k: torch.arange(k),
    "one_hot": lambda x, k: F.one_hot(torch.tensor([0, 1]), k + 2),
    "kthvalue": lambda x, k: x.kthvalue(k)[0],
    "roll": lambda x, k: x.roll(k, 0),
    "split": lambda x, k: x.split(k)[0],
    "unfold": lambda x, k: x.unfold(0, k, 1),
    "sum": lambda x, k: x[None, None].sum(k),
    "softmax": lambda x, k: x[None, None].softmax(k),
    "std": lambda x, k: x.expand(2, 2, 6).std(k),
    "movedim": lambda x, k: x[None, None].movedim(0, k),
    "flip": lambda x, k: x[None, None].flip(k),
    "stack": lambda x, k: torch.stack([x[None], x[None]], k),
    "logsumexp": lambda x, k: x[None, None].logsumexp(k),
    "norm": lambda x, k: x.norm(k),
    "view": lambda x, k: x.view(k, -1),
    "pow": lambda x, k: x.abs() ** k,
    "reflected pow": lambda x, k: k**x,
    "pool": lambda x, k: F.avg_pool1d(x[None, None], k),
    "convolution": lambda x, k: F.conv1d(x[None, None], torch.ones(1, 1, 2, dtype=x.dtype), stride=k, dilation=k),
    "interpolate": lambda x, k: F.interpolate(x[None, None], k),
    "pad": lambda x, k: F.pad(x, (k, k)),
    "meshgrid": lambda x, k: torch.meshgrid(torch.arange(k), torch.arange(k), indexing="ij"),
    "diagonal": lambda x, k: x[:, None].expand(6, 6).diagonal(k),
    "layer_norm": lambda x, k: F.layer_norm(x.reshape(k, -1), (6 // k,)),
    "bincount": lambda x, k: torch.bincount(torch.tensor([1, 0]), minlength=k),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_among_the_arguments_are_sizes_axes_and_options(name):
    fast = hybridize(Lambda(NUMBERS[name]))
    x = torch.arange(1.0, 7.0, dtype=torch.float64)
    for k in (1, 2):
        with torch.no_grad():
            same(fast(x, k), NUMBERS[name](x, k))


def test_numbers_that_are_computed_with_stay_open():
    fast = hybridize(Lambda(lambda x, k, p: torch.add(x * k, x, alpha=k).clamp(min=k) ** p + p))
    x = torch.arange(3.0)
    for k, p in ((1, 0.5), (2, 1.5), (3, 2.5)):
        with torch.no_grad():
            torch.testing.assert_close(fast(x, k, p), torch.add(x * k, x, alpha=k).clamp(min=k) ** p + p)
    assert fast.cache_info()["programs"] == 1
