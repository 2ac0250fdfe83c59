# Written by `docs/make.py` from the functions that the methods are.

from collections.abc import Callable
from typing import Any, Self

from hybridize.base.hooks import Hooks

functions: Hooks

def or_legacy(*keywords: str) -> Callable[[Any], Any]: ...

class Methods:
    def abs(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the absolute value of each element; of complex numbers their distance from 0, as floats."""
    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Self:
        """Return whether all elements over an axis are true (not zero), as bools."""
    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Self:
        """Return whether any element over an axis is true (not zero), as bools."""
    def arccos(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the angle whose cosine is x, from 0 to pi; NaN outside of -1 to 1."""
    def arccosh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the number whose hyperbolic cosine is x; NaN below 1."""
    def arcsin(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the angle whose sine is x, from -pi/2 to pi/2; NaN outside of -1 to 1."""
    def arcsinh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the number whose hyperbolic sine is x."""
    def arctan(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the angle whose tangent is x, from -pi/2 to pi/2."""
    def arctanh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the number whose hyperbolic tangent is x; infinite at -1 and 1."""
    def argmax(self, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Self:
        """Return the index of the first largest element along an axis, or of the first NaN, as int64."""
    def argmax_channel(self) -> Self:
        """Return the index of the largest element along axis 1."""
    def argmin(self, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Self:
        """Return the index of the first smallest element along an axis, or of the first NaN, as int64."""
    def argpartition(self, kth: Any, axis: int | None = -1, kind: str = 'introselect', order: Any = None) -> Self:
        """Return the indices that partition an array, as int64; they sort it, too."""
    def argsort(self, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None, descending: bool = False) -> Self:
        """Return the indices that sort along an axis, as int64; see `sort`."""
    def as_in_context(self, context: Any) -> Self:
        """Return a copy of the array on a device, or the array itself if it is there; gradients pass
        through."""
    def as_in_ctx(self, ctx: Any) -> Self:
        """Return a copy of the array on a device, or the array itself if it is there; gradients pass
        through."""
    def as_nd_ndarray(self) -> Self:
        """Return an array over the same memory with MXNet 1's operators and methods, an NDArray."""
    def as_np_ndarray(self) -> Self:
        """Return an array over the same memory with NumPy's operators and methods; itself, unless it is an
        NDArray."""
    def astype(self, dtype: Any, order: str = 'K', casting: str = 'unsafe', subok: bool = True, copy: bool = True) -> Self:
        """Return the array cast to a dtype, or to that of another array; a copy, unless `copy` is False and
        nothing changes."""
    def attach_grad(self, grad_req: str = 'write', stype: Any = None) -> None:
        """Ask for the gradient of the array: `x.grad` has what the last backward pass computed."""
    def backward(self, out_grad: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Compute the gradients of the array, or of its sum, with respect to all variables that it depends
        on."""
    def broadcast_axes(self, axis: Any = ..., size: Any = ...) -> Self:
        """Stretch axes of size 1 to given sizes."""
    def broadcast_like(self, other: Any, lhs_axes: Any = None, rhs_axes: Any = None) -> Self:
        """Return the array stretched to the shape of another one, or along some axes to sizes of it; a read-
        only view."""
    def broadcast_to(self, shape: Any, subok: bool = False) -> Self:
        """Return an array stretched to a shape, as a read-only view. A size of -2 is that of the array, as in
        MXNet."""
    def cbrt(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the cube root of each element, also of negative ones. Integers give float32."""
    def ceil(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the smallest integer that is not below each element; integers stay as they are."""
    def choose(self, choices: Any, out: Any = None, mode: str = 'raise') -> Self:
        """Return the element of `choices[a]` at each place."""
    def clip(self, min: Any = None, max: Any = None, out: Any = None, *, a_min: Any = None, a_max: Any = None) -> Self:
        """Return elements limited to a range: those below `min` become `min`, those above `max` become
        `max`."""
    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Self:
        """Return the slices along an axis where a condition is true. Imperative only: data decide the size."""
    def conj(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the complex conjugate of each element; of real numbers a copy."""
    def conjugate(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the complex conjugate of each element; of real numbers a copy."""
    def copy(self, order: str = 'C') -> Self:
        """Return a copy that shares no memory with the array."""
    def copyto(self, other: Any) -> Self:
        """Write the elements to another array and return it; to a device, return a copy there."""
    def cos(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the cosine of each element, an angle in radians. Integers give float32."""
    def cosh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the hyperbolic cosine of each element."""
    def cumprod(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self:
        """Return the products of all elements up to each along an axis; of the flat array, where `axis` is
        None."""
    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self:
        """Return the sums of all elements up to each along an axis; of the flat array, where `axis` is None."""
    def degrees(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return angles in degrees of angles in radians."""
    def depth_to_space(self, block_size: int) -> Self:
        """Turn channels into blocks of pixels: [n, b b c, h, w] to [n, c, h b, w b]."""
    def detach(self) -> Self:
        """Return an array over the same memory through which no gradient goes."""
    def diag(self, k: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """Return the diagonal `k` of two axes, or the matrix that has a vector on this diagonal."""
    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """Return the diagonal of two axes as the last axis; a copy, where NumPy gives a view."""
    def dot(self, b: Any, out: Any = None) -> Self:
        """Return the dot product: the sum over the last axis of `a` and the axis before the last of `b`."""
    def drop_grad(self) -> None:
        """Stop asking for the gradient of the array."""
    def exp(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return e to the power of each element. Integers give float32."""
    def expand_dims(self, axis: Any) -> Self:
        """Insert axes of size 1 at positions of the result; a view."""
    def expm1(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return exp(x) - 1 for each element, exact for small x."""
    def fix(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the integer part of each element: rounded towards 0."""
    def flatten(self, order: str = 'C', inplace: bool | None = None) -> Self:
        """Return all elements along one axis, as a copy. With MXNet 1's keyword `inplace` it is
        `nd.flatten`."""
    def flip(self, axis: Any = None) -> Self:
        """Return the elements in reverse order along an axis, or along all; a view."""
    def floor(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the largest integer that is not above each element; integers stay as they are."""
    def log(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the natural logarithm of each element: -inf of 0, NaN below. Integers give float32."""
    def log10(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the logarithm of each element to base 10. Integers give float32."""
    def log1p(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return log(1 + x) for each element, exact for small x."""
    def log2(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the logarithm of each element to base 2. Integers give float32."""
    def log_softmax(self, axis: int = -1, temperature: float | None = None) -> Self:
        """Return the logarithm of the softmax along an axis; see `npx.log_softmax`."""
    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Self:
        """Return the largest element over an axis; NaN if any is NaN."""
    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Self:
        """Return the arithmetic mean over an axis; NaN of no elements."""
    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Self:
        """Return the smallest element over an axis; NaN if any is NaN."""
    def nanprod(self, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Self:
        """Return the product, where NaN counts as 1, over axes, in the dtype of the array, with an axis at
        least."""
    def nansum(self, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Self:
        """Return the sum, where NaN counts as 0, over axes, in the dtype of the array, with an axis at
        least."""
    def nonzero(self, /, *args: Any, **kwargs: Any) -> Self:
        """Return the indices of the elements that are not zero, as one vector for each axis. Imperative
        only."""
    def norm(self, ord: int = 2, axis: Any = None, out_dtype: Any = None, keepdims: bool = False) -> Self:
        """Return the L1 or L2 norm over axes."""
    def one_hot(self, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = None) -> Self:
        """Return an array with a new last axis of size `depth`: `on_value` at the index of each element."""
    def ones_like(self, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> Self:
        """Return an array of ones of the shape and dtype of `a`."""
    def pad(self, mode: str = 'constant', pad_width: Any = ..., constant_value: float = 0.0) -> Self:
        """Return an array that is wider at both ends of each axis; `pad_width` has two numbers for each axis,
        in one list."""
    def pick(self, index: Any, axis: int = -1, keepdims: bool = False, mode: str = 'clip') -> Self:
        """Return one element along an axis for each index."""
    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Self:
        """Return the product of the elements over an axis; integers and bools are multiplied in 64 bits."""
    def put(self, indices: Any, values: Any, mode: str = 'raise') -> None:
        """Write values to elements of the flat array, in place."""
    def radians(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return angles in radians of angles in degrees."""
    def ravel(self, order: str = 'C') -> Self:
        """Return all elements along one axis; a view where NumPy gives one."""
    def rcbrt(self) -> Self:
        """Return 1 over the cube root of each element."""
    def reciprocal(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return 1 / x for each element."""
    def relu(self) -> Self:
        """Return max(x, 0) for each element; NaN stays NaN."""
    def repeat(self, repeats: Any, axis: int | None = None) -> Self:
        """Repeat each element along an axis; of the flat array, where `axis` is None."""
    def reshape(self, *shape: Any, order: str = 'C') -> Self:
        """Return the same elements under another shape; one size may be -1. A view where NumPy gives one."""
    def reshape_like(self, rhs: Any, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None) -> Self:
        """Return the elements of `lhs` under the shape of `rhs`, or a range of its axes under a range of the
        other's."""
    def rint(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the nearest integer of each element, halves to even; integers stay as they are."""
    def round(self, decimals: int = 0, out: Any = None) -> Self:
        """Return elements rounded to a number of decimals, halves to even."""
    def rsqrt(self, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return 1 / sqrt(x) of each element, in the dtype of the array: integers stay integers."""
    def searchsorted(self, v: Any, side: str = 'left', sorter: Any = None) -> Self:
        """Return the positions at which `v` go into the ascending array `a`."""
    def shape_array(self) -> Self:
        """Return the sizes of the axes as an int64 array."""
    def sigmoid(self) -> Self:
        """Return 1 / (1 + exp(-x)) for each element."""
    def sign(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return -1, 0 or 1 for each element; NaN of NaN. The gradient is 0."""
    def sin(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the sine of each element, an angle in radians. Integers give float32."""
    def sinh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the hyperbolic sine of each element."""
    def size_array(self) -> Self:
        """Return the number of elements, as an int64 array of one element."""
    def slice(self, begin: Any, end: Any, step: Any = None) -> Self:
        """Return the elements from `begin` to `end` by `step`, one number an axis; None means the edge."""
    def slice_axis(self, axis: int, begin: int, end: int | None) -> Self:
        """Return the elements from `begin` to `end` along one axis; negative numbers count from the end."""
    def slice_like(self, shape_like: Any, axes: Any = None) -> Self:
        """Return an array cut to the sizes of another one, along `axes` or along all."""
    def softmax(self, axis: int = -1, temperature: float | None = None) -> Self:
        """Return exp(x) / sum(exp(x)) along an axis; see `npx.softmax`."""
    def softmin(self, axis: int = -1, temperature: float | None = None, dtype: Any = None) -> Self:
        """Return the softmax of -x along an axis."""
    def space_to_depth(self, block_size: int) -> Self:
        """Turn blocks of pixels into channels: [n, c, h b, w b] to [n, b b c, h, w]."""
    def split(self, indices_or_sections: Any, axis: int = 0) -> Self:
        """Cut an array along an axis into equal parts, or at indices; a list of views."""
    def split_v2(self, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> Self:
        """Cut an array along an axis into equal parts, or at indices."""
    def sqrt(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the square root of each element; NaN below 0. Integers give float32."""
    def square(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return x * x for each element."""
    def squeeze(self, axis: Any = None) -> Self:
        """Remove axes of size 1, those that you name or all; a view."""
    def std(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> Self:
        """Return the standard deviation over an axis: the square root of the variance; arguments are those of
        `var`."""
    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Self:
        """Return the sum of the elements over an axis; integers and bools are summed in 64 bits."""
    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Exchange two axes; a view."""
    def take(self, indices: Any, axis: int | None = None, mode: str = 'raise', out: Any = None) -> Self:
        """Return the elements at `indices` along an axis; of the flat array, where `axis` is None."""
    def tan(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the tangent of each element, an angle in radians. Integers give float32."""
    def tanh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the hyperbolic tangent of each element, from -1 to 1."""
    def tile(self, reps: Any) -> Self:
        """Repeat the whole array, `reps` times along each axis."""
    def to(self, device: Any) -> Self:
        """Return a copy of the array on a device, or the array itself if it is there; gradients pass
        through."""
    def to_device(self, device: Any, /, *, stream: Any = None) -> Self:
        """Return a copy of the array on a device, or the array itself if it is there; `stream` has to be
        None."""
    def topk(self, axis: int | None = -1, k: int = 1, ret_typ: str = 'indices', is_ascend: bool = False, dtype: Any = None) -> Self:
        """Return the `k` largest elements along an axis, or their indices; the smallest with `is_ascend`."""
    def tostype(self, stype: str) -> Self:
        """Return a copy of the array in a storage type: `default`, `csr` or `row_sparse`."""
    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Self:
        """Return the sum of a diagonal of two axes."""
    def transpose(self, *axes: Any) -> Self:
        """Permute the axes; reverse them, where you pass none; a view."""
    def trunc(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Return the integer part of each element: rounded towards 0."""
    def var(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> Self:
        """Return the variance over an axis: the mean square distance from the mean."""
    def wait_to_read(self) -> None:
        """Return at once: an expression has nothing to wait for."""
    def zeros_like(self, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> Self:
        """Return an array of zeros of the shape and dtype of `a`; `np.empty_like` is another name."""
