"""Tensors that one call keeps and the next one reads: two captures, however many calls."""

import copy

import pytest
import torch
from torch import nn
from torch.nn.utils import prune

import hybridize.capture.function as capturing
from hybridize import hybridize


@pytest.fixture
def captures(monkeypatch):
    """The functions that were captured, one entry each time."""
    found, capture = [], capturing.capture

    def counting(function, *args, **kwargs):
        found.append(function)
        return capture(function, *args, **kwargs)

    monkeypatch.setattr(capturing, "capture", counting)
    return found


class Kept(nn.Module):
    """Keeps a tensor at some place, which `swap` reads and writes."""

    def __init__(self, swap, start):
        super().__init__()
        self.swap, self.start = swap, start
        self.again()

    def again(self):
        self.start(self)

    def forward(self, x):
        return self.swap(self, x)


class Box:
    pass


class Shared:
    state = None


def step(h, x):
    return torch.tanh(h * 0.5 + x)


def zeros():
    return torch.zeros(3, dtype=torch.float64)


def attribute(self, x):
    self.h = step(self.h, x)
    return self.h * 2


def buffer(self, x):
    self.kept = step(self.kept, x)
    return self.kept * 2


def of_dict(self, x):
    self.kept["h"] = step(self.kept["h"], x)
    return self.kept["h"] * 2


def of_list(self, x):
    self.kept[0] = step(self.kept[0], x)
    return self.kept[0] * 2


def of_object(self, x):
    self.kept.h = step(self.kept.h, x)
    return self.kept.h * 2


def of_class(self, x):
    Shared.state = step(Shared.state, x)
    return Shared.state * 2


STATE = zeros()


def of_module(self, x):
    global STATE
    STATE = step(STATE, x)
    return STATE * 2


def pair(self, x):
    h, c = self.kept
    c = c * 0.5 + x
    self.kept = (torch.tanh(c), c)
    return self.kept[0] + h


def nested(self, x):
    self.kept = {"a": [step(self.kept["a"][0], x), 1], "n": 2}
    return self.kept["a"][0] * 2


def by_setattr(self, x):
    setattr(self, "h", step(getattr(self, "h"), x))  # noqa: B009, B010  # as code does that has the name in a variable
    return self.h * 2


def starting(make, name="kept"):
    return lambda self: setattr(self, name, make())


def start_object(self):
    self.kept = Box()
    self.kept.h = zeros()


def start_class(self):
    Shared.state = zeros()


def start_module(self):
    global STATE
    STATE = zeros()


PLACES = {
    "attribute": (attribute, starting(zeros, "h")),
    "setattr": (by_setattr, starting(zeros, "h")),
    "buffer": (
        buffer,
        lambda self: (
            setattr(self, "kept", zeros()) if "kept" in self._buffers else self.register_buffer("kept", zeros())
        ),
    ),
    "dict": (of_dict, starting(lambda: {"h": zeros()})),
    "list": (of_list, starting(lambda: [zeros()])),
    "object": (of_object, start_object),
    "class": (of_class, start_class),
    "global": (of_module, start_module),
    "pair": (pair, starting(lambda: (zeros(), zeros()))),
    "nested": (nested, starting(lambda: {"a": [zeros(), 1], "n": 2})),
}


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("name", PLACES)
def test_a_call_reads_what_the_last_one_has_kept(name, gradients, captures):
    module = Kept(*PLACES[name])
    fast = hybridize(module)
    inputs = [torch.randn(3, dtype=torch.float64) for _ in range(8)]
    with torch.set_grad_enabled(gradients):
        found = [fast(x) for x in inputs]
        assert len(captures) <= 2
        module.again()
        expected = [module(x) for x in inputs]
        torch.testing.assert_close(found, expected)
        module.again()
        torch.testing.assert_close([fast(x) for x in inputs], expected)
    assert len(captures) <= 5, "another container is met by guards first"


def test_other_sizes_and_dtypes_are_captured_again():
    module = Kept(*PLACES["attribute"])
    fast, twin = hybridize(module), copy.deepcopy(module)
    for h in (
        zeros(),
        zeros(),
        torch.zeros(2, 3),
        torch.zeros(2, 3),
        zeros().float(),
        zeros().requires_grad_(),
        zeros(),
    ):
        module.h, twin.h = h, h
        for _ in range(3):
            x = torch.randn(3, dtype=h.dtype)
            torch.testing.assert_close(fast(x), twin(x))
            torch.testing.assert_close(module.h, twin.h)


