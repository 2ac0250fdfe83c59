"""The schedules of small graphs as text, one for each kind of kernel: tests/schedule/goldens/*.txt, and in folders.

python tests/schedule/goldens.py           which differ
python tests/schedule/goldens.py --write   write them anew
"""

import math
import sys
from dataclasses import replace
from pathlib import Path

from hybridize import ops
from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float16, float32, float64, int64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.program import scheduled
from hybridize.machine.target import named_target
from hybridize.ops import composites
from hybridize.ops.elimination import LU
from hybridize.ops.factors import QR, Cholesky
from hybridize.ops.views import like
from hybridize.ops.world import Bounds
from hybridize.passes import PIPELINE
from hybridize.passes.inline import Inline
from tests.records import check_tree

INLINE = Inline()
FOLDER = Path(__file__).parent / "goldens"


def f32(*shape):
    return TensorType(shape, float32)


def unknown(low=2, hint=9):
    """A size that is not known, but that was `hint` once."""
    scope = SizeScope()
    size = scope.symbol(hint, low=low)
    scope.capturing = False
    return size


def schedule_of(function, *types, target="avx512", slots=1, stable=(), passes=INLINE):
    """The schedule of a graph for a target, or for one that all machines know."""
    target = named_target(target) if isinstance(target, str) else target
    return scheduled(passes(ops.make_graph(function, types)), target, stable, slots)


def centred(x):
    m, n = ops.type_of(x).shape
    mean = ops.broadcast(ops.reshape(composites.mean(x, (1,)), (m, 1)), (m, n))
    return [ops.sub(x, mean)]


def statistics(x):
    return [ops.sum(x, (1,)), ops.sum(ops.mul(x, x), (1,)), ops.arg_max(x, 1)]


def both(x):
    y = ops.neg(x)
    return [y, ops.mul(y, y)]


def turned(x, y):
    return [ops.add(ops.transpose(x, (1, 0)), y)]


def scaled(*inputs):
    """Alike but for the factor; the offset is one number in all, and so are the ends of a range."""

    def one(number, x):
        y = ops.add(ops.mul(x, ops.full(number, x.type)), ops.full(1, x.type))
        return ops.min(y, ops.full(6, x.type))

    return [one(number, x) for number, x in enumerate(inputs, 2)]


def each(function):
    return lambda *inputs: [function(*inputs)]


def convolved(*how, **more):
    return lambda x, w: [ops.convolution(x, w, *how, **more)]


def by_winograd(x, w):
    """A convolution, a bias of 1 and a rectifier."""
    _, _, *image = ops.type_of(x).shape
    op = ops.WinogradContract("ae[c+f-1][d+g-1],befg->abcd", tuple(image))
    y = ops.bind(op, x, w)[0]
    kind = ops.type_of(y)
    return [ops.max(ops.add(y, ops.full(1.0, kind)), ops.full(0.0, kind))]


def contracted(spec, sizes=None):
    return lambda x, w: [ops.contract(spec, x, w, sizes or {})]


def gradient(operand):
    """The gradient of a convolution of [4, 64, 14, 14] with [32, 64, 3, 3] by one of its operands."""
    made = ops.make_graph(convolved(1, 1), [f32(4, 64, 14, 14), f32(32, 64, 3, 3)])
    return lambda x, w, g: [ops.pullback(made, [x, w], [g])[operand]]


def depthwise_gradient(operand):
    """The gradient of a depthwise convolution of [2, 32, 14, 14] with stride 2 by one of its operands."""
    made = ops.make_graph(convolved(2, 1, groups=32), [f32(2, 32, 14, 14), f32(32, 1, 3, 3)])
    return lambda x, w, g: [ops.pullback(made, [x, w], [g])[operand]]


def by_weight(x, w, g):
    """The gradient of a convolution with 5 × 5 windows of [64, 1, 28, 28] by its weight."""
    made = ops.make_graph(convolved(1, 2), [f32(64, 1, 28, 28), f32(6, 1, 5, 5)])
    return [ops.pullback(made, [x, w], [g])[1]]


def by_input(x, w, g):
    """The gradient of a convolution with 5 × 5 windows of [2, 6, 14, 14] by its input."""
    made = ops.make_graph(convolved(), [f32(2, 6, 14, 14), f32(16, 6, 5, 5)])
    return [ops.pullback(made, [x, w], [g])[0]]


