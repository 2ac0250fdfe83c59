// SPDX-License-Identifier: Apache-2.0
// Made by `make runtimes`.
#pragma once

#include <stddef.h>

#define ALIGNMENT 64
#define ARGUMENT_BYTES 48
#define CHUNKS_EACH 4
#define GUARD_BYTES 32
#define HEADER_BYTES 32
#define LARGEST_INT 9007199254740992
#define LEVEL_NAME_BYTES 16
#define MARKER_BYTES 64
#define MOST_THREADS 255
#define OUTPUT_BYTES 48
#define TEAM_MODEL 1
#define USABLE 257

enum { ARGUMENT_ARRAY = 0, ARGUMENT_FLOAT = 1, ARGUMENT_INT = 2, ARGUMENT_SAME = 3, ARGUMENT_TUPLE = 4, ARGUMENT_LIST = 5, ARGUMENT_DICT = 6, ARGUMENT_TENSOR = 7, ARGUMENT_VIEW = 8 };

enum { CODE_OK = 0, CODE_NULL = 1, CODE_SIZE = 2, CODE_UNALIGNED = 3, CODE_MEMORY = 4, CODE_FILE = 5, CODE_ASSERTION = 6, CODE_OPTION = 7, CODE_STATE = 8 };

enum { LOOK_ITEM = 0, LOOK_WORD = 1, LOOK_CALL = 2, LOOK_TENSOR = 3, LOOK_ATTRIBUTE = 4, LOOK_VERSION = 6, LOOK_STAMP = 7, LOOK_PLACE = 8, LOOK_SETTING = 5 };

enum { RETURNS_LEAF = 0, RETURNS_TUPLE = 1, RETURNS_LIST = 2, RETURNS_NONE = 3, RETURNS_FINISH = 4, RETURNS_ATTACH = 5 };

#define CHECK_ARGUMENT(RECORD) \
    _Static_assert(offsetof(RECORD, kind) == 0, "kind"); \
    _Static_assert(offsetof(RECORD, slot) == 8, "slot"); \
    _Static_assert(offsetof(RECORD, object) == 16, "object"); \
    _Static_assert(offsetof(RECORD, ndim) == 24, "ndim"); \
    _Static_assert(offsetof(RECORD, dims) == 32, "dims"); \
    _Static_assert(offsetof(RECORD, flag) == 40, "flag");

#define CHECK_ARRAY(RECORD) \
    _Static_assert(offsetof(RECORD, data) == 16, "data"); \
    _Static_assert(offsetof(RECORD, ndim) == 24, "ndim"); \
    _Static_assert(offsetof(RECORD, dims) == 32, "dims"); \
    _Static_assert(offsetof(RECORD, descr) == 56, "descr"); \
    _Static_assert(offsetof(RECORD, flags) == 64, "flags");

#define CHECK_DICT(RECORD) \
    _Static_assert(offsetof(RECORD, used) == 16, "used"); \
    _Static_assert(offsetof(RECORD, version) == 24, "version");

#define CHECK_EXCHANGE(RECORD) \
    _Static_assert(offsetof(RECORD, type) == 0, "type"); \
    _Static_assert(offsetof(RECORD, parameter) == 8, "parameter"); \
    _Static_assert(offsetof(RECORD, look) == 16, "look"); \
    _Static_assert(offsetof(RECORD, make) == 24, "make"); \
    _Static_assert(offsetof(RECORD, body) == 32, "body"); \
    _Static_assert(offsetof(RECORD, traits) == 40, "traits"); \
    _Static_assert(offsetof(RECORD, usual) == 48, "usual"); \
    _Static_assert(offsetof(RECORD, other) == 56, "other"); \
    _Static_assert(offsetof(RECORD, flag) == 64, "flag"); \
    _Static_assert(offsetof(RECORD, maker) == 72, "maker"); \
    _Static_assert(offsetof(RECORD, operands) == 80, "operands"); \
    _Static_assert(offsetof(RECORD, operand_count) == 88, "operand_count"); \
    _Static_assert(offsetof(RECORD, capsule) == 96, "capsule"); \
    _Static_assert(offsetof(RECORD, tensor) == 104, "tensor"); \
    _Static_assert(offsetof(RECORD, deleter) == 112, "deleter");

#define CHECK_FIGURES(RECORD) \
    _Static_assert(offsetof(RECORD, scratch_bytes) == 0, "scratch_bytes"); \
    _Static_assert(offsetof(RECORD, release) == 8, "release");

