# SPDX-License-Identifier: Apache-2.0
"""The emitted entry over small hand-written programs: checks, results, errors, life times, overhead."""

import gc
import sys
import threading
import time
import weakref
from array import array

import numpy as np
import pytest

from hybridize.base import modes
from hybridize.base.types import TensorType
from hybridize.codegen import runtimes
from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.runtime import cpython
from hybridize.runtime.entry import (
    FLOAT,
    INT,
    NULL,
    Argument,
    ArgumentKind,
    EntryTable,
    Look,
    Returns,
    Watch,
    Write,
    argument,
    items_watched,
    new_entry,
    state_offset,
)
from hybridize.runtime.exchange import ViewExchange, formats_of
from tests.platforms.pace import SLOWER

F3 = TensorType((2, 3), np.dtype(np.float32))


class Box:
    __slots__ = ("__weakref__", "_data", "_storage")
    __hybridize_slots__ = ("_data", "_storage")

    def __init__(self, data):
        self._data = data
        self._storage = None


# out[j][0] = (double or float) in[j][0] + 1 for f32; empty; scratch: fills and reads its block.
PROGRAMS = """
define void @empty(ptr %i, ptr %o, ptr %s) { ret void }
define void @plus(ptr %i, ptr %o, ptr %s) {
  %a = load ptr, ptr %i
  %b0 = getelementptr ptr, ptr %i, i64 1
  %b = load ptr, ptr %b0
  %c = load ptr, ptr %o
  br label %body
body:
  %k = phi i64 [ 0, %0 ], [ %n, %body ]
  %pa = getelementptr float, ptr %a, i64 %k
  %pb = getelementptr float, ptr %b, i64 %k
  %pc = getelementptr float, ptr %c, i64 %k
  %x = load float, ptr %pa, align 4
  %y = load float, ptr %pb, align 4
  %z = fadd float %x, %y
  store float %z, ptr %pc, align 4
  %n = add i64 %k, 1
  %more = icmp slt i64 %n, 6
  br i1 %more, label %body, label %end
end:
  ret void
}
define void @scalars(ptr %i, ptr %o, ptr %s) {
  %a = load ptr, ptr %i
  %b0 = getelementptr ptr, ptr %i, i64 1
  %b = load ptr, ptr %b0
  %c = load ptr, ptr %o
  %x = load double, ptr %a
  %y = load i64, ptr %b
  %f = sitofp i64 %y to double
  %z = fadd double %x, %f
  store double %z, ptr %c
  ret void
}
define void @count(ptr %i, ptr %o, ptr %s) {
  %a = load ptr, ptr %i
  %x = load i64, ptr %a
  %p = getelementptr i64, ptr %s, i64 40000
  store i64 %x, ptr %p
  %z = load i64, ptr %p
  %y = add i64 %z, 1
  %c = load ptr, ptr %o
  store i64 %x, ptr %c
  %d0 = getelementptr ptr, ptr %o, i64 1
  %d = load ptr, ptr %d0
  store i64 %y, ptr %d
  ret void
}
"""


@pytest.fixture(scope="module")
def code():
    return compile_module(runtimes.text("entry", table_offset=state_offset()), host_target())


@pytest.fixture(scope="module")
def programs():
    return compile_module(PROGRAMS, host_target())


@pytest.fixture
def make(code, programs):
    def build(name, arguments, bound=(), results=(F3,), fallback=lambda *a, **k: ("slow", a, k), **more):
        more.setdefault("array_type", Box)
        arguments = [argument(a) for a in arguments]
        state = EntryTable(programs.address(name), programs, arguments, bound, results, fallback, **more)
        return new_entry(code.address("hybridize_entry"), state)

    return build


def ones(shape=(2, 3), dtype=np.float32):
    return np.ones(shape, dtype)


def test_layout_is_known_here():
    assert cpython.supported()
    assert cpython.member_offset(Box, "_data") == 16
    assert cpython.member_offset(Box, "missing") is None


def test_computes_and_wraps(make):
    entry = make("plus", [F3, F3], returns=Returns.LEAF)
    x, y = Box(np.arange(6, dtype=np.float32).reshape(2, 3)), Box(ones())
    out = entry(x, y)
    assert type(out) is Box
    assert out._storage is None
    assert gc.is_tracked(out)
    np.testing.assert_array_equal(out._data, x._data + 1)
    assert weakref.ref(out)() is out


