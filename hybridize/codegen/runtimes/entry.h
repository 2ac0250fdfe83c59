// SPDX-License-Identifier: Apache-2.0
// What the functions that Python calls have in common: the tables that they read, the looks before a call, containers
// of arguments and of results.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "python.h"

// What the entry needs from outside: functions, classes, objects, and the scratch that is kept between calls.
struct process {
    object *(*PyObject_Vectorcall)(object *, object **, int64_t, object *);
    object *(*PyObject_CallNoArgs)(object *);
    object *(*PyObject_CallOneArg)(object *, object *);
    void *(*PyEval_SaveThread)(void);
    void (*PyEval_RestoreThread)(void *);
    void (*Py_IncRef)(object *);  // of null, too
    void (*Py_DecRef)(object *);
    object *(*PyType_GenericAlloc)(object *, int64_t);
    object *(*PyTuple_New)(int64_t);
    int32_t (*PyTuple_SetItem)(object *, int64_t, object *);
    object *(*PyList_New)(int64_t);
    int32_t (*PyList_SetItem)(object *, int64_t, object *);
    int64_t (*PyLong_AsLongLong)(object *);
    object *(*PyErr_Occurred)(void);
    void (*PyErr_Clear)(void);
    void *(*aligned_alloc)(int64_t, int64_t);
    void (*free)(void *);
    void *(*memcpy)(void *, const void *, int64_t);
    object *(*PyErr_NoMemory)(void);
    void (*PyErr_SetObject)(object *, object *);
    object *(*PyDict_GetItemWithError)(object *, object *);
    int32_t (*PyDict_Next)(object *, int64_t *, object **, object **);
    object *(*PyObject_GetAttr)(object *, object *);
    int32_t (*madvise)(void *, int64_t, int32_t);
    int32_t (*PyObject_GetBuffer)(object *, struct view *, int32_t);
    void (*PyBuffer_Release)(struct view *);
    object *(*PyCapsule_New)(void *, const char *, void *);
    int32_t (*PyCapsule_IsValid)(object *, const char *);
    object *(*PyArray_NewFromDescr)(object *, object *, int32_t, const int64_t *, void *, void *, int32_t, object *);
    int32_t (*PyArray_SetBaseObject)(object *, object *);
    object *ndarray, *bytes, *float_class, *int_class, *None, *True;
    int64_t tuple_items;
    int64_t *readers;
    int64_t page_bytes;
    void *scratch;
    int64_t scratch_bytes;
};

struct exchange {
    object *type, *parameter;
    int32_t (*look)(object *, struct tensor *);
    int32_t (*make)(void *, object **);
    int64_t body, traits, usual, other;
    object *flag, *maker, **operands;
    int64_t operand_count;
    const char *capsule;
    int64_t tensor, deleter;
};

struct argument {
    int64_t kind, slot;
    object *object;  // or a number
    int64_t ndim;
    const int64_t *dims;  // of a dict its keys
    object *flag;
};

struct output {
    object *descr;  // or a number
    int64_t ndim, dims, offset;
    char *target;
    int64_t nbytes;
};

struct guard {
    int64_t kind;
    object *owner;
    int64_t key, expected;  // objects, addresses or numbers
};

// What differs between calls of other sizes; the sizes of each result follow, the bytes of one before them.
struct figures {
    int64_t scratch_bytes, release;
};

struct table {
    struct process *process;
    void (*program)(char **inputs, char **outputs, char *scratch);
    int64_t scratch_bytes, release, dirty;
    const int64_t *busy;
    object *fallback, *wrapper;
    int64_t data_offset, storage_offset, kind;
    object *finish, *committed;
    const struct argument *arguments;
    int64_t argument_count;
    char **inputs;
    int64_t input_count;
    const struct output *outputs;
    int64_t result_count, output_count;
    struct guard *guards;
    int64_t guard_count, write_bytes;
    int64_t (*prepare)(const int64_t *sizes, int64_t *frame);
    int64_t size_slot, frame_words;
    const int64_t *pending;
    object *taken, *doubt;
    const int64_t *writer;
    const struct exchange *exchange;
    object **keywords;
    int64_t keyword_count, row_count, view_count;
};

CHECK_PROCESS(struct process)
CHECK_EXCHANGE(struct exchange)
CHECK_ARGUMENT(struct argument)
CHECK_OUTPUT(struct output)
CHECK_FIGURES(struct figures)
CHECK_GUARD(struct guard)
CHECK_TABLE(struct table)
_Static_assert(sizeof(struct argument) == ARGUMENT_BYTES && sizeof(struct output) == OUTPUT_BYTES, "");
_Static_assert(sizeof(struct guard) == GUARD_BYTES, "");
// Where an instance keeps its table, a NumPy array; Python says it.
extern const int64_t table_offset;

// What a check answers: the call is as the table says, Python has to see to it, or an exception is set.
enum answer { RIGHT, OTHER, RAISED };

