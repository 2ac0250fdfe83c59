"""Functions as people write them in JAX: each with arguments for a batch size. They are data of the door's tests."""

import functools
import math
from collections import namedtuple

import jax
import jax.numpy as jnp
from jax import lax, random

PROGRAMS = {}
"""By name: a function, and one that makes its arguments for a batch size."""


def program(arguments):
    def add(function):
        PROGRAMS[function.__name__] = function, arguments
        return function

    return add


def normal(seed, *shape, scale=1.0):
    return scale * random.normal(random.PRNGKey(seed), shape)


# ------------------------------------------------------------------------------------------------ what DOORS §7 lists


def mlp_params():
    sizes = [6, 16, 8, 3]
    return [
        {"w": normal(n, a, b, scale=1 / math.sqrt(a)), "b": normal(n + 10, b, scale=0.1)}
        for n, (a, b) in enumerate(zip(sizes, sizes[1:]))
    ]


def mlp_forward(params, x):
    *hidden, last = params
    for layer in hidden:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ last["w"] + last["b"]


@program(lambda n: (mlp_params(), normal(1, n, 6)))
def mlp(params, x):
    return mlp_forward(params, x)


@program(lambda n: (normal(1, n, 5, 8), normal(2, n, 7, 8), normal(3, n, 7, 8)))
def attention(q, k, v):
    scores = jnp.einsum("bqd,bkd->bqk", q, k) / math.sqrt(q.shape[-1])
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(scores, axis=-1), v)


@program(lambda n: (normal(1, n, 6, 2, 4), normal(2, n, 6, 2, 4)))
def causal_attention(q, k):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k)
    mask = jnp.tril(jnp.ones((q.shape[1], k.shape[1]), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, k).reshape(q.shape[0], q.shape[1], -1)


def rnn_params():
    return {"ih": normal(1, 4, 5, scale=0.5), "hh": normal(2, 5, 5, scale=0.4), "b": normal(3, 5)}


def rnn_forward(p, xs):
    def step(h, x):
        h = jnp.tanh(x @ p["ih"] + h @ p["hh"] + p["b"])
        return h, h

    return lax.scan(step, jnp.zeros((xs.shape[1], 5)), xs)


@program(lambda n: (rnn_params(), normal(4, 7, n, 4)))
def rnn(p, xs):
    return rnn_forward(p, xs)


@program(lambda n: (normal(1, n) ** 2 + 0.1,))
def newton_root(x):
    def unfinished(state):
        step, y = state
        return (step < 30) & (jnp.max(jnp.abs(y * y - x)) > 1e-4)

    return lax.while_loop(unfinished, lambda s: (s[0] + 1, 0.5 * (s[1] + x / s[1])), (0, jnp.ones_like(x)))


@program(lambda n: (normal(1, n, 3),))
def conditional(x):
    return lax.cond(x.sum() > 0, lambda a: a * 2, lambda a: jnp.exp(-a), x)


@program(lambda n: (jnp.int32(n % 4), normal(1, n, 3)))
def several_branches(number, x):
    return lax.switch(number, [jnp.sin, jnp.cos, lambda a: a * 0, lambda a: jnp.cumsum(a, axis=1)], x)


@program(lambda n: (normal(1, n, 4), normal(2, 4, 4, scale=0.4)))
def powers_by_fori(x, w):
    return lax.fori_loop(0, 5, lambda i, y: jnp.tanh(y @ w) + i * 0.1, x)


@jax.custom_vjp
def clipped_gradient(x):
    return x**3


clipped_gradient.defvjp(lambda x: (x**3, x), lambda x, g: (jnp.clip(3 * x * x * g, -1, 1),))


@program(lambda n: (normal(1, n, 3),))
def own_gradient(x):
    return clipped_gradient(x), jax.grad(lambda x: clipped_gradient(x).sum())(x)


@program(lambda n: (mlp_params(), normal(1, n, 6), jnp.arange(n) % 3))
def gradient_of_loss(params, x, labels):
    def loss(params):
        logits = mlp_forward(params, x)
        return -jnp.mean(jnp.sum(jax.nn.one_hot(labels, 3) * jax.nn.log_softmax(logits), axis=1))

    return jax.value_and_grad(loss)(params)


@program(lambda n: (rnn_params(), normal(4, 7, n, 4)))
def gradient_of_scan(p, xs):
    return jax.grad(lambda p: (rnn_forward(p, xs)[0] ** 2).mean())(p)


@program(lambda n: (normal(1, n, 9, 8, 3), normal(2, 3, 3, 3, 5, scale=0.3)))
def convolution_and_pooling(x, kernel):
    y = lax.conv_general_dilated(x, kernel, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jax.nn.relu(y)
    return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@program(lambda n: (normal(1, n, 7, scale=3.0), normal(2, 7), normal(3, 7)))
def layer_norm(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * gain + bias


@program(lambda n: (random.PRNGKey(n), normal(1, n, 6)))
def dropout(key, x):
    keep = random.bernoulli(key, 0.7, x.shape)
    return jnp.where(keep, x / 0.7, 0)


@program(lambda n: (normal(1, n, 9),))
def largest(x):
    values, places = lax.top_k(x, 3)
    return values, places, jnp.take_along_axis(x, places[:, :1], axis=1)


@program(lambda n: (normal(1, n, 5), jnp.array([0, 2, 2]), normal(2, n, 3)))
def indexed_update(x, places, values):
    return x.at[:, places].add(values), x.at[0].set(1.0), x[:, ::2], x.at[:, 1:3].multiply(2.0)


@program(lambda n: (normal(1, n, 4), normal(2, n, 4)))
def mapped(x, y):
    return jax.vmap(lambda a, b: jnp.outer(a, b) @ (a - b))(x, y)


@jax.jit
def inner(x, scale=2.0):
    return jnp.sin(x) * scale


@program(lambda n: (normal(1, n, 3),))
def nested_jit(x):
    return inner(inner(x), scale=3.0) + jax.jit(lambda a: a.T)(x).sum()


@program(lambda n: (normal(1, n, 4), normal(2, n, 4)))
def contrastive(x, y):
    x, y = (a / jnp.linalg.norm(a, axis=-1, keepdims=True) for a in (x, y))
    logits = x @ y.T / 0.1
    return -jnp.diag(jax.nn.log_softmax(logits)).mean()


@program(lambda n: (normal(1, n, 3),))
def second_order(x):
    return jax.vmap(jax.hessian(lambda a: jnp.sum(jnp.tanh(a) ** 3)))(x), jax.jvp(jnp.sin, (x,), (x,))


# ----------------------------------------------------------------------------------------------- what strangers write

Adam = namedtuple("Adam", "step mean square")


def adam_start(params):
    zeros = jax.tree.map(jnp.zeros_like, params)
    return Adam(jnp.zeros((), jnp.int32), zeros, zeros)


def adam(params, grads, state, rate=1e-2, b1=0.9, b2=0.999, eps=1e-8):
    step = state.step + 1
    mean = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state.mean, grads)
    square = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, state.square, grads)
    scale = rate * jnp.sqrt(1 - b2**step) / (1 - b1**step)
    params = jax.tree.map(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + eps), params, mean, square)
    return params, Adam(step, mean, square)


