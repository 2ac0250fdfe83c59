# SPDX-License-Identifier: Apache-2.0
"""Programs: captured functions, compiled and run.

In: `contract.captured.Captured`. Out: `Program`, a callable with its guards, entry, memory and reports; files.

- `program` runs calls; `entry` wraps its machine code; `backends` run graphs; `differentiated` is a program with its
  gradient; `failures` finds the line of an assertion that did not hold.
- `device_machine` runs graphs on a device, `device_entry` takes calls that are like the last one there.
- `queued` leaves a call to the queue of those whose programs are still to run, where calls are asynchronous.
- `packed` keeps what is derived of weights, and copies row by row; `origins` knows which arrays other processes have;
  `donation` lets results take the memory of arguments.
- `cache` keeps the programs of a function or module. `families` decide which sizes stay symbols, `changes` which places
  are read anew, for the next capture.
- `saving`, `samples` (of `recorded_calls`), `exporting`, `verifying` are for files, which do
  without `notes`; `explain` and `roundoff` report.

It must not know how Python becomes a graph: nothing of `capture`.
"""

from hybridize.base.names import late, places

PLACES = places(
    "hybridize.programs",
    {
        "program": "Program",
    },
)
"""Places of the names."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(globals(), PLACES)
