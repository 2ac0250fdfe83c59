"""Whose variable a name is, and who hears that it is read or written: classes and functions inside of functions,
private names, `:=`, `with`, `except` and patterns that bind variables of the surroundings.
"""

import contextlib
import dataclasses
import enum
import functools
from typing import NamedTuple

import pytest

from hybridize.array import np
from hybridize.capture import Function

total = 1.0
factor = 2.0
count = 0


class Private:
    """Names that the compiler writes out: `__name` is `_Private__name`."""

    def __init__(self):
        self.__steps, self.__seen = 0, []

    def state(self):
        return self.__steps, self.__seen

    def branch(self, x):
        if x.sum() > 3:
            __y, __z = x * 2, 1
        else:
            __y, __z = x, 2
        return __y, __z

    def loop(self, x):
        __count = 0
        while x.sum() > 1:
            x = x / 2
            __count += 1
        return x, __count

    def unrolled(self, x):
        for __i in range(3):
            if x.sum() > __i * 4:
                x = x + __i
        self.__steps += 1
        self.__seen.append(self.__steps)
        return x, __i

    def nested(self, x):
        __count = 0

        def __up(__by):
            nonlocal __count
            __count += __by

        __up(1)
        __up(**{"_Private__by": 2})
        return x * __count, __up.__name__

    def caught(self, x):
        try:
            raise ValueError(1, 2)
        except ValueError as __error:
            x = x + len(__error.args)
        return x


@pytest.mark.parametrize("name", ["branch", "loop", "unrolled", "nested", "caught"])
def test_private_names(same, name):
    def make():
        one = Private()
        return getattr(one, name), one.state

    same(make, [1.0], [4.0], [0.5])


def test_private_names_of_the_surroundings(same):
    def make():
        class Counting:
            __of_class = 1.0

            def method(self):
                __factor = 2.0

                def scale(x):
                    return x * __factor * self.__of_class

                def other(value):
                    nonlocal __factor
                    __factor = value
                    return __factor

                return scale, other

        scale, other = Counting().method()

        def call(x, factor):
            other(factor)
            return scale(x), other(factor + 1)

        return call

    same(make, ([1.0], 2.0), ([1.0], 3.0))


def test_a_variable_that_is_only_declared_is_local(same):
    def declared(x, given):
        total: float
        if given:
            total = 2.0
        return x * total

    same(lambda: declared, ([1.0], True), ([1.0], False))


def test_a_block_of_declarations(same):
    def declared(x):
        try:
            total: float
        finally:
            unused: int  # noqa: F842
        for _ in range(2):
            also: int  # noqa: F842
        total = 3.0
        return x * total

    same(lambda: declared, [1.0])


def set_factor(value):
    global factor
    factor = value


def class_body(x):
    class Made:
        factor = factor
        twice = factor * 2
        chosen = twice if twice > 5 else factor
        either = (chosen > 5 and twice) or factor
        if total < factor < 100:
            more = [factor * number for number in range(2)]

    return x * Made.factor + Made.twice + Made.chosen + Made.either + Made.more[1]


def base_and_keyword(x):
    bases = {2.0: int, 3.0: float}

    class Made(bases[factor]):
        pass

    return x, Made.__base__.__name__


def method_of_a_class(x):
    class Made:
        """Has methods."""

        by = 3

        def scaled(self, y):
            if y.sum() > 3:
                return y * factor
            return -y * self.by

        @property
        def three(self):
            return self.by

        @staticmethod
        def both(y):
            return y + factor

        @classmethod
        def made(cls):
            return cls()

        class Inner:
            def name(self):
                return __class__.__qualname__

    one = Made.made()
    assert Made.__doc__ == "Has methods."
    names = Made.scaled.__qualname__, Made.Inner.name.__qualname__, one.Inner().name(), repr(Made)
    return one.scaled(x) + one.three + one.both(x), names


def super_in_a_class(x):
    class Base:
        def scaled(self, y):
            return y * factor

    class Derived(Base):
        def scaled(self, y):
            for _ in range(2):
                y = super().scaled(y)
            return y

    return Derived().scaled(x)


def records(x):
    @dataclasses.dataclass
    class Point:
        x: object
        y: float = factor
        seen: list = dataclasses.field(default_factory=list)

        def scaled(self):
            return self.x * self.y * factor

    class Pair(NamedTuple):
        first: object
        second: float = factor

    class Colour(enum.Enum):
        RED = factor
        BLUE = enum.auto()

    return Point(x).scaled() + Pair(x).second + Colour.RED.value, [field.name for field in dataclasses.fields(Point)]


def decorator_of_the_users(x):
    def scaling(function):
        by = factor
        return lambda y: function(y) * by

    def named(name):
        def decorate(made):
            made.name = name, factor
            return made

        return decorate

    @scaling
    @scaling
    def shifted(y):
        return y + factor

    @named("made")
    class Made:
        pass

    @functools.wraps(shifted)
    def wrapped(y):
        return shifted(y)

    return wrapped(x), Made.name, wrapped.__name__


def module_variable_in_an_inner_function(x):
    def inner():
        global factor
        return factor

    return x * inner()


def name_of_an_enclosing_function_and_of_the_module():
    factor = 7.0

    def call(x):
        def inner():
            global factor
            return factor

        return x * factor + inner()

    return call


READING = [
    class_body, base_and_keyword, method_of_a_class, super_in_a_class, records, decorator_of_the_users,
    module_variable_in_an_inner_function, name_of_an_enclosing_function_and_of_the_module(),
]  # fmt: skip