@pytest.mark.parametrize(
    "odd",
    [
        (lambda: (Box(ones((3, 2))), Box(ones()))),
        (lambda: (Box(ones((6,))), Box(ones()))),
        (lambda: (Box(ones(dtype=np.float64)), Box(ones()))),
        (lambda: (Box(np.ones((3, 2), np.float32).T), Box(ones()))),
        (lambda: (Box(ones((2, 6))[:, ::2]), Box(ones()))),
        (lambda: (ones(), Box(ones()))),
        (lambda: (Box(None), Box(ones()))),
        (lambda: (Box.__new__(Box), Box(ones()))),
        (lambda: (Box(ones()),)),
        (lambda: (Box(ones()), Box(ones()), Box(ones()))),
        (lambda: (Box(ones().view(np.recarray)), Box(ones()))),
        (lambda: (Box(np.frombuffer(b"x" * 25, np.uint8)[1:].view(np.float32).reshape(2, 3)), Box(ones()))),
    ],
)
def test_odd_arguments_go_to_python(make, odd):
    args = odd()
    entry = make("plus", [F3, F3])
    kind, given, names = entry(*args)
    assert kind == "slow"
    assert all(a is b for a, b in zip(given, args, strict=True))
    assert names == {}


def test_keywords_dirty_and_modes_go_to_python(make):
    entry = make("plus", [F3, F3])
    x = Box(ones())
    assert entry(x, y=x) == ("slow", (x,), {"y": x})
    assert type(entry(x, x)) is tuple
    entry.__self__.dirty[0] = 1
    assert entry(x, x)[0] == "slow"
    entry.__self__.dirty[0] = 0
    with modes.mode(training=True):
        assert entry(x, x)[0] == "slow"
    assert type(entry(x, x)[0]) is Box


def test_bound_inputs_and_structures(make):
    bound = ones() * 5
    x = Box(ones())
    for returns, kind in ((Returns.TUPLE, tuple), (Returns.LIST, list)):
        out = make("plus", [F3], [bound], returns=returns)(x)
        assert type(out) is kind
        assert out[0]._data[0, 0] == 6
    finish = make("plus", [F3], [bound], returns=Returns.FINISH, finish=lambda flat: {"y": flat[0]})(x)
    assert finish["y"]._data[1, 2] == 6
    assert make("empty", [F3], returns=Returns.NONE)(x) is None
    assert type(make("plus", [F3], [bound], array_type=None, returns=Returns.LEAF)(ones())) is np.ndarray


def test_scalars_and_guards(make):
    out = TensorType((), np.dtype(np.float64))
    marker = object()
    guard = Argument(ArgumentKind.SAME, value=marker)
    entry = make("scalars", [FLOAT, guard, INT], results=[out], returns=Returns.LEAF)
    assert entry(2.5, marker, -1)._data == 1.5
    assert entry(2.5, marker, 3)._data == 5.5
    for args in ((2, marker, 3), (2.5, None, 3), (2.5, marker, 3.0), (2.5, marker, True), (2.5, marker, 1 << 70)):
        assert entry(*args)[0] == "slow"


def test_writes_are_committed_and_announced(make):
    cell, told = np.zeros((), np.int64), []
    i64 = TensorType((), np.dtype(np.int64))
    entry = make(
        "count",
        [],
        [cell],
        results=[i64],
        returns=Returns.LEAF,
        writes=[Write(i64, cell)],
        committed=lambda: told.append(1),
        scratch_bytes=1 << 20,
    )
    assert [int(entry()._data) for _ in range(4)] == [0, 1, 2, 3]
    assert cell == 4
    assert len(told) == 4
    table = cpython.process_table()
    assert table[cpython.WORD["scratch"]] != 0
    assert table[cpython.WORD["scratch_bytes"]] >= 1 << 20


