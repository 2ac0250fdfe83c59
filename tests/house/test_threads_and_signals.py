"""Locks know of forks, and what is caught knows of signals: both are easily forgotten, and nothing shows it."""

import ast
import functools
from pathlib import Path

import hybridize

PACKAGE = Path(hybridize.__file__).parent
FORKS = PACKAGE / "base" / "forks.py"
FILES = sorted(PACKAGE.rglob("*.py"))
WORKING = {  # where calls are captured, compiled and run
    "array", "autograd", "base", "capture", "codegen", "compiler", "contract", "graph", "loops", "ops", "optimizer",
    "passes", "programs", "runtime", "schedule", "torch",
}  # fmt: skip
BROAD = {"Exception", "BaseException", "OSError"}
"""Classes that exceptions of the user's own handlers commonly have: `TimeoutError` is an `OSError`."""
WORDS = "Lock(", "Condition(", "Semaphore(", "register_at_fork", "except", "suppress("
KEPT = {
    "runtime/effects.py",  # called by machine code, which nothing may be raised through: it is raised behind it
    "capture/capture.py",  # raises what it caught, without the frames of the package
}


@functools.cache
def nodes(file):
    """The syntax of a file, if it has any of what is looked for."""
    text = file.read_text()
    return list(ast.walk(ast.parse(text))) if any(word in text for word in WORDS) else []


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
        found = [call for call in calls if name(call.func) == "register_at_fork" or is_lock(call)]
        wrong += [f"{file}:{call.lineno}" for call in found if id(call) not in known and file != FORKS]
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
        own = any(isinstance(x, ast.ImportFrom) and x.module == "hybridize.base.interruptions" for x in nodes(file))
        handlers = [node for node in nodes(file) if isinstance(node, ast.ExceptHandler) and swallows(node)]
        calls = [node for node in nodes(file) if suppresses(node) and not own]
        wrong += [f"{file}:{node.lineno}" for node in (*handlers, *calls)]
    assert not wrong, "`let_through` of base.interruptions comes first here, or its `suppress` is used"


def test_what_is_forgotten_is_found():
    (node,) = ast.parse("try:\n  f()\nexcept (OSError, KeyError) as error:\n  g(error)").body
    assert swallows(node.handlers[0])
    (node,) = ast.parse("try:\n  f()\nexcept Exception as error:\n  let_through(error)\n  g(error)").body
    assert not swallows(node.handlers[0])
    assert is_lock(ast.parse("threading.Lock()", mode="eval").body)
