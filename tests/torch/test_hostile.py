"""What users do to modules besides calling them: mistakes, changes while a call is captured, wrappers, others' loops."""

import concurrent.futures
import contextlib
import copy
import io
import logging
import multiprocessing
import pickle
import sys
import threading
import traceback
import warnings

import pytest
import torch
import torch.utils.checkpoint
from torch import nn

import hybridize
from hybridize.base.frozen import changed as replaced
from hybridize.base.locations import PACKAGE
from hybridize.errors import CaptureError, InternalError
from hybridize.torch.functions.table import FUNCTIONS


class Two(nn.Module):
    def __init__(self, inner=4):
        super().__init__()
        self.first = nn.Linear(3, inner)
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        hidden = torch.relu(self.first(x))
        return self.last(hidden)


def seeded(make=Two, *args):
    torch.manual_seed(0)
    return make(*args)


MISTAKES = {
    "sizes inside": (5, (torch.ones(2, 3),), {}),
    "sizes": (4, (torch.ones(2, 7),), {}),
    "whole numbers": (4, (torch.ones(2, 3, dtype=torch.int64),), {}),
    "wide floats": (4, (torch.ones(2, 3, dtype=torch.float64),), {}),
    "no tensor": (4, (None,), {}),
    "too many": (4, (torch.ones(2, 3), 1), {}),
    "none": (4, (), {}),
    "a keyword": (4, (torch.ones(2, 3),), {"bias": 1}),
}


@pytest.mark.parametrize("kind", MISTAKES)
@pytest.mark.parametrize("gradients", [False, True])
def test_mistakes_are_pytorchs_errors_at_the_users_line_in_one_screen(kind, gradients, capfd, caplog):
    inner, args, kwargs = MISTAKES[kind]
    module = seeded(Two, inner)
    fast = hybridize.hybridize(module)
    caplog.set_level("WARNING")
    with torch.set_grad_enabled(gradients):
        with pytest.raises(Exception) as expected:
            module(*args, **kwargs)
        for _ in range(2):
            with pytest.raises(type(expected.value)) as found:
                fast(*args, **kwargs)
            assert str(found.value) == str(expected.value)
            text = "".join(traceback.format_exception(found.value))
            assert len(text.splitlines()) <= 40, text
            if kind in ("sizes inside", "sizes", "whole numbers", "wide floats", "no tensor"):
                line = "self.last(hidden)" if kind == "sizes inside" else "self.first(x)"
                assert line in text
                assert "test_hostile.py" in text
            x = torch.ones(2, 3)
            if inner == 4:
                torch.testing.assert_close(fast(x), module(x))
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def test_first_calls_of_many_threads():
    module = seeded()
    fast = hybridize.hybridize(module)
    inputs = [torch.randn(size, 3) for size in (1, 2, 3, 4, 2, 3)]
    start, found, failed = threading.Barrier(len(inputs)), {}, []

    def run(number):
        try:
            start.wait()
            with torch.set_grad_enabled(number % 2 == 0):
                found[number] = fast(inputs[number])
                if number % 2 == 0:
                    found[number].sum().backward()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    for number, x in enumerate(inputs):
        torch.testing.assert_close(found[number], module(x))
    twin = copy.deepcopy(module)
    twin.zero_grad()
    for x in inputs[::2]:
        twin(x).sum().backward()
    for one, other in zip(module.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)


class Changing(nn.Module):
    """A module that tells another thread when it is captured, and goes on when that has changed it."""

    def __init__(self):
        super().__init__()
        self.scale = 1.0
        self.layer = nn.Linear(3, 3)
        self.hook = None

    def forward(self, x):
        y = self.layer(x) * self.scale
        if self.hook is not None:
            self.hook(self)
        return y + self.scale