def test_exceptions_pass_through(make):
    def fail(*_):
        raise KeyError("from Python")

    entry = make("plus", [F3, F3], fallback=fail)
    with pytest.raises(KeyError, match="from Python"):
        entry()
    huge = TensorType((1 << 58,), np.dtype(np.float32))
    x = Box(ones())
    before = sys.getrefcount(x._data)
    with pytest.raises(MemoryError):
        make("empty", [F3], results=[F3, huge])(x)
    after = sys.getrefcount(x._data)
    assert after == before
    bad = make("plus", [F3, F3], returns=Returns.FINISH, finish=fail)
    with pytest.raises(KeyError):
        bad(x, x)
    big = make("empty", [], results=[F3], scratch_bytes=1 << 60)
    with pytest.raises(MemoryError):
        big()


@pytest.mark.parametrize("release", [False, True])
def test_references_and_memory_stay_flat(make, release):
    entry = make("plus", [F3, F3], returns=Returns.LEAF, release=release, scratch_bytes=1 << 16)
    x, y = Box(ones()), Box(ones())
    things = [x, y, x._data, y._data, Box, np.dtype(np.float32), None, entry.__self__]
    out = entry(x, y)
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(1000):
        out = entry(x, y)
        entry(x)
    box = Box(ones())
    counts = [sys.getrefcount(out), sys.getrefcount(out._data)]
    assert counts == [sys.getrefcount(box), sys.getrefcount(box._data)]
    after = [sys.getrefcount(thing) for thing in things]
    assert [b - a for a, b in zip(before, after, strict=True) if abs(b - a) > 20] == []


def test_threads_share_one_entry(make):
    entry = make("plus", [F3, F3], returns=Returns.LEAF, release=True, scratch_bytes=1 << 20)
    wrong = []

    def work(seed):
        x = Box(np.full((2, 3), seed, np.float32))
        wrong.extend(seed for _ in range(2000) if entry(x, x)._data[1, 2] != 2 * seed)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_cycle_through_the_fallback_is_collected(make):
    class Owner:
        def __call__(self, *args):
            return args

    owner = Owner()
    owner.entry = make("plus", [F3, F3], fallback=owner)
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_overhead(make, record_property):
    figures = {}
    for n in (1, 2, 4):
        entry = make("empty", [F3] * n, results=[F3], returns=Returns.LEAF)
        args = [Box(ones()) for _ in range(n)]
        figures[n] = min(_time(entry, args) for _ in range(7))
    print("entry overhead ns by number of arguments:", {n: round(1e9 * t) for n, t in figures.items()})
    # The aim is 300 ns; the bound is for a machine that does other things.
    assert max(figures.values()) < 1.5e-6 * SLOWER


def _time(entry, args, turns=20000):
    start = time.thread_time()
    for _ in range(turns):
        entry(*args)
    return (time.thread_time() - start) / turns


def test_containers_and_keywords_are_taken_apart(make):
    def array(value):
        return Box(np.full((2, 3), value, np.float32))

    inner = Argument(ArgumentKind.LIST, value=list, items=(argument(F3), Argument(ArgumentKind.SAME)))
    given = Argument(
        ArgumentKind.DICT, value=dict, items=(inner, Argument(ArgumentKind.SAME, value="mode")), keys=("a", 5)
    )
    entry = make("plus", [given, F3], keywords=("other",), returns=Returns.LEAF)
    x, y = array(1), array(2)
    for _ in range(3):
        np.testing.assert_array_equal(entry({"a": [x, None], 5: "mode"}, other=y)._data, x._data + y._data)
    odd = [
        (({5: "mode", "a": [x, None]},), {"other": y}), (({"a": [x], 5: "mode"},), {"other": y}),
        (({"a": (x, None), 5: "mode"},), {"other": y}), (({"a": [x, 1], 5: "mode"},), {"other": y}),
        (({"a": [x, None], 5: "mode", 6: None},), {"other": y}), (({"a": [x, None], 5: "mode"},), {"others": y}),
        (({"a": [x, None], 5: "mode"}, y), {}), (({"a": [x, None], 5: "mode"},), {}), ((None,), {"other": y}),
    ]  # fmt: skip
    for args, kwargs in odd:
        assert entry(*args, **kwargs) == ("slow", args, kwargs)


def test_inputs_are_numbered_in_the_order_of_reading(make):
    nested = Argument(
        ArgumentKind.TUPLE, value=tuple, items=(Argument(ArgumentKind.TUPLE, value=tuple, items=(FLOAT,)),)
    )
    out = TensorType((), np.dtype(np.float64))
    entry = make("scalars", [nested, INT], results=(out,), returns=Returns.LEAF)
    assert entry(((1.5,),), 3)._data == 4.5
    assert entry(((1.5, 2.0),), 3)[0] == "slow"