@pytest.mark.parametrize("function", READING, ids=lambda function: function.__name__)
def test_what_definitions_read_of_the_surroundings(function):
    compiled = Function(function)
    try:
        for value in (2.0, 2.0, 3.0, 3.0, 2.0):
            set_factor(value)
            for x in ([1.0], [4.0]):
                expected, found = function(np.array(x)), compiled(np.array(x))
                assert repr(found) == repr(expected)
    finally:
        set_factor(2.0)


def test_what_definitions_write_to_the_surroundings(same):
    def make():
        seen, table = [], {}

        def registered(made):
            seen.append(made.__name__)
            return made

        def call(x):
            @registered
            class Made:
                seen.append(len(seen))
                table["made"] = table.get("made", 0) + 1
                table["made"] += 1

            @registered
            def function():
                seen.append(x.sum())

            function()
            return x * len(seen)

        return call, lambda: (seen, table)

    same(make, [1.0], [2.0])


class Announced:
    def __init_subclass__(cls, **keywords):
        cls.keywords = keywords


class Meta(type):
    def __new__(cls, name, bases, namespace):
        return super().__new__(cls, name, bases, namespace)


class Told:
    def __set_name__(self, owner, name):
        self.name = name


def by_base(x):
    class Made(Announced):  # here
        pass


def by_metaclass(x):
    class Made(metaclass=Meta):  # here
        pass


def by_descriptor(x):
    class Made:  # here
        told = Told()


@pytest.mark.parametrize("function", [by_base, by_metaclass, by_descriptor], ids=lambda function: function.__name__)
def test_what_runs_when_a_class_is_made_is_refused(refused, function):
    refused(function, [1.0], code="E431", match="runs when the class is created")


@contextlib.contextmanager
def given(value):
    yield value


def named_in_a_condition(x):
    global count
    if (count := count + 1) > 2:
        return x
    return x * 2


def named_in_a_result(x):
    global count
    return x * (count := count + 1)


def named_by_data(x):
    global count
    if (count := float(x.sum())) > 2:
        return x
    return x * 2


def named_to_a_constant(x):
    global count
    return x * (count := 5)


def named_in_a_loop(x):
    global count
    steps = 0
    while (count := count + 1) % 4:
        steps += 1
    for _ in range(count := count + 1):
        steps += 1
    return x * steps, [(count := number) for number in range(count)]


def named_in_a_lambda(x):
    global count
    count = 3
    return x * (lambda: (count := 7) + count)() * count


def bound_by_with(x):
    global count
    with given(4) as count, given((count, 2)) as (first, second):
        x = x * first
    return x * second * count


def bound_by_a_pattern(x):
    global count
    match ([1, 2, 3], {"a": 4, "b": 5}):
        case [first, *count], _ if count != [2, 3]:
            return x
        case [first, second, count], {"a": 4, **rest}:
            return x * count + first + second, rest
    return x


def bound_in_a_generator(x):
    def numbers():
        global count
        for count in range(3):
            yield count * 2

    return x * sum(numbers())


WRITING = [
    named_in_a_condition, named_in_a_result, named_by_data, named_to_a_constant, named_in_a_loop, named_in_a_lambda,
    bound_by_with, bound_by_a_pattern, bound_in_a_generator,
]  # fmt: skip


@pytest.mark.parametrize("function", WRITING, ids=lambda function: function.__name__)
def test_names_of_the_surroundings_are_written_at_each_call(function):
    global count
    found = []
    for call in (function, Function(function)):
        count = 0
        seen = []
        for number in range(6):
            result = call(np.array([float(number)]))
            seen.append((repr(result), repr(count)))
            count = number % 2
        found.append(seen)
    assert found[0] == found[1]


def test_an_exception_bound_to_a_name_of_the_surroundings_is_gone_afterwards():
    def bound(x):
        global count
        try:
            raise ValueError
        except ValueError as count:
            return x + len(count.args)

    global count
    compiled = Function(bound)
    try:
        for _ in range(3):
            count = 1
            assert float(compiled(np.array([1.0]))[0]) == 1
            assert "count" not in globals()
    finally:
        count = 0


def test_attributes_and_items_bound_by_with(same):
    def make():
        table = {}

        def call(x, value):
            table.clear()
            with given(value) as table["value"], given([value, 2]) as [table["first"], table["second"]]:
                x = x * table["value"]
            return x

        return call, lambda: dict(table)

    same(make, ([1.0], 3.0), ([1.0], 4.0))


def test_super_without_arguments_is_of_its_function():
    class Base:
        def value(self):
            return 2

    class Derived(Base):
        def direct(self, x):
            return x * super().value()

        def by_lambda(self, x):
            return x * (lambda: super().value())()

        def by_function(self, x):
            def inner():
                return super().value()

            return x * inner()

        def given(self, x):
            return x * (lambda other: super().value())(self)

    one = Derived()
    for name in ("direct", "given"):
        assert float(Function(getattr(one, name))(np.array([3.0]))[0]) == 6
    for name in ("by_lambda", "by_function"):
        with pytest.raises(RuntimeError, match="no arguments"):
            Function(getattr(one, name))(np.array([3.0]))


def test_annotations_of_inner_functions_are_kept(same):
    def annotated(x):
        def inner(a: int, *b: "str", c: float = 1.0) -> list:
            return [a, b, c]

        return x, sorted(map(str, inner.__annotations__.items())), inner(1, 2, c=3)

    same(lambda: annotated, [1.0])
