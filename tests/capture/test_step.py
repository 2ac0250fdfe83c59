"""A training step inside of a hybridized function: one program, and what it means imperatively."""

from __future__ import annotations

import copy
import gc
import threading
import weakref

import numpy
import pytest
import torch

import hybridize as hz
from hybridize import autograd, gluon, hybridize, init, np
from hybridize.errors import ArgumentError, StateError
from hybridize.gluon import nn


def _weights(seed: int, *shapes: tuple[int, ...], dtype: str = "float64") -> list[hz.np.ndarray]:
    rng = numpy.random.default_rng(seed)
    made = [np.array(rng.standard_normal(shape) * 0.3, dtype=dtype) for shape in shapes]
    for array in made:
        array.attach_grad()
    return made


def _data(count: int, batch: int, inputs: int, classes: int, dtype: str = "float32"):
    rng = numpy.random.default_rng(7)
    xs = [np.array(rng.standard_normal((batch, inputs)), dtype=dtype) for _ in range(count)]
    return xs, [np.array(rng.integers(0, classes, batch), dtype="int64") for _ in range(count)]


def _net(dtype: str = "float32", dropout: float = 0.0):
    hz.random.seed(3)
    net = nn.HybridSequential()
    net.add(nn.Dense(32, activation="relu", in_units=20), nn.Dropout(dropout), nn.Dense(10, in_units=32))
    net.cast(dtype)
    net.initialize(init.Normal(0.1))
    return net


def _sgd_step(net, rate: float = 0.5):
    parameters = list(net.collect_params().values())
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()

    def train(x, y):
        with autograd.record():
            loss = loss_fn(net(x), y).mean()
        loss.backward()
        for p in parameters:
            p.data()[...] -= rate * p.grad()
        return loss

    return train


@pytest.mark.parametrize(("dtype", "steps", "rtol"), [("float32", 10, 1e-4), ("float64", 100, 1e-10)])
def test_the_losses_and_weights_are_those_of_imperative_training(dtype, steps, rtol):
    xs, ys = _data(steps, 64, 20, 10, dtype)
    first, second = _net(dtype), _net(dtype)
    imperative, compiled = _sgd_step(first), hybridize(_sgd_step(second))
    expected = [float(imperative(x, y)) for x, y in zip(xs, ys, strict=True)]
    found = [float(compiled(x, y)) for x, y in zip(xs, ys, strict=True)]
    numpy.testing.assert_allclose(found, expected, rtol=rtol)
    for a, b in zip(first.collect_params().values(), second.collect_params().values(), strict=True):
        numpy.testing.assert_allclose(b.data().asnumpy(), a.data().asnumpy(), rtol=rtol * 100, atol=rtol)
        numpy.testing.assert_allclose(b.grad().asnumpy(), a.grad().asnumpy(), rtol=rtol * 100, atol=rtol)
    assert compiled.cache_info().captures == 1


def test_a_step_is_one_program_without_fallbacks_and_its_memory_is_the_plans():
    net = _net()
    train = hybridize(_sgd_step(net))
    (x,), (y,) = _data(1, 64, 20, 10)
    train(x, y)
    program = train.program(x, y)
    assert program.fallbacks == () and {"matmul", "exp"} <= set(program.optimized.op_names())
    assert not {"stop_gradient"} & set(program.optimized.op_names())
    written = sum(2 * p.data().size * 4 for p in net.collect_params().values())
    assert written < program.memory.peak_bytes < written + 64 * (32 + 10) * 4 * 10


