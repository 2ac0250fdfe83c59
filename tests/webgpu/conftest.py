"""Where the package wgpu is not there, only the test that starts these ones where it is."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("wgpu") else ["test_[!e]*.py"]
