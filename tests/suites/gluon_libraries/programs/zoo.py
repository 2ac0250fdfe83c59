"""Nets of gluoncv, one of each family: made, run, hybridized, trained a step."""

from rules import Rule, numbers, stages

OF_CIFAR = (4, 3, 32, 32)
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


def gluoncv(name):
    from gluoncv.model_zoo import get_model

    keywords = {"pretrained_base": False} if any(word in name for word in BASES) else {}
    net = get_model(name, pretrained=False, **keywords)
    net.initialize(Rule())
    size = OF_CIFAR if "cifar" in name else SIZES_CV.get(name, (2, 3, 224, 224))
    return stages(net, numbers(size), train=not name.startswith(DETECTORS))


PROGRAMS = {f"gluoncv {name}": (gluoncv, name) for name in GLUONCV}
