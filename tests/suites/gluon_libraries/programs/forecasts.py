"""Estimators of GluonTS: trained two epochs on made-up series; the losses, and the forecasts.

What is drawn, two packages draw differently: a number that a distribution's parameters give stands for each draw.
"""

import contextlib
import random
from unittest import mock

import mxnet as mx
import numpy as np
from rules import Rule, signature

FREQUENCY, LENGTH = "D", 6
CARDINALITY = [3]


@mx.init.register
class Xavier(Rule):
    """Stands for the initializer of the name, which draws: layers that ask for it get weights by the rule, too."""


mx.init.Xavier = Xavier


def undrawn(F):
    """What stands for functions that draw: numbers that follow from the parameters of the distributions."""

    def spread(x, shape):
        for size in () if shape is None else shape if isinstance(shape, (tuple, list)) else (shape,):
            x = F.repeat(F.expand_dims(x, axis=-1), repeats=size, axis=-1)
        return x

    def normal(mu, sigma, shape=None, dtype=None):
        return spread(F.broadcast_add(mu, sigma * 0.5), shape)

    def gamma(alpha, beta, shape=None, dtype=None):
        return spread(F.broadcast_mul(alpha, beta), shape)

    def multinomial(data, shape=None, dtype="int32"):
        return spread(F.argmax(data, axis=-1), shape).astype(dtype)

    def poisson(lam, dtype=None):
        return F.round(lam)

    numbers = {"sample_normal": normal, "sample_gamma": gamma, "sample_multinomial": multinomial}
    return [(F, numbers), (F.random, {"poisson": poisson, "gamma": gamma})]


def targets():
    time = np.arange(150)
    return [10 + 3 * np.sin(time * 2 * np.pi / 7 + row) + np.sin(time * 0.7 * (row + 1)) for row in range(3)]


def series():
    """Three series, each of one number a day."""
    from gluonts.dataset.common import ListDataset

    rows = [{"start": "2021-01-01", "target": target, "feat_static_cat": [row]} for row, target in enumerate(targets())]
    return ListDataset(rows, freq=FREQUENCY)


def vectors():
    """A series of three numbers a day; the first is the sum of the others."""
    from gluonts.dataset.common import ListDataset

    _, first, second = targets()
    target = np.stack([first + second, first, second])
    return ListDataset([{"start": "2021-01-01", "target": target}], freq=FREQUENCY, one_dim_target=False)


def trainer(history, hybridize):
    from gluonts.mx.trainer import Trainer

    return Trainer(
        ctx=mx.cpu(), epochs=2, num_batches_per_epoch=3, learning_rate=1e-3, hybridize=hybridize, init=Rule(),
        callbacks=[history],
    )  # fmt: skip


def estimate(name, keywords, data, hybridize):
    import gluonts.mx as library
    from gluonts.mx.model.canonical._estimator import MLPForecasterEstimator
    from gluonts.mx.trainer.callback import TrainingHistory

    np.random.seed(3)
    random.seed(3)
    mx.random.seed(3)
    history = TrainingHistory()
    kinds = {"freq": FREQUENCY, "prediction_length": LENGTH, "trainer": trainer(history, hybridize)}
    keywords = {key: value(library) if callable(value) else value for key, value in keywords.items()}
    kinds = {key: value for key, value in {**kinds, **keywords}.items() if value is not None}
    of_class = MLPForecasterEstimator if name == "MLPForecasterEstimator" else getattr(library, name)
    with contextlib.ExitStack() as stack:
        for module, functions in (*undrawn(mx.nd), *undrawn(mx.sym)):
            stack.enter_context(mock.patch.multiple(module, **functions))
        predictor = of_class(**kinds).train(data())
        forecasts = list(predictor.predict(data()))
    found = {"losses": signature(np.array(history.loss_history))} if history.loss_history else {}
    arrays = [one.samples[:5] if hasattr(one, "samples") else one.forecast_array for one in forecasts]
    return {**found, "forecasts": signature(np.stack(arrays))}


def gaussian(library):
    return library.GaussianOutput()


SMALL = {"num_cells": 8, "num_layers": 1, "dropout_rate": 0.0}
SUMS = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
ESTIMATORS = {
    "DeepAR": ("DeepAREstimator", {**SMALL, "num_parallel_samples": 5}),
    "DeepAR Gaussian": ("DeepAREstimator", {**SMALL, "distr_output": gaussian, "num_parallel_samples": 5}),
    "SimpleFeedForward": ("SimpleFeedForwardEstimator", {"freq": None, "num_hidden_dimensions": [8]}),
    "MQCNN": ("MQCNNEstimator", {"channels_seq": [4, 4, 4], "decoder_mlp_dim_seq": [6]}),
    "MQRNN": ("MQRNNEstimator", {"decoder_mlp_dim_seq": [6]}),
    "Transformer": ("TransformerEstimator", {"model_dim": 8, "num_heads": 2, "dropout_rate": 0.0}),
    "WaveNet": ("WaveNetEstimator", {"embedding_dimension": 3, "n_residue": 4, "n_skip": 4, "num_bins": 16, "cardinality": CARDINALITY}),
    "DeepState": ("DeepStateEstimator", {**SMALL, "cardinality": CARDINALITY, "num_parallel_samples": 5}),
    "DeepFactor": ("DeepFactorEstimator", {"num_hidden_global": 8, "num_hidden_local": 4, "cardinality": CARDINALITY}),
    "NBEATS": ("NBEATSEstimator", {"num_stacks": 2, "num_blocks": [1], "widths": [8]}),
    "NBEATS ensemble": ("NBEATSEnsembleEstimator", {"num_stacks": 2, "num_blocks": [1], "widths": [8], "meta_context_length": [12], "meta_bagging_size": 1}),
    "TFT": ("TemporalFusionTransformerEstimator", {"hidden_dim": 8, "num_heads": 2, "dropout_rate": 0.0}),
    "CanonicalRNN": ("CanonicalRNNEstimator", {"context_length": 12, "num_layers": 1, "num_cells": 8, "cardinality": CARDINALITY}),
    "MLPForecaster": ("MLPForecasterEstimator", {"context_length": 12, "hidden_dim_sequence": [8], "cardinality": CARDINALITY}),
    "Renewal": ("DeepRenewalProcessEstimator", {"freq": None, "context_length": 12, "num_cells": 4, "num_layers": 1}),
    "GP": ("GaussianProcessEstimator", {"cardinality": 3}),
    "DeepVAR": ("DeepVAREstimator", {**SMALL, "target_dim": 3, "rank": 2, "num_parallel_samples": 5}, vectors),
    "DeepVAR hierarchical": ("DeepVARHierarchicalEstimator", {**SMALL, "S": SUMS, "num_parallel_samples": 5, "likelihood_weight": 1.0, "CRPS_weight": 0.0}, vectors),
    "GPVAR": ("GPVAREstimator", {**SMALL, "target_dim": 3, "num_parallel_samples": 5, "shuffle_target_dim": False}, vectors),
    "LSTNet": ("LSTNetEstimator", {"freq": None, "context_length": 28, "num_series": 3, "skip_size": 7, "ar_window": 7, "channels": 7, "rnn_num_cells": 4, "skip_rnn_num_cells": 3, "dropout_rate": 0.0}, vectors),
}  # fmt: skip
PROGRAMS = {
    f"{name}{', hybridized' if hybridize else ''}": (estimate, kind, keywords, *(data or [series]), hybridize)
    for name, (kind, keywords, *data) in ESTIMATORS.items()
    for hybridize in (False, True)
}