def strided_by_input(x, w, g):
    """The gradient of a convolution with 3 × 3 windows of [2, 8, 9, 9], two pixels apart, by its input."""
    made = ops.make_graph(convolved(2, 1), [f32(2, 8, 9, 9), f32(5, 8, 3, 3)])
    return [ops.pullback(made, [x, w], [g])[0]]


def few_columns_of_any_size():
    scope = SizeScope()
    batch, height, width = (scope.symbol(size, low=3) for size in (2, 9, 28))
    scope.capturing = False
    return schedule_of(convolved(1, 1), f32(batch, 3, height, width), f32(4, 3, 3, 3))


def inverted(x, expand, depth, project):
    """An inverted residual: pointwise, depthwise, pointwise."""
    y = composites.relu(ops.convolution(x, expand))
    y = composites.relu(ops.convolution(y, depth, 1, 1, 1, 96))
    return [ops.convolution(y, project)]


def attention(q, k, v):
    scores = ops.matmul(q, k, False, True)
    return [ops.matmul(composites.softmax(scores, ops.type_of(scores).ndim - 1), v)]


def attention_of_heads(x):
    """Queries, keys and values of one product, [batch, position, part, head, channel]."""
    whole = ops.reshape(x, (1, 384, 3, 4, 64))
    starts = [(0, 0, part, 0, 0) for part in range(3)]
    parts = [ops.slice(whole, start, (1, 384, start[2] + 1, 4, 64), (1,) * 5) for start in starts]
    q, k, v = (ops.transpose(ops.reshape(part, (1, 384, 4, 64)), (0, 2, 1, 3)) for part in parts)
    (y,) = attention(q, k, v)
    return [ops.reshape(ops.transpose(y, (0, 2, 1, 3)), (1, 384, 256))]


def causal_attention(q, k, v):
    scores = ops.matmul(q, k, False, True)
    shape = ops.type_of(scores).shape
    seen = ops.ge(ops.iota(shape, 1, int64), ops.iota(shape, 2, int64))
    scores = ops.where(seen, scores, ops.like(-math.inf, scores))
    return [ops.matmul(composites.softmax(scores, 2), v)]


def gradient_of_attention(q, k, v, g):
    """Attention and its gradients, the cotangent depending on the result."""

    def forward(q, k, v):
        weights = composites.softmax(ops.contract("bqhc,bkhc->bhqk", q, k), 3)
        return [ops.contract("bhqk,bkhc->bqhc", weights, v)]

    made = ops.make_graph(forward, [ops.type_of(one) for one in (q, k, v)])
    (y,) = forward(q, k, v)
    return [y, *ops.pullback(made, [q, k, v], [ops.mul(y, g)])]


def attention_of_any_length():
    scope = SizeScope()
    length = scope.symbol(1000, low=2)
    scope.capturing = False
    return schedule_of(attention, *[f32(length, 64)] * 3)


def normal_then_dense(x, gain, shift, w):
    return [ops.matmul(composites.layer_norm(x, gain, shift, 1), w)]


def halo_by_the_producer(x, w):
    y = composites.relu(ops.convolution(x, w))
    return [ops.convolution(y, w, 1, 1)]


def dense(x, w, b):
    """A product, a bias over its rows and a cut."""
    y = ops.matmul(x, w)
    return [composites.relu(ops.add(y, ops.broadcast(b, ops.type_of(y).shape)))]


def kept(x, w):
    """What is made of a product in two steps, both wanted."""
    return both(ops.matmul(x, w))


def scaled_weight(x, w, g):
    return [ops.matmul(x, ops.mul(w, ops.broadcast(g, ops.type_of(w).shape)), False, True)]


def heads(x, *weights):
    return [ops.matmul(x, w, False, True) for w in weights]


def gated(x, w, v):
    return [ops.mul(ops.sigmoid(ops.matmul(x, w, False, True)), ops.matmul(x, v, False, True))]


def gates_of(z, count):
    rows, columns = ops.type_of(z).shape
    columns //= count
    return [ops.slice(z, (0, k * columns), (rows, (k + 1) * columns), (1, 1)) for k in range(count)]


