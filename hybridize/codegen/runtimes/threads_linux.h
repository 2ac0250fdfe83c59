// SPDX-License-Identifier: Apache-2.0
// Threads of Linux, as far as the pool needs them: pthreads, futex, the monotonic clock.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct threads {
    int32_t (*pthread_create)(int64_t *thread, void *attributes, void *(*start)(void *), void *argument);
    int32_t (*pthread_join)(int64_t thread, void **result);
    int32_t (*pthread_sigmask)(int32_t how, const int64_t *signals, int64_t *before);
    int64_t (*syscall)(int64_t number, ...);
    int32_t (*clock_gettime)(int32_t clock, int64_t *time);
    int32_t (*sched_yield)(void);
    int64_t futex;
};

typedef void *thread_result;

enum { FUTEX_WAIT = 128, FUTEX_WAKE = 129 };  // operations of futex, private to the process
enum { MONOTONIC_CLOCK = 1, SET_MASK = 2 };

static void sleep_while(struct threads *system, void *address, int64_t value) {
    system->syscall(system->futex, address, FUTEX_WAIT, value, NULL);
}

static void wake(struct threads *system, void *address, int64_t count) {
    system->syscall(system->futex, address, FUTEX_WAKE, count, NULL);
}

static int64_t nanoseconds(struct threads *system) {
    int64_t time[2];
    system->clock_gettime(MONOTONIC_CLOCK, time);
    return time[0] * 1000000000 + time[1];
}

static void give_way(struct threads *system) {
    system->sched_yield();
}

#include "threads_posix.h"
