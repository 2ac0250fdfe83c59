"""`npx.cond`, `npx.foreach` and `npx.while_loop` in programs, and control flow on data where gradients go through it."""

from __future__ import annotations

import linecache
from typing import Any

import numpy
import pytest

from hybridize import autograd, hybridize, np, npx
from hybridize.errors import CaptureError, HybridizeError


def _arrays() -> list[Any]:
    rng = numpy.random.default_rng(4)
    x = np.array(rng.standard_normal((4, 3)), dtype="float64")
    w = np.array(rng.standard_normal(3) * 0.5, dtype="float64")
    for array in (x, w):
        array.attach_grad()
    return [x, w]


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in _flat(part)]
    return [numpy.asarray(value)]


FUNCTIONS = {
    "cond": lambda x, w: npx.cond(x.sum() > 0, lambda: x * w, lambda: x - w),
    "cond with inputs": lambda x, w: (
        npx.cond(lambda a, b: (a * b).sum() > 0, lambda a, b: a * b, lambda a, b: a - b, [x, w])
    ),
    "cond of a number": lambda x, w: npx.cond(True, lambda: x * w, lambda: x - w),
    "cond, several": lambda x, w: npx.cond(x.sum() > 0, lambda: (x * w, [w]), lambda: (x - w, [w * 2])),
    "foreach": lambda x, w: npx.foreach(lambda r, s: (r * s, s + r * w), x, w),
    "foreach without states": lambda x, w: npx.foreach(lambda r, s: (r * w, s), x, []),
    "foreach, several": lambda x, w: (
        npx.foreach(lambda r, s: ([r[0] * s[0], r[1] + s[1]], [s[1], s[0] + r[0]]), [x, x * 2], [w, w * w])
    ),
    "foreach, a tuple out": lambda x, w: npx.foreach(lambda r, s: ((r, (s, r * s)), s * r), x, w),
    "foreach, nothing out": lambda x, w: npx.foreach(lambda r, s: (None, s * r + w), x, w),
    "foreach, of one row": lambda x, w: npx.foreach(lambda r, s: (r * s, s + r), x[:1], w),
    "foreach whose state widens": lambda x, w: (
        npx.foreach(lambda r, s: (r * s, s + r), x, np.zeros((3,), dtype="float32"))
    ),
    "foreach whose state grows": lambda x, w: npx.foreach(lambda r, s: (s.sum() * r, np.concatenate([s, r])), x, w),
    "foreach that counts": lambda x, w: npx.foreach(lambda r, s: (r * s[1], [s[0] + 1, s[1] * w]), x, [0, w]),
    "foreach in foreach": lambda x, w: (
        npx.foreach(lambda r, s: npx.foreach(lambda e, t: (e * t, t * 0.5 + e), r, s), x, w[0])
    ),
    "cond in foreach": lambda x, w: (
        npx.foreach(lambda r, s: (npx.cond(r.sum() > 0, lambda: r * s, lambda: r - s), s * w), x, w)
    ),
    "if in foreach": lambda x, w: npx.foreach(_iffy, x, w),
    "foreach over a view": lambda x, w: npx.foreach(lambda r, s: (r * s, s + r), x.T[::-1], x[:, 0]),
    "while_loop": lambda x, w: (
        npx.while_loop(
            lambda i, s: (s * s).sum() < 50, lambda i, s: (s * w, [i + 1, s * 1.5 + w]), [np.zeros((), dtype="int64"), w], 12)
    ),
    "while_loop that is cut off": lambda x, w: (
        npx.while_loop(lambda s: (s * s).sum() < 1e9, lambda s: (s.sum(), s * 1.5 + w), w, 5)
    ),
    "while_loop that does not begin": lambda x, w: (
        npx.while_loop(lambda s: (s * s).sum() < 0, lambda s: ([s, s.sum()], s * 1.5 + w), w, 5)
    ),
    "while_loop that Python counts": lambda x, w: (
        npx.while_loop(lambda i, s: i < 3, lambda i, s: (s, [i + 1, s * w]), [0, x], 5)
    ),
    "while_loop without rows": lambda x, w: (
        npx.while_loop(lambda s: (s * s).sum() < 50, lambda s: (None, s * 1.5 + w), w, 12)
    ),
}  # fmt: skip
ENDLESS = {
    "while_loop that nothing limits": lambda x, w: npx.while_loop(
        lambda i, s: (s * s).sum() < 50, lambda i, s: (None, [i + 1, s * 1.5 + w]), [np.zeros((), dtype="int64"), w]
    ),
}  # fmt: skip


def _iffy(r: Any, s: Any) -> Any:
    if r.sum() > 0:
        r = r * s
        s = s + 1
    return r, s * r


@pytest.mark.parametrize("name", [*FUNCTIONS, *ENDLESS])
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_values(name, backend):
    function = {**FUNCTIONS, **ENDLESS}[name]
    fast = hybridize(function, backend=backend)
    for sign in (1, -1):
        x, w = _arrays()
        expected, found = function(x * sign, w), fast(x * sign, w)
        assert str(type(found)) == str(type(expected))
        for ours, theirs in zip(_flat(found), _flat(expected), strict=True):
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
            numpy.testing.assert_allclose(ours, theirs, rtol=1e-6 if "widens" in name else 1e-12)
    assert fast.cache_info().captures == 1


def _loss(function: Any, x: Any, w: Any) -> Any:
    total = (w * x).sum()
    for number, part in enumerate(_parts(function(x * 1, w))):
        if part.dtype.kind == "f":
            total = total + (part * part * (number + 1)).sum()
    return total


