"""`hybridize(obj)` of TensorFlow's objects: the same results, and what changes between calls is seen."""

import copy
import gc
import threading
import weakref

import numpy
import pytest
import tensorflow as tf

import hybridize
from hybridize.base.errors import CaptureError
from hybridize.tensorflow import TensorFlowFunction

layers = tf.keras.layers


def mlp(seed=0, width=8):
    tf.keras.utils.set_random_seed(seed)
    return tf.keras.Sequential([layers.Input((6,)), layers.Dense(width, activation="relu"), layers.Dense(3)])


def close(x, y, tolerance=1e-6):
    x, y = numpy.asarray(x), numpy.asarray(y)
    assert x.shape == y.shape and x.dtype == y.dtype
    assert numpy.abs(x - y).max(initial=0) <= tolerance * max(1.0, numpy.abs(y).max(initial=0))


def numbers(*shape, seed=0):
    return tf.constant(numpy.random.default_rng(seed).standard_normal(shape).astype("float32"))


# ------------------------------------------------------------------------------------------------------------- what it takes


class Scaled(tf.Module):
    def __init__(self):
        super().__init__()
        self.scale = tf.Variable(2.0)

    def __call__(self, x):
        return x * self.scale


class ScaledByFunction(Scaled):
    @tf.function
    def __call__(self, x):
        return x * self.scale


@pytest.mark.parametrize("kind", ["model", "layer", "function", "concrete", "module", "module of a function", "loaded"])
def test_each_kind_of_object(kind, tmp_path):
    x = numbers(4, 6)
    target = {
        "model": mlp,
        "layer": lambda: layers.Dense(3),
        "function": lambda: tf.function(mlp()),
        "concrete": lambda: tf.function(mlp()).get_concrete_function(tf.TensorSpec((None, 6))),
        "module": Scaled,
        "module of a function": ScaledByFunction,
        "loaded": ScaledByFunction,
    }[kind]()
    if kind == "loaded":
        target(x)
        tf.saved_model.save(target, str(tmp_path / "saved"))
        target = tf.saved_model.load(str(tmp_path / "saved"))
    fast = hybridize.hybridize(target)
    assert isinstance(fast, TensorFlowFunction)
    for _ in range(3):
        result = fast(x)
        assert isinstance(result, tf.Tensor)
        close(result, target(x))
    assert fast.cache_info().captures == 1


def test_a_plain_function_that_is_called_with_tensors():
    @hybridize.hybridize
    def f(x, y):
        return tf.tanh(x) + y

    x, y = numbers(3), numbers(3, seed=1)
    close(f(x, y), tf.tanh(x) + y)
    close(f(x, y=y), tf.tanh(x) + y)
    assert f.cache_info().programs == 2


def test_a_plain_function_is_saved(tmp_path):
    @hybridize.hybridize
    def f(x):
        return tf.tanh(x) + 1.0

    x = numbers(3)
    close(f(x), tf.tanh(x) + 1.0)
    f.save(tmp_path / "f")
    close(hybridize.load(tmp_path / "f")(x), f(x), 0)
    f.cache_clear()
    assert f.cache_info().programs == 0
    close(f(x), tf.tanh(x) + 1.0)


def test_a_method_of_a_class():
    class Net:
        def __init__(self):
            self.w = tf.Variable(3.0)

        @hybridize.hybridize
        @tf.function
        def apply(self, x):
            return x * self.w

    one, other = Net(), Net()
    other.w.assign(5.0)
    for _ in range(2):
        assert float(one.apply(tf.constant(2.0))) == 6 and float(other.apply(tf.constant(2.0))) == 10


