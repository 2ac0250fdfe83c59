"""Locks know of forks, and what is caught knows of signals: both are easily forgotten, and nothing shows it."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import hybridize
from tests.house.sources import syntax

PACKAGE = Path(hybridize.__file__).parent
FORKS = PACKAGE / "base" / "forks.py"
IMPORTS, POSIX = PACKAGE / "system" / "imports.py", PACKAGE / "system" / "posix.py"
"""A lock that base.loading gives to forks; what calls functions around them."""
LOADING = PACKAGE / "base" / "loading.py"
FILES = sorted(PACKAGE.rglob("*.py"))
WORKING = {  # where calls are captured, compiled and run
    "array", "autograd", "base", "capture", "codegen", "compiler", "contract", "graph", "loops", "ops", "optimizer",
    "passes", "programs", "runtime", "schedule", "system", "torch",
}  # fmt: skip
BROAD = {"Exception", "BaseException", "OSError"}
"""Classes that exceptions of the user's own handlers commonly have: `TimeoutError` is an `OSError`."""
WORDS = "Lock(", "Condition(", "Semaphore(", "register_at_fork", "except", "suppress("
INTERRUPTIONS = "hybridize.system.interruptions"
KEPT = {
    "base/forks.py",  # raises what it caught once the locks are taken
    "runtime/effects.py",  # called by machine code, which nothing may be raised through: it is raised behind it
    "array/pending.py",  # in a thread that hears no signals: it is raised where somebody waits
    "capture/capture.py",  # raises what it caught, without the frames of the package
}


def nodes(file):
    """The syntax of a file, if it has any of what is looked for."""
    text = file.read_text()
    return list(ast.walk(syntax(file))) if any(word in text for word in WORDS) else []


def name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_lock(call):
    function = call.func
    if isinstance(function, ast.Attribute):
        return name(function.value) == "threading" and function.attr in ("Lock", "RLock", "Condition", "Semaphore")
    return name(function) in ("Lock", "RLock")


def test_locks_are_renewed_or_awaited_at_a_fork():
    wrong: list[str] = []
    for file in FILES:
        calls = [node for node in nodes(file) if isinstance(node, ast.Call)]
        known = {id(lock) for call in calls if name(call.func) in ("renewed", "awaited") for lock in call.args}
        found = [call for call in calls if name(call.func) in ("register_at_fork", "at_fork") or is_lock(call)]
        if file not in (FORKS, IMPORTS, POSIX):
            wrong += [f"{file}:{call.lineno}" for call in found if id(call) not in known]
    assert not wrong, "a forked child may find these locked, or in another order: see base.forks"


def test_locks_may_be_entered_again():
    """A signal handler of the user's may call what it has interrupted, in the thread that holds the lock."""
    wrong = [
        f"{file}:{call.lineno}"
        for file in FILES
        for call in nodes(file)
        if isinstance(call, ast.Call) and is_lock(call) and not name(call.func).endswith("RLock")
    ]
    assert not wrong, "a handler that comes while it is held waits for itself: use RLock"


OF_THE_USERS = {
    "runtime/recipes.py",
    "base/requirements.py",
    "tools/compile_command.py",
    "base/names.py",
}  # of names: as an import statement
"""Files that import modules of the user's by their names, who may wait for anything, or as hybridize is imported."""
ELSEWHERE = "formats/wheel/parts"
"""What is written into wheels, and runs without this package."""


INDENTED = re.compile(r"^\s+(import|from) ", re.MULTILINE)
BY_NAME = re.compile(r"\b(import_module|__import__)\(")


def late_imports(tree):
    """Imports inside functions that are not under LOADING."""
    waiting = [(tree, False)]
    while waiting:
        node, inside = waiting.pop()
        if inside and isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        if isinstance(node, ast.With) and any(name(item.context_expr) in ("LOADING", "IMPORTS") for item in node.items):
            continue
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]


def is_import(node):
    return isinstance(node, ast.Call) and name(node.func) in ("import_module", "__import__")


