# SPDX-License-Identifier: Apache-2.0
"""Files of what training has to go on from besides the weights: states, counts and settings of an optimizer.

They are safetensors files with checksums, as archives are, and are written in one piece. Nothing in them is run: a
state is an array, a number or None, or a tuple or list of these; settings are numbers; a schedule is made anew by its
name, which must be one of `lr_scheduler`'s.
"""

from __future__ import annotations

import copy
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from numpy.typing import NDArray

from hybridize import lr_scheduler
from hybridize.array.buffer import host_copy, overwrite
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, HybridizeError, LoadError
from hybridize.base.frozen import frozen
from hybridize.base.version import VERSION
from hybridize.formats.archive.container import Container, checksum, chunks, laid_out, opened
from hybridize.formats.atomic import write_atomically
from hybridize.lr_scheduler import LRScheduler
from hybridize.optimizer.base import Optimizer
from hybridize.runtime.buffers import aligned

KIND: Final = "optimizer states"
Described = tuple[str, tuple[int, ...] | None, str]
"""Path, shape if it is known, and dtype of a parameter."""
_PLAIN = (bool, int, float, str, type(None))
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, OverflowError)


@frozen
class States:
    """The contents of such a file, read whole."""

    source: str
    optimizer: str
    """Name of the class."""
    states: Mapping[Any, Any]
    settings: Mapping[str, Any] | None
    """Numbers and flags of the optimizer; None where they were not wanted."""
    counts: Mapping[Any, int]
    scheduler: tuple[str, Mapping[str, Any] | None] | None
    """Name of the class, and the arguments of its constructor if it is one of ours."""
    parameters: Sequence[Described] | None
    """Of each index, where a trainer wrote the file."""


# ------------------------------------------------------------------------------------------------------------- writing


def write_states(
    path: str | os.PathLike[str],
    optimizer: Optimizer,
    states: Mapping[Any, Any],
    parameters: Sequence[Described] | None = None,
    *,
    settings: bool = True,
) -> None:
    """Write states to a file, atomically.

    Raises:
        ArgumentError E357: a state that no file can hold.
        WriteError E335: the file cannot be written there.
    """
    tensors: dict[str, NDArray[Any]] = {}
    listed = [[_index(one), _plain(states[one], str(number), tensors)] for number, one in enumerate(states)]
    tree: dict[str, Any] = {
        "kind": KIND,
        "writer": VERSION,
        "optimizer": type(optimizer).__name__,
        "states": listed,
        "counts": [[_index(one), count] for one, count in optimizer._index_update_count.items()],
        "settings": _settings(optimizer) if settings else None,
        "scheduler": _scheduler(optimizer.lr_scheduler),
        "parameters": parameters,
    }
    placed = laid_out(tensors)
    tree["checks"] = [checksum(array) for array in placed.values()]
    write_atomically(path, chunks(placed, json.dumps(tree, separators=(",", ":")).encode()))


def _index(index: Any) -> Any:
    if not isinstance(index, (int, str)):
        raise ArgumentError("E357", f"indices of saved states must be integers or strings, got {index!r}")
    return index


def _plain(state: Any, name: str, tensors: dict[str, NDArray[Any]]) -> Any:
    """A state as JSON: arrays are `{"array": NAME}`, tuples and lists name their kind."""
    if isinstance(state, ndarray):
        tensors[name] = host_copy(state)
        return {"array": name}
    if isinstance(state, (tuple, list)):
        return [type(state).__name__, *(_plain(one, f"{name}.{k}", tensors) for k, one in enumerate(state))]
    if type(state) in _PLAIN:
        return {"value": state}
    raise ArgumentError(
        "E357",
        f"a state of {type(state).__name__} cannot be saved",
        help="create_state must return arrays, numbers, None, or tuples of them",
    )


def _settings(optimizer: Optimizer) -> dict[str, Any]:
    return {name: x for name, x in vars(optimizer).items() if type(x) in _PLAIN and not name.startswith("_")}


