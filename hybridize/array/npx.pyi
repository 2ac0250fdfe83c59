# Written by `docs/make.py` from the module's table of names.

from typing import Any, Literal, overload

from hybridize.array.ndarray import ndarray as ndarray
from hybridize.array.device import cpu as cpu
from hybridize.array.device import cpu_pinned as cpu_pinned
from hybridize.array.device import current_device as current_context
from hybridize.array.device import current_device as current_device
from hybridize.array.device import gpu as gpu
from hybridize.array.device import num_gpus as num_gpus
from hybridize.array.files import save as save
from hybridize.array.files import savez as savez
from hybridize.array.functions.control import assert_ as assert_
from hybridize.array.functions.control import is_np_array as is_np_array
from hybridize.array.functions.control import is_np_shape as is_np_shape
from hybridize.array.functions.control import print_ as print
from hybridize.array.functions.control import reset_np as reset_np
from hybridize.array.functions.control import set_np as set_np
from hybridize.array.functions.control import waitall as waitall
from hybridize.array import images as image
from hybridize.array import random as random
from hybridize.array.random import seed as seed

PLACES: dict[str, str]
__all__ = [
    "activation", "add_n", "arange_like", "assert_", "batch_dot", "batch_flatten", "batch_norm", "bernoulli",
    "broadcast_like", "cached_attention", "cast", "cond", "constraint_check", "convolution", "cpu", "cpu_pinned",
    "ctc_loss", "current_context", "current_device", "custom", "deconvolution", "deformable_convolution", "digamma",
    "dropout", "embedding", "erf", "erfcx", "erfinv", "foreach", "from_dlpack", "from_numpy", "fully_connected",
    "gamma", "gammaln", "gather_nd", "gelu", "glu", "gpu", "group_norm", "hard_sigmoid", "image", "index_add",
    "index_update", "instance_norm", "interleaved_matmul_encdec_qk", "interleaved_matmul_encdec_valatt",
    "interleaved_matmul_selfatt_qk", "interleaved_matmul_selfatt_valatt", "is_np_array", "is_np_shape",
    "l2_normalization", "layer_norm", "leaky_relu", "load", "log_ndtr", "log_sigmoid", "log_softmax", "logsumexp",
    "masked_log_softmax", "masked_softmax", "mish", "modulated_deformable_convolution", "multibox_detection",
    "multibox_prior", "multibox_target", "norm", "normal_n", "num_gpus", "one_hot", "pad", "pick", "pooling", "print",
    "random", "relu", "reset_np", "reshape", "reshape_like", "rms_norm", "rnn", "roi_pooling", "rotary_embedding",
    "rsqrt", "save", "savez", "scaled_dot_product_attention", "scatter_nd", "seed", "sequence_last", "sequence_mask",
    "sequence_reverse", "set_np", "shape_array", "sigmoid", "silu", "sinusoidal_positions", "sldwin_atten_context",
    "sldwin_atten_mask_like", "sldwin_atten_score", "slice", "slice_axis", "slice_like", "smooth_l1", "softmax",
    "softmin", "softrelu", "softsign", "stop_gradient", "to_dlpack_for_read", "to_dlpack_for_write", "topk",
    "uniform_n", "upsampling", "use_np", "waitall", "while_loop"
]

def custom(*inputs: Any, op_type: str, **kwargs: Any) -> Any:
    """Call an operation that `operator.register` has registered."""

def load(file: Any) -> Any:
    """Read arrays that any MXNet has saved: one, a dict of arrays with names, or a list of arrays without."""

def interleaved_matmul_encdec_qk(queries: Any, keys_values: Any, heads: int) -> ndarray:
    """Return the products of queries and keys by 1 / sqrt(size), where keys and values lie beside each
    other."""

def interleaved_matmul_encdec_valatt(keys_values: Any, attention: Any, heads: int) -> ndarray:
    """Return the means of values that lie beside their keys, weighted by `attention`."""

def interleaved_matmul_selfatt_qk(queries_keys_values: Any, heads: int) -> ndarray:
    """Return the products of queries and keys by 1 / sqrt(size), of projections that lie beside each other."""

def interleaved_matmul_selfatt_valatt(queries_keys_values: Any, attention: Any, heads: int) -> ndarray:
    """Return the means of the values of projections that lie beside each other, weighted by `attention`."""

def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, scale: Any = None, enable_gqa: bool | None = None, *, valid_length: Any = None, layout: str = 'BHTD', need_weights: bool = False) -> ndarray:
    """Return the means of values, weighted by the softmax of scaled products of their keys with queries."""