def test_late_imports_are_waited_for_by_a_fork():
    wrong: list[str] = []
    for file in FILES:
        text = file.read_text()
        if file.relative_to(PACKAGE).is_relative_to(ELSEWHERE):
            continue
        if not INDENTED.search(text) and not BY_NAME.search(text):
            continue
        found = list(late_imports(syntax(file)))
        if file != LOADING and file.relative_to(PACKAGE).as_posix() not in OF_THE_USERS:
            found += [node for node in ast.walk(syntax(file)) if is_import(node)]
        wrong += [f"{file}:{node.lineno}" for node in found]
    assert not wrong, "`with LOADING:` of base.loading stands around them, or `load_module` imports by name"


ENTERED = """
import importlib.util, pkgutil, sys, threading, traceback
entered = []
class RLock(threading._PyRLock):
    def acquire(self, *args, **kwargs):
        if len(entered) < 1000:
            entered.append((self, [f"{at.name} {at.filename}:{at.lineno}" for at in traceback.extract_stack()]))
        return super().acquire(*args, **kwargs)
    __enter__ = acquire
threading.RLock = RLock
import hybridize
from hybridize.base import forks
doors = {"jax": "hybridize.jax", "tensorflow": "hybridize.tensorflow", "wgpu": "hybridize.runtime.webgpu.gpu"}
shut = tuple(door for one, door in doors.items() if importlib.util.find_spec(one) is None)  # to nothing here
names = [one.name for one in pkgutil.walk_packages(hybridize.__path__, "hybridize.")]
names = [name for name in names if not name.startswith(shut)]
for name in reversed(names):  # from the top down: doors are found shut
    if not name.endswith("__main__"):
        __import__(name)
levels = {id(lock): level for level, lock in forks._awaited}
assert {*levels.values()} == {0, 1, 2, 3}
print(len(names))
for lock, stack in entered:
    if id(lock) in levels:
        print(levels[id(lock)], *[at for at in stack if "frozen" not in at][-5:-1])
"""


def test_no_module_waits_for_another_thread_as_it_is_loaded():
    """A thread that has LOADING may be waiting for that module, and the one that forks has all other locks."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", ENTERED], capture_output=True, text=True, check=True)
    modules, *entered = done.stdout.splitlines()
    assert int(modules) > 400
    assert entered == [], "a module of the package calls what takes locks, or imports late, while it is imported itself"


def swallows(handler):
    """Whether a handler neither raises what it caught nor lets through what a signal handler raised."""
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    if handler.type is not None and not {name(one) for one in caught} & BROAD:
        return False
    first, last = handler.body[0], handler.body[-1]
    lets = isinstance(first, ast.Expr) and isinstance(first.value, ast.Call) and name(first.value.func) == "let_through"
    return not lets and not (isinstance(last, ast.Raise) and last.exc is None)


def suppresses(node):
    return isinstance(node, ast.Call) and name(node.func) == "suppress" and bool({name(x) for x in node.args} & BROAD)


def test_what_signal_handlers_raise_is_let_through():
    wrong: list[str] = []
    for file in FILES:
        place = file.relative_to(PACKAGE).as_posix()
        if place.split("/")[0] not in WORKING or place in KEPT:
            continue
        own = any(isinstance(x, ast.ImportFrom) and x.module == INTERRUPTIONS for x in nodes(file))
        handlers = [node for node in nodes(file) if isinstance(node, ast.ExceptHandler) and swallows(node)]
        calls = [node for node in nodes(file) if suppresses(node) and not own]
        wrong += [f"{file}:{node.lineno}" for node in (*handlers, *calls)]
    assert not wrong, "`let_through` of system.interruptions comes first here, or its `suppress` is used"


def test_what_is_forgotten_is_found():
    (node,) = ast.parse("try:\n  f()\nexcept (OSError, KeyError) as error:\n  g(error)").body
    assert swallows(node.handlers[0])
    (node,) = ast.parse("try:\n  f()\nexcept Exception as error:\n  let_through(error)\n  g(error)").body
    assert not swallows(node.handlers[0])
    assert is_lock(ast.parse("threading.Lock()", mode="eval").body)
    assert list(late_imports(ast.parse("def f():\n  if x:\n    import os")))
    assert not list(late_imports(ast.parse("import os\ndef f():\n  with LOADING:\n    import os")))
    assert is_import(ast.parse("importlib.import_module(name)", mode="eval").body)
