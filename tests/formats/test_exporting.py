"""Exports: every format by one door, each file run before it is in its place."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.base.config import CONFIG
from hybridize.base.errors import ArgumentError, CaptureError, HybridizeError, StateError, VerificationError
from hybridize.formats import checking, exporting, file_set, library, wasm
from hybridize.formats.library.platforms import named_platform
from hybridize.gluon import nn
from tests.refusals import refusal

named = named_platform(None).library
FILES = {
    "archive": ["net"],
    "library": sorted([named("net"), "net.h"]),
    "object": ["net.h", "net.o"],
    "wasm": ["net.d.mts", "net.mjs", "net.wasm"],
    "wheel": None,
}


def get_net():
    np.random.seed(5)
    net = nn.HybridSequential()
    net.add(nn.Dense(9, activation="relu"), nn.Dense(3))
    net.initialize()
    net.hybridize()
    for rows in (1, 4, 6):
        net(np.random.normal(size=(rows, 7)))
    return net


@pytest.fixture(scope="module")
def net():
    return get_net()


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("format", FILES)
def test_every_format_is_written_and_run(net, tmp_path, format):
    heard = []
    found = net.export(tmp_path / "net", format=format, progress=heard.append)
    assert listing(tmp_path) == (FILES[format] or listing(tmp_path))
    assert sorted(os.path.basename(file) for file in found.files) == listing(tmp_path)
    assert "as expected" in found.checks[0]
    assert found.left_out == ()
    assert "running it on its samples" in heard
    text = str(found)
    assert f"{os.path.getsize(found.files[0]):,} bytes" in text
    assert "checked: " in text


@pytest.mark.parametrize(
    ("format", "options"),
    [("object", {"targets": "x86_64-windows"}), ("wasm", {}), ("archive", {"targets": "baseline"})],
    ids=["object", "wasm", "archive"],
)
def test_files_do_not_depend_on_what_is_fast_here(tmp_path, monkeypatch, format, options):
    """They are for machines of a level, so neither what was measured nor what the user says of this one counts."""
    net, written = nn.Dense(256, in_units=512), []
    net.initialize("ones")
    net.hybridize()
    for rows in (1, 24):
        net(np.ones((rows, 512)))
    for choices in ("unroll=1,packs_from=4", "unroll=4,packs_from=1"):
        monkeypatch.setattr(CONFIG, "machine", choices)
        net.export(tmp_path / "net", format=format, **options)
        written.append([file.read_bytes() for file in sorted(tmp_path.iterdir())])
    assert written[0] == written[1]


def test_every_level_of_this_machine_runs(net, tmp_path):
    checks = "\n".join(net.export(tmp_path / "net", format="library").checks)
    for level in ("avx512", "avx2", "baseline"):
        assert f"{level}: 4 calls as expected" in checks or f"not run here: no {level}" in checks


def test_a_host_s_threads_are_tried(tmp_path):
    fast = hybridize.hybridize(lambda x: np.exp(x).sum(axis=1))
    fast(np.ones((300, 300)))
    checks = "\n".join(fast.export(tmp_path / "net", format="library").checks)
    assert "with 4 threads of the host: 1 call as expected" in checks
    assert "threads" not in str(fast.export(tmp_path / "net", "library", threads=1).checks)


def test_files_have_the_permissions_of_others(net, tmp_path):
    (tmp_path / "other").write_text("")
    net.export(tmp_path / "net", format="library")
    assert (tmp_path / "net.h").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_weights_beside(net, tmp_path):
    found = net.export(tmp_path / "net", format="library", weights="beside")
    assert listing(tmp_path) == [*FILES["library"], "net.safetensors"]
    assert "as expected" in found.checks[0]
    again = tmp_path / "again"
    again.mkdir()
    net.export(again / "net", format="library", weights="beside")
    for name in listing(again):
        assert (again / name).read_bytes() == (tmp_path / name).read_bytes(), "the same program gives the same bytes"


# -------------------------------------------------------------------------------------------------------- functions


CASES = {
    "several": (lambda x, y: {"sum": x + y, "product": (x * y).sum()}, (np.ones((3,)), np.array([1.0, 2.0, 3.0]))),
    "integers": (lambda x, i: np.take(x, i, axis=0), (np.ones((5, 2)), np.array([4, 0], dtype="int64"))),
    "number": (lambda x, factor: np.tanh(x) * factor, (np.ones((3,)), 2.5)),
    "bools": (lambda x: (x > 0) & (x < 2), (np.array([1.0, -1.0, 3.0]),)),
    "doubles": (lambda x: np.sqrt(x.astype("float64")), (np.ones((3,)),)),
    "halves": (lambda x: x * 2, (np.ones((3,), dtype="float16"),)),
    "random": (lambda x: x + np.random.normal(size=(3,)), (np.zeros((3,)),)),
    "none": (lambda x: np.sum(x), (np.ones((0, 3)),)),
}


def loop(x):
    steps = 0
    while np.abs(x).max() > 0.1:
        x = x * 0.5
        steps = steps + 1
    return x, steps


CASES["loop"] = (loop, (np.array([3.0, -9.0]),))


@pytest.mark.parametrize("format", ["archive", "library", "wasm"])
@pytest.mark.parametrize("case", CASES)
def test_functions_of_all_kinds(tmp_path, case, format, system):
    if format == "wasm":
        system("node")
    function, call = CASES[case]
    fast = hybridize.hybridize(function)
    fast(*call)
    found = fast.export(tmp_path / "net", format)
    assert any("as expected" in line for line in found.checks)
    assert listing(tmp_path) == FILES[format]


def test_written_arguments_come_back(tmp_path):
    def write(x, y):
        x[0] = np.sum(y)
        return y * 2

    fast = hybridize.hybridize(write)
    fast(np.zeros((2,)), np.ones((3,)))
    for format in FILES:
        assert "as expected" in fast.export(tmp_path / "net", format).checks[0]


def test_sizes_that_nobody_has_called_it_with_are_tried(tmp_path):
    fast = hybridize.hybridize(lambda x: np.tanh(x).sum(axis=1))
    for rows in (3, 8):
        fast(np.ones((rows, 5)))
    given, missing = checking.trials(
        exporting.deployable(fast.saved(samples=())),
    )
    assert missing == []
    titles = [(one.variant, one.title) for one in given]
    assert titles == [
        (0, "sample 0"),
        (1, "sample 0"),
        (1, "a made-up call of n0 = 1"),
        (1, "a made-up call of n0 = 9"),
    ]
    assert "4 calls as expected" in fast.export(tmp_path / "net", "library").checks[0]


def test_other_dtypes_are_left_out_by_name(tmp_path):
    fast = hybridize.hybridize(lambda x: x + 1)
    fast(np.ones((3,), dtype="float64"))
    fast(np.ones((3,)))
    found = fast.export(tmp_path / "net", "library")
    assert found.left_out == ("(f64[3])",)
    assert "left out: (f64[3])" in str(found)


def test_the_users_samples_are_run(tmp_path):
    fast = hybridize.hybridize(lambda x: x + 1)
    fast(np.ones((3,)))
    samples = [np.array([1.0, 2.0, 3.0]), (np.zeros((3,)),)]
    assert "3 calls as expected" in fast.export(tmp_path / "net", "library", samples=samples).checks[0]
    with pytest.raises(ArgumentError, match="E334"):
        fast.export(tmp_path / "other", "library", samples=[np.zeros((4,))])
    assert listing(tmp_path) == FILES["library"]


def test_assertions_choose_the_calls(tmp_path):
    def root(x):
        assert (x > 0).all(), "only positive numbers have one"
        return np.sqrt(x)

    fast = hybridize.hybridize(root)
    fast.compile((3,))
    assert "1 call as expected" in fast.export(tmp_path / "net", "library").checks[0]


def test_what_no_call_is_found_for_is_said(tmp_path):
    def never(x):
        assert (x > 1000).all(), "large numbers only"
        return x + 1

    fast = hybridize.hybridize(never)
    fast.compile((3,))
    for format in ("library", "wasm"):
        (line,) = fast.export(tmp_path / "net", format).checks
        assert line.startswith("not run: no call was found that (f32[3])")
    checks = fast.export(tmp_path / "net", "library", samples=[np.full((3,), 2000.0)]).checks
    assert "1 call as expected" in checks[0]


# ---------------------------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("format", "options", "said"),
    [
        ("librery", {}, r"E336: format must be one of 'archive', .*got 'librery'[\s\S]*did you mean 'library'"),
        ("wasm", {"threads": 2}, "E336: format 'wasm' has no option 'threads'"),
        ("library", {"thread": 2}, r"E336: .* no option 'thread'[\s\S]*it has targets, weights, threads, linker"),
        ("library", {"threads": 0}, "E337: threads must be an integer from 1 to 1024, got 0"),
        ("library", {"weights": "outside"}, "E337: weights must be one of 'inside', 'beside', got 'outside'"),
        ("library", {"targets": "vax"}, "E337: targets must be one of 'x86_64-linux'"),
        ("library", {"linker": "ld"}, "E337: linker must be one of 'cc', 'zig', got 'ld'"),
    ],
)
def test_mistakes_are_told_before_anything_is_done(tmp_path, format, options, said):
    fast = hybridize.hybridize(lambda x: x + 1)
    fast(np.ones((3,)))
    with refusal(ArgumentError, said):
        fast.export(tmp_path / "net", format, **options)
    assert listing(tmp_path) == []


def test_a_folder_that_is_not_there(net, tmp_path):
    with pytest.raises(ArgumentError, match=r"E335: cannot write .*nowhere.net: (No such file|.*not found)"):
        net.export(tmp_path / "nowhere" / "net", format="library")


@pytest.mark.parametrize(
    ("path", "format", "first"),
    [
        (named("net"), "library", named("net")),
        ("net.so", "library", named("net")),
        ("net.o", "object", "net.o"),
        ("net.wasm", "wasm", "net.wasm"),
        ("net.so", "archive", "net.so"),
        ("Über-größe", "library", named("Uber_grosse")),
        (".so", "library", named("so")),
    ],
)
def test_names_of_files_are_names_of_models_too(net, tmp_path, path, format, first):
    found = net.export(tmp_path / path, format=format)
    assert found.files[0] == str(tmp_path / first)
    assert all(os.path.exists(file) for file in found.files)


def test_functions_that_were_never_called(tmp_path):
    with pytest.raises(StateError, match="E533: <lambda> has no program to export yet"):
        hybridize.hybridize(lambda x: x).export(tmp_path / "net")


@pytest.mark.parametrize(("format", "code"), [("library", "E455"), ("object", "E455")])
def test_what_only_python_can_do_is_refused(tmp_path, format, code):
    def loud(x):
        hybridize.npx.print("x is {}", x)
        return x

    fast = hybridize.hybridize(loud)
    fast(np.ones((2,)))
    with refusal(HybridizeError, code):
        fast.export(tmp_path / "net", format)
    assert listing(tmp_path) == []


def test_no_result_is_no_program(tmp_path):
    fast = hybridize.hybridize(lambda x: None)
    fast(np.ones((2,)))
    with pytest.raises(HybridizeError, match="E454"):
        fast.export(tmp_path / "net", "wasm")
    assert listing(tmp_path) == []


def test_mxnet_takes_no_options_of_others(net, tmp_path):
    with pytest.raises(ArgumentError, match="E336: format 'mxnet' has no option 'threads'"):
        net.export(tmp_path / "net", threads=2)


# ---------------------------------------------------------------------------------------------------------- sabotage


def flipped(file, marker):
    """The file with one bit of `marker` changed."""
    data = bytearray(Path(file).read_bytes())
    place = data.index(marker)
    data[place + 3] ^= 0x40
    Path(file).write_bytes(data)


@pytest.fixture
def before(net, tmp_path):
    """A folder with good files, and their bytes."""
    for format in FILES:
        net.export(tmp_path / "net", format=format)
    net.export(tmp_path / "net")
    return {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def unchanged(folder, before):
    return {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("format", "package", "writer", "code"),
    [
        ("library", library, "write_library", "E810"),
        ("object", library, "write_library", "E810"),
        ("wasm", wasm, "write_wasm", "E812"),
    ],
)
def test_a_flipped_bit_is_found(net, tmp_path, before, monkeypatch, format, package, writer, code):
    weight = net[1].weight.data().asnumpy().tobytes()[:16]
    write = getattr(package, writer)

    def damaged(model, path, **options):
        files = write(model, path, **options)
        flipped(files[0], weight)
        return files

    monkeypatch.setattr(package, writer, damaged)
    with refusal(VerificationError, code) as caught:
        net.export(tmp_path / "net", format=format)
    assert unchanged(tmp_path, before)
    if code == "E810":
        assert "variant 0 (f32[1,7]), sample 0: output 'output' differs" in caught.value.what
        assert "the largest difference is" in caught.value.what


def test_a_crash_is_an_error_and_not_the_end(net, tmp_path, before, monkeypatch, system):
    system("cc")
    write = library.write_library

    def crashing(model, path, **options):
        files = write(model, path, **options)
        source = tmp_path / "crash.c"
        source.write_text(
            "int net_create(void **m, void *o) { return 0; } int net_sizes(void *i, void *o) { return 0; }\n"
            "void net_destroy(void *m) {} const char *net_error(int c) { return 0; }\n"
            "int net_run(void) { __builtin_trap(); }\n"
        )
        subprocess.run(["cc", "-shared", "-fPIC", "-o", files[0], source], check=True)
        source.unlink()
        return files

    monkeypatch.setattr(library, "write_library", crashing)
    with pytest.raises(VerificationError, match=r"E812: .*was killed by signal"):
        net.export(tmp_path / "net", format="library")
    assert unchanged(tmp_path, before)


def test_a_process_that_does_not_end(net, tmp_path, monkeypatch):
    def endless(model, path, **options):
        files = write(model, path, **options)
        Path(files[1]).write_text("export const load = () => new Promise((wake) => setTimeout(wake, 1e9));\n")
        return files

    write = wasm.write_wasm
    monkeypatch.setattr(wasm, "write_wasm", endless)
    monkeypatch.setattr(checking, "TIMEOUT", 2.0)
    with pytest.raises(VerificationError, match=r"E812: .*did not end within 2 seconds"):
        net.export(tmp_path / "net", format="wasm")
    assert listing(tmp_path) == []


def test_an_error_of_the_file_is_shown(net, tmp_path, monkeypatch):
    def wrong(model, path, **options):
        return write(model, path, **{**options, "weights": "beside"})[:2]

    write = library.write_library
    monkeypatch.setattr(library, "write_library", wrong)
    with pytest.raises(VerificationError, match=r"E812: .*sample 0: options\.weights is not given"):
        net.export(tmp_path / "net", format="library")
    assert listing(tmp_path) == []


def test_mxnets_pair_is_read_back(net, tmp_path, before, monkeypatch):
    from hybridize.gluon import export

    write = export.write_params

    def damaged(path, arrays, **options):
        name = next(name for name, array in arrays.items() if array.ndim == 2)
        write(path, {**arrays, name: arrays[name] + 1}, **options)

    monkeypatch.setattr(export, "write_params", damaged)
    with pytest.raises(VerificationError, match=r"E810: net-symbol\.json, sample 0: output 0 differs"):
        net.export(tmp_path / "net")
    assert unchanged(tmp_path, before)


def test_archives_are_read_back(net, tmp_path, before, monkeypatch):
    from hybridize import formats

    write = formats.write_archive

    def damaged(path, program, **options):
        weights = {name: array + 1 if array.ndim == 2 else array for name, array in program.weights.items()}
        write(path, exporting.changed(program, weights=weights), **options)

    monkeypatch.setattr(formats, "write_archive", damaged)
    with pytest.raises(VerificationError, match=r"E810: net, program 0 \(f32\[1,7\].*sample 0: output 0 differs"):
        net.export(tmp_path / "net", format="archive")
    assert unchanged(tmp_path, before)


def test_all_files_are_placed_or_none(net, tmp_path):
    net.export(tmp_path / "net", format="library")
    old = (tmp_path / named("net")).read_bytes()
    (tmp_path / "net.h").unlink()
    (tmp_path / "net.h").mkdir()
    (tmp_path / "net.h" / "in the way").write_text("")
    with pytest.raises(ArgumentError, match=r"E335: cannot write .*net\.h"):
        get_net().export(tmp_path / "net", format="library", weights="beside")
    assert (tmp_path / named("net")).read_bytes() == old
    shutil.rmtree(tmp_path / "net.h")
    assert listing(tmp_path) == [named("net")]


def test_nothing_of_an_interrupted_writer_is_left(tmp_path):
    def interrupted():
        with file_set.temporary_folder(tmp_path / "net") as folder:
            Path(folder, "net.h").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert listing(tmp_path) == []


def test_results_of_files_are_arrays(net, tmp_path):
    net.export(tmp_path / "net", format="library")
    x = numpy.ones((2, 7), "f4")
    model = exporting.deployable(net._function.saved())
    types = [one.type for one in model.outputs]
    good, bad = checking.run_library(tmp_path / named("net"), "net", [(x,), (x[:, :5].copy(),)], types)
    numpy.testing.assert_allclose(good.outputs[0], net(np.array(x)).asnumpy(), rtol=1e-5, atol=1e-6)
    assert bad.code & 0xFF == checking.SIZE
    assert "axis 1 must be 7" in bad.text


class Scaled(hybridize.gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.scale, self.layer = 1.0, nn.Dense(2, in_units=2)

    def forward(self, x):
        return self.layer(x) * self.scale


@pytest.mark.parametrize("format", ["mxnet", "archive", "library", "object", "wasm"])
def test_what_a_net_was_before_is_never_exported(tmp_path, format):
    net = Scaled()
    net.initialize()
    net.hybridize()
    net(np.ones((5, 2)))
    net.scale = 100.0
    with pytest.raises(StateError, match=r"E535: Scaled has changed since it was called: .*\n(.|\n)*call it once more"):
        net.export(tmp_path / "net", format=format)
    assert listing(tmp_path) == []
    expected = net(np.ones((1, 2))).asnumpy()  # of another size: the old program is still there
    net.export(tmp_path / "net", format=format)
    if format == "mxnet":
        again = hybridize.gluon.SymbolBlock.imports(
            str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
        )
    elif format == "archive":
        again = hybridize.load(tmp_path / "net")
        with pytest.raises(hybridize.errors.ShapeError):
            again(np.ones((5, 2)))
    else:
        return  # checked against the imperative result by the export itself
    numpy.testing.assert_allclose(again(np.ones((1, 2))).asnumpy(), expected, rtol=1e-5)


def test_mistakes_that_only_mxnets_files_know(tmp_path):
    net = nn.Dense(2, in_units=2)
    net.initialize()
    net.hybridize()
    with hybridize.autograd.train_mode():
        net(np.ones((1, 2)))
    with pytest.raises(CaptureError, match=r"E451: the net was only called while training\n"):
        net.export(tmp_path / "net")
    net(np.ones((1, 2)))
    for epoch in ("1", -1, 1.5, True):
        with pytest.raises(ArgumentError, match="E337: epoch must be an integer of 0 or more"):
            net.export(tmp_path / "net", epoch)
    assert listing(tmp_path) == []
