# SPDX-License-Identifier: Apache-2.0
"""MXNet's `operator`: operations with a forward and a backward pass of the user's own, called by a registered name.

    class Sigmoid(operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], 1 / (1 + np.exp(-in_data[0])))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            y = out_data[0]
            self.assign(in_grad[0], req[0], out_grad[0] * y * (1 - y))

    @operator.register("my_sigmoid")
    class SigmoidProp(operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Sigmoid()

    y = nd.Custom(x, op_type="my_sigmoid")

`autograd.Function` is the shorter way to the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from hybridize.array import np
from hybridize.array.custom import CUSTOM
from hybridize.array.device import current_device
from hybridize.array.nd_array import like
from hybridize.array.operands import array, public
from hybridize.array.operators import Operators
from hybridize.array.staging import staging
from hybridize.autograd.function import Function
from hybridize.base import modes
from hybridize.base.dtypes import as_dtype
from hybridize.base.errors import ArgumentError, StateError, UndefinedError
from hybridize.base.names import refuses
from hybridize.base.participation import ReadPolicy
from hybridize.ops.op import capturing

_Prop = TypeVar("_Prop", bound=type["CustomOpProp"])
_PROPERTIES: dict[str, type[CustomOpProp]] = {}


class CustomOp:
    """Define the forward and the backward pass of an operation. A subclass defines both methods.

    >>> from hybridize import operator
    >>> class Square(operator.CustomOp):
    ...     def forward(self, is_train, req, in_data, out_data, aux):
    ...         self.assign(out_data[0], req[0], in_data[0] ** 2)
    """

    __hybridize_read__ = ReadPolicy.CONTENT

    def forward(self, is_train: bool, req: list[str], in_data: list[Any], out_data: list[Any], aux: list[Any]) -> None:
        """Write the results.

        Args:
            is_train: whether layers behave as in training.
            req: how to write each result; `assign` knows.
            in_data: the arguments.
            out_data: arrays for the results.
            aux: auxiliary states, which it may change.
        """
        raise UndefinedError("E328", f"{type(self).__name__} has no forward", help="define forward")

    def backward(
        self,
        req: list[str],
        out_grad: list[Any],
        in_data: list[Any],
        out_data: list[Any],
        in_grad: list[Any],
        aux: list[Any],
    ) -> None:
        """Write the gradients of the arguments; those that are not written are 0.

        Args:
            req: how to write each gradient; `assign` knows.
            out_grad: gradients of the results.
            in_data: the arguments.
            out_data: the results.
            in_grad: arrays for the gradients of the arguments.
            aux: auxiliary states.
        """
        raise UndefinedError("E328", f"{type(self).__name__} has no backward", help="define backward")

    def assign(self, dst: Any, req: str, src: Any) -> None:
        """Write `src` to `dst`: `write` and `inplace` replace what is there, `add` adds to it, `null` does nothing."""
        if req in ("write", "inplace"):
            dst[...] = src
        elif req == "add":
            dst[...] = dst + src
        elif req != "null":
            raise ArgumentError("E3007", f"req must be null, write, inplace or add, got {req!r}")


class CustomOpProp:
    """Describe an operation: the names, shapes and dtypes of its arrays. `create_operator` returns its `CustomOp`.

    Args:
        need_top_grad: whether the backward pass uses the gradients of the results; accepted, it always gets them.

    >>> from hybridize import operator
    >>> class SquareProp(operator.CustomOpProp):
    ...     def list_arguments(self):
    ...         return ["data"]
    >>> SquareProp().list_outputs()
    ['output']
    """

    __hybridize_read__ = ReadPolicy.CONTENT

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def list_arguments(self) -> list[str]:
        """Return the names of the arguments."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """Return the names of the results."""
        return ["output"]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of arrays that the operation may change. They come after the arguments."""
        return []

    def infer_shape(self, in_shape: list[Any]) -> Sequence[Any]:
        """Return the shapes of the arguments, the results and the auxiliary states, from those of the arguments."""
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type: list[Any]) -> Sequence[Any]:
        """Return the dtypes of the arguments, the results and the auxiliary states, from those of the arguments."""
        return self._of_all(in_type, in_type[0])

    def infer_storage_type(self, in_stype: list[str]) -> Sequence[Any]:
        """Return the storage types: all are dense."""
        return self._of_all(in_stype, "default")

    def _of_all(self, arguments: list[Any], one: Any) -> Sequence[Any]:
        return arguments, [one] * len(self.list_outputs()), [one] * len(self.list_auxiliary_states())

    def declare_backward_dependency(self, out_grad: list[int], in_data: list[int], out_data: list[int]) -> list[int]:
        """Return the numbers of the arrays that the backward pass reads. Accepted for MXNet: it gets all of them."""
        return [*(out_grad if self.need_top_grad_ else ()), *in_data, *out_data]

    def create_operator(self, ctx: Any, in_shapes: list[Any], in_dtypes: list[Any]) -> CustomOp:
        """Return the operation for arguments of some shapes and dtypes. A subclass defines it."""
        return CustomOp()


