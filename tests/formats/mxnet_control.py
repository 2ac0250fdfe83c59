"""Nets of loops and branches that are written to MXNet's files, each with calls whose data takes other ways."""

import numpy

from hybridize import np, npx
from hybridize.gluon import HybridBlock, nn, rnn


class Body(HybridBlock):
    """A net that is one function, which may call layers."""

    def __init__(self, function, *layers):
        super().__init__()
        self.function = function
        self.layers = layers
        for number, layer in enumerate(layers):
            setattr(self, f"layer{number}", layer)

    def forward(self, *xs):
        return self.function(*xs, *self.layers)


def memory(x, h, dense):
    def body(row, states):
        h = np.tanh(dense(row) + states[0])
        return h, [h]

    return npx.foreach(body, x, [h])


def two_states(x, y, h, n):
    def body(rows, states):
        a, b = rows
        h, n = states
        return [h * a + b, h - n], [h + a, n + 1]

    return npx.foreach(body, [x, y], [h, n])


def unused_state(x, h):
    """A state that is replaced without having been read, and a row that is not read."""
    return npx.foreach(lambda rows, states: (rows[0] + 1, [rows[0] * 2]), [x, x - 1], [h])


def numbers(x, h):
    """Rows and states without axes; a state that is a result of the round as it is."""
    return npx.foreach(lambda row, states: (states[0], [states[0] + row]), x, [h.sum()])


def constants(x, h):
    table = np.array(numpy.arange(3, dtype="f4"))
    return npx.foreach(lambda row, states: (row * table, [states[0] * 0.5 + table]), x, [h])


def nested(x, h):
    def outer(row, states):
        def inner(number, states):
            return number + states[0], [states[0] + row]

        rows, states = npx.foreach(inner, row, states)
        return rows, states

    return npx.foreach(outer, x, [h])


def branching(x, h):
    def body(row, states):
        h = npx.cond(row.sum() > states[0].sum(), lambda: row * 2, lambda: states[0] - row)
        return h + 1, [h]

    return npx.foreach(body, x, [h])


def backward(x, *layers):
    return layers[0].unroll(x.shape[1], x, layout="NTC", merge_outputs=True)[0]


def limited(i, x):
    return npx.while_loop(lambda i, x: i <= 3, lambda i, x: (x * i, [i + 1, x + i]), [i, x], max_iterations=6)


def only_variables(i, x):
    return npx.while_loop(lambda i, x: i <= 3, lambda i, x: (None, [i + 1, x + i]), [i, x], max_iterations=6)[1]


def two_rows(i, x, dense):
    def step(i, x):
        return [x, (x * x).sum()], [i + 1, np.tanh(dense(x))]

    rows, (i, x) = npx.while_loop(lambda i, x: np.logical_and(i < 4, x.sum() < 50), step, [i, x], max_iterations=5)
    return rows[0] + 1, rows[1], i, x


def stopping(x, h):
    """A loop of Python over rows that data ends."""
    for row in x:
        h = h + row
        if h.sum() > 6:
            break
    return h


def rounds(h):
    """A loop of Python over no rows."""
    for _ in range(40):
        h = np.tanh(h) + 0.1
    return h


def searching(x):
    """A while of Python with a limit."""
    n = np.zeros((), dtype="int64")
    while n < 20 and (x * x).sum() > 1:
        x = x / 2
        n = n + 1
    return x, n.astype("float32")


def chosen(a, b):
    return npx.cond((a + b).sum() > 1, lambda: a * b, lambda: a - b)


def chosen_layers(x, one, other):
    if x.mean() > 0:
        return one(x)
    return other(x) * 2


def chosen_twice(a, b):
    """Branches that give what they are given, one thing twice, and numbers."""
    if a.sum() > 1:
        x, y, z = a, a, np.ones((2, 3))
    elif (a > 0).any():
        x, y, z = b, a, a
    else:
        x, y, z = a + b, b, b * 3
    return x, y, z


def chosen_truth(a, b):
    both = np.logical_or(a > 0, np.logical_not(b > 1))
    return npx.cond(both.all(), lambda: np.where(both, a, b), lambda: np.where(a == b, 1.0, a))


def truths(x, y):
    """Comparisons of several dtypes, put together."""
    whole = (x * 3).astype("int64")
    half = x.astype("float64") > y.astype("float64")
    both = np.logical_and(x <= y, whole > 0)
    row = np.logical_not(both).any(axis=0)
    kept = np.logical_and(row, np.array([True, False, True]))
    return (
        np.where(np.logical_or(both, np.logical_xor(half, True)), 1, 0).astype("float32"),
        np.where(kept, x, y),
        np.maximum(both, half).all().astype("float32"),
        np.invert(whole).astype("float32"),
        np.where(row, row.astype("float32"), 2.0) + np.zeros((2, 1)),
    )