def test_what_a_container_holds_is_held_until_the_end(make):
    seen = []

    def finish(results, given):
        seen.append((results, given))
        return results[0]

    listed = Argument(ArgumentKind.LIST, value=list, items=(argument(F3), argument(F3)))
    entry = make("plus", [listed], returns=Returns.ATTACH, finish=finish)
    x, y = Box(ones()), Box(ones())
    before = sys.getrefcount(x._data)
    for _ in range(10):
        np.testing.assert_array_equal(entry([x, y])._data, 2)
    for _, (nothing, first, second) in seen:
        assert nothing is None
        assert (first is x._data, second is y._data) == (True, True)
    del first, second
    seen.clear()
    assert sys.getrefcount(x._data) < before + 5


def test_items_of_a_dict_are_looked_at_again_when_it_has_changed(make):
    world = {f"x{number}": object() for number in range(5)}
    then, asked = dict(world), []

    def doubt():
        asked.append(1)
        return all(world.get(key) == value for key, value in then.items()) and "absent" not in world

    watches = [Watch(Look.ITEM, world, key, value) for key, value in world.items()]
    watches.append(Watch(Look.ITEM, world, "absent", NULL))
    entry = make("plus", [F3, F3], returns=Returns.LEAF, watches=watches, doubt=doubt)
    x = Box(ones())

    def is_taken():
        found = {type(entry(x, x)) is Box for _ in range(3)}
        assert len(found) == 1
        return found.pop()

    assert is_taken()
    world["other"] = 1
    assert is_taken()
    assert not asked
    world["x3"] = None
    assert not is_taken()
    world["x3"] = then["x3"]
    assert is_taken()
    world["absent"] = 1
    assert not is_taken()
    del world["absent"]
    assert is_taken()
    del world["x0"]
    assert not is_taken()
    world.update(then)
    assert is_taken()
    count = len(asked)
    assert is_taken()
    assert len(asked) == count


def test_settings_and_attributes_are_for_the_fallback(make):
    class Owner:
        flag = True

    world, owner = {"disable": False}, Owner()
    watches = [Watch(Look.SETTING, world, "disable", False), Watch(Look.ATTRIBUTE, owner, "flag", True)]
    entry = make("plus", [F3, F3], watches=watches, doubt=lambda: True)
    x = Box(ones())
    assert type(entry(x, x)) is tuple
    assert type(entry(x, x)[0]) is Box
    world["disable"] = True
    assert entry(x, x)[0] == "slow"
    world["disable"] = False
    owner.flag = False
    assert entry(x, x)[0] == "slow"
    del Owner.flag, owner.flag
    assert entry(x, x)[0] == "slow"


# Arrays that show their memory by the buffer protocol


F6 = TensorType((6,), np.dtype(np.float32))


