#!/bin/sh
# Installs what the programs of this folder, and their tests, need of Debian's packages. Nothing is done where all is there.
#
#     examples/deploy/install.sh            installs what is missing, as root or by sudo
#     examples/deploy/install.sh --check    only says what is missing, and fails if there is any
set -eu

missing=
# need PACKAGE CHECK...: the package is missing where the command of the check fails.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
there() { command -v "$1"; }

need gcc there cc                                  # C
need g++ there g++                                 # C++
need rustc there rustc                             # Rust
need r-base-core there R                           # R
need make there make                               #   whose R CMD SHLIB builds by make
need perl there perl                               # Perl
need libffi-platypus-perl perl -MFFI::Platypus=2.00 -e 1
need default-jdk-headless there javac              # Java
need libjna-java test -e /usr/share/java/jna.jar
need nodejs there node                             # Node.js
need npm there npm                                 #   types of the loader are checked by TypeScript
need chromium there chromium                       # the web page
need qemu-user there qemu-aarch64                  # tests: code for AArch64, in an emulator
need gcc-aarch64-linux-gnu there aarch64-linux-gnu-gcc
need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
need valgrind there valgrind                       # tests: memory

[ -n "$missing" ] || exit 0
if [ "${1-}" = --check ]; then
    echo "missing:$missing" >&2
    exit 1
fi
if ! command -v apt-get >/dev/null; then
    echo "examples/deploy/install.sh installs Debian's packages, and there is no apt-get here; missing:$missing" >&2
    exit 1
fi
root=
if [ "$(id -u)" -ne 0 ]; then
    root=sudo
    # -n: where a password is asked for, a build would wait for it for ever.
    sudo -n true 2>/dev/null || {
        echo "examples/deploy/install.sh: neither root nor sudo without a password; missing:$missing" >&2
        exit 1
    }
fi
echo "examples/deploy/install.sh: installing$missing"
$root apt-get -qq -o DPkg::Lock::Timeout=300 update
# shellcheck disable=SC2086 # names of packages, one word each
$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends $missing >/dev/null
