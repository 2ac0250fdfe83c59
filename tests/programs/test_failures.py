"""What a program asserts is an error at the line that asserted it, at every call, in every backend."""

from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, np, npx
from hybridize.errors import HybridizeError

HOLDS = npx.assert_
LOSS = gluon.loss.SoftmaxCrossEntropyLoss()
X = np.array([[1.0, 2.0], [3.0, 4.0]])
INSIDE, OUTSIDE = np.array([0, 1], dtype="int64"), np.array([0, 9], dtype="int64")


def picked(x, i):
    y = x * 2.0
    y = y[i]  # here
    return y + 1.0


def taken_in_a_loop(x, i):
    for _ in range(3):
        if x.sum() < 1e9:
            x = x + np.take(x, i, 0)  # here
    return x


def of_a_loss(x, i):
    y = npx.relu(x)
    return LOSS(y, i).mean()  # here


def told(x, i):
    HOLDS((i < 2).all(), "few")  # here
    return x * 1.0


def drawn(x, i):
    return np.random.normal(0.0, 1.0 - i, size=(2,))  # here


def written(x, i):
    x[i] = 0.0  # here
    return x.sum()


def inner(x, i):
    return x[i]  # here


def twice(x, i):
    return inner(x, i) + inner(x * 2.0, i)


FUNCTIONS = [picked, taken_in_a_loop, of_a_loss, told, drawn, written, twice]


def the_line(function):
    """The line of its file that says `# here`."""
    first = (inner if function is twice else function).__code__.co_firstlineno
    lines = Path(__file__).read_text().splitlines()
    return next(number for number in range(first, first + 9) if lines[number - 1].endswith("# here"))


@pytest.mark.parametrize("options", [{}, {"backend": "numpy"}], ids=["machine", "numpy"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_an_assertion_fails_at_its_line(function, options):
    compiled = hybridize.hybridize(function, **options)
    for _ in range(4):  # captured, by Python, by the entry
        compiled(X.copy(), INSIDE)
        with pytest.raises(HybridizeError) as caught:
            compiled(X.copy(), OUTSIDE)
        assert (caught.value.loc.file, caught.value.loc.line) == (__file__, the_line(function))
    with pytest.raises(HybridizeError) as caught:
        function(X.copy(), OUTSIDE)
    assert caught.value.loc.line == the_line(function), "as imperatively"


def test_an_assertion_of_a_recorded_call_fails_at_its_line():
    compiled = hybridize.hybridize(picked)
    x = X.copy()
    x.attach_grad()
    for _ in range(3):
        with autograd.record():
            compiled(x, INSIDE).backward()
            with pytest.raises(HybridizeError) as caught:
                compiled(x, OUTSIDE)
        assert caught.value.loc.line == the_line(picked)


def test_of_two_lines_that_assert_the_same_both_are_named():
    def both(x, i, j):
        a = x[i]  # first
        b = x[j] * 2.0  # second
        return a + b

    compiled = hybridize.hybridize(both)
    for given in [(INSIDE, OUTSIDE), (OUTSIDE, INSIDE)] * 2:
        compiled(X, INSIDE, INSIDE)
        with pytest.raises(HybridizeError) as caught:
            compiled(X, *given)
        assert caught.value.loc.function == "test_of_two_lines_that_assert_the_same_both_are_named"
        assert "a = x[i]  # first" in str(caught.value)
        assert "b = x[j] * 2.0  # second" in str(caught.value)


def test_functions_that_share_machine_code_have_lines_of_their_own():
    def another(x, i):
        y = x * 2.0
        y = y[i]  # there
        return y + 1.0

    one, other = hybridize.hybridize(picked), hybridize.hybridize(another)
    for _ in range(3):
        found = []
        for compiled in (one, other):
            with pytest.raises(HybridizeError) as caught:
                compiled(X, OUTSIDE)
            found.append(caught.value.loc.function)
        assert found == ["picked", "another"]


def test_a_program_from_a_file_knows_its_lines_too(tmp_path):
    compiled = hybridize.hybridize(picked)
    compiled(X, INSIDE)
    compiled.save(tmp_path / "picked")
    loaded = hybridize.load(tmp_path / "picked")
    for _ in range(3):
        numpy.testing.assert_allclose(loaded(X, INSIDE).asnumpy(), picked(X, INSIDE).asnumpy())
        with pytest.raises(HybridizeError, match="E110") as caught:
            loaded(X, OUTSIDE)
        assert (caught.value.loc.function, caught.value.loc.line) == ("picked", the_line(picked))