def _scheduler(scheduler: LRScheduler | None) -> Any:
    if scheduler is None:
        return None
    kind = type(scheduler)
    if kind.__module__ != lr_scheduler.__name__:
        return [kind.__qualname__, None]
    names = list(inspect.signature(kind).parameters)
    return [kind.__name__, {name: getattr(scheduler, "power" if name == "pwr" else name) for name in names}]


# ------------------------------------------------------------------------------------------------------------- reading


def read_states(path: str | os.PathLike[str]) -> States:
    """Read a file that `write_states` wrote.

    Raises:
        LoadError E600: it cannot be opened.
        LoadError E660: it holds something else.
        LoadError E661: it is damaged or incomplete.
    """
    source = os.fspath(path)
    try:
        container = opened(source)
    except LoadError as error:
        raise _read_wrongly(source, error) from error
    if container is None:
        raise _foreign(source)
    try:
        tree = container.program()
        if tree.get("kind") != KIND:
            raise _foreign(source)
        return _states(container, tree)
    except LoadError as error:
        raise _read_wrongly(source, error) from error
    except _MALFORMED as error:
        raise LoadError("E661", f"{source} cannot be read: {error}", help="use another copy of the file") from error


def _read_wrongly(source: str, error: LoadError) -> LoadError:
    if error.code not in ("E604", "E614"):
        return error
    return LoadError("E661", f"{source} is damaged or incomplete: {error.what}", help="use another copy of the file")


def _foreign(source: str) -> LoadError:
    with open(source, "rb") as file:
        head = file.read(2)
    pickled = head[:1] == b"\x80" and head[1:] <= b"\x05"
    what = "a pickle, as MXNet's Trainer wrote them" if pickled else "something else"
    return LoadError(
        "E660",
        f"{source} does not hold hybridize optimizer states but {what}",
        help="pickles can run any code and are not read; begin with new states" if pickled else "use save_states",
    )


def _states(container: Container, tree: Mapping[str, Any]) -> States:
    scheduler, parameters, settings = tree["scheduler"], tree["parameters"], tree["settings"]
    return States(
        container.source,
        str(tree["optimizer"]),
        {_known_index(index): _value(state, container) for index, state in tree["states"]},
        None if settings is None else {str(name): _checked(x, _PLAIN) for name, x in settings.items()},
        {_known_index(index): _checked(count, (int,)) for index, count in tree["counts"]},
        None if scheduler is None else (str(scheduler[0]), None if scheduler[1] is None else dict(scheduler[1])),
        None if parameters is None else [_described(*one) for one in parameters],
    )


def _described(name: Any, shape: Any, dtype: Any) -> Described:
    return str(name), None if shape is None else tuple(_checked(size, (int,)) for size in shape), str(dtype)


def _value(plain: Any, container: Container) -> Any:
    if isinstance(plain, list):
        kind, *parts = plain
        return {"tuple": tuple, "list": list}[kind](_value(part, container) for part in parts)
    if "value" in plain:
        return _checked(plain["value"], _PLAIN)
    values = container.array(plain["array"])
    array = ndarray(aligned(values.shape, values.dtype))
    overwrite(array, values)
    return array


def _known_index(index: Any) -> Any:
    return _checked(index, (int, str))


def _checked(x: Any, kinds: tuple[type, ...]) -> Any:
    if type(x) not in kinds:
        raise ValueError(f"{x!r} is not what it has to be")
    return x


# ----------------------------------------------------------------------------------------------------------- going on


