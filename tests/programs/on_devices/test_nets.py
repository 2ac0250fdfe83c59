"""Nets whose parameters are on a device: results, constants that are derived, reports, files, checks."""

import contextlib
import re

import numpy
import pytest

from hybridize import autograd, cpu, gluon, gpu, hybridize, load, np
from hybridize.errors import VerificationError
from hybridize.gluon import nn
from tests.refusals import refusal


def dense(*, norm=False):
    net = nn.HybridSequential()
    net.add(nn.Dense(6, activation="relu"))
    if norm:
        net.add(nn.BatchNorm())
    net.add(nn.Dense(3))
    net.initialize()
    return net


def numbers(*shape, seed=0):
    return np.array(numpy.random.default_rng(seed).standard_normal(shape), dtype="float32")


@pytest.fixture
def net():
    """A net on the device, an argument there, and what the CPU gives for it."""
    net, x = dense(), numbers(5, 4)
    expected = net(x).asnumpy()
    net.reset_ctx(gpu(0))
    net.hybridize()
    return net, x.as_in_ctx(gpu(0)), expected


def test_a_net_gives_its_results_on_its_device(net):
    net, x, expected = net
    for _ in range(3):
        y = net(x)
        assert y.device == gpu(0)
        numpy.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.long
def test_a_net_moves_between_memories(net):
    net, x, expected = net
    net(x)
    net.reset_ctx(cpu())
    y = net(x.as_in_ctx(cpu()))
    assert y.device == cpu(0)
    net.reset_ctx(gpu(1))
    assert net(x.as_in_ctx(gpu(1))).device == gpu(1)
    numpy.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_derived_constants_are_made_on_the_device_and_follow_what_they_are_made_of(monkeypatch):
    weight = numbers(40, 30).as_in_ctx(gpu(0))
    f = hybridize(lambda x: x @ np.exp(weight / 2))
    x = numbers(16, 40)
    there = x.as_in_ctx(gpu(0))
    program = f.program(there)
    code = program._runs.code
    (deriver,) = code.derivers
    assert program.memory.packed_bytes == deriver.nbytes == 4800
    made, original = [], deriver.made
    monkeypatch.setattr(deriver, "made", lambda arrays: made.append(1) or original(arrays))
    for number in range(3):
        for _ in range(2):
            expected = x.asnumpy() @ numpy.exp(weight.asnumpy() / 2)
            numpy.testing.assert_allclose(f(there).asnumpy(), expected, rtol=1e-4, atol=1e-5)
        assert len(made) == number + 1
        weight[number] = 0.25
    g = hybridize(lambda x: x @ np.exp(weight / 2))
    assert g.program(there)._runs.derived[0] is program._runs.derived[0]


def test_a_report_names_the_device_and_its_kernels(net):
    net, x, _ = net
    net(x)
    program = net.program(x)
    report = program.explain()
    assert report.target == "gpu(0), sm_80"
    assert all(re.fullmatch(r"\d+×\d+", one.layout[-1]) for one in report.kernels)
    assert "for gpu(0), sm_80" in str(report) and re.search(r"(loops|contraction) .*1×\d+", str(report))
    assert report.memory.outputs == 5 * 3 * 4 and program.memory.peak_bytes == report.memory.scratch + 60
    assert re.search(r"1 block of \d+ threads", program.schedule()) and program.fallbacks == ()
    assert any("not timed" in note for note in program.explain(profile=True).notes)


def test_a_summary_is_that_of_the_cpu(net, capsys):
    net, x, _ = net
    net.summary(x)
    there = capsys.readouterr().out
    net.reset_ctx(cpu())
    net.summary(x.as_in_ctx(cpu()))
    assert there == capsys.readouterr().out and "Total params: 51" in there


@pytest.mark.parametrize("rows", [(5,), (5, 2)])
def test_a_model_in_mxnet_s_format_is_that_of_the_host(rows, tmp_path):
    net = dense()
    net.hybridize()
    for device in (gpu(0), cpu()):
        net.reset_ctx(device)
        for number in rows:
            net(np.ones((number, 4), ctx=device))
        net.export(tmp_path / device.device_type)
    for suffix in ("-symbol.json", "-0000.params"):
        there, here = ((tmp_path / f"{kind}{suffix}").read_bytes() for kind in ("gpu", "cpu"))
        assert there == here


