"""Only `hybridize/system` knows the operating system: which one it is, and what only some of them have."""

import ast
from pathlib import Path

import pytest

import hybridize
from tests.house.sources import syntax

PACKAGE = Path(hybridize.__file__).parent
ROOM = "system"
TEXT_FOR_OTHERS = {
    "formats/wheel/parts/binding.py": "written into wheels, which run without this package",
}
"""Files that are no part of a process of ours."""
ALLOWED = {
    ("codegen/llvm/library/runtime.py", "sched_yield"): "a name in the library that is written",
    ("codegen/llvm/library/stack.py", "sched_yield"): "a name in the library that is written",
    ("formats/library/declared.py", "sched_yield"): "a name that a library may need",
}
OF_OS = {
    "uname", "fork", "forkpty", "register_at_fork", "memfd_create", "geteuid", "getuid", "getegid", "getgid", "sysconf",
    "confstr", "posix_fallocate", "posix_spawn", "kill", "killpg", "getloadavg", "getpgid", "setsid", "waitpid", "wait4",
    "fsync", "fdatasync", "openpty", "mkfifo", "name", "pread", "pwrite", "sendfile",
    "chown", "setpriority", "nice", "dup2", "set_inheritable", "MFD_CLOEXEC",
}  # fmt: skip
"""Functions of `os` that only some systems have, or that mean another thing on another."""
FLAGS_OF_ALL = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_CREAT", "O_EXCL", "O_TRUNC", "O_APPEND"}
MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "msvcrt", "winreg", "_winapi", "posix", "nt", "platformdirs"}
SIGNALS_OF_ALL = {"SIGINT", "SIGTERM", "SIGABRT", "SIGFPE", "SIGILL", "SIGSEGV", "SIG_DFL", "SIG_IGN"}
LIBRARIES = {"CDLL", "PyDLL", "WinDLL", "OleDLL", "windll", "oledll", "cdll", "pydll", "LibraryLoader"}
KEYWORDS = {"dir_fd", "src_dir_fd", "dst_dir_fd"}
FOLDERS = ("/proc", "/sys/", "/dev/", "proc/", "sys/devices", "sys/fs", "libc.so", "libm.so", "kernel32", "ucrtbase")


def documentation(root):
    bodies = [node.body for node in ast.walk(root) if isinstance(getattr(node, "body", None), list)]
    return {
        id(one.value)
        for body in bodies
        for one in body
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
    }


def of_module(owner, name):
    """What a member of a module says of the system; None: nothing."""
    known = {
        "os": name in OF_OS or name.startswith("sched_") or (name.startswith("O_") and name not in FLAGS_OF_ALL),
        "sys": name in ("platform", "getwindowsversion", "winver"),
        "platform": name
        in ("system", "machine", "node", "uname", "release", "version", "libc_ver", "win32_ver", "mac_ver"),
        "mmap": name.startswith(("MADV_", "MAP_", "PROT_")),
        "signal": name.startswith("SIG") and name not in SIGNALS_OF_ALL | {"Signals"},
        "ctypes": name in LIBRARIES - {"CDLL"},
    }
    return f"{owner}.{name}" if known.get(owner) else None


def knowledge(root):
    """Yield the line and the words of what a module knows of the operating system."""
    silent = documentation(root)
    stored = {node.id for node in ast.walk(root) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    others = stored | {node.arg for node in ast.walk(root) if isinstance(node, ast.arg)}  # no modules
    for node in ast.walk(root):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in others:
            word = of_module(node.value.id, node.attr)
        elif isinstance(node, ast.Import):
            word = next((one.name for one in node.names if one.name.partition(".")[0] in MODULES), None)
        elif isinstance(node, ast.ImportFrom):
            owner = node.module or ""
            words = [of_module(owner, one.name) for one in node.names]
            word = owner if owner.partition(".")[0] in MODULES else next(filter(None, words), None)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
            "CDLL",
            "PyDLL",
        ):
            of_process = node.args and isinstance(node.args[0], ast.Constant)
            word = ast.unparse(node) if of_process else None
        elif isinstance(node, ast.keyword):
            word = node.arg if node.arg in KEYWORDS else None
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            text = node.value
            word = text if text.startswith(FOLDERS) or text in ("futex", "sched_yield") else None
        else:
            word = None
        if word is not None:
            yield node.lineno, word


def files():
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if not place.startswith(f"{ROOM}/") and place not in TEXT_FOR_OTHERS:
            yield path, place


def test_no_other_room_knows_the_operating_system():
    wrong = [
        f"{place}:{line} {word}"
        for path, place in files()
        for line, word in knowledge(syntax(path))
        if (place, word) not in ALLOWED
    ]
    assert wrong == [], "ask hybridize/system: its face has what differs between systems"


def test_what_is_allowed_is_there():
    for place, word in ALLOWED:
        assert word in {found for _, found in knowledge(syntax(PACKAGE / place))}, (place, word)
    for place in TEXT_FOR_OTHERS:
        assert list(knowledge(syntax(PACKAGE / place))), place


@pytest.mark.parametrize(
    "source",
    [
        "os.uname().machine",
        "if sys.platform == 'linux': pass",
        "from sys import platform",
        "platform.machine()",
        "ctypes.CDLL(None)",
        "ctypes.PyDLL(None).memcmp",
        "ctypes.CDLL('libm.so.6')",
        "os.open(path, os.O_RDONLY | os.O_CLOEXEC)",
        "open('/proc/cpuinfo')",
        "os.path.join(root, 'sys/devices/system/cpu')",
        "os.sched_getaffinity(0)",
        "os.fork()",
        "from os import fork",
        "os.geteuid()",
        "def f():\n    import fcntl",
        "from resource import getrlimit",
        "os.unlink(name, dir_fd=folder)",
        "signal.SIGKILL",
        "mmap.MAP_ANONYMOUS",
        "number = numbers['futex']",
        "os.fsync(file)",
        "import platformdirs",
    ],
)
def test_knowledge_is_seen(source):
    assert len(list(knowledge(ast.parse(source)))) >= 1


@pytest.mark.parametrize(
    "source",
    [
        '"""Reads /proc/cpuinfo, by os.uname."""',
        "os.open(path, os.O_RDWR | os.O_CREAT)",
        "platform.python_version()",
        "signal.signal(signal.SIGINT, signal.SIG_IGN)",
        "ctypes.CDLL(path)",
        "mmap.mmap(file, 0, access=mmap.ACCESS_READ)",
        "def f(platform: Platform): return platform.system",
        "if method == 'fork': pass",
    ],
)
def test_what_all_systems_have_is_free(source):
    assert list(knowledge(ast.parse(source))) == []


def test_one_module_asks_which_system_this_is():
    asking = [
        path.name
        for path in sorted((PACKAGE / ROOM).glob("*.py"))
        if any(word in ("sys.platform", "os.name", "platform.system") for _, word in knowledge(syntax(path)))
    ]
    assert asking == ["__init__.py"]
