"""Distributions against SciPy: densities, their integrals and inverses, moments and entropies; samples by KS tests."""

import numpy
import pytest
import scipy.stats

import hybridize
from hybridize import autograd, gluon, np
from hybridize.base.errors import ArgumentError, StateError
from hybridize.gluon import probability as gp

A, B = numpy.array([0.7, 1.5, 2.5], "float32"), numpy.array([0.5, 1.0, 2.0], "float32")
P = numpy.array([0.2, 0.5, 0.9], "float32")
CONTINUOUS = {
    "normal": (lambda a, b: gp.Normal(a, b), lambda a, b: scipy.stats.norm(a, b)),
    "laplace": (lambda a, b: gp.Laplace(a, b), lambda a, b: scipy.stats.laplace(a, b)),
    "cauchy": (lambda a, b: gp.Cauchy(a, b), lambda a, b: scipy.stats.cauchy(a, b)),
    "gumbel": (lambda a, b: gp.Gumbel(a, b), lambda a, b: scipy.stats.gumbel_r(a, b)),
    "uniform": (lambda a, b: gp.Uniform(a, a + b), lambda a, b: scipy.stats.uniform(a, b)),
    "half_normal": (lambda a, b: gp.HalfNormal(b), lambda a, b: scipy.stats.halfnorm(0, b)),
    "half_cauchy": (lambda a, b: gp.HalfCauchy(b), lambda a, b: scipy.stats.halfcauchy(0, b)),
    "student_t": (lambda a, b: gp.StudentT(a + 4, a, b), lambda a, b: scipy.stats.t(a + 4, a, b)),
    "exponential": (lambda a, b: gp.Exponential(b), lambda a, b: scipy.stats.expon(scale=b)),
    "gamma": (lambda a, b: gp.Gamma(a, b), lambda a, b: scipy.stats.gamma(a, scale=b)),
    "chi2": (lambda a, b: gp.Chi2(a), lambda a, b: scipy.stats.chi2(a)),
    "f": (lambda a, b: gp.FisherSnedecor(a, b + 5), lambda a, b: scipy.stats.f(a, b + 5)),
    "weibull": (lambda a, b: gp.Weibull(a, b), lambda a, b: scipy.stats.weibull_min(a, scale=b)),
    "pareto": (lambda a, b: gp.Pareto(a + 2, b), lambda a, b: scipy.stats.pareto(a + 2, scale=b)),
    "beta": (lambda a, b: gp.Beta(a, b), lambda a, b: scipy.stats.beta(a, b)),
}
COUNTS = {
    "bernoulli": (lambda p: gp.Bernoulli(prob=p), lambda p: scipy.stats.bernoulli(p), 2),
    "binomial": (lambda p: gp.Binomial(5, prob=p), lambda p: scipy.stats.binom(5, p), 6),
    "geometric": (lambda p: gp.Geometric(prob=p), lambda p: scipy.stats.geom(p, loc=-1), 8),
    "negative_binomial": (
        lambda p: gp.NegativeBinomial(p * 3, prob=p), lambda p: scipy.stats.nbinom(p * 3, 1 - p), 8,
    ),
    "poisson": (lambda p: gp.Poisson(p * 4), lambda p: scipy.stats.poisson(p * 4), 8),
}  # fmt: skip
WITHOUT_INTEGRALS = {"student_t", "gamma", "chi2", "f", "beta"}
UNDEFINED = {("cauchy", "mean"), ("cauchy", "variance"), ("half_cauchy", "mean"), ("half_cauchy", "variance")}


