# SPDX-License-Identifier: Apache-2.0
"""Calls of MXNet's functions on boxes, regions and images as data, with their gradients; MXNet itself runs them, too.

    .mxnet/1.9.1/bin/python tests/census/detection_calls.py

stores what it gives. A call is (name, operands, attributes); an operand is (kind, shape) of an array of float32, or
(kind, shape, dtype). A kind is a function of a generator here.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

if __name__ == "__main__":  # the folder has a numbers.py
    sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]

import numpy

Call = tuple[str, list[Any], dict[str, Any]]
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mxnet_1_9_1_detection.json.gz")


def _boxes(draw: Any, shape: Any) -> Any:
    begin = draw.rand(*shape[:-1], 2)
    return numpy.concatenate([begin, begin + 0.01 + draw.rand(*shape[:-1], 2) * 0.5], -1)


def _centers(draw: Any, shape: Any) -> Any:
    return numpy.concatenate([0.3 + draw.rand(*shape[:-1], 2), 0.1 + draw.rand(*shape[:-1], 2) * 0.4], -1)


def _detections(places: Any) -> Any:
    def rows(draw: Any, shape: Any) -> Any:
        classes, scores = draw.randint(-1, 3, (*shape[:-1], 1)), draw.randint(-2, 9, (*shape[:-1], 1)) / 8
        more = draw.rand(*shape[:-1], shape[-1] - 6)
        return numpy.concatenate([classes, scores, places(draw, (*shape[:-1], 4)), more], -1)  # many scores are equal

    return rows


def _labels(draw: Any, shape: Any) -> Any:
    """Fewer and fewer objects in each image, none in the last one, and -1 behind them."""
    rows = numpy.concatenate([draw.randint(0, 3, (*shape[:-1], 1)), _boxes(draw, (*shape[:-1], 4))], -1)
    for image, one in enumerate(rows):
        one[len(one) - len(one) * image // max(len(rows) - 1, 1) :] = -1
    return rows


def _shares(draw: Any, shape: Any) -> Any:
    weights = numpy.exp(draw.randn(*shape))
    return weights / weights.sum(1, keepdims=True)


def _regions(draw: Any, shape: Any) -> Any:
    return numpy.concatenate([draw.randint(0, 2, (shape[0], 1)), _boxes(draw, (shape[0], 4)) * 9], 1)


def _turned(draw: Any, shape: Any) -> Any:
    return numpy.concatenate(
        [draw.randint(0, 2, (shape[0], 1)), _centers(draw, (shape[0], 4)) * 8, draw.rand(shape[0], 1) * 90], 1
    )


KINDS: dict[str, Any] = {
    "boxes": _boxes, "centers": _centers, "detections": _detections(_boxes), "shares": _shares, "labels": _labels,
    "middles": _detections(_centers), "regions": _regions, "turned": _turned,
    "normal": lambda draw, shape: draw.randn(*shape),
    "small": lambda draw, shape: draw.randn(*shape) * 0.1,
    "unit": lambda draw, shape: draw.rand(*shape),
    "pixels": lambda draw, shape: draw.randint(0, 256, shape),
    "levels": lambda draw, shape: draw.randint(0, 5, shape) / 4,
    "indices": lambda draw, shape: draw.randint(0, 3, shape),
    "points": lambda draw, shape: numpy.stack(numpy.unravel_index(draw.permutation(9)[:6].reshape(shape[1:]), (3, 3))),
    "signs": lambda draw, shape: draw.randint(-1, 2, shape),
}  # fmt: skip


def array(number: int, kind: str, shape: Any, dtype: str = "float32") -> Any:
    """Return the contents of the operand of a number."""
    return numpy.asarray(KINDS[kind](numpy.random.RandomState(number + sum(shape)), shape)).astype(dtype)


def key(call: Call) -> str:
    """Return the name of a call in the file."""
    return json.dumps(call)


def _boxes_calls() -> Iterator[Call]:
    rows = [("detections", (2, 14, 6))]
    for form in ("corner", "center"):
        yield "contrib.box_iou", [("boxes", (3, 4)), ("boxes", (2, 5, 4))], {"format": form}
    for settings in (
        {}, {"overlap_thresh": 0.1}, {"overlap_thresh": 0.3, "id_index": 0}, {"overlap_thresh": 0.1, "topk": 5},
        {"overlap_thresh": 0.1, "topk": 40}, {"overlap_thresh": 0.1, "topk": 0}, {"overlap_thresh": 0.2, "valid_thresh": 0.4},
        {"overlap_thresh": 0.1, "id_index": 0, "force_suppress": True}, {"valid_thresh": 2.0},
        {"overlap_thresh": 0.1, "id_index": 0, "background_id": 1}, {"overlap_thresh": 0.1, "valid_thresh": -1.0},
        {"overlap_thresh": 0.0, "topk": 7, "id_index": 0, "score_index": 1, "coord_start": 2},
    ):  # fmt: skip
        yield "contrib.box_nms", rows, settings
    yield "contrib.box_nms", [("detections", (14, 8))], {"overlap_thresh": 0.1}
    yield "contrib.box_nms", [("detections", (2, 2, 9, 7))], {"overlap_thresh": 0.1}
    yield "contrib.box_nms", [("detections", (2, 9, 6), "float64")], {"overlap_thresh": 0.1}
    yield "contrib.box_non_maximum_suppression", rows, {"overlap_thresh": 0.1}
    middles = [("middles", (2, 9, 6))]
    yield "contrib.box_nms", middles, {"overlap_thresh": 0.1, "in_format": "center", "out_format": "center"}
    for ascending in (False, True):
        for settings in ({"threshold": 0.3}, {"threshold": 0.6, "topk": 2}, {"threshold": 0.9, "topk": 1}):
            for shape in ((4, 3), (2, 3, 6), (2, 2, 5, 5)):
                yield "contrib.bipartite_matching", [("levels", shape)], {"is_ascend": ascending, **settings}
    matched = [("signs", (2, 6)), ("indices", (2, 6)), ("boxes", (2, 6, 4)), ("boxes", (2, 3, 4))]
    yield "contrib.box_encode", [*matched, ("unit", (4,)), ("unit", (4,))], {}
    for settings in ({}, {"format": "corner"}, {"std0": 0.1, "std1": 0.2, "std2": 0.3, "std3": 0.4}, {"clip": 1.1}):
        yield "contrib.box_decode", [("normal", (2, 5, 4)), ("boxes", (1, 5, 4))], settings


def _multibox_calls() -> Iterator[Call]:
    found = [("shares", (2, 4, 12)), ("normal", (2, 48)), ("boxes", (1, 12, 4))]
    for settings in (
        {}, {"threshold": 0.4}, {"nms_threshold": 0.1}, {"nms_threshold": 0.1, "force_suppress": True},
        {"nms_threshold": 0.1, "nms_topk": 3}, {"clip": False, "nms_threshold": 0.2}, {"variances": (0.1, 0.2, 0.3, 0.4)},
        {"nms_threshold": 0.0}, {"threshold": 0.9}, {"nms_threshold": 0.3, "nms_topk": 20},
    ):  # fmt: skip
        yield "contrib.MultiBoxDetection", found, settings
    truth = [("boxes", (1, 14, 4)), ("labels", (3, 4, 5)), ("normal", (3, 4, 14))]
    for settings in (
        {}, {"overlap_threshold": 0.2}, {"overlap_threshold": 0.2, "negative_mining_ratio": 1.0},
        {"overlap_threshold": 0.3, "negative_mining_ratio": 2.0, "negative_mining_thresh": 0.2},
        {"overlap_threshold": 0.3, "negative_mining_ratio": 0.5, "minimum_negative_samples": 5, "ignore_label": -2.0},
        {"variances": (0.1, 0.2, 0.3, 0.4)}, {"overlap_threshold": -1.0},
    ):  # fmt: skip
        yield "contrib.MultiBoxTarget", truth, settings
    yield "contrib.MultiBoxPrior", [("unit", (1, 2, 3, 4))], {"sizes": (0.5, 0.25), "ratios": (1.0, 2.0)}


def _region_calls() -> Iterator[Call]:
    image, regions = ("normal", (2, 4, 9, 10)), ("regions", (3, 5))
    for scale in (1.0, 0.5):
        yield "ROIPooling", [image, regions], {"pooled_size": (2, 3), "spatial_scale": scale}
        for settings in ({}, {"sample_ratio": 2}, {"sample_ratio": 2, "aligned": True}):
            yield "contrib.ROIAlign", [image, regions], {"pooled_size": (2, 2), "spatial_scale": scale, **settings}
    yield "contrib.ROIAlign", [image, regions], {
        "pooled_size": (2, 2), "spatial_scale": 1.0, "position_sensitive": True, "sample_ratio": 2,
    }  # fmt: skip
    yield "contrib.BilinearResize2D", [image], {"height": 5, "width": 14}
    yield "contrib.BilinearResize2D", [image], {"height": 5, "width": 14, "align_corners": False}
    yield "contrib.BilinearResize2D", [image], {"scale_height": 2.0, "scale_width": 0.5, "mode": "odd_scale"}
    yield "contrib.BilinearResize2D", [image, ("normal", (1, 1, 6, 7))], {"mode": "like"}
    yield "contrib.AdaptiveAvgPooling2D", [image], {"output_size": (3, 4)}
    yield "contrib.AdaptiveAvgPooling2D", [image], {}
    yield "contrib.DeformableConvolution", [image, ("normal", (2, 18, 7, 8)), ("normal", (2, 4, 3, 3)), ("unit", (2,))], {
        "kernel": (3, 3), "num_filter": 2,
    }  # fmt: skip
    yield "GridGenerator", [("small", (2, 6))], {"transform_type": "affine", "target_shape": (4, 5)}
    yield "BilinearSampler", [image, ("small", (2, 2, 4, 5))], {}
    yield "SpatialTransformer", [image, ("small", (2, 6))], {
        "target_shape": (4, 5), "transform_type": "affine", "sampler_type": "bilinear",
    }  # fmt: skip


def _image_calls() -> Iterator[Call]:
    for dtype in ("uint8", "float32"):
        image, several = ("pixels", (6, 8, 3), dtype), ("pixels", (2, 6, 8, 3), dtype)
        for one in (image, several):
            yield "image.to_tensor", [one], {}
            yield "image.crop", [one], {"x": 1, "y": 2, "width": 3, "height": 2}
            for interp in (0, 1):
                yield "image.resize", [one], {"size": (3, 4), "interp": interp}
                yield "image.resize", [one], {"size": 4, "keep_ratio": True, "interp": interp}
            yield "image.resize", [one], {"size": (9, 8), "interp": 1}
        for name in ("flip_left_right", "flip_top_bottom"):
            yield f"image.{name}", [image], {}
        for name in ("brightness", "contrast"):
            for factor in (0.0, 0.5, 1.5):
                yield f"image.random_{name}", [image], {"min_factor": factor, "max_factor": factor}
        yield (
            "image.random_saturation",
            [image],
            {"min_factor": 1.0, "max_factor": 1.0},
        )  # else MXNet forgets two colours
        for factor in (0.0, 0.25, 0.9):
            yield "image.random_hue", [image], {"min_factor": factor, "max_factor": factor}
        yield "image.adjust_lighting", [image], {"alpha": (0.1, -0.2, 0.3)}
        yield "image.random_lighting", [image], {"alpha_std": 0.0}
    for one in (("unit", (3, 4, 5)), ("unit", (2, 3, 4, 5)), ("unit", (1, 4, 5))):
        yield "image.normalize", [one], {"mean": 0.5, "std": 0.25}
        if one[1][-3] == 3:
            yield "image.normalize", [one], {"mean": (0.1, 0.2, 0.3), "std": (1.0, 2.0, 3.0)}


def _other_calls() -> Iterator[Call]:
    image, channels = ("normal", (2, 4, 3, 3)), [("unit", (4,))] * 4
    yield "contrib.SyncBatchNorm", [image, *channels], {"key": "one", "fix_gamma": False}
    yield "contrib.BatchNormWithReLU", [image, *channels], {"fix_gamma": False}
    yield "contrib.quadratic", [("normal", (2, 3))], {"a": 2.0, "b": -1.0, "c": 0.5}
    yield "contrib.gradientmultiplier", [("normal", (2, 3))], {"scalar": -0.5}
    yield "contrib.round_ste", [("normal", (2, 3))], {}
    yield "contrib.sign_ste", [("normal", (2, 3))], {}
    yield "contrib.arange_like", [("normal", (2, 3))], {"start": 1.0, "step": 2.0, "axis": 1}
    yield "contrib.div_sqrt_dim", [("normal", (2, 3))], {}
    yield "contrib.index_copy", [("normal", (4, 3)), ("indices", (1,)), ("normal", (1, 3))], {}
    yield "scatter_nd", [("normal", (2, 3)), ("points", (2, 2, 3))], {"shape": (3, 3)}
    yield "gather_nd", [("normal", (3, 3)), ("points", (2, 2, 3))], {}
    yield "contrib.boolean_mask", [("normal", (4, 3)), ("signs", (4,))], {}
    yield "contrib.ctc_loss", [("normal", (6, 2, 5)), ("indices", (2, 2))], {}


def calls() -> list[Call]:
    """Return all calls."""
    parts = (_boxes_calls, _multibox_calls, _region_calls, _image_calls, _other_calls)
    return [call for part in parts for call in part()]


def ran(call: Call, module: Any, array_of: Any) -> list[Any]:
    """Run a call while recording; return its results and the gradients of what has some, as NumPy's arrays."""
    name, operands, settings = call
    arrays = [
        array_of(array(number, *one), one[2] if len(one) > 2 else "float32") for number, one in enumerate(operands)
    ]
    function = module.nd
    for word in name.split("."):
        function = getattr(function, word)
    for one in arrays:
        one.attach_grad()
    with module.autograd.record(train_mode=False):
        found = function(*arrays, **settings)
    results = list(found) if isinstance(found, (list, tuple)) else [found]
    gradients: list[Any] = []
    if name not in WITHOUT_GRADIENT and settings.get("mode") != "like":  # of which MXNet crashes
        heads = [array_of(numpy.cos(numpy.arange(y.size).reshape(y.shape)), "float32") for y in results]
        module.autograd.backward(list(results), [h.astype(y.dtype) for h, y in zip(heads, results)])  # noqa: B905
        gradients = [one.grad for one in arrays]
    return [y.asnumpy() for y in (*results, *gradients)]