def sldwin_atten_context(score: Any, value: Any, dilation: Any, w: int, symmetric: bool = True) -> ndarray:
    """Return the sums of the values of sliding windows, weighted by `score`; see `sldwin_atten_score`."""

def sldwin_atten_mask_like(score: Any, dilation: Any, valid_length: Any, w: int, symmetric: bool = True) -> ndarray:
    """Return 1 where a place of a window lies within its sequence, and 0 elsewhere; see
    `sldwin_atten_score`."""

def sldwin_atten_score(query: Any, key: Any, dilation: Any, w: int, symmetric: bool = True) -> ndarray:
    """Return the products of queries with the keys of sliding windows: a query's own place, `w` places to the
    left."""

def multibox_detection(cls_prob: Any, loc_pred: Any, anchor: Any, clip: bool = True, threshold: float = 0.01, background_id: int = 0, nms_threshold: float = 0.5, force_suppress: bool = False, variances: Any = ..., nms_topk: int = -1) -> ndarray:
    """Return the objects that a detector of boxes finds: class, score and four corners, [batch, anchors, 6]."""

def multibox_target(anchor: Any, label: Any, cls_pred: Any, overlap_threshold: float = 0.5, ignore_label: float = -1.0, negative_mining_ratio: float = -1.0, negative_mining_thresh: float = 0.5, minimum_negative_samples: int = 0, variances: Any = ...) -> list[ndarray]:
    """Return what a detector of boxes is to predict: offsets, a mask of them, and classes."""

def cond(pred: Any, then_func: Any, else_func: Any, inputs: Any = None, name: str = 'cond') -> Any:
    """Compute `then_func` if `pred` is true, and otherwise `else_func`; only one of them runs."""

def constraint_check(condition: Any, msg: str = 'Constraint violated!') -> ndarray:
    """Return True, as an array without axes, if all elements of `condition` are true; raise otherwise."""

def foreach(body: Any, data: Any, init_states: Any, name: str = 'foreach') -> Any:
    """Run `body` over the first axis of `data`, with states that go from one step to the next."""

def shape_array(data: Any) -> ndarray:
    """Return the sizes of the axes as an int64 array."""

def use_np(function: Any) -> Any:
    """Return the function itself: NumPy's meaning is always on."""

def while_loop(cond: Any, func: Any, loop_vars: Any, max_iterations: int | None = None, name: str = 'while_loop') -> Any:
    """Run `func` while `cond` is true, at most `max_iterations` times; return its outputs and the last
    variables."""

def convolution(data: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, num_filter: int | None = None, num_group: int = 1, workspace: int = 1024, no_bias: bool | None = None, cudnn_tune: Any = None, cudnn_off: bool = False, layout: str | None = None) -> ndarray:
    """Convolve over one, two or three axes, as networks call the correlation, and add a bias to each
    channel."""

def deconvolution(data: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, adj: Any = None, target_shape: Any = None, num_filter: int | None = None, num_group: int = 1, workspace: int = 512, no_bias: bool | None = None, cudnn_tune: Any = None, cudnn_off: bool = False, layout: str | None = None) -> ndarray:
    """Convolve transposed: what the gradient of a convolution by its input computes, as a layer with a bias."""

def ctc_loss(data: Any, label: Any, data_lengths: Any = None, label_lengths: Any = None, use_data_lengths: bool | None = None, use_label_lengths: bool | None = None, blank_label: str = 'first') -> ndarray:
    """Return -log of the probability of all alignments of `data` [steps, batch, classes] that read as
    `label`."""

def cached_attention(query: Any, keys: Any, values: Any, length: Any, start: Any = None, scale: float | None = None) -> ndarray:
    """Return the means of cached values, weighted by the softmax of scaled products of their keys with
    queries."""

def fully_connected(x: Any, weight: Any, bias: Any = None, num_hidden: int | None = None, no_bias: bool | None = None, flatten: bool = True) -> ndarray:
    """Return x Wᵀ + b, what a dense layer computes; all axes of `x` but the first are joined."""

def digamma(x: Any, /) -> ndarray:
    """Return the logarithmic derivative of the gamma function; NaN at 0 and at negative integers."""

