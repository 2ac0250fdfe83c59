"""Calls by the emitted entry: tensors in and out in machine code, and variables by the words that tell of writes."""

import gc
import threading
import weakref
from types import BuiltinFunctionType

import numpy
import pytest
import tensorflow as tf

import hybridize
from hybridize.tensorflow import places

layers = tf.keras.layers
CALLS = 12
"""After so many of one kind there is an entry."""


def numbers(*shape, seed=0, dtype="float32"):
    return tf.constant((4 * numpy.random.default_rng(seed).standard_normal(shape)).astype(dtype))


def mlp(seed=0):
    tf.keras.utils.set_random_seed(seed)
    return tf.keras.Sequential([layers.Input((6,)), layers.Dense(8, activation="relu"), layers.Dense(3)])


def has_entry(function):
    return isinstance(function.__call__, BuiltinFunctionType)


def entered(target, *args, freeze=False, **kwargs):
    """The function, called until it has an entry."""
    function = hybridize.hybridize(target, freeze=freeze)
    for _ in range(CALLS):
        function(*args, **kwargs)
    assert has_entry(function)
    return function


def address(tensor):
    return numpy.asarray(memoryview(tensor)).ctypes.data


def close(x, y):
    assert type(x) is type(y) and x.dtype == y.dtype and x.shape == y.shape
    assert numpy.allclose(x, y, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("freeze", [False, True])
def test_calls_with_sizes_that_were_met_and_with_others(freeze):
    model = mlp()
    fast = entered(model, numbers(2, 6), freeze=freeze)
    for rows in (2, 1, 5, 0, 2, 64, 2, 7, 5):
        for seed in range(3):
            close(fast(numbers(rows, 6, seed=seed)), model(numbers(rows, 6, seed=seed)))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"])
def test_dtypes(dtype):
    def both(x, y):
        return tf.where(x == y, x, y), tf.cast(x, tf.float32)

    function = tf.function(both)
    cases = [(numbers(3, 4, seed=k, dtype=dtype), numbers(3, 4, seed=k + 9, dtype=dtype)) for k in range(3)]
    fast = entered(function, *cases[0])
    for case in cases:
        for x, y in zip(fast(*case), function(*case), strict=True):
            close(x, y)


def test_a_tensor_of_another_dtype_or_rank_is_no_call_of_the_entry():
    function = tf.function(lambda x: tf.reduce_sum(x, axis=-1) * 2)
    fast = entered(function, numbers(3, 4))
    for x in (numbers(3, 4, dtype="float64"), numbers(3, 4, dtype="int32"), numbers(2, 3, 4), numbers(4)):
        close(fast(x), function(x))
    with pytest.raises(Exception, match=r"reduc|axis|rank|dimension"):
        fast(tf.constant(1.0))
    bfloat = tf.cast(numbers(3, 4), tf.bfloat16)
    close(tf.cast(fast(bfloat), tf.float32), tf.cast(function(bfloat), tf.float32))


def test_arguments_by_name_in_containers_and_constants():
    function = tf.function(
        lambda pair, *, scale, flag=True: {"sum": (pair[0] + pair[1]["b"]) * scale, "same": [pair[0]]}
    )
    a, b, c = numbers(3), numbers(3, seed=1), tf.constant(2.0)
    fast = entered(function, (a, {"b": b}), scale=c)
    for scale in (2.0, -3.0):
        result = fast((a, {"b": b}), scale=tf.constant(scale))
        close(result["sum"], (a + b) * scale)
        close(result["same"][0], a)
    close(fast((b, {"b": b}), scale=c)["sum"], (b + b) * c)  # one tensor twice
    close(fast((a, {"b": b}), scale=c, flag=False)["sum"], (a + b) * c)


def test_results_own_their_memory_which_begins_on_a_cache_line():
    model = mlp()
    fast = entered(model, numbers(5, 6))
    results = [fast(numbers(5, 6, seed=k)) for k in range(40)]
    assert len({address(one) for one in results}) == len(results)
    assert all(address(one) % 64 == 0 for one in results)
    variable = tf.Variable(results[3])  # whose memory TensorFlow may write
    variable.assign_add(tf.ones_like(variable))
    del fast
    gc.collect()
    for k, one in enumerate(results):
        close(one, model(numbers(5, 6, seed=k)))


def test_arguments_and_results_are_freed():
    fast = entered(tf.function(lambda x: x * 2), numbers(1000))
    x = numbers(1000)
    count = len(gc.get_objects())
    seen = []
    for _ in range(50):
        y = fast(x)
        seen.append(weakref.ref(y))
    del y
    gc.collect()
    assert not any(one() is not None for one in seen) and len(gc.get_objects()) - count < 100
    alive = weakref.ref(x)
    del x
    assert alive() is None


WRITES = {
    "assign": lambda v: v.assign(tf.fill(v.shape, 3.0)),
    "assign_add": lambda v: v.assign_add(tf.ones_like(v)),
    "assign_sub": lambda v: v.assign_sub(tf.ones_like(v)),
    "assign itself": lambda v: v.assign(v),
    "assign what a tensor holds": lambda v: v.assign(tf.identity(v) * 2),
    "rows": lambda v: v[1:].assign(tf.zeros_like(v[1:])),
    "scatter": lambda v: v.scatter_nd_update([[0]], [tf.fill(v.shape[1:], 7.0)]),
    "slices": lambda v: v.scatter_update(tf.IndexedSlices(tf.fill((1, *v.shape[1:]), 5.0), [1])),
    "compiled": tf.function(lambda v: v.assign(v * 0.5), jit_compile=True),
    "graph": tf.function(lambda v: v.assign_add(tf.ones_like(v))),
    "optimizer": lambda v: tf.keras.optimizers.Adam(0.1).apply([tf.ones_like(v)], [v]),
}


@pytest.mark.parametrize("write", WRITES)
def test_every_write_of_a_variable_is_seen_by_the_next_call(write):
    variable, x = tf.Variable(numbers(3, 4)), numbers(3, 4, seed=1)
    other = tf.Variable(1.0)
    function = tf.function(lambda x: (x + variable * other, variable * 1))
    fast = entered(function, x)
    for turn in range(3 * CALLS):
        before, view = variable.read_value(), memoryview(variable.read_value())
        copy = numpy.array(before)
        if turn % 5 == 0:
            WRITES[write](variable)
        if turn % 7 == 0:
            other.assign_add(1.0)
        for result, expected in zip(fast(x), function(x), strict=True):
            close(result, expected)
        assert numpy.array_equal(before, copy) and numpy.array_equal(view, copy)  # what others hold stays


def test_variables_that_are_written_at_each_call_and_then_no_more():
    model, x = mlp(), numbers(2, 6)
    fast = hybridize.hybridize(model)
    for turn in range(200):
        if turn < 150:
            model.trainable_variables[turn % 4].assign_add(tf.ones_like(model.trainable_variables[turn % 4]) * 0.01)
        close(fast(x), model(x))
    for _ in range(200):
        fast(x)
    assert has_entry(fast)


def test_what_an_entry_holds_is_let_go_after_a_write():
    variable, x = tf.Variable(numbers(30, 40)), numbers(30, 40)
    fast = entered(tf.function(lambda x: x + variable), x)
    for _ in range(3):
        variable.assign_add(tf.ones((30, 40)))  # gives it other memory, as the entry holds what it has
        close(fast(x), x + variable)
    before = address(variable.read_value())
    variable.assign_add(tf.ones((30, 40)))
    assert address(variable.read_value()) == before  # nobody holds it now


def test_variables_that_threads_write_meanwhile():
    size = 5000
    variable = tf.Variable(tf.zeros(size))
    function = tf.function(lambda x: x + variable)
    x = tf.zeros(size)
    fast = entered(function, x)
    stop, odd, counts = threading.Event(), [], []

    def write():
        number = 0.0
        while not stop.is_set():
            number += 1.0
            variable.assign(tf.fill((size,), number))
            if number % 3 == 0:
                variable.assign_add(tf.ones(size))
                variable.assign_sub(tf.ones(size))

    def read():
        last = 0.0
        for _ in range(1500):
            result = fast(x).numpy()
            if result.min() != result.max() or result[0] < last - 1:
                odd.append(result)
            last = max(last, result[0])
        counts.append(last)

    readers = [threading.Thread(target=read) for _ in range(3)]
    writer = threading.Thread(target=write)
    writer.start()
    for one in readers:
        one.start()
    for one in readers:
        one.join()
    stop.set()
    writer.join()
    assert not odd and len(counts) == 3
    for _ in range(300):
        assert fast(x).numpy()[0] == variable.numpy()[0]
    assert has_entry(fast)


def test_layers_and_their_settings_that_change():
    model, x = mlp(), numbers(2, 6)
    fast = entered(model, x)
    model.layers[0].trainable = False
    close(fast(x), model(x))
    model.add(layers.Dense(2))
    close(fast(x), model(x))
    for _ in range(CALLS):
        fast(x)
    model.pop()
    close(fast(x), model(x))


@pytest.mark.parametrize("freeze", [False, True])
def test_tapes_accumulators_and_graphs_around_calls(freeze):
    model, x = mlp(), numbers(2, 6)
    fast = entered(model, x, freeze=freeze)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(fast(x) ** 2)
    with tf.GradientTape() as plain:
        expected = tf.reduce_sum(model(x) ** 2)
    for one, other in zip(
        tape.gradient(loss, model.trainable_variables), plain.gradient(expected, model.trainable_variables), strict=True
    ):
        close(one, other)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        result = fast(x)
    assert accumulator.jvp(result) is not None
    graph = tf.function(lambda: fast(x) + 1)
    close(graph(), model(x) + 1)
    model.layers[-1].bias.assign_add(tf.ones(3))
    if not freeze:
        close(graph(), model(x) + 1)


def test_operations_that_wait_for_others():
    variable, x = tf.Variable(numbers(3)), numbers(3)
    fast = entered(tf.function(lambda x: x + variable), x)
    tf.config.experimental.set_synchronous_execution(False)
    try:
        for number in range(50):
            variable.assign(tf.fill((3,), float(number)))
            close(fast(x), x + float(number))
    finally:
        tf.config.experimental.set_synchronous_execution(True)


def test_calls_that_are_disabled_or_of_another_mode():
    function = tf.function(lambda x: x * 2)
    fast = entered(function, numbers(3))
    with hybridize.disabled():
        close(fast(numbers(3)), numbers(3) * 2)
    with hybridize.autograd.record():
        close(fast(numbers(3)), numbers(3) * 2)
    fast.cache_clear()
    assert not has_entry(fast)
    close(fast(numbers(3)), numbers(3) * 2)


def test_more_kinds_of_calls_than_have_entries():
    function = tf.function(lambda x: tf.reduce_sum(x) * 2)
    fast = hybridize.hybridize(function)
    for turn in range(60):
        x = numbers(*[2] * (turn % 7))
        assert numpy.allclose(fast(x), function(x), rtol=1e-5)
    assert has_entry(fast)


def test_without_the_words_variables_are_read_by_tensorflow(monkeypatch):
    monkeypatch.setattr(places, "_path", lambda: None)
    variable, x = tf.Variable(numbers(3)), numbers(3)
    fast = hybridize.hybridize(tf.function(lambda x: x + variable))
    for _ in range(20):
        variable.assign_add(tf.ones(3))
        close(fast(x), x + variable)
    for _ in range(20):
        close(fast(x), x + variable)
    assert not has_entry(fast)


def test_words_are_where_this_version_has_them():
    assert places._path() is not None