def test_a_signature_without_a_call(tmp_path):
    class Named(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def run(self, x):
            return {"y": x + 1.0}

    module = Named()
    tf.saved_model.save(module, str(tmp_path / "m"), signatures={"serving_default": module.run})
    loaded = tf.saved_model.load(str(tmp_path / "m"))
    fast = hybridize.hybridize(loaded.signatures["serving_default"])
    assert fast(tf.constant([1.0]))["y"].numpy().tolist() == [2.0]


def test_other_attributes_are_the_objects():
    net = mlp()
    fast = hybridize.hybridize(net)
    assert fast.trainable_variables[0] is net.trainable_variables[0]
    assert fast.layers == net.layers and fast.target is net
    assert hybridize.hybridize(fast).target is net
    with pytest.raises(AttributeError):
        _ = fast.nothing_of_this_name


# ------------------------------------------------------------------------------------------------------- arguments, results


def test_sizes_share_a_program_from_the_second_on():
    net = mlp()
    fast = hybridize.hybridize(net)
    for size in (4, 7, 1, 9, 30):
        close(fast(numbers(size, 6)), net(numbers(size, 6)))
    assert fast.cache_info().programs <= 3


def test_python_values_are_part_of_the_kind_of_call():
    traces = []

    @tf.function
    def f(x, power, *, negative=False):
        traces.append(power)
        return -(x**power) if negative else x**power

    fast = hybridize.hybridize(f)
    x = tf.constant([1.0, 2.0])
    for _ in range(3):
        assert fast(x, 2).numpy().tolist() == [1, 4]
        assert fast(x, 3).numpy().tolist() == [1, 8]
        assert fast(x, 2.0).numpy().tolist() == [1, 4]
        assert fast(x, 2, negative=True).numpy().tolist() == [-1, -4]
        assert fast(x, 2, negative=False).numpy().tolist() == [1, 4]
    assert fast.cache_info().captures == 5
    assert len(traces) <= 6


def test_structures_of_arguments_and_results():
    @tf.function
    def f(pair, named):
        return {"sum": pair[0] + pair[1], "parts": [named["a"] * 2, (named["b"], None)]}

    fast = hybridize.hybridize(f)
    a, b = tf.constant([1.0]), tf.constant([2.0])
    for _ in range(2):
        result = fast((a, b), {"a": a, "b": b})
        assert result["sum"].numpy() == [3] and result["parts"][0].numpy() == [2]
        assert result["parts"][1][0].numpy() == [2] and result["parts"][1][1] is None


def test_arrays_of_numpy_are_tensors():
    fast = hybridize.hybridize(tf.function(lambda x: x + 1))
    assert fast(numpy.float32([1, 2])).numpy().tolist() == [2, 3]
    assert fast(numpy.int64(4)).numpy() == 5


def test_a_variable_as_an_argument():
    fast = hybridize.hybridize(tf.function(lambda v, x: v * x))
    v = tf.Variable(2.0)
    for value in (2.0, 3.0):
        v.assign(value)
        assert float(fast(v, tf.constant(4.0))) == 4 * value
    assert float(fast(tf.Variable(7.0), tf.constant(1.0))) == 7


def test_no_tensors_at_all():
    v = tf.Variable(1.0)
    fast = hybridize.hybridize(tf.function(lambda: v * 2.0))
    assert float(fast()) == 2
    v.assign(4.0)
    assert float(fast()) == 8


def test_modes_of_keras():
    tf.keras.utils.set_random_seed(0)
    net = tf.keras.Sequential([layers.Input((4,)), layers.BatchNormalization(), layers.Dense(2)])
    other = tf.keras.models.clone_model(net)
    other.set_weights(net.get_weights())
    fast = hybridize.hybridize(net)
    for seed in range(3):
        x = numbers(5, 4, seed=seed) * 3 + 1
        close(fast(x, training=True), other(x, training=True), 1e-5)
        close(fast(x), other(x), 1e-5)
    for one, two in zip(net.variables, other.variables, strict=True):
        close(one.numpy(), two.numpy())


# --------------------------------------------------------------------------------------------------- variables between calls


def test_assigned_variables_are_seen(tmp_path):
    net, x = mlp(), numbers(4, 6)
    fast = hybridize.hybridize(net)
    fast(x)
    kernel = net.layers[0].kernel

    @tf.function
    def elsewhere():
        kernel.assign_add(tf.ones_like(kernel))

    net.save_weights(str(tmp_path / "w.weights.h5")) if _has_h5py() else None
    changes = [
        lambda: kernel.assign(kernel * 2.0),
        lambda: kernel.assign_add(tf.ones_like(kernel) * 0.1),
        lambda: kernel.assign_sub(tf.ones_like(kernel) * 0.1),
        elsewhere,
        lambda: net.set_weights([0.5 * one for one in net.get_weights()]),
        lambda: kernel.value.scatter_update(tf.IndexedSlices(tf.ones([1, 8]), [2])),
    ]
    if _has_h5py():
        changes.append(lambda: net.load_weights(str(tmp_path / "w.weights.h5")))
    before = fast(x).numpy()
    for change in changes:
        change()
        after = fast(x).numpy()
        close(after, net(x).numpy())
        assert (after != before).any()
        before = after
    assert fast.cache_info().captures == 1


def _has_h5py():
    try:
        import h5py  # noqa: F401
    except ImportError:
        return False
    return True


def test_an_optimizer_outside():
    nets = mlp(), mlp()
    calls = nets[0], hybridize.hybridize(nets[1])
    optimizers = [tf.keras.optimizers.Adam(0.05) for _ in nets]
    losses = []
    for net, call, optimizer in zip(nets, calls, optimizers, strict=True):
        losses.append([])
        for seed in range(4):
            x = numbers(5, 6, seed=seed)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(call(x) - 1.0))
            gradients = tape.gradient(loss, net.trainable_variables)
            optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
            losses[-1].append(float(loss))
    numpy.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
    assert losses[1][0] != losses[1][-1]


