"""Modules of modules and of tensors that are changed between calls: a program never goes by what they held before."""

import pytest
import torch
from torch import nn

from hybridize import hybridize

X = torch.linspace(-1, 1, 6).reshape(2, 3)


def layer():
    return nn.Linear(3, 3)


class Net(nn.Module):
    """What it holds is `held`; how that is looked at is given."""

    def __init__(self, held, function):
        super().__init__()
        self.held = held
        self.function = function

    def forward(self, x):
        return self.function(self, x)


def numbered(self, x):
    return self.held[0](x) + self.held[-1](x)


def sliced(self, x):
    for part in self.held[:2]:
        x = part(x)
    return x


def iterated(self, x):
    for part in self.held:
        x = part(x)
    return x


def listed(self, x):
    for number, part in enumerate(list(self.held)):
        x = part(x) * (number + 1)
    return x


def comprehended(self, x):
    return sum([part(x) for part in self.held])


def unpacked(self, x):
    first, *others = self.held
    return first(x) * (1 + len(others))


def spread(self, x):
    return (lambda *parts: parts[0](x) * len(parts))(*self.held)


def counted(self, x):
    return self.held[0](x) * len(self.held)


def ranged(self, x):
    for number in range(len(self.held)):
        x = self.held[number](x)
    return x


def asked(self, x):
    return x * 2 if self.held else x


def children(self, x):
    for part in self.held.children():
        x = part(x)
    return x


def modules(self, x):
    return x * sum(isinstance(part, nn.Linear) for part in self.modules())


def named(self, x):
    return sum(part(x) for name, part in self.named_modules() if name.startswith("held."))


def parameters(self, x):
    return x + sum(parameter.sum() for parameter in self.parameters())


def named_parameters(self, x):
    return x + sum(parameter.sum() for name, parameter in self.held.named_parameters() if "weight" in name)


def held_in_forward(self, x):
    return self.held[0].forward(x)


LOOKS = [
    numbered, sliced, iterated, listed, comprehended, unpacked, spread, counted, ranged, asked, children, modules, named,
    parameters, named_parameters, held_in_forward,
]  # fmt: skip


def put(held):
    held[0] = layer()


def append(held):
    held.append(layer())


def extend(held):
    held.extend([layer(), layer()])


def add(held):
    held += nn.ModuleList([layer()]) if isinstance(held, nn.ModuleList) else nn.Sequential(layer())


def pop(held):
    held.pop(0)


def delete(held):
    del held[1]


def insert(held):
    held.insert(0, layer())


def inside(held):
    held[0].weight = nn.Parameter(torch.ones(3, 3))


CHANGES = [put, append, extend, add, pop, delete, insert, inside]


def follows(net, *changes):
    """The compiled module gives what the module gives, before the changes and after each."""
    fast = hybridize(net)
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            for change in (None, *changes):
                if change is not None:
                    change(net.held)
                for _ in range(2):
                    torch.testing.assert_close(fast(X), net(X))


def sequential(parts):
    return nn.Sequential(*parts)


@pytest.mark.parametrize(
    ("look", "kind"),
    [
        *((look, nn.ModuleList) for look in LOOKS),
        *((look, sequential) for look in (numbered, sliced, iterated, children)),
        *(pytest.param(look, sequential, marks=pytest.mark.long) for look in LOOKS[3:10] + LOOKS[11:]),
    ],
)
def test_a_list_of_modules(look, kind):
    for change in CHANGES:
        net = Net(kind([layer(), layer(), layer()]), look)
        fast = hybridize(net)
        for _ in range(2):
            torch.testing.assert_close(fast(X), net(X))
        change(net.held)
        torch.testing.assert_close(fast(X), net(X))


def test_changes_one_after_the_other():
    follows(Net(nn.ModuleList([layer(), layer()]), iterated), *CHANGES)


def test_lists_of_lists():
    def look(self, x):
        for block in self.held:
            first, *others = block
            x = first(x) * len(others)
        return x

    def change(held):
        held[0][0] = layer()

    follows(Net(nn.ModuleList([nn.ModuleList([layer(), layer()])]), look), change, lambda held: held[0].append(layer()))


