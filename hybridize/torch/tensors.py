# SPDX-License-Identifier: Apache-2.0
"""`TracedTensor`: a tensor of a program while a module is captured, as PyTorch's users know tensors.

It is a tensor to torch, of a class that has `__torch_function__` and nothing else: whatever is done with it arrives in
`functions.calling`, by torch's own functions and by its methods and operators, which do not ask torch first, so that
sizes that only a call knows come through. There is no memory behind it.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import torch

from hybridize.array import layouts
from hybridize.array.symbol import Symbol
from hybridize.base.dims import is_symbolic, product
from hybridize.base.dtypes import is_float
from hybridize.base.errors import CaptureError
from hybridize.base.faces import Face, FaceTuple
from hybridize.capture.control.truth import refusal
from hybridize.capture.trace.recording import active_trace, current_trace
from hybridize.contract.places import Attribute, static
from hybridize.torch.internals import as_class, as_torch
from hybridize.torch.memory import device_of_call, tensor_of

with torch.inference_mode(False):  # this module may be loaded by a call within it
    _NOTHING = torch.empty(0, device="meta")
"""The memory of every tensor of a program, to code that does not ask: none."""
_GRAD: Any = torch.Tensor.grad
_DATA: Any = torch.Tensor.data
_IS_LEAF: Any = torch.Tensor.is_leaf
_REQUIRES_GRAD: Any = torch.Tensor.requires_grad
_GRAD_FN: Any = torch.Tensor.grad_fn
_STATE = frozenset({"array", "of", "_later", "_is_param"})
"""Attributes of a tensor of a program that are not the user's."""


