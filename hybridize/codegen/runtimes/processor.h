// SPDX-License-Identifier: Apache-2.0
// The instructions that C has no word for.
#pragma once

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

#elif defined(__aarch64__)

void hint(int32_t number) __asm__("llvm.aarch64.hint");
int64_t rounding_mode(void) __asm__("llvm.aarch64.get.fpcr");
void round_by(int64_t mode) __asm__("llvm.aarch64.set.fpcr");

static inline void pause_briefly(void) {
    hint(1);  // the instruction `yield`
}

#endif
