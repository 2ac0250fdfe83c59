"""Contractions of bytes less their zeros are of fours where the target multiplies these, and give the same integers."""

import dataclasses
import itertools

import numpy
import pytest

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import int8, int16, int32, uint8
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import host_target
from hybridize.compiler.compile import compile
from hybridize.machine.target import named_target
from hybridize.ops.library.products import matrix_product
from hybridize.ops.library.quantized import integers
from hybridize.passes import PIPELINE
from hybridize.schedule.fours import in_fours

DOTS = dataclasses.replace(named_target("aarch64-linux"), features="+dotprod")
RANDOM = numpy.random.default_rng(0)


def some_bytes(shape, dtype, edges=False):
    ends = numpy.iinfo(dtype)
    if edges:  # the products that are largest, and those that a signed byte has no negative of
        return numpy.asarray(RANDOM.choice([ends.min, ends.max], shape), dtype)
    return numpy.asarray(RANDOM.integers(ends.min, ends.max + 1, shape), dtype)


def less(x, zero):
    """Integers less a zero, which is an operand, a number, or none."""
    if isinstance(zero, int):
        x = ops.cast(x, int16)
        return ops.sub(x, ops.like(zero, x)) if zero else x
    return integers(x, None if zero is None else ops.broadcast(zero, ops.type_of(x).shape))


def convolved(*numbers):
    return lambda x, w: ops.convolution(x, w, *numbers, result=int32)


def product(x, w):
    return matrix_product(x, w, int32)


def turned(x, w):
    return matrix_product(x, ops.transpose(w, (1, 0)), int32)


def reshaped(x, w):
    """Views and zeros around x come between the zero and the product."""
    x = ops.pad(x, ops.scalar(0, int16), (1, 0, 0), (0, 0, 2))
    return matrix_product(ops.reshape(ops.transpose(x, (0, 2, 1)), (12, 4)), w, int32)


KINDS = {
    "row": (product, (1, 64), (64, 40)),
    "odd": (product, (5, 7), (7, 33)),
    "two terms": (product, (5, 2), (2, 9)),
    "tall": (product, (70, 130), (130, 20)),
    "turned": (turned, (3, 64), (9, 64)),
    "batch": (product, (3, 4, 9), (3, 9, 20)),
    "views": (reshaped, (2, 4, 2), (4, 5)),
}
WINDOWS = {
    "line": (convolved(2, ((1, 2),), 1), (2, 3, 9), (40, 3, 3)),
    "image": (convolved(1, 1, 1), (1, 24, 9, 11), (24, 24, 3, 3)),
    "groups": (convolved(1, 1, 1, 4), (2, 24, 9, 11), (20, 6, 3, 3)),
    "dilated volume": (convolved(1, 0, 2), (1, 5, 9, 11, 7), (6, 5, 3, 3, 2)),
}


def graphs_of(function, x, w, zeros):
    """The graph with operands for the zeros that are arrays, and what is made of it for the target."""
    given = [zero for zero in zeros if isinstance(zero, numpy.ndarray)]

    def of(x, w, *more):
        more = iter(more)
        sides = (less(one, next(more) if isinstance(zero, numpy.ndarray) else zero)
                 for one, zero in zip((x, w), zeros, strict=True))  # fmt: skip
        return [function(*sides)]

    graph = PIPELINE.run(ops.make_graph(of, [TensorType(one.shape, one.dtype) for one in (x, w, *given)]))
    return graph, in_fours(graph, DOTS), [x, w, *given]


def names(graph):
    return {node.op.name for node in graph.nodes if isinstance(node.op, ops.Contract)}


def check(function, x, w, zeros, kind="fourfold_contract"):
    graph, fours, operands = graphs_of(function, x, w, zeros)
    assert names(fours) == {kind}
    numpy.testing.assert_array_equal(ops.evaluate(fours, operands)[0], ops.evaluate(graph, operands)[0])


