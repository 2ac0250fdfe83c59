"""Networks by hand: layers, attention, cells in Python loops."""

import math

import numpy

from hybridize import autograd, np, npx
from hybridize.gluon import nn


def randn(*shape, seed=0, scale=0.5):
    return np.array(scale * numpy.random.default_rng(seed).normal(size=shape), dtype="float32")


def mlp_with_lists_of_weights(hybridize):
    sizes = [4, 8, 8, 3]
    weights = [randn(m, n, seed=i) for i, (m, n) in enumerate(zip(sizes, sizes[1:]))]
    biases = [np.zeros(n) for n in sizes[1:]]

    @hybridize
    def forward(x):
        for i, (w, b) in enumerate(zip(weights, biases)):
            x = x @ w + b
            if i < len(weights) - 1:
                x = np.maximum(x, 0)
        return x

    out = forward(randn(5, 4))
    weights[0][:] = 0
    return out, forward(randn(5, 4))


def backpropagation_by_hand(hybridize):
    params = {"W1": randn(2, 4, seed=1), "b1": np.zeros(4), "W2": randn(4, 1, seed=2), "b2": np.zeros(1)}
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([[0.0], [1.0], [1.0], [0.0]])

    @hybridize
    def train_step(x, y, lr=0.5):
        z1 = x @ params["W1"] + params["b1"]
        a1 = np.tanh(z1)
        z2 = a1 @ params["W2"] + params["b2"]
        a2 = 1 / (1 + np.exp(-z2))
        dz2 = a2 - y
        grads = {}
        grads["W2"] = a1.T @ dz2
        grads["b2"] = dz2.sum(axis=0)
        dz1 = (dz2 @ params["W2"].T) * (1 - a1**2)
        grads["W1"] = x.T @ dz1
        grads["b1"] = dz1.sum(axis=0)
        for name in params:
            params[name] -= lr * grads[name]
        return np.mean((a2 - y) ** 2)

    costs = []
    for i in range(10):
        cost = train_step(x, y)
        if i % 3 == 0:
            costs.append(cost.item())
    return costs, params


def layers_as_objects(hybridize):
    class Linear:
        def __init__(self, n_in, n_out, seed):
            self.w = randn(n_in, n_out, seed=seed)
            self.b = np.zeros(n_out)

        def __call__(self, x):
            self.inp = x
            return x @ self.w + self.b

        def backward(self, grad):
            self.dw = self.inp.T @ grad
            self.db = grad.sum(axis=0)
            return grad @ self.w.T

    class ReLU:
        def __call__(self, x):
            self.mask = x > 0
            return x * self.mask

        def backward(self, grad):
            return grad * self.mask

    class Model:
        def __init__(self):
            self.layers = [Linear(3, 5, 0), ReLU(), Linear(5, 1, 1)]

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

        def backward(self, grad):
            for layer in reversed(self.layers):
                grad = layer.backward(grad)

    model = Model()

    @hybridize
    def step(x, y):
        diff = model(x) - y
        model.backward(2 * diff / len(x))
        for layer in model.layers:
            if isinstance(layer, Linear):
                layer.w -= 0.1 * layer.dw
                layer.b -= 0.1 * layer.db
        return (diff**2).mean()

    x, y = randn(6, 3), randn(6, 1, seed=5)
    return [step(x, y) for _ in range(4)], model.layers[0].w


def micrograd_values(hybridize):
    class Value:
        def __init__(self, data, children=(), op=""):
            self.data = data
            self.grad = 0.0
            self._backward = lambda: None
            self._prev = set(children)

        def __add__(self, other):
            out = Value(self.data + other.data, (self, other), "+")

            def _backward():
                self.grad += out.grad
                other.grad += out.grad

            out._backward = _backward
            return out

        def __mul__(self, other):
            out = Value(self.data * other.data, (self, other), "*")

            def _backward():
                self.grad += other.data * out.grad
                other.grad += self.data * out.grad

            out._backward = _backward
            return out

        def backward(self):
            topo, visited = [], set()

            def build(v):
                if v not in visited:
                    visited.add(v)
                    for child in v._prev:
                        build(child)
                    topo.append(v)

            build(self)
            self.grad = 1.0
            for v in reversed(topo):
                v._backward()

    @hybridize
    def gradients(a, b, c):
        va, vb, vc = Value(a), Value(b), Value(c)
        out = va * vb + vc * va
        out.backward()
        return out.data, va.grad, vb.grad, vc.grad

    return gradients(np.array(2.0), np.array(-3.0), np.array(10.0))


