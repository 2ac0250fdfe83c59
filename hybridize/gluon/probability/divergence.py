# SPDX-License-Identifier: Apache-2.0
"""The Kullback-Leibler divergence of two distributions, by a table of formulas or by samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hybridize.array import np, npx
from hybridize.base.errors import ArgumentError
from hybridize.gluon.probability.counts import Bernoulli, Binomial, Geometric, Poisson
from hybridize.gluon.probability.distribution import Distribution
from hybridize.gluon.probability.events import Categorical, OneHotCategorical
from hybridize.gluon.probability.located import EULER_GAMMA, Cauchy, Gumbel, HalfNormal, Laplace, Normal, Uniform
from hybridize.gluon.probability.multivariate_normal import MultivariateNormal
from hybridize.gluon.probability.numerics import Lacking
from hybridize.gluon.probability.positive import Beta, Dirichlet, Exponential, Gamma, Pareto

_Formula = Callable[[Any, Any], Any]
_formulas: dict[tuple[type, type], _Formula] = {}


def empirical_kl(p: Distribution, q: Distribution, n_samples: int = 1) -> Any:
    """Estimate the divergence of q from p: the mean of log p(x) - log q(x) over `n_samples` samples of p.

    >>> from hybridize.gluon import probability
    >>> p = probability.Normal(0.0, 1.0)
    >>> probability.empirical_kl(p, p, n_samples=10)
    array(0.)
    """
    samples = p.sample_n(n_samples)
    return np.mean(p.log_prob(samples) - q.log_prob(samples), 0)


def register_kl(typeP: type, typeQ: type) -> Callable[[_Formula], _Formula]:
    """Register a function of p and q as the formula for two classes of distributions. Use it as a decorator.

    Raises:
        ArgumentError E310: there is one.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> class Fixed(probability.Normal): ...
    >>> @probability.register_kl(Fixed, Fixed)
    ... def divergence(p, q):
    ...     return np.zeros(())
    >>> probability.kl_divergence(Fixed(), Fixed())
    array(0.)
    """

    def enter(formula: _Formula) -> _Formula:
        if (typeP, typeQ) in _formulas:
            what = f"there is a divergence of {typeQ.__name__} from {typeP.__name__} already"
            raise ArgumentError("E310", what, help="register it for your own class")
        _formulas[typeP, typeQ] = formula
        return formula

    return enter


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """Return the divergence of q from p, in nats.

    Raises:
        StateError E508: there is no formula for these classes.

    >>> from hybridize.gluon import probability
    >>> probability.kl_divergence(probability.Normal(1.0, 1.0), probability.Normal(0.0, 1.0))
    array(0.5)
    """
    for of_p in type(p).__mro__:
        for of_q in type(q).__mro__:
            formula = _formulas.get((of_p, of_q))
            if formula is not None:
                return formula(p, q)
    raise Lacking(
        "E508", f"there is no formula for the divergence of {type(q).__name__} from {type(p).__name__}",
        help="empirical_kl(p, q, n_samples) estimates it, register_kl enters one",
    )  # fmt: skip


@register_kl(Normal, Normal)
def _normals(p: Normal, q: Normal) -> Any:
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - np.log(ratio))


@register_kl(HalfNormal, HalfNormal)
def _half_normals(p: HalfNormal, q: HalfNormal) -> Any:
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio - 1 - np.log(ratio))


@register_kl(MultivariateNormal, MultivariateNormal)
def _vectors(p: MultivariateNormal, q: MultivariateNormal) -> Any:
    apart = q.loc - p.loc
    along = np.squeeze(np.matmul(q.precision, np.expand_dims(apart, -1)), -1)
    trace = np.trace(np.matmul(q.precision, p.cov), axis1=-2, axis2=-1)
    wide = 2 * (q.half_log_det() - p.half_log_det())
    return 0.5 * (wide + trace + np.sum(apart * along, -1) - p.loc.shape[-1])


@register_kl(Laplace, Laplace)
def _laplaces(p: Laplace, q: Laplace) -> Any:
    ratio, apart = p.scale / q.scale, np.abs(p.loc - q.loc)
    return apart / q.scale + ratio * np.exp(-apart / p.scale) - np.log(ratio) - 1


@register_kl(Cauchy, Cauchy)
def _cauchys(p: Cauchy, q: Cauchy) -> Any:
    return np.log((p.scale + q.scale) ** 2 + (p.loc - q.loc) ** 2) - np.log(4 * p.scale * q.scale)


@register_kl(Gumbel, Gumbel)
def _gumbels(p: Gumbel, q: Gumbel) -> Any:
    ratio, apart = p.scale / q.scale, (p.loc - q.loc) / q.scale
    tail = np.exp(npx.gammaln(1 + ratio) - apart)
    return apart - np.log(ratio) + EULER_GAMMA * (ratio - 1) + tail - 1


@register_kl(Uniform, Uniform)
def _uniforms(p: Uniform, q: Uniform) -> Any:
    outside = np.logical_or(np.less(p.low, q.low), np.greater(p.high, q.high))
    return np.where(outside, math.inf, np.log((q.high - q.low) / (p.high - p.low)))


@register_kl(Uniform, Normal)
def _uniform_normal(p: Uniform, q: Normal) -> Any:
    width = p.high - p.low
    apart = (width**2 / 12 + ((p.high + p.low) / 2 - q.loc) ** 2) / q.scale**2
    return np.log(math.sqrt(2 * math.pi) * q.scale / width) + 0.5 * apart


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Uniform, q: Gumbel) -> Any:
    share = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return np.log(share) + 0.5 * (high + low) + share * (np.exp(-low) - np.exp(-high))


@register_kl(Exponential, Exponential)
def _exponentials(p: Exponential, q: Exponential) -> Any:
    ratio = p.scale / q.scale
    return ratio - 1 - np.log(ratio)


@register_kl(Exponential, Normal)
def _exponential_normal(p: Exponential, q: Normal) -> Any:
    apart = (p.scale**2 - q.loc * p.scale + q.loc**2 / 2) / q.scale**2
    return 0.5 * np.log(2 * math.pi * q.scale**2 / p.scale**2) - 1 + apart


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Exponential, q: Gumbel) -> Any:
    ratio, place = q.scale / p.scale, q.loc / q.scale
    return np.log(ratio) - 1 + 1 / ratio - place + np.exp(place) * ratio / (ratio + 1)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Any:
    ratio = p.scale / q.scale
    return npx.gammaln(q.shape) - q.shape * np.log(ratio) + ratio + (q.shape - 1) * EULER_GAMMA - 1


@register_kl(Pareto, Pareto)
def _paretos(p: Pareto, q: Pareto) -> Any:
    ratio = q.alpha / p.alpha
    divergence = q.alpha * np.log(p.scale / q.scale) - np.log(ratio) + ratio - 1
    return np.where(np.less(p.scale, q.scale), math.inf, divergence)


@register_kl(Gamma, Gamma)
def _gammas(p: Gamma, q: Gamma) -> Any:
    shapes = npx.gammaln(q.shape) - npx.gammaln(p.shape) + (p.shape - q.shape) * npx.digamma(p.shape)
    return q.shape * np.log(q.scale / p.scale) + shapes + p.shape * (p.scale / q.scale - 1)


@register_kl(Beta, Beta)
def _betas(p: Beta, q: Beta) -> Any:
    of_p, of_q = p.alpha + p.beta, q.alpha + q.beta
    slopes = (p.alpha - q.alpha) * npx.digamma(p.alpha) + (p.beta - q.beta) * npx.digamma(p.beta)
    return q._log_beta() - p._log_beta() + slopes + (of_q - of_p) * npx.digamma(of_p)


@register_kl(Dirichlet, Dirichlet)
def _dirichlets(p: Dirichlet, q: Dirichlet) -> Any:
    total = npx.digamma(np.sum(p.alpha, -1, keepdims=True))
    return q._log_beta() - p._log_beta() + np.sum((p.alpha - q.alpha) * (npx.digamma(p.alpha) - total), -1)


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p: Bernoulli, q: Bernoulli) -> Any:
    return -p.entropy() - p.prob * q.logit - np.log1p(-q.prob)


@register_kl(Binomial, Binomial)
def _binomials(p: Binomial, q: Binomial) -> Any:
    if p.n < q.n:
        raise Lacking(
            "E508", f"there is no formula for the divergence of binomials of n {q.n} from {p.n}",
            help="empirical_kl(p, q, n_samples) estimates it",
        )  # fmt: skip
    divergence = p.n * (p.prob * (p.logit - q.logit) + np.log1p(-p.prob) - np.log1p(-q.prob))
    return divergence if p.n == q.n else np.full_like(divergence, math.inf)


@register_kl(Geometric, Geometric)
def _geometrics(p: Geometric, q: Geometric) -> Any:
    return -p.entropy() - np.log1p(-q.prob) * (1 / p.prob - 1) - np.log(q.prob)


@register_kl(Poisson, Poisson)
def _poissons(p: Poisson, q: Poisson) -> Any:
    return p.rate * (np.log(p.rate) - np.log(q.rate)) - (p.rate - q.rate)


@register_kl(Categorical, Categorical)
@register_kl(OneHotCategorical, OneHotCategorical)
def _events(p: Any, q: Any) -> Any:
    return np.sum(npx.softmax(p.logit, -1) * (p._log_probs() - q._log_probs()), -1)
