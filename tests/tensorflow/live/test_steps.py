"""Whole training steps under `tf.function`: Keras's optimizers, losses and metrics, as people write them."""

import numpy
import pytest
import tensorflow as tf

import hybridize

keras = tf.keras
layers = keras.layers


def numbers(*shape, seed=0):
    return tf.constant(numpy.random.default_rng(seed).standard_normal(shape).astype("float32"))


def classes(count, of, seed=0):
    return tf.constant(numpy.random.default_rng(seed).integers(0, of, count).astype("int32"))


def mlp(regularizer=None, **output):
    return keras.Sequential(
        [
            layers.Input((6,)),
            layers.Dense(8, activation="tanh", kernel_regularizer=regularizer),
            layers.Dense(3, **output),
        ]
    )


def compare(make, batches, tolerance=1e-5):
    """Run the steps of what `make` gives, once as TensorFlow does and once hybridized; all variables are compared."""
    found = []
    for wrap in (lambda step: step, hybridize.hybridize):
        keras.backend.clear_session()
        keras.utils.set_random_seed(0)
        step, variables = make()
        step = wrap(step)
        results = [tf.nest.map_structure(lambda x: x.numpy(), step(*batch)) for batch in batches]
        found.append((results, [numpy.asarray(one) for one in variables()]))
    for one, other in zip(tf.nest.flatten(found[1]), tf.nest.flatten(found[0]), strict=True):
        assert numpy.shape(one) == numpy.shape(other) and numpy.asarray(one).dtype == numpy.asarray(other).dtype
        numpy.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def with_optimizer(optimizer, loss=None, net=mlp):
    def make():
        model, rule = net(), optimizer()

        @tf.function
        def step(x, y):
            with tf.GradientTape() as tape:
                logits = model(x, training=True)
                value = (
                    loss(y, logits) if loss else keras.losses.SparseCategoricalCrossentropy(from_logits=True)(y, logits)
                )
                value += sum(model.losses) if model.losses else 0.0
            gradients = tape.gradient(value, model.trainable_variables)
            rule.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return value

        return step, lambda: [*model.variables, *rule.variables]

    return make


STEPS = [(numbers(8, 6, seed=k), classes(8, 3, seed=k)) for k in range(4)]
OPTIMIZERS = {
    "SGD": lambda: keras.optimizers.SGD(0.1),
    "momentum": lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "Adam": lambda: keras.optimizers.Adam(0.01),
    "amsgrad": lambda: keras.optimizers.Adam(0.01, amsgrad=True),
    "AdamW": lambda: keras.optimizers.AdamW(0.01, weight_decay=0.01),
    "Adamax": lambda: keras.optimizers.Adamax(0.01),
    "Nadam": lambda: keras.optimizers.Nadam(0.01),
    "RMSprop": lambda: keras.optimizers.RMSprop(0.01, momentum=0.5, centered=True),
    "Adagrad": lambda: keras.optimizers.Adagrad(0.05),
    "Adadelta": lambda: keras.optimizers.Adadelta(1.0),
    "Ftrl": lambda: keras.optimizers.Ftrl(0.05),
    "Lion": lambda: keras.optimizers.Lion(0.001),
    "clipped by norm": lambda: keras.optimizers.SGD(0.5, clipnorm=0.1),
    "clipped by the norm of all": lambda: keras.optimizers.SGD(0.5, global_clipnorm=0.1),
    "clipped by value": lambda: keras.optimizers.SGD(0.5, clipvalue=0.01),
    "averaged": lambda: keras.optimizers.SGD(0.1, use_ema=True),
    "a schedule": lambda: keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.5, 2, 0.5)),
    "a cosine": lambda: keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(0.05, 3)),
    "pieces": lambda: keras.optimizers.SGD(keras.optimizers.schedules.PiecewiseConstantDecay([1, 2], [0.5, 0.1, 0.01])),
    "steps that are collected": lambda: keras.optimizers.SGD(0.1, gradient_accumulation_steps=2),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_of_keras(name):
    compare(with_optimizer(OPTIMIZERS[name]), STEPS, 1e-4 if name in ("Adadelta", "RMSprop") else 1e-5)


