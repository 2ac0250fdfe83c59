"""Blocks of GluonTS: convolutions over time, encoders, decoders, scalers, features, losses of quantiles."""

import importlib

import mxnet as mx
from forecasts import Xavier
from rules import drawn, numbers, stages

N, T = 3, 8
SERIES, SINGLE, COVARIATES, STATIC = (N, T, 2), (N, T, 1), (N, T, 3), (N, 4)
LEVELS = [0.1, 0.5, 0.9]


def categories(*shape):
    """Classes 0, 1 and 2."""
    return mx.nd.floor(mx.nd.abs(numbers(shape)) * 2.99)


def block_of(name, *inputs, train=True, hybridize=True, **keywords):
    """A block by its path, on inputs that are given by their shapes."""
    module, _, kind = name.rpartition(".")
    module = importlib.import_module(f"gluonts.mx.{module}")
    keywords = {key: value() if callable(value) else value for key, value in keywords.items()}
    block = getattr(module, kind)(**keywords)
    block.initialize(Xavier())
    return stages(
        block, *(numbers(one) if isinstance(one, tuple) else one() for one in inputs), train=train, hybridize=hybridize
    )


def embedder():
    from gluonts.mx.block.feature import FeatureEmbedder

    return FeatureEmbedder([3, 3], [2, 4])


def projection():
    from gluonts.mx.block.quantile_output import QuantileOutput

    net = QuantileOutput(LEVELS).get_quantile_proj()
    net.initialize(Xavier())
    return stages(net, numbers(SERIES))


def observed():
    return mx.nd.array(drawn((N, T)) > -0.8)


def pairs():
    return categories(N, T, 2)


def singles():
    return categories(N, 2)


ENCODER = (SINGLE, STATIC, COVARIATES)
PROGRAMS = {
    "CausalConv1D": (block_of, "block.cnn.CausalConv1D", (N, 2, T)),
    "DilatedCausalGated": (block_of, "block.cnn.DilatedCausalGated", (N, 2, T)),
    "RNN": (block_of, "block.rnn.RNN", SERIES),
    "LSTM of both directions": (block_of, "block.rnn.RNN", SERIES),
    "MLP": (block_of, "block.mlp.MLP", SERIES),
    "ForkingMLPDecoder": (block_of, "block.decoder.ForkingMLPDecoder", STATIC, (N, T, 5)),
    "OneShotDecoder": (block_of, "block.decoder.OneShotDecoder", STATIC, (N, T, 5)),
    "HierarchicalCausalConv1DEncoder": (block_of, "block.encoder.HierarchicalCausalConv1DEncoder", *ENCODER),
    "RNNEncoder": (block_of, "block.encoder.RNNEncoder", *ENCODER),
    "MLPEncoder": (block_of, "block.encoder.MLPEncoder", *ENCODER),
    "MeanScaler": (block_of, "block.scaler.MeanScaler", (N, T), observed),
    "MinMax": (block_of, "block.scaler.MinMax", (N, T), observed),
    "NOPScaler": (block_of, "block.scaler.NOPScaler", (N, T), observed),
    "FeatureEmbedder": (block_of, "block.feature.FeatureEmbedder", pairs),
    "FeatureAssembler": (block_of, "block.feature.FeatureAssembler", singles, STATIC, pairs, COVARIATES),
    "QuantileLoss": (block_of, "block.quantile_output.QuantileLoss", (N, T), (N, T, 3)),
    "quantiles": (projection,),
}
KEYWORDS = {
    "CausalConv1D": {"channels": 4, "kernel_size": 3, "dilation": 2, "activation": "tanh"},
    "DilatedCausalGated": {"inner_channels": 4, "out_channels": 2, "kernel_size": 2, "dilation": 2},
    "RNN": {"mode": "gru", "num_hidden": 4, "num_layers": 2},
    "LSTM of both directions": {"mode": "lstm", "num_hidden": 4, "num_layers": 1, "bidirectional": True},
    "MLP": {"layer_sizes": [5, 4], "flatten": False},
    "ForkingMLPDecoder": {"dec_len": 3, "final_dim": 2, "hidden_dimension_sequence": [4]},
    "OneShotDecoder": {"decoder_length": T, "layer_sizes": [4, 2], "static_outputs_per_time_step": 3},
    "HierarchicalCausalConv1DEncoder": {
        "dilation_seq": [1, 2], "kernel_size_seq": [3, 3], "channels_seq": [4, 4], "use_residual": True,
        "use_static_feat": True, "use_dynamic_feat": True,
    },
    "RNNEncoder": {
        "mode": "lstm", "hidden_size": 4, "num_layers": 1, "bidirectional": True, "use_static_feat": True,
        "use_dynamic_feat": True,
    },
    "MLPEncoder": {"layer_sizes": [5, 4]},
    "MinMax": {"axis": 1, "train": False, "hybridize": False},
    "NOPScaler": {"train": False},
    "MeanScaler": {"minimum_scale": 0.01, "keepdims": True, "axis": 1, "train": False},
    "FeatureEmbedder": {"cardinalities": [3, 3], "embedding_dims": [2, 4], "train": False},
    "FeatureAssembler": {
        "T": T, "use_static_cat": True, "use_static_real": True, "use_dynamic_cat": True, "use_dynamic_real": True,
        "embed_static": embedder, "embed_dynamic": embedder, "train": False,
    },
    "QuantileLoss": {"quantiles": LEVELS, "train": False},
}  # fmt: skip


def with_keywords(name, function, *arguments):
    return function(*arguments, **KEYWORDS.get(name, {}))


PROGRAMS = {name: (with_keywords, name, *row) for name, row in PROGRAMS.items()}
