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
    """Apply one of relu, sigmoid, tanh, softrelu, softsign and others to each element."""

def BatchNorm(data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: Any = None, max_calib_range: Any = None) -> Any:
    """Normalize each channel by its mean and variance, as `npx.batch_norm`."""

def BilinearSampler(data: Any, grid: Any, cudnn_off: bool | None = None) -> NDArray:
    """Read images at the places of a grid, interpolated between their four nearest pixels."""

def BlockGrad(data: Any) -> NDArray:
    """Return the same values, through which no gradient goes; the result of a loss layer keeps the gradient of
    its own."""

def CTCLoss(data: Any, label: Any, data_lengths: Any = None, label_lengths: Any = None, use_data_lengths: bool | None = None, use_label_lengths: bool | None = None, blank_label: str = 'first') -> NDArray:
    """Return -log of the probability of all alignments of `data` [steps, batch, classes] that read as
    `label`."""

def Cast(data: Any, dtype: Any) -> NDArray:
    """Return an array cast to another dtype."""

def Concat(*data: Any, dim: int = 1, num_args: int | None = None) -> NDArray:
    """Join arrays along an axis, axis 1 unless you pass `dim`."""

def Convolution(data: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, num_filter: int | None = None, num_group: int = 1, workspace: int = 1024, no_bias: bool | None = None, cudnn_tune: Any = None, cudnn_off: bool = False, layout: str | None = None) -> NDArray:
    """Convolve over the axes behind the channels, as `npx.convolution`."""

def Correlation(data1: Any, data2: Any, kernel_size: int = 1, max_displacement: int = 1, stride1: int = 1, stride2: int = 1, pad_size: int = 0, is_multiply: bool = True) -> NDArray:
    """Compare windows of an image with those around the same place of another one."""

def Crop(*data: Any, num_args: int | None = None, offset: Any = ..., h_w: Any = ..., center_crop: bool = False) -> NDArray:
    """Rows and columns of images [n, c, h, w]: as many as a second array has, or `h_w`."""

def Custom(*data: Any, op_type: str, name: str | None = None, **kwargs: Any) -> Any:
    """Call an operation that was registered."""

def Deconvolution(data: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, adj: Any = None, target_shape: Any = None, num_filter: int | None = None, num_group: int = 1, workspace: int = 512, no_bias: bool | None = None, cudnn_tune: Any = None, cudnn_off: bool = False, layout: str | None = None) -> NDArray:
    """Convolve transposed: what the gradient of a convolution by its input computes, as a layer with a bias."""

def Dropout(data: Any, p: float = 0.5, mode: str = 'training', axes: Any = ..., cudnn_off: bool = False) -> NDArray:
    """Set each element to 0 with probability `p` while training, and divide the others by 1 - p."""

def ElementWiseSum(*args: Any, out: Any = None) -> NDArray:
    """Return the sum of all arguments."""

def Embedding(data: Any, weight: Any, input_dim: Any = None, output_dim: Any = None, dtype: Any = None, sparse_grad: bool = False) -> NDArray:
    """Return the rows of `weight` at the indices `data`; indices outside mean the first or the last row."""

def Flatten(data: Any) -> NDArray:
    """Join all axes but the first: [n, a, b] becomes [n, a b]."""

def FullyConnected(data: Any, weight: Any, bias: Any = None, num_hidden: Any = None, no_bias: Any = False, flatten: bool = True) -> NDArray:
    """Return x Wᵀ + b, what a dense layer computes; all axes of `data` but the first are joined, unless
    `flatten` is False."""

def GridGenerator(data: Any, transform_type: str, target_shape: Any = ...) -> NDArray:
    """Make the grid of an affine map, or of a flow, for `bilinear_sampler`."""

def GroupNorm(data: Any, gamma: Any, beta: Any, num_groups: Any = 1, eps: Any = 1e-05) -> NDArray:
    """Normalize groups of channels (axis 1) over all axes behind; gamma and beta are by channel."""

def InstanceNorm(data: Any, gamma: Any, beta: Any, eps: float = 0.001) -> NDArray:
    """Normalize each channel (axis 1) of each sample over the axes behind."""

def L2Normalization(data: Any, eps: float = 1e-10, mode: str = 'instance') -> NDArray:
    """Return x / sqrt(sum(x * x) + eps), summed over all axes but 0, or those that `mode` names."""

def LRN(data: Any, alpha: float = 0.0001, beta: float = 0.75, knorm: float = 2.0, nsize: int | None = None) -> NDArray:
    """Divide by (knorm + alpha / nsize * the sum of squares of nsize channels around each) ** beta: AlexNet's
    norm."""

def LayerNorm(data: Any, gamma: Any, beta: Any, axis: int = -1, eps: float = 1e-05, output_mean_var: bool = False) -> Any:
    """Normalize along an axis: (x - mean) / sqrt(var + eps) * gamma + beta."""

def LeakyReLU(data: Any, gamma: Any = None, act_type: str = 'leaky', slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.334) -> NDArray:
    """Return x where it is positive, and something small elsewhere."""

def LinearRegressionOutput(data: Any, label: Any, grad_scale: float = 1.0) -> NDArray:
    """Return the data; their gradient is that of half the squared distance to `label`, by the numbers of a
    sample."""

def LogisticRegressionOutput(data: Any, label: Any, grad_scale: float = 1.0) -> NDArray:
    """Return the sigmoid of the data; the gradient is that of the cross entropy with `label`, by the numbers of
    a sample."""

def MAERegressionOutput(data: Any, label: Any, grad_scale: float = 1.0) -> NDArray:
    """Return the data; their gradient is that of the distance to `label`, by the numbers of a sample."""

def MakeLoss(data: Any, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: str = 'null') -> NDArray:
    """Return the same values as a loss, whose gradient is `grad_scale`."""

def Pad(data: Any, mode: str = 'constant', pad_width: Any = ..., constant_value: float = 0.0) -> NDArray:
    """Return an array that is wider at both ends of each axis; `pad_width` has two numbers for each axis, in
    one list."""

def Pooling(data: Any, kernel: Any = ..., pool_type: Any = 'max', global_pool: Any = False, cudnn_off: Any = False, pooling_convention: Any = 'valid', stride: Any = ..., pad: Any = ..., p_value: Any = None, count_include_pad: Any = None, layout: Any = None) -> NDArray:
    """Return one number for each window of an image and channel, as `npx.pooling`."""

def RNN(data: Any, parameters: Any, state: Any = None, state_cell: Any = None, sequence_length: Any = None, state_size: Any = None, num_layers: Any = None, bidirectional: Any = False, mode: Any = None, p: Any = 0.0, state_outputs: Any = False, projection_size: Any = None, lstm_state_clip_min: Any = None, lstm_state_clip_max: Any = None, lstm_state_clip_nan: Any = False, use_sequence_length: Any = None) -> Any:
    """Run a recurrent network, as `npx.rnn`."""

def ROIPooling(data: Any, rois: Any, pooled_size: Any, spatial_scale: float) -> NDArray:
    """Return the largest elements of regions of images, which are cut into a fixed number of bins."""

def Reshape(data: Any, shape: Any = None, reverse: bool = False, target_shape: Any = None, keep_highest: bool = False) -> NDArray:
    """Return the same elements under another shape, with MXNet 1's codes."""

def SVMOutput(data: Any, label: Any = None, margin: float = 1.0, regularization_coefficient: float = 1.0, use_linear: bool = False) -> NDArray:
    """Return the scores [n, classes]; their gradient is that of the hinge loss with `label`, squared unless
    `use_linear`."""

def SequenceLast(data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, axis: int = 0) -> NDArray:
    """Return the last step of each sequence; steps lie along axis 0 and sequences along axis 1."""

def SequenceMask(data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, value: float = 0.0, axis: int = 0) -> NDArray:
    """Write `value` behind the end of each sequence; steps lie along axis 0 and sequences along axis 1."""

def SequenceReverse(data: Any, sequence_length: Any = None, use_sequence_length: bool | None = None, axis: int = 0) -> NDArray:
    """Return the steps of each sequence in reverse order; what follows its end stays."""

def SliceChannel(data: Any, num_outputs: int, axis: int = 1, squeeze_axis: bool = False) -> list[NDArray]:
    """Cut an array along an axis into equal parts; a list, or the array itself for one part."""

def Softmax(data: Any, label: Any = None, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: str = 'null', out_grad: bool = False, smooth_alpha: float = 0.0) -> NDArray:
    """Return the softmax of scores, a loss by itself: its gradient is that of the cross entropy with
    `label`."""

def SoftmaxActivation(data: Any, mode: str = 'instance') -> NDArray:
    """Return the softmax over axis 1 (`channel`), or over all axes but the first (`instance`)."""

def SoftmaxOutput(data: Any, label: Any = None, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: str = 'null', out_grad: bool = False, smooth_alpha: float = 0.0) -> NDArray:
    """Return the softmax of scores, a loss by itself: its gradient is that of the cross entropy with
    `label`."""

def SpatialTransformer(data: Any, loc: Any, target_shape: Any = ..., transform_type: str = 'affine', sampler_type: str = 'bilinear', cudnn_off: bool | None = None) -> NDArray:
    """See images through affine maps: `bilinear_sampler` at the grid that `grid_generator` makes of `loc`."""

def SwapAxis(data: Any, dim1: Any = 0, dim2: Any = 0) -> NDArray:
    """Exchange two axes; a view."""

def UpSampling(*data: Any, scale: int, sample_type: str = 'nearest', num_filter: int = 0, multi_input_mode: str = 'concat', num_args: int | None = None, workspace: int = 512) -> NDArray:
    """Enlarge images [batch, channels, height, width]."""

