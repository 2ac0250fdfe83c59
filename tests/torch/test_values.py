# SPDX-License-Identifier: Apache-2.0
"""What Python does with tensors and with functions of them beside computing: decorating, comparing, keeping, printing."""

from __future__ import annotations

import dataclasses
import functools
import re
import types
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from hybridize import hybridize
from hybridize.errors import CaptureError
from tests.refusals import refusal

DECORATORS: dict[str, Callable[[Any], Any]] = {
    "no_grad()": torch.no_grad(),
    "no_grad": torch.no_grad,
    "enable_grad": torch.enable_grad(),
    "inference_mode": torch.inference_mode(),
    "set_grad_enabled": lambda f: torch.set_grad_enabled(False)(f),
    "two": lambda f: torch.no_grad()(torch.enable_grad()(f)),
}


def sided(x: Any) -> Any:
    if x.sum() > 0:
        return x * 2
    return -x


@pytest.mark.parametrize("name", DECORATORS)
def test_functions_that_a_gradient_mode_decorates_are_followed(name: str) -> None:
    decorated = DECORATORS[name](sided)

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.n = 0
            self.w = torch.nn.Parameter(torch.ones(3))

        @DECORATORS[name]
        def helped(self, x: Any) -> Any:
            self.n += 1
            return decorated(x) * self.w

        def forward(self, x: Any) -> Any:
            return self.helped(x)

    class Whole(Net):
        forward = Net.helped

    of_partial = DECORATORS[name](functools.partial(lambda y, x: sided(x) + y, 1)) if name != "no_grad" else None
    around = hybridize(lambda x: decorated(x) + 1 if of_partial is None else of_partial(x))
    itself = hybridize(decorated)
    for x in (torch.ones(3), -torch.ones(3), torch.ones(3)):
        torch.testing.assert_close(itself(x), sided(x))
        torch.testing.assert_close(around(x), sided(x) + 1)
    for kind in (Net, Whole):
        net = kind()
        compiled = hybridize(net)
        for calls, x in enumerate((torch.ones(3), -torch.ones(3), torch.ones(3)), 1):
            result = compiled(x)
            torch.testing.assert_close(result, sided(x))
            assert net.n == calls
            assert result.requires_grad is kind()(x).requires_grad


def test_what_a_gradient_mode_decorates_is_looked_up_at_each_call() -> None:
    class Net(torch.nn.Module):
        @torch.no_grad()
        def helped(self, x: Any) -> Any:
            return x * 2

        def forward(self, x: Any) -> Any:
            return self.helped(x)

    net, x = Net(), torch.ones(2)
    compiled = hybridize(net)
    torch.testing.assert_close(compiled(x), x * 2)
    Net.helped = torch.no_grad()(lambda self, x: x * 3)  # type: ignore[method-assign]
    torch.testing.assert_close(compiled(x), x * 3)


def test_a_step_of_an_optimizer_goes_within_a_decorated_function() -> None:
    w, v = torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(3))
    steps = []
    for p in (w, v):
        opt = torch.optim.SGD([p], lr=0.1)

        @torch.enable_grad()
        def step(x: Any, p: Any = p, opt: Any = opt) -> Any:
            opt.zero_grad()
            loss = (p * x).sum()
            loss.backward()
            opt.step()
            return loss.detach()

        steps.append(step)
    compiled = hybridize(steps[0])
    for _ in range(3):
        torch.testing.assert_close(compiled(torch.arange(3.0)), steps[1](torch.arange(3.0)))
    torch.testing.assert_close(w, v)


HELD = torch.full((2,), 7.0)
IDENTITIES: dict[str, Callable[..., Any]] = {
    "is": lambda q, k: q + k if q is k else q * k,
    "is not": lambda q, k: q + k if q is not k else q * k,
    "a tensor outside": lambda q, k: q + k if q is HELD else q * k,
    "in": lambda q, k: q + k if any(q is one for one in [k, k]) else q * k,
    "both and outside": lambda q, k: q * 2 if q is k and k is HELD else q + 3 * k,
    "a view": lambda q, k: q * 2 if q.view(-1) is q else q + 3 * k,
    "the same converted": lambda q, k: q * 2 if q.float() is k.contiguous() else q + 3 * k,
    "of none": lambda q, k: q * 2 if q is None or k is None else q + 3 * k,
}


