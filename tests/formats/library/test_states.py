"""Training in a library: the bits of Python's, states by name, in and out of files, and what is refused."""

import json
import os
import struct
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy
import pytest
import safetensors.numpy

import hybridize
from hybridize import autograd, gluon, lr_scheduler, np, optimizer
from hybridize.array.buffer import host_view
from hybridize.base.errors import CaptureError
from hybridize.formats.deployable import deployable
from hybridize.formats.library.platforms import named_platform
from hybridize.formats.library.write import compiled, write_library
from hybridize.gluon import nn
from tests.formats.library.trained import Trained
from tests.refusals import refusal
from tests.samples import sampled

draw = numpy.random.default_rng(1)
XS = draw.standard_normal((6, 4, 7)).astype("f4")
YS = draw.integers(0, 3, (6, 4)).astype("f4")


def training(optimizer, settings, layers=()):
    hybridize.random.seed(3)
    net = nn.HybridSequential()
    net.add(nn.Dense(5, activation="relu"), *layers, nn.Dense(3))
    net.initialize("xavier")
    trainer = gluon.Trainer(net.collect_params(), optimizer, settings)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    @hybridize.hybridize
    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(x.shape[0])
        return loss.mean()

    return step, trainer, net


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    step, _, net = training("adam", {"learning_rate": 1e-2}, [nn.Dropout(0.3), nn.BatchNorm()])
    for k in range(2):
        step(np.array(XS[k]), np.array(YS[k]))
    made = Trained(step.export(tmp_path_factory.mktemp("states") / "adam_step", "library"), "adam_step")
    made.net, made.step = net, step
    made.start = {name: array.data().asnumpy() for name, array in net.collect_params().items()}
    return made


@pytest.fixture
def fresh(trained):
    trained.model = trained.create()
    yield trained
    trained.function("destroy")(trained.model)


# ---------------------------------------------------------------------------------------------------------------- bits


CASES = {
    "sgd": ("sgd", {"learning_rate": 0.3, "momentum": 0.9, "wd": 1e-3}, []),
    "adam": ("adam", {"learning_rate": 1e-2}, [nn.Dropout(0.3), nn.BatchNorm()]),
    "adamw": ("adamw", {"learning_rate": 1e-2, "wd": 0.1, "clip_gradient": 0.1}, []),
    "lamb": ("lamb", {"learning_rate": 1e-2}, []),
}


@pytest.mark.parametrize("case", sampled(CASES, 2))
def test_the_curve_of_losses_has_python_s_bits(tmp_path, case):
    """From the third step on, random numbers, running statistics and the count of steps included."""
    step, _, net = training(*CASES[case])
    for k in range(2):
        step(np.array(XS[k]), np.array(YS[k]))
    made = Trained(step.export(tmp_path / f"bits_{case}", "library"), f"bits_{case}")
    for k in [*range(6)] * 10:
        assert made.run(XS[k], YS[k]) == step(np.array(XS[k]), np.array(YS[k])).asnumpy()
    for name, parameter in net.collect_params().items():
        array = parameter.data().asnumpy()
        if array.any():
            assert made.get(name, array).tobytes() == array.tobytes()
    assert made.get("step", numpy.array(0)) == 62


def test_a_schedule_of_the_user_s_is_the_host_s(tmp_path):
    class Halving(lr_scheduler.LRScheduler):
        def decayed(self, num_update):
            return self.base_lr / num_update

    schedule = Halving(base_lr=0.3)
    step, trainer, _ = training("sgd", {"lr_scheduler": schedule})
    step(np.array(XS[0]), np.array(YS[0]))
    exported = step.export(tmp_path / "scheduled", "library")
    assert any("the schedule Halving: set learning_rate for each step" in line for line in exported.left_out)
    made = Trained(exported, "scheduled")
    for k in range(1, 6):
        assert made.set("learning_rate", numpy.array(float(schedule(k + 1)))) == ""
        assert made.run(XS[k], YS[k]) == step(np.array(XS[k]), np.array(YS[k])).asnumpy()
    assert trainer.learning_rate == made.get("learning_rate", numpy.array(0.0))


