import numpy
import pytest
from scipy import stats

from hybridize import hybridize, nd
from hybridize.array import np, npx, random
from hybridize.base import modes
from hybridize.base.errors import ArgumentError, ShapeError

N = 20_000


@pytest.fixture(autouse=True)
def seeded():
    random.seed(7)


def test_equal_seeds_give_equal_numbers():
    first = [np.random.normal(size=5), np.random.uniform(size=(2, 2)), np.random.randint(0, 9, 4)]
    random.seed(7)
    again = [np.random.normal(size=5), np.random.uniform(size=(2, 2)), np.random.randint(0, 9, 4)]
    for x, y in zip(first, again, strict=True):
        numpy.testing.assert_array_equal(x.asnumpy(), y.asnumpy())
    assert (np.random.uniform(size=5) != np.random.uniform(size=5)).all()
    np.random.seed(8)
    assert (np.random.normal(size=5) != first[0]).any()


DRAWS = {
    "uniform": (lambda: np.random.uniform(-1, 3, N), 1.0, 4 / 12**0.5),
    "rand": (lambda: np.random.rand(N), 0.5, 1 / 12**0.5),
    "normal": (lambda: np.random.normal(2, 0.5, N), 2.0, 0.5),
    "randn": (lambda: np.random.randn(100, N // 100), 0.0, 1.0),
    "float64": (lambda: np.random.normal(size=N, dtype="float64"), 0.0, 1.0),
    "exponential": (lambda: np.random.exponential(2.0, N), 2.0, 2.0),
    "gumbel": (lambda: np.random.gumbel(1.0, 2.0, N), 1 + 2 * 0.5772, 2 * 1.2825),
    "logistic": (lambda: np.random.logistic(1.0, 1.0, N), 1.0, 1.8138),
    "laplace": (lambda: np.random.laplace(1.0, 2.0, N), 1.0, 2 * 2**0.5),
    "gamma": (lambda: np.random.gamma(2.5, 2.0, N), 5.0, 2.5**0.5 * 2),
    "small gamma": (lambda: np.random.gamma(0.5, 1.0, N), 0.5, 0.5**0.5),
    "beta": (lambda: np.random.beta(2.0, 3.0, N), 0.4, 0.2),
    "chisquare": (lambda: np.random.chisquare(3.0, N), 3.0, 6**0.5),
    "rayleigh": (lambda: np.random.rayleigh(1.0, N), 1.2533, 0.6551),
    "lognormal": (lambda: np.random.lognormal(0.0, 0.25, N), 1.0317, 0.262),
    "weibull": (lambda: np.random.weibull(2.0, N), 0.8862, 0.4633),
    "randint": (lambda: np.random.randint(-2, 5, N).astype("float32"), 1.0, 2.0),
    "wide randint": (lambda: np.random.randint(0, 1 << 40, N).astype("float64") / 2**40, 0.5, 1 / 12**0.5),
    "bernoulli": (lambda: npx.bernoulli(0.25, size=N), 0.25, 0.433),
    "choice": (lambda: np.random.choice(3, N, p=[0.5, 0.25, 0.25]).astype("float32"), 0.75, 0.829),
}


@pytest.mark.parametrize("name", DRAWS)
def test_moments(name):
    draw, mean, deviation = DRAWS[name]
    x = draw().asnumpy()
    assert abs(x.mean() - mean) < 5 * deviation / N**0.5
    assert abs(x.std() - deviation) < 0.06 * deviation
    assert numpy.isfinite(x).all()
    assert len(numpy.unique(x)) > (1000 if name not in ("randint", "bernoulli", "choice") else 1)


GAMMAS = {
    "gamma": (lambda a, n, dtype: np.random.gamma(a, 1.0, n, dtype), lambda a: stats.gamma(a)),
    "gamma of arrays": (lambda a, n, dtype: np.random.gamma(np.full((n,), a), 1.0, n, dtype), lambda a: stats.gamma(a)),
    "chisquare": (lambda a, n, dtype: np.random.chisquare(2 * a, n, dtype), lambda a: stats.chi2(2 * a)),
    "beta": (lambda a, n, dtype: np.random.beta(a, 2.0, n, dtype), lambda a: stats.beta(a, 2.0)),
    "f": (lambda a, n, dtype: np.random.f(2 * a, 9.0, n), lambda a: stats.f(2 * a, 9.0)),
}


@pytest.mark.parametrize("a", [0.3, 1.0, 1.5, 8.0, 4000.0])
@pytest.mark.parametrize("name", GAMMAS)
def test_laws_of_what_is_made_of_gamma_numbers(name, a):
    draw, law = GAMMAS[name]
    for dtype in ("float32", "float64"):
        assert stats.kstest(draw(a, 50_000, dtype).asnumpy().astype("f8"), law(a).cdf).pvalue > 1e-3


def test_neighbours_and_draws_of_gamma_numbers_are_independent():
    # Two neighbours share a block of the generator, and all candidates of an element its counter.
    x, y = (np.random.gamma(1.0, 1.0, 100_000, "float64").asnumpy() for _ in range(2))
    u, v = -numpy.expm1(-x), -numpy.expm1(-y)
    for left, right in ((u[0::2], u[1::2]), (u[1:-1:2], u[2::2]), (u, v)):
        counts, _, _ = numpy.histogram2d(left, right, 10, [[0, 1], [0, 1]])
        assert stats.chisquare(counts.reshape(-1)).pvalue > 1e-3


def test_a_gamma_number_depends_on_its_place_and_shape_alone():
    def draw(shapes):
        random.seed(11)
        return np.random.gamma(np.array(shapes), 1.0).asnumpy()

    shapes = numpy.random.default_rng(0).uniform(1, 4, 1000).astype("f4")
    whole = draw(shapes)
    for count in (1, 2, 33, 999):
        numpy.testing.assert_array_equal(draw(shapes[:count]), whole[:count])
    others = numpy.where(numpy.arange(1000) % 3 == 0, shapes, 1.0).astype("f4")
    numpy.testing.assert_array_equal(draw(others)[::3], whole[::3])
    numpy.testing.assert_array_equal(draw(shapes.reshape(8, 125)).reshape(-1), whole)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_compiled_gamma_numbers_are_the_imperative_ones_to_the_bit(trace, dtype):
    def draw():
        shapes = np.arange(50_000, dtype=dtype) / 5000 + 1.0
        return np.random.gamma(1.0, 1.0, (100, 501), dtype), np.random.gamma(shapes, 1.0, dtype=dtype)

    random.seed(4)
    expected = [x.asnumpy() for x in draw()]
    random.seed(4)
    for got, want in zip(trace(draw), expected, strict=True):
        numpy.testing.assert_array_equal(got, want)


def test_dtypes_and_sizes():
    assert np.random.uniform().shape == ()
    assert np.random.uniform(size=3).dtype == "float32"
    assert np.random.normal(size=(2, 3), dtype="float16").dtype == "float16"
    assert np.random.randint(5, size=2).dtype == "int64"
    assert np.random.randint(0, 5, (2,), dtype="int32").dtype == "int32"
    assert np.random.normal(np.zeros(3), np.ones((2, 1))).shape == (2, 3)
    assert np.random.uniform(size=(0, 3)).shape == (0, 3)
    assert (np.random.uniform(size=100_000) < 1).all()


def test_order():
    x = np.arange(100)
    shuffled = np.random.permutation(x)
    assert (shuffled != x).any()
    assert sorted(shuffled.tolist()) == x.tolist()
    assert sorted(np.random.permutation(10).tolist()) == list(range(10))
    rows = np.arange(20).reshape(10, 2)
    np.random.shuffle(rows)
    assert (rows[:, 1] == rows[:, 0] + 1).all()
    assert sorted(rows[:, 0].tolist()) == list(range(0, 20, 2))
    assert len(set(np.random.choice(50, 20, replace=False).tolist())) == 20
    assert set(np.random.choice(5, 3, replace=False, p=[0.3, 0.3, 0.4, 0, 0]).tolist()) == {0, 1, 2}
    with pytest.raises(ShapeError):
        np.random.choice(3, 4, replace=False)
    with pytest.raises(ArgumentError):
        np.random.randint(3, 3)


@pytest.mark.parametrize(
    "draw", [np.random.categorical, npx.random.categorical, nd.random.categorical, nd.random.multinomial]
)
def test_categories_are_drawn_with_probabilities(draw):
    shares = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]])
    assert draw(shares).shape == (2,)
    many = draw(shares, (40, 50))
    assert (many.shape, many.dtype) == ((2, 40, 50), numpy.int32)
    assert (many[0].asnumpy() == 1).all()
    assert set(numpy.unique(many[1].asnumpy())) == {0, 2}
    assert abs(many[1].mean().item() - 1) < 0.1
    indices, logarithms = draw(shares, shape=(7,), get_prob=True, dtype="int64")
    assert indices.dtype == numpy.int64
    wanted = numpy.log(numpy.take_along_axis(shares.asnumpy(), indices.asnumpy(), -1))
    numpy.testing.assert_allclose(logarithms.asnumpy(), wanted, rtol=1e-6)
    with pytest.raises(ValueError, match="E345"):
        draw(np.log(np.array([0.5, 0.5])))
    with pytest.raises(TypeError):
        draw(shares, size=3)


