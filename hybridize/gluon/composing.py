# SPDX-License-Identifier: Apache-2.0
"""Blocks applied to symbols: `net(mx.sym.var("data"))` gives an expression, without weights, hybridized or not.

A net composes as it is written: its `hybrid_forward` gets `hybridize.symbol` as `F`, and variables for its parameters.
A layer of ours is one node, `dense0_fwd`: a `LayerCall`, which computes what the layer does, of inputs and of values in
place of its parameters. Variables have the names and the known shapes of parameters; unknown ones follow from the data,
by what the layer itself says of them.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any

from hybridize import symbol
from hybridize.base.errors import ArgumentError, UntypedError
from hybridize.base.nested import listed
from hybridize.base.prefixes import Prefix, name_of
from hybridize.base.types import Shape
from hybridize.gluon.block import Block
from hybridize.gluon.hybrid_block import COMPOSING, HybridBlock
from hybridize.gluon.nn.basic import HybridLambda
from hybridize.gluon.overriding import ParameterValue
from hybridize.gluon.parameter import Parameter
from hybridize.gluon.rnn.unrolling import check_layout
from hybridize.gluon.spelled import spelled
from hybridize.gluon.symbol_block import SymbolBlock
from hybridize.ops.op import imperatively
from hybridize.symbol.expression import Expression
from hybridize.symbol.operators import Shaping

_SCOPE: ContextVar[Prefix | None] = ContextVar("scope", default=None)
"""The names of the innermost block that is composed."""
_VARIABLES: weakref.WeakKeyDictionary[Parameter, Expression] = weakref.WeakKeyDictionary()
_NAMED = {
    "Flatten": "flatten", "LayerNorm": "layernorm", "GroupNorm": "groupnorm", "ELU": "leakyrelu", "SELU": "leakyrelu",
    "GELU": "leakyrelu", "RNN": "rnn", "LSTM": "rnn", "GRU": "rnn", "ReflectionPad2D": "pad",
}  # fmt: skip
"""Layers whose operation MXNet calls by its word and a count, `flatten0`; that of all others is `fwd`."""


def variable(parameter: Parameter) -> Expression:
    """Return the variable of a parameter: always the same, so that blocks that share one share the other."""
    known = _VARIABLES.get(parameter)
    shape = None if parameter.shape is None else tuple(max(size, 0) for size in parameter.shape)
    if known is None or (known.shape_hint, known.name) != (shape, parameter.name):
        known = symbol.var(parameter.name, shape=shape, dtype=parameter.dtype)
        _VARIABLES[parameter] = known
    return known


def composed(block: HybridBlock, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a block gives of symbols: a symbol, or several as the block nests them."""
    inside = _SCOPE.get()
    scope = inside if inside is not None and inside.prefix == block.prefix else Prefix(block.prefix)
    token, mode = _SCOPE.set(scope), COMPOSING.set(True)
    try:
        with scope:
            return block._run_with_hooks(partial(_composed, block), args, kwargs)
    finally:
        _SCOPE.reset(token)
        COMPOSING.reset(mode)


def _composed(block: HybridBlock, *args: Any, **kwargs: Any) -> Any:
    if isinstance(block, SymbolBlock):
        return block._applied_to(args)
    if type(block).forward is HybridBlock.forward and hasattr(block, "hybrid_forward"):
        variables = {name: variable(parameter) for name, parameter in block._parameters.items()}
        return block.hybrid_forward(symbol, *args, **kwargs, **variables)
    if block._is_layer and (block._parameters or not block._children) and not isinstance(block, HybridLambda):
        return _node(block, args, kwargs)
    try:
        own = {name: ParameterValue(variable(one), one) for name, one in block._parameters.items()}
        return (_view(block, own) if own else block).forward(*args, **kwargs)
    except UntypedError:
        if not block._is_layer:
            raise
        return _node(block, args, kwargs)


