"""`np.linalg` within programs: imperative results and gradients, of stacks, of every size, and where there are none."""

import numpy
import pytest

from hybridize import autograd, errors, hybridize, np
from tests.refusals import refusal

RANDOM = numpy.random.default_rng(11)


def well(*shape):
    """Matrices whose factors are well determined: singular values are apart."""
    m, n = shape[-2:]
    q, w = (numpy.linalg.qr(RANDOM.normal(size=(*shape[:-2], k, k)))[0] for k in (m, n))
    return q[..., : min(m, n)] * numpy.linspace(2, 1, min(m, n)) @ w[..., : min(m, n), :]


def positive(*shape):
    x = well(*shape)
    return x @ x.swapaxes(-1, -2)


def weighed(parts):
    """A number that every element of nested arrays has a part in."""
    parts = parts if isinstance(parts, (list, tuple)) else [parts]
    total = 0.0
    for part in parts:
        total = total + (part * np.cos(np.arange(part.size, dtype=part.dtype)).reshape(part.shape)).sum()
    return total


L = np.linalg
CASES = {
    "cholesky": (L.cholesky, positive), "cholesky_upper": (lambda x: L.cholesky(x, upper=True), positive),
    "inv": (L.inv, well), "solve": (lambda x: L.solve(x, x * x), well), "slogdet": (lambda x: list(L.slogdet(x)), well),
    "solve_vector": (lambda x: L.solve(x, np.arange(x.shape[-1], dtype=x.dtype) + 1), well),
    "matrix_power": (lambda x: L.matrix_power(x, -3), well), "tensorinv": (lambda x: L.tensorinv(x[..., None], 1), well),
    "tensorsolve": (lambda x: L.tensorsolve(x, x.sum(0)), well),
    "det": (L.det, well), "qr": (lambda x: list(L.qr(x)), well), "qr_r": (lambda x: L.qr(x, "r"), well),
    "eigh": (lambda x: list(L.eigh(x)), positive), "eigh_upper": (lambda x: list(L.eigh(x, "U")), positive),
    "eigvalsh": (L.eigvalsh, positive), "svd": (lambda x: list(L.svd(x)), well), "svdvals": (L.svdvals, well),
    "svd_values": (lambda x: L.svd(x, compute_uv=False), well), "svd_hermitian": (lambda x: list(L.svd(x, hermitian=True)), positive),
    "pinv": (L.pinv, well), "pinv_rtol": (lambda x: L.pinv(x, rtol=None), well), "cond": (L.cond, well), "cond_1": (lambda x: L.cond(x, 1), well),
    "cond_least": (lambda x: L.cond(x, -2), well), "norm_2": (lambda x: L.norm(x, 2, (-2, -1)), well), "norm_nuc": (lambda x: L.norm(x, "nuc", (-2, -1)), well),
    "lstsq": (lambda x: L.lstsq(x, x[:, 0] ** 2)[0], well), "lstsq_all": (lambda x: [y for y in L.lstsq(x, x * x, 1e-6) if y.dtype != "int32"], well),
}  # fmt: skip
WIDE = {
    "qr": CASES["qr"][0], "qr_r": CASES["qr_r"][0], "svd": lambda x: list(L.svd(x, False)), "svdvals": L.svdvals, "pinv": L.pinv,
    "norm_2": CASES["norm_2"][0], "lstsq": lambda x: L.lstsq(x, x[:, :2] * 3, 1e-6)[0] if x.ndim == 2 else x, "svd_full": lambda x: list(L.svd(x))[1],
    "qr_complete": lambda x: list(L.qr(x, "complete")) if x.shape[-2] <= x.shape[-1] else x,
}  # fmt: skip
"""Functions of matrices that need not be square."""

MATRICES = {"tensorinv", "tensorsolve", "lstsq", "lstsq_all"}
"""What takes no stacks."""
FILLED = {"tensorinv", "cond", "cond_1", "cond_least", "norm_2", "norm_nuc", "lstsq", "lstsq_all"}
"""What takes no matrix without elements."""


def same(found, wanted, dtype, parts=1.0):
    found, wanted = (x if isinstance(x, (list, tuple)) else [x] for x in (found, wanted))
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted, strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape
        limit = parts * 400 * numpy.finfo(dtype).eps * max(1, float(abs(y).max()) if y.size else 1)
        numpy.testing.assert_allclose(x.asnumpy(), y.asnumpy(), rtol=0, atol=limit)


