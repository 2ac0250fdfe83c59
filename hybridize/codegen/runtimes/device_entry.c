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
//
// A graph reads numbers from words of its own on the device. Where these are others than the last time, a kernel writes
// them there first: they are its arguments, which the driver copies when it is asked. New values of states are written
// to spare memory; once the graph has started, that and the memory of the state have each other's address. Who has read addresses
// before and has yet to ask for work there is in `askers`: no spare memory is written then.

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
    int32_t (*call)(
        void *kernel, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, void *stream, void **arguments,
        void **
    );
    void *numbers;  // the kernel that writes words, its first argument says where
    void *context, *stream;
    int64_t recent[RECENT];  // numbers of the programs that were started last
};

// An array at the host, and its memory.
struct host {
    object *array;
    struct array *memory;
};

// Bytes of the numbers: those of an input, or, below 0, of the array at the host ~source.
struct number_place {
    int64_t source, offset, nbytes;
};

// A state at the host, and its new value, which is there before the call.
struct host_state {
    int64_t host;
    const char *value;
    int64_t nbytes;
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
    const struct host *hosts;  // arrays at the host that go with the numbers
    int64_t host_count;
    const struct number_place *numbers;
    int64_t number_count, number_words;
    const int64_t *states;  // which of the bound arrays are
    int64_t state_count, storage_exposed;
    const struct sequence *askers;  // a list of threads that may ask for work on spare memory
    const struct host_state *host_states;
    int64_t host_state_count;
    object **derived;  // those who derive constants of arrays, and for each the word that is not 0 where it has to anew
    int64_t **dirty;
    int64_t derived_count, derived_buffer;
    int64_t *rows;
    int64_t row_count, row_words;
};

