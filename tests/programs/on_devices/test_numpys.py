"""Arrays of NumPy's in compiled functions: what is computed of them is where imperative code computes it."""

from contextlib import nullcontext

import numpy
import pytest

from hybridize import autograd, cpu, gluon, gpu, hybridize, load, np, npx
from hybridize.errors import DeviceError

TABLE = numpy.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)
SCOPES = {"none": nullcontext, "gpu": lambda: gpu(0), "cpu": cpu, "cpu(1)": lambda: cpu(1)}


def numpys(*shape):
    return numpy.random.default_rng(0).standard_normal(shape or (2, 3)).astype("float32")


def at(device):
    return lambda: np.array(numpys(), ctx=device)


def written(x):
    x[0] = 5
    return np.exp(x)


def added(x):
    x += 1
    return np.exp(x)


def written_by_a_view(x):
    x.T[0] = 5
    x[1][2] = 7
    return np.exp(x)


def written_with_what_is_computed(x):
    x[:] = np.exp(x)
    return np.sin(x)


def computed_into(x):
    np.add(x, 1, out=x)
    return np.sum(x)


def all_rows(x):
    total = np.zeros(3)
    for row in x:
        total = total + np.exp(row)
    return total


def while_large(x):
    y = np.array(x)
    while np.abs(y).max() > 0.1:
        y = y / 2
    return y


def turned(x):
    while np.abs(x).max() > 1:
        x = np.divide(x, 2)
    for _ in range(int(np.abs(x).max() * 2) + 1):
        x = x[::-1]
    return np.exp(x)


def either(x):
    if x.sum() > 100:
        x = np.exp(x)
    return np.sin(x)


def with_a_converted_one(x, y):
    return np.asarray(x) + y


def written_with_another(x, y):
    x[0] = (y * 2)[0].asnumpy() if isinstance(x, numpy.ndarray) else (y * 2)[0]
    return np.exp(x)


def written_to_another(x, y):
    y[1:] = np.exp(x)[0]
    y[0] = x[0]
    return y * 2


ONE = {
    "computed": np.exp,
    "converted": lambda x: np.array(x) * 2,
    "converted without a copy": lambda x: -np.asarray(x),
    "converted on a device": lambda x: (np.array(x, ctx=gpu(0)), np.asarray(x, device=cpu()) * 2),
    "beside a new array": lambda x: np.add(np.ones(3), np.sum(x)),
    "beside another of NumPy's": lambda x: np.add(x, TABLE),
    "from outside": lambda x: np.exp(TABLE),
    "in a list": lambda x: np.stack([x, x]),
    "not from the arguments": lambda x: np.arange(3),
    "by rows": all_rows,
    "in a loop": while_large,
    "by turns": turned,
    "where data decides": either,
    "written": written,
    "added": added,
    "written by a view": written_by_a_view,
    "written with what is computed": written_with_what_is_computed,
    "computed into": computed_into,
}
TWO = {
    "beside": np.add,
    "each by itself": lambda x, y: (np.exp(x), np.exp(y)),
    "after it": lambda x, y: np.exp(x) + y,
    "beside a number": lambda x, y: np.add(np.sum(x), y),
    "as indices": lambda x, y: y[np.argmax(x, axis=1) % 2],
    "converted": with_a_converted_one,
    "written with": written_with_another,
    "written to": written_to_another,
}


def outcome(function, make, scope):
    """What a call gives and where, and its arguments afterwards; or the code of its error."""
    args = make()
    with scope():
        try:
            result = function(*args)
        except DeviceError as error:
            return error.code
    results = result if isinstance(result, tuple) else (result,)
    return [(y.device, y.asnumpy()) for y in results], [numpy.array(x) for x in args]


def same(function, make, scope):
    expected, fast = outcome(function, make, scope), hybridize(function)
    for _ in range(3):  # captured, dispatched, and by an entry where there is one
        result = outcome(fast, make, scope)
        if isinstance(expected, str) or isinstance(result, str):
            assert result == expected
            continue
        assert [device for device, _ in result[0]] == [device for device, _ in expected[0]]
        pairs = zip([y for _, y in result[0]] + result[1], [y for _, y in expected[0]] + expected[1], strict=True)
        for value, wanted in pairs:
            numpy.testing.assert_allclose(value, wanted, rtol=1e-6)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("function", ONE)
def test_alone(function, scope):
    same(ONE[function], lambda: (numpys(),), SCOPES[scope])


@pytest.mark.parametrize("device", [cpu(0), gpu(0)], ids=str)
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("function", TWO)
def test_beside_arrays(function, scope, device):
    same(TWO[function], lambda: (numpys(), at(device)()), SCOPES[scope])


def test_arrays_of_all_kinds_have_programs_of_their_own():
    f = hybridize(lambda x: np.exp(x))
    with gpu(0):
        for _ in range(3):
            ys = [f(numpys()), f(at(cpu())()), f(at(gpu(0))()), f(at(gpu(1))())]
            assert [y.device for y in ys] == [gpu(0), cpu(0), gpu(0), gpu(1)]
    assert f(numpys()).device == cpu(0)
    with gpu(1):
        assert f(numpys()).device == gpu(1)


