"""The book's helpers: what they compute, what they draw, and what they say where something is not there."""

import matplotlib
import matplotlib.pyplot
import numpy
import pytest

from hybridize import d2l, gluon, np, random
from hybridize.array.device import cpu
from hybridize.d2l import datasets, figures
from hybridize.errors import ArgumentError, HybridizeError, StateError
from hybridize.gluon import nn
from tests.refusals import refusal


@pytest.fixture(autouse=True)
def no_window():
    yield
    matplotlib.pyplot.close("all")


def test_sums_and_times():
    sums = d2l.Accumulator(2)
    for number in (1, np.array(2.5), 3):
        sums.add(number, 1)
    assert sums.data == [6.5, 3.0]
    sums.reset()
    assert (sums[0], sums[1]) == (0.0, 0.0)
    with refusal(ArgumentError, "2 sums, got 1 numbers"):
        sums.add(1)
    timer = d2l.Timer()
    timer.stop()
    assert len(timer.times) == 1
    assert timer.sum() == timer.avg() == timer.cumsum()[0]


def test_names_of_arrays():
    x = d2l.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert isinstance(d2l.numpy(x), numpy.ndarray)
    assert (d2l.size(x), float(d2l.reduce_sum(x)), d2l.reduce_mean(x, axis=0).tolist()) == (4, 10.0, [2.0, 3.0])
    assert d2l.matmul(x, d2l.eye(2)).tolist() == x.tolist()
    assert d2l.argmax(x, axis=1).tolist() == [1, 1]
    assert (d2l.try_gpu(), d2l.try_all_gpus(), d2l.num_gpus()) == (cpu(), [cpu()], 0)
    assert d2l.to(x, d2l.try_gpu()).tolist() == x.tolist()
    assert d2l.corr2d(np.arange(9).reshape(3, 3), np.array([[0.0, 1.0], [2.0, 3.0]])).tolist() == [[19, 25], [37, 43]]
    assert d2l.plt is matplotlib.pyplot
    assert (d2l.np, d2l.nn_Module) == (np, nn.Block)
    with refusal(AttributeError, "nothing is downloaded"):
        d2l.download_all  # noqa: B018
    with refusal(AttributeError, "did you mean 'Animator'"):
        d2l.Animater  # noqa: B018


def test_words():
    vocab = d2l.Vocab(d2l.tokenize(["the time the", "a time the"]), min_freq=2, reserved_tokens=["<pad>"])
    assert vocab.idx_to_token == ["<pad>", "<unk>", "the", "time"]
    assert vocab.token_freqs[0] == ("the", 3)
    assert (vocab[["the", "a"]], vocab.to_tokens(np.array([3, 2])), len(vocab)) == ([2, 1], ["time", "the"], 4)
    assert vocab.to_tokens(3) == "time"
    assert d2l.tokenize(["ab"], "char") == [["a", "b"]]
    assert d2l.truncate_pad([1, 2, 3], 2, 0) == [1, 2]
    assert d2l.truncate_pad([1], 3, 0) == [1, 0, 0]


# ---------------------------------------------------------------------------------------------------------- training


def test_linear_regression_by_hand():
    """The book's first loop, to the weights that the data were drawn with."""
    true_w, true_b = np.array([2, -3.4]), 4.2
    features, labels = d2l.synthetic_data(true_w, true_b, 500)
    assert (features.shape, labels.shape) == ((500, 2), (500, 1))
    w, b = random.normal(0, 0.01, (2, 1)), np.zeros(1)
    w.attach_grad()
    b.attach_grad()
    batch_size = 10
    for _ in range(3):
        for X, y in d2l.load_array((features, labels), batch_size):
            with d2l.autograd.record():
                losses = d2l.squared_loss(d2l.linreg(X, w, b), y)
            losses.backward()
            d2l.sgd([w, b], 0.03, batch_size)
    numpy.testing.assert_allclose(w.asnumpy()[:, 0], [2, -3.4], atol=0.1)
    numpy.testing.assert_allclose(b.asnumpy(), [4.2], atol=0.1)
    assert d2l.evaluate_loss(lambda x: d2l.linreg(x, w, b), [(features, labels)], d2l.squared_loss) < 1e-2


