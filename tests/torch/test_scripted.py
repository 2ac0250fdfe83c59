"""Modules of the kind that people script: what the door gives is what PyTorch gives, or it refuses at their line."""

import copy
import sys

import pytest
import torch
from torch import nn

from hybridize.base.locations import SourceLoc
from hybridize.errors import CaptureError
from tests.torch.scripted import CASES
from tests.torch.scripted.cases import Case, call, change, floats
from tests.torch.scripted.running import REFUSED, RIGHT, WRONG, judge

KNOWN_WRONG: dict[str, str] = {}
"""Cases that are wrong, each with the reason; a line goes when its case is right, or refused."""

KNOWN_REFUSED = {
    "E420": "AutocastInside ComplexNumbers",
}
"""Cases that are refused, by code; every other one is right, unless it is known to be wrong."""
REFUSALS = {name: code for code, names in KNOWN_REFUSED.items() for name in names.split()}


@pytest.mark.parametrize("name", CASES)
def test_scripted(name):
    verdict = judge(CASES[name])
    if name in KNOWN_WRONG:
        assert verdict.kind == WRONG, f"{name} is {verdict.kind} now: take its line out of KNOWN_WRONG"
        return
    assert verdict.kind != WRONG, verdict.text
    wanted = REFUSALS.get(name, "")
    assert verdict.code == wanted, f"{name} is {verdict.kind}, not {wanted or RIGHT}; see KNOWN_REFUSED. {verdict.text}"


def test_the_tables_name_cases():
    assert len(CASES) >= 100
    assert {*KNOWN_WRONG, *REFUSALS} <= CASES.keys()
    assert not KNOWN_WRONG.keys() & REFUSALS.keys()


# ------------------------------------------------------------------------------------------------- the judge is judged


@pytest.mark.parametrize("name", CASES)
def test_pytorch_agrees_with_itself(name):
    verdict = judge(CASES[name], lambda module: module)
    assert verdict.kind == RIGHT, verdict.text


class Everything(nn.Module):
    """Has something of all that is compared."""

    def __init__(self):
        super().__init__()
        self.layer, self.calls, self.last = nn.Linear(3, 2), 0, None
        self.register_buffer("total", torch.zeros(2))

    def forward(self, x, wrong: bool = False):
        if wrong:
            raise ValueError(f"wrong at {self.calls}")
        self.calls += 1
        print("call", self.calls)
        self.last = self.layer(x)
        self.total += self.last.detach().sum(0)
        return {"y": self.last, "total": self.total, "twice": [self.last, self.calls]}


EVERYTHING = Case(
    "Everything",
    Everything,
    (call(floats(4, 3)), change(lambda m: m.layer.bias.add_(1)), call(floats(2, 3)), call(floats(2, 3), wrong=True)),
    grad=True,
    memory=True,
)


def with_result(edit):
    """A door that does something to results."""
    return lambda module: lambda *args, **kwargs: edit(module(*args, **kwargs))


def first_module(module):
    """A door that keeps a copy of the module, and calls that."""
    kept = copy.deepcopy(module)
    return lambda *args, **kwargs: kept(*args, **kwargs)


def silent(module):
    def run(*args, **kwargs):
        before, sys.stdout = sys.stdout, type("Nowhere", (), {"write": len, "flush": lambda self: None})()
        try:
            return module(*args, **kwargs)
        finally:
            sys.stdout = before

    return run


def other_error(module):
    def run(*args, **kwargs):
        try:
            return module(*args, **kwargs)
        except ValueError as error:
            raise RuntimeError(str(error)) from None

    return run


def other_text(module):
    def run(*args, **kwargs):
        try:
            return module(*args, **kwargs)
        except ValueError:
            raise ValueError("wrong at s0") from None

    return run


def without_gradients(module):
    def run(*args, **kwargs):
        with torch.no_grad():
            return module(*args, **kwargs)

    return run


def refusing(at):
    """A door that refuses, at this file or at another."""

    def door(module):
        raise CaptureError("E424", "no", loc=SourceLoc(at, 1, "forward"))

    return door


def refusing_late(module):
    def run(*args, **kwargs):
        module(*args, **kwargs)
        raise CaptureError("E424", "no")

    return run


def refusing_for_runtime_errors(module):
    """Where PyTorch's error is a RuntimeError, ours must not pass for it."""

    def run(*args, **kwargs):
        try:
            return module(*args, **kwargs)
        except RuntimeError:
            raise CaptureError("E424", "no") from None

    return run


DOORS = {
    "values": (with_result(lambda r: r | {"y": r["y"] * 1.001}), "the result.y is"),
    "a dtype": (with_result(lambda r: r | {"y": r["y"].double()}), "torch.float64"),
    "a shape": (with_result(lambda r: r | {"y": r["y"][None]}), "the result.y is"),
    "a detached result": (with_result(lambda r: r | {"y": r["y"].detach()}), "False"),
    "a structure": (with_result(lambda r: r["y"]), "the result is of torch.Tensor"),
    "a class": (with_result(lambda r: r | {"twice": tuple(r["twice"])}), "builtins.tuple"),
    "the order of keys": (with_result(lambda r: dict(sorted(r.items()))), "['total'"),
    "a copy of a buffer": (with_result(lambda r: r | {"total": r["total"].clone()}), "results, module"),
    "a tensor for a number": (
        with_result(lambda r: r | {"twice": [r["y"], torch.tensor(r["twice"][1])]}),
        "builtins.int",
    ),
    "state": (first_module, "the module"),
    "prints": (silent, "prints ''"),
    "an error's class": (other_error, "RuntimeError is raised"),
    "an error's text": (other_text, "wrong at s0"),
    "gradients": (without_gradients, "False"),
    "a refusal without a line": (refusing("elsewhere.py"), "no line of the module"),
    "a refusal that leaves traces": (refusing_late, "traces"),
}


@pytest.mark.parametrize("what", DOORS)
def test_a_door_that_loses_something_is_wrong(what):
    door, text = DOORS[what]
    verdict = judge(EVERYTHING, door)
    assert verdict.kind == WRONG
    assert text in verdict.text


def test_a_refusal_at_a_line_of_the_module():
    verdict = judge(EVERYTHING, refusing(__file__))
    assert (verdict.kind, verdict.code) == (REFUSED, "E424")


class Narrow(nn.Module):
    def forward(self, x):
        return x @ torch.ones(4, 2)


def test_a_refusal_where_pytorch_raises():
    case = Case("Narrow", Narrow, (call(floats(2, 3)),), grad=False, memory=False)
    assert judge(case, refusing_for_runtime_errors).kind == REFUSED
    assert judge(case, lambda module: module).kind == RIGHT
