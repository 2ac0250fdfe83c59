"""Sockeye in small: its encoders, decoders, layers, losses and searches, and digits whose reversal is learned."""

import random
import tempfile
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet import gluon
from rules import Rule, drawn, filled, flat, numbers, signature, stages
from sockeye import (
    beam_search,
    constants,
    data_io,
    decoder,
    encoder,
    inference,
    layers,
    lexicon,
    loss,
    lr_scheduler,
    model,
    optimizers,
    scoring,
    training,
    transformer,
    vocab,
)  # fmt: skip

SIZE, HEADS, LENGTH = 16, 4, 12


def tokens(shape, high=12):
    return mx.nd.array(1 + np.arange(int(np.prod(shape))).reshape(shape) * 7 % (high - 1))


def lengths(*found):
    return mx.nd.array(found)


def configured(**keywords):
    settings = {
        "model_size": SIZE, "attention_heads": HEADS, "feed_forward_num_hidden": 24, "act_type": "relu",
        "num_layers": 2, "dropout_attention": 0.0, "dropout_act": 0.0, "dropout_prepost": 0.0,
        "positional_embedding_type": "fixed", "preprocess_sequence": "n", "postprocess_sequence": "r",
        "max_seq_len_source": LENGTH, "max_seq_len_target": LENGTH, "depth_key_value": SIZE,
    }  # fmt: skip
    return transformer.TransformerConfig(**settings | keywords)


# Encoders and decoders


def encoded(**keywords):
    net = encoder.get_encoder(configured(**keywords), prefix="e_")
    inputs = numbers((2, 6, SIZE)), lengths(6, 4)
    filled(net, *inputs)
    return stages(net, *inputs)


def embedded(combine):
    factors = None
    if combine:
        width = 4 if combine == "concat" else SIZE
        factors = [encoder.FactorConfig(vocab_size=5, num_embed=width, combine=combine, share_embedding=False)] * 2
    settings = encoder.EmbeddingConfig(
        vocab_size=13, num_embed=SIZE, dropout=0.0, factor_configs=factors, allow_sparse_grad=True
    )
    net = encoder.Embedding(settings, prefix="emb_")
    data = tokens((2, 4, 3), 5) if combine else tokens((2, 4, 1))
    filled(net, data, lengths(4, 2))
    return stages(net, data, lengths(4, 2), train=False)


def decoded(inference_only=False, **keywords):
    """Teacher-forced, or step by step with the states that the steps give."""
    settings = configured(**keywords)
    net = decoder.Decoder.get_decoder(settings, inference_only, prefix="d_", dtype="float32")
    source, target = numbers((2, 5, SIZE)), numbers((2, 4, SIZE), 0.9)
    net.initialize(Rule())
    for name, parameter in net.collect_params().items():
        if "lhuc" in name:
            parameter.set_data(numbers(parameter.shape))
    found = {}
    for stage in ("output", "hybridized"):
        if inference_only:
            states, outputs = net.init_state_from_encoder(source, lengths(5, 3)), []
            for step in range(3):
                output, states = net(target[:, step : step + 1], states)
                outputs.append(output)
            found[stage] = signature(*outputs, *flat(states))
        else:
            states = net.init_state_from_encoder(source, lengths(5, 3), target)
            found[stage] = signature(net.decode_seq(target, states))
        net.hybridize()
    return found


# Layers


def attended(kind):
    mask = mx.nd.array(np.triu(np.ones((4, 4)), 1)[None] * -1e8)
    queries, memory = numbers((4, 2, SIZE)), numbers((5, 2, SIZE), 0.9)
    of_memory = mx.nd.array([[[5]] * 4, [[3]] * 4]).reshape((2, 4)).repeat(HEADS, axis=0).astype("int32")
    if kind == "self":
        net = layers.MultiHeadSelfAttention("s_", SIZE, HEADS, SIZE)
        inputs = queries, None, None, mask
    elif kind == "memory":
        net = layers.MultiHeadAttention("m_", SIZE, HEADS, SIZE, depth_key_value=SIZE)
        inputs = queries, memory, of_memory
    elif kind == "plain":
        net = layers.PlainDotAttention()
        inputs = queries, mx.nd.concat(memory, memory, dim=2), None
    else:
        net = layers.ProjectedDotAttention("p_", SIZE, "float32")
        inputs = queries, memory, None
    net.initialize(Rule())
    found = {}
    for stage in ("output", "hybridized"):
        found[stage] = signature(*flat(net(*inputs)))
        net.hybridize()
    queries.attach_grad()
    with mx.autograd.record():
        value = sum((one**2).mean() for one in flat(net(*inputs)))
    value.backward()
    return {**found, "gradient": signature(queries.grad)}


