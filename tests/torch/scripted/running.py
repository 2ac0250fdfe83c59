"""A case in PyTorch and hybridized, and the verdict: right, refused or wrong."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import enum
import inspect
import io
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy
import torch
from numpy.lib.array_utils import byte_bounds
from torch import nn

from hybridize import hybridize
from hybridize.errors import ArgumentError, CaptureError, HybridizeError
from tests.torch.scripted.cases import Call, Case, Change

RIGHT, REFUSED, WRONG = "right", "refused", "wrong"
OF_THE_CALL = ("E458",)
"""Codes, besides those of arguments, of what is wrong with a call and not with a line of the module."""
Tolerances = Mapping[torch.dtype, tuple[float, float]]
_TOLERANCES: Tolerances = {
    torch.float64: (1e-9, 1e-10),
    torch.float32: (1e-4, 1e-5),
    torch.float16: (2e-3, 1e-3),
    torch.bfloat16: (2e-2, 1e-2),
}
_ROUNDED: Tolerances = {**_TOLERANCES, torch.float64: (1e-6, 1e-7)}
"""Where what is kept was computed in single precision before `module.double()`."""


@dataclass(frozen=True)
class Verdict:
    """What became of a case."""

    kind: str
    text: str = ""
    """What is refused, or what is otherwise than in PyTorch."""
    code: str = ""
    """Of the refusal."""


@dataclass
class Moment:
    """What can be seen after one step."""

    step: int
    result: Any = None
    given: Any = None
    """The arguments before the call."""
    arguments: Any = None
    """And after it."""
    printed: str = ""
    error: Exception | None = None
    state: Any = None
    shared: Any = None


def judge(case: Case, through: Callable[[nn.Module], Any] = hybridize) -> Verdict:
    """Run a case in PyTorch and hybridized, and compare what can be seen after each step.

    Args:
        case: the case.
        through: the door, `hybridize` unless the judge is judged.
    """
    torch.manual_seed(0)
    module = case.make()
    theirs = list(moments(case, copy.deepcopy(module), lambda module: module))
    before = seen(module)
    verdict = None
    for ours, expected in zip(moments(case, module, through), theirs, strict=False):  # a refusal is the last
        verdict = _verdict(ours, expected, before, inspect.getfile(case.make), case.rounded)
        if verdict is not None:
            break
        before = ours.state
    return Verdict(RIGHT) if verdict is None else verdict


def moments(case: Case, module: nn.Module, door: Callable[[nn.Module], Any]) -> Iterator[Moment]:
    """Go through the steps of a case, and yield what can be seen after each."""
    torch.manual_seed(0)
    try:
        target = door(module)
    except HybridizeError as error:
        yield Moment(0, error=error, state=seen(module))
        return
    results: list[Any] = []
    for number, step in enumerate(case.steps):
        moment = Moment(number)
        printed = io.StringIO()
        args: Any = ()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            try:
                if isinstance(step, Change):
                    with torch.no_grad():
                        step.act(target if step.by_door else module)
                else:
                    args = copy.deepcopy((step.args, step.kwargs))
                    moment.given = seen(args)
                    result = _called(target, step, *args, case.grad)
                    results.append(result)
                    moment.result = seen(result, same=case.memory)
                    if case.grad:
                        _backward(result)
            except Exception as error:
                moment.error = error
        moment.printed = printed.getvalue()
        moment.arguments = seen(args)
        moment.state = seen(module)
        if case.memory:
            moment.shared = seen([args, results, module], memory=True)
        yield moment


def _called(target: Any, step: Call, args: tuple[Any, ...], kwargs: dict[str, Any], grad: bool) -> Any:
    function = getattr(target, step.method) if step.method else target
    with torch.set_grad_enabled(grad):
        return function(*args, **kwargs)


def _backward(result: Any) -> None:
    """Run a backward pass from all of a result, each element with a weight of its own."""
    loss = torch.zeros(())
    for tensor in tensors_of(result):
        if tensor.requires_grad:
            weights = torch.linspace(0.5, 1.5, tensor.numel(), dtype=tensor.dtype).reshape(tensor.shape)
            loss = loss + (tensor * weights).sum().to(torch.float32)
    if loss.requires_grad:
        loss.backward()


def tensors_of(value: Any) -> Iterator[torch.Tensor]:
    """Every tensor in a result."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from tensors_of(part)
    elif isinstance(value, (list, tuple, deque)):
        for part in value:
            yield from tensors_of(part)
    elif dataclasses.is_dataclass(value):
        yield from tensors_of([getattr(value, one.name) for one in dataclasses.fields(value)])


