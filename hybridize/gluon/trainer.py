# SPDX-License-Identifier: Apache-2.0
"""`Trainer`: an optimizer applied to the parameters of a net, with what it remembers of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from hybridize.array import np
from hybridize.array.device import OTHERS
from hybridize.array.ndarray import ndarray
from hybridize.array.placing import place
from hybridize.base.errors import ArgumentError, AssertionFailed, LoadError, StateError
from hybridize.base.participation import ReadPolicy, WritePolicy, outside_only
from hybridize.base.tracebacks import leaves
from hybridize.capture.trace.recording import current_trace
from hybridize.gluon import spread
from hybridize.gluon.parameter import UNKNOWN, Parameter
from hybridize.gluon.update import factor, not_finite, update_in_program
from hybridize.ops.op import imperatively
from hybridize.optimizer import Optimizer, Updater
from hybridize.optimizer.stored import States, read_states, write_states


@leaves
class Trainer(spread.Updating):
    """Update parameters by their gradients.

    Args:
        params: `net.collect_params()`, or a list of parameters. Shared ones are updated once.
        optimizer: its name, or an `Optimizer`.
        optimizer_params: arguments of the optimizer, where it is given by name.
        kvstore: sums gradients where parameters are on several devices: a name, a store, or None, which sums nothing.
            On one device there is nothing to sum, and no store. `"dist_sync"` sums over all processes that mpirun or
            torchrun has started, too: all have the values of rank 0 from now on, and make the same steps.
            `"dist_async"` sends gradients to the ranks that have the weights, and takes the weights that there are.
        compression_params: of gradients that are sent; only None.
        update_on_kvstore: on several devices, whether the sum of gradients updates one array, of which the others
            become copies (None: where the store can), or each device its own, after `allreduce_grads`.
        check_finite: look at each gradient before an update: where one holds NaN or infinity, no parameter is changed,
            no update counted, and the error names the first such parameter. It reads every gradient once more.
        deterministic: with `"dist_sync"`, add gradients in the order of a tree, so that the bits of the weights do not
            depend on which of the parts of a batch are on which rank or device.

    Raises:
        ArgumentError E358: `params` or the optimizer is something else.
        ArgumentError E359: compression, or a store that is not supported.
        StateError E594: another rank has other parameters; E595: one has ended, or does not come.
        ArgumentError E396, by `step`: the optimizer was given to another trainer since.

    >>> from hybridize import autograd, gluon, np
    >>> from hybridize.gluon import nn
    >>> net = nn.Dense(1, in_units=2)
    >>> net.initialize("ones")
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    >>> with autograd.record():
    ...     net(np.ones((4, 2))).sum().backward()
    >>> trainer.step(batch_size=4)
    >>> net.weight.data()
    array([[0.5, 0.5]])
    """

    __hybridize_read__ = ReadPolicy.IDENTITY
    __hybridize_write__ = WritePolicy.IN_TURN
    __hybridize_fed__: ClassVar[Mapping[str, type | None]] = {"learning_rate": float}
    _params_to_init: tuple[Parameter, ...] = ()
    """MXNet's private list of parameters that its store does not have yet, which training loops ask for: none wait."""

    def __repr__(self) -> str:
        return f"Trainer({len(self._params)} parameters, {self._optimizer!r})"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that it updates."""
        return tuple(self._params)

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer that updates the parameters."""
        return self._optimizer

    @property
    def learning_rate(self) -> float:
        """The present learning rate."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Use another learning rate from now on. Compiled steps read it at their next call.

        Args:
            lr: the learning rate.

        Raises:
            ScheduledError E560: the optimizer has a scheduler.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2)
        >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        >>> trainer.set_learning_rate(0.01)
        >>> trainer.learning_rate
        0.01
        """
        self._optimizer.set_learning_rate(lr)

    # ---------------------------------------------------------------------------------------------------- steps

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Update all parameters by their gradients, divided by `batch_size`. If it raises, no parameter has changed.

        Args:
            batch_size: how many examples the gradients are summed over.
            ignore_stale_grad: leave out parameters that no backward pass has reached since their last update.

        Raises:
            StateError E561: a gradient is stale, without `ignore_stale_grad`.
            StateError E501, E502: a parameter is not initialized.
            AssertionFailed E520: with `check_finite`, a gradient is not finite. In a compiled step nothing has changed;
                imperatively the gradients are as backward left them, and so is what it went through, as running
                statistics.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2, use_bias=False)
        >>> net.initialize("ones")
        >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
        >>> with autograd.record():
        ...     net(np.ones((4, 2))).sum().backward()
        >>> trainer.step(4)
        >>> net.weight.data()
        array([[0.5, 0.5]])
        """
        if self._across is not None:
            with imperatively():
                self._across.begin()
        elif self._is_spread:
            if self._is_served:
                _refuse_in_program("step with kvstore='dist_async'")
                self._optimizer.rescale_grad = factor(self, batch_size) / self.scale_of_loss  # others may push at once
            self._init_kvstore()
            if not self._update_on_kvstore:
                _refuse_in_program("step of update_on_kvstore=False")
                with imperatively():
                    indices = spread.due(self, ignore_stale_grad)  # before anything is changed
                    if self._kvstore is not None:
                        self._check_finite((index, spread.summed(self._params[index])) for index in indices)
                        spread.reduce_gradients(self)
        self._update(batch_size, ignore_stale_grad, is_step=True)

    def allreduce_grads(self) -> None:
        """Sum the gradients of all devices and processes, and write the sum to each. On one device it does nothing.

        Call it before `update` if you want to look at the summed gradients, or change them.

        Raises:
            AssertionFailed E580: the store updates the weights, too (`update_on_kvstore`).

        >>> import hybridize
        >>> weight = gluon.Parameter("weight", shape=(1,), init="ones")
        >>> weight.initialize(device=[hybridize.cpu(0), hybridize.cpu(1)])
        >>> trainer = gluon.Trainer([weight], "sgd", update_on_kvstore=False)
        >>> with autograd.record():
        ...     losses = [factor * one for factor, one in zip((1, 2), weight.list_data())]
        >>> autograd.backward(losses)
        >>> trainer.allreduce_grads()
        >>> weight.list_grad()
        [array([3.]), array([3.])]
        """
        if self._is_spread or self._across is not None:
            self._init_kvstore()
            spread.refuse_on_store(self, "allreduce_grads")
            _refuse_in_program("allreduce_grads")
            with imperatively():
                if self._across is not None:
                    self._across.begin()
                spread.reduce_gradients(self)

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Update all parameters, as `step` does, but without the sum over devices: call `allreduce_grads` before.

        Args:
            batch_size: how many examples the gradients are summed over.
            ignore_stale_grad: leave out parameters that no backward pass has reached since their last update.

        Raises:
            AssertionFailed E580: parameters are on several devices, and the store updates them.
            StateError E561, E501, E502, AssertionFailed E520: as `step`.

        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2, use_bias=False)
        >>> net.initialize("ones")
        >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
        >>> with autograd.record():
        ...     net(np.ones((4, 2))).sum().backward()
        >>> trainer.allreduce_grads()
        >>> net.weight.grad()
        array([[4., 4.]])
        >>> trainer.update(4)
        """
        if self._is_spread or self._across is not None:
            self._init_kvstore()
            spread.refuse_on_store(self, "update")
            _refuse_in_program("update")
        self._update(batch_size, ignore_stale_grad)

    def _init_kvstore(self) -> None:
        """Make the store for several devices, if there is none yet."""
        if not self._kv_initialized:
            with imperatively():
                spread.make_store(self)

    def _check_finite(self, grads: Iterable[tuple[int, Any]]) -> None:
        """With `check_finite`, refuse gradients that are not finite; each comes with the number of its parameter."""
        for index, grad in grads if self.check_finite else ():
            if not np.isfinite(grad).all():
                raise AssertionFailed("E520", not_finite(self, index))

    def _check_owner(self) -> None:
        """Refuse to update by an optimizer that counts the updates of another trainer."""
        if self._optimizer.param_dict is not self._numbered:
            raise ArgumentError(
                "E396",
                "the optimizer of this trainer was passed to another trainer and now counts the updates of that one",
                help="use one optimizer for each trainer",
            )

    def _update(self, batch_size: float, ignore_stale_grad: bool, is_step: bool = False) -> None:
        self._check_owner()
        trace = current_trace()
        if trace is not None:
            update_in_program(trace, self, batch_size, ignore_stale_grad)
            return
        across = self._across if is_step else None
        self._optimizer.rescale_grad = factor(self, batch_size) / self.scale_of_loss
        with imperatively():
            indices, weights, grads = self._due(ignore_stale_grad)
            is_spread = self._is_spread
            if across is not None:
                grads = across.summed(indices)
            numbered: Sequence[tuple[int, Any]] = []
            if self.check_finite or self.loss_scaler is not None:
                by_device = is_spread and across is None
                numbered = spread.gradients(self, indices) if by_device else [*zip(indices, grads, strict=True)]
            accepted = self.loss_scaler is None or self.loss_scaler.accepts([grad for _, grad in numbered])
            if accepted:
                self._check_finite(numbered)
            if accepted and across is not None:
                spread.update_by(self, indices, grads)
            elif accepted and not is_spread:
                self._updaters[0](indices, grads, weights)
            elif accepted and indices:
                (spread.update_on_store if self._update_on_kvstore else spread.update_each)(self, indices)
        for index in indices:
            self._params[index].fresh_grad = False

    # ---------------------------------------------------------------------------------------------------- files

    @outside_only("writes a file")
    def save_states(self, fname: str | os.PathLike[str]) -> None:
        """Write what training needs to go on, besides the parameters: slots, counts, settings, the schedule.

        `net.save_parameters` writes the parameters. An existing file is replaced when the new one is whole.

        Args:
            fname: the file.

        Raises:
            WriteError E335: it cannot be written there.
            StateError E577: the ranks that serve the weights have the states (`dist_async`).

        >>> import tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize()
        >>> trainer = gluon.Trainer(net.collect_params(), "adam")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     trainer.save_states(folder + "/adam.states")
        ...     trainer.load_states(folder + "/adam.states")
        """
        self._refuse_served("save_states")
        parameters = [
            (path, parameter.shape if parameter.shape_is_known else None, parameter.dtype.name)
            for path, parameter in zip(self._paths, self._params, strict=True)
        ]
        write_states(fname, self._optimizer, self._updaters[0].states, parameters)

    @outside_only("reads a file")
    def load_states(self, fname: str | os.PathLike[str]) -> None:
        """Continue from what `save_states` wrote. With the same parameters the next steps give the same bits.

        If it raises, nothing has changed.

        Args:
            fname: the file.

        Raises:
            LoadError E600: the file cannot be opened.
            LoadError E660, E661: it holds something else, is damaged or incomplete.
            LoadError E662: it is of another optimizer or schedule.
            LoadError E663: it is of other parameters.

        >>> import tempfile
        >>> from hybridize.gluon import nn
        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize()
        >>> trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.25})
        >>> other = gluon.Trainer(net.collect_params(), "adam")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     trainer.save_states(folder + "/adam.states")
        ...     other.load_states(folder + "/adam.states")
        >>> other.learning_rate
        0.25
        """
        self._refuse_served("load_states")
        states = read_states(fname)
        self._check(states)
        if self._is_spread:
            self._init_kvstore()
            spread.provide_updaters(self)
        for turn, updater in enumerate(self._updaters):
            updater.take(read_states(fname) if turn else states)  # arrays of its own
            if OTHERS:
                self._place(updater, turn)

    def _refuse_served(self, call: str) -> None:
        if self._is_served:
            raise StateError(
                "E577",
                f"{call}() of a trainer with kvstore='dist_async', whose states other ranks have, too",
                help="save the parameters alone, or use kvstore='dist_sync'",
            )

    def _place(self, updater: Updater, turn: int) -> None:
        """Let the states of an updater be where the weights are that it updates."""
        for index, state in updater.states.items():
            copies = self._params[index]._copies()
            for array in _arrays(state):
                place(array, copies[min(turn, len(copies) - 1)]._home)

    def _check(self, states: States) -> None:
        theirs = states.parameters or ()
        if len(theirs) != len(self._params):
            raise _other(states, f"{len(theirs)} parameters, this trainer has {len(self._params)}")
        for index, (path, shape, dtype) in enumerate(theirs):
            mine, parameter = self._paths[index], self._params[index]
            if path and mine and path != mine:
                raise _other(states, f"parameter {path!r} where this trainer has {mine!r}")
            if dtype != parameter.dtype.name or not _fits(shape, parameter.shape):
                what = f"parameter {self._called(index)!r} as {dtype}{list(shape) if shape is not None else ''}"
                raise _other(states, f"{what}, here it is {parameter.dtype.name}{list(parameter.shape or ())}")
        for index, state in states.states.items():
            if index not in range(len(self._params)):
                raise _other(states, f"a state for parameter {index!r}")
            if type(self._optimizer).create_state is not Optimizer.create_state:
                continue  # of any shape that the user likes
            for array in _arrays(state):
                if not _fits(array.shape, self._params[index].shape):
                    what = f"a state of shape {list(array.shape)} for parameter {self._called(index)!r}"
                    raise _other(states, what)


def _refuse_in_program(what: str) -> None:
    """Refuse to be part of a program that runs over several devices.

    Raises:
        StateError E562: one is captured.
    """
    if current_trace() is not None:
        raise StateError(
            "E562",
            f"a trainer's {what} over several devices or processes in a compiled function",
            help="compile step() with kvstore='device' or 'dist_sync', which update on the store, or call it outside",
        )


def _fits(theirs: tuple[int, ...] | None, mine: tuple[int, ...] | None) -> bool:
    """Tell whether two shapes may be one, as far as they are known."""
    if theirs is None or mine is None:
        return True
    return len(theirs) == len(mine) and all(UNKNOWN in (a, b) or a == b for a, b in zip(theirs, mine, strict=True))


def _arrays(state: Any) -> list[ndarray]:
    if isinstance(state, (tuple, list)):
        return [array for part in state for array in _arrays(part)]
    return [state] if isinstance(state, ndarray) else []


def _other(states: States, what: str) -> LoadError:
    return LoadError("E663", f"{states.source} has {what}", help="create the trainer with the parameters of the states")