@pytest.mark.parametrize("name", IDENTITIES)
@pytest.mark.parametrize("learning", [False, True])
@pytest.mark.parametrize("first", range(4))
def test_tensors_are_one_object_where_they_are_in_python(name: str, learning: bool, first: int) -> None:
    function = IDENTITIES[name]
    compiled = hybridize(function)
    x, y = (torch.full((2,), number).requires_grad_(learning) for number in (5.0, 3.0))
    calls = [(x, x), (x, y), (HELD, y), (HELD, HELD), (y, y), (x, x.detach()), (HELD.view(2), HELD), (y, HELD)]
    for _ in range(3):
        for given in (*calls[first:], *calls[:first]):
            torch.testing.assert_close(compiled(*given), function(*given))


def test_flags_of_gradients_belong_to_their_tensors_where_one_is_given_twice() -> None:
    def told(x: Any, again: Any, w: Any) -> Any:
        return x + w if x.requires_grad else again * w * (3 if w.requires_grad else 2)

    x, w = torch.ones(2), torch.ones(2, requires_grad=True)
    for given in ((x, x, w), (w, w, x), (x, x, x), (w, w, w)):
        torch.testing.assert_close(hybridize(told)(*given), told(*given))


class Output(dict[str, Any]):
    pass


def test_tensors_in_a_dict_of_the_users_class_are_refused_at_its_line() -> None:
    for function in (lambda x: Output(y=x * 2), lambda x: (Output(y=[x * 2]), x)):
        with pytest.raises(CaptureError, match=r"E423.*Output[\s\S]*test_values.py"):
            hybridize(function)(torch.ones(2))


NUMBERS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "sizes in a tuple": (lambda x, size: F.interpolate(x, size=size), [(8, 8), (2, 3), (8, 8)]),
    "sizes in a list": (lambda x, size: F.interpolate(x, size=size), [[8, 8], [2, 3]]),
    "nearest": (lambda x, size: F.adaptive_avg_pool2d(x, size), [(2, 2), (1, 2)]),
    "layer_norm": (lambda x, n: F.layer_norm(x, (4,), eps=n), [1, 2, 1e-3]),
    "batch_norm": (lambda x, n: F.batch_norm(x, None, None, training=True, eps=n), [1, 2, 1e-3]),
    "group_norm": (lambda x, n: F.group_norm(x, 1, eps=n), [1, 2, 1e-3]),
    "normalize": (lambda x, n: F.normalize(x, eps=n), [1, 2, 1e-3]),
    "linspace": (lambda x, n: x.sum() * torch.linspace(9, 0, n), [3, 5, 1, 3]),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("mode", [torch.no_grad, torch.enable_grad])
def test_numbers_among_arguments_are_what_functions_take(name: str, mode: Callable[[], Any]) -> None:
    function, numbers = NUMBERS[name]
    compiled, x = hybridize(mode()(function)), torch.linspace(-1, 2, 16).reshape(1, 1, 4, 4)
    for number in numbers:
        torch.testing.assert_close(compiled(x, number), function(x, number))


@dataclasses.dataclass
class Cache:
    k: Any
    parts: Any = None


class Spoken:
    def __init__(self, k: Any) -> None:
        self.k, self.parts = k, None

    def __repr__(self) -> str:
        raise AssertionError("nobody asks")


@pytest.mark.parametrize("kind", [Cache, Spoken, lambda k: types.SimpleNamespace(k=k, parts=None)])
def test_objects_that_hold_tensors_are_written_without_being_shown(kind: Callable[..., Any]) -> None:
    def step(x: Any, cache: Any) -> Any:
        cache.k = torch.cat([cache.k, x])
        cache.parts = {"k": [cache.k * 2]}
        return cache.k.sum() + cache.parts["k"][0].mean()

    mine, theirs, compiled = kind(torch.ones(2)), kind(torch.ones(2)), hybridize(step)
    for _ in range(4):
        torch.testing.assert_close(compiled(torch.arange(2.0), mine), step(torch.arange(2.0), theirs))
        torch.testing.assert_close(mine.k, theirs.k)
        torch.testing.assert_close(mine.parts["k"][0], theirs.parts["k"][0])


