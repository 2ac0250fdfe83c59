# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of TensorFlow, whole: the tables of rows are filled by being imported here."""

from hybridize.formats.tensorflow import assigns as assigns
from hybridize.formats.tensorflow import control as control
from hybridize.formats.tensorflow import draws as draws
from hybridize.formats.tensorflow import elementwise as elementwise
from hybridize.formats.tensorflow import gradients as gradients
from hybridize.formats.tensorflow import linear as linear
from hybridize.formats.tensorflow import lists as lists
from hybridize.formats.tensorflow import random as random
from hybridize.formats.tensorflow import reductions as reductions
from hybridize.formats.tensorflow import shapes as shapes
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW as TENSORFLOW
