# SPDX-License-Identifier: Apache-2.0
"""ATen's operators, as operand functions: what the entries of the PyTorch door compute.

ATen's operators are named in `table`, `piecewise`, `reductions`, `indexing`, `losses`,
`training`, `windows`, `recurrent` and `sequences` alone.
"""

from hybridize.torch.aten import indexing as indexing
from hybridize.torch.aten import table as table
from hybridize.torch.aten import windows as windows
from hybridize.torch.aten.registry import TABLE as TABLE
