# Written by `docs/make.py` from the module's table of names.

from hybridize.gluon.rnn.base import HybridRecurrentCell as HybridRecurrentCell
from hybridize.gluon.rnn.base import RecurrentCell as RecurrentCell
from hybridize.gluon.rnn.cells import GRUCell as GRUCell
from hybridize.gluon.rnn.cells import LSTMCell as LSTMCell
from hybridize.gluon.rnn.cells import LSTMPCell as LSTMPCell
from hybridize.gluon.rnn.cells import RNNCell as RNNCell
from hybridize.gluon.rnn.containers import BidirectionalCell as BidirectionalCell
from hybridize.gluon.rnn.containers import HybridSequentialRNNCell as HybridSequentialRNNCell
from hybridize.gluon.rnn.containers import SequentialRNNCell as SequentialRNNCell
from hybridize.gluon.rnn.convolutional import Conv1DGRUCell as Conv1DGRUCell
from hybridize.gluon.rnn.convolutional import Conv1DLSTMCell as Conv1DLSTMCell
from hybridize.gluon.rnn.convolutional import Conv1DRNNCell as Conv1DRNNCell
from hybridize.gluon.rnn.convolutional import Conv2DGRUCell as Conv2DGRUCell
from hybridize.gluon.rnn.convolutional import Conv2DLSTMCell as Conv2DLSTMCell
from hybridize.gluon.rnn.convolutional import Conv2DRNNCell as Conv2DRNNCell
from hybridize.gluon.rnn.convolutional import Conv3DGRUCell as Conv3DGRUCell
from hybridize.gluon.rnn.convolutional import Conv3DLSTMCell as Conv3DLSTMCell
from hybridize.gluon.rnn.convolutional import Conv3DRNNCell as Conv3DRNNCell
from hybridize.gluon.rnn.layers import GRU as GRU
from hybridize.gluon.rnn.layers import LSTM as LSTM
from hybridize.gluon.rnn.layers import RNN as RNN
from hybridize.gluon.rnn.modifiers import DropoutCell as DropoutCell
from hybridize.gluon.rnn.modifiers import ModifierCell as ModifierCell
from hybridize.gluon.rnn.modifiers import ResidualCell as ResidualCell
from hybridize.gluon.rnn.modifiers import VariationalDropoutCell as VariationalDropoutCell
from hybridize.gluon.rnn.modifiers import ZoneoutCell as ZoneoutCell
from hybridize.gluon.rnn import rnn_cell as rnn_cell
from hybridize.gluon.rnn import rnn_layer as rnn_layer

PLACES: dict[str, str]
__all__ = [
    "BidirectionalCell", "Conv1DGRUCell", "Conv1DLSTMCell", "Conv1DRNNCell", "Conv2DGRUCell", "Conv2DLSTMCell",
    "Conv2DRNNCell", "Conv3DGRUCell", "Conv3DLSTMCell", "Conv3DRNNCell", "DropoutCell", "GRU", "GRUCell",
    "HybridRecurrentCell", "HybridSequentialRNNCell", "LSTM", "LSTMCell", "LSTMPCell", "ModifierCell", "RNN",
    "RNNCell", "RecurrentCell", "ResidualCell", "SequentialRNNCell", "VariationalDropoutCell", "ZoneoutCell",
    "rnn_cell", "rnn_layer"
]
