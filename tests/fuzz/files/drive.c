/* Drives an exported library through everything that a host may do, right and wrong:
 *
 *     drive calls|wild|leaks|memory|threads|tasks|refused LIBRARY NAME WEIGHTS|- PROCESSOR|- TURNS SIZES...
 *
 * SIZES are "3,512": the sizes of all inputs, for each call that the library should take.
 *
 * Every array lies alone between pages that may not be touched, once at the end of its pages, once at their beginning,
 * so that a byte too many, read or written, ends the process; what may only be read is on pages that may not be written.
 * While a call is wrong nothing of it may be touched at all: nothing can. The arrays of pointers and of sizes lie like
 * this too. It knows any model: what goes in and out is what `NAME_describe` says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/library/model.h"

enum { OK, NULL_, SIZE, UNALIGNED, MEMORY, FILE_, ASSERTION, OPTION };

typedef struct model model;

static int32_t (*create)(model **, const options *);
static int32_t (*sizes_of)(const int64_t *, int64_t *);
static int32_t (*run)(model *, const void *const *, const int64_t *, void *const *, const int64_t *);
static const description *(*describe)(void);
static void (*destroy)(model *);
static const char *(*error_of)(int32_t);
static int32_t (*seed)(model *, uint64_t);

static const description *said;
static int input_axes, output_axes;
static options given;

#define FAIL(...) (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))
#define CHECK(what) ((what) ? (void)0 : FAIL("%s", #what))

static const char *text(int32_t code) {
    const char *found = error_of(code);
    CHECK(found != NULL && strlen(found) > 0 && strlen(found) < 2000);
    return found;
}

static void expect(int32_t code, int kind, const char *what) {
    if ((code & 0xFF) != kind) FAIL("%s: kind %d is expected, not %d: %s", what, kind, code & 0xFF, text(code));
    if (kind != OK && !strcmp(text(code), "there is no such code")) FAIL("%s: %d has no text", what, code);
}

/* ------------------------------------------------------------------------------------------------------- memory */

typedef struct {
    char *base, *start;
    size_t pages, nbytes;
} region;

enum { PAGE = 4096 };

static region guarded(size_t nbytes, int at_end) {
    region made;
    made.nbytes = nbytes;
    made.pages = (nbytes + PAGE - 1) / PAGE * PAGE;
    made.base = mmap(NULL, made.pages + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(made.base != MAP_FAILED);
    if (made.pages) CHECK(!mprotect(made.base + PAGE, made.pages, PROT_READ | PROT_WRITE));
    made.start = made.base + PAGE + (at_end ? made.pages - nbytes : 0);
    return made;
}

static void protect(region *one, int how) {
    if (one->pages) CHECK(!mprotect(one->base + PAGE, one->pages, how));
}

static void give_back(region *one) { CHECK(!munmap(one->base, one->pages + 2 * PAGE)); }

/* -------------------------------------------------------------------------------------------------------- arrays */

static uint64_t drawn;

static uint32_t draw(void) {
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(drawn >> 33);
}

static void fill(const tensor *kind, char *at, size_t nbytes, int wild) {
    size_t count = nbytes / (size_t)kind->itemsize;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = draw();
        if (wild) {
            for (int k = 0; k < kind->itemsize; k++) at[i * (size_t)kind->itemsize + (size_t)k] = (char)(number % 5 ? draw() : number % 2 ? 0xFF : 0x80);
            if (!strcmp(kind->dtype, "bool")) at[i] = (char)(number & 1);
        } else if (!strcmp(kind->dtype, "float32")) {
            ((float *)at)[i] = (float)(number % 2001) / 1000 - 1;
        } else if (!strcmp(kind->dtype, "float64")) {
            ((double *)at)[i] = (double)(number % 2001) / 1000 - 1;
        } else if (!strcmp(kind->dtype, "float16")) {
            ((uint16_t *)at)[i] = (uint16_t)(0x3800 + number % 0x400) | (uint16_t)(number & 0x8000);
        } else if (!strcmp(kind->dtype, "bfloat16")) {
            ((uint16_t *)at)[i] = (uint16_t)(0x3F00 + number % 0x80) | (uint16_t)(number & 0x8000);
        } else {
            memset(at + i * (size_t)kind->itemsize, 0, (size_t)kind->itemsize);
            at[i * (size_t)kind->itemsize] = (char)(number % (strcmp(kind->dtype, "bool") ? 3 : 2));
        }
    }
}

