"""Nets of gluoncv2, one of each family: made, run, hybridized, trained a step, written and read back."""

import tempfile

import mxnet as mx
import numpy as np
from rules import Rule, flat, numbers, signature, stages

SIZES = {
    "dabnet_cityscapes": (1, 3, 128, 128), "espnetv2_wd2": (1, 3, 224, 224), "hardnet39ds": (1, 3, 224, 224),
    "menet108_8x1_g3": (1, 3, 224, 224), "mixnet_s": (1, 3, 224, 224),
}  # fmt: skip
OF_CIFAR = (4, 3, 32, 32)
NETS = (
    "dabnet_cityscapes", "efficientnet_b0", "espnetv2_wd2", "ghostnet", "hardnet39ds", "igcv3_wd4", "mixnet_s",
    "mnasnet_small", "mobilenetv3_small_w7d20", "nin_cifar10", "peleenet", "preresnet20_cifar10", "regnetx002",
    "resnet10", "resnet20_cifar10", "rir_cifar10", "seresnet20_cifar10", "shufflenetv2_wd2", "sqnxt23_w1",
    "squeezenet_v1_0", "xdensenet40_2_k24_bc_cifar10", "wrn20_10_1bit_cifar10", "fractalnet_cifar10", "menet108_8x1_g3",
    "densenet40_k12_cifar10", "octresnet10_ad2",
)  # fmt: skip
IMPERATIVE = ("wrn20_10_1bit_cifar10", "fractalnet_cifar10")
"""MXNet 1.9.1 does not hybridize them: they ask for shapes."""
DOUBLE = ("ghostnet", "sqnxt23_w1")
"""Their gradients in float32 are off by more than a thousandth, in MXNet, too: the two agree in float64."""


def gluoncv2(name):
    from gluoncv2.model_provider import get_model

    np.random.seed(0)  # of which fractalnet draws the paths that it drops
    keywords = {"in_size": (128, 128), "fixed_size": True} if name == "dabnet_cityscapes" else {}
    net = get_model(name, pretrained=False, **keywords)
    net.initialize(Rule())
    for parameter in net.collect_params().values():
        if parameter.name.endswith("mask"):  # else drawn by MXNet's shuffle
            parameter.set_data(mx.nd.array(np.indices(parameter.shape)[:2].sum(0) % 2))
    size = SIZES.get(name, OF_CIFAR if "cifar" in name else (2, 3, 224, 224))
    x = numbers(size)
    if name in DOUBLE:
        net(x)
        net.cast("float64")
        x = x.astype("float64")
    found = stages(net, x, hybridize=name not in IMPERATIVE)
    if name not in IMPERATIVE:
        found["read back"] = signature(*flat(read_back(net)(x)))
    return found


def read_back(net):
    """The net of the files that a net is written to."""
    with tempfile.TemporaryDirectory() as folder:
        net.export(f"{folder}/net")
        return mx.gluon.SymbolBlock.imports(f"{folder}/net-symbol.json", ["data"], f"{folder}/net-0000.params")


PROGRAMS = {f"gluoncv2 {name}": (gluoncv2, name) for name in NETS}
