# SPDX-License-Identifier: Apache-2.0
"""`**names`: the dict that Python makes for a call is the program's own, to be read, written and handed on."""

import pytest

from hybridize import hybridize, np


def values(x, **names):
    return sum(value for value in names.values()), [*names.items()], x


def handed_on(x, **names):
    return values(x, **names)


def written(x, **names):
    names["n"] = x
    names.pop("z", None)
    return names


def of_a_lambda(x, **names):
    return (lambda **all: [value * 2 for value in all.values()])(q=x, **names)


def of_an_inner_function(x, **names):
    def inner(**all):
        all.update(m=x)
        return sorted(all), all

    return inner(**names), names


def of_a_class(x, **names):
    class Made:
        def __init__(self, **all):
            self.all = all

        def both(self, **more):
            return {**self.all, **more}, [value * 2 for value in self.all.values()]

    return Made(p=x, **names).both(r=2.0)


def of_a_generator(x, **names):
    def pairs(**all):
        yield from all.items()

    return [*pairs(q=x, **names)]


def with_all_others(*xs, scale=2, **names):
    return [x * scale for x in xs], {key: value * scale for key, value in names.items()}, names.get("z", 3)


@pytest.mark.parametrize("names", [{}, {"z": 1}, {"z": 2.0}, {"y": np.ones(1)}, {"z": 3, "y": np.ones(1)}], ids=str)
@pytest.mark.parametrize(
    "function",
    [
        values,
        handed_on,
        written,
        of_a_lambda,
        of_an_inner_function,
        of_a_class,
        of_a_generator,
        with_all_others,
    ],
)
def test_the_dict_of_names_is_the_programs_own(function, names):
    compiled = hybridize(function)
    for x in (np.ones(1), np.zeros(1)):
        given = dict(names)
        assert repr(compiled(x, **given)) == repr(function(x, **names))
        assert given == names
