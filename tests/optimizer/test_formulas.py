"""Each formula against the same formula in NumPy's float64, over fifty steps, and against PyTorch where it has it."""

import math

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import optimizer
from hybridize.array import np

STEPS = 50
SHAPE = (7, 5)


def gradients(shape=SHAPE, steps=STEPS, seed=0):
    generator = numpy.random.default_rng(seed)
    return [generator.normal(size=shape) * (1 + step % 3) for step in range(steps)]


def start(shape=SHAPE):
    return numpy.random.default_rng(7).normal(size=shape)


def ours(name, grads, dtype="float64", **settings_):
    made = optimizer.create(name, **settings_)
    weight = np.array(start(grads[0].shape), dtype=dtype)
    update = optimizer.get_updater(made)
    for grad in grads:
        update(0, np.array(grad, dtype=dtype), weight)
    return weight.asnumpy()


# What MXNet documents, written plainly; `t` counts from 1 and `m` is what is remembered, zeros at first.


def sgd(w, g, m, t, lr=0.1, momentum=0.0, **_):
    m[0] = momentum * m[0] - lr * g
    return w + m[0]


def nag(w, g, m, t, lr=0.1, momentum=0.9, **_):
    m[0] = momentum * m[0] - lr * g
    return w + momentum * m[0] - lr * g


def signum(w, g, m, t, lr=0.01, momentum=0.9, wd_lh=0.0, **_):
    m[0] = momentum * m[0] - (1 - momentum) * g
    return (1 - lr * wd_lh) * w + lr * numpy.sign(m[0])


def adagrad(w, g, m, t, lr=0.01, epsilon=1e-6, **_):
    m[0] = m[0] + g**2
    return w - lr * g / (numpy.sqrt(m[0]) + epsilon)


def group_adagrad(w, g, m, t, lr=0.01, eps=1e-5, **_):
    m[0] = m[0] + (g**2).mean(1, keepdims=True)
    return w - lr * g / numpy.sqrt(m[0] + eps)


def rmsprop(w, g, m, t, lr=0.001, rho=0.9, momentum=0.9, epsilon=1e-8, centered=False, clip_weights=None, **_):
    m[0] = rho * m[0] + (1 - rho) * g**2
    if centered:
        m[1] = rho * m[1] + (1 - rho) * g
        m[2] = momentum * m[2] - lr * g / numpy.sqrt(m[0] - m[1] ** 2 + epsilon)
        w = w + m[2]
    else:
        w = w - lr * g / (numpy.sqrt(m[0]) + epsilon)
    return w if clip_weights is None else numpy.clip(w, -clip_weights, clip_weights)


def adadelta(w, g, m, t, lr=1.0, rho=0.9, epsilon=1e-6, **_):
    m[0] = rho * m[0] + (1 - rho) * g**2
    delta = numpy.sqrt(m[1] + epsilon) / numpy.sqrt(m[0] + epsilon) * g
    m[1] = rho * m[1] + (1 - rho) * delta**2
    return w - lr * delta


def ftrl(w, g, m, t, lr=0.1, lamda1=0.01, beta=1.0, wd=0.0, **_):
    m[0] = m[0] + g - (numpy.sqrt(m[1] + g**2) - numpy.sqrt(m[1])) / lr * w
    m[1] = m[1] + g**2
    return (numpy.sign(m[0]) * lamda1 - m[0]) / ((beta + numpy.sqrt(m[1])) / lr + wd) * (numpy.abs(m[0]) > lamda1)


def adam(w, g, m, t, lr=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, **_):
    m[0] = beta1 * m[0] + (1 - beta1) * g
    m[1] = beta2 * m[1] + (1 - beta2) * g**2
    return w - lr * math.sqrt(1 - beta2**t) / (1 - beta1**t) * m[0] / (numpy.sqrt(m[1]) + epsilon)


def adamw(w, g, m, t, lr=0.001, beta1=0.9, beta2=0.999, epsilon=1e-6, correct_bias=True, wd=0.0, **_):
    m[0] = beta1 * m[0] + (1 - beta1) * g
    m[1] = beta2 * m[1] + (1 - beta2) * g**2
    if correct_bias:
        lr = lr * math.sqrt(1 - beta2**t) / (1 - beta1**t)
    return w - lr * (m[0] / (numpy.sqrt(m[1]) + epsilon) + wd * w)


