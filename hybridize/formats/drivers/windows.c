/* SPDX-License-Identifier: Apache-2.0
 * Windows' library NAME.dll inside of a process of Linux: together with library.c it makes a program that runs it.
 *
 * An exported library needs nothing of Windows but functions of C, which are given here in its calling convention. The
 * file is named by the environment variable HYBRIDIZE_DLL. Compiled as library.c is, by GCC or Clang for x86-64. */
#include <math.h>
#include <sched.h>
#include <sys/mman.h>

#define MS __attribute__((ms_abi))
#define ONE(name) \
    static MS double ms_##name(double x) { return name(x); } \
    static MS float ms_##name##f(float x) { return name##f(x); }
#define TWO(name) \
    static MS double ms_##name(double x, double y) { return name(x, y); } \
    static MS float ms_##name##f(float x, float y) { return name##f(x, y); }
#define ONES(X) \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) \
    X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(nearbyint) X(rint) X(round) X(sin) X(sinh) \
    X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
#define TWOS(X) X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
ONES(ONE)
TWOS(TWO)
static MS double ms_ldexp(double x, int n) { return ldexp(x, n); }
static MS float ms_ldexpf(float x, int n) { return ldexpf(x, n); }
static MS double ms_fma(double x, double y, double z) { return fma(x, y, z); }
static MS float ms_fmaf(float x, float y, float z) { return fmaf(x, y, z); }
static MS void *ms_malloc(size_t n) { return malloc(n); }
static MS void ms_free(void *p) { free(p); }
static MS void *ms_memcpy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
static MS void *ms_memmove(void *to, const void *from, size_t n) { return memmove(to, from, n); }
static MS void *ms_memset(void *to, int byte, size_t n) { return memset(to, byte, n); }
static MS int ms_memcmp(const void *x, const void *y, size_t n) { return memcmp(x, y, n); }
static MS void *ms_fopen(const char *path, const char *mode) { return fopen(path, mode); }
static MS size_t ms_fread(void *to, size_t size, size_t n, void *file) { return fread(to, size, n, file); }
static MS int ms_fgetc(void *file) { return fgetc(file); }
static MS int ms_fclose(void *file) { return fclose(file); }
static MS int ms_SwitchToThread(void) { return sched_yield() == 0; }

#define ROW(name) {#name, (void *)ms_##name},
#define ROWS(name) ROW(name) {#name "f", (void *)ms_##name##f},
static const struct { const char *name; void *function; } known[] = {
    ONES(ROWS) TWOS(ROWS) ROW(ldexp) ROW(ldexpf) ROW(fma) ROW(fmaf) ROW(malloc) ROW(free) ROW(memcpy) ROW(memmove) ROW(memset) ROW(memcmp)
    ROW(fopen) ROW(fread) ROW(fgetc) ROW(fclose) ROW(SwitchToThread)
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

static size_t directory(int number) { return at32(at32(60) + 24 + 112 + 8 * (size_t)number); }

static void *exported(const char *name) {
    size_t table = directory(0), functions = at32(table + 28), names = at32(table + 32), places = at32(table + 36);
    for (uint32_t i = 0; i < at32(table + 24); i++)
        if (!strcmp((char *)image + at32(names + 4 * i), name)) return image + at32(functions + 4 * at16(places + 2 * i));
    return NULL;
}

static void move(uint64_t by, size_t table, size_t size) {
    for (size_t at = table; at < table + size; at += at32(at + 4))
        for (size_t i = at + 8; i < at + at32(at + 4); i += 2)
            if (at16(i) >> 12 == 10) put64(at32(at) + (at16(i) & 4095), at64(at32(at) + (at16(i) & 4095)) + by);
}

__attribute__((constructor)) static void load(void) {
    FILE *file = fopen(getenv("HYBRIDIZE_DLL"), "rb");
    unsigned char head[4096];
    if (!file || fread(head, 1, sizeof head, file) < 1024) fail("cannot read", "the library");
    image = head;
    size_t start = at32(60), sections = start + 24 + at16(start + 20), count = at16(start + 6), size = at32(start + 80);
    unsigned char *made = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) fail("no memory for", "the library");
    memcpy(made, head, sizeof head < size ? sizeof head : size);
    for (size_t i = sections; i < sections + 40 * count; i += 40) {
        size_t bytes = at32(i + 8) < at32(i + 16) ? at32(i + 8) : at32(i + 16);
        fseek(file, at32(i + 20), SEEK_SET);
        if (fread(made + at32(i + 12), 1, bytes, file) != bytes) fail("cut short:", "the library");
    }
    fclose(file);
    image = made;
    move((uint64_t)made - at64(start + 48), directory(5), at32(start + 24 + 112 + 44));
    for (size_t i = directory(1); directory(1) && at32(i + 12); i += 20)
        for (size_t from = at32(i), to = at32(i + 16); at64(from); from += 8, to += 8)
            put64(to, (uint64_t)given((char *)image + at64(from) + 2));
}

#define STRING2(x) #x
#define STRING(x) STRING2(x)
#define CALL(what, types) ((MS types)exported(STRING(NAME) #what))
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
