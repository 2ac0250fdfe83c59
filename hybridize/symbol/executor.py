# SPDX-License-Identifier: Apache-2.0
"""`Executor`: an expression with arrays for its variables and for their gradients, as MXNet binds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridize import autograd
from hybridize.array import np
from hybridize.array.device import current_device
from hybridize.array.nd_array import as_nd
from hybridize.array.ndarray import history, ndarray
from hybridize.base.errors import StateError, ValueArgumentError
from hybridize.base.nested import listed
from hybridize.symbol.expression import Expression


class Executor:
    """Run an expression on arrays of its own. `expression.bind(...)` returns it.

    Args:
        expression: what to run.
        arrays: for all of its variables, by name.
        gradients: where gradients go, by name, those of others being left out; None: they are made.
        grad_req: `write`, `add` or `null`, for all arguments or for each, in order or by name.
        ctx: the device of the arrays.

    >>> from hybridize import np, sym
    >>> x = sym.Variable("x")
    >>> executor = (x * 2).bind(args={"x": np.array([3.0])})
    >>> executor.forward()[0].asnumpy()
    array([6.], dtype=float32)
    """

    def __init__(
        self,
        expression: Expression,
        arrays: Mapping[str, ndarray],
        gradients: Mapping[str, ndarray] | None,
        grad_req: str | Sequence[str] | Mapping[str, str],
        ctx: Any = None,
    ) -> None:
        self._expression = expression
        self._device = ctx or current_device()
        self._function: Callable[..., Any] = expression.as_function()
        self._inputs = expression.list_inputs()
        self._states = expression.list_auxiliary_states()
        self._arguments = expression.list_arguments()
        self._arrays = dict(arrays)
        names = self._arguments
        requests = _by_name([grad_req] * len(names) if isinstance(grad_req, str) else grad_req, names)
        wanted = names if gradients is None else gradients
        self._requests = {name: requests.get(name, "null") if name in wanted else "null" for name in names}
        for name, request in self._requests.items():
            if request != "null" and gradients is None:
                self._arrays[name].attach_grad(request)
            elif request != "null" and gradients is not None:
                autograd.mark_variables(self._arrays[name], gradients[name], request)
        self.outputs: list[ndarray] = []
        """The results of the last `forward`."""

    # ------------------------------------------------------------------------------------------------- its arrays

    @property
    def arg_arrays(self) -> list[ndarray]:
        """The arrays of the arguments, in order."""
        return [self._arrays[name] for name in self._arguments]

    @property
    def aux_arrays(self) -> list[ndarray]:
        """The arrays of the auxiliary states, in order."""
        return [self._arrays[name] for name in self._states]

    @property
    def grad_arrays(self) -> list[ndarray | None]:
        """The gradients of the arguments, in order; None where none is asked for."""
        return [None if self._requests[name] == "null" else self._arrays[name].grad for name in self._arguments]

    @property
    def arg_dict(self) -> dict[str, ndarray]:
        """The arrays of the arguments, by name."""
        return dict(zip(self._arguments, self.arg_arrays, strict=True))

    @property
    def aux_dict(self) -> dict[str, ndarray]:
        """The arrays of the auxiliary states, by name."""
        return dict(zip(self._states, self.aux_arrays, strict=True))

    @property
    def grad_dict(self) -> dict[str, ndarray | None]:
        """The gradients of the arguments, by name; None where none is asked for."""
        return dict(zip(self._arguments, self.grad_arrays, strict=True))

    @property
    def output_dict(self) -> dict[str, ndarray]:
        """The results of the last `forward`, by name."""
        return dict(zip(self._expression.list_outputs(), self.outputs, strict=True))

    def copy_params_from(
        self,
        arg_params: Mapping[str, Any],
        aux_params: Mapping[str, Any] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copy arrays to those of the same name.

        Raises:
            ValueArgumentError E314: there is none, and `allow_extra_params` is off.
        """
        for name, array in {**arg_params, **(aux_params or {})}.items():
            if name in self._arrays:
                self._arrays[name][...] = array
            elif not allow_extra_params:
                raise ValueArgumentError("E314", f"{name!r} is not a variable of the expression")

    # ------------------------------------------------------------------------------------------------------ calls

    def forward(self, is_train: bool = False, **arrays: Any) -> list[ndarray]:
        """Compute the results.

        Args:
            is_train: as in training; a backward pass follows.
            arrays: new values of some arguments.
        """
        for name, value in arrays.items():
            if name not in self._arrays:
                raise ValueArgumentError("E314", f"{name!r} is not a variable of the expression")
            self._arrays[name][...] = value
        arguments = [self._arrays[name] for name in self._inputs]
        if any(request != "null" for request in self._requests.values()):
            with autograd.record(train_mode=is_train):
                results = self._function(*arguments)
        else:
            with autograd.train_mode() if is_train else autograd.predict_mode():
                results = self._function(*arguments)
        self.outputs = listed(results)
        return self.outputs

    def set_monitor_callback(self, callback: Callable[[str, Any], Any], monitor_all: bool = False) -> None:
        """Call `callback(name, array)` for each result of each operation, at each `forward` from now on.

        Args:
            callback: what to call; the results are `fc1_output`, `fc2_output`, ...
            monitor_all: for the variables, too.

        Raises:
            ValueArgumentError E314: two results have one name.
        """
        internals = self._expression.get_internals()
        names = internals.list_outputs()
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            text = f"two values of the expression are called {twice!r}, so that nobody can tell which is meant"
            raise ValueArgumentError("E314", text, help="give the operations names with name=")
        function, results = internals.as_function(), self._expression.list_outputs()
        order = [self._inputs.index(name) for name in internals.list_inputs()]

        def monitored(*arrays: Any) -> list[Any]:
            values = dict(zip(names, listed(function(*[arrays[number] for number in order])), strict=True))
            for name, value in values.items():
                if monitor_all or name not in self._inputs:
                    callback(name, value)
            return [values[name] for name in results]

        self._function = monitored

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients of the last results.

        Args:
            out_grads: those of the results, an array or a list of them; ones where they are not given.

        Raises:
            StateError E540: nothing was computed.
        """
        if not self.outputs:
            raise StateError("E540", "backward was called before forward", help="call forward(is_train=True) first")
        grads = [None] * len(self.outputs) if out_grads is None else listed(out_grads)
        recorded = [number for number, head in enumerate(self.outputs) if history(head) is not None]
        for name, request in self._requests.items():
            if request == "write":
                buffer: Any = self._arrays[name].grad
                buffer[...] = 0  # of what no result depends on
        if recorded:
            autograd.backward([self.outputs[number] for number in recorded], [grads[number] for number in recorded])


def bind(
    expression: Expression,
    ctx: Any = None,
    args: Mapping[str, Any] | Sequence[Any] | None = None,
    args_grad: Mapping[str, Any] | Sequence[Any] | None = None,
    grad_req: str | Sequence[str] | Mapping[str, str] = "write",
    aux_states: Mapping[str, Any] | Sequence[Any] | None = None,
    **unused: Any,
) -> Executor:
    """Return an executor of the expression that has copies of the given arrays.

    Args:
        expression: what to run.
        ctx: where the copies are; those of arrays of ours where these are when None.
        args: arrays for the arguments, in order or by name.
        args_grad: where their gradients go; without it there are none.
        grad_req: `write`, `add` or `null`, for all arguments or for each.
        aux_states: arrays for the auxiliary states.
        unused: accepted for MXNet.

    >>> (sym.var("a") + 1).bind(args={"a": np.array([1, 2])}).forward()[0].asnumpy()
    array([2., 3.], dtype=float32)
    """
    arguments = expression.list_arguments()
    named = _by_name(args or {}, arguments) | _by_name(aux_states or {}, expression.list_auxiliary_states())
    missing = [name for name in expression.list_inputs() if name not in named]
    if missing:
        what = f"bind: no array for {missing[0]!r}"
        raise ValueArgumentError("E314", what, help=f"arguments: {', '.join(arguments)}")
    arrays = {name: as_nd(np.copy(np.array(named[name], None, ctx=ctx))) for name in expression.list_inputs()}
    gradients = {name: one for name, one in _by_name(args_grad or {}, arguments).items() if one is not None}
    return Executor(expression, arrays, gradients, grad_req, ctx)


def simple_bind(
    expression: Expression,
    ctx: Any = None,
    grad_req: str | Sequence[str] | Mapping[str, str] = "write",
    type_dict: Mapping[str, Any] | None = None,
    **shapes: Any,
) -> Executor:
    """Return an executor of the expression with arrays of zeros, whose shapes follow from some that you give.

    Args:
        expression: what to run.
        ctx: where the arrays are; on the present device when None.
        grad_req: `write`, `add` or `null`, for all arguments or for each.
        type_dict: dtypes by name; float32 by default.
        shapes: of some arguments, by name.

    Raises:
        ValueArgumentError E314: some shapes remain unknown.

    >>> executor = (sym.var("a") + 1).simple_bind(a=(2,))
    >>> executor.forward()[0].asnumpy()
    array([1., 1.], dtype=float32)
    """
    known = expression._inferred(shapes)
    arrays = {}
    for variable in expression._variables():
        shape = known[id(variable)][0]
        if 0 in shape:
            what = f"simple_bind: the shape of {variable.name!r} does not follow from those given"
            raise ValueArgumentError("E314", what, help=f"pass {variable.name}=(...)")
        dtype = (type_dict or {}).get(variable.name, variable.dtype_hint or "float32")
        arrays[variable.name] = as_nd(np.zeros(shape, dtype, ctx=ctx))
    expression._captured(dict(arrays))  # shapes that do not fit are an error here
    return Executor(expression, arrays, None, grad_req, ctx)


def _by_name(values: Any, names: Sequence[str]) -> dict[str, Any]:
    return dict(values) if isinstance(values, Mapping) else dict(zip(names, values, strict=False))
