"""Random numbers: those of a seed are TensorFlow's, bit for bit; the others are new at each call."""

import numpy
import pytest
import tensorflow as tf

import hybridize
from hybridize.base.errors import CaptureError, HybridizeError

layers = tf.keras.layers


def test_dropout_of_keras_drops_what_tensorflow_drops():
    nets = []
    for _ in range(2):
        tf.keras.utils.set_random_seed(0)
        nets.append(tf.keras.Sequential([layers.Input((50,)), layers.Dropout(0.4, seed=7), layers.Dense(3)]))
    x = tf.ones((4, 50))
    fast = hybridize.hybridize(nets[1])
    seen = []
    for _ in range(3):
        expected, found = nets[0](x, training=True).numpy(), fast(x, training=True).numpy()
        numpy.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
        seen.append(found)
    assert (seen[0] != seen[1]).any() and (seen[1] != seen[2]).any()
    numpy.testing.assert_allclose(fast(x).numpy(), nets[0](x).numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["uniform", "normal", "uniform_int"])
def test_stateless_numbers(kind):
    f = {
        "uniform": lambda seed: tf.random.stateless_uniform([37], seed),
        "normal": lambda seed: tf.random.stateless_normal([37], seed),
        "uniform_int": lambda seed: tf.random.stateless_uniform([37], seed, -3, 900, tf.int64),
    }[kind]
    fast = hybridize.hybridize(tf.function(f))
    for seed in ([1, 2], [0, 0], [-1, 5], [2**30, -(2**31)]):
        seed = tf.constant(seed, tf.int32)
        expected, found = f(seed).numpy(), fast(seed).numpy()
        if kind == "normal":
            numpy.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        else:
            numpy.testing.assert_array_equal(found, expected)


def test_a_generator_of_tensorflows_is_refused():
    generator = tf.random.Generator.from_seed(3)
    fast = hybridize.hybridize(tf.function(lambda x: x + generator.uniform([5])))
    with pytest.raises(CaptureError, match="RngReadAndSkip"):
        fast(tf.zeros([5]))


def test_numbers_without_a_seed_are_new_at_each_call(tmp_path):
    @tf.function
    def f(x):
        for _ in tf.range(2):
            x = x + tf.random.normal([1000])
        if x[0] > -100.0:
            x = x + 0.0 * tf.random.uniform([1000])
        return x, tf.random.uniform([500], -2, 7, tf.int32), tf.random.uniform(tf.shape(x), 3.0, 4.0)

    x = tf.zeros([1000])
    hybridize.random.seed(3)
    fast = hybridize.hybridize(f)
    calls = [[part.numpy() for part in fast(x)] for _ in range(3)]
    for normal, integers, uniform in calls:
        assert abs(normal.mean()) < 0.25 and 1.3 < normal.std() < 1.5
        assert set(integers.tolist()) == set(range(-2, 7))
        assert uniform.min() >= 3 and uniform.max() < 4 and abs(uniform.mean() - 3.5) < 0.05
    for one, other in zip(calls[0], calls[1], strict=True):
        assert (one != other).mean() > 0.8
    hybridize.random.seed(3)
    again = [part.numpy() for part in hybridize.hybridize(f)(x)]
    for one, other in zip(calls[0], again, strict=True):
        numpy.testing.assert_array_equal(one, other)
    fast.save(tmp_path / "f")
    loaded = hybridize.load(tmp_path / "f")
    assert (loaded(x)[0].numpy() != loaded(x)[0].numpy()).any()


def test_dropout_in_training_with_a_tape():
    w = tf.Variable(tf.ones([200]))
    fast = hybridize.hybridize(tf.function(lambda x: tf.reduce_sum(tf.nn.dropout(x * w, 0.5))))
    with tf.GradientTape() as tape:
        y = fast(tf.ones([200]))
    gradient = tape.gradient(y, w).numpy()
    assert set(gradient.tolist()) == {0.0, 2.0} and gradient.sum() == pytest.approx(float(y))


def test_sizes_that_data_decide_are_refused():
    for f in (lambda x: tf.boolean_mask(x, x > 0), lambda x: tf.where(x > 0), lambda x: tf.unique(x)[0]):
        fast = hybridize.hybridize(tf.function(f))
        with pytest.raises(HybridizeError) as caught:
            fast(tf.constant([1.0, -1.0]))
        assert caught.value.code in ("E420", "E463") and caught.value.loc.file == __file__


def test_python_in_a_graph_is_refused():
    @tf.function
    def f(x):
        return tf.py_function(lambda y: y + 1, [x], tf.float32)

    with pytest.raises(CaptureError, match="EagerPyFunc"):
        hybridize.hybridize(f)(tf.constant(1.0))


def test_texts_in_a_graph_are_refused():
    @tf.function
    def f(x):
        return tf.strings.length(tf.strings.as_string(x))

    with pytest.raises(CaptureError, match="E420"):
        hybridize.hybridize(f)(tf.constant(1.0))


def test_printing_is_refused():
    @tf.function
    def f(x):
        tf.print("x is", x)
        return x + 1.0

    with pytest.raises(CaptureError, match="StringFormat") as caught:
        hybridize.hybridize(f)(tf.constant(1.0))
    assert "tf.print" in caught.value.loc.text


def test_an_assertion():
    count = tf.Variable(0)

    @tf.function
    def f(x):
        tf.debugging.assert_positive(x, message="a length")
        count.assign_add(1)
        return tf.sqrt(x)

    fast = hybridize.hybridize(f)
    assert fast(tf.constant([4.0])).numpy().tolist() == [2]
    with pytest.raises(AssertionError, match=r"E520.*did not hold"):
        fast(tf.constant([-4.0]))
    assert int(count) == 1, "a call that fails assigns nothing"


def test_in_a_pipeline_of_data():
    v = tf.Variable(2.0)
    fast = hybridize.hybridize(tf.function(lambda x: x * v))
    data = tf.data.Dataset.from_tensor_slices(numpy.float32([1, 2, 3])).map(lambda x: fast(x))
    assert [float(one) for one in data] == [2, 4, 6]