/* A call with all that it needs, each part in pages of its own. */
typedef struct {
    int inputs, outputs;
    region arrays[64], input_pointers, output_pointers, input_sizes, output_sizes;
} call;

static size_t bytes_of(const tensor *kind, const int64_t *sizes) {
    unsigned __int128 total = (unsigned __int128)kind->itemsize;
    for (int k = 0; k < kind->ndim; k++) {
        CHECK(sizes[k] >= 0);
        total *= (unsigned __int128)sizes[k];
        CHECK(total < (unsigned __int128)1 << 62);
    }
    return (size_t)total;
}

static call *prepared(const int64_t *sizes, int at_end, int wild) {
    call *made = calloc(1, sizeof *made);
    made->inputs = said->input_count;
    made->outputs = said->output_count;
    CHECK(made->inputs + made->outputs <= 64);
    made->input_sizes = guarded(8 * (size_t)input_axes, 1);
    memcpy(made->input_sizes.start, sizes, 8 * (size_t)input_axes);
    protect(&made->input_sizes, PROT_READ);
    made->output_sizes = guarded(8 * (size_t)output_axes, 1);
    int32_t code = sizes_of((int64_t *)made->input_sizes.start, (int64_t *)made->output_sizes.start);
    expect(code, OK, "sizes");
    protect(&made->output_sizes, PROT_READ);
    made->input_pointers = guarded(8 * (size_t)made->inputs, 1);
    made->output_pointers = guarded(8 * (size_t)made->outputs, 1);
    const int64_t *axis = (int64_t *)made->input_sizes.start;
    for (int i = 0; i < made->inputs + made->outputs; i++) {
        if (i == made->inputs) axis = (int64_t *)made->output_sizes.start;
        const tensor *kind = i < made->inputs ? &said->inputs[i] : &said->outputs[i - made->inputs];
        size_t nbytes = bytes_of(kind, axis);
        axis += kind->ndim;
        region one = guarded(nbytes, at_end);
        if (i < made->inputs) {
            fill(kind, one.start, nbytes, wild);
            protect(&one, PROT_READ);
            ((void **)made->input_pointers.start)[i] = one.start;
        } else {
            memset(one.start, 0xA5, nbytes);
            ((void **)made->output_pointers.start)[i - made->inputs] = one.start;
        }
        made->arrays[i] = one;
    }
    protect(&made->input_pointers, PROT_READ);
    protect(&made->output_pointers, PROT_READ);
    return made;
}

static int32_t ran(model *one, call *with) {
    return run(one, (const void *const *)with->input_pointers.start, (const int64_t *)with->input_sizes.start,
               (void *const *)with->output_pointers.start, (const int64_t *)with->output_sizes.start);
}

static void finished(call *one) {
    for (int i = 0; i < one->inputs + one->outputs; i++) give_back(&one->arrays[i]);
    give_back(&one->input_pointers);
    give_back(&one->output_pointers);
    give_back(&one->input_sizes);
    give_back(&one->output_sizes);
    free(one);
}

/* A number for all that a call gave. */
static uint64_t answer(const call *one) {
    uint64_t found = 1469598103934665603u;
    for (int i = one->inputs; i < one->inputs + one->outputs; i++) {
        for (size_t k = 0; k < one->arrays[i].nbytes; k++) found = (found ^ (unsigned char)one->arrays[i].start[k]) * 1099511628211u;
    }
    return found;
}

static model *created(void) {
    model *made = (model *)1;
    expect(create(&made, &given), OK, "create");
    CHECK(made != NULL && made != (model *)1);
    return made;
}

/* --------------------------------------------------------------------------------------------------------- calls */

