"""Code that asks a value for its class: what it hears is the class that the value has imperatively."""

import collections.abc
import dataclasses
import functools
import gc
import numbers
import typing
import weakref

import numpy
import pytest

from hybridize import hybridize
from hybridize.array import np
from hybridize.base.errors import CaptureError
from hybridize.capture import Function
from hybridize.capture.outside.objects import remembers
from hybridize.capture.outside.trust import KEPT_CLASSES, is_trusted_class
from hybridize.gluon import HybridBlock, nn


@functools.singledispatch
def single(value):
    return "object"


@single.register(np.ndarray)
def _(value):
    return "array"


@single.register
def _(value: int):
    return "int"


@single.register
def _(value: float):
    return "float"


@single.register
def _(value: list):
    return "list"


@single.register
def _(value: numpy.integer):
    return "numpy's"


class Holder:
    @functools.singledispatchmethod
    def method(self, value):
        return "object"

    @method.register(np.ndarray)
    def _(self, value):
        return "array"

    @method.register
    def _(self, value: int):
        return "int"

    @functools.singledispatchmethod
    @classmethod
    def of_class(cls, value):
        return "object"

    @of_class.register
    @classmethod
    def _(cls, value: float):
        return f"float of {cls.__name__}"


def patterns(value):
    match value:
        case bool():
            return "bool"
        case int(n) if n > 100:
            return "large"
        case int():
            return "int"
        case float():
            return "float"
        case np.ndarray(shape=(2,)):
            return "two"
        case np.ndarray():
            return "array"
        case [first, *others]:
            return patterns(first), len(others)
        case {"a": inner}:
            return patterns(inner)
        case str() | None:
            return "text"
        case numpy.generic():
            return "numpy's"
    return "other"


@typing.runtime_checkable
class HasShape(typing.Protocol):
    shape: tuple[int, ...]


NAMES = {int: "int", float: "float", np.ndarray: "array", bool: "bool"}
HOLDER = Holder()
ASKING = {
    "singledispatch": single,
    "singledispatchmethod": lambda v: HOLDER.method(v),
    "singledispatchmethod of a class": lambda v: (Holder.of_class(v), HOLDER.of_class(v)),
    "match": patterns,
    "type is": lambda v: (type(v) is int, type(v) is float, type(v) is np.ndarray, type(v) in (int, bool)),
    "type as key": lambda v: NAMES.get(type(v), "other"),
    "__class__": lambda v: (v.__class__.__name__, v.__class__ is int),
    "issubclass": lambda v: (issubclass(type(v), numbers.Number), issubclass(type(v), np.ndarray)),
    "ABCs": lambda v: (
        isinstance(v, numbers.Number),
        isinstance(v, numbers.Integral),
        isinstance(v, collections.abc.Sequence),
        isinstance(v, collections.abc.Sized),
        isinstance(v, collections.abc.Iterable),
    ),
    "typing": lambda v: (isinstance(v, int | float), isinstance(v, typing.SupportsFloat), isinstance(v, HasShape)),
    "tuples": lambda v: (isinstance(v, (int, np.ndarray)), isinstance(v, (str, (list, dict)))),
    "callable": lambda v: (callable(v), hasattr(v, "shape"), hasattr(v, "real"), hasattr(v, "append")),
}


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_classes_of_values(name, backend):
    function = ASKING[name]
    compiled = Function(lambda x, v: (x * 2, function(v)), backend=backend)
    x = np.array([1.0])
    values = [
        np.array([1.0]),
        np.array([1.0, 2.0]),
        3,
        2.5,
        True,
        1000,
        "a",
        None,
        [1, 2],
        [np.array([1.0])],
        {"a": 1.5},
        numpy.int64(3),
        numpy.float32(2),
        numpy.float64(2),
        np.array(3),
    ]
    for _ in range(2):
        for value in values:
            assert compiled(x, value)[1] == function(value), value


def test_classes_of_results_and_of_elements():
    def program(x):
        y = x * 2
        return single(y), patterns(y), single([y]), single(y.shape[0]), single(float(y[0])), type(int(y[0])) is int

    x = np.array([1.0, 2.0])
    assert Function(program)(x) == program(x)


def test_an_implementation_that_is_registered_later_is_seen():
    @functools.singledispatch
    def function(value):
        return 1.0

    class Mixin:
        pass

    compiled = Function(lambda x: x * function(x), backend="numpy")
    x = np.array([1.0])
    assert compiled(x).tolist() == [1.0]
    function.register(np.ndarray)(lambda value: 5.0)
    assert compiled(x).tolist() == [5.0]
    function.register(np.ndarray)(lambda value: 7.0)
    assert compiled(x).tolist() == [7.0]


def test_blocks_that_dispatch():
    class Net(HybridBlock):
        @functools.singledispatchmethod
        def part(self, value):
            return value

        @part.register(np.ndarray)
        def _(self, value):
            return value * 10

        def forward(self, x):
            return self.part(x)

    net = Net()
    net.initialize()
    net.hybridize()
    assert net(np.array([1.0])).tolist() == [10.0]


def test_a_match_on_a_number_that_data_decides_is_refused():
    with pytest.raises(CaptureError, match=r"E427.*match"):
        Function(lambda x: patterns(float(x[0])))(np.array([1.0]))


def _other_rate(net, kind):
    kind.rate = 3.0


def _own_rate(net, kind):
    net.rate = 5.0


def _no_rate_of_its_own(net, kind):
    net.rate = 5.0
    net(np.ones(2))
    del net.rate