def dropout_by_hand(hybridize):
    def dropout_layer(x, dropout):
        assert 0 <= dropout <= 1
        if dropout == 1:
            return np.zeros_like(x)
        mask = np.random.uniform(0, 1, x.shape) > dropout
        return mask.astype("float32") * x / (1.0 - dropout)

    @hybridize
    def net(x, p):
        return dropout_layer(x, p)

    x = np.arange(16, dtype="float32").reshape(2, 8)
    return net(x, 0.0), net(x, 0.5), net(x, 1)


def batch_norm_by_hand(hybridize):
    running = {"mean": np.zeros(4), "var": np.ones(4)}
    gamma, beta = np.ones(4), np.zeros(4)

    def batch_norm(x, training, eps=1e-5, momentum=0.9):
        if not training:
            return gamma * (x - running["mean"]) / np.sqrt(running["var"] + eps) + beta
        mean = x.mean(axis=0)
        var = ((x - mean) ** 2).mean(axis=0)
        running["mean"] = momentum * running["mean"] + (1 - momentum) * mean
        running["var"] = momentum * running["var"] + (1 - momentum) * var
        return gamma * (x - mean) / np.sqrt(var + eps) + beta

    fast = hybridize(batch_norm)
    outs = [fast(randn(6, 4, seed=i), True).sum(axis=0) for i in range(3)]
    return outs, fast(randn(6, 4), False), running


def batch_norm_class(hybridize):
    def batch_norm(x, gamma, beta, moving_mean, moving_var, eps, momentum):
        if not autograd.is_training():
            x_hat = (x - moving_mean) / np.sqrt(moving_var + eps)
        else:
            mean = x.mean(axis=0)
            var = ((x - mean) ** 2).mean(axis=0)
            x_hat = (x - mean) / np.sqrt(var + eps)
            moving_mean = momentum * moving_mean + (1.0 - momentum) * mean
            moving_var = momentum * moving_var + (1.0 - momentum) * var
        return gamma * x_hat + beta, moving_mean, moving_var

    class BatchNorm(nn.HybridBlock):
        def __init__(self, num_features):
            super().__init__()
            self.gamma, self.beta = np.ones(num_features), np.zeros(num_features)
            self.moving_mean, self.moving_var = np.zeros(num_features), np.zeros(num_features)

        def forward(self, x):
            y, self.moving_mean, self.moving_var = batch_norm(
                x, self.gamma, self.beta, self.moving_mean, self.moving_var, eps=1e-12, momentum=0.9
            )
            return y

    layer = hybridize(BatchNorm(3))
    with autograd.record():
        first = layer(randn(5, 3))
        second = layer(randn(5, 3, seed=1))
    return first, second, layer(randn(5, 3)), layer.moving_mean


