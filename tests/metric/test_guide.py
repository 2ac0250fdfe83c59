"""The guide's page on losses, metrics and initial values: its programs run, and it names all that there is."""

import re
from pathlib import Path

import numpy
import pytest

from hybridize import init, metric, random
from hybridize.gluon import loss

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "losses.md"


def test_programs(capsys):
    names = {}
    random.seed(0)
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(block, names)
    numpy.testing.assert_allclose(names["value"].asnumpy(), [0.12692805, 1.3132616], rtol=1e-6)
    numpy.testing.assert_allclose(names["scores"].grad.asnumpy()[1], [-0.7310586, 0.7310586], rtol=1e-6)
    found = names["measured"].get()
    assert found[0] == ["accuracy", "top_k_accuracy_2", "cross-entropy"]
    assert found[1] == pytest.approx([0.5, 1.0, 0.510825629560887])
    assert names["accuracy"].get()[1] > 0.5
    assert "Train finished" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("module", "base", "left_out"),
    [
        (loss, loss.Loss, {"Loss"}),
        (metric, metric.EvalMetric, {"EvalMetric", "CompositeEvalMetric", "NegativeLogLikelihood", "Torch"}),
        (init, init.Initializer, {"Initializer", "FusedRNN"}),
    ],
)
def test_nothing_is_left_out(module, base, left_out):
    there = {one.__name__ for one in vars(module).values() if isinstance(one, type) and issubclass(one, base)}
    written = set(re.findall(r"\w+", PAGE.read_text()))
    assert there - left_out - written == set()