// The parts of a call.
struct call {
    const struct table *table;
    struct process *process;
    object **objects;     // one for each row of the arguments
    object **references;  // those that are held; null elsewhere
    int64_t *scalars;
    char **inputs, **outputs;
    object **results;
    void **blocks;  // of results that become another library's arrays
    struct view *views;
    const struct figures *figures;
};

// What few calls come by stays out of the way of all others: registers are few.
#define RARE __attribute__((noinline))

#define AT(type, base, offset) (*(type *)((char *)(base) + (offset)))

static object **tuple_items(const struct process *process, object *tuple) {
    return &AT(object *, tuple, process->tuple_items);
}

// Whether the arguments are as many, and the keywords these very names, in order.
static bool is_called_right(const struct table *table, int64_t count, object *names) {
    if (count != table->argument_count) return false;
    if (!names) return table->keyword_count == 0;
    if (((struct sequence *)names)->size != table->keyword_count) return false;
    object **items = tuple_items(table->process, names);
    for (int64_t k = 0; k < table->keyword_count; k++)
        if (items[k] != table->keywords[k]) return false;
    return true;
}

// Nothing dirty, no thread in a special mode, and no other thread that writes in place. After the guards, which may call
// Python: from here on no other thread runs before the program does.
static bool nothing_odd(const struct table *table) {
    return (table->dirty | *table->busy | *table->writer) == 0;
}

// Whether a Python function answers as expected. Where it raises, guards that cannot be checked do not hold: what comes
// here is an interruption.
static enum answer ask(struct process *process, object *function, object *expected) {
    object *answer = process->PyObject_CallNoArgs(function);
    if (!answer) return RAISED;
    process->Py_DecRef(answer);
    return answer == expected ? RIGHT : OTHER;
}

static bool has_attribute(struct process *process, object *owner, object *name, object *expected) {
    object *value = process->PyObject_GetAttr(owner, name);
    if (!value) {
        process->PyErr_Clear();
        return false;
    }
    process->Py_DecRef(value);
    return value == expected;
}

// Find the tensor of an instance of another library's class, if it is one in the computer's memory.
RARE static bool look(struct process *process, const struct exchange *library, object *array, struct tensor *tensor) {
    int64_t traits = AT(int64_t, AT(char *, array, library->body), library->traits);
    if (traits != library->usual && traits != library->other) return false;
    if (library->look(array, tensor)) {
        process->PyErr_Clear();
        return false;
    }
    return tensor->device == CPU_DEVICE && tensor->byte_offset == 0;
}

static int64_t rank_of(int64_t word) {
    return word & 0xFFFFFFFF;
}

// Whether the elements of an array are where, and what, they were.
RARE static bool is_same_tensor(struct process *process, const struct guard *guard) {
    struct tensor tensor;
    const int64_t *then = (const int64_t *)guard->expected;
    if (!look(process, (const struct exchange *)guard->key, guard->owner, &tensor)) return false;
    if ((int64_t)tensor.data != then[0] || tensor.word != then[1]) return false;
    int64_t rank = rank_of(tensor.word);
    const int64_t *sizes = then + 2, *strides = sizes + rank;
    for (int64_t k = 0; k < rank; k++)
        if (tensor.shape[k] != sizes[k]) return false;
    for (int64_t k = 0; k < rank; k++)
        if (tensor.strides[k] != strides[k]) return false;
    return true;
}

// Compare what the program read outside with the world of this call. Where another object is found, all guards are
// checked by Python, as it may be an equal one.
static enum answer check_guards(const struct table *table) {
    struct process *process = table->process;
    const struct guard *end = table->guards + table->guard_count;
    for (struct guard *guard = table->guards; guard < end; guard++) {
        object *owner = guard->owner;
        bool same;
        switch (guard->kind) {
            case LOOK_VERSION:  // its rows are left out if the dict has not changed since they were found right
                if (((struct dict *)owner)->version == guard->expected)
                    guard += guard->key;
                else
                    guard->expected = 0;
                continue;
            case LOOK_STAMP:
                guard[-guard->key].expected = ((struct dict *)owner)->version;
                continue;
            case LOOK_ITEM:
                same = process->PyDict_GetItemWithError(owner, (object *)guard->key) == (object *)guard->expected;
                break;
            case LOOK_WORD:
                same = AT(int64_t, owner, guard->key) == guard->expected;
                break;
            case LOOK_PLACE:
                same = *(int64_t *)guard->key == guard->expected;
                break;
            case LOOK_TENSOR:
                same = is_same_tensor(process, guard);
                break;
            case LOOK_CALL: {
                enum answer answer = ask(process, owner, (object *)guard->expected);
                if (answer != RIGHT) return answer;
                continue;
            }
            case LOOK_ATTRIBUTE:
                if (!has_attribute(process, owner, (object *)guard->key, (object *)guard->expected)) return OTHER;
                continue;
            case LOOK_SETTING:
                if (process->PyDict_GetItemWithError(owner, (object *)guard->key) != (object *)guard->expected)
                    return OTHER;
                continue;
            default:
                return OTHER;
        }
        if (!same) return table->doubt ? ask(process, table->doubt, process->True) : OTHER;
    }
    return RIGHT;
}

