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


PARTS = {
    "a part": lambda x, i, k: x[i : i + 4] * 2,
    "by an array": lambda x, i, k: x[k[0] : k[0] + 4] * 2,
    "said twice": lambda x, i, k: x[int(k[0]) : int(k[0]) + 4] * 2,
    "around it": lambda x, i, k: x[i - 1 : i + 1] * 2,
    "every other": lambda x, i, k: x[i : i + 4 : 2] * 2,
    "every third": lambda x, i, k: x[i : i + 5 : 3] * 2,
    "backwards": lambda x, i, k: x[i + 4 : i : -1] * 2,
    "backwards by two": lambda x, i, k: x[i + 4 : i : -2] * 2,
    "nothing": lambda x, i, k: x[i:i] * 2,
    "less than nothing": lambda x, i, k: x[i + 1 : i] * 2,
    "a slice": lambda x, i, k: x[slice(i, i + 3)] * 2,
    "of columns": lambda x, i, k: x.reshape(4, 5)[1:, None, i - 1 : i + 1] * 2,
    "beside a number": lambda x, i, k: x.reshape(4, 5)[i - 1, 1:3] * 2,
    "times two": lambda x, i, k: x[i * 2 : i * 2 + 2] * 2,
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("dynamic", [None, True])
def test_a_part_that_begins_where_data_says(name, dynamic):
    part = PARTS[name]

    @hybridize(dynamic=dynamic)
    def read(x, k):
        return part(x, int(k[0]), k)

    for start in (2, 3):
        x, k = numpy.arange(20, dtype="f4"), numpy.array([start], "i4")
        numpy.testing.assert_array_equal(read(np.array(x), np.array(k)).asnumpy(), part(x, start, k))


def rounds_that_write(x, k):
    y = np.zeros(22)
    for i in range(20):
        y[i : i + 3] += x[i]
    return y


def rounds_that_go_beyond(x, k):
    total = np.zeros(())
    for i in range(20):
        total = total * 0.5 + x[i : i + 2].sum()
    return total


def rounds_that_data_counts(x, k):
    total = np.zeros(())
    for i in range(int(k[0])):
        total = total * 0.5 + x[i : i + 2].sum()
    return total


def rounds_that_end_early(x, k):
    total = np.zeros(())
    for i in range(len(x)):
        if x[i] > 12:
            break
        total = total * 0.5 + x[i : i + 2].sum()
    return total


def rounds_within_rounds(x, k):
    y = np.zeros((24, 3))
    for i in range(len(x)):
        for j in range(3):
            y[i : i + 2, j] += x[i] * j
        y[i + 2 : i + 4] = y[i : i + 2] - x[i]
    return y


def target(x, k):
    i = int(np.argmax(x * (x < k[0])))
    x[i : i + 2] += 100
    return x.sum()


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize(
    "function",
    [rounds_that_write, rounds_that_go_beyond, rounds_that_data_counts, rounds_that_end_early, rounds_within_rounds,
     target],
    ids=lambda one: one.__name__,
)  # fmt: skip
def test_parts_in_rounds(function, dynamic):
    compiled = hybridize(function, dynamic=dynamic)
    for start in (4, 7):
        args = [(np.array(numpy.arange(20, dtype="f4")), np.array([start], dtype="int32")) for _ in range(2)]
        found, expected = compiled(*args[0]), function(*args[1])
        numpy.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())
        numpy.testing.assert_array_equal(args[0][0].asnumpy(), args[1][0].asnumpy())


def test_a_part_that_does_not_fit():
    @hybridize
    def read(x, k):
        i = int(k[0])
        return x[i : i + 4] * 2, x[i + 2 : i : -1] * 2

    for start in (17, -1):
        with pytest.raises(errors.OutOfBoundsError):
            read(np.array(numpy.arange(20, dtype="f4")), np.array([start], dtype="int32"))


LISTS = {
    "read": lambda x, p: x[[0, p]],
    "read twice": lambda x, p: x[[p], [0]] + x[[[0, p], [p, 1]]].sum(),
    "beside": lambda x, p: (x[p, [0, p - 1]], x[[0, p], 1], x[:, [p - 1, -1]]),
    "beside a size": lambda x, p: x[[x.shape[0] - 1, p]],
    "swapped": lambda x, p: written(x, [0, p], x[[p, 0]]),
    "added to": lambda x, p: written(x, ([p, 0], [0, p - 1]), 5.0),
}


def written(x, key, value):
    y = x.copy()
    y[key] = value
    return y


@pytest.mark.parametrize("what", ["an int of data", "an array of data", "an argument"])
@pytest.mark.parametrize("name", LISTS)
def test_lists_of_indices_may_hold_what_only_a_call_knows(name, what):
    function = LISTS[name]
    with_index = {
        "an int of data": lambda x, p: function(x, int(x[:, 0].argmax()) - 1),
        "an array of data": lambda x, p: function(x, x[:, 0].argmax() - 1),
        "an argument": function,
    }[what]
    compiled = hybridize(with_index)
    for rows, p in ((4, 1), (4, 2), (5, 2), (6, 1)):
        x = np.array(numpy.arange(rows * 3.0).reshape(rows, 3) * [[1.0], [2.0], [-1.0], [3.0], [0.0], [0.5]][:rows])
        found, wanted = compiled(x, p), with_index(x, p)
        for one, other in zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]:
            assert numpy.array_equal(one, other)
    assert compiled.cache_info().programs <= 3


def test_floats_and_masks_of_data_in_lists_of_indices_are_refused():
    x = np.arange(4.0)
    with pytest.raises(errors.KeyTypeError, match=r"E204.*f32\[\]"):
        hybridize(lambda x: x[[float(x[1]), 1]])(x)
    with pytest.raises(errors.CaptureError, match=r"E402: x\[mask\]"):
        hybridize(lambda x: x[[bool(x[0] > 0), True, False, True]])(x)
    with pytest.raises(IndexError):
        hybridize(lambda x: x[[0, int(x[3]) + 1]])(x)
