# SPDX-License-Identifier: Apache-2.0
"""Gradients through views and writes in place: handled where the meaning is clear, refused where it is not."""

import numpy
import pytest
import torch

from hybridize import autograd, errors, np


def close(found, wanted):
    numpy.testing.assert_allclose(found.asnumpy(), numpy.asarray(wanted), rtol=1e-5, atol=1e-6)


def variable(values):
    x = np.array(values)
    x.attach_grad()
    return x


def both(function, *shapes):
    """The gradients of a scalar function of arrays, here and in PyTorch; it is given what makes a new buffer."""
    values = [numpy.random.default_rng(7).normal(size=shape).astype("f4") for shape in shapes]
    ours = [variable(v) for v in values]
    theirs = [torch.from_numpy(v.copy()).requires_grad_() for v in values]
    with autograd.record():
        loss = function(np, *ours)
    loss.backward()
    expected = function(torch, *theirs)
    expected.backward()
    assert float(loss) == pytest.approx(expected.item(), rel=1e-5)
    for x, t in zip(ours, theirs, strict=True):
        close(x.grad, numpy.zeros(t.shape) if t.grad is None else t.grad)


def ramp(m, n):
    """Weights that tell elements apart."""
    values = (numpy.arange(n) % 7 + 1).astype("f4")
    return np.array(values) if m is np else torch.from_numpy(values)


KEYS = [
    0, -1, slice(1, 3), slice(None, None, 2), (slice(None), 1), (0, 2), (Ellipsis, None), (None, 1, slice(0, 2)),
    (slice(3, 0, -1), 0), ([0, 0, 2],), ([0, 1], [2, 2]), (slice(None), [1, 1, 0]), (1, [0, 2, 0]), (),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_reading(key):
    x = variable(numpy.random.default_rng(0).normal(size=(4, 3)))
    places = numpy.arange(12).reshape(4, 3)[key]
    with autograd.record():
        part = x[
            tuple(np.array(k, dtype="int64") if isinstance(k, list) else k for k in key)
            if isinstance(key, tuple)
            else key
        ]
        loss = (part * np.array((numpy.arange(part.size) + 1.0).reshape(part.shape))).sum()
    loss.backward()
    wanted = numpy.zeros(12)
    numpy.add.at(wanted, numpy.ravel(places), numpy.arange(numpy.size(places)) + 1.0)
    close(x.grad, wanted.reshape(4, 3))


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_writing(key):
    x = variable(numpy.random.default_rng(0).normal(size=(4, 3)))
    shape = numpy.zeros((4, 3))[key].shape
    v = variable(numpy.random.default_rng(1).normal(size=shape))
    weights = numpy.arange(12.0).reshape(4, 3) + 1
    with autograd.record():
        y = x * 2
        y[key] = v
        loss = (y * np.array(weights)).sum()
    written = numpy.full(12, -1)
    written[numpy.arange(12).reshape(4, 3)[key]] = numpy.arange(v.size).reshape(shape)  # the last one wins
    loss.backward()
    written = written.reshape(4, 3)
    close(x.grad, numpy.where(written < 0, 2 * weights, 0))
    wanted = numpy.zeros(max(v.size, 1))
    for number in range(v.size):
        wanted[number] = weights[written == number].sum()
    close(v.grad, wanted[: v.size].reshape(shape))


def test_a_mask_chooses():
    x, v = variable([1.0, -2.0, 3.0]), variable([10.0, 20.0])
    with autograd.record():
        y = x * 2
        y[x > 0] = v
        loss = (y * y).sum() + x[x > 0].sum()
    loss.backward()
    close(x.grad, [1, 8 * -2, 1])
    close(v.grad, [20, 40])


def test_a_buffer_filled_row_by_row():
    def fill(m, x):
        out = m.zeros((3, 4))
        for i in range(3):
            out[i] = x[i] * (i + 1)
        out[1] += x[0]
        out[2, 1:3] *= 3
        return (out * out * ramp(m, 4)).sum()

    both(fill, (3, 4))


def test_views_see_writes_through_others():
    def through(m, x, v):
        y = x * 1
        row, column = y[1], y[:, 2]
        block = y[1:3]
        row[1] = v[0] * 3
        column[0:2] = v[1]
        block *= x[0:2]
        return (row * ramp(m, 4)).sum() + (column * column).sum() + (y * y[1]).sum()

    both(through, (3, 4), (2,))


def test_views_of_views_and_of_other_shapes():
    def through(m, x, v):
        y = x * 1
        flat = y.reshape((12,))
        square = flat[0:4].reshape((2, 2))
        square.T[0] = v
        turned = y.T
        turned[1:3, 0] = v * 2
        return (flat * ramp(m, 12)).sum() + (square * square).sum() + (turned[0] * y[:, 1]).sum()

    both(through, (3, 4), (2,))


def test_constants_written_over_a_history_end_it():
    def through(m, x):
        y = x * x
        y[1] = 5.0
        return (y * y).sum()

    both(through, (3, 2))


def test_in_place_arithmetic():
    def through(m, x):
        y = x * 2
        y += x
        y *= 3
        y -= x * x
        y /= 2
        z = y * 1
        z[0] += y[1]
        return (z * ramp(m, 4)).sum()

    both(through, (3, 4))


def test_writing_all_of_it():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = np.zeros(2)
        y[...] = x * 3
        y *= x
    y.backward()
    close(x.grad, [6, 12])
    with autograd.record():
        y = x * 3
        y[:] = y * x  # PyTorch refuses it too: the product needs what was there
    assert refused(lambda: y.backward()).code == "E542"


def test_second_order_through_writes():
    def through(m, x):
        y = m.zeros((3,))
        y[0] = x[0] * x[1]
        y[1:] = x * x
        return y

    x = variable([1.5, 2.5])
    with autograd.record():
        y = through(np, x)
        (g,) = autograd.grad((y * y).sum(), x, create_graph=True)
        s = (g * np.array([1.0, 2.0])).sum()
    s.backward()
    t = torch.tensor([1.5, 2.5], requires_grad=True)
    u = through(torch, t)
    (tg,) = torch.autograd.grad((u * u).sum(), t, create_graph=True)
    (tg * torch.tensor([1.0, 2.0])).sum().backward()
    close(x.grad, t.grad)


# ------------------------------------------------------------------------------------------------- refused


def refused(call):
    with pytest.raises(errors.StateError) as raised:
        call()
    assert raised.value.loc.file == __file__
    return raised.value


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.__setitem__(0, 1.0),
        lambda x: x.__iadd__(1.0),
        lambda x: x[1:].__imul__(2.0),
        lambda x: x.reshape(3, 1).__setitem__((0, 0), 1.0),
        lambda x: np.exp(np.ones(3), out=x),
        lambda x: x.fill(0),
    ],
)
def test_a_variable_is_not_written_while_recording(write):
    x = variable([1.0, 2.0, 3.0])
    with autograd.record():
        assert refused(lambda: write(x)).code == "E543"
        with autograd.pause():
            write(x)


