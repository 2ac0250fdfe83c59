"""Whether a reshape is a view or a copy depends on how an argument lies in memory, compiled as imperatively."""

import numpy
import pytest

from hybridize import hybridize, np


def through_reshape(x):
    y = x.reshape(-1)
    y[0:2] = 100
    return x + 0


def through_transpose(x):
    y = x.T.reshape(-1)
    y[0:2] = 100
    return x + 0


def through_ravel(x):
    y = x.ravel()
    y[0:2] = 100
    z = (x.T + 1).ravel()
    z[0:3] = 5
    return x + z.sum()


LAYOUTS = {
    "rows": lambda a: a,
    "columns": lambda a: a.T,
    "backwards": lambda a: a[::-1],
    "every other": lambda a: a[:, ::2],
    "one": lambda a: a[:, :1],
}


@pytest.mark.parametrize("function", [through_reshape, through_transpose, through_ravel])
def test_writes_through_a_reshape(function):
    compiled = hybridize(function)
    for _ in range(2):
        for name, layout in LAYOUTS.items():
            whole, twin = (np.array(numpy.arange(12).reshape(3, 4)) for _ in range(2))
            expected, got = function(layout(whole)), compiled(layout(twin))
            numpy.testing.assert_array_equal(got.asnumpy(), expected.asnumpy(), err_msg=name)
            numpy.testing.assert_array_equal(twin.asnumpy(), whole.asnumpy(), err_msg=name)


def test_layouts_that_decide_nothing_share_a_program():
    compiled = hybridize(lambda x: x.T + 1)
    square = np.array(numpy.arange(9.0).reshape(3, 3))
    for layout in (square, square.T, square[::-1]):
        numpy.testing.assert_array_equal(compiled(layout).asnumpy(), layout.asnumpy().T + 1)
    assert compiled.cache_info().programs == 1


def test_the_reason_for_a_program_names_the_argument_that_is_laid_out_in_another_way():
    @hybridize(dynamic=False)
    def function(x, y):
        return x + 1, y.reshape(-1)

    function(np.ones((2, 2)), np.ones((4, 4)))
    function(np.ones((2, 2)), np.ones((4, 8))[:, ::2])
    assert [program.reason for program in function.programs()] == ["", "argument 1 is laid out in another way"]
