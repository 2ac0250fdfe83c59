# SPDX-License-Identifier: Apache-2.0
"""`hybridize.npx`: what neural networks need beyond NumPy, under MXNet's names."""

from __future__ import annotations

from hybridize.array import random
from hybridize.array.custom import custom
from hybridize.array.device import cpu, cpu_pinned, current_device, gpu, num_gpus
from hybridize.array.files import load, save, savez
from hybridize.array.functions.attention import (
    interleaved_matmul_encdec_qk,
    interleaved_matmul_encdec_valatt,
    interleaved_matmul_selfatt_qk,
    interleaved_matmul_selfatt_valatt,
    scaled_dot_product_attention,
    sldwin_atten_context,
    sldwin_atten_mask_like,
    sldwin_atten_score,
)
from hybridize.array.functions.control import (
    assert_,
    cond,
    constraint_check,
    foreach,
    is_np_array,
    is_np_shape,
    reset_np,
    set_np,
    shape_array,
    use_np,
    waitall,
    while_loop,
)
from hybridize.array.functions.control import print_ as print
from hybridize.array.functions.convolution import convolution, deconvolution
from hybridize.array.functions.ctc import ctc_loss
from hybridize.array.functions.decoding import cached_attention
from hybridize.array.functions.dense import fully_connected
from hybridize.array.functions.elementwise import digamma, erf, erfinv, gamma, gammaln, rsqrt, stop_gradient
from hybridize.array.functions.exchange import from_dlpack_or_capsule as from_dlpack
from hybridize.array.functions.exchange import from_numpy, to_dlpack_for_read, to_dlpack_for_write
from hybridize.array.functions.legacy_shapes import (
    broadcast_like,
    pad,
    reshape,
    reshape_like,
    slice,
    slice_axis,
    slice_like,
)
from hybridize.array.functions.linear import batch_dot
from hybridize.array.functions.neural import (
    activation,
    add_n,
    arange_like,
    batch_flatten,
    dropout,
    embedding,
    gelu,
    hard_sigmoid,
    index_add,
    index_update,
    l2_normalization,
    layer_norm,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    masked_log_softmax,
    masked_softmax,
    mish,
    relu,
    scatter_nd,
    sigmoid,
    silu,
    smooth_l1,
    softmax,
    softmin,
    softrelu,
    softsign,
)
from hybridize.array.functions.neural import cast_to as cast
from hybridize.array.functions.normalization import batch_norm, group_norm, instance_norm
from hybridize.array.functions.norms import norm
from hybridize.array.functions.pooling import pooling
from hybridize.array.functions.positions import glu, rms_norm, rotary_embedding, sinusoidal_positions
from hybridize.array.functions.recurrent import rnn
from hybridize.array.functions.reductions import logsumexp
from hybridize.array.functions.regions import multibox_prior, roi_pooling
from hybridize.array.functions.resizing import upsampling
from hybridize.array.functions.sampling import deformable_convolution, modulated_deformable_convolution
from hybridize.array.functions.searching import gather_nd, one_hot, pick, topk
from hybridize.array.functions.sequences import sequence_last, sequence_mask, sequence_reverse
from hybridize.base.missing import refuses

seed = random.seed
bernoulli = random.bernoulli
uniform_n, normal_n = random.uniform, random.normal
current_context = current_device

__all__ = [
    "activation", "add_n", "arange_like", "assert_", "batch_dot", "batch_flatten", "batch_norm", "bernoulli",
    "broadcast_like", "cached_attention", "cast", "cond", "constraint_check", "convolution", "cpu", "cpu_pinned",
    "ctc_loss", "current_context", "current_device", "custom", "deconvolution", "deformable_convolution", "digamma",
    "dropout", "embedding", "erf", "erfinv", "foreach", "from_dlpack", "from_numpy", "fully_connected", "gamma",
    "gammaln", "gather_nd", "gelu", "glu", "gpu", "group_norm", "hard_sigmoid", "index_add", "index_update",
    "instance_norm", "interleaved_matmul_encdec_qk", "interleaved_matmul_encdec_valatt",
    "interleaved_matmul_selfatt_qk", "interleaved_matmul_selfatt_valatt", "is_np_array", "is_np_shape",
    "l2_normalization", "layer_norm", "leaky_relu", "load", "log_sigmoid", "log_softmax", "logsumexp",
    "masked_log_softmax", "masked_softmax", "mish", "modulated_deformable_convolution", "multibox_prior", "norm",
    "normal_n", "num_gpus", "one_hot", "pad", "pick", "pooling", "print", "random", "relu", "reset_np", "reshape",
    "reshape_like", "rms_norm", "rnn", "roi_pooling", "rotary_embedding", "rsqrt", "save", "savez",
    "scaled_dot_product_attention", "scatter_nd", "seed", "sequence_last", "sequence_mask", "sequence_reverse",
    "set_np", "shape_array", "sigmoid", "silu", "sinusoidal_positions", "sldwin_atten_context",
    "sldwin_atten_mask_like", "sldwin_atten_score", "slice", "slice_axis", "slice_like", "smooth_l1", "softmax",
    "softmin", "softrelu", "softsign", "stop_gradient", "to_dlpack_for_read", "to_dlpack_for_write", "topk",
    "uniform_n", "upsampling", "use_np", "waitall", "while_loop",
]  # fmt: skip

__getattr__ = refuses(
    "hybridize.npx", globals(),
    instead={"set_np_float64": "say dtype='float64' where arrays are made"},
)  # fmt: skip
