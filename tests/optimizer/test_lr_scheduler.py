"""Schedules against their closed forms, and against what MXNet's do call by call."""

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridize import lr_scheduler
from tests.refusals import refusal


def test_factor_changes_after_every_step_updates():
    scheduler = lr_scheduler.FactorScheduler(step=5, factor=0.5, base_lr=0.8)
    assert [scheduler(n) for n in range(1, 13)] == [0.8] * 5 + [0.4] * 5 + [0.2] * 2
    assert scheduler(0) == 0.8


def test_factor_stops():
    scheduler = lr_scheduler.FactorScheduler(step=1, factor=0.1, stop_factor_lr=1e-2, base_lr=1.0)
    assert [scheduler(n) for n in range(1, 6)] == pytest.approx([1.0, 0.1, 0.01, 0.01, 0.01])


def test_factor_leaves_a_low_rate_of_the_users_alone():
    assert lr_scheduler.FactorScheduler(step=3, factor=0.5, base_lr=1e-9)(2) == 1e-9


def test_multifactor_changes_after_the_listed_updates():
    scheduler = lr_scheduler.MultiFactorScheduler(step=[15, 30], factor=0.5, base_lr=0.5)
    assert [scheduler(n) for n in (0, 15, 16, 30, 31, 1000)] == [0.5, 0.5, 0.25, 0.25, 0.125, 0.125]


def test_poly():
    scheduler = lr_scheduler.PolyScheduler(max_update=10, base_lr=1.0, pwr=2, final_lr=0.1)
    for n in range(11):
        assert scheduler(n) == pytest.approx(0.1 + 0.9 * (1 - n / 10) ** 2)
    assert scheduler(11) == scheduler(1000) == 0.1


def test_cosine_with_warmup():
    # The book's: https://d2l.ai/chapter_optimization/lr-scheduler.html
    scheduler = lr_scheduler.CosineScheduler(20, warmup_steps=5, base_lr=0.3, final_lr=0.01)
    assert [scheduler(n) for n in range(5)] == pytest.approx([0.0, 0.06, 0.12, 0.18, 0.24])
    for n in range(5, 21):
        assert scheduler(n) == pytest.approx(0.01 + 0.29 * (1 + math.cos(math.pi * (n - 5) / 15)) / 2)
    assert scheduler(50) == pytest.approx(0.01)


def test_constant_warmup():
    scheduler = lr_scheduler.FactorScheduler(
        step=100, factor=0.1, base_lr=1.0, warmup_steps=3, warmup_begin_lr=0.25, warmup_mode="constant"
    )
    assert [scheduler(n) for n in range(5)] == [0.25, 0.25, 0.25, 1.0, 1.0]


@given(
    step=st.integers(1, 9),
    factor=st.floats(0.1, 1.0),
    warmup=st.integers(0, 10),
    updates=st.lists(st.integers(0, 60), max_size=20),
)
def test_order_of_the_questions_does_not_matter(step, factor, warmup, updates):
    def fresh():
        return lr_scheduler.FactorScheduler(step, factor, base_lr=0.5, warmup_steps=warmup)

    one = fresh()
    assert [one(n) for n in updates] == [fresh()(n) for n in updates]


@given(st.integers(1, 9), st.floats(0.1, 1.0), st.integers(0, 10), st.integers(1, 80))
def test_factor_is_what_mxnet_gives_call_by_call(step, factor, warmup, updates):
    """MXNet's scheduler as it is run in training: asked for every update in turn."""
    ours = lr_scheduler.FactorScheduler(step, factor, base_lr=0.5, warmup_steps=warmup)
    rate, count = 0.5, 0
    for n in range(1, updates + 1):
        if n < warmup:
            expected = 0.5 * n / warmup
        else:
            while n > count + step:
                count += step
                rate = max(rate * factor, 1e-8)
            expected = rate
        assert ours(n) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("E353", lambda: lr_scheduler.FactorScheduler(0)),
        ("E353", lambda: lr_scheduler.FactorScheduler(2.5)),
        ("E353", lambda: lr_scheduler.FactorScheduler("two")),
        ("E353", lambda: lr_scheduler.FactorScheduler(True)),
        ("E350", lambda: lr_scheduler.FactorScheduler(1, factor=1.5)),
        ("E353", lambda: lr_scheduler.FactorScheduler(1, factor=-0.5)),
        ("E353", lambda: lr_scheduler.FactorScheduler(1, stop_factor_lr="low")),
        ("E350", lambda: lr_scheduler.MultiFactorScheduler([])),
        ("E350", lambda: lr_scheduler.MultiFactorScheduler(5)),
        ("E353", lambda: lr_scheduler.MultiFactorScheduler("12")),
        ("E353", lambda: lr_scheduler.MultiFactorScheduler([1.5, 2.5])),
        ("E350", lambda: lr_scheduler.MultiFactorScheduler([3, 3])),
        ("E353", lambda: lr_scheduler.MultiFactorScheduler([0, 3])),
        ("E350", lambda: lr_scheduler.MultiFactorScheduler([1, 3], factor=2)),
        ("E353", lambda: lr_scheduler.PolyScheduler(0)),
        ("E353", lambda: lr_scheduler.PolyScheduler(1.5)),
        ("E353", lambda: lr_scheduler.PolyScheduler(10, pwr=-1)),
        ("E353", lambda: lr_scheduler.PolyScheduler(10, final_lr=None)),
        ("E350", lambda: lr_scheduler.CosineScheduler(10, warmup_steps=10)),
        ("E353", lambda: lr_scheduler.CosineScheduler(10, warmup_steps=-1)),
        ("E353", lambda: lr_scheduler.CosineScheduler(10, base_lr=float("nan"))),
        ("E353", lambda: lr_scheduler.CosineScheduler(10, base_lr="fast")),
        ("E350", lambda: lr_scheduler.CosineScheduler(10, base_lr=0.1, warmup_begin_lr=0.2)),
        ("E350", lambda: lr_scheduler.CosineScheduler(10, warmup_mode="cubic")),
    ],
)
def test_values_without_meaning(code, make):
    with refusal(ValueError, code):
        make()


def test_settings_may_be_numbers_of_numpy():
    scheduler = lr_scheduler.CosineScheduler(numpy.int64(10), numpy.float32(0.5), warmup_steps=numpy.int8(2))
    assert scheduler(6) == pytest.approx(0.25)
    assert {type(x) for x in vars(scheduler).values()} == {int, float, str}  # as files of states have it
    for step in (range(2, 6, 3), numpy.array([2, 5]), (2, 5)):
        assert [lr_scheduler.MultiFactorScheduler(step, 0.5, 1.0)(n) for n in (2, 3, 6)] == [1.0, 0.5, 0.25]


def test_a_scheduler_must_say_a_rate():
    with pytest.raises(NotImplementedError, match="E328"):
        lr_scheduler.LRScheduler()(3)
