"""docs/guide/serve.md, played: its model is made, its commands run, its recipes answer."""

import json
import re
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hybridize.serve.options import ServerOptions
from hybridize.serve.sources import Sources
from hybridize.tools import serve_command
from hybridize.tools.application import application
from tests.serve.test_long_load import saved

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guide" / "serve.md").read_text()
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


def options_of(arguments, monkeypatch):
    """The options that a command serves with; nothing is started."""
    taken = []
    monkeypatch.setattr(serve_command, "run", lambda **options: taken.append(options))
    done = CliRunner().invoke(application, arguments)
    assert done.exit_code == 0, done.output
    return ServerOptions(**taken[0])


def test_the_commands_and_the_client(folder):
    """The command with several models starts; all requests of the page are answered by it."""
    (line,) = [line for line in commands("hybridize serve") if "models/" in line]
    port = free_port()
    arguments = [*line.split()[1:], "--port", str(port), "--grpc-port", str(free_port())]
    with started([sys.executable, "-m", "hybridize", *arguments], folder, port):
        for request in commands("curl"):
            asked = request.replace("localhost:8000", f"127.0.0.1:{port}")
            answer = json.loads(subprocess.run(asked, shell=True, capture_output=True, check=True).stdout)
            assert answer.get("name", answer.get("model_name")) == "my_mlp"
        program = PYTHON[1].replace("localhost:8000", f"127.0.0.1:{port}")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert (done.stdout, done.returncode) == ("(3, 2)\n", 0), done.stderr
        index = urllib.request.Request(f"http://127.0.0.1:{port}/v2/repository/index", b"{}")
        assert [one["name"] for one in json.loads(urllib.request.urlopen(index).read())] == ["deep", "my_mlp", "other"]


def test_the_other_commands(monkeypatch):
    """What the page says of defaults and batches is what the command takes."""
    lines = commands("hybridize serve")
    assert len(lines) == 3
    plain, _, batches = (options_of(line.split()[1:], monkeypatch) for line in lines)
    assert plain == ServerOptions(("my_mlp",))
    assert (batches.max_batch, batches.max_wait_us) == (64, 500)
    for name, default in re.findall(r"^\| `--([a-z-]+)`[^|]*\| ([\d ]+)(?:MiB)? \|", PAGE, re.M):
        number = int(default.strip()) << (20 if name == "max-body" else 0)
        assert getattr(plain, name.replace("-", "_")) == number, name


def test_the_command_of_the_container(folder, monkeypatch):
    """ENTRYPOINT and CMD, with the folder of the test in the place of the volume."""
    (recipe,) = re.findall(r"```dockerfile\n(.*?)```", PAGE, re.DOTALL)
    assert len(recipe.splitlines()) <= 20
    entry, arguments = (json.loads(re.search(rf"^{word} (.*)$", recipe, re.M)[1]) for word in ("ENTRYPOINT", "CMD"))
    assert arguments == ["/mnt/models"]
    options = options_of([*entry[1:], *arguments], monkeypatch)
    assert (options.host, options.port, options.grpc_port, options.controlled) == ("0.0.0.0", 8080, 8081, False)
    assert list(Sources([str(folder / "models")]).scan()["deep"]) == ["3"]


def test_recipes_are_short():
    blocks = re.findall(r"```(?:python|dockerfile|ini|haproxy)\n(.*?)```", PAGE, re.DOTALL)
    assert all(len([line for line in text.splitlines() if line.strip()]) <= 20 for text in blocks)
    assert (len(PYTHON), len(blocks)) == (5, 8)


SERVERS = ROOT / ".servers" / "bin" / "python"
others = pytest.mark.skipif(not SERVERS.exists(), reason="make test-long installs the other servers")


def posted(url, tree):
    request = urllib.request.Request(url, json.dumps(tree).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())


