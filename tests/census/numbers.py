"""Which numbers `np` gives: every call of `numpy_census` with arrays of each dtype, beside numbers of each kind.

    python -m tests.census.numbers float16 mean

prints what differs from NumPy, of a dtype and a function, or of all. Values are held against NumPy's in the same dtype
and against those that it gives in float64; the dtype is NumPy's, but that what is made of Python's numbers, lists and
integers is float32 where NumPy has float64, and that NumPy's scalars count as Python's numbers.
"""

import ast
import sys
import warnings
from collections.abc import Iterator

import numpy

import hybridize
from tests.array import numpy_census as names
from tests.census.number_exceptions import EXCEPTIONS

FLOATS = ("float64", "float32", "float16")
DTYPES = (*FLOATS, "int64", "int32", "int8", "uint8", "bool")
NUMBERS = {
    "float": "0.3", "int": "3", "bool": "True", "float64": "numpy.float64(0.3)", "float32": "numpy.float32(0.3)",
    "int64": "numpy.int64(3)", "uint8": "numpy.uint8(3)", "0-d": "Z", "list": "[0.3]",
}  # fmt: skip
"""What takes the place of an array: the last ones are an array without axes, and a list."""
CAST = "ABPVWXSNRDHZ"
"""The arrays that are of the dtype of a run; the others are indices, masks and numbers of a kind."""

ELEMENTS = {
    *names.UNARY.split(),
    *names.SHARES.split(),
    *names.BINARY.split(),
    "power",
    "pow",
    "float_power",
    "ldexp",
    "clip",
    "where",
}
OPERATORS = {
    "operators": "A + B; A - B; A * B; A / P; A // P; A % P; P ** B; A == B; A != B; A < B; A <= B; A > B; A >= B; -A; +A; abs(A); I & J; I | J; I ^ J; I << 2; I >> 1; A @ B.T; divmod(A, P)",
    "in place": "; ".join(f"inplace(lambda a, b: a.{name}(b), A.copy(), B)" for name in ("__iadd__", "__isub__", "__imul__")),
    "items": "done(lambda a: a.__setitem__(0, 0.3), V.copy()); done(lambda a: a.__setitem__(slice(2), [0.3, 0.7]), V.copy()); done(lambda a: a.__setitem__(a > 1, 0.3), V.copy())",
}  # fmt: skip
"""Calls without a name."""
KEYWORDS = {
    **{name: f"np.{name}(A, B, dtype='float64'); np.{name}(A, B, out=np.zeros((3, 4), dtype='float64')); np.{name}(A, 0.3, where=M, out=np.ones((3, 4), dtype='float64'))" for name in ("add", "multiply", "divide", "maximum", "logaddexp2", "float_power", "hypot", "nextafter", "copysign")},
    **{name: f"np.{name}(P, dtype='float64'); np.{name}(P, out=np.zeros((3, 4), dtype='float64')); np.{name}(P, where=M, out=np.ones((3, 4), dtype='float64'))" for name in ("exp", "sqrt", "square", "negative", "log1p", "rint", "spacing")},
    **{name: f"np.{name}(A, axis=1, dtype='float64'); np.{name}(A, axis=0, out=np.zeros(4, dtype='float64')); np.{name}(A, axis=1, where=M)" for name in ("sum", "prod", "mean", "std", "var", "nansum", "nanmean", "nanvar")},
    **{name: f"np.{name}.reduce(A, axis=1); np.{name}.accumulate(A, 0); np.{name}.outer(V, R); np.{name}.reduceat(V, [0, 2, 1])" for name in ("add", "multiply", "maximum", "minimum", "logaddexp", "logaddexp2", "hypot", "fmax")},
}  # fmt: skip
"""Keywords and methods of universal functions and of reductions."""


def inplace(function, x, y):
    """An array after an operator in place."""
    function(x, y)
    return x


def calls() -> Iterator[tuple[str, str]]:
    """(name, text) of each call, with arrays only."""
    for table in (names.CALLS, OPERATORS, KEYWORDS, names.METHODS, names.LINALG, names.FFT):
        for name, texts in table.items():
            for text in texts.split(";"):
                yield name, text.strip()


class _Replaced(ast.NodeTransformer):
    """Put a number in the place of one array."""

    def __init__(self, place: int, by: str) -> None:
        self.place, self.by, self.count = place, by, -1

    def visit_Call(self, node):
        for part in (node.args, [one.value for one in node.keywords]):
            for one in part:
                one.inside = True
        return self.generic_visit(node)

    def visit_BinOp(self, node):
        return node if hasattr(node, "inside") else self.generic_visit(node)

    def visit_Attribute(self, node):
        return node

    def visit_Subscript(self, node):
        return node

    def visit_Name(self, node):
        if node.id in CAST:
            self.count += 1
            if self.count == self.place:
                return ast.parse(self.by, mode="eval").body
        return node


def beside(text: str, kind: str) -> Iterator[str]:
    """The call with a number of a kind in the place of each of its arrays in turn, where others are left."""
    arrays = [
        node for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name) and node.id in names.DATA
    ]
    if len(arrays) < 2:
        return
    for place in range(len(arrays)):
        tree = ast.parse(text, mode="eval")
        changed = ast.unparse(_Replaced(place, NUMBERS[kind]).visit(tree))
        if changed != ast.unparse(ast.parse(text, mode="eval")):
            yield changed


def data(dtype: str) -> dict[str, numpy.ndarray]:
    """The arrays of a run."""
    found = {name: x.copy() for name, x in names.DATA.items()} | {"Z": numpy.array(0.7)}
    for name in CAST:
        x = found[name]
        if dtype not in FLOATS:
            x = numpy.nan_to_num(x) * (1 if dtype == "bool" else 4)
            x = x > 0 if dtype == "bool" else numpy.abs(x) if dtype == "uint8" else x
        found[name] = x.astype(dtype)
    return found


