# Written by `docs/make.py` from the module's table of names.

from hybridize import amp as amp
from hybridize.array.device import Context as Context
from hybridize.array.device import Device as Device
from hybridize.array.device import cpu as cpu
from hybridize.array.device import cpu_pinned as cpu_pinned
from hybridize.array.device import current_device as current_context
from hybridize.array.device import current_device as current_device
from hybridize.array.device import gpu as gpu
from hybridize.array.device import num_gpus as num_gpus
from hybridize.array.npx import waitall as waitall
from hybridize.array import array_api as array_api
from hybridize.array import np as np
from hybridize.array import np as numpy
from hybridize.array import npx as npx
from hybridize.array import npx as numpy_extension
from hybridize import attribute as attribute
from hybridize.autograd import checkpoint as checkpoint
from hybridize.autograd import grad_of as grad
from hybridize.autograd import value_and_grad as value_and_grad
from hybridize.base.library import MXNetError as MXNetError
from hybridize import callback as callback
from hybridize import context as context
from hybridize import contrib as contrib
from hybridize import d2l as d2l
from hybridize import device as device
from hybridize import engine as engine
from hybridize import errors as errors
from hybridize import gluon as gluon
from hybridize import image as image
from hybridize import image as img
from hybridize import init as init
from hybridize import init as initializer
from hybridize import io as io
from hybridize import kvstore as kv
from hybridize import kvstore as kvstore
from hybridize import libinfo as libinfo
from hybridize import lr_scheduler as lr_scheduler
from hybridize import metric as metric
from hybridize import model as model
from hybridize import monitor as mon
from hybridize import monitor as monitor
from hybridize import mxnet as mxnet
from hybridize import name as name
from hybridize import ndarray as nd
from hybridize import ndarray as ndarray
from hybridize import onnx as onnx
from hybridize import operator as operator
from hybridize import optimizer as optimizer
from hybridize import profiler as profiler
from hybridize.programs import Program as Program
from hybridize import random as random
from hybridize import random as rnd
from hybridize import recordio as recordio
from hybridize import registry as registry
from hybridize import runtime as runtime
from hybridize.runtime.pool import set_num_threads as set_num_threads
from hybridize import symbol as sym
from hybridize import symbol as symbol
from hybridize.symbol.scopes import AttrScope as AttrScope
from hybridize import test_utils as test_utils
from hybridize import tflite as tflite
from hybridize.tools.timing import Benchmark as Benchmark
from hybridize.tools.timing import Timer as Timer
from hybridize import util as util
from hybridize.util import is_np_array as is_np_array
from hybridize.util import is_np_default_dtype as is_np_default_dtype
from hybridize.util import is_np_shape as is_np_shape
from hybridize.util import np_array as np_array
from hybridize.util import np_default_dtype as np_default_dtype
from hybridize.util import np_shape as np_shape
from hybridize.util import set_np_shape as set_np_shape
from hybridize.util import use_np as use_np
from hybridize.util import use_np_array as use_np_array
from hybridize.util import use_np_default_dtype as use_np_default_dtype
from hybridize.util import use_np_shape as use_np_shape
from hybridize.verb import disabled as disabled
from hybridize.verb import hybridize as hybridize
from hybridize.verb import load as load
from hybridize import visualization as visualization
from hybridize import visualization as viz

PLACES: dict[str, str]
__all__ = [
    "AttrScope", "Benchmark", "Context", "Device", "MXNetError", "Program", "Timer", "amp", "array_api", "attribute",
    "callback", "checkpoint", "context", "contrib", "cpu", "cpu_pinned", "current_context", "current_device", "d2l",
    "device", "disabled", "engine", "errors", "gluon", "gpu", "grad", "hybridize", "image", "img", "init",
    "initializer", "io", "is_np_array", "is_np_default_dtype", "is_np_shape", "kv", "kvstore", "libinfo", "load",
    "lr_scheduler", "metric", "model", "mon", "monitor", "mxnet", "name", "nd", "ndarray", "np", "np_array",
    "np_default_dtype", "np_shape", "npx", "num_gpus", "numpy", "numpy_extension", "onnx", "operator", "optimizer",
    "profiler", "random", "recordio", "registry", "rnd", "runtime", "set_np_shape", "set_num_threads", "sym",
    "symbol", "test_utils", "tflite", "use_np", "use_np_array", "use_np_default_dtype", "use_np_shape", "util",
    "value_and_grad", "visualization", "viz", "waitall"
]
__version__: str
