"""Estimators of GluonTS: trained two epochs on made-up series; the losses, and forecasts that draw nothing."""

import random

import mxnet as mx
import numpy as np
from rules import Rule, signature

FREQUENCY, LENGTH = "D", 6
CARDINALITY = [3]


@mx.init.register
class Xavier(Rule):
    """Stands for the initializer of the name, which draws: layers that ask for it get weights by the rule, too."""


mx.init.Xavier = Xavier


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


def estimate(name, keywords, draws, data, hybridize):
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
    predictor = of_class(**kinds).train(data())
    forecasts = list(predictor.predict(data()))
    found = {"losses": signature(np.array(history.loss_history))} if history.loss_history and draws != "loss" else {}
    if draws:
        shapes = [one.samples.shape for one in forecasts]
        found["samples"] = signature(np.array(shapes, "float64"))
        assert all(np.isfinite(one.samples).all() for one in forecasts)
    else:
        found["forecasts"] = signature(
            np.stack([getattr(one, "samples", getattr(one, "forecast_array", None)) for one in forecasts])
        )
    return found


def gaussian(library):
    return library.GaussianOutput()


SMALL = {"num_cells": 8, "num_layers": 1, "dropout_rate": 0.0}
SUMS = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
ESTIMATORS = {
    "DeepAR": ("DeepAREstimator", {**SMALL, "num_parallel_samples": 5}, "samples"),
    "DeepAR Gaussian": ("DeepAREstimator", {**SMALL, "distr_output": gaussian, "num_parallel_samples": 5}, "samples"),
    "SimpleFeedForward": ("SimpleFeedForwardEstimator", {"freq": None, "num_hidden_dimensions": [8]}, "samples"),
    "MQCNN": ("MQCNNEstimator", {"channels_seq": [4, 4, 4], "decoder_mlp_dim_seq": [6]}, ""),
    "MQRNN": ("MQRNNEstimator", {"decoder_mlp_dim_seq": [6]}, ""),
    "Transformer": ("TransformerEstimator", {"model_dim": 8, "num_heads": 2, "dropout_rate": 0.0}, "samples"),
    "WaveNet": ("WaveNetEstimator", {"embedding_dimension": 3, "n_residue": 4, "n_skip": 4, "num_bins": 16, "cardinality": CARDINALITY}, "samples"),
    "DeepState": ("DeepStateEstimator", {**SMALL, "cardinality": CARDINALITY, "num_parallel_samples": 5}, "samples"),
    "DeepFactor": ("DeepFactorEstimator", {"num_hidden_global": 8, "num_hidden_local": 4, "cardinality": CARDINALITY}, "loss"),
    "NBEATS": ("NBEATSEstimator", {"num_stacks": 2, "num_blocks": [1], "widths": [8]}, ""),
    "NBEATS ensemble": ("NBEATSEnsembleEstimator", {"num_stacks": 2, "num_blocks": [1], "widths": [8], "meta_context_length": [12], "meta_bagging_size": 1}, ""),
    "TFT": ("TemporalFusionTransformerEstimator", {"hidden_dim": 8, "num_heads": 2, "dropout_rate": 0.0}, ""),
    "CanonicalRNN": ("CanonicalRNNEstimator", {"context_length": 12, "num_layers": 1, "num_cells": 8, "cardinality": CARDINALITY}, "samples"),
    "MLPForecaster": ("MLPForecasterEstimator", {"context_length": 12, "hidden_dim_sequence": [8], "cardinality": CARDINALITY}, "samples"),
    "Renewal": ("DeepRenewalProcessEstimator", {"freq": None, "context_length": 12, "num_cells": 4, "num_layers": 1}, "samples"),
    "GP": ("GaussianProcessEstimator", {"cardinality": 3}, "samples"),
    "DeepVAR": ("DeepVAREstimator", {**SMALL, "target_dim": 3, "rank": 2, "num_parallel_samples": 5}, "samples", vectors),
    "DeepVAR hierarchical": ("DeepVARHierarchicalEstimator", {**SMALL, "S": SUMS, "num_parallel_samples": 5, "likelihood_weight": 1.0, "CRPS_weight": 0.0}, "samples", vectors),
    "GPVAR": ("GPVAREstimator", {**SMALL, "target_dim": 3, "num_parallel_samples": 5, "shuffle_target_dim": False}, "samples", vectors),
    "LSTNet": ("LSTNetEstimator", {"freq": None, "context_length": 28, "num_series": 3, "skip_size": 7, "ar_window": 7, "channels": 7, "rnn_num_cells": 4, "skip_rnn_num_cells": 3, "dropout_rate": 0.0}, "", vectors),
}  # fmt: skip
PROGRAMS = {
    f"{name}{', hybridized' if hybridize else ''}": (estimate, kind, keywords, draws, *(data or [series]), hybridize)
    for name, (kind, keywords, draws, *data) in ESTIMATORS.items()
    for hybridize in (False, True)
}