/* What is wrong with one call after the other; none of its memory may be touched. */
static void wrong(const int64_t *sizes) {
    model *one = created();
    call *all = prepared(sizes, 1, 0);
    for (int i = 0; i < all->inputs + all->outputs; i++) protect(&all->arrays[i], PROT_NONE);
    const void **inputs = (const void **)all->input_pointers.start;
    void **outputs = (void **)all->output_pointers.start;
    int64_t *in = (int64_t *)all->input_sizes.start, *out = (int64_t *)all->output_sizes.start;
    protect(&all->input_pointers, PROT_READ | PROT_WRITE);
    protect(&all->output_pointers, PROT_READ | PROT_WRITE);
    protect(&all->input_sizes, PROT_READ | PROT_WRITE);
    protect(&all->output_sizes, PROT_READ | PROT_WRITE);
#define RUN run(one, inputs, in, (void *const *)outputs, out)
    expect(run(NULL, inputs, in, outputs, out), NULL_, "no model");
    expect(run(NULL, NULL, NULL, NULL, NULL), NULL_, "nothing");
    if (all->inputs) expect(run(one, NULL, in, outputs, out), NULL_, "no inputs");
    if (all->outputs) expect(run(one, inputs, in, NULL, out), NULL_, "no outputs");
    expect(create(NULL, &given), NULL_, "no place for a model");
    expect(create(NULL, NULL), NULL_, "no place for a model, no options");
    if (output_axes) expect(sizes_of(in, NULL), NULL_, "no room for sizes");
    for (int i = 0; i < all->inputs + all->outputs; i++) {
        const tensor *kind = i < all->inputs ? &said->inputs[i] : &said->outputs[i - all->inputs];
        void **place = i < all->inputs ? (void **)(uintptr_t)&inputs[i] : &outputs[i - all->inputs];
        char *before = *place;
        if (!all->arrays[i].nbytes) continue;
        *place = NULL;
        expect(RUN, NULL_, "a null pointer among the arrays");
        for (int off = 1; off < kind->itemsize; off++) {
            *place = before + off;
            expect(RUN, UNALIGNED, "an array that is not aligned");
            CHECK((RUN >> 8 & 0xFFFF) == i + 1);
        }
        *place = (void *)UINTPTR_MAX;
        if (kind->itemsize > 1) expect(RUN, UNALIGNED, "the last address");
        *place = before;
    }
    static const int64_t odd[] = {0, -1, 1, 2, INT64_MAX, INT64_MIN, INT64_MAX - 1, 1LL << 62, 1LL << 61, 1LL << 32, 1LL << 31, 1LL << 47, (1LL << 47) + 1};
    int64_t *room = calloc((size_t)output_axes + 1, 8);
    for (int first = 0; first < input_axes; first++) {
        int64_t kept = in[first];
        for (size_t k = 0; k < sizeof odd / sizeof *odd + 2; k++) {
            in[first] = k < sizeof odd / sizeof *odd ? odd[k] : kept + (k % 2 ? 1 : -1);
            for (int second = first; second < input_axes; second++) {  /* and another one with it */
                int64_t other = in[second];
                for (int turn = 0; turn < 2; turn++) {
                    if (turn) in[second] = in[first];
                    int32_t code = sizes_of(in, room);
                    if (code) {
                        expect(code, SIZE, "sizes that are wrong");
                        expect(RUN, SIZE, "a call with sizes that are wrong");
                        continue;
                    }
                    for (int i = 0, axis = 0; i < all->inputs; axis += said->inputs[i++].ndim) bytes_of(&said->inputs[i], in + axis);
                    for (int i = 0, axis = 0; i < all->outputs; axis += said->outputs[i++].ndim) bytes_of(&said->outputs[i], room + axis);
                }
                in[second] = other;
                in[first] = k < sizeof odd / sizeof *odd ? odd[k] : kept + (k % 2 ? 1 : -1);
            }
        }
        in[first] = kept;
    }
    for (int axis = 0; axis < output_axes; axis++) {
        int64_t kept = out[axis];
        for (size_t k = 0; k < sizeof odd / sizeof *odd + 2; k++) {
            out[axis] = k < sizeof odd / sizeof *odd ? odd[k] : kept + (k % 2 ? 1 : -1);
            if (out[axis] != kept) expect(RUN, SIZE, "room that is wrong");
        }
        out[axis] = kept;
    }
    free(room);
    finished(all);
    destroy(one);
    destroy(NULL);
}

