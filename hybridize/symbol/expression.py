# SPDX-License-Identifier: Apache-2.0
"""Expressions without types: variables, and calls of public functions on them, recorded to be run on typed values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from inspect import signature
from operator import getitem
from typing import Any, NoReturn

import numpy

from hybridize.array.buffer import content_of, is_away
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operators import COMPARISONS, UNDERSTOOD, Operators, functions
from hybridize.base.dtypes import DType, as_dtype, float32
from hybridize.base.errors import (
    ArgumentError,
    CaptureError,
    HybridizeError,
    OutOfBoundsError,
    UntypedError,
    ValueArgumentError,
)
from hybridize.base.locations import SourceLoc, user_location
from hybridize.base.nested import listed
from hybridize.base.participation import SYMBOLIC
from hybridize.base.prefixes import name_of
from hybridize.base.types import Shape, TensorType
from hybridize.capture import Function
from hybridize.capture.capture import capture
from hybridize.contract.call import Call
from hybridize.contract.captured import Captured
from hybridize.programs import Program
from hybridize.symbol.operators import UNKNOWN, outputs_of
from hybridize.symbol.scopes import attributes_of

_INFIX = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//", "mod": "%",
    "modulo": "%", "power": "**", "matmul": "@", "equal": "==", "not_equal": "!=", "less": "<", "lesser": "<",
    "less_equal": "<=", "lesser_equal": "<=", "greater": ">", "greater_equal": ">=", "bitwise_and": "&",
    "bitwise_or": "|", "bitwise_xor": "^",
}  # fmt: skip
_LONG = 200
_ARITHMETIC = {
    "add": "_plus", "subtract": "_minus", "multiply": "_mul", "divide": "_div", "modulo": "_mod", "power": "_power",
    "maximum": "_maximum", "minimum": "_minimum",
}  # fmt: skip
"""The names of operators of two operands in MXNet 1; beside a number they are `_plusscalar`."""
_OTHERS = ("equal", "not_equal", "lesser", "lesser_equal", "greater", "greater_equal", "hypot")
"""Those that are `_equal`, and `_equal_scalar`."""
_SHOWN = ("ctx_group", "force_mirroring", "lr_mult", "wd_mult")
"""Attributes that `__lr_mult__` and its like also are."""
FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Functions of files above this one that methods call, by name; `symbol.__init__` puts them here, and methods, too."""


