"""Keywords: what a function does not know it refuses, and what it takes it uses. Every public function is looked at."""

import inspect

import numpy
import pytest

import hybridize
from hybridize import nd, np, npx, sym
from hybridize.array.functions import keywords
from hybridize.base.errors import HybridizeError

M = np.arange(6.0).reshape(2, 3) + 1
V = np.array([3.0, 1.0, 2.0])
SQUARE = np.eye(3) * 2
INDEX = np.array([0, 1], dtype="int32")
SCORES = np.ones((4, 2, 3))
LABELS = np.array([[1, 2], [2, 1]], dtype="int32")
STATISTICS = (np.ones((2,)), np.zeros((2,)), np.zeros((2,)), np.ones((2,)))
ROWS = np.ones((2, 2, 2))
IMAGES = np.ones((1, 2, 3, 3))

SPACES = {
    "np": np, "npx": npx, "np.linalg": np.linalg, "np.random": np.random, "nd": nd, "nd.random": nd.random,
    "array": hybridize.np.ndarray,
}  # fmt: skip

ARGUMENTS = {
    "rnn": (np.ones((2, 1, 3)), np.ones(6)), "custom": (V,),
    "argsort": (V,), "sort": (V,), "take": (V, INDEX), "quantile": (V, 0.5), "percentile": (V, 50), "reshape": (M, (3, 2)),
    "ravel": (M,), "flatten": (M,), "astype": (M, "int32"), "copy": (M,), "pad": (M, 1), "meshgrid": (V, V),
    "searchsorted": (np.array([1.0, 2.0]), V), "can_cast": ("int8", "int16"), "norm": (M,), "matrix_norm": (M,),
    "vector_norm": (V,), "topk": (V,), "pick": (M, INDEX), "activation": (V,), "Activation": (V,), "leaky_relu": (V,),
    "LeakyReLU": (V,), "gelu": (V,), "l2_normalization": (M,), "L2Normalization": (M,), "dropout": (V,), "Dropout": (V,),
    "unravel_index": (INDEX, (2, 2)), "ravel_multi_index": ((INDEX, INDEX), (2, 2)), "ctc_loss": (SCORES, LABELS),
    "CTCLoss": (SCORES, LABELS), "zeros": ((2,),), "ones": ((2,),), "empty": ((2,),), "full": ((2,), 1.0),
    "zeros_like": (M,), "ones_like": (M,), "empty_like": (M,), "full_like": (M, 1.0), "asarray": (M,), "array": (M,),
    "ascontiguousarray": (M,), "dot": (M, V), "batch_dot": (ROWS, ROWS), "SoftmaxActivation": (M,),
    "SoftmaxOutput": (M, INDEX), "Softmax": (M, INDEX), "MakeLoss": (V,), "make_loss": (V,), "Pad": (M,), "svd": (SQUARE,),
    "qr": (SQUARE,), "eigh": (SQUARE,), "eigvalsh": (SQUARE,), "cond": (SQUARE,), "linspace": (0, 1), "logspace": (0, 1),
    "arange": (3,), "eye": (3,), "identity": (3,), "tri": (3,), "indices": ((2, 2),), "hanning": (3,), "hamming": (3,),
    "blackman": (3,), "arange_like": (V,), "from_dlpack": (M.asnumpy(),), "randint": (0, 5), "gamma": (2.0,),
    "beta": (1.0, 1.0), "chisquare": (1.0,), "f": (1.0, 1.0), "weibull": (1.0,), "pareto": (1.0,), "power": (1.0,),
    "choice": (4,), "multinomial": (3, [0.5, 0.5]), "bernoulli": (0.5,), "standard_exponential": (), "seed": (1,), "as_in_ctx": (M,),
    "to_device": (M,), "copyto": (np.zeros((2, 3)), M), "attach_grad": (V.copy(),), "as_in_context": (M,), "uniform_n": (), "normal_n": (),
    "sample_uniform": (), "sample_normal": (), "cast_storage": (M,), "linalg_gemm": (SQUARE, SQUARE, SQUARE),
    "einsum": ("ij,j", M, V), "random_gamma": (), "random_randint": (0, 5), "pooling": (IMAGES,),
    "upsampling": (IMAGES,), "glu": (SQUARE,), "rotary_embedding": (SQUARE,),
    "scaled_dot_product_attention": (SQUARE, SQUARE, SQUARE), "partition": (V, 1), "argpartition": (V, 1),
    "asanyarray": (M,), "asarray_chkfinite": (M,), "bartlett": (3,), "kaiser": (3, 2.0), "choose": (INDEX, [V[:2], V[1:]]),
    "concat": ([M, M],), "concatenate": ([M, M],), "stack": ([M, M],), "vstack": ([M, M],), "row_stack": ([M, M],),
    "hstack": ([M, M],), "convolve": (V, V), "correlate": (V, V), "geomspace": (1, 2),
    "isdtype": ("int8",), "isin": (V, V), "nanquantile": (V, 0.5), "nanpercentile": (V, 50), "packbits": (INDEX,),
    "unpackbits": (np.array([1], dtype="uint8"),), "put": (np.zeros(3), INDEX, V), "tostype": (M,),
}  # fmt: skip
"""Of functions with such keywords, what they are called with."""
NEEDED = {"upsampling": {"scale": 2}}
"""What must be said by keyword."""
OF_ARRAYS = {keywords.of_one: (V,), keywords.of_two: (V, V)}