def lstm_step(x, w, h, u, b, c):
    z = ops.add(ops.matmul(x, w, False, True), ops.matmul(h, u, False, True))
    i, o, g, last = gates_of(ops.add(z, ops.broadcast(b, ops.type_of(z).shape)), 4)
    c = ops.add(ops.mul(ops.sigmoid(o), c), ops.mul(ops.sigmoid(i), ops.tanh(g)))
    return [ops.mul(ops.sigmoid(last), ops.tanh(c)), c]


def gru_step(x, w, h, u):
    xr, xu, xn = gates_of(ops.matmul(x, w, False, True), 3)
    hr, hu, hn = gates_of(ops.matmul(h, u, False, True), 3)
    update = ops.sigmoid(ops.add(xu, hu))
    new = ops.tanh(ops.add(xn, ops.mul(ops.sigmoid(ops.add(xr, hr)), hn)))
    return [ops.add(new, ops.mul(update, ops.sub(h, new)))]


def swiglu(x, w):
    first, second = gates_of(ops.matmul(x, w, False, False), 2)
    return [ops.mul(ops.mul(first, ops.sigmoid(first)), second)]


def lstm_of(rows, **how):
    kinds = [(rows, 128), (1024, 128), (rows, 256), (1024, 256), (1024,), (rows, 256)]
    return schedule_of(lstm_step, *(f32(*shape) for shape in kinds), **how)


def gru_of(rows, **how):
    kinds = [(rows, 128), (768, 128), (rows, 256), (768, 256)]
    return schedule_of(gru_step, *(f32(*shape) for shape in kinds), **how)


def largest_taken(x, g):
    """The gradient of a pooling: lines of windows are unrolled, which leaves one, and vectors go along quotients."""
    fields = (1, 2, 2), (1, 2, 2), (0, 0, 0), (0, 0, 0)
    return [ops.window_put(g, ops.window_arg_max(x, *fields), *fields, (3, 7, 28))]


CASES = {
    "plain loop": lambda: schedule_of(each(ops.add), f32(4, 32), f32(4, 32)),
    "masked rest": lambda: schedule_of(each(ops.tanh), f32(100)),
    "unknown size": lambda: schedule_of(each(ops.neg), f32(unknown())),
    "unknown size without masks": lambda: schedule_of(each(ops.neg), f32(unknown()), target="baseline"),
    "tiles": lambda: schedule_of(turned, f32(44, 20), f32(20, 44), target="avx2"),
    "side by side": lambda: schedule_of(each(lambda x: ops.sum(x, (1,))), f32(9, 100)),
    "panels": lambda: schedule_of(each(lambda x: ops.sum(x, (0,))), f32(1000, 1100)),
    "rows with folds": lambda: schedule_of(centred, f32(9, 40)),
    "rows kept": lambda: schedule_of(each(lambda x: composites.softmax(x, 1)), f32(9, 40)),
    "rows of unknown size": lambda: schedule_of(centred, f32(9, unknown())),
    "rows fetched ahead": lambda: schedule_of(centred, f32(9, 1024)),
    "rows in lanes": lambda: schedule_of(each(lambda x: ops.reduce_max(x, (0,))), f32(9, 40)),
    "position of the largest": lambda: schedule_of(each(lambda x: ops.arg_max(x, 1)), f32(9, 100)),
    "folds in one loop": lambda: schedule_of(statistics, f32(9, 100)),
    "one pass over a long row": lambda: schedule_of(each(lambda x: composites.softmax(x, 1)), f32(9, 70000)),
    "copy": lambda: schedule_of(each(lambda x: ops.slice(x, (0, 2), (5, 9), (1, 1))), f32(5, 10)),
    "windows side by side": lambda: schedule_of(largest_taken, f32(3, 7, 28), f32(3, 3, 14)),
    "cut by a select": lambda: schedule_of(lambda x, y: [ops.neg(ops.concat(x, y, axis=1))], f32(3, 4), f32(3, 5)),
    "several statements": lambda: schedule_of(both, f32(64)),
    "threads": lambda: schedule_of(each(ops.tanh), f32(1 << 20), slots=4),
    "routine": lambda: schedule_of(each(lambda x: ops.arg_sort(x, 1)), f32(3, 37)),
    "routine of any size": lambda: schedule_of(lambda x: ops.bind(QR(False), x), f32(unknown(), 4)),
    "epilogue": lambda: schedule_of(dense, f32(6, 64), f32(64, 48), f32(48)),
    "epilogue that stores twice": lambda: schedule_of(kept, f32(6, 64), f32(64, 48)),
    "epilogue of any rows": lambda: schedule_of(dense, f32(unknown(), 64), f32(64, 48), f32(48)),
    "derived": lambda: schedule_of(scaled_weight, f32(6, 64), f32(48, 64), f32(48, 1), stable=(1, 2)),
    "joined heads": lambda: schedule_of(heads, f32(16, 64), *[f32(16, 64)] * 4, stable=range(1, 5)),
    "joined gates": lambda: schedule_of(gated, f32(16, 64), f32(128, 64), f32(128, 64), stable=(1, 2)),
    "merged": lambda: schedule_of(scaled, f32(40), f32(40), f32(40)),
}
CASES |= {
    f"gates/{name}": case
    for name, case in {
        "lstm of one row": lambda: lstm_of(1, stable=(1, 3)),
        "lstm of one row in place": lambda: lstm_of(1),
        "lstm of 32 rows": lambda: lstm_of(32, stable=(1, 3)),
        "lstm of 32 rows in place": lambda: lstm_of(32),
        "lstm of 32 rows avx2": lambda: lstm_of(32, stable=(1, 3), target="avx2"),
        "gru of one row": lambda: gru_of(1, stable=(1, 3)),
        "gru of 32 rows": lambda: gru_of(32, stable=(1, 3)),
        "swiglu of one row": lambda: schedule_of(swiglu, f32(1, 256), f32(256, 1024), stable=(1,)),
        "swiglu of 512 rows": lambda: schedule_of(swiglu, f32(512, 256), f32(256, 1024), stable=(1,)),
        "swiglu of any rows": lambda: schedule_of(swiglu, f32(unknown(), 256), f32(256, 1024), stable=(1,)),
    }.items()
}