def test_every_size_of_a_batch(tmp_path):
    step, _, _ = training("adam", {"learning_rate": 1e-2})
    for count in (2, 4, 3):
        step(np.array(XS[0, :count]), np.array(YS[0, :count]))
    made = Trained(step.export(tmp_path / "batches", "library"), "batches")
    for count in (3, 4, 2, 4, 3):
        expected = step(np.array(XS[1, :count]), np.array(YS[1, :count])).asnumpy()
        assert made.run(XS[1, :count], YS[1, :count]) == expected


def test_gradients_that_add_up_are_states(tmp_path):
    step, _, net = training("sgd", {"learning_rate": 0.1})
    net[0].weight.grad_req = "add"
    for k in range(2):
        step(np.array(XS[k]), np.array(YS[k]))
    made = Trained(step.export(tmp_path / "adding", "library"), "adding")
    for k in range(5):
        assert made.run(XS[k], YS[k]) == step(np.array(XS[k]), np.array(YS[k])).asnumpy()


def test_gradients_that_nobody_reads_are_left_out(trained):
    names = set(trained.states)
    parameters = set(trained.net.collect_params())
    learned = {name for name in parameters if "running" not in name}
    assert names == {
        *parameters, *(f"{name}.slot{k}" for name in learned for k in (0, 1)), "learning_rate", "step", "random.state",
    }  # fmt: skip


def test_a_host_sets_the_rate_that_a_schedule_begins_at(tmp_path):
    schedule = lr_scheduler.CosineScheduler(40, base_lr=0.3, final_lr=0.01)
    step, _, _ = training("sgd", {"lr_scheduler": schedule})
    step(np.array(XS[0]), np.array(YS[0]))
    made = Trained(step.export(tmp_path / "based", "library"), "based")
    assert made.set("base_lr", numpy.array(0.1)) == ""
    schedule.base_lr = 0.1
    for k in range(1, 6):
        assert made.run(XS[k], YS[k]) == step(np.array(XS[k]), np.array(YS[k])).asnumpy()


@pytest.mark.parametrize(("name", "apart"), [("adam", 0), pytest.param("lamb", 4, marks=pytest.mark.long)])
def test_new_values_are_written_over_old_ones(name, apart):
    """Also in a program that asserts; LAMB's weights are read for their norms in the loop that writes them."""
    step, trainer, _ = training(name, {"learning_rate": 1e-2}, [nn.BatchNorm()])
    trainer.check_finite = True
    for k in range(2):
        step(np.array(XS[k]), np.array(YS[k]))
    (variant,) = compiled(deployable(step.saved(steps=True))).model.variants
    assert variant.asserts
    for version in variant.versions:
        assert len(variant.new_states) - len(version.built.plan.updates) == apart


def test_a_call_that_fails_changes_no_state(tmp_path):
    step, trainer, _ = training("adam", {"learning_rate": 1e-2}, [nn.BatchNorm(), nn.Dropout(0.3)])
    trainer.check_finite = True
    for k in range(2):
        step(np.array(XS[k]), np.array(YS[k]))
    made = Trained(step.export(tmp_path / "failing", "library"), "failing")
    for wrong in (numpy.nan, numpy.inf):
        assert made.file("save", tmp_path / "before") == ""
        assert "is not finite; no parameter was updated" in made.run(XS[2] * wrong, YS[2])
        assert made.file("save", tmp_path / "after") == ""
        assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
        assert made.run(XS[3], YS[3]) == step(np.array(XS[3]), np.array(YS[3])).asnumpy()


def test_python_goes_on_as_it_was(tmp_path):
    """An export counts no step."""
    losses = []
    for exports in (False, True):
        step, trainer, _ = training("adam", {"learning_rate": 1e-2})
        for k in range(2):
            step(np.array(XS[k]), np.array(YS[k]))
        if exports:
            step.export(tmp_path / "uncounted", "library")
        losses.append([step(np.array(XS[k]), np.array(YS[k])).item() for k in range(2, 6)])
        assert trainer.optimizer.num_update == 6
    assert losses[0] == losses[1]


# ------------------------------------------------------------------------------------------------------ states by name


def test_states_are_read_and_set(fresh):
    array = fresh.start["0.bias"]
    assert fresh.get("0.bias", array).tobytes() == array.tobytes()
    assert fresh.set("0.bias", array + 1) == ""
    assert fresh.get("0.bias", array).tobytes() == (array + 1).tobytes()


