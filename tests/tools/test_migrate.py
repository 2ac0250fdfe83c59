"""`hybridize migrate`: scripts of both generations of Gluon run once rewritten; what is left to do is in the report."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import onnx
import pytest

from hybridize.base.errors import ArgumentError, LoadError
from hybridize.tools.migrating import files, names, numpys
from hybridize.tools.migrating.notebook import migrate_notebook
from hybridize.tools.migrating.script import migrate
from tests.formats.tflite.cases import CASES
from tests.onnx_models import image_net
from tests.platforms.marks import owners

SCRIPTS = sorted((Path(__file__).parent / "mxnet_scripts").glob("*.py"))
COMMAND = Path(sys.executable).with_name("hybridize")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_migrated_scripts_run(path, tmp_path):
    done = migrate(path.read_text())
    assert [one for one in done.findings if not one.done] == []
    script = tmp_path / path.name
    script.write_text(done.text)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_all_but_the_names_stays(path):
    before, after = path.read_text(), migrate(path.read_text()).text
    for old, new in zip(before.split("\n"), after.split("\n"), strict=True):
        if not re.search(r"import|mxnet|gpu\(", old):
            assert new == old
        assert re.match(r"\s*", new)[0] == re.match(r"\s*", old)[0]
        assert new.partition("#")[1:] == old.partition("#")[1:], "comments, and the blanks before them"
        assert new.partition("#")[0][-3:].count(" ") == old.partition("#")[0][-3:].count(" ")
    assert migrate(after).text == after, "a second time changes nothing"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import mxnet as mx", "import hybridize.mxnet as mx"),
        ("import numpy, mxnet as mx  # both", "import numpy, hybridize.mxnet as mx  # both"),
        ("import mxnet", "import hybridize.mxnet as mxnet"),
        ("import mxnet.gluon.nn", "import hybridize.mxnet as mxnet, hybridize.mxnet.gluon.nn"),
        ("import  mxnet.ndarray  as nd", "import  hybridize.mxnet.ndarray as nd"),
        ("from mxnet import nd, gluon", "from hybridize.mxnet import nd, gluon"),
        ("from  mxnet.gluon  import nn as n", "from  hybridize.mxnet.gluon  import nn as n"),
        ("from mxnet import (\n    nd,  # arrays\n)", "from hybridize.mxnet import (\n    nd,  # arrays\n)"),
        ("from \\\n  mxnet import nd", "from \\\n  hybridize.mxnet import nd"),
        ("from mxnet import *", "from hybridize.mxnet import *"),
        ("from d2l import mxnet as d2l", "from hybridize import d2l"),
        ("from d2l import mxnet", "from hybridize import d2l as mxnet"),
        ("import d2l.mxnet as d2l", "import hybridize.d2l as d2l"),
        ("import d2lzh as d2l", "import hybridize.d2l as d2l"),
        ("from d2l import torch as d2l", "from d2l import torch as d2l"),
        ("import onnxruntime as ort, onnx", "import hybridize.onnx as ort, onnx"),
        ("import onnxruntime", "import hybridize.onnx as onnxruntime"),
        ("from onnxruntime import InferenceSession as S", "from hybridize.onnx import InferenceSession as S"),
        ("from tflite_runtime.interpreter import Interpreter", "from hybridize.tflite import Interpreter"),
        ("import ai_edge_litert.interpreter as lite", "import hybridize.tflite as lite"),
        ("from mxnet import gpu, nd", "from hybridize.mxnet import cpu as gpu, nd"),
        ("try:\n    import mxnet as mx\nexcept ImportError:\n    mx = None", None),
        ("x = 'import mxnet as mx'", "x = 'import mxnet as mx'"),
        ("from .mxnet import nd", "from .mxnet import nd"),
        ("s = 'é'; import mxnet as mx; t = 'ü'", "s = 'é'; import hybridize.mxnet as mx; t = 'ü'"),
        ("import mxnet as mx\nx = 'é', mx.gpu(0), mx.gpu", "import hybridize.mxnet as mx\nx = 'é', mx.cpu(0), mx.cpu"),
        ("import mxnet as mx\r\nmx.gpu()\r\n", "import hybridize.mxnet as mx\r\nmx.cpu()\r\n"),
        (
            "from mxnet import npx\nnpx.gpu(), npx.num_gpus()",
            "from hybridize.mxnet import npx\nnpx.cpu(), npx.num_gpus()",
        ),
        (
            "import mxnet as mx\ntry:\n    mx.gpu(1)\nexcept mx.MXNetError:\n    mx.gpu(2)\nelse:\n    mx.gpu(3)",
            "import hybridize.mxnet as mx\ntry:\n    mx.gpu(1)\nexcept mx.MXNetError:\n    mx.cpu(2)\nelse:\n    mx.cpu(3)",
        ),
        (
            "import mxnet as mx\ntry:\n    mx.gpu(1)\nexcept (OSError, KeyError):\n    pass",
            "import hybridize.mxnet as mx\ntry:\n    mx.cpu(1)\nexcept (OSError, KeyError):\n    pass",
        ),
        (
            "import mxnet as mx\ndef f():\n    try:\n        return mx.nd.ones(1, ctx=mx.gpu())\n    except:\n        pass",
            "import hybridize.mxnet as mx\ndef f():\n    try:\n        return mx.nd.ones(1, ctx=mx.gpu())\n    except:\n"
            "        pass",
        ),
        ("from mxnet.context import cpu, gpu", "from hybridize.mxnet.context import cpu, cpu as gpu"),
        ("from mxnet . gluon import nn", "from mxnet . gluon import nn"),
        ("from mxnet import context\ncontext.gpu(1)", "from hybridize.mxnet import context\ncontext.cpu(1)"),
        ("gpu = print\ngpu(1)", "gpu = print\ngpu(1)"),
        ("import mxnet as mx\ndef f(mx):\n    mx.gpu()", "import hybridize.mxnet as mx\ndef f(mx):\n    mx.gpu()"),
    ],
)
def test_lines(line, expected):
    assert migrate(line).text == (expected or line.replace("mxnet", "hybridize.mxnet"))


def left(text):
    return [(one.line, one.text, one.remedy) for one in migrate(text).findings if not one.done]


@pytest.mark.parametrize(
    ("text", "line", "found", "remedy"),
    [
        ("import mxnet as mx\n\nmx.mod.Module(net)", 3, "mx.mod", "train with gluon.Trainer"),
        ("from mxnet import nd\nnd.convolutoin(x)", 2, "nd.convolutoin", "did you mean"),
        ("from mxnet import nonsense", 1, "mxnet.nonsense", "no counterpart"),
        ("from mxnet.nonsense.deeper import x", 1, "mxnet.nonsense", "no counterpart"),
        ("from mxnet.gluon import nn\nnn.Linear(3)", 2, "nn.Linear", "nn.Dense(units)"),
        ("from mxnet import gluon\nnn = gluon.nn\nnn.Linear(3)", 3, "nn.Linear", "nn.Dense(units)"),
        ("from mxnet import gluon\ndef f():\n    return gluon.nn.Linear", 3, "gluon.nn.Linear", "nn.Dense(units)"),
        ("class A:\n  def hybrid_forward(self, F, x):\n    return F.nonsense(x)", 3, "F.nonsense", "not there"),
        ("from mxnet import gluon\ngluon.nn.Dropout(probability=1)", 2, None, None),
        ("import gluoncv", 1, "import gluoncv", "stands on MXNet"),
        ("from gluonnlp.data import x", 1, "import gluonnlp.data", "stands on MXNet"),
        (
            "import os\nos.environ['MXNET_CPU_WORKER_NTHREADS'] = 'a'",
            2,
            "MXNET_CPU_WORKER_NTHREADS",
            "hybridize does not read this variable",
        ),
        ("import importlib\nimportlib.import_module('mxnet.nd')", 2, None, "'hybridize.mxnet.nd'"),
        ("import pytest\npytest.importorskip('mxnet')", 2, None, "'hybridize.mxnet'"),
        (
            "from mxnet import autograd\nautograd.record(training=True)",
            2,
            "autograd.record(training=...)",
            "train_mode",
        ),
    ],
)
def test_what_is_left_is_reported(text, line, found, remedy):
    reported = left(text)
    if found is None and remedy is None:
        assert reported == []  # the block takes any keyword, and refuses it itself
        return
    assert [one[0] for one in reported] == [line]
    assert found is None or reported[0][1] == found
    assert remedy in reported[0][2]


def test_names_that_numpy_has_removed_are_rewritten():
    """Those alone: what this NumPy has stays, and names of other things."""
    text = "import numpy as onp\nimport numpy\nfrom mxnet import np\n{}\n"
    old = "a = onp.zeros(3, dtype=onp.float), numpy.Inf, onp.bool, np.float, onp.float32, onp.random.int, self.np.float"
    new = "a = onp.zeros(3, dtype=float), numpy.inf, onp.bool, np.float, onp.float32, onp.random.int, self.np.float"
    done = migrate(text.format(old))
    assert done.text.splitlines()[3] == new
    assert [(one.kind, one.text, one.done) for one in done.findings if one.kind == "numpy"] == [
        ("numpy", "onp.float", True), ("numpy", "numpy.Inf", True),
    ]  # fmt: skip
    for name in numpys._OLD:
        now = numpys.renamed(f"numpy.{name}", "numpy")
        assert (now is None) is (name in dir(numpy))
        assert now is None or eval(now, {"numpy": numpy}) is not None


OF_THE_FIRST = "from mxnet import nd\n"


@pytest.mark.parametrize(
    ("text", "found", "remedy"),
    [
        (OF_THE_FIRST + "y = x.flatten()", "x.flatten()", "F.flatten(x)"),
        ("import mxnet as mx\ny = mx.nd.ones(3).exp().flatten()", "mx.nd.ones(3).exp().flatten()", "nd.flatten(x)"),
        ("class A:\n  def hybrid_forward(self, F, x):\n    return x.flatten()", "x.flatten()", "F.flatten(x)"),
        (OF_THE_FIRST + "a, b = x.split(2)", "x.split(2)", "axis=1"),
        (OF_THE_FIRST + "y = x.take(i)", "x.take(i)", "axis=0"),
        (OF_THE_FIRST + "y = x.sort(axis=1)", "x.sort(axis=1)", "nd.sort(x)"),
        (OF_THE_FIRST + "y = x.split(2, axis=1), x.split(num_outputs=2), x.take(i, axis=1)", None, None),
        (OF_THE_FIRST + "y = nd.flatten(x), nd.sort(x), nd.take(x, i), nd.split(x, 2)", None, None),
        (OF_THE_FIRST + "words.sort()\ny = line.split(), line.split(','), x.asnumpy().flatten()", None, None),
        ("from mxnet import np\ny = x.flatten(), x.split(2), x.take(i)", None, None),
    ],
)
def test_methods_with_another_meaning_are_reported(text, found, remedy):
    reported = left(text)
    assert [one[1] for one in reported] == ([] if found is None else [found])
    assert remedy is None or remedy in reported[0][2]


def test_scripts_for_onnx_runtime_run_once_migrated(tmp_path):
    onnx.save(image_net(), tmp_path / "net.onnx")
    text = """import numpy, onnxruntime as ort
