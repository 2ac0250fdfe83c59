# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's assembler, where it is: it needs no GPU, and knows what each kernel takes of a processor.

`pip install nvidia-cuda-nvcc` brings it, in an environment of its own; its folder `nvidia/cu13/bin` has to be in PATH.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

REMEDY = "there is no ptxas: pip install nvidia-cuda-nvcc, and put its nvidia/cu13/bin into PATH"
installed = pytest.mark.skipif(shutil.which("ptxas") is None, reason=REMEDY)


class Used(NamedTuple):
    """What a thread of a kernel takes, and a block."""

    registers: int
    spilled: int
    """Bytes that did not fit into registers, written and read."""
    shared: int


def assembled(text: str, arch: str, folder: Path) -> dict[str, Used]:
    """Assemble PTX for an architecture; what each of its kernels takes.

    Raises:
        AssertionError: it is refused; the words are the assembler's.
    """
    path = folder / "module.ptx"
    path.write_text(text)
    command = ["ptxas", "-v", f"-arch={arch}", str(path), "-o", str(folder / "module.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    result, name, spilled = {}, "", 0
    for line in (done.stdout + done.stderr).splitlines():
        if match := re.search(r"Compiling entry function '(\S+)'", line):
            name = match[1]
        elif match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spilled = int(match[1]) + int(match[2])
        elif match := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            result[name] = Used(int(match[1]), spilled, int(shared[1]) if shared else 0)
    return result


_NAME = re.compile(
    r"\.entry (\w+)\(|^\.(?:visible |extern |internal )?(?:global|const|shared) [^;\[=]*?(\w+)\[", re.MULTILINE
)


def joined(texts: Sequence[str]) -> str:
    """Return one module of several, whose names get a number: assembling a small one takes as long as starting."""
    parts = []
    for number, text in enumerate(texts):
        head, body = text.split(".address_size 64", 1)
        names = {first or second for first, second in _NAME.findall(body)}
        for name in sorted(names, key=len, reverse=True):
            body = re.sub(rf"(?<![\w$%]){name}(?=\W|_param|_shared)", f"m{number}_{name}", body)
        parts.append(body)
    return head + ".address_size 64" + "\n".join(parts)
