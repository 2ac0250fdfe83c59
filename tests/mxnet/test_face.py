"""`hybridize.mxnet`: the numbers of MXNet 1.9.1, where 2.0's are others."""

import importlib
import json
import subprocess
import warnings
from pathlib import Path

import numpy
import pytest

import hybridize
import hybridize.mxnet as mx
from hybridize.errors import HybridizeError, MissingNameError
from tests.mxnet import numbers_of_first

HERE = Path(__file__).parent
EXPECTED = json.loads((HERE / "numbers_of_first.json").read_text())
PROGRAMS = {title: function for programs in numbers_of_first.PARTS.values() for title, function in programs(mx)}
DIFFERENT = {
    "nag {'momentum': 0.9} ": "wd",  # MXNet adds the decay of the weight that it has just written
    "lars {'momentum': 0.9, 'eta': 0.1} ": "lr_scheduler",  # momentum times the quotient of two rates
    "lbsgd {'momentum': 0.9, ": "lr_scheduler",  # the rate of the update before
    "lamb ": "multi_precision",  # MXNet trains the short weight, not the copy
}
"""Programs that docs/guide/differences.md names, by their beginnings, with what is in their settings."""
RUN = [
    (part, title)
    for part in EXPECTED
    for title in EXPECTED[part]
    if not any(title.startswith(begin) and word in title for begin, word in DIFFERENT.items())
]


def test_every_program_is_in_the_file():
    refused = [title for title in PROGRAMS if not any(title in titles for titles in EXPECTED.values())]
    assert refused == []


@pytest.mark.parametrize("part", EXPECTED)
def test_numbers_are_those_of_mxnet(part):
    wrong = {}
    for title in (title for one, title in RUN if one == part):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = [one.asnumpy() for one in PROGRAMS[title]()]
        for (shape, numbers), result in zip(EXPECTED[part][title], results, strict=True):
            limit = 2e-3 if "float16" in title else 2e-5
            expected = numpy.reshape(numbers, shape)
            if result.shape != expected.shape or abs(result - expected).max() > limit * max(abs(expected).max(), 1e-3):
                wrong[title] = (result.tolist(), expected.tolist())
    assert wrong == {}


def test_losses_and_layers_compiled():
    for part in ("losses", "layers"):
        for title, function in numbers_of_first.PARTS[part](mx):
            results = function(compiled=True)
            for (shape, numbers), result in zip(EXPECTED[part][title], results, strict=True):
                numpy.testing.assert_allclose(
                    result.asnumpy(), numpy.reshape(numbers, shape), 2e-5, 1e-5, err_msg=title
                )


def test_a_step_as_one_program_has_the_same_formulas():
    def weights(compiled):
        net = mx.gluon.nn.Dense(2, in_units=3, weight_initializer=mx.init.One())
        net.initialize()
        trainer = mx.gluon.Trainer(net.collect_params(), "rmsprop", {"wd": 0.5, "clip_gradient": 0.1, "epsilon": 0.1})

        def step(x):
            with mx.autograd.record():
                loss = (net(x) ** 2).sum()
            loss.backward()
            trainer.step(1)

        run = hybridize.hybridize(step) if compiled else step
        for _ in range(3):
            run(mx.nd.array([[0.1, -0.2, 0.3]]))
        return net.weight.data().asnumpy()

    numpy.testing.assert_allclose(weights(True), weights(False), 1e-6)


def test_its_own_modules_have_all_else_of_hybridize():
    from hybridize.mxnet.optimizer.optimizer import Adam, Optimizer

    from hybridize.mxnet.gluon import HybridBlock, Trainer, loss, nn, rnn
    from hybridize.mxnet.gluon.loss import L2Loss
    from hybridize.mxnet.gluon.trainer import Trainer as SameTrainer

    assert HybridBlock is hybridize.gluon.HybridBlock and rnn is hybridize.gluon.rnn
    assert nn.Dense is hybridize.gluon.nn.Dense and nn is mx.gluon.nn
    assert L2Loss is hybridize.gluon.loss.L2Loss and loss is mx.gluon.loss
    assert Trainer is SameTrainer is mx.gluon.Trainer is not hybridize.gluon.Trainer
    assert issubclass(Trainer, hybridize.gluon.Trainer)
    assert Adam is mx.opt.Adam is mx.optimizer.Adam is not hybridize.optimizer.Adam
    assert Optimizer is hybridize.optimizer.Optimizer and issubclass(Adam, hybridize.optimizer.Adam)
    assert {"Trainer", "loss", "nn"} <= set(dir(mx.gluon)) and {"Adam", "AdamW"} <= set(dir(mx.optimizer))
    for module in (mx, mx.gluon, mx.gluon.loss, mx.optimizer):
        with pytest.raises(MissingNameError):
            _ = module.nonsense


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("name", ["F1", "MCC", "PearsonCorrelation"])
def test_a_metric_is_made_again_of_what_it_tells(name, average):
    metric = getattr(mx.metric, name)(average=average)
    again = mx.metric.create(metric.get_config())
    assert type(again) is type(metric) is not getattr(hybridize.metric, name)
    assert again.get_config() == metric.get_config()


