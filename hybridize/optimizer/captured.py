# SPDX-License-Identifier: Apache-2.0
"""Updates as part of a compiled step.

The formula becomes part of the graph, and weights, gradients and slots are its state. The numbers that a formula reads
(learning rate, corrections of a bias, ...) come of a schedule and of counts, which are Python's: they are an array that
is filled before each call of the program, so that no number is part of the program.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy

from hybridize import lr_scheduler
from hybridize.array.buffer import host_view, overwrite
from hybridize.array.ndarray import wrap
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import DType, float32, float64
from hybridize.base.errors import StateError
from hybridize.base.loading import LOADING
from hybridize.base.settings import number
from hybridize.capture.trace.recording import Recording, active_trace, current_trace
from hybridize.contract.feeds import Feed, FeedInFile, Setting, SharedStates, fed_array
from hybridize.optimizer.kernels import updated

if TYPE_CHECKING:
    from hybridize.array.ndarray import ndarray


Key = tuple[float, float, int]
"""Learning rate, weight decay and number of the update: of which the numbers of a formula are made."""


_FACTORS = attrgetter("lr_mult", "wd_mult")
_OF_ALL = ("_get_lr", "_get_wd", "_update_count", "_factor")


CAPTURABLE: set[Any] = set()
"""Own `step`s of optimizers that are part of programs."""
_Step = TypeVar("_Step", bound=Callable[..., None])


def capturable(step: _Step) -> _Step:
    """Say of an optimizer's own `step` that it only computes with arrays, and calls that of `Optimizer`."""
    CAPTURABLE.add(step)
    return step


class Counting(Protocol):
    """An optimizer, as its updates in a program see it: numbers, counts and factors."""

    lr: float
    wd: float
    lr_scheduler: Any
    num_update: int
    begin_num_update: int
    param_dict: dict[Any, Any]
    _index_update_count: dict[Any, int]

    @property
    def slot_count(self) -> int: ...

    def _rate(self) -> float: ...

    def _get_lr(self, index: Any) -> float: ...

    def _get_wd(self, index: Any) -> float: ...

    def _update_count(self, index: Any) -> None: ...

    def flags_of(self, index: Any) -> dict[str, bool]: ...

    def _settings(self, lr: float, wd: float, t: int, index: Any) -> tuple[dict[str, float], dict[str, bool]]: ...


Counts = tuple[int, Sequence[int | None]]
"""The number of updates in all, and of each weight; None for one that was not counted yet."""


def counts_of(optimizer: Counting, indices: Sequence[Any]) -> Counts:
    """Return how often was updated, as `put_back` takes it."""
    return optimizer.num_update, list(map(optimizer._index_update_count.get, indices))


def put_back(optimizer: Counting, indices: Sequence[Any], before: Counts) -> None:
    """Let counts be as they were; no interruption comes between the lines that do."""
    counts = optimizer._index_update_count
    number, numbers = before
    pairs: Any = zip(indices, numbers, strict=True)
    optimizer.num_update = number
    counts.update(pairs)
    if None in numbers:
        for index in indices:
            if counts.get(index, 0) is None:
                del counts[index]


