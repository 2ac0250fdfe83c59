/* SPDX-License-Identifier: Apache-2.0
 * Another system's library inside of a process of Linux: together with library.c it makes a program that runs it.
 *
 * An exported library needs nothing of its system but functions of C, which are given here in its calling convention.
 * windows.c and macos.c know the forms of files: `load` maps the library, `exported` finds its functions. The file is
 * named by the environment variable HYBRIDIZE_LIBRARY. Compiled as library.c is, by GCC or Clang. */
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef WINDOWS
#define CALLED __attribute__((ms_abi))
#else
#define CALLED
#endif
#define ONE(name) \
    static CALLED double of_##name(double x) { return name(x); } \
    static CALLED float of_##name##f(float x) { return name##f(x); }
#define TWO(name) \
    static CALLED double of_##name(double x, double y) { return name(x, y); } \
    static CALLED float of_##name##f(float x, float y) { return name##f(x, y); }
#define ONES(X) \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) \
    X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(nearbyint) X(rint) X(round) X(sin) X(sinh) \
    X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
#define TWOS(X) X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
ONES(ONE)
TWOS(TWO)
static CALLED double of_ldexp(double x, int n) { return ldexp(x, n); }
static CALLED float of_ldexpf(float x, int n) { return ldexpf(x, n); }
static CALLED double of_fma(double x, double y, double z) { return fma(x, y, z); }
static CALLED float of_fmaf(float x, float y, float z) { return fmaf(x, y, z); }
static CALLED void *of_malloc(size_t n) { return malloc(n); }
static CALLED void of_free(void *p) { free(p); }
static CALLED void *of_memcpy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
static CALLED void *of_memmove(void *to, const void *from, size_t n) { return memmove(to, from, n); }
static CALLED void *of_memset(void *to, int byte, size_t n) { return memset(to, byte, n); }
static CALLED int of_memcmp(const void *x, const void *y, size_t n) { return memcmp(x, y, n); }
static CALLED void *of_fopen(const char *path, const char *mode) { return fopen(path, mode); }
static CALLED size_t of_fread(void *to, size_t size, size_t n, void *file) { return fread(to, size, n, file); }
static CALLED int of_fgetc(void *file) { return fgetc(file); }
static CALLED int of_fclose(void *file) { return fclose(file); }
#ifdef WINDOWS
static CALLED int of_SwitchToThread(void) { return sched_yield() == 0; }
#else
static int of_sched_yield(void) { return sched_yield(); }
static int of_open(const char *path, int flags) { return flags & 3 ? -1 : open(path, O_RDONLY); } /* other numbers */
static int of_close(int file) { return close(file); }
static int64_t of_lseek(int file, int64_t offset, int whence) { return lseek(file, offset, whence); }
static void *of_mmap(void *at, size_t n, int rights, int flags, int file, int64_t offset) {
    return mmap(at, n, rights, flags, file, offset);
}
static int of_munmap(void *at, size_t n) { return munmap(at, n); }
#endif

#define ROW(name) {#name, (void *)of_##name},
#define ROWS(name) ROW(name) {#name "f", (void *)of_##name##f},
static const struct { const char *name; void *function; } known[] = {
    ONES(ROWS) TWOS(ROWS) ROW(ldexp) ROW(ldexpf) ROW(fma) ROW(fmaf) ROW(malloc) ROW(free) ROW(memcpy) ROW(memmove) ROW(memset) ROW(memcmp)
    ROW(fopen) ROW(fread) ROW(fgetc) ROW(fclose)
#ifdef WINDOWS
    ROW(SwitchToThread)
#else
    ROW(sched_yield) ROW(open) ROW(close) ROW(lseek) ROW(mmap) ROW(munmap)
#endif
};

static unsigned char *image;

static void fail(const char *what, const char *which) {
    fprintf(stderr, "%s %s\n", what, which);
    exit(3);
}

static uint32_t at32(size_t at) { uint32_t x; memcpy(&x, image + at, 4); return x; }
static uint64_t at64(size_t at) { uint64_t x; memcpy(&x, image + at, 8); return x; }
static void put64(size_t at, uint64_t x) { memcpy(image + at, &x, 8); }
static uint16_t at16(size_t at) { uint16_t x; memcpy(&x, image + at, 2); return x; }

static void *given(const char *name) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) return known[i].function;
    fail("the library needs", name);
    return NULL;
}

#define STRING2(x) #x
#define STRING(x) STRING2(x)
static void *exported(const char *name);
static void load(FILE *file);

__attribute__((constructor)) static void start(void) {
    FILE *file = fopen(getenv("HYBRIDIZE_LIBRARY"), "rb");
    if (!file) fail("cannot read", "the library");
    load(file);
    fclose(file);
}

#define CALL(what, types) ((CALLED types)exported(STRING(NAME) #what))
int32_t F(_create)(NAME **model, const F(_options) *options) {
    return CALL(_create, int32_t (*)(NAME **, const void *))(model, options);
}
int32_t F(_sizes)(const int64_t *input_sizes, int64_t *output_sizes) {
    return CALL(_sizes, int32_t (*)(const int64_t *, int64_t *))(input_sizes, output_sizes);
}
int32_t F(_run)(NAME *model, const void *const *inputs, const int64_t *sizes, void *const *outputs, const int64_t *made) {
    return CALL(_run, int32_t (*)(NAME *, const void *const *, const int64_t *, void *const *, const int64_t *))(
        model, inputs, sizes, outputs, made);
}
void F(_destroy)(NAME *model) { CALL(_destroy, void (*)(NAME *))(model); }
const char *F(_error)(int32_t code) { return CALL(_error, const char *(*)(int32_t))(code); }
