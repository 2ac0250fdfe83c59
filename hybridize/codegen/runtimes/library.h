// SPDX-License-Identifier: Apache-2.0
// A model in a library for C, and what its parts know of each other. Nothing is kept elsewhere, so that any number of
// models live side by side.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

enum { LINE = 64 };  // bytes of a cache line

typedef void body_function(void *data, int64_t start, int64_t stop, int64_t slot);
typedef void host_function(void *context, void (*task)(void *work, int64_t number), void *work, int64_t count);

// One piece of memory; then come states, and constants derived of weights (`codegen.llvm.library.layout`).
struct model {
    void *memory;  // what malloc gave
    const char *weights;
    void *mapped;          // the file of weights, or null
    void *_Atomic spare;   // scratch that no call uses
    _Atomic int32_t lock;  // held by who changes states
    int32_t unused;
    void *parallel;  // the three words of a team
    struct model *self;
    int64_t threads;
    host_function *parallel_for;
    void *context;
    void *calls[];  // the function of each variant
};

struct options {
    const char *weights, *processor;
    host_function *parallel_for;
    void *context;
    int32_t threads;
};

CHECK_MODEL(struct model)
CHECK_OPTIONS(struct options)

static inline int32_t failure(int32_t kind, int32_t number) {
    return kind | number << 24;
}

static inline void *on_a_line(void *address) {
    return (char *)address + (-(uintptr_t)address & (LINE - 1));
}

void *malloc(uint64_t nbytes);
void free(void *memory);

// Where the weights are: `weights_inside.c`, `weights_mapped.c`, `weights_read.c`.
int32_t attach_weights(struct model *model, const char *path);
void detach_weights(struct model *model);
