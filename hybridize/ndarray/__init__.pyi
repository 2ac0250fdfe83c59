# Written by `docs/make.py` from the table of MXNet 1's names.

from collections.abc import Iterable
from typing import Any

from hybridize import sparse as sparse
from hybridize.array import np as np
from hybridize.array import npx as npx
from hybridize.array.nd_array import NDArray as NDArray
from hybridize.sparse import cast_storage as cast_storage
from hybridize.sparse.files import load as load
from hybridize.sparse.files import load_frombuffer as load_frombuffer
from hybridize.sparse.files import save as save

OF_FILES: tuple[str, ...]
newaxis: None
_internal: Any

def absent(module: str, name: str, own: Iterable[str] = ()) -> AttributeError: ...

def Activation(data: Any, act_type: str = 'relu') -> NDArray:
    """One of relu, sigmoid, tanh, softrelu, softsign, log_sigmoid, mish, gelu, silu."""

def BatchNorm(data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: Any = None, max_calib_range: Any = None) -> Any:
    """(x - mean) / sqrt(var + eps) * gamma + beta for each channel; while training of the batch's own mean and
    var."""

def BilinearSampler(data: Any, grid: Any, cudnn_off: bool | None = None) -> NDArray:
    """Read images at the places of a grid, interpolated between their four nearest pixels."""

def BlockGrad(data: Any) -> NDArray:
    """The same values, of which nothing is remembered for a backward pass; but a head keeps the gradient of its
    own."""

def CTCLoss(data: Any, label: Any, data_lengths: Any = None, label_lengths: Any = None, use_data_lengths: bool | None = None, use_label_lengths: bool | None = None, blank_label: str = 'first') -> NDArray:
    """-log of the probability of all alignments of `data` that read as `label`."""

def Cast(data: Any, dtype: Any) -> NDArray:
    """The same as another dtype."""

def Concat(*data: Any, dim: int = 1, num_args: int | None = None) -> NDArray:
    """Arrays one after another along `dim`; sizes of 0 that are unknown are those of the first array without
    any."""

def Convolution(data: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, num_filter: int | None = None, num_group: int = 1, workspace: int = 1024, no_bias: bool | None = None, cudnn_tune: Any = None, cudnn_off: bool = False, layout: str | None = None) -> NDArray:
    """Convolve over one, two or three axes, as networks call the correlation, and add a bias to each
    channel."""

def Correlation(data1: Any, data2: Any, kernel_size: int = 1, max_displacement: int = 1, stride1: int = 1, stride2: int = 1, pad_size: int = 0, is_multiply: bool = True) -> NDArray:
    """Compare windows of an image with those around the same place of another one."""

def Crop(*data: Any, num_args: int | None = None, offset: Any = ..., h_w: Any = ..., center_crop: bool = False) -> NDArray:
    """Rows and columns of images [n, c, h, w]: as many as a second array has, or `h_w`."""

def Custom(*data: Any, op_type: str, name: str | None = None, **kwargs: Any) -> Any:
    """Call an operation that was registered."""

def Deconvolution(data: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, adj: Any = None, target_shape: Any = None, num_filter: int | None = None, num_group: int = 1, workspace: int = 512, no_bias: bool | None = None, cudnn_tune: Any = None, cudnn_off: bool = False, layout: str | None = None) -> NDArray:
    """Convolve transposed: what the gradient of a convolution by its input computes, as a layer with a bias."""

def Dropout(data: Any, p: float = 0.5, mode: str = 'training', axes: Any = ..., cudnn_off: bool = False) -> NDArray:
    """While training each element is 0 with probability `p`, else divided by 1 - p; otherwise the same
    array."""

def ElementWiseSum(*args: Any, out: Any = None) -> NDArray:
    """The sum of all arguments."""

def Embedding(data: Any, weight: Any, input_dim: Any = None, output_dim: Any = None, dtype: Any = None, sparse_grad: bool = False) -> NDArray:
    """Rows of `weight` at the indices `data`; those outside are the first or the last."""

def Flatten(data: Any) -> NDArray:
    """All axes but the first made one."""

def FullyConnected(data: Any, weight: Any, bias: Any = None, num_hidden: Any = None, no_bias: Any = False, flatten: bool = True) -> NDArray:
    """x W^T + b, what a dense layer computes."""

def GridGenerator(data: Any, transform_type: str, target_shape: Any = ...) -> NDArray:
    """Make the grid of an affine map, or of a flow, for `bilinear_sampler`."""

def GroupNorm(data: Any, gamma: Any, beta: Any, num_groups: Any = 1, eps: Any = 1e-05) -> NDArray:
    """Normalized over groups of channels (axis 1) and all axes after; gamma and beta by channel, or, as in
    MXNet 1, by group."""

def InstanceNorm(data: Any, gamma: Any, beta: Any, eps: float = 0.001) -> NDArray:
    """Normalized over all axes after the channels (axis 1); gamma and beta by channel."""

def L2Normalization(data: Any, eps: float = 1e-10, mode: str = 'instance') -> NDArray:
    """x / sqrt(sum(x * x) + eps) over all axes but 0 (`instance`), 1 (`channel`), or those after
    (`spatial`)."""

def LRN(data: Any, alpha: float = 0.0001, beta: float = 0.75, knorm: float = 2.0, nsize: int | None = None) -> NDArray:
    """Divide by (knorm + alpha / nsize * the sum of squares of nsize channels around each) ** beta: AlexNet's
    norm."""

def LayerNorm(data: Any, gamma: Any, beta: Any, axis: int = -1, eps: float = 1e-05, output_mean_var: bool = False) -> Any:
    """(x - mean) / sqrt(var + eps) * gamma + beta along `axis`."""

def LeakyReLU(data: Any, gamma: Any = None, act_type: str = 'leaky', slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.334) -> NDArray:
    """x where it is positive, else something small: leaky, prelu (`gamma` x), elu, selu, gelu or rrelu."""

def LinearRegressionOutput(data: Any, label: Any, grad_scale: float = 1.0) -> NDArray:
    """The data; their gradient is that of half the squared distance to `label`, by the numbers of a sample."""

def LogisticRegressionOutput(data: Any, label: Any, grad_scale: float = 1.0) -> NDArray:
    """The sigmoid of the data, whose gradient is that of the cross entropy with `label`, by the numbers of a
    sample."""

def MAERegressionOutput(data: Any, label: Any, grad_scale: float = 1.0) -> NDArray:
    """The data; their gradient is that of the distance to `label`, by the numbers of a sample."""

def MakeLoss(data: Any, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: str = 'null') -> NDArray:
    """The same values, a head by itself; its gradient is `grad_scale`."""

def Pad(data: Any, mode: str = 'constant', pad_width: Any = ..., constant_value: float = 0.0) -> NDArray:
    """Wider at both ends of each axis."""

def Pooling(data: Any, kernel: Any = ..., pool_type: Any = 'max', global_pool: Any = False, cudnn_off: Any = False, pooling_convention: Any = 'valid', stride: Any = ..., pad: Any = ..., p_value: Any = None, count_include_pad: Any = None, layout: Any = None) -> NDArray:
    """One number for each window of an image and channel: the largest element, or the mean, the sum, a norm of
    all."""

def RNN(data: Any, parameters: Any, state: Any = None, state_cell: Any = None, sequence_length: Any = None, state_size: Any = None, num_layers: Any = None, bidirectional: Any = False, mode: Any = None, p: Any = 0.0, state_outputs: Any = False, projection_size: Any = None, lstm_state_clip_min: Any = None, lstm_state_clip_max: Any = None, lstm_state_clip_nan: Any = False, use_sequence_length: Any = None) -> Any:
    """Run a stack of recurrent layers over all steps."""

def ROIPooling(data: Any, rois: Any, pooled_size: Any, spatial_scale: float) -> NDArray:
    """Return the largest elements of regions of images, which are cut into a fixed number of bins."""

def Reshape(data: Any, shape: Any = None, reverse: bool = False, target_shape: Any = None, keep_highest: bool = False) -> NDArray:
    """The same elements under another shape, with MXNet 1's codes."""

def SVMOutput(data: Any, label: Any = None, margin: float = 1.0, regularization_coefficient: float = 1.0, use_linear: bool = False) -> NDArray:
    """The scores [n, classes]; their gradient is that of the hinge loss with `label`, squared unless
    `use_linear`."""

def SequenceLast(data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, axis: int = 0) -> NDArray:
    """The last step of each sequence, of a length from 1 to the number of steps."""

def SequenceMask(data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, value: float = 0.0, axis: int = 0) -> NDArray:
    """`value` after the end of each sequence."""

