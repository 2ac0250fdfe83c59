"""Nets of GluonCV's zoo that give a map: of classes, of joints, of depths."""

from rules import model, numbers, stages

NETS = {
    "fcn_resnet50_voc": ((96, 96), {"crop_size": 96}), "psp_resnet50_ade": ((96, 96), {"crop_size": 96}),
    "deeplab_resnet50_ade": ((96, 96), {"crop_size": 96}), "icnet_resnet50_mhpv1": ((480, 480), {}),
    "danet_resnet50_citys": ((96, 96), {"crop_size": 96}), "hrnet_w18_small_v1_s": ((480, 480), None),
    "fastscnn_citys": ((192, 192), {"height": 192, "width": 192}),
    "simple_pose_resnet18_v1b": ((128, 96), {}), "mobile_pose_resnet18_v1b": ((128, 96), {}),
    "alpha_pose_resnet101_v1b_coco": ((128, 96), {}), "monodepth2_resnet18_kitti_mono_640x192": ((64, 96), {}),
}  # fmt: skip
RATES = {"icnet_resnet50_mhpv1": 0.001, "danet_resnet50_citys": 0.001}
"""Of nets whose next output shows how each step rounds."""


def segmentation(name):
    size, keywords = NETS[name]
    keywords = {} if keywords is None else {"pretrained_base": False} | keywords
    return stages(model(name, 0.6, **keywords), numbers((2, 3, *size)), export=True, rate=RATES.get(name, 0.01))


PROGRAMS = {name: (segmentation, name) for name in NETS}
