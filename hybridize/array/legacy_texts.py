# SPDX-License-Identifier: Apache-2.0
"""Docstrings of functions of `nd` that are functions of `np` or `npx` with the rules of MXNet 1.

`legacy.table` gives them to the functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, str]] = {
    "nd.Activation": """\
Apply one of relu, sigmoid, tanh, softrelu, softsign and others to each element.

>>> nd.Activation(nd.array([-1, 2]), "relu").asnumpy()
array([0., 2.], dtype=float32)
""",
    "nd.BatchNorm": """\
Normalize each channel by its mean and variance, as `npx.batch_norm`.

>>> x, one, zero = nd.array([[1.0], [3.0]]), nd.ones(1), nd.zeros(1)
>>> nd.BatchNorm(x, one, zero, zero, one, eps=0.0).asnumpy().round(4)
array([[1.],
       [3.]], dtype=float32)
""",
    "nd.Convolution": """\
Convolve over the axes behind the channels, as `npx.convolution`.

>>> x = nd.ones((1, 1, 3, 3))
>>> nd.Convolution(x, nd.ones((1, 1, 2, 2)), kernel=(2, 2), num_filter=1, no_bias=True).asnumpy()
array([[[[4., 4.],
         [4., 4.]]]], dtype=float32)
""",
    "nd.Dropout": """\
Set each element to 0 with probability `p` while training, and divide the others by 1 - p.

>>> nd.Dropout(nd.ones(3)).asnumpy()
array([1., 1., 1.], dtype=float32)
""",
    "nd.FullyConnected": """\
Return x Wᵀ + b, what a dense layer computes; all axes of `data` but the first are joined, unless `flatten` is
False.

>>> nd.FullyConnected(nd.array([[1, 2]]), nd.array([[1, 0], [0, 1]]), nd.zeros(2), num_hidden=2).asnumpy()
array([[1., 2.]], dtype=float32)
""",
    "nd.Pooling": """\
Return one number for each window of an image and channel, as `npx.pooling`.

>>> nd.Pooling(nd.arange(4).reshape((1, 1, 2, 2)), kernel=(2, 2), pool_type="max").asnumpy()
array([[[[3.]]]], dtype=float32)
""",
    "nd.RNN": """\
Run a recurrent network, as `npx.rnn`.

>>> x, state = nd.ones((3, 1, 2)), nd.zeros((1, 1, 4))
>>> nd.RNN(x, nd.zeros(32), state, mode="rnn_tanh", state_size=4, num_layers=1).shape
(3, 1, 4)
""",
    "nd.abs": """\
Return the absolute value of each element.

>>> nd.abs(nd.array([-1.5, 2])).asnumpy()
array([1.5, 2. ], dtype=float32)
""",
    "nd.add": """\
Return the sum of each pair of elements; a number takes the dtype of the array beside it.

>>> nd.add(nd.array([3, 4]), nd.array([4, 3])).asnumpy()
array([7., 7.], dtype=float32)
""",
    "nd.arccos": """\
Return `np.arccos` of each element, in the dtype of the array: integers stay integers.

>>> nd.arccos(nd.array([0, 1])).asnumpy().round(4)
array([1.5708, 0.    ], dtype=float32)
""",
    "nd.arccosh": """\
Return `np.arccosh` of each element, in the dtype of the array: integers stay integers.

>>> nd.arccosh(nd.array([1, 2])).asnumpy().round(4)
array([0.   , 1.317], dtype=float32)
""",
    "nd.arcsin": """\
Return `np.arcsin` of each element, in the dtype of the array: integers stay integers.

>>> nd.arcsin(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 1.5708], dtype=float32)
""",
    "nd.arcsinh": """\
Return `np.arcsinh` of each element, in the dtype of the array: integers stay integers.

>>> nd.arcsinh(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 0.8814], dtype=float32)
""",
    "nd.arctan": """\
Return `np.arctan` of each element, in the dtype of the array: integers stay integers.

>>> nd.arctan(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 0.7854], dtype=float32)
""",
    "nd.arctanh": """\
Return `np.arctanh` of each element, in the dtype of the array: integers stay integers.

>>> nd.arctanh(nd.array([0, 0.5])).asnumpy().round(4)
array([0.    , 0.5493], dtype=float32)
""",
    "nd.argmax": """\
Return the index of the first largest element along an axis, as float32.