// A graph, and what it was recorded for. These follow: the numbers that are on the device; the addresses of the
// arguments, 0 for numbers; of each bound array the buffer, its memory and the number that is the address; each derived
// constant; of each state the spare memory and the number that is its address; of each result the same.
struct row {
    object *holder;  // keeps all of it, and lets Python start the graph; null where there is none
    void *graph;
    int64_t used;  // when it was started last
    int64_t block, is_sent;  // where the numbers are on the device; whether they are
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

// Whether memory is where it was.
static bool is_there(const struct device *device, int64_t memory, int64_t address) {
    return AT(int64_t, memory, device->memory_address) == address;
}

// Whether nobody but its row has the memory of a result, where it was.
static bool is_free(const struct device *device, object *memory, int64_t address) {
    return (uint32_t)memory->references == 1 && is_there(device, (int64_t)memory, address) &&
           AT(object *, memory, device->memory_users) == device->nobody;
}

// Whether nobody may write a state unseen.
static bool is_hidden(const struct call *call, object *array) {
    object *storage = AT(object *, array, call->table->storage_offset);
    return storage == call->process->None ||
           AT(object *, storage, device_of(call->table)->storage_exposed) != call->process->True;
}

// Whether a graph is for these arguments, and all else is as it was when it was recorded.
static bool fits(const struct call *call, const struct row *row) {
    const struct table *table = call->table;
    const struct device *device = device_of(table);
    if (!row->holder) return false;
    const int64_t *words = (const int64_t *)(row + 1) + device->number_words;
    for (int64_t k = 0; k < table->input_count; k++)
        if (*words++ != (int64_t)call->inputs[k]) return false;
    for (int64_t k = 0; k < device->bound_count; k++, words += 3) {
        if (AT(int64_t, device->bound[k], table->data_offset) != words[0]) return false;
        if (!is_there(device, words[1], words[2])) return false;
    }
    for (int64_t k = 0; k < device->derived_count; k++)
        if (AT(int64_t, device->derived[k], device->derived_buffer) != *words++ || *device->dirty[k]) return false;
    for (int64_t k = 0; k < device->state_count; k++, words += 2)
        if (!is_there(device, words[0], words[1]) || !is_hidden(call, device->bound[device->states[k]])) return false;
    for (int64_t k = 0; k < table->result_count; k++, words += 2)
        if (!is_free(device, (object *)words[0], words[1])) return false;
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

// Collect the numbers of a call, and leave 0 in their places among the inputs; false where an array has other memory.
static bool collect(const struct call *call, int64_t *numbers) {
    const struct device *device = device_of(call->table);
    for (int64_t k = 0; k < device->host_count; k++)
        if (AT(struct array *, device->hosts[k].array, call->table->data_offset) != device->hosts[k].memory) return false;
    for (int64_t k = 0; k < device->number_words; k++) numbers[k] = 0;
    for (int64_t k = 0; k < device->number_count; k++) {
        const struct number_place *one = &device->numbers[k];
        bool is_input = one->source >= 0;
        const void *source = is_input ? (void *)&call->inputs[one->source] : device->hosts[~one->source].memory->data;
        call->process->memcpy((char *)numbers + one->offset, source, one->nbytes);
        if (is_input) call->inputs[one->source] = NULL;
    }
    return true;
}

// Let the driver start a graph, after its numbers were written; Python, where the device is closed to us, or where it
// fails.
static enum answer start(const struct call *call, struct row *row, int64_t *numbers) {
    struct process *process = call->process;
    const struct device *device = device_of(call->table);
    struct starter *starter = device->starter;
    if (starter->failed | starter->inherited) return OTHER;
    int64_t *sent = (int64_t *)(row + 1), words = device->number_words;
    for (int64_t k = 0; k < words; k++) {
        if (sent[k] != numbers[k]) row->is_sent = 0;
        sent[k] = numbers[k];
    }
    if (starter->recorded | starter->untidy) return ask(process, row->holder, process->True);
    bool is_sent = row->is_sent;
    row->is_sent = 1;
    row->used = starter->started++;
    starter->recent[row->used % RECENT] = device->number;
    void *graph = row->graph, *outside, *block = (void *)row->block, *arguments[1 + NUMBERS];
    for (int64_t k = 0; !is_sent && k <= NUMBERS; k++)
        arguments[k] = 0 < k && k <= words ? (void *)&numbers[k - 1] : (void *)&block;
    ++*process->readers;
    ++starter->asking;
    void *thread = process->PyEval_SaveThread();
    int64_t place = 0, result = starter->push(starter->context);
    if (!result) {
        if (!is_sent) {
            place = 2;
            result = starter->call(starter->numbers, 1, 1, 1, 1, 1, 1, 0, starter->stream, arguments, NULL);
        }
        if (!result) {
            place = 1;
            result = starter->launch(graph, starter->stream);
        }
        starter->pop(&outside);
    }
    process->PyEval_RestoreThread(thread);
    --starter->asking;
    --*process->readers;
    if (!result) return RIGHT;
    row->is_sent = words == 0;
    starter->result = result;
    starter->place = place;
    return ask(process, device->failed, process->True);
}

// What a call writes that was there before it.
struct exchange_of {
    object *memory, *spare;
};

// Let states have their new values.
static void exchange(const struct call *call, const struct exchange_of *states) {
    const struct device *device = device_of(call->table);
    for (int64_t k = 0; k < device->state_count; k++) {
        object **one = &AT(object *, states[k].memory, device->memory_address);
        object **other = &AT(object *, states[k].spare, device->memory_address);
        object *address = *one;
        *one = *other;
        *other = address;
    }
    for (int64_t k = 0; k < device->host_state_count; k++) {
        const struct host_state *one = &device->host_states[k];
        call->process->memcpy(device->hosts[one->host].memory->data, one->value, one->nbytes);
    }
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
    const struct device *device = device_of(table);
    if (device->state_count && device->askers->size) goto slow;
    int64_t *numbers = STACK(int64_t, device->number_words);
    if (!collect(&call, numbers)) goto slow;
    struct row *row = find(&call);
    if (!row) goto slow;
    object *holder = row->holder;
    const int64_t *words = (const int64_t *)row + device->row_words - 2 * results;
    process->Py_IncRef(holder);
    for (int64_t k = 0; k < rows; k++) process->Py_IncRef(call.references[k]);
    for (int64_t k = 0; k < results; k++) {
        call.outputs[k] = (char *)words[2 * k];
        call.results[k] = NULL;
        process->Py_IncRef((object *)call.outputs[k]);
    }
    struct exchange_of *states = STACK(struct exchange_of, device->state_count);
    const int64_t *bound = (const int64_t *)(row + 1) + device->number_words + table->input_count;
    words -= 2 * device->state_count;
    for (int64_t k = 0; k < device->state_count; k++) {
        states[k].memory = (object *)bound[3 * device->states[k] + 1];
        states[k].spare = (object *)words[2 * k];
    }
    answer = start(&call, row, numbers);
    if (answer == RIGHT) exchange(&call, states);
    object *value = answer == RIGHT && commit(&call) && wrap(&call) ? returned(&call) : NULL;
    release(&call, holder);
    if (answer != OTHER) return value;
slow:  // anything odd: the same call goes to Python
    return process->PyObject_Vectorcall(table->fallback, arguments, count, names);
}
