"""Compilers of C for the processors, and the emulators that their programs need where this machine is another."""

import shutil

import pytest

from hybridize.system import PROCESSOR


def commands(processor: str) -> list[str]:
    """Return the compiler for Linux on a processor, and what runs its programs here; nothing where they run as they are."""
    return ["gcc"] if processor == PROCESSOR else [f"{processor}-linux-gnu-gcc", f"qemu-{processor}"]


emulated = pytest.mark.skipif(
    not all(map(shutil.which, commands("aarch64"))),
    reason="there is no AArch64, and no qemu-aarch64 or no linker for it (Debian: qemu-user gcc-aarch64-linux-gnu "
    "libc6-dev-arm64-cross)",
)
"""Code for AArch64 is run: by this machine, or in an emulator."""
