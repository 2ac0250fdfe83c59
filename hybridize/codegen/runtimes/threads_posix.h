// SPDX-License-Identifier: Apache-2.0
// What Linux and macOS share of threads: they are pthreads, and take no signals, which are for those that run Python.
#pragma once

enum { SIGNAL_WORDS = 16 };

struct mask {
    int64_t before[SIGNAL_WORDS];
};

static void keep_signals_away(struct threads *system, struct mask *mask) {
    int64_t every[SIGNAL_WORDS];
    for (int word = 0; word < SIGNAL_WORDS; word++) every[word] = -1;
    system->pthread_sigmask(SET_MASK, every, mask->before);
}

static void let_signals_come(struct threads *system, struct mask *mask) {
    system->pthread_sigmask(SET_MASK, mask->before, NULL);
}

static bool start_thread(struct threads *system, int64_t *thread, thread_result (*start)(void *), void *argument) {
    return system->pthread_create(thread, NULL, start, argument) == 0;
}

static void join_thread(struct threads *system, int64_t thread) {
    system->pthread_join(thread, NULL);
}
