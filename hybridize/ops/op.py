# SPDX-License-Identifier: Apache-2.0
"""Ops, and how they are applied.

    bind(op, *operands) -> operands

asks the current interpreter. Interpreters form a stack that is local to the thread; the bottom one is installed by
`array` (imperative NumPy), capture pushes one that records. `reference` alone defines the meaning of an op.
"""

from __future__ import annotations

import re
import threading
from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ContextDecorator
from copy import copy
from enum import Enum
from functools import cache, wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import numpy
from numpy.typing import NDArray

from hybridize.base import access
from hybridize.base.dtypes import DType
from hybridize.base.errors import DTypeError, InternalError
from hybridize.base.forks import in_child
from hybridize.base.frozen import changed, frozen
from hybridize.base.hooks import Hook
from hybridize.base.spans import LISTENERS, OPERATION, is_heard, span
from hybridize.base.types import TensorType
from hybridize.graph import Graph, nodes_inside
from hybridize.graph.text import PARAMETERS, RESERVED
from hybridize.ops.registry import OpRegistry

Operand = Any
"""A NumPy buffer, a graph value, ...: whatever the current interpreter computes with."""
_NO_GRAPHS: Mapping[str, Graph] = MappingProxyType({})
"""The graphs inside most ops."""


class Effect(Enum):
    """The effects that an op may have besides computing its outputs."""

    PURE = "pure"
    HOST = "host"
    """Computed by Python, in the thread that calls the program and in its order; removed where nobody needs it."""
    WORLD = "world"
    """Reaches outside (prints, asserts): never removed, duplicated or reordered against its like."""


class OfComplex(Enum):
    """The ways in which an op treats complex numbers; where it takes them, `reference` has NumPy's meaning.

    The gradient of a real loss L by z = x + iy is dL/dx + i dL/dy, as in PyTorch (`ops.complexes`).
    """

    REFUSED = "refused"
    HOLOMORPHIC = "holomorphic"
    """Takes them; its gradient rule is a derivative that is right for complex numbers, and is conjugated."""
    RULED = "ruled"
    """Takes them; its gradient rule is right for complex numbers as it is."""
    VALUED = "valued"
    """Takes them, and has no gradient there."""


