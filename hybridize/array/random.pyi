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
    """Draw the successes of `n` trials of probability `p`, as int64. NumPy draws; compiled programs call it."""

def dirichlet(alpha: Any, size: Any = None) -> ndarray:
    """Draw shares that sum to 1, [..., n], with the concentrations `alpha` [n]."""

def geometric(p: Any, size: Any = None) -> ndarray:
    """Draw the numbers of trials of probability `p` until one succeeds, as int64."""

def hypergeometric(*args: Any, **kwargs: Any) -> ndarray:
    """Draw how many of `nsample` items are good that you take of `ngood` good and `nbad` bad ones, as int64."""

def integers(low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> ndarray:
    """Draw integers from [low, high), or from [0, low); `endpoint` includes `high`; int64 unless you pass a
    dtype."""

def logseries(p: Any, size: Any = None) -> ndarray:
    """Draw numbers of the logarithmic series distribution, as int64."""

def multinomial(n: int, pvals: Any, size: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Count the outcomes of `n` draws with the probabilities of a vector, as int64. NumPy draws; exports refuse
    it."""

def multivariate_hypergeometric(*args: Any, **kwargs: Any) -> ndarray:
    """Draw how many of each colour are among `nsample` items, which you take of `colors` of each, as int64."""

def negative_binomial(*args: Any, **kwargs: Any) -> ndarray:
    """Draw the failures before `n` trials of probability `p` succeed, as int64. NumPy draws; compiled programs
    call it."""

def noncentral_chisquare(*args: Any, **kwargs: Any) -> ndarray:
    """Draw noncentral chi-square numbers. NumPy draws; compiled programs call it."""

def noncentral_f(*args: Any, **kwargs: Any) -> ndarray:
    """Draw numbers of the noncentral F distribution. NumPy draws; compiled programs call it."""

def poisson(*args: Any, **kwargs: Any) -> ndarray:
    """Draw counts with mean `lam`, as int64. NumPy draws; compiled programs call it."""

def random_integers(low: int, high: int | None = None, size: Any = None) -> ndarray:
    """Draw integers from `low` to `high`, both included, or from 1 to `low`; int64."""

def standard_exponential(size: Any = None, dtype: Any = None, method: str = 'zig', out: Any = None) -> ndarray:
    """Draw exponential numbers with mean 1; `method` has no effect."""

def standard_gamma(shape: Any, size: Any = None, dtype: Any = None, out: Any = None) -> ndarray:
    """Draw gamma numbers of scale 1."""

def standard_t(df: Any, size: Any = None) -> ndarray:
    """Draw numbers of Student's t distribution with `df` degrees of freedom."""

def triangular(left: Any, mode: Any, right: Any, size: Any = None) -> ndarray:
    """Draw numbers between `left` and `right` whose density is a triangle with its top at `mode`."""

def vonmises(*args: Any, **kwargs: Any) -> ndarray:
    """Draw angles around `mu`, closer with larger `kappa`. NumPy draws; compiled programs call it."""

def wald(mean: Any, scale: Any, size: Any = None) -> ndarray:
    """Draw inverse Gaussian numbers with mean `mean` and scale `scale`."""

def zipf(*args: Any, **kwargs: Any) -> ndarray:
    """Draw numbers k with probabilities proportional to k**-a, as int64. NumPy draws; compiled programs call
    it."""

def bits(shape: tuple[int, ...]) -> ndarray:
    """Draw uniform uint32 numbers of a shape."""

def get_state(legacy: bool = True) -> ndarray:
    """Return the seed of `np.random` and the number of draws so far, as a dict."""

def bernoulli(prob: Any = None, logit: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw 1 with probability `prob`, or sigmoid(`logit`), and 0 otherwise; float32 unless you pass a dtype."""

def beta(a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw numbers of the beta distribution with the parameters `a` and `b`."""

def categorical(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> ndarray:
    """Draw indices along the last axis with the probabilities `data`; the result has the other axes, then
    `shape`."""

def chisquare(df: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw chi-square numbers with `df` degrees of freedom."""

def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw elements of a vector, rows of a matrix, or integers below a number."""

def exponential(scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw exponential numbers with mean `scale`."""

def f(dfnum: Any, dfden: Any, size: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw numbers of Fisher's F distribution with `dfnum` and `dfden` degrees of freedom."""

def gamma(shape: Any, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw gamma numbers with mean shape * scale; gradients go to both parameters."""

def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw Gumbel numbers: the argmax of logits plus such numbers is a draw from their softmax."""

def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw Laplace numbers with mean `loc` and scale `scale`."""

def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw logistic numbers with mean `loc` and scale `scale`."""

def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw numbers whose logarithms are normal, with mean `mean` and standard deviation `sigma`."""

def multivariate_normal(mean: Any, cov: Any, size: Any = None) -> ndarray:
    """Draw normal vectors with a mean and a covariance matrix, which has to be positive definite."""

def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw normal numbers with mean `loc` and standard deviation `scale`; float32 unless you pass a dtype."""

def normal_like(data: Any, loc: float = 0.0, scale: float = 1.0) -> ndarray:
    """Draw normal numbers in the shape and dtype of `data`, with mean `loc` and standard deviation `scale`."""

def normal_n(loc: Any = 0.0, scale: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw normal numbers, `batch_shape` of them for each mean and standard deviation."""

def pareto(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw Pareto II numbers of shape `a`."""

def power(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw numbers from [0, 1) with the density a x**(a - 1)."""

def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw integers from [low, high), or from [0, low); int64 unless you pass a dtype."""

def rayleigh(scale: Any = 1.0, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw Rayleigh numbers with the scale `scale`."""

def standard_cauchy(size: Any = None) -> ndarray:
    """Draw standard Cauchy numbers."""

def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw uniform numbers from [low, high); float32 unless you pass a dtype."""

def uniform_like(data: Any, low: float = 0.0, high: float = 1.0) -> ndarray:
    """Draw uniform numbers from [low, high) in the shape and dtype of `data`."""

def uniform_n(low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw uniform numbers from [low, high), `batch_shape` of them for each pair of ends."""

def weibull(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw Weibull numbers of shape `a`."""
