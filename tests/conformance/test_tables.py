"""Lists and tuples indexed by what data decides."""

import pytest

from hybridize import autograd
from hybridize.array import np
from hybridize.base.errors import CaptureError
from hybridize.capture import Function
from tests.refusals import refusal

VALUES = ([1.0, 3.0, 2.0], [5.0, -2.0, 0.0], [0.5, 0.25, 9.0])
NUMBERS, MIXED, PAIRS = [10, 20, 30], (1, 2.5, 3), [(1.0, [2]), (3.0, [4]), (5.0, [6])]
ARRAYS = [np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])]
NAMES = ["a", "b", "c"]

FUNCTIONS = {
    "a list of numbers": lambda x: NUMBERS[x.argmax()],
    "a tuple": lambda x: MIXED[x.argmax()] * x,
    "arrays": lambda x: ARRAYS[x.argmin()] * 2,
    "made inside": lambda x: [x, x * 2, x + 1][x.argmax()],
    "structures": lambda x: PAIRS[x.argmax()],
    "from the end": lambda x: NUMBERS[x.argmax() - 3],
    "out of range": lambda x: NUMBERS[x.argmax() + 1],
    "below the range": lambda x: MIXED[x.argmax() - 5] * x[0],
    "of another integer type": lambda x: NUMBERS[x[1].astype("int32") % 3],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_looked_up(same, name):
    same(lambda: FUNCTIONS[name], *VALUES)


def test_tables_that_change(same):
    def make():
        table = [1, 2, 3]

        def function(x):
            value = table[x.argmax()]
            table[0] = table[0] + 1
            return value

        return function, lambda: list(table)

    same(make, *VALUES)


def test_gradients():
    def function(x):
        return [x.sum(), (x * x).sum(), x[0]][x.argmax()]

    for values in VALUES:
        found = []
        for run in (function, Function(function)):
            x = np.array(values)
            x.attach_grad()
            with autograd.record():
                y = run(x)
            y.backward()
            found.append(x.grad.asnumpy().tolist())
        assert found[0] == found[1]


WEIGHTS = [0.5 * (k % 3) + 0.25 for k in range(90)]


def ended_by_data(count):
    """Functions that read items of a list by the number of a round, in loops that data ends, or ends a round of."""

    def left(x):
        for i in range(count):
            if x[0] > 20:
                break
            x = x + WEIGHTS[i]
        return x

    def skipped(x):
        for i in range(count):
            if x[1] > 2:
                continue
            x = x + WEIGHTS[i] * WEIGHTS[count - 1 - i]
        return x

    def returned(x):
        for i in range(count):
            x = x * 1.01 + WEIGHTS[i]
            if x[2] > 15:
                return x, i
        return x, -1

    def inside(x):
        for i in range(count):
            while x[0] < i:
                x = x + WEIGHTS[i]
            x = x - WEIGHTS[-i - 1]
        return x

    def numbered(x):
        for i, row in enumerate([x] * min(count, 20)):
            if x[0] > 7:
                break
            x = x + row * WEIGHTS[i]
        return x

    return [left, skipped, returned, inside, numbered]


@pytest.mark.parametrize("name", [function.__name__ for function in ended_by_data(0)])
@pytest.mark.parametrize("count", [3, 20, 80])
def test_rounds_that_data_ends(same, name, count):
    function = next(function for function in ended_by_data(count) if function.__name__ == name)
    same(lambda: function, *VALUES)


def test_refused():
    def names(x):
        return NAMES[x.argmax()]

    def caught(x):
        try:
            return NUMBERS[x.argmax()]
        except IndexError:
            return 0

    for function, code in ((names, "E422"), (caught, "E433"), (lambda x: {0: 1.0}[x.argmax()], "E422")):
        with refusal(CaptureError, code):
            Function(function)(np.array(VALUES[0]))
