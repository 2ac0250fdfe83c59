"""The scalar functions: what one means for a scalar is what the op that is made of it means for an array."""

import numpy
import pytest

from hybridize.base.dtypes import is_float
from hybridize.loops.functions import FUNCTIONS, Kind
from hybridize.ops import OPS, Elementwise
from tests.catalog.samples import samples
from tests.loops.interpret import MEANINGS

MADE = {word: cls for word, cls in OPS.items() if issubclass(cls, Elementwise)}
BITS = numpy.array([0, 1, -1, 7, -(2**31), 2**31 - 1], "i4")
INSIDE = {
    "signbit": (numpy.signbit, numpy.array([0.0, -0.0, 1.0, -numpy.inf], "f4")),
    "nextafter": (numpy.nextafter, numpy.array([0.0, 1.0, -2.5], "f4")),
    "bitcast": (lambda x: x, BITS),
    "umulh": (lambda x, y: (x.astype("u8") * y >> 32).astype("u4"), BITS.astype("u4")),
}
"""Functions that no op is made of: lowerings and code generation use them."""


def elements(name, dtype, arrays):
    flat = [numpy.broadcast_to(x, arrays[0].shape).reshape(-1)[:40] for x in arrays]
    return [dtype.type(MEANINGS[name](dtype, *scalars)) for scalars in zip(*flat, strict=True)]


@pytest.mark.parametrize("word", MADE)
def test_the_meaning_of_an_op_is_that_of_its_function(word):
    for sample in samples(MADE[word]):
        if sample.fails is None:
            with numpy.errstate(all="ignore"):
                (wanted,) = sample.op.reference(*sample.inputs)
                found = elements(sample.op.scalar, wanted.dtype, sample.inputs)
            wanted = wanted.reshape(-1)[:40]
            if is_float(wanted.dtype):
                found, wanted = numpy.array(found, "f8"), wanted.astype("f8")
                numpy.testing.assert_allclose(found, wanted, rtol=sample.rtol, atol=sample.atol)
            else:
                assert found == wanted.tolist()


@pytest.mark.parametrize("name", INSIDE)
def test_functions_that_no_op_is_made_of(name):
    wanted, x = INSIDE[name]
    arrays = [x, x[::-1].copy()][: FUNCTIONS[name].arity]
    result = wanted(*arrays)
    assert elements(name, result.dtype, arrays) == result.tolist()


def test_every_function_is_held_by_one_of_the_two():
    assert set(FUNCTIONS) == {cls.scalar for cls in MADE.values()} | set(INSIDE)
    for cls in MADE.values():
        function = FUNCTIONS[cls.scalar]
        takes = next(sample for sample in samples(cls) if sample.fails is None)
        assert function.arity == len(takes.inputs)
        assert cls.truth == (function.kind is Kind.TRUTH)
