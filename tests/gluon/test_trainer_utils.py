"""`gluon.utils`: batches cut for devices, gradients cut to a length, files checked."""

import hashlib
import math

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import hybridize
from hybridize.array import np
from hybridize.errors import DeviceError, LoadError
from hybridize.gluon import utils
from hybridize.gluon.utils import clip_global_norm, split_and_load, split_data
from tests.refusals import refusal


@given(size=st.integers(1, 20), parts=st.integers(1, 8), axis=st.sampled_from([0, 1, -1]))
def test_split_data(size, parts, axis):
    data = numpy.arange(size * size, dtype="float32").reshape(size, size)
    if size < parts:
        with pytest.raises(ValueError, match="E361"):
            split_data(np.array(data), parts, axis, even_split=False)
        return
    expected = numpy.array_split(data, parts, axis)
    if size % parts:
        with pytest.raises(ValueError, match="E361"):
            split_data(np.array(data), parts, axis)
    found = split_data(np.array(data), parts, axis, even_split=False)
    assert len(found) == parts
    assert all(numpy.array_equal(a.asnumpy(), b) for a, b in zip(found, expected, strict=True))


def test_split_and_load():
    devices = [hybridize.cpu(0), hybridize.cpu(1)]
    first, second = split_and_load(numpy.arange(8, dtype="float32").reshape(4, 2), devices)
    assert first.tolist() == [[0, 1], [2, 3]]
    assert second.tolist() == [[4, 5], [6, 7]]
    (whole,) = split_and_load([[1.0, 2.0]], device_list=[hybridize.cpu()])
    assert whole.tolist() == [[1.0, 2.0]]
    with pytest.raises(DeviceError, match="E701"):
        split_and_load(np.ones((4, 2)), ["gpu(0)"])
    with pytest.raises(ValueError, match="E361"):
        split_and_load(np.ones((4, 2)), [])


@given(st.floats(0.01, 10.0), st.integers(0, 100), st.sampled_from(["float16", "float32", "float64"]))
def test_clip_global_norm_is_pytorchs(max_norm, seed, dtype):
    generator = numpy.random.default_rng(seed)
    values = [generator.normal(size=shape).astype(dtype) for shape in ((3, 4), (5,), ())]
    ours = [np.array(value, dtype=dtype) for value in values]
    theirs = [torch.nn.Parameter(torch.zeros(value.shape, dtype=torch.float64)) for value in values]
    for one, value in zip(theirs, values, strict=True):
        one.grad = torch.tensor(value.astype("float64"))
    tolerance = {"float16": 2e-3, "float32": 1e-5, "float64": 3e-6}[dtype]  # PyTorch adds 1e-6, MXNet 1e-8
    length = clip_global_norm(ours, max_norm)
    expected = torch.nn.utils.clip_grad_norm_(theirs, max_norm)
    assert type(length) is float
    assert length == pytest.approx(float(expected), rel=tolerance)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.asnumpy() == pytest.approx(other.grad.numpy(), rel=tolerance, abs=tolerance)
        assert mine.dtype == dtype


def test_short_gradients_are_left_as_they_are():
    grads = [np.array([3.0]), np.array([4.0])]
    assert clip_global_norm(grads, 6.0) == 5.0
    assert [grad.item() for grad in grads] == [3.0, 4.0]
    assert clip_global_norm(grads, 1.0, check_isfinite=False).item() == 5.0
    assert [grad.item() for grad in grads] == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_length_of_halves_is_more_than_they_hold(dtype):
    grads = [np.array([300.0], dtype=dtype), np.array([400.0], dtype=dtype)]
    assert clip_global_norm(grads, 1.0) == 500.0
    assert [grad.item() for grad in grads] == pytest.approx([0.6, 0.8], rel=1e-2)


def test_gradients_of_a_generator_are_cut():
    grads = [np.array([3.0]), np.array([4.0])]
    assert clip_global_norm((grad for grad in grads), 1.0) == 5.0
    assert [grad.item() for grad in grads] == pytest.approx([0.6, 0.8])


def test_nan_is_told():
    with pytest.warns(UserWarning, match="NaN") as told:
        assert math.isnan(clip_global_norm([np.array([numpy.nan, 1.0])], 1.0))
    assert told[0].filename == __file__


def test_clip_global_norm_compiled():
    @hybridize.hybridize
    def clip(x, y):
        return clip_global_norm([x, y], 1.0)

    x, y = np.array([3.0]), np.array([4.0])
    assert clip(x, y).item() == 5.0
    assert (x.item(), y.item()) == pytest.approx((0.6, 0.8))


def test_wrong_calls():
    with pytest.raises(ValueError, match="E362"):
        clip_global_norm([], 1.0)
    with pytest.raises(ValueError, match="E362"):
        clip_global_norm([np.ones(2)], 0.0)
    with pytest.raises(ValueError, match=r"E362.*list of arrays"):
        clip_global_norm(np.ones(2), 1.0)
    for axis in (2, -3):
        with refusal(ValueError, f"E361.*no axis {axis}"):
            split_data(np.ones((4, 2)), 2, axis)
    for parts in (2.0, "2", 0):
        with refusal(ValueError, f"E361.*{parts!r} parts"):
            split_data(np.ones((4, 2)), parts)


def test_check_sha1(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"gluon" * 500_000)
    right = hashlib.sha1(path.read_bytes()).hexdigest()
    assert utils.check_sha1(path, right)
    assert utils.check_sha1(str(path), right.upper())
    assert not utils.check_sha1(path, "0" * 40)
    with pytest.raises(LoadError, match="E600"):
        utils.check_sha1(tmp_path / "none", right)