def adamax(w, g, m, t, lr=0.002, beta1=0.9, beta2=0.999, **_):
    m[0] = beta1 * m[0] + (1 - beta1) * g
    m[1] = numpy.maximum(beta2 * m[1], numpy.abs(g))
    return w - lr / (1 - beta1**t) * m[0] / m[1]


def nadam(w, g, m, t, lr=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, schedule_decay=0.004, **_):
    mus = [beta1 * (1 - 0.5 * 0.96 ** (i * schedule_decay)) for i in range(1, t + 2)]
    m[0] = beta1 * m[0] + (1 - beta1) * g
    m[1] = beta2 * m[1] + (1 - beta2) * g**2
    mean = mus[t] * m[0] / (1 - math.prod(mus)) + (1 - mus[t - 1]) * g / (1 - math.prod(mus[:t]))
    return w - lr * mean / (numpy.sqrt(m[1] / (1 - beta2**t)) + epsilon)


def lamb(
    w,
    g,
    m,
    t,
    lr=0.001,
    beta1=0.9,
    beta2=0.999,
    epsilon=1e-6,
    bias_correction=True,
    wd=0.0,
    lower_bound=0.0,
    upper_bound=math.inf,
    **_,
):
    m[0] = beta1 * m[0] + (1 - beta1) * g
    m[1] = beta2 * m[1] + (1 - beta2) * g**2
    of_mean, of_square = (1 - beta1**t, 1 - beta2**t) if bias_correction else (1, 1)
    d = m[0] / of_mean / (numpy.sqrt(m[1] / of_square) + epsilon) + wd * w
    length = min(max(numpy.linalg.norm(w), lower_bound), upper_bound)
    return w - lr * length / numpy.linalg.norm(d) * d


def lars(w, g, m, t, lr=0.1, momentum=0.0, eta=0.001, epsilon=1e-8, wd=0.0, raw=None, **_):
    length, slope = numpy.linalg.norm(w), numpy.linalg.norm(raw)
    m[0] = momentum * m[0] - lr * eta * length / (slope + wd * length + epsilon) * g
    return w + m[0]


def lans(w, g, m, t, lr=0.001, beta1=0.9, beta2=0.999, epsilon=1e-6, wd=0.0, lower_bound=0.0, upper_bound=math.inf,
         raw=None, clip_gradient=None, **_):  # fmt: skip
    g = raw / numpy.linalg.norm(raw)
    if clip_gradient is not None:
        g = numpy.clip(g, -clip_gradient, clip_gradient)
    m[0] = beta1 * m[0] + (1 - beta1) * g
    m[1] = beta2 * m[1] + (1 - beta2) * g**2
    root = numpy.sqrt(m[1] / (1 - beta2**t)) + epsilon
    length = min(max(numpy.linalg.norm(w), lower_bound), upper_bound)
    for part, share in ((m[0] / (1 - beta1**t) / root, beta1), (g / root, 1 - beta1)):
        d = part + wd * w
        w = w - lr * share * length / numpy.linalg.norm(d) * d
    return w


def adabelief(w, g, m, t, lr=0.001, beta1=0.9, beta2=0.999, epsilon=1e-6, correct_bias=True, **_):
    m[0] = beta1 * m[0] + (1 - beta1) * g
    m[1] = beta2 * m[1] + (1 - beta2) * (g - m[0]) ** 2 + epsilon
    rate = lr * math.sqrt(1 - beta2**t) / (1 - beta1**t) if correct_bias else lr
    return w - rate * m[0] / (numpy.sqrt(m[1]) + epsilon)


def ftml(w, g, m, t, lr=0.0025, beta1=0.6, beta2=0.999, epsilon=1e-8, **_):
    m[1] = beta2 * m[1] + (1 - beta2) * g**2
    d = (1 - beta1**t) / lr * (numpy.sqrt(m[1] / (1 - beta2**t)) + epsilon)
    m[2] = beta1 * m[2] + (1 - beta1) * g - (d - beta1 * m[0]) * w
    m[0] = d
    return -m[2] / d


