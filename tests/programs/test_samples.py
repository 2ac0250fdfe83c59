"""Samples: the calls by which files are checked."""

import numpy
import pytest

import hybridize
from hybridize import autograd, np, npx
from hybridize.base.errors import ArgumentError, StateError, VerificationError
from hybridize.ops.evaluate import evaluate


def saved(function, *calls, samples=(), **options):
    fast = hybridize.hybridize(function, **options)
    for call in calls:
        fast(*call)
    notes = []
    return fast.saved(samples=samples, notes=notes), notes


def check(program):
    """Each sample's outputs are those of the graph."""
    for signature in program.signatures:
        state = [program.weights[name] for name in signature.state]
        for sample in signature.samples:
            expected = evaluate(signature.graph, (*sample.inputs, *state))
            for found, wanted in zip(sample.outputs, expected, strict=True):
                assert found.dtype == wanted.dtype
                numpy.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_the_call_that_was_captured_is_the_sample():
    x = np.array([1.0, 2.0, 3.0])
    program, notes = saved(lambda x, factor: np.tanh(x) * factor, (x, 2.5))
    (sample,) = program.signatures[0].samples
    x[:] = 0  # a copy was kept
    numpy.testing.assert_array_equal(sample.inputs[0], numpy.float32([1, 2, 3]))
    assert sample.inputs[1] == 2.5
    assert sample.inputs[1].dtype == program.signatures[0].graph.inputs[1].type.dtype
    numpy.testing.assert_allclose(sample.outputs[0], numpy.tanh([1, 2, 3]) * 2.5, rtol=1e-6)
    assert notes == []
    check(program)


def test_what_is_expected_is_what_python_gives():
    """A bug of the compiler's cannot hide: Python runs."""
    calls = []

    def loud(x):
        calls.append(1)
        return x + 1

    fast = hybridize.hybridize(lambda x: x * 3)
    fast(np.ones((2,)))
    object.__setattr__(fast, "python_function", loud)
    wrong = fast.saved(samples=())
    assert calls == [1]
    numpy.testing.assert_array_equal(wrong.signatures[0].samples[0].outputs[0], [2, 2])


def test_other_types_than_python_s_are_refused():
    fast = hybridize.hybridize(lambda x: x * 3)
    fast(np.ones((2,)))
    object.__setattr__(fast, "python_function", lambda x: (x, x))
    with pytest.raises(VerificationError, match=r"E811: .*returns \(float32\[2\], float32\[2\]\) in Python but \(f32"):
        fast.saved(samples=())


def test_nothing_is_printed(capsys):
    def talks(x):
        print("capturing")
        return x + 1

    saved(talks, (np.ones((2,)),))
    assert capsys.readouterr().out == "capturing\n"


def test_compiled_ahead_of_the_first_call():
    fast = hybridize.hybridize(lambda x, i: np.take(x, i) / np.sum(x))
    fast.compile("f32[5]", "i64[2]")
    program = fast.saved(samples=())
    (sample,) = program.signatures[0].samples
    assert sample.inputs[0].any(), "zeros show little"
    check(program)


def test_a_call_before_compile_is_kept():
    fast = hybridize.hybridize(lambda x: x + 1)
    fast(np.array([7.0, 8.0]))
    fast.compile((2,))
    (sample,) = fast.saved(samples=()).signatures[0].samples
    numpy.testing.assert_array_equal(sample.inputs[0], [7, 8])


def test_each_program_has_its_own():
    program, _ = saved(lambda x: np.exp(x), *((np.ones((n, 2)),) for n in (3, 5)), (np.ones((2,), dtype="float64"),))
    assert [one.samples[0].inputs[0].shape for one in program.signatures] == [(3, 2), (5, 2), (2,)]
    check(program)


