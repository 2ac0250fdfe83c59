# SPDX-License-Identifier: Apache-2.0
"""What is no view is no view where nothing has to move, either: once, by blocks of one, of images of one pixel."""

import numpy
import pytest

from hybridize import autograd, hybridize, nd, np

SAME = {
    "tile": lambda x: np.tile(x, 1),
    "tile along axes": lambda x: np.tile(x, (1, 1, 1, 1)),
    "repeat": lambda x: np.repeat(x, 1, axis=2),
    "repeat of one pixel": lambda x: np.repeat(x, 3, axis=2),
    "roll": lambda x: np.roll(x, 0, axis=2),
    "pad": lambda x: np.pad(x, ((0, 0),) * 4),
    "depth_to_space": lambda x: nd.depth_to_space(x, 1),
    "depth_to_space of one pixel": lambda x: nd.depth_to_space(x, 2),
    "space_to_depth": lambda x: nd.space_to_depth(x, 1),
    "UpSampling": lambda x: nd.UpSampling(x, scale=1, sample_type="nearest"),
    "pooling": lambda x: nd.Pooling(x, kernel=(1, 1)),
    "concatenate": lambda x: np.concatenate([x]),
    "astype": lambda x: x.astype("float32"),
    "flatten": lambda x: x.flatten(),
    "take": lambda x: np.take(x, np.array([0]), axis=0),
}


@pytest.mark.parametrize("recorded", [False, True], ids=["plain", "recorded"])
@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", SAME)
def test_a_result_is_its_own(name, compiled, recorded):
    call = hybridize(SAME[name]) if compiled else SAME[name]
    x = np.array(numpy.arange(4, dtype="float32").reshape(1, 4, 1, 1))
    if recorded:
        x.attach_grad()
        with autograd.record():
            made = call(x)
    else:
        made = call(x)
    before = made.asnumpy().copy()
    x[:] = 7
    numpy.testing.assert_array_equal(made.asnumpy(), before)
    if not recorded:
        made[:] = 9
        numpy.testing.assert_array_equal(x.asnumpy(), numpy.full((1, 4, 1, 1), 7))
