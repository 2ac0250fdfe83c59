# SPDX-License-Identifier: Apache-2.0
"""Programs of TensorFlow and Keras, by name: what a door is tried with. It runs in an environment that has TensorFlow.

    python tensorflow_programs.py FOLDER [NAME ...]      FOLDER/NAME (a SavedModel) and FOLDER/NAME.npz (inputs and results)
    python tensorflow_programs.py FOLDER --part=0-of-8   every eighth case from the first one on

Each function gives a `Case`: an object with a `tf.function`, or a Keras model, and batches of inputs. A case with
several steps is one with state: the results are those of one call after the other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
import tensorflow as tf


@dataclass
class Case:
    """Something to call, and what to call it with."""

    model: Any
    """A Keras model, a `tf.Module` with `__call__`, or a module with other functions."""
    batches: Sequence[Mapping[str, numpy.ndarray[Any, Any]]]
    """Arguments by name, of one call after the other."""
    call: Callable[..., Any] | None = None
    """The `tf.function` of the module; `__call__` where it is None, the model itself of Keras."""
    signature: str = "serving_default"
    trains: bool = False
    """True if variables change."""
    notes: dict[str, Any] = field(default_factory=dict)


CASES: dict[str, Callable[[], Case]] = {}


def case(function: Callable[[], Case]) -> Callable[[], Case]:
    """Add a case under its function's name."""
    CASES[function.__name__] = function
    return function


def numbers(*shape: int, seed: int = 0, dtype: str = "float32") -> numpy.ndarray[Any, Any]:
    """Normal numbers."""
    return numpy.random.default_rng(seed).standard_normal(shape).astype(dtype)


def randomized(model: Any) -> Any:
    """Give a model other weights than zeros and ones, so that no layer is the identity."""
    rng = numpy.random.default_rng(1)
    for variable in model.variables:
        value = variable.numpy()
        if value.dtype.kind == "f" and (value == value.reshape(-1)[0]).all():
            noise = (
                rng.uniform(0.8, 1.2, value.shape) if value.reshape(-1)[0] == 1 else rng.uniform(-0.1, 0.1, value.shape)
            )
            variable.assign(noise.astype(value.dtype))
    return model


# ----------------------------------------------------------------------------------------------------------- feed-forward


@case
def chapter() -> Case:
    """The net of the chapter on hybridization."""
    net = tf.keras.Sequential([tf.keras.layers.Dense(256, input_shape=(512,), activation="relu"),
                               tf.keras.layers.Dense(128, activation="relu"), tf.keras.layers.Dense(2)])  # fmt: skip
    return Case(randomized(net), [{"inputs": numbers(4, 512)}, {"inputs": numbers(7, 512, seed=1)}])


def _application(name: str, size: int = 96, **options: Any) -> Callable[[], Case]:
    def build() -> Case:
        tf.keras.utils.set_random_seed(0)
        model = getattr(tf.keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=10, **options)
        x = numpy.random.default_rng(0).uniform(0, 255, (3, size, size, 3)).astype("float32")
        if "Efficient" not in name and "V3" not in name and "ConvNeXt" not in name:
            x = x / 127.5 - 1
        return Case(randomized(model), [{"inputs": x[:1]}, {"inputs": x}])

    return build


for _name, _options in {
    "MobileNetV2": {}, "MobileNetV3Small": {}, "ResNet50": {}, "ResNet50V2": {}, "DenseNet121": {},
    "EfficientNetB0": {}, "EfficientNetV2B0": {}, "NASNetMobile": {}, "Xception": {}, "ConvNeXtTiny": {},
    "InceptionV3": {}, "VGG16": {"size": 32},
}.items():  # fmt: skip
    CASES[_name.lower()] = _application(_name, **_options)


# -------------------------------------------------------------------------------------------------------------- sequences


@case
def lstm() -> Case:
    """Two layers, the first one's outputs at all steps."""
    layers = tf.keras.layers
    net = tf.keras.Sequential([layers.Input((12, 8)), layers.LSTM(16, return_sequences=True), layers.LSTM(16),
                               layers.Dense(3)])  # fmt: skip
    return Case(randomized(net), [{"inputs": numbers(2, 12, 8)}, {"inputs": numbers(5, 12, 8, seed=1)}])


@case
def lstm_of_any_length() -> Case:
    """Of sequences whose length only a call knows."""
    layers = tf.keras.layers
    net = tf.keras.Sequential([layers.Input((None, 8)), layers.LSTM(16), layers.Dense(3)])
    return Case(randomized(net), [{"inputs": numbers(2, 12, 8)}, {"inputs": numbers(5, 7, 8, seed=1)}])


@case
def small_lstm() -> Case:
    """The smallest net with a loop, of sequences of any length."""
    layers = tf.keras.layers
    net = tf.keras.Sequential([layers.Input((None, 3)), layers.LSTM(4)])
    return Case(randomized(net), [{"inputs": numbers(2, 5, 3)}, {"inputs": numbers(3, 4, 3, seed=1)}])


@case
def gru() -> Case:
    """Both forms: biases before and after the reset gate."""
    layers = tf.keras.layers
    net = tf.keras.Sequential([layers.Input((9, 6)), layers.GRU(8, return_sequences=True),
                               layers.GRU(8, reset_after=False), layers.Dense(2)])  # fmt: skip
    return Case(randomized(net), [{"inputs": numbers(3, 9, 6)}, {"inputs": numbers(4, 9, 6, seed=1)}])


@case
def masked_bidirectional() -> Case:
    """Tokens, of which zeros are masked, in both directions."""
    layers = tf.keras.layers
    net = tf.keras.Sequential([layers.Input((10,), dtype="int32"), layers.Embedding(50, 8, mask_zero=True),
                               layers.Bidirectional(layers.LSTM(8)), layers.Dense(2)])  # fmt: skip
    tokens = numpy.random.default_rng(0).integers(1, 50, (4, 10)).astype("int32")
    tokens[0, 6:] = tokens[1, 3:] = 0
    return Case(randomized(net), [{"inputs": tokens[:2]}, {"inputs": tokens}])


@case
def attention() -> Case:
    """Multi-head attention with a residual and a normalization, and a causal mask."""
    layers = tf.keras.layers
    x = tf.keras.Input((10, 16))
    y = layers.MultiHeadAttention(4, 4)(x, x, use_causal_mask=True)
    y = layers.LayerNormalization()(x + y)
    y = layers.Dense(16, activation="gelu")(y)
    net = tf.keras.Model(x, layers.GlobalAveragePooling1D()(y))
    return Case(randomized(net), [{"inputs": numbers(2, 10, 16)}, {"inputs": numbers(3, 10, 16, seed=1)}])


# ------------------------------------------------------------------------------------------------------------ each layer


def _layer(make: Callable[[Any], Any], *shape: int | None, ids: int = 0) -> Callable[[], Case]:
    def build() -> Case:
        tf.keras.utils.set_random_seed(0)
        x = tf.keras.Input(shape, dtype="int32" if ids else "float32")
        net = tf.keras.Model(x, make(tf.keras.layers)(x))
        sizes = [5 if size is None else size for size in shape]
        if ids:
            batches = [numpy.random.default_rng(k).integers(0, ids, (k + 2, *sizes)).astype("int32") for k in range(2)]
        else:
            batches = [numbers(k + 2, *sizes, seed=k) for k in range(2)]
        return Case(randomized(net), [{"inputs": x} for x in batches])

    return build


