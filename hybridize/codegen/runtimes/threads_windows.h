// SPDX-License-Identifier: Apache-2.0
// Threads of Windows, as far as the pool needs them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct threads {
    int64_t (*CreateThread)(
        void *attributes, uint64_t stack, uint32_t (*start)(void *), void *argument, uint32_t flags, uint32_t *number
    );
    uint32_t (*WaitForSingleObject)(int64_t thread, uint32_t milliseconds);
    int32_t (*CloseHandle)(int64_t thread);
    int32_t (*WaitOnAddress)(void *address, void *value, uint64_t nbytes, uint32_t milliseconds);
    void (*WakeByAddressAll)(void *address);
    int32_t (*QueryPerformanceCounter)(uint64_t *ticks);
    int32_t (*SwitchToThread)(void);
    uint64_t frequency;  // of the counter
};

typedef uint32_t thread_result;

enum { NANOSECONDS = 1000000000 };
#define FOR_EVER 0xFFFFFFFFu

static void sleep_while(struct threads *system, void *address, int64_t value) {
    uint32_t unwanted = (uint32_t)value;
    system->WaitOnAddress(address, &unwanted, sizeof unwanted, FOR_EVER);
}

// All: there is no way to wake some. Who finds nothing to do sleeps again.
static void wake(struct threads *system, void *address, int64_t count) {
    (void)count;
    system->WakeByAddressAll(address);
}

static int64_t nanoseconds(struct threads *system) {
    uint64_t ticks, rate = system->frequency;
    system->QueryPerformanceCounter(&ticks);
    return (int64_t)(ticks / rate * NANOSECONDS + ticks % rate * NANOSECONDS / rate);
}

static void give_way(struct threads *system) {
    system->SwitchToThread();
}

// There are no signals: handlers of the console run in threads of their own.
struct mask {
    char nothing;
};

static void keep_signals_away(struct threads *system, struct mask *mask) {
    (void)system, (void)mask;
}

static void let_signals_come(struct threads *system, struct mask *mask) {
    (void)system, (void)mask;
}

static bool start_thread(struct threads *system, int64_t *thread, thread_result (*start)(void *), void *argument) {
    *thread = system->CreateThread(NULL, 0, start, argument, 0, NULL);
    return *thread != 0;
}

static void join_thread(struct threads *system, int64_t thread) {
    system->WaitForSingleObject(thread, FOR_EVER);
    system->CloseHandle(thread);
}
