# SPDX-License-Identifier: Apache-2.0
"""The layers under the name of MXNet's module."""

from hybridize.gluon.rnn.layers import GRU as GRU
from hybridize.gluon.rnn.layers import LSTM as LSTM
from hybridize.gluon.rnn.layers import RNN as RNN
