"""A census of the PyTorch door: every function beside every dtype and kind of operand gives eager PyTorch's value, dtype
and sizes, or an error of its class.

A part of all calls stands in `make test`; all of them are `long`. Calls are taken together, many to a program.
"""

import random
import re
import warnings

import pytest
import torch
from torch.utils import _pytree as pytree

from hybridize.errors import HybridizeError
from hybridize.torch.functions.table import FUNCTIONS
from hybridize.torch.traced import CannotCapture
from tests.census import torch_calls
from tests.census.torch_exceptions import EXCEPTIONS
from tests.torch.functions.door import door
from tests.torch.functions.opinfo import INFOS

GROUPS = ("of_one", "of_two", "reducing", "along", "mixed", "optional", "subscripts", "written", "numpys")
TOGETHER = 60
"""Calls of one program."""


class Calls(torch.nn.Module):
    def __init__(self, cases):
        super().__init__()
        self.cases = cases

    def forward(self, arguments):
        return [case.call(*tensors) for case, tensors in zip(self.cases, arguments, strict=True)]


def run(cases):
    return door(Calls(cases)).call(([tuple(map(torch.clone, case.tensors)) for case in cases],), {})


def apart(found, expected, tensors):
    """Tell what differs of a result; values of floats may by the roundings of the shortest dtype that took part."""
    ours, theirs = pytree.tree_leaves(found), pytree.tree_leaves(expected)
    if len(ours) != len(theirs):
        return "structure"
    shortest = max((torch_calls.TOLERANCES.get(x.dtype, 2e-5) for x in tensors), default=0)
    for one, other in zip(ours, theirs, strict=True):
        if not isinstance(other, torch.Tensor):
            if type(one) is not type(other) or (one != other and one == one):
                return f"{one!r} for {other!r}"
        elif (one.dtype, one.shape) != (other.dtype, other.shape):
            return f"{one.dtype} {list(one.shape)} for {other.dtype} {list(other.shape)}"
        else:
            bound = max(torch_calls.TOLERANCES[other.dtype], shortest) if other.dtype.is_floating_point else 0
            if not torch.allclose(one.double(), other.double(), bound, bound, equal_nan=True):
                return f"{one.tolist()} for {other.tolist()}"
    return ""


def raised(cases):
    """Return the exception of one call, or what it gives."""
    try:
        return None, run(cases)
    except CannotCapture as error:
        return error.__cause__ or error, None
    except Exception as error:
        return error, None


def differences(cases):
    """Yield the calls that differ from eager PyTorch, and how."""
    right = []
    for case in cases:
        try:
            case.expected = case.call(*map(torch.clone, case.tensors))
            right.append(case)
        except Exception as error:
            ours, found = raised([case])
            if ours is None:
                yield case, f"runs, {pytree.tree_leaves(found)}, and eager raises {error!r}"
            elif getattr(ours, "code", "") == "E978" or (
                not isinstance(ours, (type(error), HybridizeError)) and not isinstance(error, type(ours))
            ):
                yield case, f"raises {ours!r} for {error!r}"
    for start in range(0, len(right), TOGETHER):
        yield from halved(right[start : start + TOGETHER])


def halved(cases):
    """Yield what differs of calls that eager PyTorch takes; where their program cannot be made, of each half."""
    ours, found = raised(cases)
    if ours is None:
        for case, result in zip(cases, found, strict=True):
            if text := apart(result, case.expected, case.tensors):
                yield case, text
    elif len(cases) == 1:
        yield cases[0], f"raises {ours!r}"
    else:
        yield from halved(cases[: len(cases) // 2])
        yield from halved(cases[len(cases) // 2 :])


def census(cases, used):
    """Compare calls, and add the exceptions that are needed to `used`."""
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case, text in differences(cases):
            rows = [row for row in EXCEPTIONS if re.match(row[0], case.name) and text.startswith(row[1])]
            used.update(row[0] for row in rows)
            if not rows:
                wrong.append(f"{case.name}: {text}")
    assert not wrong, "\n".join(wrong[:40])


@pytest.mark.parametrize("group", GROUPS)
def test_a_part_of_all_calls(group):
    cases = list(getattr(torch_calls, group)())
    random.Random(group).shuffle(cases)
    census(cases[: max(60, len(cases) // 100)], set())


@pytest.mark.long
def test_all_calls():
    used = set()
    census([case for group in GROUPS for case in getattr(torch_calls, group)()], used)
    assert used == {row[0] for row in EXCEPTIONS}, "an exception that no longer differs"


def test_each_function_is_called():
    """Every entry of the table is in a group here, or among the functions that PyTorch has samples of, by its name."""
    groups = (*torch_calls.OF_ONE, *torch_calls.OF_TWO, *torch_calls.REDUCING, *torch_calls.ALONG, *torch_calls.SHAPED)
    called = {name.rpartition(".")[2] for name in (*groups, *(info.name for info in INFOS.values()))}
    entries = {}
    for entry in FUNCTIONS.values():
        entries.setdefault(entry.function, set()).add(entry.name)
    missing = {min(names) for names in entries.values() if called.isdisjoint(name.rpartition(".")[2] for name in names)}
    assert missing == set(torch_calls.ELSEWHERE.split())
