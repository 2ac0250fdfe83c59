# SPDX-License-Identifier: Apache-2.0
"""Polynomials, phases, and statistics without NaN: NumPy's values, imperatively and compiled."""

import numpy
import pytest

from hybridize import errors, hybridize, np

X = numpy.random.default_rng(0).normal(size=(4, 5)) * 5
HOLES = X.copy()
HOLES[0, 1] = HOLES[1] = HOLES[:, 2] = numpy.nan
WHOLE = numpy.array([[0, 1, 2, -1, 0], [5, 0, 9, 4, -4]])

CASES = {
    f"{name}_{axis}_{keep}": (lambda m, x, name=name, axis=axis, keep=keep: getattr(m, name)(x, axis=axis, keepdims=keep), HOLES)
    for name in ("nanvar", "nanstd", "nanmedian") for axis in (None, 0, 1, (0, 1)) for keep in (False, True)
}  # fmt: skip
CASES |= {
    "nanvar_ddof": (lambda m, x: m.nanvar(x, axis=0, ddof=1), HOLES),
    "nanvar_too_few": (lambda m, x: m.nanvar(x, axis=0, ddof=4), HOLES),
    "nanmedian_even": (lambda m, x: m.nanmedian(x, 1), X[:, :4]),
    "polyval": (lambda m, x: m.polyval(x[0], x), X),
    "polyval_of_nothing": (lambda m, x: m.polyval(x[0, :0], x), X),
    "vander": (lambda m, x: m.vander(x[0]), X),
    "vander_up": (lambda m, x: m.vander(x[0], 3, True), X),
    "vander_0": (lambda m, x: m.vander(x[0], 0), X),
    "vander_1": (lambda m, x: m.vander(x[0], 1), X),
    "unwrap": (lambda m, x: m.unwrap(x), X),
    "unwrap_axis": (lambda m, x: m.unwrap(x, axis=0, period=3.0), X),
    "unwrap_discont": (lambda m, x: m.unwrap(x, discont=5.0), X),
    **{f"unwrap_whole_{n}": (lambda m, x, n=n: m.unwrap(x, period=n), WHOLE) for n in (3, 4, 5, 6)},
    "vander_whole": (lambda m, x: m.vander(x[0]), WHOLE),
    "polyval_whole": (lambda m, x: m.polyval(x[0], x), WHOLE),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "compiled"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_are_numpys(name, compiled):
    function, data = CASES[name]
    wanted = numpy.asarray(function(numpy, data))
    call = hybridize(lambda x: function(np, x)) if compiled else lambda x: function(np, x)
    found = call(np.array(data, dtype=data.dtype)).asnumpy()
    assert found.dtype == wanted.dtype
    numpy.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_vectors_are_wanted():
    with pytest.raises(errors.ShapeError, match="E118"):
        np.polyval(np.ones((2, 2)), 1.0)
    with pytest.raises(errors.ShapeError, match="E118"):
        np.vander(np.ones((2, 2)))