def layer_norm_and_residual(hybridize):
    def layer_norm(x, eps=1e-5):
        mean = x.mean(axis=-1, keepdims=True)
        variance = np.var(x, axis=-1, keepdims=True)
        return (x - mean) / np.sqrt(variance + eps)

    def gelu(x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    w1, w2 = randn(8, 16), randn(16, 8, seed=1)

    @hybridize
    def block(x):
        return x + gelu(layer_norm(x) @ w1) @ w2

    return block(randn(3, 8))


def attention_by_hand(hybridize):
    @hybridize
    def attention(q, k, v, mask=None):
        d_k = q.shape[-1]
        scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(d_k)
        if mask is not None:
            scores = np.where(mask == 0, -1e9, scores)
        weights = npx.softmax(scores, axis=-1)
        return weights @ v, weights

    q, k, v = (randn(2, 4, 8, seed=i) for i in range(3))
    return attention(q, k, v), attention(q, k, v, np.tril(np.ones((4, 4))))


def multi_head_attention(hybridize):
    class MultiHeadAttention(nn.HybridBlock):
        def __init__(self, d_model, heads):
            super().__init__()
            assert d_model % heads == 0
            self.heads = heads
            self.d_k = d_model // heads
            self.w_qkv = randn(d_model, 3 * d_model)
            self.w_out = randn(d_model, d_model, seed=1)
            self.attention_weights = None

        def split(self, x):
            b, t, _ = x.shape
            return x.reshape(b, t, self.heads, self.d_k).transpose(0, 2, 1, 3)

        def forward(self, x):
            q, k, v = np.split(x @ self.w_qkv, 3, axis=-1)
            q, k, v = map(self.split, (q, k, v))
            scores = np.einsum("bhqd,bhkd->bhqk", q, k) / self.d_k**0.5
            self.attention_weights = npx.softmax(scores, axis=-1)
            out = np.einsum("bhqk,bhkd->bhqd", self.attention_weights, v)
            b, h, t, d = out.shape
            return out.transpose(0, 2, 1, 3).reshape(b, t, h * d) @ self.w_out

    net = hybridize(MultiHeadAttention(8, 2))
    return net(randn(2, 5, 8)), net.attention_weights


def transformer_in_sixty_lines(hybridize):
    def gelu(x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    def softmax(x):
        exp_x = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return exp_x / np.sum(exp_x, axis=-1, keepdims=True)

    def layer_norm(x, g, b, eps=1e-5):
        mean = np.mean(x, axis=-1, keepdims=True)
        variance = np.var(x, axis=-1, keepdims=True)
        return g * (x - mean) / np.sqrt(variance + eps) + b

    def linear(x, w, b):
        return x @ w + b

    def ffn(x, c_fc, c_proj):
        return linear(gelu(linear(x, **c_fc)), **c_proj)

    def attention(q, k, v, mask):
        return softmax(q @ k.T / np.sqrt(q.shape[-1]) + mask) @ v

    def mha(x, c_attn, c_proj, n_head):
        x = linear(x, **c_attn)
        qkv = np.split(x, 3, axis=-1)
        qkv_heads = list(map(lambda x: np.split(x, n_head, axis=-1), qkv))
        causal_mask = (1 - np.tri(x.shape[0], dtype=x.dtype)) * -1e10
        out_heads = [attention(q, k, v, causal_mask) for q, k, v in zip(*qkv_heads)]
        return linear(np.hstack(out_heads), **c_proj)

    def transformer_block(x, mlp, attn, ln_1, ln_2, n_head):
        x = x + mha(layer_norm(x, **ln_1), **attn, n_head=n_head)
        return x + ffn(layer_norm(x, **ln_2), **mlp)

    def gpt2(inputs, wte, wpe, blocks, ln_f, n_head):
        x = wte[inputs] + wpe[range(len(inputs))]
        for block in blocks:
            x = transformer_block(x, **block, n_head=n_head)
        return layer_norm(x, **ln_f) @ wte.T

    def norm():
        return {"g": np.ones(8), "b": np.zeros(8)}

    def dense(m, n, seed):
        return {"w": randn(m, n, seed=seed), "b": np.zeros(n)}

    params = {
        "wte": randn(11, 8), "wpe": randn(6, 8, seed=1), "ln_f": norm(),
        "blocks": [
            {"mlp": {"c_fc": dense(8, 16, i), "c_proj": dense(16, 8, i + 1)},
             "attn": {"c_attn": dense(8, 24, i + 2), "c_proj": dense(8, 8, i + 3)}, "ln_1": norm(), "ln_2": norm()}
            for i in range(2)
        ],
    }  # fmt: skip

    def generate(inputs, params, n_head, n_tokens_to_generate):
        fast = hybridize(lambda tokens: gpt2(tokens, **params, n_head=n_head))
        for _ in range(n_tokens_to_generate):
            logits = fast(np.array(inputs, dtype="int32"))
            next_id = np.argmax(logits[-1])
            inputs.append(int(next_id))
        return inputs[len(inputs) - n_tokens_to_generate :]

    return generate([1, 5, 3], params, 2, 3)


def rnn_cell_in_a_loop(hybridize):
    w_xh, w_hh, b_h = randn(3, 5), randn(5, 5, seed=1), np.zeros(5)

    @hybridize
    def rnn(inputs, state):
        outputs = []
        for x in inputs:
            state = np.tanh(np.dot(x, w_xh) + np.dot(state, w_hh) + b_h)
            outputs.append(state)
        return np.stack(outputs), state

    return rnn(randn(4, 2, 3), np.zeros((2, 5)))


def character_rnn_from_scratch(hybridize):
    text = "hello world"
    chars = sorted(set(text))
    char_to_ix = {ch: i for i, ch in enumerate(chars)}
    vocab, hidden = len(chars), 8
    wxh, whh, why = randn(hidden, vocab), randn(hidden, hidden, seed=1), randn(vocab, hidden, seed=2)

    @hybridize
    def loss_fun(inputs, targets, hprev):
        xs, hs, ps = {}, {}, {}
        hs[-1] = hprev
        loss = 0
        for t in range(len(inputs)):
            xs[t] = np.zeros((vocab, 1))
            xs[t][inputs[t]] = 1
            hs[t] = np.tanh(wxh @ xs[t] + whh @ hs[t - 1])
            ys = why @ hs[t]
            ps[t] = np.exp(ys) / np.sum(np.exp(ys))
            loss += -np.log(ps[t][targets[t], 0])
        dwhy = np.zeros_like(why)
        for t in reversed(range(len(inputs))):
            dy = np.copy(ps[t])
            dy[targets[t]] -= 1
            dwhy += dy @ hs[t].T
        for dparam in [dwhy]:
            np.clip(dparam, -5, 5, out=dparam)
        return loss, dwhy, hs[len(inputs) - 1]

    inputs = [char_to_ix[ch] for ch in text[:5]]
    targets = [char_to_ix[ch] for ch in text[1:6]]
    return loss_fun(inputs, targets, np.zeros((hidden, 1)))


def lstm_by_hand(hybridize):
    def init_params(n_in, n_hidden):
        three = lambda i: (randn(n_in, n_hidden, seed=i), randn(n_hidden, n_hidden, seed=i + 1), np.zeros(n_hidden))
        return [p for i in range(0, 8, 2) for p in three(i)]

    params = init_params(3, 4)

    @hybridize
    def lstm(inputs, state):
        w_xi, w_hi, b_i, w_xf, w_hf, b_f, w_xo, w_ho, b_o, w_xc, w_hc, b_c = params
        (h, c) = state
        outputs = []
        for x in inputs:
            i = npx.sigmoid(np.dot(x, w_xi) + np.dot(h, w_hi) + b_i)
            f = npx.sigmoid(np.dot(x, w_xf) + np.dot(h, w_hf) + b_f)
            o = npx.sigmoid(np.dot(x, w_xo) + np.dot(h, w_ho) + b_o)
            c_tilda = np.tanh(np.dot(x, w_xc) + np.dot(h, w_hc) + b_c)
            c = f * c + i * c_tilda
            h = o * np.tanh(c)
            outputs.append(h)
        return np.concatenate(outputs, axis=0), (h, c)

    return lstm(randn(4, 2, 3), (np.zeros((2, 4)), np.zeros((2, 4))))


def gru_cell_class(hybridize):
    class GRUCell:
        def __init__(self, n_in, n_hidden):
            self.w = {gate: randn(n_in + n_hidden, n_hidden, seed=i) for i, gate in enumerate("zrh")}
            self.b = {gate: np.zeros(n_hidden) for gate in "zrh"}
            self.h = np.zeros((2, n_hidden))

        def gate(self, name, xh):
            return npx.sigmoid(xh @ self.w[name] + self.b[name])

        def __call__(self, x):
            xh = np.concatenate([x, self.h], axis=1)
            z, r = self.gate("z", xh), self.gate("r", xh)
            candidate = np.tanh(np.concatenate([x, r * self.h], axis=1) @ self.w["h"] + self.b["h"])
            self.h = (1 - z) * self.h + z * candidate
            return self.h

    cell = GRUCell(3, 4)
    step = hybridize(cell.__call__)
    return [step(randn(2, 3, seed=i)) for i in range(3)], cell.h


def recurrent_net_until_end_token(hybridize):
    embedding, w, v = randn(6, 4), randn(4, 4, seed=1), randn(4, 6, seed=2)

    @hybridize
    def decode(h, token, max_length):
        count = 0
        while count < max_length and token != 5:
            h = np.tanh(h @ w + embedding[token])
            token = np.argmax(h @ v)
            count = count + 1
        return token, count, h

    return decode(randn(4, seed=4), np.array(2, dtype="int64"), 8)


def autoencoder_with_tied_weights(hybridize):
    w = randn(6, 2)
    w.attach_grad()

    @hybridize
    def train(x):
        with autograd.record():
            code = np.tanh(x @ w)
            reconstruction = code @ w.T
            loss = ((x - reconstruction) ** 2).mean()
        loss.backward()
        w[:] = w - 0.1 * w.grad
        return loss, code

    x = randn(8, 6)
    return [train(x)[0] for _ in range(4)], w


def variational_autoencoder_loss(hybridize):
    w_mu, w_log = randn(4, 2), randn(4, 2, seed=1)

    @hybridize
    def elbo(x):
        mu, log_var = x @ w_mu, x @ w_log
        eps = np.random.normal(0, 1, mu.shape)
        z = mu + np.exp(0.5 * log_var) * eps
        kl = -0.5 * (1 + log_var - mu**2 - np.exp(log_var)).sum(axis=1)
        return z, kl.mean()

    return elbo(randn(5, 4))


def gan_steps(hybridize):
    g, d = np.array([0.5, 0.1]), np.array([0.3, 0.2])
    g.attach_grad()
    d.attach_grad()

    def bce(p, target):
        return -(target * np.log(p + 1e-7) + (1 - target) * np.log(1 - p + 1e-7)).mean()

    def generator(z):
        return g[0] * z + g[1]

    def discriminator(x):
        return npx.sigmoid(d[0] * x + d[1])

    @hybridize
    def update_d(real, z):
        with autograd.record():
            loss = bce(discriminator(real), 1.0) + bce(discriminator(generator(z)), 0.0)
        loss.backward()
        d[:] -= 0.1 * d.grad
        return loss

    @hybridize
    def update_g(z):
        with autograd.record():
            loss = bce(discriminator(generator(z)), 1.0)
        loss.backward()
        g[:] -= 0.1 * g.grad
        return loss

    log = {"d": [], "g": []}
    for i in range(3):
        log["d"].append(update_d(randn(8, seed=i) + 3, randn(8, seed=i + 10)))
        log["g"].append(update_g(randn(8, seed=i + 20)))
    return log, g, d


def word2vec_skip_gram(hybridize):
    corpus = "the quick brown fox jumps over the lazy dog".split()
    vocab = {w: i for i, w in enumerate(dict.fromkeys(corpus))}
    pairs = [
        (vocab[corpus[i]], vocab[corpus[j]]) for i in range(len(corpus)) for j in (i - 1, i + 1) if 0 <= j < len(corpus)
    ]
    centers, contexts = randn(len(vocab), 4), randn(len(vocab), 4, seed=1)
    centers.attach_grad()
    contexts.attach_grad()

    @hybridize
    def step(center, context, negatives):
        with autograd.record():
            v = centers[center]
            positive = np.log(npx.sigmoid((v * contexts[context]).sum(axis=1)))
            negative = np.log(npx.sigmoid(-np.einsum("bd,bnd->bn", v, contexts[negatives]))).sum(axis=1)
            loss = -(positive + negative).mean()
        loss.backward()
        for p in (centers, contexts):
            p -= 0.5 * p.grad
        return loss

    draw = numpy.random.default_rng(0)
    losses = []
    for start in range(0, 12, 4):
        batch = np.array(pairs[start : start + 4], dtype="int32")
        negatives = np.array(draw.integers(0, len(vocab), (4, 2)), dtype="int32")
        losses.append(step(batch[:, 0], batch[:, 1], negatives).item())
    return losses, centers


def mixture_of_experts_by_masks(hybridize):
    gate, experts = randn(4, 3), [randn(4, 4, seed=i) for i in range(3)]

    @hybridize
    def moe(x):
        probs = npx.softmax(x @ gate)
        choice = probs.argmax(axis=-1)
        out = np.zeros_like(x)
        load = []
        for i, expert in enumerate(experts):
            mask = choice == i
            out = out + np.where(mask[:, None], (x @ expert) * probs[:, i : i + 1], 0)
            load.append(mask.sum())
        return out, load

    return moe(randn(6, 4))


def mixture_of_experts_by_indexing(hybridize):
    gate, experts = randn(4, 2), [randn(4, 4, seed=i) for i in range(2)]

    @hybridize
    def moe(x):
        choice = (x @ gate).argmax(axis=-1)
        out = np.zeros_like(x)
        for i, expert in enumerate(experts):
            rows = choice == i
            out[rows] = x[rows] @ expert
        return out

    return moe(randn(6, 4))


def convolution_with_slices(hybridize):
    def corr2d(x, k):
        h, w = k.shape
        y = np.zeros((x.shape[0] - h + 1, x.shape[1] - w + 1))
        for i in range(y.shape[0]):
            for j in range(y.shape[1]):
                y[i, j] = (x[i : i + h, j : j + w] * k).sum()
        return y

    fast = hybridize(corr2d)
    return fast(np.arange(25, dtype="float32").reshape(5, 5), np.array([[0.0, 1.0], [2.0, 3.0]]))


def convolution_as_im2col(hybridize):
    @hybridize
    def conv(x, weight):
        n, c, h, w = x.shape
        f, _, kh, kw = weight.shape
        columns = np.stack(
            [x[:, :, i : i + h - kh + 1, j : j + w - kw + 1] for i in range(kh) for j in range(kw)], axis=2
        )
        columns = columns.reshape(n, c * kh * kw, -1)
        return (weight.reshape(f, -1) @ columns).reshape(n, f, h - kh + 1, w - kw + 1)

    return conv(randn(2, 3, 6, 6), randn(4, 3, 3, 3, seed=1))


def max_pooling(hybridize):
    def pool2d(x, pool_size, mode="max"):
        p_h, p_w = pool_size
        y = np.zeros((x.shape[0] - p_h + 1, x.shape[1] - p_w + 1))
        for i in range(y.shape[0]):
            for j in range(y.shape[1]):
                if mode == "max":
                    y[i, j] = x[i : i + p_h, j : j + p_w].max()
                elif mode == "avg":
                    y[i, j] = x[i : i + p_h, j : j + p_w].mean()
        return y

    fast = hybridize(pool2d)
    x = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
    return fast(x, (2, 2)), fast(x, (2, 2), "avg")


def triplet_loss_with_hard_mining(hybridize):
    @hybridize
    def loss(embeddings, labels, margin=0.2):
        d = ((embeddings[:, None] - embeddings[None]) ** 2).sum(-1)
        same = labels[:, None] == labels[None]
        hardest_positive = np.where(same, d, 0).max(axis=1)
        hardest_negative = np.where(same, d.max() + 1, d).min(axis=1)
        return np.maximum(hardest_positive - hardest_negative + margin, 0).mean()

    return loss(randn(6, 3), np.array([0, 0, 1, 1, 2, 2], dtype="int32"))


def residual_network_of_blocks(hybridize):
    class Residual(nn.HybridBlock):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.dense1 = nn.Dense(units, activation="relu")
            self.dense2 = nn.Dense(units)

        def forward(self, x):
            return npx.relu(x + self.dense2(self.dense1(x)))

    net = nn.HybridSequential()
    net.add(nn.Dense(8), Residual(8), Residual(8), nn.Dense(2))
    net.initialize()
    for i, p in enumerate(net.collect_params().values()):
        if p.shape and all(s > 0 for s in p.shape):
            p.set_data(randn(*p.shape, seed=i))
    net(randn(1, 4))
    for i, p in enumerate(net.collect_params().values()):
        p.set_data(randn(*p.shape, seed=i))
    hybridize(net)
    return net(randn(3, 4)), net(randn(5, 4))


def weights_shared_by_name(hybridize):
    registry = {}

    def get_parameter(name, shape):
        if name not in registry:
            registry[name] = randn(*shape, seed=len(registry))
        return registry[name]

    @hybridize
    def net(x):
        h = np.tanh(x @ get_parameter("encoder/w", (4, 4)))
        h = np.tanh(h @ get_parameter("encoder/w", (4, 4)))
        return h @ get_parameter("head/w", (4, 2))

    first = net(randn(2, 4))
    registry["head/w"] = np.ones((4, 2))
    return first, net(randn(2, 4)), sorted(registry)


def activations_recorded_by_name(hybridize):
    activations = {}

    def get_activation(name, x):
        activations[name] = x
        return x

    @hybridize
    def forward(x):
        x = get_activation("linear", x @ randn(3, 3))
        x = get_activation("relu", np.maximum(x, 0))
        return x.sum()

    total = forward(randn(2, 3))
    return total, {k: v.mean() for k, v in activations.items()}


PROGRAMS = [
    mlp_with_lists_of_weights, backpropagation_by_hand, layers_as_objects, micrograd_values, dropout_by_hand,
    batch_norm_by_hand, batch_norm_class, layer_norm_and_residual, attention_by_hand, multi_head_attention,
    transformer_in_sixty_lines, rnn_cell_in_a_loop, character_rnn_from_scratch, lstm_by_hand, gru_cell_class,
    recurrent_net_until_end_token, autoencoder_with_tied_weights, variational_autoencoder_loss, gan_steps,
    word2vec_skip_gram, mixture_of_experts_by_masks, mixture_of_experts_by_indexing, convolution_with_slices,
    convolution_as_im2col, max_pooling, triplet_loss_with_hard_mining, residual_network_of_blocks,
    weights_shared_by_name, activations_recorded_by_name,
]  # fmt: skip