def transformer_params(vocabulary=11, width=8, layers=2, length=6):
    keys = iter(random.split(random.PRNGKey(0), 40))
    dense = lambda a, b: random.normal(next(keys), (a, b)) / math.sqrt(a)
    block = lambda: {
        "qkv": dense(width, 3 * width), "out": dense(width, width), "up": dense(width, 4 * width),
        "down": dense(4 * width, width), "norm1": jnp.ones(width), "norm2": jnp.ones(width),
    }  # fmt: skip
    return {
        "embed": dense(vocabulary, width), "place": dense(length, width) * 0.1,
        "blocks": [block() for _ in range(layers)], "head": dense(width, vocabulary),
    }  # fmt: skip


def rms_norm(x, gain):
    return x * gain * lax.rsqrt(jnp.mean(jnp.square(x), axis=-1, keepdims=True) + 1e-6)


def transformer_forward(params, tokens, heads=2):
    batch, length = tokens.shape
    h = params["embed"][tokens] + params["place"][:length]
    mask = jnp.tril(jnp.ones((length, length), dtype=bool))
    for block in params["blocks"]:
        y = rms_norm(h, block["norm1"])
        q, k, v = jnp.split(y @ block["qkv"], 3, axis=-1)
        q, k, v = (a.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3) for a in (q, k, v))
        scores = q @ k.swapaxes(-1, -2) / jnp.sqrt(q.shape[-1])
        weights = jax.nn.softmax(jnp.where(mask, scores, jnp.finfo(scores.dtype).min), axis=-1)
        y = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, -1)
        h = h + y @ block["out"]
        h = h + jax.nn.gelu(rms_norm(h, block["norm2"]) @ block["up"]) @ block["down"]
    return h @ params["head"]


