"""The stopwatches."""

import re

import pytest

from hybridize.tools.timing import Benchmark, Timer


def test_timer_adds_up():
    timer = Timer()
    first = timer.stop()
    timer.start()
    second = timer.stop()
    assert timer.times == [first, second]
    assert timer.sum() == first + second
    assert timer.avg() == (first + second) / 2
    assert timer.cumsum() == [first, first + second]


def test_average_of_nothing_is_zero():
    assert Timer().avg() == 0


def test_benchmark_prints_one_line(capsys):
    with Benchmark("Half a second") as benchmark:
        pass
    assert re.fullmatch(r"Half a second: \d+\.\d{4} sec\n", capsys.readouterr().out)
    assert benchmark.seconds is not None


def test_benchmark_is_silent_on_an_error(capsys):
    with pytest.raises(ZeroDivisionError), Benchmark("Never"):
        1 / 0  # noqa: B018
    assert capsys.readouterr().out == ""
