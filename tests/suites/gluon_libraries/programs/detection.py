"""Detectors of GluonCV's zoo: made, run, hybridized, written and read back, and trained a step on two boxes."""

import mxnet as mx
import numpy as np
from rules import flat, model, numbers, signature, stages

BOXES = np.array([[[12, 10, 60, 70], [50, 30, 110, 90]]], "float32")
CLASSES = np.array([[[3], [1]]], "float32")


def with_ssd(net, data):
    from gluoncv.loss import SSDMultiBoxLoss
    from gluoncv.model_zoo.ssd.target import SSDTargetGenerator

    with mx.autograd.train_mode():
        anchors = net(data)[2]
    boxes, classes = mx.nd.array(BOXES), mx.nd.array(CLASSES)
    classes, offsets, _ = SSDTargetGenerator(negative_mining_ratio=-1)(anchors, None, boxes, classes)
    loss = SSDMultiBoxLoss()

    def losses():
        class_scores, box_offsets, _ = net(data)
        return loss(class_scores, box_offsets, classes, offsets)[0]

    return losses


def with_yolo(net, data):
    from gluoncv.model_zoo.yolo.yolo_target import YOLOV3PrefetchTargetGenerator

    boxes, classes = mx.nd.array(BOXES), mx.nd.array(CLASSES)
    with mx.autograd.train_mode():
        _, anchors, offsets, maps, *_ = net(data)
    targets = YOLOV3PrefetchTargetGenerator(num_class=len(net.classes))(data, maps, anchors, offsets, boxes, classes)
    return lambda: net(data, boxes, *targets)


def with_center(net, data):
    from gluoncv.loss import HeatmapFocalLoss, MaskedL1Loss
    from gluoncv.model_zoo.center_net.target_generator import CenterNetTargetGenerator

    height, width = (size // 4 for size in data.shape[2:])
    targets = CenterNetTargetGenerator(len(net.classes), width, height)(BOXES[0] / 4, CLASSES[0, :, 0])
    heat, sizes, sizes_mask, shifts, shifts_mask = (one.expand_dims(0) for one in targets)
    focal, l1 = HeatmapFocalLoss(from_logits=True), MaskedL1Loss(weight=0.1)

    def losses():
        heat_map, size_map, shift_map = net(data)
        return focal(heat_map, heat), l1(size_map, sizes, sizes_mask), l1(shift_map, shifts, shifts_mask)

    return losses


def with_rcnn(net, data):
    """What draws no numbers: the sampler of the second stage does."""
    boxes, classes = mx.nd.array(BOXES), mx.nd.array(CLASSES)
    assert net.target_generator  # which else the first call would make, and hybridize refuses it of a hybridized one
    first = 6 if "mask" in net.prefix else 5

    def losses():
        outputs = net(data, boxes, classes)
        assert all(bool(np.isfinite(one.asnumpy()).all()) for one in flat(outputs))
        return [(one**2).mean() for one in flat(outputs[first : first + 2])]

    return losses


NETS = {
    "ssd_300_vgg16_atrous_voc": (with_ssd, (300, 300), 0.6), "ssd_512_mobilenet1.0_voc": (with_ssd, (256, 256), 1.0),
    "ssd_512_resnet18_v1_voc": (with_ssd, (256, 256), 0.6), "ssd_300_resnet34_v1b_voc": (with_ssd, (300, 300), 0.5),
    "ssd_300_mobilenet1.0_lite_coco": (with_ssd, (300, 300), 0.8),
    "yolo3_mobilenet0.25_voc": (with_yolo, (96, 128), 0.9), "yolo3_darknet53_voc": (with_yolo, (96, 128), 0.6),
    "center_net_resnet18_v1b_voc": (with_center, (128, 128), 0.8), "center_net_dla34_voc": (with_center, (128, 128), 0.8),
    "center_net_resnet18_v1b_dcnv2_voc": (None, (128, 128), 0.8),
    "center_net_mobilenetv3_small_duc_voc": (with_center, (128, 128), 0.95),
    "faster_rcnn_resnet50_v1b_voc": (with_rcnn, (96, 128), 0.4),
    "doublehead_rcnn_resnet50_v1b_voc": (with_rcnn, (96, 128), 0.4),
    "faster_rcnn_fpn_resnet50_v1b_coco": (with_rcnn, (96, 128), 0.35),
    "faster_rcnn_fpn_syncbn_resnest50_coco": (with_rcnn, (96, 128), 0.6),
    "mask_rcnn_resnet18_v1b_coco": (with_rcnn, (96, 128), 0.6),
    "mask_rcnn_fpn_resnet18_v1b_coco": (with_rcnn, (96, 128), 0.35),
    "mask_rcnn_fpn_syncbn_mobilenet1_0_coco": (with_rcnn, (96, 128), 0.6),
}  # fmt: skip


def detector(name):
    targets, size, scale = NETS[name]
    net = model(name, scale, pretrained_base=False)
    if targets is with_rcnn:  # fewer regions, so that it takes seconds
        net.rpn._test_post_nms = net._rpn_test_post_nms = net._rcnn_max_dets = 40
        net.rpn._train_post_nms = 600 if net.num_stages == 1 else 2000
    data = numbers((1, 3, *size))
    found = stages(net, data, train=False, export=True)
    if targets is None:
        return found  # MXNet 1 trains it on a GPU only
    rate = 2e-4 if targets is with_ssd else 1e-4  # a longer step shows how each rounds
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate})
    net.hybridize(False)
    losses = targets(net, data)
    net.hybridize()  # anew, since MXNet 1 keeps the graph of one mode
    with mx.autograd.record():
        each = flat(losses())
        loss = sum(one.sum() for one in each)
    loss.backward()
    trainer.step(1, ignore_stale_grad=True)
    with mx.autograd.record():
        after = flat(losses())
    # Of YOLO3 in float32, what a step changes is rounding, by up to 7 %: in float64 all gradients agree to 1e-10.
    found["trained"] = signature(*each, *([] if targets is with_yolo else after))
    return found


PROGRAMS = {name: (detector, name) for name in NETS}