def seldom(name, dtype):
    """A parameter that only long runs take, where the name is no factor by itself."""
    marks = [] if name in FACTORS else [pytest.mark.long]
    return pytest.param(name, dtype, marks=marks)


FACTORS = {"cholesky", "inv", "solve", "det", "qr", "eigh", "svd", "lstsq"}


@pytest.mark.parametrize(
    ("name", "dtype"), [*((name, "float64") for name in CASES), *(seldom(name, "float32") for name in CASES)]
)
def test_programs_give_what_imperative_python_gives(name, dtype):
    """One function, which is compiled for any size at its second call: of stacks, of sizes 0 and 1."""
    function, make = CASES[name]
    square = [(4, 4), (9, 9), (1, 1), *([] if name in FILLED else [(0, 0)])]
    stacked = [] if name in MATRICES or dtype == "float64" else [(2, 3, 3), (1, 3, 3), (3, 5, 5)]
    for shapes in (square, stacked):
        compiled = hybridize(function)
        for shape in shapes:
            x = np.array(make(*shape), dtype=dtype)
            same(compiled(x), function(x), dtype)


@pytest.mark.parametrize("name", CASES)
def test_gradients_of_both_orders_are_the_imperative_ones(name):
    function, make = CASES[name]

    def slopes(x):
        with autograd.record():
            loss = weighed(function(x))
            first = autograd.grad(loss, [x], create_graph=True)[0]
            second = autograd.grad((first * np.sin(first)).sum(), [x])[0]
        return [first, second]

    compiled = hybridize(slopes)
    for shape in ((3, 3), (2, 4, 4)) if name in FACTORS - MATRICES else ((3, 3),):
        x = np.array(make(*shape), dtype="float64")
        x.attach_grad()
        same(compiled(x), slopes(x), "float64", 10.0)


@pytest.mark.parametrize(
    ("name", "dtype"), [*((name, "float64") for name in WIDE), *(seldom(name, "float32") for name in WIDE)]
)
def test_matrices_that_are_not_square(name, dtype):
    """Of more rows, of more columns, of one, of none; in stacks."""
    function = WIDE[name]
    for shapes in (
        ((5, 3), (20, 2)),
        ((3, 5), (2, 20)),
        ((4, 1),),
        ((2, 5, 3),),
    ):
        compiled = hybridize(function)
        for shape in shapes:
            x = np.array(well(*shape), dtype=dtype)
            same(compiled(x), function(x), dtype)


@pytest.mark.parametrize("name", WIDE)
def test_gradients_where_matrices_are_not_square(name):
    def slopes(x):
        with autograd.record():
            loss = weighed(WIDE[name](x))
            first = autograd.grad(loss, [x], create_graph=True)[0]
            second = autograd.grad((first * np.sin(first)).sum(), [x])[0]
        return [first, second]

    for shape in ((5, 3), (3, 5)):
        x = np.array(well(*shape), dtype="float64")
        x.attach_grad()
        if name not in MATRICES | {"qr_complete"} or (len(shape) == 2 and shape != (5, 3)):
            same(hybridize(slopes)(x), slopes(x), "float64", 100.0)


def test_columns_that_a_matrix_does_not_determine():
    """They complete a basis; those of QR are LAPACK's, those of the singular values are anybody's."""
    for shape in ((5, 2), (2, 5), (4, 0), (2, 4, 3)):
        x = np.array(RANDOM.normal(size=shape), dtype="float64")
        for y, z in zip(hybridize(lambda x: list(L.qr(x, "complete")))(x), L.qr(x, "complete"), strict=True):
            same(y, z, "float64")
        u, s, vh = hybridize(lambda x: list(L.svd(x)))(x)
        k = min(shape[-2:])
        same(u[..., :k] * s[..., None, :] @ vh[..., :k, :], x, "float64")
        for basis in (u, vh):
            unit = np.array(numpy.broadcast_to(numpy.eye(basis.shape[-1]), basis.shape), dtype="float64")
            same(basis @ basis.swapaxes(-1, -2), unit, "float64")
    with pytest.raises(errors.CaptureError, match="E403"):
        hybridize(lambda x: L.qr(x, "raw"))(np.ones((3, 2)))

    def slope(x):
        with autograd.record():
            q = L.qr(x, "complete")[0].sum()
        return autograd.grad(q, [x])[0]

    x = np.ones((3, 2))
    x.attach_grad()
    for function in (slope, hybridize(slope)):
        with pytest.raises(errors.ArgumentError, match="E393"):
            function(x)


