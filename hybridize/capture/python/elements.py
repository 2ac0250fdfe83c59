# SPDX-License-Identifier: Apache-2.0
"""Builtins over elements of arrays and lists of them: `max`, `min`, `any`, `all`, `sum`, `sorted`, `list`, `len`."""

from __future__ import annotations

import builtins
import gc
from collections.abc import Callable, Iterator
from functools import cmp_to_key, partial
from types import GeneratorType
from typing import Any

import numpy

from hybridize.array.functions.shapes import stack
from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base.errors import AssertionFailed
from hybridize.base.promotion import number_dtype
from hybridize.base.tracebacks import as_python
from hybridize.capture.control import raising, selected
from hybridize.capture.control.branches import truth_under, under
from hybridize.capture.control.comparisons import Ordered, comparison
from hybridize.capture.control.operators import choose
from hybridize.capture.control.special import binary
from hybridize.capture.control.truth import as_bool, is_one, plain, truth
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.python.writes import new
from hybridize.capture.trace.bounds import is_beyond
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.ops.op import Effect, constant, effect_of, in_charge
from hybridize.system.interruptions import let_through

_FEW = 16
"""Elements of a vector that are looked at one by one."""
_NONE = object()
ORDER: type = type(cmp_to_key(lambda x, y: 0))
"""The class of what `functools.cmp_to_key` gives, which shows its comparison to nobody, and of the keys made by it."""


class _Watch:
    """Refuses effects of a generator where data decides whether Python would ask for its next item."""

    def __init__(self, name: str, trace: Recording) -> None:
        self._name, self._trace = name, trace
        self._before: tuple[int, ...] | None = None

    def __enter__(self) -> _Watch:
        self._watch = self._trace.root.aliases.watch()
        return self

    def __exit__(self, *error: object) -> None:
        self._trace.root.aliases.unwatch(self._watch)

    def next(self, items: Iterator[Any], condition: Any) -> Any:
        """Return the next item, _NONE at the end, where Python asks for it: True, or a symbol where data decides.

        An exception of the iterator is one of the calls that ask.

        Raises:
            CaptureError E430: data decides whether it is asked for, and making it has effects.
        """
        if condition is not True:
            self._watch.containers.clear()
            self._watch.lasts = False
            self._before = self._now()
        try:
            item = next(items, _NONE)
        except Exception as error:
            let_through(error)
            if condition is True:
                raise
            under(condition, partial(raising.again, error))
            return _NONE
        self._check()
        return item

    def _check(self) -> None:
        if self._before is not None and self._before != self._now():
            raise self._trace.refusal(
                "E430", f"{self._name}() over a generator with side effects that may stop early depending on data",
                help=f"build a list first: {self._name}([...])",
            )  # fmt: skip

    def _now(self) -> tuple[int, ...]:
        trace = self._trace
        effects = sum(effect_of(node.op) is not Effect.PURE for node in trace.builder.nodes)
        own = len(self._watch.containers) + self._watch.lasts
        return len(trace.journal), len(trace.root.world.effects), effects, own


def _lifted(value: Any) -> Any:
    trace = current_trace()
    return value if trace is None else trace.lifted(value)


def _is_vector(value: Any) -> bool:
    return type(value) is Symbol and value.weak is None and len(value.shape) == 1


def _short_circuit(name: str, stops: bool) -> Callable[..., Any]:
    """`any`, which stops at a true item, and `all`, which stops at a false one."""

    @as_python
    def reduction(router: Semantics, iterable: Any, /) -> Any:
        trace = current_trace()
        iterable = _lifted(iterable)
        if trace is None:
            return getattr(builtins, name)(iterable)
        if _is_vector(iterable):
            return as_bool(truth(getattr(functions, name)(iterable)))
        answer: Any = False
        with _Watch(name, trace) as watch:
            items = iter(selected.each(iterable))
            while (item := watch.next(items, selected.otherwise(answer))) is not _NONE:
                presence, value = selected.parts(item)
                condition = selected.both(presence, selected.otherwise(answer))
                known = truth(value) if is_one(value) else truth_under(condition, lambda value=value: value)
                ends = selected.both(presence, known if stops else selected.otherwise(known))
                if ends is True:
                    return stops
                if ends is not False:
                    answer = selected.any_of(answer, ends)
        return as_bool(answer if stops else selected.otherwise(answer))

    return reduction


