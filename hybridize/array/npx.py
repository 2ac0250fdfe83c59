# SPDX-License-Identifier: Apache-2.0
"""`hybridize.npx`: what neural networks need beyond NumPy, under MXNet's names."""

from __future__ import annotations

import numpy

from hybridize.base.names import late, places, with_texts
from hybridize.ops.analysis import ANALYSIS

PLACES = {word: f"hybridize.array.functions.elementwise:{word}" for word in ANALYSIS if not hasattr(numpy, word)}
PLACES |= places(
    "hybridize.array",
    {
        "custom": "custom",
        "device": "cpu cpu_pinned current_context=current_device current_device gpu num_gpus",
        "files": "load save savez",
        "functions.attention": (
            "interleaved_matmul_encdec_qk interleaved_matmul_encdec_valatt interleaved_matmul_selfatt_qk "
            "interleaved_matmul_selfatt_valatt scaled_dot_product_attention sldwin_atten_context "
            "sldwin_atten_mask_like sldwin_atten_score"
        ),
        "functions.boxes": "multibox_detection multibox_target",
        "functions.control": (
            "assert_ cond constraint_check foreach is_np_array is_np_shape print=print_ reset_np set_np shape_array "
            "use_np waitall while_loop"
        ),
        "functions.convolution": "convolution deconvolution",
        "functions.ctc": "ctc_loss",
        "functions.decoding": "cached_attention",
        "functions.dense": "fully_connected",
        "functions.elementwise": "digamma erfcx log_ndtr stop_gradient",
        "functions.exchange": "from_dlpack=from_dlpack_or_capsule from_numpy to_dlpack_for_read to_dlpack_for_write",
        "functions.legacy_shapes": "broadcast_like pad reshape reshape_like slice slice_axis slice_like",
        "functions.linear": "batch_dot",
        "functions.neural": (
            "activation add_n arange_like batch_flatten cast=cast_to dropout embedding gelu hard_sigmoid index_add "
            "index_update l2_normalization layer_norm leaky_relu log_sigmoid log_softmax masked_log_softmax "
            "masked_softmax mish relu scatter_nd sigmoid silu smooth_l1 softmax softmin softrelu softsign"
        ),
        "functions.normalization": "batch_norm group_norm instance_norm",
        "functions.norms": "norm",
        "functions.pooling": "pooling",
        "functions.positions": "glu rms_norm rotary_embedding sinusoidal_positions",
        "functions.recurrent": "rnn",
        "functions.reductions": "logsumexp",
        "functions.regions": "multibox_prior roi_pooling",
        "functions.resizing": "upsampling",
        "functions.sampling": "deformable_convolution modulated_deformable_convolution",
        "functions.searching": "gather_nd one_hot pick topk",
        "functions.sequences": "sequence_last sequence_mask sequence_reverse",
        "random": "bernoulli normal_n seed uniform_n",
    },
)
PLACES |= {"image": "hybridize.array.images", "random": "hybridize.array.random"}
"""Places of the names."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(
    globals(),
    PLACES,
    {"set_np_float64": "pass dtype='float64' where arrays are created"},
    with_texts("hybridize.array.texts", "npx"),
)
