// A host of the pool: loops whose turns are counted, by callers of other threads at once, with shutdowns in between.
// The words of the pool's table are given as -DWORD_name=number. With -DWINDOWS or -DMACOS, the pool is that of another
// system, whose functions Linux's stand for here.

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void hybridize_parallel(void *team, void *body, void *data, int64_t count, int64_t grain, int64_t slots, int64_t wake);
int64_t hybridize_shutdown(void *pool);

enum { THREADS = 3, TURNS = 4000, ROUNDS = 50, CALLERS = 2 };

static alignas(64) int64_t table[WORD_thread + 255];
static int64_t team[] = {0, (int64_t)table, THREADS};

struct loop {
    _Atomic int64_t turns[TURNS], in_slot[THREADS], wrong;
};

static void body(struct loop *loop, int64_t start, int64_t stop, int64_t slot) {
    if (slot < 0 || slot >= THREADS || atomic_fetch_add(&loop->in_slot[slot], 1)) loop->wrong++;
    for (int64_t k = start; k < stop; k++) loop->turns[k]++;
    atomic_fetch_sub(&loop->in_slot[slot], 1);
}

static struct loop loops[CALLERS];

static void *caller(void *argument) {
    struct loop *loop = argument;
    for (int round = 0; round < ROUNDS; round++)
        hybridize_parallel(team, (void *)body, loop, TURNS, 1 + round, THREADS, 1);
    return NULL;
}

enum { FUTEX_WAIT = 128, FUTEX_WAKE = 129 };

#if defined(WINDOWS)

static int64_t create_thread(
    void *attributes, uint64_t stack, uint32_t (*start)(void *), void *argument, uint32_t flags, uint32_t *number
) {
    pthread_t thread;
    if (attributes || stack || flags || number) return 0;
    return pthread_create(&thread, NULL, (void *(*)(void *))start, argument) ? 0 : (int64_t)thread;
}
static uint32_t wait_for_object(int64_t thread, uint32_t milliseconds) {
    return milliseconds == 0xFFFFFFFFu ? (uint32_t)pthread_join((pthread_t)thread, NULL) : 258;
}
static int32_t closed;
static int32_t close_handle(int64_t thread) { return thread != 0 && ++closed; }
static int32_t wait_on_address(void *address, void *value, uint64_t nbytes, uint32_t milliseconds) {
    if (nbytes != 4 || milliseconds != 0xFFFFFFFFu) return 0;
    syscall(SYS_futex, address, FUTEX_WAIT, *(int32_t *)value, NULL);
    return 1;
}
static void wake_all(void *address) { syscall(SYS_futex, address, FUTEX_WAKE, 255, NULL); }
static int32_t ticks_now(uint64_t *ticks) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *ticks = (uint64_t)now.tv_sec * 10000000 + (uint64_t)now.tv_nsec / 100;
    return 1;
}
static int64_t words[] = {
    (int64_t)create_thread, (int64_t)wait_for_object, (int64_t)close_handle, (int64_t)wait_on_address,
    (int64_t)wake_all, (int64_t)ticks_now, (int64_t)sched_yield, 10000000,
};

#elif defined(MACOS)

static int32_t ulock_wait(uint32_t operation, void *address, uint64_t value, uint32_t microseconds) {
    if (operation != 0x01000001 || microseconds) return -1;
    return (int32_t)syscall(SYS_futex, address, FUTEX_WAIT, (int32_t)value, NULL);
}
static int32_t ulock_wake(uint32_t operation, void *address, uint64_t value) {
    if ((operation & ~0x100u) != 0x01000001 || value) return -1;
    return (int32_t)syscall(SYS_futex, address, FUTEX_WAKE, operation & 0x100 ? 255 : 1, NULL);
}
static uint64_t nanoseconds(int32_t clock) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return clock == 8 ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec : 0;
}
static int32_t mask_signals(int32_t how, const int64_t *signals, int64_t *before) {
    return pthread_sigmask(how == 3 ? SIG_SETMASK : -1, (const sigset_t *)signals, (sigset_t *)before);
}
static int64_t words[] = {
    (int64_t)pthread_create, (int64_t)pthread_join, (int64_t)mask_signals, (int64_t)ulock_wait, (int64_t)ulock_wake,
    (int64_t)sched_yield, (int64_t)nanoseconds,
};

#else

static int64_t words[] = {
    (int64_t)pthread_create, (int64_t)pthread_join, (int64_t)pthread_sigmask, (int64_t)syscall,
    (int64_t)clock_gettime, (int64_t)sched_yield, SYS_futex,
};

#endif

int main(void) {
    for (unsigned k = 0; k < sizeof words / sizeof *words; k++) table[WORD_system + k] = words[k];
    table[WORD_ceiling] = 255;
    int64_t most = 0, wrong = 0;
    for (int again = 0; again < 3; again++) {
        pthread_t threads[CALLERS];
        for (int k = 0; k < CALLERS; k++) pthread_create(&threads[k], NULL, caller, &loops[k]);
        for (int k = 0; k < CALLERS; k++) pthread_join(threads[k], NULL);
        if (table[WORD_workers] > most) most = table[WORD_workers];
        if (!hybridize_shutdown(table) || table[WORD_workers]) wrong++;
    }
    for (int k = 0; k < CALLERS; k++) {
        wrong += loops[k].wrong;
        for (int turn = 0; turn < TURNS; turn++) wrong += loops[k].turns[turn] != 3 * ROUNDS;
    }
    printf("%d workers, %d wrong\n", (int)most, (int)wrong);
    return 0;
}
