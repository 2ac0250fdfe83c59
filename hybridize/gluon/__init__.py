# SPDX-License-Identifier: Apache-2.0
"""Gluon: nets as Python classes that run imperatively, and, after `net.hybridize()`, as compiled programs.

In: arrays. Out: arrays. A `Block` holds parameters and children and says in `forward` what it does; a `HybridBlock`
makes one `capture.Function` of it. Parameters reach a program by being read while it is captured.
It must not know graphs, compilers or kernels.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize",
    {
        "base.errors": "DeferredInitializationError",
        "gluon.block": "Block",
        "gluon.hybrid_block": "HybridBlock",
        "gluon.parameter": "Constant Parameter",
        "gluon.parameter_dict": "ParameterDict",
        "gluon.symbol_block": "SymbolBlock",
        "gluon.trainer": "Trainer",
    },
) | {
    "metric": "hybridize.metric",
    **{
        name: f"hybridize.gluon.{name}"
        for name in ("contrib", "data", "loss", "model_zoo", "nn", "probability", "rnn", "utils")
    },
}
"""Places of the names; `metric` is one in MXNet 2."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
