# SPDX-License-Identifier: Apache-2.0
"""Heads of detectors in Gluon 1.x, and calls that these make of operators, for MXNet and for this package alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

Array = numpy.ndarray
Program = tuple[Callable[..., Any], list[Array]]
"""A function of `F` and arrays, and the arrays."""

_DRAW = numpy.random.RandomState(5)
_X, _IMAGE = (_DRAW.randn(*shape).astype("float32") for shape in ((3, 4), (2, 4, 6, 6)))
_PICTURE = _IMAGE[0, :3].transpose(1, 2, 0)
_POINTS = numpy.array([[0, 1, 2], [1, 0, 3]], "float32")
_BOXES = numpy.array([[0, 0, 0, 4, 4], [1, 1, 1, 5, 5]], "float32")
CALLS: dict[str, Program] = {
    "topk": (lambda F, x: F.topk(x, k=2), [_X]),
    "topk values": (lambda F, x: F.topk(x, k=2, ret_typ="value", axis=0), [_X]),
    "topk both": (lambda F, x: F.topk(x, k=2, ret_typ="both"), [_X]),
    "topk of all": (lambda F, x: F.topk(x, k=2, axis=None), [_X]),
    "topk mask": (lambda F, x: F.topk(x, k=2, ret_typ="mask"), [_X]),
    "topk ascending": (lambda F, x: F.topk(x, k=3, dtype="int32", is_ascend=True), [_X]),
    "gather_nd": (lambda F, x, i: F.gather_nd(x, i), [_X, _POINTS]),
    "gather_nd rows": (lambda F, x, i: F.gather_nd(x, i), [_X, _POINTS[:1]]),
    "scatter_nd": (lambda F, x, i: F.scatter_nd(x, i, shape=(3, 4)), [_X[0, :3], _POINTS]),
    "scatter_nd points": (
        lambda F, x, i: F.scatter_nd(x, i, shape=(3, 4)),
        [_X[:2, :3], numpy.array([[[0, 1, 2], [2, 2, 1]], [[1, 0, 3], [0, 1, 2]]], "float32")],
    ),
    "shape_array": (lambda F, x: F.shape_array(x), [_IMAGE]),
    "size_array": (lambda F, x: F.size_array(x), [_IMAGE]),
    "slice_like": (lambda F, x, y: F.slice_like(x, y, axes=(2, 3)), [_IMAGE, _IMAGE[:, :, :3, :4]]),
    "where": (lambda F, x, y: F.where(x > y, x, y), [_X, _X[::-1]]),
    "where rows": (lambda F, c, x: F.where(c, x, -x), [numpy.array([1, 0, 1], "float32"), _X]),
    "one_hot": (lambda F, i: F.one_hot(i, 4, on_value=2.0, off_value=-1.0), [_POINTS]),
    "pick": (lambda F, x, i: F.pick(x, i, axis=1), [_X, _POINTS[1]]),
    "arange_like": (lambda F, x: F.contrib.arange_like(x, axis=1), [_X]),
    "arange_like all": (lambda F, x: F.contrib.arange_like(x, start=2, step=0.5), [_X]),
    "broadcast_like": (lambda F, x, y: F.broadcast_like(x, y), [_X[:1], _X]),
    "broadcast_like axes": (lambda F, x, y: F.broadcast_like(x, y, lhs_axes=(0,), rhs_axes=(1,)), [_X[:1], _X]),
    "SliceChannel": (lambda F, x: F.SliceChannel(x, num_outputs=2, axis=1), [_IMAGE]),
    "split": (lambda F, x: F.split(x, num_outputs=3, axis=0, squeeze_axis=True), [_X]),
    "UpSampling": (lambda F, x: F.UpSampling(x, scale=2, sample_type="nearest"), [_IMAGE]),
    "slice_axis": (lambda F, x: F.slice_axis(x, axis=-1, begin=1, end=None), [_IMAGE]),
    "reshape_like": (lambda F, x, y: F.reshape_like(x, y), [_X, _X.reshape(2, 6)]),
    "take": (lambda F, x, i: F.take(x, i, axis=1, mode="wrap"), [_X, numpy.array([-1, 5], "float32")]),
    "sort": (lambda F, x: F.sort(x, axis=0, is_ascend=False), [_X]),
    "argsort": (lambda F, x: F.argsort(x, is_ascend=False), [_X]),
    "tile": (lambda F, x: F.tile(x, reps=(2, 3)), [_X]),
    "batch_take": (lambda F, x, i: F.batch_take(x, i), [_X, numpy.array([0, 1, 2], "int32")]),
    "depth_to_space": (lambda F, x: F.depth_to_space(x, 2), [_IMAGE]),
    "unravel_index": (lambda F, x: F.unravel_index(x, shape=(4, 5)), [numpy.array([3, 7, 19], "float32")]),
    "index_copy": (lambda F, x, i, y: F.contrib.index_copy(x, i, y), [_X, numpy.array([0, 2], "int32"), -_X[:2]]),
    "ROIPooling": (lambda F, x, b: F.ROIPooling(x, b, pooled_size=(2, 2), spatial_scale=1.0), [_IMAGE, _BOXES]),
    "to_tensor": (
        lambda F, x: F.image.normalize(F.image.to_tensor(x), mean=(0.1, 0.2, 0.3), std=(1.0, 2.0, 3.0)),
        [_DRAW.randint(0, 256, (2, 5, 6, 3)).astype("uint8")],
    ),
    "crop": (lambda F, x: F.image.crop(x, x=1, y=2, width=3, height=2), [_PICTURE]),
    "resize": (lambda F, x: F.image.resize(x, size=(4, 5), interp=0), [_PICTURE]),
    "flip": (lambda F, x: F.image.flip_left_right(x), [_PICTURE]),
}
"""Calls of operators by name; an array is a variable of a symbol, too."""


def nets(mx: Any) -> dict[str, tuple[Any, list[tuple[int, ...]]]]:
    """Return heads of detectors, made of a package's Gluon, and the shapes of what each takes."""
    nn, block = mx.gluon.nn, mx.gluon.HybridBlock

    class SSD(block):
        """Anchors of two feature maps, classes and shifts of each, decoded, the best of each class."""

        def __init__(self, classes: int = 3, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.classes = classes
            with self.name_scope():
                self.down = nn.HybridSequential()
                self.of_classes, self.of_boxes = nn.HybridSequential(), nn.HybridSequential()
                for _ in range(2):
                    self.down.add(nn.Conv2D(8, 3, 2, 1, activation="relu"))
                    self.of_classes.add(nn.Conv2D((classes + 1) * 3, 3, padding=1))
                    self.of_boxes.add(nn.Conv2D(4 * 3, 3, padding=1))

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            scores, moves, anchors = [], [], []
            for number in range(2):
                x = self.down[number](x)
                scores.append(F.flatten(F.transpose(self.of_classes[number](x), (0, 2, 3, 1))))
                moves.append(F.flatten(F.transpose(self.of_boxes[number](x), (0, 2, 3, 1))))
                anchors.append(F.contrib.MultiBoxPrior(x, sizes=(0.3, 0.5), ratios=(1.0, 2.0)).reshape((1, -1)))
            scores = F.concat(*scores, dim=1).reshape((0, -1, self.classes + 1))
            moves = F.concat(*moves, dim=1).reshape((0, -1, 4))
            anchors = F.reshape(F.concat(*anchors, dim=1), shape=(1, -1, 4))
            boxes = F.contrib.box_decode(moves, anchors, std0=0.1, std1=0.1, std2=0.2, std3=0.2, format="corner")
            shares = F.slice_axis(F.softmax(scores, axis=-1), axis=-1, begin=1, end=None)
            found = []
            for number in range(self.classes):
                share = F.slice_axis(shares, axis=-1, begin=number, end=number + 1)
                kept = share > 0.1
                number_of = F.where(kept, F.zeros_like(share) + number, F.ones_like(share) * -1)
                share = F.where(kept, share, F.zeros_like(share))
                found.append(F.concat(number_of, share, boxes, dim=-1))
            found = F.concat(*found, dim=1)
            found = F.contrib.box_nms(
                found, overlap_thresh=0.3, topk=20, valid_thresh=0.01, id_index=0, score_index=1, coord_start=2
            )
            found = found.slice_axis(axis=1, begin=0, end=10)
            return [F.slice_axis(found, axis=2, begin=k, end=end) for k, end in ((0, 1), (1, 2), (2, 6))]

    class YOLO(block):
        """Boxes that each cell of a grid tells from its place and from anchors; the best of all classes."""

        def __init__(self, classes: int = 2, stride: int = 8, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.classes, self.stride = classes, stride
            anchors = numpy.array([[10, 13], [16, 30], [33, 23]], "float32").reshape(1, 1, 3, 2)
            columns, rows = numpy.meshgrid(numpy.arange(16), numpy.arange(16))
            offsets = numpy.stack([columns, rows], -1)[None, None].astype("float32")
            with self.name_scope():
                self.anchors = self.params.get_constant("anchor_", anchors)
                self.offsets = self.params.get_constant("offset_", offsets)
                self.body = nn.HybridSequential()
                self.body.add(nn.Conv2D(8, 3, 1, 1), nn.BatchNorm(), nn.LeakyReLU(0.1))
                self.tell = nn.Conv2D(3 * (5 + classes), 1)

        def hybrid_forward(self, F: Any, x: Any, anchors: Any, offsets: Any) -> Any:
            x = self.body(x)
            told = self.tell(x).reshape((0, 3, 5 + self.classes, -1)).transpose(axes=(0, 3, 1, 2))
            places = told.slice_axis(axis=-1, begin=0, end=2)
            sizes = told.slice_axis(axis=-1, begin=2, end=4)
            object_score = F.sigmoid(told.slice_axis(axis=-1, begin=4, end=5))
            scores = F.broadcast_mul(F.sigmoid(told.slice_axis(axis=-1, begin=5, end=None)), object_score)
            offsets = F.slice_like(offsets, x * 0, axes=(2, 3)).reshape((1, -1, 1, 2))
            middles = F.broadcast_add(F.sigmoid(places), offsets) * self.stride
            halves = F.broadcast_mul(F.exp(sizes), anchors) / 2.0
            boxes = F.concat(middles - halves, middles + halves, dim=-1)
            boxes = F.tile(boxes, reps=(self.classes, 1, 1, 1, 1))
            scores = F.transpose(scores, axes=(3, 0, 1, 2)).expand_dims(axis=-1)
            number = F.broadcast_add(scores * 0, F.arange(0, self.classes).reshape((0, 1, 1, 1, 1)))
            found = F.concat(number, scores, boxes, dim=-1)
            found = F.reshape(found.transpose(axes=(1, 0, 2, 3, 4)), (0, -1, 6))
            found = F.contrib.box_nms(
                found, overlap_thresh=0.45, valid_thresh=0.01, topk=30, id_index=0, score_index=1, coord_start=2,
                force_suppress=False,
            )  # fmt: skip
            return found.slice_axis(axis=1, begin=0, end=12)

    class FasterRCNN(block):
        """Proposals from anchors, their regions aligned, classes and boxes of each."""

        def __init__(self, classes: int = 2, proposals: int = 6, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.classes, self.proposals = classes, proposals
            with self.name_scope():
                self.body = nn.Conv2D(6, 3, 2, 1, activation="relu")
                self.score, self.move = nn.Conv2D(3, 1), nn.Conv2D(12, 1)
                self.top = nn.Dense(10, activation="relu")
                self.of_classes, self.of_boxes = nn.Dense(classes + 1), nn.Dense(classes * 4)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            features = self.body(x)
            score = F.sigmoid(self.score(features).transpose((0, 2, 3, 1)).reshape((0, -1, 1)))
            move = self.move(features).transpose((0, 2, 3, 1)).reshape((0, -1, 4))
            anchors = F.contrib.MultiBoxPrior(features, sizes=(0.4, 0.7), ratios=(1.0, 0.5)) * 20
            first = F.contrib.box_decode(F.BlockGrad(move), anchors, format="corner", clip=4.0)
            rows = F.contrib.box_nms(
                F.concat(score, F.maximum(F.minimum(first, 19.0), 0.0), dim=-1), overlap_thresh=0.7, topk=40,
                coord_start=1, score_index=0, id_index=-1, force_suppress=True,
            )  # fmt: skip
            rows = F.slice_axis(rows, axis=1, begin=0, end=self.proposals)
            regions = F.slice_axis(rows, axis=-1, begin=1, end=None)
            image = F.arange(0, 2).reshape((2, 1)).tile(reps=(1, self.proposals))
            rois = F.concat(image.reshape((-1, 1)), regions.reshape((-3, 0)), dim=-1)
            pooled = F.contrib.ROIAlign(features, F.BlockGrad(rois), (3, 3), 0.5, 2)
            top = self.top(pooled)
            scores = F.softmax(self.of_classes(top), axis=-1).reshape((-4, 2, self.proposals, 0))
            moves = self.of_boxes(top).reshape((-1, self.proposals, self.classes, 4))
            found = []
            for number in range(self.classes):
                own = F.squeeze(F.slice_axis(moves, axis=2, begin=number, end=number + 1), axis=2)
                own = F.concat(*(
                    F.contrib.box_decode(*pair, std0=0.1, std1=0.1, std2=0.2, std3=0.2, format="corner")
                    for pair in zip(F.split(own, 2, axis=0), F.split(regions, 2, axis=0))  # noqa: B905
                ), dim=0)  # fmt: skip
                share = F.slice_axis(scores, axis=-1, begin=number + 1, end=number + 2)
                found.append(F.concat(F.ones_like(share) * number, share, own, dim=-1))
            return F.contrib.box_nms(F.concat(*found, dim=1), 0.3, 0.05, 10, id_index=0, score_index=1, coord_start=2)

    class CenterNet(block):
        """Peaks of a map of each class, and the sizes of the objects there."""

        def __init__(self, classes: int = 3, count: int = 5, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.classes, self.count = classes, count
            with self.name_scope():
                self.body = nn.Conv2D(8, 3, padding=1, activation="relu")
                self.heat, self.size, self.shift = (nn.Conv2D(c, 1) for c in (classes, 2, 2))
                self.peaks = nn.MaxPool2D(3, 1, 1)

        def at(self, F: Any, x: Any, image: Any, place: Any, column: int) -> Any:
            rows = x.transpose((0, 2, 3, 1)).reshape((0, -1, 2))
            index = F.stack(image, place, F.zeros_like(place) + column).reshape((3, -1))
            return F.gather_nd(rows, index).reshape((-1, self.count)).expand_dims(-1)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            x = self.body(x)
            heat, size, shift = F.sigmoid(self.heat(x)), self.size(x), self.shift(x)
            heat = F.where(F.broadcast_equal(self.peaks(heat), heat), heat, F.zeros_like(heat))
            _, _, height, width = heat.shape_array().split(num_outputs=4, axis=0)
            score, index = F.topk(heat.reshape((0, -1)), k=self.count, ret_typ="both")
            index = F.cast(index, "int64")
            number = F.cast(F.broadcast_div(index, height * width), "float32").expand_dims(-1)
            place = F.broadcast_mod(index, height * width)
            row = F.cast(F.broadcast_div(place, width), "float32").expand_dims(-1)
            column = F.cast(F.broadcast_mod(place, width), "float32").expand_dims(-1)
            image = F.cast(F.arange(64).slice_like(heat, axes=(0,)), "int64").expand_dims(-1).tile((1, self.count))
            column = column + self.at(F, shift, image, place, 0)
            row = row + self.at(F, shift, image, place, 1)
            half = [self.at(F, size, image, place, k) / 2 for k in range(2)]
            boxes = F.concat(column - half[0], row - half[1], column + half[0], row + half[1], dim=-1)
            return number, score.expand_dims(-1), boxes * 4

    return {
        "ssd": (SSD, [(2, 3, 24, 24)]), "yolo": (YOLO, [(2, 3, 6, 8)]), "faster": (FasterRCNN, [(2, 3, 20, 20)]),
        "center": (CenterNet, [(2, 3, 7, 9)]),
    }  # fmt: skip


def initialize(net: Any, mx: Any, inputs: list[Any]) -> None:
    """Give each parameter numbers by its place and shape, the same in every package."""
    net.initialize()
    net(*inputs)
    for number, one in enumerate(net.collect_params().values()):
        if one.grad_req == "null":
            continue
        draw = numpy.random.RandomState(number).uniform(-0.4, 0.4, one.shape)
        one.set_data(mx.nd.array(draw.astype("float32")))


def inputs_of(shapes: list[tuple[int, ...]]) -> list[Array]:
    """Return the inputs of a net."""
    return [numpy.random.RandomState(number).randn(*shape).astype("float32") for number, shape in enumerate(shapes)]
