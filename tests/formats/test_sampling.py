"""Calls that programs are tried with."""

import numpy
import pytest

from hybridize import hybridize, np, npx
from hybridize.formats import sampling


def graph(function, *calls):
    fast = hybridize(function)
    for call in calls:
        fast(*call)
    return fast.saved().signatures[-1].graph


def test_the_same_numbers_every_time():
    program = graph(lambda x, i: np.take(x, i), (np.ones((5,)), np.array([1, 2], dtype="int64")))
    x, i = next(sampling.candidates(program, 2))
    assert (x.dtype, x.shape, i.dtype, i.shape) == (numpy.float32, (5,), numpy.int64, (2,))
    assert set(i) <= {0, 1}
    numpy.testing.assert_array_equal(x, next(sampling.candidates(program, 2))[0])


def test_a_call_that_assertions_allow():
    def root(x):
        assert (x > 0).all(), "only positive numbers have one"
        return np.sqrt(x)

    sample = sampling.invented(graph(root, (np.ones((3,)),)), 1, ())
    assert (sample.inputs[0] > 0).all()
    numpy.testing.assert_allclose(sample.outputs[0], numpy.sqrt(sample.inputs[0]), rtol=1e-6)


def test_no_call_is_made_up_where_none_is_taken():
    def never(x):
        assert (x > 1000).all(), "only large numbers"
        return x + 1

    assert sampling.invented(graph(never, (np.full((3,), 2000.0),)), 1, ()) is None


def test_other_sizes_are_such_that_the_program_holds():
    program = graph(lambda x: x.reshape(-1, 2) * 2, (np.ones((4,)),), (np.ones((8,)),))
    assert program.scope is not None
    found = sampling.other_sizes(program)
    assert found
    for sizes in found:
        (n,) = sizes.values()
        assert n % 2 == 0
        sample = sampling.invented(program, 1, (), sizes)
        assert sample.inputs[0].shape == (n,)
        numpy.testing.assert_allclose(sample.outputs[0], sample.inputs[0].reshape(-1, 2) * 2)


@pytest.mark.parametrize("shape", [(2,), (0,), ()])
def test_programs_of_known_sizes_have_no_others(shape):
    assert sampling.other_sizes(graph(lambda x: x + 1, (np.ones(shape),))) == []


def test_nothing_is_printed(capsys):
    def loud(x):
        npx.print("x is {}", x)
        return x

    program = graph(loud, (np.ones((2,)),))
    capsys.readouterr()
    sampling.invented(program, 1, ())
    assert capsys.readouterr().out == ""