@program(lambda n: (transformer_params(), random.randint(random.PRNGKey(n), (n, 6), 0, 11)))
def transformer(params, tokens):
    return transformer_forward(params, tokens)


@program(
    lambda n: (transformer_params(), adam_start(transformer_params()), random.randint(random.PRNGKey(n), (n, 6), 0, 11))
)
def transformer_training_step(params, state, tokens):
    def loss(params):
        logits = transformer_forward(params, tokens[:, :-1])
        logs = jax.nn.log_softmax(logits)
        return -jnp.take_along_axis(logs, tokens[:, 1:, None], axis=-1).mean()

    value, grads = jax.value_and_grad(loss)(params)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(grads)))
    grads = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / norm), grads)
    params, state = adam(params, grads, state)
    return value, params, state


def cnn_params():
    return {
        "c1": normal(1, 3, 3, 1, 4, scale=0.4), "c2": normal(2, 3, 3, 4, 8, scale=0.2), "scale": jnp.ones(8),
        "shift": jnp.zeros(8), "w": normal(3, 4 * 8, 5, scale=0.2), "b": jnp.zeros(5),
    }  # fmt: skip


def cnn_forward(p, x):
    conv = functools.partial(lax.conv_general_dilated, dimension_numbers=("NHWC", "HWIO", "NHWC"), padding="SAME")
    pool = lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = pool(jax.nn.relu(conv(x, p["c1"], (1, 1))))
    x = conv(x, p["c2"], (1, 1))
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    x = pool(jax.nn.silu((x - mean) * lax.rsqrt(variance + 1e-5) * p["scale"] + p["shift"]))
    return x.reshape(x.shape[0], -1) @ p["w"] + p["b"], (mean, variance)


@program(lambda n: (cnn_params(), normal(7, n, 8, 8, 1), jnp.arange(n) % 5))
def cnn_training_step(params, images, labels):
    def loss(p):
        logits, statistics = cnn_forward(p, images)
        logs = jax.nn.log_softmax(logits)
        return -logs[jnp.arange(labels.shape[0]), labels].mean(), statistics

    (value, statistics), grads = jax.value_and_grad(loss, has_aux=True)(params)
    return value, statistics, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def lstm_params():
    return {"w": normal(1, 3 + 4, 16, scale=0.4), "b": normal(2, 16, scale=0.1), "head": normal(3, 4, 2)}


@program(lambda n: (lstm_params(), normal(4, n, 6, 3), normal(5, n, 2)))
def lstm_training_step(p, x, y):
    def forward(p):
        def cell(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ p["w"] + p["b"], 4, axis=-1)
            c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        start = (jnp.zeros((x.shape[0], 4)),) * 2
        (h, _), _ = lax.scan(cell, start, x.swapaxes(0, 1))
        return h @ p["head"]

    value, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p) - y) ** 2))(p)
    return value, jax.tree.map(lambda a, g: a - 0.05 * g, p, grads)


@program(lambda n: (random.PRNGKey(3), mlp_params(), normal(1, n, 5)))
def diffusion_step(key, params, x):
    """One step of training of a denoiser, and one of sampling."""
    betas = jnp.linspace(1e-4, 0.02, 50)
    alphas = jnp.cumprod(1 - betas)
    noise_key, time_key, sample_key = random.split(key, 3)
    noise = random.normal(noise_key, x.shape)
    time = random.randint(time_key, (x.shape[0],), 0, 50)
    level = alphas[time][:, None]
    noisy = jnp.sqrt(level) * x + jnp.sqrt(1 - level) * noise
    denoise = lambda p, a, t: jnp.pad(mlp_forward(p, jnp.concatenate([a, t[:, None] / 50.0], 1)), ((0, 0), (1, 1)))
    loss = lambda p: jnp.mean((denoise(p, noisy, time) - noise) ** 2)
    value, grads = jax.value_and_grad(loss)(params)
    guess = denoise(params, x, jnp.full((x.shape[0],), 10))
    mean = (x - betas[10] / jnp.sqrt(1 - alphas[10]) * guess) / jnp.sqrt(1 - betas[10])
    return value, grads, mean + jnp.sqrt(betas[10]) * random.normal(sample_key, x.shape)


