"""Text: decoding, caches, tables, masks."""

import collections
import math

import numpy

from hybridize import np, npx

VOCABULARY = ["<pad>", "<eos>", "the", "cat", "sat", "down"]


def randn(*shape, seed=0):
    return np.array(numpy.random.default_rng(seed).normal(size=shape), dtype="float32")


def greedy_decoding_with_words(hybridize):
    embedding, out = randn(6, 4), randn(4, 6, seed=1)

    @hybridize
    def next_word(token):
        logits = np.tanh(embedding[token]) @ out
        return VOCABULARY[logits.argmax()]

    return [next_word(np.array(i, dtype="int32")) for i in range(4)]


def greedy_decoding_until_eos(hybridize):
    embedding, out = randn(6, 4), randn(4, 6, seed=1)

    @hybridize
    def decode(token, max_length):
        tokens = np.zeros(max_length, dtype="int64")
        length = 0
        for i in range(max_length):
            token = (np.tanh(embedding[token]) @ out).argmax()
            tokens[i] = token
            length = i + 1
            if token == 1:
                break
        return tokens, length

    return decode(np.array(2, dtype="int64"), 6)


def beam_search(hybridize):
    transition = npx.log_softmax(randn(5, 5))

    @hybridize
    def expand(tokens, scores):
        candidates = scores[:, None] + transition[tokens]
        flat = candidates.reshape(-1)
        best = np.argsort(-flat)[: len(tokens)]
        return best // 5, best % 5, flat[best]

    beams = [[0], [1], [2]]
    scores = np.zeros(3)
    for _ in range(3):
        last = np.array([b[-1] for b in beams], dtype="int32")
        origin, token, scores = expand(last, scores)
        beams = [beams[int(o)] + [int(t)] for o, t in zip(origin, token)]
    return beams, scores


def beam_search_with_heap_of_tuples(hybridize):
    transition = npx.log_softmax(randn(4, 4))

    @hybridize
    def beam_search(start, width, steps):
        beams = [(0.0, [start])]
        for _ in range(steps):
            candidates = []
            for score, path in beams:
                row = transition[path[-1]]
                for token in range(4):
                    candidates.append((score + row[token], path + [token]))
            candidates = sorted(candidates, key=lambda c: c[0], reverse=True)
            beams = candidates[:width]
        return beams

    return beam_search(0, 2, 2)


def cache_of_keys_as_dict(hybridize):
    w_q, w_k, w_v = (randn(4, 4, seed=i) for i in range(3))
    cache = {}

    @hybridize
    def attend(x):
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        if "k" in cache:
            k = np.concatenate([cache["k"], k], axis=0)
            v = np.concatenate([cache["v"], v], axis=0)
        cache["k"], cache["v"] = k, v
        return npx.softmax(q @ k.T / 2.0) @ v

    outputs = [attend(randn(1, 4, seed=10 + i)) for i in range(4)]
    return outputs, cache["k"].shape


def cache_of_keys_as_list(hybridize):
    class Attention:
        def __init__(self):
            self.w = randn(4, 4)
            self.past = []

        def __call__(self, x):
            self.past.append(x @ self.w)
            keys = np.stack(self.past)
            weights = npx.softmax(keys @ x)
            return weights @ keys

    layer = Attention()
    step = hybridize(lambda x: layer(x))
    return [step(randn(4, seed=i)) for i in range(3)], len(layer.past)


def cache_as_argument(hybridize):
    w = randn(4, 4)

    @hybridize
    def step(x, past):
        past = [*past, x @ w]
        keys = np.stack(past)
        return npx.softmax(keys @ x) @ keys, past

    past, outputs = [], []
    for i in range(3):
        y, past = step(randn(4, seed=i), past)
        outputs.append(y)
    return outputs, len(past)


def cache_of_fixed_size(hybridize):
    class Cache:
        def __init__(self, size, width):
            self.k = np.zeros((size, width))
            self.length = 0

        def update(self, k):
            self.k[self.length] = k
            self.length += 1
            return self.k, np.arange(len(self.k)) < self.length

    cache = Cache(4, 3)

    @hybridize
    def attend(x):
        keys, mask = cache.update(x)
        scores = np.where(mask, keys @ x, -1e9)
        return npx.softmax(scores) @ keys

    return [attend(randn(3, seed=i)) for i in range(3)], cache.length


def bigram_model_counts(hybridize):
    names = ["emma", "ava", "mia"]
    letters = "." + "".join(sorted(set("".join(names))))
    index = {c: i for i, c in enumerate(letters)}

    @hybridize
    def count(pairs):
        counts = np.zeros((len(letters), len(letters)))
        for first, second in pairs:
            counts[first, second] += 1
        probabilities = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
        return counts, -np.log(probabilities)

    pairs = [(index[a], index[b]) for n in names for a, b in zip("." + n, n + ".")]
    counts, nll = count(pairs)
    return counts, sum(float(nll[a, b]) for a, b in pairs) / len(pairs)


def sampling_with_temperature(hybridize):
    @hybridize
    def sample(logits, u, temperature=1.0, top_k=None):
        logits = logits / temperature
        if top_k is not None:
            threshold = np.sort(logits)[-top_k]
            logits = np.where(logits < threshold, -np.inf, logits)
        probs = npx.softmax(logits)
        return (np.cumsum(probs) < u).sum(), probs

    logits = randn(6)
    return sample(logits, 0.5), sample(logits, 0.9, 0.5), sample(logits, 0.5, top_k=2)


