/* A libcuda.so.1 for tests: device memory is the heap's, and kernels are three functions of C.

What is asked of a stream is done when somebody waits for it, or for another stream that waits for it, not before: who overwrites what a copy still reads, or reads
what a copy has not written, gets wrong elements. Calls fail on demand (standin_fail), and every call is counted.
*/

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int CUresult;
typedef uint64_t CUdeviceptr;

enum { INVALID = 1, OUT_OF_MEMORY = 2, NO_INIT = 3, NO_DEVICE = 101, NO_IMAGE = 200, INVALID_CONTEXT = 201, PEER_IS_ENABLED = 704, INVALID_PTX = 218,
       NOT_FOUND = 500, NOT_READY = 600, NOT_UPDATED = 910 };

/* --------------------------------------------------------------------------------------------------- what tests say */

static volatile int slow; /* while it is 1, who waits waits on */
static int version = 12040, gpus = 2, arch = 90, started, owner, peers_are_enabled;
static __thread int depth; /* contexts of this thread */
static void forget_streams(void);
static size_t total = 64u << 20, used, others; /* what the GPUs of earlier tests keep */
static char log_text[1 << 20];
static struct { char name[64]; int result, after; } planned;
static int lasting;

void standin_set(const char *what, int64_t value) {
    if (!strcmp(what, "version")) version = (int)value;
    if (!strcmp(what, "gpus")) gpus = (int)value;
    if (!strcmp(what, "arch")) arch = (int)value;
    if (!strcmp(what, "slow")) slow = (int)value;
    if (!strcmp(what, "owner")) owner = (int)value;
    if (!strcmp(what, "peers")) peers_are_enabled = (int)value;
    if (!strcmp(what, "total")) others = used, total = used + (size_t)value, forget_streams();
}

int64_t standin_get(const char *what) {
    if (!strcmp(what, "depth")) return depth;
    if (!strcmp(what, "used")) return (int64_t)(used - others);
    return -1;
}

void standin_fail(const char *name, int result, int after) {
    snprintf(planned.name, sizeof planned.name, "%s", name);
    planned.result = result, planned.after = after;
}

void standin_heal(void) { lasting = planned.result = 0, planned.name[0] = 0; }

/* One thread at a time, as a call may run what another one has asked for. */
static pthread_mutex_t one_thread = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int enter(void) { return pthread_mutex_lock(&one_thread); }
static void leave(int *entered) { if (!*entered) pthread_mutex_unlock(&one_thread); }

#define ALONE int entered __attribute__((cleanup(leave))) = enter()
const char *standin_log(void) { ALONE; char *text = strdup(log_text); log_text[0] = 0; return text; }

static CUresult called(const char *name) {
    if (strlen(log_text) + strlen(name) + 2 < sizeof log_text) strcat(strcat(log_text, name), "\n");
    if (lasting) return lasting;
    if (planned.result && !strcmp(planned.name, name) && planned.after-- <= 0) {
        int result = planned.result;
        if (result >= 700 && result < 800 && result != 711) lasting = result;
        else planned.result = 0;
        return result;
    }
    return 0;
}

#define CALLED(name) ALONE; do { CUresult r = called(name); if (r) return r; } while (0)
#define IN_CONTEXT(name) CALLED(name); if (depth < 1) return INVALID_CONTEXT

/* ------------------------------------------------------------------------------------------------------- the stream */

/* Kernels of PTX are run by who sets these (`kernels.py`): what a name is, what a launch will do, and do it. */
static int (*describe)(const char *module, const char *name);
static int64_t (*prepare)(int kernel, const uint64_t *arguments, const unsigned *sizes);
static int (*perform)(int64_t launch);

void standin_run_kernels(void *one, void *two, void *three) { describe = one, prepare = two, perform = three; }

struct function { char name[128]; int shared, kernel; };
struct stream;
struct work { int kind; uint64_t to, from, nbytes; struct function *function; uint64_t arguments[8]; unsigned lanes;
              struct stream *other; int64_t place, launch; };
struct graph { struct work items[4096]; int count; };
struct stream { struct work queue[4096]; int64_t asked, done; struct stream *next; };
struct event { struct stream *stream; int64_t place; };
enum { COPY, LAUNCH, WAIT, KERNEL };

static struct stream defaults[2], *streams; /* CU_STREAM_LEGACY, CU_STREAM_PER_THREAD; those of this test */

