"""What is kept with a tensor among the arguments, `x.grad` and attributes of the user's, is what eager calls find there."""

import pytest
import torch
from torch import nn

from hybridize import hybridize
from hybridize.errors import CaptureError
from tests.refusals import refusal


def tensors(kind):
    """Three arguments: with a gradient that is there, without one, and one that wants none."""
    made = [kind(torch.tensor([1.0, -2.0, 3.0])), kind(torch.tensor([4.0])), torch.tensor([2.0, 0.5])]
    made[0].grad = torch.tensor([0.5, 1.0, -1.0])
    return made


def leaf(data):
    return data.clone().requires_grad_()


def read(ps):
    return [p.grad for p in ps]


def asked(ps):
    return [p.grad is None for p in ps], [p.is_leaf for p in ps]


def computed(ps):
    return [p.grad * 2 if p.grad is not None else p * 0 for p in ps]


def cleared(ps):
    for p in ps:
        p.grad = None


def deleted(ps):
    for p in ps[:2]:
        del p.grad


def made(ps):
    for p in ps:
        p.grad = torch.ones_like(p)
    return ps[0] * 2


def added(ps):
    ps[0].grad += 1
    ps[0].grad.mul_(3)


def clipped(ps):
    return torch.nn.utils.clip_grad_norm_(ps, 0.1)


def updated(ps):
    with torch.no_grad():
        for p in ps:
            if p.grad is not None:
                p -= 0.1 * p.grad
                p.grad = None


def updated_data(ps):
    ps[0].data.sub_(ps[0].grad * 0.1)


def trained(ps):
    loss = (ps[0].sum() * ps[1]).sum()
    loss.backward()
    with torch.no_grad():
        for p in ps[:2]:
            p.sub_(0.1 * p.grad)
    return loss.detach()


def gone_back(ps):
    (ps[0].sum() * ps[1]).sum().backward()


class Module(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, ps):
        return self.function(ps)


DOORS = {
    "function": lambda function: hybridize(function),
    "module": lambda function: hybridize(Module(function)),
    "inside": lambda function: (lambda compiled: lambda ps: compiled({"all": ps}))(
        hybridize(lambda d: function(d["all"]))
    ),
}
FUNCTIONS = [read, asked, computed, cleared, deleted, made, added, clipped, updated, updated_data, trained, gone_back]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("kind", [leaf, nn.Parameter], ids=["tensor", "parameter"])
def test_gradients_of_arguments(function, kind, door):
    compiled = DOORS[door](function)
    outcomes = []
    for call in (function, compiled):
        seen = []
        held, others = tensors(kind), tensors(kind)
        for ps, mode in ((held, torch.enable_grad), (held, torch.no_grad), (others, torch.enable_grad)):
            if function in (added, updated_data) or (mode is torch.no_grad and function in (trained, gone_back)):
                ps, mode = tensors(kind), torch.enable_grad
            with mode():
                result = call(ps)
            seen.append((result, [p.grad for p in ps], [p.detach().clone() for p in ps]))
        outcomes.append(seen)
    leaves = [torch.utils._pytree.tree_leaves(one) for one in outcomes]
    flags = [[one.requires_grad if isinstance(one, torch.Tensor) else one for one in some] for some in leaves]
    assert flags[0] == flags[1]
    torch.testing.assert_close(outcomes[0], outcomes[1])


def tagged(x):
    return x * x.tag if hasattr(x, "tag") else x


def default(x):
    return x + getattr(x, "tag", 0.5)


def marked(x):
    x.seen = x.sum()
    x.count = 3
    return x.seen + x.count


def dropped(x):
    if hasattr(x, "tag"):
        del x.tag
    return x * 2


@pytest.mark.parametrize("door", ["function", "module"])
@pytest.mark.parametrize("function", [tagged, default, marked, dropped], ids=lambda one: one.__name__)
def test_attributes_of_arguments(function, door):
    """In any order: without the attribute, with it, with another value, on another tensor, without again."""
    compiled = DOORS[door](function)
    outcomes = []
    for call in (function, compiled):
        seen, x, y = [], torch.ones(2), torch.full((2,), 3.0)
        for tag, one in ((None, x), (None, x), (5.0, x), (None, y), (5.0, y), (torch.ones(2), x), (None, x)):
            if tag is not None:
                one.tag = tag
            elif hasattr(one, "tag"):
                del one.tag
            seen.append((call(one), {**vars(one)}))
        outcomes.append(seen)
    torch.testing.assert_close(outcomes[0], outcomes[1])


def test_attributes_of_tensors_outside():
    weight = torch.ones(2)
    compiled = hybridize(lambda x: x * weight.tag if hasattr(weight, "tag") else x)
    x = torch.full((2,), 3.0)
    assert [compiled(x).tolist() for _ in range(3)] == [[3.0, 3.0]] * 3
    weight.tag = 2.0
    assert compiled(x).tolist() == [6.0, 6.0]


def test_attributes_of_results_are_refused():
    def inside(x):
        y = x + 1
        y.mark = 4.0
        return y * y.mark

    def given(x):
        y = x + 1
        y.mark = 4
        return [y]

    torch.testing.assert_close(hybridize(inside)(torch.ones(2)), inside(torch.ones(2)))
    with refusal(CaptureError, "the attribute 'mark' is set on a tensor that the call returns"):
        hybridize(given)(torch.ones(2))


@pytest.mark.parametrize("name", ["grad_fn", "_version"])
def test_what_no_program_knows_of_a_tensor_is_refused_by_its_name(name):
    with refusal(CaptureError, rf"torch\.Tensor\.{name} "):
        hybridize(lambda x: (getattr(x, name), x)[1])(torch.ones(2))