LOSSES = {
    "MeanSquaredError": (keras.losses.MeanSquaredError, "one hot"),
    "MeanAbsoluteError": (keras.losses.MeanAbsoluteError, "one hot"),
    "Huber": (keras.losses.Huber, "one hot"),
    "LogCosh": (keras.losses.LogCosh, "one hot"),
    "BinaryCrossentropy": (lambda: keras.losses.BinaryCrossentropy(from_logits=True), "one hot"),
    "CategoricalCrossentropy": (
        lambda: keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
        "one hot",
    ),
    "KLDivergence": (keras.losses.KLDivergence, "softmax"),
    "CosineSimilarity": (keras.losses.CosineSimilarity, "one hot"),
    "CategoricalHinge": (keras.losses.CategoricalHinge, "one hot"),
    "Poisson": (keras.losses.Poisson, "softmax"),
    "CategoricalFocalCrossentropy": (keras.losses.CategoricalFocalCrossentropy, "softmax"),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_of_keras(name):
    make, kind = LOSSES[name]
    loss = make()
    output = {"activation": "softmax"} if kind == "softmax" else {}
    compare(
        with_optimizer(
            lambda: keras.optimizers.SGD(0.1), lambda y, x: loss(tf.one_hot(y, 3), x), lambda: mlp(**output)
        ),
        STEPS,
    )


def test_weights_that_are_kept_small():
    compare(
        with_optimizer(lambda: keras.optimizers.SGD(0.1), net=lambda: mlp(keras.regularizers.L1L2(0.01, 0.01))), STEPS
    )


def test_metrics():
    def make():
        model = mlp()
        metrics = [
            keras.metrics.Mean(), keras.metrics.SparseCategoricalAccuracy(), keras.metrics.SparseTopKCategoricalAccuracy(2),
            keras.metrics.MeanSquaredError(),
        ]  # fmt: skip

        @tf.function
        def step(x, y):
            logits = model(x)
            metrics[0].update_state(tf.reduce_sum(logits))
            metrics[1].update_state(y, logits)
            metrics[2].update_state(y, logits)
            metrics[3].update_state(tf.one_hot(y, 3), logits)
            return [metric.result() for metric in metrics]

        return step, lambda: [one for metric in metrics for one in metric.variables]

    compare(make, STEPS)


def test_layers_that_are_trained():
    def net():
        return keras.Sequential(
            [
                layers.Input((8, 8, 2)), layers.Conv2D(4, 3, padding="same"), layers.BatchNormalization(),
                layers.LeakyReLU(), layers.DepthwiseConv2D(3, strides=2), layers.LayerNormalization(),
                layers.Conv2DTranspose(3, 2, strides=2, activation="selu"), layers.MaxPooling2D(), layers.SpatialDropout2D(0.3, seed=1),
                layers.GlobalAveragePooling2D(), layers.Dropout(0.2, seed=2), layers.Dense(3, activation="softplus"),
            ]
        )  # fmt: skip

    batches = [(numbers(4, 8, 8, 2, seed=k), classes(4, 3, seed=k)) for k in range(3)]
    compare(with_optimizer(lambda: keras.optimizers.SGD(0.05), net=net), batches, 1e-4)


@pytest.mark.parametrize("kind", ["lstm", "gru", "attention", "embedding"])
def test_sequences_that_are_trained(kind):
    def net():
        x = layers.Input((5,), dtype="int32")
        h = layers.Embedding(11, 8, mask_zero=kind == "embedding")(x)
        if kind == "attention":
            h = layers.LayerNormalization()(h + layers.MultiHeadAttention(2, 4)(h, h))
        elif kind != "embedding":
            h = {"lstm": layers.LSTM, "gru": layers.GRU}[kind](6, return_sequences=True)(h)
        return keras.Model(x, layers.Dense(3)(layers.GlobalAveragePooling1D()(h)))

    batches = [(classes((4, 5), 11, seed=k), classes(4, 3, seed=k)) for k in range(3)]
    compare(with_optimizer(lambda: keras.optimizers.Adam(0.01), net=net), batches, 1e-4)


def test_two_models_in_turn():
    def make():
        maker, judge = (
            mlp(),
            keras.Sequential([layers.Input((3,)), layers.Dense(4, activation="relu"), layers.Dense(1)]),
        )
        rules = [keras.optimizers.Adam(0.01, beta_1=0.5) for _ in range(2)]
        loss = keras.losses.BinaryCrossentropy(from_logits=True)

        @tf.function
        def step(noise, real):
            with tf.GradientTape() as first, tf.GradientTape() as second:
                false = maker(noise, training=True)
                of_real, of_false = judge(real, training=True), judge(false, training=True)
                made = loss(tf.ones_like(of_false), of_false)
                judged = loss(tf.ones_like(of_real), of_real) + loss(tf.zeros_like(of_false), of_false)
            for tape, value, net, rule in ((first, made, maker, rules[0]), (second, judged, judge, rules[1])):
                rule.apply_gradients(
                    zip(tape.gradient(value, net.trainable_variables), net.trainable_variables, strict=True)
                )
            return made, judged

        return step, lambda: [*maker.variables, *judge.variables, *(one for rule in rules for one in rule.variables)]

    compare(make, [(numbers(5, 6, seed=k), numbers(5, 3, seed=9 + k)) for k in range(3)])


def test_a_penalty_on_a_gradient():
    def make():
        model, rule = (
            keras.Sequential([layers.Input((6,)), layers.Dense(8, activation="tanh"), layers.Dense(1)]),
            keras.optimizers.SGD(0.1),
        )

        @tf.function
        def step(x):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = model(x)
                slope = inner.gradient(y, x)
                value = tf.reduce_mean(tf.square(tf.norm(slope, axis=1) - 1.0)) + tf.reduce_mean(y)
            rule.apply_gradients(
                zip(outer.gradient(value, model.trainable_variables), model.trainable_variables, strict=True)
            )
            return value

        return step, lambda: model.variables

    compare(make, [(numbers(5, 6, seed=k),) for k in range(3)])


def test_several_steps_in_one_call():
    def make():
        model, rule = mlp(), keras.optimizers.SGD(0.1, momentum=0.9)
        rule.build(model.trainable_variables)

        @tf.function
        def steps(x, y):
            total = 0.0
            for k in tf.range(3):
                with tf.GradientTape() as tape:
                    value = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(x)))
                rule.apply_gradients(
                    zip(tape.gradient(value, model.trainable_variables), model.trainable_variables, strict=True)
                )
                total += value / tf.cast(k + 1, tf.float32)
            return total

        return steps, lambda: [*model.variables, *rule.variables]

    compare(make, STEPS[:2])


def test_the_step_of_a_compiled_model():
    def make():
        model = mlp()
        model.compile(
            keras.optimizers.Adam(0.01),
            keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
        )
        model.optimizer.build(model.trainable_variables)
        step = tf.function(lambda x, y: model.train_step((x, y)))
        return step, lambda: [*model.variables, *model.optimizer.variables]

    compare(make, STEPS)
