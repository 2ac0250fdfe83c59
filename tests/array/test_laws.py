# SPDX-License-Identifier: Apache-2.0
"""The law of every distribution of `np.random` and `nd.random`: Kolmogorov and Smirnov's test, and chi-square of counts.

A generator's methods are the same functions (`test_generators.py`); samples of `gluon.probability` have tests of their
own beside the densities.
"""

import numpy
import pytest
from scipy import stats

from hybridize import nd, np
from hybridize.array import legacy_random

N = 20_000
R = np.random
OF_FLOATS = {
    "uniform": (lambda: R.uniform(-1.0, 2.0, N), stats.uniform(-1, 3)), "rand": (lambda: R.rand(N), stats.uniform()),
    "random": (lambda: R.random(N), stats.uniform()), "random_sample": (lambda: R.random_sample(N), stats.uniform()),
    "ranf": (lambda: R.ranf(N), stats.uniform()), "sample": (lambda: R.sample(N), stats.uniform()),
    "normal": (lambda: R.normal(1.0, 2.0, N), stats.norm(1, 2)), "randn": (lambda: R.randn(N), stats.norm()),
    "standard_normal": (lambda: R.standard_normal(N), stats.norm()), "lognormal": (lambda: R.lognormal(0.5, 0.4, N), stats.lognorm(0.4, scale=numpy.exp(0.5))),
    "exponential": (lambda: R.exponential(2.0, N), stats.expon(scale=2)), "standard_exponential": (lambda: R.standard_exponential(N), stats.expon()),
    "gumbel": (lambda: R.gumbel(1.0, 2.0, N), stats.gumbel_r(1, 2)), "logistic": (lambda: R.logistic(1.0, 2.0, N), stats.logistic(1, 2)),
    "laplace": (lambda: R.laplace(1.0, 2.0, N), stats.laplace(1, 2)), "rayleigh": (lambda: R.rayleigh(2.0, N), stats.rayleigh(scale=2)),
    "weibull": (lambda: R.weibull(1.7, N), stats.weibull_min(1.7)), "pareto": (lambda: R.pareto(4.0, N), stats.lomax(4)), "power": (lambda: R.power(3.0, N), stats.powerlaw(3)),
    "standard_cauchy": (lambda: R.standard_cauchy(N), stats.cauchy()), "gamma": (lambda: R.gamma(2.5, 2.0, N), stats.gamma(2.5, scale=2)),
    "standard_gamma": (lambda: R.standard_gamma(0.4, N), stats.gamma(0.4)), "chisquare": (lambda: R.chisquare(3.0, N), stats.chi2(3)),
    "beta": (lambda: R.beta(2.0, 0.7, N), stats.beta(2, 0.7)), "f": (lambda: R.f(3.0, 9.0, N), stats.f(3, 9)), "standard_t": (lambda: R.standard_t(4.0, N), stats.t(4)),
    "triangular": (lambda: R.triangular(-1.0, 0.5, 2.0, N), stats.triang(0.5, -1, 3)), "wald": (lambda: R.wald(2.0, 3.0, N), stats.invgauss(2 / 3, scale=3)),
    "vonmises": (lambda: R.vonmises(0.5, 2.0, N), stats.vonmises(2.0, 0.5)), "noncentral_chisquare": (lambda: R.noncentral_chisquare(3.0, 2.0, N), stats.ncx2(3, 2)),
    "noncentral_f": (lambda: R.noncentral_f(3.0, 9.0, 1.0, N), stats.ncf(3, 9, 1)),
    "dirichlet": (lambda: R.dirichlet([1.0, 2.0, 5.0], N)[:, 1], stats.beta(2, 6)),
    "multivariate_normal": (lambda: R.multivariate_normal([1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]], N) @ np.array([1.0, -1.0]), stats.norm(-1, 2**0.5)),
    "uniform_like": (lambda: R.uniform_like(np.zeros((N,)), -1.0, 2.0), stats.uniform(-1, 3)), "normal_n": (lambda: R.normal_n(1.0, 2.0, N), stats.norm(1, 2)), "uniform_n": (lambda: R.uniform_n(-1.0, 2.0, N), stats.uniform(-1, 3)), "normal_like": (lambda: R.normal_like(np.zeros((N,)), 1.0, 2.0), stats.norm(1, 2)),
    "nd.uniform": (lambda: nd.random.uniform(-1.0, 2.0, shape=N), stats.uniform(-1, 3)), "nd.normal": (lambda: nd.random.normal(1.0, 2.0, shape=N), stats.norm(1, 2)),
    "nd.randn": (lambda: nd.random.randn(N, loc=1.0, scale=2.0), stats.norm(1, 2)), "nd.exponential": (lambda: nd.random.exponential(2.0, shape=N), stats.expon(scale=2)),
    "nd.gamma": (lambda: nd.random.gamma(2.5, 2.0, shape=N), stats.gamma(2.5, scale=2)), "nd.uniform_like": (lambda: nd.random.uniform_like(nd.zeros((N,)), -1.0, 2.0), stats.uniform(-1, 3)),
    "nd.normal_like": (lambda: nd.random.normal_like(nd.zeros((N,)), 1.0, 2.0), stats.norm(1, 2)), "nd.gamma_like": (lambda: nd.random.gamma_like(nd.zeros((N,)), 2.5, 2.0), stats.gamma(2.5, scale=2)),
    "nd.exponential_like": (lambda: nd.random.exponential_like(nd.zeros((N,)), 0.5), stats.expon(scale=2)),
}  # fmt: skip
SHARES = [0.1, 0.2, 0.3, 0.4]
FOUR = stats.rv_discrete(values=(range(4), SHARES))
OF_COUNTS = {
    "randint": (lambda: R.randint(3, 9, N), stats.randint(3, 9)), "random_integers": (lambda: R.random_integers(3, 8, N), stats.randint(3, 9)), "integers": (lambda: R.integers(3, 8, N, endpoint=True), stats.randint(3, 9)),
    "poisson": (lambda: R.poisson(4.0, N), stats.poisson(4)), "binomial": (lambda: R.binomial(9, 0.3, N), stats.binom(9, 0.3)), "geometric": (lambda: R.geometric(0.3, N), stats.geom(0.3)),
    "negative_binomial": (lambda: R.negative_binomial(5, 0.4, N), stats.nbinom(5, 0.4)), "hypergeometric": (lambda: R.hypergeometric(9, 5, 7, N), stats.hypergeom(14, 9, 7)),
    "logseries": (lambda: R.logseries(0.6, N), stats.logser(0.6)), "zipf": (lambda: R.zipf(3.0, N), stats.zipf(3.0)), "bernoulli": (lambda: R.bernoulli(0.3, size=N), stats.bernoulli(0.3)),
    "multivariate_hypergeometric": (lambda: R.multivariate_hypergeometric([9, 3, 2], 7, N)[:, 0], stats.hypergeom(14, 9, 7)),
    "multinomial": (lambda: R.multinomial(9, SHARES, N)[:, 2], stats.binom(9, 0.3)), "choice": (lambda: R.choice(4, N, p=SHARES), FOUR), "categorical": (lambda: R.categorical(np.array(SHARES), N), FOUR),
    "permutation": (lambda: np.concatenate([R.permutation(8)[:3] for _ in range(900)]), stats.randint(0, 8)), "shuffle": (lambda: shuffled(900), stats.randint(0, 8)),
    "nd.randint": (lambda: nd.random.randint(3, 9, shape=N), stats.randint(3, 9)), "nd.poisson": (lambda: nd.random.poisson(4.0, shape=N), stats.poisson(4)), "nd.binomial": (lambda: nd.random.binomial(9, 0.3, shape=N), stats.binom(9, 0.3)),
    "nd.negative_binomial": (lambda: nd.random.negative_binomial(5, 0.4, shape=N), stats.nbinom(5, 0.4)), "nd.generalized_negative_binomial": (lambda: nd.random.generalized_negative_binomial(2.0, 0.5, shape=N), stats.nbinom(2, 0.5)),
    "nd.categorical": (lambda: nd.random.categorical(nd.array(SHARES), shape=N), FOUR), "nd.multinomial": (lambda: nd.random.multinomial(nd.array(SHARES), shape=N), FOUR), "nd.shuffle": (lambda: nd.concat(*[nd.random.shuffle(nd.arange(8))[:3] for _ in range(900)], dim=0), stats.randint(0, 8)),
    "nd.poisson_like": (lambda: nd.random.poisson_like(nd.zeros((N,)), 4.0), stats.poisson(4)), "nd.binomial_like": (lambda: nd.random.binomial_like(nd.zeros((N,)), 9, 0.3), stats.binom(9, 0.3)),
    "nd.negative_binomial_like": (lambda: nd.random.negative_binomial_like(nd.zeros((N,)), 5, 0.4), stats.nbinom(5, 0.4)), "nd.generalized_negative_binomial_like": (lambda: nd.random.generalized_negative_binomial_like(nd.zeros((N,)), 2.0, 0.5), stats.nbinom(2, 0.5)),
}  # fmt: skip


