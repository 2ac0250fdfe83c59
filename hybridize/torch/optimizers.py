# SPDX-License-Identifier: Apache-2.0
"""Updates by torch's optimizers as part of a captured step, schedules of their rates, and clipping of gradients.

An optimizer's own `step` is run, on a copy of it whose parameters and state are tensors of the program: so the numbers
are torch's, whichever optimizer it is. Rates are read anew at each call; all else that it goes by is compared.
"""

from __future__ import annotations

import copy
import functools
import inspect
import operator
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.optim.lr_scheduler import LRScheduler

from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.capture.convert import statements as convert
from hybridize.capture.outside.trust import is_trusted_class, is_trusted_file
from hybridize.capture.python.router import library_router
from hybridize.capture.trace.recording import Recording, active_trace
from hybridize.contract.captured import SideEffect
from hybridize.contract.feeds import Feed, FeedInFile, SharedStates
from hybridize.contract.places import Item
from hybridize.contract.snapshots import MISSING
from hybridize.torch.backward import CURRENT, clear
from hybridize.torch.internals import as_torch
from hybridize.torch.islands import island, island_call
from hybridize.torch.tensors import TracedTensor

FED = {"lr": "learning_rate"}
"""Settings that are read anew at each call, and the names of states of files that stand for them."""
_MOVED: weakref.WeakKeyDictionary[torch.optim.Optimizer, dict[tuple[int, str], Any]] = weakref.WeakKeyDictionary()
"""Pairs of numbers as they were when an optimizer was captured first: those that differ later are read anew, too."""
_OUTSIDE = "call step() outside of the compiled function, which ends with loss.backward()"
_NONE: dict[str, Any] = {}
_BY_NUMBERS = (torch.optim.Adafactor, torch.optim.RAdam, torch.optim.Rprop)
"""Optimizers that decide by numbers which only a call has, or hand them to C: their code is converted."""
_IN_FILES = (
    "holds an optimizer's step, whose settings and schedule are Python's",
    'torch.save(optimizer.state_dict(), path) keeps a training, export(path, format="library") the step',
)
_WAYS = ("foreach", "fused")
"""Settings that choose between ways to the same numbers."""


