# Written by `docs/make.py` from the module's table of names.

from hybridize.autograd.function import Function as Function
from hybridize.autograd.functional import checkpoint as checkpoint
from hybridize.autograd.functional import grad_of as grad_of
from hybridize.autograd.functional import value_and_grad as value_and_grad
from hybridize.autograd.modes import is_recording as is_recording
from hybridize.autograd.modes import is_training as is_training
from hybridize.autograd.modes import pause as pause
from hybridize.autograd.modes import predict_mode as predict_mode
from hybridize.autograd.modes import record as record
from hybridize.autograd.modes import set_recording as set_recording
from hybridize.autograd.modes import set_training as set_training
from hybridize.autograd.modes import train_mode as train_mode
from hybridize.autograd.sweep import backward as backward
from hybridize.autograd.sweep import grad as grad
from hybridize.autograd.variables import mark_variables as mark_variables

PLACES: dict[str, str]
__all__ = [
    "Function", "backward", "checkpoint", "grad", "grad_of", "is_recording", "is_training", "mark_variables", "pause",
    "predict_mode", "record", "set_recording", "set_training", "train_mode", "value_and_grad"
]
