"""Buffers of a device are views as NumPy's arrays are: the same type, sizes, strides and elements, whoever writes them."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, basic_indices

from hybridize.compiler import strided as strided  # how views are copied
from hybridize.errors import DeviceError
from hybridize.runtime import devices
from hybridize.runtime.device_buffers import DeviceBuffer, new_buffer, sent
from tests.device.emulated import Emulated
from tests.refusals import refusal


def on(values, number=0):
    return sent(values, Emulated(), number)


def viewed(array, key):
    """A view, of no axes, too, where NumPy gives a scalar."""
    key = key if isinstance(key, tuple) else (key,)
    return array[key if Ellipsis in key else (*key, ...)]


@settings(max_examples=40, deadline=None)
@given(some.data())
def test_views_of_views_are_numpys(data):
    shape = data.draw(array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    values = numpy.arange(numpy.prod(shape, dtype=int), dtype="int32").reshape(shape)
    buffer, part = on(values), values
    view = buffer
    for _ in range(2):
        key = data.draw(basic_indices(part.shape, allow_newaxis=True, allow_ellipsis=True))
        view, part = view[key], viewed(part, key)
    assert (view.shape, view.dtype, view.nbytes, view.ndim) == (part.shape, part.dtype, part.nbytes, part.ndim)
    assert (view.strides == part.strides or not part.size) and view.flags.c_contiguous == part.flags.c_contiguous
    assert view.base is buffer.base and (view.to_host() == part).all()
    if part.size:
        shift = part.__array_interface__["data"][0] - values.__array_interface__["data"][0]
        assert view.address - buffer.address == shift
    more = numpy.arange(part.size, dtype="int32").reshape(part.shape) + 1000
    view[...], part[...] = more, more
    assert (buffer.to_host() == values).all()


@settings(max_examples=40, deadline=None)
@given(some.data())
def test_elements_in_common_are_seen(data):
    values = numpy.zeros((4, 5), "int16")
    buffer = on(values)
    keys = [data.draw(basic_indices((4, 5))) for _ in range(2)]
    one, other = (viewed(values, key) for key in keys)
    first, second = (buffer[key] for key in keys)
    if numpy.shares_memory(one, other):
        assert first.overlaps(second) and second.overlaps(first)
    if first.overlaps(second):
        assert numpy.may_share_memory(one, other)
    assert not first.overlaps(on(values)) and not first.overlaps(one)


@pytest.mark.parametrize("number", [0, 1])
def test_copies_between_buffers_go_the_short_way_where_they_can(number, monkeypatch):
    here = Emulated()
    values = numpy.arange(12, dtype="float32").reshape(3, 4)
    source = sent(values, here, 0)
    there = here if number == 0 else Emulated()
    outside = []
    monkeypatch.setattr(Emulated, "copy_out", lambda *args, copy=Emulated.copy_out: outside.append(args) or copy(*args))
    copied = source.copied_to(there, number)
    assert not outside and copied.device == f"gpu({number})"
    rows = new_buffer(there, number, (2, 4), "float32")
    rows[...] = source[1:]
    columns = source.copied_to(there, number)
    assert not outside
    columns[:, 1] = source[:, 2]
    expected = values.copy()
    expected[:, 1] = values[:, 2]
    assert (
        (copied.to_host() == values).all()
        and (rows.to_host() == values[1:]).all()
        and (columns.to_host() == expected).all()
    )


def test_numpy_does_not_compute_with_a_buffer():
    buffer = on(numpy.ones(3))
    for use in (lambda: numpy.asarray(buffer), lambda: numpy.exp(buffer), lambda: numpy.ones(3) + buffer):
        with refusal(DeviceError, r"E705: an operation reads f64\[3\] on gpu\(0\)"):
            use()


def test_memory_that_was_not_to_be_had_is_not_given_back():
    class Full(Emulated):
        def alloc(self, nbytes):
            raise MemoryError

    with pytest.raises(MemoryError):
        sent(numpy.ones(3), Full(), 0)
    device = Emulated()
    buffer = sent(numpy.ones(3), device, 0)
    view = buffer[1:]
    assert isinstance(view, DeviceBuffer) and len(device.heap.living()) == 1
    del buffer
    assert view.to_host().tolist() == [1, 1]
    del view
    assert device.heap.living() == []


def test_memory_goes_back_where_python_ends_and_modules_are_empty(monkeypatch):
    device = Emulated()
    buffer = sent(numpy.ones(3), device, 0)
    monkeypatch.setattr(devices, "_INHERITED", None)
    buffer.base.__del__()
    del buffer.base.address  # once
    device.close()
