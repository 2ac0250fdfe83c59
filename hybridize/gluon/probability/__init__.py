# SPDX-License-Identifier: Apache-2.0
"""Distributions under MXNet 2.0's names: densities, samples with gradients, divergences; and blocks with losses.

In: parameters and values as arrays or numbers. Out: arrays. All is composed of public functions of arrays, so it runs
imperatively, is differentiated, and compiles in blocks. It must not know graphs or programs.
"""

from hybridize.base.names import late, places
from hybridize.gluon.probability.domain_map import domain_map as domain_map

PLACES = places(
    "hybridize.gluon.probability",
    {
        "composed": "Independent TransformedDistribution",
        "counts": "Bernoulli Binomial Geometric NegativeBinomial Poisson",
        "distribution": "Distribution ExponentialFamily",
        "divergence": "empirical_kl kl_divergence register_kl",
        "domain_map": "biject_to transform_to",
        "events": "Categorical Multinomial OneHotCategorical",
        "located": "Cauchy Gumbel HalfCauchy HalfNormal Laplace Normal StudentT Uniform",
        "multivariate_normal": "MultivariateNormal",
        "numerics": "cached_property logit2prob prob2logit",
        "positive": "Beta Chi2 Dirichlet Exponential FisherSnedecor Gamma Pareto Weibull",
        "relaxed": "RelaxedBernoulli RelaxedOneHotCategorical",
        "stochastic": "StochasticBlock StochasticSequential",
        "transformation": (
            "AbsTransform AffineTransform ComposeTransform ExpTransform PowerTransform SigmoidTransform "
            "SoftmaxTransform TransformBlock Transformation"
        ),
    },
) | {"constraint": "hybridize.gluon.probability.constraint"}
"""Places of the distributions, and of what is about them."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