def of_layer(make, *inputs, train=True):
    net = make()
    filled(net, *inputs)
    return stages(net, *inputs, train=train)


def lhuc():
    return of_layer(lambda: layers.LHUC(SIZE), numbers((3, SIZE)))


def weight_normalization():
    return of_layer(lambda: layers.WeightNormalization(5), numbers((5, 4)))


def feed_forward(act_type, use_glu):
    make = transformer.TransformerFeedForward
    return of_layer(lambda: make(20, SIZE, act_type, 0.0, "ff_", "float32", use_glu), numbers((2, 3, SIZE)))


def processed(sequence):
    make = transformer.TransformerProcessBlock
    return of_layer(lambda: make(sequence, 0.0, "p_", SIZE), numbers((2, 3, SIZE)), numbers((2, 3, SIZE), 0.9))


def positions(kind, steps):
    make = layers.PositionalEmbeddings
    net = make(kind, SIZE, LENGTH, "pos_", scale_up_input=True, scale_down_positions=True, weight_init=Rule())
    net.initialize(Rule())
    of_steps = lengths(2, 5).reshape((2, 1)) if steps else None
    data = numbers((2, 1 if steps else 4, SIZE))
    first = signature(net(data, of_steps))
    net.hybridize()
    return {"output": first, "hybridized": signature(net(data, of_steps))}


def length_ratio():
    return of_layer(lambda: layers.LengthRatio(SIZE, 2), numbers((2, 5, SIZE)), lengths(5, 3))


def recurrent(inference_only):
    net = layers.SSRU(SIZE, inference_only)
    net.initialize(Rule())
    inputs = numbers((1 if inference_only else 4, 2, SIZE)), numbers((1, 2, SIZE), 0.5)
    return stages(net, *inputs)


def causal():
    return of_layer(lambda: transformer.AutoRegressiveBias(), numbers((2, 4, SIZE)), train=False)


def output_layer(restricted):
    net = layers.OutputLayer(SIZE, 20)
    net.initialize(Rule())
    net.hybridize()
    data = numbers((3, SIZE))
    found = {"output": signature(net(data, None))}
    if restricted:
        for ids in ([0, 3, 5, 19], [7, 8], [1, 1]):
            found[str(ids)] = signature(net(data, mx.nd.array(ids, dtype="int32")))
    return found


# Losses, schedules and small functions


def losses(kind):
    make, keywords, output, label = {
        "cross-entropy": (loss.CrossEntropyLoss, {"label_smoothing": 0.1}, "logits", "target_label"),
        "plain": (
            loss.CrossEntropyLossWithoutSoftmaxOutput, {"label_smoothing": 0.1, "num_labels": 9}, "logits", "target_label",
        ),
        "Poisson": (loss.PoissonLoss, {"weight": 0.5}, "length_ratio", "length_ratio_label"),
        "MSE": (loss.MSELoss, {"weight": 2.0}, "length_ratio", "length_ratio_label"),
    }[kind]  # fmt: skip
    net = make(**keywords, output_name=output, label_name=label)
    pred = numbers((2, 4, 9), 2) if output == "logits" else numbers((5,)) + 1.5
    labels = mx.nd.array([[1, 4, 8, 0], [3, 2, 0, 0]]) if output == "logits" else numbers((5,), 0.7) + 1
    pred.attach_grad()
    found = {}
    for stage in ("", " hybridized"):
        with mx.autograd.record():
            value, count = net({output: pred}, {label: labels})
        value.backward()
        net.metric.update(value.asscalar(), count.asscalar())
        found["loss" + stage] = signature(value, count, pred.grad)
        net.hybridize()
    return {**found, "metric": signature([net.metric.get()])}


def schedules():
    found = []
    for kind in ("inv-sqrt-decay", "linear-decay", "plateau-reduce"):
        one = lr_scheduler.get_lr_scheduler(kind, 1.0, 0.5, 2, 5, 30)
        one.base_lr = 0.01
        for step in range(1, 20):
            if kind == "plateau-reduce" and step > 10:
                one.new_evaluation_result(False)
            found.append(one(step))
    return {"rates": signature(found)}


