# Written by `docs/make.py` from the module's table of names.

from hybridize.gluon.probability.composed import Independent as Independent
from hybridize.gluon.probability.composed import TransformedDistribution as TransformedDistribution
from hybridize.gluon.probability import constraint as constraint
from hybridize.gluon.probability.counts import Bernoulli as Bernoulli
from hybridize.gluon.probability.counts import Binomial as Binomial
from hybridize.gluon.probability.counts import Geometric as Geometric
from hybridize.gluon.probability.counts import NegativeBinomial as NegativeBinomial
from hybridize.gluon.probability.counts import Poisson as Poisson
from hybridize.gluon.probability.distribution import Distribution as Distribution
from hybridize.gluon.probability.distribution import ExponentialFamily as ExponentialFamily
from hybridize.gluon.probability.divergence import empirical_kl as empirical_kl
from hybridize.gluon.probability.divergence import kl_divergence as kl_divergence
from hybridize.gluon.probability.divergence import register_kl as register_kl
from hybridize.gluon.probability.domain_map import biject_to as biject_to
from hybridize.gluon.probability.domain_map import transform_to as transform_to
from hybridize.gluon.probability.events import Categorical as Categorical
from hybridize.gluon.probability.events import Multinomial as Multinomial
from hybridize.gluon.probability.events import OneHotCategorical as OneHotCategorical
from hybridize.gluon.probability.located import Cauchy as Cauchy
from hybridize.gluon.probability.located import Gumbel as Gumbel
from hybridize.gluon.probability.located import HalfCauchy as HalfCauchy
from hybridize.gluon.probability.located import HalfNormal as HalfNormal
from hybridize.gluon.probability.located import Laplace as Laplace
from hybridize.gluon.probability.located import Normal as Normal
from hybridize.gluon.probability.located import StudentT as StudentT
from hybridize.gluon.probability.located import Uniform as Uniform
from hybridize.gluon.probability.multivariate_normal import MultivariateNormal as MultivariateNormal
from hybridize.gluon.probability.numerics import cached_property as cached_property
from hybridize.gluon.probability.numerics import logit2prob as logit2prob
from hybridize.gluon.probability.numerics import prob2logit as prob2logit
from hybridize.gluon.probability.positive import Beta as Beta
from hybridize.gluon.probability.positive import Chi2 as Chi2
from hybridize.gluon.probability.positive import Dirichlet as Dirichlet
from hybridize.gluon.probability.positive import Exponential as Exponential
from hybridize.gluon.probability.positive import FisherSnedecor as FisherSnedecor
from hybridize.gluon.probability.positive import Gamma as Gamma
from hybridize.gluon.probability.positive import Pareto as Pareto
from hybridize.gluon.probability.positive import Weibull as Weibull
from hybridize.gluon.probability.relaxed import RelaxedBernoulli as RelaxedBernoulli
from hybridize.gluon.probability.relaxed import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from hybridize.gluon.probability.stochastic import StochasticBlock as StochasticBlock
from hybridize.gluon.probability.stochastic import StochasticSequential as StochasticSequential
from hybridize.gluon.probability.transformation import AbsTransform as AbsTransform
from hybridize.gluon.probability.transformation import AffineTransform as AffineTransform
from hybridize.gluon.probability.transformation import ComposeTransform as ComposeTransform
from hybridize.gluon.probability.transformation import ExpTransform as ExpTransform
from hybridize.gluon.probability.transformation import PowerTransform as PowerTransform
from hybridize.gluon.probability.transformation import SigmoidTransform as SigmoidTransform
from hybridize.gluon.probability.transformation import SoftmaxTransform as SoftmaxTransform
from hybridize.gluon.probability.transformation import TransformBlock as TransformBlock
from hybridize.gluon.probability.transformation import Transformation as Transformation

PLACES: dict[str, str]
__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2",
    "ComposeTransform", "Dirichlet", "Distribution", "ExpTransform", "Exponential", "ExponentialFamily",
    "FisherSnedecor", "Gamma", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "Laplace",
    "Multinomial", "MultivariateNormal", "NegativeBinomial", "Normal", "OneHotCategorical", "Pareto", "Poisson",
    "PowerTransform", "RelaxedBernoulli", "RelaxedOneHotCategorical", "SigmoidTransform", "SoftmaxTransform",
    "StochasticBlock", "StochasticSequential", "StudentT", "TransformBlock", "Transformation",
    "TransformedDistribution", "Uniform", "Weibull", "biject_to", "cached_property", "constraint", "empirical_kl",
    "kl_divergence", "logit2prob", "prob2logit", "register_kl", "transform_to"
]
