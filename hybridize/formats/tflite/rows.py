# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of TFLite, whole: the tables of rows are filled by being imported here."""

from hybridize.formats.tflite import control as control
from hybridize.formats.tflite import elementwise as elementwise
from hybridize.formats.tflite import indexing as indexing
from hybridize.formats.tflite import linear as linear
from hybridize.formats.tflite import quantized as quantized
from hybridize.formats.tflite import recurrent as recurrent
from hybridize.formats.tflite import shapes as shapes
from hybridize.formats.tflite import sixteen as sixteen
from hybridize.formats.tflite import spectra as spectra
from hybridize.formats.tflite.state import first_values as first_values
from hybridize.formats.tflite.vocabulary import TFLITE as TFLITE
