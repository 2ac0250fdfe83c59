"""Nets of GluonCV's zoo that recognize an action in a video.

Those of pictures (`vgg16_ucf101`, ...) MXNet 1.9.1 does not make without a download. Of most others it needs
MXNET_MKLDNN_ENABLED=0 for `--store`.
"""

from rules import model, numbers, stages

SIZES = {
    "c3d_kinetics400": (1, 3, 16, 112, 112), "p3d_resnet50_kinetics400": (1, 3, 16, 112, 112),
    "r2plus1d_resnet18_kinetics400": (1, 3, 16, 56, 56), "i3d_resnet50_v1_kinetics400": (1, 3, 16, 64, 64),
    "i3d_nl5_resnet50_v1_kinetics400": (1, 3, 16, 64, 64), "slowfast_4x16_resnet50_kinetics400": (1, 3, 36, 64, 64),
}  # fmt: skip


def video(name):
    return stages(model(name, pretrained_base=False), numbers(SIZES[name]), export=True)


PROGRAMS = {name: (video, name) for name in SIZES}
