# SPDX-License-Identifier: Apache-2.0
"""Apache MXNet's files: `.params` of every generation, and `-symbol.json`.

`params` reads and writes weights and needs nothing but NumPy; `symbol` reads graphs as nodes, `write` writes ours. What
the nodes compute is no matter of formats: they are functions of `hybridize.nd`; see `hybridize.symbol`. Reading accepts
everything that any MXNet wrote; writing produces what both 1.9.1 and 2.0 load.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.formats.mxnet",
    {
        "params": "Arrays Stored parse_params parse_stored read_params read_stored serialize_params write_params",
    },
)
"""Places of the names."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
