// SPDX-License-Identifier: Apache-2.0
// Made by `make runtimes`.
#pragma once

#define CHUNKS_EACH 4
#define CALLER_SPINS_NS 50000
#define MOST_THREADS 255
#define WORKER_SPINS_NS 20000
#define YIELDS_AFTER_NS 3000

#define POOL_WORDS(CHECK) \
    CHECK(pthread_create, 0) \
    CHECK(pthread_join, 1) \
    CHECK(pthread_sigmask, 2) \
    CHECK(syscall, 3) \
    CHECK(clock_gettime, 4) \
    CHECK(sched_yield, 5) \
    CHECK(futex, 6) \
    CHECK(ticket, 8) \
    CHECK(body, 16) \
    CHECK(data, 17) \
    CHECK(count, 18) \
    CHECK(chunks, 19) \
    CHECK(threads, 20) \
    CHECK(rounding, 21) \
    CHECK(done, 24) \
    CHECK(lock, 32) \
    CHECK(waiting, 40) \
    CHECK(sleepers, 48) \
    CHECK(workers, 56) \
    CHECK(ceiling, 57) \
    CHECK(stop, 58) \
    CHECK(thread, 64)

#define TEAM_WORDS(CHECK) \
    CHECK(parallel, 0) \
    CHECK(pool, 1) \
    CHECK(threads, 2)