static void codes(void) {
    for (int64_t code = -70000; code < 70000; code++) text((int32_t)code);
    for (int bit = 0; bit < 32; bit++) {
        for (int64_t near = -3; near < 4; near++) text((int32_t)(uint32_t)((1LL << bit) + near));
    }
    for (uint32_t array = 0; array < 80; array++) {
        for (uint32_t axis = 0; axis < 12; axis++) {
            for (uint32_t kind = 0; kind < 10; kind++) text((int32_t)(kind | array << 8 | axis << 24));
        }
    }
    for (int turn = 0; turn < 200000; turn++) text((int32_t)(draw() << 1 ^ draw()));
}

static void bad_options(void) {
    static const char *words[] = {"", " ", "a", "avx", "avx51", "avx5122", "AVX512", "avx2 ", "baseline\n", "base", "baselinebaseline", "\xff\xfe", "%s%n", "sse", "native", "aarch64"};
    static char longest[1 << 20];
    memset(longest, 'a', sizeof longest - 1);
    for (size_t k = 0; k <= sizeof words / sizeof *words; k++) {
        region place = guarded(k < sizeof words / sizeof *words ? strlen(words[k]) + 1 : sizeof longest, 1);
        strcpy(place.start, k < sizeof words / sizeof *words ? words[k] : longest);  /* a byte behind it would be too many */
        protect(&place, PROT_READ);
        options bad = given;
        model *made = (model *)1;
        bad.processor = place.start;
        expect(create(&made, &bad), OPTION, "a processor that there is none of");
        CHECK(made == NULL);
        bad = given;
        bad.weights = place.start;
        int32_t code = create(&made, &bad);
        if (given.weights) expect(code, FILE_, "a path of no file");
        CHECK((code == 0) == (made != NULL));
        destroy(made);
        give_back(&place);
    }
    static const int32_t threads[] = {-1, INT32_MIN, INT32_MAX, 1 << 20};
    for (int k = 0; k < 4; k++) {
        options bad = given;
        model *made = (model *)1;
        bad.threads = threads[k];
        int32_t code = create(&made, &bad);
        if (threads[k] < 0) expect(code, OPTION, "a negative number of threads");
        CHECK((code == 0) == (made != NULL));
        destroy(made);
    }
    if (given.weights) {
        model *made = (model *)1;
        expect(create(&made, NULL), FILE_, "no path of weights");
        CHECK(made == NULL);
    }
}

static void right(const int64_t *sizes, int wild, uint64_t from) {
    uint64_t found[2];
    for (int at_end = 0; at_end < 2; at_end++) {
        drawn = from;
        model *one = created();
        call *with = prepared(sizes, at_end, wild);
        int32_t code = ran(one, with);
        if (code) expect(code, ASSERTION, "a call");
        found[at_end] = answer(with);
        if (!wild) {
            expect(code, OK, "a call");
            model *other = created();  /* once more, where the arrays were written already */
            expect(ran(other, with), OK, "the same call");
            CHECK(answer(with) == found[at_end]);
            destroy(other);
        }
        finished(with);
        destroy(one);
    }
    CHECK(found[0] == found[1]);
}

/* --------------------------------------------------------------------------------------------- malloc, files, threads */