static struct stream *stream_of(void *handle) {
    uintptr_t number = (uintptr_t)handle;
    return number == 1 || number == 2 ? &defaults[number - 1] : handle;
}

static void until(struct stream *s, int64_t place);

static void run(struct work *w) {
    if (w->kind == COPY) { memcpy((void *)w->to, (void *)w->from, w->nbytes); return; }
    if (w->kind == WAIT) { until(w->other, w->place); return; }
    if (w->kind == KERNEL) { int result = perform(w->launch); if (result) lasting = result; return; }
    uint64_t *a = w->arguments;
    if (!strcmp(w->function->name, "fill")) memset((void *)a[0], (int)a[1], a[2]);
    if (!strcmp(w->function->name, "add"))
        for (uint64_t i = 0; i < a[3]; i++) ((float *)a[0])[i] = ((float *)a[1])[i] + ((float *)a[2])[i];
    if (!strcmp(w->function->name, "grid")) *(uint32_t *)a[0] = w->lanes;
}

static void until(struct stream *s, int64_t place) {
    while (s->done < place) { int64_t at = s->done++; run(&s->queue[at % 4096]); }
}

static int is_busy(void) {
    for (struct stream *s = streams; s; s = s->next) if (s->done < s->asked) return 1;
    return 0;
}

static CUresult ask(void *stream, struct work w) {
    struct stream *s = stream_of(stream);
    if (!s) return INVALID;
    if (s->asked - s->done == 4096) until(s, s->done + 1);
    s->queue[s->asked++ % 4096] = w;
    return 0;
}

static void forget_streams(void) { streams = NULL; memset(defaults, 0, sizeof defaults); }

int64_t standin_pending(uint64_t stream) { struct stream *s = (struct stream *)stream; return s->asked - s->done; }

CUresult cuStreamCreate(void **stream, unsigned flags) {
    IN_CONTEXT("cuStreamCreate");
    struct stream *s = *stream = calloc(1, sizeof *s);
    s->next = streams, streams = s;
    return flags == 1 ? 0 : INVALID;
}

CUresult cuStreamSynchronize(void *stream) {
    IN_CONTEXT("cuStreamSynchronize");
    struct stream *s = stream_of(stream);
    if (!s) return INVALID;
    until(s, s->asked);
    return lasting;
}

CUresult cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    IN_CONTEXT("cuStreamWaitEvent");
    struct event *e = event;
    return flags ? INVALID : e->stream ? ask(stream, (struct work){WAIT, .other = e->stream, .place = e->place}) : 0;
}

CUresult cuEventCreate(void **event, unsigned flags) {
    IN_CONTEXT("cuEventCreate");
    *event = calloc(1, sizeof(struct event));
    return flags == 0 || flags == 2 ? 0 : INVALID;
}

CUresult cuEventRecord(void *event, void *stream) {
    IN_CONTEXT("cuEventRecord");
    struct stream *s = stream_of(stream);
    if (!s) return INVALID;
    *(struct event *)event = (struct event){s, s->asked};
    return 0;
}

CUresult cuEventSynchronize(void *event) {
    { IN_CONTEXT("cuEventSynchronize"); }
    while (slow) usleep(100);
    ALONE;
    struct event *e = event;
    if (e->stream) until(e->stream, e->place);
    return lasting;
}

CUresult cuEventQuery(void *event) {
    IN_CONTEXT("cuEventQuery");
    struct event *e = event;
    return e->stream && e->stream->done < e->place ? NOT_READY : 0;
}

CUresult cuCtxSynchronize(void) {
    IN_CONTEXT("cuCtxSynchronize");
    for (struct stream *s = streams; s; s = s->next) until(s, s->asked);
    for (int i = 0; i < 2; i++) until(&defaults[i], defaults[i].asked);
    return 0;
}

/* --------------------------------------------------------------------------------------------- devices and contexts */

CUresult cuInit(unsigned flags) { CALLED("cuInit"); started = 1; return flags ? INVALID : 0; }
CUresult cuDriverGetVersion(int *answer) { CALLED("cuDriverGetVersion"); *answer = version; return 0; }

CUresult cuDeviceGet(int *device, int number) {
    CALLED("cuDeviceGet");
    *device = number;
    return !started ? NO_INIT : number < gpus ? 0 : NO_DEVICE;
}

