# SPDX-License-Identifier: Apache-2.0
"""Machine code that files hold: made for named targets when a program is saved, taken from there when it is loaded.

Unlike records in the disk cache it is for another machine, another release and other arrays of weights. So it is
compiled for a level of processors, not for this very one; it says which runtime it is made for (`runtime.abi`); and
constants stand beside it by their digests, where several images share them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.config import CONFIG
from hybridize.base.dtypes import BY_CODE, CODES
from hybridize.base.errors import CodegenError, LoadError
from hybridize.base.frozen import frozen
from hybridize.codegen.target import named_target
from hybridize.compiler.entry import entry_code
from hybridize.compiler.host import offer
from hybridize.compiler.pool import have_pool
from hybridize.compiler.stored import PLAN_CLASSES, Literal
from hybridize.graph import Graph
from hybridize.passes import PIPELINE
from hybridize.runtime import abi, effects, processors, record
from hybridize.runtime.executable import Executable
from hybridize.runtime.image import Image, Loaded
from hybridize.runtime.plan import Buffer, Pack, Plan, Size, plain
from hybridize.runtime.pool import POOL

SLOTS: Final = 16
"""Threads that may share a step: of the machine that will run the program nothing is known."""
SMALL_BYTES: Final = 4096
"""Constants up to this size stand in the record itself."""

Array = NDArray[Any]


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
    """What an entry depends on besides."""
    nbytes: int
    read: Callable[[], bytes]
    """Its record, checked."""
    constant: Callable[[str], Array]
    """A constant by its digest, checked."""

    @property
    def fits(self) -> bool:
        """Whether this runtime on this machine can run it."""
        return self.abi == abi.NUMBER and self.target in _levels()


@frozen
class Named:
    """A constant that stands beside the record."""

    digest: str


@frozen
class Kept:
    """The record of a program. What runs it stands here, few and flat words; everything else in a record of its own."""

    image: Image
    constants: tuple[Named | Literal, ...]
    inputs: tuple[Size, ...]
    """Their types, as `_flat` gives them."""
    outputs: tuple[Buffer, ...]
    scratch_bytes: Size
    packs: tuple[Pack, ...]
    sizes: tuple[str, ...]
    teams: tuple[int, ...]
    cost_us: float
    """Of a plan without symbols; else 0."""
    plan: bytes
    """The record of the whole plan."""


_CLASSES: Final = (Kept, Named, Literal, Image, Buffer, Pack)


class _LatePlan(Plan):
    """A plan without symbols of which everything that a run does without is read when somebody asks for it."""

    def __init__(self, kept: Kept) -> None:
        self.__dict__.update(scratch_bytes=kept.scratch_bytes, packs=kept.packs, teams=kept.teams, _kept=kept)

    def __getattr__(self, name: str) -> Any:
        if name not in ("inputs", "constants", "outputs", "steps"):
            raise AttributeError(f"a plan has no {name!r}", name=name, obj=self)
        self.__dict__.update(_whole(self.__dict__["_kept"]).__dict__)
        return self.__dict__[name]

    @property
    def cost_us(self) -> float:
        """As of any plan, without looking at the steps."""
        cost: float = self.__dict__["_kept"].cost_us
        return cost


def _whole(kept: Kept) -> Plan:
    plan = record.load(kept.plan, PLAN_CLASSES)
    if not isinstance(plan, Plan):
        raise LoadError("E652", "the plan of the file's code is none")
    return plan


def _flat(types: Iterable[tuple[str, Sequence[Size]]]) -> tuple[Size, ...]:
    """Types in one row, which is read and compared at once: for each its dtype, its number of axes, their sizes."""
    return tuple([word for code, shape in types for word in (code, len(shape), *shape)])


def _levels() -> tuple[str, ...]:
    """Targets whose code is wanted here, the best first."""
    here = processors.levels()
    return tuple(name for name in here if name == CONFIG.target) if CONFIG.target else here


def best(codes: Iterable[Code]) -> Code | None:
    """The code that is the fastest here; None where none fits."""
    levels = _levels()
    fitting = [code for code in codes if code.fits]
    return min(fitting, key=lambda code: levels.index(code.target), default=None)


# ------------------------------------------------------------------------------------------------------------ making


def native() -> tuple[str, ...]:
    """The target that a program is saved for unless its user names others: this machine's widest level."""
    return _levels()[:1]