def test_sgd_is_pytorchs():
    xs, ys = _data(20, 32, 20, 10, "float64")
    net = _net("float64")
    train = hybridize(_sgd_step(net, rate=0.3))
    peers = [torch.tensor(p.data().asnumpy(), requires_grad=True) for p in net.collect_params().values()]
    optimizer = torch.optim.SGD(peers, lr=0.3)
    for x, y in zip(xs, ys, strict=True):
        w, b, v, c = peers
        hidden = torch.relu(torch.tensor(x.asnumpy()) @ w.T + b)
        loss = torch.nn.functional.cross_entropy(hidden @ v.T + c, torch.tensor(y.asnumpy()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        numpy.testing.assert_allclose(float(train(x, y)), loss.item(), rtol=1e-10)
    for p, peer in zip(net.collect_params().values(), peers, strict=True):
        numpy.testing.assert_allclose(p.data().asnumpy(), peer.detach().numpy(), rtol=1e-9, atol=1e-12)


def test_a_ragged_last_batch_is_captured_once_more_and_then_never():
    net = _net()
    train = hybridize(_sgd_step(net))
    rng = numpy.random.default_rng(0)
    for epoch in range(4):
        for batch in (64, 64, 37 - epoch):
            x = np.array(rng.standard_normal((batch, 20)), dtype="float32")
            train(x, np.array(rng.integers(0, 10, batch)))
    assert train.cache_info().captures <= 3


# ------------------------------------------------------------------------------------------------ meaning of autograd


def _both(function, *arrays, call=()):
    """What a function and its compiled form give, each on its own copies of variables; twice, as calls repeat."""
    results = []
    for wrap in (lambda f: f, hybridize):
        own = [copy.deepcopy(array) for array in arrays]
        step = wrap(function(*own))
        for _ in range(2):
            value = step(*call)
        grads = [None if array.grad is None else array.grad.asnumpy() for array in own]
        results.append((numpy.asarray(value.asnumpy()), grads, [array.asnumpy() for array in own]))
    (value, grads, arrays_), (found, compiled, written) = results
    numpy.testing.assert_allclose(found, value, rtol=1e-12)
    for ours, theirs in zip(compiled, grads, strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-12)
    for ours, theirs in zip(written, arrays_, strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-12)
    return value, grads


def test_gradients_are_added_where_asked():
    (w,) = _weights(0, (3,))
    w.attach_grad("add")

    def make(w):
        def step():
            with autograd.record():
                y = (w * w).sum()
            y.backward()
            return y

        return step

    _, (grad,) = _both(make, w)
    numpy.testing.assert_allclose(grad, 4 * w.asnumpy())


def test_what_is_computed_in_a_pause_or_before_is_a_constant():
    (w,) = _weights(0, (3,))

    def make(w):
        def step():
            before = w.copy()
            with autograd.record():
                y = w * 2
                with autograd.pause():
                    same = y.copy()
                    z = w * 3
                total = (y * same * z * before).sum()
            total.backward()
            return total

        return step

    _, (grad,) = _both(make, w)
    numpy.testing.assert_allclose(grad, 12 * w.asnumpy() ** 3, rtol=1e-12)


def test_detached_values_are_constants():
    (w,) = _weights(0, (3,))

    def make(w):
        def step():
            with autograd.record():
                y = w * 2
                total = (y * y.detach()).sum()
            total.backward()
            return total

        return step

    _both(make, w)


def test_several_heads_and_head_gradients():
    a, b = _weights(1, (3,), (3,))
    scale = np.array([1.0, 2.0, 3.0], dtype="float64")

    def make(a, b):
        def step():
            with autograd.record():
                y, z = a * b, np.exp(a)
            autograd.backward([y, z], [None, scale])
            return y

        return step

    _both(make, a, b)


def test_gradients_as_arrays():
    a, b = _weights(1, (3,), (3,))

    def make(a, b):
        def step():
            with autograd.record():
                y = a * b * b
                z = y * a
            da, dy = autograd.grad(z, [a, y])
            return da + 2 * dy

        return step

    _, (da, _) = _both(make, a, b)
    assert not da.any()  # no buffer is written


def test_gradients_of_gradients():
    (w,) = _weights(2, (4,))

    def make(w):
        def step():
            with autograd.record():
                y = (w**3).sum()
                (dw,) = autograd.grad(y, w, create_graph=True, retain_graph=True)
                penalty = (dw * dw).sum()
            penalty.backward()
            return dw

        return step

    _, (grad,) = _both(make, w)
    numpy.testing.assert_allclose(grad, 36 * w.asnumpy() ** 3, rtol=1e-12)


def test_two_passes_with_updates_between():
    (w,) = _weights(3, (4,))

    def make(w):
        def step():
            for k in range(3):
                with autograd.record():
                    y = (np.tanh(w) * (k + 1)).sum()
                y.backward()
                w[...] -= 0.1 * w.grad
            return y

        return step

    _both(make, w)


def test_the_same_value_in_two_variables():
    a, b = _weights(4, (3,), (3,))

    def make(a, b):
        def step():
            b[...] = a
            with autograd.record():
                y = (a * a * b).sum()
            y.backward()
            return y

        return step

    _, (da, db) = _both(make, a, b)
    numpy.testing.assert_allclose(da, 2 * db, rtol=1e-12)


def test_modes_are_those_of_the_step():
    seen = []

    @hybridize
    def step(x):
        seen.append((autograd.is_recording(), autograd.is_training()))
        with autograd.record():
            seen.append((autograd.is_recording(), autograd.is_training()))
            with autograd.pause():
                seen.append((autograd.is_recording(), autograd.is_training()))
            with autograd.predict_mode():
                seen.append((autograd.is_recording(), autograd.is_training()))
        return x

    step(np.ones(2))
    assert seen == [(False, False), (True, True), (False, False), (True, False)]


def test_dropout_draws_anew_at_each_call_and_as_imperatively():
    xs, ys = _data(3, 64, 20, 10)
    losses = []
    for wrap in (lambda f: f, hybridize):
        net = _net(dropout=0.5)
        train = wrap(_sgd_step(net))
        hz.random.seed(11)
        losses.append([float(train(x, y)) for x, y in zip(xs, ys, strict=True)])
    numpy.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)


def test_branches_on_data_inside_the_recording():
    (w,) = _weights(5, (3,))

    def make(w):
        def step(x):
            with autograd.record():
                if x.sum() > 0:
                    y = (w * w * x).sum()
                else:
                    y = (w * x).sum()
            y.backward()
            return y

        return step

    _both(make, w, call=(np.array([1.0, 2.0, 3.0], dtype="float64"),))
    _both(make, w, call=(np.array([-1.0, 0.5, 0.25], dtype="float64"),))


def test_a_pause_in_a_branch_inside_the_recording():
    (w,) = _weights(5, (3,))

    def make(w):
        def step(x):
            with autograd.record():
                if x.sum() > 0:
                    with autograd.pause():
                        c = w * 2
                        d = w.copy()
                    y = (w * c * d).sum()
                else:
                    y = (w * x).sum()
            y.backward()
            return y

        return step

    _both(make, w, call=(np.array([1.0, 2.0, 3.0], dtype="float64"),))


def test_a_whole_step_in_a_branch():
    (w,) = _weights(5, (3,))

    def make(w):
        def step(x):
            if x.sum() > 0:
                with autograd.record():
                    y = (w * w * x).sum()
                y.backward()
                w[...] -= 0.1 * w.grad
            else:
                y = x.sum()
            return y

        return step

    _both(make, w, call=(np.array([1.0, 2.0, 3.0], dtype="float64"),))
    _both(make, w, call=(np.array([-1.0, -2.0, 0.5], dtype="float64"),))


def test_scans_inside_the_recording():
    (w,) = _weights(6, (3, 3))
    sequence = np.array(numpy.random.default_rng(1).standard_normal((50, 3)), dtype="float64")

    def make(w):
        def step(xs):
            with autograd.record():
                h = np.zeros(3, dtype="float64")
                for x in xs:
                    h = np.tanh(x + np.dot(h, w))
                    with autograd.pause():
                        h_before = h.copy()
                y = (h * h * h_before).sum()
            y.backward()
            return y

        return step

    _both(make, w, call=(sequence,))


def test_a_hybridized_net_becomes_part_of_the_step():
    xs, ys = _data(3, 64, 20, 10)
    losses = []
    for hybrid in (False, True):
        net = _net()
        if hybrid:
            net.hybridize()
        train = hybridize(_sgd_step(net))
        losses.append([float(train(x, y)) for x, y in zip(xs, ys, strict=True)])
        assert len(train._recent) == 1
    assert losses[0] == losses[1]


def test_arguments_with_gradients_attached():
    def step(x):
        with autograd.record():
            y = (x * x).sum()
        y.backward()
        return y

    compiled = hybridize(step)
    a, b = _weights(7, (3,), (3,))
    for x in (a, b, a):
        compiled(x)
        numpy.testing.assert_allclose(x.grad.asnumpy(), 2 * x.asnumpy())
    plain = np.ones(3, dtype="float64")
    with pytest.raises(StateError) as error:
        compiled(plain)
    assert error.value.code == "E540"


def test_a_new_buffer_or_another_wish_is_seen():
    (w,) = _weights(8, (3,))

    @hybridize
    def step():
        with autograd.record():
            y = (w * w).sum()
        y.backward()
        return y

    step()
    w.attach_grad("add")
    for times in (1, 2, 3):
        step()
        numpy.testing.assert_allclose(w.grad.asnumpy(), times * 2 * w.asnumpy())
    net = nn.Dense(1, in_units=3)
    net.initialize()

    @hybridize
    def second(x):
        with autograd.record():
            y = net(x).sum()
        y.backward()
        return y

    x = np.ones((1, 3))
    second(x)
    net.weight.grad_req = "add"
    second(x)
    numpy.testing.assert_allclose(net.weight.grad().asnumpy(), 2 * x.asnumpy())


def test_programs_for_buffers_that_are_gone_go():
    (w,) = _weights(8, (3,))

    @hybridize
    def step():
        with autograd.record():
            y = (w * w).sum()
        y.backward()
        return y

    gone = []
    for _ in range(5):
        w.attach_grad()
        gone.append(weakref.ref(w.grad))
        step()
        numpy.testing.assert_allclose(w.grad.asnumpy(), 2 * w.asnumpy())
    gc.collect()
    assert step.cache_info().programs == 1
    assert sum(one() is not None for one in gone) == 1


def test_gradients_are_fresh_after_each_call():
    net = nn.Dense(1, in_units=3)
    net.initialize()

    @hybridize
    def step(x):
        with autograd.record():
            y = net(x).sum()
        y.backward()
        return y

    x = np.ones((1, 3))
    for _ in range(4):
        net.weight.fresh_grad = False
        step(x)
        assert net.weight.fresh_grad


def test_views_made_before_the_recording_are_constants():
    (w,) = _weights(9, (3,))

    def make(w):
        def step():
            v, same = w[0:2], w[...]
            with autograd.record():
                y = (v * w[0:2] * w[1:3] * same[1:]).sum()
            y.backward()
            return y

        return step

    _both(make, w)


def test_writes_to_what_is_computed():
    (w,) = _weights(9, (4,))

    def make(w):
        def step():
            with autograd.record():
                y = w * 2
                y[0] = w[1] * w[2]
                y += 1
                half = y.reshape(2, 2)[1]
                half *= w[:2]
                z = (y * y).sum()
            z.backward()
            return z

        return step

    _both(make, w)


def test_gradients_of_functions():
    a, b = _weights(10, (3,), (3,))

    def make(a, b):
        def step():
            value, (da, db) = autograd.value_and_grad(lambda x, y: (x * x * y * b).sum(), argnums=(0, 1))(a, b)
            second = autograd.grad_of(lambda x: (autograd.grad_of(lambda y: (y**4).sum())(x) ** 2).sum())(a)
            nothing = autograd.grad_of(lambda x: (b * 2).sum())(a)
            return da + 2 * db + second + nothing + value

        return step

    _both(make, a, b)


def test_gradients_of_functions_while_recording():
    (w,) = _weights(11, (3,))

    def make(w):
        def step():
            with autograd.record():
                g = autograd.grad_of(lambda x: (x * x * w).sum())(w * 2)
                z = (g * w).sum()
            z.backward()
            return z

        return step

    _, (grad,) = _both(make, w)
    numpy.testing.assert_allclose(grad, 12 * w.asnumpy() ** 2, rtol=1e-12)


def test_a_compiled_penalty_is_differentiated_by_who_records_outside():
    (w,) = _weights(12, (3,))
    x = np.array([1.0, 2.0, 3.0], dtype="float64")

    def penalty(x):
        with autograd.pause():
            scale = w * 3
        g = autograd.grad_of(lambda a: ((a * w) ** 3).sum())(x)
        return (g * g * scale).sum()

    grads = []
    for function in (penalty, hybridize(penalty)):
        with autograd.record():
            y = function(x)
        y.backward()
        grads.append(w.grad.asnumpy())
    numpy.testing.assert_allclose(grads[1], grads[0], rtol=1e-12)


def test_clipping_by_the_norm_in_place():
    a, b = _weights(13, (3,), (2, 3))

    def make(a, b):
        def step(x):
            with autograd.record():
                y = (np.dot(b, a * x) ** 2).sum()
            y.backward()
            norm = np.sqrt((a.grad**2).sum() + (b.grad**2).sum())
            for w in (a, b):
                w.grad[...] *= np.minimum(1.0, 0.1 / norm)
                w[...] -= w.grad
            return norm

        return step

    _both(make, a, b, call=(np.array([1.0, 2.0, 3.0], dtype="float64"),))


@pytest.mark.parametrize("options", [{"backend": "numpy"}, {"verify": "outputs"}, {"dynamic": True}])
def test_every_backend_trains(options):
    xs, ys = _data(3, 8, 20, 10)
    first, second = _net(), _net()
    imperative, compiled = _sgd_step(first), hybridize(_sgd_step(second), **options)
    for x, y in zip(xs, ys, strict=True):
        numpy.testing.assert_allclose(float(compiled(x, y)), float(imperative(x, y)), rtol=1e-4)


def test_threads_lose_no_update():
    (w,) = _weights(14, (3,))
    start = w.asnumpy()

    @hybridize
    def step():
        with autograd.record():
            y = (w * 2).sum()
        y.backward()
        w[...] += w.grad
        return y

    step()
    threads = [threading.Thread(target=lambda: [step() for _ in range(100)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numpy.testing.assert_allclose(w.asnumpy(), start + 2 * 401)


# ----------------------------------------------------------------------------------------------------------- mistakes


def _refused(function, kind, code, *args):
    with pytest.raises(kind) as error:
        hybridize(function)(*args)
    assert error.value.code == code, error.value
    assert error.value.loc is None or error.value.loc.file == __file__
    return error.value


def test_backward_of_what_was_not_recorded():
    (w,) = _weights(0, (3,))

    def outside():
        y = (w * w).sum()
        y.backward()

    def paused():
        with autograd.record(), autograd.pause():
            y = (w * w).sum()
        y.backward()

    _refused(outside, StateError, "E540")
    _refused(paused, StateError, "E540")


def test_a_second_pass_over_what_was_freed():
    (w,) = _weights(0, (3,))

    def twice():
        with autograd.record():
            y = (w * w).sum()
        y.backward()
        y.backward()

    def kept():
        with autograd.record():
            y = (w * w).sum()
        y.backward(retain_graph=True)
        y.backward()
        return y

    assert "freed" in str(_refused(twice, StateError, "E541"))
    hybridize(kept)()


def test_a_variable_that_is_written_while_recording():
    (w,) = _weights(0, (3,))

    def step():
        with autograd.record():
            w[0] = 1.0
            y = w.sum()
        y.backward()

    _refused(step, StateError, "E543")


def test_heads_that_are_no_floats_and_head_gradients_that_do_not_fit():
    (w,) = _weights(0, (3,))

    def integers():
        with autograd.record():
            y = w.astype("int32")
        y.backward()

    def shape():
        with autograd.record():
            y = w * 2
        y.backward(np.ones(2, dtype="float64"))

    _refused(integers, ArgumentError, "E385")
    _refused(shape, ArgumentError, "E387")


def test_backward_in_a_branch_of_what_is_outside_of_it():
    (w,) = _weights(0, (3,))

    def step(x):
        with autograd.record():
            y = (w * x).sum()
        if x.sum() > 0:
            y.backward()
        return y

    _refused(step, StateError, "E556", np.ones(3, dtype="float64"))


def test_a_loop_whose_length_depends_on_data_has_no_gradient():
    (w,) = _weights(0, (3,))

    def step(x):
        with autograd.record():
            y = w * 1
            while y.sum() < 10:
                y = y * y + 2
        y.backward()
        return y

    _refused(step, StateError, "E521", np.ones(3, dtype="float64"))


def test_an_array_with_a_history_from_outside():
    (w,) = _weights(0, (3,))
    with autograd.record():
        z = w * 2

    def step():
        with autograd.record():
            y = (z * w).sum()
        y.backward()

    _refused(step, StateError, "E558")


def test_nothing_changes_where_the_program_raises():
    (w,) = _weights(0, (3,))

    @hybridize
    def step(x):
        with autograd.record():
            y = (w * x).sum()
        y.backward()
        w[...] -= w.grad
        assert y < 100, "the loss is too large"
        return y

    step(np.ones(3, dtype="float64"))
    before, grad = w.asnumpy(), w.grad.asnumpy()
    for _ in range(3):
        with pytest.raises(AssertionError):
            step(np.full(3, -1e9, dtype="float64") * np.sign(w) * -1)
        numpy.testing.assert_array_equal(w.asnumpy(), before)
        numpy.testing.assert_array_equal(w.grad.asnumpy(), grad)


def test_backward_in_a_function_that_is_called_while_recording():
    (w,) = _weights(0, (3,))

    @hybridize
    def step():
        with autograd.record():
            y = (w * w).sum()
        y.backward()
        return y

    with autograd.record(), pytest.raises(StateError) as error:
        step()
    assert error.value.code == "E559"
    step()


def test_a_view_from_outside_of_what_was_written_while_recording():
    (w,) = _weights(0, (3,))

    def step():
        with autograd.record():
            y = w * 2
        v = y.reshape(3, 1)
        with autograd.record():
            y[0] = w[1]
            z = (v * v).sum()
        z.backward()

    _refused(step, StateError, "E544")


def test_what_was_written_in_between_is_not_clear():
    (w,) = _weights(0, (3,))

    def step():
        with autograd.record():
            y = w * 2
        y *= 2
        with autograd.record():
            z = (y * w).sum()
        z.backward()

    _refused(step, StateError, "E544")


def test_captures_leave_nothing_behind():
    (w,) = _weights(0, (3,))

    def step():
        with autograd.record():
            y = (w * w).sum()
        y.backward()
        return y

    hybridize(step)()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(10):
        hybridize(step)()
    gc.collect()
    assert len(gc.get_objects()) - before < 500


def _updating(weights):
    def step(x):
        with autograd.record():
            loss = ((weights[0] * x).sum() - weights[1]) ** 2
        loss.backward()
        for i in range(2):
            weights[i] -= 0.01 * weights[i].grad
        return loss

    return step


def test_arrays_in_containers_stay_the_same_where_they_are_updated():
    results = []
    for compiled in (False, True):
        weights = [np.ones(2, dtype="float64"), np.ones((), dtype="float64")]
        for weight in weights:
            weight.attach_grad()
        before = list(weights)
        run = hybridize(_updating(weights)) if compiled else _updating(weights)
        losses = [float(run(np.array([1.0, 2.0], dtype="float64"))) for _ in range(4)]
        assert all(now is old for now, old in zip(weights, before, strict=True))
        results.append([*losses, *weights[0].tolist(), float(weights[1]), *weights[0].grad.tolist()])
    numpy.testing.assert_allclose(results[1], results[0], rtol=1e-12)


def test_arrays_from_outside_that_are_kept_are_the_very_arrays():
    weight, kept = np.ones(2), {}
    other = np.zeros(2)

    @hybridize
    def swap(x):
        kept["new"], kept["last"], kept["given"] = weight, other, x
        other[...] = weight + x
        return x

    x = np.ones(2)
    swap(x)
    assert kept["new"] is weight
    assert kept["last"] is other
    assert kept["given"] is x
    swap(y := np.zeros(2))
    assert kept["given"] is y
    assert other.tolist() == [1.0, 1.0]