def weighted(x, w, b):
    """A product, a bias and its softmax."""
    y = ops.matmul(x, w)
    return [composites.softmax(ops.add(y, ops.broadcast(b, ops.type_of(y).shape)), 1)]


def turned_softmax(x):
    """The softmax of whole matrices, stored transposed: a thread stores what others have computed."""
    count, rows, columns = ops.type_of(x).shape

    def spread(one, *shape):
        return ops.broadcast(ops.reshape(one, (count, 1, 1)), (count, *shape))

    e = ops.exp(ops.sub(x, spread(ops.reduce_max(x, (1, 2)), rows, columns)))
    return [ops.div(ops.transpose(e, (0, 2, 1)), spread(ops.sum(e, (1, 2)), columns, rows))]


def symmetric(x):
    """What depends on the largest of a matrix, and the same transposed, added."""
    count, size, _ = ops.type_of(x).shape
    most = ops.broadcast(ops.reshape(ops.reduce_max(x, (1, 2)), (count, 1, 1)), (count, size, size))
    y = ops.tanh(ops.mul(ops.exp(ops.sub(x, most)), ops.exp(x)))
    return [ops.add(ops.transpose(y, (0, 2, 1)), y)]


def asserted(x):
    ops.bind(Bounds("{} is not below {}"), ops.lt(x, like(1000, x)), x, like(1000, x))
    return [ops.exp(x)]


def on_device(function, *types, **how):
    return lambda: schedule_of(function, *types, target="sm_80", **how)


def softmax_over(axis):
    return each(lambda x: composites.softmax(x, axis))


def sum_over(*axes):
    return each(lambda x: ops.sum(x, axes))


