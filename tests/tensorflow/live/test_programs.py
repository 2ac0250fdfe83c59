"""The programs of `suites/doors`: as TensorFlow computes them, one call after the other, and what variables hold then."""

import importlib.util
import sys
from pathlib import Path

import numpy
import pytest
import tensorflow as tf

import hybridize

_spec = importlib.util.spec_from_file_location(
    "tensorflow_programs", Path(__file__).parents[2] / "suites" / "doors" / "programs" / "tensorflow_programs.py"
)
programs = sys.modules[_spec.name] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(programs)
APPLICATIONS = [name for name, make in programs.CASES.items() if make.__name__ == "build"]
SMALL = [name for name in programs.CASES if name not in APPLICATIONS]


def built(name):
    """The same case each time, weights and all."""
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(0)
    return programs.CASES[name]()


def variables(case):
    optimizer = getattr(case.model, "optimizer", None)
    return [*case.model.variables, *(optimizer.variables if optimizer is not None else [])]


def close(found, expected, tolerance, least=1.0):
    """Compare arrays: floats as parts of the largest number there is, or of `least`."""
    assert found.shape == expected.shape and found.dtype == expected.dtype
    if expected.dtype.kind != "f":
        numpy.testing.assert_array_equal(found, expected)
        return
    finite = numpy.isfinite(expected)
    numpy.testing.assert_array_equal(found[~finite], expected[~finite])
    largest = max(float(numpy.abs(expected[finite]).max(initial=0)), least)
    assert float(numpy.abs(found[finite] - expected[finite]).max(initial=0)) <= tolerance * largest


def run(name, tolerance):
    theirs, ours = built(name), built(name)
    ours.call = hybridize.hybridize(ours.call if ours.call is not None else ours.model)
    for number, batch in enumerate(theirs.batches):
        results = [programs.flat(programs.applied(one, batch)) for one in (ours, theirs)]
        assert len(results[0]) == len(results[1])
        for found, expected in zip(*results, strict=True):
            close(found, expected, tolerance)
        if number == 0:
            assert ours.call.cache_info().captures == 1
    for found, expected in zip(variables(ours), variables(theirs), strict=True):
        # Where a gradient is 0 but for rounding, Adam makes a step of that rounding.
        close(numpy.asarray(found), numpy.asarray(expected), 2e-4 if theirs.trains else 0)
    return theirs, ours


@pytest.mark.parametrize("name", SMALL)
def test_a_program(name):
    run(name, 2e-6)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_an_application_of_keras(name):
    _, ours = run(name, 1e-4)
    assert ours.call.cache_info().captures == 2, "one for the first batch, one for all"


TRAINED = ["chapter", "lstm", "lstm_of_any_length", "gru", "masked_bidirectional", "attention", "structured"]


@pytest.mark.parametrize("name", TRAINED)
def test_three_steps_with_a_tape_and_an_optimizer_outside(name):
    theirs, ours = built(name), built(name)
    ours.call = hybridize.hybridize(ours.model)
    losses = []
    for one in (theirs, ours):
        optimizer = tf.keras.optimizers.SGD(0.05, momentum=0.9)
        losses.append([])
        for step in range(3):
            with tf.GradientTape() as tape:
                results = tf.nest.flatten(programs.applied(one, one.batches[step % len(one.batches)]))
                loss = tf.add_n([tf.reduce_mean(tf.square(result - 0.5)) for result in results])
            weights = one.model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            losses[-1].append(float(loss))
    numpy.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
    for found, expected in zip(variables(ours), variables(theirs), strict=True):
        close(numpy.asarray(found), numpy.asarray(expected), 1e-5)


@pytest.mark.parametrize(
    "name", ["chapter", "lstm_of_any_length", "attention", "counters", "training_step", "tensor_array"]
)
def test_a_file_without_tensorflow(name, tmp_path):
    case = built(name)
    fast = hybridize.hybridize(case.call if case.call is not None else case.model)
    original, case.call = case.call, fast
    for batch in case.batches:
        programs.applied(case, batch)
    fast.save(tmp_path / "program")
    loaded, case.call = hybridize.load(tmp_path / "program"), original
    for batch in case.batches:
        expected = programs.flat(programs.applied(case, batch))
        case.call = loaded
        found = programs.flat(programs.applied(case, batch))
        case.call = original
        for one, other in zip(found, expected, strict=True):
            close(one, other, 1e-5)
