"""Complex numbers and `np.fft` are NumPy's, imperatively and hybridized; gradients are PyTorch's; the rest is refused."""

import pickle
import warnings

import numpy
import pytest
import torch

import hybridize
from hybridize import array_api, autograd, np
from hybridize.errors import ArgumentError, CaptureError, DTypeError, HybridizeError, StateError
from tests.array import numpy_census

RANDOM = numpy.random.default_rng(3)


def numbers(*shape, dtype="c8"):
    return np.array(RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape), dtype=dtype)


def reals(*shape, dtype="f4"):
    return np.array(RANDOM.normal(size=shape), dtype=dtype)


def same(found, wanted, rtol=1e-5, atol=1e-6):
    assert found.dtype == wanted.dtype
    numpy.testing.assert_allclose(found.asnumpy(), numpy.asarray(wanted), rtol=rtol, atol=atol)


# ---------------------------------------------------------------------------------------------------- values


@pytest.fixture
def complex_data(monkeypatch):
    draw = numpy.random.default_rng(0)
    data = {
        name: x + 1j * draw.normal(size=x.shape) if x.dtype.kind == "f" else x for name, x in numpy_census.DATA.items()
    }
    data["H"] = data["S"] @ data["S"].conj().T
    monkeypatch.setattr(numpy_census, "DATA", data)