class Capsule:
    """What `numpy.from_dlpack` asks for the capsule."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **_):
        return self._capsule

    def __dlpack_device__(self):
        return 1, 0


def taken(capsule, factor, word):
    assert (factor, word) == (2, "word")
    return np.from_dlpack(Capsule(capsule))


def library(maker=taken):
    return ViewExchange(array, maker, (2, "word"), {np.dtype(np.float32): "f"})


def floats(*values):
    return array("f", values or range(6))


def test_views_in_and_arrays_of_capsules_out(make):
    entry = make("plus", [F6, F6], results=[F6], returns=Returns.LEAF, array_type=None, exchange=library())
    x, y = floats(), floats(*[1] * 6)
    results = [entry(x, y) for _ in range(20)]
    assert all(list(one) == [1, 2, 3, 4, 5, 6] and one.ctypes.data % 64 == 0 for one in results)
    assert list(entry(x, x)) == [0, 2, 4, 6, 8, 10]
    del entry
    gc.collect()
    assert all(list(one) == [1, 2, 3, 4, 5, 6] for one in results)
    assert len({one.ctypes.data for one in results}) == 20
    x.append(1.0)  # nobody holds a view of it


@pytest.mark.parametrize(
    "odd",
    [array("d", range(6)), array("i", range(6)), floats(1, 2, 3), floats(*range(7)), array("f"), np.ones(6, "f"), None],
    ids=["double", "int", "short", "long", "empty", "another class", "None"],
)
@pytest.mark.parametrize("first", [True, False])
def test_views_of_another_kind_go_to_python_and_are_let_go(make, odd, first):
    entry = make("plus", [F6, F6], results=[F6], array_type=None, exchange=library())
    x = floats()
    before = sys.getrefcount(x), odd is None or sys.getrefcount(odd)  # everybody has None
    kind, args, _ = entry(*((odd, x) if first else (x, odd)))
    assert kind == "slow" and {id(one) for one in args} == {id(odd), id(x)}
    del args
    assert (sys.getrefcount(x), odd is None or sys.getrefcount(odd)) == before
    x.append(1.0)


def test_a_function_that_makes_no_array_raises_and_what_takes_no_capsule_frees_nothing_twice(make):
    def refusing(capsule, *_):
        raise ValueError("no")

    more = {"results": [F6], "returns": Returns.LEAF, "array_type": None}
    x = floats()
    entry = make("plus", [F6, F6], exchange=library(refusing), **more)
    for _ in range(50):
        with pytest.raises(ValueError, match="no"):
            entry(x, x)
    copying = make("plus", [F6, F6], exchange=library(lambda capsule, *_: "copied"), **more)
    assert {copying(x, x) for _ in range(50)} == {"copied"}
    x.append(1.0)


def test_flags_are_looked_at_again_once_views_are_there(make):
    class Waiting(array):
        """Lets other code run while its memory is asked for."""

    entry = make(
        "plus", [F6, F6], results=[F6], returns=Returns.LEAF, array_type=None,
        exchange=ViewExchange(Waiting, taken, (2, "word"), {np.dtype(np.float32): "f"}, "odd"),
    )  # fmt: skip
    flagged = make(
        "plus", [Argument(ArgumentKind.ARRAY, F6, flag=True), argument(F6)], results=[F6], returns=Returns.LEAF,
        array_type=None, exchange=ViewExchange(Waiting, taken, (2, "word"), {np.dtype(np.float32): "f"}, "odd"),
    )  # fmt: skip
    x = Waiting("f", range(6))
    assert list(entry(x, x)) == [0, 2, 4, 6, 8, 10]
    Waiting.odd = property(lambda self: flagged.__self__.dirty.__setitem__(0, 1) is None)
    assert flagged(x, x)[0] == "slow"  # the attribute was right, and the program was not any more
    flagged.__self__.dirty[0] = 0
    Waiting.odd = False
    assert flagged(x, x)[0] == "slow"
    Waiting.odd = True
    assert list(flagged(x, x)) == [0, 2, 4, 6, 8, 10]
    x.append(1.0)


def test_items_of_containers_in_another_order_of_reading(make):
    items = (argument(F6), argument(F6))
    layout = Argument(ArgumentKind.DICT, value=dict, items=items, keys=("b", "a"), order=(1, 0))
    entry = make(
        "plus", [layout, argument(F6)], results=[F6], returns=Returns.LEAF, array_type=None, exchange=library()
    )
    a, b = floats(), floats(*[10] * 6)
    assert list(entry({"b": b, "a": a}, floats())) == [10, 11, 12, 13, 14, 15]
    kind, *_ = entry({"a": a, "b": b}, floats())
    assert kind == "slow"


def test_lists_and_words_that_guards_compare(make):
    items = [object(), 1, "x"]
    entry = make("empty", [], results=[], returns=Returns.NONE, watches=items_watched(items))
    assert entry() is None
    first, items[0] = items[0], 2
    assert entry()[0] == "slow"
    items[0] = first
    assert entry() is None
    items.append(3)
    assert entry()[0] == "slow"
    items.pop()
    items.extend(range(100))
    del items[3:]
    assert entry() in (None, ("slow", (), {}))  # it may lie elsewhere now


def test_formats_are_those_of_memory_that_can_be_taken():
    known = formats_of([np.ones(1, "f4"), np.ones(1, "i8"), np.ones((4, 4), "f8")[:, ::2], "no array"])
    assert known == {np.dtype("f4"): "f", np.dtype("i8"): "l"}
