# SPDX-License-Identifier: Apache-2.0
"""Ready-made networks under MXNet's names, with random weights: `vision`, nets that tell what an image shows.

The nets are ordinary blocks: `files` looks for parameters that the user has put somewhere; nothing is downloaded.
"""

from hybridize.gluon.model_zoo import vision as vision

get_model = vision.get_model
