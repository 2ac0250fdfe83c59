"""What our own capture cannot follow goes by `torch.export`, and says so; defects are not hidden by that."""

import warnings
from dataclasses import dataclass

import pytest
import torch
from torch import nn

import hybridize
from hybridize.base.frozen import changed
from hybridize.base.locations import PACKAGE
from hybridize.errors import CaptureError, InternalError
from hybridize.torch import ExportWarning
from hybridize.torch.functions.table import FUNCTIONS


class Mapped(nn.Module):
    def forward(self, x):
        return torch.vmap(lambda row: row * torch.arange(3.0))(x)


def test_torch_export_says_so_once_at_the_users_line():
    module = Mapped()
    fast = hybridize.hybridize(module)
    x = torch.ones(2, 3)
    with pytest.warns(ExportWarning, match=r"Mapped is captured by torch\.export, because .*island") as told:
        fast(x)
    assert [one.filename for one in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.testing.assert_close(fast(x), module(x))
        with torch.no_grad():
            fast(x)
        fast(torch.ones(4, 3))
        fast(
            x.double().float(),
        )
    assert len(fast.exported) == 1
    assert "vmap" in fast.exported[0]
    fast.cache_clear()
    assert fast.exported == ()


def test_every_module_says_so_itself():
    for _ in range(2):
        with pytest.warns(ExportWarning):
            hybridize.hybridize(Mapped())(torch.ones(2, 3))


@dataclass
class Given:
    """An argument which only our own capture takes."""

    x: torch.Tensor


class Either(nn.Module):
    def forward(self, given):
        if isinstance(given, Given):
            return given.x * 2 if len(given.x) == 2 else torch.vmap(lambda row: row * torch.arange(3.0))(given.x)
        return torch.vmap(lambda row: row * torch.arange(3.0))(given)


def test_objects_of_a_users_class_are_taken_by_our_own_capture_or_refused_for_what_it_cannot_do():
    module = Either()
    fast = hybridize.hybridize(module)
    with pytest.warns(ExportWarning):
        torch.testing.assert_close(fast(torch.ones(2, 3)), module(torch.ones(2, 3)))
    for x in (torch.ones(2, 3), torch.randn(2, 3)):
        torch.testing.assert_close(fast(Given(x)), module(Given(x)))
    with pytest.raises(CaptureError, match=r"vmap(.*\n)+.*help: .*hybridize\.torch\.island"):
        fast(Given(torch.ones(3, 3)))
    assert len(fast.exported) == 1


class Lost(nn.Module):
    def forward(self, x):
        return torch.nn.functional.ctc_loss(x, torch.tensor([[1, 2]]), torch.tensor([5]), torch.tensor([2]))


def test_what_neither_can_offers_an_island():
    refused = pytest.raises(CaptureError, match=r"test_fallbacks(.*\n)+.*help: .*hybridize\.torch\.island")
    with refused as caught, warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing went by torch.export
        hybridize.hybridize(Lost())(torch.randn(5, 1, 4, requires_grad=True))
    assert len(str(caught.value).splitlines()) < 6


class Sine(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return torch.sinc(x)


@pytest.mark.parametrize("problem", [ZeroDivisionError("a defect"), AssertionError("a defect"), KeyError("a defect"),
                                     InternalError("E911", "a defect")])  # fmt: skip
def test_defects_of_ours_are_not_hidden(problem, monkeypatch):
    names = {"problem": problem}  # of an entry that stands in the package
    exec(compile("def broken(input):\n    raise problem", f"{PACKAGE}torch/functions/broken.py", "exec"), names)
    entry = FUNCTIONS[torch.sinc]
    with monkeypatch.context() as patched:
        patched.setitem(FUNCTIONS, torch.sinc, changed(entry, function=names["broken"]))
        module = Sine()
        fast = hybridize.hybridize(module)
        for gradients in (False, True):
            with torch.set_grad_enabled(gradients), pytest.raises(InternalError, match="a defect") as caught:
                fast(torch.ones(3))
        if not isinstance(problem, InternalError):
            assert caught.value.code == "E978"
            assert caught.value.__cause__ is problem
            assert caught.value.loc.line == Sine.forward.__code__.co_firstlineno + 2
        assert fast.exported == ()
    torch.testing.assert_close(fast(torch.ones(3)), module(torch.ones(3)))
    assert module.calls == 2, "what did not run was not counted"


class Raising(nn.Module):
    def forward(self, x, flag):
        if flag:
            raise LookupError("the user's own")
        return x.reshape(7, -1)


@pytest.mark.parametrize("flag", [False, True])
def test_the_users_errors_are_raised_as_they_are(flag):
    module = Raising()
    with pytest.raises((LookupError, RuntimeError)) as expected:
        module(torch.ones(3), flag)
    fast = hybridize.hybridize(module)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(type(expected.value)) as found:
                fast(torch.ones(3), flag)
            assert str(found.value) == str(expected.value)
    assert fast.exported == ()


class Hooking(nn.Module):
    def forward(self, x):
        y = x * 2
        y.register_hook(lambda gradient: gradient * 3)
        return y


def test_what_pytorch_does_not_refuse_is_not_refused_in_its_words():
    """Whether PyTorch raises something is found in the mode of the call."""
    x = torch.ones(3, requires_grad=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hybridize.hybridize(Hooking())(x).sum().backward()
    except CaptureError as error:
        assert "register_hook" in str(error)  # noqa: PT017
    else:
        assert torch.equal(x.grad, torch.full((3,), 6.0))
