# SPDX-License-Identifier: Apache-2.0
"""The PyTorch door: `hybridize(module)` for a `torch.nn.Module`, or a function of tensors; tensors in and out.

In: a module and the tensors of a call. Out: a module whose programs read the parameters in place, so a weight changed
in torch is seen at the next call, whoever changed it and however. This package alone imports torch.

The module's `forward` is followed by the capture that all functions have (`traced`): converted where it is the user's,
on tensors of the program (`tensors`), torch's functions by the table (`functions`), torch's layers as they are
(`modules`); `library` is what the capture asks of torch. A function that is not in the table is refused at the user's
line; an `island` runs it in PyTorch.

With gradients on, a call is one node of torch's graph (`gradients`): a compiled pass forward, and a compiled one back.
"""

from hybridize.torch.function import TorchFunction as TorchFunction
from hybridize.torch.islands import island as island
from hybridize.torch.parallel import module_compiled as module_compiled
from hybridize.torch.tensor_functions import called as called
from hybridize.torch.tensor_functions import program as program
