// SPDX-License-Identifier: Apache-2.0
// Threads of macOS, as far as the pool needs them: pthreads, the calls of the system that libc++ waits by, a clock.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct threads {
    int32_t (*pthread_create)(int64_t *thread, void *attributes, void *(*start)(void *), void *argument);
    int32_t (*pthread_join)(int64_t thread, void **result);
    int32_t (*pthread_sigmask)(int32_t how, const int64_t *signals, int64_t *before);
    int32_t (*ulock_wait)(uint32_t operation, void *address, uint64_t value, uint32_t microseconds);
    int32_t (*ulock_wake)(uint32_t operation, void *address, uint64_t value);
    int32_t (*sched_yield)(void);
    uint64_t (*clock_gettime_nsec_np)(int32_t clock);
};

typedef void *thread_result;

// Compare 32 bits and wait, without errno; and wake all.
enum { COMPARE_AND_WAIT = 1 | 0x01000000, WAKE_ALL = 0x100, FOR_EVER = 0 };
enum { UPTIME_CLOCK = 8, SET_MASK = 3 };

static void sleep_while(struct threads *system, void *address, int64_t value) {
    system->ulock_wait(COMPARE_AND_WAIT, address, (uint32_t)value, FOR_EVER);
}

// One or all: there is no way to wake some. Who finds nothing to do sleeps again.
static void wake(struct threads *system, void *address, int64_t count) {
    system->ulock_wake(COMPARE_AND_WAIT | (count > 1 ? WAKE_ALL : 0), address, 0);
}

static int64_t nanoseconds(struct threads *system) {
    return (int64_t)system->clock_gettime_nsec_np(UPTIME_CLOCK);
}

static void give_way(struct threads *system) {
    system->sched_yield();
}

#include "threads_posix.h"
