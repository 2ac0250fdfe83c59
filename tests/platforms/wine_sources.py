r"""Put the text of Python's library beside its code, in Wine; only where that code is of this text.

    python wine_sources.py Z:\usr\lib\python3.13 Z:\python\Lib

Debian's Python may be newer by a release, and a module of one does not always run with the other's interpreter.
"""

import marshal
import shutil
import sys
from pathlib import Path


def is_of(code: Path, text: Path) -> bool:
    """Tell whether a text gives a file's code, however far it was optimised."""
    written = marshal.loads(code.read_bytes()[16:])
    texts = (compile(text.read_bytes(), "", "exec", dont_inherit=True, optimize=level) for level in (0, 1, 2))
    return written in texts


def main(debian: Path, library: Path) -> int:
    """Copy what fits; return an exit status, 1 where nothing does."""
    pairs = [(text, library / text.relative_to(debian).with_suffix(".pyc")) for text in debian.rglob("*.py")]
    known = [(text, code) for text, code in pairs if code.exists() and is_of(code, text)]
    for text, code in known:
        shutil.copy(text, code.with_suffix(".py"))
    return not known


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
