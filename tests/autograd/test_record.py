# SPDX-License-Identifier: Apache-2.0
"""Recording and going back: MXNet's meaning of each call."""

import gc
import sys
import threading
import weakref

import numpy
import pytest
import torch

import hybridize
from hybridize import autograd, disabled, errors, np, npx
from hybridize.base.modes import BUSY, is_disabled
from hybridize.ops.op import ACTIVE, current, imperatively, taped


def close(found, wanted, rtol=1e-5, atol=1e-6):
    found = found.asnumpy() if hasattr(found, "asnumpy") else found
    numpy.testing.assert_allclose(found, numpy.asarray(wanted), rtol=rtol, atol=atol)


def variable(values, req="write"):
    x = np.array(values)
    x.attach_grad(req)
    return x


def test_gradient_of_a_sum():
    x = variable([1.0, 2.0, 3.0])
    with autograd.record():
        y = (x * x * 2 + np.exp(x)).sum()
    y.backward()
    close(x.grad, 4 * x.asnumpy() + numpy.exp(x.asnumpy()))


def test_a_head_of_many_elements_is_summed_unless_weighted():
    x = variable([1.0, 2.0, 3.0])
    with autograd.record():
        y = x * x
    y.backward(retain_graph=True)
    close(x.grad, [2, 4, 6])
    y.backward(np.array([1.0, 10.0, 100.0]))
    close(x.grad, [2, 40, 600])


def test_write_replaces_and_add_adds():
    x, y = variable([1.0, 2.0]), variable([1.0, 2.0], "add")
    buffers = x.grad, y.grad
    for _ in range(3):
        with autograd.record():
            z = (x * y).sum()
        z.backward()
    close(x.grad, [1, 2])
    close(y.grad, [3, 6])
    assert x.grad is buffers[0] and y.grad is buffers[1], "the buffer stays"
    y.grad[...] = 0
    with autograd.record():
        z = (x * y).sum()
    z.backward()
    close(y.grad, [1, 2])


def test_null_has_no_gradient():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    y.attach_grad("null")
    assert y.grad is None
    with autograd.record():
        z = (x * y).sum()
    z.backward()
    close(x.grad, [3, 4])
    y.attach_grad()
    y.drop_grad()
    assert y.grad is None


def test_gradient_is_zero_before_the_first_pass():
    close(variable([1.0, 2.0]).grad, [0, 0])
    assert np.ones(2).grad is None


def test_a_variable_used_many_times():
    x = variable([2.0])
    with autograd.record():
        y = x
        for _ in range(5):
            y = y * x + x
    y.backward()
    t = torch.tensor([2.0], requires_grad=True)
    u = t
    for _ in range(5):
        u = u * t + t
    u.backward()
    close(x.grad, t.grad)


def test_several_heads_with_their_gradients():
    x = variable([1.0, 2.0])
    with autograd.record():
        y, z = x * 2, x * x
    autograd.backward([y, z], [np.array([1.0, 10.0]), None])
    close(x.grad, [2 + 2, 20 + 4])


def test_modes():
    assert not autograd.is_recording() and not autograd.is_training()
    with autograd.record():
        assert autograd.is_recording() and autograd.is_training()
        with autograd.pause():
            assert not autograd.is_recording() and not autograd.is_training()
            with autograd.record(train_mode=False):
                assert autograd.is_recording() and not autograd.is_training()
        with autograd.predict_mode():
            assert autograd.is_recording() and not autograd.is_training()
    with autograd.pause(train_mode=True):
        assert not autograd.is_recording() and autograd.is_training()
    with autograd.train_mode():
        assert autograd.is_training()
    assert not autograd.is_recording() and not autograd.is_training()


def test_an_error_inside_ends_the_recording():
    x = variable([1.0])
    with pytest.raises(ZeroDivisionError), autograd.record():
        1 / 0  # noqa: B018
    assert not autograd.is_recording()
    y = x * 2
    with pytest.raises(errors.StateError, match="E540"):
        y.backward()


def test_pause_makes_constants():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * x
        with autograd.pause():
            factor = y * 10
        z = (y * factor).sum()
    z.backward()
    close(x.grad, 2 * x.asnumpy() * 10 * x.asnumpy() ** 2)


