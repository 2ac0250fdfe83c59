"""Indices and slices whose numbers differ from call to call: one program for all of them, once two calls have shown it.

NumPy is the meaning; out of bounds is an error of the call, at the user's line.
"""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridize import autograd, errors, hybridize, np


def array(*shape):
    return numpy.arange(numpy.prod(shape), dtype="f4").reshape(shape)


@hybridize
def read(x, i):
    return x[:, i] * 2


@hybridize
def read_part(x, i):
    return x[1, i : i + 3] * 2


@hybridize
def write(x, i, v):
    x[:, i] = v
    x[0, i : i + 2] += 1
    return x.sum()


@settings(deadline=None, max_examples=40)
@given(st.integers(-9, 9))
def test_any_index(i):
    data, value = array(3, 8, 2), array(3, 2)
    for function in (read, read_part, write):
        expected, given_ = data.copy(), np.array(data)
        args = (np.array(value),) if function is write else ()
        fits = -8 <= i < 8 if function is read else 0 <= i <= (6 if function is write else 5)
        if not fits and (function is read or i > 0):
            with pytest.raises(IndexError):
                function(given_, i, *args)
        elif fits:
            found = function(given_, i, *args)
            plain = function.python_function(expected, i, *(one.asnumpy() for one in args))
            numpy.testing.assert_array_equal(found.asnumpy(), plain)
        if fits or not args:
            numpy.testing.assert_array_equal(given_.asnumpy(), expected)
        assert len(function.programs()) <= 2


def test_a_number_that_is_kept_outside():
    class Ring:
        def __init__(self):
            self.rows, self.at = np.zeros((4, 2)), 0

        def put(self, row):
            self.rows[self.at] = row
            self.at = (self.at + 1) % 4
            return self.rows.sum()

    imperative, compiled = Ring(), Ring()
    put = hybridize(compiled.put)
    for number in range(1, 12):
        assert float(put(np.ones(2) * number)) == float(imperative.put(np.ones(2) * number))
        assert compiled.at == imperative.at
        assert (compiled.rows.asnumpy() == imperative.rows.asnumpy()).all()
    assert len(put.programs()) <= 4  # the place is counted around the ring: exact ones at first


def test_what_needs_the_very_number_has_a_program_for_each():
    view = hybridize(lambda x, i: x[i])
    taken = hybridize(lambda x, i: x[i : 2 * i] + 0)
    x = np.array(array(9, 2))
    for i in (1, 2, 4):
        numpy.testing.assert_array_equal(view(x, i).asnumpy(), x.asnumpy()[i])
        numpy.testing.assert_array_equal(taken(x, i).asnumpy(), x.asnumpy()[i : 2 * i])
    view(x, 3)[...] = -1
    assert (x.asnumpy()[3] == -1).all()  # it is a view


def test_a_length_that_data_decides_is_refused():
    def part(x, n):
        return x[: int(n)] + 0

    with pytest.raises(errors.CaptureError, match="whose length depends on the data"):
        hybridize(part)(np.ones(5), np.array(3, dtype="int64"))


def test_gradients_go_through_what_is_written():
    """Those of what was overwritten are zero, those of what was written come from its place."""
    weight = np.array(array(4, 2))
    x = np.array(array(5, 2))
    x.attach_grad()
    weight.attach_grad()

    def loss(i):
        with autograd.record():
            y = x * 2
            y[i : i + 4] = weight * 3
            total = (y[:4] * y[1:]).sum() + (y[i] ** 2).sum()
        total.backward()
        return total

    compiled = hybridize(loss)
    for i in (0, 1, 0, 1):
        expected = loss(i).asnumpy(), x.grad.asnumpy().copy(), weight.grad.asnumpy().copy()
        found = compiled(i).asnumpy(), x.grad.asnumpy().copy(), weight.grad.asnumpy().copy()
        for one, other in zip(found, expected, strict=True):
            numpy.testing.assert_allclose(one, other, rtol=1e-6)