CASES |= {
    f"device/{name}": case
    for name, case in {
        "softmax of a product": on_device(weighted, f32(256, 512), f32(512, 1000), f32(1000)),
        "each index a thread": on_device(both, f32(64)),
        "each index a thread of any size": on_device(each(ops.neg), f32(unknown())),
        "each row a thread": on_device(softmax_over(0), f32(3, 900)),
        "each row a warp": on_device(softmax_over(1), f32(900, 100)),
        "each row a block": on_device(softmax_over(1), f32(9, 2000)),
        "barrier in a block": on_device(symmetric, f32(4, 30, 30)),
        "barrier of a fold": on_device(turned_softmax, f32(4, 30, 40)),
        "barrier in a warp": on_device(turned_softmax, f32(4, 10, 20)),
        "rows of unknown size": on_device(softmax_over(1), f32(9, unknown())),
        "long rows": on_device(softmax_over(1), f32(9, 70000)),
        "one row": on_device(softmax_over(0), f32(900)),
        "columns": on_device(sum_over(0), f32(1000, 5000)),
        "few columns": on_device(sum_over(0), f32(1000, 100)),
        "all elements": on_device(sum_over(0, 1), f32(1000, 100)),
        "all elements of few": on_device(sum_over(0, 1), f32(10, 100)),
        "parts of long rows": on_device(sum_over(0, 2), f32(64, 8, 400)),
        "several folds": on_device(statistics, f32(9, 100)),
        "sorted lines": on_device(lambda x: [ops.arg_sort(x, 1)], f32(9, 100)),
        "sorted lines in scratch": on_device(lambda x: [ops.arg_sort(x, 1)], f32(2, 2500)),
        "sorted lines of many blocks": on_device(lambda x: [ops.arg_sort(x, 1)], f32(2, 10000)),
        "sorted lines of any length": on_device(lambda x: [ops.sort(x, 0)], f32(unknown())),
        "short lines": on_device(lambda x: [ops.sort(x, 1)], f32(9, 10)),
        "running totals": on_device(lambda x: [ops.cum_sum(x, 1)], f32(9, 1000)),
        "running totals of parts": on_device(lambda x: [ops.cum_sum(x, 1)], f32(2, 10000)),
        "running totals of any length": on_device(lambda x: [ops.cum_sum(x, 0)], f32(unknown())),
        "scattered rows": on_device(
            lambda x, at, y: [ops.scatter_nd(x, at, y, "add")], f32(50, 20), TensorType((9, 1), int64), f32(9, 20)
        ),
        "one unit": on_device(lambda x: list(ops.bind(Cholesky(False), x)), f32(9, 9)),
        "matrix of a block": on_device(lambda x: list(ops.bind(LU(), x)), TensorType((2, 300, 300), float64)),
        "assertion": on_device(asserted, f32(40)),
        "parts of a concatenation": on_device(lambda x, y: [ops.neg(ops.concat(x, y, axis=1))], f32(3, 4), f32(3, 5)),
        "convolution": on_device(convolved(1, 1), f32(2, 3, 9, 9), f32(4, 3, 3, 3)),
        "strided gradient": on_device(strided_by_input, f32(2, 8, 9, 9), f32(5, 8, 3, 3), f32(2, 5, 5, 5)),
        "gradient by a weight": on_device(by_weight, f32(64, 1, 28, 28), f32(6, 1, 5, 5), f32(64, 6, 28, 28)),
        "parts of sums": on_device(dense, f32(16, 2048), f32(2048, 16), f32(16)),
        "parts of any length": on_device(sum_over(1), f32(2, 8209)),
        "product of few rows": on_device(each(ops.matmul), f32(1, 512), f32(512, 256)),
        "product of few rows transposed": on_device(
            lambda x, w: [ops.matmul(x, w, False, True)], f32(1, 512), f32(256, 512)
        ),
        "attention of heads": on_device(attention_of_heads, f32(1, 384, 768)),
        "causal attention": on_device(causal_attention, *[f32(1, 64, 32)] * 3),
        "lstm step": lambda: lstm_of(32, target="sm_80"),
        "derived": on_device(scaled_weight, f32(16, 64), f32(48, 64), f32(48, 1), stable=(1, 2)),
        "numbers stay": on_device(scaled, f32(40), f32(40), f32(40)),
    }.items()
}


def scanned(step, carried, length, reverse=False):
    """A scan: its operands are state, input products of all steps and what else is sliced, and one weight."""

    def run(*operands):
        kinds = [ops.type_of(x) for x in operands]
        sliced = [kind.with_shape(kind.shape[1:]) for kind in kinds[carried:-1]]
        body = ops.make_graph(step, [*kinds[:carried], *sliced, kinds[-1]])
        return ops.bind(ops.Scan(body, length, reverse, carried), *operands)

    return run


def lstm_turn(h, c, z, u):
    i, f, g, o = gates_of(ops.add(z, ops.matmul(h, u, False, True)), 4)
    c = ops.add(ops.mul(ops.sigmoid(f), c), ops.mul(ops.sigmoid(i), ops.tanh(g)))
    h = ops.mul(ops.sigmoid(o), ops.tanh(c))
    return [h, c, h]


