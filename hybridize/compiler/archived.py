# SPDX-License-Identifier: Apache-2.0
"""Machine code that files hold: made for named targets when a program is saved, taken from there when it is loaded.

Unlike files in the disk cache it is for another machine, another release and other arrays of weights. So it is
compiled for a level of processors, not for this very one; it says which runtime it is made for (`runtime.abi`); and
constants stand beside it by their digests, where several images share them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from numpy.typing import NDArray

from hybridize.base.config import CONFIG
from hybridize.base.dtypes import CODES
from hybridize.base.errors import CodegenError, LoadError
from hybridize.base.frozen import changed, frozen
from hybridize.base.loading import LOADING
from hybridize.codegen.levels import runnable
from hybridize.compiler import stored
from hybridize.compiler.entry import entry_code
from hybridize.compiler.host import offer, process_image
from hybridize.compiler.pool import have_pool
from hybridize.compiler.stored import LiteralConstant, SharedConstant, StoredProgram
from hybridize.graph import Graph
from hybridize.machine.target import named_target
from hybridize.passes import PIPELINE
from hybridize.runtime import abi, effects, serialization
from hybridize.runtime.executable import Executable
from hybridize.runtime.image import Image, Loaded
from hybridize.runtime.plan import PLAN_CLASSES, Plan, plain
from hybridize.runtime.pool import POOL

SLOTS: Final = 16
"""Threads that may share a step: of the machine that will run the program nothing is known."""
SMALL_BYTES: Final = 4096
"""Constants up to this size stand beside the code itself."""

Array = NDArray[Any]
T = TypeVar("T")
_MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


@frozen(eq=False)
class Code:
    """Machine code in a file, not yet read."""

    kind: str
    """`program`; or `entry` or `pool`, which a process needs once."""
    target: str
    """Name of the level of processors."""
    abi: int
    """Of the runtime that it was made for."""
    numbers: tuple[int, ...]
    """The numbers that an entry depends on besides."""
    nbytes: int
    facts: Any
    """The part of its record that stands in the file's description: `CompiledCode.facts`."""
    read: Callable[[], bytes]
    """The bytes themselves, checked: `CompiledCode.content`."""
    constant: Callable[[str], Array]
    """A constant by its digest, checked."""

    @property
    def fits(self) -> bool:
        """True if this runtime on this machine can run it."""
        return self.abi == abi.NUMBER and self.target in _levels()


@frozen
class CompiledCode:
    """Machine code on its way to a file: a record, taken apart by `serialization.split`."""

    facts: Any
    """The part for the file's description: all but bytes."""
    content: bytes
    threads: bool = False
    """True if it may use them."""


@frozen
class ArchivedProgram:
    """A program of a file. What a run does without is bytes, which are read when somebody asks for it."""

    program: StoredProgram
    """Its plan says no more than `OUTLINE`."""
    cost_us: float
    """By the whole plan; 0 where that has symbols."""
    plan: bytes
    """The whole one, serialized."""


OUTLINE: Final = ("inputs", "outputs", "scratch_bytes", "derivations", "sizes", "teams", "updates")
"""The fields of a plan that a run needs."""
CLASSES: Final = (ArchivedProgram, *stored.CLASSES)
"""The classes of records of machine code in files."""


class _LatePlan(Plan):
    """A plan without symbols of which everything that a run does without is read when somebody asks for it."""

    def __init__(self, record: ArchivedProgram) -> None:
        self.__dict__.update({name: getattr(record.program.plan, name) for name in OUTLINE}, _record=record)

    def __getattr__(self, name: str) -> Any:
        if name not in Plan.__match_args__:
            raise AttributeError(f"a plan has no {name!r}", name=name, obj=self)
        self.__dict__.update(_plan(self.__dict__["_record"]).__dict__)
        return self.__dict__[name]

    @property
    def cost_us(self) -> float:
        """As of any plan, without looking at the steps."""
        record: ArchivedProgram = self.__dict__["_record"]
        return float(record.cost_us)


def _levels() -> tuple[str, ...]:
    """Targets whose code is wanted here, the best first."""
    here = runnable()
    return tuple(name for name in here if name == CONFIG.target) if CONFIG.target else here


def best(codes: Iterable[Code]) -> Code | None:
    """The code that is the fastest here; None where none fits."""
    levels = _levels()
    fitting = {code.target: code for code in codes if code.abi == abi.NUMBER}
    for target in levels:
        if target in fitting:
            return fitting[target]
    return None


# ------------------------------------------------------------------------------------------------------------ making


def native() -> tuple[str, ...]:
    """The target that a program is saved for unless its user names others: this machine's widest level."""
    return _levels()[:1]