TYPES = list(itertools.product((int8, uint8), repeat=2))


@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("name", [*KINDS, *WINDOWS])
def test_integers_are_those_of_pairs(name, edges):
    function, *shapes = (KINDS | WINDOWS)[name]
    for types in TYPES:
        x, w = (some_bytes(shape, dtype, edges) for shape, dtype in zip(shapes, types, strict=True))
        # A window's own sums of x are no sums along axes: there the zero of w is that of signed bytes.
        symmetric = 128 if types[1] == uint8 else None
        check(function, x, w, (some_bytes((), types[0]), symmetric))
        if name in KINDS:
            for zeros in ((None, None), (3, 5), tuple(some_bytes((), dtype) for dtype in types)):
                check(function, x, w, zeros)


def test_all_zeros_give_the_same_integers():
    """Compiled once for each pair of types: the zeros are operands."""
    for types in TYPES:
        x, w = (some_bytes(shape, dtype, True) for shape, dtype in zip(((3, 9), (9, 5)), types, strict=True))
        _, fours, _ = graphs_of(product, x, w, [numpy.zeros((), dtype) for dtype in types])
        compiled = compile(fours, host_target())
        singles = [one.astype("i4") for one in (x, w)]
        every = [numpy.arange(256, dtype="u1").view(dtype) for dtype in types]
        for number in range(256):
            zeros = every[0][number, ...], every[1][(7 * number + 3) % 256, ...]
            wanted = (singles[0] - int(zeros[0])) @ (singles[1] - int(zeros[1]))
            numpy.testing.assert_array_equal(numpy.asarray(compiled.run([x, w, *map(numpy.asarray, zeros)])[0]), wanted)


@pytest.mark.parametrize(("least", "most"), [(-128, 127), (-200, 40), (-255, 0), (0, 255)])
def test_constants_are_bytes_where_their_integers_reach_no_further(least, most):
    x = some_bytes((4, 10), int8)
    w = RANDOM.integers(least, most + 1, (10, 6)).astype("i2")
    w[0, :2] = least, most
    graph = PIPELINE.run(
        ops.make_graph(lambda x: [product(less(x, 3), ops.constant(w))], [TensorType(x.shape, x.dtype)])
    )
    fours = in_fours(graph, DOTS)
    assert names(fours) == {"fourfold_contract"}
    numpy.testing.assert_array_equal(ops.evaluate(fours, [x])[0], ops.evaluate(graph, [x])[0])


def test_what_bytes_cannot_hold_stays_in_pairs():
    x, w = some_bytes((4, 10), int8), some_bytes((10, 6), int8)
    image, window = some_bytes((1, 4, 6, 6), int8), some_bytes((3, 4, 3, 3), int8)
    check(product, x, w, (1000, None), "paired_contract")  # a zero that is no byte
    check(convolved(1, 1, 1), image, window, (None, 3), "paired_contract")  # sums of windows
    wide = numpy.asarray([[-300, 300]] * 10, "i2")
    graph = PIPELINE.run(
        ops.make_graph(lambda x: [product(less(x, 3), ops.constant(wide))], [TensorType(x.shape, x.dtype)])
    )
    assert names(in_fours(graph, DOTS)) == {"paired_contract"}


def test_other_targets_keep_pairs():
    x, w = some_bytes((4, 10), int8), some_bytes((10, 6), int8)
    graph, *_ = graphs_of(product, x, w, (3, None))
    for target in ("aarch64", "avx512", "avx2", "baseline", "wasm32"):
        assert in_fours(graph, named_target(target)) is graph


def test_rows_whose_number_only_calls_know_are_of_fours():
    rows = SizeScope().symbol(8)
    kinds = [TensorType((rows, 10), int8), TensorType((10, 6), int8)]
    graph = in_fours(PIPELINE.run(ops.make_graph(lambda x, w: [product(less(x, 3), less(w, None))], kinds)), DOTS)
    assert names(graph) == {"fourfold_contract"}