def dcasgd(w, g, m, t, lr=0.1, momentum=0.0, lamda=0.04, **_):
    before = start(w.shape) if t == 1 else m[2]
    m[0] = momentum * m[0] - lr * (g + lamda * g**2 * (w - before))
    m[2] = w
    return w + m[0]


def lbsgd(w, g, m, t, lr=0.01, momentum=0.0, batch_scale=1, warmup_epochs=5, updates_per_epoch=32,
          warmup_strategy="linear", wd=0.0, raw=None, clip_gradient=None, rescale_grad=1.0, **_):  # fmt: skip
    m[1] = m[1] + raw / rescale_grad
    if t % batch_scale:
        return w
    mean, m[1] = m[1] / batch_scale, 0.0
    if warmup_strategy == "lars":
        length, slope = (w**2).sum(), (mean**2).sum()
        factor = min(max(math.sqrt(length / (slope + wd * length)), 0.01), 100.0)
    else:
        power = {"linear": 1.0, "power2": 2.0, "sqrt": 0.5}[warmup_strategy]
        factor = 1 + (batch_scale - 1) * min(1.0, t / (warmup_epochs * updates_per_epoch)) ** power
    g = mean * rescale_grad
    g = (g if clip_gradient is None else numpy.clip(g, -clip_gradient, clip_gradient)) + wd * w
    m[0] = momentum * m[0] - lr * factor * g
    return w + m[0]


DECOUPLED = {"adamw", "lamb", "ftrl", "lans"}
"""Those whose weight decay is not added to the gradient."""
FORMULAS = {
    "sgd": sgd, "nag": nag, "signum": signum, "adagrad": adagrad, "rmsprop": rmsprop, "adadelta": adadelta,
    "ftrl": ftrl, "adam": adam, "adamw": adamw, "adamax": adamax, "nadam": nadam, "lamb": lamb,
    "lars": lars, "lans": lans, "adabelief": adabelief, "ftml": ftml, "dcasgd": dcasgd, "lbsgd": lbsgd,
}  # fmt: skip
CASES = [
    *((name, {}) for name in FORMULAS),
    ("sgd", {"momentum": 0.9}),
    ("signum", {"momentum": 0.5, "wd_lh": 0.1}),
    ("rmsprop", {"centered": True}),
    ("rmsprop", {"centered": True, "rho": 0.5, "momentum": 0.3, "clip_weights": 0.7}),
    ("rmsprop", {"clip_weights": 0.5}),
    ("adagrad", {"epsilon": 1e-2}),
    ("adadelta", {"rho": 0.95, "epsilon": 1e-4}),
    ("ftrl", {"lamda1": 0.5, "beta": 0.3}),
    ("adam", {"beta1": 0.5, "beta2": 0.9, "epsilon": 1e-2}),
    ("adamw", {"correct_bias": False}),
    ("nadam", {"schedule_decay": 0.1}),
    ("lamb", {"bias_correction": False}),
    ("lamb", {"lower_bound": 10.0}),
    ("lamb", {"upper_bound": 0.5}),
    ("lars", {"momentum": 0.9, "eta": 0.1}),
    ("lans", {"lower_bound": 10.0}),
    ("adabelief", {"correct_bias": False}),
    ("dcasgd", {"momentum": 0.5, "lamda": 0.5}),
    ("lbsgd", {"momentum": 0.5, "batch_scale": 3, "warmup_epochs": 1, "updates_per_epoch": 4}),
    ("lbsgd", {"batch_scale": 2, "warmup_strategy": "power2", "warmup_epochs": 1, "updates_per_epoch": 8}),
    ("lbsgd", {"warmup_strategy": "lars"}),
]


def expected(name, grads, wd=0.0, rescale_grad=1.0, clip_gradient=None, learning_rate=None, **others):
    rate = {} if learning_rate is None else {"lr": learning_rate}
    w, remembered = start(grads[0].shape), [0.0, 0.0, 0.0]
    for t, g in enumerate(grads, 1):
        raw = g = g * rescale_grad
        if clip_gradient is not None:
            g = numpy.clip(g, -clip_gradient, clip_gradient)
        if name not in DECOUPLED:
            g = g + wd * w
        w = FORMULAS[name](w, g, remembered, t, wd=wd, raw=raw, clip_gradient=clip_gradient, rescale_grad=rescale_grad, **rate,
                           **others)  # fmt: skip
    return w


