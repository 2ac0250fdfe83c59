# SPDX-License-Identifier: Apache-2.0
"""Machine code that files hold: made for named targets when a program is saved, taken from there when it is loaded.

Unlike files in the disk cache it is for another machine, another release and other arrays of weights. So it is
compiled for a level of processors, not for this very one; it says which runtime it is made for (`runtime.abi`); and
constants stand beside it by their digests, where several images share them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import system
from hybridize.base import platforms
from hybridize.base.config import CONFIG
from hybridize.base.dtypes import BY_CODE, CODES
from hybridize.base.errors import CodegenError, LoadError
from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING
from hybridize.base.types import TensorType
from hybridize.codegen.levels import runnable
from hybridize.compiler.entry import entry_code
from hybridize.compiler.host import offer, process_image
from hybridize.compiler.pool import have_pool
from hybridize.graph import Graph
from hybridize.machine.target import labelled_target
from hybridize.passes import PIPELINE
from hybridize.runtime import abi, effects, serialization
from hybridize.runtime.executable import Executable
from hybridize.runtime.image import Image, Loaded
from hybridize.runtime.plan import PLAN_CLASSES, Buffer, Derivation, Plan, PlanSource, Size, plain
from hybridize.runtime.pool import POOL

SLOTS: Final = 16
"""Threads that may share a step: of the machine that will run the program nothing is known."""
SMALL_BYTES: Final = 4096
"""Constants up to this size stand beside the code itself."""

Array = NDArray[Any]
_MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


@frozen(eq=False)
class Code:
    """Machine code in a file, not yet read."""

    kind: str
    """`program`; or `entry` or `pool`, which a process needs once."""
    target: str
    """The level of processors and the system, as `Target.label` says them."""
    abi: int
    """Of the runtime that it was made for."""
    numbers: tuple[int, ...]
    """The numbers that an entry depends on besides."""
    nbytes: int
    facts: Mapping[str, Any]
    """Facts that the file's description holds of it: `CompiledCode.facts`."""
    read: Callable[[], bytes]
    """The bytes themselves, checked: `CompiledCode.content`."""
    constant: Callable[[str], Array]
    """A constant by its digest, checked."""

    @property
    def fits(self) -> bool:
        """True if this runtime on this machine can run it."""
        return self.target in _levels() and self.abi == abi.NUMBER and self.facts.get("machine") == platforms.here()


@frozen
class CompiledCode:
    """Machine code on its way to a file."""

    facts: dict[str, Any]
    """Facts for the file's description, so that they are read with it: of the image all but its bytes; of a program
    those parts of its plan that a run needs, too.
    """
    content: bytes
    """The image's code, its data; of a program small constants, and the whole plan, serialized."""
    threads: bool = False
    """True if it may use them."""


class _LatePlan(Plan):
    """A plan without symbols of which everything that a run does without is read when somebody asks for it."""

    def __init__(
        self, header: Mapping[str, Any], derivations: tuple[Derivation, ...], whole: Callable[[], Plan]
    ) -> None:
        self.__dict__.update(
            scratch_bytes=header["scratch_bytes"],
            derivations=derivations,
            teams=tuple(header["teams"]),
            _cost_us=float(header["cost_us"]),
            _whole=whole,
        )

    def __getattr__(self, name: str) -> Any:
        if name not in ("inputs", "constants", "outputs", "steps", "layouts", "order", "makers"):
            raise AttributeError(f"a plan has no {name!r}", name=name, obj=self)
        self.__dict__.update(self.__dict__["_whole"]().__dict__)
        return self.__dict__[name]

    @property
    def cost_us(self) -> float:
        """As of any plan, without looking at the steps."""
        cost: float = self.__dict__["_cost_us"]
        return cost


def _levels() -> tuple[str, ...]:
    """Labels of the targets whose code is wanted here, the best first."""
    names = runnable()
    if CONFIG.target:
        names = tuple(name for name in names if CONFIG.target in (name, f"{name}-{system.NAME}"))
    return tuple([platforms.machine_name(name, system.NAME) for name in names])


