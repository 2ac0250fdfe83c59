"""`GradientTape` outside of hybridized objects: TensorFlow's own numbers, to any order."""

import numpy
import pytest
import tensorflow as tf

import hybridize
from hybridize.base.errors import CaptureError, LoadError, StateError

layers = tf.keras.layers


def mlp(seed=0, activation="tanh"):
    tf.keras.utils.set_random_seed(seed)
    return tf.keras.Sequential([layers.Input((6,)), layers.Dense(8, activation=activation), layers.Dense(3)])


def numbers(*shape, seed=0):
    return tf.constant(numpy.random.default_rng(seed).standard_normal(shape).astype("float32"))


def close(found, expected, tolerance=2e-6):
    found, expected = tf.nest.flatten(found), tf.nest.flatten(expected)
    assert len(found) == len(expected)
    for x, y in zip(found, expected, strict=True):
        assert (x is None) == (y is None)
        if x is not None:
            x, y = tf.convert_to_tensor(x).numpy(), tf.convert_to_tensor(y).numpy()
            assert x.shape == y.shape and x.dtype == y.dtype
            assert numpy.abs(x - y).max(initial=0) <= tolerance * max(1.0, numpy.abs(y).max(initial=0))


@pytest.fixture
def pair():
    net = mlp()
    return net, hybridize.hybridize(net)


def runs(fast, count=1):
    """The programs ran: nothing was left to TensorFlow."""
    assert fast.cache_info().captures >= count


def test_of_variables_and_arguments(pair):
    net, fast = pair
    for size in (4, 7, 5):
        x, found = numbers(size, 6), []
        for call in (net, fast):
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = tf.reduce_sum(tf.square(call(x)))
            found.append(tape.gradient(loss, [x, *net.trainable_variables]))
        close(found[1], found[0])
    runs(fast)


def test_of_what_is_asked_for_alone(pair):
    net, fast = pair
    x, found = numbers(4, 6), []
    for call in (net, fast):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(net.trainable_variables[2].value)
            loss = tf.reduce_sum(tf.square(call(x)))
        found.append(tape.gradient(loss, [x, *net.trainable_variables]))
    close(found[1], found[0])
    assert found[1][0] is None and found[1][1] is None and found[1][3] is not None


def test_nothing_is_watched(pair):
    net, fast = pair
    x = numbers(4, 6)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        loss = tf.reduce_sum(fast(x))
    assert tape.gradient(loss, net.trainable_variables[0]) is None


def test_a_tape_that_persists(pair):
    net, fast = pair
    x, found = numbers(4, 6), []
    for call in (net, fast):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = call(x)
            first, second = tf.reduce_sum(tf.square(y)), tf.reduce_sum(tf.sin(y))
        found.append([tape.gradient(first, x), tape.gradient(second, net.trainable_variables), tape.gradient(first, x)])
    close(found[1], found[0])


def test_two_nets_in_one_tape():
    nets = mlp(0), mlp(1)
    after = [tf.keras.Sequential([layers.Input((3,)), layers.Dense(2)]) for _ in nets]
    after[1].set_weights(after[0].get_weights())
    fast = hybridize.hybridize(nets[0]), hybridize.hybridize(after[0])
    x, found = numbers(4, 6), []
    variables = [*nets[0].trainable_variables, *after[0].trainable_variables]
    for first, second in ((nets[0], after[0]), fast):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(second(first(x)) + second(first(x * 2.0))))
        found.append(tape.gradient(loss, variables))
    close(found[1], found[0])


def test_second_derivatives(pair):
    net, fast = pair
    x, found = numbers(4, 6), []
    for call in (net, fast):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.square(call(x)))
            first = inner.gradient(y, x)
            penalty = tf.reduce_sum(tf.square(first))
        found.append([first, *outer.gradient(penalty, [x, *net.trainable_variables])])
    close(found[1], found[0], 1e-5)
    assert all(one is not None for one in found[1][:-1])


def test_third_derivatives():
    w = tf.Variable([0.5, -1.5])
    f = tf.function(lambda x: tf.reduce_sum(tf.sin(x * w)))
    fast, x, found = hybridize.hybridize(f), tf.constant([1.0, 2.0]), []
    for call in (f, fast):
        with tf.GradientTape() as third:
            third.watch(x)
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as first:
                    first.watch(x)
                    y = call(x)
                g = first.gradient(y, x)
            gg = tf.reduce_sum(second.gradient(g, x))
        found.append(third.gradient(gg, [x, w]))
    close(found[1], found[0])


def test_a_hessian_by_jacobian(pair):
    net, fast = pair
    x, found = numbers(2, 6), []
    for call in (net, fast):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.square(call(x)))
            g = inner.gradient(y, x)
        found.append(outer.jacobian(g, x))
    close(found[1], found[0], 1e-5)


def test_jacobians(pair):
    net, fast = pair
    x, found = numbers(3, 6), []
    for call in (net, fast):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = call(x)
        found.append([tape.jacobian(y, x), tape.batch_jacobian(y, x), tape.jacobian(y, net.trainable_variables[0])])
    close(found[1], found[0], 1e-5)


