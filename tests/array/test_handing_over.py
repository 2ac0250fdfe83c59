"""Memory of an emulated device, under a kind of its own: we take it from each other, and others refuse it."""

import gc

import numpy
import pytest
import torch

from hybridize import gpu, np, npx
from hybridize.errors import ArgumentError
from hybridize.runtime.devices import opened
from tests.refusals import refusal

pytestmark = pytest.mark.usefixtures("two_gpus")


def test_it_is_taken_as_it_is():
    x = np.arange(6, ctx=gpu(1)).reshape(2, 3)
    y = np.from_dlpack(x[:, 1:])
    assert y.device == gpu(1) and y.storage.exposed and x.__dlpack_device__() == (255, 1)
    y[...] = 7
    assert x.asnumpy().tolist() == [[0, 7, 7], [3, 7, 7]]
    z = npx.from_dlpack(npx.to_dlpack_for_read(x.T))
    assert (z.asnumpy() == x.asnumpy().T).all() and not hasattr(x, "__cuda_array_interface__")


def test_it_is_there_for_as_long_as_somebody_has_it():
    device = opened(0)
    before = device.memory()
    x = np.ones(300, ctx=gpu(0))
    y = np.from_dlpack(x)
    del x
    gc.collect()
    assert (y.asnumpy() == 1).all() and device.memory() < before
    del y
    gc.collect()
    assert device.memory() == before


def test_updates_in_place_are_seen_by_both():
    x = np.ones(3, ctx=gpu(0))
    y = np.from_dlpack(x)
    x += 1
    x *= 3
    assert y.asnumpy().tolist() == [6, 6, 6]


@pytest.mark.parametrize("take", [numpy.from_dlpack, torch.from_dlpack])
def test_others_refuse_it(take):
    with pytest.raises((RuntimeError, BufferError)):
        take(np.ones(3, ctx=gpu(0)))


def test_a_view_that_repeats_elements_is_read_only_there_too():
    y = np.from_dlpack(np.broadcast_to(np.ones(3, ctx=gpu(0)), (2, 3)))
    assert y.strides == (0, 4)
    with refusal(ArgumentError, "E306"):
        y[0] = 1
