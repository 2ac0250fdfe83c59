# SPDX-License-Identifier: Apache-2.0
"""Gradients: of what was computed while recording, and of graphs. Both are made with the ops' own rules (`Op.vjp`).

In: arrays and what was recorded of them; graphs. Out: gradients; graphs that also compute gradients.

- `modes` puts the tape in charge of a thread; `tape` is the interpreter that computes and remembers, `nodes` what it
  remembers; `sweep` goes back along it.
- An array holds its history, and a history what it was computed of: the tape has no list, so what nobody holds is gone.
- `function` is for gradients of the user's own, `functional` for gradients of functions.
- `split` makes of a graph one that runs forward and one that runs back; compiled functions are differentiated so.

The modes are those of `base.modes`; here they have Gluon's names. It must not know arrays' files, blocks or captures.
"""

from hybridize.array.methods import functions as _functions
from hybridize.base.names import late, places

PLACES = places(
    "hybridize.autograd",
    {
        "sweep": "backward grad",
        "function": "Function",
        "functional": "checkpoint grad_of value_and_grad",
        "modes": "is_recording is_training pause predict_mode record set_recording set_training train_mode",
        "variables": "mark_variables",
    },
)
"""Places of the names."""

_functions.late(places("hybridize.autograd", {"sweep": "backward", "variables": "attach_grad drop_grad"}))

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(
    globals(), PLACES,
    {
        "get_symbol": "hybridize(function).program(x).captured is the graph", "no_grad": "autograd.pause()",
        "GradientTape": "autograd.record()",
    },
)  # fmt: skip
