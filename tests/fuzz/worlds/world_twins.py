"""Two copies of a random program, one run by Python and one hybridized, compared after every step.

Compared are results and exceptions of every step and, deeply, all that the module holds afterwards: values, classes,
dtypes, cells, defaults, attributes, who shares a container with whom.
"""

from __future__ import annotations

import atexit
import collections
import functools
import io
import itertools
import linecache
import logging
import math
import os
import re
import shutil
import sys
import tempfile
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
from world_programs import PRELUDE

import hybridize
from hybridize import np
from hybridize.array import Symbol
from hybridize.base.errors import CaptureError, HybridizeError, InternalError
from hybridize.capture import Function
from hybridize.gluon import Block, HybridBlock, Parameter

NAME = "world"
_NUMBERS = itertools.count()
OURS = "HYBRIDIZE_WORLD_"
MADE = re.compile(r"m\d+")
"""Names of modules that programs make."""
REPEATS = 6
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 3e-6, "float64": 1e-12}


# ------------------------------------------------------------------------------------------------------ descriptions


class Describer:
    """Takes a value apart into plain tuples; containers that are met again are numbered."""

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module
        self.verb = vars(module).get("hybridize")
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []

    def names(self) -> dict[str, Any]:
        """All that the module holds."""
        described = {}
        for name, value in sorted(vars(self.module).items()):
            if name not in PRELUDE_NAMES and name != "__warningregistry__":  # of warnings that were shown
                # A result is a structure of its own: which list of the program it is, if any, is not compared.
                describer = Describer(self.module) if name.startswith("out") else self
                described[name] = describer.of(value)
        return described

    def of(self, value: Any) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, str, bytes, complex, float):
            return kind.__name__, repr(value)
        if isinstance(value, (np.ndarray, numpy.ndarray, numpy.generic)):
            self.kept.append(value)
            array = numpy.asarray(value)
            # NumPy's arrays become ours where they go through a program, and so do the scalars that it makes of them:
            # which of the two it is is not compared (docs/guide/README.md, What differs).
            grad = getattr(value, "grad", None)
            return "array", str(array.dtype), array.shape, array.copy(), *(() if grad is None else (self.of(grad),))
        if isinstance(value, Function):
            return self.of(value.python_function)
        if id(value) in self.seen:
            return "seen", self.seen[id(value)]
        self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        return self.inside(value, kind)

    def inside(self, value: Any, kind: type) -> Any:
        if isinstance(value, (list, tuple, collections.deque)):
            extra = (value.maxlen,) if isinstance(value, collections.deque) else ()
            return kind.__name__, *extra, *map(self.of, value)
        if isinstance(value, dict):
            return kind.__name__, *((self.of(key), self.of(part)) for key, part in value.items())
        if isinstance(value, (set, frozenset)):
            return kind.__name__, *sorted(repr(self.of(part)) for part in value)
        if value is self.verb:
            return "verb"
        if isinstance(value, types.FunctionType):
            cells = tuple(self.cell(cell) for cell in value.__closure__ or ())
            held = self.of(value.__defaults__), self.of(value.__kwdefaults__), self.of(value.__dict__)
            return (
                ("function", value.__qualname__, *held, *cells) if self.own(value) else ("function", value.__qualname__)
            )
        if isinstance(value, types.MethodType):
            return "method", self.of(value.__func__), self.of(value.__self__)
        if isinstance(value, functools.partial):
            return "partial", self.of(value.func), self.of(value.args), self.of(value.keywords)
        if isinstance(value, (staticmethod, classmethod)):
            return kind.__name__, self.of(value.__func__)
        if isinstance(value, property):
            return "property", self.of(value.fget), self.of(value.fset)
        if isinstance(value, functools.cached_property):
            return "cached_property", self.of(value.func)
        if isinstance(value, functools._lru_cache_wrapper):
            return "cached", self.of(value.__wrapped__)  # what it has kept shows in what it gives
        if isinstance(value, types.ModuleType):
            if not MADE.fullmatch(value.__name__):
                return "module", value.__name__
            return "module", value.__name__, *((k, self.of(v)) for k, v in sorted(vars(value).items()) if k[:2] != "__")
        if isinstance(value, type):
            if value.__module__ != self.module.__name__:
                return "class", value.__qualname__
            hidden = ("__module__", "__dict__", "__weakref__", "__doc__", "__annotations__", "__slotnames__")
            return "class", value.__qualname__, *((k, self.of(v)) for k, v in vars(value).items() if k not in hidden)
        if isinstance(value, Parameter):
            return "parameter", self.of(value.data())
        if isinstance(value, Block):
            parts = {k: v for k, v in vars(value).items() if k[:1] != "_"}
            return kind.__name__, *((k, self.of(v)) for k, v in parts.items())
        if isinstance(value, BaseException):
            return kind.__name__, str(value)
        if kind is not types.SimpleNamespace and kind.__module__ != self.module.__name__:
            return "opaque", kind.__name__
        held = dict(getattr(value, "__dict__", {}))
        held |= {slot: getattr(value, slot) for slot in getattr(kind, "__slots__", ()) if hasattr(value, slot)}
        return kind.__name__, *((k, self.of(v)) for k, v in held.items())

    def own(self, function: types.FunctionType) -> bool:
        return function.__globals__ is vars(self.module)

    def cell(self, cell: Any) -> Any:
        try:
            return self.of(cell.cell_contents)
        except ValueError:
            return "empty"


