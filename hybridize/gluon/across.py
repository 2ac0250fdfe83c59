# SPDX-License-Identifier: Apache-2.0
"""A trainer's gradients over the processes of one training: one flat buffer, summed between backward and update.

All ranks have the same parameters with the same values: those of rank 0 when the trainer is made, and what every rank
computes of the same sums from then on. What differs is named, and nothing is updated.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array import np
from hybridize.array.buffer import host_copy
from hybridize.array.ndarray import wrap
from hybridize.array.operands import operand
from hybridize.array.placing import moved
from hybridize.array.single import SCANS
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import DType
from hybridize.base.errors import ArgumentError, StateError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.gluon.parameter import Parameter
from hybridize.gluon.spread import Updating, is_fresh, total_of
from hybridize.kvstore.dist import DistStore
from hybridize.kvstore.ranks import Ranks
from hybridize.ops.foreign import call_op
from hybridize.ops.op import bind1
from hybridize.runtime.foreign import Callee

Flat = Sequence[NDArray[Any]]
TITLE = "the sum of gradients"


class Across:
    """The ranks of a trainer.

    Args:
        trainer: whose gradients are summed.
        store: of the store `dist_sync`.
        deterministic: add in the order of a tree whose leaves are the devices of rank 0, of rank 1, and so on.
    """

    def __init__(self, trainer: Updating, store: DistStore, deterministic: bool) -> None:
        self._trainer, self._ranks, self._deterministic = trainer, store.ranks, deterministic
        self._awaited = set(range(len(trainer._params)))
        """Parameters that have had no values yet when all ranks compared them."""
        if deterministic:
            SCANS.patience = 0.0  # a rank with two parts of a batch would compile them sooner than one with one
        check_nets(trainer, self._ranks)
        for index in sorted(self._awaited):
            parameter = trainer._params[index]
            if parameter._array is not None:
                title = f"the value of parameter {trainer._called(index)!r}"
                value = wrap(self._ranks.broadcast(title, host_copy(parameter._held())))
                for one in parameter.list_data():
                    one[...] = moved(value, one.device)
                self._awaited.discard(index)

    def begin(self) -> None:
        """Compare the values of parameters that had none when the trainer was made; at the first step.

        Raises:
            StateError E594: a rank has other values.
        """
        if not self._awaited:
            return
        trainer = self._trainer
        pairs = [(index, trainer._params[index]) for index in sorted(self._awaited)]
        sums = [
            [trainer._called(index), one._array is not None and zlib.crc32(host_copy(one._held()).tobytes())]
            for index, one in pairs
        ]
        for rank, others in enumerate(lists := self._ranks.gathered("the first step", sums)):
            different = [mine[0] for mine, first in zip(others, lists[0], strict=True) if mine != first]
            if different:
                raise StateError(
                    "E594",
                    f"parameter {different[0]!r} of rank {rank} has other values than that of rank 0",
                    help="call net(x) once before the trainer is made, which then takes the values of rank 0, or "
                    "call hybridize.random.seed with one number on all ranks",
                )
        self._awaited.clear()

    # ----------------------------------------------------------------------------------------------------------- sums

    def summed(self, indices: Sequence[int]) -> list[Any]:
        """Return the sums of gradients over all devices of all ranks, on the first device of each parameter."""
        parameters = [self._trainer._params[index] for index in indices]
        sums: list[Any] = [None] * len(parameters)
        for dtype, members in _by_dtype([one.dtype for one in parameters]).items():
            one_buffer = [parameters[k] for k in members]
            leaves = [_flat(self._gradients(one_buffer, turn)) for turn in range(self._leaves(one_buffer))]
            total = self._ranks.total(TITLE, self._plan(indices, members), leaves, self._deterministic)
            assert total.dtype == dtype
            begin = 0
            for k, parameter in zip(members, one_buffer, strict=True):
                size = math.prod(parameter._held().shape)
                part = wrap(total[begin : begin + size].reshape(parameter._held().shape))
                sums[k] = moved(part, parameter._home) if parameter._elsewhere else part
                begin += size
        return sums

    def _leaves(self, parameters: Sequence[Parameter]) -> int:
        """The vectors of this rank that are added to those of the others: one, or one for each device."""
        if not self._deterministic:
            return 1
        counts = {len(one._copies()) for one in parameters}
        count = max(counts)
        if len(counts) > 1 or count & (count - 1):
            raise ArgumentError(
                "E359",
                f"deterministic=True with parameters on {', '.join(map(str, sorted(counts)))} devices of one rank",
                help="put all parameters on 1, 2, 4, 8, ... devices: only then is the sum the same for other shares",
            )
        return count

    def _gradients(self, parameters: Sequence[Parameter], turn: int) -> list[Any]:
        if self._deterministic:
            copies = [parameter._copies()[turn] for parameter in parameters]
            return [one._held().grad if is_fresh(one) else np.zeros_like(one._held()) for one in copies]
        return [
            total_of([one._held().grad for one in parameter._copies() if is_fresh(one)])
            if parameter._elsewhere
            else parameter._held().grad
            for parameter in parameters
        ]

    def _plan(self, indices: Sequence[int], members: Sequence[int]) -> str:
        """The elements of a flat buffer, in words."""
        trainer = self._trainer
        return "\n".join(
            f"parameter {trainer._called(indices[k])!r} {list(trainer._params[indices[k]].shape or ())}"
            for k in members
        )

    def in_program(self, indices: Sequence[int], gradient_of: Callable[[Parameter], Any]) -> list[Any]:
        """Return `summed` as symbols of the program that is captured.

        Args:
            indices: parameters, by number.
            gradient_of: gives the symbol of the gradient of one array of a parameter, or None where there is none.
        """
        parameters = [self._trainer._params[index] for index in indices]
        per_device = [
            [
                gradient_of(one) if is_fresh(one) else np.zeros(one._held().shape, dtype=one.dtype)
                for one in parameter._copies()
                if self._deterministic or is_fresh(one)
            ]
            for parameter in parameters
        ]
        sums: list[Any] = [None] * len(parameters)
        reached = [k for k, grads in enumerate(per_device) if grads and all(one is not None for one in grads)]
        for dtype, at in _by_dtype([parameters[k].dtype for k in reached]).items():
            members = [reached[one] for one in at]
            one_buffer = [parameters[k] for k in members]
            count = self._leaves(one_buffer)
            if self._deterministic:
                columns = [[per_device[k][turn] for k in members] for turn in range(count)]
            else:
                columns = [[total_of(per_device[k]) if len(per_device[k]) > 1 else per_device[k][0] for k in members]]
            if self._ranks.size == 1 and len(columns) == 1:
                totals = columns[0]
            else:
                totals = self._called(columns, self._plan(indices, members), dtype)
            for k, total in zip(members, totals, strict=True):
                sums[k] = moved(total, parameters[k]._home) if parameters[k]._elsewhere else total
        return sums

    def _called(self, columns: Sequence[Sequence[Any]], plan: str, dtype: DType) -> list[Any]:
        """Return the parts of a flat buffer that a function of Python sums while the program runs."""
        trace = columns[0][0]._trace
        flats = [operand(np.concatenate([one.reshape(-1) for one in column])) for column in columns]
        sizes = [math.prod(map(int, one.shape)) for one in columns[0]]
        callee = Callee(_Sum(self._ranks, plan, self._deterministic))
        flat = Symbol.of(trace, bind1(call_op(TITLE, callee, [TensorType((sum(sizes),), dtype)]), *flats))
        parts, begin = [], 0
        for one, size in zip(columns[0], sizes, strict=True):
            parts.append(flat[begin : begin + size].reshape(one.shape))
            begin += size
        return parts


def check_nets(trainer: Updating, ranks: Ranks) -> None:
    """Compare the parameters of all ranks.

    Raises:
        StateError E594: a rank has others.
    """
    own = [
        f"parameter {trainer._called(index)!r} as {one.dtype.name}"
        f"{list(one.shape or ()) if one.shape_is_known else ''}"
        f"{'' if one._array is not None else ' without values'}"
        for index, one in enumerate(trainer._params)
    ]
    kind = f"the optimizer {type(trainer._optimizer).__name__}"
    nets = ranks.gathered("the making of a trainer", [kind, *own])
    for rank, net in enumerate(nets):
        if net == nets[0]:
            continue
        pairs = [(mine, first) for mine, first in zip(net, nets[0], strict=False) if mine != first]
        mine, first = pairs[0] if pairs else (f"{len(net) - 1} parameters", f"{len(nets[0]) - 1}")
        raise StateError(
            "E594",
            f"rank {rank} has another net than rank 0: {mine}, rank 0 has {first}",
            help="run the same program on all ranks; initialize the net in all of them before the trainer is made",
        )


@frozen(eq=False)
class _Sum:
    """The sum over all ranks, as a function that programs call."""

    ranks: Any
    plan: str
    deterministic: bool

    @property
    def keeps(self) -> bool:
        """False: it has no backward pass."""
        return False

    @property
    def learnt(self) -> Sequence[int]:
        """None of the operands."""
        return ()

    def run(self, operands: Flat) -> tuple[Flat, Any]:
        """Return the sum of the operands of all ranks."""
        total = self.ranks.total(TITLE, self.plan, operands, self.deterministic)
        return [total], None

    def gradient(self, wanted: tuple[int, ...]) -> Callee:
        """Refuse: a step is not differentiated.

        Raises:
            StateError E562: always.
        """
        raise StateError("E562", "the gradient of a trainer's step over several processes was asked for")


def _by_dtype(dtypes: Sequence[DType]) -> dict[DType, list[int]]:
    """The places of each dtype."""
    places: dict[DType, list[int]] = {}
    for k, dtype in enumerate(dtypes):
        places.setdefault(dtype, []).append(k)
    return places


def _flat(grads: Sequence[Any]) -> NDArray[Any]:
    """Return the elements of gradients, one after the other."""
    flat: NDArray[Any] = numpy.concatenate([numpy.ravel(host_copy(one)) for one in grads])
    return flat
