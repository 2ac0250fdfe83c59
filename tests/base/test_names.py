"""Names that are loaded when they are asked for: modules below a package are names of it, too."""

import subprocess
import sys

PROGRAM = """
import importlib, pkgutil, sys
import hybridize
packages = ["hybridize.autograd", "hybridize.gluon", "hybridize.gluon.data", "hybridize.gluon.nn", "hybridize.gluon.loss"]
for name in packages:
    package = importlib.import_module(name)
    for place in set(package.PLACES.values()):
        home = place.partition(":")[0]
        if home.rpartition(".")[0] == name:
            assert getattr(package, home.rpartition(".")[2]) is importlib.import_module(home), home
"""


def test_modules_below_a_package_are_names_of_it_before_they_are_loaded():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_is_no_module_below_it_is_still_missing():
    program = "from hybridize import gluon; gluon.data.datasets"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "MissingNameError E364" in done.stderr
    assert "has no 'datasets'" in done.stderr
