# SPDX-License-Identifier: Apache-2.0
"""The cells under the name of MXNet's module, and its `dynamic_unroll`."""

from hybridize.base.names import late, places
from hybridize.gluon import rnn

_MODULES = tuple(f"hybridize.gluon.rnn.{module}:" for module in ("base", "cells", "containers", "modifiers"))
PLACES = {name: place for name, place in rnn.PLACES.items() if place.startswith(_MODULES)} | places(
    "hybridize.gluon.rnn", {"base": "dynamic_unroll"}
)
"""Places of the cells."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