def gru_turn(h, z, u):
    xr, xu, xn = gates_of(z, 3)
    hr, hu, hn = gates_of(ops.matmul(h, u, False, True), 3)
    update = ops.sigmoid(ops.add(xu, hu))
    new = ops.tanh(ops.add(xn, ops.mul(ops.sigmoid(ops.add(xr, hr)), hn)))
    h = ops.add(new, ops.mul(update, ops.sub(h, new)))
    return [h, h]


def rnn_turn(h, z, u):
    h = ops.tanh(ops.add(z, ops.matmul(h, u, False, True)))
    return [h, h]


def lstm_turn_back(h, c, y, gates, cells, before, u):
    """The cotangents of a step: of h and c, handed back; of y, a slice; gates, tanh(c) and the c before were kept."""
    i, f, g, o = gates_of(gates, 4)
    one = ops.full(1, ops.type_of(h))
    h = ops.add(h, y)
    c = ops.add(c, ops.mul(ops.mul(h, o), ops.sub(one, ops.mul(cells, cells))))
    z = [
        ops.mul(ops.mul(c, g), ops.mul(i, ops.sub(one, i))),
        ops.mul(ops.mul(c, before), ops.mul(f, ops.sub(one, f))),
        ops.mul(ops.mul(c, i), ops.sub(one, ops.mul(g, g))),
        ops.mul(ops.mul(h, cells), ops.mul(o, ops.sub(one, o))),
    ]
    z = ops.concat(*z, axis=1)
    return [ops.matmul(z, u), ops.mul(c, f), z]


def scan_of(step, gates, rows=32, units=256, length=35, kind=f32, **how):
    """The schedule of a recurrent layer's scan, its input products being computed."""
    carried = 2 if gates == 4 else 1
    shapes = [*[(rows, units)] * carried, (length, rows, gates * units), (gates * units, units)]
    return schedule_of(scanned(step, carried, length), *(kind(*shape) for shape in shapes), **how)


def scan_of_any_size():
    scope = SizeScope()
    rows, length = scope.symbol(32, low=1), scope.symbol(35, low=0)
    scope.capturing = False
    return scan_of(lstm_turn, 4, rows, length=length)


def scan_back(**how):
    wide, narrow = f32(35, 32, 1024), f32(35, 32, 256)
    kinds = [f32(32, 256)] * 2 + [narrow, wide, narrow, narrow, f32(1024, 256)]
    return schedule_of(scanned(lstm_turn_back, 2, 35, True), *kinds, **how)


def two_directions(h, c, z, u, *back):
    forth, back = (scanned(lstm_turn, 2, 35, k)(*of) for k, of in enumerate(((h, c, z, u), back)))
    return [ops.concat(forth[2], back[2], axis=2)]


def f64(*shape):
    return TensorType(shape, float64)


PANELS = replace(named_target("avx512"), packs_from=1)
"""A machine that reads a packed weight faster than its rows, for a single row of the other operand, too."""


