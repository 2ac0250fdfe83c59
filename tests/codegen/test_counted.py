"""The last turn of a loop over a size that is not known: what is known after it."""

from hybridize.base.dims import SizeScope
from hybridize.base.dtypes import float32, int64
from hybridize.codegen.llvm.engine import named_target
from hybridize.codegen.llvm.nests.counted import counted_lanes
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.positions import Array
from hybridize.codegen.llvm.text import Function, Module
from hybridize.loops.expr import Axis, CallExpr, Const, Load
from hybridize.schedule.kernel import Lanes

LANES = Lanes((16,), 16, always=True)
AXIS = Axis(int64, 0)
X, Y = (Load(float32, number, (AXIS,)) for number in (0, 1))
TWICE = CallExpr(float32, "add", (X, X))


def elements(size):
    """A function over two arrays of so many elements."""
    f = Function(Module(), "f", [("ptr", "b0"), ("ptr", "b1")])
    arrays = {0: Array("%b0", float32), 1: Array("%b1", float32, written=True)}
    return Elements(f, named_target("avx512"), arrays, {0: size})


def unknown(low=2):
    scope = SizeScope()
    size = scope.symbol(9, low=low)
    scope.capturing = False
    return size


def loop(e, size, body):
    """Run `body` over the axis; a later loop is another scope."""
    counted_lanes(e, 0, (0, size), LANES, body)


def masked(e):
    """How often the function loads under a mask."""
    return e.f.text().count("call <16 x float> @llvm.masked.load")


def test_what_the_last_turn_stored_is_not_read_again():
    size = unknown()
    e = elements(size)
    loop(e, size, lambda: e.store(1, AXIS, TWICE))
    assert masked(e) == 1  # X
    seen = []
    loop(e, size, lambda: seen.append(e.value(Y)))
    assert masked(e) == 1
    assert len(seen) == 2  # whole vectors, and the last


def test_it_is_read_again_once_something_else_was_stored():
    size = unknown()
    e = elements(size)
    loop(e, size, lambda: e.store(1, AXIS, TWICE))
    e.store(1, Const(int64, 0), Const(float32, 1.0))
    loop(e, size, lambda: e.value(Y))
    assert masked(e) == 2


def test_a_loop_around_knows_nothing_of_the_turn_before():
    size = unknown()
    e = elements(size)
    loop(e, size, lambda: e.store(1, AXIS, TWICE))
    with e.f.loop(0, 3), e.scope():
        loop(e, size, lambda: e.value(Y))
    assert masked(e) == 2
