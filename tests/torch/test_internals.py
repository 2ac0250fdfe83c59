"""PyTorch's public names are enough, but for one file."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import hybridize.torch.functions
from hybridize.torch import internals
from hybridize.torch.functions.table import ABSENT

DOOR = Path(hybridize.torch.__file__).parent
TESTED = "2.13.0"


def private(name):
    return name.startswith("_") and not name.startswith("__")


def unnamed(source):
    """Private names of torch in a program: (line, name)."""
    tree = ast.parse(source)
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.partition(".")[0] == "torch":
                    modules.add((one.asname or one.name).partition(".")[0])
                    if any(map(private, one.name.split("."))):
                        yield node.lineno, one.name
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch":
            modules.update(one.asname or one.name for one in node.names if not one.name[0].isupper())
            words = [*node.module.split("."), *(one.name for one in node.names)]
            if any(map(private, words)):
                yield node.lineno, " ".join(words)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and private(node.attr):
            root = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in modules:
                yield node.lineno, ast.unparse(node)


def test_one_file_names_what_pytorch_keeps_to_itself():
    found = {
        f"{file.relative_to(DOOR)}:{line}": name
        for file in sorted(DOOR.rglob("*.py"))
        if file.name != "internals.py"
        for line, name in unnamed(file.read_text())
    }
    assert not found
    assert list(unnamed((DOOR / "internals.py").read_text()))


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch._C.f()",
        "import torch.nn._reduction",
        "from torch.utils import _pytree",
        "from torch._subclasses import fake_tensor",
        "from torch.autograd import forward_ad\nforward_ad._current_level",
        "import torch as t\nt.nn.functional._pad",
    ],
)
def test_every_way_to_name_them_is_seen(source):
    assert list(unnamed(source))


def test_nothing_of_the_table_is_absent():
    assert torch.__version__.partition("+")[0] != TESTED or not ABSENT


def test_what_is_absent_is_done_without():
    """Another version of torch: functions that it lacks have no entry, and what has a fallback is not missed."""
    code = (
        "import torch\n"
        "del torch.cumulative_trapezoid, torch._C._functorch.peek_interpreter_stack\n"
        "del torch._C._autograd._get_current_graph_task_keep_graph\n"
        "from hybridize import hybridize\n"
        "net = torch.nn.Linear(3, 2)\n"
        "fast, x = hybridize(net), torch.randn(4, 3, requires_grad=True)\n"
        "y = fast(x)\n"
        "(slope,) = torch.autograd.grad(y.sum(), x)\n"
        "torch.testing.assert_close(slope, net.weight.sum(0).expand(4, 3))\n"
        "torch.testing.assert_close(y, net(x))\n"
        "from hybridize.torch.functions.table import ABSENT\n"
        "print(*ABSENT)\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["cumulative_trapezoid"]


def test_what_has_none_is_named():
    with pytest.raises(ImportError, match=r"hybridize.torch needs torch._C.there_is_no_such_thing"):
        internals._named("_C.there_is_no_such_thing")
