"""Functions of torch on numbers inside programs: pointwise, reductions, creation, random. Values, dtypes, gradients.

In `make test` all of them stand in a few modules, each one program; torch's own samples of each are `long`.
"""

import math

import pytest
import torch

from hybridize.errors import HybridizeError
from hybridize.torch.traced import CannotCapture
from tests.torch.functions.door import door

X = torch.tensor([[0.3, 0.7, 0.2, 0.9], [0.5, 0.1, 0.8, 0.6], [0.4, 0.25, 0.35, 0.15]], dtype=torch.float64)
WIDE = torch.tensor([[0.0, 1.5, -2.5, math.nan], [math.inf, -math.inf, 3.0, -0.25], [2.0, 2.0, -7.0, 1e-3]])
NUMBERS = torch.tensor([[0, 1, -7, 9], [5, -3, 2, 64], [8, 8, -1, 3]])

POINTWISE = [
    torch.tanh, torch.exp, torch.log, torch.log1p, torch.log2, torch.log10, torch.expm1, torch.sqrt, torch.rsqrt, torch.sin,
    torch.cos, torch.tan, torch.sinh, torch.cosh, torch.erf, torch.erfc, torch.erfinv, torch.exp2, torch.reciprocal, torch.sinc,
    torch.asin, torch.acos, torch.atan, torch.asinh, torch.atanh, torch.sigmoid, torch.special.expit, torch.lgamma, torch.digamma,
    torch.special.psi, torch.special.entr, torch.special.ndtr, torch.special.ndtri, torch.special.erfcx,
    torch.special.log_ndtr, torch.i0, torch.special.i0e, torch.special.i1, torch.special.i1e, torch.logit, torch.square, torch.deg2rad,
    torch.rad2deg, torch.frac, torch.floor, torch.ceil, torch.trunc, torch.fix, torch.round, torch.sign, torch.sgn, torch.abs,
    torch.neg, torch.positive, torch.angle, torch.nan_to_num, torch.isnan, torch.isinf, torch.isfinite, torch.isposinf,
    torch.isneginf, torch.signbit, torch.logical_not, torch.conj,
    lambda x: torch.mvlgamma(x + 2, 3), lambda x: torch.polygamma(0, x), lambda x: torch.round(x * 100, decimals=1),
    lambda x: torch.round(x * 1000, decimals=-2), lambda x: x.clamp(0.2, 0.5), lambda x: x.clip(max=0.5),
    lambda x: torch.clamp(x, 0.9 - x, 0.7 + x), lambda x: x.clamp_min(0.35), lambda x: torch.lerp(x, x * x, 0.3),
    lambda x: torch.lerp(x, x * x, x), lambda x: torch.addcmul(x, x, x + 1, value=0.5), lambda x: torch.addcdiv(x, x, x + 1, value=2),
    lambda x: torch.nextafter(x, 1 - x), lambda x: torch.nextafter(x, x), lambda x: torch.hypot(x, 1 - x), lambda x: torch.xlogy(x, x + 1), lambda x: torch.special.xlog1py(2.0, x),
    lambda x: torch.where(x > 0.4, x, 0.0), lambda x: x.masked_fill(x > 0.4, -1), lambda x: torch.rsub(x, 2, alpha=3),
    lambda x: torch.copysign(x, 0.4 - x), lambda x: torch.logaddexp(x, 1 - x), lambda x: torch.logaddexp2(x, 1 - x),
    lambda x: torch.float_power(x, 2), lambda x: torch.heaviside(x.detach() - 0.5, x.detach()), lambda x: torch.ldexp(x, torch.tensor(3)),
    lambda x: torch.isclose(x, x + 1e-9), lambda x: x.true_divide(3), lambda x: x.detach() // 0.3, lambda x: 2 ** x, lambda x: x % 0.3,
    lambda x: torch.div(x, -0.2, rounding_mode="trunc"), lambda x: torch.fmax(x, 1 - x), lambda x: x.to(torch.float32),
    lambda x: x.to("cpu", torch.float16), lambda x: x.to(torch.zeros(1)), lambda x: x.type_as(torch.zeros(1, dtype=torch.int32)),
    lambda x: x.half().double(), lambda x: torch.fill(x, 3), lambda x: x.clone().zero_(), lambda x: (x * 2).copy_(x[0]),
    lambda x: x.mul(2).fill_(0.5), lambda x: x.mul(2).clamp_(0.5, 1), lambda x: x.mul(2).lerp_(x, 0.25),
    lambda x: torch.allclose(x, x + 1e-12), lambda x: torch.equal(x, x), lambda x: torch.equal(x, x[0]),
    lambda x: x.mul(2).fill_diagonal_(-math.inf).exp(), lambda x: x.repeat(3, 1).fill_diagonal_(0.5),
    lambda x: x.repeat(4, 1).fill_diagonal_(0.5, wrap=True), lambda x: x.mul(2).fill_diagonal_(3, True),
    lambda x: x[:1, :1, None].repeat(3, 3, 3).fill_diagonal_(2, wrap=True), lambda x: x.T.clone().fill_diagonal_(1),
]  # fmt: skip
INTEGERS = [
    torch.bitwise_not, torch.square, torch.sign, torch.neg, torch.abs, torch.floor, torch.isnan, torch.signbit, torch.sin,
    lambda x: x << 2, lambda x: x >> 1, lambda x: x << 70, lambda x: x >> 70, lambda x: x & 3, lambda x: x | 8, lambda x: x ^ 5,
    lambda x: torch.gcd(x, torch.tensor(6)), lambda x: torch.lcm(x, torch.tensor(6)), lambda x: x // 3, lambda x: x / 3,
    lambda x: torch.div(x, 3, rounding_mode="trunc"), lambda x: x % 4, lambda x: torch.fmod(x, 4), lambda x: x**2,
    lambda x: x.clamp(0, 5), lambda x: x.clamp(0.5, 5), lambda x: x.sum(), lambda x: x.prod(0), lambda x: x.cumsum(1),
    lambda x: x.max(), lambda x: x.max(1), lambda x: torch.median(x, 0).values, lambda x: x.any(0), lambda x: x.all(),
    lambda x: x.count_nonzero(0), lambda x: x.float().mean(), lambda x: x.bool().sum(), lambda x: x.to(torch.uint8).all(1),
    lambda x: x.clone().fill_diagonal_(-1.9), lambda x: torch.logical_xor(x, x > 1), lambda x: torch.masked_fill(x, x > 2, 7), lambda x: x.diff(),
]  # fmt: skip
REDUCTIONS = [
    lambda x: x.sum(), lambda x: x.sum(0), lambda x: torch.sum(x, axis=1, keepdims=True), lambda x: x.sum((0, -1), dtype=torch.float32),
    lambda x: x.mean(-1), lambda x: x.prod(), lambda x: x.prod(1, True), lambda x: x.amax(), lambda x: x.amin((0, 1)), lambda x: torch.aminmax(x, dim=1),
    lambda x: x.max(), lambda x: x.max(1), lambda x: torch.max(x, dim=0, keepdim=True), lambda x: torch.max(x, 1 - x), lambda x: x.min(0).indices,
    lambda x: x.argmax(), lambda x: x.argmin(1, keepdim=True), lambda x: (x > 0.2).any(), lambda x: (x > 0.2).all(1), lambda x: x.var(),
    lambda x: x.var(0, False), lambda x: x.std(1, correction=0), lambda x: x.std(unbiased=False), lambda x: torch.var_mean(x, 1),
    lambda x: torch.std_mean(x), lambda x: x.norm(), lambda x: x.norm(1, 0), lambda x: torch.linalg.vector_norm(x, 3, 1),
    lambda x: torch.linalg.vector_norm(x, math.inf), lambda x: torch.linalg.vector_norm(x, -2, 0), lambda x: torch.linalg.norm(x, "fro"),
    lambda x: torch.linalg.matrix_norm(x, 1), lambda x: torch.linalg.norm(x, -math.inf), lambda x: torch.dist(x, 1 - x, 1),
    lambda x: x.logsumexp(1), lambda x: torch.logsumexp(x, (0, 1), keepdim=True), lambda x: x.cumsum(1), lambda x: x.cumprod(0),
    lambda x: x.cummax(1), lambda x: x.cummin(0), lambda x: x.logcumsumexp(1), lambda x: x.nansum(), lambda x: x.nanmean(0),
    lambda x: x.count_nonzero(), lambda x: x.median(), lambda x: x.median(1), lambda x: x.nanmedian(0), lambda x: x.quantile(0.3),
    lambda x: torch.quantile(x, torch.tensor([0.2, 0.9], dtype=torch.float64), 1, keepdim=True), lambda x: torch.quantile(x, 0.5, 0, interpolation="nearest"),
    lambda x: x.nanquantile(0.7, 1), lambda x: x.diff(), lambda x: torch.diff(x, 2, 0, prepend=x[:1]), lambda x: torch.trapezoid(x, dx=0.5),
    lambda x: torch.trapz(x, x.cumsum(1)), lambda x: torch.cumulative_trapezoid(x, dim=0), lambda x: x.max().item(), lambda x: float(x.sum()),
]  # fmt: skip
CREATION = [
    lambda x: torch.zeros(len(x), 2), lambda x: torch.ones((2, x.shape[0]), dtype=torch.int32), lambda x: torch.full((2,), 7),
    lambda x: torch.full(x.shape, True), lambda x: torch.full((len(x),), x.shape[1] / 2), lambda x: torch.zeros_like(x), lambda x: torch.ones_like(x, dtype=torch.bool),
    lambda x: torch.full_like(x, 0.5), lambda x: x.new_zeros(2, 3), lambda x: x.new_ones((len(x),)), lambda x: x.new_full([2], 3), lambda x: x.new_tensor([1, 2]),
    lambda x: torch.arange(len(x)), lambda x: torch.arange(1, len(x) * 2, 2), lambda x: torch.arange(0.5, 3, 0.4, dtype=torch.float64), lambda x: torch.arange(5, 0, -2.0),
    lambda x: torch.arange(len(x), dtype=x.dtype), lambda x: torch.linspace(0, 1, 5), lambda x: torch.linspace(-1, 1, len(x), dtype=torch.float64),
    lambda x: torch.linspace(0, 10, 4, dtype=torch.int64), lambda x: torch.logspace(0, 2, 3, dtype=torch.float64), lambda x: torch.logspace(0, 3, 4, 2), lambda x: torch.eye(len(x)),
    lambda x: torch.eye(3, 2, dtype=torch.int64), lambda x: torch.tril_indices(3, 3), lambda x: torch.triu_indices(2, 4, 1), lambda x: torch.scalar_tensor(3),
    lambda x: torch.tensor([[1, 2], [3, 4]]), lambda x: torch.tensor(2.5, dtype=torch.float64), lambda x: torch.tensor([True, False]), lambda x: torch.tensor([]),
    lambda x: torch.tensor([x.shape[0], 2]), lambda x: torch.tensor([x.sum().item(), 1.0]), lambda x: torch.as_tensor(x, dtype=torch.float32), lambda x: torch.as_tensor([1.5, len(x)]),
    lambda x: torch.meshgrid(x[0], x[1] + 1, indexing="ij"), lambda x: torch.meshgrid([x[0], x[1]], indexing="xy"), lambda x: torch.hann_window(6),
    lambda x: torch.kaiser_window(5), lambda x: torch.empty(2, len(x)).fill_(1),
]  # fmt: skip


