"""All that can be called x all ways to give arguments: compiled, what Python gives, or the exception it raises."""

import functools
import operator

import pytest

from hybridize import hybridize
from hybridize.array import np
from hybridize.capture import Function


def total(z, dt=1.0, *more, s=0.0, **named):
    return z * dt + s + sum(more) + sum(named.values())


class Called:
    def __call__(self, z, dt=1.0, *more, s=0.0, **named):
        return total(z, dt, *more, s=s, **named)

    def method(self, z, dt=1.0, *more, s=0.0, **named):
        return total(z, dt, *more, s=s, **named)

    @classmethod
    def of_class(cls, z, dt=1.0, *more, s=0.0, **named):
        return total(z, dt, *more, s=s, **named)

    static = staticmethod(total)
    partial = functools.partialmethod(method, s=0.5)


class Inheriting(Called):
    pass


class Calling(Called):
    def __call__(self, z, *more, **named):
        return super().__call__(z, *more, **named)

    def method(self, z, *more, **named):
        return super().method(z, *more, **named)


class CalledStatically:
    __call__ = staticmethod(total)


class CalledOfClass:
    @classmethod
    def __call__(cls, z, dt=1.0, *more, s=0.0, **named):
        return total(z, dt, *more, s=s, **named)


class CalledByPartialMethod(Called):
    __call__ = functools.partialmethod(Called.method, s=0.25)


class CalledByObject:
    __call__ = Called()


class Given:
    def __get__(self, owner, kind=None):
        return functools.partial(total, s=2.0)


class CalledByDescriptor:
    __call__ = Given()
    given = Given()


class OfInit:
    def __init__(self, z, dt=1.0, *more, s=0.0, **named):
        self.value = total(z, dt, *more, s=s, **named)


class OfNew:
    def __new__(cls, z, dt=1.0, *more, s=0.0, **named):
        made = super().__new__(cls)
        made.value = total(z, dt, *more, s=s, **named)
        return made


class Meta(type):
    def __call__(cls, *more, **named):
        return total(*more, **named)


class PassingMeta(type):
    def __call__(cls, *more, **named):
        return super().__call__(*more, **named)


class OfMeta(metaclass=Meta):
    pass


class OfPassingMeta(OfInit, metaclass=PassingMeta):
    pass


class Answering:
    def __getattr__(self, name):
        return Called()


def decorated(function):
    @functools.wraps(function)
    def inner(*more, **named):
        return function(*more, **named)

    return inner


class Decorator:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *more, **named):
        return self.function(*more, **named)

    def __get__(self, owner, kind=None):
        return self if owner is None else functools.partial(self.__call__, owner)


class Decorated:
    @Decorator
    def method(self, z, dt=1.0, *more, s=0.0, **named):
        return total(z, dt, *more, s=s, **named)


class Dispatching:
    @functools.singledispatchmethod
    def method(self, z, dt=1.0, *more, s=0.0, **named):
        return total(z, dt, *more, s=s, **named)