def outcome(text, module):
    """The result of a call, or the error; and whether it warned that an imaginary part is dropped."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            found = numpy_census.plain(numpy_census.run(text, module))
        except Exception as error:
            found = error
    return found, any(issubclass(one.category, numpy.exceptions.ComplexWarning) for one in seen)


@pytest.mark.parametrize("table", ["CALLS", "LINALG"])
def test_every_function_of_complex_numbers_gives_what_numpy_gives_or_refuses_them(table, complex_data):
    """No name drops an imaginary part, or takes complex numbers where NumPy does not."""
    namespace = np if table == "CALLS" else np.linalg
    equal = 0
    for name, texts in getattr(numpy_census, table).items():
        for text in (part.strip() for part in texts.split(";") if hasattr(namespace, name)):
            wanted, warned = outcome(text, numpy)
            found, dropped = outcome(text, hybridize.np)
            if isinstance(found, Exception):
                assert isinstance(found, (HybridizeError, numpy.linalg.LinAlgError)), (text, found)
                continue
            assert not isinstance(wanted, Exception), (text, "NumPy refuses", found)
            assert numpy_census.differ(found, wanted) is None, text
            assert warned or not dropped, text
            equal += 1
    assert equal > {"CALLS": 560, "LINALG": 25}[table]


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [
        ("f4", "c8", "c8"), ("f2", "c8", "c8"), ("f8", "c8", "c16"), ("f4", "c16", "c16"), ("i8", "c8", "c8"),
        ("u1", "c16", "c16"), ("?", "c8", "c8"), ("c8", "c16", "c16"), ("bfloat16", "c8", "c8"),
    ],
)  # fmt: skip
def test_promotion(x, y, wanted):
    for a, b in ((x, y), (y, x)):
        assert (np.zeros(2, dtype=a) + np.zeros(2, dtype=b)).dtype == wanted
        assert np.result_type(a, b) == wanted
    assert array_api.result_type(np.zeros(1, dtype="f8"), 1j) == "c16"


def test_numbers_take_the_dtype_beside_them():
    assert (np.zeros(2) + 1j).dtype == (1j * np.zeros(2, dtype="i4")).dtype == (numbers(2) * 2.5).dtype == "c8"
    assert (np.zeros(2, dtype="f8") * 1j).dtype == "c16"
    assert (numpy.complex128(1j) + np.zeros(2)).dtype == "c8"
    assert np.array([1 + 2j]).dtype == np.array(3j).dtype == np.array(numpy.array([1j])).dtype == "c8"
    assert np.array([1, 2], dtype=complex).dtype == np.zeros(3, dtype="complex64").dtype == "c8"
    assert complex(np.array(1 + 2j)) == 1 + 2j
    assert repr(np.array([1 + 2j])) == "array([1.+2.j], dtype=complex64)"


def test_parts_are_views_and_conversions_say_what_they_drop():
    z = numbers(3, 4)
    z.real[...] = 1
    z.imag[0] = 2
    assert (z[0].asnumpy() == 1 + 2j).all()
    assert (z.real[1].asnumpy() == 1).all()
    same(np.conj(z), z.asnumpy().conj())
    same(z.T.real, z.asnumpy().T.real)
    with pytest.warns(numpy.exceptions.ComplexWarning):
        assert z.astype("f4").dtype == "f4"
    assert z.astype(bool).all()
    assert (np.real_if_close(np.array([1 + 0j, 2])).dtype, np.real_if_close(z).dtype) == ("f4", "c8")
    assert np.iscomplexobj(z)
    assert np.iscomplex(z[0]).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(pickle.loads(pickle.dumps(z)), z.asnumpy())


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda x, z: np.floor(z), "E242"),
        (lambda x, z: np.arctan2(z, z), "E242"),
        (lambda x, z: hybridize.npx.relu(z), "E242"),
        (lambda x, z: hybridize.npx.softmax(z), "E242"),
        (lambda x, z: np.quantile(z, 0.5), "E242"),
        (lambda x, z: x.__iadd__(z), "E206"),
        (lambda x, z: x.__setitem__(slice(None), z), "E207"),
        (lambda x, z: x.__setitem__(0, 1j), "E203"),
        (lambda x, z: np.sum(z, dtype="f4"), None),
        (lambda x, z: np.fft.rfft(z), "E244"),
        (lambda x, z: z % 2, "E242"),
        (lambda x, z: z << 1, "E205"),
        (lambda x, z: np.cbrt(z), "E242"),
    ],
)
def test_nothing_is_dropped_in_silence(call, code):
    x, z = reals(4), numbers(4)
    if code is None:
        with pytest.warns(numpy.exceptions.ComplexWarning):
            call(x, z)
        return
    for function in (call, hybridize.hybridize(call)):
        with pytest.raises(DTypeError) as raised:
            function(x, z)
        assert raised.value.code == code


# ---------------------------------------------------------------------------------------------------- programs


def both(function, *args):
    """The results of a function, imperatively and twice hybridized, which must agree."""
    compiled = hybridize.hybridize(function)
    wanted = function(*args)
    for _ in range(3):
        found = compiled(*args)
        pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
        for x, y in pairs:
            same(x, y.asnumpy())
    return compiled


PROGRAMS = {
    "arithmetic": lambda x, z: ((z + x) * 2j - z / (x + 1), abs(z) ** 2, z.real * x, (z == z).all()),
    "shapes": lambda x, z: (z.T, z.reshape(2, 6)[:, ::2], np.concatenate([z, x]), np.stack([z, z]), z[1], z[:, [2, 0]]),
    "reductions": lambda x, z: (z.sum(0), z.mean(), z.prod(1), z.var(), np.linalg.norm(z), np.cumsum(z, 1)),
    "functions": lambda x, z: (np.exp(z), np.log(z), np.sqrt(z), np.sin(z), z**2, z**0.5, np.angle(z), np.conj(z)),
    "products": lambda x, z: (z @ z.T, np.vdot(z, z), np.einsum("ij,kj->ik", z, z), np.tensordot(z, z, 2)),
    "choices": lambda x, z: (np.where(x > 0, z, 0), np.where(x > 0, x, z), np.nan_to_num(z), np.sort(z, 1)),
    "matrices": lambda x, z: (np.linalg.inv(z @ z.T), np.linalg.svd(z)[1], np.linalg.det(z @ z.T), np.linalg.qr(z)[1]),
    "solutions": lambda x, z: (
        np.linalg.solve(z @ z.T, x), np.linalg.tensorsolve(z[:, :3], x[:, 0]), np.linalg.lstsq(z.T, x.T)[0],
        np.linalg.cholesky(z @ np.conj(z.T)), np.linalg.svd(z @ np.conj(z.T), hermitian=True)[1], np.linalg.pinv(z),
        np.linalg.lstsq(z.T, x.T)[1], np.linalg.cond(z), np.linalg.matrix_power(z[:, :3], -2),
    ),
    "transforms": lambda x, z: (np.fft.fft(x), np.fft.ifft2(z), np.fft.rfft(x), np.fft.irfft(z), np.fft.fftshift(z)),
    "itself": lambda x, z: (z, z, x, z.real, z.imag),
    "constants": lambda x, z: (z + np.array([1j, 2, 3, 4]), x * 1j, np.zeros((2, 2), dtype="c8"), np.full(3, 2j, dtype="c16")),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("real", "dtype"), [("f4", "c8"), ("f8", "c16")])
def test_programs_give_what_imperative_python_gives(name, real, dtype):
    both(PROGRAMS[name], reals(3, 4, dtype=real), numbers(3, 4, dtype=dtype))


def test_a_program_says_what_numpy_computes_of_it():
    def f(x):
        y = np.tanh(x) * 2 + 1
        return (abs(np.fft.rfft(y)) ** 2).sum()

    x = reals(16)
    compiled = both(f, x)
    (program,) = compiled.programs()
    assert {text.partition(" ")[0] for text in program.fallbacks} == {"real_fourier", "abs"}
    assert all("test_complex.py" in text for text in program.fallbacks)


def test_sizes_loops_branches_and_writes():
    def spectrum(x):
        return np.fft.ifft(np.fft.fft(x) * 2).real

    compiled = hybridize.hybridize(spectrum)
    for n in (3, 5, 8, 5):
        x = reals(n)
        same(compiled(x), spectrum(x).asnumpy())

    def loop(x, z):
        for row in x:
            z = z * 1j + row
        total = z.sum()
        if total.real > 0:
            z = z + 1
        else:
            z = -z
        return z, hybridize.npx.foreach(lambda a, s: (s + a, s * 1j), x, z)[0]

    both(loop, reals(3, 4), numbers(4))

    def write(x, z):
        z = z.copy()
        z[0] = 5j
        z[:, 1] += x[:, 0]
        return z

    both(write, reals(3, 4), numbers(3, 4))

    @hybridize.hybridize
    def of_a_part(z):
        z.real[...] = 0
        return z

    with pytest.raises(ArgumentError, match="read-only"):
        of_a_part(numbers(3))

    @hybridize.hybridize
    def in_place(z):
        z *= 2j

    z = numbers(3)
    wanted = z.asnumpy() * 2j
    in_place(z)
    same(z, wanted.astype("c8"))


def test_errors_of_numpy_reach_the_caller():
    @hybridize.hybridize
    def f(z):
        return np.linalg.inv(z)

    with pytest.raises(numpy.linalg.LinAlgError):
        f(np.zeros((2, 2), dtype="c8"))


def test_files_refuse_what_numpy_computes(tmp_path):
    @hybridize.hybridize
    def f(x):
        return np.fft.fft(x).real

    f(reals(4))
    with pytest.raises(CaptureError, match=r"E450: fourier in f computes with complex numbers"):
        f.save(str(tmp_path / "f.hyb"))
    np.save(str(tmp_path / "z.npy"), numbers(3))
    assert np.load(str(tmp_path / "z.npy")).dtype == "c8"


# --------------------------------------------------------------------------------------------------------- fft

FFT = [
    "fft(A)", "fft(Z)", "fft(I)", "fft(H)", "fft(A, 3)", "fft(Z, 9, axis=0)", "fft(A, norm='ortho')", "ifft(Z)", "ifft(A, norm='forward')",
    "rfft(A)", "rfft(A, 5)", "rfft(A, 2, axis=0)", "irfft(Z)", "irfft(Z, 5)", "irfft(Z, 4, norm='ortho')", "irfft(A)", "hfft(Z)", "hfft(Z, 7, norm='forward')",
    "ihfft(A)", "ihfft(A, 3, axis=0)", "fftn(X)", "fftn(X, axes=(0, 2))", "fftn(X, s=(2, 5), axes=(1, 2))", "ifftn(X, norm='ortho')", "fft2(Z)", "fft2(X, s=(2, 2))",
    "ifft2(Z)", "rfftn(X)", "rfftn(X, s=(2, 3), axes=(0, 1))", "irfftn(X)", "irfftn(Z, s=(3, 5), axes=(0, 1))", "rfft2(A)", "irfft2(Z)", "irfft2(Z, s=(3, 5))",
    "fftfreq(7)", "fftfreq(8, 0.1)", "rfftfreq(9, d=2.0)", "rfftfreq(1)", "fftshift(A)", "fftshift(Z, 0)", "ifftshift(X, axes=(0, 2))",
]  # fmt: skip
DATA = {
    "A": RANDOM.normal(size=(3, 4)), "Z": RANDOM.normal(size=(3, 4)) + 1j * RANDOM.normal(size=(3, 4)),
    "X": RANDOM.normal(size=(2, 3, 4)), "I": RANDOM.integers(-5, 5, (3, 4)), "H": RANDOM.normal(size=(2, 3)).astype("f2"),
}  # fmt: skip


@pytest.mark.parametrize("text", FFT)
@pytest.mark.parametrize("wide", [False, True])
def test_transforms_are_numpys(text, wide):
    """float32 gives complex64, float64 complex128; integers count as float32."""
    theirs = {
        name: x if wide or x.dtype.kind not in "fc" else x.astype("c8" if x.dtype.kind == "c" else "f4")
        for name, x in DATA.items()
    }
    ours = {name: np.array(x, dtype=x.dtype) for name, x in theirs.items()}
    wanted = numpy.asarray(eval(f"f.{text}", {"f": numpy.fft, **theirs}))
    function = eval(f"lambda f, A, Z, X, I, H: f.{text}")
    compiled = hybridize.hybridize(lambda *arrays: function(np.fft, *arrays))
    for found in (function(np.fft, **ours), compiled(*ours.values())):
        assert found.shape == wanted.shape
        assert found.dtype.kind == wanted.dtype.kind
        if wide and "freq" not in text and "(I" not in text and "(H" not in text:
            assert found.dtype == wanted.dtype
        else:
            assert found.dtype in ("f4", "c8", "f2") or wide
        numpy.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def test_all_names_are_there():
    theirs = {name for name in numpy.fft.__all__ if callable(getattr(numpy.fft, name))}
    assert theirs == set(np.fft.__all__) == {text.partition("(")[0] for text in FFT}


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.fft.fft(x, 0), lambda x: np.fft.fft(x, axis=5), lambda x: np.fft.fft(x, norm="twice"), lambda x: np.fft.fft(x[:, :0]),
        lambda x: np.fft.irfft(x[:, :1]), lambda x: np.fft.fftn(x, s=(2,), axes=(0, 1)), lambda x: np.fft.fftfreq(0), lambda x: np.fft.rfft(x, -1),
    ],
)  # fmt: skip
def test_nonsense_raises(call):
    for function in (call, hybridize.hybridize(call)):
        with pytest.raises(HybridizeError, match=r"E345|E111|E188|E344"):
            function(reals(3, 4))


# --------------------------------------------------------------------------------------------------- gradients

LOSSES = {
    "power of a spectrum": lambda f, x, z: (abs(f.fft.fft(x)) ** 2 * x).sum(),
    "rfft": lambda f, x, z: (
        (f.fft.rfft(x).real * f.fft.rfft(x).imag).sum() + (abs(f.fft.rfft(x, norm="ortho")) ** 3).sum()
    ),
    "irfft": lambda f, x, z: (f.fft.irfft(z, n=5) ** 3).sum() + (f.fft.irfft(z, n=6, norm="forward") ** 2).sum(),
    "ifft": lambda f, x, z: abs(f.fft.ifft(z * z, n=6) - 1).sum() + f.fft.ifft(x).imag.sum(),
    "fft2": lambda f, x, z: (f.fft.ifft2(f.fft.fft2(x) * z).real ** 3).sum(),
    "rfft2": lambda f, x, z: (abs(f.fft.irfft2(f.fft.rfft2(x) * (1 + 2j))) ** 2).sum(),
    "hfft": lambda f, x, z: (f.fft.hfft(z) ** 2).sum() + (abs(f.fft.ihfft(x)) ** 2).sum(),
    "arithmetic": lambda f, x, z: (abs(z * x + (2 - 1j) / z - z.conj() * z**2)).sum(),
    "functions": lambda f, x, z: (f.exp(z) * f.sin(z) + f.log(z) * f.sqrt(z) + f.tanh(z)).real.sum(),
    "products": lambda f, x, z: abs(z @ z.T @ (x + 0j)).sum(),
    "parts": lambda f, x, z: (z.real**2 * z.imag + f.angle(z)).sum() + f.where(x > 0, z, z * 1j).imag.sum(),
    "inverse": lambda f, x, z: abs(f.linalg.inv(z @ z.T + 3 * (1 + 1j) * f.eye(3))).sum(),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("way", ["imperative", "recorded program", "grad in a program"])
def test_gradients_are_pytorchs(name, way):
    loss = LOSSES[name]
    x, z = reals(3, 4, dtype="f8"), numbers(3, 4, dtype="c16")
    leaves = [torch.tensor(one.asnumpy(), requires_grad=True) for one in (x, z)]
    loss(torch, *leaves).backward()

    def function(x, z):
        return loss(np, x, z)

    for one in (x, z):
        one.attach_grad()
    if way == "grad in a program":

        @hybridize.hybridize
        def step(x, z):
            with autograd.record():
                value = function(x, z)
            value.backward()
            return x.grad * 1, z.grad * 1

        found = step(x, z)
    else:
        with autograd.record():
            value = (hybridize.hybridize(function) if way == "recorded program" else function)(x, z)
        value.backward()
        found = x.grad, z.grad
    for g, leaf in zip(found, leaves, strict=True):
        wanted = torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
        same(g, wanted.resolve_conj().numpy(), rtol=1e-8, atol=1e-10)


def test_what_has_no_gradient_is_refused_when_it_is_asked_for():
    z = numbers(3, 3)
    z.attach_grad()
    for call in (lambda z: np.linalg.det(z + 1), lambda z: np.maximum(z, 0), np.sign):
        with autograd.record():
            value = abs(call(z)).sum()
        with pytest.raises(StateError, match="E548"):
            value.backward()


# --------------------------------------------------------------------------------------------------- array API


def test_the_namespace_of_the_standard_has_complex_numbers():
    info = array_api.__array_namespace_info__()
    assert set(info.dtypes(kind="complex floating")) == {"complex64", "complex128"}
    assert info.default_dtypes()["complex floating"] == "c8"
    assert array_api.asarray([1j, 2]).dtype == array_api.full(2, 1j).dtype == "c8"
    assert array_api.__array_api_version__ == "2025.12"
    assert array_api.linalg.eigvals(np.eye(2)).dtype == "c8"
    assert array_api.fft.fft(np.ones(3)).dtype == "c8"
    assert isinstance(array_api.meshgrid(np.ones(2), np.ones(3)), tuple)


@pytest.mark.parametrize(
    ("function", "x", "wanted"),
    [
        ("expm1", complex(-0.0, 0), 0j), ("expm1", complex(numpy.inf, 0), complex(numpy.inf, 0)), ("expm1", complex(-numpy.inf, numpy.nan), -1 + 0j),
        ("expm1", 1e-12 + 1e-12j, 1e-12 + 1e-12j), ("tanh", complex(numpy.inf, 2), 1 + 0j), ("sqrt", complex(-4, -0.0), complex(0, -2)), ("log", complex(-1, 0), complex(0, numpy.pi)),
        ("sign", 3 + 4j, 0.6 + 0.8j), ("abs", complex(numpy.nan, numpy.inf), numpy.inf),
    ],
)  # fmt: skip
def test_special_cases_of_the_standard(function, x, wanted):
    found = getattr(array_api, function)(np.array(x, dtype="c16")).item()
    numpy.testing.assert_allclose([found.real, found.imag], [numpy.real(wanted), numpy.imag(wanted)], rtol=1e-9)
    assert numpy.signbit(found.imag) == numpy.signbit(numpy.imag(wanted))


def test_floor_divide_of_the_standard_has_limits_at_infinity():
    x, y = (
        np.array([numpy.inf, -numpy.inf, 1, -1, 7, 0, numpy.inf]),
        np.array([2, 2, -numpy.inf, numpy.inf, 2, 3, numpy.inf]),
    )
    found = array_api.floor_divide(x, y).asnumpy()
    numpy.testing.assert_array_equal(found, [numpy.inf, -numpy.inf, 0, 0, 3, 0, numpy.nan])
    assert numpy.signbit(found[2:4]).all()
    assert array_api.floor_divide(np.array([7], dtype="i4"), 2).item() == 3


@pytest.mark.parametrize("call", [lambda x: x * 2, lambda x: x.real * 2j])
def test_tensors_of_complex_numbers_are_refused_by_the_door_of_pytorch(call):
    with pytest.raises(DTypeError, match="E223"):
        hybridize.hybridize(call)(torch.ones(4, dtype=torch.complex64))
    with pytest.raises(DTypeError, match="E223"):
        hybridize.hybridize(lambda x: x * 2j)(torch.ones(4))
