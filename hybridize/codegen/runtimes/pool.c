// SPDX-License-Identifier: Apache-2.0
// The threads of the process: a loop cut into chunks, which the caller and parked workers take in turn.
//
// `hybridize_parallel` calls `body(data, start, stop, slot)` for ranges that cover 0..count once, at most `slots` of
// them at a time, each of those with its own slot below `slots`; a range has at least `grain` turns. Without `wake` the
// caller runs alone where that would take waking a worker. `hybridize_shutdown` returns 0 where the pool is busy.
//
// One word, the ticket, holds the number of the loop and the chunks that nobody has taken. A thread takes a chunk by
// compare-and-swap on it: so a worker that comes late, or was stopped between looking and taking, cannot take part in
// another loop than it saw, and nobody ever waits for a thread that has taken nothing. The caller takes chunks from the
// front and workers from the back, and so they meet the same data in the next loop. A loop that finds the pool busy
// (another Python thread, or a loop within a loop) is run by its caller alone.

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "processor.h"
#if defined(WINDOWS)
#include "threads_windows.h"
#elif defined(MACOS)
#include "threads_macos.h"
#else
#include "threads_linux.h"
#endif

typedef void body_function(void *data, int64_t start, int64_t stop, int64_t slot);

// What different threads write stands on different lines.
#define ON_A_LINE _Alignas(64)

struct pool {
    struct threads system;
    ON_A_LINE _Atomic uint64_t ticket;
    ON_A_LINE body_function *_Atomic body;
    void *_Atomic data;
    _Atomic uint64_t count, chunks, threads, rounding;
    ON_A_LINE _Atomic uint64_t done;
    ON_A_LINE _Atomic uint64_t lock;
    ON_A_LINE _Atomic uint64_t waiting;
    ON_A_LINE _Atomic uint64_t sleepers;
    ON_A_LINE _Atomic uint64_t workers;
    _Atomic uint64_t ceiling, stop;
    ON_A_LINE int64_t thread[];
};

struct team {
    void *parallel;
    struct pool *pool;
    _Atomic uint64_t threads;
};

CHECK_POOL(struct pool)
CHECK_TEAM(struct team)

// The ticket, from the low bit: first free chunk, end of the free chunks, workers that take part, number of the loop.
#define CHUNK_BITS 12
#define WORKER_BITS 8
#define STOP_AT CHUNK_BITS
#define WORKERS_AT (2 * CHUNK_BITS)
#define LOOP_AT 32
#define MOST_CHUNKS ((1u << CHUNK_BITS) - 1)

enum {
    WORKER_SPINS_NS = 20000,  // for more to do: the steps of one program follow each other within it
    CALLER_SPINS_NS = 50000,  // for its workers to finish, before it sleeps: being woken takes as long
    YIELDS_AFTER_NS = 3000,   // from then on whoever looks gives way to other threads between two looks
};

#define NOW(word) atomic_load_explicit(&(word), memory_order_relaxed)
#define ACQUIRED(word) atomic_load_explicit(&(word), memory_order_acquire)
#define SET(word, value) atomic_store_explicit(&(word), value, memory_order_relaxed)

static uint64_t bits(uint64_t ticket, int at, int width) {
    return ticket >> at & ((1u << width) - 1);
}

static uint64_t first_free(uint64_t ticket) {
    return bits(ticket, 0, CHUNK_BITS);
}

static uint64_t end_of_free(uint64_t ticket) {
    return bits(ticket, STOP_AT, CHUNK_BITS);
}

static bool some_free(uint64_t ticket) {
    return first_free(ticket) < end_of_free(ticket);
}

static uint64_t smaller(uint64_t x, uint64_t y) {
    return x < y ? x : y;
}

static bool replace(_Atomic uint64_t *word, uint64_t expected, uint64_t value) {
    return atomic_compare_exchange_strong(word, &expected, value);
}

// A ticket for the loop after this one, without chunks.
static uint64_t next_loop(struct pool *pool) {
    return ((NOW(pool->ticket) >> LOOP_AT) + 1) << LOOP_AT;
}

// The 32 bits of the ticket that number the loop, which workers sleep on.
static void *loop_number(struct pool *pool) {
    return (char *)&pool->ticket + LOOP_AT / 8;
}

// No chunk has more than one turn more than another: half of them are half of the work.
static void run(body_function *body, void *data, uint64_t chunk, uint64_t chunks, uint64_t count, uint64_t slot) {
    body(data, chunk * count / chunks, (chunk + 1) * count / chunks, slot);
}

// What a waiting thread does between two looks. It soon gives way to others: the thread it waits for may be waiting for
// this very processor.
static void breathe(struct pool *pool, int64_t elapsed) {
    pause_briefly();
    if (elapsed > YIELDS_AFTER_NS) give_way(&pool->system);
}

// Take part in the loop there is; returns whether there was anything to do.
static bool help(struct pool *pool) {
    uint64_t ticket, slot, mode, chunks, count;
    body_function *body;
    void *data;
    do {
        ticket = ACQUIRED(pool->ticket);
        slot = bits(ticket, WORKERS_AT, WORKER_BITS) + 1;
        if (!some_free(ticket) || slot >= NOW(pool->threads)) return false;
        // Read before the chunk is taken: taking it proves that they are those of the loop that was seen.
        body = NOW(pool->body), data = NOW(pool->data), count = NOW(pool->count), chunks = NOW(pool->chunks);
        mode = NOW(pool->rounding);
    } while (!replace(&pool->ticket, ticket, ticket + (1u << WORKERS_AT) - (1u << STOP_AT)));
    round_by(mode);
    uint64_t ran = 0;
    for (bool more = true; more;) {
        run(body, data, end_of_free(ticket) - 1, chunks, count, slot);
        ran++;
        do {
            ticket = ACQUIRED(pool->ticket);
            more = some_free(ticket);
        } while (more && !replace(&pool->ticket, ticket, ticket - (1u << STOP_AT)));
    }
    bool complete = atomic_fetch_add(&pool->done, ran) + ran == chunks;
    if (complete && atomic_load(&pool->waiting)) wake(&pool->system, &pool->done, 1);
    return true;
}