def close(found, wanted, **tolerances):
    numpy.testing.assert_allclose(found.asnumpy(), wanted, **{"rtol": 2e-4, "atol": 2e-5, **tolerances})


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_distributions(name):
    ours, theirs = CONTINUOUS[name]
    mine, of_scipy = ours(np.array(A), np.array(B)), theirs(A.astype("f8"), B.astype("f8"))
    assert mine.batch_shape == (3,)
    x = of_scipy.ppf([0.2, 0.6, 0.9]).astype("float32")
    close(mine.log_prob(np.array(x)), of_scipy.logpdf(x))
    close(mine.pdf(np.array(x)), of_scipy.pdf(x))
    for what in ("mean", "variance", "stddev"):
        if (name, what) not in UNDEFINED and (name, "variance" if what == "stddev" else what) not in UNDEFINED:
            close(getattr(mine, what), getattr(of_scipy, {"variance": "var", "stddev": "std"}.get(what, what))())
    for what, argument, wanted in (("cdf", x, of_scipy.cdf(x)), ("icdf", of_scipy.cdf(x), x)):
        if name in WITHOUT_INTEGRALS:
            with pytest.raises(NotImplementedError, match="E508"):
                getattr(mine, what)(np.array(x))
        else:
            close(getattr(mine, what)(np.array(argument.astype("float32"))), wanted, rtol=1e-3)
    if name != "f":
        close(mine.entropy(), of_scipy.entropy())
        close(mine.perplexity(), numpy.exp(of_scipy.entropy()))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_samples_follow_the_distribution(name):
    ours, theirs = CONTINUOUS[name]
    np.random.seed(3)
    mine = ours(np.array(A), np.array(B))
    assert mine.sample().shape == (3,)
    assert mine.sample((2, 3)).shape == (2, 3)
    drawn = mine.sample_n(4000).asnumpy()
    assert drawn.shape == (4000, 3)
    for k in range(3):
        assert scipy.stats.kstest(drawn[:, k], theirs(float(A[k]), float(B[k])).cdf).pvalue > 1e-4, k


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):
    ours, theirs, most = COUNTS[name]
    mine, of_scipy = ours(np.array(P)), theirs(P.astype("f8"))
    values = numpy.arange(most, dtype="float32").reshape(-1, 1)
    close(mine.log_prob(np.array(values)), of_scipy.logpmf(values), rtol=1e-3, atol=1e-4)
    close(mine.mean, of_scipy.mean(), rtol=1e-3)
    close(mine.variance, of_scipy.var(), rtol=1e-3)
    if name in ("bernoulli", "geometric"):
        close(mine.entropy(), of_scipy.entropy(), rtol=1e-3)
    if hasattr(np.random, "poisson") or name not in ("poisson", "negative_binomial"):
        np.random.seed(1)
        drawn = mine.sample_n(3000).asnumpy()
        assert drawn.shape == (3000, 3)
        spread = numpy.sqrt(of_scipy.var() / 3000)
        assert (abs(drawn.mean(0) - of_scipy.mean()) < 5 * spread + 1e-6).all()


def test_logits_and_probabilities_are_one():
    logit = np.array([-1.0, 0.5, 3.0])
    prob = 1 / (1 + np.exp(-logit))
    value = np.array([0.0, 1.0, 1.0])
    for kind in (gp.Bernoulli, gp.Geometric):
        close(kind(logit=logit).log_prob(value), kind(prob=prob).log_prob(value).asnumpy())
        close(kind(logit=logit).prob, prob.asnumpy())
    with pytest.raises(ValueError, match="E316"):
        gp.Bernoulli()
    with pytest.raises(ValueError, match="E316"):
        gp.Bernoulli(prob=prob, logit=logit)


def test_events():
    prob = numpy.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], "float32")
    number, one_hot = gp.Categorical(3, prob=np.array(prob)), gp.OneHotCategorical(3, logit=np.log(np.array(prob)))
    values = numpy.array([2, 0])
    wanted = numpy.log(prob[[0, 1], values])
    close(number.log_prob(np.array(values)), wanted)
    close(one_hot.log_prob(np.array(numpy.eye(3, dtype="float32")[values])), wanted)
    close(number.entropy(), scipy.stats.entropy(prob, axis=-1))
    assert number.enumerate_support().tolist() == [[0, 0], [1, 1], [2, 2]]
    assert one_hot.enumerate_support().shape == (3, 2, 3)
    np.random.seed(0)
    drawn = number.sample_n(4000).asnumpy()
    for row in range(2):
        share = numpy.bincount(drawn[:, row].astype(int), minlength=3) / 4000
        assert abs(share - prob[row]).max() < 0.04
    assert one_hot.sample((5, 2)).shape == (5, 2, 3)
    counts = gp.Multinomial(3, prob=np.array(prob), total_count=6)
    assert counts.sample().asnumpy().sum(-1).tolist() == [6, 6]
    close(
        counts.log_prob(np.array([[1.0, 2.0, 3.0]] * 2)),
        [scipy.stats.multinomial(6, row.astype("f8") / row.sum()).logpmf([1, 2, 3]) for row in prob], rtol=1e-3,
    )  # fmt: skip


