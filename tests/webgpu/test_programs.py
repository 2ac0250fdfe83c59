"""Whole programs on a device of WebGPU: training steps, sizes that only a call knows, long loops, arrays of the user."""

import numpy as np
import pytest

from hybridize import ops
from hybridize.base.dtypes import int64
from hybridize.base.types import TensorType
from hybridize.gluon import nn
from tests.device.programs import graph_of, on_cpu
from tests.device.test_training import dense, step_of
from tests.schedule.goldens import f32
from tests.webgpu.running import on_gpu

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def check(function, *arrays, rtol=1e-5, atol=1e-5):
    graph = graph_of(function, *(f32(*one.shape) for one in arrays))
    for found, expected in zip(on_gpu(graph, arrays), on_cpu(graph, arrays), strict=True):
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize(("m", "n", "k"), [(70, 90, 100), (33, 17, 5), (8, 200, 64), (129, 128, 40), (9, 9, 1000)])
def test_products(m, n, k):
    # Terms of both signs: what is left of a sum may be small beside them.
    check(lambda x, w: [ops.matmul(x, w)], normal(m, k), normal(k, n), atol=max(1e-5, 1e-7 * k))


def test_a_product_of_many():
    check(lambda x, w: [ops.matmul(x, w)], normal(5, 20, 30), normal(5, 30, 40))


def test_a_convolution():
    check(lambda x, w: [ops.convolution(x, w, (2, 1), (1, 2))], normal(2, 3, 11, 12), normal(4, 3, 3, 3))


def test_a_long_sum_of_few_rows():
    check(lambda x: [ops.sum(x, (1,))], normal(2, 100_000), rtol=1e-4)


def test_more_blocks_than_an_axis_has():
    x = normal(300, 65_536)
    check(lambda x: [ops.add(x, x)], x)


@pytest.mark.parametrize("n", [32, 33, 70, 4096, 4097, 9001])
def test_lines_that_a_block_sorts_and_that_many_do(n):
    x = RNG.integers(-99, 99, n).astype(np.float32)
    graph = graph_of(lambda x: [ops.arg_sort(x, 0), ops.sort(x, 0, True), ops.cum_max(x, 0)], f32(n))
    for found, expected in zip(on_gpu(graph, [x]), on_cpu(graph, [x]), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_running_totals_of_many_blocks():
    check(lambda x: [ops.cum_sum(x, 1)], normal(2, 20_000), rtol=1e-4, atol=1e-3)


def test_the_gradient_of_an_embedding_of_many_tuples():
    where, part = RNG.integers(0, 70, (5000, 1)), normal(5000, 3)
    graph = graph_of(lambda *of: [ops.scatter_nd(*of, "add")], f32(70, 3), TensorType(where.shape, int64), f32(5000, 3))
    inputs = [np.zeros((70, 3), np.float32), where, part]
    np.testing.assert_array_equal(on_gpu(graph, inputs)[0], on_cpu(graph, inputs)[0])


@pytest.mark.parametrize("name", ["perceptron", "LeNet"])
def test_a_step_of_training(name):
    if name == "perceptron":
        net, shape = dense(24, 10), (9, 20)
    else:
        net, shape = nn.HybridSequential(), (2, 1, 28, 28)
        net.add(
            nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Conv2D(16, 5, activation="sigmoid"),
            nn.AvgPool2D(2, 2), nn.Flatten(), nn.Dense(120, activation="sigmoid"), nn.Dense(10),
        )  # fmt: skip
    graph, inputs = step_of(net, shape)
    for found, expected in zip(on_gpu(graph, inputs), on_cpu(graph, inputs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)