def _other_forward(net, kind):
    kind.forward = lambda self, x: x * 0.0 + 42.0


def _own_forward(net, kind):
    net.forward = lambda x: x + 1000.0


def _own_forward_after_another(net, kind):
    kind.forward = lambda self, x: x * 0.0 + 42.0
    net(np.ones(2))
    net.forward = lambda x: x + 1000.0


def _other_helper(net, kind):
    kind.helper = lambda self, x: x - 7.0


def _own_helper(net, kind):
    net.helper = lambda x: x - 9.0


def _other_property(net, kind):
    kind.offset = property(lambda self: 11.0)


@pytest.mark.parametrize(
    "change",
    [_other_rate, _own_rate, _no_rate_of_its_own, _other_forward, _own_forward, _own_forward_after_another,
     _other_helper, _own_helper, _other_property],
)  # fmt: skip
@pytest.mark.parametrize("inside", [False, True], ids=["hybridized", "child"])
def test_what_a_block_finds_in_its_class_or_itself(change, inside):
    """Blocks tell when an attribute of theirs is set; their classes do not, and are looked at."""

    def made(hybridized):
        class Net(HybridBlock):
            rate = 2.0

            @property
            def offset(self):
                return 1.0

            def helper(self, x):
                return x + self.offset

            def forward(self, x):
                return self.helper(x * self.rate)

        net = Net()
        outer = nn.HybridSequential()
        outer.add(net)
        called = outer if inside else net
        if hybridized:
            called.hybridize()
        x = np.ones(2)
        before = called(x).tolist()
        change(net, Net)
        return before, called(x).tolist(), called(x).tolist()

    assert made(True) == made(False)


FOREIGN = numpy.arange(4.0, dtype="float32").reshape(2, 2)


@functools.singledispatch
def kind_of(value):
    return 0.0


@kind_of.register(numpy.ndarray)
def _(value):
    return 1.0


@kind_of.register(np.ndarray)
def _(value):
    return 2.0


def matched_class(value):
    match value:
        case numpy.ndarray():
            return 1.0
        case np.ndarray():
            return 2.0
    return 3.0


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * kind_of(FOREIGN) + kind_of(x),
        lambda x: x * isinstance(FOREIGN, numpy.ndarray) + isinstance(FOREIGN, np.ndarray),
        lambda x: x * isinstance(x, numpy.ndarray) + isinstance(x, np.ndarray),
        lambda x: x * isinstance(FOREIGN[0], numpy.ndarray) + isinstance(FOREIGN.T, numpy.ndarray),
        lambda x: x if type(FOREIGN) is numpy.ndarray else -x,
        lambda x: x * matched_class(FOREIGN) + matched_class(x),
        lambda x: (type(FOREIGN).__module__, type(x).__module__),
    ],
)
def test_arrays_of_numpys_from_outside_have_their_class(same, function):
    same(lambda: function, [1.0, 2.0], [3.0, -1.0])


def test_operators_that_a_class_gets_after_it_was_first_met_are_seen_and_guarded():
    class Scale:
        def __init__(self):
            self.by = 2.0

    scale = Scale()

    @hybridize
    def before(x):
        met = scale
        return x * met.by

    @hybridize
    def added(x):
        return x + scale

    @hybridize
    def unpacked(x):
        first, second = scale
        return x * first + second

    x = np.array([1.0, 2.0])
    before(x)
    steps = [
        lambda: setattr(Scale, "__radd__", lambda self, other: other * 10.0),
        lambda: setattr(Scale, "__iter__", lambda self: iter((self.by, 1.0))),
        lambda: setattr(Scale, "__radd__", lambda self, other: other * self.by),
        lambda: setattr(scale, "by", 7.0),
        lambda: setattr(Scale, "__iter__", lambda self: iter((0.0, self.by))),
    ]
    for number, step in enumerate(steps):
        step()
        for function in (added, unpacked)[: 1 + (number > 0)]:
            for _ in range(2):
                numpy.testing.assert_array_equal(function(x), function.python_function(x))


def test_classes_made_in_a_loop_are_not_kept():
    made = []

    def scaled():
        class Scale:
            def __mul__(self, other):
                return other * 2.0

        made.append(weakref.ref(Scale))
        scale = Scale()
        return hybridize(lambda x: scale * x)(np.array([1.0]))

    for _ in range(3):
        scaled()
    for number in range(KEPT_CLASSES):
        remembers(type(f"Other{number}", (), {}))
        is_trusted_class(type(f"Other{number}", (), {}))
    gc.collect()
    assert [reference() for reference in made] == [None] * 3


@dataclasses.dataclass(frozen=True)
class Frozen:
    """Its hash is one that `dataclasses` generates."""

    number: int
    name: str = dataclasses.field(default="a", compare=False)
    parts: tuple = (1, (2, "b"))
    other: float = dataclasses.field(default=0.5, hash=False)


def test_hash_of_a_frozen_dataclass(same):
    def call(x, n):
        given, same_fields, other = Frozen(n), Frozen(n, "b", other=2.0), Frozen(n + 1)
        found = {given: 1}
        equal = hash(given) == hash(same_fields), hash(given) == hash(other)
        return x, equal, hash(given) == hash((n, (1, (2, "b")))), given in found, found[Frozen(n)]

    same(lambda: call, ([1.0], 3), ([1.0], 4))
    kept = Frozen(7)
    same(lambda: lambda x: (x, hash(kept) == hash(Frozen(7))), [1.0])
