# SPDX-License-Identifier: Apache-2.0
"""A trainer's update as part of a compiled step."""

from __future__ import annotations

from typing import Any

from hybridize.array import np
from hybridize.array.ndarray import history, ndarray
from hybridize.array.operands import operand
from hybridize.array.placing import moved
from hybridize.array.symbol import Symbol
from hybridize.array.traced import Variable
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import float64
from hybridize.base.errors import StateError, ValueArgumentError
from hybridize.base.settings import number
from hybridize.capture.trace.recording import Recording
from hybridize.contract.feeds import Feed, FeedInFile, SharedStates
from hybridize.gluon.parameter import Parameter
from hybridize.gluon.spread import Updating, is_fresh, total_of
from hybridize.ops import Assert, Cast, size_of
from hybridize.ops.op import Operand, bind, bind1, imperatively
from hybridize.optimizer import Optimizer
from hybridize.optimizer.captured import CAPTURABLE


class Turn(Feed):
    """The feed of a trainer's update in a program: what it depends on besides the settings of the optimizer.

    Args:
        trainer: whose update it is.
        scale: the optimizer's factor on gradients; None where the program computes it.
        due: what the update is of: parameters by index, and what the trainer remembers of them.
        fresh: variables whose gradients the program does not write, and whether it takes them for fresh.
    """

    def __init__(
        self, trainer: Updating, scale: float | None, due: dict[int, Any], fresh: dict[Variable, bool]
    ) -> None:
        self._trainer, self._scale, self._due, self._fresh = trainer, scale, due, fresh
        self._requests = [parameter._grad_req for parameter in trainer._params]
        self._checks = trainer.check_finite

    def before(self) -> Any:
        """Return the scale."""
        return self._trainer._optimizer.rescale_grad

    def begin(self, before: Any) -> bool:
        """Set the scale."""
        trainer = self._trainer
        states = trainer._updaters[0].states
        if trainer.check_finite is not self._checks or trainer._optimizer.param_dict is not trainer._numbered:
            return False
        if trainer.loss_scaler is not None:  # since then
            return False
        if any(states.get(index) is not state for index, state in self._due.items()):
            return False
        if any(variable.fresh is not fresh for variable, fresh in self._fresh.items()):
            return False
        if [parameter._grad_req for parameter in trainer._params] != self._requests:
            return False
        if self._scale is not None:
            trainer._optimizer.rescale_grad = self._scale
        return True

    def in_file(self, shared: SharedStates) -> FeedInFile | None:
        """Name the parameters, and what the optimizer remembers of each."""
        trainer, names = self._trainer, {}
        for index, parameter in enumerate(trainer._params):
            if parameter._elsewhere:
                return None
            if parameter._array is not None:
                names[id(parameter._array)] = trainer._called(index)
        for index, state in self._due.items():
            slots = state if isinstance(state, tuple) else (state,)
            arrays = (slot for slot in slots if isinstance(slot, ndarray))
            names |= {id(slot): f"{trainer._called(index)}.slot{k}" for k, slot in enumerate(arrays)}
        return FeedInFile(names)

    def rollback(self, before: Any) -> None:
        """Put the scale back."""
        self._trainer._optimizer.rescale_grad = before