def test_written_variables():
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = tf.Variable(0)
            self.last = tf.Variable(tf.zeros([2]))

        def __call__(self, x):
            self.count.assign_add(1)
            self.last.assign(x)
            return x + tf.cast(self.count, tf.float32)

    counter = Counter()
    fast = hybridize.hybridize(counter)
    for number in range(1, 4):
        x = tf.constant([1.0 * number, 0.0])
        assert fast(x).numpy().tolist() == [2.0 * number, number]
        assert int(counter.count) == number and counter.last.numpy().tolist() == [number, 0]
    counter.count.assign(10)
    assert fast(tf.constant([0.0, 0.0])).numpy().tolist() == [11, 11]


def test_frozen_variables_stay():
    net, x = mlp(), numbers(4, 6)
    fast = hybridize.hybridize(net, freeze=True)
    expected = net(x)
    close(fast(x), expected)
    net.layers[0].kernel.assign(net.layers[0].kernel * 0.0)
    close(fast(x), expected)
    fast.retrace()
    close(fast(x), net(x))


def test_what_calls_write_is_not_frozen():
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def f(x):
        v.assign_add(x)
        return v * w

    fast = hybridize.hybridize(f, freeze=True)
    assert [float(fast(tf.constant(1.0))) for _ in range(3)] == [4, 6, 8]
    v.assign(0.0)
    w.assign(100.0)
    assert float(fast(tf.constant(1.0))) == 2


# ------------------------------------------------------------------------------------------------------- what Python holds


def test_retrace():
    factor = [2.0]
    fast = hybridize.hybridize(tf.function(lambda x: x * factor[0]))
    assert float(fast(tf.constant(1.0))) == 2
    factor[0] = 3.0
    assert float(fast(tf.constant(1.0))) == 2, "as under tf.function"
    fast.retrace()
    assert float(fast(tf.constant(1.0))) == 3


def test_layers_of_a_model_are_looked_at():
    net, x = mlp(), numbers(4, 6)
    fast = hybridize.hybridize(net)
    close(fast(x), net(x))
    net.add(layers.Dense(2))
    close(fast(x), net(x))
    net.pop()
    close(fast(x), net(x))


def test_trainable_of_a_model_is_looked_at():
    tf.keras.utils.set_random_seed(0)
    net = tf.keras.Sequential([layers.Input((4,)), layers.BatchNormalization()])
    fast = hybridize.hybridize(net)
    x = numbers(5, 4) * 3 + 1
    fast(x, training=True)
    net.layers[0].trainable = False
    close(fast(x, training=True), net(x, training=True))


def test_attributes_that_are_set_are_the_objects():
    net = mlp()
    fast = hybridize.hybridize(net)
    fast.trainable = False
    assert not net.trainable and fast.trainable_variables == []


