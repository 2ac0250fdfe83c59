"""Calls of the PyTorch door's functions, for each dtype and kind of operand, with what eager PyTorch gives."""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import torch

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.uint8)
DTYPES = (*FLOATS, *INTEGERS, torch.bool)
TOLERANCES = {torch.float64: 1e-9, torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}

OF_ONE = (
    "abs acos acosh angle asin asinh atan atanh bitwise_not ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1"
    " floor frac isfinite isinf isnan isneginf isposinf isreal lgamma log log10 log1p log2 logical_not logit"
    " nan_to_num neg positive rad2deg reciprocal relu round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square"
    " tan tanh trunc special.entr special.ndtr special.ndtri special.expit F.relu6 F.hardtanh F.gelu F.silu F.mish"
    " F.hardswish F.hardsigmoid F.selu F.elu F.celu F.leaky_relu F.softplus F.softsign F.softshrink F.hardshrink"
    " F.logsigmoid F.tanhshrink F.rrelu clone"
).split()
OF_TWO = (
    "add sub mul div floor_divide remainder fmod pow float_power minimum maximum fmin fmax atan2 copysign hypot xlogy"
    " special.xlog1py bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift eq ne lt le gt ge"
    " logical_and logical_or logical_xor ldexp logaddexp logaddexp2 heaviside gcd lcm isclose rsub"
).split()
REDUCING = (
    "sum mean nansum nanmean prod count_nonzero any all amax amin aminmax max min argmax argmin var std var_mean"
    " std_mean median nanmedian logsumexp quantile nanquantile"
).split()
ALONG = "cumsum cumprod cummax cummin logcumsumexp softmax log_softmax sort argsort".split()


def function(name: str) -> Callable[..., Any]:
    """Return a function of torch by its name; `F.` is torch.nn.functional."""
    at: Any = torch.nn.functional if name.startswith("F.") else torch
    for part in name.removeprefix("F.").split("."):
        at = getattr(at, part)
    return at  # type: ignore[no-any-return]


def tensor(dtype: torch.dtype, number: int = 0, shape: tuple[int, ...] = (2, 3)) -> torch.Tensor:
    """Return small numbers of a dtype; no two calls of different numbers give the same, and none of the second is 0."""
    count = math.prod(shape)
    whole = [(3 * k + 5 * number + 1) % 7 + (number > 0) for k in range(count)]
    if dtype.is_floating_point:
        return (torch.tensor(whole, dtype=torch.float64) / 8 + 0.125).reshape(shape).to(dtype)
    return torch.tensor(whole).reshape(shape).to(dtype) if dtype != torch.bool else (torch.tensor(whole).reshape(shape) % 2 == 0)


def operands(dtype: torch.dtype, number: int) -> Iterator[tuple[str, Any]]:
    """Yield the kinds of operands of a dtype: tensors with and without axes, numbers of Python's and of NumPy's."""
    name = str(dtype)[6:]
    yield name, tensor(dtype, number)
    yield f"{name}[]", tensor(dtype, number, ()).clone()
    value = tensor(dtype, number, ()).item()
    if dtype in (torch.float32, torch.int64, torch.bool):
        yield f"Python {type(value).__name__}", value
    if dtype != torch.bfloat16:
        yield f"numpy {name}", getattr(numpy, name)(value)


class Case:
    """A call: a name, a function of tensors, and these."""

    def __init__(self, name: str, call: Callable[..., Any], *tensors: torch.Tensor) -> None:
        self.name, self.call, self.tensors = name, call, tensors


def of_one() -> Iterator[Case]:
    for name, dtype in itertools.product(OF_ONE, DTYPES):
        for shape in ((2, 3), ()):
            yield Case(f"{name}({str(dtype)[6:]}{list(shape) or '[]'})", function(name), tensor(dtype, 0, shape))


def of_two(names: Any = OF_TWO) -> Iterator[Case]:
    for name in names:
        called = function(name)
        for one, two in itertools.product(DTYPES, DTYPES):
            pairs = itertools.product(list(operands(one, 0))[:2], operands(two, 1))
            for (first, x), (second, y) in pairs:
                if isinstance(y, torch.Tensor):
                    yield Case(f"{name}({first}, {second})", called, x, y)
                else:
                    yield Case(f"{name}({first}, {second})", lambda x, y=y, called=called: called(x, y), x)
        for two in DTYPES:  # numbers first
            for (first, x), (second, y) in itertools.product(
                [pair for dtype in DTYPES for pair in list(operands(dtype, 0))[2:]], list(operands(two, 1))[:2]
            ):
                yield Case(f"{name}({first}, {second})", lambda y, x=x, called=called: called(x, y), y)


def reducing() -> Iterator[Case]:
    for name, dtype in itertools.product(REDUCING, DTYPES):
        called, x = function(name), tensor(dtype, 0)
        first = (0.3,) if "quantile" in name else ()
        ways = [{}, {"dim": 1}, {"dim": -2, "keepdim": True}, {"dim": (0, 1)}]
        if name in ("sum", "mean", "nansum", "nanmean", "prod"):
            ways += [{"dtype": other} for other in DTYPES] + [{"dim": 0, "dtype": other} for other in DTYPES]
        for way in ways:
            text = ", ".join(f"{key}={value}" for key, value in way.items())
            for shape in ((2, 3), ()):
                y = tensor(dtype, 0, shape)
                yield Case(
                    f"{name}({str(dtype)[6:]}{list(shape)}, {text})",
                    lambda x, called=called, way=way, first=first: called(x, *first, **way), y,
                )  # fmt: skip
        for shape in ((0, 3),):
            for way in ({}, {"dim": 0}, {"dim": 1}):
                yield Case(
                    f"{name}({str(dtype)[6:]}{list(shape)}, {way})",
                    lambda x, called=called, way=way, first=first: called(x, *first, **way), torch.zeros(shape, dtype=dtype),
                )  # fmt: skip


def along() -> Iterator[Case]:
    for name, dtype in itertools.product(ALONG, DTYPES):
        called = function(name)
        for shape in ((2, 3), (), (0, 3)):
            ways = [{"dim": 0}, {"dim": -1}]
            if name in ("cumsum", "cumprod", "softmax", "log_softmax"):
                ways += [{"dim": 0, "dtype": other} for other in DTYPES]
            for way in ways:
                yield Case(
                    f"{name}({str(dtype)[6:]}{list(shape)}, {way})",
                    lambda x, called=called, way=way: called(x, **way), tensor(dtype, 0, shape),
                )  # fmt: skip
