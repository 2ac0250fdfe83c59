"""What is in the files: nothing that is not needed, no page that is both written and run, the weights as they are."""

import os
import re
import subprocess

import numpy
import pytest

import hybridize as hy
from hybridize import np
from hybridize.base.errors import CodegenError
from hybridize.codegen.llvm.library import emit
from hybridize.codegen.llvm.library.model import MARKER_BYTES
from hybridize.codegen.llvm.objects import assembly, emit_object
from hybridize.formats.deployable import deployable
from hybridize.formats.library import write, write_library
from hybridize.formats.library.declared import check_declared, undefined
from hybridize.formats.library.platforms import PLATFORMS, named_platform
from hybridize.formats.library.program import check_size
from hybridize.formats.library.weights import Arrays, beside, filled, inside
from hybridize.formats.library.write import compiled


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def net(library):
    layers = [
        np.array(numpy.random.default_rng(k).standard_normal(shape).astype("f4"))
        for k, shape in enumerate([(512, 256), (256, 128), (128, 2)])
    ]

    def forward(x):
        for w in layers:
            x = np.maximum(np.dot(x, w), 0)
        return x

    function = hy.hybridize(forward)
    for batch in (1, 4):
        function(np.ones((batch, 512)))
    return library(deployable(function.saved())), deployable(function.saved()), sum(w.size * 4 for w in layers)


def test_it_needs_the_c_library_alone(net):
    made, _, _ = net
    needed = re.findall(r"NEEDED.*\[(.*)\]", output_of("readelf", "-d", made.files[0]))
    assert set(needed) <= {"libc.so.6", "libm.so.6"}
    assert f"soname: [{made.files[0].name}]" in output_of("readelf", "-d", made.files[0])
    assert "TEXTREL" not in output_of("readelf", "-d", made.files[0])


def test_nothing_is_written_and_run(net):
    made, _, _ = net
    text = output_of("readelf", "-lW", made.files[0])
    flags = [line.split()[6:-1] for line in text.splitlines() if line.split()[:1] == ["LOAD"]]
    assert not any({"W", "E"} <= set("".join(one)) for one in flags)
    stack = next(line for line in text.splitlines() if "GNU_STACK" in line)
    assert "E" not in stack.split()[6]


def test_it_exports_its_functions_alone(net):
    made, _, _ = net
    lines = output_of("nm", "-D", "--defined-only", made.files[0]).splitlines()
    words = ("create", "sizes", "run", "describe", "destroy", "error")
    assert {line.split()[-1] for line in lines} == {f"{made.name}_{word}" for word in words}
    assert not output_of("nm", made.files[0]).strip()  # nor has it other symbols


def test_it_is_small_beyond_its_weights(net):
    """Two programs, each for three processors; 250 KiB is what we promise."""
    made, _, weights = net
    assert made.files[0].stat().st_size - weights < 100 << 10


def functions_of(path, level):
    """The code of each function whose name ends in a level: instructions without addresses."""
    text = output_of("objdump", "-d", "--no-show-raw-insn", path)
    found, name = {}, ""
    for line in text.splitlines():
        head = re.match(r"\w+ <(.*)>:", line)
        if head:
            name = head[1]
            found[name] = []
        elif "\t" in line and "nop" not in line:
            code = line.split("\t", 1)[1]
            found[name].append(re.sub(r"<.*|0x\w+\(%rip\)|#.*|\b[0-9a-f]{1,6}\b", "", code).strip())
    return {name.removesuffix(level): lines for name, lines in found.items() if name.endswith(level)}


@pytest.mark.parametrize("level", [0, 1, 2])
def test_code_of_a_level_is_what_it_is_alone(net, tmp_path, monkeypatch, level):
    """As if the whole module were for that processor: same instructions, wide registers and multiply-add included."""
    _, program, _ = net
    seen = []

    def with_names(face, parts, base, **options):
        alone = next(part for part in parts if part.target == parts[level].target)
        seen.append((merged(face, parts, base, **{**options, "hidden": "internal"}), alone))
        return seen[0][0]

    merged = emit.merged
    monkeypatch.setattr(emit, "merged", with_names)
    compiled(program)
    ((together, part),) = seen
    (tmp_path / "together.o").write_bytes(emit_object(together, PLATFORMS["x86_64-linux"].targets()[-1]))
    text, suffix = part.module.text(), part.suffix
    # The helpers of the library that a program calls are names here.
    for helper in ("declare ptr @take(ptr, i64)\n", "declare void @give(ptr, ptr)\n"):
        text += helper if helper.split("@")[1].split("(")[0] in text else ""
    (tmp_path / "alone.o").write_bytes(emit_object(text, part.target))
    apart = functions_of(tmp_path / "alone.o", "")
    found = functions_of(tmp_path / "together.o", suffix)
    assert len(found) >= 4
    for name, lines in found.items():
        assert lines == apart[name], name
    everything = "\n".join(line for lines in found.values() for line in lines)
    assert ("zmm" in everything) == (level == 0)
    assert ("vfmadd" in everything) == (level < 2)
    assert ("ymm" in everything) == (level < 2) or level == 0


