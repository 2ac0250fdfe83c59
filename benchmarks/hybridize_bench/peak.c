// SPDX-License-Identifier: Apache-2.0
// Counts what a process has of the C library's memory, and the most that it has had: for LD_PRELOAD, with glibc.

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_llong held, most;

static void *taken(void *block) {
    if (block) {
        long long now = atomic_fetch_add(&held, malloc_usable_size(block)) + malloc_usable_size(block);
        long long before = atomic_load(&most);
        while (before < now && !atomic_compare_exchange_weak(&most, &before, now)) {
        }
    }
    return block;
}

static void given(void *block) {
    if (block) atomic_fetch_sub(&held, malloc_usable_size(block));
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return taken(__libc_calloc(count, size)); }

void free(void *block) {
    given(block);
    __libc_free(block);
}

void *realloc(void *block, size_t size) {
    long long before = block ? malloc_usable_size(block) : 0;
    void *made = __libc_realloc(block, size);
    if (made || !size) atomic_fetch_sub(&held, before);
    return taken(made);
}

void *memalign(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}

// Forget the most: it is what is held now, which is returned.
long long peak_begin(void) {
    long long now = atomic_load(&held);
    atomic_store(&most, now);
    return now;
}

long long peak_most(void) { return atomic_load(&most); }
