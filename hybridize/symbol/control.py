# SPDX-License-Identifier: Apache-2.0
"""Loops and branches of expressions, `sym.contrib.foreach`, `while_loop` and `cond`, whose bodies are expressions.

A function of the user's is called once, with variables that stand for slices and states. What it makes in the call, and
what depends on those variables, is the body; what else it reads is computed once, around the loop, and is an input of
it. The call of a `ControlFlow` gives typed arrays to `npx.foreach` and its like, so that it is a scan of the graph.
Nodes of MXNet's files have the same parts:

    _foreach      inputs: data, states, rest; `..._locs` say which input of the body each is
    _while_loop   `cond_input_locs`, `func_input_locs`: which inputs of the node the graphs take; `func_var_locs`: which
                  of the latter are loop variables
    _cond         `..._input_locs`: which inputs of the node the three graphs take
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from hybridize import ndarray as nd
from hybridize.array.functions import control
from hybridize.base.errors import ArgumentError, LoadError, UnusedError, ValueArgumentError
from hybridize.base.nested import Structure, flatten, listed, unflatten
from hybridize.base.prefixes import name_of
from hybridize.symbol.expression import GROUP, OUTPUT, Expression, group, typed, var
from hybridize.symbol.scopes import AttrScope, attributes_of

Pairs = Sequence[tuple[Expression, Expression]]
"""Variables of a body, and what each stands for at the beginning."""
FOREACH, WHILE, COND = "_foreach", "_while_loop", "_cond"
BODIES: dict[str, tuple[str, ...]] = {FOREACH: ("body",), WHILE: ("cond", "func"), COND: ("cond", "then", "else")}
"""The graphs of each, by the words of their attributes."""
_INSIDE = "__subgraph_name__"
"""The attribute by which MXNet's files say in which body a node is."""


class BodyExpression:
    """A group of expressions of variables of its own.

    Args:
        results: what it computes.
        inputs: names of its variables, in the order in which a call gives their values.
    """

    def __init__(self, results: Expression, inputs: Sequence[str]) -> None:
        self.results = results
        self.inputs: tuple[str, ...] = tuple(inputs)
        self._positions = [self.inputs.index(name) for name in results.list_inputs()]
        self._replay = results._replay()

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """Compute the results for values of the inputs."""
        results: list[Any] = self._replay(*(values[number] for number in self._positions))
        return results


class ControlFlow:
    """A loop or a branch, as a function of arrays.

    Args:
        word: `_foreach`, `_while_loop` or `_cond`.
        bodies: one, two or three, as in MXNet's files.
        attributes: MXNet's, by name: which input of the call goes where.
        node: of a file that it is, for errors; empty for one that was not read.
    """

    word: str
    bodies: tuple[BodyExpression, ...]
    attributes: dict[str, Any]

    def __init__(
        self, word: str, bodies: Sequence[BodyExpression], attributes: Mapping[str, Any], node: str = ""
    ) -> None:
        self.word, self.bodies, self.attributes, self._node = word, tuple(bodies), dict(attributes), node

    def __call__(self, *arrays: Any) -> Any:
        """Run it: a list of results, or the only one.

        Raises:
            LoadError E603: there is no memory for the rows that the file speaks of.
        """
        try:
            results = _RUN[self.word](self, list(arrays))
        except MemoryError as error:
            if not self._node:
                raise
            what = f"{self._node}: no memory for max_iterations={self.attributes.get('max_iterations')} ({error})"
            raise LoadError("E603", what) from error
        return results[0] if len(results) == 1 else results

    def places(self, name: str) -> list[int]:
        """Return the numbers that an attribute says."""
        return list(self.attributes.get(f"{name}_locs", ()))

    def inputs(self) -> list[list[int]]:
        """Return for each body which inputs of the call its own ones are."""
        if self.word == FOREACH:
            order = [place for name in ("in_data", "in_state", "remain") for place in self.places(name)]
            return [[order.index(place) for place in range(len(order))]]
        return [self.places(f"{name}_input") for name in BODIES[self.word]]

    @property
    def rows(self) -> int:
        """The number of results that rounds stack."""
        return int(self.attributes.get("num_out_data", 0))


# ------------------------------------------------------------------------------------------------------------ the runs


