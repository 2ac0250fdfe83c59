# Written by `docs/make.py` from the module's table of names.

from hybridize.gluon.block import Block as Block
from hybridize.gluon.hybrid_block import HybridBlock as HybridBlock
from hybridize.gluon.nn.activations import Activation as Activation
from hybridize.gluon.nn.activations import ELU as ELU
from hybridize.gluon.nn.activations import GELU as GELU
from hybridize.gluon.nn.activations import LeakyReLU as LeakyReLU
from hybridize.gluon.nn.activations import PReLU as PReLU
from hybridize.gluon.nn.activations import SELU as SELU
from hybridize.gluon.nn.activations import SiLU as SiLU
from hybridize.gluon.nn.activations import Swish as Swish
from hybridize.gluon.nn.attention import DotProductAttention as DotProductAttention
from hybridize.gluon.nn.attention import MultiHeadAttention as MultiHeadAttention
from hybridize.gluon.nn.basic import Dense as Dense
from hybridize.gluon.nn.basic import Dropout as Dropout
from hybridize.gluon.nn.basic import Embedding as Embedding
from hybridize.gluon.nn.basic import Flatten as Flatten
from hybridize.gluon.nn.basic import HybridLambda as HybridLambda
from hybridize.gluon.nn.basic import Identity as Identity
from hybridize.gluon.nn.basic import Lambda as Lambda
from hybridize.gluon.nn.containers import Concatenate as Concatenate
from hybridize.gluon.nn.containers import Concatenate as Concurrent
from hybridize.gluon.nn.containers import HybridConcatenate as HybridConcatenate
from hybridize.gluon.nn.containers import HybridConcatenate as HybridConcurrent
from hybridize.gluon.nn.containers import HybridSequential as HybridSequential
from hybridize.gluon.nn.containers import Sequential as Sequential
from hybridize.gluon.nn.convolution import Conv1D as Conv1D
from hybridize.gluon.nn.convolution import Conv1DTranspose as Conv1DTranspose
from hybridize.gluon.nn.convolution import Conv2D as Conv2D
from hybridize.gluon.nn.convolution import Conv2DTranspose as Conv2DTranspose
from hybridize.gluon.nn.convolution import Conv3D as Conv3D
from hybridize.gluon.nn.convolution import Conv3DTranspose as Conv3DTranspose
from hybridize.gluon.nn.deformable import DeformableConvolution as DeformableConvolution
from hybridize.gluon.nn.deformable import ModulatedDeformableConvolution as ModulatedDeformableConvolution
from hybridize.gluon.nn.feed_forward import FeedForward as FeedForward
from hybridize.gluon.nn.feed_forward import GLU as GLU
from hybridize.gluon.nn.feed_forward import SwiGLU as SwiGLU
from hybridize.gluon.nn.normalization import BatchNorm as BatchNorm
from hybridize.gluon.nn.normalization import BatchNormReLU as BatchNormReLU
from hybridize.gluon.nn.normalization import GroupNorm as GroupNorm
from hybridize.gluon.nn.normalization import InstanceNorm as InstanceNorm
from hybridize.gluon.nn.normalization import LayerNorm as LayerNorm
from hybridize.gluon.nn.normalization import RMSNorm as RMSNorm
from hybridize.gluon.nn.normalization import SyncBatchNorm as SyncBatchNorm
from hybridize.gluon.nn.pooling import AvgPool1D as AvgPool1D
from hybridize.gluon.nn.pooling import AvgPool2D as AvgPool2D
from hybridize.gluon.nn.pooling import AvgPool3D as AvgPool3D
from hybridize.gluon.nn.pooling import GlobalAvgPool1D as GlobalAvgPool1D
from hybridize.gluon.nn.pooling import GlobalAvgPool2D as GlobalAvgPool2D
from hybridize.gluon.nn.pooling import GlobalAvgPool3D as GlobalAvgPool3D
from hybridize.gluon.nn.pooling import GlobalMaxPool1D as GlobalMaxPool1D
from hybridize.gluon.nn.pooling import GlobalMaxPool2D as GlobalMaxPool2D
from hybridize.gluon.nn.pooling import GlobalMaxPool3D as GlobalMaxPool3D
from hybridize.gluon.nn.pooling import MaxPool1D as MaxPool1D
from hybridize.gluon.nn.pooling import MaxPool2D as MaxPool2D
from hybridize.gluon.nn.pooling import MaxPool3D as MaxPool3D
from hybridize.gluon.nn.positions import LearnedPositionalEncoding as LearnedPositionalEncoding
from hybridize.gluon.nn.positions import PositionalEncoding as PositionalEncoding
from hybridize.gluon.nn.positions import RotaryEmbedding as RotaryEmbedding
from hybridize.gluon.nn.shuffling import PixelShuffle1D as PixelShuffle1D
from hybridize.gluon.nn.shuffling import PixelShuffle2D as PixelShuffle2D
from hybridize.gluon.nn.shuffling import PixelShuffle3D as PixelShuffle3D
from hybridize.gluon.nn.shuffling import ReflectionPad2D as ReflectionPad2D
from hybridize.gluon.nn.transformer import TransformerDecoder as TransformerDecoder
from hybridize.gluon.nn.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from hybridize.gluon.nn.transformer import TransformerEncoder as TransformerEncoder
from hybridize.gluon.nn.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from hybridize.gluon.symbol_block import SymbolBlock as SymbolBlock

PLACES: dict[str, str]
__all__ = [
    "Activation", "AvgPool1D", "AvgPool2D", "AvgPool3D", "BatchNorm", "BatchNormReLU", "Block", "Concatenate",
    "Concurrent", "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose",
    "DeformableConvolution", "Dense", "DotProductAttention", "Dropout", "ELU", "Embedding", "FeedForward", "Flatten",
    "GELU", "GLU", "GlobalAvgPool1D", "GlobalAvgPool2D", "GlobalAvgPool3D", "GlobalMaxPool1D", "GlobalMaxPool2D",
    "GlobalMaxPool3D", "GroupNorm", "HybridBlock", "HybridConcatenate", "HybridConcurrent", "HybridLambda",
    "HybridSequential", "Identity", "InstanceNorm", "Lambda", "LayerNorm", "LeakyReLU", "LearnedPositionalEncoding",
    "MaxPool1D", "MaxPool2D", "MaxPool3D", "ModulatedDeformableConvolution", "MultiHeadAttention", "PReLU",
    "PixelShuffle1D", "PixelShuffle2D", "PixelShuffle3D", "PositionalEncoding", "RMSNorm", "ReflectionPad2D",
    "RotaryEmbedding", "SELU", "Sequential", "SiLU", "SwiGLU", "Swish", "SymbolBlock", "SyncBatchNorm",
    "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer"
]
