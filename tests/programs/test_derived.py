# SPDX-License-Identifier: Apache-2.0
"""What a program computes of weights alone is computed once for each version of them: never stale, whoever writes."""

import gc
import threading

import numpy
import pytest

import hybridize
from hybridize import autograd, gluon, load
from hybridize.array import np, npx
from hybridize.capture.function import Function
from hybridize.gluon import nn
from hybridize.programs import packed
from hybridize.runtime.executable import Deriver

ROWS, OUT, IN = 16, 48, 64
RNG = numpy.random.default_rng(2)


def whole(*shape):
    """Small whole numbers: products are exact, so results are compared bit by bit."""
    return RNG.integers(-3, 4, shape).astype("f4")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """To derive again is never too soon."""
    monkeypatch.setattr(packed, "PATIENCE", 0)


@pytest.fixture
def derived(monkeypatch):
    """The operations of each constant that was derived, in order."""
    made = []
    fill = Deriver.fill

    def counted(deriver, *args):
        done = fill(deriver, *args)
        if done:
            made.append(deriver.ops)
        return done

    monkeypatch.setattr(Deriver, "fill", counted)
    return made


class Scaled:
    """x @ (g * v).T, and what it must give."""

    def __init__(self, **options):
        self.g, self.v, self.x = np.array(whole(OUT, 1)), np.array(whole(OUT, IN)), np.array(whole(ROWS, IN))
        self.function = Function(lambda x: x @ (self.g * self.v).T, **options)
        self.check()

    def check(self):
        wanted = self.x.asnumpy() @ (self.g.asnumpy() * self.v.asnumpy()).T
        numpy.testing.assert_array_equal(self.function(self.x).asnumpy(), wanted)

    @property
    def program(self):
        return self.function.program(self.x)


SCALED = ("broadcast", "mul")


def test_it_is_derived_once_and_calls_are_taken_by_the_entry(derived):
    one = Scaled()
    hits = one.function.cache_info().hits
    for _ in range(4):
        one.check()
    assert derived == [SCALED]
    assert one.function.cache_info().hits == hits
    assert [kernel.ops for kernel in one.program.kernels] == [("matmul",)]
    assert one.program.memory.packed_bytes >= OUT * IN * 4


def write_the_factor(one):
    one.g[3] = 2


def write_the_matrix(one):
    one.v *= 2


def write_both(one):
    one.g += 1
    one.v[5] = 1


def write_through_a_view(one):
    one.v.T[7] = -2


def write_by_a_compiled_function(one):
    def negate():
        one.g[:] = -one.g

    Function(negate)()


def replace(one):
    one.v = np.array(whole(OUT, IN))


CHANGES = [write_the_factor, write_the_matrix, write_both, write_through_a_view, write_by_a_compiled_function, replace]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_it_is_derived_again_once_for_each_version_of_any_source(derived, change):
    one = Scaled()
    for count in (2, 3):
        change(one)
        for _ in range(3):
            one.check()
        assert derived == [SCALED] * count


def test_sources_over_one_memory(derived):
    both = np.array(whole(OUT + 1, IN))
    x = np.array(whole(ROWS, IN))
    parts = [both[:OUT], both[1:]]
    function = Function(lambda x: x @ (parts[0] * parts[1]).T)

    def check():
        b = both.asnumpy()
        numpy.testing.assert_array_equal(function(x).asnumpy(), x.asnumpy() @ (b[:-1] * b[1:]).T)

    for value in range(3):
        both[value] = value
        check()
        check()
    assert derived == [("mul",)] * 3


def test_sources_that_lie_otherwise(derived):
    v, g = np.array(whole(IN, OUT)).T, np.array(whole(2 * OUT, 1))[::2]
    x = np.array(whole(ROWS, IN))
    function = Function(lambda x: x @ (g * v).T)
    for value in range(3):
        v[value] = value
        g[value] = -value
        for _ in range(2):
            wanted = x.asnumpy() @ (g.asnumpy() * v.asnumpy()).T
            numpy.testing.assert_array_equal(function(x).asnumpy(), wanted)
    assert derived == [SCALED] * 3


def test_programs_over_the_same_weights_share_it(derived):
    gc.collect()
    before = packed.packed_bytes()
    one = Scaled()
    bytes_of_one = packed.packed_bytes() - before
    other = Function(lambda x: npx.relu(x @ (one.g * one.v).T))
    other(one.x)
    assert derived == [SCALED]
    assert packed.packed_bytes() - before == bytes_of_one
    one.g[0] = 3
    one.check()
    wanted = numpy.maximum(one.function(one.x).asnumpy(), 0)
    numpy.testing.assert_array_equal(other(one.x).asnumpy(), wanted)
    assert derived == [SCALED] * 2
    one.function.cache_clear()
    other.cache_clear()
    gc.collect()
    assert packed.packed_bytes() == before