@pytest.mark.parametrize("look", [
    lambda self, x: self.held["a"](x),
    lambda self, x: self.held["b"](x) if "b" in self.held else x,
    lambda self, x: next(iter(self.held.values()))(x),
    lambda self, x: next(part for _, part in self.held.items())(x),
    lambda self, x: [self.held[name] for name in self.held][-1](x),
    lambda self, x: self.held[list(self.held.keys())[-1]](x),
    lambda self, x: x * len(self.held),
])  # fmt: skip
def test_a_dict_of_modules(look):
    def put(held):
        held["a"] = layer()

    def again(held):
        held["a"] = held.pop("a")

    def delete(held):
        if "b" in held:
            del held["b"]

    follows(Net(nn.ModuleDict({"a": layer()}), look), put, lambda h: h.update({"b": layer()}), again, delete)


@pytest.mark.parametrize("look", [
    lambda self, x: x * self.held[0],
    lambda self, x: x * sum(self.held),
    lambda self, x: [x := x * one for one in self.held][-1],
    lambda self, x: x * len(self.held),
])  # fmt: skip
def test_a_list_of_parameters(look):
    def put(held):
        held[0] = nn.Parameter(torch.full((3,), 5.0))

    held = nn.ParameterList([torch.ones(3), torch.arange(3.0)])
    follows(Net(held, look), put, lambda held: held.append(torch.full((3,), 7.0)))


@pytest.mark.parametrize("look", [
    lambda self, x: x * self.held["a"],
    lambda self, x: x * sum(self.held.values()),
    lambda self, x: x * list(self.held.values())[-1],
    lambda self, x: x * sum(one for _, one in self.held.items()),
    lambda self, x: x * len(self.held.keys()),
])  # fmt: skip
def test_a_dict_of_parameters(look):
    def put(held):
        held["a"] = nn.Parameter(torch.full((3,), 5.0))

    def new(held):
        held["c"] = nn.Parameter(torch.full((3,), 4.0))

    follows(Net(nn.ParameterDict({"a": torch.ones(3), "b": torch.arange(3.0)}), look), put, new)


@pytest.mark.parametrize("look", [
    lambda self, x: x * sum(one.sum() for one in self.buffers()),
    lambda self, x: x * sum(one.sum() for _, one in self.named_buffers()),
    lambda self, x: x * self.held.get_buffer("b").sum(),
    lambda self, x: x * self.get_submodule("held").b.sum(),
    lambda self, x: x * sum(one.sum() for one in self.state_dict().values()),
])  # fmt: skip
def test_buffers(look):
    held = nn.Module()
    held.register_buffer("b", torch.ones(3))

    def put(held):
        held.b = torch.full((3,), 3.0)

    follows(Net(held, look), put, lambda held: held.register_buffer("c", torch.full((3,), 2.0)))


@pytest.mark.parametrize("look", [
    lambda self, x: next(self.held.children())(x),
    lambda self, x: x * list(self.held.parameters())[-1].sum(),
    lambda self, x: [part(x) for name, part in self.named_modules() if name.startswith("held.")][-1],
])  # fmt: skip
def test_the_order_of_children(look):
    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = layer(), layer()

    def again(held):
        a = held.a
        del held.a
        held.a = a

    follows(Net(Pair(), look), again)


def test_what_does_not_change_is_compiled_once():
    for look in LOOKS:
        net = Net(nn.ModuleList([layer(), layer(), layer()]), look)
        fast = hybridize(net)
        with torch.no_grad():
            for _ in range(3):
                fast(X)
        assert len(fast.programs()) == 1, look


@pytest.mark.parametrize("learning", [False, True])
def test_a_set_in_a_result_is_one_of_each_call(learning):
    fast = hybridize(lambda x: (x * 2, {1, 2}))
    x = X.clone().requires_grad_(learning)
    for _ in range(4):
        y, found = fast(x)
        torch.testing.assert_close(y, x * 2)
        assert found == {1, 2}
        found.add(3)


class Holder:
    """An object of the user's that holds tensors in containers of Python's."""

    def __init__(self):
        self.named, self.listed = {"a": torch.ones(2), "n": 3}, [torch.ones(3), 2]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, held: {"x": x * 2, **held.named},
        lambda x, held: {**held.named, "x": x * 2} | {"b": held.named["a"] + 1},
        lambda x, held: [x * 2, *held.listed],
        lambda x, held: (*held.listed, x * 2, *held.named.values()),
        lambda x, held: [x * 2, *held.listed[:1], *held.named],
    ],
)
def test_what_a_container_holds_is_spread_into_a_result(function):
    held, fast = Holder(), hybridize(function)
    for number in range(4):
        wanted, found = function(X, held), fast(X, held)
        assert type(found) is type(wanted) and str(found) == str(wanted)
        held.named["a"] = held.named["a"] + 1
        held.named["n"] += number % 2
        held.listed[0].mul_(2)
        held.listed[number % 2] = torch.ones(3) * number
