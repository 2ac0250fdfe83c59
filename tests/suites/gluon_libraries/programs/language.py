"""Models of GluonNLP in small, its beam searches, losses, optimizers and data: each made, run, hybridized, trained."""

import tempfile
from pathlib import Path

import gluonnlp as nlp
import mxnet as mx
import numpy as np
from mxnet import gluon, nd
from rules import Rule, drawn, filled, flat, numbers, signature, stages

WORDS = [
    "the", "cat", "sat", "on", "mat", "a", "dog", "ran", "over", "hill", "and", "saw", "bird", "##s", "un", "##able",
    "##run", "in", "[MASK]",
]  # fmt: skip
SENTENCES = ["the cat sat on the mat", "a dog ran over the hill", "and the bird saw a cat", "the cat ran", "a dog sat"]


def vocabulary(kind=nlp.Vocab, **keywords):
    return kind(nlp.data.count_tokens([*WORDS, "the", "cat", "the"]), **keywords)


def tokens(shape, high=18):
    """Whole numbers below `high`, as MXNet's programs hold them: float32."""
    return mx.nd.array(np.arange(int(np.prod(shape))).reshape(shape) * 7 % high)


def lengths(*found):
    return mx.nd.array(found)


def of_words(net, *inputs):
    """The stages of a net whose inputs are rows of tables: MXNet refuses these a gradient."""
    found = stages(net, *inputs, train=False)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    with mx.autograd.record():
        loss = sum((one.astype("float32") ** 2).mean() for one in flat(net(*inputs)))
    loss.backward()
    trainer.step(1, ignore_stale_grad=True)
    return {**found, "trained": signature(loss, *flat(net(*inputs)))}


# BERT


def encoder(**keywords):
    return nlp.model.BERTEncoder(
        num_layers=2, units=16, hidden_size=32, max_length=12, num_heads=4, dropout=0.0, **keywords
    )


def bert(name="bert_12_768_12", **keywords):
    """One of the package's own models, small."""
    small = {"num_layers": 2, "units": 16, "hidden_size": 32, "max_length": 12, "num_heads": 4, "dropout": 0.0}
    vocab = vocabulary(nlp.vocab.BERTVocab)
    return nlp.model.get_model(
        name, vocab=vocab, pretrained=False, hparam_allow_override=True, embed_size=16, **small, **keywords
    )[0]


INPUTS = (2, 7)


def bert_encoder(**keywords):
    net = encoder(**keywords)
    net.initialize(Rule())

    class Encoded(gluon.HybridBlock):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def hybrid_forward(self, F, x, valid_length):
            outputs, others = self.net(x, valid_length=valid_length)
            return [*(outputs if isinstance(outputs, list) else [outputs]), *flat(others)]

    return stages(Encoded(net), numbers((7, 2, 16)), lengths(7, 4))


def bert_model(name="bert_12_768_12", **keywords):
    net = bert(name, use_decoder=False, use_classifier=False, **keywords)
    net.initialize(Rule())
    return of_words(net, tokens(INPUTS), tokens(INPUTS, 2), lengths(7, 4))


def bert_pretraining():
    net = bert()
    net.initialize(Rule())
    net.hybridize(static_alloc=True)
    data = tokens(INPUTS), tokens(INPUTS, 2), lengths(7, 4), mx.nd.array([[1, 3, 5], [0, 2, 3]])
    words, weights, following = tokens((2, 3)), mx.nd.array([[1, 1, 0], [1, 1, 1]]), mx.nd.array([0, 1])
    masked, next_one = gluon.loss.SoftmaxCELoss(), gluon.loss.SoftmaxCELoss()
    trainer = gluon.Trainer(net.collect_params(), "bertadam", {"learning_rate": 1e-3, "wd": 0.01})
    losses = []
    for _ in range(3):
        with mx.autograd.record():
            _, _, classified, decoded = net(*data)
            decoded = decoded.reshape((-1, decoded.shape[-1]))
            loss = masked(decoded, words.reshape(-1), weights.reshape((-1, 1))).sum() / (weights.sum() + 1e-8)
            loss = loss + next_one(classified, following).mean()
        loss.backward()
        trainer.allreduce_grads()
        nlp.utils.clip_grad_global_norm(list(net.collect_params().values()), 1)
        trainer.update(1)
        losses.append(loss.asscalar())
    return {"losses": signature(losses), "output": signature(*net(*data))}


def classified(net, *inputs, optimizer="bertadam"):
    """Train a classifier three steps."""
    net.initialize(Rule())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 1e-2})
    losses = []
    for _ in range(3):
        with mx.autograd.record():
            loss = gluon.loss.SoftmaxCELoss()(net(*inputs), mx.nd.array([1, 2])).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    return {"losses": signature(losses), "output": signature(net(*inputs))}


def bert_classifier():
    net = nlp.model.BERTClassifier(bert(use_decoder=False, use_classifier=False), num_classes=3, dropout=0.0)
    return classified(net, tokens(INPUTS), tokens(INPUTS, 2), lengths(7, 4))


