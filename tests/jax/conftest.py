"""Where there is no JAX, only the test that starts these ones where there is."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("jax") else ["test_[!e]*.py", "test_entries.py"]