@pytest.mark.parametrize("cut", [lambda x: x.detach(), npx.stop_gradient], ids=["detach", "stop_gradient"])
def test_detach_makes_a_constant(cut):
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * x
        z = (y * cut(y)).sum()
    z.backward()
    close(x.grad, 2 * x.asnumpy() * x.asnumpy() ** 2)


def test_detach_shares_the_buffer_and_is_no_variable():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * 3
    d = y.detach()
    d[0] = 100.0
    close(y, [100, 6])
    with autograd.record(), pytest.raises(errors.StateError, match="E540"):
        (d * 2).backward()


def test_dropout_is_on_inside_record_and_off_in_predict_mode():
    x = variable(numpy.ones(1000))
    with autograd.record():
        y = npx.dropout(x, 0.5)
        with autograd.predict_mode():
            z = npx.dropout(x, 0.5)
    close(z, numpy.ones(1000))
    y.backward()
    close(x.grad, y.asnumpy())
    assert 300 < int((y == 0).sum()) < 700


def test_gradients_of_intermediate_results():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * x
        y.attach_grad()
        z = (y * 3).sum()
    z.backward()
    close(y.grad, [3, 3])
    close(x.grad, [6, 12])


def test_grad_gives_new_arrays_and_writes_no_buffer():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    with autograd.record():
        between = x * y
        z = (between * between).sum()
    found = autograd.grad(z, [x, between, y], retain_graph=True)
    close(found[0], 2 * x.asnumpy() * y.asnumpy() ** 2)
    close(found[1], 2 * x.asnumpy() * y.asnumpy())
    close(found[2], 2 * y.asnumpy() * x.asnumpy() ** 2)
    close(x.grad, [0, 0])
    close(autograd.grad(z, x, head_grads=np.array(2.0))[0], 4 * x.asnumpy() * y.asnumpy() ** 2)


def test_grad_of_what_a_head_does_not_depend_on_is_zero():
    x, y = variable([1.0, 2.0]), variable([3.0, 4.0])
    with autograd.record():
        z = (x * 2).sum()
    close(autograd.grad(z, y)[0], [0, 0])


def test_higher_orders():
    x = variable([0.5, 1.0, 2.0])
    with autograd.record():
        y = np.sin(x) * x
        (first,) = autograd.grad(y, x, create_graph=True)
        (second,) = autograd.grad(first, x, create_graph=True)
        (third,) = autograd.grad(second, x, create_graph=True)
    third.backward()
    v = x.asnumpy().astype("f8")
    sin, cos = numpy.sin(v), numpy.cos(v)
    close(first, cos * v + sin)
    close(second, -sin * v + 2 * cos)
    close(third, -cos * v - 3 * sin)
    close(x.grad, sin * v - 4 * cos, rtol=1e-4)


def test_a_gradient_penalty_trains_through_the_gradient():
    w, x = variable(numpy.full((3, 2), 0.5)), np.array([[1.0, 2.0, 3.0]])
    x.attach_grad()
    with autograd.record():
        y = np.tanh(x @ w).sum()
        (g,) = autograd.grad(y, x, create_graph=True)
        penalty = (g * g).sum()
    penalty.backward()
    tw = torch.full((3, 2), 0.5, requires_grad=True)
    tx = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    (tg,) = torch.autograd.grad(torch.tanh(tx @ tw).sum(), tx, create_graph=True)
    (tg * tg).sum().backward()
    close(w.grad, tw.grad)


def test_marked_variables_write_to_given_buffers():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    gx, gy = np.zeros(2), np.ones(2)
    autograd.mark_variables([x, y], [gx, gy], ["write", "add"])
    with autograd.record():
        z = (x * y).sum()
    z.backward()
    close(gx, [3, 4])
    close(gy, [2, 3])
    assert x.grad is gx


