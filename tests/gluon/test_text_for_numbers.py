# SPDX-License-Identifier: Apache-2.0
"""Text in the place of a number, as settings that are read from files have it, is refused where a layer is made."""

import inspect

import pytest

from hybridize.errors import HybridizeError
from hybridize.gluon import loss, nn, rnn
from hybridize.gluon.model_zoo import text

NEEDED = {
    "channels": 4, "units": 4, "kernel_size": 3, "num_groups": 2, "in_channels": 4, "rate": 0.5, "alpha": 0.1,
    "hidden_size": 4, "input_dim": 5, "output_dim": 4, "num_heads": 2, "in_units": 4, "axes": (0,), "function": "relu",
    "activation": "relu", "factor": 2, "hidden_units": 8, "max_length": 8, "size": 2, "vocab_size": 8, "num_layers": 1,
}  # fmt: skip
"""Arguments that have no default."""


def settings():
    """(class, name of a number among its arguments)"""
    for module in (nn, rnn, loss, text):
        for cls in vars(module).values():
            if not inspect.isclass(cls) or cls is loss.Loss:
                continue
            for parameter in list(inspect.signature(cls.__init__).parameters.values())[1:]:
                if str(parameter.annotation).startswith("float"):
                    yield pytest.param(cls, parameter.name, id=f"{cls.__name__} {parameter.name}")


@pytest.mark.parametrize(("cls", "name"), list(settings()))
def test_text_is_refused(cls, name):
    needed = {"base_cell": rnn.RNNCell(4), **NEEDED}
    parameters = inspect.signature(cls.__init__).parameters.values()
    given = {one.name: needed[one.name] for one in parameters if one.default is one.empty and one.name in needed}
    with pytest.raises(HybridizeError, match=r"got ('0\.5'|str)"):
        cls(**{**given, name: "0.5"})
