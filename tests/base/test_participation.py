"""How a class takes part in captured calls, as it declares it: a class of the user's may do what ours do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hybridize import hybridize, np
from hybridize.array.storage import Storage
from hybridize.base.participation import (
    Everything,
    ReadPolicy,
    WritePolicy,
    fed_of,
    outside_of,
    outside_only,
    read_of,
    watches_of,
    write_of,
)
from hybridize.errors import CaptureError
from hybridize.gluon import nn
from tests.refusals import refusal


class Plain:
    """Declares nothing."""


class Clock:
    """Ticks outside; `time` is read when its turn comes."""

    __hybridize_fed__ = {"time": float, "zone": None}

    def __init__(self) -> None:
        self.time = 1.0
        self.zone = "UTC"


class Late(Clock):
    """Inherits what a clock declares."""


class Told:
    """Tells when an attribute is replaced."""

    def __init__(self, k: float) -> None:
        self.storage = Storage()
        self.k = k

    def __hybridize_watch__(self, name: str | Everything) -> tuple[Storage, ...]:
        return (self.storage,)


class Source:
    """Gives other data at each call."""

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __getitem__(self, index: int) -> float:
        return 1.0


class Files:
    """Writes files."""

    @outside_only("writes a file", help="keep what it returns")
    def write(self, path: str) -> None:
        raise AssertionError("never called")

    @outside_only("writes again", when="force")
    def maybe(self, force: bool = False) -> float:
        return 2.0


class Derived(Files):
    """Writes nothing itself."""

    def write(self, path: str) -> None:
        self.path = path


class Calling(Files):
    """Goes on to what writes files."""

    def write(self, path: str) -> None:
        super().write(path)


FILES = Files()


def test_a_class_that_declares_nothing_is_guarded_by_its_content_and_written_after_the_program():
    assert read_of(Plain) is ReadPolicy.CONTENT and write_of(Plain) is WritePolicy.EFFECT
    assert fed_of(Plain) == {} and watches_of(Plain(), "x") == () and outside_of(Plain) is None


def test_declarations_are_inherited():
    assert fed_of(Late) == Clock.__hybridize_fed__
    assert outside_of(Derived().write) is outside_of(Files.write) is not None
    assert read_of(type("Layer", (nn.Dense,), {})) is ReadPolicy.IDENTITY


@pytest.mark.parametrize("kind", [Clock, Late])
def test_what_is_fed_compiles_nothing_again(kind):
    clock = kind()
    f = hybridize(lambda x: x * clock.time)
    for time in (1.0, 2.0, 3.0):
        clock.time = time
        assert float(f(np.ones(1))) == time
    assert f.cache_info().captures == 1


def test_what_is_fed_and_no_number_is_refused():
    clock = Clock()
    with refusal(CaptureError, "zone") as caught:
        hybridize(lambda x: x if clock.zone == "UTC" else -x)(np.ones(1))
    assert caught.value.code == "E407" and caught.value.loc.file == __file__


def test_who_tells_is_not_looked_at():
    told = Told(2.0)
    f = hybridize(lambda x: x * told.k)
    assert float(f(np.ones(1))) == 2
    told.k = 3.0
    assert float(f(np.ones(1))) == 2, "nobody has told"
    told.storage.touch()
    assert float(f(np.ones(1))) == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda x: FILES.write("f") or x,
        lambda x: Files.write(FILES, "f") or x,
        lambda x: [*map(FILES.write, ["f"])] and x,
        lambda x: x * FILES.maybe(force=True),
        lambda x: Calling().write("f") or x,
    ],
    ids=["method", "function", "map", "argument", "super"],
)
def test_functions_for_outside_are_refused_with_their_reason(call):
    with pytest.raises(CaptureError, match="it writes") as caught:
        hybridize(call)(np.ones(1))
    assert caught.value.code == "E407" and caught.value.loc.file == __file__


def test_what_overrides_them_is_judged_by_what_it_does():
    derived = Derived()
    assert float(hybridize(lambda x: derived.write("f") or x * FILES.maybe())(np.ones(1))) == 2
    assert derived.path == "f"


def test_functions_may_be_for_outside_by_an_argument():
    declared = outside_of(Files.maybe)
    assert declared.holds(Files.maybe, (Files(),), {"force": True}) and declared.holds(Files.maybe, (Files(), 1), {})
    assert not declared.holds(Files.maybe, (Files(),), {}) and not declared.holds(Files.maybe, (), {"other": 1})


def test_a_block_tells_of_one_attribute_and_of_the_whole() -> None:
    class Net(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.k, self.inner = 1.0, nn.Dense(2)

    net = Net()
    (of_k,), whole = watches_of(net, "k"), watches_of(net, Everything.EVERYTHING)

    def touched(change: Callable[[], object]) -> list[bool]:
        before = [one.version for one in (of_k, *whole)]
        change()
        return [one.version != then for one, then in zip((of_k, *whole), before, strict=True)]

    assert touched(lambda: setattr(net, "k", 2.0)) == [True, False, False]
    assert touched(lambda: setattr(net, "inner", nn.Dense(3))) == [False, True, False]
    assert len(watches_of(net, Everything.EVERYTHING)) == 2
    assert touched(lambda: setattr(net, "k", 2.0)) == [False, False, False]
