# SPDX-License-Identifier: Apache-2.0
"""What LAPACK computes: types, and gradients of the first and second order against central differences."""

import numpy
import pytest

from hybridize import autograd
from hybridize.array import wrap
from hybridize.array.operands import operand, result
from hybridize.base.types import TensorType
from hybridize.ops import eigenvalues, elimination, factors, solutions
from hybridize.ops.matrices import Factor
from hybridize.ops.op import bind
from tests.catalog.samples import samples

CLASSES = [
    one for module in (eigenvalues, elimination, solutions, factors) for one in vars(module).values()
    if isinstance(one, type) and issubclass(one, Factor) and one is not Factor
]  # fmt: skip
SYMMETRIC = {"cholesky", "eigh"}
"""Ops that read one triangle: their gradient is that of the symmetric part."""


def cases(fails, finite=False):
    for cls in CLASSES:
        for number, sample in enumerate(samples(cls)):
            if (sample.fails is not None) is fails and (fails or not finite or is_finite(sample)):
                yield pytest.param(sample, id=f"{sample.op.name}.{number}")


def is_finite(sample):
    """Whether every matrix of the sample has what is asked of it, and its gradient."""
    found = sample.op.reference(*sample.inputs)
    if sample.op.name == "qr" and sample.op.complete and sample.inputs[0].shape[-2] > sample.inputs[0].shape[-1]:
        return False  # columns are not determined
    singular = sample.op.name == "lu" and not numpy.diagonal(found[0], axis1=-2, axis2=-1).all()
    return all(numpy.isfinite(y).all() for y in found) and not singular


def typed(x):
    return TensorType(x.shape, x.dtype)


@pytest.mark.parametrize("sample", list(cases(False)))
def test_infer_is_the_type_of_the_reference(sample):
    found = sample.op.reference(*sample.inputs)
    assert tuple(typed(x) for x in found) == sample.op.infer(*(typed(x) for x in sample.inputs))


@pytest.mark.parametrize("sample", list(cases(True)))
def test_inputs_that_must_fail(sample):
    with pytest.raises(sample.fails, match=r"E169|E221"):
        sample.op.infer(*(typed(x) for x in sample.inputs))


def weights(y, seed):
    return numpy.asarray(numpy.random.default_rng(y.size + seed).uniform(0.5, 1.5, y.shape))


def outputs(op, inputs):
    """The outputs, of inputs made symmetric where the op wants that."""
    if op.name in SYMMETRIC:
        inputs = [(x + x.swapaxes(-1, -2)) / 2 for x in inputs]
    return [result(y) for y in bind(op, *(operand(x) for x in inputs))]


def number(op, inputs, seed=0):
    return sum((y * wrap(weights(y, seed + n))).sum() for n, y in enumerate(outputs(op, inputs)))


def slopes(op, inputs, wanted, make):
    for k in wanted:
        x, found = inputs[k], numpy.zeros(inputs[k].shape)
        for place in numpy.ndindex(x.shape):
            centre = x[place]
            x[place] = centre + 1e-5
            above = make()
            x[place] = centre - 1e-5
            found[place] = (above - make()) / 2e-5
            x[place] = centre
        yield found


@pytest.mark.parametrize("sample", list(cases(False, finite=True)))
def test_the_gradient_is_the_central_difference(sample):
    inputs = [x.astype("f8") for x in sample.inputs]
    arrays = [wrap(x.copy()) for x in inputs]
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        loss = number(sample.op, arrays)
    loss.backward()
    wanted = slopes(sample.op, inputs, range(len(inputs)), lambda: float(number(sample.op, [wrap(x) for x in inputs])))
    for x, slope in zip(arrays, wanted, strict=True):
        numpy.testing.assert_allclose(x.grad.asnumpy(), slope, rtol=1e-5, atol=1e-6)


def twice(case):
    """Whether an op has a second gradient there: cofactors have, of matrices that have an inverse."""
    (sample,) = case.values
    return not sample.op.name.startswith("cofactor") or abs(numpy.linalg.det(sample.inputs[0])).min() >= 1e-3


@pytest.mark.parametrize("sample", list(filter(twice, cases(False, finite=True))))
def test_the_second_gradient_is_the_central_difference_of_the_first(sample):
    inputs = [x.astype("f8") for x in sample.inputs]

    def first(arrays):
        for x in arrays:
            x.attach_grad()
        with autograd.record():
            found = autograd.grad(number(sample.op, arrays), arrays, create_graph=True)
            return sum((g * wrap(weights(g, 7))).sum() for g in found)

    arrays = [wrap(x.copy()) for x in inputs]
    first(arrays).backward()
    wanted = slopes(sample.op, inputs, range(len(inputs)), lambda: float(first([wrap(x.copy()) for x in inputs])))
    for x, slope in zip(arrays, wanted, strict=True):
        numpy.testing.assert_allclose(x.grad.asnumpy(), slope, rtol=1e-4, atol=1e-5 * max(1, abs(slope).max(initial=0)))