class Answers(gluon.HybridBlock):
    """The start and the end of an answer, as the scripts of the package have it."""

    def __init__(self, bert, **kwargs):
        super().__init__(**kwargs)
        self.bert = bert
        with self.name_scope():
            self.span = gluon.nn.Dense(units=2, flatten=False)

    def hybrid_forward(self, F, inputs, types, valid_length):
        output = self.bert(inputs, types, valid_length)
        spans = F.split(self.span(output), axis=2, num_outputs=2, squeeze_axis=True)
        return spans[0], spans[1]


def bert_answers():
    net = Answers(bert(use_decoder=False, use_classifier=False, use_pooler=False))
    net.initialize(Rule())
    return of_words(net, tokens(INPUTS), tokens(INPUTS, 2), lengths(7, 4))


def roberta():
    net = bert("roberta_12_768_12")
    net.initialize(Rule())
    return of_words(net, tokens(INPUTS), lengths(7, 4), mx.nd.array([[1, 3], [0, 2]]))


def roberta_classifier():
    net = nlp.model.RoBERTaClassifier(bert("roberta_12_768_12", use_decoder=False), num_classes=3)
    return classified(net, tokens(INPUTS), lengths(7, 4), optimizer="lamb")


def distilled():
    net = bert("distilbert_6_768_12", dataset_name=None)
    net.initialize(Rule())
    return of_words(net, tokens(INPUTS), lengths(7, 4))


def saved():
    """Parameters in a file, and read back into another net."""
    net, other = (bert(use_decoder=False, use_classifier=False) for _ in range(2))
    net.initialize(Rule())
    data = tokens(INPUTS), tokens(INPUTS, 2), lengths(7, 4)
    first = signature(*net(*data))
    with tempfile.TemporaryDirectory() as folder:
        net.save_parameters(f"{folder}/net.params")
        nlp.utils.load_parameters(other, f"{folder}/net.params", ctx=mx.cpu())
    assert first == signature(*other(*data))
    return {"output": first, "names": signature([len(one) for one in net._collect_params_with_prefix()])}


# Transformers


def transformer_encoder(**keywords):
    net = nlp.model.TransformerEncoder(
        num_layers=2, units=16, hidden_size=32, max_length=10, num_heads=4, dropout=0.0, **keywords
    )
    net.initialize(Rule())
    found = {}
    for stage in ("output", "hybridized"):
        outputs, others = net(numbers((2, 6, 16)), None, lengths(6, 3))
        found[stage] = signature(*flat(outputs), *flat(others))
        net.hybridize()
    return found


def translator(**keywords):
    parts = nlp.model.transformer.get_transformer_encoder_decoder(
        num_layers=2, num_heads=4, units=16, hidden_size=32, dropout=0.0, max_src_length=12, max_tgt_length=12
    )
    vocab = vocabulary()
    net = nlp.model.translation.NMTModel(vocab, vocab, *parts, embed_size=16, prefix="t_", **keywords)
    source, target = tokens((2, 6)), tokens((2, 5))
    filled(net, source, target, lengths(6, 4), lengths(5, 3))
    return net, source, target


def translation(**keywords):
    net, source, target = translator(**keywords)
    found = {}
    for stage in ("output", "hybridized"):
        found[stage] = signature(net(source, target, lengths(6, 4), lengths(5, 3))[0])
        net.hybridize()
    loss_function = nlp.loss.MaskedSoftmaxCELoss(sparse_label=False)
    smoothing = nlp.loss.LabelSmoothing(epsilon=0.1, units=len(net.tgt_vocab))
    smoothing.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.003, "epsilon": 1e-6})
    losses = []
    for _ in range(3):
        with mx.autograd.record():
            output, _ = net(source, target[:, :-1], lengths(6, 4), lengths(4, 2))
            loss = loss_function(output, smoothing(target[:, 1:]), lengths(4, 2)).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    return {**found, "losses": signature(losses)}


class OneStep:
    """A decoder of one step, as beam search calls it."""

    def __init__(self, net):
        self.net = net

    def __call__(self, step, states):
        output, states, _ = self.net.decode_step(step, states)
        return mx.nd.log_softmax(output), states


def translation_searched():
    net, source, _ = translator()
    outputs, _ = net.encode(source, valid_length=lengths(6, 4))
    states = net.decoder.init_state_from_encoder(outputs, lengths(6, 4))
    sampler = nlp.model.BeamSearchSampler(
        beam_size=3, decoder=OneStep(net), eos_id=3, scorer=nlp.model.BeamSearchScorer(alpha=0.6, K=5), max_length=8
    )
    samples, scores, valid = sampler(mx.nd.full((2,), 2), states)
    return {"samples": signature(samples), "scores": signature(scores), "lengths": signature(valid)}