_LAYERS: dict[str, tuple[Callable[[Any], Any], tuple[int | None, ...]]] = {
    "activations": (lambda k: lambda x: k.Concatenate()([k.Activation(name)(x) for name in ["celu", "elu", "exponential", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "softmax", "soft_shrink", "softplus", "softsign", "sparse_plus", "squareplus", "tanh", "tanh_shrink", "threshold"] if name != "threshold"]), (6,)),
    "prelu": (lambda k: k.PReLU(), (4, 3)), "leaky": (lambda k: k.LeakyReLU(0.1), (4,)),
    "relu_slope": (lambda k: k.ReLU(1.0, 0.1, 0.2), (9,)), "elu": (lambda k: k.ELU(0.5), (9,)),
    "softmax_axes": (lambda k: k.Softmax(axis=(1, 2)), (3, 4)),
    "conv1d": (lambda k: k.Conv1D(4, 3, 2, "same"), (9, 3)), "conv1d_causal": (lambda k: k.Conv1D(4, 3, padding="causal", dilation_rate=2), (9, 3)),
    "conv2d": (lambda k: k.Conv2D(4, 3, 2, "same", activation="relu"), (9, 8, 3)),
    "conv2d_dilated": (lambda k: k.Conv2D(4, 3, dilation_rate=2, padding="same"), (9, 8, 3)),
    "conv2d_groups": (lambda k: k.Conv2D(4, 3, groups=2), (9, 8, 4)),
    "conv3d": (lambda k: k.Conv3D(3, 2, 2, "same"), (5, 6, 7, 2)),
    "conv1d_transposed": (lambda k: k.Conv1DTranspose(4, 3, 2, "same"), (6, 3)),
    "conv2d_transposed": (lambda k: k.Conv2DTranspose(4, 3, 2, "same"), (5, 6, 3)),
    "conv2d_transposed_valid": (lambda k: k.Conv2DTranspose(4, 4, 3), (5, 6, 3)),
    "conv3d_transposed": (lambda k: k.Conv3DTranspose(3, 2, 2), (3, 4, 5, 2)),
    "depthwise": (lambda k: k.DepthwiseConv2D(3, 2, "same", depth_multiplier=2), (9, 8, 3)),
    "depthwise_dilated": (lambda k: k.DepthwiseConv2D(3, dilation_rate=2), (9, 8, 3)),
    "depthwise1d": (lambda k: k.DepthwiseConv1D(3, padding="same"), (9, 3)),
    "separable": (lambda k: k.SeparableConv2D(4, 3, padding="same"), (9, 8, 3)),
    "separable1d": (lambda k: k.SeparableConv1D(4, 3), (9, 3)),
    "max_pool1d": (lambda k: k.MaxPooling1D(3, 2, "same"), (9, 3)), "avg_pool1d": (lambda k: k.AveragePooling1D(2), (9, 3)),
    "max_pool3d": (lambda k: k.MaxPooling3D(2, padding="same"), (5, 6, 7, 2)), "avg_pool3d": (lambda k: k.AveragePooling3D(2), (5, 6, 7, 2)),
    "global_pools": (lambda k: lambda x: k.Concatenate()([k.GlobalMaxPooling2D()(x), k.GlobalAveragePooling2D()(x)]), (5, 6, 3)),
    "adaptive_pool": (lambda k: k.AdaptiveAveragePooling2D(2), (6, 8, 3)) if hasattr(tf.keras.layers, "AdaptiveAveragePooling2D") else (lambda k: k.Identity(), (3,)),
    "batch_norm": (lambda k: k.BatchNormalization(), (5, 6, 3)), "layer_norm": (lambda k: k.LayerNormalization(), (5, 8)),
    "layer_norm_axes": (lambda k: k.LayerNormalization(axis=(1, 2)), (5, 8)), "group_norm": (lambda k: k.GroupNormalization(2), (5, 6, 4)),
    "rms_norm": (lambda k: k.RMSNormalization(), (8,)), "unit_norm": (lambda k: k.UnitNormalization(), (8,)),
    "spectral": (lambda k: k.SpectralNormalization(k.Dense(4)), (8,)),
    "einsum_dense": (lambda k: k.EinsumDense("abc,cd->abd", (None, 6), bias_axes="d"), (5, 8)),
    "upsampling": (lambda k: k.UpSampling2D(2), (4, 5, 3)), "upsampling_bilinear": (lambda k: k.UpSampling2D((2, 3), interpolation="bilinear"), (4, 5, 3)),
    "upsampling1d": (lambda k: k.UpSampling1D(2), (4, 3)), "upsampling3d": (lambda k: k.UpSampling3D(2), (2, 3, 4, 3)),
    "padding": (lambda k: k.ZeroPadding2D(((1, 2), (0, 3))), (4, 5, 3)), "cropping": (lambda k: k.Cropping2D(((1, 1), (0, 2))), (4, 5, 3)),
    "flatten": (lambda k: k.Flatten(), (4, 5, 3)), "permute": (lambda k: k.Permute((2, 1)), (4, 5)),
    "reshape": (lambda k: k.Reshape((-1, 2)), (4, 5)), "repeat": (lambda k: k.RepeatVector(3), (5,)),
    "dot": (lambda k: lambda x: k.Dot(axes=2, normalize=True)([x, x]), (4, 5)),
    "merges": (lambda k: lambda x: k.Concatenate(1)([k.Add()([x, x]), k.Multiply()([x, x]), k.Average()([x, x]), k.Maximum()([x, -x]), k.Minimum()([x, -x]), k.Subtract()([x, x * 2])]), (4, 5)),
    "rescaling": (lambda k: k.Rescaling(1 / 255, -1), (4, 5, 3)), "resizing": (lambda k: k.Resizing(7, 3), (4, 5, 3)),
    "resizing_nearest": (lambda k: k.Resizing(7, 3, "nearest"), (4, 5, 3)), "center_crop": (lambda k: k.CenterCrop(3, 2), (5, 5, 3)),
    "normalization": (lambda k: k.Normalization(mean=[1.0, 2, 3], variance=[1.0, 4, 9]), (4, 3)),
    "discretization": (lambda k: k.Discretization([-1.0, 0.0, 0.5]), (6,)),
    "simple_rnn": (lambda k: k.SimpleRNN(4), (5, 3)), "gru_backwards": (lambda k: k.GRU(4, go_backwards=True, return_sequences=True), (5, 3)),
    "lstm_unrolled": (lambda k: k.LSTM(4, unroll=True), (5, 3)), "stacked": (lambda k: k.RNN([k.LSTMCell(4), k.GRUCell(3)]), (5, 3)),
    "bidirectional": (lambda k: k.Bidirectional(k.GRU(4, return_sequences=True), merge_mode="ave"), (5, 3)),
    "conv_lstm": (lambda k: k.ConvLSTM2D(3, 2), (4, 5, 6, 2)), "time_distributed": (lambda k: k.TimeDistributed(k.Dense(3)), (5, 4)),
    "attention": (lambda k: lambda x: k.Attention()([x, x]), (5, 4)), "additive_attention": (lambda k: lambda x: k.AdditiveAttention()([x, x]), (5, 4)),
    "grouped_attention": (lambda k: lambda x: k.GroupQueryAttention(4, 4, 2)(x, x), (5, 8)),
    "masking": (lambda k: lambda x: k.LSTM(3)(k.Masking()(x * k.ReLU()(x[:, :1] * 0 + 1))), (5, 4)),
    "ops": (lambda k: lambda x: tf.keras.ops.concatenate([tf.keras.ops.cumsum(x, 1), tf.keras.ops.flip(x, 1), tf.keras.ops.logsumexp(x, 1, True) * x, tf.keras.ops.norm(x, axis=1, keepdims=True) * x, tf.keras.ops.roll(x, 2, 1), tf.keras.ops.sort(x, 1), tf.keras.ops.take(x, [0, 2], 1), tf.keras.ops.tril(x), tf.keras.ops.var(x, 1, True) * x, tf.keras.ops.median(x, 1, True) * x, tf.keras.ops.clip(x, -1, 1), tf.keras.ops.diff(x, axis=1)], 1), (6, 6)),
}  # fmt: skip
for _name, (_make, _shape) in _LAYERS.items():
    CASES[f"layer_{_name}"] = _layer(_make, *_shape)
