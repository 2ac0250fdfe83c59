"""Ordinary models on a web page, on a GPU that is computed and by WebAssembly: both give what imperative Python gives."""

import numpy
import pytest

import hybridize
from hybridize import np, npx
from hybridize.gluon import nn, rnn
from tests.formats.wasm.browsing import told, write

pytestmark = pytest.mark.long
RANDOM = numpy.random.default_rng(0)


def normal(*shape):
    return RANDOM.normal(size=shape).astype("f4")


def chain(*layers):
    net = nn.HybridSequential()
    net.add(*layers)
    return net


class Residual(nn.HybridBlock):
    """A residual net of one block, with batch norm."""

    def __init__(self):
        super().__init__()
        self.stem = chain(nn.Conv2D(8, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
        self.body = chain(
            nn.Conv2D(8, 3, padding=1, strides=2), nn.BatchNorm(), nn.Activation("relu"),
            nn.Conv2D(8, 3, padding=1), nn.BatchNorm(),
        )  # fmt: skip
        self.skip = nn.Conv2D(8, 1, strides=2)
        self.head = chain(nn.GlobalAvgPool2D(), nn.Dense(5))

    def forward(self, x):
        x = self.stem(x)
        return self.head(npx.relu(self.body(x) + self.skip(x)))


class Recurrent(nn.HybridBlock):
    """A recurrent layer, and a dense one for each of its steps."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, nn.Dense(4, flatten=False)

    def forward(self, x):
        return self.head(self.layer(x))


class Transformer(nn.HybridBlock):
    """A block of an encoder."""

    def __init__(self, units=16, heads=4):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Dense(units, flatten=False) for _ in range(4))
        self.norms = chain(nn.LayerNorm(), nn.LayerNorm())
        self.feed = chain(nn.Dense(32, flatten=False, activation="relu"), nn.Dense(units, flatten=False))

    def forward(self, x):
        rows, steps, units = x.shape

        def split(y):
            return y.reshape(rows, steps, self.heads, -1).transpose(0, 2, 1, 3)

        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        weights = npx.softmax(np.matmul(query, key.swapaxes(2, 3)) / (units // self.heads) ** 0.5)
        mixed = np.matmul(weights, value).transpose(0, 2, 1, 3).reshape(rows, steps, units)
        x = self.norms[0](x + self.out(mixed))
        return self.norms[1](x + self.feed(x))


class Words(nn.HybridBlock):
    """The mean of the vectors of words, and scores of it."""

    def __init__(self):
        super().__init__()
        self.vectors, self.scores = nn.Embedding(50, 12), nn.Dense(3)

    def forward(self, ids):
        return self.scores(self.vectors(ids).mean(axis=1))


class Best(nn.HybridBlock):
    """The three likeliest classes."""

    def __init__(self):
        super().__init__()
        self.scores = nn.Dense(9)

    def forward(self, x):
        values, indices = npx.topk(npx.softmax(self.scores(x)), k=3, ret_typ="both", axis=-1)
        return {"values": values, "indices": indices}


MODELS = {
    "linear": (lambda: nn.Dense(1), lambda rows: normal(rows, 6)),
    "residual": (Residual, lambda rows: normal(rows, 3, 16, 16)),
    "lstm": (lambda: Recurrent(rnn.LSTM(8)), lambda rows: normal(5, rows, 3)),
    "gru": (lambda: Recurrent(rnn.GRU(8)), lambda rows: normal(5, rows, 3)),
    "transformer": (Transformer, lambda rows: normal(rows, 7, 16)),
    "words": (Words, lambda rows: RANDOM.integers(0, 50, (rows, 6)).astype("i4")),
    "autoencoder": (
        lambda: chain(nn.Dense(16, activation="relu"), nn.Dense(4), nn.Dense(64, activation="sigmoid")),
        lambda rows: normal(rows, 64),
    ),
    "dropout": (
        lambda: chain(nn.Dense(16, activation="relu"), nn.Dropout(0.5), nn.Dense(3)), lambda rows: normal(rows, 10)
    ),
    "best": (Best, lambda rows: normal(rows, 10)),
}  # fmt: skip
"""How each is made, and what it is called with; LeNet and the chapter's net are in test_web_nets.py."""
BOTH = """
const { load } = await import(`/${name}.mjs`);
const kinds = { float32: Float32Array, int32: Int32Array };
const answers = [];
for (const device of ["webgpu", "wasm"]) {
  const model = await load({ device });
  const [{ name: input, dtype }] = model.inputs;
  const call = ([data, shape]) => model.run({ [input]: { data: kinds[dtype].from(data), shape } });
  const results = await Promise.all(calls.map(call));
  answers.push([model.device, results.map((one) => Object.values(one).map((array) => [array.shape, [...array].map(Number)]))]);
  model.destroy();
}
return answers;
"""


@pytest.mark.parametrize("name", MODELS)
def test_a_model_on_a_page(folder, page, name):
    make, data = MODELS[name]
    hybridize.random.seed(1)
    net = make()
    net.initialize()
    write(folder, name, lambda x: net(x), *((np.array(data(rows)),) for rows in (2, 4, 3)))
    calls = [data(rows) for rows in (1, 5, 3)]
    with hybridize.disabled():
        results = [net(np.array(x)) for x in calls]
    expected = [list(one.values()) if isinstance(one, dict) else [one] for one in results]
    places = told(page, BOTH, name=name, calls=[[x.ravel().tolist(), x.shape] for x in calls])
    assert [device for device, _ in places] == ["webgpu", "wasm"]
    for _, answers in places:
        for answer, wanted in zip(answers, expected, strict=True):
            for (shape, found), want in zip(answer, wanted, strict=True):
                assert tuple(shape) == want.shape
                numpy.testing.assert_allclose(numpy.reshape(found, shape), want.asnumpy(), rtol=1e-5, atol=1e-6)
