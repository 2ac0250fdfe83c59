"""Gradients of graphs: a whole training step is one graph, and agrees with PyTorch's."""

import numpy
import pytest

from hybridize import ops
from hybridize.autograd.reverse import gradient_graph
from hybridize.base.dtypes import float32, float64, int64
from hybridize.base.errors import GraphError
from hybridize.base.types import TensorType
from hybridize.compiler import compile as compile_graph
from hybridize.ops import composites
from hybridize.ops.evaluate import evaluate
from hybridize.ops.record import record

LAYERS = ((512, 256), (256, 128), (128, 2))
RATE = 0.1


def forward(x, *parameters):
    weights, biases = parameters[::2], parameters[1::2]
    for position, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        x = composites.fully_connected(x, weight, bias, True)
        x = composites.relu(x) if position < len(weights) - 1 else x
    return x


def loss(x, labels, *parameters):
    """Softmax cross-entropy, the mean over the batch."""
    scores = composites.log_softmax(forward(x, *parameters), 1)
    chosen = ops.mul(composites.one_hot(labels, 2), scores)
    return (ops.div(ops.neg(ops.sum(chosen, (0, 1))), ops.full(ops.type_of(x).shape[0], TensorType((), float32))),)


def step(*inputs):
    """Loss, and the parameters after one step of gradient descent."""
    count = 2 * len(LAYERS)
    kinds = [ops.type_of(value) for value in inputs]
    graph = gradient_graph(record(loss, kinds), range(2, 2 + count))
    value, *gradients = ops.current().builder.inline(graph, list(inputs))
    moved = [ops.sub(w, ops.mul(g, ops.like(RATE, g))) for w, g in zip(inputs[2:], gradients, strict=True)]
    return (value, *moved)


def step_graph(batch):
    kinds = [TensorType((batch, 512), float32), TensorType((batch,), int64)]
    for inputs, outputs in LAYERS:
        kinds += [TensorType((outputs, inputs), float32), TensorType((outputs,), float32)]
    return record(step, kinds)


def data(batch):
    draw = numpy.random.default_rng(0)
    arrays = [draw.normal(size=(batch, 512)).astype("f4"), draw.integers(0, 2, batch)]
    for inputs, outputs in LAYERS:
        arrays += [
            draw.normal(0, inputs**-0.5, (outputs, inputs)).astype("f4"),
            draw.normal(0, 0.1, outputs).astype("f4"),
        ]
    return arrays


def torch_step(arrays):
    torch = pytest.importorskip("torch")
    x, labels, *parameters = (torch.from_numpy(array.copy()) for array in arrays)
    for parameter in parameters:
        parameter.requires_grad_()
    y = x
    for position in range(len(LAYERS)):
        y = torch.nn.functional.linear(y, parameters[2 * position], parameters[2 * position + 1])
        y = torch.relu(y) if position < len(LAYERS) - 1 else y
    value = torch.nn.functional.cross_entropy(y, labels)
    value.backward()
    torch.optim.SGD(parameters, lr=RATE).step()
    return [value.detach().numpy(), *(parameter.detach().numpy() for parameter in parameters)]


@pytest.mark.parametrize("batch", [1, 16])
def test_a_training_step_in_one_graph_is_pytorchs(batch):
    arrays = data(batch)
    expected = torch_step(arrays)
    graph = step_graph(batch)
    executable = compile_graph(graph)
    for got in (evaluate(graph, arrays), executable.run(arrays)):
        for found, want in zip(got, expected, strict=True):
            numpy.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-5)


def test_gradients_of_gradients():
    cube = record(lambda x: (ops.mul(ops.mul(x, x), x),), [TensorType((3,), float64)])
    first = gradient_graph(cube, [0])
    x = numpy.array([1.0, 2.0, -3.0])
    _, slope = evaluate(first, [x])
    numpy.testing.assert_allclose(slope, 3 * x**2)
    turned = record(lambda x: (ops.current().builder.inline(first, [x])[1],), [TensorType((3,), float64)])
    _, curve = evaluate(gradient_graph(turned, [0]), [x])
    numpy.testing.assert_allclose(curve, 6 * x)


def test_inputs_that_do_not_matter_have_gradient_zero():
    graph = record(lambda x, y: (ops.exp(x),), [TensorType((2,), float32)] * 2)
    result = gradient_graph(graph, [0, 1])
    x = numpy.ones(2, "f4")
    _, dx, dy = evaluate(result, [x, x])
    numpy.testing.assert_allclose(dx, numpy.exp(x), rtol=1e-6)
    assert (dy == 0).all()


def test_integers_have_no_gradient():
    graph = record(lambda x: (ops.neg(x),), [TensorType((2,), int64)])
    with pytest.raises(GraphError, match="floats"):
        gradient_graph(graph, [0])
