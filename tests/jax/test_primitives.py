"""Primitives in forms that the census does not have: dimension numbers, dilation, modes, and what gradients make."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import mlir

from hybridize import hybridize

sys.path.insert(0, str(Path(__file__).parent))
from comparing import assert_same


def normal(seed, *shape):
    return jax.random.normal(jax.random.PRNGKey(seed), shape)


x, y, z = normal(1, 3, 4), normal(2, 3, 4), normal(3, 2, 3, 4)
image, kernel = normal(4, 2, 8, 9, 3), normal(5, 3, 3, 3, 5)
line, taps = normal(6, 2, 6, 8), normal(7, 4, 3, 3)
i = jnp.array([0, 2, 1])
NHWC = ("NHWC", "HWIO", "NHWC")
NCH = ("NCH", "OIH", "NCH")
MODES = [lax.GatherScatterMode.CLIP, lax.GatherScatterMode.FILL_OR_DROP]


def square(f):
    return lambda *xs: (f(*xs) ** 2).sum()


def conv(*args, numbers=NHWC, **kwargs):
    return lambda a, b: lax.conv_general_dilated(a, b, *args, dimension_numbers=numbers, **kwargs)


def pool(init, fold, window, strides, padding, **kwargs):
    return lambda a: lax.reduce_window(a, init, fold, window, strides, padding, **kwargs)


def gathered(mode, slices, offset, collapsed, axes):
    numbers = lax.GatherDimensionNumbers(offset, collapsed, axes)
    return lambda a, at: lax.gather(a, at, numbers, slices, mode=mode)


def scattered(function, mode, window, inserted, axes):
    numbers = lax.ScatterDimensionNumbers(window, inserted, axes)
    return lambda a, at, u: function(a, at, u, numbers, mode=mode)


far = jnp.array([[1, 0], [2, 3], [-1, 9]])
LARGEST = -jnp.inf, lax.max
CASES = {
    "conv": (conv((2, 1), "SAME"), image, kernel),
    "conv nchw": (conv((1, 2), "VALID", numbers=("NCHW", "OIHW", "NHWC")), image.transpose(0, 3, 1, 2), kernel.transpose(3, 2, 0, 1)),
    "conv apart": (conv((1, 1), ((2, 3), (0, 1)), lhs_dilation=(2, 3), rhs_dilation=(2, 1)), image, kernel),
    "conv negative": (conv((1, 1), ((-1, 2), (1, -2))), image, kernel),
    "conv groups": (conv((1,), "SAME", numbers=NCH, feature_group_count=2), line, taps),
    "conv depthwise": (conv((1,), "SAME", numbers=NCH, feature_group_count=6), line, normal(1, 12, 1, 3)),
    "conv batches": (conv((1,), "SAME", numbers=NCH, batch_group_count=2), line, normal(1, 4, 6, 3)),
    "conv 3d": (conv((1, 1, 2), "SAME", numbers=("NCDHW", "OIDHW", "NCDHW")), normal(1, 1, 2, 4, 5, 6), normal(2, 3, 2, 2, 3, 2)),
    "conv pixels": (conv((), (), numbers=("NC", "IO", "NC")), x, normal(1, 4, 5)),
    "conv transposed": (lambda a, b: lax.conv_transpose(a, b, (2, 2), "SAME"), image, kernel),
    "conv gradient": (jax.grad(square(conv((2, 1), "SAME")), (0, 1)), image, kernel),
    "conv gradient of groups": (jax.grad(square(conv((2,), "SAME", numbers=NCH, feature_group_count=2)), (0, 1)), line, taps),
    "nearly largest": (lambda a: lax.approx_max_k(a, 2, reduction_dimension=0), x),
    "nearly smallest": (lambda a: lax.approx_min_k(a, 2), x),
    "max pool": (pool(*LARGEST, (1, 3, 2, 1), (1, 2, 2, 1), "SAME"), image),
    "max pool apart": (pool(*LARGEST, (2, 2), (1, 1), "VALID", window_dilation=(2, 1), base_dilation=(1, 2)), x),
    "max pool far padding": (pool(*LARGEST, (2, 2), (1, 1), ((3, 0), (0, 2))), x),
    "max pool gradient": (jax.grad(square(pool(*LARGEST, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"))), image),
    "min pool gradient": (jax.grad(square(pool(jnp.inf, lax.min, (2, 2), (1, 1), "SAME"))), x),
    "max pool forward": (lambda a: jax.jvp(pool(*LARGEST, (2, 2), (1, 1), "VALID"), (a,), (a * 2,)), x),
    "min pool of integers": (pool(100, lax.min, (2,), (2,), "VALID"), jnp.arange(8) % 5),
    "any pool": (pool(False, lax.bitwise_or, (2, 2), (1, 1), "VALID"), x > 1),
    "mean pool": (pool(0.0, lax.add, (1, 2, 3, 1), (1, 2, 1, 1), "SAME"), image),
    "mean pool gradient": (jax.grad(square(pool(0.0, lax.add, (2, 2), (1, 2), "SAME"))), x),
    "product pool": (pool(1.0, lax.mul, (2, 2), (1, 1), "VALID"), x),
    "pad between": (lambda a: lax.pad(a, 7.0, ((1, -1, 2), (0, 3, 0))), x),
    "pad gradient": (jax.grad(square(lambda a: lax.pad(a, 0.0, ((1, -1, 2), (-1, 3, 1))))), x),
    "slice gradient": (jax.grad(square(lambda a: a[1:, ::2])), x),
    "dynamic slice gradient": (jax.grad(square(lambda a, s: lax.dynamic_slice(a, (s[1], s[0]), (2, 2)))), x, i),
    "update of three axes": (lambda a, u, s: lax.dynamic_update_slice(a, u, (s[0], s[1], s[2])), z, z[:1, :2, :2], i),
    "integers": (lambda a, b: (a // b, a % b, lax.div(a, b), lax.rem(a, b), a >> 1, a << 2), jnp.arange(-4, 4), jnp.array([3, -2, 1, 5, -3, 2, 7, -7])),
    "integers by 0": (lambda a, b: [f(k(a), k(b)) for k in (jnp.int32, jnp.uint8, jnp.int8) for f in (jnp.floor_divide, jnp.remainder, lax.div, lax.rem)], jnp.array([5, -5, 0, 127, -128, 7]), jnp.array([0, 0, 0, 0, -1, 2])),
    "folds of nothing": (lambda a: [fold(a.astype(kind), 0) for kind in (jnp.float32, jnp.int32, jnp.uint8, bool) for fold in (lambda b, axis: jnp.max(b, axis, initial=0), lambda b, axis: lax.reduce_min_p.bind(b, axes=(axis,), out_sharding=None), jnp.sum, jnp.prod, jnp.any)] + [lax.reduce(a.astype(int), one, fold, (0,)) for one, fold in ((-1, lax.bitwise_and), (0, lax.bitwise_or), (0, lax.bitwise_xor))], x[:0]),
    "product of bools": (lambda a, b: ((a > 0) @ (b > 0).T, jnp.outer(a[0] > 0, b[0] > 0), jnp.dot(a[0] > 0, b[0] > 0)), x, y),
    "complex results twice": (lambda a: (a[0, 0] * 1j, a[0, 0] * 1j, jnp.fft.fft(a), jnp.fft.fft(a)), x),
    "sort by two": (lambda a, b: lax.sort((jnp.round(a), -b, a), num_keys=2), x, y),
    "sort bools": (lambda a: lax.sort((a > 0, a), num_keys=1, dimension=0), x),
    "sort gradient": (jax.grad(lambda a: (jnp.sort(a, 1) * jnp.arange(4.0)).sum()), x),
    "take gradient": (jax.grad(square(lambda a, n: a[n])), x, i),
    "indices that break their promise": (lambda a, n: (a[n], jax.grad(square(lambda b: b[n]))(a), jax.grad(square(lambda b: b[n, n]))(a), a.at[n].set(2.0, mode="promise_in_bounds"), jnp.arange(3.0)[jnp.array([5, -7])]), x, jnp.array([0, 2, -1, 7, -9, -5, 100000000])),
    "along axis gradient": (jax.grad(square(lambda a: jnp.take_along_axis(a, jnp.argsort(a, 1)[:, :2], 1))), x),
    "cumulative gradients": (jax.grad(lambda a: (jnp.cumsum(a, 1) * jnp.cumprod(a, 0)).sum() + lax.cummax(a, axis=1).sum()), x),
    "reductions gradient": (jax.grad(lambda a: a.max(1).sum() + a.prod() + a.min() + a.std()), x),
    "rows mapped": (jax.vmap(lambda r, s: (lax.dynamic_slice(r, (s,), (2,)), r[s], lax.dynamic_update_slice(r, r[:2], (s,)))), x, i),
    "updates mapped": (jax.vmap(lambda r, s: r.at[s].add(2.0).at[1:].set(0.0)), x, i),
    "matrices mapped": (jax.vmap(lambda a: jnp.linalg.solve(a @ a.T + 4 * jnp.eye(3), a[:, 0])), z),
    "branches mapped": (jax.vmap(lambda n, r: lax.switch(n, [jnp.sin, jnp.cos, lambda a: -a], r)), i, x),
    "loops mapped": (jax.vmap(lambda n, r: lax.fori_loop(0, n, lambda k, a: a * 2 + k, r)), i, x),
    "scan both ways": (lambda a: [lax.scan(lambda c, r: (c * 0.5 + r, c), a[0], a, reverse=back) for back in (False, True)], x),
    "scan of nothing": (lambda a: lax.scan(lambda c, _: (c + a, None), a, None, length=3), x),
    "scan in scan": (lambda a: lax.scan(lambda c, r: (lax.scan(lambda d, s: (d + s, d), c, r)[0], c), 0.0, a), x),
    "while with constants": (lambda a, b: lax.while_loop(lambda c: c[0].sum() < b.sum() + 40, lambda c: (c[0] * 2 + jnp.abs(b), c[1] + 1), (jnp.abs(a), 0)), x, y),
    "branch in loop": (lambda a: lax.fori_loop(0, 4, lambda k, c: lax.cond(k % 2 == 0, lambda d: d + k, lambda d: d * 2, c), a), x),
    "products": (lambda a, b: [lax.dot_general(a, b, (((2,), (2,)), ((0,), (0,)))), lax.dot_general(a, b, (((0, 2), (0, 2)), ((), ()))), lax.dot_general(a[0], b[0], (((), ()), ((), ())))], z, z + 1),
    "product of integers": (lambda a: lax.dot(a, a.T, preferred_element_type=jnp.int32), jnp.arange(12, dtype=jnp.int8).reshape(3, 4)),
    "product of short floats": (lambda a: lax.dot(a.astype(jnp.bfloat16), a.T.astype(jnp.bfloat16), preferred_element_type=jnp.float32), x),
    "gradient of a loop that is computed again": (jax.value_and_grad(lambda a: jax.checkpoint(lambda b: lax.scan(lambda c, r: (c * jnp.tanh(r), c), b[0], b)[0])(a).sum()), x),
    "series far out": (lambda a: [jax.vmap(g)(a) for f in (jax.scipy.special.i0e, jax.scipy.special.i1e) for g in (f, jax.grad(f))] + [jnp.i0(a), jax.scipy.special.digamma(a)], jnp.array([0.0, -0.0, 0.3, -7.9, 8.1, 88.0, -1e5, jnp.inf])),
    "small parts of a distribution": (lambda a: (jnp.log(jax.scipy.special.erfc(a)), jax.vmap(jax.grad(lambda b: jnp.log(jax.scipy.special.erfc(b))))(a), jax.scipy.special.ndtr(-a) * 1e15), jnp.array([-30.0, -1.0, 0.3, 2.0, 5.0, 8.5])),
    "series of short floats": (lambda a: (jax.scipy.special.gammainc(a, a[::-1]), jax.scipy.special.digamma(a)), jnp.array([0.5, 1.0, 2.5, 3.7], jnp.bfloat16)),
    "second gradient": (jax.grad(lambda a: jax.grad(lambda b: (jnp.tanh(b) ** 3).sum())(a)[0].sum()), x),
    "jacobians": (lambda a: (jax.jacfwd(jnp.sin)(a), jax.jacrev(lambda b: b * b.sum())(a)), x[0]),
    "complex numbers": (lambda a: (jnp.abs(a * (1 + 2j)), jnp.conj(a + 1j).imag, (1j * a).real), x),
    "bits": (lambda a: (lax.bitcast_convert_type(a, jnp.uint16), lax.bitcast_convert_type(lax.bitcast_convert_type(a, jnp.uint8), jnp.float32)), x),
    "not a number": (lambda a: (jnp.maximum(a, jnp.nan), jnp.sort(a / 0), jnp.argmax(jnp.sqrt(a), 1), jnp.clip(jnp.sqrt(a), 0, 1)), x),
    "roundings": (lambda a: (jnp.round(a * 2) / 2, lax.round(a * 2, lax.RoundingMethod.AWAY_FROM_ZERO), a.astype(jnp.int32), (a * 1e10).astype(jnp.int32), jnp.int32(300).astype(jnp.uint8)), x),
    "random by a loop": (lambda k: lax.fori_loop(0, 3, lambda n, s: (jax.random.split(s[0])[0], s[1] + jax.random.normal(s[0])), (k, 0.0)), jax.random.PRNGKey(3)),
    "keys mapped": (lambda k: jax.vmap(lambda c: jax.random.uniform(c, (2,)))(jax.random.split(k, 3)), jax.random.key(5)),
    "keys in a scan": (lambda k: lax.scan(lambda c, q: (c + jax.random.normal(q), None), 0.0, jax.random.split(k, 4))[0], jax.random.key(5)),
}  # fmt: skip
for number, mode in enumerate(MODES):
    CASES |= {
        f"gather points {number}": (gathered(mode, (1, 1), (), (0, 1), (0, 1)), x, far),
        f"gather windows {number}": (gathered(mode, (2, 3), (1, 2), (), (0, 1)), x, far),
        f"gather windows inside {number}": (gathered(mode, (2, 1), (0,), (1,), (1, 0)), x, far[:, ::-1]),
        f"gather one axis kept {number}": (gathered(mode, (1, 4), (0, 2), (), (0,)), x, far[:, :1]),
        f"scatter points {number}": (scattered(lax.scatter, mode, (), (0, 1), (0, 1)), x, far, y[0, :3]),
        f"scatter windows {number}": (
            scattered(lax.scatter_add, mode, (1, 2), (), (0, 1)),
            x,
            far,
            z[0, :3, :3, None] + z[0, 0, :2],
        ),
        f"scatter largest {number}": (scattered(lax.scatter_max, mode, (1,), (0,), (0,)), x, far[:, :1], y),
        f"scatter product {number}": (scattered(lax.scatter_mul, mode, (1,), (0,), (0,)), x, far[:2, :1], y[:2]),
    }


@pytest.mark.parametrize("name", CASES)
def test_primitive(name):
    function, *args = CASES[name]
    function = jax.jit(function)
    assert_same(hybridize(function)(*args), function(*args), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["conv", "conv nchw", "max pool", "mean pool", "conv transposed", "conv gradient"])
def test_images_of_other_sizes(name):
    function, _, *rest = CASES[name]
    function = jax.jit(function)
    fast = hybridize(function)
    # Of a gradient of "SAME", JAX itself gives a program for other sizes of batches only.
    shapes = [(n, 8, 9, 3) for n in (2, 3, 4)] if "gradient" in name else [(2, 8, 9, 3), (3, 10, 12, 3), (4, 16, 7, 3)]
    for number, (n, h, w, c) in enumerate(shapes):
        images = normal(number, n, c, h, w) if name == "conv nchw" else normal(number, n, h, w, c)
        assert_same(fast(images, *rest), function(images, *rest), rtol=1e-4, atol=1e-4)
    assert len(fast.programs()) == 2, [program.reason for program in fast.programs()]


def test_a_primitive_of_another_library():
    """Its own function is made of JAX's, and is what it computes."""
    swapped = Primitive("swapped_of_a_library")
    swapped.multiple_results = True
    swapped.def_impl(lambda a, b, *, times: [b * times, jnp.sin(a)])
    swapped.def_abstract_eval(lambda a, b, **_: [b, a])
    mlir.register_lowering(swapped, mlir.lower_fun(swapped.impl, multiple_results=True))
    function = jax.jit(lambda a: lax.scan(lambda c, r: (swapped.bind(c, r, times=2)[0], r), a[0], a))
    assert_same(hybridize(function)(x), function(x))