def described(arrays: list[Any]) -> list[Any]:
    """Return arrays as dtypes, shapes and bytes."""
    return [[x.dtype.name, list(x.shape), x.tobytes().hex()] for x in arrays]


WITHOUT_GRADIENT = frozenset((
    "contrib.bipartite_matching", "contrib.arange_like", "contrib.MultiBoxPrior",
    "contrib.MultiBoxTarget", "contrib.MultiBoxDetection", "image.to_tensor", "image.resize", "image.flip_left_right",
    "image.flip_top_bottom", "image.random_brightness", "image.random_contrast", "image.random_saturation",
    "image.random_hue", "image.adjust_lighting", "image.random_lighting", "image.crop",
    "contrib.box_encode", "contrib.box_decode", "contrib.box_iou", "contrib.SyncBatchNorm", "contrib.BatchNormWithReLU",
))  # fmt: skip
"""Those to which MXNet gives none, or while predicting wrong ones; or of which it crashes."""


def main() -> None:
    """Run everything in MXNet and write the file."""
    import mxnet

    stored = {}
    for call in calls():
        print(call[0], end=" ", flush=True)  # MXNet may crash
        try:
            found = ran(call, mxnet, lambda x, dtype: mxnet.nd.array(x, dtype=dtype))
            stored[key(call)] = described(found)
        except Exception as error:
            stored[key(call)] = str(error).strip().splitlines()[-1][:120]
            print(key(call), stored[key(call)])
    place = os.path.join(os.path.dirname(FILE), "detectors.py")
    spec = importlib.util.spec_from_file_location("detectors", place)
    detectors: Any = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(detectors)  # type: ignore[union-attr]
    for name, (make, shapes) in detectors.nets(mxnet).items():
        net, xs = make(), [mxnet.nd.array(x) for x in detectors.inputs_of(shapes)]
        detectors.initialize(net, mxnet, xs)
        found = net(*xs)
        stored[name] = described([y.asnumpy() for y in (found if isinstance(found, (list, tuple)) else [found])])
    with open(FILE, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
        file.write("\n".join(json.dumps(item) for item in stored.items()).encode())
    print(len(stored), "calls,", os.path.getsize(FILE), "bytes")


if __name__ == "__main__":
    main()
