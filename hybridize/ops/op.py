# SPDX-License-Identifier: Apache-2.0
"""What an op is, and how it is applied.

    bind(op, *operands) -> operands

asks the current interpreter. Interpreters form a stack that is local to the thread; the bottom one is installed by
`array` (imperative NumPy), capture pushes one that records. `reference` alone defines the meaning of an op.
"""

from __future__ import annotations

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache, cached_property
from typing import Any, ClassVar, Protocol

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType
from hybridize.base.errors import InternalError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph import Graph
from hybridize.graph.text import field_names

Operand = Any
"""A NumPy buffer, a graph value, ...: whatever the current interpreter computes with."""


class Effect(Enum):
    """What an op does besides computing its outputs."""

    PURE = "pure"
    WORLD = "world"
    """Reaches outside (prints, asserts): never removed, duplicated or reordered against its like."""


@frozen
class Sample:
    """One case of an op for the catalogue tests."""

    inputs: tuple[NDArray[Any], ...]
    op: Op
    grad: tuple[int, ...] | None = None
    """Which inputs to check by central differences; None: every floating-point input."""
    fails: type[Exception] | None = None
    """The error that `infer` must raise for these inputs."""
    rtol: float = 1e-5
    atol: float = 1e-6


@cache
def snake(name: str) -> str:
    """`LayerNorm` -> `layer_norm`; `FMax` -> `fmax`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


@frozen
class Op(ABC):
    """A primitive. Its parameters are its fields; equal fields mean the same op.

    Rules take one argument per operand and return one result per output, in a tuple.
    """

    effect: ClassVar[Effect] = Effect.PURE

    @cached_property
    def name(self) -> str:
        """The word of the text form: the class name in lower case."""
        return snake(type(self).__name__)

    @abstractmethod
    def infer(self, *inputs: Any, **_: Any) -> tuple[TensorType, ...]:
        """Types of the outputs; raises `ShapeError` or `DTypeError`."""

    @abstractmethod
    def reference(self, *inputs: Any, **_: Any) -> tuple[NDArray[Any], ...]:
        """The op's meaning, in NumPy: a plain specification, correct also for float64 inputs."""

    def eager(self, *inputs: Any, **_: Any) -> tuple[NDArray[Any], ...]:
        """A faster imperative rule where `reference` is slow; must agree with it."""
        return self.reference(*inputs)

    def vjp(self, *args: Any, **_: Any) -> tuple[Operand | None, ...]:
        """(cotangents, outputs, *inputs) -> cotangent of each input, None where there is none."""
        raise InternalError("E910", f"{self.name} has no gradient rule")

    @abstractmethod
    def lower(self, *inputs: Any, **_: Any) -> Any:
        """How machine code computes it: an `Element` per output, or a `Contraction`, `Routine` or `Region`."""

    @classmethod
    @abstractmethod
    def samples(cls) -> Iterator[Sample]:
        """Small cases that reach every field, every special shape, and inputs that must fail."""


def effect_of(op: Any) -> Effect:
    """What `op` does besides computing its outputs, the graphs inside it included."""
    effect: Effect = op.effect
    if effect is not Effect.PURE:
        return effect
    for name in field_names(type(op)):
        part = getattr(op, name)
        if isinstance(part, Graph) and any(effect_of(node.op) is not Effect.PURE for node in part.nodes):
            return Effect.WORLD
    return Effect.PURE


class Interpreter(Protocol):
    """A meaning of `bind`. Lives above `ops`: eager, tape, capture, reference."""

    def bind(self, op: Op, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Apply `op`."""

    def type_of(self, operand: Operand) -> TensorType:
        """Type of an operand."""

    def constant(self, array: NDArray[Any]) -> Operand:
        """An operand that holds `array`."""


class Reference:
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


_bottom: list[Interpreter] = [Reference()]


class _Stack(threading.local):
    def __init__(self) -> None:
        self.interpreters: list[Interpreter] = list(_bottom)


_stack = _Stack()
ACTIVE: list[Interpreter] = []
"""Interpreters other than the imperative one, of all threads. Only its emptiness means anything: where it is empty,
`array` may compute with NumPy at once, without asking the thread's own stack."""


def install(interpreter: Interpreter) -> None:
    """Make `interpreter` the bottom of every thread's stack, instead of `Reference` (called once, by `array`)."""
    _bottom[:] = [interpreter]
    _stack.interpreters[:1] = [interpreter]


def current() -> Interpreter:
    """The interpreter in charge in this thread."""
    return _stack.interpreters[-1]


def capturing() -> bool:
    """Whether an interpreter that does not compute at once is in charge in this thread."""
    return len(_stack.interpreters) > 1


def taping() -> Any:
    """The tape that is in charge in this thread: it computes at once and remembers how; None where there is none."""
    interpreters = _stack.interpreters
    return None if len(interpreters) > 1 or interpreters[0] is _bottom[0] else interpreters[0]


@contextmanager
def taped(tape: Interpreter | None) -> Iterator[None]:
    """Compute at once by `tape` for the length of a `with` block, or without any; not in the middle of a capture."""
    before, was = _stack.interpreters, taping()
    _stack.interpreters = [_bottom[0] if tape is None else tape]
    if tape is not None and was is None:
        ACTIVE.append(tape)
    elif tape is None and was is not None:
        ACTIVE.pop()
    try:
        yield
    finally:
        if tape is not None and was is None:
            ACTIVE.pop()
        elif tape is None and was is not None:
            ACTIVE.append(was)
        _stack.interpreters = before


@contextmanager
def interpreting(interpreter: Interpreter) -> Iterator[None]:
    """Put `interpreter` in charge for the length of a `with` block, in this thread."""
    _stack.interpreters.append(interpreter)
    ACTIVE.append(interpreter)
    try:
        yield
    finally:
        ACTIVE.pop()
        _stack.interpreters.pop()


@contextmanager
def imperatively() -> Iterator[None]:
    """Compute at once for the length of a `with` block, even in the middle of a capture, in this thread.

    For work that a program must find done, not do: initial values of parameters, say.
    """
    before = _stack.interpreters
    _stack.interpreters = [_bottom[0]]
    try:
        yield
    finally:
        _stack.interpreters = before


def bind(op: Op, *operands: Operand) -> tuple[Operand, ...]:
    """Apply `op` under the current interpreter: the only way to apply an op."""
    return current().bind(op, operands)


def bind1(op: Op, *operands: Operand) -> Operand:
    """`bind` for an op of one output."""
    return current().bind(op, operands)[0]


def type_of(operand: Operand) -> TensorType:
    """Type of an operand of the current interpreter."""
    return current().type_of(operand)


def constant(array: NDArray[Any]) -> Operand:
    """An operand that holds `array`."""
    return current().constant(array)


def scalar(value: complex, dtype: DType) -> Operand:
    """A 0-d operand."""
    return constant(numpy.asarray(value, dtype=dtype))
