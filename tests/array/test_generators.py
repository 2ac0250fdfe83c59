# SPDX-License-Identifier: Apache-2.0
"""Generators: laws of their numbers, seeds, and that programs draw what imperative code draws."""

import copy
import inspect
import pickle

import numpy
import pytest
from scipy import stats

from hybridize import autograd, errors, hybridize, np
from tests.refusals import refusal

N = 30_000
CONTINUOUS = {
    "standard_t": ((5.0,), stats.t(5)), "triangular": ((-1.0, 0.5, 2.0), stats.triang(0.5, -1, 3)), "wald": ((2.0, 3.0), stats.invgauss(2 / 3, scale=3)),
    "standard_exponential": ((), stats.expon()), "standard_gamma": ((2.5,), stats.gamma(2.5)), "vonmises": ((0.5, 2.0), stats.vonmises(2.0, 0.5)),
    "noncentral_chisquare": ((3.0, 2.0), stats.ncx2(3, 2)), "noncentral_f": ((3.0, 9.0, 1.0), stats.ncf(3, 9, 1)), "normal": ((1.0, 2.0), stats.norm(1, 2)), "random": ((), stats.uniform()),
    "uniform": ((-1.0, 2.0), stats.uniform(-1, 3)), "exponential": ((2.0,), stats.expon(scale=2)), "beta": ((2.0, 3.0), stats.beta(2, 3)), "laplace": ((1.0, 2.0), stats.laplace(1, 2)), "logistic": ((1.0, 2.0), stats.logistic(1, 2)),
    "gumbel": ((1.0, 2.0), stats.gumbel_r(1, 2)), "pareto": ((5.0,), stats.lomax(5)), "power": ((3.0,), stats.powerlaw(3)), "rayleigh": ((2.0,), stats.rayleigh(scale=2)), "standard_cauchy": ((), stats.cauchy()), "weibull": ((2.0,), stats.weibull_min(2)),
}  # fmt: skip
COUNTS = {
    "poisson": ((4.0,), stats.poisson(4)), "binomial": ((9, 0.3), stats.binom(9, 0.3)), "geometric": ((0.3,), stats.geom(0.3)), "hypergeometric": ((9, 5, 7), stats.hypergeom(14, 9, 7)),
    "logseries": ((0.6,), stats.logser(0.6)), "negative_binomial": ((5, 0.4), stats.nbinom(5, 0.4)), "zipf": ((3.0,), stats.zipf(3.0)), "integers": ((3, 9), stats.randint(3, 9)),
}  # fmt: skip
BY_NUMPY = ("vonmises", "noncentral_chisquare", "noncentral_f", "poisson", "binomial", "hypergeometric", "negative_binomial", "zipf")  # fmt: skip


