# SPDX-License-Identifier: Apache-2.0
"""Loaded functions refuse calls that they have no program for, and say what is different."""

from collections import namedtuple

import numpy
import pytest

import hybridize as package
from hybridize import autograd, disabled, gluon, hybridize, load, np
from hybridize.errors import ArgumentError, CaptureError, DTypeError, ShapeError, StateError
from hybridize.gluon import nn
from tests.refusals import refusal

Counted = namedtuple("Counted", "n rest")


@pytest.fixture
def loaded(tmp_path):
    def again(function, *calls):
        fast = hybridize(function)
        for call in calls:
            fast(*call)
        fast.save(tmp_path / "f")
        return load(tmp_path / "f")

    return again


def test_other_types(loaded):
    again = loaded(lambda x: x * 2, [np.ones((2,))])
    with pytest.raises(DTypeError, match=r"E210: .* was saved for \(f32\[2\]\), got \(i64\[2\]\)"):
        again(np.ones((2,), dtype="int64"))
    with pytest.raises(ShapeError, match=r"E120: .* was saved for \(f32\[2\]\), got \(f32\[3\]\)"):
        again(np.ones((3,)))


def test_a_number_that_was_decided(loaded):
    again = loaded(lambda a, b: np.array(a) * b, [2.5, 3])
    assert float(again(2.5, 7)) == 17.5
    with pytest.raises(
        ArgumentError,
        match=r"E310: .*: argument 0 was 2\.5 and is 1\.5\n(.|\n)*call it with these arguments before saving",
    ):
        again(1.5, 3)


def test_named_tuples_of_the_callers_class(loaded):
    again = loaded(lambda state: state._replace(n=state.n + 1), [Counted(np.ones(2), (np.zeros(3),))])
    once = again(Counted(np.ones(2), (np.zeros(3),)))
    assert once._fields == Counted._fields and again(once).n.tolist() == [3, 3]
    assert type(again(once)) is type(once)
    with refusal(ArgumentError, "Other"):
        again(namedtuple("Other", "n rest")(np.ones(2), (np.zeros(3),)))


def test_a_mode(tmp_path):
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    with autograd.train_mode():
        net(np.ones((1, 3)))
    net.save(tmp_path / "net")
    again = load(tmp_path / "net")
    with pytest.raises(
        ArgumentError,
        match=r"E310: .* was saved while training for \(f32\[1,3\]\); got \(f32\[1,3\]\) while predicting",
    ):
        again(np.ones((1, 3)))
    with autograd.train_mode():
        assert again(np.ones((1, 3))).shape == (1, 2)


def test_a_mode_and_other_sizes(tmp_path):
    """A net that was trained with one size and then called with another says which it was saved for, and when."""
    net = nn.Dense(1)
    net.initialize()
    net.hybridize()
    with autograd.record():
        net(np.ones((2, 3)))
    net(np.ones((5, 3)))
    net.save(tmp_path / "net")
    again = load(tmp_path / "net")
    assert again(np.ones((5, 3))).shape == (5, 1)
    known = r"was saved for \(f32\[5,3\]\), while training.* for \(f32\[2,3\]\); got"
    with refusal(ArgumentError, rf"E310: .* {known} \(f32\[2,3\]\) while predicting"):
        again(np.ones((2, 3)))
    with refusal(ShapeError, rf"E120: .* {known} \(f32\[7,3\]\) while predicting"):
        again(np.ones((7, 3)))


def test_there_is_no_python_to_run(loaded):
    again = loaded(lambda x: x * 2, [np.ones((2,))])
    with (
        disabled(),
        pytest.raises(StateError, match=r"E534: .* loaded from a file(.|\n)*where hybridize is not disabled"),
    ):
        again(np.ones((2,)))
    assert again(np.ones((2,))).tolist() == [2, 2]


_DRAWS = {
    "normal": lambda x: x + np.random.normal(size=(4,)),
    "uniform": lambda x: x * np.random.uniform(size=(4,)),
    "integers": lambda x: x + np.random.randint(0, 1000, (4,)),
    "choice": lambda x: x + np.random.permutation(4),
    "several": lambda x: (x + np.random.normal(size=(4,)), np.random.uniform(size=(2,))),
}


def _drawing(case):
    if case != "dropout":
        return hybridize(_DRAWS[case])
    net = nn.Dropout(0.5)
    net.hybridize()

    def trained(x):
        with autograd.train_mode():
            return net(x)

    return hybridize(trained)


