"""Calls of the PyTorch door's functions, for each dtype and kind of operand, with what eager PyTorch gives."""

import enum
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import torch

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.uint8)
DTYPES = (*FLOATS, *INTEGERS, torch.bool)
TOLERANCES = {torch.float64: 1e-9, torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}

OF_ONE = [
    "abs",
    "acos",
    "acosh",
    "angle",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bitwise_not",
    "ceil",
    "cos",
    "cosh",
    "deg2rad",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "frac",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_not",
    "logit",
    "nan_to_num",
    "neg",
    "positive",
    "rad2deg",
    "reciprocal",
    "relu",
    "round",
    "rsqrt",
    "sgn",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "special.entr",
    "special.ndtr",
    "special.ndtri",
    "special.erfcx",
    "special.log_ndtr",
    "special.i0e",
    "special.i1",
    "special.i1e",
    "i0",
    "special.expit",
    "F.relu6",
    "F.hardtanh",
    "F.gelu",
    "F.silu",
    "F.mish",
    "F.hardswish",
    "F.hardsigmoid",
    "F.selu",
    "F.elu",
    "F.celu",
    "F.leaky_relu",
    "F.softplus",
    "F.softsign",
    "F.softshrink",
    "F.hardshrink",
    "F.logsigmoid",
    "F.tanhshrink",
    "F.rrelu",
    "clone",
]
OF_TWO = [
    "add",
    "sub",
    "mul",
    "div",
    "floor_divide",
    "remainder",
    "fmod",
    "pow",
    "float_power",
    "minimum",
    "maximum",
    "fmin",
    "fmax",
    "nextafter",
    "atan2",
    "copysign",
    "hypot",
    "xlogy",
    "special.xlog1py",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "logical_and",
    "logical_or",
    "logical_xor",
    "ldexp",
    "logaddexp",
    "logaddexp2",
    "heaviside",
    "gcd",
    "lcm",
    "isclose",
    "rsub",
]
REDUCING = [
    "sum",
    "mean",
    "nansum",
    "nanmean",
    "prod",
    "count_nonzero",
    "any",
    "all",
    "amax",
    "amin",
    "aminmax",
    "max",
    "min",
    "argmax",
    "argmin",
    "var",
    "std",
    "var_mean",
    "std_mean",
    "median",
    "nanmedian",
    "logsumexp",
    "quantile",
    "nanquantile",
]
ALONG = ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "softmax", "log_softmax", "sort", "argsort"]


def function(name: str) -> Callable[..., Any]:
    """Return a function of torch by its name; `F.` is torch.nn.functional."""
    at: Any = torch.nn.functional if name.startswith("F.") else torch
    for part in name.removeprefix("F.").split("."):
        at = getattr(at, part)
    return at  # type: ignore[no-any-return]


def tensor(dtype: torch.dtype, number: int = 0, shape: tuple[int, ...] = (2, 3)) -> torch.Tensor:
    """Return small numbers of a dtype; no two calls of different numbers give the same, and none of the second is 0."""
    count = math.prod(shape)
    whole = [(3 * k + 5 * number + 1) % 7 + (number > 0) for k in range(count)]
    if dtype.is_floating_point:
        return (torch.tensor(whole, dtype=torch.float64) / 8 + 0.125).reshape(shape).to(dtype)
    return (
        torch.tensor(whole).reshape(shape).to(dtype)
        if dtype != torch.bool
        else (torch.tensor(whole).reshape(shape) % 2 == 0)
    )


def operands(dtype: torch.dtype, number: int) -> Iterator[tuple[str, Any]]:
    """Yield the kinds of operands of a dtype: tensors with and without axes, numbers of Python's and of NumPy's."""
    name = str(dtype)[6:]
    yield name, tensor(dtype, number)
    yield f"{name}[]", tensor(dtype, number, ()).clone()
    value = tensor(dtype, number, ()).item()
    if dtype in (torch.float32, torch.int64, torch.bool):
        yield f"Python {type(value).__name__}", value
    if dtype != torch.bfloat16:
        yield f"numpy {name}", getattr(numpy, name)(value)