def translation_parallel():
    net, source, target = translator(share_embed=True, tie_weights=True)
    model = nlp.model.transformer.ParallelTransformer(
        net, nlp.loss.LabelSmoothing(epsilon=0.1, units=len(net.tgt_vocab)),
        nlp.loss.MaskedSoftmaxCELoss(sparse_label=False), 1.0,
    )  # fmt: skip
    losses = []
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    parallel = nlp.utils.Parallel(0, model)
    for _ in range(2):
        parallel.put(((source, target, lengths(6, 4), lengths(5, 3)), 2))
        losses.append(parallel.get().asscalar())
        trainer.step(1)
    return {"losses": signature(losses)}


# Language models


def awd(**keywords):
    return nlp.model.train.AWDRNN("lstm", 20, 8, 10, 2, dropout=0.0, drop_h=0.0, drop_i=0.0, drop_e=0.0, **keywords)


def language_model(net):
    """Train three steps with the regularizations of activations, without a state at first and detached after."""
    data, target = tokens((5, 2)), tokens((5, 2), 20)
    filled(net, data)
    found = {}
    for stage in ("output", "hybridized"):
        output, state, *_ = net(data)
        found[stage] = signature(output, *flat(state))
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "wd": 1e-3})
    activations = nlp.loss.ActivationRegularizationLoss(2.0), nlp.loss.TemporalActivationRegularizationLoss(1.0)
    losses, state = [], net.begin_state(batch_size=2)
    for _ in range(3):
        state = _detached(state)
        with mx.autograd.record():
            output, state, raw, dropped = net(data, state)
            loss = gluon.loss.SoftmaxCELoss()(output.reshape((-3, -1)), target.reshape((-1,))).mean()
            for one, arrays in zip(activations, (dropped, raw)):
                loss = loss + one(*arrays).mean() if arrays else loss
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    return {**found, "losses": signature(losses)}


def _detached(state):
    return [_detached(one) for one in state] if isinstance(state, (list, tuple)) else state.detach()


def language_model_awd(tied):
    return language_model(awd(weight_drop=0.0, tie_weights=tied))


def language_model_weight_drop():
    """The weights drop only while training; evaluated they are whole."""
    net = awd(weight_drop=0.5)
    filled(net, tokens((5, 2)))
    output, state, *_ = net(tokens((5, 2)))
    kinds = [type(one).__name__ for one in net.collect_params().values()]
    with mx.autograd.train_mode():
        differ = [
            not np.array_equal(net(tokens((5, 2)))[0].asnumpy(), net(tokens((5, 2)))[0].asnumpy()) for _ in range(2)
        ]
    return {
        "output": signature(output, *flat(state)),
        "drops": signature([kinds.count("WeightDropParameter"), *differ]),
    }


def language_model_standard(mode):
    return language_model(nlp.model.train.StandardRNN(mode, 20, 8, 8, 2, dropout=0.0, tie_weights=mode == "lstm"))


def language_model_evaluated():
    """The class for evaluation, which returns no more than outputs and states."""
    net = nlp.model.language_model.AWDRNN("lstm", 20, 8, 10, 2, True, 0.0, 0.0, 0.0, 0.0, 0.0)
    filled(net, tokens((5, 2)))
    found = {}
    for stage in ("output", "hybridized"):
        output, state = net(tokens((5, 2)), net.begin_state(batch_size=2))
        found[stage] = signature(output, *flat(state))
        net.hybridize()
    return found


def language_model_cache():
    net = nlp.model.language_model.StandardRNN("lstm", 20, 8, 8, 1, 0.0, False)
    filled(net, tokens((6, 1)))
    cell = nlp.model.train.CacheCell(net, 20, 3, 0.6, 0.2)
    out, words, cache, state = cell(tokens((6, 1)), tokens((6, 1), 20), None, None, net.begin_state(batch_size=1))
    again, words, cache, state = cell(tokens((6, 1)), tokens((6, 1), 19), words, cache, state)
    return {"output": signature(out, again), "history": signature(words, cache), "states": signature(*flat(state))}


def language_model_big(sparse):
    """With sampled classes, of fixed samples."""
    net = nlp.model.train.BigRNN(20, 6, 8, 1, 5, 4, sparse_weight=sparse, sparse_grad=sparse)
    sampled = [mx.nd.array([1, 4, 7, 9]), mx.nd.array([0.4, 0.3, 0.2, 0.1]), numbers((5, 2), 0.1) + 0.2]
    data, target = tokens((5, 2)), tokens((5, 2), 17)
    state = net.begin_state(batch_size=2)
    net.initialize(Rule())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    losses = []
    for _ in range(3):
        with mx.autograd.record():
            output, _, new = net(data, target, state, sampled)
            loss = gluon.loss.SoftmaxCELoss()(output.reshape((-3, -1)), new.reshape((-1,))).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    return {"losses": signature(losses), "output": signature(output)}


def language_model_big_evaluated():
    net = nlp.model.language_model.BigRNN(20, 6, 8, 1, 5)
    state = net.begin_state(batch_size=2, func=mx.nd.zeros)
    filled(net, tokens((5, 2)), state)
    output, state = net(tokens((5, 2)), state)
    return {"output": signature(output, *flat(state))}


