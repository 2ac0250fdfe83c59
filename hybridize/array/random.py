# SPDX-License-Identifier: Apache-2.0
"""Random numbers, all from one counter-based generator (Philox4x32-10) and one state: `np.random`, `hybridize.random`.

`state` (`draws`) is an ordinary array of two words: the seed, and the number of draws so far, each of which takes a
stream of its own. A draw reads it and adds one. So inside a compiled function it is an input that is written, a seeded
compiled function draws what the same imperative one draws, and `dropout` differs at every call.
"""

from __future__ import annotations

from hybridize.base.missing import by_numpy
from hybridize.base.names import late, places, with_texts

PLACES = places(
    "hybridize.array",
    {
        "distributions": (
            "binomial dirichlet geometric hypergeometric integers logseries multinomial multivariate_hypergeometric "
            "negative_binomial noncentral_chisquare noncentral_f poisson random_integers standard_exponential "
            "standard_gamma standard_t triangular vonmises wald zipf"
        ),
        "draws": "bits key seed state",
        "generators": "Generator RandomState bytes default_rng get_state set_state",
        "variates": (
            "bernoulli beta categorical chisquare choice exponential f gamma gumbel laplace logistic lognormal "
            "multivariate_normal normal normal_like normal_n pareto permutation power rand randint randn random "
            "random_sample ranf rayleigh sample shuffle standard_cauchy standard_normal uniform uniform_like uniform_n "
            "weibull"
        ),
    },
)
"""Places of the names."""

__all__ = sorted(PLACES)


__getattr__, __dir__ = late(
    globals(), PLACES, by_numpy("numpy.random"), with_texts("hybridize.array.texts", "np.random")
)