def odd_matrices():
    """Zeros, equal values, noise, large and small numbers, structure, and sizes where loops have a rest."""
    yield from (
        numpy.zeros((3, 3)),
        numpy.ones((4, 4)),
        numpy.eye(4),
        numpy.diag([1.0, 0, 0, 2]),
        numpy.array([[0.0, 1], [1, 0]]),
    )
    yield from (
        numpy.full((3, 3), 1e-300),
        numpy.outer(numpy.arange(3), numpy.arange(3)) * 1e300,
        numpy.diag([1e-200, 1, 1e200]),
    )
    yield from (numpy.vander(numpy.linspace(0, 1, 12)), numpy.outer(numpy.arange(6.0), numpy.arange(6.0) + 1))
    path = 2 * numpy.eye(9) - numpy.eye(9, k=1) - numpy.eye(9, k=-1)
    yield from (path, path - 2 * numpy.eye(9), RANDOM.normal(size=(33, 33)), RANDOM.normal(size=(70, 70)))


def test_factors_of_odd_matrices_are_factors():
    """Values are LAPACK's; vectors are orthonormal and give the matrix again."""
    eigh, svd = hybridize(lambda x: list(L.eigh(x))), hybridize(lambda x: list(L.svd(x)))
    for data in odd_matrices():
        size = max(float(abs(data).max()), 1e-308)
        limit = 1e-14 * len(data)
        s = numpy.linalg.svd(data / size, compute_uv=False)
        u, values, vh = (y.asnumpy() for y in svd(np.array(data, dtype="float64")))
        numpy.testing.assert_allclose(values / size, s, rtol=0, atol=limit)
        numpy.testing.assert_allclose((u * (values / size)) @ vh, data / size, rtol=0, atol=limit)
        for basis in (u, vh):
            numpy.testing.assert_allclose(basis.T @ basis, numpy.eye(len(data)), rtol=0, atol=limit)
        data = data / 2 + data.T / 2
        values, vectors = (y.asnumpy() for y in eigh(np.array(data, dtype="float64")))
        numpy.testing.assert_allclose(values / size, numpy.linalg.eigvalsh(data / size), rtol=0, atol=limit)
        numpy.testing.assert_allclose((vectors * (values / size)) @ vectors.T, data / size, rtol=0, atol=limit)
        numpy.testing.assert_allclose(vectors.T @ vectors, numpy.eye(len(data)), rtol=0, atol=limit)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_errors_are_at_most_twice_lapacks(dtype):
    """Against float64 or longer, where a matrix is badly conditioned."""
    for n in (5, 40):
        data = well(n, n) @ numpy.diag(numpy.logspace(0, -3, n)) @ well(n, n)
        x = np.array(data, dtype=dtype)
        exact = x.asnumpy().astype(numpy.longdouble)
        wide = numpy.linalg.inv(x.asnumpy().astype("float64")).astype(numpy.longdouble)
        wide = wide + wide @ (numpy.eye(n) - exact @ wide)  # Newton's step: twice the digits
        ours, theirs = (abs(f(x).asnumpy() - wide).max() for f in (hybridize(L.inv), L.inv))
        assert ours <= 2 * theirs + 4 * numpy.finfo(dtype).eps * abs(wide).max()
        if dtype == "float32":
            for function in (L.svdvals, L.eigvalsh, lambda x: L.slogdet(x)[1], L.det, L.qr, lambda x: L.solve(x, x[0])):
                wide = function(np.array(x, dtype="float64"))
                ours, theirs, wide = ([*y] if isinstance(y, tuple) else [y] for y in (hybridize(lambda x, f=function: f(x))(x), function(x), wide))  # fmt: skip
                for a, b, truth in zip(ours, theirs, wide, strict=True):
                    size = abs(truth).max().item() * numpy.finfo(dtype).eps
                    assert abs(a - truth).max().item() <= 2 * abs(b - truth).max().item() + size


