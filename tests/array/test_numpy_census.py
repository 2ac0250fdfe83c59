# SPDX-License-Identifier: Apache-2.0
"""NumPy's names are there, and what they give is NumPy's; in programs, too, or refused."""

import pytest

import hybridize
from hybridize.errors import CaptureError, HybridizeError
from tests.array import numpy_census
from tests.array.conftest import run_traced
from tests.folding import folded, initial

FLOORS = {
    "main namespace": 373,
    "numpy.linalg": 31,
    "numpy.fft": 18,
    "numpy.random": 51,
    "random.Generator": 45,
    "ndarray": 64,
}


@pytest.mark.filterwarnings("ignore")
def test_names_are_there_and_give_what_numpys_give():
    found = numpy_census.census()
    below = {part: missing for part, (good, _, missing) in found.items() if good < FLOORS[part]}
    assert not below


NO_ARRAYS = {
    "save", "load", "savetxt", "loadtxt", "savez", "savez_compressed", "fromfile", "genfromtxt", "set_printoptions", "seterr", "seterrcall", "geterrcall",
}  # fmt: skip
"""What is no function of arrays: files and settings."""
TEXTS = [
    pytest.param(text.strip(), id=f"{name}-{k}")
    for name, texts in numpy_census.CALLS.items()
    if name not in NO_ARRAYS
    for k, text in enumerate(texts.split(";"))
]


@folded("text", TEXTS, by=initial)
@pytest.mark.filterwarnings("ignore")
def test_programs_give_what_imperative_calls_give(text):
    """By the graph's meaning; a function that only NumPy computes is refused there."""
    names = [name for name in numpy_census.DATA if name in text]
    arrays = [hybridize.np.array(numpy_census.DATA[name], dtype=numpy_census.DATA[name].dtype) for name in names]

    def function(*xs):
        return eval(text, {"np": hybridize.np, "done": numpy_census.done, **dict(zip(names, xs, strict=True))})

    try:
        wanted = function(*arrays)
    except HybridizeError:
        return  # the census says which these are
    try:
        found = run_traced(function, arrays)
    except CaptureError:
        return  # refused, and not something else
    assert numpy_census.differ(numpy_census.plain(found), numpy_census.plain(wanted)) is None
