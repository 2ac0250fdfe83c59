"""The book's files, from a local folder: what is read of them, and what is said where they are not there."""

import contextlib
import tarfile
import zipfile

import matplotlib.pyplot
import numpy
import pytest

from hybridize import d2l, gluon, np
from hybridize.errors import ArgumentError, LoadError
from hybridize.gluon import nn
from tests.refusals import refusal
from tests.suites.book import stand_ins


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    (folder / "chapter").mkdir()
    stand_ins.write(folder)
    return folder


@pytest.fixture
def chapter(home, monkeypatch):
    """A section's own folder: `../data` has the files, which are not the published ones."""
    monkeypatch.chdir(home / "chapter")
    monkeypatch.setenv("MXNET_HOME", str(home / "data"))
    yield home
    matplotlib.pyplot.close("all")


def test_a_file_is_looked_for_and_not_downloaded(tmp_path):
    with refusal(ArgumentError, "there is no file .*airfoil_self_noise.dat") as caught:
        d2l.download("airfoil", str(tmp_path))
    assert "copy http" in str(caught.value)
    with refusal(ArgumentError, "DATA_HUB has no 'airfoils', it has .*'airfoil'"):
        d2l.download("airfoils")
    (tmp_path / "words.txt").write_text("abc")
    right = "a9993e364706816aba3e25717850c26c9cd0d89d"  # FIPS 180-1, appendix A
    assert d2l.download("http://x.org/words.txt", str(tmp_path), right) == str(tmp_path / "words.txt")
    with pytest.warns(UserWarning, match="is not the file that is published as"):
        d2l.download("http://x.org/words.txt", str(tmp_path), right[::-1])