class Case:
    """A call: a name, a function of tensors, and these."""

    def __init__(self, name: str, call: Callable[..., Any], *tensors: torch.Tensor) -> None:
        self.name, self.call, self.tensors = name, call, tensors


def of_one() -> Iterator[Case]:
    for name, dtype in itertools.product(OF_ONE, DTYPES):
        for shape in ((2, 3), ()):
            yield Case(f"{name}({str(dtype)[6:]}{list(shape) or '[]'})", function(name), tensor(dtype, 0, shape))


def of_two(names: Any = OF_TWO) -> Iterator[Case]:
    for name in names:
        called = function(name)
        for one, two in itertools.product(DTYPES, DTYPES):
            pairs = itertools.product(list(operands(one, 0))[:2], operands(two, 1))
            for (first, x), (second, y) in pairs:
                if isinstance(y, torch.Tensor):
                    yield Case(f"{name}({first}, {second})", called, x, y)
                else:
                    yield Case(f"{name}({first}, {second})", lambda x, y=y, called=called: called(x, y), x)
        for two in DTYPES:  # numbers first
            for (first, x), (second, y) in itertools.product(
                [pair for dtype in DTYPES for pair in list(operands(dtype, 0))[2:]], list(operands(two, 1))[:2]
            ):
                yield Case(f"{name}({first}, {second})", lambda y, x=x, called=called: called(x, y), y)


def reducing() -> Iterator[Case]:
    for name, dtype in itertools.product(REDUCING, DTYPES):
        called = function(name)
        first = (0.3,) if "quantile" in name else ()
        ways = [{}, {"dim": 1}, {"dim": -2, "keepdim": True}, {"dim": (0, 1)}]
        if name in ("sum", "mean", "nansum", "nanmean", "prod"):
            ways += [{"dtype": other} for other in DTYPES] + [{"dim": 0, "dtype": other} for other in DTYPES]
        for way in ways:
            text = ", ".join(f"{key}={value}" for key, value in way.items())
            for shape in ((2, 3), ()):
                y = tensor(dtype, 0, shape)
                yield Case(
                    f"{name}({str(dtype)[6:]}{list(shape)}, {text})",
                    lambda x, called=called, way=way, first=first: called(x, *first, **way), y,
                )  # fmt: skip
        for shape in ((0, 3),):
            for way in ({}, {"dim": 0}, {"dim": 1}):
                yield Case(
                    f"{name}({str(dtype)[6:]}{list(shape)}, {way})",
                    lambda x, called=called, way=way, first=first: called(x, *first, **way), torch.zeros(shape, dtype=dtype),
                )  # fmt: skip


def along() -> Iterator[Case]:
    for name, dtype in itertools.product(ALONG, DTYPES):
        called = function(name)
        for shape in ((2, 3), (), (0, 3)):
            ways = [{"dim": 0}, {"dim": -1}]
            if name in ("cumsum", "cumprod", "softmax", "log_softmax"):
                ways += [{"dim": 0, "dtype": other} for other in DTYPES]
            for way in ways:
                yield Case(
                    f"{name}({str(dtype)[6:]}{list(shape)}, {way})",
                    lambda x, called=called, way=way: called(x, **way), tensor(dtype, 0, shape),
                )  # fmt: skip


def _whole(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers)


