# Written by `docs/make.py` from the module's table of names.

from typing import Any

from hybridize.array.ndarray import ndarray as ndarray
from hybridize.array.draws import key as key
from hybridize.array.draws import seed as seed
from hybridize.array.draws import state as state
from hybridize.array.generators import Generator as Generator
from hybridize.array.generators import RandomState as RandomState
from hybridize.array.generators import bytes as bytes
from hybridize.array.generators import default_rng as default_rng
from hybridize.array.generators import set_state as set_state
from hybridize.array.variates import permutation as permutation
from hybridize.array.variates import rand as rand
from hybridize.array.variates import randn as randn
from hybridize.array.variates import random as random
from hybridize.array.variates import random_sample as random_sample
from hybridize.array.variates import ranf as ranf
from hybridize.array.variates import sample as sample
from hybridize.array.variates import shuffle as shuffle
from hybridize.array.variates import standard_normal as standard_normal

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

def binomial(*args: Any, **kwargs: Any) -> ndarray:
    """Successes of `n` trials of probability `p`, int64; drawn by NumPy, which programs call."""

def dirichlet(alpha: Any, size: Any = None) -> ndarray:
    """Shares that sum to 1, [..., n], of concentrations [n]."""

def geometric(p: Any, size: Any = None) -> ndarray:
    """Numbers of trials of probability `p` until one succeeds, int64."""

def hypergeometric(*args: Any, **kwargs: Any) -> ndarray:
    """Numbers of good ones among `nsample` that are taken of `ngood` good and `nbad` bad ones, int64; drawn by
    NumPy, which programs call."""

def integers(low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> ndarray:
    """Integers from [low, high), or from [0, low); with `endpoint` also `high` itself; see `randint`."""

def logseries(p: Any, size: Any = None) -> ndarray:
    """Numbers of the logarithmic series distribution, int64."""

def multinomial(n: int, pvals: Any, size: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Count the outcomes of `n` draws with the probabilities of a vector, as int64; drawn by NumPy."""

def multivariate_hypergeometric(*args: Any, **kwargs: Any) -> ndarray:
    """Numbers of each colour among `nsample` that are taken of so many of each, int64; drawn by NumPy, which
    programs call."""

def negative_binomial(*args: Any, **kwargs: Any) -> ndarray:
    """Numbers of failures among trials of probability `p` until `n` succeed, int64; drawn by NumPy, which
    programs call."""

def noncentral_chisquare(*args: Any, **kwargs: Any) -> ndarray:
    """Noncentral chi-square numbers; drawn by NumPy, which programs call."""

def noncentral_f(*args: Any, **kwargs: Any) -> ndarray:
    """Noncentral F; drawn by NumPy, which programs call."""

def poisson(*args: Any, **kwargs: Any) -> ndarray:
    """Counts of mean `lam`, int64; drawn by NumPy, which programs call."""

def random_integers(low: int, high: int | None = None, size: Any = None) -> ndarray:
    """Integers from `low` to `high`, both included, or from 1 to `low`; int64."""

def standard_exponential(size: Any = None, dtype: Any = None, method: str = 'zig', out: Any = None) -> ndarray:
    """Exponential numbers with mean 1; `method` says nothing about the result."""

def standard_gamma(shape: Any, size: Any = None, dtype: Any = None, out: Any = None) -> ndarray:
    """Gamma numbers of scale 1."""

def standard_t(df: Any, size: Any = None) -> ndarray:
    """Numbers of Student's t distribution with `df` degrees of freedom."""

def triangular(left: Any, mode: Any, right: Any, size: Any = None) -> ndarray:
    """Numbers between `left` and `right` whose density is a triangle with its top at `mode`."""

def vonmises(*args: Any, **kwargs: Any) -> ndarray:
    """Angles around `mu`, closer with larger `kappa`; drawn by NumPy, which programs call."""

def wald(mean: Any, scale: Any, size: Any = None) -> ndarray:
    """Inverse Gaussian numbers."""

def zipf(*args: Any, **kwargs: Any) -> ndarray:
    """Numbers k with probabilities as k**-a, int64; drawn by NumPy, which programs call."""

def bits(shape: tuple[int, ...]) -> ndarray:
    """Uniform uint32 numbers; advances the state."""

def get_state(legacy: bool = True) -> ndarray:
    """The seed and the number of draws of `np.random` so far."""

def bernoulli(prob: Any = None, logit: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """1 with probability `prob` (or sigmoid(`logit`)), else 0; float32 unless said."""

def beta(a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Beta numbers."""

def categorical(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> ndarray:
    """Indices along the last axis, drawn with the probabilities `data`, [..., *shape]."""

def chisquare(df: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Chi-square numbers of `df` degrees of freedom."""

def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Elements of `a` (or integers below it), each with the same probability or with those of `p`."""

def exponential(scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Exponential numbers with mean `scale`."""

def f(dfnum: Any, dfden: Any, size: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Numbers of Fisher's F distribution."""

def gamma(shape: Any, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Gamma numbers with mean shape * scale; they have gradients by both."""

def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Gumbel numbers: what to add to logits so that their argmax is a draw from the softmax."""

def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Laplace numbers."""

def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Logistic numbers."""

def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Numbers whose logarithms are normal."""

def multivariate_normal(mean: Any, cov: Any, size: Any = None) -> ndarray:
    """Normal vectors with a mean and a covariance, which has to be positive definite."""

def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Normal numbers with mean `loc` and standard deviation `scale`."""

def normal_like(data: Any, loc: float = 0.0, scale: float = 1.0) -> ndarray:
    """Normal numbers in the shape and dtype of `data`."""

def normal_n(loc: Any = 0.0, scale: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Normal numbers, `batch_shape` of them for each mean and standard deviation."""

def pareto(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Pareto II numbers of shape `a`."""

def power(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Numbers from [0, 1] with density a x**(a - 1)."""

def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Integers from [low, high), or from [0, low); int64 unless said."""

def rayleigh(scale: Any = 1.0, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Rayleigh numbers."""

def standard_cauchy(size: Any = None) -> ndarray:
    """Cauchy numbers."""

def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Uniform numbers from [low, high)."""

def uniform_like(data: Any, low: float = 0.0, high: float = 1.0) -> ndarray:
    """Uniform numbers in the shape and dtype of `data`."""

def uniform_n(low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Uniform numbers from [low, high), `batch_shape` of them for each pair of ends."""

def weibull(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Weibull numbers of shape `a`."""