def erf(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> ndarray:
    """Return the error function, 2 / sqrt(pi) times the integral of exp(-t t) from 0 to x."""

def erfcx(x: Any, /) -> ndarray:
    """Return exp(x * x) * (1 - erf(x)): the complementary error function without the factor that makes it
    small."""

def erfinv(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> ndarray:
    """Return the number whose error function is x."""

def gamma(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> ndarray:
    """Return the gamma function; NaN at negative integers."""

def gammaln(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> ndarray:
    """Return the logarithm of the absolute value of the gamma function."""

def log_ndtr(x: Any, /) -> ndarray:
    """Return the logarithm of the part of the standard normal distribution below x, also where that part is
    near 0."""

def rsqrt(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> ndarray:
    """Return 1 / sqrt(x) for each element."""

def stop_gradient(data: Any) -> ndarray:
    """Return the same values, through which no gradient goes."""

def from_dlpack(dlpack: Any) -> ndarray:
    """Return an array over the memory of a DLPack capsule, or of an object that gives one."""

def from_numpy(ndarray: Any, zero_copy: bool = True) -> ndarray:
    """Return an array of a NumPy array, over its memory unless `zero_copy` is False."""

def to_dlpack_for_read(data: Any) -> Any:
    """Return a DLPack capsule over the memory of an array, which another library may read."""

def to_dlpack_for_write(data: Any) -> Any:
    """Return a DLPack capsule over the memory of an array, which another library may read."""

def broadcast_like(lhs: Any, rhs: Any, lhs_axes: Any = None, rhs_axes: Any = None) -> ndarray:
    """Return an array stretched to the shape of another one, or along some axes to sizes of it."""

def pad(data: Any, mode: str = 'constant', pad_width: Any = ..., constant_value: float = 0.0) -> ndarray:
    """Return an array that is wider at both ends of each axis; `pad_width` has two numbers for each axis, in
    one list."""

def reshape(a: Any, newshape: Any, reverse: bool = False, order: str = 'C') -> ndarray:
    """Return the same elements under another shape, with MXNet 2's codes."""

def reshape_like(lhs: Any, rhs: Any, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None) -> ndarray:
    """Return the elements of `lhs` under the shape of `rhs`, or a range of its axes under a range of the
    other's."""

def slice(data: Any, begin: Any, end: Any, step: Any = None) -> ndarray:
    """Return the elements from `begin` to `end` by `step`, one number an axis; None means the edge."""

def slice_axis(data: Any, axis: int, begin: int, end: int | None) -> ndarray:
    """Return the elements from `begin` to `end` along one axis; negative numbers count from the end, None is
    the end."""

def slice_like(data: Any, shape_like: Any, axes: Any = None) -> ndarray:
    """Return an array cut to the sizes of another one, along `axes` or along all."""

def batch_dot(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> ndarray:
    """Return the matrix products of [b, m, k] and [b, k, n]."""

def activation(data: Any, act_type: str = 'relu') -> ndarray:
    """Apply one of relu, sigmoid, tanh, softrelu, softsign, log_sigmoid, mish, gelu and silu to each
    element."""

def add_n(*args: Any, out: Any = None) -> ndarray:
    """Return the sum of all arguments."""

def arange_like(data: Any, start: float = 0.0, step: float = 1.0, repeat: int = 1, axis: int | None = None, ctx: Any = None) -> ndarray:
    """Return start, start + step, ... for each element of `data`, or along one axis of it."""

def batch_flatten(data: Any) -> ndarray:
    """Join all axes but the first: [n, a, b] becomes [n, a b]."""

def cast(data: Any, dtype: Any) -> ndarray:
    """Return an array cast to another dtype."""

def dropout(data: Any, p: float = 0.5, mode: str = 'training', axes: Any = ..., cudnn_off: bool = False) -> ndarray:
    """Set each element to 0 with probability `p` while training, and divide the others by 1 - p."""

def embedding(data: Any, weight: Any, input_dim: int | None = None, output_dim: int | None = None, dtype: Any = None, sparse_grad: bool = False) -> ndarray:
    """Return the rows of `weight` [n, d] at the indices `data`."""

def gelu(data: Any, approximation: str = 'erf') -> ndarray:
    """Return x times the probability that a normal number is below x."""

def hard_sigmoid(data: Any, alpha: float = 0.2, beta: float = 0.5) -> ndarray:
    """Return min(max(alpha x + beta, 0), 1); the gradient at both corners is 0, as in MXNet."""

def index_add(a: Any, ind: Any, val: Any) -> ndarray:
    """Return a copy of `a` with `val` added at the points that `ind` [k, ...] lists by columns; points may
    repeat."""

def index_update(a: Any, ind: Any, val: Any) -> ndarray:
    """Return a copy of `a` with `val` at the points that `ind` [k, ...] lists by columns."""

def l2_normalization(data: Any, eps: float = 1e-10, mode: str = 'instance') -> ndarray:
    """Return x / sqrt(sum(x * x) + eps), summed over all axes but 0, or those that `mode` names."""

@overload
def layer_norm(data: Any, gamma: Any, beta: Any, axis: int = -1, eps: float = 1e-5) -> ndarray:
    """Normalize along an axis: (x - mean) / sqrt(var + eps) * gamma + beta."""
@overload
def layer_norm(data: Any, gamma: Any, beta: Any, axis: int = -1, eps: float = 1e-5, *, output_mean_var: bool) -> Any: ...

def leaky_relu(data: Any, gamma: Any = None, act_type: str = 'leaky', slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.334) -> ndarray:
    """Return x where it is positive, and something small elsewhere."""

def log_sigmoid(data: Any) -> ndarray:
    """Return log(sigmoid(x)), without overflow."""

def log_softmax(data: Any, axis: int = -1, length: Any = None, temperature: float | None = None, use_length: bool | None = None, dtype: Any = None) -> ndarray:
    """Return the logarithm of the softmax along an axis; `length` and `use_length` are those of `softmax`."""

def masked_log_softmax(data: Any, mask: Any, axis: int = -1, temperature: float | None = 1.0, normalize: bool | None = True) -> ndarray:
    """Return the logarithm of the softmax of the elements whose mask is true; -inf elsewhere."""

def masked_softmax(data: Any, mask: Any, axis: int = -1, temperature: Any = 1.0, normalize: bool | None = True) -> ndarray:
    """Return the softmax of the elements whose mask is true; 0 elsewhere, and throughout where no mask is
    true."""

def mish(data: Any) -> ndarray:
    """Return x tanh(log(1 + exp(x)))."""

def relu(data: Any) -> ndarray:
    """Return max(x, 0) for each element; NaN stays NaN."""

def scatter_nd(data: Any, indices: Any, shape: Any) -> ndarray:
    """Return zeros of a shape with `data` at the points that `indices` [k, ...] lists by columns."""

def sigmoid(data: Any) -> ndarray:
    """Return 1 / (1 + exp(-x)) for each element."""

def silu(data: Any) -> ndarray:
    """Return x sigmoid(x) for each element."""

def smooth_l1(data: Any, scalar: float = 1.0) -> ndarray:
    """Return (s x)**2 / 2 where abs(x) < 1 / s**2, and abs(x) - 1 / (2 s**2) elsewhere; s is `scalar`."""

def softmax(data: Any, axis: int = -1, length: Any = None, temperature: float | None = None, use_length: bool | None = None, dtype: Any = None) -> ndarray:
    """Return exp(x / t) / sum(exp(x / t)) along an axis; t is `temperature`."""

def softmin(data: Any, axis: int = -1, temperature: float | None = None, dtype: Any = None) -> ndarray:
    """Return the softmax of -x along an axis."""

def softrelu(data: Any) -> ndarray:
    """Return log(1 + exp(x)) for each element, without overflow."""

def softsign(data: Any) -> ndarray:
    """Return x / (1 + abs(x)) for each element."""

@overload
def batch_norm(x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any, eps: float = 1e-3, momentum: float = 0.9, fix_gamma: Any = True, use_global_stats: Any = False, output_mean_var: Literal[False] = False, axis: int = 1, cudnn_off: Any = False, min_calib_range: Any = None, max_calib_range: Any = None) -> ndarray:
    """Normalize each channel by its mean and variance: (x - mean) / sqrt(var + eps) * gamma + beta."""
@overload
def batch_norm(x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any, eps: float = 1e-3, momentum: float = 0.9, fix_gamma: Any = True, use_global_stats: Any = False, *, output_mean_var: Literal[True], axis: int = 1) -> tuple[ndarray, ndarray, ndarray]: ...

def group_norm(data: Any, gamma: Any, beta: Any, num_groups: int = 1, eps: float = 0.001) -> ndarray:
    """Normalize groups of channels (axis 1) over all axes behind; gamma and beta are by channel."""

def instance_norm(data: Any, gamma: Any, beta: Any, eps: float = 0.001) -> ndarray:
    """Normalize each channel (axis 1) of each sample over the axes behind."""

def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> ndarray:
    """Return the norms of vectors over one axis, or of matrices over two."""

def pooling(data: Any, kernel: Any = None, stride: Any = None, pad: Any = None, pool_type: str = 'max', pooling_convention: str = 'valid', global_pool: bool = False, cudnn_off: bool = False, p_value: int | None = None, count_include_pad: bool | None = None, layout: str | None = None) -> ndarray:
    """Return one number for each window of an image and channel: the largest element, the mean, the sum or a
    norm."""

def glu(data: Any, axis: int = -1, act_type: str = 'sigmoid') -> ndarray:
    """Return the first half along an axis times a function of the second half."""

def rms_norm(data: Any, gamma: Any = None, axis: Any = -1, eps: float = 1e-05) -> ndarray:
    """Return x / sqrt(mean(x x) + eps) * gamma over an axis."""

def rotary_embedding(data: Any, positions: Any = None, base: float = 10000.0, pairing: str = 'halves', rotary_size: int | None = None, layout: str = 'BHTD') -> ndarray:
    """Rotate pairs of components of queries or keys by their position times a frequency, one for each pair."""

def sinusoidal_positions(positions: Any, units: int, base: float = 10000.0, dtype: Any = None) -> ndarray:
    """Return vectors of sines and cosines of positions, in turns."""

def rnn(data: Any, parameters: Any, state: Any = None, state_cell: Any = None, sequence_length: Any = None, mode: str | None = None, state_size: int | None = None, num_layers: int | None = None, bidirectional: bool = False, state_outputs: bool = False, p: float = 0.0, use_sequence_length: bool | None = None, projection_size: int | None = None, lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None, lstm_state_clip_nan: bool = False) -> Any:
    """Run a stack of recurrent layers over all steps."""

def logsumexp(a: Any, axis: Any = None, keepdims: bool = False) -> ndarray:
    """Return log(sum(exp(x))) over an axis, without overflow."""

def multibox_prior(data: Any, sizes: Any = ..., ratios: Any = ..., clip: bool = False, steps: Any = ..., offsets: Any = ...) -> ndarray:
    """Return anchors around each pixel of images: all sizes at the first ratio, the first size at the other
    ratios."""

def roi_pooling(data: Any, rois: Any, pooled_size: Any, spatial_scale: float) -> ndarray:
    """Return the largest elements of regions of images, which are cut into a fixed number of bins."""

def upsampling(*data: Any, scale: int, sample_type: str = 'nearest', num_filter: int = 0, multi_input_mode: str = 'concat', num_args: int | None = None, workspace: int = 512) -> ndarray:
    """Enlarge images [batch, channels, height, width]."""

def deformable_convolution(data: Any, offset: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, num_filter: int | None = None, num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, layout: str | None = None) -> ndarray:
    """Convolve images, each element of each window lying where `offset` moves it, between pixels too."""

def modulated_deformable_convolution(data: Any, offset: Any, mask: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, num_filter: int | None = None, num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, im2col_step: int = 64, layout: str | None = None) -> ndarray:
    """Convolve as `deformable_convolution` does, each element of each window multiplied by one of `mask`."""

def gather_nd(data: Any, indices: Any) -> ndarray:
    """Return the elements at the points that `indices` [k, ...] lists by columns."""

def one_hot(data: Any, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = None) -> ndarray:
    """Return an array with a new last axis of size `depth`: `on_value` at the index of each element."""

def pick(data: Any, index: Any, axis: int = -1, keepdims: bool = False, mode: str = 'clip') -> ndarray:
    """Return one element along an axis for each index."""

@overload
def topk(data: Any, axis: int | None = -1, k: int = 1, ret_typ: Literal['indices', 'value', 'mask'] = 'indices', is_ascend: Any = False, dtype: Any = None) -> ndarray:
    """Return the `k` largest elements along an axis, or their indices; the smallest with `is_ascend`."""
@overload
def topk(data: Any, axis: int | None = -1, k: int = 1, *, ret_typ: Literal['both'], is_ascend: Any = False, dtype: Any = None) -> list[ndarray]: ...

def sequence_last(data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, axis: int = 0) -> ndarray:
    """Return the last step of each sequence; steps lie along axis 0 and sequences along axis 1."""

def sequence_mask(data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, value: float = 0.0, axis: int = 0) -> ndarray:
    """Write `value` behind the end of each sequence; steps lie along axis 0 and sequences along axis 1."""

def sequence_reverse(data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, axis: int = 0) -> ndarray:
    """Return the steps of each sequence in reverse order; what follows its end stays."""

def bernoulli(prob: Any = None, logit: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> ndarray:
    """Draw 1 with probability `prob`, or sigmoid(`logit`), and 0 otherwise; float32 unless you pass a dtype."""

def normal_n(loc: Any = 0.0, scale: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw normal numbers, `batch_shape` of them for each mean and standard deviation."""

def uniform_n(low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> ndarray:
    """Draw uniform numbers from [low, high), `batch_shape` of them for each pair of ends."""
