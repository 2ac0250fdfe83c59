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


OUTSIDE = {
    "x[i]": lambda x, i: x[i],
    "x[i, i]": lambda x, i: x[i, i],
    "x[i] = v": lambda x, i: x.clone().__setitem__(i, 0.0),
    "index_select": lambda x, i: x.index_select(0, i),
    "index_select along 1": lambda x, i: x.index_select(1, i),
    "index_select of a number": lambda x, i: x[0, 0].index_select(0, i),
    "index_add": lambda x, i: x.index_add(0, i, x[:1]),
    "index_copy": lambda x, i: x.index_copy(0, i, x[:1]),
    "index_fill": lambda x, i: x.index_fill(0, i, 0.0),
    "index_put": lambda x, i: x.index_put((i,), x[0]),
    "index_reduce": lambda x, i: x.index_reduce(0, i, x[:1], "prod"),
    "gather": lambda x, i: x.gather(0, i[None]),
    "scatter": lambda x, i: x.scatter(0, i[None], x[:1]),
    "scatter_add": lambda x, i: x.scatter_add(0, i[None], x[:1]),
    "scatter_reduce": lambda x, i: x.scatter_reduce(0, i[None], x[:1], "sum"),
    "take": lambda x, i: x.take(i),
    "put": lambda x, i: x.put(i, x[0, :1]),
    "embedding": lambda x, i: torch.nn.functional.embedding(i, x),
    "embedding_bag": lambda x, i: torch.nn.functional.embedding_bag(i[None], x),
    "nll_loss": lambda x, i: torch.nn.functional.nll_loss(x[:1], i),
    "cross_entropy": lambda x, i: torch.nn.functional.cross_entropy(x[:1], i),
    "multi_margin_loss": lambda x, i: torch.nn.functional.multi_margin_loss(x[:1], i),
    "one_hot": lambda x, i: torch.nn.functional.one_hot(i, 3),
}


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("name", OUTSIDE)
def test_indices_out_of_bounds_raise_the_class_of_pytorch(name):
    function, x = OUTSIDE[name], torch.arange(6.0).reshape(3, 2)
    compiled = hybridize(function)

    def outcome(call, index):
        try:
            return call(x, index)
        except (IndexError, RuntimeError) as error:
            return IndexError if isinstance(error, IndexError) else RuntimeError

    for number in (0, 9, -7):
        expected, result = (outcome(call, torch.tensor([number])) for call in (function, compiled))
        if isinstance(expected, torch.Tensor):
            torch.testing.assert_close(result, expected)
        else:
            assert result is expected


def taken_row(x, i):
    doubled = x * 2
    return doubled[i] / x.sum()


@pytest.mark.parametrize("mode", ["no_grad", "grad", "wanted"])
@pytest.mark.parametrize("calls", [2, 3, 4])
def test_what_a_program_asserts_names_the_line_that_asserted_it(mode, calls):
    """By the first call of a program, a later one and its entry; with gradients and without."""
    compiled = hybridize(taken_row)
    with torch.set_grad_enabled(mode != "no_grad"):
        for number in range(calls):
            compiled(torch.ones(2, 2, requires_grad=mode == "wanted"), number % 2)
        with refusal(IndexError, "E110") as caught:
            compiled(torch.ones(2, 2, requires_grad=mode == "wanted"), 2)
    assert (caught.value.loc.function, caught.value.loc.text) == ("taken_row", "return doubled[i] / x.sum()")
