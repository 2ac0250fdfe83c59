# SPDX-License-Identifier: Apache-2.0
"""A trainer's steps where parameters are on several devices: gradients summed over them, and all arrays updated.

As in MXNet there are two ways. On a store that updates (`update_on_kvstore`, the default) the sum of the gradients
updates the first array, and the others become copies of it. Else `allreduce_grads` writes the sum to every gradient,
and each device updates its own array, with an updater of its own; without any store nothing is summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from hybridize.array.ndarray import ndarray
from hybridize.array.placing import moved
from hybridize.base.errors import AssertionFailed, StateError, ValueArgumentError
from hybridize.gluon.parameter import Parameter
from hybridize.kvstore import KVStore, KVStoreBase, create
from hybridize.kvstore.base import total_of as total_of
from hybridize.optimizer import Optimizer, Updater


class Updating(Protocol):
    """A trainer, as its updates see it: in a program, and over several devices."""

    check_finite: bool
    loss_scaler: Any
    _params: list[Parameter]
    _optimizer: Optimizer
    _updaters: list[Updater]
    _numbered: dict[int, Parameter]
    _scale: float
    _asked_store: tuple[Any, bool | None]
    _kvstore: Any
    _kv_initialized: bool
    _update_on_kvstore: bool | None

    def _due(self, ignore_stale_grad: bool) -> tuple[list[int], list[ndarray], list[ndarray]]: ...

    def _called(self, index: int) -> str: ...


def make_store(trainer: Updating) -> None:
    """Make the store that the trainer was asked to use, and say who updates.

    Raises:
        ValueArgumentError E345: updates are to be on a store that has no optimizer, or on none.
    """
    setting, on_store = trainer._asked_store
    store = create(setting) if isinstance(setting, str) else setting
    if on_store and (store is None or not store.is_capable(KVStoreBase.OPTIMIZER)):
        what = f"update_on_kvstore=True with kvstore={setting!r}, which does not update weights"
        raise ValueArgumentError("E345", what, help="say update_on_kvstore=False, or kvstore='device'")
    if on_store is None:
        on_store = store is not None and bool(store.is_capable(KVStoreBase.OPTIMIZER))
    if isinstance(store, KVStore):
        if on_store:
            store._set_updater(trainer._updaters[0])
    elif store is not None:
        if on_store:
            store.set_optimizer(trainer._optimizer)
        for index, parameter in enumerate(trainer._params):
            arrays = parameter.list_data()
            store.broadcast(index, arrays[0], arrays)
    trainer._kvstore, trainer._update_on_kvstore, trainer._kv_initialized = store, bool(on_store), True


def refuse_on_store(trainer: Updating, call: str) -> None:
    """Refuse half a step of a trainer whose store does it in one.

    Raises:
        AssertionFailed E580: it has such a store.
    """
    if trainer._update_on_kvstore:
        raise AssertionFailed(
            "E580",
            f"{call}() of a trainer whose store updates the weights of several devices",
            help="say update_on_kvstore=False where the trainer is made",
        )


def due(trainer: Updating, ignore_stale_grad: bool) -> list[int]:
    """Return the parameters that are to be updated, by number.

    Raises:
        StateError E561: a gradient of one of the devices is stale, without `ignore_stale_grad`.
    """
    indices = []
    for index, parameter in enumerate(trainer._params):
        if parameter.grad_req == "null":
            continue
        stale = [one for one in parameter.copies() if not is_fresh(one)]
        if stale and not ignore_stale_grad:
            parameter.list_data()  # where it is not initialized, that is what is wrong
            raise StateError(
                "E561",
                f"the gradient of parameter {trainer._called(index)!r} on {stale[0]._home} has not been written by "
                "backward since the last step",
                help="give every device a part of the batch, or say step(batch_size, ignore_stale_grad=True)",
            )
        if len(stale) < len(parameter.copies()):
            indices.append(index)
    return indices


def is_fresh(parameter: Parameter) -> bool:
    """Tell whether a backward pass has written the gradient of one device since the last update."""
    variable = parameter._variable
    return variable is not None and variable.fresh


def summed(parameter: Parameter) -> Any:
    """Return the sum of the gradients of the devices that a backward pass has reached, on the first device."""
    fresh = [one._held().grad for one in parameter.copies() if is_fresh(one)]
    return moved(total_of(fresh), parameter._home)


def reduce_gradients(trainer: Updating) -> None:
    """Write the sum over devices to each gradient of a parameter that a backward pass has reached."""
    store = trainer._kvstore
    for index, parameter in enumerate(trainer._params):
        if store is None or parameter.grad_req == "null" or not any(map(is_fresh, parameter.copies())):
            continue
        grads = parameter.list_grad()
        if isinstance(store, KVStore):
            total = summed(parameter)
            for grad in grads:
                grad[...] = total
        else:
            store.pushpull(index, grads)
        for one in parameter.copies():
            one.fresh_grad = True


def update_on_store(trainer: Updating, indices: Sequence[int]) -> None:
    """Update the first array of each parameter by the sum of its gradients, and let the others be copies of it."""
    parameters = [trainer._params[index] for index in indices]
    store = trainer._kvstore
    if isinstance(store, KVStore):
        firsts = [parameter._held() for parameter in parameters]
        store._values.update(zip(indices, firsts, strict=True))  # what is pulled from it is what it has updated
        trainer._updaters[0](list(indices), list(map(summed, parameters)), firsts)
        for parameter, first in zip(parameters, firsts, strict=True):
            for one in parameter.list_data()[1:]:
                one[...] = first
    else:
        for index, parameter in zip(indices, parameters, strict=True):
            store.pushpull(index, parameter.list_grad(), out=parameter.list_data())


def update_each(trainer: Updating, indices: Sequence[int]) -> None:
    """Update the array of each device by its own gradient, all as one update of the optimizer."""
    optimizer = trainer._optimizer
    before, number = dict(optimizer._index_update_count), optimizer.num_update
    after, last = before, number
    provide_updaters(trainer)
    for turn, updater in enumerate(trainer._updaters):
        pairs = [(index, trainer._params[index].copies()) for index in indices]
        mine = [(index, copies[turn]) for index, copies in pairs if turn < len(copies) and is_fresh(copies[turn])]
        if mine:
            optimizer._index_update_count, optimizer.num_update = dict(before), number
            arrays = [one._held() for _, one in mine]
            updater([index for index, _ in mine], [_gradient(array) for array in arrays], arrays)
            after, last = {**after, **optimizer._index_update_count}, max(last, optimizer.num_update)
    optimizer._index_update_count, optimizer.num_update = after, last


def provide_updaters(trainer: Updating) -> None:
    """See that each device has an updater, where each updates its own arrays."""
    devices = 1 if trainer._update_on_kvstore else max(len(one.copies()) for one in trainer._params)
    while len(trainer._updaters) < devices:
        trainer._updaters.append(Updater(trainer._optimizer))


def _gradient(array: ndarray) -> ndarray:
    grad = array.grad
    assert grad is not None, "a gradient that a backward pass has written"
    return grad