class Calls(torch.nn.Module):
    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, x):
        return [function(x) for function in self.functions]


def same(found, expected, what):
    if isinstance(expected, tuple):
        assert type(found) is type(expected), what
        for one, other in zip(found, expected, strict=True):
            same(one, other, what)
    elif not isinstance(expected, torch.Tensor):
        assert type(found) is type(expected) and found == pytest.approx(expected), what
    else:
        assert found.dtype == expected.dtype and found.shape == expected.shape, what
        assert found.requires_grad == expected.requires_grad, what
        bound = 1e-9 if found.dtype == torch.float64 else 1e-5
        assert torch.allclose(found, expected, bound, bound, equal_nan=True), (what, found, expected)


def total(results):
    tensors = [part for one in results for part in (one if isinstance(one, tuple) else (one,))]
    live = [x for x in tensors if isinstance(x, torch.Tensor) and x.requires_grad]
    if not live:
        return None
    return sum(
        (x.double() * torch.linspace(0.5, 1, x.numel(), dtype=torch.float64).reshape(x.shape)).sum() for x in live
    )


def check(functions, *tensors):
    module, fast = Calls(functions), door(Calls(functions))
    for tensor in tensors:
        ours, theirs = (tensor.detach().clone().requires_grad_(tensor.requires_grad) for _ in range(2))
        found, expected = fast.call((ours,), {}), module(theirs)
        for number, (one, other) in enumerate(zip(found, expected, strict=True)):
            same(one, other, number)
        if tensor.requires_grad:
            total(found).backward()
            total(expected).backward()
            assert torch.allclose(ours.grad, theirs.grad, 1e-7, 1e-7)