def backward_branching(x, h):
    """From the last number to the first."""

    def body(number, states):
        h = npx.cond(number > 0, lambda: states[0] + number, lambda: states[0] * 0.5)
        return h + 1, [h]

    return npx.foreach(body, x[::-1], [h.sum()])


def by_number(x, h):
    """Loops of Python that read and write rows by their numbers."""
    out = np.zeros(x.shape)
    for t in range(x.shape[0]):
        h = np.tanh(x[t] + h)
        out[t] = h * t
    return out, h


def written_until(x):
    """Rows that a loop writes, until data ends it."""
    out = np.ones((40, 2)) * 3
    for i in range(40):
        out[i] = x
        if (x * x).sum() < 1:
            break
        x = x / 2
    return out, x


def normalized(x, h, norm, dropout):
    def body(row, states):
        y = dropout(norm(row + states[0]))
        return y, [y]

    return npx.foreach(body, x, [h])


def picked(x):
    def body(row, states):
        most = row.argmax()
        return x[most], [states[0] + most]

    return npx.foreach(body, x, [np.zeros((), dtype="int64")])[0]


def draw(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype("f4")


ONE, SIX = numpy.ones(1, "f4"), numpy.full(1, 6, "f4")
CONTROL = {
    "memory": (lambda: Body(memory, nn.Dense(4)), [(draw(5, 2, 3), draw(2, 4))]),
    "memory of one row": (lambda: Body(memory, nn.Dense(4)), [(draw(2, 2, 3), draw(2, 4))]),
    "two states": (lambda: Body(two_states), [(draw(4, 3), draw(4, 3, seed=1), draw(3), ONE)]),
    "unused state": (lambda: Body(unused_state), [(draw(3, 2), draw(2))]),
    "numbers": (lambda: Body(numbers), [(draw(6), draw(3))]),
    "constants": (lambda: Body(constants), [(draw(4, 3), draw(3))]),
    "nested": (lambda: Body(nested), [(draw(4, 3, 2), draw(3, 2))]),
    "branching": (lambda: Body(branching), [(draw(6, 3), draw(3))]),
    "backward branching": (lambda: Body(backward_branching), [(draw(8), draw(3))]),
    "by number": (lambda: Body(by_number), [(draw(40, 3), draw(3))]),
    "written until": (lambda: Body(written_until), [(draw(2) * 40,), (draw(2) / 40,)]),
    "normalized": (lambda: Body(normalized, nn.BatchNorm(), nn.Dropout(0.5)), [(draw(6, 2, 3), draw(2, 3))]),
    "picked": (lambda: Body(picked), [(draw(3, 3),)]),
    "cell": (lambda: Body(backward, rnn.LSTMCell(4)), [(draw(2, 5, 3),)]),
    "both ways": (
        lambda: Body(backward, rnn.BidirectionalCell(rnn.GRUCell(3), rnn.LSTMCell(2))),
        [(draw(2, 5, 3),)],
    ),
    "limited": (lambda: Body(limited), [(ONE, draw(2)), (SIX, draw(2)), (-SIX, draw(2))]),
    "only variables": (lambda: Body(only_variables), [(ONE, draw(2)), (SIX, draw(2)), (-SIX, draw(2))]),
    "two rows": (lambda: Body(two_rows, nn.Dense(3)), [(ONE, draw(2, 3)), (SIX, draw(2, 3)), (-SIX, draw(2, 3))]),
    "stopping": (lambda: Body(stopping), [(draw(5, 3), draw(3)), (draw(5, 3) + 9, draw(3))]),
    "rounds": (lambda: Body(rounds), [(draw(2, 3),)]),
    "searching": (lambda: Body(searching), [(draw(4) * 50,), (draw(4) * 0.01,), (draw(4) * 1e9,)]),
    "chosen": (lambda: Body(chosen), [(draw(2, 3) + 1, draw(2, 3)), (draw(2, 3) - 1, draw(2, 3))]),
    "truths": (lambda: Body(truths), [(draw(2, 3), draw(2, 3, seed=1))]),
    "chosen layers": (
        lambda: Body(chosen_layers, nn.Dense(2), nn.Dense(2)),
        [(draw(3, 4) + 1,), (draw(3, 4) - 1,)],
    ),
    "chosen twice": (
        lambda: Body(chosen_twice),
        [(draw(2, 3) + 1, draw(2, 3, seed=1)), (draw(2, 3) - 1, draw(2, 3)), (draw(2, 3) - 9, draw(2, 3))],
    ),
    "chosen truth": (lambda: Body(chosen_truth), [(draw(2, 3), draw(2, 3)), (draw(2, 3) + 9, draw(2, 3, seed=2))]),
}
"""Nets and calls."""