# ELMo


def elmo():
    sizes = {"output_size": 6, "filters": [[1, 3], [2, 4]], "char_embed_size": 4, "num_highway": 1, "input_size": 6}
    net = nlp.model.ELMoBiLM(
        "lstmpc", **sizes, conv_layer_activation="relu", max_chars_per_token=50, char_vocab_size=262, hidden_size=8,
        proj_size=6, num_layers=2, cell_clip=3, proj_clip=3,
    )  # fmt: skip
    words = nlp.vocab.ELMoCharVocab()
    characters = mx.nd.array(words([["the", "cat", "ran"], ["a", "dog", "sat"]][0]))
    data = mx.nd.stack(characters, characters[::-1])
    mask = mx.nd.array([[1, 1, 1], [1, 1, 0]])
    filled(net, data, net.begin_state(mx.nd.zeros, batch_size=2), mask)
    output, state = net(data, net.begin_state(mx.nd.zeros, batch_size=2), mask)
    return {"output": signature(*flat(output), *flat(state))}


def bidirectional(mode):
    keywords = {"proj_size": 6, "cell_clip": 0.5, "proj_clip": 0.5} if mode == "lstmpc" else {}
    net = nlp.model.BiLMEncoder(mode, 2, 6, 6, **keywords)
    data, mask = numbers((4, 2, 6)), mx.nd.array([[1, 1, 1, 1], [1, 1, 0, 0]])
    filled(net, data, net.begin_state(mx.nd.zeros, batch_size=2), mask)
    found = {}
    for stage in ("output", "hybridized"):
        output, states = net(data, net.begin_state(mx.nd.zeros, batch_size=2), mask)
        found[stage] = signature(output, *flat(states))
        net.hybridize()
    return found


# Layers


def layer(make, *inputs, train=True):
    net = make()
    filled(net, *inputs)
    return stages(net, *inputs, train=train)


def highway():
    bias = nlp.initializer.HighwayBias(nonlinear_transform_bias=0.1, transform_gate_bias=-2.0)
    net = nlp.model.Highway(6, 2, activation="tanh", highway_bias=bias)
    net.initialize(Rule())
    return stages(net, numbers((3, 6)))


def convolutional(**keywords):
    make, sizes = nlp.model.ConvolutionalEncoder, {"num_filters": (3, 4), "ngram_filter_sizes": (1, 3)}
    return layer(lambda: make(5, **sizes, **keywords), numbers((7, 2, 5)), mx.nd.ones((7, 2)))


def convolutional_projected():
    return convolutional(num_highway=2, output_size=6, conv_layer_activation="relu")


def clipped():
    """A cell with a projection, clipped, unrolled."""
    cell = nlp.model.LSTMPCellWithClip(8, 5, cell_clip=0.3, projection_clip=0.2)
    cell.initialize(Rule())
    outputs, states = cell.unroll(4, numbers((2, 4, 5)), merge_outputs=True)
    return {"output": signature(outputs, *states)}


