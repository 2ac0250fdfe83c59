# SPDX-License-Identifier: Apache-2.0
"""Python numbers among the arguments while capturing: symbols as long as they are data, numbers where they are more.

A number that meets an array is an input of the program. Where the code needs the number itself (`range(n)`,
`x.reshape(n)`, `[0] * n`), it becomes part of the program's key. Where only one truth about it is needed (`if n > 2`,
a divisor that is not 0), that truth is. Arithmetic between numbers stays in the graph where 64 bits give what Python
gives, and is Python's own otherwise.

A number that data decides (`float(x[0])`, what a loop counts) has no other arithmetic than that of the graph: what
Python refuses (a division by 0) or does otherwise (integers without end) stops the program at that line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.array.buffer import host_view
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol, check_classes
from hybridize.base.dims import Dim, Size, is_symbolic, proven
from hybridize.base.dtypes import float64, int64
from hybridize.base.errors import CaptureError
from hybridize.base.nested import flatten
from hybridize.base.promotion import EXACT
from hybridize.base.room import with_room
from hybridize.capture.outside.world import World
from hybridize.capture.trace import bounds
from hybridize.capture.trace.bounds import ARGUMENT, CARRIED, LITTLE, WHOLE, Bounds, is_beyond, within
from hybridize.capture.trace.inputs import Input, Inputs
from hybridize.capture.trace.lines import Affine, Line, affine_of
from hybridize.capture.trace.scope import GraphScope, of_program, origin_of
from hybridize.contract.conditions import Condition
from hybridize.graph import Graph, Node, Value
from hybridize.ops.op import Effect, Op, bind1, constant, effect_of, interpreting

_KINDS = (bool, int, float)
_GROWING: dict[str, Op] = {
    "add": ops.Add(),
    "sub": ops.Sub(),
    "mul": ops.Mul(),
    "neg": ops.Neg(),
    "abs": ops.Abs(),
    "pow": ops.Pow(),
    "lshift": ops.ShiftLeft(),
}
"""Operators that may give integers farther from 0 than those that they are given."""
_COMPARING = ("lt", "le", "gt", "ge", "eq", "ne")
_ORDERED = ("lt", "le", "gt", "ge")
_DIVIDING = ("truediv", "floordiv", "mod", "divmod")
_FACTOR: Bounds = (-(1 << 31), 1 << 31)
"""Integers whose products 64 bits hold."""
_MOST = float(1 << 62)
_OFTEN = 24
"""Conditions on the same numbers after which the program depends on the numbers themselves."""
_LONGEST = 1 << 47
"""No axis of an array is longer."""
_SLACK = 1 << 40
"""By so much the steps of one round may add up, each at most `LITTLE`."""


class Numbers:
    """The numbers among the arguments, as far as a capture knows them, and what the program depends on of them.

    Args:
        program: whose they are.
        inputs: of it.
        world: numbers that it feeds are among those that are known.
        check: lets the program raise an exception, at this line, unless a bool is true.
        indices: leaves of the arguments that calls differ in.
    """

    def __init__(
        self,
        program: GraphScope,
        inputs: Inputs,
        world: World,
        check: Callable[[Symbol, Exception], None],
        indices: Collection[int] = (),
    ) -> None:
        self._indices = indices
        self._program, self._inputs, self._world, self._check = program, inputs, world, check
        self.pinned: dict[int, Any] = {}
        """Leaves of the arguments whose value the program depends on."""
        self._conditions: dict[tuple[Value, type], Condition] = {}
        self._ends: dict[tuple[Any, ...], tuple[float, tuple[Value, type]]] = {}
        """Comparisons of one number with constants, and which of them says the most (an end of an interval)."""
        self._asked: dict[frozenset[Any], int] = {}
        """Counts of the conditions on the same numbers."""
        self._fixed: set[Any] = set()
        """Numbers whose value the program depends on."""
        self._evaluations: dict[Value, tuple[Any, dict[Any, Value]]] = {}
        """Numbers that are known, and what they are made of."""
        self._are_numbers: set[Value] = set()
        self.mixed: set[Value] = set()
        """Numbers of which data decides whether they are ints or floats: 0 before a loop, 0.5 after."""
        self._counting: dict[Value, Affine] = {}
        """Integers that count the rounds of a loop."""
        self.bounds: dict[Value, Bounds] = {}
        """Integers that are known to be between bounds which their graph does not tell: what a loop carries."""

    @property
    def conditions(self) -> list[Condition]:
        """The conditions that must be as true as they were, besides the pinned values."""
        fixed = self._fixed | self.pinned.keys()
        return [
            one
            for one in self._conditions.values()
            if not fixed.issuperset(one.positions) or (not one.graph.nodes and one.positions[0] in self._fixed)
        ]

    def number(self, symbol: Symbol, at: GraphScope) -> Any:
        """The number that a symbol is, which the program then depends on; None where data decides it."""
        value = self._value(symbol, at)
        evaluation = self._known(value)
        if value is None or evaluation is None:
            return None
        assert symbol.weak is not None
        number, used = symbol.weak(evaluation[0]), evaluation[1]
        many = type(number) is int and any(isinstance(node.op, (ops.Mod, ops.FloorDiv)) for node in self._slice(value))
        if many or any(type(one) is not int for one in used):
            self._depend(value, used, number)  # it comes of many numbers, or of one that is not among the arguments
            return number
        for position in used:
            self.pinned.setdefault(position, self._leaf(position))
        return number

    def index(self, symbol: Symbol, at: GraphScope) -> int | None:
        """The integer that a symbol is as an index; None where data decides it, or calls differ in it.

        Calls differ in numbers that were replaced outside, and in arguments, as soon as one call has shown that.
        """
        value = self._value(symbol, at)
        evaluation = None if value is None else with_room(self._evaluated, value)
        if evaluation is None:
            return None
        if any(type(one) is not int or (one in self._indices and one not in self.pinned) for one in evaluation[1]):
            return None
        number: int | None = self.number(symbol, at)
        return number

    def length_between(self, start: Any, stop: Any, size: Size, at: GraphScope) -> Any:
        """Return how far apart the ends of a part of an axis are, whatever they are: `i` and `i + 3`.

        None where that is not known, or some rounds of a loop have another part: their numbers go beyond the axis.
        """
        (first, low), (last, high) = self._offset(start, at), self._offset(stop, at)
        if not self._is_equal(first, last, at):
            return None
        affine = None if first is None else self.affine(first, at)
        lines = () if affine is None else affine.lines.values()
        if affine is not None and any(not line.ends_early for line in lines):
            least, most = affine.ends
            if not (proven(least + min(low, high), 0) and proven(size - most - max(low, high), 0)):
                return None
        return high - low

    def _is_equal(self, one: Value | None, other: Value | None, at: GraphScope) -> bool:
        """Tell whether two values are one, or computed alike."""
        if one is None or other is None:
            return one is other
        (one, left), (other, right) = origin_of(one, at), origin_of(other, at)
        if one is other:
            return True
        number, another = left.builder.constants.get(one), right.builder.constants.get(other)
        if number is not None and another is not None:
            return numpy.array_equal(number, another)
        makers = left.producers.of(one), right.producers.of(other)
        if makers[0] is None or makers[1] is None or makers[0].op != makers[1].op:
            return False
        if effect_of(makers[0].op) is not Effect.PURE or makers[0].outputs.index(one) != makers[1].outputs.index(other):
            return False
        return all(self._is_equal(x, y, at) for x, y in zip(makers[0].inputs, makers[1].inputs, strict=True))

    def _offset(self, x: Any, at: GraphScope) -> tuple[Value | None, Size]:
        """An integer as a value and what is added to it; None: nothing is."""
        if type(x) is not Symbol:
            return None, x
        value: Value = x.operand()
        total: Size = 0
        while True:
            known = self._known_offset(value, at)
            if known is not None:
                return None, total + known
            value, scope = origin_of(value, at)
            node = scope.producers.of(value)
            if node is None or type(node.op) not in (ops.Add, ops.Sub):
                return value, total
            left, right = (self._known_offset(one, at) for one in node.inputs)
            if right is not None:
                value, total = node.inputs[0], total + (right if type(node.op) is ops.Add else -right)
            elif left is not None and type(node.op) is ops.Add:
                value, total = node.inputs[1], total + left
            else:
                return value, total

    @staticmethod
    def _known_offset(value: Value, at: GraphScope) -> Size | None:
        value, scope = origin_of(value, at)
        array, node = scope.builder.constants.get(value), scope.producers.of(value)
        if array is not None:
            return int(array)
        op: Any = None if node is None else node.op
        return op.size if type(op) is ops.SizeOf else None

    def truth(self, symbol: Symbol, at: GraphScope) -> bool | None:
        """Tell whether a number is not 0, which the program then depends on; None where data decides it."""
        value = self._value(symbol, at)
        if value is not None and symbol.weak is int:
            low, high = self._bounds(value, at)
            if low > 0 or high < 0:
                return True  # as a size is, whichever that is
        evaluation = self._known(value)
        if value is None or evaluation is None:
            return None
        truth = bool(evaluation[0])
        self._depend(value, evaluation[1], truth)
        return truth

    def of_program(self, symbol: Symbol, at: GraphScope) -> Symbol | None:
        """A number as the program knows it; None where only a branch does."""
        value = self._value(symbol, at)
        return None if value is None else Symbol.of(self._program, value, weak=symbol.weak)

    def operate(self, name: str, function: Callable[..., Any], operands: Sequence[Any], at: GraphScope) -> Any:
        """`function(*operands)` between Python numbers: Python's own answer, or NotImplemented for the graph's.

        Raises:
            CaptureError E427: data decides one of them, and whether Python's answer is one that 64 bits hold.
        """
        if any(type(x) is Symbol and x.weak is float for x in operands):  # beside a float a size is data
            operands = [x.scope.number(x) if isinstance(x, Dim) and x.scope.number is not None else x for x in operands]
            if name not in _COMPARING:  # Python makes floats of integers, which may raise
                operands = [float(x) if type(x) is int and is_beyond(x) else x for x in operands]
        kinds = [x.weak if type(x) is Symbol else type(x) for x in operands]
        plain = all(kind in _KINDS for kind in kinds)
        if plain and not all(type(x) is not Symbol or self.is_known(x, at) for x in operands):
            return self._by_data(name, function, operands, kinds, at)
        if plain and not any(_large(x) for x in operands):
            near = name in ("add", "sub", "neg", "abs") and bool not in kinds
            if near and (float in kinds or self._fits(name, operands, at)):
                return NotImplemented
            if name == "mul" and (float in kinds or (bool not in kinds and self._small(operands, at))):
                return NotImplemented
            if name == "pow" and float in kinds and self._tame(operands[0], operands[-1], at):
                return NotImplemented
            divisor = operands[-1]
            whole = name in ("mod", "floordiv") and set(kinds) == {int}
            if (name == "truediv" or whole) and (self.truth(divisor, at) if type(divisor) is Symbol else bool(divisor)):
                return NotImplemented
        known = [self.number(x, at) if type(x) is Symbol else x for x in operands]
        if any(x is None for x in known):
            kind = next((x.weak for x in operands if type(x) is Symbol and x.weak not in (None, *_KINDS)), None)
            if kind is None:
                check_classes(function, *operands)
                other = next(type(x).__name__ for x in operands if type(x) is not Symbol and type(x) not in _KINDS)
                raise self._world.program.refusal(
                    "E427",
                    f"{name} of a number that depends on data and a {other}",
                    help="compute with numbers and arrays in the function, and convert its results outside",
                )
            raise self._world.program.refusal(
                "E427",
                f"an operator between a numpy.{kind.__name__} and a number, where one of them depends on data",
                help="pass a Python number, x.item(), or an array, np.array(x)",
            )
        return function(*known)

    # ------------------------------------------------------------------------------------- numbers among the arguments

    def _fits(self, name: str, operands: Sequence[Any], at: GraphScope) -> bool:
        """Tell whether an operator on integers between the bounds of the operands stays within 64 bits."""
        interval = bounds.result(name, *(self.bounds_of(x, at) for x in operands))
        return interval is not None and within(interval, WHOLE)

    def _small(self, operands: Sequence[Any], at: GraphScope) -> bool:
        """Tell whether a product of integers stays within 64 bits, on which the program then depends."""
        if self._fits("mul", operands, at):
            return True
        for x in operands:
            if within(self.bounds_of(x, at), _FACTOR):
                continue
            if type(x) is not Symbol or not self._holds(lambda one: abs(one) <= _FACTOR[1], x, at):
                return False
            if (value := self._value(x, at)) is not None:
                self.bounds[value] = _FACTOR
        return True

    def _tame(self, base: Any, exponent: Any, at: GraphScope) -> bool:
        """Tell whether a power of floats neither overflows nor is complex, on which the program then depends."""
        if type(exponent) is int and type(base) is Symbol:
            return 0 <= exponent <= 4 and bool(self._holds(lambda x: abs(x) <= 2.0**255, base, at))
        if type(base) is float and 0 < base <= 1 and type(exponent) is Symbol:
            most = math.inf if base == 1 else -1000 / math.log2(base)
            return bool(self._holds(lambda x: abs(x) <= most, exponent, at))
        if type(exponent) is float and abs(exponent) <= 4 and type(base) is Symbol and base.weak is int:
            return self.bounds_of(base, at)[0] > 0  # the root of a size, whichever that is
        return False

    def _holds(self, test: Callable[[Symbol], Any], symbol: Symbol, at: GraphScope) -> bool | None:
        """Tell whether a number passes a test, on which the program then depends; None where data decides it."""
        value = self.of_program(symbol, at)
        if value is None:
            return None
        with interpreting(self._program):
            return self.truth(test(value), self._program)

    def outside(self, value: Value, kind: type, between: Bounds, at: GraphScope) -> Any:
        """The number that a value is, where its integer part is not between bounds; None where it is.

        The program depends on that; where data decides it, the program stops at this line if it is not.
        """
        low, high = between
        symbol = Symbol.of(at, value, weak=kind)
        if kind is int:
            low, high = max(low, WHOLE[0]), min(high, WHOLE[1])
            if within(self.bounds_of(symbol, at), (low, high)):
                return None
            tests: list[tuple[Op, int]] = [(ops.Ge(), low), (ops.Le(), high)]
        else:  # the integer part of what is above low - 1 is not below low; 64 bits have no float there
            exact = abs(low) >= EXACT
            tests = [(ops.Ge(), low) if exact else (ops.Gt(), low - 1), (ops.Lt(), high + 1)]

        def inside(symbol: Symbol) -> Symbol:
            wide = _wide(symbol, kind)
            truths = [bind1(op, wide, _like(end, wide)) for op, end in tests]
            return Symbol.of(staging(), bind1(ops.BitAnd(), *truths), weak=bool)

        known = self._holds(inside, symbol, at)
        if known is None:
            self.require(inside(symbol).operand(), OverflowError(f"a number is not between {low} and {high}"))
            return None
        return None if known else self.number(symbol, at)

    # --------------------------------------------------------------------------------------- numbers that data decides

    def is_known(self, symbol: Symbol, at: GraphScope) -> bool:
        """Tell whether a number comes of numbers among the arguments, and of constants, alone."""
        value = self._value(symbol, at)
        return value is not None and self._comes_of_numbers(value)

    def varies(self, symbol: Symbol, at: GraphScope) -> bool:
        """Tell whether a number is another one at each call: data decides it, or calls read it anew outside."""
        value = self._value(symbol, at)
        return value is None or not self._comes_of_numbers(value) or self._comes_of_fed(value, set())

    def _comes_of_fed(self, value: Value, seen: set[Value]) -> bool:
        if value in self._world.fed.numbers:
            return True
        seen.add(value)
        node = self._program.producers.of(value)
        return node is not None and any(x not in seen and self._comes_of_fed(x, seen) for x in node.inputs)

    def _comes_of_numbers(self, value: Value) -> bool:
        if value in self._are_numbers or value in self._program.builder.constants or value in self._world.fed.numbers:
            return value.type.shape == ()
        for entry in self._inputs.entries:
            if entry.value is value:
                return entry.symbol.weak is not None
        node = self._program.producers.of(value)
        if node is None:
            return False
        # Not `all`: chains may be as deep as there are rounds, and its frames take the stack of the machine.
        for x in node.inputs:
            if not self._comes_of_numbers(x):
                return False
        self._are_numbers.add(value)
        return True

    def _by_data(
        self, name: str, function: Callable[..., Any], operands: Sequence[Any], kinds: Any, at: GraphScope
    ) -> Any:
        """The same where data decides one of the numbers: a check that Python's answer is the graph's, and that."""
        last = operands[-1]
        if float not in kinds and name not in _COMPARING and any(is_beyond(x) for x in operands):
            raise self._world.program.refusal(
                "E427",
                "arithmetic with an integer of more than 64 bits and a number that depends on data",
                help="compute with floats: float(n)",
            )
        if name != "truediv" and any(type(x) is Symbol and self.is_mixed(x, at) for x in operands):
            return self._of_mixed(name, operands, kinds, at)
        if name in _DIVIDING:
            if type(last) is not Symbol and not last:
                self.require(constant(numpy.asarray(False)), _by_zero(function, kinds))
            if type(last) is Symbol and not (float not in kinds and self.bounds_of(last, at)[0] > 0):
                wide = _wide(last, last.weak)
                self.require(bind1(ops.Ne(), wide, _like(0, wide)), _by_zero(function, kinds))
            return NotImplemented
        if float in kinds:
            return self._float_power(*operands) if name == "pow" else NotImplemented
        if name == "rshift":
            self._check_shift(last, at)
            count = bind1(ops.Min(), _wide(last, int), _wide(63, int))
            return Symbol.of(staging(), bind1(ops.ShiftRight(), _wide(operands[0], int), count), weak=int)
        return self._grown(name, operands, at) if name in _GROWING else NotImplemented

    def is_mixed(self, symbol: Symbol, at: GraphScope) -> bool:
        """Tell whether data decides of which class a number is."""
        value: Value = symbol._cell.value
        while at.parent is not None and value not in self.mixed:
            outer = at.around(value)
            value, at = value if outer is None else outer, at.parent
        return value in self.mixed

    def _of_mixed(self, name: str, operands: Sequence[Any], kinds: Any, at: GraphScope) -> Any:
        """An operator on a number that is an int or a float: so is the result, but beside what is a float for sure."""
        sure = any(
            kind is float and not (type(x) is Symbol and self.is_mixed(x, at))
            for kind, x in zip(kinds, operands, strict=True)
        )
        if name not in ("add", "sub", "mul", "neg", "abs"):
            raise self.mixed_refused(f"operator {name} of it")
        result = bind1(_GROWING[name], *(_wide(x, float) for x in operands))
        if not sure:
            self.mixed.add(result)
        return Symbol.of(staging(), result, weak=float)

    def mixed_refused(self, what: str) -> CaptureError:
        """Make the error for what needs the class of a number that data decides."""
        error: CaptureError = self._world.program.refusal(
            "E449",
            f"whether a number is a float depends on data, but {what} needs to know it",
            help="make it a float on all paths: 0.0 instead of 0, float(n) for an argument",
        )
        return error

    def _grown(self, name: str, operands: Sequence[Any], at: GraphScope) -> Any:
        """An operator between integers whose result may be farther from 0 than 64 bits reach."""
        last = operands[-1]
        if name == "pow":
            if type(last) is Symbol:
                raise self._world.program.refusal(
                    "E427",
                    "a power of integers with an exponent that depends on data: its sign decides between int and float",
                    help="use a float exponent: base ** float(exponent)",
                )
            if last < 0:
                return self._float_power(*operands)
        elif name == "lshift":
            self._check_shift(last, at)
        known = [self.bounds_of(x, at) for x in operands]
        wide = [_wide(x, int) for x in operands]
        interval = bounds.result(name, *known)
        if interval is None or not within(interval, CARRIED):
            little = name in ("add", "sub") and any(within(one, (-LITTLE, LITTLE)) for one in known)
            if not (little and interval is not None and within(interval, WHOLE)):
                self._check_size(name, wide)
            interval = CARRIED
        result = bind1(_GROWING[name], *wide)
        self.bounds[result] = interval
        return Symbol.of(staging(), result, weak=int)

    def _check_size(self, name: str, wide: list[Any]) -> None:
        """Stop the program where integers give one that is far from 0, as floats tell well enough."""
        floats = [bind1(ops.Cast(float64), x) for x in wide]
        if name == "lshift":
            size = bind1(ops.Mul(), floats[0], bind1(ops.Pow(), _like(2.0, floats[0]), floats[1]))
        else:
            size = bind1(_GROWING[name], *floats)
        fits = bind1(ops.Le(), bind1(ops.Abs(), size), _like(_MOST, size))
        self.require(fits, OverflowError("an integer that depends on data needs more than 63 bits"))

    def _check_shift(self, count: Any, at: GraphScope) -> None:
        if type(count) is Symbol and self.bounds_of(count, at)[0] < 0:
            wide = _wide(count, int)
            self.require(bind1(ops.Ge(), wide, _like(0, wide)), ValueError("negative shift count"))
        elif type(count) is not Symbol and count < 0:
            raise ValueError("negative shift count")

    def _float_power(self, base: Any, exponent: Any) -> Symbol:
        """A power of floats, which is no complex number and does not overflow."""
        wide = [_wide(x, float) for x in (base, exponent)]
        power = bind1(ops.Pow(), *wide)
        finite, *tests = [bind1(ops.Isfinite(), x) for x in (power, *wide)]
        special = bind1(ops.Not(), bind1(ops.BitAnd(), *tests))
        self.require(
            bind1(ops.BitOr(), finite, special),
            OverflowError("a power of numbers that depend on data is too large, divides by zero or is complex"),
        )
        return Symbol.of(staging(), power, weak=float)

    def require(self, condition: Value, error: Exception) -> None:
        """Let the program raise an exception at this line unless a bool of the graph is true.

        Raises:
            CaptureError E433: an `except` around it might catch it.
        """
        self._check(Symbol.of(staging(), condition), error)

    def carry(self, values: Sequence[Value]) -> None:
        """Take integers that a loop carries to be counted by little in every round; `is_far` tells whether they are."""
        self.bounds.update((one, CARRIED) for one in values if one.type.shape == () and one.type.dtype == int64)

    def is_far(self, value: Any, at: GraphScope) -> bool:
        """Tell whether an integer in a value may be outside of the bounds of what loops carry."""
        leaves, _ = flatten(value)
        numbers = (x for x in leaves if (x.weak is int if type(x) is Symbol else type(x) is int))
        most = (CARRIED[0] - _SLACK, CARRIED[1] + _SLACK)
        return any(not within(self.bounds_of(x, at), most) for x in numbers)

    def bounds_of(self, x: Any, at: GraphScope) -> Bounds:
        """Return the bounds of an integer, a number or a symbol of one."""
        if type(x) is not Symbol:
            return (int(x), int(x)) if isinstance(x, int) else WHOLE
        return self._bounds(x._cell.value, at)

    def between(self, value: Value, at: GraphScope) -> tuple[Size, Size]:
        """Return what the elements of an integer value are between; the end of an axis may be a symbol."""
        affine = self.affine(value, at)
        if affine is not None and affine.lines:
            return affine.ends
        least, most = self._bounds(value, at)
        value, scope = origin_of(value, at)
        length = bounds.length_of(value, scope.producers.of)
        return (least, most) if length is None or not is_symbolic(length) else (least, length - 1)

    def counts(self, value: Value, line: Line, loop: GraphScope) -> None:
        """Hear of an integer that counts the rounds of a loop, which is known by its body."""
        origin = Line(0, line.step, line.count, line.ends_early)
        self._counting[value] = Affine(line.start, {loop: origin} if line.moves else {})
        low, high = line.ends
        self.bounds[value] = (-_LONGEST if is_symbolic(low) else int(low), _LONGEST if is_symbolic(high) else int(high))

    def affine(self, value: Value, at: GraphScope) -> Affine | None:
        """Return what an integer is over the rounds of loops; None where that is no sum of lines."""
        value, scope = origin_of(value, at)

        def leaf(one: Value) -> Affine | None:
            if one in self._counting:
                return self._counting[one]
            number = scope.builder.constants.get(one)
            if number is not None:
                return Affine(int(number)) if number.dtype.kind in "iu" and not number.shape else None
            return None if scope.around(one) is None else self.affine(one, scope)

        return affine_of(value, scope.producers.of, leaf)

    def line(self, value: Value, loop: GraphScope) -> Line | None:
        """Return the line that an integer is over the rounds of a loop, which is known by its body; None: it is none.

        What only a loop around moves is none.
        """
        affine = self.affine(value, loop)
        return None if affine is None else affine.over(loop)

    def _bounds(self, value: Value, at: GraphScope) -> Bounds:
        value, scope = origin_of(value, at)

        def leaf(one: Value) -> Any:
            if one in scope.builder.constants:
                return scope.builder.constants[one]
            if scope.parent is not None:
                return None if scope.around(one) is None else self._bounds(one, scope)
            number = one in self._world.fed.numbers or any(
                entry.value is one and entry.symbol.weak in (bool, int) for entry in self._inputs.entries
            )
            return ARGUMENT if number and one.type.dtype == int64 else None

        return with_room(bounds.bounds, value, scope.producers.of, leaf, self.bounds)  # long chains: c += 1 by rounds

    def _depend(self, value: Value, used: dict[Any, Value], expected: bool | int | float) -> None:
        """Let the program depend on what `value` is."""
        key = value, type(expected)
        if key in self._conditions or not used or (self._fixed | self.pinned.keys()).issuperset(used):
            return
        graph = Graph(tuple(used.values()), tuple(self._slice(value)), (value,), self._constants(value))
        condition = Condition(graph, tuple(used), expected, self._world.program.location())
        if self._is_end(key, condition):
            return
        positions = frozenset(used)
        self._asked[positions] = self._asked.get(positions, 0) + 1
        if self._asked[positions] <= _OFTEN:
            self._conditions[key] = condition
            return
        for position, number in used.items():  # one comparison in each call, not one for each round
            self._fix(position, number)

    def _is_end(self, key: tuple[Value, type], condition: Condition) -> bool:
        """Tell whether a condition is a comparison of one number with a constant, of which the closest is kept."""
        graph, nodes = condition.graph, condition.graph.nodes
        if len(nodes) != 1 or nodes[0].op.name not in _ORDERED or len(graph.constants) != 1:
            return False
        (constant,) = graph.constants.values()
        op, is_first, end = type(nodes[0].op), nodes[0].inputs[0] in graph.constants, constant.item()
        side = condition.positions, op, is_first, condition.expected
        # `constant < number` says the more the larger the constant is.
        upwards = (issubclass(op, (ops.Lt, ops.Le)) is is_first) is condition.expected
        known = self._ends.get(side)
        if known is not None and (known[0] >= end if upwards else known[0] <= end):
            return True
        if known is not None:
            del self._conditions[known[1]]
        self._ends[side] = end, key
        self._conditions[key] = condition
        return True

    def _fix(self, position: Any, number: Value) -> None:
        """Let the program depend on the value of a number."""
        if type(position) is int and type(self._leaf(position)) in _KINDS:
            self.pinned[position] = self._leaf(position)
            return
        self._fixed.add(position)
        known = self._evaluations[number][0].item()
        graph = Graph((number,), (), (number,), {})
        self._conditions[number, type(known)] = Condition(graph, (position,), known, self._world.program.location())

    # ---------------------------------------------------------------------------------------------- evaluation

    def _value(self, symbol: Symbol, at: GraphScope) -> Value | None:
        """The value of the program that a symbol of a branch is; None for what only the branch has."""
        return of_program(symbol._cell.value, at)

    def _leaf(self, position: int) -> Any:
        return next(_number(entry) for entry in self._inputs.entries if entry.position == position)

    def _known(self, value: Value | None) -> tuple[Any, dict[Any, Value]] | None:
        """Return what `_evaluated` does, of a number; sizes among what others are made of are not asked for."""
        if value is None or not with_room(self._comes_of_numbers, value):
            return None
        return with_room(self._evaluated, value)

    def _evaluated(self, value: Value) -> tuple[Any, dict[Any, Value]] | None:
        """The number that a value is, and the numbers among the arguments or outside that it is made of; None where it
        depends on others.
        """
        known = self._evaluations.get(value)
        if known is None:
            known = self._leaf_of(value) or self._computed(value)
            if known is not None:
                self._evaluations[value] = known
        return known

    def _leaf_of(self, value: Value) -> tuple[Any, dict[Any, Value]] | None:
        constant = self._program.builder.constants.get(value)
        if constant is not None:
            return (constant, {}) if value.type.shape == () else None
        outside = self._world.fed.numbers.get(value)
        if outside is not None:
            return host_view(outside.array).copy(), {outside: value}
        for entry in self._inputs.entries:
            if entry.value is value and entry.symbol.weak is not None:
                return host_view(entry.array), {entry.position: value}
        return None

    def _computed(self, value: Value) -> tuple[Any, dict[Any, Value]] | None:
        node = self._program.producers.of(value)
        if node is None:
            return None
        operands: list[Any] = []
        used: dict[Any, Value] = {}
        for x in node.inputs:  # not by `all`, as above
            evaluation = self._evaluated(x)
            if evaluation is None:
                return None
            operands.append(evaluation[0])
            used = (
                evaluation[1]
                if evaluation[1].keys() >= used.keys()
                else used
                if used.keys() >= evaluation[1].keys()
                else used | evaluation[1]
            )
        op: Any = node.op
        with numpy.errstate(all="ignore"):
            results = op.reference(*operands)
        return results[node.outputs.index(value)], used

    def _slice(self, value: Value) -> list[Node]:
        """The nodes that `value` is computed by, in order."""
        nodes: dict[int, Node] = {}

        def visit(one: Value) -> None:
            node = self._program.producers.of(one)
            if node is not None and id(node) not in nodes:
                for x in node.inputs:
                    visit(x)
                nodes[id(node)] = node

        with_room(visit, value)
        return list(nodes.values())

    def _constants(self, value: Value) -> dict[Value, Any]:
        constants = self._program.builder.constants
        read = [x for node in self._slice(value) for x in node.inputs]
        return {x: constants[x] for x in [*read, value] if x in constants}


def _by_zero(function: Callable[..., Any], kinds: Sequence[type]) -> ZeroDivisionError:
    """Return what Python raises where numbers of these classes are divided by 0."""
    try:
        function(kinds[0](1), kinds[1](0))
    except ZeroDivisionError as error:
        return ZeroDivisionError(*error.args)
    raise AssertionError(f"{function} divides by 0")


def _wide(x: Any, kind: type | None) -> Any:
    """A number, or a symbol of one, as an operand of 64 bits; bools are integers."""
    dtype = float64 if kind is float else int64
    if type(x) is not Symbol:
        return constant(numpy.asarray(x, dtype))
    value = x.operand()
    return value if value.type.dtype == dtype else bind1(ops.Cast(dtype), value)


def _like(number: float, operand: Any) -> Any:
    return constant(numpy.asarray(number, operand.type.dtype))


def _number(entry: Input) -> Any:
    """The number that an input holds, of its class."""
    weak = entry.symbol.weak
    value = host_view(entry.array)
    return value[()] if weak is not None and issubclass(weak, numpy.generic) else value.item()


def _large(x: Any) -> bool:
    if not isinstance(x, (int, numpy.generic)) or isinstance(x, (float, numpy.complexfloating)):
        return False
    return abs(int(x)) > EXACT
