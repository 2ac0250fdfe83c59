# Written by `docs/make.py` from the module's table of names.

from typing import Any

from hybridize.array.ndarray import ndarray as ndarray
from hybridize.array.device import cpu as cpu
from hybridize.array.device import gpu as gpu
from hybridize.array.device import num_gpus as num_gpus
from hybridize.array.np import array as tensor
from hybridize.array.np import concat as concat
from hybridize.array.np import dot as matmul
from hybridize.array.np import expand_dims as expand_dims
from hybridize.array.np import meshgrid as meshgrid
from hybridize.array.np import stack as stack
from hybridize.array.npx import batch_dot as batch_matmul
from hybridize.array.npx import sigmoid as sigmoid
from hybridize.array.random import rand as rand
from hybridize.array.random import randn as randn
from hybridize.base.dtypes import float32 as float32
from hybridize.base.dtypes import int32 as int32
from hybridize.base.dtypes import int64 as int64
from hybridize.d2l.arrays import argmax as argmax
from hybridize.d2l.arrays import astype as astype
from hybridize.d2l.arrays import numpy as numpy
from hybridize.d2l.arrays import reduce_mean as reduce_mean
from hybridize.d2l.arrays import reduce_sum as reduce_sum
from hybridize.d2l.arrays import repeat as repeat
from hybridize.d2l.arrays import reshape as reshape
from hybridize.d2l.arrays import size as size
from hybridize.d2l.arrays import swapaxes as swapaxes
from hybridize.d2l.arrays import to as to
from hybridize.d2l.arrays import transpose as transpose
from hybridize.d2l.arrays import try_all_gpus as try_all_gpus
from hybridize.d2l.arrays import try_gpu as try_gpu
from hybridize.d2l.attention import AddNorm as AddNorm
from hybridize.d2l.attention import AdditiveAttention as AdditiveAttention
from hybridize.d2l.attention import AttentionDecoder as AttentionDecoder
from hybridize.d2l.attention import DotProductAttention as DotProductAttention
from hybridize.d2l.attention import MultiHeadAttention as MultiHeadAttention
from hybridize.d2l.attention import PositionWiseFFN as PositionWiseFFN
from hybridize.d2l.attention import PositionalEncoding as PositionalEncoding
from hybridize.d2l.attention import TransformerEncoder as TransformerEncoder
from hybridize.d2l.attention import TransformerEncoderBlock as TransformerEncoderBlock
from hybridize.d2l.attention import masked_softmax as masked_softmax
from hybridize.d2l.attention import show_heatmaps as show_heatmaps
from hybridize.d2l.bert import BERTEncoder as BERTEncoder
from hybridize.d2l.bert import BERTModel as BERTModel
from hybridize.d2l.bert import MaskLM as MaskLM
from hybridize.d2l.bert import NextSentencePred as NextSentencePred
from hybridize.d2l.bert import get_tokens_and_segments as get_tokens_and_segments
from hybridize.d2l.boxes import assign_anchor_to_bbox as assign_anchor_to_bbox
from hybridize.d2l.boxes import bbox_to_rect as bbox_to_rect
from hybridize.d2l.boxes import box_center_to_corner as box_center_to_corner
from hybridize.d2l.boxes import box_corner_to_center as box_corner_to_center
from hybridize.d2l.boxes import box_iou as box_iou
from hybridize.d2l.boxes import multibox_detection as multibox_detection
from hybridize.d2l.boxes import multibox_prior as multibox_prior
from hybridize.d2l.boxes import multibox_target as multibox_target
from hybridize.d2l.boxes import nms as nms
from hybridize.d2l.boxes import offset_boxes as offset_boxes
from hybridize.d2l.boxes import offset_inverse as offset_inverse
from hybridize.d2l.boxes import show_bboxes as show_bboxes
from hybridize.d2l.classes import Classifier as Classifier
from hybridize.d2l.classes import DataModule as DataModule
from hybridize.d2l.classes import Module as Module
from hybridize.d2l.classes import Trainer as Trainer
from hybridize.d2l.datasets import Digits as Digits
from hybridize.d2l.datasets import FashionMNIST as FashionMNIST
from hybridize.d2l.datasets import SyntheticRegressionData as SyntheticRegressionData
from hybridize.d2l.datasets import get_dataloader_workers as get_dataloader_workers
from hybridize.d2l.datasets import get_fashion_mnist_labels as get_fashion_mnist_labels
from hybridize.d2l.datasets import load_array as load_array
from hybridize.d2l.datasets import load_data_digits as load_data_digits
from hybridize.d2l.datasets import load_data_fashion_mnist as load_data_fashion_mnist
from hybridize.d2l.datasets import synthetic_data as synthetic_data
from hybridize.d2l.descent import annotate as annotate
from hybridize.d2l.descent import get_data_ch11 as get_data_ch11
from hybridize.d2l.descent import show_trace_2d as show_trace_2d
from hybridize.d2l.descent import train_2d as train_2d
from hybridize.d2l.descent import train_ch11 as train_ch11
from hybridize.d2l.descent import train_concise_ch11 as train_concise_ch11
from hybridize.d2l.devices import ResNeXtBlock as ResNeXtBlock
from hybridize.d2l.devices import Residual as Residual
from hybridize.d2l.devices import evaluate_accuracy_gpus as evaluate_accuracy_gpus
from hybridize.d2l.devices import resnet18 as resnet18
from hybridize.d2l.devices import split_batch as split_batch
from hybridize.d2l.devices import split_batch_multi_inputs as split_batch_multi_inputs
from hybridize.d2l.devices import train_batch_ch13 as train_batch_ch13
from hybridize.d2l.devices import train_ch13 as train_ch13
from hybridize.d2l.devices import update_D as update_D
from hybridize.d2l.devices import update_G as update_G
from hybridize.d2l.downloads import DATA_HUB as DATA_HUB
from hybridize.d2l.downloads import DATA_URL as DATA_URL
from hybridize.d2l.downloads import download as download
from hybridize.d2l.downloads import download_extract as download_extract
from hybridize.d2l.downloads import extract as extract
from hybridize.d2l.encoders import Decoder as Decoder
from hybridize.d2l.encoders import Encoder as Encoder
from hybridize.d2l.encoders import EncoderDecoder as EncoderDecoder
from hybridize.d2l.encoders import Seq2Seq as Seq2Seq
from hybridize.d2l.encoders import Seq2SeqEncoder as Seq2SeqEncoder
from hybridize.d2l.encoders import bleu as bleu
from hybridize.d2l.figures import Animator as Animator
from hybridize.d2l.figures import HyperParameters as HyperParameters
from hybridize.d2l.figures import ProgressBoard as ProgressBoard
from hybridize.d2l.figures import add_to_class as add_to_class
from hybridize.d2l.figures import plot as plot
from hybridize.d2l.figures import set_axes as set_axes
from hybridize.d2l.figures import set_figsize as set_figsize
from hybridize.d2l.figures import show_images as show_images
from hybridize.d2l.figures import use_svg_display as use_svg_display
from hybridize.d2l.loops import accuracy as accuracy
from hybridize.d2l.loops import evaluate_accuracy as evaluate_accuracy
from hybridize.d2l.loops import evaluate_accuracy_gpu as evaluate_accuracy_gpu
from hybridize.d2l.loops import evaluate_loss as evaluate_loss
from hybridize.d2l.loops import grad_clipping as grad_clipping
from hybridize.d2l.loops import linreg as linreg
from hybridize.d2l.loops import predict_ch3 as predict_ch3
from hybridize.d2l.loops import sgd as sgd
from hybridize.d2l.loops import squared_loss as squared_loss
from hybridize.d2l.loops import train_ch3 as train_ch3
from hybridize.d2l.loops import train_ch6 as train_ch6
from hybridize.d2l.loops import train_epoch_ch3 as train_epoch_ch3
from hybridize.d2l.models import LeNet as LeNet
from hybridize.d2l.models import LinearRegression as LinearRegression
from hybridize.d2l.models import LinearRegressionScratch as LinearRegressionScratch
from hybridize.d2l.models import SGD as SGD
from hybridize.d2l.models import SoftmaxRegression as SoftmaxRegression
from hybridize.d2l.models import corr2d as corr2d
from hybridize.d2l.recurrent import GRU as GRU
from hybridize.d2l.recurrent import RNN as RNN
from hybridize.d2l.recurrent import RNNLM as RNNLM
from hybridize.d2l.recurrent import RNNLMScratch as RNNLMScratch
from hybridize.d2l.recurrent import RNNScratch as RNNScratch
from hybridize.d2l.recurrent import check_len as check_len
from hybridize.d2l.recurrent import check_shape as check_shape
from hybridize.d2l.sequences import MTFraEng as MTFraEng
from hybridize.d2l.sequences import TimeMachine as TimeMachine
from hybridize.d2l.sequences import preprocess_nmt as preprocess_nmt
from hybridize.d2l.sequences import show_list_len_pair_hist as show_list_len_pair_hist
from hybridize.d2l.sequences import tokenize_nmt as tokenize_nmt
from hybridize.d2l.stopwatches import Accumulator as Accumulator
from hybridize.d2l.stopwatches import Benchmark as Benchmark
from hybridize.d2l.stopwatches import Timer as Timer
from hybridize.d2l.text import Vocab as Vocab
from hybridize.d2l.text import tokenize as tokenize
from hybridize.d2l.text import truncate_pad as truncate_pad
from hybridize.gluon.nn import Block as nn_Module

