"""The packages of the book "Dive into Deep Learning": every public function and class, on small inputs of our own.

A program's name says what it calls, and the last program of a package that nothing is left out. Functions that
download get files of ours, under the names and the sums by which the package looks for them.
"""

import contextlib
import hashlib
import importlib
import io
import math
import os
import random
import sys
import tarfile
import types
import zipfile
from unittest import mock

import mxnet as mx
import numpy as onp
from mxnet import autograd, gluon, init
from mxnet.gluon import nn, rnn
from rules import drawn, signature


class Rule(init.Initializer):
    """Weights that follow from their shapes, whatever an initializer of that name is asked for."""

    def __init__(self, *_, **__):
        super().__init__()

    def _init_weight(self, name, array):
        array[:] = drawn(array.shape) * math.sqrt(2 / max(1, int(onp.prod(array.shape[1:]))))

    _init_default = _init_weight


class InOrder(gluon.data.DataLoader):
    """A loader that does not shuffle: two packages draw different orders."""

    def __init__(self, *arguments, shuffle=False, **keywords):
        super().__init__(*arguments, **keywords)


def displayed():
    """Put modules in place of IPython's: what a notebook shows is not looked at."""
    for name in ("IPython", "IPython.display", "matplotlib_inline", "matplotlib_inline.backend_inline"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["IPython"].version_info, sys.modules["IPython"].get_ipython = (9, 0), lambda: None
    shows = sys.modules["IPython.display"]
    sys.modules["IPython"].display = shows
    sys.modules["matplotlib_inline"].backend_inline = sys.modules["matplotlib_inline.backend_inline"]
    for name in ("display", "clear_output", "set_matplotlib_formats"):
        setattr(shows, name, lambda *_, **__: None)
    sys.modules["matplotlib_inline.backend_inline"].set_matplotlib_formats = lambda *_, **__: None


def package(name):
    """Import a package, in a folder of its own, with numbers drawn as at its beginning, and weights by the rule."""
    displayed()
    (mx.npx.set_np if name == "d2l.mxnet" else mx.npx.reset_np)()
    os.makedirs("work", exist_ok=True)
    if os.path.basename(os.getcwd()) != "work":
        os.chdir("work")
    random.seed(3), onp.random.seed(3), mx.random.seed(3)
    init.Xavier = init.Normal = Rule
    gluon.data.DataLoader = InOrder
    module = importlib.import_module(name)
    module.plt.close("all")
    return module


def program(name, function):
    """Run a program on a package, and give its arrays and numbers as signatures."""
    module = package(name)
    with contextlib.redirect_stdout(io.StringIO()):
        results = function(module)
    return {
        key: signature(*value) if isinstance(value, (list, tuple)) else signature(value)
        for key, value in results.items()
    }


def words(text):
    """A text as numbers."""
    return onp.frombuffer(text.encode(), "uint8").astype("float64")


def lines(module):
    """What was drawn: the points of all lines."""
    return [line.get_xydata() for axes in module.plt.gcf().axes for line in axes.lines]


# ------------------------------------------------------------------------------------------------------- files


def hub(d2l, name, content):
    """Put a file of ours where the package looks for a download."""
    url = d2l.DATA_HUB[name][0]
    os.makedirs("../data", exist_ok=True)
    with open(os.path.join("../data", url.split("/")[-1]), "wb") as file:
        file.write(content)
    d2l.DATA_HUB[name] = (url, hashlib.sha1(content).hexdigest())


def zipped(files):
    """A zip file's bytes."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return memory.getvalue()


def tarred(files):
    """A tar file's bytes."""
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w") as archive:
        for name, content in files.items():
            content = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return memory.getvalue()


def picture(module, height=20, width=24, shift=0, palette=None):
    """A PNG file's bytes."""
    rows, columns = onp.mgrid[:height, :width]
    if palette is None:
        pixels = onp.stack([rows * 7 + shift, columns * 5, rows + columns + shift], -1) % 256
    else:
        pixels = onp.array(palette)[(rows // 5 + columns // 6 + shift) % len(palette)]
    memory = io.BytesIO()
    module.plt.imsave(memory, pixels.astype("uint8"), format="png")
    return memory.getvalue()


TEXT = (
    "The time traveller came back and told the tale of the machine, for he had seen the end of time. "
    "We sat there and looked at the fire; nobody spoke a word until the lamp went out.\n"
) * 30
PAIRS = (
    "Go.\tVa !\nHi.\tSalut !\nI run.\tJe cours.\nGo now.\tVa maintenant !\nHi there.\tSalut !\nI go.\tJe vais.\n" * 6
)
GLOVE = "the 0.1 0.2 0.3\nof -1.5 2.5 0.5\ntime 1 2 3\n"
# ------------------------------------------------------------------------------------------------- d2l: basics


def d2l_plots(d2l):
    found = {}
    d2l.use_svg_display(), d2l.set_figsize((3, 2))
    x = d2l.arange(0, 3, 0.1)
    d2l.plot(x.asnumpy(), [(x**2).asnumpy(), (2 * x).asnumpy()], "x", "y", legend=["a", "b"])
    found["plot"] = lines(d2l)
    d2l.set_axes(d2l.plt.gca(), "x", "y", [0, 3], [0, 9], "linear", "log", ["a"])
    d2l.annotate("here", (1, 1), (2, 2))
    found["limits"] = onp.array(d2l.plt.gca().get_xlim() + d2l.plt.gca().get_ylim())
    axes = d2l.show_images(d2l.tensor(drawn((4, 5, 5))), 2, 2, titles=list("abcd"))
    found["images"] = [one.images[0].get_array() for one in axes]
    d2l.show_heatmaps(d2l.tensor(drawn((1, 2, 3, 3))), "k", "q", titles=["one", "two"])
    d2l.plt.figure(), d2l.show_list_len_pair_hist(["a", "b"], "x", "y", [[1], [1, 2]], [[1, 2, 3], [1]])
    found["histogram"] = onp.array([one.get_height() for one in d2l.plt.gca().patches])
    d2l.plt.figure()
    boxes = d2l.tensor([[1.0, 2, 5, 6], [2, 2, 4, 9]])
    d2l.show_bboxes(d2l.plt.gca(), boxes, ["a", "b"])
    rectangle = d2l.bbox_to_rect((1.0, 2, 5, 7), "red")
    found["boxes"] = onp.array([one.get_bbox().extents for one in [*d2l.plt.gca().patches, rectangle]])
    animator = d2l.Animator("x", "y", ["one", "two"], [0, 5])
    animator.add(1, (2.0, None)), animator.add(2, (3.0, 4.0))
    found["animator"] = lines(d2l)
    return found


def d2l_watches(d2l):
    timer = d2l.Timer()
    timer.stop(), timer.start(), timer.stop()
    assert len(timer.times) == 2 and abs(timer.avg() * 2 - timer.sum()) < 1e-9 and len(timer.cumsum()) == 2
    with d2l.Benchmark("watch") as watch:
        assert watch.description == "watch"
    sums = d2l.Accumulator(2)
    sums.add(1, d2l.tensor(2.5)), sums.add(2, 3)
    first = list(sums.data)
    sums.reset()
    return {"sums": onp.array(first + sums.data + [sums[0]])}


def d2l_linear(d2l):
    with mock.patch.object(
        d2l, "normal", lambda mean, deviation, size: d2l.tensor(drawn(size) * deviation + mean, dtype="float32")
    ):
        X, y = d2l.synthetic_data(d2l.tensor([2.0, -3.4]), 4.2, 40)
    w, b = d2l.tensor([[1.0], [2.0]]), d2l.zeros(1)
    w.attach_grad(), b.attach_grad()
    for batch, label in d2l.load_array((X, y), 10, is_train=False):
        with autograd.record():
            loss = d2l.squared_loss(d2l.linreg(batch, w, b), label)
        loss.backward()
        d2l.sgd([w, b], 0.03, 10)
    return {"data": [X, y], "weights": [w, b], "loss": loss, "corr2d": d2l.corr2d(X[:6], w)}


def d2l_aliases(d2l):
    x = d2l.reshape(d2l.arange(12, dtype="float32") / 5, (3, 4))
    found = {"size": onp.array([d2l.size(x)]), "transpose": d2l.transpose(x), "numpy": d2l.numpy(x)}
    for name in ("sin", "sinh", "cos", "cosh", "tanh", "exp", "abs"):
        found[name] = getattr(d2l, name)(x)
    found["log"] = d2l.log(x + 1)
    found["made"] = [d2l.ones((2, 3)), d2l.zeros((2, 3)), d2l.linspace(0, 1, 5), d2l.eye(3), d2l.tensor([1.0, 2])]
    found["meshgrid"] = list(d2l.meshgrid(d2l.arange(3), d2l.arange(2)))
    found["joined"] = [d2l.concat([x, x]), d2l.stack([x, x]), d2l.matmul(x, x.T), d2l.to(x, mx.cpu())]
    found["reduced"] = [
        d2l.reduce_sum(x, axis=0),
        d2l.argmax(x, axis=1),
        d2l.astype(x, d2l.int32),
        d2l.astype(x, d2l.float32),
    ]
    found["drawn"] = onp.array([*d2l.normal(0, 1, (3, 4)).shape, *d2l.rand(2, 3).shape])
    return found


# ---------------------------------------------------------------------------------------------- d2l: training


class Pictures(gluon.data.ArrayDataset):
    """Stands for Fashion-MNIST: pictures whose class is seen in one row."""

    def __init__(self, train=True, root=None):
        labels = onp.arange(60) % 10
        pixels = onp.zeros((60, 28, 28, 1), "uint8")
        for one, label in enumerate(labels):
            pixels[one, label * 2 + 1] = 250
            pixels[one, :, label] = one
        super().__init__(
            mx.nd.array(pixels, dtype="uint8") if not mx.util.is_np_array() else mx.np.array(pixels, dtype="uint8"),
            labels.astype("int32"),
        )


def separable(d2l, batch=10):
    """Pictures of one channel and their classes."""
    pictures = Pictures()
    X = d2l.tensor(onp.array([one[0].asnumpy() for one in pictures]).reshape(60, 1, 28, 28) / 255.0, dtype="float32")
    y = d2l.tensor(onp.arange(60) % 10, dtype="int32")
    return d2l.load_array((X, y), batch, is_train=False)


def d2l_fashion(d2l):
    with mock.patch.object(gluon.data.vision, "FashionMNIST", Pictures):
        train, test = d2l.load_data_fashion_mnist(20, resize=32)
        (X, y), (Z, label) = next(iter(train)), next(iter(test))
        assert len(train) == 3 and d2l.get_dataloader_workers() == 4
    names = d2l.get_fashion_mnist_labels(label)
    return {"train": [X.mean().reshape(1), y.sum().reshape(1)], "test": [Z, label], "labels": words(" ".join(names))}


def d2l_chapter3(d2l):
    net, batches = nn.Sequential(), separable(d2l)
    net.add(nn.Dense(10))
    net.initialize(Rule())
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    found = {"epoch": onp.array(d2l.train_epoch_ch3(net, batches, loss, trainer))}
    with mock.patch.object(d2l, "train_epoch_ch3", d2l.train_epoch_ch3):
        d2l.train_ch3(net, batches, batches, loss, 12, trainer)
    found["trained"] = [lines(d2l)[0], net[0].weight.data()]
    d2l.predict_ch3(net, batches)
    found["measured"] = onp.array([d2l.evaluate_loss(net, batches, loss), d2l.evaluate_accuracy(net, batches)])
    found["accuracy"] = onp.array([d2l.accuracy(d2l.tensor([[1.0, 2], [3, 1]]), d2l.tensor([1, 1]))])
    return found


def d2l_downloads(d2l):
    before = dict(d2l.DATA_HUB)
    d2l.DATA_HUB.clear()
    d2l.DATA_HUB.update({"one": ("https://none.invalid/one.txt", ""), "two": ("https://none.invalid/two.zip", "")})
    hub(d2l, "one", b"one"), hub(d2l, "two", zipped({"two/inner.txt": "inner"}))
    d2l.download_all()
    with open(d2l.download("one")) as file, open(os.path.join(d2l.download_extract("two"), "inner.txt")) as inner:
        text = file.read() + inner.read()
    assert d2l.download_extract("two", "two") == "../data/two"
    d2l.DATA_HUB.clear()
    d2l.DATA_HUB.update(before)
    return {"text": words(text)}


def d2l_chapter6(d2l):
    assert d2l.try_gpu() == mx.cpu() and d2l.try_all_gpus() == [mx.cpu()]
    net, batches = nn.Sequential(), separable(d2l)
    net.add(nn.Conv2D(4, 5, activation="sigmoid"), nn.AvgPool2D(4, 4), nn.Dense(10))
    d2l.train_ch6(net, batches, batches, 2, 0.9, d2l.try_gpu())
    return {
        "trained": [lines(d2l)[0], net[0].weight.data()],
        "accuracy": onp.array([d2l.evaluate_accuracy_gpu(net, batches)]),
    }


def d2l_residual(d2l):
    X = d2l.tensor(drawn((2, 3, 8, 8)), dtype="float32")
    found = {}
    for name, block in {"block": d2l.Residual(3), "strided": d2l.Residual(6, True, 2), "net": d2l.resnet18(5)}.items():
        block.initialize(Rule())
        found[name] = block(X)
    return found


def d2l_chapter13(d2l):
    net, batches, devices = nn.Sequential(), separable(d2l), [mx.cpu()]
    net.add(nn.Conv2D(4, 5, strides=3, activation="relu"), nn.Dense(10))
    net.initialize(Rule(), ctx=devices)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    X, y = next(iter(batches))
    shards = d2l.split_batch(X, y, devices)
    found = {"shards": [shards[0][0], shards[1][0]]}
    found["batch"] = onp.array(d2l.train_batch_ch13(net, X, y, loss, trainer, devices))
    d2l.train_ch13(net, batches, batches, loss, trainer, 2, devices)
    found["trained"] = [lines(d2l)[0], net[0].weight.data()]
    found["accuracy"] = onp.array([d2l.evaluate_accuracy_gpus(net, batches)])
    pairs = d2l.split_batch_multi_inputs([X, X * 2], y, devices)
    found["pairs"] = [pairs[0][0][1], pairs[1][0]]
    return found


def d2l_optimizers(d2l):
    def descent(x1, x2, s1, s2, gradient=None):
        g1, g2 = gradient(x1, x2) if gradient else (0.2 * x1, 4 * x2)
        return x1 - 0.4 * g1, x2 - 0.1 * g2, 0, 0

    results = d2l.train_2d(descent)
    found = {"trace": onp.array(results), "steps": onp.array(d2l.train_2d(descent, 5, lambda a, b: (a, b)))}
    with mock.patch.multiple(d2l, meshgrid=onp.meshgrid, arange=onp.arange):  # Matplotlib takes no arrays of MXNet's
        d2l.show_trace_2d(lambda a, b: 0.1 * a**2 + 2 * b**2, results)
    found["drawn"] = lines(d2l)
    table = drawn((400, 6))
    table[:, 5] = table[:, 0] - 2 * table[:, 1] + 0.1 * table[:, 2]
    hub(d2l, "airfoil", "\n".join("\t".join(f"{one:.4f}" for one in row) for row in table).encode())
    data, features = d2l.get_data_ch11(10, 300)
    found["data"] = [sum(one.sum(axis=0) for one, _ in data), onp.array([features])]

    def step(weights, states, settings):
        for one in weights:
            one[:] -= settings["lr"] * one.grad

    with mock.patch.object(
        mx.np.random, "normal", lambda scale, size: d2l.tensor(drawn(size) * scale, dtype="float32")
    ):
        _, found["losses"] = d2l.train_ch11(step, None, {"lr": 0.05}, data, features)
    found["losses"] = onp.array(found["losses"])
    d2l.train_concise_ch11("sgd", {"learning_rate": 0.05}, data)
    found["concise"] = lines(d2l)[0]
    return found


# -------------------------------------------------------------------------------------------------- d2l: texts


def d2l_text(d2l):
    hub(d2l, "time_machine", TEXT.encode())
    read = d2l.read_time_machine()
    tokens = d2l.tokenize(read, "word")
    vocab = d2l.Vocab(tokens, 2, ["<pad>"])
    corpus, letters = d2l.load_corpus_time_machine(500)
    found = {"vocab": onp.array([len(vocab), vocab["time"], vocab.unk, *vocab[["the", "none"]]])}
    found["tokens"] = words(" ".join(vocab.to_tokens([1, 2, 3])) + vocab.to_tokens(4) + repr(vocab.token_freqs[:3]))
    found["corpus"] = onp.array(
        [*corpus, len(letters), d2l.count_corpus(tokens)["the"], len(d2l.tokenize(read, "char"))]
    )
    for name, batches in {
        "random": d2l.seq_data_iter_random(corpus, 3, 5),
        "sequential": d2l.seq_data_iter_sequential(corpus, 3, 5),
        "loader": d2l.SeqDataLoader(3, 5, False, 300),
        "loaded": d2l.load_data_time_machine(3, 5, True, 300)[0],
    }.items():
        found[name] = [one for batch in batches for one in batch][:3]
    return found


def recurrent(d2l):
    """Letters, and a net of the package that reads them."""
    hub(d2l, "time_machine", TEXT.encode())
    batches, vocab = d2l.load_data_time_machine(8, 5, False, 600)

    def parameters(size, hidden, device):
        shapes = [(size, hidden), (hidden, hidden), (hidden,), (hidden, size), (size,)]
        arrays = [d2l.tensor(drawn(one) * 0.1, dtype="float32", ctx=device) for one in shapes]
        [one.attach_grad() for one in arrays]
        return arrays

    def state(size, hidden, device):
        return (d2l.zeros((size, hidden), ctx=device),)

    def forward(inputs, state, weights):
        (hidden,), outputs = state, []
        for X in inputs:
            hidden = d2l.tanh(d2l.matmul(X, weights[0]) + d2l.matmul(hidden, weights[1]) + weights[2])
            outputs.append(d2l.matmul(hidden, weights[3]) + weights[4])
        return d2l.concat(outputs, axis=0), (hidden,)

    return batches, vocab, d2l.RNNModelScratch(len(vocab), 7, mx.cpu(), parameters, state, forward)


def d2l_recurrent(d2l):
    batches, vocab, net = recurrent(d2l)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    found = {"before": words(d2l.predict_ch8("time", 8, net, vocab, mx.cpu()))}
    perplexity, _ = d2l.train_epoch_ch8(
        net, batches, loss, lambda batch_size: d2l.sgd(net.params, 1, batch_size), mx.cpu(), False
    )
    found["epoch"] = [onp.array([perplexity]), net.params[1]]
    d2l.train_ch8(net, batches, vocab, 1, 10, mx.cpu())
    found["trained"] = [lines(d2l)[0], net.params[0]]
    with autograd.record():
        output, _ = net(next(iter(batches))[0], net.begin_state(8, mx.cpu()))
        (output**2).sum().backward()
    d2l.grad_clipping(net, 1)
    found["clipped"] = net.params[0].grad
    return found


def d2l_recurrent_gluon(d2l):
    batches, vocab, _ = recurrent(d2l)
    net = d2l.RNNModel(rnn.RNN(6), len(vocab))
    d2l.train_ch8(net, batches, vocab, 1, 10, mx.cpu())
    output, (state,) = net(next(iter(batches))[0], net.begin_state(batch_size=8, ctx=mx.cpu()))
    return {"trained": lines(d2l)[0], "output": [output, state]}


def translation(d2l):
    hub(d2l, "fra-eng", zipped({"fra-eng/fra.txt": PAIRS}))
    return d2l.load_data_nmt(4, 5)


def d2l_translations(d2l):
    batches, source, target = translation(d2l)
    text = d2l.preprocess_nmt(d2l.read_data_nmt())
    pairs = d2l.tokenize_nmt(text, 4)
    found = {"text": words(text[:100]), "pairs": words(repr(pairs)), "first": list(next(iter(batches)))}
    found["arrays"] = list(d2l.build_array_nmt(pairs[0], source, 5))
    found["pad"] = onp.array([*d2l.truncate_pad([1, 2, 3], 2, 0), *d2l.truncate_pad([1], 3, 0), len(target)])
    found["bleu"] = onp.array([d2l.bleu("je vais bien", "je vais tres bien", 2), d2l.bleu("va !", "va !", 2)])
    return found


def d2l_seq2seq(d2l):
    class Reader(d2l.AttentionDecoder):
        """A decoder whose attention is the last state of the encoder."""

        def __init__(self, size, **kwargs):
            super().__init__(**kwargs)
            self.embedding, self.rnn, self.dense = nn.Embedding(size, 4), rnn.GRU(6, 1), nn.Dense(size, flatten=False)

        @property
        def attention_weights(self):
            return self.seen

        def init_state(self, enc_outputs, *args):
            return enc_outputs[1]

        def forward(self, X, state):
            X = self.embedding(X).swapaxes(0, 1)
            self.seen = state[0][-1]
            context = mx.np.broadcast_to(state[0][-1], (X.shape[0], *state[0][-1].shape))
            output, state = self.rnn(d2l.concat((X, context), 2), state)
            return self.dense(output).swapaxes(0, 1), state

    batches, source, target = translation(d2l)
    net = d2l.EncoderDecoder(d2l.Seq2SeqEncoder(len(source), 4, 6, 1), Reader(len(target)))
    d2l.train_seq2seq(net, batches, 0.01, 10, target, mx.cpu())
    found = {"trained": lines(d2l)[0]}
    text, seen = d2l.predict_seq2seq(net, "hi .", source, target, 4, mx.cpu(), True)
    found["predicted"] = [words(text), *seen]
    for base in (d2l.Encoder(), d2l.Decoder()):
        for method in (base.forward, getattr(base, "init_state", base.forward)):
            try:
                method(None, None)
            except NotImplementedError:
                continue
            raise AssertionError
    X = d2l.tensor(drawn((2, 4, 10)), dtype="float32")
    found["masked"] = d2l.MaskedSoftmaxCELoss()(X, d2l.ones((2, 4)), d2l.tensor([4, 2]))
    return found


def d2l_attention(d2l):
    X, lengths = d2l.tensor(drawn((2, 4, 8)), dtype="float32"), d2l.tensor([2, 3])
    found = {
        "softmax": [d2l.masked_softmax(X, one) for one in (None, lengths, d2l.tensor([[1, 2, 3, 4], [2, 4, 4, 1]]))]
    }
    heads = d2l.transpose_qkv(X, 2)
    found["heads"] = [heads, d2l.transpose_output(heads, 2)]
    for name, block, inputs in (
        ("additive", d2l.AdditiveAttention(5, 0.1), (X, X, X, lengths)),
        ("product", d2l.DotProductAttention(0.5), (X, X, X, lengths)),
        ("several", d2l.MultiHeadAttention(8, 2, 0.5), (X, X, X, lengths)),
        ("positions", d2l.PositionalEncoding(8, 0, 20), (X,)),
        ("dense", d2l.PositionWiseFFN(5, 8), (X,)),
        ("norm", d2l.AddNorm(0.5), (X, 2 * X)),
        ("block", d2l.EncoderBlock(8, 12, 2, 0.5), (X, lengths)),
        ("encoder", d2l.TransformerEncoder(9, 8, 12, 2, 2, 0.5), (d2l.ones((2, 4)), lengths)),
    ):
        block.initialize(Rule())
        found[name] = block(*inputs)
        if hasattr(block, "hybridize"):
            block.hybridize()
            found[name + ", hybridized"] = block(*inputs)
    return found


def d2l_words(d2l):
    text = "the dog saw the cat and the cat saw the bird\n" * 12 + "a bird sang to a dog of the end\n" * 11
    hub(d2l, "ptb", zipped({"ptb/ptb.train.txt": text}))
    sentences = d2l.read_ptb()
    vocab = d2l.Vocab(sentences, 10)
    kept, counter = d2l.subsample(sentences, vocab)
    centers, contexts = d2l.get_centers_and_contexts([[1, 2, 3, 4], [5], [6, 7]], 2)
    negatives = d2l.get_negatives([[1, 2], [3]], vocab, counter, 2)
    draws = d2l.RandomGenerator([2, 3, 4])
    found = {"kept": words(repr(kept)), "centers": words(repr((centers, contexts)))}
    found["negatives"] = onp.array([*negatives[0], *negatives[1], *(draws.draw() for _ in range(5))])
    found["batch"] = list(d2l.batchify([(1, [2, 2], [3, 3, 3, 3]), (1, [2, 2, 2], [3, 3])]))
    with mock.patch.object(d2l, "subsample", lambda sentences, vocab: (sentences, counter)):
        batches, loaded = d2l.load_data_ptb(4, 2, 3)
    found["loaded"] = onp.array([len(loaded), *(len(one) for one in next(iter(batches)))])
    hub(d2l, "glove.6b.50d", zipped({"glove.6B.50d/vec.txt": GLOVE}))
    vectors = d2l.TokenEmbedding("glove.6b.50d")
    found["vectors"] = [vectors[["the", "none", "time"]], onp.array([len(vectors)])]
    return found


def d2l_bert(d2l):
    tokens, segments = d2l.get_tokens_and_segments(["a", "b"], ["c"])
    found = {"tokens": words(" ".join(tokens)), "segments": onp.array(segments)}
    identifiers, parts = d2l.tensor([[1, 2, 3, 4], [4, 3, 2, 1]]), d2l.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
    lengths, places = d2l.tensor([4, 3]), d2l.tensor([[1, 2], [0, 3]])
    X = d2l.tensor(drawn((2, 4, 8)), dtype="float32")
    for name, block, inputs in (
        ("encoder", d2l.BERTEncoder(9, 8, 12, 2, 2, 0.5, max_len=20), (identifiers, parts, lengths)),
        ("masked", d2l.MaskLM(9, 8), (X, places)),
        ("next", d2l.NextSentencePred(), (X[:, 0],)),
        ("model", d2l.BERTModel(9, 8, 12, 2, 2, 0.5, max_len=20), (identifiers, parts, lengths, places)),
    ):
        block.initialize(Rule())
        outputs = block(*inputs)
        found[name] = list(outputs) if isinstance(outputs, tuple) else outputs
    paragraph = "the dog saw the cat . the cat saw the dog . a bird sang to the dog\n" * 8
    hub(d2l, "wikitext-2", zipped({"wikitext-2/wiki.train.tokens": paragraph}))
    batches, vocab = d2l.load_data_wiki(4, 24)
    batch = next(iter(batches))
    found["wiki"] = onp.array([len(vocab), *(size for one in batch for size in one.shape)])
    net = d2l.BERTModel(len(vocab), 8, 12, 2, 1, 0.0, max_len=24)
    net.initialize(Rule())
    loss = gluon.loss.SoftmaxCELoss()
    parts = [[one] for one in (batch[0], batch[1], batch[2], batch[3], batch[4], batch[5], batch[6])]
    sums = d2l._get_batch_loss_bert(net, loss, len(vocab), *parts)
    assert all(math.isfinite(float(one[0])) for one in sums)
    return found


def d2l_sentences(d2l):
    files = {}
    for part in ("train", "test"):
        files.update({f"aclImdb/{part}/pos/{one}.txt": "good nice good fine good" for one in range(6)})
        files.update({f"aclImdb/{part}/neg/{one}.txt": "bad ugly bad poor\nbad" for one in range(6)})
    hub(d2l, "aclImdb", tarred(files))
    train, test, vocab = d2l.load_data_imdb(4, 6)
    data, labels = d2l.read_imdb("../data/aclImdb", True)
    X, y = next(iter(test))
    found = {"reviews": [words("".join(sorted(data))), onp.array(sorted(labels)), onp.array([len(train)])]}
    found["shapes"] = onp.array([*X.shape, *y.shape, len(vocab)])

    class Sentiment(nn.Block):
        def forward(self, X):
            X = X[0] + X[1] if isinstance(X, list) else X
            return mx.np.stack([X.sum(axis=1) * 0 + 1, X.sum(axis=1)], axis=1)

    found["sentiment"] = words(
        d2l.predict_sentiment(Sentiment(), vocab, "good fine") + d2l.predict_sentiment(Sentiment(), vocab, "none")
    )
    head = "\t".join(["gold_label", "sentence1", "sentence2"]) + "\n"
    rows = "entailment\t( A dog )\t( An animal )\nneutral\t( A cat )\t( A dog )\n-\t(x)\t(y)\n" * 6
    hub(d2l, "SNLI", zipped({"snli_1.0/snli_1.0_train.txt": head + rows, "snli_1.0/snli_1.0_test.txt": head + rows}))
    data = d2l.read_snli(d2l.download_extract("SNLI"), True)
    dataset = d2l.SNLIDataset(data, 5)
    (premise, hypothesis), label = dataset[1]
    found["snli"] = [premise, hypothesis, onp.array([len(dataset), int(label), len(dataset.vocab)])]
    train, test, vocab = d2l.load_data_snli(4, 5)
    (premises, hypotheses), labels = next(iter(test))
    found["loaded"] = [premises, hypotheses, labels]
    found["predicted"] = words(d2l.predict_snli(Sentiment(), vocab, ["A", "dog"], ["A", "cat"]))
    return found


# ------------------------------------------------------------------------------------------------- d2l: images


def d2l_boxes(d2l):
    truth = d2l.tensor([[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]])
    anchors = d2l.tensor(
        [
            [0, 0.1, 0.2, 0.3],
            [0.15, 0.2, 0.4, 0.4],
            [0.63, 0.05, 0.88, 0.98],
            [0.66, 0.45, 0.8, 0.8],
            [0.57, 0.3, 0.92, 0.9],
        ]
    )
    centers = d2l.box_corner_to_center(anchors)
    found = {"centers": [centers, d2l.box_center_to_corner(centers)]}
    found["prior"] = d2l.multibox_prior(d2l.zeros((1, 3, 4, 6)), [0.75, 0.5], [1, 2, 0.5])
    found["overlap"] = d2l.box_iou(anchors, truth[:, 1:])
    found["assigned"] = d2l.assign_anchor_to_bbox(truth[:, 1:], anchors, mx.cpu())
    offsets = d2l.offset_boxes(anchors, truth[d2l.tensor([0, 0, 1, 1, 1]), 1:])
    found["offsets"] = [offsets, d2l.offset_inverse(anchors, offsets)]
    found["target"] = list(d2l.multibox_target(d2l.tensor(anchors).reshape(1, -1, 4), truth.reshape(1, -1, 5)))
    boxes = d2l.tensor(
        [[0.1, 0.08, 0.52, 0.92], [0.08, 0.2, 0.56, 0.95], [0.15, 0.3, 0.62, 0.91], [0.55, 0.2, 0.9, 0.88]]
    )
    scores = d2l.tensor([[0.0] * 4, [0.9, 0.8, 0.7, 0.1], [0.1, 0.2, 0.3, 0.9]])
    found["kept"] = d2l.nms(boxes, scores[1], 0.5)
    found["detected"] = d2l.multibox_detection(scores.reshape(1, 3, 4), d2l.zeros((1, 16)), boxes.reshape(1, 4, 4), 0.5)
    return found


def d2l_bananas(d2l):
    files = {}
    for part in ("train", "val"):
        rows = ["img_name,label,xmin,ymin,xmax,ymax", *(f"{one}.png,0,{one},2,{one + 9},12" for one in range(4))]
        files[f"banana-detection/bananas_{part}/label.csv"] = "\n".join(rows)
        for one in range(4):
            files[f"banana-detection/bananas_{part}/images/{one}.png"] = picture(d2l, shift=one)
    hub(d2l, "banana-detection", zipped(files))
    images, labels = d2l.read_data_bananas()
    dataset = d2l.BananasDataset(False)
    train, test = d2l.load_data_bananas(2)
    X, y = next(iter(test))
    return {
        "read": [images[1], labels],
        "dataset": [*dataset[2], onp.array([len(dataset), len(train)])],
        "batch": [X, y],
    }


def pascal(module, folder="VOCdevkit/VOC2012"):
    """Files of pictures and of their classes, by the names of Pascal VOC."""
    files = {}
    for part in ("train", "val"):
        files[f"{folder}/ImageSets/Segmentation/{part}.txt"] = f"{part}1\n{part}2\n"
        for one in (1, 2):
            files[f"{folder}/JPEGImages/{part}{one}.jpg"] = picture(module, shift=one)
            files[f"{folder}/SegmentationClass/{part}{one}.png"] = picture(
                module, palette=module.VOC_COLORMAP[:7], shift=one
            )
    return files


def d2l_pascal(d2l):
    hub(d2l, "voc2012", tarred(pascal(d2l)))
    home = d2l.download_extract("voc2012", "VOCdevkit/VOC2012")
    features, labels = d2l.read_voc_images(home)
    table = d2l.voc_colormap2label()
    found = {"read": [features[0], labels[0]], "classes": d2l.voc_label_indices(labels[0], table)}
    found["cropped"] = list(d2l.voc_rand_crop(features[0], labels[0], 20, 24))
    dataset = d2l.VOCSegDataset(True, (20, 24), home)
    found["dataset"] = list(dataset[1])
    train, test = d2l.load_data_voc(2, (20, 24))
    found["batch"] = [*next(iter(test)), onp.array([len(train)])]
    return found


def d2l_folders(d2l):
    os.makedirs("pictures/train", exist_ok=True), os.makedirs("pictures/test", exist_ok=True)
    with open("pictures/labels.csv", "w") as file:
        file.write("name,label\n" + "".join(f"{one},{'ab'[one % 2]}\n" for one in range(10)))
    for one in range(10):
        for part in ("train", "test"):
            with open(f"pictures/{part}/{one}.png", "w") as file:
                file.write("x")
    labels = d2l.read_csv_labels("pictures/labels.csv")
    d2l.copyfile("pictures/labels.csv", "pictures/copies")
    count = d2l.reorg_train_valid("pictures", labels, 0.4)
    d2l.reorg_test("pictures")
    sizes = [len(files) for _, _, files in sorted(os.walk("pictures"))]
    return {"files": onp.array([count, *sizes])}


# ---------------------------------------------------------------------------------------- d2l: recommendations


def d2l_ratings(d2l):
    rows = [(1 + one % 5, 1 + one * 7 % 6, 1 + one % 4, 100 + one) for one in range(60)]
    hub(d2l, "ml-100k", zipped({"ml-100k/u.data": "\n".join("\t".join(map(str, row)) for row in rows)}))
    read = d2l.pd.read_csv  # pandas takes the separator by its name since
    with mock.patch.object(d2l.pd, "read_csv", lambda path, sep, **rest: read(path, sep=sep, **rest)):
        data, users, items = d2l.read_data_ml100k()
        train, test = d2l.split_data_ml100k(data, users, items, "seq-aware")
        found = {"split": [train.to_numpy(), test.to_numpy()]}
        found["matrix"] = d2l.load_data_ml100k(train, users, items)[3]
        implicit = d2l.load_data_ml100k(train, users, items, "implicit")
        found["implicit"] = onp.array([*implicit[0], *implicit[3][2]])
        part, rest = d2l.split_data_ml100k(data, users, items, "random", 0.3)
        assert len(part) + len(rest) == len(data)
        users, items, batches, tested = d2l.split_and_load_ml100k(batch_size=8)

    class Factors(nn.Block):
        def __init__(self):
            super().__init__()
            self.user, self.item = nn.Embedding(users, 4), nn.Embedding(items, 4)

        def forward(self, user, item, other=None):
            return (self.user(user) * self.item(item)).sum(axis=1)

    def error(net, batches, devices):
        return float(sum(((net(u, i) - r) ** 2).mean() for u, i, r in batches))

    net = Factors()
    net.initialize(Rule())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.02})
    d2l.train_recsys_rating(net, batches, tested, gluon.loss.L2Loss(), trainer, 2, [mx.cpu()], error)
    found["rated"] = net.user.weight.data().mean().reshape(1)
    first, second = d2l.tensor([0.5, 1.5]), d2l.tensor([0.7, 0.1])
    found["losses"] = [d2l.BPRLoss()(first, second), d2l.HingeLossbRec()(first, second).reshape(1)]
    found["auc"] = onp.array(d2l.hit_and_auc([3, 1, 4, 2], [4, 9], 2))
    candidates, tests = {one: [one] for one in range(users)}, {one: [(one + 1) % users] for one in range(users)}
    found["ranking"] = [
        one.reshape(1) for one in d2l.evaluate_ranking(net, tests, None, candidates, users, items, [mx.cpu()])
    ]
    triples = d2l.load_array(
        [d2l.tensor([0, 1, 2, 3, 4, 0]), d2l.tensor([0, 1, 2, 3, 4, 5]), d2l.tensor([1, 0, 3, 4, 5, 2])], 3, False
    )
    d2l.train_ranking(
        net, triples, tests, d2l.BPRLoss(), trainer, None, users, items, 1, [mx.cpu()], d2l.evaluate_ranking, candidates
    )
    return found


def d2l_clicks(d2l):
    with open("clicks.tsv", "w") as file:
        file.writelines(f"{one % 2}\t{'abc'[one % 3]}\t{'xy'[one % 2]}\n" for one in range(20))
    data = d2l.CTRDataset("clicks.tsv", {1: {"a": 0, "b": 1}, 2: {"x": 0, "y": 1}}, {1: 2, 2: 2}, num_feat=2)
    own = d2l.CTRDataset("clicks.tsv", num_feat=2)
    features, label = data[5]
    return {
        "row": [features, onp.array(label)],
        "sizes": [data.field_dims, own.field_dims, data.offsets, onp.array([len(data), len(own)])],
    }


def d2l_adversaries(d2l):
    X, Z = d2l.tensor(drawn((6, 2)), dtype="float32"), d2l.tensor(drawn((6, 3)), dtype="float32")
    judge, maker = nn.Sequential(), nn.Sequential()
    judge.add(nn.Dense(5, activation="tanh"), nn.Dense(1)), maker.add(nn.Dense(2))
    judge.initialize(Rule()), maker.initialize(Rule())
    loss = gluon.loss.SigmoidBCELoss()
    trainers = [gluon.Trainer(one.collect_params(), "adam", {"learning_rate": 0.05}) for one in (judge, maker)]
    losses = [d2l.update_D(X, Z, judge, maker, loss, trainers[0]), d2l.update_G(Z, judge, maker, loss, trainers[1])]
    return {"losses": onp.array(losses), "weights": [maker[0].weight.data(), judge[0].weight.data()]}


# ------------------------------------------------------------------------------------------ d2lzh and gluonbook


def zh_plots(book):
    found = {}
    with mock.patch.object(book.plt, "show"):
        book.use_svg_display(), book.set_figsize((3, 2))
        book.semilogy([1, 2, 3], [1.0, 10, 100], "x", "y", [1, 2], [5.0, 6], ["a", "b"])
        found["semilogy"] = lines(book)
    book.plt.close("all")
    book.show_bboxes(book.plt.gca(), mx.nd.array([[1.0, 2, 5, 6], [2, 2, 4, 9]]), ["a", "b"])
    rectangle = book.bbox_to_rect((1.0, 2, 5, 7), "red")
    found["boxes"] = onp.array([one.get_bbox().extents for one in [*book.plt.gca().patches, rectangle]])
    axes = book.show_images([mx.nd.array(drawn((4, 4))) for _ in range(4)], 2, 2)
    found["images"] = [one.images[0].get_array() for one in axes.ravel()]
    book.show_fashion_mnist(mx.nd.array(drawn((2, 28, 28, 1))), book.get_fashion_mnist_labels(onp.array([1, 2])))
    found["labels"] = words("".join(axes.get_title() for axes in book.plt.gcf().axes))
    book.plt.close("all")
    book.show_trace_2d(lambda a, b: a**2 + 2 * b**2, [(-5, -2), (-3, -1), (0, 0)])
    found["trace"] = lines(book)
    return found


def zh_basics(book):
    with book.Benchmark("watch"):
        found = {"corr2d": book.corr2d(mx.nd.array(drawn((5, 6))), mx.nd.array(drawn((2, 3))))}
    assert book.try_gpu() == mx.cpu() and book.try_all_gpus() == [mx.cpu()]
    X, w, b = mx.nd.array(drawn((12, 2))), mx.nd.array([[1.0], [2.0]]), mx.nd.zeros(1)
    y = X[:, 0] * 2 - X[:, 1]
    w.attach_grad(), b.attach_grad()
    for batch, label in book.data_iter(4, X, y):
        with autograd.record():
            loss = book.squared_loss(book.linreg(batch, w, b), label)
        loss.backward()
        book.sgd([w, b], 0.05, 4)
    found["weights"] = [w, b]
    book.grad_clipping([w, b], 0.1, mx.cpu())
    found["clipped"] = [w.grad, b.grad]
    book.mkdir_if_not_exist(["made", "deep"])
    found["one hot"] = book.to_onehot(mx.nd.array([[0, 2], [1, 1]]), 3)
    found["counts"] = onp.array([book.count_tokens([["a", "b"], ["a"]])["a"], os.path.isdir("made/deep")])
    return found


def zh_pictures(count=60):
    """Pictures and their classes, in batches."""
    pictures = Pictures()
    X = mx.nd.array(onp.array([one[0].asnumpy() for one in pictures]).reshape(60, 1, 28, 28) / 255.0)
    y = mx.nd.array(onp.arange(60) % 10)
    return gluon.data.DataLoader(gluon.data.ArrayDataset(X, y), 10)


def zh_training(book):
    batches, loss = zh_pictures(), gluon.loss.SoftmaxCrossEntropyLoss()
    found = {}
    w, b = mx.nd.array(drawn((784, 10)) * 0.1), mx.nd.zeros(10)
    w.attach_grad(), b.attach_grad()
    book.train_ch3(lambda X: book.linreg(X.reshape((-1, 784)), w, b), batches, batches, loss, 2, 10, [w, b], 0.1)
    found["chapter 3"] = [w, b]
    for name in ("trainer", "chapter 5", "train"):
        net = nn.Sequential()
        net.add(nn.Conv2D(3, 5, strides=3, activation="relu"), nn.Dense(10))
        net.initialize(Rule())
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        if name == "trainer":
            book.train_ch3(net, batches, batches, loss, 2, 10, trainer=trainer)
        elif name == "train":
            book.train(batches, batches, net, loss, trainer, mx.cpu(), 2)
        else:
            book.train_ch5(net, batches, batches, 10, trainer, mx.cpu(), 2)
        found[name] = [net[0].weight.data(), net[1].bias.data(), onp.array([book.evaluate_accuracy(batches, net)])]
    return found


def zh_nets(book):
    X = mx.nd.array(drawn((2, 3, 8, 8)))
    found = {}
    for name, block in {
        "block": book.Residual(3),
        "strided": book.Residual(6, True, 2),
        "net": book.resnet18(5),
    }.items():
        block.initialize(Rule())
        found[name] = block(X)
    return found


def zh_optimizers(book):
    found = {"trace": onp.array(book.train_2d(lambda a, b, s, t: (a - 0.08 * a, b - 0.4 * b, 0, 0)))}
    table = drawn((200, 6))
    table[:, 5] = table[:, 0] - 2 * table[:, 1]
    os.makedirs("../data", exist_ok=True)
    onp.savetxt("../data/airfoil_self_noise.dat", table, delimiter="\t")
    X, y = book.get_data_ch7()
    found["data"] = [X, y]

    def step(weights, states, settings):
        for one in weights:
            one[:] -= settings["lr"] * one.grad

    with mock.patch.object(mx.nd.random, "normal", lambda scale, shape: mx.nd.array(drawn(shape) * scale)):
        book.train_ch7(step, None, {"lr": 0.05}, X, y)
    found["losses"] = lines(book)
    book.plt.close("all")
    book.train_gluon_ch7("sgd", {"learning_rate": 0.05}, X, y)
    found["gluon"] = lines(book)
    return found


def zh_letters(book):
    """The letters of a text: as numbers, by number, by letter, their count."""
    os.makedirs("../data", exist_ok=True)
    with open("../data/timemachine.txt", "w") as file:
        file.write(TEXT)
    with open("../data/jaychou_lyrics.txt.zip", "wb") as file:
        file.write(zipped({"jaychou_lyrics.txt": TEXT}))
    letters = sorted(set(TEXT[:2000].lower().replace("\n", " ")))
    numbers = {letter: number for number, letter in enumerate(letters)}
    return [numbers[one] for one in TEXT[:2000].lower().replace("\n", " ")], numbers, letters, len(letters)


def zh_texts(book):
    corpus, _, _, _ = zh_letters(book)
    loaded, numbers, letters, count = book.load_data_time_machine()
    lyrics = book.load_data_jay_lyrics()
    found = {"loaded": [onp.array([len(loaded), count, len(letters)]), words("".join(letters[one] for one in loaded))]}
    found["lyrics"] = words("".join(lyrics[2][one] for one in lyrics[0]) + str(lyrics[3]))
    found["consecutive"] = [one for batch in book.data_iter_consecutive(corpus, 3, 5) for one in batch][:4]
    found["random"] = [one for batch in book.data_iter_random(corpus, 3, 5) for one in batch][:4]
    return found


def zh_recurrent(book):
    corpus, numbers, letters, count = zh_letters(book)
    arrays = [mx.nd.array(drawn(one) * 0.1) for one in ((count, 6), (6, 6), (6,), (6, count), (count,))]
    [one.attach_grad() for one in arrays]

    def state(size, hidden, ctx):
        return (mx.nd.zeros((size, hidden), ctx=ctx),)

    def net(inputs, state, weights):
        (hidden,), outputs = state, []
        for X in inputs:
            hidden = mx.nd.tanh(mx.nd.dot(X, weights[0]) + mx.nd.dot(hidden, weights[1]) + weights[2])
            outputs.append(mx.nd.dot(hidden, weights[3]) + weights[4])
        return outputs, (hidden,)

    found = {}
    for name, by_chance in (("random", True), ("consecutive", False)):
        book.train_and_predict_rnn(
            net, lambda: arrays, state, 6, count, mx.cpu(), corpus, letters, numbers, by_chance, 2, 5, 1.0, 0.5, 8, 1, 5, ["the"]
        )  # fmt: skip
        found[name] = arrays[1]
    found["predicted"] = words(book.predict_rnn("the", 8, net, arrays, state, 6, count, mx.cpu(), letters, numbers))
    model = book.RNNModel(rnn.RNN(6), count)
    book.train_and_predict_rnn_gluon(
        model, 6, count, mx.cpu(), corpus[:500], letters, numbers, 2, 5, 1.0, 0.5, 8, 1, 5, ["the"]
    )  # fmt: skip
    found["model"] = model.dense.weight.data()
    found["predicted of the model"] = words(book.predict_rnn_gluon("the", 8, model, count, mx.cpu(), letters, numbers))
    return found


def zh_sentiments(book):
    files = {}
    for part in ("train", "test"):
        files.update({f"aclImdb/{part}/pos/{one}.txt": "good nice good fine good" for one in range(6)})
        files.update({f"aclImdb/{part}/neg/{one}.txt": "Bad ugly bad poor\nbad" for one in range(6)})
    with downloads({"aclImdb_v1.tar.gz": tarred(files)}):
        book.download_imdb()
    data = book.read_imdb("train")
    vocab = book.get_vocab_imdb(data)
    features, labels = book.preprocess_imdb(data, vocab)
    found = {"read": words(repr(sorted(data))), "tokens": words(repr(sorted(book.get_tokenized_imdb(data))))}
    found["features"] = [
        features.sum(axis=0),
        labels.sum(),
        onp.array([len(vocab), *vocab.to_indices(["good", "none"])]),
    ]

    def net(X):
        return mx.nd.stack(X.sum(axis=1) * 0 + 3, X.sum(axis=1), axis=1)

    found["sentiment"] = words(
        book.predict_sentiment(net, vocab, ["good", "bad"]) + book.predict_sentiment(net, vocab, ["none"])
    )
    return found


@contextlib.contextmanager
def downloads(files):
    """Let what is downloaded be files of ours."""

    def download(url, path=None, *_, **__):
        os.makedirs(path if os.path.splitext(path)[1] == "" else os.path.dirname(path), exist_ok=True)
        name = url.split("/")[-1]
        path = os.path.join(path, name) if os.path.isdir(path) else path
        with open(path, "wb") as file:
            file.write(files[name])
        return path

    with mock.patch.object(gluon.utils, "download", download):
        yield


def records(book, count=4):
    """Pictures with one object each, as records and their index."""
    with mock.patch.dict(os.environ):
        writer = mx.recordio.MXIndexedRecordIO("some.idx", "some.rec", "w")
        for one in range(count):
            label = onp.array([2, 5, 0, 0.1, 0.2, 0.8, 0.9], "float32")
            writer.write_idx(one, mx.recordio.pack(mx.recordio.IRHeader(0, label, one, 0), picture(book, 40, 40, one)))
        writer.close()
    found = {}
    for name in ("some.idx", "some.rec"):
        with open(name, "rb") as file:
            found[name] = file.read()
    return found


def zh_pictures_of_files(book):
    with mock.patch.object(gluon.data.vision, "FashionMNIST", Pictures):
        train, test = book.load_data_fashion_mnist(20, resize=30)
        X, y = next(iter(test))
    found = {"fashion": [X, y, onp.array([len(train)])]}
    written = records(book)
    files = {"train.rec": written["some.rec"], "train.idx": written["some.idx"], "val.rec": written["some.rec"]}
    with downloads(files):
        train, test = book.load_data_pikachu(2, 32)
    batch, first = next(iter(test)), next(iter(train))
    found["pikachu"] = [
        batch.data[0].mean(axis=(2, 3)),
        batch.label[0],
        onp.array(first.data[0].shape + first.label[0].shape),
    ]
    with downloads({"VOCtrainval_11-May-2012.tar": tarred(pascal(book))}):
        home = book.download_voc_pascal()
    features, labels = book.read_voc_images(home)
    table = mx.nd.zeros(256**3)
    for number, (red, green, blue) in enumerate(book.VOC_COLORMAP):
        table[(red * 256 + green) * 256 + blue] = number
    found["read"] = [features[0], labels[0], book.voc_label_indices(labels[0], table)]
    found["cropped"] = list(book.voc_rand_crop(features[0], labels[0], 20, 24))
    dataset = book.VOCSegDataset(True, (20, 24), home, table)
    found["dataset"] = [*dataset[1], onp.array([len(dataset)])]
    return found


# ---------------------------------------------------------------------------------------------------- the whole


def every_name(module):
    """Nothing of a package is left out: its functions and classes stand in the names of the programs."""
    label = module.__name__.split(".")[0]
    called = {
        word.strip() for name in PROGRAMS if name.startswith(f"{label}: ") for word in name.split(": ")[1].split(",")
    }
    own = {
        name
        for name, one in vars(module).items()
        if getattr(one, "__module__", "").startswith(label) and name[0] != "_"
    }
    assert called >= own, sorted(own - called)
    return {"names": onp.array([len(own)])}


D2L = {
    "use_svg_display, set_figsize, set_axes, plot, annotate, show_images, show_heatmaps, show_list_len_pair_hist, show_bboxes, bbox_to_rect, Animator": d2l_plots,
    "Timer, Benchmark, Accumulator": d2l_watches,
    "synthetic_data, linreg, squared_loss, sgd, load_array, corr2d": d2l_linear,
    "size, transpose, numpy, reshape, to, reduce_sum, argmax, astype": d2l_aliases,
    "load_data_fashion_mnist, get_fashion_mnist_labels, get_dataloader_workers": d2l_fashion,
    "train_epoch_ch3, train_ch3, predict_ch3, evaluate_loss, evaluate_accuracy, accuracy": d2l_chapter3,
    "download, download_extract, download_all": d2l_downloads,
    "try_gpu, try_all_gpus, train_ch6, evaluate_accuracy_gpu": d2l_chapter6,
    "Residual, resnet18": d2l_residual,
    "split_batch, train_batch_ch13, train_ch13, evaluate_accuracy_gpus, split_batch_multi_inputs": d2l_chapter13,
    "train_2d, show_trace_2d, get_data_ch11, train_ch11, train_concise_ch11": d2l_optimizers,
    "read_time_machine, tokenize, Vocab, count_corpus, load_corpus_time_machine, seq_data_iter_random, seq_data_iter_sequential, SeqDataLoader, load_data_time_machine": d2l_text,
    "RNNModelScratch, predict_ch8, train_epoch_ch8, train_ch8, grad_clipping": d2l_recurrent,
    "RNNModel": d2l_recurrent_gluon,
    "read_data_nmt, preprocess_nmt, tokenize_nmt, build_array_nmt, truncate_pad, load_data_nmt, bleu": d2l_translations,
    "Encoder, Decoder, EncoderDecoder, AttentionDecoder, Seq2SeqEncoder, MaskedSoftmaxCELoss, train_seq2seq, predict_seq2seq": d2l_seq2seq,
    "masked_softmax, transpose_qkv, transpose_output, AdditiveAttention, DotProductAttention, MultiHeadAttention, PositionalEncoding, PositionWiseFFN, AddNorm, EncoderBlock, TransformerEncoder": d2l_attention,
    "read_ptb, subsample, get_centers_and_contexts, RandomGenerator, get_negatives, batchify, load_data_ptb, TokenEmbedding": d2l_words,
    "get_tokens_and_segments, BERTEncoder, MaskLM, NextSentencePred, BERTModel, load_data_wiki": d2l_bert,
    "read_imdb, load_data_imdb, predict_sentiment, read_snli, SNLIDataset, load_data_snli, predict_snli": d2l_sentences,
    "box_corner_to_center, box_center_to_corner, multibox_prior, box_iou, assign_anchor_to_bbox, offset_boxes, offset_inverse, multibox_target, nms, multibox_detection": d2l_boxes,
    "read_data_bananas, BananasDataset, load_data_bananas": d2l_bananas,
    "read_voc_images, voc_colormap2label, voc_label_indices, voc_rand_crop, VOCSegDataset, load_data_voc": d2l_pascal,
    "read_csv_labels, copyfile, reorg_train_valid, reorg_test": d2l_folders,
    "read_data_ml100k, split_data_ml100k, load_data_ml100k, split_and_load_ml100k, train_recsys_rating, BPRLoss, HingeLossbRec, hit_and_auc, evaluate_ranking, train_ranking": d2l_ratings,
    "CTRDataset": d2l_clicks,
    "update_D, update_G": d2l_adversaries,
    "every name": every_name,
}  # fmt: skip
CHINESE = {
    "use_svg_display, set_figsize, semilogy, show_bboxes, bbox_to_rect, show_images, show_fashion_mnist, get_fashion_mnist_labels, show_trace_2d": zh_plots,
    "Benchmark, corr2d, try_gpu, try_all_gpus, data_iter, linreg, squared_loss, sgd, grad_clipping, mkdir_if_not_exist, to_onehot, count_tokens": zh_basics,
    "train_ch3, train_ch5, train, evaluate_accuracy": zh_training,
    "Residual, resnet18": zh_nets,
    "train_2d, get_data_ch7, train_ch7, train_gluon_ch7": zh_optimizers,
    "load_data_time_machine, load_data_jay_lyrics, data_iter_consecutive, data_iter_random": zh_texts,
    "train_and_predict_rnn, predict_rnn, RNNModel, train_and_predict_rnn_gluon, predict_rnn_gluon": zh_recurrent,
    "download_imdb, read_imdb, get_vocab_imdb, get_tokenized_imdb, preprocess_imdb, predict_sentiment": zh_sentiments,
    "load_data_fashion_mnist, load_data_pikachu, download_voc_pascal, read_voc_images, voc_label_indices, voc_rand_crop, VOCSegDataset": zh_pictures_of_files,
    "every name": every_name,
}  # fmt: skip
PROGRAMS = {
    f"{name.split('.')[0]}: {names}": (program, name, function)
    for name, programs in {"d2l.mxnet": D2L, "d2lzh.utils": CHINESE, "gluonbook.utils": CHINESE}.items()
    for names, function in programs.items()
}