CUresult cuDeviceGetName(char *name, int length, int device) {
    CALLED("cuDeviceGetName");
    snprintf(name, (size_t)length, "Stand-in %d", device);
    return 0;
}

CUresult cuDeviceGetAttribute(int *value, int number, int device) {
    CALLED("cuDeviceGetAttribute");
    *value = number == 75 ? arch / 10 : number == 76 ? arch % 10 : -1;
    return device < gpus ? 0 : NO_DEVICE;
}

CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
    CALLED("cuDevicePrimaryCtxRetain");
    *context = (void *)(intptr_t)(device + 1);
    return 0;
}

CUresult cuCtxPushCurrent_v2(void *context) { CALLED("cuCtxPushCurrent_v2"); depth++; return context ? 0 : INVALID_CONTEXT; }
CUresult cuCtxPopCurrent_v2(void **context) { (void)called("cuCtxPopCurrent_v2"); *context = NULL; depth--; return 0; }

CUresult cuGetErrorName(int error, const char **text) {
    *text = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : error == 218 ? "CUDA_ERROR_INVALID_PTX" : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_A_TEST";
    return error == 12345 ? INVALID : 0;
}

CUresult cuGetErrorString(int error, const char **text) {
    *text = error == 700 ? "an illegal memory access was encountered" : "as the test wants it";
    return error == 12345 ? INVALID : 0;
}

/* ----------------------------------------------------------------------------------------------------------- memory */

struct chunk { size_t nbytes; char padding[504]; };

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *all) {
    IN_CONTEXT("cuMemGetInfo_v2");
    *free_bytes = total - used, *all = total - others;
    return 0;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t nbytes) {
    IN_CONTEXT("cuMemAlloc_v2");
    if (used + nbytes > total) return OUT_OF_MEMORY;
    struct chunk *chunk = NULL;
    if (posix_memalign((void **)&chunk, 512, sizeof *chunk + nbytes)) return OUT_OF_MEMORY;
    chunk->nbytes = nbytes, used += nbytes;
    memset(chunk + 1, 0xA5, nbytes);
    *address = (CUdeviceptr)(chunk + 1);
    return 0;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    IN_CONTEXT("cuMemFree_v2");
    if (is_busy()) return INVALID; /* the real one waits; who relies on that has forgotten to */
    struct chunk *chunk = (struct chunk *)address - 1;
    used -= chunk->nbytes;
    free(chunk);
    return 0;
}

CUresult cuMemHostAlloc(void **address, size_t nbytes, unsigned flags) {
    IN_CONTEXT("cuMemHostAlloc");
    *address = malloc(nbytes);
    return flags ? INVALID : 0;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t nbytes, void *stream) {
    IN_CONTEXT("cuMemcpyHtoDAsync_v2");
    return ask(stream, (struct work){COPY, to, (uint64_t)from, nbytes, .lanes = 0});
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t nbytes, void *stream) {
    IN_CONTEXT("cuMemcpyDtoHAsync_v2");
    return ask(stream, (struct work){COPY, (uint64_t)to, from, nbytes, .lanes = 0});
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t nbytes, void *stream) {
    IN_CONTEXT("cuMemcpyDtoDAsync_v2");
    return ask(stream, (struct work){COPY, to, from, nbytes, .lanes = 0});
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, void *here, CUdeviceptr from, void *there, size_t nbytes, void *stream) {
    IN_CONTEXT("cuMemcpyPeerAsync");
    return here && there && here != there ? ask(stream, (struct work){COPY, to, from, nbytes, .lanes = 0}) : INVALID;
}

CUresult cuCtxEnablePeerAccess(void *context, unsigned flags) {
    IN_CONTEXT("cuCtxEnablePeerAccess");
    return flags || !context ? INVALID : peers_are_enabled ? PEER_IS_ENABLED : 0;
}

CUresult cuPointerGetAttribute(void *answer, int number, CUdeviceptr address) {
    CALLED("cuPointerGetAttribute");
    *(int *)answer = owner;
    return number == 9 && address ? 0 : INVALID;
}

/* ------------------------------------------------------------------------------------------------------------- code */

struct link { char *text; char *log; size_t log_bytes; };

CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, void **state) {
    IN_CONTEXT("cuLinkCreate_v2");
    struct link *link = *state = calloc(1, sizeof *link);
    if (count == 2 && options[0] == 5 && options[1] == 6) link->log = values[0], link->log_bytes = (size_t)values[1];
    return 0;
}

