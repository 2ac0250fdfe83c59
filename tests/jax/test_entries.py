"""Calls by the emitted entry: arrays of JAX in and out in machine code, and what the function reads outside."""

import gc
import threading
import weakref
from types import BuiltinFunctionType
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy
import pytest

from hybridize import disabled, hybridize
from tests.refusals import refusal

CALLS = 4
"""After so many of one kind there is an entry."""


def numbers(*shape, seed=0, dtype="float32"):
    return jnp.asarray((4 * numpy.random.default_rng(seed).standard_normal(shape)).astype(dtype))


def has_entry(function):
    return isinstance(function.__call__, BuiltinFunctionType)


def entered(target, *args, **kwargs):
    """The function, called until it has an entry."""
    function = hybridize(target)
    for _ in range(CALLS):
        function(*args, **kwargs)
    assert has_entry(function)
    return function


def same(x, y):
    x_leaves, x_tree = jax.tree.flatten(x)
    y_leaves, y_tree = jax.tree.flatten(y)
    assert x_tree == y_tree
    for one, other in zip(x_leaves, y_leaves, strict=True):
        assert type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape
        assert one.weak_type == other.weak_type
        assert numpy.allclose(one, other, rtol=1e-5, atol=1e-5)


class Pair(NamedTuple):
    w: jax.Array
    b: jax.Array


def dense(params, x):
    return {"y": jnp.tanh(x @ params["w"] + params["b"][0]), "both": (x, params["pair"].w + 1)}


def params_of(seed=0):
    return {
        "w": numbers(4, 3, seed=seed), "b": [numbers(3, seed=seed + 1)],
        "pair": Pair(numbers(2, seed=seed + 2), numbers(seed=seed + 3)), "a": None,
    }  # fmt: skip


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["plain", "jitted"])
def test_containers_whose_keys_are_in_any_order_and_sizes_of_the_call(wrap):
    fast = entered(wrap(dense), params_of(), numbers(2, 4))
    for rows in (2, 5, 1, 7, 2, 5):
        for seed in range(3):
            params, x = params_of(seed), numbers(rows, 4, seed=seed)
            same(fast(params, x), dense(params, x))
            turned = dict(reversed(params.items()))
            same(fast(turned, x), dense(turned, x))
            same(fast(params, x=x), dense(params, x))


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "int32", "float16", "bfloat16", "float32", "complex64"]
)
def test_dtypes(dtype):
    def both(x, y):
        return jnp.where(x == y, x, y), x.astype(jnp.float32) if dtype != "complex64" else x.real

    cases = [(numbers(3, 4, seed=k).astype(dtype), numbers(3, 4, seed=k + 9).astype(dtype)) for k in range(3)]
    fast = hybridize(both)
    for case in cases * CALLS:
        same(fast(*case), both(*case))


def test_arrays_of_another_dtype_rank_or_weakness_are_no_calls_of_the_entry():
    def double(x):
        return x.sum(-1) * 2

    fast = entered(double, numbers(3, 4))
    others = [numbers(3, 4, dtype="int32"), numbers(2, 3, 4), numbers(4), jnp.full((3, 4), 2.0)]
    assert others[-1].weak_type
    for x in others:
        same(fast(x), double(x))
    with pytest.raises(Exception, match=r"axis|bounds"):
        fast(jnp.ones(()))
    deleted = numbers(3, 4)
    deleted.delete()
    with refusal(RuntimeError, "deleted"):
        fast(deleted)


def test_numbers_of_python_and_constants():
    @hybridize
    @jax.jit
    def scaled(x, scale):
        return x * scale

    for scale in (2.0, 3.0, 1e300, -0.0, 2, True, numpy.float32(4)) * 2:
        same(scaled(numbers(3), scale), numbers(3) * scale)
    static = hybridize(jax.jit(lambda x, word: x + len(word), static_argnames="word"))
    for word in ("a", "a", "a", "bb", "a", "bb", "".join(["a"])) * 2:
        same(static(numbers(3), word=word), numbers(3) + len(word))