def _run_foreach(loop: ControlFlow, arrays: list[Any]) -> list[Any]:
    data, states, rest = (loop.places(name) for name in ("in_data", "in_state", "remain"))
    first, second = len(data), len(data) + len(states)
    around = dict(zip(rest, arrays[second:], strict=True))

    def body(slices: Any, now: Any) -> tuple[list[Any], list[Any]]:
        known = around | dict(zip(data, slices, strict=True)) | dict(zip(states, now, strict=True))
        results = loop.bodies[0]([known[place] for place in range(len(known))])
        return results[: loop.rows], results[loop.rows :]

    rows, last = control.foreach(body, arrays[:first], arrays[first:second])
    return [*rows, *last]


def _run_while(loop: ControlFlow, arrays: list[Any]) -> list[Any]:
    cond_places, func_places = loop.places("cond_input"), loop.places("func_input")
    variables = [func_places[place] for place in loop.places("func_var")]

    def arguments(places: list[int], now: Sequence[Any]) -> list[Any]:
        known = dict(enumerate(arrays)) | dict(zip(variables, now, strict=True))
        return [known[place] for place in places]

    def func(*now: Any) -> tuple[list[Any], list[Any]]:
        results = loop.bodies[1](arguments(func_places, now))
        return results[: loop.rows], results[loop.rows :]

    def holds(*now: Any) -> Any:
        return loop.bodies[0](arguments(cond_places, now))[0]

    most = int(loop.attributes["max_iterations"])
    rows, last = control.while_loop(holds, func, [arrays[place] for place in variables], most)
    return [*rows, *last]


def _run_cond(branch: ControlFlow, arrays: list[Any]) -> list[Any]:
    pred, then, orelse = (
        (body, [arrays[place] for place in branch.places(f"{name}_input")])
        for body, name in zip(branch.bodies, BODIES[COND], strict=True)
    )
    results = control.cond(pred[0](pred[1])[0], lambda: then[0](then[1]), lambda: orelse[0](orelse[1]))
    return listed(results)


_RUN: dict[str, Callable[[ControlFlow, list[Any]], list[Any]]] = {
    FOREACH: _run_foreach,
    WHILE: _run_while,
    COND: _run_cond,
}


# --------------------------------------------------------------------------------------------------------- the bodies


class _Scope:
    """The call of a function of the user's whose expressions are a body."""

    def __init__(self, name: str) -> None:
        outer = attributes_of(None).get(_INSIDE, "")
        self.name = name_of(None, f"{outer}${name}" if outer else name)
        self._names: set[str] = set()

    def variables(self, outer: Iterable[Expression]) -> list[Expression]:
        """Make variables that stand for slices or states: they are called `data-0`, as in MXNet."""
        variables = []
        for one in outer:
            source, number = (one.args[0], one.args[1]) if one.word == OUTPUT else (one, 0)
            with AttrScope(**{_INSIDE: self.name}):
                variables.append(var(self._new(f"{source.name}-{number}")))
        return variables

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call the user's function."""
        with AttrScope(**{_INSIDE: self.name}):
            return function(*args)

    def _new(self, name: str) -> str:
        while name in self._names:
            name = f"{name}-again"
        self._names.add(name)
        return name

    def body(self, results: Sequence[Expression], own: Pairs = ()) -> tuple[BodyExpression, list[Expression]]:
        """Return the body that some results are, and what each of its inputs is outside.

        Args:
            results: what the user's function gave.
            own: variables that stand for slices and states, and what these are at the beginning.
        """
        outer = {variable.name: one for variable, one in own}
        self._names |= outer.keys()
        copies: dict[int, Expression] = {id(variable): variable for variable, _ in own}
        mine = set(copies)

        def standing(one: Expression) -> Expression:
            """A variable of the body for what is computed outside."""
            name = self._new(one.list_outputs()[0])
            outer[name] = one
            stand = one._with((), {}, name) if one.function is None else var(name)
            stand.auxiliary = one.auxiliary
            return stand

        for part in self._inside(results, mine):
            for one in part._parts():
                if id(one) not in copies:
                    copies[id(one)] = standing(one)
            if id(part) not in copies:
                copies[id(part)] = part._with(typed(part.args, copies), typed(part.kwargs, copies))
        heads: list[Expression] = []
        for one in results:
            if id(one) not in copies:
                copies[id(one)] = standing(one)
            head = copies[id(one)]
            copied = head.function is None or any(head is other for other in heads)
            heads.append(self.call(_copied, head) if copied else head)
        whole = group(heads)
        names = whole.list_inputs()
        return BodyExpression(whole, names), [outer[name] for name in names]

    def _inside(self, results: Sequence[Expression], mine: set[int]) -> list[Expression]:
        """The calls that are of the body, operands first: made in the scope, or depending on what is inside."""
        parts: dict[int, Expression] = {}
        known: set[int] = set(mine)
        for part in group(results)._in_order() if results else []:
            if part.function is None or part.word == GROUP:
                continue
            own = part.attributes.get(_INSIDE) == self.name
            if own or any(id(one) in known for one in part._parts()):
                known.add(id(part))
                parts[id(part)] = part
        return list(parts.values())