@pytest.mark.parametrize("functions", [POINTWISE, REDUCTIONS], ids=["pointwise", "reductions"])
def test_of_reals(functions):
    check(functions, X.clone().requires_grad_(), torch.cat([X, X * 0.47]).requires_grad_())


def test_at_the_ends_of_numbers():
    """NaN, infinity, ties, what is outside of a function's range; half precision where PyTorch has it."""
    check(
        [*POINTWISE[:57], torch.nansum, torch.nanmean, torch.median, torch.nanmedian, torch.amax, torch.max],
        WIDE.double(),
        WIDE,
    )
    check([torch.exp, torch.log, torch.erf, torch.floor, torch.sign, torch.sigmoid, torch.sum, torch.amax], WIDE.half())


def test_of_integers():
    check(INTEGERS, NUMBERS, torch.cat([NUMBERS, NUMBERS]))


def test_creation():
    check(CREATION, X, torch.cat([X, X]))


LABELS = torch.tensor([[1, 2, 2], [3, 1, 0], [4, 4, 0]])
ENDS = torch.tensor([0, 4, 8], dtype=torch.int32)


def _cut(x, *sizes):
    return x.detach().float().reshape(90)[: math.prod(sizes)].reshape(sizes)


COMPOSED = [
    *(
        lambda x, how=how, zero=zero, rest=rest: torch.nn.functional.ctc_loss(
            x.log_softmax(-1), *rest, reduction=how, zero_infinity=zero
        )
        for how, zero in (("none", False), ("mean", True), ("sum", True))
        for rest in ((LABELS, (6, 5, 6), (3, 2, 1)), (torch.tensor([1, 2, 2, 3, 1, 4]), (6, 5, 6), (3, 2, 1)),
                     (LABELS, torch.tensor([6, 6, 3]), torch.tensor([3, 2, 2])))
    ),
    lambda x: torch.nn.functional.ctc_loss(x[:, 0].log_softmax(-1), torch.tensor([1, 2]), (6,), (2,), blank=4),
    lambda x: torch.nn.functional.ctc_loss(x.log_softmax(-1), LABELS, (6, 6, 1), (0, 1, 2), zero_infinity=True),
    lambda x: torch.renorm(x, 2, 0, 0.7), lambda x: torch.renorm(x[0], 1, 1, 0.5), lambda x: torch.cov(x[0]), lambda x: torch.cov(x[0, 0]),
    lambda x: torch.cov(x[:, 0, :3], correction=0, fweights=torch.tensor([1, 2, 3])), lambda x: torch.corrcoef(x[1]), lambda x: torch.corrcoef(x[1, 1]),
    lambda x: torch.cov(x[:, 0, :2], fweights=torch.tensor([1, 2]), aweights=torch.tensor([0.3, 0.6], dtype=torch.float64)),
    lambda x: torch.linalg.pinv(x[0]), lambda x: torch.linalg.pinv(x[1, :, :3] @ x[1, :, :3].T, hermitian=True), lambda x: torch.linalg.norm(x[0], 2),
    lambda x: torch.nn.functional.grouped_mm(_cut(x, 8, 4), _cut(x, 3, 4, 4), offs=ENDS), lambda x: torch.nn.functional.grouped_mm(_cut(x, 4, 8), _cut(x, 8, 8), offs=ENDS),
    lambda x: torch.nn.functional.grouped_mm(_cut(x, 2, 4, 4), _cut(x, 4, 8), offs=ENDS[1:]), lambda x: torch.nn.functional.grouped_mm(_cut(x, 2, 4, 4), _cut(x, 2, 4, 4)),
]  # fmt: skip


