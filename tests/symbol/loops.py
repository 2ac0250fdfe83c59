"""Loops and branches of expressions, with shapes of their variables, for MXNet itself to run."""

from hybridize import symbol as sym


def _foreach():
    x, s, w, v = (sym.var(name) for name in "xswv")
    outer = w * v

    def step(row, states):
        total = outer + row * 2 + sym.tanh(states[0])
        return [total * w, row], [total]

    rows, states = sym.contrib.foreach(step, x, [s])
    return sym.Group([*rows, *states])


def _weights():
    def step(row, states):
        new = sym.Activation(
            sym.elemwise_add(
                sym.FullyConnected(row, num_hidden=3, name="in"),
                sym.FullyConnected(states[0], num_hidden=3, name="state"),
            ),
            act_type="tanh",
        )
        return new, [new]

    rows, states = sym.contrib.foreach(step, sym.var("x"), [sym.var("s")])
    return sym.Group([rows, *states])


def _nested():
    x, s, w = (sym.var(name) for name in "xsw")

    def outer(rows, states):
        found, _ = sym.contrib.foreach(lambda row, now: (row * now[0] + w, [now[0] + row]), rows, [states[0] * w])
        return found, [found.sum(axis=0)]

    rows, states = sym.contrib.foreach(outer, x, [s])
    return sym.Group([rows, *states])


def _while():
    i, s, w = (sym.var(name) for name in "isw")
    rows, states = sym.contrib.while_loop(
        lambda i, s: i < 3, lambda i, s: (s * w, [i + 1, s * 1.5 + w]), [i, s], max_iterations=4
    )
    return sym.Group([sym.slice_axis(rows, axis=0, begin=0, end=3), *states])  # what is behind is not defined there


def _cond():
    a, b, w = (sym.var(name) for name in "abw")
    outer = a * w
    return sym.Group(sym.contrib.cond((a * a).sum() > w.sum(), lambda: [outer + b, b * 2], lambda: [outer - a, b]))


LOOPS = {
    "foreach": (_foreach, {"x": (4, 3), "s": (3,), "w": (3,), "v": (3,)}),
    "weights": (
        _weights,
        {"x": (5, 2, 4), "s": (2, 3), "in_weight": (3, 4), "in_bias": (3,), "state_weight": (3, 3), "state_bias": (3,)},
    ),
    "nested": (_nested, {"x": (2, 3, 2), "s": (2,), "w": (2,)}),
    "while": (_while, {"i": (1,), "s": (2,), "w": (2,)}),
    "cond": (_cond, {"a": (3,), "b": (3,), "w": (3,)}),
}
"""By name, what makes an expression, and the shapes of its variables."""
