"""Run the programs of pages of errors: `python run_pages.py CODE...` prints what is wrong with them."""

import builtins
import contextlib
import io
import linecache
import multiprocessing
import os
import sys
import tempfile
import warnings
from pathlib import Path

from hybridize.array import device
from hybridize.base.config import CONFIG
from hybridize.errors import HybridizeError
from hybridize.runtime import devices
from hybridize.tools import error_pages


def tflite():
    """Return the bytes of a model of TFLite."""
    from tests.formats.tflite.test_read import dense

    return dense()


FILES = {"model.tflite": tflite}
"""Files that pages take for granted, by their names."""


def execute(program, name, names):
    """Run a program whose source can be read, as that of a file can."""
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    exec(compile(program, name, "exec", dont_inherit=True), names)


def problem(page):
    """Return what is wrong with the programs of a page, or None."""
    where = f"{page.code}.py"
    names = {"__name__": "__main__", "__builtins__": builtins}
    try:
        execute(page.example, where, names)
    except HybridizeError as error:
        if error.code != page.code:
            return f"the example raises {error.code}: {error.what}"
        if type(error).__name__ != page.kind:
            return f"the example raises {type(error).__name__}, the page says {page.kind}"
    except BaseException as error:
        return f"the example raises {error!r}"
    else:
        return "the example raises nothing"
    try:
        execute(page.remedy, f"{page.code}_instead.py", names)
    except BaseException as error:
        return f"what to write instead raises {error!r}"
    return None


def main(codes):
    """Run the pages of codes, each in a folder of its own; return what is wrong, by code."""
    wrong = {}
    before = os.getcwd()
    for code in codes:
        page = error_pages.page(code)
        with contextlib.ExitStack() as around:
            folder = around.enter_context(tempfile.TemporaryDirectory())
            around.enter_context(contextlib.redirect_stdout(io.StringIO()))
            around.enter_context(_as_it_was())
            if "gpus" in page.marks:
                around.enter_context(_two_gpus())
            os.chdir(folder)
            for name in page.marks.get("files", "").split():
                Path(name).write_bytes(FILES[name]())
            try:
                said = problem(page)
            finally:
                os.chdir(before)
        if said is not None:
            wrong[code] = said
    return wrong


@contextlib.contextmanager
def _two_gpus():
    """Have `gpu(0)` and `gpu(1)`, which are emulated, and none afterwards."""
    devices.register("emulated", "tests.device.emulated")
    CONFIG.device = "emulated"
    try:
        yield
    finally:
        device.forget()
        CONFIG.device = ""


@contextlib.contextmanager
def _as_it_was():
    """Restore what a program may set for the whole process."""
    environment, modules = dict(os.environ), dict(sys.modules)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            multiprocessing.set_start_method(None, force=True)
            os.environ.clear()
            os.environ.update(environment)
            for name in [name for name, one in sys.modules.items() if one is None]:
                del sys.modules[name]
                sys.modules.update({name: modules[name]} if name in modules else {})


if __name__ == "__main__":
    for code, said in main(sys.argv[1:]).items():
        print(f"{code}: {said}")
