// SPDX-License-Identifier: Apache-2.0
// The instructions that C has no word for.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

void pause_briefly(void) __asm__("llvm.x86.sse2.pause");
void store_mode(uint32_t *mode) __asm__("llvm.x86.sse.stmxcsr");
void load_mode(const uint32_t *mode) __asm__("llvm.x86.sse.ldmxcsr");

static inline int64_t rounding_mode(void) {
    uint32_t mode;
    store_mode(&mode);
    return mode;
}

static inline void round_by(int64_t mode) {
    uint32_t word = (uint32_t)mode;
    load_mode(&word);
}

enum { TICKS_BETWEEN_CALLS = 1 << 26 };  // into CPython: some tens of milliseconds

static inline int64_t clock_ticks(void) {
    return (int64_t)__builtin_readcyclecounter();
}

struct registers {
    uint32_t a, b, c, d;
};

// The bytes of both are written by codegen.llvm.library.instructions. They are called in the same way on all systems.
__attribute__((ms_abi)) void x86_cpuid(uint32_t leaf, struct registers *of);
__attribute__((ms_abi)) uint32_t x86_xgetbv(void);

static inline struct registers cpuid(uint32_t leaf) {
    struct registers of;
    x86_cpuid(leaf, &of);
    return of;
}

static inline bool has(uint32_t word, uint32_t bits) {
    return (word & bits) == bits;
}

// The level of x86-64 that this processor reaches: 4, 3, or 1 for anything else. The operating system has a say:
// registers that it does not keep between threads are not there.
static inline int64_t reached_x86_level(void) {
    // SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C.
    const uint32_t first = 1u << 0 | 1u << 9 | 1u << 12 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 22 | 1u << 23 | 1u << 27 |
                           1u << 28 | 1u << 29;
    const uint32_t extended = 1u << 5 | 1u << 0;                              // LZCNT, LAHF
    const uint32_t third = 1u << 3 | 1u << 5 | 1u << 8;                       // BMI1, AVX2, BMI2
    const uint32_t fourth = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;  // AVX-512 F, DQ, CD, BW, VL
    if (cpuid(0).a < 7 || cpuid(1u << 31).a <= 1u << 31) return 1;
    if (!has(cpuid(1).c, first) || !has(cpuid((1u << 31) + 1).c, extended)) return 1;
    const uint32_t features = cpuid(7).b, kept = x86_xgetbv();
    if (!has(features, third) || !has(kept, 0x6)) return 1;
    return has(features, fourth) && has(kept, 0xE6) ? 4 : 3;
}

#elif defined(__aarch64__)

void hint(int32_t number) __asm__("llvm.aarch64.hint");
int64_t rounding_mode(void) __asm__("llvm.aarch64.get.fpcr");
void round_by(int64_t mode) __asm__("llvm.aarch64.set.fpcr");

static inline void pause_briefly(void) {
    hint(1);  // the instruction `yield`
}

enum { TICKS_BETWEEN_CALLS = 1 << 20 };

// Of the steady counter: the like of x86's time stamp only the system may read.
static inline int64_t clock_ticks(void) {
    return (int64_t)__builtin_readsteadycounter();
}

static inline int64_t reached_x86_level(void) {
    return 1;
}

#endif
