"""Gradients of the user's own, `torch.autograd.Function`, and parts that PyTorch computes again: as without hybridize."""

import copy
import functools
import itertools
import types

import pytest
import torch
from torch import nn
from torch.utils import _pytree, checkpoint

from hybridize import hybridize
from hybridize.errors import CaptureError
from tests.refusals import refusal


class Holder(nn.Module):
    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        self.w = nn.Parameter(torch.linspace(0.5, 2, 4))
        self.v = nn.Parameter(torch.linspace(-1, 1, 4))
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x, unknown=None):
        return self.function(self, x)


class Unknown:
    """An argument of a class that only our own capture follows."""


def check_refused(function, match):
    with refusal(CaptureError, match) as caught:
        hybridize(Holder(function))(X, Unknown())
    assert caught.value.loc.file == __file__


pytestmark = pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
X = torch.linspace(-1, 2, 20).reshape(5, 4)


def outcome(call, owner, x, heads):
    """Results, which of them have a history, and all gradients of the first `heads` of these."""
    owner.zero_grad()
    x = x.clone().requires_grad_()
    results = call(x)
    results = results if isinstance(results, (tuple, list)) else [results]
    live = [one for one in results if one.requires_grad]
    sum([(one * one).sum() for one in live[:heads]], torch.zeros((), requires_grad=True)).backward()
    histories = [one.requires_grad for one in results]
    return histories, [one.detach() for one in results], x.grad, [one.grad for one in owner.parameters()]


def check(function, **parts):
    module = Holder(function, **parts)
    twin = copy.deepcopy(module)
    fast = hybridize(module)
    for heads in (1, None):
        for _ in range(3):
            found, expected = outcome(fast, module, X, heads), outcome(twin, twin, X, heads)
            torch.testing.assert_close(found, expected)
    with torch.no_grad():
        torch.testing.assert_close(fast(X), twin(X))