@pytest.mark.parametrize(("name", "others"), CASES, ids=str)
@pytest.mark.parametrize("wd", [0.0, 0.05])
def test_formula(name, others, wd):
    given_ = {"wd": wd, "rescale_grad": 0.5, "clip_gradient": 0.8, **others}
    assert ours(name, gradients(), **given_) == pytest.approx(
        expected(name, gradients(), **given_), rel=1e-10, abs=1e-12
    )


@pytest.mark.parametrize(("dtype", "within"), [("float64", 1e-10), ("float32", 2e-4)])
@pytest.mark.parametrize("others", [{}, {"eps": 1e-2, "clip_gradient": 0.8, "rescale_grad": 0.5, "learning_rate": 0.3}])
def test_rows_share_a_sum_of_squares(others, dtype, within, monkeypatch):
    monkeypatch.setitem(FORMULAS, "groupadagrad", group_adagrad)
    found, wanted = ours("groupadagrad", gradients(), dtype, **others), expected("groupadagrad", gradients(), **others)
    assert found.dtype == dtype
    assert found == pytest.approx(wanted, rel=within, abs=within / 10)


def test_rows_that_share_a_sum_are_of_matrices_without_decay():
    made = optimizer.GroupAdaGrad()
    assert made.create_state(0, np.ones((3, 2))).shape == (3, 1)
    with pytest.raises(ValueError, match="E101"):
        made.create_state(0, np.ones((3, 2, 2)))
    with pytest.raises(ValueError, match="E345"):
        optimizer.GroupAdaGrad(wd=0.1).create_state(0, np.ones((3, 2)))


@pytest.mark.parametrize(("name", "others"), CASES, ids=str)
def test_formula_in_float32(name, others):
    found, wanted = ours(name, gradients(), "float32", **others), expected(name, gradients(), **others)
    assert found.dtype == numpy.float32
    if name == "signum":  # a momentum that is 0 but for rounding has either sign
        assert numpy.mean(abs(found - wanted) < 1e-5) > 0.9
    else:
        assert found == pytest.approx(wanted, rel=2e-4, abs=2e-5)


def test_signsgd_takes_the_decay_off_the_weight():
    found = ours("signsgd", gradients(), learning_rate=0.1, wd=0.2)
    w = start()
    for g in gradients():
        w = w * (1 - 0.1 * 0.2) - 0.1 * numpy.sign(g)
    assert found == pytest.approx(w, rel=1e-12)
    assert ours("signum", gradients(), learning_rate=0.1, wd=0.2, momentum=0.0) == pytest.approx(w, rel=1e-12)


def test_large_arrays_go_by_the_same_formula():
    """Sizes that are cut into parts, or whose rows are longer than a first guess."""
    for name in ("sgd", "adam", "adadelta", "lamb", "ftrl"):
        grads = gradients((401, 397), 2)
        assert ours(name, grads) == pytest.approx(expected(name, grads), rel=1e-9, abs=1e-12)


PEERS = [
    ("sgd", {}, torch.optim.SGD, {}),
    ("sgd", {"momentum": 0.9, "wd": 0.01}, torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.01}),
    ("nag", {"wd": 0.01}, torch.optim.SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("sgd", {"momentum": 0.8, "nesterov": True}, torch.optim.SGD, {"momentum": 0.8, "nesterov": True}),
    ("adagrad", {"epsilon": 1e-10, "wd": 0.01}, torch.optim.Adagrad, {"weight_decay": 0.01}),
    ("rmsprop", {"wd": 0.01}, torch.optim.RMSprop, {"alpha": 0.9, "weight_decay": 0.01}),
    # Where epsilon is nothing, it does not matter that MXNet adds it elsewhere.
    ("rmsprop", {"centered": True, "epsilon": 0.0}, torch.optim.RMSprop,
     {"alpha": 0.9, "momentum": 0.9, "centered": True, "eps": 0.0}),
    ("adadelta", {"wd": 0.01}, torch.optim.Adadelta, {"weight_decay": 0.01}),
    ("adam", {"epsilon": 0.0, "wd": 0.01}, torch.optim.Adam, {"eps": 0.0, "weight_decay": 0.01}),
    ("adam", {"epsilon": 0.0, "beta1": 0.7, "beta2": 0.8}, torch.optim.Adam, {"eps": 0.0, "betas": (0.7, 0.8)}),
    ("adamw", {"epsilon": 0.0}, torch.optim.AdamW, {"eps": 0.0, "weight_decay": 0.0}),
    ("adamax", {"wd": 0.01}, torch.optim.Adamax, {"eps": 0.0, "weight_decay": 0.01}),
    ("nadam", {"wd": 0.01}, torch.optim.NAdam, {"weight_decay": 0.01}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "mine", "peer", "theirs"), PEERS, ids=lambda x: getattr(x, "__name__", str(x)))