DEVICES = ("ctx", "device", "context")
WORDS = (
    "order", "kind", "mode", "method", "interpolation", "casting", "indexing", "side", "act_type", "ret_typ", "ord",
    "approximation", "normalization", "blank_label", "forward_stype", "stype", "grad_req", "UPLO", "p",
)  # fmt: skip
"""Keywords whose values are words, beside all those whose default is one."""
WORDS_OF = {("p", "cond")}
NUMBERS = {("p", name) for name in (
    "dropout", "Dropout", "choice", "multinomial", "polyval", "unwrap", "bernoulli", "polyder", "polyint",
    "geometric", "logseries",
)} | {("mode", "triangular")}  # fmt: skip
OF_OTHERS = {
    "genfromtxt", "set_printoptions", "unique", "histogram", "bincount", "seed", "dtype", "finfo", "iinfo", "print",
    "assert_", "svd", "qr", "eigh", "eigvalsh", "lstsq", "pinv", "matrix_rank", "eig", "eigvals", "union1d", "ndarray",
    "setdiff1d", "intersect1d", "mintypecode", "typename", "fromstring", "array2string", "array_repr", "array_str",
    "loadtxt", "savetxt", "fromfile", "constraint_check",
}  # fmt: skip
"""NumPy's own functions on values, which check their arguments, and what is no function of arrays."""


_OURS = ("hybridize.array.random", "hybridize.array.legacy", "hybridize.array.methods", "hybridize.array.operators")
"""Where functions of spaces without a list of their names come from; the rest they import."""


def cases():
    for space, names in SPACES.items():
        for name in sorted(getattr(names, "__all__", dir(names))):
            function = getattr(names, name, None)
            home = str(getattr(function, "__module__", ""))
            is_method = space == "array" and home.startswith("hybridize.array.functions.")
            if not (hasattr(names, "__all__") or home in _OURS or is_method):
                continue
            if name.startswith("_") or not callable(function) or isinstance(function, type) or name in OF_OTHERS:
                continue
            try:
                parameters = inspect.signature(function).parameters
            except ValueError:
                continue
            for key, parameter in parameters.items():
                if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                    continue
                word = isinstance(parameter.default, str) or str(parameter.annotation) == "str" or key in WORDS
                looked_at = key in DEVICES or (word and key not in ("dtype", "sep", "message", "subscripts", "name"))
                if looked_at and (key, name) not in NUMBERS:
                    yield pytest.param(name, function, key, id=f"{space}.{name}({key}=)")


CASES = list(cases())


