# SPDX-License-Identifier: Apache-2.0
"""Names that a library cannot have, as its type and its functions are called by them."""

from __future__ import annotations

from typing import Final

from hybridize.base.errors import CodegenError

_WORDS: Final = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr continue
default delete do double else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
restrict return short signed sizeof static static_assert struct switch template this thread_local throw true try
typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
"""
KEYWORDS: Final = frozenset(_WORDS.split())
"""Of C and C++."""

_LIBRARY: Final = """
abort abs acos acosh asctime asin asinh atan atan2 atanh atexit atof atoi atol bsearch calloc cbrt ceil clearerr clock
copysign cos cosh ctime difftime div erf erfc errno exit exp exp2 expm1 fabs fclose fdim feof ferror fflush fgetc fgets
floor fma fmax fmin fmod fopen fprintf fputc fputs fread free freopen frexp fscanf fseek ftell fwrite getc getchar
getenv gets gmtime hypot ilogb index isalnum isalpha iscntrl isdigit isgraph islower isprint ispunct isspace isupper
labs ldexp ldiv lgamma llabs lldiv llrint llround localtime log log10 log1p log2 logb longjmp lrint lround main malloc
memchr memcmp memcpy memmove memset mktime modf nan nearbyint nextafter perror pow printf putc putchar puts qsort raise
rand realloc remainder remove remquo rename rewind rindex rint round scalbn scanf setbuf setjmp setvbuf signal sin sinh
snprintf sprintf sqrt srand sscanf strcat strchr strcmp strcpy strlen strncpy strstr strtod strtol strtok system tan
tanh tgamma time tmpfile tmpnam tolower toupper trunc ungetc vprintf vscanf
access accept alarm bind brk chdir chmod chown close connect dup environ error exec fork gamma getpid ioctl j0 j1 jn
kill link listen lseek mkdir mmap nice open optarg pause pipe poll random read recv rmdir select send sigaction sleep
socket stat stderr stdin stdout stpcpy sync truncate umask uname unlink vfork wait write y0 y1 yn
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t ptrdiff_t size_t ssize_t off_t
"""
LIBRARY: Final = frozenset(_LIBRARY.split())
"""Of the C library: a type of such a name cannot be declared beside the header that has them."""

_MACROS: Final = """
BUFSIZ EOF FILE INFINITY NAN NDEBUG NULL RAND_MAX far i386 linux near std typeof alloca unix
INT8_MAX INT16_MAX INT32_MAX INT64_MAX INT8_MIN INT16_MIN INT32_MIN INT64_MIN SIZE_MAX
UINT8_MAX UINT16_MAX UINT32_MAX UINT64_MAX
F R W X
"""
MACROS: Final = frozenset(_MACROS.split())
"""Of compilers and of headers that most programs include: `unix` is 1 in GNU C, and `X_OK` is one, too."""

FUNCTIONS: Final = frozenset(["clnt", "cnd", "epoll", "mtx", "pthread", "sem", "svc", "thrd", "timer", "tss"])
"""Some systems have a function of such a name followed by `_create`, `_run` or `_destroy`."""


def check_name(name: str) -> None:
    """Make sure that C takes the name.

    Raises:
        CodegenError E974: it means something in C, C++ or their libraries already.
    """
    is_reserved = name in KEYWORDS or name in LIBRARY or name in MACROS or name in FUNCTIONS
    if is_reserved or not (name.isidentifier() and name.isascii()):
        raise CodegenError(
            "E974",
            f"a library cannot be called {name!r}: C, or its library, has that name already",
            help=f'write to a file of another name, such as "{name}_net"',
        )
