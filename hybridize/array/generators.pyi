# Written by `docs/make.py` from the module.

import builtins
from typing import Any

class _Drawing:
    def __init__(self, seed: Any = None) -> None: ...
    def beta(self, a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Draw numbers of the beta distribution with the parameters `a` and `b`."""
    def binomial(self, *args: Any, **kwargs: Any) -> Any:
        """Draw the successes of `n` trials of probability `p`, as int64. NumPy draws; compiled programs call
        it."""
    def bytes(self, length: int) -> builtins.bytes:
        """Draw random bytes. Imperative only."""
    def chisquare(self, df: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Draw chi-square numbers with `df` degrees of freedom."""
    def dirichlet(self, alpha: Any, size: Any = None) -> Any:
        """Draw shares that sum to 1, [..., n], with the concentrations `alpha` [n]."""
    def exponential(self, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw exponential numbers with mean `scale`."""
    def f(self, dfnum: Any, dfden: Any, size: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Draw numbers of Fisher's F distribution with `dfnum` and `dfden` degrees of freedom."""
    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw gamma numbers with mean shape * scale; gradients go to both parameters."""
    def geometric(self, p: Any, size: Any = None) -> Any:
        """Draw the numbers of trials of probability `p` until one succeeds, as int64."""
    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw Gumbel numbers: the argmax of logits plus such numbers is a draw from their softmax."""
    def hypergeometric(self, *args: Any, **kwargs: Any) -> Any:
        """Draw how many of `nsample` items are good that you take of `ngood` good and `nbad` bad ones, as
        int64."""
    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw Laplace numbers with mean `loc` and scale `scale`."""
    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw logistic numbers with mean `loc` and scale `scale`."""
    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Draw numbers whose logarithms are normal, with mean `mean` and standard deviation `sigma`."""
    def logseries(self, p: Any, size: Any = None) -> Any:
        """Draw numbers of the logarithmic series distribution, as int64."""
    def multinomial(self, n: int, pvals: Any, size: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Count the outcomes of `n` draws with the probabilities of a vector, as int64. NumPy draws; exports
        refuse it."""
    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None) -> Any:
        """Draw normal vectors with a mean and a covariance matrix, which has to be positive definite."""
    def negative_binomial(self, *args: Any, **kwargs: Any) -> Any:
        """Draw the failures before `n` trials of probability `p` succeed, as int64. NumPy draws; compiled
        programs call it."""
    def noncentral_chisquare(self, *args: Any, **kwargs: Any) -> Any:
        """Draw noncentral chi-square numbers. NumPy draws; compiled programs call it."""
    def noncentral_f(self, *args: Any, **kwargs: Any) -> Any:
        """Draw numbers of the noncentral F distribution. NumPy draws; compiled programs call it."""
    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw normal numbers with mean `loc` and standard deviation `scale`; float32 unless you pass a
        dtype."""
    def pareto(self, a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw Pareto II numbers of shape `a`."""
    def poisson(self, *args: Any, **kwargs: Any) -> Any:
        """Draw counts with mean `lam`, as int64. NumPy draws; compiled programs call it."""
    def power(self, a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw numbers from [0, 1) with the density a x**(a - 1)."""
    def rayleigh(self, scale: Any = 1.0, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw Rayleigh numbers with the scale `scale`."""
    def standard_cauchy(self, size: Any = None) -> Any:
        """Draw standard Cauchy numbers."""
    def standard_exponential(self, size: Any = None, dtype: Any = None, method: str = 'zig', out: Any = None) -> Any:
        """Draw exponential numbers with mean 1; `method` has no effect."""
    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Draw gamma numbers of scale 1."""
    def standard_normal(self, size: Any = None, dtype: Any = None) -> Any:
        """Draw standard normal numbers."""
    def standard_t(self, df: Any, size: Any = None) -> Any:
        """Draw numbers of Student's t distribution with `df` degrees of freedom."""
    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        """Draw numbers between `left` and `right` whose density is a triangle with its top at `mode`."""
    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw uniform numbers from [low, high); float32 unless you pass a dtype."""
    def vonmises(self, *args: Any, **kwargs: Any) -> Any:
        """Draw angles around `mu`, closer with larger `kappa`. NumPy draws; compiled programs call it."""
    def wald(self, mean: Any, scale: Any, size: Any = None) -> Any:
        """Draw inverse Gaussian numbers with mean `mean` and scale `scale`."""
    def weibull(self, a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw Weibull numbers of shape `a`."""
    def zipf(self, *args: Any, **kwargs: Any) -> Any:
        """Draw numbers k with probabilities proportional to k**-a, as int64. NumPy draws; compiled programs
        call it."""

class BitGenerator:
    def __init__(self, seed: Any = None) -> None: ...
    @property
    def state(self) -> Any: ...
    @state.setter
    def state(self, value: Any) -> None: ...

class Generator(_Drawing):
    def __init__(self, seed: Any = None) -> None: ...
    @property
    def bit_generator(self) -> Any: ...
    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True) -> Any:
        """Draw elements of `a` along an axis, or integers below it."""
    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:
        """Draw integers from [low, high), or from [0, low); `endpoint` includes `high`; int64 unless you pass a
        dtype."""
    def multivariate_hypergeometric(self, *args: Any, **kwargs: Any) -> Any:
        """Draw how many of each colour are among `nsample` items, which you take of `colors` of each, as
        int64."""
    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return the integers below `x`, or the slices of an array along an axis, in random order."""
    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """Return the elements along an axis, each vector of them in a random order of its own."""
    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Draw uniform numbers from [0, 1)."""
    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the slices of an array along an axis into random order, in place."""
    def spawn(self, n_children: int) -> list[Generator]:
        """Return new generators, whose seeds this one draws."""

class RandomState(_Drawing):
    def __init__(self, seed: Any = None) -> None: ...
    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw elements of a vector, rows of a matrix, or integers below a number."""
    def get_state(self, legacy: bool = True) -> Any:
        """Return the seed and the number of draws so far, as a dict."""
    def permutation(self, x: Any) -> Any:
        """Return the integers below `x`, or the rows of an array, in random order."""
    def rand(self, *size: int, **kwargs: Any) -> Any:
        """Draw uniform numbers from [0, 1) in an array of the given sizes."""
    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw integers from [low, high), or from [0, low); int64 unless you pass a dtype."""
    def randn(self, *size: int, **kwargs: Any) -> Any:
        """Draw standard normal numbers in an array of the given sizes."""
    def random(self, size: Any = None, dtype: Any = None) -> Any:
        """Draw uniform numbers from [0, 1)."""
    def random_integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Draw integers from `low` to `high`, both included, or from 1 to `low`; int64."""
    def random_sample(self, size: Any = None, dtype: Any = None) -> Any:
        """Draw uniform numbers from [0, 1)."""
    def seed(self, seed: Any = None) -> None:
        """Start over from a seed."""
    def set_state(self, state: Any) -> None:
        """Put back a state that `get_state` has returned."""
    def shuffle(self, x: Any) -> None:
        """Put the rows of an array into random order, in place."""

def default_rng(seed: Any = None) -> Generator:
    """Return a generator with a state of its own, which begins at a seed."""

def get_state(legacy: bool = True) -> Any:
    """Return the seed of `np.random` and the number of draws so far, as a dict."""

def set_state(state: Any) -> None:
    """Put back a state that `get_state` has returned."""

def bytes(length: int) -> builtins.bytes:
    """Draw random bytes. Imperative only."""

class _class(_Drawing):
    def __init__(self, seed: Any = None) -> None: ...
    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw elements of a vector, rows of a matrix, or integers below a number."""
    def get_state(self, legacy: bool = True) -> Any:
        """Return the seed and the number of draws so far, as a dict."""
    def permutation(self, x: Any) -> Any:
        """Return the integers below `x`, or the rows of an array, in random order."""
    def rand(self, *size: int, **kwargs: Any) -> Any:
        """Draw uniform numbers from [0, 1) in an array of the given sizes."""
    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Draw integers from [low, high), or from [0, low); int64 unless you pass a dtype."""
    def randn(self, *size: int, **kwargs: Any) -> Any:
        """Draw standard normal numbers in an array of the given sizes."""
    def random(self, size: Any = None, dtype: Any = None) -> Any:
        """Draw uniform numbers from [0, 1)."""
    def random_integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Draw integers from `low` to `high`, both included, or from 1 to `low`; int64."""
    def random_sample(self, size: Any = None, dtype: Any = None) -> Any:
        """Draw uniform numbers from [0, 1)."""
    def seed(self, seed: Any = None) -> None:
        """Start over from a seed."""
    def set_state(self, state: Any) -> None:
        """Put back a state that `get_state` has returned."""
    def shuffle(self, x: Any) -> None:
        """Put the rows of an array into random order, in place."""
