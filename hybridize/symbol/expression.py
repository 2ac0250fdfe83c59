# SPDX-License-Identifier: Apache-2.0
"""Expressions without types: variables, and calls of public functions on them, recorded to be run on typed values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy

from hybridize.array.ndarray import wrap
from hybridize.array.operators import Operators, functions
from hybridize.base.dtypes import DType, as_dtype, float32
from hybridize.base.errors import ArgumentError, CaptureError, HybridizeError, UntypedError
from hybridize.base.locations import SourceLoc, user_location
from hybridize.base.types import Shape, TensorType
from hybridize.capture import Function
from hybridize.capture.capture import capture
from hybridize.contract.call import Call
from hybridize.contract.captured import Captured
from hybridize.programs import Program

_INFIX = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//", "mod": "%",
    "power": "**", "matmul": "@", "equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
}  # fmt: skip
_LONG = 200


class Expression(Operators):
    """A variable, or a function applied to expressions. It has no shape and no values.

    >>> var("a") + var("b")
    <Expression a + b>
    """

    __slots__ = ("__weakref__", "args", "dtype_hint", "function", "kwargs", "loc", "name", "shape_hint")

    def __init__(
        self,
        name: str,
        function: Callable[..., Any] | None = None,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        """Of the variable, or of the function."""
        self.function = function
        """None for a variable."""
        self.args = tuple(args)
        self.kwargs = kwargs or {}
        self.shape_hint: Shape | None = None
        self.dtype_hint: DType | None = None
        self.loc: SourceLoc | None = user_location()

    def __hybridize_function__(
        self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Record a call of a public function."""
        return Expression(name, function, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        return Expression("getitem", functions.getitem, (self, key))

    def __setitem__(self, key: Any, value: Any) -> None:
        text = f"{self!r} is written in place, but expressions are values"
        raise CaptureError("E452", text, help="make a new one: y = x + 1, np.where")

    # ---------------------------------------------------------------------------------------------- what it is made of

    def list_arguments(self) -> list[str]:
        """Names of the variables, in the order of their first appearance: the order of a program's arguments."""
        return [variable.name for variable in self._variables()]

    def list_inputs(self) -> list[str]:
        """The same; there are no auxiliary states."""
        return self.list_arguments()

    def _variables(self) -> list[Expression]:
        found = [expression for expression in self._in_order() if expression.function is None]
        names: dict[str, Expression] = {}
        for variable in found:
            if names.setdefault(variable.name, variable) is not variable:
                text = f"two variables are called {variable.name!r}"
                raise ArgumentError("E313", text, help="names are the arguments' keywords")
        return found

    def _in_order(self) -> list[Expression]:
        """All expressions below and this one, operands first."""
        order: list[Expression] = []
        seen: set[int] = set()
        waiting: list[tuple[Expression, bool]] = [(self, False)]
        while waiting:
            expression, ready = waiting.pop()
            if ready:
                order.append(expression)
            elif id(expression) not in seen:
                seen.add(id(expression))
                waiting.append((expression, True))
                waiting += [(part, False) for part in reversed(list(expression._parts()))]
        return order

    def _parts(self) -> Iterator[Expression]:
        yield from _expressions([*self.args, *self.kwargs.values()])

    # -------------------------------------------------------------------------------------------------- compiling

    def compile(self, **types: Any) -> Program:
        """Compile the expression for variables of the given types.

        Args:
            types: for each variable a shape (of float32, or the dtype that the variable was given), a type such as
                `"f32[2,3]"`, or an array like it. Those of variables that were made with a shape may be left out.

        Returns:
            A program whose arguments are the variables, in the order of `list_arguments()`.

        Raises:
            ArgumentError E314: a variable of unknown shape, or a name that is no variable.
        """
        return Program(self._captured(types), name=self._title())

    def infer_shape(self, **shapes: Any) -> tuple[list[Shape], list[Shape], list[Shape]]:
        """Shapes of the variables, of the results, and, as in MXNet, of auxiliary states, which there are none of."""
        graph = self._captured(shapes).graph
        return [value.type.shape for value in graph.inputs], [value.type.shape for value in graph.outputs], []

    def infer_type(self, **types: Any) -> tuple[list[DType], list[DType], list[DType]]:
        """Dtypes of the variables, of the results, and of auxiliary states, which there are none of."""
        graph = self._captured(types).graph
        return [value.type.dtype for value in graph.inputs], [value.type.dtype for value in graph.outputs], []

    def eval(self, **values: Any) -> list[Any]:
        """The results for arrays given by name, as a list."""
        arrays = [values[name] for name in self.list_arguments()]
        result = self.compile(**values)(*arrays)
        return list(result) if isinstance(result, (tuple, list)) else [result]

    def as_function(self) -> Function:
        """The expression as a function of its variables, compiled for what it is called with."""
        return Function(self._replay())

    def _captured(self, types: dict[str, Any]) -> Captured:
        variables = self._variables()
        names = [variable.name for variable in variables]
        for name in types:
            if name not in names:
                text = f"{name!r} is not a variable of the expression"
                raise ArgumentError("E314", text, help=f"it has {', '.join(names)}")
        examples = [wrap(_zeros(_type_of(variable, types.get(variable.name)))) for variable in variables]
        return capture(self._replay(), Call.of(examples, {}), names)

    def _replay(self) -> Callable[..., Any]:
        order, variables = self._in_order(), self._variables()

        def expression(*values: Any) -> Any:
            known: dict[int, Any] = {id(variable): value for variable, value in zip(variables, values, strict=True)}
            for part in order:
                if part.function is not None:
                    known[id(part)] = _applied(part, known)
            return known[id(self)]

        return expression

    def _title(self) -> str:
        return self.name if self.function is None else f"expression {self.name}"

    # ----------------------------------------------------------------------------------------------------- texts

    def __repr__(self) -> str:
        return f"<Expression {self.text()}>"

    __str__ = __repr__

    def text(self) -> str:
        """The expression as one would write it, cut where it is long."""
        if len(self._in_order()) > _LONG:
            return f"{self.name}(...) of {', '.join(self.list_arguments())}"
        texts: dict[int, str] = {}
        for part in self._in_order():
            texts[id(part)] = part._written(texts)
        whole = texts[id(self)]
        if whole.startswith("(") and whole.endswith(")") and self.name in _INFIX:
            whole = whole[1:-1]
        return whole if len(whole) <= _LONG else f"{whole[:_LONG]}..."

    def _written(self, texts: dict[int, str]) -> str:
        if self.function is None:
            return self.name
        if self.name in _INFIX and len(self.args) == 2 and not self.kwargs:
            return f"({_shown(self.args[0], texts)} {_INFIX[self.name]} {_shown(self.args[1], texts)})"
        kwargs = [f"{name}={_shown(value, texts)}" for name, value in self.kwargs.items() if value is not None]
        return f"{self.name}({', '.join([*(_shown(arg, texts) for arg in self.args), *kwargs])})"

    # ------------------------------------------------------------------------------------------ what it has not got

    @property
    def shape(self) -> NoReturn:
        """Refused: shapes come with `compile`."""
        raise self._untyped("shape")

    @property
    def dtype(self) -> NoReturn:
        """Refused: dtypes come with `compile`."""
        raise self._untyped("dtype")

    def _untyped(self, what: str) -> UntypedError:
        text = f"{self!r} has no {what} before it is compiled"
        return UntypedError("E453", text, help="infer_shape(a=(2, 3)) tells, or capture a function")

    def __bool__(self) -> bool:
        raise self._untyped("truth value")

    def __len__(self) -> int:
        raise self._untyped("length")

    def __iter__(self) -> NoReturn:
        raise self._untyped("length")

    def __contains__(self, value: Any) -> bool:
        raise self._untyped("elements")

    def item(self, *args: Any) -> Any:
        """Refused: there are no values."""
        raise self._untyped("value")

    def asnumpy(self) -> NoReturn:
        """Refused: there are no values."""
        raise self._untyped("value")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise self._untyped("value")

    __iadd__ = Operators.__add__
    __isub__ = Operators.__sub__
    __imul__ = Operators.__mul__
    __itruediv__ = Operators.__truediv__
    __ifloordiv__ = Operators.__floordiv__
    __imod__ = Operators.__mod__
    __ipow__ = Operators.__pow__
    __imatmul__ = Operators.__matmul__


def var(name: str, shape: Shape | None = None, dtype: Any = None, **attributes: Any) -> Expression:
    """A variable.

    Args:
        name: the keyword of `compile`.
        shape: sizes of its axes, where they are known already.
        dtype: its element type, float32 unless said.
        attributes: accepted for MXNet (`init`, `lr_mult`, ...), without a meaning here.
    """
    if not isinstance(name, str) or not name:
        raise ArgumentError("E315", f"the name of a variable must be a string, got {name!r}")
    made = Expression(name)
    made.shape_hint = None if shape is None else tuple(shape)
    made.dtype_hint = None if dtype is None else as_dtype(dtype)
    return made


def _expressions(values: Any) -> Iterator[Expression]:
    for value in values:
        if isinstance(value, Expression):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _expressions(value)
        elif isinstance(value, dict):
            yield from _expressions(value.values())


def _applied(part: Expression, known: dict[int, Any]) -> Any:
    assert part.function is not None
    try:
        return part.function(*_typed(part.args, known), **_typed(part.kwargs, known))
    except HybridizeError as error:
        error.loc = part.loc or error.loc  # where the expression was written, not where it is compiled
        raise


def _typed(value: Any, known: dict[int, Any]) -> Any:
    if isinstance(value, Expression):
        return known[id(value)]
    if isinstance(value, (tuple, list)):
        return type(value)(_typed(part, known) for part in value)
    if isinstance(value, dict):
        return {key: _typed(part, known) for key, part in value.items()}
    return value


def _type_of(variable: Expression, spec: Any) -> TensorType:
    dtype = variable.dtype_hint or float32
    if spec is None:
        if variable.shape_hint is None:
            text = f"the shape of variable {variable.name!r} is not known"
            raise ArgumentError("E314", text, help=f"say compile({variable.name}=(...))")
        return TensorType(variable.shape_hint, dtype)
    if isinstance(spec, str):
        return TensorType.parse(spec)
    if isinstance(spec, TensorType):
        return spec
    if isinstance(spec, int):
        spec = (spec,)
    if isinstance(spec, (tuple, list)):
        return TensorType(tuple(int(size) for size in spec), dtype)
    return TensorType(tuple(spec.shape), as_dtype(spec.dtype))


def _zeros(kind: TensorType) -> Any:
    return numpy.zeros(kind.shape, kind.dtype)


def _shown(value: Any, texts: dict[int, str]) -> str:
    if isinstance(value, Expression):
        return texts[id(value)]
    if isinstance(value, (tuple, list)):
        inner = ", ".join(_shown(part, texts) for part in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    return repr(value)