def test_the_device_computes_for_all_sizes_and_gets_no_more_than_the_array(sent_bytes):
    f = hybridize(lambda x: np.exp(x) - np.mean(x, axis=0))
    with gpu(0):
        for rows in (3, 5, 100, 64, 7):
            x = numpys(rows, 40)
            y = f(x)
            assert y.device == gpu(0)
            numpy.testing.assert_allclose(y.asnumpy(), numpy.exp(x) - x.mean(0), rtol=1e-5, atol=1e-6)
        x = numpys(8, 40)
        f(x)
        sent_bytes.clear()
        f(x)
    assert x.nbytes <= sum(sent_bytes) < x.nbytes + 256


def test_a_view_is_one_over_the_memory_of_numpy_s():
    x = numpys()
    with gpu(0):
        y = hybridize(lambda x: x.T)(x)
        y[0] = 9
    assert (x[:, 0] == 9).all() and y.device == cpu(0)


def test_a_conversion_is_an_array_on_the_present_device():
    f = hybridize(lambda x: np.asarray(x))
    for _ in range(3):
        with gpu(0):
            y, z = f(numpys()), f(x := at(gpu(0))())
        assert y.device == gpu(0) and z is x


def test_the_device_is_told_of_in_the_reason_and_of_a_mix():
    f = hybridize(lambda x, y: np.add(x, y))
    with gpu(0):
        f(at(cpu())(), at(cpu())())
        assert (
            f.program(numpys(), at(cpu())()).reason == "the arrays were on cpu(0), cpu(0) and are on no device, cpu(0)"
        )
        with pytest.raises(DeviceError, match=r"E703.*an array of NumPy's beside f32\[2,3\] on gpu\(0\)"):
            f(numpys(), at(gpu(0))())


@pytest.mark.parametrize("first", [[], [gluon.nn.Flatten, gluon.nn.BatchNorm]], ids=["a layer", "several"])
def test_a_net_runs_on_the_present_device(first):
    net = gluon.nn.HybridSequential()
    net.add(*[layer() for layer in (*first, lambda: gluon.nn.Dense(2))])
    net.initialize(ctx=gpu(0))
    x = numpys(4, 3)
    losses, gradients = [], []
    for fast in (False, True, True, True):
        net.hybridize(fast)
        with gpu(0):
            with autograd.record(train_mode=False):
                loss = npx.log_softmax(net(x)).sum()
            loss.backward()
        losses.append(loss)
        gradients.append(net[-1].weight.grad().asnumpy().copy())
        assert loss.device == gpu(0)
    numpy.testing.assert_allclose([y.item() for y in losses], losses[0].item(), rtol=1e-5)
    for one in gradients:
        numpy.testing.assert_allclose(one, gradients[0], rtol=1e-5)
    with pytest.raises(DeviceError, match="E704"):
        net(x)


@pytest.mark.parametrize("fast", [False, True])
def test_a_step_of_training_takes_a_batch_of_numpy_s(fast):
    np.random.seed(0)
    net = gluon.nn.Dense(3, in_units=5)
    net.initialize(ctx=gpu(0))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), np.array(y))
        loss.backward()
        trainer.step(len(x))
        return loss.mean()

    step = hybridize(step) if fast else step
    x, y = numpys(8, 5), numpy.arange(8) % 3
    with gpu(0):
        losses = [step(x, y) for _ in range(4)]
    assert all(one.device == gpu(0) for one in losses)
    values = [one.item() for one in losses]
    assert values == sorted(values, reverse=True) and len(set(values)) == 4


@pytest.mark.parametrize("options", [{"verify": "outputs"}, {"verify": "ops"}, {"backend": "numpy"}], ids=str)
def test_programs_of_all_kinds_give_it_there(options):
    f = hybridize(lambda x: np.exp(x) * 2, **options)
    with gpu(0):
        for _ in range(2):
            y = f(numpys())
            assert y.device == gpu(0)
            numpy.testing.assert_allclose(y.asnumpy(), numpy.exp(numpys()) * 2, rtol=1e-6)


def test_a_file_takes_them(tmp_path):
    f = hybridize(lambda x: np.exp(x))
    with gpu(0):
        expected = f(numpys())
    f.save(tmp_path / "f")
    for device in (gpu(0), cpu()):
        with device:
            y = load(tmp_path / "f")(numpys())
        assert y.device == device
        numpy.testing.assert_allclose(y.asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_what_a_device_computes_is_at_the_host_where_it_was_written_there():
    def f(x, y):
        x[0] = (y * 2)[0]
        z = np.zeros(2)
        z[:] = y.sum(axis=1)
        return np.exp(x), z

    same(f, lambda: (at(cpu())(), at(gpu(0))()), nullcontext)
