"""A sample or more of each row of ONNX: its inputs by type, with `n` for a size that calls choose.

    f4[n,3]    normal numbers        f4+[n,3]  positive ones        f4u[n,3]  from -0.9 to 0.9
    f4>[n,3]   from 1.1 on
    i8<5[n]    whole numbers, 0 to 4 i8<-3:3[n] from -3 to 2        ?[n,3]    bools
An array is a constant of the model, None an input that is left out.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy

N = "n"


@dataclass(frozen=True)
class Sample:
    op: str
    inputs: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    opset: int = 20
    outputs: int = 1
    programs: int = 2
    """One for the first sizes and one for all others; the sample says why where it is not so."""
    tolerance: float = 2e-5
    domain: str = ""

    @property
    def name(self) -> str:
        kinds = ",".join(x if isinstance(x, str) else "-" if x is None else "c" for x in self.inputs)
        parts = [f"{key}={value}" for key, value in self.attributes.items()]
        return f"{self.op}-{self.opset}({kinds}{';' if parts else ''}{','.join(parts)})".replace(" ", "")


def sample(op: str, *inputs: Any, opset: int = 20, outputs: int = 1, programs: int = 2, tolerance: float = 2e-5,
           domain: str = "", **attributes: Any) -> Sample:  # fmt: skip
    return Sample(op, inputs, attributes, opset, outputs, programs, tolerance, domain)


def drawn(kind: str, n: int, rng: numpy.random.Generator) -> numpy.ndarray:
    """An array of a type, for a size."""
    dtype, manner, sizes = re.fullmatch(r"([a-z?]\d*|bf16)([^\[]*)\[(.*)\]", kind).groups()
    shape = tuple(eval(size, {"n": n}) for size in sizes.split(",") if size)
    if dtype == "?":
        return rng.random(shape) < 0.5
    if manner.startswith("<"):
        low, _, high = manner[1:].rpartition(":")
        return rng.integers(int(low or 0), int(high), shape).astype(dtype)
    if dtype[0] in "iu":
        return rng.integers(0 if dtype[0] == "u" else -9, 10, shape).astype(dtype)
    numbers = rng.standard_normal(shape)
    if manner == "+":
        numbers = numpy.abs(numbers) + 0.1
    elif manner == ">":
        numbers = numpy.abs(numbers) + 1.1
    elif manner == "u":
        numbers = numpy.tanh(numbers) * 0.9
    return numbers.astype(dtype)


def ints(*values: int) -> numpy.ndarray:
    return numpy.array(values, "i8")


def floats(*values: float) -> numpy.ndarray:
    return numpy.array(values, "f4")


_UNARY = {
    "f4[n,5]": "Abs Neg Sign Exp Floor Ceil Round Erf Sin Cos Tan Atan Sinh Cosh Asinh Tanh Sigmoid Relu IsNaN Identity "
    "Elu Selu Celu Gelu HardSigmoid HardSwish LeakyRelu Mish Softplus Softsign ThresholdedRelu Shrink Hardmax Softmax "
    "LogSoftmax IsInf Det:f4[n,3,3] LpNormalization GlobalLpPool:f4[n,3,4] GlobalAveragePool:f4[n,3,4,2] "
    "GlobalMaxPool:f4[n,3,4] MeanVarianceNormalization:f4[n,3,4,2] Flatten:f4[n,3,2] Squeeze:f4[n,1,3] Dropout",
    "f4+[n,5]": "Log Sqrt Reciprocal",
    "f4u[n,5]": "Asin Acos Atanh",
    "?[n,5]": "Not",
    "u1[n,5]": "BitwiseNot",
}
_BINARY = {
    "f4[n,5] f4[5]": "Add Sub Mul Div Max Min Sum Mean Less Greater LessOrEqual GreaterOrEqual PRelu",
    "f4+[n,5] f4[5]": "Pow",
    "i4<-9:9[n,5] i4<1:5[5]": "Div Mod Equal",
    "?[n,5] ?[5]": "And Or Xor",
    "u4[n,5] u4[5]": "BitwiseAnd BitwiseOr BitwiseXor",
}
SAMPLES: list[Sample] = []
for _kind, _names in _UNARY.items():
    for _name in _names.split():
        _op, _, _own = _name.partition(":")
        SAMPLES.append(sample(_op, _own or _kind))
for _kinds, _names in _BINARY.items():
    SAMPLES += [sample(_op, *_kinds.split()) for _op in _names.split()]
for _op in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"):
    SAMPLES.append(sample(f"Reduce{_op}", "f4+[n,3,4]", ints(1), keepdims=0))
    SAMPLES.append(sample(f"Reduce{_op}", "f4+[3,n,2]", opset=11, axes=[1, -1]))

SAMPLES += [
    # element by element
    sample("Acosh", "f4>[n,3]", opset=9),
    sample("Clip", "f4[n,5]", floats(-0.5).reshape(()), floats(0.5).reshape(())),
    sample("Clip", "f4[n,5]", opset=10, min=-0.5, max=0.5),
    sample("Clip", "i4[n,5]", None, numpy.array(3, "i4")),
    sample("Swish", "f4[n,5]", opset=24, alpha=0.7),
    sample("Shrink", "f4[n,5]", lambd=0.6, bias=0.2),
    sample("Celu", "f4[n,5]", alpha=0.6),
    sample("Cast", "f4[n,5]", to=7),
    sample("Cast", "f4[n,5]", to=9),
    sample("Cast", "i4[n,5]", to=10),
    sample("CastLike", "f4[n,5]", numpy.array([1], "f8")),
    sample("BitCast", "f4[n,5]", opset=26, to=6),
    sample("BitShift", "u1[n,5]", numpy.array([1, 2, 3, 0, 7], "u1"), direction="LEFT"),
    sample("BitShift", "u4[n,5]", numpy.array([1, 2, 3, 0, 7], "u4"), direction="RIGHT"),
    sample("Where", "?[n,1]", "f4[n,5]", "f4[5]"),
    sample("Mod", "f4[n,5]", "f4+[5]", fmod=1),
    sample("Pow", "f4[n,5]", numpy.array([2], "i8")),
    sample("Gelu", "f4[n,5]", approximate="tanh"),
    sample("IsInf", "f4[n,5]", detect_negative=0),
    # shapes
    sample("Reshape", "f4[n,3,4]", ints(0, -1)),
    sample("Reshape", "f4[n,3,4]", ints(-1, 2, 6)),
    sample("Transpose", "f4[n,3,4]", perm=[2, 0, 1]),
    sample("Transpose", "f4[n,3]"),
    sample("Unsqueeze", "f4[n,3]", ints(0, -1)),
    sample("Unsqueeze", "f4[n,3]", opset=11, axes=[1]),
    sample("Squeeze", "f4[n,1,3]", ints(1)),
    sample("Flatten", "f4[3,n,4]", axis=2),
    sample("Expand", "f4[n,1,3]", ints(1, 4, 1)),
    sample("Shape", "f4[n,3]"),
    sample("Size", "f4[n,3]"),
    sample("Concat", "f4[n,3]", "f4[n,2]", axis=1),
    sample("Concat", "f4[n,3]", "f4[n,3]", axis=0),
    sample("Split", "f4[n,6]", ints(2, 4), outputs=2, axis=1),
    sample("Split", "f4[n,7]", outputs=3, axis=1, num_outputs=3),
    sample("Split", "f4[n,6]", outputs=2, opset=11, axis=1, split=[1, 5]),
    sample("Slice", "f4[n,6,5]", ints(1, 0), ints(-1, 4), ints(1, 2), ints(2, 1)),
    sample("Slice", "f4[n,6]", ints(-1), ints(-100), ints(1), ints(-1)),
    sample("Slice", "f4[n,6]", opset=9, starts=[0, 1], ends=[1 << 30, 3]),
    sample("Tile", "f4[n,3]", ints(2, 2)),
    sample("Pad", "f4[n,3,4]", ints(0, 1, 2, 0, 0, 1), floats(7.0).reshape(())),
    sample("Pad", "f4[n,5]", ints(0, 2, 0, 1), mode="reflect"),
    sample("Pad", "f4[n,5]", ints(0, -2, 0, 1), mode="edge"),
    sample("Pad", "f4[n,5]", opset=10, pads=[0, 1, 0, 1], mode="constant", value=2.0),
    sample("ConstantOfShape", ints(2, 3)),
    sample("DepthToSpace", "f4[n,8,2,3]", blocksize=2),
    sample("DepthToSpace", "f4[n,8,2,3]", blocksize=2, mode="CRD"),
    sample("SpaceToDepth", "f4[n,2,4,6]", blocksize=2),
    sample("CenterCropPad", "f4[n,5,4]", ints(3, 7), axes=[1, 2]),
    # indices
    sample("Gather", "f4[n,5]", ints(0, -1, 2), axis=1),
    sample("Gather", "f4[6,2]", "i8<-6:6[n,2]"),
    sample("GatherElements", "f4[n,5]", "i8<-5:5[n,2]", axis=1),
    sample("GatherND", "f4[n,4,3]", "i8<-4:4[n,2,1]", batch_dims=1),
    sample("GatherND", "f4[5,4,3]", "i8<-4:4[n,2]"),
    sample("ScatterElements", "f4[n,5]", numpy.array([[1, -1]], "i8"), "f4[1,2]", axis=1),
    sample("ScatterElements", "f4[n,5]", "i8<0:5[n,3]", "f4[n,3]", axis=1, reduction="add"),
    sample("ScatterElements", "f4[n,5]", "i8<0:5[n,3]", "f4[n,3]", axis=1, reduction="max"),
    sample("ScatterElements", "f4[n,5]", "i8<0:5[n,3]", "f4[n,3]", axis=1, reduction="min"),
    sample("ScatterElements", "f4[n,5]", "i8<0:5[n,3]", "f4[n,3]", axis=1, reduction="mul"),
    sample("ScatterND", "f4[6,n]", numpy.array([[1], [-2]], "i8"), "f4[2,n]"),
    sample("ScatterND", "f4[6,3]", "i8<0:6[n,1]", "f4[n,3]", reduction="add"),
    sample("ScatterND", "f4[6,3]", "i8<0:6[n,1]", "f4[n,3]", reduction="max"),
    sample("OneHot", "i8<-4:4[n,3]", numpy.array(4, "i8"), floats(-1, 2)),
    sample("OneHot", "i8<0:4[n]", numpy.array([4], "i8"), floats(0, 1), axis=0),
    sample("Trilu", "f4[n,4,5]"),
    sample("Trilu", "f4[n,4,5]", numpy.array(-1, "i8"), upper=0),
    sample("EyeLike", "f4[n,5]", k=1),
    sample("ReverseSequence", "f4[4,n,2]", "i8<1:5[n]"),
    sample("ReverseSequence", "f4[n,4,2]", "i8<1:5[n]", time_axis=1, batch_axis=0),
    sample("TopK", "f4[n,7]", ints(3), outputs=2),
    sample("TopK", "f4[n,7]", ints(2), outputs=2, largest=0, axis=1),
    sample("TopK", "f4[n,7]", outputs=2, opset=9, k=2),
    sample("ArgMax", "i4<0:3[n,7]", axis=1),
    sample("ArgMin", "i4<0:3[n,7]", axis=1, keepdims=0, select_last_index=1),
    sample("CumSum", "f4[n,5]", numpy.array(1, "i8"), exclusive=1, reverse=1),
    sample("CumSum", "f4[n,5]", numpy.array(0, "i8")),
    sample("CumProd", "f4[n,5]", numpy.array(1, "i8"), opset=26),
    sample("Compress", "f4[n,5]", numpy.array([True, False, True, False, True]), axis=1),
    sample("MaxUnpool", "f4[n,1,2,2]", numpy.array([[[[5, 7], [13, 15]]]], "i8"), kernel_shape=[2, 2], strides=[2, 2],
           programs=1),  # the places are constants of the model, so the batch is one
    # windows
    sample("MatMul", "f4[n,3,4]", "f4[4,5]"),
    sample("Gemm", "f4[n,4]", "f4[3,4]", "f4[3]", transB=1),
    sample("Gemm", "f4[4,n]", "f4[4,3]", "f4[1,3]", transA=1, alpha=0.5, beta=2.0),
    sample("Einsum", "f4[n,3,4]", "f4[n,4,2]", equation="bij, bjk -> bik"),
    sample("Einsum", "f4[n,3,3]", equation="...ii->...i"),
    sample("Conv", "f4[n,2,6,5]", "f4[3,2,3,3]", "f4[3]", pads=[1, 1, 1, 1]),
    sample("Conv", "f4[n,2,6]", "f4[3,2,3]", pads=[2, 0], strides=[2]),
    sample("Conv", "f4[n,4,6,5]", "f4[4,2,2,2]", group=2, auto_pad="SAME_LOWER", dilations=[2, 1]),
    sample("Conv", "f4[1,2,n+3,6]", "f4[3,2,3,3]", strides=[2, 2], auto_pad="SAME_UPPER",
           programs=3),  # even and odd sizes have other paddings
    sample("ConvTranspose", "f4[n,2,4,3]", "f4[2,3,3,3]", "f4[3]", strides=[2, 2], pads=[1, 1, 0, 1]),
    sample("ConvTranspose", "f4[n,2,4]", "f4[2,3,3]", strides=[2], output_shape=[8]),
    sample("ConvTranspose", "f4[n,2,4]", "f4[2,1,3]", group=2, strides=[2], output_padding=[1]),
    sample("MaxPool", "f4[n,2,6,5]", kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1], outputs=2),
    sample("MaxPool", "f4[n,2,7]", kernel_shape=[3], strides=[2], ceil_mode=1, dilations=[2]),
    sample("AveragePool", "f4[n,2,6,5]", kernel_shape=[3, 2], pads=[1, 0, 1, 1], count_include_pad=1),
    sample("AveragePool", "f4[n,2,7]", kernel_shape=[3], strides=[2], auto_pad="SAME_UPPER"),
    sample("LpPool", "f4[n,2,6]", kernel_shape=[3], p=3),
    sample("LpPool", "f4[n,2,6,4]", kernel_shape=[2, 2], strides=[2, 1]),
    sample("Col2Im", "f4[n,8,6]", ints(3, 4), ints(2, 2)),
    sample("DeformConv", "f4[n,2,4,4]", "f4[3,2,2,2]", "f4[n,8,3,3]", "f4[3]", "f4[n,4,3,3]", pads=[0, 0, 0, 0]),
    # images
    sample("Resize", "f4[1,2,n,n+1]", None, floats(1, 1, 2, 4)),
    sample("Resize", "f4[n,2,3,4]", None, floats(1, 1, 2, 2)),
    sample("Resize", "f4[1,2,n,n+1]", None, floats(1, 1, 2, 2), mode="linear"),
    sample("Resize", "f4[1,2,n,n+1]", None, floats(1, 1, 0.5, 3), mode="linear", coordinate_transformation_mode="asymmetric"),
    sample("Resize", "f4[1,2,n,4]", None, floats(1, 1, 2, 2), mode="linear", coordinate_transformation_mode="align_corners"),
    sample("Resize", "f4[1,2,n,4]", None, floats(1, 1, 2, 2), mode="cubic"),
    sample("Resize", "f4[n,2,3,4]", None, None, ints(7, 3), axes=[2, 3], mode="cubic", exclude_outside=1),
    sample("Resize", "f4[1,1,n,4]", None, floats(1, 1, 3, 1.5), nearest_mode="floor",
           coordinate_transformation_mode="asymmetric"),
    sample("Resize", "f4[n,2,3,4]", floats(0.2, 0.1, 0.9, 1.2), None, ints(5, 6), axes=[2, 3], mode="linear",
           coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=9.0),
    sample("Resize", "f4[n,2,3,4]", floats(1, 1, 2, 2), opset=10),
    sample("Upsample", "f4[n,2,3,4]", floats(1, 1, 2, 3), opset=9),
    sample("Upsample", "f4[n,2,3,4]", opset=8, mode="linear", scales=[1.0, 1.0, 2.0, 2.0]),
    sample("GridSample", "f4[n,2,4,5]", "f4[n,3,2,2]", padding_mode="border"),
    sample("GridSample", "f4[n,2,4,5]", "f4[n,3,2,2]", mode="cubic", padding_mode="reflection", align_corners=1),
    sample("GridSample", "f4[n,2,3,4,5]", "f4[n,2,3,2,3]", mode="nearest"),
    sample("AffineGrid", "f4[2,2,3]", ints(2, 1, 3, 4), align_corners=1),
    sample("RoiAlign", "f4[2,2,6,6]", "f4+[n,4]", "i8<0:2[n]", output_height=2, output_width=2, sampling_ratio=2),
    sample("RoiAlign", "f4[2,2,6,6]", "f4+[n,4]", "i8<0:2[n]", opset=11, output_height=2, output_width=2),
    sample("MaxRoiPool", "f4[n,2,6,6]", floats(0, 0, 0, 3, 3, 0, 1, 1, 5, 4).reshape(2, 5), pooled_shape=[2, 2]),
    # normalization
    sample("BatchNormalization", "f4[n,3,4]", "f4[3]", "f4[3]", "f4[3]", "f4+[3]"),
    sample("BatchNormalization", "f4[n,3,4]", "f4[3]", "f4[3]", "f4[3]", "f4+[3]", opset=8),
    sample("BatchNormalization", "f4[n,3,4]", "f4[3]", "f4[3]", "f4[3]", "f4+[3]", training_mode=1, outputs=3),
    sample("InstanceNormalization", "f4[n,3,4]", "f4[3]", "f4[3]"),
    sample("GroupNormalization", "f4[n,4,5]", "f4[4]", "f4[4]", opset=21, num_groups=2),
    sample("GroupNormalization", "f4[n,4,5]", "f4[2]", "f4[2]", opset=18, num_groups=2),
    sample("LayerNormalization", "f4[n,4,5]", "f4[5]", "f4[5]"),
    sample("LayerNormalization", "f4[n,4,5]", "f4[4,5]", axis=1, outputs=3),
    sample("RMSNormalization", "f4[n,4,5]", "f4[5]", opset=23),
    sample("LRN", "f4[n,6,3,2]", size=3, alpha=0.3),
    sample("LpNormalization", "f4[n,5]", p=1, axis=1),
    sample("GlobalLpPool", "f4[n,3,4]", p=3),
    sample("Softmax", "f4[n,3,4]", opset=12, axis=1),
    sample("Hardmax", "f4[n,3,4]", opset=12),
    # along axes whose sizes calls choose
    sample("Softmax", "f4[2,n]"),
    sample("LayerNormalization", "f4[2,n,3]", "f4[n,3]", axis=1),
    sample("ReduceMean", "f4[2,n,3]", ints(1), keepdims=0),
    sample("ReduceL2", "f4[2,n,3]", ints(1), keepdims=0),
    sample("Slice", "f4[2,n+2]", ints(1), ints(-1), ints(1)),
    sample("Slice", "f4[2,n+2]", ints(-1), ints(-(1 << 40)), ints(1), ints(-2)),
    sample("Slice", "f4[2,n+2]", ints(-2), ints(1 << 40), ints(1)),
    sample("Gather", "f4[2,n]", ints(-1, 0), axis=1),
    sample("Gather", "f4[2,n]", numpy.array(-1, "i8"), axis=1),
    sample("Split", "f4[2,2*n]", outputs=2, axis=1, num_outputs=2),
    sample("TopK", "f4[2,n]", ints(2), outputs=2),
    sample("ArgMax", "f4[2,n]", axis=1, select_last_index=1),
    sample("Pad", "f4[2,n]", ints(0, 1, 0, 2), mode="reflect"),
    sample("Pad", "f4[2,n]", ints(0, 1, 0, -1)),
    sample("Pad", "f4[2,n]", ints(0, 1, 0, 2), mode="wrap", opset=21),
    sample("Tile", "f4[2,n]", ints(1, 3)),
    sample("Trilu", "f4[n,n+1]"),
    sample("OneHot", "i8<0:3[n]", numpy.array(3, "i8"), floats(0, 1)),
    sample("DepthToSpace", "f4[1,4,n,n+1]", blocksize=2),
    sample("SpaceToDepth", "f4[1,2,2*n,4]", blocksize=2, mode="CRD"),
    sample("MatMul", "f4[2,n]", "f4[n,3]"),
    sample("Einsum", "f4[2,n]", "f4[n,3]", equation="ij,jk"),
    sample("Reshape", "f4[2,n,3]", ints(2, -1)),
    sample("Flatten", "f4[2,n,3]", axis=1),
    sample("CumSum", "f4[2,n]", numpy.array(1, "i8"), exclusive=1),
    sample("MaxPool", "f4[1,2,n+2,n+4]", kernel_shape=[3, 2], strides=[1, 2], pads=[1, 0, 1, 0]),
    sample("MaxPool", "f4[1,2,n+4]", kernel_shape=[3], dilations=[2]),
    sample("AveragePool", "f4[1,2,n+2,5]", kernel_shape=[3, 2], pads=[1, 0, 1, 1], count_include_pad=1),
    sample("AveragePool", "f4[1,2,n+2]", kernel_shape=[3], auto_pad="SAME_UPPER"),
    sample("GlobalAveragePool", "f4[1,2,n,4]"),
    sample("LpPool", "f4[1,2,n+2]", kernel_shape=[3]),
    sample("Conv", "f4[1,2,n+2,6]", "f4[3,2,3,3]", "f4[3]", pads=[1, 1, 1, 1], strides=[1, 2]),
    sample("Conv", "f4[1,2,n+2,6]", "f4[3,2,3,3]", auto_pad="SAME_UPPER"),
    sample("ConvTranspose", "f4[1,2,n,4]", "f4[2,3,2,2]", strides=[2, 2]),
    sample("InstanceNormalization", "f4[1,3,n]", "f4[3]", "f4[3]"),
    sample("GroupNormalization", "f4[1,4,n]", "f4[4]", "f4[4]", opset=21, num_groups=2),
    sample("LpNormalization", "f4[2,n]"),
    sample("LRN", "f4[1,6,n,2]", size=3, alpha=0.3),
    sample("GridSample", "f4[1,2,n,n+1]", "f4[1,3,2,2]"),
    sample("RoiAlign", "f4[1,2,n+3,6]", "f4+[2,4]", numpy.zeros(2, "i8"), output_height=2, output_width=2,
           sampling_ratio=2),
    sample("GatherND", "f4[n,4]", numpy.array([[-1], [0]], "i8")),
    sample("ScatterND", "f4[n,2]", numpy.array([[-1]], "i8"), "f4[1,2]"),
    sample("CenterCropPad", "f4[n+2,3]", ints(2), axes=[0]),
    sample("Resize", "f4[1,1,n,3]", None, None, ints(1, 1, 7, 6), mode="linear"),
    sample("Expand", "f4[n,1]", ints(1, 4)),
]  # fmt: skip
"""Of all rows but those that `test_rows` says are tested elsewhere."""