class Attended(gluon.HybridBlock):
    """A cell of attention with a mask."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def hybrid_forward(self, F, query, key, value, mask):
        context, weights = self.cell(query, key, value, mask)
        return context, weights


ATTENTION = {
    "multi-head": lambda: nlp.model.MultiHeadAttentionCell(nlp.model.DotProductAttentionCell(scaled=True), 8, 8, 8, 2),
    "dot": lambda: nlp.model.DotProductAttentionCell(scaled=False),
    "scaled luong": lambda: nlp.model.DotProductAttentionCell(units=6, luong_style=True, scaled=True),
    "normalized dot": lambda: nlp.model.DotProductAttentionCell(units=6, scaled=False, normalized=True),
    "MLP": lambda: nlp.model.MLPAttentionCell(units=6),
    "normalized MLP": lambda: nlp.model.MLPAttentionCell(units=6, normalized=True),
}


def attention(name):
    mask = mx.nd.array(np.arange(2 * 3 * 4).reshape(2, 3, 4) % 4 < 3)
    size = 6 if "luong" in name else 8
    data = numbers((2, 3, size)), numbers((2, 4, 6 if "luong" in name else 8)), numbers((2, 4, 8)), mask
    return layer(lambda: Attended(ATTENTION[name]()), *data, train=name != "dot")


def normalized():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(5), nlp.model.L2Normalization(), nlp.model.GELU(), nlp.model.GELU(approximate=True))
    net.initialize(Rule())
    return stages(net, numbers((3, 4)))


def feed_forward(activation):
    make = nlp.model.transformer.PositionwiseFFN
    return layer(lambda: make(units=6, hidden_size=9, activation=activation), numbers((2, 3, 6)))


def sampled(kind):
    """Candidates of importance sampling or of noise contrast, and with gradients of few rows."""
    net = getattr(nlp.model, kind)(12, 4, 5)  # MXNet crashes, hybridized
    candidates = [mx.nd.array([1, 4, 7, 9]), mx.nd.array([0.4, 0.3, 0.2, 0.1]), mx.nd.array([0.2, 0.3, 0.1])]
    data, label = numbers((3, 5)), mx.nd.array([4, 2, 7])
    net.initialize(Rule())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with mx.autograd.record():
        output, target = net(data, candidates, label)
        loss_function = gluon.loss.SigmoidBCELoss() if "NCE" in kind else gluon.loss.SoftmaxCELoss()
        loss = loss_function(output, target).mean()
    loss.backward()
    trainer.step(1)
    after = net(data, candidates, label)[0]
    return {"output": signature(mx.nd.maximum(output, -9), target), "trained": signature(mx.nd.maximum(after, -9))}


# Search


class Markov:
    """A decoder whose next word follows from the last and from how many steps there were."""

    def __init__(self, size):
        self.table = mx.nd.log_softmax(numbers((size, size), 3))

    def __call__(self, step, states):
        return nd.log_softmax(nd.take(self.table, step) + 0.3 * states), states * 0.5 + nd.one_hot(
            step, self.table.shape[1]
        )


def searched(beam, alpha):
    sampler = nlp.model.BeamSearchSampler(
        beam_size=beam, decoder=Markov(9), eos_id=4, scorer=nlp.model.BeamSearchScorer(alpha=alpha, K=2), max_length=6
    )
    samples, scores, valid = sampler(mx.nd.array([1, 5, 8]), numbers((3, 9)))
    return {"samples": signature(samples), "scores": signature(scores), "lengths": signature(valid)}


class Words(gluon.HybridBlock):
    """A decoder that can be hybridized."""

    def __init__(self, size):
        super().__init__()
        self._vocab_size = size
        with self.name_scope():
            self.embedding, self.dense = gluon.nn.Embedding(size, 6), gluon.nn.Dense(size, in_units=6)
            self.cell = gluon.rnn.LSTMCell(6, input_size=6)

    def begin_state(self, batch):
        return self.cell.begin_state(batch)

    def state_info(self, batch=None):
        return self.cell.state_info(batch or 0)

    def hybrid_forward(self, F, step, states):
        output, states = self.cell(self.embedding(step), states)
        return F.log_softmax(self.dense(output)), states


def searched_hybrid():
    decoder = Words(9)
    decoder.initialize(Rule())
    sampler = nlp.model.HybridBeamSearchSampler(
        batch_size=2, beam_size=3, decoder=decoder, eos_id=4, max_length=6, vocab_size=9
    )
    samples, scores, valid = sampler(mx.nd.array([1, 5]), decoder.begin_state(2))
    return {"samples": signature(samples), "scores": signature(scores), "lengths": signature(valid)}


class Certain:
    """A decoder that leaves no choice, so that drawing is fixed."""

    def __init__(self, size):
        self.size = size

    def __call__(self, step, states):
        return nd.one_hot((step + 3) % self.size, self.size) * 100, states


def drawn_sequences():
    sampler = nlp.model.SequenceSampler(beam_size=2, decoder=Certain(11), eos_id=4, max_length=9, temperature=0.5)
    samples, scores, valid = sampler(mx.nd.array([1, 5, 8]), mx.nd.zeros((3, 1)))
    return {"samples": signature(samples), "shares": signature(mx.nd.exp(scores)), "lengths": signature(valid)}


# Embeddings


def embedding_file():
    """A file of ours, read, looked up, changed, attached to a vocabulary, written and read back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.txt"
        lines = [f"{word} {' '.join(f'{one:.4f}' for one in drawn((n + 4,))[:4])}\n" for n, word in enumerate(WORDS)]
        path.write_text("".join(lines))
        table = nlp.embedding.TokenEmbedding.from_file(str(path))
        table.serialize(f"{folder}/words.npz")
        again = nlp.embedding.TokenEmbedding.deserialize(f"{folder}/words.npz")
    found = {"read": signature(table.idx_to_vec, again.idx_to_vec), "looked up": signature(table[["cat", "nothing"]])}
    table["cat"] = mx.nd.array([1, 2, 3, 4])
    vocab = vocabulary()
    vocab.set_embedding(table)
    net = gluon.nn.Embedding(len(vocab), 4)
    net.initialize()
    net.weight.set_data(vocab.embedding.idx_to_vec)
    return {**found, "attached": signature(net(mx.nd.array(vocab[SENTENCES[0].split()])))}


def embedding_evaluated(name):
    table = numbers((12, 5))
    if name == "similarity":
        net = nlp.embedding.evaluation.WordEmbeddingSimilarity(table)
        inputs = mx.nd.array([1, 2, 3]), mx.nd.array([4, 5, 6])
    else:
        net = nlp.embedding.evaluation.WordEmbeddingAnalogy(table, analogy_function=name, k=2)
        inputs = mx.nd.array([1, 2]), mx.nd.array([4, 5]), mx.nd.array([7, 8])
    net.initialize()
    found = {"output": signature(net(*inputs))}
    net.hybridize()
    return {**found, "hybridized": signature(net(*inputs))}


