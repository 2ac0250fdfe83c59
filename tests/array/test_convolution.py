"""npx.convolution and npx.deconvolution, and MXNet 1's: arguments, dtypes, expressions, what is refused and where."""

import numpy
import pytest
import torch
from torch.nn import functional

from hybridize import autograd, hybridize, nd, np, npx, sym
from hybridize.errors import ArgumentError, DTypeError, ShapeError, ValueArgumentError
from tests.refusals import refusal


def drawn(*shape, seed=0):
    return numpy.random.default_rng(seed).normal(size=shape).astype("f4")


IMAGE, WEIGHT, BIAS = drawn(2, 4, 6, 5), drawn(6, 2, 3, 2, seed=1), drawn(6, seed=2)
BACK = drawn(4, 3, 3, 2, seed=3)
ONE, TWO, THREE = (np.array(x) for x in (drawn(2, 4, 9), IMAGE, drawn(1, 2, 4, 3, 3)))
CONVOLVED = functional.conv2d(*map(torch.tensor, (IMAGE, WEIGHT, BIAS)), stride=2, padding=(1, 2), groups=2)
UP = functional.conv_transpose2d(
    *map(torch.tensor, (IMAGE, BACK, BIAS)), stride=(2, 1), padding=(1, 0), output_padding=(1, 0), groups=2
)


@pytest.mark.parametrize("compiled", [False, True], ids=["imperatively", "hybridized"])
@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x, w, b, v: npx.convolution(x, w, b, stride=2, pad=(1, 2), num_group=2), CONVOLVED),
        (
            lambda x, w, b, v: npx.convolution(
                data=x, weight=w, bias=b, kernel=(3, 2), stride=(2, 2), dilate=(), pad=[1, 2], num_filter=6,
                num_group=2, workspace=64, no_bias=False, cudnn_tune="off", cudnn_off=True, layout="NCHW",
            ),
            CONVOLVED,
        ),
        (lambda x, w, b, v: nd.Convolution(x, w, b, (3, 2), (2, 2), (), (1, 2), 6, 2), CONVOLVED),
        (
            lambda x, w, b, v: nd.Convolution(x, w, b, no_bias=True, num_group=2, name="conv", kernel=(3, 2)),
            functional.conv2d(torch.tensor(IMAGE), torch.tensor(WEIGHT), groups=2),
        ),
        (lambda x, w, b, v: npx.deconvolution(x, v, b, None, (2, 1), None, (1, 0), (1, 0), num_group=2), UP),
        (lambda x, w, b, v: nd.Deconvolution(x, v, b, (3, 2), (2, 1), target_shape=(12, 6), num_group=2), UP),
    ],
)  # fmt: skip
def test_arguments(function, wanted, compiled):
    arrays = [np.array(x) for x in (IMAGE, WEIGHT, BIAS, BACK)]
    found = hybridize(function)(*arrays) if compiled else function(*arrays)
    numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("x", "w", "dtype"),
    [
        ("float32", "float32", "float32"),
        ("int32", "float32", "float32"),
        ("float16", "float32", "float32"),
        ("float64", "float64", "float64"),
        ("int64", "int32", "float32"),
    ],
)
def test_dtypes_of_operands_meet(x, w, dtype):
    arrays = np.array(IMAGE * 3).astype(x), np.array(WEIGHT * 3).astype(w)
    found = npx.convolution(*arrays, num_group=2)
    assert found.dtype == dtype
    wanted = functional.conv2d(*(torch.tensor(each.asnumpy()).double() for each in arrays), groups=2)
    numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-3, atol=1e-2)


