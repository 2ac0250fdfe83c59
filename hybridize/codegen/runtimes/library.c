// SPDX-License-Identifier: Apache-2.0
// What is in every library for C: making a model and giving it back, memory for calls, loops that threads share, and the
// texts of codes. The linkage and the names `model_*` are given by `codegen.llvm.library`, which also writes the tables.

#include "library.h"
#include "processor.h"

// The best first; the last of them every machine runs.
struct level {
    char name[LEVEL_NAME_BYTES];
    int64_t x86_level;  // the level of x86-64 that a processor must reach
    int64_t nbytes;     // of a model
    int32_t (*setup)(struct model *model, const char *weights);
};

CHECK_LEVEL(struct level)

extern const struct level levels[];
extern const int64_t level_count;
extern const int64_t generator;  // the offset of the random generator's state
extern const int64_t reserved;   // bytes of the largest block that a call takes; -1: that depends on sizes
extern const char errors[];
extern const int32_t codes[], starts[];
extern const int64_t code_count;

enum { PAGE = 4096 };  // the smallest page of any processor that we write code for

int32_t give_way(void);
void touch_image(void);

// Wait until nobody else has the word; after some looks others may run meanwhile.
void lock(_Atomic int32_t *word) {
    while (atomic_exchange_explicit(word, 1, memory_order_acquire)) {
        int look = 0;
        while (look < 64 && atomic_load_explicit(word, memory_order_relaxed)) look++;
        if (look == 64) give_way();
    }
}

// Memory for a call: its second word is its size, the first what malloc gave; from the next line on it is the call's.
// One block is kept between calls: malloc gives large ones back to the system, which then clears them again.
void *take(struct model *model, int64_t nbytes) {
    struct block {
        void *memory;
        int64_t nbytes;
    } *spare = atomic_exchange_explicit(&model->spare, NULL, memory_order_acquire);
    if (spare) {
        if ((uint64_t)spare->nbytes >= (uint64_t)nbytes) return spare;
        free(spare->memory);
    }
    void *memory = malloc((uint64_t)nbytes + 2 * LINE);
    if (!memory) return NULL;
    struct block *block = on_a_line(memory);
    block->memory = memory;
    block->nbytes = nbytes;
    return block;
}

void give(struct model *model, void *block) {
    if (!block) return;
    void **other = atomic_exchange_explicit(&model->spare, block, memory_order_acq_rel);
    if (other) free(*other);
}

// Where no size is open, calls find all of their memory ready: the block is there, and its pages and those of the library
// have been touched, so that no call is the first to do so.
static int32_t prepare_calls(struct model *model) {
    if (reserved < 0) return 0;
    touch_image();
    if (!reserved) return 0;
    char *block = take(model, reserved);
    if (!block) return failure(CODE_MEMORY, 0);
    volatile char *bytes = block + LINE;
    for (int64_t at = 0; at < reserved; at += PAGE) bytes[at] = 0;
    bytes[reserved - 1] = 0;
    give(model, block);
    return 0;
}

// Loops that threads share, run by the host's parallel-for. The turns are cut into as many ranges as threads may be, one
// task each, and the number of the task is the slot: tasks use memory of their own whoever runs them, in whatever order,
// one after the other or at once.
struct work {
    body_function *body;
    void *data;
    int64_t count, size, parts;
};

static void task(void *argument, int64_t number) {
    struct work *work = argument;
    if ((uint64_t)number >= (uint64_t)work->parts) return;  // one that is not there would use a slot that is not
    int64_t first = number * work->size, last = first + work->size;
    work->body(work->data, first, last < work->count ? last : work->count, number);
}

static int64_t smaller(int64_t x, int64_t y) {
    return x < y ? x : y;
}

static int64_t parts_of(int64_t count, int64_t size) {
    return (count + size - 1) / size;
}

void shared(
    void **team, body_function *body, void *data, int64_t count, int64_t grain, int64_t slots, int64_t wake
) {
    // Whether the host's threads are awake is not known: work that is not worth waking them stays here.
    if (grain < count && wake) {
        struct model *model = team[TEAM_MODEL];
        int64_t size = parts_of(count, smaller(smaller(model->threads, slots), parts_of(count, grain)));
        struct work work = {body, data, count, size, parts_of(count, size)};
        if (work.parts > 1) {
            model->parallel_for(model->context, task, &work, work.parts);
            return;
        }
    }
    if (count > 0) body(data, 0, count, 0);
}

static bool equal(const char *x, const char *y) {
    while (*x && *x == *y) x++, y++;
    return *x == *y;
}

// The best level that runs here, from the one that is named on; null: there is none of that name.
static const struct level *choose(const char *name) {
    int64_t reached = reached_x86_level();
    for (const struct level *level = levels; level < levels + level_count; level++) {
        if (name && equal(name, level->name)) name = NULL;
        if (!name && level->x86_level <= reached) return level;
    }
    return NULL;
}

int32_t model_create(struct model **place, const struct options *options) {
    const struct options none = {0};
    if (!place) return failure(CODE_NULL, 0);
    *place = NULL;
    if (!options) options = &none;
    const struct level *level = choose(options->processor);
    if (!level) return failure(CODE_OPTION, 0);
    if (options->threads < 0) return failure(CODE_OPTION, 1);
    if (options->threads > 1 && !options->parallel_for) return failure(CODE_OPTION, 2);
    void *memory = malloc((uint64_t)level->nbytes + LINE);
    if (!memory) return failure(CODE_MEMORY, 0);
    struct model *model = on_a_line(memory);
    *model = (struct model){
        .memory = memory,
        .self = model,
        .threads = options->threads,
        .parallel_for = options->parallel_for,
        .context = options->context,
    };
    int32_t answer = attach_weights(model, options->weights);
    if (!answer) {
        answer = level->setup(model, model->weights);
        if (!answer) answer = prepare_calls(model);
        if (answer) detach_weights(model);
    }
    if (answer)
        free(memory);
    else
        *place = model;
    return answer;
}

void model_destroy(struct model *model) {
    if (!model) return;
    void **spare = model->spare;
    if (spare) free(*spare);
    detach_weights(model);
    free(model->memory);
}

// The generator begins anew: nothing drawn yet.
int32_t model_seed(struct model *model, int64_t seed) {
    if (!model) return failure(CODE_NULL, 1);
    int64_t *words = (int64_t *)((char *)model + generator);
    lock(&model->lock);
    words[0] = seed;
    words[1] = 0;
    atomic_store_explicit(&model->lock, 0, memory_order_release);
    return 0;
}

const char *model_error(int32_t code) {
    int64_t number = 0;
    while (number < code_count && codes[number] != code) number++;
    return errors + starts[number];
}
