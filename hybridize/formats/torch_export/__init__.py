# SPDX-License-Identifier: Apache-2.0
"""ATen's operators, as operand functions: what the entries of the PyTorch door compute.

ATen's operators are named in `table`, `piecewise`, `reductions`, `indexing`, `losses`,
`training`, `windows`, `recurrent` and `sequences` alone.
"""

from hybridize.formats.torch_export import indexing as indexing
from hybridize.formats.torch_export import losses as losses
from hybridize.formats.torch_export import piecewise as piecewise
from hybridize.formats.torch_export import recurrent as recurrent
from hybridize.formats.torch_export import reductions as reductions
from hybridize.formats.torch_export import sequences as sequences
from hybridize.formats.torch_export import table as table
from hybridize.formats.torch_export import training as training
from hybridize.formats.torch_export import windows as windows
from hybridize.formats.torch_export.registry import TABLE as TABLE
