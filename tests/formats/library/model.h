// SPDX-License-Identifier: Apache-2.0
// What the header of every library declares, under no model's name: for programs that load any of them.
#pragma once
#include <stdint.h>

typedef struct {
    const char *name, *dtype;
    int32_t itemsize, ndim;
    const int64_t *smallest, *largest;
    const char *shape;
} tensor;
typedef struct {
    const char *json, *name, *version;
    int32_t input_count, output_count;
    const tensor *inputs, *outputs;
} description;
typedef void parallel(void *context, void (*task)(void *work, int64_t number), void *work, int64_t count);
typedef struct {
    const char *weights, *processor;
    parallel *parallel_for;
    void *context;
    int32_t threads;
} options;
