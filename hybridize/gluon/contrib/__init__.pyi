# Written by `docs/make.py` from the module's table of names.

from hybridize.gluon.contrib import cnn as cnn
from hybridize.gluon.contrib import estimator as estimator
from hybridize.gluon.contrib import nn as nn
from hybridize.gluon.contrib import rnn as rnn

PLACES: dict[str, str]
__all__ = [
    "cnn", "estimator", "nn", "rnn"
]
