"""What a newcomer runs first: the demo, and the code of the README and the guide, which gives what it says."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from hybridize.formats.library.platforms import named_platform
from tests.formats.tensorflow.test_saved_models import unpacked
from tests.formats.tflite import test_state
from tests.formats.tflite.writer import doubling

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
PAGES.remove(ROOT / "docs" / "guide" / "deploy.md")  # several programs and languages: test_deploy_guide.py plays it
PAGES.remove(ROOT / "docs" / "guide" / "bring-a-library-over.md")  # needs libraries: test_gluon_libraries.py plays it
PAGES.remove(ROOT / "docs" / "guide" / "serve.md")  # a server and its clients: tests/serve plays it
PAGES.remove(
    ROOT / "docs" / "guide" / "data-engines.md"
)  # programs of several processes: test_data_engines.py plays it
for played in ("train-elsewhere.md", "wheel.md"):  # several languages: test_played_pages.py plays them
    PAGES.remove(ROOT / "docs" / "guide" / played)
PAGES.remove(ROOT / "docs" / "guide" / "chapter.md")  # a notebook: test_notebook.py plays it
ENVIRONMENTS = {"docs/guide/jax.md": "jax", "docs/guide/tensorflow.md": "tensorflow"}
"""Pages whose library has an environment of its own: `make .jax/.installed`."""
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
SAID = re.compile(r"#\s+((?:[\[({'\"\d-]|array\(|[cg]pu\(|True|False|None).*)$")
"""A comment that begins with a value."""

IMPORTS = """import numpy
from hybridize import hybridize, load, np, npx
from hybridize.gluon import nn
"""
TORCH = "import torch\nmodule, tensor = torch.nn.Linear(4, 2), torch.ones(1, 4)\nx = tensor\n"
NET = "net, x = nn.Dense(2), np.ones((1, 4))\nnet.initialize()\nnet.hybridize()\nnet(x)\n"
JAX = """import numpy, jax, jax.numpy as jnp

def loss(params, batch):
    return ((batch @ params["w"] + params["b"]) ** 2).mean()

def step(params, batch):
    value, gradient = jax.value_and_grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient), value

batch, params = jnp.arange(6.0).reshape(2, 3), {"w": jnp.ones((3, 2)), "b": jnp.zeros(2)}
expected = jax.tree.leaves(step(params, batch))
"""
TENSORFLOW = """import numpy, tensorflow as tf

net = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,), activation="tanh"), tf.keras.layers.Dense(2)])
x = tf.reshape(tf.range(8.0), (2, 4))
tf.saved_model.save(net, "my_mlp")
"""
ONE_PROCESS = """import os
os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="localhost", MASTER_PORT="29519")
"""
"""As torchrun numbers a process that is alone."""
TWO_GPUS = """import os
os.environ["HYBRIDIZE_DEVICE"] = "emulated"
from hybridize.runtime import devices
devices.register("emulated", "tests.device.emulated")
"""
BEFORE = {
    "docs/guide/devices.md": TWO_GPUS,
    "README.md": TORCH,
    "docs/guide/pytorch.md": IMPORTS + TORCH + ONE_PROCESS,
    "docs/guide/jax.md": JAX,
    "docs/guide/tensorflow.md": TENSORFLOW,
    "docs/guide/saved-models.md": IMPORTS + "stored = numpy.load('my_mlp.npz')\nx = np.array(stored['0.in.inputs'])\n",
    "docs/guide/tflite.md": "import numpy\nx, stream = numpy.float32([[1.5, -2.0]]), numpy.load('stream.npy')\n",
}
"""What the text around the code of a page has said already; elsewhere there are a net and its input."""
AFTER = {
    "docs/guide/jax.md": """
again = jax.tree.leaves(load("step")({"w": numpy.ones((3, 2), "f4"), "b": numpy.zeros(2, "f4")}, numpy.asarray(batch)))
for one, other, own in zip(jax.tree.leaves((params, value)), again, expected, strict=True):
    assert isinstance(one, jax.Array) and not isinstance(other, jax.Array)
    numpy.testing.assert_allclose(one, own, rtol=1e-5, atol=1e-6)
    numpy.testing.assert_allclose(other, own, rtol=1e-5, atol=1e-6)
""",
    "docs/guide/tensorflow.md": """
assert isinstance(y, tf.Tensor)
for result in (y, load("my_net")(x), load("my_mlp")(x)):
    numpy.testing.assert_allclose(numpy.asarray(result), net(x), rtol=1e-5, atol=1e-6)
""",
    "docs/guide/saved-models.md": "numpy.testing.assert_allclose(y, stored['0.out.0'], rtol=1e-5, atol=1e-6)\n",
    "docs/guide/tflite.md": """
