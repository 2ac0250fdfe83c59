"""More functions as people write them in JAX, of many kinds: each with its arguments. They are data of the door's tests."""

import jax
import jax.numpy as jnp
from jax import lax, random

PROGRAMS = {}
"""By name: a function and its arguments."""


def program(*arguments):
    def add(function):
        PROGRAMS[function.__name__] = function, arguments
        return function

    return add


def normal(seed, *shape):
    return random.normal(random.PRNGKey(seed), shape)


@program(normal(0, 2))
def ode(y):
    from jax.experimental.ode import odeint

    return odeint(lambda y, t: jnp.array([y[1], -jnp.sin(y[0])]), y, jnp.linspace(0.0, 1.0, 4))


@program(normal(0, 3))
def bfgs(x):
    import jax.scipy.optimize as o

    return o.minimize(lambda z: jnp.sum((z - 1) ** 2 * jnp.arange(1.0, 4.0)), x, method="BFGS").x


@program(normal(0, 4, 4), normal(1, 4))
def cg(a, b):
    return jax.scipy.sparse.linalg.cg(a @ a.T + 4 * jnp.eye(4), b)[0]


@program(normal(0, 4, 4), normal(1, 4))
def gmres(a, b):
    return jax.scipy.sparse.linalg.gmres(a + 5 * jnp.eye(4), b)[0]


@program(normal(0, 6, 2), normal(1, 6))
def gp(x, y):
    def nll(length):
        k = jnp.exp(-((x[:, None] - x) ** 2).sum(-1) / jnp.exp(length)) + 0.1 * jnp.eye(6)
        c = jnp.linalg.cholesky(k)
        a = jax.scipy.linalg.cho_solve((c, True), y)
        return 0.5 * y @ a + jnp.log(jnp.diag(c)).sum()

    return jax.value_and_grad(nll)(0.3)


@program(normal(0, 8, 4), normal(1, 4, 3), normal(2, 3, 4, 5))
def moe(x, g, w):
    s = jax.nn.softmax(x @ g)
    v, i = lax.top_k(s, 2)
    d = jax.nn.one_hot(i, 3) * v[..., None]
    y = jnp.einsum("nke,nd,edf->nf", d, x, w)
    return y, jnp.bincount(i.reshape(-1), length=3)


@program(normal(0, 2, 8), normal(1, 2, 5, 2, 8), normal(2, 2, 5, 2, 8), jnp.int32(3))
def kv_step(x, k, v, pos):
    q = x.reshape(2, 1, 8).repeat(2, 1)
    k = lax.dynamic_update_slice(k, q[:, None], (0, pos, 0, 0))
    v = lax.dynamic_update_slice(v, -q[:, None], (0, pos, 0, 0))
    s = jnp.einsum("bhd,blhd->bhl", q, k)
    s = jnp.where(jnp.arange(5) <= pos, s, -jnp.inf)
    return jnp.einsum("bhl,blhd->bhd", jax.nn.softmax(s), v), k, v


@program(normal(0, 2, 6, 8))
def rope(x):
    pos = jnp.arange(x.shape[1])[:, None]
    f = 1 / 10000 ** (jnp.arange(0, 8, 2) / 8)
    c, s = jnp.cos(pos * f), jnp.sin(pos * f)
    a, b = x[..., ::2], x[..., 1::2]
    return jnp.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)


@program(normal(0, 5), random.PRNGKey(3))
def generate(x, key):
    def cond(s):
        return (s[0] < 6) & (s[2] != 4)

    def body(s):
        i, k, t, buf = s
        k, q = random.split(k)
        t = random.categorical(q, x + i)
        return i + 1, k, t, buf.at[i].set(t)

    return lax.while_loop(cond, body, (0, key, jnp.int32(0), jnp.zeros(6, jnp.int32)))


@program(normal(0, 4, 3), normal(1, 4), normal(2, 4), jnp.array([0, 2, 1, 1]))
def ppo(logits, adv, old, act):
    def loss(length):
        lp = jnp.take_along_axis(jax.nn.log_softmax(length), act[:, None], 1)[:, 0]
        r = jnp.exp(lp - old)
        ent = -(jax.nn.softmax(length) * jax.nn.log_softmax(length)).sum(-1)
        return -jnp.minimum(r * adv, jnp.clip(r, 0.8, 1.2) * adv).mean() - 0.01 * ent.mean()

    return jax.value_and_grad(loss)(logits)