CUresult cuLinkAddData_v2(void *state, int kind, void *data, size_t nbytes, const char *name, unsigned count, int *options,
                          void **values) {
    IN_CONTEXT("cuLinkAddData_v2");
    struct link *link = state;
    if (kind != 1 || name || count || options || values || ((char *)data)[nbytes - 1]) return INVALID;
    if (strstr(data, "syntax error")) {
        if (link->log)
            snprintf(link->log, link->log_bytes, "ptxas application ptx input, line 3; fatal: Parsing error near 'error'");
        return INVALID_PTX;
    }
    if (asprintf(&link->text, "CUBIN%d %s", version, (char *)data) < 0) return OUT_OF_MEMORY;
    return 0;
}

CUresult cuLinkComplete(void *state, void **image, size_t *nbytes) {
    IN_CONTEXT("cuLinkComplete");
    struct link *link = state;
    *image = link->text, *nbytes = strlen(link->text) + 1;
    return 0;
}

CUresult cuLinkDestroy(void *state) {
    IN_CONTEXT("cuLinkDestroy");
    struct link *link = state;
    if (link->text) memset(link->text, 'x', strlen(link->text)), free(link->text);
    free(link);
    return 0;
}

CUresult cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
    IN_CONTEXT("cuModuleLoadDataEx");
    char head[16];
    snprintf(head, sizeof head, "CUBIN%d ", version);
    if (strncmp(image, head, strlen(head))) return NO_IMAGE;
    *module = strdup(image);
    return count || options || values ? INVALID : 0;
}

CUresult cuModuleUnload(void *module) {
    IN_CONTEXT("cuModuleUnload");
    if (is_busy()) return INVALID; /* nobody promises that the real one waits for kernels */
    free(module);
    return 0;
}

CUresult cuModuleGetFunction(void **function, void *module, const char *name) {
    IN_CONTEXT("cuModuleGetFunction");
    char entry[128];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    if (!strstr(module, entry)) return NOT_FOUND;
    struct function *made = calloc(1, sizeof *made);
    made->kernel = describe ? describe((char *)module + strcspn(module, " ") + 1, name) : 0;
    snprintf(made->name, sizeof made->name, "%s", name);
    made->shared = 48 << 10;
    *function = made;
    return 0;
}

CUresult cuFuncGetAttribute(int *value, int number, void *function) {
    IN_CONTEXT("cuFuncGetAttribute");
    *value = number == 4 ? 32 : number == 3 ? 16 : -1;
    return function ? 0 : INVALID;
}

CUresult cuFuncSetAttribute(void *function, int number, int value) {
    IN_CONTEXT("cuFuncSetAttribute");
    if (number != 8 || value > 227 << 10) return INVALID;
    ((struct function *)function)->shared = value;
    return 0;
}

static CUresult launch_of(void *function, const unsigned *sizes, void **arguments, struct work *w) {
    struct function *f = function;
    unsigned threads = sizes[3] * sizes[4] * sizes[5];
    if ((int)sizes[6] > f->shared || threads > 1024) return INVALID;
    if (f->kernel) {
        uint64_t values[256];
        for (int i = 0; i < f->kernel >> 16; i++) values[i] = *(uint64_t *)arguments[i];
        *w = (struct work){KERNEL, .launch = prepare(f->kernel & 0xFFFF, values, sizes)};
        return 0;
    }
    *w = (struct work){LAUNCH, .function = f, .lanes = sizes[0] * sizes[1] * sizes[2] * threads};
    int count = !strcmp(f->name, "fill") ? 3 : !strcmp(f->name, "add") ? 4 : 1;
    for (int i = 0; i < count; i++) w->arguments[i] = *(uint64_t *)arguments[i];
    return 0;
}

CUresult cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, void *stream, void **arguments, void **extra) {
    IN_CONTEXT("cuLaunchKernel");
    struct work w;
    CUresult result = launch_of(function, (unsigned[]){gx, gy, gz, bx, by, bz, shared}, arguments, &w);
    return extra ? INVALID : result ? result : ask(stream, w);
}

/* ----------------------------------------------------------------------------------------------------------- graphs */