// A thread's life. It helps, looks for a while for more to do, then sleeps.
static thread_result worker(void *argument) {
    struct pool *pool = argument;
    int64_t since = nanoseconds(&pool->system);
    for (;;) {
        uint64_t ticket = ACQUIRED(pool->ticket);
        if (ACQUIRED(pool->stop)) return 0;
        if (!help(pool)) {
            int64_t elapsed = nanoseconds(&pool->system) - since;
            if (elapsed < WORKER_SPINS_NS) {
                breathe(pool, elapsed);
                continue;
            }
            // Before the system looks at the number: a caller that then sees no sleeper has already set a new one.
            atomic_fetch_add(&pool->sleepers, 1);
            sleep_while(&pool->system, loop_number(pool), (int64_t)(ticket >> LOOP_AT));
            atomic_fetch_sub(&pool->sleepers, 1);
        }
        since = nanoseconds(&pool->system);
    }
}

// Start threads until there are `wanted` workers; returns how many there are.
static uint64_t start(struct pool *pool, uint64_t wanted) {
    struct mask mask;
    keep_signals_away(&pool->system, &mask);
    uint64_t count;
    while ((count = NOW(pool->workers)) < smaller(wanted, NOW(pool->ceiling))) {
        if (start_thread(&pool->system, &pool->thread[count], worker, pool))
            SET(pool->workers, count + 1);
        else
            SET(pool->ceiling, count);
    }
    let_signals_come(&pool->system, &mask);
    return count;
}

// Wait until the workers have finished what they took: look for a while, then sleep.
static void wait_for_others(struct pool *pool, uint64_t chunks) {
    int64_t since = nanoseconds(&pool->system);
    while (ACQUIRED(pool->done) != chunks) {
        int64_t elapsed = nanoseconds(&pool->system) - since;
        if (elapsed < CALLER_SPINS_NS) {
            breathe(pool, elapsed);
            continue;
        }
        // The word first, then another look: whoever finishes last looks at the word after counting.
        atomic_store(&pool->waiting, 1);
        uint64_t done = atomic_load(&pool->done);
        if (done != chunks) sleep_while(&pool->system, &pool->done, (int64_t)done);
    }
    SET(pool->waiting, 0);
}

// Run a loop with up to `limit` threads; returns false where nobody is there to help.
static bool run_together(
    struct pool *pool, body_function *body, void *data, uint64_t count, uint64_t grain, uint64_t limit
) {
    uint64_t threads = smaller(limit, start(pool, limit - 1) + 1);
    if (threads <= 1) return false;
    uint64_t chunks = smaller(smaller(threads * CHUNKS_EACH, MOST_CHUNKS), count / grain);
    SET(pool->rounding, (uint64_t)rounding_mode());
    SET(pool->body, body);
    SET(pool->data, data);
    SET(pool->count, count);
    SET(pool->chunks, chunks);
    SET(pool->threads, threads);
    SET(pool->done, 0);
    atomic_store(&pool->ticket, next_loop(pool) | chunks << STOP_AT);
    if (atomic_load(&pool->sleepers))
        wake(&pool->system, loop_number(pool), (int64_t)smaller(threads, chunks) - 1);
    // The caller's share: chunk after chunk from the front; it counts them as done in the end.
    uint64_t ticket;
    while (some_free(ticket = ACQUIRED(pool->ticket)))
        if (replace(&pool->ticket, ticket, ticket + 1)) run(body, data, first_free(ticket), chunks, count, 0);
    uint64_t ran = first_free(ticket);
    if (atomic_fetch_add(&pool->done, ran) + ran != chunks) wait_for_others(pool, chunks);
    return true;
}

void hybridize_parallel(
    struct team *team, body_function *body, void *data, int64_t count, int64_t grain, int64_t slots, int64_t wake
) {
    struct pool *pool = team->pool;
    uint64_t limit = smaller(NOW(team->threads), (uint64_t)slots);
    // At least two ranges: `grain` is 1 or more, and no more than half of `count`.
    bool several = (uint64_t)grain - 1 < (uint64_t)count >> 1 && limit > 1;
    if (several && (wake || (NOW(pool->workers) && !NOW(pool->sleepers))) && replace(&pool->lock, 0, 1)) {
        bool ran = run_together(pool, body, data, (uint64_t)count, (uint64_t)grain, limit);
        atomic_store_explicit(&pool->lock, 0, memory_order_release);
        if (ran) return;
    }
    if (count > 0) body(data, 0, count, 0);
}

// End the workers; the next loop makes new ones.
int64_t hybridize_shutdown(struct pool *pool) {
    if (!replace(&pool->lock, 0, 1)) return 0;
    atomic_store(&pool->stop, 1);
    atomic_store(&pool->ticket, next_loop(pool));
    wake(&pool->system, loop_number(pool), MOST_THREADS);
    uint64_t workers = NOW(pool->workers);
    for (uint64_t number = 0; number < workers; number++) join_thread(&pool->system, pool->thread[number]);
    SET(pool->workers, 0);
    SET(pool->stop, 0);
    atomic_store_explicit(&pool->lock, 0, memory_order_release);
    return 1;
}