def test_vectors():
    root = numpy.array([[1.0, 0, 0], [0.5, 2.0, 0], [0.2, -0.3, 0.7]])
    cov, loc = root @ root.T, numpy.array([1.0, -1.0, 0.5])
    theirs = scipy.stats.multivariate_normal(loc, cov)
    x = numpy.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    for given in ({"cov": cov}, {"precision": numpy.linalg.inv(cov)}, {"scale_tril": root}):
        mine = gp.MultivariateNormal(np.array(loc), **{name: np.array(m, dtype="float64") for name, m in given.items()})
        close(mine.log_prob(np.array(x, dtype="float64")), theirs.logpdf(x))
        close(mine.entropy(), theirs.entropy())
        close(mine.variance, numpy.diag(cov))
        np.random.seed(0)
        drawn = mine.sample_n(5000).asnumpy()
        assert abs(numpy.cov(drawn.T) - cov).max() < 0.3
    with pytest.raises(ValueError, match="E316"):
        gp.MultivariateNormal(np.array(loc))
    shares = gp.Dirichlet(np.array([1.0, 2.0, 3.0]))
    close(shares.log_prob(np.array([0.2, 0.3, 0.5])), scipy.stats.dirichlet([1.0, 2.0, 3.0]).logpdf([0.2, 0.3, 0.5]))
    close(shares.entropy(), scipy.stats.dirichlet([1.0, 2.0, 3.0]).entropy())
    close(shares.sample_n(7).sum(-1), numpy.ones(7))