@pytest.mark.long
@others
def test_the_recipe_of_litserve(folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    port = free_port()
    (folder / "lit.py").write_text(PYTHON[2].replace("8002", str(port)))
    with started([SERVERS, "lit.py"], folder, port, "/health"):
        assert len(posted(f"http://127.0.0.1:{port}/predict", {"data": [[1, 2, 3, 4]]})["data"][0]) == 2


@pytest.mark.long
@others
def test_the_recipe_of_mlserver(folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{folder}")
    port = free_port()
    (folder / "recipe.py").write_text(PYTHON[4])
    settings = {"http_port": port, "grpc_port": free_port(), "metrics_port": free_port(), "parallel_workers": 0}
    (folder / "settings.json").write_text(json.dumps(settings))
    model = {"name": "m", "implementation": "recipe.Model", "parameters": {"uri": str(folder / "my_mlp")}}
    (folder / "model-settings.json").write_text(json.dumps(model))
    with started([SERVERS, "-c", "from mlserver.cli import main; main()", "start", "."], folder, port):
        body = {"inputs": [{"name": "data", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}]}
        assert posted(f"http://127.0.0.1:{port}/v2/models/m/infer", body)["outputs"][0]["shape"] == [1, 2]


@pytest.mark.long
@others
def test_the_recipe_of_ray_serve(folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    port = free_port()
    (folder / "on_ray.py").write_text(PYTHON[3].replace("8003", str(port)))
    with started([SERVERS, "on_ray.py"], folder, port, "/-/healthz"):
        deadline = time.monotonic() + 120
        while True:  # it is healthy before the replicas are there
            try:
                answer = posted(f"http://127.0.0.1:{port}/", {"data": [[1, 2, 3, 4]]})
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.5)
        assert len(answer["data"][0]) == 2


def balanced(folder, ports):
    """The unit's command for a port, and the balancer's configuration, with these ports and the folder of the test."""
    unit, config = (re.findall(rf"```{word}\n(.*?)```", PAGE, re.DOTALL)[0] for word in ("ini", "haproxy"))
    command = re.search(r"^ExecStart=\S*/hybridize (.*) /srv/models$", unit, re.M)[1].split()
    for text, port in ports.items():
        config = re.sub(rf"\b{text}\b", str(port), config)
    (folder / "haproxy.cfg").write_text(config)

    def start(rest, rpc):
        words = [word.replace("1%i", str(rpc)).replace("%i", str(rest)) for word in command]
        return [sys.executable, "-m", "hybridize", *words, str(folder / "m"), "--log", "errors"]

    return start


@pytest.mark.long
def test_the_recipe_of_several_processes(tmp_path, system):
    """Requests go to both; each is ended and started again while requests come, and none is lost."""
    system("/usr/sbin/haproxy")
    saved(tmp_path / "m", 2.0)
    texts = ("8000", "8001", "8101", "8102", "18101", "18102")
    ports = {text: free_port() for text in texts}
    start = balanced(tmp_path, ports)
    shown = []

    def server(number):
        rest = ports[f"810{number}"]
        return started(start(rest, ports[f"1810{number}"]), tmp_path, rest)

    def answers(number):
        url = f"http://127.0.0.1:{ports[f'810{number}']}/v2/models/m/stats"
        with urllib.request.urlopen(url) as answer:
            return json.loads(answer.read())["model_stats"][0]["inference_stats"]["success"]["count"]

    with ExitStack() as stack:
        one = stack.enter_context(ExitStack())
        one.enter_context(server(1))
        stack.enter_context(server(2))
        balancer = ["/usr/sbin/haproxy", "-db", "-f", "haproxy.cfg"]
        stack.enter_context(started(balancer, tmp_path, ports["8000"]))
        time.sleep(1)  # until it has asked whether they are ready
        words = {
            "rest": ports["8000"],
            "rpc": ports["8001"],
            "first": 0,
            "count": 8000,
            "rate": 400,
            "burst": 10,
            "cut": 0,
        }
        clients = subprocess.Popen(
            [sys.executable, "-m", "tests.serve.load_client", json.dumps(words)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )  # fmt: skip
        time.sleep(5)
        shown = [answers(1), answers(2)]
        one.close()
        one.enter_context(server(1))
        outcome = json.loads(clients.communicate(timeout=300)[0])
        assert (outcome["lost"], outcome["wrong"]) == ([], [])
        assert outcome["statuses"] == {"200": 6000, "OK": 2000}
        assert min(shown) > 100
        assert answers(1) > 100, "it got none after its new start"
