"""What the arguments of a net are called in files and messages."""

import pytest

from hybridize import np
from hybridize.gluon import nn


class Forward(nn.HybridBlock):
    def forward(self, left, right):
        return left + right


class Symbolic(nn.HybridBlock):
    def hybrid_forward(self, F, image, mask):
        return F.broadcast_mul(image, mask)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (Forward, ["left", "right"]),
        (Symbolic, ["image", "mask"]),
        (lambda: nn.Dense(2), ["data"]),
        (nn.HybridSequential, ["data"]),
    ],
)
def test_arguments_are_called_what_the_user_calls_them(make, names):
    net = make()
    if isinstance(net, nn.HybridSequential):
        net.add(nn.Dense(2))
    net.initialize()
    net.hybridize()
    net(*(np.ones((2, 3)) for _ in names))
    found = [value.name for value in net.program(*(np.ones((2, 3)) for _ in names)).captured.inputs]
    assert found[: len(names)] == names