# ------------------------------------------------------------------------------------------------- what can be seen


@dataclass
class Seen:
    """An object as plain data: its class, its parts by name, and for a tensor the values it had."""

    kind: Any
    plain: Any = None
    values: torch.Tensor | None = None
    parts: list[tuple[Any, Seen]] = field(default_factory=list)


def seen(value: Any, *, same: bool = True, memory: bool = False) -> Seen:
    """Return what can be seen of an object, deep: the values as they are now.

    Args:
        value: the object.
        same: whether an object that is met again is told from one that is equal to it.
        memory: whether tensors with common memory are told from others.
    """
    return _Eyes(same, memory).look(value)


class _Eyes:
    def __init__(self, same: bool, memory: bool) -> None:
        self.same, self.memory = same, memory
        self.met: dict[int, tuple[int, Any]] = {}
        self.places: list[tuple[int, int]] = []

    def look(self, x: Any) -> Seen:
        if x is None or isinstance(x, (bool, int, float, complex, str, bytes, enum.Enum, torch.dtype, torch.device)):
            return Seen(type(x), x)
        if isinstance(x, types.MethodType):
            return Seen(types.MethodType, x.__func__.__qualname__)
        if isinstance(x, (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)):
            return Seen(type(x), getattr(x, "__qualname__", x.__name__))
        known = self.met.get(id(x))
        if known is not None and (self.same or not isinstance(x, torch.Tensor)):
            return Seen("met before", known[0])
        self.met[id(x)] = len(self.met), x  # which keeps it: no other object gets its address
        if isinstance(x, torch.Tensor):
            return self._tensor(x)
        if isinstance(x, (numpy.ndarray, numpy.generic)):
            return Seen(type(x), (str(x.dtype), x.shape), torch.from_numpy(numpy.array(x)))
        if isinstance(x, Mapping):
            return Seen(type(x), parts=[(key, self.look(part)) for key, part in x.items()])
        if isinstance(x, (list, tuple, deque)):
            return Seen(type(x), parts=[(index, self.look(part)) for index, part in enumerate(x)])
        if isinstance(x, (set, frozenset)):
            return Seen(type(x), plain=sorted(map(repr, x)))
        parts = []
        for name, part in getattr(x, "__dict__", {}).items():
            # Hooks are kept by numbers that are drawn from one counter for all modules.
            hooks = isinstance(x, nn.Module) and "_hooks" in name and isinstance(part, dict)
            parts.append((name, self._hooks(part.values()) if hooks else self.look(part)))
        return Seen(type(x), parts=sorted(parts, key=lambda part: part[0]))

    def _hooks(self, hooks: Iterable[Any]) -> Seen:
        """Functions as what they are; of PyTorch's wrappers of them, which lose attributes when copied, the class."""
        functions = (types.FunctionType, types.MethodType)
        return Seen("hooks", [self.look(x) if isinstance(x, functions) else Seen(_named(type(x))) for x in hooks])

    def _tensor(self, x: torch.Tensor) -> Seen:
        plain = [x.dtype, tuple(x.shape), x.requires_grad, x.is_leaf or not x.requires_grad]
        if self.memory and x.numel():
            plain.append(self._place(x))
        grad = self.look(x.grad) if x.is_leaf and x.grad is not None else Seen(None)
        return Seen(type(x), plain, x.detach().clone(), [("grad", grad)])

    def _place(self, x: torch.Tensor) -> int:
        """The number of the first tensor whose elements lie among those of this one, perhaps its own."""
        start, stop = byte_bounds(x.detach().numpy())
        for number, (low, high) in enumerate(self.places):
            if start < high and low < stop:
                return number
        self.places.append((start, stop))
        return len(self.places) - 1