CASES |= {
    f"scans/{name}": case
    for name, case in {
        "lstm of one row": lambda: scan_of(lstm_turn, 4, 1, stable=(3,), target=PANELS),
        "lstm of one row any weight": lambda: scan_of(lstm_turn, 4, 1),
        "lstm of 32 rows": lambda: scan_of(lstm_turn, 4),
        "lstm of 32 rows avx2": lambda: scan_of(lstm_turn, 4, target="avx2"),
        "lstm of 6 rows float64": lambda: scan_of(lstm_turn, 4, 6, kind=f64),
        "lstm of any size": scan_of_any_size,
        "lstm threads": lambda: scan_of(lstm_turn, 4, slots=2),
        "lstm backward": scan_back,
        "gru of one row": lambda: scan_of(gru_turn, 3, 1, stable=(2,), target=PANELS),
        "gru of 32 rows": lambda: scan_of(gru_turn, 3),
        "rnn of 6 rows": lambda: scan_of(rnn_turn, 1, 6),
        "lstm on a device": lambda: scan_of(lstm_turn, 4, target="sm_80"),
        "lstm backward on a device": lambda: scan_back(target="sm_80"),
        "two directions threads": lambda: schedule_of(
            two_directions,
            *[f32(1, 256), f32(1, 256), f32(35, 1, 1024), f32(1024, 256)] * 2,
            stable=(3, 7),
            slots=2,
        ),
    }.items()
}
CASES |= {
    f"bands/{name}": case
    for name, case in {
        "attention": lambda: schedule_of(attention, *[f32(1000, 64)] * 3),
        "attention of a batch": lambda: schedule_of(attention, *[f32(8, 384, 64)] * 3, target="avx2"),
        "attention threads": lambda: schedule_of(attention, *[f32(8, 384, 64)] * 3, slots=4),
        "attention of any length": attention_of_any_length,
        "attention of heads": lambda: schedule_of(attention_of_heads, f32(1, 384, 768), passes=PIPELINE.run),
        "causal attention": lambda: schedule_of(causal_attention, *[f32(2, 384, 64)] * 3, passes=PIPELINE.run),
        "gradient of attention": lambda: schedule_of(
            gradient_of_attention, *[f32(1, 4096, 2, 64)] * 4, passes=PIPELINE.run
        ),
        "norm then product": lambda: schedule_of(
            normal_then_dense, f32(2000, 96), f32(96), f32(96), f32(96, 64), stable=(3,)
        ),
    }.items()
}
IMAGE, WEIGHT, RESULT = f32(4, 64, 14, 14), f32(32, 64, 3, 3), f32(4, 32, 14, 14)
CASES |= {
    f"taps/{name}": case
    for name, case in {
        "forward": lambda: schedule_of(convolved(1, 1), IMAGE, WEIGHT),
        "forward avx2": lambda: schedule_of(convolved(1, 1), IMAGE, WEIGHT, target="avx2"),
        "forward aarch64": lambda: schedule_of(convolved(1, 1), IMAGE, WEIGHT, target="aarch64-linux"),
        "weights packed beforehand": lambda: schedule_of(convolved(1, 1), IMAGE, WEIGHT, stable=(1,)),
        "gradient by x": lambda: schedule_of(gradient(0), IMAGE, WEIGHT, RESULT, passes=PIPELINE.run),
        "gradient by w": lambda: schedule_of(gradient(1), IMAGE, WEIGHT, RESULT, passes=PIPELINE.run),
        "one by one": lambda: schedule_of(convolved(), IMAGE, f32(32, 64, 1, 1)),
        "groups": lambda: schedule_of(convolved(1, 1, groups=4), IMAGE, f32(64, 16, 3, 3)),
        "stride and dilation": lambda: schedule_of(convolved((2, 1), (1, 2), (1, 2)), IMAGE, WEIGHT),
        "scores": lambda: schedule_of(contracted("bqhc,bkhc->bhqk"), f32(2, 50, 4, 32), f32(2, 50, 4, 32)),
        "values": lambda: schedule_of(contracted("bhqk,bkhc->bqhc"), f32(2, 4, 50, 50), f32(2, 50, 4, 32)),
        "few channels": lambda: schedule_of(convolved(2, 3), f32(1, 3, 32, 32), f32(64, 3, 7, 7)),
        "few channels aarch64": lambda: schedule_of(
            convolved(2, 3), f32(1, 3, 32, 32), f32(64, 3, 7, 7), target="aarch64-linux"
        ),
        "ragged columns": lambda: schedule_of(convolved(1, 1), f32(1, 16, 9, 9), f32(41, 16, 3, 3)),
        "ragged columns aarch64": lambda: schedule_of(
            convolved(1, 1), f32(1, 16, 9, 9), f32(30, 16, 3, 3), target="aarch64-linux"
        ),
        "images of channels last": lambda: schedule_of(
            contracted("n[y+r-1][x+s-1]c,orsc->nyxo", {"y": 14, "x": 14}), f32(4, 14, 14, 64), f32(32, 3, 3, 64)
        ),
        "any batch": lambda: schedule_of(convolved(1, 1), f32(unknown(), 64, 14, 14), WEIGHT),
        "any width": lambda: schedule_of(convolved(1, 1), f32(1, 64, 14, unknown()), WEIGHT, stable=(1,)),
        "halo by the producer": lambda: schedule_of(halo_by_the_producer, f32(2, 16, 9, 9), f32(16, 16, 3, 3)),
        "threads": lambda: schedule_of(convolved(1, 1), IMAGE, WEIGHT, slots=4),
        "fewer products": lambda: schedule_of(by_winograd, IMAGE, WEIGHT, stable=(1,)),
        "fewer products, cut, any batch": lambda: schedule_of(
            by_winograd, f32(unknown(), 24, 15, 14), f32(41, 24, 3, 3), stable=(1,), slots=4
        ),
        "flattened image": lambda: schedule_of(
            lambda x, w, v: [ops.matmul(ops.reshape(ops.convolution(x, w), (4, 720)), v, False, True)],
            f32(4, 3, 8, 8),
            f32(20, 3, 3, 3),
            f32(40, 720),
            stable=(1, 2),
        ),
        "few columns": lambda: schedule_of(convolved(1, 2), f32(1, 1, 28, 28), f32(6, 1, 5, 5)),
        "few columns avx2": lambda: schedule_of(convolved(1, 1), f32(2, 8, 9, 30), f32(3, 8, 3, 3), target="avx2"),
        "few columns of any size": few_columns_of_any_size,
        "few columns and images in lanes": lambda: schedule_of(convolved(1, 1), f32(64, 3, 9, 6), f32(6, 3, 3, 3)),
        "few columns gradient by x": lambda: schedule_of(
            by_input, f32(2, 6, 14, 14), f32(16, 6, 5, 5), f32(2, 16, 10, 10), passes=PIPELINE.run
        ),
        "few columns gradient by w": lambda: schedule_of(
            by_weight, f32(64, 1, 28, 28), f32(6, 1, 5, 5), f32(64, 6, 28, 28), passes=PIPELINE.run
        ),
        "depthwise": lambda: schedule_of(convolved(1, 1, groups=48), f32(1, 48, 28, 28), f32(48, 1, 3, 3), stable=(1,)),
        "depthwise avx2": lambda: schedule_of(
            convolved(2, 1, groups=20), f32(3, 20, 13, 14), f32(20, 1, 3, 3), target="avx2", stable=(1,), slots=2
        ),
        "depthwise channels last": lambda: schedule_of(
            contracted("n[y+r-1][x+s-1]c,rsc->nyxc", {"y": 28, "x": 28}), f32(1, 28, 28, 3), f32(3, 3, 3), target="avx2"
        ),
        "depthwise any size": lambda: schedule_of(
            convolved(1, 0, groups=40), f32(2, 40, unknown(3), 11), f32(40, 1, 3, 3), stable=(1,)
        ),
        "depthwise gradient by x": lambda: schedule_of(
            depthwise_gradient(0), f32(2, 32, 14, 14), f32(32, 1, 3, 3), f32(2, 32, 7, 7), passes=PIPELINE.run
        ),
        "depthwise gradient by w": lambda: schedule_of(
            depthwise_gradient(1), f32(2, 32, 14, 14), f32(32, 1, 3, 3), f32(2, 32, 7, 7), passes=PIPELINE.run
        ),
        "inverted residual": lambda: schedule_of(
            inverted, f32(1, 16, 14, 14), f32(96, 16, 1, 1), f32(96, 1, 3, 3), f32(24, 96, 1, 1), stable=(1, 2, 3)
        ),
        "16-bit floats": lambda: schedule_of(
            convolved(1, 1), TensorType((1, 16, 9, 9), float16), TensorType((16, 16, 3, 3), float16)
        ),
    }.items()
}


def texts():
    """The text of each golden, by its file."""
    return {f"{name.replace(' ', '_')}.txt": f"{make()}\n" for name, make in CASES.items()}


def written():
    """The texts that were written down, by their files; those of products have a test of their own."""
    paths = [
        *FOLDER.glob("*.txt"),
        *FOLDER.glob("taps/*.txt"),
        *FOLDER.glob("gates/*.txt"),
        *FOLDER.glob("bands/*.txt"),
        *FOLDER.glob("scans/*.txt"),
        *FOLDER.glob("device/*.txt"),
    ]
    return {str(path.relative_to(FOLDER)): path.read_text() for path in paths}


def main():
    """Compare, or write."""
    now = texts()
    before = written()
    differ = sorted(name for name in {**now, **before} if now.get(name) != before.get(name))
    if "--write" in sys.argv:
        for name in differ:
            (FOLDER / name).parent.mkdir(exist_ok=True)
            if name in now:
                (FOLDER / name).write_text(now[name])
            else:
                (FOLDER / name).unlink()
    print(*differ, f"{len(differ)} of {len(now)} differ", sep="\n")


if __name__ == "__main__":
    check_tree(__file__)
    main()