PAIRS = [
    (gp.Normal(0.5, 1.0), gp.Normal(-0.5, 2.0)), (gp.Laplace(0.0, 1.0), gp.Laplace(1.0, 2.0)),
    (gp.Gumbel(0.0, 1.0), gp.Gumbel(0.5, 1.5)), (gp.Uniform(0.0, 1.0), gp.Uniform(-1.0, 2.0)),
    (gp.Uniform(0.0, 1.0), gp.Normal(0.0, 1.0)), (gp.Uniform(0.0, 1.0), gp.Gumbel(0.5, 1.5)),
    (gp.Exponential(2.0), gp.Exponential(1.0)), (gp.Exponential(1.0), gp.Normal(0.0, 2.0)),
    (gp.Exponential(1.0), gp.Gumbel(0.5, 1.5)), (gp.Exponential(1.0), gp.Gamma(1.5, 2.0)),
    (gp.Pareto(3.0, 2.0), gp.Pareto(2.0, 1.0)), (gp.Gamma(2.0, 1.0), gp.Gamma(1.5, 1.5)),
    (gp.Beta(2.0, 3.0), gp.Beta(1.5, 1.5)), (gp.HalfNormal(1.0), gp.HalfNormal(2.0)),
    (gp.Bernoulli(prob=0.3), gp.Bernoulli(prob=0.6)), (gp.Geometric(prob=0.5), gp.Geometric(prob=0.3)),
    (gp.Binomial(4, prob=0.3), gp.Binomial(4, prob=0.6)),
    (gp.Dirichlet(np.array([2.0, 3.0])), gp.Dirichlet(np.array([1.5, 1.5]))),
    (gp.Categorical(2, prob=np.array([0.3, 0.7])), gp.Categorical(2, prob=np.array([0.6, 0.4]))),
    (
        gp.MultivariateNormal(np.array([0.0, 1.0]), cov=np.array([[1.0, 0.3], [0.3, 1.0]])),
        gp.MultivariateNormal(np.array([0.5, 0.0]), cov=np.array([[2.0, 0.0], [0.0, 1.0]])),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("p", "q"), PAIRS, ids=lambda one: type(one).__name__)
def test_divergences_are_what_samples_say(p, q):
    np.random.seed(0)
    exact = gp.kl_divergence(p, q)
    samples = p.sample_n(20000)
    terms = (p.log_prob(samples) - q.log_prob(samples)).asnumpy().astype("f8")
    assert abs(float(exact) - terms.mean()) < 5 * terms.std() / numpy.sqrt(20000) + 1e-3
    close(gp.kl_divergence(p, p), 0.0, atol=1e-4)
    assert gp.empirical_kl(p, q, 10).shape == ()


def test_divergences_that_are_infinite_or_unknown():
    assert float(gp.kl_divergence(gp.Uniform(0.0, 2.0), gp.Uniform(0.0, 1.0))) == numpy.inf
    assert float(gp.kl_divergence(gp.Pareto(1.0, 1.0), gp.Pareto(1.0, 2.0))) == numpy.inf
    with pytest.raises(NotImplementedError, match="E508"):
        gp.kl_divergence(gp.Normal(), gp.Beta(1.0, 1.0))
    with pytest.raises(NotImplementedError, match="E508"):
        gp.kl_divergence(gp.Binomial(2, prob=0.5), gp.Binomial(3, prob=0.5))
    with pytest.raises(ArgumentError, match="E310"):
        gp.register_kl(gp.Normal, gp.Normal)(lambda p, q: 0)


@pytest.mark.parametrize("compiled", [False, True])
def test_arguments_are_checked(compiled):
    def density(scale, x):
        return gp.Normal(0.0, scale, validate_args=True).log_prob(x)

    run = hybridize.hybridize(density) if compiled else density
    run(np.array([1.0]), np.array([1.0]))
    with pytest.raises(ValueError, match="Normal: scale is > 0"):
        run(np.array([-1.0]), np.array([1.0]))
    with pytest.raises(ValueError, match="Normal: value is a number"):
        run(np.array([1.0]), np.array([numpy.nan]))


@pytest.mark.parametrize("compiled", [False, True])
def test_samples_have_gradients(compiled):
    def draw(loc, scale):
        return gp.Normal(loc, scale).sample((1000, 1)).mean(0)

    run = hybridize.hybridize(draw) if compiled else draw
    loc, scale = np.array([1.0]), np.array([2.0])
    loc.attach_grad()
    with autograd.record():
        y = run(loc, scale)
    y.backward()
    close(loc.grad, [1.0])


def test_distributions_that_are_made_of_others():
    base = gp.Normal(np.zeros((4, 3)), np.ones((4, 3)))
    whole = gp.Independent(base, 1)
    x = np.array(numpy.linspace(-1, 1, 12, dtype="float32").reshape(4, 3))
    close(whole.log_prob(x), base.log_prob(x).asnumpy().sum(-1))
    assert whole.batch_shape == (4,)
    assert whole.sample().shape == (4, 3)
    assert whole.broadcast_to((5, 4)).sample().shape == (5, 4, 3)
    log_normal = gp.TransformedDistribution(gp.Normal(0.5, 2.0), gp.ExpTransform())
    theirs = scipy.stats.lognorm(2.0, scale=numpy.exp(0.5))
    y = np.array([0.5, 1.0, 3.0])
    close(log_normal.log_prob(y), theirs.logpdf(y.asnumpy()))
    close(log_normal.cdf(y), theirs.cdf(y.asnumpy()))
    close(log_normal.icdf(np.array([0.2, 0.8])), theirs.ppf([0.2, 0.8]), rtol=1e-3)
    falling = gp.TransformedDistribution(gp.Normal(0.0, 1.0), gp.AffineTransform(1.0, -2.0))
    close(falling.cdf(np.array([0.3])), scipy.stats.norm(1.0, 2.0).cdf([0.3]))


@pytest.mark.parametrize(
    "one",
    [
        gp.ExpTransform(), gp.AffineTransform(1.0, -2.0), gp.PowerTransform(3.0), gp.SigmoidTransform(),
        gp.ComposeTransform([gp.ExpTransform(), gp.AffineTransform(0.0, 2.0)]),
    ],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_transformations(one):
    x = np.array([0.3, 0.7, 1.2], dtype="float64")
    y = one(x)
    close(one.inv(y), x.asnumpy())
    close(one.inv.inv(x), y.asnumpy())
    step = 1e-6
    slope = (one(x + step).asnumpy() - one(x - step).asnumpy()) / (2 * step)
    close(one.log_det_jacobian(x, y), numpy.log(abs(slope)), rtol=1e-3, atol=1e-4)
    assert (numpy.sign(slope) == one.sign).all()


def test_a_transformation_of_the_users_with_parameters():
    """MXNet's names of what it defines are not hybridize's own, though they begin with an underscore."""

    class Stretch(gp.TransformBlock):
        def __init__(self):
            super().__init__()
            self.by = gluon.Parameter("by", shape=(1,), init="ones")

        def _forward_compute(self, x):
            return 3 * x * self.by.data()

        def _inverse_compute(self, y):
            return y / (3 * self.by.data())

    stretch = Stretch()
    stretch.initialize()
    assert stretch(np.ones(2)).tolist() == [3, 3]
    assert stretch.inv(np.ones(2) * 6).tolist() == [2, 2]


def test_constraints_and_their_transformations():
    x = np.array([-2.0, 0.0, 3.0])
    for constraint in (
        gp.constraint.Positive(), gp.constraint.GreaterThan(2.0), gp.constraint.LessThan(-1.0),
        gp.constraint.Interval(1.0, 4.0), gp.constraint.UnitInterval(),
    ):  # fmt: skip
        constraint.check(gp.biject_to(constraint)(x))
    with pytest.raises(NotImplementedError):
        gp.biject_to(gp.constraint.Simplex())
    for constraint, wrong in (
        (gp.constraint.Boolean(), 2.0), (gp.constraint.IntegerInterval(0, 3), 1.5),
        (gp.constraint.IntegerInterval(0, 3), 4.0), (gp.constraint.NonNegativeInteger(), -1.0),
        (gp.constraint.OpenInterval(0, 1), 0.0), (gp.constraint.LessThanEq(1.0), 2.0),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="E345"):
            constraint.check(np.array([wrong]))
    with pytest.raises(ValueError, match="E345"):
        gp.constraint.Simplex().check(np.array([0.5, 0.6]))
    gp.constraint.LowerCholesky().check(np.array([[1.0, 0.0], [3.0, 2.0]]))
    with pytest.raises(ValueError, match="E345"):
        gp.constraint.PositiveDefinite().check(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert gp.constraint.is_dependent(gp.Pareto.support)
    assert not gp.constraint.is_dependent(gp.Pareto(1.0).support)


def test_relaxed_events():
    np.random.seed(0)
    one = gp.RelaxedBernoulli(0.5, prob=np.array([0.2, 0.7]))
    drawn = one.sample_n(3000).asnumpy()
    assert ((drawn > 0) & (drawn < 1)).all()
    assert abs((drawn > 0.5).mean(0) - [0.2, 0.7]).max() < 0.04
    grid = numpy.linspace(1e-4, 1 - 1e-4, 4001)
    density = numpy.exp(gp.RelaxedBernoulli(1.0, prob=0.3).log_prob(np.array(grid, dtype="float64")).asnumpy())
    assert numpy.trapezoid(density, grid) == pytest.approx(1.0, abs=1e-2)
    several = gp.RelaxedOneHotCategorical(0.5, 3, prob=np.array([0.2, 0.3, 0.5]))
    shares = several.sample_n(3000).asnumpy()
    assert abs(shares.sum(-1) - 1).max() < 1e-5
    assert abs(numpy.bincount(shares.argmax(-1)) / 3000 - [0.2, 0.3, 0.5]).max() < 0.04


class Layer(gp.StochasticBlock):
    @gp.StochasticBlock.collectLoss
    def forward(self, loc, scale):
        self.add_loss(gp.kl_divergence(gp.Normal(loc, scale), gp.Normal(0.0, 1.0)))
        self.add_loss((loc**2).sum(1))
        return loc + scale


class Undecorated(gp.StochasticBlock):
    def forward(self, loc, scale):
        return loc + scale


@pytest.mark.parametrize("compiled", [False, True])
def test_blocks_with_losses(compiled):
    net = Layer()
    if compiled:
        net.hybridize()
    loc, scale = np.array([[1.0, 2.0]]), np.array([[1.0, 1.0]])
    for factor in (1.0, 2.0):
        assert net(loc * factor, scale).asnumpy().tolist() == [[1.0 * factor + 1, 2.0 * factor + 1]]
        divergence, length = net.losses
        close(divergence, [[0.5 * factor**2, 2.0 * factor**2]])
        close(length, [5.0 * factor**2])
    wrong = Undecorated()
    if compiled:
        wrong.hybridize()
    with pytest.raises(ValueError, match="collectLoss"):
        wrong(loc, scale)
    with pytest.raises(StateError, match="E509"):
        net.add_loss(loc)


class Squared(gp.StochasticBlock):
    @gp.StochasticBlock.collectLoss
    def forward(self, x):
        self.add_loss(x**2)
        return x + 1


@pytest.mark.parametrize("compiled", [False, True])
def test_sequences_of_blocks_with_losses(compiled):
    net = gp.StochasticSequential()
    net.add(Squared(), hybridize.gluon.nn.HybridLambda(lambda x: x + 1), Squared())
    if compiled:
        net.hybridize()
    for _ in range(2):
        assert net(np.ones((2,))).tolist() == [4.0, 4.0]
        assert [[x.tolist() for x in losses] for losses in net.losses] == [[[1.0, 1.0]], [[9.0, 9.0]]]
    assert len(net) == 3
    assert isinstance(net[0], Squared)
    assert len(net[1:]) == 2
