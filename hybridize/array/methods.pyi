# Written by `docs/make.py` from the functions that the methods are.

from collections.abc import Callable
from typing import Any, Self

from hybridize.base.hooks import Hooks

functions: Hooks

def or_legacy(*keywords: str) -> Callable[[Any], Any]: ...

class Methods:
    def abs(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The absolute value of x."""
    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Self:
        """True where all elements over `axis` are true (not zero), of those that `where` chooses."""
    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Self:
        """True where any element over `axis` is true (not zero), of those that `where` chooses."""
    def arccos(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The angle whose cosine is x."""
    def arccosh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The number whose hyperbolic cosine is x."""
    def arcsin(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The angle whose sine is x."""
    def arcsinh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The number whose hyperbolic sine is x."""
    def arctan(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The angle whose tangent is x."""
    def arctanh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The number whose hyperbolic tangent is x."""
    def argmax(self, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Self:
        """The index of the first largest element along `axis`, int64; of a NaN if any."""
    def argmax_channel(self) -> Self:
        """The index of the largest element along axis 1."""
    def argmin(self, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Self:
        """The index of the first smallest element along `axis`, int64; of a NaN if any."""
    def argpartition(self, kth: Any, axis: int | None = -1, kind: str = 'introselect', order: Any = None) -> Self:
        """The indices that partition `a`, int64; they sort it."""
    def argsort(self, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None, descending: bool = False) -> Self:
        """The indices that sort along `axis` (flat when None), int64; see `sort`."""
    def as_in_context(self, context: Any) -> Self:
        """Itself where it is on that device, else a copy there, to which gradients pass."""
    def as_in_ctx(self, ctx: Any) -> Self:
        """Itself where it is on that device, else a copy there, to which gradients pass."""
    def as_nd_ndarray(self) -> Self:
        """The same memory with MXNet 1's operators and methods, an NDArray."""
    def as_np_ndarray(self) -> Self:
        """The same memory with NumPy's operators and methods: itself, unless it is an NDArray."""
    def astype(self, dtype: Any, order: str = 'K', casting: str = 'unsafe', subok: bool = True, copy: bool = True) -> Self:
        """As another dtype, or that of another array; a copy, unless `copy` is false and nothing changes."""
    def attach_grad(self, grad_req: str = 'write', stype: Any = None) -> None:
        """Ask for the gradient of an array: `x.grad` is what the last backward pass says of it."""
    def backward(self, out_grad: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Compute the gradients of this array, or of its sum, with respect to all variables that it was
        recorded of."""
    def broadcast_axes(self, axis: Any = ..., size: Any = ...) -> Self:
        """Axes of size 1 stretched to the given sizes."""
    def broadcast_like(self, other: Any, lhs_axes: Any = None, rhs_axes: Any = None) -> Self:
        """Stretched to the shape of `other`, or along some axes to the sizes of some of its; a read-only
        view."""
    def broadcast_to(self, shape: Any, subok: bool = False) -> Self:
        """Stretched to `shape`; a read-only view. A size of -2, as MXNet has it, is that of `array`."""
    def cbrt(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The cube root of x."""
    def ceil(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The smallest integer not below x."""
    def choose(self, choices: Any, out: Any = None, mode: str = 'raise') -> Self:
        """The element of `choices[a]` at each place."""
    def clip(self, min: Any = None, max: Any = None, out: Any = None, *, a_min: Any = None, a_max: Any = None) -> Self:
        """Elements below `min` become `min`, above `max` become `max`; NaN stays. At a limit the slope is 1."""
    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Self:
        """The slices along `axis` where `condition` is true."""
    def conj(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The complex conjugate: of real numbers a copy."""
    def conjugate(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The complex conjugate: of real numbers a copy."""
    def copy(self, order: str = 'C') -> Self:
        """A copy that shares nothing."""
    def copyto(self, other: Any) -> Self:
        """Write the elements to `other`, on whatever device, and return it; to a device, a copy there."""
    def cos(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The cosine of x, in radians."""
    def cosh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The hyperbolic cosine of x."""
    def cumprod(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self:
        """The products of all elements up to each, along `axis` (flat when None)."""
    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self:
        """The sums of all elements up to each, along `axis` (flat when None)."""
    def degrees(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Radians to degrees."""
    def depth_to_space(self, block_size: int) -> Self:
        """Turn channels into blocks of pixels: [n, b b c, h, w] to [n, c, h b, w b]."""
    def detach(self) -> Self:
        """The same buffer, of which nothing is remembered for a backward pass."""
    def diag(self, k: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """The diagonal, or the matrix that has a vector there."""
    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """The diagonal of two axes, as the last axis; a copy."""
    def dot(self, b: Any, out: Any = None) -> Self:
        """NumPy's dot product: the sum over the last axis of `a` and the one before the last of `b` (the last
        of a vector)."""
    def drop_grad(self) -> None:
        """No gradient of an array is wanted any more."""
    def exp(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """e to the power of x."""
    def expand_dims(self, axis: Any) -> Self:
        """New axes of size one at the positions `axis` of the result; a view."""
    def expm1(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """exp(x) - 1, exact for small x."""
    def fix(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The integer part of x."""
    def flatten(self, order: str = 'C', inplace: bool | None = None) -> Self:
        """All elements along one axis; a copy. With the keyword of MXNet 1, `nd.flatten`."""
    def flip(self, axis: Any = None) -> Self:
        """Elements in reverse order along `axis` (all axes when None); a view."""
    def floor(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The largest integer not above x."""
    def log(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The natural logarithm of x."""
    def log10(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The logarithm of x to base 10."""
    def log1p(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """log(1 + x), exact for small x."""
    def log2(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The logarithm of x to base 2."""
    def log_softmax(self, axis: int = -1, temperature: float | None = None) -> Self:
        """Logarithm of the softmax along `axis`."""
    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Self:
        """The largest element over `axis`; NaN if any is."""
    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Self:
        """The arithmetic mean over `axis`; of integers float32, of no elements NaN; `where`: of the elements it
        chooses."""
    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Self:
        """The smallest element over `axis`; NaN if any is."""
    def nanprod(self, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Self:
        """The product over `axis`, NaN counted as 1; `initial` and `where` as of `prod`."""
    def nansum(self, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Self:
        """The sum over `axis`, NaN counted as 0; `initial` and `where` as of `sum`."""
    def nonzero(self, /, *args: Any, **kwargs: Any) -> Self:
        """NumPy's `nonzero`, imperatively; it cannot be compiled."""
    def norm(self, ord: int = 2, axis: Any = None, out_dtype: Any = None, keepdims: bool = False) -> Self:
        """The L1 or L2 norm over `axis`."""
    def one_hot(self, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = None) -> Self:
        """A new last axis of size `depth`: `on_value` at the element's index, `off_value` elsewhere."""
    def ones_like(self, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> Self:
        """Ones of the shape, unless another one is given, and dtype of `a`."""
    def pad(self, mode: str = 'constant', pad_width: Any = ..., constant_value: float = 0.0) -> Self:
        """Wider at both ends of each axis."""
    def pick(self, index: Any, axis: int = -1, keepdims: bool = False, mode: str = 'clip') -> Self:
        """One element along `axis` for each `index`, whose shape is that of `data` without the axis."""
    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Self:
        """The product over `axis`; integers and bools in 64 bits."""
    def put(self, indices: Any, values: Any, mode: str = 'raise') -> None:
        """Write `values` to elements of the flat array, in place."""
    def radians(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """Degrees to radians."""
    def ravel(self, order: str = 'C') -> Self:
        """All elements along one axis; a view where NumPy gives one."""
    def rcbrt(self) -> Self:
        """One over the cube root."""
    def reciprocal(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """1 / x; integers give float32."""
    def relu(self) -> Self:
        """max(x, 0); NaN stays NaN."""
    def repeat(self, repeats: Any, axis: int | None = None) -> Self:
        """Each element repeated along `axis` (of the flat array when None)."""
    def reshape(self, *shape: Any, order: str = 'C') -> Self:
        """The same elements under another shape, one size may be -1; a view where NumPy gives one."""
    def reshape_like(self, rhs: Any, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None) -> Self:
        """The elements of `lhs` under the shape of `rhs`, or a range of its axes under a range of the
        other's."""
    def rint(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The nearest integer, halves to even."""
    def round(self, decimals: int = 0, out: Any = None) -> Self:
        """Rounded to `decimals`, halves to even."""
    def rsqrt(self, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """1 / sqrt(x)"""
    def searchsorted(self, v: Any, side: str = 'left', sorter: Any = None) -> Self:
        """Positions at which `v` go into the ascending `a`: how many are less (`left`), or not greater
        (`right`)."""
    def shape_array(self) -> Self:
        """The sizes of the axes as an int64 array."""
    def sigmoid(self) -> Self:
        """1 / (1 + exp(-x))."""
    def sign(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """-1, 0 or 1; NaN of NaN."""
    def sin(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The sine of x, in radians."""
    def sinh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The hyperbolic sine of x."""
    def size_array(self) -> Self:
        """The number of elements, as an int64 array of one."""
    def slice(self, begin: Any, end: Any, step: Any = None) -> Self:
        """Elements from `begin` to `end` by `step`, for as many axes as are given; None means the edge."""
    def slice_axis(self, axis: int, begin: int, end: int | None) -> Self:
        """Elements from `begin` to `end` along one axis; both may be counted from its end, None is the end."""
    def slice_like(self, shape_like: Any, axes: Any = None) -> Self:
        """Cut to the sizes of another array, along `axes` (all when None)."""
    def softmax(self, axis: int = -1, temperature: float | None = None) -> Self:
        """exp(x) / sum(exp(x)) along `axis`."""
    def softmin(self, axis: int = -1, temperature: float | None = None, dtype: Any = None) -> Self:
        """The softmax of -x."""
    def space_to_depth(self, block_size: int) -> Self:
        """Turn blocks of pixels into channels: [n, c, h b, w b] to [n, b b c, h, w]."""
    def split(self, indices_or_sections: Any, axis: int = 0) -> Self:
        """Cut along `axis` into equal parts, or at the given indices; views."""
    def split_v2(self, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> Self:
        """Parts along `axis`, equal or cut at indices."""
    def sqrt(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The square root of x."""
    def square(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """x * x, a copy."""
    def squeeze(self, axis: Any = None) -> Self:
        """Without axes of size one: those named, or all; a view."""
    def std(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> Self:
        """The square root of the variance over `axis`; arguments as of `var`."""
    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Self:
        """The sum over `axis` (all when None); integers and bools sum in 64 bits."""
    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Two axes exchanged; a view."""
    def take(self, indices: Any, axis: int | None = None, mode: str = 'raise', out: Any = None) -> Self:
        """Elements at `indices` along `axis` (of the flat array when None)."""
    def tan(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The tangent of x, in radians."""
    def tanh(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The hyperbolic tangent of x."""
    def tile(self, reps: Any) -> Self:
        """The array repeated as a whole, `reps` times along each axis."""
    def to_device(self, device: Any, /, *, stream: Any = None) -> Self:
        """Itself where it is on that device, else a copy there; the CPU has no streams."""
    def topk(self, axis: int | None = -1, k: int = 1, ret_typ: str = 'indices', is_ascend: bool = False, dtype: Any = None) -> Self:
        """The `k` largest (smallest when `is_ascend`) along `axis`."""
    def tostype(self, stype: str) -> Self:
        """Make a copy of an array in a storage type: `default`, `csr` or `row_sparse`."""
    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Self:
        """The sum of a diagonal of two axes, the first ones unless said."""
    def transpose(self, *axes: Any) -> Self:
        """Axes permuted, reversed when none are given; a view."""
    def trunc(self, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = 'same_kind', order: str = 'K', subok: bool = True) -> Self:
        """The integer part of x."""
    def var(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *, where: Any = True, mean: Any = None, correction: float | None = None) -> Self:
        """The mean square distance from the mean over `axis`."""
    def wait_to_read(self) -> None:
        """Return at once, while a function is captured: the values of its program are there when they are asked
        for."""
    def zeros_like(self, dtype: Any = None, order: Any = 'C', ctx: Any = None, device: Any = None, *, shape: Any = None) -> Self:
        """Zeros of the shape, unless another one is given, and dtype of `a`."""