def test_states_that_are_none(fresh):
    array = fresh.start["0.bias"]
    assert fresh.get("0.bia", array) == "STATE: the model has no state of that name"
    assert fresh.get("0.biass", array) == "STATE: the model has no state of that name"
    assert fresh.set("0.bias", array[:-1]) == "STATE: state `0.bias` is float32[5], 20 bytes"
    get, set_ = fresh.function("get"), fresh.function("set")
    assert fresh.said(get(None, b"0.bias", None, 0)) == "NULL: the model is a null pointer"
    assert fresh.said(get(fresh.model, None, None, 0)) == "NULL: the name of the state is a null pointer"
    assert fresh.said(set_(fresh.model, b"0.bias", None, 20)) == "NULL: the data of the state are a null pointer"
    assert fresh.file("save", b"") != ""
    assert fresh.said(fresh.function("load")(fresh.model, None)) == "NULL: the path is a null pointer"


# --------------------------------------------------------------------------------------------------------------- files


def curve(made):
    return [float(made.run(XS[k], YS[k])) for k in range(6)]


def test_a_checkpoint_goes_on_where_it_was(fresh, tmp_path):
    curve(fresh)
    assert fresh.file("save", tmp_path / "one.safetensors") == ""
    assert os.listdir(tmp_path) == ["one.safetensors"]
    expected = curve(fresh)
    fresh.model = fresh.create()
    assert curve(fresh) != expected
    assert fresh.file("load", tmp_path / "one.safetensors") == ""
    assert curve(fresh) == expected


def test_files_are_safetensors(fresh, tmp_path):
    """Python reads the library's, and the library reads Python's, whatever the order, and with others besides."""
    assert fresh.file("save", tmp_path / "one") == ""
    tensors = safetensors.numpy.load_file(tmp_path / "one")
    for name, array in fresh.start.items():
        assert tensors[name].tobytes() == array.tobytes()
    expected = curve(fresh)
    more = {"zz": numpy.zeros(3, "f4"), **dict(reversed(tensors.items())), 'a "name"\\': numpy.ones((), "i8")}
    safetensors.numpy.save_file(more, tmp_path / "two", {"about": 'a "text" {[\\'})
    fresh.model = fresh.create()
    assert fresh.file("load", tmp_path / "two") == ""
    assert curve(fresh) == expected


def rewritten(change):
    """A function of the bytes of a file that changes its header."""

    def function(content):
        end = 8 + struct.unpack("<Q", content[:8])[0]
        tree = json.loads(content[8:end])
        text = change(tree)
        text = json.dumps(tree).encode() if text is None else text
        return struct.pack("<Q", len(text)) + text + content[end:]

    return function


def entry(**changes):
    return rewritten(lambda tree: tree["0.weight"].update(changes))