CASES["layer_embedding"] = _layer(lambda k: k.Embedding(20, 4), 6, ids=20)
CASES["layer_one_hot"] = _layer(lambda k: k.CategoryEncoding(8, "one_hot"), 1, ids=8)


# ----------------------------------------------------------------------------------------------------------- control flow


class Function(tf.Module):
    """A module that is one `tf.function`."""

    def __init__(self, function: Callable[..., Any], *specs: tf.TensorSpec) -> None:
        super().__init__()
        self.__dict__["_function"] = function
        self.run = tf.function(function, input_signature=specs)


def _function(function: Callable[..., Any], specs: Sequence[Any], batches: Sequence[Mapping[str, Any]]) -> Case:
    module = Function(function, *specs)
    return Case(module, batches, module.run, "run")


@case
def autograph_while() -> Case:
    """A loop until data say stop."""

    def halve(x: Any) -> Any:
        count = tf.constant(0)
        while tf.reduce_sum(tf.abs(x)) > 1.0:
            x = x / 2.0
            count += 1
        return x, count

    specs = [tf.TensorSpec([None, 3], tf.float32, name="x")]
    return _function(halve, specs, [{"x": numbers(2, 3) * 100}, {"x": numbers(4, 3, seed=1)}])


@case
def autograph_if() -> Case:
    """A branch on data, and one in it on sizes."""

    def choose(x: Any) -> Any:
        if tf.reduce_mean(x) > 0.0:
            y = x * 2.0
        else:
            y = -x if tf.shape(x)[0] > 2 else x + 1.0
        return y

    specs = [tf.TensorSpec([None], tf.float32, name="x")]
    return _function(choose, specs, [{"x": numpy.abs(numbers(4))}, {"x": -numpy.abs(numbers(4))},
                                     {"x": -numpy.abs(numbers(2))}])  # fmt: skip


@case
def autograph_for_break() -> Case:
    """A loop over rows that ends where data say."""

    def until(x: Any) -> Any:
        total = tf.zeros([3])
        for row in x:
            if tf.reduce_sum(row) > 2.0:
                break
            total += row
        return total

    specs = [tf.TensorSpec([None, 3], tf.float32, name="x")]
    return _function(until, specs, [{"x": numbers(6, 3)}, {"x": numbers(9, 3, seed=1) - 1}])


@case
def tensor_array() -> Case:
    """A `TensorArray` that is written in a loop and stacked."""

    def squares(x: Any) -> Any:
        n = tf.shape(x)[0]
        array = tf.TensorArray(tf.float32, size=n)
        state = tf.zeros([3])
        for i in tf.range(n):
            state = 0.5 * state + x[i]
            array = array.write(i, state * state)
        return array.stack()

    specs = [tf.TensorSpec([None, 3], tf.float32, name="x")]
    return _function(squares, specs, [{"x": numbers(6, 3)}, {"x": numbers(4, 3, seed=1)}])


@case
def growing_list() -> Case:
    """A `TensorArray` that grows in a loop of a known number of rounds."""

    def grown(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(5):
            array = array.write(i, x * tf.cast(i, tf.float32))
        return array.stack()

    specs = [tf.TensorSpec([None], tf.float32, name="x")]
    return _function(grown, specs, [{"x": numbers(3)}, {"x": numbers(4)}])


@case
def case_of_three() -> Case:
    """A branch of three, by a number."""

    def chosen(i: Any, x: Any) -> Any:
        return tf.switch_case(i, [lambda: x, lambda: x * x, lambda: tf.sin(x)])

    specs = [tf.TensorSpec([], tf.int32, name="i"), tf.TensorSpec([None], tf.float32, name="x")]
    return _function(chosen, specs, [{"i": numpy.int32(k), "x": numbers(3)} for k in (0, 1, 2, 7, -1)])


class _Nested(tf.Module):
    """Loops in loops and branches, with lists and a variable that is written inside."""

    def __init__(self) -> None:
        super().__init__()
        self.total = tf.Variable(tf.zeros([3]))

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="x")])
    def __call__(self, x: Any) -> Any:
        n = tf.shape(x)[0]
        rows = tf.TensorArray(tf.float32, n)
        last = tf.zeros([3])
        for i in tf.range(n):
            inner = tf.TensorArray(tf.float32, 4)
            for j in tf.range(4):
                inner = inner.write(j, x[i] * tf.cast(j + i, tf.float32))
                self.total.assign_add(x[i])
            if tf.reduce_sum(x[i]) > 0.0:
                last = last + tf.reduce_sum(inner.stack(), 0)
                self.total.assign(self.total * 0.5)
            else:
                steps = 0
                while tf.reduce_sum(tf.abs(last)) > 0.5:
                    last = last * 0.5
                    steps += 1
                last = last + tf.cast(steps, tf.float32)
            rows = rows.write(n - 1 - i, last)
        evens = tf.TensorArray(tf.float32, n)
        for i in tf.range(0, n, 2):
            evens = evens.write(i, x[i])
        return rows.stack(), self.total.read_value(), evens.stack()


@case
def nested() -> Case:
    """Loops and branches inside of each other."""
    return Case(_Nested(), [{"x": numbers(k, 3, seed=k)} for k in (4, 6, 5)], signature="__call__", trains=True)


# ------------------------------------------------------------------------------------------------------------------ state


class Counter(tf.Module):
    """Counts its calls, and remembers the mean of what it saw."""

    def __init__(self) -> None:
        super().__init__()
        self.count = tf.Variable(0, dtype=tf.int64)
        self.mean = tf.Variable(tf.zeros([3]))
        self.table = tf.Variable(tf.zeros([5, 3]))

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="x")])
    def __call__(self, x: Any) -> Any:
        self.count.assign_add(1)
        self.mean.assign(self.mean + (tf.reduce_mean(x, 0) - self.mean) / tf.cast(self.count, tf.float32))
        self.table.scatter_add(tf.IndexedSlices(x[:1], tf.cast(self.count[None], tf.int32) % 5))
        return x - self.mean, self.count.read_value(), tf.gather(self.table, [1, 2])


