"""What the capture cannot follow is refused at its line, with an island offered; defects are not hidden by that."""

import warnings
from dataclasses import dataclass

import pytest
import torch
from torch import nn

import hybridize
from hybridize.base.frozen import changed
from hybridize.base.locations import PACKAGE
from hybridize.errors import CaptureError, InternalError
from hybridize.torch.functions.table import FUNCTIONS


class Mapped(nn.Module):
    def forward(self, x):
        return torch.vmap(lambda row: row * torch.arange(3.0))(x)


class Casting(nn.Module):
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x.T


class Transformed(nn.Module):
    def forward(self, x):
        return torch.func.grad(lambda y: (y * y).sum())(x)


class Values(nn.Module):
    def forward(self, x):
        return torch.linalg.svdvals(x).sum() + torch.linalg.eigvals(x @ x.T).real


class Scattered(nn.Module):
    def forward(self, x):
        return torch.geqrf(x)[0]


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("kind", [Mapped, Casting, Transformed, Values, Scattered])
def test_what_the_table_lacks_is_refused_at_its_line_and_an_island_runs_it(kind, gradients):
    module, x = kind(), torch.rand(3, 3)
    fast = hybridize.hybridize(module)
    refused = pytest.raises(CaptureError, match=r"(.*\n)+.*help: .*hybridize\.torch\.island")
    for call in (fast, fast.program):
        with torch.set_grad_enabled(gradients), refused as caught:
            call(x)
        first = kind.forward.__code__.co_firstlineno
        assert caught.value.loc.file == __file__
        assert first < caught.value.loc.line <= first + 2
    assert fast.cache_info()["programs"] == 0
    alone = hybridize.hybridize(nn.Sequential(hybridize.torch.island(module), nn.Softplus()))
    with torch.set_grad_enabled(gradients):
        torch.testing.assert_close(alone(x), nn.functional.softplus(module(x)))


WITHOUT_SOURCE = """
layer = nn.Linear(3, 3)

def function(x):
    return layer(x).sin()

class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 3), nn.Tanh())

    def forward(self, x):
        return self.inner(x) * 2

def deciding(x):
    return x * 2 if x.sum() > 0 else x
"""


def test_code_without_source_may_call_layers_but_not_decide_on_data():
    names = {"nn": nn}
    exec(WITHOUT_SOURCE, names)
    for function in (names["function"], names["Module"](), lambda x: names["function"](x) + 1):
        fast = hybridize.hybridize(function)
        for gradients in (True, False, True):
            with torch.set_grad_enabled(gradients):
                x = torch.randn(2, 3)
                torch.testing.assert_close(fast(x), function(x))
        fast(x).sum().backward()
    with pytest.raises(CaptureError, match=r"E401: bool\(\) of .*; the source of deciding\(\), .* is not there"):
        hybridize.hybridize(names["deciding"])(torch.ones(3))


class Labelled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    @torch.profiler.record_function("whole")
    def forward(self, x):
        with torch.profiler.record_function("linear"):
            y = self.linear(x)
        for _ in range(20):
            with torch.autograd.profiler.record_function("a round", "of these"):
                y = y + 1
        if y.sum() > 0:
            with torch.profiler.record_function("a side"):
                y = y * 3
        return y


def test_labels_for_profilers_are_no_part_of_a_program():
    module = Labelled()
    fast = hybridize.hybridize(module)
    for x in (torch.randn(2, 3), torch.randn(2, 3), -torch.ones(2, 3) * 99):
        torch.testing.assert_close(fast(x), module(x))
        with torch.profiler.profile():
            torch.testing.assert_close(fast(x), module(x))


class Counted(nn.Module):
    """Draws and counts in Python: no program may keep what one call did."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return torch.vmap(lambda row: row * self.calls)(x)


def test_python_state_of_what_is_refused_is_as_it_was():
    module = Counted()
    fast = hybridize.hybridize(module)
    for _ in range(2):
        with pytest.raises(CaptureError, match="vmap"):
            fast(torch.ones(2, 3))
    assert module.calls == 0
    alone = hybridize.hybridize(hybridize.torch.island(module))
    for count in (1, 2, 3):
        assert torch.equal(alone(torch.ones(2, 3)), torch.full((2, 3), float(module.calls)))
        assert module.calls >= count


@dataclass
class Given:
    """An argument."""

    x: torch.Tensor


class Either(nn.Module):
    def forward(self, given):
        if isinstance(given, Given):
            return given.x * 2 if len(given.x) == 2 else torch.vmap(lambda row: row * torch.arange(3.0))(given.x)
        return torch.vmap(lambda row: row * torch.arange(3.0))(given)


def test_objects_of_a_users_class_are_taken_or_refused_for_what_no_program_can_do():
    module = Either()
    fast = hybridize.hybridize(module)
    for x in (torch.ones(2, 3), torch.randn(2, 3)):
        torch.testing.assert_close(fast(Given(x)), module(Given(x)))
    with pytest.raises(CaptureError, match=r"vmap(.*\n)+.*help: .*hybridize\.torch\.island"):
        fast(Given(torch.ones(3, 3)))


class Lost(nn.Module):
    def forward(self, x):
        return torch.fft.rfft(x).abs()


def test_a_refusal_is_short():
    refused = pytest.raises(CaptureError, match=r"test_unsupported(.*\n)+.*help: .*hybridize\.torch\.island")
    with refused as caught:
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