@pytest.mark.parametrize("name", CONTINUOUS)
def test_laws_of_floats(name):
    parameters, law = CONTINUOUS[name]
    x = getattr(np.random.default_rng(11), name)(*parameters, size=N)
    assert x.dtype == "float32"
    assert stats.kstest(x.asnumpy().astype("f8"), law.cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", COUNTS)
def test_laws_of_counts(name):
    parameters, law = COUNTS[name]
    x = getattr(np.random.default_rng(12), name)(*parameters, size=N)
    assert x.dtype == "int64"
    values = numpy.arange(int(law.ppf(1e-4)), int(law.ppf(1 - 1e-3)) + 1)
    seen = numpy.array([(x.asnumpy() == v).sum() for v in values])
    wanted = law.pmf(values) * N
    few = wanted > 5
    assert stats.chisquare(seen[few], wanted[few] * seen[few].sum() / wanted[few].sum()).pvalue > 1e-3
    assert abs(seen[few].sum() - wanted[few].sum()) < 5 * N**0.5


def test_shares_and_vectors():
    rng = np.random.default_rng(3)
    x = rng.dirichlet([1.0, 2.0, 5.0], size=4000).asnumpy()
    numpy.testing.assert_allclose(x.sum(-1), 1, rtol=1e-5)
    numpy.testing.assert_allclose(x.mean(0), [1 / 8, 2 / 8, 5 / 8], atol=0.01)
    assert rng.multivariate_hypergeometric([3, 4], 5, size=7).asnumpy().sum(-1).tolist() == [5] * 7
    low = np.array([0, 10, 100], dtype="int64")
    drawn = rng.integers(low, low + 3, size=(500, 3), endpoint=True).asnumpy() - low.asnumpy()
    assert drawn.min() == 0
    assert drawn.max() == 3


@pytest.mark.parametrize("name", sorted({*CONTINUOUS, *COUNTS}))
def test_programs_draw_what_imperative_code_draws(name):
    parameters = (CONTINUOUS | COUNTS)[name][0]
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    draw = hybridize(lambda: getattr(other, name)(*parameters, size=(3, 4)))
    for _ in range(3):
        numpy.testing.assert_allclose(
            draw().asnumpy(), getattr(one, name)(*parameters, size=(3, 4)).asnumpy(), rtol=2e-5, atol=1e-5
        )
    assert other.bit_generator.state == one.bit_generator.state


@pytest.mark.parametrize("name", BY_NUMPY)
def test_programs_say_that_they_call_numpy_and_files_do_without_it(name, tmp_path):
    rng = np.random.default_rng(5)
    draw = hybridize(lambda: getattr(rng, name)(*(COUNTS | CONTINUOUS)[name][0], size=3))
    draw()
    assert f"random.{name}" in draw.programs()[0].fallbacks[0]
    with refusal(errors.CaptureError, rf"E450.*random.{name}"):
        draw.save(tmp_path / "draw")


def test_draws_by_numpy_inside_of_loops_and_branches():
    def walk(x, steps):
        for _ in range(steps):
            x = x + np.random.poisson(x)
            if x.sum() > 40:
                x = x - np.random.binomial(3, x / 100.0)
        return x

    x = np.array([1.0, 2.0, 3.0])
    compiled = hybridize(walk)
    for steps in (1, 3, 4):
        np.random.seed(steps)
        wanted = walk(x, steps)
        np.random.seed(steps)
        assert compiled(x, steps).tolist() == wanted.tolist()


@pytest.mark.parametrize("name", ["vonmises", "noncentral_chisquare", "noncentral_f"])
def test_no_gradient_passes_what_numpy_draws(name):
    rng = np.random.default_rng(5)
    parameters = (COUNTS | CONTINUOUS)[name][0]

    def draw(x):
        return getattr(rng, name)(*parameters[:-1], x)

    for function in (draw, hybridize(draw)):
        x = np.array([1.0, 2.0])
        x.attach_grad()
        with refusal(errors.StateError, rf"E547.*{name}"), autograd.record():
            function(x).backward()
        with autograd.record():
            y = function(x.detach()) * x
        y.backward()
        numpy.testing.assert_allclose((x.grad * x).asnumpy(), y.asnumpy(), rtol=1e-6)


def test_a_generator_that_a_program_makes_begins_anew_at_each_call():
    draw = hybridize(lambda x: x + np.random.default_rng(4).normal(size=3))
    wanted = np.random.default_rng(4).normal(size=3).tolist()
    assert draw(np.zeros(3)).tolist() == wanted
    assert draw(np.zeros(3)).tolist() == wanted
    with pytest.raises(errors.CaptureError, match="without a seed"):
        hybridize(lambda: np.random.default_rng().normal(size=3))()


def test_seeds():
    draw = lambda seed: np.random.default_rng(seed).random(4).tolist()  # noqa: E731
    assert draw(3) == draw(3) != draw(4)
    assert draw([1, 2]) == draw(numpy.array([1, 2])) == draw(numpy.random.SeedSequence([1, 2])) != draw([2, 1])
    assert draw(None) != draw(None)
    for wrong in (-1, 1.5, "a"):
        with pytest.raises(errors.HybridizeError, match="E34"):
            np.random.default_rng(wrong)
    rng = np.random.default_rng(3)
    assert np.random.default_rng(rng) is rng


def test_generators_draw_apart_from_each_other():
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    before = np.random.get_state()
    numbers = one.random(4).tolist()
    np.random.uniform(size=3)
    assert other.random(4).tolist() == numbers
    np.random.set_state(before)
    first = np.random.uniform(size=3).tolist()
    np.random.set_state(before)
    assert np.random.uniform(size=3).tolist() == first
    children = one.spawn(2)
    assert children[0].random(4).tolist() != children[1].random(4).tolist() != one.random(4).tolist()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))], ids=["copy", "pickle"])
