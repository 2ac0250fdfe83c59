"""Tensors and arrays over the same memory."""

import ml_dtypes
import numpy
import pytest
import tensorflow as tf

from hybridize import hybridize
from hybridize.base.errors import DTypeError
from hybridize.tensorflow.memory import as_array, as_tensor


def address(tensor):
    return tensor._numpy().ctypes.data


DTYPES = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2), (5, 3)])
def test_there_and_back(name, shape):
    dtype = numpy.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    array = (numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape) % 2).astype(dtype)
    tensor = as_tensor(array)
    assert tensor.dtype == tf.as_dtype(name) and tuple(tensor.shape) == shape
    back = as_array(tensor)
    assert back.dtype == dtype and back.shape == shape
    numpy.testing.assert_array_equal(back, array)


@pytest.mark.parametrize("offset", range(0, 64, 4))
def test_memory_that_begins_anywhere_is_copied(offset):
    storage = numpy.zeros(64 + 64 + 4 * 100, numpy.uint8)
    start = -storage.ctypes.data % 64 + offset
    array = storage[start : start + 400].view(numpy.float32)
    array[:] = numpy.arange(100)
    tensor = as_tensor(array)
    assert address(tensor) % 64 == 0
    numpy.testing.assert_array_equal(tensor.numpy(), numpy.arange(100, dtype="f4"))
    shares = address(tensor) == array.ctypes.data
    assert shares == (offset == 0)
    assert float(tf.reduce_sum(tensor)) == 4950  # TensorFlow would end the process here


def test_what_lies_otherwise_is_copied():
    array = numpy.arange(128, dtype="f4").reshape(8, 16)
    for view in (array.T, array[::2], array[:, 1:], numpy.broadcast_to(array[:1], (3, 16))):
        numpy.testing.assert_array_equal(as_tensor(view).numpy(), view)


def test_results_of_every_size_begin_where_tensors_do():
    net = hybridize(tf.function(lambda x: (x + 1.0, x * 2.0)))
    for size in range(1001):
        x = tf.range(size, dtype=tf.float32)
        for result, expected in zip(net(x), (x + 1.0, x * 2.0), strict=True):
            assert address(result) % 64 == 0 or size == 0
            assert bool(tf.reduce_all(result == expected)), size
    assert net.cache_info().programs <= 4


def test_results_of_known_sizes_begin_where_tensors_do():
    for size in (1, 2, 3, 17, 100, 8191, 8192, 8193):
        net = hybridize(tf.function(lambda x: (x + 1.0, x * 2.0)), dynamic=False)
        x = tf.range(size, dtype=tf.float32)
        for _ in range(3):
            for result, expected in zip(net(x), (x + 1.0, x * 2.0), strict=True):
                assert address(result) % 64 == 0
                assert bool(tf.reduce_all(result == expected)), size


def test_a_result_is_no_argument():
    x = tf.constant([1.0, 2.0, 3.0])
    same = hybridize(tf.function(lambda x: (x, tf.identity(x), tf.reshape(x, [3, 1]))))
    for _ in range(3):
        for result in same(x):
            assert address(result) != address(x)


def test_a_result_is_no_variable():
    v = tf.Variable([1.0, 2.0, 3.0])
    read = hybridize(tf.function(lambda x: (v.read_value(), v + x)))
    first, _ = read(tf.constant(0.0))
    v.assign([7.0, 7.0, 7.0])
    second, _ = read(tf.constant(0.0))
    assert first.numpy().tolist() == [1, 2, 3] and second.numpy().tolist() == [7, 7, 7]
    assert address(second) != address(v.value())


def test_equal_results_and_variables_have_memory_of_their_own():
    v, w = tf.Variable(tf.zeros([4096])), tf.Variable(tf.zeros([4096]))

    @tf.function
    def f(x):
        v.assign(x + 1.0)
        w.assign(x + 1.0)
        return v.read_value(), w.read_value(), x + 1.0

    fast = hybridize(f)
    for k in range(4):
        results = fast(tf.ones([4096]) * k)
        assert len({address(one) for one in (*results, v.value(), w.value())}) == 5
        v.assign_add(tf.ones([4096]) * 100)  # in place, where nobody else has the memory
        w.assign_sub(tf.ones([4096]) * 50)
        assert all(bool(tf.reduce_all(one == k + 1.0)) for one in results)
        assert v.numpy()[0] == k + 101 and w.numpy()[0] == k - 49


def test_texts_are_refused():
    net = hybridize(tf.function(lambda x: tf.identity(x)))
    with pytest.raises(DTypeError, match="E223"):
        net(tf.constant(["a"]))


def test_bfloat16_and_bools():
    net = hybridize(tf.function(lambda x, m: (tf.where(m, x * 2, x), tf.logical_not(m))))
    x, m = tf.constant([1.5, 2.5], tf.bfloat16), tf.constant([True, False])
    y, n = net(x, m)
    assert y.dtype == tf.bfloat16 and tf.cast(y, tf.float32).numpy().tolist() == [3.0, 2.5]
    assert n.dtype == tf.bool and n.numpy().tolist() == [False, True]
