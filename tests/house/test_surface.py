"""The public names, as the design lists them."""

import traceback

import pytest

import hybridize

NAMES = {
    *("hybridize", "load", "Program", "Benchmark", "Timer", "np", "npx", "nd", "sym", "gluon", "autograd", "init"),
    *("optimizer", "lr_scheduler", "metric", "random", "cpu", "gpu", "num_gpus", "set_num_threads", "disabled"),
    "errors",
}
LATER = {"optimizer", "lr_scheduler", "metric"}
"""Named by the design, and part of the training issue."""


def test_public_names():
    public = set(hybridize.__all__) - {"__version__"}
    assert public - NAMES == set(), "a name that the design does not list"
    assert NAMES - public - LATER == set(), "a name that the design lists"
    for name in public:
        assert hasattr(hybridize, name)


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
