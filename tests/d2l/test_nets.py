"""The nets that the book builds: what they compute, beside PyTorch's and beside sums written out."""

import math

import numpy
import pytest
import torch

from hybridize import autograd, d2l, gluon, np, npx, random
from hybridize.gluon import nn
from tests.refusals import refusal


def test_masked_softmax_is_the_softmax_of_what_is_valid():
    X = random.normal(size=(2, 3, 4))
    lengths = [[1, 2, 4], [4, 3, 2]]
    found = d2l.masked_softmax(X, np.array(lengths)).asnumpy()
    for batch in range(2):
        for query in range(3):
            count = lengths[batch][query]
            e = numpy.exp(X.asnumpy()[batch, query, :count].astype(float))
            numpy.testing.assert_allclose(found[batch, query, :count], e / e.sum(), rtol=1e-5)
            assert not found[batch, query, count:].any()
    each = d2l.masked_softmax(X, np.array([2, 3])).asnumpy()
    numpy.testing.assert_array_equal(each, d2l.masked_softmax(X, np.array([[2] * 3, [3] * 3])).asnumpy())
    numpy.testing.assert_array_equal(d2l.masked_softmax(X, None).asnumpy(), npx.softmax(X).asnumpy())


@pytest.mark.parametrize("heads", [1, 4])
def test_attention_by_heads_is_pytorchs(heads):
    net = d2l.MultiHeadAttention(8, heads, dropout=0.5, use_bias=True)
    net.initialize()
    queries, keys = random.normal(size=(2, 3, 8)), random.normal(size=(2, 5, 8))
    found = net(queries, keys, keys, np.array([5, 2]))
    theirs = torch.nn.MultiheadAttention(8, heads, batch_first=True)
    with torch.no_grad():
        parts = [net.W_q, net.W_k, net.W_v]
        theirs.in_proj_weight.copy_(torch.cat([torch.tensor(one.weight.data().asnumpy()) for one in parts]))
        theirs.in_proj_bias.copy_(torch.cat([torch.tensor(one.bias.data().asnumpy()) for one in parts]))
        theirs.out_proj.weight.copy_(torch.tensor(net.W_o.weight.data().asnumpy()))
        theirs.out_proj.bias.copy_(torch.tensor(net.W_o.bias.data().asnumpy()))
        q, k = torch.tensor(queries.asnumpy()), torch.tensor(keys.asnumpy())
        hidden = torch.arange(5)[None] >= torch.tensor([5, 2])[:, None]
        expected, _ = theirs(q, k, k, key_padding_mask=hidden)
    numpy.testing.assert_allclose(found.asnumpy(), expected.numpy(), atol=1e-5)
    weights = net.attention.attention_weights
    assert weights.shape == (2 * heads, 3, 5)
    numpy.testing.assert_allclose(weights.sum(axis=-1).asnumpy(), 1, rtol=1e-5)


def test_additive_attention_is_its_formula():
    net = d2l.AdditiveAttention(6, dropout=0.1)
    net.initialize()
    queries, keys, values = (random.normal(size=shape) for shape in ((2, 1, 5), (2, 4, 3), (2, 4, 7)))
    found = net(queries, keys, values, np.array([4, 3])).asnumpy()
    W_q, W_k, w_v = (one.weight.data().asnumpy().astype(float) for one in (net.W_q, net.W_k, net.w_v))
    for batch, count in enumerate((4, 3)):
        q, k = queries.asnumpy()[batch, 0], keys.asnumpy()[batch]
        scores = numpy.array([float(w_v[0] @ numpy.tanh(W_q @ q + W_k @ one)) for one in k[:count]])
        weights = numpy.exp(scores) / numpy.exp(scores).sum()
        numpy.testing.assert_allclose(found[batch, 0], weights @ values.asnumpy()[batch, :count], atol=1e-5)


