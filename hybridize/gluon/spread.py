# SPDX-License-Identifier: Apache-2.0
"""A trainer's parameters and optimizer; its steps over several devices: gradients summed, all arrays updated.

As in MXNet there are two ways. On a store that updates (`update_on_kvstore`, the default) the sum of the gradients
updates the first array, and the others become copies of it. Else `allreduce_grads` writes the sum to every gradient,
and each device updates its own array, with an updater of its own; without any store nothing is summed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridize.array.device import OTHERS
from hybridize.array.ndarray import ndarray
from hybridize.array.placing import moved
from hybridize.base.errors import ArgumentError, AssertionFailed, StaleGradientError, ValueArgumentError
from hybridize.base.loading import load_module
from hybridize.base.tracebacks import leaves
from hybridize.gluon.parameter import Parameter
from hybridize.gluon.parameter_dict import ParameterDict
from hybridize.kvstore import KVStore, KVStoreBase, create
from hybridize.kvstore.base import total_of as total_of
from hybridize.optimizer import Optimizer, Updater


@leaves
class Updating:
    """The base of `Trainer`: its parameters and its optimizer, their states, and the arrays that are due."""

    _create = staticmethod(Optimizer.create_optimizer)
    """Makes an optimizer of its name and arguments."""
    check_finite: bool
    """True if gradients are checked before an update."""

    def __init__(
        self,
        params: Any,
        optimizer: str | Optimizer,
        optimizer_params: Mapping[str, Any] | None = None,
        kvstore: Any = "device",
        compression_params: Any = None,
        update_on_kvstore: bool | None = None,
        *,
        check_finite: bool = False,
        deterministic: bool = False,
    ) -> None:
        named = _entries(params)
        if compression_params is not None:
            raise ArgumentError(
                "E359",
                f"gradients are sent as they are, got compression_params={compression_params!r}",
                help="leave the argument out",
            )
        if isinstance(kvstore, str) and kvstore.lower().startswith("dist"):
            kvstore = create(kvstore)
        self._is_served = isinstance(kvstore, KVStoreBase) and kvstore.is_served
        """True if the weights are elsewhere, where each gradient updates them as it comes (`kvstore.served`)."""
        if self._is_served and update_on_kvstore is False:
            what = f"update_on_kvstore=False with kvstore={kvstore.type!r}, which updates the weights itself"
            raise ValueArgumentError("E345", what, help="leave update_on_kvstore out, or use kvstore='dist_sync'")
        is_among_others = hasattr(kvstore, "ranks") and not self._is_served
        if deterministic and not is_among_others:
            name = kvstore.type if self._is_served else kvstore
            raise ArgumentError(
                "E359",
                f"deterministic=True with kvstore={name!r}, which does not add in the order of a tree",
                help="use kvstore='dist_sync', which one process may be alone in",
            )
        self._params = [parameter for _, parameter in named]
        self._paths = [path for path, _ in named]
        self._asked_store = kvstore, update_on_kvstore
        self._kvstore: Any = None
        """The store; made at the first step over several devices."""
        self._kv_initialized = False
        self._update_on_kvstore: bool | None = None
        """True if the store updates; None where no step over several devices was made."""
        self.check_finite = bool(check_finite)
        if isinstance(optimizer, Optimizer):
            if optimizer_params:
                text = f"optimizer_params={optimizer_params!r} were given beside an optimizer that is made already"
                raise ValueArgumentError(
                    "E358", text, help="pass an optimizer's name, or set the attributes of the object"
                )
            self._optimizer = optimizer
        else:
            self._optimizer = self._create(optimizer, **dict(optimizer_params or {}))
        self._numbered = self._optimizer.param_dict = dict(enumerate(self._params))
        # An earlier trainer of this optimizer has left the scale of its last batch in it.
        self._scale = self._optimizer._scale = getattr(self._optimizer, "_scale", self._optimizer.rescale_grad)
        self._updaters = [Updater(self._optimizer)]
        self.loss_scaler: Any = None
        """Its `accepts(grads)` says whether there is a step: not by gradients that are not finite. None: always."""
        self.scale_of_loss: float = 1.0
        """The factor of the loss that the gradients are of."""
        self._across: Any = None
        """The other processes of the training (`gluon.across`); None where it is one process alone."""
        if is_among_others:
            make_store(self)
            self._across = load_module("hybridize.gluon.across").Across(self, kvstore, bool(deterministic))

    @property
    def _is_spread(self) -> bool:
        """True if a parameter is on several devices, or the weights are with a store."""
        return self._is_served or (bool(OTHERS) and any(parameter._elsewhere for parameter in self._params))

    def _due(self, ignore_stale_grad: bool) -> tuple[list[int], list[ndarray], list[ndarray]]:
        """Collect the parameters that are to be updated, of several devices the first array of each."""
        if self._is_spread:
            numbers = due(self, ignore_stale_grad)
            return numbers, [self._params[index]._held() for index in numbers], []
        indices, weights, grads = [], [], []
        for index, parameter in enumerate(self._params):
            if parameter._grad_req == "null":
                continue
            variable = parameter._variable
            if variable is None or not variable.fresh:
                if ignore_stale_grad:
                    continue
                parameter.data()  # where it is not initialized, that is what is wrong
                raise StaleGradientError(
                    "E561",
                    f"the gradient of parameter {self._called(index)!r} has not been written by backward since the "
                    "last step",
                    help="if it takes no part in the loss, say step(batch_size, ignore_stale_grad=True), or give it "
                    "grad_req='null'",
                )
            indices.append(index)
            weights.append(parameter.data())
            grads.append(parameter.grad() if variable.grad is None or OTHERS else variable.grad)
        return indices, weights, grads

    def _called(self, index: int) -> str:
        return self._paths[index] or self._params[index].name


def _entries(params: Any) -> list[tuple[str, Parameter]]:
    """The parameters, each once, with the path by which a dict knows it."""
    pairs: list[tuple[str, Any]]
    if isinstance(params, Mapping):
        pairs = list((params.by_path() if isinstance(params, ParameterDict) else params).items())
    elif isinstance(params, Sequence) and not isinstance(params, str):
        pairs = [("", one) for one in params]
    else:
        what = f"a trainer takes a dict or list of parameters, got {type(params).__name__}"
        raise ValueArgumentError(
            "E358", what, help="pass the parameters of the net: Trainer(net.collect_params(), ...)"
        )
    entries: dict[int, tuple[str, Parameter]] = {}
    for path, parameter in pairs:
        if not isinstance(parameter, Parameter):
            what = f"a trainer takes parameters, got {type(parameter).__name__} among them"
            raise ValueArgumentError("E358", what, help="net.collect_params() returns the parameters of a net")
        entries.setdefault(id(parameter), (path, parameter))
    return list(entries.values())


def make_store(trainer: Updating) -> None:
    """Make the store that the trainer was asked to use, and say who updates.

    Raises:
        ValueArgumentError E345: updates are to be on a store that has no optimizer, or on none.
    """
    setting, on_store = trainer._asked_store
    store = create(setting) if isinstance(setting, str) else setting
    if on_store and (store is None or not store.is_capable(KVStoreBase.OPTIMIZER)):
        what = f"update_on_kvstore=True with kvstore={setting!r}, which does not update weights"
        raise ValueArgumentError("E345", what, help="pass update_on_kvstore=False, or kvstore='device'")
    if on_store is None:
        on_store = store is not None and bool(store.is_capable(KVStoreBase.OPTIMIZER))
    if isinstance(store, KVStore):
        if on_store:
            store._set_updater(trainer._updaters[0])
    elif store is not None:
        if on_store:
            store.set_optimizer(trainer._optimizer)
        if trainer._is_served:
            load_module("hybridize.gluon.across").check_nets(trainer, setting.ranks)
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
            f"{call}() of a trainer whose store updates the weights of several devices or processes",
            help="say update_on_kvstore=False where the trainer is made",
        )


def due(trainer: Updating, ignore_stale_grad: bool) -> list[int]:
    """Return the parameters that are to be updated, by number.

    Raises:
        StaleGradientError E561: a gradient of one of the devices is stale, without `ignore_stale_grad`.
    """
    indices = []
    for index, parameter in enumerate(trainer._params):
        if parameter.grad_req == "null":
            continue
        stale = [one for one in parameter._copies() if not is_fresh(one)]
        if stale and not ignore_stale_grad:
            parameter.list_data()  # where it is not initialized, that is what is wrong
            raise StaleGradientError(
                "E561",
                f"the gradient of parameter {trainer._called(index)!r} on {stale[0]._home} has not been written by "
                "backward since the last step",
                help="give every device a part of the batch, or use step(batch_size, ignore_stale_grad=True)",
            )
        if len(stale) < len(parameter._copies()):
            indices.append(index)
    return indices


def is_fresh(parameter: Parameter) -> bool:
    """Tell whether a backward pass has written the gradient of one device since the last update."""
    variable = parameter._variable
    return variable is not None and variable.fresh


def gradients(trainer: Updating, indices: Sequence[int]) -> list[tuple[int, Any]]:
    """Return the gradients by which arrays are updated, with the numbers of their parameters: sums on a store that
    updates, else those of each device.
    """
    parameters = [(index, trainer._params[index]) for index in indices]
    if trainer._update_on_kvstore:
        return [(index, summed(parameter)) for index, parameter in parameters]
    return [(index, one._held().grad) for index, each in parameters for one in each._copies() if is_fresh(one)]


def summed(parameter: Parameter) -> Any:
    """Return the sum of the gradients of the devices that a backward pass has reached, on the first device."""
    fresh = [one._held().grad for one in parameter._copies() if is_fresh(one)]
    return moved(total_of(fresh), parameter._home)


def reduce_gradients(trainer: Updating) -> None:
    """Write the sum over devices, and processes, to each gradient of a parameter that a backward pass has reached."""
    store, across = trainer._kvstore, trainer._across
    if store is None:
        return
    parameters = enumerate(trainer._params)
    reached = [k for k, one in parameters if one.grad_req != "null" and any(map(is_fresh, one._copies()))]
    totals = iter(across.summed(reached)) if across is not None else (summed(trainer._params[k]) for k in reached)
    for index in reached:
        parameter = trainer._params[index]
        if isinstance(store, KVStore):
            total = next(totals)
            for grad in parameter.list_grad():
                grad[...] = total
        else:
            store.pushpull(index, parameter.list_grad())
        for one in parameter._copies():
            one.fresh_grad = True


def update_by(trainer: Updating, indices: Sequence[int], grads: Sequence[Any]) -> None:
    """Update the first array of each parameter by a gradient, and let the others be copies of it."""
    firsts = [trainer._params[index]._held() for index in indices]
    trainer._kvstore._values.update(zip(indices, firsts, strict=True))  # what is pulled from it is what it has updated
    trainer._updaters[0](list(indices), list(grads), firsts)
    for index, first in zip(indices, firsts, strict=True):
        for one in trainer._params[index].list_data()[1:]:
            one[...] = first


def update_on_store(trainer: Updating, indices: Sequence[int]) -> None:
    """Let the store update the arrays of each parameter by the sum of its gradients."""
    parameters = [trainer._params[index] for index in indices]
    store = trainer._kvstore
    if isinstance(store, KVStore):
        update_by(trainer, indices, list(map(summed, parameters)))
    elif trainer._is_served:
        store.push(indices, [parameter.list_grad() for parameter in parameters])
        store.pull(indices, [parameter.list_data() for parameter in parameters])
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
        pairs = [(index, trainer._params[index]._copies()) for index in indices]
        mine = [(index, copies[turn]) for index, copies in pairs if turn < len(copies) and is_fresh(copies[turn])]
        if mine:
            optimizer._index_update_count, optimizer.num_update = dict(before), number
            arrays = [one._held() for _, one in mine]
            updater([index for index, _ in mine], [_gradient(array) for array in arrays], arrays)
            after, last = {**after, **optimizer._index_update_count}, max(last, optimizer.num_update)
    optimizer._index_update_count, optimizer.num_update = after, last


def provide_updaters(trainer: Updating) -> None:
    """See that each device has an updater, where each updates its own arrays."""
    devices = 1 if trainer._update_on_kvstore else max(len(one._copies()) for one in trainer._params)
    while len(trainer._updaters) < devices:
        trainer._updaters.append(Updater(trainer._optimizer))


def _gradient(array: ndarray) -> ndarray:
    grad = array.grad
    assert grad is not None, "a gradient that a backward pass has written"
    return grad