@pytest.mark.parametrize("draw", [np.random.normal_n, np.random.uniform_n])
def test_several_numbers_for_each_parameter(draw):
    low, high = numpy.array([[0.0], [10.0], [20.0]]), numpy.array([1.0, 1.5, 2.0, 2.5])
    for batch, shape in ((None, (3, 4)), ((), (3, 4)), (2, (2, 3, 4)), ((2, 5), (2, 5, 3, 4))):
        assert draw(np.array(low), np.array(high), batch).shape == shape
        assert draw(0.0, 1.0, batch).shape == shape[:-2]
    spread = numpy.array([0.5, 1.0, 2.0, 4.0])
    ends = np.array(low + (spread if draw is np.random.uniform_n else 0))
    found = draw(np.array(low), ends if draw is np.random.uniform_n else np.array(spread), (4000,), dtype="float64")
    assert found.dtype == numpy.float64
    means = low + (spread / 2 if draw is np.random.uniform_n else 0 * spread)
    numpy.testing.assert_allclose(found.mean(0).asnumpy(), means, atol=0.3)
    wide = spread / 12**0.5 if draw is np.random.uniform_n else spread
    numpy.testing.assert_allclose(found.std(0).asnumpy(), numpy.broadcast_to(wide, (3, 4)), rtol=0.1)


