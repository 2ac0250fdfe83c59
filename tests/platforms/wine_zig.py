"""`python -m ziglang` in Wine: Zig for Linux, as that for Windows asks for locks of files that Wine does not have.

Wine starts programs of Linux, and neither waits for them nor tells how they ended: a file tells.
"""

import _winapi
import os
import re
import subprocess
import sys
import tempfile
import time

SCRIPT = 'cd "$HERE"; /zig/ziglang/zig "$@"; echo $? > "$DONE.part"; mv "$DONE.part" "$DONE"'


def of_linux(word):
    """Return the word of a command; a path as Linux has it."""
    drive, _, path = word.partition(":")
    return (
        f"/prefix/dosdevices/{drive.lower()}:{path}".replace("\\", "/") if re.match(r"[A-Za-z]:[\\/]", word) else word
    )


def main(words):
    """Run Zig, and return its exit status."""
    if words[:1] == ["cc"] and "-target" not in words:
        words = [*words, "-target", "x86_64-windows-gnu"]  # that of Zig for Windows
    with tempfile.TemporaryDirectory() as folder:
        done = os.path.join(folder, "done")
        places = {
            "DONE": done,
            "HERE": os.getcwd(),
            "ZIG_LOCAL_CACHE_DIR": os.environ.get("ZIG_LOCAL_CACHE_DIR", folder),
        }
        own = {name: of_linux(place) for name, place in places.items()}
        environment = {**os.environ, "HOME": "/tmp", "PATH": "/usr/bin:/bin", **own}
        command = subprocess.list2cmdline(["Z:\\usr\\bin\\sh", "-c", SCRIPT, "sh", *map(of_linux, words)])
        _winapi.CreateProcess(None, command, None, None, True, 0, environment, None, None)  # its handles are none
        until = time.monotonic() + 600
        while not os.path.exists(done) and time.monotonic() < until:
            time.sleep(0.02)
        with open(done, encoding="ascii") as file:
            return int(file.read())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