@cache
def snake(name: str) -> str:
    """`LayerNorm` -> `layer_norm`; `FMax` -> `fmax`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class _OpClass(ABCMeta):
    """The class of classes of ops: no other one is ever registered as one of them, so that to ask takes no look-up."""

    if not TYPE_CHECKING:
        __instancecheck__ = type.__instancecheck__
        __subclasscheck__ = type.__subclasscheck__


@frozen
class Op(metaclass=_OpClass):
    """A primitive. Its parameters are its fields; equal fields mean the same op.

    Rules take one argument per operand and return one result per output, in a tuple.
    """

    effect: ClassVar[Effect] = Effect.PURE
    differentiable: ClassVar[bool] = True
    """False if no cotangent passes: the result is a constant to whatever differentiates."""
    linear: ClassVar[bool] = False
    """True if the gradient rule reads no element of the operands and outputs, only types and cotangents."""
    rematerialised: ClassVar[bool] = False
    """True if gradients compute it again where they read it, rather than keep it: a view, or a cheap function."""
    view: ClassVar[bool] = False
    """True if it moves nothing where it is part of a kernel: it only says where elements are."""
    moves: ClassVar[bool] = False
    """True if each element of the result is one of the first operand."""
    positions: ClassVar[bool] = False
    """True if elements of the result are positions along `axis` of the operand."""
    sums: ClassVar[bool] = False
    """True if elements of the result are sums, in an order that is nobody's promise: where they cancel, they differ."""
    smooth: ClassVar[bool] = True
    """True if the gradient is continuous; where it jumps, there is no second one to compare."""
    by_element: ClassVar[bool] = False
    """True if each element of the result is made of the elements at its place: of equal ones, all results are equal."""
    overlaps: ClassVar[bool] = False
    """True if several elements of the result read the same element of an operand, which is best in memory: windows."""
    expands: ClassVar[bool] = False
    """True if the result says no more than the operands: computed it costs nothing, as a constant it takes memory."""
    repeats: ClassVar[bool] = False
    """True if it runs a graph inside any number of times."""
    takes_absent: ClassVar[bool] = False
    """True if the gradient rule takes None for the cotangent of a result that has none; others are given zeros."""
    of_complex: ClassVar[OfComplex] = OfComplex.REFUSED
    """The way in which it treats complex numbers; by default it refuses them."""
    shares: ClassVar[bool] = False
    """True if `mapped` takes operands that are the same at all positions as they are, not repeated."""
    axes_named: ClassVar[tuple[str, ...] | None] = None
    """The parameters that name axes of the operands, if the op is the same beside a new first axis but for these."""
    word: ClassVar[str]
    """The word for the op in graphs and files: the class name in lower case."""
    _holding: ClassVar[tuple[str, ...]] = ()
    """The parameters that are graphs."""

    @property
    def joined_along(self) -> int | None:
        """The axis along which the result is the operands, one after the other; None where it is anything else."""
        return None

    def __init_subclass__(cls, *, abstract: bool = False) -> None:
        """Register the class by its word, unless it is only a base of others.

        Raises:
            InternalError E913, E914, E915: the word is taken or cannot be read back; the class leaves something
                undefined; a parameter has no text.
        """
        super().__init_subclass__()
        rule = vars(cls).get("infer")
        if rule is not None and not _is_abstract(rule):
            cls.infer = _minding_complex(rule)  # type: ignore[method-assign]
        if abstract:
            return
        cls.word = snake(cls.__name__)
        missing = cls._missing()
        if missing:
            raise InternalError(
                "E914",
                f"the op {cls.__module__}.{cls.__qualname__} does not define {', '.join(missing)}",
                help="define it, or write `abstract=True` behind its bases where it is only a base of ops",
            )
        fields = [field for base in cls.__mro__ for field in vars(base).get("__annotations__", {}).items()]
        for field, kind in fields:
            if not str(kind).startswith("ClassVar") and str(kind) not in PARAMETERS:
                raise InternalError(
                    "E915",
                    f"the parameter {field} of the op {cls.__module__}.{cls.__qualname__} is annotated {kind}, "
                    f"which the text of graphs cannot hold",
                    help=f"annotate it, under `from __future__ import annotations`, as one of {', '.join(PARAMETERS)}",
                )
        inside = cls.__module__.startswith(f"{__package__}.")
        known = OPS.known(cls.word) if inside else OPS.get(cls.word)
        if known is not None or cls.word in RESERVED:
            other = "the text of graphs" if known is None else f"{known.__module__}.{known.__qualname__}"
            raise InternalError(
                "E913",
                f"the op {cls.__module__}.{cls.__qualname__} has the word {cls.word!r}, which is that of {other}",
                help="rename the class: its name in lower case stands for the op in graphs and files",
            )
        cls._holding = tuple(field for field, kind in fields if kind == "Graph")
        OPS.add(cls.word, cls)

    @classmethod
    def _missing(cls) -> list[str]:
        """Names of what a class of ops that is not a base must define and does not."""
        abstract: set[str] = {name for name, part in vars(cls).items() if _is_abstract(part)}
        abstract.update(*(getattr(base, "__abstractmethods__", ()) for base in cls.__bases__))
        return sorted(name for name in abstract if _is_abstract(getattr(cls, name)))

    @property
    def graphs(self) -> Mapping[str, Graph]:
        """The closed graphs inside, by the parameters that hold them."""
        return {field: getattr(self, field) for field in self._holding} if self._holding else _NO_GRAPHS

    @property
    def name(self) -> str:
        """The name in messages: its word."""
        return self.word

    @abstractmethod
    def infer(self, *inputs: Any, **_: Any) -> tuple[TensorType, ...]:
        """Types of the outputs; raises `ShapeError` or `DTypeError`."""

    @abstractmethod
    def reference(self, *inputs: Any, **_: Any) -> tuple[NDArray[Any], ...]:
        """The op's meaning, in NumPy: a plain specification, correct also for float64 inputs."""

    def eager(self, *inputs: Any, **_: Any) -> tuple[NDArray[Any], ...]:
        """A faster imperative rule where `reference` is slow; must agree with it."""
        return self.reference(*inputs)

    def met(self, *magnitudes: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return magnitudes of operands such that `reference` of them is that of what an op that `sums` adds up."""
        return magnitudes

    def vjp(self, *args: Any, **_: Any) -> tuple[Operand | None, ...]:
        """(cotangents, outputs, *inputs) -> cotangent of each input, None where there is none."""
        if not self.differentiable:
            return (None,) * (len(args) - 2)
        raise InternalError("E910", f"{self.name} has no gradient rule")

    def partial_vjp(self, wanted: Sequence[bool], *args: Any) -> tuple[Operand | None, ...]:
        """Return what `vjp` does where only some cotangents are wanted, by less work where each costs something.

        Those that are not wanted may be there or not: imperative code drops them, a program removes dead code.
        """
        return self.vjp(*args)

    @abstractmethod
    def lower(self, *inputs: Any, **_: Any) -> Any:
        """Lower the op to loop IR: an `Element` per output, or a `Contraction`, `Routine` or `Region`."""

    def mapped(self, length: int, along: Sequence[bool], *xs: Operand) -> tuple[Operand, ...] | None:
        """Apply the op at each position of a new first axis of operands, all at once (*batching*).

        Args:
            length: of the new axis.
            along: for each operand, whether it has the axis; all have, one at least where the op `shares`.
            *xs: the operands.

        Returns:
            The results, which have the axis, too: of an op of elements, the same op; None where there is no rule.
        """
        if self.axes_named is None:
            return bind(self, *xs) if self.by_element else None
        named = {name: getattr(self, name) for name in self.axes_named}
        behind = {
            name: axes + 1 if isinstance(axes, int) else tuple(axis + 1 for axis in axes)
            for name, axes in named.items()
        }
        return bind(changed(self, **behind), *xs)

    def expansion(self, *kinds: TensorType) -> Callable[..., tuple[Operand, ...]] | None:
        """Return a function made of other ops, which machine code computes instead; None: `lower` says how.

        It takes operands of these types.
        """
        return None


def _minding_complex(infer: Callable[..., tuple[TensorType, ...]]) -> Callable[..., tuple[TensorType, ...]]:
    """Return a type rule that refuses complex numbers where the op does; among them, all sizes are numbers."""

    @wraps(infer)
    def ruled(self: Op, *inputs: TensorType, **parts: Any) -> tuple[TensorType, ...]:
        for kind in inputs:
            if kind.dtype.kind == "c":
                check_complex(self, inputs)
                inputs = tuple(map(_of_known_sizes, inputs))
                break
        types = infer(self, *inputs, **parts)
        for kind in types:
            if kind.dtype.kind == "c":
                return tuple(map(_of_known_sizes, types))
        return types

    return ruled


def _of_known_sizes(kind: TensorType) -> TensorType:
    return kind if kind.scope is None else kind.with_shape(tuple(map(int, kind.shape)))


def check_complex(op: Op, inputs: Sequence[Any]) -> None:
    """Raise where an op is given complex numbers, and does not take them.

    Raises:
        DTypeError E242: it takes real numbers only.
    """
    if op.of_complex is OfComplex.REFUSED:
        got = " and ".join(str(TensorType(x.shape, x.dtype)) for x in inputs)
        raise DTypeError(
            "E242",
            f"{op.name} takes real numbers, got {got}",
            help="use a real part of the values: x.real, x.imag, np.abs(x), np.angle(x)",
        )


def _is_abstract(part: Any) -> bool:
    return getattr(part, "__isabstractmethod__", False) is True


OPS: OpRegistry[type[Op]] = OpRegistry(__package__)
"""Every primitive by its word."""


def effect_of(op: Any) -> Effect:
    """Return the effect of `op` besides computing its outputs, that of its sub-graphs included."""
    effect: Effect = op.effect
    if effect is not Effect.PURE or not op.graphs:
        return effect
    inner: Iterator[Any] = (node.op for node in nodes_inside(op))
    return Effect.PURE if all(each.effect is Effect.PURE for each in inner) else Effect.WORLD


ELSEWHERE: list[Callable[[Any, Sequence[Any]], tuple[Any, ...] | None]] = []
"""Gives the outputs of an op for operands in the memory of a device, None where none is; empty until one is used."""


def eagerly(op: Any, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Return the outputs of `op` for NumPy arrays, which other threads may write meanwhile: before it, or after."""
    if LISTENERS and is_heard(OPERATION):
        return span(OPERATION, op.name, eagerly, op, operands)
    for x in operands:
        if x.dtype.kind == "c":
            check_complex(op, operands)
    if ELSEWHERE and (there := ELSEWHERE[0](op, operands)) is not None:
        return there
    if not access.WRITER:
        writes = access.ACCESS.writes
        outputs: tuple[Any, ...] = op.eager(*operands)
        if access.ACCESS.writes is writes or effect_of(op) is not Effect.PURE:
            return outputs
    elif effect_of(op) is not Effect.PURE:
        return op.eager(*operands)  # type: ignore[no-any-return]
    return access.consistently(op.eager, *operands)


class Interpreter(Protocol):
    """A meaning of `bind`. Lives above `ops`: eager, tape, capture, reference."""

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Apply `op`."""

    def type_of(self, operand: Operand) -> TensorType:
        """Type of an operand."""

    def constant(self, array: NDArray[Any]) -> Operand:
        """An operand that holds `array`."""

    def composite(
        self,
        label: str,
        attributes: tuple[tuple[str, object], ...],
        function: Callable[..., Sequence[Operand]],
        operands: Sequence[Operand],
    ) -> tuple[Operand, ...]:
        """Apply what users know as one op: `function`, whose calls of `bind` may become the body of one node."""


class ReferenceInterpreter:
    """The interpreter that is the specification: operands are NumPy arrays, rules are `reference`."""

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Apply `op` by its specification."""
        return op.reference(*operands)

    def type_of(self, operand: Operand) -> TensorType:
        """Type of a NumPy array."""
        return TensorType(operand.shape, operand.dtype)

    def constant(self, array: NDArray[Any]) -> Operand:
        """The array itself."""
        return array

    def composite(
        self,
        label: str,
        attributes: tuple[tuple[str, object], ...],
        function: Callable[..., Sequence[Operand]],
        operands: Sequence[Operand],
    ) -> tuple[Operand, ...]:
        """Run the function, op by op."""
        return tuple(function(*operands))


class EagerInterpreter(ReferenceInterpreter):
    """The interpreter that computes at once, by the ops' fast imperative rules."""

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Compute at once."""
        return eagerly(op, operands)


BOTTOM: Hook[Interpreter] = Hook(ReferenceInterpreter())
"""The one that computes at once: imperative NumPy, where there is `array`."""


class _Stack(threading.local):
    def __init__(self) -> None:
        self.interpreters: list[Interpreter] = [BOTTOM.value]


STACK = _Stack()
"""Those in charge in the present thread, the last one first of all."""
ACTIVE: list[Any] = []
"""Interpreters other than the imperative one, of all threads, and one more while a thread writes in place. Only its
emptiness means anything: where it is empty, `array` may compute with NumPy at once, without asking the thread's own
stack, nor waiting."""
access.tell(ACTIVE)


def install(interpreter: Interpreter) -> None:
    """Make `interpreter` the bottom of every thread's stack (called once, by `array`)."""
    BOTTOM.fill(interpreter)
    STACK.interpreters[:1] = [interpreter]


def current() -> Interpreter:
    """The interpreter in charge in this thread."""
    return STACK.interpreters[-1]


_Kind = TypeVar("_Kind")


def in_charge(kind: type[_Kind]) -> _Kind:
    """Return the interpreter in charge in this thread as one of a kind, which knows more than operands.

    Raises:
        InternalError E918: it is not of that kind.
    """
    interpreter = STACK.interpreters[-1]
    if not isinstance(interpreter, kind):
        raise InternalError("E918", f"{type(interpreter).__name__} is in charge, which is no {kind.__name__}")
    return interpreter


def capturing() -> bool:
    """Tell whether an interpreter that does not compute at once is in charge in this thread."""
    return len(STACK.interpreters) > 1


def taping() -> Any:
    """The tape that is in charge in this thread: it computes at once and remembers how; None where there is none."""
    interpreters = STACK.interpreters
    return None if len(interpreters) > 1 or interpreters[0] is BOTTOM.value else interpreters[0]


def _alone() -> None:
    """In a forked child: the threads that the parent counted are not here."""
    ACTIVE[:] = [interpreter for interpreter in STACK.interpreters if interpreter is not BOTTOM.value]


in_child(_alone)


class Charge(ContextDecorator, ABC):
    """Puts other interpreters in charge of this thread for the length of a `with` block; in a derived class, which.

    What is changed is changed in lines without a call among them, so that Ctrl-C comes before all or after; see
    `base.modes`.
    """

    _outer: tuple[list[Interpreter], tuple[Interpreter, ...], tuple[Interpreter, ...], Any] | None = None
    """The interpreters before, what to add to ACTIVE and to take away at the end, and what this held before."""

    def _recreate_cm(self) -> Self:
        return copy(self)  # one for each call of a decorated function

    @abstractmethod
    def chosen(self) -> tuple[list[Interpreter], tuple[Interpreter, ...], tuple[Interpreter, ...]]:
        """The interpreters, and which of them are new in ACTIVE, or no longer in it."""

    def __enter__(self) -> None:
        chosen, more, fewer = self.chosen()
        active, outer = ACTIVE, (STACK.interpreters, fewer, more, self._outer)
        self._outer = outer
        STACK.interpreters = chosen
        active += more
        if fewer:
            del active[-1:]

    def __exit__(self, *_: object) -> None:
        assert self._outer is not None
        active = ACTIVE
        STACK.interpreters, more, fewer, self._outer = self._outer
        active += more
        if fewer:
            del active[-1:]


class taped(Charge):  # noqa: N801, it is used as a function is
    """Compute at once by `tape` for the length of a `with` block, or without any; not in the middle of a capture."""

    def __init__(self, tape: Interpreter | None) -> None:
        self._tape = tape

    def chosen(self) -> tuple[list[Interpreter], tuple[Interpreter, ...], tuple[Interpreter, ...]]:
        was, tape = taping(), self._tape
        if tape is None:
            return [BOTTOM.value], (), () if was is None else (was,)
        return [tape], (tape,) if was is None else (), ()


class interpreting(Charge):  # noqa: N801
    """Put `interpreter` in charge for the length of a `with` block, in this thread."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter

    def chosen(self) -> tuple[list[Interpreter], tuple[Interpreter, ...], tuple[Interpreter, ...]]:
        return [*STACK.interpreters, self._interpreter], (self._interpreter,), ()


class imperatively(Charge):  # noqa: N801
    """Compute at once for the length of a `with` block, even in the middle of a capture, in this thread.

    For work that a program must find done, not do: initial values of parameters, say.
    """

    def chosen(self) -> tuple[list[Interpreter], tuple[Interpreter, ...], tuple[Interpreter, ...]]:
        return [BOTTOM.value], (), ()


def bind(op: Op, *operands: Operand) -> tuple[Operand, ...]:
    """Apply `op` under the current interpreter: the only way to apply an op."""
    return STACK.interpreters[-1].bind(op, operands)


def bind1(op: Op, *operands: Operand) -> Operand:
    """`bind` for an op of one output."""
    return STACK.interpreters[-1].bind(op, operands)[0]


def type_of(operand: Operand) -> TensorType:
    """Type of an operand of the current interpreter."""
    return STACK.interpreters[-1].type_of(operand)


def constant(array: NDArray[Any]) -> Operand:
    """An operand that holds `array`."""
    return STACK.interpreters[-1].constant(array)


def scalar(value: complex, dtype: DType) -> Operand:
    """A 0-d operand."""
    return constant(numpy.asarray(value, dtype=dtype))
