"""What is raised is of the class that PyTorch raises, and says what it says, where it is the user's mistake."""

import pytest
import torch

from hybridize import hybridize
from hybridize.errors import CaptureError
from tests.refusals import refusal

SINGULAR = [
    torch.linalg.inv, lambda a: a.inverse(), lambda a: torch.linalg.solve(a, torch.ones(2)), torch.linalg.cholesky,
    lambda a: torch.linalg.matrix_power(a, -1), lambda a: torch.linalg.inv(torch.stack([torch.eye(2), a])),
]  # fmt: skip


@pytest.mark.parametrize("function", SINGULAR)
def test_singular_matrices(function):
    """By the first call, by the entry, with gradients and without; in between the program goes on."""
    good, bad = torch.tensor([[2.0, 1.0], [1.0, 2.0]]), torch.tensor([[0.0, 0.0], [0.0, 0.0]])
    compiled = hybridize(lambda a: function(a))
    for a in (bad, good, good, good, bad, good):
        for wants in (False, True):
            if a is good:
                torch.testing.assert_close(compiled(a.clone().requires_grad_(wants)), function(a), check_stride=False)
                continue
            for call in (compiled, function):
                with pytest.raises(torch.linalg.LinAlgError):
                    call(a.clone().requires_grad_(wants))


OPERANDS = [
    lambda x: x + "a", lambda x: x < None, lambda x: x * {}, lambda x: torch.add(x, "s"), lambda x: torch.eq(x, None),
    lambda x: x.item(), lambda x: x[:0].item(), lambda x: torch.clamp(x, max="a"), lambda x: x.__iadd__(None) + 1,
]  # fmt: skip


@pytest.mark.parametrize("function", OPERANDS)
def test_operands_that_torch_does_not_take(function):
    raised = []
    for call in (hybridize(function), function):
        with pytest.raises((TypeError, RuntimeError)) as caught:
            call(torch.tensor([1.0, 2.0]))
        raised.append((caught.type, str(caught.value).partition("\n")[0]))
    assert raised[0] == raised[1]


def test_comparisons_with_none():
    for function in (lambda x: x == None, lambda x: x != None, lambda x: (x * 2) == "a"):  # noqa: E711
        assert hybridize(function)(torch.ones(2)) is function(torch.ones(2))


def test_remedies_are_those_of_tensors():
    with refusal(CaptureError, r"x\[i\]\.clone\(\)"):
        hybridize(lambda x, i: x[i])(torch.ones(3, 2), torch.tensor(1))


def test_packed_sequences_among_the_arguments():
    packed = torch.nn.utils.rnn.pack_padded_sequence(torch.randn(4, 2, 3), [4, 2])
    for compiled in (hybridize(torch.nn.GRU(3, 4)), hybridize(lambda p: p.data * 2)):
        with refusal(CaptureError, "E422: a packed sequence"):
            compiled(packed)


@pytest.mark.parametrize("text", [
    "torch.pow(x, s)", "torch.full_like(x, s)", "torch.where(x > 0, s, x)", "torch.add(x, s)", "torch.clamp(x, max=s)", "x * s",
    "torch.full((2,), s)", "x[:int(s)]",
])  # fmt: skip
def test_numbers_among_the_arguments_of_functions_without_source(text):
    """What runs as it is hands them to torch's functions in C, which take those of Python only."""
    function = eval(f"lambda x, s: {text}", {"torch": torch})
    compiled, x = hybridize(function), torch.tensor([1.0, 2.0])
    for number in (2, 1, 2.5, 2):
        torch.testing.assert_close(compiled(x, number), function(x, number))
