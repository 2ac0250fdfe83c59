/* Loads the image in image.h as runtime/image.py does, and prints what its functions give. CALLED is the calling
 * convention of the image's system; the functions that it calls have it, too. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static CALLED double of_lgamma(double x) { return lgamma(x); }
static CALLED int64_t of_labs(int64_t x) { return labs(x); }
static CALLED void *of_memset(void *to, int value, size_t count) {
  volatile char *bytes = to;
  for (size_t k = 0; k < count; k++) bytes[k] = value;
  return to;
}

#include "image.h" /* code, code_bytes, data, data_bytes, data_offset, nbytes, externals, pointers, the OFFSETS */

#define AT(type, name) ((type)(base + OFFSET_##name))

int main(void) {
  char *base = mmap(0, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return 1;
  memcpy(base, code, code_bytes);
  memcpy(base + data_offset, data, data_bytes);
  for (size_t k = 0; k < sizeof externals / sizeof *externals; k++)
    memcpy(base + externals[k].word, &externals[k].function, 8);
  for (size_t k = 0; k < sizeof pointers / sizeof *pointers; k++) {
    char *target = base + pointers[k].target;
    memcpy(base + pointers[k].word, &target, 8);
  }
  if (mprotect(base, data_offset, PROT_READ | PROT_EXEC)) return 2;
  __builtin___clear_cache(base, base + code_bytes);
  for (int64_t k = 0; k < 2; k++) printf("%ld ", (long)AT(int64_t(CALLED *)(int64_t), by_table)(k));
  for (int64_t k = 0; k < 4; k++) printf("%ld ", (long)AT(int64_t(CALLED *)(int64_t), third)(k));
  for (int64_t k = 0; k < 6; k++) printf("%ld ", (long)AT(int64_t(CALLED *)(int64_t), chosen)(k));
  printf("%ld ", (long)AT(int64_t(CALLED *)(void), next)());
  printf("%d ", AT(int8_t(CALLED *)(void), filled)());
  printf("%ld ", (long)AT(int64_t(CALLED *(CALLED *)(void))(int64_t), given)()(-9));
  printf("%.9f\n", AT(double (CALLED *)(double), outside)(50.0));
  return 0;
}
