# SPDX-License-Identifier: Apache-2.0
"""Random numbers of torch: the distributions are torch's, the numbers of keys that calls draw from its generator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from hybridize import ops
from hybridize.base.dtypes import bool_, float32, float64, int64, is_float
from hybridize.base.types import TensorType
from hybridize.ops import Operand, type_of
from hybridize.torch import draws
from hybridize.torch.functions.creation import checked, of_sizes, overloaded
from hybridize.torch.functions.operands import between, operand, required, underived
from hybridize.torch.functions.rules import expect, is_tensor, kind, shape_of, sizes_in, torch_dtype
from hybridize.torch.functions.table import computes
from hybridize.torch.memory import dtype_of

of_sizes("rand", lambda shape, dtype: draws.uniform(shape, dtype_of(dtype)))
of_sizes("randn", lambda shape, dtype: draws.normal(shape, dtype_of(dtype)))


def _between(low: Any, high: Any, of: Any) -> Operand:
    expect(not isinstance(low, int) or not isinstance(high, int) or low < high)
    wide, whole = float64, kind(torch.int64, of.shape)
    first, end = operand(low, wide, of.shape), operand(high, wide, of.shape)
    number = ops.floor(ops.mul(draws.uniform(of.shape, wide), ops.sub(end, first)))
    return ops.cast(ops.add(ops.cast(number, whole.dtype), operand(low, whole.dtype, of.shape)), of.dtype)


@computes("randint")
def _randint(*args: Any, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    """In torch's forms: (high, size) and (low, high, size)."""
    low, high, size = overloaded(args, options, low=0, high=None, size=None)
    return _between(low, high, kind(checked(dtype or torch.int64, **options), sizes_in((size,))))


@computes("randint_like")
def _randint_like(input: Operand, *args: Any, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    low, high = overloaded(args, options, low=0, high=None)
    of = type_of(input)
    return _between(low, high, kind(checked(dtype or torch_dtype(of.dtype), **options), of.shape))


@computes("randperm")
def _randperm(n: Any, *, dtype: torch.dtype | None = None, **options: Any) -> Operand:
    order = ops.arg_sort(draws.uniform((n,), float64), 0)
    return ops.cast(order, dtype_of(checked(dtype or torch.int64, **options)))


@computes("torch.normal")
def _normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    dtype: torch.dtype | None = None,
    **options: Any,
) -> Operand:
    _expect(std, lambda x: x >= 0)
    if size is not None:
        of = kind(checked(dtype, **options), sizes_in((size,)))
    else:
        checked(torch.float32, **options)
        first = mean if is_tensor(mean) else std
        of = kind(torch_dtype(type_of(first).dtype), shape_of(mean, std))
    if is_tensor(std):
        required(ops.ge(std, ops.like(0, std)), "normal expects all elements of std >= 0.0")
    still = [ops.stop_gradient(x) if is_tensor(x) and is_float(type_of(x).dtype) else x for x in (mean, std)]
    numbers = _normals(of, *still)
    for x in (mean, std):
        numbers = _instead(operand(x, of.dtype, of.shape), numbers) if is_tensor(x) else numbers
    return numbers


def _normals(of: Any, mean: Any, std: Any) -> Operand:
    spread = ops.mul(draws.normal(of.shape, of.dtype), operand(std, of.dtype, of.shape))
    return ops.add(spread, operand(mean, of.dtype, of.shape))


@computes("bernoulli")
def _bernoulli(input: Operand, p: Any = None, *, generator: Any = None) -> Operand:
    checked(torch.float32, generator=generator)
    numbers = _instead(input, _bernoulli_numbers(type_of(input), input if p is None else p))
    return numbers if p is None else underived(numbers, "derivative for aten::bernoulli is not implemented", input)


@computes("multinomial", kinds="f")
def _multinomial(input: Operand, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Operand:
    """By the inverse of the sums: how many of them a uniform number has behind it.

    Without replacement by a race: whose exponential number is the smallest for its weight comes first.
    """
    checked(torch.float32, generator=generator)
    shape = type_of(input).shape
    expect(len(shape) in (1, 2) and num_samples > 0)
    expect(replacement or num_samples <= shape[-1])
    drawn = (*shape[:-1], num_samples)
    fine = ops.bit_and(ops.ge(input, ops.like(0, input)), ops.lt(input, ops.like(math.inf, input)))
    required(fine, "probability tensor contains either `inf`, `nan` or element < 0")
    some = ops.gt(ops.sum(input, (len(shape) - 1,)), ops.full(0, type_of(input).with_shape(shape[:-1])))
    required(some, "invalid multinomial distribution (sum of probabilities <= 0)")
    if num_samples != 1 and not replacement:
        real = float64 if type_of(input).dtype == float64 else float32
        chances = ops.cast(ops.stop_gradient(input), real)
        times = ops.neg(ops.log(draws.open_uniform(shape, real)))
        order = ops.arg_sort(ops.div(chances, times), len(shape) - 1, True)
        return ops.part(order, len(shape) - 1, 0, num_samples)
    sums = ops.cum_sum(ops.stop_gradient(input), len(shape) - 1)
    last = ops.part(sums, len(shape) - 1, shape[-1] - 1, shape[-1])
    at = ops.mul(draws.uniform(drawn, type_of(input).dtype), ops.broadcast(last, drawn))
    wide = (*drawn, shape[-1])
    behind = ops.ge(
        ops.broadcast(ops.reshape(at, (*drawn, 1)), wide),
        ops.broadcast(ops.reshape(sums, (*shape[:-1], 1, shape[-1])), wide),
    )
    number = ops.sum(ops.cast(behind, int64), (len(wide) - 1,))
    return ops.min(number, operand(shape[-1] - 1, int64, drawn))  # where a product was rounded up


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float))


