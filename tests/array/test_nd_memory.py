# SPDX-License-Identifier: Apache-2.0
"""What `nd` computes lies in memory of its own, as in MXNet 1: only indices of one piece and `reshape` give views."""

import numpy
import pytest

from hybridize import autograd, cpu, gluon, hybridize, nd, np
from hybridize.gluon import nn

BLOCKS = {"Flatten": nn.Flatten(), "Dropout": nn.Dropout(0.5), "HybridSequential": nn.HybridSequential()}
BLOCKS["HybridSequential"].add(nn.Dropout(0.5), nn.Flatten())
OWN = {
    "slice": lambda x: x.slice(begin=(0, 0), end=(1, 4)),
    "slice_axis": lambda x: x.slice_axis(axis=0, begin=0, end=1),
    "slice_like": lambda x: x.slice_like(nd.zeros((1, 2))),
    "a column": lambda x: x[:, 1],
    "columns": lambda x: x[:, 0:2],
    "last axis": lambda x: x[..., 0],
    "every second row": lambda x: x[::2],
    "reversed": lambda x: x[::-1],
    "part of rows": lambda x: x[0:2, 1:3],
    "every second of a row": lambda x: x[1:2, 0:4:2],
    "T": lambda x: x.T,
    "transpose": lambda x: x.transpose((0, 1)),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "reshape_like": lambda x: x.reshape_like(nd.zeros((4, 3))),
    "flatten": lambda x: x.flatten(),
    "expand_dims": lambda x: x.expand_dims(0),
    "squeeze": lambda x: x.squeeze(),
    "broadcast_to": lambda x: x.broadcast_to((3, 4)),
    "broadcast_like": lambda x: x.broadcast_like(x),
    "split": lambda x: x.split(num_outputs=3, axis=0, squeeze_axis=True)[0],
    "split_v2": lambda x: x.split_v2(3)[0],
    "flip": lambda x: x.flip(axis=0),
    "diag": lambda x: x.diag(),
    "ravel": lambda x: x.ravel(),
    "astype": lambda x: x.astype("float32"),
    "nd.reshape": lambda x: nd.reshape(x, shape=(4, 3)),
    "nd.transpose": nd.transpose,
    "nd.swapaxes": lambda x: nd.SwapAxis(x, dim1=1, dim2=1),
    "nd.flatten": nd.Flatten,
    "nd.expand_dims": lambda x: nd.expand_dims(x, axis=0),
    "nd.squeeze": nd.squeeze,
    "nd.broadcast_axis": lambda x: nd.broadcast_axis(nd.expand_dims(x, axis=0), axis=0, size=2),
    "nd.split": lambda x: nd.split(x, 2, axis=1)[0],
    "nd.SliceChannel": lambda x: nd.SliceChannel(x, num_outputs=3, axis=0)[1],
    "nd.moveaxis": lambda x: nd.moveaxis(x, 0, 1),
    "nd.reverse": lambda x: nd.reverse(x, axis=0),
    "nd.add_n": nd.add_n,
    "nd.Dropout": lambda x: nd.Dropout(x, p=0),
    "nd.SequenceMask": nd.SequenceMask,
    "nd.SequenceLast": nd.SequenceLast,
    "nd.cast": lambda x: nd.cast(x, dtype="float32"),
    "nd.identity": nd.identity,
    "nd.concat": lambda x: nd.concat(x, dim=0),
    "nd.transpose of an array of np": lambda x: nd.transpose(x.as_np_ndarray()),
    **BLOCKS,
}
VIEWS = {
    "a row": lambda x: x[1],
    "an element": lambda x: x[1, 2],
    "rows": lambda x: x[0:2],
    "rows by steps of an axis of one": lambda x: x[1:2, 0:4],
    "part of a row": lambda x: x[1, 1:3],
    "part of one row": lambda x: x[1:2, 1:3],
    "all": lambda x: x[:],
    "a new axis": lambda x: x[None],
    "reshape": lambda x: x.reshape((2, 6)),
    "reshape by codes": lambda x: x.reshape((-3,)),
    "flatten": lambda x: x.flatten(inplace=True),
    "expand_dims": lambda x: x.expand_dims(0, inplace=True),
    "squeeze": lambda x: x.squeeze(inplace=True),
    "detach": lambda x: x.detach(),
    "as_in_context": lambda x: x.as_in_context(cpu()),
    "astype": lambda x: x.astype("float32", copy=False),
}