@pytest.mark.parametrize(
    "make", [lambda: d2l.LinearRegressionScratch(2, lr=0.03), lambda: d2l.LinearRegression(lr=0.03)]
)
def test_the_three_classes(make):
    data = d2l.SyntheticRegressionData(np.array([2.0, -3.4]), 4.2, num_train=500, num_val=200)
    assert (len(data.train_dataloader()), len(data.val_dataloader())) == (16, 7)
    model = make()
    trainer = d2l.Trainer(max_epochs=8, gradient_clip_val=50)
    trainer.fit(model, data)
    w, b = model.get_w_b() if isinstance(model, d2l.LinearRegression) else (model.w, model.b)
    numpy.testing.assert_allclose(w.asnumpy().ravel(), [2, -3.4], atol=0.2)
    numpy.testing.assert_allclose(b.asnumpy().ravel(), [4.2], atol=0.2)
    board = model.board.data
    assert [len(board["train_loss"]), [x for x, _ in board["val_loss"]]] == [16, list(range(1, 9))]
    losses = [y for _, y in board["val_loss"]]
    assert losses == sorted(losses, reverse=True)
    assert (trainer.train_batch_idx, trainer.val_batch_idx, model.board.xlim) == (128, 56, [0, 8])


def test_a_classifier():
    data = d2l.Digits(batch_size=128)
    model = d2l.SoftmaxRegression(10, lr=0.5)
    d2l.Trainer(max_epochs=6).fit(model, data)
    assert model.board.data["val_acc"][-1][1] > 0.85
    scores = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
    labels = np.array([1, 0, 0], dtype="int32")
    assert model.accuracy(scores, labels).item() == pytest.approx(2 / 3)
    assert model.accuracy(scores, labels, averaged=False).tolist() == [1, 1, 0]
    assert data.text_labels(labels) == ["1", "0", "0"]


def test_the_loop_of_chapter_3(capsys):
    train, test = d2l.load_data_digits(256)
    X, y = next(iter(train))
    assert (X.shape, X.dtype, y.dtype) == ((256, 1, 8, 8), numpy.float32, numpy.int32)
    assert 0 <= X.min() <= X.max() <= 1
    net = nn.Dense(10)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    curves = d2l.train_ch3(net, train, test, gluon.loss.SoftmaxCrossEntropyLoss(), 5, trainer)
    assert [len(one) for one in curves.Y] == [5, 5, 5]
    assert curves.Y[2][-1] == pytest.approx(d2l.evaluate_accuracy(net, test))
    assert curves.Y[2][-1] > 0.8
    assert curves.Y[0][-1] < curves.Y[0][0]
    assert len(curves.axes[0].lines) == 3
    axes = d2l.predict_ch3(net, test, 3, labels=data_labels)
    assert [one.get_title().split("\n")[0] for one in axes] == data_labels(next(iter(test))[1])[:3]


def data_labels(labels):
    return [str(int(one)) for one in labels]


def test_the_loop_of_chapter_6(capsys):
    train, test = d2l.load_data_digits(256, resize=16)
    assert next(iter(test))[0].shape == (256, 1, 16, 16)
    net = nn.Sequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.MaxPool2D(2), nn.Dense(10))
    curves = d2l.train_ch6(net, train, test, 2, 0.1, d2l.try_gpu())
    said = capsys.readouterr().out
    assert said.startswith("loss ")
    assert f"test acc {curves.Y[2][-1]:.3f}" in said
    assert "examples/sec on cpu(0)" in said
    assert curves.X[2] == [1, 2]
    assert d2l.evaluate_accuracy_gpu(net, test) == pytest.approx(curves.Y[2][-1])


def test_gradients_are_cut():
    w = np.array([3.0, 4.0])
    w.attach_grad()
    for theta, expected in ((1.0, [0.6, 0.8]), (10.0, [3.0, 4.0])):
        with d2l.autograd.record():
            y = (w * w / 2).sum()
        y.backward()
        d2l.grad_clipping(type("Net", (), {"params": [w]})(), theta)
        numpy.testing.assert_allclose(w.grad.asnumpy(), expected, rtol=1e-6)
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize(init="ones")
    with d2l.autograd.record():
        y = net(np.array([[3.0, 4.0]]))
    y.backward()
    d2l.grad_clipping(net, 1)
    numpy.testing.assert_allclose(net.weight.grad().asnumpy(), [[0.6, 0.8]], rtol=1e-6)