@pytest.mark.parametrize(("name", "function", "key"), CASES)
def test_a_word_that_means_nothing_is_refused(name, function, key):
    of_arrays = OF_ARRAYS.get(inspect.unwrap(function))  # a universal function
    given = ARGUMENTS.get(name, () if key in DEVICES else None) if of_arrays is None else of_arrays
    assert given is not None, f"say in ARGUMENTS what {name} is called with"
    positions = list(inspect.signature(function).parameters)
    given = given[: positions.index(key)] if key in positions else given
    if key in DEVICES and name not in ("as_in_ctx", "as_in_context", "to_device", "to"):
        function(*given)  # that is right
    needed = NEEDED.get(name, {})
    with pytest.raises(HybridizeError, match=r"E\d\d\d"):
        function(*given, **needed | {key: "nonsense"})


def test_there_are_many():
    assert len(CASES) > 150


@pytest.mark.parametrize(
    "call",
    [
        lambda: np.zeros((2, 2), order="F"),
        lambda: np.empty((2, 2), order="F"),
        lambda: M.copy(order="F"),
        lambda: M.astype("int32", casting="safe"),
        lambda: M.astype("int32", casting="same_kind"),
        lambda: np.sort(V, order="x"),
        lambda: np.linalg.norm(V, "fro"),
        lambda: np.linalg.norm(M, 3),
        lambda: np.linalg.norm(np.ones((2, 2, 2)), 2),
        lambda: np.linalg.vector_norm(V, ord="infinite"),
        lambda: np.zeros_like(M, nonsense=1),
        lambda: np.einsum("ij->i", M, nonsense=1),
        lambda: nd.reshape(M, (3, 2), nonsense=1),
        lambda: M.to_device("cpu", stream=1),
        lambda: npx.fully_connected(M, M, num_hidden=7),
        lambda: npx.embedding(INDEX, M, input_dim=9),
        lambda: npx.embedding(INDEX, M, dtype="float64"),
        lambda: npx.softmax(M, use_length=True),
        lambda: npx.sequence_mask(M, use_sequence_length=True),
        lambda: nd.concat(M, M, num_args=3),
        lambda: nd.arange(3, infer_range=True),
        lambda: np.array_split(M, 2, nonsense=1),
        lambda: sym.zeros((2,), order="F"),
    ],
)
def test_what_cannot_be_had_is_refused(call):
    with pytest.raises((HybridizeError, TypeError)):
        call()


@pytest.mark.parametrize("call", [np.zeros, np.empty, np.ones, lambda shape, order: np.full(shape, 1, order=order)])
def test_column_major_order_is_refused_as_what_is_not_implemented(call):
    with pytest.raises(NotImplementedError, match="E351"):
        call((2, 2), order="F")
    with pytest.raises(NotImplementedError, match="E351"):
        M.copy(order="F")


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2,)])
def test_formats_are_of_numbers_without_axes(shape):
    x = np.ones(shape)
    if shape:
        with pytest.raises(TypeError):
            f"{numpy.ones(shape):.2f}"
        with pytest.raises(TypeError, match="E344"):
            f"{x:.2f}"
    else:
        assert f"{x:.2f}" == "1.00"
    assert f"{x}" == str(x)


def test_what_is_taken_is_used():
    numpy.testing.assert_array_equal(npx.softmax(M, length=INDEX, use_length=False).asnumpy(), npx.softmax(M).asnumpy())
    assert float(npx.softmax(M, length=INDEX + 1)[0, 1]) == 0.0
    numpy.testing.assert_array_equal(npx.arange_like(M, repeat=2).asnumpy(), [[0, 0, 1], [1, 2, 2]])
    numpy.testing.assert_array_equal(np.zeros_like(M, shape=(2,)).asnumpy(), [0, 0])
    x, _ = np.meshgrid(V, V, copy=False)
    assert x.strides[0] == 0
    assert np.meshgrid(V, V)[0].strides[0] != 0
    assert np.einsum("ij,j", M, V, out=np.zeros((2,)), optimize="greedy").shape == (2,)
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(60.0).reshape(4, 3, 5)
    found = nd.linalg_gemm2(a, b, axis=0).asnumpy()
    numpy.testing.assert_allclose(found, numpy.einsum("mbk,kbn->mbn", a.asnumpy(), b.asnumpy()))
