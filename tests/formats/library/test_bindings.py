"""Files for other languages and builds beside a library: the examples train with them, and they take every model."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy
import pytest

import hybridize
from hybridize import np
from hybridize.base.errors import ArgumentError, CodegenError
from hybridize.gluon import nn
from tests.refusals import refusal

TRAIN = Path(__file__).parents[3] / "examples" / "deploy" / "train"
ALL = ["cpp", "fortran", "rust", "cmake", "pkg-config"]
DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64",
]  # fmt: skip


def shell(folder, *lines):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "CARGO_NET_OFFLINE": "true", "PKG_CONFIG_PATH": str(folder)}
    return subprocess.run(["sh", "-ec", "\n".join(lines)], cwd=folder, env=environment, capture_output=True, text=True)


def passed(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def step(tmp_path_factory):
    """The folder of the examples with their model."""
    folder = tmp_path_factory.mktemp("train") / "train"
    shutil.copytree(TRAIN, folder, ignore=shutil.ignore_patterns("models"))
    passed(shell(folder, f"{sys.executable} {folder / 'make_step.py'}"))
    return folder / "models"


def commands(name):
    head = (TRAIN / name).read_text().splitlines()[:8]
    return [line.strip(" /!") for line in head if line[2:].startswith("!    ") or re.match(r"(//|!|//!) {4,}", line)]


@pytest.mark.parametrize(
    ("name", "needs"), [("train.cpp", ["c++"]), ("train.f90", ["gfortran"]), ("train.rs", ["cargo", "cc"])]
)
def test_an_example_trains_with_the_bits_of_python(step, system, name, needs):
    """Built and run as its head says."""
    system(*needs)
    lines = commands(name)
    assert lines
    assert "101 steps at 0.01" in passed(shell(step, *lines)).splitlines()[-1]
    losses = step / "step.losses.f32"
    content = losses.read_bytes()
    try:
        (numpy.frombuffer(content, "f4") * numpy.float32(1.0000001)).astype("f4").tofile(losses)
        assert shell(step, lines[-1].split("&& ")[-1]).returncode != 0, "a loss that differs in its last bit"
    finally:
        losses.write_bytes(content)


def test_cmake_finds_the_library_by_its_version(step, system):
    system("cmake", "c++")
    build = "cmake -S .. -B {0} -DCMAKE_PREFIX_PATH=$PWD && cmake --build {0} && {0}/train"
    assert "bit for bit" in passed(shell(step, build.format("build")))
    lists = (step.parent / "CMakeLists.txt").read_text()
    for wanted, fits in (("1.0.0", True), ("1.1", False), ("2.0", False), ("0.9", False), ("", True)):
        other = step.parent / f"wanted{wanted}"
        other.mkdir()
        (other / "CMakeLists.txt").write_text(lists.replace("find_package(step 1.0", f"find_package(step {wanted}"))
        shutil.copy(step.parent / "train.cpp", other)
        done = shell(step, f"cmake -S {other} -B {other}/build -DCMAKE_PREFIX_PATH=$PWD")
        assert (done.returncode == 0) is fits, done.stdout + done.stderr


def test_pkg_config_finds_the_library(step, system):
    system("pkg-config", "c++")
    assert passed(shell(step, "pkg-config --modversion step")).strip() == "1.0.0"
    line = "c++ -std=c++17 ../train.cpp $(pkg-config --cflags --libs step) -Wl,-rpath,. -o by_pkg && ./by_pkg"
    assert "bit for bit" in passed(shell(step, line))


def test_the_version_is_in_the_name_and_in_the_header(step):
    assert os.readlink(step / "libstep.so") == "libstep.so.1"
    header = (step / "step.h").read_text()
    for line in ('step_VERSION "1.0.0"', "step_VERSION_MAJOR 1", "step_VERSION_MINOR 0", "step_VERSION_PATCH 0"):
        assert f"#define {line}" in header
    needed = passed(shell(step, "readelf -d libstep.so"))
    assert "Library soname: [libstep.so.1]" in needed


# --------------------------------------------------------------------------------------------------------- every model


def exported(function, folder, *calls, name="model_of"):
    fast = hybridize.hybridize(function)
    for call in calls:
        fast(*call)
    return fast.export(folder / name, format="library", bindings=ALL)


STRICT = {
    "cpp": "c++ -std=c++17 -Wall -Wextra -Wconversion -pedantic -Werror -fsyntax-only -x c++ -I. {0}.hpp",
    "fortran": "gfortran -std=f2018 -Wall -Wextra -Werror -c {0}.f90 -o {0}.f90.o",
    "rust": "cargo build --quiet --manifest-path {0}-rust/Cargo.toml",
}


def strictly(folder, name, system):
    system("c++", "gfortran", "cargo")
    for line in STRICT.values():
        done = shell(folder, line.format(name))
        assert done.returncode == 0 and not done.stderr, done.stderr


def test_every_dtype_and_words_of_all_languages(tmp_path, system):
    named = {"bfloat16": numpy.dtype(ml_dtypes.bfloat16)}
    arrays = [np.array(numpy.zeros((2, 3), named.get(name, name)), dtype=named.get(name, name)) for name in DTYPES]

    def function(this, code, this_a, fn, template, Code, real, program, type_, a, b, c, d):
        together = (this, code, this_a, fn, template, Code, real, program, type_, a, b, c, d)
        return {"self": this * 1, "class": [one.reshape(-1) for one in together]}

    exported(function, tmp_path, arrays)
    strictly(tmp_path, "model_of", system)


def test_sizes_that_calls_choose(tmp_path, system):
    net = nn.Dense(3)
    net.initialize("ones")
    net.hybridize()
    for rows in (2, 4):
        net(np.ones((rows, 5)))
    net.export(tmp_path / "sized", format="library", bindings=ALL)
    strictly(tmp_path, "sized", system)
    (tmp_path / "main.cpp").write_text("""