@pytest.mark.parametrize("size", [None, (), 3, (2, 3)])
@pytest.mark.parametrize("shares", [[], (), np.zeros((0,))])
def test_counts_of_no_values_are_empty(size, shares):
    assert np.random.multinomial(10, shares, size=size).shape == numpy.random.multinomial(10, [], size=size).shape


def test_multinomial():
    counts = np.random.multinomial(1000, [0.2, 0.3, 0.5], size=4)
    assert counts.shape == (4, 3)
    assert counts.sum(1).tolist() == [1000] * 4
    numpy.testing.assert_allclose(counts.mean(0).asnumpy() / 1000, [0.2, 0.3, 0.5], atol=0.05)
    drawn = np.random.multivariate_normal([1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]], 5000).asnumpy()
    numpy.testing.assert_allclose(numpy.cov(drawn.T), [[2.0, 0.5], [0.5, 1.0]], atol=0.15)


def test_compiled_draws_equal_seeded_imperative_ones(trace):
    def draw():
        return (
            np.random.uniform(size=5),
            np.random.normal(size=(2, 3)),
            np.random.randint(0, 100, 4),
            np.random.permutation(6),
        )

    random.seed(3)
    expected = [x.asnumpy() for x in draw()]
    state = random.state.tolist()
    random.seed(3)
    for got, want in zip(trace(draw), expected, strict=True):
        numpy.testing.assert_allclose(got, want, rtol=1e-5)
    assert random.state.tolist() == state, "and the state is written"
    assert not numpy.array_equal(trace(draw)[0], expected[0]), "fresh numbers at every call"