assert numpy.array_equal(net(x), 2 * x) and numpy.array_equal(y, [[2, -12]])
assert numpy.array_equal(score, numpy.load("score.npy")) and not numpy.array_equal(wake(stream[0]), score)
""",
}
"""What the results of a page are, where its comments do not say it."""


def saved_model(folder: Path) -> None:
    """The folder that the page loads, a small net that TensorFlow saved; what it gives lies beside it."""
    unpacked("small_lstm", folder).rename(folder / "my_mlp")
    (folder / "small_lstm.npz").rename(folder / "my_mlp.npz")


def tflite_models(folder: Path) -> None:
    """The files that the page loads, of our own making, and what it feeds to the last one."""
    (folder / "model.tflite").write_bytes(doubling("f4"))
    (folder / "model_int8.tflite").write_bytes(doubling("i1", 0.5, -4))
    (folder / "okay_nabu.tflite").write_bytes(test_state.streaming())
    numpy.save(folder / "stream.npy", test_state.INPUTS)
    numpy.save(folder / "score.npy", test_state.expected()[-1])


FILES = {"docs/guide/saved-models.md": saved_model, "docs/guide/tflite.md": tflite_models}
"""Functions that put what a page loads into a folder."""

COMPARE = """
def said(value, comment):
    texts = [text.replace("'", '"') for text in (str(value), repr(value))]
    assert comment.replace("'", '"').startswith(tuple(texts)), f"{value} is not {comment}"

"""


def checked(code: str) -> str:
    """The code, with each value that a comment tells compared with it."""
    lines = code.splitlines()
    for node in reversed(ast.parse(code).body):
        comment = SAID.search(lines[node.end_lineno - 1])
        if not isinstance(node, ast.Expr) or comment is None:
            continue
        value = ast.get_source_segment(code, node.value)
        if value.startswith("print("):
            value = f"str({value[len('print(') :]}"
        lines[node.lineno - 1 : node.end_lineno] = [f"said({value}, {comment[1]!r})"]
    return "\n".join(lines)


def run(*arguments: str | Path, cwd: Path, python: str | Path = sys.executable) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([python, *arguments], cwd=cwd, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_demo(tmp_path):
    shown = run(ROOT / "examples" / "chapter_mlp.py", tmp_path / "out", cwd=tmp_path)
    assert "All results are the same." in shown
    assert '"nodes"' in shown
    files = {named_platform(None).library("my_mlp"), "my_mlp-0000.params", "my_mlp-symbol.json", "my_mlp.h"}
    assert {path.name for path in (tmp_path / "out").iterdir() if path.stem != "main"} == files
    assert "from C: largest difference" in shown


def test_c_of_the_readme(tmp_path, system):
    """Its ten lines run the library that its Python exports."""
    system("cc")
    text = (ROOT / "README.md").read_text()
    made = text[text.index("## Thirty seconds") :]
    python = BLOCK.search(made)[1] + 'net.export("my_mlp", format="library")\nprint(*net(np.zeros((1, 512)))[0])\n'
    (tmp_path / "page.py").write_text(python)
    expected = [float(word) for word in run("page.py", cwd=tmp_path).split()]
    (fragment,) = re.findall(r"```c\n(.*?)```", text, re.DOTALL)
    shown = 'printf("%.9g %.9g\\n", output[0], output[1]);'
    program = f'#include <stdio.h>\n#include "my_mlp.h"\nint main(void) {{\n{fragment}{shown}return code;\n}}\n'
    (tmp_path / "main.c").write_text(program)
    build = ["cc", "-Wall", "-Werror", "main.c", "-o", "main", "-L.", "-lmy_mlp", "-Wl,-rpath,."]
    subprocess.run(build, cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [float(word) for word in done.stdout.split()] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def written(page: str, folder: Path) -> None:
    """Write a page's code as a program, and the files that it loads."""
    code = "\n".join(map(checked, BLOCK.findall((ROOT / page).read_text())))
    FILES.get(page, lambda folder: None)(folder)
    (folder / "page.py").write_text(COMPARE + BEFORE.get(page, IMPORTS + NET) + code + AFTER.get(page, ""))


@pytest.mark.parametrize("page", sorted({str(page.relative_to(ROOT)) for page in PAGES} - ENVIRONMENTS.keys()))
def test_pages(page, tmp_path):
    written(page, tmp_path)
    run("page.py", cwd=tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("page", ENVIRONMENTS)
def test_pages_of_libraries(page, tmp_path):
    written(page, tmp_path)
    run("page.py", cwd=tmp_path, python=ROOT / f".{ENVIRONMENTS[page]}" / "bin" / "python")


def test_what_a_comment_says_is_compared(tmp_path):
    (tmp_path / "right.py").write_text(
        COMPARE + checked("1 + 1  # 2\nprint('a')  # 'a'\n(1, 2)  # (1, 2): a pair\n'x'  # not a value\n")
    )
    run("right.py", cwd=tmp_path)
    (tmp_path / "wrong.py").write_text(COMPARE + checked("1 + 1  # 3\n"))
    with pytest.raises(AssertionError, match="2 is not 3"):
        run("wrong.py", cwd=tmp_path)
