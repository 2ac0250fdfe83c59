"""Nets of GluonCV's zoo that give a map: of classes, of joints, of depths."""

from rules import model, numbers, stages

SIZES = {
    "fcn_resnet50_voc": (96, 96), "psp_resnet50_ade": (480, 480), "deeplab_resnet50_ade": (480, 480),
    "icnet_resnet50_mhpv1": (480, 480), "fastscnn_citys": (1024, 2048), "danet_resnet50_citys": (480, 480),
    "hrnet_w18_small_v1_s": (480, 480), "deeplab_v3b_plus_wideresnet_citys": (480, 480),
    "simple_pose_resnet18_v1b": (128, 96), "mobile_pose_resnet18_v1b": (128, 96), "mobile_pose_mobilenet1.0": (128, 96),
    "alpha_pose_resnet101_v1b_coco": (128, 96), "monodepth2_resnet18_kitti_mono_640x192": (192, 640),
    "monodepth2_resnet18_posenet_kitti_mono_640x192": (192, 640),
}  # fmt: skip


def segmentation(name):
    net = model(name, pretrained_base=False)
    return stages(net, numbers((1, 3, *SIZES[name])), export=True)


PROGRAMS = {name: (segmentation, name) for name in SIZES}
