# SPDX-License-Identifier: Apache-2.0
"""Gradients: of what was computed while recording, and of graphs. Both are made with the ops' own rules (`Op.vjp`).

In: arrays and what was recorded of them; graphs. Out: gradients; graphs that also compute gradients.

- `modes` puts the tape in charge of a thread; `tape` is the interpreter that computes and remembers, `nodes` what it
  remembers; `backward` goes back along it.
- An array holds its history, and a history what it was computed of: the tape has no list, so what nobody holds is gone.
- `function` is for gradients of the user's own, `functional` for gradients of functions.
- `split` makes of a graph one that runs forward and one that runs back; compiled functions are differentiated so.

The modes are those of `base.modes`; here they have Gluon's names. It must not know arrays' files, blocks or captures.
"""

from hybridize.array.methods import functions as _functions
from hybridize.autograd.backward import backward as backward
from hybridize.autograd.backward import grad as grad
from hybridize.autograd.function import Function as Function
from hybridize.autograd.functional import checkpoint as checkpoint
from hybridize.autograd.functional import grad_of as grad_of
from hybridize.autograd.functional import value_and_grad as value_and_grad
from hybridize.autograd.modes import is_recording as is_recording
from hybridize.autograd.modes import is_training as is_training
from hybridize.autograd.modes import pause as pause
from hybridize.autograd.modes import predict_mode as predict_mode
from hybridize.autograd.modes import record as record
from hybridize.autograd.modes import train_mode as train_mode
from hybridize.autograd.variables import attach_grad as _attach_grad
from hybridize.autograd.variables import drop_grad as _drop_grad
from hybridize.autograd.variables import mark_variables as mark_variables
from hybridize.base.missing import refuses

_functions.fill(attach_grad=_attach_grad, drop_grad=_drop_grad, backward=backward)

__getattr__ = refuses(
    __name__, globals(),
    instead={
        "set_recording": "with autograd.record(): or with autograd.pause():",
        "set_training": "with autograd.train_mode(): or with autograd.predict_mode():",
        "get_symbol": "hybridize(function).program(x).captured is the graph",
    },
)  # fmt: skip