def program_code(
    graph: Graph, target: str, stable: Collection[int], named: Callable[[Array], str | None]
) -> CompiledCode:
    """The code of a program.

    Args:
        graph: as captured.
        target: name of a target.
        stable: as in `compile`.
        named: keeps a constant beside the code and returns its digest; None for one that is to stand within.
    """
    with LOADING:
        from hybridize.codegen.llvm.engine import compile_image  # late: see the package
        from hybridize.codegen.llvm.program import build

    machine = named_target(target)
    built = build(PIPELINE.run(graph), machine, stable=stable, slots=SLOTS)
    plan = built.plan
    constants, sources = (
        tuple([LiteralConstant.of(one) if (digest := named(one)) is None else SharedConstant(digest) for one in arrays])
        for arrays in (built.constants, built.sources)
    )
    outline = changed(plan, **{name: () for name in Plan.__match_args__ if name not in OUTLINE})
    program = StoredProgram(compile_image(built.module.text(), machine), outline, constants, sources)
    record = ArchivedProgram(program, 0.0 if plan.sizes else plan.cost_us, serialization.dump(plan))
    return CompiledCode(*serialization.split(record), bool(plan.teams))


def process_code(kind: str, target: str, numbers: Sequence[int]) -> CompiledCode:
    """The entry, or the code of the threads."""
    return CompiledCode(*serialization.split(process_image(kind, named_target(target), numbers)))


# ------------------------------------------------------------------------------------------------------------ taking


def offer_process_code(codes: Sequence[Code]) -> None:
    """Let this process use the entry and the code of threads from a file instead of making its own."""
    for target in _levels():
        for code in codes:
            if code.target == target and code.abi == abi.NUMBER:  # the first that is offered stays, the best
                offer(code.kind, code.numbers, partial(_record, code, Image, code.kind))


def _record(code: Code, kind: type[T], name: str) -> T:
    record = serialization.joined(code.facts, code.read(), CLASSES)
    if not isinstance(record, kind):
        raise LoadError("E652", f"the file's code of {name} is of another kind")
    return record


def executable(
    codes: Iterable[Code], graph: Graph, *, name: str, stable: Collection[int], threads: int | None = None
) -> Executable | None:
    """A program from the code that a file holds for it; None where none fits, so that it is to be compiled.

    Args:
        codes: for several targets.
        graph: what they were made of; it is not read here.
        name: what errors and `explain` call the program.
        stable: numbers of inputs that are known to be the same at most calls; code that derives constants
            of others does not fit.
        threads: how many a call may use; None is what `set_num_threads` says.

    Raises:
        LoadError E651, E652: the code is damaged, or not of this program.
    """
    code = best(codes)
    if code is None:
        return None
    record = _record(code, ArchivedProgram, name)
    types = [value.type for value in graph.inputs]
    try:
        program = record.program
        image, outline = program.image, program.plan
        inputs = [(one.dtype, one.shape) for one in outline.inputs]
        if inputs != [(CODES[one.dtype], tuple(map(plain, one.shape))) for one in types]:
            raise LoadError("E652", f"the file's code of {name} takes other inputs than its graph")
        constants, sources = stored.arrays_of(program, lambda one: code.constant(one.digest))
        if not (outline.sizes or type(outline.scratch_bytes) is int) or type(outline.teams) is not tuple:
            raise TypeError("its memory is not a number, or its threads are no positions")
        plan = _plan(record) if outline.sizes else _LatePlan(record)
        exact = None if outline.sizes else (types, outline.types(outline.outputs))
        if any(number not in stable for one in outline.derivations for number in one.inputs):
            return None
        loaded = Loaded(image)
    except CodegenError:  # a library of this process lacks a function: the compiler says which, or does without
        return None
    except _MALFORMED as error:
        raise LoadError("E652", f"the file's code of {name} is not a program ({error!r})") from error
    return Executable(
        loaded,
        loaded.address("program"),
        plan,
        constants,
        sources,
        name=name,
        types=exact,
        optimized=lambda: PIPELINE.run(graph),
        effects=effects.connect(loaded),
        code_bytes=loaded.nbytes,
        llvm_text=lambda: _llvm_text(graph, code.target, stable),
        entry_code=entry_code,
        team=POOL.team(threads) if plan.teams and have_pool() else None,
        persistent=True,
    )


def _plan(record: ArchivedProgram) -> Plan:
    plan = serialization.load(record.plan, PLAN_CLASSES)
    if not isinstance(plan, Plan):
        raise LoadError("E652", "the file's code holds no plan")
    return plan


def _llvm_text(graph: Graph, target: str, stable: Collection[int]) -> str:
    with LOADING:
        from hybridize.codegen.llvm.program import build  # late: see the package

    return str(build(PIPELINE.run(graph), named_target(target), stable=stable, slots=SLOTS).module.text())
