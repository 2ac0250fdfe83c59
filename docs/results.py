"""Types of what the functions of `np` and `npx` return, where it is not an array; `docs/make.py` writes them to stubs.

The functions themselves say `Any`, as they also serve symbols. tests/house/test_results.py calls each and compares.
"""

RESULTS = {
    "tuple[ndarray, ndarray]": "divmod frexp histogram modf mask_indices polydiv",
    "tuple[ndarray, ndarray, ndarray]": "histogram2d",
    "tuple[ndarray, ndarray, ndarray, ndarray]": "lstsq",
    "tuple[ndarray, list[ndarray]]": "histogramdd",
    "tuple[ndarray, ...]": (
        "diag_indices diag_indices_from ix_ nonzero tril_indices tril_indices_from triu_indices triu_indices_from "
        "unravel_index unstack"
    ),
    "list[ndarray]": "array_split broadcast_arrays dsplit hsplit meshgrid multibox_target split vsplit",
    "tuple[int, ...]": "broadcast_shapes shape",
    "int": "ndim size",
    "bool": (
        "can_cast iscomplexobj isdtype isfortran isrealobj isscalar issubdtype iterable may_share_memory shares_memory"
    ),
    "str": "array2string array_repr array_str format_float_positional format_float_scientific",
    "numpy.dtype[Any]": "min_scalar_type promote_types result_type",
    "dict[str, Any]": "geterr seterr",
    "_EigResult": "eig eigh",
    "_QRResult": "qr",
    "_SlogdetResult": "slogdet",
    "_UniqueAllResult": "unique_all",
    "_UniqueCountsResult": "unique_counts",
    "_UniqueInverseResult": "unique_inverse",
    # By the arguments, or what the user's own function returns.
    "Any": (
        "common_type npx.cond custom einsum_path foreach frompyfunc geterrcall "
        "gradient key load rnn seterrcall state to_dlpack_for_read "
        "to_dlpack_for_write use_np while_loop"
    ),
}
"""Names by the type of their results; all other functions return an array."""

OF_ND = {
    "list[NDArray]": (
        "SliceChannel amp_multicast linalg_gelqf linalg_slogdet linalg_syevd meshgrid moments split split_v2 "
        "contrib.MultiBoxTarget contrib.bipartite_matching linalg.gelqf linalg.slogdet linalg.syevd"
    ),
    "None": "reset_arrays waitall",
    "Any": (
        "BatchNorm Custom LayerNorm RNN cond foreach load load_frombuffer topk while_loop contrib.cond contrib.foreach "
        "contrib.while_loop random.multinomial sample_multinomial"
    ),
}
"""The same for `nd`, whose other functions return an `NDArray`; those that write to arrays return what they wrote."""

CLASSES = {
    "_EigResult": ("eigenvalues", "eigenvectors"),
    "_QRResult": ("Q", "R"),
    "_SVDResult": ("U", "S", "Vh"),
    "_SlogdetResult": ("sign", "logabsdet"),
    "_UniqueAllResult": ("values", "indices", "inverse_indices", "counts"),
    "_UniqueCountsResult": ("values", "counts"),
    "_UniqueInverseResult": ("values", "inverse_indices"),
}
"""Tuples with names, which NumPy's functions return: their fields are arrays of ours."""

OVERLOADS = {
    "where": ("(condition: Any, /) -> tuple[ndarray, ...]", "(condition: Any, x: Any, y: Any, /) -> ndarray"),
    "svd": (
        "(a: Any, full_matrices: Any = True, compute_uv: Literal[True] = True, hermitian: Any = False) -> _SVDResult",
        "(a: Any, full_matrices: Any = True, *, compute_uv: Literal[False], hermitian: Any = False) -> ndarray",
    ),
    "unique": (
        "(ar: Any, *, equal_nan: Any = True, sorted: Any = True) -> ndarray",
        "(ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False, "
        "axis: Any = None, *, equal_nan: Any = True, sorted: Any = True) -> Any",
    ),
    "atleast_1d": ("(ary: Any, /) -> ndarray", "(*arys: Any) -> list[ndarray]"),
    "atleast_2d": ("(ary: Any, /) -> ndarray", "(*arys: Any) -> list[ndarray]"),
    "atleast_3d": ("(ary: Any, /) -> ndarray", "(*arys: Any) -> list[ndarray]"),
    "polyfit": (
        "(x: Any, y: Any, deg: int, rcond: float | None = None, *, w: Any = None) -> ndarray",
        "(x: Any, y: Any, deg: int, rcond: float | None = None, full: Any = False, w: Any = None, cov: Any = False) "
        "-> Any",
    ),
    "batch_norm": (
        "(x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any, eps: float = 1e-3, "
        "momentum: float = 0.9, fix_gamma: Any = True, use_global_stats: Any = False, "
        "output_mean_var: Literal[False] = False, axis: int = 1, cudnn_off: Any = False, min_calib_range: Any = None, "
        "max_calib_range: Any = None) -> ndarray",
        "(x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any, eps: float = 1e-3, "
        "momentum: float = 0.9, fix_gamma: Any = True, use_global_stats: Any = False, *, "
        "output_mean_var: Literal[True], axis: int = 1) -> tuple[ndarray, ndarray, ndarray]",
    ),
    "topk": (
        "(data: Any, axis: int | None = -1, k: int = 1, ret_typ: Literal['indices', 'value', 'mask'] = 'indices', "
        "is_ascend: Any = False, dtype: Any = None) -> ndarray",
        "(data: Any, axis: int | None = -1, k: int = 1, *, ret_typ: Literal['both'], is_ascend: Any = False, "
        "dtype: Any = None) -> list[ndarray]",
    ),
    "layer_norm": (
        "(data: Any, gamma: Any, beta: Any, axis: int = -1, eps: float = 1e-5) -> ndarray",
        "(data: Any, gamma: Any, beta: Any, axis: int = -1, eps: float = 1e-5, *, output_mean_var: bool) -> Any",
    ),
}
"""Signatures of functions whose result depends on which arguments are passed."""