def test_one_array_twice_and_results_that_own_their_memory():
    fast = entered(lambda x, y: (x + y, x * 1), numbers(5), numbers(5, seed=1))
    x = numbers(5)
    same(fast(x, x), (x + x, x))
    results = [fast(numbers(5, seed=k), x) for k in range(40)]
    pointers = [one.unsafe_buffer_pointer() for pair in results for one in pair]
    assert len(set(pointers)) == len(pointers) and not any(pointer % 64 for pointer in pointers)
    del fast
    gc.collect()
    for k, pair in enumerate(results):
        same(pair, (numbers(5, seed=k) + x, numbers(5, seed=k)))
    donated = jax.jit(lambda x: x + 1, donate_argnums=0)(results[0][0])  # JAX may write into it
    same(donated, numbers(5) + x + 1)
    same(results[1][0], numbers(5, seed=1) + x)


def test_arguments_and_results_are_freed():
    fast = entered(lambda x: x * 2, numbers(1000))
    x = numbers(1000)
    y = fast(x)
    refs = weakref.ref(x), weakref.ref(y)
    del x, y
    gc.collect()
    assert [one() for one in refs] == [None, None]


SCALE = numbers(3)
SETTINGS = {"factor": 2.0, "arrays": [numbers(3, seed=1)]}
NUMPY = numpy.ones(3, "f4")


def with_globals(x):
    return x * SCALE + SETTINGS["factor"] + SETTINGS["arrays"][0]


def test_what_a_function_reads_outside_is_looked_at(monkeypatch):
    fast = entered(with_globals, numbers(3))
    x = numbers(3, seed=5)

    def check():
        for _ in range(CALLS):
            same(fast(x), with_globals(x))
        assert has_entry(fast)

    check()
    monkeypatch.setitem(globals(), "SCALE", numbers(3, seed=7))
    check()
    monkeypatch.setitem(SETTINGS, "factor", 3.0)
    check()
    monkeypatch.setitem(SETTINGS, "factor", float("3"))  # another object that is equal
    check()
    SETTINGS["arrays"][0] = numbers(3, seed=8)
    check()
    SETTINGS["arrays"].append(1)
    check()
    SETTINGS["more"] = 1
    check()


def test_cells_defaults_and_numpys_arrays_are_looked_at():
    scale, content = 2.0, numpy.ones(3, "f4")

    def closed(x, more=1.0):
        return x * scale + more + content

    fast, x = hybridize(closed), numbers(3)
    for turn in range(24):
        if turn % 6 == 3:
            scale += 1
        if turn % 6 == 4:
            content[1] += 1
        if turn % 6 == 5:
            closed.__defaults__ = (float(turn),)
        same(fast(x), closed(x))


def test_transformations_and_settings_of_jax():
    def square(x):
        return (jnp.sin(x) ** 2).sum()

    fast, x = entered(square, numbers(4)), numbers(4)
    same(jax.grad(fast)(x), jax.grad(square)(x))
    same(jax.vmap(fast)(x[:, None]), jax.vmap(square)(x[:, None]))
    same(jax.jit(fast)(x), square(x))
    with disabled():
        same(fast(x), square(x))
    with jax.numpy_rank_promotion("raise"):
        same(fast(x), square(x))
    with jax.enable_x64(True):
        same(fast(jnp.asarray(numpy.arange(4.0))), square(jnp.asarray(numpy.arange(4.0))))
    same(fast(x), square(x))


def test_results_of_several_structures():
    def by_size(x):
        return {"one": x * 2} if x.shape[0] == 1 else (x * 2, x.sum())

    fast = hybridize(by_size)
    for rows in (1, 2, 1, 3, 2, 1) * 3:
        same(fast(numbers(rows)), by_size(numbers(rows)))


def test_threads():
    fast, odd = entered(dense, params_of(), numbers(2, 4)), []

    def call(seed):
        params, x = params_of(seed), numbers(2 + seed % 3, 4, seed=seed)
        expected = dense(params, x)["y"]
        results = [fast(params, x)["y"] for _ in range(200)]
        odd.extend(one for one in results if not numpy.allclose(one, expected, rtol=1e-5, atol=1e-5))

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not odd


def test_programs_are_forgotten():
    fast = entered(lambda x: x * 2, numbers(3))
    fast.cache_clear()
    assert not has_entry(fast)
    same(fast(numbers(3)), numbers(3) * 2)
    (program,) = fast.programs()
    fast.forget(program)
    same(fast(numbers(3)), numbers(3) * 2)