def test_copies_draw_the_same(copied):
    rng = np.random.default_rng(3)
    rng.normal(size=3)
    again = copied(rng)
    assert again.random(3).tolist() == rng.random(3).tolist()
    state = rng.bit_generator.state
    numbers = rng.random(3).tolist()
    rng.bit_generator.state = state
    assert rng.random(3).tolist() == numbers


def test_orders():
    rng = np.random.default_rng(3)
    x = np.arange(12.0).reshape(3, 4)
    assert sorted(rng.permutation(5).tolist()) == list(range(5))
    assert sorted(rng.permutation(x, axis=1)[0].tolist()) == x[0].tolist()
    permuted = rng.permuted(x, axis=1)
    assert numpy.sort(permuted.asnumpy(), 1).tolist() == x.tolist()
    rng.shuffle(x, axis=1)
    assert numpy.sort(x.asnumpy(), 1).tolist() == np.arange(12.0).reshape(3, 4).tolist()
    assert rng.choice(x, 2, replace=False, axis=1).shape == (3, 2)
    assert len(rng.bytes(7)) == 7


def test_the_older_generator():
    one, other = np.random.RandomState(3), np.random.RandomState(3)
    for draw in ("rand", "randn"):
        assert getattr(one, draw)(2, 3).tolist() == getattr(other, draw)(2, 3).tolist()
    assert one.randint(0, 9, 4).tolist() == other.randint(0, 9, 4).tolist()
    state = one.get_state()
    numbers = one.random_sample(3).tolist()
    one.set_state(state)
    assert one.random_sample(3).tolist() == numbers
    one.seed(3)
    assert one.uniform(size=3).shape == (3,)


def test_parameters_and_sizes_that_do_not_fit():
    rng = np.random.default_rng(3)
    assert rng.normal([0.0, 100.0]).shape == (2,)
    assert len(set((rng.normal([0.0] * 50)).tolist())) == 50
    with pytest.raises(errors.ShapeError, match="E101"):
        rng.normal(np.zeros((2, 3)), size=(3,))
    with pytest.raises(errors.ArgumentError, match="E316"):
        rng.integers(0, 300, dtype="uint8")
    for name, wrong in (("poisson", (-1.0,)), ("binomial", (3, 1.5)), ("geometric", (0.0,)), ("triangular", (1.0, 0.0, 2.0)), ("standard_t", (0.0,)), ("wald", (1.0, -1.0)), ("logseries", (1.0,)), ("dirichlet", ([1.0, -1.0],))):  # fmt: skip
        with pytest.raises(errors.ValueArgumentError, match="E345"):
            getattr(rng, name)(*wrong)


@pytest.mark.parametrize("kind", [np.random.Generator, np.random.RandomState])
def test_methods_say_what_they_take(kind):
    for name in ("normal", "uniform", "gamma", "poisson", "standard_t", "multivariate_normal"):
        own = inspect.signature(getattr(np.random, name)).parameters
        assert list(inspect.signature(getattr(kind(1), name)).parameters) == list(own), name
