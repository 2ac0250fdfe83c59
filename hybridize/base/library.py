# SPDX-License-Identifier: Apache-2.0
"""The names of MXNet's `base`: its error, the types of Python's numbers and texts, the folder of files."""

from __future__ import annotations

import os

import numpy

from hybridize.base.errors import HybridizeError
from hybridize.base.version import MXNET

MXNetError = HybridizeError
"""Every error of hybridize: `except MXNetError` catches what it caught in MXNet."""

integer_types: tuple[type[int], type[numpy.int32], type[numpy.int64]] = (int, numpy.int32, numpy.int64)
numeric_types: tuple[type[float], type[int], type[numpy.generic]] = (float, int, numpy.generic)
string_types: tuple[type[str]] = (str,)
mx_real_t = numpy.float32
"""The dtype of arrays where none is given."""
__version__ = MXNET


def py_str(x: bytes) -> str:
    """Return bytes as text, which is UTF-8."""
    return x.decode("utf-8")


def data_dir_default() -> str:
    """Return the folder of data sets and models where the environment names none."""
    return os.path.join(os.path.expanduser("~"), ".mxnet")


def data_dir() -> str:
    """Return the folder of data sets and models: MXNET_HOME, else `.mxnet` in the home of the user."""
    return os.environ.get("MXNET_HOME") or data_dir_default()
