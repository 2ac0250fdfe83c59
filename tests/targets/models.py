"""Small programs of every kind of kernel, with inputs: layers, rows, control flow, integers, 16-bit floats."""

import itertools

import ml_dtypes
import numpy

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.types import TensorType
from hybridize.ops import composites
from hybridize.ops.library.convolution_layers import convolution_layer
from hybridize.ops.library.pooling import pooling
from hybridize.passes import PIPELINE

I8 = TensorType((), numpy.dtype("i8"))


def job(function, *inputs):
    """The program of `function` after all passes, and its inputs."""
    types = [TensorType(x.shape, x.dtype) for x in inputs]
    return PIPELINE.run(ops.make_graph(function, types)), list(inputs)


def normal(*shape, dtype="f4", seed=0):
    return numpy.random.default_rng((seed, *shape)).standard_normal(shape).astype(dtype)


def mlp(batch, constant=True):
    """The chapter's net; its weights are constants, which are packed where that pays, or inputs."""
    sizes = (512, 256, 128, 2)
    layers = [(normal(n, k) / numpy.float32(16), normal(n)) for k, n in itertools.pairwise(sizes)]
    given = [] if constant else [array for layer in layers for array in layer]

    def net(x, *parameters):
        for number, layer in enumerate(layers):
            w, b = [ops.constant(array) for array in layer] if constant else parameters[2 * number :][:2]
            x = composites.fully_connected(x, w, b)
            x = composites.relu(x) if number < len(layers) - 1 else x
        return [x]

    return job(net, normal(batch, sizes[0]), *given)


def gelu_of_layer_norm(m, n):
    def rows(x, gamma, beta, w):
        y = composites.layer_norm(x, gamma, beta, axis=1)
        return [ops.add(composites.gelu(ops.mul(y, ops.broadcast(w, (m, n)))), x)]

    return job(rows, normal(m, n), *(normal(n, seed=seed) for seed in (1, 2, 3)))


def softmax(m, n):
    return job(lambda x: [composites.softmax(x, 1), composites.softmax(x, 0)], normal(m, n))


def recurrence():
    """A loop of known length over a layer, within which products are packed."""
    w = normal(8, 8) / numpy.float32(8)

    def step(h, x):
        after = ops.tanh(ops.add(ops.matmul(h, ops.constant(w), False, True), x))
        return [after, after]

    state = TensorType((3, 8), numpy.dtype("f4"))
    scan = ops.Scan(ops.make_graph(step, (state, state)), 7, False, 1)
    return job(lambda h, x: ops.bind(scan, h, x), normal(3, 8), normal(7, 3, 8))


def two_directions():
    """An LSTM layer over its input products, forth and back: state in slices, in place and by turns, a weight that is
    packed before the loop.
    """
    rows, units = 5, 24
    kinds = [TensorType(shape, numpy.dtype("f4")) for shape in ((rows, units), (rows, units), (rows, 4 * units))]

    def step(h, c, z, w):
        z = ops.add(z, ops.matmul(h, w, False, True))
        i, f, g, o = (ops.slice(z, (0, k * units), (rows, (k + 1) * units), (1, 1)) for k in range(4))
        c = ops.add(ops.mul(ops.sigmoid(f), c), ops.mul(ops.sigmoid(i), ops.tanh(g)))
        h = ops.mul(ops.sigmoid(o), ops.tanh(c))
        return [h, c, h]

    body = ops.make_graph(step, [*kinds, TensorType((4 * units, units), numpy.dtype("f4"))])

    def run(h, c, z, w):
        forth, back = (ops.bind(ops.Scan(body, 6, reverse, 2), h, c, z, w) for reverse in (False, True))
        turned = ops.make_graph(
            lambda h, w: [ops.tanh(ops.matmul(h, w))], (kinds[0], TensorType((units, units), numpy.dtype("f4")))
        )
        (last,) = ops.bind(ops.Scan(turned, 5, False, 1), forth[0], ops.slice(w, (0, 0), (units, units), (1, 1)))
        return [ops.concat(forth[2], back[2], axis=2), back[1], last]

    operands = normal(rows, units), normal(rows, units, seed=1), normal(6, rows, 4 * units), normal(4 * units, units)
    return job(run, *operands[:3], operands[3] / numpy.float32(5))


