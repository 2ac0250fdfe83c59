// SPDX-License-Identifier: Apache-2.0
// The function that Python calls for a program whose arrays are on a device (METH_FASTCALL | METH_KEYWORDS): checks the
// arguments, finds the graph that was recorded for these addresses, starts it, and makes the arrays of its results.
//
// The table is that of any entry; the place of the program has what `runtime.device_entry` describes. Whatever does not
// fit goes to Python: other arguments, other addresses, a device that is closed.
//
// Nobody but this table has the memory of a graph's results while no array is over it. It belongs to the call from the
// moment the graph is chosen. Starting may wait, so other threads run meanwhile: what the graph reads is held, those who
// record a graph wait until it has started (`starter.asking`), and so do those who write in place (`process.readers`).

#include "entry.h"
#include "layout_device.h"

// What all who start graphs of a device have in common.
struct starter {
    int64_t recorded, untidy;   // reasons for which Python starts them
    int64_t failed, inherited;  // nobody does
    int64_t asking, started;
    int64_t result, place;  // of the last call of the driver that failed, and which it was
    int32_t (*push)(void *context);
    int32_t (*launch)(void *graph, void *stream);
    int32_t (*pop)(void **context);
    void *context, *stream;
    int64_t recent[RECENT];  // numbers of the programs that were started last
};

// What instances of two classes keep where, and what results are made of.
struct device {
    struct starter *starter;
    object *accelerator, *buffer_class;
    int64_t buffer_memory, buffer_layout, memory_accelerator, memory_address, memory_users;
    const char *origin;  // where layouts begin
    object *nobody;      // the users of memory that nobody else uses
    object *variable, *present, *known, *is_present;
    int32_t (*PyContextVar_Get)(object *, object *, object **);
    object *failed;
    int64_t number;  // of the program
    int64_t buffer_words, storage_words;
    object **buffers, **storages;  // of each result one to copy
    object **bound;
    int64_t bound_count;
    object **derived;  // those who derive constants of arrays, and for each the word that is not 0 where it has to anew
    int64_t **dirty;
    int64_t derived_count, derived_buffer;
    int64_t *rows;
    int64_t row_count, row_words;
};

// A graph, and what it was recorded for. The addresses of arguments follow, and the bits of those that are numbers, which
// have been sent to the device; of each bound array the buffer, its memory
// and the number that is the address; each derived constant; of each result the memory and the number that is the
// address.
struct row {
    object *holder;  // keeps all of it, and lets Python start the graph; null where there is none
    void *graph;
    int64_t used;  // when it was started last
};

CHECK_STARTER(struct starter)
CHECK_DEVICE(struct device)
CHECK_ROW(struct row)

enum { ROW_MAJOR = 1 };

static const struct device *device_of(const struct table *table) {
    return (const struct device *)table->program;
}

// Whether the device of this thread is the one that the program was made for; Python has the last word, as equal ones
// may be several objects.
static enum answer check_present(const struct table *table) {
    const struct device *device = device_of(table);
    struct process *process = table->process;
    object *devices = NULL;
    if (device->PyContextVar_Get(device->variable, NULL, &devices)) return RAISED;
    object *last = tuple_items(process, devices)[((struct sequence *)devices)->size - 1];
    bool is_known = last == device->present || devices == device->known;
    process->Py_DecRef(devices);
    return is_known ? RIGHT : ask(process, device->is_present, process->True);
}

// The buffer of an argument, if it is on the device, has the type of the row and lies row by row; else null.
static object *checked_buffer(const struct call *call, const struct argument *row, object *given, char **address) {
    const struct table *table = call->table;
    const struct device *device = device_of(table);
    if (given->type != table->wrapper) return NULL;
    object *buffer = AT(object *, given, table->data_offset);
    if (!buffer || buffer->type != device->buffer_class) return NULL;
    object *memory = AT(object *, buffer, device->buffer_memory);
    struct array *layout = AT(struct array *, buffer, device->buffer_layout);
    if (AT(object *, memory, device->memory_accelerator) != device->accelerator) return NULL;
    int64_t rank = (uint32_t)layout->ndim;
    if (layout->descr != row->object || !(layout->flags & ROW_MAJOR) || rank != row->ndim) return NULL;
    for (int64_t k = 0; k < rank; k++)
        if (layout->dims[k] != row->dims[k]) return NULL;
    int64_t start = call->process->PyLong_AsLongLong(AT(object *, memory, device->memory_address));
    if (start == -1) {
        call->process->PyErr_Clear();
        return NULL;
    }
    *address = (char *)start + (layout->data - device->origin);
    return buffer;
}

