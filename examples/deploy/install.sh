#!/bin/sh
# Installs what the programs of this folder, and their tests, need of Debian's packages; does nothing where all is there.
#
#     examples/deploy/install.sh            installs what is missing, as root or by sudo
#     examples/deploy/install.sh --check    only says what is missing, and fails if there is any
set -eu

there() { command -v "$1"; }
works() { "$1" --version; } # a name on the path may be a proxy that has no tool chain, or lack its libraries
# need PACKAGE CHECK...: the package is missing where the command of the check fails.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
look() {
    missing=
    need gcc works cc                                  # C
    need g++ works c++                                 # C++
    need rustc works rustc                             # Rust
    need cargo works cargo
    need gfortran works gfortran                       # Fortran
    need cmake works cmake                             # builds: CMake, pkg-config
    need pkg-config works pkg-config
    need r-base-core works R                           # R
    need make works make                               #   R CMD SHLIB builds by make
    need perl works perl                               # Perl
    need libffi-platypus-perl perl -MFFI::Platypus=2.00 -e 1
    need default-jdk-headless works javac              # Java
    need libjna-java test -e /usr/share/java/jna.jar
    need nodejs works node                             # Node.js
    need npm works npm                                 #   tests: TypeScript, which checks the loader's types
    need chromium works chromium                       # the web page, in tests
    need mesa-vulkan-drivers ls /usr/share/vulkan/icd.d/lvp_icd.*.json # tests: a GPU for WebGPU
    need haproxy test -x /usr/sbin/haproxy             # tests: a balancer before several servers
    need musl-tools works musl-gcc                     # tests: programs for Alpine
    need valgrind works valgrind                       # tests: memory
    need mmdebstrap works mmdebstrap                   # tests: roots of other systems
    need qemu-user works qemu-aarch64                  # tests: code for AArch64, in an emulator
    need gcc-aarch64-linux-gnu works aarch64-linux-gnu-gcc
    need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
}
fail() {
    echo "examples/deploy/install.sh: $1; missing:$missing" >&2
    exit 1
}

look
[ -n "$missing" ] || exit 0
[ "${1-}" != --check ] || fail "not everything is here"
there apt-get >/dev/null || fail "it installs Debian's packages, and there is no apt-get here"
root=
if [ "$(id -u)" -ne 0 ]; then
    root=sudo
    sudo -n true 2>/dev/null || fail "neither root, nor sudo without a password" # a build must not wait for one
fi
install() {
    $root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends "$@" >/dev/null
}
echo "examples/deploy/install.sh: installing$missing"
$root apt-get -qq -o DPkg::Lock::Timeout=300 update || true # an index that is old may still do
# shellcheck disable=SC2086 # names of packages, one word each
install $missing || for package in $missing; do install "$package" || true; done # one that is not there stops no other
look
[ -z "$missing" ] || fail "not everything could be installed"