def test_triangles_by_both_names():
    data = numpy.random.RandomState(0).uniform(-1, 1, (2, 4, 4))
    x = np.array(data, dtype="float64")
    for upper, word in ((True, "U"), (False, "L")):
        for function in (L.eigvalsh, lambda x, **k: L.eigh(x, **k)[0]):
            for compiled in (lambda call: call, hybridize):
                found = compiled(lambda x, f=function, u=upper: f(x, upper=u))(x)
                numpy.testing.assert_allclose(found.asnumpy(), numpy.linalg.eigvalsh(data, word), rtol=1e-9)
                numpy.testing.assert_allclose(
                    compiled(lambda x, f=function, w=word: f(x, UPLO=w))(x).asnumpy(), found.asnumpy()
                )


def test_ranks_are_counted():
    ones = numpy.outer(numpy.arange(4.0) + 1, numpy.arange(3.0) + 1)
    cases = [ones, numpy.zeros((3, 3)), numpy.eye(5), numpy.ones(3), numpy.zeros(3), numpy.stack([numpy.eye(3), numpy.ones((3, 3))]), numpy.zeros((0, 3))]  # fmt: skip
    for data in cases:
        x = np.array(data, dtype="float64")
        same(hybridize(L.matrix_rank)(x), np.array(numpy.linalg.matrix_rank(data), dtype="int64"), "float64")
    x = np.array(numpy.diag([1.0, 1e-3, 1e-9]), dtype="float64")
    for arguments in ({"tol": 1e-6}, {"rtol": 1e-2}, {"hermitian": True}, {}):
        assert hybridize(lambda x, k=arguments: L.matrix_rank(x, **k))(x).item() == L.matrix_rank(x, **arguments).item()


@pytest.mark.parametrize("rcond", [-1, 0, 1e-20, 1e-3, 0.5, 0.9999, 1.0, 1.5, 150.0, None])
@pytest.mark.parametrize("values", [[4.0, 1.0, 1e-15], [4.0, 1.0, 0.0], [4.0, 3.0, 2.5]])
def test_parts_of_the_largest_value_are_between_0_and_1(values, rcond):
    a, b = numpy.diag(values), numpy.ones(3)
    wanted = numpy.linalg.lstsq(a, b, rcond)
    for function in (lambda x, y: L.lstsq(x, y, rcond), hybridize(lambda x, y: L.lstsq(x, y, rcond))):
        if function.__name__ != "<lambda>" and wanted[2] < 3:
            continue  # refused: how many sums there are is not known before
        solution, _, rank, largest = function(np.array(a, dtype="float64"), np.array(b, dtype="float64"))
        assert int(rank) == wanted[2]
        numpy.testing.assert_allclose(solution.asnumpy(), wanted[0], rtol=1e-12)
        numpy.testing.assert_allclose(largest.asnumpy(), wanted[3], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "parts"),
    [
        ((3, 2), ()),
        ((2, 3, 4), (2,)),
        ((2, 4, 3), (1,)),
        ((2, 2, 3, 3), (2, 2)),
        ((2, 2, 3, 3), (2, 1)),
    ],
)
def test_each_matrix_may_have_its_own_part(shape, parts, dtype):
    data = numpy.random.RandomState(1).uniform(-10, 10, shape).astype(dtype)
    data[..., 0] = data[..., 1]  # one value is 0
    for scale in (0.05, 0.7):
        rcond = (numpy.random.RandomState(2).uniform(0.5, 1, parts) * scale).astype(dtype)
        wanted = numpy.linalg.pinv(data.astype("float64"), rcond)
        for function in (L.pinv, hybridize(lambda x, part: L.pinv(x, part))):
            found = function(np.array(data, dtype=dtype), np.array(rcond, dtype=dtype))
            assert found.dtype == dtype
            numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def test_sums_of_squares_need_columns_that_do_not_depend_on_each_other():
    tall = np.array(well(5, 3), dtype="float64")
    found, wanted = hybridize(lambda x: list(L.lstsq(x, x[:, 0] ** 2)))(tall), L.lstsq(tall, tall[:, 0] ** 2)
    same(found, list(wanted), "float64")
    for shape in ((3, 3), (2, 3)):
        x = np.array(well(*shape), dtype="float64")
        same(hybridize(lambda x: list(L.lstsq(x, x)))(x), list(L.lstsq(x, x)), "float64")
    x = np.array(numpy.ones((4, 2)), dtype="float64")
    assert "pinv" in str(raised(hybridize(lambda x: L.lstsq(x, x[:, 0])[0]), x))