// Prove that each argument is what its row says, and find where the elements of each are.
static bool check_arguments(const struct call *call) {
    const struct table *table = call->table;
    for (int64_t k = 0; k < table->row_count; k++) {
        const struct argument *row = &table->arguments[k];
        object *given = call->objects[k];
        call->references[k] = NULL;
        switch (row->kind) {
            case ARGUMENT_ARRAY:
                call->references[k] = checked_buffer(call, row, given, &call->inputs[row->slot]);
                if (!call->references[k]) return false;
                continue;
            case ARGUMENT_FLOAT:
                if (!take_float(call, row, given, (int64_t *)&call->inputs[row->slot])) return false;
                continue;
            case ARGUMENT_INT:
                if (!take_int(call, given, (int64_t *)&call->inputs[row->slot])) return false;
                continue;
            case ARGUMENT_SAME:
                if (given != row->object) return false;
                continue;
            case ARGUMENT_TUPLE:
            case ARGUMENT_LIST:
            case ARGUMENT_DICT:
                if (!take_apart(call, row, given)) return false;
                continue;
            default:
                return false;
        }
    }
    return true;
}

// Whether nobody but its row has the memory of a result, where it was.
static bool is_free(const struct device *device, object *memory, object *address) {
    return (uint32_t)memory->references == 1 && AT(object *, memory, device->memory_address) == address &&
           AT(object *, memory, device->memory_users) == device->nobody;
}

// Whether a graph is for these arguments, and all else is as it was when it was recorded.
static bool fits(const struct call *call, const struct row *row) {
    const struct table *table = call->table;
    const struct device *device = device_of(table);
    if (!row->holder) return false;
    const int64_t *words = (const int64_t *)(row + 1);
    for (int64_t k = 0; k < table->input_count; k++)
        if (*words++ != (int64_t)call->inputs[k]) return false;
    for (int64_t k = 0; k < device->bound_count; k++, words += 3) {
        if (AT(int64_t, device->bound[k], table->data_offset) != words[0]) return false;
        if (AT(int64_t, words[1], device->memory_address) != words[2]) return false;
    }
    for (int64_t k = 0; k < device->derived_count; k++)
        if (AT(int64_t, device->derived[k], device->derived_buffer) != *words++ || *device->dirty[k]) return false;
    for (int64_t k = 0; k < table->result_count; k++, words += 2)
        if (!is_free(device, (object *)words[0], (object *)words[1])) return false;
    return true;
}

// The graph for a call; null where there is none.
static struct row *find(const struct call *call) {
    const struct device *device = device_of(call->table);
    for (int64_t k = 0; k < device->row_count; k++) {
        struct row *row = (struct row *)(device->rows + k * device->row_words);
        if (fits(call, row)) return row;
    }
    return NULL;
}

// Let the driver start a graph; Python, where the device is closed to us, or where it fails.
static enum answer start(const struct call *call, struct row *row) {
    struct process *process = call->process;
    const struct device *device = device_of(call->table);
    struct starter *starter = device->starter;
    if (starter->failed | starter->inherited) return OTHER;
    if (starter->recorded | starter->untidy) return ask(process, row->holder, process->True);
    row->used = starter->started++;
    starter->recent[row->used % RECENT] = device->number;
    void *graph = row->graph, *outside;
    ++*process->readers;
    ++starter->asking;
    void *thread = process->PyEval_SaveThread();
    int64_t place = 0, result = starter->push(starter->context);
    if (!result) {
        place = 1;
        result = starter->launch(graph, starter->stream);
        starter->pop(&outside);
    }
    process->PyEval_RestoreThread(thread);
    --starter->asking;
    --*process->readers;
    if (!result) return RIGHT;
    starter->result = result;
    starter->place = place;
    return ask(process, device->failed, process->True);
}