CHANGES = {
    "attribute": lambda one: setattr(one, "scale", 3.0),
    "weight": lambda one: one.layer.weight.data.mul_(2),
    "data": lambda one: setattr(one.layer.weight, "data", torch.ones(3, 3)),
    "t_": lambda one: one.layer.weight.data.t_(),
    "parameter": lambda one: setattr(one.layer, "weight", nn.Parameter(torch.full((3, 3), 0.5))),
    "part": lambda one: setattr(one, "layer", nn.Linear(3, 3, bias=False)),
    "mode": lambda one: one.train(not one.training),
    "state": lambda one: one.load_state_dict({name: torch.ones_like(x) for name, x in one.state_dict().items()}),
    "hook": lambda one: one.layer.register_forward_hook(lambda part, args, result: result * 2),
    "dtype": lambda one: one.double(),
    "frozen": lambda one: one.requires_grad_(False),
}


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("gradients", [False, True])
def test_changes_after_a_call_are_seen_by_the_next(kind, gradients):
    module = seeded(Changing)
    fast = hybridize.hybridize(module)
    x = torch.randn(2, 3)
    with torch.set_grad_enabled(gradients):
        for _ in range(2):
            torch.testing.assert_close(fast(x), module(x))
        torch.manual_seed(4)
        CHANGES[kind](module)
        if kind == "dtype":
            x = x.double()
        for _ in range(2):
            found, expected = fast(x), module(x)
            torch.testing.assert_close(found, expected)
            assert found.requires_grad == expected.requires_grad
            if found.requires_grad:
                wanted = [one for one in module.parameters() if one.requires_grad]
                for one, other in zip(
                    torch.autograd.grad(found.sum(), wanted), torch.autograd.grad(expected.sum(), wanted), strict=True
                ):
                    torch.testing.assert_close(one, other)