def vocabularies():
    """Vocabularies of files, a lexicon of the most likely words, saved and read back."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("a b c a b a d\ne a b\n")
        words = vocab.build_from_paths([str(text)], num_words=6, min_count=1)
        vocab.vocab_to_json(words, f"{folder}/vocab.json")
        again = vocab.vocab_from_json(f"{folder}/vocab.json")
        assert vocab.are_identical(words, again)
        table = Path(folder) / "lexicon"
        table.write_text("a\ta\t-0.1\na\tb\t-0.7\nb\tc\t-0.2\nb\ta\t-2.0\nc\td\t-0.3\n")
        one = lexicon.TopKLexicon(words, again)
        one.create(str(table), k=2)
        one.save(f"{folder}/lexicon.npy")
        other = lexicon.TopKLexicon(words, again)
        other.load(f"{folder}/lexicon.npy", k=1)
    ids = data_io.tokens2ids(["a", "b", "x"], words)
    return {"ids": signature(ids, one.get_trg_ids(np.array(ids)), other.get_trg_ids(np.array(ids)))}


def clipped():
    arrays = [numbers((3, 4)), numbers((5,), 3)]
    return {"norm": signature([training.global_norm(arrays)])}


def sorted_states():
    """The parts of the search: scores of candidates, the best of them, states in their order."""
    scorer = beam_search.CandidateScorer(length_penalty_alpha=0.9, length_penalty_beta=1.0, brevity_penalty_weight=0.5)
    scores, size, wanted = (
        numbers((6, 1), 3),
        lengths(3, 4, 5, 2, 7, 6).reshape((6, 1)),
        lengths(*[5] * 6).reshape((6, 1)),
    )
    best = beam_search.TopK(3)
    update = beam_search.UpdateScores()
    found = {}
    for stage in ("", " hybridized"):
        for one in (scorer, best, update):
            one.initialize()
        rows, words, values = best(numbers((6, 9), 4), mx.nd.array([0, 0, 0, 3, 3, 3], dtype="int32"))
        found["scored" + stage] = signature(scorer(scores, size, wanted), scorer.unnormalize(scores, size, wanted))
        found["best" + stage] = signature(rows, words, values)
        for one in (scorer, best, update):
            one.hybridize()
    return found


# A whole model


def whole(vocabulary=14, **keywords):
    """A model whose source, target and output share their table, unless the keywords say otherwise."""
    statistics = data_io.DataStatistics(
        10, 0, 50, 50, 0, 0, 8, 8, vocabulary, vocabulary, 1.0, 0.1, [(LENGTH, LENGTH)], [10], [6]
    )
    settings = {name: keywords.pop(name) for name in ("weight_tying_type", "config_length_task") if name in keywords}
    of_data = data_io.DataConfig(statistics, LENGTH, LENGTH, 1, 1)
    table = encoder.EmbeddingConfig(vocab_size=vocabulary, num_embed=SIZE, dropout=0.0)
    return model.ModelConfig(
        config_data=of_data, vocab_source_size=vocabulary, vocab_target_size=vocabulary, config_embed_source=table,
        config_embed_target=table, config_encoder=configured(**keywords), config_decoder=configured(**keywords), **settings,
    )  # fmt: skip


BATCH = tokens((2, 6, 1)), lengths(6, 4), tokens((2, 5, 1)), lengths(5, 3)


def modelled(**keywords):
    net = model.SockeyeModel(whole(**keywords), prefix="m_")
    net.initialize(Rule())
    found = {}
    for stage in ("output", "hybridized"):
        found[stage] = signature(*net(*BATCH).values())
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    losses = []
    for _ in range(3):
        with mx.autograd.record():
            value, _ = loss.CrossEntropyLoss()(net(*BATCH), {"target_label": tokens((2, 5), 11)})
        value.backward()
        trainer.step(1, ignore_stale_grad=True)
        losses.append(value.asscalar())
    return {**found, "losses": signature(losses)}


def with_lengths():
    return modelled(config_length_task=layers.LengthRatioConfig(num_layers=1, weight=1.0))


def scored():
    """Given translations scored."""
    net = model.SockeyeModel(whole(), prefix="m_")
    net.initialize(Rule())
    scorer = scoring.BatchScorer(beam_search.CandidateScorer(1.0, 0.0, 0.0), constant_length_ratio=1.0)
    scorer.initialize()
    scorer.hybridize()
    label = mx.nd.array([[4, 5, 6, 3, 0], [7, 3, 0, 0, 0]])
    logits = net(*BATCH)["logits"]
    return {"scores": signature(scorer(logits, label, mx.nd.zeros(2), BATCH[1], BATCH[3]))}


def searched(beam, **keywords):
    """A model that is not trained, searched: with a beam, greedily, two models together, with words that are left out."""
    names = {f"w{number}": number + 4 for number in range(10)}
    words = {name: number for number, name in enumerate(constants.VOCAB_SYMBOLS)} | names
    models = []
    for prefix in keywords.pop("models", ["m_"]):
        models.append(model.SockeyeModel(whole(**keywords.get("settings", {})), inference_only=True, prefix=prefix))
        models[-1].initialize(Rule())
        if prefix != "m_":
            for one in models[-1].collect_params().values():
                if one.grad_req != "null" and one.shape[0] == 14:
                    one.set_data(mx.nd.array(drawn((*one.shape, 2))[..., 1]))
    keywords.pop("settings", None)
    greedy = keywords.get("greedy", False)
    if keywords.pop("avoid", False):
        keywords["avoid_list"] = avoided = str(Path(tempfile.mkdtemp()) / "avoided")
        Path(avoided).write_text("w3 w4\nw5\n")
    translator = inference.Translator(
        context=mx.cpu(), ensemble_mode="linear", scorer=beam_search.CandidateScorer(1.0, 0.0, 0.0),
        batch_size=1 if greedy else 2, beam_search_stop="all", models=models, source_vocabs=[words], target_vocabs=[words],
        beam_size=beam, constant_length_ratio=-1.0 if greedy else 0.0, **keywords,
    )  # fmt: skip
    sentences = ["w1 w2 w3", "w4 w5", "w9 w8 w7 w6 w5"]
    inputs = [inference.make_input_from_plain_string(number, one) for number, one in enumerate(sentences)]
    found = translator.translate(inputs)
    written = [[words[word] for word in one.tokens] + [0] for one in found]
    return {"words": signature(np.concatenate(written)), "scores": signature([one.score for one in found])}


def restricted_search():
    with tempfile.TemporaryDirectory() as folder:
        words = {name: number for number, name in enumerate([*constants.VOCAB_SYMBOLS, *(f"w{n}" for n in range(10))])}
        table = Path(folder) / "lexicon"
        table.write_text("".join(f"w{n}\tw{(n + k) % 10}\t{-0.1 - k}\n" for n in range(10) for k in range(4)))
        one = lexicon.TopKLexicon(words, words)
        one.create(str(table), k=3)
        return searched(3, restrict_lexicon=one)


# Digits whose reversal is learned


def files_of_digits(folder, count):
    state = np.random.RandomState(4)
    rows = [[str(one) for one in state.randint(0, 10, state.randint(3, 7))] for _ in range(count)]
    for name, texts in (("source", rows), ("target", [one[::-1] for one in rows])):
        Path(folder, name).write_text("".join(" ".join(one) + "\n" for one in texts))
    return [str(Path(folder, "source"))], [str(Path(folder, "target"))], rows


def reversal(updates, decoder_type="transformer", rate=0.005, learned=False):
    """Read, trained with the package's own loop, saved, loaded and decoded.

    After some hundred updates two packages have gone ways of their own: then what counts is that it is learned.
    """
    random.seed(2)
    np.random.seed(2)
    mx.random.seed(2)
    with tempfile.TemporaryDirectory() as folder:
        sources, targets, rows = files_of_digits(folder, 200)
        words = vocab.build_from_paths(sources, num_words=20)
        training_data, validation_data, of_data, _ = data_io.get_training_data_iters(
            sources=sources, targets=targets, validation_sources=sources, validation_targets=targets, source_vocabs=[words],
            target_vocabs=[words], source_vocab_paths=[None], target_vocab_paths=[None], shared_vocab=True, batch_size=32,
            batch_type="sentence", batch_num_devices=1, max_seq_len_source=8, max_seq_len_target=8, bucketing=False,
            bucket_width=8,
        )  # fmt: skip
        settings = whole(len(words), decoder_type=decoder_type)
        settings.config_data = of_data
        net = model.SockeyeModel(settings)
        net.initialize(Rule())
        net.hybridize()
        function = loss.CrossEntropyLoss()
        function.hybridize()
        own = training.TrainerConfig(
            output_dir=folder, early_stopping_metric="perplexity", max_params_files_to_keep=2, keep_initializations=False,
            max_params_files_to_cache=2, cache_strategy="best", cache_metric="perplexity", checkpoint_interval=updates,
            max_num_checkpoint_not_improved=9, checkpoint_improvement_threshold=0.0, max_updates=updates,
        )  # fmt: skip
        rates = {"learning_rate": rate, "rescale_grad": 1.0}
        chosen = optimizers.OptimizerConfig("adam", rates, "local", Rule(), "none", None)
        trainer = gluon.Trainer(net.collect_params(), "adam", dict(rates))
        loop = training.GluonEarlyStoppingTrainer(own, chosen, net, trainer, [function], [mx.cpu()], "float32")
        state = loop.fit(training_data, validation_data)
        vocab.save_source_vocabs([words], folder)
        vocab.save_target_vocabs([words], folder)
        models, source_words, target_words = model.load_models(mx.cpu(), [folder], inference_only=True)
        translator = inference.Translator(
            mx.cpu(),
            "linear",
            beam_search.CandidateScorer(1.0, 0.0, 0.0),
            8,
            "all",
            models,
            source_words,
            target_words,
            3,
        )
        inputs = [inference.make_input_from_plain_string(n, " ".join(row)) for n, row in enumerate(rows[:16])]
        found = translator.translate(inputs)
        right = sum(one.tokens == row[::-1] for one, row in zip(found, rows))
    if learned:
        return {"learned": signature([right >= 14, state.best_metric < 1.2])}
    return {
        "perplexity": signature([state.best_metric]),
        "scores": signature([one.score for one in found]),
        "right": signature([right]),
    }


PROGRAMS = {
    "encoder": (encoded,),
    "embedding": (embedded, ""),
    **{f"embedding, factors by {one}": (embedded, one) for one in ("sum", "average", "concat")},
    "decoder": (decoded,),
    "decoder, steps": (decoded, True),
    **{f"attention {one}": (attended, one) for one in ("self", "memory", "plain", "projected")},
    "LHUC": (lhuc,),
    "weight normalization": (weight_normalization,),
    "feed-forward": (feed_forward, "relu", False),
    "feed-forward swish, gated": (feed_forward, "swish1", True),
    "feed-forward gelu": (feed_forward, "gelu", False),
    "process": (processed, "rn"),
    "positions fixed": (positions, "fixed", False),
    "positions learned": (positions, "learned", True),
    "length ratio": (length_ratio,),
    "SSRU": (recurrent, False),
    "SSRU, a step": (recurrent, True),
    "causal mask": (causal,),
    "output layer": (output_layer, False),
    "output layer, restricted": (output_layer, True),
    **{f"loss {one}": (losses, one) for one in ("cross-entropy", "plain", "Poisson", "MSE")},
    "schedules": (schedules,),
    "vocabularies": (vocabularies,),
    "norm": (clipped,),
    "parts of the search": (sorted_states,),
    "model": (modelled,),
    "model with lengths": (with_lengths,),
    "scored": (scored,),
    "beam search": (searched, 4),
    "greedy search": (searched, 1),
    "restricted search": (restricted_search,),
    "reversal": (reversal, 20),
    "reversal learned": (reversal, 800, "transformer", 0.002, True),
}


def _more():
    """Programs whose settings are long."""
    wide = {
        "use_lhuc": True,
        "use_glu": True,
        "act_type": "swish1",
        "preprocess_sequence": "",
        "postprocess_sequence": "rn",
    }
    yield "encoder with LHUC, gates", (lambda: encoded(**wide),)
    yield "encoder with learned positions", (lambda: encoded(positional_embedding_type="learned"),)
    yield "decoder SSRU", (lambda: decoded(decoder_type="ssru_transformer"),)
    yield "decoder SSRU, steps", (lambda: decoded(True, decoder_type="ssru_transformer"),)
    yield "decoder with LHUC, gates", (lambda: decoded(**wide),)
    yield "model, nothing shared", (lambda: modelled(weight_tying_type="none"),)
    yield (
        "model SSRU, target shared",
        (lambda: modelled(weight_tying_type="trg_softmax", decoder_type="ssru_transformer"),),
    )
    yield "greedy search alone", (lambda: searched(1, greedy=True),)
    yield "search of two models", (lambda: searched(3, models=["m_", "o_"]),)
    yield "search with words left out", (lambda: searched(3, avoid=True),)
    yield "search SSRU", (lambda: searched(3, settings={"decoder_type": "ssru_transformer"}),)
    yield "reversal SSRU", (lambda: reversal(60, "ssru_transformer"),)


PROGRAMS |= dict(_more())
