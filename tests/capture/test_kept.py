"""Arrays that a compiled function keeps outside are the very arrays, and views of them, that it keeps imperatively."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from hybridize import autograd, hybridize, np
from hybridize.errors import CaptureError


class Holder:
    """Keeps things as attributes."""

    first: Any = None
    second: Any = None


def _both(make: Any, look: Any) -> None:
    """`make(keep)` gives a function; `look(keep)` writes through what it kept, and says what is there."""
    found = []
    for wrap in (lambda f: f, hybridize):
        keep: dict[str, Any] = {
            "rows": [np.arange(6.0, dtype="float64").reshape(2, 3), np.ones((3,), dtype="float64")],
            "numpy": numpy.arange(4.0), "holder": Holder(),
        }  # fmt: skip
        function = wrap(make(keep))
        seen = []
        for _ in range(3):
            result = function()
            seen.append([None if result is None else numpy.asarray(result).tolist(), look(keep)])
        found.append(seen)
    assert found[0] == found[1]


def _values(keep: dict[str, Any]) -> list[Any]:
    holder = keep["holder"]
    every = [*keep["rows"], keep["numpy"], keep.get("kept"), keep.get("other"), holder.first, holder.second]
    return [None if x is None else [type(x).__name__, numpy.asarray(x).tolist()] for x in every]


def _write_through(name: str) -> Any:
    def look(keep: dict[str, Any]) -> list[Any]:
        before = _values(keep)
        kept = keep[name] if name in keep else getattr(keep["holder"], name)
        kept[...] = kept * 2 + 1
        return [before, _values(keep)]

    return look


def test_a_view_of_an_array_from_outside():
    def make(keep):
        def function():
            keep["kept"] = keep["rows"][0][1]
            keep["holder"].first = keep["rows"][0].T[::-1]

        return function

    _both(make, _write_through("kept"))
    _both(make, _write_through("first"))


def test_arrays_of_numpy_stay_what_they_are():
    def make(keep):
        def function():
            keep["kept"] = keep["numpy"]
            keep["other"] = keep["numpy"][1:3]

        return function

    _both(make, _write_through("kept"))
    _both(make, _write_through("other"))
    _both(make, lambda keep: keep["kept"] is keep["numpy"])


def test_views_of_one_new_array_share_it_with_each_other_and_with_the_result():
    def make(keep):
        def function():
            new = keep["rows"][0] * 2
            keep["kept"], keep["other"] = new, new[0]
            keep["holder"].first = new
            return new[:, 1]

        return function

    _both(make, _write_through("kept"))
    _both(make, _write_through("other"))
    _both(make, lambda keep: keep["kept"] is keep["holder"].first)


def test_what_is_written_before_and_after_it_is_kept():
    def make(keep):
        def function():
            new = keep["rows"][0] + 1
            keep["kept"] = new[0]
            new[0, 0] = 7.0
            keep["rows"][1][...] = new[1]
            keep["other"] = keep["rows"][1][1:]
            keep["rows"][1] *= 2
            return new

        return function

    _both(make, _write_through("kept"))
    _both(make, _write_through("other"))


def test_arguments_and_views_of_them_are_kept_for_every_size():
    kept: dict[str, Any] = {}

    def function(x):
        kept["whole"], kept["part"] = x, x[1:]
        return x.sum()

    fast = hybridize(function)
    for size in (3, 4, 5, 6):
        x = np.ones((size,))
        assert float(fast(x)) == size
        assert kept["whole"] is x and kept["part"].shape == (size - 1,)
        kept["part"][...] = 5
        assert float(x.sum()) == 1 + 5 * (size - 1)
    n = numpy.ones(3, "float32")
    fast(n)
    kept["part"][...] = 2
    assert n.tolist() == [1, 2, 2]


def test_gradients_and_losses_that_a_step_keeps():
    w = np.array([1.0, 2.0], dtype="float64")
    w.attach_grad()
    history: list[Any] = []
    kept: dict[str, Any] = {}

    def step(x):
        with autograd.record():
            loss = (w * w * x).sum()
        loss.backward()
        kept["grad"], kept["first"] = w.grad, w.grad[:1]
        history.append(loss)
        w[...] -= 0.1 * w.grad
        return loss

    fast = hybridize(step)
    losses = [fast(np.ones((2,), dtype="float64")) for _ in range(3)]
    assert kept["grad"] is w.grad
    kept["first"][...] = 9.0
    assert w.grad.asnumpy()[0] == 9.0
    assert all(a is b for a, b in zip(history, losses, strict=True)) and len({float(x) for x in losses}) == 3


def test_a_view_whose_index_only_the_program_knows_is_refused():
    kept: dict[str, Any] = {}
    rows = np.ones((3, 2))

    def function(n):
        i = 0
        while (rows[i] * n).sum() > 5:
            i += 1
        kept["row"] = rows[i]
        return n

    with pytest.raises(CaptureError):
        hybridize(function)(np.array(1.0))


def test_containers_of_the_result_hold_views_for_any_size():
    @hybridize(dynamic=True)
    def function(x):
        y = x * 2
        both = [y, y.reshape(2, -1)]
        return both, {"again": both}

    for size in (4, 6, 8):
        both, table = function(np.ones((size,)))
        assert table["again"] is both
        y, view = both
        y[0] = 5
        assert view.shape == (2, size // 2)
        assert float(view[0, 0]) == 5


@pytest.mark.parametrize("written", ["whole", "part"])
def test_memory_that_is_written_and_read_in_two_ways_is_refused_however_many_arrays_there_are(written):
    whole, others = numpy.zeros(100), [numpy.zeros(3) for _ in range(20)]
    arrays = {"whole": whole, "part": whole[50:60], "apart": numpy.zeros(5)}

    def function(x):
        for other in others:
            other[:] = other + x
        arrays[written][:] = arrays[written] + x
        return arrays["whole"].sum() + arrays["part"].sum()

    with pytest.raises(CaptureError, match="another view of the same memory"):
        hybridize(function)(np.array([1.0], dtype="float64"))
    arrays["part"] = numpy.zeros(10)  # as nothing else: these may stand side by side
    for wrap in (hybridize, lambda f: f):
        wrap(function)(np.array([1.0], dtype="float64"))
    assert all((other == 2).all() for other in others)
