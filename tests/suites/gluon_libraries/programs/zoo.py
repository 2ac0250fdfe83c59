"""Nets of the zoos of gluoncv2 and gluoncv, a family each: made, run, hybridized, trained a step."""

from rules import Rule, numbers, stages

SIZES = {
    "dabnet_cityscapes": (1, 3, 128, 128), "espnetv2_wd2": (1, 3, 224, 224), "hardnet39ds": (1, 3, 224, 224),
    "menet108_8x1_g3": (1, 3, 224, 224), "mixnet_s": (1, 3, 224, 224),
}  # fmt: skip
OF_CIFAR = (4, 3, 32, 32)
GLUONCV2 = (
    "dabnet_cityscapes", "efficientnet_b0", "espnetv2_wd2", "ghostnet", "hardnet39ds", "igcv3_wd4", "mixnet_s",
    "mnasnet_small", "mobilenetv3_small_w7d20", "nin_cifar10", "peleenet", "preresnet20_cifar10", "regnetx002",
    "resnet10", "resnet20_cifar10", "rir_cifar10", "seresnet20_cifar10", "shufflenetv2_wd2", "sqnxt23_w1",
    "squeezenet_v1_0", "xdensenet40_2_k24_bc_cifar10", "wrn20_10_1bit_cifar10", "fractalnet_cifar10", "menet108_8x1_g3",
    "densenet40_k12_cifar10",
)  # fmt: skip
GLUONCV = (
    "alexnet", "cifar_residualattentionnet56", "cifar_resnet20_v1", "cifar_resnet20_v2", "cifar_resnext29_32x4d",
    "cifar_wideresnet16_10", "darknet53", "densenet121", "dla34", "googlenet", "hrnet_w18_small_v1_c", "inceptionv3",
    "mobilenet0.25", "mobilenetv2_0.25", "mobilenetv3_small", "resnest14", "resnet18_v1", "resnet18_v2",
    "resnet18_v1b_0.89", "resnet50_v1b_gn", "resnet50_v1s", "se_resnet18_v1", "se_resnext50_32x4d", "shufflenet_v1",
    "shufflenet_v2", "squeezenet1.1", "vgg11_bn", "xception", "mobile_pose_resnet18_v1b", "simple_pose_resnet18_v1b",
    "fcn_resnet50_voc", "psp_resnet50_voc", "deeplab_resnet50_voc", "icnet_resnet50_mhpv1",
    "slowfast_4x16_resnet50_kinetics400", "r2plus1d_resnet18_kinetics400", "ssd_300_vgg16_atrous_voc",
    "ssd_512_mobilenet1.0_voc", "yolo3_darknet53_voc", "yolo3_mobilenet1.0_voc", "faster_rcnn_resnet50_v1b_voc",
    "mask_rcnn_resnet18_v1b_coco", "center_net_resnet18_v1b_voc",
)  # fmt: skip
SIZES_CV = {
    "inceptionv3": (1, 3, 299, 299), "xception": (1, 3, 299, 299), "mobile_pose_resnet18_v1b": (1, 3, 128, 96),
    "simple_pose_resnet18_v1b": (1, 3, 128, 96), "fcn_resnet50_voc": (1, 3, 96, 96), "psp_resnet50_voc": (1, 3, 96, 96),
    "deeplab_resnet50_voc": (1, 3, 96, 96), "icnet_resnet50_mhpv1": (1, 3, 128, 128), "hrnet_w18_small_v1_c": (1, 3, 128, 128),
    "slowfast_4x16_resnet50_kinetics400": (1, 3, 36, 64, 64), "r2plus1d_resnet18_kinetics400": (1, 3, 16, 56, 56),
    "ssd_300_vgg16_atrous_voc": (1, 3, 300, 300), "ssd_512_mobilenet1.0_voc": (1, 3, 512, 512),
    "yolo3_darknet53_voc": (1, 3, 128, 128), "yolo3_mobilenet1.0_voc": (1, 3, 128, 128),
    "faster_rcnn_resnet50_v1b_voc": (1, 3, 128, 160), "mask_rcnn_resnet18_v1b_coco": (1, 3, 128, 160),
    "center_net_resnet18_v1b_voc": (1, 3, 128, 128),
}  # fmt: skip
SIZES_CV["psp_resnet50_voc"] = SIZES_CV["icnet_resnet50_mhpv1"] = (1, 3, 480, 480)
BASES = ("pose", "voc", "coco", "mhp", "kinetics")
DETECTORS = ("ssd", "yolo3", "faster", "mask", "center")


def gluoncv2(name):
    from gluoncv2.model_provider import get_model

    net = get_model(name, pretrained=False)
    net.initialize(Rule())
    return stages(net, numbers(SIZES.get(name, OF_CIFAR if "cifar" in name else (2, 3, 224, 224))))


def gluoncv(name):
    from gluoncv.model_zoo import get_model

    keywords = {"pretrained_base": False} if any(word in name for word in BASES) else {}
    net = get_model(name, pretrained=False, **keywords)
    net.initialize(Rule())
    size = OF_CIFAR if "cifar" in name else SIZES_CV.get(name, (2, 3, 224, 224))
    return stages(net, numbers(size), train=not name.startswith(DETECTORS))


PROGRAMS = {f"gluoncv2 {name}": (gluoncv2, name) for name in GLUONCV2} | {
    f"gluoncv {name}": (gluoncv, name) for name in GLUONCV
}
