# Written by `docs/make.py` from the module.

import builtins
from typing import Any

class _Drawing:
    def __init__(self, seed: Any = None) -> None: ...
    def beta(self, a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Beta numbers."""
    def binomial(self, *args: Any, **kwargs: Any) -> Any:
        """Successes of `n` trials of probability `p`, int64; drawn by NumPy, which programs call."""
    def bytes(self, length: int) -> builtins.bytes:
        """Random bytes, imperatively."""
    def chisquare(self, df: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Chi-square numbers of `df` degrees of freedom."""
    def dirichlet(self, alpha: Any, size: Any = None) -> Any:
        """Shares that sum to 1, [..., n], of concentrations [n]."""
    def exponential(self, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Exponential numbers with mean `scale`."""
    def f(self, dfnum: Any, dfden: Any, size: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Numbers of Fisher's F distribution."""
    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Gamma numbers with mean shape * scale; they have gradients by both."""
    def geometric(self, p: Any, size: Any = None) -> Any:
        """Numbers of trials of probability `p` until one succeeds, int64."""
    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Gumbel numbers: what to add to logits so that their argmax is a draw from the softmax."""
    def hypergeometric(self, *args: Any, **kwargs: Any) -> Any:
        """Numbers of good ones among `nsample` that are taken of `ngood` good and `nbad` bad ones, int64; drawn
        by NumPy, which programs call."""
    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Laplace numbers."""
    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Logistic numbers."""
    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Numbers whose logarithms are normal."""
    def logseries(self, p: Any, size: Any = None) -> Any:
        """Numbers of the logarithmic series distribution, int64."""
    def multinomial(self, n: int, pvals: Any, size: Any = None, ctx: Any = None, device: Any = None) -> Any:
        """Count the outcomes of `n` draws with the probabilities of a vector, as int64; drawn by NumPy."""
    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None) -> Any:
        """Normal vectors with a mean and a covariance, which has to be positive definite."""
    def negative_binomial(self, *args: Any, **kwargs: Any) -> Any:
        """Numbers of failures among trials of probability `p` until `n` succeed, int64; drawn by NumPy, which
        programs call."""
    def noncentral_chisquare(self, *args: Any, **kwargs: Any) -> Any:
        """Noncentral chi-square numbers; drawn by NumPy, which programs call."""
    def noncentral_f(self, *args: Any, **kwargs: Any) -> Any:
        """Noncentral F; drawn by NumPy, which programs call."""
    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Normal numbers with mean `loc` and standard deviation `scale`."""
    def pareto(self, a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Pareto II numbers of shape `a`."""
    def poisson(self, *args: Any, **kwargs: Any) -> Any:
        """Counts of mean `lam`, int64; drawn by NumPy, which programs call."""
    def power(self, a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Numbers from [0, 1] with density a x**(a - 1)."""
    def rayleigh(self, scale: Any = 1.0, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Rayleigh numbers."""
    def standard_cauchy(self, size: Any = None) -> Any:
        """Cauchy numbers."""
    def standard_exponential(self, size: Any = None, dtype: Any = None, method: str = 'zig', out: Any = None) -> Any:
        """Exponential numbers with mean 1; `method` says nothing about the result."""
    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Gamma numbers of scale 1."""
    def standard_normal(self, size: Any = None, dtype: Any = None) -> Any:
        """Standard normal numbers."""
    def standard_t(self, df: Any, size: Any = None) -> Any:
        """Numbers of Student's t distribution with `df` degrees of freedom."""
    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        """Numbers between `left` and `right` whose density is a triangle with its top at `mode`."""
    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Uniform numbers from [low, high)."""
    def vonmises(self, *args: Any, **kwargs: Any) -> Any:
        """Angles around `mu`, closer with larger `kappa`; drawn by NumPy, which programs call."""
    def wald(self, mean: Any, scale: Any, size: Any = None) -> Any:
        """Inverse Gaussian numbers."""
    def weibull(self, a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Weibull numbers of shape `a`."""
    def zipf(self, *args: Any, **kwargs: Any) -> Any:
        """Numbers k with probabilities as k**-a, int64; drawn by NumPy, which programs call."""

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
        """Elements of `a` along `axis` (or integers below it), each with the same probability or with those of
        `p`."""
    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:
        """Integers from [low, high), or from [0, low); with `endpoint` also `high` itself; see `randint`."""
    def multivariate_hypergeometric(self, *args: Any, **kwargs: Any) -> Any:
        """Numbers of each colour among `nsample` that are taken of so many of each, int64; drawn by NumPy,
        which programs call."""
    def permutation(self, x: Any, axis: int = 0) -> Any:
        """The integers below `x`, or the slices of an array along `axis`, in random order."""
    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """The elements along `axis` (of the flat array when None), each vector of them in a random order of its
        own."""
    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Uniform numbers from [0, 1)."""
    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the slices of an array along `axis` into random order, in place."""
    def spawn(self, n_children: int) -> list[Generator]:
        """New generators, whose seeds are draws of this one."""

class RandomState(_Drawing):
    def __init__(self, seed: Any = None) -> None: ...
    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Elements of `a` (or integers below it), each with the same probability or with those of `p`."""
    def get_state(self, legacy: bool = True) -> Any:
        """The seed and the number of draws so far."""
    def permutation(self, x: Any) -> Any:
        """The integers below `x`, or the rows of an array, in random order."""
    def rand(self, *size: int, **kwargs: Any) -> Any:
        """Uniform numbers from [0, 1) of the given sizes."""
    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Integers from [low, high), or from [0, low); int64 unless said."""
    def randn(self, *size: int, **kwargs: Any) -> Any:
        """Standard normal numbers of the given sizes."""
    def random(self, size: Any = None, dtype: Any = None) -> Any:
        """Uniform numbers from [0, 1)."""
    def random_integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Integers from `low` to `high`, both included, or from 1 to `low`; int64."""
    def random_sample(self, size: Any = None, dtype: Any = None) -> Any:
        """Uniform numbers from [0, 1)."""
    def seed(self, seed: Any = None) -> None:
        """Start over."""
    def set_state(self, state: Any) -> None:
        """Put back what `get_state` has given."""
    def shuffle(self, x: Any) -> None:
        """Put the rows of an array into random order, in place."""

def default_rng(seed: Any = None) -> Generator:
    """A generator."""

def get_state(legacy: bool = True) -> Any:
    """The seed and the number of draws of `np.random` so far."""

def set_state(state: Any) -> None:
    """Put back what `get_state` has given."""

def bytes(length: int) -> builtins.bytes:
    """Random bytes."""

class _class(_Drawing):
    def __init__(self, seed: Any = None) -> None: ...
    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Elements of `a` (or integers below it), each with the same probability or with those of `p`."""
    def get_state(self, legacy: bool = True) -> Any:
        """The seed and the number of draws so far."""
    def permutation(self, x: Any) -> Any:
        """The integers below `x`, or the rows of an array, in random order."""
    def rand(self, *size: int, **kwargs: Any) -> Any:
        """Uniform numbers from [0, 1) of the given sizes."""
    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
        """Integers from [low, high), or from [0, low); int64 unless said."""
    def randn(self, *size: int, **kwargs: Any) -> Any:
        """Standard normal numbers of the given sizes."""
    def random(self, size: Any = None, dtype: Any = None) -> Any:
        """Uniform numbers from [0, 1)."""
    def random_integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Integers from `low` to `high`, both included, or from 1 to `low`; int64."""
    def random_sample(self, size: Any = None, dtype: Any = None) -> Any:
        """Uniform numbers from [0, 1)."""
    def seed(self, seed: Any = None) -> None:
        """Start over."""
    def set_state(self, state: Any) -> None:
        """Put back what `get_state` has given."""
    def shuffle(self, x: Any) -> None:
        """Put the rows of an array into random order, in place."""
