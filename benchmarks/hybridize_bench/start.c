/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole program around an exported library: make the model, run it once, write the result, say how long each took.
 *
 *     cc -O2 -DHEADER='"mlp.h"' -DMODEL=mlp start.c -L. -lmlp -Wl,-rpath,.
 *     a.out INPUT OUTPUT ELEMENTS        raw arrays of 4-byte elements; prints seconds of create, of the first run
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include HEADER

#define PASTE(model, name) model##_##name
#define NAMED(model, name) PASTE(model, name)

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **words) {
  if (count != 4) return 2;
  static float input[1 << 16];
  FILE *file = fopen(words[1], "rb");
  if (!file || !fread(input, 4, 1 << 16, file)) return 2;
  fclose(file);
  size_t elements = (size_t)atol(words[3]);
  float *output = malloc(4 * elements);

  MODEL *model;
  double begin = now();
  int32_t code = NAMED(MODEL, create)(&model, NULL);
  double made = now();
  if (!code) code = NAMED(MODEL, run)(model, (const void *[]){input}, NULL, (void *[]){output}, NULL);
  double done = now();
  if (code) {
    fprintf(stderr, "%s\n", NAMED(MODEL, error)(code));
    return 1;
  }
  NAMED(MODEL, destroy)(model);

  file = fopen(words[2], "wb");
  if (!file || fwrite(output, 4, elements, file) != elements || fclose(file)) return 2;
  printf("%.9f %.9f\n", made - begin, done - made);
  return 0;
}
