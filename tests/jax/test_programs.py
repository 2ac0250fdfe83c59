"""Functions as people write them: their results, with other batch sizes, under JAX's own transformations."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from hybridize import hybridize

sys.path.insert(0, str(Path(__file__).parent))
from comparing import assert_same, programs

PROGRAMS = programs()
EXACT = {"kalman_filter": "no argument has a batch", "dynamic_bounds": "no argument has a batch"}
"""Programs of which there is nothing to open, by the reason."""
ROUNDED = {"mixed_precision": "XLA leaves out roundings to bfloat16 that the program says"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_and_second_sizes(name):
    function, arguments = PROGRAMS[name]
    fast = hybridize(jax.jit(function))
    for n in (4, 6, 9, 4):
        args = arguments(n)
        theirs = function if name in ROUNDED else jax.jit(function)
        assert_same(fast(*args), theirs(*args), rtol=1e-4, atol=1e-5)
    count = fast.cache_info()["programs"]
    assert count == (1 if name in EXACT else 2), [program.reason for program in fast.programs()]
    assert not any(program.fallbacks for program in fast.programs())


@pytest.mark.parametrize("name", ["mlp", "attention", "layer_norm", "contrastive"])
def test_under_transformations_of_jax(name):
    function, arguments = PROGRAMS[name]
    args = arguments(4)
    fast = hybridize(jax.jit(function))
    fast(*args)

    def total(f):
        return lambda *xs: sum(jnp.sum(leaf) for leaf in jax.tree.leaves(f(*xs)))

    assert_same(jax.grad(total(fast))(*args), jax.grad(total(function))(*args))
    assert_same(jax.jit(fast)(*args), jax.jit(function)(*args))
    doubled = jax.tree.map(lambda x: jnp.stack([x, 2 * x]), args)
    assert_same(jax.vmap(fast)(*doubled), jax.vmap(function)(*doubled))


@pytest.mark.parametrize("name", ["mlp", "attention", "rnn", "layer_norm", "convolution_and_pooling", "own_gradient"])
def test_hybridized_gradients(name):
    function, arguments = PROGRAMS[name]

    def loss(*xs):
        return sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(function(*xs)))

    fast = hybridize(jax.jit(jax.value_and_grad(loss)))
    for n in (3, 5):
        assert_same(fast(*arguments(n)), jax.value_and_grad(loss)(*arguments(n)), rtol=2e-4, atol=2e-5)


MORE = programs("jax_more")


@pytest.mark.parametrize("name", MORE)
def test_more_programs(name):
    function, args = MORE[name]
    theirs = function if name == "bf" else jax.jit(function)  # XLA leaves out roundings to bfloat16
    assert_same(hybridize(jax.jit(function))(*args), theirs(*args), rtol=2e-4, atol=2e-5)


def test_steps_of_a_training():
    function, arguments = PROGRAMS["transformer_training_step"]
    params, state, tokens = arguments(4)
    fast = hybridize(jax.jit(function))
    ours, theirs = (params, state), (params, state)
    for _ in range(5):
        value, *ours = fast(*ours, tokens)
        wanted, *theirs = jax.jit(function)(*theirs, tokens)
        assert abs(value - wanted) < 2e-4
    assert len(fast.programs()) == 1
