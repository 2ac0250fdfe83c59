# SPDX-License-Identifier: Apache-2.0
"""Distributions under MXNet 2.0's names: densities, samples with gradients, divergences; and blocks with losses.

In: parameters and values as arrays or numbers. Out: arrays. All is composed of public functions of arrays, so it runs
imperatively, is differentiated, and compiles in blocks. It must not know graphs or programs.
"""

from hybridize.gluon.probability import constraint as constraint
from hybridize.gluon.probability.composed import Independent, TransformedDistribution
from hybridize.gluon.probability.counts import Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson
from hybridize.gluon.probability.distribution import Distribution, ExponentialFamily
from hybridize.gluon.probability.divergence import empirical_kl, kl_divergence, register_kl
from hybridize.gluon.probability.domain_map import biject_to, domain_map, transform_to
from hybridize.gluon.probability.events import Categorical, Multinomial, OneHotCategorical
from hybridize.gluon.probability.located import (
    Cauchy,
    Gumbel,
    HalfCauchy,
    HalfNormal,
    Laplace,
    Normal,
    StudentT,
    Uniform,
)
from hybridize.gluon.probability.multivariate_normal import MultivariateNormal
from hybridize.gluon.probability.numerics import cached_property, logit2prob, prob2logit
from hybridize.gluon.probability.positive import (
    Beta,
    Chi2,
    Dirichlet,
    Exponential,
    FisherSnedecor,
    Gamma,
    Pareto,
    Weibull,
)
from hybridize.gluon.probability.relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from hybridize.gluon.probability.stochastic import StochasticBlock, StochasticSequential
from hybridize.gluon.probability.transformation import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftmaxTransform,
    Transformation,
    TransformBlock,
)

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2",
    "ComposeTransform", "Dirichlet", "Distribution", "ExpTransform", "Exponential", "ExponentialFamily",
    "FisherSnedecor", "Gamma", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "Laplace",
    "Multinomial", "MultivariateNormal", "NegativeBinomial", "Normal", "OneHotCategorical", "Pareto", "Poisson",
    "PowerTransform", "RelaxedBernoulli", "RelaxedOneHotCategorical", "SigmoidTransform", "SoftmaxTransform",
    "StochasticBlock", "StochasticSequential", "StudentT", "TransformBlock", "Transformation",
    "TransformedDistribution", "Uniform", "Weibull", "biject_to", "cached_property", "constraint", "domain_map",
    "empirical_kl", "kl_divergence", "logit2prob", "prob2logit", "register_kl", "transform_to",
]  # fmt: skip