def test_forward_mode(pair):
    net, fast = pair
    x, v, found = numbers(3, 6), numbers(3, 6, seed=1), []
    for call in (net, fast):
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            y = call(x)
        found.append(accumulator.jvp(y))
    close(found[1], found[0], 1e-5)


def test_forward_over_backward(pair):
    net, fast = pair
    x, v, found = numbers(3, 6), numbers(3, 6, seed=1), []
    for call in (net, fast):
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.square(call(x)))
            g = tape.gradient(y, x)
        found.append(accumulator.jvp(g))
    close(found[1], found[0], 1e-5)


def test_several_results_of_which_some_are_used():
    w = tf.Variable([2.0, 3.0])
    f = tf.function(lambda x: {"a": x * w, "b": tf.reduce_sum(x), "n": tf.shape(x)[0], "c": tf.stop_gradient(x * w)})
    fast, x, found = hybridize.hybridize(f), tf.constant([1.0, 4.0]), []
    for call in (f, fast):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = call(x)
            loss = tf.reduce_sum(y["a"] * y["c"])
        found.append([tape.gradient(loss, [x, w]), tape.gradient(y["b"], [x, w]), tape.gradient(y["c"], [x, w])])
    close(found[1], found[0])


def test_a_gradient_of_integers_is_none():
    f = tf.function(lambda x, i: x * tf.cast(i, tf.float32))
    fast = hybridize.hybridize(f)
    x, i = tf.constant(2.0), tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fast(x, i)
    assert float(tape.gradient(y, x)) == 3


def test_statistics_move_once():
    tf.keras.utils.set_random_seed(0)
    nets = [tf.keras.Sequential([layers.Input((4,)), layers.BatchNormalization(), layers.Dense(2)]) for _ in range(2)]
    nets[1].set_weights(nets[0].get_weights())
    x, found = numbers(5, 4) * 2 + 1, []
    for call, net in zip((nets[0], hybridize.hybridize(nets[1])), nets, strict=True):
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            loss = tf.reduce_sum(tf.square(call(x, training=True)))
            first = inner.gradient(loss, net.trainable_variables)
            total = tf.add_n([tf.reduce_sum(tf.square(one)) for one in first])
        found.append([*outer.gradient(total, net.trainable_variables), *(v.numpy() for v in net.variables)])
    close(found[1], found[0], 1e-4)


def test_a_variable_that_is_assigned_before_the_second_derivative():
    w = tf.Variable(2.0)
    fast, x = hybridize.hybridize(tf.function(lambda x: tf.square(x * w))), tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fast(x)
        w.assign(10.0)
        with pytest.raises(StateError, match="E542"):
            inner.gradient(y, x)


def test_a_variable_that_is_assigned_before_the_gradient():
    w = tf.Variable(2.0)
    f = tf.function(lambda x: tf.square(x * w))
    fast, x, found = hybridize.hybridize(f), tf.constant(3.0), []
    for call in (f, fast):
        w.assign(2.0)
        with tf.GradientTape() as tape:
            y = call(x)
        w.assign(10.0)
        found.append(tape.gradient(y, w))
    close(found[1], found[0])


def test_what_is_read_after_an_assignment_is_the_variables():
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        v.assign(x * 3.0)
        y = v * 5.0
        if x > 0.0:
            v.assign_add(x)
        return y + v * x

    fast, found = hybridize.hybridize(f), []
    for call in (f, fast):
        x = tf.constant(4.0)
        v.assign(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        found.append([y, *tape.gradient(y, [x, v]), v.read_value()])
    close(found[1], found[0])
    assert [float(one) for one in found[0]] == [60 + 64, 16, 9, 16]


def test_rows_of_an_embedding():
    tf.keras.utils.set_random_seed(0)
    net = tf.keras.Sequential([layers.Input((4,), dtype="int32"), layers.Embedding(7, 3), layers.Flatten()])
    fast, x, found = hybridize.hybridize(net), tf.constant([[1, 2, 2, 5], [0, 1, 1, 1]]), []
    for call in (net, fast):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(call(x)))
        found.append(tf.convert_to_tensor(tape.gradient(loss, net.trainable_variables[0])))
    close(found[1], found[0])


def test_a_branch_and_a_loop():
    @tf.function
    def f(x):
        if tf.reduce_sum(x) > 0.0:
            x = x * 3.0
        for _ in tf.range(3):
            x = tf.sin(x)
        return x

    fast = hybridize.hybridize(f)
    for x in (tf.constant([1.0, 2.0]), tf.constant([-1.0, -2.0])):
        found = []
        for call in (f, fast):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = call(x)
            found.append([y, tape.gradient(y, x)])
        close(found[1], found[0])