def numbers():
    return nd.array(numpy.arange(12.0).reshape(3, 4))


def write(function, x):
    part = function(x)
    part[:] = -1
    return part


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", OWN)
def test_a_result_is_its_own(name, compiled):
    x = numbers()
    hybridize(write)(OWN[name], x) if compiled else write(OWN[name], x)
    assert (x.asnumpy() >= 0).all()
    part = (hybridize(OWN[name]) if compiled else OWN[name])(x)
    before = part.asnumpy()
    x[:] = -1
    assert (part.asnumpy() == before).all() and (before >= 0).all()
    part[:] = 7
    assert (x.asnumpy() == -1).all()


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_one(name, compiled):
    x = numbers()
    part = hybridize(write)(VIEWS[name], x) if compiled else write(VIEWS[name], x)
    assert (x.asnumpy() == -1).sum() == part.size


@pytest.mark.parametrize("name", OWN)
def test_gradients_reach_what_a_copy_is_of(name):
    x = numbers()
    x.attach_grad()
    with autograd.record(train_mode=False):
        part = OWN[name](x)
        y = (part * part).sum() + (x[0] * x.T[:, 1]).sum()
    y.backward()
    part = OWN[name](numbers()).asnumpy()
    slope = numpy.zeros((3, 4), "float32")
    slope[0], slope[1] = numbers()[1].asnumpy(), numbers()[0].asnumpy()
    gradient = x.grad.asnumpy() - slope
    repeats = 2 if name == "nd.broadcast_axis" else 1
    numpy.testing.assert_allclose(gradient.sum(), 2 * part.sum())
    numpy.testing.assert_allclose(gradient.max(), 2 * repeats * part.max())


def swapped(x):
    column = x[:, 0]
    x[:, 0] = x[:, 2]
    x[:, 2] = column
    left, right = nd.split(x, 2, axis=1)
    left -= 1
    x[:, 2:] -= x[:, :2]
    x[0] += 100
    return nd.concat(x, left, right, dim=1)


def chosen(x):
    part = x[:, nd.array([0, 2])]
    part.reshape((-1,))[0] = 55
    return part


@pytest.mark.parametrize("compiled", [False, True], ids=["imperative", "hybridized"])
def test_columns_change_places(compiled):
    x = numbers()
    y = (hybridize(swapped) if compiled else swapped)(x).asnumpy()
    rows = numpy.arange(12.0).reshape(3, 4)[:, [2, 1, 0, 3]]
    wanted = rows.copy()
    wanted[:, 2:] -= wanted[:, :2]
    wanted[0] += 100
    numpy.testing.assert_array_equal(y, numpy.hstack([wanted, rows[:, :2] - 1, rows[:, 2:]]))
    numpy.testing.assert_array_equal(x.asnumpy(), wanted)
    assert (hybridize(chosen) if compiled else chosen)(numbers())[0, 0].asscalar() == 55


class Halves(gluon.HybridBlock):
    """Views and copies in a net of the first generation."""

    def hybrid_forward(self, F, x):
        first, second = F.split(x, 2, axis=1)
        return F.concat(F.transpose(first), F.transpose(second), F.transpose(x[:, 1:3]), dim=1)


def test_a_program_of_copies_has_no_operation_for_them():
    net = Halves()
    y = net(numbers())
    net.hybridize()
    numpy.testing.assert_array_equal(net(numbers()).asnumpy(), y.asnumpy())
    names = [str(node.op) for node in hybridize(lambda x: x.T[:, 1]).program(numbers()).captured.nodes]
    of_np = hybridize(lambda x: x.T[:, 1]).program(np.array(numbers().asnumpy())).captured.nodes
    assert names == [str(node.op) for node in of_np]
