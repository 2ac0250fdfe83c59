"""Distributions of GluonTS on the outputs of a layer: losses, moments, and gradients; imperatively, hybridized."""

import mxnet as mx
import numpy as np
from forecasts import Xavier
from mxnet import autograd, gluon
from rules import drawn, signature

SHAPE = (3, 4)
MOMENTS = ("mean", "variance", "stddev")
POSITIVE, SHARE, COUNT, CLASS, CORNER = "positive", "share", "count", "class", "corner"


def targets(kind, shape=SHAPE):
    """Numbers that a distribution may give."""
    numbers = drawn(shape) / np.sqrt(3)
    if kind == POSITIVE:
        numbers = np.abs(numbers) * 3 + 0.1
    elif kind in (SHARE, CORNER):
        numbers = np.abs(numbers) * 0.9 + 0.05
        if kind == CORNER:
            numbers.ravel()[:5] = [0, 1, 0, 0.5, 1]
    elif kind in (COUNT, CLASS):
        numbers = np.floor(np.abs(numbers) * (8 if kind == COUNT else 3))
    return mx.nd.array(numbers)


class Asked(gluon.HybridBlock):
    """What a distribution answers, whose parameters a layer makes of features."""

    def __init__(self, output, question, **kwargs):
        super().__init__(**kwargs)
        self.output, self.question = output, question
        with self.name_scope():
            self.parameters = output.get_args_proj()

    def hybrid_forward(self, F, x, y=None):
        distribution = self.output.distribution(self.parameters(x))
        if self.question in MOMENTS:
            return getattr(distribution, self.question)
        return getattr(distribution, self.question)(y)


def answers(make, kind, shape=SHAPE):
    import gluonts.mx.distribution as library

    found = {}
    for question in ("loss", "log_prob", "cdf", "crps", *MOMENTS):
        for hybridize in (False, True):
            stage = f"{question}{', hybridized' if hybridize else ''}"
            block = Asked(make(library), question)
            block.initialize(Xavier())
            if hybridize:
                block.hybridize()
            x, y = mx.nd.array(drawn((*SHAPE, 5))), targets(kind, shape)
            x.attach_grad()
            block.parameters(x)
            for number, parameter in enumerate(block.parameters.collect_params().values()):
                parameter.set_data(parameter.data() * (0.3 + number / 8) + number / 8)
            try:
                with autograd.record():
                    answer = block(x) if question in MOMENTS else block(x, y)
                found[stage] = signature(answer)
                if question in ("loss", "log_prob", "crps"):
                    answer.backward()
                    found[stage] += signature(x.grad)
                if not np.isfinite(found[stage]).all():
                    found[stage] = []
            except (NotImplementedError, AttributeError, AssertionError, ValueError, TypeError, mx.base.MXNetError):
                found[stage] = []  # refused, as what has no history is
    return found


def mixture(library):
    return library.MixtureDistributionOutput([library.GaussianOutput(), library.StudentTOutput()])


def centers():
    return mx.nd.array([-1.0, -0.5, 0, 0.5, 1])


OUTPUTS = {
    "Beta": (lambda one: one.BetaOutput(), SHARE),
    "Binned": (lambda one: one.BinnedOutput(centers()), ""),
    "Categorical": (lambda one: one.CategoricalOutput(3), CLASS),
    "Deterministic": (lambda one: one.DeterministicOutput(0.5), ""),
    "Dirichlet": (lambda one: one.DirichletOutput(2), SHARE, (*SHAPE, 2)),
    "Gamma": (lambda one: one.GammaOutput(), POSITIVE),
    "Gaussian": (lambda one: one.GaussianOutput(), ""),
    "GenPareto": (lambda one: one.GenParetoOutput(), POSITIVE),
    "ISQF": (lambda one: one.ISQFOutput(3, [0.1, 0.5, 0.9]), ""),
    "Laplace": (lambda one: one.LaplaceOutput(), ""),
    "LaplaceFixedVariance": (lambda one: one.LaplaceFixedVarianceOutput(), ""),
    "LogitNormal": (lambda one: one.LogitNormalOutput(), SHARE),
    "LowrankMultivariateGaussian": (lambda one: one.LowrankMultivariateGaussianOutput(3, 2), "", (*SHAPE, 3)),
    "Mixture": (mixture, ""),
    "MultivariateGaussian": (lambda one: one.MultivariateGaussianOutput(3), "", (*SHAPE, 3)),
    "NegativeBinomial": (lambda one: one.NegativeBinomialOutput(), COUNT),
    "OneInflatedBeta": (lambda one: one.OneInflatedBetaOutput(), CORNER),
    "PiecewiseLinear": (lambda one: one.PiecewiseLinearOutput(4), ""),
    "FixedKnotsPiecewiseLinear": (lambda one: one.FixedKnotsPiecewiseLinearOutput(np.array([0.2, 0.5, 0.8])), ""),
    "Poisson": (lambda one: one.PoissonOutput(), COUNT),
    "Uniform": (lambda one: one.UniformOutput(), SHARE),
    "ZeroAndOneInflatedBeta": (lambda one: one.ZeroAndOneInflatedBetaOutput(), CORNER),
    "ZeroInflatedBeta": (lambda one: one.ZeroInflatedBetaOutput(), CORNER),
    "ZeroInflatedNegativeBinomial": (lambda one: one.ZeroInflatedNegativeBinomialOutput(), COUNT),
    "ZeroInflatedPoisson": (lambda one: one.ZeroInflatedPoissonOutput(), COUNT),
    "StudentT": (lambda one: one.StudentTOutput(), ""),
}
PROGRAMS = {name: (answers, *row) for name, row in OUTPUTS.items()}
