# SPDX-License-Identifier: Apache-2.0
"""NumPy's and MXNet's methods of arrays, and the table of functions behind them.

A method says only which function it is; the functions come from `functions`, which the package fills once when all of
its modules are there. So the classes know no function, and every function knows the classes. Where the arguments are
the same the method is the function itself: tables list such names, and `docs/make.py` writes `methods.pyi` from them.

Methods that NumPy has mean what NumPy means, but of arrays of `nd` (`nd_array`). Where a keyword is of MXNet 1 alone,
or what is given means nothing to NumPy, it is MXNet 1's method: the function of `nd` of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Self, TypeVar

from hybridize.base.elsewhere import lacks
from hybridize.base.errors import ArgumentError, HybridizeError
from hybridize.base.hooks import Hooks
from hybridize.base.tracebacks import is_misfit, leaves, misfit, trim

functions = Hooks()
"""The public functions by name, as `hybridize.np` has them, and a few more; filled by `hybridize.array`."""

_Method = TypeVar("_Method", bound=Callable[..., Any])


def or_legacy(*keywords: str) -> Callable[[_Method], _Method]:
    """Make a method that is MXNet 1's where one of these keywords is given, which NumPy's has not."""

    def decorated(method: Any) -> Any:
        @wraps(method)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                if kwargs and not kwargs.keys().isdisjoint(keywords):
                    return functions.legacy(method.__name__)(self, *args, **kwargs)
                return method(self, *args, **kwargs)
            except HybridizeError as error:
                trim(error)
                raise
            except TypeError as error:
                if not is_misfit(error):
                    raise
                try:
                    raise misfit(method, (self, *args), error) from None
                except HybridizeError as objection:
                    trim(objection)
                    raise

        return call

    return decorated


def _has_codes(x: Any, shape: Any) -> bool:
    """Tell whether a shape is of MXNet 1's codes: a size below -1, or 0 for an array that has elements."""
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    numbers = [size for size in sizes if type(size) is int]  # a size that only calls know is no code
    if any(size < -1 for size in numbers):
        return True
    return 0 in numbers and not any(type(size) is int and size == 0 for size in x.shape)


_OF_NUMPY = (
    "abs all any arccos arccosh arcsin arcsinh arctan arctanh argmax argmin argpartition argsort attach_grad "
    "broadcast_to cbrt ceil choose clip conj conjugate cos cosh cumprod cumsum degrees detach diagonal dot drop_grad "
    "exp expand_dims expm1 fix flip floor log log10 log1p log2 max mean min nonzero one_hot ones_like pick prod "
    "radians ravel reciprocal relu repeat rint round searchsorted sigmoid sign sin sinh split sqrt square squeeze std "
    "sum swapaxes take tan tanh tile topk tostype trace trunc var zeros_like"
)
_OF_MXNET = (
    "argmax_channel broadcast_axes depth_to_space diag nanprod nansum norm pad rcbrt reshape_like rsqrt shape_array "
    "size_array "
    "slice slice_axis slice_like softmin space_to_depth split_v2"
)
_KEYWORDS = {
    **dict.fromkeys(("max", "mean", "min", "prod", "sum"), ("exclude",)), "argsort": ("is_ascend", "dtype"),
    "clip": ("a_min", "a_max"), "expand_dims": ("inplace",), "split": ("num_outputs", "squeeze_axis"),
    "squeeze": ("inplace",), "swapaxes": ("dim1", "dim2"),
}  # fmt: skip
"""Keywords of MXNet 1's, by methods that are NumPy's without them."""


_OTHERS = {
    "numpy": "x.asnumpy()", "cpu": "x.to('cpu')", "cuda": "x.to('gpu')",
    "unsqueeze": "np.expand_dims(x, axis)", "permute": "x.transpose(axes)", "requires_grad_": "x.attach_grad()",
    "requires_grad": "x.attach_grad()", "contiguous": "np.ascontiguousarray(x)", "float": "x.astype('float32')",
    "double": "x.astype('float64')", "long": "x.astype('int64')", "int": "x.astype('int32')",
    "bool": "x.astype(bool)", "clone": "x.copy()", "numel": "x.size", "dim": "x.ndim", "mm": "x @ y",
    "add_": "x += y", "mul_": "x *= y", "zero_": "x[:] = 0", "fill_": "x.fill(value)",
    "masked_fill": "np.where(mask, value, x)",
    "scatter_add_": "npx.index_add(x, indices, values)", "expand": "np.broadcast_to(x, shape)",
}  # fmt: skip
"""Attributes of PyTorch's and TensorFlow's tensors, and what stands for them here."""


