"""What systems lack by their nature: marks that skip a test there and say why.

They excuse nothing else. A test that fails on a system for another reason shows a defect.
"""

import os
import signal
import sys

import pytest

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no process of this system is a copy of another")
signals = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no signals that interrupt")
owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files of this system have no owner and no mode")
links = pytest.mark.skipif(
    os.name == "nt", reason="users of this system may not make links, and it has no pipes in folders"
)
root = pytest.mark.skipif(getattr(os, "geteuid", os.getpid)() != 0, reason="only root may do it")
linux = pytest.mark.skipif(sys.platform != "linux", reason="it asks Linux, by files under /proc or /sys")
