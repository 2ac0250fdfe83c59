# SPDX-License-Identifier: Apache-2.0
"""The PyTorch door: `hybridize(module)` for a `torch.nn.Module`, tensors in and out.

In: a module and the tensors of a call. Out: a callable whose programs read the module's own parameters in place, so a
weight changed in torch is seen at the next call, whoever changed it and however. `torch.export` traces the module,
`formats.torch_export` translates, everything after is the common road. This package alone imports torch.

With gradients on, a call is one node of torch's graph (`gradients`): a compiled pass forward, and a compiled one back.
Where the graph does not tell the module's gradients (`tracing`), they are those of one more run in PyTorch
(`eager_backward`).
"""

from hybridize.torch.function import TorchFunction as TorchFunction
from hybridize.torch.tensor_functions import called as called
