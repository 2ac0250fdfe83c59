# Written by `docs/make.py` from the module's table of names.

from hybridize.formats.mxnet.params import Arrays as Arrays
from hybridize.formats.mxnet.params import Stored as Stored
from hybridize.formats.mxnet.params import parse_params as parse_params
from hybridize.formats.mxnet.params import parse_stored as parse_stored
from hybridize.formats.mxnet.params import read_params as read_params
from hybridize.formats.mxnet.params import read_stored as read_stored
from hybridize.formats.mxnet.params import serialize_params as serialize_params
from hybridize.formats.mxnet.params import write_params as write_params

PLACES: dict[str, str]
__all__ = [
    "Arrays", "Stored", "parse_params", "parse_stored", "read_params", "read_stored", "serialize_params",
    "write_params"
]
