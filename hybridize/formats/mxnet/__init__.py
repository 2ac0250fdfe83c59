# SPDX-License-Identifier: Apache-2.0
"""Apache MXNet's files: `.params` of every generation, and `-symbol.json`.

`params` reads and writes weights and needs nothing but NumPy; `symbol` reads graphs as nodes, `write` writes ours. What
the nodes compute is no matter of formats: they are functions of `hybridize.nd`; see `hybridize.symbol`. Reading accepts
everything that any MXNet wrote; writing produces what both 1.9.1 and 2.0 load.
"""

from hybridize.formats.mxnet.params import Arrays as Arrays
from hybridize.formats.mxnet.params import Stored as Stored
from hybridize.formats.mxnet.params import parse_params as parse_params
from hybridize.formats.mxnet.params import parse_stored as parse_stored
from hybridize.formats.mxnet.params import read_params as read_params
from hybridize.formats.mxnet.params import read_stored as read_stored
from hybridize.formats.mxnet.params import serialize_params as serialize_params
from hybridize.formats.mxnet.params import write_params as write_params