@program(lambda n: (jnp.int32(n), normal(1, 4)))
def dynamic_bounds(count, x):
    return lax.fori_loop(0, count, lambda i, y: y + jnp.sin(y) / (i + 1), x)


@program(lambda n: (normal(1, n, 4),))
def map_of_rows(x):
    return lax.map(lambda row: jnp.where(row.sum() > 0, jnp.sort(row), row[::-1]), x)


@program(lambda n: (normal(1, 9, n), jax.nn.sigmoid(normal(2, 9, n))))
def linear_recurrence(x, decay):
    def combine(left, right):
        return left[0] * right[0], right[0] * left[1] + right[1]

    return lax.associative_scan(combine, (decay, x))


@program(lambda n: (normal(1, n, 3), random.PRNGKey(0)))
def kmeans(points, key):
    centres = points[:2] + 0.1 * random.normal(key, (2, 3))

    def step(centres, _):
        distances = jnp.sum((points[:, None] - centres) ** 2, -1)
        near = jax.nn.one_hot(jnp.argmin(distances, 1), 2)
        total = near.T @ points
        return total / jnp.maximum(near.sum(0)[:, None], 1), distances.min(1).sum()

    return lax.scan(step, centres, None, length=4)


@program(lambda n: (normal(1, n, 4), jnp.arange(2 * n) % n, (jnp.arange(2 * n) * 3 + 1) % n, normal(2, 4, 4)))
def graph_network(nodes, senders, receivers, w):
    messages = jax.nn.relu(nodes[senders] @ w)
    total = jax.ops.segment_sum(messages, receivers, nodes.shape[0])
    scores = (messages * nodes[receivers]).sum(-1)
    most = jax.ops.segment_max(scores, receivers, nodes.shape[0])
    return nodes + total, most


@program(lambda n: (normal(1, n, 2),))
def runge_kutta(x):
    field = lambda y: jnp.stack([y[:, 1], -jnp.sin(y[:, 0])], 1)

    def step(y, dt):
        k1 = field(y)
        k2 = field(y + dt / 2 * k1)
        k3 = field(y + dt / 2 * k2)
        k4 = field(y + dt * k3)
        return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y

    return lax.scan(step, x, jnp.full(6, 0.1))


@program(lambda n: (normal(1, 8, 2), jnp.eye(2) + 0.1 * normal(2, 2, 2), jnp.eye(2) * 0.3))
def kalman_filter(observations, a, noise):
    def step(state, z):
        x, p = a @ state[0], a @ state[1] @ a.T + 0.1 * jnp.eye(2)
        gain = jnp.linalg.solve((p + noise).T, p.T).T
        x = x + gain @ (z - x)
        return (x, p - gain @ p), x

    return lax.scan(step, (jnp.zeros(2), jnp.eye(2)), observations)


@program(lambda n: (normal(1, n, 5), normal(2, n, 5)))
def mixed_precision(x, y):
    h = (x.astype(jnp.bfloat16) @ y.astype(jnp.bfloat16).T).astype(jnp.float32)
    return jax.nn.softmax(h), jnp.float16(1.5) * x.astype(jnp.float16)


@program(lambda n: (normal(1, n, 7),))
def beam_step(logits):
    logs = jax.nn.log_softmax(logits)
    best, flat = lax.top_k(logs.reshape(-1), 3)
    return best, flat // logits.shape[1], flat % logits.shape[1]


@program(lambda n: (normal(1, n, 6), random.key(5)))
def reparametrized(x, key):
    mean, log_variance = jnp.split(x, 2, axis=1)
    z = mean + jnp.exp(0.5 * log_variance) * random.normal(key, mean.shape)
    kl = -0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance), axis=1)
    return z, kl.mean(), random.key_data(random.fold_in(key, 3))


@program(lambda n: (normal(1, n, 4, 6), jnp.arange(n) % 4))
def rematerialized(x, number):
    block = jax.checkpoint(lambda h: jnp.tanh(h @ h.swapaxes(-1, -2)) @ h)
    rows = jax.vmap(lambda a, i: lax.dynamic_index_in_dim(a, i, 0, keepdims=False))(x, number)
    return jax.grad(lambda h: (block(block(h)) ** 2).sum())(x), rows


@program(lambda n: ({"x": normal(1, n, 3), "more": (None, [normal(2, n)])},))
def trees(inputs):
    x, (_, [y]) = inputs["x"], inputs["more"]
    return {"sum": x.sum(0), "both": [x * y[:, None], None], "pair": (y, {"z": y[::-1]})}