def embedding_ngrams(sparse):
    """Words and the hashes of their parts; words that are in no vocabulary; trained with gradients of few rows."""
    vocab = vocabulary()
    parts = nlp.vocab.create_subword_function("NGramHashes", num_subwords=20, ngrams=[3, 4])
    net = nlp.model.train.FasttextEmbeddingModel(vocab.token_to_idx, parts, 4, Rule(), sparse_grad=sparse)
    net.initialize()
    found = {"words": signature(net[["cat", "unknownword", "bird"]]), "hashes": signature(np.concatenate(parts(WORDS)))}
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    with mx.autograd.record():
        loss = (net[["cat", "unknownword"]] ** 2).sum()
    loss.backward()
    trainer.step(1)
    return {**found, "trained": signature(net[["cat", "unknownword", "bird"]])}


def embedding_rows():
    vocab = vocabulary()
    net = nlp.model.train.CSREmbeddingModel(vocab.token_to_idx, 4, Rule())
    net.initialize()
    return {"words": signature(net[["cat", "bird"]], net["cat"])}


# Losses and metrics


def losses():
    pred, label = numbers((2, 4, 5), 2), tokens((2, 4), 5)
    pred.attach_grad()
    found = {}
    dense = mx.nd.one_hot(label, 5)
    for name, loss_function, data in (
        ("sparse", nlp.loss.MaskedSoftmaxCELoss(), label),
        ("dense", nlp.loss.MaskedSoftmaxCELoss(sparse_label=False, weight=2.0), dense),
        ("logits", nlp.loss.MaskedSoftmaxCELoss(from_logits=True), label),
    ):
        for stage in ("", " hybridized"):
            with mx.autograd.record():
                loss = loss_function(pred, data, lengths(3, 2))
            loss.backward()
            found[name + stage] = signature(loss, pred.grad)
            loss_function.hybridize()
    return found


def losses_of_activations():
    states = [numbers((4, 2, 3)), numbers((3, 2, 4))]
    found = {}
    for name in ("ActivationRegularizationLoss", "TemporalActivationRegularizationLoss"):
        loss_function = getattr(nlp.loss, name)(0.7)
        for one in states:
            one.attach_grad()
        with mx.autograd.record():
            loss = loss_function(*states)
        loss.backward()
        found[name] = signature(loss, *(one.grad for one in states))
    return found


def smoothed():
    found = {}
    for name, keywords, data in (
        ("sparse", {"units": 6}, tokens((2, 3), 6)),
        ("dense", {"sparse_label": False, "units": 4}, numbers((2, 3, 4))),
    ):
        net = nlp.loss.LabelSmoothing(**keywords)
        data.attach_grad()
        with mx.autograd.record():
            output = net(data)
            loss = (output**2).sum()
        if name != "sparse":
            loss.backward()
        found[name] = signature(output, data.grad)
        net.hybridize()
        found[name + " hybridized"] = signature(net(data))
    return found


def metrics():
    accuracy, loss = nlp.metric.MaskedAccuracy(), nlp.metric.LengthNormalizedLoss()
    for _ in range(2):
        accuracy.update([tokens((3, 4), 3)], [numbers((3, 3, 4))], [tokens((3, 4), 2)])
        loss.update([tokens((3, 4), 3), lengths(4, 2, 1)], [numbers((3,)), numbers((3,))][:1])
    return {"values": signature([accuracy.get()[1], loss.get()[1]])}


# Data


def vocabularies():
    vocab = vocabulary(max_size=12, min_freq=1, reserved_tokens=["<mine>"])
    again = nlp.Vocab.from_json(vocab.to_json())
    assert again.idx_to_token == vocab.idx_to_token
    others = vocabulary(nlp.vocab.BERTVocab), vocabulary(unknown_token=None)
    found = [
        vocab[SENTENCES[0].split()],
        vocab.to_indices(["<mine>", "nothing"]),
        others[0][["[MASK]", "[CLS]", "cat"]],
    ]
    return {"indices": signature(*found, [len(vocab), len(again), *map(len, others)])}


def batches():
    from gluonnlp.data.batchify import Dict, List, Pad, Stack, Tuple

    rows = [([1, 2, 3], [4.0, 5.0], 1), ([6, 7], [8.0], 0), ([9], [1.0, 2.0, 3.0], 1)]
    padded, size = Pad(axis=0, pad_val=0, ret_length=True, dtype="int32")([one[0] for one in rows])
    triple = Tuple(Pad(pad_val=-1), Pad(pad_val=0, round_to=4), Stack("float32"))(rows)
    named = Dict({"a": Stack(), "b": Pad(pad_val=0)})([{"a": row[2], "b": np.array(row[1])} for row in rows])
    arrays = Pad(axis=0, pad_val=7)([numbers((2, 3)), numbers((4, 3))])
    assert List()(rows) == rows
    return {"arrays": signature(padded, size, *triple, named["a"], named["b"], arrays)}


