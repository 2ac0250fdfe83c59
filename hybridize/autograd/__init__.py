# SPDX-License-Identifier: Apache-2.0
"""Modes of training and recording, and gradients of graphs.

In: graphs. Out: graphs that also compute gradients, made with the ops' own rules (`Op.vjp`).
The modes are those of `base.modes`; here they have Gluon's names. It must not know arrays' files, blocks or compilers.
"""

from hybridize.autograd.modes import is_recording as is_recording
from hybridize.autograd.modes import is_training as is_training
from hybridize.autograd.modes import pause as pause
from hybridize.autograd.modes import predict_mode as predict_mode
from hybridize.autograd.modes import record as record
from hybridize.autograd.modes import train_mode as train_mode
