"""Batches of lists of samples."""

import math
from collections import namedtuple

import numpy
import pytest

from hybridize import np
from hybridize.errors import ArgumentError, ValueArgumentError
from hybridize.gluon.data import batchify
from hybridize.gluon.data.batchify import default_batchify_fn
from tests.refusals import refusal


def test_stack_keeps_dtypes():
    for dtype in ("float16", "float32", "float64", "int32", "int64", "uint8", "bool"):
        for make in (np.array, numpy.array):
            batch = batchify.Stack()([make([[1, 0]], dtype=dtype)] * 3)
            assert batch.dtype == dtype
            assert batch.asnumpy().tolist() == [[[1, 0]]] * 3


def test_numbers():
    assert default_batchify_fn([1, 2]).dtype == "int64"
    assert default_batchify_fn([1.0, 2]).dtype == "float32"
    assert default_batchify_fn([True, False]).dtype == "bool"
    assert default_batchify_fn([numpy.float64(1), numpy.float64(2)]).dtype == "float64"
    assert default_batchify_fn([[1.0, 2.0], [3.0, 4.0]]).dtype == "float32"


def test_parts_of_tuples_are_a_list():
    Sample = namedtuple("Sample", "x y")
    x, y = default_batchify_fn([Sample(numpy.ones(2, "float32"), 3), Sample(numpy.zeros(2, "float32"), 4)])
    assert x.asnumpy().tolist() == [[1, 1], [0, 0]]
    assert y.asnumpy().tolist() == [3, 4]
    ((x, y), z) = default_batchify_fn([((1, 2), 3), ((4, 5), 6)])
    assert [v.asnumpy().tolist() for v in (x, y, z)] == [[1, 4], [2, 5], [3, 6]]


def test_a_batch_is_a_copy():
    row = np.zeros((2,))
    batch = batchify.Stack()([row])
    batch[:] = 5
    (one,) = batchify.Append()([row])
    one[:] = 5
    assert row.asnumpy().tolist() == [0, 0]


def test_pad():
    rows = [[1.0, 2.0, 3.0], [4.0], []]
    assert batchify.Pad(val=-1)(rows).asnumpy().tolist() == [[1, 2, 3], [4, -1, -1], [-1, -1, -1]]
    assert batchify.Pad()(rows).dtype == "float32"
    assert batchify.Pad(dtype="int32")(rows).dtype == "int32"
    assert batchify.Pad(round_to=4)(rows).shape == (3, 4)
    padded = batchify.Pad()([np.ones((2, 1), dtype="int32"), numpy.ones((1, 3), dtype="int32")])
    assert padded.asnumpy().tolist() == [[[1, 0, 0], [1, 0, 0]], [[1, 1, 1], [0, 0, 0]]]
    assert padded.dtype == "int32"


def test_samples_of_several_dtypes_are_not_cut():
    for make in (batchify.Pad(), batchify.Stack()):
        batch = make([numpy.array([1, 2]), numpy.array([0.5, 0.25], "float32")])
        assert (batch.dtype, batch.asnumpy().tolist()) == ("float32", [[1, 2], [0.5, 0.25]])
        batch = make([numpy.array([1], "int8"), numpy.array([300], "int16")])
        assert (batch.dtype, batch.asnumpy().tolist()) == ("int16", [[1], [300]])
        assert make([np.ones(2, dtype="bfloat16"), np.ones(2, dtype="float16")]).dtype == "float32"
    ints = batchify.Pad()([[1, 2], []])
    assert (ints.dtype, ints.asnumpy().tolist()) == ("int64", [[1, 2], [0, 0]])
    assert batchify.Pad()([3, 4]).asnumpy().tolist() == [3, 4]


@pytest.mark.parametrize("value", [0.5, math.nan, math.inf, -129, 128])
def test_what_a_dtype_does_not_hold_cannot_fill_it(value):
    with pytest.raises(ArgumentError, match=r"E376.*int8"):
        batchify.Pad(val=value)([numpy.ones(2, "int8"), numpy.ones(1, "int8")])
    found = batchify.Pad(val=value, dtype="float32")([[1, 2], [1]]).asnumpy()
    numpy.testing.assert_array_equal(found, [[1, 2], [1, value]])


def test_arguments_of_pad():
    for wrong in ({"round_to": 0}, {"round_to": 2.5}, {"val": "a"}):
        with refusal(ArgumentError, f"E376.*{next(iter(wrong))}"):
            batchify.Pad(**wrong)


def test_append():
    a, b = batchify.Append()([numpy.ones(2), numpy.ones(3)])
    assert (a.shape, b.shape) == ((1, 2), (1, 3))
    a, b = batchify.Append(batch_axis=1)([numpy.ones(2), numpy.ones(3)])
    assert (a.shape, b.shape) == ((2, 1), (3, 1))
    a, b = batchify.Append(expand=False)([numpy.ones(2), numpy.ones(3)])
    assert (a.shape, b.shape) == ((2,), (3,))


def test_group_and_lists():
    samples = [([1, 2], 7, "a"), ([3], 8, "b")]
    x, y, z = batchify.Group(batchify.Pad(), batchify.Stack(), batchify.AsList())(samples)
    assert x.asnumpy().tolist() == [[1, 2], [3, 0]]
    assert y.asnumpy().tolist() == [7, 8]
    assert z == ["a", "b"]
    assert type(batchify.Group([batchify.Pad(), batchify.Stack(), batchify.AsList()])(samples)) is tuple
    with pytest.raises(ValueArgumentError, match=r"E379.*2 functions.*3 parts"):
        batchify.Group(batchify.Pad(), batchify.Stack())(samples)
    with pytest.raises(ValueArgumentError, match=r"E379.*2 functions.*1 parts"):
        batchify.Group(batchify.Pad(), batchify.Stack())([1, 2])


@pytest.mark.parametrize("make", [batchify.Stack(), batchify.Pad(), batchify.Append(), default_batchify_fn])
def test_no_samples_make_no_batch(make):
    with pytest.raises(ValueArgumentError, match=r"E379.*empty batch"):
        make([])


@pytest.mark.parametrize(
    ("samples", "text"),
    [
        ([numpy.ones(2), numpy.ones(3)], r"\(2,\), \(3,\)"),
        ([numpy.ones(2), 1.0], r"\(2,\), \(\)"),
        (["a", "b"], "sample of str"),
        ([None], "sample of NoneType"),
        ([[1, 2], [[1], [2, 3]]], "sample of list"),
        ([(1, 2), (1, 2, 3)], r"\[2, 3\]"),
        ([2**70], "sample of int"),
    ],
)
def test_samples_that_make_no_batch(samples, text):
    with refusal(ValueArgumentError, f"E379.*{text}"):
        default_batchify_fn(samples)