def update_in_program(trace: Recording, trainer: Updating, batch_size: Any, ignore_stale_grad: bool) -> None:
    """`Trainer.update` while a program is captured.

    Raises:
        StateError E562: the optimizer says itself how it updates, in Python, or where data decides whether it does.
        StateError E561, E501, E502: as imperatively.
    """
    optimizer = trainer._optimizer
    for name in ("step", "update", "update_multi_precision"):
        own = getattr(type(optimizer), name)
        if own is not getattr(Optimizer, name) and own not in CAPTURABLE:
            raise StateError(
                "E562",
                f"{type(optimizer).__name__} overrides {name}(), whose numbers would become constants of the program",
                help="define formula() and scalars(), or call step() outside the compiled function",
            )
    if trainer.loss_scaler is not None:
        raise StateError(
            "E562",
            "the step of a trainer that scales its loss is skipped depending on data",
            help="call step() outside of the compiled function",
        )
    if trace.depth:
        raise StateError(
            "E562",
            "a trainer's step in a branch or loop that depends on data",
            help="compute the gradients in the branch or loop, and call step() after it",
        )
    scale = _scale(trace, trainer, batch_size)
    indices, weights, _ = trainer._due(ignore_stale_grad)
    updater = trainer._updaters[0]
    with imperatively():
        updater.make_ready(indices, weights)
    states = {index: updater.states[index] for index in indices}
    turn = Turn(trainer, scale if type(scale) is float else None, states, _freshness(trace, trainer))
    trace.feed(turn, turn.before())
    optimizer.rescale_grad = scale
    symbols = [trace.lift(weight) for weight in weights]
    if trainer._across is not None:
        grads = trainer._across.in_program(indices, lambda one: trace.gradient(trace.lift(one._held())))
    else:
        pairs = zip(indices, symbols, strict=True)
        grads = [_gradient(trace, trainer._params[index], symbol) for index, symbol in pairs]
    if trainer.check_finite:
        here = trace.root.location()
        line = "" if here is None else f"\n  {here.described()}"  # else only that of the call would be known
        for index, grad in zip(indices, grads, strict=True):
            if grad is not None:
                bind(Assert(not_finite(trainer, index) + line), operand(np.isfinite(grad)))
    optimizer.update_multi_precision(indices, symbols, grads, list(states.values()))
    for index, symbol in zip(indices, symbols, strict=True):
        first, *others = trainer._params[index]._copies()
        for one in others:
            trace.lift(one._held())[...] = symbol
        for one in (first, *others):
            variable = one._variable
            assert variable is not None
            trace.root.history.set_fresh(variable, False)


def _gradient(trace: Recording, parameter: Parameter, symbol: Symbol) -> Any:
    """The gradient of a parameter, over several devices the sum of those that are fresh."""
    if not parameter._elsewhere:
        return trace.gradient(symbol)
    grads = [trace.gradient(trace.lift(one._held())) for one in parameter._copies() if is_fresh(one)]
    return moved(total_of(grads), parameter._home)


def _scale(trace: Recording, trainer: Updating, batch_size: Any) -> Any:
    """The factor on gradients: a number, or what the program makes of a size that only calls know."""
    if is_symbolic(batch_size):
        return trainer._scale / _as_array(trace, size_of(batch_size))
    if type(batch_size) is Symbol:
        size = _as_array(trace, batch_size.operand())
        if size.size != 1:
            raise ValueArgumentError("E353", f"batch_size must be a positive number, got {size.type}")
        size = size.reshape(())
        bind(Assert("the batch_size of a trainer's step is a positive number"), (size > 0).operand())
        return trainer._scale / size
    return factor(trainer, batch_size)


def factor(trainer: Updating, batch_size: Any) -> float:
    """Return the factor of gradients that are sums over so many examples.

    Raises:
        ValueArgumentError E353: `batch_size` is no positive number.
    """
    size = number("batch_size", batch_size)
    if size <= 0:
        raise ValueArgumentError(
            "E353",
            f"batch_size must be a positive number, got {batch_size!r}",
            help="pass the number of samples of the batch: trainer.step(len(x))",
        )
    return trainer._scale / size


def not_finite(trainer: Updating, index: int) -> str:
    """Describe a gradient that is not finite."""
    return (
        f"the gradient of parameter {trainer._called(index)!r} is not finite; no parameter was updated "
        "(look at the data of the batch, or take a smaller learning rate)"
    )


def _as_array(trace: Recording, value: Operand) -> Any:
    """A size as an array of the program."""
    return Symbol.of(trace, bind1(Cast(float64), value))


def _freshness(trace: Recording, trainer: Updating) -> dict[Variable, bool]:
    """The variables that were asked whether they are fresh and are not written by the program."""
    freshness: dict[Variable, bool] = {}
    for parameter in (one for each in trainer._params for one in each._copies()):
        traced = None if parameter._array is None else history(parameter._array)
        variable = None if traced is None else traced.variable
        if variable is not None and variable not in trace.root.history.fresh:
            freshness[variable] = variable.fresh
    return freshness
