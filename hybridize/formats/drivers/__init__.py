# SPDX-License-Identifier: Apache-2.0
"""Programs that run an exported file on calls, each in a process of its own: a crash there is an error here.

    library.py    C libraries, by Python's ctypes        run with `python -I`, so it imports nothing of hybridize
    library.c     C libraries, compiled for another processor and run under an emulator
    foreign.c     together with it: Windows' (windows.c) and macOS's (macos.c) libraries inside of a process of Linux
    node.mjs      WebAssembly, by Node.js

All of them read the file of calls that `checking.write_calls` writes and answer with what `read_results` reads.
"""