BEYOND: dict[str, Callable[..., Any]] = {
    "clamp": lambda x, n: x.clamp(n, 2),
    "clamp_min": lambda x, n: x.clamp_min(n),
    "clamp_max": lambda x, n: x.clamp_max(n),
    "fill_": lambda x, n: x.clone().fill_(n),
    "masked_fill": lambda x, n: x.masked_fill(x > 1, n),
    "+": lambda x, n: x + n,
    "*": lambda x, n: x * n,
    "<": lambda x, n: x < n,
    ">=": lambda x, n: x >= n,
    "==": lambda x, n: x == n,
}


@pytest.mark.parametrize("name", BEYOND)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16])
def test_numbers_beyond_the_ends_of_a_dtype_go_around_or_are_refused_as_in_pytorch(name: str, dtype: Any) -> None:
    x = torch.tensor([0, 1, 2, 44, 100, 127], dtype=dtype)
    for number in (-2, -129, -300, 128, 300, 70000):

        def function(x: Any, n: int = number) -> Any:
            return BEYOND[name](x, n)

        try:
            wanted = function(x)
        except RuntimeError as error:
            with refusal(RuntimeError, re.escape(str(error).splitlines()[0])):
                hybridize(function)(x)
        else:
            torch.testing.assert_close(hybridize(function)(x), wanted)


W = torch.nn.Parameter(torch.full((2,), 2.0))
TABLE: dict[Any, Any] = {W: 3.0}


def _put(x: Any) -> Any:
    TABLE[W] = x.mean().detach() * 2
    return x * TABLE[W]


def _own(x: Any) -> Any:
    table = {W: 2.0}
    table[x] = 5.0
    table[x * 1] = 7.0
    return x * table[W] + table[x] * len(table) + (3 if W in table else 4)


def _members(x: Any) -> Any:
    found = {W}
    found.add(x)
    return x * len(found) + (1 if x in found else 2)


KEYS: dict[str, Callable[[Any], Any]] = {
    "item": lambda x: x * TABLE[W],
    "in": lambda x: x * (2 if W in TABLE else 3),
    "get": lambda x: x * TABLE.get(W, 0),
    "of none": lambda x: x * TABLE.get(HELD, 0),
    "a pair": lambda x: x * {(W, 1): 4}.get((W, 1), 5),
    "written": _put,
    "its own": _own,
    "a set": _members,
}


@pytest.mark.parametrize("name", KEYS)
def test_tensors_are_keys_by_their_identity(name: str) -> None:
    function = KEYS[name]
    compiled = hybridize(function)
    for x in (torch.arange(2.0), W, torch.ones(2), W):
        for number in (3.0, 4.0):
            TABLE[W] = number
            wanted, left = function(x), TABLE[W]
            TABLE[W] = number
            torch.testing.assert_close(compiled(x), wanted)
            torch.testing.assert_close(TABLE[W], left)
    del TABLE[W]
    try:
        if name in ("in", "get"):
            torch.testing.assert_close(compiled(torch.ones(2)), function(torch.ones(2)))
    finally:
        TABLE[W] = 3.0


def test_an_argument_as_a_key_of_a_table_outside_is_refused_at_its_line() -> None:
    for function in (lambda x: x * TABLE.get(x, 1), lambda x: x * (x in TABLE), lambda x: {x: x}[x]):
        with pytest.raises(CaptureError, match=r"E422.*key[\s\S]*test_values.py"):
            hybridize(function)(torch.ones(2))


def rounds_without(mode: Any) -> Any:
    @mode
    def rounds(x: Any, n: int) -> Any:
        for k in range(n):
            got = yield x * k
            x = x if got is None else x + got

    return rounds


