"""Measuring choices: noise that flips nothing, differences that are found, programs that do what they are timed for."""

import itertools

import numpy as np
import pytest

from hybridize.base.config import CONFIG
from hybridize.codegen.llvm.engine import runnable
from hybridize.codegen.llvm.program import build
from hybridize.compiler import measuring
from hybridize.compiler.measuring import EXPERIMENTS, GAIN, chosen, measured, speed
from hybridize.machine.choices import CHOICES, with_fields
from hybridize.machine.target import named_target

NOISES = {
    "quiet": lambda rng, count: np.full(count, 1.0),
    "even": lambda rng, count: rng.uniform(0.8, 1.2, count),
    "normal": lambda rng, count: np.exp(rng.normal(0, 0.2, count)),
    "interrupted": lambda rng, count: np.where(rng.random(count) < 0.2, rng.uniform(2, 50, count), 1.0),
    "two speeds": lambda rng, count: np.where(rng.random(count) < 0.5, 1.2, 1.0),
}


def stream(noise, gain, seed):
    """Pairs of which the second takes 1 / gain of the time, each time with noise of its own; and how many were asked."""
    rng, asked = np.random.default_rng(seed), []

    def ratios(count):
        asked.append(count)
        return list(gain * NOISES[noise](rng, count) / NOISES[noise](rng, count))

    return ratios, asked


@pytest.mark.parametrize("noise", NOISES)
def test_noise_flips_nothing(noise):
    for seed in range(300):
        ratios, _ = stream(noise, 1.0, seed)
        assert speed(ratios, clock=lambda: 0.0) <= GAIN, seed


@pytest.mark.parametrize("noise", NOISES)
def test_a_difference_of_15_percent_is_found(noise):
    for seed in range(300):
        ratios, _ = stream(noise, 1.15, seed)
        assert speed(ratios, clock=lambda: 0.0) > GAIN, seed


def test_quiet_machines_need_few_pairs():
    ratios, asked = stream("quiet", 1.0, 0)
    assert speed(ratios) == 1.0
    assert asked == [128]
    ratios, asked = stream("normal", 1.06, 0)
    speed(ratios, clock=lambda: 0.0)
    assert sum(asked) <= 1024


def test_what_is_not_certain_in_time_stays():
    """On a machine where a pair takes seconds, nearly all of the few pairs must agree."""
    clock = itertools.count(0.0, 10.0)
    ratios, asked = stream("normal", 1.09, 1)
    assert speed(ratios, clock=lambda: next(clock)) <= GAIN
    assert asked == [128]
    ratios, asked = stream("quiet", 1.3, 1)
    assert speed(ratios, clock=lambda: next(clock)) == pytest.approx(1.3)


def test_the_fastest_of_those_that_are_worth_it_is_chosen():
    target = with_fields(named_target("avx512"), {"unroll": 2, "packs_from": 1})
    present = {"unroll": 2, "packs_from": 1}
    assert chosen(target, {}) == present
    assert chosen(target, {"unroll": {1: 1.08, 4: 1.07}, "packs_from": {4: 0.7}}) == present
    assert chosen(target, {"unroll": {1: 1.10, 4: 1.09}, "packs_from": {4: 1.081}}) == {"unroll": 1, "packs_from": 4}
    assert chosen(target, {"unroll": {1: 1.10, 4: 1.11}}) == {"unroll": 4, "packs_from": 1}


@pytest.mark.parametrize("name", ["avx512", "avx2", "baseline"])
def test_each_choice_has_an_experiment_that_tells_its_values_apart(name):
    assert {experiment.field for experiment in EXPERIMENTS} == CHOICES.keys()
    for experiment in EXPERIMENTS:
        for present in CHOICES[experiment.field]:
            target = with_fields(named_target(name), {experiment.field: present})
            values = experiment.values(target)
            assert len(values) > 1
            assert present in values
            texts = {
                build(
                    experiment.graph(), with_fields(target, {experiment.field: value}), stable=experiment.stable
                ).module.text()
                for value in values
            }
            assert len(texts) == len(values)


@pytest.mark.parametrize("name", runnable())
def test_programs_that_are_timed_compute_what_they_stand_for(name):
    """Over memory full of 0.5 each element of a product of k terms is k / 4, packed or not."""
    racers = measuring._racers(named_target(name))
    sizes = {experiment.field: experiment.sizes for experiment in EXPERIMENTS}
    for (field, _), racer in racers.items():
        m, n, k = sizes[field]
        memory = measuring._Memory(racer, racer)
        assert racer.placed(memory)() > 0
        np.testing.assert_array_equal(memory.outputs[0], np.full(m * n, k / 4, np.float32))


def test_this_machine(monkeypatch):
    monkeypatch.setattr(CONFIG, "cache", False)
    target = named_target(runnable()[0])
    speeds, seconds = measured(target)
    assert seconds > 0
    assert {
        (field, value)
        for experiment in EXPERIMENTS
        for field in [experiment.field]
        for value in experiment.values(target)
    } == {(field, value) for field, others in speeds.items() for value in [getattr(target, field), *others]}
    assert all(0.01 < one < 100 for others in speeds.values() for one in others.values())
    assert all(value in CHOICES[field] for field, value in chosen(target, speeds).items())