def test_group_norm_by_group_goes_through_files(tmp_path):
    x = mx.nd.array(numpy.random.default_rng(1).normal(size=(2, 6, 3)))
    net = mx.gluon.nn.GroupNorm(num_groups=3, in_channels=6, gamma_initializer=mx.init.Constant([1, 2, 3]))
    net.initialize()
    assert repr(net) == "GroupNorm(eps=1e-05, num_groups=3, center=True, scale=True)"
    expected = net(x).asnumpy()
    net.save_parameters(str(tmp_path / "net.params"))
    again = mx.gluon.nn.GroupNorm(num_groups=3)
    again.load_parameters(str(tmp_path / "net.params"))
    numpy.testing.assert_array_equal(again(x).asnumpy(), expected)
    net.hybridize()
    numpy.testing.assert_allclose(net(x).asnumpy(), expected, 1e-5, 1e-6)
    with pytest.warns(UserWarning, match="sizes of its inputs"):
        symbol, params = net.export(str(tmp_path / "net"))
    again = mx.gluon.SymbolBlock.imports(symbol, ["data"], params)
    numpy.testing.assert_allclose(again(x).asnumpy(), expected, 1e-5, 1e-6)


@pytest.mark.parametrize(
    ("path", "own", "others"),
    [
        ("optimizer", "Adam", "AdamW create register"), ("metric", "RMSE", "Accuracy create"), ("gluon", "Trainer", "Block nn"),
        ("gluon.nn", "GroupNorm", "Dense BatchNorm"), ("gluon.loss", "KLDivLoss", "L2Loss"), ("gluon.trainer", "Trainer", ""),
    ],
)  # fmt: skip
def test_a_star_imports_all(path, own, others):
    names = {}
    exec(f"from hybridize.mxnet.{path} import *", names)
    assert names[own].__module__.startswith("hybridize.mxnet.")
    assert {own, *others.split()} <= names.keys()
    assert not {"face", "annotations", "Any"} & names.keys() or path == "gluon.trainer"


def test_hybridizes_own_are_as_they_were():
    assert type(hybridize.optimizer.create("adam")) is hybridize.optimizer.Adam
    net = hybridize.gluon.nn.Dense(2, in_units=3)
    assert type(hybridize.gluon.Trainer(net.collect_params(), "nag").optimizer) is hybridize.optimizer.NAG


def test_what_a_user_registers_goes_before():
    @mx.optimizer.register
    class Nadam(mx.optimizer.Optimizer):
        pass

    try:
        assert type(mx.optimizer.create("nadam")) is Nadam
    finally:
        mx.optimizer.register(hybridize.optimizer.Nadam)


def test_a_default_rate_replaces_that_of_a_scheduler_and_says_so():
    schedule = mx.lr_scheduler.FactorScheduler(2, base_lr=0.1)
    with pytest.warns(UserWarning, match=r"replaces the scheduler's base_lr, 0\.1"):
        assert mx.optimizer.create("adam", lr_scheduler=schedule).learning_rate == 0.001
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schedule = mx.lr_scheduler.FactorScheduler(2, base_lr=0.1)
        assert mx.optimizer.create("adam", lr_scheduler=schedule, learning_rate=0.2).learning_rate == 0.2
        assert (
            mx.optimizer.create("sgd", lr_scheduler=mx.lr_scheduler.FactorScheduler(2, base_lr=0.3)).learning_rate
            == 0.3
        )


def test_a_name_that_is_none():
    with pytest.raises(HybridizeError, match="E354"):
        mx.gluon.Trainer(mx.gluon.nn.Dense(2, in_units=3).collect_params(), "nothing")


