# Written by `docs/make.py` from the module's table of names.

from typing import Any

from hybridize.array.ndarray import ndarray as ndarray
from hybridize.array.custom import custom as custom
from hybridize.array.device import cpu as cpu
from hybridize.array.device import cpu_pinned as cpu_pinned
from hybridize.array.device import current_device as current_context
from hybridize.array.device import current_device as current_device
from hybridize.array.device import gpu as gpu
from hybridize.array.device import num_gpus as num_gpus
from hybridize.array.files import load as load
from hybridize.array.files import save as save
from hybridize.array.files import savez as savez
from hybridize.array.functions.attention import interleaved_matmul_encdec_qk as interleaved_matmul_encdec_qk
from hybridize.array.functions.attention import interleaved_matmul_encdec_valatt as interleaved_matmul_encdec_valatt
from hybridize.array.functions.attention import interleaved_matmul_selfatt_qk as interleaved_matmul_selfatt_qk
from hybridize.array.functions.attention import interleaved_matmul_selfatt_valatt as interleaved_matmul_selfatt_valatt
from hybridize.array.functions.attention import scaled_dot_product_attention as scaled_dot_product_attention
from hybridize.array.functions.attention import sldwin_atten_context as sldwin_atten_context
from hybridize.array.functions.attention import sldwin_atten_mask_like as sldwin_atten_mask_like
from hybridize.array.functions.attention import sldwin_atten_score as sldwin_atten_score
from hybridize.array.functions.boxes import multibox_detection as multibox_detection
from hybridize.array.functions.boxes import multibox_target as multibox_target
from hybridize.array.functions.control import assert_ as assert_
from hybridize.array.functions.control import cond as cond
from hybridize.array.functions.control import constraint_check as constraint_check
from hybridize.array.functions.control import foreach as foreach
from hybridize.array.functions.control import is_np_array as is_np_array
from hybridize.array.functions.control import is_np_shape as is_np_shape
from hybridize.array.functions.control import print_ as print
from hybridize.array.functions.control import reset_np as reset_np
from hybridize.array.functions.control import set_np as set_np
from hybridize.array.functions.control import shape_array as shape_array
from hybridize.array.functions.control import use_np as use_np
from hybridize.array.functions.control import waitall as waitall
from hybridize.array.functions.control import while_loop as while_loop
from hybridize.array.functions.convolution import convolution as convolution
from hybridize.array.functions.convolution import deconvolution as deconvolution
from hybridize.array.functions.ctc import ctc_loss as ctc_loss
from hybridize.array.functions.decoding import cached_attention as cached_attention
from hybridize.array.functions.dense import fully_connected as fully_connected
from hybridize.array.functions.elementwise import digamma as digamma
from hybridize.array.functions.elementwise import stop_gradient as stop_gradient
from hybridize.array.functions.exchange import from_dlpack_or_capsule as from_dlpack
from hybridize.array.functions.exchange import from_numpy as from_numpy
from hybridize.array.functions.exchange import to_dlpack_for_read as to_dlpack_for_read
from hybridize.array.functions.exchange import to_dlpack_for_write as to_dlpack_for_write
from hybridize.array.functions.legacy_shapes import broadcast_like as broadcast_like
from hybridize.array.functions.legacy_shapes import pad as pad
from hybridize.array.functions.legacy_shapes import reshape as reshape
from hybridize.array.functions.legacy_shapes import reshape_like as reshape_like
from hybridize.array.functions.legacy_shapes import slice as slice
from hybridize.array.functions.legacy_shapes import slice_axis as slice_axis
from hybridize.array.functions.legacy_shapes import slice_like as slice_like
from hybridize.array.functions.linear import batch_dot as batch_dot
from hybridize.array.functions.neural import activation as activation
from hybridize.array.functions.neural import add_n as add_n
from hybridize.array.functions.neural import arange_like as arange_like
from hybridize.array.functions.neural import batch_flatten as batch_flatten
from hybridize.array.functions.neural import cast_to as cast
from hybridize.array.functions.neural import dropout as dropout
from hybridize.array.functions.neural import embedding as embedding
from hybridize.array.functions.neural import gelu as gelu
from hybridize.array.functions.neural import hard_sigmoid as hard_sigmoid
from hybridize.array.functions.neural import index_add as index_add
from hybridize.array.functions.neural import index_update as index_update
from hybridize.array.functions.neural import l2_normalization as l2_normalization
from hybridize.array.functions.neural import layer_norm as layer_norm
from hybridize.array.functions.neural import leaky_relu as leaky_relu
from hybridize.array.functions.neural import log_sigmoid as log_sigmoid
from hybridize.array.functions.neural import log_softmax as log_softmax
from hybridize.array.functions.neural import masked_log_softmax as masked_log_softmax
from hybridize.array.functions.neural import masked_softmax as masked_softmax
from hybridize.array.functions.neural import mish as mish
from hybridize.array.functions.neural import relu as relu
from hybridize.array.functions.neural import scatter_nd as scatter_nd
from hybridize.array.functions.neural import sigmoid as sigmoid
from hybridize.array.functions.neural import silu as silu
from hybridize.array.functions.neural import smooth_l1 as smooth_l1
from hybridize.array.functions.neural import softmax as softmax
from hybridize.array.functions.neural import softmin as softmin
from hybridize.array.functions.neural import softrelu as softrelu
from hybridize.array.functions.neural import softsign as softsign
from hybridize.array.functions.normalization import batch_norm as batch_norm
from hybridize.array.functions.normalization import group_norm as group_norm
from hybridize.array.functions.normalization import instance_norm as instance_norm
from hybridize.array.functions.norms import norm as norm
from hybridize.array.functions.pooling import pooling as pooling
from hybridize.array.functions.positions import glu as glu
from hybridize.array.functions.positions import rms_norm as rms_norm
from hybridize.array.functions.positions import rotary_embedding as rotary_embedding
from hybridize.array.functions.positions import sinusoidal_positions as sinusoidal_positions
from hybridize.array.functions.recurrent import rnn as rnn
from hybridize.array.functions.reductions import logsumexp as logsumexp
from hybridize.array.functions.regions import multibox_prior as multibox_prior
from hybridize.array.functions.regions import roi_pooling as roi_pooling
from hybridize.array.functions.resizing import upsampling as upsampling
from hybridize.array.functions.sampling import deformable_convolution as deformable_convolution
from hybridize.array.functions.sampling import modulated_deformable_convolution as modulated_deformable_convolution
from hybridize.array.functions.searching import gather_nd as gather_nd
from hybridize.array.functions.searching import one_hot as one_hot
from hybridize.array.functions.searching import pick as pick
from hybridize.array.functions.searching import topk as topk
from hybridize.array.functions.sequences import sequence_last as sequence_last
from hybridize.array.functions.sequences import sequence_mask as sequence_mask
from hybridize.array.functions.sequences import sequence_reverse as sequence_reverse
from hybridize.array import images as image
from hybridize.array import random as random
from hybridize.array.random import seed as seed

