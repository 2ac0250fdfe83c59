"""Loops and branches of Python over arrays of a device: the CPU's results, random numbers and errors included."""

import numpy
import pytest

from hybridize import cpu, gpu, hybridize, np, npx
from hybridize.array.buffer import buffer_of
from hybridize.errors import DeviceError
from hybridize.runtime import device_code
from tests.refusals import refusal

X = numpy.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)


def over_rows(x):
    state = np.zeros(3, ctx=x.ctx)
    for row in x:
        state = np.tanh(state + row)
    return state


def backwards_with_results(x):
    state, rows = np.zeros(3, ctx=x.ctx), []
    for row in reversed(x):
        state = state * row + 1
        rows.append(state)
    return np.stack(rows), state


def while_data_says(x):
    while np.abs(x).sum() < 20:
        x = x * 1.5
    return x


def if_data_says(x):
    if x.sum() > 0.5:
        return x * 2
    return x - 1


def left_by_break(x):
    state = np.zeros(3, ctx=x.ctx)
    for row in x:
        state = state + row
        if state.sum() > -2:
            break
    else:
        state = state * 100
    return state


def left_by_return(x):
    state = np.zeros(3, ctx=x.ctx)
    for row in x:
        state = state + row
        if state.sum() < -2:
            return state * 10
    return state


def with_continue(x):
    state = np.zeros(3, ctx=x.ctx)
    for row in x:
        if row.sum() < 0:
            continue
        state = state + row
    return state


def in_each_other(x):
    state = np.zeros((), ctx=x.ctx)
    for row in x:
        for element in row:
            if element > 0:
                state = state + element * 2
            else:
                state = state - element
    return state


def of_known_length(x):
    for _ in range(60):
        x = np.sin(x) * 0.9
    return x


def until_it_converges(x):
    for _ in range(100):
        following = np.cos(x)
        if np.abs(following - x).max() < 1e-3:
            break
        x = following
    return x


def counted(x):
    n = 0
    while x.sum() > -100 and n < 10:
        x, n = x - 1, n + 1
    return x, n


def by_foreach(x):
    return npx.foreach(lambda row, state: (row * state, row + state), x, np.ones(3, ctx=x.ctx))


def by_cond(x):
    return npx.cond(lambda y: y.sum() > 0.5, lambda y: y * 2, lambda y: y * 3, [x])


def drawn_in_a_loop(x):
    for _ in range(20):
        x = x + np.random.uniform(size=x.shape, ctx=x.ctx)
    return x


def drawn_while_data_says(x):
    while np.abs(x).sum() < 20:
        x = x + np.random.uniform(size=x.shape, ctx=x.ctx)
    return x


QUICK = [over_rows, while_data_says, left_by_break, by_foreach, drawn_in_a_loop, drawn_while_data_says]
OTHERS = [
    backwards_with_results, if_data_says, left_by_return, with_continue, in_each_other, of_known_length,
    until_it_converges, counted, by_cond,
]  # fmt: skip


def leaves(result) -> list:
    return [leaf for one in result for leaf in leaves(one)] if isinstance(result, (list, tuple)) else [result]


def check(function) -> None:
    """Three calls on each: the first one launches, the second one makes graphs, the third one uses them."""
    results = []
    for device in (cpu(0), gpu(0)):
        np.random.seed(7)
        f, x = hybridize(function), np.array(X, ctx=device)
        results.append([leaf for _ in range(3) for leaf in leaves(f(x))])
        assert all(leaf.device == device for leaf in results[-1] if not isinstance(leaf, int))
        results[-1].append(np.random.uniform(size=3))  # as many numbers were drawn
    for expected, found in zip(*results, strict=True):
        numpy.testing.assert_allclose(
            *(one if isinstance(one, int) else one.asnumpy() for one in (found, expected)), rtol=1e-6, atol=1e-6
        )


@pytest.mark.parametrize("function", QUICK)
def test_control_flow(function):
    check(function)


@pytest.mark.long
@pytest.mark.parametrize("function", OTHERS)
def test_other_control_flow(function):
    check(function)


def test_what_a_body_cannot_do_is_refused_at_its_line():
    @hybridize
    def f(x):
        for row in x:
            x = x + abs(np.fft.fft(row))
        return x

    with refusal(DeviceError, r"fourier \(test_control\.py:\d+\) has no code for sm_80 yet"):
        f(np.array(X, ctx=gpu(0)))


@pytest.mark.parametrize(("most", "graphs"), [(4096, 1), (25, 3), (3, 0)])
def test_a_long_loop_is_several_graphs(device, monkeypatch, most, graphs):
    """60 launches: beyond 16 graphs' they are asked for one by one."""
    monkeypatch.setattr(device_code, "IN_GRAPH", most)
    monkeypatch.setattr(device_code, "IN_GRAPHS", 16 * most)
    f, x = hybridize(of_known_length), np.array(X, ctx=gpu(0))
    expected = f(np.array(X)).asnumpy()
    for turn in range(3):
        device.asked.clear()
        assert numpy.allclose(f(x).asnumpy(), expected)
        if turn == 1:
            assert device.asked.count("capture") == graphs
            assert device.asked.count("record" if graphs else "launch") == 60
    assert device.asked.count("launch") == (0 if graphs else 60)


def test_each_turn_of_a_loop_that_asks_is_a_graph(device):
    """Two graphs, as the state is in two places in turn; in between one bool is read, by no launch of its own."""

    def slowly(x):
        while np.abs(x).sum() < 20:
            x = x * 1.1
        return x

    f, x = hybridize(slowly), np.array(X, ctx=gpu(0))
    expected = f(np.array(X)).asnumpy()
    for number in range(4):
        device.asked.clear()
        assert numpy.allclose(f(x).asnumpy(), expected)
        if number == 0:
            assert device.asked.count("capture") == 2
    assert not {"capture", "record", "update"}.intersection(device.asked)
    assert device.asked.count("launch") <= 1  # what comes before the loop


def test_a_loop_that_asks_waits_for_one_bool_a_turn(device):
    f, x = hybridize(while_data_says), np.array(X, ctx=gpu(0))
    f(x)
    asked, copy_out = [], device.copy_out
    device.copy_out = lambda at, array: asked.append(array.nbytes) or copy_out(at, array)
    y = f(x)
    turns = round(float(numpy.log(y.asnumpy() / X).max() / numpy.log(1.5)))
    assert asked[: turns + 1] == [1] * (turns + 1)
    assert buffer_of(y).accelerator is device