def test_of_alignments_groups_and_covariances():
    x = torch.linspace(-2, 3, 90, dtype=torch.float64).sin().reshape(6, 3, 5).requires_grad_()
    check(COMPOSED, x)


class Draws(torch.nn.Module):
    def forward(self, x):
        return {
            "rand": torch.rand(len(x)), "uniform": torch.empty_like(x).uniform_(-2, 4), "randn": torch.randn_like(x),
            "normal": torch.normal(2.0, 3.0, (len(x),)), "normal_": torch.empty_like(x).normal_(1, 0.5),
            "exponential": torch.empty_like(x).exponential_(2.0), "bernoulli": torch.bernoulli(torch.full_like(x, 0.3)),
            "bernoulli_": torch.empty_like(x).bernoulli_(0.8), "randint": torch.randint(3, 9, (len(x),)),
            "randint_like": torch.randint_like(x, 5), "random": torch.empty_like(x).random_(10), "perm": torch.randperm(len(x)),
            "geometric": torch.empty_like(x).geometric_(0.25), "log_normal": torch.empty_like(x).log_normal_(0, 0.5),
            "cauchy": torch.empty_like(x).cauchy_(1, 2).median(),
            "multinomial": torch.multinomial(torch.tensor([1.0, 0.0, 3.0]).expand(1000, 3), 2),
        }  # fmt: skip


