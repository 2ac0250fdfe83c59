# Written by `docs/make.py` from the module's table of names.

from hybridize.gluon.rnn.base import HybridRecurrentCell as HybridRecurrentCell
from hybridize.gluon.rnn.base import RecurrentCell as RecurrentCell
from hybridize.gluon.rnn.base import dynamic_unroll as dynamic_unroll
from hybridize.gluon.rnn.cells import GRUCell as GRUCell
from hybridize.gluon.rnn.cells import LSTMCell as LSTMCell
from hybridize.gluon.rnn.cells import LSTMPCell as LSTMPCell
from hybridize.gluon.rnn.cells import RNNCell as RNNCell
from hybridize.gluon.rnn.containers import BidirectionalCell as BidirectionalCell
from hybridize.gluon.rnn.containers import HybridSequentialRNNCell as HybridSequentialRNNCell
from hybridize.gluon.rnn.containers import SequentialRNNCell as SequentialRNNCell
from hybridize.gluon.rnn.modifiers import DropoutCell as DropoutCell
from hybridize.gluon.rnn.modifiers import ModifierCell as ModifierCell
from hybridize.gluon.rnn.modifiers import ResidualCell as ResidualCell
from hybridize.gluon.rnn.modifiers import VariationalDropoutCell as VariationalDropoutCell
from hybridize.gluon.rnn.modifiers import ZoneoutCell as ZoneoutCell

PLACES: dict[str, str]
__all__ = [
    "BidirectionalCell", "DropoutCell", "GRUCell", "HybridRecurrentCell", "HybridSequentialRNNCell", "LSTMCell",
    "LSTMPCell", "ModifierCell", "RNNCell", "RecurrentCell", "ResidualCell", "SequentialRNNCell",
    "VariationalDropoutCell", "ZoneoutCell", "dynamic_unroll"
]