class Halves(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(torch.sinc(self.inner(x)))


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("gradients", [False, True])
def test_another_thread_changes_the_module_while_it_is_captured(kind, gradients, monkeypatch):
    """The call is right or refused; later ones give what the changed module gives."""
    module = seeded(Changing)
    x = torch.randn(2, 3, dtype=torch.float64 if kind == "dtype" else torch.float32)
    changed = Halves(copy.deepcopy(module))
    torch.manual_seed(4)
    CHANGES[kind](changed.inner)
    told = []

    def act():
        torch.manual_seed(4)
        CHANGES[kind](module)

    entry = FUNCTIONS[torch.sinc]

    def telling(*args, **kwargs):
        if not told:
            told.append(True)
            thread = threading.Thread(target=act)
            thread.start()
            thread.join()
        return entry.function(*args, **kwargs)

    monkeypatch.setitem(FUNCTIONS, torch.sinc, replaced(entry, function=telling))
    fast = hybridize.hybridize(Halves(module))
    with torch.set_grad_enabled(gradients), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(RuntimeError):  # it noticed, or the weights were those of another dtype
            fast(x)
        if not told:
            act()
        for _ in range(2):
            found, expected = fast(x), changed(x)
            torch.testing.assert_close(found, expected)
            assert found.requires_grad == expected.requires_grad


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_optimizers_in_place_between_calls(name):
    found = []
    for wrap in (lambda one: one, hybridize.hybridize):
        module = wrap(seeded())
        optimizer = getattr(torch.optim, name)(module.parameters(), lr=0.05)
        for step in range(4):
            optimizer.zero_grad(set_to_none=step % 2 == 0)
            module(torch.linspace(-1, 1, 6).reshape(2, 3)).square().sum().backward()
            nn.utils.clip_grad_norm_(module.parameters(), 0.5)
            optimizer.step()
        found.append(module.state_dict())
    assert list(found[0]) == list(found[1])
    for one, other in zip(found[0].values(), found[1].values(), strict=True):
        torch.testing.assert_close(one, other)


class Wrapper(nn.Module):
    """What DataParallel and its like do: hold a module, and pass calls on."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *inputs, **kwargs):
        parts = [self.module(*[one[k : k + 1] for one in inputs], **kwargs) for k in range(inputs[0].shape[0])]
        return torch.cat(parts)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)


@pytest.mark.parametrize("inside", [True, False])
def test_wrappers_around_and_inside(inside):
    module = seeded()
    fast = Wrapper(hybridize.hybridize(module)) if inside else hybridize.hybridize(Wrapper(module))
    x = torch.randn(3, 3)
    torch.testing.assert_close(fast(x), module(x))
    assert list(fast.state_dict()) == [f"module.{name}" for name in module.state_dict()]
    parallel = nn.DataParallel(hybridize.hybridize(module))
    torch.testing.assert_close(parallel(x), module(x))
    assert fast.first is module.first


def test_copies_and_files_of_a_module_in_use():
    module = seeded()
    fast = hybridize.hybridize(module)
    x = torch.randn(2, 3)
    fast(x).sum().backward()
    for twin in (copy.deepcopy(fast), copy.copy(fast), pickle.loads(pickle.dumps(fast))):
        torch.testing.assert_close(twin(x), module(x))
    twin = copy.deepcopy(fast)
    with torch.no_grad():
        twin.first.weight.zero_()
    assert not torch.equal(twin(x), fast(x))
    torch.testing.assert_close(fast(x), module(x))
    buffer = io.BytesIO()
    torch.save(fast, buffer)
    buffer.seek(0)
    torch.testing.assert_close(torch.load(buffer, weights_only=False)(x), module(x))
    buffer = io.BytesIO()
    torch.save(fast.state_dict(), buffer)
    buffer.seek(0)
    other = hybridize.hybridize(Two())
    other.load_state_dict(torch.load(buffer))
    torch.testing.assert_close(other(x), module(x))


@pytest.mark.parametrize("make", [torch.jit.script, lambda one: torch.jit.trace(one, torch.ones(2, 3))])
@pytest.mark.parametrize("part", [False, True])
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_scripted_and_traced_modules_are_accepted(make, part):
    module = seeded()
    ready = make(module)
    whole = nn.Sequential(ready, nn.Tanh()) if part else ready
    fast = hybridize.hybridize(whole)
    for size in (2, 3):
        x = torch.randn(size, 3, requires_grad=True)
        with torch.no_grad():
            torch.testing.assert_close(fast(x), whole(x))
        ours, theirs = fast(x), whole(x)
        torch.testing.assert_close(ours, theirs)
        found = [torch.autograd.grad(one.sum(), [x, *module.parameters()]) for one in (ours, theirs)]
        torch.testing.assert_close(*found)


class Lit(nn.Module):
    """A module in the manner of Lightning: it trains itself, logs, and has properties."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Dropout(0.0), nn.Linear(8, 1))
        self.logged = {}
        self.global_step = 0
        self.trainer = None

    @property
    def example(self):
        return torch.ones(1, 3, dtype=self.net[0].weight.dtype)

    @property
    def limit(self):
        return self.global_step * 0.5 + 1

    def log(self, name, value, on_step=True):
        self.logged.setdefault(name, []).append(value)

    def forward(self, x):
        return self.net(x).clamp(-self.limit, self.limit)

    def training_step(self, batch, number):
        x, y = batch
        loss = (self(x) - y).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Trainer:
    def fit(self, module, batches):
        module.trainer = self
        optimizer = module.configure_optimizers()
        module.train()
        for number, batch in enumerate(batches):
            optimizer.zero_grad()
            module.training_step(batch, number).backward()
            optimizer.step()
            module.global_step += 1
        module.eval()
        return module(module.example)


def fitted(change):
    module = change(seeded(Lit))
    torch.manual_seed(1)
    result = Trainer().fit(module, [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(4)])
    return result, module.state_dict(), module.logged, module.global_step


def net_inside(module):
    module.net = hybridize.hybridize(module.net)
    return module


def step_inside(module):
    module.training_step = hybridize.hybridize(module.training_step)
    return module


@pytest.mark.parametrize("change", [hybridize.hybridize, net_inside, step_inside])
def test_loops_in_the_manner_of_lightning(change):
    expected, found = fitted(lambda one: one), fitted(change)
    torch.testing.assert_close(found[0], expected[0])
    assert list(found[1]) == list(expected[1])
    torch.testing.assert_close([*found[1].values()], [*expected[1].values()])
    torch.testing.assert_close(found[2], expected[2])
    assert found[3] == 4


def test_vmap_and_autocast_say_what_to_do():
    fast = hybridize.hybridize(seeded())
    x = torch.ones(2, 3)
    fast(x)
    refused = pytest.raises(CaptureError, match=r"E458: Two is called within torch\.autocast(.*\n)+.*help: ")
    with refused, torch.autocast("cpu", dtype=torch.bfloat16):
        fast(x)
    with pytest.raises(CaptureError, match=r"E458: Two is called within a transform of torch\.func(.*\n)+.*help: "):
        torch.vmap(fast)(torch.ones(4, 2, 3))
    with pytest.raises(CaptureError, match=r"E458"):
        torch.func.grad(lambda x: fast(x).sum())(x)


class Telling(nn.Module):
    """Warns and logs: plain words, of sizes, where data says so."""

    def __init__(self, log):
        super().__init__()
        self.log = log

    def forward(self, x):
        warnings.warn("at each call")  # noqa: B028  # as people write it
        warnings.warn(f"{x.shape[0]} rows", DeprecationWarning, stacklevel=1)
        if x.sum() > 0:
            warnings.warn(UserWarning("above 0"), stacklevel=1)
        self.log.debug("too low %s", x.shape)
        self.log.info("rows: %d", x.shape[0])
        logging.getLogger(self.log.name).log(logging.ERROR, "wrong")
        return x


@pytest.mark.parametrize("filtered", ["always", "default", "module"])
def test_each_call_warns_and_logs(filtered, caplog):
    calls = [torch.ones(2, 3), torch.ones(2, 3), -torch.ones(2, 3), torch.ones(4, 3), torch.ones(5, 3)]
    told = []
    log = logging.getLogger(f"telling {filtered}")
    for change in (lambda one: one, hybridize.hybridize):
        module = change(Telling(log))
        getattr(sys.modules[__name__], "__warningregistry__", {}).clear()
        caplog.clear()
        caplog.set_level(logging.INFO)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(filtered)
            for x in calls:
                torch.testing.assert_close(module(x), x)
        warned = [(one.category, str(one.message), one.filename, one.lineno) for one in caught]
        told.append((warned, [(one.levelname, one.getMessage()) for one in caplog.records]))
    assert told[0] == told[1]
    assert told[0][0] and len(told[0][1]) == 2 * len(calls)
    log.setLevel(logging.WARNING)  # looked at by each call
    caplog.clear()
    module(calls[0])
    assert [one.levelname for one in caplog.records] == ["ERROR"]


def test_filters_inside_decide_about_what_warns_inside():
    @hybridize.hybridize
    def quiet(x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn("never", stacklevel=1)
        with warnings.catch_warnings(record=True) as kept:
            warnings.simplefilter("always")
            warnings.warn("kept", stacklevel=1)
        return x * len(kept)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert torch.equal(quiet(torch.ones(2)), torch.ones(2))


def of_process(module, path, x):
    """What another process gives: of a module that it gets, and of a file."""
    return module(x).detach(), hybridize.load(path)(x), len(module.programs())


def test_other_processes_take_modules_and_files(tmp_path):
    module = seeded()
    fast, x = hybridize.hybridize(module), torch.randn(2, 3)
    with torch.no_grad():
        wanted = fast(x)
        fast.save(tmp_path / "module")
    loaded = hybridize.load(tmp_path / "module")
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        found = pool.submit(of_process, fast, tmp_path / "module", x).result()
        torch.testing.assert_close(found[:2], (wanted, wanted))
        assert found[2] == 1
        torch.testing.assert_close(pool.submit(loaded, x).result(), wanted)


def test_wrappers_of_torchs_own():
    """What training loops put around a module: an average, DataParallel, a compiled inner part."""
    module, x = seeded(), torch.randn(3, 3)
    fast = hybridize.hybridize(module)
    parallel, average = nn.DataParallel(fast), torch.optim.swa_utils.AveragedModel(fast)
    average.update_parameters(fast)
    for one in (parallel, average, parallel.module, nn.Sequential(parallel, nn.Identity())):
        torch.testing.assert_close(one(x), module(x))
    whole = hybridize.hybridize(nn.Sequential(parallel, nn.Tanh()))
    torch.testing.assert_close(whole(x), module(x).tanh())
    parallel(x).sum().backward()
    assert module.first.weight.grad is not None
    assert list(parallel.state_dict()) == [f"module.{name}" for name in module.state_dict()]


def entry_of_ours(line):
    """An entry with one line, as if it stood in the package."""
    names = {}
    exec(compile(f"def entry(input):\n    {line}", f"{PACKAGE}torch/functions/entry.py", "exec"), names)
    return replaced(FUNCTIONS[torch.sinc], function=names["entry"])


@pytest.mark.parametrize(
    "line",
    ["raise KeyError('k')", "assert input is None", "return int('x')", "return [][0]", "return sum(1)", "a, b = 1,"],
)
def test_defects_of_ours_are_told_from_pytorchs_errors(line, monkeypatch):
    monkeypatch.setitem(FUNCTIONS, torch.sinc, entry_of_ours(line))
    with pytest.raises(InternalError, match=r"E978: capturing torch\.sinc raised"):
        hybridize.hybridize(lambda x: torch.sinc(x))(torch.ones(2))


@pytest.mark.parametrize("kind", [RuntimeError, ValueError, IndexError])
def test_what_entries_say_is_what_users_meet(kind, monkeypatch):
    monkeypatch.setitem(FUNCTIONS, torch.sinc, entry_of_ours(f"raise {kind.__name__}('in the words of torch')"))
    with pytest.raises(kind, match="in the words of torch"):
        hybridize.hybridize(lambda x: torch.sinc(x))(torch.ones(2))


def test_the_users_own_errors_pass_through_checkpoints():
    def broken(x):
        return {}["key"] + x

    fast = hybridize.hybridize(lambda x: torch.utils.checkpoint.checkpoint(broken, x, use_reentrant=False))
    with pytest.raises(KeyError, match="key"):
        fast(torch.ones(2))


@pytest.mark.parametrize(
    ("make", "gradients"),
    [
        (lambda: nn.Linear(3, 3), False), (lambda: nn.Linear(3, 3), True), (lambda: nn.BatchNorm1d(3).eval(), False),
        (nn.Sequential, False),
    ],
)  # fmt: skip
def test_a_layer_class_of_torchs_whose_forward_is_replaced(make, gradients):
    """The new one runs, and the first one again."""
    layer = make()
    net = nn.Sequential(layer, nn.ReLU())
    kind, x = type(layer), torch.linspace(-1, 1, 6).reshape(2, 3)
    fast, own = hybridize.hybridize(net), kind.forward
    results = []
    with torch.set_grad_enabled(gradients):
        for forward in (own, lambda self, x: own(self, x) * 2 + 1, own):
            kind.forward = forward
            try:
                results.append(net(x))
                for _ in range(3):
                    torch.testing.assert_close(fast(x), results[-1])
            finally:
                kind.forward = own
    assert not torch.equal(results[0], results[1])


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_layer_class_of_torchs_whose_call_is_replaced():
    """The new one runs, where `torch.export` follows it; or it is refused by its name."""
    fast, own, x = hybridize.hybridize(nn.Sequential(nn.Linear(3, 3))), nn.Linear.__call__, torch.ones(1, 3)
    with torch.no_grad():
        expected = fast(x)
        fast(x)
        nn.Linear.__call__ = lambda self, x: own(self, x) * 2
        try:
            with contextlib.suppress(CaptureError):
                torch.testing.assert_close(fast(x), expected * 2)
        finally:
            del nn.Linear.__call__
        torch.testing.assert_close(fast(x), expected)