SHAPED: dict[str, tuple[Any, ...]] = {
    "mm": ((2, 3), (3, 2)), "matmul": ((2, 3), (3, 2)), "bmm": ((1, 2, 3), (1, 3, 2)), "mv": ((2, 3), (3,)), "dot": ((3,), (3,)),
    "vdot": ((3,), (3,)), "inner": ((2, 3), (2, 3)), "outer": ((3,), (2,)), "ger": ((3,), (2,)), "linalg.vecdot": ((2, 3), (2, 3)),
    "addmm": ((2, 2), (2, 3), (3, 2)), "addmv": ((2,), (2, 3), (3,)), "addr": ((3, 2), (3,), (2,)), "baddbmm": ((1, 2, 2), (1, 2, 3), (1, 3, 2)),
    "addbmm": ((2, 2), (1, 2, 3), (1, 3, 2)), "chain_matmul": ((2, 3), (3, 2)), "linalg.multi_dot": ([(2, 3), (3, 2)],), "tensordot": ((2, 3), (3, 2), 1),
    "einsum": ("ij,jk->ik", (2, 3), (3, 2)), "kron": ((2, 2), (2, 2)), "F.linear": ((2, 3), (2, 3), (2,)), "F.bilinear": ((2, 3), (2, 2), (4, 3, 2), (4,)),
    "cdist": ((2, 3), (4, 3)), "F.pairwise_distance": ((2, 3), (2, 3)), "cosine_similarity": ((2, 3), (2, 3)), "dist": ((2, 3), (2, 3)),
    "cross": ((2, 3), (2, 3)), "linalg.cross": ((2, 3), (2, 3)), "lerp": ((2, 3), (2, 3), (2, 3)), "addcmul": ((2, 3), (2, 3), (2, 3)),
    "addcdiv": ((2, 3), (2, 3), (2, 3)), "clamp": ((2, 3), (2, 3), (2, 3)), "where": (torch.tensor([True, False, True]), (2, 3), (2, 3)),
    "masked_fill": ((2, 3), torch.tensor([True, False, True]), ()), "isin": ((2, 3), (3,)), "searchsorted": ((1,), (2, 3)), "bucketize": ((2, 3), (1,)),
    "cat": ([(2, 3), (1, 3)],), "stack": ([(2, 3), (2, 3)],), "hstack": ([(2, 3), (2, 3)],), "vstack": ([(2, 3), (2, 3)],), "dstack": ([(2, 3), (2, 3)],),
    "block_diag": ((2, 3), (2, 3)), "cartesian_prod": ((2,), (3,)), "take_along_dim": ((2, 3), torch.zeros(1, 3, dtype=torch.int64), 0),
    "index_add": ((2, 3), 0, _whole(0, 1), (2, 3)), "index_copy": ((2, 3), 0, _whole(0, 1), (2, 3)), "index_fill": ((2, 3), 0, _whole(0), ()),
    "index_put": ((2, 3), (_whole(0),), (3,)), "index_reduce": ((2, 3), 0, _whole(0, 1), (2, 3), "prod"), "scatter": ((2, 3), 0, _whole(0, 1).reshape(1, 2), (2, 3)),
    "scatter_add": ((2, 3), 0, _whole(0, 1).reshape(1, 2), (2, 3)), "scatter_reduce": ((2, 3), 0, _whole(0, 1).reshape(1, 2), (2, 3), "sum"),
    "select_scatter": ((2, 3), (3,), 0, 1), "slice_scatter": ((2, 3), (1, 3), 0, 0, 1), "diagonal_scatter": ((2, 3), (2,)),
    "masked_scatter": ((2, 3), torch.tensor([True, False, True]), (4,)), "Tensor.put": ((2, 3), _whole(0, 2), (2,)),
    "F.mse_loss": ((2, 3), (2, 3)), "F.l1_loss": ((2, 3), (2, 3)), "F.smooth_l1_loss": ((2, 3), (2, 3)), "F.huber_loss": ((2, 3), (2, 3)),
    "F.soft_margin_loss": ((2, 3), (2, 3)), "F.binary_cross_entropy": ((2, 3), (2, 3), (2, 3)), "F.binary_cross_entropy_with_logits": ((2, 3), (2, 3)),
    "F.kl_div": ((2, 3), (2, 3)), "F.poisson_nll_loss": ((2, 3), (2, 3)), "F.hinge_embedding_loss": ((2, 3), (2, 3)), "F.gaussian_nll_loss": ((2, 3), (2, 3), (2, 3)),
    "F.margin_ranking_loss": ((3,), (3,), (3,)), "F.cosine_embedding_loss": ((2, 3), (2, 3), (2,)), "F.triplet_margin_loss": ((2, 3), (2, 3), (2, 3)),
    "F.nll_loss": ((2, 3), _whole(0, 2), (3,)), "F.cross_entropy": ((2, 3), _whole(0, 2), (3,)), "F.multi_margin_loss": ((2, 3), _whole(0, 2), 1, 1.0, (3,)),
    "F.conv1d": ((1, 2, 4), (2, 2, 2), (2,)), "F.conv2d": ((1, 2, 4, 4), (2, 2, 2, 2), (2,)), "F.conv_transpose1d": ((1, 2, 4), (2, 2, 2), (2,)),
    "F.layer_norm": ((2, 3), (3,), (3,), (3,)), "F.rms_norm": ((2, 3), [3], (3,)), "F.group_norm": ((2, 4, 2), 2, (4,), (4,)), "F.prelu": ((2, 3), (3,)),
    "F.batch_norm": ((2, 3), (3,), (3,), (3,), (3,)), "F.instance_norm": ((2, 3, 4),), "F.embedding": (_whole(0, 1), (3, 2)),
    "F.scaled_dot_product_attention": ((1, 2, 3), (1, 4, 3), (1, 4, 3)), "trapezoid": ((3,), (3,)), "cumulative_trapezoid": ((3,), (3,)),
    "linalg.solve": ((2, 2), (2, 2)), "F.grid_sample": ((1, 1, 2, 2), (1, 2, 2, 2)), "diff": ((2, 3), 1, 0, (1, 3)), "quantile": ((2, 3), ()),
    "F.pad": ((2, 3), (1, 1)), "polygamma": (2, (2, 3)), "F.glu": ((2, 4),), "F.threshold": ((2, 3), 0.5, 1), "bincount": (_whole(0, 1), (2,)), "histc": ((2, 3),),
    "repeat_interleave": ((2, 3), 2), "F.avg_pool1d": ((1, 2, 4), 2), "F.max_pool1d": ((1, 2, 4), 2), "F.avg_pool2d": ((1, 1, 4, 4), 2), "F.max_pool2d": ((1, 1, 4, 4), 2),
    "F.adaptive_avg_pool2d": ((1, 1, 4, 4), 2), "F.interpolate": ((1, 1, 4, 4), 8), "topk": ((2, 3), 2), "kthvalue": ((2, 3), 2), "msort": ((2, 3),), "unique": ((2, 3),),
    "renorm": ((2, 3), 2, 0, 1.0), "trace": ((2, 3),), "tril": ((2, 3),), "det": ((2, 2),), "inverse": ((2, 2),), "linalg.cholesky": ((1, 1),),
    "linalg.vector_norm": ((2, 3),), "linalg.matrix_norm": ((2, 3),), "linalg.eigvalsh": ((2, 2),), "linalg.svdvals": ((2, 2),), "std": ((2, 3),), "F.normalize": ((2, 3),),
    "F.one_hot": (_whole(0, 1),), "F.unfold": ((1, 1, 3, 3), 2), "F.fold": ((1, 4, 4), 3, 2), "F.pixel_shuffle": ((1, 4, 2, 2), 2), "roll": ((2, 3), 1), "corrcoef": ((2, 3),), "cov": ((2, 3),),
}  # fmt: skip
"""Arguments: a tuple that stands alone is the sizes of a tensor, whose dtype is tried."""