@as_python
def _sum(router: Semantics, iterable: Any, /, start: Any = 0) -> Any:
    """`sum`."""
    total = start
    for item in selected.each(_lifted(iterable)):
        presence, value = selected.parts(item)
        total = choose(
            presence, lambda total=total, value=value: binary("add", total, value), lambda total=total: total
        )
    return total


def _of_nothing(extreme: Callable[..., Any]) -> ValueError:
    """Return the error of `max` or `min` of nothing, which each Python says in its own words."""
    try:
        extreme(())
    except ValueError as error:
        return ValueError(*error.args)
    raise AssertionError("max and min of nothing are errors")


def _extreme(name: str) -> Callable[..., Any]:
    """`max` and `min`; the first of equal ones, as in Python."""
    python = getattr(builtins, name)

    @as_python
    def extreme(router: Semantics, *args: Any, key: Any = None, default: Any = _NONE) -> Any:
        trace = current_trace()
        items: Any = args if len(args) != 1 else _lifted(args[0])
        if trace is not None and default is _NONE and key is None and _is_vector(items) and items.shape[0] > _FEW:
            return _of_vector(name, items)
        items = list(selected.each(items))
        ranks = [_rank(router, key, *selected.parts(item)) for item in items]
        if trace is None or not any(map(_by_data, (*items, *ranks))):
            if len(items) < 2:
                options = {} if default is _NONE else {"default": default}
                return python(items, **options) if len(args) == 1 else python(*items, **options)
            return items[python(range(len(items)), key=list(map(Ordered, ranks)).__getitem__)]
        best, existence = _best(name, items, ranks)
        if existence is True:
            return best
        if default is not _NONE:
            return choose(existence, lambda: best, lambda: default)
        raising.check(trace, truth(existence), _of_nothing(python))
        return best

    return extreme


def _by_data(value: Any) -> bool:
    """Tell whether data may decide about a comparison with a value."""
    return type(value) in (Symbol, selected.ConditionalItem) or (
        type(value) in (tuple, list) and any(map(_by_data, value))
    )


def _rank(router: Semantics, key: Any, presence: Any, value: Any) -> Any:
    """Return the value that an item is compared by; the key is called only where the item is there."""
    if key is None:
        return value
    return router.call(key, value) if presence is True else under(presence, partial(router.call, key, value))


def _best(name: str, items: list[Any], ranks: list[Any]) -> tuple[Any, Any]:
    """The best of some items, and whether there was one, True or a symbol."""
    existence, best = selected.parts(items[0])
    rank = ranks[0]
    for item, at in zip(items[1:], ranks[1:], strict=True):
        presence, value = selected.parts(item)
        compared = "gt" if name == "max" else "lt"
        if is_one(at) and is_one(rank):
            wins = truth(comparison(compared, at, rank))
        else:
            wins = truth_under(selected.both(presence, existence), partial(comparison, compared, at, rank))
        if existence is not True:
            wins = functions.logical_or(functions.logical_not(existence), wins)
        best, rank = choose(
            selected.both(presence, wins), lambda x=value, y=at: (x, y), lambda x=best, y=rank: (x, y)
        )  # fmt: skip
        existence = True if existence is True or presence is True else functions.logical_or(existence, presence)
    return best, existence


def ordering(router: Semantics, key: Any) -> Callable[[Any], Ordered]:
    """Return the key that Python's sort goes by, for a key of the user's or None."""
    return lambda item: Ordered(item if key is None else router.call(key, item))


def is_order(value: Any) -> bool:
    """Tell whether a value is what `functools.cmp_to_key` gave, and not a key that this has given."""
    return type(value) is ORDER and len(gc.get_referents(value)) == 2


