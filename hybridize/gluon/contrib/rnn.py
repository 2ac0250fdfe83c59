# SPDX-License-Identifier: Apache-2.0
"""The cells that MXNet 1.x has in `gluon.contrib.rnn`."""

from hybridize.gluon.rnn import Conv1DGRUCell as Conv1DGRUCell
from hybridize.gluon.rnn import Conv1DLSTMCell as Conv1DLSTMCell
from hybridize.gluon.rnn import Conv1DRNNCell as Conv1DRNNCell
from hybridize.gluon.rnn import Conv2DGRUCell as Conv2DGRUCell
from hybridize.gluon.rnn import Conv2DLSTMCell as Conv2DLSTMCell
from hybridize.gluon.rnn import Conv2DRNNCell as Conv2DRNNCell
from hybridize.gluon.rnn import Conv3DGRUCell as Conv3DGRUCell
from hybridize.gluon.rnn import Conv3DLSTMCell as Conv3DLSTMCell
from hybridize.gluon.rnn import Conv3DRNNCell as Conv3DRNNCell
from hybridize.gluon.rnn import LSTMPCell as LSTMPCell
from hybridize.gluon.rnn import VariationalDropoutCell as VariationalDropoutCell
from hybridize.gluon.rnn import rnn_cell as rnn_cell
from hybridize.gluon.rnn.rnn_cell import dynamic_unroll as dynamic_unroll