def restore(optimizer: Optimizer, record: States) -> dict[Any, Any]:
    """Give an optimizer the counts and settings of a file; returns the states. All or nothing.

    Raises:
        LoadError E662: they are of another optimizer or schedule.
        LoadError E661: a setting is not of its kind.
    """
    if record.optimizer != type(optimizer).__name__:
        raise _other(record, f"of {record.optimizer}, not of {type(optimizer).__name__}")
    settings = {} if record.settings is None else record.settings
    now = _settings(optimizer)
    for name, x in settings.items():
        if name in now and not _alike(now[name], x):
            what = f"{record.source}: {name} is {x!r}, where this optimizer has {now[name]!r}"
            raise LoadError("E661", what, help="use another copy of the file")
    _check_slots(optimizer, record, {name: x for name, x in settings.items() if name in now})
    scheduler = _scheduler_of(optimizer, record) if record.settings is not None else None
    for name, x in settings.items():
        if name in now:
            setattr(optimizer, name, x)
    if scheduler is not None and optimizer.lr_scheduler is not None:
        vars(optimizer.lr_scheduler).update(vars(scheduler))
    elif scheduler is not None:
        optimizer.lr_scheduler = scheduler
    optimizer._index_update_count = dict(record.counts)
    optimizer.num_update = max([optimizer.begin_num_update, *record.counts.values()])
    optimizer._bindings = {}
    return dict(record.states)


def _check_slots(optimizer: Optimizer, record: States, settings: Mapping[str, Any]) -> None:
    """Raise unless each state is what the formula, with the settings of the file, can go on from."""
    if type(optimizer).create_state is not Optimizer.create_state:
        return  # of any form that the user likes
    then = copy.copy(optimizer)
    vars(then).update(settings)
    counts = {then.slot_count}
    if "momentum" in vars(then):  # which may have come or gone since a state was made
        for momentum in (0.0, 0.5):
            vars(then)["momentum"] = momentum
            counts.add(then.slot_count)
    for index, state in record.states.items():
        described = record.parameters[index] if record.parameters is not None and type(index) is int else None
        is_short = described is None or described[2] in ("float16", "bfloat16")
        forms = _below_master(state) if is_short and (then.multi_precision or described is None) else []
        if described is None or not (is_short and then.multi_precision):
            forms.append(state)
        if not any(_slots(form) in counts for form in forms):
            arrays = " or ".join(map(str, sorted(counts)))
            what = f"of another form: that of {index!r} is not {arrays} arrays, which {record.optimizer} keeps"
            raise _other(record, what)


def _below_master(state: Any) -> list[Any]:
    """Return the arrays that are remembered beside a float32 copy of the weight."""
    return [state[1]] if type(state) is tuple and len(state) == 2 and isinstance(state[0], ndarray) else []


def _slots(state: Any) -> int | None:
    """Count the arrays of a state; None if it is something else."""
    parts = () if state is None else state if type(state) is tuple else (state,)
    return len(parts) if all(isinstance(part, ndarray) for part in parts) else None


def _alike(now: Any, x: Any) -> bool:
    kinds = ((bool,), (str,), (int, float, type(None)))
    return any(type(now) in kind and type(x) in kind for kind in kinds)


def _scheduler_of(optimizer: Optimizer, record: States) -> LRScheduler | None:
    """The schedule of the file; None where the optimizer keeps its own, or both have none."""
    mine = optimizer.lr_scheduler
    if record.scheduler is None:
        if mine is not None:
            raise _other(record, f"of a training without a schedule, this one has a {type(mine).__name__}")
        return None
    name, arguments = record.scheduler
    if mine is not None and type(mine).__qualname__ != name:
        raise _other(record, f"of a training with a {name}, this one has a {type(mine).__name__}")
    kind = getattr(lr_scheduler, name, None)
    if arguments is None or not (isinstance(kind, type) and issubclass(kind, LRScheduler)):
        if mine is None:
            raise _other(record, f"of a training with the schedule {name}, this one has none")
        return None
    try:
        return kind(**arguments)
    except (HybridizeError, TypeError) as error:
        what = f"{record.source}: its {name} cannot be made: {error}"
        raise LoadError("E661", what, help="use another copy of the file") from error


def _other(record: States, what: str) -> LoadError:
    return LoadError(
        "E662",
        f"the states in {record.source} are {what}",
        help="create the optimizer with the same arguments as when the states were saved",
    )