def test_control_flow_is_what_ran():
    x = variable([1.0, -2.0, 3.0])
    with autograd.record():
        total = np.zeros(())
        for value in x:
            total = total + value * value if value > 0 else total - 5 * value
        while total < 100:
            total = total * 2
    total.backward()
    t = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    u = torch.zeros(())
    for value in t:
        u = u + value * value if value > 0 else u - 5 * value
    while u < 100:
        u = u * 2
    u.backward()
    close(x.grad, t.grad)


def test_scans():
    x, w = variable(numpy.arange(6.0).reshape(3, 2)), variable([0.5, 2.0])

    def body(row, state):
        new = row * w + state
        return new * new, new

    with autograd.record():
        rows, last = npx.foreach(body, x, np.zeros(2))
        loss = rows.sum() + last.sum()
    loss.backward()
    tx = torch.arange(6.0).reshape(3, 2).requires_grad_()
    tw = torch.tensor([0.5, 2.0], requires_grad=True)
    state, total = torch.zeros(2), torch.zeros(())
    for row in tx:
        state = row * tw + state
        total = total + (state * state).sum()
    (total + state.sum()).backward()
    close(x.grad, tx.grad)
    close(w.grad, tw.grad)


def test_promotion_and_broadcasting_come_back_in_their_own_types():
    x, y = np.array([1.0, 2.0], dtype="float16"), np.array([[1.0], [2.0]], dtype="float64")
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z = (x * y).sum()
    z.backward()
    assert (x.grad.dtype, x.grad.shape, y.grad.dtype, y.grad.shape) == ("float16", (2,), "float64", (2, 1))
    close(x.grad, [3, 3])
    close(y.grad, [[3], [3]])


def test_recording_is_of_one_thread():
    x = variable([1.0, 2.0])
    seen = {}
    inside, go = threading.Event(), threading.Event()

    def other():
        inside.wait()
        seen["recording"] = autograd.is_recording()
        y = x * 2
        seen["error"] = None
        try:
            y.backward()
        except errors.StateError as error:
            seen["error"] = error.code
        go.set()

    thread = threading.Thread(target=other)
    thread.start()
    with autograd.record():
        inside.set()
        go.wait()
        z = (x * x).sum()
    thread.join()
    z.backward()
    close(x.grad, [2, 4])
    assert seen == {"recording": False, "error": "E540"}


def test_threads_record_at_once():
    results = {}

    def work(number):
        x = variable(numpy.full(4, float(number)))
        for _ in range(50):
            with autograd.record():
                y = (x * x * x).sum()
            y.backward()
        results[number] = x.grad.asnumpy()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, found in results.items():
        close(found, numpy.full(4, 3.0 * number**2))


# ---------------------------------------------------------------------------------------------------- memory


def test_a_tape_goes_with_its_newest_array_without_the_collector():
    x = variable(numpy.ones(4))
    gc.disable()
    try:
        with autograd.record():
            y = np.exp(x)
            between = y * 2
            z = (between * between).sum()
        kept = [weakref.ref(between._traced.edge[0]), weakref.ref(z._traced.edge[0])]
        del y, between
        assert all(ref() is not None for ref in kept)
        del z
        assert all(ref() is None for ref in kept)
    finally:
        gc.enable()


def test_values_are_let_go_by_backward():
    x = variable(numpy.ones(4))
    with autograd.record():
        y = np.exp(x * 2)
        value = weakref.ref(y._data)
        z = (y * y).sum()
    del y
    assert value() is not None
    z.backward()
    assert value() is None


def test_values_that_no_rule_reads_are_not_kept():
    x = variable(numpy.ones(4))
    with autograd.record():
        y = x * 2
        value = weakref.ref(y._data)
        z = (y + 1).sum()
    del y
    assert value() is None
    z.backward()
    close(x.grad, [2, 2, 2, 2])


def test_a_long_chain_neither_recurses_nor_leaks():
    x = variable([1.0])
    with autograd.record():
        y = x
        for _ in range(20_000):
            y = y + 0.5
    y.backward()
    close(x.grad, [1])
    with autograd.record():
        y = x
        for _ in range(20_000):
            y = y * 1.0
    del y


