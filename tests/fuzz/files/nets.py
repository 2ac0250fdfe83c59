"""Small programs of every kind that is exported: what goes in and out, control flow, state, sizes at their borders."""

import ml_dtypes
import numpy

from hybridize import np, npx
from hybridize.capture import Function
from hybridize.gluon import nn


def drawn(*shape, seed=7):
    return np.array(numpy.random.default_rng(seed).normal(size=shape).astype("f4"))


def whole(*shape, dtype="int64", top=3):
    return np.array(numpy.random.default_rng(shape).integers(0, top, shape), dtype=dtype)


def called(function, *calls):
    """A function that has been called."""
    made = Function(function)
    for call in calls:
        made.compile(*call)
    return made


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    net.initialize()
    net(drawn(1, 512))
    return called(lambda data: net(data), (drawn(1, 512),), (drawn(4, 512),))


def attention():
    table, first, last = drawn(50, 32), drawn(32, 64, seed=8), drawn(64, 5, seed=9)

    def net(words):
        h = np.take(table, words, axis=0)
        scores = np.matmul(h, h.transpose(0, 2, 1)) * 0.2
        h = np.matmul(npx.softmax(scores), h)
        return npx.softmax(np.dot(npx.relu(np.dot(h.mean(axis=1), first)), last))

    return called(net, (whole(1, 6, top=50),), (whole(3, 7, top=50),))


def collatz():
    def steps(x):
        count = np.array(0, dtype="int64")
        while x > 1 and count < 1000:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            count = count + 1
        return {"count": count, "last": x}

    return called(steps, (np.array(27, dtype="int64"),))


def branches():
    """A branch that data decide, and a loop with a bound."""

    def f(x, n):
        total = x * 0
        for _ in range(3):
            total = total + np.tanh(x) if total.sum() < 1 else total - x
        k = 0
        while k < 5 and total.sum() < 100:
            total = total * 2 + n
            k = k + 1
        return total

    return called(f, (drawn(3, 5), whole(3, 5)))


def recurrence():
    gate, step = drawn(40, 24), drawn(40, 24, seed=8)

    def f(x):
        state = np.zeros((x.shape[1], 24))
        for row in range(x.shape[0]):
            both = np.concatenate([x[row], state], axis=1)
            open_ = npx.sigmoid(np.dot(both, gate))
            state = open_ * state + (1 - open_) * np.tanh(np.dot(both, step))
        return state

    return called(f, (drawn(7, 3, 16),), (drawn(7, 4, 16),))


def noise():
    return called(lambda x: (x + np.random.normal(0, 1, (4,)), np.random.uniform(size=(3, 3))), (drawn(4),))


def running():
    total = np.zeros(3)

    def f(x):
        total[:] = total + x
        return total * 2

    return called(f, (drawn(3),))


def asserted():
    def f(x):
        npx.assert_(x.sum() < 1e6, "too much")  # noqa: PT009
        return np.exp(x)

    return called(f, (drawn(33),))


def integers():
    """What integers can do wrong: dividing by zero, by -1, shifting too far."""

    def f(a, b, c, d):
        return (
            a // b,
            a % b,
            c // d,
            c % d,
            np.left_shift(a, b),
            np.right_shift(c, d),
            abs(a),
            c * d,
            a / b,
            np.power(a, 2),
        )

    given = [whole(37, dtype=dtype) + 1 for dtype in ("int32", "int32", "int64", "int64")]
    return called(f, tuple(given))


def narrow():
    """The other widths."""

    def f(a, b, c, d):
        return (
            a // (a + 1),
            b // b,
            c // (c + 3),
            d % (d + 1),
            a.sum(),
            b.max(),
            np.cumsum(c),
            d.astype("int8"),
            a.astype("float32") / 7,
        )

    given = [whole(19, dtype=dtype) + 1 for dtype in ("int8", "uint8", "uint32", "uint64")]
    return called(f, tuple(given))


def halves():
    def f(a, b, c, flag):
        return np.where(flag, a + b.astype("float16"), a * a), np.exp(b), c / 3, np.logical_not(flag), a.sum(), b.sum()

    given = (drawn(3, 7).astype("float16"), drawn(3, 7).astype(ml_dtypes.bfloat16), drawn(3, 7).astype("float64"))
    return called(f, (*given, np.array(numpy.ones((3, 7), bool))))


def casts():
    """Floats that are no integers of the kind that they are made to be."""

    def f(x, y):
        return [x.astype(kind) for kind in ("int8", "int32", "int64", "uint8", "bool", "float16")], y.astype("int32")

    return called(f, (drawn(21), drawn(21).astype("float64")))