@pytest.mark.parametrize("suffix", ["zip", "tar", "tar.gz"])
def test_files_are_unpacked_where_they_lie(suffix, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "words.txt").write_text("abc")
    path = tmp_path / "data" / f"pack.{suffix}"
    if suffix == "zip":
        with zipfile.ZipFile(path, "w") as packed:
            packed.write(tmp_path / "words.txt", "pack/words.txt")
    else:
        with tarfile.open(path, "w:gz" if suffix == "tar.gz" else "w") as packed:
            packed.add(tmp_path / "words.txt", "pack/words.txt")
    (tmp_path / "chapter").mkdir()
    monkeypatch.chdir(tmp_path / "chapter")
    monkeypatch.setitem(d2l.DATA_HUB, "pack", (f"http://x.org/pack.{suffix}", None))
    folder = d2l.download_extract("pack", "pack")
    assert (tmp_path / "chapter" / folder / "words.txt").read_text() == "abc"
    path.write_bytes(path.read_bytes()[: min(len(path.read_bytes()) // 3, 600)])
    with refusal(LoadError, "cannot be unpacked"):
        d2l.extract(str(path))
    with refusal(LoadError, "is not a .zip, .tar or .gz file"):
        d2l.extract("words.txt")


def test_nothing_is_unpacked_outside_of_the_folder(tmp_path):
    (tmp_path / "words.txt").write_text("abc")
    (tmp_path / "in").mkdir()
    for suffix in ("zip", "tar"):
        path = tmp_path / "in" / f"pack.{suffix}"
        if suffix == "zip":
            with zipfile.ZipFile(path, "w") as packed:
                packed.write(tmp_path / "words.txt", "../out.txt")
        else:
            with tarfile.open(path, "w") as packed:
                packed.add(tmp_path / "words.txt", "../out.txt")
        with contextlib.suppress(LoadError):
            d2l.extract(str(path))
        assert not (tmp_path / "out.txt").exists()


@pytest.mark.filterwarnings("ignore:.*is not the file")
def test_the_novel(chapter):
    data = d2l.TimeMachine(batch_size=8, num_steps=5, num_train=100, num_val=50)
    X, Y = next(iter(data.train_dataloader()))
    assert (X.shape, Y.shape) == ((8, 5), (8, 5))
    assert (X[:, 1:] == Y[:, :-1]).all()
    text = (chapter / "data" / "timemachine.txt").read_text()
    assert "".join(data.vocab.to_tokens(data.X[7])) == text[7:12]
    assert (len(data.train_dataloader()), len(data.val_dataloader())) == (13, 7)
    corpus, vocab = data.build("The  Time, 1895", data.vocab)
    assert ("".join(vocab.to_tokens(corpus)), vocab) == ("the time ", data.vocab)


@pytest.mark.filterwarnings("ignore:.*is not the file")
def test_sentences_in_two_languages(chapter):
    data = d2l.MTFraEng(batch_size=4, num_steps=6, num_train=64, num_val=16)
    source, begun, lengths, target = next(iter(data.train_dataloader()))
    assert [one.shape for one in (source, begun, lengths, target)] == [(4, 6), (4, 6), (4,), (4, 6)]
    for row in range(4):
        words = data.src_vocab.to_tokens(source[row].astype("int32"))
        assert words.index("<eos>") + 1 == lengths[row] <= 6
        assert set(words[int(lengths[row]) :]) <= {"<pad>"}
        spoken = data.tgt_vocab.to_tokens(begun[row].astype("int32"))
        assert spoken[0] == "<bos>"
        assert spoken[1:] == data.tgt_vocab.to_tokens(target[row].astype("int32"))[:-1]
    one = data.build(["Stop !"], ["arrête !"])
    assert data.src_vocab.to_tokens(one[0][0]) == ["stop", "!", "<eos>", "<pad>", "<pad>", "<pad>"]
    assert d2l.preprocess_nmt("Va\u202f! Ça, là.") == "va ! ça , là ."
    assert d2l.tokenize_nmt("a b\tc\nno tab\nd\te\nf\tg", 2) == ([["a", "b"], ["d"]], [["c"], ["e"]])
    d2l.show_list_len_pair_hist(["a", "b"], "x", "y", [[1], [1, 2]], [[1]])
    assert [one.get_text() for one in d2l.plt.gca().get_legend().get_texts()] == ["a", "b"]


@pytest.mark.filterwarnings("ignore:.*is not the file")
def test_methods_are_compared_on_measurements(chapter, capsys):
    data, features = d2l.get_data_ch11(batch_size=100, n=1000)
    assert (features, len(data)) == (5, 10)
    X, y = (np.concatenate(parts) for parts in zip(*data, strict=True))
    assert abs(X.mean(axis=0)).max() < 0.1
    assert abs(y.asnumpy().std() - 1) < 0.1

    def descend(params, states, hyperparams):
        d2l.sgd(params, hyperparams["lr"], 1)

    times, losses = d2l.train_ch11(descend, None, {"lr": 0.2}, data, features, 2)
    assert len(times) == len(losses) == 10
    assert losses[-1] < 0.1 * losses[0]
    d2l.train_concise_ch11("sgd", {"learning_rate": 0.2}, data, 2)
    assert capsys.readouterr().out.count("sec/epoch") == 2


def test_clothes_of_the_folder_that_mxnet_has(chapter):
    train, test = d2l.load_data_fashion_mnist(64, resize=32)
    X, y = next(iter(test))
    assert (X.shape, y.shape) == ((64, 1, 32, 32), (64,))
    assert y.tolist()[:11] == [*range(10), 0]
    assert len(gluon.data.vision.MNIST(train=False)) == stand_ins.IMAGES
    assert len(train) == stand_ins.IMAGES // 64


def test_training_on_several_devices(chapter, capsys):
    train, test = d2l.load_data_fashion_mnist(48)
    net = nn.Dense(10)
    devices = [d2l.cpu(0), d2l.cpu(1)]
    net.initialize(ctx=devices)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    curves = d2l.train_ch13(net, train, test, loss, trainer, 3, devices)
    assert curves.Y[0][-1] < curves.Y[0][0]
    assert curves.Y[2][-1] == pytest.approx(d2l.evaluate_accuracy(net, test))
    assert "examples/sec on [cpu(0), " in capsys.readouterr().out
    X, y = next(iter(test))
    parts, labels = d2l.split_batch(X, y, devices)
    assert [part.ctx for part in parts] == devices
    numpy.testing.assert_array_equal(numpy.concatenate([part.asnumpy() for part in parts]), X.asnumpy())
    assert [len(one) for one in labels] == [24, 24]
    (first, _), labels = d2l.split_batch_multi_inputs([X[:5], y[:5]], y[:5], devices)
    assert [len(first[0]), len(first[1]), len(labels[0]), len(labels[1])] == [3, 3, 3, 2]


def test_paths_in_the_plane(capsys):
    def descend(x1, x2, s1, s2, f_grad):
        g1, g2 = f_grad(x1, x2)
        return x1 - 0.1 * g1, x2 - 0.1 * g2, 0, 0

    points = d2l.train_2d(descend, 20, f_grad=lambda x1, x2: (2 * x1, 4 * x2))
    assert points[0] == (-5, -2)
    assert len(points) == 21
    assert points[-1] == (pytest.approx(-5 * 0.8**20), pytest.approx(-2 * 0.6**20))
    assert capsys.readouterr().out.startswith("epoch 20, x1: -0.057646")
    d2l.show_trace_2d(lambda x1, x2: x1**2 + 2 * x2**2, points)
    assert len(d2l.plt.gca().lines[0].get_xdata()) == 21
    d2l.annotate("here", (0, 0), (-1, -1))
    assert d2l.plt.gca().texts[0].get_text() == "here"
    matplotlib.pyplot.close("all")
