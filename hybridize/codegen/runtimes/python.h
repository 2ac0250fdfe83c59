// SPDX-License-Identifier: Apache-2.0
// The objects of CPython, of NumPy and of DLPack, as far as the entry reads them; `runtime.cpython` has proven where
// their members lie before any of it is used.
#pragma once

#include <stdint.h>

#include "layout.h"

typedef struct object object;

struct object {
    int64_t references;
    object *type;
};

struct sequence {
    object head;
    int64_t size;
    object **items;  // of a list
};

struct dict {
    object head;
    int64_t used, version;
};

struct number {
    object head;
    double value;
};

struct array {
    object head;
    char *data;
    int32_t ndim;
    int64_t *dims, *strides;
    object *base, *descr;
    int32_t flags;
};

struct tensor {
    char *data;
    int64_t device, word;  // `word`: number of axes and dtype
    int64_t *shape, *strides;
    int64_t byte_offset;
};

struct view {
    char *data;
    object *owner;
    int64_t nbytes, itemsize;
    int32_t readonly, ndim;
    const char *format;
    int64_t *shape, *strides, *suboffsets;
    void *internal;
};

CHECK_OBJECT(struct object)
CHECK_SEQUENCE(struct sequence)
CHECK_DICT(struct dict)
CHECK_NUMBER(struct number)
CHECK_ARRAY(struct array)
CHECK_TENSOR(struct tensor)
CHECK_VIEW(struct view)
_Static_assert(sizeof(struct tensor) == TENSOR_BYTES && sizeof(struct view) == VIEW_BYTES, "");
