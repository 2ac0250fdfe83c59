"""Nets of GluonCV's zoo that recognize an action in a video."""

from rules import model, numbers, stages

SIZES = {
    "vgg16_ucf101": (1, 3, 224, 224), "inceptionv1_ucf101": (1, 3, 224, 224), "inceptionv3_ucf101": (1, 3, 299, 299),
    "resnet18_v1b_kinetics400": (1, 3, 224, 224), "c3d_kinetics400": (1, 3, 16, 112, 112),
    "p3d_resnet50_kinetics400": (1, 3, 16, 112, 112), "r2plus1d_resnet18_kinetics400": (1, 3, 16, 56, 56),
    "i3d_resnet50_v1_kinetics400": (1, 3, 16, 64, 64), "i3d_inceptionv1_kinetics400": (1, 3, 16, 224, 224),
    "i3d_inceptionv3_kinetics400": (1, 3, 16, 299, 299), "i3d_nl5_resnet50_v1_kinetics400": (1, 3, 16, 64, 64),
    "slowfast_4x16_resnet50_kinetics400": (1, 3, 36, 64, 64), "i3d_slow_resnet101_f16s4_kinetics700": (1, 3, 16, 64, 64),
}  # fmt: skip


def video(name):
    net = model(name, pretrained_base=False)
    return stages(net, numbers(SIZES[name]), export=True)


PROGRAMS = {name: (video, name) for name in SIZES}