@pytest.mark.long
def test_the_file_is_what_mxnet_gives():
    python = HERE.parents[1] / ".mxnet" / "1.9.1" / "bin" / "python"
    if not python.exists():
        pytest.skip("MXNet 1.9.1 is not installed: make .mxnet/.installed")
    done = subprocess.run([python, numbers_of_first.__file__], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(done.stdout)
    for part, programs in EXPECTED.items():
        assert programs.keys() == results[part].keys()
        for title, arrays in programs.items():
            for (shape, numbers), (again, others) in zip(arrays, results[part][title], strict=True):
                assert shape == again
                numpy.testing.assert_allclose(others, numbers, 1e-5, 1e-6, err_msg=title)


@pytest.fixture(autouse=True)
def without_set_np():
    """Let no other test's `set_np` count."""
    mx.npx.reset_np()
    yield
    mx.npx.reset_np()


class Samples(mx.gluon.data.Dataset):
    """Pairs of NumPy's arrays and numbers."""

    def __len__(self):
        return 5

    def __getitem__(self, number):
        return numpy.full((2, 3), number, "f4"), number


SETS = {
    "NumPy's arrays": lambda: mx.gluon.data.ArrayDataset(numpy.ones((5, 2, 3), "f4"), numpy.arange(5)),
    "arrays of np": lambda: mx.gluon.data.ArrayDataset(mx.np.ones((5, 2, 3)), mx.np.arange(5)),
    "arrays of nd": lambda: mx.gluon.data.ArrayDataset(mx.nd.ones((5, 2, 3)), mx.nd.arange(5)),
    "samples": Samples,
    "transformed": lambda: Samples().transform_first(lambda x: x * 2),
}


@pytest.mark.parametrize("workers", [{}, {"num_workers": 2, "thread_pool": True}, {"num_workers": 1}])
@pytest.mark.parametrize("name", SETS)
def test_batches_are_of_nd(name, workers):
    """A loader stacks what a data set holds to arrays of `nd`; to those of `np` after `set_np`."""
    loader = mx.gluon.data.DataLoader(SETS[name](), 3, **workers)
    for _ in range(2):
        batches = list(loader)
        assert len(batches) == len(loader) == 2
        for x, y in batches:
            assert type(x) is type(y) is mx.nd.NDArray
            assert x.flatten().shape == (x.shape[0], 6)
    mx.npx.set_np()
    assert all(type(x) is mx.np.ndarray for x, y in loader) == (name != "arrays of nd")
    mx.npx.reset_np()
    assert all(type(x) is mx.nd.NDArray for x, y in loader)


def test_mxnets_own_batchify_function_gives_arrays_of_nd_when_it_is_passed():
    loader = mx.gluon.data.DataLoader(Samples(), 3, batchify_fn=mx.gluon.data.dataloader.default_batchify_fn)
    assert all(type(x) is type(y) is mx.nd.NDArray for x, y in loader)


def test_batches_of_a_batchify_function_are_what_it_gives():
    loader = mx.gluon.data.DataLoader(Samples(), 3, batchify_fn=lambda samples: [y for x, y in samples])
    assert list(loader) == [[0, 1, 2], [3, 4]]
    stacked = mx.gluon.data.DataLoader(Samples(), 3, batchify_fn=mx.gluon.data.batchify.Group(*[mx.np.stack] * 2))
    with pytest.raises(HybridizeError):
        mx.gluon.data.DataLoader(Samples())
    assert len(stacked) == 2


def test_the_loader_is_one_class_under_all_paths():
    data, dataloader, transforms = (
        importlib.import_module(f"hybridize.mxnet.gluon.data{part}")
        for part in ("", ".dataloader", ".vision.transforms")
    )
    assert dataloader.DataLoader is data.DataLoader is mx.gluon.data.DataLoader is mx.gluon.data.dataloader.DataLoader
    assert issubclass(data.DataLoader, hybridize.gluon.data.DataLoader)
    assert data.ArrayDataset is hybridize.gluon.data.ArrayDataset
    assert transforms.Compose is hybridize.gluon.data.vision.transforms.Compose
    assert type(next(iter(hybridize.gluon.data.DataLoader(numpy.ones((4, 2), "f4"), 2)))) is hybridize.np.ndarray


def test_an_epoch_of_training_by_a_loader_of_numpy_arrays():
    """`flatten`, equal dtypes and sums in one axis as MXNet 1 has them, imperatively and hybridized."""
    x, y = numpy.random.default_rng(0).normal(size=(8, 1, 2, 3)).astype("f4"), numpy.arange(8) % 3
    results = []
    for compiled in (False, True):
        net = mx.gluon.nn.Dense(3, in_units=6, weight_initializer="ones")
        net.initialize()
        net.hybridize(compiled)
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        hits, loss = 0, mx.gluon.loss.SoftmaxCELoss()
        for data, label in mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(x, y), 4):
            with mx.autograd.record():
                output = net(data.flatten())
                lost = loss(output, label)
            lost.backward()
            trainer.step(4)
            equal = output.argmax(axis=1).astype("int64") == label
            assert equal.dtype == numpy.dtype("int64")
            assert (equal.sum().shape, (label / 2).dtype) == ((1,), numpy.dtype("int64"))
            hits += equal.sum().asscalar()
        results.append((hits, net.weight.data().asnumpy()))
    assert results[0][0] == results[1][0]
    numpy.testing.assert_allclose(results[0][1], results[1][1], 1e-5, 1e-6)
