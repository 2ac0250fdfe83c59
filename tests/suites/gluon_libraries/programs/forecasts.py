"""Estimators of GluonTS: trained two epochs on made-up series; the losses, and forecasts that draw nothing."""

import random

import mxnet as mx
import numpy as np
from rules import Rule, signature

FREQUENCY, LENGTH = "D", 6
CARDINALITY = [3]


def series():
    from gluonts.dataset.common import ListDataset

    time = np.arange(150)
    rows = [
        {
            "start": "2021-01-01",
            "target": 10 + 3 * np.sin(time * 2 * np.pi / 7 + number) + np.sin(time * 0.7 * (number + 1)),
            "feat_static_cat": [number],
        }
        for number in range(3)
    ]
    return ListDataset(rows, freq=FREQUENCY)


def trainer(history, hybridize):
    from gluonts.mx.trainer import Trainer

    return Trainer(
        ctx=mx.cpu(), epochs=2, num_batches_per_epoch=3, learning_rate=1e-3, hybridize=hybridize, init=Rule(),
        callbacks=[history],
    )  # fmt: skip


def estimate(name, keywords, draws, hybridize):
    import gluonts.mx as library
    from gluonts.mx.trainer.callback import TrainingHistory

    np.random.seed(3)
    random.seed(3)
    mx.random.seed(3)
    history = TrainingHistory()
    kinds = {"freq": FREQUENCY, "prediction_length": LENGTH, "trainer": trainer(history, hybridize)}
    keywords = {key: value(library) if callable(value) else value for key, value in keywords.items()}
    if "freq" in keywords and keywords["freq"] is None:
        keywords.pop("freq"), kinds.pop("freq")
    estimator = getattr(library, name)(**kinds, **keywords)
    predictor = estimator.train(series())
    forecasts = list(predictor.predict(series()))
    found = {} if draws == "loss" else {"losses": signature(np.array(history.loss_history))}
    if draws:
        shapes = [one.samples.shape for one in forecasts]
        found["samples"] = signature(np.array(shapes, "float64"))
        assert all(np.isfinite(one.samples).all() for one in forecasts)
    else:
        found["forecasts"] = signature(np.stack([one.forecast_array for one in forecasts]))
    return found


def gaussian(library):
    return library.GaussianOutput()


SMALL = {"num_cells": 8, "num_layers": 1, "dropout_rate": 0.0}
ESTIMATORS = {
    "DeepAR": ("DeepAREstimator", {**SMALL, "num_parallel_samples": 5}, "samples"),
    "DeepAR Gaussian": ("DeepAREstimator", {**SMALL, "distr_output": gaussian, "num_parallel_samples": 5}, "samples"),
    "SimpleFeedForward": ("SimpleFeedForwardEstimator", {"freq": None, "num_hidden_dimensions": [8]}, "samples"),
    "MQCNN": ("MQCNNEstimator", {"channels_seq": [4, 4, 4], "decoder_mlp_dim_seq": [6]}, ""),
    "MQRNN": ("MQRNNEstimator", {"decoder_mlp_dim_seq": [6]}, ""),
    "Transformer": ("TransformerEstimator", {"model_dim": 8, "num_heads": 2, "dropout_rate": 0.0}, "samples"),
    "WaveNet": ("WaveNetEstimator", {"embedding_dimension": 3, "n_residue": 4, "n_skip": 4, "num_bins": 16}, "samples"),
    "DeepState": ("DeepStateEstimator", {**SMALL, "cardinality": CARDINALITY, "num_parallel_samples": 5}, "samples"),
    "DeepFactor": ("DeepFactorEstimator", {"num_hidden_global": 8, "num_hidden_local": 4, "cardinality": CARDINALITY}, "loss"),
    "NBEATS": ("NBEATSEstimator", {"num_stacks": 2, "num_blocks": [1], "widths": [8]}, "samples"),
    "TFT": ("TemporalFusionTransformerEstimator", {"hidden_dim": 8, "num_heads": 2, "dropout_rate": 0.0}, ""),
    "CanonicalRNN": ("CanonicalRNNEstimator", {"context_length": 12, "num_layers": 1, "num_cells": 8, "cardinality": CARDINALITY}, "samples"),
    "Renewal": ("DeepRenewalProcessEstimator", {"freq": None, "context_length": 12, "num_cells": 4, "num_layers": 1}, "samples"),
    "GP": ("GaussianProcessEstimator", {"cardinality": 3}, "samples"),
}  # fmt: skip
PROGRAMS = {
    f"{name}{', hybridized' if hybridize else ''}": (estimate, *row, hybridize)
    for name, row in ESTIMATORS.items()
    for hybridize in (False, True)
}
