# SPDX-License-Identifier: Apache-2.0
"""The cells under the name of MXNet's module, and its `dynamic_unroll`."""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.gluon.rnn",
    {
        "base": "HybridRecurrentCell RecurrentCell dynamic_unroll",
        "cells": "GRUCell LSTMCell LSTMPCell RNNCell",
        "containers": "BidirectionalCell HybridSequentialRNNCell SequentialRNNCell",
        "modifiers": "DropoutCell ModifierCell ResidualCell VariationalDropoutCell ZoneoutCell",
    },
)
"""Places of the cells."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