@pytest.mark.long
def test_files_are_those_of_the_host(net, tmp_path):
    net, x, expected = net
    net(x)
    net.export(tmp_path / "net")
    net.save_parameters(tmp_path / "weights")
    again = gluon.SymbolBlock.imports(tmp_path / "net-symbol.json", ["data"], tmp_path / "net-0000.params")
    host = x.as_in_ctx(cpu())
    numpy.testing.assert_allclose(again(host).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    other = dense()
    other.initialize(ctx=gpu(0), force_reinit=True)
    other.load_parameters(tmp_path / "weights", ctx=gpu(0))
    assert other(x).device == gpu(0)
    numpy.testing.assert_allclose(other(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.long
def test_a_saved_function_has_the_weights_of_the_device(tmp_path):
    weight = np.array([1.0, 2, 3], ctx=gpu(0))
    f = hybridize(lambda x: x * weight)
    f(np.ones(3, ctx=gpu(0)))
    f.save(tmp_path / "f")
    assert load(tmp_path / "f")(np.ones(3)).asnumpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize("verify", ["outputs", "ops"])
def test_results_are_compared_with_numpy_s(verify, monkeypatch):
    f = hybridize(lambda x: np.exp(x) @ x.T, verify=verify)
    x = numbers(3, 2).as_in_ctx(gpu(0))
    for _ in range(2):
        assert f(x).device == gpu(0)
    code = f.programs()[0]._runs._compiled.code
    right = code.run

    def wrong(*args):
        (y,) = right(*args)
        y[0] = numpy.float32(7)
        return [y]

    monkeypatch.setattr(code, "run", wrong)
    with refusal(VerificationError, "E801: output 0 of the compiled program differs"):
        f(x)


def test_the_numpy_backend_computes_at_the_host_and_gives_results_on_the_device():
    f = hybridize(lambda x: np.exp(x) @ x.T, backend="numpy")
    x = numbers(3, 2)
    y = f(x.as_in_ctx(gpu(0)))
    assert y.device == gpu(0) and y.asnumpy().tobytes() == f(x).asnumpy().tobytes()


class Positions(nn.HybridBlock):
    """Adds an array that is at the host, as PositionalEncoding of the book does."""

    def __init__(self):
        super().__init__()
        self.P = numbers(1, 10, 4)
        self.dense = nn.Dense(3, flatten=False)

    def forward(self, x):
        return self.dense(x + self.P[:, : x.shape[1], :].as_in_ctx(x.ctx))


def test_what_is_at_the_host_comes_with_each_call():
    net = Positions()
    net.initialize(ctx=gpu(0))
    x = np.ones((2, 5, 4), ctx=gpu(0))
    for _ in range(2):
        net.hybridize(active=False)
        expected = net(x).asnumpy()
        net.hybridize()
        for _ in range(3):
            y = net(x)
            assert y.device == gpu(0)
            numpy.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-6, atol=1e-6)
        net.P[...] = 0


@pytest.mark.parametrize("recording", [False, True])
def test_what_is_at_the_host_is_copied_again_where_it_was_written(recording, sent_bytes):
    net = Positions()
    net.P = numbers(1, 40, 4)
    net.initialize(ctx=gpu(0))
    net.hybridize()
    x = np.ones((2, 5, 4), ctx=gpu(0))
    nbytes = net.P.asnumpy().nbytes

    def called():
        sent_bytes.clear()
        with autograd.record() if recording else contextlib.nullcontext():
            y = net(x)
        expected = (x + net.P[:, :5].as_in_ctx(gpu(0))) @ net.dense.weight.data().T
        numpy.testing.assert_allclose(y.asnumpy(), expected.asnumpy(), 1e-5, 1e-6)
        return sent_bytes.count(nbytes)

    assert called() == 1
    assert [called() for _ in range(3)] == [0, 0, 0]
    net.P[0, 1] = 7
    assert [called() for _ in range(3)] == [1, 0, 0]
    net.P = numbers(1, 40, 4, seed=5)
    assert sum(called() for _ in range(3)) <= 2
    seen = numpy.asarray(net.P)  # by which it can be written unseen
    for number in range(3):
        seen[:] = number
        called()


def test_arguments_at_the_host_are_copied_where_a_function_says_so():
    f = hybridize(lambda x: (x.as_in_ctx(gpu(0)) * 2, x * 3))
    there, here = f(np.ones(3))
    assert (there.device, here.device) == (gpu(0), cpu(0))
    assert (there.asnumpy().tolist(), here.asnumpy().tolist()) == ([2, 2, 2], [3, 3, 3])


def test_gradients_of_what_is_at_the_host_are_there():
    f = hybridize(lambda x: (x.as_in_ctx(gpu(0)) * x.as_in_ctx(gpu(0)) * 3).sum())
    x = np.array([1.0, 2.0, 3.0])
    x.attach_grad()
    for _ in range(3):
        with autograd.record():
            y = f(x)
        y.backward()
        assert (y.device, x.grad.device) == (gpu(0), cpu(0))
        assert x.grad.tolist() == [6, 12, 18]
