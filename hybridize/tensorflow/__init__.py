# SPDX-License-Identifier: Apache-2.0
"""The TensorFlow door: `hybridize(obj)` for a Keras model, a `tf.function`, a `tf.Module`; tensors in and out.

In: something of TensorFlow's that is called with tensors. Out: a function of the same arguments whose programs get the
variables' values at each call, so that a variable assigned in TensorFlow is seen by the next one, whoever assigned it.
This package alone imports tensorflow.

TensorFlow itself traces the object, for each kind of call (`tracing`); the functions of its graph become a program by
the rows of `formats.tensorflow`, as those of a SavedModel do. `function` has the calls, `variables` what they read and
write, `gradients` what a `GradientTape` records of them; `memory` has tensors and arrays over the same memory,
`internals` all names of TensorFlow that are not public.
"""

from hybridize.tensorflow.doors import called as called
from hybridize.tensorflow.doors import program as program
from hybridize.tensorflow.doors import takes as takes
from hybridize.tensorflow.function import TensorFlowFunction as TensorFlowFunction