def mixed(names: Any = None) -> Iterator[Case]:
    """Yield calls of tensors of one dtype, and of two: one of the tensors has another dtype."""
    for name in names or SHAPED:
        arguments = SHAPED[name]
        called = getattr(torch.Tensor, name[7:]) if name.startswith("Tensor.") else function(name)
        where = []
        for place, one in enumerate(arguments):
            if name == "F.layer_norm" and place == 1:
                continue
            parts = one if type(one) is list and one and type(one[0]) is tuple else [one]
            for part in parts:
                if type(part) is tuple and all(type(size) is int for size in part) and (name, place) != ("F.pad", 1):
                    where += [(place, part)]
        for dtype in DTYPES:
            for odd in range(-1, len(where) if len(where) > 1 else 0):
                for other in DTYPES:
                    if (odd < 0) != (other == dtype):
                        continue
                    tensors = [tensor(other if k == odd else dtype, k, shape) for k, (_, shape) in enumerate(where)]

                    def call(*tensors: torch.Tensor, called=called, arguments=arguments, where=where) -> Any:
                        given: list[Any] = list(arguments)
                        for (place, _), one in zip(where, tensors, strict=True):
                            if type(given[place]) is list:
                                given[place] = [x for x in given[place] if isinstance(x, torch.Tensor)] + [one]
                            else:
                                given[place] = one
                        return called(*given)

                    text = ", ".join(str(x.dtype)[6:] for x in tensors)
                    yield Case(f"{name}({text})", call, *tensors)