@pytest.mark.parametrize("name", ["no_grad()", "enable_grad"])
def test_generators_that_a_gradient_mode_decorates_are_followed(name: str) -> None:
    rounds = rounds_without(DECORATORS[name])

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.n, self.w = 3, torch.nn.Parameter(torch.ones(3))

        @DECORATORS[name]
        def parts(self, x: Any) -> Any:
            for k in range(self.n):
                yield x * self.w + k

        def forward(self, x: Any) -> Any:
            with torch.set_grad_enabled(name != "enable_grad"):
                total = sum(rounds(x * self.w, self.n)) + sum(self.parts(x))
            return total + self.w

    module = Net()
    fast, x = hybridize(module), torch.arange(3.0)
    for n in (3, 3, 2):
        module.n = n
        wanted = [module(x), *torch.autograd.grad(module(x).sum(), module.w)]
        torch.testing.assert_close([fast(x), *torch.autograd.grad(fast(x).sum(), module.w)], wanted)


def test_what_gives_its_argument_gives_that_very_tensor() -> None:
    def asked(x: torch.Tensor) -> tuple[bool, ...]:
        found = (
            F.dropout(x, 0.5, training=False), F.dropout(x, 0.0), torch.nn.Dropout(0.5).eval()(x), x.float(), x.cpu(),
            F.alpha_dropout(x, 0.5), torch.atleast_1d(x), x.contiguous(), x.conj(),
            F.dropout(x, 0.5), x.clone(), x.detach(), x.view(2), torch.atleast_2d(x),
        )  # fmt: skip
        return tuple(one is x for one in found)

    assert hybridize(asked)(torch.ones(2)) == asked(torch.ones(2))


DIVISIONS: dict[str, Callable[..., Any]] = {
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "a number": lambda x, y: 7 // y,
    "fmod": torch.fmod,
    "trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "in place": lambda x, y: x.clone().remainder_(y),
    "after a branch": lambda x, y: x // y if x.sum() > 0 else x,
}


@pytest.mark.parametrize("name", DIVISIONS)
def test_whole_numbers_divided_by_zero_are_pytorchs_error(name: str) -> None:
    function = DIVISIONS[name]
    fast = hybridize(lambda x, y: function(x, y))
    x = torch.tensor([7, -5])
    for y in (torch.tensor([2, 3]), torch.tensor([2, 0]), torch.tensor([-4, 3]), torch.tensor([0, 0])):
        if not (y == 0).any():
            torch.testing.assert_close(fast(x, y), function(x, y))
            continue
        with pytest.raises(RuntimeError) as wanted:
            function(x, y)
        with pytest.raises(RuntimeError) as found:
            fast(x, y)
        assert str(wanted.value) == str(found.value) == "ZeroDivisionError"
    floats = x.float(), torch.tensor([2.0, 0.0])
    torch.testing.assert_close(fast(*floats), function(*floats), equal_nan=True)