def register(reg_name: str) -> Callable[[_Prop], _Prop]:
    """Register the operation of a `CustomOpProp` under a name. Use it as a class decorator.

    Args:
        reg_name: the name, which `nd.Custom` takes as `op_type`.

    >>> from hybridize import np, operator
    >>> class Double(operator.CustomOp):
    ...     def forward(self, is_train, req, in_data, out_data, aux):
    ...         self.assign(out_data[0], req[0], in_data[0] * 2)
    >>> @operator.register("double")
    ... class DoubleProp(operator.CustomOpProp):
    ...     def create_operator(self, ctx, shapes, dtypes):
    ...         return Double()
    >>> operator.Custom(np.ones(2), op_type="double")
    array([2., 2.])
    """

    def add(prop: _Prop) -> _Prop:
        _PROPERTIES[reg_name] = prop
        return prop

    return add


def get_all_registered_operators() -> list[str]:
    """Return the names of all registered operations.

    >>> from hybridize import operator
    >>> isinstance(operator.get_all_registered_operators(), list)
    True
    """
    return list(_PROPERTIES)


class _CustomOperation(Function):
    """One call of a custom operation."""

    is_of_one_call = True

    def __init__(self, op: CustomOp, results: list[tuple[Any, Any]], aux: list[Any]) -> None:
        self._op, self._results, self._aux = op, results, aux

    def forward(self, *inputs: Any) -> Any:
        out_data = [self._new(inputs, shape, dtype) for shape, dtype in self._results]
        forward = _followed(self._op.forward)
        forward(modes.is_training(), ["write"] * len(out_data), list(inputs), out_data, self._aux)
        self.save_for_backward(*inputs, *out_data)
        return out_data if len(out_data) > 1 else out_data[0]

    @staticmethod
    def _new(inputs: Sequence[Any], shape: Any, dtype: Any) -> Any:
        """An array that the operation writes, an NDArray where its inputs are."""
        zeros = np.zeros(shape, dtype)
        return like(inputs[0], zeros) if inputs else zeros

    def backward(self, *output_grads: Any) -> Any:
        arrays = list(self.saved_tensors)
        in_data, out_data = arrays[: -len(self._results)], arrays[-len(self._results) :]
        in_grad = [self._new(in_data, x.shape, x.dtype) for x in in_data]
        backward = _followed(self._op.backward)
        backward(["write"] * len(in_grad), list(output_grads), in_data, out_data, in_grad, self._aux)
        return in_grad if len(in_grad) > 1 else in_grad[0]


def _followed(method: Callable[..., None]) -> Callable[..., None]:
    """A method of the user's, as it is run: converted, where a program is being made of it."""
    return staging().convert(method) if capturing() else method