OPTIONAL: dict[str, tuple[Any, ...]] = {
    "inner of vectors": (torch.inner, (3,), (3,)), "inner of nothing": (torch.inner, (2, 0), (2, 0)), "inner with a number": (torch.inner, (), (3,)),
    "tensordot without sums": (lambda x, y: torch.tensordot(x, y, 0), (2, 3), (2,)), "tensordot of all": (lambda x, y: torch.tensordot(x, y, 2), (2, 3), (2, 3)),
    "tensordot of nothing": (lambda x, y: torch.tensordot(x, y, 1), (2, 0), (0, 3)), "bilinear of nothing": (torch.nn.functional.bilinear, (0, 3), (0, 2), (4, 3, 2), (4,)),
    "searchsorted of nothing": (torch.searchsorted, (3,), (0,)), "searchsorted of a bool": (lambda x: torch.searchsorted(x, True), (1,)),
    "searchsorted of a number": (lambda x: torch.searchsorted(x, 1), (1,)), "bucketize of a bool": (lambda x: torch.bucketize(True, x), (1,)),
    "kthvalue of a number": (lambda x: torch.kthvalue(x, 1), ()), "topk of a number": (lambda x: torch.topk(x, 1), ()), "trace of nothing": (torch.trace, (0, 3)),
    "cov of a number": (torch.cov, ()), "fold of nothing": (lambda x: torch.nn.functional.fold(x, 3, 2), (0, 4, 4)),
    "histc of ends": (lambda x: torch.histc(x, 5, 1, 4), (2, 3)), "histc of equal ends": (lambda x: torch.histc(x, 5, 2, 2), (2, 3)), "histc of one": (torch.histc, (1,)),
    "histc of nothing": (torch.histc, (0,)), "histc of wrong ends": (lambda x: torch.histc(x, 5, 4, 1), (2, 3)),
    **{f"conv{rank}d, {options}": (
        lambda *xs, rank=rank, options=options: getattr(torch.nn.functional, f"conv{rank}d")(*xs, **options),
        (1, 2, *(4,) * rank), (2, 2, *(2,) * rank), (2,),
    ) for rank in (1, 2, 3) for options in ({}, {"dilation": 2}, {"stride": 2, "padding": 1})},
    **{f"conv_transpose{rank}d, {options}": (
        lambda *xs, rank=rank, options=options: getattr(torch.nn.functional, f"conv_transpose{rank}d")(*xs, **options),
        (1, 2, *(3,) * rank), (2, 2, *(2,) * rank),
    ) for rank in (1, 2, 3) for options in ({}, {"dilation": 2}, {"stride": 2, "padding": 1})},
    **{f"{name}{rank}d, {options}": (
        lambda x, name=name, rank=rank, options=options: getattr(torch.nn.functional, f"{name}{rank}d")(-x, 2, **options),
        (1, 2, *(5,) * rank),
    ) for name in ("avg_pool", "max_pool") for rank in (1, 2, 3) for options in ({}, {"padding": 1}, {"ceil_mode": True}, {"stride": 1})},
    **{f"avg_pool{rank}d, {options}": (
        lambda x, rank=rank, options=options: getattr(torch.nn.functional, f"avg_pool{rank}d")(-x, 2, **options), (1, 2, *(5,) * rank),
    ) for rank in (2, 3) for options in ({"padding": 1, "count_include_pad": False}, {"divisor_override": 3}, {"divisor_override": -3})},
}  # fmt: skip
"""Calls with options, or of sizes, that decide which dtypes PyTorch has kernels for; the sizes of their tensors follow."""


