"""Numbers that functions put into tensors: what PyTorch refuses for a dtype is refused, in its words; the rest is its own.

Each as a constant of the program, as an argument that is another number at each call, and as one that data decides.
"""

import math

import numpy
import pytest
import torch
from torch.nn import functional as F

from hybridize import hybridize


def _written(x, s):
    x = x.clone()
    x[0] = s
    return x


def _masked(x, s):
    x = x.clone()
    x[x > 0] = s
    return x


AT = torch.tensor([0])
HELD = [
    lambda x, s: x.clamp(max=s), lambda x, s: torch.clamp(x, min=s), lambda x, s: torch.clip(x, s, s), lambda x, s: torch.clamp_max(x, s),
    lambda x, s: x.masked_fill(x > 0, s), lambda x, s: x.clone().masked_fill_(x > 0, s), lambda x, s: torch.fill(x, s),
    lambda x, s: x.clone().fill_(s), lambda x, s: torch.full((2,), s, dtype=x.dtype), lambda x, s: torch.full_like(x, s),
    lambda x, s: x.new_full((2,), s), lambda x, s: torch.scalar_tensor(s, dtype=x.dtype), lambda x, s: torch.where(x > 0, s, x),
    lambda x, s: x.where(x > 0, s), _written, _masked, lambda x, s: x.index_fill(0, AT, s), lambda x, s: x.scatter(0, AT, s),
    lambda x, s: x.scatter(0, AT, s, reduce="add"), lambda x, s: x.reshape(1, -1).clone().fill_diagonal_(s),
    lambda x, s: F.threshold(x, 1, s), lambda x, s: F.threshold(x, s, 1), lambda x, s: x.index_add(0, AT, x, alpha=s),
    lambda x, s: torch.add(x, x, alpha=s), lambda x, s: torch.addcmul(x, x, x, value=s), lambda x, s: x**s, lambda x, s: torch.pow(x, s),
    lambda x, s: x + s, lambda x, s: x * s, lambda x, s: x < s,
    lambda x, s: torch.tensor([s], dtype=x.dtype), lambda x, s: torch.as_tensor([s, 2], dtype=x.dtype), lambda x, s: x.new_tensor(s),
    lambda x, s: F.softplus(x, s), lambda x, s: F.elu(x, s), lambda x, s: F.celu(x, s), lambda x, s: F.leaky_relu(x, s),
    lambda x, s: torch.addmm(x.reshape(1, -1), x[:1].reshape(1, 1), x.reshape(1, -1), alpha=s),
]  # fmt: skip
NUMBERS = [3, 1000, -1, -1000, 2**40, 2**70, 2.5, -2.5, 1e6, 1e300, math.inf, math.nan]
DTYPES = [torch.int8, torch.uint8, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64]


def outcome(function, *args):
    try:
        found = function(*args)
    except Exception as error:
        return type(error), str(error).partition("\n")[0]
    return found.dtype, found.shape, torch.nan_to_num(found.double(), nan=0.125).tolist()


@pytest.mark.parametrize("function", HELD)
def test_numbers_beside_dtypes(function):
    for dtype in DTYPES:
        x = torch.tensor([1], dtype=dtype)
        compiled = hybridize(function)
        for number in NUMBERS:
            assert outcome(compiled, x, number) == outcome(function, x, number), (dtype, number)


@pytest.mark.parametrize("number", [1000, -1000, 1e6])
@pytest.mark.parametrize("function", [HELD[0], HELD[4], HELD[7], _written])
def test_constants_and_numbers_of_data(function, number):
    x, of_data = torch.tensor([1], dtype=torch.int8), torch.tensor(number)
    for one in (lambda x, s: function(x, number), lambda x, s: function(x, s.item())):
        assert outcome(hybridize(one), x, of_data) == outcome(one, x, of_data)
        small = torch.tensor(5, dtype=of_data.dtype)
        assert outcome(hybridize(one), x, small) == outcome(one, x, small)


@pytest.mark.parametrize("function", [one for one in HELD if "celu" not in one.__code__.co_names])
def test_floats_of_data_beyond_the_ends(function):
    """One element, which some functions fill with an infinity, and several, for which they raise."""
    compiled = hybridize(lambda x, s: function(x, s.item()))
    for x in (torch.ones(1), torch.ones(3)):
        for dtype in (torch.float16, torch.float32):
            for number in (2.5, 1e6, -1e39, math.inf, math.nan):
                s = torch.tensor(number, dtype=torch.float64)
                one, other = (outcome(f, x.to(dtype), s) for f in (compiled, lambda x, s: function(x, s.item())))
                assert one == other, (dtype, number)


ARRAYS = [
    lambda x: x + torch.tensor(numpy.array([1.0, 2.0])), lambda x: x + torch.from_numpy(numpy.array([1.0, 2.0])),
    lambda x: x + torch.as_tensor(numpy.linspace(0, 1, 2)), lambda x: x + torch.FloatTensor(numpy.array([1.0, 2.0])),
    lambda x: x + torch.tensor(numpy.zeros(x.shape[0]), dtype=torch.float16), lambda x: x[torch.from_numpy(numpy.array([1, 0]))],
    lambda x: x + torch.Tensor(numpy.arange(2) * 0.5), lambda x: x.new_tensor(numpy.array([1.0, 2.0])) + x,
    lambda x: x * torch.tensor([numpy.array(1.0), numpy.array(2.0)]), lambda x: x + torch.tensor(numpy.array([1, 2], dtype=numpy.int32)),
]  # fmt: skip


@pytest.mark.parametrize("function", ARRAYS)
def test_tensors_of_arrays_that_a_function_makes(function):
    compiled = hybridize(function)
    for size in (2, 2):
        x = torch.ones(size)
        assert outcome(compiled, x) == outcome(function, x)


def test_arrays_that_a_tensor_shares_memory_with_are_written_no_more():
    def function(x):
        array = numpy.array([1.0, 2.0])
        y = torch.from_numpy(array)
        array[0] = 5.0
        return x + y

    with pytest.raises(ValueError, match="read-only"):
        hybridize(function)(torch.ones(2))


def test_one_program_for_all_numbers_that_fit():
    compiled = hybridize(lambda x, s: x.clamp(max=s))
    for number in range(3, 90):
        compiled(torch.tensor([1, 100], dtype=torch.int8), number)
    assert compiled.cache_info().programs == 1