def _node(layer: HybridBlock, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the call of a layer as a node; an activation that is a block of its own is one more."""
    after = getattr(layer, "act", None)
    call = LayerCall(layer, after if isinstance(after, HybridBlock) else None)
    states = next((one for one in (*args[1:], kwargs.get("states")) if isinstance(one, (list, tuple))), None)
    kind = type(layer).__name__
    name = name_of(None, _NAMED[kind]) if kind in _NAMED else name_of("fwd", "fwd")
    values = [variable(one) for one in call.parameters]
    count = 1 if states is None else 1 + len(states)
    node = Expression(kind, call, (args, kwargs, values), outputs=count)
    node.name = name
    for one, parameter in zip(values, call.parameters, strict=True):
        one.auxiliary = not parameter._differentiable
    if states is not None:
        first, *rest = (node[number] for number in range(count)) if states else [node]
        return first, rest
    return node if call.after is None else call.after(node)


def unrolled(
    cell: Any, length: int | None, inputs: Any, begin_state: Any, layout: str, merge_outputs: bool | None, lengths: Any
) -> tuple[Any, list[Any]]:
    """Return what a cell gives of the steps of symbols, one after the other, as its `unroll` does of arrays.

    Raises:
        ArgumentError E331: the number of steps is not given, or another one than there are.
    """
    axis = check_layout(layout)
    several = isinstance(inputs, (list, tuple))
    count = len(inputs) if several and length is None else length
    if count is None or (several and count != len(inputs)):
        what = f"unroll of symbols over length={length}" + (f" of {len(inputs)} steps" if several else "")
        raise ArgumentError("E331", what, help="give the number of steps: cell.unroll(length, inputs)")
    parts = symbol.split(inputs, num_outputs=count, axis=axis, squeeze_axis=True) if not several else inputs
    steps = list(inputs if several else [parts[number] for number in range(count)] if count > 1 else [parts])
    states = begin_state
    if states is None:
        none = symbol.zeros_like(symbol.sum(steps[0], axis=0, exclude=True))  # one for each sequence
        sizes = [info["shape"][1:] for info in cell.state_info(0)]
        states = [
            symbol.broadcast_axis(
                symbol.reshape(none, shape=(-1, *(1,) * len(size))), axis=tuple(range(1, 1 + len(size))), size=size
            )
            for size in sizes
        ]
    outputs, after = [], []
    for step in steps:
        output, states = cell(step, states)
        outputs.append(output)
        after.append(states)
    if lengths is not None:
        whole = symbol.stack(*outputs, axis=0)
        masked = symbol.SequenceMask(whole, lengths, use_sequence_length=True, axis=0)
        states = [
            symbol.SequenceLast(symbol.stack(*several, axis=0), lengths, use_sequence_length=True, axis=0)
            for several in zip(*after, strict=True)
        ]
        outputs = [symbol.squeeze(symbol.slice_axis(masked, axis=0, begin=k, end=k + 1), axis=0) for k in range(count)]
    merge = lengths is not None if merge_outputs is None else merge_outputs
    return symbol.stack(*outputs, axis=axis) if merge else outputs, states


class LayerCall(Shaping):
    """The computation of a layer of ours, of inputs and of values in place of its parameters.

    Args:
        layer: the layer.
        after: a block below it that it applies last, and that is left out.
    """

    def __init__(self, layer: HybridBlock, after: HybridBlock | None) -> None:
        self.after = after
        self._layer = layer if after is None else _view(layer, {"act": None})
        self.parameters: list[Parameter] = list({id(one): one for one in _parameters_of(self._layer)}.values())
        """Those of the layer and of the blocks below it, each once."""

    def __call__(self, args: Sequence[Any], kwargs: dict[str, Any], values: Sequence[Any]) -> Any:
        parts = {id(one): ParameterValue(value, one) for one, value in zip(self.parameters, values, strict=True)}
        result = _replaced(self._layer, parts).forward(*args, **kwargs)
        if not isinstance(result, tuple):
            return result
        several = [one for part in listed(result) for one in listed(part)]
        return several if len(several) > 1 else several[0]

    def spelled(self, inputs: Sequence[Any], name: str) -> list[Any] | None:
        args, kwargs, values = inputs
        states = {} if "states" not in kwargs else {"states": kwargs["states"]}
        return spelled(self._layer, [*args, *states.values()], values, name) if states.keys() == kwargs.keys() else None

    def shapes(self, inputs: Any, known: Sequence[Shape]) -> list[Shape]:
        args, kwargs = inputs
        fresh = [
            Parameter(one.name, shape=shape, dtype=one.dtype, allow_deferred_init=True, init="zeros")
            for one, shape in zip(self.parameters, known, strict=True)
        ]
        layer = _replaced(self._layer, {id(old): new for old, new in zip(self.parameters, fresh, strict=True)})
        with imperatively():
            for one in fresh:
                one.initialize()
            layer.infer_shape(*args)
            if any(one.deferred for one in fresh):
                layer.forward(*args, **kwargs)
        return [tuple(max(size, 0) for size in one.shape or ()) for one in fresh]


def _parameters_of(block: Block) -> Iterator[Parameter]:
    yield from block._parameters.values()
    for child in block._children.values():
        yield from _parameters_of(child)


def _view(block: Any, changes: dict[str, Any]) -> Any:
    """Return a block with other attributes, which shares all else; an attribute that becomes None is no child."""
    view: Any = object.__new__(type(block))
    vars(view).update(vars(block) | changes)
    for kind in ("_parameters", "_children"):
        members = {name: changes.get(name, one) for name, one in vars(block)[kind].items()}
        view.__dict__[kind] = {name: one for name, one in members.items() if one is not None}
    view.__dict__ |= {"_function": None, "_compiled": None}
    return view


def _replaced(block: Any, parts: dict[int, Any]) -> Any:
    """Return a view of a block, and of those below it, that has other things in place of its parameters."""
    children = {id(one): _replaced(one, parts) for one in block._children.values()}
    other = parts | children
    changes = {name: other[id(one)] for name, one in vars(block).items() if id(one) in other}
    view = _view(block, changes)
    for kind in ("_parameters", "_children"):
        view.__dict__[kind] = {name: other.get(id(one), one) for name, one in vars(block)[kind].items()}
    return view