def samplers():
    size = [int(one) for one in np.arange(40) * 7 % 23 + 1]
    found = []
    for scheme in (nlp.data.ConstWidthBucket(), nlp.data.LinearWidthBucket(), nlp.data.ExpWidthBucket(1.2)):
        sampler = nlp.data.FixedBucketSampler(size, batch_size=4, num_buckets=5, ratio=0.5, bucket_scheme=scheme)
        assert "batch" in sampler.stats()
        found += [one for batch in sampler for one in batch]
    pairs = [(one, one + 3) for one in size]
    for sampler in (
        nlp.data.FixedBucketSampler(pairs, batch_size=6, num_buckets=3, use_average_length=True),
        nlp.data.SortedBucketSampler(size, batch_size=7, mult=2),
        nlp.data.FixedBucketSampler(size, batch_size=4, num_shards=2),
    ):
        found += [one for batch in sampler for part in batch for one in np.ravel(part)]
    found += list(nlp.data.SortedSampler(size))
    return {"rows": signature(np.array(found))}


def corpus():
    """Texts in files, cut into tokens and into batches for back-propagation through time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text("\n".join(SENTENCES * 3) + "\n")
        table = Path(folder) / "table.tsv"
        table.write_text("\n".join(f"{one}\t{len(one)}" for one in SENTENCES) + "\n")
        lines = nlp.data.CorpusDataset(str(path), eos="<eos>", flatten=True)
        rows = nlp.data.TSVDataset(str(table), num_discard_samples=1, field_indices=[1, 0])
        streamed = nlp.data.SimpleDatasetStream(nlp.data.CorpusDataset, str(path), eos="<eos>")
        vocab = nlp.Vocab(nlp.data.count_tokens(lines))
        whole = nlp.data.batchify.CorpusBatchify(vocab, 3)(lines)
        cut = list(nlp.data.batchify.CorpusBPTTBatchify(vocab, 5, 3, last_batch="discard")(lines))
        stream = nlp.data.batchify.StreamBPTTBatchify(vocab, 5, 3, "sequential", last_batch="discard")(streamed)
        flowing = [one for _, batch in zip(range(3), stream) for one in batch]
    sizes = [int(one[0]) for one in rows]
    return {
        "whole": signature(whole[:]), "cut": signature(*(one for pair in cut for one in pair)),
        "stream": signature(*flowing), "rows": signature(sizes),
    }  # fmt: skip


def transformed():
    """Tokens of BERT, sentences cut, padded and joined."""
    vocab = vocabulary(nlp.vocab.BERTVocab)
    tokenizer = nlp.data.BERTTokenizer(vocab, lower=True)
    transform = nlp.data.BERTSentenceTransform(tokenizer, 12, vocab=vocab, pair=True)
    single = nlp.data.BERTSentenceTransform(tokenizer, 10, vocab=vocab, pair=False, pad=False)
    cut, pad = nlp.data.ClipSequence(3), nlp.data.PadSequence(6, pad_val=9)
    pieces = tokenizer("The Cats, unable to ran over birds!")
    found = [tokenizer.convert_tokens_to_ids(pieces), *transform((SENTENCES[0], SENTENCES[1]))]
    found += [*single((SENTENCES[2],)), cut(list(range(5))), pad([1, 2])]
    joined = nlp.data.concat_sequence([[1, 2], [3]])
    sliced = nlp.data.slice_sequence(list(range(11)), 4, pad_last=True, pad_val=0)
    padded = pad(mx.nd.array([1, 2, 3]))
    return {"arrays": signature(*found, joined, np.array(sliced), padded)}


def loaded():
    """Batches of a loader that pads, sorted by buckets."""
    vocab = vocabulary()
    rows = gluon.data.SimpleDataset([(vocab[one.split()], len(one)) for one in SENTENCES * 2])
    batchify = nlp.data.batchify.Tuple(
        nlp.data.batchify.Pad(pad_val=1, ret_length=True), nlp.data.batchify.Stack("float32")
    )
    sampler = nlp.data.FixedBucketSampler([len(one[0]) for one in rows], batch_size=3, num_buckets=2)
    found = []
    for (data, size), label in gluon.data.DataLoader(rows, batchify_fn=batchify, batch_sampler=sampler):
        found += [data, size, label]
    sharded = nlp.data.ShardedDataLoader(rows, batch_sampler=sampler, batchify_fn=batchify, num_workers=0)
    found += [one for batch in sharded for one in flat(batch)]
    return {"batches": signature(*found)}


def contexts(cbow):
    """Centers and their contexts, for embeddings: the window is fixed, and the order too."""
    batchify = nlp.data.batchify.EmbeddingCenterContextBatchify(
        batch_size=8, window_size=2, reduce_window_size_randomly=False, shuffle=False, cbow=cbow
    )
    sentences = [[int(one) for one in np.arange(7) * (n + 2) % 11] for n in range(4)]
    found = []
    for centers, (weights, rows, columns) in batchify(sentences):
        found += [centers, weights, rows, columns]
    return {"batches": signature(*found)}


def candidates():
    """Of a certain word, and with the shape of what is asked."""
    sampler = nlp.data.UnigramCandidateSampler(mx.nd.array([0, 0, 1, 0]), dtype="float32")
    sampler.initialize()
    found = {"output": signature(sampler(mx.nd.zeros((3, 2))))}
    sampler.hybridize()
    return {**found, "hybridized": signature(sampler(mx.nd.zeros((3, 2))))}


def optimized(name):
    """Three steps of an optimizer from a fixed weight."""
    net = gluon.nn.Dense(4, in_units=3)
    net.initialize(Rule())
    trainer = gluon.Trainer(net.collect_params(), name, {"learning_rate": 0.05, "wd": 0.01, "clip_gradient": 0.5})
    for step in range(3):
        with mx.autograd.record():
            loss = (net(numbers((2, 3), step + 1)) ** 2).mean()
        loss.backward()
        trainer.step(1)
    return {"weights": signature(net.weight.data(), net.bias.data())}


def cells():
    """Cells in a row, and weights that drop in a layer of two directions, evaluated."""
    cell = nlp.model.utils._get_rnn_cell("lstm", 2, 5, 5, 0.0, 0.0, 0.0, 0.0, 0.0, False)
    cell.initialize(Rule())
    outputs, states = cell.unroll(3, numbers((2, 3, 5)), merge_outputs=True)
    net = gluon.rnn.LSTM(5, 2, bidirectional=True, input_size=4)
    nlp.model.apply_weight_drop(net, r".*h2h_weight", 0.5)
    net.initialize(Rule())
    return {"output": signature(outputs, *flat(states), net(numbers((3, 2, 4))))}


PROGRAMS = {
    "BERT encoder": (bert_encoder,),
    "BERT": (bert_model,),
    "BERT pretraining": (bert_pretraining,),
    "BERT classifier": (bert_classifier,),
    "BERT answers": (bert_answers,),
    "BERT saved": (saved,),
    "RoBERTa": (roberta,),
    "RoBERTa classifier": (roberta_classifier,),
    "DistilBERT": (distilled,),
    "ERNIE": (bert_model, "ernie_12_768_12"),
    "Transformer encoder": (transformer_encoder,),
    "translation": (translation,),
    "translation searched": (translation_searched,),
    "translation, weights shared, parallel": (translation_parallel,),
    "AWD": (language_model_awd, True),
    "AWD, weights not tied": (language_model_awd, False),
    "AWD, weights dropped": (language_model_weight_drop,),
    "AWD evaluated": (language_model_evaluated,),
    "standard LSTM": (language_model_standard, "lstm"),
    "standard GRU": (language_model_standard, "gru"),
    "cache": (language_model_cache,),
    "big": (language_model_big, False),
    "big, of few rows": (language_model_big, True),
    "big evaluated": (language_model_big_evaluated,),
    "ELMo": (elmo,),
    "BiLM lstmpc": (bidirectional, "lstmpc"),
    "highway": (highway,),
    "convolutional encoder": (convolutional,),
    "convolutional encoder, projected": (convolutional_projected,),
    "LSTM with projection, clipped": (clipped,),
    **{f"attention {name}": (attention, name) for name in ATTENTION},
    "normalization and GELU": (normalized,),
    "feed-forward": (feed_forward, "gelu"),
    "ISDense": (sampled, "ISDense"),
    "NCEDense": (sampled, "NCEDense"),
    "SparseISDense": (sampled, "SparseISDense"),
    "beam search": (searched, 4, 1.0),
    "greedy search": (searched, 1, 0.0),
    "hybrid beam search": (searched_hybrid,),
    "sequences drawn": (drawn_sequences,),
    "embedding file": (embedding_file,),
    "embedding similarity": (embedding_evaluated, "similarity"),
    "embedding ThreeCosMul": (embedding_evaluated, "ThreeCosMul"),
    "embedding ThreeCosAdd": (embedding_evaluated, "ThreeCosAdd"),
    "n-grams": (embedding_ngrams, False),
    "n-grams of few rows": (embedding_ngrams, True),
    "rows of words": (embedding_rows,),
    "masked loss": (losses,),
    "losses of activations": (losses_of_activations,),
    "label smoothing": (smoothed,),
    "metrics": (metrics,),
    "vocabularies": (vocabularies,),
    "batches": (batches,),
    "samplers": (samplers,),
    "corpus": (corpus,),
    "BERT's tokens": (transformed,),
    "loader": (loaded,),
    "skip-grams": (contexts, False),
    "bags of words": (contexts, True),
    "candidates": (candidates,),
    "BERTAdam": (optimized, "bertadam"),
    "LAMB": (optimized, "lamb"),
    "cells": (cells,),
}