class Settings(Feed):
    """The feed of an optimizer's formula: the numbers it reads at one step of a program.

    Weights of one rate, decay and count share a row, here and at each call: where they do no more, the program is not
    what the optimizer would do.
    """

    in_files: tuple[str, str]

    def __init__(self, optimizer: Counting, indices: Sequence[Any], dtype: DType) -> None:
        self.optimizer = optimizer
        self.indices: tuple[Any, ...] = tuple(indices)
        self._slots = optimizer.slot_count
        kind = type(optimizer)
        plain = all(getattr(kind, name) is getattr(kind.__mro__[-2], name, None) for name in _OF_ALL)
        known = all(index in optimizer.param_dict for index in self.indices)
        self._parameters = optimizer.param_dict if plain and known else None
        """The parameters, where the rates are those of all optimizers: a shorter way then, of the same results."""
        self._those = [optimizer.param_dict[index] for index in self.indices] if known else []
        counted = zip(self._counted(), self.indices, strict=True)
        keys: list[tuple[Any, ...]] = [(*key, *optimizer.flags_of(index).items()) for key, index in counted]
        distinct = list(dict.fromkeys(keys))
        self.rows: list[int] = [distinct.index(key) for key in keys]
        self._first = [keys.index(key) for key in distinct]
        pairs: list[tuple[dict[str, Any], dict[str, bool]]] = [
            optimizer._settings(lr, wd, count, self.indices[first])
            for first, (lr, wd, count, *_) in zip(self._first, distinct, strict=True)
        ]
        self.flags: list[dict[str, bool]] = [flags for _, flags in pairs]
        self.names: list[str] = [name for name, value in pairs[0][0].items() if type(value) is not Symbol]
        self.graph: dict[str, Symbol] = {name: value for name, value in pairs[0][0].items() if type(value) is Symbol}
        """Those that the program computes: a scale that depends on the size of the batch."""
        self._values = [tuple([s[name] for name in self.names]) for s, _ in pairs]
        self.array: ndarray = fed_array(numpy.array(self._values, dtype))
        self._packed = struct.Struct(f"{self.array.size}{'d' if dtype == float64 else 'f'}")
        self._bytes = host_view(self.array).data.cast("B")

    def _counted(self) -> list[Key]:
        """Count the updates, as they are counted imperatively."""
        optimizer = self.optimizer
        counts = optimizer._index_update_count
        keys = []
        for index in self.indices:
            optimizer._update_count(index)
            keys.append((optimizer._get_lr(index), optimizer._get_wd(index), counts[index]))
        return keys

    def _factors(self, before: Sequence[int | None]) -> list[tuple[float, float, int]] | None:
        """Factors and counts of all weights, where nothing else makes their keys differ; the updates are counted."""
        optimizer, counts = self.optimizer, self.optimizer._index_update_count
        if optimizer.param_dict is not self._parameters:
            return None
        factors = list(map(_FACTORS, self._those))
        count = before[0]
        if count is not None and before.count(count) == len(before):  # nearly always: a shorter way to the same
            counts.update(dict.fromkeys(self.indices, count + 1))
            optimizer.num_update = max(optimizer.num_update, count + 1)
            if factors.count(factors[0]) == len(factors):
                return [(*factors[0], count + 1)] * len(factors)
            return [(lr, wd, count + 1) for lr, wd in factors]
        if optimizer.lr_scheduler is not None:
            return None  # each weight has the rate of the most updates so far, those of the weights before it included
        begin = optimizer.begin_num_update
        after = [(begin if count is None else count) + 1 for count in before]
        counts.update(zip(self.indices, after, strict=True))
        optimizer.num_update = max(optimizer.num_update, *after)
        return [(lr, wd, count) for (lr, wd), count in zip(factors, after, strict=True)]

    def before(self) -> Counts:
        """Return how often was updated."""
        return counts_of(self.optimizer, self.indices)

    def begin(self, before: Counts) -> bool:
        """Count, and fill the array."""
        optimizer = self.optimizer
        factors = self._factors(before[1])
        keys = self._counted() if factors is None else factors
        right = keys.count(keys[0]) == len(keys) or self._share(keys)
        if not right and factors is not None:  # other factors may come to the same, as those of a decay of 0 do
            rate, factors = optimizer._rate(), None
            keys = [(rate * lr, optimizer.wd * wd, count) for lr, wd, count in keys]
            right = self._share(keys)
        right = right and optimizer.slot_count <= self._slots  # more of them: there is a momentum now
        values = []
        for first, flags in zip(self._first, self.flags, strict=True):
            lr, wd, count = keys[first]
            if factors is not None:
                lr, wd = optimizer._rate() * lr, optimizer.wd * wd
            s, now = optimizer._settings(lr, wd, count, self.indices[first])
            right = right and now == flags and len(s) == len(self.names) + len(self.graph)
            if not right:
                return False
            values.append(tuple([s[name] for name in self.names]))
        if values != self._values:
            self._values = []  # who is interrupted leaves none that later calls need not write
            try:
                self._packed.pack_into(self._bytes, 0, *(x for row in values for x in row))
            except OverflowError:  # beyond float32: infinite there
                overwrite(self.array, values)
            self._values = values
        return True

    def _share(self, keys: list[Key]) -> bool:
        """Tell whether weights of one row have equal keys."""
        return all(keys[self._first[row]] == key for key, row in zip(keys, self.rows, strict=True))

    def in_file(self, shared: SharedStates) -> FeedInFile | None:
        """Let the program compute the numbers, of a learning rate and a count of steps that are states of the file."""
        optimizer = self.optimizer
        if self._parameters is None or optimizer.param_dict is not self._parameters:
            return None
        with LOADING:
            from hybridize.optimizer.stated import SettingsRow, settings_program  # late: few programs go to files

        counts = [optimizer._index_update_count[index] for index in self.indices]
        schedule, key = optimizer.lr_scheduler, id(optimizer)
        steps = shared.setdefault(("steps", key), wrap(numpy.array(max(counts) - 1)))
        done = int(host_view(steps))
        rows = []
        for first in self._first:
            lr_factor, wd_factor = _FACTORS(self._those[first])
            ahead = counts[first] - done - 1
            rows.append(SettingsRow(float(lr_factor), float(optimizer.wd * wd_factor), ahead, self.indices[first]))

        def program(schedule: Any) -> Any:
            return settings_program(
                optimizer, rows, self.names, self.flags, self.array.dtype, done=done, schedule=schedule
            )

        # A schedule of the user's may read what is Python's.
        is_computed = type(schedule).__module__ == lr_scheduler.__name__ and optimizer.num_update == done + 1
        computing = program(schedule) if is_computed else None
        title = "base_lr" if computing is not None else "learning_rate"
        base = schedule.base_lr if computing is not None else optimizer._rate()
        computing = program(None) if computing is None else computing
        if computing is None:
            self.in_files = (
                f"holds a step of {type(optimizer).__name__}, whose numbers depend on the count of updates in Python",
                "use an optimizer whose scalars() only computes with the learning rate, the decay and the count",
            )
            return None
        notes: tuple[str, ...] = ()
        if schedule is not None and title != "base_lr":
            notes = (f"the schedule {type(schedule).__name__}: set learning_rate for each step",)
        rate = shared.setdefault((title, key), wrap(numpy.array(base)))
        names = {id(rate): title, id(steps): "step"}
        carried = []
        for (name, ahead), start in computing.starts.items():
            carried.append(shared.setdefault((f"{name} {ahead}", key), wrap(numpy.array(start))))
            names[id(carried[-1])] = name
        states = (rate, steps, *carried)
        return FeedInFile(names, self.array, computing.graph, states, tuple(range(1, len(states))), notes)

    def rollback(self, before: Counts) -> None:
        """Put the counts back."""
        put_back(self.optimizer, self.indices, before)

    def of(self, trace: Recording, number: int) -> dict[str, Any]:
        """The numbers of one of the weights, as arrays of the program without axes."""
        row = self.rows[number]
        numbers = trace.lift(self.array)
        return {name: numbers[row, column] for column, name in enumerate(self.names)} | self.graph