def difference(ours: Seen, theirs: Seen, path: str, tolerances: Tolerances = _TOLERANCES) -> str:
    """Return what differs first, or the empty string."""
    if _named(ours.kind) != _named(theirs.kind):
        return f"{path} is of {_named(ours.kind)}, in PyTorch of {_named(theirs.kind)}"
    if isinstance(ours.plain, float):
        if not numpy.allclose(ours.plain, theirs.plain, rtol=1e-5, atol=1e-6, equal_nan=True):
            return f"{path} is {ours.plain}, in PyTorch {theirs.plain}"
    elif ours.plain != theirs.plain:
        return f"{path} is {ours.plain!r}, in PyTorch {theirs.plain!r}"
    if ours.values is not None and theirs.values is not None:
        rtol, atol = tolerances.get(ours.values.dtype, (0, 0))
        if not torch.allclose(ours.values, theirs.values, rtol=rtol, atol=atol, equal_nan=True):
            return f"{path} is {_short(ours.values)}, in PyTorch {_short(theirs.values)}"
    if [name for name, _ in ours.parts] != [name for name, _ in theirs.parts]:
        return f"{path} has {[name for name, _ in ours.parts]}, in PyTorch {[name for name, _ in theirs.parts]}"
    for (name, one), (_, other) in zip(ours.parts, theirs.parts, strict=True):
        text = difference(one, other, f"{path}.{name}" if isinstance(name, str) else f"{path}[{name!r}]", tolerances)
        if text:
            return text
    return ""


def _named(kind: Any) -> str:
    """By name: where a parameter is parametrized, PyTorch makes a class for each module."""
    return f"{kind.__module__}.{kind.__qualname__}" if isinstance(kind, type) else str(kind)


def _short(values: torch.Tensor) -> str:
    return " ".join(str(values.flatten()[:8].tolist()).split())


# ------------------------------------------------------------------------------------------------------- the verdict


def _verdict(ours: Moment, theirs: Moment, before: Seen, file: str, rounded: bool) -> Verdict | None:
    """Return the verdict where a step ends the case: it was refused, or something is otherwise than in PyTorch.

    Args:
        ours: what is seen after the step.
        theirs: the same in PyTorch.
        before: the state before the step.
        file: of the case.
        rounded: what the module keeps was computed in single precision, though it is of double precision now.
    """
    where = f"step {ours.step}: "
    error, expected = ours.error, theirs.error
    # What cannot be compiled is a RuntimeError, and would pass for one of PyTorch's.
    own = isinstance(error, HybridizeError) and not isinstance(error, CaptureError)
    if isinstance(error, HybridizeError) and not (own and expected is not None and isinstance(error, type(expected))):
        return _refusal(error, ours, before, file, where)
    text = ""
    if error is not None and expected is None:
        text = f"{type(error).__name__} is raised: {_first_line(error)}"
    elif expected is not None and error is None:
        text = f"PyTorch raises {type(expected).__name__}: {_first_line(expected)}"
    elif error is not None and expected is not None:
        if not isinstance(error, type(expected)):
            text = f"{type(error).__name__} is raised, in PyTorch {type(expected).__name__}: {_first_line(error)}"
        elif _raised_in(file, expected) and str(error) != str(expected) and not isinstance(error, HybridizeError):
            text = f"the error says {_first_line(error)!r}, in PyTorch {_first_line(expected)!r}"
    for one, other, path in (
        (ours.result, theirs.result, "the result"),
        (ours.arguments, theirs.arguments, "the arguments"),
        (ours.state, theirs.state, "the module"),
        (ours.shared, theirs.shared, "[arguments, results, module]"),
    ):
        if not text and one is not None and other is not None:
            text = difference(one, other, path, _ROUNDED if rounded else _TOLERANCES)
    if not text and ours.printed != theirs.printed:
        text = f"prints {ours.printed!r}, in PyTorch {theirs.printed!r}"
    return Verdict(WRONG, where + text) if text else None


def _refusal(error: HybridizeError, ours: Moment, before: Seen, file: str, where: str) -> Verdict:
    """A refusal names a line of the case, and leaves no trace; else it is wrong."""
    text = f"{where}{error.code}: {error.what}"
    place = error.loc.file if error.loc is not None else ""
    at_the_call = isinstance(error, ArgumentError) or error.code in OF_THE_CALL
    if place != file and not (place == __file__ and at_the_call):
        return Verdict(WRONG, f"{text}; at {error.loc}, which is no line of the module")
    changed = difference(ours.state, before, "the module")
    if not changed and ours.given is not None:
        changed = difference(ours.arguments, ours.given, "an argument")
    if changed:
        return Verdict(WRONG, f"{text}; but the refused call has left traces: {changed.replace('PyTorch', 'before')}")
    if ours.printed:
        return Verdict(WRONG, f"{text}; but the refused call has printed {ours.printed!r}")
    return Verdict(REFUSED, f"{text} ({error.loc})", error.code)


def _raised_in(file: str, error: Exception) -> bool:
    """Tell whether an error was raised by a line of the case, so that its text is the user's own."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename == file


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0][:150]