@case
def counters() -> Case:
    """A `tf.Module` whose variables change."""
    return Case(Counter(), [{"x": numbers(4, 3, seed=k)} for k in range(3)], signature="__call__", trains=True)


class _Guarded(tf.Module):
    """Writes its variable in one branch only, and in a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.total = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
    def __call__(self, x: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            self.total.assign_add(tf.reduce_sum(x))
        for _ in tf.range(3):
            self.total.assign(self.total * 0.5)
        return self.total + x


@case
def assigned_in_branches() -> Case:
    """A variable that a branch and a loop write."""
    return Case(_Guarded(), [{"x": numpy.float32([1, 2])}, {"x": numpy.float32([-1, -2])}, {"x": numpy.float32([8])}],
                signature="__call__", trains=True)  # fmt: skip


class Net(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.conv = tf.keras.layers.Conv2D(4, 3, padding="same", activation="relu")
        self.norm = tf.keras.layers.BatchNormalization()
        self.pool = tf.keras.layers.MaxPooling2D()
        self.flat = tf.keras.layers.Flatten()
        self.dense = tf.keras.layers.Dense(3)

    def call(self, x: Any, training: bool = False) -> Any:
        return self.dense(self.flat(self.pool(self.norm(self.conv(x), training=training))))


class _Modes(tf.Module):
    """A subclassed model, to be called in both modes."""

    def __init__(self, net: Any) -> None:
        super().__init__()
        self.net = net
        self.evaluating = tf.function(lambda x: net(x, training=False), input_signature=[_IMAGES])
        self.training = tf.function(lambda x: net(x, training=True), input_signature=[_IMAGES])


_IMAGES = tf.TensorSpec([None, 8, 8, 2], tf.float32, name="x")


def _subclassed(mode: str) -> Case:
    net = Net()
    net(numbers(1, 8, 8, 2))
    module = _Modes(randomized(net))
    return Case(module, [{"x": numbers(4, 8, 8, 2, seed=k)} for k in range(2)], getattr(module, mode), mode,
                trains=mode == "training")  # fmt: skip


@case
def subclassed_evaluating() -> Case:
    """A subclassed model with batch normalization by its running statistics."""
    return _subclassed("evaluating")


@case
def subclassed_training() -> Case:
    """The same by statistics of the batch, which move the running ones."""
    return _subclassed("training")


class Training(tf.Module):
    """A training step with Adam: loss, tape, update."""

    def __init__(self, net: Any, loss: Any, spec: Any, optimizer: Any = None) -> None:
        super().__init__()
        self.net = net
        self.optimizer = tf.keras.optimizers.Adam(1e-2) if optimizer is None else optimizer
        self.optimizer.build(net.trainable_variables)
        optimizer = self.optimizer

        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                value = loss(net(x, training=True), y)
            gradients = tape.gradient(value, net.trainable_variables)
            optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
            return value

        self.step = tf.function(step, input_signature=[spec, tf.TensorSpec([None], tf.int32, name="y")])


def _crossed(logits: Any, y: Any) -> Any:
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))


def _steps(*shape: int, classes: int = 3) -> list[dict[str, Any]]:
    return [{"x": numbers(*shape, seed=k),
             "y": numpy.random.default_rng(k).integers(0, classes, shape[0]).astype("int32")} for k in range(3)]  # fmt: skip


@case
def training_step() -> Case:
    """Three steps of a small dense net."""
    tf.keras.utils.set_random_seed(0)
    layers = tf.keras.layers
    net = tf.keras.Sequential([layers.Input((6,)), layers.Dense(16, activation="relu"), layers.Dense(3)])
    module = Training(net, _crossed, tf.TensorSpec([None, 6], tf.float32, name="x"))
    return Case(module, _steps(8, 6), module.step, "step", trains=True)


@case
def training_step_of_images() -> Case:
    """Three steps of a small convolutional net with batch normalization and both kinds of pooling."""
    tf.keras.utils.set_random_seed(0)
    layers = tf.keras.layers
    net = tf.keras.Sequential([
        layers.Input((8, 8, 2)), layers.Conv2D(4, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(),
        layers.MaxPooling2D(), layers.Conv2D(4, 3, padding="same", activation="tanh"), layers.AveragePooling2D(2),
        layers.Flatten(), layers.Dense(3, activation="sigmoid"),
    ])  # fmt: skip
    module = Training(net, _crossed, tf.TensorSpec([None, 8, 8, 2], tf.float32, name="x"))
    return Case(module, _steps(4, 8, 8, 2), module.step, "step", trains=True)


@case
def gradient_of_loop() -> Case:
    """TensorFlow's own gradient of a loop that keeps its states in a list."""

    def computed(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            state, states = tf.zeros([3]), tf.TensorArray(tf.float32, tf.shape(x)[0])
            for i in tf.range(tf.shape(x)[0]):
                state = tf.tanh(x[i] + tf.linalg.matvec(w, state))
                states = states.write(i, state)
            loss = tf.reduce_sum(states.stack() ** 2)
        return tape.gradient(loss, [x, w])

    specs = [tf.TensorSpec([None, 3], tf.float32, name="x"), tf.TensorSpec([3, 3], tf.float32, name="w")]
    return _function(computed, specs, [{"x": numbers(k, 3), "w": numbers(3, 3, seed=1)} for k in (4, 6)])


@case
def training_step_of_sequences() -> Case:
    """Three steps of a recurrent net: TensorFlow's own gradient of its loop."""
    tf.keras.utils.set_random_seed(0)
    layers = tf.keras.layers
    net = tf.keras.Sequential([layers.Input((5, 2)), layers.LSTM(4, return_sequences=True), layers.GRU(3)])
    module = Training(net, _crossed, tf.TensorSpec([None, 5, 2], tf.float32, name="x"))
    return Case(module, _steps(4, 5, 2), module.step, "step", trains=True)


# ----------------------------------------------------------------------------------------------------------------- others


@case
def random_bits() -> Case:
    """Stateless random numbers: their bits are TensorFlow's."""

    def drawn(seed: Any) -> Any:
        return (
            tf.random.stateless_uniform([5, 3], seed), tf.random.stateless_uniform([7], seed, -2, 3),
            tf.random.stateless_uniform([9], seed, 0, 100, tf.int32),
            tf.random.stateless_uniform([3], seed, dtype=tf.float64),
            tf.random.stateless_uniform([6], seed, None, None, tf.int32),
            tf.random.stateless_normal([4, 3], seed),
        )  # fmt: skip

    specs = [tf.TensorSpec([2], tf.int32, name="seed")]
    return _function(drawn, specs, [{"seed": numpy.int32([1, 2])}, {"seed": numpy.int32([-5, 70000])}])


class _Dropout(tf.Module):
    """A layer that drops by a seed, which is a variable and changes at each call."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = tf.keras.layers.Dropout(0.5, seed=3)
        self.seed = self.layer.seed_generator.state.value

    @tf.function(input_signature=[tf.TensorSpec([None, 6], tf.float32, name="x")])
    def __call__(self, x: Any) -> Any:
        return self.layer(x, training=True)


@case
def dropout() -> Case:
    """Keras's dropout while it trains: the same elements as TensorFlow's."""
    return Case(_Dropout(), [{"x": numbers(4, 6, seed=k)} for k in range(4)], signature="__call__", trains=True)


@case
def slices() -> Case:
    """Slices of all kinds, gathers, joins, sorts."""

    def parts(x: Any) -> Any:
        n = tf.shape(x)[0]
        return (
            x[1:, ..., ::2], x[:, 1, None], x[..., -1], x[::-1, :2], x[-2:n, tf.newaxis], x[n - 1],
            tf.gather(x, [0, 2, 1], axis=1), tf.gather(x, tf.zeros([n, 2], tf.int32), axis=1, batch_dims=1),
            tf.gather_nd(x, [[0, 1], [1, 0]]), tf.concat([x, x[:1]], 0), tf.stack([x, x], 1), tf.tile(x, [2, 1, 1]),
            tf.pad(x, [[1, 0], [0, 2], [0, 0]], constant_values=3.0), tf.pad(x, [[0, 0], [1, 1], [2, 0]], "REFLECT"),
            tf.pad(x, [[0, 0], [1, 1], [2, 0]], "SYMMETRIC"), tf.reverse(x, [1]), tf.math.top_k(x, 2)[0],
            tf.math.top_k(x, 2)[1], tf.argmax(x, -1), tf.argmin(x, 1), tf.cumsum(x, 1, exclusive=True, reverse=True),
            tf.linalg.band_part(x, 1, 0), tf.one_hot(tf.argmax(x, -1), 4), tf.transpose(x, [2, 0, 1]),
            tf.expand_dims(x, -2), tf.squeeze(x[:, :1], 1), tf.split(x, [1, 3], 2)[1], tf.split(x, 2, 2)[0],
            tf.reshape(x, [n, -1]), tf.unstack(x, axis=2)[1], tf.einsum("bij,bkj->bik", x, x), tf.broadcast_to(x[:1], tf.shape(x)),
            tf.repeat(x, 2, axis=1), tf.roll(x, 1, 1), tf.sort(x, -1), tf.argsort(x, 1), tf.where(x > 0, x, 0.0),
            tf.math.reduce_std(x, 1), tf.reduce_logsumexp(x, [1, 2]), tf.boolean_mask(x, [True, False, True], axis=1),
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 3, 4], tf.float32, name="x")]
    return _function(parts, specs, [{"x": numbers(3, 3, 4)}, {"x": numbers(5, 3, 4, seed=1)}])


@case
def arithmetic() -> Case:
    """Elementwise functions, on floats and integers."""

    def computed(x: Any, i: Any) -> Any:
        m = tf.math
        return (
            m.divide_no_nan(x, m.maximum(x, 0.0)), m.squared_difference(x, 1.0), m.xlogy(m.abs(x), m.abs(x)), m.erfc(x),
            m.erf(x), m.log1p(m.abs(x)), m.rsqrt(m.abs(x)), m.softplus(x), tf.nn.elu(x), tf.nn.selu(x), tf.nn.gelu(x),
            tf.nn.gelu(x, approximate=True), tf.nn.swish(x), tf.nn.leaky_relu(x), tf.nn.relu6(x * 5), m.sign(x),
            m.round(x * 3), m.floor(x), m.ceil(x), x ** 2.0, m.floormod(x, 0.7), m.floordiv(x, 0.7), x > 0, m.is_nan(x),
            i // 3, i % 3, tf.cast(x * 10, tf.int32), tf.bitwise.bitwise_and(i, 6), m.floormod(i, -3), -i, i * i,
            tf.cast(i, tf.bool), m.atan2(x, 0.5), m.sinh(x), tf.clip_by_value(x, -0.5, 0.5), m.lgamma(m.abs(x)),
            m.reciprocal(x), tf.nn.log_softmax(x), tf.nn.softsign(x), m.logical_and(x > 0, x < 1), m.cumprod(x, 1),
            tf.nn.l2_normalize(x, 1), tf.truncatediv(i, 3), m.reduce_any(x > 2), m.reduce_prod(x, 0), tf.norm(x),
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 4], tf.float32, name="x"), tf.TensorSpec([None], tf.int32, name="i")]
    return _function(computed, specs, [{"x": numbers(3, 4), "i": numpy.int32([-7, 0, 5, 9])},
                                       {"x": numbers(2, 4, seed=1), "i": numpy.int32([-1, 8])}])  # fmt: skip


@case
def images() -> Case:
    """Windows over images, resized images, transposed and grouped convolutions."""
    w = tf.constant(numbers(3, 3, 4, 6, seed=5) / 3)

    def computed(x: Any) -> Any:
        nn, image, v1 = tf.nn, tf.image, tf.compat.v1.image
        n = tf.shape(x)[0]
        return (
            nn.conv2d(x, w, 2, "SAME"), nn.conv2d(x, w, 1, "VALID", dilations=2),
            nn.conv2d(x, w, 2, [[0, 0], [1, 0], [0, 2], [0, 0]]), nn.conv2d(x, w[:, :, :2], 1, "SAME"),
            nn.depthwise_conv2d(x, w[:, :, :, :2], [1, 2, 2, 1], "SAME"),
            nn.conv2d_transpose(x, tf.transpose(w, [0, 1, 3, 2]), [n, 16, 14, 6], 2, "SAME"),
            nn.max_pool2d(x, 3, 2, "SAME"), nn.max_pool2d(x, 2, 2, "VALID"), nn.avg_pool2d(x, 3, 2, "SAME"),
            image.resize(x, [5, 9]), image.resize(x, [16, 14], "nearest"), image.resize(x, [4, 4], antialias=False),
            nn.local_response_normalization(x), nn.space_to_depth(x[:, :, :6], 2), nn.conv1d(x[:, 0], w[0], 1, "SAME"),
            v1.resize_bilinear(x, [5, 9]), v1.resize_nearest_neighbor(x, [5, 9]),
            v1.resize_nearest_neighbor(x, [5, 9], align_corners=True), image.resize(x, [2 * n, 9]),
            nn.depth_to_space(x, 2), v1.resize_bilinear(x, [5, 9], align_corners=True),
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 8, 7, 4], tf.float32, name="x")]
    return _function(computed, specs, [{"x": numbers(2, 8, 7, 4)}, {"x": numbers(3, 8, 7, 4, seed=1)}])


@case
def asserted() -> Case:
    """An assertion of data, and one of sizes."""

    def checked(x: Any) -> Any:
        tf.debugging.assert_greater(x, -100.0, message="too small")
        tf.debugging.assert_equal(tf.shape(x)[1], 3)
        return tf.sqrt(tf.abs(x))

    specs = [tf.TensorSpec([None, 3], tf.float32, name="x")]
    return _function(checked, specs, [{"x": numbers(2, 3)}, {"x": numbers(4, 3)}])


@case
def structured() -> Case:
    """A Keras model of two inputs and two results by name."""
    layers = tf.keras.layers
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((3,), name="b")
    y = layers.Concatenate()([layers.Dense(5)(a), layers.Dense(2)(b)])
    net = tf.keras.Model({"a": a, "b": b}, {"joined": y, "sum": layers.Dense(1)(y)})
    return Case(randomized(net), [{"a": numbers(2, 4), "b": numbers(2, 3)}, {"a": numbers(3, 4), "b": numbers(3, 3)}])


# -------------------------------------------------------------------------------------------------- operators by themselves


@case
def raw_elementwise() -> Case:
    """Operators that compute element by element, by their own names."""
    r = tf.raw_ops

    def computed(x: Any, y: Any, i: Any, j: Any) -> Any:
        unit, above = x / 10, tf.abs(x) + 1
        return (
            r.Acos(x=unit), r.Acosh(x=above), r.Add(x=x, y=y), r.ApproximateEqual(x=x, y=x + 1e-6), r.Asin(x=unit),
            r.Asinh(x=x), r.Atan(x=x), r.Atanh(x=unit), r.Cos(x=x), r.Cosh(x=x), r.Digamma(x=above), r.Div(x=i, y=j),
            r.Inv(x=above), r.IsInf(x=x / 0.0), r.LogicalOr(x=x > 0, y=y > 0), r.Mod(x=i, y=j), r.MulNoNan(x=x / 0.0, y=y * 0),
            r.OnesLike(x=x), r.PreventGradient(input=x), r.Rint(x=x * 3), r.Select(condition=x > 0, x=x, y=y), r.Snapshot(input=x),
            r.Tan(x=x), r.TruncateMod(x=i, y=j), r.Xlog1py(x=above, y=above), r.ClipByValue(t=x, clip_value_min=-0.5, clip_value_max=0.5),
            r.BitwiseOr(x=i, y=j), r.BitwiseXor(x=i, y=j), r.Invert(x=i), r.LeftShift(x=i, y=j % 4), r.RightShift(x=i, y=j % 4),
            r.Bitcast(input=x, type=tf.int32), r.CheckNumerics(tensor=x, message="odd"), r.EnsureShape(input=x, shape=[None, 4]),
            r.L2Loss(t=x), r.Select(condition=x[:, 0] > 0, x=x, y=y), r.FloorDiv(x=i, y=j), r.FloorMod(x=x, y=y),
            r.SoftmaxCrossEntropyWithLogits(features=x, labels=tf.nn.softmax(y))[0],
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 4], tf.float32, name="x"), tf.TensorSpec([None, 4], tf.float32, name="y"),
             tf.TensorSpec([None], tf.int32, name="i"), tf.TensorSpec([None], tf.int32, name="j")]  # fmt: skip
    batches = [{"x": numbers(k, 4), "y": numbers(k, 4, seed=1), "i": numpy.int32([-7, 5, 6, -9, 8][:k]),
                "j": numpy.int32([2, 3, -4, 5, 7][:k])} for k in (3, 5)]  # fmt: skip
    return _function(computed, specs, batches)


@case
def raw_arrays() -> Case:
    """Operators that move elements, by their own names."""
    r = tf.raw_ops

    def computed(x: Any, at: Any) -> Any:
        n = tf.shape(x)[0]
        points = tf.stack([at, at], 1)
        rows = tf.gather(x, at)
        lists = tf.TensorArray(tf.float32, 3, element_shape=[4]).unstack(x[:3])
        return (
            r.BatchMatMul(x=x[None], y=x[None], adj_y=True), r.BroadcastArgs(s0=[n, 1], s1=[4]), r.Concat(concat_dim=1, values=[x, x]),
            r.DynamicStitch(indices=[[2, 0], [1]], data=[x[:2], x[:1]]), r.Gather(params=x, indices=at),
            r.InvertPermutation(x=[2, 0, 1]), r.Min(input=x, axis=1), r.Rank(input=x), r.Size(input=x),
            r.ScatterNd(indices=points, updates=rows[:, 0], shape=[n, 4]), r.Slice(input=x, begin=[1, 0], size=[-1, 2]),
            r.TensorScatterAdd(tensor=x, indices=at[:, None], updates=rows), r.TensorScatterSub(tensor=x, indices=at[:, None], updates=rows),
            r.TensorScatterUpdate(tensor=x, indices=at[:1, None], updates=rows[:1]), r.UnsortedSegmentSum(data=x[:2], segment_ids=[1, -1], num_segments=3),
            lists.gather([2, 0]), lists.concat(), lists.size(), tf.slice(x, [at[0], 0], [1, 3]), x[at[1]], x[at[0], 1:],
            r.Fill(dims=[n, 2], value=x[0, 0]), tf.range(n) * 2, tf.linspace(0.0, 1.0, 5),
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 4], tf.float32, name="x"), tf.TensorSpec([2], tf.int32, name="at")]
    return _function(computed, specs, [{"x": numbers(k, 4), "at": numpy.int32([1, 2])} for k in (3, 5)])


@case
def sorted_integers() -> Case:
    """Few integers in order: how many there are is known, which ones is not."""

    def computed(i: Any) -> Any:
        return tf.argsort(i), tf.range(tf.size(i)) + i, tf.gather(i, tf.range(tf.shape(i)[0])[::-1])

    specs = [tf.TensorSpec([None], tf.int32, name="i")]
    return _function(computed, specs, [{"i": numpy.int32([3, 0, 1, 2])}, {"i": numpy.int32([0, 2, 1])}])


@case
def raw_segments() -> Case:
    """Elements by numbers: segments, counts, places in sorted arrays; a few functions of numbers."""
    m, r = tf.math, tf.raw_ops

    def computed(x: Any, i: Any) -> Any:
        rows, share = tf.sort(x, 1), tf.sigmoid(x)
        return (
            m.unsorted_segment_sum(x, i - 1, 4), m.unsorted_segment_max(x, i - 1, 4), m.unsorted_segment_min(x, i, 5),
            m.unsorted_segment_prod(x, i, 4), m.unsorted_segment_mean(x, i, 4), m.unsorted_segment_max(i, i, 5),
            tf.tensor_scatter_nd_max(x, i[:, None] % 2, 2 * x), tf.tensor_scatter_nd_min(x, i[:, None] % 2, 2 * x),
            r.DenseBincount(input=i, size=4, weights=x[:, 0]), r.DenseBincount(input=i[None], size=2, weights=[0, 0][:0]),
            r.DenseBincount(input=i, size=5, weights=x[:0, 0], binary_output=True), m.confusion_matrix(i, i[::-1], 4),
            tf.histogram_fixed_width(x, [-1.0, 1.0], 5), tf.reverse_sequence(x, i, 1), tf.reverse_sequence(x, [1, 0, 2, 3], 0, 1),
            tf.searchsorted(rows, x), tf.searchsorted(rows, x, side="right"), m.cumulative_logsumexp(3 * x, 1),
            m.cumulative_logsumexp(x, 0, reverse=True), m.xdivy(m.maximum(x, 0.0), m.maximum(x, 0.0)), m.nextafter(x, 0.0 * x),
            m.erfinv(x / 9), m.ndtri(share), m.bessel_i0(x), m.bessel_i0e(x), m.polygamma(2.0, 1 + share), m.reduce_euclidean_norm(x, 1),
            r.TensorStridedSliceUpdate(input=x, begin=[0, 1], end=[2, 3], strides=[1, 1], value=tf.zeros([2, 2])), tf.norm(x, ord=1, axis=[-2, -1]),
            tf.quantization.fake_quant_with_min_max_args(x, -1.0, 1.2), tf.quantization.fake_quant_with_min_max_vars(x, 0.1, 1.0, 4, True),
            tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [-1.0, 0, -2, -3], [1.0, 1, 0, 1]),
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 4], tf.float32, name="x"), tf.TensorSpec([None], tf.int32, name="i")]
    return _function(computed, specs, [{"x": numbers(k, 4), "i": numpy.int32([0, 3, 1, 1, 2][:k])} for k in (4, 5)])


@case
def raw_colours() -> Case:
    """What images show: colours, contrast, patches, regions, places of the largest pixels."""
    image, nn = tf.image, tf.nn

    def computed(x: Any, boxes: Any) -> Any:
        k = tf.range(tf.shape(boxes)[0]) % 2
        return (
            image.rgb_to_hsv(x), image.hsv_to_rgb(x), image.adjust_hue(x, 0.3), image.adjust_saturation(x, 1.7),
            image.adjust_contrast(x, 1.5), image.crop_and_resize(x, boxes, k, [4, 3], extrapolation_value=0.5),
            image.crop_and_resize(x, boxes, 1 - k, [1, 5], "nearest"), image.extract_patches(x, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 2, 1], "SAME"),
            image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"), *nn.max_pool_with_argmax(x, 2, 2, "SAME"),
            nn.max_pool_with_argmax(x, 3, 1, "VALID", include_batch_in_index=True)[1],
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 6, 5, 3], tf.float32, name="x"), tf.TensorSpec([None, 4], tf.float32, name="boxes")]
    boxes = numpy.float32([[0, 0, 1, 1], [0.1, 0.6, 0.8, 0.2], [-0.3, 0.2, 0.5, 1.4]])
    return _function(computed, specs, [{"x": abs(numbers(k, 6, 5, 3)) % 1, "boxes": boxes} for k in (2, 3)])


@case
def resized_images() -> Case:
    """Images at other sizes by every kernel, with and without antialiasing; numbers encoded as counts."""
    image, v1 = tf.image, tf.compat.v1.image

    def computed(x: Any, i: Any) -> Any:
        ways = ("bicubic", "area", "lanczos3", "gaussian", "mitchellcubic", "bilinear")
        return (
            *(image.resize(x, [3, 7], way, antialias=way != "bicubic") for way in ways), image.resize(x, [9, 2], "bicubic"),
            image.resize(x, [9, 4], "lanczos5"), v1.resize_bicubic(x, [9, 4], align_corners=True), v1.resize_bicubic(x, [3, 7]),
            v1.resize_area(x, [4, 7], align_corners=True), tf.math.bincount(i, minlength=6, maxlength=6),
            tf.math.bincount(tf.stack([i, i], 0), minlength=4, maxlength=4, axis=-1, binary_output=True),
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 5, 6, 1], tf.float32, name="x"), tf.TensorSpec([None], tf.int32, name="i")]
    return _function(computed, specs, [{"x": numbers(k, 5, 6, 1), "i": numpy.int32([3, 0, 1, 5][:k])} for k in (2, 3)])


@case
def raw_matrices() -> Case:
    """Diagonals of matrices, factors, solutions of equations."""
    linalg, r = tf.linalg, tf.raw_ops

    def computed(x: Any) -> Any:
        b, batch = x[:, :, :2], tf.shape(x)[0]
        a = linalg.matmul(x, x, transpose_b=True) + tf.eye(3, batch_shape=[batch])
        symmetric, (s, u, v) = (a + linalg.matrix_transpose(a)) / 2, linalg.svd(b)
        edges = linalg.diag_part(x, k=(-1, 2), padding_value=7.0)
        return (
            linalg.diag_part(x), edges, linalg.diag_part(x, k=-1), linalg.diag_part(x, k=(-2, 1), align="LEFT_RIGHT"), linalg.trace(x),
            linalg.diag(edges[:, 1:], k=(-1, 1), num_rows=3, num_cols=4), linalg.diag(x[:, 0], k=-1, padding_value=2.0), linalg.diag(x[:, 1]),
            linalg.set_diag(x, x[:, 0, :3]), linalg.tensor_diag(x[0, :2]), linalg.tensor_diag_part(a[0]),
            linalg.cross(x[..., :3], x[..., 1:]), tf.eye(batch, 3), r.MatrixDiag(diagonal=x[:, 0]), r.MatrixDiagPart(input=x),
            r.MatrixSetDiag(input=a, diagonal=x[:, 0, :3]), linalg.cholesky(a), linalg.cholesky_solve(linalg.cholesky(a), b), linalg.inv(a),
            linalg.inv(x[..., 1:] + 5 * tf.eye(3), adjoint=True), linalg.solve(x[..., 1:] + 5 * tf.eye(3), b, adjoint=True), linalg.det(a), linalg.slogdet(a),
            linalg.triangular_solve(a, b), linalg.triangular_solve(a[0], b, lower=False, adjoint=True), linalg.lu(x[..., :3]), linalg.lstsq(a, b),
            s, u @ linalg.diag(s) @ linalg.matrix_transpose(v), tf.abs(linalg.qr(b)[1]), linalg.eigvalsh(symmetric), tf.abs(linalg.eigh(symmetric)[1]),
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 3, 4], tf.float32, name="x")]
    return _function(computed, specs, [{"x": numbers(2, 3, 4)}, {"x": numbers(3, 3, 4, seed=1)}])


@case
def raw_spectra() -> Case:
    """Complex numbers and Fourier transforms."""
    m, s = tf.math, tf.signal

    def computed(x: Any) -> Any:
        z = tf.complex(x, x[:, ::-1])
        product = tf.matmul(z, z, adjoint_b=True)
        spectra = (
            s.fft(z), s.ifft(z), s.fft2d(z), s.ifft2d(z), s.rfft(x), s.rfft(x, [5]), s.rfft(x, [20]), s.rfft2d(x),
            tf.transpose(z, conjugate=True), m.conj(z), tf.exp(z), z * z, product,
        )  # fmt: skip
        parts = [m.real(one) + 2 * m.imag(one) for one in spectra]
        return (
            *parts, tf.abs(z), m.angle(z), s.irfft(s.rfft(x)), s.irfft(z, [9]), s.irfft2d(s.rfft2d(x)), s.dct(x),
            tf.abs(s.stft(x, 4, 2)), s.frame(x, 5, 3), s.overlap_and_add(s.frame(x, 4, 2), 2), s.hann_window(6),
        )  # fmt: skip

    specs = [tf.TensorSpec([None, 12], tf.float32, name="x")]
    return _function(computed, specs, [{"x": numbers(2, 12)}, {"x": numbers(3, 12, seed=1)}])


@case
def gradient_of_branches() -> Case:
    """Branches inside of branches, under a tape in the same function: what they keep is handed to their gradient."""
    w = tf.constant(numbers(3, seed=4))

    def computed(x: Any, i: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.switch_case(i, [lambda: tf.exp(x) * x, lambda: tf.sin(x * w), lambda: x * w])
            if tf.reduce_sum(x) > 0:
                if x[0, 0] > 0:
                    y = tf.sin(y) * x
                else:
                    y = tf.cos(y) + x * x
            else:
                y = tf.tanh(y * x)
        return y, tape.gradient(y, x)

    specs = [tf.TensorSpec([None, 3], tf.float32, name="x"), tf.TensorSpec([], tf.int32, name="i")]
    rows = [[[1.0, 2, -1]], [[-1.0, 2, 1]], [[-1.0, -2, 1]]]
    return _function(
        computed, specs, [{"x": numpy.float32(one), "i": numpy.int32(i)} for i in range(3) for one in rows]
    )


class _Written(tf.Module):
    """Writes a variable in all ways."""

    def __init__(self) -> None:
        super().__init__()
        self.table = tf.Variable(numbers(5, 3))

    @tf.function(input_signature=[tf.TensorSpec([2], tf.int32, name="at"), tf.TensorSpec([2, 3], tf.float32, name="x")])
    def __call__(self, at: Any, x: Any) -> Any:
        r, handle = tf.raw_ops, self.table.handle
        r.ResourceScatterSub(resource=handle, indices=at, updates=x)
        first = self.table.read_value()
        r.ResourceScatterUpdate(resource=handle, indices=at, updates=x)
        r.ResourceScatterNdAdd(ref=handle, indices=at[:, None], updates=x)
        r.ResourceScatterNdSub(ref=handle, indices=tf.stack([at, at], 1) % 3, updates=x[:, 0])
        r.ResourceScatterNdUpdate(ref=handle, indices=[[4]], updates=x[:1])
        self.table[1:3, :2].assign(x[:, 1:])
        shape = r.VariableShape(input=handle)
        return (
            first,
            self.table.read_value(),
            shape,
            r.ResourceGatherNd(resource=handle, indices=[[0, 1]], dtype=tf.float32),
        )


@case
def raw_writes() -> Case:
    """Every operator that writes a part of a variable."""
    batches = [{"at": numpy.int32(at), "x": numbers(2, 3, seed=k)} for k, at in enumerate(([0, 2], [3, 1]))]
    return Case(_Written(), batches, signature="__call__", trains=True)


@case
def raw_gradients() -> Case:
    """Operators of gradients, by `GradientTape` of what they belong to."""

    def computed(x: Any, z: Any) -> Any:
        nn, image = tf.nn, tf.image
        w, v = tf.constant(numbers(3, 3, 2, 3, seed=4)), tf.constant(numbers(2, 2, 2, 1, 2, seed=5))
        results = []

        def of(function: Callable[..., Any], *xs: Any) -> None:
            with tf.GradientTape() as tape:
                tape.watch(xs)
                y = function(*xs)
                total = tf.reduce_sum(y * tf.sin(tf.reshape(tf.range(tf.cast(tf.size(y), tf.float32)), tf.shape(y))))
            results.extend(tape.gradient(total, xs))

        for function in (
            nn.relu6,
            nn.elu,
            nn.selu,
            nn.leaky_relu,
            nn.softplus,
            nn.softsign,
            tf.sqrt,
            tf.math.reciprocal,
            tf.tanh,
            tf.sigmoid,
            tf.math.rsqrt,
        ):
            of(function, tf.abs(x) + 0.1)
        of(nn.elu, x), of(nn.selu, x), of(nn.leaky_relu, x), of(nn.relu, x)
        of(lambda x: x[:, 1:, ::2], x), of(lambda x: tf.pad(x, [[0, 0], [1, 1], [2, 0], [0, 0]], "REFLECT"), x)
        (
            of(lambda x: tf.gather(x, [0, 0, 1]), x),
            of(lambda x, y: x * y[0, 0], x, x + 1),
            of(lambda x: tf.concat([x, 2 * x], 3), x),
        )
        of(lambda x: nn.conv2d(x, w, 2, "SAME"), x), of(lambda w: nn.conv2d(x, w, 1, "VALID"), w)
        (
            of(lambda x: nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), x),
            of(lambda w: nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), w),
        )
        of(lambda x: nn.max_pool2d(x, 3, 2, "SAME"), x), of(lambda x: nn.avg_pool2d(x, 3, 2, "SAME"), x)
        of(lambda z: nn.conv3d(z, v, [1] * 5, "SAME"), z), of(lambda v: nn.conv3d(z, v, [1] * 5, "SAME"), v)
        of(lambda z: nn.max_pool3d(z, 2, 2, "SAME"), z), of(lambda z: nn.avg_pool3d(z, 2, 2, "VALID"), z)
        of(lambda x: image.resize(x, [7, 9]), x), of(lambda x: image.resize(x, [12, 14], "nearest"), x)
        scale, shift = tf.constant([1.5, 0.5]), tf.constant([0.1, -0.2])
        of(lambda x, a, b: tf.compat.v1.nn.fused_batch_norm(x, a, b)[0], x, scale, shift)
        of(
            lambda x, a, b: tf.compat.v1.nn.fused_batch_norm(x, a, b, shift, tf.exp(shift), is_training=False)[0],
            x,
            scale,
            shift,
        )
        y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, scale, shift)
        return tuple(one.values if isinstance(one, tf.IndexedSlices) else one for one in [*results, y, mean, variance])

    specs = [
        tf.TensorSpec([None, 6, 7, 2], tf.float32, name="x"),
        tf.TensorSpec([None, 4, 5, 4, 1], tf.float32, name="z"),
    ]
    return _function(computed, specs, [{"x": numbers(k, 6, 7, 2), "z": numbers(k, 4, 5, 4, 1, seed=1)} for k in (2, 3)])


def flat(result: Any) -> list[numpy.ndarray[Any, Any]]:
    """The arrays of a result, in the order of `tf.nest`."""
    return [numpy.asarray(one) for one in tf.nest.flatten(result)]


def applied(one: Case, batch: Mapping[str, Any]) -> Any:
    """The result of a call: by TensorFlow itself."""
    call = one.call if one.call is not None else one.model
    arguments = [tf.constant(x) for x in batch.values()]
    if isinstance(one.model, tf.keras.Model):
        names = [x.name for x in one.model.inputs] if getattr(one.model, "inputs", None) else []
        return call(
            dict(zip(batch, arguments, strict=True)) if set(names) == set(batch) else arguments[0], training=False
        )
    return call(*arguments)


def write(folder: str, name: str) -> None:
    """Save a case's model, its inputs and TensorFlow's results."""
    one = CASES[name]()
    path = os.path.join(folder, name)
    tf.saved_model.save(one.model, path)  # before the calls, which may change variables
    arrays: dict[str, Any] = {"signature": numpy.array(one.signature)}
    for number, batch in enumerate(one.batches):
        arrays |= {f"{number}.in.{key}": x for key, x in batch.items()}
        result = applied(one, batch)
        if isinstance(result, dict):
            arrays |= {f"{number}.named.{key}": numpy.asarray(x) for key, x in result.items()}
        else:
            arrays |= {f"{number}.out.{k}": x for k, x in enumerate(flat(result))}
    numpy.savez(path + ".npz", **arrays)


def main() -> int:
    """Write the cases that are named, or all; return how many could not be written."""
    folder, *names = sys.argv[1:]
    if names and names[0].startswith("--part="):
        number, count = map(int, names[0].removeprefix("--part=").split("-of-"))
        names = list(CASES)[number::count]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name in names or CASES:
        try:
            write(folder, name)
            print("wrote", name, flush=True)
        except Exception as error:  # one that cannot be built must not hide the others
            print("FAILED", name, type(error).__name__, str(error)[:600], flush=True)
            failed += 1
        tf.keras.backend.clear_session()
    return failed


if __name__ == "__main__":
    sys.exit(main())
