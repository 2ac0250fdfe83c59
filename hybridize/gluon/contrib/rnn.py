# SPDX-License-Identifier: Apache-2.0
"""The cells that MXNet 1.x has in `gluon.contrib.rnn`."""

from hybridize.base.names import late, places
from hybridize.gluon import rnn

PLACES = {name: place for name, place in rnn.PLACES.items() if ".convolutional:" in place} | places(
    "hybridize.gluon.rnn",
    {"base": "dynamic_unroll", "cells": "LSTMPCell", "modifiers": "VariationalDropoutCell"},
)
PLACES["rnn_cell"] = "hybridize.gluon.rnn.rnn_cell"
"""Places of the cells."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
