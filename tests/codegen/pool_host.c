// A host of the pool: loops whose turns are counted, by callers of other threads at once, with shutdowns in between.
// The words of the pool's table are given as -DWORD_name=number.

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

int main(void) {
    table[WORD_pthread_create] = (int64_t)pthread_create;
    table[WORD_pthread_join] = (int64_t)pthread_join;
    table[WORD_pthread_sigmask] = (int64_t)pthread_sigmask;
    table[WORD_syscall] = (int64_t)syscall;
    table[WORD_clock_gettime] = (int64_t)clock_gettime;
    table[WORD_sched_yield] = (int64_t)sched_yield;
    table[WORD_futex] = SYS_futex;
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
