"""Containers that a call writes: what is read of them in the same call, what they hold after it, and which they are."""

from array import array as plain_array
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from functools import singledispatch
from types import SimpleNamespace

import numpy
import pytest

from hybridize import hybridize, load, np
from hybridize.errors import CaptureError


def plain(value):
    """A value without arrays, to be compared."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return type(value).__name__, [(key, plain(part)) for key, part in value.items()]
    if isinstance(value, (list, tuple, deque)):
        return type(value).__name__, [plain(part) for part in value]
    return value


READS = {
    "len": lambda log, x: x * len(log),
    "last": lambda log, x: x + log[-1],
    "sum": lambda log, x: x + sum(log),
    "loop": lambda log, x: [x * v for v in log],
    "unpacked": lambda log, x: [*log, x],
    "stack": lambda log, x: np.stack(list(log)).sum(axis=0),
    "truth": lambda log, x: x if log else -x,
    "comprehension": lambda log, x: [v + 1 for v in log],
    "generator": lambda log, x: x + max(len(log), *(3 for v in log)),
    "reversed": lambda log, x: [v * x for v in reversed(log)],
    "copied": lambda log, x: log.copy(),
    "enumerated": lambda log, x: dict(enumerate(log)),
    "zipped": lambda log, x: [a * b for a, b in zip(log, log, strict=True)],
}
WRITES = {
    "append": lambda log, x: log.append(x * 2),
    "method of the class": lambda log, x: type(log).append(log, x * 2),
    "extend": lambda log, x: log.extend([x, x * 3]),
    "insert": lambda log, x: log.insert(0, x * 2),
    "item": lambda log, x: log.__setitem__(0, x * 5),
    "pop": lambda log, x: log.append(log.pop() + x),
    "clear": lambda log, x: (log.clear(), log.append(x)),
    "reverse": lambda log, x: (log.append(x), log.reverse()),
}


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("write", WRITES)
def test_what_is_written_is_read(read, write):
    def of(make):
        log, space = [np.ones(2)], SimpleNamespace(log=[np.ones(2)])

        def around(x):
            WRITES[write](log, x)
            return READS[read](log, x)

        def attribute(x):
            WRITES[write](space.log, x)
            return READS[read](space.log, x)

        def given(x, log):
            WRITES[write](log, x)
            return READS[read](log, x)

        def default(x, log=log):
            WRITES[write](log, x)
            return READS[read](log, x)

        one, two, three, four, mine = make(around), make(attribute), make(given), make(default), [np.ones(2)]
        found = []
        for number in range(3):
            x = np.array([1.0 + number, 2.0])
            found += map(plain, (one(x), two(x), three(x, mine), four(x), log, space.log, mine))
        return found

    assert of(hybridize) == of(lambda f: f)


@pytest.mark.parametrize(
    ("container", "change"),
    [
        (lambda: {"a": np.ones(2)}, lambda d, x: d.update(b=x)),
        (lambda: {"a": np.ones(2)}, lambda d, x: d.setdefault("b", x)),
        (lambda: {"a": np.ones(2)}, lambda d, x: d.pop("a", None)),
        (lambda: {"a": np.ones(2)}, lambda d, x: d.popitem() if d else None),
        (lambda: OrderedDict(a=np.ones(2), b=1), lambda d, x: d.move_to_end("a")),
        (lambda: defaultdict(list), lambda d, x: d["k"].append(x)),
        (lambda: defaultdict(list), lambda d, x: d["k"]),
        (lambda: deque([np.ones(2)], maxlen=2), lambda d, x: d.append(x)),
        (lambda: deque([np.ones(2), np.zeros(2)]), lambda d, x: d.append(d.popleft() + x)),
        (lambda: deque([1, 2, 3]), lambda d, x: d.rotate(1)),
        (lambda: [3, 1, 2], lambda d, x: d.sort()),
        (lambda: [[], []], lambda d, x: [inner.append(x) for inner in d]),
        (lambda: {1, 2}, lambda d, x: d.add(len(d) + 7)),
        (lambda: {1, 2}, lambda d, x: d.discard(1)),
        (lambda: {"a": [np.ones(2)]}, lambda d, x: d["a"].append(d["a"][-1] + x)),
        (lambda: [np.ones(2)], lambda d, x: d.__iadd__([x])),
        (lambda: {}, lambda d, x: d.update({"list": [x], "dict": {"x": x * 2}, "tuple": (x, 1)})),
    ],
)
def test_changes_outside(container, change):
    def of(make):
        kept = container()

        def body(x):
            change(kept, x)
            return kept

        made, found = make(body), []
        for number in range(4):
            result = made(np.array([1.0 + number, 2.0]))
            assert result is kept
            found.append(plain(kept))
        return found

    assert of(hybridize) == of(lambda f: f)


def test_a_list_that_a_call_makes_and_keeps_is_the_one_that_it_returns():
    class Model:
        acts = None

    model = Model()

    @hybridize
    def run(x):
        model.acts = []
        model.acts.append(x)
        model.acts.append(x * 2)
        model.same = {"acts": model.acts}
        return model.acts

    first = run(np.ones(2))
    assert first is model.acts
    assert first is model.same["acts"]
    second = run(np.zeros(2))
    assert second is model.acts
    assert second is not first
    assert plain(first) == ("list", [[1.0, 1.0], [2.0, 2.0]])
    assert run.cache_info().captures == 1


def test_a_cache_of_keys_and_values():
    def attend(x, cache):
        cache["k"].append(x)
        cache["v"].append(x * 2)
        keys, values = np.stack(cache["k"]), np.stack(cache["v"])
        return (keys @ x) @ values

    mine, other = {"k": [], "v": []}, {"k": [], "v": []}
    made = hybridize(attend)
    for number in range(4):
        x = np.array([1.0, float(number)])
        assert made(x, mine).tolist() == attend(x, other).tolist()
        assert plain(mine) == plain(other)


def test_containers_that_are_one():
    shared = [np.ones(2)]

    @hybridize
    def two(x, first, second):
        first.append(x)
        return len(second)

    assert two(np.ones(2), [], []) == 0
    with pytest.raises(CaptureError, match="E431"):
        two(np.ones(2), shared, shared)

    @hybridize
    def outside(x, first):
        first.append(x)
        return len(shared)

    assert outside(np.ones(2), []) == 1
    with pytest.raises(CaptureError, match="E431"):
        outside(np.ones(2), shared)
    assert len(shared) == 1


def test_counters_are_refused_and_left_alone():
    words = Counter(a=1)

    @hybridize
    def count(x):
        words.update(["a"])
        return x

    with pytest.raises(CaptureError, match="E406"):
        count(np.ones(2))
    assert words == Counter(a=1)


def test_ordered_dicts_among_arguments_and_results():
    """They are taken apart as dicts are: what is in them is data, and their order is part of what they are."""

    @hybridize
    def body(c):
        return OrderedDict((key, part * 2) for key, part in c.items())

    for size in (1.0, 2.0):
        found = body(OrderedDict(a=np.array([size]), b=np.array([1.0])))
        assert type(found) is OrderedDict
        assert [(key, part.tolist()) for key, part in found.items()] == [("a", [size * 2]), ("b", [2.0])]
    assert body.cache_info().captures == 1
    assert list(body(OrderedDict(b=np.array([1.0]), a=np.array([1.0])))) == ["b", "a"]
    assert type(body({"a": np.array([1.0])})) is OrderedDict


def test_ordered_dicts_are_saved(tmp_path):
    made = hybridize(lambda c: OrderedDict(b=c["a"] * 2, a=c["b"]))
    given = OrderedDict(a=np.array([1.0]), b=np.array([3.0]))
    made(given)
    made.save(tmp_path / "made")
    found = load(tmp_path / "made")(given)
    assert type(found) is OrderedDict
    assert [(key, part.tolist()) for key, part in found.items()] == [("b", [2.0]), ("a", [3.0])]


@pytest.mark.parametrize("factories", [(float, lambda: 5.0), (lambda: 1.0, lambda: 2.0), (list, float), (float, None)])
def test_the_factory_of_a_defaultdict_is_replaced(factories):
    def results(hybridized):
        kept = defaultdict(factories[0])

        def read(x):
            return x * 2.0, kept["key"]

        called = hybridize(read) if hybridized else read
        given = []
        for factory in (factories[0], factories[1], factories[1]):
            kept.clear()
            kept.default_factory = factory
            try:
                given.append((called(np.ones(2))[1], dict(kept)))
            except KeyError as error:
                given.append((str(error), dict(kept)))
        return given

    assert results(True) == results(False)


def _by_position(x, d=numpy.array([0.0], dtype="float32")):  # noqa: B008
    d[0] = 1
    return d * 2


def _by_name(x, *, d=numpy.array([0.0], dtype="float32")):  # noqa: B008
    d[0] += 3
    return -d + 1


def _read_again(x, k=2, d=numpy.array([0.0], dtype="float32")):  # noqa: B008
    d[0] = k
    return x * (d * k)[0], d.sum() + 1


@pytest.mark.parametrize("function", [_by_position, _by_name, _read_again])
def test_arrays_of_numpys_as_defaults_are_written_and_read_in_one_call(function):
    def results(called):
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            if isinstance(default, numpy.ndarray):
                default[...] = 0.0
        found = [called(np.array([value])) for value in (1.0, 2.0, 3.0)]
        return [[numpy.asarray(one).tolist() for one in (r if isinstance(r, tuple) else (r,))] for r in found]

    assert results(hybridize(function)) == results(function)


class OwnDict(dict):
    """Of the user's."""


