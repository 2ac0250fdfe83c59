# SPDX-License-Identifier: Apache-2.0
"""NumPy's and MXNet's methods of arrays, and the table of functions behind them.

A method says only which function it is; the functions come from `functions`, which the package fills once when all of
its modules are there. So the classes know no function, and every function knows the classes.

Methods that NumPy has mean what NumPy means. Where a keyword is of MXNet 1 alone, or what is given means nothing to
NumPy, it is MXNet 1's method: the function of `nd` of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Self, TypeVar

from hybridize.array.annotations import ArrayLike
from hybridize.base.errors import ArgumentError
from hybridize.base.hooks import Hooks

functions = Hooks()
"""The public functions by name, as `hybridize.np` has them, and a few more; filled by `hybridize.array`."""

_Method = TypeVar("_Method", bound=Callable[..., Any])


def or_legacy(*keywords: str) -> Callable[[_Method], _Method]:
    """Make a method that is MXNet 1's where one of these keywords is given, which NumPy's has not."""

    def decorated(method: Any) -> Any:
        @wraps(method)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            if kwargs and not kwargs.keys().isdisjoint(keywords):
                return functions.legacy(method.__name__)(self, *args, **kwargs)
            return method(self, *args, **kwargs)

        return call

    return decorated


def _has_codes(x: Any, shape: Any) -> bool:
    """Tell whether a shape is of MXNet 1's codes: a size below -1, or 0 for an array that has elements."""
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    numbers = [size for size in sizes if type(size) is int]  # a size that only calls know is no code
    if any(size < -1 for size in numbers):
        return True
    return 0 in numbers and not any(type(size) is int and size == 0 for size in x.shape)