// An object like another one of `words` words, of a class that keeps objects alone; null with an exception that is set.
static object *copied(struct process *process, object *pattern, int64_t words) {
    object *copy = process->PyType_GenericAlloc(pattern->type, 0);
    if (!copy) return NULL;
    for (int64_t k = sizeof(object) / 8; k < words; k++) {
        object *part = ((object **)pattern)[k];
        process->Py_IncRef(part);
        ((object **)copy)[k] = part;
    }
    return copy;
}

// Make an array over each result's memory, whose buffer it belongs to from then on.
static bool wrap(const struct call *call) {
    const struct table *table = call->table;
    struct process *process = call->process;
    const struct device *device = device_of(table);
    for (int64_t k = 0; k < table->result_count; k++) {
        object *buffer = copied(process, device->buffers[k], device->buffer_words);
        if (!buffer) return false;
        AT(object *, buffer, device->buffer_memory) = (object *)call->outputs[k];
        call->outputs[k] = NULL;
        object *storage = copied(process, device->storages[k], device->storage_words);
        object *wrapped = storage ? process->PyType_GenericAlloc(table->wrapper, 0) : NULL;
        if (!wrapped) {
            process->Py_DecRef(buffer);
            process->Py_DecRef(storage);
            return false;
        }
        AT(object *, wrapped, table->data_offset) = buffer;
        AT(object *, wrapped, table->storage_offset) = storage;
        call->results[k] = wrapped;
    }
    return true;
}

// Let go of what was held for the call.
static void release(const struct call *call, object *holder) {
    struct process *process = call->process;
    for (int64_t k = 0; k < call->table->result_count; k++) {
        process->Py_DecRef((object *)call->outputs[k]);
        process->Py_DecRef(call->results[k]);
    }
    for (int64_t k = 0; k < call->table->row_count; k++) process->Py_DecRef(call->references[k]);
    process->Py_DecRef(holder);
}

object *hybridize_device_entry(object *self, object **arguments, int64_t count, object *names) {
    const struct table *table = (const struct table *)AT(struct array *, self, table_offset)->data;
    struct process *process = table->process;
    if (!is_called_right(table, count, names)) goto slow;
    enum answer answer = check_guards(table);
    if (answer == RIGHT) answer = check_present(table);
    if (answer == RAISED) return NULL;
    if (answer == OTHER || !nothing_odd(table)) goto slow;
    int64_t rows = table->row_count, results = table->result_count;
    struct call call = {
        .table = table,
        .process = process,
        .objects = STACK(object *, rows),
        .references = STACK(object *, rows),
        .inputs = STACK(char *, table->input_count),
        .outputs = STACK(char *, results),
        .results = STACK(object *, results),
    };
    for (int64_t k = 0; k < table->argument_count + table->keyword_count; k++) call.objects[k] = arguments[k];
    if (!check_arguments(&call)) goto slow;
    struct row *row = find(&call);
    if (!row) goto slow;
    object *holder = row->holder;
    const int64_t *words = (const int64_t *)row + device_of(table)->row_words - 2 * results;
    process->Py_IncRef(holder);
    for (int64_t k = 0; k < rows; k++) process->Py_IncRef(call.references[k]);
    for (int64_t k = 0; k < results; k++) {
        call.outputs[k] = (char *)words[2 * k];
        call.results[k] = NULL;
        process->Py_IncRef((object *)call.outputs[k]);
    }
    answer = start(&call, row);
    object *value = answer == RIGHT && wrap(&call) ? returned(&call) : NULL;
    release(&call, holder);
    if (answer != OTHER) return value;
slow:  // anything odd: the same call goes to Python
    return process->PyObject_Vectorcall(table->fallback, arguments, count, names);
}
