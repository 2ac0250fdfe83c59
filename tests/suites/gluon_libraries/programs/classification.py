"""Classifiers of GluonCV's zoo, a family each: made, run, hybridized, written and read back, trained a step.

MXNet 1.9.1 itself does not run `resnet50_v1b_gn` hybridized, nor `nasnet_4_1056` at all on a CPU.
"""

from rules import model, numbers, stages

SIZES = {
    "cifar_residualattentionnet56": 32, "cifar_resnet20_v1": 32, "cifar_resnet20_v2": 32, "cifar_resnext29_32x4d": 32,
    "cifar_wideresnet16_10": 32, "mobilenet0.25": 64, "mobilenetv2_0.25": 64, "resnet18_v1": 64, "resnet18_v2": 64,
    "resnet18_v1b_0.89": 64, "se_resnet18_v1": 64, "resnet50_v1s": 64, "resnet50_v1d_0.11": 64,
    "resnest14": 64, "se_resnext50_32x4d": 64, "darknet53": 64, "squeezenet1.1": 224,
    "mobilenetv3_small": 64, "dla34": 64, "shufflenet_v1": 224, "shufflenet_v2": 64, "densenet121": 224, "googlenet": 224,
    "hrnet_w18_small_v1_c": 64, "alexnet": 224, "vgg11": 64, "vgg11_bn": 64, "xception": 96, "inceptionv3": 299,
    "senet_154": 64,
}  # fmt: skip


def classifier(name):
    return stages(model(name), numbers((2, 3, SIZES[name], SIZES[name])), export=True)


PROGRAMS = {name: (classifier, name) for name in SIZES}