@partial(public, takes_nd=True)  # what it calls is the user's
def Custom(*data: Any, op_type: str, name: str | None = None, **kwargs: Any) -> Any:  # noqa: N802 - MXNet's name
    """Call an operation that was registered.

    Args:
        data: its arguments, and its auxiliary states behind them; also by their names.
        op_type: the name by which it was registered.
        name: accepted.
        kwargs: arguments of the constructor of its `CustomOpProp`, as strings, which is how MXNet gives them.

    Returns:
        The result, or a list of them.

    Raises:
        ArgumentError E3007: there is no such operation, or it takes other arguments.
        StateError E545: one with auxiliary states is called inside of a compiled function.

    >>> from hybridize import np, operator
    >>> class Half(operator.CustomOp):
    ...     def forward(self, is_train, req, in_data, out_data, aux):
    ...         self.assign(out_data[0], req[0], in_data[0] / 2)
    >>> @operator.register("half")
    ... class HalfProp(operator.CustomOpProp):
    ...     def create_operator(self, ctx, shapes, dtypes):
    ...         return Half()
    >>> operator.Custom(np.ones(2), op_type="half")
    array([0.5, 0.5])
    """
    if op_type not in _PROPERTIES:
        known = ", ".join(map(repr, _PROPERTIES)) or "none"
        text = f"no custom operation is called {op_type!r}"
        raise ArgumentError("E3007", text, help=f"register it with @operator.register(name); available: {known}")
    prop, arrays = _prepared(op_type, list(data), kwargs)
    count = len(prop.list_arguments())
    if capturing() and prop.list_auxiliary_states():
        text = f"{op_type!r} has auxiliary states, which it cannot change inside of a compiled function"
        raise StateError("E545", text, help="return them as results, or call it outside the compiled function")
    inputs = [x if isinstance(x, Operators) else array(x) for x in arrays]
    shapes, dtypes = [list(x.shape) for x in inputs[:count]], [x.dtype for x in inputs[:count]]
    out_shapes = list(prop.infer_shape(shapes)[1])
    out_types = list(prop.infer_type(list(dtypes))[1])
    wanted = len(prop.list_outputs())
    if len(out_shapes) != wanted or len(out_types) != wanted:
        text = f"{op_type!r} has {wanted} results, got {len(out_shapes)} shapes and {len(out_types)} dtypes for them"
        raise ArgumentError("E3007", text, help="infer_shape and infer_type must return one entry for each")
    op = prop.create_operator(current_device(), shapes, dtypes)
    results = [(tuple(shape), as_dtype(dtype)) for shape, dtype in zip(out_shapes, out_types, strict=True)]
    return _CustomOperation(op, results, inputs[count:])(*inputs[:count])


def _prepared(op_type: str, data: list[Any], kwargs: dict[str, Any]) -> tuple[CustomOpProp, list[Any]]:
    """Make the property object, and put arrays in the order of its names."""
    settings: dict[str, Any] = {key: str(value) for key, value in kwargs.items() if not _is_array(value)}
    prop = _PROPERTIES[op_type](**settings)
    names = [*prop.list_arguments(), *prop.list_auxiliary_states()]
    by_name = {key: value for key, value in kwargs.items() if _is_array(value)}
    for key in by_name:
        if key not in names[len(data) :]:
            raise ArgumentError("E3007", f"{op_type!r} takes no argument {key!r}", help=f"its names are {names}")
    arrays = [*data, *(by_name[name] for name in names[len(data) :] if name in by_name)]
    if len(arrays) != len(names):
        text = f"{op_type!r} takes {len(names)} arrays, {', '.join(names)}, got {len(arrays)}"
        raise ArgumentError("E3007", text)
    return prop, arrays


def _is_array(value: Any) -> bool:
    return hasattr(value, "__hybridize_function__") or hasattr(value, "shape")


CUSTOM.fill(Custom)
__getattr__: Callable[[str], Any] = refuses(__name__, globals(), instead={
    "NumpyOp": "CustomOp, or autograd.Function", "NDArrayOp": "CustomOp, or autograd.Function",
    "PythonOp": "CustomOp, or autograd.Function",
})  # fmt: skip