def _copied(one: Expression) -> Expression:
    """The same value as a result of its own: no result of a body is one of its inputs, nor another result."""
    return Expression("identity", nd.identity, (one,))


_OF_BOOLS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))


def _condition(scope: _Scope, one: Expression) -> Expression:
    """A condition, as float32 where it is a comparison: MXNet takes no bools there."""
    if one.function is None or one.word not in _OF_BOOLS:
        return one
    return cast("Expression", scope.call(Expression, "cast", nd.cast, (one, "float32")))


def _opened(value: Any) -> Any:
    """A structure of single results: an expression of several is a list of them."""
    if isinstance(value, (tuple, list)):
        return [_opened(one) for one in value]
    return list(value) if isinstance(value, Expression) and value.outputs > 1 else value


def _leaves(value: Any, what: str) -> tuple[list[Expression], Structure]:
    """The expressions in a nested value, each of one result.

    Raises:
        ArgumentError E310: something in it is no expression.
    """
    leaves, structure = flatten([] if value is None else _opened(value))
    for one in leaves:
        if not isinstance(one, Expression):
            raise ArgumentError("E310", f"{what}: expected expressions, got {type(one).__name__}")
    return leaves, structure


# ------------------------------------------------------------------------------------------------------ what users call


def foreach(body: Callable[..., Any], data: Any, init_states: Any, name: str = "foreach") -> Any:
    """Run `body` over the first axis of `data`.

    Args:
        body: a function (slice of data, states) -> (step output or outputs, new states), called once, with variables.
        data: an expression or a nested list of them.
        init_states: the same.
        name: of the body, in files.

    Returns:
        (outputs stacked along a new first axis, last states)

    Raises:
        UnusedError E461: the results do not depend on a slice or a state; MXNet's files have no place for it.
    """
    scope = _Scope(name)
    rows, of_data = _leaves(data, "foreach data")
    first, of_states = _leaves(init_states, "foreach init_states")
    slices, states = scope.variables(rows), scope.variables(first)
    outputs, last = scope.call(body, unflatten(of_data, slices), unflatten(of_states, states))
    out, of_out = _leaves(outputs, "foreach outputs")
    new, of_new = _leaves(last, "foreach states")
    if len(new) != len(states):
        raise ArgumentError("E310", f"foreach: the body returned {len(new)} states for {len(states)} states")
    own = _pairs([*slices, *states], [*rows, *first])
    inner, outer = scope.body([*out, *new], own)
    _all_used(inner, own, "foreach")
    places = {one: number for number, one in enumerate(inner.inputs)}
    in_data, in_state = ([places.pop(one.name) for one in several] for several in (slices, states))
    attributes = {
        "in_data_locs": in_data, "in_state_locs": in_state, "remain_locs": [*places.values()],
        "num_out_data": len(out), "num_outputs": len(out) + len(new),
    }  # fmt: skip
    inputs = [*rows, *first, *(outer[place] for place in places.values())]
    results = _results(ControlFlow(FOREACH, [inner], attributes), inputs)
    return unflatten(of_out, results[: len(out)]), unflatten(of_new, results[len(out) :])


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: int | None = None,
    name: str = "while_loop",
) -> Any:
    """Run `func` while `cond` holds, at most `max_iterations` times.

    Args:
        cond: a function of the loop variables that gives an expression of one element.
        func: a function of the loop variables that gives (step output or outputs, new loop variables).
        loop_vars: an expression or a list of them.
        max_iterations: the number of rows of the outputs; those that are not reached are 0.
        name: of the bodies, in files.

    Returns:
        (outputs, loop variables)

    Raises:
        ValueArgumentError E345: there is no limit, or no variable.
        UnusedError E461: the results do not depend on a variable.
    """
    if max_iterations is None or int(max_iterations) < 0:
        raise ValueArgumentError("E345", f"while_loop: max_iterations must be 0 or more, got {max_iterations}")
    first, of_vars = _leaves(listed(loop_vars), "while_loop loop_vars")
    if not first:
        raise ValueArgumentError("E345", "while_loop needs at least one loop variable")
    asking, running = _Scope(f"{name}_cond"), _Scope(f"{name}_func")
    variables, states = asking.variables(first), running.variables(first)
    truth, _ = _leaves([asking.call(cond, *unflatten(of_vars, variables))], "while_loop cond")
    if len(truth) != 1:
        raise ArgumentError("E310", f"while_loop: cond must return one expression, got {len(truth)}")
    outputs, last = running.call(func, *unflatten(of_vars, states))
    out, of_out = _leaves(outputs, "while_loop outputs")
    new, _ = _leaves(listed(last), "while_loop loop_vars")
    if len(new) != len(states):
        raise ValueArgumentError("E345", f"while_loop: func returned {len(new)} loop variables for {len(states)}")
    condition, of_condition = asking.body([_condition(asking, truth[0])], _pairs(variables, first))
    inner, of_inner = running.body([*out, *new], _pairs(states, first))
    _all_used(inner, _pairs(states, first), "while_loop")
    inputs: dict[int, Expression] = {}
    attributes = {
        "cond_input_locs": _places(inputs, of_condition), "func_input_locs": _places(inputs, of_inner),
        "func_var_locs": [inner.inputs.index(one.name) for one in states],
        "max_iterations": int(max_iterations), "num_out_data": len(out), "num_outputs": len(out) + len(new),
    }  # fmt: skip
    results = _results(ControlFlow(WHILE, [condition, inner], attributes), [*inputs.values()])
    finals = unflatten(of_vars, results[len(out) :])
    return unflatten(of_out, results[: len(out)]), finals if isinstance(loop_vars, (tuple, list)) else finals[0]