def optional() -> Iterator[Case]:
    for (name, (called, *shapes)), dtype in itertools.product(OPTIONAL.items(), DTYPES):
        yield Case(f"{name} ({str(dtype)[6:]})", called, *(tensor(dtype, k, shape) for k, shape in enumerate(shapes)))


SUBSCRIPTS = """
ij->ji=23 ij->i=23 ij->i=21 ij->i=20 ij->=23 ii->i=22 ii=22 i,j->ij=2,3 ij,ij->ij=23,23 ij,ij->i=23,23 i,i->=3,3 i,i->=0,0 ij,k->ik=23,2
ij,jk->ik=23,34 ij,jk->ik=20,03 ij,jk->ik=21,13 ij,jk->ik=03,32 ij,jk->ik=21,32 i,j,k->ijk=2,2,2 i,j,j->i=2,3,3 i,j,j->j=2,3,3 ij,j->i=21,3
...i,i=23,3 ...i,...i->i=23,23 ij,jk->i=23,34 ij,jk->j=23,34 aij,j->a=234,4 aij,j->=234,4 ij,j,k->i=23,3,4 ij,jk,kl->il=23,34,42 i,i,i->=2,2,2
ii,i->=22,2 ij,k->=23,2 ij,kl->ik=23,24 i,j->=1,1 bij,bjk->bik=234,242 ...ij,...jk->...ik=234,42 kj,ji=23,34 ij,jk=23,42 i,->i=3,
"""
"""Of Einstein's sums, each with the sizes of its operands."""


def subscripts() -> Iterator[Case]:
    """Yield Einstein's sums of one dtype, and of two."""
    for text in SUBSCRIPTS.split():
        terms, _, sizes = text.rpartition("=")
        shapes = [tuple(map(int, one)) for one in sizes.split(",")]
        for dtype, last in itertools.product(DTYPES, DTYPES):
            if len(shapes) == 1 and last != dtype:
                continue
            dtypes = [dtype] * (len(shapes) - 1) + [last]
            yield Case(
                f"einsum({terms}, {sizes}, {', '.join(str(one)[6:] for one in dtypes)})",
                lambda *xs, terms=terms: torch.einsum(terms, *xs),
                *(tensor(one, k, shape) for k, (one, shape) in enumerate(zip(dtypes, shapes, strict=True))),
            )


WRITTEN: dict[str, Callable[..., Any]] = {
    "mean": lambda x, out: torch.mean(x, 0, out=out), "sum": lambda x, out: torch.sum(x, 0, out=out), "prod": lambda x, out: torch.prod(x, 0, out=out),
    "stack": lambda x, out: torch.stack([x[0], x[1]], out=out), "cat": lambda x, out: torch.cat([x, x], out=out),
    "cumsum": lambda x, out: torch.cumsum(x, 0, out=out), "cumprod": lambda x, out: torch.cumprod(x, 1, out=out), "add": lambda x, out: torch.add(x, x, out=out),
    "full": lambda x, out: torch.full((2,), 3.5, out=out), "zeros": lambda x, out: torch.zeros(2, 3, out=out), "ones": lambda x, out: torch.ones(3, out=out),
    "arange": lambda x, out: torch.arange(5, out=out), "exp": lambda x, out: torch.exp(x, out=out), "eq": lambda x, out: torch.eq(x, 3, out=out),
    "eye": lambda x, out: torch.eye(3, out=out), "mm": lambda x, out: torch.mm(x, x.T, out=out), "mul into a row": lambda x, out: torch.mul(x[0], 2, out=out.new_zeros(2, 3)[1]),
}  # fmt: skip


def written() -> Iterator[Case]:
    """Yield calls with `out=`, of the right sizes and others, in each dtype."""
    for (name, called), dtype in itertools.product(WRITTEN.items(), (*DTYPES, torch.int16)):
        for of, sizes in itertools.product((torch.float32, torch.int32), ((0,), (3,), (2, 3), (7,))):
            if dtype == torch.bool and name in ("arange", "cumsum", "cumprod"):
                continue

            def call(x: torch.Tensor, called=called, dtype=dtype, sizes=sizes) -> Any:
                out = torch.zeros(sizes, dtype=dtype)
                return called(x, out), out

            x = tensor(of, 1)
            try:
                call(x)
            except Exception:  # here another dtype than PyTorch takes is written
                continue
            yield Case(f"{name}({str(of)[6:]}, out={str(dtype)[6:]}{list(sizes)})", call, x)