def evaluated(text: str, module, arrays):
    """What a call gives."""
    space = {
        "np": module,
        "numpy": numpy,
        "done": names.done,
        "inplace": inplace,
        "stored": names.stored,
        "raw": names.raw,
    }
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return names.plain(eval(text, space | arrays))


def reference(text: str, arrays):
    """What NumPy gives; its scalars count as Python's numbers."""
    for kind in ("float64", "float32", "int64", "uint8"):
        text = text.replace(NUMBERS[kind], repr(eval(NUMBERS[kind]).item()))
    return evaluated(text, numpy, arrays)


def expected(text: str, arrays):
    """What NumPy gives of a call, and what it gives in float64."""
    wanted = reference(text, {name: x.copy() for name, x in arrays.items()})
    try:
        exact = {name: x.astype("float64") if name in CAST else x.copy() for name, x in arrays.items()}
        return wanted, reference(text, exact)
    except Exception:
        return wanted, wanted


def difference(found, wanted, truth, close: bool, dtype: str) -> str | None:
    """Tell how a result differs from NumPy's; `dtype`: of the arrays that went in; `close`: to a few last digits."""
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return f"{found!r:.80} for {wanted!r:.80}"
        truths = truth if isinstance(truth, list) and len(truth) == len(wanted) else wanted
        parts = (difference(*one, close, dtype) for one in zip(found, wanted, truths, strict=True))
        return next((one for one in parts if one is not None), None)
    if not isinstance(wanted, (numpy.ndarray, numpy.generic, bool, int, float, complex)):
        return None
    x, y, z = (numpy.asarray(one) for one in (found, wanted, truth))
    if x.dtype.kind not in "biufc" or y.dtype.kind not in "biufc":
        return None
    if x.shape != y.shape:
        return f"shape {x.shape} for {y.shape}"
    z = z if z.shape == y.shape and z.dtype.kind in "biufc" else y
    if isinstance(wanted, (numpy.ndarray, numpy.generic)) and x.dtype != y.dtype:
        default = {"float64": ("float32", "float16"), "complex128": ("complex64",)}.get(y.dtype.name, ())
        if dtype in ("integers", "numbers"):
            default = ("float32", "complex64")
        if dtype == "float64" or x.dtype.name not in default:
            return f"dtype {x.dtype} for {y.dtype}"
    if x.dtype.kind in "biu":
        wrong = x != y
    else:
        accuracy = numpy.finfo(x.dtype).eps if dtype in ("float64", "float16") else numpy.finfo("f4").eps
        wrong = ~_near(x, y, close, accuracy) & ~_near(x, z, close, accuracy)
    return f"{x[wrong].ravel()[:3]} for {y[wrong].ravel()[:3]}" if wrong.any() else None


def _near(x, y, close: bool, eps: float):
    """Where two arrays are equal but for rounding: of each element, or of the largest one."""
    kind = x.real.dtype
    with numpy.errstate(all="ignore"):
        wide = numpy.complex128 if x.dtype.kind == "c" else numpy.float64
        rounded = y.astype(x.dtype).astype(wide)  # an infinity where it is beyond the dtype
        y = y.astype(wide)
        x = x.astype(wide)
        eps, least = max(float(eps), float(numpy.finfo(kind).eps)), float(numpy.finfo(kind).smallest_subnormal)
        size = abs(y) if close else numpy.max(abs(y[numpy.isfinite(y)]), initial=0.0)
        same = (x == rounded) | (numpy.isnan(x) & numpy.isnan(y))
        return same | (abs(x - y) <= (6 if close else 400) * eps * size + 4 * least)


def differences(dtype: str, only: str = "", kinds=(None, *NUMBERS)) -> dict[str, str]:
    """What differs, by dtype, kind of number and text; what NumPy refuses does not count."""
    arrays, found = data(dtype), {}
    with numpy.errstate(all="ignore"):
        ours = {name: hybridize.np.array(x, dtype=x.dtype) for name, x in arrays.items()}
    for name, base in calls():
        if only and name != only:
            continue
        for kind in kinds:
            for text in [base] if kind is None else beside(base, kind):
                try:
                    wanted = expected(text, arrays)
                except Exception:
                    continue
                try:
                    result = evaluated(text, hybridize.np, {n: x.copy() for n, x in ours.items()})
                    reason = difference(result, *wanted, name in ELEMENTS, _dtype_of_call(text, dtype))
                except Exception as error:
                    reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
                if reason is not None:
                    found[f"{dtype} {kind or 'arrays'}: {text}"] = reason
    return found


def _dtype_of_call(text: str, dtype: str) -> str:
    """The dtype of the floats among the arrays of a call; "integers", or "numbers" where there are none."""
    if "dtype='float64'" in text and "out=" not in text:
        return "float64"
    nodes = ast.walk(ast.parse(text.partition(", out=")[0] + ")" * (", out=" in text), mode="eval"))
    arrays = {node.id for node in nodes if isinstance(node, ast.Name)} & set(CAST)
    return "numbers" if not arrays else dtype if dtype in FLOATS else "integers"


def main() -> None:
    """Print what differs."""
    dtypes = [sys.argv[1]] if len(sys.argv) > 1 else DTYPES
    for dtype in dtypes:
        for text, reason in differences(dtype, *sys.argv[2:3]).items():
            if not any(row.search(text) for row in EXCEPTIONS):
                print(f"{text}: {reason}")


if __name__ == "__main__":
    main()