MEANS = {
    "rand": 0.5, "uniform": 1.0, "randn": 0.0, "normal": 2.0, "normal_": 1.0, "exponential": 0.5, "bernoulli": 0.3, "bernoulli_": 0.8,
    "randint": 5.5, "randint_like": 2.0, "random": 4.5, "geometric": 4.0, "log_normal": math.exp(0.125), "cauchy": 1.0,
}  # fmt: skip


def test_polygamma_of_each_order():
    x = torch.tensor(
        [-20.3, -3.25, -1.0, -0.7, -1e-3, 0.0, 1e-3, 0.3, 0.5, 1.0, 2.7, 9.0, 30.0, 1e4, -math.inf, math.nan]
    )
    finite = ~(x.isinf() | (x == x.round()) & (x <= 0))
    for dtype, tolerance in ((torch.float64, 1e-9), (torch.float32, 3e-4)):
        ours, theirs = (x.to(dtype).requires_grad_() for _ in range(2))
        found = door(lambda x: [torch.polygamma(n, x) for n in range(2, 7)] + [x.polygamma(1)]).call((ours,), {})
        expected = [torch.polygamma(n, theirs) for n in (*range(2, 7), 1)]
        for one, other in zip(found[:-1], expected[:-1], strict=True):
            torch.testing.assert_close(one, other, rtol=tolerance, atol=0, equal_nan=True)
        torch.testing.assert_close(found[-1][finite], expected[-1][finite], rtol=tolerance, atol=0, equal_nan=True)
        sum(one[finite].nan_to_num().sum() for one in found).backward()
        sum(one[finite].nan_to_num().sum() for one in expected).backward()
        torch.testing.assert_close(ours.grad[finite], theirs.grad[finite], rtol=10 * tolerance, atol=0, equal_nan=True)
    assert refused(lambda x: torch.polygamma(-1, x), X, RuntimeError)


@pytest.mark.parametrize("order", [1, 2, math.inf, "fro", "nuc", -1])
def test_norms_of_matrices_without_elements(order):
    for shape in ((0, 3), (3, 0), (2, 0, 3)):
        x = torch.zeros(shape)
        try:
            expected = torch.linalg.norm(x, order, (-2, -1), True), torch.linalg.matrix_norm(x, order)
        except Exception as error:  # of some orders there is none
            refused(lambda x: torch.linalg.matrix_norm(x, order), x, type(error))
        else:
            call = door(
                lambda x: (torch.linalg.norm(x, order, (-2, -1), True), torch.linalg.matrix_norm(x, order))
            ).call
            torch.testing.assert_close(call((x,), {}), expected)