def kind(count, marked, materialize, is_apart, has_integers):
    """A function of so many results, with a backward pass that no rule gives, in one of torch's two forms."""

    def results(a, b):
        made = [a * b, (a > 0) if has_integers else a + b, a - b][:count]
        return tuple(made) if count > 1 else made[0]

    def mark(ctx, output):
        output = output if count > 1 else [output]
        if materialize is not None:
            ctx.set_materialize_grads(materialize)
        ctx.mark_non_differentiable(*[output[k] for k in marked])

    def back(ctx, *gradients):
        a, b = ctx.saved_tensors
        first = second = torch.zeros(())
        for number, one in enumerate(gradients):
            if one is None:
                first = first + 100.0
            elif one.is_floating_point():
                first, second = first + one * (number + 2) * b, second + one * (number + 5) * a
        return first * torch.ones_like(a), second * torch.ones_like(b)

    class Together(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            output = results(a, b)
            mark(ctx, output)
            return output

        backward = staticmethod(back)

    class Apart(torch.autograd.Function):
        @staticmethod
        def forward(a, b, scale=3.0):
            return results(a, b)

        @staticmethod
        def setup_context(ctx, inputs, output):
            a, b, _ = inputs
            ctx.save_for_backward(a, b)
            mark(ctx, output)

        @staticmethod
        def backward(ctx, *gradients):
            return *back(ctx, *gradients), None

    return Apart if is_apart else Together


CASES = [
    case
    for case in itertools.product(
        (1, 2, 3), ((), (0,), (1,), (0, 2)), (None, True, False), (False, True), (False, True)
    )
    if max(case[1], default=0) < case[0]
]


@pytest.mark.parametrize("materialize", [None, True, False])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_what_a_function_says_of_its_results(count, materialize):
    for case in CASES:
        if case[0] != count or case[2] is not materialize:
            continue
        *_, marked, _, _, has_integers = case
        made = kind(*case)
        constant = {*marked, *([1] if has_integers else [])}
        if materialize is False and len(set(range(count)) - constant) > 1:
            check_refused(lambda m, x, made=made: made.apply(x * m.w, m.v), "set_materialize_grads")
            continue
        check(lambda m, x, made=made: made.apply(x * m.w, m.v + x.detach()))


class Closing(torch.autograd.Function):
    """Reads a parameter that is none of its arguments, and asks for the mode."""

    @staticmethod
    def forward(ctx, a, module):
        return a * module.w * (3.0 if torch.is_grad_enabled() else 2.0)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 5, None


def test_forward_of_a_function_records_nothing():
    check(lambda m, x: Closing.apply(x, m))
    check(lambda m, x: Closing.apply(x.detach(), m))
    check(lambda m, x: Closing.apply(x * m.v, m))


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.view_as(a)

    @staticmethod
    def backward(ctx, gradient):
        return -gradient


class Same(Reversed):
    @staticmethod
    def forward(ctx, a):
        return a


@pytest.mark.parametrize("made", [Reversed, Same])
def test_a_function_that_others_apply(made):
    check(lambda m, x: list(map(made.apply, [x * m.w, x])))
    check(lambda m, x: _pytree.tree_map(made.apply, [x * m.w, m.v * 1]))
    check(lambda m, x: functools.reduce(lambda a, apply: apply(a), [made.apply] * 3, x * m.w))
    check(lambda m, x: checkpoint.checkpoint(made.apply, x * m.w, use_reentrant=False))
    check(lambda m, x: checkpoint.checkpoint(made.apply, x * m.w, use_reentrant=True))


@pytest.mark.parametrize("made", [Reversed, Same])
def test_a_function_that_torchs_own_code_applies_is_never_without_its_gradient(made):
    code = compile("def inside(kind, x):\n    return kind.apply(x)\n", torch.nn.functional.__file__, "exec").co_consts[
        0
    ]
    inside = types.FunctionType(code, {"__name__": "torch.nn.functional"})
    for function in (
        lambda m, x: inside(made, x * m.w),
        lambda m, x: inside(made, x * m.w) * 2,
        lambda m, x: (inside(made, x * m.w), x * 2),
    ):
        check_refused(function, r"apply\(\) is called by code that is not captured")


class Block(nn.Module):
    """A part that is the user's, with a branch that data decides."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x, scale=2.0):
        if x.sum() > 0:
            x = x * scale
        else:
            x = x - scale
        return torch.tanh(self.inner(x))


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoints(reentrant):
    again = functools.partial(checkpoint.checkpoint, use_reentrant=reentrant)
    parts = {"a": nn.Linear(4, 4), "b": Block()}
    check(lambda m, x: again(m.b, m.a(x)), **parts)
    check(lambda m, x: again(m.b, x), **parts)
    check(lambda m, x: again(m.b, x.detach()) + x, **parts)  # no argument has a gradient
    check(lambda m, x: again(m.b.forward, m.a(x), 3.0), **parts)
    check(lambda m, x: again(lambda y, by: y * m.w + m.b(y) * by, m.a(x), 3), **parts)
    check(lambda m, x: again(m.b, m.a(x), preserve_rng_state=False, debug=False), **parts)
    in_parts = functools.partial(checkpoint.checkpoint_sequential, use_reentrant=reentrant)
    check(lambda m, x: in_parts(nn.Sequential(m.b, m.a, nn.ReLU(), m.a), 2, m.a(x)), **parts)
    check(lambda m, x: in_parts([m.b, torch.relu, m.a], 3, x), **parts)
    if reentrant:
        fast = hybridize(Holder(lambda m, x: again(m.b, m.a(x), scale=3.0), **parts))
        with pytest.raises(ValueError, match="Unexpected keyword arguments: scale"):
            fast(X)
        with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
            hybridize(Holder(lambda m, x: again(m.b, x), **parts))(X)
    else:
        check(lambda m, x: again(m.b, m.a(x), scale=3.0), **parts)


def test_a_checkpoint_in_a_step():
    def stepping(module, optimizer):
        def step(x):
            optimizer.zero_grad()
            loss = checkpoint.checkpoint(module.b, module.a(x), use_reentrant=True).square().sum()
            loss.backward()
            optimizer.step()
            return loss

        return step

    module = Holder(None, a=nn.Linear(4, 4), b=Block())
    twin = copy.deepcopy(module)
    fast = hybridize(stepping(module, torch.optim.SGD(module.parameters(), 0.1)))
    slow = stepping(twin, torch.optim.SGD(twin.parameters(), 0.1))
    for _ in range(4):
        torch.testing.assert_close(fast(X), slow(X))
    torch.testing.assert_close(list(module.parameters()), list(twin.parameters()))


class Scaled(torch.autograd.Function):
    """Gives gradients as they come: of the sizes and the dtype of the result."""

    @staticmethod
    def forward(ctx, x, w, shift):
        ctx.save_for_backward(x, w)
        return (x * w + shift).double()

    @staticmethod
    def backward(ctx, gradient):
        x, w = ctx.saved_tensors
        return gradient * w, gradient * x, gradient


@pytest.mark.parametrize("shape", [(3,), (1, 3), (2, 1), (2, 3), ()])
def test_gradients_that_were_broadcast_are_summed(shape):
    outcomes = []
    for compile in (hybridize, lambda function: function):
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        w, shift = (torch.full(shape, 2.0, requires_grad=True) for _ in range(2))
        compile(lambda x, w, shift: Scaled.apply(x, w, shift))(x, w, shift).sum().backward()
        outcomes.append((x.grad, w.grad, shift.grad))
    torch.testing.assert_close(*outcomes)