#define CHECK_GUARD(RECORD) \
    _Static_assert(offsetof(RECORD, kind) == 0, "kind"); \
    _Static_assert(offsetof(RECORD, owner) == 8, "owner"); \
    _Static_assert(offsetof(RECORD, key) == 16, "key"); \
    _Static_assert(offsetof(RECORD, expected) == 24, "expected");

#define CHECK_LEVEL(RECORD) \
    _Static_assert(offsetof(RECORD, name) == 0, "name"); \
    _Static_assert(offsetof(RECORD, x86_level) == 16, "x86_level"); \
    _Static_assert(offsetof(RECORD, nbytes) == 24, "nbytes"); \
    _Static_assert(offsetof(RECORD, setup) == 32, "setup");

#define CHECK_LOOP(RECORD) \
    _Static_assert(offsetof(RECORD, left) == 0, "left"); \
    _Static_assert(offsetof(RECORD, interval) == 8, "interval"); \
    _Static_assert(offsetof(RECORD, since) == 16, "since");

#define CHECK_MODEL(RECORD) \
    _Static_assert(offsetof(RECORD, memory) == 0, "memory"); \
    _Static_assert(offsetof(RECORD, weights) == 8, "weights"); \
    _Static_assert(offsetof(RECORD, mapped) == 16, "mapped"); \
    _Static_assert(offsetof(RECORD, spare) == 24, "spare"); \
    _Static_assert(offsetof(RECORD, lock) == 32, "lock"); \
    _Static_assert(offsetof(RECORD, parallel) == 40, "parallel"); \
    _Static_assert(offsetof(RECORD, self) == 48, "self"); \
    _Static_assert(offsetof(RECORD, threads) == 56, "threads"); \
    _Static_assert(offsetof(RECORD, parallel_for) == 64, "parallel_for"); \
    _Static_assert(offsetof(RECORD, context) == 72, "context"); \
    _Static_assert(offsetof(RECORD, calls) == 80, "calls");

#define CHECK_NUMBER(RECORD) \
    _Static_assert(offsetof(RECORD, value) == 16, "value");

#define CHECK_OBJECT(RECORD) \
    _Static_assert(offsetof(RECORD, type) == 8, "type");

#define CHECK_OPTIONS(RECORD) \
    _Static_assert(offsetof(RECORD, weights) == 0, "weights"); \
    _Static_assert(offsetof(RECORD, processor) == 8, "processor"); \
    _Static_assert(offsetof(RECORD, parallel_for) == 16, "parallel_for"); \
    _Static_assert(offsetof(RECORD, context) == 24, "context"); \
    _Static_assert(offsetof(RECORD, threads) == 32, "threads");

#define CHECK_OUTPUT(RECORD) \
    _Static_assert(offsetof(RECORD, descr) == 0, "descr"); \
    _Static_assert(offsetof(RECORD, ndim) == 8, "ndim"); \
    _Static_assert(offsetof(RECORD, dims) == 16, "dims"); \
    _Static_assert(offsetof(RECORD, offset) == 24, "offset"); \
    _Static_assert(offsetof(RECORD, target) == 32, "target"); \
    _Static_assert(offsetof(RECORD, nbytes) == 40, "nbytes");

#define CHECK_POOL(RECORD) \
    _Static_assert(offsetof(RECORD, system) == 0, "system"); \
    _Static_assert(offsetof(RECORD, ticket) == 64, "ticket"); \
    _Static_assert(offsetof(RECORD, body) == 128, "body"); \
    _Static_assert(offsetof(RECORD, data) == 136, "data"); \
    _Static_assert(offsetof(RECORD, count) == 144, "count"); \
    _Static_assert(offsetof(RECORD, chunks) == 152, "chunks"); \
    _Static_assert(offsetof(RECORD, threads) == 160, "threads"); \
    _Static_assert(offsetof(RECORD, rounding) == 168, "rounding"); \
    _Static_assert(offsetof(RECORD, done) == 192, "done"); \
    _Static_assert(offsetof(RECORD, lock) == 256, "lock"); \
    _Static_assert(offsetof(RECORD, waiting) == 320, "waiting"); \
    _Static_assert(offsetof(RECORD, sleepers) == 384, "sleepers"); \
    _Static_assert(offsetof(RECORD, workers) == 448, "workers"); \
    _Static_assert(offsetof(RECORD, ceiling) == 456, "ceiling"); \
    _Static_assert(offsetof(RECORD, stop) == 464, "stop"); \
    _Static_assert(offsetof(RECORD, thread) == 512, "thread");