CALLED = Called()
OBJECTS = {
    "function": total,
    "lambda": lambda z, dt=1.0, *more, s=0.0, **named: total(z, dt, *more, s=s, **named),
    "object": CALLED,
    "object of a subclass": Inheriting(),
    "super": Calling(),
    "static __call__": CalledStatically(),
    "__call__ of the class": CalledOfClass(),
    "__call__ of partialmethod": CalledByPartialMethod(),
    "__call__ that is an object": CalledByObject(),
    "__call__ of a descriptor": CalledByDescriptor(),
    "bound": CALLED.method,
    "bound, super": Calling().method,
    "bound __call__": CALLED.__call__,
    "class method": Called.of_class,
    "class method of an object": CALLED.of_class,
    "static method": CALLED.static,
    "partialmethod": CALLED.partial,
    "partial": functools.partial(total, s=0.25),
    "partial of an object": functools.partial(CALLED, s=0.25),
    "partial of a method": functools.partial(Called.method, CALLED),
    "partial of a partial": functools.partial(functools.partial(CALLED, s=0.5), u=1.0),
    "__init__": OfInit,
    "__new__": OfNew,
    "__call__ of the metaclass": OfMeta,
    "super().__call__ of the metaclass": OfPassingMeta,
    "__getattr__": Answering().nothing,
    "descriptor": CalledByDescriptor().given,
    "wraps": decorated(total),
    "wraps a method": decorated(CALLED.method),
    "decorator that is an object": Decorator(total),
    "method so decorated": Decorated().method,
    "singledispatch": functools.singledispatch(total),
    "singledispatchmethod": Dispatching().method,
    "hybridized": hybridize(Called()),
    "hybridized method": hybridize(CALLED.method),
}
WAYS = {
    "positional": lambda f, x: f(x, 2.0),
    "by default": lambda f, x: f(x),
    "keyword": lambda f, x: f(x, dt=3.0),
    "all by keyword": lambda f, x: f(s=1.5, z=x, dt=2.0),
    "keyword-only": lambda f, x: f(x, s=1.5),
    "*": lambda f, x: f(*(x, 2.0)),
    "**": lambda f, x: f(*(x,), **{"dt": 2.0}),
    "more": lambda f, x: f(x, 1.0, 2.0, 3.0),
    "named": lambda f, x: f(x, q=2.0, r=x),
    "all": lambda f, x: f(x, 2.0, *[1.0], s=1.0, **{"u": x}),
    "__call__": lambda f, x: f.__call__(x, dt=2.0) if not isinstance(f, type) else f(x, dt=2.0),
    "partial": lambda f, x: functools.partial(f, dt=2.0)(x, s=1.0),
    "map": lambda f, x: list(map(f, [x, x]))[1],
    "reduce": lambda f, x: functools.reduce(f, [x, 2.0]),
    "methodcaller": lambda f, x: operator.methodcaller("__call__", x, dt=2.0)(f) if not isinstance(f, type) else f(x),
}
REFUSED = {
    "none": lambda f, x: f(),
    "twice": lambda f, x: f(x, 2.0, dt=1.0),
    "keyword twice": lambda f, x: f(x, dt=2.0, **{"dt": 1.0}),
    "** twice": lambda f, x: f(x, **{"dt": 2.0}, **{"dt": 1.0}),
    "** of numbers": lambda f, x: f(x, **{1: 2.0}),
    "** of no mapping": lambda f, x: f(x, **[1]),
    "* of no iterable": lambda f, x: f(x, *3),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_ways_to_give_arguments(name):
    called = OBJECTS[name]

    ways = dict(WAYS)
    if name.startswith("singledispatch"):
        del ways["all by keyword"]  # a dispatcher needs its first argument by position

    def program(x):
        return [getattr(found, "value", found) for found in [way(called, x) for way in ways.values()]]

    x = np.array([1.0, 2.0])
    for found, expected, way in zip(Function(program, backend="numpy")(x), program(x), ways, strict=True):
        assert found.tolist() == expected.tolist(), way


@pytest.mark.parametrize("name", OBJECTS)
def test_arguments_that_are_refused(name):
    called = OBJECTS[name]

    def program(x, number):
        try:
            return list(REFUSED.values())[number](called, x)
        except (TypeError, IndexError) as error:  # a method that dispatches looks for its first argument
            return str(error)

    for number, way in enumerate(REFUSED):
        found = Function(program, backend="numpy")(np.array([1.0, 2.0]), number)
        assert found == program(np.array([1.0, 2.0]), number), way


@pytest.mark.parametrize("name", [name for name in OBJECTS if not isinstance(OBJECTS[name], type)])
def test_hybridized_itself(name):
    called = OBJECTS[name]
    compiled = Function(getattr(called, "python_function", called), backend="numpy")
    x = np.array([1.0, 2.0])
    for way in ("positional", "by default", "keyword", "keyword-only", "**", "more", "named", "all"):
        assert WAYS[way](compiled, x).tolist() == WAYS[way](called, x).tolist(), way


def test_a_keyword_argument_may_be_called_self():
    assert Function(total, backend="numpy")(np.array([1.0]), self=2.0).tolist() == [3.0]
    assert Function(lambda x: total(x, self=2.0), backend="numpy")(np.array([1.0])).tolist() == [3.0]