def test_whole_numbers_divided_by_the_number_zero() -> None:
    @hybridize
    def divided(x: torch.Tensor, n: int) -> torch.Tensor:
        return x // n

    x = torch.tensor([3, -5])
    for n in (2, 3, 0, 4):
        if n:
            assert torch.equal(divided(x, n), x // n)
        else:
            with pytest.raises(RuntimeError, match=r"^ZeroDivisionError"):
                divided(x, n)


WRITES: dict[str, Callable[[Any], Any]] = {
    "add_": lambda x: x.add_(1),
    "[...] =": lambda x: x.__setitem__(slice(None), 2.0),
    "a part": lambda x: x[1:].mul_(2),
    "whole numbers": lambda x: x.long().expand(x.shape).add_(1),
    "without gradients": torch.no_grad()(lambda x: x.add_(1)),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_to_what_is_expanded_are_pytorchs_error(name: str) -> None:
    def written(x: torch.Tensor) -> torch.Tensor:
        WRITES[name](x)
        return x * 2

    fast = hybridize(written)
    for x in (torch.zeros(4), torch.zeros(1).expand(4), torch.zeros(4), torch.zeros(1).expand(4), torch.zeros(6)):
        if x.stride() == (0,) and name != "whole numbers":
            with pytest.raises(RuntimeError) as wanted:
                written(x)
            with pytest.raises(RuntimeError) as found:
                fast(x)
            assert str(wanted.value) == str(found.value).partition("\n")[0]
            assert not x.any()
        else:
            mine = x.clone() if x.stride() == (1,) else x
            torch.testing.assert_close(fast(mine), written(x))
            torch.testing.assert_close(mine, x)


def test_functions_of_lists_of_tensors() -> None:
    def lists(x: torch.Tensor) -> Any:
        one, other = [x.clone(), x * 2], [x + 1, x + 2]
        same = torch._foreach_add_(one, other, alpha=2)
        torch._foreach_mul_(one, [2.0, 3.0])
        torch._foreach_lerp_(one, other, 0.3)
        torch._foreach_addcdiv_(one, other, other, 0.5)
        torch._foreach_copy_(other, one)
        norms, roots = torch._foreach_norm(one), torch._foreach_sqrt(torch._foreach_abs(one))
        return same[0] is one[0], one, other, norms, roots, torch._foreach_sub(one, 1.0)

    x = torch.randn(3, 4)
    torch.testing.assert_close(hybridize(lists)(x), lists(x))
    fast = hybridize(lambda x: torch._foreach_add([x, x], [x]))
    with pytest.raises(RuntimeError, match="must have the same number of tensors, got 2 and 1"):
        fast(x)


THEMSELVES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "+x": lambda x: +x,
    "positive": torch.positive,
    "contiguous": lambda x: x.contiguous(),
    "float": lambda x: x.float(),
    "to": lambda x: x.to("cpu", torch.float32),
    "type_as": lambda x: x.type_as(x),
    "flatten of one axis": lambda x: x.flatten(0, 0),
    "dropout in evaluation": lambda x: F.dropout(x, 0.5, training=False),
    "real": lambda x: x.real,
    "conj": lambda x: x.conj(),
    "resolve_conj": lambda x: x.resolve_conj(),
    "atleast_2d": torch.atleast_2d,
    "cpu": lambda x: x.cpu(),
    "as_tensor": torch.as_tensor,
    "reshape": lambda x: x.reshape(3, 2),
    "Identity": torch.nn.Identity(),
}


@pytest.mark.parametrize("name", THEMSELVES)
def test_a_write_to_what_gives_the_tensor_itself_is_a_write_to_it(name: str) -> None:
    def written(x: torch.Tensor) -> torch.Tensor:
        y = THEMSELVES[name](x)
        y.mul_(2)
        return y

    results = []
    for call in (written, hybridize(written)):
        x = torch.arange(6.0).reshape(3, 2)
        results.append((call(x), x))
    torch.testing.assert_close(results[0], results[1])
    assert torch.equal(results[0][1], torch.arange(6.0).reshape(3, 2) * 2)


WRITTEN_OVER: dict[str, Callable[[torch.Tensor, torch.Tensor], Any]] = {
    "[:] = number": lambda y, v: y.__setitem__(slice(None), 3),
    "[...] = number": lambda y, v: y.__setitem__(..., 3),
    "[0:3] = number": lambda y, v: y.__setitem__(slice(0, 3), 3),
    "[:] = tensor": lambda y, v: y.__setitem__(slice(None), v),
    "[:] = detached": lambda y, v: y.__setitem__(slice(None), v.detach()),
    "[list] = number": lambda y, v: y.__setitem__([0, 1, 2], 3),
    "[mask] = number": lambda y, v: y.__setitem__(y > -9, 3),
    "a view's [:]": lambda y, v: y.view(1, 3).__setitem__(slice(None), 3),
    "copy_": lambda y, v: y.copy_(v),
    "copy_ of what is detached": lambda y, v: y.copy_(v.detach()),
    "copy_ of one": lambda y, v: y.copy_(v.detach()[:1]),
    "fill_": lambda y, v: y.fill_(3),
    "fill_ with a tensor": lambda y, v: y.fill_(v[0]),
    "zero_": lambda y, v: y.zero_(),
    "under no_grad": lambda y, v: torch.no_grad()(y.copy_)(v),
}


@pytest.mark.parametrize("name", WRITTEN_OVER)
def test_what_is_written_over_keeps_its_history_whose_gradient_is_0(name: str) -> None:
    def over(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        y = x * 2
        WRITTEN_OVER[name](y, v)
        return y

    results = []
    for call in (over, hybridize(over)):
        x, v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([5.0, 6.0, 7.0], requires_grad=True)
        y = call(x, v)
        y.sum().backward()
        results.append([y, x.grad, v.grad])
    for found, wanted in zip(*results, strict=True):
        assert (found is None) == (wanted is None)
        assert found is None or torch.equal(found, wanted)


def test_names_of_dtypes_are_classes_of_tensors() -> None:
    def asked(x: torch.Tensor) -> tuple[bool, ...]:
        names = ("Float", "Double", "Half", "Long", "Int", "Short", "Char", "Byte", "Bool", "BFloat16")
        kinds = [getattr(torch, f"{name}Tensor") for name in names]
        return (*(isinstance(x, kind) for kind in kinds), isinstance(x, (int, *kinds)), isinstance(x, torch.Tensor))

    compiled = hybridize(asked)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.int64, torch.int8, torch.bool):
        assert compiled(torch.ones(2, dtype=dtype)) == asked(torch.ones(2, dtype=dtype))


@pytest.mark.parametrize("call", [
    lambda x: 3.0 in x, lambda x: 9 not in x, lambda x: x[0] in x, lambda x: x[None][0] in x[None],
    lambda x: torch.tensor(2) in x, lambda x: float(x.sum()) in x, lambda x: x * 2 if 3.0 in x else x,
    lambda x: None in x, lambda x: "a" in x,
])  # fmt: skip
def test_what_is_in_a_tensor_is_decided_at_each_call(call: Callable[[torch.Tensor], Any]) -> None:
    def outcome(function: Callable[[torch.Tensor], Any], x: torch.Tensor) -> str:
        try:
            return str(function(x))
        except RuntimeError as error:
            return str(error).partition("\n")[0]

    compiled = hybridize(call)
    for x in (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0, 5.0]), torch.tensor([9.0])):
        assert outcome(compiled, x) == outcome(call, x)