#define CHECK_PROCESS(RECORD) \
    _Static_assert(offsetof(RECORD, PyObject_Vectorcall) == 0, "PyObject_Vectorcall"); \
    _Static_assert(offsetof(RECORD, PyObject_CallNoArgs) == 8, "PyObject_CallNoArgs"); \
    _Static_assert(offsetof(RECORD, PyObject_CallOneArg) == 16, "PyObject_CallOneArg"); \
    _Static_assert(offsetof(RECORD, PyEval_SaveThread) == 24, "PyEval_SaveThread"); \
    _Static_assert(offsetof(RECORD, PyEval_RestoreThread) == 32, "PyEval_RestoreThread"); \
    _Static_assert(offsetof(RECORD, Py_IncRef) == 40, "Py_IncRef"); \
    _Static_assert(offsetof(RECORD, Py_DecRef) == 48, "Py_DecRef"); \
    _Static_assert(offsetof(RECORD, PyType_GenericAlloc) == 56, "PyType_GenericAlloc"); \
    _Static_assert(offsetof(RECORD, PyTuple_New) == 64, "PyTuple_New"); \
    _Static_assert(offsetof(RECORD, PyTuple_SetItem) == 72, "PyTuple_SetItem"); \
    _Static_assert(offsetof(RECORD, PyList_New) == 80, "PyList_New"); \
    _Static_assert(offsetof(RECORD, PyList_SetItem) == 88, "PyList_SetItem"); \
    _Static_assert(offsetof(RECORD, PyLong_AsLongLong) == 96, "PyLong_AsLongLong"); \
    _Static_assert(offsetof(RECORD, PyErr_Occurred) == 104, "PyErr_Occurred"); \
    _Static_assert(offsetof(RECORD, PyErr_Clear) == 112, "PyErr_Clear"); \
    _Static_assert(offsetof(RECORD, aligned_alloc) == 120, "aligned_alloc"); \
    _Static_assert(offsetof(RECORD, free) == 128, "free"); \
    _Static_assert(offsetof(RECORD, memcpy) == 136, "memcpy"); \
    _Static_assert(offsetof(RECORD, PyErr_NoMemory) == 144, "PyErr_NoMemory"); \
    _Static_assert(offsetof(RECORD, PyErr_SetObject) == 152, "PyErr_SetObject"); \
    _Static_assert(offsetof(RECORD, PyDict_GetItemWithError) == 160, "PyDict_GetItemWithError"); \
    _Static_assert(offsetof(RECORD, PyDict_Next) == 168, "PyDict_Next"); \
    _Static_assert(offsetof(RECORD, PyObject_GetAttr) == 176, "PyObject_GetAttr"); \
    _Static_assert(offsetof(RECORD, madvise) == 184, "madvise"); \
    _Static_assert(offsetof(RECORD, PyObject_GetBuffer) == 192, "PyObject_GetBuffer"); \
    _Static_assert(offsetof(RECORD, PyBuffer_Release) == 200, "PyBuffer_Release"); \
    _Static_assert(offsetof(RECORD, PyCapsule_New) == 208, "PyCapsule_New"); \
    _Static_assert(offsetof(RECORD, PyCapsule_IsValid) == 216, "PyCapsule_IsValid"); \
    _Static_assert(offsetof(RECORD, PyArray_NewFromDescr) == 224, "PyArray_NewFromDescr"); \
    _Static_assert(offsetof(RECORD, PyArray_SetBaseObject) == 232, "PyArray_SetBaseObject"); \
    _Static_assert(offsetof(RECORD, ndarray) == 240, "ndarray"); \
    _Static_assert(offsetof(RECORD, bytes) == 248, "bytes"); \
    _Static_assert(offsetof(RECORD, float_class) == 256, "float_class"); \
    _Static_assert(offsetof(RECORD, int_class) == 264, "int_class"); \
    _Static_assert(offsetof(RECORD, None) == 272, "None"); \
    _Static_assert(offsetof(RECORD, True) == 280, "True"); \
    _Static_assert(offsetof(RECORD, tuple_items) == 288, "tuple_items"); \
    _Static_assert(offsetof(RECORD, readers) == 296, "readers"); \
    _Static_assert(offsetof(RECORD, page_bytes) == 304, "page_bytes"); \
    _Static_assert(offsetof(RECORD, scratch) == 312, "scratch"); \
    _Static_assert(offsetof(RECORD, scratch_bytes) == 320, "scratch_bytes");

