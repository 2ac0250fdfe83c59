# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's operators that update weights; the census holds most of them against stored results of MXNet 1.9.1."""

import numpy
import pytest

from hybridize import autograd, hybridize, nd
from hybridize.array import legacy_updates
from hybridize.errors import ArgumentError

SHAPE = (3, 4)
ROOM = numpy.random.default_rng(7)
WEIGHT, GRADIENT = (ROOM.standard_normal(SHAPE).astype("float32") for _ in range(2))
STATES = [abs(ROOM.standard_normal(SHAPE)).astype("float32") for _ in range(3)]
NUMBERS = {
    "lr": 0.1, "eta": 0.5, "wd": 0.1, "t": 3, "momentum": 0.9, "beta1": 0.8, "beta2": 0.9,
    "rescale_grad": 0.5, "clip_gradient": 0.4,
}  # fmt: skip


def numbers_of(formula):
    _, rest = legacy_updates._parameters(formula)
    return {one.name: NUMBERS[one.name] for one in rest if one.name in NUMBERS}


def arrays_of(formula, by=0.0, dtype="float32"):
    names, _ = legacy_updates._parameters(formula)
    states = [nd.array(state + by) for state in STATES[: len(names) - 2]]
    return [nd.array(WEIGHT + by, dtype=dtype), nd.array(GRADIENT - by, dtype=dtype), *states]


def same(found, wanted, tolerance=1e-6):
    for x, y in zip(found, wanted, strict=True):
        assert x.dtype == y.dtype
        numpy.testing.assert_allclose(x.asnumpy(), y.asnumpy(), rtol=tolerance, atol=tolerance)


def name_of(formula):
    return f"{formula.__name__}_update"


HALVES = [legacy_updates.sgd, legacy_updates.sgd_mom, legacy_updates.nag_mom, legacy_updates.adamw]
FORMULAS = [
    *HALVES, legacy_updates.signsgd, legacy_updates.signum, legacy_updates.adam, legacy_updates.ftml,
    legacy_updates.ftrl, legacy_updates.rmsprop, legacy_updates.group_adagrad,
]  # fmt: skip


def operator(name):
    return getattr(nd, name, None) if hasattr(nd, name) else getattr(nd.contrib, name)


@pytest.mark.parametrize("formula", FORMULAS, ids=name_of)
def test_out_is_the_weight_and_states_are_written(formula):
    """Imperatively and in a program, by position and by name."""
    update, numbers = operator(name_of(formula)), numbers_of(formula)
    names, _ = legacy_updates._parameters(formula)
    plain = arrays_of(formula)
    weight = plain[0].asnumpy()
    result = update(*plain, **numbers)
    numpy.testing.assert_array_equal(plain[0].asnumpy(), weight)
    same([result, *plain[2:]], formula(*arrays_of(formula), **numbers))
    written = arrays_of(formula)
    assert update(**dict(zip(names, written, strict=True)), **numbers, out=written[0]) is written[0]
    same([written[0], *written[2:]], [result, *plain[2:]])
    compiled = hybridize(lambda *arrays: update(*arrays, **numbers, out=arrays[0]))
    for _ in range(2):
        again = arrays_of(formula)
        compiled(*again)
        same([again[0], *again[2:]], [result, *plain[2:]], 1e-5)


@pytest.mark.parametrize("formula", HALVES, ids=name_of)
def test_a_weight_of_half_precision_follows_its_copy(formula):
    numbers, copy = numbers_of(formula), nd.array(WEIGHT)
    weight, gradient, *states = arrays_of(formula, dtype="float16")
    rounded = [nd.array(WEIGHT), gradient.astype("float32"), *[state.copy() for state in states]]
    update = operator(f"mp_{name_of(formula)}")
    result = update(weight, gradient, *states, copy, **numbers, out=weight)
    new, *values = formula(*rounded, **numbers)
    same([copy, *states], [new, *values])
    same([result], [new.astype("float16")])


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("formula", [legacy_updates.sgd, legacy_updates.sgd_mom], ids=name_of)
def test_several_weights_at_once(formula, half):
    numbers, dtype = numbers_of(formula), "float16" if half else "float32"
    prefix, rates, decays = "mp_" * half, (0.1, 0.2), (0.0, 0.3)
    common = {word: value for word, value in numbers.items() if word not in ("lr", "wd")}

    def arrays():
        return [[*arrays_of(formula, by, dtype), *[nd.array(WEIGHT + by)] * half] for by in (0.0, 1.0)]

    alone = arrays()
    for one, lr, wd in zip(alone, rates, decays, strict=True):
        operator(f"{prefix}{name_of(formula)}")(*one, lr=lr, wd=wd, **common, out=one[0])
    for preloaded in (False, True):
        together = arrays()
        flat, out = [x for one in together for x in one], [one[0] for one in together]
        update = operator(f"{'preloaded_' * preloaded}multi_{prefix}{name_of(formula)}")
        if preloaded:
            update(*flat, nd.array(rates), nd.array(decays), num_weights=2, **common, out=out)
        else:
            update(*flat, lrs=rates, wds=decays, num_weights=2, **common, out=out)
        same(flat, [x for one in alone for x in one])
        with pytest.raises(ArgumentError, match="for num_weights=3"):
            update(*flat, *[nd.array(rates), nd.array(decays)] * preloaded, lrs=rates, wds=decays, num_weights=3)