def test_expressions():
    data, weight = sym.var("data", shape=(2, 4, 6, 5)), sym.var("weight", shape=(6, 2, 3, 2))
    y = sym.Convolution(data, weight, num_filter=6, kernel=(3, 2), num_group=2, no_bias=True)
    assert y.infer_shape()[1] == [(2, 6, 4, 4)]
    (found,) = y.eval(data=np.array(IMAGE), weight=np.array(WEIGHT))
    wanted = functional.conv2d(torch.tensor(IMAGE), torch.tensor(WEIGHT), groups=2)
    numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("function", "error", "said"),
    [
        (lambda: npx.convolution(TWO, np.ones((6, 4))), ShapeError, "E174.*2 channel axes and 1 to 3 more"),
        (lambda: npx.convolution(ONE, np.ones((6, 4, 1, 1))), ShapeError, "E174: convolution needs"),
        (lambda: npx.convolution(TWO, np.ones((6, 3, 1, 1))), ShapeError, "E174.*channels of x, 4, must be groups"),
        (lambda: npx.convolution(TWO, np.ones((6, 2, 1, 1)), num_group=4), ShapeError, "E174.*in 4 groups"),
        (lambda: npx.convolution(TWO, np.ones((6, 4, 7, 1))), ShapeError, "E175.*over 7 elements does not fit into 6"),
        (lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1)), np.ones(5)), ShapeError, "E174.*with a bias f32.5."),
        (
            lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1)), kernel=3),
            ShapeError,
            "E174.*for kernel=3 and layout NCHW",
        ),
        (lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1)), num_filter=4), ShapeError, "E174.*for num_filter=4"),
        (lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1)), stride=(1, 2, 3)), ArgumentError, "E398.*stride="),
        (lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1)), pad=-1), ArgumentError, "E398.*pad=-1"),
        (lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1)), dilate="2"), ArgumentError, "E398.*dilate='2'"),
        (lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1)), num_group=0), ArgumentError, "E398.*num_group=0"),
        (
            lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1)), layout="NCW"),
            ValueArgumentError,
            "E345.*'NCHW' or 'NHWC'",
        ),
        (lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1)), pad=1 << 61), ShapeError, "E173.*exceeds 64 bits"),
        (lambda: npx.convolution(TWO, np.ones((6, 4, 1, 1), dtype="complex64")), DTypeError, "E2"),
        (lambda: npx.deconvolution(TWO, np.ones((3, 4, 1, 1))), ShapeError, "E174.*must be the weight's 3"),
        (lambda: npx.deconvolution(TWO, np.ones((4, 4, 1, 1)), adj=1), ArgumentError, "E398.*smaller than the stride"),
        (lambda: npx.deconvolution(TWO, np.ones((4, 4, 1, 1)), pad=3), ShapeError, "E175.*axis 2, the result has no"),
        (lambda: npx.deconvolution(TWO, np.ones((4, 4, 1, 1)), target_shape=9), ShapeError, "E175.*6 elements where 9"),
        (lambda: npx.deconvolution(THREE, np.ones((2, 4, 1, 1, 1)), layout="NCHW"), ValueArgumentError, "E345"),
        (lambda: nd.Convolution(TWO, np.ones((6, 4, 1, 1)), kernel=(2, 2)), ShapeError, "E174"),
    ],
)
def test_what_is_refused(function, error, said):
    for call in (function, hybridize(lambda one: (function(), one)[0])):
        arguments = () if call is function else (ONE,)
        with refusal(error, f"(?s){said}") as caught:
            call(*arguments)
        assert caught.value.loc.file == __file__


def test_an_output_is_filled():
    out = np.zeros((2, 6, 4, 4))
    assert nd.Convolution(TWO, np.array(WEIGHT), num_group=2, out=out) is out
    wanted = functional.conv2d(torch.tensor(IMAGE), torch.tensor(WEIGHT), groups=2)
    numpy.testing.assert_allclose(out.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def test_gradients_by_both_operands_meet_where_they_are_one():
    x = np.array(drawn(3, 3, 3))
    x.attach_grad()
    with autograd.record():
        loss = (npx.convolution(x, x, pad=2) ** 2).sum()
    loss.backward()
    theirs = torch.tensor(x.asnumpy(), requires_grad=True)
    (functional.conv1d(theirs, theirs, padding=2) ** 2).sum().backward()
    numpy.testing.assert_allclose(x.grad.asnumpy(), theirs.grad, rtol=1e-4, atol=1e-3)
