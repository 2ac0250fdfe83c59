"""Write down the signatures that `signatures.txt` has, of the text of cuda.h and of nvml.h (or of cynvml.pxd).

python tests/runtime/cuda/record.py cuda.h nvml.h
"""

import re
import sys
from pathlib import Path

from hybridize.runtime.cuda.signatures import COUNTING, SIGNATURES


def parameter(text):
    """The type of a parameter, without its name: `void*` of `const void *image`."""
    words = re.sub(r"\bconst\b", " ", text).replace("*", " * ").split()
    if words[-1] != "*" and len(words) > 1 and words[-2:] != ["unsigned", "int"]:
        words = words[:-1]
    return re.sub(r" (\*)", r"\1", " ".join(words)).replace(" ", "_").replace("unsigned_int", "unsigned")


def signatures(header, names):
    """For each name the types that a header declares: of the function that its macros make of the plain name."""
    plain = {new: old for old, new in re.findall(r"#define\s+(\w+)\s+(?:__CUDA_API_\w+\()?(\w+)\)?\s*$", header, re.M)}
    for name in names:
        declared = re.search(
            rf"\b(?:CUDAAPI|nvmlReturn_t)\s+(?:DECLDIR\s+)?(?:{name}|{plain.get(name, name)})\s*\(([^)]*)\)",
            header,
            re.S,
        )
        parameters = [one for one in declared[1].split(",") if one.strip() not in ("", "void")]
        yield " ".join([name, *map(parameter, parameters)])


if __name__ == "__main__":
    headers = [Path(path).read_text() for path in sys.argv[1:]]
    lines = [
        line
        for header, names in zip(headers, (SIGNATURES, COUNTING), strict=True)
        for line in signatures(header, names)
    ]
    Path(__file__).with_name("signatures.txt").write_text("\n".join(lines) + "\n")