class Forwarded:
    """A method that is the function of `np`, or of `nd`, of its name: it is put into the class when first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        name = self._name
        if name in _KEYWORDS:  # its text is copied, so `np` must have put it there
            method = or_legacy(*_KEYWORDS[name])(getattr(functions.np, name))
        else:
            method = functions.legacy(name) if name in _OF_MXNET.split() else getattr(functions, name)
        setattr(Methods, name, method)
        return getattr(owner if instance is None else instance, name)


class Methods:
    """Methods that are functions of the array, for `ndarray` and `Symbol`; those of the tables are in `methods.pyi`."""

    __slots__ = ()

    @leaves
    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Self:
        """Return the slices along an axis where a condition is true. Imperative only: data decide the size.

        >>> np.array([1, 2, 3]).compress([True, False, True])
        array([1., 3.])
        """
        return functions.compress(condition, self, axis=axis, out=out)

    @leaves
    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Write values to elements of the flat array, in place.

        >>> x = np.array([1, 2, 3])
        >>> x.put([0, 2], [8, 9])
        >>> x
        array([8., 2., 9.])
        """
        functions.put(self, indices, values, mode=mode)

    @or_legacy("length", "use_length", "dtype")
    def softmax(self, axis: int = -1, temperature: float | None = None) -> Self:
        """Return exp(x) / sum(exp(x)) along an axis; see `npx.softmax`.

        >>> np.array([0, 0]).softmax()
        array([0.5, 0.5])
        """
        return functions.softmax(self, axis=axis, temperature=temperature)

    @or_legacy("use_length", "dtype")
    def log_softmax(self, axis: int = -1, temperature: float | None = None) -> Self:
        """Return the logarithm of the softmax along an axis; see `npx.log_softmax`.

        >>> np.array([0, 0]).log_softmax().round(4)
        array([-0.6931, -0.6931])
        """
        return functions.log_softmax(self, axis=axis, temperature=temperature)

    @or_legacy("shape", "reverse", "target_shape")
    def reshape(self, *shape: Any, order: str = "C") -> Self:
        """Return the same elements under another shape; one size may be -1. A view where NumPy gives one.

        What means nothing to NumPy are MXNet 1's codes, as of `nd.reshape`: `x.reshape((0, -1))`.

        >>> np.arange(6).reshape(2, -1)
        array([[0., 1., 2.],
               [3., 4., 5.]])
        >>> np.arange(6).reshape((3, 2)).shape
        (3, 2)
        """
        wanted = shape[0] if len(shape) == 1 else shape
        if _has_codes(self, wanted):
            return functions.legacy("reshape")(self, wanted)
        return functions.reshape(self, wanted, order=order)

    @leaves
    def broadcast_like(self, other: Any, lhs_axes: Any = None, rhs_axes: Any = None) -> Self:
        """Return the array stretched to the shape of another one, or along some axes to sizes of it; a read-only view.

        Args:
            other: the other array.
            lhs_axes: axes of this array.
            rhs_axes: axes of the other one, in the same order.

        >>> np.array([1, 2]).broadcast_like(np.ones((2, 2)))
        array([[1., 2.],
               [1., 2.]])
        """
        return functions.legacy("broadcast_like")(self, other, lhs_axes, rhs_axes)

    @or_legacy("axes")
    def transpose(self, *axes: Any) -> Self:
        """Permute the axes; reverse them, where you pass none; a view.

        >>> np.ones((2, 3, 4)).transpose(2, 0, 1).shape
        (4, 2, 3)
        """
        if len(axes) == 1 and not isinstance(axes[0], int):
            axes = (axes[0],)
        return functions.transpose(self, (axes[0] if len(axes) == 1 else axes) if axes else None)

    @leaves
    def flatten(self, order: str = "C", inplace: bool | None = None) -> Self:
        """Return all elements along one axis, as a copy. With MXNet 1's keyword `inplace` it is `nd.flatten`.

        >>> np.array([[1, 2], [3, 4]]).flatten()
        array([1., 2., 3., 4.])
        """
        if inplace is not None:
            return functions.legacy("flatten")(self)
        return functions.copy(functions.ravel(self, order=order))

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Self:
        """Return the array cast to a dtype, or to that of another array; a copy, unless `copy` is False and nothing
        changes.

        Args:
            dtype: a dtype, or an array.
            order: has no effect on the values: `K`, `C`, `F` or `A`.
            casting: the casts that are allowed.
            subok: has no effect.
            copy: False: the array itself, if it has the dtype.

        >>> np.array([1.7, -2.7]).astype("int32")
        array([ 1, -2], dtype=int32)
        """
        try:
            dtype = dtype.dtype if isinstance(dtype, Methods) else dtype
            return functions.astype(self, dtype, copy=copy, casting=casting, order=order)
        except HybridizeError as error:
            trim(error)
            raise

    @leaves
    def copy(self, order: str = "C") -> Self:
        """Return a copy that shares no memory with the array.

        >>> x = np.zeros(2)
        >>> x.copy() is x
        False
        """
        return functions.copy(self, order)

    @leaves
    def copyto(self, other: Any) -> Any:
        """Write the elements to another array and return it; to a device, return a copy there.

        >>> y = np.zeros(2)
        >>> np.array([1, 2]).copyto(y)
        array([1., 2.])
        >>> y
        array([1., 2.])
        """
        if not isinstance(other, Methods):
            return functions.copied_to(self, functions.as_device(other))
        target: Any = other
        target[...] = self
        return target

    @leaves
    def backward(self, out_grad: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Compute the gradients of the array, or of its sum, with respect to all variables that it depends on.

        Args:
            out_grad: the gradient of this array; ones by default.
            retain_graph: keep what was recorded, for another pass.
            train_mode: whether layers called on the way behave as in training.

        >>> x = np.array([1, 2])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x**3
        >>> y.backward()
        >>> x.grad
        array([ 3., 12.])
        """
        functions.backward(self, None if out_grad is None else [out_grad], retain_graph, train_mode)

    @leaves
    def as_np_ndarray(self) -> Self:
        """Return an array over the same memory with NumPy's operators and methods; itself, unless it is an NDArray.

        >>> x = nd.array([1, 2])
        >>> x.as_np_ndarray() > 1
        array([False,  True])
        """
        return functions.plain(self)

    @leaves
    def as_nd_ndarray(self) -> Self:
        """Return an array over the same memory with MXNet 1's operators and methods, an NDArray.

        >>> type(np.ones(2).as_nd_ndarray()).__name__
        'NDArray'
        """
        return functions.as_nd(self)

    @leaves
    def as_in_ctx(self, ctx: Any) -> Self:
        """Return a copy of the array on a device, or the array itself if it is there; gradients pass through.

        >>> x = np.ones(2)
        >>> x.as_in_ctx(npx.cpu()) is x
        True
        """
        return functions.moved(self, ctx)

    @leaves
    def as_in_context(self, context: Any) -> Self:
        """Return a copy of the array on a device, or the array itself if it is there; gradients pass through.

        >>> x = np.ones(2)
        >>> x.as_in_context(npx.cpu()) is x
        True
        """
        return functions.moved(self, context)

    @leaves
    def to(self, device: Any) -> Self:
        """Return a copy of the array on a device, or the array itself if it is there; gradients pass through.

        Args:
            device: `cpu()`, `gpu(0)`, or text such as `"cpu"` or `"gpu:0"`.

        Raises:
            ArgumentError E300: a dtype, or anything else that is no device.
            DeviceError E701: the device is not there.

        >>> x = np.ones(2)
        >>> x.to("cpu") is x
        True
        """
        name = str(device)
        if not name.startswith(("cpu", "gpu")):
            help = "use gpu(0)" if name.startswith("cuda") else "x.astype(dtype) changes the type"
            raise ArgumentError("E300", f"to() takes a device, got {device!r}", help=help)
        return functions.moved(self, device)

    @leaves
    def to_device(self, device: Any, /, *, stream: Any = None) -> Self:
        """Return a copy of the array on a device, or the array itself if it is there; `stream` has to be None.

        >>> x = np.ones(2)
        >>> x.to_device(x.device) is x
        True
        """
        if stream is not None:
            raise ArgumentError("E303", f"to_device takes no stream, got {stream!r}", help="leave stream out")
        return functions.moved(self, device)

    def wait_to_read(self) -> None:
        """Return at once: an expression has nothing to wait for.

        >>> sym.var("a").wait_to_read()
        """


for _name in f"{_OF_NUMPY} {_OF_MXNET}".split():
    setattr(Methods, _name, Forwarded(_name))


lacks(Methods, _OTHERS)