def test_accuracy():
    assert d2l.accuracy(np.array([[0.1, 0.3, 0.6], [0.3, 0.2, 0.5]]), np.array([0, 2])) == 1.0
    assert d2l.accuracy(np.array([1.0, 0.0, 1.0]), np.array([1, 1, 1], dtype="int32")) == 2.0


# ------------------------------------------------------------------------------------------------- classes, figures


def test_methods_come_later_and_arguments_stay():
    class Model(d2l.HyperParameters):
        def __init__(self, a, b=2, *, c=3):
            self.save_hyperparameters(ignore=["c"])

    @d2l.add_to_class(Model)
    def product(self):
        return self.a * self.b

    model = Model(5)
    assert (model.product(), model.hparams, hasattr(model, "c")) == (10, {"a": 5, "b": 2}, False)
    with refusal(ArgumentError, "does not define net"):
        d2l.Module()(np.ones((1, 1)))
    with refusal(ArgumentError, "does not define loss"):
        d2l.Module().loss(1, 2)
    with refusal(ArgumentError, "get_dataloader"):
        d2l.DataModule().train_dataloader()
    with refusal(StateError, r"E578.*no trainer"):
        d2l.Module().plot("loss", 1.0, train=True)


def test_boards_take_means():
    board = d2l.ProgressBoard("x", display=False)
    for x in range(6):
        board.draw(x, np.array(x * 2.0), "double", every_n=3)
        board.draw(x, -x, "minus")
    assert board.data == {"double": [(1.0, 2.0), (4.0, 8.0)], "minus": [(x, -x) for x in range(6)]}
    axes = matplotlib.pyplot.subplots()[1]
    shown = d2l.ProgressBoard("epoch", axes=axes)
    shown.draw(1, 2, "a")
    shown.draw(2, 3, "a")
    (line,) = axes.lines
    assert (line.get_xdata().tolist(), line.get_ydata().tolist(), axes.get_xlabel()) == ([1, 2], [2, 3], "epoch")


def test_curves():
    x = np.arange(0, 3, 0.5)
    d2l.plot(x, [x * 2, x + 1], "x", "f(x)", legend=["f", "g"])
    axes = d2l.plt.gca()
    assert [line.get_ydata().tolist() for line in axes.lines] == [(x * 2).tolist(), (x + 1).tolist()]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "f(x)")
    d2l.plot([1.0, 4.0, 9.0], axes=axes)
    assert [line.get_xdata().tolist() for line in axes.lines] == [[0, 1, 2]]
    shown = d2l.show_images(np.zeros((2, 4, 4)), 1, 2, titles=["a", "b"])
    assert [one.get_title() for one in shown] == ["a", "b"]


def test_points_are_kept_without_matplotlib(monkeypatch):
    def nothing(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(figures, "load_module", nothing)
    curves = d2l.Animator(legend=["a", "b"])
    curves.add(1, (2, None))
    curves.add((2, 3), (4, 5))
    assert (curves.X, curves.Y, curves.fig) == ([[1.0, 2.0], [3.0]], [[2.0, 4.0], [5.0]], None)
    with refusal(ArgumentError, r"E380(.|\n)*hybridize\[plot\]"):
        d2l.plot([1.0, 2.0])


def test_drawn_digits_stand_in_and_can_be_learned(monkeypatch):
    def missing(*args, **kwargs):
        raise ArgumentError("E380", "not installed")

    monkeypatch.setattr(datasets.sets, "digits", missing)
    with pytest.warns(UserWarning, match="drawn digits"):
        train, test = d2l.load_data_digits(240)
    with pytest.warns(UserWarning, match="drawn digits"):
        again, _ = datasets._digits(True)
    assert sorted(train._dataset[:][0].asnumpy().sum((1, 2, 3)))[:9] == sorted(again.asnumpy().sum((1, 2, 3)))[:9]
    net = nn.Sequential()
    net.add(nn.Dense(64, activation="relu"), nn.Dense(10))
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    for _ in range(25):
        d2l.train_epoch_ch3(net, train, gluon.loss.SoftmaxCrossEntropyLoss(), trainer)
    assert d2l.evaluate_accuracy(net, test) > 0.8


def test_clothes_are_read_from_local_files(tmp_path):
    with refusal(HybridizeError, r"E381(.|\n)*nothing is downloaded"):
        d2l.load_data_fashion_mnist(32, root=str(tmp_path))
    assert d2l.get_fashion_mnist_labels([0, 9]) == ["t-shirt", "ankle boot"]