def SequenceReverse(data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, axis: int = 0) -> NDArray:
    """The steps of each sequence, of a length from 0 to their number, in reverse order; what follows its end
    stays."""

def SliceChannel(data: Any, num_outputs: int, axis: int = 1, squeeze_axis: bool = False) -> list[NDArray]:
    """Equal parts along `axis`; a list, or the array itself for one part."""

def Softmax(data: Any, label: Any = None, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: str = 'null', out_grad: bool = False, smooth_alpha: float = 0.0) -> NDArray:
    """The softmax, whose gradient is that of the cross entropy with `label`: the result is a head by itself."""

def SoftmaxActivation(data: Any, mode: str = 'instance') -> NDArray:
    """The softmax over axis 1 (`channel`), or over all axes but the first (`instance`)."""

def SoftmaxOutput(data: Any, label: Any = None, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: str = 'null', out_grad: bool = False, smooth_alpha: float = 0.0) -> NDArray:
    """The softmax, whose gradient is that of the cross entropy with `label`: the result is a head by itself."""

def SpatialTransformer(data: Any, loc: Any, target_shape: Any = ..., transform_type: str = 'affine', sampler_type: str = 'bilinear', cudnn_off: bool | None = None) -> NDArray:
    """See images through affine maps: `bilinear_sampler` at the grid that `grid_generator` makes of `loc`."""

def SwapAxis(data: Any, dim1: Any = 0, dim2: Any = 0) -> NDArray:
    """Two axes exchanged; a view."""

def UpSampling(*data: Any, scale: int, sample_type: str = 'nearest', num_filter: int = 0, multi_input_mode: str = 'concat', num_args: int | None = None, workspace: int = 512) -> NDArray:
    """Enlarge images [batch, channels, height, width]."""