def test_values_that_are_not_found_are_an_error():
    for data in (numpy.full((3, 3), numpy.nan), numpy.diag([1, numpy.nan, 2.0])):
        for function in (L.eigvalsh, L.svdvals, L.pinv, lambda x: L.svd(x)[1]):
            assert "converge" in str(raised(hybridize(function), np.array(data)))


def raised(function, *args):
    with pytest.raises(numpy.linalg.LinAlgError) as found:
        function(*args)
    return found.value


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (L.inv, "Singular matrix"),
        (lambda x: L.solve(x, x), "Singular matrix"),
        (L.cholesky, "Matrix is not positive definite"),
        (lambda x: L.inv(x) @ x, "Singular matrix"),
    ],
)
def test_what_a_matrix_does_not_have_is_numpys_error_at_the_users_line(function, text):
    compiled = hybridize(function)
    compiled(np.array(positive(3, 3)))
    for data in (numpy.zeros((3, 3)), numpy.ones((3, 3)), -numpy.ones((4, 4))):
        x = np.array(data)
        if text == "Matrix is not positive definite" and data[0, 0] == 1:
            continue  # whether rounding leaves it positive is chance
        assert str(raised(function, x)) == text
        found = raised(compiled, x)
        assert found.code == "E525" and text in str(found) and "test_linalg.py:" in str(found)
    x = np.array(numpy.stack([positive(3, 3), numpy.zeros((3, 3))]))
    raised(hybridize(function), x)


def test_numbers_that_are_none_are_handed_on():
    data = numpy.full((3, 3), numpy.nan)
    for function in (L.inv, L.cholesky, lambda x: list(L.slogdet(x))[1], lambda x: L.solve(x, x)):
        x = np.array(data)
        with numpy.errstate(invalid="ignore"):
            wanted = function(x).asnumpy()
        numpy.testing.assert_array_equal(hybridize(function)(x).asnumpy(), wanted)


def test_the_condition_of_no_inverse_is_infinite():
    for p in (None, 1, -2, "fro"):
        for data in (numpy.zeros((3, 3)), numpy.eye(3), numpy.diag([1.0, 0, 0])):
            x = np.array(data)
            found, wanted = hybridize(lambda x, p=p: L.cond(x, p))(x), L.cond(x, p)
            numpy.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-6)


def test_the_logarithm_of_no_volume_is_infinite():
    x = np.array([[1.0, 2], [2, 4]])
    sign, logarithm = hybridize(lambda x: list(L.slogdet(x)))(x)
    assert sign.item() == 0 and logarithm.item() == -numpy.inf


def test_only_square_matrices_of_floats_are_taken():
    for shape in ((2, 3), (3,)):
        for function in (L.inv, L.cholesky, lambda x: L.solve(x, x)):
            with refusal(ValueError, r"E169|at least two|axes|square"):
                hybridize(function)(np.ones(shape))
    with pytest.raises(TypeError, match="E221"):
        hybridize(L.inv)(np.ones((2, 2), dtype="float16"))


def test_whole_numbers_are_computed_as_floats():
    x = np.array([[2, 1], [1, 1]], dtype="int32")
    for function in (L.inv, lambda x: L.solve(x, x)):
        found, wanted = hybridize(function)(x), function(x)
        assert found.dtype == wanted.dtype
        numpy.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-6, atol=1e-6)


def test_a_matrix_is_factored_once():
    """Solution, inverse, logarithm and their gradients take one elimination."""

    @hybridize
    def both(x, b):
        with autograd.record():
            loss = (L.solve(x, b) ** 2).sum() + L.slogdet(x)[1] + L.inv(x).sum()
        return loss, autograd.grad(loss, [x])[0]

    x, b = np.array(well(4, 4)), np.array(well(4, 4))
    x.attach_grad()
    both(x, b)
    assert both.program(x, b).optimized.op_names().count("lu") == 1


# ------------------------------------------------------------------------------------------- programs as people write them


