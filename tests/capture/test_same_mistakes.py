# SPDX-License-Identifier: Apache-2.0
"""Mistakes of Python and of recordings are the same errors imperatively and compiled."""

import pytest

from hybridize import autograd, hybridize, np
from hybridize.errors import ArgumentError, HybridizeError
from tests.refusals import said

W = np.ones(3)
W.attach_grad()


try:
    print(to=1)
except TypeError as error:
    PYTHONS_WORDS = str(error)  # not the same in each Python


def of_grad(x):
    return autograd.grad(x, x)


def of_grads(x):
    with autograd.record():
        y = x * 2
    return autograd.grad(y, [x])


def of_other(x):
    with autograd.record():
        y = (W * 2).sum()
    return autograd.grad(y, [W, x])


def of_backward(x):
    x.backward()


def of_pause(x):
    with autograd.record(), autograd.pause():
        y = (x * x).sum()
    y.backward()


def of_sep(x):
    print(x, sep=3)


def of_end(x):
    print(x, end=x)


def of_unknown(x):
    print(x, to="a")


def of_super(x):
    return super().forward(x)


def of_super_without_arguments(x):
    def inner():
        return super().forward(x)

    return inner()


def of_repeat(x):
    return np.repeat(x, "a")


def of_keyword(x):
    return np.sum(x, axs=1)


def raised(function):
    with pytest.raises(Exception) as caught:
        function(np.ones(3))
    return caught.value


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (of_grad, "E540: f32[3] was not recorded"), (of_grads, "E540: f32[3] was not recorded"),
        (of_other, "E388: grad: f32[3] was not recorded"), (of_backward, "E540: f32[3] was not recorded"),
        (of_pause, "E540: f32[] was not recorded"), (of_sep, "sep must be None or a string, not int"),
        (of_end, "end must be None or a string, not "), (of_unknown, PYTHONS_WORDS),
        (of_super, "super(): __class__ cell not found"), (of_super_without_arguments, "super(): no arguments"),
        (of_repeat, "E344: repeat(f32[3], 'a'): 'str' object cannot be"), (of_keyword, "E344: sum(f32[3], axs=1)"),
    ],
)  # fmt: skip
def test_a_mistake_is_the_same_error_both_ways(program, words):
    imperative, compiled = raised(program), raised(hybridize(program))
    assert type(compiled) is type(imperative)
    assert said(compiled) == said(imperative)
    assert words in said(imperative)
    assert imperative.__cause__ is None or imperative.__cause__.args[0] not in str(imperative)
    assert (compiled.__cause__ is None) == (imperative.__cause__ is None)
    assert not isinstance(compiled, HybridizeError) or compiled.code == imperative.code


def test_super_of_classes_in_a_compiled_function():
    @hybridize
    def program(x):
        class Base:
            def scaled(self, x):
                return x * 2

        class Derived(Base):
            def scaled(self, x):
                return super().scaled(x) + 1

        return Derived().scaled(x)

    assert (program(np.ones(3)) == 3).all()


def test_print_takes_what_it_takes(capsys):
    @hybridize
    def program(x):
        print(x.sum(), x.max(), sep=" and ", end=f" of {x.min()}\n", flush=True)
        return x

    program(np.ones(3))
    np.ones(1).wait_to_read()
    assert capsys.readouterr().out == "3.0 and 1.0 of 1.0\n"


def test_the_cause_of_an_argument_error_is_not_said_twice():
    with pytest.raises(ArgumentError) as caught:
        np.ones(3).repeat("a")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
