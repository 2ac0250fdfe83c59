"""Functions of `np` that return no single array return what the stubs say that they do."""

import importlib.util
import typing
from pathlib import Path

import numpy
import pytest

from hybridize import np, npx
from hybridize.array import ndarray

DOCS = Path(__file__).parents[2] / "docs"
SQUARE = "np.array([[2.0, 1.0], [1.0, 3.0]])"
CALLS = {
    "divmod": "np.divmod(x, 2)", "frexp": "np.frexp(x)", "histogram": "np.histogram(x)", "modf": "np.modf(x)",
    "mask_indices": "np.mask_indices(2, np.triu)", "polydiv": "np.polydiv(x, x)",
    "histogram2d": "np.histogram2d(x, x)", "lstsq": f"np.linalg.lstsq({SQUARE}, np.ones(2))",
    "histogramdd": "np.histogramdd((x, x))", "diag_indices": "np.diag_indices(3)",
    "diag_indices_from": f"np.diag_indices_from({SQUARE})", "ix_": "np.ix_(np.array([0, 1], 'int64'), np.array([1], 'int64'))",
    "nonzero": "np.nonzero(x)", "tril_indices": "np.tril_indices(3)",
    "tril_indices_from": f"np.tril_indices_from({SQUARE})", "triu_indices": "np.triu_indices(3)",
    "triu_indices_from": f"np.triu_indices_from({SQUARE})", "unravel_index": "np.unravel_index(np.array([1, 2]), (2, 2))",
    "unstack": f"np.unstack({SQUARE})", "array_split": "np.array_split(x, 2)",
    "broadcast_arrays": "np.broadcast_arrays(x, np.ones((2, 3)))", "dsplit": "np.dsplit(np.ones((1, 1, 2)), 2)",
    "hsplit": f"np.hsplit({SQUARE}, 2)", "meshgrid": "np.meshgrid(x, x)", "split": "np.split(x, 3)",
    "multibox_target": "npx.multibox_target(np.array([[[0.1, 0.1, 0.4, 0.4]]]), "
    "np.array([[[0.0, 0.1, 0.1, 0.5, 0.5]]]), np.zeros((1, 2, 1)))",
    "vsplit": f"np.vsplit({SQUARE}, 2)", "broadcast_shapes": "np.broadcast_shapes((1, 2), (3, 1))",
    "shape": "np.shape(x)", "ndim": "np.ndim(x)", "size": "np.size(x)", "can_cast": "np.can_cast('int8', 'int16')",
    "iscomplexobj": "np.iscomplexobj(x)", "isdtype": "np.isdtype(np.float32, 'real floating')",
    "isfortran": "np.isfortran(x)", "isrealobj": "np.isrealobj(x)", "isscalar": "np.isscalar(3)",
    "issubdtype": "np.issubdtype(np.float32, np.floating)", "iterable": "np.iterable(x)",
    "may_share_memory": "np.may_share_memory(x, x)", "shares_memory": "np.shares_memory(x, x)",
    "array2string": "np.array2string(x)", "array_repr": "np.array_repr(x)", "array_str": "np.array_str(x)",
    "format_float_positional": "np.format_float_positional(0.5)",
    "format_float_scientific": "np.format_float_scientific(0.5)",
    "min_scalar_type": "np.min_scalar_type(3)", "promote_types": "np.promote_types('int8', 'int16')",
    "result_type": "np.result_type(x, x)", "geterr": "np.geterr()", "seterr": "np.seterr()",
    "eig": f"np.linalg.eig({SQUARE})", "eigh": f"np.linalg.eigh({SQUARE})", "qr": f"np.linalg.qr({SQUARE})",
    "slogdet": f"np.linalg.slogdet({SQUARE})", "unique_all": "np.unique_all(x)",
    "unique_counts": "np.unique_counts(x)", "unique_inverse": "np.unique_inverse(x)",
}  # fmt: skip


def results():
    spec = importlib.util.spec_from_file_location("results", DOCS / "results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLE = results()
NAMES = {name: text for text, names in TABLE.RESULTS.items() if text != "Any" for name in names.split()}


def test_every_name_has_a_call():
    assert CALLS.keys() == NAMES.keys()


@pytest.mark.parametrize("name", NAMES)
def test_results_are_of_the_types_of_the_stubs(name):
    value = eval(CALLS[name], {"np": np, "npx": npx, "x": np.array([1.0, 2.0, 4.0])})
    kind = NAMES[name]
    if kind in TABLE.CLASSES:
        assert value._fields == TABLE.CLASSES[kind]
        assert all(isinstance(one, ndarray) for one in value)
    else:
        assert is_of(value, eval(kind, {"ndarray": ndarray, "numpy": numpy, "Any": typing.Any}))


def is_of(value, kind):
    """Tell whether a value is of a type, a generic one with its parts."""
    home, parts = typing.get_origin(kind) or kind, typing.get_args(kind)
    if home is tuple:
        fits = (len(parts) == 2 and parts[1] is Ellipsis) or len(parts) == len(value)
        kinds = [parts[0]] * len(value) if parts[-1] is Ellipsis else parts
        return type(value) is tuple and fits and all(map(is_of, value, kinds))
    if home is list:
        return type(value) is list and all(is_of(one, parts[0]) for one in value)
    return isinstance(value, home) or (home is bool and isinstance(value, numpy.bool_))
