# Written by `docs/make.py` from the module's table of names.

from hybridize.gluon.rnn.base import dynamic_unroll as dynamic_unroll
from hybridize.gluon.rnn.cells import LSTMPCell as LSTMPCell
from hybridize.gluon.rnn.convolutional import Conv1DGRUCell as Conv1DGRUCell
from hybridize.gluon.rnn.convolutional import Conv1DLSTMCell as Conv1DLSTMCell
from hybridize.gluon.rnn.convolutional import Conv1DRNNCell as Conv1DRNNCell
from hybridize.gluon.rnn.convolutional import Conv2DGRUCell as Conv2DGRUCell
from hybridize.gluon.rnn.convolutional import Conv2DLSTMCell as Conv2DLSTMCell
from hybridize.gluon.rnn.convolutional import Conv2DRNNCell as Conv2DRNNCell
from hybridize.gluon.rnn.convolutional import Conv3DGRUCell as Conv3DGRUCell
from hybridize.gluon.rnn.convolutional import Conv3DLSTMCell as Conv3DLSTMCell
from hybridize.gluon.rnn.convolutional import Conv3DRNNCell as Conv3DRNNCell
from hybridize.gluon.rnn.modifiers import VariationalDropoutCell as VariationalDropoutCell
from hybridize.gluon.rnn import rnn_cell as rnn_cell

PLACES: dict[str, str]
__all__ = [
    "Conv1DGRUCell", "Conv1DLSTMCell", "Conv1DRNNCell", "Conv2DGRUCell", "Conv2DLSTMCell", "Conv2DRNNCell",
    "Conv3DGRUCell", "Conv3DLSTMCell", "Conv3DRNNCell", "LSTMPCell", "VariationalDropoutCell", "dynamic_unroll",
    "rnn_cell"
]