def difference(found: Any, expected: Any, path: str = "") -> str | None:
    """Where two descriptions part, or None."""
    if isinstance(found, numpy.ndarray) and isinstance(expected, numpy.ndarray):
        return None if close(found, expected) else f"{path}: {found.tolist()} for {expected.tolist()}"
    if type(found) is not type(expected):
        return f"{path}: {shown(found)} for {shown(expected)}"
    if isinstance(expected, dict):
        if list(found) != list(expected):
            return f"{path}: names {sorted(set(found) ^ set(expected))}"
        return next(filter(None, (difference(found[k], expected[k], f"{path}.{k}") for k in expected)), None)
    if isinstance(expected, tuple):
        if len(found) != len(expected):
            return f"{path}: {shown(found)} for {shown(expected)}"
        return next(
            filter(
                None, (difference(*pair, f"{path}/{i}") for i, pair in enumerate(zip(found, expected, strict=True)))
            ),
            None,
        )
    return None if found == expected else f"{path}: {shown(found)} for {shown(expected)}"


def shown(value: Any) -> str:
    """A description, cut short."""
    text = str(value)
    return text if len(text) < 300 else text[:300] + "..."


def close(found: numpy.ndarray, expected: numpy.ndarray) -> bool:
    """Equal; floats up to the last bits, as a compiler may fuse a product and a sum."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    tolerance = TOLERANCE.get(str(expected.dtype))
    if tolerance is None:
        return bool((found == expected).all())
    with numpy.errstate(all="ignore"):
        return bool(
            numpy.allclose(found.astype("f8"), expected.astype("f8"), rtol=tolerance, atol=tolerance, equal_nan=True)
        )


# ----------------------------------------------------------------------------------------------------------- running


@dataclass
class Outcome:
    """What became of one step."""

    error: BaseException | None
    result: Any
    """The description of what the module holds after it."""


@dataclass
class World:
    """One copy of a program: a module of its own, and the verb that it calls `hybridize`."""

    verb: Any
    source: bool = True
    """Whether `inspect` finds the source."""
    module: types.ModuleType = field(init=False)
    count: int = 0
    printed: str = ""
    """What the last text printed."""
    held: list[Any] = field(default_factory=list)
    """All objects that the module held when it was described last, but those of results."""

    def __post_init__(self) -> None:
        self.number = next(_NUMBERS)
        self.module = types.ModuleType(NAME)
        sys.modules[NAME] = self.module

    def execute(self, text: str) -> None:
        """Run text as lines of a file of its own."""
        self.count += 1
        file = self.file(self.count)
        if self.source:
            linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        printed = io.StringIO()
        with redirect_stdout(printed):
            try:
                exec(compile(text, file, "exec"), vars(self.module))
            finally:
                self.printed = printed.getvalue()

    def file(self, count: int) -> str:
        """Other files for each world, as what is known of a file may be remembered."""
        return f"<world {self.number}.{count}>"

    def holds(self, objects: list[Any]) -> bool:
        """Whether the module holds the very objects that it held before."""
        return len(self.held) == len(objects) and all(x is y for x, y in zip(self.held, objects, strict=True))

    def is_ours(self, file: str) -> bool:
        return file.startswith(f"<world {self.number}.")

    def start(self, module: str) -> None:
        self.execute(PRELUDE)
        vars(self.module)["hybridize"] = self.verb
        self.execute(module)

    def described(self) -> dict[str, Any]:
        describer = Describer(self.module)
        described = describer.names() | {"printed": self.printed}
        self.held = describer.kept
        return described

    def captures(self) -> int:
        """How often the program was captured."""
        compiled = self.compiled
        return 0 if compiled is None else int(compiled.cache_info().captures)

    @property
    def kept(self) -> str:
        """The guards of programs on values that only a capture has, and which would keep all of it alive."""
        compiled = self.compiled
        guards = [guard for one in ([] if compiled is None else compiled.programs()) for guard in one.capture.guards]
        return ", ".join(str(guard) for guard in guards if isinstance(guard.expected, Symbol))

    @property
    def compiled(self) -> Function | None:
        """The function that keeps the programs; None where a program that was made small has none any more."""
        program = vars(self.module).get("program")
        if isinstance(program, HybridBlock):
            return program._hybridized("programs") if program.active else None
        return program if isinstance(program, Function) else None

    def raises_by_data(self, error: BaseException | None) -> bool:
        """Tell whether the newest program raised an exception by itself, not because Python had decided so."""
        compiled = self.compiled
        programs = [] if compiled is None else compiled.programs()
        if not programs:
            return False
        decided = programs[-1].capture.raises
        return decided is None or decided.note not in getattr(error, "__notes__", ())

    def close(self) -> None:
        sys.modules.pop(NAME, None)
        for count in range(1, self.count + 1):
            linecache.cache.pop(self.file(count), None)


_prelude = types.ModuleType("prelude")
sys.modules["prelude"] = _prelude
exec(PRELUDE, vars(_prelude))
PRELUDE_NAMES = frozenset(vars(_prelude))


@functools.cache
def temporary_folder(process: int) -> str:
    """Return a fresh folder for the temporary files of the programs of a process: others run the same programs."""
    folder = tempfile.mkdtemp(prefix=f"hybridize-worlds-{process}-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@contextmanager
def same_process() -> Iterator[None]:
    """Put back what of the process itself a program changes."""
    environment, arguments, modules, limit = dict(os.environ), list(sys.argv), set(sys.modules), sys.getrecursionlimit()
    folder, tempfile.tempdir = tempfile.tempdir, temporary_folder(os.getpid())
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(environment)
        sys.argv[:] = arguments
        sys.setrecursionlimit(limit)
        for name in [name for name in sys.modules if name.startswith(OURS) and name not in modules]:
            del sys.modules[name]
        for name in [name for name in logging.root.manager.loggerDict if name.startswith(OURS)]:
            del logging.root.manager.loggerDict[name]
        for file in Path(tempfile.gettempdir()).glob(f"{OURS}*"):
            file.unlink()
        tempfile.tempdir = folder


@dataclass
class Report:
    """What the comparison found."""

    outcome: str
    """same, refused, raised (by the module itself), or what is wrong:

    differs, a value; identity, which container it is; aliased, a result after its container changed; unwritten, what was written before an exception; error, another
    exception; again, captured anew where nothing has changed; kept, a guard on a value of the capture itself; touched, state after a refusal; placeless, a refusal without a line; internal; drifted.
    """
    text: str = ""
    step: int = -1
    codes: list[str] = field(default_factory=list)
    """Of the calls that were refused."""
    compiled: int = 0
    """Calls that ran compiled and agreed."""
    line: int = 0
    """The line of the module that was refused first."""
    ended: bool = False
    """Whether the two worlds parted where it is decided that they do."""
    settles: bool = True
    """Whether the last call, done again and again, is captured no more."""

    @property
    def wrong(self) -> bool:
        return self.outcome not in ("same", "refused", "raised")


def imperative(verb_object: Any = None, **options: Any) -> Any:
    """The verb of the world that Python runs."""
    return verb_object if verb_object is not None else imperative


def python_run(module: str, steps: Sequence[str]) -> list[tuple[BaseException | None, dict[str, Any]]]:
    """What imperative Python gives: for each step its error and what the module holds afterwards."""
    world = World(imperative)
    with same_process(), hybridize.disabled():
        try:
            world.start(module)
            history: list[tuple[BaseException | None, dict[str, Any]]] = [(None, world.described())]
            for step in steps:
                error: BaseException | None = None
                try:
                    world.execute(step)
                except Exception as caught:
                    error = caught
                history.append((error, world.described()))
                if error is not None:
                    error.__traceback__ = None
            return history
        finally:
            world.close()


def compare(module: str, steps: Sequence[str], backend: str = "numpy", source: bool = True) -> Report:
    """Run a program both ways and say what differs, if anything does."""
    try:
        history = python_run(module, steps)
    except Exception as error:
        return Report("raised", f"the module itself: {error!r}")

    def verb(obj: Any = None, **options: Any) -> Any:
        return hybridize.hybridize(obj, backend=backend, **options)

    world = World(verb, source)
    report = Report("same")
    with same_process():
        try:
            try:
                world.start(module)
            except Exception as error:
                return Report("raised", f"the module itself, hybridized: {error!r}")
            before = world.described()
            if text := difference(before, history[0][1]):
                return Report("raised", f"the worlds differ at the start: {text}")
            step = ""
            for number, step in enumerate(steps):
                expected, state = history[number + 1]
                before = run_step(world, step, number, expected, state, before, report)
                if report.wrong or report.ended:
                    return report
            if report.outcome == "same" and "program(" in step:
                report.settles = settles(world, step.split("\n")[-1])
            return report
        finally:
            world.close()


def run_step(
    world: World, step: str, number: int, expected: BaseException | None, state: Any, before: Any, report: Report
) -> Any:
    """One step in the hybridized world; returns what the module holds afterwards."""
    held: list[Any] = []
    *preparation, last = step.split("\n") if "program(" in step else [step]
    error: BaseException | None = None
    try:
        if preparation:
            world.execute("\n".join(preparation))
            before = world.described()
        held = world.held
        world.execute(last)
    except Exception as caught:
        error = caught
    after = world.described()
    if isinstance(error, HybridizeError) and not is_as_expected(error, expected):
        report.codes.append(error.code)
        if isinstance(error, InternalError):
            return wrong(report, "internal", number, f"{error}")
        if error.loc is None or not world.is_ours(error.loc.file):
            return wrong(report, "placeless", number, f"refused without the user's line: {error}")
        if text := difference(after | {"printed": ""}, before | {"printed": ""}):
            return wrong(report, "touched", number, f"refused, but state changed: {text}\n{error}")
        if report.outcome == "same":
            report.outcome, report.text = "refused", str(error)
            report.line = error.loc.line if error.loc.file == world.file(2) else 0
        error = None
        with hybridize.disabled():
            try:
                world.execute(last)
            except Exception as caught:
                error = caught
        after = world.described()
        if difference(after, state):
            # Python itself gives something else in this copy: an earlier difference that was not visible.
            return wrong(report, "drifted", number, f"run by Python after a refusal: {difference(after, state)}")
        return after
    if type(error) is not type(expected) and not is_as_expected(error, expected):
        return wrong(report, "error", number, f"{error!r} for {expected!r}")
    if text := difference(after, state):
        if expected is not None and world.raises_by_data(error) and not difference(outside(after), outside(before)):
            report.ended = True  # decided, and told in the guide: after an exception by data all is as it was before
            return after
        return wrong(report, kind_of(text, expected, step), number, text)
    if "program(" in step:
        if world.kept:
            return wrong(report, "kept", number, world.kept)
        report.compiled += 1
        if error is None and world.holds(held) and not difference(outside(after), outside(before)):
            captures = world.captures()
            world.execute(last)
            if world.captures() != captures:
                return wrong(report, "again", number, "captured again in a world where nothing has changed")
            if text := difference(world.described(), after):
                return wrong(report, kind_of(text, expected, step), number, f"{text}, called again")
    return after


def is_as_expected(error: BaseException | None, expected: BaseException | None) -> bool:
    """Whether an error of ours is that of Python: a class derived of its class may say more, but for refusals."""
    if type(error) is type(expected):
        return getattr(error, "code", None) == getattr(expected, "code", None)
    return expected is not None and isinstance(error, type(expected)) and not isinstance(error, CaptureError)


def outside(described: dict[str, Any]) -> dict[str, Any]:
    """A description without results and what was printed."""
    return {name: value for name, value in described.items() if name[:3] != "out" and name != "printed"}


def settles(world: World, call: str) -> bool:
    """Whether calls stop to be captured anew, where only numbers and elements change from call to call."""
    for _ in range(REPEATS):
        kinds, captures = kinds_of(outside(world.described())), world.captures()
        try:
            world.execute(call)
        except Exception:
            return True
        if world.captures() == captures or kinds_of(outside(world.described())) != kinds:
            return True
    return False


def kinds_of(described: Any) -> Any:
    """A description without values: classes, sizes, structure."""
    if isinstance(described, dict):
        return {name: kinds_of(value) for name, value in described.items()}
    if isinstance(described, tuple) and len(described) == 2 and described[0] in ("int", "float"):
        return described[0]
    if isinstance(described, tuple):
        return tuple(kinds_of(value) for value in described)
    return None if isinstance(described, numpy.ndarray) else described


def kind_of(text: str, expected: BaseException | None, step: str) -> str:
    """The kind of a difference, so that a program that is made small stays with its own."""
    if expected is not None:
        return "unwritten"
    if (earlier := re.match(r"\.(out\d+)", text)) and f"{earlier.group(1)} = program(" not in step:
        return "aliased"
    return (
        "identity"
        if re.search(r": (\w+ for seen|seen for \w+|\('seen', \d+\) for.*|.* for \('seen', \d+\))$", text)
        else "differs"
    )


def wrong(report: Report, outcome: str, number: int, text: str) -> None:
    report.outcome, report.step, report.text = outcome, number, text
    return None


__all__ = ["Report", "compare", "difference", "math"]
