# SPDX-License-Identifier: Apache-2.0
"""Parameters read from packed copies: never a stale value, whoever writes and however; memory shared and bounded."""

import gc
import signal
import threading

import numpy
import pytest

import hybridize
from hybridize.array import np, npx
from hybridize.base.modes import mode
from hybridize.capture.function import Function
from hybridize.compiler import default_target
from hybridize.gluon import nn
from hybridize.programs import packed
from hybridize.runtime import executable
from tests.platforms.marks import signals

ROWS, OUT, IN = 32, 48, 64
RNG = numpy.random.default_rng(1)


def whole(*shape):
    """Small whole numbers: products are exact, so results are compared bit by bit."""
    return RNG.integers(-3, 4, shape).astype("f4")


class Layer:
    """A dense layer as a hybridized function, and what it must give."""

    def __init__(self, **options):
        self.w, self.x = np.array(whole(OUT, IN)), np.array(whole(ROWS, IN))
        self.function = Function(
            lambda x: npx.fully_connected(x, self.w, None, num_hidden=OUT, no_bias=True), **options
        )
        self.check()

    def check(self, x=None):
        x = self.x if x is None else x
        numpy.testing.assert_array_equal(self.function(x).asnumpy(), x.asnumpy() @ self.w.asnumpy().T)

    @property
    def runs(self):
        return self.function.program(self.x)._runs


@pytest.fixture
def patient(monkeypatch):
    """Packing again is never too soon."""
    monkeypatch.setattr(packed, "PATIENCE", 0)


@pytest.fixture
def hasty(monkeypatch):
    """Packing again is always too soon."""
    monkeypatch.setattr(packed, "PATIENCE", float("inf"))


def test_calls_read_the_packed_copy():
    layer = Layer()
    assert layer.runs.memory.packed_bytes >= OUT * IN * 4
    hits = layer.function.cache_info().hits
    for _ in range(3):
        layer.check()
    assert layer.function.cache_info().hits == hits  # all by the emitted entry


def write_all(w):
    w[:] = 2


def write_element(w):
    w[3, 4] = 7


def write_through_a_view(w):
    w[2][5] = 8  # no value that `whole` draws


def write_through_a_reshaped_view(w):
    w.reshape(-1)[77] = 9


def write_through_a_transposed_view(w):
    w.T[1] = -1


def add_in_place(w):
    w += 1


def add_an_array_in_place(w):
    w *= np.array(whole(OUT, IN))


def use_out(w):
    np.add(w, np.ones((OUT, IN)), out=w)


def write_by_a_compiled_function(w):
    def double():
        w[:] = w * 2

    function = Function(double)
    function()
    function()


def write_as_an_argument_of_a_compiled_function(w):
    def clear(a):
        a[0] = 5

    Function(clear)(w)


