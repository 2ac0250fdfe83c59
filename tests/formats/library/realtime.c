// SPDX-License-Identifier: Apache-2.0
// What calls do after create: program LIBRARY NAME PROCESSOR WEIGHTS STACK CALLS FIRST. They run on a stack of STACK
// bytes with a page below it that nobody may touch, where malloc, sched_yield and any system call end the process. It
// prints the page faults of all CALLS; FIRST calls come before, on that stack too. On AArch64 an emulator's log has the
// system calls: none comes between the last two of getrusage.
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model.h"

typedef int32_t run_function(void *, void *const *, const int64_t *, void *const *, const int64_t *);

enum { ARRAYS = 64, AXES = 256, PAGE = 4096, ALLOCATED = 90, WAITED = 91 };

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
static volatile int trapped;

static void trap(int code) {
    if (trapped) _exit(code);
}
void *malloc(size_t nbytes) { return trap(ALLOCATED), __libc_malloc(nbytes); }
void *calloc(size_t count, size_t nbytes) { return trap(ALLOCATED), __libc_calloc(count, nbytes); }
void *realloc(void *old, size_t nbytes) { return trap(ALLOCATED), __libc_realloc(old, nbytes); }
void free(void *memory) { trap(ALLOCATED), __libc_free(memory); }
int sched_yield(void) { return trap(WAITED), 0; }

static void *library, *model, *inputs[ARRAYS], *outputs[ARRAYS];
static const char *name;
static int64_t sizes[AXES], output_sizes[AXES];

static void find(const char *word, void *place) {
    char full[512];
    snprintf(full, sizeof full, "%s_%s", name, word);
    void *symbol = dlsym(library, full);
    if (!symbol) exit(3);
    memcpy(place, &symbol, sizeof symbol);
}

static int64_t *room(const tensor *tensors, int32_t count, int64_t *axes, void **arrays) {
    for (int32_t k = 0; k < count; k++) {
        size_t bytes = (size_t)tensors[k].itemsize;
        for (int32_t axis = 0; axis < tensors[k].ndim; axis++) bytes *= (size_t)*axes++;
        arrays[k] = malloc(bytes + 64);
        memset(arrays[k], 0, bytes + 64);
    }
    return axes;
}

static int32_t nothing(void *a, void *const *b, const int64_t *c, void *const *d, const int64_t *e) {
    return !a || !b || !c || !d || !e;
}

// A call on another stack, of which it finds nothing used.
#ifdef __x86_64__
static int32_t call_on(char *top, run_function *function) {
    int64_t answer = (int64_t)function;
    register const int64_t *room __asm__("r8") = output_sizes;
    const void *a = model, *b = inputs, *c = sizes, *d = outputs;
    __asm__ volatile(
        "movq %%rsp, %%r12\n\tmovq %[top], %%rsp\n\tcall *%%rax\n\tmovq %%r12, %%rsp"
        : "+a"(answer), "+D"(a), "+S"(b), "+d"(c), "+c"(d), "+r"(room)
        : [top] "r"(top)
        : "r9", "r10", "r11", "r12", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
          "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    return (int32_t)answer;
}
#else
static int32_t call_on(char *top, run_function *function) {
    register const void *a __asm__("x0") = model, *b __asm__("x1") = inputs, *c __asm__("x2") = sizes;
    register const void *d __asm__("x3") = outputs, *room __asm__("x4") = output_sizes;
    __asm__ volatile(
        "mov x19, sp\n\tmov sp, %[top]\n\tblr %[function]\n\tmov sp, x19"
        : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(room)
        : [top] "r"(top), [function] "r"(function)
        : "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x30", "memory",
          "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
          "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
    return (int32_t)(intptr_t)a;
}
#endif

static char *guarded_stack(long bytes) {
    size_t whole = ((size_t)bytes + PAGE - 1) / PAGE * PAGE;
    char *pages = mmap(NULL, whole + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pages, 0, whole + PAGE);
    if (mprotect(pages, PAGE, PROT_NONE)) exit(4);
    return pages + PAGE + bytes;
}

static void forbid_system_calls(void) {
#ifdef __x86_64__
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) exit(77);
#endif
}

static long faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

int main(int count, char **words) {
    if (count != 8) return 1;
    name = words[2];
    options chosen = {*words[4] ? words[4] : NULL, words[3], NULL, NULL, 0};
    library = dlopen(words[1], RTLD_NOW);
    if (!library) return 2;
    int32_t (*create)(void **, const options *), (*sizes_of)(const int64_t *, int64_t *);
    const description *(*describe)(void);
    run_function *run;
    find("create", &create), find("run", &run), find("sizes", &sizes_of), find("describe", &describe);
    const description *said = describe();
    int64_t *size = sizes;
    for (int32_t k = 0; k < said->input_count; k++)
        for (int32_t axis = 0; axis < said->inputs[k].ndim; axis++) *size++ = said->inputs[k].largest[axis] < 64 ? said->inputs[k].largest[axis] : said->inputs[k].smallest[axis] > 64 ? said->inputs[k].smallest[axis] : 64;
    if (sizes_of(sizes, output_sizes)) return 5;
    room(said->inputs, said->input_count, sizes, inputs);
    room(said->outputs, said->output_count, output_sizes, outputs);
    char *top = guarded_stack(atol(words[5]));
    long calls = atol(words[6]), first = atol(words[7]);
    if (create(&model, &chosen)) return 6;
    forbid_system_calls();
    trapped = 1;
    int32_t code = call_on(top, nothing);
    long before = faults();
    before = faults();
    for (long call = 0; call < first; call++) code |= call_on(top, run);
    if (first) before = faults();
    for (long call = 0; call < calls; call++) code |= call_on(top, run);
    long after = faults();
    trapped = 0;
    char text[64];
    int length = snprintf(text, sizeof text, "%ld\n", after - before);
    if (code) _exit(7);
    _exit(write(1, text, (size_t)length) == length ? 0 : 8);
}
