"""Products of flattened images: the image is read as it lies, and the matrix is permuted."""

import numpy
import pytest

from hybridize import np, ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float16, float32, float64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.engine import runnable
from hybridize.codegen.llvm.program import scheduled
from hybridize.compiler import compile as compiled
from hybridize.gluon import nn
from hybridize.machine.target import named_target
from hybridize.ops import composites, evaluate, make_graph
from hybridize.passes import PIPELINE
from tests.schedule.tiles import graph_of, numbers

LEVELS = runnable()


def flat(x):
    shape = ops.type_of(x).shape
    size = 1
    for one in shape[1:]:
        size *= one
    return ops.reshape(x, (shape[0], size))


def steps_of(graph, stable):
    return [step.provenance.ops for step in scheduled(graph, named_target("avx512"), stable).steps]


def compare(graph, inputs, level="avx512", stable=(1, 2, 3), tolerance=2e-4):
    program = compiled(graph, named_target(level), stable=[k for k in stable if k < len(inputs)])
    for found, wanted in zip(program.run(inputs), evaluate(graph, inputs), strict=True):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        scale = max(1.0, float(numpy.abs(wanted.astype("f8")).max(initial=0)))
        numpy.testing.assert_allclose(found.astype("f8"), wanted.astype("f8"), rtol=0, atol=tolerance * scale)


def lying(x, w):
    """Activations of a convolution, which lie channels last, each pixel in steps of two."""
    y = ops.convolution(x, w, 2)
    return ops.mul(composites.relu(y), y)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", [float32, float64, float16])
@pytest.mark.parametrize("batch", [1, 5, 64])
def test_values_are_the_references(level, transposed, dtype, batch):
    x, w = numbers((batch, 3, 11, 13), dtype), numbers((20, 3, 3, 3), dtype, 1)
    v = numbers((7, 600) if transposed else (600, 7), dtype, 2)
    graph = graph_of(lambda x, w, v: [ops.matmul(flat(lying(x, w)), v, False, transposed)], x, w, v)
    compare(graph, [x, w, v], level, tolerance=3e-2 if dtype == float16 else 2e-4)


@pytest.mark.parametrize("stable", [True, False])
def test_no_step_turns_the_image_where_the_matrix_is_stable(stable):
    x, w, v = numbers((4, 3, 11, 13)), numbers((20, 3, 3, 3), seed=1), numbers((7, 600), seed=2)
    graph = graph_of(
        lambda x, w, v: [ops.matmul(flat(composites.relu(ops.convolution(x, w, 2))), v, False, True)], x, w, v
    )
    found = steps_of(graph, (1, 2) if stable else (1,))
    assert len(found) == (2 if stable else 3), found


def test_all_products_of_an_image_or_none():
    x, w = numbers((4, 3, 11, 13)), numbers((20, 3, 3, 3), seed=1)
    v, u = numbers((600, 7), seed=2), numbers((600, 40), seed=3)

    def two(x, w, v, u):
        y = flat(composites.relu(ops.convolution(x, w, 2)))
        return [ops.matmul(y, v), ops.tanh(ops.matmul(y, u))]

    graph = graph_of(two, x, w, v, u)
    assert len(steps_of(graph, (1, 2, 3))) == 3
    for stable in ((1, 2, 3), (1, 2), (1,), ()):
        compare(graph, [x, w, v, u], stable=stable)

    def kept(x, w, v):
        y = flat(composites.relu(ops.convolution(x, w, 2)))
        return [y, ops.matmul(y, v)]

    compare(graph_of(kept, x, w, v), [x, w, v])


@pytest.mark.parametrize("sizes", ["n", "nhw"])
def test_any_size(sizes):
    scope = SizeScope()
    symbols = {axis: scope.symbol(hint, low=2) for axis, hint in (("n", 4), ("h", 11), ("w", 13)) if axis in sizes}
    scope.capturing = False
    n, h, w = (symbols.get(axis, hint) for axis, hint in (("n", 4), ("h", 11), ("w", 13)))
    if sizes == "nhw":  # the matrix knows the sizes: images are pooled to one pixel by their maximum

        def run(x, k, v):
            y = ops.reduce_max(composites.relu(ops.convolution(x, k, 2)), (2, 3))
            return [ops.matmul(y, v)]

        matrix = (20, 7)
    else:

        def run(x, k, v):
            return [ops.matmul(flat(composites.relu(ops.convolution(x, k, 2))), v)]

        matrix = (600, 7)
    kinds = [TensorType(shape, float32) for shape in ((n, 3, h, w), (20, 3, 3, 3), matrix)]
    program = compiled(PIPELINE.run(make_graph(run, kinds)), named_target("avx512"), stable=(1, 2))
    for batch in (2, 4, 17):
        inputs = [numbers((batch, 3, 11, 13)), numbers((20, 3, 3, 3), seed=1), numbers(matrix, seed=2)]
        wanted = evaluate(graph_of(run, *inputs), inputs)[0]
        numpy.testing.assert_allclose(program.run(inputs)[0], wanted, rtol=0, atol=2e-4 * numpy.abs(wanted).max())


def test_a_net_sees_new_weights():
    """The permuted matrix is made anew for each version of a weight."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(20, 3, activation="relu"), nn.MaxPool2D(), nn.Flatten(), nn.Dense(30), nn.Dense(4))
    net.initialize()
    x = np.array(numbers((3, 2, 12, 12)))
    wanted = net(x).asnumpy()
    net.hybridize()
    for _ in range(3):
        numpy.testing.assert_allclose(net(x).asnumpy(), wanted, rtol=0, atol=1e-5)
    weight = net[3].weight
    weight.set_data(weight.data() * 2)
    found = net(x).asnumpy()
    net.hybridize(active=False)
    numpy.testing.assert_allclose(found, net(x).asnumpy(), rtol=0, atol=1e-5)