def abs(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return the absolute value of each element."""

def adam_update(weight: Any, grad: Any, mean: Any, var: Any, lr: Any, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: float = 1e-08, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by Adam, in place of `out`; the learning rate has to hold the correction of the bias."""

def add(lhs: Any, rhs: Any) -> NDArray:
    """Return the sum of each pair of elements; a number takes the dtype of the array beside it."""

def add_n(*args: Any, out: Any = None) -> NDArray:
    """Return the sum of all arguments."""

def all_finite(data: Any, init_output: bool = True) -> NDArray:
    """Return 1 where all elements are finite, and 0 otherwise, as float32 of one element."""

def amp_cast(data: Any, dtype: Any) -> NDArray:
    """Return an array cast to another dtype."""

def amp_multicast(*data: Any, num_outputs: int | None = None, cast_narrow: bool = False) -> list[NDArray]:
    """Return arrays of floats in the widest dtype among them, or in the narrowest with `cast_narrow`."""

def arange(start: float, stop: float | None = None, step: float = 1.0, repeat: int = 1, infer_range: bool = False, ctx: Any = None, dtype: Any = 'float32') -> NDArray:
    """Return start, start + step, ... up to but without `stop`, each number `repeat` times."""

def arccos(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.arccos` of each element, in the dtype of the array: integers stay integers."""

def arccosh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.arccosh` of each element, in the dtype of the array: integers stay integers."""

def arcsin(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.arcsin` of each element, in the dtype of the array: integers stay integers."""

def arcsinh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.arcsinh` of each element, in the dtype of the array: integers stay integers."""

def arctan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.arctan` of each element, in the dtype of the array: integers stay integers."""

def arctanh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.arctanh` of each element, in the dtype of the array: integers stay integers."""

def argmax(data: Any, axis: Any = None, keepdims: Any = False, out: Any = None) -> NDArray:
    """Return the index of the first largest element along an axis, as float32."""

def argmax_channel(data: Any) -> NDArray:
    """Return the index of the largest element along axis 1."""

def argmin(data: Any, axis: Any = None, keepdims: Any = False, out: Any = None) -> NDArray:
    """Return the index of the first smallest element along an axis, as float32."""

def argsort(data: Any, axis: int | None = -1, is_ascend: bool = True, dtype: Any = 'float32') -> NDArray:
    """Return the indices that sort along an axis, as float32 unless you pass a dtype."""

def array(source_array: Any, ctx: Any = None, dtype: Any = None, *, device: Any = None) -> NDArray:
    """Return an array of numbers, of nested lists of them, or of another array; float32 unless you pass a
    dtype."""

def batch_dot(lhs: Any, rhs: Any, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Any = None) -> NDArray:
    """Return the matrix products of [b, m, k] and [b, k, n]."""

def batch_flatten(data: Any) -> NDArray:
    """Join all axes but the first: [n, a, b] becomes [n, a b]."""

def batch_take(a: Any, indices: Any, axis: int = -1, keepdims: bool = False, mode: str = 'clip') -> NDArray:
    """Return one element along an axis for each index."""

def broadcast_add(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the sum of each pair of elements; a number takes the dtype of the array beside it."""

def broadcast_axes(data: Any, axis: Any = ..., size: Any = ...) -> NDArray:
    """Stretch axes of size 1 to given sizes."""

def broadcast_axis(data: Any, axis: Any = ..., size: Any = ...) -> NDArray:
    """Stretch axes of size 1 to given sizes."""

def broadcast_div(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def broadcast_divide(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def broadcast_equal(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return 1 where x == y, and 0 elsewhere, in the dtype of the operands."""

def broadcast_greater(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return 1 where x > y, and 0 elsewhere, in the dtype of the operands."""

def broadcast_greater_equal(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return 1 where x >= y, and 0 elsewhere, in the dtype of the operands."""

def broadcast_hypot(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the hypotenuse of each pair of elements; a number takes the dtype of the array beside it."""

def broadcast_lesser(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return 1 where x < y, and 0 elsewhere, in the dtype of the operands."""

def broadcast_lesser_equal(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return 1 where x <= y, and 0 elsewhere, in the dtype of the operands."""

def broadcast_like(lhs: Any, rhs: Any, lhs_axes: Any = None, rhs_axes: Any = None) -> NDArray:
    """Return an array stretched to the shape of another one, or along some axes to sizes of it."""

def broadcast_logical_and(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return 1 where both elements are not 0, and 0 elsewhere, in the dtype of the operands."""

def broadcast_logical_or(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return 1 where one of both elements is not 0, and 0 elsewhere, in the dtype of the operands."""

def broadcast_logical_xor(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return 1 where exactly one of both elements is not 0, and 0 elsewhere, in the dtype of the operands."""

def broadcast_maximum(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the larger one of each pair of elements; a number takes the dtype of the array beside it."""

def broadcast_minimum(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the smaller one of each pair of elements; a number takes the dtype of the array beside it."""

def broadcast_minus(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the difference x1 - x2 of each pair of elements."""

def broadcast_mod(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the remainder, with the sign of `rhs` of each pair of elements; a number takes the dtype of the
    array beside it."""

def broadcast_modulo(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the remainder x1 - x2 * floor(x1 / x2) of each pair of elements, with the sign of x2."""

def broadcast_mul(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the product x1 * x2 of each pair of elements; of bools, whether both are true."""

def broadcast_multiply(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the product of each pair of elements; a number takes the dtype of the array beside it."""

def broadcast_not_equal(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return 1 where x != y, and 0 elsewhere, in the dtype of the operands."""

def broadcast_plus(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the sum x1 + x2 of each pair of elements; of bools, whether one of both is true."""

def broadcast_power(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the power of each pair of elements, in the dtype of the operands."""

def broadcast_sub(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the difference x1 - x2 of each pair of elements."""

def broadcast_subtract(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the difference of each pair of elements; a number takes the dtype of the array beside it."""

def broadcast_to(data: Any, shape: Any) -> NDArray:
    """Stretch an array to a shape, in which 0 means the size that is there."""

def broadcast_true_divide(lhs: Any, rhs: Any, axis: Any = None) -> NDArray:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def cast(data: Any, dtype: Any) -> NDArray:
    """Return an array cast to another dtype."""

def cbrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.cbrt` of each element, in the dtype of the array: integers stay integers."""

def ceil(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return the smallest integer that is not below each element."""

def choose_element_0index(data: Any, index: Any, axis: int = -1, keepdims: bool = False, mode: str = 'clip') -> NDArray:
    """Return one element along an axis for each index."""

def clip(data: Any, a_min: Any, a_max: Any) -> NDArray:
    """Return elements limited to a range: those below `a_min` become `a_min`, those above `a_max` become
    `a_max`."""

def col2im(data: Any, output_size: Any, kernel: Any, stride: Any = None, dilate: Any = None, pad: Any = None) -> NDArray:
    """Add columns up where their elements were in an image: what the gradient of `im2col` computes."""

def concat(*data: Any, dim: int = 1, num_args: int | None = None) -> NDArray:
    """Join arrays along an axis, axis 1 unless you pass `dim`."""

def concatenate(arrays: Any, axis: int = 0, always_copy: bool = True) -> NDArray:
    """Join a list of arrays along an axis, axis 0 unless you pass `axis`."""

class contrib:
    @staticmethod
    def AdaptiveAvgPooling2D(data: Any, output_size: Any = 1) -> NDArray:
        """Divide images [batch, channels, height, width] into as many parts as asked for, and take their means."""
    @staticmethod
    def BatchNormWithReLU(data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: Any = None, max_calib_range: Any = None) -> NDArray:
        """Normalize as `BatchNorm` does, and return max(y, 0)."""
    @staticmethod
    def BilinearResize2D(data: Any, like: Any = None, height: int = 1, width: int = 1, scale_height: float | None = None, scale_width: float | None = None, mode: str = 'size', align_corners: bool = True) -> NDArray:
        """Interpolate images [batch, channels, height, width] between their four nearest pixels."""
    @staticmethod
    def CTCLoss(data: Any, label: Any, data_lengths: Any = None, label_lengths: Any = None, use_data_lengths: bool | None = None, use_label_lengths: bool | None = None, blank_label: str = 'first') -> NDArray:
        """Return -log of the probability of all alignments of `data` [steps, batch, classes] that read as
        `label`."""
    @staticmethod
    def DeformableConvolution(data: Any, offset: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, num_filter: int | None = None, num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, layout: str | None = None) -> NDArray:
        """Convolve images, each element of each window lying where `offset` moves it, between pixels too."""
    @staticmethod
    def ModulatedDeformableConvolution(data: Any, offset: Any, mask: Any, weight: Any, bias: Any = None, kernel: Any = None, stride: Any = None, dilate: Any = None, pad: Any = None, num_filter: int | None = None, num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, im2col_step: int = 64, layout: str | None = None) -> NDArray:
        """Convolve as `deformable_convolution` does, each element of each window multiplied by one of `mask`."""
    @staticmethod
    def MultiBoxDetection(cls_prob: Any, loc_pred: Any, anchor: Any, clip: bool = True, threshold: float = 0.01, background_id: int = 0, nms_threshold: float = 0.5, force_suppress: bool = False, variances: Any = ..., nms_topk: int = -1) -> NDArray:
        """Return the objects that a detector of boxes finds: class, score and four corners, [batch, anchors, 6]."""
    @staticmethod
    def MultiBoxPrior(data: Any, sizes: Any = ..., ratios: Any = ..., clip: bool = False, steps: Any = ..., offsets: Any = ...) -> NDArray:
        """Return anchors around each pixel of images: all sizes at the first ratio, the first size at the other
        ratios."""
    @staticmethod
    def MultiBoxTarget(anchor: Any, label: Any, cls_pred: Any, overlap_threshold: float = 0.5, ignore_label: float = -1.0, negative_mining_ratio: float = -1.0, negative_mining_thresh: float = 0.5, minimum_negative_samples: int = 0, variances: Any = ...) -> list[NDArray]:
        """Return what a detector of boxes is to predict: offsets, a mask of them, and classes."""
    @staticmethod
    def ROIAlign(data: Any, rois: Any, pooled_size: Any, spatial_scale: float, sample_ratio: int = -1, position_sensitive: bool = False, aligned: bool = False) -> NDArray:
        """Return the means of points between the pixels of regions, which are cut into a fixed number of bins."""
    @staticmethod
    def SparseEmbedding(data: Any, weight: Any, input_dim: Any = None, output_dim: Any = None, dtype: Any = None, sparse_grad: bool = False) -> NDArray:
        """Return the rows of `weight` at the indices `data`; indices outside mean the first or the last row."""
    @staticmethod
    def SyncBatchNorm(data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, ndev: int = 1, key: str = '') -> NDArray:
        """Normalize as `BatchNorm` does: the whole batch is on one device, so nothing needs to be synchronized."""
    @staticmethod
    def adamw_update(weight: Any, grad: Any, mean: Any, var: Any, rescale_grad: Any, lr: Any, eta: Any, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: float = 1e-08, wd: Any = 0.0, clip_gradient: float = -1.0) -> NDArray:
        """Update a weight by Adam with a decay beside it; nothing changes where `rescale_grad` is 0, infinite or
        NaN."""
    @staticmethod
    def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = True) -> NDArray:
        """Return 1 if no element of `a` is further from that of `b` than atol + rtol |b|, and 0 otherwise."""
    @staticmethod
    def arange_like(data: Any, start: Any = 0.0, step: Any = 1.0, repeat: Any = 1, ctx: Any = None, axis: Any = None) -> NDArray:
        """Return start, start + step, ... for each element of `data`, or along one axis of it."""
    @staticmethod
    def bipartite_matching(data: Any, is_ascend: bool = False, threshold: float | None = None, topk: int = -1) -> list[NDArray]:
        """Match rows with columns: the pair of the best score first, then the best of the pairs that are left."""
    @staticmethod
    def boolean_mask(data: Any, index: Any, axis: int = 0) -> NDArray:
        """Return the parts along an axis where `index` is not 0. Imperative only: data decide the size."""
    @staticmethod
    def box_decode(data: Any, anchors: Any, std0: float = 1.0, std1: float = 1.0, std2: float = 1.0, std3: float = 1.0, clip: float = -1.0, format: str = 'center') -> NDArray:
        """Return the corners of boxes from their differences to anchors."""
    @staticmethod
    def box_encode(samples: Any, matches: Any, anchors: Any, refs: Any, means: Any, stds: Any) -> NDArray:
        """Return the differences of boxes to the anchors that they are matched with, and a mask of them."""
    @staticmethod
    def box_iou(lhs: Any, rhs: Any, format: str = 'corner') -> NDArray:
        """Return the intersection over union of each pair of boxes."""
    @staticmethod
    def box_nms(data: Any, overlap_thresh: float = 0.5, valid_thresh: float = 0.0, topk: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1, force_suppress: bool = False, in_format: str = 'corner', out_format: str = 'corner') -> NDArray:
        """Return the boxes with the highest scores; those that overlap a better one become -1."""
    @staticmethod
    def box_non_maximum_suppression(data: Any, overlap_thresh: float = 0.5, valid_thresh: float = 0.0, topk: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1, force_suppress: bool = False, in_format: str = 'corner', out_format: str = 'corner') -> NDArray:
        """Return the boxes with the highest scores; those that overlap a better one become -1."""
    @staticmethod
    def cond(pred: Any, then_func: Any, else_func: Any, inputs: Any = None, name: str = 'cond') -> Any:
        """Compute `then_func` if `pred` is true, and otherwise `else_func`; only one of them runs."""
    @staticmethod
    def ctc_loss(data: Any, label: Any, data_lengths: Any = None, label_lengths: Any = None, use_data_lengths: bool | None = None, use_label_lengths: bool | None = None, blank_label: str = 'first') -> NDArray:
        """Return -log of the probability of all alignments of `data` [steps, batch, classes] that read as
        `label`."""
    @staticmethod
    def div_sqrt_dim(data: Any) -> NDArray:
        """Return x / sqrt(n), where n is the size of the last axis."""
    @staticmethod
    def foreach(body: Any, data: Any, init_states: Any, name: str = 'foreach') -> Any:
        """Run `body` over the first axis of `data`, with states that go from one step to the next."""
    @staticmethod
    def gradientmultiplier(data: Any, scalar: float = 1.0, is_int: bool = True) -> NDArray:
        """Return the same values, whose gradient is `scalar` times the gradient that arrives."""
    @staticmethod
    def group_adagrad_update(weight: Any, grad: Any, history: Any, lr: Any, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, epsilon: float = 1e-05) -> NDArray:
        """Update a matrix by AdaGrad with one number for each row."""
    @staticmethod
    def index_array(data: Any, axes: Any = None) -> NDArray:
        """Return the index of each element along all axes, or along some, as int64 along a new last axis."""
    @staticmethod
    def index_copy(old_tensor: Any, index_vector: Any, new_tensor: Any) -> NDArray:
        """Return a copy of `old_tensor` whose rows `index_vector` are those of `new_tensor`."""
    @staticmethod
    def interleaved_matmul_encdec_qk(queries: Any, keys_values: Any, heads: int) -> NDArray:
        """Return the products of queries and keys by 1 / sqrt(size), where keys and values lie beside each
        other."""
    @staticmethod
    def interleaved_matmul_encdec_valatt(keys_values: Any, attention: Any, heads: int) -> NDArray:
        """Return the means of values that lie beside their keys, weighted by `attention`."""
    @staticmethod
    def interleaved_matmul_selfatt_qk(queries_keys_values: Any, heads: int) -> NDArray:
        """Return the products of queries and keys by 1 / sqrt(size), of projections that lie beside each other."""
    @staticmethod
    def interleaved_matmul_selfatt_valatt(queries_keys_values: Any, attention: Any, heads: int) -> NDArray:
        """Return the means of the values of projections that lie beside each other, weighted by `attention`."""
    @staticmethod
    def isfinite(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
        """Return 1 where an element is finite, and 0 elsewhere, in the dtype of the array."""
    @staticmethod
    def isinf(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
        """Return 1 where an element is infinite, and 0 elsewhere, in the dtype of the array."""
    @staticmethod
    def isnan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
        """Return 1 where an element is NaN, and 0 elsewhere, in the dtype of the array."""
    @staticmethod
    def mp_adamw_update(weight: Any, grad: Any, mean: Any, var: Any, weight32: Any, rescale_grad: Any, lr: Any, eta: Any, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: float = 1e-08, wd: Any = 0.0, clip_gradient: float = -1.0) -> NDArray:
        """Update a weight by Adam with a decay beside it; nothing changes where `rescale_grad` is 0, infinite or
        NaN."""
    @staticmethod
    def multi_adamw_update(*args: Any, size: int = 0, num_tensors: int = 0, **numbers: Any) -> NDArray:
        """Update several weights by Adam with a decay beside it; see `adamw_update`."""
    @staticmethod
    def multi_lamb_update(*args: Any, size: int = 0, num_tensors: int = 0, **numbers: Any) -> NDArray:
        """Update several weights by both phases of LAMB."""
    @staticmethod
    def multi_mp_adamw_update(*args: Any, size: int = 0, num_tensors: int = 0, **numbers: Any) -> NDArray:
        """Update several weights of half precision by Adam with a decay beside it; see `multi_adamw_update`."""
    @staticmethod
    def multi_mp_lamb_update(*args: Any, size: int = 0, num_tensors: int = 0, **numbers: Any) -> NDArray:
        """Update several weights of half precision by both phases of LAMB; see `multi_lamb_update`."""
    @staticmethod
    def quadratic(data: Any, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> NDArray:
        """Return a x**2 + b x + c for each element."""
    @staticmethod
    def rand_zipfian(true_classes: Any, num_sampled: int, range_max: int, ctx: Any = None) -> NDArray:
        """Draw classes by a law of Zipf; return them and how often they, and the true classes, are expected."""
    @staticmethod
    def round_ste(data: Any) -> NDArray:
        """Return the nearest integer of each element, halves away from 0; gradients go through unchanged."""
    @staticmethod
    def sign_ste(data: Any) -> NDArray:
        """Return the sign of each element; gradients go through unchanged."""
    @staticmethod
    def sldwin_atten_context(score: Any, value: Any, dilation: Any, w: int, symmetric: bool = True) -> NDArray:
        """Return the sums of the values of sliding windows, weighted by `score`; see `sldwin_atten_score`."""
    @staticmethod
    def sldwin_atten_mask_like(score: Any, dilation: Any, valid_length: Any, w: int, symmetric: bool = True) -> NDArray:
        """Return 1 where a place of a window lies within its sequence, and 0 elsewhere; see
        `sldwin_atten_score`."""
    @staticmethod
    def sldwin_atten_score(query: Any, key: Any, dilation: Any, w: int, symmetric: bool = True) -> NDArray:
        """Return the products of queries with the keys of sliding windows: a query's own place, `w` places to the
        left."""
    @staticmethod
    def while_loop(cond: Any, func: Any, loop_vars: Any, max_iterations: int | None = None, name: str = 'while_loop') -> Any:
        """Run `func` while `cond` is true, at most `max_iterations` times; return its outputs and the last
        variables."""

def cos(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.cos` of each element, in the dtype of the array: integers stay integers."""

def cosh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.cosh` of each element, in the dtype of the array: integers stay integers."""

def crop(data: Any, begin: Any, end: Any, step: Any = None) -> NDArray:
    """Return the elements from `begin` to `end` by `step`, one number an axis; None means the edge."""

def ctc_loss(data: Any, label: Any, data_lengths: Any = None, label_lengths: Any = None, use_data_lengths: bool | None = None, use_label_lengths: bool | None = None, blank_label: str = 'first') -> NDArray:
    """Return -log of the probability of all alignments of `data` [steps, batch, classes] that read as
    `label`."""

def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> NDArray:
    """Return the sums of all elements up to each along an axis, in the dtype of the array."""

def degrees(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.degrees` of each element, in the dtype of the array: integers stay integers."""

def depth_to_space(data: Any, block_size: int) -> NDArray:
    """Turn channels into blocks of pixels: [n, b b c, h, w] to [n, c, h b, w b]."""

def diag(data: Any, k: int = 0, axis1: int = 0, axis2: int = 1) -> NDArray:
    """Return the diagonal `k` of two axes, or the matrix that has a vector on this diagonal."""

def div(lhs: Any, rhs: Any) -> NDArray:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def divide(lhs: Any, rhs: Any) -> NDArray:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def dot(lhs: Any, rhs: Any, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Any = None) -> NDArray:
    """Return the sums over the last axis of `lhs` and the first axis of `rhs`, where NumPy takes the axis
    before the last."""

def elemwise_add(lhs: Any, rhs: Any) -> NDArray:
    """Return the sum of each pair of elements; a number takes the dtype of the array beside it."""

def elemwise_div(lhs: Any, rhs: Any) -> NDArray:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def elemwise_divide(lhs: Any, rhs: Any) -> NDArray:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def elemwise_hypot(lhs: Any, rhs: Any) -> NDArray:
    """Return the hypotenuse of each pair of elements; a number takes the dtype of the array beside it."""

def elemwise_maximum(lhs: Any, rhs: Any) -> NDArray:
    """Return the larger one of each pair of elements; a number takes the dtype of the array beside it."""

def elemwise_minimum(lhs: Any, rhs: Any) -> NDArray:
    """Return the smaller one of each pair of elements; a number takes the dtype of the array beside it."""

def elemwise_minus(lhs: Any, rhs: Any) -> NDArray:
    """Return the difference x1 - x2 of each pair of elements."""

def elemwise_mod(lhs: Any, rhs: Any) -> NDArray:
    """Return the remainder, with the sign of `rhs` of each pair of elements; a number takes the dtype of the
    array beside it."""

def elemwise_modulo(lhs: Any, rhs: Any) -> NDArray:
    """Return the remainder x1 - x2 * floor(x1 / x2) of each pair of elements, with the sign of x2."""

def elemwise_mul(lhs: Any, rhs: Any) -> NDArray:
    """Return the product x1 * x2 of each pair of elements; of bools, whether both are true."""

def elemwise_multiply(lhs: Any, rhs: Any) -> NDArray:
    """Return the product of each pair of elements; a number takes the dtype of the array beside it."""

def elemwise_plus(lhs: Any, rhs: Any) -> NDArray:
    """Return the sum x1 + x2 of each pair of elements; of bools, whether one of both is true."""

def elemwise_power(lhs: Any, rhs: Any) -> NDArray:
    """Return the power of each pair of elements, in the dtype of the operands."""

def elemwise_sub(lhs: Any, rhs: Any) -> NDArray:
    """Return the difference x1 - x2 of each pair of elements."""

def elemwise_subtract(lhs: Any, rhs: Any) -> NDArray:
    """Return the difference of each pair of elements; a number takes the dtype of the array beside it."""

def elemwise_true_divide(lhs: Any, rhs: Any) -> NDArray:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def empty(shape: Any, ctx: Any = None, dtype: Any = None, stype: Any = None, device: Any = None) -> NDArray:
    """Return an array of zeros of a shape; float32 unless you pass a dtype."""

def equal(lhs: Any, rhs: Any) -> NDArray:
    """Return 1 where x == y, and 0 elsewhere, in the dtype of the operands."""

def erf(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return the error function of each element, in the dtype of the array: integers stay integers."""

def erfinv(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return the inverse of the error function of each element, in the dtype of the array: integers stay
    integers."""

def exp(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.exp` of each element, in the dtype of the array: integers stay integers."""

def expand_dims(data: Any, axis: int, inplace: bool = False) -> NDArray:
    """Insert an axis of size 1."""

def expm1(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.expm1` of each element, in the dtype of the array: integers stay integers."""

def exponential(scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw exponential numbers with mean `scale`: `shape` numbers for each."""

def eye(N: int, M: int = 0, k: int = 0, ctx: Any = None, dtype: Any = None) -> NDArray:
    """Return a matrix with ones on the diagonal `k` and zeros elsewhere."""

def fill_element_0index(lhs: Any, mhs: Any, rhs: Any) -> NDArray:
    """Return a copy of `lhs` whose elements at the columns `rhs` are `mhs`, one in each row."""

def fix(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return the integer part of each element."""

def flatten(data: Any) -> NDArray:
    """Join all axes but the first: [n, a, b] becomes [n, a b]."""

def flip(data: Any, axis: Any) -> NDArray:
    """Return the elements in reverse order along an axis, or along all; a view."""

def floor(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return the largest integer that is not above each element."""

def from_numpy(ndarray: Any, zero_copy: bool = True) -> NDArray:
    """Return an array of a NumPy array, over its memory unless `zero_copy` is False."""

def ftml_update(weight: Any, grad: Any, d: Any, v: Any, z: Any, lr: Any, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-08, t: int = 1, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_grad: float = -1.0) -> NDArray:
    """Update a weight by FTML (follow the moving leader)."""

def ftrl_update(weight: Any, grad: Any, z: Any, n: Any, lr: Any, lamda1: float = 0.01, beta: float = 1.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """Update a weight by FTRL (follow the regularized leader)."""

def full(shape: Any, val: Any, ctx: Any = None, dtype: Any = None) -> NDArray:
    """Return an array of a shape that has `val` everywhere; float32 unless you pass a dtype."""

def full_like(data: Any, fill_value: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> NDArray:
    """Return an array of the shape and dtype of `a` that has `fill_value` everywhere; an array is broadcast."""

def gamma(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return the gamma function of each element, in the dtype of the array: integers stay integers."""

def gammaln(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return the logarithm of the gamma function of each element, in the dtype of the array: integers stay
    integers."""

def gather_nd(data: Any, indices: Any) -> NDArray:
    """Return the elements at the points that `indices` [k, ...] lists by columns."""

def glu(data: Any, axis: int = -1, act_type: str = 'sigmoid') -> NDArray:
    """Return the first half along an axis times a function of the second half."""

def greater(lhs: Any, rhs: Any) -> NDArray:
    """Return 1 where x > y, and 0 elsewhere, in the dtype of the operands."""

def greater_equal(lhs: Any, rhs: Any) -> NDArray:
    """Return 1 where x >= y, and 0 elsewhere, in the dtype of the operands."""

def hard_sigmoid(data: Any, alpha: float = 0.2, beta: float = 0.5) -> NDArray:
    """Return min(max(alpha x + beta, 0), 1); the gradient at both corners is 0, as in MXNet."""

def histogram(a: Any, bins: Any = 10, range: Any = None) -> NDArray:
    """Count the elements between edges; return the counts and the edges."""

def hypot(lhs: Any, rhs: Any) -> NDArray:
    """Return the hypotenuse of each pair of elements; a number takes the dtype of the array beside it."""

def identity(data: Any, order: str = 'K') -> NDArray:
    """Return a copy of an array that shares no memory with it."""

def im2col(data: Any, kernel: Any, stride: Any = None, dilate: Any = None, pad: Any = None) -> NDArray:
    """Return the windows of images as the columns of a matrix."""

class image:
    @staticmethod
    def adjust_lighting(data: Any, alpha: Any) -> NDArray:
        """Add a step along the principal directions of ImageNet's colours to images; `alpha` has three numbers."""
    @staticmethod
    def crop(data: Any, x: int = 0, y: int = 0, width: int = 1, height: int = 1) -> NDArray:
        """Return the part of images that begins at column `x` and row `y`."""
    @staticmethod
    def flip_left_right(data: Any) -> NDArray:
        """Return images mirrored from left to right."""
    @staticmethod
    def flip_top_bottom(data: Any) -> NDArray:
        """Return images upside down."""
    @staticmethod
    def normalize(data: Any, mean: Any = 0.0, std: Any = 1.0) -> NDArray:
        """Return (x - mean) / std of images [channels, height, width]; one number, or one for each channel."""
    @staticmethod
    def random_brightness(data: Any, min_factor: float, max_factor: float) -> NDArray:
        """Multiply images by a random factor from `min_factor` to `max_factor`."""
    @staticmethod
    def random_color_jitter(data: Any, brightness: float = 0.0, contrast: float = 0.0, saturation: float = 0.0, hue: float = 0.0) -> NDArray:
        """Change brightness, contrast, saturation and hue of images in a random order, each by up to its amount."""
    @staticmethod
    def random_contrast(data: Any, min_factor: float, max_factor: float) -> NDArray:
        """Multiply the differences to the mean brightness by a random factor from `min_factor` to `max_factor`."""
    @staticmethod
    def random_crop(data: Any, xrange: Any = ..., yrange: Any = ..., width: int = 0, height: int = 0, interp: int = 1) -> NDArray:
        """Return a part of images of a size, which begins at random within shares of where it may."""
    @staticmethod
    def random_flip_left_right(data: Any, p: float = 0.5) -> NDArray:
        """Mirror images from left to right with the probability `p`; several images all, or none of them."""
    @staticmethod
    def random_flip_top_bottom(data: Any, p: float = 0.5) -> NDArray:
        """Turn images upside down with the probability `p`; several images all, or none of them."""
    @staticmethod
    def random_hue(data: Any, min_factor: float, max_factor: float) -> NDArray:
        """Turn the hues of images by a random number of whole turns, from `min_factor` to `max_factor`."""
    @staticmethod
    def random_lighting(data: Any, alpha_std: float = 0.05) -> NDArray:
        """Add a random step along the principal directions of ImageNet's colours, normally distributed by
        `alpha_std`."""
    @staticmethod
    def random_saturation(data: Any, min_factor: float, max_factor: float) -> NDArray:
        """Multiply the differences to the brightness of each pixel by a random factor from `min_factor` to
        `max_factor`."""
    @staticmethod
    def resize(data: Any, size: Any = 0, keep_ratio: bool = False, interp: int = 1) -> NDArray:
        """Return images of another size, `size` or (width, height)."""
    @staticmethod
    def to_tensor(data: Any) -> NDArray:
        """Turn images [height, width, channels] of 0 to 255 into [channels, height, width] of 0 to 1, as
        float32."""

def khatri_rao(*args: Any) -> NDArray:
    """Return the Khatri-Rao product of matrices: each column is the Kronecker product of their columns."""

def lamb_update_phase1(weight: Any, grad: Any, mean: Any, var: Any, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06, t: int = 1, bias_correction: bool = True, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """Return the direction of LAMB's step."""

def lamb_update_phase2(weight: Any, g: Any, r1: Any, r2: Any, lr: Any, lower_bound: float = -1.0, upper_bound: float = -1.0) -> NDArray:
    """Update a weight by LAMB along a direction."""

def lesser(lhs: Any, rhs: Any) -> NDArray:
    """Return 1 where x < y, and 0 elsewhere, in the dtype of the operands."""

def lesser_equal(lhs: Any, rhs: Any) -> NDArray:
    """Return 1 where x <= y, and 0 elsewhere, in the dtype of the operands."""

class linalg:
    @staticmethod
    def det(A: Any) -> NDArray:
        """Return the determinants of square matrices [..., n, n]."""
    @staticmethod
    def extractdiag(A: Any, offset: int = 0) -> NDArray:
        """Return the diagonals of square matrices, `offset` above the main one."""
    @staticmethod
    def extracttrian(A: Any, offset: int = 0, lower: bool = True) -> NDArray:
        """Return the elements of a triangle of square matrices, row by row."""
    @staticmethod
    def gelqf(A: Any) -> list[NDArray]:
        """Return the lower triangle L and Q, with orthonormal rows: A = L Q; Q comes first."""
    @staticmethod
    def gemm(A: Any, B: Any, C: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0, axis: int = -2) -> NDArray:
        """Return alpha times the matrix products of A and B, plus beta C."""
    @staticmethod
    def gemm2(A: Any, B: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2) -> NDArray:
        """Return alpha times the matrix products of A and B."""
    @staticmethod
    def inverse(A: Any) -> NDArray:
        """Return the inverses of square matrices [..., n, n]."""
    @staticmethod
    def makediag(A: Any, offset: int = 0) -> NDArray:
        """Return square matrices that are zero but for one diagonal, `offset` above the main one."""
    @staticmethod
    def maketrian(A: Any, offset: int = 0, lower: bool = True) -> NDArray:
        """Return square matrices that are zero but for a triangle, whose elements you pass row by row."""
    @staticmethod
    def potrf(A: Any, *, upper: Any = False) -> NDArray:
        """Return the lower triangle L of positive definite matrices, A = L Lᵀ; the upper one with `upper`."""
    @staticmethod
    def potri(A: Any) -> NDArray:
        """Return the inverses of L Lᵀ of lower triangles L, as `potrf` gives them."""
    @staticmethod
    def slogdet(A: Any) -> list[NDArray]:
        """Return the sign of determinants and the logarithm of their absolute values, as a tuple with names."""
    @staticmethod
    def sumlogdiag(A: Any) -> NDArray:
        """Return the sums of the logarithms of the diagonals of square matrices."""
    @staticmethod
    def syevd(A: Any) -> list[NDArray]:
        """Return U, whose rows are the eigenvectors of symmetric matrices, and their eigenvalues in ascending
        order."""
    @staticmethod
    def syrk(A: Any, transpose: bool = False, alpha: float = 1.0) -> NDArray:
        """Return alpha A Aᵀ; with `transpose`, alpha Aᵀ A."""
    @staticmethod
    def trmm(A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0) -> NDArray:
        """Return alpha A B of the lower or upper triangle of A; with `rightside`, alpha B A."""
    @staticmethod
    def trsm(A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0) -> NDArray:
        """Return the X of A X = alpha B for the lower or upper triangle of A; with `rightside`, of X A = alpha
        B."""

def linalg_det(A: Any) -> NDArray:
    """Return the determinants of square matrices [..., n, n]."""

def linalg_extractdiag(A: Any, offset: int = 0) -> NDArray:
    """Return the diagonals of square matrices, `offset` above the main one."""

def linalg_extracttrian(A: Any, offset: int = 0, lower: bool = True) -> NDArray:
    """Return the elements of a triangle of square matrices, row by row."""

def linalg_gelqf(A: Any) -> list[NDArray]:
    """Return the lower triangle L and Q, with orthonormal rows: A = L Q; Q comes first."""

def linalg_gemm(A: Any, B: Any, C: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0, axis: int = -2) -> NDArray:
    """Return alpha times the matrix products of A and B, plus beta C."""

def linalg_gemm2(A: Any, B: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2) -> NDArray:
    """Return alpha times the matrix products of A and B."""

def linalg_inverse(A: Any) -> NDArray:
    """Return the inverses of square matrices [..., n, n]."""

def linalg_makediag(A: Any, offset: int = 0) -> NDArray:
    """Return square matrices that are zero but for one diagonal, `offset` above the main one."""

def linalg_maketrian(A: Any, offset: int = 0, lower: bool = True) -> NDArray:
    """Return square matrices that are zero but for a triangle, whose elements you pass row by row."""

def linalg_potrf(A: Any, *, upper: Any = False) -> NDArray:
    """Return the lower triangle L of positive definite matrices, A = L Lᵀ; the upper one with `upper`."""

def linalg_potri(A: Any) -> NDArray:
    """Return the inverses of L Lᵀ of lower triangles L, as `potrf` gives them."""

def linalg_slogdet(A: Any) -> list[NDArray]:
    """Return the sign of determinants and the logarithm of their absolute values, as a tuple with names."""

def linalg_sumlogdiag(A: Any) -> NDArray:
    """Return the sums of the logarithms of the diagonals of square matrices."""

def linalg_syevd(A: Any) -> list[NDArray]:
    """Return U, whose rows are the eigenvectors of symmetric matrices, and their eigenvalues in ascending
    order."""

def linalg_syrk(A: Any, transpose: bool = False, alpha: float = 1.0) -> NDArray:
    """Return alpha A Aᵀ; with `transpose`, alpha Aᵀ A."""

def linalg_trmm(A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0) -> NDArray:
    """Return alpha A B of the lower or upper triangle of A; with `rightside`, alpha B A."""

def linalg_trsm(A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0) -> NDArray:
    """Return the X of A X = alpha B for the lower or upper triangle of A; with `rightside`, of X A = alpha
    B."""

def linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, ctx: Any = None, dtype: Any = None, retstep: bool = False, axis: int = 0, device: Any = None) -> NDArray:
    """Return `num` numbers at even distances from `start` to `stop`."""

def log(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.log` of each element, in the dtype of the array: integers stay integers."""

def log10(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.log10` of each element, in the dtype of the array: integers stay integers."""

def log1p(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.log1p` of each element, in the dtype of the array: integers stay integers."""

def log2(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.log2` of each element, in the dtype of the array: integers stay integers."""

def log_sigmoid(data: Any) -> NDArray:
    """Return log(sigmoid(x)), without overflow."""

def log_softmax(data: Any, axis: Any = -1, temperature: Any = None, dtype: Any = None, use_length: Any = None, length: Any = None) -> NDArray:
    """Return the logarithm of the softmax along an axis; `length` and `use_length` are those of `softmax`."""

def logical_and(lhs: Any, rhs: Any) -> NDArray:
    """Return 1 where both elements are not 0, and 0 elsewhere, in the dtype of the operands."""

def logical_not(data: Any) -> NDArray:
    """Return 1 where an element is 0, and 0 elsewhere, in the dtype of the array."""

def logical_or(lhs: Any, rhs: Any) -> NDArray:
    """Return 1 where one of both elements is not 0, and 0 elsewhere, in the dtype of the operands."""

def logical_xor(lhs: Any, rhs: Any) -> NDArray:
    """Return 1 where exactly one of both elements is not 0, and 0 elsewhere, in the dtype of the operands."""

def make_loss(data: Any, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: str = 'null') -> NDArray:
    """Return the same values as a loss, whose gradient is `grad_scale`."""

def masked_log_softmax(data: Any, mask: Any, axis: int = -1, temperature: float | None = 1.0, normalize: bool | None = True) -> NDArray:
    """Return the logarithm of the softmax of the elements whose mask is true; -inf elsewhere."""

def masked_softmax(data: Any, mask: Any, axis: int = -1, temperature: Any = 1.0, normalize: bool | None = True) -> NDArray:
    """Return the softmax of the elements whose mask is true; 0 elsewhere, and throughout where no mask is
    true."""

def max(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the largest element over axes, in the dtype of the array, with an axis at least."""

def max_axis(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the largest element over axes, in the dtype of the array, with an axis at least."""

def maximum(lhs: Any, rhs: Any) -> NDArray:
    """Return the larger one of each pair of elements; a number takes the dtype of the array beside it."""

def mean(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the mean over axes, in the dtype of the array, with an axis at least."""

def meshgrid(*xi: Any, indexing: str = 'xy', sparse: bool = False, copy: bool = True) -> list[NDArray]:
    """Return the coordinate matrices of coordinate vectors, as a list."""

def min(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the smallest element over axes, in the dtype of the array, with an axis at least."""

def min_axis(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the smallest element over axes, in the dtype of the array, with an axis at least."""

def minimum(lhs: Any, rhs: Any) -> NDArray:
    """Return the smaller one of each pair of elements; a number takes the dtype of the array beside it."""

def minus(lhs: Any, rhs: Any) -> NDArray:
    """Return the difference x1 - x2 of each pair of elements."""

def mish(data: Any) -> NDArray:
    """Return x tanh(log(1 + exp(x)))."""

def mod(lhs: Any, rhs: Any) -> NDArray:
    """Return the remainder, with the sign of `rhs` of each pair of elements; a number takes the dtype of the
    array beside it."""

def modulo(lhs: Any, rhs: Any) -> NDArray:
    """Return the remainder x1 - x2 * floor(x1 / x2) of each pair of elements, with the sign of x2."""

def moments(data: Any, axes: Any = None, keepdims: bool = False) -> list[NDArray]:
    """Return the mean and the variance over axes."""

def moveaxis(tensor: Any, source: Any, destination: Any) -> NDArray:
    """Move axes to other positions; the rest stay in their order; a view."""

def mp_lamb_update_phase1(weight: Any, grad: Any, mean: Any, var: Any, weight32: Any, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06, t: int = 1, bias_correction: bool = True, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """Return the direction of LAMB's step."""

def mp_lamb_update_phase2(weight: Any, g: Any, r1: Any, r2: Any, weight32: Any, lr: Any, lower_bound: float = -1.0, upper_bound: float = -1.0) -> NDArray:
    """Update a weight by LAMB along a direction."""

def mp_nag_mom_update(weight: Any, grad: Any, mom: Any, weight32: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """Update a weight by a step with Nesterov's momentum."""

def mp_sgd_mom_update(weight: Any, grad: Any, mom: Any, weight32: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient, with momentum."""

def mp_sgd_update(weight: Any, grad: Any, weight32: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient."""

def mul(lhs: Any, rhs: Any) -> NDArray:
    """Return the product x1 * x2 of each pair of elements; of bools, whether both are true."""

def multi_all_finite(*data: Any, num_arrays: int | None = None, init_output: bool = True) -> NDArray:
    """Return 1 where all elements of all arrays are finite, and 0 otherwise, as float32 of one element."""

def multi_lars(lrs: Any, weights_sum_sq: Any, grads_sum_sq: Any, wds: Any, eta: float, eps: float, rescale_grad: float = 1.0) -> NDArray:
    """Return learning rates of layers by LARS, from sums of squares of their weights and gradients."""

def multi_mp_sgd_mom_update(*data: Any, lrs: Any = None, wds: Any = None, num_weights: Any = None, momentum: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient, with momentum."""

def multi_mp_sgd_update(*data: Any, lrs: Any = None, wds: Any = None, num_weights: Any = None, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient."""

def multi_sgd_mom_update(*data: Any, lrs: Any = None, wds: Any = None, num_weights: Any = None, momentum: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient, with momentum."""

def multi_sgd_update(*data: Any, lrs: Any = None, wds: Any = None, num_weights: Any = None, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient."""

def multi_sum_sq(*data: Any, num_arrays: int | None = None) -> NDArray:
    """Return the sums of the squares of several arrays, as one vector of float32."""

def multiply(lhs: Any, rhs: Any) -> NDArray:
    """Return the product of each pair of elements; a number takes the dtype of the array beside it."""

def nag_mom_update(weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """Update a weight by a step with Nesterov's momentum."""

def nanprod(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the product, where NaN counts as 1, over axes, in the dtype of the array, with an axis at
    least."""

def nansum(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the sum, where NaN counts as 0, over axes, in the dtype of the array, with an axis at least."""

def negative(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return -x for each element."""

def norm(data: Any, ord: int = 2, axis: Any = None, out_dtype: Any = None, keepdims: bool = False) -> NDArray:
    """Return the L1 or L2 norm over axes."""

def normal(loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw normal numbers: `shape` numbers for each mean and standard deviation."""

def not_equal(lhs: Any, rhs: Any) -> NDArray:
    """Return 1 where x != y, and 0 elsewhere, in the dtype of the operands."""

def one_hot(indices: Any, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = None) -> NDArray:
    """Return an array with a new last axis of size `depth`: `on_value` at the index of each element."""

def onehot_encode(indices: Any, out: Any) -> NDArray:
    """Write 1 to `out` at the indices, one in each row, and 0 elsewhere."""

def ones(shape: Any, ctx: Any = None, dtype: Any = None, stype: Any = None, device: Any = None) -> NDArray:
    """Return an array of ones of a shape; float32 unless you pass a dtype."""

def ones_like(data: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> NDArray:
    """Return an array of ones of the shape and dtype of `a`."""

def pad(data: Any, mode: str = 'constant', pad_width: Any = ..., constant_value: float = 0.0) -> NDArray:
    """Return an array that is wider at both ends of each axis; `pad_width` has two numbers for each axis, in
    one list."""

def pick(data: Any, index: Any, axis: int = -1, keepdims: bool = False, mode: str = 'clip') -> NDArray:
    """Return one element along an axis for each index."""

def plus(lhs: Any, rhs: Any) -> NDArray:
    """Return the sum x1 + x2 of each pair of elements; of bools, whether one of both is true."""

def poisson(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw counts with mean `lam`: `shape` counts for each."""

def power(base: Any, exp: Any) -> NDArray:
    """Return the power of each pair of elements, in the dtype of the operands."""

def preloaded_multi_mp_sgd_mom_update(*data: Any, num_weights: Any = None, momentum: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient, with momentum."""

def preloaded_multi_mp_sgd_update(*data: Any, num_weights: Any = None, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient."""

def preloaded_multi_sgd_mom_update(*data: Any, num_weights: Any = None, momentum: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient, with momentum."""

def preloaded_multi_sgd_update(*data: Any, num_weights: Any = None, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient."""

def prod(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the product over axes, in the dtype of the array, with an axis at least."""

def radians(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.radians` of each element, in the dtype of the array: integers stay integers."""

def randn(*shape: int, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw normal numbers in an array of the given sizes."""

class random:
    @staticmethod
    def binomial(n: Any = 1, p: Any = 0.5, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Draw counts of successes in `n` trials of probability `p`: `shape` counts for each pair."""
    @staticmethod
    def binomial_like(data: Any, n: Any = 1, p: Any = 0.5) -> NDArray:
        """Draw counts of successes in `n` trials of probability `p`: `shape` counts for each pair."""
    @staticmethod
    def categorical(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> NDArray:
        """Draw indices along the last axis with the probabilities `data`; the result has the other axes, then
        `shape`."""
    @staticmethod
    def exponential(scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Draw exponential numbers with mean `scale`: `shape` numbers for each."""
    @staticmethod
    def exponential_like(data: Any, lam: Any = 1.0) -> NDArray:
        """Draw exponential numbers with the rate `lam` in the shape and dtype of `data`."""
    @staticmethod
    def gamma(alpha: Any = 1.0, beta: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Draw gamma numbers of shape `alpha` and scale `beta`: `shape` numbers for each pair."""
    @staticmethod
    def gamma_like(data: Any, alpha: Any = 1.0, beta: Any = 1.0) -> NDArray:
        """Draw gamma numbers of shape `alpha` and scale `beta` in the shape and dtype of `data`."""
    @staticmethod
    def generalized_negative_binomial(mu: Any = 1.0, alpha: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Draw counts with mean `mu` and variance mu + alpha mu**2: `shape` counts for each pair."""
    @staticmethod
    def generalized_negative_binomial_like(data: Any, mu: Any = 1.0, alpha: Any = 1.0) -> NDArray:
        """Draw counts with mean `mu` and variance mu + alpha mu**2: `shape` counts for each pair."""
    @staticmethod
    def multinomial(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> Any:
        """Draw indices along the last axis with the probabilities `data`; the result has the other axes, then
        `shape`."""
    @staticmethod
    def negative_binomial(k: Any = 1, p: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Draw counts of failures before the `k`-th success, each of probability `p`: `shape` counts for each
        pair."""
    @staticmethod
    def negative_binomial_like(data: Any, k: Any = 1, p: Any = 1.0) -> NDArray:
        """Draw counts of failures before the `k`-th success, each of probability `p`: `shape` counts for each
        pair."""
    @staticmethod
    def normal(loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Draw normal numbers: `shape` numbers for each mean and standard deviation."""
    @staticmethod
    def normal_like(data: Any, loc: Any = 0.0, scale: Any = 1.0) -> NDArray:
        """Draw normal numbers: `shape` numbers for each mean and standard deviation."""
    @staticmethod
    def poisson(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Draw counts with mean `lam`: `shape` counts for each."""
    @staticmethod
    def poisson_like(data: Any, lam: Any = 1.0) -> NDArray:
        """Draw counts with mean `lam`: `shape` counts for each."""
    @staticmethod
    def randint(low: int, high: int, shape: Any = ..., dtype: Any = 'int32', ctx: Any = None) -> NDArray:
        """Draw integers from [low, high)."""
    @staticmethod
    def randn(*shape: int, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Draw normal numbers in an array of the given sizes."""
    @staticmethod
    def seed(seed: int | None = None, ctx: Any = None, device: Any = None) -> None:
        """Start over from a seed: equal seeds give equal numbers, imperatively and compiled. None takes one from
        the system."""
    @staticmethod
    def shuffle(data: Any) -> NDArray:
        """Return the rows of an array in random order, as a new array."""
    @staticmethod
    def uniform(low: Any = 0.0, high: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
        """Draw uniform numbers from [low, high): `shape` numbers for each pair of ends."""
    @staticmethod
    def uniform_like(data: Any, low: Any = 0.0, high: Any = 1.0) -> NDArray:
        """Draw uniform numbers from [low, high): `shape` numbers for each pair of ends."""

def random_binomial(n: Any = 1, p: Any = 0.5, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw counts of successes in `n` trials of probability `p`: `shape` counts for each pair."""

def random_binomial_like(data: Any, n: Any = 1, p: Any = 0.5) -> NDArray:
    """Draw counts of successes in `n` trials of probability `p`: `shape` counts for each pair."""

def random_categorical(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> NDArray:
    """Draw indices along the last axis with the probabilities `data`; the result has the other axes, then
    `shape`."""

def random_exponential(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw exponential numbers with mean `1 / lam`: `shape` numbers for each."""

def random_exponential_like(data: Any, lam: Any = 1.0) -> NDArray:
    """Draw exponential numbers with mean `1 / lam`: `shape` numbers for each."""

def random_gamma(alpha: Any = 1.0, beta: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw gamma numbers of shape `alpha` and scale `beta`: `shape` numbers for each pair."""

def random_gamma_like(data: Any, alpha: Any = 1.0, beta: Any = 1.0) -> NDArray:
    """Draw gamma numbers of shape `alpha` and scale `beta`: `shape` numbers for each pair."""

def random_generalized_negative_binomial(mu: Any = 1.0, alpha: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw counts with mean `mu` and variance mu + alpha mu**2: `shape` counts for each pair."""

def random_generalized_negative_binomial_like(data: Any, mu: Any = 1.0, alpha: Any = 1.0) -> NDArray:
    """Draw counts with mean `mu` and variance mu + alpha mu**2: `shape` counts for each pair."""

def random_multinomial(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> NDArray:
    """Draw indices along the last axis with the probabilities `data`; the result has the other axes, then
    `shape`."""

def random_negative_binomial(k: Any = 1, p: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw counts of failures before the `k`-th success, each of probability `p`: `shape` counts for each
    pair."""

def random_negative_binomial_like(data: Any, k: Any = 1, p: Any = 1.0) -> NDArray:
    """Draw counts of failures before the `k`-th success, each of probability `p`: `shape` counts for each
    pair."""

def random_normal(loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw normal numbers: `shape` numbers for each mean and standard deviation."""

def random_normal_like(data: Any, loc: Any = 0.0, scale: Any = 1.0) -> NDArray:
    """Draw normal numbers: `shape` numbers for each mean and standard deviation."""

def random_pdf_dirichlet(sample: Any, alpha: Any, is_log: bool = False) -> NDArray:
    """Return the density of shares [..., n] that sum to 1, for the concentrations `alpha` [..., n]."""

def random_pdf_exponential(sample: Any, lam: Any, is_log: Any = False) -> NDArray:
    """Return the density of exponential numbers of rate `lam`; its logarithm with `is_log`."""

def random_pdf_gamma(sample: Any, alpha: Any, beta: Any, is_log: Any = False) -> NDArray:
    """Return the density of gamma numbers of shape `alpha` and rate `beta`; its logarithm with `is_log`."""

def random_pdf_generalized_negative_binomial(sample: Any, mu: Any, alpha: Any, is_log: Any = False) -> NDArray:
    """Return the probability of counts with mean `mu` and variance mu + alpha mu**2; its logarithm with
    `is_log`."""

def random_pdf_negative_binomial(sample: Any, k: Any, p: Any, is_log: Any = False) -> NDArray:
    """Return the probability of counts of failures before the `k`-th success of probability `p`; its logarithm
    with `is_log`."""

def random_pdf_normal(sample: Any, mu: Any, sigma: Any, is_log: Any = False) -> NDArray:
    """Return the density of normal numbers with mean `mu` and standard deviation `sigma`; its logarithm with
    `is_log`."""

def random_pdf_poisson(sample: Any, lam: Any, is_log: Any = False) -> NDArray:
    """Return the probability of counts with mean `lam`; its logarithm with `is_log`."""

def random_pdf_uniform(sample: Any, low: Any, high: Any, is_log: Any = False) -> NDArray:
    """Return the density of numbers from [low, high); its logarithm with `is_log`."""

def random_poisson(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw counts with mean `lam`: `shape` counts for each."""

def random_poisson_like(data: Any, lam: Any = 1.0) -> NDArray:
    """Draw counts with mean `lam`: `shape` counts for each."""

def random_randint(low: Any, high: Any, shape: Any = ..., ctx: Any = None, dtype: Any = None) -> NDArray:
    """Draw integers from [low, high)."""

def random_shuffle(data: Any) -> NDArray:
    """Return the rows of an array in random order, as a new array."""

def random_uniform(low: Any = 0.0, high: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw uniform numbers from [low, high): `shape` numbers for each pair of ends."""

def random_uniform_like(data: Any, low: Any = 0.0, high: Any = 1.0) -> NDArray:
    """Draw uniform numbers from [low, high): `shape` numbers for each pair of ends."""

def ravel_multi_index(data: Any, shape: Any) -> NDArray:
    """Return the numbers of elements for indices along each axis of `shape`, which are [axes, ...]."""

def rcbrt(data: Any) -> NDArray:
    """Return 1 over the cube root of each element."""

def reciprocal(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.reciprocal` of each element, in the dtype of the array: integers stay integers."""

def relu(data: Any) -> NDArray:
    """Return max(x, 0) for each element."""

def repeat(data: Any, repeats: Any, axis: Any = None) -> NDArray:
    """Repeat each element along an axis; of the flat array, where `axis` is None."""

def reset_arrays(*data: Any, num_arrays: int | None = None) -> None:
    """Write 0 to all elements of all arrays."""

def reshape(data: Any, shape: Any = None, reverse: bool = False, target_shape: Any = None, keep_highest: bool = False) -> NDArray:
    """Return the same elements under another shape, with MXNet 1's codes."""

def reshape_like(lhs: Any, rhs: Any, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None) -> NDArray:
    """Return the elements of `lhs` under the shape of `rhs`, or a range of its axes under a range of the
    other's."""

def reverse(data: Any, axis: Any) -> NDArray:
    """Return the elements in reverse order along an axis, or along all; a view."""

def rint(data: Any) -> NDArray:
    """Return the nearest integer of each element, halves down."""

def rms_norm(data: Any, gamma: Any = None, axis: Any = -1, eps: float = 1e-05) -> NDArray:
    """Return x / sqrt(mean(x x) + eps) * gamma over an axis."""

def rmsprop_update(weight: Any, grad: Any, n: Any, lr: Any, gamma1: float = 0.95, epsilon: float = 1e-08, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0) -> NDArray:
    """Update a weight by RMSProp, as Tieleman and Hinton have it."""

def rmspropalex_update(weight: Any, grad: Any, n: Any, g: Any, delta: Any, lr: Any, gamma1: float = 0.95, gamma2: float = 0.9, epsilon: float = 1e-08, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0) -> NDArray:
    """Update a weight by RMSProp, as Graves has it: by the deviation from the mean."""

def rotary_embedding(data: Any, positions: Any = None, base: float = 10000.0, pairing: str = 'halves', rotary_size: int | None = None, layout: str = 'BHTD') -> NDArray:
    """Rotate pairs of components of queries or keys by their position times a frequency, one for each pair."""

def round(data: Any) -> NDArray:
    """Return the nearest integer of each element, halves away from 0."""

def rsqrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return 1 / sqrt(x) of each element, in the dtype of the array: integers stay integers."""

def sample_binomial(n: Any = 1, p: Any = 0.5, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw counts of successes in `n` trials of probability `p`: `shape` counts for each pair."""

def sample_binomial_like(data: Any, n: Any = 1, p: Any = 0.5) -> NDArray:
    """Draw counts of successes in `n` trials of probability `p`: `shape` counts for each pair."""

def sample_categorical(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> NDArray:
    """Draw indices along the last axis with the probabilities `data`; the result has the other axes, then
    `shape`."""

def sample_exponential(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw exponential numbers with mean `1 / lam`: `shape` numbers for each."""

def sample_exponential_like(data: Any, lam: Any = 1.0) -> NDArray:
    """Draw exponential numbers with mean `1 / lam`: `shape` numbers for each."""

def sample_gamma(alpha: Any = 1.0, beta: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw gamma numbers of shape `alpha` and scale `beta`: `shape` numbers for each pair."""

def sample_gamma_like(data: Any, alpha: Any = 1.0, beta: Any = 1.0) -> NDArray:
    """Draw gamma numbers of shape `alpha` and scale `beta`: `shape` numbers for each pair."""

def sample_generalized_negative_binomial(mu: Any = 1.0, alpha: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw counts with mean `mu` and variance mu + alpha mu**2: `shape` counts for each pair."""

def sample_generalized_negative_binomial_like(data: Any, mu: Any = 1.0, alpha: Any = 1.0) -> NDArray:
    """Draw counts with mean `mu` and variance mu + alpha mu**2: `shape` counts for each pair."""

def sample_multinomial(data: Any, shape: Any = ..., get_prob: bool = False, dtype: Any = 'int32') -> Any:
    """Draw indices along the last axis with the probabilities `data`; the result has the other axes, then
    `shape`."""

def sample_negative_binomial(k: Any = 1, p: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw counts of failures before the `k`-th success, each of probability `p`: `shape` counts for each
    pair."""

def sample_negative_binomial_like(data: Any, k: Any = 1, p: Any = 1.0) -> NDArray:
    """Draw counts of failures before the `k`-th success, each of probability `p`: `shape` counts for each
    pair."""

def sample_normal(mu: Any = 0.0, sigma: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw normal numbers: `shape` numbers for each mean and standard deviation."""

def sample_normal_like(data: Any, loc: Any = 0.0, scale: Any = 1.0) -> NDArray:
    """Draw normal numbers: `shape` numbers for each mean and standard deviation."""

def sample_poisson(lam: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw counts with mean `lam`: `shape` counts for each."""

def sample_poisson_like(data: Any, lam: Any = 1.0) -> NDArray:
    """Draw counts with mean `lam`: `shape` counts for each."""

def sample_randint(low: int, high: int, shape: Any = ..., dtype: Any = 'int32', ctx: Any = None) -> NDArray:
    """Draw integers from [low, high)."""

def sample_shuffle(data: Any) -> NDArray:
    """Return the rows of an array in random order, as a new array."""

def sample_uniform(low: Any = 0.0, high: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw uniform numbers from [low, high): `shape` numbers for each pair of ends."""

def sample_uniform_like(data: Any, low: Any = 0.0, high: Any = 1.0) -> NDArray:
    """Draw uniform numbers from [low, high): `shape` numbers for each pair of ends."""

def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, scale: Any = None, enable_gqa: bool | None = None, *, valid_length: Any = None, layout: str = 'BHTD', need_weights: bool = False) -> NDArray:
    """Return the means of values, weighted by the softmax of scaled products of their keys with queries."""

def scatter_nd(data: Any, indices: Any, shape: Any) -> NDArray:
    """Return zeros of a shape with `data` at the points that `indices` [k, ...] lists by columns."""

def sgd_mom_update(weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient, with momentum."""

def sgd_update(weight: Any, grad: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True) -> NDArray:
    """Update a weight by a step down the gradient."""

def shape_array(data: Any) -> NDArray:
    """Return the sizes of the axes as an int64 array."""

def shuffle(data: Any) -> NDArray:
    """Return the rows of an array in random order, as a new array."""

def sigmoid(data: Any) -> NDArray:
    """Return 1 / (1 + exp(-x)) of each element, in the dtype of the array: integers stay integers."""

def sign(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return -1, 0 or 1 for each element; NaN of NaN, where MXNet gives 0."""

def signsgd_update(weight: Any, grad: Any, lr: Any, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0) -> NDArray:
    """Update a weight by a step in the direction of the gradient's sign."""

def signum_update(weight: Any, grad: Any, mom: Any, lr: Any, momentum: Any = 0.0, wd: Any = 0.0, rescale_grad: Any = 1.0, clip_gradient: float = -1.0, wd_lh: Any = 0.0) -> NDArray:
    """Update a weight by a step in the direction of the sign of the mean gradient."""

def sin(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.sin` of each element, in the dtype of the array: integers stay integers."""

def sinh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.sinh` of each element, in the dtype of the array: integers stay integers."""

def sinusoidal_positions(positions: Any, units: int, base: float = 10000.0, dtype: Any = None) -> NDArray:
    """Return vectors of sines and cosines of positions, in turns."""

def size_array(data: Any) -> NDArray:
    """Return the number of elements, as an int64 array of one element."""

def slice(data: Any, begin: Any, end: Any, step: Any = None) -> NDArray:
    """Return the elements from `begin` to `end` by `step`, one number an axis; None means the edge."""

def slice_axis(data: Any, axis: int, begin: int, end: int | None) -> NDArray:
    """Return the elements from `begin` to `end` along one axis; negative numbers count from the end."""

def slice_like(data: Any, shape_like: Any, axes: Any = None) -> NDArray:
    """Return an array cut to the sizes of another one, along `axes` or along all."""

def smooth_l1(data: Any, scalar: float = 1.0) -> NDArray:
    """Return the smooth L1 loss with the number `scalar` of each element, in the dtype of the array: integers
    stay integers."""

def softmax(data: Any, length: Any = None, axis: int = -1, temperature: float | None = None, dtype: Any = None, use_length: bool | None = None) -> NDArray:
    """Return exp(x / t) / sum(exp(x / t)) along an axis; an integer in the place of `length` is the axis."""

def softmax_cross_entropy(data: Any, label: Any) -> NDArray:
    """Return the sum over the batch of -log softmax(x) at the label, as an array of one element."""

def softmin(data: Any, axis: int = -1, temperature: float | None = None, dtype: Any = None) -> NDArray:
    """Return the softmax of -x along an axis."""

def softsign(data: Any) -> NDArray:
    """Return x / (1 + abs(x)) of each element, in the dtype of the array: integers stay integers."""

def sort(data: Any, axis: int | None = -1, is_ascend: bool = True) -> NDArray:
    """Return an array sorted along an axis."""

def space_to_depth(data: Any, block_size: int) -> NDArray:
    """Turn blocks of pixels into channels: [n, c, h b, w b] to [n, b b c, h, w]."""

def split(data: Any, num_outputs: int, axis: int = 1, squeeze_axis: bool = False) -> list[NDArray]:
    """Cut an array along an axis into equal parts; a list, or the array itself for one part."""

def split_v2(ary: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> list[NDArray]:
    """Cut an array along an axis into equal parts, or at indices."""

def sqrt(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.sqrt` of each element, in the dtype of the array: integers stay integers."""

def square(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return x * x for each element."""

def squeeze(data: Any, axis: Any = None, inplace: bool = False) -> NDArray:
    """Remove axes of size 1, those that you name or all."""

def stack(*data: Any, axis: int = 0, num_args: int | None = None) -> NDArray:
    """Join arrays of one shape along a new axis."""

def stop_gradient(data: Any) -> NDArray:
    """Return the same values, through which no gradient goes; the result of a loss layer keeps the gradient of
    its own."""

def sub(lhs: Any, rhs: Any) -> NDArray:
    """Return the difference x1 - x2 of each pair of elements."""

def subtract(lhs: Any, rhs: Any) -> NDArray:
    """Return the difference of each pair of elements; a number takes the dtype of the array beside it."""

def sum(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the sum over axes, in the dtype of the array, with an axis at least."""

def sum_axis(data: Any, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
    """Return the sum over axes, in the dtype of the array, with an axis at least."""

def swapaxes(data: Any, dim1: Any = 0, dim2: Any = 0) -> NDArray:
    """Exchange two axes; a view."""

def take(a: Any, indices: Any, axis: Any = 0, mode: Any = 'clip', out: Any = None) -> NDArray:
    """Return the elements at `indices` along axis 0, or along `axis`; indices outside mean the first or the
    last."""

def tan(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.tan` of each element, in the dtype of the array: integers stay integers."""

def tanh(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return `np.tanh` of each element, in the dtype of the array: integers stay integers."""

def tile(data: Any, reps: Any) -> NDArray:
    """Repeat the whole array, `reps` times along each axis."""

def topk(data: Any, axis: int | None = -1, k: int = 1, ret_typ: str = 'indices', is_ascend: bool = False, dtype: Any = None) -> Any:
    """Return the `k` largest elements along an axis, or their indices, as float32."""

def transpose(data: Any, axes: Any = None) -> NDArray:
    """Permute the axes; reverse them, where you pass none; a copy."""

def true_divide(lhs: Any, rhs: Any) -> NDArray:
    """Return the quotient of each pair of elements; of integers without its fraction, as in C."""

def trunc(data: Any, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> NDArray:
    """Return the integer part of each element."""

def uniform(low: Any = 0.0, high: Any = 1.0, shape: Any = None, dtype: Any = None, ctx: Any = None) -> NDArray:
    """Draw uniform numbers from [low, high): `shape` numbers for each pair of ends."""

def unravel_index(data: Any, shape: Any) -> NDArray:
    """Return the indices along each axis of `shape` for the numbers of elements: [axes, ...]."""

def waitall() -> None:
    """Wait for all asynchronous calls, and for GPUs, and raise what the first that failed has raised."""

def where(condition: Any, x: Any, y: Any) -> NDArray:
    """Choose elements from `x` where `condition` is not 0, and from `y` elsewhere; a vector chooses rows."""

def zeros(shape: Any, ctx: Any = None, dtype: Any = None, stype: Any = None, device: Any = None) -> NDArray:
    """Return an array of zeros of a shape; float32 unless you pass a dtype."""

def zeros_like(data: Any, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> NDArray:
    """Return an array of zeros of the shape and dtype of `a`; `np.empty_like` is another name."""
