"""Functions that PyTorch has no derivative of, and arguments that it has none by: the same error, at the same pass."""

import warnings

import pytest
import torch
import torch.nn.functional as F
from torch.utils import _pytree as pytree

from hybridize import hybridize
from hybridize.errors import HybridizeError
from hybridize.torch.traced import CannotCapture
from tests.torch.functions.door import door
from tests.torch.functions.opinfo import INFOS, Called, drawing, spread

X = torch.tensor([[0.3, -1.7, 2.0], [0.0, 0.9, 1.1]])
LABELS = torch.tensor([0, 2])
ROW = torch.zeros(1, 3, dtype=torch.int64)
SHARES = X.softmax(1)


def in_place(x):
    x = x * 2
    x //= 0.3
    return x


def in_a_loop(x):
    for _ in range(30):
        x = x // 0.9 + x
    return x


def in_a_branch(x):
    return x // 0.3 if x.sum() > 0 else x * 2


BACK = {
    "floor_divide": lambda x: x // 0.3,
    "floor_divide by": lambda x: 2 // x,
    "floor_divide in place": in_place,
    "floor_divide in a loop": in_a_loop,
    "floor_divide in a branch": in_a_branch,
    "heaviside": lambda x: torch.heaviside(x, X),
    "heaviside at 0": lambda x: torch.heaviside(X, x),
    "bernoulli": lambda x: x.bernoulli(0.5),
    "bincount": lambda x: torch.bincount(LABELS, x[:, 0]),
    "scatter": lambda x: x.scatter(0, ROW, 2.0, reduce="multiply"),
    "scatter from": lambda x: X.scatter(0, ROW, x, reduce="multiply"),
    "unique": lambda x: x.unique(),
    "unique_consecutive": lambda x: torch.unique_consecutive(x),
}
FORWARD = {
    "nll": lambda x: F.nll_loss(X.log_softmax(1), LABELS, x[0]),
    "cross entropy": lambda x: F.cross_entropy(X, LABELS, x[0], label_smoothing=0.1),
    "multi margin": lambda x: F.multi_margin_loss(X, LABELS, weight=x[0]),
    "binary": lambda x: F.binary_cross_entropy(SHARES, SHARES, x),
    "logits": lambda x: F.binary_cross_entropy_with_logits(X, SHARES, x),
    "logits, positive": lambda x: F.binary_cross_entropy_with_logits(X, SHARES, pos_weight=x[0]),
    "soft margin": lambda x: F.soft_margin_loss(X, x),
}
EITHER = {
    "cross entropy of shares": lambda x: F.cross_entropy(X, SHARES, x[0]),
    "target": lambda x: F.binary_cross_entropy(SHARES, x.sigmoid()),
    "without a history": lambda x: x * 2 + (x // 0.3).detach(),
    "one of two results": lambda x: (x * 2, x // 0.3),
    "rounded quotient": lambda x: torch.div(x, 0.3, rounding_mode="floor"),
    "of integers": lambda x: x * 2 + (x.long() // 2),
    "bernoulli of itself": lambda x: x.sigmoid().bernoulli(),
}


def trained(function, x):
    """Return what became of a call and its pass back, of the first result alone."""
    x = x.clone().requires_grad_()
    try:
        y = function(x)
    except Exception as error:
        return "forward", type(error), str(error)
    y = y[0] if isinstance(y, tuple) else y
    try:
        y.sum().backward()
    except Exception as error:
        return "back", y.requires_grad, type(error), str(error).partition("\n")[0]
    return "", x.grad


@pytest.mark.parametrize("function", [*BACK.values(), *FORWARD.values()], ids=[*BACK, *FORWARD])
def test_what_has_no_derivative_raises(function):
    expected = trained(function, X)
    assert expected[0] == ("back" if function in BACK.values() else "forward")
    fast = hybridize(function)
    for _ in range(3):  # the program, then its entry
        found = trained(fast, X)
        assert found[:-1] == expected[:-1]
        assert found[-1] == expected[-1].replace("floor_divide_", "floor_divide")  # of what writes
    with torch.no_grad():
        fast(X)


@pytest.mark.parametrize("function", EITHER.values(), ids=EITHER)
def test_what_is_beside_has_its_gradient(function):
    fast = hybridize(function)
    for _ in range(3):
        torch.testing.assert_close(trained(fast, X)[1], trained(function, X)[1])


def test_results_whose_cotangents_are_absent_do_not_hide_the_error_of_others():
    fast = hybridize(lambda x: (x // 0.3, x // 0.4, x * 2))
    for chosen in (0, 1):
        x = X.clone().requires_grad_()
        with pytest.raises(RuntimeError, match="floor_divide is not implemented"):
            fast(x)[chosen].sum().backward()
    x = X.clone().requires_grad_()
    fast(x)[2].sum().backward()
    torch.testing.assert_close(x.grad, torch.full_like(X, 2))


def test_passes_of_a_program_itself():
    weight = torch.ones(3, requires_grad=True)

    def step(x):
        (x * weight // 0.3).sum().backward()

    fast = hybridize(step)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="floor_divide is not implemented"):
            fast(X)
    assert weight.grad is None


def outcome(module, place, compiled=False):
    """Return the class of the exception of a call or of its pass back, or whether its results want gradients."""
    xs = [x.detach().clone().requires_grad_(k == place) for k, x in enumerate(module.tensors)]
    try:
        with drawing():
            result = door(module).call(tuple(xs), {}) if compiled else module(*xs)
            leaves = [y for y in pytree.tree_leaves(result) if isinstance(y, torch.Tensor) and y.is_floating_point()]
    except CannotCapture as error:
        return "forward", type(error.__cause__)
    except Exception as error:
        return "forward", type(error)
    live = [y for y in leaves if y.requires_grad]
    try:
        for y in live:
            torch.autograd.grad(y, xs[place], torch.ones_like(y), allow_unused=True, retain_graph=True)
    except Exception as error:
        return "back", type(error)
    return "", [y.requires_grad for y in leaves]


DIFFERENT = {
    "nn.functional.batch_norm": "statistics that are kept have no gradient, and PyTorch refuses that they want one",
    "nn.functional.instance_norm": "the same",
    "nn.functional.fractional_max_pool2d": "samples that want a gradient get none",
}


@pytest.mark.long
def test_every_function_has_a_derivative_where_pytorch_has_one():
    """For each tensor of PyTorch's own samples alone: what eager PyTorch has no derivative of raises here as well."""
    wrong, different = [], set()
    for name, info in INFOS.items():
        if name.startswith("torch._"):
            continue  # PyTorch's own, of dtypes that its kernels alone have
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                samples = spread(list(info.sample_inputs("cpu", torch.float64)), 3)
            except Exception:
                continue
            for sample in samples:
                module = Called(info.op, ((sample.input, *sample.args), dict(sample.kwargs)))
                for place in [k for k, x in enumerate(module.tensors) if x.is_floating_point()]:
                    expected = outcome(module, place)
                    if expected[0] == "" and any(expected[1]):
                        continue
                    found = outcome(module, place, compiled=True)
                    if found == expected or (found[0] == "forward" and issubclass(found[1], HybridizeError)):
                        continue
                    if info.name in DIFFERENT:
                        different.add(info.name)
                    else:
                        wrong.append(f"{name} by {place}: {found} for {expected}")
    assert not wrong, "\n".join(wrong)
    assert different == set(DIFFERENT)
