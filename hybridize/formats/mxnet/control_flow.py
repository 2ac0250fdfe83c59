# SPDX-License-Identifier: Apache-2.0
"""MXNet's control flow in files: `_foreach`, `_while_loop` and `_cond`, whose bodies are graphs in their nodes.

    _foreach      inputs: data, states, rest; `..._locs` say which input of the body each is
    _while_loop   `cond_input_locs`, `func_input_locs`: which inputs of the node the graphs take; `func_var_locs`: which
                  of the latter are loop variables
    _cond         `..._input_locs`: which inputs of the node the three graphs take

Rows that a `_while_loop` does not reach are 0; in MXNet they are what was in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.base.dtypes import bool_
from hybridize.base.types import TensorType
from hybridize.formats.mxnet.attributes import Attributes
from hybridize.formats.mxnet.operands import cast, like, reshape, shape_of
from hybridize.ops import BitAnd, Cond, Ne, Scan, make_graph
from hybridize.ops.op import Operand, bind, bind1, type_of
from hybridize.ops.views import full

_BOOL = TensorType((), bool_)
Run = Callable[[int, Sequence[Operand]], list[Operand]]
"""From the number of a graph of a node, and operands in the order of its inputs, to its results."""


def locations(a: Attributes, name: str, count: int) -> list[int]:
    """Return an attribute that is a list of numbers of inputs, of which there are so many."""
    found = list(a.integers(name, ()))
    if not all(0 <= one < count for one in found):
        a.fail(f"{name} is {found}, of {count} inputs")
    return found


def _truth(a: Attributes, x: Operand) -> Operand:
    """Return the one element of a condition as bool[]."""
    kind = type_of(x)
    if kind.ndim and any(size != 1 for size in kind.shape):
        a.fail(f"its condition is {kind}, and no single number")
    one = x if kind.dtype == bool_ else bind1(Ne(), x, like(0, x))
    return reshape(one, ())


def foreach(a: Attributes, operands: list[Operand], run: Run) -> tuple[Operand, ...]:
    """`_foreach`: the body over the rows of its data; stacked outputs, then the last states."""
    count = len(operands)
    data, states, rest = (locations(a, f"{name}_locs", count) for name in ("in_data", "in_state", "remain"))
    outputs = a.integer("num_out_data", 0)
    first, second = len(data), len(data) + len(states)
    if not data or sorted([*data, *states, *rest]) != list(range(count)):
        a.fail(f"its body takes {len(data)} slices, {len(states)} states and {len(rest)} others of {count} inputs")
    order = [*states, *data, *rest]
    given = [*operands[first:second], *operands[:first], *operands[second:]]
    kinds = [type_of(x) for x in given]
    for k in range(len(states), len(states) + first):
        kinds[k] = kinds[k].with_shape(kinds[k].shape[1:])

    def step(*inputs: Operand) -> list[Operand]:
        by_place = dict(zip(order, inputs, strict=True))
        found = run(0, [by_place[k] for k in range(count)])
        return [*(cast(x, kind.dtype) for x, kind in zip(found[outputs:], kinds, strict=False)), *found[:outputs]]

    length: Any = shape_of(operands[0])[0]
    found = bind(Scan(make_graph(step, kinds), length, False, len(states)), *given)
    return (*found[len(states) :], *found[: len(states)])


def while_loop(a: Attributes, operands: list[Operand], run: Run) -> tuple[Operand, ...]:
    """`_while_loop`: at most `max_iterations` rounds; outputs of so many rows, then the last variables."""
    count = len(operands)
    of_cond, of_func = (locations(a, f"{name}_input_locs", count) for name in ("cond", "func"))
    variables = [of_func[k] for k in locations(a, "func_var_locs", len(of_func))]
    outputs, rounds = a.integer("num_out_data", 0), a.integer("max_iterations", 0)
    kinds = [type_of(x) for x in operands]
    state = [kinds[k] for k in variables]

    def now(inputs: Sequence[Operand], state: Sequence[Operand], places: list[int]) -> list[Operand]:
        known = {**dict(enumerate(inputs)), **dict(zip(variables, state, strict=True))}
        return [known[k] for k in places]

    def body(*given: Operand) -> list[Operand]:
        found = run(1, now(given[len(state) :], given[: len(state)], of_func))
        return [*(cast(x, kind.dtype) for x, kind in zip(found[outputs:], state, strict=True)), *found[:outputs]]

    round_ = make_graph(body, [*state, *kinds])
    rows = [value.type for value in round_.outputs[len(state) :]]
    rest = make_graph(lambda *given: [*given[: len(state)], *(full(0, kind) for kind in rows)], [*state, *kinds])

    def step(running: Operand, *given: Operand) -> list[Operand]:
        asked = _truth(a, run(0, now(given[len(state) :], given[: len(state)], of_cond))[0])
        going = bind1(BitAnd(), running, asked)
        return [going, *bind(Cond(round_, rest), going, *given)]

    start = full(True, _BOOL)
    graph = make_graph(step, [_BOOL, *state, *kinds])
    found = bind(Scan(graph, rounds, False, 1 + len(state)), start, *(operands[k] for k in variables), *operands)
    return (*found[1 + len(state) :], *found[1 : 1 + len(state)])


def cond(a: Attributes, operands: list[Operand], run: Run) -> tuple[Operand, ...]:
    """`_cond`: the results of one of two graphs."""
    count = len(operands)
    asked, then, orelse = (locations(a, f"{name}_input_locs", count) for name in ("cond", "then", "else"))
    kinds = [type_of(x) for x in operands]

    def side(number: int, places: list[int]) -> Any:
        return make_graph(lambda *given: run(number, [given[k] for k in places]), kinds)

    test = _truth(a, run(0, [operands[k] for k in asked])[0])
    return tuple(bind(Cond(side(1, then), side(2, orelse)), test, *operands))


CONTROL: dict[str, tuple[int, Callable[[Attributes, list[Operand], Run], tuple[Operand, ...]]]] = {
    "_foreach": (1, foreach),
    "_while_loop": (2, while_loop),
    "_cond": (3, cond),
}
"""By MXNet's name: the number of graphs in the node, and what applies it."""
