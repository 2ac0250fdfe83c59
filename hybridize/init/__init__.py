# SPDX-License-Identifier: Apache-2.0
"""Initial values of parameters: Gluon's initializers, under Gluon's names.

In: an array to fill, and the parameter's name, whose ending says what it is (`weight`, `bias`, `gamma`, ...). Numbers
are drawn from `hybridize.random`, so a seed reproduces a net. It must not know blocks or parameters.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.init",
    {
        "base": "InitDesc Initializer alias create register",
        "constants": "Constant LSTMBias One Ones=One Zero Zeros=Zero",
        "mixed": "Load Mixed",
        "recurrent": "FusedRNN RNNFused",
        "variance": "Bilinear MSRAPrelu Normal Orthogonal TruncNorm Uniform Xavier",
    },
)
"""Places of the initializers."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES, {"Load": "net.load_parameters(path)"})
