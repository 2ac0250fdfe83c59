"""Lists that a loop of the graph has appended to, given to functions of torch: what every recurrent net does."""

import pytest
import torch
from torch import nn

from hybridize import hybridize
from hybridize.torch import island

LAST_FOUR = slice(-4, None)

TAKING = {
    "stack": torch.stack,
    "stack by name": lambda out: torch.stack(tensors=out, dim=1),
    "stack along the last axis": lambda out: torch.stack(out, -1),
    "cat": torch.cat,
    "cat along the last axis": lambda out: torch.cat(out, dim=-1),
    "concat": torch.concat,
    "concatenate": torch.concatenate,
    "vstack": torch.vstack,
    "hstack": torch.hstack,
    "dstack": torch.dstack,
    "column_stack": torch.column_stack,
    "row_stack": torch.row_stack,
    "atleast_2d": lambda out: torch.cat(torch.atleast_2d(out)),
    "broadcast_tensors": lambda out: torch.broadcast_tensors(*out)[3],
    "block_diag": lambda out: torch.block_diag(*out[LAST_FOUR]),
    "pad_sequence": nn.utils.rnn.pad_sequence,
    "foreach": lambda out: torch._foreach_mul(out, 2.0)[5],
    "a part": lambda out: torch.stack(out[LAST_FOUR]),
    "backwards": lambda out: torch.stack(out[::-1]),
    "one more": lambda out: torch.stack([*out, out[0]]),
    "a sum of lists": lambda out: torch.stack(out + [out[-1]]),  # noqa: RUF005  # the sum is what is tested
    "a tuple": lambda out: torch.stack(tuple(out)),
    "twice": lambda out: torch.stack([torch.stack(out), torch.stack(out) * 2]),
    "an island": lambda out: island(sum_of_all)(out),
    "a module": lambda out: Stacked()(out),
}


def sum_of_all(tensors):
    return torch.stack(tensors).sum(0)


class Stacked(nn.Module):
    def forward(self, tensors):
        return torch.stack(tensors) * len(tensors)


def by_append(x):
    out, h = [], torch.zeros_like(x[0])
    for t in range(x.shape[0]):
        h = torch.tanh(h + x[t])
        out.append(h)
    return out


def by_sum(x):
    out, h = [], torch.zeros_like(x[0])
    for row in x:
        h = torch.tanh(h + row)
        out += [h]
    return out


def in_a_dict(x):
    kept, h = {"h": []}, torch.zeros_like(x[0])
    for t in range(len(x)):
        h = torch.tanh(h + x[t])
        kept["h"].append(h)
    return kept["h"]


def of_a_number(x, n=17):
    out, h = [], torch.zeros_like(x[0])
    for t in range(n):
        h = torch.tanh(h + x[t])
        out.append(h)
    return out


def check(function, rows):
    fast = hybridize(function)
    for count in rows:
        ours, theirs = (torch.randn(count, 3, dtype=torch.float64, requires_grad=True) for _ in range(2))
        ours.data.copy_(theirs.data)
        with torch.no_grad():
            torch.testing.assert_close(fast(ours), function(theirs))
        found, expected = fast(ours), function(theirs)
        torch.testing.assert_close(found, expected)
        found.square().sum().backward()
        expected.square().sum().backward()
        torch.testing.assert_close(ours.grad, theirs.grad)
    return fast


@pytest.mark.parametrize("name", TAKING)
def test_functions_of_lists(name):
    check(lambda x: TAKING[name](by_append(x)), (17, 21))


@pytest.mark.parametrize("name", ["stack", "cat", "vstack", "a part"])
@pytest.mark.parametrize("loop", [by_sum, in_a_dict, of_a_number])
def test_loops_that_append(loop, name):
    check(lambda x: TAKING[name](loop(x)), (17, 18))


@pytest.mark.parametrize("name", ["stack", "cat"])
def test_one_program_stacks_lists_of_any_length(name):
    fast = hybridize(lambda x: TAKING[name](by_append(x)), dynamic=True)
    with torch.no_grad():
        for rows in (20, 30, 40, 50, 60):
            x = torch.randn(rows, 3)
            torch.testing.assert_close(fast(x), TAKING[name](by_append(x)))
    assert len(fast.programs()) <= 2, "the length of a list that is stacked is no part of the program"


def below(x):
    total = x.sum() * 0
    for i in range(len(x)):
        for j in range(i):
            total = total + x[i] * x[j].sin()
    return total


def above(x):
    total = torch.zeros((), dtype=x.dtype)
    for i in range(17):
        for j in range(i + 1, 17, 2):
            total = torch.maximum(total, x[i] * x[j])
    return total


@pytest.mark.parametrize("function", [below, above])
def test_loops_whose_rounds_the_loop_around_decides_have_gradients(function):
    fast = hybridize(function)
    for rows in (17, 18):
        ours, theirs = (torch.linspace(-1, 1.5, rows, dtype=torch.float64, requires_grad=True) for _ in range(2))
        fast(ours).backward()
        function(theirs).backward()
        torch.testing.assert_close(ours.grad, theirs.grad)
        with torch.no_grad():
            torch.testing.assert_close(fast(ours), function(theirs))


def test_they_stay_loops_where_nothing_is_differentiated():
    fast = hybridize(below)
    for rows in (20, 30, 40, 50):
        x = torch.randn(rows, dtype=torch.float64)
        torch.testing.assert_close(fast(x), below(x))
    assert len(fast.programs()) <= 2