def indices():
    """Whatever numbers come as indices, nothing beyond the array is read or written."""
    table, flat = drawn(6, 4), drawn(24)

    def f(rows, row, column, mask):
        picked = table[rows]
        written = np.zeros((6, 4))
        written[rows] = 1.0
        both = table[row, column]
        return (
            picked,
            written,
            both,
            np.take(flat, rows, mode="wrap"),
            np.take(flat, rows, mode="clip"),
            npx.one_hot(rows, 6),
            npx.pick(table, row[:1].astype("float32").reshape(1).repeat(6)),
            np.where(mask, rows, 0),
            flat[rows],
        )

    return called(f, (whole(5), whole(7), whole(7, top=4), np.array(numpy.ones(5, bool))))


def narrow_indices():
    table = drawn(300, 3)

    def f(a, b, c):
        return np.take(table, a, axis=0), np.take(table, b, axis=0), npx.embedding(c, table, 300, 3)

    return called(f, (whole(11, dtype="int8"), whole(11, dtype="uint8"), whole(11, dtype="int32")))


def places():
    """Indices along an axis, as a call gives them."""

    def f(x, i, n):
        y = x + 0
        y[i] = 5.0
        return (
            np.take_along_axis(x, n, axis=1),
            x[i],
            y,
            np.sort(x, axis=1),
            np.argsort(x, axis=1),
            np.argmax(x, axis=0),
        )

    return called(f, (drawn(5, 9), np.array(2, dtype="int64"), whole(5, 4, top=9)))


def together():
    """Two sizes, and a condition of both."""

    def f(x, y):
        return (np.concatenate([x, y]) @ np.ones((2, 3))).reshape(-1, 6), x.sum(axis=0), y[::-1]

    return called(f, *[(np.ones((a, 2)), np.ones((b, 2))) for a, b in ((3, 5), (4, 8), (6, 2))])


def empty():
    return called(
        lambda x, y: (np.concatenate([x, y]), x.sum(axis=0), y * 2, x.reshape(3, -1)), (np.zeros((0, 3)), drawn(2, 3))
    )


def sums():
    """Axes of every length under and over the width of a vector; rows, columns, both."""

    def f(x):
        return (
            x.sum(axis=0),
            x.sum(axis=1),
            x.max(),
            x.T + 1,
            np.cumsum(x, axis=1),
            npx.softmax(x),
            x.mean(),
            x.std(axis=1),
            x[:, ::-1],
        )

    return called(f, *[(drawn(a, b),) for a, b in ((3, 5), (4, 8), (7, 2))])


def products():
    return called(
        lambda a, b: (a @ b, (b.T @ a.T) + 1),
        *[(drawn(n, k), drawn(k, m)) for n, k, m in ((3, 5, 2), (4, 8, 9), (7, 2, 3))],
    )


def inside():
    """An argument that is written."""

    def f(x, i):
        x[1] = x[0] * 2
        return x.sum() + i

    return called(f, (drawn(4, 3), 2))


def wide():
    """Enough work for threads to share."""
    a, b = drawn(384, 512), drawn(512, 64, seed=8)
    return called(lambda x: npx.softmax(np.dot(np.tanh(np.dot(x, a)), b)), (drawn(200, 384),), (drawn(96, 384),))


BORDERS = (2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65)

NETS = {
    # name: the function, and sizes of its calls, those of all inputs one after the other
    "mlp": (mlp, [(n, 512) for n in (1, 2, 3, 4, 5, 16, 33)]),
    "attention": (attention, [(1, 6), (2, 2), (3, 9), (17, 5)]),
    "collatz": (collatz, [()]),
    "branches": (branches, [(3, 5, 3, 5)]),
    "recurrence": (recurrence, [(7, n, 16) for n in (2, 3, 7, 9)]),
    "noise": (noise, [(4,)]),
    "running": (running, [(3,)]),
    "asserted": (asserted, [(33,)]),
    "integers": (integers, [(37, 37, 37, 37)]),
    "narrow": (narrow, [(19, 19, 19, 19)]),
    "halves": (halves, [(3, 7, 3, 7, 3, 7, 3, 7)]),
    "casts": (casts, [(21, 21)]),
    "indices": (indices, [(5, 7, 7, 5)]),
    "narrow_indices": (narrow_indices, [(11, 11, 11)]),
    "places": (places, [(5, 9, 5, 4)]),
    "together": (together, [(a, 2, b, 2) for a, b in ((3, 5), (9, 31), (2, 2), (64, 66))]),
    "empty": (empty, [(0, 3, 2, 3)]),
    "sums": (sums, [(a, b) for a in BORDERS[::3] for b in BORDERS]),
    "products": (products, [(a, b, b, c) for a in (2, 7, 17) for b in (2, 16, 33) for c in (2, 3, 31)]),
    "inside": (inside, [(4, 3)]),
    "wide": (wide, [(200, 384)]),
}