def test_copies():
    net, x = mlp(), numbers(4, 6)
    fast = hybridize.hybridize(net)
    close(fast(x), net(x))
    other = copy.deepcopy(fast)
    net.layers[0].kernel.assign(net.layers[0].kernel * 3.0)
    assert (other(x).numpy() != fast(x).numpy()).any()
    close(fast(x), net(x))


@pytest.mark.parametrize(
    "options", [{"backend": "numpy"}, {"verify": "outputs"}, {"verify": "ops"}, {"threads": 1}, {"dynamic": True}]
)
def test_options(options):
    net = mlp()
    fast = hybridize.hybridize(net, **options)
    for size in (4, 7, 4):
        x = numbers(size, 6)
        close(fast(x), net(x))
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(fast(x))
        assert tape.gradient(y, net.trainable_variables[0].value) is not None
    assert fast.program(numbers(4, 6)).backend == options.get("backend", "llvm")


def test_compiled_before_the_first_call():
    net = mlp()
    fast = hybridize.hybridize(net)
    fast.compile("f32[4,6]")
    close(fast(numbers(4, 6)), net(numbers(4, 6)))
    assert fast.cache_info().captures == 1


def test_arguments_of_the_first_call_are_not_kept():
    fast = hybridize.hybridize(tf.function(lambda x: x + 1.0))
    x = tf.constant(numpy.zeros(1000, "float32"))
    alive = weakref.ref(x)
    fast(x)
    fast(tf.zeros([1000]))
    del x
    gc.collect()
    assert alive() is None


# ------------------------------------------------------------------------------------------------- inside of TensorFlow's


def test_within_another_function():
    net, x = mlp(), numbers(4, 6)
    fast = hybridize.hybridize(net)
    outer = tf.function(lambda x: tf.reduce_sum(fast(x)))
    close(outer(x), tf.reduce_sum(net(x)), 1e-5)
    constant = tf.function(lambda: fast(x))
    close(constant(), net(x))


def test_within_a_model_of_keras():
    net = mlp()
    fast = hybridize.hybridize(net)
    inputs = tf.keras.Input((6,))
    model = tf.keras.Model(inputs, fast(inputs))
    x = numbers(4, 6)
    close(model(x), net(x))


def test_disabled():
    net, x = mlp(), numbers(4, 6)
    fast = hybridize.hybridize(net)
    with hybridize.disabled():
        close(fast(x), net(x), 0)
    assert fast.cache_info().programs == 0


def test_threads():
    net = mlp()
    fast = hybridize.hybridize(net)
    failures = []

    def work(seed):
        try:
            for k in range(20):
                x = numbers(1 + (seed + k) % 5, 6, seed=seed)
                close(fast(x), net(x), 1e-5)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures


# ------------------------------------------------------------------------------------------------------------------ refusals


def test_an_operator_without_a_row_is_refused_at_its_line():
    @tf.function
    def f(x):
        y = x + 1.0
        return tf.linalg.sqrtm(y)  # this line

    fast = hybridize.hybridize(f)
    with pytest.raises(CaptureError, match=r"E420") as caught:
        fast(tf.eye(3))
    assert caught.value.loc.file == __file__ and "this line" in caught.value.loc.text
    assert "MatrixSquareRoot" in str(caught.value)


def test_a_table_is_refused():
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2]), tf.constant([3, 4])), default_value=-1
    )
    fast = hybridize.hybridize(tf.function(lambda x: table.lookup(x)))
    with pytest.raises(CaptureError, match="E420"):
        fast(tf.constant([1]))


def test_a_variable_of_several_sizes_is_refused():
    v = tf.Variable(tf.zeros([2]), shape=tf.TensorShape([None]))
    fast = hybridize.hybridize(tf.function(lambda x: v + x))
    with pytest.raises(CaptureError, match="several sizes"):
        fast(tf.constant(1.0))


def test_a_ragged_tensor_is_refused():
    fast = hybridize.hybridize(tf.function(lambda x: x))
    with pytest.raises(CaptureError, match="RaggedTensor"):
        fast(tf.ragged.constant([[1], [2, 3]]))


