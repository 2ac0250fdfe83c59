// SPDX-License-Identifier: Apache-2.0
// The function that Python calls (METH_FASTCALL | METH_KEYWORDS): checks the arguments against a table, makes the
// results, runs the program.
//
// One function serves every program: `self` is a `runtime.entry.EntryTable`, whose table says what the arguments must
// be and what to call. The code holds no address and refers to no symbol (see `runtime.cpython.EXTERNALS`), so its
// image can be mapped anywhere. It must not know graphs or plans.
//
// The order matters: arrays are not garbage-collected objects, so nothing of the user's runs between the checks and the
// end of the program; the wrappers, whose allocation may run the collector, are made afterwards. A program that prints
// or asserts calls back to Python on its way, and one without the GIL lets other threads run: arguments are held from
// the checks to the end.
//
// Arrays may be another library's (`runtime.exchange`). Its results are made of blocks: what DLPack has to know of an
// array, and then its elements, which begin on a cache line. The library frees a block with the array. Where its arrays
// are looked at by the buffer protocol, that may wait for an array, and other threads run meanwhile: all arguments are
// held before, and the flags are looked at once more. The views are released at the end of the call.

#include "entry.h"

enum {
    STACK_BYTES = 16 << 10,  // scratch of at most so many bytes lies on the stack
    PAGED = 4 << 20,         // results of so many bytes ask for large pages, as NumPy's do
    HUGE_PAGES = 14,         // MADV_HUGEPAGE
    MOST_OPERANDS = 8,  // of the function that makes an array of a capsule
};

static char *aligned(char *address, int64_t bytes) {
    return (char *)((uintptr_t)(address + bytes - 1) & (uintptr_t)-bytes);
}

// The bytes of an element.
static int64_t itemsize_of(int64_t word) {
    return (int64_t)((uint64_t)word >> 43 & 31);
}

// Compare the sizes of an array with those of the row. A size that the call brings along is taken down, or compared with
// what it was before (`size_word`).
static bool check_sizes(const struct call *call, const struct argument *row, const int64_t *dims, int64_t rank) {
    for (int64_t k = 0; k < rank; k++) {
        int64_t size = dims[k], word = row->dims[k];
        if (size == word) continue;
        if (word >= 0) return false;
        uint64_t code = ~(uint64_t)word;
        int64_t *cell = (int64_t *)&call->inputs[call->table->size_slot + (int64_t)(code >> 1) + 1];
        if (!(code & 1))
            *cell = size;
        else if (*cell != size)
            return false;
    }
    return true;
}

// The NumPy array of an argument, if it has the type of the row; else null.
static struct array *checked_array(const struct call *call, const struct argument *row, object *given) {
    const struct table *table = call->table;
    if (table->wrapper) {
        if (given->type != table->wrapper) return NULL;
        given = AT(object *, given, table->data_offset);
        if (!given) return NULL;
    }
    struct array *array = (struct array *)given;
    if (given->type != call->process->ndarray) return NULL;
    int64_t rank = (uint32_t)array->ndim;
    if (array->descr != row->object || (array->flags & USABLE) != USABLE || rank != row->ndim) return NULL;
    return check_sizes(call, row, array->dims, rank) ? array : NULL;
}

static bool lies_right(const char *data, int64_t itemsize) {
    return data && ((int64_t)data & (itemsize - 1)) == 0;
}

static bool has_right_flag(const struct call *call, const struct argument *row, object *array) {
    return !row->flag || has_attribute(call->process, array, call->table->exchange->flag, row->flag);
}

// The elements of another library's array, if it has the type of the row and is laid out row by row; else null.
static char *checked_tensor(const struct call *call, const struct argument *row, object *array) {
    const struct exchange *library = call->table->exchange;
    struct tensor tensor;
    if (array->type != library->type && array->type != library->parameter) return NULL;
    if (!has_right_flag(call, row, array) || !look(call->process, library, array, &tensor)) return NULL;
    if (tensor.word != (int64_t)row->object || !lies_right(tensor.data, itemsize_of(tensor.word))) return NULL;
    int64_t rank = rank_of(tensor.word), dense = 1;
    if (!check_sizes(call, row, tensor.shape, rank)) return NULL;
    for (int64_t k = rank; k-- > 0; dense *= tensor.shape[k])
        if (tensor.shape[k] != 1 && tensor.strides[k] != dense) return NULL;
    return tensor.data;
}

// The bytes of a format, at most eight, as a word.
static int64_t format_word(const char *text) {
    uint64_t word = 0;
    for (int k = 0; k < 8 && text[k]; k++) word |= (uint64_t)(uint8_t)text[k] << 8 * k;
    return (int64_t)word;
}

