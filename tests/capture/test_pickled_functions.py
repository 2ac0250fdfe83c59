"""Functions made by `hybridize` travel by name, and where the pickler copies functions as copies."""

import pickle
import subprocess
import sys
import textwrap

import cloudpickle
import joblib
import pytest

import hybridize
from hybridize import np
from hybridize.errors import ArgumentError
from tests.refusals import refusal

X = np.arange(4)


def plain(x):
    return x + 1


@hybridize.hybridize
def named(x):
    return x + 2


class Scaled:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return x * self.scale

    def half(self, x):
        return x * self.scale / 2

    @hybridize.hybridize
    def method(self, x):
        return x * self.scale


WAYS = {"pickle": pickle.dumps, "cloudpickle": cloudpickle.dumps}


def result(function):
    return function(X).tolist()


@pytest.mark.parametrize("way", WAYS)
def test_one_with_a_name_is_the_same(way):
    assert pickle.loads(WAYS[way](named)) is named
    bound = pickle.loads(WAYS[way](Scaled(3).method))
    assert result(bound) == [0, 3, 6, 9]
    assert bound.__func__ is Scaled.method


@pytest.mark.parametrize("way", WAYS)
def test_one_of_a_function_with_a_name_is_another_with_its_options(way):
    for function, wanted in (
        (plain, [1, 2, 3, 4]), (Scaled(3), [0, 3, 6, 9]), (Scaled(4).half, [0, 2, 4, 6])
    ):  # fmt: skip
        fast = hybridize.hybridize(function, threads=1, dynamic=True)
        fast(X)
        again = pickle.loads(WAYS[way](fast))
        assert again is not fast
        assert result(again) == wanted
        assert again.options == fast.options


def closures():
    scale = np.array([1, 2, 3, 4])

    @hybridize.hybridize
    def scaled(x):
        return x * scale

    @hybridize.hybridize
    def counted(x, n=3):
        return x if n == 0 else counted(x + 1, n - 1)

    return {"scaled": scaled, "lambda": hybridize.hybridize(lambda x: x - 1), "recursive": counted}


@pytest.mark.parametrize("name", closures())
def test_others_are_copied_by_cloudpickle_and_refused_by_pickle(name):
    function = closures()[name]
    expected = result(function)
    content = cloudpickle.dumps(function)
    again = pickle.loads(content)
    assert result(again) == expected
    with refusal(
        ArgumentError, r"E346: .*no other process finds it as .*(.|\n)*top of a module, save.* or use cloudpickle"
    ):
        pickle.dumps(function)


def test_the_copy_has_the_values_of_now():
    cell = [2]
    function = hybridize.hybridize(lambda x: x * cell[0])
    assert result(function) == [0, 2, 4, 6]
    cell[0] = 3
    assert result(pickle.loads(cloudpickle.dumps(function))) == [0, 3, 6, 9]


def test_modules_that_are_sent_by_value(monkeypatch):
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        content = cloudpickle.dumps(named)
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    assert b"plain" not in content
    again = pickle.loads(content)
    assert again is not named
    assert result(again) == [2, 3, 4, 5]


@pytest.mark.long
def test_functions_and_nets_of_a_script_reach_the_workers_of_joblib(tmp_path):
    """Which do not import the script."""
    (tmp_path / "script.py").write_text(
        textwrap.dedent("""
        import joblib, numpy
        import hybridize
        from hybridize import np
        from hybridize.gluon import HybridBlock, nn

        @hybridize.hybridize
        def double(x):
            return x * 2

        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.inner = nn.Dense(2, in_units=3)
            def forward(self, x):
                return self.inner(x) + 1

        def run(function, array):
            return numpy.asarray(function(np.array(array)))

        net = Net()
        net.initialize()
        net.hybridize()
        for function in (double, net):
            batches = [numpy.full((2, 3), float(k)) for k in range(4)]
            found = joblib.Parallel(n_jobs=2)(joblib.delayed(run)(function, batch) for batch in batches)
            numpy.testing.assert_allclose(found, [run(function, batch) for batch in batches], rtol=1e-6)
        print("all")
    """)
    )
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, timeout=120)
    assert done.stdout == "all\n", done.stderr
    assert joblib.hash(named) == joblib.hash(named)