def by_comparison(router: Semantics, order: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call what `functools.cmp_to_key` gave: the comparison of what it gives is called as converted code calls it."""
    compare = next(referent for referent in gc.get_referents(order) if referent is not ORDER)
    return cmp_to_key(partial(router.call, compare))(*args, **kwargs)


def _of_vector(name: str, vector: Symbol) -> Any:
    """`max(x)` of many elements. Nothing is larger than NaN to Python, and NaN is larger than nothing."""
    pick = functions.argmax if name == "max" else functions.argmin
    if vector.dtype.kind != "f":
        return vector[pick(vector)]
    nan = functions.not_equal(vector, vector)
    worst = float("-inf") if name == "max" else float("inf")
    return vector[functions.where(nan[0], 0, pick(functions.where(nan, worst, vector)))]


@as_python
def _sorted(router: Semantics, iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    """`sorted`, of numbers and arrays without axes, which must not be NaN.

    Python's order of numbers with a NaN among them is that of its algorithm's comparisons, and of nothing else.
    """
    items = [plain(item) for item in selected.certain(_lifted(iterable))]
    if not any(type(item) is Symbol for item in items):
        return new(sorted(items, key=ordering(router, key), reverse=reverse))
    trace = in_charge(Recording)
    kinds = {item.weak if type(item) is Symbol else type(item) for item in items}
    if len(kinds) == 1 and not any(map(is_beyond, items)):
        items = [item if type(item) is Symbol else _number(trace, item) for item in items]
    if key is not None:
        keys = [plain(router.call(key, item)) for item in items]
        if not any(type(rank) is Symbol for rank in keys):
            ranked = sorted(zip(keys, items, strict=True), key=lambda pair: Ordered(pair[0]), reverse=reverse)
            return new([item for _, item in ranked])
    if key is not None or len({(getattr(item, "weak", 0), getattr(item, "type", None)) for item in items}) > 1:
        raise trace.refusal(
            "E402", "sorted() by a key, or of values of several types, whose order depends on the data",
            help="np.sort sorts an array, and x[np.argsort(keys)] sorts by keys",
        )  # fmt: skip
    if items[0].shape != ():
        return new(sorted(items))  # says what is wrong
    reverse = truth(reverse)
    weak = items[0].weak
    arrays = items if weak is None else [Symbol.of(trace, item.operand()) for item in items]
    together = stack(arrays[::-1] if reverse else arrays)  # equal ones stay in the order in which they are
    if together.dtype.kind not in "iub":
        missing = functions.any(functions.not_equal(together, together))
        raising.check(trace, functions.logical_not(missing), AssertionFailed(
            "E520", "sorted() of numbers with a NaN among them, whose order Python leaves to chance",
            help="np.sort puts NaN last; sort what is left without them",
        ))  # fmt: skip
    ordered = functions.sort(together)
    results = [ordered[number] for number in range(len(items))]
    if weak is not None:
        results = [Symbol.of(trace, item.operand(), weak=weak) for item in results]
    return new(results[::-1] if reverse else results)


def _number(trace: Recording, value: Any) -> Symbol:
    """A Python number as one of the program."""
    kind: Any = type(value)
    return Symbol.of(trace, constant(numpy.asarray(value, number_dtype(kind))), weak=kind)


def _collected(kind: type) -> Callable[..., Any]:
    """`list` and `tuple` of what a generator yields."""

    def collected(router: Semantics, *args: Any) -> Any:
        if len(args) != 1 or type(args[0]) not in (GeneratorType, selected.Selected):
            return NotImplemented
        items = list(selected.each(args[0]))
        return (
            selected.Selected(items)
            if any(type(item) is selected.ConditionalItem for item in items)
            else new(kind(items))
        )

    return collected


def _set(router: Semantics, *args: Any) -> Any:
    if len(args) == 1 and type(args[0]) is selected.Selected:
        raise selected.unknown("a set")
    return NotImplemented


REPLACED: dict[Any, Callable[..., Any]] = {
    builtins.any: _short_circuit("any", True),
    builtins.all: _short_circuit("all", False),
    builtins.sum: _sum,
    builtins.max: _extreme("max"),
    builtins.min: _extreme("min"),
    builtins.sorted: _sorted,
    builtins.list: _collected(list),
    builtins.tuple: _collected(tuple),
    builtins.set: _set,
    builtins.frozenset: _set,
}
"""Replacements of builtins, called with the router before the arguments; NotImplemented calls the builtin."""
