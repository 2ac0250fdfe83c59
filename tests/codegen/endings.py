"""Epilogues of products, as graphs would make them: nothing, or the sums of the gates and a bias."""

from hybridize.base.dims import product
from hybridize.base.dtypes import is_float
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param, Statement
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import named_target
from hybridize.schedule.contraction.ending import ACCUMULATED, Ending, plain_ending


def of_result(spec):
    """The axes of a product's result, and what its sums and results are."""
    sizes = spec.batch, spec.m, spec.columns
    space = Space(Interner(), dict(enumerate(sizes)))
    return space, sizes, Arithmetic(spec.dtype, named_target("avx512"))


def plain(spec):
    """Sums are stored as they are."""
    space, sizes, arithmetic = of_result(spec)
    return plain_ending(space, arithmetic.result, product(sizes), space.flat(tuple(map(space.axis, range(3))), sizes))


def ending(spec, *, bias=None, cut=False):
    """The sum of gate 0, twice that of gate 1, and so on; plus `bias(space)` of param 1; `cut`: at least 0."""
    space, sizes, arithmetic = of_result(spec)
    interner, dtype = space.interner, arithmetic.accumulate
    place = space.flat(tuple(map(space.axis, range(3))), sizes)
    value = interner.load(dtype, ACCUMULATED, (place,))
    if bias is not None:
        value = interner.call(dtype, "add", (value, interner.load(dtype, 1, (bias(space),))))
    for gate in range(1, spec.gates):
        factor = interner.const(dtype, float(gate + 1) if is_float(dtype) else gate + 1)
        one = interner.call(dtype, "mul", (interner.load(dtype, ACCUMULATED - gate, (place,)), factor))
        value = interner.call(dtype, "add", (value, one))
    if cut:
        value = interner.call(dtype, "max", (value, interner.const(dtype, 0.0)))
    params = Param(dtype, product(sizes), True), Param(dtype, spec.batch * spec.columns, False)
    return Ending(params, (Statement(0, place, value),))