def test_a_loop_until_data_say_stop_is_tensorflows_where_a_tape_watches():
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        while tf.reduce_sum(x) > 1.0:
            x = x * 0.5
        v.assign_add(1.0)
        return x

    fast, x, found = hybridize.hybridize(f), tf.constant([3.0, 4.0]), []
    close(fast(x), f(x))
    for call in (f, fast):
        v.assign(0.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            if call is fast:
                with pytest.warns(UserWarning, match=r"run in TensorFlow.*test_tapes.py:\d+"):
                    y = call(x)
            else:
                y = call(x)
        found.append([y, tape.gradient(y, x), v.read_value()])
    close(found[1], found[0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fast(x)
    close(tape.gradient(y, x), found[0][1])


LOOPS = {
    "to_the_bound": lambda i, j: (i <= 4, i + 2, j),
    "down": lambda i, j: (j > 0, i, j - 2),
    "down_to_the_bound": lambda i, j: (j >= 0, i, j - 1),
    "to_each_other": lambda i, j: (i < j, i + 1, j - 1),
    "not_once": lambda i, j: (i > j, i, j + 1),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_of_a_known_number_of_rounds_have_a_compiled_gradient(name, recwarn):
    @tf.function(autograph=False)
    def f(x):
        def step(i, j, y):
            return *LOOPS[name](i, j)[1:], tf.sin(y) * (tf.cast(i + j, tf.float32) + x)

        return tf.while_loop(lambda i, j, y: LOOPS[name](i, j)[0], step, (0, 5, x))[2]

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    fast, x, found = hybridize.hybridize(f), numbers(3), []
    for call in (f, fast):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        found.append([y, tape.gradient(y, x)])
    close(*found)
    close(hybridize.hybridize(inside)(x), found[0][1])
    assert not [one for one in recwarn if "TensorFlow" in str(one.message)]


def test_a_list_that_grows_while_data_say_so_is_refused():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while tf.reduce_sum(y) > 1.0:
                y = y * 0.5
        return tape.gradient(y, x)

    with pytest.raises(LoadError, match=r"E603.*a list grows or shrinks in a loop"):
        hybridize.hybridize(f)(tf.constant([3.0]))


def test_dropout_drops_the_same_in_second_derivatives():
    found = []
    for hybridized in (False, True):
        tf.keras.utils.set_random_seed(0)
        net = tf.keras.Sequential(
            [layers.Input((20,)), layers.Dropout(0.5, seed=3), layers.Dense(8, activation="tanh"), layers.Dense(2)]
        )
        call = hybridize.hybridize(net) if hybridized else net
        x = numbers(3, 20)
        for _ in range(2):
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = tf.reduce_sum(tf.square(call(x, training=True)))
                first = inner.gradient(y, x)
                total = tf.reduce_sum(tf.square(first))
            found.append([y, first, outer.gradient(total, [x, *net.trainable_variables])[0]])
    close(found[2], found[0], 1e-5)
    close(found[3], found[1], 1e-5)


def test_second_derivatives_of_numbers_without_a_seed_are_refused():
    fast, x = hybridize.hybridize(tf.function(lambda x: tf.reduce_sum(tf.square(tf.nn.dropout(x, 0.5))))), numbers(9)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fast(x)
        with pytest.raises(CaptureError, match="E420"):
            inner.gradient(y, x)


def test_frozen_variables_have_gradients():
    net = mlp()
    fast, x, found = hybridize.hybridize(net, freeze=True), numbers(4, 6), []
    close(fast(x), net(x))
    for call in (net, fast):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.square(call(x)))
        found.append([y, *tape.gradient(y, net.trainable_variables)])
    close(found[1], found[0])


@tf.custom_gradient
def reversed_within(x, w):
    """Twice x, whose gradient is reversed and of a part of what arrives; and the product of both."""
    return (x * 2.0, x * w), lambda by_double, by_product: (
        -tf.clip_by_value(by_double, -0.5, 0.5) * w,
        tf.reduce_sum(by_product * x + 1.0, 0),
    )


def test_gradients_that_somebody_wrote(recwarn):
    v = tf.Variable(numbers(3, seed=1))
    inner = tf.function(lambda x: tf.nn.silu(reversed_within(x, v + 0.0)[0], 1.5))

    @tf.function
    def f(x):
        double, product = reversed_within(x, v * 2.0)
        if tf.reduce_sum(x) > 0.0:
            double = tf.sin(double)
        return 3.0 * double + product + inner(x)

    fast = hybridize.hybridize(f)
    for x in (numbers(2, 3), -numbers(2, 3), numbers(4, 3), numbers(5, 3)):
        found = []
        for call in (f, fast):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = call(x)
            found.append([y, *tape.gradient(y, [x, v])])
        close(*found)
    assert not [one for one in recwarn if "TensorFlow" in str(one.message)], "all of it compiled"


def test_gradients_that_no_program_computes_are_tensorflows():
    @tf.custom_gradient
    def double(x):
        return x * 2.0, lambda dy: tf.numpy_function(lambda one: one + 5, [dy], tf.float32)

    f = tf.function(lambda x: tf.square(double(x)))
    fast, x, found = hybridize.hybridize(f), numbers(3), []
    for call in (f, fast):
        with tf.GradientTape() as tape:
            tape.watch(x)
            if call is fast:
                with pytest.warns(UserWarning, match="run in TensorFlow.*custom_gradient"):
                    y = call(x)
            else:
                y = call(x)
        found.append([y, tape.gradient(y, x), call(x)])
    close(*found)