#include <iostream>
#include "sized.hpp"
int main() {
    sized_cpp::model model;
    std::vector<float> x(15, 1.0f), y(9);
    std::cout << sized_cpp::model::sizes({3, 5}).at(1) << ' ';
    model.run(x.data(), y.data(), {3, 5});
    std::cout << y[8] << ' ';
    try { model.run(x.data(), y.data(), {3, 4}); } catch (const sized_cpp::failure &f) { std::cout << f.what(); }
    try { model.run(x.data(), y.data(), {3}); } catch (const std::invalid_argument &e) { std::cout << ' ' << e.what(); }
}
""")
    said = passed(shell(tmp_path, "c++ -std=c++17 main.cpp -I. -L. -lsized -Wl,-rpath,. -o main && ./main"))
    assert said == "3 5 input 0 `data`: axis 1 must be 5 sizes must be 2 numbers"
    (tmp_path / "sized-rust" / "examples").mkdir()
    (tmp_path / "sized-rust" / "examples" / "main.rs").write_text("""
fn main() {
    let (model, mut y) = (sized::Model::new().unwrap(), [0.0; 9]);
    model.run(&[1.0; 15], &mut y, &[3, 5]).unwrap();
    println!("{}", y[8]);
    for (x, sizes) in [(&[1.0; 14][..], &[3, 5][..]), (&[1.0; 12], &[3, 4]), (&[1.0; 15], &[-3, -5]), (&[], &[3])] {
        println!("{}", model.run(x, &mut y, sizes).unwrap_err());
    }
    println!("{}", model.run(&[1.0; 10], &mut y, &[2, 5]).unwrap_err());
}
""")
    line = "cargo run --quiet --manifest-path sized-rust/Cargo.toml --example main"
    assert passed(shell(tmp_path, line)).splitlines() == [
        "5", "input 0 has 14 elements, and not [3, 5]", "input 0 `data`: axis 1 must be 5",
        "input 0 `data`: axis 1 must be 5", "there are 2 sizes of inputs, got 1",
        "output 0 has 9 elements, and not [2, 3]",
    ]  # fmt: skip


def test_a_model_without_inputs_and_one_of_numbers(tmp_path, system):
    exported(lambda: np.arange(3.0), tmp_path, (), name="without")
    exported(lambda x, factor: (x * factor).sum(), tmp_path, (np.ones((3,)), 2.0), name="numbers")
    for name in ("without", "numbers"):
        strictly(tmp_path, name, system)


def test_names_and_shapes_of_states_are_checked(step, system):
    system("c++")
    (step / "wrong.cpp").write_text("""
#include <iostream>
#include "step.hpp"
int main() {
    step_cpp::model model;
    const auto tell = [](auto &&what) { try { what(); } catch (const std::exception &e) { std::cout << e.what() << '\\n'; } };
    tell([&] { model.get<float>("no"); });
    tell([&] { model.get<double>("0.bias"); });
    tell([&] { model.set("0.bias", std::vector<float>(3)); });
    tell([&] { model.load("no.safetensors"); });
    std::cout << model.get<float>("0.weight").size() << '\\n';
}
""")
    line = "c++ -std=c++17 -Wall -Wextra -Werror wrong.cpp -I. -L. -lstep -Wl,-rpath,. -o wrong && ./wrong"
    assert passed(shell(step, line)).splitlines() == [
        "the model has no state no", "state 0.bias has elements of float32", "state 0.bias has another number of elements",
        "the file of states cannot be opened", str(48 * 64),
    ]  # fmt: skip


def test_the_examples_are_clean_under_sanitizers(step, system):
    system("c++")
    line = re.sub("-O2", "-g -fsanitize=address,undefined -fno-sanitize-recover", commands("train.cpp")[0])
    assert shell(step, line).stderr == ""


# ------------------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"version": "1.0"}, "version of a library must be MAJOR.MINOR.PATCH, as in '1.0.2', got '1.0'"),
        ({"version": "1.0.0rc1"}, "version of a library must be MAJOR.MINOR.PATCH"),
        ({"bindings": "cobol"}, "bindings must be one of 'cpp', 'fortran', 'rust', 'cmake', 'pkg-config'"),
        ({"bindings": ["cpp", "cpp"]}, "or several different ones"),
        ({"bindings": 3}, "or several different ones"),
    ],
)
def test_options_that_it_does_not_take(tmp_path, options, text):
    net = nn.Dense(3)
    net.initialize()
    net.hybridize()
    net(np.ones((2, 5)))
    with refusal(ArgumentError, text):
        net.export(tmp_path / "net", format="library", **options)
    assert not os.listdir(tmp_path)


def test_a_name_that_fortran_cannot_have(tmp_path):
    with refusal(CodegenError, "a module of Fortran cannot be called"):
        exported(lambda x: x + 1, tmp_path, (np.ones(2),), name="n" * 41)
    assert not os.listdir(tmp_path)


def test_files_in_folders_are_put_in_place_again(tmp_path):
    for number in (1.0, 2.0):
        exported(lambda x, number=number: x + number, tmp_path, (np.ones(2),), name="again")
    assert sorted(os.listdir(tmp_path)) == [
        "again-rust", "again.f90", "again.h", "again.hpp", "again.pc", "againConfig.cmake", "againConfigVersion.cmake",
        "libagain.so",
    ]  # fmt: skip
