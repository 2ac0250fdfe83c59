"""Contractions of int16 with sums of int32 are of pairs where an axis can be halved, and give the same integers."""

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import int16, int32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import host_target, named_target
from hybridize.compiler.compile import compile
from hybridize.ops.library.products import matrix_product
from hybridize.passes import PIPELINE

RANDOM = numpy.random.default_rng(0)


def integers(*shape, most=255):
    return RANDOM.integers(-most, most + 1, shape).astype("i2")


def convolved(*numbers):
    return lambda x, w: ops.convolution(x, w, *numbers, result=int32)


def product(x, w):
    return matrix_product(x, w, int32)


def turned(x, w):
    return matrix_product(x, ops.transpose(w, (1, 0)), int32)


PAIRED = {
    "row": (product, (1, 64), (64, 40)),
    "odd": (product, (5, 7), (7, 33)),
    "tall": (product, (70, 130), (130, 20)),
    "turned": (turned, (3, 64), (9, 64)),
    "batch": (product, (3, 4, 9), (3, 9, 20)),
    "shared": (product, (3, 4, 9), (9, 20)),
    "line": (convolved(2, ((1, 2),), 1), (2, 3, 9), (40, 3, 3)),
    "image": (convolved(1, 1, 1), (1, 24, 9, 11), (24, 24, 3, 3)),
    "groups": (convolved(1, 1, 1, 4), (2, 24, 9, 11), (20, 6, 3, 3)),
    "dilated volume": (convolved(1, 0, 2), (1, 5, 9, 11, 7), (6, 5, 3, 3, 2)),
}
SINGLE = {
    "one term": (product, (2, 1), (1, 5)),
    "depthwise": (convolved(1, 1, 1, 8), (2, 8, 9, 11), (8, 1, 3, 3)),
    "one channel": (convolved(1, 1, 1), (2, 1, 9, 11), (20, 1, 3, 3)),
}


@pytest.mark.parametrize("target", [host_target(), named_target("avx2"), named_target("baseline")], ids=str)
@pytest.mark.parametrize("name", [*PAIRED, *SINGLE])
def test_integers_are_those_of_int32(name, target):
    function, *shapes = (PAIRED | SINGLE)[name]
    x, w = (integers(*shape) for shape in shapes)
    short = ops.make_graph(lambda x, w: [function(x, w)], [TensorType(one.shape, one.dtype) for one in (x, w)])
    wide = ops.make_graph(lambda x, w: [function(x, w)], [TensorType(one.shape, int32) for one in (x, w)])
    (wanted,) = ops.evaluate(wide, [x.astype("i4"), w.astype("i4")])
    optimised = PIPELINE.run(short)
    assert {node.op.name for node in optimised.nodes if isinstance(node.op, ops.Contract)} == {
        "paired_contract" if name in PAIRED else "contract"
    }
    for result in (ops.evaluate(optimised, [x, w])[0], compile(optimised, target).run([x, w])[0]):
        numpy.testing.assert_array_equal(numpy.asarray(result), wanted)


def test_sums_wrap():
    x, w = integers(3, 300, most=32767), integers(300, 20, most=32767)
    x[0], w[:, 0] = -32768, -32768
    graph = PIPELINE.run(ops.make_graph(lambda x, w: [product(x, w)], [TensorType(a.shape, a.dtype) for a in (x, w)]))
    wanted = (x.astype("i8") @ w.astype("i8")).astype("i4")
    numpy.testing.assert_array_equal(numpy.asarray(compile(graph).run([x, w])[0]), wanted)


def test_an_axis_whose_size_the_call_knows_is_not_halved():
    inner = SizeScope().symbol(8)
    graph = ops.make_graph(lambda x, w: [product(x, w)], [TensorType((4, inner), int16), TensorType((inner, 5), int16)])
    assert "paired_contract" not in {node.op.name for node in PIPELINE.run(graph).nodes}
