/* How programs are called: as Windows does where WINDOWS is defined, whatever the system that runs this. There, a call
 * is watched: what a function has to leave as it was, it must; and functions that programs call write to the memory that
 * their caller has to have for them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef WINDOWS

#define CALLED
#define SCRIBBLE
#define CALL(function, first, second, third) (function)(first, second, third)

#else

#define CALLED __attribute__((ms_abi))
/* Four words above the address that the function returns to. */
#define SCRIBBLE memset((char *)__builtin_frame_address(0) + 16, 0x55, 32)

struct registers {
  int64_t words[7];            /* rbx rsi rdi r12 r13 r14 r15 */
  unsigned char vectors[160];  /* the low halves of xmm6 to xmm15 */
  int64_t above;               /* the memory above the four words */
};

void watched_call(void *function, void *first, void *second, void *third, void *before, void *after);
__asm__(
    ".globl watched_call\n"
    "watched_call:\n"
    "  pushq %rbp\n  movq %rsp, %rbp\n"
    "  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n  pushq %r9\n"
    "  subq $48, %rsp\n"
    "  movq %rdi, %rax\n  movq %rcx, %r10\n  movq %r8, %r11\n  movq %r10, %r8\n  movq %rsi, %rcx\n"
    "  movq 216(%r11), %r10\n  movq %r10, 32(%rsp)\n"
    "  movq 0(%r11), %rbx\n  movq 8(%r11), %rsi\n  movq 16(%r11), %rdi\n  movq 24(%r11), %r12\n"
    "  movq 32(%r11), %r13\n  movq 40(%r11), %r14\n  movq 48(%r11), %r15\n"
    "  movups 56(%r11), %xmm6\n  movups 72(%r11), %xmm7\n  movups 88(%r11), %xmm8\n  movups 104(%r11), %xmm9\n"
    "  movups 120(%r11), %xmm10\n  movups 136(%r11), %xmm11\n  movups 152(%r11), %xmm12\n"
    "  movups 168(%r11), %xmm13\n  movups 184(%r11), %xmm14\n  movups 200(%r11), %xmm15\n"
    "  call *%rax\n"
    "  movq -48(%rbp), %r11\n"
    "  movq 32(%rsp), %r10\n  movq %r10, 216(%r11)\n"
    "  movq %rbx, 0(%r11)\n  movq %rsi, 8(%r11)\n  movq %rdi, 16(%r11)\n  movq %r12, 24(%r11)\n"
    "  movq %r13, 32(%r11)\n  movq %r14, 40(%r11)\n  movq %r15, 48(%r11)\n"
    "  movups %xmm6, 56(%r11)\n  movups %xmm7, 72(%r11)\n  movups %xmm8, 88(%r11)\n  movups %xmm9, 104(%r11)\n"
    "  movups %xmm10, 120(%r11)\n  movups %xmm11, 136(%r11)\n  movups %xmm12, 152(%r11)\n"
    "  movups %xmm13, 168(%r11)\n  movups %xmm14, 184(%r11)\n  movups %xmm15, 200(%r11)\n"
    "  leaq -40(%rbp), %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n");

static void checked_call(void *function, void *first, void *second, void *third) {
  struct registers before, after;
  for (size_t k = 0; k < sizeof before; k++) ((unsigned char *)&before)[k] = (unsigned char)(37 * k + 11);
  watched_call(function, first, second, third, &before, &after);
  if (memcmp(&before, &after, sizeof before)) {
    fprintf(stderr, "a register or the caller's memory is not as it was\n");
    exit(3);
  }
}

#define CALL(function, first, second, third) checked_call((void *)(function), first, second, third)

/* Have the system give the pages of the stack, which ours does by itself; the size stands in rax, and stays there. */
__asm__(".globl __chkstk\n__chkstk:\n  ret\n");

#endif
