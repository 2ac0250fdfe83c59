# SPDX-License-Identifier: Apache-2.0
"""What is set for the time of a call and put back at its end is no effect; whatever else is written is one."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from hybridize import hybridize, load, np

X = np.array([1.0, 2.0])
DEPTH = 0
LOG = logging.getLogger(__name__)


class Kind:
    """Gives an attribute that its instances have not got themselves."""

    mode = "plain"


class Slotted:
    __slots__ = ("mode",)

    def __init__(self) -> None:
        self.mode: Any = "plain"


class Owner(Kind):
    def __init__(self) -> None:
        self.flag, self.held, self.number = False, None, 1.5
        self.parts: list[int] = []


def attribute(o: Any, x: Any) -> Any:
    o.flag = True
    y = x * 2 if o.flag else x
    o.flag = False
    return y


def around_an_exception(o: Any, x: Any) -> Any:
    before, o.held = o.held, {"x": x}
    try:
        return o.held["x"] + 1
    finally:
        o.held = before


def collected(o: Any, x: Any) -> Any:
    o.held = found = []
    o.held.append(x + 1)
    o.held.append(x + 2)
    o.held = None
    return found


def added_and_taken_away(o: Any, x: Any) -> Any:
    o.new = x
    y = o.new * 3
    del o.new
    return y


def set_once_to_what_it_is(o: Any, x: Any) -> Any:
    o.number = 1.5
    return x * o.number


def a_global(o: Any, x: Any) -> Any:
    global DEPTH
    DEPTH += 1
    y = x * DEPTH
    DEPTH -= 1
    return y


def a_slot(o: Any, x: Any) -> Any:
    one = SLOTTED
    one.mode = "other"
    y = x if one.mode == "plain" else -x
    one.mode = "plain"
    return y


SLOTTED = Slotted()
RESTORED = [
    attribute, around_an_exception, collected, added_and_taken_away, set_once_to_what_it_is, a_global, a_slot,
]  # fmt: skip


def over_a_closure() -> Any:
    depth = 0

    def inside(o: Any, x: Any) -> Any:
        nonlocal depth
        depth = 2
        y = x * depth
        depth = 0
        return y

    return inside


def told(o: Any) -> tuple[dict[str, Any], Any, int]:
    return {**vars(o), "parts": list(o.parts)}, SLOTTED.mode, DEPTH


@pytest.mark.parametrize("function", [*RESTORED, over_a_closure()], ids=lambda one: one.__name__)
def test_no_effect_is_left(function, tmp_path):
    owner, twin = Owner(), Owner()
    fast = hybridize(lambda x: function(owner, x))
    before = told(owner)
    for x in (X, X + 1, X + 2):
        wanted, found = function(twin, x), fast(x)
        assert np.array_equal(np.stack(found), np.stack(wanted)) if type(wanted) is list else (found == wanted).all()
        assert told(owner) == before
    (program,) = fast.programs()
    assert program.capture.effects == ()
    fast.save(tmp_path / "saved")
    assert repr(load(tmp_path / "saved")(X)) == repr(function(twin, X))


def test_a_place_that_holds_something_else_is_put_to_what_python_puts_it_to():
    owner, twin = Owner(), Owner()
    fast = hybridize(lambda x: attribute(owner, x))
    for flag in (False, True, False, True, True, False):
        owner.flag = twin.flag = flag
        assert (fast(X) == attribute(twin, X)).all()
        assert owner.flag is twin.flag is False
    assert len(fast.programs()) == 2


def a_class_gave_it(o: Any, x: Any) -> Any:
    o.mode = "other"
    o.mode = "plain"
    return x


def moved_behind(o: Any, x: Any) -> Any:
    del o.flag
    o.flag = False
    return x


def another_zero(o: Any, x: Any) -> Any:
    o.number = 1.5
    o.flag = 0
    return x


def left_otherwise(o: Any, x: Any) -> Any:
    o.flag = True
    o.flag = "set"
    return x


def by_the_dict_too(o: Any, x: Any) -> Any:
    o.flag = True
    vars(o)["flag"] = "by the dict"
    vars(o)["flag"] = "again"
    return x


def in_a_list(o: Any, x: Any) -> Any:
    o.flag = True
    o.parts.append(1)
    o.flag = False
    return x


@pytest.mark.parametrize(
    "function", [a_class_gave_it, moved_behind, another_zero, left_otherwise, by_the_dict_too, in_a_list]
)
def test_what_differs_is_written_at_each_call(function):
    owner, twin = Owner(), Owner()
    fast = hybridize(lambda x: function(owner, x))
    for _ in range(3):
        assert (fast(X) == function(twin, X)).all()
        assert repr(vars(owner)) == repr(vars(twin))
        for one in (owner, twin):
            vars(one).clear()
            one.__init__()


def test_a_handler_of_logs_sees_what_it_was_in_between():
    owner = Owner()
    heard = []

    class Hearing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append((owner.flag, record.getMessage()))

    @hybridize
    def fast(x):
        owner.flag = True
        LOG.warning("%s", x.sum())
        owner.flag = False
        return x

    handler = Hearing()
    LOG.addHandler(handler)
    try:
        for _ in range(3):
            fast(X)
            assert owner.flag is False
    finally:
        LOG.removeHandler(handler)
    assert heard == [(True, "3.0")] * 3