def test_weights_that_change_at_every_call_are_computed_with_by_calls(derived, monkeypatch):
    monkeypatch.setattr(packed, "PATIENCE", float("inf"))
    one = Scaled()
    for value in range(packed.STRIKES + 5):
        one.g[0] = value
        one.check()
    assert len(derived) == packed.STRIKES + 2  # of the first version, of that before which there was no time, too soon
    assert one.program.memory.packed_bytes == 0
    hits = one.function.cache_info().hits
    for value in range(3):
        one.g[1] = value
        one.check()
    assert one.function.cache_info().hits == hits


def test_what_others_write_is_computed_with_by_calls():
    one = Scaled()
    buffer = numpy.asarray(one.g)
    for value in range(3):
        buffer[:] = value
        one.check()
    assert one.program.memory.packed_bytes == 0


def test_memory_is_bounded(monkeypatch):
    gc.collect()
    monkeypatch.setattr(packed, "LIMIT_BYTES", packed.packed_bytes() + 10)
    assert Scaled().program.memory.packed_bytes == 0


def test_frozen_weights_are_the_users_word(derived):
    one = Scaled(freeze=True)
    wanted = one.function(one.x).asnumpy()
    one.g[:] = 0
    numpy.testing.assert_array_equal(one.function(one.x).asnumpy(), wanted)
    assert not derived


@pytest.mark.parametrize("images", [False, True])
def test_saved_and_loaded(tmp_path, derived, images):
    one = Scaled()
    fast = hybridize.hybridize(lambda x: x @ (one.g * one.v).T)
    wanted = fast(one.x).asnumpy()
    fast.save(tmp_path / "f")
    del derived[:]
    again = load(tmp_path / "f", images=images)
    for _ in range(3):
        numpy.testing.assert_array_equal(again(one.x).asnumpy(), wanted)
    assert derived == [SCALED]


def test_an_entry_waits_for_the_first_version(tmp_path, derived):
    """A loaded function has entries before its first call; copies that are not made yet are of no version."""
    one = Scaled()
    fast = hybridize.hybridize(lambda x: x @ (one.g * one.v).T)
    wanted = fast(one.x).asnumpy()
    fast.save(tmp_path / "f")
    del derived[:]
    program = load(tmp_path / "f").program(one.x)
    runs = program._runs
    entry = program.entry(lambda *_: "not taken")
    assert entry(one.x) == "not taken"
    numpy.testing.assert_array_equal(program(one.x).asnumpy(), wanted)
    numpy.testing.assert_array_equal(entry(one.x).asnumpy(), wanted)
    assert derived == [SCALED] and runs.memory.packed_bytes


def batch_norm_net():
    net = nn.HybridSequential()
    net.add(nn.Dense(OUT, in_units=IN), nn.BatchNorm(in_channels=OUT), nn.Dense(8, in_units=OUT))
    net.initialize()
    return net


def test_a_net_between_training_steps(derived):
    """Gamma over the deviation is one factor while the statistics stay, and never an old one."""
    net = batch_norm_net()
    net.hybridize()
    plain = batch_norm_net()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    x = np.array(RNG.standard_normal((ROWS, IN)).astype("f4"))
    for step in range(4):
        for mine, other in zip(net.collect_params().values(), plain.collect_params().values(), strict=True):
            other.set_data(mine.data())
        for _ in range(3):
            numpy.testing.assert_allclose(net(x).asnumpy(), plain(x).asnumpy(), rtol=1e-4, atol=1e-4)
        assert derived.count(("broadcast", "add", "rsqrt", "mul")) == step + 1
        with autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(1)


def test_a_training_step_derives_nothing(derived):
    net = nn.Dense(OUT, in_units=IN)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})

    @hybridize.hybridize
    def train(x):
        with autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(1)
        return loss

    x = np.array(whole(ROWS, IN))
    losses = [float(train(x)) for _ in range(6)]
    assert losses == sorted(losses, reverse=True)
    assert not derived


def test_a_call_after_a_write_sees_it_whatever_other_threads_do():
    """Every thread writes its own factor and its own row, then calls: its own column is the new one."""
    one = Scaled()
    one.g[:] = 1
    one.v[:] = 1
    x = np.ones((ROWS, IN))
    one.function(x)
    wrong = []

    def work(row):
        for value in range(1, 80):
            one.v[row] = value
            one.g[row] = value
            found = one.function(x).asnumpy()[:, row]
            if (found != value * value * IN).any():
                wrong.append((row, value, found[0] / IN))
                return

    threads = [threading.Thread(target=work, args=(row,)) for row in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_report_says_what_is_computed_once():
    text = str(Scaled().program.explain())
    assert "once 1 operation for each version of what they read: mul" in " ".join(text.split())
