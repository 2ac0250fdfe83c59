"""Give NumPy under Wine the functions of complex numbers that Wine's C library only has as stubs that abort.

    python wine_shim.py SITE PYTHON

A library of that name beside `python.exe` has them, and passes all others on to Wine's; NumPy's modules are made to
name it. It needs `pefile` and `ziglang`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pefile

OLD, NEW = b"api-ms-win-crt-math-l1-1-0.dll", b"hyb-ms-win-crt-math-l1-1-0.dll"
COMPLEX = re.compile(r"c(real|imag|abs|arg|pow|exp|sin|cos|tan|sinh|cosh|tanh|sqrt|log)(f|l|)")
REAL = {"cosl": "cos", "cosf": "cos", "cosh": "cosh", "coshf": "cosh"}
"""Names of the same shape that are none of complex numbers."""

# Microsoft's complex numbers are structures. They are passed as the bytes of one, and `long double` is `double`.
PROLOGUE = """
#include <math.h>
typedef struct { float re, im; } F;
typedef struct { double re, im; } D;
static D make(double re, double im) { D z = { re, im }; return z; }
static D widen(F z) { return make(z.re, z.im); }
static F narrow(D z) { F r = { (float)z.re, (float)z.im }; return r; }
static double z_real(D z) { return z.re; }
static double z_imag(D z) { return z.im; }
static double z_abs(D z) { return hypot(z.re, z.im); }
static double z_arg(D z) { return atan2(z.im, z.re); }
static D z_exp(D z) { double r = exp(z.re); return z.im == 0 ? make(r, z.im) : make(r * cos(z.im), r * sin(z.im)); }
static D z_cosh(D z) { return make(cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)); }
static D z_sinh(D z) { return make(sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)); }
static D z_tanh(D z) {
    double t = tan(z.im), h = tanh(z.re), c = cosh(z.re), over = 1 + h * h * t * t;
    if (fabs(z.re) > 20) return make(copysign(1, z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * fabs(z.re)));
    return make(h * (1 + t * t) / over, t / (c * c) / over);
}
static D turned(D z) { return make(-z.im, z.re); }
static D back(D z) { return make(z.im, -z.re); }
static D z_cos(D z) { return z_cosh(turned(z)); }
static D z_sin(D z) { return back(z_sinh(turned(z))); }
static D z_tan(D z) { return back(z_tanh(turned(z))); }
static D z_log(D z) { return make(log(z_abs(z)), z_arg(z)); }
static D z_sqrt(D z) {
    double r = sqrt((z_abs(z) + fabs(z.re)) / 2), i = r == 0 ? 0 : z.im / (2 * r);
    return z.re >= 0 ? make(r, i) : make(fabs(i), copysign(r, z.im));
}
static D z_pow(D a, D b) {
    D l;
    if (a.re == 0 && a.im == 0) return make(b.re == 0 && b.im == 0, 0);
    l = z_log(a);
    return z_exp(make(b.re * l.re - b.im * l.im, b.re * l.im + b.im * l.re));
}
"""


def imported(site: Path) -> set[str]:
    """Return the functions of mathematics that NumPy's modules import."""
    names = set()
    for module in (site / "numpy").rglob("*.pyd"):
        image = pefile.PE(str(module), fast_load=True)
        image.parse_data_directories([pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_IMPORT"]])
        for library in getattr(image, "DIRECTORY_ENTRY_IMPORT", []):
            if library.dll in (OLD, NEW):
                names |= {function.name.decode() for function in library.imports}
        image.close()
    return names


def source(name: str) -> str:
    """Return the C function that stands in for one of Wine's stubs."""
    base, width = COMPLEX.fullmatch(name).groups()
    kind, real = ("F", "float") if width == "f" else ("D", "double")
    wide, back = ("widen", "narrow") if width == "f" else ("", "")
    if base in ("real", "imag", "abs", "arg"):
        return f"{real} my_{name}({kind} z) {{ return ({real})z_{base}({wide}(z)); }}\n"
    if base == "pow":
        return f"{kind} my_{name}({kind} a, {kind} b) {{ return {back}(z_pow({wide}(a), {wide}(b))); }}\n"
    return f"{kind} my_{name}({kind} z) {{ return {back}(z_{base}({wide}(z))); }}\n"


def main(site: Path, python: Path) -> None:
    """Write the library, and let NumPy's modules name it."""
    names = sorted(imported(site))
    own = [name for name in names if COMPLEX.fullmatch(name) and name not in REAL]
    exports = [f"  {name}=my_{name}" if name in own else f"  {name}=ucrtbase.{name}" for name in names]
    with tempfile.TemporaryDirectory() as folder:
        code, definition = Path(folder, "shim.c"), Path(folder, "shim.def")
        code.write_text(PROLOGUE + "".join(map(source, own)), encoding="utf-8")
        definition.write_text("\n".join([f"LIBRARY {NEW.decode()}", "EXPORTS", *exports, ""]), encoding="utf-8")
        zig = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu", "-O1", "-shared"]
        subprocess.run([*zig, "-o", str(python / NEW.decode()), str(code), str(definition)], check=True)
    for module in (site / "numpy").rglob("*.pyd"):
        content = module.read_bytes()
        if OLD in content:
            module.write_bytes(content.replace(OLD, NEW))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
