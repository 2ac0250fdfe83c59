"""docs/guide/serve.md, played: its model is made, its commands run, its recipes answer."""

import json
import re
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "serve.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SHELL = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def started(arguments, folder, port, path="/v2/health/ready"):
    """A server as a process, which answers."""
    with (folder / f"log{port}").open("w") as log:
        process = subprocess.Popen(arguments, cwd=folder, stdout=log, stderr=log, text=True)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=2).close()
                break
            except OSError:
                assert process.poll() is None, (folder / f"log{port}").read_text()
                time.sleep(0.1)
        yield process
        process.terminate()
        process.wait(30)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    at = tmp_path_factory.mktemp("guide")
    more = """
net.export("graph", format="onnx")
import os, shutil
os.makedirs("models/deep/3")
shutil.copy("my_mlp", "models/deep/3/model.hybridize")
"""
    (at / "make.py").write_text(PYTHON[0] + more)
    subprocess.run([sys.executable, "make.py"], cwd=at, check=True)
    return at


def commands(text):
    return [line for block in SHELL for line in block.splitlines() if line.startswith(text)]


def test_the_commands_and_the_client(folder):
    """All commands of `serve` start; the requests of the page are answered by the one with several models."""
    lines = commands("hybridize serve")
    assert len(lines) == 3
    port = free_port()
    ports = ["--port", str(port), "--grpc-port", str(free_port())]
    for line in lines[1:]:
        arguments = [sys.executable, "-m", "hybridize", *line.split()[1:], *ports]
        with started(arguments, folder, port):
            for request in commands("curl"):
                arguments = request.replace("localhost:8000", f"127.0.0.1:{port}")
                answer = json.loads(subprocess.run(arguments, shell=True, capture_output=True, check=True).stdout)
                assert answer.get("name", answer.get("model_name")) == "my_mlp"
            program = PYTHON[1].replace("localhost:8000", f"127.0.0.1:{port}")
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            assert (done.stdout, done.returncode) == ("(3, 2)\n", 0), done.stderr
            index = urllib.request.Request(f"http://127.0.0.1:{port}/v2/repository/index", b"{}")
            names = [one["name"] for one in json.loads(urllib.request.urlopen(index).read())]
            assert names == (["deep", "my_mlp", "other"] if "other" in line else ["my_mlp"])


def test_the_command_of_the_container(folder):
    """ENTRYPOINT and CMD, with the folder of the test in the place of the volume."""
    (recipe,) = re.findall(r"```dockerfile\n(.*?)```", PAGE, re.DOTALL)
    assert len(recipe.splitlines()) <= 20
    entry, arguments = (json.loads(re.search(rf"^{word} (.*)$", recipe, re.M)[1]) for word in ("ENTRYPOINT", "CMD"))
    assert arguments == ["/mnt/models"]
    port = free_port()
    replaced = {"8080": str(port), "8081": str(free_port()), "0.0.0.0": "127.0.0.1"}
    words = [replaced.get(word, word) for word in entry[1:]]
    with started([sys.executable, "-m", "hybridize", *words, str(folder / "models")], folder, port):
        answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/models/deep").read()
        assert json.loads(answer)["versions"] == ["3"]


def test_recipes_are_short():
    assert all(len([line for line in text.splitlines() if line.strip()]) <= 20 for text in PYTHON[2:])
    assert len(PYTHON) == 4


@pytest.mark.long
def test_the_recipe_of_litserve(folder):
    pytest.importorskip("litserve", reason="pip install litserve")
    port = free_port()
    (folder / "lit.py").write_text(PYTHON[2].replace("8002", str(port)))
    with started([sys.executable, "lit.py"], folder, port, "/health"):
        body = json.dumps({"data": [[1, 2, 3, 4]]}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}/predict", body, {"Content-Type": "application/json"})
        assert len(json.loads(urllib.request.urlopen(request).read())["data"][0]) == 2
