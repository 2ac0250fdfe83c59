"""Functions of arrays on a device give what they give at the host: the same bits where NumPy's code has the same roundings."""

import math
import operator

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from hybridize import autograd, cpu, gpu, hybridize, nd, np, npx
from hybridize.array.buffer import buffer_of, owner_of
from hybridize.errors import DeviceError, LinAlgError, OutOfBoundsError, ShapeError
from tests.refusals import refusal

pytestmark = pytest.mark.usefixtures("two_gpus")
DATA = numpy.arange(24, dtype="float32").reshape(4, 6) / 4 - 2


def ones(x, *shape):
    return np.ones(shape, ctx=x.ctx)


def numbers(x, *values):
    return np.array(values, dtype="int64", ctx=x.ctx)


EXACT = {
    "arithmetic": lambda x: (x + 1) * x - 2.5 / (x - 7), "reflected": lambda x: 1 - x, "integers": lambda x: x.astype("int32") // 3 % 2,
    "floor": lambda x: x // 3 + x % 3, "comparisons": lambda x: (x > 0) & (x == x) | ~(x <= 1), "negative": lambda x: abs(-x),
    "squares": lambda x: x**2 + np.sqrt(x + 7), "clip": lambda x: x.clip(0, 1), "where": lambda x: np.where(x > 0, x, 0), "relu": npx.relu,
    "transposed": lambda x: x.T + x.T, "of both orders": lambda x: x.T.copy() * x.T, "reversed": lambda x: np.flip(x, 1) * x[::-1, ::-1],
    "rows": lambda x: x + x[0], "columns": lambda x: x * x[:, :1], "every other": lambda x: x[::2, 1::3] + 1, "stretched": lambda x: x + ones(x, 3, 4, 6),
    "no axes": lambda x: x[1, 2] * x[0, 0], "nothing": lambda x: x[2:2] + 1, "sizes of one": lambda x: x[:1, :1] * x[:1, :1],
    "reshaped": lambda x: x.reshape(6, 4) + 1, "copied to be reshaped": lambda x: x.T.reshape(-1), "moved axes": lambda x: np.moveaxis(x.reshape(2, 2, 6), 0, 2),
    "joined": lambda x: np.concatenate([x, x * 2], 1), "stacked": lambda x: np.stack([x, x]), "split": lambda x: np.split(x, 2)[1], "tiled": lambda x: np.tile(x, (2, 1)),
    "repeated": lambda x: np.repeat(x, 2, 0), "padded": lambda x: np.pad(x, 1), "rolled": lambda x: np.roll(x, 1, 1), "triangle": np.tril, "diagonal": np.diag,
    "by indices": lambda x: x[[0, 2]], "by indices of two axes": lambda x: x[[0, 2], [1, -1]], "by indices there": lambda x: x[numbers(x, 3, -1), 1:],
    "by numpy's": lambda x: x[numpy.array([1, 1])], "by a mask": lambda x: x[x > 0], "by a mask of rows": lambda x: x[numpy.array([True, False, True, False])],
    "take": lambda x: np.take(x, numbers(x, 0, 5), axis=1), "pick": lambda x: npx.pick(x, numbers(x, 0, 1, 2, 3)), "one hot": lambda x: npx.one_hot(numbers(x, 0, 2), 4),
    "maximum": lambda x: x.max(1) - x.min(), "argmax": lambda x: x.argmax(1), "all": lambda x: (x > 0).all(0) | (x > 2).any(), "counted": lambda x: np.sum(x > 0, 1),
    "product": lambda x: x @ x.T, "vectors": lambda x: np.dot(x[0], x[1]), "batches": lambda x: np.matmul(x.reshape(2, 2, 6), x.reshape(2, 6, 2)),
    "zeros like": lambda x: np.zeros_like(x) + np.ones_like(x), "casts": lambda x: x.astype("float64").astype("float16").astype("bool"), "contains": lambda x: np.array(0.25 in x),
    "sorted": lambda x: np.sort(x, 0) + np.median(x), "order": lambda x: np.argsort(-x, 1), "top": lambda x: npx.topk(x, k=2),
    "histogram": lambda x: np.histogram(x, 5)[0], "running": lambda x: np.cumsum(x, 1), "found": lambda x: np.searchsorted(x[0], x[:2]),
    "bits": lambda x: x.view("int32") ^ 5, "shape": lambda x: np.expand_dims(x, 0).squeeze() + np.broadcast_to(x[0], (4, 6)), "rounded": lambda x: x.round(),
}  # fmt: skip
NEAR = {
    "sums": lambda x: x.sum() + x.sum(1, keepdims=True), "means": lambda x: (x - x.mean(0)) / x.std(), "exp": lambda x: np.exp(x) + np.tanh(x), "softmax": npx.softmax,
    "logarithm": lambda x: npx.log_softmax(x) * np.log(abs(x) + 1), "norm": np.linalg.norm, "power": lambda x: (x + 7) ** 1.3, "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "layer norm": lambda x: npx.layer_norm(x, ones(x, 6), ones(x, 6)), "gelu": npx.gelu, "dense": lambda x: npx.fully_connected(x, ones(x, 3, 6), ones(x, 3), num_hidden=3),
    "convolution": lambda x: npx.convolution(x.reshape(1, 1, 4, 6), ones(x, 2, 1, 2, 2), ones(x, 2), kernel=(2, 2), num_filter=2), "pooling": lambda x: npx.pooling(x.reshape(1, 1, 4, 6), (2, 2)),
}  # fmt: skip