PLACES: dict[str, str]
__all__ = [
    "activation", "add_n", "arange_like", "assert_", "batch_dot", "batch_flatten", "batch_norm", "bernoulli",
    "broadcast_like", "cached_attention", "cast", "cond", "constraint_check", "convolution", "cpu", "cpu_pinned",
    "ctc_loss", "current_context", "current_device", "custom", "deconvolution", "deformable_convolution", "digamma",
    "dropout", "embedding", "erf", "erfinv", "foreach", "from_dlpack", "from_numpy", "fully_connected", "gamma",
    "gammaln", "gather_nd", "gelu", "glu", "gpu", "group_norm", "hard_sigmoid", "image", "index_add", "index_update",
    "instance_norm", "interleaved_matmul_encdec_qk", "interleaved_matmul_encdec_valatt",
    "interleaved_matmul_selfatt_qk", "interleaved_matmul_selfatt_valatt", "is_np_array", "is_np_shape",
    "l2_normalization", "layer_norm", "leaky_relu", "load", "log_sigmoid", "log_softmax", "logsumexp",
    "masked_log_softmax", "masked_softmax", "mish", "modulated_deformable_convolution", "multibox_detection",
    "multibox_prior", "multibox_target", "norm", "normal_n", "num_gpus", "one_hot", "pad", "pick", "pooling", "print",
    "random", "relu", "reset_np", "reshape", "reshape_like", "rms_norm", "rnn", "roi_pooling", "rotary_embedding",
    "rsqrt", "save", "savez", "scaled_dot_product_attention", "scatter_nd", "seed", "sequence_last", "sequence_mask",
    "sequence_reverse", "set_np", "shape_array", "sigmoid", "silu", "sinusoidal_positions", "sldwin_atten_context",
    "sldwin_atten_mask_like", "sldwin_atten_score", "slice", "slice_axis", "slice_like", "smooth_l1", "softmax",
    "softmin", "softrelu", "softsign", "stop_gradient", "to_dlpack_for_read", "to_dlpack_for_write", "topk",
    "uniform_n", "upsampling", "use_np", "waitall", "while_loop"
]

def erf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the error function, 2 / sqrt(pi) times the integral of exp(-t t) from 0 to x."""

def erfinv(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the number whose error function is x."""

def gamma(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the gamma function; NaN at negative integers."""

def gammaln(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return the logarithm of the absolute value of the gamma function."""

def rsqrt(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Any:
    """Return 1 / sqrt(x) for each element."""

def bernoulli(prob: Any = None, logit: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Draw 1 with probability `prob`, or sigmoid(`logit`), and 0 otherwise; float32 unless you pass a dtype."""

def normal_n(loc: Any = 0.0, scale: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw normal numbers, `batch_shape` of them for each mean and standard deviation."""

def uniform_n(low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw uniform numbers from [low, high), `batch_shape` of them for each pair of ends."""
