"""The names of TensorFlow that are not public: without them calls take the public ways, and give the same."""

import importlib

import numpy
import pytest
import tensorflow as tf

import hybridize
from hybridize.tensorflow import internals

layers = tf.keras.layers
PRIVATE = [
    "_EXECUTE",
    "_CONTEXT",
    "_FROM_CAPSULE",
    "_NUMPY",
    "_RULE",
    "_RECORD",
    "_COULD",
    "_SHOULD",
    "_TANGENTS",
    "_ACCESSED",
]


def test_this_version_has_them_all():
    assert internals.RECORDS and all(getattr(internals, name) is not None for name in PRIVATE)


@pytest.fixture
def public(monkeypatch):
    for name in PRIVATE:
        monkeypatch.setattr(internals, name, None)
    monkeypatch.setattr(internals, "RECORDS", False)
    for module in ("memory", "calls", "function", "gradients"):
        monkeypatch.setattr(importlib.import_module(f"hybridize.tensorflow.{module}"), "elements", internals._elements)


def net():
    tf.keras.utils.set_random_seed(0)
    return tf.keras.Sequential([layers.Input((6,)), layers.Dense(8, activation="tanh"), layers.Dense(3)])


@pytest.mark.usefixtures("public")
def test_calls_assignments_and_gradients_of_any_order():
    model, count = net(), tf.Variable(0)

    @tf.function
    def f(x):
        count.assign_add(1)
        return model(x), tf.shape(x)[0]

    fast = hybridize.hybridize(f)
    x = tf.constant(numpy.random.default_rng(0).standard_normal((4, 6)).astype("float32"))
    found = []
    for call in (f, fast):
        count.assign(0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y, size = call(x)
                total = tf.reduce_sum(tf.square(y))
            first = inner.gradient(total, [x, *model.trainable_variables])
            penalty = tf.reduce_sum(tf.square(first[0]))
        second = outer.gradient(penalty, [x, *model.trainable_variables[:1]])
        found.append([y, size, *first, *second])
    for one, other in zip(*found, strict=True):
        numpy.testing.assert_allclose(other.numpy(), one.numpy(), rtol=1e-4, atol=1e-5)
    assert fast.cache_info().captures == 1


@pytest.mark.usefixtures("public")
def test_no_variables_and_no_gradients():
    fast = hybridize.hybridize(tf.function(lambda i: (i + 1, i > 2)))
    a, b = fast(tf.constant([1, 5]))
    assert a.numpy().tolist() == [2, 6] and b.numpy().tolist() == [False, True]
    with tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        y = hybridize.hybridize(tf.function(lambda x: x * x))(x)
    assert float(tape.gradient(y, x)) == 6