class Expression(Operators):
    """Record a variable, or a function of expressions, without values: they come with `eval`, `bind` or `compile`.

    >>> y = sym.var("a") + 1
    >>> isinstance(y, sym.Expression), y.list_arguments()
    (True, ['a'])
    """

    __slots__ = (
        "__weakref__", "args", "attributes", "auxiliary", "dtype_hint", "function", "kwargs", "loc", "name", "outputs",
        "shape_hint", "word",
    )  # fmt: skip

    def __init__(
        self,
        word: str,
        function: Callable[..., Any] | None = None,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        *,
        name: str | None = None,
        outputs: int = 1,
        attributes: dict[str, str] | None = None,
    ) -> None:
        self.word: str = word
        """The name of the variable, or of the function."""
        self.name: str = word if function is None else name_of(name, _stem(word, args))
        """The name of the variable, or of this call: `fc1`, or `fullyconnected0` where the user gives none."""
        self.attributes: dict[str, str] = attributes_of(attributes)
        """The user's, as MXNet's files have them."""
        self.outputs: int = outputs
        """The number of arrays that the function gives."""
        self.auxiliary: bool = False
        """True for a variable that training changes otherwise than by gradients: a running statistic."""
        self.function: Callable[..., Any] | None = function
        """None for a variable."""
        self.args: tuple[Any, ...] = tuple(args)
        self.kwargs: dict[str, Any] = kwargs or {}
        self.shape_hint: Shape | None = None
        self.dtype_hint: DType | None = None
        self.loc: SourceLoc | None = user_location()

    __hybridize_name__ = True
    """Calls of functions on expressions take `name=`, which no function has."""

    def __hybridize_function__(
        self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Record a call of a public function."""
        return called(name, function, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        """One of several results, by number or name; of a single one, the elements at an index."""
        if isinstance(key, str) or (self.outputs > 1 and isinstance(key, (int, slice))):
            return self._chosen(key)
        return Expression("getitem", functions.getitem, (self, key))

    def _chosen(self, key: Any) -> Any:
        if isinstance(key, str):
            names = self.list_outputs()
            if names.count(key) != 1:
                raise ValueArgumentError("E314", f"{key!r} does not name exactly one result", help=_listing(names))
            key = names.index(key)
        if isinstance(key, slice):
            return [self._chosen(number) for number in range(*key.indices(self.outputs))]
        if not -self.outputs <= key < self.outputs:
            raise OutOfBoundsError("E110", f"result {key} of an expression with {self.outputs}")
        key %= self.outputs
        if self.word == GROUP:
            return self._members()[key]
        if self.outputs == 1:
            return self
        one = Expression(OUTPUT, getitem, (self, key), name=OUTPUT)
        one.name = f"{self.name}_output{key}"  # as it is, in whatever scope of names
        return one

    def __call__(self, *args: Expression, name: str | None = None, **kwargs: Expression) -> Expression:
        """The same expression of other ones: `net(data=other)` puts `other` for the variable `data`.

        Args:
            args: for the variables, in order.
            name: of what is made.
            kwargs: for variables by name.
        """
        values = dict(zip(self.list_arguments(), args, strict=False)) | kwargs
        variables = {variable.name: variable for variable in self._variables()}
        for word in values:
            if word not in variables:
                what = f"{word!r} is not a variable of the expression"
                raise ValueArgumentError("E314", what, help=_listing(list(variables)))
        copies: dict[int, Any] = {id(variables[word]): value for word, value in values.items()}
        for part in self._in_order():
            if id(part) not in copies:
                same = all(copies[id(one)] is one for one in part._parts())
                copies[id(part)] = part if same else part._with(typed(part.args, copies), typed(part.kwargs, copies))
        copy: Expression = copies[id(self)]
        return copy if name is None else copy._with(copy.args, copy.kwargs, name)

    def _with(self, args: Any, kwargs: Any, name: str | None = None) -> Expression:
        """The same function of other arguments."""
        copy = Expression(self.word, self.function, args, kwargs, name=name or self.name, outputs=self.outputs)
        copy.name = name or self.name
        copy.attributes, copy.auxiliary = dict(self.attributes), self.auxiliary
        copy.shape_hint, copy.dtype_hint, copy.loc = self.shape_hint, self.dtype_hint, self.loc
        return copy

    def __copy__(self) -> Expression:
        return self._with(self.args, self.kwargs)

    def __deepcopy__(self, memo: Any) -> Expression:
        return self._with(self.args, self.kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return FUNCTIONS["load_json"], (self.tojson(),)

    def __getattr__(self, name: str) -> Any:
        """A function of `F` as a method: `x.slice_axis(axis=1, begin=5, end=7)`."""
        if name.startswith("_") or name in Expression.__slots__:
            raise AttributeError(name)
        if name in ("shape", "dtype"):  # Python asks here where the property has refused
            raise self._untyped(name)
        return partial(FUNCTIONS["function"](name), self)

    def as_np_ndarray(self) -> Expression:
        """Return the expression itself: expressions of `np` and of `nd` are of one kind.

        >>> a = sym.var("a")
        >>> a.as_np_ndarray() is a
        True
        """
        return self

    as_nd_ndarray = as_np_ndarray

    def __setitem__(self, key: Any, value: Any) -> None:
        text = f"{self!r} is written in place, but expressions are values"
        raise CaptureError("E452", text, help="create a new expression: y = x + 1, np.where")

    # ---------------------------------------------------------------------------------------------- what it is made of

    def list_arguments(self) -> list[str]:
        """Return the names of the variables that are no auxiliary states, in the order of their first appearance.

        >>> (sym.var("a") + sym.var("b")).list_arguments()
        ['a', 'b']
        """
        return [variable.name for variable in self._variables() if not variable.auxiliary]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the variables that training changes otherwise than by gradients: running statistics.

        >>> sym.BatchNorm(sym.var("a"), name="norm").list_auxiliary_states()
        ['norm_moving_mean', 'norm_moving_var']
        """
        return [variable.name for variable in self._variables() if variable.auxiliary]

    def list_inputs(self) -> list[str]:
        """Return the names of all variables, in the order of their first appearance: that of a program's arguments.

        >>> (sym.var("a") + sym.var("b")).list_inputs()
        ['a', 'b']
        """
        return [variable.name for variable in self._variables()]

    def list_outputs(self) -> list[str]:
        """Return the names of the results; of a variable its own name.

        >>> sym.relu(sym.var("a"), name="act").list_outputs()
        ['act_output']
        """
        if self.word == GROUP:
            return [name for member in self._members() for name in member.list_outputs()]
        if self.function is None or self.word == OUTPUT:
            return [self.name]
        if self.outputs > 1:
            return [f"{self.name}_output{number}" for number in range(self.outputs)]
        return [f"{self.name}_output"]

    def _members(self) -> list[Expression]:
        """The results of a group, each by itself."""
        return [
            member._chosen(k) if member.outputs > 1 else member for member in self.args for k in range(member.outputs)
        ]

    def get_internals(self) -> Expression:
        """Return all variables and results below the expression, and its own, as a group.

        >>> sym.relu(sym.var("a"), name="act").get_internals().list_outputs()
        ['a', 'act_output']
        """
        return group([part for part in self._in_order() if part.word not in (GROUP, OUTPUT)])

    def get_children(self) -> Expression | None:
        """Return the arguments of the expression's function, as a group; None of a variable.

        >>> (sym.var("a") + sym.var("b")).get_children().list_outputs()
        ['a', 'b']
        """
        members = self.args if self.word == GROUP else [self]
        parts = [one for member in members for one in (member.args[0] if member.word == OUTPUT else member)._parts()]
        return group(parts) if parts else None

    def attr(self, key: str) -> str | None:
        """Return one of the attributes in `list_attr`; None where the expression has none of this name.

        >>> sym.var("a", lr_mult=2.0).attr("__lr_mult__")
        '2.0'
        """
        return self.list_attr().get(key)

    def list_attr(self) -> dict[str, str]:
        """Return the attributes that you gave, and the keywords of the call, as texts.

        >>> sym.var("a", lr_mult=2.0).list_attr()
        {'lr_mult': '2.0', '__lr_mult__': '2.0'}
        """
        keywords = {key: str(value) for key, value in self.kwargs.items() if value is not None and _is_constant(value)}
        shown = {key: self.attributes[f"__{key}__"] for key in _SHOWN if f"__{key}__" in self.attributes}
        return {**keywords, **shown, **self.attributes}

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Return the attributes of all variables and calls that have any, by their names.

        >>> sym.var("a", lr_mult=2.0).attr_dict()
        {'a': {'lr_mult': '2.0', '__lr_mult__': '2.0'}}
        """
        return {part.name: attributes for part in self._in_order() if (attributes := part.list_attr())}

    def _set_attr(self, **attributes: str) -> None:
        """Set attributes; `name` is the name."""
        name = attributes.pop("name", None)
        if name is not None:
            self.name = name
            if self.function is None:
                self.word = name
        self.attributes.update(attributes_of(attributes))

    def _variables(self) -> list[Expression]:
        variables = [expression for expression in self._in_order() if expression.function is None]
        names: dict[str, Expression] = {}
        for variable in variables:
            if names.setdefault(variable.name, variable) is not variable:
                text = f"two variables are called {variable.name!r}"
                raise ArgumentError("E313", text, help="use the names of the arguments")
        return variables

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
        yield from expressions([*self.args, *self.kwargs.values()])

    # -------------------------------------------------------------------------------------------------- compiling

    def compile(self, **types: Any) -> Program:
        """Compile the expression for variables of the given types, as a program.

        Args:
            types: for each variable a shape (of float32, or the dtype that the variable was given), a type such as
                `"f32[2,3]"`, or an array like it. Those of variables that were made with a shape may be left out.

        Returns:
            A program whose arguments are the variables, in the order of `list_arguments()`.

        Raises:
            ValueArgumentError E314: a variable of unknown shape, or a name that is no variable.

        >>> program = (sym.var("a") + 1).compile(a=(2,))
        >>> program(np.array([1, 2])).asnumpy()
        array([2., 3.], dtype=float32)
        """
        return Program(self._captured(types), name=self._title())

    def infer_shape(self, *args: Any, **shapes: Any) -> tuple[Any, Any, Any]:
        """Return the shapes of the arguments, of the results and of the auxiliary states; three None where some are
        unknown.

        Args:
            args: shapes of the arguments, in order.
            shapes: by name. Those of weights follow from the data.

        Raises:
            ValueArgumentError E314: a name that is no variable.

        >>> (sym.var("a") + 1).infer_shape(a=(2, 3))
        ([(2, 3)], [(2, 3)], [])
        """
        known = self._inferred(self._hints(args, shapes)).values()
        complete = not any(shape is UNKNOWN or 0 in shape for several in known for shape in several)
        return self.infer_shape_partial(*args, **shapes) if complete else (None, None, None)

    def infer_shape_partial(self, *args: Any, **shapes: Any) -> tuple[list[Shape], list[Shape], list[Shape]]:
        """Return the shapes as far as they are known: `()` where nothing is, and 0 for an unknown size.

        >>> (sym.var("a") + 1).infer_shape_partial()
        ([()], [()], [])
        """
        known = self._inferred(self._hints(args, shapes))
        known = {key: [() if shape is UNKNOWN else shape for shape in several] for key, several in known.items()}
        arguments: list[Shape] = []
        states: list[Shape] = []
        for variable in self._variables():
            (states if variable.auxiliary else arguments).append(known[id(variable)][0])
        members = self.args if self.word == GROUP else [self]
        return arguments, [shape for member in members for shape in known[id(member)]], states

    def _hints(self, args: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        """Return what is said of variables by position and by name, all by name."""
        names = self.list_inputs()
        for name in named:
            if name not in names:
                text = f"{name!r} is not a variable of the expression"
                raise ValueArgumentError("E314", text, help=f"it has {', '.join(names)}")
        return dict(zip(self.list_arguments(), args, strict=False)) | named

    def infer_type(self, *args: Any, **types: Any) -> tuple[list[DType], list[DType], list[DType]]:
        """Return the dtypes of the arguments, of the results and of the auxiliary states.

        >>> (sym.var("a") + 1).infer_type(a="f32[2]")
        ([dtype('float32')], [dtype('float32')], [])
        """
        graph = self._captured(self._hints(args, types), copies=True).graph
        kinds = dict(zip(self.list_inputs(), [value.type.dtype for value in graph.inputs], strict=False))
        results = [value.type.dtype for value in graph.outputs]
        return [kinds[n] for n in self.list_arguments()], results, [kinds[n] for n in self.list_auxiliary_states()]

    def eval(self, **values: Any) -> list[Any]:
        """Return the results for arrays by the names of variables, as a list.

        Raises:
            ValueArgumentError E314: one that it needs is not among them.

        >>> (sym.var("a") + 1).eval(a=np.array([1, 2]))[0].asnumpy()
        array([2., 3.], dtype=float32)
        """
        values = {name: value for name, value in values.items() if name not in ("ctx", "device")}
        names = self.list_inputs()
        missing = [name for name in names if name not in values]
        if missing:
            text = f"eval without arrays for {', '.join(map(repr, missing))}"
            raise ValueArgumentError("E314", text, help=f"it takes {', '.join(names)}")
        away = any(isinstance(value, ndarray) and is_away(content_of(value)) for value in values.values())
        run = self.as_function() if away else self.compile(**values)
        return listed(run(*(values[name] for name in names)))

    def as_function(self) -> Function:
        """Return the expression as a function of its variables, which is compiled for the arrays of each kind of call.

        >>> (sym.var("a") + 1).as_function()(np.array([1, 2])).asnumpy()
        array([2., 3.], dtype=float32)
        """
        return Function(self._replay())

    def _captured(self, types: dict[str, Any], *, copies: bool = False) -> Captured:
        """Capture the expression for variables of some types; `copies`: results that are views are outputs, too."""
        variables = self._variables()
        names = [variable.name for variable in variables]
        self._hints((), types)
        unknown = [
            one for one in variables if one.name not in types and (one.shape_hint is None or 0 in one.shape_hint)
        ]
        if unknown:
            known = self._inferred(types, suppose=False)
            shapes = {one.name: known[id(one)][0] for one in unknown}
            types = types | {one: shape for one, shape in shapes.items() if shape is not UNKNOWN and 0 not in shape}
        kinds = [type_of(variable, types.get(variable.name)) for variable in variables]
        examples = [wrap(numpy.zeros(kind.shape, kind.dtype)) for kind in kinds]
        replay = self._replay()

        def copied(*values: Any) -> Any:
            return [functions.copy(one) for one in listed(replay(*values))]

        return capture(copied if copies else replay, Call.of(examples, {}), names)

    def _replay(self) -> Callable[..., Any]:
        order, variables = self._in_order(), self._variables()

        def expression(*values: Any) -> Any:
            known: dict[int, Any] = {id(variable): value for variable, value in zip(variables, values, strict=True)}
            for part in order:
                if part.function is not None:
                    known[id(part)] = applied(part, known)
            return known[id(self)]

        return expression

    def _title(self) -> str:
        return self.name if self.function is None else f"expression {self.word}"

    # ----------------------------------------------------------------------------------------------------- texts

    def __repr__(self) -> str:
        return f"<Expression {self.text()}>"

    __str__ = __repr__

    def text(self) -> str:
        """Return the expression as you would write it, cut where it is long.

        >>> (sym.var("a") + 1).text()
        'a + 1'
        """
        if len(self._in_order()) > _LONG:
            return f"{self.word}(...) of {', '.join(self.list_arguments())}"
        texts: dict[int, str] = {}
        for part in self._in_order():
            texts[id(part)] = part._written(texts)
        whole = texts[id(self)]
        if whole.startswith("(") and whole.endswith(")") and self.word in _INFIX:
            whole = whole[1:-1]
        return whole if len(whole) <= _LONG else f"{whole[:_LONG]}..."

    def _written(self, texts: dict[int, str]) -> str:
        if self.function is None:
            return self.name
        if self.word in _INFIX and len(self.args) == 2 and not self.kwargs:
            return f"({_shown(self.args[0], texts)} {_INFIX[self.word]} {_shown(self.args[1], texts)})"
        kwargs = [f"{name}={_shown(value, texts)}" for name, value in self.kwargs.items() if value is not None]
        return f"{self.word}({', '.join([*(_shown(arg, texts) for arg in self.args), *kwargs])})"

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
        return UntypedError("E453", text, help="use infer_shape(a=(2, 3)), or capture a function")

    def __bool__(self) -> bool:
        raise self._untyped("truth value")

    def __len__(self) -> int:
        if self.outputs == 1 and self.word != GROUP:
            raise self._untyped("length")
        return self.outputs

    def __iter__(self) -> Iterator[Expression]:
        return iter([self._chosen(number) for number in range(len(self))])

    def __contains__(self, value: Any) -> bool:
        raise self._untyped("elements")

    def item(self, *args: Any) -> Any:
        """Refuse: an expression has no values before `eval`.

        >>> try:
        ...     sym.var("a").item()
        ... except Exception as error:
        ...     print(type(error).__name__)
        UntypedError
        """
        raise self._untyped("value")

    def asnumpy(self) -> NoReturn:
        """Refuse: an expression has no values before `eval`.

        >>> try:
        ...     sym.var("a").asnumpy()
        ... except Exception as error:
        ...     print(type(error).__name__)
        UntypedError
        """
        raise self._untyped("value")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise self._untyped("value")


def _infix(word: str, reflected: bool = False) -> Callable[[Expression, Any], Any]:
    """An operator that is a function of `sym`: integers stay integers, comparisons are numbers, as in MXNet 1."""

    def operator(self: Expression, other: Any) -> Any:
        if not isinstance(other, UNDERSTOOD):
            return NotImplemented
        return FUNCTIONS["function"](word)(*((other, self) if reflected else (self, other)))

    return operator


_OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "mod": "modulo", "pow": "power",
    "eq": "equal", "ne": "not_equal", "lt": "lesser", "le": "lesser_equal", "gt": "greater", "ge": "greater_equal",
}  # fmt: skip
"""Operators that MXNet 1 has, and the functions that they are."""
for _word, _name in _OPERATORS.items():
    setattr(Expression, f"__{_word}__", _infix(_name))
    if _word not in COMPARISONS:
        setattr(Expression, f"__r{_word}__", _infix(_name, reflected=True))
for _word in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):  # `x += y` is `x = x + y`
    setattr(Expression, f"__i{_word}__", getattr(Expression, f"__{_word}__"))


def called(word: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Expression:
    """Return the expression of a call, whose arguments are checked when it gets its types."""
    keywords = dict(kwargs)
    name, attributes = keywords.pop("name", None), keywords.pop("attr", None)
    try:
        named = dict(signature(function).bind(*args, **keywords).arguments)
    except (TypeError, ValueError):  # the function says so when it is called
        named = keywords
    count = outputs_of(word, {**named, **named.get("kwargs", {})})
    return Expression(word, function, args, keywords, name=name, outputs=count, attributes=attributes)


def fluent(word: str) -> Callable[..., Any]:
    """A method that is a function of `sym`, with MXNet 1's meaning: `x.flatten()` leaves the first axis."""

    def method(self: Expression, *args: Any, **kwargs: Any) -> Any:
        if word in ("reshape", "transpose") and len(args) > 1 and isinstance(args[1], int):
            args = (args,)  # sizes or axes one by one
        return FUNCTIONS["function"](word)(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = word
    return method


def var(name: str, attr: Any = None, shape: Shape | None = None, dtype: Any = None, **attributes: Any) -> Expression:
    """Return a variable of expressions, whose value or type comes with `eval`, `bind` or `compile`.

    Args:
        name: the keyword of `compile`.
        attr: attributes, texts by name.
        shape: sizes of its axes, where they are known already; 0: that one is not.
        dtype: its element type, float32 unless said.
        attributes: MXNet's (`init`, `lr_mult`, `__shape__`, ...), kept as texts, without a meaning here.

    >>> a = sym.var("a")
    >>> (a + 1).eval(a=np.array([1, 2]))[0].asnumpy()
    array([2., 3.], dtype=float32)
    """
    if isinstance(attr, (tuple, list)):  # the second argument, as it was before there were attributes
        attr, shape = None, tuple(attr)
    if not isinstance(name, str) or not name:
        raise ArgumentError("E315", f"the name of a variable must be a string, got {name!r}")
    hidden = {
        key if key.startswith("__") else f"__{key}__": value if hasattr(value, "dumps") else str(value)
        for key, value in attributes.items()
        if value is not None
    }
    expression = Expression(name, attributes={**(attr or {}), **hidden})
    expression.shape_hint = None if shape is None else tuple(shape)
    expression.dtype_hint = None if dtype is None else as_dtype(dtype)
    return expression


SYMBOLIC.add(Expression)
GROUP, OUTPUT = "Group", "output"
"""Words of expressions that are no call: several ones together, and one result of several."""


def group(members: Sequence[Expression]) -> Expression:
    """Join several expressions: the results of the group are theirs, one after the other.

    >>> a = sym.var("a")
    >>> sym.group([a + 1, a * 2]).eval(a=np.array([3]))[1].asnumpy()
    array([6.], dtype=float32)
    """
    if not members:
        raise ValueArgumentError("E314", "a group needs at least one expression")
    for member in members:
        if not isinstance(member, Expression):
            raise ArgumentError("E310", f"a group takes expressions, got {type(member).__name__}")
    flat = [one for member in members for one in (member._members() if member.word == GROUP else [member])]
    count = sum(member.outputs for member in flat)
    expression = Expression(GROUP, _together, flat, name=GROUP, outputs=count)
    expression.name = "grouped"
    return expression


def _together(*results: Any) -> list[Any]:
    return [one for part in results for one in listed(part)]


def _stem(word: str, args: Sequence[Any]) -> str:
    """Return what the name of a call begins with where the user gives none: `_plus0`, `_rminusscalar0`, `dot0`."""
    if len(args) != 2 or not (word in _ARITHMETIC or word in _OTHERS):
        return word.lower()
    stem = _ARITHMETIC.get(word, f"_{word}")
    first, second = (isinstance(one, Expression) for one in args)
    if first and second:
        return stem
    if not first and word == "power":
        return "_rpower_scalar"
    if not first and word in ("subtract", "divide", "modulo"):
        stem = f"_r{stem[1:]}"
    return f"{stem}scalar" if word in _ARITHMETIC else f"{stem}_scalar"


def _is_constant(value: Any) -> bool:
    return not hasattr(value, "shape") and not callable(value) and not any(True for _ in expressions([value]))


def _listing(names: Sequence[str]) -> str:
    return f"it has {', '.join(names[:20])}"


def expressions(values: Any) -> Iterator[Expression]:
    """The expressions in a list of arguments, and in lists and dicts in it."""
    for value in values:
        if isinstance(value, Expression):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from expressions(value)
        elif isinstance(value, dict):
            yield from expressions(value.values())


def applied(part: Expression, known: dict[int, Any]) -> Any:
    """Call a part's function on values, which are known by the identities of expressions."""
    assert part.function is not None
    try:
        return part.function(*typed(part.args, known), **typed(part.kwargs, known))
    except HybridizeError as error:
        error.loc = part.loc or error.loc  # where the expression was written, not where it is compiled
        raise


def typed(value: Any, known: dict[int, Any]) -> Any:
    """Put values for the expressions in an argument; they are known by the identities of expressions."""
    if isinstance(value, Expression):
        return known[id(value)]
    if isinstance(value, (tuple, list)):
        return type(value)(typed(part, known) for part in value)
    if isinstance(value, dict):
        return {key: typed(part, known) for key, part in value.items()}
    return value


def type_of(variable: Expression, spec: Any) -> TensorType:
    """Return the type of a variable that is given as a shape, a text, a type or an array; None: its own."""
    dtype = variable.dtype_hint or float32
    if spec is None:
        if variable.shape_hint is None or 0 in variable.shape_hint:
            text = f"the shape of variable {variable.name!r} is not known"
            raise ValueArgumentError("E314", text, help=f"pass compile({variable.name}=(...))")
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


def _shown(value: Any, texts: dict[int, str]) -> str:
    if isinstance(value, Expression):
        return texts[id(value)]
    if isinstance(value, (tuple, list)):
        inner = ", ".join(_shown(part, texts) for part in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    return repr(value)