options = ort.SessionOptions()
options.intra_op_num_threads = 1
session = ort.InferenceSession("net.onnx", options, providers=ort.get_available_providers())
feeds = {one.name: numpy.ones((2, 3, 8, 8), "f4") for one in session.get_inputs()}
(y,) = session.run([one.name for one in session.get_outputs()], feeds)
print(*y[0].round(3))
"""
    done = migrate(text)
    assert not done.findings and done.text == text.replace("onnxruntime", "hybridize.onnx")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = [
        subprocess.run([sys.executable, "-c", one], cwd=tmp_path, capture_output=True, text=True, env=environment)
        for one in (text, done.text)
    ]
    numbers = [[float(word) for word in one.stdout.split()] for one in said]
    assert len(numbers[0]) == 5 and numbers[1] == pytest.approx(numbers[0], abs=0.002), said[1].stderr


def test_what_onnx_runtime_has_besides_is_reported():
    text = "import onnxruntime as ort\nx = ort.OrtValue\nfrom onnxruntime.capi.onnxruntime_pybind11_state import Fail"
    found = {one.text: one.remedy for one in migrate(text).findings}
    assert "NumPy arrays" in found["ort.OrtValue"] and "HybridizeError" in found["onnxruntime.capi"]


def test_tensorflow_s_interpreter_is_a_hint():
    text = "import tensorflow as tf\nrun = tf.lite.Interpreter(model_path='m')"
    done = migrate(text)
    assert done.text == text
    assert [(one.line, one.done, "load(path)" in one.remedy) for one in done.findings] == [(2, True, True)]


def test_scripts_for_litert_run_once_migrated(tmp_path):
    (tmp_path / "m.tflite").write_bytes(CASES["ABS"].model)
    text = """import numpy