// Put a Python float into its cell, as float32 where the row says that its width is 4.
static bool take_float(const struct call *call, const struct argument *row, object *given, int64_t *cell) {
    if (given->type != call->process->float_class) return false;
    double value = ((struct number *)given)->value;
    if ((int64_t)row->object == 4) {
        float single = (float)value;
        *cell = *(uint32_t *)&single;
    } else {
        *(double *)cell = value;
    }
    return true;
}

// Put a Python int into its cell; one that is too large, which programs know by value, is for the fallback.
static bool take_int(const struct call *call, object *given, int64_t *cell) {
    struct process *process = call->process;
    if (given->type != process->int_class) return false;
    int64_t value = *cell = process->PyLong_AsLongLong(given);
    if (value == -1 && process->PyErr_Occurred()) {
        process->PyErr_Clear();
        return false;
    }
    return -LARGEST_INT <= value && value <= LARGEST_INT;
}

// Put the items of a container into the rows for them.
static bool take_apart(const struct call *call, const struct argument *row, object *given) {
    if (given->type != row->object) return false;
    int64_t count = row->ndim;
    object **objects = &call->objects[row->slot];
    if (row->kind == ARGUMENT_DICT) {
        if (((struct dict *)given)->used != count) return false;
        int64_t place = 0;
        object *key = NULL, *value = NULL;
        for (int64_t k = 0; k < count; k++) {
            call->process->PyDict_Next(given, &place, &key, &value);
            if (key != (object *)row->dims[k]) return false;
            objects[k] = value;
        }
        return true;
    }
    struct sequence *sequence = (struct sequence *)given;
    if (sequence->size != count) return false;
    object **items = row->kind == ARGUMENT_LIST ? sequence->items : tuple_items(call->process, given);
    for (int64_t k = 0; k < count; k++) objects[k] = items[k];
    return true;
}

// A new tuple or list that takes over the results, which are null then.
static object *sequence_of_results(const struct call *call, bool is_list) {
    struct process *process = call->process;
    int64_t count = call->table->result_count;
    object *container = is_list ? process->PyList_New(count) : process->PyTuple_New(count);
    for (int64_t k = 0; container && k < count; k++) {
        object *item = call->results[k];
        call->results[k] = NULL;
        if (is_list)
            process->PyList_SetItem(container, k, item);
        else
            process->PyTuple_SetItem(container, k, item);
    }
    return container;
}

// A tuple of the arrays among the arguments, None in the place of others.
static object *tuple_of_arrays(const struct call *call) {
    struct process *process = call->process;
    int64_t count = call->table->row_count;
    object *arrays = process->PyTuple_New(count);
    for (int64_t k = 0; arrays && k < count; k++) {
        object *item = call->references[k] ? call->references[k] : process->None;
        process->Py_IncRef(item);
        process->PyTuple_SetItem(arrays, k, item);
    }
    return arrays;
}

// What `finish` makes of the results, and of the arrays among the arguments where it is given them.
static object *finished(const struct call *call) {
    struct process *process = call->process;
    const struct table *table = call->table;
    object *both[2] = {sequence_of_results(call, false), NULL}, *value = NULL;
    if (!both[0]) return NULL;
    if (table->kind == RETURNS_FINISH) {
        value = process->PyObject_CallOneArg(table->finish, both[0]);
    } else if ((both[1] = tuple_of_arrays(call))) {
        value = process->PyObject_Vectorcall(table->finish, both, 2, NULL);
        process->Py_DecRef(both[1]);
    }
    process->Py_DecRef(both[0]);
    return value;
}

// Tell of the writes; false with an exception that is set.
static bool commit(const struct call *call) {
    struct process *process = call->process;
    if (!call->table->committed) return true;
    object *answer = process->PyObject_CallNoArgs(call->table->committed);
    process->Py_DecRef(answer);
    return answer;
}

// Return the results in their structure; null with an exception that is set.
static object *returned(const struct call *call) {
    const struct table *table = call->table;
    struct process *process = call->process;
    switch (table->kind) {
        case RETURNS_LEAF: {
            object *result = call->results[0];
            call->results[0] = NULL;
            return result;
        }
        case RETURNS_NONE:
            process->Py_IncRef(process->None);
            return process->None;
        case RETURNS_TUPLE:
        case RETURNS_LIST:
            return sequence_of_results(call, table->kind == RETURNS_LIST);
        default:
            return finished(call);
    }
}

#define STACK(type, count) ((type *)__builtin_alloca((uint64_t)(count) * sizeof(type)))