@program(normal(0, 7), normal(1, 7), jax.nn.sigmoid(normal(2, 7)))
def gae(r, v, d):
    def f(c, t):
        g, nv = c
        r, v, d = t
        e = r + 0.99 * nv * (1 - d) - v
        g = e + 0.99 * 0.95 * (1 - d) * g
        return (g, v), g

    return lax.scan(f, (0.0, 0.0), (r, v, d), reverse=True, unroll=2)[1]


@program(normal(0, 2, 16, 3), normal(1, 2, 3, 4))
def wavenet(x, k):
    y = lax.conv_general_dilated(x, k, (1,), ((2, 0),), rhs_dilation=(2,), dimension_numbers=("NWC", "WIO", "NWC"))
    return jnp.tanh(y[..., :2]) * jax.nn.sigmoid(y[..., 2:])


@program(normal(0, 4, 6), normal(1, 6))
def flow(x, w):
    a, b = jnp.split(x, 2, 1)
    s = jnp.tanh(a * w[:3])
    y = b * jnp.exp(s) + a
    return jnp.concatenate([a, y], 1), s.sum(1)


@program(normal(0, 3, 8, 8, 2))
def unet(x):
    d = lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
    u = jax.image.resize(d, (3, 8, 8, 2), "nearest")
    v = jnp.repeat(jnp.repeat(d, 2, 1), 2, 2)
    return jnp.concatenate([x, u, v], -1)


@program(normal(0, 5, 3), jnp.array([3, 5, 1, 2, 4]))
def masked_mean(x, length):
    m = jnp.arange(3)[None] < length[:, None]
    return (x * m).sum(1) / jnp.maximum(m.sum(1), 1)


@program(normal(0, 6, 4))
def svd_grad(x):
    return jax.grad(lambda a: jnp.linalg.svd(a, compute_uv=False).sum())(x)


@program(normal(0, 4, 4))
def eigh_grad(x):
    return jax.grad(lambda a: jnp.linalg.eigh(a @ a.T)[0].prod())(x)


@program(normal(0, 4, 4))
def inv_grad(x):
    return jax.grad(
        lambda a: (
            jnp.linalg.inv(a + 4 * jnp.eye(4)).sum() + jnp.linalg.slogdet(a + 4 * jnp.eye(4))[1] + jnp.linalg.norm(a)
        )
    )(x)


@program(normal(0, 5, 4))
def qr_grad(x):
    return jax.grad(lambda a: (jnp.linalg.qr(a)[1] ** 2).sum())(x)


@program(normal(0, 5, 4))
def qr_vals(x):
    return jnp.linalg.qr(x), jnp.linalg.qr(x, mode="complete")[1]


@program(normal(0, 3))
def root(x):
    return lax.custom_root(
        lambda y: y**3 - x,
        jnp.ones(3),
        lambda f, g: lax.fori_loop(0, 20, lambda i, y: y - f(y) / (3 * y * y + 1e-6), g),
        lambda g, y: y / g(jnp.ones_like(y)),
    )


@program(normal(0, 8))
def fft_filter(x):
    return jnp.fft.irfft(jnp.fft.rfft(x) * jnp.arange(5))


@program(normal(0, 3, 4))
def named(x):
    with jax.named_scope("a"):
        y = jnp.sin(x)
    return jax.named_call(jnp.cos, name="b")(y)


@program(normal(0, 3, 4))
def remat_policy(x):
    return jax.grad(
        lambda a: jax.checkpoint(lambda b: jnp.sin(b @ b.T).sum(), policy=jax.checkpoint_policies.dots_saveable)(a)
    )(x)


@program(normal(0, 3, 4), normal(1, 5, 4))
def vmap2(a, b):
    return jax.vmap(jax.vmap(lambda p, q: jnp.linalg.norm(p - q), (None, 0)), (0, None))(a, b)


@program(normal(0, 10))
def sortish(x):
    return (
        jnp.sort(x)[::-1],
        jnp.argsort(-x),
        jnp.median(x),
        jnp.percentile(x, jnp.array([10.0, 50.0])),
        jnp.unique(jnp.round(x), size=8, return_counts=True),
        jnp.searchsorted(jnp.sort(x), x),
        jnp.digitize(x, jnp.linspace(-1, 1, 4)),
    )


