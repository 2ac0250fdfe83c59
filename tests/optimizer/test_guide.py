"""The programs of the guide's part on optimizers run as they stand there."""

import re
from pathlib import Path

import pytest

from hybridize import autograd, np, optimizer

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "training.md"


def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    section = text[text.index("## Optimizers") : text.index("## The whole step")]
    names = {"np": np}
    try:
        for block in re.findall(r"```python\n(.*?)```", section, re.DOTALL):
            exec(block, names)
        trainer, net = names["trainer"], names["net"]
        with autograd.record():
            loss = net(names["some_x"]).sum()
        loss.backward()
        before = net[1].bias.data().asnumpy()
        trainer.step(1)
        assert net[1].bias.data().asnumpy() == pytest.approx(before - 1e-4)
    finally:
        optimizer.Optimizer.opt_registry.pop("lion", None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net.params", "trainer.states"]
    mentioned = set(re.findall(r"`([a-z]+)`", section))
    assert set(optimizer.Optimizer.opt_registry) <= mentioned