class Methods:
    """Methods that are functions of the array, for `ndarray` and `Symbol`."""

    __slots__ = ()

    @or_legacy("exclude")
    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **more: Any) -> Self:
        """Sum over `axis` (all axes when None); `initial` and `where` as of `np.sum`."""
        return functions.sum(self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **more)

    @or_legacy("exclude")
    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **more: Any) -> Self:
        """Arithmetic mean over `axis`; `where` as of `np.mean`."""
        return functions.mean(self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **more)

    @or_legacy("exclude")
    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **more: Any) -> Self:
        """Product over `axis`; `initial` and `where` as of `np.prod`."""
        return functions.prod(self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, **more)

    @or_legacy("exclude")
    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False, **more: Any) -> Self:
        """Largest element over `axis`; NaN where there is one; `initial` and `where` as of `np.max`."""
        return functions.max(self, axis=axis, out=out, keepdims=keepdims, **more)

    @or_legacy("exclude")
    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False, **more: Any) -> Self:
        """Smallest element over `axis`; NaN where there is one; `initial` and `where` as of `np.min`."""
        return functions.min(self, axis=axis, out=out, keepdims=keepdims, **more)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Self:
        """True where any element over `axis` is true, of those that `where` chooses."""
        return functions.any(self, axis=axis, out=out, keepdims=keepdims, where=where)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Self:
        """True where all elements over `axis` are true, of those that `where` chooses."""
        return functions.all(self, axis=axis, out=out, keepdims=keepdims, where=where)

    def std(
        self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, **more: Any
    ) -> Self:
        """Standard deviation over `axis`; `where`, `mean` and `correction` as of `np.std`."""
        return functions.std(self, axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims, **more)

    def var(
        self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, **more: Any
    ) -> Self:
        """Variance over `axis`, divided by n - ddof; `where`, `mean` and `correction` as of `np.var`."""
        return functions.var(self, axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims, **more)

    def argmax(self, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Self:
        """Index of the first largest element along `axis`, int64."""
        return functions.argmax(self, axis=axis, out=out, keepdims=keepdims)

    def argmin(self, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Self:
        """Index of the first smallest element along `axis`, int64."""
        return functions.argmin(self, axis=axis, out=out, keepdims=keepdims)

    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self:
        """Cumulative sum along `axis` (of the flat array when None)."""
        return functions.cumsum(self, axis=axis, dtype=dtype, out=out)

    def cumprod(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self:
        """Cumulative product along `axis`."""
        return functions.cumprod(self, axis=axis, dtype=dtype, out=out)

    @or_legacy("is_ascend", "dtype")
    def argsort(
        self,
        axis: int | None = -1,
        kind: Any = None,
        order: Any = None,
        *,
        stable: bool | None = None,
        descending: bool = False,
    ) -> Self:
        """Indices that sort along `axis`, stable, int64."""
        return functions.argsort(self, axis=axis, kind=kind, order=order, stable=stable, descending=descending)

    def argpartition(self, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Self:
        """Indices that partition along `axis`, int64."""
        return functions.argpartition(self, kth, axis=axis, kind=kind, order=order)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Self:
        """Positions at which `v` go into the ascending array."""
        return functions.searchsorted(self, v, side=side, sorter=sorter)

    def choose(self, choices: Any, out: Any = None, mode: str = "raise") -> Self:
        """The element of `choices[self]` at each place."""
        return functions.choose(self, choices, out=out, mode=mode)

    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Self:
        """The slices along `axis` where `condition` is true."""
        return functions.compress(condition, self, axis=axis, out=out)

    def conj(self) -> Self:
        """The complex conjugate: a copy."""
        return functions.conj(self)

    def conjugate(self) -> Self:
        """The complex conjugate: a copy."""
        return functions.conj(self)

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Write `values` to elements of the flat array, in place."""
        functions.put(self, indices, values, mode=mode)

    @or_legacy("a_min", "a_max")
    def clip(self, min: ArrayLike = None, max: ArrayLike = None, out: Any = None) -> Self:
        """Elements below `min` or above `max` replaced by them."""
        return functions.clip(self, min, max, out=out)

    def dot(self, other: Any, out: Any = None) -> Self:
        """NumPy's dot product."""
        return functions.dot(self, other, out=out)

    def take(self, indices: Any, axis: int | None = None, mode: str = "raise", out: Any = None) -> Self:
        """Elements at `indices` along `axis`."""
        return functions.take(self, indices, axis=axis, mode=mode, out=out)

    def repeat(self, repeats: Any, axis: int | None = None) -> Self:
        """Each element repeated along `axis`."""
        return functions.repeat(self, repeats, axis=axis)

    def tile(self, reps: Any) -> Self:
        """The array repeated as a whole."""
        return functions.tile(self, reps)

    def squeeze(self, axis: Any = None) -> Self:
        """Without axes of size one; a view."""
        return functions.squeeze(self, axis=axis)

    def expand_dims(self, axis: Any) -> Self:
        """With a new axis of size one; a view."""
        return functions.expand_dims(self, axis)

    @or_legacy("dim1", "dim2")
    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Two axes exchanged; a view."""
        return functions.swapaxes(self, axis1, axis2)

    def broadcast_to(self, shape: Any) -> Self:
        """Stretched to `shape`; a read-only view."""
        return functions.broadcast_to(self, shape)

    def ravel(self, order: str = "C") -> Self:
        """All elements along one axis; a view where possible."""
        return functions.ravel(self, order=order)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """The diagonal of two axes."""
        return functions.diagonal(self, offset=offset, axis1=axis1, axis2=axis2)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """The sum of a diagonal."""
        return functions.trace(self, offset=offset, axis1=axis1, axis2=axis2)

    def nonzero(self) -> Any:
        """Indices of the elements that are not zero, an array for each axis."""
        return functions.nonzero(self)

    @or_legacy("num_outputs", "squeeze_axis")
    def split(self, indices_or_sections: Any, axis: int = 0) -> Any:
        """Cut into a list of views along `axis`."""
        return functions.split(self, indices_or_sections, axis=axis)

    def round(self, decimals: int = 0, out: Any = None) -> Self:
        """Rounded to `decimals`, halves to even."""
        return functions.round(self, decimals, out=out)

    def norm(self, ord: int = 2, axis: Any = None, keepdims: bool = False, out_dtype: Any = None) -> Self:
        """L1 or L2 norm over `axis`, of all elements when None: as `nd.norm`, not `np.linalg.norm`."""
        return functions.legacy("norm")(self, ord=ord, axis=axis, keepdims=keepdims, out_dtype=out_dtype)

    def softmax(self, axis: int = -1, temperature: float | None = None) -> Self:
        """exp(x) / sum(exp(x)) along `axis`."""
        return functions.softmax(self, axis=axis, temperature=temperature)

    def log_softmax(self, axis: int = -1, temperature: float | None = None) -> Self:
        """Logarithm of the softmax along `axis`."""
        return functions.log_softmax(self, axis=axis, temperature=temperature)

    def one_hot(self, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = None) -> Self:
        """A new last axis of size `depth`, `on_value` at the element's index."""
        return functions.one_hot(self, depth, on_value=on_value, off_value=off_value, dtype=dtype)

    def pick(self, index: Any, axis: int = -1, keepdims: bool = False, mode: str = "clip") -> Self:
        """One element along `axis` for each `index`."""
        return functions.pick(self, index, axis=axis, keepdims=keepdims, mode=mode)

    def topk(
        self, axis: int = -1, k: int = 1, ret_typ: str = "indices", is_ascend: bool = False, dtype: Any = None
    ) -> Any:
        """The `k` largest along `axis`."""
        return functions.topk(self, axis=axis, k=k, ret_typ=ret_typ, is_ascend=is_ascend, dtype=dtype)

    def slice(self, begin: Any, end: Any, step: Any = None) -> Any:
        """Elements from `begin` to `end` along the first axes, as many as are given."""
        return functions.legacy("slice")(self, begin, end, step)

    def slice_axis(self, axis: int, begin: int, end: int | None) -> Any:
        """Elements from `begin` to `end` along one axis."""
        return functions.legacy("slice_axis")(self, axis, begin, end)

    def slice_like(self, shape_like: Any, axes: Any = None) -> Any:
        """The first elements along `axes`, as many as `shape_like` has."""
        return functions.legacy("slice_like")(self, shape_like, axes)

    def split_v2(self, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> Any:
        """Parts along `axis`, equal or cut at indices."""
        return functions.legacy("split_v2")(self, indices_or_sections, axis, squeeze_axis)

    def flip(self, axis: Any) -> Any:
        """In the opposite order along `axis`."""
        return functions.flip(self, axis)

    def pad(self, mode: str = "constant", pad_width: Any = (), constant_value: float = 0.0) -> Any:
        """With more elements at the ends of axes: two numbers of them for each axis, before and after."""
        return functions.legacy("pad")(self, mode, pad_width, constant_value)

    def diag(self, k: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """The diagonal of two axes; of one axis, the matrix with that diagonal."""
        return functions.legacy("diag")(self, k, axis1, axis2)

    def broadcast_axes(self, axis: Any = (), size: Any = ()) -> Any:
        """Axes of size 1 stretched to other sizes."""
        return functions.legacy("broadcast_axes")(self, axis, size)

    def depth_to_space(self, block_size: int) -> Any:
        """Channels moved into blocks of an image (NCHW)."""
        return functions.legacy("depth_to_space")(self, block_size)

    def space_to_depth(self, block_size: int) -> Any:
        """Blocks of an image moved into channels (NCHW)."""
        return functions.legacy("space_to_depth")(self, block_size)

    def softmin(self, axis: int = -1, temperature: float | None = None, dtype: Any = None) -> Any:
        """exp(-x) / sum(exp(-x)) along `axis`."""
        return functions.legacy("softmin")(self, axis, temperature, dtype)

    def argmax_channel(self) -> Any:
        """The index of the largest element along axis 1, float32."""
        return functions.legacy("argmax_channel")(self)

    def nansum(self, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Any:
        """Sum over `axis` with NaN as 0; `exclude`: over all other axes."""
        return functions.legacy("nansum")(self, axis, keepdims, exclude)

    def nanprod(self, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Any:
        """Product over `axis` with NaN as 1; `exclude`: over all other axes."""
        return functions.legacy("nanprod")(self, axis, keepdims, exclude)

    def shape_array(self) -> Any:
        """The shape, as an int64 array."""
        return functions.legacy("shape_array")(self)

    def size_array(self) -> Any:
        """The number of elements, as an int64 array of one."""
        return functions.legacy("size_array")(self)

    def abs(self) -> Self:
        """Absolute value."""
        return functions.abs(self)

    def sqrt(self) -> Self:
        """Square root."""
        return functions.sqrt(self)

    def square(self) -> Self:
        """x * x."""
        return functions.square(self)

    def exp(self) -> Self:
        """e to the power of x."""
        return functions.exp(self)

    def log(self) -> Self:
        """Natural logarithm."""
        return functions.log(self)

    def log2(self) -> Self:
        """Logarithm to base 2."""
        return functions.log2(self)

    def log10(self) -> Self:
        """Logarithm to base 10."""
        return functions.log10(self)

    def log1p(self) -> Self:
        """log(1 + x)."""
        return functions.log1p(self)

    def expm1(self) -> Self:
        """exp(x) - 1."""
        return functions.expm1(self)

    def sin(self) -> Self:
        """Sine."""
        return functions.sin(self)

    def cos(self) -> Self:
        """Cosine."""
        return functions.cos(self)

    def tan(self) -> Self:
        """Tangent."""
        return functions.tan(self)

    def tanh(self) -> Self:
        """Hyperbolic tangent."""
        return functions.tanh(self)

    def arccos(self) -> Self:
        """Inverse cosine."""
        return functions.arccos(self)

    def arccosh(self) -> Self:
        """Inverse hyperbolic cosine."""
        return functions.arccosh(self)

    def arcsin(self) -> Self:
        """Inverse sine."""
        return functions.arcsin(self)

    def arcsinh(self) -> Self:
        """Inverse hyperbolic sine."""
        return functions.arcsinh(self)

    def arctan(self) -> Self:
        """Inverse tangent."""
        return functions.arctan(self)

    def arctanh(self) -> Self:
        """Inverse hyperbolic tangent."""
        return functions.arctanh(self)

    def cosh(self) -> Self:
        """Hyperbolic cosine."""
        return functions.cosh(self)

    def sinh(self) -> Self:
        """Hyperbolic sine."""
        return functions.sinh(self)

    def degrees(self) -> Self:
        """Radians in degrees."""
        return functions.degrees(self)

    def radians(self) -> Self:
        """Degrees in radians."""
        return functions.radians(self)

    def cbrt(self) -> Self:
        """Cube root."""
        return functions.cbrt(self)

    def fix(self) -> Self:
        """The nearest integer towards 0."""
        return functions.fix(self)

    def trunc(self) -> Self:
        """The nearest integer towards 0."""
        return functions.trunc(self)

    def rsqrt(self) -> Self:
        """1 / sqrt(x)."""
        return functions.legacy("rsqrt")(self)

    def rcbrt(self) -> Self:
        """1 / cbrt(x)."""
        return functions.legacy("rcbrt")(self)

    def sign(self) -> Self:
        """-1, 0 or 1."""
        return functions.sign(self)

    def floor(self) -> Self:
        """Largest integer not above x."""
        return functions.floor(self)

    def ceil(self) -> Self:
        """Smallest integer not below x."""
        return functions.ceil(self)

    def rint(self) -> Self:
        """Nearest integer, halves to even."""
        return functions.rint(self)

    def relu(self) -> Self:
        """max(x, 0); NaN stays."""
        return functions.relu(self)

    def sigmoid(self) -> Self:
        """1 / (1 + exp(-x))."""
        return functions.sigmoid(self)

    def reciprocal(self) -> Self:
        """1 / x."""
        return functions.reciprocal(self)

    def zeros_like(self) -> Self:
        """Zeros of the same shape and dtype."""
        return functions.zeros_like(self)

    def ones_like(self) -> Self:
        """Ones of the same shape and dtype."""
        return functions.ones_like(self)

    @or_legacy("shape", "reverse")
    def reshape(self, *shape: Any, order: str = "C") -> Self:
        """The same elements under another shape, one size may be -1; a view where NumPy gives one.

        What means nothing to NumPy are MXNet 1's codes, as of `nd.reshape`: `x.reshape((0, -1))`.
        """
        wanted = shape[0] if len(shape) == 1 else shape
        if _has_codes(self, wanted):
            return functions.legacy("reshape")(self, wanted)
        return functions.reshape(self, wanted, order=order)

    def reshape_like(self, other: Any) -> Self:
        """The same elements under the shape of `other`."""
        return functions.reshape(self, other.shape)

    def broadcast_like(self, other: Any) -> Self:
        """Stretched to the shape of `other`; a read-only view."""
        return functions.broadcast_to(self, other.shape)

    @or_legacy("axes")
    def transpose(self, *axes: Any) -> Self:
        """Axes permuted, reversed when none are given; a view."""
        if len(axes) == 1 and not isinstance(axes[0], int):
            axes = (axes[0],)
        return functions.transpose(self, (axes[0] if len(axes) == 1 else axes) if axes else None)

    def flatten(self, order: str = "C") -> Self:
        """All elements along one axis; a copy."""
        return functions.copy(functions.ravel(self, order=order))

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Self:
        """As another dtype; a copy, unless `copy` is false and nothing changes."""
        return functions.astype(self, dtype, copy=copy, casting=casting, order=order)

    def copy(self, order: str = "C") -> Self:
        """A copy that shares nothing."""
        return functions.copy(self, order)

    def copyto(self, other: Any) -> Any:
        """Write the elements to `other`, on whatever device, and return it; to a device, a copy there."""
        if not isinstance(other, Methods):
            return functions.copied_to(self, functions.as_device(other))
        target: Any = other
        target[...] = self
        return target

    def tostype(self, stype: str) -> Self:
        """A copy of a storage type: `default`, which is dense, `csr` or `row_sparse`."""
        return functions.tostype(self, stype)

    def detach(self) -> Self:
        """The same values, of which nothing is remembered for a backward pass."""
        return functions.detach(self)

    def attach_grad(self, grad_req: str = "write", stype: Any = None) -> None:
        """Ask for the gradient: `grad` is what the last backward pass says of this array; see `autograd`.

        Args:
            grad_req: `write`, `add` (passes add to what is there), or `null` (no gradient).
            stype: storage type of the gradient; only `default` (dense).
        """
        functions.attach_grad(self, grad_req, stype)

    def drop_grad(self) -> None:
        """No gradient is wanted any more."""
        functions.drop_grad(self)

    def backward(self, out_grad: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Compute the gradients of this array, or of its sum, with respect to all variables that it was recorded of.

        Args:
            out_grad: the gradient of this array; ones by default.
            retain_graph: keep what was recorded, for another pass.
            train_mode: whether layers called on the way behave as in training.
        """
        functions.backward(self, None if out_grad is None else [out_grad], retain_graph, train_mode)

    def as_np_ndarray(self) -> Self:
        """Itself: there is one array class."""
        return self

    def as_nd_ndarray(self) -> Self:
        """Itself: there is one array class."""
        return self

    def as_in_ctx(self, ctx: Any) -> Self:
        """Itself where it is on that device, else a copy there, to which gradients pass."""
        return functions.moved(self, ctx)

    def as_in_context(self, context: Any) -> Self:
        """Itself where it is on that device, else a copy there, to which gradients pass."""
        return functions.moved(self, context)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Self:
        """Itself where it is on that device, else a copy there; the CPU has no streams."""
        if stream is not None:
            raise ArgumentError("E303", f"to_device: the CPU has no streams, got {stream!r}", help="leave stream out")
        return functions.moved(self, device)

    def wait_to_read(self) -> None:
        """Return at once, while a function is captured: the values of its program are there when they are asked for."""
