# SPDX-License-Identifier: Apache-2.0
"""The memory cache: bounded in bytes, least recently used first, weak beyond."""

import gc

import numpy as np

from hybridize.compiler.cache import Cache
from hybridize.runtime.executable import Executable
from hybridize.runtime.plan import Plan


def make(nbytes):
    constants = [np.zeros(nbytes - 10, np.uint8)]
    return Executable(object(), 1, Plan((), (), (), 0, ()), constants, code_bytes=10)


def test_the_least_recently_used_goes_first():
    cache = Cache(250)
    for name in ("a", "b"):
        cache.put((name,), make(100))
    assert cache.get(("a",)) is not None
    cache.put(("c",), make(100))
    gc.collect()
    assert cache.get(("b",)) is None
    assert cache.get(("a",)) is not None
    info = cache.info()
    assert (info.hits, info.misses, info.entries, info.bytes) == (2, 1, 2, 200)


def test_what_is_held_is_found_even_when_it_was_evicted():
    cache = Cache(150)
    first = make(100)
    cache.put(("a",), first)
    cache.put(("b",), make(100))
    assert cache.info().entries == 1
    assert cache.get(("a",)) is first


def test_what_is_too_large_is_not_kept():
    cache = Cache(50)
    cache.put(("a",), make(100))
    gc.collect()
    assert cache.get(("a",)) is None
    assert cache.info().bytes == 0


def test_clear():
    cache = Cache(1000)
    held = make(100)
    cache.put(("a",), held)
    cache.clear()
    assert cache.get(("a",)) is None
    assert cache.info().entries == 0