@pytest.mark.parametrize("images", [False, True])
@pytest.mark.parametrize("case", [*_DRAWS, "dropout"])
def test_random_numbers_are_those_of_the_seed(tmp_path, case, images):
    """A loaded function draws from `hybridize.random`, as the function that was saved: call after call."""
    function, x = _drawing(case), np.ones((4,))
    function(x)
    function.save(tmp_path / "f")
    first, second = load(tmp_path / "f", images=images, verify=True), load(tmp_path / "f", images=images)

    def drawn(*functions):
        package.random.seed(5)
        return [numpy.concatenate([part.asnumpy() for part in _parts(one(x))]) for one in functions]

    expected = drawn(*3 * [function])
    assert not numpy.array_equal(expected[0], expected[1]) and not numpy.array_equal(expected[1], expected[2])
    numpy.testing.assert_array_equal(drawn(*3 * [first]), expected)
    numpy.testing.assert_array_equal(drawn(first, second, function), expected)
    package.random.seed(5)
    first.save(tmp_path / "again")
    numpy.testing.assert_array_equal(drawn(*3 * [load(tmp_path / "again", verify=True)]), expected)


def _parts(result):
    return result if isinstance(result, tuple) else (result,)


def test_a_weight_called_as_the_generator_is_another_one(tmp_path):
    """A block `random` with a parameter `state` beside draws: two weights."""
    net = nn.HybridSequential()
    net.random = nn.Dense(4, in_units=4)
    net.random.state = package.gluon.Parameter("state", shape=(2,), dtype="float32", init="ones")
    net.forward = lambda x: net.random(x) * net.random.state.data()[0] + np.random.normal(size=(4,))
    net.initialize()
    net.hybridize()
    net(np.ones((1, 4)))
    net.save(tmp_path / "net")
    again = load(tmp_path / "net", verify=True)
    for seed in (1, 2):
        package.random.seed(seed)
        expected = net(np.ones((1, 4))).asnumpy()
        package.random.seed(seed)
        numpy.testing.assert_array_equal(again(np.ones((1, 4))).asnumpy(), expected)


@pytest.mark.parametrize(
    "states",
    [[4.0], [], (4.0,), [4.0, [7.0]], {"a": 4.0, "b": [7.0]}, [[], [4.0]], [4.0, 3]],
    ids=str,
)
def test_a_file_gives_lists_of_its_arguments_back(tmp_path, states):
    def arrays(nested, shape=(2, 3)):
        if isinstance(nested, dict):
            return {key: arrays(one) for key, one in nested.items()}
        if isinstance(nested, (list, tuple)):
            return type(nested)(map(arrays, nested))
        return np.full(shape, nested) if isinstance(nested, float) else nested

    def same(found, wanted):
        assert type(found) is type(wanted)
        if isinstance(wanted, (list, tuple, dict)):
            assert len(found) == len(wanted)
            for key in wanted if isinstance(wanted, dict) else range(len(wanted)):
                same(found[key], wanted[key])
        else:
            assert (found == wanted).all() if hasattr(wanted, "shape") else found == wanted

    f = hybridize(lambda x, held: (x * 2, held, [held]))
    x, held = np.ones((2, 3)), arrays(states)
    result = f(x, held)
    assert (result[1] is held) == (not isinstance(held, tuple))
    f.save(tmp_path / "f.hyb")
    loaded = load(tmp_path / "f.hyb")
    again = arrays(states)
    y, one, (other,) = loaded(x * 3, again)
    same(y, x * 6)
    same(one, again)
    same(other, again)

    class Net(gluon.HybridBlock):
        def forward(self, x, held):
            return x * 2, held

    if not isinstance(states, dict) and 3 not in states:
        net = Net()
        net.hybridize()
        net(x, held)
        net.export(str(tmp_path / "net"))
        count = sum(text.isdigit() for text in str(states).replace(".0", ""))
        names = ["data"] if not count else [f"data{number}" for number in range(1 + count)]
        block = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), names, None)
        flat = [np.full((2, 3), float(text)) for text in str(states).replace(".0", "") if text.isdigit()]
        y, one = block(x * 3, *flat)
        same(y, x * 6)
        same(one, held)


def test_a_list_that_outlives_calls_is_not_in_a_file(tmp_path):
    kept = []
    f = hybridize(lambda x: (x * 2, kept))
    f(np.ones(2))
    with pytest.raises(CaptureError, match=r"E464.*outlives its calls"):
        f.save(tmp_path / "f.hyb")


def test_calls_that_only_raise_are_not_in_a_file(tmp_path):
    def f(x):
        if np.abs(x).max() > 9:
            raise ValueError("too large")
        if x.shape[0] > 3:
            raise KeyError("too long")
        return x * 2

    f, path = hybridize(f), tmp_path / "f"
    with pytest.raises(KeyError, match="too long"):
        f(np.ones(5))
    with refusal(CaptureError, r"E450: f raises a KeyError for these arguments"):
        f.save(path)
    f(np.ones(2))
    f.save(path)
    assert load(path)(np.ones(2)).tolist() == [2, 2]
    with pytest.raises(ShapeError, match=r"E120"):
        load(path)(np.ones(5))
