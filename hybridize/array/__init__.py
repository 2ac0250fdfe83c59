# SPDX-License-Identifier: Apache-2.0
"""Arrays: `ndarray` (a NumPy buffer) and `Symbol` (a value of a program being captured) behind one set of functions.

In: numbers, lists, NumPy arrays, arrays of ours. Out: arrays of ours, and operands to `ops.bind`.

- The interpreter in charge decides what a function's result is: imperatively an `ndarray`, while capturing a `Symbol`.
- Promotion and broadcasting happen here, as explicit `Cast` and `Broadcast`: an op sees equal dtypes and shapes.
- Views share memory as in NumPy. A symbol's views are index steps over one cell, so writes through them are seen.
- `functions` has one file for each family; `np`, `npx`, `linalg`, `random` and `array_api` are their public names, and
  `legacy` is the table of MXNet 1's.
- `nd_array`: arrays that `nd` makes, whose operators and methods are MXNet 1's; no function knows their class.
- `methods` and `operators` are what the classes share. They know no function, and every function knows the classes:
  `methods.functions`, filled below, joins them.
- `device` has the devices, `placing` what looks where arrays are, once there is more than one.
- `files` has the names of what reads and writes files of arrays, which a room above fills in.
- `single`, `windows`: what NumPy has no fast form for runs compiled programs of one operation, imperatively too.
- Every write through us touches the array's `Storage`, which tells those who keep packed copies.

It must not know capture, autograd, compilers or files.
"""

from hybridize.array import methods, np, operands, placing
from hybridize.array.device import as_device, current_device
from hybridize.array.ndarray import ndarray as ndarray  # now: the module has its name
from hybridize.base.names import late, places

methods.functions.late(
    np.PLACES
    | places(
        "hybridize.array",
        {
            "functions.elementwise": "detach inplace stop_gradient",
            "functions.indexing": "getitem setitem",
            "functions.neural": "log_softmax relu sigmoid softmax",
            "functions.searching": "one_hot pick topk",
            "legacy": "legacy=function legacy_table=table",
            "nd_array": "as_nd plain",
            "linalg": "norm",
            "protocols": "array_function array_ufunc",
        },
    )
    | {"array_api": "hybridize.array.array_api"}
)
methods.functions.fill(
    np=np,
    known=operands.known,
    check_text=operands.check_text,
    as_device=as_device,
    copied_to=placing.copied_to,
    current_device=current_device,
    device_of=placing.device_of,
    moved=placing.moved,
    place=placing.place,
    unsupported=placing.unsupported,
)

PLACES = places(
    "hybridize.array",
    {
        "device": "cpu gpu num_gpus",
        "ndarray": "ndarray wrap",
        "operators": "Operators",
        "storage": "Storage",
        "symbol": "Cell Symbol",
    },
) | {name: f"hybridize.array.{name}" for name in ("array_api", "linalg", "np", "npx", "random", "windows")}
"""Places of the names."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