def test_training_steps_leave_memory_flat():
    import tracemalloc

    w = variable(numpy.ones((64, 64)))
    x = np.ones((16, 64))

    def steps(count):
        for _ in range(count):
            with autograd.record():
                loss = np.tanh(x @ w).sum()
            loss.backward()
            w[...] = w - 0.01 * w.grad

    steps(20)
    gc.collect()
    tracemalloc.start()
    steps(5)
    before = tracemalloc.get_traced_memory()[0]
    steps(100)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 20_000


# ------------------------------------------------------------------------------------------------- bad input


def code_of(call):
    with pytest.raises(errors.HybridizeError) as raised:
        call()
    assert raised.value.loc is not None and raised.value.loc.file == __file__
    return raised.value.code


def test_backward_of_what_was_not_recorded():
    x = variable([1.0])
    y = x * 2
    assert code_of(lambda: y.backward()) == "E540"
    assert code_of(lambda: autograd.grad(y, x)) == "E540"


def test_a_second_backward_names_both_lines():
    x = variable([1.0])
    with autograd.record():
        y = np.exp(x)
    y.backward()
    with pytest.raises(errors.StateError, match="E541") as raised:
        y.backward()
    text = str(raised.value)
    assert "y = np.exp(x)" in text and "y.backward()" in text and "retain_graph=True" in text
    with autograd.record():
        z = y * 2  # of what was let go, a constant
    assert code_of(lambda: z.backward()) == "E540"


@pytest.mark.parametrize("compiled", [False, True])
def test_a_head_gradient_of_one_element_has_any_number_of_axes(compiled):
    x = variable([1.0, 2.0])

    def step():
        with autograd.record():
            y = (x * x).sum()
        y.backward(np.array([3.0], dtype=x.dtype))
        first = x.grad.copy()
        with autograd.record():
            y = (x * x).sum(keepdims=True)
        y.backward(np.array(2.0, dtype=x.dtype))
        return first, x.grad.copy()

    for gradient, expected in zip((hybridize.hybridize(step) if compiled else step)(), ([6, 12], [4, 8]), strict=True):
        close(gradient, expected)


def test_a_failed_pass_leaves_every_gradient():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * x
    y.backward()
    with autograd.record():
        z = np.exp(x) * x
        total = z.sum() + (x * 3).sum()
    x[...] = 7.0
    assert code_of(lambda: total.backward()) == "E542"
    close(x.grad, [2, 4])


def test_integers_have_no_gradient():
    y = variable([1.0])
    with autograd.record():
        z = y.astype("int32")
        assert code_of(lambda: z.backward()) == "E385"
    assert code_of(lambda: autograd.backward(3)) == "E385"


def test_head_gradients_that_do_not_fit():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * 2
    assert code_of(lambda: y.backward(np.ones(3))) == "E387"
    assert code_of(lambda: y.backward(np.ones(2, dtype="float64"))) == "E387"
    assert code_of(lambda: autograd.backward([y], [None, None])) == "E386"
    y.backward()
    close(x.grad, [2, 2])


def test_arguments_that_are_none():
    x, y = variable([1.0]), np.array([1.0])
    assert code_of(lambda: x.attach_grad("sum")) == "E322"
    assert code_of(lambda: x.attach_grad(stype="coo")) == "E321"
    for stype in ("csr", "row_sparse"):
        with pytest.warns(UserWarning, match=f"dense, not {stype}"):
            x.attach_grad(stype=stype)
        with autograd.record():
            y = (x * 2).sum()
        y.backward()
        assert x.grad.stype == "default"
        assert (x.grad.asnumpy() == 2).all()
    assert code_of(lambda: autograd.mark_variables([x], [])) == "E386"
    assert code_of(lambda: autograd.mark_variables([x], [np.ones(2)])) == "E387"
    with autograd.record():
        z = x * y
    assert code_of(lambda: autograd.grad(z, y)) == "E388"


def test_shapes_cannot_change_between():
    x = variable([[1.0, 2.0]])
    with autograd.record():
        y = (x * x).sum()
        assert code_of(lambda: x.__setitem__(slice(None), 0.0)) == "E543"
    y.backward()
    close(x.grad, [[2, 4]])


