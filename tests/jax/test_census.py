"""Functions of jax.numpy and its kin, each hybridized and compared with JAX, and a ledger of those that are refused."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import pytest
from jax import lax

from hybridize import hybridize
from hybridize.errors import CaptureError

sys.path.insert(0, str(Path(__file__).parent))
from comparing import assert_same

from tests.refusals import refusal


def normal(seed, *shape):
    return jax.random.normal(jax.random.PRNGKey(seed), shape)


x, y, v, w = normal(1, 3, 4), normal(2, 3, 4), normal(3, 6), normal(4, 6)
s = normal(5, 4, 4) @ normal(5, 4, 4).T + 4 * jnp.eye(4)
i, j, b = jnp.array([3, -7, 0, 5, 2]), jnp.array([2, 3, 5, -4, 1]), x > 0
u = jnp.array([1, 200, 7], jnp.uint8)
z = normal(6, 2, 3, 4)
ARGUMENTS = {"x": x, "y": y, "v": v, "w": w, "s": s, "i": i, "j": j, "b": b, "u": u, "z": z}

CASES = (Path(__file__).parent / "census.txt").read_text().splitlines()

REFUSED = {
    "jnp.linalg.eigvals(s).real.sum()": "eig",
    "jsp.special.zeta(jnp.abs(x)+1.5,1.)": "zeta",
}
"""Functions that are refused at the user's line, by the primitive that has no row. It may only shrink."""
BY_ANOTHER_WAY = {}
"""Functions whose numbers are less near than those of others, by the reason: relative errors."""


@pytest.mark.parametrize("text", CASES)
def test_function(text):
    function = jax.jit(eval(f"lambda {', '.join(ARGUMENTS)}: {text}", {"jnp": jnp, "jax": jax, "jsp": jsp, "lax": lax}))
    wanted = function(*ARGUMENTS.values())
    fast = hybridize(function)
    if text in REFUSED:
        with refusal(CaptureError, f"E420: {REFUSED[text]}"):
            fast(*ARGUMENTS.values())
        return
    assert_same(fast(*ARGUMENTS.values()), wanted, rtol=BY_ANOTHER_WAY.get(text, 3e-5), atol=3e-6)


def test_ledger():
    assert len(CASES) >= 396
    assert len(REFUSED) <= 3