Args:
    data: an array.
    axis: the axis; None: of the flat array.
    keepdims: the axis stays with size 1.

>>> nd.argmax(nd.array([[1, 9, 3]]), axis=1).asnumpy()
array([1.], dtype=float32)
""",
    "nd.argmin": """\
Return the index of the first smallest element along an axis, as float32.

Args:
    data: an array.
    axis: the axis; None: of the flat array.
    keepdims: the axis stays with size 1.

>>> nd.argmin(nd.array([[1, 9, 3]]), axis=1).asnumpy()
array([0.], dtype=float32)
""",
    "nd.cast": """\
Return an array cast to another dtype.

>>> nd.cast(nd.array([1.7, -2.7]), "int32").asnumpy()
array([ 1, -2], dtype=int32)
""",
    "nd.cbrt": """\
Return `np.cbrt` of each element, in the dtype of the array: integers stay integers.

>>> nd.cbrt(nd.array([1, 8])).asnumpy().round(4)
array([1., 2.], dtype=float32)
""",
    "nd.ceil": """\
Return the smallest integer that is not below each element.

>>> nd.ceil(nd.array([-1.5, 2])).asnumpy()
array([-1.,  2.], dtype=float32)
""",
    "nd.contrib.BatchNormWithReLU": """\
Normalize as `BatchNorm` does, and return max(y, 0).

>>> x, one, zero = nd.array([[-1.0], [3.0]]), nd.ones(1), nd.zeros(1)
>>> nd.contrib.BatchNormWithReLU(x, one, zero, zero, one, eps=0.0).asnumpy().round(4)
array([[0.],
       [3.]], dtype=float32)
""",
    "nd.contrib.isfinite": """\
Return 1 where an element is finite, and 0 elsewhere, in the dtype of the array.

>>> nd.contrib.isfinite(nd.array([1, float('inf')])).asnumpy()
array([1., 0.], dtype=float32)
""",
    "nd.contrib.isinf": """\
Return 1 where an element is infinite, and 0 elsewhere, in the dtype of the array.

>>> nd.contrib.isinf(nd.array([1, float('inf')])).asnumpy()
array([0., 1.], dtype=float32)
""",
    "nd.contrib.isnan": """\
Return 1 where an element is NaN, and 0 elsewhere, in the dtype of the array.

>>> nd.contrib.isnan(nd.array([1, float('inf')])).asnumpy()
array([0., 0.], dtype=float32)
""",
    "nd.contrib.multi_adamw_update": """\
Update several weights by Adam with a decay beside it; see `adamw_update`.

Args:
    args: lists of the weights, their gradients, means and variances, then `rescale_grad`.
    size, num_tensors: have no effect.
    numbers: `lrs`, `wds` and `etas` by weights; the other numbers of `adamw_update`.

>>> w, one, zero = nd.ones(1), nd.ones(1), nd.zeros(1)
>>> lists = [w], [one], [zero], [zero.copy()]
>>> nd.contrib.multi_adamw_update(*lists, one, lrs=[0.1], wds=[0.0], etas=[1.0])[0].asnumpy().round(4)
array([0.6838], dtype=float32)
""",
    "nd.contrib.multi_lamb_update": """\
Update several weights by both phases of LAMB.

Args:
    args: lists of the weights, their gradients, means and variances.
    size, num_tensors: have no effect.
    numbers: `lrs`, `wds` and `step_count` by weights; the other numbers of both phases.

>>> w, one, zero = nd.ones(1), nd.ones(1), nd.zeros(1)
>>> lists = [w], [one], [zero], [zero.copy()]
>>> nd.contrib.multi_lamb_update(*lists, lrs=[0.1], wds=[0.0], step_count=[1])[0].asnumpy().round(4)
array([0.9], dtype=float32)
""",
    "nd.contrib.multi_mp_adamw_update": """\
Update several weights of half precision by Adam with a decay beside it; see `multi_adamw_update`.

Args:
    args: lists of the weights, their gradients, means, variances and copies in float32, then `rescale_grad`.
    size, num_tensors: have no effect.
    numbers: `lrs`, `wds` and `etas` by weights; the other numbers of `adamw_update`.

>>> w, one, zero = nd.ones(1, dtype="float16"), nd.ones(1), nd.zeros(1)
>>> lists = [w], [w.copy()], [zero], [zero.copy()], [one.copy()]
>>> nd.contrib.multi_mp_adamw_update(*lists, one, lrs=[0.1], wds=[0.0], etas=[1.0])[0].dtype
dtype('float16')
""",
    "nd.contrib.multi_mp_lamb_update": """\