def abs(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The absolute value of x."""

def adam_update(weight: Any, grad: Any, mean: Any, var: Any, lr: Any, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: float = 1e-08, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Adam, without the correction of its bias, which the learning rate has."""

def add(lhs: Any, rhs: Any) -> NDArray:
    """x1 + x2"""

def add_n(*args: Any, out: Any = None) -> NDArray:
    """The sum of all arguments."""

def all_finite(data: Any, init_output: bool = True) -> NDArray:
    """1 where all elements are finite, else 0; float32 of one element."""

def amp_cast(data: Any, dtype: Any) -> NDArray:
    """The same as another dtype."""

def amp_multicast(*data: Any, num_outputs: int | None = None, cast_narrow: bool = False) -> list[NDArray]:
    """Arrays of floats in the widest dtype of theirs, or in the narrowest."""

def arange(start: float, stop: float | None = None, step: float = 1.0, repeat: int = 1, infer_range: bool = False, ctx: Any = None, dtype: Any = 'float32') -> NDArray:
    """start, start + step, ... up to but without `stop`, each `repeat` times."""

def arccos(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The angle whose cosine is x."""

def arccosh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The number whose hyperbolic cosine is x."""

def arcsin(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The angle whose sine is x."""

def arcsinh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The number whose hyperbolic sine is x."""

def arctan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The angle whose tangent is x."""

def arctanh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The number whose hyperbolic tangent is x."""

def argmax(data: Any, axis: Any = None, keepdims: Any = False, out: Any = None) -> NDArray:
    """The index of the first largest element along `axis`, int64; of a NaN if any."""

def argmax_channel(data: Any) -> NDArray:
    """The index of the largest element along axis 1."""

def argmin(data: Any, axis: Any = None, keepdims: Any = False, out: Any = None) -> NDArray:
    """The index of the first smallest element along `axis`, int64; of a NaN if any."""

def argsort(data: Any, axis: int | None = -1, is_ascend: bool = True, dtype: Any = 'float32') -> NDArray:
    """The indices that sort along `axis`; of equal elements the first one comes first."""

def array(source_array: Any, ctx: Any = None, dtype: Any = None, *, device: Any = None) -> NDArray:
    """An array of numbers, lists or NumPy's arrays, float32 unless said; an array of ours keeps its dtype."""

def batch_dot(lhs: Any, rhs: Any, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Any = None) -> NDArray:
    """The matrix products of [b, m, k] and [b, k, n]."""

def batch_flatten(data: Any) -> NDArray:
    """All axes but the first made one."""

def batch_take(a: Any, indices: Any, axis: int = -1, keepdims: bool = False, mode: str = 'clip') -> NDArray:
    """One element along `axis` for each `index`, whose shape is that of `data` without the axis."""

def broadcast_add(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """x1 + x2"""

def broadcast_axes(data: Any, axis: Any = ..., size: Any = ...) -> NDArray:
    """Axes of size 1 stretched to the given sizes."""

def broadcast_axis(data: Any, axis: Any = ..., size: Any = ...) -> NDArray:
    """Axes of size 1 stretched to the given sizes."""

def broadcast_div(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """The quotient; that of integers without what follows the point, as in C."""

def broadcast_divide(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """The quotient; that of integers without what follows the point, as in C."""

def broadcast_equal(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Whether x1 == x2."""

def broadcast_greater(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Whether x1 > x2."""

def broadcast_greater_equal(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Whether x1 >= x2."""

def broadcast_hypot(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """sqrt(x1**2 + x2**2)"""

def broadcast_lesser(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Whether x1 < x2."""

def broadcast_lesser_equal(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Whether x1 <= x2."""

def broadcast_like(lhs: Any, rhs: Any, lhs_axes: Any = None, rhs_axes: Any = None) -> NDArray:
    """Stretched to the shape of another array, or along some axes to the sizes of some of its."""

def broadcast_logical_and(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Whether both are true (not zero)."""

def broadcast_logical_or(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Whether one of both is true (not zero)."""

def broadcast_logical_xor(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Whether exactly one of both is true (not zero)."""

def broadcast_maximum(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """The larger of x1 and x2; NaN where either is."""

def broadcast_minimum(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """The smaller of x1 and x2; NaN where either is."""

def broadcast_minus(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """x1 - x2"""

def broadcast_mod(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """x1 - x2 floor(x1 / x2), with the sign of x2."""

def broadcast_modulo(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """x1 - x2 floor(x1 / x2), with the sign of x2."""

def broadcast_mul(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """x1 * x2"""

def broadcast_multiply(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """x1 * x2"""

def broadcast_not_equal(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Whether x1 != x2."""

def broadcast_plus(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """x1 + x2"""

def broadcast_power(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """The power; that of integers by floats, so that a negative exponent gives 0 where the base is no unit."""

def broadcast_sub(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """x1 - x2"""

def broadcast_subtract(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """x1 - x2"""

def broadcast_to(data: Any, shape: Any) -> NDArray:
    """Stretched to `shape`, where 0 means the size that is there."""

def broadcast_true_divide(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """The quotient; that of integers without what follows the point, as in C."""

def cast(data: Any, dtype: Any) -> NDArray:
    """The same as another dtype."""

def cbrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The cube root of x."""

def ceil(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The smallest integer not below x."""

def choose_element_0index(data: Any, index: Any, axis: int = -1, keepdims: bool = False, mode: str = 'clip') -> NDArray:
    """One element along `axis` for each `index`, whose shape is that of `data` without the axis."""

def clip(data: Any, a_min: Any, a_max: Any) -> NDArray:
    """Elements below `a_min` or above `a_max` replaced by them."""

def col2im(data: Any, output_size: Any, kernel: Any, stride: Any = None, dilate: Any = None, pad: Any = None) -> NDArray:
    """Add columns up where their elements were in an image: what the gradient of `im2col` computes."""

def concat(*data: Any, dim: int = 1, num_args: int | None = None) -> NDArray:
    """Arrays one after another along `dim`; sizes of 0 that are unknown are those of the first array without
    any."""

def concatenate(arrays: Any, axis: int = 0, always_copy: bool = True) -> NDArray:
    """Joined along `axis`; one array alone is itself unless `always_copy`."""

class contrib:
    @staticmethod
    def AdaptiveAvgPooling2D(data: Any, output_size: Any = 1) -> NDArray:
        """Divide images [batch, channels, height, width] into as many parts as asked for, and take their means."""
    @staticmethod
    def BatchNormWithReLU(data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: Any = None, max_calib_range: Any = None) -> NDArray:
        """`BatchNorm`, and 0 where its result is below."""
    @staticmethod
    def BilinearResize2D(data: Any, like: Any = None, height: int = 1, width: int = 1, scale_height: float | None = None, scale_width: float | None = None, mode: str = 'size', align_corners: bool = True) -> NDArray:
        """Interpolate images [batch, channels, height, width] between their four nearest pixels."""
    @staticmethod
    def CTCLoss(data: Any, label: Any, data_lengths: Any = None, label_lengths: Any = None, use_data_lengths: bool | None = None, use_label_lengths: bool | None = None, blank_label: str = 'first') -> NDArray:
        """-log of the probability of all alignments of `data` that read as `label`."""
    @staticmethod
    def DeformableConvolution(data: Any, offset: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, num_filter: int | None = None, num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, layout: str | None = None) -> NDArray:
        """Convolve images, each element of each window lying where `offset` moves it, between pixels too."""
    @staticmethod
    def ModulatedDeformableConvolution(data: Any, offset: Any, mask: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, num_filter: int | None = None, num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, im2col_step: int = 64, layout: str | None = None) -> NDArray:
        """Convolve as `deformable_convolution` does, each element of each window multiplied by one of `mask`."""
    @staticmethod
    def MultiBoxDetection(cls_prob: Any, loc_pred: Any, anchor: Any, clip: bool = True, threshold: float = 0.01, background_id: int = 0, nms_threshold: float = 0.5, force_suppress: bool = False, variances: Any = ..., nms_topk: int = -1) -> NDArray:
        """The objects that a detector of boxes has found."""
    @staticmethod
    def MultiBoxPrior(data: Any, sizes: Any = ..., ratios: Any = ..., clip: bool = False, steps: Any = ..., offsets: Any = ...) -> NDArray:
        """Return anchors around each pixel of images: all sizes at the first ratio, the first size at the other
        ratios."""
    @staticmethod
    def MultiBoxTarget(anchor: Any, label: Any, cls_pred: Any, overlap_threshold: float = 0.5, ignore_label: float = -1.0, negative_mining_ratio: float = -1.0, negative_mining_thresh: float = 0.5, minimum_negative_samples: int = 0, variances: Any = ...) -> list[NDArray]:
        """The values that a detector of boxes is to predict for images whose objects are known."""
    @staticmethod
    def ROIAlign(data: Any, rois: Any, pooled_size: Any, spatial_scale: float, sample_ratio: int = -1, position_sensitive: bool = False, aligned: bool = False) -> NDArray:
        """Return the means of points between the pixels of regions, which are cut into a fixed number of bins."""
    @staticmethod
    def SparseEmbedding(data: Any, weight: Any, input_dim: Any = None, output_dim: Any = None, dtype: Any = None, sparse_grad: bool = False) -> NDArray:
        """Rows of `weight` at the indices `data`; those outside are the first or the last."""
    @staticmethod
    def SyncBatchNorm(data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, ndev: int = 1, key: str = '') -> NDArray:
        """`BatchNorm`, under the name of what MXNet synchronizes between devices: here the whole batch is on
        one."""
    @staticmethod
    def adamw_update(weight: Any, grad: Any, mean: Any, var: Any, rescale_grad: Any, lr: Any, eta: Any, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: float = 1e-08, wd: Any = 0.0, clip_gradient: float = -1.0) -> NDArray:
        """Adam whose decay is beside it; nothing changes where `rescale_grad` is 0, infinite or NaN."""
    @staticmethod
    def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = True) -> NDArray:
        """1 where no element of `a` is further from that of `b` than atol + rtol |b|, else 0."""
    @staticmethod
    def arange_like(data: Any, start: Any = 0.0, step: Any = 1.0, repeat: Any = 1, ctx: Any = None, axis: Any = None) -> NDArray:
        """start, start + step, ... for each element of `data`, or along one axis of it; each number `repeat`
        times."""
    @staticmethod
    def bipartite_matching(data: Any, is_ascend: bool = False, threshold: float | None = None, topk: int = -1) -> list[NDArray]:
        """Match rows with columns: the pair of the best score first, then the best one of those that are left."""
    @staticmethod
    def boolean_mask(data: Any, index: Any, axis: int = 0) -> NDArray:
        """The parts along `axis` where `index` is not 0; refused in a program, where the size of the result must be
        known."""
    @staticmethod
    def box_decode(data: Any, anchors: Any, std0: float = 1.0, std1: float = 1.0, std2: float = 1.0, std3: float = 1.0, clip: float = -1.0, format: str = 'center') -> NDArray:
        """The corners of boxes that are told by how they differ from anchors."""
    @staticmethod
    def box_encode(samples: Any, matches: Any, anchors: Any, refs: Any, means: Any, stds: Any) -> NDArray:
        """The differences of boxes from the anchors that they are matched with."""
    @staticmethod
    def box_iou(lhs: Any, rhs: Any, format: str = 'corner') -> NDArray:
        """The share that two boxes have in common of what they cover together, for each pair."""
    @staticmethod
    def box_nms(data: Any, overlap_thresh: float = 0.5, valid_thresh: float = 0.0, topk: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1, force_suppress: bool = False, in_format: str = 'corner', out_format: str = 'corner') -> NDArray:
        """The boxes with the highest scores, each without those that overlap it and have lower ones."""
    @staticmethod
    def box_non_maximum_suppression(data: Any, overlap_thresh: float = 0.5, valid_thresh: float = 0.0, topk: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1, force_suppress: bool = False, in_format: str = 'corner', out_format: str = 'corner') -> NDArray:
        """The boxes with the highest scores, each without those that overlap it and have lower ones."""
    @staticmethod
    def cond(pred: Any, then_func: Any, else_func: Any, inputs: Any = None, name: str = 'cond') -> Any:
        """Compute `then_func` if `pred` holds, else `else_func`; only one of them runs."""
    @staticmethod
    def ctc_loss(data: Any, label: Any, data_lengths: Any = None, label_lengths: Any = None, use_data_lengths: bool | None = None, use_label_lengths: bool | None = None, blank_label: str = 'first') -> NDArray:
        """-log of the probability of all alignments of `data` that read as `label`."""
    @staticmethod
    def div_sqrt_dim(data: Any) -> NDArray:
        """x / sqrt(n), n the size of the last axis."""
    @staticmethod
    def foreach(body: Any, data: Any, init_states: Any, name: str = 'foreach') -> Any:
        """Run `body` over the first axis of `data`."""
    @staticmethod
    def gradientmultiplier(data: Any, scalar: float = 1.0, is_int: bool = True) -> NDArray:
        """The same values, whose gradient is `scalar` times that which arrives."""
    @staticmethod
    def group_adagrad_update(weight: Any, grad: Any, history: Any, lr: Any, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, epsilon: float = 1e-05) -> NDArray:
        """AdaGrad, with one number for each row."""
    @staticmethod
    def index_array(data: Any, axes: Any = None) -> NDArray:
        """The index of each element along all axes, or along some in their order, as int64 along a new last
        axis."""
    @staticmethod
    def index_copy(old_tensor: Any, index_vector: Any, new_tensor: Any) -> NDArray:
        """A copy of `old_tensor` whose rows `index_vector` are those of `new_tensor`."""
    @staticmethod
    def interleaved_matmul_encdec_qk(queries: Any, keys_values: Any, heads: int) -> NDArray:
        """Products of queries and keys, by 1 / sqrt(size), of keys and values that lie beside each other."""
    @staticmethod
    def interleaved_matmul_encdec_valatt(keys_values: Any, attention: Any, heads: int) -> NDArray:
        """Means of values that lie beside their keys."""
    @staticmethod
    def interleaved_matmul_selfatt_qk(queries_keys_values: Any, heads: int) -> NDArray:
        """Products of queries and keys, by 1 / sqrt(size), of projections that lie beside each other."""
    @staticmethod
    def interleaved_matmul_selfatt_valatt(queries_keys_values: Any, attention: Any, heads: int) -> NDArray:
        """Means of the values of projections that lie beside each other."""
    @staticmethod
    def isfinite(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
        """True where x is neither NaN nor infinite."""
    @staticmethod
    def isinf(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
        """True where x is infinite."""
    @staticmethod
    def isnan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
        """True where x is NaN."""
    @staticmethod
    def mp_adamw_update(weight: Any, grad: Any, mean: Any, var: Any, weight32: Any, rescale_grad: Any, lr: Any, eta: Any, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: float = 1e-08, wd: Any = 0.0, clip_gradient: float = -1.0) -> NDArray:
        """Adam whose decay is beside it; nothing changes where `rescale_grad` is 0, infinite or NaN."""
    @staticmethod
    def multi_adamw_update(*args: Any, size: int = 0, num_tensors: int = 0, **numbers: Any) -> NDArray:
        """Adam whose decay is beside it; nothing changes where `rescale_grad` is 0, infinite or NaN."""
    @staticmethod
    def multi_lamb_update(*args: Any, size: int = 0, num_tensors: int = 0, **numbers: Any) -> NDArray:
        """Both phases of LAMB."""
    @staticmethod
    def multi_mp_adamw_update(*args: Any, size: int = 0, num_tensors: int = 0, **numbers: Any) -> NDArray:
        """Adam whose decay is beside it; nothing changes where `rescale_grad` is 0, infinite or NaN."""
    @staticmethod
    def multi_mp_lamb_update(*args: Any, size: int = 0, num_tensors: int = 0, **numbers: Any) -> NDArray:
        """Both phases of LAMB."""
    @staticmethod
    def quadratic(data: Any, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> NDArray:
        """a x^2 + b x + c."""
    @staticmethod
    def rand_zipfian(true_classes: Any, num_sampled: int, range_max: int, ctx: Any = None) -> NDArray:
        """Classes drawn by a law of Zipf, how often each is expected, and how often those of `true_classes` are."""
    @staticmethod
    def round_ste(data: Any) -> NDArray:
        """The nearest integer, halves away from zero; the gradient goes through."""
    @staticmethod
    def sign_ste(data: Any) -> NDArray:
        """The sign; the gradient goes through."""
    @staticmethod
    def sldwin_atten_context(score: Any, value: Any, dilation: Any, w: int, symmetric: bool = True) -> NDArray:
        """Sums of the values of windows that slide along, weighted by `score`: see `sldwin_atten_score`."""
    @staticmethod
    def sldwin_atten_mask_like(score: Any, dilation: Any, valid_length: Any, w: int, symmetric: bool = True) -> NDArray:
        """1 where a place of a window lies within its sequence, 0 elsewhere: see `sldwin_atten_score`."""
    @staticmethod
    def sldwin_atten_score(query: Any, key: Any, dilation: Any, w: int, symmetric: bool = True) -> NDArray:
        """Products of queries with the keys of windows that slide along: a query's own place, and `w` to the
        left."""
    @staticmethod
    def while_loop(cond: Any, func: Any, loop_vars: Any, max_iterations: int | None = None, name: str = 'while_loop') -> Any:
        """Run `func` while `cond` holds, at most `max_iterations` times."""

def cos(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The cosine of x, in radians."""

def cosh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The hyperbolic cosine of x."""

def crop(data: Any, begin: Any, end: Any, step: Any = None) -> NDArray:
    """Elements from `begin` to `end` by `step`, for as many axes as are given; None means the edge."""

def ctc_loss(data: Any, label: Any, data_lengths: Any = None, label_lengths: Any = None, use_data_lengths: bool | None = None, use_label_lengths: bool | None = None, blank_label: str = 'first') -> NDArray:
    """-log of the probability of all alignments of `data` that read as `label`."""

def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> NDArray:
    """Cumulative sum."""

def degrees(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Radians to degrees."""

def depth_to_space(data: Any, block_size: int) -> NDArray:
    """Turn channels into blocks of pixels: [n, b b c, h, w] to [n, c, h b, w b]."""

def diag(data: Any, k: int = 0, axis1: int = 0, axis2: int = 1) -> NDArray:
    """The diagonal, or the matrix that has a vector there."""

def div(lhs: Any, rhs: Any) -> NDArray:
    """The quotient; that of integers without what follows the point, as in C."""

def divide(lhs: Any, rhs: Any) -> NDArray:
    """The quotient; that of integers without what follows the point, as in C."""

def dot(lhs: Any, rhs: Any, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Any = None) -> NDArray:
    """The sum over the last axis of `lhs` and the first of `rhs`; `transpose_a` and `_b` reverse axes first."""

def elemwise_add(lhs: Any, rhs: Any) -> NDArray:
    """x1 + x2"""

def elemwise_div(lhs: Any, rhs: Any) -> NDArray:
    """The quotient; that of integers without what follows the point, as in C."""

def elemwise_divide(lhs: Any, rhs: Any) -> NDArray:
    """The quotient; that of integers without what follows the point, as in C."""

def elemwise_hypot(lhs: Any, rhs: Any) -> NDArray:
    """sqrt(x1**2 + x2**2)"""

def elemwise_maximum(lhs: Any, rhs: Any) -> NDArray:
    """The larger of x1 and x2; NaN where either is."""

def elemwise_minimum(lhs: Any, rhs: Any) -> NDArray:
    """The smaller of x1 and x2; NaN where either is."""

def elemwise_minus(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2"""

def elemwise_mod(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2 floor(x1 / x2), with the sign of x2."""

def elemwise_modulo(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2 floor(x1 / x2), with the sign of x2."""

def elemwise_mul(lhs: Any, rhs: Any) -> NDArray:
    """x1 * x2"""

def elemwise_multiply(lhs: Any, rhs: Any) -> NDArray:
    """x1 * x2"""

def elemwise_plus(lhs: Any, rhs: Any) -> NDArray:
    """x1 + x2"""

def elemwise_power(lhs: Any, rhs: Any) -> NDArray:
    """The power; that of integers by floats, so that a negative exponent gives 0 where the base is no unit."""

def elemwise_sub(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2"""

def elemwise_subtract(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2"""

def elemwise_true_divide(lhs: Any, rhs: Any) -> NDArray:
    """The quotient; that of integers without what follows the point, as in C."""

def empty(shape: Any, ctx: Any = None, dtype: Any = None, stype: Any = None, device: Any = None) -> NDArray:
    """Zeros, float32 unless said."""

def equal(lhs: Any, rhs: Any) -> NDArray:
    """Whether x1 == x2."""

def erf(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The error function, 2 / sqrt(pi) times the integral of exp(-t t) from 0 to x."""

def erfinv(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The number whose error function is x."""

def exp(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """e to the power of x."""

def expand_dims(data: Any, axis: int, inplace: bool = False) -> NDArray:
    """A new axis of size 1; `inplace` is of methods of arrays of `np`, which give a view anyway."""

def expm1(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """exp(x) - 1, exact for small x."""

def exponential(scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Exponential numbers with mean `scale`."""

def eye(N: int, M: int = 0, k: int = 0, ctx: Any = None, dtype: Any = None) -> NDArray:
    """Ones on the diagonal `k`."""

def fill_element_0index(lhs: Any, mhs: Any, rhs: Any) -> NDArray:
    """A copy of `lhs` whose elements at the columns `rhs` are `mhs`, one in each row."""

def fix(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The integer part of x."""

def flatten(data: Any) -> NDArray:
    """All axes but the first made one."""

def flip(data: Any, axis: Any) -> NDArray:
    """Elements in reverse order along `axis` (all axes when None); a view."""

def floor(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The largest integer not above x."""

def from_numpy(ndarray: Any, zero_copy: bool = True) -> NDArray:
    """An array of a NumPy array."""

def ftml_update(weight: Any, grad: Any, d: Any, v: Any, z: Any, lr: Any, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-08, t: int = 1, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_grad: float = -1.0) -> NDArray:
    """Follow the moving leader."""

def ftrl_update(weight: Any, grad: Any, z: Any, n: Any, lr: Any, lamda1: float = 0.01, beta: float = 1.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """Follow the regularized leader."""

def full(shape: Any, val: Any, ctx: Any = None, dtype: Any = None) -> NDArray:
    """`val` everywhere; float32 unless said."""

def full_like(data: Any, fill_value: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> NDArray:
    """`fill_value` everywhere, in the shape, unless another one is given, and dtype of `a`; an array is
    broadcast."""

def gamma(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The gamma function; NaN at negative integers."""

def gammaln(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The logarithm of the absolute value of the gamma function."""

def gather_nd(data: Any, indices: Any) -> NDArray:
    """Elements at the points that `indices` [k, ...] lists by columns, as in MXNet."""

def glu(data: Any, axis: int = -1, act_type: str = 'sigmoid') -> NDArray:
    """Return the first half along an axis times a function of the second one."""

def greater(lhs: Any, rhs: Any) -> NDArray:
    """Whether x1 > x2."""

def greater_equal(lhs: Any, rhs: Any) -> NDArray:
    """Whether x1 >= x2."""

def hard_sigmoid(data: Any, alpha: float = 0.2, beta: float = 0.5) -> NDArray:
    """min(max(alpha x + beta, 0), 1); its slope is 0 at both corners, as in MXNet."""

def histogram(a: Any, bins: Any = 10, range: Any = None) -> NDArray:
    """Counts of elements between edges, and the edges."""

def hypot(lhs: Any, rhs: Any) -> NDArray:
    """sqrt(x1**2 + x2**2)"""

def identity(data: Any, order: str = 'K') -> NDArray:
    """A copy that shares nothing with `a`."""

def im2col(data: Any, kernel: Any, stride: Any = None, dilate: Any = None, pad: Any = None) -> NDArray:
    """Return the windows of images as the columns of a matrix."""

class image:
    @staticmethod
    def adjust_lighting(data: Any, alpha: Any) -> NDArray:
        """Images to which a step along the principal directions of ImageNet's colours is added: `alpha`, three
        numbers."""
    @staticmethod
    def crop(data: Any, x: int = 0, y: int = 0, width: int = 1, height: int = 1) -> NDArray:
        """The part of images that begins at column `x` and row `y`."""
    @staticmethod
    def flip_left_right(data: Any) -> NDArray:
        """Images in a mirror."""
    @staticmethod
    def flip_top_bottom(data: Any) -> NDArray:
        """Images upside down."""
    @staticmethod
    def normalize(data: Any, mean: Any = 0.0, std: Any = 1.0) -> NDArray:
        """(x - mean) / std of images with channels first; one number, or one for each channel."""
    @staticmethod
    def random_brightness(data: Any, min_factor: float, max_factor: float) -> NDArray:
        """Images by a random factor."""
    @staticmethod
    def random_color_jitter(data: Any, brightness: float = 0.0, contrast: float = 0.0, saturation: float = 0.0, hue: float = 0.0) -> NDArray:
        """Images whose brightness, contrast, saturation and hue are changed in a random order, each by up to its
        amount."""
    @staticmethod
    def random_contrast(data: Any, min_factor: float, max_factor: float) -> NDArray:
        """Images whose differences to the mean brightness are times a random factor."""
    @staticmethod
    def random_crop(data: Any, xrange: Any = ..., yrange: Any = ..., width: int = 0, height: int = 0, interp: int = 1) -> NDArray:
        """A part of images of a size, which begins at random within shares of where it may."""
    @staticmethod
    def random_flip_left_right(data: Any, p: float = 0.5) -> NDArray:
        """Images in a mirror, with the probability `p`; several all, or none of them."""
    @staticmethod
    def random_flip_top_bottom(data: Any, p: float = 0.5) -> NDArray:
        """Images upside down, with the probability `p`; several all, or none of them."""
    @staticmethod
    def random_hue(data: Any, min_factor: float, max_factor: float) -> NDArray:
        """Images whose hues are turned by a random number of whole turns; lightness and saturation stay."""
    @staticmethod
    def random_lighting(data: Any, alpha_std: float = 0.05) -> NDArray:
        """Images to which a random step along those directions is added, normally distributed by `alpha_std`."""
    @staticmethod
    def random_saturation(data: Any, min_factor: float, max_factor: float) -> NDArray:
        """Images whose differences to the brightness of each pixel are times a random factor."""
    @staticmethod
    def resize(data: Any, size: Any = 0, keep_ratio: bool = False, interp: int = 1) -> NDArray:
        """Images of another size."""
    @staticmethod
    def to_tensor(data: Any) -> NDArray:
        """[height, width, channels] of 0 to 255 to [channels, height, width] of 0 to 1, as float32; several images,
        too."""

def khatri_rao(*args: Any) -> NDArray:
    """The products of matrices by columns: each column is the Kronecker product of theirs."""

def lamb_update_phase1(weight: Any, grad: Any, mean: Any, var: Any, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06, t: int = 1, bias_correction: bool = True, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """The direction of LAMB's step."""

def lamb_update_phase2(weight: Any, g: Any, r1: Any, r2: Any, lr: Any, lower_bound: float = -1.0, upper_bound: float = -1.0) -> NDArray:
    """LAMB's step: as far as the weight is long, of norm `r1`, along the direction `g`, of norm `r2`."""

def lesser(lhs: Any, rhs: Any) -> NDArray:
    """Whether x1 < x2."""

def lesser_equal(lhs: Any, rhs: Any) -> NDArray:
    """Whether x1 <= x2."""

class linalg:
    @staticmethod
    def det(A: Any) -> NDArray:
        """NumPy's `linalg.det`."""
    @staticmethod
    def extractdiag(A: Any, offset: int = 0) -> NDArray:
        """The diagonal that lies `offset` above the main one."""
    @staticmethod
    def extracttrian(A: Any, offset: int = 0, lower: bool = True) -> NDArray:
        """The elements of a triangle row by row: that from the diagonal `offset` on, away from the main one."""
    @staticmethod
    def gelqf(A: Any) -> list[NDArray]:
        """Q and L: A = L Q, the rows of Q are orthonormal, L is a lower triangle."""
    @staticmethod
    def gemm(A: Any, B: Any, C: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0, axis: int = -2) -> NDArray:
        """Alpha times the matrix products, plus beta C."""
    @staticmethod
    def gemm2(A: Any, B: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2) -> NDArray:
        """Alpha times the matrix products over the last two axes, or over `axis`, the one of the rows, and the
        last."""
    @staticmethod
    def inverse(A: Any) -> NDArray:
        """NumPy's `linalg.inv`."""
    @staticmethod
    def makediag(A: Any, offset: int = 0) -> NDArray:
        """Square matrices, zeros but for one diagonal, `offset` above the main one."""
    @staticmethod
    def maketrian(A: Any, offset: int = 0, lower: bool = True) -> NDArray:
        """Square matrices, zeros but for a triangle, whose elements are given row by row."""
    @staticmethod
    def potrf(A: Any, *, upper: Any = False) -> NDArray:
        """NumPy's `linalg.cholesky`."""
    @staticmethod
    def potri(A: Any) -> NDArray:
        """The inverse of L L^T for the lower triangle L, as `potrf` gives it."""
    @staticmethod
    def slogdet(A: Any) -> list[NDArray]:
        """NumPy's `linalg.slogdet`."""
    @staticmethod
    def sumlogdiag(A: Any) -> NDArray:
        """The sum of the logarithms of the diagonal."""
    @staticmethod
    def syevd(A: Any) -> list[NDArray]:
        """U, whose rows are the eigenvectors of symmetric matrices, and their eigenvalues, which ascend."""
    @staticmethod
    def syrk(A: Any, transpose: bool = False, alpha: float = 1.0) -> NDArray:
        """Alpha A A^T, or alpha A^T A."""
    @staticmethod
    def trmm(A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0) -> NDArray:
        """Alpha A B, or alpha B A, of the lower or upper triangle of A."""
    @staticmethod
    def trsm(A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0) -> NDArray:
        """The X of A X = alpha B, or of X A = alpha B, for the lower or upper triangle of A."""

def linalg_det(A: Any) -> NDArray:
    """NumPy's `linalg.det`."""

def linalg_extractdiag(A: Any, offset: int = 0) -> NDArray:
    """The diagonal that lies `offset` above the main one."""

def linalg_extracttrian(A: Any, offset: int = 0, lower: bool = True) -> NDArray:
    """The elements of a triangle row by row: that from the diagonal `offset` on, away from the main one."""

def linalg_gelqf(A: Any) -> list[NDArray]:
    """Q and L: A = L Q, the rows of Q are orthonormal, L is a lower triangle."""

def linalg_gemm(A: Any, B: Any, C: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0, axis: int = -2) -> NDArray:
    """Alpha times the matrix products, plus beta C."""

def linalg_gemm2(A: Any, B: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2) -> NDArray:
    """Alpha times the matrix products over the last two axes, or over `axis`, the one of the rows, and the
    last."""

def linalg_inverse(A: Any) -> NDArray:
    """NumPy's `linalg.inv`."""

def linalg_makediag(A: Any, offset: int = 0) -> NDArray:
    """Square matrices, zeros but for one diagonal, `offset` above the main one."""

def linalg_maketrian(A: Any, offset: int = 0, lower: bool = True) -> NDArray:
    """Square matrices, zeros but for a triangle, whose elements are given row by row."""

def linalg_potrf(A: Any, *, upper: Any = False) -> NDArray:
    """NumPy's `linalg.cholesky`."""

def linalg_potri(A: Any) -> NDArray:
    """The inverse of L L^T for the lower triangle L, as `potrf` gives it."""

def linalg_slogdet(A: Any) -> list[NDArray]:
    """NumPy's `linalg.slogdet`."""

def linalg_sumlogdiag(A: Any) -> NDArray:
    """The sum of the logarithms of the diagonal."""

def linalg_syevd(A: Any) -> list[NDArray]:
    """U, whose rows are the eigenvectors of symmetric matrices, and their eigenvalues, which ascend."""

def linalg_syrk(A: Any, transpose: bool = False, alpha: float = 1.0) -> NDArray:
    """Alpha A A^T, or alpha A^T A."""

def linalg_trmm(A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0) -> NDArray:
    """Alpha A B, or alpha B A, of the lower or upper triangle of A."""

def linalg_trsm(A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0) -> NDArray:
    """The X of A X = alpha B, or of X A = alpha B, for the lower or upper triangle of A."""

def linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, ctx: Any = None, dtype: Any = None, retstep: bool = False, axis: int = 0, device: Any = None) -> NDArray:
    """`num` numbers at even distance from `start` to `stop`; float32 unless said."""

def log(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The natural logarithm of x."""

def log10(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The logarithm of x to base 10."""

def log1p(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """log(1 + x), exact for small x."""

def log2(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The logarithm of x to base 2."""

def log_sigmoid(data: Any) -> NDArray:
    """log(sigmoid(x)), without overflow."""

def log_softmax(data: Any, axis: Any = -1, temperature: Any = None, dtype: Any = None, use_length: Any = None, length: Any = None) -> NDArray:
    """The logarithm of the softmax along `axis`; `length` and `use_length` as in `softmax`."""

def logical_and(lhs: Any, rhs: Any) -> NDArray:
    """Whether both are true (not zero)."""

def logical_not(data: Any) -> NDArray:
    """1 where an element is 0, else 0."""

def logical_or(lhs: Any, rhs: Any) -> NDArray:
    """Whether one of both is true (not zero)."""

def logical_xor(lhs: Any, rhs: Any) -> NDArray:
    """Whether exactly one of both is true (not zero)."""

def make_loss(data: Any, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: str = 'null') -> NDArray:
    """The same values, a head by itself; its gradient is `grad_scale`."""

def masked_log_softmax(data: Any, mask: Any, axis: int = -1, temperature: float | None = 1.0, normalize: bool | None = True) -> NDArray:
    """The logarithm of the masked softmax; -inf where the mask is false. Arguments as of `masked_softmax`."""

def masked_softmax(data: Any, mask: Any, axis: int = -1, temperature: Any = 1.0, normalize: bool | None = True) -> NDArray:
    """The softmax over the elements whose mask is true; 0 elsewhere, and throughout where none is."""

def max(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The largest element over `axis`; NaN if any is."""

def max_axis(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The largest element over `axis`; NaN if any is."""

def maximum(lhs: Any, rhs: Any) -> NDArray:
    """The larger of x1 and x2; NaN where either is."""

def mean(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The arithmetic mean over `axis`; of integers float32, of no elements NaN; `where`: of the elements it
    chooses."""

def meshgrid(*xi: Any, indexing: str = 'xy', sparse: bool = False, copy: bool = True) -> list[NDArray]:
    """Coordinate matrices of coordinate vectors; without `copy`, views of them."""

def min(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The smallest element over `axis`; NaN if any is."""

def min_axis(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The smallest element over `axis`; NaN if any is."""

def minimum(lhs: Any, rhs: Any) -> NDArray:
    """The smaller of x1 and x2; NaN where either is."""

def minus(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2"""

def mish(data: Any) -> NDArray:
    """x tanh(log(1 + exp(x)))."""

def mod(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2 floor(x1 / x2), with the sign of x2."""

def modulo(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2 floor(x1 / x2), with the sign of x2."""

def moments(data: Any, axes: Any = None, keepdims: bool = False) -> list[NDArray]:
    """Mean and variance over `axes`, all when None."""

def moveaxis(tensor: Any, source: Any, destination: Any) -> NDArray:
    """Axes moved to other positions, the rest in order; a view."""

def mp_lamb_update_phase1(weight: Any, grad: Any, mean: Any, var: Any, weight32: Any, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06, t: int = 1, bias_correction: bool = True, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """The direction of LAMB's step."""

def mp_lamb_update_phase2(weight: Any, g: Any, r1: Any, r2: Any, weight32: Any, lr: Any, lower_bound: float = -1.0, upper_bound: float = -1.0) -> NDArray:
    """LAMB's step: as far as the weight is long, of norm `r1`, along the direction `g`, of norm `r2`."""

def mp_nag_mom_update(weight: Any, grad: Any, mom: Any, weight32: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """A step with Nesterov's momentum."""

def mp_sgd_mom_update(weight: Any, grad: Any, mom: Any, weight32: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient, with momentum."""

def mp_sgd_update(weight: Any, grad: Any, weight32: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient."""

def mul(lhs: Any, rhs: Any) -> NDArray:
    """x1 * x2"""

def multi_all_finite(*data: Any, num_arrays: int | None = None, init_output: bool = True) -> NDArray:
    """1 where all elements of all arrays are finite, else 0; float32 of one element."""

def multi_lars(lrs: Any, weights_sum_sq: Any, grads_sum_sq: Any, wds: Any, eta: float, eps: float, rescale_grad: float = 1.0) -> NDArray:
    """Learning rates of layers by LARS, of the sums of the squares of weights and gradients."""

def multi_mp_sgd_mom_update(*data: Any, lrs: Any = None, wds: Any = None, num_weights: Any = None, momentum: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient, with momentum."""

def multi_mp_sgd_update(*data: Any, lrs: Any = None, wds: Any = None, num_weights: Any = None, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient."""

def multi_sgd_mom_update(*data: Any, lrs: Any = None, wds: Any = None, num_weights: Any = None, momentum: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient, with momentum."""

def multi_sgd_update(*data: Any, lrs: Any = None, wds: Any = None, num_weights: Any = None, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient."""

def multi_sum_sq(*data: Any, num_arrays: int | None = None) -> NDArray:
    """The sums of the squares of several arrays, as one vector of float32."""

def multiply(lhs: Any, rhs: Any) -> NDArray:
    """x1 * x2"""

def nag_mom_update(weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """A step with Nesterov's momentum."""

def nanprod(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The product over `axis`, NaN counted as 1; `initial` and `where` as of `prod`."""

def nansum(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The sum over `axis`, NaN counted as 0; `initial` and `where` as of `sum`."""

def negative(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """-x"""

def norm(data: Any, ord: int = 2, axis: Any = None, out_dtype: Any = None, keepdims: bool = False) -> NDArray:
    """The L1 or L2 norm over `axis`."""

def normal(loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Normal numbers."""

def not_equal(lhs: Any, rhs: Any) -> NDArray:
    """Whether x1 != x2."""

def one_hot(indices: Any, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = None) -> NDArray:
    """A new last axis of size `depth`: `on_value` at the element's index, `off_value` elsewhere."""

def onehot_encode(indices: Any, out: Any) -> NDArray:
    """Write to `out` 1 at the indices, one in each row, and 0 elsewhere."""

def ones(shape: Any, ctx: Any = None, dtype: Any = None, stype: Any = None, device: Any = None) -> NDArray:
    """Ones, float32 unless said."""

def ones_like(data: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> NDArray:
    """Ones of the shape, unless another one is given, and dtype of `a`."""

def pad(data: Any, mode: str = 'constant', pad_width: Any = ..., constant_value: float = 0.0) -> NDArray:
    """Wider at both ends of each axis."""

def pick(data: Any, index: Any, axis: int = -1, keepdims: bool = False, mode: str = 'clip') -> NDArray:
    """One element along `axis` for each `index`, whose shape is that of `data` without the axis."""

def plus(lhs: Any, rhs: Any) -> NDArray:
    """x1 + x2"""

def poisson(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Counts where `lam` are expected."""

def power(base: Any, exp: Any) -> NDArray:
    """The power; that of integers by floats, so that a negative exponent gives 0 where the base is no unit."""

def preloaded_multi_mp_sgd_mom_update(*data: Any, num_weights: Any = None, momentum: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient, with momentum."""

def preloaded_multi_mp_sgd_update(*data: Any, num_weights: Any = None, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient."""

def preloaded_multi_sgd_mom_update(*data: Any, num_weights: Any = None, momentum: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient, with momentum."""

def preloaded_multi_sgd_update(*data: Any, num_weights: Any = None, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient."""

def prod(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The product over `axis`; integers and bools in 64 bits."""

def radians(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Degrees to radians."""

def randn(*shape: int, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Normal numbers of the given sizes."""

class random:
    @staticmethod
    def binomial(n: Any = 1, p: Any = 0.5, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Counts of successes in `n` trials."""
    @staticmethod
    def binomial_like(data: Any, n: Any = 1, p: Any = 0.5) -> NDArray:
        """Counts of successes in `n` trials."""
    @staticmethod
    def categorical(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> NDArray:
        """Indices along the last axis, drawn with the probabilities `data`, [..., *shape]."""
    @staticmethod
    def exponential(scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Exponential numbers with mean `scale`."""
    @staticmethod
    def exponential_like(data: Any, lam: Any = 1.0) -> NDArray:
        """Exponential numbers with mean `1 / lam`."""
    @staticmethod
    def gamma(alpha: Any = 1.0, beta: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Gamma numbers of shape `alpha` and scale `beta`."""
    @staticmethod
    def gamma_like(data: Any, alpha: Any = 1.0, beta: Any = 1.0) -> NDArray:
        """Gamma numbers of shape `alpha` and scale `beta`."""
    @staticmethod
    def generalized_negative_binomial(mu: Any = 1.0, alpha: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Counts with mean `mu` and variance mu + alpha mu^2."""
    @staticmethod
    def generalized_negative_binomial_like(data: Any, mu: Any = 1.0, alpha: Any = 1.0) -> NDArray:
        """Counts with mean `mu` and variance mu + alpha mu^2."""
    @staticmethod
    def multinomial(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> Any:
        """Indices along the last axis, drawn with the probabilities `data`, [..., *shape]."""
    @staticmethod
    def negative_binomial(k: Any = 1, p: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Counts of failures before the k-th success."""
    @staticmethod
    def negative_binomial_like(data: Any, k: Any = 1, p: Any = 1.0) -> NDArray:
        """Counts of failures before the k-th success."""
    @staticmethod
    def normal(loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Normal numbers."""
    @staticmethod
    def normal_like(data: Any, loc: Any = 0.0, scale: Any = 1.0) -> NDArray:
        """Normal numbers."""
    @staticmethod
    def poisson(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Counts where `lam` are expected."""
    @staticmethod
    def poisson_like(data: Any, lam: Any = 1.0) -> NDArray:
        """Counts where `lam` are expected."""
    @staticmethod
    def randint(low: int, high: int, shape: Any = ..., dtype: Any = 'int32', ctx: Any = None) -> NDArray:
        """Integers from [low, high)."""
    @staticmethod
    def randn(*shape: int, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Normal numbers of the given sizes."""
    @staticmethod
    def seed(seed: int | None = None, ctx: Any = None, device: Any = None) -> None:
        """Start over: equal seeds give equal numbers. None takes one from the system."""
    @staticmethod
    def shuffle(data: Any) -> NDArray:
        """The rows in random order; a new array."""
    @staticmethod
    def uniform(low: Any = 0.0, high: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Numbers from [low, high)."""
    @staticmethod
    def uniform_like(data: Any, low: Any = 0.0, high: Any = 1.0) -> NDArray:
        """Numbers from [low, high)."""

def random_binomial(n: Any = 1, p: Any = 0.5, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Counts of successes in `n` trials."""

def random_binomial_like(data: Any, n: Any = 1, p: Any = 0.5) -> NDArray:
    """Counts of successes in `n` trials."""

def random_categorical(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> NDArray:
    """Indices along the last axis, drawn with the probabilities `data`, [..., *shape]."""

def random_exponential(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Exponential numbers with mean `1 / lam`."""

def random_exponential_like(data: Any, lam: Any = 1.0) -> NDArray:
    """Exponential numbers with mean `1 / lam`."""

def random_gamma(alpha: Any = 1.0, beta: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Gamma numbers of shape `alpha` and scale `beta`."""

def random_gamma_like(data: Any, alpha: Any = 1.0, beta: Any = 1.0) -> NDArray:
    """Gamma numbers of shape `alpha` and scale `beta`."""

def random_generalized_negative_binomial(mu: Any = 1.0, alpha: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Counts with mean `mu` and variance mu + alpha mu^2."""

def random_generalized_negative_binomial_like(data: Any, mu: Any = 1.0, alpha: Any = 1.0) -> NDArray:
    """Counts with mean `mu` and variance mu + alpha mu^2."""

def random_multinomial(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> NDArray:
    """Indices along the last axis, drawn with the probabilities `data`, [..., *shape]."""

def random_negative_binomial(k: Any = 1, p: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Counts of failures before the k-th success."""

def random_negative_binomial_like(data: Any, k: Any = 1, p: Any = 1.0) -> NDArray:
    """Counts of failures before the k-th success."""

def random_normal(loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Normal numbers."""

def random_normal_like(data: Any, loc: Any = 0.0, scale: Any = 1.0) -> NDArray:
    """Normal numbers."""

def random_pdf_dirichlet(sample: Any, alpha: Any, is_log: bool = False) -> NDArray:
    """Of shares [..., n] that sum to 1, of concentrations [..., n]; [...]."""

def random_pdf_exponential(sample: Any, lam: Any, is_log: Any = False) -> NDArray:
    """Of exponential numbers of rate `lam`."""

def random_pdf_gamma(sample: Any, alpha: Any, beta: Any, is_log: Any = False) -> NDArray:
    """Of gamma numbers of shape `alpha` and rate `beta`."""

def random_pdf_generalized_negative_binomial(sample: Any, mu: Any, alpha: Any, is_log: Any = False) -> NDArray:
    """Of counts with mean `mu` and variance mu + alpha mu^2."""

def random_pdf_negative_binomial(sample: Any, k: Any, p: Any, is_log: Any = False) -> NDArray:
    """Of counts of failures before the k-th success, each with probability `p`."""

def random_pdf_normal(sample: Any, mu: Any, sigma: Any, is_log: Any = False) -> NDArray:
    """Of normal numbers."""

def random_pdf_poisson(sample: Any, lam: Any, is_log: Any = False) -> NDArray:
    """Of counts where `lam` are expected."""

def random_pdf_uniform(sample: Any, low: Any, high: Any, is_log: Any = False) -> NDArray:
    """Of numbers from [low, high)."""

def random_poisson(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Counts where `lam` are expected."""

def random_poisson_like(data: Any, lam: Any = 1.0) -> NDArray:
    """Counts where `lam` are expected."""

def random_randint(low: Any, high: Any, shape: Any = ..., ctx: Any = None, dtype: Any = None) -> NDArray:
    """Integers from [low, high)."""

def random_shuffle(data: Any) -> NDArray:
    """The rows in random order; a new array."""

def random_uniform(low: Any = 0.0, high: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Numbers from [low, high)."""

def random_uniform_like(data: Any, low: Any = 0.0, high: Any = 1.0) -> NDArray:
    """Numbers from [low, high)."""

def ravel_multi_index(data: Any, shape: Any) -> NDArray:
    """Numbers of elements for indices along each axis of `shape`, [axes, ...]; of the dtype of `data`."""

def rcbrt(data: Any) -> NDArray:
    """One over the cube root."""

def reciprocal(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """1 / x; integers give float32."""

def relu(data: Any) -> NDArray:
    """max(x, 0); NaN stays NaN."""

def repeat(data: Any, repeats: Any, axis: Any = None) -> NDArray:
    """Each element repeated along `axis` (of the flat array when None)."""

def reset_arrays(*data: Any, num_arrays: int | None = None) -> None:
    """Write 0 to all elements of all arrays."""

def reshape(data: Any, shape: Any = None, reverse: bool = False, target_shape: Any = None, keep_highest: bool = False) -> NDArray:
    """The same elements under another shape, with MXNet 1's codes."""

def reshape_like(lhs: Any, rhs: Any, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None) -> NDArray:
    """The elements of `lhs` under the shape of `rhs`, or a range of its axes under a range of the other's."""

def reverse(data: Any, axis: Any) -> NDArray:
    """Elements in reverse order along `axis` (all axes when None); a view."""

def rint(data: Any) -> NDArray:
    """The nearest integer, halves down."""

def rms_norm(data: Any, gamma: Any = None, axis: Any = -1, eps: float = 1e-05) -> NDArray:
    """x / sqrt(mean(x x) + eps) gamma over `axis`."""

def rmsprop_update(weight: Any, grad: Any, n: Any, lr: Any, gamma1: float = 0.95, epsilon: float = 1e-08, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0) -> NDArray:
    """RMSProp of Tieleman and Hinton."""

def rmspropalex_update(weight: Any, grad: Any, n: Any, g: Any, delta: Any, lr: Any, gamma1: float = 0.95, gamma2: float = 0.9, epsilon: float = 1e-08, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0) -> NDArray:
    """RMSProp of Graves, of the deviation from the mean."""

def rotary_embedding(data: Any, positions: Any = None, base: float = 10000.0, pairing: str = 'halves', rotary_size: int | None = None, layout: str = 'BHTD') -> NDArray:
    """Rotate pairs of components of queries or keys by their position times a frequency, one for each pair."""

def round(data: Any) -> NDArray:
    """The nearest integer, halves away from zero."""

def rsqrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """1 / sqrt(x)"""

def sample_binomial(n: Any = 1, p: Any = 0.5, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Counts of successes in `n` trials."""

def sample_binomial_like(data: Any, n: Any = 1, p: Any = 0.5) -> NDArray:
    """Counts of successes in `n` trials."""

def sample_categorical(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> NDArray:
    """Indices along the last axis, drawn with the probabilities `data`, [..., *shape]."""

def sample_exponential(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Exponential numbers with mean `1 / lam`."""

def sample_exponential_like(data: Any, lam: Any = 1.0) -> NDArray:
    """Exponential numbers with mean `1 / lam`."""

def sample_gamma(alpha: Any = 1.0, beta: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Gamma numbers of shape `alpha` and scale `beta`."""

def sample_gamma_like(data: Any, alpha: Any = 1.0, beta: Any = 1.0) -> NDArray:
    """Gamma numbers of shape `alpha` and scale `beta`."""

def sample_generalized_negative_binomial(mu: Any = 1.0, alpha: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Counts with mean `mu` and variance mu + alpha mu^2."""

def sample_generalized_negative_binomial_like(data: Any, mu: Any = 1.0, alpha: Any = 1.0) -> NDArray:
    """Counts with mean `mu` and variance mu + alpha mu^2."""

def sample_multinomial(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> Any:
    """Indices along the last axis, drawn with the probabilities `data`, [..., *shape]."""

def sample_negative_binomial(k: Any = 1, p: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Counts of failures before the k-th success."""

def sample_negative_binomial_like(data: Any, k: Any = 1, p: Any = 1.0) -> NDArray:
    """Counts of failures before the k-th success."""

def sample_normal(mu: Any = 0.0, sigma: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Normal numbers."""

def sample_normal_like(data: Any, loc: Any = 0.0, scale: Any = 1.0) -> NDArray:
    """Normal numbers."""

def sample_poisson(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Counts where `lam` are expected."""

def sample_poisson_like(data: Any, lam: Any = 1.0) -> NDArray:
    """Counts where `lam` are expected."""

def sample_randint(low: int, high: int, shape: Any = ..., dtype: Any = 'int32', ctx: Any = None) -> NDArray:
    """Integers from [low, high)."""

def sample_shuffle(data: Any) -> NDArray:
    """The rows in random order; a new array."""

def sample_uniform(low: Any = 0.0, high: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Numbers from [low, high)."""

def sample_uniform_like(data: Any, low: Any = 0.0, high: Any = 1.0) -> NDArray:
    """Numbers from [low, high)."""

def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, scale: Any = None, enable_gqa: bool | None = None, *, valid_length: Any = None, layout: str = 'BHTD', need_weights: bool = False) -> NDArray:
    """Return the means of values, weighted by the softmax of scaled products of their keys with queries."""

def scatter_nd(data: Any, indices: Any, shape: Any) -> NDArray:
    """Zeros of `shape` with `data` at the points that `indices` [k, ...] lists by columns."""

def sgd_mom_update(weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient, with momentum."""

def sgd_update(weight: Any, grad: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """A step down the gradient."""

def shape_array(data: Any) -> NDArray:
    """The sizes of the axes as an int64 array."""

def shuffle(data: Any) -> NDArray:
    """The rows in random order; a new array."""

def sigmoid(data: Any) -> NDArray:
    """1 / (1 + exp(-x))."""

def sign(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """-1, 0 or 1; NaN of NaN."""

def signsgd_update(weight: Any, grad: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """A step by the sign of the gradient."""

def signum_update(weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, wd_lh: Any = 0.0) -> NDArray:
    """A step by the sign of the mean gradient."""

def sin(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The sine of x, in radians."""

def sinh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The hyperbolic sine of x."""

def sinusoidal_positions(positions: Any, units: int, base: float = 10000.0, dtype: Any = None) -> NDArray:
    """Return vectors of sines and cosines of positions, in turns."""

def size_array(data: Any) -> NDArray:
    """The number of elements, as an int64 array of one."""

def slice(data: Any, begin: Any, end: Any, step: Any = None) -> NDArray:
    """Elements from `begin` to `end` by `step`, for as many axes as are given; None means the edge."""

def slice_axis(data: Any, axis: int, begin: int, end: int | None) -> NDArray:
    """Elements from `begin` to `end` along one axis; both may be counted from its end, None is the end."""

def slice_like(data: Any, shape_like: Any, axes: Any = None) -> NDArray:
    """Cut to the sizes of another array, along `axes` (all when None)."""

def smooth_l1(data: Any, scalar: float = 1.0) -> NDArray:
    """(s x)**2 / 2 where abs(x) < 1 / s**2, else abs(x) - 1 / (2 s**2)."""

def softmax(data: Any, length: Any = None, axis: int = -1, temperature: float | None = None, dtype: Any = None, use_length: bool | None = None) -> NDArray:
    """exp(x / t) / sum(exp(x / t)) along `axis`; an integer in the place of `length` is the axis."""

def softmax_cross_entropy(data: Any, label: Any) -> NDArray:
    """The sum over the batch of -log softmax(x) at the label, as an array of one element."""

def softmin(data: Any, axis: int = -1, temperature: float | None = None, dtype: Any = None) -> NDArray:
    """The softmax of -x."""

def softsign(data: Any) -> NDArray:
    """x / (1 + abs(x))."""

def sort(data: Any, axis: int | None = -1, is_ascend: bool = True) -> NDArray:
    """Sorted along `axis`."""

def space_to_depth(data: Any, block_size: int) -> NDArray:
    """Turn blocks of pixels into channels: [n, c, h b, w b] to [n, b b c, h, w]."""

def split(data: Any, num_outputs: int, axis: int = 1, squeeze_axis: bool = False) -> list[NDArray]:
    """Equal parts along `axis`; a list, or the array itself for one part."""

def split_v2(ary: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> list[NDArray]:
    """Parts along `axis`, equal or cut at indices."""

def sqrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The square root of x."""

def square(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """x * x, a copy."""

def squeeze(data: Any, axis: Any = None, inplace: bool = False) -> NDArray:
    """Without axes of size 1: a view likewise."""

def stack(*data: Any, axis: int = 0, num_args: int | None = None) -> NDArray:
    """Arrays along a new axis."""

def stop_gradient(data: Any) -> NDArray:
    """The same values, of which nothing is remembered for a backward pass; but a head keeps the gradient of its
    own."""

def sub(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2"""

def subtract(lhs: Any, rhs: Any) -> NDArray:
    """x1 - x2"""

def sum(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The sum over `axis` (all when None); integers and bools sum in 64 bits."""

def sum_axis(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """The sum over `axis` (all when None); integers and bools sum in 64 bits."""

def swapaxes(data: Any, dim1: Any = 0, dim2: Any = 0) -> NDArray:
    """Two axes exchanged; a view."""

def take(a: Any, indices: Any, axis: Any = 0, mode: Any = 'clip', out: Any = None) -> NDArray:
    """Elements at `indices` along `axis` (of the flat array when None)."""

def tan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The tangent of x, in radians."""

def tanh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The hyperbolic tangent of x."""

def tile(data: Any, reps: Any) -> NDArray:
    """The array repeated as a whole, `reps` times along each axis."""

def topk(data: Any, axis: int | None = -1, k: int = 1, ret_typ: str = 'indices', is_ascend: bool = False, dtype: Any = None) -> Any:
    """The `k` largest (smallest when `is_ascend`) along `axis`."""

def transpose(data: Any, axes: Any = None) -> NDArray:
    """Axes permuted."""

def true_divide(lhs: Any, rhs: Any) -> NDArray:
    """The quotient; that of integers without what follows the point, as in C."""

def trunc(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """The integer part of x."""

def uniform(low: Any = 0.0, high: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Numbers from [low, high)."""

def unravel_index(data: Any, shape: Any) -> NDArray:
    """Indices along each axis of `shape` for numbers of elements: [axes, ...], of the dtype of `data`."""

def waitall() -> None:
    """Wait for all asynchronous calls, and raise what the first that failed has raised (`hybridize.engine`)."""

def where(condition: Any, x: Any, y: Any) -> NDArray:
    """x where `condition` is not 0, else y; a vector of conditions chooses rows."""

def zeros(shape: Any, ctx: Any = None, dtype: Any = None, stype: Any = None, device: Any = None) -> NDArray:
    """Zeros, float32 unless said."""

def zeros_like(data: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> NDArray:
    """Zeros of the shape, unless another one is given, and dtype of `a`."""
