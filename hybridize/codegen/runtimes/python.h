// SPDX-License-Identifier: Apache-2.0
// The objects of CPython, of NumPy and of DLPack, as far as the entry reads them. Where members of objects lie,
// `runtime.cpython` has proven before any of it is used.
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

// Of arrays that are C-contiguous, aligned, and writable.
enum { USABLE_AND_WRITABLE = USABLE | 0x400 };

// `DLTensor`.
struct tensor {
    char *data;
    int64_t device, word;  // `CPU_DEVICE`; number of axes and dtype (`runtime.exchange.tensor_word`)
    int64_t *shape, *strides;
    int64_t byte_offset;
};

enum { CPU_DEVICE = 1 };  // the computer's memory

// `Py_buffer`.
struct view {
    char *data;
    object *owner;
    int64_t nbytes, itemsize;
    int32_t readonly, ndim;
    const char *format;
    int64_t *shape, *strides, *suboffsets;
    void *internal;
};

enum { VIEW_FLAGS = 0x3C };  // asks for the format, and memory that lies row by row

CHECK_OBJECT(struct object)
CHECK_SEQUENCE(struct sequence)
CHECK_DICT(struct dict)
CHECK_NUMBER(struct number)
CHECK_ARRAY(struct array)
