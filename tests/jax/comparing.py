"""Comparisons with JAX's own results."""

import importlib.util
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy

FOLDER = Path(__file__).parents[1] / "suites" / "doors" / "programs"


def programs(file="jax"):
    """The functions of a file of tests/suites/doors/programs, by name."""
    spec = importlib.util.spec_from_file_location(f"doors_programs_{file}", FOLDER / f"{file}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PROGRAMS


def floats(x):
    return numpy.asarray(x, "f8") if jnp.issubdtype(x.dtype, jnp.floating) else numpy.asarray(x)


def assert_same(ours, theirs, rtol=2e-5, atol=2e-6):
    """The same structure, types and numbers: of short floats within their last digits."""
    (mine, tree), (wanted, other) = jax.tree.flatten(ours), jax.tree.flatten(theirs)
    assert tree == other
    for x, y in zip(mine, wanted, strict=True):
        assert isinstance(x, jax.Array)
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        assert getattr(x, "weak_type", False) == getattr(y, "weak_type", False)
        if jax.dtypes.issubdtype(y.dtype, jax.dtypes.prng_key):
            x, y = jax.random.key_data(x), jax.random.key_data(y)
        short = y.dtype in (jnp.bfloat16, jnp.float16)
        numpy.testing.assert_allclose(floats(x), floats(y), rtol=2e-2 if short else rtol, atol=2e-2 if short else atol)
