# SPDX-License-Identifier: Apache-2.0
"""`autograd.set_recording` and `set_training`: modes without a `with` block, as MXNet's; the results are its 1.9.1's."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy
import pytest

from hybridize import autograd, gluon, hybridize, nd
from hybridize.base import modes
from hybridize.base.errors import CaptureError
from hybridize.ops.op import ACTIVE


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before = int(modes.BUSY[0]), list(ACTIVE)
    yield
    assert (autograd.is_recording(), autograd.is_training()) == (False, False)
    assert (int(modes.BUSY[0]), list(ACTIVE)) == before


def test_they_tell_what_was_before() -> None:
    assert [autograd.set_recording(on) for on in (True, True, False, False)] == [False, True, True, False]
    assert [autograd.set_training(on) for on in (True, True, False, False)] == [False, True, True, False]


def test_what_is_recorded_so_is_differentiated() -> None:
    w = nd.array([2.0])
    w.attach_grad()
    net = gluon.nn.Dense(1, in_units=1)
    net.initialize()
    net.hybridize()
    before = autograd.set_recording(True)
    y = w * w + net(w.reshape((1, 1))).reshape((1,))
    autograd.set_recording(before)
    z = w * 5
    y.backward()
    numpy.testing.assert_allclose(w.grad.asnumpy(), 4 + net.weight.data().asnumpy()[0], rtol=1e-6)
    with pytest.raises(Exception, match="E540"):
        z.backward()


@pytest.mark.parametrize("compiled", [False, True])
def test_layers_behave_so(compiled: bool) -> None:
    drop, x = gluon.nn.Dropout(0.5), nd.ones((1000,))
    if compiled:
        drop.hybridize()
    for _ in range(2):
        before = autograd.set_training(True)
        assert (drop(x).asnumpy() == 0).any()
        autograd.set_training(before)
        assert (drop(x).asnumpy() == 1).all()


def _modes() -> tuple[bool, bool]:
    return autograd.is_recording(), autograd.is_training()


def test_inside_of_blocks() -> None:
    with autograd.record():
        before = autograd.set_recording(False)
        assert (before, _modes()) == (True, (False, True))
        with autograd.pause():
            assert _modes() == (False, False)
            autograd.set_recording(True)
        assert _modes() == (False, True)
        autograd.set_recording(before)
        assert _modes() == (True, True)
        autograd.set_training(False)
        with autograd.train_mode():
            assert _modes() == (True, True)
            autograd.set_recording(False)
        assert _modes() == (False, False)
    assert _modes() == (False, False)


def test_blocks_inside_of_them() -> None:
    autograd.set_recording(True)
    autograd.set_training(True)
    with autograd.pause():
        assert _modes() == (False, False)
        autograd.set_training(True)
    assert _modes() == (True, True)
    with autograd.record(train_mode=False):
        assert _modes() == (True, False)
    autograd.set_recording(False)
    assert _modes() == (False, True)
    autograd.set_training(False)


def test_they_are_of_one_thread() -> None:
    autograd.set_recording(True)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(_modes()))
    thread.start()
    thread.join()
    autograd.set_recording(False)
    assert seen == [(False, False)]


@pytest.mark.parametrize("change", [autograd.set_recording, autograd.set_training])
def test_a_program_does_not_leave_modes_behind(change: object) -> None:
    with pytest.raises(CaptureError, match="E407"):
        hybridize(lambda x: (change(True), x)[1])(nd.ones(2))  # type: ignore[operator]
