# SPDX-License-Identifier: Apache-2.0
"""Layers that MXNet 1.x keeps here, `gluon.nn`'s; `gluon.rnn`'s cells and the `estimator`, loaded when asked for."""

from hybridize.base.names import late

PLACES = {name: f"{__name__}.{name}" for name in ("cnn", "estimator", "nn", "rnn")}
"""Places of the modules."""

__getattr__, __dir__ = late(globals(), PLACES)
