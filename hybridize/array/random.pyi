# Written by `docs/make.py` from the module's table of names.

from typing import Any

from hybridize.array.ndarray import ndarray as ndarray
from hybridize.array.distributions import binomial as binomial
from hybridize.array.distributions import dirichlet as dirichlet
from hybridize.array.distributions import geometric as geometric
from hybridize.array.distributions import hypergeometric as hypergeometric
from hybridize.array.distributions import integers as integers
from hybridize.array.distributions import logseries as logseries
from hybridize.array.distributions import multivariate_hypergeometric as multivariate_hypergeometric
from hybridize.array.distributions import negative_binomial as negative_binomial
from hybridize.array.distributions import noncentral_chisquare as noncentral_chisquare
from hybridize.array.distributions import noncentral_f as noncentral_f
from hybridize.array.distributions import poisson as poisson
from hybridize.array.distributions import random_integers as random_integers
from hybridize.array.distributions import standard_exponential as standard_exponential
from hybridize.array.distributions import standard_gamma as standard_gamma
from hybridize.array.distributions import standard_t as standard_t
from hybridize.array.distributions import triangular as triangular
from hybridize.array.distributions import vonmises as vonmises
from hybridize.array.distributions import wald as wald
from hybridize.array.distributions import zipf as zipf
from hybridize.array.draws import bits as bits
from hybridize.array.draws import key as key
from hybridize.array.draws import seed as seed
from hybridize.array.draws import state as state
from hybridize.array.generators import Generator as Generator
from hybridize.array.generators import RandomState as RandomState
from hybridize.array.generators import bytes as bytes
from hybridize.array.generators import default_rng as default_rng
from hybridize.array.generators import get_state as get_state
from hybridize.array.generators import set_state as set_state
from hybridize.array.variates import categorical as categorical
from hybridize.array.variates import lognormal as lognormal
from hybridize.array.variates import multivariate_normal as multivariate_normal
from hybridize.array.variates import normal_like as normal_like
from hybridize.array.variates import permutation as permutation
from hybridize.array.variates import rand as rand
from hybridize.array.variates import randn as randn
from hybridize.array.variates import random as random
from hybridize.array.variates import random_sample as random_sample
from hybridize.array.variates import ranf as ranf
from hybridize.array.variates import sample as sample
from hybridize.array.variates import shuffle as shuffle
from hybridize.array.variates import standard_cauchy as standard_cauchy
from hybridize.array.variates import standard_normal as standard_normal
from hybridize.array.variates import uniform_like as uniform_like

PLACES: dict[str, str]
__all__ = [
    "Generator", "RandomState", "bernoulli", "beta", "binomial", "bits", "bytes", "categorical", "chisquare",
    "choice", "default_rng", "dirichlet", "exponential", "f", "gamma", "geometric", "get_state", "gumbel",
    "hypergeometric", "integers", "key", "laplace", "logistic", "lognormal", "logseries", "multinomial",
    "multivariate_hypergeometric", "multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f",
    "normal", "normal_like", "normal_n", "pareto", "permutation", "poisson", "power", "rand", "randint", "randn",
    "random", "random_integers", "random_sample", "ranf", "rayleigh", "sample", "seed", "set_state", "shuffle",
    "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "state",
    "triangular", "uniform", "uniform_like", "uniform_n", "vonmises", "wald", "weibull", "zipf"
]

def multinomial(n: int, pvals: Any, size: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Count the outcomes of `n` draws with the probabilities of a vector, as int64. NumPy draws; exports refuse
    it."""

def bernoulli(prob: Any = None, logit: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw 1 with probability `prob`, or sigmoid(`logit`), and 0 otherwise; float32 unless you pass a dtype."""

def beta(a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Draw numbers of the beta distribution with the parameters `a` and `b`."""

def chisquare(df: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Draw chi-square numbers with `df` degrees of freedom."""

def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw elements of a vector, or integers below a number, with one probability for all or with those of
    `p`."""

def exponential(scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw exponential numbers with mean `scale`."""

def f(dfnum: Any, dfden: Any, size: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Draw numbers of Fisher's F distribution with `dfnum` and `dfden` degrees of freedom."""

def gamma(shape: Any, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw gamma numbers with mean shape * scale; gradients go to both parameters."""

def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw Gumbel numbers: the argmax of logits plus such numbers is a draw from their softmax."""

def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw Laplace numbers with mean `loc` and scale `scale`."""

def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw logistic numbers with mean `loc` and scale `scale`."""

def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw normal numbers with mean `loc` and standard deviation `scale`; float32 unless you pass a dtype."""

def normal_n(loc: Any = 0.0, scale: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw normal numbers, `batch_shape` of them for each mean and standard deviation."""

def pareto(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw Pareto II numbers of shape `a`."""

def power(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw numbers from [0, 1) with the density a x**(a - 1)."""

def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw integers from [low, high), or from [0, low); int64 unless you pass a dtype."""

def rayleigh(scale: Any = 1.0, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw Rayleigh numbers with the scale `scale`."""

def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw uniform numbers from [low, high); float32 unless you pass a dtype."""

def uniform_n(low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw uniform numbers from [low, high), `batch_shape` of them for each pair of ends."""

def weibull(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw Weibull numbers of shape `a`."""
