"""Calls run imperatively and as programs: they agree in their values, or in their error and the line that it names."""

import os

import numpy

from hybridize import hybridize, np
from hybridize.errors import HybridizeError


def outcome(function, *args):
    """The arrays of a result, or the class, code, words and line of the error, which is one of ours."""
    try:
        found = function(*args)
    except HybridizeError as error:
        return type(error), error.code, str(error.loc), error.what
    return [one.asnumpy() if isinstance(one, np.ndarray) else one for one in _flat(found)]


def _flat(x):
    return [part for one in x for part in _flat(one)] if isinstance(x, (list, tuple)) else [x]


def agreed(function, *args, tolerance=1e-5):
    """The outcome of a call, the same in both modes and at the second call of the program."""
    expected, compiled = outcome(function, *args), hybridize(function)
    for _ in range(2):
        found = outcome(compiled, *args)
        assert type(found) is type(expected), (found, expected)
        if isinstance(found, tuple):
            assert found[:3] == expected[:3], (found, expected)
        else:
            assert len(found) == len(expected)
            for ours, theirs in zip(found, expected, strict=True):
                numpy.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
    return expected


def refused(file, code, words, function, *args):
    """Check that a call is refused in both modes, at a line of a file."""
    found = agreed(function, *args)
    assert isinstance(found, tuple), f"{code} is due, not {found}"
    kind, met, line, what = found
    assert met == code, found
    assert line.startswith(os.path.basename(file)), found
    assert words in what, found
    return kind