def _parts(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in _parts(part)]
    return [value] if hasattr(value, "dtype") else []


def _gradients(function: Any, wrap: Any, *, step: bool) -> list[Any]:
    x, w = _arrays()

    def whole() -> Any:
        with autograd.record():
            loss = _loss(function, x, w)
        loss.backward()
        return loss

    if step:
        loss = wrap(whole)()
        loss = wrap(whole)()
    else:
        forward = wrap(lambda x, w: _loss(function, x, w))
        with autograd.record():
            loss = forward(x, w)
        loss.backward()
    return [float(loss), x.grad.asnumpy(), w.grad.asnumpy()]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("step", [True, False])
def test_gradients(name, step):
    function = FUNCTIONS[name]
    expected = _gradients(function, lambda f: f, step=step)
    found = _gradients(function, hybridize, step=step)
    for ours, theirs in zip(found, expected, strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-6 if "widens" in name else 1e-9)


def _branch(x, w):
    if x.sum() > 0:
        y = x * w
    else:
        y = np.exp(x)
    return y * 2


def _early(x, w):
    if (x * w).sum() > 1:
        return x * 3
    for i in range(3):
        if x[i].sum() > 0:
            break
        x = x * w
    return x + w


def _over_rows(x, w):
    total = w * 0
    for row in x:
        if row.sum() > 0:
            total = total + row * w
    return total


def _roots(x, w):
    """Where a side is not taken, its slope, which is infinite, must not count."""
    s = x.sum()
    y = np.sqrt(np.abs(s) - np.abs(s)) if s * 0 != 0 else s * 2
    z = (w[0] - w[0]) ** 0.5 if w[1] > 99 else w[1] * s
    return np.stack([y, z])


def _logical(x, w):
    if (x.sum() > 0 and w.sum() > -99) or x[0, 0] > 0:
        x = x * w
    return x if x[0, 1] > 0 else -x


@pytest.mark.parametrize("function", [_branch, _early, _over_rows, _roots, _logical])
@pytest.mark.parametrize("step", [True, False])
def test_gradients_through_pythons_own_branches(function, step):
    expected = _gradients(function, lambda f: f, step=step)
    found = _gradients(function, hybridize, step=step)
    for ours, theirs in zip(found, expected, strict=True):
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-9)


def _while(x, w):
    while (w * w).sum() < 50:
        w = w * 2 + x[0]
    return w


@pytest.mark.parametrize("step", [True, False])
@pytest.mark.parametrize("function", [_while, *ENDLESS.values()])
def test_a_loop_that_nothing_limits_has_no_gradient_and_says_so_at_the_users_line(function, step):
    with pytest.raises(HybridizeError) as caught:
        _gradients(function, hybridize, step=step)
    assert caught.value.code == "E521" and caught.value.loc.file == __file__ and "max_iterations" in str(caught.value)
    assert caught.value.loc.function == function.__name__
    x, w = _arrays()
    numpy.testing.assert_allclose(hybridize(_while)(x, w).asnumpy(), _while(x, w).asnumpy())


def _full_factor(x, w):
    factor = np.linalg.qr(np.outer(x, w)[:, :2], mode="complete")[0]
    return factor[:, 2].sum() * w


@pytest.mark.parametrize("step", [True, False])
def test_what_has_no_gradient_says_so_where_it_is_computed(step):
    with pytest.raises(HybridizeError) as caught:
        _gradients(_full_factor, hybridize, step=step)
    assert (caught.value.code, caught.value.loc.function) == ("E393", "_full_factor")
    assert "linalg.qr" in linecache.getline(__file__, caught.value.loc.line)


def test_rows_whose_number_only_the_program_knows_are_refused():
    w = _arrays()[1]
    with pytest.raises(CaptureError, match="E408"):
        hybridize(lambda w: npx.while_loop(lambda s: s.sum() < 9, lambda s: (s, s * s + 1), w))(w)


def test_loop_variables_that_change_their_types_are_refused():
    w = _arrays()[1]
    with pytest.raises(CaptureError, match=r"E408|E440"):
        hybridize(lambda w: npx.while_loop(lambda s: s.sum() < 9, lambda s: (s, np.stack([s, s])), w, 3))(w)


def test_writes_from_inside():
    def function(x, w):
        total = w * 1

        def body(row, state):
            total[...] += row
            return row * state, state

        rows, last = npx.foreach(body, x, w)
        return total, rows, last

    x, w = _arrays()
    for ours, theirs in zip(hybridize(function)(x, w), function(x, w), strict=True):
        numpy.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy())


@pytest.mark.parametrize("sign", [1, -1])
def test_an_array_that_data_has_chosen_while_nothing_was_recorded(sign):
    """Imperatively it may be the variable itself."""
    x, w = _arrays()
    x[...] = np.abs(x) * sign

    def chosen(kept):
        with autograd.pause():
            v = w if x.sum() > 0 else w * 0.5
        return (v * v).sum() + kept

    def step():
        with autograd.record():
            loss = chosen((w * 3).sum())
        loss.backward()
        return loss

    with pytest.raises(HybridizeError) as caught:
        hybridize(step)()
    assert caught.value.code == "E544" and caught.value.loc.file == __file__

    whole = hybridize(lambda: chosen((w * 3).sum()))
    with autograd.record(), pytest.raises(HybridizeError, match="E544"):
        whole()

    def recorded():
        with autograd.record():
            v = w if x.sum() > 0 else w * 0.5
            loss = (v * v).sum()
        loss.backward()
        return loss

    hybridize(recorded)()
    found = w.grad.asnumpy()
    recorded()
    numpy.testing.assert_allclose(found, w.grad.asnumpy())