class TensorSizes(FaceTuple):
    """The sizes of a tensor, some of which only a call knows."""

    __slots__ = ()

    @classmethod
    def made(cls, numbers: Sequence[Any]) -> Any:
        """Return sizes of the program that is being captured; of a call, as torch has them."""
        return cls.shown(tuple(numbers)) if current_trace() is None else cls(numbers)

    @classmethod
    def shown(cls, numbers: tuple[Any, ...]) -> Any:
        """Return the sizes of a call."""
        return torch.Size(numbers)

    def __add__(self, other: Any) -> Any:
        return sizes((*self, *other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return sizes((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __getitem__(self, index: Any) -> Any:
        item = super().__getitem__(index)
        return sizes(item) if isinstance(index, slice) else item

    def numel(self) -> int:
        """The number of elements."""
        return product(self)


def sizes(shape: tuple[int, ...]) -> Any:
    """Return sizes as torch gives them: a `torch.Size` where all are known."""
    return TensorSizes(shape) if any(map(is_symbolic, shape)) else torch.Size(shape)


SIZES: Final = {torch.Size: TensorSizes}
"""The `faces` that `nested.flatten` is given, to keep the class of sizes."""


def _refusing(what: str, help: str = "keep it a tensor: torch computes with it when the program runs") -> Any:
    """Return a method that needs values or memory, which there are none of while capturing."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise refusal("E401", f"{what} of a captured tensor: a captured tensor has no value", help=help)

    return method


def _always(value: Any) -> Any:
    """Return a method that gives the same of every tensor of a program."""
    return lambda self, device=None: value


class TracedTensor(Face, torch.Tensor):
    """A tensor of a program that is being captured."""

    array: Any
    """The symbol that stands for it."""
    of: torch.Tensor | None
    """The tensor from outside that it is; None for all that the program makes."""

    def __new__(cls, array: Any, of: torch.Tensor | None = None) -> Self:
        """Make the face of a symbol."""
        face: Self = as_class(cls, _NOTHING, True)  # so that what C++ makes a part of a graph has a node
        return face

    def __init__(self, array: Any, of: torch.Tensor | None = None) -> None:
        vars(self).update(array=array, of=of)
        if isinstance(of, torch.nn.Parameter):
            self._is_param = True  # so that it is an instance of `torch.nn.Parameter`

    @classmethod
    def later(cls, array: Callable[[], Any], of: torch.Tensor) -> Self:
        """Make the face of a tensor from outside whose symbol is asked for when it is first needed."""
        face: Any = cls(None, of)
        del face.array
        face._later = array
        return face  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        """Give the symbol of a face that was made without: all else that is asked for in vain is not there."""
        if name == "array" and (later := vars(self).get("_later")) is not None:
            self.array = later()
            return self.array
        trace = current_trace()
        if trace is not None and name[:2] != "__":
            of = trace.root.library.keeper(trace, self)  # type: ignore[union-attr]
            if of is not None and name in vars(of):  # what the user has put there
                return trace.root.world.read(Attribute(of, name), vars(of)[name], name)
            if of is not None:
                trace.root.world.read_absent(of, name, own=True)
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; of an argument, one of the user's is the caller's tensor's."""
        if name not in _STATE and not hasattr(static(type(self), name), "__set__"):
            trace = current_trace()
            if trace is not None:
                trace.root.library.keeper(trace, self, sets=True)  # type: ignore[union-attr]
        super().__setattr__(name, value)

    def check_attributes(self) -> None:
        """See that the program sets no attribute of a tensor that it gives.

        Raises:
            CaptureError E422: it does: what calls give are other tensors.
        """
        names = [name for name in vars(self) if name not in _STATE]
        trace = current_trace()
        if names and trace is not None:
            raise trace.refusal(
                "E422",
                f"the attribute {names[0]!r} is set on a tensor that the call returns",
                help="return the value next to the tensor, and set the attribute outside",
            )

    @classmethod
    def made(cls, array: Any) -> Any:
        """Return the face of a symbol; of an array that a call has made, the tensor."""
        return cls(array) if type(array) is Symbol else cls.shown(array)

    @classmethod
    def shown(cls, array: Any) -> Any:
        """Return an array of ours as a tensor over the same memory."""
        return array if isinstance(array, torch.Tensor) else tensor_of(array)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _apply(func, args, kwargs or {})

    def check(self) -> None:
        """See that the tensor is no result of a `torch.autograd.Function` that nobody has followed.

        Raises:
            CaptureError E420: it is one.
        """
        with as_torch():
            node = _GRAD_FN.__get__(self)
        trace = current_trace()
        if node is not None and trace is not None:
            name = node.name().removesuffix("Backward")
            raise trace.refusal(
                "E420",
                f"{name}.apply() is called by code that is not captured, so its gradient would be lost",
                help=f"call {name}.apply() in the module itself; or hybridize.torch.island(...) runs a part of it "
                "in PyTorch",
            )

    # ------------------------------------------------------------------------------------------ what a tensor says

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class of the tensor that it stands for: users ask `isinstance` and `type`."""
        return torch.Tensor if self.of is None else type(self.of)

    def is_a(self, kind: Any) -> bool:
        """Tell whether the tensor is of a class; `torch.FloatTensor` and its like say so by names."""
        if type(kind) is type(torch.FloatTensor):
            return bool(self.type() == f"{kind.__module__}.{kind.__name__}")
        return isinstance(self, kind)

    @property
    def shape(self) -> Any:  # type: ignore[override]
        """TensorSizes of the axes."""
        return sizes(self.array.shape)

    @property
    def dtype(self) -> torch.dtype:  # type: ignore[override]
        """Element type."""
        kind = self.array.dtype
        dtype: torch.dtype = getattr(torch, "bool" if kind.kind == "b" else kind.name)
        return dtype

    @property
    def ndim(self) -> int:  # type: ignore[override]
        """Number of axes."""
        return len(self.array.shape)

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        """The device on which the program runs."""
        return device_of_call()

    @property
    def is_cuda(self) -> bool:  # type: ignore[override]
        """Tell whether the program runs on a GPU."""
        return device_of_call().type == "cuda"

    @property
    def is_cpu(self) -> bool:  # type: ignore[override]
        """Tell whether the program runs on the CPU."""
        return device_of_call().type == "cpu"

    layout = torch.strided
    is_sparse = is_quantized = is_meta = is_mkldnn = is_nested = is_mps = is_xla = is_xpu = is_vulkan = False
    is_ipu = is_hpu = is_mtia = is_maia = is_ort = is_sparse_csr = False
    names = None

    @property
    def itemsize(self) -> int:  # type: ignore[override]
        """Bytes of an element."""
        return int(self.array.dtype.itemsize)

    @property
    def nbytes(self) -> int:  # type: ignore[override]
        """Bytes of all elements."""
        return self.numel() * self.itemsize

    @property
    def requires_grad(self) -> bool:
        """True if a gradient goes through it."""
        trace = current_trace()
        if trace is None or trace.root.library is None:
            return False
        return trace.root.library.requires_grad(trace, self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        _apply(_REQUIRES_GRAD.__set__, (self, value), {})

    @property
    def grad(self) -> Any:
        """Its gradient, as backward passes of the program have left it."""
        return _apply(_GRAD.__get__, (self,), {})

    @grad.setter
    def grad(self, value: Any) -> None:
        _apply(_GRAD.__set__, (self, value), {})

    @grad.deleter
    def grad(self) -> None:
        _apply(_GRAD.__delete__, (self,), {})

    @property
    def is_leaf(self) -> bool:  # type: ignore[override]
        """True if no function of the program made it, or no gradient goes through it."""
        return bool(_apply(_IS_LEAF.__get__, (self,), {}))

    @property
    def data(self) -> Any:
        """The same elements without a history."""
        return self.detach()

    @data.setter
    def data(self, value: Any) -> None:
        _apply(_DATA.__set__, (self, value), {})

    @property
    def T(self) -> Any:  # type: ignore[override]  # noqa: N802
        """The axes in reverse."""
        return self.permute(*reversed(range(self.ndim)))

    @property
    def mT(self) -> Any:  # type: ignore[override]  # noqa: N802
        """The last two axes exchanged."""
        return self.transpose(-2, -1)

    H = T
    mH = mT  # noqa: N815

    @property
    def real(self) -> Any:  # type: ignore[override]
        """Itself: there are no complex tensors in programs."""
        return self

    def dim(self) -> int:
        """Return the number of axes."""
        return self.ndim

    ndimension = dim

    def size(self, dim: int | None = None) -> Any:
        """Return the sizes, or that of an axis."""
        shape = self.array.shape
        if dim is None:
            return sizes(shape)
        if not -max(len(shape), 1) <= dim < max(len(shape), 1):
            text = f"expected to be in range of [{-max(len(shape), 1)}, {max(len(shape), 1) - 1}], but got {dim}"
            raise IndexError(f"Dimension out of range ({text})")
        return shape[dim]

    def numel(self) -> int:
        """Return the number of elements."""
        return TensorSizes(self.array.shape).numel()

    nelement = numel

    def element_size(self) -> int:
        """Return the bytes of an element."""
        return self.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Return the elements between one and the next along each axis, or one."""
        steps = self.array.steps_told()
        return tuple(steps) if dim is None else steps[dim]

    def is_contiguous(self, memory_format: Any = torch.contiguous_format) -> bool:
        """Tell whether the elements lie row by row."""
        if memory_format is not torch.contiguous_format:
            return False
        return layouts.lies_by_rows(self.array.shape, self.array.steps_between())

    def is_floating_point(self) -> bool:
        """Tell whether the elements are floats."""
        return is_float(self.array.dtype)

    is_complex: ClassVar[Any]
    is_complex = is_shared = is_pinned = _always(False)

    def get_device(self) -> int:
        """Return the number of the GPU on which the program runs; -1 on the CPU."""
        index = device_of_call().index
        return -1 if index is None else index

    def is_signed(self) -> bool:
        """Tell whether elements may be negative."""
        return bool(self.array.dtype.kind not in "bu")

    def is_inference(self) -> bool:
        """Tell whether it was made in inference mode; refused of all that a call has or makes."""
        if self.of is not None:
            return self.of.is_inference()
        raise refusal("E420", "is_inference() of a tensor of a program", help="use torch.is_inference_mode_enabled()")

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the class and dtype, or the tensor in another dtype."""
        if dtype is None:
            return f"torch.{_TYPE_NAMES.get(self.dtype, 'Float')}Tensor"
        if isinstance(dtype, str):
            dtype = next(one for one, name in _TYPE_NAMES.items() if dtype == f"torch.{name}Tensor")
        return self.to(dtype)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self.array.shape[0]  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, value: Any) -> Any:
        equal: Any = self == value
        if not isinstance(equal, Face):
            kind = type(value)
            raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {kind}.")
        return equal.any()  # type: ignore[attr-defined]

    if not TYPE_CHECKING:
        __hash__ = object.__hash__

    # ------------------------------------------------------------------------------------------ Python's own values

    def __bool__(self) -> bool:
        if self.numel() != 1:
            many = "more than one value" if self.numel() else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
        return bool(self.array.__bool__())

    def __int__(self) -> int:
        return int(self._python(int))

    def __float__(self) -> float:
        return float(self._python(float))

    def __index__(self) -> int:
        return self.array.__index__()  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        return complex(self._python(float))

    def item(self) -> Any:
        """Return the one element as a number of the program."""
        return self._python(None)

    def _python(self, kind: Any) -> Any:
        trace = active_trace()
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return trace.root.library.number(self, kind)  # type: ignore[union-attr]

    def tolist(self) -> Any:
        """Return the elements as numbers of the program, in lists."""
        if not self.ndim:
            return self.item()
        return [part.tolist() for part in self.unbind(0)]

    numpy: ClassVar[Any] = _refusing("numpy()")
    __array__: ClassVar[Any] = _refusing("numpy.asarray()")
    __dlpack__: ClassVar[Any] = _refusing("__dlpack__()")
    __reduce_ex__: ClassVar[Any] = _refusing("pickle")
    data_ptr: ClassVar[Any] = _refusing("data_ptr()")
    untyped_storage: ClassVar[Any]
    untyped_storage = storage = typed_storage = _refusing("untyped_storage()")
    storage_offset: ClassVar[Any] = _refusing("storage_offset()")
    is_set_to: ClassVar[Any] = _refusing("is_set_to()")
    share_memory_: ClassVar[Any] = _refusing("share_memory_()")
    register_hook: ClassVar[Any] = _refusing("register_hook()", "register it outside, on an argument or a result")
    register_post_accumulate_grad_hook = register_hook
    retain_grad: ClassVar[Any] = _refusing("retain_grad()", "return the tensor")

    def __deepcopy__(self, memo: Any) -> Any:
        return self.clone()

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"<tensor {self.array.type}>"

    def __str__(self) -> str:
        return str(self.array)

    def __format__(self, spec: str) -> str:
        return format(self.array, spec)


_TYPE_NAMES = {
    torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16",
    torch.int64: "Long", torch.int32: "Int", torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte",
    torch.bool: "Bool",
}  # fmt: skip


def _apply(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    trace = current_trace()
    if trace is None or trace.root.library is None:
        raise CaptureError(
            "E410",
            "a captured tensor is used after the end of the capture that created it",
            help="return the tensor from the module instead of storing it elsewhere",
        )
    return trace.root.library.apply(trace, function, args, kwargs)


def _method(name: str) -> Callable[..., Any]:
    of_torch = getattr(torch.Tensor, name)

    @functools.wraps(of_torch, assigned=("__name__", "__qualname__"))
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _apply(of_torch, (self, *args), kwargs)

    return method


TracedTensor.__name__ = "Tensor"  # torch's and Python's own errors name the class


def is_traced(value: Any) -> bool:
    """Tell whether a value is a tensor of a program that is captured."""
    return type(value) is TracedTensor


_CLASS_MEMBERS = frozenset({
    "__class__", "__new__", "__init__", "__init_subclass__", "__subclasshook__", "__getattribute__", "__setattr__",
    "__delattr__", "__dir__", "__reduce__", "__setstate__", "__sizeof__", "__doc__", "__dict__", "__module__",
    "__weakref__", "__getstate__", "__torch_function__", "__torch_dispatch__", "_make_subclass",
    "_make_wrapper_subclass", "_make_dtensor", "as_subclass", "__hash__", "__class_getitem__",
})  # fmt: skip
"""Members of torch's class that are not methods of tensors."""
OWN = frozenset(name for name, member in vars(TracedTensor).items() if isinstance(member, types.FunctionType))
"""Methods that tensors of programs have themselves."""
for _name in dir(torch.Tensor):
    _member = getattr(torch.Tensor, _name)
    if (
        callable(_member)
        and _name not in _CLASS_MEMBERS
        and _name not in vars(TracedTensor)
        and not isinstance(_member, type)
    ):
        setattr(TracedTensor, _name, _method(_name))