def captured_rate(optimizer: Counting, rate: Any) -> None:
    """`Optimizer.set_learning_rate` while a program is captured.

    Raises:
        CaptureError E407: to what the program computes.
        StateError E562: in a branch or loop that depends on data.
    """
    trace = current_trace()
    if trace is not None and isinstance(rate, Symbol) and rate.weak is None:
        raise trace.refusal(
            "E407", f"the learning rate of {type(optimizer).__name__} is set to a value computed by the program",
            help="set it outside the function: this does not compile anything again",
        )  # fmt: skip
    if trace is None or trace.depth:
        raise StateError(
            "E562",
            "a learning rate is set in a branch or loop that depends on data",
            help="set it outside the compiled function: this does not compile anything again",
        )
    setting = Setting(optimizer, "lr", number("learning_rate", rate))
    setting.in_files = ("sets a trainer's learning rate at each call", "set it outside of the function")
    trace.begin(setting)


def captured_step(
    optimizer: Counting, indices: Sequence[Any], weights: Sequence[Any], grads: Sequence[Any], states: Sequence[Any]
) -> None:
    """`Optimizer.step` while a program is captured.

    Raises:
        StateError E562: in a branch or loop that depends on data.
    """
    trace = active_trace()
    if trace.depth:
        raise StateError(
            "E562",
            "an optimizer's update in a branch or loop that depends on data: the count of updates would depend on data",
            help="compute the gradients in the branch or loop, and update after it",
        )
    if not indices:
        return
    wide = float64 if any(weight.dtype == float64 for weight in weights) else float32
    before = counts_of(optimizer, indices)
    try:
        settings = Settings(optimizer, indices, wide)
        trace.feed(settings, before)
    except BaseException:  # an interruption, before the end of the capture knows what has been counted
        put_back(optimizer, indices, before)
        raise
    kind: Any = type(optimizer)
    formula: Any = trace.convert(kind.formula)
    for position, (weight, grad, state) in enumerate(zip(weights, grads, states, strict=True)):
        slots = state if type(state) is tuple else () if state is None else (state,)
        flags = settings.flags[settings.rows[position]]
        updated(formula, weight, grad, slots, _narrow(settings.of(trace, position), weight.dtype), flags)


def _narrow(s: dict[str, Any], dtype: DType) -> dict[str, Any]:
    """Numbers in the dtype that a weight is computed in."""
    wide = float64 if dtype == float64 else float32
    return {name: x if x.weak is not None or x.dtype == wide else x.astype(wide) for name, x in s.items()}
