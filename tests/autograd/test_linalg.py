# SPDX-License-Identifier: Apache-2.0
"""Gradients of `np.linalg` and of NumPy's sets: PyTorch's, of the first and the second order."""

import numpy
import pytest
import torch

from hybridize import autograd, errors, np
from tests.refusals import refusal

A = numpy.random.default_rng(0).normal(size=(3, 3))
B = numpy.random.default_rng(1).normal(size=(2, 3, 3))
TALL, WIDE = numpy.random.default_rng(2).normal(size=(4, 2)), numpy.random.default_rng(3).normal(size=(2, 4))
SINGULAR = numpy.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])
L, T = np.linalg, torch.linalg


def positive(m, x):
    """Symmetric positive definite, with eigenvalues apart."""
    return m.matmul(x, x.swapaxes(-1, -2)) + m.diag(m.array([1.0, 2.0, 4.0][: x.shape[-2]], dtype=m.float64))


torch.array = torch.tensor  # one word for both

CASES = {
    "inv": (L.inv, T.inv, A), "inv_stack": (L.inv, T.inv, B), "det": (L.det, T.det, A), "det_stack": (L.det, T.det, B),
    "det_singular": (L.det, T.det, SINGULAR), "logdet": (lambda x: L.slogdet(x).logabsdet, lambda x: T.slogdet(x)[1], A),
    "solve": (lambda x: L.solve(x, x[0]), lambda x: T.solve(x, x[0]), A), "solve_stack": (lambda x: L.solve(x, x[0]), lambda x: T.solve(x, x[0].expand(2, 3, 3)), B),
    "solve_one": (lambda x: L.solve(x[0], x), lambda x: T.solve(x[0].expand(2, 3, 3), x), B),
    "cholesky": (lambda x: L.cholesky(positive(np, x)), lambda x: T.cholesky(positive(torch, x)), A),
    "cholesky_upper": (lambda x: L.cholesky(positive(np, x), upper=True), lambda x: T.cholesky(positive(torch, x), upper=True), B),
    "eigh": (lambda x: L.eigh(positive(np, x)).eigenvectors ** 2, lambda x: T.eigh(positive(torch, x))[1] ** 2, A),
    "eigh_upper": (lambda x: L.eigh(positive(np, x), "U")[0], lambda x: T.eigh(positive(torch, x))[0], B),
    "eigvalsh": (lambda x: L.eigvalsh(positive(np, x)), lambda x: T.eigvalsh(positive(torch, x)), A),
    "eig": (lambda x: L.eig(positive(np, x) + np.triu(x) * 0.1)[1] ** 2, lambda x: T.eig(positive(torch, x) + torch.triu(x) * 0.1)[1].real ** 2, A),
    "eigvals": (lambda x: np.sort(L.eigvals(positive(np, x) + np.triu(x) * 0.1)), lambda x: T.eigvals(positive(torch, x) + torch.triu(x) * 0.1).real.sort()[0], A),
    "svd": (lambda x: L.svd(x)[0] ** 2, lambda x: T.svd(x)[0] ** 2, A), "svd_values": (lambda x: L.svd(x, compute_uv=False), T.svdvals, B),
    "svd_thin": (lambda x: L.svd(x, False)[0] ** 2, lambda x: T.svd(x, False)[0] ** 2, TALL),
    "svd_full": (lambda x: L.svd(x)[2][:2] ** 2, lambda x: T.svd(x)[2][:2] ** 2, WIDE),
    "svd_hermitian": (lambda x: L.svd(positive(np, x), hermitian=True)[2] ** 2, lambda x: T.svd(positive(torch, x))[2] ** 2, A),
    "svdvals": (L.svdvals, T.svdvals, WIDE),
    "qr": (lambda x: L.qr(x)[0], lambda x: T.qr(x)[0], TALL), "qr_r": (lambda x: L.qr(x, "r"), lambda x: T.qr(x)[1], B),
    "qr_wide": (lambda x: L.qr(x)[1], lambda x: T.qr(x)[1], WIDE), "qr_complete": (lambda x: L.qr(x, "complete")[0], lambda x: T.qr(x)[0], WIDE),
    "pinv": (L.pinv, T.pinv, TALL), "pinv_wide": (lambda x: L.pinv(x, rtol=None), T.pinv, WIDE), "pinv_stack": (lambda x: L.pinv(x, 1e-10), T.pinv, B),
    "lstsq": (lambda x: L.lstsq(x, x[:, 0] ** 2)[0], lambda x: T.lstsq(x, x[:, :1] ** 2)[0][:, 0], TALL),
    "lstsq_residuals": (lambda x: L.lstsq(x, x[:, :1] ** 2, 1e-12)[1], lambda x: ((x @ (T.pinv(x) @ x[:, :1] ** 2) - x[:, :1] ** 2) ** 2).sum(0), TALL),
    "lstsq_singular_values": (lambda x: L.lstsq(x, x[:, 0])[3], T.svdvals, TALL),
    "tensorinv": (lambda x: L.tensorinv(x.reshape((3, 3, 1)), 1), lambda x: T.tensorinv(x.reshape(3, 3, 1), 1), A),
    "tensorsolve": (lambda x: L.tensorsolve(x, x[1]), lambda x: T.tensorsolve(x, x[1]), A),
    "tensorsolve_axes": (lambda x: L.tensorsolve(x, x[1] ** 2, (0,)), lambda x: T.solve(x.T, x[1] ** 2), A),
    "cond": (L.cond, T.cond, A), "cond_least": (lambda x: L.cond(x, -2), lambda x: T.cond(x, -2), B),
    "cond_1": (lambda x: L.cond(x, 1), lambda x: T.norm(x, 1) * T.norm(T.inv(x), 1), A),
    "norm_2": (lambda x: L.norm(x, 2), lambda x: T.norm(x, 2), A), "norm_least": (lambda x: L.norm(x, -2, (1, 2)), lambda x: T.norm(x, -2, (1, 2)), B),
    "norm_nuc": (lambda x: L.norm(x, "nuc"), lambda x: T.norm(x, "nuc"), WIDE), "matrix_norm": (lambda x: L.matrix_norm(x, ord=2), lambda x: T.matrix_norm(x, 2), B),
    "matrix_norm_kept": (lambda x: L.matrix_norm(x, ord="nuc", keepdims=True), lambda x: T.matrix_norm(x, "nuc", keepdim=True), B),
    "matrix_power": (lambda x: L.matrix_power(x, -2), lambda x: T.matrix_power(x, -2), A),
    "vector_norm": (lambda x: L.vector_norm(x, axis=1, ord=3), lambda x: T.vector_norm(x, 3, 1), A), "vector_norm_all": (lambda x: L.vector_norm(x, keepdims=True), lambda x: T.vector_norm(x, keepdim=True), A),
    "numpy": (numpy.linalg.inv, T.inv, A),
    "unique": (lambda x: np.unique(x * x), lambda x: torch.sort((x * x).ravel())[0], A),
    "union1d": (lambda x: np.union1d(x, x + 1), lambda x: torch.sort(torch.cat([x.ravel(), x.ravel() + 1]))[0], A),
    "intersect1d": (lambda x: np.intersect1d(x, x[1:]), lambda x: torch.sort(x[1:].ravel())[0], A),
    "setdiff1d": (lambda x: np.setdiff1d(x, x[:1]), lambda x: torch.sort(x[1:].ravel())[0], A),
    "bincount": (lambda x: np.bincount(np.array([0, 2, 2], dtype="int64"), x[0], 4), lambda x: torch.bincount(torch.tensor([0, 2, 2]), torch.ones(3), 4) * 0 + torch.stack([x[0, 0], x[0, 0] * 0, x[0, 1] + x[0, 2], x[0, 0] * 0]), A),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_pytorchs(name):
    ours, theirs, data = CASES[name]
    x, t = np.array(data, dtype="float64"), torch.tensor(data, requires_grad=True)
    x.attach_grad()
    plain = ours(x)
    with autograd.record():
        y = ours(x)
        (first,) = autograd.grad(np.sin(y).sum(), x, create_graph=True)
        loss = (first * first).sum()
    loss.backward()
    wanted = theirs(t)
    slope = torch.autograd.grad(torch.sin(wanted).sum(), t, create_graph=True)[0]
    second = torch.autograd.grad((slope * slope).sum(), t)[0].numpy()
    numpy.testing.assert_allclose(y.asnumpy(), plain.asnumpy(), rtol=1e-10, atol=1e-12, err_msg="recorded or not")
    numpy.testing.assert_allclose(y.asnumpy(), wanted.detach().numpy(), rtol=1e-9, atol=1e-10)
    numpy.testing.assert_allclose(
        first.asnumpy(), slope.detach().numpy(), rtol=1e-8, atol=1e-9 * abs(slope).max().item()
    )
    numpy.testing.assert_allclose(x.grad.asnumpy(), second, rtol=1e-7, atol=1e-8 * abs(second).max())


def variable(data, dtype="float64"):
    x = np.array(data, dtype=dtype)
    x.attach_grad()
    return x


def refused(code, call):
    with autograd.record(), refusal(errors.HybridizeError, code) as raised:
        call()
    assert raised.value.loc.file == __file__
    assert raised.value.help


def test_what_a_matrix_does_not_determine_is_refused():
    x = variable(TALL)
    refused("E393", lambda: L.qr(x, "complete"))
    refused("E393", lambda: L.qr(x, "raw"))
    turning = variable([[0.0, -1.0], [1.0, 0.0]])
    refused("E394", lambda: L.eig(turning))
    refused("E394", lambda: L.eigvals(turning))
    with autograd.record():
        L.qr(x.detach(), "complete")
        L.eig(turning.detach())


def test_errors_are_numpys():
    x = variable(TALL)
    for call in (L.inv, L.det, L.slogdet, L.cholesky, L.eigh, L.eig, lambda x: L.solve(x, x[0]), L.eigvalsh):
        with autograd.record(), pytest.raises(numpy.linalg.LinAlgError, match="square"):
            call(x)
    with autograd.record(), pytest.raises(numpy.linalg.LinAlgError, match="Singular"):
        L.inv(variable(SINGULAR))
    with autograd.record(), pytest.raises(errors.HybridizeError):
        L.solve(variable(A), np.ones(4))


def test_where_there_is_no_gradient_it_is_not_finite():
    """As in PyTorch: eigenvectors of eigenvalues that come again, the logarithm of the determinant 0."""
    cases = [
        (np.eye(3), lambda x: L.eigh(x)[1][0].sum(), False),
        (np.eye(3), lambda x: L.eigh(x)[0].sum(), True),
        (np.array(SINGULAR), lambda x: L.slogdet(x)[1], False),
        (np.eye(3), lambda x: L.svd(x)[0][0].sum(), False),
        (np.zeros((2, 2)), lambda x: L.svdvals(x).sum(), True),
    ]
    for data, call, finite in cases:
        x = variable(data.asnumpy())
        with autograd.record():
            y = call(x)
        y.backward()
        assert bool(np.isfinite(x.grad).all()) is finite


def test_float32_stays_float32_and_integers_join():
    x = variable(A, "float32")
    with autograd.record():
        y = L.solve(np.array([[2, 1, 0], [1, 3, 0], [0, 0, 1]], dtype="int32"), x)
    y.backward()
    assert y.dtype == x.grad.dtype == "float32"
    numpy.testing.assert_allclose(
        x.grad.asnumpy(), numpy.linalg.inv([[2, 1, 0], [1, 3, 0], [0, 0, 1]]).sum(0)[:, None].repeat(3, 1), rtol=1e-6
    )


def test_a_covariance_is_fitted():
    """Maximum likelihood of a normal distribution, by its Cholesky factor: the sample covariance comes out."""
    samples = numpy.random.default_rng(5).normal(size=(50, 3)) @ numpy.array([[1, 0, 0], [0.5, 1, 0], [0, 0.3, 2]])
    wanted = samples.T @ samples / 50
    x, data = variable(numpy.eye(3)), np.array(samples, dtype="float64")
    for _ in range(400):
        with autograd.record():
            s = L.cholesky(x @ x.T)
            z = L.solve(s, data.T)
            loss = np.log(np.diagonal(s)).sum() + (z * z).sum() / 100
        loss.backward()
        x -= 0.1 * x.grad
    numpy.testing.assert_allclose((x @ x.T).asnumpy(), wanted, rtol=1e-3, atol=1e-3)


def test_every_function_is_here_or_in_the_table_of_np():
    """`matrix_rank` counts; products and norms compile, and stand in test_every_function under np's and npx' names."""
    others = {
        "LinAlgError",
        "diagonal",
        "multi_dot",
        "matrix_rank",
        "cross",
        "matmul",
        "matrix_transpose",
        "outer",
        "tensordot",
        "trace",
        "vecdot",
        "vector_norm",
        "slogdet",
    }
    named = {name for name in L.__all__ if any(case == name or case.startswith(f"{name}_") for case in CASES)}
    assert set(L.__all__) - named == others - named
