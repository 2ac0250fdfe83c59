# SPDX-License-Identifier: Apache-2.0
"""The cells that MXNet 1.x has in `gluon.contrib.rnn`."""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.gluon.rnn",
    {
        "base": "dynamic_unroll",
        "cells": "LSTMPCell",
        "convolutional": (
            "Conv1DGRUCell Conv1DLSTMCell Conv1DRNNCell Conv2DGRUCell Conv2DLSTMCell Conv2DRNNCell "
            "Conv3DGRUCell Conv3DLSTMCell Conv3DRNNCell"
        ),
        "modifiers": "VariationalDropoutCell",
    },
) | {"rnn_cell": "hybridize.gluon.rnn.rnn_cell"}
"""Places of the cells."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