def _expect(x: Any, fits: Callable[[Any], bool]) -> None:
    """Check a number; what only a call knows is not looked at."""
    expect(not _is_number(x) or fits(x))


# What is written.


def _instead(input: Operand, value: Operand) -> Operand:
    """Return what is written over a tensor: a gradient goes through, and is 0."""
    return ops.where(operand(False, bool_, type_of(input).shape), input, value)


def _written(name: str, *parameters: str) -> Callable[[Callable[..., Operand]], None]:
    """Register what a method writes: of the type that is written, and of the parameters by these names."""

    def register(function: Callable[..., Operand]) -> None:
        @computes(name)
        def entry(input: Operand, *args: Any, generator: Any = None, **kwargs: Any) -> Operand:
            checked(torch.float32, generator=generator)
            arguments = dict(zip(parameters, args, strict=False)) | kwargs
            values = [arguments[parameter] for parameter in parameters if parameter in arguments]
            return _instead(input, function(type_of(input), *values))

    return register


@_written("uniform_", "from", "to")
def _uniform(of: Any, low: Any = 0.0, high: Any = 1.0) -> Operand:
    expect(not _is_number(low) or not _is_number(high) or low <= high)
    spread = ops.sub(operand(high, of.dtype, of.shape), operand(low, of.dtype, of.shape))
    return ops.add(ops.mul(draws.uniform(of.shape, of.dtype), spread), operand(low, of.dtype, of.shape))


@_written("normal_", "mean", "std")
def _of_normals(of: Any, mean: Any = 0.0, std: Any = 1.0) -> Operand:
    _expect(std, lambda x: x >= 0)
    return _normals(of, mean, std)


@_written("log_normal_", "mean", "std")
def _log_normal(of: Any, mean: Any = 1.0, std: Any = 2.0) -> Operand:
    _expect(std, lambda x: x > 0)
    return ops.exp(_normals(of, mean, std))


@_written("exponential_", "lambd")
def _exponential(of: Any, rate: Any = 1.0) -> Operand:
    _expect(rate, lambda x: x > 0)
    drawn = ops.neg(ops.log(draws.open_uniform(of.shape, of.dtype)))
    return ops.div(drawn, operand(rate, of.dtype, of.shape))


@_written("cauchy_", "median", "sigma")
def _cauchy(of: Any, median: Any = 0.0, sigma: Any = 1.0) -> Operand:
    _expect(sigma, lambda x: x > 0)
    angle = ops.mul(ops.sub(draws.open_uniform(of.shape, of.dtype), _all(0.5, of)), _all(math.pi, of))
    return ops.add(ops.mul(ops.tan(angle), _all(sigma, of)), _all(median, of))


@_written("geometric_", "p")
def _geometric(of: Any, p: Any) -> Operand:
    _expect(p, lambda x: 0 < x < 1)
    wide = of.with_dtype(of.dtype if is_float(of.dtype) else float32)
    drawn = ops.log(draws.open_uniform(of.shape, wide.dtype))
    return ops.cast(ops.ceil(ops.div(drawn, ops.log1p(ops.neg(_all(p, wide))))), of.dtype)


@_written("bernoulli_", "p")
def _chances(of: Any, p: Any = 0.5) -> Operand:
    _expect(p, lambda x: 0 <= x <= 1)
    return _bernoulli_numbers(of, p)


def _bernoulli_numbers(of: TensorType, p: Any) -> Operand:
    """Return 1 with a chance, which the program asserts to be one where it is a tensor's."""
    wide = of.dtype if is_float(of.dtype) else float32
    chance = operand(p, wide, of.shape)
    if is_tensor(p):
        between(chance, "bernoulli expects all probabilities to be between 0 and 1")
    return ops.cast(ops.lt(draws.uniform(of.shape, wide), ops.stop_gradient(chance)), of.dtype)


@_written("random_", "from", "to")
def _random(of: Any, low: Any = None, high: Any = None) -> Operand:
    """In torch's forms: (), (to), (from, to)."""
    if high is None:
        low, high = 0, low
    if high is None:
        dtype = torch_dtype(of.dtype)
        digits = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8, torch.bool: 1}
        high = 2 ** digits[dtype] if dtype in digits else torch.iinfo(dtype).max
    return _between(low, high, of)


def _all(x: Any, of: Any) -> Operand:
    return operand(x, of.dtype, of.shape)