def kalman(state, covariance, observation):
    """Predict and correct, for each observation."""
    transition = np.array([[1.0, 0.1], [0.0, 1.0]])
    sensor = np.array([[1.0, 0.0]])
    for k in range(observation.shape[0]):
        state = transition @ state
        covariance = transition @ covariance @ transition.T + 0.01 * np.eye(2)
        innovation = sensor @ covariance @ sensor.T + 0.1
        gain = covariance @ sensor.T @ L.inv(innovation)
        state = state + (gain @ (observation[k] - sensor @ state)[:, None])[:, 0]
        covariance = (np.eye(2) - gain @ sensor) @ covariance
    return [state, covariance]


def gaussian_process(x, y, at, scale):
    """The posterior mean and the marginal likelihood."""

    def kernel(p, q):
        return np.exp(-0.5 * ((p[:, None] - q[None, :]) / scale) ** 2)

    k = kernel(x, x) + 0.1 * np.eye(x.shape[0])
    factor = L.cholesky(k)
    weights = L.solve(factor.T, L.solve(factor, y))
    likelihood = -0.5 * (y * weights).sum() - np.log(np.diagonal(factor)).sum()
    return [kernel(at, x) @ weights, likelihood]


def least_squares(x, y):
    """The normal equations, with a penalty."""
    gram = x.T @ x + 0.1 * np.eye(x.shape[1])
    w = L.solve(gram, x.T @ y)
    return [w, ((x @ w - y) ** 2).mean()]


def test_filters_and_fits_are_compiled():
    programs = [
        (kalman, (np.array([0.0, 1.0]), np.array(numpy.eye(2)), np.array(RANDOM.normal(size=(5, 1))))),
        (gaussian_process, (np.array(numpy.linspace(0, 3, 12)), np.array(RANDOM.normal(size=12)), np.array(numpy.linspace(0, 3, 5)), np.array(0.7))),
        (least_squares, (np.array(RANDOM.normal(size=(20, 4))), np.array(RANDOM.normal(size=20)))),
    ]  # fmt: skip
    for function, args in programs:
        compiled = hybridize(function)
        same(compiled(*args), function(*args), "float32", 4.0)
        assert compiled.program(*args).fallbacks == ()


def test_a_kernels_scale_is_learned():
    x, y = np.array(numpy.linspace(0, 3, 12)), np.array(numpy.sin(numpy.linspace(0, 9, 12)))

    def step(scale):
        with autograd.record():
            loss = -gaussian_process(x, y, x, scale)[1]
        return loss, autograd.grad(loss, [scale])[0]

    compiled, scale = hybridize(step), np.array(1.0)
    scale.attach_grad()
    for _ in range(3):
        found, wanted = compiled(scale), step(scale)
        same(list(found), list(wanted), "float32", 10.0)
        scale -= 0.05 * found[1]
        scale.attach_grad()


SHAPES = {
    **{name: lambda np, name=name: getattr(np.linalg, name)(np.ones((2, 3))) for name in ("inv", "det", "cholesky", "eigh", "eigvals")},
    "solve": lambda np: np.linalg.solve(np.ones((2, 3)), np.ones(2)), "qr": lambda np: np.linalg.qr(np.ones(3)),
    "svd": lambda np: np.linalg.svd(np.ones(3)), "matrix_power": lambda np: np.linalg.matrix_power(np.ones((2, 3)), 2),
    "multi_dot": lambda np: np.linalg.multi_dot([np.ones((2, 3)), np.ones((2, 2, 2)), np.ones((3, 2))]),
    "lstsq": lambda np: np.linalg.lstsq(np.ones((2, 3)), np.ones(4)), "singular": lambda np: np.linalg.inv(np.ones((2, 2))),
    "not positive": lambda np: np.linalg.cholesky(-np.eye(2)), "cond": lambda np: np.linalg.cond(np.ones(3)),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_what_numpy_calls_a_linalgerror_is_one(name):
    """So `except numpy.linalg.LinAlgError` catches it, imperatively and of programs."""
    with pytest.raises(numpy.linalg.LinAlgError):
        SHAPES[name](numpy)
    with pytest.raises(numpy.linalg.LinAlgError):
        SHAPES[name](np)
    if name != "eigvals":
        with pytest.raises(numpy.linalg.LinAlgError):
            hybridize(lambda: SHAPES[name](np))()