DTYPES_OF: dict[str, Callable[[torch.Tensor], Any]] = {
    "result_type with an int": lambda x: torch.result_type(x, 1),
    "result_type with a float": lambda x: torch.result_type(1.5, x),
    "result_type with a tensor": lambda x: torch.result_type(x, x.int()),
    "result_type with one element": lambda x: torch.result_type(x.int(), x.sum()),
    "result_type with a number of data": lambda x: torch.result_type(x, float(x.sum())),
    "result_type by name": lambda x: torch.result_type(tensor=x, other=True),
    "result_type of others": lambda x: torch.result_type(torch.ones(2), torch.ones(2).double()),
    "promote_types": lambda x: torch.promote_types(x.dtype, torch.int64),
    "can_cast": lambda x: torch.can_cast(x.dtype, torch.int32),
    "full of a tensor": lambda x: torch.full((2,), x[0]).dtype,
    "full of a condition": lambda x: torch.full((2,), x[0] > 0).dtype,
    "full of an integer": lambda x: torch.full((2,), x.int().sum()).dtype,
    "full of an item": lambda x: torch.full((2,), x[0].item()).dtype,
    "full_like": lambda x: torch.full_like(x, x[0]).dtype,
    "new_full": lambda x: x.new_full((2,), x[0]).dtype,
    "tensor of elements": lambda x: torch.tensor([x[0], 1]).dtype,
    "type": lambda x: (x.type(), x.is_floating_point(), x.element_size(), x.is_signed()),
}


@pytest.mark.parametrize("name", DTYPES_OF)
def test_what_is_said_of_dtypes_is_what_pytorch_says(name: str) -> None:
    compiled = hybridize(DTYPES_OF[name])
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool):
        x = torch.tensor([1, 0, 1]).to(dtype)
        assert compiled(x) == DTYPES_OF[name](x)
