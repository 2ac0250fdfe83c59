"""Identity of arrays: whether two are one object is asked again of each call, whichever calls came before."""

import operator

import numpy
import pytest

from hybridize.array import np
from hybridize.base.errors import CaptureError
from hybridize.capture import Function
from hybridize.gluon import nn
from tests.refusals import refusal

DENSE = nn.Dense(1, in_units=1)
DENSE.initialize()
W = np.ones(1)
VIEW = W[:]


def compared(x, y):
    return x is y, x is not y, x + y


def in_a_chain(x, y):
    return x is y is x, x is not y is not x


def by_operator(x, y):
    return operator.is_(x, y), operator.is_not(x, y)


def beside_others(x, y):
    return x is None, None is not y, x is True, x is ...


def rebound(x, y):
    z, x = x, y
    return z is x, z is y, x is y


def written(x, y):
    x[0] = 1
    return x is y


def written_in_place(x, y):
    z = x
    z += 0
    return z is x, z is y


def decides(x, y):
    return x * 2 if x is y else x - y


def a_member(x, y):
    return x in [y, x], y not in (x,), x in [W], [y, W].count(x)


def any_of(x, y):
    return any(x is one for one in [W, y]), [one is y for one in (x, W, VIEW)]


def unlike(x, y):
    kept = []
    for one in (x, W, y):
        if not any(one is other for other in kept):
            kept.append(one)
    return len(kept)


def a_global(x, y):
    return x is W, y is VIEW, W is VIEW, W is not W


def a_parameter(x, y):
    return DENSE.weight.data() is x, DENSE.bias.data() is y, DENSE.bias.data() is DENSE.bias.data()


def made_here(x, y):
    return np.asarray(x) is x, np.array(x) is x, x[:] is x, x + 0 is x, (x, y)[1] is y


def nested(pair, y):
    return pair is y


QUESTIONS = [
    compared, in_a_chain, by_operator, beside_others, rebound, written, written_in_place, decides, a_member, any_of,
    unlike, a_global, a_parameter, made_here,
]  # fmt: skip


@pytest.mark.parametrize("function", QUESTIONS)
def test_calls_answer_as_python_does_whichever_came_first(function):
    """Pairs of objects, over one memory or not, among the arguments and outside, each pair after each other one."""
    x, y, bias = np.ones(1), np.ones(1), DENSE.bias.data()
    view = x[:]
    pairs = [(x, y), (x, x), (x, view), (view, x), (view, view), (W, x), (W, W), (y, VIEW), (bias, bias), (x, W)]
    for first in pairs:
        compiled = Function(function)
        for pair in (first, first, *pairs, *pairs):
            assert str(compiled(*pair)) == str(function(*pair)), f"{function.__name__} {pair}"


def test_items_of_a_list_of_arguments_are_objects_too():
    def repeated(arrays):
        return [any(one is other for other in arrays[:number]) for number, one in enumerate(arrays)]

    compiled, x, y = Function(repeated), np.ones(2), np.ones(2)
    for given in ([x, y, x], [x, x, y], [x, x[:], y], [y, y, y], [x, y, x]):
        assert compiled(given) == repeated(given)


def test_one_numpy_array_that_is_given_twice_is_one_object():
    def same(x, y):
        return x is y

    compiled, x = Function(same), numpy.ones(2)
    assert [compiled(x, x), compiled(x, x[:]), compiled(x, x)] == [True, False, True]


def test_who_asks_nothing_has_one_program_for_one_array_and_for_two():
    compiled, x = Function(lambda x, y: x + y), np.ones(2)
    for pair in ((x, np.ones(2)), (x, x), (x, x[:])):
        assert compiled(*pair).tolist() == [2, 2]
    assert compiled.cache_info().programs == 1


def data_decides(x, y):
    z = x if x.sum() > 0 else y
    return z is x


def a_loop_decides(x, y):
    z = x
    while z.sum() < 5:
        z = z + 1
    return z is x


def numbered(x, y):
    return len({id(x), id(y)})


OF_NUMPY = numpy.ones(1)


def of_numpy(x, y):
    return x is OF_NUMPY


@pytest.mark.parametrize(
    ("function", "code"), [(data_decides, "E441"), (a_loop_decides, "E441"), (numbered, "E422"), (of_numpy, "E431")]
)
def test_what_no_program_can_tell_is_refused(function, code):
    with refusal(CaptureError, code) as caught:
        Function(function)(np.ones(1), np.ones(1))
    assert caught.value.loc.file == __file__


def test_arrays_outside_have_their_own_numbers():
    def numbered_outside(x):
        return id(W) == id(VIEW), id(DENSE.bias.data()) == id(DENSE.bias.data()), id(W), id(x + 1) != id(x + 1)

    assert Function(numbered_outside)(np.ones(1))[:3] == (False, True, id(W))
