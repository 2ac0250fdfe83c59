"""Write the functions of `stored`, as TensorFlow traces them: .tensorflow/bin/python tests/tensorflow/store.py

NAME.pb is a FunctionDefLibrary whose last function is the one; NAME.npz has what its variables hold before (`before.K`,
in the order of its last arguments), the arguments of each call (`0.in.K`), its results, and the variables after it.
"""

from pathlib import Path

import numpy
import tensorflow as tf
from tensorflow.core.framework.function_pb2 import FunctionDefLibrary

FOLDER = Path(__file__).parent / "stored"


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype("float32")


def training_step():
    """A step of gradient descent with momentum, of a dense net whose batches may have any size."""
    w, b, v = tf.Variable(numbers(5, 7) / 3), tf.Variable(tf.zeros([7])), tf.Variable(numbers(7, 3, seed=1) / 3)
    speeds = [tf.Variable(tf.zeros_like(one)) for one in (w, b, v)]
    count = tf.Variable(0, dtype=tf.int64)

    def step(x, y):
        with tf.GradientTape() as tape:
            h = tf.nn.relu(tf.matmul(x, w) + b)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.matmul(h, v)))
        for one, speed, gradient in zip((w, b, v), speeds, tape.gradient(loss, [w, b, v]), strict=True):
            speed.assign(0.9 * speed - 0.5 * gradient)
            one.assign_add(speed)
        count.assign_add(1)
        return loss, count.read_value()

    specs = tf.TensorSpec([None, 5], tf.float32), tf.TensorSpec([None], tf.int32)
    return step, specs, [(numbers(n, 5, seed=n), numpy.arange(n, dtype="int32") % 3) for n in (4, 6, 3)]


def running_sums():
    """Sums of rows until one is too large, which a variable remembers; a branch and a loop on data."""
    total, largest = tf.Variable(tf.zeros([3])), tf.Variable(0.0)

    def sums(x):
        out = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        for i in tf.range(tf.shape(x)[0]):
            total.assign(0.5 * total + x[i])
            if tf.reduce_max(total) > largest:
                largest.assign(tf.reduce_max(total))
            out = out.write(i, total / (1.0 + largest))
        return out.stack()

    return sums, [tf.TensorSpec([None, 3], tf.float32)], [(numbers(n, 3, seed=n),) for n in (4, 6)]


def main():
    FOLDER.mkdir(exist_ok=True)
    for make in (training_step, running_sums):
        function, specs, calls = make()
        concrete = tf.function(function).get_concrete_function(*specs)
        library = FunctionDefLibrary(function=[*concrete.graph.as_graph_def().library.function, concrete.function_def])
        (FOLDER / f"{make.__name__}.pb").write_bytes(library.SerializeToString())
        by_handle = {id(variable.handle): variable for variable in concrete.graph.variables}
        variables = [by_handle[id(outside)] for outside, _ in concrete.graph.captures]
        arrays = {f"before.{k}": one.numpy() for k, one in enumerate(variables)}
        for number, arguments in enumerate(calls):
            results = tf.nest.flatten(concrete(*map(tf.constant, arguments)))
            arrays |= {f"{number}.in.{k}": x for k, x in enumerate(arguments)}
            arrays |= {f"{number}.out.{k}": x.numpy() for k, x in enumerate(results)}
            arrays |= {f"{number}.after.{k}": one.numpy() for k, one in enumerate(variables)}
        numpy.savez_compressed(FOLDER / f"{make.__name__}.npz", **arrays)


if __name__ == "__main__":
    main()