#ifdef FAULTS
/* The library's own calls of these come here, since this program has them. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
static int armed, left, asked, all_refusals;
static long held;

static int refused(void) {
    asked += armed;
    return armed && left-- <= 0;
}

void *malloc(size_t size) {
    void *found = refused() ? NULL : __libc_malloc(size);
    held += found != NULL;
    return found;
}
void *calloc(size_t count, size_t size) {
    void *found = refused() ? NULL : __libc_calloc(count, size);
    held += found != NULL;
    return found;
}
void *aligned_alloc(size_t alignment, size_t size) {
    void *found = refused() ? NULL : __libc_memalign(alignment, size);
    held += found != NULL;
    return found;
}
void free(void *pointer) {
    held -= pointer != NULL;
    __libc_free(pointer);
}

static int descriptors(void) {
    int count = 0;
    for (int k = 0; k < 64; k++) count += fcntl(k, F_GETFD) >= 0;
    return count;
}

static int mappings(void) {
    int count = 0, file = open("/proc/self/maps", O_RDONLY);
    char buffer[4096];
    for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;) {
        for (ssize_t k = 0; k < n; k++) count += buffer[k] == '\n';
    }
    close(file);
    return count;
}

static void short_of_memory(const int64_t *sizes) {
    model *warm = created();
    call *with = prepared(sizes, 1, 0);
    expect(ran(warm, with), OK, "a call");
    destroy(warm);
    long before = held;
    int files = descriptors(), maps = mappings(), refusals = 0, done = 0;
    for (int most = 0; !done; most++) {
        CHECK(most < 50);
        model *one = (model *)1;
        left = most;
        asked = 0;
        armed = 1;
        int32_t code = create(&one, &given);
        armed = 0;
        done = asked <= most;
        CHECK((code == 0) == (one != NULL));
        if (code) {
            expect(code, MEMORY, "create without memory");
            refusals++;
        } else {
            int again = 0;
            for (int fewer = 0; !again; fewer++) {
                model *fresh = created();
                left = fewer;
                asked = 0;
                armed = 1;
                code = ran(fresh, with);
                armed = 0;
                again = asked <= fewer;
                if (code) {
                    expect(code, MEMORY, "run without memory");
                    refusals++;
                    expect(ran(fresh, with), OK, "run after that");
                }
                destroy(fresh);
            }
        }
        destroy(one);
        if (held != before) FAIL("%ld blocks are left behind", held - before);
    }
    CHECK(descriptors() == files && mappings() == maps);
    finished(with);
    all_refusals += refusals;
}
#endif

static void in_order(void *context, void (*task)(void *, int64_t), void *work, int64_t count) {
    (void)context;
    for (int64_t k = 0; k < count; k++) task(work, k);
}

static void backwards(void *context, void (*task)(void *, int64_t), void *work, int64_t count) {
    (void)context;
    while (count--) task(work, count);
}

typedef struct {
    void (*task)(void *, int64_t);
    void *work;
    int64_t number;
} turn;

static void *taken(void *argument) {
    turn *one = argument;
    one->task(one->work, one->number);
    return NULL;
}

static int shared;  /* whether a host ran tasks at once */

static void at_once(void *context, void (*task)(void *, int64_t), void *work, int64_t count) {
    pthread_t threads[64];
    turn turns[64];
    (void)context;
    CHECK(count <= 64);
    if (count > 1) __atomic_store_n(&shared, 1, __ATOMIC_RELAXED);
    for (int64_t k = 0; k < count; k++) {
        turns[k] = (turn){task, work, k};
        CHECK(!pthread_create(&threads[k], NULL, taken, &turns[k]));
    }
    for (int64_t k = 0; k < count; k++) pthread_join(threads[k], NULL);
}

enum { CALLERS = 8 };
static int callers_at_once = CALLERS;  /* with `tasks` only one: then nothing but a host's tasks runs at once */

typedef struct {
    model *shared;
    call *with;
    int turns;
    uint64_t *answers;
} caller;

static void *calling(void *argument) {
    caller *one = argument;
    for (int k = 0; k < one->turns; k++) {
        for (int i = one->with->inputs; i < one->with->inputs + one->with->outputs; i++) {
            memset(one->with->arrays[i].start, k, one->with->arrays[i].nbytes);
        }
        int32_t code = ran(one->shared, one->with);
        if (code) FAIL("a call among others: %s", text(code));
        one->answers[k] = answer(one->with);
    }
    return NULL;
}

