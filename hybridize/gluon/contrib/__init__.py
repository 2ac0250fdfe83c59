# SPDX-License-Identifier: Apache-2.0
"""Layers that MXNet 1.x keeps here, `gluon.nn`'s; `gluon.rnn`'s cells and the `estimator`, loaded when asked for."""

from typing import Any

from hybridize.base.loading import load_module
from hybridize.base.missing import missing
from hybridize.gluon.contrib import cnn as cnn
from hybridize.gluon.contrib import nn as nn


def __getattr__(name: str) -> Any:
    if name in ("estimator", "rnn"):
        return load_module(f"{__name__}.{name}")
    raise missing(__name__, name, globals())
