# SPDX-License-Identifier: Apache-2.0
"""Networks that tell what an image shows: MXNet's zoo, layer by layer under the names that its files use.

One module for each family: `alexnet`, `vgg`, `squeezenet`, `densenet`, `inception`, `resnet`, `mobilenet`, and
`mobilenet_v3`, which MXNet does not have. What they share is in `parts`. All take images [batch, channels, height,
width]; `features` are the layers before the last one, `output` tells a number for each class.
"""

from collections.abc import Callable
from typing import Any

from hybridize.base.errors import ArgumentError
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.model_zoo.vision.alexnet import AlexNet as AlexNet
from hybridize.gluon.model_zoo.vision.alexnet import alexnet as alexnet
from hybridize.gluon.model_zoo.vision.densenet import DenseNet as DenseNet
from hybridize.gluon.model_zoo.vision.densenet import densenet121 as densenet121
from hybridize.gluon.model_zoo.vision.densenet import densenet161 as densenet161
from hybridize.gluon.model_zoo.vision.densenet import densenet169 as densenet169
from hybridize.gluon.model_zoo.vision.densenet import densenet201 as densenet201
from hybridize.gluon.model_zoo.vision.densenet import get_densenet as get_densenet
from hybridize.gluon.model_zoo.vision.inception import Inception3 as Inception3
from hybridize.gluon.model_zoo.vision.inception import inception_v3 as inception_v3
from hybridize.gluon.model_zoo.vision.mobilenet import LinearBottleneck as LinearBottleneck
from hybridize.gluon.model_zoo.vision.mobilenet import MobileNet as MobileNet
from hybridize.gluon.model_zoo.vision.mobilenet import MobileNetV2 as MobileNetV2
from hybridize.gluon.model_zoo.vision.mobilenet import get_mobilenet as get_mobilenet
from hybridize.gluon.model_zoo.vision.mobilenet import get_mobilenet_v2 as get_mobilenet_v2
from hybridize.gluon.model_zoo.vision.mobilenet import mobilenet0_5 as mobilenet0_5
from hybridize.gluon.model_zoo.vision.mobilenet import mobilenet0_25 as mobilenet0_25
from hybridize.gluon.model_zoo.vision.mobilenet import mobilenet0_75 as mobilenet0_75
from hybridize.gluon.model_zoo.vision.mobilenet import mobilenet1_0 as mobilenet1_0
from hybridize.gluon.model_zoo.vision.mobilenet import mobilenet_v2_0_5 as mobilenet_v2_0_5
from hybridize.gluon.model_zoo.vision.mobilenet import mobilenet_v2_0_25 as mobilenet_v2_0_25
from hybridize.gluon.model_zoo.vision.mobilenet import mobilenet_v2_0_75 as mobilenet_v2_0_75
from hybridize.gluon.model_zoo.vision.mobilenet import mobilenet_v2_1_0 as mobilenet_v2_1_0
from hybridize.gluon.model_zoo.vision.mobilenet_v3 import MobileNetV3 as MobileNetV3
from hybridize.gluon.model_zoo.vision.mobilenet_v3 import mobilenet_v3_large as mobilenet_v3_large
from hybridize.gluon.model_zoo.vision.mobilenet_v3 import mobilenet_v3_small as mobilenet_v3_small
from hybridize.gluon.model_zoo.vision.resnet import BasicBlockV1 as BasicBlockV1
from hybridize.gluon.model_zoo.vision.resnet import BasicBlockV2 as BasicBlockV2
from hybridize.gluon.model_zoo.vision.resnet import BottleneckV1 as BottleneckV1
from hybridize.gluon.model_zoo.vision.resnet import BottleneckV2 as BottleneckV2
from hybridize.gluon.model_zoo.vision.resnet import ResNetV1 as ResNetV1
from hybridize.gluon.model_zoo.vision.resnet import ResNetV2 as ResNetV2
from hybridize.gluon.model_zoo.vision.resnet import get_resnet as get_resnet
from hybridize.gluon.model_zoo.vision.resnet import resnet18_v1 as resnet18_v1
from hybridize.gluon.model_zoo.vision.resnet import resnet18_v2 as resnet18_v2
from hybridize.gluon.model_zoo.vision.resnet import resnet34_v1 as resnet34_v1
from hybridize.gluon.model_zoo.vision.resnet import resnet34_v2 as resnet34_v2
from hybridize.gluon.model_zoo.vision.resnet import resnet50_v1 as resnet50_v1
from hybridize.gluon.model_zoo.vision.resnet import resnet50_v2 as resnet50_v2
from hybridize.gluon.model_zoo.vision.resnet import resnet101_v1 as resnet101_v1
from hybridize.gluon.model_zoo.vision.resnet import resnet101_v2 as resnet101_v2
from hybridize.gluon.model_zoo.vision.resnet import resnet152_v1 as resnet152_v1
from hybridize.gluon.model_zoo.vision.resnet import resnet152_v2 as resnet152_v2
from hybridize.gluon.model_zoo.vision.squeezenet import SqueezeNet as SqueezeNet
from hybridize.gluon.model_zoo.vision.squeezenet import get_squeezenet as get_squeezenet
from hybridize.gluon.model_zoo.vision.squeezenet import squeezenet1_0 as squeezenet1_0
from hybridize.gluon.model_zoo.vision.squeezenet import squeezenet1_1 as squeezenet1_1
from hybridize.gluon.model_zoo.vision.vgg import VGG as VGG
from hybridize.gluon.model_zoo.vision.vgg import get_vgg as get_vgg
from hybridize.gluon.model_zoo.vision.vgg import vgg11 as vgg11
from hybridize.gluon.model_zoo.vision.vgg import vgg11_bn as vgg11_bn
from hybridize.gluon.model_zoo.vision.vgg import vgg13 as vgg13
from hybridize.gluon.model_zoo.vision.vgg import vgg13_bn as vgg13_bn
from hybridize.gluon.model_zoo.vision.vgg import vgg16 as vgg16
from hybridize.gluon.model_zoo.vision.vgg import vgg16_bn as vgg16_bn
from hybridize.gluon.model_zoo.vision.vgg import vgg19 as vgg19
from hybridize.gluon.model_zoo.vision.vgg import vgg19_bn as vgg19_bn

MODELS: dict[str, Callable[..., Any]] = {
    make.model: make for make in tuple(globals().values()) if hasattr(make, "model")
}
"""The networks by the names that `get_model` knows, which are those of their files."""


def get_model(name: str, **kwargs: Any) -> HybridBlock:
    """Make a network by its name, as `resnet18_v1` or `mobilenetv2_1.0`.

    Args:
        name: one of `MODELS`, in letters of any size.
        kwargs: of its function: `classes`, `pretrained`, `root`, `device`.

    Raises:
        ArgumentError E331: no such network.
    """
    make = MODELS.get(str(name).lower())
    if make is None:
        known = ", ".join(MODELS)
        raise ArgumentError("E331", f"there is no model {name!r} in the zoo", help=f"one of {known}")
    net: HybridBlock = make(**kwargs)
    return net
