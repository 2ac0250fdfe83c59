# SPDX-License-Identifier: Apache-2.0
"""Libraries for C: a shared library or an object, and its header.

    write_library(deployable, path, ...) -> files

In: a `Deployable`. Out: files that need nothing but the C library: no Python, nothing of ours. All code is IR of ours
(`codegen.llvm.library`); a compiler only links.

    write                what is called: from a program to files
    platforms            for which machines, by name
    program              graphs made into the programs of every level, what cannot leave refused
    assertions           assertions as a result, as there is no Python to raise them
    weights              the arrays of all programs, each once, inside or in a safetensors file
    header, names        the text of the header; names that C has already
    bindings             files for C++, Fortran, Rust, CMake and pkg-config beside a library
    declared             which C functions a program may need
    linking, cross       objects made into libraries: by the system's compiler, by Zig for other machines
    running              a library that was just written, run on calls

It must not know arrays with operators, blocks or capture.
"""

from hybridize.formats.library.write import write_library as write_library
