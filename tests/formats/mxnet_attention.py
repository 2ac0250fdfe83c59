"""Nets of attention with masks and lengths that are written to MXNet's files, and calls."""

import numpy

from hybridize import np, npx
from hybridize.gluon import nn
from hybridize.gluon.model_zoo import text
from tests.formats.mxnet_control import Body, draw


def causal(x, attention):
    return attention(x, is_causal=True)


def limited(x, lengths, attention):
    return attention(x, valid_length=lengths)


def both(x, lengths, attention):
    return attention(x, valid_length=lengths, is_causal=True)


def masked(x, mask, attention):
    return attention(x, mask=mask)


def weighed(x, mask, attention):
    return attention(x, mask=mask.astype(bool), is_causal=True, need_weights=True)


def other(x, memory, lengths, attention):
    return attention(x, memory, valid_length=lengths)


def plain(q, k, v):
    return npx.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3)


def by_hand(x):
    """A mask as people write it."""
    scores = np.matmul(x, x.swapaxes(1, 2))
    time = x.shape[1]
    seen = np.arange(time)[:, None] >= np.arange(time)[None]
    return np.matmul(npx.softmax(np.where(seen, scores, -1e9)), x)


def decoded(x, memory, layer):
    return layer(x, memory)


def of_heads(size=8, heads=2, **more):
    return nn.MultiHeadAttention(size, heads, **more)


SEEN = numpy.random.default_rng(3).random((2, 1, 5, 5)) < 0.6
TOKENS = numpy.array([[1, 2, 3, 4], [4, 3, 2, 9]], "i4")
LENGTHS = numpy.array([3, 5], "i8")
ATTENTION = {
    "attention causal": (lambda: Body(causal, of_heads()), [(draw(2, 5, 8),)]),
    "attention limited": (lambda: Body(limited, of_heads()), [(draw(2, 5, 8), LENGTHS), (draw(2, 5, 8), LENGTHS * 0)]),
    "attention limited by floats": (lambda: Body(limited, of_heads()), [(draw(2, 5, 8), LENGTHS.astype("f4"))]),
    "attention both": (lambda: Body(both, of_heads()), [(draw(2, 5, 8), LENGTHS)]),
    "attention masked": (lambda: Body(masked, of_heads()), [(draw(2, 5, 8), SEEN), (draw(2, 5, 8), SEEN & False)]),
    "attention masked for all": (lambda: Body(masked, of_heads()), [(draw(2, 5, 8), SEEN[0, 0])]),
    "attention added": (
        lambda: Body(masked, of_heads()),
        [(draw(2, 5, 8), numpy.where(SEEN, draw(2, 1, 5, 5), -numpy.inf).astype("f4"))],
    ),
    "attention weighed": (lambda: Body(weighed, of_heads()), [(draw(2, 5, 8), SEEN.astype("f4"))]),
    "attention grouped": (lambda: Body(causal, of_heads(num_kv_heads=1)), [(draw(2, 5, 8),)]),
    "attention other": (lambda: Body(other, of_heads()), [(draw(2, 5, 8), draw(2, 7, 8), LENGTHS)]),
    "attention plain": (lambda: Body(plain), [(draw(2, 2, 3, 4), draw(2, 2, 3, 4, seed=1), draw(2, 2, 3, 4, seed=2))]),
    "attention by hand": (lambda: Body(by_hand), [(draw(2, 5, 8),)]),
    "attention rotary": (
        lambda: Body(causal, of_heads(rotary=nn.RotaryEmbedding())),
        [(draw(2, 5, 8),)],
    ),
    "encoder": (lambda: Body(limited, nn.TransformerEncoderLayer(8, 2, 16)), [(draw(2, 5, 8), LENGTHS)]),
    "decoder": (lambda: Body(decoded, nn.TransformerDecoderLayer(8, 2, 16)), [(draw(2, 5, 8), draw(2, 7, 8))]),
    "llama": (lambda: text.Llama(20, 16, 1, 4, num_kv_heads=2, hidden=32, max_length=12), [(TOKENS,)]),
    "gpt": (lambda: text.GPT(20, 16, 1, 2, hidden=32, max_length=12), [(TOKENS,)]),
}
