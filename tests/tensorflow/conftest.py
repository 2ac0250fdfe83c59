"""Tests in `live` import TensorFlow, which has an environment of its own: `make .tensorflow/.installed`."""

import importlib.util
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
collect_ignore_glob = [] if importlib.util.find_spec("tensorflow") else ["live/*"]
