# SPDX-License-Identifier: Apache-2.0
"""Arrays: `ndarray` (a NumPy buffer) and `Symbol` (a value of a program being captured) behind one set of functions.

In: numbers, lists, NumPy arrays, arrays of ours. Out: arrays of ours, and operands to `ops.bind`.

- The interpreter in charge decides what a function's result is: imperatively an `ndarray`, while capturing a `Symbol`.
- Promotion and broadcasting happen here, as explicit `Cast` and `Broadcast`: an op sees equal dtypes and shapes.
- Views share memory as in NumPy. A symbol's views are index steps over one cell, so writes through them are seen.
- `functions` has one file for each family; `np`, `npx`, `linalg`, `random` and `array_api` are their public names, and
  `legacy` is the table of MXNet 1's.
- `methods` and `operators` are what the classes share. They know no function, and every function knows the classes:
  `methods.functions`, filled below, joins them.
- `device` has the devices, `placing` what looks where arrays are, once there is more than one.
- `files` has the names of what reads and writes files of arrays, which a room above fills in.
- `single`, `windows`: what NumPy has no fast form for runs compiled programs of one operation, imperatively too.
- Every write through us touches the array's `Storage`, which tells those who keep packed copies.

It must not know capture, autograd, compilers or files.
"""

from hybridize.array import array_api, legacy, linalg, np, npx, operands, placing, protocols, random, windows
from hybridize.array.device import as_device, cpu, current_device, gpu, num_gpus
from hybridize.array.functions import elementwise, indexing, neural, searching
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operators import Operators, functions
from hybridize.array.storage import Storage
from hybridize.array.symbol import Cell, Symbol

functions.fill(**{name: getattr(np, name) for name in np.__all__})
functions.fill(
    getitem=indexing.getitem,
    setitem=indexing.setitem,
    inplace=elementwise.inplace,
    detach=elementwise.detach,
    stop_gradient=elementwise.stop_gradient,
    known=operands.known,
    check_text=operands.check_text,
    norm=linalg.norm,
    relu=neural.relu,
    sigmoid=neural.sigmoid,
    softmax=neural.softmax,
    log_softmax=neural.log_softmax,
    one_hot=searching.one_hot,
    pick=searching.pick,
    topk=searching.topk,
    as_device=as_device,
    copied_to=placing.copied_to,
    current_device=current_device,
    device_of=placing.device_of,
    moved=placing.moved,
    array_api=array_api,
    array_ufunc=protocols.array_ufunc,
    array_function=protocols.array_function,
    legacy=legacy.function,
)

__all__ = [
    "Cell", "Operators", "Storage", "Symbol", "array_api", "cpu", "current_device", "gpu", "linalg", "ndarray", "np",
    "npx", "num_gpus", "random", "windows", "wrap",
]  # fmt: skip
