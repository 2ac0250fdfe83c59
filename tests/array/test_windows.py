"""Imperative convolutions: a compiled program where they are worth one, whatever the arguments and whoever records."""

import numpy
import pytest

from hybridize import autograd, np, npx
from hybridize.array import windows
from hybridize.ops.contract import RUNNER, Contract

IMAGE, WEIGHT = (3, 6, 16, 15), (8, 6, 3, 3)


def drawn(*shape, seed=0, dtype="f4"):
    return numpy.random.default_rng(seed).normal(size=shape).astype(dtype)


@pytest.fixture
def made(monkeypatch):
    """Programs of this test alone."""
    fresh = windows.Windows()
    monkeypatch.setattr(RUNNER, "value", fresh.run)
    return fresh


def by_numpy(monkeypatch, function):
    """What NumPy's products give."""
    with monkeypatch.context() as patch:
        patch.setattr(RUNNER, "value", lambda op, x, w: op.product(x, w))
        return function()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_large_ones_run_programs_forward_and_backward(made, monkeypatch, dtype, layout):
    x, w = drawn(*IMAGE), drawn(*WEIGHT, seed=1)
    if layout == "NHWC":
        x, w = numpy.moveaxis(x, 1, -1), numpy.moveaxis(w, 1, -1)
    rtol = {"float64": 1e-10, "float32": 1e-4, "float16": 1e-2}[dtype]

    def step():
        image, weight = np.array(x, dtype=dtype), np.array(w, dtype=dtype)
        plain = npx.convolution(image, weight, pad=1, stride=2, layout=layout)
        for array in (image, weight):
            array.attach_grad()
        with autograd.record():
            y = npx.convolution(image, weight, pad=1, stride=2, layout=layout)
        y.backward()
        numpy.testing.assert_array_equal(plain.asnumpy(), y.asnumpy())
        return y.asnumpy(), image.grad.asnumpy(), weight.grad.asnumpy()

    found = step()
    assert len(made.programs) == 3
    for one, other in zip(found, by_numpy(monkeypatch, step), strict=True):
        assert one.dtype == dtype
        numpy.testing.assert_allclose(one, other, rtol=rtol, atol=10 * rtol)


def test_small_ones_and_what_has_no_windows_stay_with_numpy(made):
    npx.convolution(np.array(drawn(1, 2, 5, 5)), np.array(drawn(2, 2, 3, 3)))
    np.einsum("nchw,oc->nohw", np.array(drawn(4, 16, 12, 12)), np.array(drawn(32, 16)))
    assert not made.programs


def test_any_batch_is_one_program_from_the_second_on(made, monkeypatch):
    compiled = []
    original = windows.Single._compiled
    monkeypatch.setattr(windows.Single, "_compiled", lambda self, key: compiled.append(key) or original(self, key))
    weight = np.array(drawn(*WEIGHT, seed=1))
    weight.attach_grad()
    for rows in (8, 6, 7, 5, 8):
        x = np.array(drawn(rows, *IMAGE[1:], seed=rows))
        x.attach_grad()
        with autograd.record():
            y = npx.convolution(x, weight)
        y.backward()
        found = [y.asnumpy(), x.grad.asnumpy(), weight.grad.asnumpy()]
        want = by_numpy(monkeypatch, lambda x=x: [npx.convolution(x, weight).asnumpy()])
        numpy.testing.assert_allclose(found[0], want[0], rtol=1e-4, atol=1e-4)
    assert len(compiled) == 6, "one of the first size and one of any, of the layer and of its two gradients"
    assert len(made.programs) == 12


def test_operands_that_are_strided_or_read_only(made):
    x, weight = drawn(*IMAGE), np.array(drawn(*WEIGHT, seed=1))
    want = npx.convolution(np.array(x), weight).asnumpy()
    x.flags.writeable = False
    turned = np.array(numpy.moveaxis(x, 1, -1).copy()).transpose(0, 3, 1, 2)
    for other in (np.array(x), turned, np.array(x[:, ::-1].copy())[:, ::-1]):
        numpy.testing.assert_array_equal(npx.convolution(other, weight).asnumpy(), want)
    assert len(made.programs) == 1


def test_the_oldest_programs_go(made, monkeypatch):
    monkeypatch.setattr(windows, "LIMIT", 2)
    weight = np.array(drawn(*WEIGHT))
    for size in (12, 13, 14):
        npx.convolution(np.array(drawn(3, 6, size, size)), weight)
    assert len(made.programs) == 2
    assert len(made._layers) == 2


def test_rows_are_a_letter_that_nothing_else_depends_on():
    for spec, rows in {
        "ad[2c+e-1],bde->abc": (True, False),
        "cae,cbe->ab": (True, True),
        "[a+b]c,bc->a": (False, False),
        "a[a+b],b->a": (False, False),
        "ca[c+b],cb->ca": (False, False),
        "ab[c+d],[a+d]->abc": (False, False),
    }.items():
        assert windows._rows(Contract(spec)) == rows
