# SPDX-License-Identifier: Apache-2.0
"""Recurrent nets: layers over whole sequences, cells of one step, and blocks that change, join and unroll cells."""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.gluon.rnn",
    {
        "base": "HybridRecurrentCell RecurrentCell",
        "cells": "GRUCell LSTMCell LSTMPCell RNNCell",
        "containers": "BidirectionalCell HybridSequentialRNNCell SequentialRNNCell",
        "convolutional": (
            "Conv1DGRUCell Conv1DLSTMCell Conv1DRNNCell Conv2DGRUCell Conv2DLSTMCell Conv2DRNNCell "
            "Conv3DGRUCell Conv3DLSTMCell Conv3DRNNCell"
        ),
        "layers": "GRU LSTM RNN",
        "modifiers": "DropoutCell ModifierCell ResidualCell VariationalDropoutCell ZoneoutCell",
    },
) | {"rnn_cell": "hybridize.gluon.rnn.rnn_cell", "rnn_layer": "hybridize.gluon.rnn.rnn_layer"}
"""Places of the layers and cells."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
