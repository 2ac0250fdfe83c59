"""Things of which there is one in a process."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hybridize.base.once import once


def test_threads_that_come_at_once_get_the_same():
    barrier = threading.Barrier(4)

    @once
    def make():
        time.sleep(0.01)
        return object()

    def call(_):
        barrier.wait()
        return make()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(call, range(4)))) == 1


def test_failures_are_tried_again():
    answers = iter([ValueError(), 7])

    @once
    def make():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(ValueError):
        make()
    assert make() == make() == 7