def test_pytorch_gives_the_same(name, mine, peer, theirs):
    weight = torch.nn.Parameter(torch.tensor(start()))
    other = peer([weight], lr=0.02, **theirs)
    for grad in gradients()[1:]:
        weight.grad = torch.tensor(grad)
        other.step()
    rel = 1e-7 if name == "nadam" else 1e-9  # PyTorch keeps the product of Nadam's schedule in float32
    found = ours(name, gradients()[1:], learning_rate=0.02, **mine)
    assert found == pytest.approx(weight.detach().numpy(), rel=rel, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(set(FORMULAS) - {"signum"})),
    learning_rate=st.floats(1e-4, 0.2),
    wd=st.sampled_from([0.0, 1e-3, 0.1]),
    rescale_grad=st.floats(0.01, 2.0),
    clip_gradient=st.none() | st.floats(0.1, 2.0),
    shape=st.lists(st.integers(1, 5), max_size=3).map(tuple),
    seed=st.integers(0, 1000),
)
def test_any_arguments(name, learning_rate, wd, rescale_grad, clip_gradient, shape, seed):
    grads = gradients(shape, 10, seed)
    given_ = {
        "learning_rate": learning_rate,
        "wd": wd,
        "rescale_grad": rescale_grad,
        "clip_gradient": clip_gradient,
    }
    assert ours(name, grads, **given_) == pytest.approx(expected(name, grads, **given_), rel=1e-8, abs=1e-11)


def test_a_gradient_that_is_always_zero_moves_nothing():
    """MXNet's Adamax divides 0 by 0 there: a unit that is dead from the start would become NaN."""
    for name in FORMULAS:
        if name not in ("ftrl", "ftml"):  # whose weights do not begin where they are set, or only but for rounding
            found = ours(name, [numpy.zeros(3)] * 3)
            assert numpy.array_equal(found, start((3,))), name


@pytest.mark.parametrize("name", sorted(optimizer.Optimizer.opt_registry))
def test_a_rate_of_zero_moves_nothing(name):
    """A schedule may end there. FTRL divides by the rate; MXNet's gives NaN."""
    made = optimizer.create(name, learning_rate=0.1)
    update, weight = optimizer.get_updater(made), np.array(start(), dtype="float64")
    for grad in gradients()[:3]:
        update(0, np.array(grad, dtype="float64"), weight)
    before = weight.asnumpy()
    made.set_learning_rate(0.0)
    update(0, np.array(gradients()[3], dtype="float64"), weight)
    assert numpy.isfinite(weight.asnumpy()).all()
    if name != "nag":  # whose velocity goes on
        assert numpy.array_equal(weight.asnumpy(), before)


def test_nadam_counts_the_updates_of_each_weight():
    grads = gradients()
    alone = ours("nadam", grads[:2])
    nadam = optimizer.create("nadam")
    first, second = (np.array(start(), dtype="float64") for _ in range(2))
    states = nadam.create_state(0, first), nadam.create_state(1, second)
    for k, grad in enumerate(grads[:4]):
        nadam.update(0, first, np.array(grad, dtype="float64"), states[0])
        if k >= 2:
            nadam.update(1, second, np.array(grads[k - 2], dtype="float64"), states[1])
    numpy.testing.assert_allclose(second.asnumpy(), alone, rtol=1e-12)