struct launch_node { void *function; unsigned sizes[7]; void **arguments, **extra; void *kernel, *context; };
struct copy_side { size_t x, y, z, lod; int kind; void *host; CUdeviceptr device; void *array, *reserved; size_t pitch, height; };
struct copy_node { struct copy_side from, to; size_t width, height, depth; };

CUresult cuGraphCreate(void **graph, unsigned flags) {
    IN_CONTEXT("cuGraphCreate");
    *graph = calloc(1, sizeof(struct graph));
    return flags ? INVALID : 0;
}

/* A node's handle is its place; each comes after the one before. */
static CUresult add(struct graph *g, void **node, void **after, size_t count, struct work w) {
    if (count != (g->count > 0) || (count && (intptr_t)*after != g->count) || g->count == 4096) return INVALID;
    g->items[g->count++] = w;
    *node = (void *)(intptr_t)g->count;
    return 0;
}

CUresult cuGraphAddKernelNode_v2(void **node, void *graph, void **after, size_t count, struct launch_node *one) {
    IN_CONTEXT("cuGraphAddKernelNode_v2");
    struct work w;
    CUresult result = launch_of(one->function, one->sizes, one->arguments, &w);
    return one->extra || one->kernel || one->context ? INVALID : result ? result : add(graph, node, after, count, w);
}

static int is_row(struct copy_side *s, size_t nbytes) {
    return !s->x && !s->y && !s->z && !s->lod && s->kind == 2 && !s->host && s->device && !s->array && !s->reserved &&
           s->pitch == nbytes && s->pitch < 1u << 31 && s->height == 1;
}

CUresult cuGraphAddMemcpyNode(void **node, void *graph, void **after, size_t count, struct copy_node *one, void *context) {
    IN_CONTEXT("cuGraphAddMemcpyNode");
    if (!context || !one->width || one->height != 1 || one->depth != 1) return INVALID;
    if (!is_row(&one->from, one->width) || !is_row(&one->to, one->width)) return INVALID;
    return add(graph, node, after, count, (struct work){COPY, one->to.device, one->from.device, one->width, .lanes = 0});
}

CUresult cuGraphInstantiateWithFlags(void **executable, void *graph, uint64_t flags) {
    IN_CONTEXT("cuGraphInstantiateWithFlags");
    *executable = memcpy(malloc(sizeof(struct graph)), graph, sizeof(struct graph));
    return flags ? INVALID : 0;
}

CUresult cuGraphExecUpdate_v2(void *executable, void *graph, void *information) {
    IN_CONTEXT("cuGraphExecUpdate_v2");
    struct graph *now = executable, *other = graph;
    *(int *)information = 0;
    if (now->count != other->count) return NOT_UPDATED;
    *now = *other;
    return 0;
}

CUresult cuGraphLaunch(void *executable, void *stream) {
    IN_CONTEXT("cuGraphLaunch");
    struct graph *graph = executable;
    for (int i = 0; i < graph->count; i++) ask(stream, graph->items[i]);
    return stream ? 0 : INVALID;
}

CUresult cuGraphExecDestroy(void *executable) { IN_CONTEXT("cuGraphExecDestroy"); free(executable); return 0; }
CUresult cuGraphDestroy(void *graph) { IN_CONTEXT("cuGraphDestroy"); free(graph); return 0; }

/* --------------------------------------------------------------------------------------------------------- counting */

int nvmlInit_v2(void) { return called("nvmlInit_v2"); }
int nvmlShutdown(void) { return called("nvmlShutdown"); }
int nvmlDeviceGetCount_v2(unsigned *count) { CALLED("nvmlDeviceGetCount_v2"); *count = (unsigned)gpus; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **device) { *device = (void *)(intptr_t)(number + 1); return 0; }
int nvmlDeviceGetUUID(void *device, char *name, unsigned length) {
    snprintf(name, length, "GPU-%d0000000-aaaa", (int)(intptr_t)device);
    return 0;
}

int nvmlDeviceGetName(void *device, char *name, unsigned length) {
    snprintf(name, length, "Stand-in %d", (int)(intptr_t)device - 1);
    return 0;
}

int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) {
    CALLED("nvmlDeviceGetCudaComputeCapability");
    *major = 9, *minor = 0;
    return device ? 0 : 2;
}

int nvmlSystemGetDriverVersion(char *text, unsigned length) { snprintf(text, length, "550.54.%d", version); return 0; }