def test_tensorflows_own_errors_are_its():
    fast = hybridize.hybridize(tf.function(lambda x, y: tf.matmul(x, y)))
    with pytest.raises(ValueError, match="must be equal"):
        fast(numbers(2, 3), numbers(4, 5))


# --------------------------------------------------------------------------------------------------------------------- files


def test_saved_and_loaded(tmp_path):
    net, x = mlp(), numbers(4, 6)
    fast = hybridize.hybridize(net)
    fast(x)
    fast(numbers(9, 6))
    net.layers[0].kernel.assign(net.layers[0].kernel * 2.0)
    fast.save(tmp_path / "net")
    loaded = hybridize.load(tmp_path / "net")
    for size in (4, 9, 5):
        x = numbers(size, 6)
        close(loaded(x), net(x))
        assert isinstance(loaded(x), tf.Tensor)
        close(loaded(x.numpy()).asnumpy(), net(x).numpy())
    hybridize.load(tmp_path / "net", verify=True)


def test_a_folder_of_tensorflows(tmp_path):
    net, x = mlp(), numbers(4, 6)
    tf.saved_model.save(net, str(tmp_path / "net"))
    block = hybridize.load(tmp_path / "net")
    for size in (4, 7, 9):
        x = numbers(size, 6)
        assert isinstance(block(x), tf.Tensor)
        close(block(x), net(x))
        close(block(x.numpy()).asnumpy(), net(x).numpy())


def test_a_tape_does_not_see_through_files(tmp_path):
    net, x = mlp(), numbers(4, 6)
    fast = hybridize.hybridize(net)
    fast(x)
    fast.save(tmp_path / "net")
    loaded = hybridize.load(tmp_path / "net")
    with tf.GradientTape() as tape:
        close(loaded(x), net(x))
        tape.watch(x)
        with pytest.raises(CaptureError, match="GradientTape"):
            loaded(x)


def test_a_model_of_onnx(tmp_path):
    net = mlp()
    fast = hybridize.hybridize(net)
    fast(numbers(4, 6))
    fast(numbers(5, 6))
    fast.export(tmp_path / "net.onnx", format="onnx")
    model = hybridize.load(tmp_path / "net.onnx")
    close(model(numbers(9, 6)), net(numbers(9, 6)))


def test_state_is_saved(tmp_path):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = tf.Variable(0.0)
            self.only_written = tf.Variable(tf.zeros([2]))

        def __call__(self, x):
            self.only_written.assign(x)
            return x + self.count.assign_add(1.0)

    counter = Counter()
    fast = hybridize.hybridize(counter)
    x = tf.constant([1.0, 2.0])
    fast(x)
    fast.save(tmp_path / "counter")
    loaded = hybridize.load(tmp_path / "counter")
    assert loaded(x).numpy().tolist() == [3, 4] and loaded(x).numpy().tolist() == [4, 5]
    assert float(counter.count) == 1


def test_a_library_for_c(tmp_path):
    net, x = mlp(), numbers(4, 6)
    fast = hybridize.hybridize(net)
    fast(x)
    report = fast.export(tmp_path / "net", format="library")
    assert any("as expected" in line for line in report.checks)


def test_the_report_has_the_users_lines():
    @tf.function
    def f(x):
        return tf.tanh(x) + 1.0

    fast = hybridize.hybridize(f)
    x = numbers(3)
    fast(x)
    assert "test_door.py" in str(fast.program(x).explain())


def test_products_of_bytes_are_as_wide_as_tensorflow_says():
    f = tf.function(lambda x, y: (tf.matmul(x, y, output_type=tf.int32), tf.matmul(x[0], y[0], output_type=tf.int32)))
    x, y = (tf.cast(tf.reshape(tf.range(30) * 37 % 251 - 125, shape), tf.int8) for shape in ([2, 3, 5], [2, 5, 3]))
    for one, other in zip(hybridize.hybridize(f)(x, y), f(x, y), strict=True):
        assert one.dtype == other.dtype
        numpy.testing.assert_array_equal(one, other)