// Take the memory of arrays that show it by the buffer protocol, if they have the types of their rows.
static bool take_views(const struct call *call) {
    const struct table *table = call->table;
    struct process *process = call->process;
    for (int64_t k = 0; k < table->view_count; k++) {
        const struct argument *row = &table->arguments[k];
        if (row->kind != ARGUMENT_VIEW) continue;
        struct view *view = &call->views[k];
        if (!has_right_flag(call, row, call->references[k])) return false;
        if (process->PyObject_GetBuffer(call->references[k], view, VIEW_FLAGS)) {
            process->PyErr_Clear();
            return false;
        }
        if (!view->format || format_word(view->format) != (int64_t)row->object) return false;
        if ((uint32_t)view->ndim != row->ndim || !lies_right(view->data, view->itemsize)) return false;
        if (!check_sizes(call, row, view->shape, row->ndim)) return false;
        call->inputs[row->slot] = view->data;
    }
    return true;
}

// Prove that each argument is what its row says, and find where the elements of each are.
static bool check_arguments(const struct call *call) {
    const struct table *table = call->table;
    for (int64_t k = 0; k < table->row_count; k++) {
        const struct argument *row = &table->arguments[k];
        object *given = call->objects[k];
        char *input = (char *)&call->scalars[k];
        call->references[k] = NULL;
        switch (row->kind) {
            case ARGUMENT_ARRAY: {
                struct array *array = checked_array(call, row, given);
                if (!array) return false;
                call->references[k] = &array->head;
                input = array->data;
                break;
            }
            case ARGUMENT_TENSOR:
                input = checked_tensor(call, row, given);
                if (!input) return false;
                call->references[k] = given;
                break;
            case ARGUMENT_VIEW:
                if (given->type != table->exchange->type) return false;
                call->references[k] = given;
                continue;
            case ARGUMENT_FLOAT:
                if (!take_float(call, row, given, &call->scalars[k])) return false;
                break;
            case ARGUMENT_INT:
                if (!take_int(call, given, &call->scalars[k])) return false;
                break;
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
        call->inputs[row->slot] = input;
    }
    return true;
}

// A block of another library's array: a `DLManagedTensorVersioned`, its sizes and strides, and its elements, on a cache
// line. Without memory an exception is set.
static void *new_block(const struct call *call, int64_t word, const int64_t *dims, char **data) {
    struct process *process = call->process;
    const struct exchange *library = call->table->exchange;
    int64_t rank = rank_of(word), nbytes = itemsize_of(word);
    for (int64_t k = 0; k < rank; k++) nbytes *= dims[k];
    int64_t before = HEADER_BYTES + (int64_t)sizeof(struct tensor) + 16 * rank;
    int64_t need = (before + nbytes + ALIGNMENT + ALIGNMENT - 1) & -ALIGNMENT;
    // Not aligned more than all memory is: what is freed of such blocks fits no later one, and memory grows.
    char *block = process->aligned_alloc(16, need);
    if (!block) {
        process->PyErr_NoMemory();
        return NULL;
    }
    int64_t page = process->page_bytes;
    if (nbytes >= PAGED && process->madvise) process->madvise(aligned(block, page), need - page, HUGE_PAGES);
    int64_t *sizes = (int64_t *)(block + HEADER_BYTES + (int64_t)sizeof(struct tensor)), *strides = sizes + rank;
    AT(int64_t, block, 0) = 1;  // the version; then context and flags, in the way of an unversioned tensor that follows
    AT(int64_t, block, 8) = 0;
    AT(int64_t, block, 24) = 0;
    AT(void *, block, library->deleter) = (void *)process->free;
    *data = aligned(block + before, ALIGNMENT);
    AT(struct tensor, block, library->tensor) = (struct tensor){*data, CPU_DEVICE, word, sizes, strides, 0};
    int64_t dense = 1;
    for (int64_t k = rank; k-- > 0; dense *= dims[k] ? dims[k] : 1) {
        sizes[k] = dims[k];
        strides[k] = dense;
    }
    return block;
}

// A new NumPy array, or null; over `data` where that is given.
static struct array *new_array(
    struct process *process, object *descr, int32_t ndim, const int64_t *dims, void *data, int32_t flags
) {
    process->Py_IncRef(descr);  // NewFromDescr takes a reference away, also when it fails
    return (struct array *)process->PyArray_NewFromDescr(process->ndarray, descr, ndim, dims, NULL, data, flags, NULL);
}

// A new NumPy array that begins on a cache line, which NumPy's own memory does not: a view of bytes.
static struct array *new_array_on_line(
    struct process *process, object *descr, int32_t ndim, const int64_t *dims, int64_t nbytes
) {
    int64_t length = nbytes + ALIGNMENT;
    struct array *owner = new_array(process, process->bytes, 1, &length, NULL, 0);
    if (!owner) return NULL;
    char *data = aligned(owner->data, ALIGNMENT);
    struct array *array = new_array(process, descr, ndim, dims, data, USABLE_AND_WRITABLE);
    if (!array)
        process->Py_DecRef(&owner->head);
    else
        process->PyArray_SetBaseObject(&array->head, &owner->head);
    return array;
}

// One new NumPy array for each result, or a block that becomes another library's array.
static bool make_results(const struct call *call) {
    const struct table *table = call->table;
    for (int64_t k = 0; k < table->result_count; k++) {
        const struct output *row = &table->outputs[k];
        const int64_t *dims = (const int64_t *)((const char *)call->figures + row->dims);
        int64_t nbytes = dims[-1];  // where the result is to begin on a cache line; else 0
        if (table->exchange) {
            call->blocks[k] = new_block(call, (int64_t)row->descr, dims, &call->outputs[k]);
            if (!call->blocks[k]) return false;
            continue;
        }
        struct array *array =
            nbytes ? new_array_on_line(call->process, row->descr, (int32_t)row->ndim, dims, nbytes)
                   : new_array(call->process, row->descr, (int32_t)row->ndim, dims, NULL, 0);
        if (!array) return false;
        call->results[k] = &array->head;
        call->outputs[k] = array->data;
    }
    return true;
}

// Scratch that is too large for the stack: the process' kept block (the GIL guards it), or a new one, whose size is put
// to `nbytes`. Without memory an exception is set.
static char *take_scratch(struct process *process, int64_t need, int64_t *nbytes) {
    char *block = process->scratch;
    int64_t available = process->scratch_bytes;
    process->scratch = NULL;
    process->scratch_bytes = 0;
    *nbytes = available;
    if ((uint64_t)available >= (uint64_t)need) return block;
    // What is too small would be freed after the call: not held beside the larger block until then.
    process->free(block);
    *nbytes = need;
    block = process->aligned_alloc(64, need);
    if (!block) process->PyErr_NoMemory();
    return block;
}

// Keep the larger of this block and the one that another call may have given back meanwhile.
RARE static void give_scratch(struct process *process, char *block, int64_t nbytes) {
    if ((uint64_t)nbytes > (uint64_t)process->scratch_bytes) {
        char *other = process->scratch;
        process->scratch = block;
        process->scratch_bytes = nbytes;
        block = other;
    }
    process->free(block);
}

// Set the exception that the program has left behind, see `runtime.effects`; returns false if there is one. The flag is
// up where any thread has one, so that this thread is asked, by a call to Python.
RARE static bool nothing_pending(const struct table *table) {
    struct process *process = table->process;
    if (!table->pending || !*table->pending) return true;
    object *exception = process->PyObject_CallNoArgs(table->taken);
    if (!exception) return false;  // an interruption, which is set already
    bool none = exception == process->None;
    if (!none) process->PyErr_SetObject(exception->type, exception);
    process->Py_DecRef(exception);
    return none;
}

// Run the program where it gives the GIL away, or calls back to print or assert; returns false where it raises. It is
// one of the readers meanwhile (`base.access`), which are counted by who holds the GIL.
static bool run_while_python_may(const struct call *call, char *scratch) {
    const struct table *table = call->table;
    struct process *process = call->process;
    ++*process->readers;
    void *thread = call->figures->release ? process->PyEval_SaveThread() : NULL;
    table->program(call->inputs, call->outputs, scratch);
    if (thread) process->PyEval_RestoreThread(thread);
    --*process->readers;
    return nothing_pending(table);
}

// The program, without the GIL when that pays; then the writes: all of them, or none where it raises, which is the
// answer false.
static bool run(const struct call *call, char *scratch) {
    const struct table *table = call->table;
    for (int64_t k = table->result_count; k < table->output_count; k++) {
        const struct output *row = &table->outputs[k];
        call->outputs[k] = row->offset < 0 ? row->target : scratch + row->offset;
    }
    scratch += table->write_bytes;
    if (call->figures->release || table->pending) {
        if (!run_while_python_may(call, scratch)) return false;
    } else {
        table->program(call->inputs, call->outputs, scratch);
    }
    for (int64_t k = table->result_count; k < table->output_count; k++) {
        const struct output *row = &table->outputs[k];
        if (row->target != call->outputs[k]) call->process->memcpy(row->target, call->outputs[k], row->nbytes);
    }
    return true;
}

// Put an array of a block to an address: made by the function of the library that takes capsules, whose the block is
// from then on. One that it has not taken is freed.
RARE static bool make_of_capsule(
    struct process *process, const struct exchange *library, void *block, object **result
) {
    object *operands[MOST_OPERANDS];
    for (int64_t k = 0; k < library->operand_count; k++) operands[k] = library->operands[k];
    object *capsule = process->PyCapsule_New(block, library->capsule, NULL);
    if (!capsule) {
        process->free(block);
        return false;
    }
    operands[0] = capsule;
    *result = process->PyObject_Vectorcall(library->maker, operands, library->operand_count, NULL);
    // Whoever takes it renames it.
    if (process->PyCapsule_IsValid(capsule, library->capsule)) process->free(block);
    process->Py_DecRef(capsule);
    return *result != NULL;
}

// Make an array of each block, which it owns from then on, and put each result into an instance of the array class:
// its first slot is the array, the second None.
static bool wrap(const struct call *call) {
    const struct table *table = call->table;
    struct process *process = call->process;
    const struct exchange *library = table->exchange;
    for (int64_t k = 0; library && k < table->result_count; k++) {
        void *block = call->blocks[k];
        call->blocks[k] = NULL;
        if (library->make) {
            if (library->make(block, &call->results[k])) return false;
        } else if (!make_of_capsule(process, library, block, &call->results[k])) {
            return false;
        }
    }
    for (int64_t k = 0; table->wrapper && k < table->result_count; k++) {
        object *wrapped = process->PyType_GenericAlloc(table->wrapper, 0);
        if (!wrapped) return false;
        AT(object *, wrapped, table->data_offset) = call->results[k];
        process->Py_IncRef(process->None);
        AT(object *, wrapped, table->storage_offset) = process->None;
        call->results[k] = wrapped;
    }
    return true;
}

// Make the results, run the program, and hand the results over; null with an exception that is set.
static object *results_of(const struct call *call, char *scratch, int64_t need) {
    int64_t nbytes = 0;
    if (!make_results(call)) return NULL;
    if (!scratch && !(scratch = take_scratch(call->process, need, &nbytes))) return NULL;
    bool whole = run(call, scratch);
    if (nbytes) give_scratch(call->process, scratch, nbytes);
    return whole && commit(call) && wrap(call) ? returned(call) : NULL;
}

// Let go of what was held for the call.
static void release(const struct call *call) {
    for (int64_t k = 0; k < call->table->view_count; k++) call->process->PyBuffer_Release(&call->views[k]);
    for (int64_t k = 0; k < call->table->row_count; k++) call->process->Py_DecRef(call->references[k]);
}

object *hybridize_entry(object *self, object **arguments, int64_t count, object *names) {
    const struct table *table = (const struct table *)AT(struct array *, self, table_offset)->data;
    struct process *process = table->process;
    if (!is_called_right(table, count, names)) goto slow;
    enum answer answer = check_guards(table);
    if (answer == RAISED) return NULL;
    if (answer == OTHER || !nothing_odd(table)) goto slow;
    int64_t rows = table->row_count, results = table->result_count, views = table->view_count;
    struct call call = {
        .table = table,
        .process = process,
        .objects = STACK(object *, rows),
        .references = STACK(object *, rows),
        .scalars = STACK(int64_t, rows),
        .inputs = STACK(char *, table->input_count),
    };
    for (int64_t k = 0; k < table->input_count; k++) call.inputs[k] = table->inputs[k];
    for (int64_t k = 0; k < table->argument_count + table->keyword_count; k++) call.objects[k] = arguments[k];
    if (!check_arguments(&call)) goto slow;
    // Another thread may replace an argument's array, or an item of a container: they are held.
    for (int64_t k = 0; k < rows; k++) process->Py_IncRef(call.references[k]);
    call.views = STACK(struct view, views);
    for (int64_t k = 0; k < views; k++) call.views[k].owner = NULL;
    bool right = !views || (take_views(&call) && nothing_odd(table));
    call.figures = (const struct figures *)&table->scratch_bytes;
    if (right && table->prepare) {
        int64_t *frame = STACK(int64_t, table->frame_words), *sizes = (int64_t *)&call.inputs[table->size_slot + 1];
        call.inputs[table->size_slot] = (char *)sizes;
        right = table->prepare(sizes, frame);
        call.figures = (const struct figures *)frame;
    }
    if (!right) {
        release(&call);
        goto slow;
    }
    call.outputs = STACK(char *, table->output_count);
    call.results = STACK(object *, results);
    call.blocks = STACK(void *, results);
    for (int64_t k = 0; k < results; k++) call.results[k] = call.blocks[k] = NULL;
    int64_t need = call.figures->scratch_bytes + table->write_bytes;
    char *scratch = (uint64_t)need <= STACK_BYTES ? __builtin_alloca_with_align((uint64_t)need, 8 * ALIGNMENT) : NULL;
    object *value = results_of(&call, scratch, need);
    for (int64_t k = 0; !value && k < results; k++) {
        process->Py_DecRef(call.results[k]);
        process->free(call.blocks[k]);
    }
    release(&call);
    return value;
slow:  // anything odd: the same call goes to Python
    return process->PyObject_Vectorcall(table->fallback, arguments, count, names);
}