def collatz():
    """A loop as long as the data says, with a branch in it."""
    halve = ops.make_graph(lambda n: [ops.shift_right(n, ops.like(1, n))], (I8,))
    grow = ops.make_graph(lambda n: [ops.add(ops.mul(n, ops.like(3, n)), ops.like(1, n))], (I8,))

    def turn(n, steps):
        even = ops.eq(ops.mod(n, ops.like(2, n)), ops.like(0, n))
        (after,) = ops.bind(ops.Cond(halve, grow), even, n)
        return [after, ops.add(steps, ops.like(1, steps))]

    more = ops.make_graph(lambda n, steps: [ops.gt(n, ops.like(1, n))], (I8, I8))
    loop = ops.While(more, ops.make_graph(turn, (I8, I8)))
    return job(lambda n: ops.bind(loop, n, ops.full(0, I8)), numpy.asarray(27))


def integers():
    def program(x, y):
        flags = ops.gt(x, y)
        return [
            ops.floor_div(x, y),
            ops.mod(x, y),
            ops.bit_xor(x, y),
            ops.sum(x, (0,)),
            ops.transpose(y, (1, 0)),
            ops.where(flags, x, y),
            ops.cast(x, numpy.dtype("f4")),
            ops.matmul(x, ops.transpose(y, (1, 0))),
            flags,
        ]

    draw = numpy.random.default_rng(0)
    return job(program, draw.integers(-99, 99, (9, 21)), draw.integers(1, 9, (9, 21)))


def sixteen_bits(dtype):
    def program(x, w):
        return [ops.matmul(x, w), composites.softmax(x, 1), ops.sum(x, (0,)), ops.tanh(x)]

    return job(program, normal(5, 33, dtype=dtype), normal(33, 17, dtype=dtype))


def turned():
    return job(lambda x, y: [ops.add(ops.transpose(x, (1, 0)), y)], normal(70, 45), normal(45, 70))


def convolutions():
    """Homes with halos, constants packed beforehand, a residual, a mean over pixels, groups, strides."""
    w, grouped, out = normal(8, 8, 3, 3) / numpy.float32(8), normal(12, 4, 3, 2), normal(5, 12)

    def net(x, v):
        y = composites.relu(ops.convolution(x, ops.constant(w), 1, 1))
        y = ops.add(ops.convolution(y, v, 1, 2, 2), y)
        y = ops.convolution(y, ops.constant(grouped), 2, (1, 0), groups=2)
        return [y, ops.matmul(composites.mean(y, (2, 3)), ops.constant(out), False, True)]

    return job(net, normal(2, 8, 7, 9), normal(8, 8, 3, 3, seed=1))


def lenet():
    """LeNet with its weights as constants: convolutions with padding and without, maxima of windows, dense layers."""
    shapes = [(6, 1, 5, 5), (16, 6, 5, 5), (120, 400), (84, 120), (10, 84)]
    weights = [normal(*shape, seed=1) / numpy.float32(numpy.prod(shape[1:]) ** 0.5) for shape in shapes]
    biases = [normal(shape[0], seed=2) for shape in shapes]

    def net(x):
        for k, pad in enumerate((2, 0)):
            w, b = ops.constant(weights[k]), ops.constant(biases[k])
            x = composites.relu(convolution_layer(x, w, b, (1, 1), (1, 1), (pad, pad), 1, "NCHW"))
            x = pooling(x, (2, 2), "max", False, "valid", (2, 2), (0, 0), None, True, "NCHW")
        for k in range(2, 5):
            x = composites.fully_connected(x, ops.constant(weights[k]), ops.constant(biases[k]), True)
            x = composites.relu(x) if k < 4 else x
        return [x]

    return job(net, normal(3, 1, 28, 28))


