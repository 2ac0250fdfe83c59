# SPDX-License-Identifier: Apache-2.0
"""`Staging`: the protocol between arrays and whatever is in charge of computing with them.

*Staging* (of multi-stage programming) decides for each operation whether it is done now or becomes part of a program
that runs later. Whoever may be in charge while functions of arrays run derives from `Staging` and overrides what it
does otherwise:

    Staging         itself, at the bottom of every thread: imperative Python, everything at once
    autograd.tape   at once too, and remembers how
    ArrayTracer     records the graph of a function of arrays, whatever of Python is around it happens now
    capture.trace   records programs of the user's, with what they read, write and depend on

Hooks are called by functions of arrays, and by the packages above that must tell, or ask, a program that is being
recorded: `autograd`, `gluon`, `optimizer`. Each default is the imperative answer. A hook that returns NotImplemented,
which is its default where the imperative answer takes more than a line, leaves the matter to its caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.array.storage import Storage
from hybridize.array.symbol import Symbol, SymbolStaging
from hybridize.base.dims import Size
from hybridize.base.errors import CaptureError, StateError
from hybridize.ops.op import STACK, Operand, in_charge, install
from hybridize.ops.tracing import GraphTracer


class Staging(SymbolStaging):
    """Base of those in charge of functions of arrays, and itself the imperative one; the hooks with their defaults."""

    # ------------------------------------------------------------------------------------------------ arrays

    def operand(self, array: ndarray) -> Operand:
        """Return the operand that an array is; by default its buffer."""
        return array._content

    def lift(self, array: ndarray) -> ndarray | Symbol:
        """Return what an array that exists already is to functions of arrays: a symbol of it, or itself."""
        return array

    def depend(self, storage: Storage) -> None:
        """Let the program be valid only until `storage` is touched."""

    # ------------------------------------------------------------------------------------------- sizes to come

    def fill(self, value: Operand, number: Operand) -> None:
        """Hear that a value is `number` everywhere, and that its sizes of 0 are those of what it is computed with."""

    def fill_of(self, value: Operand) -> Operand | None:
        """Return the number that such a value is everywhere; None of all others."""
        return None

    # ---------------------------------------------------------------------------------------- Python's numbers

    def outside(self, value: Operand, kind: type, low: int, high: int) -> Any:
        """Return the Python number of a `kind` that a value is, where its integer part is outside `low` to `high`.

        Returns:
            None where it is between them; and where data decides it: then the program stops at this line if it is not.
        """
        return None

    def between(self, value: Operand) -> tuple[Size, Size] | None:
        """Return what the elements of an integer operand without values are between; None where nothing is known."""
        return None

    # --------------------------------------------------------------------------------- control flow of the user's

    def convert(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of the user's as it must be called here."""
        return function

    def method(self, owner: Any, name: str) -> Any:
        """Return a method of an object as it must be called here; whoever calls it depends on what it is."""
        return getattr(owner, name)

    def form(self, name: str, *args: Any) -> Any:
        """Record a call that has a graph of its own.

        Args:
            name: `cond`, `foreach` or `while_loop`, of `npx`; `custom`, of an `autograd.Function`; `checkpoint`, of
                what `autograd.checkpoint` gives.
            args: of it, see `capture.control.combinators` and `capture.gradients.custom`.
        """
        return NotImplemented

    # ------------------------------------------------------------------------------------------------ gradients

    def backward(self, heads: Any, head_grads: Any, retain_graph: bool | None, train_mode: bool) -> Any:
        """Run `autograd.backward` in a program."""
        return NotImplemented

    def grad(
        self,
        heads: Any,
        variables: Sequence[Any],
        head_grads: Any,
        retain_graph: bool | None,
        create_graph: bool,
        train_mode: bool,
    ) -> Any:
        """Run `autograd.grad` in a program."""
        return NotImplemented

    def variable(self, x: Any) -> Symbol:
        """Return a copy of an array of a program with respect to which gradients are asked."""
        raise _no_gradients(self)

    def gradients(self, value: Symbol, variables: Sequence[Any], create: bool) -> list[Symbol]:
        """Return the gradients of one number of a program with respect to what `variable` gave.

        `create` lets them be differentiated themselves.
        """
        raise _no_gradients(self)


install(Staging())


def staging() -> Staging:
    """Return who is in charge of functions of arrays in this thread."""
    interpreter = STACK.interpreters[-1]
    return interpreter if isinstance(interpreter, Staging) else in_charge(Staging)


class ArrayTracer(GraphTracer, Staging):
    """A tracer for functions of arrays; arrays that exist already have no part in what it records.

    Raises:
        CaptureError E412: by `operand` and `lift`, where the function reads one.
    """

    def operand(self, array: ndarray) -> Operand:
        raise _outer(array)

    def lift(self, array: ndarray) -> ndarray | Symbol:
        raise _outer(array)


def _outer(array: ndarray) -> CaptureError:
    return CaptureError(
        "E412",
        f"{array.type} is read by a formula that is compiled once for all arrays",
        help="use a number, or compute with the arguments of the formula",
    )


def _no_gradients(staging: Staging) -> StateError:
    return StateError(
        "E545",
        f"gradients cannot be computed inside {type(staging).__name__}",
        help="compute them outside, or in a hybridized function",
    )