def _scopes():
    tape = autograd.record
    return [
        [tape],
        [autograd.pause],
        [autograd.train_mode],
        [autograd.predict_mode],
        [disabled],
        [tape, autograd.pause],
        [tape, autograd.pause, tape],
        [lambda: tape(train_mode=False)],
        [tape, imperatively],
        [lambda: taped(None)],
    ]


def _state():
    return autograd.is_recording(), autograd.is_training(), is_disabled(), int(BUSY[0]), len(ACTIVE), current()


@pytest.mark.parametrize("scopes", _scopes())
def test_an_interruption_leaves_the_modes_as_they_were(scopes):
    """Handlers of signals run where a Python function begins or a C function has ended: at each of these places."""
    before = _state()
    for wanted in range(1, 200):
        place = 0

        def interrupt(frame, event, _, wanted=wanted):
            nonlocal place
            # Where `__exit__` begins nothing can be done.
            if event == "c_return" or (event == "call" and frame.f_code.co_name != "__exit__"):
                place += 1
                if place == wanted:
                    raise KeyboardInterrupt

        sys.setprofile(interrupt)
        try:
            _within(scopes)
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        assert _state() == before, f"interrupted at place {wanted}"
        if place < wanted:
            break
    assert 4 < wanted < 199


def _within(scopes):
    if scopes:
        with scopes[0]():
            _within(scopes[1:])


def test_modes_may_be_used_again_and_as_decorators():
    recording = autograd.record()
    for _ in range(2):
        with recording:
            assert autograd.is_recording()
            with recording:
                assert autograd.is_recording()
            assert autograd.is_recording()
        assert not autograd.is_recording() and not autograd.is_training()

    @autograd.train_mode()
    def depth(n):
        return autograd.is_training() and (n == 0 or depth(n - 1))

    assert depth(3) and not autograd.is_training() and BUSY[0] == 0


FLAT = {
    "floor": np.floor, "ceil": np.ceil, "rint": np.rint, "trunc": np.trunc, "fix": np.fix, "sign": np.sign,
    "round": np.round, "floor_divide": lambda x: x // 0.7,
}  # fmt: skip


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize("mode", ["imperative", "compiled", "step"])
def test_what_is_flat_has_gradients_of_zero(name, mode):
    """They are written over what was there, in each mode."""
    function = FLAT[name]
    x = np.array([0.5, 1.5, -2.4])
    x.attach_grad()
    x.grad[...] = 7.0
    recorded = hybridize.hybridize(function) if mode == "compiled" else function

    def step():
        with autograd.record():
            y = recorded(x)
        y.backward()

    (hybridize.hybridize(step) if mode == "step" else step)()
    assert x.grad.tolist() == [0, 0, 0]


def _heads(x):
    y = np.exp(x) * x
    return {
        "itself": (y, y),
        "a leaf": (y, x),
        "recorded beside": (y, np.sin(x)),
        "a view": (y, y[::1]),
        "apart": (y, y.detach()),
    }


@pytest.mark.parametrize("case", ["itself", "a leaf", "recorded beside", "a view", "apart"])
@pytest.mark.parametrize("mode", ["imperative", "compiled"])
def test_head_gradients_that_have_a_history(case, mode):
    """They count by their values, as `y.backward(y.detach())` does; with `create_graph` they are differentiated, too."""
    x = np.array([0.3, -1.2])
    x.attach_grad()
    value = x.asnumpy()
    head = {"a leaf": value, "recorded beside": numpy.sin(value)}.get(case, numpy.exp(value) * value)
    wanted = head * numpy.exp(value) * (1 + value)
    function = hybridize.hybridize(_heads) if mode == "compiled" else _heads
    for way in (
        lambda y, g: y.backward(g),
        lambda y, g: autograd.backward([y], [g]),
        lambda y, g: autograd.grad([y], [x], [g]),
    ):
        x.grad[...] = 0.0
        with autograd.record():
            y, g = function(x)[case]
        found = way(y, g)
        close(x.grad if found is None else found[0], wanted)