@pytest.mark.parametrize("platform", PLATFORMS)
def test_objects_for_every_machine(net, platform):
    _, program, weights = net
    for kind in ("inside", "beside"):
        made = compiled(program, targets=platform, weights=kind)
        magic = {"linux": b"\x7fELF", "windows": b"\x64\x86", "macos": b"\xcf\xfa\xed\xfe"}[made.platform.system]
        assert made.object.startswith(magic)
        assert (len(made.object) > weights) == (kind == "inside")
        assert (b"program_run" in made.object) or (b"forward_run" in made.object)
        if made.platform.system == "linux":
            check_declared("net", undefined(made.object), made.platform)


def test_code_for_apple_silicon_leaves_a_register_alone(net, monkeypatch):
    """macOS overwrites x18 at any time."""
    texts = []
    monkeypatch.setattr(write, "emit_object", lambda text, target: texts.append(text) or emit_object(text, target))
    made = compiled(net[1], targets="aarch64-macos")
    (target,) = made.platform.targets()
    assert not re.search(r"\b[xw]18\b", assembly(texts[0], target))


def test_what_the_c_library_does_not_have_is_refused():
    linux = named_platform("x86_64-linux")
    check_declared("f", ["expf", "malloc", "mmap", "atan2"], linux)
    with pytest.raises(CodegenError, match=r"E970: f needs PyDict_New, strange_function"):
        check_declared("f", ["expf", "strange_function", "PyDict_New"], linux)
    with pytest.raises(CodegenError, match="E970"):
        check_declared("f", ["mmap"], named_platform("x86_64-windows"))


def test_weights_that_code_does_not_reach_are_refused():
    linux = named_platform("x86_64-linux")
    check_size("f", linux, 1 << 30)
    with pytest.raises(CodegenError, match="E972"):
        check_size("f", linux, (1 << 30) + 1)


def test_an_object_is_linked_by_whoever_has_it(net, tmp_path, compile_c):
    _, program, _ = net
    files = write_library(program, tmp_path / "net", object_only=True)
    assert [os.path.basename(file) for file in files] == ["net.o", "net.h"]
    (tmp_path / "main.c").write_text(
        '#include "net.h"\nint main(void) { net *model; int32_t code = net_create(&model, 0); net_destroy(model); return code; }'
    )
    subprocess.run(["cc", "-o", tmp_path / "main", tmp_path / "main.c", files[0], "-lm"], check=True, cwd=tmp_path)
    subprocess.run([tmp_path / "main"], check=True)


def test_weights_are_there_once_and_unchanged():
    x, y = numpy.arange(10.0), numpy.arange(6, dtype="i2").reshape(2, 3)
    arrays = Arrays()
    assert [arrays.add(one) for one in (x, y, x.copy(), y.T, y, x.astype("f4"))] == [0, 1, 0, 2, 1, 3]
    stored = inside(arrays.arrays, "f")
    assert stored.offsets == (0, 128, 192, 256) and len(stored.marker) == MARKER_BYTES
    for offset, array in zip(stored.offsets, arrays.arrays, strict=True):
        assert stored.content[offset : offset + array.nbytes] == array.tobytes()
    object_ = b"code" + stored.marker + bytes(len(stored.content)) + b"more"
    assert filled(object_, stored) == b"code" + stored.marker + stored.content + b"more"
    file = beside(arrays.arrays)
    assert len(file.content) % 8 == 0
    for offset, array in zip(file.offsets, arrays.arrays, strict=True):
        assert file.content[offset : offset + array.nbytes] == array.tobytes()
        assert offset % array.itemsize == 0
    assert min(file.offsets) % 64 == 0


def test_equal_exports_are_equal_files(net, tmp_path):
    """Nothing in a file depends on when or where it was written."""
    _, program, _ = net
    first, second = (compiled(program) for _ in range(2))
    assert (first.object, first.header) == (second.object, second.header)