static int compared(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static void threads(const int64_t *sizes, int turns) {
    uint64_t *wanted = calloc((size_t)(callers_at_once * turns), 8), *found = calloc((size_t)(callers_at_once * turns), 8);
    static parallel *const hosts[] = {NULL, in_order, backwards, at_once};
    for (int host = 0; host < 4; host++) {
        for (int limit = 2; limit <= 16; limit += 7) {
            options before = given;
            given.parallel_for = hosts[host];
            given.threads = hosts[host] ? limit : 0;
            model *one = (model *)1;
            int32_t code = create(&one, &given);
            if ((code & 0xFF) == OPTION) {  /* the library is for fewer threads */
                given = before;
                continue;
            }
            expect(code, OK, "create with a host");
            caller callers[CALLERS];
            pthread_t running[CALLERS];
            if (!host && limit == 2) {  /* one call after the other: what all others are compared with */
                drawn = 3;
                caller alone = {one, prepared(sizes, 1, 0), callers_at_once * turns, wanted};
                calling(&alone);
                finished(alone.with);
                qsort(wanted, (size_t)(callers_at_once * turns), 8, compared);
            } else {
                for (int k = 0; k < callers_at_once; k++) {
                    drawn = 3;
                    callers[k] = (caller){one, prepared(sizes, k % 2, 0), turns, found + k * turns};
                }
                for (int k = 0; k < callers_at_once; k++) CHECK(!pthread_create(&running[k], NULL, calling, &callers[k]));
                for (int k = 0; k < callers_at_once; k++) pthread_join(running[k], NULL);
                for (int k = 0; k < callers_at_once; k++) finished(callers[k].with);
                qsort(found, (size_t)(callers_at_once * turns), 8, compared);
                if (memcmp(found, wanted, (size_t)(callers_at_once * turns) * 8)) FAIL("results differ with host %d, %d threads", host, limit);
            }
            destroy(one);
            given = before;
        }
    }
    free(wanted);
    free(found);
}

/* ---------------------------------------------------------------------------------------------------------- main */

static void *symbol(void *library, const char *name, const char *what) {
    char whole[300];
    snprintf(whole, sizeof whole, "%s_%s", name, what);
    return dlsym(library, whole);
}

int main(int count, char **words) {
    if (count < 8) return 2;
    const char *mode = words[1], *name = words[3];
    void *library = dlopen(words[2], RTLD_NOW | RTLD_LOCAL);
    if (!library) FAIL("%s", dlerror());
    *(void **)&create = symbol(library, name, "create");
    *(void **)&sizes_of = symbol(library, name, "sizes");
    *(void **)&run = symbol(library, name, "run");
    *(void **)&describe = symbol(library, name, "describe");
    *(void **)&destroy = symbol(library, name, "destroy");
    *(void **)&error_of = symbol(library, name, "error");
    *(void **)&seed = symbol(library, name, "seed");
    CHECK(create && sizes_of && run && describe && destroy && error_of);
    given.weights = strcmp(words[4], "-") ? words[4] : NULL;
    given.processor = strcmp(words[5], "-") ? words[5] : NULL;
    int turns = atoi(words[6]);
    said = describe();
    CHECK(said == describe() && !strcmp(said->name, name));
    for (int i = 0; i < said->input_count; i++) input_axes += said->inputs[i].ndim;
    for (int i = 0; i < said->output_count; i++) output_axes += said->outputs[i].ndim;
    if (!strcmp(mode, "calls")) {
        codes();
        bad_options();
        if (seed) expect(seed(NULL, 3), NULL_, "no model to seed");
    }
    for (int place = 7; place < count && !strcmp(mode, "refused"); place++) {  /* files that are not the weights */
        model *made = (model *)1;
        given.weights = words[place];
        expect(create(&made, &given), FILE_, words[place]);
        CHECK(made == NULL);
    }
    for (int place = 7; place < count && strcmp(mode, "refused"); place++) {
        int64_t sizes[256];
        int axes = 0;
        for (char *at = words[place]; *at && *at != '-';) {
            sizes[axes++] = strtoll(at, &at, 10);
            if (*at == ',') at++;
        }
        if (axes != input_axes) FAIL("%d sizes, not %d", axes, input_axes);
        if (!strcmp(mode, "calls")) {
            right(sizes, 0, 7);
            wrong(sizes);
        } else if (!strcmp(mode, "wild")) {
            for (int k = 0; k < turns; k++) right(sizes, 1, (uint64_t)k);
        } else if (!strcmp(mode, "leaks")) {
            call *with = prepared(sizes, 1, 0);
            for (int k = 0; k < turns; k++) {
                model *one = created();
                if (seed) expect(seed(one, (uint64_t)k), OK, "seed");
                expect(ran(one, with), OK, "a call");
                destroy(one);
            }
            finished(with);
        } else if (!strcmp(mode, "threads") || !strcmp(mode, "tasks")) {
            if (!strcmp(mode, "tasks")) callers_at_once = 1;
            threads(sizes, turns);
        } else if (!strcmp(mode, "memory")) {
#ifdef FAULTS
            short_of_memory(sizes);
#else
            FAIL("compiled without -DFAULTS");
#endif
        } else {
            FAIL("no mode %s", mode);
        }
    }
    if (!strcmp(mode, "tasks")) CHECK(shared);
    CHECK(!dlclose(library));
#ifdef FAULTS
    printf("%d refusals\n", all_refusals);
#endif
    return 0;
}