def test_gradients_of_one_variable_are_a_list_of_one():
    """As in MXNet, imperatively and compiled: code that is ported writes `autograd.grad(y, x)[0]`."""

    def slopes(x):
        with autograd.record():
            y = np.sin(x)
        return autograd.grad(y, x), autograd.grad(y, [x])

    x = np.array([0.5, 1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = np.sin(x)
    found = autograd.grad(y, x)
    assert type(found) is list
    assert len(found) == 1
    close(found[0], numpy.cos(x.asnumpy()))

    def step():
        with autograd.record():
            y = np.sin(x)
        found = autograd.grad(y, x)
        assert len(found) == 1
        return found[0]

    close(hybridize.hybridize(step)(), numpy.cos(x.asnumpy()))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("nested", [False, True])
def test_checkpoint_of_a_function_that_reads_recorded_arrays_around_it(compiled, nested):
    w = np.array([1.0, 2.0])
    w.attach_grad()

    def run(checkpoint):
        def inner(v):
            return np.tanh(v * 2) * x * z

        def outer(v):
            return checkpoint(inner)(v * z) + x if nested else inner(v)

        with autograd.record():
            x = w * w
            z = np.exp(x * 0.3)
            loss = checkpoint(outer)(x).sum() + (z * x).sum()
        loss.backward()
        first = w.grad.asnumpy()
        with autograd.record():
            x = w * w
            z = np.exp(x * 0.3)
            loss = checkpoint(outer)(x).sum()
        return first, *(each.asnumpy() for each in autograd.grad(loss, [w]))

    step = (lambda c: run(c)) if not compiled else (lambda c: run(lambda f: hybridize.hybridize(c(f))))
    plain = run(lambda f: f)
    for found, wanted in zip(
        run(hybridize.checkpoint) if not compiled else step(hybridize.checkpoint), plain, strict=True
    ):
        numpy.testing.assert_allclose(found, wanted, rtol=1e-5)


def _written(x):
    y = np.zeros(3)
    y[0] = x[1] * 2
    y[1:] += x[:2]
    y *= x
    y[::-1][0] = y[0] * x[2]
    return (y**2).sum()


def _filled(x):
    y = np.zeros((3, 3))
    for i in range(3):
        y[i] = np.sin(y[i - 1] + x) * x
        y[:, i] = np.exp(y[i]) * x
    return (y * y).sum()


@pytest.mark.parametrize("function", [_written, _filled])
def test_values_that_are_written_again_after_they_were_read(function):
    """A program that writes one buffer over and over has the gradients that it has compiled, and by differences."""
    found = []
    for way in (function, hybridize.hybridize(function)):
        x = np.array([0.4, -0.2, 0.3], dtype="float64")
        x.attach_grad()
        with autograd.record():
            y = way(x)
        y.backward()
        found.append(x.grad.asnumpy())
    numpy.testing.assert_allclose(found[0], found[1], rtol=1e-5)
    if function is _written:
        for k in range(3):
            ends = []
            for sign in (1, -1):
                z = x.asnumpy()
                z[k] += sign * 1e-4
                ends.append(float(function(np.array(z, dtype="float64"))))
            numpy.testing.assert_allclose((ends[0] - ends[1]) / 2e-4, found[0][k], rtol=1e-3, atol=1e-5)


def test_modes_are_set_and_set_back():
    before = BUSY[0], autograd.is_recording(), autograd.is_training()
    x = variable([1.0, 2.0])
    assert autograd.set_recording(True) is False
    assert autograd.set_training(True) is False
    assert (autograd.is_recording(), autograd.is_training()) == (True, True)
    y = (x * x).sum()
    with autograd.pause():
        assert autograd.set_recording(True) is False
        z = x * 3
        assert autograd.set_recording(False) is True
    assert autograd.set_training(False) is True
    assert autograd.set_recording(False) is True
    assert autograd.set_recording(False) is False
    assert (BUSY[0], autograd.is_recording(), autograd.is_training()) == before
    y.backward()
    close(x.grad, [2.0, 4.0])
    z.backward()
    close(x.grad, [3.0, 3.0])
    with pytest.raises(errors.CaptureError, match="E407"):
        hybridize.hybridize(lambda x: (autograd.set_training(True), x * 2)[1])(x)
    assert (BUSY[0], autograd.is_recording(), autograd.is_training()) == before
