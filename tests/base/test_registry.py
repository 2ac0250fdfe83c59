# SPDX-License-Identifier: Apache-2.0
"""Classes of users' that are registered under names of the library's own."""

import subprocess
import sys

import pytest

REPLACED = """
import hybridize as mx
from hybridize import {room} as room

base, make = {base}, {make}
classes = {{}}
for name in {names}:
    classes[name] = type(name, (base,), {{"__init__": lambda self, *_, **__: None}})
    room.register(classes[name])
if hasattr(room, "alias"):
    classes["other"] = room.alias("zeros", "acc", "other")(type("Named", (base,), {{"__init__": lambda self: None}}))
wrong = [name for name, kind in classes.items() if type(make(name)) is not kind]
assert not wrong, wrong
if hasattr(room, "alias"):
    assert type(make({aliased!r})) is classes["other"]
assert type(make({untouched!r})).__module__.startswith("hybridize.")
"""


@pytest.mark.parametrize(
    "names",
    [
        {
            "room": "init", "base": "room.Initializer", "make": "mx.init.create", "aliased": "zeros",
            "names": ["Xavier", "Uniform", "Orthogonal", "LSTMBias", "One", "Mine"], "untouched": "normal",
        },
        {
            "room": "metric", "base": "room.EvalMetric", "make": "mx.metric.create", "aliased": "acc",
            "names": ["MSE", "Perplexity", "F1", "TopKAccuracy", "Loss", "Mine"], "untouched": "mae",
        },
        {
            "room": "optimizer", "base": "room.Optimizer", "make": "mx.optimizer.create", "aliased": "",
            "names": ["Adam", "SGD", "LAMB", "SGLD", "Mine"], "untouched": "nag",
        },
    ],
    ids=lambda names: names["room"],
)  # fmt: skip
def test_a_registered_class_replaces_the_librarys_whose_module_comes_later(names):
    """As in MXNet, where all modules are there from the beginning."""
    done = subprocess.run([sys.executable, "-c", REPLACED.format(**names)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
