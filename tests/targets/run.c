/* Runs programs linked with it: run < given > found. What is in the files: see programs.py, which writes table.h. */
#include <math.h>

#include "convention.h"

typedef CALLED void program(void **inputs, void **outputs, void *scratch);
typedef CALLED void derivation(void **sources, void **made, void *scratch);
#include "table.h"

static void *room(int64_t count) { return aligned_alloc(64, (count + 127) / 64 * 64); }

static void take(void *place, int64_t count) {
  if (fread(place, 1, count, stdin) != (size_t)count) abort();
}

static int64_t number(void) {
  int64_t value;
  take(&value, 8);
  return value;
}

static void *fill(int64_t count) {
  void *place = room(count + 8);
  take(place, (count + 7) / 8 * 8);
  return place;
}

int main(void) {
  for (size_t job = 0; job < sizeof programs / sizeof *programs; job++) {
    void *inputs[256], *outputs[256];
    int64_t sizes[256], given = number();
    for (int64_t k = 0; k < given; k++) inputs[k] = fill(number());
    int64_t constants = number();
    for (int64_t k = 0; k < constants; k++) {
      int64_t maker = number();
      if (maker < 0) {
        inputs[given + k] = fill(number());
        continue;
      }
      void *sources[256], *made = inputs[given + k] = room(number()), *scratch = room(number());
      int64_t count = number();
      for (int64_t j = 0; j < count; j++) sources[j] = fill(number());
      CALL(derivations[job][maker], sources, &made, scratch);
    }
    int64_t results = number();
    for (int64_t k = 0; k < results; k++) sizes[k] = number();
    for (int64_t k = 0; k < results; k++) outputs[k] = room(sizes[k]);
    CALL(programs[job], inputs, outputs, room(number()));
    for (int64_t k = 0; k < results; k++) fwrite(outputs[k], 1, sizes[k], stdout);
  }
  return 0;
}
