"""The public names, as the design lists them."""

import traceback

import pytest

import hybridize

NAMES = {
    *("hybridize", "load", "Program", "Benchmark", "Timer", "np", "npx", "nd", "sym", "gluon", "autograd", "init"),
    *("optimizer", "lr_scheduler", "metric", "random", "cpu", "gpu", "num_gpus", "set_num_threads", "disabled"),
    *("errors", "grad", "value_and_grad", "checkpoint", "array_api"),
}
LATER = {"optimizer", "lr_scheduler", "metric"}
"""Named by the design, and part of the training issue."""


def test_public_names():
    public = set(hybridize.__all__) - {"__version__"}
    assert public - NAMES == set(), "a name that the design does not list"
    assert NAMES - public - LATER == set(), "a name that the design lists"
    for name in public:
        assert hasattr(hybridize, name)


def test_gradients_of_functions():
    """`hybridize.grad` is of functions; `autograd.grad`, MXNet's, of arrays; each says so where it is given the other."""
    np = hybridize.np
    x = np.array([1.0, 2.0])
    assert hybridize.grad(lambda x: (x**3).sum())(x).tolist() == [3.0, 12.0]
    value, gradient = hybridize.value_and_grad(hybridize.checkpoint(lambda x: (x**2).sum()))(x)
    assert (float(value), gradient.tolist()) == (5.0, [2.0, 4.0])
    assert hybridize.hybridize(lambda x: hybridize.grad(lambda x: (x**3).sum())(x) * 2)(x).tolist() == [6.0, 24.0]
    for function in (hybridize.grad, hybridize.value_and_grad):
        with pytest.raises(hybridize.errors.ArgumentError, match=r"E395.*got ndarray(.|\n)*autograd.grad\(heads"):
            function(x.sum(), x)


def test_faces_of_f_are_modules():
    import hybridize.ndarray
    import hybridize.symbol

    assert hybridize.ndarray.__name__ == "hybridize.ndarray"
    assert hybridize.symbol.__name__ == "hybridize.symbol"


def test_every_error_can_be_caught_by_name():
    from hybridize.base import errors

    classes = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)}
    assert set(hybridize.errors.__all__) == classes
    with pytest.raises(hybridize.errors.HybridizeError) as caught:
        hybridize.np.ones(2) @ hybridize.np.ones(3)
    assert type(caught.value) is hybridize.errors.ShapeError
    assert isinstance(caught.value, ValueError)
    assert "hybridize.errors.ShapeError: " in "".join(traceback.format_exception(caught.value))