@pytest.mark.parametrize("hidden", [6, 7])
def test_positions_are_waves(hidden):
    net = d2l.PositionalEncoding(hidden, dropout=0)
    net.initialize()
    found = net(np.zeros((1, 9, hidden))).asnumpy()[0]
    for position in range(9):
        for feature in range(hidden):
            angle = position / 10000 ** (2 * (feature // 2) / hidden)
            wave = math.sin(angle) if feature % 2 == 0 else math.cos(angle)
            assert found[position, feature] == pytest.approx(wave, abs=1e-5)


def test_the_encoder_reads_only_what_is_valid():
    net = d2l.TransformerEncoder(20, 8, 16, 2, 2, dropout=0.5)
    tokens = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    found = net(tokens, np.array([2, 4]))
    assert found.shape == (2, 4, 8)
    assert [one.shape for one in net.attention_weights] == [(4, 4, 4)] * 2
    others = np.array([[1, 2, 9, 9], [5, 6, 7, 8]])
    again = net(others, np.array([2, 4]))
    numpy.testing.assert_allclose(again.asnumpy()[0, :2], found.asnumpy()[0, :2], rtol=1e-5)
    assert abs(again.asnumpy()[0, 2:] - found.asnumpy()[0, 2:]).max() > 1e-3
    with refusal(Exception, "AttentionDecoder does not define attention_weights"):
        d2l.AttentionDecoder().attention_weights  # noqa: B018


def test_a_recurrent_net_by_hand_and_by_layers():
    X = random.normal(size=(5, 2, 3))
    for net in (d2l.RNN(4), d2l.GRU(4, 1)):
        net.initialize()
        outputs, last = net(X)
        assert (outputs.shape, last.shape) == ((5, 2, 4), (1, 2, 4))
        numpy.testing.assert_array_equal(outputs[-1].asnumpy(), last[0].asnumpy())
        numpy.testing.assert_allclose(net(X[3:], net(X[:3])[1])[1].asnumpy(), last.asnumpy(), atol=1e-5)
    hand = d2l.RNNScratch(3, 4, sigma=0.5)
    found, state = hand(X)
    assert (len(found), state.shape) == (5, (2, 4))
    by_hand = numpy.zeros((2, 4))
    for step in X.asnumpy():
        by_hand = numpy.tanh(step @ hand.W_xh.asnumpy() + by_hand @ hand.W_hh.asnumpy())
    numpy.testing.assert_allclose(state.asnumpy(), by_hand, atol=1e-5)
    numpy.testing.assert_allclose(hand(X[3:], (hand(X[:3])[1],))[1].asnumpy(), by_hand, atol=1e-5)


class Letters(d2l.DataModule):
    """Runs of a text that repeats three letters."""

    def __init__(self):
        super().__init__()
        self.batch_size = 32
        self.vocab = d2l.Vocab(list("abc"))
        numbers = [self.vocab[one] for one in "abc" * 40]
        runs = np.array([numbers[i : i + 7] for i in range(len(numbers) - 7)])
        self.X, self.Y = runs[:, :-1], runs[:, 1:]

    def get_dataloader(self, train):
        return self.get_tensorloader((self.X, self.Y), train)


@pytest.mark.parametrize("kind", ["by hand", "by layers", "gated"])
def test_a_language_model_learns_a_text(kind):
    data = Letters()
    if kind == "by hand":
        model = d2l.RNNLMScratch(d2l.RNNScratch(len(data.vocab), 8, sigma=0.3), len(data.vocab), lr=1)
    else:
        net = d2l.RNN(8) if kind == "by layers" else d2l.GRU(8, 2)
        model = d2l.RNNLM(net, len(data.vocab), lr=3)
    d2l.Trainer(max_epochs=30, gradient_clip_val=1).fit(model, data)
    assert model.board.data["val_ppl"][-1][1] < 1.2, "perplexity"
    assert model.predict("ab", 6, data.vocab, d2l.try_gpu()) == "abcabcab"


def test_an_encoder_and_a_decoder():
    class Copier(d2l.Decoder):
        def init_state(self, enc_all_outputs, *args):
            return enc_all_outputs[1]

        def forward(self, X, state):
            self.attention_weights = X
            return npx.one_hot(X + 1, 12), state

    encoder = d2l.Seq2SeqEncoder(10, 4, 6, 2)
    outputs, state = encoder(np.ones((3, 5), dtype="int32"))
    assert (outputs.shape, state.shape) == ((5, 3, 6), (2, 3, 6))
    model = d2l.Seq2Seq(encoder, Copier(), tgt_pad=0, lr=0.01)
    assert (model.lr, model.tgt_pad) == (0.01, 0)
    source, target = np.ones((2, 5), dtype="int32"), np.array([[3, 0], [4, 0]])
    tokens, weights = model.predict_step((source, target, np.array([5, 5]), target), d2l.cpu(), 3, True)
    assert tokens.astype("int32").tolist() == [[4, 5, 6], [5, 6, 7]]
    assert len(weights) == 3
    assert model(source, target, np.array([5, 5])).shape == (2, 2, 12)
    with refusal(Exception, "Encoder does not define forward"):
        d2l.Encoder()(source)


def test_what_a_translation_is_worth():
    assert d2l.bleu("il est calme .", "il est calme .", k=2) == 1.0
    # Of words 3 of 4 are right, of pairs 1 of 3; one word too few.
    score = d2l.bleu("a b x c", "a b c d e", k=2)
    assert score == pytest.approx(math.exp(1 - 5 / 4) * (3 / 4) ** 0.5 * (1 / 3) ** 0.25)
    assert d2l.bleu("a a a", "a b", k=1) == pytest.approx((1 / 3) ** 0.5), "a word that is there once counts once"


def test_residual_blocks_and_a_resnet():
    for block, shape in (
        (d2l.Residual(3), (2, 3, 6, 6)),
        (d2l.Residual(6, use_1x1conv=True, strides=2), (2, 6, 3, 3)),
        (d2l.ResNeXtBlock(32, 16, 1, use_1x1conv=True, strides=2), (2, 32, 3, 3)),
    ):
        block.initialize()
        X = random.normal(size=(2, 3, 6, 6))
        assert block(X).shape == shape
        assert block(X).min() >= 0
    same = d2l.Residual(3)
    same.initialize()
    same(X)
    same.bn2.gamma.set_data(np.zeros(3))
    numpy.testing.assert_allclose(same(X).asnumpy(), numpy.maximum(X.asnumpy(), 0), err_msg="what is added is 0")
    net = d2l.resnet18(10)
    net.initialize()
    assert net(np.zeros((1, 3, 8, 8))).shape == (1, 10)
    weights = [one for name, one in net.collect_params().items() if name.endswith("weight") and one.data().ndim == 4]
    assert len(weights) == 1 + 2 * 8 + 3, "18 layers: 17 convolutions and a Dense; three more for inputs"


def test_bert():
    tokens, segments = d2l.get_tokens_and_segments(["a", "b"], ["c"])
    assert (tokens, segments) == (["<cls>", "a", "b", "<sep>", "c", "<sep>"], [0, 0, 0, 0, 1, 1])
    assert d2l.get_tokens_and_segments(["a"]) == (["<cls>", "a", "<sep>"], [0, 0, 0])
    net = d2l.BERTModel(30, 8, 16, 2, 2, 0.2, max_len=20)
    net.initialize()
    words, texts = np.array([[1, 2, 3, 4, 5]] * 2), np.array([[0, 0, 0, 1, 1]] * 2)
    encoded, hidden, follows = net(words, texts, np.array([5, 4]), np.array([[1, 2, 0], [3, 1, 1]]))
    assert (encoded.shape, hidden.shape, follows.shape) == ((2, 5, 8), (2, 3, 30), (2, 2))
    alone = net.mlm(encoded[1:, 3:4], np.array([[0]]))
    numpy.testing.assert_allclose(hidden.asnumpy()[1, 0], alone.asnumpy()[0, 0], atol=1e-5)
    assert net(words, texts)[1] is None


def test_two_nets_against_each_other():
    random.seed(0)
    made, judge = nn.Dense(1), nn.Dense(1)
    for net in (made, judge):
        net.initialize()
    loss = gluon.loss.SigmoidBCELoss()
    trainers = [gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}) for net in (judge, made)]
    X, Z = random.normal(3, 1, (16, 1)), random.normal(size=(16, 1))
    for net in (made, judge):
        net(Z)
    before = [net.weight.data().asnumpy().copy() for net in (made, judge)]
    with autograd.pause():
        real, fake = judge(X), judge(made(Z))
        expected = (loss(real, np.ones(16)) + loss(fake, np.zeros(16))).sum() / 2
    assert d2l.update_D(X, Z, judge, made, loss, trainers[0]) == pytest.approx(expected.item(), rel=1e-5)
    assert (made.weight.data().asnumpy() == before[0]).all()
    assert (judge.weight.data().asnumpy() != before[1]).all()
    with autograd.pause():
        expected = loss(judge(made(Z)), np.ones(16)).sum()
    assert d2l.update_G(Z, judge, made, loss, trainers[1]) == pytest.approx(expected.item(), rel=1e-5)
    assert (made.weight.data().asnumpy() != before[0]).all()
