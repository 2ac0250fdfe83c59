# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's `random_pdf_*`: densities of samples, and shares of counts, for each set of parameters.

The shape of the parameters is that of the first axes of `sample`. All of them have gradients, by the sample, too, where
that is of floats. With `is_log` they are logarithms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.array import np, npx
from hybridize.array.legacy_rules import by_position, named_as
from hybridize.array.operands import array
from hybridize.base.errors import ShapeError

_Function = Callable[..., Any]


def _density(function: _Function) -> _Function:
    """Make a logarithm of a density of a sample and parameters, which broadcast, the density itself."""
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]

    @named_as(function, *by_position("sample", *names, is_log=False))
    def call(sample: Any, *arguments: Any, is_log: bool = False, **named: Any) -> Any:
        if len(arguments) > len(names):
            *arguments, is_log = arguments  # type: ignore[assignment]
        x = array(sample)
        parameters = dict(zip(names, arguments, strict=False)) | named
        spread = {name: _spread(array(one), x, name, function.__name__) for name, one in parameters.items()}
        logarithm = function(x, **spread)
        return logarithm if is_log else np.exp(logarithm)

    return call


def _spread(parameter: Any, x: Any, name: str, of: str) -> Any:
    """A parameter with axes of one element behind, so that it broadcasts with the sample.

    Raises:
        ShapeError E118: its shape is not that of the first axes of the sample.
    """
    if parameter.shape != x.shape[: parameter.ndim]:
        what = f"random_pdf_{of}: {name} {parameter.type} is not of the first axes of the sample {x.type}"
        raise ShapeError("E118", what)
    return np.reshape(parameter, (*parameter.shape, *(1 for _ in range(x.ndim - parameter.ndim))))


@_density
def uniform(sample: Any, low: Any, high: Any) -> Any:
    """Return the density of numbers from [low, high); its logarithm with `is_log`.

    >>> nd.random_pdf_uniform(nd.array([[0.5]]), nd.array([0]), nd.array([2])).asnumpy().round(4)
    array([[0.5]], dtype=float32)
    """
    inside = np.logical_and(np.greater_equal(sample, low), np.less_equal(sample, high))
    return np.where(inside, -np.log(high - low) + sample * 0.0, -np.inf)


@_density
def normal(sample: Any, mu: Any, sigma: Any) -> Any:
    """Return the density of normal numbers with mean `mu` and standard deviation `sigma`; its logarithm with `is_log`.

    >>> nd.random_pdf_normal(nd.array([[0.0]]), nd.array([0]), nd.array([1])).asnumpy().round(4)
    array([[0.3989]], dtype=float32)
    """
    return -0.5 * np.square((sample - mu) / sigma) - np.log(sigma) - 0.9189385332046727


@_density
def gamma(sample: Any, alpha: Any, beta: Any) -> Any:
    """Return the density of gamma numbers of shape `alpha` and rate `beta`; its logarithm with `is_log`.

    >>> nd.random_pdf_gamma(nd.array([[1.0]]), nd.array([1]), nd.array([1])).asnumpy().round(4)
    array([[0.3679]], dtype=float32)
    """
    return alpha * np.log(beta) + (alpha - 1.0) * np.log(sample) - beta * sample - npx.gammaln(alpha)


@_density
def exponential(sample: Any, lam: Any) -> Any:
    """Return the density of exponential numbers of rate `lam`; its logarithm with `is_log`.

    >>> nd.random_pdf_exponential(nd.array([[0.0]]), nd.array([2])).asnumpy().round(4)
    array([[2.]], dtype=float32)
    """
    return np.log(lam) - lam * sample


@_density
def poisson(sample: Any, lam: Any) -> Any:
    """Return the probability of counts with mean `lam`; its logarithm with `is_log`.

    >>> nd.random_pdf_poisson(nd.array([[0]]), nd.array([1])).asnumpy().round(4)
    array([[0.3679]], dtype=float32)
    """
    return sample * np.log(lam) - lam - npx.gammaln(sample + 1.0)


@_density
def negative_binomial(sample: Any, k: Any, p: Any) -> Any:
    """Return the probability of counts of failures before the `k`-th success of probability `p`; its logarithm with
    `is_log`.

    >>> nd.random_pdf_negative_binomial(nd.array([[0]]), nd.array([1]), nd.array([0.5])).asnumpy().round(4)
    array([[0.5]], dtype=float32)
    """
    return _failures(sample, k, np.log(p), np.log1p(-p))


def _failures(sample: Any, k: Any, success: Any, failure: Any) -> Any:
    ways = npx.gammaln(sample + k) - npx.gammaln(k) - npx.gammaln(sample + 1.0)
    return ways + k * success + sample * failure


@_density
def generalized_negative_binomial(sample: Any, mu: Any, alpha: Any) -> Any:
    """Return the probability of counts with mean `mu` and variance mu + alpha mu**2; its logarithm with `is_log`.

    >>> nd.random_pdf_generalized_negative_binomial(nd.array([[0]]), nd.array([1]), nd.array([1])).asnumpy().round(4)
    array([[0.5]], dtype=float32)
    """
    whole = np.log1p(mu * alpha)
    return _failures(sample, 1.0 / alpha, -whole, np.log(mu * alpha) - whole)


def dirichlet(sample: Any, alpha: Any, is_log: bool = False) -> Any:
    """Return the density of shares [..., n] that sum to 1, for the concentrations `alpha` [..., n].

    Args:
        sample: the shares.
        alpha: the concentrations.
        is_log: return the logarithm of the density.

    Raises:
        ShapeError E118: the first axes of both, or their last ones, have other sizes.

    >>> nd.random_pdf_dirichlet(nd.array([[0.5, 0.5]]), nd.array([[1, 1]])).asnumpy().round(4)
    array([1.], dtype=float32)
    """
    x, a = array(sample), array(alpha)
    if not a.ndim or a.ndim > x.ndim or a.shape[-1] != x.shape[-1] or a.shape[:-1] != x.shape[: a.ndim - 1]:
        what = f"random_pdf_dirichlet: alpha {a.type} is not of the first and the last axes of the sample {x.type}"
        raise ShapeError("E118", what)
    a = np.reshape(a, (*a.shape[:-1], *(1 for _ in range(x.ndim - a.ndim)), a.shape[-1]))
    terms = np.sum((a - 1.0) * np.log(x), -1)
    logarithm = terms + npx.gammaln(np.sum(a, -1)) - np.sum(npx.gammaln(a), -1)
    return logarithm if is_log else np.exp(logarithm)


FUNCTIONS: dict[str, _Function] = {
    f"random_pdf_{function.__name__}": function
    for function in (
        uniform, normal, gamma, exponential, poisson, negative_binomial, generalized_negative_binomial, dirichlet,
    )
}  # fmt: skip
"""By their names in `nd`."""
