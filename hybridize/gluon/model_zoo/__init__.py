# SPDX-License-Identifier: Apache-2.0
"""Ready-made networks, with random weights: `vision`, nets that tell what an image shows, under MXNet's names, and
`text`, decoders of tokens.

The nets are ordinary blocks: `files` looks for parameters that the user has put somewhere; nothing is downloaded.
"""

from hybridize.gluon.model_zoo import text as text
from hybridize.gluon.model_zoo import vision as vision
from hybridize.gluon.model_zoo.vision import get_model as get_model