PLACES: dict[str, str]
__all__ = [
    "Accumulator", "AddNorm", "AdditiveAttention", "Animator", "AttentionDecoder", "BERTEncoder", "BERTModel",
    "Benchmark", "Classifier", "DATA_HUB", "DATA_URL", "DataModule", "Decoder", "Digits", "DotProductAttention",
    "Encoder", "EncoderDecoder", "FashionMNIST", "GRU", "HyperParameters", "LeNet", "LinearRegression",
    "LinearRegressionScratch", "MTFraEng", "MaskLM", "Module", "MultiHeadAttention", "NextSentencePred",
    "PositionWiseFFN", "PositionalEncoding", "ProgressBoard", "RNN", "RNNLM", "RNNLMScratch", "RNNScratch",
    "ResNeXtBlock", "Residual", "SGD", "Seq2Seq", "Seq2SeqEncoder", "SoftmaxRegression", "SyntheticRegressionData",
    "TimeMachine", "Timer", "Trainer", "TransformerEncoder", "TransformerEncoderBlock", "Vocab", "abs", "accuracy",
    "add_to_class", "annotate", "arange", "argmax", "assign_anchor_to_bbox", "astype", "batch_matmul", "bbox_to_rect",
    "bleu", "box_center_to_corner", "box_corner_to_center", "box_iou", "check_len", "check_shape", "concat", "corr2d",
    "cos", "cosh", "cpu", "download", "download_extract", "evaluate_accuracy", "evaluate_accuracy_gpu",
    "evaluate_accuracy_gpus", "evaluate_loss", "exp", "expand_dims", "extract", "eye", "float32", "get_data_ch11",
    "get_dataloader_workers", "get_fashion_mnist_labels", "get_tokens_and_segments", "gpu", "grad_clipping", "int32",
    "int64", "linreg", "linspace", "load_array", "load_data_digits", "load_data_fashion_mnist", "log",
    "masked_softmax", "matmul", "meshgrid", "multibox_detection", "multibox_prior", "multibox_target", "nms",
    "nn_Module", "normal", "num_gpus", "numpy", "offset_boxes", "offset_inverse", "ones", "ones_like", "plot",
    "predict_ch3", "preprocess_nmt", "rand", "randn", "reduce_mean", "reduce_sum", "repeat", "reshape", "resnet18",
    "set_axes", "set_figsize", "sgd", "show_bboxes", "show_heatmaps", "show_images", "show_list_len_pair_hist",
    "show_trace_2d", "sigmoid", "sin", "sinh", "size", "split_batch", "split_batch_multi_inputs", "squared_loss",
    "stack", "swapaxes", "synthetic_data", "tanh", "tensor", "to", "tokenize", "tokenize_nmt", "train_2d",
    "train_batch_ch13", "train_ch11", "train_ch13", "train_ch3", "train_ch6", "train_concise_ch11", "train_epoch_ch3",
    "transpose", "truncate_pad", "try_all_gpus", "try_gpu", "update_D", "update_G", "use_svg_display", "zeros",
    "zeros_like"
]