def cond(pred: Any, then_func: Callable[[], Any], else_func: Callable[[], Any], name: str = "cond") -> Any:
    """Compute `then_func` if `pred` holds, else `else_func`; only one of them runs.

    Args:
        pred: an expression of one element.
        then_func: a function of nothing that gives an expression or a nested list of them.
        else_func: the same; both give as many, of the same shapes and dtypes.
        name: of the branches, in files.
    """
    scopes = [_Scope(f"{name}_{word}") for word in ("pred", "then", "else")]
    truth, _ = _leaves(pred, "cond pred")
    then, of_then = _leaves(scopes[1].call(then_func), "cond then_func")
    orelse, _ = _leaves(scopes[2].call(else_func), "cond else_func")
    if len(truth) != 1:
        raise ValueArgumentError("E345", f"cond: pred must be one expression, got {len(truth)}")
    if len(then) != len(orelse):
        raise ValueArgumentError("E345", f"cond: then_func returned {len(then)} results, else_func {len(orelse)}")
    truth = [_condition(scopes[0], truth[0])]
    inputs: dict[int, Expression] = {}
    bodies, attributes = [], {}
    for scope, word, results in zip(scopes, BODIES[COND], (truth, then, orelse), strict=True):
        body, outer = scope.body(results)
        attributes[f"{word}_input_locs"] = _places(inputs, outer)
        bodies.append(body)
    outputs = _results(ControlFlow(COND, bodies, {**attributes, "num_outputs": len(then)}), [*inputs.values()])
    return unflatten(of_then, outputs)


def _pairs(own: Sequence[Expression], outer: Sequence[Expression]) -> Pairs:
    return list(zip(own, outer, strict=True))


def _places(inputs: dict[int, Expression], several: Sequence[Expression]) -> list[int]:
    """Return the numbers of expressions among the inputs of a call, by identity, of which each is one once."""
    for one in several:
        inputs.setdefault(id(one), one)
    return [list(inputs).index(id(one)) for one in several]


def _all_used(body: BodyExpression, own: Pairs, what: str) -> None:
    for inner, one in own:
        if inner.name not in body.inputs:
            text = f"{what}: what the body gives does not depend on {one.list_outputs()[0]!r}, which MXNet's files ask"
            raise UnusedError("E461", text, help="leave the argument out, or return it as a state")


def _results(function: ControlFlow, inputs: Sequence[Expression]) -> list[Expression]:
    """The results of a loop or branch, each by itself."""
    count = function.attributes["num_outputs"]
    whole = Expression(function.word, function, inputs, outputs=count)
    return [whole._chosen(number) for number in range(count)]
