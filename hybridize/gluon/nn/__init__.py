# SPDX-License-Identifier: Apache-2.0
"""Gluon's layers: containers, dense layers, convolutions, those that bend, attention, activations, normalization."""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.gluon",
    {
        "block": "Block",
        "hybrid_block": "HybridBlock",
        "nn.activations": "ELU GELU SELU Activation LeakyReLU PReLU SiLU Swish",
        "nn.attention": "DotProductAttention MultiHeadAttention",
        "nn.basic": "Dense Dropout Embedding Flatten HybridLambda Identity Lambda",
        "nn.containers": (
            "Concatenate HybridConcatenate HybridSequential Sequential Concurrent=Concatenate "
            "HybridConcurrent=HybridConcatenate"
        ),
        "nn.convolution": "Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose",
        "nn.deformable": "DeformableConvolution ModulatedDeformableConvolution",
        "nn.feed_forward": "GLU FeedForward SwiGLU",
        "nn.normalization": "BatchNorm BatchNormReLU GroupNorm InstanceNorm LayerNorm RMSNorm SyncBatchNorm",
        "nn.pooling": (
            "AvgPool1D AvgPool2D AvgPool3D GlobalAvgPool1D GlobalAvgPool2D GlobalAvgPool3D GlobalMaxPool1D "
            "GlobalMaxPool2D GlobalMaxPool3D MaxPool1D MaxPool2D MaxPool3D"
        ),
        "nn.positions": "LearnedPositionalEncoding PositionalEncoding RotaryEmbedding",
        "nn.shuffling": "PixelShuffle1D PixelShuffle2D PixelShuffle3D ReflectionPad2D",
        "nn.transformer": "TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
        "symbol_block": "SymbolBlock",
    },
)
"""Places of the layers."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(
    globals(), PLACES,
    {
        "Linear": "nn.Dense(units)", "Module": "nn.Block or nn.HybridBlock", "ReLU": "nn.Activation('relu')",
        "Sigmoid": "nn.Activation('sigmoid')", "Tanh": "nn.Activation('tanh')", "Softmax": "npx.softmax(x)",
        "CrossEntropyLoss": "gluon.loss.SoftmaxCrossEntropyLoss()", "MSELoss": "gluon.loss.L2Loss()",
        "BatchNorm2d": "nn.BatchNorm()", "MaxPool2d": "nn.MaxPool2D(pool_size)", "LSTM": "gluon.rnn.LSTM(hidden_size)",
        "Parameter": "gluon.Parameter(name, shape)",
    },
)  # fmt: skip