def program_record(
    graph: Graph, target: str, stable: Collection[int], named: Callable[[Array], str | None]
) -> tuple[bytes, bool]:
    """The record of a program, and whether it may use threads.

    Args:
        graph: as captured.
        target: name of a target.
        stable: as in `compile`.
        named: keeps a constant beside the record and returns its digest; None for one that is to stand in the record.
    """
    from hybridize.codegen.llvm.engine import compile_image  # late: see the package
    from hybridize.codegen.llvm.program import build

    machine = named_target(target)
    built = build(PIPELINE.run(graph), machine, stable=stable, slots=SLOTS)
    image = compile_image(built.module.text(), machine)
    constants = []
    for array in built.constants:
        digest = named(array)
        constants.append(_literal(array) if digest is None else Named(digest))
    plan = built.plan
    kept = Kept(
        image, tuple(constants), _flat((one.dtype, one.shape) for one in plan.inputs), plan.outputs, plan.scratch_bytes,
        plan.packs, plan.sizes, plan.teams, 0.0 if plan.sizes else plan.cost_us, record.dump(plan),
    )  # fmt: skip
    return record.dump(kept), bool(plan.teams)


def _literal(array: Array) -> Literal:
    return Literal(CODES[array.dtype], array.shape, numpy.ascontiguousarray(array).tobytes())


def process_record(kind: str, target: str, numbers: Sequence[int]) -> bytes:
    """The record of the entry, or of the code of the threads."""
    from hybridize.codegen.llvm.engine import compile_image  # late: see the package
    from hybridize.codegen.llvm.process.entry import emit_entry
    from hybridize.codegen.llvm.process.pool import emit_pool

    machine = named_target(target)
    if kind == "entry":
        return record.dump(compile_image(emit_entry(*numbers).text(), machine))
    return record.dump(compile_image(emit_pool(machine).text(), machine, 0))


# ------------------------------------------------------------------------------------------------------------ taking


def offer_process_code(codes: Sequence[Code]) -> None:
    """Let this process use the entry and the code of threads from a file instead of making its own."""
    for kind, numbers in dict.fromkeys((code.kind, code.numbers) for code in codes):
        code = best([one for one in codes if (one.kind, one.numbers) == (kind, numbers)])
        if code is not None:
            offer(kind, numbers, _image_of(code))


def _image_of(code: Code) -> Callable[[], Image]:
    def image() -> Image:
        found = record.load(code.read(), [Image])
        if not isinstance(found, Image):
            raise LoadError("E652", f"the file's code of {code.kind} is none")
        return found

    return image


def executable(
    codes: Iterable[Code], graph: Graph, *, name: str, stable: Collection[int], threads: int | None = None
) -> Executable | None:
    """A program from the code that a file holds for it; None where none fits, so that it is to be compiled.

    Args:
        codes: for several targets.
        graph: what they were made of; it is not read here.
        name: what errors and `explain` call the program.
        stable: numbers of inputs whose packed copies can be kept; code that needs more of them does not fit.
        threads: how many a call may use; None is what `set_num_threads` says.

    Raises:
        LoadError E651, E652: the code is damaged, or not of this program.
    """
    code = best(codes)
    if code is None:
        return None
    kept = record.load(code.read(), _CLASSES)
    if not isinstance(kept, Kept):
        raise LoadError("E652", f"the file's code of {name} is no program")
    types = [value.type for value in graph.inputs]
    if kept.inputs != _flat((CODES[one.dtype], [*map(plain, one.shape)]) for one in types):
        raise LoadError("E652", f"the file's code of {name} takes other inputs than its graph")
    plan = _whole(kept) if kept.sizes else _LatePlan(kept)
    if any(pack.input is not None and pack.input not in stable for pack in plan.packs):
        return None
    try:
        loaded = Loaded(kept.image)
    except CodegenError:  # a library of this process lacks a function: the compiler says which, or does without
        return None
    acts = effects.VARIABLE in loaded.names
    if acts:
        ctypes.c_void_p.from_address(loaded.address(effects.VARIABLE)).value = effects.address()
    return Executable(
        loaded,
        loaded.address("program"),
        plan,
        [_constant(one, code) for one in kept.constants],
        name=name,
        types=None if kept.sizes else (types, plan.types(kept.outputs, {})),
        optimized=lambda: PIPELINE.run(graph),
        effects=acts,
        code_bytes=loaded.nbytes,
        llvm_text=lambda: _llvm_text(graph, code.target, stable),
        entry_code=entry_code,
        team=POOL.team(threads) if plan.teams and have_pool() else None,
    )


def _constant(constant: Named | Literal, code: Code) -> Array:
    match constant:
        case Named(digest=digest):
            return code.constant(digest)
        case Literal(dtype=dtype, shape=shape, data=data):
            return numpy.frombuffer(data, BY_CODE[dtype]).reshape(shape)


def _llvm_text(graph: Graph, target: str, stable: Collection[int]) -> str:
    from hybridize.codegen.llvm.program import build  # late: see the package

    return str(build(PIPELINE.run(graph), named_target(target), stable=stable, slots=SLOTS).module.text())
