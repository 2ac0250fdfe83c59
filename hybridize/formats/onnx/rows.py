# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of ONNX, whole: the tables of rows are filled by being imported here."""

from hybridize.formats.onnx import attention as attention
from hybridize.formats.onnx import bodies as bodies
from hybridize.formats.onnx import chances as chances
from hybridize.formats.onnx import columns as columns
from hybridize.formats.onnx import control as control
from hybridize.formats.onnx import decoders as decoders
from hybridize.formats.onnx import elementwise as elementwise
from hybridize.formats.onnx import images as images
from hybridize.formats.onnx import indexing as indexing
from hybridize.formats.onnx import linear as linear
from hybridize.formats.onnx import losses as losses
from hybridize.formats.onnx import microsoft as microsoft
from hybridize.formats.onnx import normalization as normalization
from hybridize.formats.onnx import quantized as quantized
from hybridize.formats.onnx import recurrent as recurrent
from hybridize.formats.onnx import reductions as reductions
from hybridize.formats.onnx import shapes as shapes
from hybridize.formats.onnx import signals as signals
from hybridize.formats.onnx import trees as trees
from hybridize.formats.onnx.vocabulary import ONNX as ONNX