Update several weights of half precision by both phases of LAMB; see `multi_lamb_update`.

Args:
    args: lists of the weights, their gradients, means, variances and copies in float32.
    size, num_tensors: have no effect.
    numbers: `lrs`, `wds` and `step_count` by weights; the other numbers of both phases.

>>> w, one, zero = nd.ones(1, dtype="float16"), nd.ones(1), nd.zeros(1)
>>> lists = [w], [w.copy()], [zero], [zero.copy()], [one.copy()]
>>> nd.contrib.multi_mp_lamb_update(*lists, lrs=[0.1], wds=[0.0], step_count=[1])[0].dtype
dtype('float16')
""",
    "nd.cos": """\
Return `np.cos` of each element, in the dtype of the array: integers stay integers.

>>> nd.cos(nd.array([0, 1])).asnumpy().round(4)
array([1.    , 0.5403], dtype=float32)
""",
    "nd.cosh": """\
Return `np.cosh` of each element, in the dtype of the array: integers stay integers.

>>> nd.cosh(nd.array([0, 1])).asnumpy().round(4)
array([1.    , 1.5431], dtype=float32)
""",
    "nd.degrees": """\
Return `np.degrees` of each element, in the dtype of the array: integers stay integers.

>>> nd.degrees(nd.array([0, 1])).asnumpy().round(4)
array([ 0.    , 57.2958], dtype=float32)
""",
    "nd.equal": """\
Return 1 where x == y, and 0 elsewhere, in the dtype of the operands.

>>> nd.equal(nd.array([1, 2, 3]), 2).asnumpy()
array([0., 1., 0.], dtype=float32)
""",
    "nd.erf": """\
Return the error function of each element, in the dtype of the array: integers stay integers.

>>> nd.erf(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 0.8427], dtype=float32)
""",
    "nd.erfinv": """\
Return the inverse of the error function of each element, in the dtype of the array: integers stay integers.

>>> nd.erfinv(nd.array([0, 0.5])).asnumpy().round(4)
array([0.    , 0.4769], dtype=float32)
""",
    "nd.exp": """\
Return `np.exp` of each element, in the dtype of the array: integers stay integers.

>>> nd.exp(nd.array([0, 1])).asnumpy().round(4)
array([1.    , 2.7183], dtype=float32)
""",
    "nd.expm1": """\
Return `np.expm1` of each element, in the dtype of the array: integers stay integers.

>>> nd.expm1(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 1.7183], dtype=float32)
""",
    "nd.fix": """\
Return the integer part of each element.

>>> nd.fix(nd.array([-1.5, 2])).asnumpy()
array([-1.,  2.], dtype=float32)
""",
    "nd.floor": """\
Return the largest integer that is not above each element.

>>> nd.floor(nd.array([-1.5, 2])).asnumpy()
array([-2.,  2.], dtype=float32)
""",
    "nd.gamma": """\
Return the gamma function of each element, in the dtype of the array: integers stay integers.

>>> nd.gamma(nd.array([1, 5])).asnumpy().round(4)
array([ 1., 24.], dtype=float32)
""",
    "nd.gammaln": """\
Return the logarithm of the gamma function of each element, in the dtype of the array: integers stay integers.

>>> nd.gammaln(nd.array([1, 5])).asnumpy().round(4)
array([0.    , 3.1781], dtype=float32)
""",
    "nd.greater": """\
Return 1 where x > y, and 0 elsewhere, in the dtype of the operands.

>>> nd.greater(nd.array([1, 2, 3]), 2).asnumpy()
array([0., 0., 1.], dtype=float32)
""",
    "nd.greater_equal": """\
Return 1 where x >= y, and 0 elsewhere, in the dtype of the operands.

>>> nd.greater_equal(nd.array([1, 2, 3]), 2).asnumpy()
array([0., 1., 1.], dtype=float32)
""",
    "nd.hypot": """\
Return the hypotenuse of each pair of elements; a number takes the dtype of the array beside it.

>>> nd.hypot(nd.array([3, 4]), nd.array([4, 3])).asnumpy()
array([5., 5.], dtype=float32)
""",
    "nd.lesser": """\
