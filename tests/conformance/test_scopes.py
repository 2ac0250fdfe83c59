"""Whose variable a name is: private names of classes, variables that are only declared."""

import pytest

total = 1.0


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
