# SPDX-License-Identifier: Apache-2.0
"""What NumPy refuses is refused, by an error of a class that programs catch: thousands of calls with one wrong argument."""

import numpy
import pytest

from hybridize import errors, hybridize, np
from tests.array import nonsense_census

LENIENT = {
    "astype": "takes lists, as all functions do", "clip": "one limit may be left out", "correlate": "takes numbers",
    "frompyfunc": "any number of arguments", "indices": "takes a size alone", "poly": "takes numbers", "polyder": "takes numbers", "polyint": "takes numbers",
    "quantile": "of no shares there is nothing to check", "percentile": "the same", "nanquantile": "the same",
    "nanpercentile": "the same", "ldexp": "floats as exponents, as in MXNet", "take": "floats as indices, as in MXNet",
    "unravel_index": "floats as indices, as in MXNet", "ravel_multi_index": "floats as indices, as in MXNet",
    "partition": "of no positions none is wrong", "argpartition": "the same", "piecewise": "conditions broadcast",
    "take_along_axis": "floats as indices, as in MXNet", "choose": "floats as indices, as in MXNet",
}  # fmt: skip
"""Functions that take more than NumPy's, and why."""
UNTYPED = {
    "typename": "NumPy's own", "pad": "TypeError of Python's for an unknown keyword, where NumPy has ValueError",
}  # fmt: skip


@pytest.fixture(scope="module")
def found():
    return nonsense_census.differences(every=3)


def test_what_numpy_refuses_is_refused(found):
    _, differing = found
    taken = [text for name, text, _, ours in differing if ours is None and name not in LENIENT]
    assert not taken


def test_errors_have_codes(found):
    _, differing = found
    plain = [text for name, text, _, ours in differing if type(ours) not in (type(None), TypeError) and not isinstance(ours, errors.HybridizeError) and name not in UNTYPED]  # fmt: skip
    assert not plain


def test_classes_are_numpys(found):
    """But where several things are wrong, or NumPy stumbles over what it was given: a class then says little."""
    count, differing = found
    assert count > 2000
    assert len(differing) < 0.04 * count
    of_keywords = [text for _, text, _, ours in differing if "axis=9" in text or "axis=-9" in text or "dtype=" in text]
    assert not [text for text in of_keywords if "np.pad" not in text]


def test_axes_that_are_not_there_are_numpys_axis_errors():
    x = np.ones((2, 3))
    for call in (lambda x: x.sum(axis=2), lambda x: np.sort(x, -3), lambda x: np.concatenate([x, x], 5)):
        for run in (call, hybridize(call)):
            for kind in (numpy.exceptions.AxisError, IndexError, ValueError, errors.OutOfBoundsError):
                with pytest.raises(kind, match="E111"):
                    run(x)


def test_what_was_computed_of_wrong_arguments_before():
    x = np.arange(6.0)
    assert np.delete(x, [True, False, False, False, False, True]).tolist() == [1, 2, 3, 4]
    assert np.insert(x, [1], [7.0, 8.0]).tolist() == numpy.insert(numpy.arange(6.0), [1], [7, 8]).tolist()
    assert np.insert(x, [True, False, False, False, False, False], 9.0).tolist() == [9, 0, 1, 2, 3, 4, 5]
    for call in (lambda: np.delete(x, 1.5), lambda: np.delete(x, np.array([0.5])), lambda: np.insert(x, 1.5, 2.0)):
        with pytest.raises(IndexError, match="E204"):
            call()
    tall = numpy.zeros((7, 3))
    numpy.fill_diagonal(tall, 5, wrap=True)
    ours = np.zeros((7, 3))
    np.fill_diagonal(ours, 5, wrap=True)
    assert ours.tolist() == tall.tolist()
    for call in (lambda: np.fill_diagonal(x.copy(), 1.0), lambda: np.fill_diagonal(np.zeros((2, 3, 3)), 1.0)):
        with pytest.raises(ValueError, match="E118"):
            call()


NAN = numpy.array([[1.0, numpy.nan, 3.0], [numpy.nan, 5.0, 7.0]], "f4")
MASK = numpy.array([[True, True, False], [False, True, True]])


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"])
def test_statistics_of_what_is_not_nan_take_keywords(name):
    calls = [{"where": MASK}, {"axis": 1, "where": MASK, "keepdims": True}]
    if name in ("nansum", "nanprod", "nanmax", "nanmin"):
        calls = [one | {"initial": 2.0} for one in calls] + [{"initial": 9.0, "axis": 0}]
    if name in ("nanvar", "nanstd"):
        calls += [{"correction": 1, "axis": 1}, {"mean": numpy.nanmean(NAN, 1, keepdims=True), "axis": 1}]
    for kwargs in calls:
        wanted = getattr(numpy, name)(NAN, **kwargs)
        ours = {key: np.array(one) if isinstance(one, numpy.ndarray) else one for key, one in kwargs.items()}

        def call(x, ours=ours):
            return getattr(np, name)(x, **ours)

        for run in (call, hybridize(call)):
            numpy.testing.assert_allclose(run(np.array(NAN)).asnumpy(), wanted, rtol=1e-5)