Return 1 where x < y, and 0 elsewhere, in the dtype of the operands.

>>> nd.lesser(nd.array([1, 2, 3]), 2).asnumpy()
array([1., 0., 0.], dtype=float32)
""",
    "nd.lesser_equal": """\
Return 1 where x <= y, and 0 elsewhere, in the dtype of the operands.

>>> nd.lesser_equal(nd.array([1, 2, 3]), 2).asnumpy()
array([1., 1., 0.], dtype=float32)
""",
    "nd.linspace": """\
Return `num` numbers at even distances from `start` to `stop`.

>>> nd.linspace(0, 1, 3).asnumpy()
array([0. , 0.5, 1. ], dtype=float32)
""",
    "nd.log": """\
Return `np.log` of each element, in the dtype of the array: integers stay integers.

>>> nd.log(nd.array([1, 2])).asnumpy().round(4)
array([0.    , 0.6931], dtype=float32)
""",
    "nd.log10": """\
Return `np.log10` of each element, in the dtype of the array: integers stay integers.

>>> nd.log10(nd.array([1, 10])).asnumpy().round(4)
array([0., 1.], dtype=float32)
""",
    "nd.log1p": """\
Return `np.log1p` of each element, in the dtype of the array: integers stay integers.

>>> nd.log1p(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 0.6931], dtype=float32)
""",
    "nd.log2": """\
Return `np.log2` of each element, in the dtype of the array: integers stay integers.

>>> nd.log2(nd.array([1, 8])).asnumpy().round(4)
array([0., 3.], dtype=float32)
""",
    "nd.logical_and": """\
Return 1 where both elements are not 0, and 0 elsewhere, in the dtype of the operands.

>>> nd.logical_and(nd.array([0, 1, 2]), nd.array([1, 0, 2])).asnumpy()
array([0., 0., 1.], dtype=float32)
""",
    "nd.logical_or": """\
Return 1 where one of both elements is not 0, and 0 elsewhere, in the dtype of the operands.

>>> nd.logical_or(nd.array([0, 1, 2]), nd.array([1, 0, 2])).asnumpy()
array([1., 1., 1.], dtype=float32)
""",
    "nd.logical_xor": """\
Return 1 where exactly one of both elements is not 0, and 0 elsewhere, in the dtype of the operands.

>>> nd.logical_xor(nd.array([0, 1, 2]), nd.array([1, 0, 2])).asnumpy()
array([1., 1., 0.], dtype=float32)
""",
    "nd.max": """\
Return the largest element over axes, in the dtype of the array, with an axis at least.

Args:
    data: an array.
    axis: an axis, several, or None for all.
    keepdims: reduced axes stay with size 1.
    exclude: reduce over all axes but these.