NUMPYS: dict[str, Callable[..., Any]] = {
    "alpha": lambda x, k: torch.add(x, x, alpha=k), "full": lambda x, k: torch.full((2,), k), "tensor": lambda x, k: torch.tensor(k), "list": lambda x, k: torch.tensor([k, 2.5]),
    "fill": lambda x, k: x.clone().fill_(k), "where": lambda x, k: torch.where(x > 1, x, k), "clamp": lambda x, k: x.clamp(k), "reflected": lambda x, k: k * x,
    "setitem": lambda x, k: x.clone().index_fill_(0, torch.tensor([0]), k), "masked_fill": lambda x, k: x.masked_fill(x > 1, k), "elu": lambda x, k: torch.nn.functional.elu(x.double(), k),
    "item": lambda x, k: x[k], "reshape": lambda x, k: x.reshape(k, -1), "dim": lambda x, k: x.sum(k), "arange": lambda x, k: torch.arange(k), "zeros": lambda x, k: torch.zeros(k, 2),
    "roll": lambda x, k: x.roll(k), "Tensor": lambda x, k: torch.Tensor([k, 1]), "LongTensor": lambda x, k: torch.LongTensor([k]), "as_tensor": lambda x, k: torch.as_tensor(k), "topk": lambda x, k: x.topk(k),
}  # fmt: skip


def numpys() -> Iterator[Case]:
    """Yield calls with numbers of NumPy's of each class, and of subclasses of Python's, in the places of numbers."""
    names = [
        "float64",
        "float32",
        "float16",
        "int64",
        "int32",
        "int16",
        "int8",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "bool_",
    ]
    numbers = {**{name: getattr(numpy, name)(1) for name in names}, "IntEnum": Level.ONE}
    for (name, called), (kind, number), dtype in itertools.product(
        NUMPYS.items(), numbers.items(), (torch.float32, torch.int32)
    ):
        yield Case(
            f"{name}({str(dtype)[6:]}, {kind})", lambda x, called=called, k=number: called(x, k), tensor(dtype, 0)
        )


class Level(enum.IntEnum):
    ONE = 1


ELSEWHERE = """
Tensor.__setitem__ Tensor.cpu Tensor.new_tensor Tensor.type_as F.grouped_mm _is_any_true _pack_padded_sequence _weight_norm adjoint
affine_grid_generator as_tensor conv_tbc convolution detach feature_dropout grid_sampler gru gru_cell lstm lstm_cell
max_pool1d_with_indices native_dropout nn._upsample_bicubic2d_aa nn._upsample_nearest_exact1d
nn._upsample_nearest_exact2d nn._upsample_nearest_exact3d nn.col2im nn.cross_entropy_loss nn.im2col
nn.max_pool2d_with_indices nn.max_pool3d_with_indices nn.pad_sequence nn.reflection_pad1d nn.reflection_pad2d
nn.reflection_pad3d nn.replication_pad1d nn.replication_pad2d nn.replication_pad3d nn.upsample_bicubic2d
nn.upsample_bilinear2d nn.upsample_linear1d nn.upsample_nearest1d nn.upsample_nearest2d nn.upsample_nearest3d
nn.upsample_trilinear3d randperm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell torch.BFloat16Tensor torch.BoolTensor
torch.ByteTensor torch.CharTensor torch.DoubleTensor torch.FloatTensor torch.HalfTensor torch.IntTensor
torch.LongTensor torch.ShortTensor torch.Tensor torch._is_all_true torch.bartlett_window torch.blackman_window
torch.hamming_window torch.hann_window torch.kaiser_window torch.rand torch.range torch.tensor
"""
"""Entries that users call by other names, which are called here or in tests/torch/functions, and those of random
numbers; grouped_mm too, for which PyTorch wants certain sizes."""