WRITES = [
    write_all, write_element, write_through_a_view, write_through_a_reshaped_view, write_through_a_transposed_view,
    add_in_place, add_an_array_in_place, use_out, write_by_a_compiled_function,
    write_as_an_argument_of_a_compiled_function,
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_no_write_is_missed(patient, write):
    layer = Layer()
    before = layer.w.asnumpy().copy()
    write(layer.w)
    assert (layer.w.asnumpy() != before).any()
    layer.check()
    layer.w += 1
    layer.check()
    write(layer.w)
    layer.check()
    layer.check()
    assert layer.runs.memory.packed_bytes


def test_parameters_of_a_net(patient):
    net = nn.HybridSequential()
    net.add(nn.Dense(OUT, in_units=IN, activation="relu"), nn.Dense(40, in_units=OUT))
    net.initialize()
    net.hybridize()
    x = np.array(whole(ROWS, IN))

    def check():
        wanted = x.asnumpy()
        for number, block in enumerate((net[0], net[1])):
            wanted = wanted @ block.weight.data().asnumpy().T + block.bias.data().asnumpy()
            wanted = numpy.maximum(wanted, 0) if number == 0 else wanted
        numpy.testing.assert_array_equal(net(x).asnumpy(), wanted)

    for _ in range(3):
        for parameter in net.collect_params().values():
            parameter.set_data(whole(*parameter.shape))
        check()
        check()
        net[1].weight.data()[:] = 1
        check()
    net.initialize(force_reinit=True)
    net[1].bias.data()[:] = 1
    with mode(disabled=True):
        wanted = net(x).asnumpy()
    numpy.testing.assert_allclose(net(x).asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("late", [False, True])
def test_what_others_can_write_is_read_in_place(late):
    layer = Layer() if late else None
    if layer is None:
        buffer = whole(OUT, IN)
        layer = Layer.__new__(Layer)
        layer.w, layer.x = np.array(buffer, copy=False), np.array(whole(ROWS, IN))
        layer.function = Function(lambda x: npx.fully_connected(x, layer.w, None, num_hidden=OUT, no_bias=True))
    else:
        layer.check()
        buffer = numpy.asarray(layer.w)
    layer.check()
    assert layer.runs.memory.packed_bytes == 0
    for value in range(3):
        buffer[value] = value
        layer.check()
    hits = layer.function.cache_info().hits
    layer.check()
    assert layer.function.cache_info().hits == hits


def test_frequent_writes_are_read_in_place(hasty):
    layer = Layer()
    for value in range(packed.STRIKES + 2):
        layer.w[0] = value
        layer.check()
    assert layer.runs.memory.packed_bytes == 0
    hits = layer.function.cache_info().hits
    for value in range(3):
        layer.w[1] = value
        layer.check()
    assert layer.function.cache_info().hits == hits  # the entry in place needs no slow path


def test_writes_that_are_far_apart_are_not_held_against_it(patient):
    layer = Layer()
    for value in range(3 * packed.STRIKES):
        layer.w[0] = value
        layer.check()
    assert layer.runs.memory.packed_bytes


def test_programs_share_copies_and_free_them():
    gc.collect()
    before = packed.packed_bytes()
    layer = Layer()
    one = packed.packed_bytes() - before
    for rows in (16, 64):
        layer.check(np.array(whole(rows, IN)))
    assert packed.packed_bytes() - before == one == layer.runs.memory.packed_bytes
    layer.w[:] = 1
    for rows in (16, ROWS, 64):
        layer.check(np.array(whole(rows, IN)))
    layer.function.cache_clear()
    gc.collect()
    assert packed.packed_bytes() == before


def test_nets_of_one_structure_have_copies_of_their_own(patient):
    first, second = Layer(), Layer()
    assert first.runs.executable is second.runs.executable
    second.w[:] = 2
    first.check()
    second.check()
    first.w[:] = 1
    second.check()
    first.check()


def test_memory_of_copies_is_bounded(monkeypatch):
    gc.collect()
    monkeypatch.setattr(packed, "LIMIT_BYTES", packed.packed_bytes() + 10)
    layer = Layer()
    assert layer.runs.memory.packed_bytes == 0
    layer.w[:] = 1
    layer.check()


def test_one_row_reads_the_packed_copy_where_the_machine_is_faster_so():
    layer = Layer()
    x = np.array(whole(1, IN))
    layer.check(x)
    assert (layer.function.program(x).memory.packed_bytes > 0) == (default_target().packs_from == 1)


def test_frozen_parameters_are_the_users_word():
    layer = Layer(freeze=True)
    program = layer.function.program(layer.x)
    assert program.memory.packed_bytes == 0
    assert program._runs.executable.plan.derivations
    wanted = layer.function(layer.x).asnumpy()
    layer.w[:] = 0
    numpy.testing.assert_array_equal(layer.function(layer.x).asnumpy(), wanted)


def test_a_call_after_a_write_sees_it_whatever_other_threads_do(patient):
    """Every thread writes a row of its own, then calls: its own columns are the new ones."""
    layer = Layer()
    x = np.ones((ROWS, IN))
    layer.function(x)
    wrong = []

    def work(row):
        for value in range(150):
            layer.w[row] = value
            found = layer.function(x).asnumpy()[:, row]
            if (found != value * IN).any():
                wrong.append((row, value, found[0] / IN))
                return

    threads = [threading.Thread(target=work, args=(row,)) for row in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_readers_beside_a_writer_see_one_of_the_values(patient):
    layer = Layer()
    x = np.ones((ROWS, IN))
    stop = threading.Event()
    written = [0]
    wrong = []

    def read():
        while not stop.is_set():
            least = written[0]
            found = layer.function(x).asnumpy() / IN
            if found.min() < least:
                wrong.append((least, found.min()))

    layer.w[:] = 0
    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for value in range(1, 400):
        layer.w[:] = value
        written[0] = value
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_numpy_array_of_the_user_is_read_in_place():
    """Who writes it is not seen, wherever the function found it."""
    plain, kept = whole(OUT, IN), {"w": whole(OUT, IN), "list": [whole(OUT, IN)]}
    x = np.array(whole(ROWS, IN))
    functions = [
        lambda x: x @ np.array(plain).T,
        lambda x: npx.fully_connected(x, plain, None, num_hidden=OUT, no_bias=True),
        lambda x: x @ np.array(kept["w"]).T,
        lambda x: x @ np.array(kept["list"][0]).T,
    ]
    arrays = [plain, plain, kept["w"], kept["list"][0]]
    compiled = [Function(function) for function in functions]
    for step in range(4):
        for function, array in zip(compiled, arrays, strict=True):
            numpy.testing.assert_array_equal(function(x).asnumpy(), x.asnumpy() @ array.T, err_msg=f"{step}")
        for array in (plain, kept["w"], kept["list"][0]):
            array[step:] = whole(OUT - step, IN)


@signals
def test_a_signal_s_handler_may_call_the_program_that_it_interrupts():
    layer, calls = Layer(), []

    def handler(*_):
        layer.w[0] = layer.w[0] + 1  # the copies are brought up to date inside
        layer.check()
        calls.append(None)

    locks = [packed._lock, layer.runs._lock, *(copy._lock for copy in layer.runs._copies.all)]
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        for lock in locks:
            with lock:
                assert lock.acquire(blocking=False), "it would wait for itself"
                lock.release()
                signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(calls) == len(locks) > 2
    layer.check()


# ------------------------------------------------------------------------------- what does not lie row by row


def transposed(values):
    return np.array(values.T.copy()).T


def in_fortran_order(values):
    return np.array(numpy.asfortranarray(values))


def every_second_row(values):
    return np.array(numpy.repeat(values, 2, 0))[::2]


def every_third_column(values):
    return np.array(numpy.repeat(values, 3, 1))[:, ::3]


def backwards(values):
    return np.array(values[::-1, ::-1].copy())[::-1, ::-1]


def part_of_more(values):
    return np.array(numpy.pad(values, 5))[5:-5, 5:-5]


LAYOUTS = [transposed, in_fortran_order, every_second_row, every_third_column, backwards, part_of_more]
layouts = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
USES = {
    "product": lambda x, w: x @ w.T,
    "other product": lambda x, w: x @ np.reshape(w, (IN, OUT)),
    "sum": lambda x, w: x.sum() + w,
    "product and sum": lambda x, w: (x @ w.T).sum() + w.sum(0),
}


@pytest.fixture
def copied(monkeypatch):
    """The arrays that calls copied, and those that were copied once for a version."""
    calls, versions = [], []
    whole_ = executable.dense
    fill = packed.RowByRow._fill

    def dense(array):
        found = whole_(array)
        if found is not array:
            calls.append(array)
        return found

    def counted(copy):
        versions.append(copy)
        return fill(copy)

    monkeypatch.setattr(executable, "dense", dense)
    monkeypatch.setattr(packed.RowByRow, "_fill", counted)
    return calls, versions


class Odd:
    """A function that reads a weight which lies as `layout` makes it, and what it must give."""

    def __init__(self, layout, use="product", rows=ROWS):
        self.w, self.x, self.use = layout(whole(OUT, IN)), np.array(whole(rows, IN)), USES[use]
        assert not self.w._data.flags.c_contiguous
        self.function = Function(lambda x: self.use(x, self.w))
        self.check()

    def check(self, x=None):
        x = self.x if x is None else x
        wanted = self.use(x.asnumpy(), numpy.ascontiguousarray(self.w.asnumpy()))
        numpy.testing.assert_array_equal(self.function(x).asnumpy(), wanted)


@layouts
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("rows", [1, ROWS])
def test_a_weight_of_another_layout_is_copied_once_for_a_version(copied, layout, use, rows):
    calls, versions = copied
    odd = Odd(layout, use, rows)
    hits = odd.function.cache_info().hits
    for _ in range(4):
        odd.check()
    assert not calls
    assert len(versions) == 1
    assert odd.function.cache_info().hits == hits  # all by the emitted entry
    odd.w[3] = 7
    odd.check()
    odd.check()
    assert not calls
    assert len(versions) == 2


@layouts
@pytest.mark.parametrize(
    "write", [write for write in WRITES if write is not write_through_a_reshaped_view], ids=lambda write: write.__name__
)
def test_no_write_to_another_layout_is_missed(patient, layout, write):
    odd = Odd(layout)
    for _ in range(2):
        before = odd.w.asnumpy().copy()
        write(odd.w)
        assert (odd.w.asnumpy() != before).any()
        odd.check()
        odd.check()
        odd.w += 1
        odd.check()


def test_writes_through_the_base_of_a_view_are_seen(copied):
    calls, versions = copied
    base = np.array(whole(IN, 2 * OUT))
    views = [base.T[:OUT], base[:, OUT:].T, base.T[::2]]
    x = np.array(whole(ROWS, IN))
    functions = [Function(lambda x, w=w: x @ w.T) for w in views]
    for step in range(5):
        base[step] = step
        for _ in range(2):
            for function, w in zip(functions, views, strict=True):
                numpy.testing.assert_array_equal(function(x).asnumpy(), x.asnumpy() @ w.asnumpy().T)
    assert not calls
    assert len(versions) == 5 * len(views)


def test_frequent_writes_cost_a_copy_for_each(hasty, copied):
    """Packing again may not pay; to copy row by row is what each call would do."""
    calls, versions = copied
    odd = Odd(transposed)
    for value in range(2 * packed.STRIKES):
        odd.w[0] = value
        odd.check()
        odd.check()
    assert not calls
    assert len(versions) == 2 * packed.STRIKES + 1
    hits = odd.function.cache_info().hits
    odd.check()
    assert odd.function.cache_info().hits == hits


@pytest.mark.parametrize("late", [False, True])
@layouts
def test_another_layout_that_others_can_write_is_read_at_each_call(layout, late):
    odd = Odd(layout)
    if not late:
        odd.w = np.array(numpy.asarray(odd.w), copy=False)
    odd.check()
    buffer = numpy.asarray(odd.w)
    for value in range(3):
        buffer[value] = value
        odd.check()
        odd.check()


def test_a_constant_of_another_layout_and_one_axis(copied):
    calls, versions = copied
    bias = np.array(whole(2 * OUT))[::2]
    function = Function(lambda x: x + bias)
    x = np.array(whole(ROWS, OUT))
    for value in range(3):
        bias[1] = value
        for _ in range(3):
            numpy.testing.assert_array_equal(function(x).asnumpy(), x.asnumpy() + bias.asnumpy())
    assert not calls
    assert len(versions) == 3


def test_functions_share_a_copy_and_free_it():
    gc.collect()
    before = packed.packed_bytes()
    odd = Odd(transposed, "sum")
    other = Function(lambda x: x.sum() - odd.w)
    for rows in (1, 16, ROWS, 64):
        other(np.array(whole(rows, IN)))
    assert packed.packed_bytes() - before == OUT * IN * 4
    odd.function.cache_clear()
    other.cache_clear()
    gc.collect()
    assert packed.packed_bytes() == before


def test_copies_of_another_layout_are_bounded(monkeypatch):
    gc.collect()
    monkeypatch.setattr(packed, "LIMIT_BYTES", packed.packed_bytes() + 10)
    for use in USES:
        odd = Odd(transposed, use)
        odd.w[:] = 1
        odd.check()
        assert odd.function.program(odd.x).memory.packed_bytes == 0


@pytest.mark.parametrize("use", ["product", "sum"])
def test_another_layout_beside_a_writer_is_one_of_the_values(patient, use):
    """Decision 0035: whole, as it was before a write or after, and new once the write has returned."""
    odd = Odd(transposed, use)
    x = np.ones((ROWS, IN))
    scale = IN if use == "product" else 1
    offset = 0 if use == "product" else ROWS * IN
    stop, written, wrong = threading.Event(), [0], []

    def read():
        while not stop.is_set():
            least = written[0]
            found = (odd.function(x).asnumpy() - offset) / scale
            if found.min() < least or found.min() != found.max():
                wrong.append((least, found.min(), found.max()))

    odd.w[:] = 0
    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for value in range(1, 300):
        odd.w[:] = value
        written[0] = value
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_net_whose_weight_lies_otherwise_is_saved_and_loaded(tmp_path, copied):
    calls, _ = copied
    odd = Odd(transposed)
    odd.function.save(tmp_path / "odd.hybridize")
    loaded = hybridize.load(tmp_path / "odd.hybridize")
    odd.w[0] = 5  # the file has its own
    for _ in range(3):
        found = loaded(odd.x).asnumpy()
    odd.check()
    numpy.testing.assert_array_equal(found[:, 1:], odd.function(odd.x).asnumpy()[:, 1:])
    assert not calls
