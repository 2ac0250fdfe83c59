"""The numbers by which the compiler chooses stand in one file, each with its unit and where it comes from."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridize.schedule import thresholds
from hybridize.schedule.contraction import thresholds as tiles
from hybridize.schedule.device import thresholds as device

PACKAGE = Path(__file__).parents[2] / "hybridize"
ROOMS = ("schedule", "codegen")
OTHER_NUMBERS = (
    "codegen/elf.py",  # file formats
    "codegen/link.py",
    "codegen/references.py",
    "codegen/wasm",
    "codegen/llvm/functions",  # coefficients
    "codegen/llvm/library",  # layouts of memory, and numbers of operating systems
    "codegen/llvm/timed.py",
)
"""Rooms whose numbers are no choices, or stand together elsewhere."""
FACTS = {
    "schedule/memory.py: ALIGN": "of all memory",
    "codegen/llvm/registers.py: LINE": "that processors fetch at once",
    "codegen/llvm/nests/positions.py: SMALL": "the largest number of 32 bits",
    "codegen/llvm/routines/draws.py: _ATTEMPTS": "part of what a draw is",
    "codegen/llvm/registers.py: _BYTES": "of LLVM's types",
    "codegen/llvm/routines/spectra.py: EPSILON": "of float64",
    "codegen/llvm/routines/spectra.py: TURNS": "after which a matrix has no eigenvalues: part of what is computed",
    "codegen/llvm/parts.py: APART": "in a module that is loaded where nothing is scheduled",
    "codegen/llvm/parts.py: SHARE": "the same",
    "codegen/llvm/parts.py: PLAIN_SPEED": "the same",
    "codegen/llvm/threads.py: LARGEST": "of 32 bits",
    "codegen/wgsl/binding.py: BINDING": "the least limit of WebGPU's devices",
    "codegen/wgsl/ranges.py: MOST": "of 32 bits",
    "codegen/wgsl/ranges.py: WHOLE": "of 64 bits",
    "codegen/llvm/device/tensor_cores.py: _ROWS": "of the instruction",
    "codegen/llvm/device/tensor_cores.py: _COLUMNS": "of the instruction",
    "codegen/llvm/device/fetching.py: COPIED": "that the instruction takes",
    "codegen/llvm/device/program.py: _PARAMS": "addresses in the 4 KiB of parameters that PTX has had from the start",
    "codegen/llvm/device/program.py: _MOST_PARAMS": "addresses in the 32,764 bytes of PTX 8.1",
    "schedule/device/tiles.py: VECTOR_BYTES": "of a load of shared memory",
    "schedule/contraction/ending.py: ACCUMULATED": "the operand number of a sum",
    "schedule/contraction/winograd.py: TAPS": "of the windows that fewer products are known for",
}
FILES = [Path(module.__file__) for module in (thresholds, tiles, device)]
"""Where they stand: those of contractions, and of devices, beside these."""
SOURCES = ("Measured", "Estimated", "Chosen", "Bounds compile time")


def is_number(node: ast.expr | None) -> bool:
    """Tell whether an expression is made of numbers alone: 64, 1 << 16, (2, 4), {32: 12}."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.Tuple(elts=parts) | ast.Dict(values=parts):
            return bool(parts) and all(map(is_number, parts))
    return False


def constants(path: Path) -> Iterator[tuple[str, ast.expr | None, str]]:
    """Names in capitals of a module, with their values and docstrings."""
    body = ast.parse(path.read_text()).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ):
                if name.isupper():
                    words = after.value if isinstance(after, ast.Expr) else None
                    yield name, value, str(words.value) if isinstance(words, ast.Constant) else ""


def test_no_module_keeps_a_threshold_of_its_own():
    elsewhere = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for room in ROOMS
        for path in sorted((PACKAGE / room).rglob("*.py"))
        if path not in FILES and not str(path.relative_to(PACKAGE)).startswith(OTHER_NUMBERS)
        for name, value, _ in constants(path)
        if is_number(value) and f"{path.relative_to(PACKAGE)}: {name}" not in FACTS
    ]
    assert not elsewhere, f"numbers that belong into a file of thresholds: {elsewhere}"


def test_facts_are_there():
    for fact in FACTS:
        path, _, name = fact.partition(": ")
        assert name in [one for one, value, _ in constants(PACKAGE / path) if is_number(value)], fact


@pytest.mark.parametrize("file", FILES, ids=str)
def test_thresholds_tell_their_unit_and_where_they_come_from(file):
    found = list(constants(file))
    assert len(found) > (10 if file.parent.name == "device" else 70)
    for name, value, words in found:
        assert is_number(value), name
        sentences = re.split(r"(?<=[.:]) ", words.replace("\n", " "))
        assert any(sentence.startswith(SOURCES) for sentence in sentences), f"{name}: measured, estimated or chosen?"
        assert words.split()[0].strip(",:").endswith(("s", "Share")), f"{name} begins with no unit: {words}"
    names = [name for name, _, _ in found]
    assert len(set(names)) == len(names)


def test_every_threshold_is_read():
    text = "\n".join(
        path.read_text() for room in ROOMS for path in (PACKAGE / room).rglob("*.py") if path.stem != "thresholds"
    )
    unread = [name for file in FILES for name, _, _ in constants(file) if f"thresholds.{name}" not in text]
    assert not unread