def test_centered_rmsprop_stays_finite_where_gradients_hardly_change():
    """The variance is 0 there but for rounding, and less than 0 in some elements, by more than epsilon."""
    grads = [numpy.linspace(0.01, 1, 64) * size for size in (1, 10, 100, 1000)]
    for grad in grads:
        assert numpy.isfinite(ours("rmsprop", [grad] * 60, "float32", centered=True, rho=0.5)).all()


def test_nan_and_infinity_pass_through():
    grads = [numpy.array([numpy.nan, numpy.inf, 1.0, -numpy.inf])]
    found = ours("sgd", grads, learning_rate=1.0)
    assert numpy.isnan(found[0])
    assert found[1] == -numpy.inf
    assert found[3] == numpy.inf
    clipped = ours("sgd", grads, learning_rate=1.0, clip_gradient=2.0)
    assert numpy.isnan(clipped[0])
    assert clipped[1:] == pytest.approx(start((4,))[1:] - [2, 1, -2])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("hybridized", [False, True], ids=["update", "step"])
@pytest.mark.parametrize("name", sorted({*optimizer.Optimizer.opt_registry} - {"adabelief", "dcasgd", "ftml"}))
def test_what_fades_ends_at_zero(name, hybridized, dtype):
    """Units that died: denormal numbers, with which processors compute a hundred times slower, do not stay in slots.

    Three are left out: in their slots is the weight, or something that `epsilon` is added to.
    """
    made = optimizer.create(name)
    weight, grad = np.array(start(), dtype=dtype), np.array(start(), dtype=dtype)
    state = made.create_state(0, weight)
    slots = state if isinstance(state, tuple) else () if state is None else (state,)
    least = numpy.finfo(dtype).tiny
    for slot in slots:  # one step above and below the border, on both sides
        slot[...] = numpy.linspace(-4.0 * least, 4.0 * least, slot.size, dtype=dtype).reshape(slot.shape)
    update = hybridize.hybridize(made.update) if hybridized else made.update
    for _ in range(60):
        before = [numpy.abs(slot.asnumpy()) for slot in slots]
        update(0, weight, grad * 0.0, state)
        for slot, held in zip(slots, before, strict=True):
            assert (slot.asnumpy()[held < least] == 0.0).all()


@pytest.mark.parametrize("name", ["adam", "sgd", "rmsprop"])
def test_numbers_that_are_not_denormal_are_kept(name):
    made = optimizer.create(name, momentum=0.5) if name == "sgd" else optimizer.create(name)
    weight = np.zeros(4)
    state = made.create_state(0, weight)
    slots = state if isinstance(state, tuple) else (state,)
    for slot in slots:
        slot[...] = numpy.array([2.0**-124, 1e-30, 1.0, math.inf], "float32")
    made.update(0, weight, np.zeros(4), state)
    for slot in slots:
        assert (slot.asnumpy() > 0.0).all()


def test_langevin_dynamics_is_half_a_step_and_noise():
    weights, grad = np.zeros((20000,), dtype="float64"), np.full((20000,), 2.0, dtype="float64")
    np.random.seed(0)
    made = optimizer.create("sgld", learning_rate=0.04)
    made.update(0, weights, grad, made.create_state(0, weights))
    found = weights.asnumpy()
    assert found.mean() == pytest.approx(-0.04, abs=5 * 0.2 / 20000**0.5)
    assert found.std() == pytest.approx(0.2, rel=0.03)
    again = np.zeros((20000,), dtype="float64")
    np.random.seed(0)
    made.update(0, again, grad, None)
    assert numpy.array_equal(again.asnumpy(), found)


def test_lars_leaves_some_weights_by_their_names():
    made = optimizer.create("lars", learning_rate=0.5, param_idx2name={0: "fc_weight", 1: "fc_bias"})
    weights = [np.array([3.0, 4.0]) for _ in range(2)]
    made.update([0, 1], weights, [np.array([0.6, 0.8])] * 2, [None, None])
    assert weights[0].asnumpy() == pytest.approx([3 - 0.5 * 0.005 * 0.6, 4 - 0.5 * 0.005 * 0.8])
    assert weights[1].asnumpy() == pytest.approx([2.7, 3.6])
