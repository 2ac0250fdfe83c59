# SPDX-License-Identifier: Apache-2.0
"""ATen programs -> `Graph`.

In: a `TensorProgram`, the instructions of an exported PyTorch program as plain data (the torch door makes it, so that
this package never sees torch). Out: a `Graph` whose inputs are the program's, parameters and buffers first.
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
from hybridize.formats.torch_export.program import Instruction as Instruction
from hybridize.formats.torch_export.program import ResultName as ResultName
from hybridize.formats.torch_export.program import TensorProgram as TensorProgram
from hybridize.formats.torch_export.program import placed as placed
from hybridize.formats.torch_export.program import to_graph as to_graph
from hybridize.formats.torch_export.registry import TABLE as TABLE