def test_draws_are_those_of_the_state_in_the_file():
    hybridize.np.random.seed(7)
    fast = hybridize.hybridize(lambda x: x + np.random.uniform(size=(3,)))
    fast(np.zeros((3,)))
    program = fast.saved(samples=())
    assert list(program.weights) == ["random.state"]
    assert program.signatures[0].state == ("random.state",)
    numpy.testing.assert_array_equal(program.weights["random.state"], [7, 1])
    drawn, state = program.signatures[0].samples[0].outputs
    numpy.testing.assert_array_equal(state, [7, 2])
    numpy.testing.assert_array_equal(drawn, fast(np.zeros((3,))).asnumpy())
    numpy.testing.assert_array_equal(program.weights["random.state"], [7, 1])  # a copy: calls go on


def test_written_arguments_are_outputs():
    def write(x, y):
        x[0] = np.sum(y)
        return y * 2

    program, _ = saved(write, (np.zeros((2,)), np.ones((3,))))
    (sample,) = program.signatures[0].samples
    numpy.testing.assert_array_equal(sample.inputs[0], [0, 0])
    numpy.testing.assert_array_equal(sample.outputs[1], [3, 0])


def test_large_arguments_are_not_kept():
    fast = hybridize.hybridize(lambda x: np.sum(x))
    fast(np.ones((1 << 19,)))
    assert fast.programs()[0].sample is None
    assert fast.saved(samples=()).signatures[0].samples == ()


def test_programs_of_training_have_none():
    fast = hybridize.hybridize(lambda x: npx.dropout(x, p=0.5))
    x = np.ones((4,))
    fast(x)
    with autograd.train_mode():
        fast(x)
    assert [len(one.samples) for one in fast.saved(samples=()).signatures] == [1, 0]


def test_frozen_weights_are_those_of_the_capture():
    w = np.array([2.0, 3.0])
    fast = hybridize.hybridize(lambda x: x * w, freeze=True)
    fast(np.ones((2,)))
    w[:] = 100
    program = fast.saved(samples=())
    check(program)


def test_state_that_has_changed_since():
    """What the function read has changed, so Python is no longer what the program is: it is not saved."""
    setting = {"factor": 2}
    fast = hybridize.hybridize(lambda x: x * setting["factor"])
    fast(np.ones((2,)))
    setting["factor"] = 3
    with pytest.raises(StateError, match=r"E535: .* has changed .*'factor'\] was 2 and is 3(.|\n)*call it once more"):
        fast.saved(samples=())
    fast(np.ones((3,)))
    program = fast.saved(samples=())
    assert [str(one.graph.inputs[0].type) for one in program.signatures] == ["f32[n0]"]
    check(program)


def test_python_that_fails_is_told():
    fast = hybridize.hybridize(lambda x: x * 2)
    fast(np.ones((2,)))

    def fails(x):
        raise ValueError("not today")

    object.__setattr__(fast, "python_function", fails)
    notes = []
    check(fast.saved(samples=(), notes=notes))
    assert len(notes) == 1
    assert "raises ValueError for the sample (not today)" in notes[0]


def test_the_user_s_own_samples():
    fast = hybridize.hybridize(lambda x, y: x - y)
    fast(np.ones((2,)), np.ones((2,)))
    program = fast.saved(samples=[(np.array([5.0, 6.0]), np.array([1.0, 2.0]))])
    _, second = program.signatures[0].samples
    numpy.testing.assert_array_equal(second.outputs[0], [4, 4])
    with pytest.raises(ArgumentError, match=r"E334: sample 1 is \(f32\[3\], f32\[3\]\), which .* has no program for"):
        fast.saved(samples=[(np.ones((2,)), np.ones((2,))), (np.ones((3,)), np.ones((3,)))])


def test_numbers_that_decide_are_constants_of_samples():
    fast = hybridize.hybridize(lambda x, n: x * 2 if n > 3 else x)
    fast(np.ones((2,)), 5)
    program = fast.saved(samples=())
    assert len(program.signatures[0].samples[0].inputs) == 1
    with pytest.raises(ArgumentError, match="E334"):
        fast.saved(samples=[(np.ones((2,)), 6)])