#define CHECK_SEQUENCE(RECORD) \
    _Static_assert(offsetof(RECORD, size) == 16, "size"); \
    _Static_assert(offsetof(RECORD, items) == 24, "items");

#define CHECK_STATE(RECORD) \
    _Static_assert(offsetof(RECORD, name) == 0, "name"); \
    _Static_assert(offsetof(RECORD, dtype) == 8, "dtype"); \
    _Static_assert(offsetof(RECORD, nbytes) == 16, "nbytes"); \
    _Static_assert(offsetof(RECORD, offset) == 24, "offset"); \
    _Static_assert(offsetof(RECORD, ndim) == 32, "ndim"); \
    _Static_assert(offsetof(RECORD, sizes) == 40, "sizes");

#define CHECK_TABLE(RECORD) \
    _Static_assert(offsetof(RECORD, process) == 0, "process"); \
    _Static_assert(offsetof(RECORD, program) == 8, "program"); \
    _Static_assert(offsetof(RECORD, scratch_bytes) == 16, "scratch_bytes"); \
    _Static_assert(offsetof(RECORD, release) == 24, "release"); \
    _Static_assert(offsetof(RECORD, dirty) == 32, "dirty"); \
    _Static_assert(offsetof(RECORD, busy) == 40, "busy"); \
    _Static_assert(offsetof(RECORD, fallback) == 48, "fallback"); \
    _Static_assert(offsetof(RECORD, wrapper) == 56, "wrapper"); \
    _Static_assert(offsetof(RECORD, data_offset) == 64, "data_offset"); \
    _Static_assert(offsetof(RECORD, storage_offset) == 72, "storage_offset"); \
    _Static_assert(offsetof(RECORD, kind) == 80, "kind"); \
    _Static_assert(offsetof(RECORD, finish) == 88, "finish"); \
    _Static_assert(offsetof(RECORD, committed) == 96, "committed"); \
    _Static_assert(offsetof(RECORD, arguments) == 104, "arguments"); \
    _Static_assert(offsetof(RECORD, argument_count) == 112, "argument_count"); \
    _Static_assert(offsetof(RECORD, inputs) == 120, "inputs"); \
    _Static_assert(offsetof(RECORD, input_count) == 128, "input_count"); \
    _Static_assert(offsetof(RECORD, outputs) == 136, "outputs"); \
    _Static_assert(offsetof(RECORD, result_count) == 144, "result_count"); \
    _Static_assert(offsetof(RECORD, output_count) == 152, "output_count"); \
    _Static_assert(offsetof(RECORD, guards) == 160, "guards"); \
    _Static_assert(offsetof(RECORD, guard_count) == 168, "guard_count"); \
    _Static_assert(offsetof(RECORD, write_bytes) == 176, "write_bytes"); \
    _Static_assert(offsetof(RECORD, prepare) == 184, "prepare"); \
    _Static_assert(offsetof(RECORD, size_slot) == 192, "size_slot"); \
    _Static_assert(offsetof(RECORD, frame_words) == 200, "frame_words"); \
    _Static_assert(offsetof(RECORD, pending) == 208, "pending"); \
    _Static_assert(offsetof(RECORD, taken) == 216, "taken"); \
    _Static_assert(offsetof(RECORD, doubt) == 224, "doubt"); \
    _Static_assert(offsetof(RECORD, writer) == 232, "writer"); \
    _Static_assert(offsetof(RECORD, exchange) == 240, "exchange"); \
    _Static_assert(offsetof(RECORD, keywords) == 248, "keywords"); \
    _Static_assert(offsetof(RECORD, keyword_count) == 256, "keyword_count"); \
    _Static_assert(offsetof(RECORD, row_count) == 264, "row_count"); \
    _Static_assert(offsetof(RECORD, view_count) == 272, "view_count");

#define CHECK_TEAM(RECORD) \
    _Static_assert(offsetof(RECORD, parallel) == 0, "parallel"); \
    _Static_assert(offsetof(RECORD, pool) == 8, "pool"); \
    _Static_assert(offsetof(RECORD, threads) == 16, "threads");

#define CHECK_WATCHED(RECORD) \
    _Static_assert(offsetof(RECORD, pending) == 0, "pending"); \
    _Static_assert(offsetof(RECORD, readers) == 8, "readers"); \
    _Static_assert(offsetof(RECORD, writer) == 16, "writer");