def test_dropout_follows_the_mode(both):
    x = numpy.ones((100, 100), "float32")
    assert npx.dropout(np.array(x), 0.5).tolist() == x.tolist()
    with modes.mode(training=True):
        dropped = npx.dropout(np.array(x), 0.5).asnumpy()
        assert set(numpy.unique(dropped)) == {0.0, 2.0}
        assert 0.45 < (dropped == 0).mean() < 0.55
        assert (npx.dropout(np.array(x), 0.5).asnumpy() != dropped).any()
        random.seed(1)
        columns = npx.dropout(np.array(x), 0.5, axes=(0,)).asnumpy()
        assert (columns == columns[0]).all()
    assert (npx.dropout(np.array(x), 0.5, mode="always").asnumpy() == 0).any()
    with pytest.raises(ArgumentError):
        npx.dropout(np.array(x), 1.5)


OF_A_DTYPE = {
    "uniform": lambda dtype: np.random.uniform(-2, 3, 1000, dtype),
    "normal": lambda dtype: np.random.normal(0.0, 2.5, 1000, dtype),
    "gumbel": lambda dtype: np.exp(np.random.gumbel(size=1000, dtype=dtype)),  # near 0, a difference of two logarithms
    "logistic": lambda dtype: np.exp(np.random.logistic(size=1000, dtype=dtype)),
    "laplace": lambda dtype: np.random.laplace(size=1000, dtype=dtype),
    "gamma": lambda dtype: np.random.gamma(0.7, 1.5, 1000, dtype),
    "beta": lambda dtype: np.random.beta(2.0, 3.0, 1000, dtype),
    "of an array": lambda dtype: np.random.normal(
        np.zeros((1000,), dtype=dtype), np.array([0.3], dtype=dtype), dtype=dtype
    ),
}


@pytest.mark.parametrize("name", OF_A_DTYPE)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 2e-6), ("float64", 2e-15)])
def test_a_seed_draws_the_same_numbers_compiled_to_the_last_bits_of_the_dtype(name, dtype, tolerance):
    random.seed(3)
    expected = OF_A_DTYPE[name](dtype).asnumpy()
    random.seed(3)
    found = hybridize(OF_A_DTYPE[name])(dtype).asnumpy()
    assert found.dtype == expected.dtype == dtype
    numpy.testing.assert_allclose(found, expected, rtol=tolerance, atol=0)


def test_vectors_of_a_covariance_are_drawn_in_programs_too():
    mean, covariance = np.array([1.0, -2.0, 0.5]), np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 0.7]])

    def drawn(mean, covariance, size):
        return np.random.multivariate_normal(mean, covariance, size)

    compiled = hybridize(drawn)
    for size in (None, 5000, (40, 50)):
        for given in (covariance, covariance * 2.0):
            random.seed(3)
            expected = drawn(mean, given, size).asnumpy()
            random.seed(3)
            found = compiled(mean, given, size).asnumpy()
            numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    numpy.testing.assert_allclose(numpy.cov(found.reshape(-1, 3).T), 2 * covariance.asnumpy(), atol=0.3)
    assert hybridize(lambda: np.random.multivariate_normal([0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]]))().shape == (2,)


def test_a_covariance_that_has_no_factors_or_no_fitting_shape():
    compiled = hybridize(lambda mean, covariance: np.random.multivariate_normal(mean, covariance))
    for function in (np.random.multivariate_normal, compiled):
        with pytest.raises(numpy.linalg.LinAlgError, match="positive definite"):
            function(np.zeros((2,)), np.array([[1.0, 2.0], [2.0, 1.0]]))
        for mean, covariance in ((np.zeros((3,)), np.ones((2, 2))), (np.zeros((1, 2)), np.ones((2, 2)))):
            with pytest.raises(ShapeError, match="E118"):
                function(mean, covariance)