def test_what_one_call_kept_may_be_changed_in_place():
    """A result shares no memory with the state that another call reads, unless it does in PyTorch."""
    module = Kept(*PLACES["attribute"])
    fast, twin = hybridize(module), copy.deepcopy(module)
    for _ in range(6):
        x = torch.randn(3, dtype=torch.float64)
        torch.testing.assert_close(fast(x), twin(x))
        module.h.add_(1)
        twin.h.add_(1)
        module.h.data[0] = twin.h.data[0] = 5.0


class Detached(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.state = nn.LSTMCell(3, 3), None

    def forward(self, x):
        h, c = self.cell(x, self.state)
        self.state = (h.detach(), c.detach())
        return h


def test_states_of_cells_are_trained_through():
    torch.manual_seed(0)
    module = Detached().double()
    fast, twin = hybridize(module), copy.deepcopy(module)
    for _ in range(6):
        x = torch.randn(2, 3, dtype=torch.float64)
        found, expected = fast(x), twin(x)
        torch.testing.assert_close(found, expected)
        found.sum().backward()
        expected.sum().backward()
        for p, q in zip(module.parameters(), twin.parameters(), strict=True):
            torch.testing.assert_close(p.grad, q.grad)


def weighted():
    return nn.utils.weight_norm(nn.Linear(3, 3))


def spectral():
    return nn.utils.spectral_norm(nn.Linear(3, 3))


def pruned():
    layer = nn.Linear(3, 3)
    prune.l1_unstructured(layer, "weight", 0.5)
    return layer


def set_by_hook():
    layer = nn.Linear(3, 3)
    layer.register_forward_hook(lambda module, args, result: setattr(module, "last", result.detach() * 2))
    layer.register_forward_pre_hook(lambda module, args: setattr(module, "calls", getattr(module, "calls", 0) + 1))
    return layer


@pytest.mark.filterwarnings("ignore:.*weight_norm.*:FutureWarning")
@pytest.mark.parametrize("make", [weighted, spectral, pruned, set_by_hook])
@pytest.mark.parametrize("gradients", [False, True])
def test_attributes_that_hooks_set(make, gradients, captures):
    torch.manual_seed(0)
    module = nn.Sequential(make(), nn.Tanh()).double()
    torch.manual_seed(0)
    twin = nn.Sequential(make(), nn.Tanh()).double()
    fast = hybridize(module)
    for _ in range(6):
        x = torch.randn(2, 3, dtype=torch.float64)
        with torch.set_grad_enabled(gradients):
            found, expected = fast(x), twin(x)
        torch.testing.assert_close(found, expected)
        if gradients:
            found.square().sum().backward()
            expected.square().sum().backward()
            with torch.no_grad():
                for p, q in zip(module.parameters(), twin.parameters(), strict=True):
                    torch.testing.assert_close(p.grad, q.grad)
                    p.sub_(p.grad * 0.1)
                    q.sub_(q.grad * 0.1)
    ours, theirs = (
        {name: value for name, value in vars(one[0]).items() if name in ("weight", "last", "calls")}
        for one in (module, twin)
    )
    torch.testing.assert_close(ours, theirs)
    assert len(captures) <= 3


class Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.zeros(3))
        self.register_buffer("passing", torch.zeros(3), persistent=False)
        self.register_buffer("none", None)

    def forward(self, x):
        self.kept = self.kept + x
        self.passing = self.passing - x
        self.none = x * 3
        return self.kept * self.passing


class Looking(Buffers):
    def __getattr__(self, name):
        return super().__getattr__(name)


@pytest.mark.parametrize("kind", [Buffers, Looking])
def test_buffers_that_are_set_stay_buffers(kind):
    module, twin = kind(), kind()
    fast = hybridize(module)
    for number in range(4):
        x = torch.randn(3)
        with torch.set_grad_enabled(number % 2 == 0):
            torch.testing.assert_close(fast(x), twin(x))
        assert list(module.state_dict()) == list(twin.state_dict()) == ["kept", "none"]
        torch.testing.assert_close(dict(module.named_buffers()), dict(twin.named_buffers()))
        assert vars(module).keys() == vars(twin).keys()