def test_a_value_that_is_needed_was_overwritten():
    x, w = np.array([1.0, 2.0]), variable([3.0, 4.0])
    with autograd.record():
        y = (x * w).sum()
    x[0] = 9.0  # a batch that is used again
    error = refused(lambda: y.backward())
    assert error.code == "E542"
    assert "y = (x * w).sum()" in str(error) and "x[0] = 9.0" in str(error)


@pytest.mark.parametrize("write", [lambda y: y.__imul__(2), lambda y: y.__setitem__(0, 0.0), lambda y: y[1:].fill(1)])
def test_a_result_that_is_needed_was_overwritten(write):
    x = variable([1.0, 2.0])
    with autograd.record():
        y = np.exp(x)
        write(y)
    assert refused(lambda: y.backward()).code == "E542"


def test_a_weight_updated_before_backward():
    w = variable(numpy.ones((2, 2)))
    with autograd.record():
        y = np.tanh(np.ones((1, 2)) @ w) @ w
    w -= 0.1
    assert refused(lambda: y.backward()).code == "E542"


def test_what_is_not_needed_may_be_overwritten():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x + 1
        z = y * 3
    x[...] = 0
    y[...] = 0
    z.backward()
    close(x.grad, [3, 3])


def test_indices_are_remembered_as_they_were():
    x, at = variable([1.0, 2.0, 3.0]), np.array([0, 2], dtype="int64")
    with autograd.record():
        y = np.take(x, at)
        z = x[at]
    at[...] = 1
    ((y_grad,), (z_grad,)) = autograd.grad(y, x), autograd.grad(z, x)
    close(y_grad, [1, 0, 1])
    close(z_grad, [1, 0, 1])


def test_written_while_nothing_was_recorded():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * 2
    y[0] = 0
    with autograd.record():
        assert refused(lambda: y * 1).code == "E544"
        z = (y.detach() * x).sum()
    z.backward()
    close(x.grad, [0, 4])


def test_a_view_that_was_made_before_recording():
    x, y = variable([1.0, 2.0]), np.zeros(4)
    before = y[:2]
    with autograd.record():
        y[:2] = x
        assert refused(lambda: before * 1).code == "E544"
        z = (y[:2] * 2).sum()
    z.backward()
    close(x.grad, [2, 2])


def test_a_broadcast_view_is_read_only():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = np.broadcast_to(x * 1, (3, 2))
        with pytest.raises(errors.ArgumentError, match="E306"):
            y[0] = x


def test_a_write_that_overlaps_what_it_reads():
    x = variable([[1.0, 2.0], [3.0, 4.0]])
    factors = numpy.array([[1.0, 10.0], [100.0, 1000.0]])
    with autograd.record():
        turned, moved = x * 1, x * 1
        turned[...] = turned.T
        moved[1:] = moved[:-1]
        z = (turned * np.array(factors)).sum() + (moved * np.array(factors)).sum()
    close(turned, [[1, 3], [2, 4]])
    close(moved, [[1, 2], [1, 2]])
    z.backward()
    close(x.grad, numpy.add(factors.T, [[101, 1010], [0, 0]]))


@pytest.mark.parametrize("size", [1, 3])
def test_a_write_to_a_view_of_the_whole_array(size):
    def whole(m, w):
        y = w * 2
        part = y[:size]
        part[...] = w * w
        part *= w
        y[0:] += w
        return (y * ramp(m, size)).sum()

    both(whole, (size,))
