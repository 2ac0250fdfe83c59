# SPDX-License-Identifier: Apache-2.0
"""Networks that tell what an image shows: MXNet's zoo, layer by layer under the names that its files use.

One module for each family: `alexnet`, `vgg`, `squeezenet`, `densenet`, `inception`, `resnet`, `mobilenet`, and
`mobilenet_v3`, which MXNet does not have. What they share is in `parts`. All take images [batch, channels, height,
width]; `features` are the layers before the last one, `output` tells a number for each class.
"""

from hybridize.base.names import late, places
from hybridize.gluon.model_zoo.vision.alexnet import alexnet as alexnet

PLACES = places(
    "hybridize.gluon.model_zoo.vision",
    {
        "alexnet": "AlexNet",
        "densenet": "DenseNet densenet121 densenet161 densenet169 densenet201 get_densenet",
        "inception": "Inception3 inception_v3",
        "mobilenet": (
            "LinearBottleneck MobileNet MobileNetV2 get_mobilenet get_mobilenet_v2 mobilenet0_25 mobilenet0_5 "
            "mobilenet0_75 mobilenet1_0 mobilenet_v2_0_25 mobilenet_v2_0_5 mobilenet_v2_0_75 mobilenet_v2_1_0"
        ),
        "mobilenet_v3": "MobileNetV3 mobilenet_v3_large mobilenet_v3_small",
        "models": "MODELS get_model",
        "resnet": (
            "BasicBlockV1 BasicBlockV2 BottleneckV1 BottleneckV2 ResNetV1 ResNetV2 get_resnet resnet101_v1 "
            "resnet101_v2 resnet152_v1 resnet152_v2 resnet18_v1 resnet18_v2 resnet34_v1 resnet34_v2 resnet50_v1 "
            "resnet50_v2"
        ),
        "squeezenet": "SqueezeNet get_squeezenet squeezenet1_0 squeezenet1_1",
        "vgg": "VGG get_vgg vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn",
    },
)
"""Places of the networks, of what they are made of, and of the functions that make them."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