@program(normal(0, 3, 4))
def hvp(x):
    f = lambda a: (jnp.tanh(a) @ a.T).sum()
    return jax.jvp(jax.grad(f), (x,), (x,))[1], jax.vjp(f, x)[1](1.0)


@program(normal(0, 4))
def jacs(x):
    return jax.jacfwd(jax.jacrev(lambda a: jnp.cumprod(a)))(x), jax.linearize(jnp.sin, x)[1](x)


@program(jnp.arange(6), jnp.array(2))
def ints(a, k):
    return (
        a // k,
        a % k,
        a**k,
        a << k,
        jnp.left_shift(a, 1),
        jnp.bitwise_not(a),
        jnp.power(a, 2),
        jnp.gcd(a, k),
        (a * k).astype(jnp.int8),
        jnp.prod(a + 1),
        a.astype(bool).sum(),
        jnp.cumsum(a),
        a.mean(),
        jnp.argmax(a),
        jnp.clip(a, 1, 3),
        jnp.isin(a, jnp.array([1, 5])),
        a / k,
    )


@program(normal(0, 3, 4) > 0)
def bools(b):
    return (
        b.sum(),
        b.any(0),
        b.all(),
        ~b,
        b & b,
        b ^ b.T.T,
        jnp.where(b, 1, 2),
        b.astype(jnp.float32),
        jnp.logical_or(b, False),
        b.argmax(1),
        jnp.cumsum(b, 1),
        b.max(),
        jnp.sort(b, 1),
        jnp.nonzero(b, size=3),
        b.mean(),
        b[::-1],
        b.at[0].set(True),
        jnp.roll(b, 1),
        jnp.packbits(b),
    )


@program(normal(0, 3, 4).astype(jnp.bfloat16))
def bf(x):
    return (
        x.sum(),
        x @ x.T,
        jnp.exp(x),
        jax.nn.softmax(x),
        x.astype(jnp.float32),
        jnp.mean(x, 1),
        x * 2,
        x + jnp.float32(1),
        x.max(),
        jnp.sort(x, 1),
        x.at[0].add(1),
    )


@program(normal(0, 2, 3) + 1j * normal(1, 2, 3))
def cplx(z):
    return (
        z.real,
        jnp.abs(z),
        z * z,
        jnp.exp(z),
        z.sum(),
        z.conj().T @ z,
        jnp.angle(z),
        z / 2,
        jnp.sqrt(z),
        jnp.sin(z),
        z == z,
        z**2,
    )


@program(normal(0, 5))
def shapes0(x):
    return (
        x[:0],
        x[None, :, None],
        x[..., jnp.newaxis],
        jnp.zeros((0, 3)).sum(0),
        jnp.concatenate([x[:0], x]),
        x.reshape(5, 1, 1).squeeze(),
        jnp.ones(()),
        x[2],
        x[-1],
        x[jnp.array([], jnp.int32)],
        jnp.array([x[0], 2.0]),
        jnp.broadcast_arrays(x, x[:, None]),
    )


@program(normal(0, 4, 5))
def idx(x):
    i = jnp.array([0, 2])
    return (
        x[i],
        x[:, i],
        x[i, i],
        x[i[:, None], i],
        x[1, i],
        x[i, 1:3],
        x[..., -1],
        x[1:-1:2, ::-2],
        x[jnp.array([True, False, True, False]).nonzero(size=2)],
        x.at[i, i].set(0),
        x.at[1:3].mul(2),
        x.at[:, i].add(jnp.ones((4, 2))),
        x.at[0, 0].apply(jnp.sin),
        x.take(i, axis=1),
        jnp.take_along_axis(x, i[None], 1),
        x[i[0]],
        lax.dynamic_index_in_dim(x, i[1]),
        lax.dynamic_slice_in_dim(x, i[1], 2, 1),
        x.at[i].get(),
        jnp.diagonal(x),
        x.at[-1].min(0),
        jnp.insert(x, 1, 0.0, axis=1),
        jnp.delete(x, 0, axis=0),
    )