DAMAGED = {
    "empty": (lambda content: b"", "FILE: the file of states is cut off"),
    "head": (lambda content: content[:40], "FILE: the file of states is cut off"),
    "tail": (lambda content: content[:-1], "FILE: the file of states is cut off"),
    "length": (lambda content: b"\xff" * 8 + content[8:], "FILE: the file of states is no safetensors file"),
    "no json": (rewritten(lambda tree: b"[1, 2]"), "FILE: the file of states is no safetensors file"),
    "cut json": (rewritten(lambda tree: b'{"0.weight": {"dtype": "F32'), "FILE: the file of states is no safetensors"),
    "more json": (rewritten(lambda tree: b"{} x"), "FILE: the file of states is no safetensors file"),
    "none": (rewritten(lambda tree: b"{}"), "STATE: the file of states has no tensor `0.weight`"),
    "absent": (rewritten(lambda tree: tree.pop("step") and None), "STATE: the file of states has no tensor `step`"),
    "dtype": (entry(dtype="I32"), "STATE: tensor `0.weight` of the file of states must be float32[5, 7]"),
    "shape": (entry(shape=[7, 5]), "STATE: tensor `0.weight` of the file of states must be float32[5, 7]"),
    "axes": (entry(shape=[5, 7, 1]), "STATE: tensor `0.weight` of the file of states must be float32[5, 7]"),
    "offsets": (entry(data_offsets=[0, 4]), "STATE: tensor `0.weight` of the file of states must be float32[5, 7]"),
    "far": (entry(data_offsets=[10**15, 10**15 + 140]), "FILE: the file of states is cut off"),
    "beyond": (entry(data_offsets=[2**63 - 200, 2**63 - 60]), "FILE: the file of states is"),
    "huge": (entry(data_offsets=[10**30, 10**30 + 140]), "FILE: the file of states is no safetensors file"),
    "negative": (entry(data_offsets=[-140, 0]), "FILE: the file of states is no safetensors file"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_file_changes_nothing(fresh, tmp_path, case):
    change, expected = DAMAGED[case]
    assert fresh.file("save", tmp_path / "one") == ""
    content = (tmp_path / "one").read_bytes()
    (tmp_path / "two").write_bytes(change(content))
    assert fresh.file("load", tmp_path / "two").startswith(expected)
    assert fresh.file("save", tmp_path / "three") == ""
    assert (tmp_path / "three").read_bytes() == content


@pytest.mark.parametrize("stride", [23, pytest.param(1, marks=pytest.mark.long)])
def test_any_changed_byte_of_a_header_is_no_crash(trained, tmp_path, stride):
    """In a process of its own: every byte of the header made another, and the file cut off at every length of it."""
    model = trained.model = trained.create()
    assert trained.file("save", tmp_path / "one") == ""
    trained.function("destroy")(model)
    program = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
model = ctypes.c_void_p()
library.adam_step_create(ctypes.byref(model), None)
content = open(sys.argv[2], "rb").read()
end = 8 + int.from_bytes(content[:8], "little")
codes = set()
for at in range(0, end, int(sys.argv[4])):
    for number in (0, 34, 92, 123, 125, 57):
        changed = bytearray(content)
        changed[at] = number
        with open(sys.argv[3], "wb") as file: file.write(changed)
        codes.add(library.adam_step_load(model, sys.argv[3].encode()) & 255)
    with open(sys.argv[3], "wb") as file: file.write(content[:at])
    codes.add(library.adam_step_load(model, sys.argv[3].encode()) & 255)
print(sorted(codes))
"""
    files = [trained.exported.files[0], tmp_path / "one", tmp_path / "two", str(stride)]
    done = subprocess.run([sys.executable, "-S", "-c", program, *files], capture_output=True, text=True)
    assert done.stdout.strip() == "[0, 5, 8]", done.stderr


def test_a_full_disk_leaves_the_old_file(fresh, tmp_path):
    assert fresh.file("save", tmp_path / "one") == ""
    content = (tmp_path / "one").read_bytes()
    curve(fresh)
    program = """
import ctypes, resource, signal, sys
library = ctypes.CDLL(sys.argv[1])
library.adam_step_error.restype = ctypes.c_char_p
model = ctypes.c_void_p()
library.adam_step_create(ctypes.byref(model), None)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
print(library.adam_step_error(library.adam_step_save(model, sys.argv[2].encode())).decode())
"""
    command = [sys.executable, "-S", "-c", program, fresh.exported.files[0], tmp_path / "one"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "cannot be written, or the disk is full; a file that was there is as it was" in done.stdout, done.stderr
    assert (tmp_path / "one").read_bytes() == content
    assert os.listdir(tmp_path) == ["one"]


def test_places_that_are_none(fresh, tmp_path):
    assert fresh.file("save", tmp_path / "no" / "one").startswith("FILE: the file of states cannot be written")
    assert fresh.file("load", tmp_path / "no" / "one").startswith("FILE: the file of states cannot be opened")
    (tmp_path / "folder").mkdir()
    assert fresh.file("save", tmp_path / "folder").startswith("FILE: the file of states was written and cannot replace")
    assert os.listdir(tmp_path) == ["folder"]


ODD = ["a b", "%s%n%d", "größe", "x*/y", "/*", 'q"\\', "new\nline", "tab\t", "日本", "??/", "\x01", "𝔘"]


def test_any_names(tmp_path):
    """In the header's comment, in the library's own files, and in those of writers that escape all but ASCII."""
    states = {name: np.array([float(k), 0.5]) for k, name in enumerate(ODD)}
    states |= {dtype: np.ones((3,), dtype=dtype) for dtype in ("float16", "bfloat16", "int8", "bool", "float64")}

    @hybridize.hybridize
    def step(x):
        for array in states.values():
            array[...] = np.logical_not(array) if array.dtype == bool else (array + x).astype(array.dtype)
        return x + 1

    x = numpy.array(2.0, "f4")
    step(np.array(x))
    names = {id(array): name for name, array in states.items()}
    saved = step.saved(names=names, samples=[], steps=True)
    write_library(deployable(saved), tmp_path / "odd")
    (tmp_path / "use.c").write_text('#include "odd.h"\nint main(void) { return 0; }\n')
    if os.name != "nt":
        command = ["cc", "-std=c99", "-Wall", "-Werror", "-fsyntax-only", tmp_path / "use.c"]
        assert subprocess.run(command, capture_output=True, text=True).stderr == ""
    made = Trained(SimpleNamespace(files=[tmp_path / named_platform(None).library("odd")]), "odd")
    assert set(made.states) == states.keys()
    made.run(x)
    step(np.array(x))
    for name, array in states.items():
        expected = host_view(array)
        assert made.get(name, expected).tobytes() == expected.tobytes(), name
    assert made.file("save", tmp_path / "one") == ""
    content = (tmp_path / "one").read_bytes()
    made.run(x)
    (tmp_path / "two").write_bytes(rewritten(lambda tree: json.dumps(tree, ensure_ascii=True).encode())(content))
    for file in ("one", "two"):
        assert made.file("load", tmp_path / file) == ""
        assert made.file("save", tmp_path / "three") == ""
        assert (tmp_path / "three").read_bytes() == content


def test_threads_that_save_and_load_one_model(fresh, tmp_path):
    """A file is always whole, whoever else writes it; so is what is read meanwhile."""
    assert fresh.file("save", tmp_path / "one") == ""
    size = os.path.getsize(tmp_path / "one")
    problems = []

    def work():
        for k in range(20):
            problems.extend(filter(None, [fresh.file("save", tmp_path / "one")]))
            if os.path.getsize(tmp_path / "one") != size:
                problems.append("cut off")
            fresh.run(XS[k % 6], YS[k % 6])
            problems.extend(filter(None, [fresh.file("load", tmp_path / "one")]))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert problems == []
    assert os.listdir(tmp_path) == ["one"]


# -------------------------------------------------------------------------------------------------------------- refused


class Asking(optimizer.SGD):
    """Asks which number an update has."""

    def scalars(self, lr, wd, t):
        return super().scalars(lr if t > 3 else lr / 2, wd, t)


def test_an_optimizer_that_asks_for_its_count_is_refused(tmp_path):
    step, _, _ = training(Asking(0.1), None)
    step(np.array(XS[0]), np.array(YS[0]))
    with refusal(CaptureError, "holds a step of Asking, whose numbers depend on the count of updates in Python"):
        step.export(tmp_path / "asking_step", "library")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("format", ["archive", "wasm", "onnx", "wheel"])
def test_other_formats_hold_no_step(tmp_path, format):
    step, _, _ = training("sgd", {"learning_rate": 1e-2})
    step(np.array(XS[0]), np.array(YS[0]))
    with refusal(CaptureError, "holds a trainer's step"):
        step.export(tmp_path / "step_in_file", format)


def test_what_a_step_only_notes_is_left_out(tmp_path):
    class Counting(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.calls, self.dense = 0, nn.Dense(3)

        def forward(self, x):
            self.calls += 1
            self.last = self.dense(x)
            return self.last

    net = Counting()
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    @hybridize.hybridize
    def step(x, y):
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(x.shape[0])
        return loss.mean()

    for k in range(3):
        step(np.array(XS[k]), np.array(YS[k]))
    exported = step.export(tmp_path / "noting", "library")
    assert "attribute 'calls' of Counting" in str(exported) and "attribute 'last' of Counting" in str(exported)
    made = Trained(exported, "noting")
    assert made.run(XS[3], YS[3]) == step(np.array(XS[3]), np.array(YS[3])).asnumpy()
