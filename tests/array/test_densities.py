# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's densities against SciPy's, in both modes; their gradients against finite differences."""

import numpy
import pytest
from scipy import stats

from hybridize import autograd, errors, hybridize, nd, np
from tests.array.conftest import run_traced

RANDOM = numpy.random.default_rng(3)
A, B = RANDOM.uniform(0.6, 2.5, (2, 3)), RANDOM.uniform(0.2, 0.8, (2, 3))
FLOATS, COUNTS = RANDOM.uniform(0.7, 2.0, (2, 3, 4)), RANDOM.integers(0, 6, (2, 3, 4)).astype("f8")
a, b = A[..., None], B[..., None]
OF = {
    "uniform": (FLOATS, (A - 0.6, A + 3.0), lambda x: stats.uniform(a - 0.6, 3.6).pdf(x)), "normal": (FLOATS, (A, B), lambda x: stats.norm(a, b).pdf(x)),
    "gamma": (FLOATS, (A, B), lambda x: stats.gamma(a, scale=1 / b).pdf(x)), "exponential": (FLOATS, (A,), lambda x: stats.expon(scale=1 / a).pdf(x)),
    "poisson": (COUNTS, (A,), lambda x: stats.poisson(a).pmf(x)), "negative_binomial": (COUNTS, (A, B), lambda x: stats.nbinom(a, b).pmf(x)),
    "generalized_negative_binomial": (COUNTS, (A, B), lambda x: stats.nbinom(1 / b, 1 / (a * b + 1)).pmf(x)),
}  # fmt: skip
SHARES = RANDOM.dirichlet([1.0, 2.0, 3.0], (2, 4))
CONCENTRATIONS = RANDOM.uniform(0.5, 2.0, (2, 3))


def arrays(*xs):
    return [np.array(x, dtype="float64") for x in xs]


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("name", OF)
def test_densities_are_scipys(name, is_log):
    x, parameters, law = OF[name]
    wanted = numpy.log(law(x)) if is_log else law(x)
    given = arrays(x, *parameters)

    def density(*xs):
        return getattr(nd, f"random_pdf_{name}")(*xs, is_log=is_log)

    for found in (density(*given), run_traced(density, given)):
        found = found.asnumpy() if hasattr(found, "asnumpy") else found
        numpy.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_outside_of_its_ends_a_uniform_number_has_no_density():
    found = nd.random_pdf_uniform(np.array([[-1.0, 0.5, 3.0]]), np.array([0.0]), np.array([2.0]))
    assert found.tolist() == [[0.0, 0.5, 0.0]]


def test_shares():
    wanted = [[stats.dirichlet.pdf(SHARES[i, j], CONCENTRATIONS[i]) for j in range(4)] for i in range(2)]
    found = nd.random_pdf_dirichlet(*arrays(SHARES, CONCENTRATIONS))
    numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-9)
    assert nd.random_pdf_dirichlet(*arrays(numpy.zeros((4, 0)), numpy.zeros(0))).shape == (4,)
    for wrong in ((SHARES, A[:1]), (SHARES, CONCENTRATIONS[..., :2]), (SHARES, A[0, 0])):
        with pytest.raises(errors.ShapeError, match="E118"):
            nd.random_pdf_dirichlet(*arrays(*wrong))
    with pytest.raises(errors.ShapeError, match="E118"):
        nd.random_pdf_poisson(*arrays(numpy.ones((1, 2)), numpy.zeros(0)))


@pytest.mark.parametrize("name", [*OF, "dirichlet"])
def test_gradients(name):
    x, parameters = (SHARES, (CONCENTRATIONS,)) if name == "dirichlet" else OF[name][:2]
    function = getattr(nd, f"random_pdf_{name}")
    given = arrays(x, *parameters)
    for run in (function, hybridize(function)):
        for one in given:
            one.attach_grad()
        with autograd.record():
            total = run(*given).sum()
        total.backward()
        for k in range(
            1 if name in ("poisson", "negative_binomial", "generalized_negative_binomial") else 0, len(given)
        ):
            step = numpy.zeros(given[k].shape)
            step[(0,) * step.ndim] = 1e-6
            up, down = (function(*(one + sign * np.array(step, dtype="float64") if j == k else one for j, one in enumerate(given))).sum() for sign in (1, -1))  # fmt: skip
            numpy.testing.assert_allclose(float(given[k].grad[(0,) * step.ndim]), float(up - down) / 2e-6, rtol=1e-5, atol=1e-7)  # fmt: skip