def test_random_numbers_have_their_distributions():
    fast = door(Draws())
    for size in (40000, 50000):
        x = torch.zeros(size)
        torch.manual_seed(3)
        found, expected = fast.call((x,), {}), Draws()(x)
        for name, value in found.items():
            assert value.dtype == expected[name].dtype and value.shape == expected[name].shape, name
        for name, mean in MEANS.items():
            assert float(found[name].double().mean()) == pytest.approx(mean, abs=0.12), name
        assert found["perm"].sort().values.equal(torch.arange(size))
        assert found["randint"].min() == 3 and found["randint"].max() == 8
        assert (found["multinomial"] != 1).all()  # of weight 0
        assert (found["multinomial"].sum(1) == 2).all()  # each of the other two once
        assert float((found["multinomial"][:, 0] == 2).double().mean()) == pytest.approx(0.75, abs=0.06)
        torch.manual_seed(3)
        assert fast.call((x,), {})["rand"].equal(found["rand"])
        assert not fast.call((x,), {})["rand"].equal(found["rand"])


WHOLE = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_floats_beyond_integers_are_what_x86_makes_of_them(dtype):
    x = [300.0, -1.7, -300.0, 1e10, -1e10, 3e9, math.nan, math.inf, -math.inf, 1e19, 65000.0, -129.0, 2.0**31, 5e18]
    functions = [lambda x, to=to: x.to(to) for to in WHOLE]
    functions += [lambda x, to=to: torch.zeros(len(x), dtype=to).copy_(x) for to in WHOLE]
    functions += [
        lambda x, to=to: torch.zeros(len(x), dtype=to).index_put((torch.arange(len(x)),), x.to(to)) for to in WHOLE
    ]
    check(functions, torch.tensor(x, dtype=torch.float64).to(dtype))


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8])
def test_whole_numbers_are_not_divided_by_zero(dtype):
    x, functions = torch.tensor([1, 2, 0], dtype=dtype), (
        lambda x: x // x, lambda x: x % x, lambda x: x // 0, lambda x: x % 0, lambda x: 5 // x, lambda x: 5 % x,
        lambda x: torch.fmod(x, 0), lambda x: torch.div(x, x, rounding_mode="trunc"), lambda x: x // x[2],
    )  # fmt: skip
    for function in functions:
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            function(x)
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            door(Calls([function])).call((x,), {})


def test_constructors_by_class():
    names = [
        "Tensor",
        "FloatTensor",
        "DoubleTensor",
        "HalfTensor",
        "BFloat16Tensor",
        "LongTensor",
        "IntTensor",
        "ShortTensor",
        "ByteTensor",
    ]
    functions = [lambda x, name=name: getattr(torch, name)([[1, 2.5], [3, len(x)]]) for name in names]
    functions += [lambda x: torch.Tensor((3, 4)), lambda x: torch.Tensor(), lambda x: torch.Tensor(2, len(x)).shape]
    check(
        [
            *functions,
            lambda x: torch.Tensor(x.size()).shape,
            lambda x: torch.DoubleTensor(x),
            lambda x: torch.BoolTensor([1, 0]),
        ],
        X,
    )


def test_gradients_at_nan():
    n, inf = math.nan, math.inf
    x = torch.tensor(
        [[n, 1, 2, 3, 0, n, 1, 5], [1, n, 1, 2, n, n, 1, n], [2, 2, n, 1, n, 1, 1, 3]], dtype=torch.float64
    )
    functions = [
        lambda x: torch.clamp(x[0], x[1], x[2]), lambda x: torch.clamp(x[0], min=x[1]), lambda x: torch.clamp(x[0], max=x[1]),
        lambda x: torch.maximum(x[0], x[1]), lambda x: torch.minimum(x[0], x[1]), lambda x: torch.max(x[0], other=x[1]),
        lambda x: torch.clamp(x[0], min=n), lambda x: x[0].clamp(0, 2), lambda x: x[0].clamp(-inf, inf), lambda x: torch.logsumexp(x[:0], 0),
    ]  # fmt: skip
    for function in functions:
        ours, theirs = (x.clone().requires_grad_() for _ in range(2))
        found, expected = door(Calls([function])).call((ours,), {})[0], function(theirs)
        same(found, expected, function)
        found.backward(torch.ones_like(found))
        expected.backward(torch.ones_like(expected))
        assert torch.equal(ours.grad, theirs.grad), (ours.grad, theirs.grad)


def refused(function, x, error):
    with pytest.raises(CannotCapture) as raised:
        door(Calls([function])).call((x,), {})
    assert isinstance(raised.value.__cause__, error), raised.value.__cause__
    return str(raised.value.__cause__)