class UpdateSettings(Feed):
    """Compares all that an update depends on besides rates: parameters, settings, and which tensors are its state.

    Args:
        optimizer: whose update it is.
        fed: names of settings that each call reads, of each group.
    """

    in_files: tuple[str, str] = _IN_FILES

    def __init__(self, optimizer: torch.optim.Optimizer, fed: Sequence[frozenset[str]]) -> None:
        self._optimizer = optimizer
        self._is_scheduled = "_opt_called" in vars(optimizer) or "step" in vars(optimizer)
        self._groups = [
            (group, list(group["params"]), [(name, group[name]) for name in group if name not in (*known, "params")])
            for group, known in zip(optimizer.param_groups, fed, strict=True)
        ]
        self.params: list[Any] = [param for _, params, _ in self._groups for param in params]
        self._counts = [len(group) for group in optimizer.param_groups]
        state: Any = optimizer.state
        self._state = []
        for param in self.params:
            entries = state.get(param, _NONE)
            own = [name for name, value in entries.items() if isinstance(value, TracedTensor)]  # which calls put there
            self._state.append((param, own, [(name, value) for name, value in entries.items() if name not in own]))

    def state_of(self, param: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
        """Iterate over the tensors that the optimizer remembers of a parameter, by name."""
        entries: Any = self._optimizer.state.get(param, _NONE)
        return ((name, value) for name, value in entries.items() if isinstance(value, torch.Tensor))

    def before(self) -> Any:
        """Return whether a schedule knows of a step."""
        return vars(self._optimizer).get("_opt_called", MISSING) if self._is_scheduled else None

    def in_file(self, shared: SharedStates) -> FeedInFile | None:
        """Stay as it is: a file has the settings of now."""
        return FeedInFile()

    def rollback(self, before: Any) -> None:
        """Let it know of none."""
        if before is MISSING:
            vars(self._optimizer).pop("_opt_called", None)
        elif before is not None:
            vars(self._optimizer)["_opt_called"] = before

    def begin(self, before: Any) -> bool:
        """Compare them, and let a schedule know that there is a step."""
        if self._is_scheduled:
            vars(self._optimizer)["_opt_called"] = True
        groups = self._optimizer.param_groups
        if list(map(len, groups)) != self._counts:
            return False
        for group, (mine, params, settings) in zip(groups, self._groups, strict=True):
            if group is not mine or not _same_objects(group["params"], params):
                return False
            for name, value in settings:
                if (now := group.get(name, MISSING)) is not value and not _same(now, value):
                    return False
        state: Any = self._optimizer.state
        for param, own, entries in self._state:
            now = state.get(param, _NONE)
            if len(now) - sum(map(now.__contains__, own)) != len(entries):
                return False
            for name, value in entries:
                if (other := now.get(name, MISSING)) is not value and not _same(other, value):
                    return False
        return True


def _same_objects(now: Sequence[Any], then: Sequence[Any]) -> bool:
    return len(now) == len(then) and all(map(operator.is_, now, then))


def _same(now: Any, then: Any) -> bool:
    return now is then or (type(now) is type(then) and not isinstance(now, torch.Tensor) and bool(now == then))


def step(trace: Recording, optimizer: torch.optim.Optimizer, closure: Any = None) -> Any:
    """Update the parameters, as `optimizer.step()` does.

    Raises:
        CaptureError E422: the optimizer does what no program can.
    """
    _check(trace, optimizer)
    result = None
    if closure is not None:
        with torch.enable_grad():
            result = trace.convert(closure)()
    seen = _MOVED.setdefault(optimizer, {})
    numbers = [_numbers(trace, group, number, seen) for number, group in enumerate(optimizer.param_groups)]
    known_settings = CURRENT.get().settings
    settings = known_settings.get(id(optimizer))
    if settings is None:  # of a second step in one program: it finds what the first one has left
        settings = known_settings[id(optimizer)] = UpdateSettings(optimizer, [frozenset(fed) for fed in numbers])
        trace.begin(settings)
    faces: dict[Any, Any] = {}
    groups = []
    for group, fed in zip(optimizer.param_groups, numbers, strict=True):
        for param in group["params"]:
            if id(param) not in faces:
                faces[id(param)] = trace.lifted(param)
        ways = {name: False for name in _WAYS if name in group}
        groups.append({**group, **fed, **ways, "params": [faces[id(param)] for param in group["params"]]})
    state: dict[Any, dict[str, Any]] = defaultdict(dict)
    known: dict[int, dict[str, Any]] = {}
    kind: Any = type(optimizer)
    own = _own_step(kind)
    called = _followed(trace, kind, own)
    # Where code is followed, a tensor from outside is a key by itself.
    is_followed = called is not own and _has_source(own)
    keys = {id(param): param if is_followed else faces[id(param)] for param in settings.params}
    for param in settings.params:
        contents = CURRENT.get().states.get((id(optimizer), id(param)), optimizer.state.get(param))
        if contents is not None:
            key = keys[id(param)]
            state[key] = {name: _state_value(trace, value) for name, value in contents.items()}
            known[id(param)] = dict(state[key])
    working = copy.copy(optimizer)
    vars(working).update(param_groups=groups, state=state)
    vars(working).pop("step", None)
    for container in (working, groups, *groups, state, *state.values()):
        trace.root.world.made(container, trace)
    CURRENT.get().stepping.append(working)
    contents = (vars(working), *groups)
    before = list(map(dict, contents))
    with torch.no_grad():
        try:
            called(working)
        except (CaptureError, TypeError) as error:
            if isinstance(error, CaptureError) and error.code != "E401":
                raise
            why = "decides by numbers that it has computed" if isinstance(error, CaptureError) else f"fails: {error}"
            text = f"a step of {kind.__name__}, which {why}"
            raise trace.refusal("E422", text, help=_OUTSIDE) from error
    pairs = zip(contents, before, strict=True)
    changed = [name for now, then in pairs for name, value in now.items() if value is not then.get(name, MISSING)]
    if changed:
        text = f"a step of {kind.__name__}, which sets {changed[0]!r} of the optimizer or of a group of its parameters"
        raise trace.refusal("E422", text, help=_OUTSIDE)
    for param in settings.params:
        _keep(trace, optimizer, param, state.get(keys[id(param)], {}), known.get(id(param), {}))
    return result


def _followed(trace: Recording, kind: Any, own: Any) -> Callable[..., Any]:
    """Return the step of an optimizer as a program calls it: torch's as they are, but for those that go by numbers."""
    if not is_trusted_class(kind):
        return trace.convert(own)
    twin = convert.converted(own, library_router(own, "torch.optim")) if kind in _BY_NUMBERS else None
    return own if twin is None else twin


def _inherited(trace: Recording, function: Any, optimizer: Any) -> Callable[..., Any]:
    """Return a step of a base class as the step of a class of the user's calls it: torch's on faces, as they are."""
    own = inspect.unwrap(function.__func__)
    if not is_trusted_file(own.__code__.co_filename):
        return trace.convert(own)
    if not _has_source(_own_step(type(optimizer))):
        return own  # type: ignore[no-any-return]  # of what is not followed, all is on faces
    if any(own is _own_step(kind) for kind in _BY_NUMBERS):
        return convert.converted(own, library_router(own, "torch.optim")) or own

    def on_faces(optimizer: Any, closure: Any = None) -> Any:
        """Call it with faces for the keys of its state, where code that is followed has the tensors."""
        original = optimizer.state
        faces = {id(face.of): face for group in optimizer.param_groups for face in group["params"]}
        state = defaultdict(dict, {faces.get(id(key), key): value for key, value in original.items()})
        vars(optimizer)["state"] = state
        result = own(optimizer, closure)
        original.update((key.of if type(key) is TracedTensor else key, value) for key, value in state.items())
        for value in original.values():
            trace.root.world.made(value, trace)
        vars(optimizer)["state"] = original
        return result

    return on_faces


def _has_source(function: Any) -> bool:
    """Tell whether code of the user's is followed; else it runs as it is, on faces."""
    return convert.converted_code(function.__code__, function.__globals__) is not None


def _own_step(kind: Any) -> Callable[..., Any]:
    """Return `step` of a class without what torch has put around it: a profile, hooks, and its gradient mode."""
    function = kind.step
    while (inner := getattr(function, "__wrapped__", None)) is not None:
        function = inner
    return function  # type: ignore[no-any-return]


def _check(trace: Recording, optimizer: Any) -> None:
    kind = type(optimizer).__name__
    why, help = "", _OUTSIDE
    if trace.depth:
        why, help = (
            "in a branch or loop that depends on data",
            "compute gradients in it, and call step() after it",
        )
    elif any(group.get("differentiable") for group in optimizer.param_groups):
        why = "with differentiable=True"
    elif any(group.get("capturable") for group in optimizer.param_groups):
        why, help = "with capturable=True", "leave capturable out"
    elif optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
        why, help = "with hooks of its steps", "remove them"
    elif isinstance(optimizer, torch.optim.LBFGS):
        why = "which searches by data how far it goes"
    if why:
        raise trace.refusal("E422", f"a step of {kind} {why}", help=help)
    CURRENT.get().passed = True


def _numbers(trace: Recording, group: dict[str, Any], number: int, seen: dict[tuple[int, str], Any]) -> dict[str, Any]:
    """Settings of a group as numbers of the program, which each call reads: rates, and betas that a schedule moves."""
    numbers: dict[str, Any] = {}
    betas = group.get("betas")
    if type(betas) is tuple and seen.setdefault((number, "betas"), betas) != betas:
        numbers["betas"] = tuple(
            trace.reading(functools.partial(_setting, group, "betas", k), float, (f"beta{k + 1}", group))
            for k in range(len(betas))
        )
    for name, title in FED.items():
        value = CURRENT.get().rates.get(id(group)) if name == "lr" else None
        value = group.get(name) if value is None else value
        if isinstance(value, torch.Tensor) and not isinstance(value, TracedTensor):  # which a schedule may fill
            numbers[name] = trace.reading(functools.partial(_setting, group, name), float, (title, group))
        elif type(value) in (float, int):
            if trace.root.world.is_written(Item(group, name)):
                numbers[name] = value  # by the program
                continue
            numbers[name] = trace.reading(functools.partial(_setting, group, name), float, (title, group))
        elif isinstance(value, Symbol):
            numbers[name] = value
        elif value is not None:
            raise trace.refusal("E422", f"{name}={value!r} of an optimizer", help="pass a number")
    return numbers


def _setting(group: dict[str, Any], name: str, *place: int) -> float:
    return float(functools.reduce(operator.getitem, place, group[name]))


def _state_value(trace: Recording, value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    if not value.requires_grad:
        CURRENT.get().kept.add(id(value))
    return trace.lifted(value)


def _keep(trace: Recording, optimizer: Any, param: Any, now: dict[str, Any], before: dict[str, Any]) -> None:
    """Let each call leave the state that a step has made."""
    if now:
        CURRENT.get().states[id(optimizer), id(param)] = dict(now)
    for name, value in now.items():
        if name in before and before[name] is value:
            continue
        if not isinstance(value, TracedTensor) and name in before and _same(value, before[name]):
            continue
        world = trace.root.world
        if param not in optimizer.state:
            shown: dict[str, Any] = {}
            world.made(shown, trace)
            world.show(Item(optimizer.state, param), shown)
        world.show(Item(optimizer.state[param], name), value)
        world.effects.append(SideEffect(_set_state, (optimizer, param, name, value)))


def _set_state(optimizer: torch.optim.Optimizer, param: torch.Tensor, name: str, value: Any) -> None:
    optimizer.state[param][name] = value


def zero_grad(trace: Recording, optimizer: torch.optim.Optimizer, set_to_none: bool = True) -> None:
    """Clear the gradients of all parameters."""
    clear(trace, [param for group in optimizer.param_groups for param in group["params"]], set_to_none)


class ScheduleStep(Feed):
    """A step of a schedule, which Python makes as each call begins, in the order of the program's lines."""

    in_files: tuple[str, str] = _IN_FILES

    def __init__(self, schedule: LRScheduler, args: tuple[Any, ...]) -> None:
        self._schedule, self._args = schedule, args

    def before(self) -> Any:
        """Return what a step changes."""
        schedule = self._schedule
        owners = [schedule, *getattr(schedule, "_schedulers", ())]
        settings = [_numbers_in(group) for group in schedule.optimizer.param_groups]
        tensors = [(value, value.clone()) for group in schedule.optimizer.param_groups for value in _tensors_in(group)]
        return [(owner, _copied(vars(owner))) for owner in owners], settings, tensors

    def begin(self, before: Any) -> bool:
        """Make it."""
        with as_torch():
            self._schedule.step(*self._args)
        return True

    def in_file(self, shared: SharedStates) -> FeedInFile | None:
        """Leave the rates to the host."""
        return FeedInFile(left_out=(f"the schedule {type(self._schedule).__name__}: set learning_rate for each step",))

    def rollback(self, before: Any) -> None:
        """Put back what was changed."""
        owners, settings, tensors = before
        for owner, attributes in owners:
            vars(owner).clear()
            vars(owner).update(attributes)
        for group, numbers in zip(self._schedule.optimizer.param_groups, settings, strict=True):
            group.update(numbers)
        with torch.no_grad(), as_torch():
            for tensor, value in tensors:
                tensor.copy_(value)


def _copied(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: copy.copy(value) if isinstance(value, (list, dict)) else value for name, value in attributes.items()}


def _tensors_in(group: dict[str, Any]) -> list[torch.Tensor]:
    return [value for name, value in group.items() if name != "params" and isinstance(value, torch.Tensor)]


def _numbers_in(group: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in group.items() if name != "params" and not isinstance(value, torch.Tensor)}


def schedule_step(trace: Recording, schedule: LRScheduler, *args: Any) -> None:
    """Step a schedule at each call."""
    if trace.depth:
        raise trace.refusal(
            "E422",
            "a step of a schedule in a branch or loop that depends on data",
            help="call step() outside the branch or loop",
        )
    if any(isinstance(arg, (TracedTensor, Symbol)) for arg in args):
        _step_by_metric(trace, schedule, args)
        return
    trace.begin(ScheduleStep(schedule, args))
    for group in schedule.optimizer.param_groups:  # who looks at rates now sees those of each call
        if type(group["lr"]) is float:
            trace.root.world.write(Item(group, "lr"), trace.reading(functools.partial(_setting, group, "lr"), float))


def _step_by_metric(trace: Recording, schedule: LRScheduler, args: tuple[Any, ...]) -> None:
    """Step a schedule by what the program computes: Python does so at the line, and gives the program the rates."""
    groups = schedule.optimizer.param_groups

    def step_by(*metric: Any) -> torch.Tensor:
        schedule.step(*metric)
        return torch.tensor([float(group["lr"]) for group in groups], dtype=torch.float64)

    def like(*metric: Any) -> torch.Tensor:
        return torch.zeros(len(groups), dtype=torch.float64)

    step_by.__qualname__ = f"{type(schedule).__name__}.step"
    with torch.no_grad():
        called: Any = island_call(island(step_by, like=like))
        rates = called(*args)
    for number, group in enumerate(groups):
        rate = rates[number].item()
        CURRENT.get().rates[id(group)] = rate
        if not isinstance(group["lr"], torch.Tensor):
            trace.root.world.show(Item(group, "lr"), rate)


def last_rates(trace: Recording, schedule: LRScheduler) -> list[Any]:
    """The rates of all groups, as each call finds them."""
    known = CURRENT.get().rates
    groups = schedule.optimizer.param_groups
    if groups and all(id(group) in known for group in groups):
        return [known[id(group)] for group in groups]
    return [trace.reading(functools.partial(_last, schedule, k), float) for k in range(len(schedule._last_lr))]


def _last(schedule: LRScheduler, number: int) -> float:
    return float(schedule.get_last_lr()[number])


_CLIPPING: dict[str, Any] = {
    function.__name__: function
    for function in (
        torch.nn.utils.get_total_norm, torch.nn.utils.clip_grads_with_norm_, torch.nn.utils.clip_grad_norm_,
        torch.nn.utils.clip_grad_value_,
    )
}  # fmt: skip
"""Functions of torch's that go by gradients, whose code is followed."""


def optimizer_call(function: Any) -> Callable[..., Any] | None:
    """Return what a program calls for a method of an optimizer or schedule, or for clipping; None for all else."""
    call = _call_of(function)
    return None if call is None else _recorded(call)


def _recorded(call: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(*args: Any, **kwargs: Any) -> Any:
        trace = active_trace()
        return call(trace, *args, **kwargs)

    return recorded


def _call_of(function: Any) -> Callable[..., Any] | None:
    name = getattr(function, "__name__", "")
    if name in _CLIPPING and _CLIPPING[name] is function:
        inside: Any = inspect.unwrap(function)
        twin = convert.converted(inside, library_router(inside, "torch.nn.utils"))
        return None if twin is None else lambda trace, *args, **kwargs: torch.no_grad()(twin)(*args, **kwargs)
    owner = _scheduled(function) if name == "step" else None
    owner = getattr(function, "__self__", None) if owner is None else owner
    if isinstance(owner, torch.optim.Optimizer) and name in ("step", "zero_grad"):
        method = {"step": step, "zero_grad": zero_grad}[name]
        if any(owner is one for one in CURRENT.get().stepping):  # `super().step()` of a class of the user's
            return lambda trace, *args, **kwargs: _inherited(trace, function, owner)(owner, *args, **kwargs)
        return lambda trace, *args, **kwargs: method(trace, owner, *args, **kwargs)
    if isinstance(owner, LRScheduler) and name == "step":
        return lambda trace, *args: schedule_step(trace, owner, *args)
    if isinstance(owner, LRScheduler) and name == "get_last_lr":
        return lambda trace: last_rates(trace, owner)
    return None


def _scheduled(function: Any) -> Any:
    """The optimizer whose `step` a schedule has put a function of its own around."""
    if not getattr(function, "_wrapped_by_lr_sched", False):
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    contents = [cell.cell_contents for cell in cells.values()]
    return next((one() for one in contents if isinstance(one, weakref.ref)), None)
