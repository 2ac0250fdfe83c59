"""What `grad` gives is nobody else's, and no copy where it was nobody else's before."""

import tracemalloc

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hybridize
from hybridize import autograd
from hybridize.array import np

FORMULAS = {
    "the same gradient for both": lambda x, y: x + y,
    "the head's own": lambda x, y: x,
    "a view of it": lambda x, y: (x.reshape(-1) + y.reshape(-1)).reshape(x.shape),
    "turned": lambda x, y: x.T + y.T,
    "repeated": lambda x, y: (x.sum(1) + y.sum(1)).reshape(-1, 1),
    "a product's": lambda x, y: np.matmul(x, y.T),
    "of one of them": lambda x, y: x * 3 + y.sum() * 0,
    "twice": lambda x, y: x * x + x * y,
}


@pytest.mark.parametrize("compiled", [False, True])
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(FORMULAS)), min_size=1, max_size=2),
    st.lists(st.sampled_from("xy"), min_size=1, max_size=4),
    st.booleans(),
)
def test_results_are_arrays_of_their_own(compiled, names, asked, again):
    """Writing to one changes no other one, no head gradient, and no later answer."""
    arrays = {name: np.array(numpy.arange(12.0).reshape(3, 4).astype("f4") + k) for k, name in enumerate("xy")}
    for one in arrays.values():
        one.attach_grad()
    formulas = [FORMULAS[name] for name in names]
    call = lambda x, y: [of(x, y) for of in formulas]  # noqa: E731
    with autograd.record():
        heads = (hybridize.hybridize(call) if compiled else call)(arrays["x"], arrays["y"])
    given = [np.array(numpy.full(head.shape, 2 + k, "f4")) for k, head in enumerate(heads)]
    before = [one.asnumpy().copy() for one in (*given, *heads, *arrays.values())]
    wanted = [arrays[name] for name in asked]
    found = autograd.grad(heads, wanted, given, retain_graph=again)
    values = [one.asnumpy().copy() for one in found]
    for number, one in enumerate(found):
        one[...] = -1.0
        for other, value in list(zip(found, values, strict=True))[number + 1 :]:
            numpy.testing.assert_array_equal(other.asnumpy(), value)
    for one, value in zip((*given, *heads, *arrays.values()), before, strict=True):
        numpy.testing.assert_array_equal(one.asnumpy(), value)
    if again:
        for one, value in zip(autograd.grad(heads, wanted, given), values, strict=True):
            numpy.testing.assert_array_equal(one.asnumpy(), value)


@pytest.mark.parametrize("way", ["grad", "grad of a function"])
def test_no_copy_is_made_of_what_nobody_else_has(way):
    """Three large gradients of a compiled function: no fourth array, at any time."""
    x, y, z = (np.ones((500, 400)) for _ in range(3))
    net = hybridize.hybridize(lambda x, y, z: (x * y * z).sum())

    def gradients():
        if way != "grad":
            return hybridize.grad(net, argnums=(0, 1, 2))(x, y, z)
        for one in (x, y, z):
            one.attach_grad()
        with autograd.record():
            value = net(x, y, z)
        return autograd.grad(value, [x, y, z])

    gradients()
    tracemalloc.start()
    try:
        begin = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        found = gradients()
        most = tracemalloc.get_traced_memory()[1] - begin
    finally:
        tracemalloc.stop()
    assert [one.shape for one in found] == [(500, 400)] * 3
    assert most < 3.5 * 500 * 400 * 4