def test_what_programs_cannot_do_is_refused():
    generator = torch.Generator()
    for function, words in {
        (lambda x: torch.rand(3, generator=generator)): "generator",
        (lambda x: torch.where(torch.rand_like(x) > 0)): "torch.where(mask, x, other)",
        (lambda x: torch.zeros(2, device="meta")): "cpu",
        (lambda x: torch.zeros(2, dtype=torch.complex64)): "complex64",
        (lambda x: torch.igamma(x, x)): "igamma",
    }.items():
        assert words in refused(function, X, HybridizeError)


@pytest.mark.parametrize("number", range(9))
def test_errors_are_pytorchs(number):
    """The class of the error, and its first words."""
    function, x = [
        (lambda x: x + torch.zeros(5), X), (lambda x: x.sum(4), X), (lambda x: x.mean(), NUMBERS), (lambda x: -(x > 0), X),
        (lambda x: x.clamp(), X), (lambda x: x.var(), NUMBERS), (lambda x: x**-1, NUMBERS), (lambda x: x.sum((0, 0)), X),
        (lambda x: torch.arange(3, 1), X),
    ][number]  # fmt: skip
    with pytest.raises(Exception) as raised:  # whichever PyTorch has
        function(x)
    told = refused(function, x, type(raised.value))
    assert told.split()[:3] == str(raised.value).split()[:3]


NAMES = [
    "abs",
    "acos",
    "acosh",
    "add",
    "addcdiv",
    "addcmul",
    "all",
    "allclose",
    "amax",
    "amin",
    "aminmax",
    "angle",
    "any",
    "arange",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bernoulli",
    "bfloat16",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "byte",
    "cauchy",
    "ceil",
    "char",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clone",
    "conj",
    "conj_physical",
    "contiguous",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "deg2rad",
    "diff",
    "digamma",
    "dist",
    "div.floor_rounding",
    "div.no_rounding_mode",
    "div.trunc_rounding",
    "double",
    "empty",
    "empty_like",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "exponential",
    "eye",
    "fill",
    "float",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "full",
    "full_like",
    "gcd",
    "ge",
    "geometric",
    "gt",
    "half",
    "heaviside",
    "hypot",
    "i0",
    "int",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "item",
    "lcm",
    "ldexp",
    "le",
    "lerp",
    "lgamma",
    "linalg.vector_norm",
    "linspace",
    "linspace.tensor_overload",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_normal",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logspace",
    "logsumexp",
    "long",
    "lt",
    "masked_fill",
    "max.binary",
    "max.reduction_no_dim",
    "max.reduction_with_dim",
    "maximum",
    "mean",
    "median",
    "meshgrid.list_of_tensors",
    "meshgrid.variadic_tensors",
    "min.binary",
    "min.reduction_no_dim",
    "min.reduction_with_dim",
    "minimum",
    "mul",
    "multinomial",
    "mvlgamma.mvlgamma_p_3",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "ne",
    "neg",
    "new_empty",
    "new_full",
    "new_ones",
    "new_zeros",
    "norm",
    "norm.fro",
    "norm.inf",
    "normal",
    "normal.in_place",
    "normal.number_mean",
    "ones",
    "ones_like",
    "positive",
    "pow",
    "prod",
    "quantile",
    "rad2deg",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "round.decimals_3",
    "round.decimals_neg_3",
    "rsqrt",
    "rsub",
    "scalar_tensor",
    "sgn",
    "short",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "special.entr",
    "special.erfcx",
    "special.i0e",
    "special.i1",
    "special.i1e",
    "special.log_ndtr",
    "special.ndtr",
    "special.ndtri",
    "special.xlog1py",
    "sqrt",
    "square",
    "std",
    "std.unbiased",
    "std_mean",
    "sub",
    "sum",
    "tan",
    "tanh",
    "to",
    "trapezoid",
    "trapz",
    "tril_indices",
    "triu_indices",
    "true_divide",
    "trunc",
    "uniform",
    "var",
    "var.unbiased",
    "var_mean",
    "where",
    "xlogy",
    "zero_",
    "zeros",
    "zeros_like",
]


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_torchs_own_samples(name):
    from tests.torch.functions.opinfo import check as check_samples  # late: torch's samples take seconds to import

    outcome = check_samples(name, samples=12, seconds=30)
    assert outcome.right, str(outcome)
    assert not outcome.wrong, str(outcome)