def top_p_sampling(hybridize):
    @hybridize
    def nucleus(logits, p):
        order = np.argsort(-logits)
        probs = npx.softmax(logits[order])
        keep = np.cumsum(probs) - probs < p
        kept = probs * keep
        return order, kept / kept.sum()

    return nucleus(randn(6), 0.7)


def sinusoidal_positions(hybridize):
    @hybridize
    def positional_encoding(length, width):
        position = np.arange(length).reshape(-1, 1)
        div = np.exp(np.arange(0, width, 2) * -(math.log(10000.0) / width))
        pe = np.zeros((length, width))
        pe[:, 0::2] = np.sin(position * div)
        pe[:, 1::2] = np.cos(position * div)
        return pe

    return positional_encoding(5, 6)


def rotary_embedding(hybridize):
    @hybridize
    def rope(x):
        t, d = x.shape
        theta = 1.0 / (100.0 ** (np.arange(0, d, 2) / d))
        angles = np.outer(np.arange(t), theta)
        cos, sin = np.cos(angles), np.sin(angles)
        x1, x2 = x[:, ::2], x[:, 1::2]
        return np.stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos], axis=-1).reshape(t, d)

    return rope(randn(4, 6))


def padding_masks(hybridize):
    @hybridize
    def masked_mean(tokens, embedding):
        mask = (tokens != 0).astype("float32")
        vectors = embedding[tokens]
        return (vectors * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)

    sentences = [[2, 3, 4], [2, 3], [5]]
    longest = max(len(s) for s in sentences)
    padded = np.array([s + [0] * (longest - len(s)) for s in sentences], dtype="int32")
    return masked_mean(padded, randn(6, 4))


def perplexity(hybridize):
    @hybridize
    def evaluate(logits, targets):
        log_probs = npx.log_softmax(logits)
        total, count = 0.0, 0
        for t in range(len(targets)):
            if targets[t] != 0:
                total -= log_probs[t, targets[t]]
                count += 1
        return np.exp(total / count), count

    return evaluate(randn(5, 6), np.array([1, 2, 0, 4, 5], dtype="int32"))


def ctc_collapse(hybridize):
    @hybridize
    def collapse(logits):
        best = logits.argmax(axis=1)
        keep = (best != 0) & (best != np.concatenate([np.array([-1]), best[:-1]]))
        return best[keep]

    return collapse(randn(8, 4))


def edit_distance(hybridize):
    @hybridize
    def distance(a, b):
        m, n = len(a), len(b)
        d = np.zeros((m + 1, n + 1), dtype="int32")
        d[:, 0] = np.arange(m + 1)
        d[0, :] = np.arange(n + 1)
        for i in range(1, m + 1):
            for j in range(1, n + 1):
                cost = 0 if a[i - 1] == b[j - 1] else 1
                d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
        return d[m, n]

    encode = lambda word: np.array([ord(c) for c in word], dtype="int32")
    return distance(encode("kitten"), encode("sitting"))


def vocabulary_lookup_with_unknown(hybridize):
    word_to_id = {w: i for i, w in enumerate(VOCABULARY)}
    embedding = randn(6, 3)

    @hybridize
    def encode(sentence):
        ids = [word_to_id.get(w, 0) for w in sentence.split()]
        return embedding[np.array(ids, dtype="int32")].mean(axis=0)

    return encode("the cat sat"), encode("the dog sat down")


def label_counts(hybridize):
    labels = ["neg", "pos"]
    seen = collections.Counter()

    @hybridize
    def classify(x):
        score = npx.sigmoid(x.sum())
        seen.update(["calls"])
        return "pos" if score > 0.5 else "neg"

    return [classify(randn(3, seed=i)) for i in range(4)], seen["calls"], labels


def cosine_similarity_of_words(hybridize):
    embedding = randn(6, 4)

    @hybridize
    def most_similar(word, k):
        v = embedding[word]
        cos = embedding @ v / (np.sqrt((embedding**2).sum(axis=1)) * np.sqrt((v**2).sum()))
        order = np.argsort(-cos)
        return [(VOCABULARY[int(i)], float(cos[i])) for i in order[1 : k + 1]]

    return most_similar(2, 2)


def sequence_loss_with_lengths(hybridize):
    @hybridize
    def loss(logits, targets, lengths):
        total = 0.0
        for i, length in enumerate(lengths):
            log_probs = npx.log_softmax(logits[i, :length])
            total = total - sum(log_probs[t, targets[i][t]] for t in range(length))
        return total / sum(lengths)

    return loss(randn(2, 4, 5), [[1, 2, 3], [4, 0]], [3, 2])


PROGRAMS = [
    greedy_decoding_with_words, greedy_decoding_until_eos, beam_search, beam_search_with_heap_of_tuples,
    cache_of_keys_as_dict, cache_of_keys_as_list, cache_as_argument, cache_of_fixed_size, bigram_model_counts,
    sampling_with_temperature, top_p_sampling, sinusoidal_positions, rotary_embedding, padding_masks, perplexity,
    ctc_collapse, edit_distance, vocabulary_lookup_with_unknown, label_counts, cosine_similarity_of_words,
    sequence_loss_with_lengths,
]  # fmt: skip