def shuffled(times):
    rows = []
    for _ in range(times):
        x = np.arange(8)
        R.shuffle(x)
        rows.append(x[:3])
    return np.concatenate(rows)


@pytest.mark.parametrize("name", OF_FLOATS)
def test_floats_follow_their_law(name):
    draw, law = OF_FLOATS[name]
    np.random.seed(21)
    x = draw()
    assert x.dtype == "float32"
    assert stats.kstest(x.asnumpy().astype("f8"), law.cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", OF_COUNTS)
def test_counts_follow_their_law(name):
    draw, law = OF_COUNTS[name]
    np.random.seed(22)
    x = draw().asnumpy().astype("f8")
    assert (x == x.round()).all()
    values = numpy.arange(int(law.ppf(1e-4)), int(law.ppf(1 - 1e-3)) + 1)
    seen, wanted = numpy.array([(x == v).sum() for v in values]), law.pmf(values) * x.size
    few = wanted > 5
    assert stats.chisquare(seen[few], wanted[few] * seen[few].sum() / wanted[few].sum()).pvalue > 1e-3
    assert abs(seen[few].sum() - wanted[few].sum()) < 5 * x.size**0.5


NO_DISTRIBUTIONS = {
    "Generator", "RandomState", "default_rng", "get_state", "set_state", "bytes", "seed", "key", "bits", "state",
}  # fmt: skip


def test_every_distribution_has_a_law_here():
    tested = {*OF_FLOATS, *OF_COUNTS}
    ours = {name for name, place in R.PLACES.items() if ".draws:" not in place}
    missing = ours - NO_DISTRIBUTIONS - tested
    assert not missing
    assert {f"nd.{name}" for name in legacy_random.FUNCTIONS if name != "seed"} <= tested
