# SPDX-License-Identifier: Apache-2.0
"""The networks by their names."""

from collections.abc import Callable
from typing import Any

from hybridize.base.errors import ValueArgumentError
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.model_zoo.vision import densenet, inception, mobilenet, mobilenet_v3, resnet, squeezenet, vgg
from hybridize.gluon.model_zoo.vision.alexnet import alexnet

_FAMILIES = (densenet, inception, mobilenet, mobilenet_v3, resnet, squeezenet, vgg)
MODELS: dict[str, Callable[..., Any]] = {
    make.model: make
    for make in (alexnet, *(one for family in _FAMILIES for one in vars(family).values()))
    if hasattr(make, "model")
}
"""The networks by the names that `get_model` knows, which are those of their files."""


def get_model(name: str, **kwargs: Any) -> HybridBlock:
    """Return a network by its name, such as `resnet18_v1` or `mobilenetv2_1.0`.

    Args:
        name: one of `MODELS`, in letters of any size.
        kwargs: of its function: `classes`, `pretrained`, `root`, `device`.

    Raises:
        ArgumentError E331: no such network.

    >>> from hybridize import gluon
    >>> net = gluon.model_zoo.get_model("mobilenetv2_1.0", classes=10)
    >>> type(net).__name__
    'MobileNetV2'
    """
    make = MODELS.get(str(name).lower())
    if make is None:
        known = ", ".join(MODELS)
        raise ValueArgumentError("E345", f"the model zoo has no model {name!r}", help=f"one of {known}")
    net: HybridBlock = make(**kwargs)
    return net