@pytest.mark.parametrize("half", [False, True])
def test_lists_of_weights(half):
    """`multi_adamw_update` and `multi_lamb_update` take lists by kind of array."""
    dtype, copies = "float16" if half else "float32", [nd.array(WEIGHT), nd.array(WEIGHT + 1)]
    pairs = [arrays_of(legacy_updates.adam, by, dtype) for by in (0.0, 1.0)]
    alone = [[x.copy() for x in one] for one in pairs]
    kinds = [list(kind) for kind in zip(*pairs, strict=True)]
    name, scale = "mp_" * half + "adamw_update", nd.array([0.5])
    behind = [copies] if half else []
    operator(f"multi_{name}")(
        *kinds, *behind, scale, lrs=[0.1, 0.2], wds=[0.0, 0.1], etas=[1.0, 0.5], size=2, beta1=0.8, out=kinds[0]
    )
    for at, one in enumerate(alone):
        own = [nd.array(WEIGHT + at)] * half
        wd = (0.0, 0.1)[at]
        operator(name)(*one, *own, scale, (0.1, 0.2)[at], (1.0, 0.5)[at], beta1=0.8, wd=wd, out=one[0])
        same([*pairs[at], *copies[at : at + 1] * half], [*one, *own])
    before = [x.asnumpy() for x in copies] if half else [x.asnumpy() for x in kinds[0]]
    operator("multi_" + "mp_" * half + "lamb_update")(
        *kinds, *behind, step_count=[1, 3], lrs=[0.1, 0.2], wds=[0.01, 0.02], num_tensors=2, out=kinds[0]
    )
    for at, one in enumerate(alone):
        weight = nd.array(before[at])
        gradient = one[1].astype("float32")
        direction = nd.lamb_update_phase1(weight, gradient, *one[2:], t=(1, 3)[at], wd=(0.01, 0.02)[at])
        wanted = nd.lamb_update_phase2(weight, direction, weight.norm(), direction.norm(), lr=(0.1, 0.2)[at])
        same([copies[at] if half else kinds[0][at]], [wanted], 1e-5)


@pytest.mark.parametrize("scale", [0.0, numpy.inf, numpy.nan])
def test_adamw_keeps_everything_where_the_scale_is_none(scale):
    weight, gradient, mean, var = arrays = arrays_of(legacy_updates.adamw)
    before = [x.asnumpy() for x in arrays]
    nd.contrib.adamw_update(weight, gradient, mean, var, nd.array([scale]), 0.1, 1.0, wd=0.1, out=weight)
    for x, y in zip(arrays, before, strict=True):
        numpy.testing.assert_array_equal(x.asnumpy(), y)


def test_slopes_that_are_not_those_of_the_values():
    slopes = {
        "gradientmultiplier": (lambda x: nd.contrib.gradientmultiplier(x, scalar=-0.5), [-0.5, -0.5, -0.5]),
        "round_ste": (nd.contrib.round_ste, [1, 1, 1]),
        "sign_ste": (nd.contrib.sign_ste, [1, 1, 1]),
        "svm": (lambda x: nd.SVMOutput(x.reshape((1, 3)), nd.array([1]), margin=2.0), [7.0, 0.0, 2.0]),
        "svm, linear": (lambda x: nd.SVMOutput(x.reshape((1, 3)), nd.array([1]), use_linear=True), [1.0, 0.0, 0.0]),
    }
    for function, wanted in slopes.values():
        for one in (function, hybridize(function)):
            x = nd.array([1.5, 2.5, -1.0])
            x.attach_grad()
            with autograd.record():
                y = one(x)
            y.backward()
            numpy.testing.assert_allclose(x.grad.asnumpy(), wanted)


def test_arrays_that_are_reset():
    x, y = nd.ones((2, 3)), nd.ones((4,))
    nd.reset_arrays(x, y, num_arrays=2)
    assert x.asnumpy().sum() == y.asnumpy().sum() == 0
