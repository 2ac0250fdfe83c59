"""Files of nets: what runs first writes a net of GluonCV's zoo, what runs second reads the file; both run the net."""

import os

import detection
import mxnet as mx
from rules import flat, model, numbers, signature

SIZES = {
    "mobilenet0.25": (64, 64), "resnest14": (64, 64), "hrnet_w18_small_v1_c": (64, 64),
    "simple_pose_resnet18_v1b": (128, 96), "ssd_512_mobilenet1.0_voc": (256, 256), "yolo3_mobilenet0.25_voc": (96, 128),
    "center_net_resnet18_v1b_voc": (128, 128),
}  # fmt: skip


def exchanged(name):
    path = os.path.join(os.environ["FOLDER_OF_NETS"], name)
    data = numbers((1, 3, *SIZES[name]))
    if os.path.exists(f"{path}-symbol.json"):
        net = mx.gluon.SymbolBlock.imports(f"{path}-symbol.json", ["data"], f"{path}-0000.params")
    else:
        keywords = {} if name in ("mobilenet0.25", "resnest14", "hrnet_w18_small_v1_c") else {"pretrained_base": False}
        net = model(name, detection.NETS.get(name, (None, None, 1.0))[2], **keywords)
        net.hybridize()
    found = {"output": signature(*flat(net(data)))}
    if not os.path.exists(f"{path}-symbol.json"):
        net.export(path)
    return found


PROGRAMS = {name: (exchanged, name) for name in SIZES}