>>> nd.max(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
array([2., 4.], dtype=float32)
""",
    "nd.maximum": """\
Return the larger one of each pair of elements; a number takes the dtype of the array beside it.

>>> nd.maximum(nd.array([3, 4]), nd.array([4, 3])).asnumpy()
array([4., 4.], dtype=float32)
""",
    "nd.mean": """\
Return the mean over axes, in the dtype of the array, with an axis at least.

Args:
    data: an array.
    axis: an axis, several, or None for all.
    keepdims: reduced axes stay with size 1.
    exclude: reduce over all axes but these.

>>> nd.mean(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
array([1.5, 3.5], dtype=float32)
""",
    "nd.min": """\
Return the smallest element over axes, in the dtype of the array, with an axis at least.

Args:
    data: an array.
    axis: an axis, several, or None for all.
    keepdims: reduced axes stay with size 1.
    exclude: reduce over all axes but these.

>>> nd.min(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
array([1., 3.], dtype=float32)
""",
    "nd.minimum": """\
Return the smaller one of each pair of elements; a number takes the dtype of the array beside it.

>>> nd.minimum(nd.array([3, 4]), nd.array([4, 3])).asnumpy()
array([3., 3.], dtype=float32)
""",
    "nd.mod": """\
Return the remainder, with the sign of `rhs` of each pair of elements; a number takes the dtype of the array
beside it.

>>> nd.mod(nd.array([3, 4]), nd.array([4, 3])).asnumpy()
array([3., 1.], dtype=float32)
""",
    "nd.multiply": """\
Return the product of each pair of elements; a number takes the dtype of the array beside it.

>>> nd.multiply(nd.array([3, 4]), nd.array([4, 3])).asnumpy()
array([12., 12.], dtype=float32)
""",
    "nd.nanprod": """\
Return the product, where NaN counts as 1, over axes, in the dtype of the array, with an axis at least.

Args:
    data: an array.
    axis: an axis, several, or None for all.
    keepdims: reduced axes stay with size 1.
    exclude: reduce over all axes but these.

>>> nd.nanprod(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
array([ 2., 12.], dtype=float32)
""",
    "nd.nansum": """\
Return the sum, where NaN counts as 0, over axes, in the dtype of the array, with an axis at least.

Args:
    data: an array.
    axis: an axis, several, or None for all.
    keepdims: reduced axes stay with size 1.
    exclude: reduce over all axes but these.

>>> nd.nansum(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
array([3., 7.], dtype=float32)
""",
    "nd.negative": """\
Return -x for each element.

>>> nd.negative(nd.array([-1.5, 2])).asnumpy()
array([ 1.5, -2. ], dtype=float32)
""",
    "nd.not_equal": """\
Return 1 where x != y, and 0 elsewhere, in the dtype of the operands.

>>> nd.not_equal(nd.array([1, 2, 3]), 2).asnumpy()
array([1., 0., 1.], dtype=float32)
""",
    "nd.one_hot": """\
Return an array with a new last axis of size `depth`: `on_value` at the index of each element.

>>> nd.one_hot(nd.array([1, 0]), 3).asnumpy()
array([[0., 1., 0.],
       [1., 0., 0.]], dtype=float32)
""",
    "nd.ones": """\
Return an array of ones of a shape; float32 unless you pass a dtype.

Args:
    shape: sizes of the axes, or one size.
    ctx: the device.
    dtype: of the result.

>>> nd.ones((2,)).asnumpy()
array([1., 1.], dtype=float32)
""",
    "nd.pick": """\
Return one element along an axis for each index.

>>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([0, 1])).asnumpy()
array([1., 4.], dtype=float32)
""",
    "nd.prod": """\
Return the product over axes, in the dtype of the array, with an axis at least.

Args:
    data: an array.
    axis: an axis, several, or None for all.
    keepdims: reduced axes stay with size 1.
    exclude: reduce over all axes but these.

>>> nd.prod(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
array([ 2., 12.], dtype=float32)
""",
    "nd.radians": """\
Return `np.radians` of each element, in the dtype of the array: integers stay integers.

>>> nd.radians(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 0.0175], dtype=float32)
""",
    "nd.random.exponential_like": """\
Draw exponential numbers with the rate `lam` in the shape and dtype of `data`.

>>> nd.random.exponential_like(nd.zeros((2, 3))).shape
(2, 3)
""",
    "nd.random.gamma_like": """\
Draw gamma numbers of shape `alpha` and scale `beta` in the shape and dtype of `data`.

>>> nd.random.gamma_like(nd.zeros((2, 3))).shape
(2, 3)
""",
    "nd.reciprocal": """\
Return `np.reciprocal` of each element, in the dtype of the array: integers stay integers.

>>> nd.reciprocal(nd.array([2, 4])).asnumpy().round(4)
array([0.5 , 0.25], dtype=float32)
""",
    "nd.relu": """\
Return max(x, 0) for each element.

>>> nd.relu(nd.array([-1, 2])).asnumpy()
array([0., 2.], dtype=float32)
""",
    "nd.reshape": """\
Return the same elements under another shape, with MXNet 1's codes.

A size of the shape may be a code: 0 copies this size, -1 is what the others leave, -2 copies all the rest, -3 is
the product of two sizes, -4 splits a size into the two that follow.

Args:
    data: an array.
    shape: sizes and codes.
    reverse: read sizes and codes from the right.
    target_shape: MXNet's older shapes, where 0 is what the others leave.
    keep_highest: the first size of `target_shape` is that of `data`.

>>> nd.reshape(nd.ones((2, 3, 4)), (0, -1)).shape
(2, 12)
>>> nd.reshape(nd.ones((2, 3, 4)), (-3, 0)).shape
(6, 4)
""",
    "nd.rsqrt": """\
Return 1 / sqrt(x) of each element, in the dtype of the array: integers stay integers.

>>> nd.rsqrt(nd.array([1, 4])).asnumpy().round(4)
array([1. , 0.5], dtype=float32)
""",
    "nd.sigmoid": """\
Return 1 / (1 + exp(-x)) of each element, in the dtype of the array: integers stay integers.

>>> nd.sigmoid(nd.array([0, 1])).asnumpy().round(4)
array([0.5   , 0.7311], dtype=float32)
""",
    "nd.sign": """\
Return -1, 0 or 1 for each element; NaN of NaN, where MXNet gives 0.

>>> nd.sign(nd.array([-1.5, 2])).asnumpy()
array([-1.,  1.], dtype=float32)
""",
    "nd.sin": """\
Return `np.sin` of each element, in the dtype of the array: integers stay integers.

>>> nd.sin(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 0.8415], dtype=float32)
""",
    "nd.sinh": """\
Return `np.sinh` of each element, in the dtype of the array: integers stay integers.

>>> nd.sinh(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 1.1752], dtype=float32)
""",
    "nd.slice": """\
Return the elements from `begin` to `end` by `step`, one number an axis; None means the edge.

>>> nd.slice(nd.arange(6).reshape((2, 3)), begin=(0, 1), end=(2, None)).asnumpy()
array([[1., 2.],
       [4., 5.]], dtype=float32)
""",
    "nd.slice_axis": """\
Return the elements from `begin` to `end` along one axis; negative numbers count from the end.

>>> nd.slice_axis(nd.array([1, 2, 3]), axis=0, begin=1, end=None).asnumpy()
array([2., 3.], dtype=float32)
""",
    "nd.smooth_l1": """\
Return the smooth L1 loss with the number `scalar` of each element, in the dtype of the array: integers stay
integers.

>>> nd.smooth_l1(nd.array([0, 1])).asnumpy().round(4)
array([0. , 0.5], dtype=float32)
""",
    "nd.softsign": """\
Return x / (1 + abs(x)) of each element, in the dtype of the array: integers stay integers.

>>> nd.softsign(nd.array([0, 1])).asnumpy().round(4)
array([0. , 0.5], dtype=float32)
""",
    "nd.sqrt": """\
Return `np.sqrt` of each element, in the dtype of the array: integers stay integers.

>>> nd.sqrt(nd.array([1, 4])).asnumpy().round(4)
array([1., 2.], dtype=float32)
""",
    "nd.square": """\
Return x * x for each element.

>>> nd.square(nd.array([-1.5, 2])).asnumpy()
array([2.25, 4.  ], dtype=float32)
""",
    "nd.subtract": """\
Return the difference of each pair of elements; a number takes the dtype of the array beside it.

>>> nd.subtract(nd.array([3, 4]), nd.array([4, 3])).asnumpy()
array([-1.,  1.], dtype=float32)
""",
    "nd.sum": """\
Return the sum over axes, in the dtype of the array, with an axis at least.

Args:
    data: an array.
    axis: an axis, several, or None for all.
    keepdims: reduced axes stay with size 1.
    exclude: reduce over all axes but these.

>>> nd.sum(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
array([3., 7.], dtype=float32)
""",
    "nd.take": """\
Return the elements at `indices` along axis 0, or along `axis`; indices outside mean the first or the last.

>>> nd.take(nd.array([10, 20, 30]), nd.array([2, 9])).asnumpy()
array([30., 30.], dtype=float32)
""",
    "nd.tan": """\
Return `np.tan` of each element, in the dtype of the array: integers stay integers.

>>> nd.tan(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 1.5574], dtype=float32)
""",
    "nd.tanh": """\
Return `np.tanh` of each element, in the dtype of the array: integers stay integers.

>>> nd.tanh(nd.array([0, 1])).asnumpy().round(4)
array([0.    , 0.7616], dtype=float32)
""",
    "nd.topk": """\
Return the `k` largest elements along an axis, or their indices, as float32.

>>> nd.topk(nd.array([[3, 1, 2]]), k=2).asnumpy()
array([[0., 2.]], dtype=float32)
""",
    "nd.trunc": """\
Return the integer part of each element.

>>> nd.trunc(nd.array([-1.5, 2])).asnumpy()
array([-1.,  2.], dtype=float32)
""",
    "nd.zeros": """\
Return an array of zeros of a shape; float32 unless you pass a dtype.

Args:
    shape: sizes of the axes, or one size.
    ctx: the device.
    dtype: of the result.

>>> nd.zeros((2,)).asnumpy()
array([0., 0.], dtype=float32)
""",
}
"""The docstrings, by full names."""