class OwnList(list):
    """Of the user's."""


MEASURED = [
    list, dict, set, deque, Counter, OrderedDict, lambda: defaultdict(int), OwnDict, OwnList, UserDict, UserList, ChainMap,
    bytearray, lambda: plain_array("i"),
]  # fmt: skip


@pytest.mark.parametrize("make", MEASURED)
@pytest.mark.parametrize("counts", [len, lambda c: len(c) + 1, lambda c: c.__len__()])
def test_lengths_of_containers_that_grow_from_call_to_call(make, counts):
    def results(verb):
        container, log = make(), []

        def f(x):
            log.append(counts(container))
            return x * counts(container)

        called = verb(f)
        found = []
        for number in range(6):
            found.append((called(np.ones(2)).tolist(), list(log)))
            if isinstance(container, (dict, UserDict, ChainMap)):
                container[f"k{number}"] = number
            elif isinstance(container, set):
                container.add(number)
            else:
                container.append(number)
        return found

    assert results(hybridize) == results(lambda f: f)


def test_functions_that_are_registered_from_call_to_call():
    def results(verb):
        @singledispatch
        def told(value, x):
            return x

        called = verb(lambda x: told(2, x) + told("a", x))
        found = []
        for kind, by in ((bytes, 2), (float, 3), (int, 5), (list, 7), (object, 9), (str, 11), (int, 13)):
            found.append(called(np.ones(2)).tolist())
            told.register(kind, lambda value, x, by=by: x * by)
        return [*found, called(np.ones(2)).tolist()]

    assert results(hybridize) == results(lambda f: f)
