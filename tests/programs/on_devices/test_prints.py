"""What a program on a device prints: what it prints on a processor, in the same order."""

import sys

import numpy
import pytest

from hybridize import autograd, cpu, gpu, hybridize, np
from hybridize.runtime import devices

X = numpy.arange(-4, 8, dtype="float32") / 4  # sums are exact in any order


@pytest.fixture(autouse=True)
def _reusing(monkeypatch):
    """Memory comes again, so that calls, and the launches between two prints, become graphs."""
    monkeypatch.setitem(devices._PLACES, "emulated", "tests.programs.on_devices.reusing")


def everywhere(x):
    print("sum", x.sum())
    if x[0] > 0:
        print(f"first {float(x[0]):.2f}", flush=True)
    for number, row in enumerate(x.reshape(-1, 2)):
        y = np.tanh(row) * 2
        print(number, y - y, x.shape, sep="|")
    while x.sum() > 1:
        x = x / 4 - 0.25
        print("now", float(x.sum()), end=";\n", file=sys.stderr)
    print((x > 0), x.astype("bfloat16"), (x * 3).astype("int8"), x[:0])
    return x * 2


def asserting(x):
    print("before", x > 0)
    assert (x > 0).all(), "not positive"
    print("after", x)
    return np.log(x)


def called(function, device):
    """What calls return or raise: of two sizes, then of any, each several times."""
    compiled, results = hybridize(function), []
    for size in (6, 6, 6, 12, 8, 8, 8):
        for sign in (1, -1):
            try:
                results.append(compiled(np.array(X[12 - size :] * sign, ctx=device)).tolist())
            except AssertionError as error:
                results.append(str(error))
    return results


@pytest.mark.parametrize("function", [everywhere, asserting])
def test_programs_print_as_on_a_processor(capfd, function):
    expected, printed = called(function, cpu()), capfd.readouterr()
    assert called(function, gpu(0)) == expected and printed.out
    assert capfd.readouterr() == printed


def test_recorded_calls_print_once(capfd):
    compiled = hybridize(lambda x: (print("x is", x), x * x)[1])
    x = np.array(X[:3], ctx=gpu(0))
    x.attach_grad()
    for _ in range(3):
        with autograd.record():
            y = compiled(x)
        y.backward()
        assert capfd.readouterr().out == f"x is {x}\n"
        assert (x.grad.asnumpy() == 2 * X[:3]).all()


def test_a_report_prints_nothing(capfd):
    compiled, x = hybridize(asserting), np.array(X[6:], ctx=gpu(0))
    compiled(x)
    capfd.readouterr()
    assert "print" in str(compiled.program(x).explain(x, profile=True))
    assert capfd.readouterr().out == ""