def best(codes: Iterable[Code]) -> Code | None:
    """The code that is the fastest here; None where none fits."""
    fitting = {code.target: code for code in codes if code.fits}
    for target in _levels():
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
        target: label of a target.
        stable: as in `compile`.
        named: keeps a constant beside the code and returns its digest; None for one that is to stand within.
    """
    with LOADING:
        from hybridize.codegen.llvm.engine import compile_image  # late: see the package
        from hybridize.codegen.llvm.program import build

    machine = labelled_target(target)
    built = build(PIPELINE.run(graph), machine, stable=stable, slots=SLOTS)
    plan = built.plan
    image = _image_code(compile_image(built.module.text(), machine))
    content = [image.content]

    def described(array: Array) -> Any:
        digest = named(array)
        if digest is not None:
            return digest
        content.append(numpy.ascontiguousarray(array).tobytes())
        return [CODES[array.dtype], array.shape, array.nbytes]

    constants = [described(array) for array in built.constants]
    header = {
        **image.facts,
        "constants": constants,
        "sources": [described(array) for array in built.sources],
        "inputs": _types(plan.inputs),
        "outputs": _types(plan.outputs),
        "scratch_bytes": plan.scratch_bytes,
        "derivations": [_words(one) for one in plan.derivations],
        "teams": plan.teams,
        "sizes": plan.sizes,
        "cost_us": 0 if plan.sizes else plan.cost_us,
    }
    return CompiledCode(header, b"".join([*content, serialization.dump(plan)]), bool(plan.teams))


def _words(derivation: Derivation) -> list[Any]:
    """A derivation as JSON has it."""
    fields = {**vars(derivation), "sources": [[*vars(source).values()] for source in derivation.sources]}
    return [*fields.values()]


def _derivation(words: Sequence[Any]) -> Derivation:
    """The derivation of such words."""
    slot, function, nbytes, layout, sources, scratch_bytes, ops = words
    plan_sources = tuple([PlanSource(*source) for source in sources])
    return Derivation(slot, function, nbytes, layout, plan_sources, scratch_bytes, tuple(ops))


def _types(buffers: Iterable[Buffer]) -> list[tuple[str, tuple[Size, ...]]]:
    return [(one.dtype, one.shape) for one in buffers]


def _image_code(image: Image) -> CompiledCode:
    header = {**vars(image), "code": len(image.code), "data": len(image.data)}
    return CompiledCode(header, image.code + image.data)


def process_code(kind: str, target: str, numbers: Sequence[int]) -> CompiledCode:
    """The entry, or the code of the threads."""
    return _image_code(process_image(kind, labelled_target(target), numbers))


# ------------------------------------------------------------------------------------------------------------ taking


def offer_process_code(codes: Sequence[Code]) -> None:
    """Let this process use the entry and the code of threads from a file instead of making its own."""
    for target in _levels():
        for code in codes:
            if code.target == target and code.fits:  # the first that is offered stays, the best
                offer(code.kind, code.numbers, partial(_process_image, code))


def _process_image(code: Code) -> Image:
    try:
        return _image(code.facts, code.read())
    except _MALFORMED as error:
        raise LoadError("E652", f"the file's code of {code.kind} cannot be read ({error!r})") from error


def _image(header: Mapping[str, Any], content: bytes) -> Image:
    end, stop = header["code"], header["code"] + header["data"]
    if not 0 <= end <= stop <= len(content):
        raise ValueError(f"an image of {end} + {header['data']} bytes")
    return Image(
        header["machine"],
        content[:end],
        header["data_offset"],
        content[end:stop],
        header["zeros"],
        *[tuple(map(tuple, header[pairs])) for pairs in ("exports", "externals", "pointers")],
    )


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
    header, content = code.facts, code.read()
    types = [value.type for value in graph.inputs]
    try:
        sizes = [[*map(plain, one.shape)] for one in types] if header["sizes"] else [[*one.shape] for one in types]
        if header["inputs"] != [[CODES[one.dtype], shape] for one, shape in zip(types, sizes, strict=True)]:
            raise LoadError("E652", f"the file's code of {name} takes other inputs than its graph")
        image = _image(header, content)
        constants, sources, at = _constants(code, content)
        derivations = tuple(map(_derivation, header["derivations"]))
        whole = partial(_plan, content, at)
        if not header["sizes"] and type(header["scratch_bytes"]) is not int:
            raise TypeError("its memory is not a number")
        plan = whole() if header["sizes"] else _LatePlan(header, derivations, whole)
        results = [TensorType(tuple(shape), BY_CODE[kind]) for kind, shape in header["outputs"]]
    except _MALFORMED as error:
        raise LoadError("E652", f"the file's code of {name} is not a program ({error!r})") from error
    if any(number not in stable for one in derivations for number in one.inputs):
        return None
    try:
        loaded = Loaded(image)
    except CodegenError:  # a library of this process lacks a function: the compiler says which, or does without
        return None
    return Executable(
        loaded,
        loaded.address("program"),
        plan,
        constants,
        sources,
        name=name,
        types=None if header["sizes"] else (types, results),
        optimized=lambda: PIPELINE.run(graph),
        effects=effects.connect(loaded),
        code_bytes=loaded.nbytes,
        llvm_text=lambda: _llvm_text(graph, code.target, stable),
        entry_code=entry_code,
        team=POOL.team(threads) if plan.teams and have_pool() else None,
        persistent=True,
    )


def _constants(code: Code, content: bytes) -> tuple[list[Array], list[Array], int]:
    """Constants of a program, what others are derived of, and where the bytes of small ones end."""
    arrays = []
    at = code.facts["code"] + code.facts["data"]
    count = len(code.facts["constants"])
    for constant in (*code.facts["constants"], *code.facts["sources"]):
        if isinstance(constant, str):
            arrays.append(code.constant(constant))
        else:
            kind, shape, nbytes = constant
            arrays.append(numpy.frombuffer(content[at : at + nbytes], BY_CODE[kind]).reshape(shape))
            at += nbytes
    return arrays[:count], arrays[count:], at


def _plan(content: bytes, at: int) -> Plan:
    plan = serialization.load(content[at:], PLAN_CLASSES)
    if not isinstance(plan, Plan):
        raise LoadError("E652", "the file's code holds no plan")
    return plan


def _llvm_text(graph: Graph, target: str, stable: Collection[int]) -> str:
    with LOADING:
        from hybridize.codegen.llvm.program import build  # late: see the package

    return str(build(PIPELINE.run(graph), labelled_target(target), stable=stable, slots=SLOTS).module.text())