def abs(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the absolute value of each element; of complex numbers their distance from 0, as floats."""

def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return the numbers start, start + step, ... up to but without `stop`."""

def cos(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the cosine of each element, an angle in radians. Integers give float32."""

def cosh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the hyperbolic cosine of each element."""

def exp(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return e to the power of each element. Integers give float32."""

def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Return a matrix with ones on the diagonal `k` and zeros elsewhere; float32 unless you pass a dtype."""

def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0, ctx: Any = None, device: Any = None) -> Any:
    """Return `num` numbers at even distances from `start` to `stop`; float32 unless you pass a dtype."""

def log(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the natural logarithm of each element: -inf of 0, NaN below. Integers give float32."""

def ones(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of ones of a shape; float32 unless you pass a dtype."""

def ones_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of ones of the shape and dtype of `a`."""

def sin(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the sine of each element, an angle in radians. Integers give float32."""

def sinh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the hyperbolic sine of each element."""

def tanh(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the hyperbolic tangent of each element, from -1 to 1."""

def zeros(shape: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None) -> ndarray:
    """Return an array of zeros of a shape; float32 unless you pass a dtype."""

def zeros_like(a: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> ndarray:
    """Return an array of zeros of the shape and dtype of `a`; `np.empty_like` is another name."""

def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw normal numbers with mean `loc` and standard deviation `scale`; float32 unless you pass a dtype."""