def resnet18(widths=(16, 24, 32, 48), pixels=(37, 40), batch=2):
    """ResNet-18, narrower, its weights constants: norms by running statistics, residuals, strides, a mean over pixels."""
    numbers = numpy.random.default_rng(4)

    def convolved(x, filters, kernel, stride, pad):
        channels = ops.type_of(x).shape[1]
        w = numbers.standard_normal((filters, channels, kernel, kernel)) / (channels * kernel * kernel) ** 0.5
        y = convolution_layer(
            x, ops.constant(w.astype("f4")), None, (stride,) * 2, (1, 1), (pad,) * 2, 1, "NCHW"
        )  # fmt: skip
        gamma, beta, mean = (numbers.standard_normal(filters).astype("f4") for _ in range(3))
        var = numbers.uniform(0.5, 2, filters).astype("f4")
        return composites.batch_norm(y, *map(ops.constant, (gamma, beta, mean, var)), 1, 1e-5, 0.9, False, False)

    def net(x):
        x = composites.relu(convolved(x, widths[0], 7, 2, 3))
        x = pooling(x, (3, 3), "max", False, "valid", (2, 2), (1, 1), None, True, "NCHW")
        for stage, width in enumerate(widths):
            for block in range(2):
                stride = 2 if stage and not block else 1
                y = convolved(composites.relu(convolved(x, width, 3, stride, 1)), width, 3, 1, 1)
                beside = convolved(x, width, 1, stride, 0) if stride > 1 else x
                x = composites.relu(ops.add(y, beside))
        w = (numbers.standard_normal((10, widths[-1])) / widths[-1]).astype("f4")
        return [ops.matmul(composites.mean(x, (2, 3)), ops.constant(w), False, True)]

    return job(net, normal(batch, 3, *pixels))


def attention():
    """Scores and values by einsum, softmax between them."""

    def heads(q, k, v):
        scores = composites.softmax(ops.contract("bqhc,bkhc->bhqk", q, k, {}), 3)
        return [ops.contract("bhqk,bkhc->bqhc", scores, v, {})]

    return job(heads, *(normal(2, 9, 3, 16, seed=seed) for seed in range(3)))


MODELS = {
    "mlp of one": lambda: mlp(1),
    "mlp of 7": lambda: mlp(7),
    "mlp of 64, weights given": lambda: mlp(64, constant=False),
    "gelu of layer norm": lambda: gelu_of_layer_norm(37, 100),
    "softmax": lambda: softmax(19, 50),
    "recurrence": recurrence,
    "two_directions": two_directions,
    "collatz": collatz,
    "integers": integers,
    "float16": lambda: sixteen_bits(numpy.dtype("f2")),
    "bfloat16": lambda: sixteen_bits(numpy.dtype(ml_dtypes.bfloat16)),
    "turned": turned,
    "convolutions": convolutions,
    "lenet": lenet,
    "attention": attention,
}


def check(graph, found, wanted):
    """Integers exactly, floats as far as sums in another order differ."""
    for value, x, y in zip(graph.outputs, found, wanted, strict=True):
        dtype = value.type.dtype
        assert (x.shape, x.dtype) == (y.shape, y.dtype) == (value.type.shape, dtype)
        if dtype.kind in "iub":
            numpy.testing.assert_array_equal(x, y)
        else:
            tolerance = {"float16": 2e-2, "bfloat16": 1e-1}.get(dtype.name, 2e-5)
            numpy.testing.assert_allclose(x.astype("f8"), y.astype("f8"), rtol=tolerance, atol=tolerance)


def of_any_length(lengths):
    """One program with a size symbol, and inputs of several lengths with what it must give."""

    def rows(x):
        return [composites.softmax(x, 1), ops.sum(x, (0,)), ops.transpose(x, (1, 0)), ops.cum_sum(x, 0)]

    scope = SizeScope()
    symbol = scope.symbol(9, name="n")
    graph = ops.make_graph(rows, [TensorType((symbol, 21), numpy.dtype("f4"))])
    scope.capturing = False
    exact = [job(rows, normal(length, 21)) for length in lengths]
    program = PIPELINE.run(graph)
    return [(program, inputs) for _, inputs in exact], exact