from tflite_runtime.interpreter import Interpreter
net = Interpreter("m.tflite")
net.allocate_tensors()
net.set_tensor(net.get_input_details()[0]["index"], numpy.full((2, 3), -2, "f4"))
net.invoke()
print(net.get_tensor(net.get_output_details()[0]["index"]).sum())
"""
    done = migrate(text)
    assert not done.findings and done.text == text.replace("tflite_runtime.interpreter", "hybridize.tflite")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run(
        [sys.executable, "-c", done.text], cwd=tmp_path, capture_output=True, text=True, env=environment
    )
    assert said.stdout == "12.0\n", said.stderr


def test_other_compilers_are_a_hint():
    text = "import torch\nfrom torch import jit\nnet = torch.jit.script(net)\n@jit.trace\ndef f(): ..."
    done = migrate(text)
    assert done.text == text
    assert [(one.line, one.text, one.done) for one in done.findings] == [
        (3, "torch.jit.script", True), (4, "jit.trace", True),
    ]  # fmt: skip
    assert "hybridize(module)" in done.findings[0].remedy


def test_the_package_is_asked():
    """No list of names: whatever a module has, it has in the report."""
    for module in (
        "mxnet",
        "mxnet.gluon",
        "nd",
        "np",
        "npx",
        "gluon.nn",
        "gluon.loss",
        "init",
        "optimizer",
        "metric",
        "autograd",
    ):
        owner = names.look(f"hybridize.{module}").object
        for name in dir(owner):
            if not name.startswith("_"):
                assert not names.look(f"hybridize.{module}.{name}").missing
    assert names.look("hybridize.gluon.nn.nonsense.x").missing == "hybridize.gluon.nn.nonsense"
    assert not names.look("hybridize.np.pi.real.anything").missing, "what an instance has is not asked"
    assert not names.look("hybridize.gluon.nn.SymbolBlock").missing, "it is loaded when it is asked for"
    assert names.unknown_keywords(json.dumps, ["nonsense"]) == ([], []), "functions of others are theirs to check"


def test_python_2_stays_and_is_told():
    done = migrate("import mxnet as mx\nprint 'a'\n")
    assert done.text == "import mxnet as mx\nprint 'a'\n" and not done.readable
    assert done.findings[0].line == 2 and "2to3" in done.findings[0].remedy


CELLS = [
    ("markdown", ["# `import mxnet`\n"]),
    (
        "code",
        [
            "%matplotlib inline\n",
            "import mxnet as mx\n",
            "files = !ls mxnet\n",
            "for i in range(2):\n",
            "    !echo mxnet",
        ],
    ),
    ("code", "%%bash\nimport mxnet as mx"),
    ("code", ["%%time\n", "mx.nd.nonsense(1)\n", "mx.nd.array?"]),
    ("code", ["print 'old'"]),
]


def notebook():
    cells = [
        {"cell_type": kind, "metadata": {}, "source": source, **({"outputs": []} if kind == "code" else {})}
        for kind, source in CELLS
    ]
    return (
        json.dumps(
            {"cells": cells, "metadata": {"ö": 1}, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False
        )
        + "\n"
    )


def test_notebooks_keep_all_but_the_names():
    text = notebook()
    done, places = migrate_notebook(text, "a.ipynb")
    assert done.text == text.replace('"import mxnet as mx\\n"', '"import hybridize.mxnet as mx\\n"')
    told = [(places[one.line], one.text) for one in done.findings]
    assert told == [("In [3]:2", "mx.nd.nonsense"), ("In [4]:1", "print 'old'")]


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 3}', '{"cells": [{"source": 3}]}', "import mxnet"])
def test_what_is_no_notebook_is_refused(text):
    with pytest.raises(LoadError, match="E680"):
        migrate_notebook(text, "a.ipynb")


@owners
def test_encodings_and_modes_stay(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes("# coding: latin-1\r\nimport mxnet as mx  # é\r\n".encode("latin-1"))
    path.chmod(0o755)
    done = files.read(path)
    done.write(path)
    assert path.read_bytes() == "# coding: latin-1\r\nimport hybridize.mxnet as mx  # é\r\n".encode("latin-1")
    assert path.stat().st_mode & 0o777 == 0o755
    for name, data in (
        ("a.py", b"\xff\xfe"),
        ("a.py", b"x = '\xe9'\n"),
        ("a.py", b"# coding: no\n"),
        ("b.ipynb", b"[]"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        done = files.read(path)
        assert [one.kind for one in done.done.findings] == ["syntax"] and not done.done.readable
        done.write(tmp_path / "written")
        assert (tmp_path / "written").read_bytes() == data


@pytest.mark.parametrize(
    "call",
    [
        "nd.FullyConnected(x, nd.ones((4, 3)), nd.ones(4), num_hidden=4, name='a')", "nd.clip(x, 0, 1, out=x)",
        "nd.stack(x, x, out=nd.zeros((2, 2, 3)))", "nd.broadcast_mul(lhs=x, rhs=x)", "mx.random.uniform(shape=(2, 3))",
        "nd.random_normal(shape=(2, 3), ctx=mx.cpu())", "nd.sum(x, axis=0, exclude=True)", "nd.broadcast_to(nd.ones((1, 3)),"
        " shape=(2, 3), out=x)", "mx.sym.Convolution(mx.sym.var('d'), kernel=(1, 1), num_filter=2, name='c', attr={'a': 'b'})",
    ],
)  # fmt: skip
def test_keywords_that_work_are_not_reported(call):
    text = f"import mxnet as mx\nfrom mxnet import nd\nx = nd.ones((2, 3))\n{call}\n"
    assert left(text) == []
    exec(migrate(text).text, {})  # they do work


@pytest.mark.parametrize(
    ("question", "reported"),
    [
        ("LooseVersion(mx.__version__) < LooseVersion('1.4.0')", False), ("mx.__version__ >= '1.5'", False),
        ("mx.__version__.startswith('2')", True), ("int(mx.__version__[0]) == 2", True),
        ("Version(mx.__version__) >= Version('2.0.0')", True), ("numpy.__version__ >= '2'", False),
        ("2 * mx.nd.ones(2) == 2", False),
    ],
)  # fmt: skip
def test_questions_for_the_second_version_are_reported(question, reported):
    findings = migrate(f"import numpy\nimport mxnet as mx\nx = {question}\n").findings
    assert [one.kind for one in findings] == ["version"] * reported


def test_classes_that_the_package_refuses_are_reported(monkeypatch):
    """The package is asked by a class with these methods; nothing of the script runs."""
    text = (
        "from mxnet import gluon\nfrom somewhere import deco\nclass A(gluon.nn.Dense):\n    x = 1 / 0\n"
        "    def hybrid_forward(self, F, x, weight, bias=1 / 0, *, c: 1 / 0 = 1 / 0):\n        return super().forward(x)\n"
    )
    assert left(text) == []

    def refuse(cls, **_):
        assert cls.hybrid_forward.__defaults__ == (None,)
        raise ArgumentError("E344", f"{cls.__name__} overrides {sorted(vars(cls))[-1]}", help="do it otherwise")

    monkeypatch.setattr(names.look("hybridize.gluon.Block").object, "__init_subclass__", classmethod(refuse))
    assert left(text) == [(3, "class A", "A overrides hybrid_forward; do it otherwise")]


def test_the_packages_that_are_migrated_are_not_reported(tmp_path):
    for name in ("gluonnlp", "gluonnlp/data", "scripts"):
        (tmp_path / name).mkdir()
    (tmp_path / "gluonnlp" / "__init__.py").write_text("import d2l\nfrom mxnet import nd\n")
    (tmp_path / "gluonnlp" / "data" / "__init__.py").write_text("from gluonnlp import x\nimport gluoncv\n")
    (tmp_path / "scripts" / "a.py").write_text("import gluonnlp.data as data\nimport d2lzh as d2l\n")
    for folder in (tmp_path, tmp_path / "gluonnlp", tmp_path / "gluonnlp" / "data" / "__init__.py"):
        assert "gluonnlp" in files.packages([folder])
    own = files.packages([tmp_path])
    assert own == {"gluonnlp"}
    done = {
        path.name: files.read(path, own)
        for path, _ in files.sources([tmp_path / "scripts", tmp_path / "gluonnlp" / "data"])
    }
    assert done["a.py"].left == 0
    assert [one.text for one in done["__init__.py"].done.findings] == ["import gluoncv"]
    assert "import d2l\n" in migrate("import d2l\n", frozenset({"d2l"})).text, "the book's own package stays itself"


def test_folders(tmp_path):
    for name in ("p", "p/.git", "p/__pycache__", "p/env"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("import mxnet as mx\nmx.nd.nonsense()\n")
    (tmp_path / "p" / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / "p" / "b.py").write_text("import mxnet\nmxnet.nd.nonsense(), mxnet.gpu()\n")
    (tmp_path / "p" / "c.txt").write_text("import mxnet")
    code, shown, _ = command("p", "-o", "new", cwd=tmp_path)
    assert code == 0
    assert sorted(str(one.relative_to(tmp_path / "new")) for one in (tmp_path / "new").rglob("*")) == ["a.py", "b.py"]
    assert "2 files: 3 lines rewritten in 2" in shown
    assert "    2  names that hybridize does not have, in 2 files\n       p/a.py:2\n" in shown
    assert "mx.nd.nonsense (1), mxnet.nd.nonsense (1)" in shown
    assert "2 places left for a human: --full" in shown
    assert (
        "  2: mxnet.nd.nonsense" not in shown and "  2: mxnet.nd.nonsense\n" in command("p", "--full", cwd=tmp_path)[1]
    )
    assert command("p", "--write", cwd=tmp_path)[0] == 0
    assert (tmp_path / "p" / "a.py").read_text().startswith("import hybridize")
    assert (tmp_path / "p" / "env" / "a.py").read_text().startswith("import mxnet")
    assert "nothing left for a human" in command("p/c.txt", cwd=tmp_path)[1]
    assert command("nowhere", cwd=tmp_path)[0] == 2


def test_a_summary_fits_a_screen(tmp_path):
    for number in range(30):
        lines = [f"mx.nd.nonsense{one}(), mx.mod, x.flatten(), 'MXNET_A{one}', mx.nd.array(a=1)" for one in range(40)]
        text = f"import mxnet as mx, importlib, gluoncv\nimportlib.import_module('mxnet')\n{chr(10).join(lines)}\n"
        (tmp_path / f"{'long' * 20}{number}.py").write_text(text + ("" if number else "print 1\n"))
    code, shown, _ = command(".", cwd=tmp_path)
    assert code == 1
    assert len(shown.splitlines()) <= 50 and max(map(len, shown.splitlines())) <= 80


def test_it_needs_no_library_of_the_command_line(tmp_path):
    """As beside packages that pin pydantic 1, with which typer does not import."""
    (tmp_path / "a.py").write_text("import mxnet as mx\n")
    (tmp_path / "typer.py").write_text("raise ImportError('typer')")
    (tmp_path / "rich.py").write_text("raise ImportError('rich')")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    run = subprocess.run(
        [sys.executable, "-m", "hybridize", "migrate", "a.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert run.returncode == 0 and "1 line rewritten" in run.stdout, run.stderr


def command(*arguments, cwd):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "80"}
    done = subprocess.run(
        [COMMAND, "migrate", *map(str, arguments)], cwd=cwd, capture_output=True, text=True, env=environment
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command(tmp_path):
    (tmp_path / "a.py").write_text("import mxnet as mx\nmx.nd.nonsense()\n")
    (tmp_path / "b.py").write_text("print 1\n")
    code, shown, _ = command("a.py", "--diff", cwd=tmp_path)
    assert code == 0
    assert "-import mxnet as mx\n+import hybridize.mxnet as mx\n" in shown
    assert "mx.nd.nonsense" in shown and "1 line rewritten; 1 left for a human" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert (tmp_path / "a.py").read_text().startswith("import mxnet"), "nothing is written unless it is asked for"
    code, shown, _ = command("a.py", "b.py", "-o", "new", cwd=tmp_path)
    assert code == 1 and "2to3" in shown
    assert (tmp_path / "new" / "a.py").read_text() == "import hybridize.mxnet as mx\nmx.nd.nonsense()\n"
    assert (tmp_path / "new" / "b.py").read_text() == "print 1\n"
    assert command("a.py", "--write", cwd=tmp_path)[0] == 0
    assert (tmp_path / "a.py").read_text() == (tmp_path / "new" / "a.py").read_text()
    code, _, errors = command("a.py", "--write", "-o", "new", cwd=tmp_path)
    assert code == 2 and "one of them" in errors