SLOW = {
    "inverse": lambda x: np.linalg.inv(x @ x.T + np.eye(4, ctx=x.ctx)), "determinant": lambda x: np.linalg.det(x @ x.T + np.eye(4, ctx=x.ctx)),
    "singular values": lambda x: np.linalg.svd(x)[1], "eigenvalues": lambda x: np.linalg.eigh(x @ x.T)[0], "cholesky": lambda x: np.linalg.cholesky(x @ x.T + np.eye(4, ctx=x.ctx)),
    "solution": lambda x: np.linalg.solve(x @ x.T + np.eye(4, ctx=x.ctx), x), "least squares": lambda x: np.linalg.lstsq(x.T, x[0], rcond=None)[0], "qr": lambda x: np.linalg.qr(x)[1],
    "ctc": lambda x: npx.ctc_loss(x.reshape(4, 2, 3), numbers(x, 1, 2).reshape(2, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", [*EXACT, *NEAR, *(pytest.param(name, marks=pytest.mark.long) for name in SLOW)])
def test_a_function_gives_what_it_gives_at_the_host(name):
    function = (EXACT | NEAR | SLOW)[name]
    x = np.array(DATA, ctx=gpu(0))
    there, here = function(x), function(np.array(DATA))
    assert there.ctx == (gpu(0) if name != "contains" else cpu()) and (there.shape, there.dtype) == (
        here.shape,
        here.dtype,
    )
    if name in EXACT:
        assert (there.asnumpy() == here.asnumpy()).all()
    numpy.testing.assert_allclose(there.asnumpy(), here.asnumpy(), 1e-5, 1e-6)
    assert (x.asnumpy() == DATA).all()


def test_one_program_serves_all_numbers_and_all_sizes(compiled_ops):
    x = np.array(DATA, ctx=gpu(0))
    for number in (0.1, 0.2, 0.3):
        assert ((x * number).asnumpy() == DATA * numpy.float32(number)).all()
    assert compiled_ops == ["mul"]
    for part in (x[:3], x[:2, 1:], x.reshape(2, 2, 6), x[0]):
        assert ((part * 2).asnumpy() == part.asnumpy() * 2).all()
    assert compiled_ops == ["mul"] * 2  # the second sizes brought one for all
    for part in (x, x[:3], x[:2], x[:3, :5]):
        numpy.testing.assert_allclose(part.sum(0).asnumpy(), part.asnumpy().sum(0), 1e-6)
    assert compiled_ops == ["mul"] * 2 + ["sum"] * 3  # for these sizes, for others of the first axis, for those of both


def test_sizes_that_take_turns_with_sizes_of_one_have_one_program_each(compiled_ops):
    for size in range(2, 7):
        for shape in ((size, 1), (size, 5), (1, size), (1, 1)):
            assert np.ones(shape, ctx=gpu(0)).sum(0).tolist() == [shape[0]] * shape[1]
    assert compiled_ops.count("sum") <= 8  # those of the first sizes, and those for any


def test_operands_that_are_repeated_everywhere_have_any_size(compiled_ops):
    one = np.array([[1.5]], ctx=gpu(0))
    for rows, columns in ((3, 4), (5, 4), (6, 7)):
        x = np.broadcast_to(one, (rows, columns))
        assert ((x / 2).asnumpy() == 0.75).all() and (x + x).shape == (rows, columns)
        assert (x.sum(0).asnumpy() == 1.5 * rows).all() and (np.concatenate([x, x], 1).asnumpy() == 1.5).all()


def test_wide_and_high_matrices_have_programs_of_their_own(compiled_ops):
    """What a program assumes of its sizes, as of how many singular values there are, holds for each call of it."""
    for shape in ((3, 4), (4, 5), (5, 3), (6, 4), (3, 6), (4, 4)):
        values = numpy.random.default_rng(0).standard_normal(shape)
        x = np.array(values, dtype="float64", ctx=gpu(0))
        numpy.testing.assert_allclose(np.linalg.svd(x)[1].asnumpy(), numpy.linalg.svd(values)[1], rtol=1e-9)
        q, r = np.linalg.qr(x)
        numpy.testing.assert_allclose((q @ r).asnumpy(), values, atol=1e-12)


def test_sizes_of_nothing_and_of_one_are_programs_of_their_own():
    x, y = (numpy.arange(size, dtype="float32").reshape(-1, 3) for size in (18, 15))
    for rows in (4, 5, 0, 1, 3):
        there = np.array(x[:rows], ctx=gpu(0)).T @ np.array(y[:rows], ctx=gpu(0))
        assert (there.asnumpy() == x[:rows].T @ y[:rows]).all()


def test_sizes_that_no_operand_has_are_those_of_the_call(compiled_ops):
    """An operand that is one number, or repeated, is sent without the axes that it is stretched along."""
    for rows in (2, 4):
        row, rows_of = np.arange(3, ctx=gpu(0)), numpy.broadcast_to(numpy.arange(3, dtype="float32"), (rows, 3))
        x = np.broadcast_to(row, (rows, 3))
        for there, here in (
            (x.sum(0), rows_of.sum(0)), (np.broadcast_to(row[:1] + 2, (rows, 4)).sum(0), numpy.full(4, 2.0 * rows)), (np.cumsum(x, 0), rows_of.cumsum(0)),
        ):  # fmt: skip
            assert there.shape == here.shape and (there.asnumpy() == here).all()
        table = np.ones((rows + 5, rows + 1), ctx=gpu(0))
        table.attach_grad()
        with autograd.record():
            y = npx.embedding(numbers(row, 1, 0, 1), table, rows + 5, rows + 1)
        y.backward()
        assert table.grad.sum(1).tolist() == [rows + 1, 2 * (rows + 1), *[0] * (rows + 3)]
    sums = compiled_ops.count("sum")
    np.broadcast_to(row, (6, 3)).sum(0), np.broadcast_to(row, (7, 3)).sum(0)
    assert compiled_ops.count("sum") == sums


def test_an_array_without_axes_goes_along_as_a_number():
    """What functions of Python's numbers give is at the host."""
    x, number = np.array(DATA, ctx=gpu(0)), np.array(2.0)
    for function in (
        lambda x, two: x / np.sqrt(two), lambda x, two: two - x, lambda x, two: np.where(x > 0, x, two), lambda x, two: x[numbers(x, 1)] * two, lambda x, two: np.maximum(two, x.sum()),
    ):  # fmt: skip
        here = function(np.array(DATA), number)
        for way in (function, hybridize(function)):
            there = way(x, number)
            assert there.ctx == gpu(0) and there.dtype == here.dtype
            numpy.testing.assert_allclose(there.asnumpy(), here.asnumpy(), 1e-6)
    assert (x / np.sqrt(8)).ctx == gpu(0) and (x * np.array(2.0, dtype="float64")).dtype == numpy.float64
    for mixed in (
        lambda: x + np.ones(1),
        lambda: np.ones(3) + np.array(2.0, ctx=gpu(0)),
        lambda: x[0, 0].as_in_ctx(gpu(1)) + x,
        lambda: np.add(x, x, out=np.zeros((4, 6))),
    ):
        with refusal(DeviceError, "E703: add: arrays on different devices"):
            mixed()
    for write in (lambda: number.__iadd__(x.sum()), lambda: hybridize(lambda x, to: to.__iadd__(x.sum()))(x, number)):
        with refusal(
            DeviceError, r"E703: add: arrays on different devices, f32\[\] on cpu\(0\) and f32\[\] on gpu\(0\)"
        ):
            write()
    with refusal(DeviceError, "E703: sum: arrays on different devices"):
        np.sum(x, out=number)
    assert number.ctx == cpu() and number.item() == 2
    number.attach_grad()
    with autograd.record(), refusal(DeviceError, r"E703.*\nhelp: x.as_in_ctx\(gpu\(0\)\) gives an array there"):
        x * number  # its gradient would be on another device
    with autograd.record():
        y = (x * number.as_in_ctx(gpu(0))).sum()
    y.backward()
    assert number.grad.ctx == cpu() and number.grad.item() == DATA.sum()


def test_rows_that_a_loop_does_not_reach_are_there():
    for start, expected in ((2.0, [[20.0], [30.0], [0.0], [0.0]]), (4.0, [[0.0]] * 4)):
        x = np.array([start], ctx=gpu(0))
        rows, (last,) = npx.while_loop(lambda x: x <= 3, lambda x: (x * 10, [x + 1]), [x], max_iterations=4)
        assert (rows.ctx, last.ctx) == (gpu(0), gpu(0)) and (rows.tolist(), last.tolist()) == (expected, [4.0])


def test_numpys_functions_that_compute_nothing():
    x = np.array(DATA, ctx=gpu(0))
    assert np.shares_memory(x, x[1:]) and not np.shares_memory(x[:2], x[2:]) and not np.may_share_memory(x, np.ones(3))
    assert numpy.shares_memory(x[0], x) and not np.shares_memory(np.ones(3), x)
    assert np.array_repr(x[0]) == np.array_repr(np.array(DATA[0])) and np.array2string(x[0, :2]) == "[-2.   -1.75]"
    for name in ("nonzero", "fromiter", "einsum_path"):
        with refusal(
            DeviceError, rf"E705: {name} reads f32\[6\] on gpu\(0\), and has no code for devices yet\nhelp: x.as_in_ctx"
        ):
            getattr(np, name)(*["i->i"] * (name == "einsum_path"), x[0], *[float] * (name == "fromiter"))


SETS = {
    "unique": lambda x, y: np.unique(x), "all of unique": lambda x, y: np.unique(x, True, True, True), "unique rows": lambda x, y: np.unique(x, axis=0),
    "union1d": np.union1d, "intersect1d": np.intersect1d, "indices of intersect1d": lambda x, y: np.intersect1d(x, y, return_indices=True), "setdiff1d": np.setdiff1d,
    "bincount": lambda x, y: np.bincount(y, minlength=9), "weights": lambda x, y: np.bincount(y, weights=x.reshape(-1)[:4]), "compress": lambda x, y: np.compress(y > 2, x, 0), "extract": lambda x, y: np.extract(x > 1, x), "nothing": lambda x, y: np.compress(y > 9, x, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("dtype", ["float32", "int32", "bfloat16"])
def test_the_host_says_which_elements_a_set_has(name, dtype):
    def called(device):
        x, y = (np.array(one, ctx=device) for one in (numpy.arange(24).reshape(4, 6) % 7, [1, 4, 3, 8]))
        arrays = SETS[name](x.astype(dtype), y.astype("int64" if name in ("bincount", "weights") else dtype))
        arrays = arrays if isinstance(arrays, tuple) else (arrays,)
        assert {one.ctx for one in arrays} == {device}
        return [(one.dtype, one.astype("float64").tolist()) for one in arrays]

    assert called(gpu(0)) == called(cpu())


def test_numbers_go_in_and_out():
    x = np.array(DATA, ctx=gpu(0))
    assert float(x[1, 2]) == 0 and x.max().item() == 3.75 and int(x.argmax()) == 23 and bool((x > 3).any())
    assert len(x) == 4 and sum(row.sum().item() for row in x) == DATA.sum()
    assert repr(x + 1) == repr(np.array(DATA) + 1)
    if x.sum() > 0:
        x *= 2
    assert (x.asnumpy() == DATA * 2).all()


def changed(x, name):
    y = x[0].copy()
    if name == "add":
        x += 1
        x[1:3] -= y
        x *= x
    elif name == "parts":
        x[2:, ::2] = 5
        x[:, -1] = x[:, 0]
        x[0] = np.array([1, 2, 3, 4, 5, 6], ctx=x.ctx)
        x[::-1, 1] = np.array([1, 2, 3, 4], dtype="int32", ctx=x.ctx)
    elif name == "mask":
        x[x > 0] = 0.5
        x[x[:, 0] < -1] = y
    elif name == "mask values":
        x[x > 3] = numpy.array([7, 8, 9], "float32")
        x[np.array(x > 8, ctx=x.ctx)] = [5]
        x[x[:, 0] > -1] = np.array(numpy.arange(18.0).reshape(3, 6), ctx=x.ctx)
        x[1, x[0] > -1] = y[: (x[0] > -1).sum().item()]
    elif name == "lists":
        x[[numbers(x, 0)[0], 2]] = y
        x[:, [numbers(x, 5)[0], numbers(x, 0)[0]]] = 3
        x[1] = [x[0, 0], *y[1:4], 8, x.sum()]
    elif name == "out":
        np.exp(x * 0, out=x)
        np.add(x[0], 1, out=x[1])
    elif name == "fill":
        x.fill(3)
        np.copyto(x[1], y)
    elif name == "transposed":
        z = x.T
        z[1] = 7
        z += x.T
    return x


@pytest.mark.parametrize("name", ["add", "parts", "mask", "mask values", "lists", "out", "fill", "transposed"])
def test_writes_are_seen_by_all_views(name):
    x, here = np.array(DATA, ctx=gpu(0)), np.array(DATA)
    view, memory, version = x[1:], owner_of(buffer_of(x)), x.storage.version
    changed(x, name)
    changed(here, name)
    assert (x.asnumpy() == here.asnumpy()).all() and (view.asnumpy() == here.asnumpy()[1:]).all()
    assert owner_of(buffer_of(view)) is memory and x.storage.version > version


def test_indices_out_of_bounds_are_errors_at_their_line():
    x = np.array(DATA, ctx=gpu(0))
    for use in (lambda: x[numbers(x, 1, 4)], lambda: np.take(x, numbers(x, -7), axis=1, mode="raise"), lambda: npx.pick(x, numbers(x, 0, 1, 2, 9), mode="raise")):  # fmt: skip
        with refusal((OutOfBoundsError, ValueError), "E110|E345"):
            use()
    with refusal(ShapeError, "E101"):
        x + np.ones(5, ctx=gpu(0))


def test_what_one_device_has_another_copies():
    x = np.array(DATA, ctx=gpu(0))
    y = x.as_in_ctx(gpu(1))
    assert (y * 2).ctx == gpu(1) and ((y * 2).asnumpy() == DATA * 2).all()
    y[1] = x[0]
    assert (y.asnumpy()[1] == DATA[0]).all()
    with refusal(DeviceError, r"E703: .*gpu\(0\).*gpu\(1\)"):
        x + y


HOST = numpy.ones((4, 6), "float32")
TWO_PLACES = {
    "array of numpy first": lambda x: HOST + x, "array of numpy last": lambda x: x * HOST, "function of numpy": lambda x: numpy.add(x, HOST), "product of numpy's": lambda x: HOST @ x.T,
    "in place": lambda x: operator.iadd(HOST.copy(), x), "out of numpy": lambda x: numpy.exp(x, out=HOST.copy()), "out at the host": lambda x: np.add(x, x, out=np.array(HOST)), "into the device": lambda x: numpy.add(HOST, HOST, out=x),
    "host": lambda x: np.add(x, np.array(HOST)), "in place at the host": lambda x: operator.iadd(np.array(HOST), x), "in place there": lambda x: operator.iadd(x, np.array(HOST)),
    "list": lambda x: np.stack([x, HOST]), "host in a list": lambda x: np.concatenate([x, np.array(HOST)]), "another cpu": lambda x: np.maximum(np.array(HOST, ctx=cpu(1)), x), "product": lambda x: np.array(HOST).dot(x.T),
    "mask": lambda x: x[np.array(HOST) > 0], "mask of the device": lambda x: np.array(HOST)[x > 0], "indices of the device": lambda x: np.array(HOST)[[numbers(x, 1)[0], 0]], "other gpu": lambda x: np.where(x > 0, x, np.array(HOST, ctx=gpu(1))),
    "write by a mask": lambda x: operator.setitem(x, np.array(HOST) > 0, 1), "write by indices": lambda x: operator.setitem(x, (slice(None), np.array([1], dtype="int32")), 1), "write by the device's": lambda x: operator.setitem(np.array(HOST), numbers(x, 1), 1), "write by another gpu's": lambda x: operator.setitem(x, np.array(HOST, ctx=gpu(1)) > 0, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", TWO_PLACES)
def test_arrays_in_two_places_do_not_mix(name):
    x = np.array(DATA, ctx=gpu(0))
    with refusal(DeviceError, r"E703: .* on gpu\([01]\)(?s:.*)help: .*(gives an array there|at the host)"):
        TWO_PLACES[name](x)
    assert (x.asnumpy() == DATA).all()


def test_python_and_numpy_read_numbers_of_a_device():
    x = np.array(DATA, ctx=gpu(0))
    assert math.sqrt(x[3, 5] + 0.25) == 2 and math.fsum(x[0]) == DATA[0].sum() and [4, 5][numbers(x, 1)[0]] == 5
    assert f"{x[0, 1]:.2f} {x[3, 5]}" == "-1.75 3.75" and max(x[0]) == -0.75 and sorted(x[0], reverse=True)[0] == -0.75
    assert (numpy.array([x, x])[1] == DATA).all() and (HOST[x.asnumpy() > 0] == 1).all()
    assert (x[DATA > 2].asnumpy() == DATA[DATA > 2]).all() and (
        x[[numbers(x, 1)[0], 0]].asnumpy() == DATA[[1, 0]]
    ).all()
    with refusal(DeviceError, r"E705: x\.data reads f32\[4,6\] on gpu\(0\)"):
        memoryview(x.data)


def test_one_array_of_arrays_from_everywhere():
    x = np.array(DATA, ctx=gpu(0))
    x.attach_grad()
    parts = [x, x.as_in_ctx(gpu(1)), np.array(HOST), DATA]
    for device, y in ((gpu(0), np.array(parts)), (gpu(1), np.array(parts, ctx=gpu(1))), (cpu(), np.array(parts, ctx=cpu()))):  # fmt: skip
        assert y.ctx == device and (y.asnumpy() == numpy.stack([DATA, DATA, HOST, DATA])).all()
    with autograd.record():
        y = np.array([[x[0, 0], x.as_in_ctx(gpu(1))[0, 0]], [3, x[0, 0]]])
        y.sum().backward()
    assert x.grad[0, 0] == 3 and x.grad.sum() == 3


DRAWS = {
    "uniform": lambda c: np.random.uniform(-1, 2, size=(5, 7), ctx=c), "normal": lambda c: np.random.normal(3, 2, size=11, ctx=c), "many": lambda c: np.random.normal(size=(200, 200), ctx=c),
    "by arrays": lambda c: np.random.normal(np.array([1.0, 2.0], ctx=c), 2), "integers": lambda c: np.random.randint(0, 10, size=(3, 4), ctx=c),
    "bernoulli": lambda c: np.random.bernoulli(0.5, size=(9,), ctx=c), "exponential": lambda c: np.random.exponential(size=(5,), ctx=c), "choice": lambda c: np.random.choice(10, size=(4,), ctx=c),
    "dropout": lambda c: npx.dropout(np.ones((6, 6), ctx=c), p=0.5, mode="always"), "in a block": lambda c: drawn_within(c),
}  # fmt: skip


def drawn_within(device):
    with device:
        return np.random.rand(3, 4)


@pytest.mark.parametrize("name", DRAWS)
def test_random_numbers_are_the_hosts(name):
    np.random.seed(7)
    here, after = DRAWS[name](cpu()), np.random.uniform()
    np.random.seed(7)
    there = DRAWS[name](gpu(0))
    assert there.ctx == gpu(0) and there.dtype == here.dtype and (there.asnumpy() == here.asnumpy()).all()
    assert np.random.uniform(ctx=gpu(1)).item() == after.item()  # as many were drawn


CREATED = {
    "zeros": lambda c: np.zeros((30, 40), ctx=c), "ones": lambda c: np.ones((30, 40), dtype="int32", ctx=c), "full": lambda c: np.full((3, 400), -0.0, "float64", device=c),
    "halves": lambda c: np.full((3, 401), 3.3, "bfloat16", ctx=c), "bools": lambda c: np.full(999, True, ctx=c), "empty": lambda c: np.empty((3, 400), ctx=c), "no axes": lambda c: np.ones((), ctx=c),
    "like": lambda c: np.full_like(np.zeros_like(np.ones((30, 40), ctx=c)), 3), "range": lambda c: np.arange(500, ctx=c), "steps": lambda c: np.arange(3, 200.5, 0.3, ctx=c),
    "integers": lambda c: np.arange(900, 3, -2, dtype="int64", ctx=c), "none": lambda c: np.arange(0, ctx=c), "line": lambda c: np.linspace(-3, 1, 333, ctx=c), "one": lambda c: np.linspace(2, 5, 1, ctx=c),
    "open line": lambda c: np.linspace(0, 1, 333, endpoint=False, dtype="float64", ctx=c), "whole line": lambda c: np.linspace(-3, 100, 333, dtype="int32", ctx=c), "eye": lambda c: np.eye(30, 40, k=-3, ctx=c),
    "identity": lambda c: np.identity(30, ctx=c), "tri": lambda c: np.tri(20, 30, 2, ctx=c), "indices": lambda c: np.indices((20, 30), ctx=c), "triangle": lambda c: np.tril(np.ones((30, 40), ctx=c)),
    "arange like": lambda c: npx.arange_like(np.zeros((30, 40), ctx=c)), "powers": lambda c: np.logspace(0, 3, 20, ctx=c), "quotients": lambda c: np.geomspace(1, 1000, 20, ctx=c),
    "of nd": lambda c: nd.arange(300, repeat=2, ctx=c), "in a block": lambda c: made_within(c), "uniform": lambda c: np.random.uniform(size=(300, 300), ctx=c),
}  # fmt: skip


def made_within(device):
    with device:
        return np.mgrid[0:20, 0:30]


@pytest.mark.parametrize("name", CREATED)
def test_new_arrays_are_made_where_they_are(name, sent_bytes):
    np.random.seed(3)
    here = CREATED[name](cpu())
    np.random.seed(3)
    there = CREATED[name](gpu(0))
    assert there.ctx == gpu(0) and (there.shape, there.dtype) == (here.shape, here.dtype)
    assert there.asnumpy().tobytes() == here.asnumpy().tobytes()  # signs of zeros, too
    assert max(sent_bytes, default=0) <= 256  # numbers alone


def test_one_program_makes_new_arrays_of_all_sizes(compiled_ops):
    for shape in ((3, 4), (5, 6), 7, (2, 2, 2)):
        assert (np.full(shape, 2.5, ctx=gpu(0)).asnumpy() == 2.5).all()
    assert len(compiled_ops) == 2  # of the first sizes, and of all others


OPERATIONS = {
    "add": lambda x, y: x + y, "mul": lambda x, y: x * y, "sub": lambda x, y: x - 0.5, "transpose": lambda x, y: x.T, "slice": lambda x, y: x[1:], "step": lambda x, y: x[:, ::-2],
    "max": lambda x, y: x.max(0, keepdims=True), "where": lambda x, y: np.where(x > 0, x, -x), "square": lambda x, y: x.reshape(-1, 1), "relu": lambda x, y: npx.relu(x),
    "broadcast": lambda x, y: x + x[:1], "join": lambda x, y: np.concatenate([x, x]), "write": lambda x, y: written(x),
}  # fmt: skip


def written(x):
    x = x.copy()
    x[:, :1] = 2
    x[1:] -= x[:1]
    return x


@settings(max_examples=10, deadline=None)
@given(
    some.lists(some.sampled_from(sorted(OPERATIONS)), min_size=1, max_size=5), some.integers(2, 4), some.integers(2, 4)
)
def test_any_operations_in_turn_give_the_hosts_bits(names, rows, columns):
    results = []
    for device in (cpu(), gpu(0)):
        x = y = np.array(DATA[:rows, :columns], ctx=device)
        for name in names:
            if name in ("add", "mul") and x.shape != y.shape:
                y = x
            if min(x.shape) > 1 or name not in ("slice",):
                x = OPERATIONS[name](x, y)
        results.append(x.asnumpy())
    assert (results[0] == results[1]).all()


def test_a_matrix_without_inverse_is_an_error_at_the_line():
    for function in (np.linalg.inv, lambda x: np.linalg.solve(x, x[0])):
        with pytest.raises(LinAlgError, match="E525: Singular matrix"):
            function(np.zeros((2, 2), ctx=gpu(0)))
    with pytest.raises(LinAlgError, match="E525: Matrix is not positive definite"):
        np.linalg.cholesky(-np.eye(2, ctx=gpu(0)))


@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_divisors_of_integers(name):
    x, y = numpy.array([[0, 12, -18, 97]]), numpy.array([[8], [-30], [0]])
    function = getattr(np, name)
    with gpu(0):
        left, right = np.array(x, dtype="int64"), np.array(y, dtype="int64")
        assert function(left, right).tolist() == getattr(numpy, name)(x, y).tolist()
        assert function(left, 6).tolist() == getattr(numpy, name)(x, 6).tolist()
        assert function(6, left).ctx == gpu(0)
